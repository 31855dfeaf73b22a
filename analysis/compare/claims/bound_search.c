#include "analysis/compare/claims/bound_search.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_multimin.h>
#include <gsl/gsl_qrng.h>

#include "analysis/compare/arms/gaps.h"
#include "analysis/compare/arms/race.h"
#include "analysis/compare/claims/claim_run.h"
#include "analysis/compare/user_claims.h"
#include "analysis/theory/lu.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/param.h"

enum { STARTS = 3, SET_ROOM = 260, FIXED_SETS = 2, LOG_RATIO = 10 };

static const double least_log = -1e3;        /* for points without a cell */
static const double smallest_simplex = 1e-4; /* of the box */

int mk_bound_search_range_parse(const char *text, const char *option, struct mk_bound_search_range *out,
                                struct mk_error *err)
{
    const char *equals = strrchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    size_t key = equals ? (size_t)(equals - text) : 0;
    if (!colon || key == 0 || key >= sizeof out->key ||
        !mk_parse_real(equals + 1, (size_t)(colon - equals) - 1, &out->lo) ||
        !mk_parse_real(colon + 1, strlen(colon + 1), &out->hi) || !(out->lo < out->hi))
        return mk_fail(err, MK_EINPUT,
                       "%s: expected KEY=LO:HI with LO < HI, such as policies.0.alpha=0.1:2, got '%.100s'", option,
                       text);
    snprintf(out->key, sizeof out->key, "%.*s", (int)key, text);
    return MK_OK;
}

void mk_bound_search_set_target(struct mk_bound_search *s, int variant, const char *claim)
{
    s->claim = claim;
    s->target = claim ? MK_SEARCH_CLAIM : variant < MK_BOUND_VARIANTS ? MK_SEARCH_THEOREM : MK_SEARCH_PROPOSITION;
    s->variant = s->target == MK_SEARCH_THEOREM ? (enum mk_bound_variant)variant : MK_BOUND_SUM;
}

const char *mk_bound_search_target_name(const struct mk_bound_search *s)
{
    if (s->target == MK_SEARCH_CLAIM) return s->claim;
    return s->target == MK_SEARCH_PROPOSITION ? "proposition" : mk_bound_variant_name(s->variant);
}

double mk_bound_search_place(const struct mk_bound_search_range *r, double u)
{
    u = fmod(fabs(u), 2);
    if (u > 1) u = 2 - u;
    if (r->lo > 0 && r->hi >= LOG_RATIO * r->lo) return fmin(r->hi, r->lo * pow(r->hi / r->lo, u));
    return fmin(r->hi, r->lo + (r->hi - r->lo) * u);
}

/* ---- one point ---- */

/* The experiment with its parameters set; the caller frees it. */
static int open_point(const struct mk_bound_search *s, const double *x, uint64_t replications, uint64_t seed,
                      struct mk_experiment **out, struct mk_error *err)
{
    char text[MK_SEARCH_DIMENSIONS + FIXED_SETS][SET_ROOM], value[32];
    const char **set = malloc((s->n_sets + MK_SEARCH_DIMENSIONS + FIXED_SETS) * sizeof *set);
    size_t n = 0, own = 0;
    *out = NULL;
    if (!set) return mk_fail_memory(err, "the search");
    for (; n < s->n_sets; n++) set[n] = s->sets[n];
    for (size_t i = 0; i < s->n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): x has a value for each of the s->n ranges */
        snprintf(text[own], SET_ROOM, "%s=%s", s->range[i].key, mk_format_real(x[i], value, sizeof value));
        set[n++] = text[own++];
    }
    snprintf(text[own], SET_ROOM, "replications=%llu", (unsigned long long)replications);
    set[n++] = text[own++];
    snprintf(text[own], SET_ROOM, "seed=%llu", (unsigned long long)seed);
    set[n++] = text[own];
    int code = mk_experiment_read(out, s->path, set, n, MK_NEED_PROBLEM | MK_NEED_RUN, err);
    free(set);
    if (!code && (code = mk_problem_by_pulls((*out)->problem, "bounds are", err))) mk_experiment_free(*out);
    return code;
}

int mk_bound_search_experiment(struct mk_experiment **out, const struct mk_bound_search *s, const double *x,
                               struct mk_error *err)
{
    return open_point(s, x, s->replications, s->seed, out, err);
}

/* The simulation of one point. */
struct point {
    const struct mk_bound_search *s;
    struct mk_claim_case c;
    struct mk_lu *lu;                  /* [arm] */
    double *certified;                 /* [arm] at the place that is weighed, if the target uses it; else NaN */
    const struct mk_user_claim *claim; /* MK_SEARCH_CLAIM */
    struct mk_bound_search_cell *worst;
};

static double ratio_of(double observed, double bound, bool inverted)
{
    double above = inverted ? bound : observed, below = inverted ? observed : bound;
    return below > 0 ? above / below : above > below ? INFINITY : 0;
}

/* Keeps the cell if it is the worst so far. */
static void offer(struct point *p, size_t entry, size_t h, struct mk_bound_search_cell *cell, bool at_least)
{
    const struct mk_policy_entry *policy = &p->c.experiment->entry[entry];
    cell->ratio = ratio_of(cell->mean, cell->bound, at_least != p->s->loosest);
    if (isnan(cell->bound) || isnan(cell->ratio) || !(isnan(p->worst->ratio) || cell->ratio > p->worst->ratio)) return;
    *p->worst = *cell;
    p->worst->L = p->lu[mk_truth_best(p->c.truth, 0, h)].L * cell->unit;
    p->worst->horizon = p->c.experiment->horizon[h];
    snprintf(p->worst->policy, sizeof p->worst->policy, "%s", policy->label);
}

/* An arm's pulls with their interval. */
static struct mk_bound_search_cell pulls_cell(const struct point *p, size_t entry, size_t h, size_t k)
{
    const struct mk_truth *f = p->c.truth;
    const struct mk_count_moments *pulls = mk_claim_pulls(&p->c, entry, h, k);
    const double unit = mk_claim_reward_unit(&p->c, entry).unit;
    struct mk_bound_search_cell cell = {.arm = k,
                                        .alpha = mk_policy_entry_parameter(&p->c.experiment->entry[entry], "alpha"),
                                        .mean = mk_count_moments_mean(pulls),
                                        .unit = unit,
                                        .gap = f->gap[mk_truth_at(f, 0, h, k)] / unit,
                                        .p = NAN};
    mk_mean_interval(cell.mean, mk_spread_error(&pulls->spread), pulls->spread.n, &cell.low, &cell.high);
    return cell;
}

static void weigh_theorem(struct point *p, size_t entry, size_t h)
{
    const struct mk_truth *f = p->c.truth;
    const struct mk_reward_unit unit = mk_claim_reward_unit(&p->c, entry);
    const size_t best = mk_truth_best(f, 0, h);
    for (size_t k = 0; k < f->n_arms; k++) {
        struct mk_bound_search_cell cell = pulls_cell(p, entry, h, k);
        struct mk_bound_input in = {.alpha = cell.alpha,
                                    .L = p->lu[best].L,
                                    .U = p->lu[k].U,
                                    .gap = f->gap[mk_truth_at(f, 0, h, k)],
                                    .gap_endpoint = mk_gap_endpoint(f->support_high, best, k),
                                    .horizon = p->c.experiment->horizon[h],
                                    .certified = p->certified[k]};
        if (k == best) continue;
        mk_reward_unit_of_input(&unit, &in);
        struct mk_bound b = mk_bound_evaluate(p->s->variant, &in);
        cell.gap = b.gap;
        cell.p = b.p;
        cell.bound = b.value;
        cell.verdict = mk_bound_verdict(b.value, (double)in.horizon, cell.low, cell.high);
        offer(p, entry, h, &cell, false);
    }
}

/* Both sides of Proposition 4.1, and the regret as a cell. */
static struct mk_bound_search_cell regret_cell(const struct point *p, size_t entry, size_t h,
                                               struct mk_regret_check *check)
{
    struct mk_bound_search_cell cell = {.arm = MK_SEARCH_NO_ARM, .gap = NAN, .p = NAN};
    mk_claim_check_regret(&p->c, entry, h, check);
    cell.alpha = mk_policy_entry_parameter(&p->c.experiment->entry[entry], "alpha");
    cell.unit = mk_claim_reward_unit(&p->c, entry).unit;
    cell.mean = check->regret;
    cell.low = check->regret_low;
    cell.high = check->regret_high;
    return cell;
}

static void weigh_proposition(struct point *p, size_t entry, size_t h)
{
    struct mk_regret_check check;
    struct mk_bound_search_cell cell = regret_cell(p, entry, h, &check);
    cell.bound = check.bound;
    cell.verdict = check.verdict;
    if (check.bound > 0) offer(p, entry, h, &cell, false); /* only the best arm pulled: 0 <= 0 */
}

static void weigh_claim(struct point *p, size_t entry, size_t h)
{
    const struct mk_experiment *e = p->c.experiment;
    const struct mk_truth *f = p->c.truth;
    const size_t best = mk_truth_best(f, 0, h);
    struct mk_user_claim_place at = {.truth = f,
                                     .instance = &e->problem->instance[0],
                                     .horizon_at = h,
                                     .horizon = e->horizon[h],
                                     .upper = f->support_high,
                                     .arm = best,
                                     .alpha = mk_policy_entry_parameter(&e->entry[entry], "alpha"),
                                     .L = p->lu[best].L,
                                     .U = NAN,
                                     .measure = mk_claim_reward_unit(&p->c, entry)};
    if (!mk_user_claim_covers(p->claim, e->entry[entry].label)) return;
    if (p->claim->of == MK_USER_CLAIM_REGRET) {
        struct mk_regret_check check;
        struct mk_bound_search_cell cell = regret_cell(p, entry, h, &check);
        cell.bound = mk_user_claim_bound(p->claim, &at);
        cell.verdict = mk_user_claim_verdict(p->claim, cell.bound, -INFINITY, INFINITY, cell.low, cell.high);
        offer(p, entry, h, &cell, p->claim->at_least != 0);
        return;
    }
    for (size_t k = 0; k < f->n_arms; k++) {
        struct mk_bound_search_cell cell = pulls_cell(p, entry, h, k);
        if (k == best) continue;
        at.arm = k;
        at.U = p->lu[k].U;
        at.certified = p->certified[k];
        cell.bound = mk_user_claim_bound(p->claim, &at);
        cell.verdict = mk_user_claim_verdict(p->claim, cell.bound, 0, (double)at.horizon, cell.low, cell.high);
        offer(p, entry, h, &cell, p->claim->at_least != 0);
    }
}

static int find_claim(struct point *p, struct mk_error *err)
{
    const struct mk_experiment *e = p->c.experiment;
    for (size_t i = 0; i < e->n_claims; i++)
        if (strcmp(e->claim[i].name, p->s->claim) == 0) p->claim = &e->claim[i];
    if (p->claim) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: claims: no claim '%.60s'", e->file, p->s->claim);
}

/* Whether the target says anything about this policy; others only take part in the simulation. */
static bool concerns(const struct mk_bound_search *s, const struct mk_policy_entry *entry)
{
    if (s->target != MK_SEARCH_THEOREM) return true;
    if (s->variant == MK_BOUND_CROSSING) return mk_policy_bonus_flags(entry->type, entry->par) & MK_POLICY_RISING_BONUS;
    return (mk_policy_bonus_flags(entry->type, entry->par) & MK_POLICY_THEOREM_4_2) &&
           !(mk_policy_entry_parameter(entry, "power") > 1);
}

static int check_experiment(struct point *p, struct mk_error *err)
{
    const struct mk_experiment *e = p->c.experiment;
    if (!e->problem->source->known)
        return mk_fail(err, MK_EINPUT, "%s: expected arms with known distributions (problem: arms)", e->file);
    if (p->s->target == MK_SEARCH_CLAIM) return find_claim(p, err);
    for (size_t i = 0; i < e->n_entries; i++)
        if (concerns(p->s, &e->entry[i])) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: the bound is about max_ucb; expected it among the policies", e->file);
}

/* record if every policy allows it */
static enum mk_engine engine_of(const struct mk_experiment *e)
{
    for (size_t i = 0; i < e->n_entries; i++)
        if (!mk_run_has_records(&e->entry[i])) return MK_ENGINE_AUTO;
    return MK_ENGINE_RECORD;
}

static int simulate(struct point *p, enum mk_engine engine, struct mk_error *err)
{
    const struct mk_problem *problem = p->c.experiment->problem;
    p->lu = calloc(problem->n_arms, sizeof *p->lu);
    p->certified = malloc(problem->n_arms * sizeof *p->certified);
    if (!p->lu || !p->certified) return mk_fail_memory(err, "the search");
    int code = MK_OK;
    for (size_t k = 0; !code && k < problem->n_arms; k++) code = mk_lu_exact(problem->dist[k], NAN, &p->lu[k], err);
    return code ? code : mk_claim_means(&p->c, engine, p->s->threads, err);
}

/* Whether the target uses certified bounds, which take time. */
static bool is_certified(const struct point *p)
{
    return p->claim ? mk_user_claim_is_certified(p->claim)
                    : p->s->target == MK_SEARCH_THEOREM && p->s->variant == MK_BOUND_CROSSING;
}

/* All policies and horizons. */
static int weigh_all(struct point *p, struct mk_error *err)
{
    static void (*const weigh[])(struct point *, size_t, size_t) = {[MK_SEARCH_THEOREM] = weigh_theorem,
                                                                    [MK_SEARCH_PROPOSITION] = weigh_proposition,
                                                                    [MK_SEARCH_CLAIM] = weigh_claim};
    const struct mk_experiment *e = p->c.experiment;
    int code = MK_OK;
    for (size_t k = 0; k < e->problem->n_arms; k++) p->certified[k] = NAN;
    for (size_t i = 0; !code && i < e->n_entries; i++)
        for (size_t h = 0; !code && concerns(p->s, &e->entry[i]) && h < e->n_horizons; h++) {
            if (is_certified(p))
                code = mk_certify_upper(p->certified, &e->entry[i], e->problem, 0, e->horizon[h], 0,
                                        MK_TABLE_REFINEMENT, err);
            if (!code) weigh[p->s->target](p, i, h);
        }
    return code;
}

/* The worst cell at x; MK_EINPUT if there is none. confirmed: the final evaluation, described in `out`. */
static int evaluate(const struct mk_bound_search *s, const double *x, uint64_t replications, uint64_t seed,
                    struct mk_bound_search_cell *worst, struct mk_bound_search_result *confirmed, struct mk_error *err)
{
    struct point p = {.s = s, .worst = worst};
    *worst = (struct mk_bound_search_cell){.ratio = NAN};
    int code = open_point(s, x, replications, seed, &p.c.experiment, err);
    if (!code) code = check_experiment(&p, err);
    if (code) goto out;
    enum mk_engine engine = engine_of(p.c.experiment);
    code = simulate(&p, engine, err);
    if (!code) code = weigh_all(&p, err);
    if (!code && isnan(worst->ratio))
        code = mk_fail(err, MK_EINPUT,
                       "%s: the bound does not apply to any arm; expected finite upper end points and a suboptimal arm",
                       s->path);
    if (code || !confirmed) goto out;
    confirmed->engine = engine;
    confirmed->inverted = (p.claim && p.claim->at_least) != s->loosest;
    confirmed->resolved = strdup(p.c.experiment->resolved);
    if (!confirmed->resolved) code = mk_fail_memory(err, "the search");
out:
    free(p.lu);
    free(p.certified);
    mk_claim_case_free(&p.c);
    return code;
}

/* ---- the search ---- */

struct search_state {
    const struct mk_bound_search *s;
    struct mk_bound_search_result *out;
    double best;             /* log ratio */
    int code;                /* the error that ends the search */
    struct mk_error *err;    /* its text */
    struct mk_error refusal; /* the first one */
};

/* log of the objective at u (positions in the box); keeps the worst. */
static double objective(struct search_state *w, const double *u)
{
    double x[MK_SEARCH_DIMENSIONS] = {0};
    struct mk_bound_search_cell cell;
    struct mk_error err = {0, ""};
    for (size_t i = 0; i < w->s->n; i++) x[i] = mk_bound_search_place(&w->s->range[i], u[i]);
    w->out->evaluations++;
    int code = evaluate(w->s, x, w->s->replications, w->s->seed, &cell, NULL, &err);
    if (w->s->progress) mk_progress_step(w->s->progress, 1);
    if (code == MK_EINPUT) {
        if (w->out->refused++ == 0) w->refusal = err;
        return least_log;
    }
    if (code) {
        w->code = code;
        if (w->err) *w->err = err;
        return least_log;
    }
    double value = cell.ratio > 0 ? fmin(log(cell.ratio), -least_log) : least_log;
    if (value > w->best) {
        w->best = value;
        w->out->searched = cell;
        memcpy(w->out->x, x, sizeof x);
    }
    return value;
}

static bool is_over(const struct search_state *w)
{
    return w->code || w->out->evaluations >= w->s->evaluations || w->best >= -least_log;
}

static double negative(const gsl_vector *u, void *context)
{
    struct search_state *w = context;
    double position[MK_SEARCH_DIMENSIONS];
    for (size_t i = 0; i < w->s->n; i++) position[i] = gsl_vector_get(u, i);
    return is_over(w) ? -least_log : -objective(w, position);
}

/* The best few of the scan, descending. */
struct starts {
    double value[STARTS], u[STARTS][MK_SEARCH_DIMENSIONS];
    size_t n;
};

static void keep_start(struct starts *k, double value, const double *u)
{
    size_t at = k->n < STARTS ? k->n++ : STARTS;
    while (at > 0 && k->value[at - 1] < value) {
        if (at < STARTS) {
            k->value[at] = k->value[at - 1];
            memcpy(k->u[at], k->u[at - 1], sizeof k->u[at]);
        }
        at--;
    }
    if (at == STARTS) return;
    k->value[at] = value;
    memcpy(k->u[at], u, sizeof k->u[at]);
}

static int scan(struct search_state *w, struct starts *to, struct mk_error *err)
{
    gsl_qrng *q = gsl_qrng_alloc(gsl_qrng_sobol, (unsigned)w->s->n);
    if (!q) return mk_fail_memory(err, "the search");
    uint64_t points = w->s->evaluations / 3 + 1;
    for (uint64_t i = 0; i < points && !is_over(w); i++) {
        double u[MK_SEARCH_DIMENSIONS] = {0};
        gsl_qrng_get(q, u);
        keep_start(to, objective(w, u), u);
    }
    gsl_qrng_free(q);
    return w->code;
}

static int descend(struct search_state *w, const double *u, struct mk_error *err)
{
    const size_t n = w->s->n;
    gsl_multimin_function f = {negative, n, w};
    gsl_vector *start = gsl_vector_alloc(n), *step = gsl_vector_alloc(n);
    gsl_multimin_fminimizer *m = gsl_multimin_fminimizer_alloc(gsl_multimin_fminimizer_nmsimplex2, n);
    int code = start && step && m ? MK_OK : mk_fail_memory(err, "the search");
    for (size_t i = 0; !code && i < n; i++) {
        gsl_vector_set(start, i, u[i]);
        gsl_vector_set(step, i, u[i] > 0.5 ? -0.15 : 0.15);
    }
    if (!code && gsl_multimin_fminimizer_set(m, &f, start, step))
        code = mk_fail(err, MK_ENUM, "the simplex could not be initialised");
    while (!code && !is_over(w) && !gsl_multimin_fminimizer_iterate(m) &&
           gsl_multimin_fminimizer_size(m) > smallest_simplex)
        ;
    if (m) gsl_multimin_fminimizer_free(m);
    gsl_vector_free(start);
    gsl_vector_free(step);
    return code ? code : w->code;
}

int mk_bound_search_run(const struct mk_bound_search *s, struct mk_bound_search_result *out, struct mk_error *err)
{
    struct search_state w = {.s = s, .out = out, .best = -INFINITY, .err = err};
    struct starts starts = {.n = 0};
    memset(out, 0, sizeof *out);
    int code = scan(&w, &starts, err);
    for (size_t i = 0; !code && i < starts.n && !is_over(&w); i++) code = descend(&w, starts.u[i], err);
    if (code) return code;
    if (!isfinite(w.best)) return mk_fail(err, MK_EINPUT, "%s", w.refusal.text);
    return evaluate(s, out->x, s->confirm, s->seed + 1, &out->confirmed, out, err);
}

/* ---- a map: every point of a grid ---- */

int mk_bound_map_evaluate(struct mk_bound_map *m, struct mk_error *err)
{
    const struct mk_bound_search *s = &m->search;
    const size_t nx = m->points[0], ny = m->points[1];
    m->search.n = 2;
    m->search.range = m->range;
    m->x = malloc(nx * sizeof *m->x);
    m->y = malloc(ny * sizeof *m->y);
    m->cell = calloc(nx * ny, sizeof *m->cell);
    if (!m->x || !m->y || !m->cell) return mk_fail_memory(err, "a map");
    for (size_t i = 0; i < nx; i++) m->x[i] = mk_bound_search_place(&m->range[0], (double)i / (double)(nx - 1));
    for (size_t k = 0; k < ny; k++) m->y[k] = mk_bound_search_place(&m->range[1], (double)k / (double)(ny - 1));
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++) {
            const double point[] = {m->x[i], m->y[k]};
            if (s->progress) mk_progress_step(s->progress, 1);
            int code = evaluate(s, point, s->replications, s->seed, &m->cell[i * ny + k], NULL, err);
            if (code) return code;
        }
    return MK_OK;
}

void mk_bound_map_clear(struct mk_bound_map *m)
{
    free(m->x);
    free(m->y);
    free(m->cell);
}

double mk_bound_map_looseness(const struct mk_bound_map *m, const struct mk_bound_search_cell *c)
{
    if (m->search.target == MK_SEARCH_THEOREM && c->bound > 0)
        return log10(fmin(c->bound, (double)c->horizon) / c->mean);
    return isfinite(c->ratio) && c->ratio > 0 ? -log10(c->ratio) : NAN;
}

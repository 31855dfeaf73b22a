#include "analysis/search.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_multimin.h>
#include <gsl/gsl_qrng.h>

#include "analysis/claim_run.h"
#include "analysis/gaps.h"
#include "analysis/lu.h"
#include "sim/number.h"
#include "sim/param.h"

enum { STARTS = 3, SET_ROOM = 260, FIXED_SETS = 2, LOG_RATIO = 10 };

static const double least_log = -1e3;        /* of points that give nothing */
static const double smallest_simplex = 1e-4; /* of the box */

int mk_search_range_parse(const char *text, struct mk_search_range *out, struct mk_error *err)
{
    const char *equals = strrchr(text, '='), *colon = equals ? strchr(equals, ':') : NULL;
    size_t key = equals ? (size_t)(equals - text) : 0;
    if (!colon || key == 0 || key >= sizeof out->key ||
        !mk_parse_real(equals + 1, (size_t)(colon - equals) - 1, &out->lo) ||
        !mk_parse_real(colon + 1, strlen(colon + 1), &out->hi) || !(out->lo < out->hi))
        return mk_fail(err, MK_EINPUT, "%.100s: needed is KEY=LO:HI with LO < HI, e.g. policies.0.alpha=0.1:2", text);
    snprintf(out->key, sizeof out->key, "%.*s", (int)key, text);
    return MK_OK;
}

/* Position u in [0, 1] of a range; u outside is reflected back. */
static double place(const struct mk_search_range *r, double u)
{
    u = fmod(fabs(u), 2);
    if (u > 1) u = 2 - u;
    if (r->lo > 0 && r->hi >= LOG_RATIO * r->lo) return fmin(r->hi, r->lo * pow(r->hi / r->lo, u));
    return fmin(r->hi, r->lo + (r->hi - r->lo) * u);
}

/* ---- one point ---- */

/* The experiment with its parameters set; the caller frees it. */
static int open_point(const struct mk_search *s, const double *x, uint64_t replications, uint64_t seed,
                      struct mk_claim_case *c, struct mk_error *err)
{
    char text[MK_SEARCH_DIMENSIONS + FIXED_SETS][SET_ROOM], value[32];
    const char **set = malloc((s->n_sets + MK_SEARCH_DIMENSIONS + FIXED_SETS) * sizeof *set);
    size_t n = 0, own = 0;
    *c = (struct mk_claim_case){NULL, NULL};
    if (!set) return mk_fail_memory(err, "the search");
    for (; n < s->n_sets; n++) set[n] = s->sets[n];
    for (size_t i = 0; i < s->n; i++) {
        snprintf(text[own], SET_ROOM, "%s=%s", s->range[i].key, mk_format_real(x[i], value, sizeof value));
        set[n++] = text[own++];
    }
    snprintf(text[own], SET_ROOM, "replications=%llu", (unsigned long long)replications);
    set[n++] = text[own++];
    snprintf(text[own], SET_ROOM, "seed=%llu", (unsigned long long)seed);
    set[n++] = text[own];
    int code = mk_experiment_read(&c->experiment, s->path, set, n, MK_NEED_PROBLEM | MK_NEED_RUN, err);
    free(set);
    return code;
}

static void weigh(const struct mk_search *s, const struct mk_claim_case *c, const struct mk_claim_means *m,
                  const struct mk_lu *lu, size_t entry, size_t h, struct mk_search_cell *worst)
{
    const struct mk_facts *f = c->facts;
    const struct mk_entry *policy = &c->experiment->entry[entry];
    const size_t best = f->optimal_arm[h];
    for (size_t k = 0; k < f->n_arms; k++) {
        const struct mk_count_moments *pulls = mk_claim_pulls(m, entry, h, k);
        const struct mk_bound_input in = {.alpha = policy->par[mk_param_find(policy->type->params, "alpha")],
                                          .L = lu[best].L,
                                          .U = lu[k].U,
                                          .gap = f->gap[mk_facts_at(f, 0, h, k)],
                                          .gap_endpoint = mk_gap_endpoint(f->support_high, best, k),
                                          .horizon = c->experiment->horizon[h]};
        if (k == best) continue;
        struct mk_bound b = mk_bound_evaluate(s->variant, &in);
        double mean = mk_count_moments_mean(pulls), ratio = b.value > 0 ? mean / b.value : INFINITY;
        if (isnan(b.value) || !(isnan(worst->ratio) || ratio > worst->ratio)) continue;
        *worst = (struct mk_search_cell){.alpha = in.alpha,
                                         .horizon = in.horizon,
                                         .arm = k,
                                         .mean = mean,
                                         .gap = b.gap,
                                         .p = b.p,
                                         .bound = b.value,
                                         .ratio = ratio};
        snprintf(worst->policy, sizeof worst->policy, "%s", policy->label);
        mk_mean_interval(mean, mk_spread_error(&pulls->spread), pulls->spread.n, &worst->low, &worst->high);
        worst->verdict = mk_bound_verdict(b.value, (double)in.horizon, worst->low, worst->high);
    }
}

static int check_experiment(const struct mk_experiment *e, struct mk_error *err)
{
    if (e->problem->kind != MK_SYNTHETIC) return mk_fail(err, MK_EINPUT, "%s: a search needs synthetic arms", e->file);
    for (size_t i = 0; i < e->n_entries; i++)
        if (strcmp(e->entry[i].type->name, "max_ucb") != 0)
            return mk_fail(err, MK_EINPUT,
                           "%s: policy %s: the bound is about max_ucb, leave others out (-s 'policies=[…]')", e->file,
                           e->entry[i].label);
    return MK_OK;
}

/* The worst cell at x; MK_EINPUT when there is none. resolved may be NULL. */
static int evaluate(const struct mk_search *s, const double *x, uint64_t replications, uint64_t seed,
                    struct mk_search_cell *worst, char **resolved, struct mk_error *err)
{
    struct mk_claim_case c;
    struct mk_claim_means m = {0};
    struct mk_lu *lu = NULL;
    *worst = (struct mk_search_cell){.ratio = NAN};
    int code = open_point(s, x, replications, seed, &c, err);
    if (!code) code = check_experiment(c.experiment, err);
    if (code) goto out;
    const struct mk_problem *p = c.experiment->problem;
    lu = calloc(p->n_arms, sizeof *lu);
    if (!lu) code = mk_fail_memory(err, "the search");
    for (size_t k = 0; !code && k < p->n_arms; k++) code = mk_lu_exact(p->dist[k], NAN, &lu[k], err);
    if (!code) code = mk_claim_means_run(&m, &c, MK_ENGINE_RECORD, s->threads, err);
    if (code) goto out;
    for (size_t i = 0; i < c.experiment->n_entries; i++)
        for (size_t h = 0; h < m.n_horizons; h++) weigh(s, &c, &m, lu, i, h, worst);
    mk_claim_means_free(&m);
    if (isnan(worst->ratio)) code = mk_fail(err, MK_EINPUT, "%s: no arm has a bound", s->path);
    if (!code && resolved && !(*resolved = strdup(c.experiment->resolved))) code = mk_fail_memory(err, "the search");
out:
    free(lu);
    mk_claim_case_free(&c);
    return code;
}

/* ---- the search ---- */

struct work {
    const struct mk_search *s;
    struct mk_search_result *out;
    double best;             /* log ratio */
    int code;                /* what ends the search */
    struct mk_error *err;    /* of that */
    struct mk_error refusal; /* the first one */
};

/* log of the objective at u (positions in the box); keeps the worst. */
static double objective(struct work *w, const double *u)
{
    double x[MK_SEARCH_DIMENSIONS] = {0};
    struct mk_search_cell cell;
    struct mk_error err = {0, ""};
    for (size_t i = 0; i < w->s->n; i++) x[i] = place(&w->s->range[i], u[i]);
    w->out->evaluations++;
    int code = evaluate(w->s, x, w->s->replications, w->s->seed, &cell, NULL, &err);
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

static int is_over(const struct work *w)
{
    return w->code || w->out->evaluations >= w->s->evaluations || w->best >= -least_log;
}

static double negative(const gsl_vector *u, void *context)
{
    struct work *w = context;
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

static int scan(struct work *w, struct starts *to, struct mk_error *err)
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

static int descend(struct work *w, const double *u, struct mk_error *err)
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
        code = mk_fail(err, MK_ENUM, "the simplex does not start");
    while (!code && !is_over(w) && !gsl_multimin_fminimizer_iterate(m) &&
           gsl_multimin_fminimizer_size(m) > smallest_simplex)
        ;
    if (m) gsl_multimin_fminimizer_free(m);
    gsl_vector_free(start);
    gsl_vector_free(step);
    return code ? code : w->code;
}

int mk_search_run(const struct mk_search *s, struct mk_search_result *out, struct mk_error *err)
{
    struct work w = {.s = s, .out = out, .best = -INFINITY, .err = err};
    struct starts starts = {.n = 0};
    memset(out, 0, sizeof *out);
    int code = scan(&w, &starts, err);
    for (size_t i = 0; !code && i < starts.n && !is_over(&w); i++) code = descend(&w, starts.u[i], err);
    if (code) return code;
    if (!isfinite(w.best)) return mk_fail(err, MK_EINPUT, "%s", w.refusal.text);
    return evaluate(s, out->x, s->confirm, s->seed + 1, &out->confirmed, &out->resolved, err);
}

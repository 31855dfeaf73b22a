#include "analysis/compare/replay.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>

#include "analysis/compare/rank.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/run/engine/run.h"
#include "sim/run/experiment/combined_search.h"

static const double rounding = 1e-12; /* of sums of costs, relative */

void mk_replay_free(struct mk_replay *r)
{
    if (!r) return;
    free(r->candidate);
    free(r->loss);
    free(r->test_loss);
    free(r->optimism);
    free(r);
}

/* ---- budgets ---- */

/* Pulls of this series alone that the budget pays for; *least: the smallest cost among them. */
static uint64_t affordable(const struct mk_series *s, const struct mk_replay_budget *b, double *least)
{
    double spent = 0;
    uint64_t n = 0;
    for (; n < s->length; n++) {
        spent += s->cost[n];
        if (spent > b->amount * (1 + rounding)) return n;
        *least = fmin(*least, s->cost[n]);
    }
    if (!b->extends || !n) return n;
    for (size_t i = 0; i < s->length; i++) *least = fmin(*least, s->cost[i]);
    return (uint64_t)fmin(b->amount / *least, 0x1p62);
}

static double total_cost(const struct mk_series *s)
{
    double sum = 0;
    for (size_t n = 0; n < s->length; n++) sum += s->cost[n];
    return sum;
}

static int check_series(const struct mk_problem *p, size_t instance, size_t k, uint64_t replication,
                        const struct mk_replay_budget *b, struct mk_error *err)
{
    const struct mk_series *s = mk_problem_series(p, instance, k, replication);
    const struct mk_instance *in = &p->instance[instance];
    const double total = total_cost(s);
    char name[MK_CLIP_ROOM], arm[MK_CLIP_ROOM], repetition[MK_CLIP_ROOM];
    if (b->extends || total >= b->amount * (1 - rounding)) return MK_OK;
    return mk_fail_at(
        err, (struct mk_where){p->file, s->line, 0}, NULL,
        "instance %s, arm %s, repetition %s: expected iterations that cost at least %g together (the "
        "budget), got %zu that cost %.6g; use smaller budgets or a rule (--ends-early hold, restart or leave)",
        mk_clip(in->name, name), mk_clip(p->arm_label[in->arm[k]], arm),
        mk_clip(p->repetition_name[in->repetition[replication]], repetition), b->amount, s->length, total);
}

struct cost_summary {
    uint64_t longest; /* no policy makes more pulls on any repetition */
    double sum, n;    /* of all recorded pulls */
};

static int summarise_unit(struct cost_summary *c, const struct mk_problem *p, size_t instance, uint64_t replication,
                          const struct mk_replay_budget *b, struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    char name[MK_CLIP_ROOM], clip[MK_CLIP_ROOM];
    double least = INFINITY, pulls = 0;
    int code = MK_OK;
    for (size_t k = 0; k < in->n_arms && !code; k++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, replication);
        code = check_series(p, instance, k, replication, b, err);
        pulls += (double)affordable(s, b, &least);
        c->sum += total_cost(s);
        c->n += (double)s->length;
    }
    if (!code && pulls < 1)
        code = mk_fail(err, MK_EINPUT, "%s: instance %s, repetition %s: a budget of %g does not pay for a single pull",
                       p->file, mk_clip(in->name, name), mk_clip(p->repetition_name[in->repetition[replication]], clip),
                       b->amount);
    const uint64_t most = code ? 0 : (uint64_t)fmin(pulls, b->amount * (1 + rounding) / least);
    if (most > c->longest) c->longest = most;
    return code;
}

/* Horizons of an experiment whose budget is a cost: that which policies plan for, and that within which every policy
 * has spent the budget, to which the series are extended by rewards that no policy can afford. */
static int plan_costs(struct mk_experiment *e, const struct mk_replay_budget *b, struct mk_error *err)
{
    struct mk_problem *p = e->problem;
    struct cost_summary c = {0, 0, 0};
    int code = MK_OK;
    if (!mk_problem_series(p, 0, 0, 0)->cost)
        return mk_fail(err, MK_EINPUT, "%s: has no column cost, which --costs needs", p->file);
    for (size_t i = 0; i < p->n_instances && !code; i++) {
        for (uint64_t r = 0; r < mk_problem_replications(p, i, e->replications) && !code; r++)
            code = summarise_unit(&c, p, i, r, b, err);
        mk_problem_release(p, i);
    }
    if (code) return code;
    const double planned = fmin(fmax(1, mk_pulls_for(b->amount, c.sum / c.n)), (double)c.longest);
    uint64_t *horizon = realloc(e->horizon, 2 * sizeof *horizon);
    if (!horizon) return mk_fail_memory(err, "horizons");
    e->horizon = horizon;
    e->n_horizons = 0;
    horizon[e->n_horizons++] = (uint64_t)planned;
    if (c.longest > horizon[0]) horizon[e->n_horizons++] = c.longest;
    return mk_trajectory_extend(p, c.longest, b->extends ? b->rule : MK_ENDS_HOLD, err);
}

/* ---- candidates ---- */

static int list_candidates(struct mk_replay *r, const struct mk_experiment *e, struct mk_error *err)
{
    const struct mk_problem *p = e->problem;
    if (p->n_arms > MK_MOST_CANDIDATES)
        return mk_fail(err, MK_EINPUT, "%s: expected at most %d arms, each of which is a candidate, got %zu", e->file,
                       MK_MOST_CANDIDATES, p->n_arms);
    if (!e->n_entries || mk_is_combined_search(e->entry[0].type))
        return mk_fail(err, MK_EINPUT, "%s: policies: expected at least one, with which others are compared", e->file);
    r->candidate = malloc((e->n_entries + p->n_arms + 1) * sizeof *r->candidate);
    if (!r->candidate) return mk_fail_memory(err, "candidates");
    for (int combined = 0; combined < 2; combined++) {
        for (size_t i = 0; i < e->n_entries; i++)
            if (mk_is_combined_search(e->entry[i].type) == combined)
                r->candidate[r->n++] =
                    (struct mk_candidate){combined ? MK_CANDIDATE_COMBINED : MK_CANDIDATE_POLICY, e->entry[i].label, i};
        for (size_t k = 0; k < p->n_arms && !combined; k++)
            r->candidate[r->n++] = (struct mk_candidate){MK_CANDIDATE_ARM, p->arm_label[k], k};
    }
    for (size_t i = 0; i < e->n_entries; i++)
        if (e->entry[i].type->flags & MK_POLICY_ORACLE)
            return mk_fail(err, MK_EINPUT,
                           "%s: policies: %s must know the best arm in advance; expected policies that can be used",
                           e->file, e->entry[i].label);
    return MK_OK;
}

/* ---- replaying ---- */

/* The largest reward, and the test score of its configuration (NaN: not known). */
struct reached {
    double best, test;
};

struct replaying {
    struct mk_replay *replay;
    const struct mk_experiment *e;
    const struct mk_replay_budget *budget;
    const struct mk_recorded_truth *first; /* the medians of the arms' first rewards */
    uint32_t **sequence;                   /* [thread][longest horizon], where costs are counted */
    uint64_t **pulls;                      /* [thread][arm of the instance], the same */
    struct reached **reached;              /* [thread][candidate] */
    double **first_tests;                  /* [thread][arm of the instance] */
    _Atomic uint64_t played, repeated;     /* pulls of policies, and those of them past the recorded ends */
};

static bool pays(const struct replaying *w, double *spent, double cost)
{
    *spent += cost;
    return *spent <= w->budget->amount * (1 + rounding);
}

/* Pulls of a series alone that the budget pays for. */
static uint64_t pulls_alone(const struct replaying *w, const struct mk_series *s)
{
    double spent = 0;
    uint64_t n = 0;
    while (n < s->length && pays(w, &spent, w->budget->costs && s->cost ? s->cost[n] : 1)) n++;
    return n;
}

/* What a series alone reaches; NaN where there is none. */
static struct reached alone(const struct replaying *w, const struct mk_series *s)
{
    struct reached x = {s->length ? -INFINITY : NAN, NAN};
    mk_series_incumbent(s, pulls_alone(w, s), &x.best, &x.test);
    return x;
}

static struct reached arm_alone(const struct replaying *w, size_t arm, size_t instance, uint64_t replication)
{
    const struct mk_instance *in = &w->e->problem->instance[instance];
    for (size_t k = 0; k < in->n_arms; k++)
        if (in->arm[k] == arm) return alone(w, mk_problem_series(w->e->problem, instance, k, replication));
    return (struct reached){NAN, NAN};
}

static struct reached combined(const struct replaying *w, size_t entry, size_t instance, uint64_t replication)
{
    const struct mk_problem *p = w->e->problem;
    const size_t search = (size_t)w->e->entry[entry].par[0];
    return alone(w, mk_problem_baseline(p, instance, search, replication));
}

/* What the first `n` arms of the sequence that the budget pays for reach. */
static struct reached follow(struct replaying *w, size_t instance, uint64_t replication, const uint32_t *sequence,
                             uint64_t n, uint64_t *pulls)
{
    const struct mk_problem *p = w->e->problem;
    const size_t n_arms = p->instance[instance].n_arms;
    struct reached x = {-INFINITY, NAN};
    double spent = 0;
    memset(pulls, 0, n_arms * sizeof *pulls);
    for (uint64_t t = 0; t < n; t++) {
        const struct mk_series *s = mk_problem_series(p, instance, sequence[t], replication);
        const uint64_t at = pulls[sequence[t]];
        if (!pays(w, &spent, s->cost[at])) break;
        pulls[sequence[t]]++;
        atomic_fetch_add(&w->played, 1);
        atomic_fetch_add(&w->repeated, at >= mk_series_recorded(s));
    }
    for (size_t k = 0; k < n_arms; k++)
        mk_series_incumbent(mk_problem_series(p, instance, k, replication), pulls[k], &x.best, &x.test);
    return x;
}

/* A policy with a budget of its own plans for that. */
static size_t horizon_of(const struct mk_experiment *e, size_t entry)
{
    const bool plans = mk_policy_needs_horizon(e->entry[entry].type, e->entry[entry].par);
    const double own = mk_policy_entry_parameter(&e->entry[entry], "budget");
    return plans && !(own > 0) ? 0 : e->n_horizons - 1;
}

static int play_policy(struct replaying *w, int thread, struct mk_worker *worker, const struct mk_play_rows *rows,
                       size_t entry, size_t instance, uint64_t replication, struct reached *to)
{
    uint32_t *sequence = w->sequence ? w->sequence[thread] : NULL;
    const size_t h = horizon_of(w->e, entry);
    const int code = mk_worker_play(worker, entry, h, h, rows, sequence);
    uint64_t n = 0;
    for (size_t k = 0; k < w->e->problem->n_arms; k++) n += rows->pulls[k];
    if (sequence) {
        if (!code) *to = follow(w, instance, replication, sequence, n, w->pulls[thread]);
        return code;
    }
    to->best = *rows->max_reward;
    if (w->e->problem->tests) to->test = mk_problem_incumbent(w->e->problem, instance, replication, rows->pulls);
    atomic_fetch_add(&w->played, n);
    atomic_fetch_add(&w->repeated, mk_problem_repeated(w->e->problem, instance, replication, rows->pulls));
    return code;
}

/* Losses of all candidates. */
static void put_losses(const struct replaying *w, const struct reached *x, double top, double base, bool of_tests,
                       double *loss)
{
    for (size_t c = 0; c < w->replay->n; c++) {
        const double value = of_tests ? x[c].test : x[c].best;
        if (!isnan(value)) loss[c] = fmin(1, mk_scaled_loss(top, base, value));
    }
}

/* The largest test score of what a series alone pulls. */
static double top_test(const struct replaying *w, const struct mk_series *s, double top)
{
    const uint64_t n = pulls_alone(w, s);
    for (uint64_t i = 0; i < n; i++) top = fmax(top, s->worth[i]);
    return top;
}

/* The same of all arms and combined searches; and the median of the test scores of the arms' first pulls. */
static void scale_tests(const struct replaying *w, size_t instance, uint64_t replication, double *first, double *top,
                        double *base)
{
    const struct mk_problem *p = w->e->problem;
    size_t n = 0;
    *top = -INFINITY;
    for (size_t k = 0; k < p->instance[instance].n_arms; k++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, replication);
        *top = top_test(w, s, *top);
        if (!isnan(s->worth[0])) first[n++] = s->worth[0];
    }
    for (size_t k = 0; k < p->n_baselines; k++)
        *top = top_test(w, mk_problem_baseline(p, instance, k, replication), *top);
    gsl_sort(first, 1, n);
    *base = n ? gsl_stats_median_from_sorted_data(first, 1, n) : -INFINITY;
}

/* What the candidates have reached becomes losses. */
static void scale(const struct replaying *w, size_t instance, uint64_t replication, const struct reached *x,
                  double *first)
{
    const struct mk_replay *r = w->replay;
    const size_t unit = instance * r->replications + replication, at = unit * r->n;
    double top = -INFINITY, base = w->first->first_median[unit];
    for (size_t c = 0; c < r->n; c++) top = fmax(top, x[c].best); /* no policy exceeds every arm alone */
    put_losses(w, x, top, base, false, r->loss + at);
    if (!r->test_loss) return;
    scale_tests(w, instance, replication, first, &top, &base);
    put_losses(w, x, top, base, true, r->test_loss + at);
    for (size_t c = 0; c < r->n; c++) r->optimism[at + c] = x[c].best - x[c].test;
    if (w->budget->tests) memcpy(r->loss + at, r->test_loss + at, r->n * sizeof *r->loss);
}

static int replay_unit(void *with, int thread, struct mk_worker *worker, const struct mk_block *b, uint64_t at)
{
    struct replaying *w = with;
    const struct mk_experiment *e = w->e;
    const struct mk_replay *r = w->replay;
    const uint64_t unit = b->first_unit + at, replication = unit % e->replications;
    const size_t instance = (size_t)(unit / e->replications);
    struct reached *x = w->reached[thread];
    int code = MK_OK;
    if (replication >= mk_problem_replications(e->problem, instance, e->replications)) return MK_OK;
    mk_worker_seek(worker, instance, replication);
    for (size_t c = 0; c < r->n && !code; c++) {
        const struct mk_candidate *of = &r->candidate[c];
        const struct mk_play_rows rows = mk_block_rows(b, e, of->kind == MK_CANDIDATE_POLICY ? of->at : 0, at);
        x[c] = (struct reached){NAN, NAN};
        if (of->kind == MK_CANDIDATE_ARM)
            x[c] = arm_alone(w, of->at, instance, replication);
        else if (of->kind == MK_CANDIDATE_COMBINED)
            x[c] = combined(w, of->at, instance, replication);
        else
            code = play_policy(w, thread, worker, &rows, of->at, instance, replication, &x[c]);
    }
    if (!code) scale(w, instance, replication, x, w->first_tests[thread]);
    return code;
}

static int no_sink(void *to, const struct mk_block *block, struct mk_error *err)
{
    (void)to;
    (void)block;
    (void)err;
    return MK_OK;
}

static int play_all(struct replaying *w, int threads, struct mk_progress *progress, struct mk_error *err)
{
    struct mk_run_context c = {0};
    int code = mk_run_context_init(&c, w->e, NULL, err);
    if (code) return code;
    const uint64_t units = mk_run_units(w->e);
    const struct mk_run_part all = {.end = units,
                                    .block_units = mk_run_block_units(&c, units, threads),
                                    .ranks = 1,
                                    .play = replay_unit,
                                    .with = w};
    mk_progress_start(progress, 0, units);
    code = mk_run_part(&c, &all, threads, no_sink, NULL, progress, err);
    mk_run_context_clear(&c);
    return code;
}

static bool make_room(struct replaying *w, int threads)
{
    const struct mk_experiment *e = w->e;
    const size_t arms = mk_run_largest_instance(e->problem), n = (size_t)threads;
    w->reached = calloc(n, sizeof *w->reached);
    w->first_tests = calloc(n, sizeof *w->first_tests);
    w->sequence = w->budget->costs ? calloc(n, sizeof *w->sequence) : NULL;
    w->pulls = w->budget->costs ? calloc(n, sizeof *w->pulls) : NULL;
    bool good = w->reached && w->first_tests && (!w->budget->costs || (w->sequence && w->pulls));
    for (int i = 0; i < threads && good; i++) {
        w->reached[i] = malloc((w->replay->n + 1) * sizeof **w->reached);
        w->first_tests[i] = malloc(arms * sizeof **w->first_tests);
        good = w->reached[i] && w->first_tests[i];
        if (!w->budget->costs || !good) continue;
        w->sequence[i] = malloc(e->horizon[e->n_horizons - 1] * sizeof **w->sequence);
        w->pulls[i] = malloc(arms * sizeof **w->pulls);
        good = w->sequence[i] && w->pulls[i];
    }
    return good;
}

static void free_room(struct replaying *w, int threads)
{
    for (int i = 0; i < threads; i++) {
        if (w->reached) free(w->reached[i]);
        if (w->first_tests) free(w->first_tests[i]);
        if (w->sequence) free(w->sequence[i]);
        if (w->pulls) free(w->pulls[i]);
    }
    free(w->reached);
    free(w->first_tests);
    free(w->sequence);
    free(w->pulls);
}

/* The numbers of all candidates on all units, NaN so far; NULL: no memory. */
static double *new_numbers(const struct mk_replay *r)
{
    const size_t n = r->n_instances * r->replications * r->n;
    double *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; x && i < n; i++) x[i] = NAN;
    return x;
}

static bool make_numbers(struct mk_replay *r, bool tests)
{
    r->loss = new_numbers(r);
    r->test_loss = tests ? new_numbers(r) : NULL;
    r->optimism = tests ? new_numbers(r) : NULL;
    return r->loss && (!tests || (r->test_loss && r->optimism));
}

static int replay(struct mk_replay *r, const struct mk_experiment *e, const struct mk_replay_budget *budget,
                  struct mk_progress *progress, struct mk_error *err)
{
    const int threads = omp_get_max_threads();
    struct mk_recorded_truth *first = NULL;
    struct replaying w = {.replay = r, .e = e, .budget = budget};
    r->n_instances = e->problem->n_instances;
    r->replications = (size_t)e->replications;
    int code = make_numbers(r, e->problem->tests) && make_room(&w, threads) ? MK_OK : mk_fail_memory(err, "candidates");
    if (!code) code = mk_recorded_truth_new(&first, e->problem, 1, e->replications, err);
    w.first = first;
    if (!code) code = play_all(&w, threads, progress, err);
    r->repeated = w.played ? (double)w.repeated / (double)w.played : 0;
    if (!code && r->repeated > 0.5)
        code =
            mk_fail(err, MK_EINPUT,
                    "%s: %.3g %% of the pulls lie past the recorded ends and repeat earlier rewards, so that policies "
                    "would look alike; use smaller budgets",
                    e->file, 100 * r->repeated);
    free_room(&w, threads);
    mk_recorded_truth_free(first);
    return code;
}

int mk_replay_new(struct mk_replay **out, struct mk_experiment *e, const struct mk_replay_budget *budget,
                  struct mk_progress *progress, struct mk_error *err)
{
    struct mk_replay *r = calloc(1, sizeof *r);
    if (!r) return mk_fail_memory(err, "candidates");
    int code = MK_OK;
    e->problem->by_cost = false; /* what the budget counts is said here */
    if (budget->tests && !e->problem->tests)
        code = mk_fail(err, MK_EINPUT, "%s: has no test scores (column test_reward or test_loss)", e->problem->file);
    if (!code && budget->costs) code = plan_costs(e, budget, err);
    if (!code) code = list_candidates(r, e, err);
    if (!code) code = replay(r, e, budget, progress, err);
    if (!code) r->planned = e->horizon[0];
    *out = code ? NULL : r;
    if (code) mk_replay_free(r);
    return code;
}

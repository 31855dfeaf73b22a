#include "analysis/compare/replay.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

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
    const double planned = fmin(fmax(1, floor(b->amount / (c.sum / c.n))), (double)c.longest);
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

struct replaying {
    struct mk_replay *replay;
    const struct mk_experiment *e;
    const struct mk_replay_budget *budget;
    const struct mk_recorded_truth *first; /* the medians of the arms' first rewards */
    uint32_t **sequence;                   /* [thread][longest horizon], where costs are counted */
    uint64_t **pulls;                      /* [thread][arm of the instance], the same */
    _Atomic uint64_t played, repeated;     /* pulls of policies, and those of them past the recorded ends */
};

static bool pays(const struct replaying *w, double *spent, double cost)
{
    *spent += cost;
    return *spent <= w->budget->amount * (1 + rounding);
}

/* The largest reward of a series alone; NaN where there is none. */
static double alone(const struct replaying *w, const struct mk_series *s)
{
    double best = s->length ? -INFINITY : NAN, spent = 0;
    for (size_t n = 0; n < s->length && pays(w, &spent, w->budget->costs && s->cost ? s->cost[n] : 1); n++)
        best = s->reward[n] > best ? s->reward[n] : best;
    return best;
}

static double arm_alone(const struct replaying *w, size_t arm, size_t instance, uint64_t replication)
{
    const struct mk_instance *in = &w->e->problem->instance[instance];
    for (size_t k = 0; k < in->n_arms; k++)
        if (in->arm[k] == arm) return alone(w, mk_problem_series(w->e->problem, instance, k, replication));
    return NAN;
}

static double combined(const struct replaying *w, size_t entry, size_t instance, uint64_t replication)
{
    const struct mk_problem *p = w->e->problem;
    const size_t search = (size_t)w->e->entry[entry].par[0];
    return alone(w, mk_problem_baseline(p, instance, search, replication));
}

/* The largest reward of the first `n` arms of the sequence that the budget pays for. */
static double follow(struct replaying *w, size_t instance, uint64_t replication, const uint32_t *sequence, uint64_t n,
                     uint64_t *pulls)
{
    const struct mk_problem *p = w->e->problem;
    double best = -INFINITY, spent = 0;
    memset(pulls, 0, p->instance[instance].n_arms * sizeof *pulls);
    for (uint64_t t = 0; t < n; t++) {
        const struct mk_series *s = mk_problem_series(p, instance, sequence[t], replication);
        const uint64_t at = pulls[sequence[t]]++;
        if (!pays(w, &spent, s->cost[at])) break;
        atomic_fetch_add(&w->played, 1);
        atomic_fetch_add(&w->repeated, at >= mk_series_recorded(s));
        best = s->reward[at] > best ? s->reward[at] : best;
    }
    return best;
}

/* A policy with a budget of its own plans for that. */
static size_t horizon_of(const struct mk_experiment *e, size_t entry)
{
    const bool plans = mk_policy_needs_horizon(e->entry[entry].type, e->entry[entry].par);
    const double own = mk_policy_entry_parameter(&e->entry[entry], "budget");
    return plans && !(own > 0) ? 0 : e->n_horizons - 1;
}

static int play_policy(struct replaying *w, int thread, struct mk_worker *worker, const struct mk_play_rows *rows,
                       size_t entry, size_t instance, uint64_t replication, double *best)
{
    uint32_t *sequence = w->sequence ? w->sequence[thread] : NULL;
    const size_t h = horizon_of(w->e, entry);
    const int code = mk_worker_play(worker, entry, h, h, rows, sequence);
    uint64_t n = 0;
    *best = *rows->max_reward;
    for (size_t k = 0; k < w->e->problem->n_arms; k++) n += rows->pulls[k];
    if (sequence) {
        if (!code) *best = follow(w, instance, replication, sequence, n, w->pulls[thread]);
        return code;
    }
    atomic_fetch_add(&w->played, n);
    atomic_fetch_add(&w->repeated, mk_problem_repeated(w->e->problem, instance, replication, rows->pulls));
    return code;
}

/* Values become losses. */
static void scale(const struct replaying *w, size_t instance, uint64_t replication, double *value)
{
    const struct mk_replay *r = w->replay;
    const double base = w->first->first_median[instance * r->replications + replication];
    double top = -INFINITY;
    for (size_t c = 0; c < r->n; c++) top = fmax(top, value[c]); /* no policy exceeds every arm alone */
    for (size_t c = 0; c < r->n; c++)
        if (!isnan(value[c])) value[c] = fmin(1, mk_scaled_loss(top, base, value[c]));
}

static int replay_unit(void *with, int thread, struct mk_worker *worker, const struct mk_block *b, uint64_t at)
{
    struct replaying *w = with;
    const struct mk_experiment *e = w->e;
    const struct mk_replay *r = w->replay;
    const uint64_t unit = b->first_unit + at, replication = unit % e->replications;
    const size_t instance = (size_t)(unit / e->replications);
    double *value = r->loss + unit * r->n;
    int code = MK_OK;
    if (replication >= mk_problem_replications(e->problem, instance, e->replications)) return MK_OK;
    mk_worker_seek(worker, instance, replication);
    for (size_t c = 0; c < r->n && !code; c++) {
        const struct mk_candidate *of = &r->candidate[c];
        const struct mk_play_rows rows = mk_block_rows(b, e, of->kind == MK_CANDIDATE_POLICY ? of->at : 0, at);
        if (of->kind == MK_CANDIDATE_ARM)
            value[c] = arm_alone(w, of->at, instance, replication);
        else if (of->kind == MK_CANDIDATE_COMBINED)
            value[c] = combined(w, of->at, instance, replication);
        else
            code = play_policy(w, thread, worker, &rows, of->at, instance, replication, &value[c]);
    }
    if (!code) scale(w, instance, replication, value);
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
    if (!w->budget->costs) return true;
    w->sequence = calloc((size_t)threads, sizeof *w->sequence);
    w->pulls = calloc((size_t)threads, sizeof *w->pulls);
    bool good = w->sequence && w->pulls;
    for (int i = 0; i < threads && good; i++) {
        w->sequence[i] = malloc(e->horizon[e->n_horizons - 1] * sizeof **w->sequence);
        w->pulls[i] = malloc(mk_run_largest_instance(e->problem) * sizeof **w->pulls);
        good = w->sequence[i] && w->pulls[i];
    }
    return good;
}

static int replay(struct mk_replay *r, const struct mk_experiment *e, const struct mk_replay_budget *budget,
                  struct mk_progress *progress, struct mk_error *err)
{
    const int threads = omp_get_max_threads();
    struct mk_recorded_truth *first = NULL;
    struct replaying w = {.replay = r, .e = e, .budget = budget};
    r->n_instances = e->problem->n_instances;
    r->replications = (size_t)e->replications;
    const size_t values = r->n_instances * r->replications * r->n;
    r->loss = malloc((values + 1) * sizeof *r->loss);
    int code = r->loss && make_room(&w, threads) ? MK_OK : mk_fail_memory(err, "candidates");
    for (size_t i = 0; i < values && !code; i++) r->loss[i] = NAN;
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
    for (int i = 0; i < threads; i++) {
        if (w.sequence) free(w.sequence[i]);
        if (w.pulls) free(w.pulls[i]);
    }
    free(w.sequence);
    free(w.pulls);
    mk_recorded_truth_free(first);
    return code;
}

int mk_replay_new(struct mk_replay **out, struct mk_experiment *e, const struct mk_replay_budget *budget,
                  struct mk_progress *progress, struct mk_error *err)
{
    struct mk_replay *r = calloc(1, sizeof *r);
    if (!r) return mk_fail_memory(err, "candidates");
    int code = budget->costs ? plan_costs(e, budget, err) : MK_OK;
    if (!code) code = list_candidates(r, e, err);
    if (!code) code = replay(r, e, budget, progress, err);
    if (!code) r->planned = e->horizon[0];
    *out = code ? NULL : r;
    if (code) mk_replay_free(r);
    return code;
}

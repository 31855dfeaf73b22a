#include "sim/run/engine/run.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/candidates.h"
#include "policies/play/leave_loop.h"
#include "policies/play/per_pull_loop.h"
#include "policies/play/record_loop.h"
#include "policies/play/repeat_loop.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/progress.h"
#include "sim/base/text.h"
#include "sim/run/engine/label_shares.h"
#include "sim/run/engine/other_runs.h"
#include "sim/run/experiment/combined_search.h"

/* Rounds between two checks whether memory is exhausted; in a search, whose evaluations may take seconds, also whether
 * to stop. */
enum { STRETCH = 1 << 22, SLOW_STRETCH = 1 };
enum { LOG_TABLE = 1 << 20, BLOCK_BYTES = 16 << 20, LEAST_ROUNDS = 4 };

/* What a signal handler, which gets no context, can reach. */
static atomic_bool stop_asked, stop_seen;

/* ---- shared context ---- */

static bool any_entry(const struct mk_experiment *e, bool (*asks)(const struct mk_policy_type *, const double *))
{
    for (size_t i = 0; i < e->n_entries; i++)
        if (asks(e->entry[i].type, e->entry[i].par)) return true;
    return false;
}

int mk_run_context_init(struct mk_run_context *c, const struct mk_experiment *e, const struct mk_truth *f,
                        struct mk_error *err)
{
    uint64_t longest = mk_experiment_rounds(e);
    c->experiment = e;
    c->truth = f;
    c->tournament_from = 0;
    c->label_share = NULL;
    c->runs = NULL;
    c->log_len = (longest < LOG_TABLE ? longest : LOG_TABLE) + 1;
    c->log = malloc(c->log_len * sizeof *c->log);
    c->engine = malloc(e->n_entries * sizeof *c->engine);
    if (!c->log || !c->engine) {
        mk_run_context_clear(c);
        return mk_fail_memory(err, "the table of logarithms");
    }
    for (size_t i = 0; i < e->n_entries; i++) c->engine[i] = MK_ENGINE_PER_PULL;
    c->log[0] = 0;
    for (uint64_t t = 1; t < c->log_len; t++) c->log[t] = log((double)t);
    int code = any_entry(e, mk_policy_by_label) ? mk_label_shares_new(&c->label_share, e->problem, err) : MK_OK;
    if (!code && any_entry(e, mk_policy_by_runs)) code = mk_other_runs_new(&c->runs, e->problem, err);
    if (code) mk_run_context_clear(c);
    return code;
}

void mk_run_context_clear(struct mk_run_context *c)
{
    free(c->log);
    free(c->engine);
    free(c->label_share);
    mk_candidates_free(c->runs);
    c->label_share = NULL;
    c->runs = NULL;
    c->log = NULL;
    c->engine = NULL;
}

/* Why the record engine cannot play this entry, or NULL. */
static const char *no_records(const struct mk_policy_entry *entry)
{
    const struct mk_policy_type *type = entry->type;
    if (!type->play_records) return "needs every reward, or cannot play from records";
    return type->no_records ? type->no_records(entry->par) : NULL;
}

bool mk_run_has_records(const struct mk_policy_entry *entry)
{
    return !no_records(entry);
}

int mk_run_choose(struct mk_run_context *c, enum mk_engine choice, struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    const bool by_cost = e->problem->by_cost;
    uint64_t longest = e->horizon[e->n_horizons - 1];
    int pays = e->problem->source->known && !by_cost && longest >= MK_RECORD_PAYS && longest <= MK_RECORD_LAST;
    if (choice == MK_ENGINE_RECORD && by_cost)
        return mk_fail(err, MK_EINPUT, "%s: engine record: expected horizons in pulls, got horizon_unit: cost",
                       e->file);
    if (choice == MK_ENGINE_RECORD && longest > MK_RECORD_LAST)
        return mk_fail(err, MK_EINPUT, "%s: engine record: horizon %llu: pulls are counted exactly only up to 2^53",
                       e->file, (unsigned long long)longest);
    if (choice == MK_ENGINE_RECORD && !e->problem->source->record_tape)
        return mk_fail(err, MK_EINPUT,
                       "%s: engine record: records need identically distributed rewards, unlike those of %s; "
                       "use engine auto",
                       e->file, e->problem->source->key);
    for (size_t i = 0; i < e->n_entries; i++) {
        const char *why_not = no_records(&e->entry[i]);
        if (choice == MK_ENGINE_RECORD && why_not && !mk_is_combined_search(e->entry[i].type))
            return mk_fail(err, MK_EINPUT, "%s: engine record: policy %s: %s; use engine auto", e->file,
                           e->entry[i].label, why_not);
        int record = choice == MK_ENGINE_RECORD || (choice == MK_ENGINE_AUTO && pays && !why_not);
        c->engine[i] = record ? MK_ENGINE_RECORD : MK_ENGINE_PER_PULL;
    }
    return MK_OK;
}

const char *mk_run_engine_name(const struct mk_run_context *c, size_t entry)
{
    return c->engine[entry] == MK_ENGINE_RECORD ? "record" : "per-pull";
}

/* ---- how many units, steps and pulls a run has, and how many units a block ---- */

/* Target size of a block, which limits what an interruption can lose: about block_pulls pulls (seconds of one
 * processor), but at least LEAST_ROUNDS units per thread. One horizon takes the record engine about as long as
 * record_worth pulls take the other. */
static const double block_pulls = 1e7, record_worth = 2e4;

/* With the engines c->engine; NULL: counts plain pulls. */
static double pulls_of_unit(const struct mk_experiment *e, const enum mk_engine *engine)
{
    double pulls = 0;
    for (size_t i = 0; i < e->n_entries; i++) {
        const bool per_horizon = mk_policy_needs_horizon(e->entry[i].type, e->entry[i].par);
        for (size_t h = per_horizon ? 0 : e->n_horizons - 1; h < e->n_horizons; h++) {
            const double horizon = (double)mk_experiment_planned(e, h);
            pulls += engine && engine[i] == MK_ENGINE_RECORD && horizon > record_worth ? record_worth : horizon;
        }
    }
    return pulls;
}

double mk_run_pulls(const struct mk_experiment *e)
{
    return pulls_of_unit(e, NULL);
}

uint64_t mk_run_units(const struct mk_experiment *e)
{
    return e->replications * e->problem->n_instances;
}

uint64_t mk_run_steps(const struct mk_experiment *e)
{
    const uint64_t evaluations = mk_problem_evaluations(e->problem);
    return evaluations ? evaluations : 1;
}

static uint64_t overlap(uint64_t first, uint64_t end, uint64_t from, uint64_t to)
{
    const uint64_t low = first > from ? first : from, high = end < to ? end : to;
    return low < high ? high - low : 0;
}

uint64_t mk_run_played(const struct mk_experiment *e, uint64_t first, uint64_t end)
{
    uint64_t played = end - first;
    for (size_t i = 0; i < e->problem->n_instances; i++) {
        const uint64_t from = i * e->replications, own = mk_problem_replications(e->problem, i, e->replications);
        played -= overlap(first, end, from + own, from + e->replications);
    }
    return played;
}

uint64_t mk_run_block_units(const struct mk_run_context *c, uint64_t all, int threads)
{
    const struct mk_experiment *e = c->experiment;
    uint64_t per_unit = (uint64_t)e->n_entries * e->n_horizons * (e->problem->n_arms + 1) * sizeof(uint64_t) +
                        mk_problem_row(e->problem) * sizeof(double);
    uint64_t units = BLOCK_BYTES / per_unit;
    double worth = block_pulls / pulls_of_unit(e, c->engine);
    if (worth < LEAST_ROUNDS * threads) worth = LEAST_ROUNDS * threads;
    if ((double)units > worth) units = (uint64_t)worth;
    return units < 1 ? 1 : units < all ? units : all;
}

/* ---- one thread ---- */

size_t mk_run_largest_instance(const struct mk_problem *p)
{
    size_t arms = 1;
    for (size_t i = 0; i < p->n_instances; i++)
        if (p->instance[i].n_arms > arms) arms = p->instance[i].n_arms;
    return arms;
}

uint64_t mk_run_tape_most(const struct mk_experiment *e)
{
    const double T = (double)mk_experiment_rounds(e);
    return (uint64_t)mk_reward_tape_most(T, (double)mk_run_largest_instance(e->problem));
}

struct mk_worker {
    const struct mk_run_context *context;
    struct mk_reward_tape *tape;
    struct mk_record_tape *records;  /* NULL where nothing is played from records */
    struct mk_record_cursor *cursor; /* [arms] of the instance */
    struct mk_setup setup;
    struct mk_pcg64 rng;
    uint64_t *pulls;           /* [arms] of the instance */
    struct mk_leaving leaving; /* where arms leave or horizons are costs */
    double par[MK_MAX_PARAMS]; /* of a policy whose budget is the horizon */
    uint64_t *length;          /* [arms] of the instance, recorded; NULL: neither */
    double *worth;             /* [arms] of the instance, E[M(T)]; the same */
    struct mk_repeats repeats; /* left is NULL unless the searches have a prior */
    double *cost;              /* [arms] of the instance */
    const double **pull_cost;  /* [arms] of the instance */
    double *label_share;       /* [arms] of the instance */
    double *combined;          /* [n_baselines][budget] of combined searches at work, the parts of a row
                                  (mk_problem_row); NULL where there are none */
    void *state;
    size_t state_room;
    bool cut; /* the current unit was abandoned, after mk_run_stop */

    struct mk_progress *progress; /* NULL: none */
    const struct mk_policy_entry *plays;
    uint64_t last;  /* round to play to */
    double started; /* mk_seconds() at the first one */
};

static bool plays_records(const struct mk_run_context *c)
{
    bool plays = c->experiment->rare_events > 0;
    for (size_t i = 0; i < c->experiment->n_entries; i++) plays |= c->engine[i] == MK_ENGINE_RECORD;
    return plays;
}

/* Rounds of a policy without a pull, of the instance with the most. */
static uint64_t most_repeats(const struct mk_problem *p)
{
    const struct mk_searches *s = mk_problem_searches(p);
    uint64_t most = 0;
    for (size_t i = 0; s && s->prior && i < p->n_instances; i++) {
        const uint64_t n = mk_prior_repeats(s->prior[i], p->n_arms);
        most = n > most ? n : most;
    }
    return most;
}

const struct mk_candidates *mk_run_candidates(const struct mk_run_context *c, const struct mk_policy_entry *entry)
{
    return mk_policy_by_runs(entry->type, entry->par) ? c->runs : entry->candidates;
}

/* Memory for the state of any policy; w->state is NULL if there is none. */
static void make_state(struct mk_worker *w, const struct mk_experiment *e)
{
    for (size_t i = 0; i < e->n_entries; i++) {
        w->setup.par = e->entry[i].par;
        w->setup.candidates = mk_run_candidates(w->context, &e->entry[i]);
        size_t bytes = e->entry[i].type->state_size(&w->setup);
        if (bytes > w->state_room) w->state_room = bytes;
    }
    w->state_room = (w->state_room + 127) & ~(size_t)63;
    w->state = aligned_alloc(64, w->state_room);
}

static bool make_leaving(struct mk_worker *w, size_t arms)
{
    w->length = malloc(arms * sizeof *w->length);
    w->worth = malloc(arms * sizeof *w->worth);
    return mk_leaving_alloc(&w->leaving, arms) && w->length && w->worth;
}

int mk_worker_new(struct mk_worker **out, const struct mk_run_context *c, struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    struct mk_worker *w = calloc(1, sizeof *w);
    if (!w) return mk_fail_memory(err, "a worker");
    const size_t arms = mk_run_largest_instance(e->problem);
    const struct mk_searches *searches = mk_problem_searches(e->problem);
    const bool repeats = searches && searches->prior, combined = searches && e->problem->n_baselines;
    w->context = c;
    w->pulls = malloc(arms * sizeof *w->pulls);
    w->cursor = malloc(arms * sizeof *w->cursor);
    w->cost = malloc(arms * sizeof *w->cost);
    w->pull_cost = malloc(arms * sizeof *w->pull_cost);
    w->label_share = malloc(arms * sizeof *w->label_share);
    if (repeats) w->repeats.left = malloc(arms * sizeof *w->repeats.left);
    const bool good = !(e->problem->leaves || e->problem->by_cost) || make_leaving(w, arms);
    if (combined)
        w->combined = malloc(mk_problem_row(e->problem) / (e->problem->n_arms + e->problem->n_baselines) *
                             e->problem->n_baselines * sizeof *w->combined);
    w->setup = (struct mk_setup){.arms = arms,
                                 .horizon = mk_experiment_rounds(e) + most_repeats(e->problem),
                                 .rng = &w->rng,
                                 .cost = w->cost,
                                 .log = c->log,
                                 .log_len = c->log_len,
                                 .tournament_from = c->tournament_from};
    int code = mk_reward_tape_new(&w->tape, e->problem, e->seed, err);
    if (!code) mk_reward_tape_limit(w->tape, mk_run_tape_most(e), w->pulls);
    if (!code && plays_records(c)) code = mk_record_tape_new(&w->records, w->tape, err);
    if (!code) make_state(w, e);
    if (!code && !(w->pulls && w->cursor && w->cost && w->pull_cost && w->label_share && w->state && good &&
                   (w->repeats.left || !repeats) && (w->combined || !combined)))
        code = mk_fail_memory(err, "a worker");
    if (code)
        mk_worker_free(w);
    else
        *out = w;
    return code;
}

void mk_worker_free(struct mk_worker *w)
{
    if (!w) return;
    mk_record_tape_free(w->records);
    mk_reward_tape_free(w->tape);
    free(w->pulls);
    free(w->cursor);
    free(w->repeats.left);
    mk_leaving_free(&w->leaving);
    free(w->length);
    free(w->worth);
    free(w->cost);
    free(w->pull_cost);
    free(w->label_share);
    free(w->combined);
    free(w->state);
    free(w);
}

struct mk_reward_tape *mk_worker_tape(struct mk_worker *w)
{
    return w->tape;
}

void mk_worker_seek(struct mk_worker *w, size_t instance, uint64_t replication)
{
    const struct mk_problem *p = w->context->experiment->problem;
    const struct mk_instance *in = &p->instance[instance];
    mk_reward_tape_seek(w->tape, instance, replication);
    if (w->records) mk_record_tape_seek(w->records);
    w->cut = false;
    w->setup.arms = in->n_arms;
    for (size_t k = 0; k < in->n_arms; k++) w->cost[k] = p->cost[in->arm[k]];
    const double *share = w->context->label_share;
    for (size_t k = 0; share && k < in->n_arms; k++) w->label_share[k] = share[instance * p->n_arms + in->arm[k]];
    w->setup.label_share = share ? w->label_share : NULL;
    for (size_t k = 0; w->length && k < in->n_arms; k++)
        w->length[k] = in->series ? mk_series_recorded(mk_problem_series(p, instance, k, replication)) : UINT64_MAX;
    w->setup.pull_cost = NULL;
    if (mk_problem_in_part(p)) {
        for (size_t k = 0; k < in->n_arms; k++) w->pull_cost[k] = w->tape->arm[k].cost;
        w->setup.pull_cost = w->pull_cost;
    } else if (in->series && mk_problem_series(p, instance, 0, replication)->cost) {
        for (size_t k = 0; k < in->n_arms; k++) w->pull_cost[k] = mk_problem_series(p, instance, k, replication)->cost;
        w->setup.pull_cost = w->pull_cost;
    }
}

struct mk_record_tape *mk_worker_records(struct mk_worker *w)
{
    return w->records;
}

static size_t position_of(const struct mk_instance *in, size_t arm)
{
    for (size_t k = 0; k < in->n_arms; k++)
        if (in->arm[k] == arm) return k;
    return in->n_arms;
}

/* The horizon that a policy is given; one that plans for no number of pulls has room for this many. */
static uint64_t horizon_of(const struct mk_experiment *e, const struct mk_policy_entry *entry, size_t h)
{
    if (!e->problem->by_cost) return e->horizon[h];
    return mk_experiment_plans(e, entry) ? mk_experiment_planned(e, h) : mk_experiment_rounds(e);
}

/* Where horizons are costs, a policy that plans for a budget gets that of its run. */
static void set_budget(struct mk_worker *w, const struct mk_policy_entry *entry, size_t h)
{
    const struct mk_experiment *e = w->context->experiment;
    const int at = mk_param_find(entry->type->params, "budget");
    if (!e->problem->by_cost || at < 0 || !mk_policy_needs_horizon(entry->type, entry->par)) return;
    memcpy(w->par, entry->par, sizeof w->par);
    w->par[at] = mk_horizon_amount(e->problem->cost_parts, e->horizon[h]);
    w->setup.par = w->par;
}

/* Prepare the current unit for a run of this entry that ends at horizon h. */
static void start(struct mk_worker *w, const struct mk_policy_entry *entry, size_t h)
{
    const struct mk_run_context *c = w->context;
    size_t instance = w->tape->instance;
    mk_pcg64_from_key(&w->rng, mk_key_text(mk_reward_tape_key(w->tape), entry->type->name));
    w->setup.par = entry->par;
    w->setup.candidates = mk_run_candidates(c, entry);
    w->setup.instance = instance;
    w->setup.horizon = horizon_of(c->experiment, entry, h);
    set_budget(w, entry, h);
    if (w->repeats.left) {
        const struct mk_prior_arm *arm = c->experiment->problem->searches->prior[instance];
        for (size_t k = 0; k < w->setup.arms; k++) w->repeats.left[k] = arm[k].repeats;
        w->setup.horizon += mk_prior_repeats(arm, w->setup.arms);
        w->repeats.round = 0;
    }
    const struct mk_instance *in = &c->experiment->problem->instance[instance];
    const bool oracle = entry->type->flags & MK_POLICY_ORACLE;
    w->setup.best_arm = oracle ? position_of(in, mk_truth_best(c->truth, instance, h)) : w->setup.arms;
    entry->type->init(w->state, &w->setup);
    if (!w->length) return;
    for (size_t k = 0; oracle && k < in->n_arms; k++)
        w->worth[k] = c->truth->expected_max[mk_truth_at(c->truth, instance, h, in->arm[k])];
    w->leaving.type = entry->type;
    w->leaving.state = w->state;
    w->leaving.state_room = w->state_room;
    w->leaving.all = &w->setup;
    w->leaving.length = w->length;
    w->leaving.worth = oracle ? w->worth : NULL;
    mk_leaving_start(&w->leaving);
}

static void play_leaving(struct mk_worker *w, struct mk_play *play, uint64_t first, uint64_t last)
{
    mk_play_leaving(&w->leaving, play, first, last);
    w->state = w->leaving.state;
    w->state_room = w->leaving.state_room;
}

/* Nothing is played: the values of the file. */
static void read_combined_search(const struct mk_worker *w, const struct mk_policy_entry *entry, size_t first,
                                 size_t last, const struct mk_play_rows *rows)
{
    const struct mk_experiment *e = w->context->experiment;
    for (size_t h = first; h <= last; h++) {
        memset(rows->pulls + (h - first) * rows->pulls_stride, 0, e->problem->n_arms * sizeof *rows->pulls);
        rows->max_reward[(h - first) * rows->max_stride] = mk_combined_search_best(
            e->problem, (size_t)entry->par[0], w->tape->instance, w->tape->replication, e->horizon[h]);
    }
}

/* From records a replication costs what its changes of arm do: how many there will be depends on its rewards. */
static void look(void *worker, uint64_t t)
{
    enum { LOOK_S = 3, TELL_S = 60 };
    const struct mk_worker *w = worker;
    if (!w->progress || !w->progress->slow) return;
    const double passed = mk_seconds() - w->started, whole = passed * (double)w->last / (double)t;
    if (passed < LOOK_S || whole < TELL_S || atomic_exchange(&w->progress->told, true)) return;
    char label[MK_CLIP_ROOM], text[256];
    snprintf(
        text, sizeof text,
        "%s: %.2g of %g rounds of a replication in %.0f seconds, since the arm changes so often; at this pace it takes "
        "%.0f %s",
        mk_clip(w->plays->label, label), (double)t, (double)w->last, passed, whole / (whole < 7200 ? 60 : 3600),
        whole < 7200 ? "minutes" : "hours");
    w->progress->slow(text);
}

/* To a cost, from where the last call has ended; a policy that plans for a number of pulls makes no more. */
static void play_cost(struct mk_worker *w, const struct mk_policy_entry *entry, struct mk_play *play, size_t h)
{
    const struct mk_experiment *e = w->context->experiment;
    uint64_t made = 0;
    if (mk_run_stopped()) play->cut = true;
    for (size_t k = 0; k < w->setup.arms; k++) made += w->pulls[k];
    w->leaving.most = mk_affordable(e->problem, e->horizon[h]);
    if (!play->cut) play_leaving(w, play, made + 1, horizon_of(e, entry, h));
    w->cut |= play->cut;
}

/* In stretches, to notice a signal or exhausted memory within a long replication; the results of a block with an
 * abandoned unit are dropped. */
static void play_pulls(struct mk_worker *w, const struct mk_policy_entry *entry, struct mk_play *play, uint64_t first,
                       uint64_t last)
{
    const bool plugin = !entry->type->play; /* whose rounds may take any time */
    const uint64_t stretch = w->tape->bench || plugin ? SLOW_STRETCH : STRETCH;
    for (uint64_t t = first; t <= last && !w->tape->rewards.failed;) {
        if (play->cut || mk_run_stopped()) {
            w->cut = true;
            return;
        }
        uint64_t end = last - t < stretch ? last : t + stretch - 1;
        if (w->length)
            play_leaving(w, play, t, end);
        else if (w->repeats.left)
            mk_play_repeats(entry->type, w->state, play, &w->repeats, t, end);
        else if (entry->type->play)
            entry->type->play(w->state, play, t, end);
        else
            mk_play_rounds(w->state, play, t, end, entry->type->select, entry->type->update, NULL, NULL);
        t = end + 1;
    }
    w->cut |= play->cut;
}

struct mk_block_size mk_run_block_size(const struct mk_experiment *e, bool weights)
{
    return (struct mk_block_size){e->n_entries * e->n_horizons, e->problem->n_arms, mk_problem_row(e->problem),
                                  weights};
}

struct mk_play_rows mk_block_rows(const struct mk_block *b, const struct mk_experiment *e, size_t entry, uint64_t at)
{
    const size_t arms = e->problem->n_arms, cell = entry * e->n_horizons * b->n_units + at;
    return (struct mk_play_rows){b->pulls + cell * arms, b->n_units * arms, b->max_reward + cell, b->n_units};
}

/* The row of a horizon from the worker's pulls. */
static void put_row(const struct mk_worker *w, const struct mk_play_rows *rows, size_t row, double max_reward)
{
    const struct mk_problem *p = w->context->experiment->problem;
    const struct mk_instance *in = &p->instance[w->tape->instance];
    uint64_t *pulls = rows->pulls + row * rows->pulls_stride;
    memset(pulls, 0, p->n_arms * sizeof *pulls);
    for (size_t k = 0; k < in->n_arms; k++) pulls[in->arm[k]] = w->pulls[k];
    rows->max_reward[row * rows->max_stride] = max_reward;
}

/* A combined search at work: its rewards are kept for the block. */
static int play_combined_search(struct mk_worker *w, size_t search, size_t first, size_t last,
                                const struct mk_play_rows *rows)
{
    const struct mk_experiment *e = w->context->experiment;
    const struct mk_searches *s = e->problem->searches;
    double *reward = w->combined + search * s->budget, best = -INFINITY;
    const uint64_t part = s->n_combined * s->budget;
    double *cost = s->in_part ? reward + part : NULL;
    double *noise_free = s->noisy ? reward + (s->in_part ? 2 : 1) * part : NULL;
    struct mk_reward_tape *tape = w->tape;
    struct mk_pull pull;
    uint64_t t = 0;
    memset(w->pulls, 0, w->setup.arms * sizeof *w->pulls);
    mk_search_restart_combined(tape->bench, search);
    for (size_t h = first; h <= last; h++) {
        for (; t < e->horizon[h] && !tape->rewards.failed && !w->cut; t++) {
            w->cut = mk_run_stopped();
            tape->rewards.failed = mk_search_pull(tape->bench, s->n_arms + search, &pull, &tape->why) != MK_OK;
            if (tape->rewards.failed) break;
            reward[t] = pull.reward;
            if (cost) cost[t] = e->problem->cost[pull.arm] * pull.cost;
            if (noise_free) noise_free[t] = pull.noise_free;
            best = pull.reward > best ? pull.reward : best;
            w->pulls[pull.arm]++;
            mk_reward_tape_evaluated(tape);
        }
        put_row(w, rows, h - first, best);
    }
    return tape->rewards.failed ? MK_EFAIL : MK_OK;
}

int mk_worker_play(struct mk_worker *w, size_t entry_at, size_t first, size_t last, const struct mk_play_rows *rows,
                   uint32_t *sequence)
{
    const struct mk_experiment *e = w->context->experiment;
    const struct mk_policy_entry *entry = &e->entry[entry_at];
    const bool per_horizon = mk_policy_needs_horizon(entry->type, entry->par);
    const bool from_records = !sequence && w->context->engine[entry_at] == MK_ENGINE_RECORD;
    if (mk_is_combined_search(entry->type)) {
        read_combined_search(w, entry, first, last, rows);
        return MK_OK;
    }
    if (entry->type == &mk_combined_search_live)
        return play_combined_search(w, (size_t)entry->par[0], first, last, rows);
    struct mk_play play = {
        .rewards = &w->tape->rewards, .pulls = w->pulls, .sequence = sequence, .stopped = mk_run_stopped};
    struct mk_record_play record_play = {.records = w->records ? &w->records->records : NULL,
                                         .pulls = w->pulls,
                                         .at = w->cursor,
                                         .stopped = mk_run_stopped,
                                         .look = look,
                                         .looker = w};
    uint64_t t = 1;
    w->plays = entry;
    for (size_t h = first; h <= last; h++) {
        if (per_horizon || h == first) {
            start(w, entry, per_horizon ? h : last);
            memset(w->pulls, 0, w->setup.arms * sizeof *w->pulls);
            play.best = -INFINITY;
            if (from_records) mk_record_play_start(&record_play, w->setup.arms);
            w->last = e->problem->by_cost ? mk_experiment_rounds(e) : e->horizon[per_horizon ? h : last];
            w->started = mk_seconds();
            t = 1;
        }
        if (e->problem->by_cost)
            play_cost(w, entry, &play, h);
        else if (!from_records)
            play_pulls(w, entry, &play, t, e->horizon[h]);
        else if (!mk_run_stopped())
            entry->type->play_records(w->state, &record_play, t, e->horizon[h]);
        w->cut |= from_records && mk_run_stopped();
        t = e->horizon[h] + 1;
        put_row(w, rows, h - first, from_records ? record_play.best : play.best);
    }
    return w->tape->rewards.failed || (w->records && w->records->records.failed) ? MK_EFAIL : MK_OK;
}

/* ---- all threads ---- */

void mk_run_stop(void)
{
    atomic_store(&stop_asked, true);
}

void mk_run_stop_reset(void)
{
    atomic_store(&stop_asked, false);
    atomic_store(&stop_seen, false);
}

bool mk_run_stopped(void)
{
    return atomic_load(&stop_asked);
}

int mk_run_end_stopped(struct mk_error *err)
{
    atomic_store(&stop_seen, true);
    return mk_fail(err, MK_ESTOPPED, "stopped on request");
}

bool mk_run_stop_seen(void)
{
    return atomic_load(&stop_seen);
}

/* A repetition that the instance does not have: no pulls, no reward. */
static void leave_blank(const struct mk_experiment *e, const struct mk_block *b, uint64_t at)
{
    for (size_t i = 0; i < e->n_entries; i++) {
        const struct mk_play_rows rows = mk_block_rows(b, e, i, at);
        for (size_t h = 0; h < e->n_horizons; h++) {
            memset(rows.pulls + h * rows.pulls_stride, 0, e->problem->n_arms * sizeof *rows.pulls);
            rows.max_reward[h * rows.max_stride] = NAN;
        }
    }
}

/* The row of all searches; those of the arms continue to the largest horizon, whatever the policies pulled. */
static int finish_row(struct mk_worker *w, double *row)
{
    const struct mk_problem *p = w->context->experiment->problem;
    const uint64_t length = p->searches->budget, combined = p->n_baselines * length;
    if (w->cut) return MK_OK;
    w->cut = !mk_reward_tape_finish(w->tape, mk_run_stopped, row);
    for (int part = 0; combined && part <= p->searches->in_part + p->searches->noisy;
         part++, row += mk_problem_evaluations(p))
        memcpy(row + p->n_arms * length, w->combined + (uint64_t)part * combined, combined * sizeof *row);
    return w->tape->rewards.failed ? MK_EFAIL : MK_OK;
}

static int play_unit(void *with, int thread, struct mk_worker *w, const struct mk_block *b, uint64_t at)
{
    (void)with;
    (void)thread;
    const struct mk_experiment *e = w->context->experiment;
    uint64_t unit = b->first_unit + at;
    int code = MK_OK;
    const size_t instance = (size_t)(unit / e->replications);
    if (unit % e->replications >= mk_problem_replications(e->problem, instance, e->replications)) {
        leave_blank(e, b, at);
        return MK_OK;
    }
    mk_worker_seek(w, instance, unit % e->replications);
    /* Units are played in order: hardly any thread still reads the previous instance. */
    if (unit % e->replications == 0 && instance > 0) mk_problem_release(e->problem, instance - 1);
    for (size_t i = 0; i < e->n_entries && !code && !w->cut; i++) {
        const struct mk_play_rows rows = mk_block_rows(b, e, i, at);
        code = mk_worker_play(w, i, 0, e->n_horizons - 1, &rows, NULL);
    }
    return code || !b->row ? code : finish_row(w, b->row + at * mk_problem_row(e->problem));
}

/* Where finished blocks go: a block is handed over while the next one is simulated. */
struct outlet {
    mk_block_sink sink;
    void *to;
    struct mk_error *err;
    struct mk_block *block; /* the finished one, or NULL */
    int code;               /* result of the sink */
};

static void hand_over(struct outlet *o)
{
    if (o->block && !o->code) o->code = o->sink(o->to, o->block, o->err);
    o->block = NULL;
}

/* The first thread, the one that MPI allows to send and receive, begins with the previous block. */
static int run_block(const struct mk_run_part *part, struct mk_worker **worker, int threads, const struct mk_block *b,
                     struct outlet *before, bool *complete, struct mk_progress *progress)
{
    mk_unit_play *const play = part->play ? part->play : play_unit;
    _Atomic int failed = 0;
    _Atomic uint64_t played = 0;
    const int busy =
        b->n_units < (uint64_t)threads ? (int)b->n_units : threads; /* the first one reports the progress */
#pragma omp parallel num_threads(busy)
    {
        MK_IN_C_LOCALE;
#pragma omp master
        {
            hand_over(before);
            if (before->code) atomic_store(&failed, before->code);
        }
#pragma omp for schedule(dynamic, 1)
        for (uint64_t at = 0; at < b->n_units; at++) {
            if (atomic_load_explicit(&failed, memory_order_relaxed) || mk_run_stopped()) continue;
            struct mk_worker *w = worker[omp_get_thread_num()];
            int code = play(part->with, omp_get_thread_num(), w, b, at);
            if (code)
                atomic_store(&failed, code);
            else if (!w->cut)
                atomic_fetch_add(&played, 1);
            if (progress && !w->tape->progress) mk_progress_step(progress, omp_get_thread_num() == 0);
        }
    }
    *complete = played == b->n_units;
    if (before->code) return before->code;
    if (mk_run_stopped()) return mk_run_end_stopped(before->err);
    if (!failed) return MK_OK;
    for (int i = 0; i < threads; i++)
        if (worker[i]->tape->rewards.failed && worker[i]->tape->why.code)
            return mk_fail(before->err, worker[i]->tape->why.code, "the run failed: %.900s", worker[i]->tape->why.text);
    return mk_fail(before->err, failed, "the run failed: out of memory for the reward tape");
}

static void release_instances(const struct mk_experiment *e, const struct mk_block *b)
{
    size_t last = (size_t)((b->first_unit + b->n_units - 1) / e->replications);
    for (size_t i = (size_t)(b->first_unit / e->replications); i <= last; i++) mk_problem_release(e->problem, i);
}

int mk_run_part(const struct mk_run_context *c, const struct mk_run_part *part, int threads, mk_block_sink sink,
                void *to, struct mk_progress *progress, struct mk_error *err)
{
    const struct mk_experiment *e = c->experiment;
    uint64_t units = part->block_units;
    struct mk_block block[2] = {{0}, {0}}; /* alternating: one is simulated, one is handed over */
    struct outlet outlet = {sink, to, err, NULL, MK_OK};
    struct mk_worker **worker = calloc((size_t)threads, sizeof *worker);
    int code = worker ? MK_OK : mk_fail_memory(err, "a block of results");
    const struct mk_block_size size = mk_run_block_size(e, part->play != NULL);
    for (int i = 0; i < 2 && !code; i++) code = mk_block_new(&block[i], &size, units, err);
    for (int i = 0; i < threads && !code; i++) {
        code = mk_worker_new(&worker[i], c, err);
        if (!code) worker[i]->progress = progress;
        if (!code && worker[i]->tape->bench) mk_reward_tape_count(worker[i]->tape, progress, i == 0);
    }
    struct mk_block *now = &block[0];
    bool complete = false;
    for (uint64_t first = part->first + part->rank * units; first < part->end && !code; first += part->ranks * units) {
        now->first_unit = first;
        now->n_units = part->end - first < units ? part->end - first : units;
        code = run_block(part, worker, threads, now, &outlet, &complete, progress);
        release_instances(e, now);
        /* A block that was complete when the signal came is kept; other ranks, each stopped by itself, are not waited
         * for. */
        outlet.block = !code || (code == MK_ESTOPPED && complete && part->ranks == 1) ? now : NULL;
        now = now == &block[0] ? &block[1] : &block[0];
    }
    hand_over(&outlet);
    if (outlet.code) code = outlet.code;
    for (int i = 0; worker && i < threads; i++) mk_worker_free(worker[i]);
    free(worker);
    for (int i = 0; i < 2; i++) mk_block_clear(&block[i]);
    return code;
}

int mk_run_all(const struct mk_run_context *c, int threads, mk_block_sink sink, void *to, struct mk_progress *progress,
               struct mk_error *err)
{
    const uint64_t units = mk_run_units(c->experiment);
    const struct mk_run_part all = {.end = units, .block_units = mk_run_block_units(c, units, threads), .ranks = 1};
    return mk_run_part(c, &all, threads, sink, to, progress, err);
}

/* One replication, pull by pull. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/run/engine/run.h"
#include "sim/run/experiment/combined_search.h"

struct trace_options {
    const char *policy, *instance; /* NULL: not given */
    uint64_t replication;
    double horizon; /* 0: the largest */
};

#define COLUMNS(X)                                                                                                     \
    X(T, "t", COUNT, "pulls", "the round, from 1")                                                                     \
    X(ARM, "arm", COUNT, "", "number of the arm that was pulled, from 0")                                              \
    X(REWARD, "reward", REAL, "rewards", "its reward")                                                                 \
    X(RUNNING_MAX, "running_max", REAL, "rewards", "the largest reward so far")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("one replication pull by pull", columns, NULL);

static int find_entry(const struct mk_experiment *e, const char *label, size_t *at, struct mk_error *err)
{
    *at = label ? mk_experiment_find_policy(e, label) : 0;
    if (label ? *at < e->n_entries : e->n_entries == 1) return MK_OK;
    char known[512] = "";
    for (size_t i = 0, used = 0; i < e->n_entries && used + 110 < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%.100s", i ? ", " : "", e->entry[i].label);
    return mk_fail(err, MK_EINPUT, "maxk trace: --policy: %s%s%s; the labels are %s",
                   label ? "no policy is labelled '" : "missing", label ? label : "", label ? "'" : "", known);
}

static int find_horizon(const struct mk_experiment *e, double horizon, size_t *at, struct mk_error *err)
{
    *at = e->n_horizons - 1;
    if (!(horizon > 0)) return MK_OK;
    for (*at = 0; *at < e->n_horizons; ++*at)
        if (mk_horizon_amount(e->problem->cost_parts, e->horizon[*at]) == horizon) return MK_OK;
    return mk_fail(err, MK_EINPUT, "maxk trace: --horizon: expected a horizon of the experiment, got %.15g", horizon);
}

/* `pulls` as the run left them: their sum is the number of rounds, fewer than the horizon if a budget was spent. */
static void add_rounds(struct mk_table *t, struct mk_worker *w, const struct mk_experiment *e, size_t instance,
                       const uint32_t *sequence, uint64_t *pulls)
{
    const struct mk_instance *in = &e->problem->instance[instance];
    double best = -INFINITY;
    uint64_t rounds = 0;
    for (size_t k = 0; k < e->problem->n_arms; k++) rounds += pulls[k];
    memset(pulls, 0, e->problem->n_arms * sizeof *pulls);
    for (uint64_t i = 0; i < rounds; i++) {
        double reward = mk_reward_tape_reward(mk_worker_tape(w), sequence[i], pulls[sequence[i]]++);
        best = reward > best ? reward : best;
        mk_table_set_count(t, T, i + 1);
        mk_table_set_count(t, ARM, in->arm[sequence[i]]);
        mk_table_set_real(t, REWARD, reward);
        mk_table_set_real(t, RUNNING_MAX, best);
        mk_table_end_row(t);
    }
}

static int trace(struct mk_table *t, const struct mk_experiment *e, const struct mk_table_call *call,
                 struct mk_error *err)
{
    const struct trace_options *what = call->options;
    struct mk_truth *truth = NULL;
    struct mk_run_context context = {0};
    struct mk_worker *w = NULL;
    uint32_t *sequence = NULL;
    uint64_t *pulls = NULL;
    double max_reward;
    size_t entry = 0, instance = 0, h = 0;
    int code = find_entry(e, what->policy, &entry, err);
    if (!code && (e->entry[entry].type->flags & MK_POLICY_COMBINED))
        code = mk_fail(err, MK_EINPUT, "maxk trace: --policy: %s is a combined search, which pulls no arms",
                       e->entry[entry].label);
    if (!code) code = mk_input_find_instance("trace", e->problem, what->instance, &instance, err);
    if (!code) code = find_horizon(e, what->horizon, &h, err);
    const uint64_t own = code ? 0 : mk_problem_replications(e->problem, instance, e->replications);
    if (!code && what->replication >= own)
        code = mk_fail(
            err, MK_EINPUT,
            "maxk trace: --replication: expected a number below the %llu replications of the instance, got %llu",
            (unsigned long long)own, (unsigned long long)what->replication);
    if (!code) code = mk_truth_new(&truth, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (!code) code = mk_run_context_init(&context, e, truth, err);
    if (!code) code = mk_worker_new(&w, &context, err);
    if (code) goto out;
    const uint64_t most = mk_problem_rounds(e->problem, e->horizon[h]);
    sequence = malloc(most * sizeof *sequence);
    pulls = malloc(e->problem->n_arms * sizeof *pulls);
    if (!sequence || !pulls) {
        code = mk_fail(err, MK_ENOMEM, "maxk trace: out of memory for %llu pulls; choose a smaller --horizon",
                       (unsigned long long)most);
        goto out;
    }
    mk_worker_seek(w, instance, what->replication);
    const struct mk_play_rows rows = {pulls, e->problem->n_arms, &max_reward, 1};
    code = mk_worker_play(w, entry, h, h, &rows, sequence);
    if (!code && call->stream) code = mk_table_stream(t, call->stream, call->style, err);
    if (!code) add_rounds(t, w, e, instance, sequence, pulls);
out:
    mk_worker_free(w);
    mk_run_context_clear(&context);
    mk_truth_free(truth);
    free(sequence);
    free(pulls);
    return code;
}

static int make_trace(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_table *t = NULL;
    size_t first;
    int code = mk_input_sets("trace", call->in, &first, err);
    if (!code)
        code = mk_experiment_read(&e, call->input[0], call->in->sets.text, call->in->sets.n,
                                  MK_NEED_PROBLEM | MK_NEED_RUN | MK_LOAD_PLUGINS, err);
    mk_input_sets_free(call->in, first);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) code = trace(t, e, call, err);
    mk_experiment_free(e);
    return mk_table_made(out, t, code, err);
}

static const struct trace_options defaults = {NULL, NULL, 0, 0};
#define OPTION(field, ...) MK_TABLE_OPTION(struct trace_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(policy, "policy", 'p', MK_OPT_TEXT, "LABEL", NULL, 0, -1,
           "label of the policy; required if the experiment has several"),
    OPTION(instance, "instance", 'i', MK_OPT_TEXT, "I", NULL, 0, -1,
           "name of the instance, or its number from 0 "
           "(default: the first one)"),
    OPTION(replication, "replication", 'r', MK_OPT_COUNT, "R", NULL, 0, MK_EXACT_MAX,
           "number of the replication, from "
           "0 (default: 0)"),
    OPTION(horizon, "horizon", 't', MK_OPT_AMOUNT, "T", NULL, 1e-6, MK_EXACT_MAX,
           "horizon of the experiment up to which the policy plays (default: the largest one)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_trace = {
    .usage =
        {"trace", "EXPERIMENT.yaml",
         "Prints what a policy does in one replication, one row for every pull. It is the replication that `maxk run "
         "--engine per-pull` simulates. The format is CSV unless another one is requested.\n\n  t  number of the pull, "
         "from 1\n  arm  the arm that was pulled, from 0\n  reward  its reward\n  running_max  the largest reward of "
         "all pulls so far",
         1, 1},
    .group = "Simulate",
    .summary = "print one replication pull by pull",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    .as_data = true,
    MK_TABLE_SHOWS(&schema),
    .make = make_trace};

/* maxk trace: one replication, pull by pull, as CSV. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/tables/table_input.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/experiment/combined_search.h"
#include "sim/run/run.h"
#include "sim/table/table.h"

struct trace {
    const char *policy, *instance;
    uint64_t replication, horizon;
    struct mk_table_style style;
};

#define COLUMNS(X)                                                                                                     \
    X(T, "t", COUNT, "pulls", "the round, from 1")                                                                     \
    X(ARM, "arm", COUNT, "", "number of the arm that was pulled, from 0")                                              \
    X(REWARD, "reward", REAL, "rewards", "its reward")                                                                 \
    X(RUNNING_MAX, "running_max", REAL, "rewards", "the largest reward so far")

enum { COLUMNS(MK_COLUMN_ENUMERATOR) };
static const struct mk_column columns[] = {COLUMNS(MK_COLUMN_DESCRIPTOR)};
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

static int find_instance(const struct mk_experiment *e, const char *name, size_t *at, struct mk_error *err)
{
    uint64_t number;
    *at = 0;
    if (!name) return MK_OK;
    for (; *at < e->problem->n_instances; ++*at)
        if (strcmp(e->problem->instance[*at].name, name) == 0) return MK_OK;
    if (mk_parse_count(name, &number) && number < e->problem->n_instances) {
        *at = (size_t)number;
        return MK_OK;
    }
    return mk_fail(err, MK_EINPUT,
                   "maxk trace: --instance: expected the name of an instance or a number from 0 to %zu, got '%s'",
                   e->problem->n_instances - 1, name);
}

static int find_horizon(const struct mk_experiment *e, uint64_t horizon, size_t *at, struct mk_error *err)
{
    *at = e->n_horizons - 1;
    if (horizon == 0) return MK_OK;
    for (*at = 0; *at < e->n_horizons; ++*at)
        if (e->horizon[*at] == horizon) return MK_OK;
    return mk_fail(err, MK_EINPUT, "maxk trace: --horizon: expected a horizon of the experiment, got %llu",
                   (unsigned long long)horizon);
}

/* `pulls` as the run left them: their sum is the number of rounds, fewer than the horizon if a budget was spent. */
static int print_rounds(struct mk_worker *w, const struct mk_experiment *e, size_t instance, const uint32_t *sequence,
                        uint64_t *pulls, struct mk_table_style style, struct mk_error *err)
{
    struct mk_table *table = NULL;
    int code = mk_table_new(&table, &schema, err);
    if (code) return code;
    mk_table_stream(table, stdout, style);
    const struct mk_instance *in = &e->problem->instance[instance];
    double best = -INFINITY;
    uint64_t rounds = 0;
    for (size_t k = 0; k < e->problem->n_arms; k++) rounds += pulls[k];
    memset(pulls, 0, e->problem->n_arms * sizeof *pulls);
    for (uint64_t t = 0; t < rounds; t++) {
        double reward = mk_reward_tape_reward(mk_worker_tape(w), sequence[t], pulls[sequence[t]]++);
        best = reward > best ? reward : best;
        mk_table_set_count(table, T, t + 1);
        mk_table_set_count(table, ARM, in->arm[sequence[t]]);
        mk_table_set_real(table, REWARD, reward);
        mk_table_set_real(table, RUNNING_MAX, best);
        mk_table_end_row(table);
    }
    code = mk_table_check(table, err);
    if (!code) code = mk_table_print(table, stdout, style, err);
    mk_table_free(table);
    return code;
}

static int trace(const struct mk_experiment *e, const struct trace *what, struct mk_error *err)
{
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
    if (!code) code = find_instance(e, what->instance, &instance, err);
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
    sequence = malloc(e->horizon[h] * sizeof *sequence);
    pulls = malloc(e->problem->n_arms * sizeof *pulls);
    if (!sequence || !pulls) {
        code = mk_fail_memory(err, "the trace");
        goto out;
    }
    mk_worker_seek(w, instance, what->replication);
    const struct mk_play_rows rows = {pulls, e->problem->n_arms, &max_reward, 1};
    code = mk_worker_play(w, entry, h, h, &rows, sequence);
    if (!code) code = print_rounds(w, e, instance, sequence, pulls, what->style, err);
out:
    mk_worker_free(w);
    mk_run_context_clear(&context);
    mk_truth_free(truth);
    free(sequence);
    free(pulls);
    return code;
}

int mk_cmd_trace(int argc, char **argv, struct mk_error *err)
{
    struct trace what = {.style = {MK_TABLE_CSV, NULL}};
    struct mk_texts sets = {0, NULL}, plugins = {0, NULL};
    char *loaded = NULL;
    const struct mk_option options[] = {
        {"policy", 'p', MK_OPT_TEXT, &what.policy, "LABEL", NULL, 0, -1,
         "label of the policy (required if there are several)"},
        {"instance", 'i', MK_OPT_TEXT, &what.instance, "I", NULL, 0, -1, "name, or number from 0 (default: the first)"},
        {"replication", 'r', MK_OPT_COUNT, &what.replication, "R", NULL, 0, MK_EXACT_MAX, "number from 0 (default: 0)"},
        {"horizon", 't', MK_OPT_COUNT, &what.horizon, "T", NULL, 1, MK_EXACT_MAX,
         "one of the horizons (default: the largest)"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 0, -1,
         "override a key of the experiment; may be repeated"},
        MK_PLUGIN_OPTION(&plugins),
        MK_TABLE_FORMAT(what.style, "csv"),
        MK_TABLE_SHORT_FORMATS(what.style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "trace", "EXPERIMENT.yaml",
        "Prints one replication pull by pull, as CSV unless another format is given: t,arm,reward,running_max (t from 1, "
        "arms from 0). It is the replication that `maxk run --engine per-pull` simulates.",
        1, 1};
    char **operand;
    size_t n;
    struct mk_experiment *e = NULL;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) code = mk_plugins_add(&plugins, &sets, &loaded, err);
    if (!code)
        code =
            mk_experiment_read(&e, operand[0], sets.text, sets.n, MK_NEED_PROBLEM | MK_NEED_RUN | MK_LOAD_PLUGINS, err);
    if (!code) code = trace(e, &what, err);
    mk_experiment_free(e);
    free(sets.text);
    free(plugins.text);
    free(loaded);
    return code;
}

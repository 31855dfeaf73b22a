#include "sim/study/tune_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/base/yaml_values.h"
#include "sim/run/experiment/combined_search.h"
#include "sim/search/space/space_read.h"
#include "sim/study/command_words.h"
#include "sim/study/study_files.h"
#include "sim/study/tune_file.h"

enum { EVERY_HORIZON = 200 };

static const struct mk_trial_rows all_rows = {true, MK_ROWS_IN_ORDER, 17}, arm_rows = {true, MK_ROWS_BY_ARM, 17};

/* ---- CSV ---- */

/* Columns that only some tune files have; SIZE_MAX: not this one. */
struct further {
    size_t value, cost, metric; /* metric: the first one */
    size_t fidelity, instance, on, seen, shown, first, step;
    bool timed;           /* and seconds and reasons, which files have apart */
    double *reward_shown; /* [s->n] of the column loss_shown, owned; NULL: it is not there */
};

/* Whether trials may be evaluations in part, and on instances. */
static void find_kinds(const struct mk_tune *t, bool *in_part, bool *raced)
{
    *in_part = t->pruning.on;
    *raced = false;
    for (size_t k = 0; k < t->n_arms; k++) {
        *in_part |= mk_tune_in_part(t, k);
        *raced |= mk_tune_instances(t, k) > 0;
    }
}

/* The reward of a whole evaluation. */
static double worth(const struct mk_tune_state *s, const struct mk_trial *t)
{
    return mk_tune_reward(s->t, t->value);
}

/* The column loss_shown as rewards: no trial has more than whole evaluations have shown, in the end those of all arms.
 * malloc'ed, NULL: no memory. */
static double *rewards_shown(const struct mk_tune_state *s)
{
    const size_t arms = s->t->n_arms;
    double *out = malloc((s->n + 1) * sizeof *out), *worst = malloc((2 * arms + 1) * sizeof *worst);
    double *best = worst ? worst + arms : NULL, least = NAN;
    for (size_t k = 0; worst && k < 2 * arms; k++) worst[k] = NAN;
    for (size_t i = 0; worst && i < s->n; i++) {
        const struct mk_trial *t = &s->trial[i];
        if (mk_trial_is_whole(s, t)) worst[t->arm] = fmin(worst[t->arm], worth(s, t));
    }
    for (size_t k = 0; worst && k < arms; k++) least = fmin(least, worst[k]);
    for (size_t i = 0; out && worst && i < s->n; i++) {
        const struct mk_trial *t = &s->trial[i];
        const bool whole = mk_trial_is_whole(s, t);
        if (whole) best[t->arm] = fmax(best[t->arm], worth(s, t));
        const double most = !isnan(best[t->arm]) ? best[t->arm] : fmin(worst[t->arm], least);
        out[i] = whole ? worth(s, t) : t->outcome.status == MK_TRIAL_OK ? most : fmin(most, t->reward);
    }
    free(worst);
    if (worst) return out;
    free(out);
    return NULL;
}

static bool has_first(const struct mk_tune_state *s)
{
    bool any = false;
    for (size_t i = 0; i < s->n; i++) any |= s->trial[i].first;
    return any;
}

static int add_columns(struct further *out, const struct mk_tune_state *s, bool timed, struct mk_table *to,
                       struct mk_error *err)
{
    struct further at = {SIZE_MAX,          SIZE_MAX,          SIZE_MAX,         .instance = SIZE_MAX, .on = SIZE_MAX,
                         .shown = SIZE_MAX, .first = SIZE_MAX, .step = SIZE_MAX, .timed = timed};
    const struct mk_tune *t = s->t;
    char name[MK_METRIC_COLUMN];
    bool in_part, raced;
    find_kinds(t, &in_part, &raced);
    at.value = mk_trials_add_further(to, "value");
    if (t->cost != SIZE_MAX) at.cost = mk_trials_add_further(to, "cost");
    for (size_t i = 0; i < t->n_named; i++) {
        const size_t column = mk_trials_add_further(to, mk_metric_column(t->further[i].name, name));
        if (!i) at.metric = column;
    }
    at.fidelity = mk_trials_add_further(to, "fidelity");
    if (raced) at.instance = mk_trials_add_further(to, "race_instance");
    at.seen = mk_trials_add_further(to, MK_LOSS_SEEN);
    if (in_part) at.shown = mk_trials_add_further(to, MK_LOSS_SHOWN);
    if (t->on.n) at.on = mk_trials_add_further(to, MK_INSTANCE_NAME);
    if (has_first(s)) at.first = mk_trials_add_further(to, MK_IS_FIRST);
    if (t->pruning.on) at.step = mk_trials_add_further(to, MK_LAST_STEP);
    if (in_part) at.reward_shown = rewards_shown(s);
    *out = at;
    return in_part && !at.reward_shown ? mk_fail_memory(err, "rows") : MK_OK;
}

/* On instances the share of those on which the configuration has succeeded; on instances with names of those by which
 * configurations are compared. */
static double fidelity_of(const struct mk_tune_state *s, const struct mk_trial *t)
{
    if (t->on) { /* 1 of whole evaluations alone */
        const bool other = !t->runs || (t->runs == s->depth && t->instance != s->depth);
        return (double)(other ? t->instance : t->runs) / (double)(s->depth ? s->depth : 1);
    }
    return t->instance && t->runs ? t->fidelity * (double)t->runs / (double)t->instance : t->fidelity;
}

static void put_further(const struct mk_tune_state *s, size_t number, int digits, const struct further *at,
                        struct mk_table *to)
{
    const struct mk_tune *t = s->t;
    const struct mk_trial *trial = &s->trial[number];
    mk_table_set_real(to, at->value, mk_round_digits(trial->outcome.value, digits));
    mk_table_set_real(to, at->fidelity, fidelity_of(s, trial));
    if (at->instance != SIZE_MAX) mk_table_set_count(to, at->instance, trial->instance);
    if (at->on != SIZE_MAX) mk_table_set_text(to, at->on, trial->on ? trial->on->name : "");
    if (at->step != SIZE_MAX) mk_table_set_count(to, at->step, mk_last_step(&trial->reports));
    mk_table_set_real(to, at->seen, mk_round_digits(-trial->reward, digits));
    if (at->shown != SIZE_MAX) mk_table_set_real(to, at->shown, mk_round_digits(-at->reward_shown[number], digits));
    if (at->first != SIZE_MAX) mk_table_set_count(to, at->first, trial->first);
    if (at->cost != SIZE_MAX) mk_table_set_real(to, at->cost, isnan(trial->cost) ? 1 : trial->cost);
    for (size_t i = 0; i < t->n_named; i++)
        mk_table_set_real(to, at->metric + i, mk_outcome_metric(&trial->outcome, i));
}

/* Of a trial without a value by the rule for these. */
static double loss_of(const struct mk_tune *t, const struct mk_trial *trial)
{
    return -(isnan(trial->value) ? trial->reward : mk_tune_reward(t, trial->value));
}

/* A row: of an arm, or of the combined search (is_arm: false). */
static int put_trial(const struct mk_tune_state *s, size_t number, bool is_arm, uint64_t iteration, int digits,
                     const struct further *at, struct mk_table *to, struct mk_error *err)
{
    const struct mk_tune *t = s->t;
    const struct mk_trial *trial = &s->trial[number];
    const struct mk_tune_arm *arm = &t->arm[trial->arm];
    const struct mk_optimizer_choice *optimizer = t->policy ? &arm->optimizer : &t->combined;
    char *configuration = mk_space_configuration_rounded(trial->space, trial->v, digits);
    if (!configuration) return mk_fail_memory(err, "rows");
    mk_table_set_text(to, MK_TRIALS_INSTANCE, t->instance);
    mk_table_set_real(to, MK_TRIALS_ARM_INDEX, is_arm ? (double)trial->arm : -1);
    mk_table_set_text(to, MK_TRIALS_CLASSIFIER, is_arm ? arm->label : t->combined_label);
    const char *name = arm->own_optimizer ? arm->own_optimizer : optimizer->type->name;
    mk_table_set_text(to, MK_TRIALS_OPTIMIZER, is_arm ? name : t->combined_label);
    mk_table_set_count(to, MK_TRIALS_REPETITION, t->repetition);
    mk_table_set_count(to, MK_TRIALS_ITERATION, iteration);
    mk_table_set_real(to, MK_TRIALS_LOSS, mk_round_digits(loss_of(t, trial), digits));
    mk_table_set_text(to, MK_TRIALS_ARM, arm->label);
    mk_table_set_text(to, MK_TRIALS_CONFIGURATION, configuration);
    mk_table_set_count(to, MK_TRIALS_TRIAL, number + 1);
    mk_table_set_text(to, MK_TRIALS_STATUS, mk_trial_status_word[trial->added ? MK_TRIAL_OK : trial->outcome.status]);
    if (at->timed) {
        mk_table_set_real(to, MK_TRIALS_SECONDS, trial->added ? NAN : trial->outcome.seconds);
        mk_table_set_text(to, MK_TRIALS_WHY, trial->added ? NULL : trial->outcome.why);
    }
    put_further(s, number, digits, at, to);
    mk_table_end_row(to);
    free(configuration);
    return MK_OK;
}

/* The trials in the order of their issue: of arm k, or of all (SIZE_MAX) as those of arms or of the combined search;
 * n[]: rows so far of every arm, and at the end of the combined search. */
static int put_some(const struct mk_tune_state *s, size_t k, bool is_arm, int digits, uint64_t *n,
                    const struct further *at, struct mk_table *to, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < s->n && !code; i++) {
        const struct mk_trial *trial = &s->trial[i];
        if (trial->dropped || (k != SIZE_MAX && trial->arm != k)) continue;
        code = put_trial(s, i, is_arm, n[is_arm ? trial->arm : s->t->n_arms]++, digits, at, to, err);
    }
    return code;
}

/* A table whose rows go to the file as they come. */
static int begin(struct mk_table **table, const struct mk_table_schema *schema, FILE *to, struct mk_error *err)
{
    int code = mk_table_new(table, schema, err);
    return code ? code : mk_table_stream(*table, to, (struct mk_table_style){.form = MK_TABLE_CSV}, err);
}

static int end(struct mk_table *table, int code, struct mk_error *err)
{
    if (!code) code = mk_table_check(table, err);
    mk_table_free(table);
    return code;
}

/* Appends the rows to a table, whose further columns are at `at`. */
static int put_all(const struct mk_tune_state *s, const struct mk_trial_rows *rows, const struct further *at,
                   struct mk_table *table, struct mk_error *err)
{
    const struct mk_tune *t = s->t;
    uint64_t *n = calloc(t->n_arms + 1, sizeof *n);
    int code = n ? MK_OK : mk_fail_memory(err, "rows");
    if (!code && (!t->policy || rows->order == MK_ROWS_IN_ORDER))
        code = put_some(s, SIZE_MAX, t->policy != NULL, rows->digits, n, at, table, err);
    for (size_t k = 0; k < t->n_arms && rows->order == MK_ROWS_BY_ARM && !code; k++)
        code = put_some(s, k, true, rows->digits, n, at, table, err);
    free(n);
    return code;
}

/* The rows as a table; to: they go there as they come, NULL: they are kept. */
static int fill(struct mk_table **table, const struct mk_table_schema *schema, const struct mk_tune_state *s,
                const struct mk_trial_rows *rows, FILE *to, struct mk_error *err)
{
    int code = mk_table_new(table, schema, err);
    if (code) return code;
    struct further at;
    code = add_columns(&at, s, schema == &mk_trials_schema, *table, err);
    if (!rows->numbered) mk_table_drop_column(*table, MK_TRIALS_TRIAL);
    if (to && !code) code = mk_table_stream(*table, to, (struct mk_table_style){.form = MK_TABLE_CSV}, err);
    if (!code) code = put_all(s, rows, &at, *table, err);
    free(at.reward_shown);
    return code ? code : mk_table_check(*table, err);
}

int mk_tune_put_trials(const struct mk_tune_state *s, const struct mk_trial_rows *rows, FILE *to, struct mk_error *err)
{
    struct mk_table *table = NULL;
    int code = fill(&table, &mk_trials_file_schema, s, rows, to, err);
    mk_table_free(table);
    return code;
}

/* The rows of the trials; those of a combined search are there twice, as its own and as those of the arms. */
static const struct mk_trial_rows *rows_of(const struct mk_tune *t)
{
    return t->policy ? &all_rows : &arm_rows;
}

static int put_trials(const struct mk_tune_state *s, const char *of, FILE *to, struct mk_error *err)
{
    (void)of;
    return mk_tune_put_trials(s, rows_of(s->t), to, err);
}

int mk_tune_trials_table(struct mk_table **out, const struct mk_tune_state *s, struct mk_error *err)
{
    int code = fill(out, &mk_trials_schema, s, rows_of(s->t), NULL, err);
    if (!code) return MK_OK;
    mk_table_free(*out);
    *out = NULL;
    return code;
}

static int put_times(const struct mk_tune_state *s, const char *of, FILE *to, struct mk_error *err)
{
    (void)of;
    struct mk_table *table = NULL;
    int code = begin(&table, &mk_times_file_schema, to, err);
    for (size_t i = 0; i < s->n && !code; i++) {
        const struct mk_trial *trial = &s->trial[i];
        if (trial->dropped || trial->added) continue;
        mk_table_set_count(table, MK_TIMES_TRIAL, i + 1);
        mk_table_set_text(table, MK_TIMES_ARM, s->t->arm[trial->arm].label);
        mk_table_set_text(table, MK_TIMES_STATUS, mk_trial_status_word[trial->outcome.status]);
        mk_table_set_real(table, MK_TIMES_SECONDS, trial->outcome.seconds);
        mk_table_set_text(table, MK_TIMES_WHY, trial->outcome.why);
        mk_table_end_row(table);
    }
    return end(table, code, err);
}

static int put_reevaluations(const struct mk_tune_state *s, const char *of, FILE *to, struct mk_error *err)
{
    (void)of;
    struct mk_table *table = NULL;
    int code = mk_table_new(&table, &mk_again_file_schema, err);
    const bool named = s->t->on.n > 0;
    const size_t on = named && !code ? mk_trials_add_further(table, MK_INSTANCE_NAME) : 0,
                 test = named && !code ? mk_trials_add_further(table, MK_IS_TEST) : 0;
    if (!code) code = mk_table_stream(table, to, (struct mk_table_style){.form = MK_TABLE_CSV}, err);
    for (size_t i = 0; i < s->n_again && !code; i++) {
        const struct mk_reevaluation *again = &s->again[i];
        if (!again->done) continue;
        mk_table_set_count(table, MK_AGAIN_TRIAL, s->again_of + 1);
        mk_table_set_count(table, MK_AGAIN_NUMBER, i + 1);
        mk_table_set_text(table, MK_AGAIN_ARM, s->t->arm[s->trial[s->again_of].arm].label);
        mk_table_set_count(table, MK_AGAIN_SEED, again->seed);
        mk_table_set_text(table, MK_AGAIN_STATUS, mk_trial_status_word[again->outcome.status]);
        mk_table_set_real(table, MK_AGAIN_VALUE, again->outcome.value);
        mk_table_set_real(table, MK_AGAIN_SECONDS, again->outcome.seconds);
        mk_table_set_text(table, MK_AGAIN_WHY, again->outcome.why);
        if (named) mk_table_set_text(table, on, again->on ? again->on->name : "");
        if (named) mk_table_set_count(table, test, again->test);
        mk_table_end_row(table);
    }
    return end(table, code, err);
}

/* A key that trials do not depend on, unless its text is empty. */
static int put_line_of(FILE *to, const char *key, const char *value, struct mk_error *err)
{
    struct mk_node *root = *value ? mk_node_new(MK_NODE_MAPPING, 0) : NULL;
    char *text = root && mk_add_text(root, key, value) ? mk_node_emit(root) : NULL;
    mk_node_free(root);
    if (text) fputs(text, to);
    free(text);
    return text || !*value ? MK_OK : mk_fail_memory(err, "the tune file");
}

static int put_tune(const struct mk_tune_state *s, const char *of, FILE *to, struct mk_error *err)
{
    (void)of;
    const struct mk_tune *t = s->t;
    uint64_t trials = 0;
    char *text = NULL;
    for (size_t i = 0; i < s->n; i++) trials += !s->trial[i].added;
    int code = put_line_of(to, "title", t->title, err);
    if (!code) code = put_line_of(to, "source", t->source, err);
    if (!code) code = mk_tune_file_text(&text, t->resolved, trials, t->budget_cost, err);
    if (!code) fputs(text, to);
    free(text);
    return code;
}

/* ---- the best configuration ---- */

static bool add_reevaluated(struct mk_node *root, const char *key, struct mk_reevaluated again)
{
    struct mk_node *to = mk_node_add(root, key, mk_node_new(MK_NODE_MAPPING, 1));
    return to && mk_add_real(to, "times", (double)again.n) && mk_add_real(to, "failed", (double)again.failed) &&
           (isnan(again.mean) || mk_add_real(to, "mean", again.mean)) &&
           (isnan(again.se) || mk_add_real(to, "standard_error", again.se));
}

/* The values of the best configuration on the instances, in the order of its runs; of one that has several the last. */
static bool add_instances(struct mk_node *root, const struct mk_tune_state *s)
{
    const size_t n = s->trial[s->best].instance;
    size_t *run = malloc((n + 1) * sizeof *run);
    struct mk_node *to = mk_node_add(root, "instances", mk_node_new(MK_NODE_MAPPING, 0));
    bool good = run && to;
    for (size_t i = s->best, at = n; good && i != SIZE_MAX && at > 0; i = s->trial[i].previous) run[--at] = i;
    for (size_t i = 0; good && i < n; i++) {
        const struct mk_trial *t = &s->trial[run[i]];
        if (t->on) mk_node_free(mk_node_take(to, t->on->name));
        good = !t->on || mk_add_real(to, t->on->name, t->outcome.value);
    }
    free(run);
    return good;
}

static bool add_tests(struct mk_node *root, const struct mk_tune_state *s)
{
    struct mk_node *to = mk_node_add(root, "test_instances", mk_node_new(MK_NODE_MAPPING, 0));
    bool good = to != NULL;
    for (size_t i = 0; good && i < s->n_again; i++) {
        const struct mk_reevaluation *again = &s->again[i];
        if (again->test && again->done && again->outcome.status == MK_TRIAL_OK)
            good = mk_add_real(to, again->on->name, again->outcome.value);
    }
    return good;
}

static bool add_further(struct mk_node *root, const struct mk_tune *t, const struct mk_trial *trial)
{
    struct mk_node *to = mk_node_add(root, "metrics", mk_node_new(MK_NODE_MAPPING, 1));
    bool good = to != NULL;
    for (size_t i = 0; i < t->n_named && good; i++) {
        const double x = mk_outcome_metric(&trial->outcome, i);
        good = isnan(x) || mk_add_real(to, t->further[i].name, x);
    }
    return good;
}

/* The command of trial `number` of the result `of`; malloc'ed, NULL: no memory, or no program of its own. */
static char *trial_command(const struct mk_tune *t, const struct mk_trial *trial, size_t number, const char *of)
{
    if (!t->arm[trial->arm].command) return NULL;
    char ending[40], *text = NULL;
    snprintf(ending, sizeof ending, ".trials/%zu", number + 1);
    char *directory = mk_trials_path(of, ending);
    if (directory) text = mk_trial_command(t, trial, number, directory);
    free(directory);
    return text;
}

static int put_best(const struct mk_tune_state *s, const char *of, FILE *to, struct mk_error *err)
{
    const struct mk_tune *t = s->t;
    const struct mk_trial *trial = &s->trial[s->best];
    char *command = trial_command(t, trial, s->best, of), *text = NULL;
    struct mk_node *root = mk_node_new(MK_NODE_MAPPING, 0), *v = NULL;
    bool good = root && mk_add_text(root, "name", t->name) && mk_add_real(root, "trial", (double)(s->best + 1)) &&
                mk_add_real(root, "metric", trial->value) && mk_add_text(root, "arm", t->arm[trial->arm].label) &&
                (v = mk_node_add(root, "configuration", mk_node_new(MK_NODE_MAPPING, 0)));
    for (size_t i = 0; good && i < trial->space->n; i++)
        if (!isnan(trial->v[i]))
            good = mk_add_hyper(v, trial->space->hyper[i].name, &trial->space->hyper[i], trial->v[i]);
    if (good && t->n_named) good = add_further(root, t, trial);
    if (good && command) good = mk_add_text(root, "command", command);
    if (good && t->reevaluate) good = add_reevaluated(root, "reevaluated", mk_tune_state_reevaluated(s));
    if (good && t->on.n) good = add_instances(root, s);
    if (good && t->test.n) good = add_reevaluated(root, "tested", mk_tune_state_tested(s)) && add_tests(root, s);
    if (good) text = mk_node_emit(root);
    mk_node_free(root);
    free(command);
    if (!text) return mk_fail_memory(err, "the best configuration");
    fputs(text, to);
    free(text);
    return MK_OK;
}

/* ---- HDF5 ---- */

/* Horizons from `least` to the number of trials: all of them, or EVERY_HORIZON. */
static bool add_horizons(const struct mk_tune *t, struct mk_node *list, size_t least, size_t n)
{
    const size_t first = t->needs_horizon ? n : least;
    const size_t steps = n - first < EVERY_HORIZON ? n - first : EVERY_HORIZON;
    bool good = mk_add_real(list, NULL, (double)first);
    for (size_t i = 1; i <= steps && good; i++) {
        const uint64_t horizon = first + (n - first) * i / steps;
        good = mk_add_real(list, NULL, (double)horizon);
    }
    return good;
}

/* The trials as an experiment on recorded runs, whose rewards are in the CSV file; malloc'ed. */
/* One of the caller's own stands for the policy that it replaces, with its name as the label. */
static void put_policy(const struct mk_tune *t, const char *rest, FILE *to)
{
    const char *policy = t->policy ? t->policy : "";
    const int length = (int)strlen(policy) - (t->own_policy != NULL); /* without its closing brace */
    fprintf(to, "%spolicies: [%.*s", rest, length, policy);
    if (t->own_policy) {
        fputs(", label: ", to);
        mk_put_json_text(to, t->own_policy);
        putc('}', to);
    }
    fputs("]\n", to);
}

static char *experiment_text(const struct mk_tune *t, const char *csv, size_t least, size_t n)
{
    char *text = NULL;
    size_t size = 0;
    char *name = mk_experiment_name_for(t->name);
    struct mk_node *root = mk_node_new(MK_NODE_MAPPING, 0), *problem = NULL, *horizons = NULL, *columns = NULL;
    bool in_part, raced;
    find_kinds(t, &in_part, &raced);
    const bool good = root && name && mk_add_text(root, "name", name) &&
                      mk_add_text(root, "title",
                                  *t->title   ? t->title
                                  : t->policy ? MK_TRIALS_TITLE "with the policy that chose among their arms"
                                              : MK_TRIALS_TITLE "by one search over all arms") &&
                      (!*t->source || mk_add_text(root, "source", t->source)) &&
                      (problem = mk_node_add(root, "problem", mk_node_new(MK_NODE_MAPPING, 1))) &&
                      mk_add_text(problem, "trajectories", csv) && mk_add_text(problem, "arm_order", "file") &&
                      mk_add_text(problem, "ends_early", "hold") &&
                      (!in_part || ((columns = mk_node_add(problem, "columns", mk_node_new(MK_NODE_MAPPING, 1))) &&
                                    mk_add_text(columns, "loss", MK_LOSS_SHOWN))) &&
                      (horizons = mk_node_add(root, "horizons", mk_node_new(MK_NODE_LIST, 1))) &&
                      add_horizons(t, horizons, least, n) && mk_add_real(root, "replications", 1) &&
                      mk_add_real(root, "seed", (double)t->seed);
    char *rest = good ? mk_node_emit(root) : NULL;
    mk_node_free(root);
    free(name);
    FILE *to = rest ? open_memstream(&text, &size) : NULL;
    if (to) put_policy(t, rest, to);
    free(rest);
    if (to && fclose(to) == 0) return text;
    free(text);
    return NULL;
}

/* [n_arms] where the arms are in the problem; SIZE_MAX: they have no trials there. malloc'ed; NULL: no memory. */
static size_t *places_in(const struct mk_problem *p, const struct mk_tune *t)
{
    size_t *place = malloc(t->n_arms * sizeof *place);
    for (size_t k = 0; place && k < t->n_arms; k++) place[k] = SIZE_MAX;
    for (size_t k = 0; place && k < p->n_arms; k++) {
        const size_t arm = mk_tune_find_arm(t, p->arm_label[k], strlen(p->arm_label[k]));
        if (arm < t->n_arms) place[arm] = k;
    }
    return place;
}

/* Pulls, and the largest rewards of whole evaluations, after the first trials, as many as each horizon says. place: as
 * of places_in. */
static void fill_block(const struct mk_tune_state *s, const struct mk_experiment *e, const size_t *place,
                       struct mk_block *b)
{
    const size_t arms = e->problem->n_arms;
    uint64_t count = 0;
    size_t i = 0;
    memset(b->pulls, 0, arms * sizeof *b->pulls);
    for (size_t h = 0; h < e->n_horizons; h++) {
        uint64_t *pulls = b->pulls + h * arms;
        if (h) memcpy(pulls, pulls - arms, arms * sizeof *pulls);
        b->max_reward[h] = h ? b->max_reward[h - 1] : -INFINITY;
        for (; i < s->n && count < e->horizon[h]; i++) {
            const struct mk_trial *trial = &s->trial[i];
            if (trial->dropped) continue;
            if (place[trial->arm] != SIZE_MAX) pulls[place[trial->arm]]++;
            if (mk_trial_is_whole(s, trial)) b->max_reward[h] = fmax(b->max_reward[h], worth(s, trial));
            count++;
        }
    }
}

/* Trials in the results; at least as many trials as their arms, and until the first one that may be the best. False:
 * no memory. */
static bool count_trials(const struct mk_tune_state *s, size_t *n, size_t *least)
{
    bool *seen = calloc(s->t->n_arms, sizeof *seen);
    size_t arms = 0, first = 0;
    if (!seen) return false;
    *n = 0;
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_trial *t = &s->trial[i];
        *n += !t->dropped;
        arms += !t->dropped && !seen[t->arm];
        seen[t->arm] |= !t->dropped;
        if (!first && mk_trial_is_whole(s, t)) first = *n;
    }
    *least = arms > first ? arms : first;
    free(seen);
    return true;
}

static int write_result(const struct mk_tune_state *s, const char *path, const struct mk_volatile *v,
                        struct mk_error *err)
{
    static const char *const engine[] = {"per-pull"};
    const struct mk_tune *t = s->t;
    struct mk_experiment *e = NULL;
    struct mk_truth *truth = NULL;
    struct mk_writer *w = NULL;
    struct mk_table *trials = NULL;
    struct mk_block b = {0};
    size_t n, least, *place = NULL;
    char *csv = mk_trials_path(path, ".csv"),
         *text = csv && count_trials(s, &n, &least) ? experiment_text(t, csv, least, n) : NULL;
    int code = text ? mk_experiment_parse(&e, t->file, text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, err)
                    : mk_fail_memory(err, "the result");
    if (!code && !t->policy) e->entry[0].type = &mk_combined_search_live; /* its pulls are known */
    if (!code) code = mk_truth_new(&truth, e->problem, e->horizon, e->n_horizons, 1, err);
    if (!code) code = mk_writer_open(&w, path, e, truth, engine, 1, err);
    const struct mk_block_size size = {e ? e->n_horizons : 0, e ? e->problem->n_arms : 0, 0, false};
    if (!code) code = mk_block_new(&b, &size, 1, err);
    if (!code && !(place = places_in(e->problem, t))) code = mk_fail_memory(err, "the result");
    if (!code) {
        b.n_units = 1;
        fill_block(s, e, place, &b);
        code = mk_writer_block(w, &b, err);
    }
    if (!code) code = fill(&trials, &mk_trials_file_schema, s, &all_rows, NULL, err);
    if (!code) code = mk_writer_trials(w, trials, err);
    if (!code) code = mk_writer_commit(w, v, err);
    mk_table_free(trials);
    mk_block_clear(&b);
    mk_writer_free(w);
    mk_truth_free(truth);
    mk_experiment_free(e);
    free(place);
    free(text);
    free(csv);
    return code;
}

/* ---- all ---- */

/* Writes one of the files. of: the result that commands are those of. */
typedef int put_file(const struct mk_tune_state *s, const char *of, FILE *to, struct mk_error *err);

static int write_file(const struct mk_tune_state *s, const char *of, const char *path, put_file *put,
                      struct mk_error *err)
{
    struct mk_atomic_file place;
    FILE *to = NULL;
    int code = mk_atomic_file_open(&place, &to, path, err);
    return code ? code : mk_atomic_file_close(&place, to, put(s, of, to, err), err);
}

static int write_all(const struct mk_tune_state *s, const char *of, const char *result, const struct mk_volatile *v,
                     struct mk_error *err)
{
    static const struct {
        const char *ending;
        put_file *put;
    } file[] = {{".csv", put_trials},
                {".times.csv", put_times},
                {".best.yaml", put_best},
                {".tune.yaml", put_tune},
                {".reevaluations.csv", put_reevaluations}};
    int code = MK_OK;
    for (size_t i = 0; i < sizeof file / sizeof *file && !code; i++) {
        char *path = mk_trials_path(result, file[i].ending);
        if (!path)
            code = mk_fail_memory(err, "file names");
        else if (file[i].put == put_reevaluations && !mk_tune_evaluations_after(s->t))
            unlink(path); /* of an earlier run of this name, kept as .previous if it was complete */
        else
            code = write_file(s, of, path, file[i].put, err);
        free(path);
    }
    return code ? code : write_result(s, result, v, err);
}

int mk_tune_write(const struct mk_tune_state *s, const char *of, const char *result, const struct mk_volatile *v,
                  struct mk_error *err)
{
    struct mk_atomic_file earlier[MK_STUDY_FILES] = {{NULL, NULL}};
    int code = MK_OK;
    for (size_t i = 0; i < MK_STUDY_FILES && !code; i++) {
        char *path = mk_trials_path(result, mk_study_endings[i]);
        code = path ? mk_atomic_file_keep(&earlier[i], path, err) : mk_fail_memory(err, "file names");
        free(path);
    }
    if (!code) code = write_all(s, of, result, v, err);
    for (size_t i = 0; i < MK_STUDY_FILES; i++) {
        if (code) mk_atomic_file_restore(&earlier[i]);
        mk_atomic_file_drop(&earlier[i]);
    }
    return code;
}

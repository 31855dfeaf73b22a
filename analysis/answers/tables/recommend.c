/* Which policy to use, from recorded runs: candidates replayed on every instance, chosen on all others; and the tune
 * file that uses it. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/advice.h"
#include "analysis/compare/arms/recorded_spaces.h"
#include "analysis/compare/replay.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"
#include "sim/problem/trajectory.h"
#include "sim/search/optimizers/optimizer.h"

struct recommend_options {
    double horizon, confidence; /* horizon 0: not given */
    int costs;
    int score; /* 1: test scores */
    uint64_t seed;
    const char *out;
};

/* The candidates in addition to arms and combined searches. The first one is what others are compared with. */
static const char candidates[] =
    "policies=["
    "{name: max_ucb, alpha: 0.5, scale: minmax, label: max_ucb alpha=0.5},"
    "{name: max_ucb, alpha: 0.1, scale: minmax, label: max_ucb alpha=0.1},"
    "{name: max_ucb, alpha: 0.25, scale: minmax, label: max_ucb alpha=0.25},"
    "{name: max_ucb, alpha: 1, scale: minmax, label: max_ucb alpha=1},"
    "{name: max_ucb, alpha: 2, scale: minmax, label: max_ucb alpha=2},"
    "{name: max_ucb, alpha: 0.13, power: 2, scale: minmax, label: max_ucb alpha=0.13 power=2},"
    "uniform, successive_halving, rising_bandit, qomax_sda, max_median,"
    "quantile_bayes_ucb, {name: er_ucb_s, scale: minmax},"
    "{name: ucb, alpha: 0.5, scale: minmax}]";

#define COLUMNS(X)                                                                                                       \
    X(KIND, "kind", TEXT, "",                                                                                            \
      "policy, arm (that arm alone) or combined (a recorded combined search); rule: a way of choosing among them, on "   \
      "one half of the units, evaluated on the other half, ten times at random and both ways round")                     \
    X(CANDIDATE, "candidate", TEXT, "",                                                                                  \
      "its label; of rules recommended (the first candidate unless a test rejects it), least (the smallest mean loss), " \
      "arm and combined (the same among these), known (the best candidate of every unit, which no choice can beat)")     \
    X(LOSS, "loss", REAL, "", "normalised loss, mean over the units: 0 the best possible, 1 the median first reward")    \
    X(LOW, "loss_low", REAL, "",                                                                                         \
      "lower end of its interval (Student over the units; of rules over the halves, with the corrected variance of "     \
      "Nadeau & Bengio 2003)")                                                                                           \
    X(HIGH, "loss_high", REAL, "", "upper end of the interval")                                                          \
    X(DIFFERENCE, "difference", REAL, "", "the loss minus that of the first candidate; negative: better")                \
    X(DIFFERENCE_LOW, "difference_low", REAL, "", "lower end of its interval, of the same kinds")                        \
    X(DIFFERENCE_HIGH, "difference_high", REAL, "", "upper end of the interval")                                         \
    X(WINS, "wins", COUNT, "units", "units of smaller loss than that of the first candidate")                            \
    X(TIES, "ties", COUNT, "units", "units of the same loss")                                                            \
    X(LOSSES, "losses", COUNT, "units", "units of larger loss")                                                          \
    X(P, "p", REAL, "", "two-sided test of the difference: by sign flips; of rules the t-test of the interval")          \
    X(P_BEST, "p_best", REAL, "", "test of the hypothesis that no candidate has a smaller expected loss")                \
    X(CHOSEN, "chosen", COUNT, "units", "how often it is recommended when one unit is left out")                         \
    X(VERDICT, "verdict", TEXT, "",                                                                                      \
      "of candidates: use (all others are worse), undecided (may be the best one) or worse; of rules better, worse or "  \
      "undecided against the first candidate")                                                                           \
    X(RECOMMENDED, "recommended", FLAG, "", "whether it is the candidate that is recommended")                           \
    X(UNITS, "units", COUNT, "", "how many there are: instances, or the repetitions of a single instance")               \
    X(UNIT, "unit", TEXT, "", "instance or repetition")                                                                  \
    X(HORIZON, "horizon", REAL, "pulls or cost", "the budget, --horizon")                                                \
    X(POLICY, "policy", TEXT, "", "the policy as in tune files; empty for arms and combined searches")                   \
    X(TEST_LOSS, "test_loss", REAL, "", "the loss of test scores; empty where they are not known, and of rules")         \
    X(OPTIMISM, "optimism", REAL, "rewards",                                                                             \
      "mean of the largest reward minus the test score of its configuration, over repetitions and then over units")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{KIND, "", NULL},
                                            {CANDIDATE, "", NULL},
                                            {LOSS, "", "%.4f"},
                                            {LOW, "", "%.4f"},
                                            {HIGH, "", "%.4f"},
                                            {DIFFERENCE, "", "%+.4f"},
                                            {DIFFERENCE_LOW, "", "%+.4f"},
                                            {DIFFERENCE_HIGH, "", "%+.4f"},
                                            {P, "", MK_TABLE_P},
                                            {P_BEST, "", MK_TABLE_P},
                                            {CHOSEN, "", NULL},
                                            {TEST_LOSS, "", "%.4f"},
                                            {OPTIMISM, "", "%+.4f"},
                                            {VERDICT, "", NULL},
                                            MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("which policy to use", columns, view);

/* ---- the tune file ---- */

/* "{name: max_ucb, alpha: 0.5, …}", as in experiment and tune files; malloc'ed, NULL: out of memory. */
static char *policy_text(const struct mk_policy_entry *entry)
{
    char *parameters = mk_policy_entry_parameters(entry), *text = NULL;
    const bool some = parameters && strcmp(parameters, "{}") != 0;
    const int length = !parameters ? -1
                       : some      ? asprintf(&text, "{name: %s, %s", entry->type->name, parameters + 1)
                                   : asprintf(&text, "{name: %s}", entry->type->name);
    free(parameters);
    return length < 0 ? NULL : text;
}

/* What the tune file of recorded trials says. */
static const char *const kept_keys[] = {"command", "shell", "worker", "args", "metric"};
static const char *const kept_arm_keys[] = {"space", "command", "shell", "args"};

struct writing {
    FILE *to;
    const struct mk_experiment *e;
    const struct mk_candidate *use;
    struct mk_tree *tune;   /* OUT.tune.yaml of OUT.csv; NULL: there is none */
    struct mk_node **space; /* [n_arms] as mk_recorded_spaces */
    char *left_out;
};

static bool put_node(FILE *to, const char *before, const struct mk_node *node)
{
    char *text = mk_node_emit(node);
    if (text) fprintf(to, "%s%s", before, text);
    free(text);
    return text != NULL;
}

/* The arm of this label in the tune file of the trials; NULL: there is none. */
static const struct mk_node *arm_of_tune(const struct writing *w, const char *label)
{
    const struct mk_node *arms = w->tune ? mk_node_get(w->tune->root, "arms") : NULL;
    for (size_t i = 0; arms && i < arms->n; i++) {
        const struct mk_node *at = mk_node_get(arms->child[i], "label");
        if (at && at->kind == MK_NODE_SCALAR && strcmp(at->text, label) == 0) return arms->child[i];
    }
    return NULL;
}

static bool copy_keys(struct mk_node *to, const struct mk_node *from, const char *const *key, size_t n)
{
    bool good = true;
    for (size_t i = 0; i < n && good; i++) {
        const struct mk_node *at = mk_node_get(from, key[i]);
        good = !at || mk_node_add(to, key[i], mk_node_copy(at));
    }
    return good;
}

/* {YOUR-HYPERPARAMETER: {real: [0, 1]}} */
static struct mk_node *unknown_space(void)
{
    struct mk_node *space = mk_node_new(MK_NODE_MAPPING, 1);
    struct mk_node *own = space ? mk_node_add(space, "YOUR-HYPERPARAMETER", mk_node_new(MK_NODE_MAPPING, 1)) : NULL;
    struct mk_node *range = own ? mk_node_add(own, "real", mk_node_new(MK_NODE_LIST, 1)) : NULL;
    if (range && mk_node_add(range, NULL, mk_node_text("0")) && mk_node_add(range, NULL, mk_node_text("1")))
        return space;
    mk_node_free(space);
    return NULL;
}

/* "  - {label: knn, space: {…}}". */
static bool write_arm(struct writing *w, size_t k)
{
    const char *label = w->e->problem->arm_label[k];
    const struct mk_node *known = arm_of_tune(w, label);
    struct mk_node *arm = mk_node_new(MK_NODE_MAPPING, 1);
    struct mk_node *name = arm ? mk_node_add(arm, "label", mk_node_text(label)) : NULL;
    if (name) name->quoted = 1;
    const bool good =
        name && (known ? copy_keys(arm, known, kept_arm_keys, sizeof kept_arm_keys / sizeof *kept_arm_keys)
                       : mk_node_add(arm, "space", w->space[k] ? mk_node_copy(w->space[k]) : unknown_space()) != NULL);
    const bool written = good && put_node(w->to, "  - ", arm);
    mk_node_free(arm);
    return written;
}

/* The direction of the metric, which the name of the column tells, and why. maxk tune and record write the negatives of
 * a metric that is maximised as losses, into files with arm_index, which do not say so. */
static const char *direction_of(const struct mk_problem *p, const char **why)
{
    *why = !p->losses ? "The file has rewards: maximize: true."
           : p->of_searches
               ? "The file has losses: maximize: false, or true where they are the negatives of the metric, as "
                 "maxk tune and record write a metric that is maximised."
               : "The file has losses: maximize: false.";
    return p->losses ? "false" : "true";
}

/* The program and its metric: those of the tune file of the trials, or what recorded runs say. */
static bool write_program(const struct writing *w)
{
    const struct mk_problem *p = w->e->problem;
    char clip[MK_CLIP_ROOM];
    if (w->tune) {
        struct mk_node *root = mk_node_new(MK_NODE_MAPPING, 0);
        bool good = root && copy_keys(root, w->tune->root, kept_keys, sizeof kept_keys / sizeof *kept_keys);
        fprintf(w->to, "# Program, metric and spaces are those of the trials in %s.\nname: recommended\n",
                mk_clip(p->file, clip));
        good = good && put_node(w->to, "", root);
        mk_node_free(root);
        return good;
    }
    const char *why, *maximize = direction_of(p, &why);
    fputs("# In capital letters: what recorded runs do not say.\n", w->to);
    for (size_t k = 0; k < p->n_arms; k++)
        if (w->space[k]) {
            fputs("# Spaces are inferred from the configurations: they are what was tried.\n", w->to);
            break;
        }
    if (*w->left_out)
        fprintf(w->to, "# Left out: %s (no other hyperparameter tells when it is there, or a space cannot have it).\n",
                w->left_out);
    fprintf(w->to,
            "# %s\nname: recommended\ncommand: [YOUR-PROGRAM, \"--arm={arm}\", \"{args}\"]\n"
            "metric: {last_number: true, maximize: %s}\n",
            why, maximize);
    return true;
}

/* The optimiser that a combined search "smac (-1)" is named after, or tpe. */
static void write_combined(FILE *to, const char *label)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(label, " "), label);
    const bool known = mk_optimizer_type_find(name) != NULL;
    fprintf(to, "combined: {optimizer: %s}%s%s\n", known ? name : "tpe", known ? "" : "  # in place of ",
            known ? "" : label);
}

static int write_choice(FILE *to, const struct mk_experiment *e, const struct mk_candidate *use, struct mk_error *err)
{
    char *policy = NULL;
    if (use->kind == MK_CANDIDATE_COMBINED) {
        write_combined(to, use->label);
        return MK_OK;
    }
    if (use->kind == MK_CANDIDATE_POLICY) {
        policy = policy_text(&e->entry[use->at]);
        if (!policy) return mk_fail_memory(err, "the tune file");
    }
    fprintf(to, "policy: %s\n", policy ? policy : "{name: uniform}");
    free(policy);
    return MK_OK;
}

static int write_all(struct writing *w, uint64_t trials, const char *command, const struct mk_table *said,
                     struct mk_error *err)
{
    const struct mk_problem *p = w->e->problem;
    const char *note;
    fprintf(w->to, "# %s\n", command);
    for (size_t i = 0; (note = mk_table_note(said, i)); i++) fprintf(w->to, "# %s\n", note);
    bool good = write_program(w);
    fputs("arms:\n", w->to);
    for (size_t k = 0; k < p->n_arms && good; k++)
        if (w->use->kind != MK_CANDIDATE_ARM || k == w->use->at) good = write_arm(w, k);
    if (!good) return mk_fail_memory(err, "the tune file");
    const int code = write_choice(w->to, w->e, w->use, err);
    fprintf(w->to, "budget: {evaluations: %" PRIu64 "}\n", trials);
    return code;
}

/* OUT.tune.yaml, where the recorded runs are OUT.csv and it has all of their arms. */
static int read_tune(struct writing *w, struct mk_error *err)
{
    const struct mk_problem *p = w->e->problem;
    const size_t n = strlen(p->file);
    char *path = NULL;
    if (n < 4 || strcmp(p->file + n - 4, ".csv") != 0) return MK_OK;
    if (asprintf(&path, "%.*s.tune.yaml", (int)(n - 4), p->file) < 0) return mk_fail_memory(err, "the tune file");
    int code = access(path, R_OK) ? MK_OK : mk_tree_read(&w->tune, path, err);
    free(path);
    for (size_t k = 0; w->tune && k < p->n_arms; k++)
        if (!arm_of_tune(w, p->arm_label[k])) {
            mk_tree_free(w->tune);
            w->tune = NULL;
        }
    return code;
}

/* Writes the tune file of a candidate: all arms under the policy, the arm alone, or a combined search. Program, metric
 * and spaces are those of OUT.tune.yaml where the runs are OUT.csv of maxk tune; elsewhere the direction of the metric
 * is that of the file, spaces are those of its configurations, and what recorded runs do not say is in capital letters.
 * The command and the notes of the table `said` become comments. `path` as mk_atomic_file_open. */
static int write_tune_file(const char *path, const struct mk_experiment *e, const struct mk_candidate *use,
                           uint64_t trials, const char *command, const struct mk_table *said, struct mk_error *err)
{
    struct writing w = {.e = e, .use = use, .space = calloc(e->problem->n_arms, sizeof *w.space)};
    struct mk_atomic_file place;
    int code = w.space ? read_tune(&w, err) : mk_fail_memory(err, "the tune file");
    if (!code) code = mk_recorded_spaces(e, w.space, &w.left_out, err);
    if (!code) code = mk_atomic_file_open(&place, &w.to, path, err);
    if (!code) code = mk_atomic_file_close(&place, w.to, write_all(&w, trials, command, said, err), err);
    for (size_t k = 0; w.space && k < e->problem->n_arms; k++) mk_node_free(w.space[k]);
    mk_tree_free(w.tune);
    free(w.space);
    free(w.left_out);
    return code;
}

/* ---- reading and replaying ---- */

/* A table in the making. */
struct making {
    const struct mk_table_call *call;
    const struct recommend_options *o;
    struct mk_experiment *e;
    struct mk_replay *replay;
    struct mk_advice *advice;
    struct mk_table *table;
};

static int check_recommend(const struct mk_table_call *call, const struct recommend_options *o, struct mk_error *err)
{
    if (!(o->horizon > 0))
        return mk_fail(err, MK_EINPUT,
                       "maxk recommend: --horizon: missing; expected the number of trials to plan for, or with --costs "
                       "what they may cost (see maxk recommend --help)");
    if (!o->costs && (o->horizon != floor(o->horizon) || o->horizon > MK_EXACT_MAX))
        return mk_fail(
            err, MK_EINPUT,
            "maxk recommend: --horizon: expected a whole number of trials, got %g (see maxk recommend --help)",
            o->horizon);
    if (mk_input_is_result(call->input[0]) && !mk_trajectory_in_array(call->input[0]))
        return mk_fail(err, MK_EINPUT,
                       "%s: expected recorded runs (CSV, or HDF5 with a dataset reward), got a result: see maxk rank "
                       "--layout choice",
                       call->input[0]);
    return MK_OK;
}

/* The candidates become an override before those of the caller, the horizon one after them. */
static int open_runs(struct making *w, struct mk_error *err)
{
    struct mk_texts *sets = &w->call->in->sets;
    const bool costs = w->o->costs;
    char horizon[64];
    if (!MK_GROW(sets->text, sets->n, 2)) return mk_fail_memory(err, "options");
    memmove(sets->text + 1, sets->text, sets->n * sizeof *sets->text);
    sets->text[0] = candidates;
    sets->n++;
    snprintf(horizon, sizeof horizon, "horizons=[%.0f]", w->o->horizon);
    if (!costs) sets->text[sets->n++] = horizon;
    int code = mk_table_open(&w->e, &mk_table_recommend, w->call, err);
    if (!code && !w->e->problem->source->recorded)
        code = mk_fail(err, MK_EINPUT, "%s: expected recorded runs (trajectories), got %s", w->call->input[0],
                       w->e->problem->source->key);
    return code;
}

static int replay(struct making *w, struct mk_error *err)
{
    const int rule = w->call->in->ends_early;
    const struct mk_replay_budget budget = {.amount = w->o->horizon,
                                            .costs = w->o->costs,
                                            .extends = rule > MK_ENDS_ERROR,
                                            .rule = (enum mk_ends_early)(rule > MK_ENDS_ERROR ? rule : 0),
                                            .tests = w->o->score};
    struct mk_progress progress = {.report = w->call->report,
                                   .context = &(struct mk_progress_line){"recommend", 0, NULL}};
    int code = mk_replay_new(&w->replay, w->e, &budget, &progress, err);
    if (!code) code = mk_advice_new(&w->advice, w->replay, w->o->confidence, w->o->seed, err);
    return code;
}

/* ---- rows ---- */

static const char *const kind_names[] = {"policy", "arm", "combined"};
static const char *const rule_names[MK_RULES] = {"recommended", "least", "arm", "combined", "known"};

static const struct mk_candidate *candidate(const struct making *w, size_t c)
{
    return &w->replay->candidate[w->advice->candidate[c]];
}

static void set_numbers(struct making *w, const struct mk_advised *a)
{
    struct mk_table *t = w->table;
    mk_table_set_real(t, LOSS, a->loss);
    mk_table_set_real(t, LOW, a->low);
    mk_table_set_real(t, HIGH, a->high);
    mk_table_set_real(t, DIFFERENCE, a->difference);
    mk_table_set_real(t, DIFFERENCE_LOW, a->difference_low);
    mk_table_set_real(t, DIFFERENCE_HIGH, a->difference_high);
    mk_table_set_count(t, WINS, a->record.wins);
    mk_table_set_count(t, TIES, a->record.ties);
    mk_table_set_count(t, LOSSES, a->record.losses);
    mk_table_set_real(t, P, a->p);
    mk_table_set_real(t, TEST_LOSS, a->test_loss);
    mk_table_set_real(t, OPTIMISM, a->optimism);
    mk_table_set_count(t, UNITS, w->advice->n_units);
    mk_table_set_text(t, UNIT, w->advice->by_repetition ? "repetition" : "instance");
    mk_table_set_real(t, HORIZON, w->o->horizon);
}

static int add_candidate(struct making *w, size_t c, struct mk_error *err)
{
    const struct mk_advice *a = w->advice;
    const struct mk_candidate *of = candidate(w, c);
    char *policy = of->kind == MK_CANDIDATE_POLICY ? policy_text(&w->e->entry[of->at]) : strdup("");
    if (!policy) return mk_fail_memory(err, "policies");
    set_numbers(w, &a->of[c]);
    mk_table_set_text(w->table, KIND, kind_names[of->kind]);
    mk_table_set_text(w->table, CANDIDATE, of->label);
    mk_table_set_real(w->table, P_BEST, a->p_best[c]);
    mk_table_set_count(w->table, CHOSEN, a->n_units > 1 ? a->times[c] : MK_COUNT_MISSING);
    mk_table_set_text(w->table, VERDICT, !a->may_be_best[c] ? "worse" : a->n_best == 1 ? "use" : "undecided");
    mk_table_set_flag(w->table, RECOMMENDED, c == a->recommended);
    mk_table_set_text(w->table, POLICY, policy);
    mk_table_end_row(w->table);
    free(policy);
    return MK_OK;
}

static void add_rule(struct making *w, enum mk_advice_rule rule)
{
    const struct mk_advised *a = &w->advice->rule[rule];
    set_numbers(w, a);
    mk_table_set_text(w->table, KIND, "rule");
    mk_table_set_text(w->table, CANDIDATE, rule_names[rule]);
    mk_table_set_missing(w->table, P_BEST);
    mk_table_set_count(w->table, CHOSEN, MK_COUNT_MISSING);
    mk_table_set_text(w->table, VERDICT, mk_contest_word(a->verdict));
    mk_table_set_flag(w->table, RECOMMENDED, false);
    mk_table_set_text(w->table, POLICY, "");
    mk_table_end_row(w->table);
}

/* Position of the candidate that comes after `last` by loss, in the order of positions where losses are equal. */
static size_t next_by_loss(const struct mk_advice *a, size_t last)
{
    const double loss = last == a->n ? -INFINITY : a->of[last].loss;
    size_t next = a->n;
    for (size_t c = 0; c < a->n; c++) {
        const double x = a->of[c].loss;
        if ((x > loss || (x == loss && c > last)) && (next == a->n || x < a->of[next].loss)) next = c;
    }
    return next;
}

static int add_rows(struct making *w, struct mk_error *err)
{
    const struct mk_advice *a = w->advice;
    int code = MK_OK;
    for (size_t c = next_by_loss(a, a->n); c < a->n && !code; c = next_by_loss(a, c)) code = add_candidate(w, c, err);
    for (enum mk_advice_rule rule = 0; rule < MK_RULES; rule++)
        if (a->has[rule]) add_rule(w, rule);
    return code;
}

/* ---- sentences, each a note ---- */

enum { MOST_NAMES = 6 };

static void put_candidate(struct mk_table *t, const struct mk_candidate *c)
{
    mk_table_extend_note(t, c->kind == MK_CANDIDATE_ARM ? "arm %s alone" : "%s", c->label);
}

static const char *units(const struct making *w, char out[MK_COUNTED_ROOM])
{
    const struct mk_advice *a = w->advice;
    return mk_counted(a->n_units, a->by_repetition ? "repetition of one instance" : "instance",
                      a->by_repetition ? "repetitions of one instance" : "instances", out);
}

static void say_undecided(struct making *w)
{
    const struct mk_advice *a = w->advice;
    struct mk_table *t = w->table;
    char room[MK_COUNTED_ROOM], others[MK_COUNTED_ROOM];
    size_t shown = 0;
    mk_table_add_note(t, "undecided: ");
    for (size_t c = next_by_loss(a, a->n); c < a->n; c = next_by_loss(a, c)) {
        if (!a->may_be_best[c] || shown == MOST_NAMES) continue;
        if (shown) mk_table_extend_note(t, shown + 1 == a->n_best ? " and " : ", ");
        put_candidate(t, candidate(w, c));
        shown++;
    }
    if (a->n_best > shown) mk_table_extend_note(t, " and %s", mk_counted(a->n_best - shown, "other", NULL, others));
    mk_table_extend_note(t, " cannot be distinguished by %s; use ", units(w, room));
    put_candidate(t, candidate(w, a->recommended));
    if (a->recommended)
        mk_table_extend_note(t, ", which has the smallest mean loss: %s loses more", candidate(w, 0)->label);
    else
        mk_table_extend_note(t, ", which nothing is shown to improve on");
}

static void say_choice(struct making *w)
{
    char room[MK_COUNTED_ROOM];
    if (w->advice->n_best > 1) {
        say_undecided(w);
    } else {
        mk_table_add_note(w->table, "use ");
        put_candidate(w->table, candidate(w, w->advice->recommended));
        mk_table_extend_note(w->table, ": every other candidate loses more on %s", units(w, room));
    }
    mk_table_extend_note(w->table, " (level %g)", 1 - w->o->confidence);
}

/* "0.0123 (0.01 to 0.02)"; differences have a sign. */
static void put_interval(struct mk_table *t, bool is_difference, double x, double low, double high)
{
    mk_table_extend_note(t, is_difference ? "%+.4f (%+.4f to %+.4f)" : "%.4f (%.4f to %.4f)", x, low, high);
}

static void say_worth(struct making *w)
{
    const struct mk_advice *a = w->advice;
    const struct mk_advised *chosen = &a->rule[MK_RULE_RECOMMENDED], *first = &a->of[0];
    const char *unit = a->by_repetition ? "repetition" : "instance";
    struct mk_table *t = w->table;
    if (!a->has[MK_RULE_RECOMMENDED]) {
        mk_table_add_note(t, "one %s: nothing can be left out, and how far this holds elsewhere is not known", unit);
        return;
    }
    mk_table_add_note(t, "chosen on one half of the %ss and evaluated on the other half, the loss is ", unit);
    put_interval(t, false, chosen->loss, chosen->low, chosen->high);
    mk_table_extend_note(t, "; always %s: ", candidate(w, 0)->label);
    put_interval(t, false, first->loss, first->low, first->high);
    mk_table_extend_note(t, "; difference ");
    put_interval(t, true, chosen->difference, chosen->difference_low, chosen->difference_high);
    mk_table_extend_note(t, ", %s", mk_contest_word(chosen->verdict));
}

/* What the best arm or combined search, chosen in the same way, would do in place of the recommendation. */
static void say_instead(struct making *w, enum mk_advice_rule rule, const char *what)
{
    const struct mk_advised *x = &w->advice->beside[rule];
    struct mk_table *t = w->table;
    mk_table_add_note(t, "%s, chosen in the same way: loss ", what);
    put_interval(t, false, x->loss, x->low, x->high);
    if (x->record.ties == w->advice->n_units) {
        mk_table_extend_note(t, ", the same: it would do as well");
        return;
    }
    mk_table_extend_note(t, "; against the recommendation ");
    put_interval(t, true, x->difference, x->difference_low, x->difference_high);
    mk_table_extend_note(t, x->verdict == MK_CONTEST_WORSE    ? ": worse"
                            : x->verdict == MK_CONTEST_BETTER ? ": it would do better"
                                                              : ": undecided whether it would do as well");
}

static void say_combined(struct making *w)
{
    if (w->advice->has[MK_RULE_COMBINED])
        say_instead(w, MK_RULE_COMBINED, "the best combined search");
    else if (w->e->problem->n_baselines)
        mk_table_add_note(w->table,
                          "no combined search has values on every unit: whether one would do as well is not known");
    else
        mk_table_add_note(
            w->table, "no combined search was recorded (arm_index below 0): whether one would do as well is not known");
}

/* How much better than on test data the configurations look by which they were chosen. */
static void say_optimism(struct making *w)
{
    const struct mk_advised *a = &w->advice->of[w->advice->recommended];
    struct mk_table *t = w->table;
    if (isnan(a->optimism)) return;
    mk_table_add_note(t, "the configurations that ");
    put_candidate(t, candidate(w, w->advice->recommended));
    mk_table_extend_note(t, " chooses by their rewards score %.4g %s on test data (optimism%s)", fabs(a->optimism),
                         a->optimism < 0 ? "more" : "less",
                         w->o->score ? "" : "; --score incumbent compares test scores");
}

static void say_limits(struct making *w)
{
    const struct mk_advice *a = w->advice;
    if (a->by_repetition)
        mk_table_add_note(w->table,
                          "intervals and tests are over the repetitions of one instance: nothing is said about others");
    else if (!mk_advice_can_decide(a, 1 - w->o->confidence))
        mk_table_add_note(w->table, "%zu instances are too few to decide anything at this level", a->n_units);
    if (w->replay->repeated > 0)
        mk_table_add_note(
            w->table,
            "%.3g %% of the policies' pulls lie past the recorded ends and repeat earlier rewards (ends_early)",
            100 * w->replay->repeated);
}

static void say_dropped(struct making *w)
{
    const struct mk_advice *a = w->advice;
    char others[MK_COUNTED_ROOM];
    if (a->n_dropped) mk_table_add_note(w->table, "without a value on every unit and so no candidates: ");
    for (size_t i = 0; i < a->n_dropped; i++) {
        if (i) mk_table_extend_note(w->table, ", ");
        if (i == MOST_NAMES) {
            mk_table_extend_note(w->table, "%s", mk_counted(a->n_dropped - i, "other", NULL, others));
            break;
        }
        put_candidate(w->table, &w->replay->candidate[a->dropped[i]]);
    }
}

static int write_file(const struct making *w, struct mk_error *err)
{
    char command[400], clip[MK_CLIP_ROOM];
    snprintf(command, sizeof command, "maxk recommend %s --horizon %.15g%s%s", mk_clip(w->call->input[0], clip),
             w->o->horizon, w->o->costs ? " --costs" : "", w->o->score ? " --score incumbent" : "");
    int code = mk_table_check(w->table, err); /* its notes */
    if (code) return code;
    return write_tune_file(w->o->out, w->e, candidate(w, w->advice->recommended), w->replay->planned, command, w->table,
                           err);
}

static int conclude(struct making *w, struct mk_error *err)
{
    char room[MK_COUNTED_ROOM];
    mk_table_set_caption(w->table, "%s, %s %g: loss (top - value) / (top - median of the arms' first %s), at most 1",
                         units(w, room), w->o->costs ? "budget" : "horizon", w->o->horizon,
                         w->o->score ? "test scores" : "rewards");
    say_choice(w);
    say_worth(w);
    if (w->advice->has[MK_RULE_ARM]) say_instead(w, MK_RULE_ARM, "the best single arm");
    say_combined(w);
    say_optimism(w);
    say_limits(w);
    say_dropped(w);
    return w->o->out ? write_file(w, err) : MK_OK;
}

static int make_recommend(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct making w = {.call = call, .o = call->options};
    int code = check_recommend(call, w.o, err);
    if (!code) code = open_runs(&w, err);
    if (!code) code = mk_table_new(&w.table, &schema, err);
    if (!code) mk_table_warn_gaps(w.table, w.e->problem);
    if (!code) code = replay(&w, err);
    if (!code && !w.replay->test_loss) mk_table_drop_column(w.table, TEST_LOSS);
    if (!code && !w.replay->test_loss) mk_table_drop_column(w.table, OPTIMISM);
    if (!code) code = add_rows(&w, err);
    if (!code) code = conclude(&w, err);
    mk_advice_free(w.advice);
    mk_replay_free(w.replay);
    mk_experiment_free(w.e);
    return mk_table_made(out, w.table, code, err);
}

static const struct recommend_options defaults = {.confidence = 0.95, .seed = 42};
#define OPTION(field, ...) MK_TABLE_OPTION(struct recommend_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(horizon, "horizon", 0, MK_OPT_REAL, "T", NULL, 0, 1e15,
           "the number of trials to plan for; with --costs what they may cost"),
    OPTION(costs, "costs", 0, MK_OPT_FLAG, NULL, NULL, 1, 0, "the budget is a cost, of the column of this name"),
    OPTION(score, "score", 0, MK_OPT_CHOICE, "WHAT", "max|incumbent", 1, 0,
           "what losses are computed from: the largest reward (max), or the test score of the configuration with the "
           "largest reward (incumbent) (default: max)"),
    OPTION(confidence, "confidence", 0, MK_OPT_REAL, "P", NULL, 0.5, 0.9999,
           "confidence level of the intervals; that of tests is 1 - P (default: 0.95)"),
    OPTION(seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 0, -1, "seed of the sign flips of tests (default: 42)"),
    OPTION(
        out, "output", 'o', MK_OPT_TEXT, "TUNE.yaml", NULL, 1, 0,
        "write a tune file with the recommendation: spaces are inferred from the column configuration (ranges are what "
        "was tried), maximize from reward or loss; of OUT.csv of maxk tune its program, metric and spaces are kept; what "
        "the runs do not say is in capital letters"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_recommend = {
    .usage =
        {"recommend", "RUNS.csv[.gz]|FILE.yaml|-",
         "Says which policy to use for T trials, and what this choice is worth on other instances of the same kind. "
         "The answer comes from recorded runs of this kind (`maxk record`, `maxk import`): every candidate is replayed "
         "on every repetition of every instance. The sentences below the table give the answer. Of an experiment file "
         "only the problem is read.\n\nThe candidates are\n\n  max_ucb  with alpha 0.5, with which all others are "
         "compared; with alpha 0.1, 0.25, 1 and 2; with alpha 0.13 and power 2\n  other policies  uniform, "
         "successive_halving, rising_bandit, qomax_sda, max_median, quantile_bayes_ucb, er_ucb_s and ucb\n  arm  every "
         "arm alone\n  combined  every combined search of the file (arm_index below 0)\n\n-s policies=[…] sets other "
         "policies, the first of which takes the place of MaxUCB with alpha 0.5. The columns are\n\n  loss  (top - "
         "value) / (top - base), at most 1. top is the largest reward of any arm or combined search with this budget, "
         "and base is the median of the arms' first rewards. The loss is averaged over repetitions and then over "
         "instances, which all count the same\n  difference  the loss minus that of the first candidate; negative is "
         "better\n  p  two-sided test of the difference\n  p_best  test of the hypothesis that no other candidate has "
         "a smaller expected loss\n  chosen  how often the candidate is recommended when one instance is left out\n  "
         "verdict  of a candidate: use if all others are worse, undecided if the candidate may be the best one, or "
         "worse; of a rule: better, worse or undecided against the first candidate\n  test_loss, optimism  of runs with a "
         "column test_reward or test_loss: the loss of test scores, and the largest reward minus the test score of its "
         "configuration\n\nThe candidates that may be the "
         "best one contain the best one with probability 0.95, for instances of the same kind. They are found by a "
         "test of every candidate against all others at once, by sign flips of the instances' losses (multiple "
         "comparisons with the best). If there are several, the answer is undecided.\n\nThe last rows are rules by "
         "which a candidate can be chosen. Every rule but known is applied to one half of the instances, and the loss "
         "of its choice is measured on the other half, for ten random divisions and in both directions. The intervals "
         "and verdicts of these rules have the corrected variance of Nadeau & Bengio 2003, since repeated choices "
         "share instances.\n\n  recommended  the first candidate as long as it may be the best one, otherwise the "
         "candidate with the smallest loss; this is the rule of the recommendation\n  least  always the candidate with "
         "the smallest loss\n  arm, combined  the arm, or the combined search, with the smallest loss\n  known  the "
         "best candidate of every instance, known in advance, which no choice can beat\n\nWith --costs, every policy "
         "pulls until the next trial would exceed the budget. Policies that plan for a number of trials plan for the "
         "budget divided by the mean cost of a trial. Sequences must last for the budget.\n\nWith --score incumbent, value "
         "is the test score of the configuration with the largest reward, by which it is chosen, top is the largest "
         "test score of all pulls that an arm or a combined search alone makes with this budget, and base is the median "
         "of the test scores of the arms' first pulls.\n\nWith one instance, "
         "repetitions take the place of instances, and nothing is said about other instances.",
         1, 1},
    .group = "Arms and recorded rewards",
    .summary = "which policy to use, from recorded runs, with what certainty",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    MK_TABLE_SHOWS(&schema),
    .make = make_recommend};

#include "analysis/answers/page/study_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/what_if.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

enum { REASON_ROOM = 256 };

/* A table of the page, shown and freed; a long one is folded. */
static int show(struct mk_page *page, struct mk_table *t, const char *label, struct mk_error *err)
{
    const struct mk_table_html how = {.label = label,
                                      .open_rows = MK_PAGE_OPEN_ROWS,
                                      .most_rows = MK_PAGE_MOST_ROWS,
                                      .whole = "OUT.csv and OUT.times.csv have all"};
    int code = mk_table_check(t, err);
    if (!code) code = mk_page_table(page, t, &how, err);
    mk_table_free(t);
    return code;
}

/* ---- the best configuration ---- */

#define BEST(X)                                                                                                        \
    X(B_HYPER, "hyperparameter", TEXT, "", "hyperparameter of the arm")                                                \
    X(B_VALUE, "value", TEXT, "", "its value in the best configuration")
MK_TABLE_COLUMNS(best_columns, BEST);
static const struct mk_table_schema best_schema = MK_TABLE_SCHEMA("best configuration", best_columns, NULL);

/* "time at most 60, recall at least 0.9"; malloc'ed. */
static char *constraints_text(const struct mk_node *of)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t i = 0; to && of && i < of->n; i++)
        for (size_t k = 0; k < of->child[i]->n; k++) {
            const struct mk_node *end = of->child[i]->child[k];
            fprintf(to, "%s%s %s %s", ftell(to) ? ", " : "", of->child[i]->key,
                    strcmp(end->key, "at_most") == 0 ? "at most" : "at least", end->text ? end->text : "");
        }
    if (to) fclose(to);
    return text;
}

static int show_configuration(struct mk_page *page, const struct mk_node *values, const char *arm, struct mk_error *err)
{
    struct mk_table *t = NULL;
    char clip[MK_CLIP_ROOM];
    int code = mk_table_new(&t, &best_schema, err);
    if (code) return code;
    mk_table_set_caption(t, "Best configuration of %s", mk_clip(arm, clip));
    for (size_t i = 0; i < values->n; i++) {
        mk_table_set_text(t, B_HYPER, values->child[i]->key);
        mk_table_set_text(t, B_VALUE, values->child[i]->text ? values->child[i]->text : "");
        mk_table_end_row(t);
    }
    return show(page, t, "Best configuration", err);
}

/* Whether a re-evaluation is one on a test instance. */
static bool is_test(const struct mk_study_files *s, size_t i)
{
    const size_t column = mk_table_find(s->again, MK_IS_TEST);
    return column != SIZE_MAX && mk_table_counts(s->again, column)[i] == 1;
}

/* Of the re-evaluations, or of those on test instances. */
struct again {
    size_t rows, n; /* all; those that succeeded */
    double mean, se;
};

static struct again again_of(const struct mk_study_files *s, bool test)
{
    const double *value = mk_table_reals(s->again, MK_AGAIN_VALUE);
    double sum = 0, squares = 0;
    struct again a = {0};
    for (size_t i = 0; i < mk_table_rows(s->again); i++) {
        if (is_test(s, i) != test) continue;
        a.rows++;
        if (!isnan(value[i])) sum += value[i], a.n++;
    }
    a.mean = sum / (double)a.n;
    for (size_t i = 0; i < mk_table_rows(s->again); i++)
        if (is_test(s, i) == test && !isnan(value[i])) squares += (value[i] - a.mean) * (value[i] - a.mean);
    a.se = a.n > 1 ? sqrt(squares / (double)(a.n - 1) / (double)a.n) : NAN;
    return a;
}

/* ---- on instances ---- */

#define INSTANCES(X)                                                                                                   \
    X(I_NAME, "instance", TEXT, "", "instance of the tune file")                                                       \
    X(I_VALUE, "value", REAL, "of the metric", "value of the best configuration")                                      \
    X(I_TEST, "test", TEXT, "", "whether no trial has run on it")
MK_TABLE_COLUMNS(instance_columns, INSTANCES);
static const struct mk_table_schema instance_schema = MK_TABLE_SCHEMA("instances", instance_columns, NULL);

static void add_instance_rows(struct mk_table *t, const struct mk_node *values, const char *test)
{
    for (size_t i = 0; values && i < values->n; i++) {
        mk_table_set_text(t, I_NAME, values->child[i]->key);
        mk_table_set_real(t, I_VALUE, strtod(values->child[i]->text ? values->child[i]->text : "nan", NULL));
        mk_table_set_text(t, I_TEST, test);
        mk_table_end_row(t);
    }
}

static int show_instances(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    const struct mk_node *on = mk_node_get(s->best->root, "instances"),
                         *test = mk_node_get(s->best->root, "test_instances");
    const struct again tests = again_of(s, true);
    char text[MK_COUNTED_ROOM];
    struct mk_table *t = NULL;
    if (!on) return MK_OK;
    mk_page_heading(page, 3, "On every instance");
    mk_page_say(page,
                "The best configuration has run on %s, with a mean %s of %.6g; as it was chosen by this, others will "
                "be worse in the mean.",
                mk_counted(on->n, "instance", NULL, text), s->metric, s->trial[s->best_trial].value);
    if (tests.n > 1)
        mk_page_say(
            page,
            "On %s, which no trial has run on: mean %s %.6g, standard error %.2g (95 %% interval of the mean over "
            "instances such as these %.6g to %.6g; normal approximation).",
            mk_counted(tests.n, "test instance", NULL, text), s->metric, tests.mean, tests.se,
            tests.mean - MK_NORMAL_95 * tests.se, tests.mean + MK_NORMAL_95 * tests.se);
    else if (!tests.rows)
        mk_page_paragraph(page, "`test_instances` of the tune file would say what it is worth on others.");
    if (tests.n < tests.rows)
        mk_page_say(page, "%s failed.",
                    mk_counted(tests.rows - tests.n, "run on a test instance", "runs on test instances", text));
    int code = mk_table_new(&t, &instance_schema, err);
    if (code) return code;
    add_instance_rows(t, on, "no");
    add_instance_rows(t, test, "yes");
    return show(page, t, "On every instance", err);
}

/* Other trials whose values are not worse than the worse end of the interval of the winner's mean. */
static size_t as_good(const struct mk_study_files *s, double mean, double se)
{
    const double worse = mean + (s->maximize ? -1 : 1) * MK_NORMAL_95 * se;
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++)
        n += i != s->best_trial && s->trial[i].whole && !mk_study_better(s, worse, s->trial[i].value);
    return n;
}

static int show_again(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    const struct again again = again_of(s, false);
    const double mean = again.mean, se = again.se;
    char text[2][MK_COUNTED_ROOM];
    const size_t rows = again.rows, n = again.n, good = as_good(s, mean, se);
    if (!rows && mk_node_get(s->tune->root, "instances")) return MK_OK;
    mk_page_heading(page, 3, "How sure the winner is");
    if (!rows) {
        mk_page_paragraph(page,
                          "The best configuration was evaluated once. The best of many noisy values is better than "
                          "what its configuration is worth; `reevaluate: 10` in the tune file, with --resume, "
                          "measures it again with other seeds.");
        return MK_OK;
    }
    if (n > 1)
        mk_page_say(
            page,
            "Evaluated again with other seeds, %s: mean %s %.6g, standard error %.2g (95 %% interval %.6g to %.6g; "
            "normal approximation); the study had measured %.6g once. %s of other trials %s within this interval or "
            "%s it.",
            mk_counted(n, "time", NULL, text[0]), s->metric, mean, se, mean - MK_NORMAL_95 * se,
            mean + MK_NORMAL_95 * se, s->trial[s->best_trial].value, mk_counted(good, "value", NULL, text[1]),
            good == 1 ? "lies" : "lie", s->maximize ? "above" : "below");
    if (n < rows) mk_page_say(page, "%s failed.", mk_counted(rows - n, "re-evaluation", NULL, text[0]));
    return mk_page_table(page, s->again, &(struct mk_table_html){.label = "Re-evaluations"}, err);
}

/* The further metrics of the best trial, and what they are subject to. */
static void say_further(struct mk_page *page, const struct mk_study_files *s)
{
    char *bounds = constraints_text(mk_node_get(s->tune->root, "subject_to")), *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (size_t k = MK_TRIALS_WHY + 1; to && k < mk_table_columns(s->trials); k++) {
        const char *name = mk_trials_metric_of(mk_table_column(s->trials, k)->name);
        const double x = name ? mk_table_reals(s->trials, k)[s->trial[s->best_trial].row] : NAN;
        if (!isnan(x)) fprintf(to, "%s%s %.6g", ftell(to) ? ", " : "", name, x);
    }
    if (to && !fclose(to) && *text) mk_page_say(page, "Its further metrics: %s.", text);
    if (bounds && *bounds)
        mk_page_say(page, "Subject to %s: %zu of %zu trials violate this, and none of them can be the best.", bounds,
                    s->infeasible, s->n);
    free(bounds);
    free(text);
}

/* How many trials were of configurations that were to be tried first, and the best of them. */
static void say_first(struct mk_page *page, const struct mk_study_files *s)
{
    const size_t column = mk_table_find(s->trials, MK_IS_FIRST);
    const uint64_t *first = column == SIZE_MAX ? NULL : mk_table_counts(s->trials, column);
    char text[MK_COUNTED_ROOM], clip[MK_CLIP_ROOM];
    size_t best = SIZE_MAX, n = 0;
    for (size_t i = 0; first && i < s->n; i++) {
        const struct mk_study_row *t = &s->trial[i];
        if (!first[t->row]) continue;
        n++;
        if (t->whole && (best == SIZE_MAX || mk_study_better(s, t->value, s->trial[best].value))) best = i;
    }
    if (!n) return;
    mk_counted(n, "trial", NULL, text);
    if (best == SIZE_MAX)
        mk_page_say(page,
                    "Tried first, as given or as default: %s, none of which was a whole evaluation that succeeded.",
                    text);
    else
        mk_page_say(page, "Tried first, as given or as default: %s, the best with %s %.6g, by %s in trial %" PRIu64 ".",
                    text, s->metric, s->trial[best].value, mk_clip(s->arm[s->trial[best].arm], clip),
                    s->trial[best].number);
}

/* How many trials were ended early, and what that saved. */
static void say_pruned(struct mk_page *page, const struct mk_study_files *s)
{
    const size_t at = mk_table_find(s->trials, "fidelity");
    double done = 0;
    for (size_t i = 0; i < s->n && at != SIZE_MAX; i++)
        if (s->trial[i].status == MK_TRIAL_PRUNED) done += mk_table_reals(s->trials, at)[s->trial[i].row];
    mk_page_say(page,
                "Ended early (pruned): %zu of the trials, in the mean after %.0f %% of the steps of a whole "
                "evaluation; only whole evaluations count for what is the best.",
                s->pruned, 100 * done / (double)s->pruned);
}

/* ---- which arm, and how sure ---- */

/* The values of the whole evaluations of an arm, the smaller the better, ascending; malloc'ed, NULL: no memory. */
static double *losses_of(const struct mk_study_files *s, size_t arm, size_t *n)
{
    double *x = malloc((s->n + 1) * sizeof *x);
    *n = 0;
    for (size_t i = 0; x && i < s->n; i++)
        if (s->trial[i].whole && s->trial[i].arm == arm)
            x[(*n)++] = s->maximize ? -s->trial[i].value : s->trial[i].value;
    if (x) mk_sort_values(x, *n);
    return x;
}

/* The probability that the best of a resample of an arm's n results, drawn with replacement, is not better than x; or,
 * `strictly`, is worse. */
static double stays_behind(const double *loss, size_t n, double x, bool strictly)
{
    size_t behind = n;
    while (behind > 0 && (strictly ? loss[n - behind] <= x : loss[n - behind] < x)) behind--;
    return pow((double)behind / (double)n, (double)n);
}

/* The share of resamples in which the best result of the arm is better than that of every other arm k with results;
 * only: of this one alone, SIZE_MAX: of all. Exact: of each value of the arm the probability that it is the best. */
static double share_ahead(const struct mk_study_files *s, double *const *loss, const size_t *n, size_t arm, size_t only)
{
    double share = 0;
    for (size_t i = 0; i < n[arm]; i++) {
        const double x = loss[arm][i];
        if (i && loss[arm][i - 1] == x) continue;
        double here = stays_behind(loss[arm], n[arm], x, false) - stays_behind(loss[arm], n[arm], x, true);
        for (size_t k = 0; k < s->n_arms; k++)
            if (k != arm && n[k] && (only == SIZE_MAX || only == k)) here *= stays_behind(loss[k], n[k], x, true);
        share += here;
    }
    return share;
}

/* Which arm is the best one, in which share of resamples it stays ahead, and from which arms it cannot be told. */
static int say_ahead(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    static const double sure = 0.95;
    const size_t arm = s->trial[s->best_trial].arm;
    double **loss = calloc(s->n_arms, sizeof *loss);
    size_t *n = calloc(s->n_arms, sizeof *n), size, others = 0;
    char *text = NULL, clip[MK_CLIP_ROOM];
    FILE *to = open_memstream(&text, &size);
    bool good = loss && n && to;
    for (size_t k = 0; good && k < s->n_arms; k++) good = (loss[k] = losses_of(s, k, &n[k])) != NULL;
    for (size_t k = 0; good && k < s->n_arms; k++) {
        const double share = k == arm || !n[k] ? 1 : share_ahead(s, loss, n, arm, k);
        others += k != arm && n[k];
        if (share < sure)
            fprintf(to, "%s%s (%.0f %%)", ftell(to) ? ", " : "", mk_clip(s->arm[k], clip), floor(100 * share));
    }
    if (to) good &= fclose(to) == 0;
    if (good && others) {
        mk_clip(s->arm[arm], clip);
        mk_page_say(
            page,
            "Which algorithm: %s. In %.0f %% of resamples of the results of every arm, as many with replacement, "
            "its best value stays ahead of those of all others (exact). %s%s.",
            clip, floor(100 * share_ahead(s, loss, n, arm, SIZE_MAX)),
            *text ? "It cannot be told from " : "It is ahead of each of them in at least 95 %", text);
    }
    for (size_t k = 0; loss && k < s->n_arms; k++) free(loss[k]);
    free(loss);
    free(n);
    free(text);
    return good ? MK_OK : mk_fail_memory(err, "the page of a study");
}

/* Its value where it was not chosen by it. */
static void say_value(struct mk_page *page, const struct mk_study_files *s)
{
    static const char *const where[] = {"evaluated again with other seeds", "on test instances"};
    for (int test = 1; test >= 0; test--) {
        const struct again a = again_of(s, test != 0);
        if (a.n > 1)
            mk_page_say(page, "What it is worth, %s: %s %.6g in the mean, 95 %% interval %.6g to %.6g.", where[test],
                        s->metric, a.mean, a.mean - MK_NORMAL_95 * a.se, a.mean + MK_NORMAL_95 * a.se);
    }
}

int mk_page_study_best(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    const struct mk_node *best = s->best->root, *values = mk_node_get(best, "configuration");
    const struct mk_node *command = mk_node_get(best, "command");
    char text[MK_COUNTED_ROOM], clip[MK_CLIP_ROOM];
    mk_page_heading(page, 3, "Best configuration");
    if (s->best_trial == SIZE_MAX) {
        mk_page_paragraph(page,
                          s->in_part || s->pruned ? "No whole evaluation has succeeded." : "No trial has succeeded.");
        return MK_OK;
    }
    const struct mk_study_row *t = &s->trial[s->best_trial];
    mk_page_say(page, "Best %s: %.6g (%s is better), by %s in trial %" PRIu64 "; %s, %zu of them failed.", s->metric,
                t->value, s->maximize ? "larger" : "smaller", mk_clip(s->arm[t->arm], clip), t->number,
                mk_counted(s->n, "trial", NULL, text), s->failed);
    int code = say_ahead(page, s, err);
    say_value(page, s);
    if (!code && values && values->kind == MK_NODE_MAPPING && values->n)
        code = show_configuration(page, values, s->arm[t->arm], err);
    if (command && command->kind == MK_NODE_SCALAR) {
        mk_page_paragraph(page, "Its command:");
        mk_page_verbatim(page, NULL, command->text);
    }
    if (s->in_part)
        mk_page_say(page, "Evaluated in part: %zu of the trials; only whole evaluations count for what is the best.",
                    s->in_part);
    say_first(page, s);
    if (s->pruned) say_pruned(page, s);
    if (s->lacks_fidelity) mk_page_say(page, "%s.", mk_study_lacks_fidelity);
    say_further(page, s);
    if (!code) code = show_instances(page, s, err);
    return code ? code : show_again(page, s, err);
}

/* ---- arms ---- */

#define ARMS(X)                                                                                                        \
    X(A_ARM, "arm", TEXT, "", "label of the arm")                                                                      \
    X(A_TRIALS, "trials", COUNT, "", "trials of the arm")                                                              \
    X(A_SHARE, "share", REAL, "", "their share of all trials")                                                         \
    X(A_BEST, "best", REAL, "of the metric", "best value of the metric, among whole evaluations")                      \
    X(A_FAILED, "failed", COUNT, "", "trials of the arm that failed")                                                  \
    X(A_INFEASIBLE, "infeasible", COUNT, "", "trials of the arm that violate a constraint")                            \
    X(A_SECONDS, "seconds", REAL, "", "measured time of its programs")                                                 \
    X(A_PRUNED, "pruned", COUNT, "", "trials of the arm that were ended early")
MK_TABLE_COLUMNS(arm_columns, ARMS);
static const struct mk_table_view arm_view[] = {{A_ARM, "", NULL},       {A_TRIALS, "", NULL}, {A_SHARE, "", "%.3f"},
                                                {A_BEST, "", NULL},      {A_FAILED, "", NULL}, {A_INFEASIBLE, "", NULL},
                                                {A_SECONDS, "", "%.3g"}, {A_PRUNED, "", NULL}, MK_TABLE_VIEW_END};
static const struct mk_table_schema arm_schema = MK_TABLE_SCHEMA("arms", arm_columns, arm_view);

static void add_arm(struct mk_table *t, const struct mk_study_files *s, size_t k)
{
    const struct mk_study_arm of = mk_study_arm(s, k);
    mk_table_set_text(t, A_ARM, s->arm[k]);
    mk_table_set_count(t, A_TRIALS, of.trials);
    mk_table_set_real(t, A_SHARE, s->n ? (double)of.trials / (double)s->n : NAN);
    mk_table_set_real(t, A_BEST, of.best);
    mk_table_set_count(t, A_FAILED, of.failed);
    mk_table_set_count(t, A_INFEASIBLE, of.infeasible);
    mk_table_set_real(t, A_SECONDS, of.seconds);
    mk_table_set_count(t, A_PRUNED, of.pruned);
    mk_table_end_row(t);
}

/* How the trials were spread over the arms, and what came of it. */
static int show_arms(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_table_new(&t, &arm_schema, err);
    if (code) return code;
    if (!mk_node_get(s->tune->root, "pruning")) mk_table_drop_column(t, A_PRUNED);
    if (!mk_node_get(s->tune->root, "subject_to")) mk_table_drop_column(t, A_INFEASIBLE);
    for (size_t k = 0; k < s->n_arms; k++) add_arm(t, s, k);
    mk_page_heading(page, 3, "Arms");
    return show(page, t, "Arms", err);
}

/* ---- other policies ---- */

/* Failed trials have the reward that the rule for failures gave them. */
static int read_trials(struct mk_recorded_trials *r, const struct mk_study_files *s, struct mk_error *err)
{
    const struct mk_node *seed = mk_node_get(s->tune->root, "seed");
    const double *loss = mk_table_reals(s->trials, MK_TRIALS_LOSS);
    const size_t column = mk_table_find(s->trials, MK_LOSS_SEEN);
    const double *seen = column == SIZE_MAX ? loss : mk_table_reals(s->trials, column);
    int code = mk_recorded_trials_begin(r, s->n_arms, s->maximize ? s->scale : -s->scale,
                                        seed ? strtoull(seed->text, NULL, 10) : 0, err);
    for (size_t k = 0; k < s->n_arms && !code; k++) r->label[k] = s->arm[k];
    for (size_t i = 0; i < s->n && !code; i++) {
        const struct mk_study_row *t = &s->trial[i];
        code = mk_recorded_trials_add(r, t->arm, -seen[t->row], t->whole ? -loss[t->row] : NAN, err);
    }
    return code;
}

/* What other policies would have done with these trials; nothing of a combined search or one arm. */
static int show_what_if(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    static const char *const policy[] = {"max_ucb", "ucb", "greedy", "uniform", "random"};
    struct mk_recorded_trials r = {0};
    struct mk_table *t = NULL;
    if (!mk_node_get(s->tune->root, "policy") || s->n_arms < 2 || !s->n) return MK_OK;
    int code = read_trials(&r, s, err);
    if (!code) code = mk_what_if_table(&t, &r, policy, sizeof policy / sizeof *policy, err);
    if (!code) {
        mk_page_heading(page, 3, "What other policies would have done");
        mk_page_paragraph(page,
                          "They play on the trials of every arm in their order, as far as these reach; `maxk tune "
                          "--simulate POLICY` does the same for others.");
        code = show(page, t, "What other policies would have done", err);
    }
    mk_recorded_trials_clear(&r);
    return code;
}

/* ---- failures ---- */

#define FAILURES(X)                                                                                                    \
    X(F_WHY, "reason", TEXT, "", "why the trials failed, or the constraint that they violate")                         \
    X(F_STATUS, "status", TEXT, "", "failed, timed out or infeasible")                                                 \
    X(F_ARM, "arm", TEXT, "", "label of the arm")                                                                      \
    X(F_TRIALS, "trials", COUNT, "", "trials of the arm that failed for this reason")                                  \
    X(F_SHARE, "share", REAL, "", "their share of the trials of the arm")                                              \
    X(F_FIRST, "first", COUNT, "", "number of the first of them")                                                      \
    X(F_EXAMPLE, "configuration", TEXT, "", "configuration of the first of them")
MK_TABLE_COLUMNS(failure_columns, FAILURES);
static const struct mk_table_view failure_view[] = {{F_WHY, "", NULL},     {F_STATUS, "", NULL},  {F_ARM, "", NULL},
                                                    {F_TRIALS, "", NULL},  {F_SHARE, "", "%.3f"}, {F_FIRST, "", NULL},
                                                    {F_EXAMPLE, "", NULL}, MK_TABLE_VIEW_END};
static const struct mk_table_schema failure_schema = MK_TABLE_SCHEMA("failures", failure_columns, failure_view);

static const char *text_at(const struct mk_study_files *s, size_t i, size_t column)
{
    return mk_table_texts(s->trials, column)[s->trial[i].row];
}

/* The reason of a failure; of an infeasible trial without the value that violates the constraint. */
static const char *reason(const struct mk_study_files *s, size_t i, char out[REASON_ROOM])
{
    const char *why = text_at(s, i, MK_TRIALS_WHY),
               *value = mk_trial_failed(s->trial[i].status) ? NULL : strstr(why, " is ");
    snprintf(out, REASON_ROOM, "%.*s", value ? (int)(value - why) : REASON_ROOM - 1, why);
    return out;
}

static bool same_failure(const struct mk_study_files *s, size_t i, size_t j)
{
    char room[2][REASON_ROOM];
    return s->trial[i].status == s->trial[j].status && s->trial[i].arm == s->trial[j].arm &&
           strcmp(reason(s, i, room[0]), reason(s, j, room[1])) == 0;
}

/* The trials that failed as trial i did, which is the first of them; 0: it is not. */
static size_t alike(const struct mk_study_files *s, size_t i)
{
    size_t n = 0;
    for (size_t j = 0; j < s->n; j++) {
        if (!same_failure(s, i, j)) continue;
        if (j < i) return 0;
        n++;
    }
    return n;
}

static int show_failures(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    struct mk_table *t = NULL;
    char room[REASON_ROOM];
    int code = mk_table_new(&t, &failure_schema, err);
    if (code) return code;
    for (size_t i = 0; i < s->n && mk_table_rows(t) < MK_PAGE_MOST_ROWS; i++) {
        const enum mk_trial_status status = s->trial[i].status;
        const size_t n = status == MK_TRIAL_OK || status == MK_TRIAL_PRUNED ? 0 : alike(s, i);
        if (!n) continue;
        mk_table_set_text(t, F_WHY, reason(s, i, room));
        mk_table_set_text(t, F_STATUS, text_at(s, i, MK_TRIALS_STATUS));
        mk_table_set_text(t, F_ARM, s->arm[s->trial[i].arm]);
        mk_table_set_count(t, F_TRIALS, n);
        mk_table_set_real(t, F_SHARE, (double)n / (double)mk_study_arm(s, s->trial[i].arm).trials);
        mk_table_set_count(t, F_FIRST, s->trial[i].number);
        mk_table_set_text(t, F_EXAMPLE, text_at(s, i, MK_TRIALS_CONFIGURATION));
        mk_table_end_row(t);
    }
    return show(page, t, "Failures", err);
}

/* ---- trials ---- */

#define TRIALS(X)                                                                                                      \
    X(T_TRIAL, "trial", COUNT, "", "number of the trial, from 1, in the order of issue")                               \
    X(T_ARM, "arm", TEXT, "", "label of the arm")                                                                      \
    X(T_VALUE, "metric", REAL, "", "value of the metric, also of an infeasible trial; none of one that failed")        \
    X(T_SECONDS, "seconds", REAL, "", "measured time of the program; none of trials that were added")                  \
    X(T_STATUS, "status", TEXT, "", "ok, failed, timed out, infeasible or pruned")                                     \
    X(T_CONFIGURATION, "configuration", TEXT, "", "the configuration, YAML")                                           \
    X(T_WHY, "why", TEXT, "", "reason of a failure, or the constraint that is violated")
MK_TABLE_COLUMNS(trial_columns, TRIALS);
static const struct mk_table_schema trial_schema = MK_TABLE_SCHEMA("trials", trial_columns, NULL);

/* Whether a further column of the trials is one of their table: the value is there, of losses the files have more. */
static bool is_shown(const struct mk_study_files *s, const char *name)
{
    if (strcmp(name, "fidelity") == 0) return s->in_part > 0;
    return strcmp(name, "value") != 0 && strcmp(name, MK_LOSS_SEEN) != 0 && strcmp(name, MK_LOSS_SHOWN) != 0;
}

static void copy_cell(struct mk_table *to, size_t column, const struct mk_table *from, size_t k, size_t row)
{
    if (mk_table_column(from, k)->type == MK_COLUMN_TEXT)
        mk_table_set_text(to, column, mk_table_texts(from, k)[row]);
    else if (mk_table_column(from, k)->type == MK_COLUMN_COUNT)
        mk_table_set_count(to, column, mk_table_counts(from, k)[row]);
    else
        mk_table_set_real(to, column, mk_table_reals(from, k)[row]);
}

static int show_trials(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_table_new(&t, &trial_schema, err);
    if (code) return code;
    mk_table_rename(t, T_VALUE, s->metric);
    size_t to[MK_TRIALS_WHY + 1 + MK_TRIALS_FURTHER], further = mk_table_columns(s->trials);
    for (size_t k = MK_TRIALS_WHY + 1; k < further; k++) {
        const struct mk_column *c = mk_table_column(s->trials, k);
        const char *metric = mk_trials_metric_of(c->name);
        to[k] =
            is_shown(s, c->name) ? mk_table_add_column(t, metric ? metric : c->name, c->type, "", c->about) : SIZE_MAX;
    }
    for (size_t i = 0; i < s->n; i++) {
        for (size_t k = MK_TRIALS_WHY + 1; k < further; k++)
            if (to[k] != SIZE_MAX) copy_cell(t, to[k], s->trials, k, s->trial[i].row);
        mk_table_set_count(t, T_TRIAL, s->trial[i].number);
        mk_table_set_text(t, T_ARM, s->arm[s->trial[i].arm]);
        mk_table_set_real(t, T_VALUE, s->trial[i].measured);
        mk_table_set_real(t, T_SECONDS, s->trial[i].seconds);
        mk_table_set_text(t, T_STATUS, text_at(s, i, MK_TRIALS_STATUS));
        mk_table_set_text(t, T_CONFIGURATION, text_at(s, i, MK_TRIALS_CONFIGURATION));
        mk_table_set_text(t, T_WHY, text_at(s, i, MK_TRIALS_WHY));
        mk_table_end_row(t);
    }
    return show(page, t, "Trials", err);
}

/* Failures with their reasons, and every trial. */
static int show_all(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    int code = MK_OK;
    mk_page_heading(page, 3, s->infeasible ? "Failures and violated constraints" : "Failures");
    if (s->failed + s->infeasible)
        code = show_failures(page, s, err);
    else
        mk_page_paragraph(page, "No trial failed.");
    mk_page_heading(page, 3, "Trials");
    mk_page_say(page, "Every trial of the study: configuration, %s, seconds, and why it failed.", s->metric);
    return code ? code : show_trials(page, s, err);
}

int mk_page_study_trials(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err)
{
    int code = show_arms(page, s, err);
    if (!code) code = show_what_if(page, s, err);
    return code ? code : show_all(page, s, err);
}

/* maxk tune: a program of the user's own, tuned on two levels. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figures/result_view.h"
#include "analysis/results/study_files.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/program_signals.h"
#include "sim/command/tune/tune_page.h"
#include "sim/command/tune/tune_screen.h"
#include "sim/study/recorded_trials.h"
#include "sim/study/tune_plan.h"
#include "sim/study/tune_result.h"
#include "sim/tune/tune_run.h"

/* What was requested. */
struct request {
    const char *file, *output, *line;
    struct mk_tune_options how;
    const char *figures; /* folder; NULL: none */
    const char *page;    /* FILE.html; NULL: none */
    int quiet, format;
    struct mk_texts policies; /* to simulate */
    struct mk_table_style style;
};

static int simulate(const struct mk_tune *t, const struct request *q, const char *path, struct mk_error *err)
{
    struct mk_table *table = NULL;
    struct mk_recorded_trials r = {0};
    char *csv = mk_trials_path(path, ".csv");
    int code = csv ? mk_recorded_trials_read(&r, t, csv, err) : mk_fail_memory(err, "trials");
    if (!code) code = mk_what_if_table(&table, &r, q->policies.text, q->policies.n, err);
    if (!code) code = mk_table_print(table, stdout, q->style, err);
    mk_table_free(table);
    mk_recorded_trials_clear(&r);
    free(csv);
    return code;
}

static void print_path(void *context, const char *path)
{
    (void)context;
    printf("%s\n", path);
}

static int draw(const struct request *q, const char *path, struct mk_error *err)
{
    struct mk_result_view view;
    int code = mk_make_folder(q->figures, err);
    if (!code) code = mk_result_view_open(&view, path, NULL, err);
    if (code) return code;
    view.to.only = "tune";
    view.to.folder = q->figures;
    view.to.format = (enum mk_plot_format)q->format;
    view.to.drawn = q->quiet ? NULL : print_path;
    code = mk_result_view_draw(&view, err);
    mk_result_view_close(&view);
    return code;
}

static void report(const struct mk_tune *t, const struct mk_tune_state *s, const struct mk_tune_report *r,
                   const char *path)
{
    const struct mk_trial *best = mk_tune_state_trial(s, mk_tune_state_best(s));
    char text[MK_COUNTED_ROOM], clip[MK_CLIP_ROOM];
    printf("%s: %s", path, mk_counted(r->evaluations, "trial", NULL, text));
    if (r->resumed) printf(", %zu of them resumed", r->resumed);
    if (r->failed) printf(", %zu failed", r->failed);
    if (r->infeasible) printf(", %zu infeasible", r->infeasible);
    printf(", %.1f s%s\n", r->seconds, r->out_of_time ? " (the budget of seconds is used up)" : "");
    printf("best: %.6g by %s (trial %zu)", best->outcome.value, t->arm[best->arm].label, mk_tune_state_best(s) + 1);
    for (size_t i = 0; i < t->n_named; i++) {
        const double x = mk_outcome_metric(&best->outcome, i);
        if (!isnan(x)) printf(", %s %.6g", mk_clip(t->further[i].name, clip), x);
    }
    putchar('\n');
    if (t->reevaluate) {
        const struct mk_reevaluated again = mk_tune_state_reevaluated(s);
        printf("the same configuration evaluated again, %s:", mk_counted(again.n, "time", NULL, text));
        if (again.failed < again.n) printf(" mean %.6g", again.mean);
        if (again.failed + 1 < again.n) printf(", standard error %.2g", again.se);
        if (again.failed) printf("%s %zu failed", again.failed < again.n ? "," : "", again.failed);
        putchar('\n');
    }
    if (t->order == MK_ORDER_FINISH) printf("order: finish: another run may choose other trials\n");
}

/* What shows a run while it runs. */
struct shown {
    bool on_screen;
    struct mk_tune_screen screen;
    struct mk_tune_page page;
};

static void show(void *context, const struct mk_tune_view *v, size_t number)
{
    struct shown *s = context;
    if (s->on_screen) mk_tune_screen_show(&s->screen, v, number);
    mk_tune_page_show(&s->page, v);
}

static int tune(const struct mk_tune *t, const struct request *q, const char *path, struct mk_error *err)
{
    struct mk_tune_state *state = NULL;
    struct mk_tune_report done = {0};
    struct shown shown = {.on_screen = !q->quiet};
    struct mk_tune_options how = q->how;
    char *folder = mk_trials_path(path, ".trials");
    how.files.folder = folder;
    how.files.result = path;
    how.seen = show;
    how.context = &shown;
    how.adopts = true;
    mk_tune_screen_begin(&shown.screen, stdout);
    int code = mk_tune_page_begin(&shown.page, q->page, path, err);
    if (!code) code = folder ? mk_tune_run(&state, t, &how, &done, err) : mk_fail_memory(err, "a file name");
    mk_tune_screen_end(&shown.screen);
    mk_tune_page_end(&shown.page);
    const struct mk_volatile v = {q->line, (int)t->workers, code ? 0 : done.seconds};
    if (!code) code = mk_tune_write(t, state, path, &v, err);
    if (*done.previous) fprintf(stderr, "%s: an earlier result; kept as %s%s\n", path, path, done.previous);
    if (!code && !q->quiet) report(t, state, &done, path);
    if (!code && q->figures) code = draw(q, path, err);
    if (!code) code = mk_tune_page_write(&shown.page, err);
    mk_tune_state_free(state);
    free(folder);
    return code;
}

/* results/NAME.h5 unless a path is given; malloc'ed. */
static int output_path(const struct mk_tune *t, const char *given, char **path, struct mk_error *err)
{
    if (given) {
        const size_t n = strlen(given);
        if (n < 4 || strcmp(given + n - 3, ".h5") != 0)
            return mk_fail(err, MK_EINPUT, "maxk tune: --output: expected a name that ends in .h5, got '%.80s'", given);
        *path = strdup(given);
        return *path ? mk_atomic_file_check(*path, err) : mk_fail_memory(err, "a file name");
    }
    int code = mk_make_folder("results", err);
    if (code) return code;
    return asprintf(path, "results/%s.h5", t->name) < 0 ? mk_fail_memory(err, "a file name") : MK_OK;
}

static int run(struct request *q, const struct mk_texts *sets, struct mk_error *err)
{
    struct mk_tune *t = NULL;
    char *path = NULL, note[MK_PLAN_NOTE_ROOM] = "";
    int code = mk_tune_read(&t, q->file, sets->text, sets->n, err);
    if (!code && !q->policies.n) code = mk_tune_check_plan(t, note, err);
    if (!code && *note && !q->quiet && !q->how.files.add) fprintf(stderr, "%s\n", note);
    if (!code) code = output_path(t, q->output, &path, err);
    mk_stop_programs_on_signals();
    if (!code) code = q->policies.n ? simulate(t, q, path, err) : tune(t, q, path, err);
    free(path);
    mk_tune_free(t);
    return code;
}

static const char usage_text[] =
    "Tunes a program of your own: a policy chooses among arms (algorithms, each with a search space), and the optimiser "
    "of the arm proposes its configuration. The program is started with the configuration on its command line and "
    "prints a number.\n\n"
    "  command   the program and its words, never given to a shell; {NAME} is a hyperparameter, {args} all of them\n"
    "  metric    where the number is: last_number, json, regex, smac, irace; maximize: true or false\n"
    "  metrics   further ones, {time: {json: seconds}}; subject_to: {time: {at_most: 60}} are constraints on them\n"
    "  arms      label, space, optimizer, and command where it differs\n"
    "  policy    such as {name: max_ucb, alpha: 0.5}; or combined: {optimizer: tpe}, one search over all arms\n"
    "  budget    {evaluations: N, seconds: S}, or either of them\n"
    "  reevaluate  evaluations of the best configuration after the budget, with other seeds: the best of many noisy values "
    "is too good\n"
    "  workers   programs at the same time; results depend on lag (8), not on workers\n\n"
    "Every result is in OUT.trials/journal before the next trial is chosen: after Ctrl-C, a crash or a power cut rerun "
    "the same command with --resume (also to draw the figures of a complete run, and with a larger budget to extend it). The "
    "files of an earlier complete run are kept as OUT.h5.previous and so on, unless --force is given. OUT.trials/N has what trial N printed. At the end OUT.h5, OUT.csv (the layout of "
    "maxk record), OUT.best.yaml, OUT.times.csv and OUT.tune.yaml (the tune file with its defaults) are written.\n\n"
    "--simulate plays other policies on the trials of a finished run, every arm's in their order: the trials for which "
    "it can be followed, the best value, the trial that gave it, what the run itself had reached by then, and the arm "
    "whose trials were used up (nothing is known of what would have come next).";

int mk_cmd_tune(int argc, char **argv, struct mk_error *err)
{
    struct mk_texts sets = {0, NULL};
    struct request q = {0};
    int resume = 0, force = 0;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &q.output, "OUT.h5", NULL, 0, -1, "result file (default: results/<name>.h5)"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 0, -1,
         "override a key (dotted path, YAML value); may be repeated"},
        {"add", 0, MK_OPT_TEXT, &q.how.files.add, "FILE.csv", NULL, 0, -1,
         "start from earlier results: columns arm, configuration, and reward or loss, as in OUT.csv; of several instances those "
         "of the tune file's `instance`"},
        {"resume", 0, MK_OPT_FLAG, &resume, NULL, NULL, 0, -1,
         "resume an interrupted run, extend one by a larger budget, or start one"},
        {"force", 0, MK_OPT_FLAG, &force, NULL, NULL, 0, -1, "start over, regardless of what an earlier run has left"},
        {"simulate", 0, MK_OPT_TEXTS, &q.policies, "POLICY", NULL, 0, -1,
         "run nothing: what would this policy have done with the trials in OUT.csv? may be repeated"},
        MK_TABLE_OPTIONS(q.style),
        {"figures", 0, MK_OPT_TEXT, &q.figures, "FOLDER", NULL, 0, -1,
         "draw best values against trials and time, and trials of every arm"},
        {"format", 'f', MK_OPT_CHOICE, &q.format, "NAME", MK_PLOT_FORMATS, 0, -1,
         "format of the figures that --figures draws (default: png)"},
        {"page", 0, MK_OPT_TEXT, &q.page, "FILE.html", NULL, 0, -1,
         "write the page of the results so far every few seconds, and at the end that of `maxk report`"},
        {"quiet", 'q', MK_OPT_FLAG, &q.quiet, NULL, NULL, 0, -1, "print nothing but errors"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {"tune", "FILE.yaml", usage_text, 1, 1};
    char **operand = NULL, *line = mk_command_line(argc, argv);
    size_t n;
    int code = line ? mk_options_parse(&usage, options, argc, argv, &operand, &n, err) : mk_fail_memory(err, "the run");
    if (!code && resume && force)
        code = mk_fail(err, MK_EINPUT, "maxk tune: --resume: cannot be combined with --force");
    q.how.files.resume = resume;
    q.how.files.force = force;
    q.line = line;
    if (!code) {
        q.file = operand[0];
        code = run(&q, &sets, err);
    }
    free(sets.text);
    free(q.policies.text);
    free(line);
    return code;
}

/* maxk tune: a program of the user's own, tuned on two levels, and what shows a run while it lasts: a table or lines on
 * standard output, and an HTML page. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/answers/figures/result_view.h"
#include "analysis/answers/page/result_page.h"
#include "analysis/compare/recorded_trials.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/progress.h"
#include "sim/base/table/table_printer.h"
#include "sim/base/text.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/program/command/program_signals.h"
#include "sim/study/programs/tune_run.h"
#include "sim/study/study_files.h"
#include "sim/study/tune_plan.h"
#include "sim/study/tune_result.h"

enum { MOST_ARMS = 16, LABEL = 24 };                     /* of the table */
static const double redraw_every = 0.2, line_every = 10; /* seconds */

/* Seconds between pages: at least so many, and so many times what writing the results takes. */
static const double page_every = 3, page_rest = 50;

/* ---- on the screen ----
 *
 * On a terminal a table of the arms that is drawn again and again, elsewhere a line for every trial. */

struct screen {
    FILE *to;
    bool is_terminal;
    size_t lines; /* drawn, above the cursor */
    double last;  /* when it was drawn */
};

/* What the table says of an arm. */
struct row {
    size_t arm, trials, failed; /* failed, or infeasible */
    double best, last;          /* of the metric; NaN: none */
    double reward;              /* of the best */
};

static void screen_begin(struct screen *s, FILE *to)
{
    *s = (struct screen){.to = to, .is_terminal = mk_terminal_width(to) > 0, .last = -1};
}

/* The label in LABEL columns. */
static void put_label(FILE *to, const char *label)
{
    char text[MK_CLIP_ROOM];
    mk_clip(label, text);
    size_t width = 0;
    const char *c = text;
    while (*c && width < LABEL - (mk_text_width(text) > LABEL)) {
        const size_t n = mk_text_character(c, strlen(c));
        fwrite(c, 1, n ? n : 1, to);
        c += n ? n : 1;
        width++;
    }
    if (*c) {
        fputs("…", to);
        width++;
    }
    for (; width < LABEL; width++) putc(' ', to);
}

static void put_value(FILE *to, double x)
{
    if (isnan(x))
        fprintf(to, " %10s", "-");
    else
        fprintf(to, " %10.5g", x);
}

static int by_best(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    const double p = isnan(x->best) ? -INFINITY : x->reward, q = isnan(y->best) ? -INFINITY : y->reward;
    if (p != q) return p > q ? -1 : 1;
    return x->arm < y->arm ? -1 : x->arm > y->arm;
}

/* The arms, those with the best results first; malloc'ed, NULL: no memory. */
static struct row *rows_of(const struct mk_tuning *of)
{
    const struct mk_tune *t = of->t;
    struct row *row = calloc(t->n_arms, sizeof *row);
    if (!row) return NULL;
    mk_tune_state_refresh(of->state, of->ended);
    for (size_t k = 0; k < t->n_arms; k++) row[k] = (struct row){.arm = k, .best = NAN, .last = NAN};
    for (size_t i = 0; i < of->state->n; i++) {
        const struct mk_trial *trial = &of->state->trial[i];
        struct row *r = &row[trial->arm];
        if (!trial->done) continue;
        r->trials++;
        r->failed += trial->outcome.status != MK_TRIAL_OK && trial->outcome.status != MK_TRIAL_PRUNED;
        if (trial->outcome.status != MK_TRIAL_OK) continue;
        r->last = trial->outcome.value;
        const double whole = mk_tune_state_whole(of->state, i), reward = mk_tune_reward(t, whole);
        if (isnan(whole) || (!isnan(r->best) && !(reward > r->reward))) continue;
        r->best = whole;
        r->reward = reward;
    }
    qsort(row, t->n_arms, sizeof *row, by_best);
    return row;
}

/* Seconds left by the pace so far and by the budget. */
static double time_left(const struct mk_tuning *of)
{
    const double elapsed = mk_tuning_elapsed(of), budget = of->t->seconds - elapsed;
    const double pace =
        of->ended && !of->t->open_budget ? elapsed / (double)of->ended * (double)(of->all - of->ended) : NAN;
    return isnan(pace) || pace > budget ? budget : pace;
}

static void put_time(FILE *to, double seconds)
{
    if (!isfinite(seconds))
        fputs("-", to);
    else if (seconds < 100)
        fprintf(to, "%.0f s", seconds);
    else if (seconds < 6000)
        fprintf(to, "%.0f min", seconds / 60);
    else
        fprintf(to, "%.1f h", seconds / 3600);
}

/* The run in a line: trials, failures, the best so far, time. */
static void put_progress(FILE *to, const struct mk_tune_view *v, const struct row *row)
{
    const struct mk_tuning *of = v->of;
    const struct mk_tune *t = of->t;
    size_t failed = 0;
    char clip[MK_CLIP_ROOM];
    for (size_t k = 0; k < t->n_arms; k++) failed += row[k].failed;
    const char *what = t->n_constraints ? "failed or infeasible" : "failed";
    fprintf(to, "%.30s: %zu ", t->name, of->ended);
    if (!t->open_budget) fprintf(to, "of %zu ", of->all);
    fprintf(to, "trials, %zu running, ", v->running);
    if (failed) fprintf(to, "%zu %s (%.0f %%), ", failed, what, 100 * (double)failed / (double)of->ended);
    if (v->again) fprintf(to, "best again %zu of %" PRIu64 ", ", mk_tune_state_reevaluated(of->state).n, t->reevaluate);
    if (!isnan(row[0].best)) fprintf(to, "best %.6g by %s, ", row[0].best, mk_clip(t->arm[row[0].arm].label, clip));
    put_time(to, mk_tuning_elapsed(of));
    fputs(", left ", to);
    put_time(to, time_left(of));
}

static size_t draw_table(const struct screen *s, const struct mk_tune_view *v)
{
    const struct mk_tune *t = v->of->t;
    struct row *row = rows_of(v->of);
    size_t lines = 2, shown = t->n_arms < MOST_ARMS ? t->n_arms : MOST_ARMS;
    if (!row) return 0;
    put_progress(s->to, v, row);
    fprintf(s->to, "\033[K\n%-*s %6s %6s %6s %10s %10s\033[K\n", LABEL, "arm", "trials", "failed", "share", "best",
            "last");
    for (size_t i = 0; i < shown; i++, lines++) {
        const struct row *r = &row[i];
        put_label(s->to, t->arm[r->arm].label);
        fprintf(s->to, " %6zu %6zu %5.0f%%", r->trials, r->failed,
                v->of->ended ? 100 * (double)r->trials / (double)v->of->ended : 0);
        put_value(s->to, r->best);
        put_value(s->to, r->last);
        fputs("\033[K\n", s->to);
    }
    if (shown < t->n_arms) {
        fprintf(s->to, "and %zu more arms\033[K\n", t->n_arms - shown);
        lines++;
    }
    free(row);
    return lines;
}

static void put_line(const struct screen *s, const struct mk_tune_view *v, size_t number)
{
    const struct mk_trial *t = &v->of->state->trial[number];
    char clip[MK_CLIP_ROOM];
    const struct mk_trial_outcome *o = v->again ? &v->again->outcome : &t->outcome;
    fprintf(s->to, "trial %zu%s, %s: ", number + 1, v->again ? " again" : "",
            mk_clip(v->of->t->arm[t->arm].label, clip));
    if (o->status == MK_TRIAL_OK)
        fprintf(s->to, "%.6g", o->value);
    else if (o->status == MK_TRIAL_PRUNED)
        fprintf(s->to, "pruned at step %" PRIu64 ", %.6g", mk_last_step(&t->reports), o->value);
    else
        fprintf(s->to, "%s, %s", o->status == MK_TRIAL_INFEASIBLE ? "infeasible" : "failed", o->why);
    fprintf(s->to, " (%.2f s)\n", o->seconds);
    fflush(s->to);
}

static void screen_show(struct screen *s, const struct mk_tune_view *v, size_t number)
{
    const double now = mk_seconds();
    struct row *row;
    if (!s->is_terminal) {
        if (number == SIZE_MAX) return;
        put_line(s, v, number);
        if (s->last >= 0 && now - s->last < line_every) return;
        if (s->last >= 0 && (row = rows_of(v->of))) {
            put_progress(s->to, v, row);
            putc('\n', s->to);
            fflush(s->to);
            free(row);
        }
        s->last = now;
        return;
    }
    if (s->last >= 0 && now - s->last < redraw_every && v->of->ended < v->of->all) return;
    if (s->lines) fprintf(s->to, "\033[%zuA", s->lines);
    s->lines = draw_table(s, v);
    s->last = now;
    fflush(s->to);
}

/* ---- the page ----
 *
 * The results so far go to OUT.trials/page, and `maxk report`, started as a program of its own, makes the page of them,
 * so that trials are neither delayed nor measured with it. */

struct page {
    const char *out; /* FILE.html; NULL: no page */
    const char *of;  /* OUT.h5 */
    char *folder;    /* OUT.trials/page; owned */
    char *result;    /* the result of the results so far; owned */
    double due;      /* when the next page is made */
    pid_t maker;     /* program that makes one; 0: none */
    bool failed;     /* no further pages: the reason has been printed */
};

static int page_begin(struct page *p, const char *out, const char *result, struct mk_error *err)
{
    *p = (struct page){.out = out, .of = result};
    if (!out) return MK_OK;
    p->folder = mk_trials_path(result, ".trials/page");
    if (!p->folder || asprintf(&p->result, "%s/results.h5", p->folder) < 0) return mk_fail_memory(err, "a file name");
    struct mk_atomic_file place;
    int code = mk_atomic_file_begin(&place, out, err); /* said before the first trial */
    if (!code) mk_atomic_file_drop(&place);
    return code;
}

/* Starts `maxk report` in a process group of its own: Ctrl-C lets it finish. */
static int start_page(struct page *p, const char *title)
{
    char *const argv[] = {"maxk",    "report",      p->result,  "-o", (char *)p->out,
                          "--title", (char *)title, "--reload", "5",  NULL};
    posix_spawn_file_actions_t to;
    posix_spawnattr_t how;
    int code = posix_spawn_file_actions_init(&to);
    if (code) return code;
    code = posix_spawnattr_init(&how);
    if (!code) {
        code = posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP);
        for (int i = 0; i < 3 && !code; i++) code = posix_spawn_file_actions_addopen(&to, i, "/dev/null", O_RDWR, 0);
        if (!code) code = posix_spawn(&p->maker, "/proc/self/exe", &to, &how, argv, environ);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&to);
    if (code) p->maker = 0;
    return code;
}

static int write_results(struct page *p, const struct mk_tune_view *v, bool *any, struct mk_error *err)
{
    struct mk_tune_state *results = NULL;
    const struct mk_volatile of_run = {"maxk tune", (int)v->of->t->workers, mk_tuning_elapsed(v->of)};
    int code = mk_tune_state_results(&results, v->of->state, err);
    *any = !code && results->best != SIZE_MAX;
    if (*any) code = mk_make_folder(p->folder, err);
    if (*any && !code) code = mk_tune_write(results, p->of, p->result, &of_run, err);
    mk_tune_state_free(results);
    return code;
}

static bool page_is_busy(struct page *p)
{
    if (p->maker && waitpid(p->maker, NULL, WNOHANG) == 0) return true;
    p->maker = 0;
    return false;
}

/* Makes the page of the results so far where one is due. */
static void page_show(struct page *p, const struct mk_tune_view *v)
{
    const double now = mk_seconds();
    struct mk_error err = {0, ""};
    char title[256];
    bool any = false;
    if (!p->out || p->failed || now < p->due || page_is_busy(p)) return;
    int code = write_results(p, v, &any, &err);
    snprintf(title, sizeof title, "%.100s: running, %zu of %zu trials, %.0f s", v->of->t->name, v->of->ended,
             v->of->all, mk_tuning_elapsed(v->of));
    const int spawned = any && !code ? start_page(p, title) : 0;
    if (spawned) code = mk_fail(&err, MK_EFAIL, "maxk report cannot be started: %s", strerror(spawned));
    p->failed = code != MK_OK;
    if (code) fprintf(stderr, "%s: not written while the run lasts: %s\n", p->out, err.text);
    p->due = now + fmax(page_every, page_rest * (mk_seconds() - now));
}

/* Waits for a page that is being made, and removes OUT.trials/page. */
static void page_end(struct page *p)
{
    while (p->maker && waitpid(p->maker, NULL, 0) < 0 && errno == EINTR) continue;
    for (size_t i = 0; p->result && i < MK_STUDY_FILES; i++) {
        char *path = mk_trials_path(p->result, mk_study_endings[i]);
        if (path) unlink(path);
        free(path);
    }
    if (p->folder) rmdir(p->folder);
    free(p->result);
    free(p->folder);
    p->result = p->folder = NULL;
    p->maker = 0;
}

/* The page of the complete run. */
static int page_write(const struct page *p, struct mk_error *err)
{
    const struct mk_result_page page = {.path = &p->of, .n = 1};
    size_t pictures;
    return p->out ? mk_result_page_write(&page, p->out, &pictures, err) : MK_OK;
}

/* ---- the command ---- */

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

static void report_tests(const struct mk_tune_state *s)
{
    const struct mk_reevaluated tests = mk_tune_state_tested(s);
    char text[MK_COUNTED_ROOM];
    printf("on %s:", mk_counted(tests.n, "test instance", NULL, text));
    if (tests.failed < tests.n) printf(" mean %.6g", tests.mean);
    if (tests.failed + 1 < tests.n) printf(", standard error %.2g", tests.se);
    if (tests.failed) printf("%s %zu failed", tests.failed < tests.n ? "," : "", tests.failed);
    putchar('\n');
}

/* repeats: as of mk_tune_state_repeats. */
static void report(const struct mk_tuning *r, double seconds, bool out_of_time, size_t repeats, const char *path)
{
    const struct mk_tune *t = r->t;
    const struct mk_tune_state *s = r->state;
    const struct mk_trial *best = &s->trial[s->best];
    char text[MK_COUNTED_ROOM], clip[MK_CLIP_ROOM];
    printf("%s: %s", path, mk_counted(r->ended, "trial", NULL, text));
    if (r->resumed) printf(", %zu of them resumed", r->resumed);
    if (r->failed) printf(", %zu failed", r->failed);
    if (r->infeasible) printf(", %zu infeasible", r->infeasible);
    if (r->pruned) printf(", %zu pruned", r->pruned);
    printf(", %.1f s%s\n", seconds, out_of_time ? " (the budget of seconds is used up)" : "");
    if (repeats)
        printf("%s a configuration that had been evaluated before\n",
               mk_counted(repeats, "trial repeats", "trials repeat", text));
    printf("best: %.6g by %s (trial %zu)", best->value, t->arm[best->arm].label, s->best + 1);
    if (best->on) printf(", mean on %s", mk_counted(best->instance, "instance", NULL, text));
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
    if (t->test.n) report_tests(s);
    if (t->order == MK_ORDER_FINISH) printf("order: finish: another run may choose other trials\n");
}

/* What shows a run while it runs. */
struct shown {
    bool on_screen;
    const char *note; /* printed once the run has begun, so that a run that is refused has one line; "": none */
    struct screen screen;
    struct page page;
};

static void show(void *context, const struct mk_tune_view *v, size_t number)
{
    struct shown *s = context;
    if (*s->note) fprintf(stderr, "%s\n", s->note);
    s->note = "";
    if (s->on_screen) screen_show(&s->screen, v, number);
    page_show(&s->page, v);
}

static const char lacks_fidelity[] =
    "%s: no column fidelity, though an optimiser evaluates in part (an earlier version of maxk wrote the file): losses of "
    "evaluations in part are the best whole ones of their arms so far\n";

static int tune(const struct mk_tune *t, const struct request *q, const char *path, const char *note,
                struct mk_error *err)
{
    struct mk_tuning done = {0};
    size_t repeats = 0;
    bool out_of_time = false;
    struct shown shown = {.on_screen = !q->quiet, .note = q->quiet || q->how.files.add ? "" : note};
    struct mk_tune_options how = q->how;
    char *folder = mk_trials_path(path, ".trials");
    how.files.folder = folder;
    how.files.result = path;
    how.seen = show;
    how.context = &shown;
    screen_begin(&shown.screen, stdout);
    int code = page_begin(&shown.page, q->page, path, err);
    if (!code) code = folder ? mk_tune_run(&done, t, &how, &out_of_time, err) : mk_fail_memory(err, "a file name");
    if (!code && done.journal->aside)
        fprintf(stderr, "%s: damaged in line %zu; kept as %s\n", done.journal->file.path, done.journal->damaged,
                done.journal->aside);
    const double seconds = code ? 0 : mk_tuning_elapsed(&done);
    fflush(stdout);
    page_end(&shown.page);
    const struct mk_volatile v = {q->line, (int)t->workers, seconds};
    if (!code) code = mk_tune_run_end(&done, mk_tune_write(done.state, path, path, &v, err), err);
    if (!code && done.left_out)
        fprintf(stderr, "%s: %s in part left out: only whole ones say what a configuration is worth\n",
                q->how.files.add, mk_counted(done.left_out, "evaluation", NULL, (char[MK_COUNTED_ROOM]){0}));
    if (!code && done.lacks_fidelity) fprintf(stderr, lacks_fidelity, q->how.files.add);
    if (*done.previous) fprintf(stderr, "%s: an earlier result; kept as %s%s\n", path, path, done.previous);
    if (!code && !q->quiet) code = mk_tune_state_repeats(done.state, &repeats, err);
    if (!code && !q->quiet) report(&done, seconds, out_of_time, repeats, path);
    if (!code && q->figures) code = draw(q, path, err);
    if (!code) code = page_write(&shown.page, err);
    mk_tune_state_free(done.state);
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
    if (!code && t->prior_lacks_fidelity) fprintf(stderr, lacks_fidelity, "prior");
    if (!code) code = output_path(t, q->output, &path, err);
    mk_stop_programs_on_signals();
    if (!code) code = q->policies.n ? simulate(t, q, path, err) : tune(t, q, path, note, err);
    free(path);
    mk_tune_free(t);
    return code;
}

static const char usage_text[] =
    "Finds a good configuration of a program of your own. For each trial a policy chooses an arm (an algorithm with a "
    "search space), and the optimiser of the arm proposes a configuration. The program is started with the "
    "configuration on its command line and prints a number. The tune file has these keys, among others (maxk list "
    "tunekeys prints all):\n\n  command  the program and its words, which are never given to a shell; {NAME} is a "
    "hyperparameter, {args} all of them\n  metric  where the number is: last_number, json, regex, smac or irace; and "
    "maximize: true or false\n  metrics  further metrics, such as {time: {json: seconds}}; subject_to: {time: "
    "{at_most: 60}} sets constraints on them\n  arms  label, space and optimizer of each arm, and its command where "
    "this differs\n  policy  the policy that chooses arms, such as {name: max_ucb, alpha: 0.5}. In its place, "
    "combined: {optimizer: tpe} is one search over all arms\n  budget  {evaluations: N, seconds: S}, or one of the "
    "two\n  reevaluate  how often the best configuration is evaluated again after the budget, with other seeds. This "
    "is needed since the best of many noisy values is too good\n  workers  programs that run at the same time. Results "
    "depend on lag (8), not on workers\n\nAt the end these files are written:\n\n  OUT.h5  the result\n  OUT.csv  the "
    "trials, in the layout of maxk record\n  OUT.best.yaml  the best configuration\n  OUT.times.csv  the times of the "
    "trials\n  OUT.tune.yaml  the tune file with its defaults\n\nOUT.trials/N has what trial N printed. The files of "
    "an earlier complete run are kept as OUT.h5.previous and so on, unless --force is given.\n\nA run can be "
    "interrupted, by Ctrl-C, a crash or a power cut. Every result is in OUT.trials/journal before the next trial is "
    "chosen; the same command with --resume continues after the last result. --resume also draws the figures of a "
    "complete run, and extends a run if the budget is larger.\n\n--simulate runs no program. It says what another "
    "policy would have done with the trials of a finished run, where every arm gives its trials in their order:\n\n  "
    "trials  the number of trials for which the policy can be followed\n  best, best_at  the best value that the "
    "policy would have reached, and the trial that gave it\n  run_best  the best value that the run itself had reached "
    "after as many trials\n  used_up  the arm whose trials were used up; nothing is known of what would have come "
    "next\n  pulls  the trials of every arm";

int mk_cmd_tune(int argc, char **argv, struct mk_error *err)
{
    struct mk_texts sets = {0, NULL};
    struct request q = {.style.command = "tune"};
    int resume = 0, repair = 0, force = 0;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &q.output, "OUT.h5", NULL, 0, -1, "result file (default: results/<name>.h5)"},
        {"set", 's', MK_OPT_TEXTS, &sets, "KEY=VALUE", NULL, 0, -1,
         "override a key (dotted path, YAML value); may be repeated"},
        {"add", 0, MK_OPT_TEXT, &q.how.files.add, "FILE.csv", NULL, 0, -1,
         "start from earlier results: columns arm, configuration, and reward or loss, as in OUT.csv; of several instances those "
         "of the tune file's `instance`"},
        {"resume", 0, MK_OPT_FLAG, &resume, NULL, NULL, 0, -1,
         "resume an interrupted run, extend one by a larger budget, or start one"},
        {"repair", 0, MK_OPT_FLAG, &repair, NULL, NULL, 0, -1,
         "like --resume, even if the journal is damaged: the results before the first damaged line count, and the "
         "damaged journal is kept as OUT.trials/journal.damaged"},
        {"force", 0, MK_OPT_FLAG, &force, NULL, NULL, 0, -1, "start over, regardless of what an earlier run has left"},
        {"simulate", 0, MK_OPT_TEXTS, &q.policies, "POLICY", NULL, 0, -1,
         "run no program, but say what this policy would have done with the trials in OUT.csv; may be repeated"},
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
    if (!code && (resume || repair) && force)
        code =
            mk_fail(err, MK_EINPUT, "maxk tune: --%s: cannot be combined with --force", repair ? "repair" : "resume");
    q.how.files.resume = resume || repair;
    q.how.files.repair = repair;
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

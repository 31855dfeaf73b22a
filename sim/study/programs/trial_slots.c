#include "sim/study/programs/trial_slots.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/param.h"
#include "sim/base/progress.h"
#include "sim/base/text.h"
#include "sim/study/command_words.h"
#include "sim/study/metric.h"
#include "sim/study/programs/child.h"

enum { PATH_ROOM = 4096, NAME_ROOM = 512, LONGEST_ANSWER = MK_METRIC_LINE };
enum { BYTES_AT_ONCE = 1 << 20 };                /* read of a program's output before other things are looked at */
enum { OUR_VARIABLES = 9 };                      /* of the environment, at most */
enum { FILES_PER_WORKER = 7, OTHER_FILES = 32 }; /* descriptors, while one is started */

enum { REPORT_BYTES = 1 << 16 };         /* of a program's output that are looked at together */
static const double report_every = 0.05; /* seconds between looks at what programs have reported */

static const char closed_output[] = "the program closed its output";

struct slot {
    bool busy;
    size_t number;
    struct mk_trial trial; /* v borrowed */
    uint64_t attempts;
    char directory[PATH_ROOM - NAME_ROOM];
    struct mk_child child; /* guard 0: none is running */
    bool persistent;       /* the child is */
    double start;
    bool pruned;           /* its trial has to end */
    double ends;           /* of a persistent program: when it is ended then */
    char bad[MK_WHY_ROOM]; /* why a report fails the trial; "" */
    off_t looked;          /* bytes of its output that were looked at */
    bool within;           /* they end within a line */
    /* Of a persistent program: */
    char *request;
    size_t sent, request_n;
    char *answer;
    size_t answer_n, answer_room;
    size_t answered;    /* trials, by the program that runs */
    const char *ending; /* why it is being ended; NULL: it is not */
    bool late;          /* its time was over */
};

struct mk_trial_slots {
    const struct mk_tune *t;
    char *folder;
    bool drop;
    bool adopts; /* what a program leaves behind that kills its guard, which is then ended: the system can */
    size_t n, busy;
    struct slot *slot;
    struct pollfd *poll;     /* [3 n] */
    pid_t *guard;            /* [n] */
    mk_trial_report *report; /* NULL: nobody listens */
    void *to;
};

static int check_descriptors(const struct mk_tune *t, struct mk_error *err)
{
    struct rlimit limit;
    const double need = (double)t->workers * FILES_PER_WORKER + OTHER_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == RLIM_INFINITY || need <= (double)limit.rlim_cur)
        return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: workers: %g need %g open files, the limit is %g (ulimit -n): raise it, or use fewer workers",
                   t->file, (double)t->workers, need, (double)limit.rlim_cur);
}

int mk_trial_slots_new(struct mk_trial_slots **out, const struct mk_tune *t, const char *folder, bool drop,
                       struct mk_error *err)
{
    *out = NULL;
    int code = check_descriptors(t, err);
    if (code) return code;
    struct mk_trial_slots *s = *out = calloc(1, sizeof *s);
    if (!s) return mk_fail_memory(err, "workers");
    s->t = t;
    s->drop = drop;
    s->adopts = mk_child_adopt();
    s->n = (size_t)t->workers;
    s->folder = strdup(folder);
    s->slot = calloc(s->n, sizeof *s->slot);
    s->poll = calloc(3 * s->n, sizeof *s->poll);
    s->guard = calloc(s->n, sizeof *s->guard);
    if (s->folder && s->slot && s->poll && s->guard) return MK_OK;
    mk_trial_slots_free(s);
    *out = NULL;
    return mk_fail_memory(err, "workers");
}

void mk_trial_slots_listen(struct mk_trial_slots *s, mk_trial_report *report, void *to)
{
    s->report = report;
    s->to = to;
}

/* Waits for the program of a slot, and ends what it has left behind if it has killed its guard. */
static void end_child(const struct mk_trial_slots *s, struct slot *w, struct mk_child_end *end)
{
    size_t n = 0;
    mk_child_end(&w->child, end);
    if (!s->adopts || end->start_error != ECHILD) return;
    for (size_t i = 0; i < s->n; i++)
        if (s->slot[i].child.guard > 0) s->guard[n++] = s->slot[i].child.guard;
    mk_child_end_adopted(s->guard, n);
}

void mk_trial_slots_free(struct mk_trial_slots *s)
{
    struct mk_child_end end;
    if (!s) return;
    for (size_t i = 0; s->slot && i < s->n; i++) mk_child_stop(&s->slot[i].child);
    for (size_t i = 0; s->slot && i < s->n; i++) {
        if (s->slot[i].child.guard) end_child(s, &s->slot[i], &end);
        free(s->slot[i].request);
        free(s->slot[i].answer);
    }
    free(s->slot);
    free(s->poll);
    free(s->guard);
    free(s->folder);
    free(s);
}

size_t mk_trial_slots_busy(const struct mk_trial_slots *s)
{
    return s->busy;
}

bool mk_trial_slots_has_room(const struct mk_trial_slots *s)
{
    return s->busy < s->n;
}

/* ---- the environment of programs ----
 *
 * It is that of maxk, with a decimal point in numbers for every locale (LC_NUMERIC=C; LC_ALL becomes LANG). */

/* Whether a variable of maxk's environment is handed on as it is. With LC_ALL no other variable of the locale counts.
 */
static bool is_inherited(const char *variable, const char *lc_all)
{
    if (strncmp(variable, "MAXK_", 5) == 0 || strncmp(variable, "LC_NUMERIC=", 11) == 0) return false;
    return !lc_all || (strncmp(variable, "LC_", 3) != 0 && strncmp(variable, "LANG=", 5) != 0);
}

static bool __attribute__((format(printf, 3, 4))) add_variable(char **e, size_t *n, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    const bool good = vasprintf(&e[*n], format, ap) >= 0;
    va_end(ap);
    if (!good) e[*n] = NULL;
    *n += good;
    return good;
}

static void free_environment(char **environment)
{
    for (size_t i = 0; environment && environment[i]; i++) free(environment[i]);
    free(environment);
}

/* With MAXK_TRIAL, MAXK_ARM, MAXK_SEED, MAXK_CONFIG, MAXK_DIRECTORY, MAXK_FOLDER and MAXK_INSTANCE of a trial (NULL:
 * without); NULL: out of memory. */
static char **new_environment(const struct mk_trial_words *trial)
{
    const char *all = getenv("LC_ALL"), *lc_all = all && *all ? all : NULL;
    size_t n = 0, to = 0;
    while (environ[n]) n++;
    char **e = calloc(n + OUR_VARIABLES + 1, sizeof *e), **own = trial ? mk_trial_variables(trial) : NULL;
    bool good = e && (own || !trial) && add_variable(e, &to, "LC_NUMERIC=C") &&
                (!lc_all || add_variable(e, &to, "LANG=%s", lc_all));
    for (size_t i = 0; good && own && own[i]; i++) good = add_variable(e, &to, "%s", own[i]);
    mk_command_free(own);
    for (size_t i = 0; i < n && good; i++)
        if (is_inherited(environ[i], lc_all)) good = add_variable(e, &to, "%s", environ[i]);
    if (good) return e;
    free_environment(e);
    return NULL;
}

/* ---- the metrics of a trial, in what its program has printed or written ---- */

/* False: it is too long. */
static bool metric_path(const char *directory, const struct mk_metric *m, char out[PATH_ROOM])
{
    const int n = snprintf(out, PATH_ROOM, "%s/%s", directory, m->file ? m->file : "stdout");
    return n > 0 && n < PATH_ROOM;
}

static void drop_metric(const char *directory, const struct mk_metric *m)
{
    char path[PATH_ROOM];
    if (m->file && metric_path(directory, m, path)) unlink(path);
}

/* Removes files of metrics in the folder of a trial: of an earlier attempt, or of an earlier run. */
static void drop_metrics(const struct mk_tune *t, const char *directory)
{
    drop_metric(directory, &t->metric);
    for (size_t i = 0; i < t->n_metrics; i++) drop_metric(directory, &t->further[i].from);
}

/* One metric; MK_EINPUT with the reason: there is none. */
static int read_metric(const struct mk_metric *m, const char *directory, double *value, enum mk_trial_status *status,
                       struct mk_error *err)
{
    char path[PATH_ROOM];
    *status = MK_TRIAL_OK;
    if (!metric_path(directory, m, path)) return mk_fail(err, MK_EINPUT, "the path of the trial is too long");
    return mk_metric_read(m, path, value, status, err);
}

/* Sets value and further metrics of trial `number`, whose program has ended well: without its metric it has failed,
 * further metrics may be missing. MK_EIO, MK_ENOMEM: the machine failed, and the trial is still to be made. */
static int read_metrics(const struct mk_tune *t, const char *directory, size_t number, struct mk_trial_outcome *o,
                        struct mk_error *err)
{
    struct mk_error why;
    enum mk_trial_status status, ignored;
    double value;
    int code = read_metric(&t->metric, directory, &value, &status, &why);
    if (code == MK_EINPUT) {
        *o = (struct mk_trial_outcome){.status = status == MK_TRIAL_OK ? MK_TRIAL_CRASHED : status, .value = NAN};
        snprintf(o->why, sizeof o->why, "%.*s", MK_WHY_ROOM - 1, why.text);
        mk_text_one_line(o->why);
        return MK_OK;
    }
    if (!code) *o = (struct mk_trial_outcome){.status = MK_TRIAL_OK, .value = value};
    for (; o->n_metrics < t->n_metrics && !code; o->n_metrics++) {
        const struct mk_metric *m = &t->further[o->n_metrics].from;
        value = NAN;
        if (m->source != MK_METRIC_SECONDS) code = read_metric(m, directory, &value, &ignored, &why);
        o->metric[o->n_metrics] = code ? NAN : value;
        if (code == MK_EINPUT) code = MK_OK;
    }
    if (!code) return MK_OK;
    return mk_fail(err, code, "trial %zu: %s; it is not counted, continue with --resume", number + 1, why.text);
}

/* ---- the folder of a trial ---- */

static bool trial_path(const struct slot *w, const char *name, char out[PATH_ROOM])
{
    const int n = snprintf(out, PATH_ROOM, "%s/%s", w->directory, name);
    return n > 0 && n < PATH_ROOM;
}

static int write_failed(const char *path, struct mk_error *err)
{
    return mk_fail(err, MK_EIO, "%s: cannot be written: %s", path, strerror(errno));
}

/* Writes a file of the trial: the configuration where text is NULL. */
static int write_file(const struct slot *w, const char *name, const char *text, size_t n, struct mk_error *err)
{
    char path[PATH_ROOM];
    errno = ENAMETOOLONG;
    FILE *to = trial_path(w, name, path) ? fopen(path, "we") : NULL;
    if (!to) return write_failed(path, err);
    if (text)
        fwrite(text, 1, n, to);
    else
        mk_put_json_configuration(to, w->trial.space, w->trial.v);
    putc('\n', to);
    const bool bad = ferror(to);
    return fclose(to) || bad ? write_failed(path, err) : MK_OK;
}

static char **environment_of(const struct mk_tune *t, const struct slot *w)
{
    char config[PATH_ROOM];
    if (!trial_path(w, "config.json", config)) return NULL;
    const struct mk_trial_words words = mk_trial_words(t, &w->trial, w->number, w->directory, config);
    return new_environment(&words);
}

/* argv behind the words of the launcher, which takes its place; freed where that fails. NULL: out of memory, or argv
 * is. */
static char **launched_argv(const struct mk_tune *t, char **argv)
{
    size_t n = 0;
    while (argv && argv[n]) n++;
    char **all = argv ? calloc(t->n_launcher + n + 1, sizeof *all) : NULL;
    bool good = all != NULL;
    for (size_t i = 0; i < t->n_launcher && good; i++) good = (all[i] = strdup(t->launcher[i])) != NULL;
    if (good) {
        memcpy(all + t->n_launcher, argv, n * sizeof *all);
        free(argv);
        return all;
    }
    mk_command_free(all);
    mk_command_free(argv);
    return NULL;
}

/* ---- a program for one trial ---- */

/* Seconds until the program of a trial is ended; 0: never. */
static double time_of(const struct mk_tune *t, const struct mk_trial *trial)
{
    const double timeout = t->limits.timeout, bound = trial->bound;
    return bound > 0 && !(timeout > 0 && timeout < bound) ? bound : timeout;
}

static int start_program(struct mk_trial_slots *s, struct slot *w, struct mk_error *err)
{
    char out[PATH_ROOM], error[PATH_ROOM];
    char **argv = mk_trial_argv(s->t, &w->trial, w->number, w->directory);
    char *text = argv ? mk_trial_command(s->t, &w->trial, w->number, w->directory) : NULL;
    char **environment = environment_of(s->t, w);
    int code = text && environment && trial_path(w, "stdout", out) && trial_path(w, "stderr", error)
                   ? MK_OK
                   : mk_fail_memory(err, "a trial");
    if (!code && !argv[0]) code = mk_fail(err, MK_EINPUT, "trial %zu: the command has no words", w->number + 1);
    if (!code) code = write_file(w, "command", text, strlen(text), err);
    if (!code && !(argv = launched_argv(s->t, argv))) code = mk_fail_memory(err, "a trial");
    struct mk_child_limits limits = s->t->limits;
    limits.timeout = time_of(s->t, &w->trial);
    const struct mk_child_start how = {argv, environment, &limits, out, error};
    w->persistent = false;
    if (!code) code = mk_child_start(&w->child, &how, err);
    free(text);
    free_environment(environment);
    mk_command_free(argv);
    return code;
}

static void __attribute__((format(printf, 3, 4)))
fail_trial(struct mk_trial_outcome *o, enum mk_trial_status status, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(o->why, sizeof o->why, format, ap);
    va_end(ap);
    mk_text_one_line(o->why);
    o->status = status;
    o->value = NAN;
}

/* The time of a trial was over: at the largest time that counts it has this one, otherwise it has failed. */
static void end_late(const struct mk_tune *t, const struct mk_trial *trial, struct mk_trial_outcome *o)
{
    const double time = time_of(t, trial);
    if (!(trial->bound > 0) || time < trial->bound)
        fail_trial(o, MK_TRIAL_TIMED_OUT, "ended after %g s (timeout)", time);
    else if (trial->bound < t->bound)
        fail_trial(o, MK_TRIAL_TIMED_OUT, "ended after %.3g s, with which its configuration cannot survive (bound)",
                   time);
    else
        *o = (struct mk_trial_outcome){.status = MK_TRIAL_OK, .value = t->bound};
}

/* What a program's end means; true when it ended well. `error`: file of its standard error. */
static bool judge_end(const struct mk_tune *t, const struct mk_child_end *end, const char *error,
                      struct mk_trial_outcome *o)
{
    char line[120];
    mk_last_line(error, line, sizeof line);
    const char *colon = *line ? ": " : "";
    if (end->start_error)
        fail_trial(o, MK_TRIAL_CRASHED, "the program cannot be started: %s", strerror(end->start_error));
    else if (WIFSIGNALED(end->status) && (WTERMSIG(end->status) == SIGXCPU))
        fail_trial(o, MK_TRIAL_TIMED_OUT, "ended after %g s of processor time (limits: cpu)", t->limits.cpu);
    else if (WIFSIGNALED(end->status))
        fail_trial(o, MK_TRIAL_CRASHED, "ended by signal %d (%s)%s%s", WTERMSIG(end->status),
                   strsignal(WTERMSIG(end->status)), colon, line);
    else if (!t->success[WEXITSTATUS(end->status)])
        fail_trial(o, MK_TRIAL_CRASHED, "exit code %d%s%s", WEXITSTATUS(end->status), colon, line);
    else
        return true;
    return false;
}

/* An error of the machine stops the run, and the trial is still to be made. */
static int machine_failed(const struct slot *w, int error, struct mk_error *err)
{
    return mk_fail(err, MK_EIO, "trial %zu: %s; it is not counted, continue with --resume", w->number + 1,
                   error == ECHILD ? "the process that watches its program was killed" : strerror(error));
}

static bool is_disk_full(const char *folder)
{
    struct statvfs about;
    return statvfs(folder, &about) == 0 && about.f_blocks > 0 &&
           (about.f_bavail == 0 || (about.f_files && !about.f_ffree));
}

/* ---- reports of a program for one trial ----
 *
 * Its output is a file, which is read as it grows. */

/* A report, or why it is none. */
static int take_report(struct mk_trial_slots *s, struct slot *w, struct mk_report now, int code,
                       const struct mk_error *why, struct mk_error *err)
{
    if (code == MK_ENOMEM) return mk_fail(err, code, "%s", why->text);
    if (code) {
        snprintf(w->bad, sizeof w->bad, "%.*s", MK_WHY_ROOM - 1, why->text);
        mk_text_one_line(w->bad);
        return MK_OK;
    }
    return s->report(s->to, w->number, now, &w->pruned, err);
}

static int take_reports(struct mk_trial_slots *s, struct slot *w, const char *text, size_t n, bool is_end,
                        size_t *taken, struct mk_error *err)
{
    int code = MK_OK;
    *taken = 0;
    while (!code && *taken < n && !w->pruned && !*w->bad) {
        const char *line = text + *taken, *end = memchr(line, '\n', n - *taken);
        struct mk_report now;
        struct mk_error why;
        int problem;
        if (!end && !is_end) break;
        const size_t length = end ? (size_t)(end - line) : n - *taken;
        if (!w->within && mk_metric_report(line, length, &now, &problem, &why))
            code = take_report(s, w, now, problem, &why, err);
        w->within = false;
        *taken += length + (end != NULL);
    }
    return code;
}

/* Takes what it has reported; is_end: it has ended, and the last line need have no end. */
static int look(struct mk_trial_slots *s, struct slot *w, bool is_end, struct mk_error *err)
{
    char path[PATH_ROOM];
    if (!s->report || w->persistent || w->pruned || *w->bad || !trial_path(w, "stdout", path)) return MK_OK;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = fd < 0 ? NULL : malloc(REPORT_BYTES);
    int code = fd < 0 || text ? MK_OK : mk_fail_memory(err, "reports");
    ssize_t n = 0;
    while (!code && text && !w->pruned && !*w->bad && (n = pread(fd, text, REPORT_BYTES, w->looked)) > 0) {
        size_t taken;
        code = take_reports(s, w, text, (size_t)n, is_end && n < REPORT_BYTES, &taken, err);
        if (!taken && n == REPORT_BYTES) {
            taken = (size_t)n; /* a line longer than that */
            w->within = true;
        }
        w->looked += (off_t)taken;
        if (!taken) break;
    }
    free(text);
    if (fd >= 0) close(fd);
    if (!code && !is_end && (w->pruned || *w->bad)) mk_child_stop(&w->child);
    return code;
}

static int look_at_all(struct mk_trial_slots *s, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < s->n && s->report && !code; i++)
        if (s->slot[i].busy && s->slot[i].child.guard) code = look(s, &s->slot[i], false, err);
    return code;
}

/* ---- a persistent program ---- */

static int start_persistent(struct mk_trial_slots *s, size_t at, struct mk_error *err)
{
    struct slot *w = &s->slot[at];
    char error[PATH_ROOM];
    const struct mk_trial_words words = {.instance = s->t->instance, .here = s->t->here};
    struct mk_child_limits limits = s->t->limits;
    char **argv = launched_argv(s->t, mk_command_argv(&s->t->worker, &words));
    char **environment = new_environment(NULL);
    limits.timeout = 0; /* of a trial, not of the program */
    snprintf(error, sizeof error, "%.3500s/worker-%zu.stderr", s->folder, at + 1);
    const struct mk_child_start how = {argv, environment, &limits, NULL, error};
    int code = argv && environment ? mk_child_start(&w->child, &how, err) : mk_fail_memory(err, "a worker");
    mk_command_free(argv);
    free_environment(environment);
    w->answered = w->answer_n = 0;
    w->persistent = true;
    w->ending = NULL;
    return code;
}

static int make_request(const struct mk_trial_slots *s, struct slot *w, struct mk_error *err)
{
    char folder[MK_TRIAL_PATH_ROOM];
    free(w->request);
    w->request = NULL;
    FILE *to = open_memstream(&w->request, &w->request_n);
    if (!to) return mk_fail_memory(err, "a trial");
    fprintf(to, "{\"trial\": %zu, \"arm\": ", w->number + 1);
    mk_put_json_text(to, s->t->arm[w->trial.arm].label);
    fprintf(to, ", \"seed\": %" PRIu64 ", \"fidelity\": %.17g, \"directory\": ", w->trial.seed, w->trial.fidelity);
    mk_put_json_text(to, w->directory);
    mk_trial_folder(&w->trial, w->directory, folder);
    fputs(", \"folder\": ", to);
    mk_put_json_text(to, folder);
    if (w->trial.bound > 0) fprintf(to, ", \"bound\": %.17g", w->trial.bound);
    if (w->trial.on) {
        fputs(", \"instance\": ", to);
        mk_put_json_text(to, w->trial.on->path);
    }
    fputs(", \"config\": ", to);
    mk_put_json_configuration(to, w->trial.space, w->trial.v);
    fputs("}\n", to);
    w->sent = w->answer_n = 0;
    return fclose(to) ? mk_fail_memory(err, "a trial") : MK_OK;
}

static void send_request(struct slot *w)
{
    while (w->sent < w->request_n) {
        const ssize_t n = write(w->child.to, w->request + w->sent, w->request_n - w->sent);
        if (n <= 0) return; /* full: later; closed: the end of the program will say so */
        w->sent += (size_t)n;
    }
}

static void end_persistent(struct slot *w, const char *why)
{
    if (w->ending) return;
    w->ending = why;
    mk_child_stop(&w->child);
}

/* *line <- the first whole line of what has arrived that begins with a brace, copied, and *n its length, 0: none. What
 * comes before it is dropped. */
static int take_answer(struct slot *w, char **line, size_t *n, struct mk_error *err)
{
    size_t at = 0;
    *n = 0;
    for (char *end; !*n && (end = memchr(w->answer + at, '\n', w->answer_n - at)); at = (size_t)(end - w->answer) + 1) {
        const size_t length = (size_t)(end - w->answer) - at;
        if (!length || w->answer[at] != '{') continue;
        *line = malloc(length + 1);
        if (!*line) return mk_fail_memory(err, "an answer");
        memcpy(*line, w->answer + at, length);
        (*line)[ *n = length] = 0;
    }
    w->answer_n -= at;
    memmove(w->answer, w->answer + at, w->answer_n);
    return MK_OK;
}

/* Reads what has arrived, no more than BYTES_AT_ONCE. *n > 0: *line is an answer. */
static int read_answer(struct slot *w, char **line, size_t *n, struct mk_error *err)
{
    int code = MK_OK;
    *n = 0;
    for (size_t all = 0; all < BYTES_AT_ONCE;) {
        if (w->answer_room - w->answer_n < 4096) {
            if (!MK_GROW(w->answer, w->answer_room, 65536)) return mk_fail_memory(err, "an answer");
            w->answer_room += 65536;
        }
        const ssize_t got = read(w->child.from, w->answer + w->answer_n, w->answer_room - w->answer_n);
        if (got == 0) end_persistent(w, closed_output);
        if (got <= 0) break;
        w->answer_n += (size_t)got;
        all += (size_t)got;
        code = take_answer(w, line, n, err);
        if (code || *n) break;
        if (w->answer_n > LONGEST_ANSWER) {
            end_persistent(w, "a line of the answer is longer than 1 MiB");
            break;
        }
    }
    return code;
}

/* What a program has printed before it was asked is dropped. False: there was an object of JSON among it, which may be
 * the first of several, or it does not stop. */
static bool drop_output(struct slot *w)
{
    struct mk_error ignored;
    char *line = NULL;
    size_t n = 0;
    bool quiet = !w->answer_n || w->answer[0] != '{';
    w->answer_n = quiet ? w->answer_n : 0;
    if (read_answer(w, &line, &n, &ignored) || n) quiet = false;
    free(line);
    struct pollfd more = {w->child.from, POLLIN, 0};
    quiet &= poll(&more, 1, 0) <= 0 && (!w->answer_n || w->answer[0] != '{');
    w->answer_n = 0;
    return quiet;
}

/* Ends a persistent program whose output cannot be trusted any more; another will take its place. */
static void end_now(const struct mk_trial_slots *s, struct slot *w)
{
    struct mk_child_end end;
    mk_child_stop(&w->child);
    end_child(s, w, &end);
    w->ending = NULL;
    w->answer_n = 0;
}

/* ---- all slots ---- */

static int start_trial(struct mk_trial_slots *s, size_t at, struct mk_error *err)
{
    struct slot *w = &s->slot[at];
    drop_metrics(s->t, w->directory);
    int code = write_file(w, "config.json", NULL, 0, err);
    w->start = mk_seconds();
    w->late = w->pruned = w->within = false;
    w->looked = 0;
    *w->bad = 0;
    if (code) return code;
    if (s->t->arm[w->trial.arm].command) return start_program(s, w, err);
    if (w->child.guard && w->persistent && w->answered && !drop_output(w)) end_now(s, w);
    if (!w->child.guard) code = start_persistent(s, at, err);
    if (!code) code = make_request(s, w, err);
    if (!code) send_request(w);
    return code;
}

/* A slot for a trial: a persistent program keeps its slot. */
static size_t find_slot(const struct mk_trial_slots *s, bool persistent)
{
    size_t other = SIZE_MAX;
    for (size_t i = 0; i < s->n; i++) {
        if (s->slot[i].busy) continue;
        if ((s->slot[i].child.guard != 0) == persistent) return i;
        other = i;
    }
    return other;
}

int mk_trial_slots_start(struct mk_trial_slots *s, size_t number, const struct mk_trial *trial, struct mk_error *err)
{
    const bool persistent = !s->t->arm[trial->arm].command;
    const size_t at = find_slot(s, persistent);
    struct slot *w = &s->slot[at];
    if (!persistent && w->child.guard) { /* arms of both kinds: the persistent program makes way */
        end_now(s, w);
    }
    w->busy = true;
    s->busy++;
    w->number = number;
    w->trial = *trial;
    w->attempts = 0;
    if (snprintf(w->directory, sizeof w->directory, "%s/%zu", s->folder, number + 1) >= (int)sizeof w->directory)
        return mk_fail(err, MK_EINPUT, "%s: the path is too long", s->folder);
    char folder[MK_TRIAL_PATH_ROOM];
    mk_trial_folder(trial, w->directory, folder);
    int code = mk_make_folder(w->directory, err);
    if (!code) code = mk_make_folder(folder, err);
    if (!code && trial->fresh && trial->origin == SIZE_MAX) code = mk_empty_folder(folder, err); /* of an earlier run */
    return code ? code : start_trial(s, at, err);
}

/* Removes what is maxk's in the folder of a trial, and the folder if that was all. */
static void drop_folder(const struct slot *w)
{
    static const char *const ours[] = {"config.json", "command", "stdout", "stderr"};
    char path[PATH_ROOM];
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (trial_path(w, ours[i], path)) unlink(path);
    rmdir(w->directory);
}

/* The outcome is final unless there is another attempt. */
static int finish_trial(struct mk_trial_slots *s, size_t at, const struct mk_trial_outcome *o, bool *final,
                        struct mk_error *err)
{
    struct slot *w = &s->slot[at];
    const bool capped = o->status == MK_TRIAL_TIMED_OUT && w->trial.bound < s->t->bound;
    const bool failed = o->status != MK_TRIAL_OK && o->status != MK_TRIAL_PRUNED;
    if (failed && !capped && w->attempts++ < s->t->retries) {
        *final = false;
        return start_trial(s, at, err);
    }
    if (s->drop && !failed) drop_folder(w);
    w->busy = false;
    s->busy--;
    *final = true;
    return MK_OK;
}

/* Whether it was our doing: a program that ends by itself closes its output a moment before. */
static bool was_ended(const struct mk_child_end *end)
{
    return !end->start_error && WIFSIGNALED(end->status) &&
           (WTERMSIG(end->status) == SIGTERM || WTERMSIG(end->status) == SIGKILL);
}

/* Whether a persistent program may have ended after its last answer, without knowing of this trial. How it ended says
 * nothing of that, and whether the request was there before depends on the time: so all such trials are put to a new
 * program, whose end counts, since it has answered nothing. */
static bool ended_between(const struct slot *w, const struct mk_child_end *end)
{
    return w->answered && !w->late && !w->pruned && !*w->bad && (!w->ending || w->ending == closed_output) &&
           !end->start_error;
}

/* The program of a slot has ended. *final: the trial has, with this outcome. */
static int take_end(struct mk_trial_slots *s, size_t at, struct mk_trial_outcome *o, bool *final, struct mk_error *err)
{
    struct slot *w = &s->slot[at];
    struct mk_child_end end;
    char error[PATH_ROOM];
    *o = (struct mk_trial_outcome){.status = MK_TRIAL_OK, .value = NAN};
    *final = false;
    end_child(s, w, &end);
    w->answer_n = 0;
    if (!w->busy) return MK_OK; /* an idle persistent program: started again when needed */
    if (mk_is_error_of_machine(end.start_error)) return machine_failed(w, end.start_error, err);
    if (w->persistent && ended_between(w, &end)) return start_trial(s, at, err);
    int code = look(s, w, true, err);
    if (code) return code;
    if (w->pruned) {
        o->status = MK_TRIAL_PRUNED;
    } else if (*w->bad) {
        fail_trial(o, MK_TRIAL_CRASHED, "%s", w->bad);
    } else if (w->persistent) {
        snprintf(error, sizeof error, "%.3500s/worker-%zu.stderr", s->folder, at + 1);
        if (w->late)
            end_late(s->t, &w->trial, o);
        else if (w->ending && (w->ending != closed_output || was_ended(&end)))
            fail_trial(o, MK_TRIAL_CRASHED, "%s", w->ending);
        else if (judge_end(s->t, &end, error, o))
            fail_trial(o, MK_TRIAL_CRASHED, "the program ended without an answer");
    } else {
        trial_path(w, "stderr", error);
        if (end.timed_out && !end.start_error)
            end_late(s->t, &w->trial, o);
        else if (judge_end(s->t, &end, error, o))
            code = read_metrics(s->t, w->directory, w->number, o, err);
    }
    if (code) return code;
    if (o->status != MK_TRIAL_OK && !w->pruned && is_disk_full(w->directory)) return machine_failed(w, ENOSPC, err);
    o->seconds = w->persistent ? mk_seconds() - w->start : end.seconds;
    return finish_trial(s, at, o, final, err);
}

/* A line of a persistent program that is a report, which is answered; after a bad one it is ended. */
static int take_answered_report(struct mk_trial_slots *s, struct slot *w, const char *line, size_t n, bool *reported,
                                struct mk_error *err)
{
    struct mk_report now;
    struct mk_error why;
    bool bad = false;
    int problem;
    *reported =
        !w->pruned && mk_metric_report_of_answer(&s->t->metric, line, n, w->number + 1, &now, &bad, &problem, &why);
    if (!*reported) return MK_OK;
    if (bad) {
        *reported = false; /* judged as an answer is */
        return MK_OK;
    }
    int code = take_report(s, w, now, problem, &why, err);
    if (code) return code;
    if (*w->bad) {
        end_persistent(w, w->bad);
        return MK_OK;
    }
    char *unsent = w->request;
    const int size = asprintf(&w->request, "%.*s{\"trial\": %zu, \"stop\": %s}\n", (int)(w->request_n - w->sent),
                              unsent + w->sent, w->number + 1, w->pruned ? "true" : "false");
    free(unsent);
    if (size < 0) {
        w->request = NULL;
        return mk_fail_memory(err, "a report");
    }
    w->request_n = (size_t)size;
    w->sent = 0;
    if (w->pruned) w->ends = mk_seconds() + s->t->limits.grace;
    send_request(w);
    return MK_OK;
}

static int take_line(struct mk_trial_slots *s, size_t at, struct mk_trial_outcome *o, bool *final, struct mk_error *err)
{
    struct slot *w = &s->slot[at];
    struct mk_error why;
    char *line = NULL;
    size_t n = 0;
    *final = false;
    int code = w->ending ? MK_OK : read_answer(w, &line, &n, err);
    for (bool reported = true; !code && n && s->report;) {
        code = take_answered_report(s, w, line, n, &reported, err);
        if (!code && !reported) break;
        free(line);
        line = NULL;
        n = 0;
        if (!code && !w->ending) code = take_answer(w, &line, &n, err);
    }
    if (code || !n) return code;
    *o = (struct mk_trial_outcome){.status = MK_TRIAL_OK, .value = NAN};
    code = write_file(w, "stdout", line, n, err);
    bool bad = false;
    const int read = mk_metric_of_answer(&s->t->metric, line, n, w->number + 1, &o->value, &bad, &why);
    if (read == MK_ENOMEM)
        code = mk_fail(err, read, "%s", why.text);
    else if (w->pruned && !bad)
        o->status = MK_TRIAL_PRUNED;
    else if (read)
        fail_trial(o, MK_TRIAL_CRASHED, "%s", why.text);
    else if (!code)
        code = mk_metrics_of_answer(s->t->further, o->n_metrics = s->t->n_metrics, line, n, o->metric, err);
    free(line);
    o->seconds = mk_seconds() - w->start;
    if (bad) end_now(s, w);
    if (code) return code;
    if (bad && w->answered && !w->pruned) return start_trial(s, at, err); /* it may be the rest of an earlier answer */
    w->answered++;
    return finish_trial(s, at, o, final, err);
}

/* The descriptors to wait for; returns the seconds until a persistent program is late, at most `seconds`. */
static double prepare_poll(struct mk_trial_slots *s, double seconds)
{
    for (size_t i = 0; i < s->n; i++) {
        struct slot *w = &s->slot[i];
        struct pollfd *p = &s->poll[3 * i];
        mk_child_continue(&w->child);
        const bool waits = w->child.guard && w->persistent && w->busy && !w->ending;
        p[0] = (struct pollfd){w->child.guard ? w->child.report : -1, POLLIN, 0};
        p[1] = (struct pollfd){waits ? w->child.from : -1, POLLIN, 0};
        p[2] = (struct pollfd){waits && w->sent < w->request_n ? w->child.to : -1, POLLOUT, 0};
        const double time = waits ? time_of(s->t, &w->trial) : 0;
        if (!(time > 0) && !(waits && w->pruned)) continue;
        const double left = (w->pruned ? w->ends : w->start + time) - mk_seconds();
        if (left <= 0) {
            w->late = true;
            end_persistent(w, "timeout");
        } else if (left < seconds)
            seconds = left;
    }
    return seconds;
}

int mk_trial_slots_wait(struct mk_trial_slots *s, double seconds, size_t *number, struct mk_trial_outcome *out,
                        struct mk_error *err)
{
    *number = SIZE_MAX;
    seconds = prepare_poll(s, s->report ? fmin(seconds, report_every) : seconds);
    const int ready = poll(s->poll, 3 * s->n, (int)(seconds * 1000) + 1);
    const int looked = look_at_all(s, err);
    if (looked || ready <= 0) return looked; /* nothing, or a signal */
    for (size_t i = 0; i < s->n; i++) {
        struct slot *w = &s->slot[i];
        bool final = false;
        int code = MK_OK;
        if (s->poll[3 * i + 2].revents) send_request(w);
        if (s->poll[3 * i + 1].revents) code = take_line(s, i, out, &final, err);
        if (!code && !final && s->poll[3 * i].revents) code = take_end(s, i, out, &final, err);
        if (code) return code;
        if (!final) continue;
        *number = w->number;
        return MK_OK;
    }
    return MK_OK;
}

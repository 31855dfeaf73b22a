#include "sim/study/tune_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>

#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"

static const char magic[] = "maxk tune 1";
enum { CRC = 9 };                       /* a blank and 8 digits */
static const double sync_seconds = 0.1; /* a sync takes milliseconds, some trials less */

/* after: results before that line. */
static int damaged(struct mk_tune_journal *j, size_t line, const char *what, size_t after, struct mk_error *err)
{
    char text[MK_COUNTED_ROOM];
    j->damaged = line;
    if (!after) return mk_fail(err, MK_EINPUT, "%s:%zu: %s; start over with --force", j->file.path, line, what);
    return mk_fail(err, MK_EINPUT,
                   "%s:%zu: %s; continue from the %s before it with --repair, or start over with --force", j->file.path,
                   line, what, mk_counted(after, "result", NULL, text));
}

/* ---- lines ---- */

static uint32_t crc_of(const char *text, size_t n)
{
    return (uint32_t)crc32(crc32(0, NULL, 0), (const unsigned char *)text, (uInt)n);
}

/* Appends a line (without its end) with its checksum, after one of metrics unless that is empty, and syncs both when
 * something has waited for `seconds` (INFINITY: not now). After an error there is nothing of them. */
static int append(struct mk_tune_journal *j, const char *metrics, const char *line, double seconds,
                  struct mk_error *err)
{
    char *before = NULL, *whole = NULL;
    const off_t start = j->file.end;
    if (*metrics && asprintf(&before, "%s %08" PRIx32 "\n", metrics, crc_of(metrics, strlen(metrics))) < 0)
        return mk_fail_memory(err, "the journal");
    const int n = asprintf(&whole, "%s%s %08" PRIx32 "\n", before ? before : "", line, crc_of(line, strlen(line)));
    free(before);
    if (n < 0) return mk_fail_memory(err, "the journal");
    int code = mk_append(&j->file, whole, (size_t)n, err);
    free(whole);
    if (!code && (code = mk_append_sync(&j->file, seconds, err))) mk_tune_journal_undo(j, start);
    if (!code) j->complete = false;
    return code;
}

void mk_tune_journal_undo(struct mk_tune_journal *j, off_t end)
{
    struct mk_error ignored; /* what could not be cut off now is before the next line */
    mk_append_cut(&j->file, end, &ignored);
}

int mk_tune_journal_sync(struct mk_tune_journal *j, struct mk_error *err)
{
    return mk_append_sync(&j->file, sync_seconds, err);
}

static void drop_events(struct mk_tune_journal *j)
{
    for (size_t i = 0; i < j->n; i++) free(j->event[i].configuration);
    j->n = j->results = j->successes = j->next.n_metrics = 0;
    j->complete = false;
}

int mk_tune_journal_restart(struct mk_tune_journal *j, const char *resolved, struct mk_error *err)
{
    char *line = NULL;
    drop_events(j);
    int code = mk_append_cut(&j->file, 0, err);
    if (!code) code = append(j, "", magic, INFINITY, err);
    for (const char *at = resolved; *at && !code; at += strcspn(at, "\n") + (strchr(at, '\n') != NULL)) {
        if (asprintf(&line, "= %.*s", (int)strcspn(at, "\n"), at) < 0) return mk_fail_memory(err, "the journal");
        code = append(j, "", line, INFINITY, err);
        free(line);
    }
    if (!code) code = mk_append_sync(&j->file, 0, err);
    return code || !j->is_file ? code : mk_sync_place(j->file.path, err);
}

/* A line that ends with a configuration; head: what comes before it. */
static int append_configuration(struct mk_tune_journal *j, const char *metrics, const char *head,
                                const struct mk_space *space, const double *v, double seconds, struct mk_error *err)
{
    char *configuration = mk_space_configuration_text(space, v), *line = NULL;
    const bool written = configuration && asprintf(&line, "%s %s", head, configuration) >= 0;
    free(configuration);
    if (!written) return mk_fail_memory(err, "the journal"); /* asprintf has left nothing in line */
    int code = append(j, metrics, line, seconds, err);
    free(line);
    return code;
}

int mk_tune_journal_ask(struct mk_tune_journal *j, const struct mk_trial *t, struct mk_error *err)
{
    char head[64];
    snprintf(head, sizeof head, "ask %zu %016" PRIx64, t->arm, t->digest);
    return append_configuration(j, "", head, t->space, t->v, INFINITY, err);
}

int mk_tune_journal_report(struct mk_tune_journal *j, size_t trial, struct mk_report now, bool stop,
                           struct mk_error *err)
{
    char line[128], value[40];
    snprintf(line, sizeof line, "report %zu %" PRIu64 " %s %d", trial + 1, now.step,
             mk_format_real(now.value, value, sizeof value), stop);
    return append(j, "", line, sync_seconds, err);
}

enum { METRICS_ROOM = 16 + 32 * MK_TUNE_MOST_METRICS };

/* The line before that of a trial which has further metrics; otherwise "". */
static const char *metrics_line(const struct mk_trial_outcome *o, char line[METRICS_ROOM])
{
    char value[40];
    size_t n = 0;
    *line = 0;
    if (o->n_metrics) n = (size_t)snprintf(line, METRICS_ROOM, "metrics");
    for (size_t i = 0; i < o->n_metrics; i++)
        n += (size_t)snprintf(line + n, METRICS_ROOM - n, " %s", mk_format_real(o->metric[i], value, sizeof value));
    return line;
}

int mk_tune_journal_add(struct mk_tune_journal *j, const struct mk_trial *t, struct mk_error *err)
{
    char head[128], value[40], metrics[METRICS_ROOM];
    snprintf(head, sizeof head, "add %zu %s %016" PRIx64, t->arm, mk_format_real(t->outcome.value, value, sizeof value),
             t->digest);
    return append_configuration(j, metrics_line(&t->outcome, metrics), head, t->space, t->v, INFINITY, err);
}

int mk_tune_journal_first(struct mk_tune_journal *j, const struct mk_space *space, size_t arm, const double *v,
                          struct mk_error *err)
{
    char head[64];
    snprintf(head, sizeof head, "first %zu %016" PRIx64, arm, mk_space_configuration_digest(space, v));
    return append_configuration(j, "", head, space, v, sync_seconds, err);
}

/* A line that begins with `word`. */
static int append_outcome(struct mk_tune_journal *j, const char *word, size_t trial, const struct mk_trial_outcome *o,
                          const char *metrics, double elapsed, struct mk_error *err)
{
    char line[MK_WHY_ROOM + 200], value[40];
    snprintf(line, sizeof line, "%s %zu %d %s %.6f %.3f %s", word, trial + 1, (int)o->status,
             mk_format_real(o->value, value, sizeof value), o->seconds, elapsed, o->why);
    return append(j, metrics, line, sync_seconds, err);
}

int mk_tune_journal_end(struct mk_tune_journal *j, size_t trial, const struct mk_trial_outcome *o, double elapsed,
                        struct mk_error *err)
{
    char metrics[METRICS_ROOM];
    int code = append_outcome(j, "end", trial, o, metrics_line(o, metrics), elapsed, err);
    j->successes += !code && !mk_trial_failed(o->status);
    return code;
}

int mk_tune_journal_again(struct mk_tune_journal *j, size_t trial, size_t index, const struct mk_trial_outcome *o,
                          double elapsed, struct mk_error *err)
{
    char word[40];
    snprintf(word, sizeof word, "again %zu", index);
    return append_outcome(j, word, trial, o, "", elapsed, err);
}

/* ---- reading ---- */

static bool parse_value(const char *text, double *out)
{
    if (strcmp(text, "nan") == 0) {
        *out = NAN;
        return true;
    }
    return mk_parse_real(text, strlen(text), out);
}

static bool parse_report(const char *line, struct mk_tune_event *e)
{
    char value[64];
    int stop = 0, at = 0;
    e->kind = MK_EVENT_REPORT;
    if (sscanf(line, "report %zu %" SCNu64 " %63s %d%n", &e->trial, &e->report.step, value, &stop, &at) != 4 ||
        line[at] || !e->trial || !e->report.step || !parse_value(value, &e->report.value) || !isfinite(e->report.value))
        return false;
    e->trial--;
    e->stop = stop != 0;
    return true;
}

/* The event of a line that is whole. */
static bool parse_event(char *line, struct mk_tune_event *e)
{
    char value[64], digest[32];
    int at = 0, status = 0;
    *e = (struct mk_tune_event){.kind = MK_EVENT_ASK};
    if (sscanf(line, "ask %zu %31s %n", &e->arm, digest, &at) == 2) {
        e->digest = strtoull(digest, NULL, 16);
        if (!at || !line[at]) return true; /* as version 1.0 wrote it */
        e->configuration = strdup(line + at);
        return e->configuration;
    }
    if (sscanf(line, "add %zu %63s %31s %n", &e->arm, value, digest, &at) == 3 && at) {
        e->kind = MK_EVENT_ADD;
        e->digest = strtoull(digest, NULL, 16);
        e->configuration = strdup(line + at);
        return parse_value(value, &e->outcome.value) && e->configuration;
    }
    if (sscanf(line, "first %zu %31s %n", &e->arm, digest, &at) == 2 && at) {
        e->kind = MK_EVENT_FIRST;
        e->digest = strtoull(digest, NULL, 16);
        e->configuration = strdup(line + at);
        return e->configuration;
    }
    if (strncmp(line, "report ", 7) == 0) return parse_report(line, e);
    if (sscanf(line, "again %zu%n", &e->index, &at) == 1 && at) {
        e->kind = MK_EVENT_AGAIN;
        line += at;
        at = 0;
    } else if (strncmp(line, "end", 3) == 0) {
        e->kind = MK_EVENT_END;
        line += 3;
    } else {
        return false;
    }
    if (sscanf(line, " %zu %d %63s %lf %lf%n", &e->trial, &status, value, &e->outcome.seconds, &e->elapsed, &at) != 5 ||
        !at || e->trial < 1 || status < 0 || status >= MK_TRIAL_STATUSES || !parse_value(value, &e->outcome.value))
        return false;
    e->trial--;
    e->outcome.status = (enum mk_trial_status)status;
    snprintf(e->outcome.why, sizeof e->outcome.why, "%.*s", MK_WHY_ROOM - 1, line + at + (line[at] == ' '));
    return true;
}

/* Takes a line of further metrics, which are those of the next event. */
static bool take_metrics(struct mk_tune_journal *j, char *line)
{
    char *save = NULL;
    j->next.n_metrics = 0;
    for (char *word = strtok_r(line, " ", &save); (word = strtok_r(NULL, " ", &save));)
        if (j->next.n_metrics == MK_TUNE_MOST_METRICS || !parse_value(word, &j->next.metric[j->next.n_metrics++]))
            return false;
    return true;
}

static int keep_event(struct mk_tune_journal *j, char *line, size_t number, off_t end, struct mk_error *err)
{
    if (!MK_GROW(j->event, j->n, 1)) return mk_fail_memory(err, "the journal");
    if (strncmp(line, "metrics ", 8) == 0)
        return take_metrics(j, line) ? MK_OK : damaged(j, number, "damaged", j->results, err);
    struct mk_tune_event *e = &j->event[j->n];
    if (!parse_event(line, e)) {
        free(e->configuration);
        return damaged(j, number, "damaged", j->results, err);
    }
    j->n++;
    j->complete = false;
    e->line = number;
    e->end = end;
    if (e->kind != MK_EVENT_ASK && e->kind != MK_EVENT_FIRST && e->kind != MK_EVENT_REPORT) {
        e->outcome.n_metrics = j->next.n_metrics;
        memcpy(e->outcome.metric, j->next.metric, sizeof j->next.metric);
        j->next.n_metrics = 0;
    }
    j->results += e->kind == MK_EVENT_END;
    j->successes += e->kind == MK_EVENT_END && !mk_trial_failed(e->outcome.status);
    return MK_OK;
}

/* Takes the checksum off a line; false when it is wrong. */
static bool is_whole(char *line, size_t n)
{
    if (n <= CRC || line[n - CRC] != ' ') return false;
    char *end;
    const unsigned long crc = strtoul(line + n - CRC + 1, &end, 16);
    if (*end || crc != crc_of(line, n - CRC)) return false;
    line[n - CRC] = 0;
    return true;
}

/* head_only: no more than whether it is a journal. */
static int read_lines(struct mk_tune_journal *j, FILE *from, bool head_only, struct mk_error *err)
{
    char *line = NULL, *resolved = NULL;
    size_t room = 0, size = 0, number = 0;
    ssize_t n;
    off_t at = 0;
    int code = MK_OK;
    bool bad = false;
    FILE *to = open_memstream(&resolved, &size);
    if (!to) return mk_fail_memory(err, "the journal");
    while (!code && (n = getline(&line, &room, from)) > 0) {
        number++;
        if (bad) { /* only the last line may be cut off */
            code = damaged(j, number - 1, "damaged", j->results, err);
            break;
        }
        bad = line[n - 1] != '\n';
        if (number == 1 && strncmp(line, magic, (size_t)n < sizeof magic ? (size_t)n : sizeof magic - 1) != 0)
            code = mk_fail(err, MK_EINPUT,
                           "%s: not a journal of maxk tune; choose another --output, or remove the file", j->file.path);
        if (bad || code) continue;
        if (head_only) break;
        line[n - 1] = 0;
        bad = !is_whole(line, (size_t)n - 1);
        if (bad) continue;
        at += n;
        if (number == 1 || strncmp(line, "= ", 2) == 0) j->head = at;
        if (number > 1 && strncmp(line, "= ", 2) == 0)
            fprintf(to, "%s\n", line + 2);
        else if (strcmp(line, "done") == 0)
            j->complete = true;
        else if (number > 1)
            code = keep_event(j, line, number, at, err);
        if (!code && !j->next.n_metrics) j->file.end = at; /* metrics count with the line that they belong to */
    }
    j->next.n_metrics = 0;
    if (!code && ferror(from)) code = mk_fail(err, MK_EIO, "%s: cannot be read", j->file.path);
    free(line);
    fclose(to);
    j->resolved = resolved;
    return code;
}

static int open_file(struct mk_tune_journal *j, const char *path, struct mk_error *err)
{
    struct stat st;
    j->is_file = path != NULL;
    j->file.fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : memfd_create("journal", MFD_CLOEXEC);
    if (j->file.fd < 0 || fstat(j->file.fd, &st))
        return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", j->file.path, strerror(errno));
    return S_ISREG(st.st_mode) ? MK_OK : mk_fail(err, MK_EINPUT, "%s: not a regular file", j->file.path);
}

/* The first name that is free. */
static int name_aside(struct mk_tune_journal *j, struct mk_error *err)
{
    char number[24] = "";
    for (unsigned i = 2;; i++) {
        free(j->aside);
        if (asprintf(&j->aside, "%s.damaged%s", j->file.path, number) < 0) {
            j->aside = NULL;
            return mk_fail_memory(err, "a file name");
        }
        if (access(j->aside, F_OK)) return MK_OK;
        snprintf(number, sizeof number, ".%u", i);
    }
}

/* Copies a journal that is about to be cut. */
static int keep_aside(struct mk_tune_journal *j, struct mk_error *err)
{
    struct mk_atomic_file place;
    FILE *to = NULL;
    char bytes[1 << 14];
    ssize_t n = 0;
    int code = name_aside(j, err);
    if (!code) code = mk_atomic_file_open(&place, &to, j->aside, err);
    if (code) return code;
    for (off_t at = 0; !code && (n = pread(j->file.fd, bytes, sizeof bytes, at)) > 0; at += n)
        if (fwrite(bytes, 1, (size_t)n, to) != (size_t)n) code = mk_fail(err, MK_EIO, "%s", strerror(errno));
    if (!code && n < 0) code = mk_fail(err, MK_EIO, "%s: cannot be read: %s", j->file.path, strerror(errno));
    return mk_atomic_file_close(&place, to, code, err);
}

static int read_again(struct mk_tune_journal *j, enum mk_tune_journal_way way, struct mk_error *err)
{
    const int second = fcntl(j->file.fd, F_DUPFD_CLOEXEC, 0);
    FILE *from = second < 0 || lseek(second, 0, SEEK_SET) < 0 ? NULL : fdopen(second, "r");
    if (!from) {
        const int why = errno;
        if (second >= 0) close(second);
        return mk_fail(err, MK_EINPUT, "%s: %s", j->file.path, strerror(why));
    }
    drop_events(j);
    free(j->resolved);
    j->resolved = NULL;
    j->file.end = 0;
    int code = read_lines(j, from, way == MK_JOURNAL_RESTART, err);
    fclose(from);
    return j->damaged && way == MK_JOURNAL_REPAIR ? keep_aside(j, err) : code;
}

int mk_tune_journal_impossible(struct mk_tune_journal *j, size_t i, const char *what, struct mk_error *err)
{
    size_t after = 0;
    for (size_t k = 0; k < i; k++) after += j->event[k].kind == MK_EVENT_END;
    return damaged(j, j->event[i].line, what, after, err);
}

int mk_tune_journal_repair(struct mk_tune_journal *j, struct mk_error *err)
{
    off_t end = j->head;
    for (size_t i = 0; i < j->n && j->event[i].line < j->damaged; i++) end = j->event[i].end;
    int code = keep_aside(j, err);
    if (!code) code = mk_append_cut(&j->file, end, err);
    if (!code) code = mk_append_sync(&j->file, 0, err);
    return code ? code : mk_tune_journal_reread(j, err);
}

int mk_tune_journal_reread(struct mk_tune_journal *j, struct mk_error *err)
{
    const off_t end = j->file.end;
    int code = j->file.torn ? mk_append_cut(&j->file, end, err) : MK_OK;
    if (!code) code = read_again(j, MK_JOURNAL_READ, err);
    if (code) j->file.end = end;
    return code;
}

int mk_tune_journal_open(struct mk_tune_journal **out, const char *path, enum mk_tune_journal_way way,
                         struct mk_error *err)
{
    struct mk_tune_journal *j = *out = calloc(1, sizeof *j);
    if (!j) return mk_fail_memory(err, "the journal");
    j->file.fd = -1;
    j->file.path = strdup(path ? path : "the study");
    int code = j->file.path ? open_file(j, path, err) : mk_fail_memory(err, "the journal");
    if (!code) code = read_again(j, way, err);
    if (!code && way != MK_JOURNAL_RESTART) code = mk_append_cut(&j->file, j->file.end, err);
    if (code) {
        mk_tune_journal_free(j);
        *out = NULL;
    }
    return code;
}

int mk_tune_journal_done(struct mk_tune_journal *j, struct mk_error *err)
{
    int code = j->complete ? mk_append_sync(&j->file, 0, err) : append(j, "", "done", 0, err);
    if (!code) j->complete = true;
    return code;
}

void mk_tune_journal_free(struct mk_tune_journal *j)
{
    struct mk_error ignored;
    if (!j) return;
    if (j->file.dirty) mk_append_sync(&j->file, 0, &ignored);
    if (j->file.fd >= 0) close(j->file.fd);
    drop_events(j);
    free(j->event);
    free(j->resolved);
    free(j->aside);
    free(j->file.path);
    free(j);
}

#include "sim/search/records/import.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <zlib.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"
#include "sim/search/space/trial_status.h"

enum { HEAD = 1 << 16, MOST_NAMES = 12, NOTE_ROOM = 400, LONGEST_NAME = 100 };

static const struct mk_importer *const importers[] = {
#define IMPORTER(name) &mk_importer_##name,
#include "sim/search/records/list.def"
#undef IMPORTER
};
enum { IMPORTERS = sizeof importers / sizeof *importers };

const char mk_import_choices[] =
#define IMPORTER(name) "|" #name
#include "sim/search/records/list.def"
#undef IMPORTER
    ;

const struct mk_importer *mk_importer_at(size_t i)
{
    return i < IMPORTERS ? importers[i] : NULL;
}

/* ---- filling ---- */

int mk_import_note(struct mk_import *m, struct mk_error *err, const char *format, ...)
{
    char text[NOTE_ROOM];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return mk_string_table_add(&m->notes, text, strlen(text), NULL) == SIZE_MAX ? mk_fail_memory(err, "notes") : MK_OK;
}

int mk_import_direction(struct mk_import_job *job, bool maximize, const char *why, struct mk_error *err)
{
    const bool *given = job->options->maximize;
    const bool up = given ? *given : maximize;
    if (job->has_direction && up != job->up)
        return mk_fail(err, MK_EINPUT,
                       "%s: --direction: missing; %s values are better here, and not in the files before it", job->path,
                       up ? "larger" : "smaller");
    job->to->maximize = job->up = up;
    job->has_direction = true;
    if (given || !why) return MK_OK;
    return mk_import_note(job->to, err, "direction: %s, %s (--direction)", maximize ? "maximize" : "minimize", why);
}

const char *mk_import_status(const char *word, size_t length)
{
    static const struct {
        const char *word, *means;
    } known[] = {
        {"COMPLETE", "missing"},  {"COMPLETED", "missing"},  {"FINISHED", "missing"}, {"SUCCESS", "missing"},
        {"SUCCEEDED", "missing"}, {"TERMINATED", "missing"}, {"DONE", "missing"},     {"OK", "missing"},
        {"MISSING", "missing"},   {"PRUNED", "pruned"},      {"FAIL", "failed"},      {"FAILED", "failed"},
        {"FAILURE", "failed"},    {"CRASHED", "failed"},     {"TIMEOUT", "failed"},   {"MEMOUT", "failed"},
        {"MEMORYOUT", "failed"},  {"ABORT", "failed"},       {"ABORTED", "failed"},   {"CAPPED", "failed"},
        {"KILLED", "failed"},     {"ERROR", "failed"},       {"CANCELED", "failed"},  {"CANCELLED", "failed"},
        {"RUNNING", "open"},      {"WAITING", "open"},       {"SCHEDULED", "open"},   {"PENDING", "open"},
        {"QUEUED", "open"},       {"PAUSED", "open"},        {"STOP", "open"},        {"DONOTADVANCE", "open"}};
    const char *dot = memrchr(word, '.', length);
    if (dot) length -= (size_t)(dot + 1 - word), word = dot + 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].word) == length && strncasecmp(known[i].word, word, length) == 0) return known[i].means;
    return NULL;
}

static size_t number_of(struct mk_string_table *table, const char *name)
{
    return mk_string_table_add(table, name, strlen(name), NULL);
}

static const char by_file[] = "file", by_study[] = "study";

static bool is(const char *given, const char *word)
{
    return given && strcmp(given, word) == 0;
}

int mk_import_no_columns(struct mk_import_job *job, bool instance, struct mk_error *err)
{
    const struct mk_import_options *o = job->options;
    const char *given[] = {o->value, o->cost, o->iteration, o->repetition, instance ? o->instance : NULL};
    static const char *const name[] = {"value", "cost", "iteration", "repetition", "instance"};
    job->by_file[0] = instance && is(o->instance, by_file);
    job->by_file[1] = is(o->repetition, by_file);
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i] && !(i == 3 && job->by_file[1]) && !(i == 4 && job->by_file[0]))
            return mk_fail(err, MK_EINPUT, "%s: --%s: names a column, and this file is no table", job->path, name[i]);
    return MK_OK;
}

/* The text of a name, or what takes its place. */
static const char *name_or(const struct mk_import_job *job, int which, const char *name, const char *otherwise)
{
    return job->by_file[which] ? job->to->files.text[job->file] : name ? name : otherwise;
}

int mk_import_add(struct mk_import_job *job, const struct mk_import_row *e, struct mk_error *err)
{
    struct mk_import *m = job->to;
    if (is(e->status, "open")) {
        job->open++;
        json_object_put(e->parameters);
        return MK_OK;
    }
    if (!MK_GROW(m->evaluation, m->n, 1)) {
        json_object_put(e->parameters);
        return mk_fail_memory(err, "evaluations");
    }
    const bool usable = fabs(e->value) <= MK_MOST_REWARD;
    struct mk_imported *to = &m->evaluation[m->n];
    *to = (struct mk_imported){.instance = number_of(&m->instances, name_or(job, 0, e->instance, "all")),
                               .arm = job->has_arms ? number_of(&m->arms, e->arm) : 0,
                               .repetition = number_of(&m->repetitions, name_or(job, 1, e->repetition, "0")),
                               .file = job->file,
                               .iteration = m->n,
                               .value = usable ? e->value : NAN,
                               .cost = e->cost,
                               .status = usable ? mk_trial_status_word[MK_TRIAL_OK] : e->status,
                               .order = e->order,
                               .budget = e->budget,
                               .parameters = e->parameters};
    m->n++;
    job->beyond += isfinite(e->value) && !usable;
    return to->instance == SIZE_MAX || to->arm == SIZE_MAX || to->repetition == SIZE_MAX
               ? mk_fail_memory(err, "evaluations")
               : MK_OK;
}

/* Removes those that are left out; returns how many. */
static size_t remove_left_out(struct mk_import *m)
{
    const size_t before = m->n;
    m->n = 0;
    for (size_t i = 0; i < before; i++)
        if (m->evaluation[i].left_out)
            json_object_put(m->evaluation[i].parameters);
        else
            m->evaluation[m->n++] = m->evaluation[i];
    return before - m->n;
}

/* ---- the hyperparameter that names the arm ---- */

/* What the evaluations have of a hyperparameter. */
struct seen {
    size_t with; /* evaluations with a value that have it as a text */
    bool other;  /* some have it as something else than a text */
    bool several;
    const char *first;
};

static void see(struct seen *s, json_object *x, bool has_value)
{
    const char *text = json_object_is_type(x, json_type_string) ? json_object_get_string(x) : NULL;
    s->other |= !text;
    if (!text) return;
    s->with += has_value;
    s->several |= s->first && strcmp(s->first, text) != 0;
    if (!s->first) s->first = text;
}

/* The names of all hyperparameters, in the order of their first appearance, and what is seen of them. */
static int hyperparameters(const struct mk_import *m, struct mk_string_table *names, struct seen **seen,
                           struct mk_error *err)
{
    for (size_t i = 0; i < m->n; i++) {
        if (!m->evaluation[i].parameters) continue;
        json_object_object_foreach(m->evaluation[i].parameters, key, x)
        {
            int added;
            const size_t at = mk_string_table_add(names, key, strlen(key), &added);
            if (at == SIZE_MAX || (added && !MK_GROW(*seen, at, 1))) return mk_fail_memory(err, "hyperparameters");
            if (added) (*seen)[at] = (struct seen){0};
            see(&(*seen)[at], x, !isnan(m->evaluation[i].value));
        }
    }
    return MK_OK;
}

static const char *names_text(const struct mk_string_table *names, char *out, size_t room)
{
    return mk_join((const char *const *)names->text, names->n < MOST_NAMES ? names->n : MOST_NAMES, out, room);
}

/* *name <- the hyperparameter that the options give, or the only one that can: every evaluation with a value has it as
 * a text, and at least two texts; if there is none, the only one that every evaluation has as a text. */
static int arm_name(struct mk_import_job *job, const struct mk_string_table *names, const struct seen *seen,
                    const char **name, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], all[300];
    const char *found = job->options->arm;
    size_t able[2] = {0}, values = 0; /* with several words, and with one */
    *name = found;
    if (found && mk_string_table_find(names, found, strlen(found)) == SIZE_MAX)
        return mk_fail(err, MK_EINPUT, "%s: --arm: no hyperparameter '%s', there are: %s", job->path,
                       mk_clip(found, clip), names_text(names, all, sizeof all));
    if (found) return MK_OK;
    for (size_t i = 0; i < job->to->n; i++) values += isnan(job->to->evaluation[i].value) ? 0 : 1;
    for (size_t i = 0; i < names->n; i++) {
        if (seen[i].other || seen[i].with < values) continue;
        if (seen[i].several || !able[0]) *name = names->text[i];
        able[!seen[i].several]++;
    }
    if (able[0] == 1 || (!able[0] && able[1] == 1))
        return mk_import_note(job->to, err,
                              "arm: '%s', the only hyperparameter that is a word in every evaluation (--arm)", *name);
    const char *otherwise = job->to->has_studies ? "file, study or --arm-name NAME" : "file or --arm-name NAME";
    if (!names->n)
        return mk_fail(err, MK_EINPUT,
                       "%s: --arm: missing; the evaluations have no hyperparameters, one of which would name the arm; "
                       "expected %s",
                       job->path, otherwise);
    return mk_fail(err, MK_EINPUT,
                   "%s: --arm: missing; expected the hyperparameter that names the algorithm, one of: %s; or %s",
                   job->path, names_text(names, all, sizeof all), otherwise);
}

/* The arm of each evaluation becomes what this hyperparameter says; the configuration has it no more. */
static int take_arms(struct mk_import_job *job, const char *name, struct mk_error *err)
{
    struct mk_import *m = job->to;
    char clip[MK_CLIP_ROOM], text[MK_COUNTED_ROOM];
    for (size_t i = 0; i < m->n; i++) {
        struct mk_imported *e = &m->evaluation[i];
        json_object *x;
        e->left_out = !json_object_object_get_ex(e->parameters, name, &x);
        if (e->left_out && !isnan(e->value))
            return mk_fail(err, MK_EINPUT, "%s: --arm: evaluation %zu has no '%s'", job->path, i + 1,
                           mk_clip(name, clip));
        if (e->left_out) continue;
        char *label = mk_import_text_of(x);
        e->arm = label ? number_of(&m->arms, label) : SIZE_MAX;
        free(label);
        if (e->arm == SIZE_MAX) return mk_fail_memory(err, "arms");
        json_object_object_del(e->parameters, name);
    }
    const size_t without = remove_left_out(m);
    if (!without) return MK_OK;
    return mk_import_note(m, err, "left out: %s that failed before '%s' was known",
                          mk_counted(without, "evaluation", NULL, text), mk_clip(name, clip));
}

/* The arms are the studies, which are no instances then. */
static int arms_from_studies(struct mk_import *m, struct mk_error *err)
{
    mk_string_table_free(&m->arms);
    m->arms = m->instances;
    m->instances = (struct mk_string_table){0};
    if (number_of(&m->instances, "all") == SIZE_MAX) return mk_fail_memory(err, "instances");
    for (size_t i = 0; i < m->n; i++) {
        m->evaluation[i].arm = m->evaluation[i].instance;
        m->evaluation[i].instance = 0;
    }
    return mk_import_note(m, err, "arms: the studies");
}

static int arms_from_files(struct mk_import *m, struct mk_error *err)
{
    for (size_t i = 0; i < m->n; i++) {
        m->evaluation[i].arm = number_of(&m->arms, m->files.text[m->evaluation[i].file]);
        if (m->evaluation[i].arm == SIZE_MAX) return mk_fail_memory(err, "arms");
    }
    return mk_import_note(m, err, "arms: the files");
}

static int name_arms(struct mk_import_job *job, struct mk_error *err)
{
    struct mk_import *m = job->to;
    struct mk_string_table names = {0};
    struct seen *seen = NULL;
    const char *name = NULL, *given = job->options->arm;
    if (job->options->arm_name) /* the arms of all evaluations are number 0 */
        return number_of(&m->arms, job->options->arm_name) == SIZE_MAX ? mk_fail_memory(err, "arms") : MK_OK;
    int code = hyperparameters(m, &names, &seen, err);
    const bool known = given && mk_string_table_find(&names, given, strlen(given)) != SIZE_MAX;
    if (!code && !known && is(given, by_file))
        code = arms_from_files(m, err);
    else if (!code && !known && is(given, by_study) && m->has_studies)
        code = arms_from_studies(m, err);
    else {
        if (!code) code = arm_name(job, &names, seen, &name, err);
        if (!code) code = take_arms(job, name, err);
    }
    if (!code && m->has_studies && !is(given, by_study)) code = mk_import_note(m, err, "instances: the studies");
    free(seen);
    mk_string_table_free(&names);
    return code;
}

/* ---- evaluations that do not count as they are ---- */

/* Leaves out those with smaller budgets than the largest: their values are of another function. */
static int drop_small_budgets(struct mk_import *m, struct mk_error *err)
{
    char text[MK_COUNTED_ROOM];
    double largest = 0;
    for (size_t i = 0; i < m->n; i++) largest = fmax(largest, m->evaluation[i].budget);
    for (size_t i = 0; i < m->n; i++) m->evaluation[i].left_out = !(m->evaluation[i].budget >= largest);
    const size_t dropped = remove_left_out(m);
    if (!dropped) return MK_OK;
    return mk_import_note(m, err, "left out: %s with budgets below the largest, %g",
                          mk_counted(dropped, "evaluation", NULL, text), largest);
}

/* worst[] <- the worst value of every instance; NaN: no evaluation has one. */
static void find_worst(const struct mk_import *m, double *worst)
{
    for (size_t i = 0; i < m->instances.n; i++) worst[i] = NAN;
    for (size_t i = 0; i < m->n; i++) {
        double *to = &worst[m->evaluation[i].instance];
        const double x = m->evaluation[i].value;
        if (!isnan(x)) *to = m->maximize ? fmin(*to, x) : fmax(*to, x);
    }
}

/* What the option --failed says: `number` is NaN unless it is one. */
struct rule {
    bool drop, worst;
    double number;
};

static int read_rule(const char *text, struct rule *rule, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    *rule = (struct rule){text && strcmp(text, "drop") == 0, !text || strcmp(text, "worst") == 0, NAN};
    if (rule->drop || rule->worst) return MK_OK;
    if (mk_parse_real(text, strlen(text), &rule->number) && fabs(rule->number) <= MK_MOST_REWARD) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "maxk import: --failed: expected worst, drop or a number from " MK_REWARD_RANGE ", got '%s'",
                   mk_clip(text, clip));
}

/* instead[] <- what such evaluations of every instance count as. */
static int substitutes(const struct mk_import_job *job, const struct rule *rule, double *instead, struct mk_error *err)
{
    const struct mk_import *m = job->to;
    char clip[MK_CLIP_ROOM];
    find_worst(m, instead);
    for (size_t i = 0; i < m->instances.n; i++) {
        if (!rule->worst) instead[i] = rule->number;
        if (isnan(instead[i]))
            return mk_fail(err, MK_EINPUT, "%s: instance %s: no evaluation has a value", job->path,
                           mk_clip(m->instances.text[i], clip));
    }
    return MK_OK;
}

static int settle_failures(struct mk_import_job *job, const struct rule *rule, struct mk_error *err)
{
    struct mk_import *m = job->to;
    double *instead = calloc(m->instances.n + 1, sizeof *instead);
    size_t n[3] = {0};
    static const char *const words[] = {"failed", "pruned", "missing"};
    int code = instead ? MK_OK : mk_fail_memory(err, "evaluations");
    if (!code && !rule->drop) code = substitutes(job, rule, instead, err);
    for (size_t i = 0; !code && i < m->n; i++) {
        struct mk_imported *e = &m->evaluation[i];
        if (!isnan(e->value)) continue;
        for (size_t k = 0; k < 3; k++) n[k] += strcmp(e->status, words[k]) == 0;
        e->left_out = rule->drop;
        if (!rule->drop) e->value = instead[e->instance];
    }
    const size_t all = n[0] + n[1] + n[2], before = m->n;
    if (!code) remove_left_out(m);
    if (!code && all)
        code =
            mk_import_note(m, err, "of %zu evaluations %zu failed, %zu pruned and %zu without a value: %s (--failed)",
                           before, n[0], n[1], n[2],
                           rule->drop    ? "left out"
                           : rule->worst ? "they count as the worst value of their instance"
                                         : "they count as the option says");
    free(instead);
    return code;
}

/* ---- series ---- */

static int compare(size_t a, size_t b)
{
    return a < b ? -1 : a > b;
}

static int by_series(const void *a, const void *b)
{
    const struct mk_imported *x = a, *y = b;
    int sign = compare(x->instance, y->instance);
    if (!sign) sign = compare(x->arm, y->arm);
    if (!sign) sign = compare(x->repetition, y->repetition);
    if (!sign) sign = compare(x->file, y->file);
    if (!sign) sign = x->order < y->order ? -1 : x->order > y->order;
    return sign ? sign : compare(x->iteration, y->iteration); /* places in the file, as yet */
}

static bool same_series(const struct mk_imported *x, const struct mk_imported *y)
{
    return x->instance == y->instance && x->arm == y->arm && x->repetition == y->repetition;
}

static int number_series(struct mk_import *m, struct mk_error *err)
{
    uint64_t shortest = UINT64_MAX, longest = 0;
    size_t costs = 0;
    if (m->n) qsort(m->evaluation, m->n, sizeof *m->evaluation, by_series);
    for (size_t i = 0; i < m->n; i++) {
        struct mk_imported *e = &m->evaluation[i];
        e->iteration = i && same_series(e, e - 1) ? e[-1].iteration + 1 : 1;
        costs += e->cost > 0 && isfinite(e->cost);
        const bool last = i + 1 == m->n || !same_series(e, e + 1);
        if (last && e->iteration < shortest) shortest = e->iteration;
        if (e->iteration > longest) longest = e->iteration;
    }
    m->has_costs = m->n && costs == m->n;
    int code = costs && !m->has_costs
                   ? mk_import_note(m, err, "costs are left out: %zu of %zu evaluations have none", m->n - costs, m->n)
                   : MK_OK;
    if (!code && shortest < longest)
        code = mk_import_note(
            m, err, "series of %llu to %llu evaluations: horizons above %llu need --ends-early hold or restart",
            (unsigned long long)shortest, (unsigned long long)longest, (unsigned long long)shortest);
    return code;
}

/* ---- what the file for other commands has ---- */

/* Names that other commands take. */
static int check_names(const struct mk_import_job *job, const char *what, const struct mk_string_table *names,
                       bool numbers, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    double x;
    for (size_t i = 0; i < names->n; i++) {
        const char *text = names->text[i];
        const size_t n = names->length[i];
        const char *expected = !n || n > LONGEST_NAME || !mk_text_printable(text, n)
                                   ? "a name of 1 to 100 bytes of UTF-8 without control characters"
                               : numbers && mk_parse_real(text, n, &x) && !(x >= 0 && x < MK_EXACT_MAX && x == floor(x))
                                   ? "a name or a whole number >= 0"
                                   : NULL;
        if (expected)
            return mk_fail(err, MK_EINPUT, "%s: %s: expected %s, got '%s'", job->path, what, expected,
                           mk_clip_bytes(text, n, clip));
    }
    return MK_OK;
}

/* Configurations become texts; those that an instance has had before are counted. */
static int write_configurations(struct mk_import *m, struct mk_error *err)
{
    struct mk_string_table seen = {0};
    size_t again = 0;
    int code = MK_OK;
    for (size_t i = 0; i < m->n && !code; i++) {
        struct mk_imported *e = &m->evaluation[i];
        char *key = NULL;
        int added = 1;
        e->configuration = e->parameters ? mk_import_json_write(e->parameters) : strdup("{}");
        const bool some = e->parameters && json_object_object_length(e->parameters);
        if (!e->configuration ||
            (some && asprintf(&key, "%zu %zu %zu %s", e->instance, e->arm, e->repetition, e->configuration) < 0) ||
            (some && mk_string_table_add(&seen, key, strlen(key), &added) == SIZE_MAX))
            code = mk_fail_memory(err, "configurations");
        if (!code) again += !added;
        free(key);
    }
    mk_string_table_free(&seen);
    char text[MK_COUNTED_ROOM];
    if (code || !again) return code;
    return mk_import_note(m, err,
                          "%s of a configuration that its series has had before, such as with another seed: "
                          "each is a pull of its own",
                          mk_counted(again, "evaluation", NULL, text));
}

static int finish(struct mk_import_job *job, struct mk_error *err)
{
    struct mk_import *m = job->to;
    int code = number_series(m, err);
    if (!code) code = check_names(job, "instance", &m->instances, false, err);
    if (!code) code = check_names(job, "arm", &m->arms, false, err);
    if (!code) code = check_names(job, "repetition", &m->repetitions, true, err);
    return code ? code : write_configurations(m, err);
}

/* ---- reading ---- */

static int read_head(const char *path, struct mk_import_head *head, struct mk_error *err)
{
    struct stat s;
    head->is_folder = stat(mk_readable_path(path), &s) == 0 && S_ISDIR(s.st_mode);
    if (head->is_folder) return (head->text = strdup("")) ? MK_OK : mk_fail_memory(err, "the file");
    gzFile from = gzopen(mk_readable_path(path), "rb");
    if (!from)
        return errno ? mk_fail(err, MK_EINPUT, "%s: cannot be opened: %s", path, strerror(errno))
                     : mk_fail_memory(err, "the file");
    head->text = malloc(HEAD);
    errno = 0;
    const int got = head->text ? gzread(from, head->text, HEAD - 1) : 0;
    const int why = errno;
    gzclose(from);
    if (!head->text) return mk_fail_memory(err, "the file");
    if (got < 0)
        return mk_fail(err, MK_EINPUT, "%s: cannot be read: %s", path, why ? strerror(why) : "damaged gzip data");
    head->length = (size_t)got;
    head->text[got] = 0;
    return got ? MK_OK : mk_fail(err, MK_EINPUT, "%s: empty file", path);
}

/* The first importer that recognises the file; NULL: none does. */
static const struct mk_importer *recognise(const struct mk_import_head *head)
{
    for (size_t i = 0; i < IMPORTERS; i++)
        if (importers[i]->recognises && importers[i]->recognises(head)) return importers[i];
    return NULL;
}

/* The importer that the options name, or the one that recognises the file. */
static int choose(struct mk_import_job *job, const struct mk_importer **of, struct mk_error *err)
{
    const char *names[IMPORTERS];
    char all[200];
    *of = job->options->from;
    if (*of) return MK_OK;
    *of = recognise(job->head);
    if (*of) return mk_import_note(job->to, err, "kind: %s, %s (--from)", (*of)->name, (*of)->about);
    for (size_t i = 0; i < IMPORTERS; i++) names[i] = importers[i]->name;
    return mk_fail(err, MK_EINPUT, "%s: of no kind that is recognised; say which with --from, one of: %s", job->path,
                   mk_join(names, IMPORTERS, all, sizeof all));
}

int mk_import_instead(int code, const char *path, struct mk_error *err)
{
    struct mk_import_head head = {0};
    struct mk_error ignored;
    char clip[MK_CLIP_ROOM];
    if (code != MK_EINPUT || mk_is_standard_input(path)) return code;
    const struct mk_importer *of = read_head(path, &head, &ignored) || head.is_folder ? NULL : recognise(&head);
    free(head.text);
    if (!of) return code;
    mk_clip(path, clip);
    return mk_fail(err, MK_EINPUT, "%s: %s; `maxk import %s -o RUNS.csv` makes recorded runs of it", clip, of->about,
                   clip);
}

/* All files together: a sentence is there once. */
static int say_left_out(struct mk_import_job *job, struct mk_error *err)
{
    const struct {
        size_t n;
        const char *what, *which;
    } left[] = {{job->open, "evaluation", "that had not ended"},
                {job->strange, "evaluation", "without a configuration in configs.json"},
                {job->earlier, "report", "of a trial before its last one"},
                {job->again, "trial", "that had been read before"}};
    char text[MK_COUNTED_ROOM];
    int code = MK_OK;
    for (size_t i = 0; i < sizeof left / sizeof *left && !code; i++)
        if (left[i].n)
            code = mk_import_note(job->to, err, "left out: %s %s", mk_counted(left[i].n, left[i].what, NULL, text),
                                  left[i].which);
    if (!code && job->beyond)
        code = mk_import_note(job->to, err, "%s beyond " MK_REWARD_RANGE ": missing",
                              mk_counted(job->beyond, "value", NULL, text));
    return code;
}

/* A pipe is kept if it is standard input or another file that is open, such as <(…). */
static int keep(const char *path, struct mk_error *err)
{
    struct stat s;
    char clip[MK_CLIP_ROOM];
    int code = mk_standard_input_keep(path, err);
    if (!code && stat(mk_readable_path(path), &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) {
        mk_clip(path, clip);
        code = mk_fail(err, MK_EINPUT, "%s: a pipe or a device, which cannot be read twice; say maxk import - < %s",
                       clip, clip);
    }
    return code;
}

/* Reads one file more. */
static int read_file(struct mk_import_job *job, struct mk_error *err)
{
    struct mk_import_head head = {0};
    const struct mk_importer *importer = NULL;
    const bool had_arms = job->has_arms;
    const size_t again = job->again;
    job->head = &head;
    job->first = job->to->n;
    job->has_arms = job->by_file[0] = job->by_file[1] = false;
    int code = keep(job->path, err); /* read twice: its head, then all of it */
    if (!code) code = read_head(job->path, &head, err);
    if (!code) code = choose(job, &importer, err);
    if (!code) code = importer->read(job, err);
    if (!code && job->file && job->has_arms != had_arms)
        code = mk_fail(err, MK_EINPUT, "%s: wide tables cannot be joined with other files", job->path);
    if (!code && job->to->n == job->first && job->again == again)
        code = mk_fail(err, MK_EINPUT, "%s: no finished evaluations", job->path);
    free(head.text);
    return code;
}

/* The names of the files: what is left of their paths without folder and type, or the paths where that is not enough.
 */
static int name_files(struct mk_import *m, const char *const *path, size_t n, struct mk_error *err)
{
    char stem[MK_PATH_ROOM];
    for (int whole = 0; whole < 2 && m->files.n < n; whole++) {
        mk_string_table_free(&m->files);
        for (size_t i = 0; i < n; i++)
            if (number_of(&m->files, whole ? path[i] : mk_file_stem(path[i], stem, sizeof stem)) == SIZE_MAX)
                return mk_fail_memory(err, "files");
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; m->files.n < n && k < i; k++)
            if (strcmp(path[i], path[k]) == 0) return mk_fail(err, MK_EINPUT, "%s: given twice", path[i]);
    return MK_OK;
}

static int read_files(struct mk_import_job *job, const char *const *path, size_t n, struct mk_error *err)
{
    char text[MK_COUNTED_ROOM];
    int code = name_files(job->to, path, n, err);
    for (job->file = 0; !code && job->file < n; job->file += !code) {
        job->path = path[job->file];
        code = read_file(job, err);
    }
    if (!code && n > 1)
        code = mk_import_note(job->to, err, "%s: series that several have go on from file to file",
                              mk_counted(n, "file", NULL, text));
    return code ? code : say_left_out(job, err);
}

int mk_import_read(struct mk_import **out, const char *const *path, size_t n_paths,
                   const struct mk_import_options *options, struct mk_error *err)
{
    struct mk_import *m = calloc(1, sizeof *m);
    struct mk_import_job job = {.to = m, .path = path[0], .options = options};
    struct rule rule;
    int code = m ? read_rule(options->failed, &rule, err) : mk_fail_memory(err, "evaluations");
    if (!code && options->arm && options->arm_name)
        code = mk_fail(err, MK_EINPUT, "maxk import: --arm-name: cannot be combined with --arm");
    if (!code) code = read_files(&job, path, n_paths, err);
    if (!code) code = drop_small_budgets(m, err);
    if (!code && !job.has_arms) code = name_arms(&job, err);
    if (!code) code = settle_failures(&job, &rule, err);
    if (!code && !m->n) code = mk_fail(err, MK_EINPUT, "%s: no evaluation has a value", path[0]);
    if (!code) code = finish(&job, err);
    mk_string_table_free(&job.trials);
    if (code)
        mk_import_free(m);
    else
        *out = m;
    return code;
}

void mk_import_free(struct mk_import *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->n; i++) {
        json_object_put(m->evaluation[i].parameters);
        free(m->evaluation[i].configuration);
    }
    free(m->evaluation);
    mk_string_table_free(&m->files);
    mk_string_table_free(&m->instances);
    mk_string_table_free(&m->arms);
    mk_string_table_free(&m->repetitions);
    mk_string_table_free(&m->notes);
    free(m);
}

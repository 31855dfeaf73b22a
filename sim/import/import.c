#include "sim/import/import.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/input_path.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/import/importer.h"

enum { HEAD = 1 << 16, MOST_NAMES = 12, NOTE_ROOM = 400 };

static const struct mk_importer *const importers[] = {
#define IMPORTER(name) &mk_importer_##name,
#include "sim/import/list.def"
#undef IMPORTER
};
enum { IMPORTERS = sizeof importers / sizeof *importers };

const char mk_import_choices[] =
#define IMPORTER(name) "|" #name
#include "sim/import/list.def"
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
    job->to->maximize = given ? *given : maximize;
    if (given || !why) return MK_OK;
    return mk_import_note(job->to, err, "direction: %s, %s (--direction)", maximize ? "maximize" : "minimize", why);
}

static size_t number_of(struct mk_string_table *table, const char *name)
{
    return mk_string_table_add(table, name, strlen(name), NULL);
}

int mk_import_add(struct mk_import_job *job, const struct mk_import_row *e, struct mk_error *err)
{
    struct mk_import *m = job->to;
    if (!MK_GROW(m->evaluation, m->n, 1)) {
        json_object_put(e->parameters);
        return mk_fail_memory(err, "evaluations");
    }
    struct mk_imported *to = &m->evaluation[m->n];
    *to = (struct mk_imported){.instance = number_of(&m->instances, e->instance ? e->instance : "all"),
                               .arm = job->has_arms ? number_of(&m->arms, e->arm) : 0,
                               .repetition = number_of(&m->repetitions, e->repetition ? e->repetition : "0"),
                               .iteration = m->n,
                               .value = isfinite(e->value) ? e->value : NAN,
                               .cost = e->cost,
                               .status = isfinite(e->value) ? "ok" : e->status,
                               .order = e->order,
                               .budget = e->budget,
                               .parameters = e->parameters};
    m->n++;
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

/* Whether it has a text for every evaluation with a value, and at least two of them. */
static bool can_name_arms(const struct mk_import *m, const char *name)
{
    const char *first = NULL;
    bool several = false;
    for (size_t i = 0; i < m->n; i++) {
        json_object *x;
        const bool there = json_object_object_get_ex(m->evaluation[i].parameters, name, &x);
        if (!there && isnan(m->evaluation[i].value)) continue;
        if (!there || !json_object_is_type(x, json_type_string)) return false;
        const char *text = json_object_get_string(x);
        if (first && strcmp(first, text) != 0) several = true;
        if (!first) first = text;
    }
    return several;
}

/* The names of all hyperparameters, in the order of their first appearance. */
static int hyperparameters(const struct mk_import *m, struct mk_string_table *names, struct mk_error *err)
{
    for (size_t i = 0; i < m->n; i++) {
        if (!m->evaluation[i].parameters) continue;
        json_object_object_foreach(m->evaluation[i].parameters, key, unused)
        {
            (void)unused;
            if (number_of(names, key) == SIZE_MAX) return mk_fail_memory(err, "hyperparameters");
        }
    }
    return MK_OK;
}

static const char *names_text(const struct mk_string_table *names, char *out, size_t room)
{
    return mk_join((const char *const *)names->text, names->n < MOST_NAMES ? names->n : MOST_NAMES, out, room);
}

/* *name <- the one that the options give, or the only one that can. */
static int arm_name(struct mk_import_job *job, const struct mk_string_table *names, const char **name,
                    struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], all[300];
    const char *found = job->options->arm;
    *name = found;
    if (found && mk_string_table_find(names, found, strlen(found)) == SIZE_MAX)
        return mk_fail(err, MK_EINPUT, "%s: --arm: no hyperparameter '%s', there are: %s", job->path,
                       mk_clip(found, clip), names_text(names, all, sizeof all));
    if (found) return MK_OK;
    size_t able = 0;
    for (size_t i = 0; i < names->n; i++)
        if (can_name_arms(job->to, names->text[i])) *name = names->text[i], able++;
    if (able == 1)
        return mk_import_note(job->to, err,
                              "arm: '%s', the only hyperparameter that is a word in every evaluation (--arm)", *name);
    if (!names->n)
        return mk_fail(err, MK_EINPUT, "%s: the evaluations have no hyperparameters, one of which would name the arm",
                       job->path);
    return mk_fail(err, MK_EINPUT,
                   "%s: --arm: missing; expected the hyperparameter that names the algorithm, one of: %s", job->path,
                   names_text(names, all, sizeof all));
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
        e->arm = number_of(&m->arms, json_object_is_type(x, json_type_string)
                                         ? json_object_get_string(x)
                                         : json_object_to_json_string_ext(x, JSON_C_TO_STRING_PLAIN));
        if (e->arm == SIZE_MAX) return mk_fail_memory(err, "arms");
        json_object_object_del(e->parameters, name);
    }
    const size_t without = remove_left_out(m);
    if (!without) return MK_OK;
    return mk_import_note(m, err, "left out: %s that failed before '%s' was known",
                          mk_counted(without, "evaluation", NULL, text), mk_clip(name, clip));
}

static int name_arms(struct mk_import_job *job, struct mk_error *err)
{
    struct mk_string_table names = {0};
    const char *name = NULL;
    int code = hyperparameters(job->to, &names, err);
    if (!code) code = arm_name(job, &names, &name, err);
    if (!code) code = take_arms(job, name, err);
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

/* Worst value of an instance; NaN: no evaluation has one. */
static double worst_of(const struct mk_import *m, size_t instance)
{
    double worst = NAN;
    for (size_t i = 0; i < m->n; i++) {
        const double x = m->evaluation[i].value;
        if (m->evaluation[i].instance == instance && !isnan(x)) worst = m->maximize ? fmin(worst, x) : fmax(worst, x);
    }
    return worst;
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
    if (rule->drop || rule->worst || mk_parse_real(text, strlen(text), &rule->number)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "maxk import: --failed: expected worst, drop or a number, got '%s'",
                   mk_clip(text, clip));
}

/* instead[] <- what such evaluations of every instance count as. */
static int substitutes(const struct mk_import_job *job, const struct rule *rule, double *instead, struct mk_error *err)
{
    const struct mk_import *m = job->to;
    char clip[MK_CLIP_ROOM];
    for (size_t i = 0; i < m->instances.n; i++) {
        instead[i] = rule->worst ? worst_of(m, i) : rule->number;
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

/* ---- reading ---- */

static int read_head(const char *path, struct mk_import_head *head, struct mk_error *err)
{
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
    const struct mk_importer *of = read_head(path, &head, &ignored) ? NULL : recognise(&head);
    free(head.text);
    if (!of) return code;
    mk_clip(path, clip);
    return mk_fail(err, MK_EINPUT, "%s: %s; `maxk import %s -o RUNS.csv` makes recorded runs of it", clip, of->about,
                   clip);
}

int mk_import_read(struct mk_import **out, const char *path, const struct mk_import_options *options,
                   struct mk_error *err)
{
    struct mk_import *m = calloc(1, sizeof *m);
    struct mk_import_head head = {0};
    struct mk_import_job job = {.to = m, .path = path, .options = options, .head = &head};
    const struct mk_importer *importer = NULL;
    struct rule rule;
    int code = m ? read_rule(options->failed, &rule, err) : mk_fail_memory(err, "evaluations");
    if (!code) code = mk_standard_input_keep(path, err); /* read twice: its head, then all of it */
    if (!code) code = read_head(path, &head, err);
    if (!code) code = choose(&job, &importer, err);
    if (!code) code = importer->read(&job, err);
    if (!code && !m->n) code = mk_fail(err, MK_EINPUT, "%s: no finished evaluations", path);
    if (!code) code = drop_small_budgets(m, err);
    if (!code && !job.has_arms) code = name_arms(&job, err);
    if (!code) code = settle_failures(&job, &rule, err);
    if (!code && !m->n) code = mk_fail(err, MK_EINPUT, "%s: no evaluation has a value", path);
    if (!code) code = number_series(m, err);
    free(head.text);
    if (code)
        mk_import_free(m);
    else
        *out = m;
    return code;
}

void mk_import_free(struct mk_import *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->n; i++) json_object_put(m->evaluation[i].parameters);
    free(m->evaluation);
    mk_string_table_free(&m->instances);
    mk_string_table_free(&m->arms);
    mk_string_table_free(&m->repetitions);
    mk_string_table_free(&m->notes);
    free(m);
}

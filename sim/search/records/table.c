/* Long tables: a row for each evaluation. Also what the kinds of files have in common that are such tables. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/string_table.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"

enum { COLUMNS_ROOM = 400, NONE = -1 };

struct table {
    struct mk_import_job *job;
    const struct mk_table_preset *preset;
    struct mk_csv *csv;
    int value, status, order, cost, instance, repetition, problem; /* columns, NONE: there is none */
    char **order_text;                                             /* [evaluations] of `order` */
    size_t n_orders;
};

/* `whole`: the name ends there, else it may go on. */
static bool has_column(const struct mk_import_head *head, const char *name, bool whole)
{
    const size_t length = strlen(name), line = strcspn(head->text, "\r\n");
    for (const char *at = head->text; (at = strstr(at, name)) && at + length <= head->text + line; at += length) {
        const char before = at == head->text ? ',' : at[-1], after = at[length];
        if (strchr(",;\t\"\xbf", before) && (!whole || !after || strchr(",;\t\"\r\n", after))) return true;
    }
    return false;
}

bool mk_import_has_column(const struct mk_import_head *head, const char *name)
{
    return has_column(head, name, true);
}

bool mk_import_has_column_like(const struct mk_import_head *head, const char *prefix)
{
    return has_column(head, prefix, false);
}

/* ---- cells ---- */

static char *copy_of(const struct mk_csv *csv, int column)
{
    return strndup(csv->cell[column].text, csv->cell[column].length);
}

/* Whether the cell has no value: a word for that, or an infinite number. */
static bool is_missing(const struct mk_csv *csv, int column)
{
    if (mk_csv_is_missing(csv, (size_t)column)) return true;
    const struct mk_csv_cell *cell = &csv->cell[column];
    const bool has_sign = cell->length && (*cell->text == '-' || *cell->text == '+');
    const char *text = cell->text + has_sign;
    const size_t n = cell->length - has_sign;
    return (n == 3 && strncasecmp(text, "inf", n) == 0) || (n == 8 && strncasecmp(text, "Infinity", n) == 0);
}

static int value_of(const struct mk_csv *csv, int column, double *out, struct mk_error *err)
{
    *out = NAN;
    return is_missing(csv, column) ? MK_OK : mk_csv_number(csv, (size_t)column, out, err);
}

/* Seconds of a number, of "0 days 00:00:01.5" as pandas writes it, or of "1.5min" as MLflow does; NaN: none of them. */
static double cost_of(const struct mk_csv *csv, int column)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ms", .001}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    double x = NAN, days, hours, minutes, seconds, amount;
    struct mk_error ignored;
    char unit[8];
    if (column == NONE || is_missing(csv, column)) return NAN;
    if (!mk_csv_number(csv, (size_t)column, &x, &ignored)) return x;
    char *text = copy_of(csv, column);
    if (text && sscanf(text, "%lf days %lf:%lf:%lf", &days, &hours, &minutes, &seconds) == 4)
        x = ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
    else if (text && sscanf(text, "%lf%7s", &amount, unit) == 2)
        for (size_t i = 0; i < sizeof units / sizeof *units; i++)
            if (strcmp(unit, units[i].unit) == 0) x = amount * units[i].seconds;
    free(text);
    return x;
}

/* A number as it is written where that is one of JSON, else its value, else the text; NULL: no memory. */
static json_object *parameter_of(const struct mk_csv *csv, int column)
{
    const struct mk_csv_cell *cell = &csv->cell[column];
    struct mk_error ignored;
    double number;
    char *text;
    const bool real = !mk_csv_number(csv, (size_t)column, &number, &ignored);
    if (real && mk_import_is_number(cell->text, cell->length)) return mk_import_new_number(cell->text, cell->length);
    if (real) return json_object_new_double(number);
    if (!(text = copy_of(csv, column))) return NULL;
    json_object *x = json_object_new_string(text);
    free(text);
    return x;
}

/* ---- columns ---- */

/* Whether an option names this column. */
static bool is_given(const struct mk_import_options *o, const char *name)
{
    const char *const given[] = {o->value, o->cost, o->iteration, o->instance, o->repetition, o->arm};
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i] && strcmp(given[i], name) == 0) return true;
    return false;
}

/* *column <- that of an option, which has to be there, or of the preset, which may be missing, or named by an option
 * for something else. */
static int find(const struct table *t, const char *option, const char *given, const char *usual, int *column,
                struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], all[COLUMNS_ROOM];
    const char *name = given ? given : usual && !is_given(t->job->options, usual) ? usual : NULL;
    *column = name ? mk_csv_find(t->csv, name) : NONE;
    if (*column >= 0) return MK_OK;
    const bool several = *column == -2;
    *column = NONE;
    if (several) return mk_fail_at(err, (struct mk_where){t->job->path, 1, 0}, mk_clip(name, clip), "duplicate column");
    if (!given) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: --%s: no column '%s', there are: %s", t->job->path, option,
                   mk_clip(given, clip), mk_csv_columns_text(t->csv, all, sizeof all));
}

/* The same for what may be the file instead. */
static int find_or_file(const struct table *t, const char *option, const char *given, const char *usual, int which,
                        int *column, struct mk_error *err)
{
    t->job->by_file[which] = given && strcmp(given, "file") == 0 && mk_csv_find(t->csv, given) == -1;
    if (!t->job->by_file[which]) return find(t, option, given, usual, column, err);
    *column = NONE;
    return MK_OK;
}

static int check_duplicates(const struct table *t, struct mk_error *err)
{
    struct mk_string_table names = {0};
    char clip[MK_CLIP_ROOM];
    int code = MK_OK, added;
    for (size_t i = 0; i < t->csv->n_columns && !code; i++) {
        const char *name = t->csv->column[i];
        if (mk_string_table_add(&names, name, strlen(name), &added) == SIZE_MAX)
            code = mk_fail_memory(err, "columns");
        else if (!added)
            code = mk_fail_at(err, (struct mk_where){t->job->path, 1, 0}, mk_clip(name, clip), "duplicate column");
    }
    mk_string_table_free(&names);
    return code;
}

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* The value: as an option says, the usual one, the only one with the prefix, or one of the words that are common. */
static int find_value(struct table *t, struct mk_error *err)
{
    static const char *const words[] = {"reward", "loss", "value", "score", "accuracy", "error"};
    const char *given = t->job->options->value, *prefix = t->preset->value_prefix;
    char all[COLUMNS_ROOM];
    size_t able = 0;
    int code = find(t, "value", given, t->preset->value, &t->value, err);
    if (code || t->value != NONE || t->preset->wide) return code;
    for (size_t i = 0; prefix && i < t->csv->n_columns; i++)
        if (begins(t->csv->column[i], prefix)) t->value = (int)i, able++;
    for (size_t i = 0; !prefix && !t->preset->value_named && !able && i < sizeof words / sizeof *words; i++)
        if ((t->value = mk_csv_find(t->csv, words[i])) >= 0) able = 1;
    if (able == 1) return mk_import_note(t->job->to, err, "values: column '%s' (--value)", t->csv->column[t->value]);
    return mk_fail(err, MK_EINPUT, "%s: --value: missing; expected the column of the values, one of: %s", t->job->path,
                   mk_csv_columns_text(t->csv, all, sizeof all));
}

static int find_direction(struct table *t, struct mk_error *err)
{
    static const char *const small[] = {"loss", "err", "rmse", "mse", "mae", "cost", "time", "regret", "seconds"};
    const char *name = t->value == NONE ? "" : t->csv->column[t->value];
    const char *found = NULL;
    char why[120], clip[MK_CLIP_ROOM];
    if (t->preset->direction)
        return mk_import_direction(t->job, t->preset->direction > 0, t->preset->direction_why, err);
    for (size_t i = 0; !found && i < sizeof small / sizeof *small; i++) found = strcasestr(name, small[i]);
    snprintf(why, sizeof why, *name ? "going by the name '%s'" : "larger values are better%s", mk_clip(name, clip));
    return mk_import_direction(t->job, !found, why, err);
}

/* The first column of a wide table names the instance if it has texts. The first row is read. */
static int find_instance(struct table *t, struct mk_error *err)
{
    double ignored;
    struct mk_error why;
    if (!t->preset->wide || t->instance != NONE || t->order == 0 || t->repetition == 0) return MK_OK;
    if (is_missing(t->csv, 0) || !mk_csv_number(t->csv, 0, &ignored, &why)) return MK_OK;
    t->instance = 0;
    return mk_import_note(t->job->to, err, "instances: column '%s', whose cells are not numbers (--instance)",
                          t->csv->column[0]);
}

static int find_columns(struct table *t, struct mk_error *err)
{
    const struct mk_import_options *o = t->job->options;
    const struct mk_table_preset *p = t->preset;
    int code = check_duplicates(t, err);
    if (!code) code = find_value(t, err);
    if (!code) code = find(t, "status", NULL, p->status, &t->status, err);
    if (!code) code = find(t, "problem", NULL, p->problem, &t->problem, err);
    if (!code) code = find(t, "iteration", o->iteration, p->order, &t->order, err);
    if (!code) code = find(t, "cost", o->cost, p->cost, &t->cost, err);
    if (!code) code = find_or_file(t, "instance", o->instance, p->instance, 0, &t->instance, err);
    if (!code) code = find_or_file(t, "repetition", o->repetition, p->repetition, 1, &t->repetition, err);
    if (!code) code = find_direction(t, err);
    if (!code && t->order != NONE)
        code = mk_import_note(t->job->to, err, "iterations: by column '%s'", t->csv->column[t->order]);
    else if (!code)
        code = mk_import_note(t->job->to, err, "iterations: in the order of the file (--iteration)");
    return code;
}

static bool is_used(const struct table *t, int column)
{
    return column == t->value || column == t->status || column == t->order || column == t->cost ||
           column == t->instance || column == t->repetition || column == t->problem;
}

/* Notes which columns of a wide table are arms: all that have no other meaning. */
static int note_arms(struct table *t, struct mk_error *err)
{
    enum { SHOWN = 8 };
    const char *name[SHOWN];
    char text[300], more[40] = "";
    size_t n = 0;
    if (!t->preset->wide) return MK_OK;
    for (size_t i = 0; i < t->csv->n_columns; i++)
        if (!is_used(t, (int)i) && n++ < SHOWN) name[n - 1] = t->csv->column[i];
    if (n > SHOWN) snprintf(more, sizeof more, " and %zu others", n - SHOWN);
    mk_join(name, n < SHOWN ? n : SHOWN, text, sizeof text);
    return mk_import_note(t->job->to, err, "arms: columns %s%s", text, more);
}

/* ---- rows ---- */

/* Whether a word is in "A|B". */
static bool among(const char *word, size_t length, const char *list)
{
    for (const char *at = list; at && *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == length && strncasecmp(at, word, length) == 0) return true;
    return false;
}

/* As mk_import_status; no word is as good as one for an evaluation that ended well. */
static int status_of(const struct table *t, const char **out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    const struct mk_csv_cell *cell = t->status == NONE ? NULL : &t->csv->cell[t->status];
    *out =
        cell && !mk_csv_is_missing(t->csv, (size_t)t->status) ? mk_import_status(cell->text, cell->length) : "missing";
    if (*out) return MK_OK;
    return mk_fail_at(err, mk_csv_where(t->csv, (size_t)t->status), t->csv->column[t->status],
                      "expected a state such as complete, failed, pruned or running, got '%s'",
                      mk_clip_bytes(cell->text, cell->length, clip));
}

/* *out <- the hyperparameters of the row: columns with the prefix, or all that are nothing else; and that of --arm. */
static int parameters_of(const struct table *t, json_object **out, struct mk_error *err)
{
    const char *prefix = t->preset->parameter_prefix;
    const char *arm = t->job->options->arm ? t->job->options->arm : t->preset->arm;
    *out = json_object_new_object();
    int code = *out ? MK_OK : mk_fail_memory(err, "a configuration");
    for (size_t i = 0; !code && i < t->csv->n_columns; i++) {
        const char *name = t->csv->column[i];
        const bool has_prefix = prefix && begins(name, prefix), named = arm && strcmp(name, arm) == 0;
        if (is_used(t, (int)i) || (prefix && !has_prefix && !named) || is_missing(t->csv, (int)i)) continue;
        if (among(name, strlen(name), t->preset->ignored) && !named) continue;
        json_object *x = parameter_of(t->csv, (int)i);
        if (!x || json_object_object_add(*out, has_prefix && !named ? name + strlen(prefix) : name, x)) {
            json_object_put(x);
            code = mk_fail_memory(err, "a configuration");
        }
    }
    return code;
}

/* Keeps the text that orders the next evaluation. */
static int add_order(struct table *t, struct mk_error *err)
{
    if (t->order == NONE) return MK_OK;
    if (!MK_GROW(t->order_text, t->n_orders, 1)) return mk_fail_memory(err, "evaluations");
    t->order_text[t->n_orders] = copy_of(t->csv, t->order);
    return t->order_text[t->n_orders++] ? MK_OK : mk_fail_memory(err, "evaluations");
}

static int add(struct table *t, struct mk_import_row e, struct mk_error *err)
{
    char *instance = t->instance == NONE ? NULL : copy_of(t->csv, t->instance);
    char *repetition = t->repetition == NONE ? NULL : copy_of(t->csv, t->repetition);
    e.instance = instance;
    e.repetition = repetition;
    e.cost = cost_of(t->csv, t->cost);
    int code = (t->instance == NONE || instance) && (t->repetition == NONE || repetition)
                   ? MK_OK
                   : mk_fail_memory(err, "an evaluation");
    if (!code && strcmp(e.status, "open") != 0) code = add_order(t, err);
    if (code)
        json_object_put(e.parameters);
    else
        code = mk_import_add(t->job, &e, err);
    free(instance);
    free(repetition);
    return code;
}

static int add_table_row(struct table *t, struct mk_error *err)
{
    struct mk_import_row e = {.value = NAN};
    int code = status_of(t, &e.status, err);
    if (!code && strcmp(e.status, "missing") == 0) code = value_of(t->csv, t->value, &e.value, err);
    if (t->problem != NONE && isnan(e.value) && !is_missing(t->csv, t->problem) && strcmp(e.status, "missing") == 0)
        e.status = "failed";
    if (!code) code = parameters_of(t, &e.parameters, err);
    if (code) {
        json_object_put(e.parameters);
        return code;
    }
    return add(t, e, err);
}

static int add_wide_row(struct table *t, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; !code && i < t->csv->n_columns; i++) {
        struct mk_import_row e = {.arm = t->csv->column[i], .status = "missing"};
        if (is_used(t, (int)i)) continue;
        code = value_of(t->csv, (int)i, &e.value, err);
        if (!code) code = add(t, e, err);
    }
    return code;
}

/* The page of MLflow puts one before what a spreadsheet may take for a formula. */
static void drop_apostrophes(struct mk_csv *csv)
{
    for (size_t i = 0; i < csv->n_columns; i++) {
        struct mk_csv_cell *cell = &csv->cell[i];
        if (cell->length < 2 || cell->text[0] != '\'' || !strchr("=+-@", cell->text[1])) continue;
        cell->text++;
        cell->length--;
    }
}

/* ---- the order of evaluations ---- */

static int by_text(const void *a, const void *b, void *texts)
{
    char *const *text = texts;
    return strcmp(text[*(const size_t *)a], text[*(const size_t *)b]);
}

/* The numbers that the texts are; where one is not, such as a time, their places among all of them. */
static int set_orders(struct table *t, struct mk_error *err)
{
    struct mk_imported *e = t->job->to->evaluation + t->job->first;
    bool numbers = true;
    if (t->order == NONE || !t->n_orders) return MK_OK;
    for (size_t i = 0; i < t->n_orders && numbers; i++)
        numbers = mk_parse_real(t->order_text[i], strlen(t->order_text[i]), &e[i].order);
    if (numbers) return MK_OK;
    size_t *sorted = malloc(t->n_orders * sizeof *sorted);
    if (!sorted) return mk_fail_memory(err, "evaluations");
    for (size_t i = 0; i < t->n_orders; i++) sorted[i] = i;
    qsort_r(sorted, t->n_orders, sizeof *sorted, by_text, t->order_text);
    for (size_t i = 0; i < t->n_orders; i++) {
        const bool repeated = i && strcmp(t->order_text[sorted[i]], t->order_text[sorted[i - 1]]) == 0;
        e[sorted[i]].order = repeated ? e[sorted[i - 1]].order : (double)i;
    }
    free(sorted);
    return MK_OK;
}

int mk_import_table(struct mk_import_job *job, const struct mk_table_preset *preset, struct mk_error *err)
{
    struct table t = {.job = job, .preset = preset};
    bool first = true;
    job->has_arms = preset->wide;
    int code = mk_csv_open(&t.csv, job->path, err);
    if (!code) code = find_columns(&t, err);
    while (!code && !(code = mk_csv_next(t.csv, err))) {
        if (preset->value_named) drop_apostrophes(t.csv);
        if (first) code = find_instance(&t, err);
        if (first && !code) code = note_arms(&t, err);
        first = false;
        if (!code) code = preset->wide ? add_wide_row(&t, err) : add_table_row(&t, err);
    }
    if (code == MK_CSV_END) code = set_orders(&t, err);
    mk_free_texts(t.order_text, t.n_orders);
    mk_csv_close(t.csv);
    return code;
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    static const struct mk_table_preset preset = {
        .status = "status", .order = "iteration", .cost = "cost", .instance = "instance", .repetition = "repetition"};
    return mk_import_table(job, &preset, err);
}

const struct mk_importer mk_importer_table = {
    .name = "table", .about = "a long table, a row for each evaluation (CSV)", .read = read};

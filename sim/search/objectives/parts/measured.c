#include "sim/search/objectives/parts/measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/order.h"
#include "sim/base/string_table.h"
#include "sim/base/text.h"

enum { MOST_LEVELS = 20 };

const struct mk_param mk_measured_params[] = {
    MK_MEASURED_PARAMS,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(mk_measured_params, MK_MEASURED_PARAMETERS);

/* ---- the file ---- */

struct mk_measurements {
    char *path;
    size_t n_columns;
    char **column; /* [n_columns] hyperparameters, in the order of the file */
    size_t n;
    uint32_t *instance, *arm; /* [n] numbers in the tables below */
    double *reward;           /* [n] */
    uint32_t *cell;           /* [n][n_columns] numbers in `cells`; 0 is the empty cell */
    struct mk_string_table instances, arms, cells;
};

static void free_measurements(struct mk_measurements *m)
{
    if (!m) return;
    mk_free_texts(m->column, m->n_columns);
    free(m->path);
    free(m->instance);
    free(m->arm);
    free(m->reward);
    free(m->cell);
    mk_string_table_free(&m->instances);
    mk_string_table_free(&m->arms);
    mk_string_table_free(&m->cells);
    free(m);
}

void mk_objective_files_free(struct mk_objective_files *f)
{
    for (size_t i = 0; i < f->n; i++) free_measurements(f->file[i]);
    free(f->file);
    *f = (struct mk_objective_files){0};
}

static const char *const keys[] = {"instance", "arm", "reward"};
enum { INSTANCE, ARM, REWARD, KEYS };

static bool is_key(const char *name)
{
    for (int k = 0; k < KEYS; k++)
        if (strcmp(name, keys[k]) == 0) return true;
    return false;
}

/* Positions of the three columns, and the names of the others. */
static int read_columns(struct mk_measurements *m, const struct mk_csv *csv, size_t at[KEYS], struct mk_error *err)
{
    for (int k = 0; k < KEYS; k++) {
        int found = mk_csv_find(csv, keys[k]);
        if (found < 0)
            return mk_fail(err, MK_EINPUT, "%s: expected one column %s of measured configurations", m->path, keys[k]);
        at[k] = (size_t)found;
    }
    m->column = calloc(csv->n_columns, sizeof *m->column);
    if (!m->column) return mk_fail_memory(err, m->path);
    for (size_t i = 0; i < csv->n_columns; i++) {
        if (is_key(csv->column[i])) continue;
        if (!(m->column[m->n_columns] = strdup(csv->column[i]))) return mk_fail_memory(err, m->path);
        m->n_columns++;
    }
    return mk_string_table_add(&m->cells, "", 0, NULL) == SIZE_MAX ? mk_fail_memory(err, m->path) : MK_OK;
}

static bool add_text(struct mk_string_table *table, const struct mk_csv_cell *cell, uint32_t *number)
{
    size_t at = mk_string_table_add(table, cell->text, cell->length, NULL);
    *number = (uint32_t)at;
    return at < UINT32_MAX;
}

static int read_row(struct mk_measurements *m, const struct mk_csv *csv, const size_t at[KEYS], struct mk_error *err)
{
    bool good = MK_GROW(m->instance, m->n, 1) && MK_GROW(m->arm, m->n, 1) && MK_GROW(m->reward, m->n, 1) &&
                MK_GROW(m->cell, m->n * m->n_columns, m->n_columns);
    if (!good) return mk_fail_memory(err, m->path);
    uint32_t *cell = m->cell + m->n * m->n_columns;
    good = add_text(&m->instances, &csv->cell[at[INSTANCE]], &m->instance[m->n]) &&
           add_text(&m->arms, &csv->cell[at[ARM]], &m->arm[m->n]);
    for (size_t i = 0, c = 0; good && i < csv->n_columns; i++)
        if (i != at[INSTANCE] && i != at[ARM] && i != at[REWARD]) good = add_text(&m->cells, &csv->cell[i], &cell[c++]);
    if (!good) return mk_fail_memory(err, m->path);
    int code = mk_csv_number(csv, at[REWARD], &m->reward[m->n], err);
    m->n += !code;
    return code;
}

static int read_file(struct mk_measurements *m, struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    size_t at[KEYS];
    int code = mk_csv_open(&csv, m->path, err);
    if (code) return code;
    code = read_columns(m, csv, at, err);
    while (!code && (code = mk_csv_next(csv, err)) == MK_OK) code = read_row(m, csv, at, err);
    if (code == MK_CSV_END) code = m->n ? MK_OK : mk_fail(err, MK_EINPUT, "%s: no rows", m->path);
    mk_csv_close(csv);
    return code;
}

/* The file, read once for all objectives. MK_EINPUT with the place in the CSV file. */
static int open_file(struct mk_objective_files *files, const char *path, const struct mk_measurements **out,
                     struct mk_error *err)
{
    for (size_t i = 0; i < files->n; i++)
        if (strcmp(files->file[i]->path, path) == 0) {
            *out = files->file[i];
            return MK_OK;
        }
    struct mk_measurements *m = MK_GROW(files->file, files->n, 1) ? calloc(1, sizeof *m) : NULL;
    if (!m) return mk_fail_memory(err, path);
    m->path = strdup(path);
    int code = m->path ? read_file(m, err) : mk_fail_memory(err, path);
    if (code) {
        free_measurements(m);
        return code;
    }
    files->file[files->n++] = m;
    *out = m;
    return MK_OK;
}

/* "a, b, c": for messages. */
static const char *names_of(const struct mk_string_table *table, char *out, size_t room)
{
    return mk_join((const char *const *)table->text, table->n, out, room);
}

/* The rows of an instance and an arm, from malloc; without an arm (NULL) of all arms. MK_EINPUT if there are none. */
static int select_rows(const struct mk_measurements *m, const char *instance, const char *arm, size_t **row, size_t *n,
                       struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], all[400];
    const size_t i = mk_string_table_find(&m->instances, instance, strlen(instance));
    const size_t a = arm ? mk_string_table_find(&m->arms, arm, strlen(arm)) : SIZE_MAX;
    if (i == SIZE_MAX)
        return mk_fail(err, MK_EINPUT, "%s: no instance '%s'; allowed: %s", m->path, mk_clip(instance, clip),
                       names_of(&m->instances, all, sizeof all));
    if (arm && a == SIZE_MAX)
        return mk_fail(err, MK_EINPUT, "%s: no arm '%s'; allowed: %s", m->path, mk_clip(arm, clip),
                       names_of(&m->arms, all, sizeof all));
    *n = 0;
    *row = malloc(m->n * sizeof **row);
    if (!*row) return mk_fail_memory(err, m->path);
    for (size_t r = 0; r < m->n; r++)
        if (m->instance[r] == i && (!arm || m->arm[r] == a)) (*row)[(*n)++] = r;
    if (*n) return MK_OK;
    free(*row);
    *row = NULL;
    return mk_fail(err, MK_EINPUT, "%s: no row of instance %s and arm %s", m->path, mk_clip(instance, clip), arm);
}

/* ---- spaces ---- */

/* The distinct values of a column among the rows, in the order of their first appearance. */
struct column {
    size_t n;
    uint32_t *value; /* [n] numbers in `cells` */
    double *number;  /* [n] if all are numbers */
    uint32_t *order; /* [n] of them; ascending if all are numbers */
    bool numbers, whole, has_empty;
};

static void free_column(struct column *c)
{
    free(c->value);
    free(c->number);
    free(c->order);
}

static const char *text_of(const struct mk_measurements *m, size_t row, size_t column)
{
    return m->cells.text[m->cell[row * m->n_columns + column]];
}

static int read_column(const struct mk_measurements *m, const size_t *row, size_t n, size_t at, struct column *c,
                       struct mk_error *err)
{
    bool *seen = calloc(m->cells.n, sizeof *seen);
    *c = (struct column){.value = malloc(n * sizeof *c->value),
                         .number = malloc(n * sizeof *c->number),
                         .order = malloc(2 * n * sizeof *c->order),
                         .numbers = true,
                         .whole = true};
    if (!seen || !c->value || !c->number || !c->order) {
        free(seen);
        return mk_fail_memory(err, m->path);
    }
    for (size_t i = 0; i < n; i++) {
        const uint32_t value = m->cell[row[i] * m->n_columns + at];
        c->has_empty |= value == 0;
        if (value == 0 || seen[value]) continue;
        seen[value] = true;
        double *x = &c->number[c->n];
        c->numbers &= mk_parse_real(m->cells.text[value], m->cells.length[value], x) != 0;
        c->whole &= c->numbers && *x == floor(*x);
        c->order[c->n] = (uint32_t)c->n;
        c->value[c->n++] = value;
    }
    if (c->numbers) mk_ascending_order(c->number, c->order, c->order + c->n, c->n);
    free(seen);
    return MK_OK;
}

static int add_words(const struct mk_measurements *m, const struct column *c, struct mk_hyper *h, struct mk_space *s,
                     struct mk_error *err)
{
    h->word = malloc(c->n * sizeof *h->word);
    if (!h->word) return mk_fail_memory(err, m->path);
    for (; h->n_words < c->n; h->n_words++) h->word[h->n_words] = m->cells.text[c->value[c->order[h->n_words]]];
    int code = mk_space_add(s, h, err);
    free(h->word);
    return code;
}

/* Largest distance between the distribution of the numbers and the uniform one between the ends. */
static double unevenness(const struct column *c, bool log_scale)
{
    const size_t n = c->n;
    const double lo = c->number[c->order[0]], hi = c->number[c->order[n - 1]];
    double worst = 0;
    for (size_t i = 0; i < n; i++) {
        const double at = c->number[c->order[i]];
        const double share = log_scale ? log(at / lo) / log(hi / lo) : (at - lo) / (hi - lo);
        worst = fmax(worst, fmax(share - (double)i / (double)n, (double)(i + 1) / (double)n - share));
    }
    return worst;
}

/* A range from the smallest to the largest number, on the scale on which they are spread more evenly. */
static int add_range(const struct column *c, struct mk_hyper *h, struct mk_space *s, struct mk_error *err)
{
    h->kind = c->whole ? MK_HYPER_INTEGER : MK_HYPER_REAL;
    h->lo = c->number[c->order[0]];
    h->hi = c->number[c->order[c->n - 1]];
    h->log = h->lo > 0 && unevenness(c, true) < unevenness(c, false);
    return mk_space_add(s, h, err);
}

static int add_column(const struct mk_measurements *m, size_t at, const struct column *c, struct mk_space *s,
                      struct mk_error *err)
{
    struct mk_hyper h = {.name = m->column[at], .def = NAN};
    if (c->numbers && c->n > MOST_LEVELS) return add_range(c, &h, s, err);
    h.kind = c->n == 1 ? MK_HYPER_CONSTANT : c->numbers ? MK_HYPER_ORDINAL : MK_HYPER_CATEGORICAL;
    return add_words(m, c, &h, s, err);
}

/* Whether the value of hyperparameter `of` decides if the column is empty: then filled[word] says for which words it
 * is not. */
static bool decides(const struct mk_measurements *m, const size_t *row, size_t n, size_t at, const struct mk_hyper *of,
                    size_t of_column, unsigned char *filled)
{
    memset(filled, 2, of->n_words);
    for (size_t i = 0; i < n; i++) {
        const char *word = text_of(m, row[i], of_column);
        double v;
        if (!*word || !mk_hyper_parse(of, word, strlen(word), &v)) return false;
        const unsigned char now = *text_of(m, row[i], at) != 0;
        unsigned char *known = &filled[(size_t)v];
        if (*known != 2 && *known != now) return false;
        *known = now;
    }
    return true;
}

/* The condition of hyperparameter h, column `at`, on the first word column that decides it. */
static int add_condition(const struct mk_measurements *m, const size_t *row, size_t n, size_t h, size_t at,
                         const size_t *column_of, struct mk_space *s, struct mk_error *err)
{
    for (size_t of = 0; of < s->n; of++) {
        const struct mk_hyper *parent = &s->hyper[of];
        if (of == h || parent->kind != MK_HYPER_CATEGORICAL || parent->n_when) continue;
        unsigned char *filled = malloc(parent->n_words);
        struct mk_clause clause = {.of = of, .value = malloc(parent->n_words * sizeof *clause.value)};
        if (!filled || !clause.value) {
            free(filled);
            free(clause.value);
            return mk_fail_memory(err, m->path);
        }
        const bool found = decides(m, row, n, at, parent, column_of[of], filled);
        for (size_t w = 0; found && w < parent->n_words; w++)
            if (filled[w] == 1) clause.value[clause.n_values++] = (double)w;
        free(filled);
        if (found) return mk_space_condition(s, h, &clause, err);
        free(clause.value);
    }
    return MK_OK;
}

static int space_of_rows(const struct mk_measurements *m, const size_t *row, size_t n, struct mk_space **out,
                         struct mk_error *err)
{
    struct mk_space *s = NULL;
    size_t *column_of = calloc(m->n_columns + 1, sizeof *column_of);
    bool *has_empty = calloc(m->n_columns + 1, sizeof *has_empty);
    int code = column_of && has_empty ? mk_space_new(&s, err) : mk_fail_memory(err, m->path);
    for (size_t at = 0; !code && at < m->n_columns; at++) {
        struct column c;
        code = read_column(m, row, n, at, &c, err);
        column_of[s->n] = at;
        has_empty[s->n] = c.has_empty;
        if (!code && c.n) code = add_column(m, at, &c, s, err);
        free_column(&c);
    }
    if (!code && !s->n) code = mk_fail(err, MK_EINPUT, "%s: the rows have no hyperparameters", m->path);
    for (size_t h = 0; !code && h < s->n; h++)
        if (has_empty[h]) code = add_condition(m, row, n, h, column_of[h], column_of, s, err);
    free(column_of);
    free(has_empty);
    return mk_space_done(s, code, out, err);
}

/* The rows as configurations v[n][s->n], from malloc. MK_EINPUT: a cell is not a value of its hyperparameter. */
static int values_of_rows(const struct mk_measurements *m, const size_t *row, size_t n, const struct mk_space *s,
                          double **v, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], name[MK_CLIP_ROOM], range[256];
    *v = malloc(n * s->n * sizeof **v);
    int code = *v ? MK_OK : mk_fail_memory(err, m->path);
    for (size_t j = 0; j < s->n && !code; j++) {
        const struct mk_hyper *h = &s->hyper[j];
        size_t at = 0;
        while (at < m->n_columns && strcmp(m->column[at], h->name) != 0) at++;
        if (at == m->n_columns) code = mk_fail(err, MK_EINPUT, "%s: no column %s", m->path, mk_clip(h->name, clip));
        for (size_t i = 0; i < n && !code; i++) {
            const char *text = text_of(m, row[i], at);
            double *value = &(*v)[i * s->n + j];
            *value = NAN;
            if (*text && !mk_hyper_parse(h, text, strlen(text), value))
                code = mk_fail(err, MK_EINPUT, "%s: %s: expected %s, got %s", m->path, mk_clip(h->name, name),
                               mk_hyper_range(h, range, sizeof range), mk_clip(text, clip));
        }
    }
    if (code) free(*v);
    return code;
}

/* ---- what objectives have of it ---- */

static int find_rows(const struct mk_objective *o, const struct mk_measurements **m, size_t **row, size_t *n,
                     struct mk_error *err)
{
    if (!o->text[MK_MEASURED_INSTANCE]) return mk_fail(err, MK_EINPUT, "instance: missing; expected a name");
    int code = open_file(o->files, o->text[MK_MEASURED_FILE], m, err);
    return code ? code : select_rows(*m, o->text[MK_MEASURED_INSTANCE], o->text[MK_MEASURED_ARM], row, n, err);
}

int mk_measured_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    const struct mk_measurements *m;
    size_t *row, n;
    int code = find_rows(o, &m, &row, &n, err);
    if (code) return code;
    code = space_of_rows(m, row, n, out, err);
    free(row);
    return code;
}

int mk_measured_read(const struct mk_objective *o, struct mk_measured *out, struct mk_error *err)
{
    const struct mk_measurements *m;
    size_t *row;
    int code = find_rows(o, &m, &row, &out->n, err);
    if (code) return code;
    out->reward = malloc(out->n * sizeof *out->reward);
    code = out->reward ? values_of_rows(m, row, out->n, o->space, &out->v, err) : mk_fail_memory(err, "a table");
    /* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.ArraySubscript): select_rows has set n of them */
    for (size_t i = 0; i < out->n && !code; i++) out->reward[i] = m->reward[row[i]];
    if (code) free(out->reward);
    free(row);
    return code;
}

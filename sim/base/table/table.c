#include "sim/base/table/table.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/table/table_parts.h"
#include "sim/base/text.h"

/* A mistake in the program: the first one is what mk_table_check returns. */
static void bug(struct mk_table *t, const char *problem, const char *column)
{
    if (!t->bug.code)
        mk_fail(&t->bug, MK_EFAIL, "a mistake in maxk: table '%s': %s: %s", t->schema->title, column, problem);
}

/* A text of a format, malloc'ed; NULL: out of memory, which is kept. */
static char *format_text(struct mk_table *t, const char *format, va_list ap)
{
    char *text = NULL;
    if (vasprintf(&text, format, ap) >= 0) return text;
    t->no_memory = true;
    return NULL;
}

/* ---- making ---- */

static size_t cell_size(enum mk_column_type type)
{
    switch (type) {
    case MK_COLUMN_TEXT: return sizeof(char *);
    case MK_COLUMN_COUNT: return sizeof(uint64_t);
    case MK_COLUMN_REAL: return sizeof(double);
    case MK_COLUMN_FLAG: return 1;
    }
    return 0;
}

int mk_table_new(struct mk_table **out, const struct mk_table_schema *schema, struct mk_error *err)
{
    struct mk_table *t = calloc(1, sizeof *t);
    *out = NULL;
    if (!t || !MK_GROW(t->column, 0, schema->n_columns)) {
        free(t);
        return mk_fail_memory(err, "a table");
    }
    t->schema = schema;
    t->n_columns = schema->n_columns;
    for (size_t i = 0; i < t->n_columns; i++) t->column[i] = (struct column){.about = schema->column[i], .id = i};
    *out = t;
    return MK_OK;
}

static void free_lookup(struct lookup *l)
{
    if (!l) return;
    mk_free_texts(l->key, l->n);
    mk_free_texts(l->word, l->n);
    free(l->value);
    free(l);
}

static void free_column(struct column *c, size_t rows)
{
    for (size_t r = 0; c->about.type == MK_COLUMN_TEXT && c->value.text && r < rows; r++) free(c->value.text[r]);
    for (size_t r = 0; c->seen && r < rows; r++) free(c->seen[r].text);
    free(c->value.any);
    free(c->seen);
    free_lookup(c->lookup);
    free(c->name);
    free(c->own_text);
}

void mk_table_free(struct mk_table *t)
{
    while (t) {
        struct mk_table *next = t->next;
        for (size_t i = 0; i < t->n_columns; i++) free_column(&t->column[i], t->rows + t->column[i].set);
        for (size_t i = 0; i < t->n_groups; i++) free(t->group[i].caption);
        free(t->group);
        free(t->column);
        free(t->listed);
        free(t->added);
        free(t->caption);
        if (t->stream.printer) mk_table_finish(t->stream.printer, MK_EFAIL, NULL);
        free(t->stream.view);
        mk_free_texts(t->notes.line, t->notes.n);
        mk_free_texts(t->warnings.line, t->warnings.n);
        free(t);
        t = next;
    }
}

size_t mk_table_place(const struct mk_table *t, size_t id)
{
    if (!t->n_dropped) return id < t->n_columns ? id : SIZE_MAX;
    for (size_t i = id < t->n_columns ? id + 1 : t->n_columns; i-- > 0;)
        if (t->column[i].id == id) return i;
    return SIZE_MAX;
}

/* NULL: it was dropped, or there is none. */
static struct column *column_of(struct mk_table *t, size_t id)
{
    const size_t at = mk_table_place(t, id);
    return at == SIZE_MAX ? NULL : &t->column[at];
}

void mk_table_drop_column(struct mk_table *t, size_t column)
{
    const size_t at = mk_table_place(t, column);
    if (t->room) bug(t, "a column is dropped after the first cell", "");
    if (t->room || at == SIZE_MAX) return;
    free_column(&t->column[at], 0);
    memmove(&t->column[at], &t->column[at + 1], (--t->n_columns - at) * sizeof *t->column);
    t->n_dropped++;
}

void mk_table_round(struct mk_table *t, size_t column, enum mk_table_rounding rounding)
{
    struct column *c = column_of(t, column);
    if (c) c->rounding = rounding;
}

void mk_table_rename(struct mk_table *t, size_t column, const char *name)
{
    struct column *c = column_of(t, column);
    if (!c) return;
    free(c->name);
    c->name = strdup(name);
    if (c->name)
        c->about.name = c->name;
    else
        t->no_memory = true;
}

void mk_table_retype(struct mk_table *t, size_t column, enum mk_column_type type, const char *unit)
{
    struct column *c = column_of(t, column);
    if (t->room) bug(t, "a column is retyped after the first cell", "");
    if (!c || t->room) return;
    c->about.type = type;
    c->about.unit = unit;
}

size_t mk_table_add_column(struct mk_table *t, const char *name, enum mk_column_type type, const char *unit,
                           const char *about)
{
    if (t->room) bug(t, "a column is added after the first cell", name);
    const size_t id = t->n_columns + t->n_dropped;
    if (t->room || !MK_GROW(t->column, t->n_columns, 1)) {
        t->no_memory = true;
        return id - 1;
    }
    struct column *c = &t->column[t->n_columns++];
    *c = (struct column){.about = {name, type, unit, about}, .own_text = strdup(about), .id = id};
    if (c->own_text)
        c->about.about = c->own_text;
    else
        t->no_memory = true;
    mk_table_rename(t, id, name);
    return id;
}

/* A copy of texts, some of which may be NULL. */
static char **copy_texts(const char *const *text, size_t n)
{
    char **copy = calloc(n + 1, sizeof *copy);
    bool good = copy != NULL;
    for (size_t i = 0; good && i < n; i++)
        if (text[i]) good = (copy[i] = strdup(text[i])) != NULL;
    if (good) return copy;
    mk_free_texts(copy, n);
    return NULL;
}

static struct lookup *new_lookup(size_t column, size_t n, const char *const *key, const double *value,
                                 const char *const *word)
{
    struct lookup *l = calloc(1, sizeof *l);
    if (!l) return NULL;
    *l = (struct lookup){.column = column, .n = n, .key = copy_texts(key, n)};
    if (word) l->word = copy_texts(word, n);
    if (!word) l->value = malloc((n + 1) * sizeof *l->value);
    if (!l->key || !(word ? (void *)l->word : (void *)l->value)) {
        free_lookup(l);
        return NULL;
    }
    if (!word) memcpy(l->value, value, n * sizeof *l->value);
    return l;
}

void mk_table_add_lookup(struct mk_table *t, size_t column, const struct mk_column *about, size_t n,
                         const char *const *key, const double *value, const char *const *word)
{
    struct lookup *l = new_lookup(column, n, key, value, word);
    const size_t at = t->n_columns;
    mk_table_add_column(t, about->name, about->type, about->unit, about->about);
    if (l && t->n_columns > at)
        t->column[at].lookup = l;
    else
        free_lookup(l);
    if (!l) t->no_memory = true;
}

/* Sets the cell of the current row of a column with a lookup. */
static void set_lookup(struct mk_table *t, struct column *c)
{
    struct lookup *l = c->lookup;
    const struct column *of = column_of(t, l->column);
    const char *text = of && of->set ? of->value.text[t->rows] : NULL;
    size_t tried = 0;
    for (; text && tried < l->n && strcmp(l->key[l->last], text) != 0; tried++) l->last = (l->last + 1) % l->n;
    if (!text || tried == l->n)
        mk_table_set_missing(t, c->id);
    else if (l->word)
        mk_table_set_text(t, c->id, l->word[l->last]);
    else
        mk_table_set_real(t, c->id, l->value[l->last]);
}

/* Whether every column has room for the current row. */
static bool grow(struct mk_table *t)
{
    if (t->rows < t->room) return true;
    for (size_t i = 0; i < t->n_columns && !t->no_memory; i++) {
        struct column *c = &t->column[i];
        t->no_memory = !MK_GROW_SIZED(c->value.any, t->room, 1, cell_size(c->about.type)) ||
                       (c->seen && !MK_GROW(c->seen, t->room, 1));
        if (c->seen && !t->no_memory) c->seen[t->room] = (struct seen){NULL, false, false};
    }
    t->room += !t->no_memory;
    return !t->no_memory;
}

/* The column of the next cell; NULL: it was dropped, or nothing is stored any more for lack of memory. */
static struct column *next_cell(struct mk_table *t, size_t column, int type)
{
    struct column *c = column_of(t, column);
    if (!c && column < t->n_columns + t->n_dropped) return NULL;
    if (!c)
        bug(t, "no such column", "a cell");
    else if (c->set)
        bug(t, "set twice in a row", c->about.name);
    else if (type >= 0 && type != (int)c->about.type)
        bug(t, "a value of another type", c->about.name);
    if (t->bug.code || t->no_memory || !grow(t)) return NULL;
    c->set = true;
    return c;
}

void mk_table_set_text(struct mk_table *t, size_t column, const char *text)
{
    struct column *c = next_cell(t, column, MK_COLUMN_TEXT);
    if (!c) return;
    c->value.text[t->rows] = text ? strdup(text) : NULL;
    if (text && !c->value.text[t->rows]) t->no_memory = true;
}

void mk_table_format_text(struct mk_table *t, size_t column, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *text = format_text(t, format, ap);
    va_end(ap);
    mk_table_set_text(t, column, text);
    free(text);
}

void mk_table_set_count(struct mk_table *t, size_t column, uint64_t value)
{
    struct column *c = next_cell(t, column, MK_COLUMN_COUNT);
    if (c) c->value.count[t->rows] = value;
}

void mk_table_set_real(struct mk_table *t, size_t column, double value)
{
    struct column *c = next_cell(t, column, MK_COLUMN_REAL);
    if (c) c->value.real[t->rows] = value;
}

void mk_table_set_number(struct mk_table *t, size_t column, double value)
{
    const struct column *c = column_of(t, column);
    if (!c || c->about.type == MK_COLUMN_COUNT) {
        if (c && value != floor(value)) bug(t, "a fraction in a column of whole numbers", c->about.name);
        mk_table_set_count(t, column, (uint64_t)value);
        return;
    }
    mk_table_set_real(t, column, value);
    mk_table_set_seen(t, column, false, false, "%.15g", value);
}

void mk_table_set_flag(struct mk_table *t, size_t column, bool value)
{
    struct column *c = next_cell(t, column, MK_COLUMN_FLAG);
    if (c) c->value.flag[t->rows] = value;
}

void mk_table_set_missing(struct mk_table *t, size_t column)
{
    struct column *c = next_cell(t, column, -1);
    if (!c) return;
    switch (c->about.type) {
    case MK_COLUMN_TEXT: c->value.text[t->rows] = NULL; break;
    case MK_COLUMN_COUNT: c->value.count[t->rows] = MK_COUNT_MISSING; break;
    case MK_COLUMN_REAL: c->value.real[t->rows] = NAN; break;
    case MK_COLUMN_FLAG: c->value.flag[t->rows] = MK_FLAG_MISSING; break;
    }
}

void mk_table_set_seen(struct mk_table *t, size_t column, bool bold, bool underlined, const char *format, ...)
{
    struct column *c = column_of(t, column);
    va_list ap;
    if (!c || t->no_memory || t->bug.code) return;
    if (!c->set) {
        bug(t, "has no value yet, so that none is replaced", c->about.name);
        return;
    }
    if (!c->seen && MK_GROW(c->seen, 0, t->room)) memset(c->seen, 0, t->room * sizeof *c->seen);
    t->no_memory = !c->seen;
    if (!c->seen) return;
    va_start(ap, format);
    c->seen[t->rows] = (struct seen){format_text(t, format, ap), bold, underlined};
    va_end(ap);
}

void mk_table_end_row(struct mk_table *t)
{
    for (size_t i = 0; !t->no_memory && i < t->n_columns; i++)
        if (t->column[i].lookup) set_lookup(t, &t->column[i]);
    for (size_t i = 0; !t->no_memory && i < t->n_columns; i++)
        if (!t->column[i].set) bug(t, "not set in a row", t->column[i].about.name);
    if (t->bug.code || t->no_memory) return; /* the row is not part of the table */
    for (size_t i = 0; i < t->n_columns; i++) t->column[i].set = false;
    if (!t->stream.view) {
        t->rows++;
        return;
    }
    if (t->stream.printer) t->stream.print(t, 0, t->stream.view, true, t->stream.printer);
    for (size_t i = 0; i < t->n_columns; i++) {
        struct column *c = &t->column[i];
        if (c->about.type == MK_COLUMN_TEXT) free(c->value.text[0]);
        if (c->seen) free(c->seen[0].text);
        if (c->seen) c->seen[0] = (struct seen){NULL, false, false};
    }
}

void mk_table_show_column(struct mk_table *t, size_t column, const char *heading)
{
    if (MK_GROW(t->added, t->n_added, 1))
        t->added[t->n_added++] = (struct mk_table_view){(int)column, heading, NULL};
    else
        t->no_memory = true;
}

void mk_table_list_row(struct mk_table *t, size_t row)
{
    if (MK_GROW(t->listed, t->n_listed, 1))
        t->listed[t->n_listed++] = row;
    else
        t->no_memory = true;
}

void mk_table_begin_group(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *caption = format_text(t, format, ap);
    va_end(ap);
    if (caption && MK_GROW(t->group, t->n_groups, 1)) {
        t->group[t->n_groups++] = (struct group){caption, t->n_listed};
    } else {
        free(caption);
        t->no_memory = true;
    }
}

static void add_line(struct mk_table *t, struct lines *l, const char *format, va_list ap)
{
    char *line = format_text(t, format, ap);
    if (line && MK_GROW(l->line, l->n, 1)) {
        l->line[l->n++] = line;
    } else {
        free(line);
        t->no_memory = true;
    }
}

void mk_table_set_caption(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    free(t->caption);
    t->caption = format_text(t, format, ap);
    va_end(ap);
}

void mk_table_add_note(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    add_line(t, &t->notes, format, ap);
    va_end(ap);
}

/* Appends to a text that is there. */
static void extend(struct mk_table *t, char **text, const char *format, va_list ap)
{
    char *more = format_text(t, format, ap), *both = NULL;
    if (more && asprintf(&both, "%s%s", *text, more) >= 0) {
        free(*text);
        *text = both;
    } else {
        t->no_memory = true;
    }
    free(more);
}

void mk_table_extend_note(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (t->notes.n) extend(t, &t->notes.line[t->notes.n - 1], format, ap);
    va_end(ap);
}

void mk_table_extend_caption(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    if (t->n_groups || t->caption)
        extend(t, t->n_groups ? &t->group[t->n_groups - 1].caption : &t->caption, format, ap);
    va_end(ap);
}

void mk_table_add_warning(struct mk_table *t, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    add_line(t, &t->warnings, format, ap);
    va_end(ap);
}

void mk_table_hide(struct mk_table *t)
{
    t->hidden = true;
}

void mk_table_append(struct mk_table *t, struct mk_table *next)
{
    while (t->next) t = t->next;
    t->next = next;
}

void mk_table_fail(struct mk_table *t, const struct mk_error *why)
{
    t->failure = *why;
}

int mk_table_failure(const struct mk_table *t, struct mk_error *err)
{
    return t->failure.code ? mk_fail(err, t->failure.code, "%s", t->failure.text) : MK_OK;
}

int mk_table_check(struct mk_table *t, struct mk_error *err)
{
    for (; t; t = t->next) {
        for (size_t i = 0; !t->no_memory && i < t->n_columns; i++)
            if (t->column[i].set) bug(t, "the last row is not ended", t->column[i].about.name);
        if (t->bug.code) return mk_fail(err, t->bug.code, "%s", t->bug.text);
        if (t->no_memory) return mk_fail_memory(err, "a table");
        int code = mk_table_finish(t->stream.printer, MK_OK, err);
        t->stream.printer = NULL;
        if (code) return code;
    }
    return MK_OK;
}

/* ---- reading ---- */

size_t mk_table_rows(const struct mk_table *t)
{
    return t->rows;
}

size_t mk_table_columns(const struct mk_table *t)
{
    return t->n_columns;
}

const struct mk_column *mk_table_column(const struct mk_table *t, size_t column)
{
    return column < t->n_columns ? &t->column[column].about : NULL;
}

size_t mk_table_find(const struct mk_table *t, const char *name)
{
    for (size_t i = 0; i < t->n_columns; i++)
        if (strcmp(t->column[i].about.name, name) == 0) return i;
    return SIZE_MAX;
}

static const void *values(const struct mk_table *t, size_t column, enum mk_column_type type)
{
    static const double nothing[1]; /* of a table without rows */
    if (column >= t->n_columns || t->column[column].about.type != type) return NULL;
    return t->rows ? t->column[column].value.any : nothing;
}

const char *const *mk_table_texts(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_TEXT);
}

const uint64_t *mk_table_counts(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_COUNT);
}

const double *mk_table_reals(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_REAL);
}

const unsigned char *mk_table_flags(const struct mk_table *t, size_t column)
{
    return values(t, column, MK_COLUMN_FLAG);
}

const char *mk_table_title(const struct mk_table *t)
{
    return t->schema->title;
}

const char *mk_table_caption(const struct mk_table *t)
{
    return t->caption ? t->caption : "";
}

const char *mk_table_note(const struct mk_table *t, size_t i)
{
    return i < t->notes.n ? t->notes.line[i] : NULL;
}

size_t mk_table_groups(const struct mk_table *t)
{
    return t->n_groups;
}

const char *mk_table_group_caption(const struct mk_table *t, size_t group)
{
    return group < t->n_groups ? t->group[group].caption : NULL;
}

const size_t *mk_table_group_rows(const struct mk_table *t, size_t group, size_t *n_rows)
{
    *n_rows = 0;
    if (group >= t->n_groups) return NULL;
    const size_t first = t->group[group].first;
    *n_rows = (group + 1 < t->n_groups ? t->group[group + 1].first : t->n_listed) - first;
    return *n_rows ? t->listed + first : NULL;
}

const char *mk_table_warning(const struct mk_table *t, size_t i)
{
    return i < t->warnings.n ? t->warnings.line[i] : NULL;
}

const struct mk_table *mk_table_further(const struct mk_table *t)
{
    return t->next;
}

const struct mk_table *mk_table_next(const struct mk_table *t)
{
    return mk_table_further(t);
}

#include "sim/base/csv.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
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
#include "sim/base/text.h"

enum { BUFFER = 1 << 18, GZ_BUFFER = 1 << 17, MOST_COLUMNS = 4096, LONGEST_NUMBER = 64 };

struct mk_csv_input {
    gzFile gz;
    char *buffer; /* [room + 2]: always a line end after the data; a 0 after that of the first line */
    size_t room, start, end;
    const char *row;  /* start of the current row in buffer */
    size_t next_line; /* line at buffer[start] */
    char *unquoted;   /* [room] text of quoted cells of the current row */
    size_t n_unquoted;
    size_t n_cells, cell_room;
    int at_end; /* no more data */
};

static struct mk_where row_place(const struct mk_csv *c, size_t line)
{
    return (struct mk_where){c->path, line, 0};
}

/* More data after the existing; the unread part moves to the front. */
static int refill(struct mk_csv *c, struct mk_error *err)
{
    struct mk_csv_input *in = c->input;
    size_t kept = in->end - in->start;
    if (kept) memmove(in->buffer, in->buffer + in->start, kept);
    in->start = 0;
    in->end = kept;
    if (kept > MK_CSV_ROW)
        return mk_fail_at(err, row_place(c, in->next_line), NULL, "row longer than %d bytes", MK_CSV_ROW);
    if (in->room - kept < BUFFER) {
        size_t room = kept + (size_t)2 * BUFFER;
        char *grown = realloc(in->buffer, room + 2);
        if (!grown) return mk_fail_memory(err, c->path);
        in->buffer = grown;
        in->room = room;
    }
    int got = gzread(in->gz, in->buffer + kept, (unsigned)(in->room - kept));
    int state = Z_OK;
    const char *text = gzerror(in->gz, &state);
    if (got < 0 || state == Z_BUF_ERROR) {
        if (state == Z_ERRNO) return mk_fail(err, MK_EIO, "%s: cannot be read: %s", c->path, strerror(errno));
        if (state == Z_MEM_ERROR) return mk_fail_memory(err, c->path);
        const char *what = strrchr(text, ':'); /* zlib prefixes it with the path */
        size_t line = in->next_line, filled = kept + (got > 0 ? (size_t)got : 0);
        for (size_t i = 0; i < filled; i++) line += in->buffer[i] == '\n';
        return mk_fail_at(err, row_place(c, line), NULL, "gzip data truncated or damaged in or after this line:%s",
                          state == Z_BUF_ERROR ? " unexpected end of file"
                          : what               ? what + 1
                                               : " unknown error");
    }
    in->at_end = got == 0;
    in->end += (size_t)got;
    in->buffer[in->end] = '\n';
    return MK_OK;
}

static int add_cell(struct mk_csv *c, struct mk_csv_cell cell, struct mk_error *err)
{
    struct mk_csv_input *in = c->input;
    if (in->n_cells == in->cell_room) {
        if (in->cell_room == MOST_COLUMNS)
            return mk_fail_at(err, row_place(c, in->next_line), NULL, "more than %d cells", MOST_COLUMNS);
        if (!MK_GROW(c->cell, in->cell_room, 1)) return mk_fail_memory(err, c->path);
        in->cell_room++;
    }
    c->cell[in->n_cells++] = cell;
    return MK_OK;
}

enum { ROW_CUT = 1 }; /* the row is not complete in the buffer */

/* A quoted cell at *at; leaves *at on the separator or line end after it. */
static int take_quoted(struct mk_csv *c, const char **at, struct mk_error *err)
{
    struct mk_csv_input *in = c->input;
    const char *stop = in->buffer + in->end, *p = *at + 1;
    if (!in->unquoted && !(in->unquoted = malloc(in->room))) return mk_fail_memory(err, c->path);
    char *to = in->unquoted + in->n_unquoted, *first = to;
    for (;; p++) {
        if (p == stop) {
            if (!in->at_end) return ROW_CUT;
            return mk_fail_at(err, row_place(c, in->next_line), NULL, "unclosed quoted cell");
        }
        if (*p == '"') {
            if (p + 1 == stop && !in->at_end) return ROW_CUT;
            if (p + 1 == stop || p[1] != '"') break;
            p++;
        }
        *to++ = *p;
    }
    p++;
    if (p < stop && *p == '\r' && p + 1 == stop && !in->at_end) return ROW_CUT;
    struct mk_csv_cell cell = {first, (size_t)(to - first), *at};
    in->n_unquoted += cell.length;
    if (p < stop && *p == '\r' && p[1] == '\n') p++;
    if (p < stop && *p != c->separator && *p != '\n')
        return mk_fail_at(err, row_place(c, in->next_line), NULL,
                          "expected a %s or the end of the line after a closing quote",
                          mk_csv_separator_name(c->separator));
    *at = p;
    return add_cell(c, cell, err);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Drops the blanks at either end of *text, of which there are *length bytes. */
static void trim(const char **text, size_t *length)
{
    while (*length && is_blank(**text)) {
        ++*text;
        --*length;
    }
    while (*length && is_blank((*text)[*length - 1])) --*length;
}

/* Splits the row at buffer[start] into cells: MK_OK, ROW_CUT, or an error. */
static int split_row(struct mk_csv *c, const char **row_end, struct mk_error *err)
{
    struct mk_csv_input *in = c->input;
    const char *stop = in->buffer + in->end, *p = in->buffer + in->start, separator = c->separator;
    in->n_cells = 0;
    in->n_unquoted = 0;
    for (;;) {
        if (*p == '"' && p < stop) {
            int code = take_quoted(c, &p, err);
            if (code) return code;
        } else {
            const char *first = p;
            while (*p != separator && *p != '\n') p++;
            if (p == stop && !in->at_end) return ROW_CUT;
            size_t length = (size_t)(p - first);
            if (length && *p == '\n' && p[-1] == '\r') length--;
            trim(&first, &length);
            int code = add_cell(c, (struct mk_csv_cell){first, length, first}, err);
            if (code) return code;
        }
        if (p == stop || *p == '\n') break;
        p++;
    }
    if (p == stop && !in->at_end) return ROW_CUT;
    *row_end = p;
    return MK_OK;
}

/* Quoted cells may contain line ends. */
static size_t count_lines(const char *from, const char *to)
{
    size_t n = 0;
    while ((from = memchr(from, '\n', (size_t)(to - from)))) {
        n++;
        from++;
    }
    return n;
}

/* The next row that is not empty, with any number of cells. */
static int next_row(struct mk_csv *c, struct mk_error *err)
{
    struct mk_csv_input *in = c->input;
    for (;;) {
        const char *end = NULL;
        int code = in->start == in->end ? ROW_CUT : split_row(c, &end, err);
        if (code == ROW_CUT) {
            if (in->at_end) return MK_CSV_END;
            /* The buffer may grow: the text of quoted cells must always fit. */
            free(in->unquoted);
            in->unquoted = NULL;
            code = refill(c, err);
            if (code) return code;
            continue;
        }
        if (code) return code;
        in->row = in->buffer + in->start;
        if ((size_t)(end - in->row) > MK_CSV_ROW)
            return mk_fail_at(err, row_place(c, in->next_line), NULL, "row longer than %d bytes", MK_CSV_ROW);
        c->line = in->next_line;
        in->next_line += 1 + (in->n_unquoted ? count_lines(in->row, end) : 0);
        in->start = (size_t)(end - in->buffer) + (end < in->buffer + in->end);
        if (in->n_cells > 1 || c->cell[0].length || *c->cell[0].raw == '"') return MK_OK;
    }
}

int mk_csv_next(struct mk_csv *c, struct mk_error *err)
{
    int code = next_row(c, err);
    if (code == MK_OK && c->input->n_cells != c->n_columns)
        return mk_fail_at(err, row_place(c, c->line), NULL, "expected %zu cells as in the header, got %zu",
                          c->n_columns, c->input->n_cells);
    return code;
}

static int open_file(struct mk_csv *c, struct mk_error *err)
{
    struct mk_csv_input *in = c->input;
    struct stat s;
    errno = 0;
    in->gz = gzopen(mk_readable_path(c->path), "rb");
    if (!in->gz && !errno) return mk_fail_memory(err, c->path);
    if (!in->gz) return mk_fail(err, MK_EINPUT, "%s: cannot be read: %s", c->path, strerror(errno));
    if (stat(mk_readable_path(c->path), &s) == 0 && S_ISDIR(s.st_mode))
        return mk_fail(err, MK_EINPUT, "%s: cannot be read: %s", c->path, strerror(EISDIR));
    gzbuffer(in->gz, GZ_BUFFER);
    in->room = (size_t)2 * BUFFER;
    in->next_line = 1;
    in->buffer = malloc(in->room + 2);
    return in->buffer ? MK_OK : mk_fail_memory(err, c->path);
}

const char *mk_csv_separator_name(char separator)
{
    return separator == ';' ? "semicolon" : separator == '\t' ? "tab" : "comma";
}

/* The most frequent one of the first line outside quotes; of equally frequent ones the first. */
static char find_separator(const char *line)
{
    static const char known[] = ",;\t";
    size_t count[sizeof known] = {0};
    bool quoted = false;
    for (; *line != '\n' || quoted; line++) {
        const char *at = *line ? strchr(known, *line) : NULL;
        quoted ^= *line == '"';
        if (at && !quoted) count[at - known]++;
        if (!*line) break;
    }
    size_t best = 0;
    for (size_t i = 1; known[i]; i++)
        if (count[i] > count[best]) best = i;
    return known[best];
}

static int read_header(struct mk_csv *c, struct mk_error *err)
{
    struct mk_csv_input *in = c->input;
    int code = refill(c, err);
    if (code) return code;
    if (in->end >= 3 && memcmp(in->buffer, "\xef\xbb\xbf", 3) == 0) in->start = 3;
    in->buffer[in->end + 1] = 0;
    c->separator = find_separator(in->buffer + in->start);
    code = next_row(c, err);
    if (code == MK_CSV_END) return mk_fail(err, MK_EINPUT, "%s: empty file; expected a row of column names", c->path);
    if (code) return code;
    c->column = calloc(in->n_cells, sizeof *c->column);
    if (!c->column) return mk_fail_memory(err, c->path);
    for (c->n_columns = 0; c->n_columns < in->n_cells; c->n_columns++) {
        const struct mk_csv_cell *cell = &c->cell[c->n_columns];
        c->column[c->n_columns] = strndup(cell->text, cell->length);
        if (!c->column[c->n_columns]) return mk_fail_memory(err, c->path);
    }
    return MK_OK;
}

int mk_csv_open(struct mk_csv **out, const char *path, struct mk_error *err)
{
    struct mk_csv *c = calloc(1, sizeof *c);
    if (!c) return mk_fail_memory(err, path);
    c->path = strdup(path);
    c->input = calloc(1, sizeof *c->input);
    int code = c->path && c->input ? open_file(c, err) : mk_fail_memory(err, path);
    if (!code) code = read_header(c, err);
    if (code)
        mk_csv_close(c);
    else
        *out = c;
    return code;
}

void mk_csv_close(struct mk_csv *c)
{
    if (!c) return;
    if (c->input) {
        if (c->input->gz) gzclose_r(c->input->gz);
        free(c->input->buffer);
        free(c->input->unquoted);
        free(c->input);
    }
    for (size_t i = 0; i < c->n_columns; i++) free(c->column[i]);
    free(c->column);
    free(c->cell);
    free(c->path);
    free(c);
}

double mk_csv_share(const struct mk_csv *c)
{
    struct stat s;
    z_off_t at = gzoffset(c->input->gz);
    if (at < 0 || stat(mk_readable_path(c->path), &s) != 0 || !S_ISREG(s.st_mode) || s.st_size <= 0) return NAN;
    return fmin(1, (double)at / (double)s.st_size);
}

static int find_by(const struct mk_csv *c, const char *name, int (*compare)(const char *, const char *))
{
    int at = -1;
    for (size_t i = 0; i < c->n_columns; i++)
        if (compare(c->column[i], name) == 0) at = at == -1 ? (int)i : -2;
    return at;
}

int mk_csv_find(const struct mk_csv *c, const char *name)
{
    int at = find_by(c, name, strcmp);
    return at == -1 ? find_by(c, name, strcasecmp) : at;
}

struct mk_where mk_csv_where(const struct mk_csv *c, size_t cell)
{
    return mk_where_after((struct mk_where){c->path, c->line, 1}, c->input->row, c->cell[cell].raw);
}

bool mk_csv_is_missing(const struct mk_csv *c, size_t cell)
{
    static const char *const words[] = {"", "NA", "N/A", "NaN", "?", "null", "None"};
    const char *text = c->cell[cell].text;
    size_t n = c->cell[cell].length;
    trim(&text, &n);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == n && strncasecmp(text, words[i], n) == 0) return true;
    return false;
}

int mk_csv_number(const struct mk_csv *c, size_t cell, double *out, struct mk_error *err)
{
    const struct mk_csv_cell *at = &c->cell[cell];
    const char *text = at->text;
    size_t length = at->length;
    if (mk_parse_real(text, length, out)) return MK_OK;
    trim(&text, &length);
    if (mk_parse_real(text, length, out)) return MK_OK;
    char clip[MK_CLIP_ROOM], point[LONGEST_NUMBER];
    const char *comma = c->separator == ';' && length < sizeof point ? memchr(text, ',', length) : NULL;
    if (comma) {
        memcpy(point, text, length);
        point[comma - text] = '.';
        if (mk_parse_real(point, length, out)) return MK_OK;
    }
    if (!length)
        return mk_fail_at(err, mk_csv_where(c, cell), c->column[cell], "expected a finite number, got an empty cell");
    return mk_fail_at(err, mk_csv_where(c, cell), c->column[cell], "expected a finite number, got %s",
                      mk_clip_bytes(text, length, clip));
}

const char *mk_csv_columns_text(const struct mk_csv *c, char *out, size_t room)
{
    size_t used = 0;
    *out = 0;
    for (size_t i = 0; i < c->n_columns && used + MK_CLIP_ROOM < room; i++) {
        char name[MK_CLIP_ROOM];
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", mk_clip(c->column[i], name));
    }
    return out;
}

static int fail_column(const struct mk_csv *c, const char *column, int at, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], names[512];
    if (at == -2) return mk_fail_at(err, row_place(c, 1), mk_clip(column, clip), "duplicate column");
    return mk_fail_at(err, row_place(c, 1), mk_clip(column, clip), "no such column; the file has %s",
                      mk_csv_columns_text(c, names, sizeof names));
}

int mk_csv_column(const char *path, const char *column, double **values, size_t *n, struct mk_error *err)
{
    struct mk_csv *c = NULL;
    double *value = NULL;
    size_t count = 0;
    int code = mk_csv_open(&c, path, err);
    if (code) return code;
    int at = mk_csv_find(c, column);
    if (at < 0) code = fail_column(c, column, at, err);
    while (!code && (code = mk_csv_next(c, err)) == MK_OK) {
        if (MK_GROW(value, count, 1))
            code = mk_csv_number(c, (size_t)at, &value[count++], err);
        else
            code = mk_fail_memory(err, path);
    }
    if (code == MK_CSV_END) code = count ? MK_OK : mk_fail(err, MK_EINPUT, "%s: no rows", path);
    mk_csv_close(c);
    if (code) {
        free(value);
    } else {
        *values = value;
        *n = count;
    }
    return code;
}

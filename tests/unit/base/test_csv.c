/* CSV rows and gzip. Places are counted by hand. */
#include <string.h>

#include <zlib.h>

#include "sim/base/csv.h"
#include "tests/support/check.h"
#include "tests/support/message.h"
#include "tests/support/scratch.h"

static const char *put(struct scratch *s, const char *text)
{
    return scratch_write(s, "t.csv", text, strlen(text));
}

/* The rows of a file as text: cells in <>, rows after the line they start on. */
static void dump(const char *path, char *out, size_t room)
{
    struct mk_csv *csv = NULL;
    struct mk_error err = {0, ""};
    size_t n = 0;
    int code = mk_csv_open(&csv, path, &err);
    for (; !code && n + 200 < room; n += (size_t)snprintf(out + n, room - n, ";")) {
        code = mk_csv_next(csv, &err);
        if (code) break;
        n += (size_t)snprintf(out + n, room - n, "%zu", csv->line);
        for (size_t i = 0; i < csv->n_columns; i++)
            n += (size_t)snprintf(out + n, room - n, "<%.*s>", (int)csv->cell[i].length, csv->cell[i].text);
    }
    snprintf(out + n, room - n, "%s", code == MK_CSV_END ? "" : err.text);
    mk_csv_close(csv);
}

static void check_rows(struct scratch *s, const char *text, const char *want, const char *what)
{
    char got[2000], full[2400];
    const char *path = put(s, text);
    dump(path, got, sizeof got);
    const char *at = strchr(want, '@'); /* stands for the path */
    if (at)
        snprintf(full, sizeof full, "%.*s%s%s", (int)(at - want), want, path, at + 1);
    else
        snprintf(full, sizeof full, "%s", want);
    int same = at ? message_says(got, full) : strcmp(got, full) == 0;
    CHECK(same, "%s%s%s", what, same ? "" : ": ", same ? "" : got);
}

static void check_format(struct scratch *s)
{
    check_rows(s, "a,b\n1,2\n3,4\n", "2<1><2>;3<3><4>;", "plain rows");
    check_rows(s, "a,b\n1,2\n3,4", "2<1><2>;3<3><4>;", "no line end at the end");
    check_rows(s, "\xef\xbb\xbf\"a\",b\r\n1,2\r\n3,4\r\n", "2<1><2>;3<3><4>;", "byte order mark and CRLF");
    check_rows(s, "a,b\n\n1,2\n\r\n\n3,4\n\n", "3<1><2>;6<3><4>;", "empty lines are skipped");
    check_rows(s, "a,b\n,\n1,\n", "2<><>;3<1><>;", "empty cells");
    check_rows(s, "a,b\n1,", "2<1><>;", "an empty cell at the end");
    check_rows(s, "a\n\"\"\n1\n", "2<>;3<1>;", "a quoted empty cell is a row");
    check_rows(s, "a,b\n\"x,y\",\"p\"\"q\"\n1,\"\"", "2<x,y><p\"q>;3<1><>;", "quotes");
    check_rows(s, "a,b\n\"x\ny\",\"p\r\n\"\r\nu,v\n", "2<x\ny><p\r\n>;5<u><v>;", "line ends within quotes");
    check_rows(s, "a,b\nx\"y,z\"\n", "2<x\"y><z\">;", "quotes within a cell stand for themselves");
    check_rows(s, "a,b\n1,2,3\n", "@:2: ~got 3", "too many cells");
    check_rows(s, "a,b\n1,2\n3\n", "2<1><2>;@:3: ~got 1", "too few cells");
    check_rows(s, "a,b\n\"1\"2,3\n", "@:2: ~closing quote", "text after a quote");
    check_rows(s, "a,b\n\"1,2\n3,4\n", "@:2: ~quoted cell", "a quote without end");
    check_rows(s, "a;b;c\n1,5;\"x;y\";z\n", "2<1,5><x;y><z>;", "semicolons");
    check_rows(s, "a\tb\n1, 2\t 3 \n", "2<1, 2><3>;", "tabs");
    check_rows(s, "\"a;;;\",b\n1,2\n", "2<1><2>;", "separators within quotes do not count");
    check_rows(s, " a , b\n 1 ,\t2\r\n", "2<1><2>;", "blanks around cells");
    check_rows(s, "a;b\n\"1\"2;3\n", "@:2: ~expected a semicolon", "text behind a quote, with semicolons");
    check_rows(s, "", "@: ~empty", "an empty file");
    check_rows(s, "\n\n", "@: ~empty", "a file of empty lines");
}

static void check_column(struct scratch *s, const char *text, const char *column, const char *want)
{
    double *value = NULL;
    size_t n = 0;
    struct mk_error err = {0, ""};
    char got[600] = "", full[600];
    const char *path = put(s, text);
    int code = mk_csv_column(path, column, &value, &n, &err);
    if (code) {
        snprintf(full, sizeof full, "%s%s", path, want);
        CHECK(code == MK_EINPUT && message_says(err.text, full), "refused: %s", err.text + strlen(path));
        return;
    }
    for (size_t i = 0; i < n; i++) snprintf(got + strlen(got), sizeof got - strlen(got), "%g ", value[i]);
    CHECK(strcmp(got, want) == 0, "a column: %s", got);
    free(value);
}

static void check_columns(struct scratch *s)
{
    check_column(s, "x,y\n1,2\n3, 4.5 \n\"5\",\"-6e1\"\n", "y", "2 4.5 -60 ");
    check_column(s, "x,y\n1,2\n3,\n", "y", ":3:3: y: ~got an empty cell");
    check_column(s, "x,y\né1,2\nüé,nan\n", "y", ":3:4: y: ~got nan");
    check_column(s, "x,y\n1,inf\n", "y", ":2:3: y: ~got inf");
    check_column(s, "x,y\n1,1e999\n", "y", ":2:3: y: ~got 1e999");
    check_column(s, "x,y\n\"a\nbb\",0x1\n", "y", ":3:5: y: ~got 0x1");
    check_column(s, "x,y\n1,2\n", "z", ":1: z: ~no such column");
    check_column(s, "x,x\n1,2\n", "x", ":1: x: ~duplicate");
    check_column(s, "x,y\n", "y", ": ~no rows");
    check_column(s, "x;y\n1;2,5\n1; -1,5e3 \n", "y", "2.5 -1500 ");
    check_column(s, "x;y\n1;2,5,1\n", "y", ":2:3: y: ~got 2,5,1");
}

/* Rows around the limit, and cells that straddle the ends of the buffer. */
static void check_long(struct scratch *s)
{
    size_t room = 3 << 20, n = 0;
    char *text = malloc(room);
    struct mk_csv *csv = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(text, "3 MB");
    n = (size_t)sprintf(text, "a,b\n");
    memset(text + n, 'x', MK_CSV_ROW - 2);
    memcpy(text + n + MK_CSV_ROW - 2, ",1\n", 3);
    const char *path = scratch_write(s, "t.csv", text, n + MK_CSV_ROW + 1);
    int code = mk_csv_open(&csv, path, &err);
    if (!code) code = mk_csv_next(csv, &err);
    CHECK(code == MK_OK && csv->cell[0].length == MK_CSV_ROW - 2, "a row of the largest size %s", err.text);
    mk_csv_close(csv);
    memset(text + n, 'x', 2 << 20);
    path = scratch_write(s, "t.csv", text, n + (2 << 20));
    csv = NULL;
    code = mk_csv_open(&csv, path, &err);
    if (!code) code = mk_csv_next(csv, &err);
    CHECK(code == MK_EINPUT && strstr(err.text, ":2: ") && strstr(err.text, "1048576 bytes"), "a longer one: %s",
          err.text + strlen(path));
    mk_csv_close(csv);
    /* Quoted cells of growing length: every kind of cut at a buffer's end. */
    n = (size_t)sprintf(text, "a,b\r\n");
    size_t rows = 0, bytes = 0;
    for (; n + 2000 < room; rows++) {
        size_t length = rows % 997;
        n += (size_t)sprintf(text + n, "\"");
        for (size_t i = 0; i < length; i++) n += (size_t)sprintf(text + n, "%s", i % 5 ? "y" : "\"\"");
        n += (size_t)sprintf(text + n, "\",%zu\r\n", rows);
        bytes += length;
    }
    path = scratch_write(s, "t.csv", text, n);
    csv = NULL;
    code = mk_csv_open(&csv, path, &err);
    size_t seen = 0, wrong = 0;
    double value = 0;
    while (!code && !(code = mk_csv_next(csv, &err))) {
        wrong += csv->cell[0].length != seen % 997 || mk_csv_number(csv, 1, &value, &err) || value != (double)seen ||
                 csv->line != seen + 2;
        bytes -= csv->cell[0].length;
        seen++;
    }
    CHECK(code == MK_CSV_END && seen == rows && !wrong && !bytes, "%zu quoted rows of 0 to 996 characters", rows);
    mk_csv_close(csv);
    free(text);
}

static void check_gzip(struct scratch *s)
{
    char name[300], packed[300], want[400];
    size_t n = 0, room = 400000;
    char *text = malloc(room), *bytes = malloc(room);
    double *value = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(text && bytes, "memory");
    n = (size_t)sprintf(text, "v\n");
    for (int i = 0; n + 20 < room; i++) n += (size_t)sprintf(text + n, "%d\n", i * 7919 % 100003);
    snprintf(packed, sizeof packed, "%s/t.csv.gz", s->dir);
    gzFile gz = gzopen(packed, "wb");
    gzwrite(gz, text, (unsigned)n);
    gzclose(gz);
    size_t rows = 0;
    int code = mk_csv_column(packed, "v", &value, &rows, &err);
    CHECK(code == MK_OK && value[2] == 2 * 7919 && rows > 50000, "a gzip file reads: %zu rows", rows);
    free(value);
    FILE *file = fopen(packed, "rb");
    size_t size = file ? fread(bytes, 1, room, file) : 0;
    if (file) fclose(file);
    int refused = 0, cuts = 0;
    for (size_t cut = 11; cut < size; cut += size / 40 + 1, cuts++) {
        const char *path = scratch_write(s, "cut.csv.gz", bytes, cut);
        refused += mk_csv_column(path, "v", &value, &rows, &err) == MK_EINPUT;
    }
    refused += mk_csv_column(scratch_write(s, "cut.csv.gz", bytes, size - 1), "v", &value, &rows, &err) == MK_EINPUT;
    CHECK(refused == cuts + 1, "a gzip file cut at %d places is refused each time: %s", cuts + 1,
          err.text + strlen(s->path));
    bytes[size / 2] ^= 0x55;
    snprintf(name, sizeof name, "%s", scratch_write(s, "bad.csv.gz", bytes, size));
    code = mk_csv_column(name, "v", &value, &rows, &err);
    size_t line = 0;
    int read = 0;
    snprintf(want, sizeof want, ": ~incorrect data check");
    CHECK(code == MK_EINPUT && strncmp(err.text, name, strlen(name)) == 0 &&
              sscanf(err.text + strlen(name), ":%zu%n", &line, &read) == 1 && line >= 1 && line <= rows + 2 &&
              message_says(err.text + strlen(name) + read, want),
          "a damaged one is refused: %s", err.text + strlen(name));
    CHECK(mk_csv_column(s->dir, "v", &value, &rows, &err) == MK_EINPUT && strstr(err.text, "Is a directory"),
          "a directory is refused");
    CHECK(mk_csv_column("/nonexistent/x.csv", "v", &value, &rows, &err) == MK_EINPUT &&
              strcmp(err.text, "/nonexistent/x.csv: cannot be read: No such file or directory") == 0,
          "no such file");
    free(text);
    free(bytes);
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    check_format(&s);
    check_columns(&s);
    check_long(&s);
    check_gzip(&s);
    scratch_remove(&s);
    return CHECK_EXIT;
}

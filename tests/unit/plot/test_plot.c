/* Figures: text made harmless, axes, and files that appear whole or not at all. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/answers/figures/plot/plot.h"
#include "analysis/answers/figures/plot/plot_text.h"
#include "sim/base/text.h"
#include "tests/support/check.h"

enum { PATH = 512, TEXT = 4096 };

static char folder[PATH];

static const char *in_folder(const char *name, char *out)
{
    snprintf(out, PATH, "%.200s/%.200s", folder, name);
    return out;
}

static size_t read_file(const char *name, char *out, size_t room)
{
    char path[PATH];
    FILE *from = fopen(in_folder(name, path), "rb");
    size_t n = from ? fread(out, 1, room - 1, from) : 0;
    if (from) fclose(from);
    out[n] = '\0';
    return n;
}

static void write_text(const char *name, const char *text, mode_t mode)
{
    char path[PATH];
    FILE *to = fopen(in_folder(name, path), "w");
    REQUIRE(to, "%s", path);
    fputs(text, to);
    fclose(to);
    chmod(path, mode);
}

/* Expected texts by hand from the Unicode standard, table 3-7 (well-formed UTF-8). */
static void test_clean(void)
{
    static const struct {
        const char *what, *in, *want;
    } text[] = {
        {"plain text", "max_ucb a=0.5", "max_ucb a=0.5"},
        {"newlines, tabs, escapes", "a\nb\tc\033[31m\177", "a b c [31m "},
        {"UTF-8", "α ≤ ∞ 𝛼", "α ≤ ∞ 𝛼"},
        {"C1 controls and line separators",
         "a\xC2\x85"
         "b\xE2\x80\xA8"
         "c",
         "a b c"},
        {"right-to-left override",
         "a\xE2\x80\xAE"
         "b",
         "a b"},
        {"stray continuation",
         "a\x80"
         "b",
         "a\xEF\xBF\xBD"
         "b"},
        {"overlong slash", "\xC0\xAF", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"surrogate", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"cut sequence at the end", "a\xE2\x82", "a\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"beyond U+10FFFF", "\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    char out[TEXT];
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        mk_text_clean(text[i].in, 0, out, sizeof out);
        CHECK(strcmp(out, text[i].want) == 0, "clean: %s", text[i].what);
    }
    CHECK(mk_text_clean("αβγδε", 4, out, sizeof out) == 4 && strcmp(out, "αβγ…") == 0, "clean: limit in characters");
    CHECK(mk_text_clean("αβγδ", 4, out, sizeof out) == 4 && strcmp(out, "αβγδ") == 0, "clean: just within the limit");
    int whole = 1;
    for (size_t room = 4; room < 20; room++) {
        mk_text_clean("ααααααααααααααααα", 0, out, room);
        size_t n = strlen(out);
        whole &= n < room && n >= 3 && strcmp(out + n - 3, "…") == 0 && (n - 3) % 2 == 0;
    }
    CHECK(whole, "clean: small rooms are never overrun and cut between characters");
}

static void quote(const char *text, char *out, size_t room)
{
    FILE *to = fmemopen(out, room, "w");
    REQUIRE(to, "a stream in memory");
    mk_gnuplot_quote(to, MK_MARKUP_NONE, text);
    fclose(to);
}

static void test_quote(void)
{
    char out[TEXT];
    quote("it's", out, sizeof out);
    CHECK(strcmp(out, "'it'.\"'\".'s'") == 0, "quote: apostrophe on its own");
    quote("a\\n\"$x`id`@m", out, sizeof out);
    CHECK(strcmp(out, "'a\\n\"$x`id`@m'") == 0, "quote: the rest is unchanged");
    CHECK(mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, "one two three", 7, 5) == 2, "lines: broken at a space");
    CHECK(mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, "onetwothreefour", 7, 5) == 1, "lines: a long word stays whole");
    CHECK(mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, "a b c d e f g", 1, 3) == 3, "lines: no more than requested");
    CHECK(mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, "", 7, 5) == 1, "lines: empty text is one line");
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    REQUIRE(to, "a stream in memory");
    mk_gnuplot_quote_lines(to, MK_MARKUP_NONE, "it's one", 4, 2);
    fclose(to);
    CHECK(text && strcmp(text, "'it'.\"'\".'s'.\"\\n\".'one'") == 0, "lines: joined by a line end outside the quotes");
    free(text);
}

/* gnuplot itself says what it makes of a quoted text. */
static void test_quote_read_back(void)
{
    static const char *const hostile[] = {"plain",
                                          "it's",
                                          "''",
                                          "'",
                                          "\\",
                                          "a\\",
                                          "\\'",
                                          "`touch pwned`",
                                          "$(touch pwned)",
                                          "$HOME",
                                          "${HOME}",
                                          "@pwn",
                                          "%s%n%d",
                                          "\"; system(\"touch pwned\"); \"",
                                          "'; system('touch pwned'); '",
                                          "a # b",
                                          "{/Symbol a}",
                                          "x_1^2",
                                          "{",
                                          "}",
                                          "}{",
                                          "a; b",
                                          "!touch pwned",
                                          "| touch pwned",
                                          "<touch pwned",
                                          "α ≤ 'ß'",
                                          "a\\\\b",
                                          "[x]",
                                          "a,b",
                                          "~/*?"};
    enum { N = sizeof hostile / sizeof *hostile };
    char script[TEXT * 2] = "", got[TEXT], path[PATH];
    struct mk_error err = {0, ""};
    FILE *to = fmemopen(script, sizeof script, "w");
    REQUIRE(to, "a stream in memory");
    fputs("set encoding utf8\nset macros\npwn = \"system('touch pwned')\"\nset print 'back.txt'\n", to);
    for (size_t i = 0; i < N; i++) {
        fputs("print ", to);
        mk_gnuplot_quote(to, MK_MARKUP_NONE, hostile[i]);
        fputs("\n", to);
    }
    fclose(to);
    write_text("back.gp", script, 0644);
    int code = mk_gnuplot_run(folder, "back.gp", &err);
    CHECK(code == MK_OK, "read back: gnuplot accepts every text %s", err.text);
    read_file("back.txt", got, sizeof got);
    char *line = got;
    for (size_t i = 0; i < N; i++) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        CHECK(strcmp(line, hostile[i]) == 0, "read back: %s", hostile[i]);
        line = end ? end + 1 : line + strlen(line);
    }
    CHECK(access(in_folder("pwned", path), F_OK) != 0, "read back: nothing was run");
    unlink(in_folder("back.gp", path));
    unlink(in_folder("back.txt", path));
}

static void test_file_name(void)
{
    static const char *const pair[][2] = {{"e4_power-1.5", "e4_power-1.5"},
                                          {"a b/c", "a_b_c"},
                                          {"../../etc", "_._.._etc"},
                                          {"-rf", "_rf"},
                                          {"", "_"},
                                          {"α=0.5", "_0.5"},
                                          {".hidden", "_hidden"},
                                          {"a\n'`$;b", "a_b"}};
    char out[64];
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        mk_file_name_part(pair[i][0], out, sizeof out);
        CHECK(strcmp(out, pair[i][1]) == 0, "file name %zu: %s", i, out);
    }
    mk_file_name_part("abcdefgh", out, 5);
    CHECK(strcmp(out, "abcd") == 0, "file name: cut to the room");
}

static struct mk_curve *add(struct mk_plot *p, const char *label, size_t n, const double *y)
{
    struct mk_curve *c = mk_plot_add(p, label, n, 1);
    if (!c) exit(1);
    c->style = MK_CURVE_LINE_POINTS;
    for (size_t i = 0; i < n; i++) {
        c->x[i] = pow(10, (double)i + 1);
        c->y[i] = y[i];
        c->lo[i] = y[i] / 1.5;
        c->hi[i] = y[i] * 1.5;
    }
    return c;
}

static void log_tics(double lo, double hi, const double *wished, size_t n, char *out, size_t room)
{
    struct mk_axis axis = {.log = 1, .lo = NAN, .hi = NAN, .tics = wished, .n_tics = n};
    struct mk_axis_range range = {1, lo, hi};
    FILE *to = fmemopen(out, room, "w");
    REQUIRE(to, "a stream in memory");
    mk_plot_write_log_tics(&axis, range, MK_MARKUP_NONE, to);
    fclose(to);
}

static void test_axes(void)
{
    static const double y[] = {0.5, 0.05, 0.005};
    static const double T[] = {50, 100, 200, 500, 1000, 2000};
    struct mk_plot p;
    char out[TEXT];
    mk_plot_init(&p);
    p.x.log = p.y.log = 1;
    struct mk_curve *c = add(&p, "a", 3, y);
    c->lo[2] = -1;
    struct mk_axis_range r = mk_plot_range_y(&p);
    CHECK(r.log && r.lo > 0 && r.lo >= 0.0025 * 0.7 && r.hi >= 0.75 && r.hi < 1.5,
          "an interval below 0 leaves a log axis alone");
    c->y[0] = -0.5;
    r = mk_plot_range_y(&p);
    CHECK(r.log && mk_curve_visible(c, r, r), "a value below 0 leaves a log axis logarithmic");
    p.y.log = 0;
    r = mk_plot_range_y(&p);
    CHECK(!r.log && r.lo < -1 && r.hi > 0.75, "a linear axis holds intervals");
    for (int i = 0; i < 3; i++) c->y[i] = c->lo[i] = c->hi[i] = 4;
    p.y.log = 1;
    r = mk_plot_range_y(&p);
    CHECK(!r.log && r.lo < 4 && r.hi > 4, "one value: a linear axis around it");
    for (int i = 0; i < 3; i++) c->y[i] = c->lo[i] = c->hi[i] = NAN;
    r = mk_plot_range_y(&p);
    CHECK(r.lo < r.hi && !mk_curve_visible(c, r, r), "no value: some axis, and nothing visible");
    mk_plot_clear(&p);
    log_tics(50, 2000, T, 6, out, sizeof out);
    CHECK(strcmp(out, "('50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000, '2000' 2000)") == 0,
          "tics at horizons: %s", out);
    log_tics(1e3, 1e12, NULL, 0, out, sizeof out);
    CHECK(strstr(out, "'10⁵' 100000") && strstr(out, "'1000' 1000") && !strstr(out, "{"),
          "decades with raised exponents: %s", out);
    log_tics(1e-6, 1, NULL, 0, out, sizeof out);
    CHECK(strstr(out, "'10⁻⁶' "), "negative exponents: %s", out);
    log_tics(0.021, 0.09, NULL, 0, out, sizeof out);
    CHECK(strstr(out, "'0.03' ") && strstr(out, "'0.05' "), "tics within one decade: %s", out);
}

static bool starts(const char *text, size_t n, const char *with, size_t m)
{
    return n > m && memcmp(text, with, m) == 0;
}

static void describe(struct mk_plot *p)
{
    static const double y[] = {3, 2, 4};
    mk_plot_init(p);
    snprintf(p->title, sizeof p->title, "%s", "it's `touch pwned` $HOME \\ @x {/Symbol a} & <b>");
    snprintf(p->subtitle, sizeof p->subtitle, "%s", "x_1^2 \"quoted\"");
    snprintf(p->x.label, sizeof p->x.label, "%s", "T `touch pwned`");
    snprintf(p->y.label, sizeof p->y.label, "%s", "y'");
    add(p, "`touch pwned` 'a' \\", 3, y);
    add(p, "β_{2}^x & <c>", 3, y);
}

static void test_draw(void)
{
    static const struct {
        enum mk_plot_format format;
        const char *file, *start;
    } kind[] = {{MK_PLOT_PNG, "f.png", "\x89PNG\r\n\x1a\n"},
                {MK_PLOT_SVG, "f.svg", "<?xml"},
                {MK_PLOT_PDF, "f.pdf", "%PDF-"},
                {MK_PLOT_TEX, "f.tex", "% GNUPLOT: LaTeX"}};
    enum { BIG = 1 << 20 };
    struct mk_error err = {0, ""};
    char *bytes = malloc(BIG), path[PATH];
    struct mk_plot p;
    REQUIRE(bytes, "1 MB");
    describe(&p);
    for (size_t i = 0; i < sizeof kind / sizeof *kind; i++) {
        int code = mk_plot_draw(&p, folder, "f", kind[i].format, &err);
        size_t n = read_file(kind[i].file, bytes, BIG);
        CHECK(code == MK_OK && starts(bytes, n, kind[i].start, strlen(kind[i].start)), "%s is drawn %s", kind[i].file,
              err.text);
    }
    read_file("f.svg", bytes, BIG);
    CHECK(strstr(bytes, "it's `touch pwned`") && strstr(bytes, "&lt;b"), "the SVG shows hostile text as it is");
    CHECK(strstr(bytes, "β_{2}^x"), "nothing is taken as markup");
    CHECK(access(in_folder("pwned", path), F_OK) != 0 && access("pwned", F_OK) != 0, "no text was run");
    read_file("f.tex", bytes, BIG);
    CHECK(strstr(bytes, "\\includegraphics") && strstr(bytes, "{f}}%") && !strstr(bytes, folder),
          "LaTeX includes the lines by a name without a folder");
    CHECK(strstr(bytes, "it\\textquoteright{}s") && !strstr(bytes, "x\\_1\\textasciicircum{}2"),
          "and sets the texts, the title without the subtitle");
    unlink(in_folder("f.pdf", path));
    int again = mk_gnuplot_run(folder, "f.gp", &err);
    CHECK(again == MK_OK && access(path, F_OK) == 0, "the script draws again on its own %s", err.text);
    free(bytes);
    mk_plot_clear(&p);
}

/* With `gnuplot` being `program` (NULL: none at all), drawing must fail and leave the earlier figure as it was. */
static void check_failure(const char *what, const char *program, const char *message)
{
    enum { BIG = 1 << 20 };
    struct mk_error err = {0, ""};
    struct mk_plot p;
    char path[PATH], *before = malloc(BIG), *after = malloc(BIG), *old = strdup(getenv("PATH") ? getenv("PATH") : "");
    if (!before || !after || !old) exit(1);
    size_t n = read_file("f.svg", before, BIG);
    describe(&p);
    mkdir(in_folder("bin", path), 0755);
    if (program)
        write_text("bin/gnuplot", program, 0755);
    else
        unlink(in_folder("bin/gnuplot", path));
    setenv("PATH", in_folder("bin", path), 1);
    int code = mk_plot_draw(&p, folder, "f", MK_PLOT_SVG, &err);
    setenv("PATH", old, 1);
    CHECK(code == MK_EFAIL && strstr(err.text, message), "%s: %s", what, err.text);
    CHECK(read_file("f.svg", after, BIG) == n && n > 0 && memcmp(before, after, n) == 0, "%s: the earlier figure stays",
          what);
    unlink(in_folder("bin/gnuplot", path));
    CHECK(rmdir(in_folder("bin", path)) == 0, "%s: cleaned up", what);
    mk_plot_clear(&p);
    free(before);
    free(after);
    free(old);
}

static void test_failures(void)
{
    struct mk_error err = {0, ""};
    struct mk_plot p;
    char path[PATH];
    check_failure("no gnuplot", NULL, "gnuplot: not found");
    check_failure("gnuplot fails", "#!/bin/sh\necho 'part' > f.svg\necho\necho '\"f.gp\" line 3: broken' >&2\nexit 1\n",
                  "line 3: broken");
    check_failure("gnuplot is killed", "#!/bin/sh\nkill -9 $$\n", "prematurely");
    check_failure("gnuplot draws nothing", "#!/bin/sh\nexit 0\n", "nothing was drawn");
    mk_plot_init(&p);
    CHECK(mk_plot_add(&p, "none", 2, 0) && mk_plot_draw(&p, folder, "g", MK_PLOT_PNG, &err) == MK_EFAIL,
          "no points: %s", err.text);
    mk_plot_clear(&p);
    describe(&p);
    CHECK(mk_plot_draw(&p, in_folder("missing", path), "g", MK_PLOT_PNG, &err) == MK_EIO, "no folder: %s", err.text);
    mk_plot_clear(&p);
}

/* Names of columns that are turned have a tenth of an inch each: the picture is wider, or not all are written. */
static void test_heat_map(void)
{
    enum { COLUMNS = 30 };
    static const char *const row[] = {"one", "two"};
    const char *column[COLUMNS];
    struct mk_error err = {0, ""};
    struct mk_plot p;
    char text[TEXT];
    double wide, high;
    for (size_t j = 0; j < COLUMNS; j++) column[j] = "name";
    for (int turned = 0; turned < 2; turned++) {
        mk_plot_init(&p);
        double *cell = mk_plot_cells(&p, row, 2, column, COLUMNS);
        for (size_t i = 0; cell && i < 2 * COLUMNS; i++) cell[i] = (double)i;
        p.turn_names = turned;
        CHECK(cell && mk_plot_draw(&p, folder, "f", MK_PLOT_PDF, &err) == MK_OK, "a heat map: %s", err.text);
        read_file("f.gp", text, sizeof text);
        const char *size = strstr(text, " size ");
        CHECK(size && sscanf(size, " size %lfin,%lfin", &wide, &high) == 2, "its size");
        double names = 0;
        for (const char *at = strstr(text, "set xtics ("); at && (at = strstr(at, "'name' "));) at++, names++;
        CHECK(names > 1 && (!turned || 0.1 * names < wide - 2), "turned: %d, %g names on %g inches", turned, names,
              wide);
        mk_plot_clear(&p);
    }
}

/* gnuplot takes the labels of tics for formats. */
static void test_percent(void)
{
    static const char *const name[] = {"50%", "%s, %d"};
    static char svg[1 << 18];
    struct mk_error err = {0, ""};
    struct mk_plot p;
    mk_plot_init(&p);
    double *cell = mk_plot_cells(&p, name, 2, name, 2);
    for (size_t i = 0; cell && i < 4; i++) cell[i] = (double)i;
    CHECK(cell && mk_plot_draw(&p, folder, "f", MK_PLOT_SVG, &err) == MK_OK, "names with %%: %s", err.text);
    read_file("f.svg", svg, sizeof svg);
    CHECK(strstr(svg, ">50%<") && strstr(svg, ">%s, %d<"), "they are shown as they are");
    mk_plot_clear(&p);
}

/* Where an SVG begins the first text that contains `label`: gnuplot writes <g transform="translate(X,Y)" …> before it.
 */
static double text_x(const char *svg, const char *label)
{
    static const char place[] = "translate(";
    char text[TEXT];
    snprintf(text, sizeof text, "<text>%s<", label);
    const char *const at = strstr(svg, text);
    const char *found = NULL;
    for (const char *p = strstr(svg, place); at && p && p < at; p = strstr(p + 1, place)) found = p;
    return found ? strtod(found + strlen(place), NULL) : NAN;
}

/* Gnuplot breaks a legend that is higher than the plot area into columns, which are then wider than the picture. */
static void test_long_legend(void)
{
    static const double y[] = {1, 2, 3};
    static char svg[1 << 18];
    char label[MK_PLOT_LEGEND_MAX][48];
    struct mk_error err = {0, ""};
    for (size_t n = 6; n <= MK_PLOT_LEGEND_MAX; n++) {
        struct mk_plot p;
        mk_plot_init(&p);
        snprintf(p.title, sizeof p.title, "%s", "a title");
        snprintf(p.subtitle, sizeof p.subtitle, "%s", "a subtitle that is longer than a line of the picture can be");
        for (size_t i = 0; i < n; i++) {
            snprintf(label[i], sizeof label[i], "max_search_subgaussian_%02zu", i);
            add(&p, label[i], 3, y);
        }
        CHECK(mk_plot_draw(&p, folder, "f", MK_PLOT_SVG, &err) == MK_OK, "%zu curves: %s", n, err.text);
        read_file("f.svg", svg, sizeof svg);
        const double first = text_x(svg, label[0]);
        for (size_t i = 0; i < n; i++)
            CHECK(text_x(svg, label[i]) == first, "%zu curves: %s is below the first one (%g, not %g)", n, label[i],
                  text_x(svg, label[i]), first);
        mk_plot_clear(&p);
    }
}

int main(void)
{
    static const char *const left[] = {"f.dat", "f.gp", "f.png", "f.svg", "f.pdf", "f.tex"};
    char path[PATH];
    snprintf(folder, sizeof folder, "%.200s/maxk-plot-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder)) return 1;
    test_clean();
    test_quote();
    test_file_name();
    test_axes();
    test_quote_read_back();
    test_draw();
    test_heat_map();
    test_percent();
    test_long_legend();
    test_failures();
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) unlink(in_folder(left[i], path));
    CHECK(rmdir(folder) == 0, "no scratch folders are left");
    return CHECK_EXIT;
}

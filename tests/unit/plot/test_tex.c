/* Text as LaTeX: what it means to LaTeX, formulas, and what gnuplot's terminal for LaTeX would take for its own. */
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot.h"
#include "analysis/answers/figures/plot/plot_tex.h"
#include "analysis/answers/figures/plot/plot_text.h"
#include "tests/support/check.h"

enum { TEXT = 512 };

static void write_tex(const char *text, char *out)
{
    out[0] = '\0';
    FILE *to = fmemopen(out, TEXT, "w");
    REQUIRE(to, "a stream in memory");
    mk_tex_write(to, text, strlen(text));
    fclose(to);
}

static void test_texts(void)
{
    static const char *const pair[][2] = {
        {"plain text, with (this); and = that!", "plain text, with (this); and = that!"},
        {"max_ucb", "max\\_ucb"},
        {"100 % & #1 $x {y}", "100 \\% \\& \\#1 \\$x \\{y\\}"},
        {"a\\b^c~d", "a\\textbackslash{}b\\textasciicircum{}c\\textasciitilde{}d"},
        {"E[M(T)]", "E\\lbrack{}M(T)\\rbrack{}"},
        {"it's `x`", "it\\textquoteright{}s \\textquoteleft{}x\\textquoteleft{}"},
        {"\"q\"", "\\textquotedblright{}q\\textquotedblright{}"},
        {"a--b ,,c", "a-{}-b ,{},c"},
        {"a < b > c | d", "a $<$ b $>$ c $|$ d"},
        {"α=0.5", "$\\alpha{}$=0.5"},
        {"ΔΩ Α", "$\\Delta{}\\Omega{}$ $A$"},
        {"ε, ς, ω", "$\\varepsilon{}$, $\\varsigma{}$, $\\omega{}$"},
        {"x ≤ ∞, mean ± 2 √n", "x $\\leq{}$ $\\infty{}$, mean $\\pm{}$ 2 $\\surd{}$n"},
        {"10⁵", "$10^{5}$"},
        {"T = 5·10⁻¹²", "T = $5\\cdot{}10^{-12}$"},
        {"2×3 runs", "$2\\times{}3$ runs"},
        {"x²", "x$^{2}$"},
        {"N₁₀ of α₀²", "N$_{10}$ of $\\alpha{}_{0}^{2}$"},
        {"0.5·10⁶", "$0.5\\cdot{}10^{6}$"},
        {"-0.25", "$-0.25$"},
        {"200", "$200$"},
        {"200 pulls", "200 pulls"},
        {"3.", "$3.$"},
        {".", "."},
        {"", ""},
        {"é ß ж 中", "é ß ж 中"},
        {"a…", "a\\textellipsis{}"},
        {"90°²", "90${}^{\\circ}{}^{2}$"},
        {"ͰϿ΢", "ͰϿ΢"}, /* beside the Greek letters, and the gap among them */
    };
    char out[TEXT];
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        write_tex(pair[i][0], out);
        CHECK(strcmp(out, pair[i][1]) == 0, "'%s' is %s, expected %s", pair[i][0], out, pair[i][1]);
    }
}

/* Every character alone, and before and after a letter: formulas are closed, and no character that gnuplot's terminal
 * or its quoting would interpret is left. */
static void test_every_character(void)
{
    char out[TEXT];
    for (unsigned c = 0x20; c < 0x7F; c++)
        for (int form = 0; form < 3; form++) {
            const char text[] = {form == 2 ? 'a' : (char)c, form == 0 ? '\0' : form == 1 ? 'a' : (char)c, '\0'};
            write_tex(text, out);
            size_t dollars = 0;
            for (const char *s = out; *s; s++) dollars += *s == '$' && (s == out || s[-1] != '\\');
            CHECK(dollars % 2 == 0 && !strpbrk(out, "'[]\"`") && out[0] != '{', "'%s': %s", text, out);
        }
}

static void test_quoted(void)
{
    char out[TEXT];
    FILE *to = fmemopen(out, TEXT, "w");
    REQUIRE(to, "a stream in memory");
    mk_gnuplot_quote(to, MK_MARKUP_TEX, "it's 5\xFF");
    fputc(' ', to);
    mk_gnuplot_quote_lines(to, MK_MARKUP_TEX, "a_b α", 3, 2);
    fputc(' ', to);
    mk_gnuplot_quote_tic(to, MK_MARKUP_TEX, "50%s");
    fputc(' ', to);
    mk_gnuplot_quote_tic(to, MK_MARKUP_NONE, "50%");
    fclose(to);
    CHECK(strcmp(out, "'it\\textquoteright{}s 5?' 'a\\_b'.\"\\n\".'$\\alpha{}$' '$50$'.'\\%%'.'s' '50'.'%%'.''") == 0,
          "quoted for gnuplot: %s", out);
}

static void test_tics(void)
{
    struct mk_axis axis = {.log = 1, .lo = NAN, .hi = NAN};
    char out[TEXT];
    FILE *to = fmemopen(out, TEXT, "w");
    REQUIRE(to, "a stream in memory");
    mk_plot_write_log_tics(&axis, (struct mk_axis_range){1, 1e-5, 1e-4}, MK_MARKUP_TEX, to);
    fclose(to);
    CHECK(strstr(out, "'$10^{-5}$' ") && strstr(out, "'$5\\cdot{}10^{-5}$' "), "tics of a log axis: %s", out);
}

int main(void)
{
    test_texts();
    test_every_character();
    test_quoted();
    test_tics();
    return CHECK_EXIT;
}

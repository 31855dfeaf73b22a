/* Shares of variance: of a tree that is the function itself, against enumeration, with words in any order; of forests
 * that are fitted to random points of functions whose shares are known exactly (integrals by hand; Branin and McCormick
 * by quadrature on 2000 x 2000 points; Ishigami & Homma 1990). */
#include <math.h>
#include <stdlib.h>

#include "sim/search/models/fanova.h"
#include "tests/support/check.h"

enum { D = 4, N = 2000, TREES = 24 };

static struct mk_forest fitted(const size_t words[D], const double *x, const double *y, size_t n, size_t trees)
{
    const struct mk_forest_options o = {trees, D, 2, 1, trees > 1, false, false};
    struct mk_forest f = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 3, 1);
    REQUIRE(!mk_forest_fit_words(&f, &o, words, x, n, D, y, n, &rng, &err), "a forest: %s", err.text);
    return f;
}

/* ---- all combinations of words and cells ---- */

static const size_t levels[D] = {3, 5, 4, 2}, of_words[D] = {0, 5, 0, 2};
enum { ALL = 3 * 5 * 4 * 2 };

static void levels_of(size_t c, size_t at[D])
{
    for (size_t j = 0; j < D; c /= levels[j++]) at[j] = c % levels[j];
}

static double value_at(size_t c)
{
    static const double by_word[] = {2, -7, 2.5, -6, 0};
    size_t i[D];
    levels_of(c, i);
    return 2 * (double)i[0] + by_word[i[1]] + (i[1] == 2 && i[2] > 1 ? 3 : 0) +
           (i[3] == 1 ? (double)(i[0] * i[2]) : 0) + (i[1] == 3 && i[3] == 0 && i[0] == 2 ? 9 : 0);
}

/* The variance of the means over the levels of the features of a set, a bit each. */
static double variance_of(unsigned set)
{
    double sum[ALL] = {0}, mean = 0, variance = 0;
    size_t count[ALL] = {0}, at[D], cells = 1;
    for (size_t j = 0; j < D; j++)
        if (set >> j & 1) cells *= levels[j];
    for (size_t c = 0; c < ALL; c++) {
        size_t cell = 0;
        levels_of(c, at);
        for (size_t j = 0; j < D; j++)
            if (set >> j & 1) cell = cell * levels[j] + at[j];
        sum[cell] += value_at(c);
        count[cell]++;
        mean += value_at(c) / ALL;
    }
    for (size_t i = 0; i < cells; i++) {
        const double off = sum[i] / (double)count[i] - mean;
        variance += off * off / (double)cells;
    }
    return variance;
}

static void check_enumeration(void)
{
    static double x[D * ALL], y[ALL];
    double share[D], sd[D], pair[D * D], pair_sd[D * D], got[5], at[5] = {0, 1, 2, 3, 4}, all = variance_of(15);
    struct mk_error err;
    for (size_t c = 0; c < ALL; c++) {
        size_t i[D];
        levels_of(c, i);
        for (size_t j = 0; j < D; j++)
            x[j * ALL + c] = of_words[j] ? (double)i[j] : ((double)i[j] + 0.5) / (double)levels[j];
        y[c] = value_at(c);
    }
    struct mk_forest f = fitted(of_words, x, y, ALL, 1);
    REQUIRE(!mk_fanova(&f, share, sd, pair, pair_sd, &err), "shares: %s", err.text);
    for (unsigned j = 0; j < D; j++) {
        const double own = variance_of(1U << j);
        CHECK(fabs(share[j] - own / all) < 1e-12, "share of %u: %.15g, by enumeration %.15g", j, share[j], own / all);
        for (unsigned k = j + 1; k < D; k++) {
            const double both = (variance_of(1U << j | 1U << k) - own - variance_of(1U << k)) / all;
            CHECK(fabs(pair[j * D + k] - both) < 1e-12, "share of %u:%u: %.15g, by enumeration %.15g", j, k,
                  pair[j * D + k], both);
        }
    }
    REQUIRE(!mk_fanova_marginal(&f, 1, at, 5, got, &err), "a marginal: %s", err.text);
    for (size_t w = 0; w < 5; w++) {
        double mean = 0;
        for (size_t c = 0; c < ALL; c++) mean += c / 3 % 5 == w ? value_at(c) * 5 / ALL : 0;
        CHECK(fabs(got[w] - mean) < 1e-12, "the marginal at word %zu: %.15g, not %.15g", w, got[w], mean);
    }
    mk_forest_free(&f);
}

/* ---- functions whose shares are known ---- */

static double categories(const double *x)
{
    return 2 * x[0] + x[1] * x[1] + x[0] * x[2] + (x[3] == 1 ? 0.5 : 0);
}

static double branin(const double *x)
{
    const double pi = 3.14159265358979323846, a = 15 * x[0] - 5, b = 15 * x[1],
                 c = b - 5.1 * a * a / (4 * pi * pi) + 5 * a / pi - 6;
    return c * c + 10 * (1 - 1 / (8 * pi)) * cos(a) + 10;
}

static double mccormick(const double *x)
{
    const double a = 5.5 * x[0] - 1.5, b = 6 * x[1] - 3;
    return sin(a + b) + (a - b) * (a - b) - 1.5 * a + 2.5 * b + 1;
}

static double sum_of_words(const double *x)
{
    static const double word[] = {0, 3, 1, 3, 0};
    return 4 * x[0] + 2 * x[1] + x[2] + word[(size_t)x[3]];
}

/* Word 4 or 6 of ten, or else x_0 > 1/2: of (1/5, 1/2). */
static double either(const double *x)
{
    return (x[3] == 4 || x[3] == 6) != (x[0] > 0.5);
}

static void check_functions(void)
{
    static const struct {
        const char *name;
        double (*at)(const double *x);
        size_t words; /* of feature 3 */
        double share[D];
        size_t first, second;
        double pair, most; /* how far off a forest may be */
    } cases[] = {
        {"categories", categories, 3, {0.7515, 0.1283, 0.0301, 0.0802}, 0, 2, 0.0100, 0.02},
        {"branin", branin, 0, {0.1357, 0.2515, 0, 0}, 0, 1, 0.6128, 0.04},
        {"mccormick", mccormick, 0, {0.1527, 0.1370, 0, 0}, 0, 1, 0.7103, 0.03},
        {"sum of words", sum_of_words, 5, {0.3714, 0.0929, 0.0232, 0.5125}, 0, 1, 0, 0.02},
        {"either", either, 10, {0.36, 0, 0, 0}, 0, 3, 0.64, 0.02},
    };
    static double x[D * N], y[N];
    struct mk_pcg64 rng;
    struct mk_error err;
    for (size_t f = 0; f < sizeof cases / sizeof *cases; f++) {
        const size_t words[D] = {0, 0, 0, cases[f].words};
        double share[D], sd[D], pair[D * D], pair_sd[D * D], sum = 0;
        mk_pcg64_seed(&rng, 7, f);
        for (size_t i = 0; i < N; i++) {
            double at[D];
            for (size_t j = 0; j < D; j++) {
                at[j] = mk_uniform(&rng);
                if (words[j]) at[j] = floor(at[j] * (double)words[j]);
                x[j * N + i] = at[j];
            }
            y[i] = cases[f].at(at);
        }
        struct mk_forest forest = fitted(words, x, y, N, TREES);
        REQUIRE(!mk_fanova(&forest, share, sd, pair, pair_sd, &err), "shares: %s", err.text);
        for (size_t j = 0; j < D; j++) {
            sum += share[j];
            CHECK(fabs(share[j] - cases[f].share[j]) < cases[f].most, "%s: share of x_%zu: %.4f, exactly %.4f",
                  cases[f].name, j, share[j], cases[f].share[j]);
            for (size_t k = j + 1; k < D; k++) {
                const double exact = j == cases[f].first && k == cases[f].second ? cases[f].pair : 0;
                sum += pair[j * D + k];
                CHECK(fabs(pair[j * D + k] - exact) < cases[f].most, "%s: share of x_%zu:x_%zu: %.4f, exactly %.4f",
                      cases[f].name, j, k, pair[j * D + k], exact);
            }
        }
        CHECK(sum < 1 + 1e-9 && 1 - sum < 0.06, "%s: what is left: %.4f", cases[f].name, 1 - sum);
        mk_forest_free(&forest);
    }
}

/* The exclusive or of three words is no matter of one or two of them. */
static void check_rest(void)
{
    static const size_t words[D] = {2, 2, 2, 0};
    double x[D * 8], y[8], share[D], sd[D], pair[D * D], pair_sd[D * D], sum = 0;
    struct mk_error err;
    for (size_t c = 0; c < 8; c++) {
        for (size_t j = 0; j < 3; j++) x[j * 8 + c] = (double)(c >> j & 1);
        x[3 * 8 + c] = 0.5;
        y[c] = (double)((c ^ c >> 1 ^ c >> 2) & 1);
    }
    struct mk_forest f = fitted(words, x, y, 8, 1);
    REQUIRE(!mk_fanova(&f, share, sd, pair, pair_sd, &err), "shares: %s", err.text);
    for (size_t j = 0; j < D; j++) sum += fabs(share[j]);
    for (size_t j = 0; j < D * D; j++) sum += fabs(pair[j]);
    CHECK(sum < 1e-12, "all of it is left to the three together: %g", sum);
    mk_forest_free(&f);
}

int main(void)
{
    check_enumeration();
    check_functions();
    check_rest();
    return CHECK_EXIT;
}

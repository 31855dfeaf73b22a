/* Forests: exact splits by hand, single trees and moments of forests against scikit-learn 1.2.1
 * (tests/reference/forest_sklearn.py). */
#include <stdlib.h>
#include <string.h>

#include "sim/search/models/fanova.h"
#include "sim/search/models/forest.h"
#include "tests/support/check.h"

enum { N = 40, D = 3 };

struct data {
    double x[D * N], y[N], more[12 * D];
};

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static struct data make_data(void)
{
    struct data a;
    uint64_t state = 1;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < D; j++) a.x[j * N + i] = uniform(&state);
    for (size_t i = 0; i < N; i++) a.x[2 * N + i] = floor(4 * a.x[2 * N + i]) / 4;
    for (size_t i = 0; i < N; i++)
        a.y[i] = 4 * (a.x[i] - 0.5) * (a.x[i] - 0.5) + a.x[N + i] * a.x[2 * N + i] + 0.1 * uniform(&state);
    for (size_t i = 0; i < 12 * D; i++) a.more[i] = uniform(&state);
    return a;
}

/* ---- by hand ---- */

/* y = 0 0 0 1 5 5 over x = 1 2 3 4 6 10: the sum of squares falls most between 4 and 6, then between 3 and 4. */
static void check_hand(void)
{
    static const double x[] = {1, 2, 3, 4, 6, 10, 7, 7, 7, 7, 7, 7}, y[] = {0, 0, 0, 1, 5, 5};
    static const double at[] = {5, 0, 5.0000001, 0, 3.5, 0, 3.500001, 0};
    const struct mk_forest_options o = {1, 2, 2, 1, false, false, false};
    struct mk_forest f = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    double tree[4], mean[4], variance[4];
    mk_pcg64_seed(&rng, 1, 1);
    int code = mk_forest_fit(&f, &o, x, 6, 2, y, 6, &rng, &err);
    CHECK(!code && f.n_nodes == 5 && f.node[0].threshold == 5 && f.node[0].feature == 0 &&
              f.node[f.node[0].left].threshold == 3.5,
          "splits between 4 and 6, then 3 and 4");
    mk_forest_predict(&f, at, 4, tree, mean, variance);
    CHECK(mean[0] == 1 && mean[1] == 5 && mean[2] == 0 && mean[3] == 1 && variance[0] == 0, "predictions");
    struct mk_forest_options wide = o;
    wide.min_leaf = 3;
    code = mk_forest_fit(&f, &wide, x, 6, 2, y, 6, &rng, &err);
    mk_forest_predict(&f, at, 4, tree, mean, variance);
    CHECK(!code && f.n_nodes == 3 && fabs(mean[0] - 11.0 / 3) < 1e-15 && mean[2] == 0, "leaves of three");
    wide.log_leaves = true;
    code = mk_forest_fit(&f, &wide, x, 6, 2, y, 6, &rng, &err);
    mk_forest_predict(&f, at, 4, tree, mean, variance);
    CHECK_CLOSE(mean[0], log((exp(1) + 2 * exp(5)) / 3), 1e-14, "log mean exp");
    code = mk_forest_fit(&f, &o, x, 6, 2, (double[]){2, 2, 2, 2, 2, 2}, 6, &rng, &err);
    CHECK(!code && f.n_nodes == 1, "a pure root");
    code = mk_forest_fit(&f, &o, x + 6, 6, 1, y, 6, &rng, &err);
    mk_forest_predict(&f, at, 1, tree, mean, variance);
    CHECK(!code && f.n_nodes == 1 && fabs(mean[0] - 11.0 / 6) < 1e-15, "a feature that does not vary");
    mk_forest_free(&f);
}

/* ---- scikit-learn ---- */

static void check_trees(void)
{
    static const struct {
        size_t leaf, nodes;
        double at[12];
    } cases[] = {
        {4,
         13,
         {0.29735521342564325, 0.29735521342564325, 1.0429682785788781, 0.39080486711628798, 0.16745889906973979,
          0.58418132386372845, 0.16745889906973979, 0.90140070193951138, 1.0429682785788781, 0.90140070193951138,
          0.16745889906973979, 0.39261604390398641}},
        {6,
         11,
         {0.1734553123157104, 0.29050400463842518, 1.0429682785788781, 0.33886039236800336, 0.1734553123157104,
          0.48839868388385743, 0.33886039236800336, 0.90140070193951138, 1.0429682785788781, 0.90140070193951138,
          0.1734553123157104, 0.48839868388385743}},
    };
    struct data a = make_data();
    struct mk_forest f = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    double tree[12], mean[12], variance[12];
    mk_pcg64_seed(&rng, 2, 2);
    for (size_t c = 0; c < 2; c++) {
        const struct mk_forest_options o = {1, D, 2, cases[c].leaf, false, false, false};
        REQUIRE(!mk_forest_fit(&f, &o, a.x, N, D, a.y, N, &rng, &err), "a forest: %s", err.text);
        mk_forest_predict(&f, a.more, 12, tree, mean, variance);
        double worst = 0;
        for (size_t i = 0; i < 12; i++) worst = fmax(worst, fabs(mean[i] - cases[c].at[i]));
        CHECK(f.n_nodes == cases[c].nodes && worst < 1e-14, "a tree with leaves of %zu: %zu nodes, off by %g",
              cases[c].leaf, f.n_nodes, worst);
    }
    mk_forest_free(&f);
}

/* Mean over 200 forests against that over 4000 of scikit-learn; |z| < 5 in 24 cells: false-alarm rate 1.4e-5. */
static void check_moments(void)
{
    enum { FORESTS = 200, REFERENCE = 4000 };
    static const struct {
        const char *name;
        struct mk_forest_options o;
        double mean[6], sd[6];
    } cases[] = {
        {"exact",
         {10, 3, 2, 1, true, false, false},
         {0.218913, 0.851508, 0.909709, 0.0142976, 0.0985581, 0.0327486},
         {0.040017, 0.105723, 0.0602067, 0.0075106, 0.051409, 0.0187355}},
        {"two features",
         {10, 2, 8, 3, true, false, false},
         {0.33778, 0.820459, 0.838708, 0.0258883, 0.0473695, 0.0793695},
         {0.0541244, 0.0731543, 0.0931389, 0.0181819, 0.0222461, 0.0308233}},
        {"random",
         {10, 3, 2, 1, true, true, false},
         {0.355701, 1.11186, 0.651633, 0.0291921, 0.16819, 0.064321},
         {0.0576334, 0.13732, 0.0842941, 0.0296377, 0.0530138, 0.0272204}},
        {"log",
         {10, 3, 2, 4, true, false, true},
         {0.271858, 0.927723, 0.968209, 0.0161211, 0.0258899, 0.0366282},
         {0.0431555, 0.0531232, 0.0646168, 0.0176358, 0.011806, 0.0288654}},
    };
    static const double at[3 * D] = {0.5, 0.5, 0.5, 0.1, 0.9, 0.75, 0.93, 0.31, 0.0};
    struct data a = make_data();
    struct mk_forest f = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    double tree[30], found[6];
    mk_pcg64_seed(&rng, 3, 3);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double sum[6] = {0}, squares[6] = {0}, worst = 0;
        for (size_t i = 0; i < FORESTS; i++) {
            REQUIRE(!mk_forest_fit(&f, &cases[c].o, a.x, N, D, a.y, N, &rng, &err), "a forest: %s", err.text);
            mk_forest_predict(&f, at, 3, tree, found, found + 3);
            for (size_t j = 0; j < 6; j++) {
                sum[j] += found[j];
                squares[j] += (found[j] - cases[c].mean[j]) * (found[j] - cases[c].mean[j]);
            }
        }
        for (size_t j = 0; j < 6; j++) {
            double se = cases[c].sd[j] * sqrt(1.0 / FORESTS + 1.0 / REFERENCE);
            worst = fmax(worst, fabs(sum[j] / FORESTS - cases[c].mean[j]) / se);
            /* The spread too: chi-square with 200 degrees of freedom, whose relative standard deviation is .1 and a bit
             * more for skewed variances. */
            double ratio = squares[j] / FORESTS / (cases[c].sd[j] * cases[c].sd[j]);
            CHECK(ratio > 0.5 && ratio < 1.8, "%s: spread of moment %zu between forests: %.2f of scikit-learn's",
                  cases[c].name, j, ratio);
        }
        CHECK(worst < 5, "%s: means and variances of 200 forests at three points: |z| <= %.2f", cases[c].name, worst);
    }
    mk_forest_free(&f);
}

/* The same stream grows the same forest, regardless of earlier forests in the same memory. */
/* Trees of a single leaf on y = 0, 1: the mean of two draws with replacement is 0, .5 or 1 with probabilities 1/4, 1/2,
 * 1/4. Of 4,000 trees each number lies within 5 standard deviations (at most 158) but in one of 10^6 runs. */
static void check_bootstrap(void)
{
    enum { TREES = 4000 };
    static const double x[] = {0, 1}, y[] = {0, 1}, at[] = {0};
    static double tree[TREES];
    const struct mk_forest_options o = {TREES, 1, 1000, 1, true, false, false};
    struct mk_forest f = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    double mean, variance;
    int count[3] = {0, 0, 0};
    mk_pcg64_seed(&rng, 1, 1);
    REQUIRE(!mk_forest_fit(&f, &o, x, 2, 1, y, 2, &rng, &err), "a forest: %s", err.text);
    mk_forest_predict(&f, at, 1, tree, &mean, &variance);
    for (int i = 0; i < TREES; i++) count[(int)(2 * tree[i])]++;
    CHECK(abs(count[0] - 1000) < 158 && abs(count[1] - 2000) < 158 && abs(count[2] - 1000) < 158,
          "means of two draws with replacement: %d times 0, %d times .5, %d times 1", count[0], count[1], count[2]);
    mk_forest_free(&f);
}

static void check_memory(void)
{
    struct data a = make_data();
    const struct mk_forest_options o = {10, 2, 2, 1, true, false, false};
    struct mk_forest one = {0}, two = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 4, 4);
    int code = mk_forest_fit(&two, &o, a.x, N, D, a.y, N, &rng, &err);
    mk_pcg64_seed(&rng, 5, 5);
    code |= mk_forest_fit(&one, &o, a.x, N, D, a.y, 7, &rng, &err);
    mk_pcg64_seed(&rng, 5, 5);
    code |= mk_forest_fit(&two, &o, a.x, N, D, a.y, 7, &rng, &err);
    CHECK(!code && one.n_nodes == two.n_nodes && memcmp(one.node, two.node, one.n_nodes * sizeof *one.node) == 0,
          "memory that was used before changes nothing");
    mk_forest_free(&one);
    mk_forest_free(&two);
}

/* ---- analysis of variance ---- */

enum { LEVELS = 8 };

static double on_grid(const size_t i[D])
{
    const double x = (double)i[0], y = (double)i[1], z = (double)i[2];
    return 3 * x + y * y / 4 + (i[0] < 3 && i[2] > 4 ? 5 + z : 0);
}

/* Mean of a function on the grid over all points that have level `level` of feature j (LEVELS: over all). */
static double grid_mean(size_t j, size_t level)
{
    double sum = 0;
    size_t n = 0;
    for (size_t c = 0; c < LEVELS * LEVELS * LEVELS; c++) {
        const size_t i[D] = {c / LEVELS / LEVELS, c / LEVELS % LEVELS, c % LEVELS};
        if (level != LEVELS && i[j] != level) continue;
        sum += on_grid(i);
        n++;
    }
    return sum / (double)n;
}

/* A tree on a whole grid of cell centres is the function itself: shares and marginals by enumeration. */
static void check_fanova(void)
{
    enum { ALL = LEVELS * LEVELS * LEVELS };
    static double x[D * ALL], y[ALL];
    const double mean = grid_mean(0, LEVELS);
    double variance = 0, share[D], deviation[D];
    struct mk_forest f = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    for (size_t c = 0; c < ALL; c++) {
        const size_t i[D] = {c / LEVELS / LEVELS, c / LEVELS % LEVELS, c % LEVELS};
        for (size_t j = 0; j < D; j++) x[j * ALL + c] = ((double)i[j] + 0.5) / LEVELS;
        y[c] = on_grid(i);
        variance += (y[c] - mean) * (y[c] - mean) / ALL;
    }
    mk_pcg64_seed(&rng, 3, 1);
    const struct mk_forest_options o = {2, D, 2, 1, false, false, false};
    REQUIRE(!mk_forest_fit(&f, &o, x, ALL, D, y, ALL, &rng, &err), "a forest: %s", err.text);
    REQUIRE(!mk_fanova(&f, share, deviation, NULL, NULL, &err), "shares: %s", err.text);
    for (size_t j = 0; j < D; j++) {
        double sum = 0, at[LEVELS], got[LEVELS], worst = 0;
        for (size_t k = 0; k < LEVELS; k++) {
            at[k] = ((double)k + 0.5) / LEVELS;
            sum += (grid_mean(j, k) - mean) * (grid_mean(j, k) - mean) / LEVELS;
        }
        REQUIRE(!mk_fanova_marginal(&f, j, at, LEVELS, got, &err), "a marginal: %s", err.text);
        for (size_t k = 0; k < LEVELS; k++) worst = fmax(worst, fabs(got[k] - grid_mean(j, k)));
        CHECK(fabs(share[j] - sum / variance) < 1e-12, "share of feature %zu: %.15g, by enumeration %.15g", j, share[j],
              sum / variance);
        CHECK(worst < 1e-12 && deviation[j] < 1e-12, "its marginal: off by %g", worst);
    }
    for (size_t c = 0; c < ALL; c++) y[c] = 1;
    REQUIRE(!mk_forest_fit(&f, &o, x, ALL, D, y, ALL, &rng, &err), "a forest: %s", err.text);
    CHECK(!mk_fanova(&f, share, deviation, NULL, NULL, &err) && isnan(share[0]), "a constant has no shares");
    mk_forest_free(&f);
}

int main(void)
{
    check_hand();
    check_trees();
    check_moments();
    check_bootstrap();
    check_memory();
    check_fanova();
    return CHECK_EXIT;
}

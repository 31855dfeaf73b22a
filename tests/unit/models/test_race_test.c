/* The test of a race. Expected: irace:::aux_friedman of irace 3.5 in R 4.2 on the negative rewards; fifty other
 * matrices by make validate. */
#include "sim/search/models/race_test.h"
#include "tests/support/check.h"

enum { MOST = 12, ARMS = 8, MANY = 60 };

static const struct {
    size_t n, k;
    double reward[MOST * ARMS];
    size_t best;
    int stays[ARMS];
} cases[] = {
    {6, 2, {0.0, 0.7, 1.2, 0.8, -1.1, 1.8, -2.2, -0.1, -0.2, -0.1, 0.4, -1.9}, 1, {1, 1}},
    {11,
     2,
     {-1.224, -3.073, -2.796, -1.984, -1.368, -2.552, -0.006, -2.392, -0.593, -0.817, -0.895,
      -1.524, -1.888, -0.929, -1.740, -2.519, -1.605, -1.911, -2.206, -1.722, 0.488,  -1.380},
     0,
     {1, 1}},
    {6, 2, {-0.4, -0.8, -0.4, 1.2, -0.3, -0.9, 0.1, 0.0, -1.6, 2.2, -1.3, 0.7}, 1, {1, 1}},
    {9,
     3,
     {-0.901, -1.918, -3.169, -1.731, -1.766, -3.553, -0.537, -0.700, -3.661, -0.792, -1.676, -3.101, -1.167, -1.759,
      -2.833, -2.507, -2.144, -1.477, -1.524, -2.305, -1.784, -1.281, -1.919, -1.533, 0.768,  -2.709, -0.760},
     0,
     {1, 0, 0}},
    {7,
     4,
     {-2.0, -1.5, -4.1, -3.3, 0.1,  -2.3, -1.6, -2.6, -1.5, -1.2, -3.5, -4.1, -1.4, -2.2,
      -2.7, -2.5, -1.6, -2.0, -0.7, -3.9, -1.7, -2.0, -1.5, -2.7, -1.1, -1.4, -2.7, -3.9},
     0,
     {1, 1, 1, 0}},
    {7,
     5,
     {-0.809, -1.459, -2.483, -3.533, -3.366, 1.104,  -1.645, -1.804, -2.507, -2.868, -1.491, -1.612,
      0.055,  -2.033, -3.635, -1.523, -0.111, -3.070, -0.532, -1.743, -1.340, -2.544, -2.188, -3.019,
      -2.945, -0.620, 0.242,  -1.322, -1.407, -3.416, -0.074, -2.103, -2.229, -2.812, -2.770},
     0,
     {1, 1, 0, 0, 0}},
    {6,
     6,
     {-0.5, -1.7, -2.3, -4.5, -4.8, -4.9, -1.9, -1.4, -1.7, -3.4, -4.0, -5.2, -0.7, -2.4, -2.1, -4.5, -5.9, -4.5,
      0.7,  -0.1, -2.8, -5.4, -4.8, -5.3, 0.0,  -2.0, -3.6, -2.6, -4.2, -5.1, -0.3, -2.2, -3.6, -5.2, -3.8, -5.9},
     0,
     {1, 1, 0, 0, 0, 0}},
    {7,
     8,
     {-1.328, -1.009, 0.132,  -2.343, -4.216, -1.979, -3.165, -6.042, -1.924, -1.675, -3.010, -1.819, -1.823, -2.935,
      -3.755, -4.785, -0.747, -0.655, -1.521, -3.044, -2.391, -3.025, -4.004, -4.008, -0.001, -2.256, -0.704, -4.423,
      -3.387, -2.698, -2.931, -4.398, -2.793, -1.629, -1.698, -3.262, -1.601, -5.092, -5.154, -2.903, -2.927, 0.620,
      -2.157, -2.375, -4.232, -3.463, -4.673, -5.772, -1.735, -0.508, -0.918, -3.001, -3.016, -3.708, -3.641, -4.286},
     1,
     {1, 1, 1, 0, 0, 0, 0, 0}},
};

/* p of R 4.2, wilcox.test(difference, exact = FALSE), where the normal approximation is used: ties, 50 and more. */
static void check_two_sided_p(const double *difference, size_t n, double p)
{
    double reward[2 * (MANY + 1)], sum[2];
    bool before[2], after[2];
    void *scratch = malloc(mk_race_test_bytes(n, 2));
    REQUIRE(scratch, "memory");
    for (size_t i = 0; i < n; i++) {
        reward[2 * i] = difference[i];
        reward[2 * i + 1] = 0;
    }
    reward[2 * n] = reward[2 * n + 1] = NAN; /* belongs to nobody */
    mk_race_test(scratch, reward, n, 2, p * (1 - 1e-9), sum, before);
    mk_race_test(scratch, reward, n, 2, p * (1 + 1e-9), sum, after);
    CHECK(before[0] && before[1] && after[0] && !after[1], "p of %zu differences is R's %.9g", n, p);
    /* Nowhere worse: better without a test, whatever follows in memory. */
    for (size_t i = 0; i < n; i++) reward[2 * i] = fabs(difference[i]) + 0.5;
    reward[2 * n] = -1;
    reward[2 * n + 1] = 1;
    mk_race_test(scratch, reward, n, 2, 1e-9, sum, after);
    CHECK(after[0] && !after[1], "one that is never worse wins");
    free(scratch);
}

int main(void)
{
    static const double ties[] = {1.2, -.3, .8, .8, -1.1, .4, .4, 2.1, -.9, .7};
    static const double many[MANY] = {
        0.22,  -0.54, 0.89,  0.6,   1.64,  0.69,  -1.28, -0.21, 1.9,   1.78,  0.57,  0.02,  0.38, -0.05, 0.03,
        0.17,  1.17,  -0.04, -0.1,  -0.28, 1.54,  0.17,  1.31,  1.29,  0.59,  -0.28, 1.26,  0.91, -0.93, 1.24,
        0.15,  1.05,  -0.75, -1.48, 0.86,  -0.4,  -0.23, 0.93,  -0.47, -0.64, 1.34,  0.18,  1.29, -1.69, -0.82,
        -0.86, 0.1,   -0.38, 0.72,  -1.8,  -0.66, -0.62, -0.08, 0.44,  1.97,  -0.6,  -0.55, 0.7,  -0.16, 1.35};
    check_two_sided_p(ties, 10, 0.26157223601394936);
    check_two_sided_p(many, MANY, 0.081028885259066735);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = cases[i].n, k = cases[i].k;
        void *scratch = malloc(mk_race_test_bytes(n, k));
        double sum[ARMS];
        bool stays[ARMS], same = true;
        REQUIRE(scratch, "memory");
        const size_t best = mk_race_test(scratch, cases[i].reward, n, k, 0.05, sum, stays);
        for (size_t j = 0; j < k; j++) same &= stays[j] == (cases[i].stays[j] != 0);
        CHECK(best == cases[i].best && same, "case %zu, %zu configurations on %zu instances: the best and who stays", i,
              k, n);
        free(scratch);
    }
    return CHECK_EXIT;
}

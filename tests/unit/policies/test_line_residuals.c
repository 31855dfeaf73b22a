/* Sums of squared residuals about the tangent of a moving line against sums over every reward in long double. */
#include "policies/parts/line_residuals.h"

#include <stdlib.h>

#include "sim/base/pcg64.h"
#include "tests/support/check.h"

enum { N = 3000, LINES = 400 };

static double v[N + 1];

static double naive(double a, double b, double low, double s, int n)
{
    long double sum = 0;
    for (int j = 1; j <= n; j++) {
        long double r = (long double)low + (long double)s * v[j] - tanhl((long double)a + (long double)b * j);
        sum += r * r;
    }
    return (double)sum;
}

/* Rewards around tanh(a + b j) with the given spread; lines through random ends within the reach, n growing from N / 3
 * to N, the map stretched by up to a hundredth. */
static void check_case(const char *name, double a, double b, double spread, double low, double tolerance)
{
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 7, 1);
    for (int j = 1; j <= N; j++) v[j] = tanh(a + b * j) + spread * (mk_uniform(&rng) - 0.5) - low;
    struct mk_line_residuals r;
    const int first = N / 3;
    mk_line_residuals_start(&r, a, b, first);
    for (int j = 1; j <= first; j++) mk_line_residuals_add(&r, j, low, v[j]);
    mk_line_residuals_judge(&r, first);
    double worst = 0, sum;
    int inside = 1, outside = 1;
    for (int i = 0, n = first; i < LINES; i++) {
        for (int to = first + (N - first) * i / LINES; n < to;) n++, mk_line_residuals_add(&r, n, low, v[n]);
        double start = (2 * mk_uniform(&rng) - 1) * 0.99 * r.reach, end = (2 * mk_uniform(&rng) - 1) * 0.99 * r.reach;
        double slope = b + (end - start) / (n - 1), at = a + start - (end - start) / (n - 1);
        double s = i % 2 ? 1 - 0.01 * mk_uniform(&rng) : 1;
        inside &= mk_line_residuals_at(&r, at, slope, s, n, &sum);
        worst = fmax(worst, fabs(sum - naive(at, slope, low, s, n)) / naive(at, slope, low, s, n));
        outside &= !mk_line_residuals_at(&r, at + 3 * r.reach, slope, s, n, &sum);
    }
    CHECK(inside && outside, "%s: lines within a reach of %g are served, others refused", name, r.reach);
    CHECK(worst < tolerance, "%s: within %.2g of the sum over all rewards (at most %g)", name, worst, tolerance);
}

/* A line at the reference, equal rewards, no reward. */
static void check_plain(void)
{
    struct mk_line_residuals r;
    double sum = -1;
    mk_line_residuals_start(&r, 0.5, 0, 4);
    CHECK(mk_line_residuals_at(&r, 0.5, 0, 1, 0, &sum) && sum == 0, "no reward: 0");
    for (int j = 1; j <= 4; j++) mk_line_residuals_add(&r, j, 0, tanh(0.5));
    mk_line_residuals_judge(&r, 4);
    CHECK(r.reach == 0x1p-20 && mk_line_residuals_at(&r, 0.5, 0, 1, 4, &sum) && sum == 0, "rewards on the line: 0");
    CHECK(!mk_line_residuals_at(&r, NAN, 0, 1, 4, &sum), "a line that is not a number is rejected");
}

int main(void)
{
    check_case("noise", 0.6, 0, 0.5, 0.01, 2e-12);
    check_case("rising", 0.1, 0.0004, 0.1, 0.01, 2e-12);
    check_case("falling", 1, -0.0004, 0.02, -0.5, 2e-12);
    check_case("saturated", 3, 0.001, 0.01, 0.01, 2e-12);
    check_case("steep", -20, 0.02, 0.3, -1, 2e-12);
    check_case("close fit", 0.1, 0.0004, 1e-4, 0.01, 2e-12);
    check_case("closer than the least reach", 0.1, 0.0004, 1e-8, 0, 1e-6);
    check_plain();
    return CHECK_EXIT;
}

/* Array functions: accuracy against long double libm, the same bits for every instruction set. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "sim/vmath.h"
#include "tests/check.h"

enum { N = 200000 };

static double worst_log(const double *x, const double *y)
{
    double worst = 0;
    for (int i = 0; i < N; i++) {
        long double want = logl((long double)x[i]);
        double error = (double)fabsl(((long double)y[i] - want) / want);
        worst = fmax(worst, error);
    }
    return worst;
}

int main(void)
{
    double *x = malloc(N * sizeof *x), *y = malloc(N * sizeof *y), *z = malloc(N * sizeof *z);
    if (!x || !y || !z) return 1;
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 5, 8);
    mk_vuniform(&g, N, x);
    mk_pcg64_seed(&g, 5, 8);
    int same = 1;
    for (int i = 0; i < N; i++) same &= x[i] == mk_uniform(&g);
    CHECK(same, "mk_vuniform gives the stream's uniforms");
    x[0] = 0x1p-54;
    x[1] = 1 - 0x1p-53;
    x[2] = 0.5;
    x[3] = 0.70710678118654752440;
    x[4] = 0.70710678118654757;
    for (int i = 5; i < 60; i++) x[i] = ldexp(0.6, -i);
    for (int i = 60; i < 110; i++) x[i] = 1 - ldexp(1.0, 57 - i - 1);

    mk_vlog(N, x, y);
    double worst = worst_log(x, y);
    CHECK(worst < 4.5e-16, "log: largest relative error %.2g (2 ulp = 4.4e-16)", worst);
    for (int i = 0; i < N; i++) z[i] = x[i] * 1e200;
    mk_vlog(N, z, y);
    worst = worst_log(z, y);
    CHECK(worst < 4.5e-16, "log of large numbers: largest relative error %.2g", worst);

    static const double powers[] = {1.0 / 3, 0.25, 0.2, 1, 2.5, -1 / 1.1, -2, 1e-9, 18, 30, -40};
    for (size_t p = 0; p < sizeof powers / sizeof *powers; p++) {
        mk_vpow(N, x, powers[p], 3.0, y);
        worst = 0;
        for (int i = 0; i < N; i++) {
            long double want = 3.0L * powl((long double)x[i], (long double)powers[p]);
            if (fabsl(want) < 1e-300L || fabsl(want) > 1e308L) continue; /* outside the normal range */
            double scale = 1 + fabs(powers[p] * log(x[i]));
            worst = fmax(worst, (double)fabsl(((long double)y[i] - want) / want) / scale);
        }
        CHECK(worst < 1e-15, "x^%g: largest relative error %.2g (1 + |power log x|)", powers[p], worst);
    }

    mk_vnormal(N, x, 0, 1, y);
    worst = 0;
    for (int i = 0; i < N; i++) { /* through the distribution function: |dx| = |dp| / phi(x) */
        double back = x[i] < 0.5 ? gsl_cdf_ugaussian_P(y[i]) / x[i] - 1 : gsl_cdf_ugaussian_Q(y[i]) / (1 - x[i]) - 1;
        worst = fmax(worst, fabs(back) / (1 + y[i] * y[i]));
    }
    CHECK(worst < 3e-15, "normal quantile: largest error of the tail probability %.2g (1 + x^2)", worst);

    int equal = 1;
    enum mk_vector_set best = mk_vector_set();
    mk_vector_force(MK_VECTOR_BASELINE);
    mk_vnormal(N, x, 0.5, 2, z);
    mk_vector_force(MK_VECTOR_AVX2);
    mk_vnormal(N, x, 0.5, 2, y);
    equal &= memcmp(y, z, N * sizeof *y) == 0;
    mk_vpow(N, x, 0.2, 1.5, y);
    mk_vector_force(MK_VECTOR_BASELINE);
    mk_vpow(N, x, 0.2, 1.5, z);
    equal &= memcmp(y, z, N * sizeof *y) == 0;
    mk_vlog(N, x, z);
    mk_vector_force(MK_VECTOR_AVX2);
    mk_vlog(N, x, y);
    equal &= memcmp(y, z, N * sizeof *y) == 0;
    if (best == MK_VECTOR_AVX2)
        CHECK(equal, "baseline and AVX2 give the same bits");
    else
        SKIP("this processor has no AVX2: one version only");
    int odd = 1; /* ends of the vector loops */
    mk_vpow(N, x, 0.3, 1, y);
    for (size_t n = 0; n < 40; n++) {
        memcpy(z, x, n * sizeof *z);
        mk_vpow(n, z, 0.3, 1, z);
        odd &= memcmp(y, z, n * sizeof *y) == 0;
    }
    CHECK(odd, "short arrays, in place");
    int extremes = 1;
    for (size_t n = 1; n < 200; n++) {
        double largest = x[0], smallest = x[0];
        for (size_t i = 1; i < n; i++) {
            largest = fmax(largest, x[i]);
            smallest = fmin(smallest, x[i]);
        }
        extremes &= mk_vmax(n, x) == largest && mk_vmin(n, x) == smallest;
    }
    CHECK(extremes, "largest and smallest of 1 … 199 numbers");
    free(x);
    free(y);
    free(z);
    return CHECK_EXIT;
}

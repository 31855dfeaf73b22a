/* Block kernels: against libm and GSL, and the same bits with and without the instructions of newer processors. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "tests/support/check.h"

/* The kernels, compiled a second time for the oldest processor, next to those of the library. */
#define MAXK_NO_CLONES
#define mk_block_uniform plain_block_uniform
#define mk_block_log plain_block_log
#define mk_block_exp plain_block_exp
#define mk_block_affine plain_block_affine
#define mk_block_normal plain_block_normal
#include "distributions/parts/kernel.c"
#undef mk_block_uniform
#undef mk_block_log
#undef mk_block_exp
#undef mk_block_affine
#undef mk_block_normal
void mk_block_uniform(struct mk_pcg64 *rng, size_t n, double *out);
void mk_block_log(size_t n, double *x);
void mk_block_exp(size_t n, double *x, double factor, double scale);
void mk_block_affine(size_t n, double *x, double shift, double factor);
void mk_block_normal(size_t n, double *p);

static struct mk_pcg64 stream(void)
{
    struct mk_pcg64 g;
    mk_pcg64_from_key(&g, mk_key_text(mk_key_start(), "kernels"));
    return g;
}

static double ulps(double got, double want)
{
    return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

/* Kernels against libm and GSL, over the range of the uniforms. */
static void check_kernels(void)
{
    enum { N = 200000 };
    double *u = malloc(N * sizeof *u), *x = malloc(N * sizeof *x);
    struct mk_pcg64 g = stream();
    double log_worst = 0, exp_worst = 0, normal_worst = 0;
    mk_block_uniform(&g, N, u);
    for (int i = 0; i < N; i++) {
        if (i % 2) u[i] = exp2(-320 * u[i]); /* far tails, too */
        if (i % 10 == 4) u[i] = 1 - u[i] * 0x1p-40;
    }
    u[0] = 0x1p-54, u[2] = 1 - 0x1p-53, u[6] = 0.075, u[8] = 0.925, u[10] = 0.5;
    memcpy(x, u, N * sizeof *x);
    mk_block_log(N, x);
    for (int i = 0; i < N; i++) log_worst = fmax(log_worst, ulps(x[i], log(u[i])));
    CHECK(log_worst <= 1, "block log within %.2f units in the last place of libm's", log_worst);
    for (int i = 0; i < N; i++) x[i] = u[i] = (i % 2 ? -1 : 1) * 700 * mk_uniform(&g);
    mk_block_exp(N, x, 1, 1);
    for (int i = 0; i < N; i++) exp_worst = fmax(exp_worst, ulps(x[i], exp(u[i])));
    CHECK(exp_worst <= 1, "block exp within %.2f units in the last place of libm's", exp_worst);
    double ends[6] = {-1e300, -745, 709.75, 1e4, 0, -1e-18};
    mk_block_exp(6, ends, 1, 1);
    CHECK(ends[0] == 0 && ends[1] == exp(-745) && fabs(ends[2] / exp(709.75) - 1) < 1e-15 && isinf(ends[3]) &&
              ends[4] == 1 && ends[5] == 1,
          "block exp underflows, overflows and gives 1 at 0");
    mk_block_uniform(&g, N, u);
    for (int i = 1; i < N; i += 2) u[i] = exp2(-1000 * u[i]);
    memcpy(x, u, N * sizeof *x);
    mk_block_normal(N, x);
    for (int i = 0; i < N; i++) {
        double want = u[i] < 0.5 ? gsl_cdf_ugaussian_Qinv(u[i]) : -gsl_cdf_ugaussian_Qinv(1 - u[i]);
        normal_worst = fmax(normal_worst, fabs(x[i] - want) / fmax(fabs(want), 0.01));
    }
    CHECK(normal_worst < 3e-15, "block normal quantile agrees with GSL to %.1e", normal_worst);
    free(u);
    free(x);
}

/* Blocks of odd lengths, so that the scalar ends of the vector loops are compared, too. */
static void check_bits(void)
{
    enum { N = 10007 };
    static double u[N], v[N], x[N], y[N];
    struct mk_pcg64 g = stream(), h = g;
    mk_block_uniform(&g, N, u);
    plain_block_uniform(&h, N, v);
    CHECK(memcmp(u, v, sizeof u) == 0 && g.state == h.state, "uniforms: the same bits");
    memcpy(x, u, sizeof u), memcpy(y, u, sizeof u);
    mk_block_log(N, x), plain_block_log(N, y);
    CHECK(memcmp(x, y, sizeof x) == 0, "log: the same bits on every processor");
    mk_block_exp(N, x, -3.7, 1.3), plain_block_exp(N, y, -3.7, 1.3);
    CHECK(memcmp(x, y, sizeof x) == 0, "exp: the same bits on every processor");
    mk_block_affine(N, x, 0.1, -1.1), plain_block_affine(N, y, 0.1, -1.1);
    CHECK(memcmp(x, y, sizeof x) == 0, "affine: the same bits on every processor");
    memcpy(x, u, sizeof u), memcpy(y, u, sizeof u);
    mk_block_normal(N, x), plain_block_normal(N, y);
    CHECK(memcmp(x, y, sizeof x) == 0, "normal quantile: the same bits on every processor");
}

int main(void)
{
    gsl_set_error_handler_off();
    check_kernels();
    check_bits();
    return CHECK_EXIT;
}

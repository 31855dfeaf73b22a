/* Largest and smallest of an array; the block kernels of the samplers give the same bits in their baseline version, which
 * is compiled here once more from the same source under other names. */
#include <stdlib.h>
#include <string.h>

#include "distributions/kernel.h"
#include "sim/vmath.h"
#include "tests/check.h"

#define MAXK_NO_CLONES
#define mk_block_uniform baseline_uniform
#define mk_block_log baseline_log
#define mk_block_exp baseline_exp
#define mk_block_affine baseline_affine
#define mk_block_normal baseline_normal
void baseline_uniform(struct mk_pcg64 *rng, size_t n, double *out);
void baseline_log(size_t n, double *x);
void baseline_exp(size_t n, double *x, double factor, double scale);
void baseline_affine(size_t n, double *x, double shift, double factor);
void baseline_normal(size_t n, double *p);
#include "distributions/kernel.c"
#undef mk_block_uniform
#undef mk_block_log
#undef mk_block_exp
#undef mk_block_affine
#undef mk_block_normal

enum { N = 100003 };

static double *copy(const double *x)
{
    double *y = malloc(N * sizeof *y);
    if (!y) exit(1);
    memcpy(y, x, N * sizeof *y);
    return y;
}

static void same_bits(const char *what, double *a, double *b)
{
    CHECK(memcmp(a, b, N * sizeof *a) == 0, "%s: dispatched and baseline versions give the same bits", what);
    free(a);
    free(b);
}

int main(void)
{
    double *u = malloc(N * sizeof *u);
    if (!u) return 1;
    struct mk_pcg64 g, h;
    mk_pcg64_seed(&g, 5, 8);
    h = g;
    mk_block_uniform(&g, N, u);
    int same = 1;
    for (int i = 0; i < N; i++) same &= u[i] == mk_uniform(&h);
    CHECK(same && g.state == h.state, "block uniforms are the stream's");

    double *a = copy(u), *b = copy(u);
    mk_block_log(N, a);
    baseline_log(N, b);
    same_bits("log", a, b);
    a = copy(u), b = copy(u);
    mk_block_exp(N, a, -700, 1.5);
    baseline_exp(N, b, -700, 1.5);
    same_bits("exp", a, b);
    a = copy(u), b = copy(u);
    mk_block_normal(N, a);
    baseline_normal(N, b);
    same_bits("normal quantile", a, b);
    a = copy(u), b = copy(u);
    mk_block_affine(N, a, 0.3, 1.7);
    baseline_affine(N, b, 0.3, 1.7);
    same_bits("affine map", a, b);
    h = g;
    a = copy(u), b = copy(u);
    mk_block_uniform(&g, N, a);
    baseline_uniform(&h, N, b);
    same_bits("uniforms", a, b);

    int extremes = 1;
    for (size_t n = 1; n < 200; n++) {
        double largest = u[0], smallest = u[0];
        for (size_t i = 1; i < n; i++) {
            largest = fmax(largest, u[i]);
            smallest = fmin(smallest, u[i]);
        }
        extremes &= mk_vmax(n, u) == largest && mk_vmin(n, u) == smallest;
    }
    CHECK(extremes, "largest and smallest of 1 … 199 numbers");
    free(u);
    return CHECK_EXIT;
}

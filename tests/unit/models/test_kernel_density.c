/* Kernel densities. Expected values: statsmodels 0.13.5, KDEMultivariate(data, var_type, bw="normal_reference"); a
 * thousand others by make validate. */
#include "sim/search/models/kernel_density.h"
#include "tests/support/check.h"

static const double data[] = {0.1, 0.5, 0, 0.4, 0.2, 1, 0.35, 0.9, 1, 0.8, 0.6, 2, 0.77, 0.1, 1, 0.05, 0.45, 0};

int main(void)
{
    const bool words[] = {false, false, true}, numbers[] = {false, false, false};
    double h[3], levels[3];
    struct mk_kernel_density k = {.n = 6, .d = 3, .x = data, .is_word = words, .h = h, .words = levels};
    mk_kernel_density_fit(&k, 1e-3);
    CHECK(levels[0] == 1 && levels[2] == 3, "distinct words");
    CHECK_CLOSE(h[0], 0.23950337352684825, 1e-14, "bandwidth 0");
    CHECK_CLOSE(h[1], 0.21505933604884442, 1e-14, "bandwidth 1");
    CHECK_CLOSE(h[2], 0.56391625218851449, 1e-14, "bandwidth 2");
    CHECK_CLOSE(mk_kernel_density(&k, (double[]){0.3, 0.4, 1}), 0.34526731683411788, 1e-13, "with a word");
    CHECK_CLOSE(mk_kernel_density(&k, (double[]){0.9, 0.9, 2}), 0.08852565787153617, 1e-13, "with a word");
    CHECK_CLOSE(mk_kernel_density(&k, (double[]){0, 1, 0}), 0.067081044693281175, 1e-13, "with a word");
    k.is_word = numbers;
    mk_kernel_density_fit(&k, 1e-3);
    CHECK_CLOSE(mk_kernel_density(&k, (double[]){0.3, 0.4, 1}), 0.35679356400618367, 1e-13, "of numbers");
    CHECK_CLOSE(mk_kernel_density(&k, (double[]){0.9, 0.9, 1.7}), 0.12186885850941299, 1e-13, "of numbers");
    const double same[] = {0.5, 1, 0.5, 1};
    k = (struct mk_kernel_density){.n = 2, .d = 2, .x = same, .is_word = words + 1, .h = h, .words = levels};
    mk_kernel_density_fit(&k, 1e-3);
    CHECK(h[0] == 1e-3 && h[1] == 1e-3 && isinf(mk_kernel_density(&k, (double[]){0.5, 0})),
          "equal observations: the smallest bandwidth, and infinite density of words not seen");
    return CHECK_EXIT;
}

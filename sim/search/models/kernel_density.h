/* Kernel density estimates with product kernels, as BOHB takes them from statsmodels' KDEMultivariate:
 *
 *     p(x) = 1/n sum_i prod_j K_j(x_ij, x_j),
 *     numbers  normal with standard deviation h_j (not truncated)
 *     words    Aitchison & Aitken 1976: 1 - h_j for the word observed, h_j / (c_j - 1) for each other
 *
 * with c_j the number of distinct words observed on the axis; h_j by the normal reference rule 1.06 sd_j n^(-1/(4 +
 * d)), for words too (their numbers), and at least `min`. Where only one word was observed others have infinite
 * density. */
#ifndef MAXK_SIM_SEARCH_MODELS_KERNEL_DENSITY_H
#define MAXK_SIM_SEARCH_MODELS_KERNEL_DENSITY_H

#include <stdbool.h>
#include <stddef.h>

/* All arrays belong to the caller. */
struct mk_kernel_density {
    size_t n, d;
    const double *x;     /* [n][d] */
    const bool *is_word; /* [d] */
    double *h;           /* [d] derived */
    double *words;       /* [d] derived: distinct words, 1 for numbers */
};

/* Derives h and words; n >= 1. */
void mk_kernel_density_fit(struct mk_kernel_density *k, double min);

double mk_kernel_density(const struct mk_kernel_density *k, const double *x);

#endif

/* Cholesky factors of symmetric positive definite matrices, K = L L^T, stored by rows: L[i][j], j <= i, at
 * i (i + 1) / 2 + j ("packed rows").
 *
 * Every entry is one inner product of two rows, summed in an order that depends only on its length. So the bits do not
 * depend on the processor, and rows appended later equal those of a factorisation of the whole: a BLAS promises
 * neither. n = 1000 takes about 0.03 s. */
#ifndef MAXK_SIM_SEARCH_MODELS_CHOLESKY_H
#define MAXK_SIM_SEARCH_MODELS_CHOLESKY_H

#include <stddef.h>

static inline size_t mk_packed_size(size_t n)
{
    return n * (n + 1) / 2;
}

static inline double *mk_packed_row(double *l, size_t i)
{
    return l + i * (i + 1) / 2;
}

/* Replaces rows first … n-1 of K by those of L; rows 0 … first-1 are those of L already. Returns n, or the first row
 * whose pivot is not positive (rows before it are L, it and those after it are undefined). */
size_t mk_cholesky_extend(double *l, size_t first, size_t n);

/* x <- L^-1 x; and of eight vectors at once, entry i of vector c at x[8 i + c]. */
enum { MK_CHOLESKY_COLUMNS = 8 };
void mk_cholesky_forward(const double *l, size_t n, double *x);
void mk_cholesky_forward_columns(const double *l, size_t n, double *x);

/* x <- L^-T x */
void mk_cholesky_backward(const double *l, size_t n, double *x);

/* K^-1 in packed rows; inverse[packed], work[packed]. */
void mk_cholesky_inverse(const double *l, size_t n, double *inverse, double *work);

/* log det K */
double mk_cholesky_log_determinant(const double *l, size_t n);

/* Sum of a[i] b[i], i < n, in a fixed order. */
double mk_inner_product(const double *a, const double *b, size_t n);

#endif

/* The Cholesky kernel against GSL, row by row against all at once, and with against without vector instructions. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_linalg.h>

#include "sim/base/pcg64.h"
#include "tests/support/check.h"

#define MAXK_NO_CLONES
#define mk_inner_product plain_inner_product
#define mk_cholesky_extend plain_cholesky_extend
#define mk_cholesky_forward plain_cholesky_forward
#define mk_cholesky_forward_columns plain_cholesky_forward_columns
#define mk_cholesky_backward plain_cholesky_backward
#define mk_cholesky_inverse plain_cholesky_inverse
#define mk_cholesky_log_determinant plain_cholesky_log_determinant
#include "sim/search/models/cholesky.c"
#undef mk_inner_product
#undef mk_cholesky_extend
#undef mk_cholesky_forward
#undef mk_cholesky_forward_columns
#undef mk_cholesky_backward
#undef mk_cholesky_inverse
#undef mk_cholesky_log_determinant
double mk_inner_product(const double *a, const double *b, size_t n);
size_t mk_cholesky_extend(double *l, size_t first, size_t n);
void mk_cholesky_forward(const double *l, size_t n, double *x);
void mk_cholesky_forward_columns(const double *l, size_t n, double *x);
void mk_cholesky_backward(const double *l, size_t n, double *x);
void mk_cholesky_inverse(const double *l, size_t n, double *inverse, double *work);
double mk_cholesky_log_determinant(const double *l, size_t n);

enum { N = 137 };

/* exp(-|x_i - x_j|^2) of random points in three dimensions, plus noise on the diagonal. */
static double *covariance(size_t n, double noise)
{
    double *k = malloc(mk_packed_size(n) * sizeof *k), *x = malloc(3 * n * sizeof *x);
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 1, 2);
    for (size_t i = 0; i < 3 * n; i++) x[i] = mk_uniform(&rng);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double d = 0;
            for (size_t c = 0; c < 3; c++) d += (x[3 * i + c] - x[3 * j + c]) * (x[3 * i + c] - x[3 * j + c]);
            mk_packed_row(k, i)[j] = exp(-4 * d) + (i == j) * noise;
        }
    free(x);
    return k;
}

static double *copy(const double *a, size_t n)
{
    double *b = malloc(n * sizeof *b);
    memcpy(b, a, n * sizeof *b);
    return b;
}

static void check_against_gsl(void)
{
    double *k = covariance(N, 0.01), *l = copy(k, mk_packed_size(N)), worst = 0, x[N], y[N];
    gsl_matrix *m = gsl_matrix_alloc(N, N);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            gsl_matrix_set(m, i, j, i >= j ? mk_packed_row(k, i)[j] : mk_packed_row(k, j)[i]);
    gsl_linalg_cholesky_decomp1(m);
    CHECK(mk_cholesky_extend(l, 0, N) == N, "a positive definite matrix");
    double determinant = 0;
    for (size_t i = 0; i < N; i++) {
        determinant += 2 * log(gsl_matrix_get(m, i, i));
        for (size_t j = 0; j <= i; j++) worst = fmax(worst, fabs(mk_packed_row(l, i)[j] - gsl_matrix_get(m, i, j)));
    }
    CHECK(worst < 1e-13, "the factor is GSL's to %g", worst);
    CHECK_CLOSE(mk_cholesky_log_determinant(l, N), determinant, 1e-13, "log determinant");
    for (size_t i = 0; i < N; i++) x[i] = y[i] = sin((double)i);
    gsl_vector_view v = gsl_vector_view_array(y, N);
    gsl_linalg_cholesky_svx(m, &v.vector);
    mk_cholesky_forward(l, N, x);
    mk_cholesky_backward(l, N, x);
    worst = 0;
    for (size_t i = 0; i < N; i++) worst = fmax(worst, fabs(x[i] - y[i]));
    CHECK(worst < 1e-10, "K^-1 x is GSL's to %g", worst);
    double *inverse = malloc(mk_packed_size(N) * sizeof *inverse), *work = malloc(mk_packed_size(N) * sizeof *work);
    mk_cholesky_inverse(l, N, inverse, work);
    gsl_linalg_cholesky_invert(m);
    worst = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j <= i; j++)
            worst = fmax(worst, fabs(mk_packed_row(inverse, i)[j] - gsl_matrix_get(m, i, j)));
    CHECK(worst < 1e-10, "K^-1 is GSL's to %g", worst);
    free(inverse);
    free(work);
    gsl_matrix_free(m);
    free(k);
    free(l);
}

static void check_growth(void)
{
    double *k = covariance(N, 0.01), *whole = copy(k, mk_packed_size(N)), *grown = copy(k, mk_packed_size(N));
    double *plain = copy(k, mk_packed_size(N)), columns[N][8], one[N], plain_columns[N][8];
    mk_cholesky_extend(whole, 0, N);
    for (size_t i = 0, step = 1; i < N; i += step, step = step % 7 + 1) {
        step = i + step > N ? N - i : step;
        mk_cholesky_extend(grown, i, i + step);
    }
    CHECK(memcmp(whole, grown, mk_packed_size(N) * sizeof *whole) == 0,
          "appended rows are those of the whole, bit for bit");
    plain_cholesky_extend(plain, 0, N);
    CHECK(memcmp(whole, plain, mk_packed_size(N) * sizeof *whole) == 0, "the same bits without vector instructions");
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < 8; c++) plain_columns[i][c] = columns[i][c] = cos((double)(i * 8 + c));
    mk_cholesky_forward_columns(whole, N, columns[0]);
    plain_cholesky_forward_columns(whole, N, plain_columns[0]);
    CHECK(memcmp(columns, plain_columns, sizeof columns) == 0, "and of eight solutions at once");
    double worst = 0;
    for (size_t c = 0; c < 8; c++) {
        for (size_t i = 0; i < N; i++) one[i] = cos((double)(i * 8 + c));
        mk_cholesky_forward(whole, N, one);
        for (size_t i = 0; i < N; i++) worst = fmax(worst, fabs(one[i] - columns[i][c]));
    }
    CHECK(worst < 1e-12, "which are those one by one to %g", worst);
    double *a = malloc(mk_packed_size(N) * sizeof *a), *b = malloc(mk_packed_size(N) * sizeof *b);
    double *work = malloc(mk_packed_size(N) * sizeof *work);
    mk_cholesky_inverse(whole, N, a, work);
    plain_cholesky_inverse(whole, N, b, work);
    CHECK(memcmp(a, b, mk_packed_size(N) * sizeof *a) == 0, "and of the inverse");
    for (size_t i = 0; i < N; i++) one[i] = columns[i][0] = sin((double)i);
    mk_cholesky_backward(whole, N, one);
    for (size_t i = 0; i < N; i++) plain_columns[0][0] = 0, work[i] = sin((double)i);
    plain_cholesky_backward(whole, N, work);
    CHECK(memcmp(one, work, sizeof one) == 0 && mk_inner_product(a, b, 1000) == plain_inner_product(a, b, 1000),
          "and of the rest");
    free(a);
    free(b);
    free(work);
    free(k);
    free(whole);
    free(grown);
    free(plain);
}

static void check_failure(void)
{
    double l[6] = {1, 1, 1, 0, 0, 1};
    CHECK(mk_cholesky_extend(l, 0, 3) == 1, "a singular matrix stops at its second row");
    double *k = covariance(N, 0.01);
    mk_packed_row(k, 100)[100] = -1;
    CHECK(mk_cholesky_extend(k, 0, N) == 100, "a negative pivot in the last rows");
    free(k);
}

int main(void)
{
    check_against_gsl();
    check_growth();
    check_failure();
    return CHECK_EXIT;
}

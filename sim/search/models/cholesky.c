#include "sim/search/models/cholesky.h"

#include <math.h>

#include "sim/base/clones.h"

enum { LANES = 8, PASS = 24 /* rows that share one pass over those above them: they stay in the cache */ };

/* Lane c sums the products c, c + 8, …; the lanes are added in pairs, and the remaining products come last. */
static inline __attribute__((always_inline)) double finish(const double s[LANES], const double *a, const double *b,
                                                           size_t from, size_t n)
{
    double sum = ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    for (size_t i = from; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline __attribute__((always_inline)) double inner_product(const double *a, const double *b, size_t n)
{
    double s[LANES] = {0};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t c = 0; c < LANES; c++) s[c] += a[i + c] * b[i + c];
    return finish(s, a, b, i, n);
}

MK_CLONES double mk_inner_product(const double *a, const double *b, size_t n)
{
    return inner_product(a, b, n);
}

/* Columns 0 … n-1 of `count` rows from n on; the rows above are those of L. */
static inline __attribute__((always_inline)) void rows_left(double *l, size_t n, size_t count)
{
    for (size_t j = 0; j < n; j++) {
        const double *lj = mk_packed_row(l, j);
        for (size_t r = 0; r < count; r++) {
            double *row = mk_packed_row(l, n + r);
            row[j] = (row[j] - inner_product(row, lj, j)) / lj[j];
        }
    }
}

/* Columns from … i of row i; 0: the pivot is not positive. */
static inline __attribute__((always_inline)) int row_right(double *l, size_t i, size_t from)
{
    double *row = mk_packed_row(l, i);
    for (size_t j = from; j < i; j++) {
        const double *lj = mk_packed_row(l, j);
        row[j] = (row[j] - inner_product(row, lj, j)) / lj[j];
    }
    double pivot = row[i] - inner_product(row, row, i);
    if (!(pivot > 0)) return 0;
    row[i] = sqrt(pivot);
    return 1;
}

MK_CLONES size_t mk_cholesky_extend(double *l, size_t first, size_t n)
{
    for (size_t i = first; i < n; i += PASS) {
        const size_t rows = n - i < PASS ? n - i : PASS;
        rows_left(l, i, rows);
        for (size_t r = 0; r < rows; r++)
            if (!row_right(l, i + r, i)) return i + r;
    }
    return n;
}

MK_CLONES void mk_cholesky_forward(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; l += ++i) x[i] = (x[i] - inner_product(l, x, i)) / l[i];
}

MK_CLONES void mk_cholesky_forward_columns(const double *l, size_t n, double *x)
{
    for (size_t i = 0; i < n; l += ++i) {
        double s[LANES] = {0};
        for (size_t j = 0; j < i; j++)
            for (size_t c = 0; c < LANES; c++) s[c] += l[j] * x[j * LANES + c];
        for (size_t c = 0; c < LANES; c++) x[i * LANES + c] = (x[i * LANES + c] - s[c]) / l[i];
    }
}

MK_CLONES void mk_cholesky_backward(const double *l, size_t n, double *x)
{
    for (size_t i = n; i-- > 0;) {
        const double *row = l + i * (i + 1) / 2;
        x[i] /= row[i];
        for (size_t j = 0; j < i; j++) x[j] -= x[i] * row[j];
    }
}

/* M = L^-1 by columns, each from its diagonal entry on; K^-1 = M^T M. */
static inline size_t column_start(size_t n, size_t j)
{
    return j * n - j * (j - 1) / 2;
}

MK_CLONES void mk_cholesky_inverse(const double *l, size_t n, double *inverse, double *work)
{
    for (size_t j = 0; j < n; j++) {
        double *column = work + column_start(n, j);
        for (size_t i = j; i < n; i++) {
            const double *row = l + i * (i + 1) / 2;
            column[i - j] = ((i == j) - inner_product(row + j, column, i - j)) / row[i];
        }
    }
    for (size_t i = 0; i < n; i++) {
        const double *from = work + column_start(n, i);
        for (size_t j = 0; j <= i; j++)
            mk_packed_row(inverse, i)[j] = inner_product(from, work + column_start(n, j) + (i - j), n - i);
    }
}

double mk_cholesky_log_determinant(const double *l, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; l += ++i) sum += log(l[i]);
    return 2 * sum;
}

/* Ranks, Friedman's test with Iman and Davenport's correction, and Nemenyi's test.
 *
 * Friedman: chi2 = 12 n / (k (k + 1)) (sum_j R_j^2 - k (k + 1)^2 / 4), R_j average ranks (Demšar 2006, 3.2.2).
 * Range of k standard normals: P(q) = k int phi(z) (Phi(z) - Phi(z - q))^(k-1) dz, z the largest of them; the integrand
 * is entire and below 1e-18 outside |z| < 9, where the trapezoidal rule with NODES steps is exact to rounding. */
#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>

#include "sim/search/models/significance.h"

enum { NODES = 256, HALVINGS = 200 };

/* Binary insertion, stable: comparisons are of tens or hundreds of policies. */
static void sort_order(const double *value, size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = i;
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (value[order[middle]] >= value[i])
                low = middle + 1;
            else
                high = middle;
        }
        memmove(order + low + 1, order + low, (i - low) * sizeof *order);
        order[low] = i;
    }
}

void mk_rank_values(const double *value, size_t n, double tolerance, double *rank, size_t *order)
{
    sort_order(value, n, order);
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n; end++) {
            double better = value[order[end - 1]], worse = value[order[end]];
            if (!(better == worse || better - worse <= tolerance)) break;
        }
        for (size_t j = i; j < end; j++) rank[order[j]] = (double)(i + 1 + end) / 2;
    }
}

static void finish(struct mk_friedman *f)
{
    double n = (double)f->n, degrees = (double)f->k - 1, max = n * degrees;
    if (f->chi2 < 0) f->chi2 = 0; /* rounding */
    f->p = gsl_cdf_chisq_Q(f->chi2, degrees);
    f->f = f->chi2 >= max ? INFINITY : (n - 1) * f->chi2 / (max - f->chi2);
    f->p_f = f->n < 2 ? NAN : f->chi2 >= max ? 0 : gsl_cdf_fdist_Q(f->f, degrees, degrees * (n - 1));
}

void mk_friedman_from_means(const double *mean, size_t n, size_t k, struct mk_friedman *out)
{
    double middle = ((double)k + 1) / 2, sum = 0;
    for (size_t j = 0; j < k; j++) sum += (mean[j] - middle) * (mean[j] - middle);
    *out = (struct mk_friedman){.n = n, .k = k, .chi2_ties = NAN, .p_ties = NAN};
    out->chi2 = 12 * (double)n / ((double)k * ((double)k + 1)) * sum;
    finish(out);
}

void mk_friedman_test(const double *rank, size_t n, size_t k, double *mean, struct mk_friedman *out)
{
    double K = (double)k, ties = 0;
    for (size_t j = 0; j < k; j++) {
        mean[j] = 0;
        for (size_t i = 0; i < n; i++) mean[j] += rank[i * k + j];
        mean[j] /= (double)n;
    }
    mk_friedman_from_means(mean, n, k, out);
    /* sum r^2 of a row is K (K + 1) (2 K + 1) / 6 minus (t^3 - t) / 12 for every group of t ties; exact in doubles. */
    for (size_t i = 0; i < n; i++) {
        double squares = 0;
        for (size_t j = 0; j < k; j++) squares += rank[i * k + j] * rank[i * k + j];
        ties += 12 * (K * (K + 1) * (2 * K + 1) / 6 - squares);
    }
    double share = ties / ((double)n * K * (K * K - 1));
    out->chi2_ties = share < 1 ? out->chi2 / (1 - share) : 0;
    out->p_ties = gsl_cdf_chisq_Q(out->chi2_ties, K - 1);
}

double mk_studentized_range(double q, size_t k)
{
    const double end = 9, step = 2 * end / NODES;
    double sum = 0;
    if (!(q > 0)) return 0;
    for (int i = 0; i <= NODES; i++) {
        double z = -end + i * step;
        double inside = gsl_cdf_ugaussian_P(z) - gsl_cdf_ugaussian_P(z - q);
        sum += gsl_ran_ugaussian_pdf(z) * pow(inside, (double)k - 1);
    }
    return fmin(1, (double)k * step * sum);
}

double mk_studentized_range_quantile(double p, size_t k)
{
    double low = 0, high = 60;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (middle <= low || middle >= high) break;
        if (mk_studentized_range(middle, k) < p)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Standard error of the difference of two average ranks. */
static double rank_error(size_t k, size_t n)
{
    return sqrt((double)k * ((double)k + 1) / (6 * (double)n));
}

double mk_nemenyi_distance(double alpha, size_t k, size_t n)
{
    return mk_studentized_range_quantile(1 - alpha, k) / M_SQRT2 * rank_error(k, n);
}

double mk_nemenyi_p(double difference, size_t k, size_t n)
{
    return 1 - mk_studentized_range(fabs(difference) / rank_error(k, n) * M_SQRT2, k);
}

double mk_dunn_distance(double alpha, size_t k, size_t n)
{
    return gsl_cdf_ugaussian_Qinv(alpha / (2 * ((double)k - 1))) * rank_error(k, n);
}

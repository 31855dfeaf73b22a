/* Theorem 1 of Balef et al. 2024 (Walker 1968): the sample quantile is about N(q, tau (1 - tau) / (n f(q)^2)). The
 * paper prints the variance without 1/n. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/formulas.h"
#include "analysis/theory/lu.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { OWN_REPLICATIONS = 500, TAUS = 4, SIZES = 2 };

static const char arms[] =
    "name: quantiles\n"
    "problem: {arms: [{family: uniform, lo: 0, hi: 1, label: uniform}, {family: gaussian, mu: 0, sigma: 1, label: "
    "gaussian}, {family: exponential, mean: 1, label: exponential}, {family: power, a: 4, s: 1, label: 'power 4, 1'}, "
    "{family: truncated_gaussian, mu: 0.75, sigma: 0.2, lo: 0, hi: 1, label: 'truncated_gaussian .75, .2'}, {family: "
    "pareto, shape: 1.1, label: 'pareto 1.1'}]}\n";

static const double taus[TAUS] = {0.5, 0.9, 0.95, 0.99};
static const size_t sizes[SIZES] = {1000, 10000};
/* An asymptotic statement holds when the interval of the ratio lies within this factor of 1. */
static const double factor = 1.35;

/* quantile[tau][replication] of samples of n draws. */
static int draw_quantiles(const struct mk_claim_report *r, const struct mk_dist *d, size_t arm, size_t n, size_t runs,
                          double *quantile, struct mk_error *err)
{
    const struct mk_key key = mk_key_word(mk_pooled_rewards_key(r->options.seed, "quantile_variance", arm), n);
    double *room = malloc((size_t)r->options.threads * n * sizeof *room);
    if (!room) return mk_fail_memory(err, "samples");
#pragma omp parallel for num_threads(r->options.threads) schedule(static)
    for (size_t run = 0; run < runs; run++) {
        double *x = room + (size_t)omp_get_thread_num() * n;
        struct mk_pcg64 rng;
        mk_pcg64_from_key(&rng, mk_key_word(key, run));
        d->type->sample(d, &rng, n, x);
        mk_sort_values(x, n);
        for (size_t i = 0; i < TAUS; i++) quantile[i * runs + run] = mk_quantile_sorted(x, n, taus[i]);
    }
    free(room);
    return MK_OK;
}

/* Variance of x[0 … n-1], and its standard error sqrt((m4 - m2^2) / n). */
static void variance_of(const double *x, size_t n, double *variance, double *error)
{
    double mean = 0, m2 = 0, m4 = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        double square = (x[i] - mean) * (x[i] - mean);
        m2 += square / (double)n;
        m4 += square * square / (double)n;
    }
    *variance = m2 * (double)n / (double)(n - 1);
    *error = sqrt((m4 - m2 * m2) / (double)n);
}

static void emit(struct mk_claim_report *r, const char *label, const struct mk_dist *d, size_t n, size_t tau,
                 const double *quantile, size_t runs)
{
    static const char *const quantity[] = {"variance of the sample quantile / (tau(1-tau) / (n f^2))",
                                           "the same over tau(1-tau) / f^2, as printed"};
    double variance, error;
    variance_of(quantile + tau * runs, runs, &variance, &error);
    for (int printed = 0; printed < 2; printed++) {
        double formula = mk_quantile_variance(d, taus[tau], printed ? 1 : (double)n);
        struct mk_claim_row row =
            mk_claim_row_start(MK_EQUALS, quantity[printed], "%s, tau = %g, n = %zu", label, taus[tau], n);
        row.expected = 1;
        row.observed = variance / formula;
        row.low = (variance - MK_NORMAL_95 * error) / formula;
        row.high = (variance + MK_NORMAL_95 * error) / formula;
        row.verdict = mk_claim_judge_within(&row, 1 / factor, factor);
        if (printed) row.note = "the theorem as printed omits 1/n";
        /* once is enough: the missing 1/n does not depend on tau */
        if (!printed || tau == 0) mk_claim_emit(r, &row);
    }
}

static int check_quantile_variance(struct mk_claim_report *r, size_t part, struct mk_error *err)
{
    (void)part;
    const size_t runs = (size_t)mk_claim_replications(r, OWN_REPLICATIONS);
    struct mk_claim_case c;
    int code = mk_claim_read(&c, r, "quantile_variance", 0, err, "%s", arms);
    if (code) {
        mk_claim_case_free(&c);
        return code;
    }
    const struct mk_problem *p = c.experiment->problem;
    double *quantile = malloc(TAUS * runs * sizeof *quantile);
    if (!quantile) code = mk_fail_memory(err, "quantiles");
    for (size_t k = 0; !code && k < p->n_arms; k++)
        for (size_t s = 0; !code && s < SIZES; s++) {
            code = draw_quantiles(r, p->dist[k], k, sizes[s], runs, quantile, err);
            for (size_t tau = 0; !code && tau < TAUS; tau++)
                emit(r, p->arm_label[k], p->dist[k], sizes[s], tau, quantile, runs);
        }
    free(quantile);
    mk_claim_case_free(&c);
    return code;
}

const struct mk_claim mk_claim_quantile_variance = {
    .name = "quantile_variance",
    .source = "Balef et al. 2024, Theorem 1 (Walker 1968)",
    .statement = "the tau-quantile of n draws is approximately distributed as N(q, tau (1 - tau) / (n f(q)^2))",
    .method = "variance of the sample quantile (linear interpolation) over 500 samples of n = 1000 and 10000; the "
              "statement is asymptotic: holds if the interval of the ratio is within a factor 1.35 of 1",
    .n = 1,
    .check = check_quantile_variance,
};

/* Exponents against independent minimisation, fits on data from known models, the bootstrap. */
#include "analysis/theory/growth.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/compare/growth_bootstrap.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

enum { ARMS = 5 };

static struct mk_dist *make(const char *family, double p, double q, double lo, double hi)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    int code = strcmp(family, "truncated_gaussian") == 0 ? mk_dist_make(&d, family, &err, p, q, lo, hi)
                                                         : mk_dist_make(&d, family, &err, p, q);
    if (code) CHECK(0, "%s: %s", family, err.text);
    return d;
}

/* mpmath, 30 digits: golden section on log y of -alpha log F(end - y) / sqrt(y) around the smallest of 500 grid
 * points. */
static void test_exponents(void)
{
    static const double a[ARMS] = {3, 4, 5, 5, 4}, s[ARMS] = {1.01, 1.01, 1.01, 1.1, 1};
    static const struct mk_growth_claim want[] = {
        {2.915570748076049, 0.7066557138927281, 0.0277445039929, 0.7066557138927281},
        {2.531210648640589, 0.8220095042269144, 0.0361229524464, 1.1280345037970994},
        {2.269580355571708, 0.9258069171831138, 0.0441043476257, 1.7718834895306104},
        {0.8120921757946344, 3.86026968642505, 0.18058560764, 14.846821559222386},
    };
    struct mk_dist *d[ARMS];
    for (size_t k = 0; k < ARMS; k++) d[k] = make("power", a[k], s[k], 0, 0);
    for (size_t k = 0; k + 1 < ARMS; k++) {
        struct mk_growth_claim got = mk_growth_claim(d, ARMS, 4, k, 0.5);
        double y = want[k].x + (1 - pow(s[k], -a[k])); /* the reference measures from the arm's own end point */
        CHECK_CLOSE(got.slope, want[k].slope, 1e-12, "slope of power arm %zu", k);
        CHECK_CLOSE(got.c, want[k].c, 1e-8, "c of power arm %zu", k);
        CHECK_CLOSE(got.c_joint, want[k].c_joint, 1e-8, "c of power arm %zu, all better arms", k);
        CHECK_CLOSE(got.x, y, 1e-5, "where, power arm %zu", k);
    }
    struct mk_growth_claim none = mk_growth_claim(d, ARMS, 4, 4, 0.5);
    CHECK(isnan(none.slope) && isnan(none.c) && isnan(none.c_joint), "no claim about the best arm");
    CHECK(mk_growth_exponent(d[4], 1, 0.5, NULL) == 0, "no gap: c = 0");
    CHECK(mk_growth_exponent(d[4], 0.9, 0, NULL) == 0, "alpha = 0: c = 0");
    for (size_t k = 0; k < ARMS; k++) mk_dist_free(d[k]);

    d[0] = make("uniform", 0, 1, 0, 0);
    d[1] = make("beta", 2, 3, 0, 0);
    d[2] = make("truncated_gaussian", 0.5, 0.5, 0, 1);
    CHECK_CLOSE(mk_growth_exponent(d[0], 0.9, 1, NULL), 0.7015474044316034, 1e-8, "c of a uniform arm");
    CHECK_CLOSE(mk_growth_exponent(d[1], 0.8, 2, NULL), 0.4636453415976845, 1e-8, "c of a beta arm");
    CHECK_CLOSE(mk_growth_exponent(d[2], 0.95, 0.5, NULL), 0.1801052533639313, 1e-8, "c of a truncated Gaussian arm");
    for (size_t k = 0; k < 3; k++) mk_dist_free(d[k]);
}

enum { POINTS = 21 };

static double pulls_log(double t)
{
    return 2.5 * log(t);
}
static double pulls_sqrt_log(double t)
{
    return 2.5 * sqrt(t) * log(t);
}
static double pulls_power(double t)
{
    return 2.5 * pow(t, 0.293);
}
static double regret_log(double t)
{
    return pulls_log(t) / t;
}
static double regret_sqrt_log(double t)
{
    return pulls_sqrt_log(t) / t;
}
static double regret_power(double t)
{
    return 2.5 * pow(t, -0.7);
}

/* y exactly by one model: it is chosen and its constants come back. Returns its fit. */
static struct mk_growth_fit check_exact_fit(bool regret, enum mk_growth_model model, double (*of)(double t))
{
    uint64_t horizon[POINTS];
    double y[POINTS], se[POINTS], aicc[MK_GROWTH_MODELS];
    struct mk_growth_fit fit[MK_GROWTH_MODELS];
    const struct mk_growth_points p = {POINTS, horizon, y, se, regret};
    for (size_t i = 0; i < POINTS; i++) {
        const double t = round(pow(10, 2 + 0.5 * (double)i));
        horizon[i] = (uint64_t)t;
        y[i] = of(t);
        se[i] = i % 3 ? 0.001 * y[i] : 0.2 * y[i];
    }
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        mk_growth_fit(&p, (enum mk_growth_model)m, &fit[m]);
        aicc[m] = fit[m].aicc;
    }
    CHECK(mk_growth_least_aicc(aicc) == model && fit[model].used == POINTS, "%s is chosen",
          mk_growth_model_name(model, regret));
    CHECK_CLOSE(fit[model].a, 2.5, 1e-9, "its constant");
    return fit[model];
}

static void test_exact_fits(void)
{
    check_exact_fit(false, MK_GROWTH_LOG, pulls_log);
    check_exact_fit(false, MK_GROWTH_SQRT_LOG, pulls_sqrt_log);
    CHECK_CLOSE(check_exact_fit(false, MK_GROWTH_POWER, pulls_power).c, 0.293, 1e-9, "its exponent");
    check_exact_fit(true, MK_GROWTH_LOG, regret_log);
    check_exact_fit(true, MK_GROWTH_SQRT_LOG, regret_sqrt_log);
    CHECK_CLOSE(check_exact_fit(true, MK_GROWTH_POWER, regret_power).c, -0.7, 1e-9, "its exponent");
}

/* AICc with the scale counted (Burnham & Anderson 2002, p. 63): Python, n log(RSS / n) + 2k + 2k (k + 1) / (n - k - 1),
 * k = 2 and 3, of least squares of log y by hand; all points weigh the same. */
static void test_criterion(void)
{
    const uint64_t horizon[] = {100, 1000, 10000, 100000, 1000000};
    const double y[] = {11, 14, 21, 26, 30}, se[] = {NAN, NAN, NAN, NAN, NAN};
    static const double want[] = {-18.996423931086653, 14.951289253338851, 2.2724194903738812};
    struct mk_growth_points p = {5, horizon, y, se, 0};
    double aicc[MK_GROWTH_MODELS];
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        struct mk_growth_fit fit;
        mk_growth_fit(&p, (enum mk_growth_model)m, &fit);
        aicc[m] = fit.aicc;
        CHECK_CLOSE(fit.aicc, want[m], 1e-9, "AICc of %s, five points",
                    mk_growth_model_name((enum mk_growth_model)m, 0));
    }
    CHECK(mk_growth_least_aicc(aicc) == MK_GROWTH_LOG, "the exponent of a T^c does not pay for itself");
}

/* Points without a logarithm, of any model's value, and horizons below 2 are left out as if they were not there. */
static void test_left_out(void)
{
    const uint64_t horizon[] = {100, 50, 1000, 10000, 1, 100000, 7, 1000000};
    const double y[] = {11, 0, 14, 21, 5, 26, -3, 30}, se[] = {1, 1, 1, 2, 1, 1, 1, 3};
    const uint64_t kept_horizon[] = {100, 1000, 10000, 100000, 1000000};
    const double kept_y[] = {11, 14, 21, 26, 30}, kept_se[] = {1, 1, 2, 1, 3};
    for (int m = 0; m < MK_GROWTH_MODELS; m++) {
        struct mk_growth_fit all, kept;
        mk_growth_fit(&(struct mk_growth_points){8, horizon, y, se, 0}, (enum mk_growth_model)m, &all);
        mk_growth_fit(&(struct mk_growth_points){5, kept_horizon, kept_y, kept_se, 0}, (enum mk_growth_model)m, &kept);
        CHECK(all.used == 5 && all.a == kept.a && all.se_log_a == kept.se_log_a && all.aicc == kept.aicc &&
                  (m != MK_GROWTH_POWER || (all.c == kept.c && all.se_c == kept.se_c)),
              "%s: 5 of 8 points, a = %g, without the others %g", mk_growth_model_name((enum mk_growth_model)m, 0),
              all.a, kept.a);
    }
}

/* Errors as large as the values and larger: the weights are all below 1, and only their ratios count. */
static void test_large_errors(void)
{
    const uint64_t horizon[] = {100, 1000, 10000, 100000, 1000000};
    double y[5], se[5];
    struct mk_growth_fit fit;
    for (size_t i = 0; i < 5; i++) {
        y[i] = 3 * pow((double)horizon[i], 0.25);
        se[i] = (double)(i + 1) * y[i];
    }
    mk_growth_fit(&(struct mk_growth_points){5, horizon, y, se, 0}, MK_GROWTH_POWER, &fit);
    CHECK_CLOSE(fit.c, 0.25, 1e-12, "the exponent");
    CHECK_CLOSE(fit.a, 3, 1e-12, "the constant");
}

/* Normal noise of known size, 400 times: the 95 % interval holds the exponent in 380 ± 4.4 of them; the limits are 5.3
 * standard deviations off, false alarm below 1e-6. Weighted by hand: points of large error hardly count. */
static void test_noisy_fits(void)
{
    enum { RUNS = 400 };
    uint64_t horizon[POINTS];
    double y[POINTS], se[POINTS];
    struct mk_pcg64 g;
    struct mk_growth_fit fit;
    struct mk_growth_points p = {POINTS, horizon, y, se, 0};
    int inside = 0;
    mk_pcg64_from_key(&g, mk_key_text(mk_key_start(), "test_rates"));
    for (int run = 0; run < RUNS; run++) {
        for (size_t i = 0; i < POINTS; i++) {
            double z = sqrt(-2 * log(mk_uniform(&g))) * cos(2 * M_PI * mk_uniform(&g));
            horizon[i] = (uint64_t)pow(10, 2 + 0.5 * (double)i);
            y[i] = 3 * pow((double)horizon[i], 0.4) * exp(0.05 * z);
            se[i] = 0.05 * y[i];
        }
        mk_growth_fit(&p, MK_GROWTH_POWER, &fit);
        inside += fabs(fit.c - 0.4) < 1.959964 * fit.se_c;
    }
    /* se_c is never below what the errors say, so the interval holds it a little more often than 95 %. */
    CHECK(inside >= 357 && inside <= 400, "95 %% intervals hold the exponent: %d of %d", inside, RUNS);
    y[POINTS - 1] *= 50;
    se[POINTS - 1] = 100 * y[POINTS - 1];
    double before = fit.c;
    mk_growth_fit(&p, MK_GROWTH_POWER, &fit);
    CHECK(fabs(fit.c - before) < 0.01, "a point of large error hardly counts");
    for (size_t i = 0; i < POINTS - 4; i++) y[i] = i % 2 ? NAN : -1;
    mk_growth_fit(&p, MK_GROWTH_POWER, &fit);
    CHECK(fit.used == 4 && isnan(fit.a) && isnan(fit.c) && isnan(fit.aicc), "too few points: no fit");
}

static void test_bootstrap(void)
{
    enum { N = 1000, SAMPLES = 400 };
    static uint64_t pulls[N * 2];
    static double max_reward[N], mean[SAMPLES * 3], median[SAMPLES * 3], again[SAMPLES * 3], ignored[SAMPLES * 3];
    struct mk_error err = {0, ""};
    for (size_t i = 0; i < N; i++) {
        pulls[2 * i] = i; /* mean 499.5, standard deviation of the mean sqrt((N^2 - 1) / 12 / N) = 9.129 by hand */
        pulls[2 * i + 1] = 7;
        max_reward[i] = -(double)i;
    }
    CHECK(mk_growth_bootstrap(pulls, max_reward, N, 2, 42, SAMPLES, mean, median, &err) == MK_OK, "bootstrap");
    int constant = 1, mirrored = 1;
    for (size_t s = 0; s < SAMPLES; s++) {
        constant &= mean[3 * s + 1] == 7 && median[3 * s + 1] == 7;
        mirrored &= fabs(mean[3 * s] + mean[3 * s + 2]) < 1e-9 && fabs(median[3 * s] + median[3 * s + 2]) < 1e-9;
    }
    CHECK(constant, "a constant column stays so");
    CHECK(mirrored, "every column sees the same resample");
    /* The standard deviation of 400 values has relative error 1 / sqrt(800) = .035: 5 of them, false alarm 6e-7; that
     * of medians of a uniform sample is sqrt(N) / 2 = 15.8 in the limit, here within a quarter. */
    CHECK_CLOSE(mk_growth_deviation(mean, SAMPLES, 3), 9.129, 0.177, "spread of means");
    CHECK_CLOSE(mk_growth_deviation(median, SAMPLES, 3), 15.81, 0.25, "spread of medians");
    static const uint64_t two[] = {0, 10};
    bool between = false;
    mk_growth_bootstrap(two, max_reward, 2, 1, 42, SAMPLES, again, ignored, &err);
    for (size_t s = 0; s < SAMPLES; s++) between |= ignored[2 * s] == 5;
    CHECK(between, "the median of 0 and 10 is 5");
    mk_growth_bootstrap(pulls, max_reward, N, 2, 42, SAMPLES, again, ignored, &err);
    CHECK(memcmp(mean, again, sizeof mean) == 0, "the same seed, the same resamples");
    mk_growth_bootstrap(pulls, max_reward, N, 2, 43, SAMPLES, again, ignored, &err);
    CHECK(memcmp(mean, again, sizeof mean) != 0, "another seed, others");
    double value[41], low, high;
    for (int i = 0; i < 41; i++) value[i] = 40 - i;
    mk_growth_interval(value, 41, &low, &high);
    CHECK(low == 1 && high == 39, "percentiles .025 and .975 of 0 … 40");
    for (int i = 0; i < 41; i++) value[i] = i < 25 ? (double)NAN : (double)i;
    mk_growth_interval(value, 41, &low, &high);
    CHECK(isnan(low) && isnan(high), "no interval from 16 values");
}

int main(void)
{
    test_exponents();
    test_exact_fits();
    test_criterion();
    test_left_out();
    test_large_errors();
    test_noisy_fits();
    test_bootstrap();
    return CHECK_EXIT;
}

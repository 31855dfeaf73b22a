/* L and U of Lemma 3.3: known distributions, samples, bands, the published Table C.3. */
#include "analysis/theory/lu.h"
#include "analysis/theory/published_lu.h"

#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "sim/base/statistics.h"
#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"

enum { FULL, TRIMMED };

static struct mk_lu lu_of(const struct mk_dist *d, int range, double upper)
{
    struct mk_lu lu = {NAN, NAN, NAN, NAN};
    struct mk_error err;
    int code = range == FULL ? mk_lu_exact(d, upper, &lu, &err) : mk_lu_trimmed(d, upper, &lu, &err);
    if (code) CHECK(0, "%s: %s", d->type->name, err.text);
    return lu;
}

static void check_lu(const struct mk_dist *d, int range, double L, double U, const char *what)
{
    struct mk_lu lu = lu_of(d, range, NAN);
    CHECK_CLOSE(lu.L, L, 1e-8, "L, %s, %s", range == FULL ? "full" : "trimmed", what);
    CHECK_CLOSE(lu.U, U, 1e-8, "U, %s, %s", range == FULL ? "full" : "trimmed", what);
}

/* mpmath, 30 digits: golden section around every local extremum of a grid of 3000 points in eps and log eps; the limit
 * at eps -> 0 is the density at b. To four digits these are the constants listed for Table C.3's arms. */
static void test_truncated_gaussians(void)
{
    static const struct {
        double mu, sigma, lo, hi, L, U, L_trimmed, U_trimmed;
    } known[] = {
        {.25, .5, 0, 1, 0.4146850397604, 1.0, 0.42935783452767105, 0.99882223443659855},
        {.5, .5, 0, 1, 0.7088749052266, 1.0406601379980555, 0.71873641915156841, 1.0406601379980555},
        {.75, .5, 0, 1, 1.0, 1.2387378690170872, 1.0136075236585255, 1.2387378690170872},
        {.25, .2, 0, 1, 0.0019714343092814649, 1.0, 0.036083971531468499, 0.99950297941363036},
        {.5, .2, 0, 1, 0.0887436390646081, 1.2080869563823384, 0.13977418917514549, 1.2080869563823384},
        {.75, .2, 0, 1, 1.0, 1.8741317054416304, 1.0517785379814859, 1.8741317054416304},
        {3, .5, 2, 5, 0.00027390039645518, 0.34876431415904795, 0.012003153356076175, 0.34876431415904795},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_dist *d = NULL;
        struct mk_error err = {0, ""};
        char what[64];
        int code = mk_dist_make(&d, "truncated_gaussian", &err, known[i].mu, known[i].sigma, known[i].lo, known[i].hi);
        snprintf(what, sizeof what, "truncated Gaussian %g, %g", known[i].mu, known[i].sigma);
        CHECK(code == MK_OK, "%s %s", what, err.text);
        if (code) continue;
        check_lu(d, FULL, known[i].L, known[i].U, what);
        check_lu(d, TRIMMED, known[i].L_trimmed, known[i].U_trimmed, what);
        mk_dist_free(d);
    }
}

/* mpmath, 30 digits: L the density at b, U the root of the derivative. The incomplete gamma function of the parent
 * rounds G to noise of either sign within 1e-15 of b. */
static void test_truncated_wrapper(void)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    int code = mk_dist_make(&d, "generalized_normal", &err, .6, .2, .3);
    if (!code) code = mk_dist_wrap(&d, "truncated", -2, 1.1, NULL, &err);
    CHECK(code == MK_OK, "truncated generalised normal %s", err.text);
    if (!code) check_lu(d, FULL, 0.204415788608728960879, 0.554640714694298665376, "truncated generalised normal");
    mk_dist_free(d);
}

/* The same computation in mpmath; limits by hand: f(b) of a power arm is a s^a, of beta(a, 1) it is a. The toy
 * functions of Table C.2 by hand: 1 - x^2 has the ratio 2 - eps, (1 - x)^2 the ratio eps. */
static void test_families(void)
{
    static const struct {
        const char *family;
        double p, q, L, U, L_trimmed, U_trimmed;
    } known[] = {
        {"uniform", -1, 3, .25, .25, .25, .25},
        {"power", 3, 1.01, 1.030301, 3.090903, 1.3000949577260548, 3.0805769792184199},
        {"power", 5, 1.1, 1.61051, 8.05255, 2.6489847062411522, 8.0202750554477747},
        {"power", .5, 1, .5, 1, 0.50251256281407035, 0.9900990099009901},
        {"power", 2, 1, 1, 2, 1.1, 1.99498743710661995},
        {"beta", 1, 2, 0, 1, .1, 0.99498743710661995},
        {"beta", 2, 2, 0, 1.125, 0.16977024852557675, 1.125},
        {"beta", .5, .5, 0.8785672057848516, INFINITY, 0.8785672057848516, 40.531806954768291},
        {"beta", 5, 1.5, 0, 2.4722172493479823, 0.91762447071581019, 2.4722172493479823},
        {"beta", .3, 1, .3, 1, 0.3035254044976632, 0.99000021328908026},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_dist *d = NULL;
        struct mk_error err = {0, ""};
        char what[64];
        int code = mk_dist_make(&d, known[i].family, &err, known[i].p, known[i].q);
        snprintf(what, sizeof what, "%s %g, %g", known[i].family, known[i].p, known[i].q);
        CHECK(code == MK_OK, "%s %s", what, err.text);
        if (code) continue;
        check_lu(d, FULL, known[i].L, known[i].U, what);
        check_lu(d, TRIMMED, known[i].L_trimmed, known[i].U_trimmed, what);
        mk_dist_free(d);
    }
}

static struct mk_dist *make(const char *family, double p, double q)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    size_t n = mk_param_count(mk_dist_type_find(family)->params);
    int code = n == 1 ? mk_dist_make(&d, family, &err, p) : mk_dist_make(&d, family, &err, p, q);
    if (code) CHECK(0, "%s: %s", family, err.text);
    return d;
}

static struct mk_dist *make_mixture(const double *weights, struct mk_dist **parts, size_t n)
{
    struct mk_dist_spec spec = {
        .type = mk_dist_type_find("mixture"), .n_values = n, .values = weights, .n_parts = n, .parts = parts};
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    int param;
    mk_param_defaults(spec.type->params, spec.v);
    int code = mk_dist_new(&d, &spec, &param, &err);
    if (code) CHECK(0, "mixture: %s", err.text);
    return d;
}

static struct mk_dist *make_empirical(const double *values, size_t n)
{
    struct mk_dist_spec spec = {.type = mk_dist_type_find("empirical"), .n_values = n, .values = values};
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    int param;
    mk_param_defaults(spec.type->params, spec.v);
    int code = mk_dist_new(&d, &spec, &param, &err);
    if (code) CHECK(0, "empirical: %s", err.text);
    return d;
}

/* .3 U(0, .2) + .7 U(.6, 1), by hand: f(1) = 1.75; on the flat stretch .7 / eps falls to .7 / .8 at eps = .8. */
static void test_mixture(void)
{
    struct mk_dist *parts[2] = {make("uniform", 0, .2), make("uniform", .6, 1)};
    struct mk_dist *d = make_mixture((const double[]){.3, .7}, parts, 2);
    if (!d) return;
    check_lu(d, FULL, 0.875, 1.75, "mixture of uniforms");
    check_lu(d, TRIMMED, 0.875, 1.75, "mixture of uniforms");
    CHECK_CLOSE(lu_of(d, FULL, NAN).eps_L, 0.8, 1e-4, "where L is attained");
    mk_dist_free(d);
}

/* .9 U(-1, 0) + .1 U(-2e-12, -1e-12), by hand: the ratio is .9 near b = 0, largest where the narrow component ends, and
 * falls to 1. The component lies nearer to b than points spread over the distance to b, so those spread over the
 * probability must find it. Minimisers locate a kink to the root of the precision of doubles. */
static void test_narrow_mass(void)
{
    struct mk_dist *parts[2] = {make("uniform", -1, 0), make("uniform", -2e-12, -1e-12)};
    struct mk_dist *d = make_mixture((const double[]){.9, .1}, parts, 2);
    if (!d) return;
    struct mk_lu lu = lu_of(d, FULL, NAN);
    CHECK_CLOSE(lu.L, 0.9, 1e-8, "L, a narrow mass near b");
    CHECK_CLOSE(lu.U, 0.9 + 0.1 / 2e-12, 1e-7, "U, a narrow mass near b");
    mk_dist_free(d);
}

/* -Beta(1, 2), b = 0: G(-eps) = 2 eps - eps^2, so that the ratio falls from 2 at eps = 0 to 1. */
static void test_turned_beta(void)
{
    struct mk_dist *part = make("beta", 1, 2);
    struct mk_dist_spec spec = {.type = mk_dist_type_find("affine"), .n_parts = 1, .parts = &part};
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    int param;
    mk_param_defaults(spec.type->params, spec.v);
    spec.v[mk_param_find(spec.type->params, "factor")] = -1;
    int code = mk_dist_new(&d, &spec, &param, &err);
    CHECK(!code, "-Beta(1, 2) %s", err.text);
    if (!code) check_lu(d, FULL, 1, 2, "-Beta(1, 2)");
    mk_dist_free(d);
}

/* The .99 quantile is a point mass of weight .19, right above which G is 1e-4: the trimmed range begins on the mass,
 * not an ulp away. mpmath, 30 digits: G at -.11 * .4868 - .05 over b - that, b = .55 - .54 * .0948 = .498808. */
static void test_trimmed_to_mass(void)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    int code = mk_experiment_read(&e, "tests/reference/audit/trimmed_atom.yaml", NULL, 0, MK_NEED_PROBLEM, &err);
    CHECK(!code, "trimmed_atom.yaml %s", err.text);
    if (code) return;
    struct mk_lu lu = lu_of(e->problem->dist[0], TRIMMED, NAN);
    CHECK_CLOSE(lu.L, 0.304252228472672958, 1e-9, "trimmed L of a mixture whose .99 quantile is a point mass");
    CHECK_CLOSE(lu.eps_L, 0.602356, 1e-12, "approached at the mass");
    mk_experiment_free(e);
}

/* By hand. Bernoulli(p): G(1 - eps) = p for eps < 1, so U = inf and L = p, approached at eps = 1.
 * Empirical {0, .5, 1}: b = 1 an atom; just before eps = 1/2 the ratio is (1/3)/(1/2) = 2/3, just
 * before 1 it is 2/3. */
static void test_atoms(void)
{
    struct mk_dist *d = make("bernoulli", .3, NAN);
    check_lu(d, FULL, .3, INFINITY, "Bernoulli(.3)");
    CHECK(lu_of(d, FULL, NAN).eps_U == 0 && lu_of(d, FULL, NAN).eps_L == 1, "where they are approached");
    mk_dist_free(d);
    d = make_empirical((const double[]){0, .5, 1}, 3);
    check_lu(d, FULL, 2. / 3, INFINITY, "three atoms");
    struct mk_lu lu = lu_of(d, FULL, 1.25);
    CHECK_CLOSE(lu.U, 4. / 3, 1e-15, "U, three atoms, b = 1.25: (1/3) / .25");
    CHECK(lu.L == 0, "L, three atoms, b = 1.25: no mass near b");
    mk_dist_free(d);
    d = make("dirac", 2, NAN);
    lu = lu_of(d, FULL, NAN);
    CHECK(lu.L == INFINITY && lu.U == INFINITY, "a constant arm has no limit");
    lu = lu_of(d, FULL, 2.5);
    CHECK(lu.L == 0 && lu.U == 2, "a constant arm below b: 0 and 1 / (b - a)");
    mk_dist_free(d);
}

/* Exact values of an empirical arm are those of its sample over the same range. */
static void test_empirical_agrees(void)
{
    enum { N = 4000 };
    static double x[N];
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_start(), "lu empirical"));
    for (int i = 0; i < N; i++) x[i] = floor(3000 * pow(mk_uniform(&rng), .4)) / 3000;
    mk_sort_values(x, N);
    struct mk_dist *d = make_empirical(x, N);
    if (!d) return;
    for (int k = 0; k < 2; k++) {
        double upper = k ? 1.5 : NAN;
        struct mk_lu want, got = lu_of(d, TRIMMED, upper);
        mk_lu_plugin(x, N, upper, mk_eps_range_trimmed(d, upper), &want);
        CHECK(got.L == want.L && got.U == want.U && got.eps_U == want.eps_U, "trimmed of an empirical arm, %s b",
              k ? "given" : "own");
        mk_lu_plugin(x, N, upper, (struct mk_eps_range){0, (k ? 1.5 : x[N - 1]) - x[0]}, &want);
        got = lu_of(d, FULL, upper);
        CHECK(got.L == want.L && got.U == want.U, "exact of an empirical arm, %s b", k ? "given" : "own");
    }
    mk_dist_free(d);
}

static void test_unbounded(void)
{
    struct mk_dist *d = make("pareto", 1.1, 1);
    struct mk_lu lu = lu_of(d, FULL, NAN), trimmed = lu_of(d, TRIMMED, NAN);
    CHECK(isnan(lu.L) && isnan(lu.U) && isnan(trimmed.L) && isnan(trimmed.U), "an infinite end: not applicable");
    CHECK(isnan(mk_eps_range_trimmed(d, NAN).lo), "nor is there a range");
    mk_dist_free(d);
    d = make("uniform", 0, 2);
    struct mk_error err = {0, ""};
    CHECK(mk_lu_exact(d, 1.5, &lu, &err) == MK_EINPUT, "b below the arm's own end: %s", err.text);
    lu = lu_of(d, FULL, 4);
    CHECK_CLOSE(lu.U, .25, 1e-9, "uniform on [0, 2], b = 4: U = 1 / (b - a)");
    CHECK(lu.L == 0 && isnan(lu_of(d, FULL, INFINITY).L), "L = 0; b = inf not applicable");
    mk_dist_free(d);
    /* G = e^{2x} below 0: f(0) = 2, and the ratio falls to 0 without end. Trimmed: mpmath as above. */
    d = make("negative_exponential", 2, NAN);
    check_lu(d, FULL, 0, 2, "negative exponential");
    check_lu(d, TRIMMED, 0.42995153708421931, 1.9899832494684435, "negative exponential");
    mk_dist_free(d);
}

/* L eps <= G(b - eps) <= U eps at random eps, and L <= 1 / (b - a) <= U, for bounded arms of many shapes. */
static void test_defining_inequality(void)
{
    static const struct {
        const char *family;
        double p, q;
    } arms[] = {{"power", 4, 1.01}, {"power", .2, .7}, {"beta", 2, 3},  {"beta", .7, 4},   {"beta", 30, 30},
                {"beta", 1, 1},     {"beta", 200, 2},  {"beta", 2, 90}, {"uniform", 0, 7}, {"bernoulli", .999, NAN}};
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_start(), "lu inequality"));
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++) {
        struct mk_dist *d = make(arms[i].family, arms[i].p, arms[i].q);
        if (!d) continue;
        double a, b, worst = 0;
        mk_dist_support(d, &a, &b);
        struct mk_lu lu = lu_of(d, FULL, NAN);
        for (int j = 0; j < 20000; j++) {
            double u = mk_uniform(&rng), eps = (b - a) * (j % 2 ? u : exp(-14 * u)), x = b - eps;
            double ratio = mk_dist_survival(d, x) / (b - x);
            worst = fmax(worst, fmax(ratio / lu.U - 1, lu.L > 0 ? 1 - ratio / lu.L : 0));
        }
        CHECK(worst < 1e-8, "L eps <= G(b - eps) <= U eps, %s %g %g (L %g, U %g, worst %.1e)", arms[i].family,
              arms[i].p, arms[i].q, lu.L, lu.U, worst);
        CHECK(lu.L <= (1 + 1e-12) / (b - a) && lu.U >= (1 - 1e-12) / (b - a), "L <= 1/(b-a) <= U");
        mk_dist_free(d);
    }
}

static void check_sample(const double *v, size_t n, double upper, struct mk_lu want, const char *what)
{
    struct mk_lu lu;
    mk_lu_plugin(v, n, upper, mk_eps_range_sample(v, n, upper), &lu);
    CHECK_CLOSE(lu.L, want.L, 1e-13, "L, %s", what);
    CHECK_CLOSE(lu.U, want.U, 1e-13, "U, %s", what);
    CHECK(fabs(lu.eps_L - want.eps_L) < 1e-13 && fabs(lu.eps_U - want.eps_U) < 1e-13, "where, %s", what);
}

static const double eight[] = {.125, .25, .25, .5, .75, .75, .875, .9375};

static void thousand(double *v)
{
    for (int i = 1; i <= 1000; i++) v[i - 1] = (i * 7919 % 1009) / 1009.0;
    mk_sort_values(v, 1000);
}

/* Python: values at all breakpoints and both one-sided limits of every open interval between them; numpy.quantile. */
static void test_plugin(void)
{
    static const double tied[] = {.125, .25, .25, .5, .75, .75, .875, .875}, equal[] = {.5, .5, .5, .5, .5};
    static double v[1000];
    thousand(v);
    check_sample(eight, 8, NAN, (struct mk_lu){0.9090909090909091, 28.571428571428456, 0.6875, 0.004375}, "8 values");
    check_sample(eight, 8, 1, (struct mk_lu){0.8333333333333334, 2, 0.75, 0.125}, "8 values, b = 1");
    check_sample(tied, 8, NAN, (struct mk_lu){1, INFINITY, 0.625, 0}, "ties at the top: U without limit");
    check_sample(tied, 8, 1, (struct mk_lu){0.8333333333333334, 2, 0.75, 0.125}, "ties at the top, b = 1");
    check_sample(equal, 5, NAN, (struct mk_lu){INFINITY, INFINITY, 0, 0}, "a constant sample");
    check_sample(equal, 5, 1, (struct mk_lu){2, 2, .5, .5}, "a constant sample, b = 1");
    check_sample(equal, 1, NAN, (struct mk_lu){INFINITY, INFINITY, 0, 0}, "one value");
    check_sample(v, 1000, NAN,
                 (struct mk_lu){0.9979120879120879, 1.1099000000000014, 0.09018830525272548, 0.009910802775024763},
                 "1000 values");
    check_sample(v, 1000, 1,
                 (struct mk_lu){0.9172727272727267, 1.009000000000003, 0.010901883052527261, 0.013875123885034646},
                 "1000 values, b = 1");
    struct mk_lu lu;
    mk_lu_paper_c3(v, 1000, &lu);
    CHECK_CLOSE(lu.L, 1.0110119137082796, 1e-12, "L as Table C.3 has it");
    CHECK_CLOSE(lu.U, 1.9280254777070067, 1e-12, "U as Table C.3 has it");
    CHECK(fabs(lu.eps_L - 0.9891080277502478) < 1e-12 && fabs(lu.eps_U - 0.01089197224975) < 1e-12, "where");
    static const double negative[] = {-2, -1};
    mk_lu_paper_c3(negative, 2, &lu);
    CHECK(isnan(lu.L) && isnan(lu.U), "Table C.3's form has no meaning for negative rewards");
}

/* The same Python with Ghat shifted by the band and clamped to [0, 1]. */
static void test_band(void)
{
    static double v[1000];
    struct mk_lu_interval i;
    thousand(v);
    CHECK_CLOSE(mk_dkw_band(8, .95), 0.48016139565996035, 1e-14, "band of 8 values");
    mk_lu_band(eight, 8, 1, (struct mk_eps_range){.0625, .75}, .95, &i);
    CHECK(i.L_low == 0, "8 values: L may be 0");
    CHECK_CLOSE(i.L_high, 1.3333333333333333, 1e-13, "8 values: L_high");
    CHECK_CLOSE(i.U_low, 0.5264514724533862, 1e-13, "8 values: U_low");
    CHECK_CLOSE(i.U_high, 9.682582330559367, 1e-13, "8 values: U_high");
    mk_lu_band(v, 1000, 1, (struct mk_eps_range){.05, .9}, .9, &i);
    CHECK_CLOSE(i.L_low, 0.22351772387317792, 1e-12, "1000 values: L_low");
    CHECK_CLOSE(i.L_high, 1.0431173965665947, 1e-12, "1000 values: L_high");
    CHECK_CLOSE(i.U_low, 0.9582141012307621, 1e-12, "1000 values: U_low");
    CHECK_CLOSE(i.U_high, 1.774697962401334, 1e-12, "1000 values: U_high");
}

/* Samples of a truncated Gaussian over the known trimmed range. The band covers both constants in at least 95 % of
 * samples: more than 30 misses of 300 would happen by chance with probability below 2e-4. */
static void test_coverage(void)
{
    enum { RUNS = 300, N = 400, RESAMPLES = 200 };
    static double v[N], L[RUNS];
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    if (mk_dist_make(&d, "truncated_gaussian", &err, .5, .5, 0., 1.)) {
        CHECK(0, "%s", err.text);
        return;
    }
    struct mk_lu truth = lu_of(d, TRIMMED, NAN);
    struct mk_eps_range range = mk_eps_range_trimmed(d, NAN);
    int misses = 0;
    double width = 0;
    for (int r = 0; r < RUNS; r++) {
        struct mk_pcg64 rng;
        struct mk_lu_interval i;
        struct mk_lu lu;
        mk_pcg64_from_key(&rng, mk_key_word(mk_key_text(mk_key_start(), "lu coverage"), (uint64_t)r));
        d->type->sample(d, &rng, N, v);
        mk_sort_values(v, N);
        mk_lu_band(v, N, 1, range, .95, &i);
        misses += !(i.L_low <= truth.L && truth.L <= i.L_high && i.U_low <= truth.U && truth.U <= i.U_high);
        mk_lu_plugin(v, N, 1, mk_eps_range_sample(v, N, 1), &lu);
        L[r] = lu.L;
        if (r % 15) continue;
        if (mk_lu_bootstrap(v, N, 1, .95, RESAMPLES, &rng, &i, &err)) CHECK(0, "%s", err.text);
        width += (i.L_high - i.L_low) * 15 / RUNS;
    }
    CHECK(misses <= 30, "the band misses L or U in %d of %d samples", misses, RUNS);
    mk_sort_values(L, RUNS);
    double spread = mk_quantile_sorted(L, RUNS, .975) - mk_quantile_sorted(L, RUNS, .025);
    CHECK(width > 0.6 * spread && width < 1.6 * spread, "bootstrap intervals are as wide as L varies: %.3f, %.3f",
          width, spread);
    mk_dist_free(d);
}

static void test_bootstrap(void)
{
    struct mk_pcg64 rng;
    struct mk_lu_interval a, b;
    struct mk_error err = {0, ""};
    for (int i = 0; i < 2; i++) {
        mk_pcg64_from_key(&rng, mk_key_text(mk_key_start(), "lu bootstrap"));
        int code = mk_lu_bootstrap(eight, 8, NAN, .9, 99, &rng, i ? &b : &a, &err);
        if (code) CHECK(0, "%s", err.text);
    }
    CHECK(a.L_low == b.L_low && a.L_high == b.L_high && a.U_low == b.U_low && a.U_high == b.U_high,
          "a fixed seed repeats");
    CHECK(a.L_low <= a.L_high && a.U_low <= a.U_high && a.U_high == INFINITY,
          "resamples with ties at the top have U = inf");
}

/* Scaled and shifted arms whose end points are not representable as doubles: the limits eps -> 0 and the point masses
 * are preserved. By hand (uniform, beta(3, 1): U = 3 / .7, 1 - exponential of mean 2, Bernoulli) and SciPy (log-normal
 * cut at 60, density over mass over factor). */
static void test_affine(void)
{
    static const struct {
        const char *family;
        double p, q, cut, factor, shift, L, U;
    } known[] = {
        {"uniform", 0, 1, NAN, .1, .2, 10, 10},
        {"uniform", 0, 1, NAN, -.016, 11.1, 62.5, 62.5},
        {"beta", 3, 1, NAN, .7, -3, 1 / .7, 3 / .7},
        {"weibull", 1, 2, NAN, -1, .3, 0, .5},
        {"bernoulli", .3, NAN, NAN, .1, .2, 3, INFINITY},
        {"lognormal", 3.5, .5, 60, .016, 0, 0.46453800694042557, 1.3036937491228737},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_dist *d = make(known[i].family, known[i].p, known[i].q);
        struct mk_error err = {0, ""};
        char what[64];
        int code = isnan(known[i].cut) ? MK_OK : mk_dist_wrap(&d, "truncated", 0, known[i].cut, NULL, &err);
        if (!code) code = mk_dist_wrap(&d, "affine", known[i].shift, known[i].factor, NULL, &err);
        snprintf(what, sizeof what, "%g + %g %s", known[i].shift, known[i].factor, known[i].family);
        CHECK(!code, "%s%s", what, err.text);
        if (!code) check_lu(d, FULL, known[i].L, known[i].U, what);
        mk_dist_free(d);
    }
}

/* Published Tables C.2 and C.3 (Balef et al. 2025), two digits. Means of 1000 runs within 4 standard errors of ours and
 * the rounding, deviations within 15 % and the rounding: with 24 numbers a false alarm about once in 30 seeds. */
static void test_published(void)
{
    const struct mk_published_lu *p;
    const double digit = mk_published_rounding, root = sqrt(MK_PUBLISHED_RUNS);
    for (size_t i = 0; (p = mk_published_lu_at(i)) != NULL; i++) {
        struct mk_dist *d = NULL;
        struct mk_error err = {0, ""};
        struct mk_lu_runs r = {NAN, NAN, NAN, NAN};
        char what[64];
        snprintf(what, sizeof what, "Table %s, %s %g, %g", p->table, p->family, p->v[0], p->v[1]);
        int code = mk_dist_make(&d, p->family, &err, p->v[0], p->v[1], p->v[2], p->v[3]);
        if (!code)
            code = mk_published_lu_repeat(p, d, MK_PUBLISHED_SAMPLES, MK_PUBLISHED_RUNS, mk_key_word(mk_key_start(), i),
                                          &r, &err);
        CHECK(!code && mk_published_lu_find(d) == p, "%s is found by its distribution%s", what, err.text);
        double low = NAN, high = NAN;
        if (!code) mk_dist_support(d, &low, &high);
        CHECK(low == 0 && high == 1, "%s: on [0, 1]", what);
        if (code) continue;
        double sd_L = isnan(r.sd_L) ? 0 : r.sd_L, sd_U = isnan(r.sd_U) ? 0 : r.sd_U;
        CHECK(fabs(r.mean_L - p->was.mean_L) <= 4 * sd_L / root + digit, "%s: mean L %.3f", what, r.mean_L);
        CHECK(fabs(r.mean_U - p->was.mean_U) <= 4 * sd_U / root + digit, "%s: mean U %.3f", what, r.mean_U);
        CHECK(isnan(r.sd_L) == isnan(p->was.sd_L) && isnan(r.sd_U) == isnan(p->was.sd_U), "%s: what has a spread",
              what);
        if (!isnan(p->was.sd_L)) {
            CHECK(fabs(r.sd_L - p->was.sd_L) <= .15 * r.sd_L + digit, "%s: sd of L %.3f", what, r.sd_L);
            CHECK(fabs(r.sd_U - p->was.sd_U) <= .15 * r.sd_U + digit, "%s: sd of U %.3f", what, r.sd_U);
        }
        mk_dist_free(d);
    }
    struct mk_dist *other = make("power", 2, 1.01);
    CHECK(mk_published_lu_find(other) == NULL, "other distributions have no published row");
    mk_dist_free(other);
}

int main(void)
{
    gsl_set_error_handler_off();
    test_plugin();
    test_band();
    test_bootstrap();
    test_truncated_gaussians();
    test_truncated_wrapper();
    test_families();
    test_mixture();
    test_atoms();
    test_narrow_mass();
    test_turned_beta();
    test_trimmed_to_mass();
    test_empirical_agrees();
    test_unbounded();
    test_defining_inequality();
    test_coverage();
    test_affine();
    test_published();
    return CHECK_EXIT;
}

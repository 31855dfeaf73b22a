/* E[M(n)]: quadrature against closed forms over all families, against known answers, infinite and refused cases. */
#include <gsl/gsl_errno.h>

#include "distributions/parts/tools.h"
#include "tests/support/check.h"
#include "tests/support/dist_cases.h"

/* E[M(n)] for n = 1, 10, 1e6, 1e12 computed with mpmath 1.2 at 22 digits: c + integral over x > c of 1 - F(x)^n minus
 * integral over x < c of F(x)^n, tanh-sinh between quantiles of M(n); nothing of this program took part. */
static const struct {
    const char *family;
    double v[4], value[4];
} known[] = {
    {"truncated_gaussian", {0.5, 0.2, 0, 1}, {0.5, 0.79179475388668616, 0.9999887331847259, 0.99999999998873159}},
    {"truncated_gaussian",
     {0, 1, 30, INFINITY},
     {30.033259667433677, 30.097338250043447, 30.475437845323201, 30.924976284945616}},
    {"truncated_gaussian",
     {0, 1, 1000, 1001},
     {1000.000999998, 1000.0029289602607, 1000.0143926079344, 1000.0282078099108}},
    {"truncated_gaussian",
     {0, 1, 1, 1.0001},
     {1.000049999166625, 1.0000909087120891, 1.0000999998999951, 1.0000999999999999}},
    {"truncated_gaussian",
     {2, 3, -INFINITY, -118},
     {-118.07490654162179, -118.00749485376721, -118.00000007495321, -118.00000000000007}},
    {"gaussian", {0, 1, NAN, NAN}, {0, 1.5387527308351729, 4.8628974861964627, 7.112463684767471}},
    {"gaussian", {1, 3.35, NAN, NAN}, {1.0, 6.1548216482978292, 17.290706578758151, 24.826753343971029}},
    {"beta", {2, 3, NAN, NAN}, {0.4, 0.7195839916624957, 0.99436557924884239, 0.99994374492012882}},
    {"beta",
     {0.05, 4, NAN, NAN},
     {0.012345679012345679, 0.094277887399553409, 0.91764576249954746, 0.9973509841593517}},
    {"lognormal", {1, 4, NAN, NAN}, {8103.083927575384, 79671.322633006979, 1630544792.0418326, 8607492493329.2436}},
    {"weibull", {0.3, 1, NAN, NAN}, {9.2605282681255489, 67.962886713551983, 7486.7266987605241, 68888.244605692824}},
    {"weibull", {12, 2, NAN, NAN}, {1.9165713643456651, 2.1732665390166854, 2.4969886265317685, 2.6415652348857516}},
    {"gev", {0, 0, 1, NAN}, {0.57721566490153286, 2.8798007578955785, 14.392726222865807, 28.208236780830081}},
    {"gev", {0.3, 1, 2, NAN}, {2.9870355509837185, 11.599739253173768, 540.3450304504379, 34445.342380146517}},
    {"gev", {-0.4, 1, 2, NAN}, {1.5636809124846235, 4.2338695603967806, 5.9823386956039675, 5.9999296890807858}},
    {"mixture", {1, NAN, NAN, NAN}, {-1.999995000005, -1.2305813284927223, 2.2314954941761419, 7.8628971849921447}},
    {"mixture", {4, NAN, NAN, NAN}, {2.0, 5.8579365079365079, 28.785453445731447, 56.416473561661162}},
    {"generalized_normal", {0.2, 0, 1, NAN}, {0, 56064.916372258559, 7161800.1484387171, 92700203.691596801}},
    {"generalized_normal", {1.6, -2, 0.5, NAN}, {-2.0, -1.3651387921167498, 0.40540028103544582, 1.8227430405567129}},
};

static const double counts[] = {1, 1.5, 2, 10, 1e3, 1e6, 1e9, 1e12, 1e15};
enum { N_COUNTS = sizeof counts / sizeof *counts };

static void closed_forms(void)
{
    for (size_t i = 0; i < N_DIST_CASES; i++) {
        struct mk_dist *d = dist_case_make(i);
        struct mk_error err = {0};
        char name[160];
        dist_case_name(d, name, sizeof name);
        int failed = 0, closed = 0;
        double worst = 0, at = 0, last = -INFINITY;
        int rises = 1;
        for (int k = 0; k < N_COUNTS; k++) {
            double value = NAN, exact = d->type->expected_max ? d->type->expected_max(d, counts[k]) : NAN;
            int code = mk_dist_expected_max_quadrature(d, counts[k], &value, &err);
            if (code) printf("# %s n=%g: %s\n", name, counts[k], err.text);
            if (!isnan(exact)) {
                closed++;
                double error = value == exact ? 0 : fabs(value - exact) / fabs(exact);
                if (!(error <= worst)) worst = error, at = counts[k];
            }
            failed += code != MK_OK;
            rises &= value >= last || value >= last - 1e-13 * fabs(last);
            last = value;
        }
        CHECK(failed == 0 && rises, "%s: E[M(n)] rises with n", name);
        if (closed)
            CHECK(worst <= 1e-10, "%s: quadrature and closed form agree (worst %.1e at n = %g)", name, worst, at);
        mk_dist_free(d);
    }
}

static void check_value(struct mk_dist *d, double n, double want, const char *origin)
{
    double value = NAN;
    struct mk_error err = {0};
    char name[160];
    int code = mk_dist_expected_max(d, n, &value, &err);
    double error = value == want ? 0
                                 : fabs(value - want) / fmax(fabs(want), 0.01 * (mk_dist_inverse_survival(d, 0.1) -
                                                                                 mk_dist_inverse_survival(d, 0.9)));
    CHECK(code == MK_OK && error < 1e-12, "%s: E[M(%g)] = %.15g, %s (%.1e)%s", dist_case_name(d, name, sizeof name), n,
          value, origin, error, err.text);
    mk_dist_free(d);
}

static struct mk_dist *wrapped(struct mk_dist *d, const char *wrapper, double first, double second)
{
    struct mk_error err = {0};
    CHECK(mk_dist_wrap(&d, wrapper, first, second, NULL, &err) == MK_OK, "wrapped as %s", wrapper);
    return d;
}

static void known_answers(void)
{
    static const double n[] = {1, 10, 1e6, 1e12};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double *v = known[i].v;
        for (int k = 0; k < 4; k++)
            check_value(strcmp(known[i].family, "mixture") == 0 ? dist_mixture((int)v[0])
                                                                : dist_simple(known[i].family, v[0], v[1], v[2], v[3]),
                        n[k], known[i].value[k], "mpmath");
    }
}

/* log of the product of integers from .. to - 1, which is Gamma(to) / Gamma(from). */
static double log_product(int from, int to)
{
    double sum = 0;
    for (int k = from; k < to; k++) sum += log(k);
    return sum;
}

/* On both sides of 20, where one method takes over from the other, and across. */
static void gamma_ratios(void)
{
    CHECK_CLOSE(mk_log_gamma_ratio(20, 20), log_product(20, 40), 3e-15, "Gamma(40) / Gamma(20)");
    CHECK_CLOSE(mk_log_gamma_ratio(20, 1), log(20), 3e-15, "Gamma(21) / Gamma(20)");
    CHECK_CLOSE(mk_log_gamma_ratio(25, -5), -log_product(20, 25), 3e-15, "Gamma(20) / Gamma(25)");
    CHECK_CLOSE(mk_log_gamma_ratio(25, -6), -log_product(19, 25), 3e-15, "Gamma(19) / Gamma(25)");
    CHECK_CLOSE(mk_log_gamma_ratio(19, 6), log_product(19, 25), 3e-15, "Gamma(25) / Gamma(19)");
}

static void by_hand(void)
{
    check_value(dist_simple("gaussian", 0, 1, NAN, NAN), 2, 1 / sqrt(M_PI), "1/sqrt(pi)");
    check_value(dist_simple("gaussian", 0, 1, NAN, NAN), 3, 1.5 / sqrt(M_PI), "3/(2 sqrt(pi))");
    check_value(dist_simple("lognormal", 1, 4, NAN, NAN), 1, exp(9), "exp(mu + sigma^2/2)");
    check_value(dist_simple("lognormal", 0, 15, NAN, NAN), 1, exp(112.5), "exp(mu + sigma^2/2)");
    check_value(dist_simple("exponential", NAN, 1, NAN, NAN), 10, 7381.0 / 2520, "the harmonic number");
    check_value(dist_lists("empirical", 6, (double[]){1, 2, 3, 4, 5, 6}, 0, NULL), 2, 161.0 / 36, "two dice");
    check_value(dist_mixture(0), 1, 2.2, "0.2 times the mean of Pareto(1.1)");
    for (double n = 1; n <= 1e4; n *= 100) {
        struct mk_dist *part[] = {dist_simple("uniform", 0, 1, NAN, NAN), dist_simple("dirac", 2, NAN, NAN, NAN)};
        check_value(dist_lists("mixture", 2, (double[]){0.999, 0.001}, 2, part), n,
                    2 - pow(0.999, n) * (2 - n / (n + 1)), "2 unless all n are uniform, then n/(n + 1)");
    }
    struct mk_dist *pareto = dist_simple("pareto", 0.7, 1, NAN, NAN);
    check_value(wrapped(pareto, "clipped", -INFINITY, 100), 1, 1 + (pow(100, 0.3) - 1) / 0.3, "integral of x^-0.7");
    pareto = dist_simple("pareto", 0.7, 3, NAN, NAN);
    check_value(wrapped(pareto, "affine", 0, -1), 2, -3 * 3.5, "minus the least of Pareto: -scale n a/(n a - 1)");
    pareto = dist_simple("pareto", 0.7, 1, NAN, NAN);
    check_value(wrapped(pareto, "affine", 0, -1), 1.5, -1.05 / 0.05, "minus the least of Pareto");
    pareto = dist_simple("pareto", 0.51, 1, NAN, NAN);
    check_value(wrapped(pareto, "affine", 0, -1), 2, -1.02 / 0.02, "minus the least of Pareto, n times exponent 1.02");
    pareto = dist_simple("pareto", 1.01, 1, NAN, NAN);
    check_value(wrapped(pareto, "truncated", 2, INFINITY), 1, 2 * 1.01 / 0.01, "Pareto from 2 on: scale a/(a - 1)");
    struct mk_dist *weibull = dist_simple("weibull", 0.5, 1, NAN, NAN);
    check_value(wrapped(weibull, "affine", 0, -1), 1e6, -2e-12, "minus the least of Weibull: -n^(-1/k) Gamma(1 + 1/k)");
    struct mk_dist *exponential = dist_simple("exponential", NAN, 1, NAN, NAN);
    check_value(wrapped(exponential, "affine", 5, -2), 4, 4.5, "shift - 2/n");
}

static void infinite_values(void)
{
    struct mk_dist *part[2] = {dist_simple("gaussian", 0, 1, NAN, NAN), dist_simple("gev", 1, 0, 1, NAN)};
    check_value(dist_simple("pareto", 1, 1, NAN, NAN), 5, INFINITY, "tail exponent 1");
    check_value(dist_simple("generalized_pareto", 1.2, 0, 1, NAN), 1, INFINITY, "tail exponent below 1");
    check_value(dist_simple("generalized_pareto", 1, 0, 1, NAN), 5, INFINITY, "shape 1");
    check_value(dist_lists("mixture", 2, (double[]){1, 1e-12}, 2, part), 1, INFINITY, "one heavy component");
    struct mk_dist *d = dist_simple("pareto", 0.7, 1, NAN, NAN);
    check_value(wrapped(d, "truncated", 10, INFINITY), 3, INFINITY, "truncated from below stays heavy");
    d = dist_simple("pareto", 0.7, 1, NAN, NAN);
    check_value(wrapped(d, "affine", 0, -1), 1, -INFINITY, "heavy lower tail");
    d = dist_simple("pareto", 0.5, 1, NAN, NAN);
    check_value(wrapped(d, "affine", 0, -1), 2, -INFINITY, "n times the exponent is 1");
}

static void refusals(void)
{
    struct mk_error err = {0};
    double value;
    struct mk_dist *part[2] = {dist_simple("pareto", 0.5, 1, NAN, NAN), dist_simple("pareto", 0.5, 1, NAN, NAN)};
    part[1] = wrapped(part[1], "affine", 0, -1);
    struct mk_dist *d = dist_lists("mixture", 2, (double[]){1, 1}, 2, part);
    CHECK(mk_dist_expected_max(d, 1, &value, &err) == MK_ENUM, "heavy on both sides: %s", err.text);
    CHECK(mk_dist_expected_max(d, 3, &value, &err) == MK_OK && value == INFINITY,
          "three draws tame the lower tail only");
    CHECK(mk_dist_expected_max(d, 0.5, &value, &err) == MK_EINPUT, "n below 1: %s", err.text);
    CHECK(mk_dist_expected_max(d, NAN, &value, &err) == MK_EINPUT, "n not a number: %s", err.text);
    mk_dist_free(d);
    /* E = exp(60^2/2) is beyond a double, and so is the tail that matters */
    d = dist_simple("lognormal", 0, 60, NAN, NAN);
    CHECK(mk_dist_expected_max(d, 1, &value, &err) == MK_ENUM, "log-normal with sigma 60: %s", err.text);
    mk_dist_free(d);
}

/* E[(M(n) - x)^+] - E[(x - M(n))^+] = E[M(n)] - x, of all families, at quantiles x of M(n). */
static void excesses(void)
{
    static const double n[] = {1, 10, 1e6}, level[] = {1e-9, 0.01, 0.5, 0.999, 1 - 1e-9};
    struct mk_error err = {0};
    for (size_t i = 0; i < N_DIST_CASES; i++) {
        struct mk_dist *d = dist_case_make(i);
        char name[160];
        double worst = 0;
        bool failed = false;
        for (int k = 0; k < 15; k++) {
            const double draws = n[k / 5], rate = -log(level[k % 5]) / draws,
                         x = d->type->inverse(d, -expm1(-rate), exp(-rate)),
                         spread = fabs(d->type->inverse(d, -expm1(-0.3 / draws), exp(-0.3 / draws)) -
                                       d->type->inverse(d, -expm1(-1.4 / draws), exp(-1.4 / draws)));
            double mean = NAN, above = NAN, below = NAN;
            if (mk_dist_expected_max(d, draws, &mean, &err)) continue;
            failed |= mk_dist_expected_excess(d, draws, x, true, &above, &err) != MK_OK || !(above >= 0) ||
                      mk_dist_expected_excess(d, draws, x, false, &below, &err) != MK_OK || !(below >= 0) ||
                      isinf(above) != (mean == INFINITY) || isinf(below) != (mean == -INFINITY);
            if (isfinite(mean))
                worst = fmax(worst, fabs(above - below - mean + x) /
                                        (1e-9 * (fabs(x) + fabs(mean) + spread) + 2e-6 * (above + below) + 1e-300));
        }
        CHECK(!failed && worst < 1, "%s: E[(M - x)^+] - E[(x - M)^+] (worst %.1e) %s",
              dist_case_name(d, name, sizeof name), worst, err.text);
        mk_dist_free(d);
    }
    struct mk_dist *normal = dist_simple("gaussian", 0, 1, NAN, NAN),
                   *dice = dist_lists("empirical", 6, (double[]){1, 2, 3, 4, 5, 6}, 0, NULL);
    double value = NAN;
    CHECK(mk_dist_expected_excess(normal, 1, 2, true, &value, &err) == MK_OK, "a normal arm");
    CHECK_CLOSE(value, exp(-2) / sqrt(2 * M_PI) - erfc(M_SQRT2), 2e-6, "phi(2) - 2 (1 - Phi(2))");
    /* far from the mean, and at x = 0: phi(z) - z (1 - Phi(z)), by mpmath */
    static const struct {
        double z, excess;
    } far[] = {{8, 7.550262411946499e-17}, {20, 1.37001249472958e-90}, {30, 1.631956734091401e-199}};
    for (size_t k = 0; k < sizeof far / sizeof *far; k++)
        for (int above = 0; above < 2; above++) {
            struct mk_dist *d = dist_simple("gaussian", above ? -far[k].z : far[k].z, 1, NAN, NAN);
            CHECK(mk_dist_expected_excess(d, 1, 0, above, &value, &err) == MK_OK, "%g deviations from 0 %s", far[k].z,
                  err.text);
            CHECK_CLOSE(value / far[k].excess, 1, 2e-6, "a normal reward beyond 0");
            mk_dist_free(d);
        }
    CHECK(mk_dist_expected_excess(dice, 2, 4, true, &value, &err) == MK_OK, "dice");
    CHECK_CLOSE(value, (9 + 2 * 11) / 36.0, 2e-6, "two dice above 4");
    CHECK(mk_dist_expected_excess(dice, 2, 2, false, &value, &err) == MK_OK, "dice");
    CHECK_CLOSE(value, 1 / 36.0, 2e-6, "two dice below 2");
    mk_dist_free(normal);
    mk_dist_free(dice);
}

int main(void)
{
    gsl_set_error_handler_off();
    closed_forms();
    excesses();
    known_answers();
    gamma_ratios();
    by_hand();
    infinite_values();
    refusals();
    return CHECK_EXIT;
}

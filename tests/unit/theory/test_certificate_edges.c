/* Certified bounds where numbers are extreme, and of one distribution that is written in different ways. */
#include <string.h>

#include "analysis/theory/certificates/certificate.h"
#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certified_regret.h"
#include "tests/support/check.h"

static struct mk_dist *make(const char *family, double first, double second)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    int code = strcmp(family, "dirac") == 0 || strcmp(family, "bernoulli") == 0
                   ? mk_dist_make(&d, family, &err, first)
                   : mk_dist_make(&d, family, &err, first, second);
    REQUIRE(code == MK_OK, "%s %s", family, err.text);
    return d;
}

static struct mk_dist *wrap(struct mk_dist *d, const char *wrapper, double first, double second)
{
    struct mk_error err = {0, ""};
    REQUIRE(mk_dist_wrap(&d, wrapper, first, second, NULL, &err) == MK_OK, "%s %s", wrapper, err.text);
    return d;
}

static struct mk_dist *constants(size_t n, const double *x, const double *weight)
{
    struct mk_dist *part[3], *d = NULL;
    struct mk_error err = {0, ""};
    struct mk_dist_spec spec = {
        .type = mk_dist_type_find("mixture"), .n_values = n, .values = weight, .n_parts = n, .parts = part};
    mk_param_defaults(spec.type->params, spec.v);
    for (size_t k = 0; k < n; k++) part[k] = make("dirac", x[k], NAN);
    REQUIRE(mk_dist_new(&d, &spec, NULL, &err) == MK_OK, "mixture %s", err.text);
    return d;
}

/* Of two arms, which are freed. */
static struct mk_certificate *certify(struct mk_dist *first, struct mk_dist *second, struct mk_race race,
                                      double refinement)
{
    const struct mk_known_cdf arm[] = {{.dist = first}, {.dist = second}};
    struct mk_certificate *c = NULL;
    struct mk_error err = {0, ""};
    race.arms = 2;
    race.arm = arm;
    int code = mk_certificate_new(&c, &race, MK_CERTIFIED_BAND, refinement, &err);
    CHECK(code == MK_OK, "certificate %s", err.text);
    mk_dist_free(first);
    mk_dist_free(second);
    return c;
}

/* A reflected power arm whose barrier stays near the level where a block is negligible, for hundreds of octaves of
 * short blocks: more than the work space has room for. */
static void test_many_blocks(void)
{
    struct mk_dist *d[] = {make("dirac", 0, NAN), wrap(make("power", 0.5, 1), "affine", 0, -0.4856)};
    const struct mk_known_cdf arm[] = {{.dist = d[0]}, {.dist = d[1]}};
    const struct mk_race race = {.arms = 2, .arm = arm, .horizon = 1000000000, .alpha = 0.5};
    struct mk_certified_side side;
    struct mk_error err = {0, ""};
    CHECK(mk_certified_side_new(&side, &race, NULL, 0, MK_FROM_ABOVE, false, 0.02, &err) == MK_OK && side.mean > 5e8,
          "%s %g pulls", err.text, side.mean);
    mk_certified_side_clear(&side);
    for (int k = 0; k < 2; k++) mk_dist_free(d[k]);
}

/* The largest horizon of all: first passages after 2^52 rounds (out of bounds before, as a sanitizer would say). */
static void test_largest_horizon(void)
{
    struct mk_certificate *c = certify(make("exponential", NAN, 1), make("exponential", NAN, 1.001),
                                       (struct mk_race){.horizon = 1ULL << 53, .alpha = 0.5}, 1);
    CHECK(c->arm[0].lower > 1e14 && c->arm[1].lower < c->arm[1].upper, "T = 2^53: %g … %g", c->arm[0].lower,
          c->arm[0].upper);
    mk_certificate_free(c);
}

/* 0 with probability 1 - q, 1 with q = 3e-17 / (0.3 + 3e-17); the inner arm is above the bound with probability 0.7.
 * Until the first 1 both arms share the rounds: E[N_0(T)] = (1 - (1 - q)^(T/2)) / q to 1e-6. */
static void test_truncated_atoms(void)
{
    static const double x[] = {0, 1, 9}, weight[] = {0.3, 3e-17, 0.7};
    struct mk_dist *d = wrap(constants(3, x, weight), "truncated", -1, 2);
    const double q = 3e-17 / (0.3 + 3e-17), mean = -expm1(-q * 2e15) / q;
    CHECK_CLOSE(mk_dist_survival(d, 1), q, 1e-14, "P(X >= 1)");
    CHECK_CLOSE(mk_dist_above(d, 0), q, 1e-14, "P(X > 0)");
    CHECK(mk_dist_above(d, 1) == 0 && mk_dist_below(d, 0) == 0, "nothing beyond");
    struct mk_certificate *c =
        certify(make("dirac", 0, NAN), d, (struct mk_race){.horizon = 4000000000000000, .alpha = 0.01}, 0.1);
    CHECK(c->arm[0].upper > mean * (1 - 1e-6) && c->arm[0].upper < 1.2 * mean, "E[N] = %.5g <= %.5g", mean,
          c->arm[0].upper);
    mk_certificate_free(c);
    static const double low[] = {-9, -1, 0};
    static const double mirrored[] = {0.7, 3e-17, 0.3};
    d = wrap(constants(3, low, mirrored), "truncated", -2, 1);
    CHECK_CLOSE(mk_dist_cdf(d, -1), q, 1e-14, "P(X <= -1)");
    CHECK_CLOSE(mk_dist_below(d, 0), q, 1e-14, "P(X < 0)");
    mk_dist_free(d);
}

/* Two of them: 0 with probability 0.999 and 1 with 0.001, moved by 0.164. Of scaled rewards the work that is allowed
 * decides how far the walk is refined, where cells next to atoms count. */
static void test_one_distribution(void)
{
    static const double slack[] = {1e-6, 1e-4, 0.02};
    static const double x[] = {0.164, 1.164}, weight[] = {0.999, 0.001}, from[] = {0, 9}, unit[] = {-1, 0};
    static const double reflected[] = {0.001, 0.999};
    for (int scale = 0; scale < 3; scale++) {
        const struct mk_race race = {.horizon = 10000, .alpha = 0.1, .scale = (enum mk_race_scale)scale, .width = 0.98};
        struct mk_dist *way[] = {constants(2, x, weight), wrap(make("bernoulli", 0.001, NAN), "affine", 0.164, 1),
                                 wrap(wrap(constants(2, from, weight), "clipped", 0, 1), "affine", 0.164, 1),
                                 wrap(constants(2, unit, reflected), "affine", 0.164, -1),
                                 wrap(wrap(make("bernoulli", 0.001, NAN), "truncated", -3, 4), "affine", 0.164, 1)};
        double lower[2] = {0, 0}, upper[2] = {0, 0};
        for (size_t w = 0; w < sizeof way / sizeof *way; w++) {
            struct mk_certificate *c = certify(way[w], make("uniform", 0.057, 0.923), race, 0.1);
            for (size_t i = 0; w == 0 && i < 2; i++) {
                lower[i] = c->arm[i].lower;
                upper[i] = c->arm[i].upper;
            }
            for (size_t i = 0; i < 2; i++) {
                CHECK_CLOSE(c->arm[i].upper, upper[i], slack[scale], "scale %d, way %zu, arm %zu: upper", scale, w, i);
                CHECK_CLOSE(c->arm[i].lower, lower[i], slack[scale], "scale %d, way %zu, arm %zu: lower", scale, w, i);
            }
            mk_certificate_free(c);
        }
        if (scale == 0) CHECK(upper[0] < 60, "an arm that is locked out by its top: at most %g pulls", upper[0]);
    }
}

/* A bonus that is no normal number is rounded to ties, which any arm may win. */
static void test_ties(void)
{
    struct mk_certificate *c =
        certify(make("dirac", 0, NAN), make("dirac", 0, NAN), (struct mk_race){.horizon = 100, .alpha = 1e-162}, 0.5);
    CHECK(c->arm[0].upper == 99, "all ties: up to %g pulls", c->arm[0].upper);
    mk_certificate_free(c);
}

/* Arms far apart, scaled: the better one has nearly all pulls, also where T is so large that a probability of
 * 10^-9 for each of them would be thousands of pulls. */
static void test_rare(void)
{
    struct mk_dist *d[] = {make("uniform", 0, 1), make("uniform", 60, 61)};
    const struct mk_known_cdf arm[] = {{.dist = d[0]}, {.dist = d[1]}};
    static const size_t rank[] = {1, 0};
    struct mk_lower_work *w = NULL;
    struct mk_error err;
    REQUIRE(mk_lower_work_new(&w, 2, &err) == MK_OK, "work space");
    for (int scale = 1; scale < 3; scale++) {
        const struct mk_race race = {.arms = 2,
                                     .arm = arm,
                                     .horizon = 1000000000000,
                                     .alpha = 0.1,
                                     .scale = (enum mk_race_scale)scale,
                                     .width = 0.98};
        struct mk_factor_limits limits;
        mk_factor_limits(&limits, &race, 1e-6 / (2 * 1e12));
        const struct mk_underdog u = {&race, 1, rank, 1000000, 0.01, &limits};
        const double late = mk_late_evaluate(w, &u, 1000);
        CHECK(late <= 1 && late > 1 - 1e-11, "scale %d: P(N > 10^6) >= 1 - %.3g", scale, 1 - late);
    }
    mk_lower_work_free(w);
    for (int k = 0; k < 2; k++) mk_dist_free(d[k]);
}

/* The probabilities of the events in which R_t is outside its limits are subtracted, once for mk_factor_limits and once
 * for every cell of the rivals' rewards. Arm 0 is certain to have 101 pulls otherwise: 8 cells, 2 arms, 2 events each.
 */
static void test_excluded(void)
{
    struct mk_dist *d[] = {make("gaussian", 60, 1), make("uniform", 0, 1)};
    const struct mk_known_cdf arm[] = {{.dist = d[0]}, {.dist = d[1]}};
    static const size_t rank[] = {0, 1};
    static const double rare = 1e-6 / (2 * 1000.);
    struct mk_lower_work *w = NULL;
    struct mk_error err;
    REQUIRE(mk_lower_work_new(&w, 2, &err) == MK_OK, "work space");
    for (int scale = 1; scale < 3; scale++) {
        const struct mk_race race = {
            .arms = 2, .arm = arm, .horizon = 1000, .alpha = 0.1, .scale = (enum mk_race_scale)scale, .width = 0.98};
        struct mk_factor_limits limits;
        mk_factor_limits(&limits, &race, rare);
        const struct mk_underdog u = {&race, 0, rank, 100, 1e-4, &limits};
        const double missed = 1 - mk_late_evaluate(w, &u, 50);
        CHECK(missed > 33.9 * rare && missed < 34.1 * rare, "scale %d: 1 - %.4g is left, excluded %.4g", scale, missed,
              34 * rare);
    }
    mk_lower_work_free(w);
    for (int k = 0; k < 2; k++) mk_dist_free(d[k]);
}

/* phi_k(r) of Theorem 2, as it is written there. */
static double written_phi(const struct mk_race *race, uint64_t m, struct mk_window window, double offset, uint64_t r)
{
    const double n = (double)window.last, own = (double)r, early = own + (double)window.first + (double)race->arms - 1;
    const struct mk_round last = mk_round_of(race, (double)m + n + 1), at = mk_round_of(race, own + n + 1);
    return offset + mk_bonus(last, n) - mk_bonus(at, n) +
           (r >= window.last ? mk_bonus(at, own) : mk_bonus(mk_round_of(race, early), own));
}

/* It is used so that it does not rise: never above the smallest one up to r, and that one where c_t / r^2 falls. */
static void test_phi_falls(void)
{
    static const struct {
        double power;
        int64_t shift;
        struct mk_window window;
    } cases[] = {{1, 0, {5, 12}},  {1, -1, {1, 3}},    {1.38, -1, {2, 40}}, {1.5, 0, {1, 60}},
                 {3, -1, {1, 40}}, {3, -1, {30, 200}}, {6, -1, {1, 300}},   {6, 0, {1, 1}}};
    struct mk_lower_work *w = NULL;
    struct mk_error err;
    size_t rises = 0;
    REQUIRE(mk_lower_work_new(&w, 2, &err) == MK_OK, "work space");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mk_window window = cases[i].window;
        const struct mk_race race = {
            .arms = 2, .horizon = 1000, .alpha = 0.5, .power = cases[i].power, .shift = cases[i].shift};
        const struct mk_underdog u = {&race, 0, (const size_t[]){1, 0}, 400, 1e-4, NULL};
        double least = INFINITY, before = INFINITY;
        bool falls = true, exact = true, below = true, close = true;
        w->plan.lead = 1;
        w->plan.windows = 1;
        w->plan.window[1] = w->plan.lead_window[0] = window;
        for (uint64_t r = 1; r <= u.m; r++) {
            const double raw = written_phi(&race, u.m, window, 0.25, r), got = mk_plan_phi(w, &u, window, 0.25, r);
            rises += raw > least * (1 + 1e-9);
            least = fmin(least, raw);
            below &= got <= least * (1 + 1e-13);
            exact &= fabs(got - least) <= 1e-13 * least;
            close &= got >= 0.5 * least;
            falls &= got <= before;
            before = got;
        }
        CHECK(below && falls && close && (exact || cases[i].power > 1.38), "power %g, window %g to %g: %s",
              cases[i].power, (double)window.first, (double)window.last,
              !below   ? "above the smallest"
              : !falls ? "rises"
                       : "loose");
    }
    CHECK(rises > 100, "as it is written it would rise %zu times", rises);
    mk_lower_work_free(w);
}

/* A fair coin and one with P(1) = 1/4, T = 3, nothing known of the pulls but that the first one has one: P(largest
 * reward = 0) is at most 1/2 (3/4)^2 (with 1.5 pulls of the first it would be less), and (1/2)^3 for the first one
 * alone. */
static void test_whole_counts(void)
{
    struct mk_dist *d = make("bernoulli", 0.5, NAN), *other = make("bernoulli", 0.25, NAN);
    const struct mk_known_cdf arm[] = {{.dist = d}, {.dist = other}};
    static const uint64_t pulls[] = {3, 3};
    struct mk_certified_regret regret = MK_NO_REGRET;
    struct mk_certificate *c = NULL;
    struct mk_error err;
    REQUIRE(mk_certificate_certain(&c, 2, pulls, 3, &err) == MK_OK, "certain pulls");
    c->arm[0].min = 1;
    c->arm[1].min = 0;
    CHECK(mk_certified_regret(&regret, c, arm, 3, &err) == MK_OK && fabs(regret.regret - (0.28125 - 0.125)) < 1e-8,
          "regret <= %.12g", regret.regret);
    mk_certificate_free(c);
    mk_dist_free(d);
    mk_dist_free(other);
}

int main(void)
{
    test_many_blocks();
    test_largest_horizon();
    test_truncated_atoms();
    test_one_distribution();
    test_ties();
    test_rare();
    test_excluded();
    test_phi_falls();
    test_whole_counts();
    return CHECK_EXIT;
}

/* Building, rejecting, wrapping and printing distributions. */
#include <gsl/gsl_errno.h>

#include "tests/support/check.h"
#include "tests/support/dist_cases.h"

/* A bad parameter set must be refused with MK_EINPUT, the right parameter and a message that contains `says`. */
static void refuse(const char *family, double a, double b, double c, double d, int blame, const char *says)
{
    struct mk_dist_spec spec = {.type = mk_dist_type_find(family), .v = {a, b, c, d}};
    struct mk_dist *out = NULL;
    struct mk_error err = {0};
    int param = -7, code = mk_dist_new(&out, &spec, &param, &err);
    CHECK(code == MK_EINPUT && !out && param == blame && strstr(err.text, says), "%s {%g, %g, %g, %g} refused: %s",
          family, a, b, c, d, err.text);
    mk_dist_free(out);
}

static void check_list(void)
{
    const double values[] = {INFINITY, 1, 2};
    struct mk_dist_spec spec = {.type = mk_dist_type_find("empirical"), .n_values = 3, .values = values};
    struct mk_dist *out = NULL;
    struct mk_error err = {0, ""};
    int param;
    mk_param_defaults(spec.type->params, spec.v);
    int code = mk_dist_new(&out, &spec, &param, &err);
    CHECK(code == MK_EINPUT && !out && strstr(err.text, "entry 1 is inf"), "an infinite value: %s", err.text);
    mk_dist_free(out);
}

/* Bounds that cut nothing leave the rewards of a seed as they are. */
static void check_idle_truncation(void)
{
    enum { N = 300 };
    static double plain[N], cut[N];
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    struct mk_pcg64 g;
    int code = mk_dist_make(&d, "gaussian", &err, 0.0, 1.0);
    mk_pcg64_seed(&g, 3, 4);
    if (!code) d->type->sample(d, &g, N, plain);
    if (!code) code = mk_dist_wrap(&d, "truncated", -INFINITY, INFINITY, NULL, &err);
    mk_pcg64_seed(&g, 3, 4);
    if (!code) d->type->sample(d, &g, N, cut);
    CHECK(!code && memcmp(plain, cut, sizeof plain) == 0, "a truncation that cuts nothing changes no reward %s",
          err.text);
    mk_dist_free(d);
}

static void check_refusals(void)
{
    const double inf = INFINITY, none = NAN;
    refuse("power", -1, 1, none, none, 0, "> 0");
    refuse("power", none, 1, none, none, 0, "missing");
    refuse("power", 3000, 1e-3, none, none, 1, "upper end");
    refuse("gaussian", 0, 0, none, none, 1, "> 0");
    refuse("gaussian", inf, 1, none, none, 0, "finite");
    refuse("gaussian", 0, inf, none, none, 1, "got inf");
    refuse("truncated_gaussian", 0, 1, 1, 1, 3, "> lo");
    refuse("truncated_gaussian", 0, 1, 2, 1, 3, "> lo");
    refuse("truncated_gaussian", 0, 1, none, 1, 2, "missing");
    refuse("truncated_gaussian", 0, 1e-308, 1e300, 2e300, -1, "too far");
    refuse("pareto", 0, 1, none, none, 0, "> 0");
    refuse("pareto", 1, -2, none, none, 1, "> 0");
    refuse("exponential", none, none, none, none, -1, "either rate or mean");
    refuse("exponential", 1, 1, none, none, 1, "combined");
    refuse("exponential", -1, none, none, none, 0, "> 0");
    refuse("exponential", 1e-309, none, none, none, 0, "overflows");
    refuse("negative_exponential", none, 0, none, none, 1, "> 0");
    refuse("uniform", 1, 1, none, none, 1, "> lo");
    refuse("uniform", -1e308, 1e308, none, none, 1, "hi - lo");
    refuse("beta", 0, 1, none, none, 0, "> 0");
    refuse("lognormal", 0, -1, none, none, 1, "> 0");
    refuse("generalized_normal", 0, 0, 1, none, 0, ">= 0.01");
    refuse("weibull", 0, 1, none, none, 0, "> 0");
    refuse("gev", inf, 0, 1, none, 0, "finite");
    refuse("gev", 0, 0, 0, none, 2, "> 0");
    refuse("generalized_pareto", 0, 0, -1, none, 2, "> 0");
    refuse("bernoulli", 1.5, none, none, none, 0, "<= 1");
    refuse("dirac", inf, none, none, none, 0, "finite");
    refuse("empirical", none, none, none, none, 0, "at least one value");
    refuse("mixture", none, none, none, none, 0, "missing");
    refuse("affine", 0, 2, none, none, -1, "exactly one arm");
}

static void check_lists(void)
{
    struct mk_error err = {0};
    struct mk_dist *out = NULL,
                   *part[2] = {dist_simple("uniform", 0, 1, NAN, NAN), dist_simple("dirac", 3, NAN, NAN, NAN)};
    struct mk_dist_spec spec = {.type = mk_dist_type_find("mixture"), .n_parts = 2, .parts = part};
    int param;
    spec.n_values = 1, spec.values = (double[]){1};
    CHECK(mk_dist_new(&out, &spec, &param, &err) == MK_EINPUT && param == 0, "mixture: one weight for two arms: %s",
          err.text);
    spec.n_values = 2, spec.values = (double[]){1, 0};
    CHECK(mk_dist_new(&out, &spec, &param, &err) == MK_EINPUT && param == 0, "mixture: weight 0: %s", err.text);
    spec.values = (double[]){1, NAN};
    CHECK(mk_dist_new(&out, &spec, &param, &err) == MK_EINPUT && param == 0, "mixture: weight NaN: %s", err.text);
    spec.n_parts = 0;
    spec.values = (double[]){1, 2};
    CHECK(mk_dist_new(&out, &spec, &param, &err) == MK_EINPUT && param == 1, "mixture: no components: %s", err.text);
    spec.n_parts = 2;
    CHECK(part[0]->type && part[1]->type && mk_dist_new(&out, &spec, &param, &err) == MK_OK && param == -1,
          "mixture: after refusals the parts still belong to the caller");
    mk_dist_free(out);
    struct mk_dist_spec values = {
        .type = mk_dist_type_find("empirical"), .n_values = 2, .values = (double[]){1, INFINITY}};
    CHECK(mk_dist_new(&out, &values, &param, &err) == MK_EINPUT && param == 0, "empirical: %s", err.text);
    CHECK(mk_dist_make(&out, "power", &err, -3.0, 1.0) == MK_EINPUT && strstr(err.text, "power a: "),
          "mk_dist_make names family and parameter: %s", err.text);
    CHECK(mk_dist_make(&out, "powder", &err, 1.0) == MK_EINPUT, "mk_dist_make: %s", err.text);
    CHECK(mk_dist_make(&out, "pareto", &err, 2.0, NAN) == MK_OK && out->v[1] == 1, "mk_dist_make fills in defaults");
    mk_dist_free(out);
}

static void check_wraps(void)
{
    static const struct {
        const char *wrapper;
        double first, second;
        int blame;
        const char *says;
    } bad[] = {
        {"truncated", 2, 1, 1, ">= lo"},
        {"truncated", NAN, 1, 0, "missing"},
        {"truncated", 40, 41, -1, "the probability"},
        {"clipped", 2, 1, 1, ">= lo"},
        {"clipped", INFINITY, INFINITY, 0, "finite"},
        {"affine", 0, 0, 1, "other than 0"},
        {"affine", INFINITY, 1, 0, "finite"},
    };
    struct mk_dist *d = dist_simple("gaussian", 0, 1, NAN, NAN), *before = d;
    struct mk_error err = {0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int param = -7, code = mk_dist_wrap(&d, bad[i].wrapper, bad[i].first, bad[i].second, &param, &err);
        CHECK(code == MK_EINPUT && d == before && param == bad[i].blame && strstr(err.text, bad[i].says),
              "%s {%g, %g} refused, the arm is untouched: %s", bad[i].wrapper, bad[i].first, bad[i].second, err.text);
    }
    CHECK(mk_dist_wrap(&d, "gaussian", 0, 1, NULL, &err) == MK_EINPUT, "a family is not a wrapper: %s", err.text);
    CHECK(mk_dist_wrap(&d, "clipped", -1, 1, NULL, &err) == MK_OK && d->part[0] == before,
          "clipped takes the arm over");
    before = d;
    CHECK(mk_dist_wrap(&d, "truncated", -1, 1, NULL, &err) == MK_EINPUT && d == before, "order of wrappers: %s",
          err.text);
    CHECK(mk_dist_wrap(&d, "clipped", -1, 1, NULL, &err) == MK_EINPUT && d == before, "each wrapper once: %s",
          err.text);
    mk_dist_free(d);
}

static void text_is(struct mk_dist *d, const char *want)
{
    char *text = mk_dist_text(d);
    CHECK(text && strcmp(text, want) == 0, "text %s", text ? text : "(null)");
    free(text);
    mk_dist_free(d);
}

static void check_texts(void)
{
    struct mk_error err;
    text_is(dist_simple("power", 3, 1.01, NAN, NAN), "{family: power, a: 3, s: 1.01}");
    text_is(dist_simple("exponential", NAN, 2.9, NAN, NAN), "{family: exponential, mean: 2.9}");
    text_is(dist_simple("exponential", 0.1, NAN, NAN, NAN), "{family: exponential, rate: 0.1}");
    text_is(dist_simple("truncated_gaussian", 0, 1, 0.5, INFINITY),
            "{family: truncated_gaussian, mu: 0, sigma: 1, lo: 0.5, hi: inf}");
    text_is(dist_empirical(0), "{family: empirical, values: [-2.5, 1, 1, 2, 3, 4, 5]}");
    text_is(dist_mixture(0), "{family: mixture, weights: [4, 1], components: [{family: dirac, x: 0}, "
                             "{family: pareto, shape: 1.1, scale: 1}]}");
    struct mk_dist *d = dist_simple("gaussian", 0, 1, NAN, NAN);
    int code = mk_dist_wrap(&d, "truncated", -INFINITY, 3, NULL, &err) | mk_dist_wrap(&d, "clipped", 0, 2, NULL, &err) |
               mk_dist_wrap(&d, "affine", 1, -2, NULL, &err);
    CHECK(code == MK_OK, "all three wrappers in order");
    text_is(d, "{family: gaussian, mu: 0, sigma: 1, truncate: [-inf, 3], clip: [0, 2], factor: -2, shift: 1}");
    d = dist_simple("gaussian", 0, 1, NAN, NAN);
    mk_dist_wrap(&d, "affine", 0.25, 1, NULL, &err);
    text_is(d, "{family: gaussian, mu: 0, sigma: 1, shift: 0.25}");
}

/* A truncated normal distribution by the wrapper and by its own family. */
static void check_far_truncation(double lo, double hi)
{
    struct mk_dist *a = dist_simple("gaussian", 0, 1, NAN, NAN), *b = dist_simple("truncated_gaussian", 0, 1, lo, hi);
    struct mk_error err;
    if (mk_dist_wrap(&a, "truncated", lo, hi, NULL, &err)) printf("not ok %s\n", err.text);
    double worst = 0, tail = 0;
    for (int i = 1; i < 200; i++) {
        double p = i < 100 ? pow(10, -i / 10.0) : i / 200.0;
        double x = mk_dist_inverse_survival(a, p), y = mk_dist_inverse_survival(b, p), g = mk_dist_survival(b, y);
        double spread = mk_dist_inverse_survival(b, 0.25) - mk_dist_inverse_survival(b, 0.75);
        worst = fmax(worst, fabs(x - y) / (spread + 4e-16 * fabs(y) / 1e-10));
        /* Near a finite bound the wrapper's differences cancel, hence the term in 1/g. */
        double lost = isinf(hi) ? 0 : 1e-15 / g;
        tail = fmax(tail, fabs(mk_dist_survival(a, y) / g - 1) / (1e-10 + lost));
    }
    CHECK(worst < 1e-10 && tail < 1,
          "gaussian truncated to [%g, %g] equals truncated_gaussian (%.1e, %.1e of what is allowed)", lo, hi, worst,
          tail);
    double va, vb;
    int code = mk_dist_expected_max(a, 1e9, &va, &err) | mk_dist_expected_max(b, 1e9, &vb, &err);
    CHECK(code == MK_OK && fabs(va / vb - 1) < 1e-12, "their E[M(1e9)] are equal: %.15g", va);
    mk_dist_free(a);
    mk_dist_free(b);
}

static void check_atom_flags(void)
{
    for (size_t i = 0; i < N_DIST_CASES; i++) {
        struct mk_dist *d = dist_case_make(i);
        size_t n = mk_dist_breaks(d, NULL);
        double *x = malloc((n + 1) * sizeof *x);
        int jumps = 0;
        char name[160];
        mk_dist_breaks(d, x);
        for (size_t k = 0; k < n; k++) jumps |= mk_dist_survival(d, x[k]) > mk_dist_above(d, x[k]) + 1e-12;
        CHECK(mk_dist_has_atoms(d) == jumps, "%s: has_atoms is %d", dist_case_name(d, name, sizeof name), jumps);
        free(x);
        mk_dist_free(d);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    check_atom_flags();
    check_refusals();
    check_list();
    check_idle_truncation();
    check_lists();
    check_wraps();
    check_texts();
    check_far_truncation(-1, 2);
    check_far_truncation(10, INFINITY);
    check_far_truncation(30, INFINITY);
    check_far_truncation(-INFINITY, -25);
    check_far_truncation(-30, -20);
    return CHECK_EXIT;
}

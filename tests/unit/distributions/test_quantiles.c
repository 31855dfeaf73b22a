/* Tables of quantile functions against the inverse itself: accuracy, share of the draws they serve, jumps, tails. */
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "distributions/dist.h"
#include "distributions/parts/quantiles.h"
#include "tests/support/check.h"

enum { N = 20000 };

static void uniforms(double *u)
{
    struct mk_pcg64 g;
    mk_pcg64_from_key(&g, mk_key_text(mk_key_start(), "quantiles"));
    for (int i = 0; i < N; i++) u[i] = mk_uniform(&g);
    u[0] = 0x1p-54, u[1] = 1 - 0x1p-53, u[2] = 0.5, u[3] = nextafter(0.5, 0), u[4] = nextafter(0.5, 1);
    u[5] = 0x1p-11, u[6] = nextafter(0x1p-11, 0), u[7] = 1 - 0x1p-11, u[8] = 0.25, u[9] = 0.75, u[10] = 0.375;
}

/* Largest difference from the inverse, relative to |x| or to a hundredth of the spread where x passes 0. */
static double worst(const struct mk_dist *d, const struct mk_quantiles *q, const double *u)
{
    double *x = malloc(N * sizeof *x), error = 0;
    double spread = mk_dist_inverse_survival(d, 0.25) - mk_dist_inverse_survival(d, 0.75);
    for (int i = 0; i < N; i++) x[i] = u[i];
    mk_quantiles_apply(q, d, 7, x);
    mk_quantiles_apply(q, d, N - 7, x + 7);
    for (int i = 0; i < N; i++) {
        double want = d->type->inverse(d, u[i], 1 - u[i]);
        if (x[i] != want) error = fmax(error, fabs(x[i] - want) / fmax(fabs(want), 0.01 * spread));
    }
    free(x);
    return error;
}

/* allowed: 1e-14, or what the inverse itself is off by; rest: share that may go to the inverse. */
static void check_law(const char *name, struct mk_dist *d, double allowed, double rest, const double *u)
{
    struct mk_quantiles *q = d ? mk_quantiles_new(d) : NULL;
    if (q) {
        double error = worst(d, q, u);
        CHECK(error <= allowed && mk_quantiles_rest(q) <= rest, "%s: the table is within %.1e, %.4f go to the inverse",
              name, error, mk_quantiles_rest(q));
    } else {
        CHECK(0, "%s: no table", name);
    }
    mk_quantiles_free(q);
    mk_dist_free(d);
}

static struct mk_dist *make(const char *family, double a, double b, double c)
{
    struct mk_dist *d = NULL;
    struct mk_error err = {0, ""};
    return mk_dist_make(&d, family, &err, a, b, c) ? NULL : d;
}

static struct mk_dist *cut(struct mk_dist *d, double lo, double hi)
{
    struct mk_error err = {0, ""};
    if (d && mk_dist_wrap(&d, "truncated", lo, hi, NULL, &err)) {
        mk_dist_free(d);
        return NULL;
    }
    return d;
}

static void check_laws(const double *u)
{
    static const struct {
        double a, b, allowed, rest;
    } beta[] = {{5, 1.5, 2e-14, .001}, {.5, .5, 2e-14, .001},  {50, 30, 2e-14, .001},   {1, 2, 2e-14, .001},
                {30, .2, 2e-14, .001}, {.05, 4, 2e-13, .002},  {300, 200, 2e-13, .002}, {1e6, 3, 2e-14, .001},
                {.01, .01, 4e-13, .7}, {.3, .001, 4e-13, .01}, {1e4, 2e4, 2e-13, .1}};
    char name[64];
    for (size_t i = 0; i < sizeof beta / sizeof *beta; i++) {
        snprintf(name, sizeof name, "beta(%g, %g)", beta[i].a, beta[i].b);
        check_law(name, make("beta", beta[i].a, beta[i].b, 0), beta[i].allowed, beta[i].rest, u);
    }
    check_law("beta(2, 3) in [.1, .9]", cut(make("beta", 2, 3, 0), .1, .9), 2e-14, .001, u);
    check_law("generalised normal .7 in [-3, 3]", cut(make("generalized_normal", .7, 0, 1), -3, 3), 2e-13, .01, u);
    check_law("generalised normal 3 in [-3, 3]", cut(make("generalized_normal", 3, 0, 1), -3, 3), 2e-13, .01, u);
    check_law("generalised normal 2 in [5, 6]", cut(make("generalized_normal", 2, 0, 1), 5, 6), 2e-13, .01, u);
}

/* A quantile function with jumps and flat stretches. */
static void check_mixture(const double *u)
{
    struct mk_dist *part[3] = {make("beta", 2, 3, 0), make("dirac", .3, 0, 0), make("uniform", 2, 3, 0)}, *d = NULL;
    struct mk_dist_spec spec = {.type = mk_dist_type_find("mixture"),
                                .n_values = 3,
                                .values = (const double[]){.5, .2, .3},
                                .n_parts = 3,
                                .parts = part};
    struct mk_error err = {0, ""};
    if (mk_dist_new(&d, &spec, NULL, &err))
        CHECK(0, "mixture: %s", err.text);
    else
        check_law("mixture with an atom and a gap, in [.05, 2.8]", cut(d, .05, 2.8), 4e-13, .02, u);
}

/* mk_dist_tabulate: the same draws from the same stream; nothing for families that are fast or draw otherwise. */
static void check_tabulate(void)
{
    struct mk_error err = {0, ""};
    struct mk_dist *plain = cut(make("beta", 4, 2, 0), .2, .95), *fast = cut(make("beta", 4, 2, 0), .2, .95);
    struct mk_dist *other = cut(make("weibull", 2, 1, 0), .5, 2);
    struct mk_pcg64 a, b;
    double x[500], y[500], error = 0;
    int code = mk_dist_tabulate(fast, &err);
    if (!code) code = mk_dist_tabulate(fast, &err); /* once more changes nothing */
    if (!code) code = mk_dist_tabulate(other, &err);
    CHECK(!code && fast->quantiles && fast->part[0]->quantiles && !other->quantiles && !plain->quantiles,
          "tables for slow inverses alone");
    mk_pcg64_from_key(&a, mk_key_text(mk_key_start(), "tabulate"));
    b = a;
    plain->type->sample(plain, &a, 500, x);
    fast->type->sample(fast, &b, 123, y);
    fast->type->sample(fast, &b, 377, y + 123);
    for (int i = 0; i < 500; i++) error = fmax(error, fabs(x[i] - y[i]));
    CHECK(error <= 2e-14 && error > 0, "draws from the table differ from the inverse by %.1e", error);
    CHECK(mk_pcg64_next(&a) == mk_pcg64_next(&b), "and use the stream alike");
    mk_dist_free(plain);
    mk_dist_free(fast);
    mk_dist_free(other);
}

int main(void)
{
    double *u = malloc(N * sizeof *u);
    gsl_set_error_handler_off();
    uniforms(u);
    check_laws(u);
    check_mixture(u);
    check_tabulate();
    free(u);
    return CHECK_EXIT;
}

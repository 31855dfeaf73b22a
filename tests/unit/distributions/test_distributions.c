/* Every family of the registry over the parameter sets of dist_cases.h: tails, quantiles, density, ends, atoms. */
#include <float.h>

#include <gsl/gsl_errno.h>

#include "tests/support/check.h"
#include "tests/support/dist_cases.h"

/* Width of one rounding of x and of the numbers that x is computed from. */
static double rounding(const struct mk_dist *d, double x)
{
    double lo, hi, size = fabs(x), median = mk_dist_inverse_survival(d, 0.5);
    mk_dist_support(d, &lo, &hi);
    if (isfinite(lo)) size = fmax(size, fabs(lo));
    if (isfinite(hi)) size = fmax(size, fabs(hi));
    return fmax(size, fabs(median)) * DBL_EPSILON;
}

struct tally {
    int tested, failed, unordered, ill;
    double worst;
    double worst_at;
};

/* One quantile: the tail at inverse(p) must be p, up to what the rounding of x itself does to it. */
static void round_trip(const struct mk_dist *d, double upper, double lower, struct tally *t)
{
    double x = d->type->inverse(d, upper, lower), lo, hi;
    mk_dist_support(d, &lo, &hi);
    if (!(x >= lo && x <= hi)) t->unordered++;
    double p = fmin(upper, lower), tail = upper < lower ? mk_dist_survival(d, x) : mk_dist_cdf(d, x);
    double blur = 4 * rounding(d, x) * d->type->density(d, x) / p;
    if (strcmp(d->type->name, "truncated") == 0) { /* differences of the inner tail cancel near a finite bound */
        const struct mk_dist *in = d->part[0];
        double outside = upper < lower ? mk_dist_survival(in, x) : mk_dist_cdf(in, x);
        double mass =
            fmax(mk_dist_survival(in, lo) - mk_dist_above(in, hi), mk_dist_cdf(in, hi) - mk_dist_below(in, lo));
        blur += 1e-14 * fmin(outside, 1 - outside + mass) / (p * mass);
    }
    if (x == lo || x == hi || x == 0 || !(blur < 0.1)) {
        t->ill++;
        return;
    }
    double error = fabs(tail - p) / p;
    t->tested++;
    if (error > 2e-12 + blur) t->failed++;
    if (error - blur > t->worst) {
        t->worst = error - blur;
        t->worst_at = upper < lower ? p : -p;
    }
}

static void check_quantiles(const struct mk_dist *d, const char *name)
{
    static const double p[] = {1e-300, 1e-250, 1e-200, 1e-150, 1e-100, 1e-60, 1e-30, 1e-20,  1e-16, 1e-13,
                               1e-12,  1e-11,  1e-10,  1e-8,   1e-6,   1e-5,  1e-4,  1e-3,   0.01,  0.03,
                               0.07,   0.1,    0.2,    0.3,    0.4,    0.45,  0.49,  0.4999, 0.5};
    const int n = sizeof p / sizeof *p;
    struct tally t = {0};
    double last = -INFINITY;
    for (int i = 0; i < 2 * n; i++) {
        double lower = i < n ? p[i] : 1 - p[2 * n - 1 - i], upper = i < n ? 1 - p[i] : p[2 * n - 1 - i];
        double x = d->type->inverse(d, upper, lower);
        /* At the middle the solvers change sides: a few roundings of disorder are allowed. */
        if (!(x >= last || x >= last - 4 * rounding(d, x))) t.unordered++;
        last = x;
        if (!mk_dist_has_atoms(d)) round_trip(d, upper, lower, &t);
    }
    CHECK(t.failed == 0 && t.unordered == 0,
          "%s: G(inverse(u)) = u in both tails (%d, %d beyond doubles, worst %.1e at %g)", name, t.tested, t.ill,
          t.worst, t.worst_at);
    if (!mk_dist_has_atoms(d)) CHECK(t.tested >= 20, "%s: %d quantiles could be tested", name, t.tested);
}

/* Distance from x to the nearest point where G is not smooth. */
static double smooth(const struct mk_dist *d, double x)
{
    size_t n = mk_dist_breaks(d, NULL);
    double lo, hi, *at = malloc((n + 1) * sizeof *at);
    mk_dist_support(d, &lo, &hi);
    mk_dist_breaks(d, at);
    double least = fmin(x - lo, hi - x);
    for (size_t i = 0; i < n; i++) least = fmin(least, fabs(at[i] - x));
    free(at);
    return least;
}

static void check_density(const struct mk_dist *d, const char *name)
{
    int tested = 0, failed = 0, continuous = 0;
    double worst = 0, worst_at = 0;
    for (double p = 0.0005; p < 1; p += 0.0625 - 1e-4) {
        double x = mk_dist_inverse_survival(d, p), f = d->type->density(d, x);
        if (!(f > 0) || isinf(f)) continue;
        continuous = 1;
        double h = fmin(2e-4 * fmin(p, 1 - p) / f, 1e-3 * smooth(d, x));
        if (!(h > 1e5 * rounding(d, x)) && !(h > 1e5 * DBL_EPSILON * fabs(x) && mk_dist_cdf(d, x) < 0.5)) continue;
        double up = x + h, down = x - h;
        double slope = p < 0.5 ? (mk_dist_survival(d, down) - mk_dist_survival(d, up)) / (up - down)
                               : (mk_dist_cdf(d, up) - mk_dist_cdf(d, down)) / (up - down);
        double error = fabs(slope / f - 1);
        tested++;
        failed += error > 2e-6 + 4 * rounding(d, x) / h;
        if (error > worst) worst = error, worst_at = x;
    }
    CHECK(failed == 0 && (tested > 0 || !continuous) && (continuous || mk_dist_has_atoms(d)),
          "%s: density = -dG/dx (%d points, worst %.1e at %g)", name, tested, worst, worst_at);
}

static void check_ends(const struct mk_dist *d, const char *name)
{
    double lo, hi;
    mk_dist_support(d, &lo, &hi);
    int ok = lo <= hi && d->type->inverse(d, 0, 1) == hi && d->type->inverse(d, 1, 0) == lo;
    CHECK(ok, "%s: inverse(0) and inverse(1) are the ends of the support", name);
    ok = mk_dist_survival(d, lo) == 1 && mk_dist_below(d, lo) == 0 && mk_dist_above(d, hi) == 0 &&
         mk_dist_cdf(d, hi) == 1;
    double out = isfinite(hi) ? hi + 1 + fabs(hi) : hi, under = isfinite(lo) ? lo - 1 - fabs(lo) : lo;
    ok &= mk_dist_survival(d, out) == 0 && mk_dist_cdf(d, out) == 1 && d->type->density(d, out) == 0;
    ok &= mk_dist_survival(d, under) == 1 && mk_dist_cdf(d, under) == 0 && d->type->density(d, under) == 0;
    CHECK(ok, "%s: G and F at and beyond the ends of [%g, %g]", name, lo, hi);
}

/* G falls, F rises, and they add up; strict and weak versions are consistent. */
static void check_tails(const struct mk_dist *d, const char *name)
{
    double lo = d->type->inverse(d, 1 - 1e-9, 1e-9), hi = d->type->inverse(d, 1e-9, 1 - 1e-9);
    double last_g = 1, last_f = 0, width = fmax(hi - lo, 1e-3);
    int falls = 1, adds = 1;
    for (int i = -20; i <= 1020; i++) {
        double x = lo + width * (i / 1000.0);
        double g = mk_dist_survival(d, x), f = mk_dist_cdf(d, x), a = mk_dist_above(d, x), b = mk_dist_below(d, x);
        falls &= g <= last_g * (1 + 1e-12) && f >= last_f * (1 - 1e-12) && a <= g && b <= f && g <= 1 && f <= 1;
        adds &= fabs(g + b - 1) < 1e-12 && fabs(f + a - 1) < 1e-12;
        last_g = g;
        last_f = f;
    }
    CHECK(falls, "%s: G falls, F rises, P(X > x) <= P(X >= x)", name);
    CHECK(adds, "%s: P(X >= x) + P(X < x) = 1 and P(X > x) + P(X <= x) = 1", name);
}

static void check_atoms(const struct mk_dist *d, const char *name)
{
    size_t n = mk_dist_breaks(d, NULL);
    double *x = malloc((n + 1) * sizeof *x);
    int atoms = 0, ok = 1;
    mk_dist_breaks(d, x);
    for (size_t i = 0; i < n; i++) {
        double g = mk_dist_survival(d, x[i]), a = mk_dist_above(d, x[i]), middle = 0.5 * (g + a);
        if (!(g - a > 1e-12)) continue;
        atoms++;
        ok &= d->type->inverse(d, g, mk_dist_below(d, x[i])) == x[i];
        ok &= d->type->inverse(d, middle, 1 - middle) == x[i];
    }
    CHECK(ok && atoms > 0, "%s: inverse returns each of the %d atoms at its jump", name, atoms);
    free(x);
}

static void check_breaks(const struct mk_dist *d, const char *name)
{
    size_t n = mk_dist_breaks(d, NULL), finite = 0;
    double *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++) x[i] = NAN;
    size_t filled = mk_dist_breaks(d, x);
    for (size_t i = 0; i < filled; i++) finite += isfinite(x[i]);
    CHECK(filled <= n && finite == filled, "%s: %zu break points, %zu of them finite", name, filled, finite);
    free(x);
}

static void check_cases(void)
{
    for (size_t i = 0; i < N_DIST_CASES; i++) {
        struct mk_dist *d = dist_case_make(i);
        char name[160];
        dist_case_name(d, name, sizeof name);
        check_quantiles(d, name);
        check_density(d, name);
        check_ends(d, name);
        check_tails(d, name);
        check_breaks(d, name);
        if (mk_dist_has_atoms(d)) check_atoms(d, name);
        mk_dist_free(d);
    }
}

static void check_registry(void)
{
    for (size_t k = 0; k < mk_dist_type_count(); k++) {
        const struct mk_dist_type *type = mk_dist_type_at(k);
        int sets = 0;
        for (size_t i = 0; i < N_DIST_CASES; i++) {
            const char *used = dist_cases[i].wrapper ? dist_cases[i].wrapper : dist_cases[i].family;
            sets += strcmp(used, type->name) == 0;
        }
        CHECK(sets > 0, "%s: %d parameter sets in tests/support/dist_cases.h (a new family needs some there)",
              type->name, sets);
        CHECK(type->summary && type->formula && type->reference && type->params && type->sample && type->survival &&
                  type->cdf && type->inverse && type->density && type->support,
              "%s: descriptor is complete", type->name);
        CHECK(mk_dist_type_find(type->name) == type, "%s: found by name", type->name);
    }
    CHECK(mk_dist_type_find("no_such_family") == NULL, "unknown families are not found");
}

int main(void)
{
    gsl_set_error_handler_off();
    check_registry();
    check_cases();
    return CHECK_EXIT;
}

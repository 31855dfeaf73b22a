#include "sim/run/engine/check_plugin.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "policies/parts/reward_scaling.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

/* The defaults; of required parameters the middle or 1 from the finite end of their range. */
static void usual_parameters(const struct mk_param *params, double *par)
{
    mk_param_defaults(params, par);
    for (size_t i = 0; i < mk_param_count(params); i++) {
        const struct mk_param *p = &params[i];
        if (!(p->flags & MK_REQUIRED)) continue;
        par[i] = isfinite(p->lo) && isfinite(p->hi) ? (p->lo + p->hi) / 2
                 : isfinite(p->lo)                  ? p->lo + 1
                 : isfinite(p->hi)                  ? p->hi - 1
                                                    : 0;
        if (p->kind == MK_INTEGER) par[i] = floor(par[i]);
    }
}

/* ---- policies ---- */

enum { MOST_ROUNDS = 400, GUARD = 256, GUARD_BYTE = 0xc3 };

enum kind { DISTINCT, TIED, CONSTANT, NEGATIVE, RISING, KINDS };

struct play {
    const struct mk_policy_type *type;
    const double *par;
    size_t arms;
    uint64_t horizon;
    enum kind kind;
    int fill; /* byte that the state is filled with before init */
};

static double reward_of(enum kind kind, size_t arm, uint64_t t)
{
    const double x = fmod(0.618033988749895 * (double)t + 0.3 * (double)arm, 1);
    switch (kind) {
    case TIED: return floor(4 * x);
    case CONSTANT: return 0.5;
    case NEGATIVE: return -100 * x;
    case RISING: return (double)t + x;
    default: return x;
    }
}

/* What an index policy with a bonus of round and pulls knows of its arms. */
struct index {
    double max, pulls;
};

static double parameter_of(const struct play *play, const char *name)
{
    const int i = mk_param_find(play->type->params, name);
    return i < 0 ? 0 : play->par[i];
}

/* The factor R of the bonus. */
static double factor_of(const struct play *play, double smallest, double largest)
{
    const enum mk_scale scale = (enum mk_scale)parameter_of(play, "scale");
    const double width = parameter_of(play, "scale_hi") - parameter_of(play, "scale_lo");
    const double factor = scale == MK_SCALE_NONE         ? 1
                          : scale == MK_SCALE_GLOBAL_MAX ? largest
                                                         : (largest - smallest) / width;
    return factor > 0 ? factor : 1;
}

/* Whether every arm that was pulled after the first K rounds had the largest index by the policy's `bonus`, up to
 * rounding. */
static int check_bonus(const struct play *play, const uint32_t *arm, struct mk_error *err)
{
    static const double rounding = 1e-9;
    const struct mk_policy_type *type = play->type;
    const struct mk_setup s = {.arms = play->arms, .horizon = play->horizon, .par = play->par};
    double smallest = INFINITY, largest = -INFINITY;
    if (!type->bonus || isnan(type->bonus(&s, play->horizon, 1))) return MK_OK;
    struct index *own = calloc(play->arms, sizeof *own);
    int code = own ? MK_OK : mk_fail_memory(err, "the state of a policy");
    for (uint64_t t = 1; !code && t <= play->horizon; t++) {
        const size_t k = arm[t - 1];
        if (t > play->arms) {
            const double factor = factor_of(play, smallest, largest);
            double best = -INFINITY, its = NAN, size = 0;
            for (size_t j = 0; j < play->arms; j++) {
                const double bonus = factor * type->bonus(&s, t, (uint64_t)own[j].pulls), index = own[j].max + bonus;
                best = fmax(best, index);
                size = fmax(size, fabs(own[j].max) + bonus);
                if (j == k) its = index;
            }
            if (!(its >= best - rounding * size))
                code = mk_fail(err, MK_EINPUT,
                               "%s: bonus: round %" PRIu64
                               ": the arm that is pulled has the index %g, another one %g (%zu arms)",
                               type->name, t, its, best, play->arms);
        }
        const double reward = reward_of(play->kind, k, t);
        own[k] = (struct index){own[k].pulls > 0 ? fmax(own[k].max, reward) : reward, own[k].pulls + 1};
        smallest = fmin(smallest, reward);
        largest = fmax(largest, reward);
    }
    free(own);
    return code;
}

/* The first n arms of a run that ends at play->horizon into arm[]; n <= horizon. */
static int run(const struct play *play, uint64_t n, uint32_t *arm, struct mk_error *err)
{
    const struct mk_policy_type *type = play->type;
    struct mk_pcg64 rng;
    double *cost = malloc(play->arms * sizeof *cost);
    const struct mk_setup s = {.arms = play->arms,
                               .horizon = play->horizon,
                               .par = play->par,
                               .rng = &rng,
                               .best_arm = play->arms,
                               .cost = cost};
    const size_t bytes = cost ? type->state_size(&s) : 0;
    unsigned char *state = cost ? aligned_alloc(64, (bytes + GUARD + 63) & ~(size_t)63) : NULL;
    int code = state ? MK_OK : mk_fail_memory(err, "the state of a policy");
    for (size_t k = 0; !code && k < play->arms; k++) cost[k] = 1;
    if (!code) {
        memset(state, play->fill, bytes);
        memset(state + bytes, GUARD_BYTE, GUARD);
        mk_pcg64_seed(&rng, 7, 54);
        type->init(state, &s);
    }
    for (uint64_t t = 1; !code && t <= n; t++) {
        const size_t k = type->select(state, t);
        if (k >= play->arms)
            code = mk_fail(err, MK_EINPUT, "%s: select: expected an arm below %zu, got %zu in round %" PRIu64,
                           type->name, play->arms, k, t);
        else
            type->update(state, k, reward_of(play->kind, k, t), t);
        arm[t - 1] = (uint32_t)k;
    }
    for (size_t i = 0; !code && i < GUARD; i++)
        if (state[bytes + i] != GUARD_BYTE)
            code = mk_fail(err, MK_EINPUT, "%s: state_size: a byte %zu past the end of %zu is written (%zu arms)",
                           type->name, i, bytes, play->arms);
    free(state);
    free(cost);
    return code;
}

static int compare(const struct play *first, const struct play *second, const char *problem, struct mk_error *err)
{
    uint32_t a[MOST_ROUNDS], b[MOST_ROUNDS];
    const uint64_t n = first->horizon;
    int code = run(first, n, a, err);
    if (!code && first->horizon == second->horizon) code = check_bonus(first, a, err);
    if (!code) code = run(second, n, b, err);
    for (uint64_t t = 0; !code && t < n; t++)
        if (a[t] != b[t])
            code = mk_fail(err, MK_EINPUT, "%s: %s (%zu arms, round %" PRIu64 ")", first->type->name, problem,
                           first->arms, t + 1);
    return code;
}

int mk_check_policy(const struct mk_policy_type *type, size_t *plays, struct mk_error *err)
{
    static const size_t arms[] = {1, 2, 3, 17, 40};
    double par[MK_MAX_PARAMS];
    int code = MK_OK;
    usual_parameters(type->params, par);
    *plays = 0;
    for (size_t i = 0; i < sizeof arms / sizeof *arms; i++)
        for (int kind = 0; !code && kind < KINDS; kind++) {
            const struct play one = {type, par, arms[i], MOST_ROUNDS, (enum kind)kind, 0xa5};
            struct play other = one;
            other.fill = 0x5a;
            code = compare(&one, &other,
                           "a second run selects other arms: memory that init has not set, or a state elsewhere", err);
            other = one;
            other.horizon = 3 * MOST_ROUNDS;
            if (!code && !mk_policy_needs_horizon(type, par))
                code = compare(&one, &other, "the first rounds depend on the horizon; expected MK_POLICY_NEEDS_HORIZON",
                               err);
            *plays += !code;
        }
    return code;
}

/* ---- families ---- */

enum { DRAWS = 20000, TAILS = 13, STEPS = 1000 };

/* sup |F_n - F| of n draws exceeds 2.694 / sqrt(n) with probability 10^-6 (Massart 1990). */
static const double largest_distance = 2.694;

static int fail(const struct mk_dist *d, struct mk_error *err, const char *problem, double x)
{
    return mk_fail(err, MK_EINPUT, "%s: %s (at %.17g)", d->type->name, problem, x);
}

static int check_ends(const struct mk_dist *d, struct mk_error *err)
{
    double lo, hi;
    mk_dist_support(d, &lo, &hi);
    if (!(lo <= hi)) return fail(d, err, "support: expected ends in their order", lo);
    if (d->type->inverse(d, 0, 1) != hi) return fail(d, err, "inverse: expected the upper end for upper = 0", hi);
    if (d->type->inverse(d, 1, 0) != lo) return fail(d, err, "inverse: expected the lower end for lower = 0", lo);
    const double above = isfinite(hi) ? hi + 1 + fabs(hi) : hi, below = isfinite(lo) ? lo - 1 - fabs(lo) : lo;
    if (mk_dist_survival(d, lo) != 1 || mk_dist_survival(d, below) != 1)
        return fail(d, err, "survival: expected 1 at and below the lower end", lo);
    if (mk_dist_cdf(d, hi) != 1 || mk_dist_cdf(d, above) != 1)
        return fail(d, err, "cdf: expected 1 at and above the upper end", hi);
    if (mk_dist_above(d, hi) != 0 || mk_dist_survival(d, above) != 0)
        return fail(d, err, "survival: expected P(X > x) = 0 at and above the upper end", hi);
    if (mk_dist_below(d, lo) != 0 || mk_dist_cdf(d, below) != 0)
        return fail(d, err, "cdf: expected P(X < x) = 0 at and below the lower end", lo);
    if (d->type->density(d, above) != 0 || d->type->density(d, below) != 0)
        return fail(d, err, "density: expected 0 outside of the support", isfinite(hi) ? above : below);
    return MK_OK;
}

static int check_order(const struct mk_dist *d, struct mk_error *err)
{
    const double lo = d->type->inverse(d, 1 - 1e-9, 1e-9), hi = d->type->inverse(d, 1e-9, 1 - 1e-9);
    const double width = fmax(hi - lo, 1e-3);
    double last_g = 1, last_f = 0;
    for (int i = -20; i <= STEPS + 20; i++) {
        const double x = lo + width * (i / (double)STEPS), g = mk_dist_survival(d, x), f = mk_dist_cdf(d, x);
        if (!(g <= last_g * (1 + 1e-12) && g <= 1)) return fail(d, err, "survival: expected a falling function", x);
        if (!(f >= last_f * (1 - 1e-12) && f <= 1)) return fail(d, err, "cdf: expected a rising function", x);
        if (!(fabs(g + mk_dist_below(d, x) - 1) < 1e-12 && fabs(f + mk_dist_above(d, x) - 1) < 1e-12))
            return fail(d, err, "survival, cdf: expected P(X >= x) + P(X < x) = 1 and P(X > x) + P(X <= x) = 1", x);
        last_g = g;
        last_f = f;
    }
    return MK_OK;
}

/* The inverse at probabilities from 1/2 down to 10^-12, of either tail. x itself is rounded: what that changes of a
 * tail probability is not counted. */
static int check_inverse(const struct mk_dist *d, struct mk_error *err)
{
    for (int upper = 0; upper < 2; upper++)
        for (int k = 0; k < TAILS; k++) {
            const double p = k ? pow(10, -k) : 0.5, x = d->type->inverse(d, upper ? p : 1 - p, upper ? 1 - p : p);
            const double near = 4 * 2.3e-16 * fabs(x) * d->type->density(d, x);
            const double got = upper ? mk_dist_survival(d, x) : mk_dist_cdf(d, x);
            const double past = upper ? mk_dist_above(d, x) : mk_dist_below(d, x); /* smaller at an atom */
            if (!(got >= p * (1 - 1e-9) - near && past <= p * (1 + 1e-9) + near))
                return mk_fail(err, MK_EINPUT, "%s: inverse: tail probability %g gives x = %.17g, whose own is %g",
                               d->type->name, p, x, got);
        }
    return MK_OK;
}

/* Probability of (a, b] from the tail in which it is accurate. */
static double check_plugin_between(const struct mk_dist *d, double a, double b)
{
    const double g = mk_dist_above(d, a);
    return g < 0.5 ? g - mk_dist_above(d, b) : mk_dist_cdf(d, b) - mk_dist_cdf(d, a);
}

static int check_density(const struct mk_dist *d, struct mk_error *err)
{
    if (mk_dist_has_atoms(d)) return MK_OK;
    for (int i = 1; i < 100; i++) {
        const double p = i / 100.0, x = d->type->inverse(d, p, 1 - p), f = d->type->density(d, x);
        const double h = 1e-4 * (d->type->inverse(d, p - 0.005, 1.005 - p) - x),
                     slope = check_plugin_between(d, x - h, x + h) / (2 * h);
        if (!(fabs(slope - f) <= 1e-3 * fmax(f, slope)))
            return mk_fail(err, MK_EINPUT, "%s: density: expected the slope of cdf, %g, got %g (at %.17g)",
                           d->type->name, slope, f, x);
    }
    return MK_OK;
}

static int check_breaks(const struct mk_dist *d, struct mk_error *err)
{
    double lo, hi;
    const size_t n = mk_dist_breaks(d, NULL);
    double *x = malloc((n + 1) * sizeof *x);
    if (!x) return mk_fail_memory(err, "breaks");
    mk_dist_support(d, &lo, &hi);
    int code = mk_dist_breaks(d, x) == n ? MK_OK : fail(d, err, "breaks: expected the same number twice", (double)n);
    for (size_t i = 0; !code && i < n; i++)
        if (!(x[i] >= lo && x[i] <= hi)) code = fail(d, err, "breaks: expected points of the support", x[i]);
    free(x);
    return code;
}

/* sup |F_n - F| sqrt(n) of sorted draws; atoms are compared where F is constant. */
static double distance(const struct mk_dist *d, const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 == n || x[i + 1] > x[i]) most = fmax(most, fabs((double)(i + 1) / (double)n - mk_dist_cdf(d, x[i])));
        if (i == 0 || x[i] > x[i - 1]) most = fmax(most, fabs((double)i / (double)n - mk_dist_below(d, x[i])));
    }
    return most * sqrt((double)n);
}

static int check_draws(const struct mk_dist *d, struct mk_error *err)
{
    struct mk_pcg64 rng;
    double lo, hi, *whole = malloc(2 * DRAWS * sizeof *whole), *split = whole ? whole + DRAWS : NULL;
    if (!whole) return mk_fail_memory(err, "draws");
    mk_dist_support(d, &lo, &hi);
    mk_pcg64_seed(&rng, 7, 54);
    d->type->sample(d, &rng, DRAWS, whole);
    mk_pcg64_seed(&rng, 7, 54);
    for (size_t at = 0, n = 1; at < DRAWS; at += n, n = (7 * n + 1) % 1000)
        d->type->sample(d, &rng, n = n < DRAWS - at ? n : DRAWS - at, split + at);
    int code = MK_OK;
    for (size_t i = 0; !code && i < DRAWS; i++) {
        if (memcmp(&whole[i], &split[i], sizeof *whole) != 0)
            code = fail(d, err, "sample: other draws when they are split into calls", whole[i]);
        else if (!(whole[i] >= lo && whole[i] <= hi))
            code = fail(d, err, "sample: a draw outside of the support", whole[i]);
    }
    qsort(whole, DRAWS, sizeof *whole, mk_compare_reals);
    if (!code && distance(d, whole, DRAWS) > largest_distance)
        code =
            mk_fail(err, MK_EINPUT, "%s: sample: %d draws are not distributed as cdf says (Kolmogorov distance %.3g)",
                    d->type->name, DRAWS, distance(d, whole, DRAWS) / sqrt(DRAWS));
    free(whole);
    return code;
}

static int check_expected_max(const struct mk_dist *d, struct mk_error *err)
{
    for (double n = 1; n <= 1e6; n *= 10) {
        double closed, integral;
        struct mk_error why;
        if (mk_dist_expected_max_quadrature(d, n, &integral, &why) || !isfinite(integral)) continue;
        const double given = d->type->expected_max ? d->type->expected_max(d, n) : NAN;
        closed = isnan(given) ? integral : given;
        if (!(fabs(closed - integral) <= 1e-8 * fmax(fabs(integral), 1e-3)))
            return mk_fail(err, MK_EINPUT, "%s: expected_max: expected %.12g by quadrature for n = %g, got %.12g",
                           d->type->name, integral, n, closed);
    }
    return MK_OK;
}

int mk_check_distribution(const struct mk_dist *d, size_t *checks, struct mk_error *err)
{
    static int (*const check[])(const struct mk_dist *, struct mk_error *) = {
        check_ends, check_order, check_inverse, check_density, check_breaks, check_draws, check_expected_max};
    int code = MK_OK;
    *checks = 0;
    for (size_t i = 0; !code && i < sizeof check / sizeof *check; i++) {
        code = check[i](d, err);
        *checks += !code;
    }
    return code;
}

int mk_check_family(const struct mk_dist_type *type, size_t *checks, struct mk_error *err)
{
    struct mk_dist_spec spec = {.type = type};
    struct mk_dist *d = NULL;
    struct mk_error why;
    int param;
    *checks = 0;
    usual_parameters(type->params, spec.v);
    int code = mk_dist_new(&d, &spec, &param, &why);
    if (code)
        return mk_fail(err, code, "%s: %s%s%s with its default parameters; --arm '{family: %s, …}' gives others",
                       type->name, param >= 0 ? type->params[param].name : "", param >= 0 ? ": " : "", why.text,
                       type->name);
    code = mk_check_distribution(d, checks, err);
    mk_dist_free(d);
    return code;
}

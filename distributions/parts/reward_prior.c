#include "distributions/parts/reward_prior.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_math.h>
#include <math.h>

static double upper(double z)
{
    return erfc(z * M_SQRT1_2) / 2;
}

/* L(h), h >= 0, for the shape -a, a >= 20 */
static double light_tail(double a, double h)
{
    const double u = h * a;
    if (u > 9) return 0;
    return exp(-h * h / 2) * (exp(-u * u / 2) - u * (M_SQRT2 * M_SQRTPI) * upper(u)) / (M_PI * a);
}

/* P(Z <= z) of the standard skew-normal distribution of shape -a */
static double skew_cdf(double a, double z)
{
    return z > 0 ? 1 - light_tail(a, z) : 2 * upper(-z) - light_tail(a, -z);
}

static double skew_density(double a, double z)
{
    return M_SQRT2 / M_SQRTPI * exp(-z * z / 2) * upper(a * z);
}

/* z <= 0 with P(Z <= z) = p P(Z <= 0) */
static double skew_quantile(double a, double p)
{
    const double want = p * skew_cdf(a, 0);
    double z = -gsl_cdf_ugaussian_Qinv(want / 2);
    for (int i = 0; i < 4; i++) z -= (skew_cdf(a, z) - want) / skew_density(a, z);
    return z;
}

static double uniform_between(struct mk_pcg64 *rng, double lo, double hi)
{
    return lo + (hi - lo) * mk_uniform(rng);
}

static void draw_tail(struct mk_reward_curve *c, struct mk_pcg64 *rng)
{
    c->location = mk_uniform(rng);
    c->shape = exp(uniform_between(rng, log(0.3), log(5)));
    c->scale = uniform_between(rng, 0.005, 0.6);
    c->mass = uniform_between(rng, 0.05, 1);
    c->below = 1 - c->mass * pow(fmin(1, c->location / c->scale), c->shape);
    for (int i = 0; i < MK_REWARD_SEGMENTS; i++) c->ceiling[i] = 1;
}

void mk_reward_curve_draw(struct mk_reward_curve *c, enum mk_reward_prior prior, struct mk_pcg64 *rng)
{
    static const double scales[] = {0.1, 0.2, 0.2}, ceilings[] = {0.001, 0.01, 0.1};
    c->prior = prior;
    if (prior == MK_PRIOR_TAIL) {
        draw_tail(c, rng);
        return;
    }
    c->shape = uniform_between(rng, 20, 100);
    c->location = mk_uniform(rng);
    c->scale = uniform_between(rng, 0, scales[prior]);
    c->below = skew_cdf(c->shape, -c->location / c->scale);
    c->mass = skew_cdf(c->shape, (1 - c->location) / c->scale) - c->below;
    const double a = uniform_between(rng, 20, 100), q = ceilings[prior],
                 scale = uniform_between(rng, q * (1 - c->location), q);
    const double pulls = MK_REWARD_SEGMENTS * MK_REWARD_SEGMENT_PULLS;
    for (int i = 0; i < MK_REWARD_SEGMENTS; i++) {
        const double middle = (i + 0.5) * MK_REWARD_SEGMENT_PULLS + 0.5;
        c->ceiling[i] = 1 + scale * skew_quantile(a, middle / (pulls + 1));
    }
}

/* e: the tail begins there. */
static double tail_start(const struct mk_reward_curve *c)
{
    return fmax(0, c->location - c->scale);
}

double mk_reward_curve_cdf(const struct mk_reward_curve *c, uint64_t segment, double x)
{
    const double y = x / c->ceiling[segment];
    if (y <= 0) return 0;
    if (y >= 1) return 1;
    if (c->prior != MK_PRIOR_TAIL)
        return fmin(1, fmax(0, (skew_cdf(c->shape, (y - c->location) / c->scale) - c->below) / c->mass));
    if (y >= c->location) return 1;
    return y < tail_start(c) ? c->below * y / tail_start(c) : 1 - c->mass * pow((c->location - y) / c->scale, c->shape);
}

double mk_reward_curve_density(const struct mk_reward_curve *c, uint64_t segment, double x)
{
    const double y = x / c->ceiling[segment], b = c->location, w = c->scale, a = c->shape;
    if (y < 0 || y > 1) return 0;
    if (c->prior != MK_PRIOR_TAIL) return skew_density(a, (y - b) / w) / (w * c->mass * c->ceiling[segment]);
    if (y >= b) return 0;
    return y < tail_start(c) ? c->below / tail_start(c) : c->mass * a / w * pow((b - y) / w, a - 1);
}

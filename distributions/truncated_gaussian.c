/* Normal distribution N(mu, sigma^2) conditioned on lo <= X <= hi; either bound may be infinite, the window narrow or
 * far from mu.
 *
 *     G(x) = (Phi((hi - mu)/sigma) - Phi((x - mu)/sigma)) / (Phi((hi - mu)/sigma) - Phi((lo - mu)/sigma)).
 *
 * Away from the centre that formula underflows or suffers cancellation. Here all masses are integrals of exp(-t
 * (c + t/2)) dt, where c >= 0 is the smallest |x - mu|/sigma in the window and t the distance from there in units of
 * sigma (a window below mu is reflected). They come from
 *   - Gauss-Legendre with 10 nodes while the exponent changes by at most about 1,
 *   - differences of exp(-t (c + t/2)) / h(c + t), h(z) = phi(z)/Q(z) the hazard function, on one side of mu,
 *   - sums of error functions across mu.
 * Sampled by inversion, with the vectorised normal quantile unless the window is narrow or begins beyond 8 sigma. */
#include <gsl/gsl_sf_erf.h>

#include "distributions/parts/kernel.h"
#include "distributions/parts/tools.h"

enum { MU, SIGMA, LO, HI, PARAMS };
enum { C, SIDE, FROM, TO, TOTAL, PLAIN, BASE, SLOPE }; /* FROM, TO: the window in t, FROM = 0 where C > 0 */

static const struct mk_param params[] = {
    MK_FINITE("mu", MK_REQUIRED, 0, "mean of the parent normal distribution"),
    MK_POSITIVE("sigma", MK_REQUIRED, 0, "standard deviation of the parent normal distribution"),
    {"lo", MK_REAL, MK_REQUIRED, 0, -INFINITY, INFINITY, NULL, "lower bound, may be -inf"},
    {"hi", MK_REAL, MK_REQUIRED, 0, -INFINITY, INFINITY, NULL, "upper bound, may be inf"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

enum { NODES = 10 };

/* The mass of [t, t + width] by the quadrature rule */
static double narrow_mass(const struct mk_dist *d, double t, double width)
{
    const double *node = d->table, c = d->c[C];
    double sum = 0;
    for (size_t i = 0; i < NODES; i++) {
        double at = t + width * node[2 * i];
        sum += node[2 * i + 1] * exp(-at * (c + 0.5 * at));
    }
    return width * sum;
}

/* log of the mass beyond t >= 0 */
static double log_tail(double c, double t)
{
    double z = c + t;
    return -t * (c + 0.5 * t) - log(z > 1e8 ? z : gsl_sf_hazard(z));
}

/* Mass of [t, to]; width = to - t is passed separately because it may be far smaller than t. */
static double mass(const struct mk_dist *d, double t, double to, double width)
{
    double c = d->c[C], far = fmax(fabs(c + t), fabs(c + to));
    if (!(width > 0)) return 0;
    if (width * (far + 1) <= 1.5) return narrow_mass(d, t, width);
    if (t >= 0) return exp(log_tail(c, t)) - (isinf(to) ? 0 : exp(log_tail(c, to)));
    if (to <= 0) return exp(log_tail(0, -to)) - (isinf(t) ? 0 : exp(log_tail(0, -t)));
    return 1.2533141373155002512 * (erf(to * M_SQRT1_2) + erf(-t * M_SQRT1_2));
}

static void prepare_sampler(struct mk_dist *d)
{
    const double *c = d->c;
    double z_from = c[C] + c[FROM], z_to = c[C] + c[TO];
    d->c[PLAIN] = c[C] <= 8 && (c[TO] - c[FROM]) * (fmax(fabs(z_from), fabs(z_to)) + 1) > 1.5;
    d->c[BASE] = mk_normal_upper(z_to);
    d->c[SLOPE] = c[TOTAL] * mk_normal_density(c[C]);
}

static const char *prepare(struct mk_dist *d, int *param)
{
    double mu = d->v[MU], sigma = d->v[SIGMA], lo = d->v[LO], hi = d->v[HI];
    *param = HI;
    if (!(lo < hi)) return "expected a number > lo";
    *param = -1;
    if (lo == INFINITY || hi == -INFINITY) return "expected an interval that contains a finite number";
    d->c[SIDE] = hi <= mu ? -1 : 1;
    if (lo < mu && hi > mu) {
        d->c[FROM] = (lo - mu) / sigma;
        d->c[TO] = (hi - mu) / sigma;
    } else {
        d->c[C] = (d->c[SIDE] > 0 ? lo - mu : mu - hi) / sigma;
        d->c[TO] = (hi - lo) / sigma;
    }
    d->table = mk_legendre_nodes(NODES);
    if (!d->table) return mk_dist_no_memory;
    d->c[TOTAL] = mass(d, d->c[FROM], d->c[TO], d->c[TO] - d->c[FROM]);
    prepare_sampler(d);
    return isfinite(d->c[C]) && d->c[TOTAL] > 0
               ? NULL
               : "lo to hi is too far from mu or too narrow: its probability is not a positive double";
}

static void sample(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out)
{
    if (d->c[PLAIN] == 0) {
        mk_sample_by_inverse(d, rng, n, out);
        return;
    }
    const double largest = 1 - 0x1p-53, lo = d->v[LO], hi = d->v[HI];
    for (size_t i = 0; i < n; i += MK_BLOCK) {
        size_t m = n - i < MK_BLOCK ? n - i : MK_BLOCK;
        mk_block_uniform(rng, m, out + i);
        mk_block_affine(m, out + i, d->c[BASE], d->c[SLOPE]);
        for (size_t j = i; j < i + m; j++) out[j] = out[j] < largest ? out[j] : largest;
        mk_block_normal(m, out + i);
        mk_block_affine(m, out + i, d->v[MU], d->c[SIDE] * d->v[SIGMA]);
        for (size_t j = i; j < i + m; j++) out[j] = out[j] < lo ? lo : out[j] > hi ? hi : out[j];
    }
}

/* t of a point of the window: its distance from the reference point, exact to rounding. */
static double offset(const struct mk_dist *d, double x)
{
    double from = d->c[FROM] < 0 ? d->v[MU] : d->c[SIDE] > 0 ? d->v[LO] : d->v[HI];
    return d->c[SIDE] * (x - from) / d->v[SIGMA];
}

/* Share of the window between x and its lower (end = -1) or upper end (end = 1). */
static double share(const struct mk_dist *d, double x, int end)
{
    double width = (end > 0 ? d->v[HI] - x : x - d->v[LO]) / d->v[SIGMA];
    int outwards = (end > 0) == (d->c[SIDE] > 0); /* towards larger t */
    double t = offset(d, x), part = outwards ? mass(d, t, d->c[TO], width) : mass(d, d->c[FROM], t, width);
    return fmin(1, part / d->c[TOTAL]);
}

static double survival(const struct mk_dist *d, double x)
{
    return x <= d->v[LO] ? 1 : x >= d->v[HI] ? 0 : share(d, x, 1);
}

static double cdf(const struct mk_dist *d, double x)
{
    return x <= d->v[LO] ? 0 : x >= d->v[HI] ? 1 : share(d, x, -1);
}

/* Distance from an end of the window, at t and inwards in direction `way`, that encloses the mass `wanted`; NaN when
 * too wide for the quadrature rule. */
static double near_end(const struct mk_dist *d, double t, double way, double wanted)
{
    if (isinf(t)) return NAN;
    double c = d->c[C], width = wanted * exp(t * (c + 0.5 * t));
    if (!(width * (fabs(c + t) + width + 1) <= 1)) return NAN;
    for (int i = 0; i < 20; i++) {
        double at = t + way * width;
        double error = (way > 0 ? mass(d, t, at, width) : mass(d, at, t, width)) - wanted;
        double step = error * exp(at * (c + 0.5 * at));
        width = fmax(width - step, 0.5 * width);
        if (fabs(step) <= 1e-8 * width) break; /* quadratic: the next error is below rounding */
    }
    return width;
}

struct target {
    double c, log_mass;
};

static double tail_residual(const void *context, double t, double *slope)
{
    const struct target *a = context;
    double z = a->c + t;
    *slope = z > 1e8 ? z : gsl_sf_hazard(z);
    return a->log_mass - log_tail(a->c, t);
}

/* The t with the share `near` of the window between it and FROM, `far` between it and TO, away from both ends. */
static double inside(const struct mk_dist *d, double near, double far)
{
    const double *c = d->c;
    if (c[FROM] < 0) {
        double scale = c[TOTAL] * mk_normal_density(0);
        return mk_normal_inverse(far * scale + mk_normal_upper(c[TO]), near * scale + mk_normal_upper(-c[FROM]));
    }
    double beyond = isinf(c[TO]) ? 0 : exp(log_tail(c[C], c[TO])), head = log_tail(c[C], 0);
    double tail = near < far ? exp(head) - near * c[TOTAL] : far * c[TOTAL] + beyond;
    struct target target = {c[C], log(tail)};
    double drop = head - target.log_mass; /* about t (c + t/2) */
    double start = 2 * drop / (c[C] + sqrt(c[C] * c[C] + 2 * drop));
    return mk_solve(tail_residual, &target, 0, isinf(c[TO]) ? 2 * start + 1 : c[TO], start);
}

static double inverse(const struct mk_dist *d, double upper, double lower)
{
    const double *c = d->c;
    if (upper <= 0) return d->v[HI];
    if (lower <= 0) return d->v[LO];
    double near = c[SIDE] > 0 ? lower : upper, far = c[SIDE] > 0 ? upper : lower;
    double width = near < far ? near_end(d, c[FROM], 1, near * c[TOTAL]) : near_end(d, c[TO], -1, far * c[TOTAL]);
    if (!isnan(width)) {
        double end = lower < upper ? d->v[LO] : d->v[HI];
        return lower < upper ? end + d->v[SIGMA] * width : end - d->v[SIGMA] * width;
    }
    double from = c[FROM] < 0 ? d->v[MU] : c[SIDE] > 0 ? d->v[LO] : d->v[HI];
    double x = from + c[SIDE] * d->v[SIGMA] * inside(d, near, far);
    return x < d->v[LO] ? d->v[LO] : x > d->v[HI] ? d->v[HI] : x;
}

static double density(const struct mk_dist *d, double x)
{
    if (x < d->v[LO] || x > d->v[HI]) return 0;
    double t = offset(d, x);
    return exp(-t * (d->c[C] + 0.5 * t)) / (d->v[SIGMA] * d->c[TOTAL]);
}

static void support(const struct mk_dist *d, double *lo, double *hi)
{
    *lo = d->v[LO];
    *hi = d->v[HI];
}

const struct mk_dist_type mk_dist_truncated_gaussian = {
    .name = "truncated_gaussian",
    .summary = "normal distribution conditioned on an interval",
    .formula = "G(x) = (Phi(h) - Phi(z)) / (Phi(h) - Phi(l)), z, l, h = (x, lo, hi - mu)/sigma",
    .reference = "Balef et al. 2025, Table C.3",
    .params = params,
    .prepare = prepare,
    .sample = sample,
    .survival = survival,
    .cdf = cdf,
    .inverse = inverse,
    .density = density,
    .support = support,
};

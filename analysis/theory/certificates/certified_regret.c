#include "analysis/theory/certificates/certified_regret_parts.h"

#include <float.h>
#include <stdlib.h>

#include "sim/base/error.h"

/* mean[k] = E[M_k(T)] of all arms, and the best one by it. */
static int find_best(const struct mk_regret *r, double *mean, size_t *best, struct mk_error *err)
{
    int code = MK_OK;
    *best = 0;
    for (size_t k = 0; !code && k < r->arms; k++) {
        code = mk_dist_expected_max(r->all[k].dist, r->horizon, &mean[k], err);
        if (!code && mean[k] > mean[*best]) *best = k;
    }
    return code;
}

/* Of moving arms, by the median of M_k(T). */
static size_t likely_best(const struct mk_regret *r)
{
    double max = -INFINITY;
    size_t best = 0;
    for (size_t k = 0; k < r->arms; k++) {
        const double median = mk_known_at_rates(&r->all[k], MK_LOWER_TAIL, (uint64_t)r->horizon, M_LN2);
        if (median > max) best = k;
        max = fmax(max, median);
    }
    return best;
}

static double pulls_of_others(const struct mk_certificate *c, size_t best)
{
    double pulls = 0;
    for (size_t k = 0; k < c->arms; k++)
        if (k != best) pulls += c->arm[k].upper;
    return c->arms > 2 ? pulls * (1 + DBL_EPSILON * (double)c->arms) : pulls; /* of one arm: nothing is added */
}

static double proposition_4_1(double pulls, const struct mk_known_cdf *arm, size_t arms, double horizon)
{
    double min = INFINITY, max = -INFINITY;
    for (size_t k = 0; k < arms; k++) {
        double lower, upper;
        mk_dist_support(arm[k].dist, &lower, &upper);
        min = fmin(min, lower);
        max = fmax(max, arm[k].band > 0 ? INFINITY : upper);
    }
    return min >= 0 && isfinite(max) ? max / horizon * pulls * (1 + 2 * DBL_EPSILON) : NAN;
}

/* A bound takes the place of another one, which may be NaN, where it is known and narrower. */
static void narrow(double *bound, enum mk_certified_by *its, double other, enum mk_certified_by by, bool above)
{
    if (!(above ? other < *bound : other > *bound) && !(isnan(*bound) && !isnan(other))) return;
    *bound = other;
    *its = by;
}

/* Uses the certificate's bounds of the mean of the largest reward, and what follows of one of the four bounds from
 * another one; the mean of the best arm's largest reward is known up to `slack`. */
static void use_maximum(struct mk_certified_regret *out, const struct mk_certificate *c, double mean, double slack)
{
    narrow(&out->maximum_lower, &out->maximum_lower_by, c->maximum_lower, c->maximum_by, false);
    narrow(&out->maximum_upper, &out->maximum_upper_by, c->maximum_upper, c->maximum_by, true);
    narrow(&out->regret, &out->regret_by, mean - out->maximum_lower + slack, out->maximum_lower_by, true);
    narrow(&out->maximum_lower, &out->maximum_lower_by, mean - out->regret - slack, out->regret_by, false);
    out->regret_lower = mean - out->maximum_upper - slack;
    out->regret_lower_by = out->maximum_upper_by;
}

/* The regret of moving arms that leave nothing to chance. */
static void regret_of_play(struct mk_certified_regret *out, const struct mk_certificate *c,
                           const struct mk_known_cdf *arm, uint64_t horizon)
{
    double max = -INFINITY, step = 0;
    size_t best = 0;
    for (size_t k = 0; k < c->arms; k++) {
        const struct mk_moving *m = arm[k].moving;
        step = fmax(step, m->step);
        for (uint64_t pull = 1; pull <= horizon; pull++) {
            const double reward = m->reward(m, pull);
            if (reward > max) best = k;
            max = fmax(max, reward);
        }
    }
    out->pulls = pulls_of_others(c, best);
    use_maximum(out, c, max, step);
}

/* Of arms that stay the same. */
static int regret_of_known(struct mk_certified_regret *out, struct mk_regret *r, double *mean,
                           const struct mk_certificate *c, struct mk_error *err)
{
    size_t best;
    int code = find_best(r, mean, &best, err);
    if (code || c->arm[best].min == 0) return code; /* the theorem asks for a pull of it */
    out->pulls = pulls_of_others(c, best);
    out->proposition_4_1 = proposition_4_1(out->pulls, r->all, r->arms, r->horizon);
    if (r->all[best].band > 0 || !isfinite(mean[best])) return MK_OK;
    r->mean = mean;
    code = mk_regret_by_products(out, r, c, best, err);
    use_maximum(out, c, mean[best], MK_MEAN_ERROR * fabs(mean[best]));
    return code;
}

int mk_certified_regret(struct mk_certified_regret *out, const struct mk_certificate *c, const struct mk_known_cdf *arm,
                        uint64_t horizon, struct mk_error *err)
{
    struct mk_regret r = {.all = arm, .arms = c->arms, .horizon = (double)horizon};
    *out = MK_NO_REGRET;
    if (!arm[0].moving) {
        double *mean = malloc(r.arms * sizeof *mean);
        const int code = mean ? regret_of_known(out, &r, mean, c, err) : mk_fail_memory(err, "the regret");
        free(mean);
        return code;
    }
    if (!isnan(c->maximum_lower)) { /* only play says it of moving arms */
        regret_of_play(out, c, arm, horizon);
        return MK_OK;
    }
    const size_t best = likely_best(&r);
    out->pulls = pulls_of_others(c, best);
    return c->arm[best].min > 0 ? mk_regret_by_products(out, &r, c, best, err) : MK_OK;
}

int mk_regret_of_maximum(struct mk_certified_regret *out, double lower, double upper, const struct mk_known_cdf *arm,
                         size_t arms, uint64_t horizon, struct mk_error *err)
{
    const struct mk_regret r = {.all = arm, .arms = arms, .horizon = (double)horizon};
    size_t best;
    *out = MK_NO_REGRET;
    out->maximum_lower = lower;
    out->maximum_upper = upper;
    for (size_t k = 0; k < arms; k++)
        if (arm[k].moving || arm[k].band > 0) return MK_OK;
    double *mean = calloc(arms, sizeof *mean);
    const int code = mean ? find_best(&r, mean, &best, err) : mk_fail_memory(err, "the regret");
    if (!code && isfinite(mean[best])) {
        const double slack = MK_MEAN_ERROR * fabs(mean[best]);
        out->regret = mean[best] - lower + slack;
        out->regret_lower = mean[best] - upper - slack;
    }
    free(mean);
    return code;
}

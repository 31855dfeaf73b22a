#include "analysis/compare/reward_unit.h"

#include <math.h>
#include <stddef.h>

#include "policies/parts/reward_scaling.h"

static double parameter(const struct mk_policy_type *type, const double *par, const char *name)
{
    int at = type ? mk_param_find(type->params, name) : -1;
    return at < 0 ? NAN : par[at];
}

static void set_map(struct mk_reward_unit *u, const struct mk_policy_type *type, const double *par)
{
    const double scale = parameter(type, par, "scale");
    u->origin = 0;
    u->unit = 1;
    if (scale == MK_SCALE_GLOBAL_MAX) {
        if (u->high > 0) u->unit = isfinite(u->high) ? u->high : NAN;
    } else if (scale == MK_SCALE_MINMAX) {
        const double range = u->high - u->low,
                     width = parameter(type, par, "scale_hi") - parameter(type, par, "scale_lo");
        if (range > 0) u->unit = isfinite(range) ? range / width : NAN;
        u->origin = u->low;
    }
    if (isnan(u->unit)) u->origin = NAN;
}

struct mk_reward_unit mk_reward_unit(const struct mk_policy_type *type, const double *par, const double *lower,
                                     const double *upper, const size_t *arm, size_t n)
{
    struct mk_reward_unit u = {.low = INFINITY, .high = -INFINITY};
    for (size_t i = 0; i < n; i++) {
        u.low = fmin(u.low, lower[arm ? arm[i] : i]);
        u.high = fmax(u.high, upper[arm ? arm[i] : i]);
    }
    set_map(&u, type, par);
    return u;
}

void mk_reward_unit_of_input(const struct mk_reward_unit *u, struct mk_bound_input *in)
{
    in->L *= u->unit;
    in->U *= u->unit;
    in->gap /= u->unit;
    in->gap_endpoint /= u->unit;
}

void mk_reward_unit_of_span(const struct mk_reward_unit *u, struct mk_bound_span *span)
{
    span->L_low *= u->unit;
    span->L_high *= u->unit;
    span->U_low *= u->unit;
    span->U_high *= u->unit;
}

void mk_reward_unit_of_regret(const struct mk_reward_unit *u, struct mk_regret_input *in)
{
    in->support_low = u->low - u->origin;
    in->support_high = u->high - u->origin;
}

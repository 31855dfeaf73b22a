/* The unit in which theory measures the rewards of a policy; expected values by hand from the table of its header. */
#include "analysis/compare/reward_unit.h"

#include <stdbool.h>
#include <string.h>

#include "tests/support/check.h"

static const double lower[] = {-9, 0.5, 0.25}, upper[] = {9, 1, 2.25};
static const size_t last_two[] = {1, 2};

/* A policy with that scale on arms 1 and 2 (all of them where `all`), with supports in units of `factor`. */
static struct mk_reward_unit unit_of(const char *policy, const char *scale, int all, double factor)
{
    const struct mk_policy_type *type = mk_policy_type_find(policy);
    double par[MK_MAX_PARAMS], low[3], high[3];
    int at = mk_param_find(type->params, "scale");
    mk_param_defaults(type->params, par);
    if (scale && at >= 0) par[at] = mk_choice_find(type->params[at].choices, scale);
    for (int i = 0; i < 3; i++) {
        low[i] = lower[i] * factor;
        high[i] = upper[i] * factor;
    }
    return mk_reward_unit(type, par, low, high, all ? NULL : last_two, all ? 3 : 2);
}

static bool is(struct mk_reward_unit u, double origin, double unit)
{
    return fabs(u.origin - origin) < 1e-14 && fabs(u.unit / unit - 1) < 1e-14;
}

static void check_units(void)
{
    CHECK(is(unit_of("max_ucb", "none", 0, 8), 0, 1), "scale none: rewards as written");
    CHECK(is(unit_of("max_ucb", "minmax", 0, 8), 2, 16 / 0.98), "minmax: range over the width .98 of [.01, .99]");
    CHECK(is(unit_of("quantile_ucb", NULL, 0, 8), 2, 16), "minmax to [0, 1], the default of quantile_ucb");
    CHECK(is(unit_of("max_ucb", "minmax", 1, 1), -9, 18 / 0.98), "all arms of the instance");
    CHECK(is(unit_of("max_ucb", "global_max", 0, 8), 0, 18), "global_max: the largest upper end");
    CHECK(is(unit_of("max_ucb", "global_max", 0, -8), 0, 1), "global_max below 0: rewards are seen as they are");
    CHECK(is(unit_of("max_ucb", "minmax", 0, 0), 0, 1), "minmax of a constant: as the policy takes it");
    CHECK(is(unit_of("greedy", NULL, 0, 8), 0, 1), "a policy without the parameter");
    CHECK(is(mk_reward_unit(NULL, NULL, lower, upper, NULL, 3), 0, 1), "a policy that is not known");
    for (int i = 0; i < 2; i++) {
        const double low[] = {i ? 0 : -INFINITY}, high[] = {i ? INFINITY : 1};
        double par[MK_MAX_PARAMS];
        const struct mk_policy_type *type = mk_policy_type_find("quantile_ucb");
        mk_param_defaults(type->params, par);
        struct mk_reward_unit u = mk_reward_unit(type, par, low, high, NULL, 1);
        CHECK(isnan(u.origin) && isnan(u.unit), "minmax with an infinite end: none (%d)", i);
    }
}

static void check_use(void)
{
    const struct mk_reward_unit u = unit_of("quantile_ucb", NULL, 0, 8), none = {NAN, NAN, -INFINITY, 1};
    struct mk_bound_input in = {.alpha = 0.5, .L = 2, .U = 3, .gap = 4, .gap_endpoint = 8, .horizon = 100};
    struct mk_bound_span span = {1, 2, 3, 4};
    struct mk_regret_input regret = {.horizon = 100};
    mk_reward_unit_of_input(&u, &in);
    CHECK(in.L == 32 && in.U == 48 && in.gap == 0.25 && in.gap_endpoint == 0.5 && in.alpha == 0.5 && in.horizon == 100,
          "L and U are multiplied by the unit, gaps divided");
    CHECK_CLOSE(mk_bound_evaluate(MK_BOUND_PRINTED, &in).p, 2 * 32 * 0.5 * 0.5, 1e-14,
                "p is that of the scaled rewards");
    mk_reward_unit_of_span(&u, &span);
    CHECK(span.L_low == 16 && span.L_high == 32 && span.U_low == 48 && span.U_high == 64, "so are bounds on L and U");
    mk_reward_unit_of_regret(&u, &regret);
    CHECK(regret.support_low == 0 && regret.support_high == 16, "the proposition counts rewards from the origin");
    mk_reward_unit_of_input(&none, &in);
    CHECK(isnan(mk_bound_evaluate(MK_BOUND_SUM, &in).value), "no unit: the theorem is not applicable");
    mk_reward_unit_of_regret(&none, &regret);
    struct mk_regret_check out;
    mk_regret_check(&regret, &out);
    CHECK(out.verdict == MK_VERDICT_NOT_APPLICABLE, "no unit: nor is the proposition");
}

int main(void)
{
    check_units();
    check_use();
    return CHECK_EXIT;
}

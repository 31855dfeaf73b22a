#include "sim/run/store/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"

int mk_selection_check(const struct mk_selection *s, const struct mk_result_info *i, struct mk_error *err)
{
    int has_instance = !s->instance, has_horizon = !(s->horizon > 0);
    size_t at;
    int code = s->policy ? mk_result_find_policy(i, NULL, s->policy, &at, err) : MK_OK;
    if (code) return code;
    for (size_t n = 0; n < i->n_instances && !has_instance; n++)
        has_instance = strcmp(i->instance[n], s->instance) == 0;
    if (!has_instance)
        return mk_fail(err, MK_EINPUT, "%s: no instance '%s' (maxk info lists them)", i->path, s->instance);
    for (size_t h = 0; h < i->n_horizons; h++) has_horizon |= mk_result_amount(i, h) == s->horizon;
    if (!has_horizon)
        return mk_fail(err, MK_EINPUT, "%s: no horizon %.15g (maxk info lists them)", i->path, s->horizon);
    return MK_OK;
}

bool mk_selection_has_policy(const struct mk_selection *s, const struct mk_result_info *i, size_t policy)
{
    return !s->policy || strcmp(s->policy, i->policy[policy]) == 0;
}

bool mk_selection_has(const struct mk_selection *s, const struct mk_result_info *i, struct mk_cell_index at)
{
    return mk_selection_has_policy(s, i, at.policy) &&
           (!s->instance || strcmp(s->instance, i->instance[at.instance]) == 0) &&
           (!(s->horizon > 0) || s->horizon == mk_result_amount(i, at.horizon));
}

int mk_result_each_cell(struct mk_result *r, const struct mk_selection *s, mk_cell_visit *visit, void *context,
                        struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct mk_cell_index at;
    int code = mk_selection_check(s, i, err);
    for (at.policy = 0; !code && at.policy < i->n_policies; at.policy++)
        for (at.instance = 0; !code && at.instance < i->n_instances; at.instance++)
            for (at.horizon = 0; !code && at.horizon < i->n_horizons; at.horizon++) {
                struct mk_cell *c = NULL;
                if (!mk_selection_has(s, i, at)) continue;
                code = mk_result_cell(r, at.policy, at.instance, at.horizon, &c, err);
                if (!code) code = visit(context, i, at, c, err);
                mk_cell_free(c);
            }
    return code;
}

int mk_result_repeated_share(struct mk_result *r, const char *keep, size_t horizon, double *share, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    double repeated = 0, pulls = 0;
    int code = MK_OK;
    for (size_t p = 0; i->has_repeated && p < i->n_policies; p++)
        for (size_t n = 0; !code && (!keep || keep[p]) && n < i->n_instances; n++) {
            struct mk_cell *c = NULL;
            code = mk_result_cell(r, p, n, horizon, &c, err);
            if (!code && !isnan(c->mean_repeated)) {
                const double replications = (double)i->own_replications[n];
                repeated += replications * c->mean_repeated;
                pulls += replications * (double)i->horizon[horizon];
            }
            mk_cell_free(c);
        }
    *share = pulls > 0 ? repeated / pulls : 0;
    return code;
}

const char mk_cost_horizons_text[] =
    "Horizons T are costs: a run makes as many pulls as cost at most T in total, and E[M(T)] is that of an arm that is pulled so.";

const char *mk_repeated_text(uint64_t horizon, double share, char text[MK_REPEATED_ROOM])
{
    snprintf(text, MK_REPEATED_ROOM,
             "T = %" PRIu64 ": %.3g %% of the pulls lie past the recorded ends and repeat earlier rewards (ends_early)",
             horizon, 100 * share);
    return text;
}

bool mk_cell_has_arm(const struct mk_result_info *i, const struct mk_cell *c, size_t arm)
{
    return arm < i->n_arms && !isnan(c->mean_pulls[arm]);
}

static size_t find_level(const struct mk_result_info *i, double level)
{
    size_t q = 0;
    while (q < i->n_quantiles && i->quantile[q] != level) q++;
    return q;
}

double mk_cell_quantile_pulls(const struct mk_result_info *i, const struct mk_cell *c, size_t arm, double level)
{
    size_t q = find_level(i, level);
    return q < i->n_quantiles ? c->quantile_pulls[q * i->n_arms + arm] : NAN;
}

double mk_cell_quantile_max(const struct mk_result_info *i, const struct mk_cell *c, double level)
{
    size_t q = find_level(i, level);
    return q < i->n_quantiles ? c->quantile_max[q] : NAN;
}

/* Of recorded runs both means may have the same rewards, and differ by the order of the sums alone. */
static const double rounding = 1e-14;

double mk_cell_regret(const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c)
{
    const struct mk_truth *f = i->truth;
    size_t best = mk_truth_best(f, at.instance, at.horizon);
    double expected = f->expected_max[mk_truth_at(f, at.instance, at.horizon, best)];
    const double regret = isfinite(expected) ? expected - c->mean_max : NAN;
    return fabs(regret) <= rounding * fabs(expected) ? 0 : regret;
}

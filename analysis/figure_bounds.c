/* Pulls of every suboptimal arm against Theorem 4.2 (Balef et al. 2025), T on the x axis: max_ucb without scaling on
 * arms that are bounded above. Bounds are evaluated at the run's horizons, where i* and the gaps are known. */
#include <math.h>
#include <stdio.h>

#include "analysis/bounds.h"
#include "analysis/figure_max_ucb.h"

static int applies(const struct mk_study *s)
{
    return mk_study_has_max_ucb(s) && s->info->n_horizons > 1;
}

enum { OBSERVED, MEDIAN, PRINTED, SUM, ENDPOINT, ALL_PULLS, CURVES };

static int add_curves(const struct mk_study *s, struct mk_plot *p, struct mk_error *err)
{
    static const char *const label[CURVES] = {
        "mean, 95 % band", "median", "bound as printed", "bound, proof's sum", "bound, end points", "all T pulls"};
    for (int i = 0; i < CURVES; i++) {
        struct mk_curve *c = mk_plot_add(p, label[i], s->info->n_horizons, i == OBSERVED);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = i == ALL_PULLS ? MK_CURVE_LINE : MK_CURVE_LINE_POINTS;
        c->width = i == OBSERVED ? 1.6 : 1;
        for (size_t h = 0; h < c->n; h++) c->x[h] = s->horizon[h];
    }
    return MK_OK;
}

/* One horizon of the figure of one arm. The printed form has no meaning for p > 1. */
static int fill(const struct mk_study *s, struct mk_plot *p, size_t policy, size_t arm, size_t h, double *exponent,
                struct mk_error *err)
{
    static const enum mk_bound_variant variant[CURVES] = {
        [PRINTED] = MK_BOUND_PRINTED, [SUM] = MK_BOUND_SUM, [ENDPOINT] = MK_BOUND_ENDPOINT};
    struct mk_cell *cell = NULL;
    if (arm == s->info->facts->optimal_arm[h]) return MK_OK;
    struct mk_bound_input in;
    int code = mk_study_bound_input(s, policy, arm, h, &in, err);
    if (!code) code = mk_result_cell(s->result, policy, 0, h, &cell, err);
    if (code) return code;
    mk_curve_set(&p->curve[OBSERVED], h, s->horizon[h], (struct mk_mean){cell->mean_pulls[arm], cell->se_pulls[arm]},
                 MK_MEASURES);
    p->curve[MEDIAN].y[h] = mk_study_quantile(s, cell, arm, 0.5);
    for (int i = PRINTED; i <= ENDPOINT; i++) {
        struct mk_bound b = mk_bound_evaluate(variant[i], &in);
        p->curve[i].y[h] = i == PRINTED && b.regime == MK_P_ABOVE_1 ? NAN : b.value;
        if (i == PRINTED) *exponent = b.p;
    }
    p->curve[ALL_PULLS].y[h] = s->horizon[h];
    mk_cell_free(cell);
    return MK_OK;
}

/* Claims of the experiment on pulls, for this policy. */
static int add_claims(const struct mk_study *s, struct mk_plot *p, size_t policy, size_t arm, struct mk_error *err)
{
    const struct mk_experiment *e = s->experiment;
    for (size_t i = 0; i < e->n_claims; i++) {
        if (e->claim[i].of != MK_CLAIM_PULLS || !mk_user_claim_covers(&e->claim[i], s->info->policy[policy])) continue;
        struct mk_curve *c = mk_plot_add(p, e->claim[i].name, s->info->n_horizons, 0);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = MK_CURVE_LINE_POINTS;
        for (size_t h = 0; h < s->info->n_horizons; h++) {
            c->x[h] = s->horizon[h];
            if (arm == s->info->facts->optimal_arm[h]) continue;
            int code = mk_study_claim(s, &e->claim[i], policy, arm, h, &c->y[h], err);
            if (code) return code;
        }
    }
    return MK_OK;
}

static int draw_arm(const struct mk_study *s, size_t policy, size_t arm, struct mk_error *err)
{
    struct mk_plot p;
    double exponent = NAN;
    char label[MK_POLICY_NAME_ROOM], detail[MK_POLICY_NAME_ROOM + 40];
    mk_study_plot(s, &p, "");
    int code = add_curves(s, &p, err);
    for (size_t h = 0; h < s->info->n_horizons && !code; h++) code = fill(s, &p, policy, arm, h, &exponent, err);
    if (!code) code = add_claims(s, &p, policy, arm, err);
    if (code) {
        mk_plot_clear(&p);
        return code;
    }
    snprintf(p.subtitle, sizeof p.subtitle, "%s, %s with alpha = %g: Theorem 4.2, p = %.3g at T = %llu",
             s->info->arm_label[arm], s->type[policy]->name, mk_study_parameter(s, policy, "alpha"), exponent,
             (unsigned long long)s->info->horizon[s->info->n_horizons - 1]);
    mk_study_horizon_axis(s, &p.x);
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm up to T");
    p.y.log = 1;
    mk_study_policy_name(s, policy, label, sizeof label);
    snprintf(detail, sizeof detail, "%s_arm%zu", label, arm);
    return mk_study_finish(s, &p, "bounds", detail, err);
}

static int draw(const struct mk_study *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_study_choose_max_ucb(s, mk_study_is_max_ucb, policy);
    int code = MK_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t arm = 0; arm < s->info->n_arms && !code; arm++)
            if (arm != s->info->facts->optimal_arm[s->info->n_horizons - 1]) code = draw_arm(s, policy[i], arm, err);
    return code;
}

const struct mk_figure mk_figure_bounds = {"bounds", applies, draw};

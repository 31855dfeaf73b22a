/* Pulls of every suboptimal arm against Theorem 4.2 (Balef et al. 2025), T on the x axis: max_ucb without scaling on
 * arms that are bounded above. Bounds are evaluated at the run's horizons, where i* and the gaps are known. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/bounds.h"
#include "analysis/figure.h"
#include "analysis/lu.h"
#include "analysis/plot_text.h"

enum { MAX_POLICIES = 3, LABEL_ROOM = 40 };

static const double usual_alpha = 0.5;

static double parameter(const struct mk_study *s, size_t policy, const char *name)
{
    int at = mk_param_find(s->type[policy]->params, name);
    return at < 0 ? NAN : s->par[policy * MK_MAX_PARAMS + (size_t)at];
}

/* The theorem is about plain max_ucb; alpha = 0 makes it the trivial bound T. */
static int is_covered(const struct mk_study *s, size_t policy)
{
    return s->type[policy] && strcmp(s->type[policy]->name, "max_ucb") == 0 && parameter(s, policy, "scale") == 0 &&
           parameter(s, policy, "alpha") > 0;
}

static int applies(const struct mk_study *s)
{
    int covered = 0;
    if (!s->experiment || s->experiment->problem->kind != MK_SYNTHETIC || s->info->n_arms < 2) return 0;
    for (size_t k = 0; k < s->info->n_arms; k++)
        if (!isfinite(s->info->facts->support_high[k]) || !isfinite(s->info->facts->support_low[k])) return 0;
    for (size_t i = 0; i < s->info->n_policies; i++) covered |= is_covered(s, i);
    return covered && s->info->n_horizons > 1;
}

/* Policies to show, all where they are few, else the one with alpha nearest to the usual one. */
static size_t choose(const struct mk_study *s, size_t *policy)
{
    size_t n = 0, nearest = 0;
    double distance = INFINITY;
    for (size_t i = 0; i < s->info->n_policies; i++) {
        if (!is_covered(s, i)) continue;
        if (n < MAX_POLICIES) policy[n] = i;
        n++;
        double away = fabs(parameter(s, i, "alpha") - usual_alpha);
        if (away >= distance) continue;
        distance = away;
        nearest = i;
    }
    if (n <= MAX_POLICIES) return n;
    policy[0] = nearest;
    return 1;
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

static double median_pulls(const struct mk_study *s, const struct mk_cell *cell, size_t arm)
{
    for (size_t q = 0; q < s->info->n_quantiles; q++)
        if (s->info->quantile[q] == 0.5) return cell->quantile_pulls[q * s->info->n_arms + arm];
    return NAN;
}

/* One horizon of the figure of one arm. The printed form has no meaning for p > 1. */
static int fill(const struct mk_study *s, struct mk_plot *p, size_t policy, size_t arm, size_t h, double *exponent,
                struct mk_error *err)
{
    static const enum mk_bound_variant variant[CURVES] = {
        [PRINTED] = MK_BOUND_PRINTED, [SUM] = MK_BOUND_SUM, [ENDPOINT] = MK_BOUND_ENDPOINT};
    const struct mk_facts *f = s->info->facts;
    const size_t best = f->optimal_arm[h];
    struct mk_lu of_best, of_arm;
    struct mk_cell *cell = NULL;
    if (arm == best) return MK_OK;
    int code = mk_lu_exact(s->experiment->problem->dist[best], NAN, &of_best, err);
    if (!code) code = mk_lu_exact(s->experiment->problem->dist[arm], NAN, &of_arm, err);
    if (!code) code = mk_result_cell(s->result, policy, 0, h, &cell, err);
    if (code) return code;
    struct mk_bound_input in = {.alpha = parameter(s, policy, "alpha"),
                                .L = of_best.L,
                                .U = of_arm.U,
                                .gap = f->gap[mk_facts_at(f, 0, h, arm)],
                                .gap_endpoint = f->support_high[best] - f->support_high[arm],
                                .horizon = s->info->horizon[h]};
    mk_curve_set(&p->curve[OBSERVED], h, s->horizon[h], (struct mk_mean){cell->mean_pulls[arm], cell->se_pulls[arm]},
                 MK_MEASURES);
    p->curve[MEDIAN].y[h] = median_pulls(s, cell, arm);
    for (int i = PRINTED; i <= ENDPOINT; i++) {
        struct mk_bound b = mk_bound_evaluate(variant[i], &in);
        p->curve[i].y[h] = i == PRINTED && b.regime == MK_P_ABOVE_1 ? NAN : b.value;
        if (i == PRINTED) *exponent = b.p;
    }
    p->curve[ALL_PULLS].y[h] = s->horizon[h];
    mk_cell_free(cell);
    return MK_OK;
}

/* The policy's label for file names; with its number where that is what tells it from another one. */
static void name_policy(const struct mk_study *s, size_t policy, char *out, size_t room)
{
    char other[LABEL_ROOM], own[LABEL_ROOM];
    int shared = 0;
    mk_file_name_part(s->info->policy[policy], own, sizeof own);
    for (size_t i = 0; i < s->info->n_policies; i++) {
        mk_file_name_part(s->info->policy[i], other, sizeof other);
        shared |= i != policy && is_covered(s, i) && strcmp(other, own) == 0;
    }
    if (shared)
        snprintf(out, room, "%s_%zu", own, policy);
    else
        snprintf(out, room, "%s", own);
}

static int draw_arm(const struct mk_study *s, size_t policy, size_t arm, struct mk_error *err)
{
    struct mk_plot p;
    double exponent = NAN;
    char label[LABEL_ROOM + 24], detail[LABEL_ROOM + 64];
    mk_study_plot(s, &p, "");
    int code = add_curves(s, &p, err);
    for (size_t h = 0; h < s->info->n_horizons && !code; h++) code = fill(s, &p, policy, arm, h, &exponent, err);
    if (code) {
        mk_plot_clear(&p);
        return code;
    }
    snprintf(p.subtitle, sizeof p.subtitle, "%s, %s with alpha = %g: Theorem 4.2, p = %.3g at T = %llu",
             s->info->arm_label[arm], s->type[policy]->name, parameter(s, policy, "alpha"), exponent,
             (unsigned long long)s->info->horizon[s->info->n_horizons - 1]);
    mk_study_horizon_axis(s, &p.x);
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm up to T");
    p.y.log = 1;
    name_policy(s, policy, label, sizeof label);
    snprintf(detail, sizeof detail, "%s_arm%zu", label, arm);
    return mk_study_finish(s, &p, "bounds", detail, err);
}

static int draw(const struct mk_study *s, struct mk_error *err)
{
    size_t policy[MAX_POLICIES], n = choose(s, policy);
    int code = MK_OK;
    for (size_t i = 0; i < n; i++)
        for (size_t arm = 0; arm < s->info->n_arms && !code; arm++)
            if (arm != s->info->facts->optimal_arm[s->info->n_horizons - 1]) code = draw_arm(s, policy[i], arm, err);
    return code;
}

const struct mk_figure mk_figure_bounds = {"bounds", applies, draw};

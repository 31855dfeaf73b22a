/* Pulls of every suboptimal arm at the largest horizon against Theorem 4.2 (Balef et al. 2025), arms by their gap, as
 * in Figure E.5: what is published as the theoretical value is the first term with Delta_i in place of
 * sqrt(Delta_i). */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/figures/result_max_ucb.h"

enum { LEAST_ARMS = 4 };
enum { CERTIFIED, OBSERVED, FIGURE_E5, PRINTED, SUM, ALL_PULLS, CURVES };

static bool applies(const struct mk_result_view *s)
{
    return mk_result_view_has_max_ucb(s) && s->info->n_arms >= LEAST_ARMS;
}

static int add_curves(struct mk_plot *p, size_t arms, struct mk_error *err)
{
    static const char *const label[CURVES] = {"certified, from below and above", "mean, 95 % interval",
                                              "first term, as in Figure E.5",    "Theorem 4.2 as printed",
                                              "Theorem 4.2, proof's sum",        "all T pulls"};
    for (int i = 0; i < CURVES; i++) {
        struct mk_curve *c = mk_plot_add(p, label[i], arms, i <= OBSERVED);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = i == ALL_PULLS ? MK_CURVE_LINE : MK_CURVE_LINE_POINTS;
        c->width = i == OBSERVED ? 1.6 : 1;
    }
    return MK_OK;
}

static int fill(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const struct mk_arm_gap *arm,
                size_t n, struct mk_error *err)
{
    static const enum mk_bound_variant variant[CURVES] = {
        [FIGURE_E5] = MK_BOUND_FIGURE_E5, [PRINTED] = MK_BOUND_PRINTED, [SUM] = MK_BOUND_SUM};
    const size_t h = s->info->n_horizons - 1;
    struct mk_certificate *certified = NULL;
    struct mk_cell *cell = NULL;
    int code = mk_result_cell(s->result, policy, 0, h, &cell, err);
    if (!code) code = mk_result_view_certify(s, policy, h, &certified, err);
    for (size_t i = 0; i < n && !code; i++) {
        struct mk_bound_input in;
        const double x = (double)i;
        const size_t k = arm[i].arm;
        code = mk_result_view_bound_input(s, policy, k, h, &in, err);
        if (code) break;
        mk_curve_set(&p->curve[OBSERVED], i, x, (struct mk_mean){cell->mean_pulls[k], cell->se_pulls[k]}, MK_MEASURES);
        mk_curve_set_certified(&p->curve[CERTIFIED], i, x, &certified->arm[k]);
        for (int c = FIGURE_E5; c < CURVES; c++) {
            double value = c == ALL_PULLS ? s->horizon[h] : mk_bound_evaluate(variant[c], &in).value;
            p->curve[c].x[i] = x;
            p->curve[c].y[i] = value > 0 ? value : NAN; /* a log axis */
        }
    }
    mk_certificate_free(certified);
    mk_cell_free(cell);
    return code;
}

/* Claims of the experiment on pulls that cover this policy. */
static int add_claims(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const struct mk_arm_gap *arm,
                      size_t n, struct mk_error *err)
{
    const struct mk_experiment *e = s->experiment;
    for (size_t i = 0; i < e->n_claims; i++) {
        if (e->claim[i].of != MK_USER_CLAIM_PULLS || !mk_user_claim_covers(&e->claim[i], s->info->policy[policy]))
            continue;
        struct mk_curve *c = mk_plot_add(p, e->claim[i].name, n, 0);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = MK_CURVE_LINE_POINTS;
        for (size_t k = 0; k < n; k++) {
            double value;
            int code = mk_result_view_claim(s, &e->claim[i], policy, arm[k].arm, s->info->n_horizons - 1, &value, err);
            if (code) return code;
            c->x[k] = (double)k;
            c->y[k] = value > 0 ? value : NAN;
        }
    }
    return MK_OK;
}

static int draw_policy(const struct mk_result_view *s, size_t policy, const struct mk_arm_gap *arm, size_t n,
                       struct mk_error *err)
{
    struct mk_plot p;
    char label[MK_POLICY_NAME_ROOM], (*number)[24] = calloc(n + 1, sizeof *number);
    const char **name = calloc(n + 1, sizeof *name);
    mk_result_view_plot(s, &p, "");
    int code = name && number ? add_curves(&p, n, err) : mk_fail_memory(err, "figure");
    if (!code) code = fill(s, &p, policy, arm, n, err);
    if (!code) code = add_claims(s, &p, policy, arm, n, err);
    if (code) {
        mk_plot_clear(&p);
        goto out;
    }
    mk_result_view_bound_subtitle(s, &p, policy, "every suboptimal arm", "");
    for (size_t i = 0; i < n; i++) snprintf(number[i], sizeof number[i], "%zu", arm[i].arm);
    for (size_t i = 0; i < n; i++) name[i] = number[i];
    p.column = name;
    p.n_columns = n;
    snprintf(p.x.label, sizeof p.x.label, "arm, from the smallest gap to the largest");
    p.x.lo = -0.5;
    p.x.hi = (double)n - 0.5;
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm, T = %s",
             mk_plot_horizon(s->info->horizon[s->info->n_horizons - 1]).text);
    p.y.log = 1;
    mk_result_view_policy_name(s, policy, label, sizeof label);
    code = mk_result_view_finish(s, &p, "bound_arms", label, err);
out:
    free(name);
    free(number);
    return code;
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_result_view_choose_max_ucb(s, policy);
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    if (!arm) return mk_fail_memory(err, "figure");
    size_t n_arms = mk_result_view_sort_gaps(s, s->info->n_horizons - 1, arm);
    int code = MK_OK;
    for (size_t i = 0; i < n && !code; i++) code = draw_policy(s, policy[i], arm, n_arms, err);
    free(arm);
    return code;
}

const struct mk_result_figure mk_result_figure_bound_arms = {
    "bound_arms", "pulls and bounds per suboptimal arm at the largest horizon, arms by gap (as Figure E.5)", applies,
    draw};

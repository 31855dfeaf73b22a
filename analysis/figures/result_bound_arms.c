/* Pulls of every suboptimal arm at the largest horizon against Theorem 4.2 (Balef et al. 2025), arms by their gap, as
 * in Figure E.5: what is published as the theoretical value is the first term with Delta_i in place of
 * sqrt(Delta_i). Many arms form groups of neighbouring ranks, equally wide on a log axis: how their mean pulls are
 * distributed over the arms of a group, and the bounds of its middle arm. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/figures/result_max_ucb.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { LEAST_ARMS = 4, GROUPS_PER_DECADE = 10 };
enum { CERTIFIED, OBSERVED, FIGURE_E5, PRINTED, SUM, ALL_PULLS, CURVES };

static bool applies(const struct mk_result_view *s)
{
    return mk_result_view_has_any(s, mk_result_view_is_max_ucb) && s->info->n_arms >= LEAST_ARMS;
}

/* Neighbouring arms by gap, one point of the figure: first … end - 1; a single arm unless they are many. */
struct group {
    size_t first, end;
    double x; /* of many arms the rank from 1, else the column from 0 */
};

/* `group` has room for n. Returns the number of groups. */
static size_t form_groups(size_t n, struct group *group)
{
    const double ratio = pow(10, 1.0 / GROUPS_PER_DECADE);
    size_t groups = 0;
    for (size_t first = 0, end; first < n; first = end) {
        end = n > MK_MANY_ARMS ? (size_t)ceil((double)(first + 1) * ratio) - 1 : first + 1;
        end = end > n ? n : end > first ? end : first + 1;
        const double x = n > MK_MANY_ARMS ? sqrt((double)(first + 1) * (double)end) : (double)first;
        group[groups++] = (struct group){first, end, x};
    }
    return groups;
}

static int add_curves(struct mk_plot *p, size_t points, bool many, struct mk_error *err)
{
    const char *const label[CURVES] = {
        "certified, from below and above", many ? "mean pulls: median over arms, 5 to 95 %" : "mean, 95 % interval",
        "first term, as in Figure E.5",    "Theorem 4.2 as printed",
        "Theorem 4.2, proof's sum",        "all T pulls"};
    for (int i = 0; i < CURVES; i++) {
        struct mk_curve *c = mk_plot_add(p, label[i], points, i <= OBSERVED);
        if (!c) return mk_fail_memory(err, "figure");
        c->style = i == ALL_PULLS ? MK_CURVE_LINE : MK_CURVE_LINE_POINTS;
        c->width = i == OBSERVED ? 1.6 : 1;
    }
    return MK_OK;
}

/* What the bounds of a group are of. */
static size_t middle(struct group g)
{
    return g.first + (g.end - g.first - 1) / 2;
}

/* The mean pulls of one arm with their interval, or the distribution of those of several. */
static void set_observed(struct mk_curve *c, size_t i, const struct mk_cell *cell, const struct mk_arm_gap *arm,
                         struct group g, double *room)
{
    const size_t n = g.end - g.first;
    if (n == 1) {
        const size_t k = arm[g.first].arm;
        mk_curve_set(c, i, g.x, (struct mk_mean){cell->mean_pulls[k], cell->se_pulls[k]}, MK_MEASURES);
        return;
    }
    for (size_t j = 0; j < n; j++) room[j] = cell->mean_pulls[arm[g.first + j].arm];
    mk_sort_values(room, n);
    mk_curve_span(c, i, g.x, mk_quantile_sorted(room, n, 0.5), mk_quantile_sorted(room, n, 0.05),
                  mk_quantile_sorted(room, n, 0.95));
}

static int fill(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const struct mk_arm_gap *arm,
                const struct group *group, size_t n, struct mk_error *err)
{
    static const enum mk_bound_variant variant[CURVES] = {
        [FIGURE_E5] = MK_BOUND_FIGURE_E5, [PRINTED] = MK_BOUND_PRINTED, [SUM] = MK_BOUND_SUM};
    const size_t h = s->info->n_horizons - 1;
    struct mk_certificate *certified = NULL;
    struct mk_cell *cell = NULL;
    double *room = malloc(s->info->n_arms * sizeof *room);
    int code = room ? mk_result_cell(s->result, policy, 0, h, &cell, err) : mk_fail_memory(err, "figure");
    if (!code) code = mk_result_view_certify(s, policy, h, &certified, err);
    for (size_t i = 0; i < n && !code; i++) {
        struct mk_bound_input in;
        const double x = group[i].x;
        code = mk_result_view_bound_input(s, policy, arm[middle(group[i])].arm, h, &in, err);
        if (code) break;
        set_observed(&p->curve[OBSERVED], i, cell, arm, group[i], room);
        if (certified) mk_curve_set_certified(&p->curve[CERTIFIED], i, x, &certified->arm[arm[group[i].first].arm]);
        for (int c = FIGURE_E5; c < CURVES; c++) {
            double value = c == ALL_PULLS ? s->horizon[h] : mk_bound_evaluate(variant[c], &in).value;
            p->curve[c].x[i] = x;
            p->curve[c].y[i] = value > 0 ? value : NAN; /* a log axis */
        }
    }
    mk_certificate_free(certified);
    mk_cell_free(cell);
    free(room);
    return code;
}

/* Claims of the experiment on pulls that cover this policy. */
static int add_claims(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const struct mk_arm_gap *arm,
                      const struct group *group, size_t n, struct mk_error *err)
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
            int code = mk_result_view_claim(s, &e->claim[i], policy, arm[middle(group[k])].arm, s->info->n_horizons - 1,
                                            &value, err);
            if (code) return code;
            c->x[k] = group[k].x;
            c->y[k] = value > 0 ? value : NAN;
        }
    }
    return MK_OK;
}

static int draw_policy(const struct mk_result_view *s, size_t policy, const struct mk_arm_gap *arm, size_t arms,
                       const struct group *group, size_t n, struct mk_error *err)
{
    struct mk_plot p;
    char label[MK_POLICY_NAME_ROOM], (*number)[24] = calloc(n + 1, sizeof *number);
    const char **name = calloc(n + 1, sizeof *name);
    mk_result_view_plot(s, &p, "");
    int code = name && number ? add_curves(&p, n, arms > MK_MANY_ARMS, err) : mk_fail_memory(err, "figure");
    if (!code) code = fill(s, &p, policy, arm, group, n, err);
    if (!code) code = add_claims(s, &p, policy, arm, group, n, err);
    mk_result_view_bound_subtitle(s, &p, policy, "every suboptimal arm", "");
    if (arms > MK_MANY_ARMS) {
        snprintf(p.x.label, sizeof p.x.label, "arm, by gap (1: smallest)");
        p.x.log = 1;
        p.x.lo = 1;
        p.x.hi = (double)arms;
    } else if (!code) {
        for (size_t i = 0; i < n; i++) snprintf(number[i], sizeof number[i], "%zu", arm[i].arm);
        for (size_t i = 0; i < n; i++) name[i] = number[i];
        p.column = name;
        p.n_columns = n;
        snprintf(p.x.label, sizeof p.x.label, "arm, from the smallest gap to the largest");
        p.x.lo = -0.5;
        p.x.hi = (double)n - 0.5;
    }
    snprintf(p.y.label, sizeof p.y.label, "pulls of the arm, T = %s",
             mk_plot_horizon(s->info->horizon[s->info->n_horizons - 1]).text);
    p.y.log = 1;
    mk_result_view_policy_name(s, policy, label, sizeof label);
    code = mk_result_view_finish(s, &p, "bound_arms", label, code, err);
    free(name);
    free(number);
    return code;
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    size_t policy[MK_SHOWN_POLICIES], n = mk_result_view_choose(s, mk_result_view_is_max_ucb, policy);
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    struct group *group = malloc(s->info->n_arms * sizeof *group);
    int code = arm && group ? MK_OK : mk_fail_memory(err, "figure");
    const size_t arms = code ? 0 : mk_result_view_sort_gaps(s, s->info->n_horizons - 1, arm),
                 groups = code ? 0 : form_groups(arms, group);
    for (size_t i = 0; i < n && !code; i++) code = draw_policy(s, policy[i], arm, arms, group, groups, err);
    free(arm);
    free(group);
    return code;
}

const struct mk_result_figure mk_result_figure_bound_arms = {
    "bound_arms",
    "pulls and bounds per suboptimal arm at the largest horizon, arms by gap (as Figure E.5); max_ucb on four arms or more",
    applies, draw};

/* Pulls of every suboptimal arm at the largest horizon against Theorem 4.2 (Balef et al. 2025), arms by their gap, as
 * in Figure E.5: what is published as the theoretical value is the first term with Delta_i in place of
 * sqrt(Delta_i). Many arms form groups of neighbouring ranks, equally wide on a log axis: how their mean pulls are
 * distributed over the arms of a group, and the bounds of its middle arm. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/figures/result_max_ucb.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { LEAST_ARMS = 4, GROUPS_PER_DECADE = 10 };

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

/* What the bounds of a group are of. */
static size_t middle(struct group g)
{
    return g.first + (g.end - g.first - 1) / 2;
}

/* Shows how the mean pulls of the arms of a group are distributed over them. */
static void set_distribution(struct mk_curve *c, size_t i, const struct mk_cell *cell, const struct mk_arm_gap *arm,
                             struct group g, double *room)
{
    const size_t n = g.end - g.first;
    for (size_t j = 0; j < n; j++) room[j] = cell->mean_pulls[arm[g.first + j].arm];
    mk_sort_values(room, n);
    mk_curve_span(c, i, g.x, mk_quantile_sorted(room, n, 0.5), mk_quantile_sorted(room, n, 0.05),
                  mk_quantile_sorted(room, n, 0.95));
}

static int add_curves(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const struct mk_arm_gap *arm,
                      const struct group *group, size_t n, bool many, struct mk_error *err)
{
    const struct mk_pulls_curve curves[] = {
        {MK_PULLS_CERTIFIED, "certified, from below and above", -1},
        {MK_PULLS_MEAN, many ? "mean pulls: median over arms, 5 to 95 %" : "mean, 95 % interval", -1},
        {MK_BOUND_FIGURE_E5, "first term, as in Figure E.5", -1},
        {MK_BOUND_PRINTED, "Theorem 4.2 as printed", -1},
        {MK_BOUND_SUM, "Theorem 4.2, proof's sum", -1},
        {MK_PULLS_ALL, "all T pulls", -1}};
    enum { OBSERVED = 1 };
    const size_t h = s->info->n_horizons - 1;
    struct mk_certificate *certified = NULL;
    struct mk_cell *cell = NULL;
    struct mk_pulls_point *point = calloc(n + 1, sizeof *point);
    double *room = malloc(s->info->n_arms * sizeof *room);
    int code = room && point ? MK_OK : mk_fail_memory(err, "figure");
    if (!code && many) code = mk_result_cell(s->result, policy, 0, h, &cell, err); /* groups of several arms */
    if (!code) code = mk_result_view_certify(s, policy, h, &certified, err);
    for (size_t i = 0; i < n && !code; i++)
        point[i] = (struct mk_pulls_point){
            .x = group[i].x, .policy = policy, .arm = arm[middle(group[i])].arm, .horizon = h, .certified = certified};
    if (!code)
        code =
            mk_result_view_add_pulls(s, p, MK_CURVE_LINE_POINTS, curves, sizeof curves / sizeof *curves, point, n, err);
    for (size_t i = 0; i < n && !code; i++)
        if (group[i].end > group[i].first + 1) set_distribution(&p->curve[OBSERVED], i, cell, arm, group[i], room);
    if (!code) code = mk_result_view_add_claims(s, p, point, n, -1, err);
    mk_certificate_free(certified);
    mk_cell_free(cell);
    free(point);
    free(room);
    return code;
}

static int draw_policy(const struct mk_result_view *s, size_t policy, const struct mk_arm_gap *arm, size_t arms,
                       const struct group *group, size_t n, struct mk_error *err)
{
    struct mk_plot p;
    char label[MK_POLICY_NAME_ROOM], (*number)[24] = calloc(n + 1, sizeof *number);
    const char **name = calloc(n + 1, sizeof *name);
    mk_result_view_start(s, &p);
    int code = name && number ? add_curves(s, &p, policy, arm, group, n, arms > MK_MANY_ARMS, err)
                              : mk_fail_memory(err, "figure");
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

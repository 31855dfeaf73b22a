/* Many arms: the share of pulls that the m best arms by E[M(T)] receive together, against m, one curve per policy: how
 * far a policy narrows its search. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/figures/result_view.h"
#include "analysis/compare/arms/arm_choice.h"
#include "sim/base/error.h"

enum { POINTS_PER_DECADE = 10 };

static bool applies(const struct mk_result_view *s)
{
    return s->info->n_instances == 1 && s->info->n_arms > MK_MANY_ARMS && mk_result_view_has(s, MK_MEASURE_BEST_SHARE);
}

/* m of point i, ascending; the last is n. */
static size_t best_arms(size_t i, size_t n)
{
    const double m = floor(pow(10, (double)i / POINTS_PER_DECADE) + 1e-9);
    return m < (double)n ? (size_t)m : n;
}

static int add_policy(const struct mk_result_view *s, struct mk_plot *p, size_t policy, const struct mk_arm_gap *arm,
                      size_t n, size_t points, struct mk_error *err)
{
    const size_t last = s->info->n_horizons - 1;
    struct mk_cell *cell = NULL;
    struct mk_curve *c = mk_plot_add(p, s->info->policy[policy], points, 0);
    int code = c ? mk_result_cell(s->result, policy, 0, last, &cell, err) : mk_fail_memory(err, "figure");
    double sum = 0;
    if (c) c->look = (int)policy; /* that of the other figures, which show the oracle, too */
    for (size_t i = 0, m = 0; i < points && !code; i++) {
        for (; m < best_arms(i, n); m++) sum += cell->mean_pulls[arm[m].arm];
        mk_curve_point(c, i, (double)m, sum / mk_cell_rounds(s->info, last, cell));
    }
    mk_cell_free(cell);
    return code;
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    const size_t last = s->info->n_horizons - 1;
    struct mk_plot p;
    struct mk_arm_gap *arm = malloc(s->info->n_arms * sizeof *arm);
    if (!arm) return mk_fail_memory(err, "figure");
    const size_t n = mk_arms_by_gap(s->info->truth, 0, last, arm);
    size_t points = 1;
    char x[64];
    int code = MK_OK;
    while (best_arms(points - 1, n) < n) points++;
    mk_result_view_plot(s, &p, "T = %s", mk_plot_amount(mk_result_amount(s->info, last)).text);
    snprintf(x, sizeof x, "the m best arms of %zu", n);
    mk_plot_axes(&p, x, "their share of pulls");
    p.x.log = 1;
    p.y.lo = 0;
    p.y.hi = 1.02;
    for (size_t i = 0; i < s->info->n_policies && !code; i++)
        if (!mk_result_policy_has(s->info, i, MK_POLICY_ORACLE)) code = add_policy(s, &p, i, arm, n, points, err);
    free(arm);
    return mk_result_view_finish(s, &p, "top_arms", "", code, err);
}

const struct mk_result_figure mk_result_figure_top_arms = {
    "top_arms", "share of pulls on the m best arms together against m, at the largest horizon; more than 100 arms",
    applies, draw};

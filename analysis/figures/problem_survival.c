/* Survival functions of known arms some of which have no upper end point, and their tails on log axes. (Bounded arms:
 * problem_known.c.) */
#include <stdio.h>

#include "analysis/figures/problem_view.h"
#include "analysis/figures/survival_curves.h"
#include "sim/base/error.h"

static bool applies(const struct mk_problem_view *g)
{
    return mk_problem_has(g->problem, MK_HAS_DISTRIBUTIONS) && mk_survival_unbounded(g->problem);
}

static int draw(const struct mk_problem_view *g, struct mk_error *err)
{
    struct mk_panels *panels = mk_problem_view_panels(g, 1, 2, 3.5, 1.75, "survival functions of the arms");
    if (!panels) return mk_fail_memory(err, "figure");
    int code = mk_survival_curves(&panels->plot[0], g->problem, g->problem->n_arms, false, err);
    if (!code) code = mk_survival_curves(&panels->plot[1], g->problem, g->problem->n_arms, true, err);
    snprintf(panels->plot[1].title, sizeof panels->plot[1].title, "tails");
    return mk_figure_output_panels(&g->to, panels, "survival", code, err);
}

const struct mk_problem_figure mk_problem_figure_survival = {
    "survival", "survival functions and their tails on log axes; known arms, some without an upper end point", applies,
    draw};

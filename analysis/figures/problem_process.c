/* Moving arms: the mean reward of an arm against its pulls, and E[M(T)] of each arm alone. */
#include "analysis/figures/problem_view.h"
#include "analysis/figures/process_curves.h"
#include "sim/base/error.h"

enum { USUAL = 1000 }; /* pulls shown of a problem without horizons of its own */

static bool applies(const struct mk_problem_view *g)
{
    return mk_problem_has(g->problem, MK_HAS_MEAN_CURVES);
}

static int draw(const struct mk_problem_view *g, struct mk_error *err)
{
    const struct mk_experiment *e = g->experiment;
    const uint64_t horizon = e->n_horizons ? e->horizon[e->n_horizons - 1] : USUAL;
    const bool with_max = mk_process_max_is_quick(g->problem, horizon);
    char what[MK_PLOT_TEXT];
    mk_process_describe(g->problem, what, sizeof what);
    struct mk_panels *panels = mk_problem_view_panels(g, 1, with_max ? 2 : 1, 3.5, 1.75, what);
    if (!panels) return mk_fail_memory(err, "figure");
    int code = mk_process_mean_curves(&panels->plot[0], g->problem, horizon, err);
    if (!code && with_max) code = mk_process_max_curves(&panels->plot[1], g->problem, horizon, err);
    return mk_figure_output_panels(&g->to, panels, "process", code, err);
}

const struct mk_problem_figure mk_problem_figure_process = {
    "process", "mean reward against an arm's pulls, and E[M(T)] of each arm; moving arms", applies, draw};

/* The mean reward of every moving arm against its own pulls, up to the largest horizon. */
#include <stdio.h>

#include "analysis/figures/process_curves.h"
#include "analysis/figures/result_view.h"

static bool applies(const struct mk_result_view *s)
{
    return s->experiment && mk_problem_has(s->experiment->problem, MK_HAS_MEAN_CURVES);
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    struct mk_plot p;
    mk_result_view_start(s, &p);
    mk_process_describe(s->experiment->problem, p.subtitle, sizeof p.subtitle);
    int code = mk_process_mean_curves(&p, s->experiment->problem, s->info->horizon[s->info->n_horizons - 1], err);
    return mk_result_view_finish(s, &p, "process", "", code, err);
}

const struct mk_result_figure mk_result_figure_process = {"process", "mean reward against an arm's pulls; moving arms",
                                                          applies, draw};

/* Survival functions G(x) = P(X >= x) of all arms of a synthetic problem; if some arm is unbounded above, a second
 * figure shows the tails, with G (and for heavy tails x) on a log scale. */
#include <stdio.h>

#include "analysis/figures/result_view.h"
#include "analysis/figures/survival_curves.h"

static bool applies(const struct mk_result_view *s)
{
    return s->experiment && mk_problem_has(s->experiment->problem, MK_HAS_DISTRIBUTIONS);
}

static int draw_one(const struct mk_result_view *s, bool tails, struct mk_error *err)
{
    struct mk_plot p;
    const size_t last = s->info->n_horizons - 1, best = mk_truth_best(s->info->truth, 0, last);
    mk_result_view_start(s, &p);
    snprintf(p.subtitle, sizeof p.subtitle, "survival functions; thick: best arm at T = %s",
             mk_plot_horizon(s->info->horizon[last]).text);
    int code = mk_survival_curves(&p, s->experiment->problem, best, tails, err);
    return mk_result_view_finish(s, &p, "survival", tails ? "tail" : "", code, err);
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    int code = draw_one(s, false, err);
    return code || !mk_survival_unbounded(s->experiment->problem) ? code : draw_one(s, true, err);
}

const struct mk_result_figure mk_result_figure_survival = {
    "survival", "survival functions of the arms, and their tails on log axes where one is unbounded above; known arms",
    applies, draw};

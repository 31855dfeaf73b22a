/* The figures of results and of problems, in the order in which they are drawn. */
#include <string.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "analysis/answers/figures/problem_view.h"
#include "analysis/answers/figures/result_view.h"
#include "sim/base/registry.h"

#define RESULT_FIGURE(name) extern const struct mk_result_figure mk_result_figure_##name;
#include "analysis/answers/figures/result_figures.def"
#undef RESULT_FIGURE
#define PROBLEM_FIGURE(name) extern const struct mk_problem_figure mk_problem_figure_##name;
#include "analysis/answers/figures/problem_figures.def"
#undef PROBLEM_FIGURE

static const struct mk_result_figure *const of_results[] = {
#define RESULT_FIGURE(name) &mk_result_figure_##name,
#include "analysis/answers/figures/result_figures.def"
#undef RESULT_FIGURE
};
static const struct mk_problem_figure *const of_problems[] = {
#define PROBLEM_FIGURE(name) &mk_problem_figure_##name,
#include "analysis/answers/figures/problem_figures.def"
#undef PROBLEM_FIGURE
};

MK_REGISTRY_BY_NAME(mk_result_figure, mk_result_figure, of_results, of_results[i])
MK_REGISTRY_BY_NAME(mk_problem_figure, mk_problem_figure, of_problems, of_problems[i])

int mk_result_view_draw(const struct mk_result_view *s, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < mk_result_figure_count() && !code; i++)
        if (mk_name_listed(s->to.only, of_results[i]->name) && of_results[i]->applies(s))
            code = of_results[i]->draw(s, err);
    return code;
}

int mk_problem_view_draw(const struct mk_problem_view *g, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < mk_problem_figure_count() && !code; i++)
        if (mk_name_listed(g->to.only, of_problems[i]->name) && of_problems[i]->applies(g))
            code = of_problems[i]->draw(g, err);
    return code;
}

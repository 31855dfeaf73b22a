/* The figures of problems, in the order in which they are drawn. */
#include <string.h>

#include "analysis/figures/problem_view.h"
#include "analysis/plot/plot_text.h"
#include "sim/base/registry.h"

#define PROBLEM_FIGURE(name) extern const struct mk_problem_figure mk_problem_figure_##name;
#include "analysis/figures/problem_figures.def"
#undef PROBLEM_FIGURE

static const struct mk_problem_figure *const figures[] = {
#define PROBLEM_FIGURE(name) &mk_problem_figure_##name,
#include "analysis/figures/problem_figures.def"
#undef PROBLEM_FIGURE
};

MK_REGISTRY_BY_NAME(mk_problem_figure, mk_problem_figure, figures, figures[i])

int mk_problem_view_draw(const struct mk_problem_view *g, struct mk_error *err)
{
    for (size_t i = 0; i < mk_problem_figure_count(); i++) {
        if (!mk_name_listed(g->to.only, figures[i]->name) || !figures[i]->applies(g)) continue;
        int code = figures[i]->draw(g, err);
        if (code) return code;
    }
    return MK_OK;
}

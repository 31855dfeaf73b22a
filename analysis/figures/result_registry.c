/* The figures of results, in the order in which they are drawn. */
#include <string.h>

#include "analysis/figures/result_view.h"
#include "analysis/plot/plot_text.h"
#include "sim/base/registry.h"

#define RESULT_FIGURE(name) extern const struct mk_result_figure mk_result_figure_##name;
#include "analysis/figures/result_figures.def"
#undef RESULT_FIGURE

static const struct mk_result_figure *const figures[] = {
#define RESULT_FIGURE(name) &mk_result_figure_##name,
#include "analysis/figures/result_figures.def"
#undef RESULT_FIGURE
};

MK_REGISTRY_BY_NAME(mk_result_figure, mk_result_figure, figures, figures[i])

int mk_result_view_draw(const struct mk_result_view *s, struct mk_error *err)
{
    for (size_t i = 0; i < mk_result_figure_count(); i++) {
        if (!mk_name_listed(s->to.only, figures[i]->name) || !figures[i]->applies(s)) continue;
        int code = figures[i]->draw(s, err);
        if (code) return code;
    }
    return MK_OK;
}

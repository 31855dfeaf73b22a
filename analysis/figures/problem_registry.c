/* The figures of problems, in the order in which they are drawn. */
#include "analysis/figures/problem_view.h"
#include "analysis/plot/plot_text.h"

#define PICTURE(name) extern const struct mk_picture mk_picture_##name;
#include "analysis/figures/problem_figures.def"
#undef PICTURE

static const struct mk_picture *const pictures[] = {
#define PICTURE(name) &mk_picture_##name,
#include "analysis/figures/problem_figures.def"
#undef PICTURE
};

size_t mk_picture_count(void)
{
    return sizeof pictures / sizeof *pictures;
}

const struct mk_picture *mk_picture_at(size_t i)
{
    return pictures[i];
}

int mk_gallery_draw(const struct mk_gallery *g, struct mk_error *err)
{
    for (size_t i = 0; i < mk_picture_count(); i++) {
        if (!mk_name_listed(g->to.only, pictures[i]->name) || !pictures[i]->applies(g)) continue;
        int code = pictures[i]->draw(g, err);
        if (code) return code;
    }
    return MK_OK;
}

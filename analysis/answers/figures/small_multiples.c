/* Figures in parts: one panel each, with common axes. */
#include <stdio.h>
#include <string.h>

#include "analysis/answers/figures/result_view.h"
#include "sim/base/error.h"

static const double narrow = 2.6, wide = 3.5, panel_height = 1.75; /* inches */

static void name_panel(const char *detail, char *out, size_t room)
{
    snprintf(out, room, "%s", detail);
    if (strncmp(out, "cash", 4) == 0) memcpy(out, "CASH", 4);
    for (char *c = out; *c; c++)
        if (*c == '_') *c = ' ';
}

/* What panels say about curves that coincide, after what they all say. */
static void describe_coinciding(const struct mk_plot *plot, size_t n, size_t common, char *out, size_t room)
{
    size_t used = (size_t)snprintf(out, room, "%.*s", (int)common, plot[0].subtitle);
    for (size_t i = 0; i < n && used < room; i++)
        if (strlen(plot[i].subtitle) > common)
            used += (size_t)snprintf(out + used, room - used, "%s", plot[i].subtitle + common);
}

static void describe_panels(const struct mk_view_part *part, struct mk_panels *g, size_t n)
{
    const size_t common = strlen(g->plot[0].subtitle);
    snprintf(g->title, sizeof g->title, "%s", g->plot[0].title);
    for (size_t i = 0; i < n; i++) {
        mk_plot_name_coinciding(&g->plot[i]);
        name_panel(part[i].detail, g->plot[i].title, sizeof g->plot[i].title);
        if (i % g->columns) g->plot[i].y.label[0] = 0;
    }
    describe_coinciding(g->plot, n, common, g->subtitle, sizeof g->subtitle);
    mk_plots_share_y(g->plot, n);
}

int mk_view_draw_parts(const struct mk_result_view *s, const struct mk_view_part *part, size_t n, mk_compose *compose,
                       const void *context, const char *figure, struct mk_error *err)
{
    if (n == 1) {
        struct mk_plot p;
        mk_plot_init(&p);
        int code = compose(context, &part[0], &p, err);
        return mk_result_view_finish(s, &p, figure, part[0].detail, code, err);
    }
    const size_t columns = n <= 2 || n == 4 ? 2 : 3, rows = (n + columns - 1) / columns;
    if (!n) return MK_OK;
    struct mk_panels *g = mk_panels_new(rows, columns, columns == 2 ? wide : narrow, panel_height);
    int code = g ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = 0; !code && i < n; i++) code = compose(context, &part[i], &g->plot[i], err);
    if (!code) describe_panels(part, g, n);
    return mk_figure_output_panels(&s->to, g, figure, code, err);
}

#include "analysis/answers/figures/plot/figure_output.h"

#include <stdio.h>

#include "sim/base/text.h"

enum { NAME_ROOM = 200 };

static void name_files(const struct mk_figure_output *d, const char *figure, const char *detail, char name[NAME_ROOM])
{
    char joined[2 * NAME_ROOM];
    snprintf(joined, sizeof joined, "%s_%s%s%s", d->prefix, figure, detail[0] ? "_" : "", detail);
    mk_file_name_part(joined, name, NAME_ROOM);
}

static void report(const struct mk_figure_output *d, const char *name)
{
    char path[4608];
    if (!d->drawn) return;
    snprintf(path, sizeof path, "%s/%s.%s", d->folder, name, mk_plot_suffix(d->format));
    d->drawn(d->context, path);
}

int mk_figure_output_plot(const struct mk_figure_output *d, struct mk_plot *p, const char *figure, const char *detail,
                          int code, struct mk_error *err)
{
    char name[NAME_ROOM];
    name_files(d, figure, detail, name);
    p->picture = d->picture;
    if (!code) code = mk_plot_draw(p, d->folder, name, d->format, err);
    mk_plot_clear(p);
    if (!code) report(d, name);
    return code;
}

/* Every panel that has curves as a picture of its own. */
static int draw_apart(const struct mk_figure_output *d, struct mk_panels *g, const char *figure, struct mk_error *err)
{
    char number[24];
    int code = MK_OK;
    for (size_t i = 0, n = 0; i < g->rows * g->columns && !code; i++) {
        if (!g->plot[i].n_curves) continue;
        snprintf(number, sizeof number, "%zu", ++n);
        code = mk_figure_output_plot(d, &g->plot[i], figure, number, MK_OK, err);
    }
    return code;
}

int mk_figure_output_panels(const struct mk_figure_output *d, struct mk_panels *g, const char *figure, int code,
                            struct mk_error *err)
{
    char name[NAME_ROOM];
    if (!code && d->apart) {
        code = draw_apart(d, g, figure, err);
        mk_panels_free(g);
        return code;
    }
    name_files(d, figure, "", name);
    if (!code) {
        g->picture = d->picture;
        code = mk_panels_draw(g, d->folder, name, d->format, err);
    }
    mk_panels_free(g);
    if (!code) report(d, name);
    return code;
}

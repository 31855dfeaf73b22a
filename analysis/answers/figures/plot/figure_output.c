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

int mk_figure_output_panels(const struct mk_figure_output *d, struct mk_panels *g, const char *figure, int code,
                            struct mk_error *err)
{
    char name[NAME_ROOM];
    name_files(d, figure, "", name);
    if (!code) {
        g->picture = d->picture;
        code = mk_panels_draw(g, d->folder, name, d->format, err);
    }
    mk_panels_free(g);
    if (!code) report(d, name);
    return code;
}

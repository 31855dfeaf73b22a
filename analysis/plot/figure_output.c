#include "analysis/plot/figure_output.h"

#include <stdio.h>

#include "analysis/plot/plot_text.h"

void mk_figure_output_name(const struct mk_figure_output *d, const char *figure, const char *detail,
                           char name[MK_FIGURE_ROOM])
{
    char joined[2 * MK_FIGURE_ROOM];
    snprintf(joined, sizeof joined, "%s_%s%s%s", d->prefix, figure, detail[0] ? "_" : "", detail);
    mk_file_name_part(joined, name, MK_FIGURE_ROOM);
}

void mk_figure_output_done(const struct mk_figure_output *d, const char *name)
{
    char path[4608];
    if (!d->drawn) return;
    snprintf(path, sizeof path, "%s/%s.%s", d->folder, name, mk_plot_suffix(d->format));
    d->drawn(d->context, path);
}

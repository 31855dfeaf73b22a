#include "analysis/plot/figure_output.h"

#include <stdio.h>

#include "analysis/plot/plot_text.h"

void mk_drawing_name(const struct mk_drawing *d, const char *figure, const char *detail, char name[MK_PICTURE_ROOM])
{
    char joined[2 * MK_PICTURE_ROOM];
    snprintf(joined, sizeof joined, "%s_%s%s%s", d->prefix, figure, detail[0] ? "_" : "", detail);
    mk_file_name_part(joined, name, MK_PICTURE_ROOM);
}

void mk_drawing_done(const struct mk_drawing *d, const char *name)
{
    char path[4608];
    if (!d->drawn) return;
    snprintf(path, sizeof path, "%s/%s.%s", d->folder, name, mk_plot_suffix(d->format));
    d->drawn(d->context, path);
}

/* Where figures go and the names of their files. */
#ifndef MAXK_ANALYSIS_PLOT_FIGURE_OUTPUT_H
#define MAXK_ANALYSIS_PLOT_FIGURE_OUTPUT_H

#include <stddef.h>

#include "analysis/plot/plot.h"

enum { MK_PREFIX_ROOM = 128, MK_FIGURE_ROOM = 200 };

struct mk_figure_output {
    const char *only; /* names of figures separated by spaces; NULL = all */
    const char *folder;
    char prefix[MK_PREFIX_ROOM]; /* of file names */
    enum mk_plot_format format;
    struct mk_picture picture;                      /* what is requested of every picture */
    void (*drawn)(void *context, const char *path); /* called for every picture; may be NULL */
    void *context;
};

/* The name of a figure's files, PREFIX_FIGURE or PREFIX_FIGURE_DETAIL (detail: "" for none). */
void mk_figure_output_name(const struct mk_figure_output *d, const char *figure, const char *detail,
                           char name[MK_FIGURE_ROOM]);

/* Reports the picture `name`. */
void mk_figure_output_done(const struct mk_figure_output *d, const char *name);

#endif

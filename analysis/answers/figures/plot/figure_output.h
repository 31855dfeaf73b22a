/* Where figures go and the names of their files. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_FIGURE_OUTPUT_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_FIGURE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/answers/figures/plot/plot.h"

enum { MK_PREFIX_ROOM = 128 };

struct mk_figure_output {
    const char *only; /* names of figures separated by spaces; NULL = all */
    const char *folder;
    char prefix[MK_PREFIX_ROOM]; /* of file names */
    enum mk_plot_format format;
    struct mk_picture picture;                      /* what is requested of every picture */
    void (*drawn)(void *context, const char *path); /* called for every picture; may be NULL */
    void *context;
    bool apart; /* panels are pictures of their own, as PREFIX_FIGURE_1 and so on: for pages, also narrow ones */
};

/* Draws a plot as PREFIX_FIGURE or PREFIX_FIGURE_DETAIL (detail: "" for none) and clears it, whether that succeeded or
 * not; with a `code` other than MK_OK it only clears it. */
int mk_figure_output_plot(const struct mk_figure_output *d, struct mk_plot *p, const char *figure, const char *detail,
                          int code, struct mk_error *err);

/* The same for panels, as PREFIX_FIGURE; they are freed, and may be NULL with such a code. */
int mk_figure_output_panels(const struct mk_figure_output *d, struct mk_panels *g, const char *figure, int code,
                            struct mk_error *err);

#endif

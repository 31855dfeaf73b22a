/* The page of a figure: its size, and letters that fit it. Used by plot_script.c. */
#ifndef MAXK_ANALYSIS_PLOT_PLOT_PAGE_H
#define MAXK_ANALYSIS_PLOT_PLOT_PAGE_H

#include <stdio.h>

#include "analysis/plot/plot.h"

/* A figure is laid out for letters of 8 points on a page of this size, in inches, and drawn with everything on it
 * smaller by the factor `scale` <= 1. */
struct mk_plot_page {
    double width, height;
    double scale;
};

/* By which factor a figure that needs a page of at least this size is to be drawn to fit into the requested one, where
 * 0 leaves a side to the figure. */
double mk_plot_page_scale(const double requested[2], double needed_width, double needed_height);

enum { MK_TITLE_LINES = 3 };
extern const double mk_single_width; /* of a plot that fits into a column, in inches */

/* The smallest width that does not need more lines, so that lines are about equally long; adds their number to
 * *lines. */
size_t mk_plot_page_title_width(const char *text, double inches, size_t *lines);

/* The lines that begin a script, and its terminal and output. */
void mk_page_write_head(const char *name, enum mk_plot_format format, FILE *to);
void mk_plot_page_write_terminal(const struct mk_plot_page *page, const char *name, enum mk_plot_format format,
                                 FILE *to);

#endif

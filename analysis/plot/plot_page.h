/* The page of a figure: its size, letters that fit it, and its heading. Used by the files that write scripts. */
#ifndef MAXK_ANALYSIS_PLOT_PLOT_PAGE_H
#define MAXK_ANALYSIS_PLOT_PLOT_PAGE_H

#include <stddef.h>

#include "analysis/plot/plot.h"

/* A figure is laid out for letters of 8 points on a page of this size, in inches, and drawn with everything on it
 * larger by the factor `scale`, which is below 1 where letters of the requested size would not fit. */
struct mk_plot_page {
    double width, height;
    double scale;
};

enum { MK_TITLE_LINES = 3 };
extern const double mk_single_width;  /* of a plot that fits into a column, in inches */
extern const double mk_usual_letters; /* in points */

/* The scale that gives letters of the requested size. */
double mk_page_letters(const struct mk_picture *picture);

/* At most the scale `most`, with which something that needs this length fits into the requested one (0: any). */
double mk_page_scale(double most, double requested, double needed);

/* The lines above a figure. */
struct mk_heading {
    const char *text[2]; /* title, subtitle; "" = none */
    size_t width[2];     /* characters to a line */
    size_t lines;        /* of both */
};

/* Of a figure with this title and subtitle on a page of this width. LaTeX has captions for what subtitles say. */
struct mk_heading mk_heading_of(const char *title, const char *subtitle, const struct mk_picture *picture,
                                enum mk_plot_format format, double inches);

#endif

/* What a plot has room for: its size, its legend, the ranges of its axes. Used by the files that write scripts. */
#ifndef MAXK_ANALYSIS_PLOT_PLOT_LAYOUT_H
#define MAXK_ANALYSIS_PLOT_PLOT_LAYOUT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "analysis/plot/plot.h"

/* Characters of a text in the legend, next to a colour scale, and below a heat map. */
enum { MK_LABEL_LIMIT = 40, MK_SCALE_LABEL_LIMIT = 22, MK_TURNED_NAME_LIMIT = 16 };

/* The place of one panel among several, in fractions of the page; bottom to top is the plot area, `key` the foot of its
 * legend. */
struct mk_plot_place {
    double left, right, bottom, top, key;
    double narrow; /* its width over that of a single plot */
    size_t first;  /* number of its first curve in the data file */
};

/* Totals over the curves. */
struct mk_plot_layout {
    const struct mk_plot_place *in; /* NULL: a single plot */
    struct mk_axis_range x, y, colour;
    size_t named;         /* visible curves with a label and no colour of their own */
    size_t scaled;        /* visible curves with a colour of their own */
    int names_on_scale;   /* too many for a legend: the colour scale carries their names */
    size_t columns, rows; /* of the legend */
    double legend_pad;    /* added to the width of its widest text, in characters */
    double svg_pad;       /* the same for gnuplot's SVG terminal */
    size_t scale_margin;  /* right margin in characters if names are next to the scale; 0 = gnuplot's default */
    double width, height; /* inches */
    double names;         /* the turned names of columns, in inches */
    size_t name_slots;    /* how many of these fit */
};

/* `in`: NULL for a single plot. */
struct mk_plot_layout mk_plot_lay_out(const struct mk_plot *p, const struct mk_plot_place *in);

static inline bool mk_curve_named(const struct mk_curve *c)
{
    return c->label[0] && isnan(c->colour);
}

#endif

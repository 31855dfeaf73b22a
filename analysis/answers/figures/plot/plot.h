/* Figures through gnuplot: a description of curves and axes, written as one data file and one self-contained script.
 *
 * mk_plot_draw leaves three files in a folder: NAME.dat (whitespace columns, one block per curve, # headers), NAME.gp
 * (run `gnuplot NAME.gp` in that folder to draw again) and NAME.png, .svg, .pdf, or .tex and .pdf. They are created in
 * a scratch folder inside it and renamed into place only after gnuplot succeeded, so a figure that fails leaves an
 * earlier one unchanged. gnuplot is started without a shell; terminals run with enhanced text off and texts are
 * single-quoted, so that labels from files are printed literally. Sizes are meant for a column of 3.5 inches with
 * letters of 8 points. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_PLOT_PLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "sim/api/maxk/error.h"

/* TEX: for LaTeX, which sets the texts of NAME.tex over the lines of NAME.pdf. */
enum mk_plot_format { MK_PLOT_PNG, MK_PLOT_SVG, MK_PLOT_PDF, MK_PLOT_TEX };
#define MK_PLOT_FORMATS "png|svg|pdf|tex"

enum {
    MK_PLOT_TEXT = 256,
    MK_PLOT_LEGEND_MAX = 12 /* more named curves than this get a colour scale instead of a legend */
};

enum mk_curve_style {
    MK_CURVE_LINE,
    MK_CURVE_LINE_POINTS,
    MK_CURVE_ROWS,   /* points without a line; y is a row and the interval lies along x */
    MK_CURVE_POINTS, /* points without a line; an interval is an error bar */
    MK_CURVE_RINGS,  /* the same as wide circles, visible around the points of other curves */
    /* Here (lo, hi) is a second point, not an interval: */
    MK_CURVE_SEGMENTS, /* lines from (x, y) to (lo, hi) */
    MK_CURVE_BOXES     /* filled rectangles with corners (x, y) and (lo, hi): bars of histograms, boxes of box plots */
};

struct mk_curve {
    char label[MK_PLOT_TEXT]; /* in the legend; "" = not listed */
    enum mk_curve_style style;
    size_t n;
    double *x, *y, *lo, *hi; /* [n], owned; NaN = no point; lo and hi NULL without an interval */
    double colour;           /* position on the colour scale; NaN = a colour of the palette */
    int look;                /* which colour, dashes and points of the palette; -1 = by the order of curves */
    double width;            /* of the line, in points; 0 = the usual one */
    double faint;            /* 0 = opaque … 1 = invisible; faint lines have no dashes */
};

struct mk_axis {
    char label[MK_PLOT_TEXT];
    int log;
    double lo, hi;      /* NaN = from the curves */
    const double *tics; /* positions to label on a log axis where they fit, or NULL; borrowed */
    size_t n_tics;
    int whole; /* linear axis: tics at whole numbers only */
};

/* What is requested of a picture in place of what the figure has of its own; zeroes: nothing. */
struct mk_picture {
    double width, height; /* inches; letters shrink where they must */
    const char *title;    /* in place of title and subtitle; "" = none; borrowed */
    const char *font;     /* family, of letters, digits, spaces and -.:_ only; borrowed; not for TEX */
    double letters;       /* points; the picture grows with its letters where no width is requested */
};

/* A text in a plot. */
struct mk_note {
    double x, y;
    int side; /* -1: ends there, 0: centred, 1: begins there */
    char text[MK_PLOT_TEXT];
};

struct mk_plot {
    char title[2 * MK_PLOT_TEXT], subtitle[2 * MK_PLOT_TEXT];
    struct mk_axis x, y;
    struct mk_axis colour;  /* scale for curves with a colour of their own; shown when there are any */
    const char *const *row; /* [n_rows] names of the rows y = 0, 1, … from the top; borrowed; NULL without rows */
    size_t n_rows;
    double *cell; /* [n_rows][n_columns] a heat map in place of curves, coloured by `colour`; owned; NaN = blank */
    size_t n_columns;
    const char *const *column; /* [n_columns] names of the columns, or of x = 0, 1, … of curves, or NULL; borrowed */
    bool turn_names;           /* of the columns of a heat map: upright, where they are many or long */
    size_t n_curves;
    struct mk_curve *curve; /* owned */
    size_t n_notes;
    struct mk_note *note; /* owned */
    bool top_axis;        /* x at the top, no y axis, ranges as given */
    double width, height; /* of the picture in inches; 0: as it needs */
    struct mk_picture picture;
};

/* Plots side by side, each with its own title and legend. Colour scales and rows are for single plots. */
struct mk_panels {
    char title[2 * MK_PLOT_TEXT], subtitle[2 * MK_PLOT_TEXT];
    size_t rows, columns;
    double width, height; /* of one panel with its axes, and of its plot area, in inches */
    struct mk_picture picture;
    struct mk_plot *plot; /* [rows][columns], owned; without curves = left empty; the subtitle is not shown */
};

void mk_plot_init(struct mk_plot *p);
void mk_plot_clear(struct mk_plot *p);

/* Sets the labels of the axes. */
void mk_plot_axes(struct mk_plot *p, const char *x, const char *y);

/* A further curve of n points, all NaN, with lo and hi when interval != 0; NULL when out of memory. The pointer is
 * valid until the next call; its arrays stay in place. */
struct mk_curve *mk_plot_add(struct mk_plot *p, const char *label, size_t n, int interval);

/* Sets point k; and with its interval or second point, of a curve that has those. */
static inline void mk_curve_point(struct mk_curve *c, size_t k, double x, double y)
{
    c->x[k] = x;
    c->y[k] = y;
}
static inline void mk_curve_span(struct mk_curve *c, size_t k, double x, double y, double lo, double hi)
{
    mk_curve_point(c, k, x, y);
    c->lo[k] = lo;
    c->hi[k] = hi;
}

/* A further text; false when out of memory. */
bool mk_plot_note(struct mk_plot *p, double x, double y, int side, const char *text);

/* Makes it a heat map with the rows named, all cells NaN; NULL when out of memory. */
double *mk_plot_cells(struct mk_plot *p, const char *const *row, size_t n_rows, const char *const *column,
                      size_t n_columns);

/* Draws into `folder` (which exists) as `name`.dat, .gp and .png/.svg/.pdf, or .tex and .pdf; `name` in the form
 * produced by mk_file_name_part. MK_EFAIL when gnuplot is missing or fails, MK_EIO when a file cannot be written. */
int mk_plot_draw(const struct mk_plot *p, const char *folder, const char *name, enum mk_plot_format format,
                 struct mk_error *err);

/* Empty panels; NULL when out of memory. mk_panels_free frees plots and panels; NULL is allowed. */
struct mk_panels *mk_panels_new(size_t rows, size_t columns, double width, double height);
void mk_panels_free(struct mk_panels *panels);

/* The same for panels; at least one of them must have a point that can be drawn. */
int mk_panels_draw(const struct mk_panels *g, const char *folder, const char *name, enum mk_plot_format format,
                   struct mk_error *err);

/* "png", "svg", "pdf" or "tex". */
const char *mk_plot_suffix(enum mk_plot_format format);

/* The script alone, to a stream (mk_plot_draw uses it). */
void mk_plot_write_script(const struct mk_plot *own, const char *name, enum mk_plot_format format, FILE *to);
void mk_panels_write_script(const struct mk_panels *g, const char *name, enum mk_plot_format format, FILE *to);

/* An axis as it will be drawn. A log axis over less than a factor 3 is drawn linear. */
struct mk_axis_range {
    int log;
    double lo, hi; /* lo < hi; lo > 0 when log */
};
struct mk_axis_range mk_plot_range_x(const struct mk_plot *p);
struct mk_axis_range mk_plot_range_y(const struct mk_plot *p);
struct mk_axis_range mk_plot_range_colour(const struct mk_plot *p);

/* Give n plots the same range, so that they can be compared; y is logarithmic where it is in all of them. */
void mk_plots_share_x(struct mk_plot *plot, size_t n);
void mk_plots_share_y(struct mk_plot *plot, size_t n);

/* A horizon in titles and legends: its digits; from 10^5 on 5·10⁵, 10¹² where that is exact. */
struct mk_plot_horizon {
    char text[24];
};
struct mk_plot_horizon mk_plot_horizon(uint64_t T);
struct mk_plot_horizon mk_plot_amount(double T); /* which may be a cost */

/* Writes the positions and labels of the tics of a log axis, ('10²' 100, …), for `set xtics`. */
void mk_plot_write_log_tics(const struct mk_axis *axis, struct mk_axis_range range, enum mk_markup markup, FILE *to);

/* Bands of many curves hide each other: with more curves than a legend can list they go to the data file only. */
static inline bool mk_plot_shows_bands(size_t curves)
{
    return curves <= MK_PLOT_LEGEND_MAX;
}

/* 1 when lo and hi of this style are a second point. */
static inline bool mk_curve_has_ends(enum mk_curve_style style)
{
    return style >= MK_CURVE_SEGMENTS;
}

/* 1 when at least one point of the curve can be drawn on these axes. */
bool mk_curve_visible(const struct mk_curve *c, struct mk_axis_range x, struct mk_axis_range y);

/* Runs `gnuplot -d SCRIPT` in `folder`, its messages kept. MK_EFAIL with its first message. */
int mk_gnuplot_run(const char *folder, const char *script, struct mk_error *err);

#endif

/* What the files that write a gnuplot script share. Texts that may come from files are only written by
 * mk_script_quote and mk_heading_write. */
#ifndef MAXK_ANALYSIS_PLOT_PLOT_SCRIPT_H
#define MAXK_ANALYSIS_PLOT_PLOT_SCRIPT_H

#include <stddef.h>
#include <stdio.h>

#include "analysis/plot/plot.h"
#include "analysis/plot/plot_layout.h"
#include "analysis/plot/plot_page.h"

/* A script that is being written. */
struct mk_script {
    FILE *to;
    enum mk_plot_format format;
    double scale; /* of the page */
};

/* The lines that begin a script, and its terminal and output. */
void mk_script_begin(const struct mk_script *s, const struct mk_plot_page *page, const struct mk_picture *picture,
                     const char *name);

/* A text as a string expression, as the format has it. */
void mk_script_quote(const struct mk_script *s, const char *text);

/* The lines of a heading, at `place` of the page ("at screen …"); nothing without lines. */
void mk_heading_write(const struct mk_heading *h, const struct mk_script *s, int label, const char *place);

/* Range, label and tics of the axis `letter`: x, y or cb; narrow: the width over that of a single plot. */
void mk_script_axis(const struct mk_script *s, const char *letter, const struct mk_axis *axis, struct mk_axis_range r,
                    double narrow);

void mk_script_legend(const struct mk_script *s, const struct mk_plot_layout *l);
void mk_script_curves(const struct mk_script *s, const struct mk_plot *p, const struct mk_plot_layout *l,
                      const char *name);

/* Borders and tics of every figure. */
extern const char mk_script_frame[];

#endif

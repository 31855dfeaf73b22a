/* Box plots and histograms as curves of a plot. */
#ifndef MAXK_ANALYSIS_PLOT_PLOT_BOXES_H
#define MAXK_ANALYSIS_PLOT_PLOT_BOXES_H

#include <stddef.h>

#include "analysis/plot/plot.h"

struct mk_box_group {
    double *value; /* [n], owned; sorted by mk_plot_boxes */
    size_t n;
};

/* n_groups empty groups with room for `room` values each (calloc'ed), NULL when out of memory. */
struct mk_box_group *mk_box_groups_new(size_t n_groups, size_t room);
void mk_box_groups_free(struct mk_box_group *g, size_t n_groups);
/* Adds x when it is finite. */
void mk_box_group_add(struct mk_box_group *g, double x);

/* Group i at x = i + 1: box from the first to the third quartile (type 7), median, whiskers to the farthest values
 * within 1.5 box heights (Tukey), all others as points. Errors: MK_ENOMEM. */
int mk_plot_boxes(struct mk_plot *p, struct mk_box_group *group, size_t n_groups, int look, struct mk_error *err);

/* Bars of equal width on a log axis from low to high (0 < low < high). Errors: MK_ENOMEM. */
int mk_plot_log_histogram(struct mk_plot *p, const struct mk_box_group *group, double low, double high, size_t bins,
                          int look, struct mk_error *err);

#endif

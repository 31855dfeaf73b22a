/* Figures of a problem itself, from an experiment file or a CSV file, before anything is run. A figure is a const
 * struct mk_problem_figure in a file problem_*.c, survival.c or process.c, and one line in problem_figures.def.
 * (Figures of results: result_view.h.) */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_PROBLEM_VIEW_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_PROBLEM_VIEW_H

#include <stdbool.h>

#include "analysis/answers/figures/plot/figure_output.h"
#include "analysis/answers/figures/plot/plot.h"
#include "analysis/compare/arms/survey.h"
#include "sim/api/maxk/error.h"
#include "sim/run/experiment/experiment.h"

enum { MK_VIEW_RANKS = 8 };

struct mk_problem_view {
    struct mk_experiment *experiment; /* recorded rewards are normalised: mk_problem_normalise */
    const struct mk_problem *problem;
    struct mk_survey *survey;            /* trajectories; else NULL */
    size_t n_ranks, rank[MK_VIEW_RANKS]; /* trajectories: the ranks shown, all or the first ones and the last */

    struct mk_figure_output to;
};

struct mk_problem_figure {
    const char *name;  /* part of file names, [a-z_]+ */
    const char *shows; /* one line; what it needs after a semicolon */
    bool (*applies)(const struct mk_problem_view *g);
    int (*draw)(const struct mk_problem_view *g, struct mk_error *err);
};

/* Registry (from problem_figures.def, in its order). */
size_t mk_problem_figure_count(void);
const struct mk_problem_figure *mk_problem_figure_at(size_t i);
const struct mk_problem_figure *mk_problem_figure_find(const char *name);

/* With overrides of the experiment. File names will begin with the experiment's name; the caller may change to.prefix,
 * and sets the rest of to. */
int mk_problem_view_open(struct mk_problem_view *g, const char *path, const char *const *sets, size_t n_sets,
                         struct mk_error *err);
void mk_problem_view_close(struct mk_problem_view *g);

/* Draws every figure that applies and that `only` allows. Stops at the first failure. */
int mk_problem_view_draw(const struct mk_problem_view *g, struct mk_error *err);

/* ---- for figures ---- */

/* Empty panels with the experiment's title; NULL when out of memory.  */
struct mk_panels *mk_problem_view_panels(const struct mk_problem_view *g, size_t rows, size_t columns, double width,
                                         double height, const char *subtitle);

/* A curve with a fixed look, width and faintness; NULL when out of memory. */
struct mk_curve *mk_problem_view_curve(struct mk_plot *p, const char *label, size_t n, int look, double width,
                                       double faint);

/* The points at which L and U are attained, at least at the smallest eps drawn. Errors: MK_ENOMEM. */
int mk_problem_view_mark_lu(struct mk_plot *p, const struct mk_lu *lu, int look, double smallest, struct mk_error *err);

/* In place of a curve for every arm: the median of value(p, arm, x) over the arms, with the band from 5 to 95 %, the
 * quartiles and the largest, at x[0 … points-1]; NaN values do not count. Errors: MK_ENOMEM. */
int mk_problem_view_spread(struct mk_plot *plot, const struct mk_problem *p, const double *x, size_t points,
                           double (*value)(const struct mk_problem *p, size_t arm, double x), struct mk_error *err);

#endif

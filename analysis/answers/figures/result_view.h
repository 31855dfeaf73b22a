/* Figures of a result file. A figure is a const struct mk_result_figure in a file result_*.c, survival.c or
 * process.c, and one line in result_figures.def. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_RESULT_VIEW_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_RESULT_VIEW_H

#include <stdbool.h>

#include "analysis/answers/figures/plot/figure_output.h"
#include "analysis/answers/figures/plot/plot.h"
#include "analysis/answers/figures/published.h"
#include "analysis/compare/arms/sampled_race.h"
#include "sim/api/maxk/error.h"
#include "sim/run/store/result.h"

/* What is measured of every policy at every horizon, averaged over replications and then over instances. */
enum mk_measure {
    MK_MEASURE_BEST_SHARE,   /* N_{i*}(T) / T */
    MK_MEASURE_REGRET,       /* R(T) = E[M_{i*}(T)] - mean best reward */
    MK_MEASURE_PROXY_REGRET, /* PER(T) of Baudry et al. 2022; no standard error */
    MK_MEASURE_BEST_REWARD,  /* mean of the largest reward up to T */
    MK_MEASURES
};

struct mk_mean {
    double mean, se; /* NaN where undefined; se: over replications, instances treated as given */
};

/* Policies of one type that differ in one numeric parameter, ascending in it. */
struct mk_sweep {
    const struct mk_policy_type *type;
    size_t param; /* position in type->params */
    size_t n;
    size_t *policy; /* [n], owned */
    double *value;  /* [n], owned */
};

/* A result file prepared for drawing. */
struct mk_result_view {
    struct mk_result *result;
    bool borrowed; /* the result is the caller's */
    const struct mk_result_info *info;
    struct mk_experiment *experiment;  /* synthetic problems: the resolved experiment; else NULL */
    struct mk_experiment *recorded;    /* recorded rewards, normalised (mk_problem_normalise), if some policy is max_ucb
                                          with alpha > 0; else NULL */
    char missing[MK_ERROR_TEXT];       /* why there is no experiment or no recorded one; else "" */
    struct mk_mean *mean[MK_MEASURES]; /* [policy][horizon] */
    size_t n_sweeps;
    struct mk_sweep *sweep;
    double *horizon; /* [n_horizons] as numbers, for tics */

    struct mk_certificate_store *certificates; /* of certified bounds; opened with the view */
    struct mk_race_arms *arms;                 /* of the experiment; NULL where nothing is certified */
    struct mk_progress *progress;              /* of computing them; may be NULL; borrowed */
    const struct mk_published *published;      /* drawn over one's own numbers; may be NULL; borrowed */
    struct mk_sampling sampling;               /* of bounds with confidence next to certified ones */
    struct mk_figure_output to;
};

struct mk_result_figure {
    const char *name;  /* part of file names, [a-z_]+ */
    const char *shows; /* one line; what it needs after a semicolon */
    bool (*applies)(const struct mk_result_view *s);
    int (*draw)(const struct mk_result_view *s, struct mk_error *err);
};

/* Registry (from result_figures.def, in its order). */
size_t mk_result_figure_count(void);
const struct mk_result_figure *mk_result_figure_at(size_t i);
const struct mk_result_figure *mk_result_figure_find(const char *name);

/* Opens and reads `path`, of which only the chosen policies are shown (NULL: all). File names will begin with the
 * experiment's name; the caller may change s->to.prefix, and sets the rest of s->to, published and sampling. */
int mk_result_view_open(struct mk_result_view *s, const char *path, const struct mk_policy_selection *chosen,
                        struct mk_error *err);

/* The same of all policies of a result that is open and stays the caller's. */
int mk_result_view_whole(struct mk_result_view *s, struct mk_result *r, struct mk_error *err);

/* The same with what maps of sweeps need alone: no means, no experiment. */
int mk_result_view_of(struct mk_result_view *s, struct mk_result *r, struct mk_error *err);
void mk_result_view_close(struct mk_result_view *s);

/* Draws every figure that applies and that `only` allows. Stops at the first failure. */
int mk_result_view_draw(const struct mk_result_view *s, struct mk_error *err);

/* ---- for figures ---- */

static inline struct mk_mean mk_result_view_mean(const struct mk_result_view *s, enum mk_measure m, size_t policy,
                                                 size_t horizon)
{
    return s->mean[m][policy * s->info->n_horizons + horizon];
}

/* 1 when some policy has a finite value of this measure at some horizon. */
bool mk_result_view_has(const struct mk_result_view *s, enum mk_measure m);

/* Says whether a policy is of some kind. */
typedef bool mk_result_view_covers(const struct mk_result_view *s, size_t policy);

/* 1 for max_ucb with power 1 and alpha > 0 (alpha = 0 makes Theorem 4.2 the trivial bound T), for any scale. */
mk_result_view_covers mk_result_view_is_max_ucb;

/* 1 for policies that have certified bounds, with alpha > 0: max_ucb and its variants with any power. */
mk_result_view_covers mk_result_view_is_certified;

/* 1 when the arms are bounded, horizons are pulls, and some policy is of that kind. */
bool mk_result_view_has_any(const struct mk_result_view *s, mk_result_view_covers *covers);

/* "best_share", …; the label of its axis. */
const char *mk_measure_name(enum mk_measure m);
const char *mk_measure_label(enum mk_measure m);

/* A plot with the experiment's title. */
void mk_result_view_start(const struct mk_result_view *s, struct mk_plot *p);

/* The same with the subtitle `what` (NULL: nothing), to which the numbers of instances and replications are added. */
void mk_result_view_plot(const struct mk_result_view *s, struct mk_plot *p, const char *what, ...)
    __attribute__((format(printf, 3, 4)));

/* Appends to the subtitle. */
void mk_plot_append(struct mk_plot *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Makes x the axis of horizons. */
void mk_result_view_horizon_axis(const struct mk_result_view *s, struct mk_axis *axis);

/* Point k of a curve from a mean: mean ± MK_NORMAL_95 se. */
void mk_curve_set(struct mk_curve *c, size_t k, double x, struct mk_mean y, enum mk_measure m);

/* Log y axis for regrets that allow it: at least a quarter of the values are above 0 by their intervals, and at least
 * four times as many as below. Other points are then omitted, and the subtitle says so: a regret that has become
 * smaller than its error would appear as noise over many decades. */
void mk_plot_choose_log(struct mk_plot *p, enum mk_measure m);

/* Draws as <prefix>_<figure>[_<detail>] and clears the plot, whether it succeeded or not; with a `code` other than
 * MK_OK it only clears it. */
int mk_result_view_finish(const struct mk_result_view *s, struct mk_plot *p, const char *figure, const char *detail,
                          int code, struct mk_error *err);

/* Names curves that lie on top of each other in the subtitle, since only one of them is seen. */
void mk_plot_name_coinciding(struct mk_plot *p);

/* Policies that one figure shows where there are too many for one. */
struct mk_view_part {
    char *keep; /* [policy] */
    int *look;  /* [policy] of its curve: the policies of every part have the same in each */
    char detail[64];
};

/* The policies outside of sweeps, with the reference of every sweep, in as many parts as legends need: together, by
 * kind as in Figures D.10 to D.13 of Balef et al. 2025, and kinds with too many in pieces; every part has the oracle,
 * combined searches and the references. None where that leaves fewer than two. */
int mk_view_parts(const struct mk_result_view *s, struct mk_view_part **out, size_t *n, struct mk_error *err);
void mk_view_parts_free(struct mk_view_part *part, size_t n);

/* Draws one part as a figure of its own, <prefix>_<figure>_<detail>, and several as panels of one figure,
 * <prefix>_<figure>, with a common y axis. compose describes a part: `p` as mk_plot_init leaves it. */
typedef int mk_compose(const void *context, const struct mk_view_part *part, struct mk_plot *p, struct mk_error *err);
int mk_view_draw_parts(const struct mk_result_view *s, const struct mk_view_part *part, size_t n, mk_compose *compose,
                       const void *context, const char *figure, struct mk_error *err);

/* One line about how the policies are spread over figures; "" where every figure shows all. */
void mk_view_describe_parts(const struct mk_result_view *s, char *out, size_t room);

/* Makes it the colour scale of a sweep, with a log scale for values that are spaced so. */
void mk_plot_sweep_scale(struct mk_plot *p, const struct mk_sweep *w);

/* "max_ucb_alpha" or, for the second and further sweeps of the same parameter, "max_ucb_alpha_2". */
void mk_sweep_detail(const struct mk_result_view *s, size_t sweep, char *out, size_t room);

#endif

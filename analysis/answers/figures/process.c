/* How the rewards of moving arms change with their pulls: the mean reward of an arm against its pulls, figures of
 * results and of problems, and E[M(T)] of each arm alone, of problems. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/figures/problem_view.h"
#include "analysis/answers/figures/result_view.h"
#include "analysis/compare/arms/arm_choice.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { POINTS = 201, MAX_POINTS = 33 };

/* E[M(T)] of arms with noise takes time proportional to T, of arms that drift to the number of their distributions. */
enum { LONGEST = 100000, MOMENTS = 3000 };

/* An empty curve at pulls spaced as on a log axis, and at those around the breaks of the arm. Ascending, distinct. */
static struct mk_curve *add_curve(struct mk_plot *plot, const struct mk_problem *p, size_t k, uint64_t horizon,
                                  size_t points, int interval)
{
    const struct mk_process *arm = p->process[k];
    size_t n = 0;
    double *x = malloc((points + 2 * arm->n_pieces) * sizeof *x);
    if (!x) return NULL;
    for (; n < points; n++) x[n] = round(pow((double)horizon, (double)n / (double)(points - 1)));
    for (size_t i = 1; i < arm->n_pieces; i++)
        for (uint64_t at = arm->piece[i].at - 1; at <= arm->piece[i].at && at <= horizon; at++) x[n++] = (double)at;
    n = mk_sort_distinct(x, n, 0, INFINITY);
    struct mk_curve *c = mk_plot_add(plot, p->arm_label[k], n, interval);
    for (size_t i = 0; c && i < n; i++) c->x[i] = x[i];
    free(x);
    return c;
}

static bool is_random(const struct mk_process *arm)
{
    return !arm->n_pieces || arm->noise > 0;
}

static int add_mean(struct mk_plot *plot, const struct mk_problem *p, size_t k, uint64_t horizon, struct mk_error *err)
{
    const struct mk_process *arm = p->process[k];
    struct mk_curve *c = add_curve(plot, p, k, horizon, POINTS, is_random(arm));
    if (!c) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < c->n; i++) {
        const uint64_t pull = (uint64_t)c->x[i];
        c->y[i] = mk_process_reward_mean(arm, pull);
        if (c->lo) c->lo[i] = mk_process_reward_quantile(arm, pull, 0.05);
        if (c->hi) c->hi[i] = mk_process_reward_quantile(arm, pull, 0.95);
    }
    return MK_OK;
}

static double mean_of(const struct mk_problem *p, size_t k, double n)
{
    return mk_process_reward_mean(p->process[k], (uint64_t)n);
}

/* What the curves and bands are. */
static const char *subtitle_of(const struct mk_problem *p)
{
    for (size_t k = 0; k < p->n_arms; k++)
        if (is_random(p->process[k])) return "mean rewards of moving arms; bands: 5 to 95 % of single rewards";
    return "mean rewards of moving arms";
}

/* The mean reward of pull n of every arm for n = 1 … horizon, with the band from 5 to 95 % of single rewards, and the
 * axes; of more than MK_MANY_ARMS arms the distribution of their means. */
static int add_means(struct mk_plot *plot, const struct mk_problem *p, uint64_t horizon, struct mk_error *err)
{
    double x[MAX_POINTS];
    int code = MK_OK;
    mk_plot_axes(plot, "pull n of the arm", "mean reward of pull n");
    plot->x.log = 1;
    if (p->n_arms > MK_MANY_ARMS) {
        for (size_t i = 0; i < MAX_POINTS; i++) x[i] = round(pow((double)horizon, (double)i / (MAX_POINTS - 1)));
        return mk_problem_view_spread(plot, p, x, MAX_POINTS, mean_of, err);
    }
    for (size_t k = 0; k < p->n_arms && !code; k++) code = add_mean(plot, p, k, horizon, err);
    return code;
}

/* Whether the following takes seconds, and is readable. */
static bool is_quick(const struct mk_problem *p, uint64_t horizon)
{
    uint64_t moments = 0;
    for (size_t k = 0; k < p->n_arms; k++)
        if (!p->process[k]->n_pieces) moments += horizon < p->process[k]->over ? horizon : p->process[k]->over;
    return p->n_arms <= MK_MANY_ARMS && horizon <= LONGEST && moments <= MOMENTS;
}

/* E[M(T)] of every arm, pulled alone, for T = 1 … horizon. */
static int add_maxima(struct mk_plot *plot, const struct mk_problem *p, uint64_t horizon, struct mk_error *err)
{
    mk_plot_axes(plot, "T", "E[M(T)] of the arm alone");
    plot->x.log = 1;
    for (size_t k = 0; k < p->n_arms; k++) {
        struct mk_curve *c = add_curve(plot, p, k, horizon, MAX_POINTS, 0);
        if (!c) return mk_fail_memory(err, "figure");
        for (size_t i = 0; i < c->n; i++) {
            int code = mk_process_expected_max(p->process[k], (uint64_t)c->x[i], &c->y[i], err);
            if (code && code != MK_ENUM) return code;
        }
    }
    return MK_OK;
}

/* ---- of results ---- */

static bool result_applies(const struct mk_result_view *s)
{
    return s->experiment && s->experiment->problem->source->moving;
}

static int result_draw(const struct mk_result_view *s, struct mk_error *err)
{
    struct mk_plot p;
    mk_result_view_start(s, &p);
    snprintf(p.subtitle, sizeof p.subtitle, "%s", subtitle_of(s->experiment->problem));
    int code = add_means(&p, s->experiment->problem,
                         mk_problem_rounds(s->experiment->problem, s->info->horizon[s->info->n_horizons - 1]), err);
    return mk_result_view_finish(s, &p, "process", "", code, err);
}

const struct mk_result_figure mk_result_figure_process = {"process", "mean reward against an arm's pulls; moving arms",
                                                          result_applies, result_draw};

/* ---- of problems ---- */

enum { USUAL = 1000 }; /* pulls shown of a problem without horizons of its own */

static bool problem_applies(const struct mk_problem_view *g)
{
    return g->problem->source->moving;
}

static int problem_draw(const struct mk_problem_view *g, struct mk_error *err)
{
    const struct mk_experiment *e = g->experiment;
    const uint64_t horizon = e->n_horizons ? mk_problem_rounds(e->problem, e->horizon[e->n_horizons - 1]) : USUAL;
    const bool with_max = is_quick(g->problem, horizon);
    struct mk_panels *panels = mk_problem_view_panels(g, 1, with_max ? 2 : 1, 3.5, 1.75, subtitle_of(g->problem));
    if (!panels) return mk_fail_memory(err, "figure");
    int code = add_means(&panels->plot[0], g->problem, horizon, err);
    if (!code && with_max) code = add_maxima(&panels->plot[1], g->problem, horizon, err);
    return mk_figure_output_panels(&g->to, panels, "process", code, err);
}

const struct mk_problem_figure mk_problem_figure_process = {
    "process", "mean reward against an arm's pulls, and E[M(T)] of each arm; moving arms", problem_applies,
    problem_draw};

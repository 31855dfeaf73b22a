#include "analysis/figures/process_curves.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/arm_choice.h"
#include "analysis/plot/plot_spread.h"
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
    size_t n = 0, kept = 0;
    double *x = malloc((points + 2 * arm->n_pieces) * sizeof *x);
    if (!x) return NULL;
    for (; n < points; n++) x[n] = round(pow((double)horizon, (double)n / (double)(points - 1)));
    for (size_t i = 1; i < arm->n_pieces; i++)
        for (uint64_t at = arm->piece[i].at - 1; at <= arm->piece[i].at && at <= horizon; at++) x[n++] = (double)at;
    mk_sort_values(x, n);
    for (size_t i = 0; i < n; i++)
        if (!kept || x[i] > x[kept - 1]) x[kept++] = x[i];
    struct mk_curve *c = mk_plot_add(plot, p->arm_label[k], kept, interval);
    for (size_t i = 0; c && i < kept; i++) c->x[i] = x[i];
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

static double mean_of(const void *problem, size_t k, double n)
{
    return mk_process_reward_mean(((const struct mk_problem *)problem)->process[k], (uint64_t)n);
}

void mk_process_describe(const struct mk_problem *p, char *out, size_t room)
{
    bool random = false;
    for (size_t k = 0; k < p->n_arms; k++) random = random || is_random(p->process[k]);
    snprintf(out, room, "mean rewards of moving arms%s", random ? "; bands: 5 to 95 % of single rewards" : "");
}

int mk_process_mean_curves(struct mk_plot *plot, const struct mk_problem *p, uint64_t horizon, struct mk_error *err)
{
    double x[MAX_POINTS];
    int code = MK_OK;
    mk_plot_axes(plot, "pull n of the arm", "mean reward of pull n");
    plot->x.log = 1;
    if (p->n_arms > MK_MANY_ARMS) {
        for (size_t i = 0; i < MAX_POINTS; i++) x[i] = round(pow((double)horizon, (double)i / (MAX_POINTS - 1)));
        return mk_plot_spread(plot, x, MAX_POINTS, "arms", p->n_arms, mean_of, p, err);
    }
    for (size_t k = 0; k < p->n_arms && !code; k++) code = add_mean(plot, p, k, horizon, err);
    return code;
}

bool mk_process_max_is_quick(const struct mk_problem *p, uint64_t horizon)
{
    uint64_t moments = 0;
    for (size_t k = 0; k < p->n_arms; k++)
        if (!p->process[k]->n_pieces) moments += horizon < p->process[k]->over ? horizon : p->process[k]->over;
    return p->n_arms <= MK_MANY_ARMS && horizon <= LONGEST && moments <= MOMENTS;
}

int mk_process_max_curves(struct mk_plot *plot, const struct mk_problem *p, uint64_t horizon, struct mk_error *err)
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

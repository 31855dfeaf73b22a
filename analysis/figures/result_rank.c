/* Comparisons over instances: average ranks and normalised losses against T (Balef et al. 2025, Figures 5, 6, D.5, D.6,
 * D.10-D.13, E.7), and the maps and diagrams of result_rank_maps.c.
 *
 * Every sweep is compared within itself, and all policies together: curves in the parts of mk_view_parts where a legend
 * cannot hold them, whose ranks are among all policies nevertheless. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/figures/result_rank.h"

static struct mk_interval interval_of(const struct mk_standing *s, enum mk_standing_measure m)
{
    return m == MK_STANDING_RANK ? s->rank_boot : s->loss_boot;
}

enum { COSTS = 24 }; /* at which policies are compared */

/* ---- against T or cost ---- */

static int add_policy(const struct mk_policy_group *g, enum mk_standing_measure m, size_t policy, double colour,
                      int look, struct mk_plot *p, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    struct mk_curve *c = mk_plot_add(p, mk_policy_group_label(g, policy), g->scores->n_horizons, 1);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE_POINTS;
    c->colour = colour;
    c->look = look;
    for (size_t h = 0; h < c->n; h++) {
        const struct mk_standing *of = &g->at[h]->standing[policy];
        struct mk_interval i = interval_of(of, m);
        c->x[h] = g->scores->budget ? g->scores->budget[h] : s->horizon[h];
        c->y[h] = m == MK_STANDING_RANK ? of->rank : of->loss;
        c->lo[h] = i.low;
        c->hi[h] = i.high;
    }
    return MK_OK;
}

/* part: of the policies; NULL: all. */
static int compose_curves(const struct mk_policy_group *g, enum mk_standing_measure m, const struct mk_view_part *part,
                          struct mk_plot *to, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    struct mk_plot p;
    int code = MK_OK;
    mk_result_view_plot(s, &p,
                        part || mk_plot_shows_bands(g->scores->n_policies) ? "mean and 95 % band over instances"
                                                                           : "mean over instances");
    mk_result_view_horizon_axis(s, &p.x);
    p.x.log = s->horizon[s->info->n_horizons - 1] >= 50 * s->horizon[0];
    if (g->scores->budget) {
        snprintf(p.x.label, sizeof p.x.label, "cost (whole evaluations)");
        p.x.log = g->scores->budget[g->scores->n_horizons - 1] >= 50 * g->scores->budget[0];
    }
    snprintf(p.y.label, sizeof p.y.label, "%s", mk_standing_label(m));
    mk_policy_group_tell(g, &p);
    if (g->sweep) mk_plot_sweep_scale(&p, g->sweep);
    for (size_t i = 0; i < g->scores->n_policies && !code; i++) {
        const size_t policy = g->scores->policy[i];
        const double value = g->sweep ? s->info->policy_value[policy][g->sweep->param] : NAN;
        if (!part || part->keep[policy]) code = add_policy(g, m, i, value, part ? part->look[policy] : -1, &p, err);
    }
    p.y.log = m == MK_STANDING_LOSS;
    *to = p;
    return code;
}

static const char *name_of(const struct mk_policy_group *g, enum mk_standing_measure m)
{
    if (!g->scores->budget) return mk_standing_name(m);
    return m == MK_STANDING_RANK ? "cost_rank" : "cost_loss";
}

static int draw_curves(const struct mk_policy_group *g, enum mk_standing_measure m, struct mk_error *err)
{
    struct mk_plot p;
    int code = compose_curves(g, m, NULL, &p, err);
    if (!code) return mk_result_view_finish(g->view, &p, name_of(g, m), g->detail, err);
    mk_plot_clear(&p);
    return code;
}

/* A measure in parts. */
struct drawing {
    const struct mk_policy_group *g;
    enum mk_standing_measure m;
};

static int compose_part(const void *context, const struct mk_view_part *part, struct mk_plot *p, struct mk_error *err)
{
    const struct drawing *of = context;
    return compose_curves(of->g, of->m, part, p, err);
}

static int compose_pulls(const void *context, const struct mk_view_part *part, struct mk_plot *p, struct mk_error *err)
{
    return mk_policy_group_compose_pulls(context, part, p, err);
}

/* ---- groups ---- */

static void clear_group(struct mk_policy_group *g)
{
    for (size_t h = 0; g->at && g->scores && h < g->scores->n_horizons; h++) mk_comparison_free(g->at[h]);
    free(g->at);
    mk_scores_free(g->scores);
}

static int compare(struct mk_policy_group *g, const char *keep, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    size_t n = s->info->n_horizons, *all = calloc(n, sizeof *all);
    g->at = calloc(n, sizeof *g->at);
    int code = all && g->at ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t h = 0; h < n && !code; h++) all[h] = h;
    if (!code) code = mk_scores_read(&g->scores, s->result, keep, all, n, err);
    for (size_t h = 0; h < n && !code; h++)
        code = mk_compare(&g->at[h], g->scores, h, mk_default_baseline(g->scores), &mk_rank_defaults, err);
    free(all);
    return code;
}

/* From what all policies spend by the first horizon to what all have spent by the last one. */
static int cost_range(const struct mk_policy_group *g, const char *keep, double *low, double *high,
                      struct mk_error *err)
{
    const struct mk_result_info *info = g->view->info;
    double *cost = malloc((size_t)(info->replications + 1) * sizeof *cost);
    int code = cost ? MK_OK : mk_fail_memory(err, "figure");
    *low = 0;
    *high = INFINITY;
    for (size_t at = 0; at < 2 * info->n_policies * info->n_instances && !code; at++) {
        const size_t policy = at / 2 / info->n_instances, instance = at / 2 % info->n_instances;
        if (keep && !keep[policy]) continue;
        code = mk_result_costs(g->view->result, policy, instance, at % 2 ? info->n_horizons - 1 : 0, cost, err);
        for (size_t r = 0; r < info->own_replications[instance] && !code; r++) {
            if (at % 2)
                *high = fmin(*high, cost[r]);
            else
                *low = fmax(*low, cost[r]);
        }
    }
    free(cost);
    return code;
}

/* At equal cost. Without scores where no cost is reached by all. */
static int compare_costs(struct mk_policy_group *g, const char *keep, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    double low, high, budget[COSTS];
    size_t last[COSTS];
    int code = cost_range(g, keep, &low, &high, err);
    if (code || !(low < high)) return code;
    for (size_t b = 0; b < COSTS; b++) {
        budget[b] = low * pow(high / low, (double)b / (COSTS - 1));
        last[b] = s->info->n_horizons - 1;
    }
    g->at = calloc(COSTS, sizeof *g->at);
    if (!g->at) return mk_fail_memory(err, "figure");
    code = mk_scores_read(&g->scores, s->result, keep, last, COSTS, err);
    if (!code) code = mk_scores_spend(g->scores, s->result, budget, NULL, NULL, err);
    for (size_t b = 0; b < COSTS && !code; b++)
        code = mk_compare(&g->at[b], g->scores, b, mk_default_baseline(g->scores), &mk_rank_defaults, err);
    return code;
}

static int draw_costs(const struct mk_policy_group *of, const char *keep, const struct mk_view_part *part, size_t parts,
                      struct mk_error *err)
{
    struct mk_policy_group g = {.view = of->view, .sweep = of->sweep, .detail = of->detail};
    if (!of->view->info->has_costs || of->view->info->n_horizons < 2) return MK_OK;
    int code = compare_costs(&g, keep, err);
    for (int m = 0; m < MK_STANDING_MEASURES && !code && g.scores; m++) {
        const struct drawing drawing = {&g, (enum mk_standing_measure)m};
        if (!mk_policy_group_has(&g, drawing.m)) continue;
        code = parts ? mk_view_draw_parts(g.view, part, parts, compose_part, &drawing, name_of(&g, drawing.m), err)
                     : draw_curves(&g, drawing.m, err);
    }
    clear_group(&g);
    return code;
}

static bool has_burn_in(const struct mk_policy_group *g)
{
    for (size_t i = 0; i < g->scores->n_policies; i++)
        if (mk_result_policy_has(g->view->info, g->scores->policy[i], MK_POLICY_BURN_IN)) return true;
    return false;
}

/* part[parts]: of many policies; 0: they are few. */
static int draw_group(const struct mk_policy_group *g, const struct mk_view_part *part, size_t parts,
                      struct mk_error *err)
{
    int code = MK_OK, several = g->view->info->n_horizons > 1;
    for (int m = 0; m < MK_STANDING_MEASURES && !code; m++) {
        if (!mk_policy_group_has(g, (enum mk_standing_measure)m)) continue;
        const struct drawing of = {g, (enum mk_standing_measure)m};
        if (several && parts)
            code = mk_view_draw_parts(g->view, part, parts, compose_part, &of, mk_standing_name(of.m), err);
        else if (several)
            code = draw_curves(g, of.m, err);
        if (!code && several && g->sweep) code = mk_policy_group_draw_sweep(g, (enum mk_standing_measure)m, err);
        if (!code) code = mk_policy_group_draw_tasks(g, (enum mk_standing_measure)m, 0, err);
    }
    if (!code && has_burn_in(g) && mk_policy_group_has(g, MK_STANDING_LOSS))
        code = mk_policy_group_draw_tasks(g, MK_STANDING_LOSS, 1, err);
    if (!code && !g->sweep && has_burn_in(g) && mk_policy_group_has(g, MK_STANDING_LOSS))
        code = mk_policy_group_draw_shift(g, err);
    if (!code) code = mk_policy_group_draw_distance(g, err);
    if (!code && parts) return mk_view_draw_parts(g->view, part, parts, compose_pulls, g, "pulls_by_rank", err);
    return code ? code : mk_policy_group_draw_pulls(g, err);
}

static int draw_sweep(const struct mk_result_view *s, const char *keep, const struct mk_sweep *sweep,
                      const char *detail, struct mk_error *err)
{
    struct mk_policy_group g = {.view = s, .sweep = sweep, .detail = detail};
    int code = compare(&g, keep, err);
    if (!code) code = draw_group(&g, NULL, 0, err);
    if (!code) code = draw_costs(&g, keep, NULL, 0, err);
    clear_group(&g);
    return code;
}

static int draw_all(const struct mk_result_view *s, struct mk_error *err)
{
    struct mk_policy_group g = {.view = s, .detail = ""};
    struct mk_view_part *part = NULL;
    size_t parts = 0;
    int code = compare(&g, NULL, err);
    if (!code && s->info->n_policies > MK_PLOT_LEGEND_MAX) code = mk_view_parts(s, &part, &parts, err);
    if (!code) code = draw_group(&g, part, parts, err);
    if (!code) code = draw_costs(&g, NULL, part, parts, err);
    clear_group(&g);
    mk_view_parts_free(part, parts);
    return code;
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    char *keep = malloc(s->info->n_policies), detail[MK_PLOT_TEXT];
    int code = keep ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t w = 0; w < s->n_sweeps && !code; w++) {
        memset(keep, 0, s->info->n_policies);
        for (size_t i = 0; i < s->sweep[w].n; i++) keep[s->sweep[w].policy[i]] = 1;
        mk_sweep_detail(s, w, detail, sizeof detail);
        code = draw_sweep(s, keep, &s->sweep[w], detail, err);
    }
    if (!code && !(s->n_sweeps == 1 && s->sweep[0].n == s->info->n_policies)) code = draw_all(s, err);
    free(keep);
    return code;
}

static bool applies(const struct mk_result_view *s)
{
    return s->info->n_instances > 1 && s->info->n_policies > 1 && s->info->has_pulls;
}

const struct mk_result_figure mk_result_figure_rank = {
    "rank",
    "average ranks and normalised losses against T (and at equal cost), task maps, critical-distance diagrams; several "
    "instances",
    applies, draw};

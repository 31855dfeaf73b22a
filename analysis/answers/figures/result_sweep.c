/* A swept parameter: best-arm share and regret against its value, one curve per horizon; and the share of pulls of
 * every arm at the largest horizon, one curve per arm (Figure 1 (a) of Hu, Qian & Yu 2019). */
#include <math.h>
#include <stdbool.h>

#include "sim/base/error.h"

#include "analysis/answers/figures/result_view.h"

enum { LOG_RATIO = 50, MANY_POINTS = 40 };

static bool applies(const struct mk_result_view *s)
{
    return s->n_sweeps > 0;
}

/* Values that span decades evenly, not a linear range that starts near 0. */
static bool is_log(const struct mk_sweep *w)
{
    const double first = w->value[0], last = w->value[w->n - 1];
    return first > 0 && last >= LOG_RATIO * first && w->value[w->n / 2] < 0.25 * last;
}

static enum mk_curve_style style_of(const struct mk_sweep *w)
{
    return w->n > MANY_POINTS ? MK_CURVE_LINE : MK_CURVE_LINE_POINTS;
}

static int add_horizon(const struct mk_result_view *s, const struct mk_sweep *w, enum mk_measure m, size_t h,
                       struct mk_plot *p, struct mk_error *err)
{
    char label[64];
    int interval = isfinite(mk_result_view_mean(s, m, w->policy[0], h).se);
    snprintf(label, sizeof label, "T = %s", mk_plot_amount(mk_result_amount(s->info, h)).text);
    struct mk_curve *c = mk_plot_add(p, label, w->n, interval);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = style_of(w);
    if (s->info->n_horizons > MK_PLOT_LEGEND_MAX) c->colour = s->horizon[h];
    for (size_t i = 0; i < w->n; i++) mk_curve_set(c, i, w->value[i], mk_result_view_mean(s, m, w->policy[i], h), m);
    return MK_OK;
}

static int draw_one(const struct mk_result_view *s, size_t sweep, enum mk_measure m, struct mk_error *err)
{
    const struct mk_sweep *w = &s->sweep[sweep];
    struct mk_plot p;
    char detail[MK_PLOT_TEXT], sweep_name[MK_PLOT_TEXT - 32];
    int code = MK_OK;
    int interval = isfinite(mk_result_view_mean(s, m, w->policy[0], 0).se) && mk_plot_shows_bands(s->info->n_horizons);
    mk_result_view_plot(s, &p, "%s%s", w->type->name, interval ? ", mean and 95 % band" : "");
    mk_plot_axes(&p, w->type->params[w->param].name, mk_measure_label(m));
    mk_result_view_horizon_axis(s, &p.colour);
    p.x.log = is_log(w);
    for (size_t h = 0; h < s->info->n_horizons && !code; h++) code = add_horizon(s, w, m, h, &p, err);
    mk_plot_choose_log(&p, m);
    mk_sweep_detail(s, sweep, sweep_name, sizeof sweep_name);
    snprintf(detail, sizeof detail, "%s_%s", mk_measure_name(m), sweep_name);
    return mk_result_view_finish(s, &p, "sweep", detail, code, err);
}

/* Sets point i of the curves of all arms from the summary of one policy. */
static int set_shares(const struct mk_result_view *s, const struct mk_sweep *w, size_t i, struct mk_plot *p,
                      struct mk_error *err)
{
    const size_t last = s->info->n_horizons - 1;
    struct mk_cell *cell = NULL;
    int code = mk_result_cell(s->result, w->policy[i], 0, last, &cell, err);
    for (size_t k = 0; k < s->info->n_arms && !code; k++) {
        const double T = mk_cell_rounds(s->info, last, cell);
        struct mk_mean share = {cell->mean_pulls[k] / T, cell->se_pulls[k] / T};
        mk_curve_set(&p->curve[k], i, w->value[i], share, MK_MEASURE_BEST_SHARE);
    }
    mk_cell_free(cell);
    return code;
}

static int draw_arms(const struct mk_result_view *s, size_t sweep, struct mk_error *err)
{
    const struct mk_sweep *w = &s->sweep[sweep];
    const int interval = s->info->replications > 1;
    struct mk_plot p;
    char detail[MK_PLOT_TEXT], sweep_name[MK_PLOT_TEXT - 32];
    int code = MK_OK;
    mk_result_view_plot(s, &p, "%s, T = %s%s", w->type->name,
                        mk_plot_amount(mk_result_amount(s->info, s->info->n_horizons - 1)).text,
                        interval ? ", mean and 95 % band" : "");
    mk_plot_axes(&p, w->type->params[w->param].name, "share of pulls of every arm");
    p.x.log = is_log(w);
    for (size_t k = 0; k < s->info->n_arms && !code; k++) {
        struct mk_curve *c = mk_plot_add(&p, s->info->arm_label[k], w->n, interval);
        if (!c) code = mk_fail_memory(err, "figure");
        if (c) c->style = style_of(w);
    }
    for (size_t i = 0; i < w->n && !code; i++) code = set_shares(s, w, i, &p, err);
    mk_sweep_detail(s, sweep, sweep_name, sizeof sweep_name);
    snprintf(detail, sizeof detail, "arms_%s", sweep_name);
    return mk_result_view_finish(s, &p, "sweep", detail, code, err);
}

static int draw(const struct mk_result_view *s, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t w = 0; w < s->n_sweeps && !code && s->info->n_instances == 1 && s->info->n_arms <= MK_PLOT_LEGEND_MAX;
         w++)
        code = draw_arms(s, w, err);
    for (size_t w = 0; w < s->n_sweeps; w++)
        for (int m = 0; m < MK_MEASURES && !code; m++) {
            int wanted = m != MK_MEASURE_BEST_REWARD || !mk_result_view_has(s, MK_MEASURE_REGRET);
            if (wanted && mk_result_view_has(s, (enum mk_measure)m)) code = draw_one(s, w, (enum mk_measure)m, err);
        }
    return code;
}

const struct mk_result_figure mk_result_figure_sweep = {
    "sweep", "share of the best arm, regret, and shares of all arms against a swept parameter; three values of one",
    applies, draw};

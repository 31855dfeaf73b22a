/* Comparisons over instances (Balef et al. 2025): average ranks and normalised losses against T and at equal cost
 * (Figures 5, 6, D.5, D.6, D.10-D.13, E.7), heat maps (D.1-D.4, D.7, D.8, E.6), pulls by the rank of the arm (E.1-E.4,
 * right), and the critical-distance diagram (D.9).
 *
 * Every sweep is compared within itself, and all policies together: curves in the parts of mk_view_parts where a legend
 * cannot hold them, whose ranks are among all policies nevertheless. */
#include "analysis/answers/figures/result_rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "analysis/answers/figures/result_view.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

/* Policies that are compared with each other in one set of figures. */
struct policy_group {
    const struct mk_result_view *view;
    const struct mk_sweep *sweep; /* they are the values of one parameter; NULL: they are not */
    const char *detail;           /* end of file names, "" for none */
    const char *keep;             /* [policy of the result] which they are; NULL: all */
    struct mk_view_part *part;    /* [parts] of many policies; none: they are few */
    size_t parts;
    struct mk_scores *scores;
    struct mk_comparison **at; /* [horizon of the scores] */
};

enum standing_measure { STANDING_RANK, STANDING_LOSS, STANDING_MEASURES };

static const struct mk_comparison *last_of(const struct policy_group *g)
{
    return g->at[g->view->info->n_horizons - 1];
}

static const char *label_of(const struct policy_group *g, size_t policy)
{
    return g->view->info->policy[g->scores->policy[policy]];
}

/* Part of file names, against horizons and against costs; the label of the axis. */
static const struct {
    const char *name, *cost_name, *label;
} measures[STANDING_MEASURES] = {{"rank", "cost_rank", "average rank"}, {"loss", "cost_loss", "normalised loss"}};

/* Whether the result has this measure at all. */
static bool has_measure(const struct policy_group *g, enum standing_measure m)
{
    return m == STANDING_RANK || g->view->info->truth->recorded != NULL;
}

/* Adds to the subtitle that ranks are among some of the result's policies, if they are. */
static void tell_group(const struct policy_group *g, struct mk_plot *p)
{
    const size_t all = g->view->info->n_policies + g->view->info->n_left_out;
    if (g->scores->n_policies < all) mk_plot_append(p, "; among %zu of %zu policies", g->scores->n_policies, all);
}

/* ---- against T or cost ---- */

static int add_policy(const struct policy_group *g, enum standing_measure m, size_t policy, double colour, int look,
                      struct mk_plot *p, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    struct mk_curve *c = mk_plot_add(p, label_of(g, policy), g->scores->n_horizons, 1);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE_POINTS;
    c->colour = colour;
    c->look = look;
    for (size_t h = 0; h < c->n; h++) {
        const struct mk_standing *of = &g->at[h]->standing[policy];
        const struct mk_interval i = m == STANDING_RANK ? of->rank_boot : of->loss_boot;
        mk_curve_span(c, h, g->scores->budget ? g->scores->budget[h] : s->horizon[h],
                      m == STANDING_RANK ? of->rank : of->loss, i.low, i.high);
    }
    return MK_OK;
}

/* What a figure shows of a group. */
struct drawing {
    const struct policy_group *g;
    enum standing_measure m;
};

/* Draws all policies in one figure, or part by part; compose is given NULL for all of them. No figure without curves.
 */
static int draw_parts(const struct drawing *of, mk_compose *compose, const char *figure, struct mk_error *err)
{
    const struct policy_group *g = of->g;
    struct mk_plot p;
    if (g->parts) return mk_view_draw_parts(g->view, g->part, g->parts, compose, of, figure, err);
    mk_plot_init(&p);
    int code = compose(of, NULL, &p, err);
    return !code && !p.n_curves ? MK_OK : mk_result_view_finish(g->view, &p, figure, g->detail, code, err);
}

static int compose_curves(const void *context, const struct mk_view_part *part, struct mk_plot *p, struct mk_error *err)
{
    const struct drawing *of = context;
    const struct policy_group *g = of->g;
    const struct mk_result_view *s = g->view;
    int code = MK_OK;
    mk_result_view_plot(s, p,
                        part || mk_plot_shows_bands(g->scores->n_policies) ? "mean and 95 %% band over instances"
                                                                           : "mean over instances");
    mk_result_view_horizon_axis(s, &p->x);
    p->x.log = s->horizon[s->info->n_horizons - 1] >= 50 * s->horizon[0];
    if (g->scores->budget) {
        snprintf(p->x.label, sizeof p->x.label, "cost (whole evaluations)");
        p->x.log = g->scores->budget[g->scores->n_horizons - 1] >= 50 * g->scores->budget[0];
    }
    snprintf(p->y.label, sizeof p->y.label, "%s", measures[of->m].label);
    p->y.log = of->m == STANDING_LOSS;
    tell_group(g, p);
    if (g->sweep) mk_plot_sweep_scale(p, g->sweep);
    for (size_t i = 0; i < g->scores->n_policies && !code; i++) {
        const size_t policy = g->scores->policy[i];
        const double value = g->sweep ? s->info->policy_value[policy][g->sweep->param] : NAN;
        if (!part || part->keep[policy]) code = add_policy(g, of->m, i, value, part ? part->look[policy] : -1, p, err);
    }
    return code;
}

/* ---- heat maps ---- */

enum { COLUMN_CHARACTERS = 24, MOST_ROWS = 60 };

struct column {
    double key;
    size_t at;
};

static int by_key(const void *a, const void *b)
{
    const struct column *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Position of the oracle, or the number of policies. */
static size_t oracle_of(const struct policy_group *g)
{
    size_t i = 0;
    while (i < g->scores->n_policies && !mk_result_policy_has(g->view->info, g->scores->policy[i], MK_POLICY_ORACLE))
        i++;
    return i;
}

/* The oracle's score, or without an oracle the best policy's. */
static double best_score(const struct policy_group *g, const struct mk_comparison *c, size_t instance)
{
    const double *row = c->reward + instance * c->n_policies;
    const size_t oracle = oracle_of(g);
    double best = -INFINITY;
    if (oracle < c->n_policies) return row[oracle];
    for (size_t i = 0; i < c->n_policies; i++) best = fmax(best, row[i]);
    return best;
}

static struct column *sort_instances(const struct policy_group *g, const struct mk_comparison *c, int by_shift)
{
    struct column *column = malloc(c->n_instances * sizeof *column);
    for (size_t i = 0; column && i < c->n_instances; i++)
        column[i] =
            (struct column){by_shift ? g->view->info->truth->recorded->shift[c->instance[i]] : best_score(g, c, i), i};
    if (column) qsort(column, c->n_instances, sizeof *column, by_key);
    return column;
}

/* Labels of the compared policies; free it. */
static const char **labels_of(const struct policy_group *g)
{
    const char **label = malloc(g->scores->n_policies * sizeof *label);
    for (size_t i = 0; label && i < g->scores->n_policies; i++) label[i] = label_of(g, i);
    return label;
}

/* Whether the names of columns fit next to each other. */
static bool names_fit(const char *const *name, size_t n)
{
    size_t longest = 0;
    for (size_t i = 0; i < n; i++) longest = strlen(name[i]) > longest ? strlen(name[i]) : longest;
    return n * (longest + 1) <= COLUMN_CHARACTERS;
}

/* A heat map of policies by instances at the largest horizon (Figures D.7, D.8), instances from the oracle's lowest
 * score to its highest; by_shift: from the smallest to the largest shift (Figure E.6). */
static int draw_tasks(const struct policy_group *g, enum standing_measure m, int by_shift, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    const struct mk_comparison *c = last_of(g);
    const double *value = m == STANDING_RANK ? c->rank : c->loss;
    struct mk_plot p;
    char detail[MK_PLOT_TEXT], counted[MK_COUNTED_ROOM];
    if (c->n_policies > MOST_ROWS) return MK_OK;
    mk_result_view_start(s, &p);
    snprintf(p.subtitle, sizeof p.subtitle, "%s per instance at T = %s, %s",
             m == STANDING_RANK ? "rank" : "normalised loss", mk_plot_amount(c->horizon).text,
             mk_counted(s->info->replications, "replication", NULL, counted));
    struct column *column = sort_instances(g, c, by_shift);
    const char **row = labels_of(g), **name = calloc(c->n_instances, sizeof *name);
    double *cell = row ? mk_plot_cells(&p, row, c->n_policies, NULL, c->n_instances) : NULL;
    int code = column && name && cell ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t j = 0; j < c->n_instances && !code; j++) {
        name[j] = s->info->instance[c->instance[column[j].at]];
        for (size_t i = 0; i < c->n_policies; i++)
            cell[i * c->n_instances + j] = value[column[j].at * c->n_policies + i];
    }
    p.column = name;
    p.turn_names = !code && !names_fit(name, c->n_instances);
    snprintf(p.x.label, sizeof p.x.label, "instances, %s",
             by_shift                               ? "smallest to largest shift"
             : oracle_of(g) < g->scores->n_policies ? "by the oracle's score"
                                                    : "by the best policy's score");
    tell_group(g, &p);
    for (size_t i = 0; cell && m == STANDING_LOSS && i < c->n_policies * c->n_instances; i++)
        if (cell[i] > 1) p.colour.hi = 1;
    snprintf(detail, sizeof detail, "%s%s%s%s", measures[m].name, by_shift ? "_by_shift" : "", g->detail[0] ? "_" : "",
             g->detail);
    code = mk_result_view_finish(s, &p, "tasks", detail, code, err);
    free(column);
    free(row);
    free(name);
    return code;
}

/* The shift of every instance, in the order of that map (Figure E.6, top). */
static int draw_shift(const struct policy_group *g, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    const struct mk_comparison *c = last_of(g);
    struct mk_plot p;
    struct column *column = sort_instances(g, c, 1);
    mk_result_view_start(s, &p);
    snprintf(p.subtitle, sizeof p.subtitle, "largest rise of the best arm's mean maximum over parts of T / 20 pulls");
    struct mk_curve *to = column ? mk_plot_add(&p, "", c->n_instances, 0) : NULL;
    for (size_t i = 0; to && i < c->n_instances; i++) mk_curve_point(to, i, (double)i + 1, column[i].key);
    if (to) to->style = MK_CURVE_LINE_POINTS;
    mk_plot_axes(&p, "instances, smallest to largest shift", "shift");
    p.x.whole = 1;
    free(column);
    return mk_result_view_finish(s, &p, "shift", "", to ? MK_OK : mk_fail_memory(err, "figure"), err);
}

/* Instances in which a budget reaches no horizon are omitted; the smaller the budget, the more of them. */
static void label_columns(const struct policy_group *g, struct mk_plot *p)
{
    size_t min = g->scores->n_instances, max = 0;
    for (size_t h = 0; h < g->scores->n_horizons; h++) {
        size_t n = g->at[h]->n_instances;
        min = n < min ? n : min;
        max = n > max ? n : max;
    }
    int length = snprintf(p->x.label, sizeof p->x.label, "%s",
                          g->scores->budget          ? "budget (sum of costs)"
                          : g->scores->info->by_cost ? "horizon T (sum of costs)"
                                                     : "horizon T (pulls)");
    if (min < g->scores->n_instances)
        snprintf(p->x.label + length, sizeof p->x.label - (size_t)length, "; ranked in %zu to %zu instances", min, max);
}

/* A heat map of a sweep: its values by the horizons or budgets of the scores (Figures D.1-D.4). */
static int draw_sweep_map(const struct policy_group *g, enum standing_measure m, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    const struct mk_sweep *w = g->sweep;
    size_t n = w->n, columns = g->scores->n_horizons;
    struct mk_plot p;
    char detail[MK_PLOT_TEXT], (*text)[32] = calloc(n + columns, sizeof *text);
    const char **name = calloc(n + columns, sizeof *name);
    mk_result_view_plot(s, &p, "%s", measures[m].label);
    double *cell = name ? mk_plot_cells(&p, name, n, name + n, columns) : NULL;
    int code = text && cell ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = 0; i < n && !code; i++) {
        size_t row = n - 1 - i, policy = 0; /* the largest value at the top */
        while (g->scores->policy[policy] != w->policy[i]) policy++;
        snprintf(text[row], sizeof text[row], "%g", w->value[i]);
        name[row] = text[row];
        for (size_t h = 0; h < columns; h++) {
            const struct mk_standing *of = &g->at[h]->standing[policy];
            cell[row * columns + h] = m == STANDING_RANK ? of->rank : of->loss;
        }
    }
    for (size_t h = 0; h < columns && !code; h++) {
        double at = g->scores->budget ? g->scores->budget[h] : s->horizon[g->scores->horizon[h]];
        snprintf(text[n + h], sizeof text[n + h], "%.15g", at);
        name[n + h] = text[n + h];
    }
    label_columns(g, &p);
    snprintf(p.y.label, sizeof p.y.label, "%s", w->type->params[w->param].name);
    snprintf(detail, sizeof detail, "%s_%s%s", measures[m].name, g->scores->budget ? "budget_" : "", g->detail);
    code = mk_result_view_finish(s, &p, "map", detail, code, err);
    free(text);
    free(name);
    return code;
}

/* Draws the sweeps all of whose policies are compared. */
static int draw_whole_sweeps(const struct mk_result_view *s, struct mk_scores *scores, struct mk_comparison **at,
                             struct mk_error *err)
{
    char *compared = calloc(s->info->n_policies + 1, 1), detail[MK_PLOT_TEXT];
    int code = compared ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = 0; i < scores->n_policies && !code; i++) compared[scores->policy[i]] = 1;
    for (size_t w = 0; w < s->n_sweeps && !code; w++) {
        size_t n = 0;
        for (size_t i = 0; i < s->sweep[w].n; i++) n += compared[s->sweep[w].policy[i]] != 0;
        if (n < s->sweep[w].n) continue;
        mk_sweep_detail(s, w, detail, sizeof detail);
        struct policy_group g = {.view = s, .sweep = &s->sweep[w], .detail = detail, .scores = scores, .at = at};
        for (enum standing_measure m = 0; m < STANDING_MEASURES && !code; m++)
            if (has_measure(&g, m)) code = draw_sweep_map(&g, m, err);
    }
    free(compared);
    return code;
}

int mk_scores_draw_sweeps(struct mk_scores *scores, struct mk_comparison **at, struct mk_result *r, const char *folder,
                          void (*drawn)(void *context, const char *path), void *context, struct mk_error *err)
{
    struct mk_result_view s;
    int code = mk_make_folder(folder, err);
    if (!code) code = mk_result_view_of(&s, r, err);
    if (code) return code;
    s.to.folder = folder;
    s.to.drawn = drawn;
    s.to.context = context;
    code = draw_whole_sweeps(&s, scores, at, err);
    mk_result_view_close(&s);
    return code;
}

/* ---- pulls ---- */

/* Arms of an instance in descending order of E[M(T)]; those that it lacks come last and are not counted. */
static size_t order_arms(const struct mk_result_view *s, size_t instance, struct column *arm)
{
    const struct mk_truth *f = s->info->truth;
    size_t n = 0;
    for (size_t k = 0; k < s->info->n_arms; k++) {
        double value = f->expected_max[mk_truth_at(f, instance, s->info->n_horizons - 1, k)];
        if (!isnan(value)) arm[n++] = (struct column){-value, k};
    }
    qsort(arm, n, sizeof *arm, by_key);
    return n;
}

/* Means over instances of mean pulls; standard errors over instances. */
static int add_pulls(const struct policy_group *g, size_t policy, struct column *arm, struct mk_plot *p,
                     struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    size_t K = s->info->n_arms, h = s->info->n_horizons - 1;
    struct mk_real_moments *m = calloc(K, sizeof *m);
    struct mk_curve *c = m ? mk_plot_add(p, label_of(g, policy), K, 1) : NULL;
    int code = c ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = 0; i < s->info->n_instances && !code; i++) {
        struct mk_cell *cell = NULL;
        code = mk_result_cell(s->result, g->scores->policy[policy], i, h, &cell, err);
        if (code) break;
        size_t n = order_arms(s, i, arm);
        for (size_t k = 0; k < n; k++) mk_real_moments_add(&m[k], cell->mean_pulls[arm[k].at]);
        mk_cell_free(cell);
    }
    for (size_t k = 0; k < K && !code; k++)
        mk_curve_set(c, k, (double)k + 1, (struct mk_mean){mk_real_moments_mean(&m[k]), mk_spread_error(&m[k].spread)},
                     MK_MEASURES);
    if (c) c->style = MK_CURVE_LINE_POINTS;
    free(m);
    return code;
}

/* Mean pulls of the arms by their order in E[M(T)] at the largest horizon (Figures E.1-E.4, right). */
static int compose_pulls(const void *context, const struct mk_view_part *part, struct mk_plot *p, struct mk_error *err)
{
    const struct policy_group *g = ((const struct drawing *)context)->g;
    const struct mk_result_view *s = g->view;
    struct column *arm = malloc(s->info->n_arms * sizeof *arm);
    int code = arm ? MK_OK : mk_fail_memory(err, "figure");
    mk_result_view_plot(s, p, "T = %s, mean%s", mk_plot_amount(last_of(g)->horizon).text,
                        part || mk_plot_shows_bands(g->scores->n_policies) ? " and 95 % band" : "");
    for (size_t i = 0; i < g->scores->n_policies && !code; i++) {
        size_t policy = g->scores->policy[i];
        if ((part && !part->keep[policy]) || mk_result_policy_has(s->info, policy, MK_POLICY_ORACLE) ||
            mk_result_policy_has(s->info, policy, MK_POLICY_RECORDED))
            continue;
        code = add_pulls(g, i, arm, p, err);
        if (!code && g->sweep) p->curve[p->n_curves - 1].colour = s->info->policy_value[policy][g->sweep->param];
        if (!code) p->curve[p->n_curves - 1].look = part ? part->look[policy] : (int)i; /* that of the other figures */
    }
    mk_plot_axes(p, "rank of the arm by E[M(T)]", "pulls");
    p->x.whole = 1;
    if (g->sweep) mk_plot_sweep_scale(p, g->sweep);
    free(arm);
    return code;
}

/* ---- the critical-distance diagram of Demšar 2006 (Figure 1) ----
 *
 * Average ranks on an axis at the top, the best on the left, names at both sides, bars that join policies without a
 * significant difference. */

enum { MOST_POLICIES = 60, NAME_LIMIT = 24 };

/* Inches; letters of 8 points. */
static const double narrow = 5.5, widest = 7, axis_width = 2.8, tick_room = 0.2, letter = 0.068, row_height = 0.17,
                    head = 0.75;

struct diagram {
    struct mk_plot *p;
    const char **name;  /* [n] in the order of the ranks */
    const double *rank; /* [n] ascending */
    size_t n;
    double low, high;   /* ends of the axis */
    double left, right; /* where names end and begin */
    double per_inch;    /* ranks */
};

static bool line(struct diagram *d, double x0, double y0, double x1, double y1, int look, double width)
{
    struct mk_curve *c = mk_plot_add(d->p, "", 1, 1);
    if (!c) return false;
    c->style = MK_CURVE_SEGMENTS;
    c->look = look;
    c->width = width;
    mk_curve_span(c, 0, x0, y0, x1, y1);
    return true;
}

enum { BLACK = 4, VERMILION = 1 };

static bool draw_axis(struct diagram *d, double critical)
{
    char text[48];
    const double min = tick_room * d->per_inch, step = min <= 1 ? 1 : min <= 2 ? 2 : min <= 5 ? 5 : 10;
    bool good = line(d, d->low, 0, d->high, 0, BLACK, 0.8);
    for (double x = d->low; good && x <= d->high; x += step) {
        snprintf(text, sizeof text, "%g", x);
        good = line(d, x, 0, x, 0.3, BLACK, 0.8) && mk_plot_note(d->p, x, 0.85, 0, text);
    }
    if (!good || !(critical > 0) || !isfinite(critical)) return good;
    /* longer than the axis it is drawn as far as there is room, without its right end */
    const double end = fmin(d->low + critical, d->high + (d->right - d->high) * 0.9);
    snprintf(text, sizeof text, "CD = %.3f", critical);
    good = line(d, d->low, 2, end, 2, VERMILION, 1.6) && line(d, d->low, 1.7, d->low, 2.3, VERMILION, 1.6);
    if (good && end == d->low + critical) good = line(d, end, 1.7, end, 2.3, VERMILION, 1.6);
    return good && mk_plot_note(d->p, 0.5 * (d->low + end), 2.75, 0, text);
}

/* Bars over maximal runs within the distance; a run within an earlier one has no bar of its own. Returns how many
 * levels they need, SIZE_MAX: out of memory. */
static size_t draw_bars(struct diagram *d, double critical)
{
    size_t covered = 0, bars = 0;
    for (size_t first = 0; first < d->n; first++) {
        size_t last = first;
        while (last + 1 < d->n && d->rank[last + 1] - d->rank[first] < critical) last++;
        if (last == first || (bars && last <= covered)) continue;
        const double y = -0.45 - 0.45 * (double)bars++, beyond = 0.03 * d->per_inch;
        if (!line(d, d->rank[first] - beyond, y, d->rank[last] + beyond, y, BLACK, 3)) return SIZE_MAX;
        covered = last;
    }
    return bars;
}

static bool draw_names(struct diagram *d, double top)
{
    const size_t half = (d->n + 1) / 2;
    char text[MK_PLOT_TEXT + 32];
    bool good = true;
    for (size_t i = 0; i < d->n && good; i++) {
        const bool left = i < half;
        const double y = top - (double)(left ? i : d->n - 1 - i), end = left ? d->left : d->right;
        char name[MK_PLOT_TEXT];
        mk_text_clean(d->name[i], NAME_LIMIT, name, sizeof name);
        if (left)
            snprintf(text, sizeof text, "%s  %.2f", name, d->rank[i]);
        else
            snprintf(text, sizeof text, "%.2f  %s", d->rank[i], name);
        good = line(d, d->rank[i], 0, d->rank[i], y, BLACK, 0.6) && line(d, d->rank[i], y, end, y, BLACK, 0.6) &&
               mk_plot_note(d->p, end + (left ? -0.05 : 0.05) * d->per_inch, y, left ? -1 : 1, text);
    }
    return good;
}

static bool compose(struct diagram *d, double critical)
{
    size_t longest = 4, bars;
    char text[MK_PLOT_TEXT];
    for (size_t i = 0; i < d->n; i++) {
        const size_t wide = mk_text_clean(d->name[i], NAME_LIMIT, text, sizeof text);
        if (wide > longest) longest = wide;
    }
    const double side = letter * (double)(longest + 7) + 0.15;
    const double picture = fmin(widest, fmax(narrow, 2 * side + 0.3 + axis_width));
    d->low = floor(d->rank[0]);
    d->high = fmax(ceil(d->rank[d->n - 1]), d->low + 1);
    d->per_inch = (d->high - d->low) / (0.96 * picture - 2 * side - 0.3);
    d->left = d->low - 0.15 * d->per_inch;
    d->right = d->high + 0.15 * d->per_inch;
    d->p->x.lo = d->left - (side - 0.05) * d->per_inch;
    d->p->x.hi = d->right + (side - 0.05) * d->per_inch;
    if (!draw_axis(d, critical)) return false;
    bars = draw_bars(d, critical);
    if (bars == SIZE_MAX) return false;
    const double top = -0.45 * (double)bars - 1.2;
    if (!draw_names(d, top)) return false;
    d->p->y.hi = 3.4;
    const size_t rows = (d->n + 1) / 2;
    d->p->y.lo = top - (double)rows + 0.3;
    d->p->top_axis = true;
    d->p->width = picture;
    d->p->height = head + row_height * (d->p->y.hi - d->p->y.lo);
    return true;
}

/* The critical distance of the average ranks at the largest horizon, by Nemenyi's test (Figure D.9). */
static int draw_distance(const struct policy_group *g, struct mk_error *err)
{
    const struct mk_comparison *c = last_of(g);
    const size_t n = c->n_policies;
    size_t *order = malloc(n * sizeof *order);
    double *rank = malloc(n * sizeof *rank);
    const char **name = malloc(n * sizeof *name);
    struct mk_plot p;
    char counted[MK_COUNTED_ROOM];
    int code = order && rank && name ? MK_OK : mk_fail_memory(err, "figure");
    if (code || n > MOST_POLICIES) goto out;
    mk_comparison_order(c, order);
    for (size_t i = 0; i < n; i++) {
        rank[i] = c->standing[order[i]].rank;
        name[i] = label_of(g, order[i]);
    }
    mk_result_view_start(g->view, &p);
    snprintf(
        p.subtitle, sizeof p.subtitle, "average ranks, T = %s, %s; bars: no significant difference (Nemenyi, α = %.2g)",
        mk_plot_amount(c->horizon).text, mk_counted(c->n_instances, "instance", NULL, counted), mk_rank_defaults.alpha);
    tell_group(g, &p);
    if (!compose(&(struct diagram){.p = &p, .name = name, .rank = rank, .n = n}, c->distance))
        code = mk_fail_memory(err, "figure");
    code = mk_result_view_finish(g->view, &p, "distance", g->detail, code, err);
out:
    free(order);
    free(rank);
    free(name);
    return code;
}

/* ---- groups ---- */

enum { COSTS = 24 }; /* at which policies are compared */

static void clear_group(struct policy_group *g)
{
    for (size_t h = 0; g->at && g->scores && h < g->scores->n_horizons; h++) mk_comparison_free(g->at[h]);
    free(g->at);
    mk_scores_free(g->scores);
}

static int compare(struct policy_group *g, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    size_t n = s->info->n_horizons, *all = calloc(n, sizeof *all);
    g->at = calloc(n, sizeof *g->at);
    int code = all && g->at ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t h = 0; h < n && !code; h++) all[h] = h;
    if (!code) code = mk_scores_read(&g->scores, s->result, g->keep, all, n, err);
    for (size_t h = 0; h < n && !code; h++)
        code = mk_compare(&g->at[h], g->scores, h, mk_default_baseline(g->scores), &mk_rank_defaults, err);
    free(all);
    return code;
}

/* From what all policies spend by the first horizon to what all have spent by the last one. */
static int cost_range(const struct policy_group *g, double *low, double *high, struct mk_error *err)
{
    const struct mk_result_info *info = g->view->info;
    double *cost = malloc((size_t)(info->replications + 1) * sizeof *cost);
    int code = cost ? MK_OK : mk_fail_memory(err, "figure");
    *low = 0;
    *high = INFINITY;
    for (size_t at = 0; at < 2 * info->n_policies * info->n_instances && !code; at++) {
        const size_t policy = at / 2 / info->n_instances, instance = at / 2 % info->n_instances;
        if (g->keep && !g->keep[policy]) continue;
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
static int compare_costs(struct policy_group *g, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    double low, high, budget[COSTS];
    size_t last[COSTS];
    int code = cost_range(g, &low, &high, err);
    if (code || !(low < high)) return code;
    for (size_t b = 0; b < COSTS; b++) {
        budget[b] = low * pow(high / low, (double)b / (COSTS - 1));
        last[b] = s->info->n_horizons - 1;
    }
    g->at = calloc(COSTS, sizeof *g->at);
    if (!g->at) return mk_fail_memory(err, "figure");
    code = mk_scores_read(&g->scores, s->result, g->keep, last, COSTS, err);
    if (!code) code = mk_scores_spend(g->scores, s->result, budget, NULL, NULL, err);
    for (size_t b = 0; b < COSTS && !code; b++)
        code = mk_compare(&g->at[b], g->scores, b, mk_default_baseline(g->scores), &mk_rank_defaults, err);
    return code;
}

static int draw_costs(const struct policy_group *of, struct mk_error *err)
{
    struct policy_group g = *of;
    if (!of->view->info->has_costs || of->view->info->n_horizons < 2) return MK_OK;
    g.scores = NULL;
    g.at = NULL;
    int code = compare_costs(&g, err);
    for (enum standing_measure m = 0; m < STANDING_MEASURES && !code && g.scores; m++)
        if (has_measure(&g, m)) code = draw_parts(&(struct drawing){&g, m}, compose_curves, measures[m].cost_name, err);
    clear_group(&g);
    return code;
}

static bool has_burn_in(const struct policy_group *g)
{
    for (size_t i = 0; i < g->scores->n_policies; i++)
        if (mk_result_policy_has(g->view->info, g->scores->policy[i], MK_POLICY_BURN_IN)) return true;
    return false;
}

static int draw_group(const struct policy_group *g, struct mk_error *err)
{
    const bool several = g->view->info->n_horizons > 1, moving = has_burn_in(g) && has_measure(g, STANDING_LOSS);
    int code = MK_OK;
    for (enum standing_measure m = 0; m < STANDING_MEASURES && !code; m++) {
        if (!has_measure(g, m)) continue;
        if (several) code = draw_parts(&(struct drawing){g, m}, compose_curves, measures[m].name, err);
        if (!code && several && g->sweep) code = draw_sweep_map(g, m, err);
        if (!code) code = draw_tasks(g, m, 0, err);
    }
    if (!code && moving) code = draw_tasks(g, STANDING_LOSS, 1, err);
    if (!code && moving && !g->sweep) code = draw_shift(g, err);
    if (!code) code = draw_distance(g, err);
    return code ? code : draw_parts(&(struct drawing){.g = g}, compose_pulls, "pulls_by_rank", err);
}

/* All figures of the policies that are kept (NULL: all), which are those of the sweep unless that is NULL. */
static int draw_policies(const struct mk_result_view *s, const char *keep, const struct mk_sweep *sweep,
                         const char *detail, struct mk_error *err)
{
    struct policy_group g = {.view = s, .sweep = sweep, .detail = detail, .keep = keep};
    int code = compare(&g, err);
    if (!code && !sweep && s->info->n_policies > MK_PLOT_LEGEND_MAX) code = mk_view_parts(s, &g.part, &g.parts, err);
    if (!code) code = draw_group(&g, err);
    if (!code) code = draw_costs(&g, err);
    clear_group(&g);
    mk_view_parts_free(g.part, g.parts);
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
        code = draw_policies(s, keep, &s->sweep[w], detail, err);
    }
    if (!code && !(s->n_sweeps == 1 && s->sweep[0].n == s->info->n_policies))
        code = draw_policies(s, NULL, NULL, "", err);
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

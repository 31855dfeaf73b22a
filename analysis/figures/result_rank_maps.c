#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figures/result_rank.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

enum { COLUMN_CHARACTERS = 24, MOST_ROWS = 60 };

/* ---- heat maps ---- */

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
static size_t oracle_of(const struct mk_policy_group *g)
{
    size_t i = 0;
    while (i < g->scores->n_policies && !mk_result_policy_has(g->view->info, g->scores->policy[i], MK_POLICY_ORACLE))
        i++;
    return i;
}

/* The oracle's score, or without an oracle the best policy's. */
static double best_score(const struct mk_policy_group *g, const struct mk_comparison *c, size_t instance)
{
    const double *row = c->reward + instance * c->n_policies;
    const size_t oracle = oracle_of(g);
    double best = -INFINITY;
    if (oracle < c->n_policies) return row[oracle];
    for (size_t i = 0; i < c->n_policies; i++) best = fmax(best, row[i]);
    return best;
}

static struct column *sort_instances(const struct mk_policy_group *g, const struct mk_comparison *c, int by_shift)
{
    struct column *column = malloc(c->n_instances * sizeof *column);
    for (size_t i = 0; column && i < c->n_instances; i++)
        column[i] =
            (struct column){by_shift ? g->view->info->truth->recorded->shift[c->instance[i]] : best_score(g, c, i), i};
    if (column) qsort(column, c->n_instances, sizeof *column, by_key);
    return column;
}

/* Labels of the compared policies; free it. */
static const char **labels_of(const struct mk_policy_group *g)
{
    const char **label = malloc(g->scores->n_policies * sizeof *label);
    for (size_t i = 0; label && i < g->scores->n_policies; i++) label[i] = mk_policy_group_label(g, i);
    return label;
}

/* Whether the names of columns fit next to each other. */
static bool names_fit(const char *const *name, size_t n)
{
    size_t longest = 0;
    for (size_t i = 0; i < n; i++) longest = strlen(name[i]) > longest ? strlen(name[i]) : longest;
    return n * (longest + 1) <= COLUMN_CHARACTERS;
}

int mk_policy_group_draw_tasks(const struct mk_policy_group *g, enum mk_standing_measure m, int by_shift,
                               struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    const struct mk_comparison *c = mk_policy_group_last(g);
    const double *value = m == MK_STANDING_RANK ? c->rank : c->loss;
    struct mk_plot p;
    char what[MK_PLOT_TEXT], detail[MK_PLOT_TEXT], counted[MK_COUNTED_ROOM];
    if (c->n_policies > MOST_ROWS) return MK_OK;
    snprintf(what, sizeof what, "%s per instance at T = %s", m == MK_STANDING_RANK ? "rank" : "normalised loss",
             mk_plot_horizon(c->horizon).text);
    mk_result_view_plot(s, &p, "");
    snprintf(p.subtitle, sizeof p.subtitle, "%s, %s", what,
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
    p.turn_names = !names_fit(name, c->n_instances);
    snprintf(p.x.label, sizeof p.x.label, "instances, %s",
             by_shift                               ? "smallest to largest shift"
             : oracle_of(g) < g->scores->n_policies ? "by the oracle's score"
                                                    : "by the best policy's score");
    mk_policy_group_tell(g, &p);
    for (size_t i = 0; cell && m == MK_STANDING_LOSS && i < c->n_policies * c->n_instances; i++)
        if (cell[i] > 1) p.colour.hi = 1;
    snprintf(detail, sizeof detail, "%s%s%s%s", mk_standing_name(m), by_shift ? "_by_shift" : "",
             g->detail[0] ? "_" : "", g->detail);
    if (code)
        mk_plot_clear(&p);
    else
        code = mk_result_view_finish(s, &p, "tasks", detail, err);
    free(column);
    free(row);
    free(name);
    return code;
}

int mk_policy_group_draw_shift(const struct mk_policy_group *g, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    const struct mk_comparison *c = mk_policy_group_last(g);
    struct mk_plot p;
    struct column *column = sort_instances(g, c, 1);
    mk_result_view_plot(s, &p, "");
    snprintf(p.subtitle, sizeof p.subtitle, "largest rise of the best arm's mean maximum over parts of T / 20 pulls");
    struct mk_curve *to = column ? mk_plot_add(&p, "", c->n_instances, 0) : NULL;
    for (size_t i = 0; to && i < c->n_instances; i++) {
        to->x[i] = (double)i + 1;
        to->y[i] = column[i].key;
    }
    if (to) to->style = MK_CURVE_LINE_POINTS;
    snprintf(p.x.label, sizeof p.x.label, "instances, smallest to largest shift");
    snprintf(p.y.label, sizeof p.y.label, "shift");
    p.x.whole = 1;
    free(column);
    if (to) return mk_result_view_finish(s, &p, "shift", "", err);
    mk_plot_clear(&p);
    return mk_fail_memory(err, "figure");
}

/* Instances in which a budget reaches no horizon are omitted; the smaller the budget, the more of them. */
static void label_columns(const struct mk_policy_group *g, struct mk_plot *p)
{
    size_t least = g->scores->n_instances, most = 0;
    for (size_t h = 0; h < g->scores->n_horizons; h++) {
        size_t n = g->at[h]->n_instances;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    int length = snprintf(p->x.label, sizeof p->x.label, "%s",
                          g->scores->budget ? "budget (sum of costs)" : "horizon T (pulls)");
    if (least < g->scores->n_instances)
        snprintf(p->x.label + length, sizeof p->x.label - (size_t)length, "; ranked in %zu to %zu instances", least,
                 most);
}

int mk_policy_group_draw_sweep(const struct mk_policy_group *g, enum mk_standing_measure m, struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    const struct mk_sweep *w = g->sweep;
    size_t n = w->n, columns = g->scores->n_horizons;
    struct mk_plot p;
    char detail[MK_PLOT_TEXT], (*text)[32] = calloc(n + columns, sizeof *text);
    const char **name = calloc(n + columns, sizeof *name);
    mk_result_view_plot(s, &p, mk_standing_label(m));
    double *cell = name ? mk_plot_cells(&p, name, n, name + n, columns) : NULL;
    int code = text && cell ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t i = 0; i < n && !code; i++) {
        size_t row = n - 1 - i, policy = 0; /* the largest value at the top */
        while (g->scores->policy[policy] != w->policy[i]) policy++;
        snprintf(text[row], sizeof text[row], "%g", w->value[i]);
        name[row] = text[row];
        for (size_t h = 0; h < columns; h++) {
            const struct mk_standing *of = &g->at[h]->standing[policy];
            cell[row * columns + h] = m == MK_STANDING_RANK ? of->rank : of->loss;
        }
    }
    for (size_t h = 0; h < columns && !code; h++) {
        double at = g->scores->budget ? g->scores->budget[h] : s->horizon[g->scores->horizon[h]];
        snprintf(text[n + h], sizeof text[n + h], "%.15g", at);
        name[n + h] = text[n + h];
    }
    label_columns(g, &p);
    snprintf(p.y.label, sizeof p.y.label, "%s", w->type->params[w->param].name);
    snprintf(detail, sizeof detail, "%s_%s%s", mk_standing_name(m), g->scores->budget ? "budget_" : "", g->detail);
    if (code)
        mk_plot_clear(&p);
    else
        code = mk_result_view_finish(s, &p, "map", detail, err);
    free(text);
    free(name);
    return code;
}

/* Draws the sweeps all of whose policies are compared. */
static int draw_sweeps(const struct mk_result_view *s, struct mk_scores *scores, struct mk_comparison **at,
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
        struct mk_policy_group g = {.view = s, .sweep = &s->sweep[w], .detail = detail, .scores = scores, .at = at};
        for (int m = 0; m < MK_STANDING_MEASURES && !code; m++)
            if (mk_policy_group_has(&g, (enum mk_standing_measure)m))
                code = mk_policy_group_draw_sweep(&g, (enum mk_standing_measure)m, err);
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
    code = draw_sweeps(&s, scores, at, err);
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
static int add_pulls(const struct mk_policy_group *g, size_t policy, struct column *arm, struct mk_plot *p,
                     struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    size_t K = s->info->n_arms, h = s->info->n_horizons - 1;
    struct mk_real_moments *m = calloc(K, sizeof *m);
    struct mk_curve *c = m ? mk_plot_add(p, mk_policy_group_label(g, policy), K, 1) : NULL;
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

int mk_policy_group_compose_pulls(const struct mk_policy_group *g, const struct mk_view_part *part, struct mk_plot *p,
                                  struct mk_error *err)
{
    const struct mk_result_view *s = g->view;
    struct column *arm = malloc(s->info->n_arms * sizeof *arm);
    int code = arm ? MK_OK : mk_fail_memory(err, "figure");
    char what[64];
    snprintf(what, sizeof what, "T = %s, mean%s", mk_plot_horizon(mk_policy_group_last(g)->horizon).text,
             part || mk_plot_shows_bands(g->scores->n_policies) ? " and 95 % band" : "");
    mk_result_view_plot(s, p, what);
    for (size_t i = 0; i < g->scores->n_policies && !code; i++) {
        size_t policy = g->scores->policy[i];
        if ((part && !part->keep[policy]) || mk_result_policy_has(s->info, policy, MK_POLICY_ORACLE) ||
            mk_result_policy_has(s->info, policy, MK_POLICY_RECORDED))
            continue;
        code = add_pulls(g, i, arm, p, err);
        if (!code && g->sweep) p->curve[p->n_curves - 1].colour = s->info->policy_value[policy][g->sweep->param];
        if (!code && part) p->curve[p->n_curves - 1].look = part->look[policy];
    }
    snprintf(p->x.label, sizeof p->x.label, "rank of the arm by E[M(T)]");
    snprintf(p->y.label, sizeof p->y.label, "pulls");
    if (g->sweep) mk_plot_sweep_scale(p, g->sweep);
    free(arm);
    return code;
}

int mk_policy_group_draw_pulls(const struct mk_policy_group *g, struct mk_error *err)
{
    struct mk_plot p;
    int code = mk_policy_group_compose_pulls(g, NULL, &p, err);
    if (!code && p.n_curves) return mk_result_view_finish(g->view, &p, "pulls_by_rank", g->detail, err);
    mk_plot_clear(&p);
    return code;
}

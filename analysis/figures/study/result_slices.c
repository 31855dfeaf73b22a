/* A tuned program (maxk tune): values of the metric against each of the hyperparameters of the best arm that matter,
 * with the marginal of the forest from which their importance comes. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figures/result_view.h"
#include "analysis/results/importance.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/model/fanova.h"

enum { COLUMNS = 3, MOST = 6, GRID = 61 };

static bool applies(const struct mk_result_view *view)
{
    struct mk_study_files s;
    struct mk_error ignored;
    struct mk_importance m = {0};
    if (!mk_study_files_there(view->info->path) || mk_study_files_read(&s, view->info->path, &ignored)) return false;
    const bool good = s.best_trial != SIZE_MAX && !mk_importance_of(&m, &s, s.trial[s.best_trial].arm, &ignored) &&
                      m.n && !isnan(m.share[0]);
    mk_importance_clear(&m);
    mk_study_files_clear(&s);
    return good;
}

static int add_trials(struct mk_plot *p, const struct mk_importance *m, const struct mk_space *space, size_t hyper,
                      struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, "trials", m->trials, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_POINTS;
    c->look = 1;
    for (size_t i = 0; i < m->trials; i++) {
        const double u = m->x[i * space->n + hyper];
        if (isnan(u)) continue;
        mk_curve_point(c, i, mk_hyper_value(&space->hyper[hyper], u), m->y[i]);
    }
    return MK_OK;
}

static int add_marginal(struct mk_plot *p, const struct mk_importance *m, const struct mk_hyper *h, size_t feature,
                        struct mk_error *err)
{
    const size_t n = h->n_words ? h->n_words : GRID;
    struct mk_curve *c = mk_plot_add(p, "mean over the others", n, 0);
    if (!c) return mk_fail_memory(err, "figure");
    c->style = h->n_words ? MK_CURVE_RINGS : MK_CURVE_LINE;
    c->look = 0;
    for (size_t i = 0; i < n; i++) c->x[i] = h->n_words ? ((double)i + 0.5) / (double)n : (double)i / (double)(n - 1);
    int code = mk_fanova_marginal(&m->forest, feature, c->x, n, c->y, err);
    for (size_t i = 0; i < n; i++) c->x[i] = mk_hyper_value(h, c->x[i]);
    return code;
}

/* "kernel: 0 rbf, 1 linear", as far as there is room. */
static void name_words(const struct mk_hyper *h, char *out, size_t room)
{
    enum { MOST_BYTES = 48 };
    char clip[MK_CLIP_ROOM];
    size_t n = strlen(out);
    for (size_t i = 0; i < h->n_words && n < MOST_BYTES; i++)
        n += (size_t)snprintf(out + n, room - n, "%s %zu %.24s", i ? "," : ":", i, mk_clip(h->word[i], clip));
}

static int fill_panel(struct mk_plot *p, const struct mk_study_files *s, const struct mk_importance *m,
                      const struct mk_space *space, size_t j, struct mk_error *err)
{
    const struct mk_hyper *h = &space->hyper[m->hyper[j]];
    char clip[MK_CLIP_ROOM];
    snprintf(p->title, sizeof p->title, "importance %.2f", m->share[j]);
    mk_plot_axes(p, mk_clip(h->name, clip), s->metric);
    p->x.log = h->log;
    p->x.lo = mk_hyper_value(h, 0);
    p->x.hi = mk_hyper_value(h, 1);
    if (h->n_words) {
        p->x.lo -= 0.5;
        p->x.hi += 0.5;
        p->x.whole = 1;
        name_words(h, p->x.label, sizeof p->x.label);
    }
    int code = add_trials(p, m, space, m->hyper[j], err);
    return code ? code : add_marginal(p, m, h, m->feature[j], err);
}

static int draw_study(const struct mk_result_view *view, const struct mk_study_files *s, const struct mk_importance *m,
                      struct mk_error *err)
{
    const size_t arm = s->trial[s->best_trial].arm, n = m->n < MOST ? m->n : MOST;
    struct mk_panels *g = mk_panels_new((n + COLUMNS - 1) / COLUMNS, n < COLUMNS ? n : COLUMNS, 3.2, 2.2);
    char clip[MK_CLIP_ROOM];
    int code = g ? MK_OK : mk_fail_memory(err, "figure");
    for (size_t j = 0; j < n && !code; j++) code = fill_panel(&g->plot[j], s, m, s->space[arm], j, err);
    if (!code)
        snprintf(g->title, sizeof g->title, "%s: hyperparameters of %s", view->info->name, mk_clip(s->arm[arm], clip));
    return mk_figure_output_panels(&view->to, g, "slices", code, err);
}

static int draw(const struct mk_result_view *view, struct mk_error *err)
{
    struct mk_study_files s;
    struct mk_importance m = {0};
    int code = mk_study_files_read(&s, view->info->path, err);
    if (code) return code;
    code = mk_importance_of(&m, &s, s.trial[s.best_trial].arm, err);
    if (!code) code = draw_study(view, &s, &m, err);
    mk_importance_clear(&m);
    mk_study_files_clear(&s);
    return code;
}

const struct mk_result_figure mk_result_figure_slices = {
    "slices",
    "values of the metric against the hyperparameters of the best arm that matter most, and the mean over the others that a "
    "forest predicts; a study of maxk tune",
    applies, draw};

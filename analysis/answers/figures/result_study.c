/* A program tuned by maxk tune:
 *   tune    best value of the metric so far against trials and against the seconds that the programs ran; trials of
 *           every arm against all trials
 *   slices  values of the metric against each of the hyperparameters of the best arm that matter, with the marginal of
 *           the forest from which their importance comes */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/result_view.h"
#include "analysis/compare/importance.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/search/models/fanova.h"
#include "sim/study/study_files.h"

/* ---- tune ---- */

enum { PANELS = 3, MOST_ARMS = 8 }; /* curves that a legend takes; of more arms, those with the best results */

/* One arm as drawn. */
struct drawn {
    size_t arm;
    double best; /* of the metric; NaN: no success */
};

static bool is_better(const struct mk_study_files *s, const struct drawn *a, const struct drawn *b)
{
    return !isnan(a->best) && (isnan(b->best) || mk_study_better(s, a->best, b->best));
}

/* The arms that have trials, the best first; malloc'ed. */
static struct drawn *arms_of(const struct mk_study_files *s, size_t *n)
{
    struct drawn *d = calloc(s->n_arms, sizeof *d);
    if (!d) return NULL;
    *n = 0;
    for (size_t k = 0; k < s->n_arms; k++) {
        const struct mk_study_arm of = mk_study_arm(s, k);
        const struct drawn arm = {k, of.best};
        if (!of.trials) continue;
        size_t at = (*n)++;
        for (; at && is_better(s, &arm, &d[at - 1]); at--) d[at] = d[at - 1];
        d[at] = arm;
    }
    if (*n > MOST_ARMS) *n = MOST_ARMS;
    return d;
}

/* Axes of a panel; those of rewards show the metric. */
static void start_panel(struct mk_plot *p, const char *title, const char *x, const char *y)
{
    snprintf(p->title, sizeof p->title, "%s", title);
    mk_plot_axes(p, x, y);
    p->x.lo = 0;
}

/* Steps of the best value so far of arm k (SIZE_MAX: of all): against trials, or against seconds of their programs. */
static int add_best(struct mk_plot *p, const struct mk_study_files *s, size_t k, bool in_time, int look,
                    struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, k == SIZE_MAX ? "all arms" : s->arm[k], 2 * s->n + 1, 0);
    double best = NAN, x = 0;
    size_t at = 0;
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE;
    c->look = look;
    if (k == SIZE_MAX) c->width = 2;
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_study_row *t = &s->trial[i];
        if (k != SIZE_MAX && t->arm != k) continue;
        x = in_time ? x + (isnan(t->seconds) ? 0 : t->seconds) : (double)(i + 1);
        if (!isnan(best)) mk_curve_point(c, at++, x, best); /* up to here */
        if (!t->whole || (!isnan(best) && !mk_study_better(s, t->value, best))) continue;
        best = t->value;
        mk_curve_point(c, at++, x, best);
    }
    return MK_OK;
}

static int add_pulls(struct mk_plot *p, const struct mk_study_files *s, size_t k, int look, struct mk_error *err)
{
    struct mk_curve *c = mk_plot_add(p, s->arm[k], s->n + 1, 0);
    size_t pulls = 0;
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE;
    c->look = look;
    c->x[0] = c->y[0] = 0;
    for (size_t i = 0; i < s->n; i++) {
        pulls += s->trial[i].arm == k;
        mk_curve_point(c, i + 1, (double)(i + 1), (double)pulls);
    }
    return MK_OK;
}

/* The metric's axis begins no further off than where half of the arms have got: first trials are often far off. */
static double worst_shown(const struct mk_study_files *s, const struct drawn *d, size_t n)
{
    double worst = d[0].best;
    for (size_t i = 0; i < n; i++)
        if (!isnan(d[i].best)) worst = d[i].best;
    const double range = fabs(d[0].best - worst), more = range > 0 ? 0.5 * range : fabs(worst) * 0.01;
    return s->maximize ? worst - more : worst + more;
}

static int fill_panels(struct mk_plot *p, const struct mk_study_files *s, struct mk_error *err)
{
    size_t n = 0;
    char title[64];
    struct drawn *d = arms_of(s, &n);
    int code = d ? MK_OK : mk_fail_memory(err, "figure");
    snprintf(title, sizeof title, "Best %.40s so far", s->metric);
    start_panel(&p[0], title, "trials", "");
    snprintf(title, sizeof title, "Best %.40s of each arm", s->metric);
    start_panel(&p[1], title, "seconds that its programs ran", "");
    start_panel(&p[2], "Trials of each arm", "trials", "trials of the arm");
    if (!code) {
        const double end = worst_shown(s, d, n);
        for (int i = 0; i < 2; i++) *(s->maximize ? &p[i].y.lo : &p[i].y.hi) = end;
        code = add_best(&p[0], s, SIZE_MAX, false, 0, err);
    }
    p[2].y.lo = 0;
    for (size_t i = 0; i < n && !code; i++) {
        code = add_best(&p[0], s, d[i].arm, false, (int)i + 1, err);
        if (!code) code = add_best(&p[1], s, d[i].arm, true, (int)i + 1, err);
        if (!code) code = add_pulls(&p[2], s, d[i].arm, (int)i + 1, err);
    }
    free(d);
    return code;
}

static bool tune_applies(const struct mk_result_view *view)
{
    return mk_study_files_there(view->info->path);
}

static int draw_tune(const struct mk_result_view *view, struct mk_error *err)
{
    struct mk_study_files s;
    char text[MK_COUNTED_ROOM];
    int code = mk_study_files_read(&s, view->info->path, err);
    if (code) return code;
    struct mk_panels *g = mk_panels_new(1, PANELS, 3.2, 2.2);
    code = g ? fill_panels(g->plot, &s, err) : mk_fail_memory(err, "figure");
    if (!code) {
        snprintf(g->title, sizeof g->title, "%s", view->info->name);
        snprintf(g->subtitle, sizeof g->subtitle, "%s; %s", mk_counted(s.n, "trial", NULL, text),
                 view->info->policy[0]);
    }
    mk_study_files_clear(&s);
    return mk_figure_output_panels(&view->to, g, "tune", code, err);
}

const struct mk_result_figure mk_result_figure_tune = {
    "tune",
    "best value so far over trials and over the time of the programs, and trials of every arm; a study of maxk tune",
    tune_applies, draw_tune};

/* ---- slices ---- */

enum { COLUMNS = 3, MOST = 6, GRID = 61 };

static bool slices_applies(const struct mk_result_view *view)
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
    const bool words = mk_importance_is_words(h);
    for (size_t i = 0; i < n; i++)
        c->x[i] = words ? (double)i : h->n_words ? ((double)i + 0.5) / (double)n : (double)i / (double)(n - 1);
    int code = mk_fanova_marginal(&m->forest, feature, c->x, n, c->y, err);
    for (size_t i = 0; i < n && !words; i++) c->x[i] = mk_hyper_value(h, c->x[i]);
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

/* Where a few values are much worse than the others, the axis of the metric ends soon after the nine tenths that are
 * best, and the title says how many lie beyond. */
static int limit_axis(struct mk_plot *p, const struct mk_study_files *s, const struct mk_importance *m,
                      struct mk_error *err)
{
    static const double far = 4, margin = 0.5; /* of the range of nine tenths */
    const double sign = s->maximize ? -1 : 1;
    double *loss = malloc((m->trials + 1) * sizeof *loss);
    size_t n = 0, beyond = 0;
    if (!loss) return mk_fail_memory(err, "figure");
    for (size_t i = 0; i < m->trials; i++)
        if (!isnan(m->y[i])) loss[n++] = sign * m->y[i];
    mk_sort_values(loss, n);
    const double most = n ? loss[9 * (n - 1) / 10] : 0, range = n ? most - loss[0] : 0;
    if (range > 0 && loss[n - 1] > loss[0] + far * range) {
        const double end = most + margin * range;
        const size_t used = strlen(p->title);
        for (size_t i = 0; i < n; i++) beyond += loss[i] > end;
        *(s->maximize ? &p->y.lo : &p->y.hi) = sign * end;
        snprintf(p->title + used, sizeof p->title - used, "; %zu of %zu beyond the axis", beyond, n);
    }
    free(loss);
    return MK_OK;
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
    int code = limit_axis(p, s, m, err);
    if (!code) code = add_trials(p, m, space, m->hyper[j], err);
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

static int draw_slices(const struct mk_result_view *view, struct mk_error *err)
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
    slices_applies, draw_slices};

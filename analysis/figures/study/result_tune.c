/* A tuned program (maxk tune): best value of the metric so far against trials and against the seconds that the programs
 * ran; trials of every arm against all trials. */
#include <math.h>
#include <stdlib.h>

#include "analysis/figures/result_view.h"
#include "analysis/results/study_files.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

enum { PANELS = 3, MOST_ARMS = 8 }; /* curves that a legend takes; of more arms, those with the best results */

/* One arm as drawn. */
struct drawn {
    size_t arm, trials;
    double best; /* of the metric; NaN: no success */
};

/* The arms that have trials, the best first; malloc'ed. */
static struct drawn *arms_of(const struct mk_study_files *s, size_t *n)
{
    struct drawn *d = calloc(s->n_arms, sizeof *d);
    if (!d) return NULL;
    *n = 0;
    for (size_t k = 0; k < s->n_arms; k++) {
        struct drawn arm = {k, 0, NAN};
        for (size_t i = 0; i < s->n; i++) {
            const struct mk_study_row *t = &s->trial[i];
            if (t->arm != k) continue;
            arm.trials++;
            if (t->ok && (isnan(arm.best) || mk_study_better(s, t->value, arm.best))) arm.best = t->value;
        }
        if (!arm.trials) continue;
        size_t at = (*n)++;
        for (; at && !isnan(arm.best) && (isnan(d[at - 1].best) || mk_study_better(s, arm.best, d[at - 1].best)); at--)
            d[at] = d[at - 1];
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
        if (!t->ok || (!isnan(best) && !mk_study_better(s, t->value, best))) continue;
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

static bool applies(const struct mk_result_view *view)
{
    return mk_study_files_there(view->info->path);
}

static int draw(const struct mk_result_view *view, struct mk_error *err)
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
    applies, draw};

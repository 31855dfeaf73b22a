#include "sim/tune/tune_figures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/text.h"

enum { PANELS = 3, MOST_ARMS = 8 }; /* curves that a legend takes; of more arms, those with the best results */

/* One arm as drawn. */
struct drawn {
    size_t arm, trials;
    double best; /* reward; -INFINITY: no success */
};

static int by_best(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->best != y->best) return x->best > y->best ? -1 : 1;
    return (x->arm > y->arm) - (x->arm < y->arm);
}

static bool counts(const struct mk_trial *t)
{
    return t->done && !t->dropped;
}

/* The arms that have trials, the best first; malloc'ed. */
static struct drawn *arms_of(const struct mk_tune *t, const struct mk_tune_state *s, size_t *n)
{
    struct drawn *d = calloc(t->n_arms, sizeof *d);
    if (!d) return NULL;
    for (size_t k = 0; k < t->n_arms; k++) d[k] = (struct drawn){k, 0, -INFINITY};
    for (size_t i = 0; i < mk_tune_state_n(s); i++) {
        const struct mk_trial *trial = mk_tune_state_trial(s, i);
        if (!counts(trial)) continue;
        d[trial->arm].trials++;
        if (trial->outcome.status == MK_TRIAL_OK) d[trial->arm].best = fmax(d[trial->arm].best, trial->reward);
    }
    qsort(d, t->n_arms, sizeof *d, by_best);
    *n = t->n_arms;
    while (*n && !d[*n - 1].trials) --*n;
    if (*n > MOST_ARMS) *n = MOST_ARMS;
    return d;
}

/* Axes of a panel; those of rewards show the metric. */
static void start_panel(struct mk_plot *p, const char *title, const char *x, const char *y)
{
    mk_plot_init(p);
    snprintf(p->title, sizeof p->title, "%s", title);
    snprintf(p->x.label, sizeof p->x.label, "%s", x);
    snprintf(p->y.label, sizeof p->y.label, "%s", y);
    p->x.lo = 0;
}

/* Steps of the best metric value so far of arm k (SIZE_MAX: of all): against trials, or against the arm's seconds. */
static int add_best(struct mk_plot *p, const struct mk_tune *t, const struct mk_tune_state *s, size_t k, bool in_time,
                    int look, struct mk_error *err)
{
    const size_t n = mk_tune_state_n(s);
    struct mk_curve *c = mk_plot_add(p, k == SIZE_MAX ? "all arms" : t->arm[k].label, 2 * n + 1, 0);
    double best = NAN, x = 0;
    size_t at = 0;
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE;
    c->look = look;
    if (k == SIZE_MAX) c->width = 2;
    for (size_t i = 0, number = 0; i < n; i++) {
        const struct mk_trial *trial = mk_tune_state_trial(s, i);
        if (!counts(trial)) continue;
        number++;
        if (k != SIZE_MAX && trial->arm != k) continue;
        x = in_time ? x + trial->outcome.seconds : (double)number;
        if (!isnan(best)) { /* up to here */
            c->x[at] = x;
            c->y[at++] = mk_tune_value(t, best);
        }
        if (trial->outcome.status != MK_TRIAL_OK || (!isnan(best) && !(trial->reward > best))) continue;
        best = trial->reward;
        c->x[at] = x;
        c->y[at++] = mk_tune_value(t, best);
    }
    return MK_OK;
}

static int add_pulls(struct mk_plot *p, const struct mk_tune *t, const struct mk_tune_state *s, size_t k, int look,
                     struct mk_error *err)
{
    const size_t n = mk_tune_state_n(s);
    struct mk_curve *c = mk_plot_add(p, t->arm[k].label, n + 1, 0);
    size_t pulls = 0, number = 0;
    if (!c) return mk_fail_memory(err, "figure");
    c->style = MK_CURVE_LINE;
    c->look = look;
    c->x[0] = c->y[0] = 0;
    for (size_t i = 0; i < n; i++) {
        const struct mk_trial *trial = mk_tune_state_trial(s, i);
        if (!counts(trial)) continue;
        pulls += trial->arm == k;
        number++;
        c->x[number] = (double)number;
        c->y[number] = (double)pulls;
    }
    return MK_OK;
}

/* The metric's axis begins no lower than where half of the arms have got: first trials are often far off. */
static double lowest_shown(const struct mk_tune *t, const struct drawn *d, size_t n, bool *is_low)
{
    double worst = d[0].best;
    for (size_t i = 0; i < n; i++)
        if (isfinite(d[i].best)) worst = fmin(worst, d[i].best);
    const double range = d[0].best - worst;
    *is_low = t->metric.maximize;
    return mk_tune_value(t, worst - (range > 0 ? 0.5 * range : fabs(worst) * 0.01));
}

static int fill_panels(struct mk_plot p[PANELS], const struct mk_tune *t, const struct mk_tune_state *s,
                       struct mk_error *err)
{
    size_t n = 0;
    bool is_low = true;
    struct drawn *d = arms_of(t, s, &n);
    int code = d ? MK_OK : mk_fail_memory(err, "figure");
    start_panel(&p[0], "Best value so far", "trials", "metric");
    start_panel(&p[1], "Best value of each arm", "seconds that its programs ran", "metric");
    start_panel(&p[2], "Trials of each arm", "trials", "trials of the arm");
    if (!code) {
        const double end = lowest_shown(t, d, n, &is_low);
        for (int i = 0; i < 2; i++) *(is_low ? &p[i].y.lo : &p[i].y.hi) = end;
        code = add_best(&p[0], t, s, SIZE_MAX, false, 0, err);
    }
    p[2].y.lo = 0;
    for (size_t i = 0; i < n && !code; i++) {
        code = add_best(&p[0], t, s, d[i].arm, false, (int)i + 1, err);
        if (!code) code = add_best(&p[1], t, s, d[i].arm, true, (int)i + 1, err);
        if (!code) code = add_pulls(&p[2], t, s, d[i].arm, (int)i + 1, err);
    }
    free(d);
    return code;
}

int mk_tune_draw(const struct mk_tune *t, const struct mk_tune_state *s, const struct mk_figure_output *to,
                 struct mk_error *err)
{
    struct mk_plot p[PANELS];
    struct mk_panels g = {.rows = 1, .columns = PANELS, .plot = p, .page = {to->width, to->height}};
    char name[MK_FIGURE_ROOM], text[MK_COUNTED_ROOM];
    g.width = 3.2;
    g.height = 2.2;
    snprintf(g.title, sizeof g.title, "%s", t->name);
    snprintf(g.subtitle, sizeof g.subtitle, "%s; %s", mk_counted(mk_tune_state_n(s), "trial", NULL, text),
             t->policy ? t->policy : t->combined_label);
    int code = fill_panels(p, t, s, err);
    mk_figure_output_name(to, "tune", "", name);
    if (!code) code = mk_panels_draw(&g, to->folder, name, to->format, err);
    if (!code) mk_figure_output_done(to, name);
    for (int i = 0; i < PANELS; i++) mk_plot_clear(&p[i]);
    return code;
}

#include "analysis/answers/figures/bonus_figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

static const double shown_ratio = 1000; /* pairs that are worse than this are not shown */

/* The bound of a pair relative to the smallest one; NaN where it is not shown. */
static double ratio_of(const struct mk_bonus_figure *f, size_t h, size_t i)
{
    const struct mk_bonus_bound *at = f->pairs->at + h * f->pairs->n;
    const double ratio = mk_bonus_value(&at[i], f->by) / mk_bonus_value(&at[f->pairs->best[h]], f->by);
    return ratio <= shown_ratio ? fmax(ratio, 1) : NAN;
}

static void set_point(const struct mk_bonus_figure *f, struct mk_curve *c, size_t at, size_t i)
{
    const size_t last = f->pairs->horizons - 1;
    c->x[at] = last > 0 ? ratio_of(f, 0, i) : f->pairs->at[i].alpha;
    c->y[at] = isnan(c->x[at]) ? NAN : ratio_of(f, last, i);
}

static int add_power(const struct mk_bonus_figure *f, struct mk_plot *plot, size_t first, size_t end)
{
    char label[32];
    snprintf(label, sizeof label, "power %g", f->pairs->at[first].power);
    struct mk_curve *c = mk_plot_add(plot, label, end - first, 0);
    if (!c) return MK_ENOMEM;
    c->style = MK_CURVE_LINE_POINTS;
    for (size_t i = first; i < end; i++) set_point(f, c, i - first, i);
    return MK_OK;
}

static int add_ring(const struct mk_bonus_figure *f, struct mk_plot *plot, const char *label, size_t i)
{
    struct mk_curve *c = mk_plot_add(plot, label, 1, 0);
    if (!c) return MK_ENOMEM;
    c->style = MK_CURVE_RINGS;
    set_point(f, c, 0, i);
    return MK_OK;
}

static int add_curves(const struct mk_bonus_figure *f, struct mk_plot *plot)
{
    const struct mk_bonus_pairs *p = f->pairs;
    char label[MK_PLOT_TEXT];
    int code = MK_OK;
    for (size_t first = 0, end; !code && first < p->n; first = end) {
        for (end = first; end < p->n && p->at[end].power == p->at[first].power; end++) continue;
        if (end - first >= MK_FIRST_ALPHAS) code = add_power(f, plot, first, end);
    }
    for (size_t h = 0; !code && h<p->horizons; h += p->horizons> 1 ? p->horizons - 1 : 1) {
        const struct mk_bonus_bound *best = &p->at[p->best[h]];
        snprintf(label, sizeof label, "best at T = %s: α = %.3g, power %.3g", mk_plot_horizon(f->horizon[h]).text,
                 best->alpha, best->power);
        code = add_ring(f, plot, label, p->best[h]);
    }
    if (code || p->horizons < 2) return code;
    const struct mk_bonus_bound *both = &p->at[p->compromise];
    snprintf(label, sizeof label, "compromise: α = %.3g, power %.3g", both->alpha, both->power);
    return add_ring(f, plot, label, p->compromise);
}

static void add_texts(const struct mk_bonus_figure *f, struct mk_plot *plot)
{
    const char *what = f->by == MK_BY_PULLS ? "pulls of suboptimal arms" : "regret";
    const size_t last = f->pairs->horizons - 1;
    char name[MK_PLOT_TEXT];
    snprintf(name, sizeof name, "%.100s: %.100s", f->instance, f->policy);
    mk_text_clean(name, 0, plot->title, sizeof plot->title);
    snprintf(plot->subtitle, sizeof plot->subtitle, "certified bounds on the %s, relative to the smallest one; %s",
             what, last > 0 ? "α grows along the curves" : "bonus (α (log t)^power / n)²");
    plot->x.log = plot->y.log = 1;
    if (last > 0)
        snprintf(plot->x.label, sizeof plot->x.label, "%s at T = %s / smallest", what,
                 mk_plot_horizon(f->horizon[0]).text);
    else
        snprintf(plot->x.label, sizeof plot->x.label, "α");
    snprintf(plot->y.label, sizeof plot->y.label, "%s at T = %s / smallest", what,
             mk_plot_horizon(f->horizon[last]).text);
}

int mk_bonus_figure_draw(const struct mk_bonus_figure *f, const char *folder, enum mk_plot_format format, char **path,
                         struct mk_error *err)
{
    struct mk_plot plot;
    char stem[MK_PLOT_TEXT], name[MK_PLOT_TEXT];
    *path = NULL;
    mk_plot_init(&plot);
    add_texts(f, &plot);
    snprintf(stem, sizeof stem, "%.100s_%.100s", f->instance, f->policy);
    mk_file_name_part(stem, name, sizeof name - 8);
    strcat(name, "_bonus");
    int code = mk_make_folder(folder, err);
    if (!code && add_curves(f, &plot)) code = mk_fail_memory(err, "a figure");
    if (!code) code = mk_plot_draw(&plot, folder, name, format, err);
    if (!code && asprintf(path, "%s/%s.%s", folder, name, mk_plot_suffix(format)) < 0) {
        *path = NULL;
        code = mk_fail_memory(err, "a figure");
    }
    mk_plot_clear(&plot);
    return code;
}

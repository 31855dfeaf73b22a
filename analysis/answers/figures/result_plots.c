/* Shared by the figures of results: titles, axes, curves, measures. */
#include "analysis/answers/figures/result_view.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot_text.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

const char *mk_measure_name(enum mk_measure m)
{
    static const char *const name[MK_MEASURES] = {"best_share", "regret", "proxy_regret", "best_reward"};
    return name[m];
}

const char *mk_measure_label(enum mk_measure m)
{
    static const char *const label[MK_MEASURES] = {"share of pulls on the best arm", "regret R(T)",
                                                   "proxy empirical regret PER(T)", "mean best reward up to T"};
    return label[m];
}

void mk_result_view_start(const struct mk_result_view *s, struct mk_plot *p)
{
    mk_plot_init(p);
    mk_text_clean(s->info->title[0] ? s->info->title : s->info->name, 0, p->title, sizeof p->title);
}

void mk_result_view_plot(const struct mk_result_view *s, struct mk_plot *p, const char *what, ...)
{
    const struct mk_result_info *info = s->info;
    char said[MK_PLOT_TEXT] = "", instances[64] = "", replications[MK_COUNTED_ROOM], least_text[32] = "";
    va_list values;
    va_start(values, what);
    if (what) vsnprintf(said, sizeof said, what, values);
    va_end(values);
    uint64_t min = info->replications;
    for (size_t i = 0; i < info->n_instances; i++)
        if (info->own_replications[i] < min) min = info->own_replications[i];
    if (min < info->replications) snprintf(least_text, sizeof least_text, "%llu to ", (unsigned long long)min);
    mk_result_view_start(s, p);
    if (info->n_instances > 1) snprintf(instances, sizeof instances, "average over %zu instances, ", info->n_instances);
    snprintf(p->subtitle, sizeof p->subtitle, "%s%s%s%s%s", said, what ? ", " : "", instances, least_text,
             mk_counted(info->replications, "replication", NULL, replications));
}

void mk_plot_append(struct mk_plot *p, const char *format, ...)
{
    const size_t used = strlen(p->subtitle);
    va_list values;
    va_start(values, format);
    vsnprintf(p->subtitle + used, sizeof p->subtitle - used, format, values);
    va_end(values);
}

void mk_result_view_horizon_axis(const struct mk_result_view *s, struct mk_axis *axis)
{
    snprintf(axis->label, sizeof axis->label, "horizon T (%s)", s->info->by_cost ? "sum of costs" : "pulls");
    axis->log = 1;
    axis->tics = s->horizon;
    axis->n_tics = s->info->n_horizons;
}

void mk_curve_set(struct mk_curve *c, size_t k, double x, struct mk_mean y, enum mk_measure m)
{
    double *value[2] = {c->lo, c->hi};
    c->x[k] = x;
    c->y[k] = y.mean;
    for (int side = 0; c->lo && side < 2; side++) {
        double end = y.mean + (side ? MK_NORMAL_95 : -MK_NORMAL_95) * y.se;
        if (m == MK_MEASURE_BEST_SHARE && !isnan(end)) end = fmin(fmax(end, 0), 1);
        value[side][k] = end;
    }
}

/* 1 = above 0, -1 = below, 0 = its interval, if it has one, contains 0. */
static int sign_of(const struct mk_curve *c, size_t k)
{
    bool interval = c->lo && !isnan(c->lo[k]);
    return (interval ? c->lo[k] : c->y[k]) > 0 ? 1 : (interval ? c->hi[k] : c->y[k]) < 0 ? -1 : 0;
}

void mk_plot_choose_log(struct mk_plot *p, enum mk_measure m)
{
    size_t finite = 0, above = 0, below = 0;
    for (size_t i = 0; i < p->n_curves; i++)
        for (size_t k = 0; k < p->curve[i].n; k++) {
            int sign = sign_of(&p->curve[i], k);
            finite += isfinite(p->curve[i].y[k]) != 0;
            above += sign > 0;
            below += sign < 0;
        }
    const bool regret = m == MK_MEASURE_REGRET || m == MK_MEASURE_PROXY_REGRET;
    p->y.log = regret && 4 * above >= finite && above >= 4 * below;
    if (!p->y.log || above == finite) return;
    int interval = 0;
    for (size_t i = 0; i < p->n_curves; i++) {
        struct mk_curve *c = &p->curve[i];
        for (size_t k = 0; k < c->n; k++) {
            if (sign_of(c, k) > 0) continue;
            interval |= c->lo && !isnan(c->lo[k]);
            c->y[k] = NAN;
            if (c->lo) c->lo[k] = c->hi[k] = NAN;
        }
    }
    mk_plot_append(p, "; points not %sabove 0 omitted", interval ? "significantly " : "");
}

static bool coincide(const struct mk_curve *a, const struct mk_curve *b)
{
    bool any = false;
    if (a->n != b->n || a->style != b->style || !a->label[0] || !b->label[0]) return false;
    for (size_t i = 0; i < a->n; i++) {
        const bool none = isnan(a->y[i]) && isnan(b->y[i]);
        if (!none && !(a->x[i] == b->x[i] && a->y[i] == b->y[i])) return false;
        any |= !none;
    }
    return any;
}

/* Position of the first curve that hides or is hidden by curve i; i: none before it. */
static size_t first_same(const struct mk_plot *p, size_t i)
{
    size_t j = 0;
    while (j < i && !coincide(&p->curve[j], &p->curve[i])) j++;
    return j;
}

/* Of curves that lie on top of each other only one is seen: the subtitle names the others, "a = b = c", or counts those
 * of a sweep. */
void mk_plot_name_coinciding(struct mk_plot *p)
{
    const char *begin = "; the same: ";
    size_t in_sweep = 0;
    for (size_t i = 0; i < p->n_curves; i++) {
        const bool named = isnan(p->curve[i].colour), first = first_same(p, i) == i;
        bool begun = false;
        in_sweep += !named && !first;
        for (size_t j = i + 1; first && named && j < p->n_curves; j++) {
            if (first_same(p, j) != i || !isnan(p->curve[j].colour)) continue;
            if (!begun) mk_plot_append(p, "%s%s", begin, p->curve[i].label);
            mk_plot_append(p, " = %s", p->curve[j].label);
            begun = true;
        }
        if (begun) begin = ", ";
    }
    if (in_sweep) mk_plot_append(p, "; %zu curves coincide with others", in_sweep);
}

int mk_result_view_finish(const struct mk_result_view *s, struct mk_plot *p, const char *figure, const char *detail,
                          int code, struct mk_error *err)
{
    mk_plot_name_coinciding(p);
    return mk_figure_output_plot(&s->to, p, figure, detail, code, err);
}

void mk_sweep_detail(const struct mk_result_view *s, size_t sweep, char *out, size_t room)
{
    const struct mk_sweep *w = &s->sweep[sweep];
    size_t before = 0;
    for (size_t i = 0; i < sweep; i++) before += s->sweep[i].type == w->type && s->sweep[i].param == w->param;
    int n = snprintf(out, room, "%s_%s", w->type->name, w->type->params[w->param].name);
    if (before && n > 0 && (size_t)n < room) snprintf(out + n, room - (size_t)n, "_%zu", before + 1);
}

/* Ranges and tics of axes. Tics of log axes are written out, so that no text needs gnuplot's markup. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot.h"
#include "analysis/answers/figures/plot/plot_text.h"

enum { TIC_CHARACTERS = 36, MAX_DECADE_TICS = 7, MAX_MINOR_DECADES = 5 };

struct span {
    double lo, hi, least_positive;
};

static void widen(struct span *s, double x)
{
    if (!isfinite(x)) return;
    s->lo = fmin(s->lo, x);
    s->hi = fmax(s->hi, x);
    if (x > 0) s->least_positive = fmin(s->least_positive, x);
}

static struct mk_axis_range finish(const struct mk_axis *axis, struct span s, double pad)
{
    struct mk_axis_range r = {axis->log && s.least_positive < INFINITY, s.lo, s.hi};
    if (r.log) r.lo = s.least_positive;
    if (!isnan(axis->lo) && !(r.log && axis->lo <= 0)) r.lo = axis->lo;
    if (!isnan(axis->hi)) r.hi = axis->hi;
    if (!(r.lo <= r.hi)) r = (struct mk_axis_range){0, 0, 1};
    if (r.log && r.hi / r.lo < 3) {
        r.log = 0;
        if (isnan(axis->lo)) r.lo = fmin(r.lo, s.lo);
    }
    if (r.lo == r.hi) {
        double step = r.log ? 0 : r.lo == 0 ? 1 : 0.5 * fabs(r.lo);
        r.lo -= step;
        r.hi += step;
    }
    double factor = r.log ? pow(r.hi / r.lo, pad) : 1, step = r.log ? 0 : pad * (r.hi - r.lo);
    int from_zero = !r.log && r.lo >= 0 && r.lo - step < 0;
    if (isnan(axis->lo)) r.lo = from_zero ? 0 : r.lo / factor - step;
    if (isnan(axis->hi)) r.hi = r.hi * factor + step;
    return r;
}

static const struct span nothing = {INFINITY, -INFINITY, INFINITY};

struct mk_axis_range mk_plot_range_x(const struct mk_plot *p)
{
    struct span s = nothing;
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct mk_curve *c = &p->curve[i];
        for (size_t k = 0; k < c->n; k++) {
            if (!isfinite(c->y[k])) continue;
            widen(&s, c->x[k]);
            if ((c->style != MK_CURVE_ROWS && !mk_curve_has_ends(c->style)) || !c->lo) continue;
            widen(&s, c->lo[k]);
            if (c->style == MK_CURVE_ROWS) widen(&s, c->hi[k]);
        }
    }
    int smooth = 1;
    for (size_t i = 0; i < p->n_curves; i++) smooth &= p->curve[i].style == MK_CURVE_LINE;
    return finish(&p->x, s, smooth ? 0 : 0.04);
}

struct mk_axis_range mk_plot_range_y(const struct mk_plot *p)
{
    if (p->row) return (struct mk_axis_range){0, -0.6, (double)p->n_rows - 0.4};
    struct span s = nothing;
    int bands = mk_plot_shows_bands(p->n_curves);
    for (size_t i = 0; i < p->n_curves; i++)
        for (size_t k = 0; k < p->curve[i].n; k++) widen(&s, p->curve[i].y[k]);
    /* An interval that reaches to or below zero must not stretch a log axis. */
    double floor = p->y.log ? s.least_positive / 2 : -INFINITY;
    for (size_t i = 0; i < p->n_curves; i++)
        for (size_t k = 0; p->curve[i].lo && bands && k < p->curve[i].n; k++) {
            if (p->curve[i].lo[k] >= floor && !mk_curve_has_ends(p->curve[i].style)) widen(&s, p->curve[i].lo[k]);
            widen(&s, p->curve[i].hi[k]);
        }
    return finish(&p->y, s, 0.04);
}

struct mk_axis_range mk_plot_range_colour(const struct mk_plot *p)
{
    struct span s = nothing;
    for (size_t i = 0; i < p->n_curves; i++) widen(&s, p->curve[i].colour);
    for (size_t i = 0; p->cell && i < p->n_rows * p->n_columns; i++) widen(&s, p->cell[i]);
    return finish(&p->colour, s, 0);
}

/* `both`, initially empty, becomes the range that holds both. */
static void join(struct mk_axis_range *both, struct mk_axis_range other)
{
    both->lo = fmin(both->lo, other.lo);
    both->hi = fmax(both->hi, other.hi);
}

void mk_plots_share_x(struct mk_plot *plot, size_t n)
{
    struct mk_axis_range all = {0, INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) join(&all, mk_plot_range_x(&plot[i]));
    for (size_t i = 0; i < n; i++) {
        plot[i].x.lo = all.lo;
        plot[i].x.hi = all.hi;
    }
}

void mk_plots_share_y(struct mk_plot *plot, size_t n)
{
    struct mk_axis_range all = {1, INFINITY, -INFINITY};
    for (size_t i = 0; i < n; i++) all.log &= plot[i].y.log;
    for (size_t i = 0; i < n; i++) {
        plot[i].y.log = all.log;
        join(&all, mk_plot_range_y(&plot[i]));
    }
    for (size_t i = 0; i < n; i++) {
        plot[i].y.lo = all.lo;
        plot[i].y.hi = all.hi;
    }
}

bool mk_curve_visible(const struct mk_curve *c, struct mk_axis_range x, struct mk_axis_range y)
{
    for (size_t k = 0; k < c->n; k++)
        if (isfinite(c->x[k]) && isfinite(c->y[k]) && !(x.log && c->x[k] <= 0) && !(y.log && c->y[k] <= 0)) return true;
    return false;
}

/* 5·10⁶, 10⁻⁴, 200, 0.05. Returns the number of characters. */
static int tic_label(double x, char *out, size_t room)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    if (x >= 0.999e-3 && x < 1e4) return snprintf(out, room, "%.6g", x);
    int power = (int)floor(log10(x) + 1e-9), characters = 2;
    double mantissa = x / pow(10, power);
    char number[16];
    *out = '\0';
    if (fabs(mantissa - 1) > 1e-6) characters += snprintf(out, room, "%.3g·", mantissa) - 1;
    snprintf(number, sizeof number, "%d", power < 0 ? -power : power);
    strcat(out, power < 0 ? "10⁻" : "10");
    for (const char *c = number; *c; c++) strcat(out, digit[*c - '0']);
    return characters + (power < 0) + (int)strlen(number);
}

struct mk_plot_horizon mk_plot_horizon(uint64_t T)
{
    struct mk_plot_horizon h = {""};
    uint64_t unit = T, digits = 1;
    while (unit >= 1000) unit /= 10, digits *= 10;
    if (T >= 100000 && unit * digits == T)
        tic_label((double)T, h.text, sizeof h.text);
    else
        snprintf(h.text, sizeof h.text, "%llu", (unsigned long long)T);
    return h;
}

struct mk_plot_horizon mk_plot_amount(double T)
{
    struct mk_plot_horizon h = {""};
    if (T == floor(T)) return mk_plot_horizon((uint64_t)T);
    snprintf(h.text, sizeof h.text, "%.6g", T);
    return h;
}

struct tics {
    FILE *to;
    enum mk_markup markup;
    struct mk_axis_range range;
    int n;
};

static bool inside(const struct tics *t, double x)
{
    return x >= t->range.lo * (1 - 1e-9) && x <= t->range.hi * (1 + 1e-9);
}

static void put(struct tics *t, double x, int major)
{
    char label[64] = "";
    if (!inside(t, x)) return;
    if (major) tic_label(x, label, sizeof label);
    if (t->n++) fputs(", ", t->to);
    mk_gnuplot_quote(t->to, t->markup, label);
    fprintf(t->to, " %.17g%s", x, major ? "" : " 1");
}

/* Whether the labels of the requested positions fit. */
static bool wished_fit(const struct mk_axis *axis, struct mk_axis_range r)
{
    int characters = 0;
    char label[64];
    if (axis->n_tics < 2) return false;
    for (size_t i = 0; i < axis->n_tics; i++) {
        int wide = tic_label(axis->tics[i], label, sizeof label);
        characters += wide + 1;
        double room = log(axis->tics[i] / (i ? axis->tics[i - 1] : axis->tics[i] / 1e9)) / log(r.hi / r.lo);
        if (room < (wide + 1.0) / TIC_CHARACTERS) return false;
    }
    return characters <= TIC_CHARACTERS;
}

void mk_plot_write_log_tics(const struct mk_axis *axis, struct mk_axis_range range, enum mk_markup markup, FILE *to)
{
    struct tics t = {to, markup, range, 0};
    int first = (int)ceil(log10(range.lo) - 1e-9), last = (int)floor(log10(range.hi) + 1e-9),
        decades = last - first + 1;
    int fine = 0; /* tics at 1, 2, 5; if these are few, also at 3 and 7 */
    for (int e = first - 1; e <= last; e++)
        for (int m = 1; m <= 5; m++) fine += (m == 1 || m == 2 || m == 5) && inside(&t, m * pow(10, e));
    fputc('(', to);
    if (wished_fit(axis, range)) {
        for (size_t i = 0; i < axis->n_tics; i++) put(&t, axis->tics[i], 1);
    } else {
        int stride = (decades + MAX_DECADE_TICS - 1) / MAX_DECADE_TICS;
        for (int e = first - 1; e <= last; e++)
            for (int m = 1; m <= 9; m++) {
                int named = m == 1 ? decades < 3 || (e - first) % stride == 0
                                   : decades < 3 && (m == 2 || m == 5 || (fine < 3 && (m == 3 || m == 7)));
                if (named || m == 1 || decades <= MAX_MINOR_DECADES) put(&t, m * pow(10, e), named);
            }
    }
    fputc(')', to);
}

const char *mk_plot_suffix(enum mk_plot_format format)
{
    static const char *const suffix[] = {"png", "svg", "pdf", "tex"};
    return suffix[format];
}

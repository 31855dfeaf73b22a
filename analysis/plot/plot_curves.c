/* The curves of a script and their legend. */
#include <math.h>
#include <stdbool.h>

#include "analysis/plot/plot_script.h"
#include "analysis/plot/plot_text.h"

enum { LOOKS = 12, DASHES = 5, POINTS = 12 };

/* Okabe and Ito, "Color universal design" (2008), without the yellow, which is too light for lines on white; then
 * colours of Paul Tol's muted scheme that are far from these. Dashes and points differ too. */
static const char *const palette[LOOKS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00",
                                           "#56B4E9", "#882255", "#999933", "#332288", "#8C8C8C", "#7A4B1D"};
static const int point_type[POINTS] = {7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};

void mk_script_legend(const struct mk_script *s, const struct mk_plot_layout *l)
{
    if (l->named == 0 || l->names_on_scale) {
        fputs("unset key\n", s->to);
        return;
    }
    const double pad = s->format == MK_PLOT_SVG ? l->svg_pad : l->legend_pad;
    if (l->in) {
        fprintf(s->to,
                "set key at screen %.6f, screen %.6f center bottom vertical reverse Left noenhanced samplen 2.8 "
                "width %.1f spacing 1.05 maxrows %zu\n",
                (l->in->left + l->in->right) / 2, l->in->key, pad, l->rows);
        return;
    }
    fprintf(s->to,
            "set key at screen 0.5, screen 0.01 center bottom vertical reverse Left noenhanced samplen 2.8 width %.1f "
            "spacing 1.05 maxrows %zu\n"
            "set bmargin %g\n",
            pad, l->rows, 3.2 + 1.12 * (double)l->rows);
}

/* Lines above this width are distinguishable by it and need no dashes, which would grow with it. */
static const double thick = 1.5;

/* Appearance of one curve: colour, dashes, points. */
struct look {
    char colour[48];
    int dash, point;
};

static struct look look_of(const struct mk_curve *c, const struct mk_plot_layout *l, size_t position)
{
    size_t at = c->look >= 0 && !l->names_on_scale ? (size_t)c->look : position;
    struct look k = {"", (int)(at % DASHES) + 1, point_type[at % POINTS]};
    if (!isnan(c->colour)) {
        snprintf(k.colour, sizeof k.colour, "palette cb %.17g", c->colour);
        k.dash = 1;
    } else if (l->names_on_scale) {
        snprintf(k.colour, sizeof k.colour, "palette cb %zu", l->named - 1 - position);
        k.dash = (int)(position % 3) + 1;
    } else {
        /* for boxes the filling is faint: terminals disagree about faint colours in faint fillings */
        if (c->faint > 0 && c->style != MK_CURVE_BOXES)
            snprintf(k.colour, sizeof k.colour, "rgb '#%02X%s'", (unsigned)(255 * c->faint), palette[at % LOOKS] + 1);
        else
            snprintf(k.colour, sizeof k.colour, "rgb '%s'", palette[at % LOOKS]);
    }
    if (c->width > thick || c->faint > 0) k.dash = 1;
    return k;
}

/* A column limited to values above the low end of a log axis. */
static void write_column(const struct mk_script *s, int column, struct mk_axis_range r)
{
    if (r.log)
        fprintf(s->to, ":($%d>%.17g?$%d:%.17g)", column, r.lo, column, r.lo);
    else
        fprintf(s->to, ":%d", column);
}

static void write_band(const struct mk_curve *c, size_t index, const char *name, const struct look *k,
                       struct mk_axis_range y, size_t curves, const struct mk_script *s)
{
    if (!c->lo || c->style > MK_CURVE_LINE_POINTS || !mk_plot_shows_bands(curves)) return;
    fprintf(s->to, "  '%s.dat' index %zu using 1", name, index);
    write_column(s, 3, y);
    write_column(s, 4, y);
    fprintf(s->to, " with filledcurves fillstyle transparent solid %s noborder linecolor %s notitle, \\\n",
            curves > 6 ? "0.12" : "0.2", k->colour);
}

static void write_curve(const struct mk_curve *c, size_t index, const char *name, const struct look *k,
                        const struct mk_plot_layout *l, const struct mk_script *s)
{
    char label[MK_PLOT_TEXT];
    double width = c->width > 0 ? c->width : 1;
    fprintf(s->to, "  '%s.dat' index %zu using ", name, index);
    if (c->style == MK_CURVE_ROWS)
        fprintf(s->to, "1:2%s with %s linecolor %s linewidth 1 pointtype %d pointsize 0.5", c->lo ? ":3:4" : "",
                c->lo ? "xerrorbars" : "points", k->colour, k->point);
    else if (c->style == MK_CURVE_POINTS)
        fprintf(s->to, "1:2%s with %s linecolor %s linewidth %g pointtype %d pointsize 0.45", c->lo ? ":3:4" : "",
                c->lo ? "yerrorbars" : "points", k->colour, width, k->point);
    else if (c->style == MK_CURVE_RINGS)
        fprintf(s->to, "1:2%s with %s linecolor %s linewidth %g pointtype 6 pointsize 1.2", c->lo ? ":3:4" : "",
                c->lo ? "yerrorbars" : "points", k->colour, width);
    else if (c->style == MK_CURVE_SEGMENTS)
        fprintf(s->to, "1:2:($3-$1):($4-$2) with vectors nohead linecolor %s linewidth %g", k->colour, width);
    else if (c->style == MK_CURVE_BOXES)
        fprintf(s->to,
                "(0.5*($1+$3)):(0.5*($2+$4)):1:3:2:4 with boxxyerror linecolor %s linewidth %g fillstyle "
                "transparent solid %g %s%s",
                k->colour, width, isnan(c->colour) ? 0.35 * (1 - c->faint) : 1,
                c->faint > 0 ? "noborder" : "border linecolor ", c->faint > 0 ? "" : k->colour);
    else if (c->style == MK_CURVE_LINE_POINTS && isnan(c->colour) && !l->names_on_scale)
        fprintf(s->to, "1:2 with linespoints linecolor %s linewidth %g dashtype %d pointtype %d pointsize 0.65%s",
                k->colour, width, k->dash, k->point, c->n > 16 ? " pointnumber 8" : "");
    else if (c->style == MK_CURVE_LINE_POINTS && !l->names_on_scale && c->n <= 16)
        fprintf(s->to, "1:2 with linespoints linecolor %s linewidth %g pointtype 7 pointsize 0.3", k->colour, width);
    else
        fprintf(s->to, "1:2 with lines linecolor %s linewidth %g dashtype %d", k->colour, width, k->dash);
    if (mk_curve_named(c) && !l->names_on_scale) {
        fputs(" title ", s->to);
        mk_text_clean(c->label, MK_LABEL_LIMIT, label, sizeof label);
        mk_script_quote(s, label);
        fputs(" noenhanced", s->to);
    } else {
        fputs(" notitle", s->to);
    }
}

/* Curves that may have a band. */
static size_t count_lines(const struct mk_plot *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->n_curves; i++) n += p->curve[i].style <= MK_CURVE_LINE_POINTS;
    return n;
}

/* Bands first, so that no band covers a line. */
void mk_script_curves(const struct mk_script *s, const struct mk_plot *p, const struct mk_plot_layout *l,
                      const char *name)
{
    size_t first = l->in ? l->in->first : 0;
    fputs("plot \\\n", s->to);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, position = 0, drawn = 0; i < p->n_curves; i++) {
            const struct mk_curve *c = &p->curve[i];
            if (!mk_curve_visible(c, l->x, l->y)) continue;
            struct look k = look_of(c, l, position);
            position += isnan(c->colour) != 0;
            if (pass == 0) {
                write_band(c, first + i, name, &k, l->y, count_lines(p), s);
                continue;
            }
            if (drawn++) fputs(", \\\n", s->to);
            write_curve(c, first + i, name, &k, l, s);
        }
    /* With only lines of fixed colours gnuplot would not draw the colour scale. */
    if (l->scaled || l->names_on_scale) fputs(", \\\n  '+' using 1:(NaN):(NaN) with points palette notitle", s->to);
    fputc('\n', s->to);
}

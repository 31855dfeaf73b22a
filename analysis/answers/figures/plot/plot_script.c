/* The gnuplot script of a figure, of one plot or of panels: its page and heading, what a plot has room for, terminal,
 * axes, colour scale, curves and legend. Texts that may come from files are only written by quote and write_heading. */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "analysis/answers/figures/plot/plot.h"
#include "analysis/answers/figures/plot/plot_text.h"

/* ---- the page ---- */

enum { TITLE_LINES = 3, TITLE_WIDTH = 50 }; /* letters on a page of single_width */

/* A plot that fits into a column, in inches; letters in points. */
static const double single_width = 3.5, usual_letters = 8;

/* A figure is laid out for letters of 8 points on a page of this size, in inches, and drawn with everything on it
 * larger by the factor `scale`, which is below 1 where letters of the requested size would not fit. */
struct page {
    double width, height;
    double scale;
};

/* The scale that gives letters of the requested size. */
static double page_letters(const struct mk_picture *picture)
{
    return picture->letters > 0 ? picture->letters / usual_letters : 1;
}

/* At most the scale `max`, with which something that needs this length fits into the requested one (0: any). */
static double page_scale(double max, double requested, double needed)
{
    return requested > 0 ? fmin(max, requested / needed) : max;
}

/* The smallest width that does not need more lines, so that lines are about equally long; adds their number to
 * *lines. */
static size_t title_width(const char *text, double inches, size_t *lines)
{
    size_t width = (size_t)(TITLE_WIDTH * fmax(1, inches / single_width)),
           n = mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, text, width, TITLE_LINES);
    *lines += n;
    if (mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, text, width, n + 1) > n) return width; /* will be cut */
    while (width > 1 && mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, text, width - 1, n + 1) == n) width--;
    return width;
}

/* The lines above a figure. */
struct heading {
    const char *text[2]; /* title, subtitle; "" = none */
    size_t width[2];     /* characters to a line */
    size_t lines;        /* of both */
};

/* The heading of a figure with this title and subtitle on a page of this width. LaTeX has captions for what subtitles
 * say. */
static struct heading heading_of(const char *title, const char *subtitle, const struct mk_picture *picture,
                                 enum mk_plot_format format, double inches)
{
    struct heading h = {
        .text = {picture->title ? picture->title : title, picture->title || format == MK_PLOT_TEX ? "" : subtitle}};
    for (int i = 0; i < 2; i++)
        if (h.text[i][0]) h.width[i] = title_width(h.text[i], inches, &h.lines);
    return h;
}

/* ---- what a plot has room for ---- */

/* Characters of a text in the legend, next to a colour scale, and below a heat map. */
enum { LABEL_LIMIT = 40, SCALE_LABEL_LIMIT = 22, TURNED_NAME_LIMIT = 16 };

/* The place of one panel among several, in fractions of the page; bottom to top is the plot area, `key` the foot of its
 * legend. */
struct place {
    double left, right, bottom, top, key;
    double narrow; /* its width over that of a single plot */
    size_t first;  /* number of its first curve in the data file */
};

/* Totals over the curves. */
struct layout {
    const struct place *in; /* NULL: a single plot */
    struct mk_axis_range x, y, colour;
    size_t named;         /* visible curves with a label and no colour of their own */
    size_t scaled;        /* visible curves with a colour of their own */
    int names_on_scale;   /* too many for a legend: the colour scale carries their names */
    size_t columns, rows; /* of the legend */
    double legend_pad;    /* added to the width of its widest text, in characters */
    double svg_pad;       /* the same for gnuplot's SVG terminal */
    size_t scale_margin;  /* right margin in characters if names are next to the scale; 0 = gnuplot's default */
    double width, height; /* inches */
    double names;         /* the turned names of columns, in inches */
    size_t name_slots;    /* how many of these fit */
};

static bool is_named(const struct mk_curve *c)
{
    return c->label[0] && isnan(c->colour);
}

/* Widths of the legend in gnuplot's characters: the total; line sample and gaps of an entry; the share of a text's
 * width that is not needed, since gnuplot assumes wide letters; and the ratio of these widths to those of its SVG
 * terminal, which are even wider. */
static const double legend_width = 51.5, legend_sample = 5.45, legend_slack = 0.1, svg_letter = 0.87;

/* Inches: a letter of a turned name, of 6 points, and its line; a map with many columns, and what is next to its cells.
 */
static const double turned_letter = 0.05, turned_room = 0.1, widest_map = 7, map_margins = 2.2;

static size_t longest_column(const struct mk_plot *p)
{
    size_t longest = 0;
    char text[MK_PLOT_TEXT];
    for (size_t j = 0; j < p->n_columns; j++) {
        const size_t wide = mk_text_clean(p->column[j], TURNED_NAME_LIMIT, text, sizeof text);
        if (wide > longest) longest = wide;
    }
    return longest;
}

/* `in`: NULL for a single plot. */
static struct layout lay_out(const struct mk_plot *p, const struct place *in)
{
    struct layout l = {.in = in,
                       .x = mk_plot_range_x(p),
                       .y = mk_plot_range_y(p),
                       .colour = mk_plot_range_colour(p),
                       .columns = 1,
                       .width = single_width,
                       .height = 2.5};
    size_t widest = 1;
    char text[MK_PLOT_TEXT];
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct mk_curve *c = &p->curve[i];
        if (!mk_curve_visible(c, l.x, l.y)) continue;
        l.scaled += isnan(c->colour) == 0;
        if (!is_named(c)) continue;
        l.named++;
        size_t wide = mk_text_clean(c->label, LABEL_LIMIT, text, sizeof text);
        if (wide > widest) widest = wide;
    }
    l.names_on_scale = l.named > MK_PLOT_LEGEND_MAX && l.scaled == 0 && !in;
    if (l.named && !l.names_on_scale) {
        l.legend_pad = 1 - legend_slack * (double)widest;
        const double entry = (double)widest + legend_sample;
        l.svg_pad = svg_letter * (entry + l.legend_pad) - entry;
        const double wide = in ? in->narrow : p->width > 0 ? p->width / single_width : 1;
        l.columns = (size_t)(legend_width * wide / (entry + l.legend_pad));
        if (l.columns < 1) l.columns = 1;
        if (l.columns > l.named) l.columns = l.named;
        l.rows = (l.named + l.columns - 1) / l.columns;
        l.height += 0.15 * (double)l.rows;
    }
    if (l.names_on_scale) {
        l.scale_margin = 6 + 4 * (widest < SCALE_LABEL_LIMIT ? widest : SCALE_LABEL_LIMIT) / 5;
        l.width += 0.05 * (double)l.scale_margin;
        l.height = fmax(l.height, 0.9 + 0.125 * (double)l.named);
    }
    if (p->row) l.height = p->cell ? fmax(l.height, 1.1 + 0.15 * (double)p->n_rows) : 0.9 + 0.15 * (double)p->n_rows;
    if (p->turn_names) {
        l.names = turned_letter * (double)longest_column(p) + 0.1;
        l.height += l.names;
        l.width = fmin(widest_map, fmax(l.width, map_margins + 0.5 * turned_room * (double)p->n_columns));
    }
    if (p->width > 0) l.width = p->width;
    if (p->height > 0) l.height = p->height;
    l.name_slots = (size_t)fmax(1, (l.width - map_margins) / turned_room);
    return l;
}

/* ---- terminal, texts, axes ---- */

struct script {
    FILE *to;
    enum mk_plot_format format;
    double scale; /* of the page */
};

enum { MOST_COLUMN_NAMES = 8 };

/* Viridis up to 0.9 of its range: readable without colour vision, and its light end is still visible on white. */
static const char scale_colours[] = "0 '#440154', 1 '#482475', 2 '#414487', 3 '#355f8d', 4 '#2a788e', 5 '#21918c', "
                                    "6 '#22a884', 7 '#44bf70', 8 '#7ad151', 9 '#bddf26'";

static void write_terminal(const struct script *s, const struct page *page, const char *font)
{
    const double scale = page->scale, width = scale * page->width, height = scale * page->height;
    switch (s->format) {
    case MK_PLOT_PNG: /* 300 pixels per inch; the terminal assumes 96 pixels per inch for letters */
        fprintf(s->to,
                "set terminal pngcairo noenhanced size %.0f,%.0f font '%s,8' fontscale %g linewidth %g "
                "pointscale %g\n",
                300 * width, 300 * height, font, 3.125 * scale, 3 * scale, 1.6 * scale);
        break;
    case MK_PLOT_SVG: /* 96 units per inch; they have the size that the picture is shown at */
        fprintf(s->to,
                "set terminal svg noenhanced size %.0f,%.0f dynamic font '%s,10.7' linewidth 1 "
                "background '#ffffff'\n",
                96 * page->width, 96 * page->height, font);
        break;
    case MK_PLOT_PDF: /* fontscale 0.75 gives 8 points on paper */
        fprintf(s->to, "set terminal pdfcairo noenhanced size %.3fin,%.3fin font '%s,8' fontscale %g linewidth %g\n",
                width, height, font, 0.75 * scale, 1.5 * scale);
        break;
    case MK_PLOT_TEX: /* a font with a name would be LaTeX's font; gnuplot reserves room for its usual one */
        fprintf(s->to,
                "set terminal cairolatex pdf input blacktext size %.3fin,%.3fin font ',8' fontscale %g linewidth %g "
                "header '\\fontsize{%g}{%g}\\selectfont'\n",
                width, height, 0.75 * scale, 1.5 * scale, usual_letters * scale, 1.2 * usual_letters * scale);
        break;
    }
}

/* The lines that begin a script, and its terminal and output. */
static void write_beginning(const struct script *s, const struct page *page, const struct mk_picture *picture,
                            const char *name)
{
    const char *const suffix = mk_plot_suffix(s->format);
    fprintf(s->to, "# Run `gnuplot %s.gp` in this folder to draw %s.%s again.\nset encoding utf8\n", name, name,
            suffix);
    write_terminal(s, page, picture->font ? picture->font : "DejaVu Sans");
    fprintf(s->to, "set output '%s.%s'\n", name, suffix);
}

static enum mk_markup markup_of(const struct script *s)
{
    return s->format == MK_PLOT_TEX ? MK_MARKUP_TEX : MK_MARKUP_NONE;
}

/* A text as a string expression, as the format has it. */
static void quote(const struct script *s, const char *text)
{
    mk_gnuplot_quote(s->to, markup_of(s), text);
}

/* The lines of a heading, at `place` of the page ("at screen …"); nothing without lines. */
static void write_heading(const struct heading *h, const struct script *s, int label, const char *place)
{
    if (!h->lines) return;
    fprintf(s->to, "set label %d ", label);
    for (int i = 0, before = 0; i < 2; i++) {
        if (!h->text[i][0]) continue;
        if (before++) fputs(".\"\\n\".", s->to);
        mk_gnuplot_quote_lines(s->to, markup_of(s), h->text[i], h->width[i], TITLE_LINES);
    }
    fprintf(s->to, " %s noenhanced\n", place);
}

static void write_text(const struct script *s, const char *what, const char *text)
{
    if (!text[0]) return;
    fprintf(s->to, "set %s ", what);
    quote(s, text);
    fprintf(s->to, " noenhanced%s\n", strcmp(what, "xlabel") == 0 ? " offset 0,0.4" : "");
}

/* 1, 2 or 5 times a power of ten, giving at most `max` + 1 tics. */
static double tic_step(struct mk_axis_range r, double max)
{
    double min = (r.hi - r.lo) / max, power = pow(10, floor(log10(min)));
    return min <= power ? power : min <= 2 * power ? 2 * power : min <= 5 * power ? 5 * power : 10 * power;
}

/* Range, label and tics of the axis `letter`: x, y or cb; narrow: the width over that of a single plot. */
static void write_axis(const struct script *s, const char *letter, const struct mk_axis *axis, struct mk_axis_range r,
                       double narrow)
{
    char what[16];
    snprintf(what, sizeof what, "%slabel", letter);
    write_text(s, what, axis->label);
    fprintf(s->to, "set %srange [%.17g:%.17g]\n", letter, r.lo, r.hi);
    if (!r.log) {
        if (strcmp(letter, "cb") == 0) fprintf(s->to, "set format cb '%s'\n", s->format == MK_PLOT_TEX ? "$%h$" : "%g");
        double step = tic_step(r, *letter == 'x' && narrow < 0.7 ? fmax(2, floor(6 * narrow)) : 6);
        fprintf(s->to, "set %stics %g\n", letter, axis->whole ? fmax(1, step) : step);
        return;
    }
    fprintf(s->to, "set logscale %s\nset %stics ", letter, letter);
    mk_plot_write_log_tics(axis, r, markup_of(s), s->to);
    fputs(" noenhanced\n", s->to);
}

/* Tic i of a list, at the position `at`, named with at most so many characters; before: an expression. */
static void write_name(const struct script *s, size_t i, const char *before, const char *name, size_t limit, size_t at)
{
    char text[MK_PLOT_TEXT];
    mk_text_clean(name, limit, text, sizeof text);
    fprintf(s->to, "%s%s", i ? ", " : "", before);
    mk_gnuplot_quote_tic(s->to, markup_of(s), text);
    fprintf(s->to, " %zu", at);
}

static void write_rows(const struct mk_plot *p, struct mk_axis_range r, const struct script *s)
{
    write_text(s, "ylabel", p->y.label);
    fprintf(s->to, "set yrange [%.17g:%.17g]\nset ytics (", r.hi, r.lo);
    for (size_t i = 0; i < p->n_rows; i++) write_name(s, i, "", p->row[i], SCALE_LABEL_LIMIT, i);
    fputs(") noenhanced\nset grid ytics\n", s->to);
}

/* Names of columns at x = 0, 1, …, at most so many; turned ones have letters of 6 points. */
static void write_column_names(const struct mk_plot *p, size_t max, bool turned, const struct script *s)
{
    const size_t limit = turned ? TURNED_NAME_LIMIT : SCALE_LABEL_LIMIT;
    const size_t step = (p->n_columns + max - 1) / max;
    char font[64] = "";
    if (turned && s->format == MK_PLOT_TEX)
        snprintf(font, sizeof font, "'\\fontsize{%g}{%g}\\selectfont '.", 6 * s->scale, 7 * s->scale);
    fputs("set xtics (", s->to);
    for (size_t j = 0; j < p->n_columns; j += step) write_name(s, j, font, p->column[j], limit, j);
    fprintf(s->to, ") noenhanced%s%s\n", turned ? " rotate by 90 right" : "",
            !turned || s->format == MK_PLOT_TEX ? ""
            : s->format == MK_PLOT_SVG          ? " font ',8'"
                                                : " font ',6'");
}

/* The columns of a heat map. Many or long names are turned, and all are written as long as they can be distinguished.
 * The margin below turned ones is set, since gnuplot takes their letters for larger ones. */
static void write_columns(const struct mk_plot *p, const struct layout *l, const struct script *s)
{
    if (p->turn_names) {
        fprintf(s->to, "set bmargin at screen %.4f\nset label 3 ", (l->names + 0.3) / l->height);
        quote(s, p->x.label);
        fprintf(s->to, " at graph 0.5, screen %.4f center noenhanced\n", 0.12 / l->height);
    } else {
        write_text(s, "xlabel", p->x.label);
    }
    fprintf(s->to, "set xrange [-0.5:%zu.5]\n", p->n_columns - 1);
    if (!p->column) {
        fputs("unset xtics\n", s->to);
        return;
    }
    write_column_names(p, p->turn_names ? l->name_slots : MOST_COLUMN_NAMES, p->turn_names, s);
}

/* Names next to a stepped colour scale, first curve at the top. */
static void write_names_on_scale(const struct mk_plot *p, const struct layout *l, const struct script *s)
{
    size_t at = 0;
    fprintf(s->to, "set palette maxcolors %zu\nset cbrange [-0.5:%zu.5]\nset cbtics scale 0 (", l->named, l->named - 1);
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct mk_curve *c = &p->curve[i];
        if (!mk_curve_visible(c, l->x, l->y) || !is_named(c)) continue;
        write_name(s, at, "", c->label, SCALE_LABEL_LIMIT, l->named - 1 - at);
        at++;
    }
    fprintf(s->to, ") noenhanced\nset rmargin %zu\n", l->scale_margin);
}

/* Room for the tics and the label of a colour scale, in characters: gnuplot reckons with short tics. */
static void write_scale_margin(const struct mk_plot *p, const struct layout *l, const struct script *s)
{
    size_t widest = 0;
    char text[32];
    const double step = tic_step(l->colour, 6);
    for (double x = ceil(l->colour.lo / step) * step; !l->colour.log && x <= l->colour.hi; x += step) {
        const size_t wide = (size_t)snprintf(text, sizeof text, "%g", fabs(x) < 1e-9 * step ? 0 : x);
        if (wide > widest) widest = wide;
    }
    if (l->colour.log) widest = 5;
    /* a letter is two thirds of the unit of margins */
    fprintf(s->to, "set rmargin %.1f\n", 0.67 * (double)widest + (p->colour.label[0] ? 4.8 : 3.2));
}

static void write_colour_scale(const struct mk_plot *p, const struct layout *l, const struct script *s)
{
    if (!l->scaled && !l->names_on_scale && !p->cell) return;
    fprintf(s->to, "set palette defined (%s)\n", scale_colours);
    if (l->names_on_scale)
        write_names_on_scale(p, l, s);
    else {
        write_axis(s, "cb", &p->colour, l->colour, 1);
        write_scale_margin(p, l, s);
    }
}

static void write_notes(const struct mk_plot *p, const struct script *s)
{
    for (size_t i = 0; i < p->n_notes; i++) {
        const struct mk_note *note = &p->note[i];
        fprintf(s->to, "set label %zu ", i + 10);
        quote(s, note->text);
        fprintf(s->to, " at first %.17g, first %.17g %s noenhanced\n", note->x, note->y,
                note->side < 0   ? "right"
                : note->side > 0 ? "left"
                                 : "center");
    }
}

/* The axis of a diagram that hangs below it; the margins belong to its texts. */
static void write_top_axis(const struct mk_plot *p, const struct script *s)
{
    fprintf(s->to,
            "set border 0\nunset xtics\nset xrange [%.17g:%.17g]\nset lmargin at screen 0.02\n"
            "set rmargin at screen 0.98\nset bmargin 0.5\n",
            p->x.lo, p->x.hi);
}

/* Borders and tics of every figure. */
static const char frame[] =
    "set border 3 linewidth 0.6\nset tics nomirror out scale 0.5\nset datafile separator whitespace\n";

/* ---- curves and their legend ---- */

enum { LOOKS = 12, DASHES = 5, POINTS = 12 };

/* Okabe and Ito, "Color universal design" (2008), without the yellow, which is too light for lines on white; then
 * colours of Paul Tol's muted scheme that are far from these. Dashes and points differ too. */
static const char *const palette[LOOKS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00",
                                           "#56B4E9", "#882255", "#999933", "#332288", "#8C8C8C", "#7A4B1D"};
static const int point_type[POINTS] = {7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};

/* Lines of text below the plot area: the x axis and the legend. */
static double legend_margin(size_t rows)
{
    return 3.2 + 1.12 * (double)rows;
}

static void write_legend(const struct script *s, const struct layout *l)
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
            pad, l->rows, legend_margin(l->rows));
}

/* Lines above this width are distinguishable by it and need no dashes, which would grow with it. */
static const double thick = 1.5;

/* Appearance of one curve: colour, dashes, points. */
struct look {
    char colour[48];
    int dash, point;
};

static struct look look_of(const struct mk_curve *c, const struct layout *l, size_t position)
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
static void write_column(const struct script *s, int column, struct mk_axis_range r)
{
    if (r.log)
        fprintf(s->to, ":($%d>%.17g?$%d:%.17g)", column, r.lo, column, r.lo);
    else
        fprintf(s->to, ":%d", column);
}

static void write_band(const struct mk_curve *c, size_t index, const char *name, const struct look *k,
                       struct mk_axis_range y, size_t curves, const struct script *s)
{
    if (!c->lo || c->style > MK_CURVE_LINE_POINTS || !mk_plot_shows_bands(curves)) return;
    fprintf(s->to, "  '%s.dat' index %zu using 1", name, index);
    write_column(s, 3, y);
    write_column(s, 4, y);
    fprintf(s->to, " with filledcurves fillstyle transparent solid %s noborder linecolor %s notitle, \\\n",
            curves > 6 ? "0.12" : "0.2", k->colour);
}

static void write_curve(const struct mk_curve *c, size_t index, const char *name, const struct look *k,
                        const struct layout *l, const struct script *s)
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
    if (is_named(c) && !l->names_on_scale) {
        fputs(" title ", s->to);
        mk_text_clean(c->label, LABEL_LIMIT, label, sizeof label);
        quote(s, label);
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
static void write_curves(const struct script *s, const struct mk_plot *p, const struct layout *l, const char *name)
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

/* ---- a plot ---- */

/* Inches: a line of the title, the title of a panel, its x axis with tics and label, a line of its legend. */
struct panel_text {
    double line, title, x_axis, legend_line;
};

/* gnuplot's SVG terminal sets lines of text further apart than those that draw with cairo. */
static struct panel_text panel_text(enum mk_plot_format format)
{
    static const struct panel_text cairo = {0.14, 0.22, 0.42, 0.15}, svg = {0.175, 0.26, 0.54, 0.185};
    return format == MK_PLOT_SVG ? svg : cairo;
}

/* The least height of a page on which the plot area is as high as the legend: gnuplot breaks one that is higher. The
 * margins are those of mk_plot_write_script and write_legend. */
static double legend_page(size_t lines, size_t rows, enum mk_plot_format format)
{
    const struct panel_text text = panel_text(format);
    return text.line * ((double)lines + 0.7 + legend_margin(rows)) + text.legend_line * (double)rows;
}

/* The plot on the page that was requested. Its area may shrink until tics would meet; rows need theirs. */
static struct page page_of(const struct mk_plot *own, enum mk_plot_format format, struct mk_plot *sized)
{
    const bool firm = own->row || own->top_axis || own->turn_names;
    const double least_width = (firm ? 1 : 0.8) * lay_out(own, NULL).width;
    struct page page = {.scale = page_scale(page_letters(&own->picture), own->picture.width, least_width)};
    *sized = *own;
    if (own->picture.width > 0) sized->width = own->picture.width / page.scale;
    struct layout l = lay_out(sized, NULL);
    const size_t lines = heading_of(own->title, own->subtitle, &own->picture, format, l.width).lines;
    const double min = l.rows ? legend_page(lines, l.rows, format) : 0;
    page.height = fmax(min, l.height + (own->height > 0 ? 0 : 0.14 * (double)lines));
    const double spare = firm ? 0 : fmax(0, fmin(0.8, 1.7 - 0.15 * (double)l.rows));
    page.scale = page_scale(page.scale, own->picture.height, fmax(min, page.height - spare));
    if (own->picture.width > 0) sized->width = own->picture.width / page.scale;
    if (own->picture.height > 0) page.height = sized->height = own->picture.height / page.scale;
    page.width = own->picture.width > 0 ? sized->width : l.width;
    return page;
}

void mk_plot_write_script(const struct mk_plot *own, const char *name, enum mk_plot_format format, FILE *to)
{
    struct mk_plot sized;
    const struct page page = page_of(own, format, &sized);
    const struct mk_plot *const p = &sized;
    const struct script script = {to, format, page.scale}, *const s = &script;
    const struct layout l = lay_out(p, NULL);
    const struct heading heading = heading_of(p->title, p->subtitle, &p->picture, format, l.width);
    char place[64];
    write_beginning(s, &page, &p->picture, name);
    /* A label, since a title is centred on the plot area and would run off the page next to wide tic labels. */
    snprintf(place, sizeof place, "at screen 0.5, graph 1 center offset 0,%zu", heading.lines);
    write_heading(&heading, s, 1, place);
    fprintf(to, "set tmargin %zu.7\n%s", heading.lines, frame);
    write_notes(p, s);
    if (p->cell)
        write_columns(p, &l, s);
    else if (p->top_axis)
        write_top_axis(p, s);
    else
        write_axis(s, "x", &p->x, l.x, 1);
    if (!p->cell && p->column) write_column_names(p, MOST_COLUMN_NAMES, false, s);
    if (p->top_axis)
        fprintf(s->to, "unset ytics\nset yrange [%.17g:%.17g]\n", p->y.lo, p->y.hi);
    else if (p->row)
        write_rows(p, l.y, s);
    else
        write_axis(s, "y", &p->y, l.y, 1);
    write_colour_scale(p, &l, s);
    write_legend(s, &l);
    if (p->cell) /* Vector formats would smooth an image; drawn as pixels a PNG would show seams. */
        fprintf(to, "unset grid\nplot '%s.dat' using 1:2:3 with image%s notitle\n", name,
                format == MK_PLOT_PNG ? "" : " pixels");
    else
        write_curves(s, p, &l, name);
    fputs("set output\n", to);
}

/* ---- panels ---- */

/* Inches: the y axis of a panel, and what is right of the last one. */
static const double y_axis = 0.63, right_gap = 0.2;

static void write_panel(const struct script *s, const struct mk_plot *p, const struct layout *l, const char *name)
{
    fputs("unset logscale\nunset xlabel\nunset ylabel\nset label 1 ", s->to);
    quote(s, p->title);
    fputs(" at graph 0.5, graph 1 center offset 0,0.8 noenhanced\n", s->to);
    fprintf(s->to,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\n"
            "set tmargin at screen %.6f\n",
            l->in->left, l->in->right, l->in->bottom, l->in->top);
    write_axis(s, "x", &p->x, l->x, l->in->narrow);
    if (p->column) write_column_names(p, MOST_COLUMN_NAMES, false, s);
    write_axis(s, "y", &p->y, l->y, 1);
    write_legend(s, l);
    write_curves(s, p, l, name);
}

/* The largest number of legend lines in a row of panels. */
static size_t legend_lines(const struct mk_panels *g, size_t row, const struct place *in)
{
    size_t max = 0;
    for (size_t i = 0; i < g->columns; i++) {
        size_t lines = lay_out(&g->plot[row * g->columns + i], in).rows;
        if (lines > max) max = lines;
    }
    return max;
}

/* The height of panels with plot areas of this height. */
static double panels_height(const struct mk_panels *g, double area, enum mk_plot_format format)
{
    const struct panel_text text = panel_text(format);
    const struct place in = {.narrow = g->width / single_width};
    const double width = g->width * (double)g->columns;
    const size_t lines = heading_of(g->title, g->subtitle, &g->picture, format, width).lines;
    double height = ((double)lines + 0.5) * text.line + area * (double)g->rows;
    for (size_t row = 0; row < g->rows; row++)
        height += text.title + text.x_axis + text.legend_line * (double)legend_lines(g, row, &in);
    return height;
}

/* The panels on the page that was requested, with their plot areas' height. */
static struct page page_of_panels(const struct mk_panels *own, enum mk_plot_format format, struct mk_panels *sized)
{
    const double columns = (double)own->columns, rows = (double)own->rows;
    struct page page = {.scale =
                            page_scale(page_letters(&own->picture), own->picture.width, 0.8 * own->width * columns)};
    *sized = *own;
    if (own->picture.width > 0) sized->width = own->picture.width / page.scale / columns;
    const double min = panels_height(sized, 0.6 * own->height, format);
    page.scale = page_scale(page.scale, own->picture.height, min);
    if (own->picture.width > 0) sized->width = own->picture.width / page.scale / columns;
    page.width = sized->width * columns;
    page.height = panels_height(sized, own->height, format);
    if (own->picture.height > 0) {
        sized->height += (own->picture.height / page.scale - page.height) / rows;
        page.height = own->picture.height / page.scale;
    }
    return page;
}

void mk_panels_write_script(const struct mk_panels *given, const char *name, enum mk_plot_format format, FILE *to)
{
    struct mk_panels sized;
    const struct page page = page_of_panels(given, format, &sized);
    const struct mk_panels *const g = &sized;
    const struct script script = {to, format, page.scale}, *const s = &script;
    struct place in = {.narrow = g->width / single_width};
    const struct panel_text text = panel_text(format);
    const double width = page.width, height = page.height, area = g->height;
    const struct heading heading = heading_of(g->title, g->subtitle, &g->picture, format, width);
    const double head = ((double)heading.lines + 0.5) * text.line;
    char place[64];
    write_beginning(s, &page, &g->picture, name);
    snprintf(place, sizeof place, "at screen 0.5, screen %.6f center front", 1 - 0.8 * text.line / height);
    fputs("set multiplot\n", to);
    write_heading(&heading, s, 2, place);
    fputs(frame, to);
    double top = height - head;
    for (size_t row = 0; row < g->rows; row++) {
        double legend = text.legend_line * (double)legend_lines(g, row, &in);
        in.top = (top - text.title) / height;
        in.bottom = (top - text.title - area) / height;
        top -= text.title + area + text.x_axis + legend;
        in.key = (top + 0.03) / height;
        for (size_t column = 0; column < g->columns; column++) {
            const struct mk_plot *p = &g->plot[row * g->columns + column];
            in.left = ((double)column * g->width + y_axis) / width;
            in.right = ((double)(column + 1) * g->width - right_gap) / width;
            struct layout l = lay_out(p, &in);
            size_t visible = 0;
            for (size_t i = 0; i < p->n_curves; i++) visible += (size_t)mk_curve_visible(&p->curve[i], l.x, l.y);
            if (visible) {
                write_panel(s, p, &l, name);
                fputs("unset label 2\n", s->to); /* the common title is drawn once */
            }
            in.first += p->n_curves;
        }
    }
    fputs("unset multiplot\nset output\n", s->to);
}

/* The gnuplot script of a figure. Texts that may come from files are only written by mk_gnuplot_quote. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/plot/plot.h"
#include "analysis/plot/plot_page.h"
#include "analysis/plot/plot_text.h"

enum { LABEL_LIMIT = 40, SCALE_LABEL_LIMIT = 22, TURNED_NAME_LIMIT = 16, MOST_COLUMN_NAMES = 8 };
enum { LOOKS = 12, DASHES = 5, POINTS = 12 };

/* Okabe and Ito, "Color universal design" (2008), without the yellow, which is too light for lines on white; then
 * colours of Paul Tol's muted scheme that are far from these. Dashes and points differ too. */
static const char *const palette[LOOKS] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00",
                                           "#56B4E9", "#882255", "#999933", "#332288", "#8C8C8C", "#7A4B1D"};
static const int point_type[POINTS] = {7, 5, 9, 13, 11, 15, 6, 4, 8, 12, 10, 14};

/* Viridis up to 0.9 of its range: readable without colour vision, and its light end is still visible on white. */
static const char scale_colours[] = "0 '#440154', 1 '#482475', 2 '#414487', 3 '#355f8d', 4 '#2a788e', 5 '#21918c', "
                                    "6 '#22a884', 7 '#44bf70', 8 '#7ad151', 9 '#bddf26'";

/* Widths of the legend in gnuplot's characters: the total; line sample and gaps of an entry; the share of a text's
 * width that is not needed, since gnuplot assumes wide letters; and the ratio of these widths to those of its SVG
 * terminal, which are even wider. */
static const double legend_width = 51.5, legend_sample = 5.45, legend_slack = 0.1, svg_letter = 0.87;

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
    double legend_entry;  /* width of its widest text, in characters */
    double legend_pad;    /* added to that width */
    size_t scale_margin;  /* right margin in characters if names are next to the scale; 0 = gnuplot's default */
    double width, height; /* inches */
    double names;         /* the turned names of columns, in inches */
};

/* Inches: a letter of a turned name, of 6 points, and its line; a map with many columns, and what is beside its cells.
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

static bool has_name(const struct mk_curve *c)
{
    return c->label[0] && isnan(c->colour);
}

static struct layout lay_out(const struct mk_plot *p, const struct place *in)
{
    struct layout l = {.in = in,
                       .x = mk_plot_range_x(p),
                       .y = mk_plot_range_y(p),
                       .colour = mk_plot_range_colour(p),
                       .columns = 1,
                       .width = mk_single_width,
                       .height = 2.5};
    size_t widest = 1;
    char text[MK_PLOT_TEXT];
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct mk_curve *c = &p->curve[i];
        if (!mk_curve_visible(c, l.x, l.y)) continue;
        l.scaled += isnan(c->colour) == 0;
        if (!has_name(c)) continue;
        l.named++;
        size_t wide = mk_text_clean(c->label, LABEL_LIMIT, text, sizeof text);
        if (wide > widest) widest = wide;
    }
    l.names_on_scale = l.named > MK_PLOT_LEGEND_MAX && l.scaled == 0 && !in;
    if (l.named && !l.names_on_scale) {
        l.legend_entry = (double)widest;
        l.legend_pad = 1 - legend_slack * (double)widest;
        const double wide = in ? in->narrow : p->width > 0 ? p->width / mk_single_width : 1;
        l.columns = (size_t)(legend_width * wide / ((double)widest + l.legend_pad + legend_sample));
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
    return l;
}

static void write_text(FILE *to, const char *what, const char *text)
{
    if (!text[0]) return;
    fprintf(to, "set %s ", what);
    mk_gnuplot_quote(to, text);
    fprintf(to, " noenhanced%s\n", strcmp(what, "xlabel") == 0 ? " offset 0,0.4" : "");
}

/* 1, 2 or 5 times a power of ten, giving at most `most` + 1 tics. */
static double tic_step(struct mk_axis_range r, double most)
{
    double least = (r.hi - r.lo) / most, power = pow(10, floor(log10(least)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

static void write_axis(const char *letter, const struct mk_axis *axis, struct mk_axis_range r, double narrow, FILE *to)
{
    char what[16];
    snprintf(what, sizeof what, "%slabel", letter);
    write_text(to, what, axis->label);
    fprintf(to, "set %srange [%.17g:%.17g]\n", letter, r.lo, r.hi);
    if (!r.log) {
        if (strcmp(letter, "cb") == 0) fputs("set format cb '%g'\n", to);
        double step = tic_step(r, *letter == 'x' && narrow < 0.7 ? fmax(2, floor(6 * narrow)) : 6);
        fprintf(to, "set %stics %g\n", letter, axis->whole ? fmax(1, step) : step);
        return;
    }
    fprintf(to, "set logscale %s\nset %stics ", letter, letter);
    mk_plot_write_log_tics(axis, r, to);
    fputs(" noenhanced\n", to);
}

static void write_rows(const struct mk_plot *p, struct mk_axis_range r, FILE *to)
{
    char text[MK_PLOT_TEXT];
    write_text(to, "ylabel", p->y.label);
    fprintf(to, "set yrange [%.17g:%.17g]\nset ytics (", r.hi, r.lo);
    for (size_t i = 0; i < p->n_rows; i++) {
        if (i) fputs(", ", to);
        mk_text_clean(p->row[i], SCALE_LABEL_LIMIT, text, sizeof text);
        mk_gnuplot_quote(to, text);
        fprintf(to, " %zu", i);
    }
    fputs(") noenhanced\nset grid ytics\n", to);
}

/* Names of columns at x = 0, 1, …, at most so many. */
static void write_column_names(const struct mk_plot *p, size_t most, size_t limit, const char *style, FILE *to)
{
    char text[MK_PLOT_TEXT];
    const size_t step = (p->n_columns + most - 1) / most;
    fputs("set xtics (", to);
    for (size_t j = 0; j < p->n_columns; j += step) {
        if (j) fputs(", ", to);
        mk_text_clean(p->column[j], limit, text, sizeof text);
        mk_gnuplot_quote(to, text);
        fprintf(to, " %zu", j);
    }
    fprintf(to, ") noenhanced%s\n", style);
}

/* The columns of a heat map. Many or long names are turned, and all are written as long as they can be told apart. The
 * margin below turned ones is set, since gnuplot takes their letters for larger ones. */
static void write_columns(const struct mk_plot *p, const struct layout *l, enum mk_plot_format format, FILE *to)
{
    if (p->turn_names) {
        fprintf(to, "set bmargin at screen %.4f\nset label 3 ", (l->names + 0.3) / l->height);
        mk_gnuplot_quote(to, p->x.label);
        fprintf(to, " at graph 0.5, screen %.4f center noenhanced\n", 0.12 / l->height);
    } else {
        write_text(to, "xlabel", p->x.label);
    }
    fprintf(to, "set xrange [-0.5:%zu.5]\n", p->n_columns - 1);
    if (!p->column) {
        fputs("unset xtics\n", to);
        return;
    }
    if (p->turn_names)
        write_column_names(p, (size_t)fmax(1, (l->width - map_margins) / turned_room), TURNED_NAME_LIMIT,
                           format == MK_PLOT_SVG ? " rotate by 90 right font ',8'" : " rotate by 90 right font ',6'",
                           to);
    else
        write_column_names(p, MOST_COLUMN_NAMES, SCALE_LABEL_LIMIT, "", to);
}

/* Names next to a stepped colour scale, first curve at the top. */
static void write_names_on_scale(const struct mk_plot *p, const struct layout *l, FILE *to)
{
    char text[MK_PLOT_TEXT];
    size_t at = 0;
    fprintf(to, "set palette maxcolors %zu\nset cbrange [-0.5:%zu.5]\nset cbtics scale 0 (", l->named, l->named - 1);
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct mk_curve *c = &p->curve[i];
        if (!mk_curve_visible(c, l->x, l->y) || !has_name(c)) continue;
        if (at++) fputs(", ", to);
        mk_text_clean(c->label, SCALE_LABEL_LIMIT, text, sizeof text);
        mk_gnuplot_quote(to, text);
        fprintf(to, " %zu", l->named - at);
    }
    fprintf(to, ") noenhanced\nset rmargin %zu\n", l->scale_margin);
}

/* Room for the tics and the label of a colour scale, in characters: gnuplot reckons with short tics. */
static void write_scale_margin(const struct mk_plot *p, const struct layout *l, FILE *to)
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
    fprintf(to, "set rmargin %.1f\n", 0.67 * (double)widest + (p->colour.label[0] ? 4.8 : 3.2));
}

static void write_colour_scale(const struct mk_plot *p, const struct layout *l, FILE *to)
{
    if (!l->scaled && !l->names_on_scale && !p->cell) return;
    fprintf(to, "set palette defined (%s)\n", scale_colours);
    if (l->names_on_scale)
        write_names_on_scale(p, l, to);
    else {
        write_axis("cb", &p->colour, l->colour, 1, to);
        write_scale_margin(p, l, to);
    }
}

static void write_legend(const struct layout *l, enum mk_plot_format format, FILE *to)
{
    if (l->named == 0 || l->names_on_scale) {
        fputs("unset key\n", to);
        return;
    }
    const double entry = l->legend_entry + legend_sample;
    const double pad = format == MK_PLOT_SVG ? svg_letter * (entry + l->legend_pad) - entry : l->legend_pad;
    if (l->in) {
        fprintf(to,
                "set key at screen %.6f, screen %.6f center bottom vertical reverse Left noenhanced samplen 2.8 "
                "width %.1f spacing 1.05 maxrows %zu\n",
                (l->in->left + l->in->right) / 2, l->in->key, pad, l->rows);
        return;
    }
    fprintf(to,
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
static void write_column(FILE *to, int column, struct mk_axis_range r)
{
    if (r.log)
        fprintf(to, ":($%d>%.17g?$%d:%.17g)", column, r.lo, column, r.lo);
    else
        fprintf(to, ":%d", column);
}

static void write_band(const struct mk_curve *c, size_t index, const char *name, const struct look *k,
                       struct mk_axis_range y, size_t curves, FILE *to)
{
    if (!c->lo || c->style > MK_CURVE_LINE_POINTS || !mk_plot_shows_bands(curves)) return;
    fprintf(to, "  '%s.dat' index %zu using 1", name, index);
    write_column(to, 3, y);
    write_column(to, 4, y);
    fprintf(to, " with filledcurves fillstyle transparent solid %s noborder linecolor %s notitle, \\\n",
            curves > 6 ? "0.12" : "0.2", k->colour);
}

static void write_curve(const struct mk_curve *c, size_t index, const char *name, const struct look *k,
                        const struct layout *l, FILE *to)
{
    char label[MK_PLOT_TEXT];
    double width = c->width > 0 ? c->width : 1;
    fprintf(to, "  '%s.dat' index %zu using ", name, index);
    if (c->style == MK_CURVE_ROWS)
        fprintf(to, "1:2%s with %s linecolor %s linewidth 1 pointtype %d pointsize 0.5", c->lo ? ":3:4" : "",
                c->lo ? "xerrorbars" : "points", k->colour, k->point);
    else if (c->style == MK_CURVE_POINTS)
        fprintf(to, "1:2%s with %s linecolor %s linewidth %g pointtype %d pointsize 0.45", c->lo ? ":3:4" : "",
                c->lo ? "yerrorbars" : "points", k->colour, width, k->point);
    else if (c->style == MK_CURVE_RINGS)
        fprintf(to, "1:2%s with %s linecolor %s linewidth %g pointtype 6 pointsize 1.2", c->lo ? ":3:4" : "",
                c->lo ? "yerrorbars" : "points", k->colour, width);
    else if (c->style == MK_CURVE_SEGMENTS)
        fprintf(to, "1:2:($3-$1):($4-$2) with vectors nohead linecolor %s linewidth %g", k->colour, width);
    else if (c->style == MK_CURVE_BOXES)
        fprintf(to,
                "(0.5*($1+$3)):(0.5*($2+$4)):1:3:2:4 with boxxyerror linecolor %s linewidth %g fillstyle "
                "transparent solid %g %s%s",
                k->colour, width, isnan(c->colour) ? 0.35 * (1 - c->faint) : 1,
                c->faint > 0 ? "noborder" : "border linecolor ", c->faint > 0 ? "" : k->colour);
    else if (c->style == MK_CURVE_LINE_POINTS && isnan(c->colour) && !l->names_on_scale)
        fprintf(to, "1:2 with linespoints linecolor %s linewidth %g dashtype %d pointtype %d pointsize 0.65%s",
                k->colour, width, k->dash, k->point, c->n > 16 ? " pointnumber 8" : "");
    else if (c->style == MK_CURVE_LINE_POINTS && !l->names_on_scale && c->n <= 16)
        fprintf(to, "1:2 with linespoints linecolor %s linewidth %g pointtype 7 pointsize 0.3", k->colour, width);
    else
        fprintf(to, "1:2 with lines linecolor %s linewidth %g dashtype %d", k->colour, width, k->dash);
    if (has_name(c) && !l->names_on_scale) {
        fputs(" title ", to);
        mk_text_clean(c->label, LABEL_LIMIT, label, sizeof label);
        mk_gnuplot_quote(to, label);
        fputs(" noenhanced", to);
    } else {
        fputs(" notitle", to);
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
static void write_curves(const struct mk_plot *p, const struct layout *l, const char *name, FILE *to)
{
    size_t first = l->in ? l->in->first : 0;
    fputs("plot \\\n", to);
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, position = 0, drawn = 0; i < p->n_curves; i++) {
            const struct mk_curve *c = &p->curve[i];
            if (!mk_curve_visible(c, l->x, l->y)) continue;
            struct look k = look_of(c, l, position);
            position += isnan(c->colour) != 0;
            if (pass == 0) {
                write_band(c, first + i, name, &k, l->y, count_lines(p), to);
                continue;
            }
            if (drawn++) fputs(", \\\n", to);
            write_curve(c, first + i, name, &k, l, to);
        }
    /* With only lines of fixed colours gnuplot would not draw the colour scale. */
    if (l->scaled || l->names_on_scale) fputs(", \\\n  '+' using 1:(NaN):(NaN) with points palette notitle", to);
    fputc('\n', to);
}

static void write_notes(const struct mk_plot *p, FILE *to)
{
    for (size_t i = 0; i < p->n_notes; i++) {
        const struct mk_note *note = &p->note[i];
        fprintf(to, "set label %zu ", i + 10);
        mk_gnuplot_quote(to, note->text);
        fprintf(to, " at first %.17g, first %.17g %s noenhanced\n", note->x, note->y,
                note->side < 0   ? "right"
                : note->side > 0 ? "left"
                                 : "center");
    }
}

/* The axis of a diagram that hangs below it; the margins belong to its texts. */
static void write_top_axis(const struct mk_plot *p, FILE *to)
{
    fprintf(to,
            "set border 0\nunset xtics\nset xrange [%.17g:%.17g]\nset lmargin at screen 0.02\n"
            "set rmargin at screen 0.98\nset bmargin 0.5\n",
            p->x.lo, p->x.hi);
}

static const char frame_style[] =
    "set border 3 linewidth 0.6\nset tics nomirror out scale 0.5\nset datafile separator whitespace\n";

/* The plot on the page that was requested. Its area may shrink until tics would meet; rows need theirs. */
static struct mk_plot_page page_of(const struct mk_plot *own, struct mk_plot *sized)
{
    const bool firm = own->row || own->top_axis || own->turn_names;
    const double least_width = (firm ? 1 : 0.8) * lay_out(own, NULL).width;
    struct mk_plot_page page = {.scale = mk_plot_page_scale((const double[]){own->page[0], 0}, least_width, 1)};
    size_t lines = 0;
    *sized = *own;
    if (own->page[0] > 0) sized->width = own->page[0] / page.scale;
    struct layout l = lay_out(sized, NULL);
    mk_plot_page_title_width(own->title, l.width, &lines);
    mk_plot_page_title_width(own->subtitle, l.width, &lines);
    page.height = l.height + (own->height > 0 ? 0 : 0.14 * (double)lines);
    /* gnuplot breaks a legend that is higher than the plot area. */
    const double spare = firm ? 0 : fmax(0, fmin(0.8, 1.7 - 0.15 * (double)l.rows));
    page.scale = fmin(page.scale, mk_plot_page_scale((const double[]){0, own->page[1]}, 1, page.height - spare));
    if (own->page[0] > 0) sized->width = own->page[0] / page.scale;
    if (own->page[1] > 0) page.height = sized->height = own->page[1] / page.scale;
    page.width = own->page[0] > 0 ? sized->width : l.width;
    return page;
}

void mk_plot_write_script(const struct mk_plot *own, const char *name, enum mk_plot_format format, FILE *to)
{
    struct mk_plot sized;
    const struct mk_plot_page page = page_of(own, &sized);
    const struct mk_plot *const p = &sized;
    struct layout l = lay_out(p, NULL);
    size_t lines = 0, title_width = mk_plot_page_title_width(p->title, l.width, &lines),
           subtitle_width = mk_plot_page_title_width(p->subtitle, l.width, &lines);
    mk_page_write_head(name, format, to);
    mk_plot_page_write_terminal(&page, name, format, to);
    /* A label, since a title is centred on the plot area and would run off the page next to wide tic labels. */
    fputs("set label 1 ", to);
    mk_gnuplot_quote_lines(to, p->title, title_width, MK_TITLE_LINES);
    fputs(".\"\\n\".", to);
    mk_gnuplot_quote_lines(to, p->subtitle, subtitle_width, MK_TITLE_LINES);
    fprintf(to, " at screen 0.5, graph 1 center offset 0,%zu noenhanced\nset tmargin %zu.7\n", lines, lines);
    fputs(frame_style, to);
    write_notes(p, to);
    if (p->cell)
        write_columns(p, &l, format, to);
    else if (p->top_axis)
        write_top_axis(p, to);
    else
        write_axis("x", &p->x, l.x, 1, to);
    if (!p->cell && p->column) write_column_names(p, MOST_COLUMN_NAMES, SCALE_LABEL_LIMIT, "", to);
    if (p->top_axis)
        fprintf(to, "unset ytics\nset yrange [%.17g:%.17g]\n", p->y.lo, p->y.hi);
    else if (p->row)
        write_rows(p, l.y, to);
    else
        write_axis("y", &p->y, l.y, 1, to);
    write_colour_scale(p, &l, to);
    write_legend(&l, format, to);
    if (p->cell) /* Vector formats would smooth an image; drawn as pixels a PNG would show seams. */
        fprintf(to, "unset grid\nplot '%s.dat' using 1:2:3 with image%s notitle\n", name,
                format == MK_PLOT_PNG ? "" : " pixels");
    else
        write_curves(p, &l, name, to);
    fputs("set output\n", to);
}

/* ---- panels ---- */

/* Inches: a line of the title, a panel's own title, its x axis with tics and label, a line of its legend. */
struct panel_text {
    double line, title, x_axis, legend_line;
};
static const double y_axis = 0.63, right_gap = 0.2;

/* gnuplot's SVG terminal sets lines of text further apart than those that draw with cairo. */
static struct panel_text panel_text(enum mk_plot_format format)
{
    static const struct panel_text cairo = {0.14, 0.22, 0.42, 0.15}, svg = {0.175, 0.26, 0.54, 0.185};
    return format == MK_PLOT_SVG ? svg : cairo;
}

static void write_panel(const struct mk_plot *p, const struct layout *l, const char *name, enum mk_plot_format format,
                        FILE *to)
{
    fputs("unset logscale\nunset xlabel\nunset ylabel\nset label 1 ", to);
    mk_gnuplot_quote(to, p->title);
    fputs(" at graph 0.5, graph 1 center offset 0,0.8 noenhanced\n", to);
    fprintf(to,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\n"
            "set tmargin at screen %.6f\n",
            l->in->left, l->in->right, l->in->bottom, l->in->top);
    write_axis("x", &p->x, l->x, l->in->narrow, to);
    write_axis("y", &p->y, l->y, 1, to);
    write_legend(l, format, to);
    write_curves(p, l, name, to);
}

/* The largest number of legend lines in a row of panels. */
static size_t legend_lines(const struct mk_panels *g, size_t row, const struct place *in)
{
    size_t most = 0;
    for (size_t i = 0; i < g->columns; i++) {
        size_t lines = lay_out(&g->plot[row * g->columns + i], in).rows;
        if (lines > most) most = lines;
    }
    return most;
}

/* The height of panels with plot areas of this height, and the lines of their title. */
static double panels_height(const struct mk_panels *g, double area, enum mk_plot_format format, size_t *lines)
{
    const struct panel_text text = panel_text(format);
    const struct place in = {.narrow = g->width / mk_single_width};
    const double width = g->width * (double)g->columns;
    *lines = 0;
    mk_plot_page_title_width(g->title, width, lines);
    mk_plot_page_title_width(g->subtitle, width, lines);
    double height = ((double)*lines + 0.5) * text.line + area * (double)g->rows;
    for (size_t row = 0; row < g->rows; row++)
        height += text.title + text.x_axis + text.legend_line * (double)legend_lines(g, row, &in);
    return height;
}

/* The panels on the page that was requested, with their plot areas' height. */
static struct mk_plot_page page_of_panels(const struct mk_panels *own, enum mk_plot_format format,
                                          struct mk_panels *sized)
{
    const double columns = (double)own->columns, rows = (double)own->rows;
    struct mk_plot_page page = {
        .scale = mk_plot_page_scale((const double[]){own->page[0], 0}, 0.8 * own->width * columns, 1)};
    size_t lines;
    *sized = *own;
    if (own->page[0] > 0) sized->width = own->page[0] / page.scale / columns;
    const double least = panels_height(sized, 0.6 * own->height, format, &lines);
    page.scale = fmin(page.scale, mk_plot_page_scale((const double[]){0, own->page[1]}, 1, least));
    if (own->page[0] > 0) sized->width = own->page[0] / page.scale / columns;
    page.width = sized->width * columns;
    page.height = panels_height(sized, own->height, format, &lines);
    if (own->page[1] > 0) {
        sized->height += (own->page[1] / page.scale - page.height) / rows;
        page.height = own->page[1] / page.scale;
    }
    return page;
}

void mk_panels_write_script(const struct mk_panels *given, const char *name, enum mk_plot_format format, FILE *to)
{
    struct mk_panels sized;
    const struct mk_plot_page page = page_of_panels(given, format, &sized);
    const struct mk_panels *const g = &sized;
    struct place in = {.narrow = g->width / mk_single_width};
    const struct panel_text text = panel_text(format);
    const double width = page.width, height = page.height, area = g->height;
    size_t lines = 0;
    const size_t title_width = mk_plot_page_title_width(g->title, width, &lines),
                 subtitle_width = mk_plot_page_title_width(g->subtitle, width, &lines);
    const double head = ((double)lines + 0.5) * text.line;
    mk_page_write_head(name, format, to);
    mk_plot_page_write_terminal(&page, name, format, to);
    fprintf(to, "set multiplot\nset label 2 ");
    mk_gnuplot_quote_lines(to, g->title, title_width, MK_TITLE_LINES);
    fputs(".\"\\n\".", to);
    mk_gnuplot_quote_lines(to, g->subtitle, subtitle_width, MK_TITLE_LINES);
    fprintf(to, " at screen 0.5, screen %.6f center noenhanced front\n%s", 1 - 0.8 * text.line / height, frame_style);
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
                write_panel(p, &l, name, format, to);
                fputs("unset label 2\n", to); /* the common title is drawn once */
            }
            in.first += p->n_curves;
        }
    }
    fputs("unset multiplot\nset output\n", to);
}

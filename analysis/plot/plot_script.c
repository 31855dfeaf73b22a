/* The gnuplot script of a figure: terminal, axes, colour scale, texts. */
#include "analysis/plot/plot_script.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/plot/plot_text.h"

enum { MOST_COLUMN_NAMES = 8 };

/* Viridis up to 0.9 of its range: readable without colour vision, and its light end is still visible on white. */
static const char scale_colours[] = "0 '#440154', 1 '#482475', 2 '#414487', 3 '#355f8d', 4 '#2a788e', 5 '#21918c', "
                                    "6 '#22a884', 7 '#44bf70', 8 '#7ad151', 9 '#bddf26'";

static void write_terminal(const struct mk_script *s, const struct mk_plot_page *page, const char *font)
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
                width, height, 0.75 * scale, 1.5 * scale, mk_usual_letters * scale, 1.2 * mk_usual_letters * scale);
        break;
    }
}

void mk_script_begin(const struct mk_script *s, const struct mk_plot_page *page, const struct mk_picture *picture,
                     const char *name)
{
    const char *const suffix = mk_plot_suffix(s->format);
    fprintf(s->to, "# Run `gnuplot %s.gp` in this folder to draw %s.%s again.\nset encoding utf8\n", name, name,
            suffix);
    write_terminal(s, page, picture->font ? picture->font : "DejaVu Sans");
    fprintf(s->to, "set output '%s.%s'\n", name, suffix);
}

static enum mk_markup markup_of(const struct mk_script *s)
{
    return s->format == MK_PLOT_TEX ? MK_MARKUP_TEX : MK_MARKUP_NONE;
}

void mk_script_quote(const struct mk_script *s, const char *text)
{
    mk_gnuplot_quote(s->to, markup_of(s), text);
}

void mk_heading_write(const struct mk_heading *h, const struct mk_script *s, int label, const char *place)
{
    if (!h->lines) return;
    fprintf(s->to, "set label %d ", label);
    for (int i = 0, before = 0; i < 2; i++) {
        if (!h->text[i][0]) continue;
        if (before++) fputs(".\"\\n\".", s->to);
        mk_gnuplot_quote_lines(s->to, markup_of(s), h->text[i], h->width[i], MK_TITLE_LINES);
    }
    fprintf(s->to, " %s noenhanced\n", place);
}

static void write_text(const struct mk_script *s, const char *what, const char *text)
{
    if (!text[0]) return;
    fprintf(s->to, "set %s ", what);
    mk_script_quote(s, text);
    fprintf(s->to, " noenhanced%s\n", strcmp(what, "xlabel") == 0 ? " offset 0,0.4" : "");
}

/* 1, 2 or 5 times a power of ten, giving at most `most` + 1 tics. */
static double tic_step(struct mk_axis_range r, double most)
{
    double least = (r.hi - r.lo) / most, power = pow(10, floor(log10(least)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

void mk_script_axis(const struct mk_script *s, const char *letter, const struct mk_axis *axis, struct mk_axis_range r,
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

static void write_rows(const struct mk_plot *p, struct mk_axis_range r, const struct mk_script *s)
{
    char text[MK_PLOT_TEXT];
    write_text(s, "ylabel", p->y.label);
    fprintf(s->to, "set yrange [%.17g:%.17g]\nset ytics (", r.hi, r.lo);
    for (size_t i = 0; i < p->n_rows; i++) {
        if (i) fputs(", ", s->to);
        mk_text_clean(p->row[i], MK_SCALE_LABEL_LIMIT, text, sizeof text);
        mk_gnuplot_quote_tic(s->to, markup_of(s), text);
        fprintf(s->to, " %zu", i);
    }
    fputs(") noenhanced\nset grid ytics\n", s->to);
}

/* Names of columns at x = 0, 1, …, at most so many; turned ones have letters of 6 points. */
static void write_column_names(const struct mk_plot *p, size_t most, bool turned, const struct mk_script *s)
{
    const size_t limit = turned ? MK_TURNED_NAME_LIMIT : MK_SCALE_LABEL_LIMIT;
    char text[MK_PLOT_TEXT];
    const size_t step = (p->n_columns + most - 1) / most;
    fputs("set xtics (", s->to);
    for (size_t j = 0; j < p->n_columns; j += step) {
        if (j) fputs(", ", s->to);
        mk_text_clean(p->column[j], limit, text, sizeof text);
        if (turned && s->format == MK_PLOT_TEX)
            fprintf(s->to, "'\\fontsize{%g}{%g}\\selectfont '.", 6 * s->scale, 7 * s->scale);
        mk_gnuplot_quote_tic(s->to, markup_of(s), text);
        fprintf(s->to, " %zu", j);
    }
    fprintf(s->to, ") noenhanced%s%s\n", turned ? " rotate by 90 right" : "",
            !turned || s->format == MK_PLOT_TEX ? ""
            : s->format == MK_PLOT_SVG          ? " font ',8'"
                                                : " font ',6'");
}

/* The columns of a heat map. Many or long names are turned, and all are written as long as they can be told apart. The
 * margin below turned ones is set, since gnuplot takes their letters for larger ones. */
static void write_columns(const struct mk_plot *p, const struct mk_plot_layout *l, const struct mk_script *s)
{
    if (p->turn_names) {
        fprintf(s->to, "set bmargin at screen %.4f\nset label 3 ", (l->names + 0.3) / l->height);
        mk_script_quote(s, p->x.label);
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
static void write_names_on_scale(const struct mk_plot *p, const struct mk_plot_layout *l, const struct mk_script *s)
{
    char text[MK_PLOT_TEXT];
    size_t at = 0;
    fprintf(s->to, "set palette maxcolors %zu\nset cbrange [-0.5:%zu.5]\nset cbtics scale 0 (", l->named, l->named - 1);
    for (size_t i = 0; i < p->n_curves; i++) {
        const struct mk_curve *c = &p->curve[i];
        if (!mk_curve_visible(c, l->x, l->y) || !mk_curve_named(c)) continue;
        if (at++) fputs(", ", s->to);
        mk_text_clean(c->label, MK_SCALE_LABEL_LIMIT, text, sizeof text);
        mk_gnuplot_quote_tic(s->to, markup_of(s), text);
        fprintf(s->to, " %zu", l->named - at);
    }
    fprintf(s->to, ") noenhanced\nset rmargin %zu\n", l->scale_margin);
}

/* Room for the tics and the label of a colour scale, in characters: gnuplot reckons with short tics. */
static void write_scale_margin(const struct mk_plot *p, const struct mk_plot_layout *l, const struct mk_script *s)
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

static void write_colour_scale(const struct mk_plot *p, const struct mk_plot_layout *l, const struct mk_script *s)
{
    if (!l->scaled && !l->names_on_scale && !p->cell) return;
    fprintf(s->to, "set palette defined (%s)\n", scale_colours);
    if (l->names_on_scale)
        write_names_on_scale(p, l, s);
    else {
        mk_script_axis(s, "cb", &p->colour, l->colour, 1);
        write_scale_margin(p, l, s);
    }
}

static void write_notes(const struct mk_plot *p, const struct mk_script *s)
{
    for (size_t i = 0; i < p->n_notes; i++) {
        const struct mk_note *note = &p->note[i];
        fprintf(s->to, "set label %zu ", i + 10);
        mk_script_quote(s, note->text);
        fprintf(s->to, " at first %.17g, first %.17g %s noenhanced\n", note->x, note->y,
                note->side < 0   ? "right"
                : note->side > 0 ? "left"
                                 : "center");
    }
}

/* The axis of a diagram that hangs below it; the margins belong to its texts. */
static void write_top_axis(const struct mk_plot *p, const struct mk_script *s)
{
    fprintf(s->to,
            "set border 0\nunset xtics\nset xrange [%.17g:%.17g]\nset lmargin at screen 0.02\n"
            "set rmargin at screen 0.98\nset bmargin 0.5\n",
            p->x.lo, p->x.hi);
}

const char mk_script_frame[] =
    "set border 3 linewidth 0.6\nset tics nomirror out scale 0.5\nset datafile separator whitespace\n";

/* The plot on the page that was requested. Its area may shrink until tics would meet; rows need theirs. */
static struct mk_plot_page page_of(const struct mk_plot *own, enum mk_plot_format format, struct mk_plot *sized)
{
    const bool firm = own->row || own->top_axis || own->turn_names;
    const double least_width = (firm ? 1 : 0.8) * mk_plot_lay_out(own, NULL).width;
    struct mk_plot_page page = {.scale =
                                    mk_page_scale(mk_page_letters(&own->picture), own->picture.width, least_width)};
    *sized = *own;
    if (own->picture.width > 0) sized->width = own->picture.width / page.scale;
    struct mk_plot_layout l = mk_plot_lay_out(sized, NULL);
    const size_t lines = mk_heading_of(own->title, own->subtitle, &own->picture, format, l.width).lines;
    page.height = l.height + (own->height > 0 ? 0 : 0.14 * (double)lines);
    /* gnuplot breaks a legend that is higher than the plot area. */
    const double spare = firm ? 0 : fmax(0, fmin(0.8, 1.7 - 0.15 * (double)l.rows));
    page.scale = mk_page_scale(page.scale, own->picture.height, page.height - spare);
    if (own->picture.width > 0) sized->width = own->picture.width / page.scale;
    if (own->picture.height > 0) page.height = sized->height = own->picture.height / page.scale;
    page.width = own->picture.width > 0 ? sized->width : l.width;
    return page;
}

void mk_plot_write_script(const struct mk_plot *own, const char *name, enum mk_plot_format format, FILE *to)
{
    struct mk_plot sized;
    const struct mk_plot_page page = page_of(own, format, &sized);
    const struct mk_plot *const p = &sized;
    const struct mk_script script = {to, format, page.scale}, *const s = &script;
    const struct mk_plot_layout l = mk_plot_lay_out(p, NULL);
    const struct mk_heading heading = mk_heading_of(p->title, p->subtitle, &p->picture, format, l.width);
    char place[64];
    mk_script_begin(s, &page, &p->picture, name);
    /* A label, since a title is centred on the plot area and would run off the page next to wide tic labels. */
    snprintf(place, sizeof place, "at screen 0.5, graph 1 center offset 0,%zu", heading.lines);
    mk_heading_write(&heading, s, 1, place);
    fprintf(to, "set tmargin %zu.7\n%s", heading.lines, mk_script_frame);
    write_notes(p, s);
    if (p->cell)
        write_columns(p, &l, s);
    else if (p->top_axis)
        write_top_axis(p, s);
    else
        mk_script_axis(s, "x", &p->x, l.x, 1);
    if (!p->cell && p->column) write_column_names(p, MOST_COLUMN_NAMES, false, s);
    if (p->top_axis)
        fprintf(s->to, "unset ytics\nset yrange [%.17g:%.17g]\n", p->y.lo, p->y.hi);
    else if (p->row)
        write_rows(p, l.y, s);
    else
        mk_script_axis(s, "y", &p->y, l.y, 1);
    write_colour_scale(p, &l, s);
    mk_script_legend(s, &l);
    if (p->cell) /* Vector formats would smooth an image; drawn as pixels a PNG would show seams. */
        fprintf(to, "unset grid\nplot '%s.dat' using 1:2:3 with image%s notitle\n", name,
                format == MK_PLOT_PNG ? "" : " pixels");
    else
        mk_script_curves(s, p, &l, name);
    fputs("set output\n", to);
}

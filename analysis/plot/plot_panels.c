/* The gnuplot script of panels. */
#include <stdbool.h>

#include "analysis/plot/plot_script.h"
#include "analysis/plot/plot_text.h"

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

static void write_panel(const struct mk_script *s, const struct mk_plot *p, const struct mk_plot_layout *l,
                        const char *name)
{
    fputs("unset logscale\nunset xlabel\nunset ylabel\nset label 1 ", s->to);
    mk_script_quote(s, p->title);
    fputs(" at graph 0.5, graph 1 center offset 0,0.8 noenhanced\n", s->to);
    fprintf(s->to,
            "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\n"
            "set tmargin at screen %.6f\n",
            l->in->left, l->in->right, l->in->bottom, l->in->top);
    mk_script_axis(s, "x", &p->x, l->x, l->in->narrow);
    mk_script_axis(s, "y", &p->y, l->y, 1);
    mk_script_legend(s, l);
    mk_script_curves(s, p, l, name);
}

/* The largest number of legend lines in a row of panels. */
static size_t legend_lines(const struct mk_panels *g, size_t row, const struct mk_plot_place *in)
{
    size_t most = 0;
    for (size_t i = 0; i < g->columns; i++) {
        size_t lines = mk_plot_lay_out(&g->plot[row * g->columns + i], in).rows;
        if (lines > most) most = lines;
    }
    return most;
}

/* The height of panels with plot areas of this height. */
static double panels_height(const struct mk_panels *g, double area, enum mk_plot_format format)
{
    const struct panel_text text = panel_text(format);
    const struct mk_plot_place in = {.narrow = g->width / mk_single_width};
    const double width = g->width * (double)g->columns;
    const size_t lines = mk_heading_of(g->title, g->subtitle, &g->picture, format, width).lines;
    double height = ((double)lines + 0.5) * text.line + area * (double)g->rows;
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
        .scale = mk_page_scale(mk_page_letters(&own->picture), own->picture.width, 0.8 * own->width * columns)};
    *sized = *own;
    if (own->picture.width > 0) sized->width = own->picture.width / page.scale / columns;
    const double least = panels_height(sized, 0.6 * own->height, format);
    page.scale = mk_page_scale(page.scale, own->picture.height, least);
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
    const struct mk_plot_page page = page_of_panels(given, format, &sized);
    const struct mk_panels *const g = &sized;
    const struct mk_script script = {to, format, page.scale}, *const s = &script;
    struct mk_plot_place in = {.narrow = g->width / mk_single_width};
    const struct panel_text text = panel_text(format);
    const double width = page.width, height = page.height, area = g->height;
    const struct mk_heading heading = mk_heading_of(g->title, g->subtitle, &g->picture, format, width);
    const double head = ((double)heading.lines + 0.5) * text.line;
    char place[64];
    mk_script_begin(s, &page, &g->picture, name);
    snprintf(place, sizeof place, "at screen 0.5, screen %.6f center front", 1 - 0.8 * text.line / height);
    fputs("set multiplot\n", to);
    mk_heading_write(&heading, s, 2, place);
    fputs(mk_script_frame, to);
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
            struct mk_plot_layout l = mk_plot_lay_out(p, &in);
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

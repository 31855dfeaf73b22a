#include "analysis/plot/plot_layout.h"

#include "analysis/plot/plot_page.h"
#include "analysis/plot/plot_text.h"

/* Widths of the legend in gnuplot's characters: the total; line sample and gaps of an entry; the share of a text's
 * width that is not needed, since gnuplot assumes wide letters; and the ratio of these widths to those of its SVG
 * terminal, which are even wider. */
static const double legend_width = 51.5, legend_sample = 5.45, legend_slack = 0.1, svg_letter = 0.87;

/* Inches: a letter of a turned name, of 6 points, and its line; a map with many columns, and what is beside its cells.
 */
static const double turned_letter = 0.05, turned_room = 0.1, widest_map = 7, map_margins = 2.2;

static size_t longest_column(const struct mk_plot *p)
{
    size_t longest = 0;
    char text[MK_PLOT_TEXT];
    for (size_t j = 0; j < p->n_columns; j++) {
        const size_t wide = mk_text_clean(p->column[j], MK_TURNED_NAME_LIMIT, text, sizeof text);
        if (wide > longest) longest = wide;
    }
    return longest;
}

struct mk_plot_layout mk_plot_lay_out(const struct mk_plot *p, const struct mk_plot_place *in)
{
    struct mk_plot_layout l = {.in = in,
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
        if (!mk_curve_named(c)) continue;
        l.named++;
        size_t wide = mk_text_clean(c->label, MK_LABEL_LIMIT, text, sizeof text);
        if (wide > widest) widest = wide;
    }
    l.names_on_scale = l.named > MK_PLOT_LEGEND_MAX && l.scaled == 0 && !in;
    if (l.named && !l.names_on_scale) {
        l.legend_pad = 1 - legend_slack * (double)widest;
        const double entry = (double)widest + legend_sample;
        l.svg_pad = svg_letter * (entry + l.legend_pad) - entry;
        const double wide = in ? in->narrow : p->width > 0 ? p->width / mk_single_width : 1;
        l.columns = (size_t)(legend_width * wide / (entry + l.legend_pad));
        if (l.columns < 1) l.columns = 1;
        if (l.columns > l.named) l.columns = l.named;
        l.rows = (l.named + l.columns - 1) / l.columns;
        l.height += 0.15 * (double)l.rows;
    }
    if (l.names_on_scale) {
        l.scale_margin = 6 + 4 * (widest < MK_SCALE_LABEL_LIMIT ? widest : MK_SCALE_LABEL_LIMIT) / 5;
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

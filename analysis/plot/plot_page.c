#include "analysis/plot/plot_page.h"

#include <math.h>

#include "analysis/plot/plot_text.h"

enum { TITLE_WIDTH = 50 }; /* letters on a page of mk_single_width */

const double mk_single_width = 3.5;

double mk_plot_page_scale(const double requested[2], double needed_width, double needed_height)
{
    double scale = 1;
    if (requested[0] > 0) scale = fmin(scale, requested[0] / needed_width);
    if (requested[1] > 0) scale = fmin(scale, requested[1] / needed_height);
    return scale;
}

void mk_page_write_head(const char *name, enum mk_plot_format format, FILE *to)
{
    fprintf(to, "# Run `gnuplot %s.gp` in this folder to draw %s.%s again.\nset encoding utf8\n", name, name,
            mk_plot_suffix(format));
}

void mk_plot_page_write_terminal(const struct mk_plot_page *page, const char *name, enum mk_plot_format format,
                                 FILE *to)
{
    const double width = page->scale * page->width, height = page->scale * page->height;
    switch (format) {
    case MK_PLOT_PNG: /* 300 pixels per inch; the terminal assumes 96 pixels per inch for letters */
        fprintf(to,
                "set terminal pngcairo noenhanced size %.0f,%.0f font 'DejaVu Sans,8' fontscale %g linewidth %g "
                "pointscale %g\n",
                300 * width, 300 * height, 3.125 * page->scale, 3 * page->scale, 1.6 * page->scale);
        break;
    case MK_PLOT_SVG: /* 96 units per inch; they have the size that the picture is shown at */
        fprintf(to,
                "set terminal svg noenhanced size %.0f,%.0f dynamic font 'DejaVu Sans,10.7' linewidth 1 "
                "background '#ffffff'\n",
                96 * page->width, 96 * page->height);
        break;
    case MK_PLOT_PDF: /* fontscale 0.75 gives 8 points on paper */
        fprintf(to,
                "set terminal pdfcairo noenhanced size %.2fin,%.2fin font 'DejaVu Sans,8' fontscale %g linewidth %g\n",
                width, height, 0.75 * page->scale, 1.5 * page->scale);
        break;
    }
    fprintf(to, "set output '%s.%s'\n", name, mk_plot_suffix(format));
}

size_t mk_plot_page_title_width(const char *text, double inches, size_t *lines)
{
    size_t width = (size_t)(TITLE_WIDTH * fmax(1, inches / mk_single_width)),
           n = mk_gnuplot_quote_lines(NULL, text, width, MK_TITLE_LINES);
    *lines += n;
    if (mk_gnuplot_quote_lines(NULL, text, width, n + 1) > n) return width; /* will be cut */
    while (width > 1 && mk_gnuplot_quote_lines(NULL, text, width - 1, n + 1) == n) width--;
    return width;
}

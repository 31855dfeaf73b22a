#include "analysis/plot/plot_page.h"

#include <math.h>

#include "analysis/plot/plot_text.h"

enum { TITLE_WIDTH = 50 }; /* letters on a page of mk_single_width */

const double mk_single_width = 3.5, mk_usual_letters = 8;

double mk_page_letters(const struct mk_picture *picture)
{
    return picture->letters > 0 ? picture->letters / mk_usual_letters : 1;
}

double mk_page_scale(double most, double requested, double needed)
{
    return requested > 0 ? fmin(most, requested / needed) : most;
}

/* The smallest width that does not need more lines, so that lines are about equally long; adds their number to
 * *lines. */
static size_t title_width(const char *text, double inches, size_t *lines)
{
    size_t width = (size_t)(TITLE_WIDTH * fmax(1, inches / mk_single_width)),
           n = mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, text, width, MK_TITLE_LINES);
    *lines += n;
    if (mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, text, width, n + 1) > n) return width; /* will be cut */
    while (width > 1 && mk_gnuplot_quote_lines(NULL, MK_MARKUP_NONE, text, width - 1, n + 1) == n) width--;
    return width;
}

struct mk_heading mk_heading_of(const char *title, const char *subtitle, const struct mk_picture *picture,
                                enum mk_plot_format format, double inches)
{
    struct mk_heading h = {
        .text = {picture->title ? picture->title : title, picture->title || format == MK_PLOT_TEX ? "" : subtitle}};
    for (int i = 0; i < 2; i++)
        if (h.text[i][0]) h.width[i] = title_width(h.text[i], inches, &h.lines);
    return h;
}

/* The options that say how pictures look: --size, --title, --font. */
#ifndef MAXK_COMMAND_PICTURE_OPTIONS_H
#define MAXK_COMMAND_PICTURE_OPTIONS_H

#include "analysis/plot/plot.h"
#include "sim/api/maxk/error.h"

/* Their texts; NULL: not given. */
struct mk_picture_options {
    const char *size, *title, *font;
    char family[64]; /* of `font` */
};

/* clang-format off */
#define MK_PICTURE_OPTIONS(o) \
    {"size", 0, MK_OPT_TEXT, &(o).size, "WxH", NULL, 1, 0, \
     "width and height of the pictures in inches, such as 7x3, or with units, 8.6cmx50mm; one alone: Wx or xH; or " \
     "one-column (8.6 cm wide) or two-columns (17.8 cm) (default: each figure's own, for a column of 3.5 inches)"}, \
    {"title", 0, MK_OPT_TEXT, &(o).title, "TEXT", NULL, 1, 0, \
     "one title in place of the lines above a figure; none: nothing (default: each figure's own; with tex without " \
     "the subtitle, which belongs in the caption)"}, \
    {"font", 0, MK_OPT_TEXT, &(o).font, "NAME[,SIZE]", NULL, 1, 0, \
     "font of png, svg and pdf and the size of letters in points (default: DejaVu Sans,8); texts of tex have the font " \
     "of the document"}
/* clang-format on */

/* What they say of pictures in this format; out points into `o`. MK_EINPUT as `maxk COMMAND: --option: …`. */
int mk_picture_options_read(struct mk_picture_options *o, const char *command, enum mk_plot_format format,
                            struct mk_picture *out, struct mk_error *err);

#endif

#include "sim/command/picture_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

static const double centimetres = 2.54; /* of an inch */
static const double one_column = 8.6, two_columns = 17.8;

/* A length with or without a unit as inches; of no characters: 0. */
static bool read_length(const char *text, size_t length, double *out)
{
    static const struct {
        const char *name;
        double inches;
    } unit[] = {{"in", 1}, {"cm", 1 / centimetres}, {"mm", 0.1 / centimetres}};
    double of = 1;
    *out = 0;
    if (!length) return true;
    for (size_t i = 0; i < sizeof unit / sizeof *unit; i++)
        if (length > 2 && memcmp(text + length - 2, unit[i].name, 2) == 0) {
            of = unit[i].inches;
            length -= 2;
            break;
        }
    if (!mk_parse_real(text, length, out)) return false;
    *out *= of;
    return *out >= 1 && *out <= 100;
}

static bool read_size(const char *text, struct mk_picture *out)
{
    if (strcmp(text, "one-column") == 0 || strcmp(text, "two-columns") == 0) {
        out->width = (text[0] == 't' ? two_columns : one_column) / centimetres;
        return true;
    }
    const char *const by = strchr(text, 'x');
    return by && text[1] && read_length(text, (size_t)(by - text), &out->width) &&
           read_length(by + 1, strlen(by + 1), &out->height);
}

static bool read_font(struct mk_picture_options *o, struct mk_picture *out)
{
    const char *const comma = strrchr(o->font, ',');
    const size_t name = comma ? (size_t)(comma - o->font) : strlen(o->font);
    if (name >= sizeof o->family || (comma ? !name && !comma[1] : !name)) return false;
    for (size_t i = 0; i < name; i++)
        if (!isalnum((unsigned char)o->font[i]) && !strchr(" -.:_", o->font[i])) return false;
    snprintf(o->family, sizeof o->family, "%.*s", (int)name, o->font);
    if (name) out->font = o->family;
    return !comma ||
           (mk_parse_real(comma + 1, strlen(comma + 1), &out->letters) && out->letters >= 4 && out->letters <= 40);
}

int mk_picture_options_read(struct mk_picture_options *o, const char *command, enum mk_plot_format format,
                            struct mk_picture *out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    *out = (struct mk_picture){0};
    if (o->size && !read_size(o->size, out))
        return mk_fail(err, MK_EINPUT,
                       "maxk %s: --size: expected WIDTHxHEIGHT in inches (or with in, cm, mm), each from 1 to 100 "
                       "inches, one-column or two-columns, got '%s'",
                       command, mk_clip(o->size, clip));
    if (o->title) out->title = strcmp(o->title, "none") == 0 ? "" : o->title;
    if (!o->font) return MK_OK;
    if (format == MK_PLOT_TEX)
        return mk_fail(err, MK_EINPUT,
                       "maxk %s: --font: expected --format png, svg or pdf, got tex, whose texts have the font of the "
                       "document",
                       command);
    if (!read_font(o, out))
        return mk_fail(err, MK_EINPUT,
                       "maxk %s: --font: expected NAME, NAME,SIZE or ,SIZE: a name of ASCII letters, digits, spaces "
                       "and -.:_, a size from 4 to 40 points, got '%s'",
                       command, mk_clip(o->font, clip));
    return MK_OK;
}

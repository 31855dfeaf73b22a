#include "analysis/answers/figures/plot/plot_text.h"

#include <string.h>

#include "analysis/answers/figures/plot/plot_tex.h"
#include "sim/base/text.h"

enum { LINE_ROOM = 1024, MAX_BYTES = 4 };

static const char replacement[] = "\xEF\xBF\xBD", ellipsis[] = "\xE2\x80\xA6";

size_t mk_text_clean(const char *text, size_t limit, char *out, size_t room)
{
    const char *stop = text + strlen(text);
    char *end = out, *before_last = out;
    size_t written = 0;
    while (text < stop) {
        size_t n = mk_text_character(text, (size_t)(stop - text)), take = n ? n : 1;
        int control = n && mk_text_is_control(text, n);
        const char *piece = n == 0 ? replacement : control ? " " : text;
        size_t bytes = n == 0 ? sizeof replacement - 1 : control ? 1 : n;
        if ((limit && written == limit) || (size_t)(end - out) + bytes + MAX_BYTES > room) {
            end = stpcpy(limit && written == limit ? before_last : end, ellipsis);
            written += !(limit && written == limit);
            break;
        }
        before_last = end;
        memcpy(end, piece, bytes);
        end += bytes;
        text += take;
        written++;
    }
    *end = '\0';
    return written;
}

/* gnuplot 5.4 misreads a doubled quote at the start of a single-quoted string, so an apostrophe gets a string of its
 * own: 'it'."'".'s'. */
static void put_quoted(FILE *to, enum mk_markup markup, const char *text, size_t bytes)
{
    if (!to) return;
    fputc('\'', to);
    if (markup == MK_MARKUP_TEX) mk_tex_write(to, text, bytes);
    for (size_t i = 0; markup == MK_MARKUP_NONE && i < bytes; i++) {
        if (text[i] == '\'')
            fputs("'.\"'\".'", to);
        else
            fputc(text[i], to);
    }
    fputc('\'', to);
}

void mk_gnuplot_quote(FILE *to, enum mk_markup markup, const char *text)
{
    char line[LINE_ROOM];
    mk_text_clean(text, 0, line, sizeof line);
    put_quoted(to, markup, line, strlen(line));
}

void mk_gnuplot_quote_tic(FILE *to, enum mk_markup markup, const char *text)
{
    char line[LINE_ROOM];
    mk_text_clean(text, 0, line, sizeof line);
    for (const char *at = line;;) {
        const size_t n = strcspn(at, "%");
        put_quoted(to, markup, at, n);
        if (!at[n]) return;
        fputs(markup == MK_MARKUP_TEX ? ".'\\%%'." : ".'%%'.", to);
        at += n + 1;
    }
}

/* Bytes of the line that starts at s: up to the last space that keeps it within `width` characters. *next is where the
 * next line starts. */
static size_t line_bytes(const char *s, size_t width, const char **next)
{
    const char *space = NULL, *at = s;
    size_t characters = 0;
    while (*at && (characters < width || !space)) {
        if (*at == ' ' && at > s) space = at;
        at++;
        while (((unsigned char)*at & 0xC0) == 0x80) at++;
        characters++;
    }
    if (!*at && characters <= width)
        space = NULL;
    else if (*at == ' ')
        space = at;
    *next = space ? space + 1 : at;
    return (size_t)((space ? space : at) - s);
}

size_t mk_gnuplot_quote_lines(FILE *to, enum mk_markup markup, const char *text, size_t width, size_t max_lines)
{
    char all[LINE_ROOM] = "", last[LINE_ROOM] = "";
    mk_text_clean(text, 0, all, sizeof all);
    size_t lines = 1;
    for (const char *at = all;; lines++) {
        const char *next;
        size_t bytes = line_bytes(at, width, &next);
        if (lines >= max_lines) {
            mk_text_clean(at, width, last, sizeof last);
            put_quoted(to, markup, last, strlen(last));
            return lines;
        }
        put_quoted(to, markup, at, bytes);
        if (!*next) return lines;
        if (to) fputs(".\"\\n\".", to);
        at = next;
    }
}

bool mk_name_listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at && *at;) {
        size_t word = strcspn(at, " ");
        if (word == n && memcmp(at, name, n) == 0) return true;
        at += word;
        at += strspn(at, " ");
    }
    return !list;
}

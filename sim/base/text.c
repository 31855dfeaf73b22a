#include "sim/base/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLIP = 60, LONGEST_WORD = 40 };

const char *mk_clip_bytes(const char *text, size_t length, char out[MK_CLIP_ROOM])
{
    size_t n = length;
    if (length > CLIP) {
        n = CLIP;
        while (n > 0 && ((unsigned char)text[n] & 0xc0) == 0x80) n--;
    }
    memcpy(out, text, n);
    strcpy(out + n, n < length ? "…" : "");
    return out;
}

const char *mk_clip(const char *text, char out[MK_CLIP_ROOM])
{
    return mk_clip_bytes(text, strlen(text), out);
}

/* Limits of the second byte rule out overlong forms, surrogates and anything beyond U+10FFFF. */
size_t mk_text_character(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    if (!n) return 0;
    unsigned char c = s[0], lo = 0x80, hi = 0xbf;
    size_t length = c < 0x80 ? 1 : c >= 0xc2 && c <= 0xdf ? 2 : (c & 0xf0) == 0xe0 ? 3 : c >= 0xf0 && c <= 0xf4 ? 4 : 0;
    if (c == 0xe0) lo = 0xa0;
    if (c == 0xed) hi = 0x9f;
    if (c == 0xf0) lo = 0x90;
    if (c == 0xf4) hi = 0x8f;
    if (!length || length > n || (length > 1 && (s[1] < lo || s[1] > hi))) return 0;
    for (size_t i = 2; i < length; i++)
        if ((s[i] & 0xc0) != 0x80) return 0;
    return length == 3 && c == 0xef && s[1] == 0xbf && s[2] >= 0xbe ? 0 : length; /* U+FFFE and U+FFFF: not in XML */
}

bool mk_text_is_control(const char *text, size_t n)
{
    const unsigned char *s = (const unsigned char *)text;
    if (n == 1) return s[0] < ' ' || s[0] == 0x7f;
    if (n == 2) return s[0] == 0xc2 && s[1] < 0xa0; /* C1 */
    return n == 3 && s[0] == 0xe2 &&
           ((s[1] == 0x80 && s[2] >= 0xa8 && s[2] <= 0xae) || /* line ends, bidi overrides */
            (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9));  /* bidi isolates */
}

bool mk_text_printable(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        size_t n = mk_text_character(text + i, length - i);
        if (!n || mk_text_is_control(text + i, n)) return false;
        i += n;
    }
    return true;
}

bool mk_text_printable_lines(const char *text)
{
    for (;;) {
        size_t length = strcspn(text, "\n");
        if (!mk_text_printable(text, length)) return false;
        if (!text[length]) return true;
        text += length + 1;
    }
}

void mk_text_one_line(char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length;) {
        size_t n = mk_text_character(text + i, length - i);
        if (!n)
            text[i++] = '?';
        else if (mk_text_is_control(text + i, n))
            while (n--) text[i++] = ' ';
        else
            i += n;
    }
}

void mk_free_texts(char **text, size_t n)
{
    for (size_t i = 0; text && i < n; i++) free(text[i]);
    free(text);
}

const char *mk_join(const char *const *word, size_t n, char *out, size_t room)
{
    size_t used = 0;
    out[0] = 0;
    for (size_t i = 0; i < n; i++) {
        size_t need = strlen(word[i]) + 3 + strlen("…");
        if (used + need > room) {
            if (used + strlen("…") < room) strcpy(out + used, "…");
            break;
        }
        used += (size_t)snprintf(out + used, room - used, "%s%s", word[i], i + 1 < n ? ", " : "");
    }
    return out;
}

/* Edit distance of words of at most LONGEST_WORD bytes: insertions, deletions, substitutions, swaps of neighbours. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST_WORD + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= m; j++) last[j] = j;
    for (size_t i = 1; i <= n; i++) {
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t best = last[j - 1] + (a[i - 1] != b[j - 1]);
            if (last[j] + 1 < best) best = last[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best)
                best = before[j - 2] + 1;
            row[j] = best;
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[m];
}

/* The letters and digits of a word, in lower case; returns their number, or more than LONGEST_WORD. */
static size_t essence(const char *word, char out[LONGEST_WORD])
{
    size_t n = 0;
    for (; *word && n <= LONGEST_WORD; word++) {
        if (*word == '_' || *word == '-' || *word == ' ') continue;
        if (n < LONGEST_WORD) out[n] = (char)tolower((unsigned char)*word);
        n++;
    }
    return n;
}

const char *mk_nearest(const char *word, const char *const *list, size_t n)
{
    const char *nearest = NULL;
    char a[LONGEST_WORD], b[LONGEST_WORD];
    size_t length = essence(word, a), min = length <= 4 ? 2 : 3; /* one error in short words, two in longer ones */
    if (length > LONGEST_WORD) return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t other = essence(list[i], b);
        if (other > LONGEST_WORD) continue;
        size_t d = distance(a, length, b, other);
        if (d < min && d < length) {
            min = d;
            nearest = list[i];
        }
    }
    return nearest;
}

const char *mk_hint(const char *nearest, const char *otherwise, char out[MK_CLIP_ROOM])
{
    snprintf(out, MK_CLIP_ROOM, "%s%s%s", nearest ? "did you mean " : otherwise, nearest ? nearest : "",
             nearest ? "?" : "");
    return out;
}

const char *mk_counted(uint64_t n, const char *one, const char *many, char out[MK_COUNTED_ROOM])
{
    snprintf(out, MK_COUNTED_ROOM, "%" PRIu64 " %.40s%s", n, n == 1 || !many ? one : many, n == 1 || many ? "" : "s");
    return out;
}

const char *mk_file_stem(const char *path, char *out, size_t room)
{
    static const char *const ending[] = {".gz", ".yaml", ".yml", ".h5", ".csv"};
    const char *slash = strrchr(path, '/');
    snprintf(out, room, "%s", slash ? slash + 1 : path);
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        size_t n = strlen(out), m = strlen(ending[i]);
        if (n > m && strcmp(out + n - m, ending[i]) == 0) out[n - m] = 0;
    }
    return out;
}

void mk_file_name_part(const char *text, char *out, size_t room)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    size_t n = 0;
    for (; *text && n + 1 < room; text++) {
        bool good = strchr(allowed, *text) != NULL;
        if (n == 0 && (*text == '.' || *text == '-')) good = 0;
        if (good)
            out[n++] = *text;
        else if (n == 0 || out[n - 1] != '_')
            out[n++] = '_';
    }
    if (n == 0) out[n++] = '_';
    out[n] = '\0';
}

const char *mk_size_text(double bytes, char out[MK_SIZE_ROOM])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t u = 0;
    for (; bytes >= 999.5 && u + 1 < sizeof units / sizeof *units; u++) bytes /= 1000;
    snprintf(out, MK_SIZE_ROOM, "%.3g %s", bytes, units[u]);
    return out;
}

/* ---- texts of other programs ---- */

void mk_put_json_text(FILE *to, const char *text)
{
    putc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fprintf(to, "\\%c", *text);
        else if ((unsigned char)*text < ' ')
            fprintf(to, "\\u%04x", (unsigned char)*text);
        else
            putc(*text, to);
    }
    putc('"', to);
}

static void put_quoted(FILE *to, const char *text)
{
    putc('\'', to);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", to);
        else
            putc(*text, to);
    }
    putc('\'', to);
}

/* Words that a shell takes as they are. */
static bool is_plain(const char *word)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";
    return *word && word[strspn(word, safe)] == 0;
}

char *mk_command_text(char *const *word)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    for (size_t i = 0; word[i]; i++) {
        if (i) putc(' ', to);
        if (is_plain(word[i]))
            fputs(word[i], to);
        else
            put_quoted(to, word[i]);
    }
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}

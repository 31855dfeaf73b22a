#include "sim/base/param.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/text.h"

size_t mk_param_count(const struct mk_param *params)
{
    size_t n = 0;
    if (params)
        while (params[n].name) n++;
    return n;
}

int mk_param_find(const struct mk_param *params, const char *name)
{
    for (int i = 0; params && params[i].name; i++)
        if (strcmp(params[i].name, name) == 0) return i;
    return -1;
}

void mk_param_defaults(const struct mk_param *params, double *value)
{
    for (size_t i = 0; i < MK_MAX_PARAMS; i++) value[i] = NAN;
    for (size_t i = 0; params && params[i].name; i++)
        if (!(params[i].flags & (MK_REQUIRED | MK_OPTIONAL))) value[i] = params[i].def;
}

int mk_choice_find(const char *choices, const char *word)
{
    size_t len = strlen(word);
    int position = 0;
    for (const char *c = choices; c; position++) {
        const char *end = strchr(c, '|');
        size_t n = end ? (size_t)(end - c) : strlen(c);
        if (n == len && memcmp(c, word, n) == 0) return position;
        c = end ? end + 1 : NULL;
    }
    return -1;
}

const char *mk_choice_word(const char *choices, int position, char *out, size_t room)
{
    const char *c = choices;
    while (c && position-- > 0) {
        c = strchr(c, '|');
        if (c) c++;
    }
    if (!c) c = "?";
    const char *end = strchr(c, '|');
    snprintf(out, room, "%.*s", end ? (int)(end - c) : (int)strlen(c), c);
    return out;
}

const char *mk_choice_list(const char *choices, char *out, size_t room)
{
    size_t n = 0;
    for (const char *c = choices; *c && n + 2 < room; c++) {
        out[n++] = *c == '|' ? ',' : *c;
        if (*c == '|') out[n++] = ' ';
    }
    out[n] = 0;
    return out;
}

const char *mk_choice_nearest(const char *choices, const char *word, char *out, size_t room)
{
    enum { MOST_WORDS = 32, WORD = 48 };
    char words[MOST_WORDS][WORD];
    const char *list[MOST_WORDS];
    size_t n = 0;
    for (const char *c = choices; c && n < MOST_WORDS; n++) {
        list[n] = mk_choice_word(choices, (int)n, words[n], WORD);
        c = strchr(c, '|');
        if (c) c++;
    }
    const char *nearest = mk_nearest(word, list, n);
    if (nearest) snprintf(out, room, "%s", nearest);
    return nearest ? out : NULL;
}

bool mk_param_allows(const struct mk_param *p, double x)
{
    if (isnan(x)) return false;
    if (p->kind == MK_INTEGER && (x != floor(x) || fabs(x) > MK_EXACT_MAX)) return false;
    if ((p->flags & MK_OPEN_LO) ? !(x > p->lo) : !(x >= p->lo)) return false;
    if ((p->flags & MK_OPEN_HI) ? !(x < p->hi) : !(x <= p->hi)) return false;
    return true;
}

const char *mk_param_range(const struct mk_param *p, char *out, size_t room)
{
    char lo[32], hi[32];
    mk_format_real(p->lo, lo, sizeof lo);
    mk_format_real(p->hi, hi, sizeof hi);
    const char *what = p->kind == MK_INTEGER ? "a whole number" : "a number";
    const char *above = (p->flags & MK_OPEN_LO) ? ">" : ">=";
    const char *below = (p->flags & MK_OPEN_HI) ? "<" : "<=";
    switch (p->kind) {
    case MK_CHOICE: {
        size_t n = (size_t)snprintf(out, room, "one of ");
        if (n < room) mk_choice_list(p->choices, out + n, room - n);
        return out;
    }
    case MK_LIST: snprintf(out, room, "a list of numbers"); return out;
    case MK_PARTS: snprintf(out, room, "a list of arms"); return out;
    case MK_FILE: snprintf(out, room, "the path of a CSV file, plain or gzip"); return out;
    case MK_COLUMN: snprintf(out, room, "the name of a column of the file"); return out;
    case MK_TEXT: snprintf(out, room, "a text"); return out;
    case MK_REAL:
    case MK_INTEGER: break;
    }
    if (isinf(p->lo) && isinf(p->hi))
        snprintf(out, room, "%s", p->kind == MK_REAL && (p->flags & MK_OPEN_HI) ? "a finite number" : what);
    else if (isinf(p->hi))
        snprintf(out, room, "%s %s %s", what, above, lo);
    else if (isinf(p->lo))
        snprintf(out, room, "%s %s %s", what, below, hi);
    else
        snprintf(out, room, "%s %s %s and %s %s", what, above, lo, below, hi);
    return out;
}

const char *mk_format_real(double x, char *out, size_t room)
{
    if (isnan(x)) {
        snprintf(out, room, "nan");
    } else if (isinf(x)) {
        snprintf(out, room, x > 0 ? "inf" : "-inf");
    } else {
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(out, room, "%.*g", digits, x);
            if (strtod(out, NULL) == x) break;
        }
    }
    return out;
}

const char *mk_param_format(const struct mk_param *p, double x, char *out, size_t room)
{
    if (p->kind == MK_CHOICE && !isnan(x)) return mk_choice_word(p->choices, (int)x, out, room);
    return mk_format_real(x, out, room);
}

bool mk_param_is_number(const struct mk_param *p)
{
    return p->kind == MK_REAL || p->kind == MK_INTEGER || p->kind == MK_CHOICE;
}

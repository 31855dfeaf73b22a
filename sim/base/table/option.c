#include "sim/base/table/option.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

bool mk_parse_count(const char *text, uint64_t *out)
{
    const char *c = text, *power = strchr(text, '^');
    double x, exponent = 1;
    if (!isdigit((unsigned char)*c) && *c != '.') return false;
    if (strspn(c, "0123456789") == strlen(c)) { /* plain digits: exact to 2^64 - 1 */
        uint64_t value = 0;
        for (; *c; c++) {
            uint64_t digit = (uint64_t)(*c - '0');
            if (value > (UINT64_MAX - digit) / 10) return false;
            value = value * 10 + digit;
        }
        *out = value;
        return true;
    }
    if (!mk_parse_real(c, power ? (size_t)(power - c) : strlen(c), &x)) return false;
    if (power && !mk_parse_real(power + 1, strlen(power + 1), &exponent)) return false;
    x = pow(x, exponent);
    if (!(x >= 0) || x > MK_EXACT_MAX || x != floor(x)) return false;
    *out = (uint64_t)x;
    return true;
}

int mk_option_fail(const char *command, const char *option, const char *problem, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "maxk %s: %s: %s (see maxk %s --help)", command, option, problem, command);
}

/* long double: 2^53 + 1 must not pass as 2^53. */
static bool outside(const struct mk_option *o, long double x)
{
    return o->hi >= o->lo && !(x >= o->lo && x <= o->hi);
}

static int fail_range(struct mk_error *err, const char *command, const struct mk_option *o, const char *text)
{
    char name[64], problem[256], lo[32], hi[32], clip[MK_CLIP_ROOM];
    const bool whole = o->kind == MK_OPT_COUNT || o->kind == MK_OPT_COUNTS;
    const char *what = whole ? "a whole number" : "a number";
    snprintf(name, sizeof name, "--%s", o->name);
    if (o->hi >= o->lo)
        snprintf(problem, sizeof problem, "expected %s from %s to %s, got '%s'", what,
                 mk_format_real(o->lo, lo, sizeof lo), mk_format_real(o->hi, hi, sizeof hi), mk_clip(text, clip));
    else
        snprintf(problem, sizeof problem, "expected %s, got '%s'", what, mk_clip(text, clip));
    return mk_option_fail(command, name, problem, err);
}

int mk_option_fail_choice(const char *command, const char *option, const char *choices, const char *text,
                          struct mk_error *err)
{
    char word[64], all[256], clip[MK_CLIP_ROOM], problem[512];
    const char *nearest = mk_choice_nearest(choices, text, word, sizeof word);
    snprintf(problem, sizeof problem, "expected one of %s; got '%s'%s%s%s", mk_choice_list(choices, all, sizeof all),
             mk_clip(text, clip), nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return mk_option_fail(command, option, problem, err);
}

static int store_counts(const char *command, const struct mk_option *o, const char *text, struct mk_error *err)
{
    struct mk_counts *counts = o->to;
    counts->n = 0;
    for (const char *at = text; at;) {
        const char *comma = strchr(at, ',');
        char one[64];
        snprintf(one, sizeof one, "%.*s", comma ? (int)(comma - at) : (int)strlen(at), at);
        uint64_t value;
        if (!mk_parse_count(one, &value) || outside(o, (long double)value)) return fail_range(err, command, o, one);
        if (!MK_GROW(counts->value, counts->n, 1)) return mk_fail_memory(err, "options");
        counts->value[counts->n++] = value;
        at = comma ? comma + 1 : NULL;
    }
    qsort(counts->value, counts->n, sizeof *counts->value, mk_compare_counts);
    return MK_OK;
}

/* A whole number up to 2^53 as mk_parse_count reads it, or a decimal fraction. */
static bool parse_amount(const char *text, double *out)
{
    uint64_t count;
    if (!mk_parse_count(text, &count)) return mk_parse_real(text, strlen(text), out);
    *out = (double)count;
    return count <= (uint64_t)MK_EXACT_MAX;
}

static int store_amounts(const char *command, const struct mk_option *o, const char *text, struct mk_error *err)
{
    struct mk_amounts *amounts = o->to;
    amounts->n = 0;
    for (const char *at = text; at;) {
        const char *comma = strchr(at, ',');
        char one[64];
        snprintf(one, sizeof one, "%.*s", comma ? (int)(comma - at) : (int)strlen(at), at);
        double value;
        if (!parse_amount(one, &value) || outside(o, value)) return fail_range(err, command, o, one);
        if (!MK_GROW(amounts->value, amounts->n, 1)) return mk_fail_memory(err, "options");
        amounts->value[amounts->n++] = value;
        at = comma ? comma + 1 : NULL;
    }
    qsort(amounts->value, amounts->n, sizeof *amounts->value, mk_compare_reals);
    return MK_OK;
}

/* Appends a borrowed text. */
static int add_text(struct mk_texts *texts, const char *text, struct mk_error *err)
{
    if (!MK_GROW(texts->text, texts->n, 1)) return mk_fail_memory(err, "options");
    texts->text[texts->n++] = text;
    return MK_OK;
}

int mk_option_read(const char *command, const struct mk_option *o, const char *text, struct mk_error *err)
{
    char name[64];
    switch (o->kind) {
    case MK_OPT_FLAG: *(int *)o->to = o->lo > 1 ? (int)o->lo : 1; return MK_OK;
    case MK_OPT_TEXT: *(const char **)o->to = text; return MK_OK;
    case MK_OPT_TEXTS: return add_text(o->to, text, err);
    case MK_OPT_COUNT: {
        uint64_t value;
        if (!mk_parse_count(text, &value) || outside(o, (long double)value)) return fail_range(err, command, o, text);
        *(uint64_t *)o->to = value;
        return MK_OK;
    }
    case MK_OPT_AMOUNT:
    case MK_OPT_REAL: {
        double value;
        const bool good =
            o->kind == MK_OPT_REAL ? mk_parse_real(text, strlen(text), &value) : parse_amount(text, &value);
        if (!good || outside(o, value)) return fail_range(err, command, o, text);
        *(double *)o->to = value;
        return MK_OK;
    }
    case MK_OPT_CHOICE: {
        int position = mk_choice_find(o->choices, text);
        if (position < 0) {
            snprintf(name, sizeof name, "--%s", o->name);
            return mk_option_fail_choice(command, name, o->choices, text, err);
        }
        *(int *)o->to = position;
        return MK_OK;
    }
    case MK_OPT_COUNTS: return store_counts(command, o, text, err);
    case MK_OPT_AMOUNTS: return store_amounts(command, o, text, err);
    }
    return MK_OK;
}

const struct mk_option *mk_option_next(const struct mk_option *o)
{
    const char *const name = o->name;
    for (o++; o->name; o++)
        if (strcmp(o->name, name) == 0) return o;
    return NULL;
}

bool mk_option_is_later(const struct mk_option *options, const struct mk_option *o)
{
    for (; options < o; options++)
        if (strcmp(options->name, o->name) == 0) return true;
    return false;
}

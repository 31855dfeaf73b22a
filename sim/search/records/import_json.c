/* JSON of other tools, which may hold NaN and Infinity as Python writes them. It is read and written here, since
 * json-c's own reading and writing go on where memory is short; of json-c only the values are used. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/search/records/importer.h"

enum { DEEPEST = 100 };

struct parser {
    const char *path, *first, *at, *end;
    size_t line; /* of `first` */
    struct mk_error *err;
};

static int fail_here(const struct parser *p, const char *what)
{
    struct mk_where where = {p->path, p->line, 1};
    for (const char *c = p->first; c < p->at; c++) {
        where.column++;
        if (*c == '\n') where.line++, where.column = 1;
    }
    return mk_fail_at(p->err, where, NULL, "not JSON: %s", p->at == p->end ? "it ends too early" : what);
}

static int no_memory(const struct parser *p)
{
    return mk_fail_memory(p->err, "the JSON");
}

static void skip_blanks(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n')) p->at++;
}

/* Whether a character comes next, which is then read. */
static bool take(struct parser *p, char c)
{
    skip_blanks(p);
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static bool take_word(struct parser *p, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0) return false;
    p->at += n;
    return true;
}

/* ---- texts ---- */

/* Four hexadecimal digits after \u; -1: others. */
static long take_unit(struct parser *p)
{
    char digits[5] = "";
    if (p->end - p->at < 4) return -1;
    for (size_t i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char)p->at[i])) return -1;
        digits[i] = p->at[i];
    }
    p->at += 4;
    return strtol(digits, NULL, 16);
}

static char *put_character(char *to, unsigned long c)
{
    if (c < 0x80) {
        *to++ = (char)c;
    } else if (c < 0x800) {
        *to++ = (char)(0xc0 | c >> 6);
        *to++ = (char)(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *to++ = (char)(0xe0 | c >> 12);
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    } else {
        *to++ = (char)(0xf0 | c >> 18);
        *to++ = (char)(0x80 | (c >> 12 & 0x3f));
        *to++ = (char)(0x80 | (c >> 6 & 0x3f));
        *to++ = (char)(0x80 | (c & 0x3f));
    }
    return to;
}

/* What follows \u; half of a pair alone becomes U+FFFD. *to moves on; NULL: it is no character. */
static char *take_unicode(struct parser *p, char *to)
{
    long c = take_unit(p);
    if (c <= 0) return NULL;
    if (c >= 0xd800 && c < 0xdc00 && p->end - p->at > 1 && p->at[0] == '\\' && p->at[1] == 'u') {
        const char *before = p->at;
        p->at += 2;
        const long low = take_unit(p);
        if (low >= 0xdc00 && low < 0xe000)
            return put_character(to, 0x10000 + ((unsigned long)(c - 0xd800) << 10) + (unsigned long)(low - 0xdc00));
        p->at = before;
    }
    return put_character(to, c >= 0xd800 && c < 0xe000 ? 0xfffd : (unsigned long)c);
}

/* What follows a backslash. */
static char *take_escape(struct parser *p, char *to)
{
    static const char from[] = "\"\\/bfnrt", means[] = "\"\\/\b\f\n\r\t";
    const char c = p->at < p->end ? *p->at++ : 0;
    const char *known = c ? strchr(from, c) : NULL;
    if (c == 'u') return take_unicode(p, to);
    if (!known) return NULL;
    *to++ = means[known - from];
    return to;
}

/* *out <- the text after a quote, malloc'ed. */
static int take_text(struct parser *p, char **out)
{
    const char *stop = p->at;
    while (stop < p->end && *stop != '"') stop += *stop == '\\' && p->end - stop > 1 ? 2 : 1;
    char *to = *out = malloc((size_t)(stop - p->at) + 1);
    if (!to) return no_memory(p);
    while (p->at < p->end && *p->at != '"') {
        const size_t n = mk_text_character(p->at, (size_t)(p->end - p->at));
        if (*p->at == '\\') {
            p->at++;
            if (!(to = take_escape(p, to))) return fail_here(p, "expected an escaped character that a text may have");
        } else if (!n || !*p->at) {
            return fail_here(p, "expected UTF-8");
        } else {
            memcpy(to, p->at, n);
            to += n;
            p->at += n;
        }
    }
    *to = 0;
    return p->at++ < p->end ? MK_OK : (p->at = p->end, fail_here(p, ""));
}

/* ---- numbers ---- */

/* Bytes of the number at the beginning of a text; *real: it is not written as a whole number. 0: there is none. */
static size_t number_length(const char *text, size_t length, bool *real)
{
    size_t n = length && *text == '-', digits = n;
    *real = false;
    while (n < length && isdigit((unsigned char)text[n])) n++;
    if (n == digits || (text[digits] == '0' && n > digits + 1)) return 0;
    if (n < length && text[n] == '.') {
        *real = true;
        digits = ++n;
        while (n < length && isdigit((unsigned char)text[n])) n++;
        if (n == digits) return 0;
    }
    if (n < length && (text[n] == 'e' || text[n] == 'E')) {
        *real = true;
        n++;
        if (n < length && (text[n] == '+' || text[n] == '-')) n++;
        digits = n;
        while (n < length && isdigit((unsigned char)text[n])) n++;
        if (n == digits) return 0;
    }
    return n;
}

/* A number as it is written; one beyond the range of a double is infinite. NULL: no memory. */
static json_object *new_number(const char *text, size_t length, bool real)
{
    char *copy = strndup(text, length);
    double x = *text == '-' ? -INFINITY : INFINITY;
    if (!copy) return NULL;
    errno = 0;
    const long long whole = real ? 0 : strtoll(copy, NULL, 10);
    json_object *made = NULL;
    if (!real && !errno) {
        made = json_object_new_int64(whole);
    } else {
        mk_parse_real(copy, length, &x);
        made = json_object_new_double_s(x, copy);
    }
    free(copy);
    return made;
}

bool mk_import_is_number(const char *text, size_t length)
{
    bool real;
    return length && number_length(text, length, &real) == length;
}

json_object *mk_import_new_number(const char *text, size_t length)
{
    bool real;
    number_length(text, length, &real);
    return new_number(text, length, real);
}

static int take_number(struct parser *p, json_object **out)
{
    bool real;
    const size_t n = number_length(p->at, (size_t)(p->end - p->at), &real);
    if (!n) return fail_here(p, "expected a value");
    *out = new_number(p->at, n, real);
    p->at += n;
    return *out ? MK_OK : no_memory(p);
}

/* ---- values ---- */

static int take_value(struct parser *p, size_t depth, json_object **out);

static int take_list(struct parser *p, size_t depth, json_object *list)
{
    if (take(p, ']')) return MK_OK;
    do {
        json_object *x = NULL;
        int code = take_value(p, depth, &x);
        if (!code && json_object_array_add(list, x)) code = no_memory(p);
        if (code) {
            json_object_put(x);
            return code;
        }
    } while (take(p, ','));
    return take(p, ']') ? MK_OK : fail_here(p, "expected , or ]");
}

static int take_entry(struct parser *p, size_t depth, json_object *mapping)
{
    char *name = NULL;
    json_object *x = NULL;
    int code = take(p, '"') ? take_text(p, &name) : fail_here(p, "expected a name in quotes");
    if (!code && !take(p, ':')) code = fail_here(p, "expected :");
    if (!code) code = take_value(p, depth, &x);
    if (!code && json_object_object_add(mapping, name, x)) code = no_memory(p);
    if (code) json_object_put(x);
    free(name);
    return code;
}

static int take_mapping(struct parser *p, size_t depth, json_object *mapping)
{
    if (take(p, '}')) return MK_OK;
    do {
        const int code = take_entry(p, depth, mapping);
        if (code) return code;
    } while (take(p, ','));
    return take(p, '}') ? MK_OK : fail_here(p, "expected , or }");
}

static int take_string(struct parser *p, json_object **out)
{
    char *text = NULL;
    const int code = take_text(p, &text);
    if (!code) *out = json_object_new_string(text);
    free(text);
    return code || *out ? code : no_memory(p);
}

/* A word of JSON or of Python; false: there is none. *out: NULL also where there is no memory. */
static bool take_constant(struct parser *p, json_object **out, bool *null)
{
    static const struct {
        const char *word;
        double value;
    } reals[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    *null = take_word(p, "null");
    if (*null) return true;
    const bool yes = take_word(p, "true");
    if (yes || take_word(p, "false")) {
        *out = json_object_new_boolean(yes);
        return true;
    }
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++)
        if (take_word(p, reals[i].word)) {
            *out = json_object_new_double_s(reals[i].value, reals[i].word);
            return true;
        }
    return false;
}

/* *out <- the value, to be put, also where it fails; NULL for null. */
static int take_value(struct parser *p, size_t depth, json_object **out)
{
    bool null;
    if (depth == DEEPEST) return fail_here(p, "nested too deeply");
    if (take(p, '[')) return (*out = json_object_new_array()) ? take_list(p, depth + 1, *out) : no_memory(p);
    if (take(p, '{')) return (*out = json_object_new_object()) ? take_mapping(p, depth + 1, *out) : no_memory(p);
    if (take(p, '"')) return take_string(p, out);
    if (!take_constant(p, out, &null)) return take_number(p, out);
    return null || *out ? MK_OK : no_memory(p);
}

int mk_import_json_text(const char *path, size_t line, const char *text, size_t length, json_object **out,
                        struct mk_error *err)
{
    struct parser p = {path, text, text, text + length, line ? line : 1, err};
    *out = NULL;
    int code = take_value(&p, 0, out);
    skip_blanks(&p);
    if (!code && p.at < p.end) code = fail_here(&p, "text after its end");
    if (!code) return MK_OK;
    json_object_put(*out);
    *out = NULL;
    return code;
}

int mk_import_json(const char *path, json_object **out, struct mk_error *err)
{
    char *text = NULL;
    size_t length = 0;
    *out = NULL;
    int code = mk_import_whole(path, &text, &length, err);
    if (!code) code = mk_import_json_text(path, 0, text, length, out, err);
    free(text);
    return code;
}

/* ---- writing ---- */

static void write_real(FILE *to, json_object *x)
{
    const char *written = json_object_get_userdata(x);
    const double value = json_object_get_double(x);
    char text[40];
    if (!written) mk_format_real(value, text, sizeof text);
    fprintf(to, "%s%s", written ? written : text, written || strpbrk(text, ".en") ? "" : ".0");
}

static void write_value(FILE *to, json_object *x)
{
    const char *separator = "";
    switch (json_object_get_type(x)) {
    case json_type_null: fputs("null", to); break;
    case json_type_boolean: fputs(json_object_get_boolean(x) ? "true" : "false", to); break;
    case json_type_int: fprintf(to, "%lld", (long long)json_object_get_int64(x)); break;
    case json_type_double: write_real(to, x); break;
    case json_type_string: mk_put_json_text(to, json_object_get_string(x)); break;
    case json_type_array:
        fputc('[', to);
        for (size_t i = 0; i < json_object_array_length(x); i++) {
            fputs(i ? "," : "", to);
            write_value(to, json_object_array_get_idx(x, i));
        }
        fputc(']', to);
        break;
    case json_type_object:
        fputc('{', to);
        json_object_object_foreach(x, name, value)
        {
            fputs(separator, to);
            mk_put_json_text(to, name);
            fputc(':', to);
            write_value(to, value);
            separator = ",";
        }
        fputc('}', to);
        break;
    }
}

char *mk_import_json_write(json_object *x)
{
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (!to) return NULL;
    write_value(to, x);
    const bool good = !ferror(to);
    if (!fclose(to) && good) return text;
    free(text);
    return NULL;
}

char *mk_import_text_of(json_object *x)
{
    return json_object_is_type(x, json_type_string) ? strdup(json_object_get_string(x)) : mk_import_json_write(x);
}

/* ---- what is in values ---- */

double mk_import_real(json_object *x)
{
    return json_object_is_type(x, json_type_double) || json_object_is_type(x, json_type_int) ? json_object_get_double(x)
                                                                                             : NAN;
}

json_object *mk_import_member(json_object *x, const char *name)
{
    json_object *found = NULL;
    return json_object_is_type(x, json_type_object) && json_object_object_get_ex(x, name, &found) ? found : NULL;
}

json_object *mk_import_item(json_object *x, size_t i)
{
    return json_object_is_type(x, json_type_array) && i < json_object_array_length(x) ? json_object_array_get_idx(x, i)
                                                                                      : NULL;
}

#include "sim/search/space/formula.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/expression.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

enum { MOST_NAMES = 32, NAME = 1000, INNER = 24 };

static int no_memory(struct mk_error *err)
{
    return mk_fail_memory(err, "a formula");
}

/* ---- names ---- */

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '`' || (unsigned char)c >= 0x80;
}

static bool continues_name(char c)
{
    return begins_name(c) || isdigit((unsigned char)c) || c == '.';
}

bool mk_formula_has_name(const char *text, size_t length)
{
    bool any = false;
    for (size_t i = 0; i < length; i++) {
        const char before = i ? text[i - 1] : ' ';
        any |= begins_name(text[i]) && !isalnum((unsigned char)before) && before != '.';
    }
    return any;
}

/* Takes the name at *at; false: it does not end, or is too long. */
static bool take_name(const char **at, const char *end, char name[NAME])
{
    const bool quoted = **at == '`';
    const char *from = *at + quoted, *to = from;
    while (to < end && (quoted ? *to != '`' : continues_name(*to) && *to != '`')) to++;
    if ((quoted && to == end) || to == from || to - from >= NAME) return false;
    memcpy(name, from, (size_t)(to - from));
    name[to - from] = 0;
    *at = to + quoted;
    return true;
}

void mk_formula_put_name(FILE *to, const char *name)
{
    bool plain = begins_name(*name) && *name != '`';
    for (const char *c = name; *c && plain; c++) plain = continues_name(*c) && *c != '`';
    fprintf(to, plain ? "%s" : "`%s`", name);
}

void mk_formula_put_word(FILE *to, const char *word)
{
    const char quote = strchr(word, '"') ? '\'' : '"';
    fprintf(to, "%c%s%c", quote, word, quote);
}

/* ---- reading ---- */

/* What the words of a hyperparameter are as numbers; *out NULL: it has numbers. MK_EINPUT: a word is none. */
static int numbers_of(const struct mk_hyper *h, double **out, struct mk_error *err)
{
    char clip[2][MK_CLIP_ROOM];
    *out = NULL;
    if (!mk_hyper_is_word(h)) return MK_OK;
    double *x = malloc(h->n_words * sizeof *x);
    if (!x) return no_memory(err);
    for (size_t i = 0; i < h->n_words; i++)
        if (!mk_parse_real(h->word[i], strlen(h->word[i]), &x[i])) {
            free(x);
            return mk_fail(err, MK_EINPUT, "expected hyperparameters with numbers, but %s may be '%s'",
                           mk_clip(h->name, clip[0]), mk_clip(h->word[i], clip[1]));
        }
    *out = x;
    return MK_OK;
}

/* The place of a hyperparameter among those of the formula, which it joins. */
static int place_of(struct mk_formula *f, const struct mk_space *s, size_t of, size_t *at, struct mk_error *err)
{
    for (*at = 0; *at < f->n; ++*at)
        if (f->of[*at] == of) return MK_OK;
    if (f->n == MOST_NAMES) return mk_fail(err, MK_EINPUT, "more than %d hyperparameters", MOST_NAMES);
    if (!MK_GROW(f->of, f->n, 1) || !MK_GROW(f->number, f->n, 1)) return no_memory(err);
    int code = numbers_of(&s->hyper[of], &f->number[f->n], err);
    if (!code) f->of[f->n++] = of;
    return code;
}

/* The names of functions stay; other names become q0, q1, …. */
static int translate(struct mk_formula *f, const struct mk_space *s, const char *at, const char *end,
                     const struct mk_formula_names *names, FILE *to, struct mk_error *err)
{
    char name[NAME], clip[MK_CLIP_ROOM];
    int code = MK_OK;
    while (at < end && !code) {
        if (!begins_name(*at)) {
            const bool digit = isdigit((unsigned char)*at) || *at == '.';
            fputc(*at++, to);
            while (digit && at < end && (isalnum((unsigned char)*at) || *at == '.')) fputc(*at++, to);
            continue;
        }
        if (!take_name(&at, end, name)) return mk_fail(err, MK_EINPUT, "a name that does not end");
        const char *next = at;
        while (next < end && *next == ' ') next++;
        if (next < end && *next == '(') {
            fputs(name, to);
            continue;
        }
        const size_t of = names->find(names->of, name);
        size_t place = 0;
        if (of == SIZE_MAX) return mk_fail(err, MK_EINPUT, "unknown hyperparameter '%s'", mk_clip(name, clip));
        code = place_of(f, s, of, &place, err);
        fprintf(to, "q%zu", place);
    }
    return code;
}

/* Compiles f->text. */
static int compile(struct mk_formula *f, struct mk_error *err)
{
    char inner[MOST_NAMES][INNER];
    const char *name[MOST_NAMES];
    for (size_t i = 0; i < f->n; i++) {
        snprintf(inner[i], INNER, "q%zu", i);
        name[i] = inner[i];
    }
    return mk_expression_new(&f->e, f->text, name, f->n, err);
}

int mk_formula_read(struct mk_formula *f, const struct mk_space *s, const char *text, size_t length,
                    const struct mk_formula_names *names, struct mk_error *err)
{
    size_t size = 0;
    *f = (struct mk_formula){NULL};
    FILE *to = open_memstream(&f->text, &size);
    if (!to) return no_memory(err);
    int code = translate(f, s, text, text + length, names, to, err);
    if (fclose(to) && !code) code = no_memory(err);
    if (!code) code = compile(f, err);
    if (code) mk_formula_clear(f);
    return code;
}

void mk_formula_clear(struct mk_formula *f)
{
    for (size_t i = 0; i < f->n; i++) free(f->number[i]);
    free(f->number);
    free(f->of);
    free(f->text);
    mk_expression_free(f->e);
    *f = (struct mk_formula){NULL};
}

static bool copy_parts(struct mk_formula *to, const struct mk_formula *from, size_t by, const struct mk_space *s)
{
    struct mk_error ignored;
    to->text = strdup(from->text);
    if (!to->text || (from->n && (!MK_GROW(to->of, 0, from->n) || !MK_GROW(to->number, 0, from->n)))) return false;
    for (; to->n < from->n; to->n++) {
        to->of[to->n] = from->of[to->n] + by;
        if (numbers_of(&s->hyper[from->of[to->n]], &to->number[to->n], &ignored)) return false;
    }
    return true;
}

int mk_formula_copy(struct mk_formula *to, const struct mk_formula *from, size_t by, const struct mk_space *s,
                    struct mk_error *err)
{
    *to = (struct mk_formula){NULL};
    int code = copy_parts(to, from, by, s) ? MK_OK : no_memory(err);
    if (!code) code = compile(to, err);
    if (code) mk_formula_clear(to);
    return code;
}

/* ---- values ---- */

double mk_formula_value(const struct mk_formula *f, const double *v)
{
    double x[MOST_NAMES];
    for (size_t i = 0; i < f->n; i++) {
        x[i] = v[f->of[i]];
        if (isnan(x[i])) return NAN;
        if (f->number[i]) x[i] = f->number[i][(size_t)x[i]];
    }
    return mk_expression_value(f->e, x);
}

void mk_formula_range(const struct mk_formula *f, const struct mk_space *s, double *lo, double *hi)
{
    double from[MOST_NAMES], to[MOST_NAMES];
    for (size_t i = 0; i < f->n; i++) {
        const struct mk_hyper *h = &s->hyper[f->of[i]];
        from[i] = f->number[i] ? INFINITY : h->lo;
        to[i] = f->number[i] ? -INFINITY : h->hi;
        for (size_t w = 0; f->number[i] && w < h->n_words; w++) {
            from[i] = fmin(from[i], f->number[i][w]);
            to[i] = fmax(to[i], f->number[i][w]);
        }
    }
    mk_expression_range(f->e, from, to, lo, hi);
}

void mk_formula_put(FILE *to, const struct mk_formula *f, const struct mk_space *s)
{
    const char *at = f->text;
    while (*at) {
        char *end;
        const bool is_name = *at == 'q' && (at == f->text || !isalnum((unsigned char)at[-1]));
        const size_t i = is_name ? strtoul(at + 1, &end, 10) : 0;
        if (!is_name) {
            fputc(*at++, to);
            continue;
        }
        mk_formula_put_name(to, s->hyper[f->of[i]].name);
        at = end;
    }
}

/* ---- relations ---- */

const char *const mk_hyper_relation_sign[] = {[MK_IS_BELOW] = "<",     [MK_IS_AT_MOST] = "<=", [MK_IS_ABOVE] = ">",
                                              [MK_IS_AT_LEAST] = ">=", [MK_IS_EQUAL] = "==",   [MK_IS_UNEQUAL] = "!="};

bool mk_hyper_relation_holds(const struct mk_hyper_relation *r, const double *v)
{
    const double a = mk_formula_value(&r->left, v), b = mk_formula_value(&r->right, v);
    if (isnan(a) || isnan(b)) return false;
    switch (r->kind) {
    case MK_IS_BELOW: return a < b;
    case MK_IS_AT_MOST: return a <= b;
    case MK_IS_ABOVE: return a > b;
    case MK_IS_AT_LEAST: return a >= b;
    case MK_IS_EQUAL: return a == b;
    default: return a != b;
    }
}

void mk_hyper_relation_clear(struct mk_hyper_relation *r)
{
    mk_formula_clear(&r->left);
    mk_formula_clear(&r->right);
}

int mk_hyper_relation_copy(struct mk_hyper_relation *to, const struct mk_hyper_relation *from, size_t by,
                           const struct mk_space *s, struct mk_error *err)
{
    *to = (struct mk_hyper_relation){.kind = from->kind};
    int code = mk_formula_copy(&to->left, &from->left, by, s, err);
    if (!code) code = mk_formula_copy(&to->right, &from->right, by, s, err);
    if (code) mk_hyper_relation_clear(to);
    return code;
}

/* ---- combinations ---- */

static void trim(const char **from, const char **to)
{
    while (*from < *to && isspace((unsigned char)**from)) ++*from;
    while (*from < *to && isspace((unsigned char)(*to)[-1])) --*to;
}

/* After what is between quotes at `at`, or `at` itself. */
static const char *after_quotes(const char *at, const char *end)
{
    if (*at != '"' && *at != '\'' && *at != '`') return at;
    const char *close = memchr(at + 1, *at, (size_t)(end - at) - 1);
    return close ? close + 1 : end;
}

/* The end of the first comparison, and where the next one begins (NULL: there is none). */
static const char *find_and(const char *at, const char *end, const char **next)
{
    for (const char *from = at; at < end; at++) {
        const char *after = after_quotes(at, end);
        if (after > at) {
            at = after - 1;
            continue;
        }
        const bool word = at > from && isspace((unsigned char)at[-1]) && end - at > 4 && strncmp(at, "and", 3) == 0 &&
                          isspace((unsigned char)at[3]);
        if (!word && !(*at == '&' && end - at > 1 && at[1] == '&')) continue;
        *next = at + (word ? 3 : 2);
        return at;
    }
    *next = NULL;
    return end;
}

/* The sign of a comparison, the first one; NULL: there is none. */
static const char *find_sign(const char *at, const char *end, enum mk_hyper_relation_kind *kind)
{
    for (; at < end; at++) {
        const char *after = after_quotes(at, end);
        const bool or_equal = end - at > 1 && at[1] == '=';
        if (after > at) {
            at = after - 1;
        } else if (*at == '<' || *at == '>') {
            *kind = *at == '<' ? (or_equal ? MK_IS_AT_MOST : MK_IS_BELOW) : or_equal ? MK_IS_AT_LEAST : MK_IS_ABOVE;
            return at;
        } else if ((*at == '=' || *at == '!') && or_equal) {
            *kind = *at == '=' ? MK_IS_EQUAL : MK_IS_UNEQUAL;
            return at;
        }
    }
    return NULL;
}

/* The hyperparameter with words whose name the text is; SIZE_MAX: it is none. */
static size_t word_hyper(const struct mk_space *s, const char *from, const char *to,
                         const struct mk_formula_names *names)
{
    char name[NAME];
    if (from == to || !begins_name(*from) || !take_name(&from, to, name) || from != to) return SIZE_MAX;
    const size_t of = names->find(names->of, name);
    return of != SIZE_MAX && mk_hyper_is_word(&s->hyper[of]) ? of : SIZE_MAX;
}

/* The comparison of a hyperparameter with one of its words. */
static int read_word(struct mk_clause *c, const struct mk_space *s, size_t of, bool is, const char *from,
                     const char *to, struct mk_error *err)
{
    const struct mk_hyper *h = &s->hyper[of];
    char clip[2][MK_CLIP_ROOM], range[256];
    double v;
    if (to - from > 1 && (*from == '"' || *from == '\'') && to[-1] == *from) from++, to--;
    if (!mk_hyper_parse(h, from, (size_t)(to - from), &v))
        return mk_fail(err, MK_EINPUT, "%s: expected %s, got '%s'", mk_clip(h->name, clip[0]),
                       mk_hyper_range(h, range, sizeof range), mk_clip_bytes(from, (size_t)(to - from), clip[1]));
    *c = (struct mk_clause){.of = of, .value = malloc(h->n_words * sizeof *c->value)};
    if (!c->value) return no_memory(err);
    for (size_t w = 0; w < h->n_words; w++)
        if (((double)w == v) == is) c->value[c->n_values++] = (double)w;
    if (!c->n_values) c->lo = 1; /* above hi: never */
    return MK_OK;
}

/* One comparison. */
static int read_one(struct mk_forbidden *f, const struct mk_space *s, const char *from, const char *to,
                    const struct mk_formula_names *names, struct mk_error *err)
{
    enum mk_hyper_relation_kind kind = MK_IS_EQUAL;
    char clip[MK_CLIP_ROOM];
    trim(&from, &to);
    const char *sign = find_sign(from, to, &kind);
    if (!sign)
        return mk_fail(err, MK_EINPUT, "expected a comparison such as \"x + y > 4\", got '%s'",
                       mk_clip_bytes(from, (size_t)(to - from), clip));
    const char *left_end = sign, *right = sign + strlen(mk_hyper_relation_sign[kind]), *right_end = to;
    trim(&from, &left_end);
    trim(&right, &right_end);
    const size_t word = word_hyper(s, from, left_end, names);
    if (word != SIZE_MAX && (kind == MK_IS_EQUAL || kind == MK_IS_UNEQUAL) &&
        word_hyper(s, right, right_end, names) == SIZE_MAX) {
        if (!MK_GROW(f->clause, f->n, 1)) return no_memory(err);
        int code = read_word(&f->clause[f->n], s, word, kind == MK_IS_EQUAL, right, right_end, err);
        f->n += !code;
        return code;
    }
    if (!MK_GROW(f->relation, f->n_relations, 1)) return no_memory(err);
    struct mk_hyper_relation *r = &f->relation[f->n_relations];
    *r = (struct mk_hyper_relation){.kind = kind};
    int code = mk_formula_read(&r->left, s, from, (size_t)(left_end - from), names, err);
    if (!code) code = mk_formula_read(&r->right, s, right, (size_t)(right_end - right), names, err);
    if (code)
        mk_hyper_relation_clear(r);
    else
        f->n_relations++;
    return code;
}

int mk_forbidden_read(struct mk_forbidden *f, const struct mk_space *s, const char *text,
                      const struct mk_formula_names *names, struct mk_error *err)
{
    const char *end = text + strlen(text), *next = text;
    int code = MK_OK;
    *f = (struct mk_forbidden){0};
    do {
        const char *from = next, *to = find_and(from, end, &next);
        code = read_one(f, s, from, to, names, err);
    } while (!code && next);
    if (code) mk_forbidden_clear(f);
    return code;
}

void mk_forbidden_clear(struct mk_forbidden *f)
{
    mk_clauses_free(f->clause, f->n);
    for (size_t i = 0; i < f->n_relations; i++) mk_hyper_relation_clear(&f->relation[i]);
    free(f->relation);
    *f = (struct mk_forbidden){0};
}

/* ---- writing ---- */

/* A clause that mk_forbidden_read has read: one word, or all but one. */
static void put_clause(FILE *to, const struct mk_clause *c, const struct mk_space *s)
{
    const struct mk_hyper *h = &s->hyper[c->of];
    size_t other = 0;
    while (c->n_values > 1 && other < c->n_values && c->value[other] == (double)other) other++;
    const bool is = c->n_values == 1;
    mk_formula_put_name(to, h->name);
    fputs(is ? " == " : " != ", to);
    mk_formula_put_word(to, h->word[is ? (size_t)c->value[0] : other]);
}

char *mk_forbidden_text(const struct mk_forbidden *f, const struct mk_space *s)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    for (size_t i = 0; i < f->n; i++) {
        fputs(i ? " and " : "", to);
        put_clause(to, &f->clause[i], s);
    }
    for (size_t i = 0; i < f->n_relations; i++) {
        fputs(i || f->n ? " and " : "", to);
        mk_formula_put(to, &f->relation[i].left, s);
        fprintf(to, " %s ", mk_hyper_relation_sign[f->relation[i].kind]);
        mk_formula_put(to, &f->relation[i].right, s);
    }
    if (!fclose(to)) return text;
    free(text);
    return NULL;
}

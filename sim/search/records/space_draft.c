#include "sim/search/records/space_draft.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/search/space/formula.h"
#include "sim/search/space/space_read.h"

enum { SENTENCE = 1000, NAME = 200 };

/* ---- messages ---- */

int mk_draft_fail(const struct mk_space_draft *d, const char *format, ...)
{
    char text[SENTENCE];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    return mk_fail(d->err, MK_EINPUT, "%s:%zu: %s", d->path, d->line, text);
}

int mk_draft_note(struct mk_space_draft *d, const char *format, ...)
{
    char text[SENTENCE];
    const int at = snprintf(text, sizeof text, "%.300s:%zu: ", d->path, d->line);
    va_list ap;
    va_start(ap, format);
    vsnprintf(text + at, sizeof text - (size_t)at, format, ap);
    va_end(ap);
    mk_text_one_line(text);
    return mk_string_table_add(&d->notes, text, strlen(text), NULL) == SIZE_MAX ? mk_fail_memory(d->err, "notes")
                                                                                : MK_OK;
}

/* ---- texts ---- */

char *mk_draft_trim(char *text)
{
    while (isspace((unsigned char)*text)) text++;
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]);) text[--n] = 0;
    return text;
}

char *mk_draft_unquote(char *text)
{
    text = mk_draft_trim(text);
    const size_t n = strlen(text);
    if (n < 2 || (*text != '"' && *text != '\'') || text[n - 1] != *text) return text;
    text[n - 1] = 0;
    return text + 1;
}

char *mk_draft_item(char **list)
{
    char *first = *list, quote = 0;
    int depth = 0;
    if (!first || !*mk_draft_trim(first)) return NULL;
    for (char *c = first; *c; c++) {
        if (quote)
            quote = *c == quote ? 0 : quote;
        else if (*c == '"' || *c == '\'')
            quote = *c;
        else if (*c == '(' || *c == '{' || *c == '[')
            depth++;
        else if (*c == ')' || *c == '}' || *c == ']')
            depth--;
        else if (*c == ',' && depth == 0) {
            *c = 0;
            *list = c + 1;
            return mk_draft_unquote(first);
        }
    }
    *list = NULL;
    return mk_draft_unquote(first);
}

/* ---- the space ---- */

struct mk_node *mk_draft_hyper(struct mk_space_draft *d, const char *name, const char *form, struct mk_node *value)
{
    struct mk_node *h = mk_node_add(d->space, name, mk_node_new(MK_NODE_MAPPING, 1));
    if (!h) {
        mk_node_free(value);
        return NULL;
    }
    return mk_node_add(h, form, value) ? h : NULL;
}

int mk_draft_forbid(struct mk_space_draft *d, struct mk_node *mapping)
{
    if (!d->forbid) d->forbid = mk_node_add(d->root, "forbid", mk_node_new(MK_NODE_LIST, 0));
    if (!d->forbid) mk_node_free(mapping);
    return d->forbid && mk_node_add(d->forbid, NULL, mapping) ? MK_OK : mk_fail_memory(d->err, "a search space");
}

/* ---- conditions ---- */

/* Parentheses around the whole text are dropped. */
static char *without_parentheses(char *text)
{
    for (;;) {
        text = mk_draft_trim(text);
        const size_t n = strlen(text);
        int depth = 0;
        if (n < 2 || *text != '(' || text[n - 1] != ')') return text;
        for (size_t i = 0; i + 1 < n; i++) {
            depth += (text[i] == '(') - (text[i] == ')');
            if (depth == 0) return text;
        }
        text[n - 1] = 0;
        text++;
    }
}

/* Cuts the text before its next && or & on the outside; *rest: after it, NULL: none. False: there is an "or" or a
 * "not". */
static bool next_atom(char *text, char **rest)
{
    char quote = 0;
    int depth = 0;
    *rest = NULL;
    for (char *c = text; *c; c++) {
        if (quote) {
            quote = *c == quote ? 0 : quote;
            continue;
        }
        if (*c == '"' || *c == '\'') quote = *c;
        depth += (*c == '(' || *c == '{') - (*c == ')' || *c == '}');
        if (*c == '|' || (*c == '!' && c[1] != '=')) return false;
        if (depth || *c != '&') continue;
        *rest = c + (c[1] == '&' ? 2 : 1);
        *c = 0;
        return true;
    }
    return true;
}

/* Ends an identifier at *at; NULL: there is none. */
static char *take_name(char **at, char name[NAME])
{
    char *c = mk_draft_trim(*at);
    size_t n = 0;
    while (isalnum((unsigned char)c[n]) || strchr("._-:@$", c[n] ? c[n] : ' ')) n++;
    if (!n || n >= NAME) return NULL;
    memcpy(name, c, n);
    name[n] = 0;
    *at = c + n;
    while (isspace((unsigned char)**at)) ++*at;
    return name;
}

/* Adds a list of the values within the brackets. */
static bool add_values(struct mk_node *to, const char *name, char *values)
{
    struct mk_node *list = mk_node_new(MK_NODE_LIST, 1);
    bool good = list != NULL;
    for (char *item; good && (item = mk_draft_item(&values));)
        good = mk_node_add(list, NULL, mk_node_text(item)) != NULL;
    return mk_node_add(to, name, list) && good;
}

/* The values of a hyperparameter of words but one. */
static bool add_others(const struct mk_space_draft *d, struct mk_node *to, const char *name, const char *but)
{
    const struct mk_node *h = mk_node_get(d->space, name), *words = mk_node_get(h, "categorical");
    if (!words) words = mk_node_get(h, "ordinal");
    struct mk_node *list = words ? mk_node_new(MK_NODE_LIST, 1) : NULL;
    for (size_t i = 0; list && i < words->n; i++)
        if (strcmp(words->child[i]->text, but) != 0) mk_node_add(list, NULL, mk_node_text(words->child[i]->text));
    return list && mk_node_add(to, name, list);
}

/* One comparison; a second one of numbers joins the first. */
static bool add_comparison(struct mk_node *to, const char *name, const char *operator, const char * value)
{
    const struct mk_node *before = mk_node_get(to, name);
    char text[SENTENCE];
    double number;
    if (!mk_parse_real(value, strlen(value), &number)) return false;
    if (before && (before->kind != MK_NODE_SCALAR || strstr(before->text, " and "))) return false;
    snprintf(text, sizeof text, "%s%s%s %s", before ? before->text : "", before ? " and " : "", operator, value);
    mk_node_free(mk_node_take(to, name));
    return mk_node_add(to, name, mk_node_text(text)) != NULL;
}

/* `a == "x"`, `a %in% c("x", "y")`, `a in {x, y}`, `a > 2`; false: another form. */
static bool add_atom(const struct mk_space_draft *d, char *text, struct mk_node *to)
{
    static const char *const operators[] = {"%in%", "in", "==", "!=", ">=", "<=", ">", "<", "="};
    enum { IN, IN_WORD, EQUAL, NOT, AT_LEAST, AT_MOST, ABOVE, BELOW, IS, OPERATORS };
    char name[NAME], *at = without_parentheses(text);
    if (!take_name(&at, name)) return false;
    size_t o = 0;
    while (o < OPERATORS && strncmp(at, operators[o], strlen(operators[o])) != 0) o++;
    if (o == OPERATORS) return false;
    char *value = mk_draft_trim(at + strlen(operators[o]));
    if (o == IN || o == IN_WORD) {
        if (*value == 'c') value = mk_draft_trim(value + 1);
        const size_t n = strlen(value);
        if (n < 2 || mk_node_get(to, name)) return false;
        value[n - 1] = 0;
        return add_values(to, name, value + 1);
    }
    value = mk_draft_unquote(value);
    if (strpbrk(value, "+*/()^") || !*value) return false;
    if (o == NOT) return !mk_node_get(to, name) && add_others(d, to, name, value);
    if (o == EQUAL || o == IS) return !mk_node_get(to, name) && mk_node_add(to, name, mk_node_text(value));
    return add_comparison(to, name, operators[o], value);
}

int mk_draft_conditions(struct mk_space_draft *d, const char *text, struct mk_node *to, bool *good)
{
    char *copy = strdup(text), *rest = copy;
    struct mk_node *found = mk_node_new(MK_NODE_MAPPING, 1);
    int code = copy && found ? MK_OK : mk_fail_memory(d->err, "a condition");
    *good = !code;
    for (char *at; *good && (at = rest);) {
        at = without_parentheses(at);
        *good = next_atom(at, &rest);
        if (*good && strcmp(mk_draft_trim(at), "TRUE") != 0) *good = add_atom(d, at, found);
    }
    for (size_t i = 0; !code && *good && i < found->n; i++) {
        struct mk_node *one = mk_node_copy(found->child[i]);
        if (!mk_node_add(to, found->child[i]->key, one)) code = mk_fail_memory(d->err, "a condition");
    }
    mk_node_free(found);
    free(copy);
    return code;
}

/* ---- relations ---- */

static size_t find_name(const void *of, const char *name)
{
    return mk_space_find(of, name);
}

/* Whether a text is a combination of relations in the space so far. */
static int is_relation(const struct mk_space_draft *d, const char *text, bool *is)
{
    struct mk_error why;
    struct mk_space *space = NULL;
    struct mk_forbidden f;
    int code = mk_space_read(&space, d->space, &why);
    const struct mk_formula_names names = {find_name, space};
    if (code) return mk_fail(d->err, code, "%s: %s", d->path, why.text);
    code = mk_forbidden_read(&f, space, text, &names, &why);
    *is = !code;
    if (!code) mk_forbidden_clear(&f);
    mk_space_free(space);
    return code == MK_ENOMEM ? mk_fail_memory(d->err, "a relation") : MK_OK;
}

int mk_draft_forbid_relations(struct mk_space_draft *d, const char *text, bool *good)
{
    char *copy = strdup(text), *rest = copy, *joint = NULL;
    size_t size = 0;
    FILE *to = copy ? open_memstream(&joint, &size) : NULL;
    int code = to ? MK_OK : mk_fail_memory(d->err, "a relation");
    *good = !code;
    for (char *at; *good && (at = rest);) {
        at = without_parentheses(at);
        *good = next_atom(at, &rest);
        fprintf(to, "%s%s", ftell(to) ? " and " : "", without_parentheses(at));
    }
    if (to && fclose(to)) code = mk_fail_memory(d->err, "a relation");
    if (!code && *good) code = is_relation(d, joint, good);
    if (!code && *good) code = mk_draft_forbid(d, mk_node_text(joint));
    free(joint);
    free(copy);
    return code;
}

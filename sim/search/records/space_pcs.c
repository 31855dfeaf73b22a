/* Parameter configuration spaces of ParamILS and SMAC, in both forms:
 *
 *     name {a, b} [a]                  name categorical {a, b} [a]     name ordinal {a, b} [a]
 *     name [low, high] [default] i l   name integer [low, high] [default] log
 *     child | parent in {a, b}         child | parent == a && other > 2
 *     {name = a, other = b}                                            forbidden
 *     {name + other > 4 && third == a}                                 forbidden, the advanced form
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/yaml_values.h"
#include "sim/search/records/space_draft.h"

/* Cuts what is within the next brackets; NULL: there is none. */
static char *cut_brackets(char **at, char open, char close)
{
    char *from = strchr(*at, open), *to = from ? strchr(from, close) : NULL;
    if (!to) return NULL;
    *from = *to = 0;
    *at = to + 1;
    return from + 1;
}

static struct mk_node *list_of(char *items)
{
    struct mk_node *list = mk_node_new(MK_NODE_LIST, 1);
    for (char *item; list && (item = mk_draft_item(&items));)
        if (!mk_node_add(list, NULL, mk_node_scalar(item, strlen(item)))) {
            mk_node_free(list);
            return NULL;
        }
    return list;
}

static int read_parameter(struct mk_space_draft *d, char *line)
{
    char *at = line, *bracket = line + strcspn(line, "[{");
    const bool words = *bracket == '{';
    char *within = *bracket ? cut_brackets(&at, *bracket, words ? '}' : ']') : NULL;
    char *initial = within ? cut_brackets(&at, '[', ']') : NULL;
    char *type = line + strcspn(line, " \t");
    if (*type) *type++ = 0;
    type = mk_draft_trim(type);
    if (!initial || !*line) return mk_draft_fail(d, "expected name {values} [default] or name [low, high] [default]");
    if (mk_node_get(d->space, line)) return mk_draft_fail(d, "%s: there twice", line);
    const char *flags = mk_draft_trim(at);
    const bool integer = *type ? *type == 'i' : strchr(flags, 'i') != NULL;
    struct mk_node *list = list_of(within);
    const char *form = words ? (*type == 'o' ? "ordinal" : "categorical") : integer ? "integer" : "real";
    struct mk_node *h = NULL;
    if (list && words && list->n == 1) {
        h = mk_draft_hyper(d, line, "constant", mk_node_copy(list->child[0]));
        mk_node_free(list);
        return h ? MK_OK : mk_fail_memory(d->err, "a search space");
    }
    if (list) h = mk_draft_hyper(d, line, form, list);
    initial = mk_draft_trim(initial);
    const bool good = h && (words || !strchr(flags, 'l') || mk_add_text(h, "log", "true")) &&
                      mk_node_add(h, "default", mk_node_scalar(initial, strlen(initial)));
    return good ? MK_OK : mk_fail_memory(d->err, "a search space");
}

static int read_condition(struct mk_space_draft *d, char *line)
{
    char *bar = strchr(line, '|');
    bool good = true;
    *bar = 0;
    struct mk_node *h = mk_node_get(d->space, mk_draft_trim(line)), *own = h ? mk_node_get(h, "when") : NULL;
    if (!h) return mk_draft_fail(d, "expected the name of a parameter before |, got '%.80s'", mk_draft_trim(line));
    struct mk_node *when = own ? mk_node_copy(own) : mk_node_new(MK_NODE_MAPPING, 1);
    int code = when ? mk_draft_conditions(d, bar + 1, when, &good) : mk_fail_memory(d->err, "a condition");
    if (!code && !good)
        code = mk_draft_note(d, "%s: the condition '%s' has no form here", mk_draft_trim(line), bar + 1);
    mk_node_free(mk_node_take(h, "when"));
    if (when && !when->n) {
        mk_node_free(when);
        return code;
    }
    return mk_node_add(h, "when", when) ? code : mk_fail_memory(d->err, "a condition");
}

static int read_forbidden(struct mk_space_draft *d, char *line)
{
    char *at = line, *items = cut_brackets(&at, '{', '}'), *whole = items ? strdup(items) : NULL;
    struct mk_node *mapping = mk_node_new(MK_NODE_MAPPING, 1);
    bool good = items && mapping;
    for (char *item; good && (item = mk_draft_item(&items));) {
        char *equal = strchr(item, '=');
        good = equal && !strpbrk(item, "<>!&|+*/^(") && !strchr(equal + 1 + (equal[1] == '='), '=');
        if (!good) break;
        *equal = 0;
        char *value = mk_draft_trim(equal + 1 + (equal[1] == '='));
        good = mk_node_add(mapping, mk_draft_trim(item), mk_node_scalar(value, strlen(value))) != NULL;
    }
    if (good) {
        free(whole);
        return mk_draft_forbid(d, mapping);
    }
    mk_node_free(mapping);
    int code = whole ? mk_draft_forbid_relations(d, whole, &good) : MK_OK;
    free(whole);
    if (code || good) return code;
    return mk_draft_note(d, "a clause that is no list of name = value has no form here; it is not forbidden");
}

int mk_space_read_pcs(struct mk_space_draft *d, char *text)
{
    int code = MK_OK;
    char *line = text;
    for (d->line = 1; line && !code; d->line++) {
        char *end = strchr(line, '\n');
        if (end) *end = 0;
        char *hash = strchr(line, '#'), *next = end ? end + 1 : NULL;
        if (hash) *hash = 0;
        line = mk_draft_trim(line);
        if (*line == '{')
            code = read_forbidden(d, line);
        else if (*line && strchr(line, '|'))
            code = read_condition(d, line);
        else if (*line && !strchr(line, '[') && !strchr(line, '{'))
            code = mk_draft_note(d, "'%s' is left out", line); /* headings such as "Conditionals:" */
        else if (*line)
            code = read_parameter(d, line);
        line = next;
    }
    return code;
}

#include "sim/search/space/space_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/yaml_values.h"
#include "sim/search/space/formula.h"

enum { LONGEST_PATH = 1000, MOST_NAMES = 64 };

static const struct mk_param any_number = {"range", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, -INFINITY, INFINITY,
                                           NULL,    NULL};

struct reader {
    struct mk_space *s;
    const struct mk_node **node; /* [MK_SPACE_MOST] the mapping of every hyperparameter */
    double *def;                 /* [MK_SPACE_MOST] defaults of those whose ranges depend on others */
    struct mk_error *err;
};

/* Scope of names: the space of an algorithm within a choice, and the spaces around it. */
struct scope {
    const char *prefix; /* of the names of the space: "" or "CHOICE.ALGORITHM." */
    const struct scope *outer;
};

static int no_memory(const struct reader *r)
{
    return mk_fail_memory(r->err, "a search space");
}

/* ---- hyperparameters ---- */

enum {
    NUMBERS = MK_FORM_REAL | MK_FORM_INTEGER,
    WORDS = MK_FORM_ORDINAL | MK_FORM_CATEGORICAL | MK_FORM_CHOICE,
    N_FORMS = 6,
    FORM_CHOICE = N_FORMS - 1,
    KEY_LOG = N_FORMS,
    KEY_STEP
};

#define PARTS(name, help)                                                                                              \
    {                                                                                                                  \
        name, MK_PARTS, 0, 0, 0, 0, NULL, help                                                                         \
    }
const struct mk_space_key mk_space_keys[] = {
    {0,
     PARTS("real", "[low, high]: a number. An end may be a formula of other numbers, such as \"2 * x\": the range then "
                   "depends on them, and values beyond it are not tried")},
    {0, PARTS("integer", "[low, high]: a whole number; ends as of real")},
    {0, PARTS("ordinal", "list of values in their order")},
    {0, PARTS("categorical", "list of values")},
    {0, PARTS("constant", "a value")},
    {0,
     PARTS("choice",
           "{ALGORITHM: SPACE, …}: one of several algorithms, whose hyperparameters NAME.ALGORITHM.… are active when "
           "it is chosen")},
    {NUMBERS, {"log", MK_CHOICE, 0, 0, 0, 0, "false|true", "true: drawn and searched on a log scale; false (default)"}},
    {NUMBERS,
     {"step", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0, 0, INFINITY, NULL,
      "values are low, low + step, …; a number > 0 (default: any value)"}},
    {NUMBERS | WORDS,
     PARTS("default", "its value in the default configuration, with which some optimisers begin (default: the "
                      "middle of the range, or the first value)")},
    {NUMBERS | WORDS | MK_FORM_CONSTANT,
     PARTS("when",
           "{NAME: value, list of values, or a comparison of numbers such as \"> 2\" or \">= 2 and < 10\"}: it is "
           "active where all of these hold")},
    {MK_OF_SPACE,
     PARTS(
         "forbid",
         "list of {NAME: value, list of values, or a comparison as in `when`} or of relations such as \"x + y > 4\" or "
         "\"kernel == rbf and x < y\", combinations that are not tried")},
    {0, MK_PARAMS_END}};

const char *mk_space_key_forms(const struct mk_space_key *key, char *out, size_t room)
{
    const char *name[N_FORMS];
    size_t n = 0;
    for (size_t form = 0; form < N_FORMS; form++)
        if (key->forms & 1u << form) name[n++] = mk_space_keys[form].key.name;
    if (n) return mk_join(name, n, out, room);
    snprintf(out, room, key->forms & MK_OF_SPACE ? "space" : "hyperparameter");
    return out;
}

/* The form of the mapping. */
static int find_form(const struct reader *r, const struct mk_node *node, size_t *form)
{
    char clip[MK_CLIP_ROOM], all[200], key[MK_CLIP_ROOM];
    mk_clip(node->key, key);
    const char *form_names[N_FORMS];
    size_t n = 0;
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(r->err, node->where, key, "expected a mapping such as {real: [0, 1]}, got %s",
                          mk_node_describe(node, clip));
    for (size_t i = 0; i < N_FORMS; i++) {
        form_names[i] = mk_space_keys[i].key.name;
        if (!mk_node_get(node, form_names[i])) continue;
        *form = i;
        n++;
    }
    if (n == 1) return MK_OK;
    return mk_fail_at(r->err, node->where, key, "expected exactly one of %s",
                      mk_join(form_names, N_FORMS, all, sizeof all));
}

/* Whether the end of a range is a formula, which can be read when all hyperparameters are known. */
static bool is_formula(const struct mk_node *end)
{
    return end->kind == MK_NODE_SCALAR && mk_formula_has_name(end->text, end->length);
}

/* [low, high] of a number; NULL: of words. */
static const struct mk_node *range_of(const struct mk_node *hyper)
{
    const struct mk_node *range = mk_node_get(hyper, "real");
    return range ? range : mk_node_get(hyper, "integer");
}

static bool has_formula(const struct mk_node *hyper)
{
    const struct mk_node *range = range_of(hyper);
    return range && range->kind == MK_NODE_LIST && range->n == 2 &&
           (is_formula(range->child[0]) || is_formula(range->child[1]));
}

/* One that has_formula: numbers that any scale takes stand in for its range. */
static void stand_in(struct mk_hyper *h)
{
    h->lo = 1;
    h->hi = 2 + h->step;
    h->def = NAN;
}

static int read_range(const struct reader *r, const struct mk_node *node, size_t form, struct mk_hyper *h)
{
    char clip[MK_CLIP_ROOM];
    struct mk_param end = any_number;
    end.name = mk_space_keys[form].key.name;
    if (form == MK_HYPER_INTEGER) end.kind = MK_INTEGER;
    const struct mk_node *range = mk_node_get(node, mk_space_keys[form].key.name), *log = mk_node_get(node, "log");
    const struct mk_node *step = mk_node_get(node, "step");
    if (range->kind != MK_NODE_LIST || range->n != 2)
        return mk_fail_at(r->err, range->where, mk_space_keys[form].key.name, "expected [low, high], got %s",
                          mk_node_describe(range, clip));
    int code = MK_OK;
    if (!is_formula(range->child[0])) code = mk_read_param(range->child[0], &end, 0, &h->lo, r->err);
    if (!code && !is_formula(range->child[1])) code = mk_read_param(range->child[1], &end, 0, &h->hi, r->err);
    double word = 0;
    if (!code && log) code = mk_read_param(log, &mk_space_keys[KEY_LOG].key, 0, &word, r->err);
    struct mk_param size = mk_space_keys[KEY_STEP].key;
    if (form == MK_HYPER_INTEGER) size.kind = MK_INTEGER;
    if (!code && step) code = mk_read_param(step, &size, 0, &h->step, r->err);
    h->log = word != 0;
    return code;
}

/* A range of one number is a constant. text: room for it, which h borrows. */
static int make_constant(const struct reader *r, struct mk_hyper *h, char text[32])
{
    h->word = malloc(sizeof *h->word);
    h->is_text = calloc(1, sizeof *h->is_text);
    if (!h->word || !h->is_text) return no_memory(r);
    h->word[0] = text;
    mk_format_real(h->lo, text, 32);
    h->n_words = 1;
    h->kind = MK_HYPER_CONSTANT;
    h->log = false;
    h->step = 0;
    return MK_OK;
}

/* Words borrow their text from the tree. */
static int read_words(const struct reader *r, const struct mk_node *node, size_t form, struct mk_hyper *h)
{
    char clip[MK_CLIP_ROOM];
    const struct mk_node *list = mk_node_get(node, mk_space_keys[form].key.name);
    const bool one = form == MK_HYPER_CONSTANT;
    const enum mk_node_kind kind = form == FORM_CHOICE ? MK_NODE_MAPPING : MK_NODE_LIST;
    if (!one && (list->kind != kind || !list->n))
        return mk_fail_at(r->err, list->where, mk_space_keys[form].key.name,
                          form == FORM_CHOICE ? "expected a mapping of algorithms and their spaces, got %s"
                                              : "expected a list of at least one value, got %s",
                          mk_node_describe(list, clip));
    const size_t n = one ? 1 : list->n;
    if (n > MK_SPACE_MOST_WORDS)
        return mk_fail_at(r->err, list->where, mk_space_keys[form].key.name, "expected at most %d values, got %zu",
                          MK_SPACE_MOST_WORDS, n);
    h->word = calloc(n, sizeof *h->word);
    h->is_text = calloc(n, sizeof *h->is_text);
    if (!h->word || !h->is_text) return no_memory(r);
    for (; h->n_words < n; h->n_words++) {
        const struct mk_node *word = one ? list : list->child[h->n_words];
        if (form != FORM_CHOICE && (word->kind != MK_NODE_SCALAR || !mk_text_printable(word->text, word->length)))
            return mk_fail_at(r->err, word->where, mk_space_keys[form].key.name, "expected a value, got %s",
                              mk_node_describe(word, clip));
        const char *problem = form == FORM_CHOICE ? mk_label_problem(word->key, 0) : NULL;
        if (problem)
            return mk_fail_at(r->err, word->key_where, mk_space_keys[form].key.name, "expected %s as a name", problem);
        h->word[h->n_words] = form == FORM_CHOICE ? word->key : word->text;
        h->is_text[h->n_words] = form == FORM_CHOICE || word->quoted;
    }
    return MK_OK;
}

static int read_default(const struct reader *r, const struct mk_node *node, const struct mk_hyper *h, double *def)
{
    const struct mk_node *at = mk_node_get(node, "default");
    char clip[MK_CLIP_ROOM], range[256];
    if (!at) return MK_OK;
    if (!mk_hyper_is_word(h)) {
        struct mk_param number = any_number;
        number.name = "default";
        if (h->kind == MK_HYPER_INTEGER) number.kind = MK_INTEGER;
        return mk_read_param(at, &number, 0, def, r->err);
    }
    if (at->kind == MK_NODE_SCALAR && mk_hyper_parse(h, at->text, at->length, def)) return MK_OK;
    return mk_fail_at(r->err, at->where, "default", "expected %s, got %s", mk_hyper_range(h, range, sizeof range),
                      mk_node_describe(at, clip));
}

static int check_hyper_keys(const struct reader *r, const struct mk_node *node, size_t form)
{
    const char *allowed[sizeof mk_space_keys / sizeof *mk_space_keys];
    char what[64];
    size_t n = 0;
    allowed[n++] = mk_space_keys[form].key.name;
    for (const struct mk_space_key *k = mk_space_keys; k->key.name; k++)
        if (k->forms & 1u << form) allowed[n++] = k->key.name;
    const char *const kind = mk_space_keys[form].key.name;
    snprintf(what, sizeof what, "%s %s hyperparameter", *kind == 'i' ? "an" : "a", kind);
    return mk_check_keys(node, what, allowed, n, r->err);
}

static int declare_all(struct reader *r, const struct mk_node *node, const char *prefix);

/* "CHOICE.ALGORITHM." */
static int make_prefix(const struct reader *r, const char *choice, const struct mk_node *algorithm, char *prefix)
{
    int length = snprintf(prefix, LONGEST_PATH, "%s.%s.", choice, algorithm->key);
    if (length < LONGEST_PATH) return MK_OK;
    return mk_fail_at(r->err, algorithm->key_where, "choice", "a name of more than %d bytes", LONGEST_PATH);
}

/* `svm:` without a value is an algorithm without hyperparameters, like {}. */
static bool has_space(const struct mk_node *algorithm)
{
    return algorithm->kind != MK_NODE_SCALAR || algorithm->length;
}

/* The spaces of the words of a choice. */
static int declare_algorithms(struct reader *r, const struct mk_node *choice, const char *name, size_t root)
{
    char prefix[LONGEST_PATH];
    int code = MK_OK;
    for (size_t w = 0; !code && w < choice->n; w++) {
        const size_t first = r->s->n;
        code = make_prefix(r, name, choice->child[w], prefix);
        if (!code && has_space(choice->child[w])) code = declare_all(r, choice->child[w], prefix);
        for (size_t i = first; !code && i < r->s->n; i++) code = mk_space_require(r->s, i, root, (double)w, r->err);
    }
    return code;
}

static int declare(struct reader *r, const struct mk_node *node, const char *prefix)
{
    struct mk_hyper h = {.def = NAN};
    char name[LONGEST_PATH], clip[MK_CLIP_ROOM], one[32];
    size_t form = 0;
    const char *problem = mk_label_problem(node->key, 0);
    if (problem)
        return mk_fail_at(r->err, node->key_where, NULL, "expected %s as the name of a hyperparameter", problem);
    if (snprintf(name, sizeof name, "%s%s", prefix, node->key) >= LONGEST_PATH)
        return mk_fail_at(r->err, node->key_where, NULL, "names of more than %d bytes", LONGEST_PATH);
    int code = find_form(r, node, &form);
    if (!code) code = check_hyper_keys(r, node, form);
    if (code) return code;
    h.name = name;
    h.kind = form == FORM_CHOICE ? MK_HYPER_CATEGORICAL : (enum mk_hyper_kind)form;
    h.choice = form == FORM_CHOICE;
    code = form <= MK_HYPER_INTEGER ? read_range(r, node, form, &h) : read_words(r, node, form, &h);
    const bool depends = has_formula(node);
    if (!code && form <= MK_HYPER_INTEGER && h.lo == h.hi && !depends) code = make_constant(r, &h, one);
    if (!code) code = read_default(r, node, &h, &h.def);
    const double def = h.def;
    if (depends) stand_in(&h);
    if (!code) {
        const struct mk_node *at = mk_node_get(node, mk_space_keys[form].key.name);
        code = mk_fail_there(r->err, at->where, mk_clip(name, clip), mk_space_add(r->s, &h, r->err));
    }
    free(h.word);
    free(h.is_text);
    if (code) return code;
    const size_t at = r->s->n - 1;
    r->node[at] = node;
    r->def[at] = def;
    return form == FORM_CHOICE ? declare_algorithms(r, mk_node_get(node, "choice"), name, at) : MK_OK;
}

static int declare_all(struct reader *r, const struct mk_node *node, const char *prefix)
{
    char clip[MK_CLIP_ROOM];
    int code = MK_OK;
    if (node->kind != MK_NODE_MAPPING)
        return mk_fail_at(r->err, node->where, node->key, "expected a mapping of hyperparameters, got %s",
                          mk_node_describe(node, clip));
    for (size_t i = 0; !code && i < node->n; i++)
        if (strcmp(node->child[i]->key, "forbid") != 0) code = declare(r, node->child[i], prefix);
    return code;
}

/* ---- clauses ---- */

/* The hyperparameter of this name, or SIZE_MAX. */
static size_t look_up(const struct mk_space *s, const struct scope *scope, const char *name)
{
    char full[2 * LONGEST_PATH];
    size_t at = SIZE_MAX;
    for (; scope && at == SIZE_MAX; scope = scope->outer) {
        snprintf(full, sizeof full, "%s%s", scope->prefix, name);
        at = mk_space_find(s, full);
    }
    return at;
}

static int fail_unknown(const struct reader *r, const struct mk_node *clause, const struct scope *scope)
{
    const char *name[MOST_NAMES];
    size_t n = 0, length = strlen(scope->prefix);
    for (size_t i = 0; i < r->s->n && n < MOST_NAMES; i++)
        if (strncmp(r->s->hyper[i].name, scope->prefix, length) == 0) name[n++] = r->s->hyper[i].name + length;
    return mk_fail_word(r->err, clause->key_where, clause->key, clause->key, "hyperparameter", "", name, n);
}

/* "> 2", ">= 2 and < 10"; false: not of this form. */
static bool read_comparisons(const char *text, struct mk_clause *c)
{
    c->lo = -INFINITY;
    c->hi = INFINITY;
    for (;;) {
        text += strspn(text, " ");
        const bool above = *text == '>', or_equal = *text && text[1] == '=';
        if (!above && *text != '<') return false;
        char *end;
        double x = strtod(text + 1 + or_equal, &end);
        if (end == text + 1 + or_equal || !isfinite(x)) return false;
        if (above) {
            c->lo = x;
            c->lo_open = !or_equal;
        } else {
            c->hi = x;
            c->hi_open = !or_equal;
        }
        text = end + strspn(end, " ");
        if (!*text) return true;
        if (strncmp(text, "and ", 4) != 0) return false;
        text += 4;
    }
}

static int read_clause(const struct reader *r, const struct mk_node *node, size_t of, struct mk_clause *c)
{
    const struct mk_hyper *h = &r->s->hyper[of];
    char clip[MK_CLIP_ROOM], range[256], key[MK_CLIP_ROOM];
    *c = (struct mk_clause){.of = of};
    if (node->kind == MK_NODE_SCALAR && !mk_hyper_is_word(h) && read_comparisons(node->text, c)) return MK_OK;
    const size_t n = node->kind == MK_NODE_LIST ? node->n : 1;
    c->value = malloc((n + 1) * sizeof *c->value);
    if (!c->value) return no_memory(r);
    for (; c->n_values < n; c->n_values++) {
        const struct mk_node *value = node->kind == MK_NODE_LIST ? node->child[c->n_values] : node;
        if (value->kind == MK_NODE_SCALAR && mk_hyper_parse(h, value->text, value->length, &c->value[c->n_values]))
            continue;
        return mk_fail_at(r->err, value->where, mk_clip(node->key, key), "expected %s%s, got %s",
                          mk_hyper_range(h, range, sizeof range),
                          mk_hyper_is_word(h) ? "" : " or comparisons such as \"> 2 and <= 5\"",
                          mk_node_describe(value, clip));
    }
    if (n) return MK_OK;
    return mk_fail_at(r->err, node->where, mk_clip(node->key, key), "expected at least one value, got an empty list");
}

/* A mapping of names to values; clauses from malloc. */
static int read_clauses(const struct reader *r, const struct mk_node *node, const char *key, const struct scope *scope,
                        struct mk_clause **out, size_t *n)
{
    char clip[MK_CLIP_ROOM];
    *n = 0;
    if (node->kind != MK_NODE_MAPPING || !node->n)
        return mk_fail_at(r->err, node->where, key, "expected a mapping of hyperparameters and values, got %s",
                          mk_node_describe(node, clip));
    struct mk_clause *clause = calloc(node->n, sizeof *clause);
    if (!clause) return no_memory(r);
    int code = MK_OK;
    for (size_t i = 0; !code && i < node->n; i++) {
        size_t of = look_up(r->s, scope, node->child[i]->key);
        code = of == SIZE_MAX ? fail_unknown(r, node->child[i], scope)
                              : read_clause(r, node->child[i], of, &clause[(*n)++]);
    }
    if (code)
        mk_clauses_free(clause, node->n);
    else
        *out = clause;
    return code;
}

static int read_conditions(const struct reader *r, size_t at, const struct scope *scope)
{
    const struct mk_node *when = mk_node_get(r->node[at], "when");
    struct mk_clause *clause = NULL;
    size_t n = 0;
    if (!when) return MK_OK;
    int code = read_clauses(r, when, "when", scope, &clause, &n);
    for (size_t i = 0; !code && i < n; i++)
        code = mk_fail_there(r->err, when->where, "when", mk_space_condition(r->s, at, &clause[i], r->err));
    mk_clauses_free(clause, n);
    return code;
}

/* Names in formulas. */
struct lookup {
    const struct mk_space *s;
    const struct scope *scope;
};

static size_t find_name(const void *of, const char *name)
{
    const struct lookup *l = of;
    return look_up(l->s, l->scope, name);
}

/* A mapping, or a relation. */
static int read_combination(const struct reader *r, const struct mk_node *node, const struct scope *scope)
{
    const struct lookup lookup = {r->s, scope};
    const struct mk_formula_names names = {find_name, &lookup};
    struct mk_forbidden f = {0};
    int code =
        node->kind == MK_NODE_SCALAR && node->length
            ? mk_fail_there(r->err, node->where, "forbid", mk_forbidden_read(&f, r->s, node->text, &names, r->err))
            : read_clauses(r, node, "forbid", scope, &f.clause, &f.n);
    return code ? code : mk_space_forbid_all(r->s, &f, r->err);
}

static int read_forbidden(const struct reader *r, const struct mk_node *forbid, const struct scope *scope)
{
    int code = MK_OK;
    if (forbid->kind == MK_NODE_SCALAR && forbid->length) return read_combination(r, forbid, scope);
    code = mk_check_list(forbid, "forbid", "mapping of hyperparameters and values, or relation", r->err);
    for (size_t i = 0; !code && i < forbid->n; i++) code = read_combination(r, forbid->child[i], scope);
    return code;
}

/* ---- ranges that depend on others ---- */

static int read_bounds(const struct reader *r, size_t at, const struct scope *scope)
{
    const struct mk_node *node = r->node[at], *range = range_of(node);
    const struct lookup lookup = {r->s, scope};
    const struct mk_formula_names names = {find_name, &lookup};
    int code = MK_OK;
    if (!has_formula(node)) return MK_OK;
    for (int end = 0; end < 2 && !code; end++) {
        const struct mk_node *text = range->child[end];
        struct mk_formula f;
        if (!is_formula(text)) continue;
        code = mk_fail_there(r->err, text->where, range->key,
                             mk_formula_read(&f, r->s, text->text, text->length, &names, r->err));
        if (!code) code = mk_space_bound(r->s, at, end, &f, r->err);
    }
    return code;
}

/* Whether all hyperparameters that the range of this one depends on are settled. */
static bool is_ready(const struct mk_hyper *h, const bool *settled)
{
    for (int end = 0; end < 2; end++)
        for (size_t i = 0; h->bound[end] && i < h->bound[end]->n; i++)
            if (!settled[h->bound[end]->of[i]]) return false;
    return true;
}

/* The widest range, over all values of the others. */
static int settle(const struct reader *r, size_t at)
{
    struct mk_hyper *h = &r->s->hyper[at];
    const struct mk_node *range = range_of(r->node[at]);
    double end[2], ignored;
    for (int i = 0; i < 2; i++) {
        if (!h->bound[i])
            mk_parse_real(range->child[i]->text, range->child[i]->length, &end[i]);
        else
            mk_formula_range(h->bound[i], r->s, i ? &ignored : &end[0], i ? &end[1] : &ignored);
        if (!isfinite(end[i]))
            return mk_fail_at(r->err, range->child[i]->where, range->key,
                              "expected a formula that is finite for all values of its hyperparameters");
    }
    return mk_fail_there(r->err, range->where, range->key,
                         mk_space_set_range(r->s, at, end[0], end[1], r->def[at], r->err));
}

/* All of them, each after those that it depends on. */
static int settle_all(const struct reader *r)
{
    struct mk_space *s = r->s;
    bool *settled = malloc((s->n + 1) * sizeof *settled), any = true;
    char clip[MK_CLIP_ROOM];
    int code = settled ? MK_OK : no_memory(r);
    for (size_t i = 0; !code && i < s->n; i++) settled[i] = !s->hyper[i].bound[0] && !s->hyper[i].bound[1];
    while (any && !code) {
        any = false;
        for (size_t i = 0; i < s->n_bounded && !code; i++) {
            const size_t at = s->bounded[i];
            if (settled[at] || !is_ready(&s->hyper[at], settled)) continue;
            code = settle(r, at);
            any = settled[at] = true;
        }
    }
    for (size_t i = 0; i < s->n_bounded && !code; i++)
        if (!settled[s->bounded[i]])
            code = mk_fail_at(r->err, r->node[s->bounded[i]]->where, mk_clip(s->hyper[s->bounded[i]].name, clip),
                              "its range depends on itself, through those of others");
    free(settled);
    return code;
}

/* ---- the whole ---- */

/* After all hyperparameters their ranges that depend on others, then conditions and forbidden combinations. */
static int relate_all(const struct reader *r, const struct mk_node *node, const struct scope *scope, bool ranges)
{
    char name[LONGEST_PATH], prefix[LONGEST_PATH];
    int code = MK_OK;
    for (size_t i = 0; !code && i < node->n; i++) {
        const struct mk_node *child = node->child[i], *choice = mk_node_get(child, "choice");
        if (strcmp(child->key, "forbid") == 0) {
            if (!ranges) code = read_forbidden(r, child, scope);
            continue;
        }
        snprintf(name, sizeof name, "%s%s", scope->prefix, child->key);
        const size_t at = mk_space_find(r->s, name);
        code = ranges ? read_bounds(r, at, scope) : read_conditions(r, at, scope);
        for (size_t w = 0; !code && choice && w < choice->n; w++) {
            const struct scope inner = {prefix, scope};
            code = make_prefix(r, name, choice->child[w], prefix);
            if (!code) code = relate_all(r, choice->child[w], &inner, ranges);
        }
    }
    return code;
}

int mk_space_read(struct mk_space **out, const struct mk_node *node, struct mk_error *err)
{
    struct reader r = {
        .err = err, .node = calloc(MK_SPACE_MOST, sizeof *r.node), .def = calloc(MK_SPACE_MOST, sizeof *r.def)};
    size_t blame;
    char clip[MK_CLIP_ROOM];
    int code = r.node && r.def ? mk_space_new(&r.s, err) : no_memory(&r);
    if (!code && (node->kind != MK_NODE_MAPPING || !node->n))
        code = mk_fail_at(err, node->where, "space", "expected a mapping of at least one hyperparameter, got %s",
                          node->kind == MK_NODE_MAPPING ? "an empty mapping" : mk_node_describe(node, clip));
    if (!code) code = declare_all(&r, node, "");
    const struct scope outermost = {"", NULL};
    if (!code) code = relate_all(&r, node, &outermost, true);
    if (!code) code = settle_all(&r);
    if (!code) code = relate_all(&r, node, &outermost, false);
    if (!code) {
        code = mk_space_finish(r.s, &blame, err);
        const struct mk_node *at = blame < r.s->n ? mk_node_get(r.node[blame], "when") : mk_node_get(node, "forbid");
        code = mk_fail_there(err, at ? at->where : node->where, blame < r.s->n ? "when" : "forbid", code);
    }
    free(r.node);
    free(r.def);
    if (code)
        mk_space_free(r.s);
    else
        *out = r.s;
    return code;
}

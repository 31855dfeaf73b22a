#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/base/yaml_tree.h"
#include "sim/problem/source.h"
#include "sim/run/engine/run.h"

enum { MOST_OPTIONS = 32 };

static const struct mk_table_type *const types[] = {
#define TABLE(name) &mk_table_##name,
#include "analysis/answers/tables/list.def"
#include "analysis/answers/tables/result_tables.def"
#undef TABLE
};

enum { TYPES = sizeof types / sizeof *types };

const struct mk_table_type *mk_table_type_at(size_t i)
{
    return i < TYPES ? types[i] : NULL;
}

const struct mk_table_type *mk_table_type_find(const char *name)
{
    for (size_t i = 0; i < TYPES; i++)
        if (strcmp(types[i]->usage.command, name) == 0) return types[i];
    return NULL;
}

const char *mk_table_name(size_t i)
{
    return i < TYPES ? types[i]->usage.command : NULL;
}

const char *mk_table_summary(size_t i)
{
    return i < TYPES ? types[i]->summary : NULL;
}

static int no_such_table(const char *name, struct mk_error *err)
{
    const char *names[TYPES];
    char clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    for (size_t i = 0; i < TYPES; i++) names[i] = types[i]->usage.command;
    return mk_fail(err, MK_EINPUT, "%s: no such table (%s)", mk_clip(name, clip),
                   mk_hint(mk_nearest(name, names, TYPES), "see maxk list tables", hint));
}

static const struct mk_table_schema *schema_at(const char *name, size_t number)
{
    const struct mk_table_type *type = mk_table_type_find(name);
    if (!type) return NULL;
    for (size_t i = 0; i < number; i++)
        if (!type->schema[i]) return NULL;
    return type->schema[number];
}

const struct mk_column *mk_table_columns_of(const char *name, size_t number, size_t *n_columns)
{
    const struct mk_table_schema *s = schema_at(name, number);
    *n_columns = s ? s->n_columns : 0;
    return s ? s->column : NULL;
}

const char *mk_table_title_of(const char *name, size_t number)
{
    const struct mk_table_schema *s = schema_at(name, number);
    return s ? s->title : NULL;
}

const char *mk_table_always(struct mk_result *r)
{
    (void)r;
    return NULL;
}

const struct mk_source_type *mk_table_source(struct mk_result *r)
{
    const char *const text = mk_result_info(r)->resolved;
    struct mk_tree *tree = NULL;
    struct mk_error ignored;
    const struct mk_source_type *source = NULL;
    if (mk_tree_parse(&tree, "", text, strlen(text), &ignored)) return NULL;
    const struct mk_node *problem = mk_node_get(tree->root, "problem");
    for (size_t i = 0; problem && i < mk_source_type_count(); i++)
        if (mk_node_get(problem, mk_source_type_at(i)->key)) source = mk_source_type_at(i);
    mk_tree_free(tree);
    return source;
}

const char *mk_table_same_distribution(struct mk_result *r)
{
    const struct mk_source_type *source = mk_table_source(r);
    return source && source->moving ? "the distribution of a reward changes from pull to pull" : NULL;
}

const char *mk_table_choosing(struct mk_result *r)
{
    struct mk_error ignored;
    return mk_result_check_choosing(mk_result_info(r), &ignored) ? "it has only combined searches, which choose no arms"
                                                                 : NULL;
}

const char *mk_table_inapplicable(const struct mk_table_type *type, struct mk_result *r)
{
    return type && type->inapplicable ? type->inapplicable(r) : "it is not about results";
}

int mk_table_applies(const char *name, const char *result, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const struct mk_table_type *type = mk_table_type_find(name);
    struct mk_result *r = NULL;
    if (!type) return no_such_table(name, err);
    int code = mk_result_open(&r, result, err);
    const char *why = code ? NULL : mk_table_inapplicable(type, r);
    if (why) code = mk_fail(err, MK_EINPUT, "%s: table %s does not apply: %s", result, name, why);
    mk_result_free(r);
    return code;
}

static size_t add_options(struct mk_option *to, size_t n, const struct mk_option *more)
{
    for (; more && more->name; more++) to[n++] = *more;
    return n;
}

int mk_table_request_init(struct mk_table_request *r, const struct mk_table_type *type, const struct mk_option *own,
                          struct mk_error *err)
{
    struct mk_input_options defaults = MK_INPUT_DEFAULTS;
    *r = (struct mk_table_request){.in = defaults};
    r->values = calloc(1, type->options_size + 1);
    r->option = calloc(MOST_OPTIONS, sizeof *r->option);
    if (!r->values || !r->option) return mk_fail_memory(err, "options");
    if (type->defaults) memcpy(r->values, type->defaults, type->options_size);
    const struct mk_option input[] = {MK_INPUT_OPTIONS(r->in)};
    size_t n = type->printing_last ? 0 : add_options(r->option, 0, own);
    for (const struct mk_table_option *o = type->option; o && o->option.name; o++) {
        r->option[n] = o->option;
        r->option[n++].to = (char *)r->values + o->at;
    }
    for (size_t i = 0; type->reads_rewards && i < sizeof input / sizeof *input; i++) r->option[n++] = input[i];
    if (type->printing_last) add_options(r->option, n, own);
    return MK_OK;
}

void mk_table_request_clear(struct mk_table_request *r, const struct mk_table_type *type)
{
    for (const struct mk_table_option *o = type->option; r->values && o && o->option.name; o++) {
        void *at = (char *)r->values + o->at;
        if (o->option.kind == MK_OPT_COUNTS) free(((struct mk_counts *)at)->value);
        if (o->option.kind == MK_OPT_AMOUNTS) free(((struct mk_amounts *)at)->value);
        if (o->option.kind == MK_OPT_TEXTS) free((void *)((struct mk_texts *)at)->text);
    }
    free((void *)r->in.sets.text);
    free((void *)r->in.plugins.text);
    free(r->values);
    free(r->option);
}

int mk_table_request_make(struct mk_table **out, const struct mk_table_type *type, struct mk_table_request *r,
                          const char *const *input, size_t n_inputs, bool further, mk_progress_report *report,
                          struct mk_error *err)
{
    const struct mk_table_call call = {.input = input,
                                       .n_inputs = n_inputs,
                                       .options = r->values,
                                       .in = &r->in,
                                       .further = further,
                                       .report = report,
                                       .result = r->result,
                                       .stream = r->stream,
                                       .style = r->style};
    return type->make(out, &call, err);
}

int mk_table_write(const struct mk_table_type *type, struct mk_result *r, FILE *to, struct mk_table_style style,
                   struct mk_error *err)
{
    const char *const path = mk_result_info(r)->path;
    struct mk_table_request q;
    struct mk_table *t = NULL;
    int code = mk_table_request_init(&q, type, NULL, err);
    const struct mk_table_call call = {.input = &path,
                                       .n_inputs = 1,
                                       .options = q.values,
                                       .in = &q.in,
                                       .result = r,
                                       .stream = to,
                                       .style = style,
                                       .stored = type->exported};
    if (!code) code = type->make(&t, &call, err);
    if (!code) code = mk_table_print(t, to, style, err);
    if (!code) code = mk_table_failure(t, err);
    mk_table_free(t);
    mk_table_request_clear(&q, type);
    return code;
}

int mk_table_open(struct mk_experiment **out, const struct mk_table_type *type, const struct mk_table_call *call,
                  struct mk_error *err)
{
    const unsigned need = MK_NEED_PROBLEM | (type->counts_trials ? 0 : MK_WHOLE);
    return mk_input_load(out, type->usage.command, call->input[0], call->result, call->in, need, call->report, err);
}

void mk_table_warn_gaps(struct mk_table *t, const struct mk_problem *p)
{
    char *text = mk_input_gaps(p), *rest = text, *line;
    while (rest && *rest && (line = strsep(&rest, "\n"))) mk_table_add_warning(t, "%s", line);
    free(text);
}

int mk_table_made(struct mk_table **out, struct mk_table *t, int code, struct mk_error *err)
{
    if (!code) code = mk_table_check(t, err);
    *out = code ? NULL : t;
    if (code) mk_table_free(t);
    return code;
}

/* ---- by name, with options as texts ---- */

static int read_option(const struct mk_table_type *type, struct mk_table_request *r, const char *text, char **copy,
                       struct mk_error *err)
{
    const char *const command = type->usage.command, *names[MOST_OPTIONS + 1];
    char problem[128];
    size_t n = 0;
    *copy = strdup(text); /* options keep texts by pointer */
    if (!*copy) return mk_fail_memory(err, "options");
    char *equals = strchr(*copy, '=');
    if (equals) *equals = '\0';
    for (char *c = *copy; *c; c++)
        if (*c == '_') *c = '-';
    const struct mk_option *o = r->option;
    for (; o->name && strcmp(o->name, *copy) != 0; o++) names[n++] = o->name;
    if (!o->name) {
        const char *nearest = mk_nearest(*copy, names, n);
        snprintf(problem, sizeof problem, nearest ? "no such option, did you mean %s?" : "no such option", nearest);
        return mk_option_fail(command, *copy, problem, err);
    }
    if (!equals && o->kind != MK_OPT_FLAG) return mk_option_fail(command, *copy, "needs a value", err);
    return mk_option_read(command, o, equals ? equals + 1 : "", err);
}

static int check_inputs(const struct mk_usage *u, size_t n, struct mk_error *err)
{
    if (n >= u->min_operands && n <= u->max_operands) return MK_OK;
    return mk_fail(err, MK_EINPUT, "table %s: expected %zu to %zu inputs, got %zu", u->command, u->min_operands,
                   u->max_operands, n);
}

/* result: the only input if it is open; else NULL. */
static int make_by_name(struct mk_table **out, const char *name, const char *const *inputs, size_t n_inputs,
                        struct mk_result *result, const char *const *options, size_t n_options, struct mk_error *err)
{
    const struct mk_table_type *type = mk_table_type_find(name);
    struct mk_table_request r;
    *out = NULL;
    if (!type) return no_such_table(name, err);
    char **copy = calloc(n_options + 1, sizeof *copy);
    int code = mk_table_request_init(&r, type, NULL, err);
    if (!code && !copy) code = mk_fail_memory(err, "options");
    if (!code) code = check_inputs(&type->usage, n_inputs, err);
    for (size_t i = 0; !code && i < n_options; i++) code = read_option(type, &r, options[i], &copy[i], err);
    r.result = result;
    if (!code) code = mk_table_request_make(out, type, &r, inputs, n_inputs, true, NULL, err);
    if (!code) code = mk_table_failure(*out, err);
    if (code) {
        mk_table_free(*out);
        *out = NULL;
    }
    for (size_t i = 0; copy && i < n_options; i++) free(copy[i]);
    free(copy);
    mk_table_request_clear(&r, type);
    return code;
}

int mk_table_make(struct mk_table **out, const char *name, const char *const *inputs, size_t n_inputs,
                  const char *const *options, size_t n_options, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    mk_run_stop_reset(); /* what an earlier run was asked */
    return make_by_name(out, name, inputs, n_inputs, NULL, options, n_options, err);
}

int mk_table_of_result(struct mk_table **out, const char *name, struct mk_result *r, const char *const *options,
                       size_t n_options, struct mk_error *err)
{
    const char *const path = mk_result_info(r)->path;
    return make_by_name(out, name, &path, 1, r, options, n_options, err);
}

/* The registries as tables: policies, families and the like, and the columns of the tables themselves. */
#include <stdio.h>
#include <string.h>

#include "analysis/answers/figures/problem_view.h"
#include "analysis/answers/figures/result_view.h"
#include "analysis/answers/tables/registries.h"
#include "analysis/answers/tables/result_tables.h"
#include "analysis/compare/claims/claim.h"
#include "policies/policy.h"
#include "sim/base/error.h"
#include "sim/base/param.h"
#include "sim/base/text.h"
#include "sim/run/experiment/file_keys.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/records/importer.h"
#include "sim/search/space/space_read.h"

/* "policies|families|…": the names of the lists, after a bar. */
static const char bar_lists[] =
#define DESCRIBED(list, ...) "|" #list
#define LISTED DESCRIBED
#define OF_TABLE DESCRIBED
#include "analysis/answers/tables/registries.def"
    ;
#define LISTS (bar_lists + 1)

/* A registry, all of whose columns are texts; programs and people see all of them, people without headings: scripts
 * read the first word of each line. */
#define LIST(list, words, ...)                                                                                         \
    static const struct mk_column list##_columns[] = {__VA_ARGS__};                                                    \
    static const struct mk_table_schema list##_schema = {.title = words,                                               \
                                                         .column = list##_columns,                                     \
                                                         .n_columns = sizeof list##_columns / sizeof *list##_columns,  \
                                                         .bare = true,                                                 \
                                                         .is_markdown = true}
#define C(name, about)                                                                                                 \
    {                                                                                                                  \
        name, MK_COLUMN_TEXT, "", about                                                                                \
    }

LIST(policies, "policies", C("policy", "name of the policy"), C("what it does", "one line"),
     C("source", "where it was published"), C("kind", "extreme, CASH or classic"),
     C("anytime", "anytime, or that it needs T"),
     C("randomised", "randomised, with ties=random only, or deterministic"), C("cost per pull", "as an order"));
#define PARAMETRIC(list, words, one)                                                                                   \
    LIST(list, words, C(one, "name of the " one), C("parameters", "their names"), C("what it is", "one line"))
PARAMETRIC(families, "reward families", "family");
PARAMETRIC(curves, "curves of rising arms", "curve");
LIST(optimizers, "optimisers", C("optimiser", "name of the optimiser"), C("what it does", "one line"),
     C("parameters", "their names"), C("source", "where it was published"), C("cost of a proposal", "as an order"));
PARAMETRIC(objectives, "objectives", "objective");
PARAMETRIC(plans, "plans", "plan");
LIST(keys, "keys of experiment files", C("key", "name of the key"), C("of", "experiment, problem or arm"),
     C("meaning", "one line"));
LIST(tunekeys, "keys of tune files", C("key", "name of the key"),
     C("of", "tune file, metric, limits, crash, budget or arm"), C("meaning", "with range and default"));
LIST(spacekeys, "keys of hyperparameters", C("key", "name of the key"), C("of", "the forms that it goes with"),
     C("meaning", "one line"));
LIST(figures, "figures", C("figure", "name of the figure"), C("of", "result, problem or paper"),
     C("what it shows", "and what it needs, after a semicolon"));
LIST(claims, "published claims", C("claim", "name of the claim"), C("source", "paper, theorem or table"),
     C("statement", "what is claimed"));
LIST(imports, "kinds of files that can be imported", C("kind", "name of the kind, for --from"),
     C("what it is", "one line"), C("recognised", "by its beginning, or that it has to be named"));
LIST(tables, "tables", C("table", "name of the table"), C("inputs", "its operands"), C("what it shows", "one line"));
LIST(columns, "columns of a table", C("column", "name of the column"), C("type", "text, count, real or flag"),
     C("unit", "empty: none"),
     C("of", "the table, or which of those that follow it; after the name where all tables are listed"),
     C("meaning", "its definition"));

LIST(options, "options of a table", C("option", "its name"),
     C("kind",
       "flag, text, texts, count, real, choice or counts; texts may be repeated, counts are separated by commas"),
     C("choices", "allowed words, separated by |"), C("range", "of numbers; empty: no limits"),
     C("meaning", "with its default"));

/* A row, in the order of the columns. */
#define ROW(...)                                                                                                       \
    set_row(t, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
static void set_row(struct mk_table *t, const char *const *cell, size_t n)
{
    for (size_t i = 0; i < n; i++) mk_table_set_text(t, i, cell[i]);
    mk_table_end_row(t);
}

static void add_policies(struct mk_table *t)
{
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const struct mk_policy_type *p = mk_policy_type_at(i);
        ROW(p->name, p->summary, p->reference, mk_policy_kind_name(p->kind),
            p->flags & MK_POLICY_NEEDS_HORIZON ? "needs T" : "anytime", mk_policy_randomness(p), p->cost);
    }
}

static void names_of(const struct mk_param *params, char *out, size_t room)
{
    size_t used = 0;
    *out = 0;
    for (size_t i = 0; i < mk_param_count(params) && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", params[i].name);
}

/* The entries of a registry with PARAMETRIC. */
static void add_parametric(struct mk_table *t, bool (*entry)(size_t i, struct mk_registry_entry *e))
{
    struct mk_registry_entry e;
    char names[256];
    for (size_t i = 0; entry(i, &e); i++) {
        if (e.unlisted) continue;
        names_of(e.params, names, sizeof names);
        ROW(e.name, names, e.summary);
    }
}

static void add_families(struct mk_table *t)
{
    add_parametric(t, mk_entry_families);
}

static void add_curves(struct mk_table *t)
{
    add_parametric(t, mk_entry_curves);
}

static void add_objectives(struct mk_table *t)
{
    add_parametric(t, mk_entry_objectives);
}

static void add_plans(struct mk_table *t)
{
    add_parametric(t, mk_entry_plans);
}

static void add_optimizers(struct mk_table *t)
{
    for (size_t i = 0; i < mk_optimizer_type_count(); i++) {
        const struct mk_optimizer_type *o = mk_optimizer_type_at(i);
        char names[512];
        names_of(o->params, names, sizeof names);
        ROW(o->name, o->summary, names, o->reference, o->cost);
    }
}

static void add_file_keys(struct mk_table *t, size_t from, size_t to)
{
    const struct mk_param *key;
    char text[MK_FILE_KEY_ROOM];
    for (size_t m = from; m < to; m++)
        for (size_t i = 0; (key = mk_file_key_at(m, i)); i++)
            ROW(key->name, mk_file_mappings[m].mapping, mk_file_key_text(key, text));
}

static void add_keys(struct mk_table *t)
{
    add_file_keys(t, MK_IN_EXPERIMENT, MK_DOCUMENTED_MAPPINGS);
}

static void add_tunekeys(struct mk_table *t)
{
    add_file_keys(t, 0, MK_TUNE_MAPPINGS);
}

static void add_spacekeys(struct mk_table *t)
{
    char of[128];
    for (const struct mk_space_key *key = mk_space_keys; key->key.name; key++)
        ROW(key->key.name, mk_space_key_forms(key, of, sizeof of), key->key.help);
}

static void add_figures(struct mk_table *t)
{
    for (size_t i = 0; i < mk_result_figure_count(); i++)
        ROW(mk_result_figure_at(i)->name, "result", mk_result_figure_at(i)->shows);
    for (size_t i = 0; i < mk_problem_figure_count(); i++)
        ROW(mk_problem_figure_at(i)->name, "problem", mk_problem_figure_at(i)->shows);
#define PAPER(name, kind, experiment, figures, shows) ROW(name, "paper", shows);
#include "analysis/answers/figures/paper_figures.def"
#undef PAPER
}

static void add_claims(struct mk_table *t)
{
    for (size_t i = 0; i < mk_claim_count(); i++) {
        const struct mk_claim *c = mk_claim_at(i);
        ROW(c->name, c->source, c->statement);
    }
}

static void add_imports(struct mk_table *t)
{
    const struct mk_importer *of;
    for (size_t i = 0; (of = mk_importer_at(i)); i++)
        ROW(of->name, of->about, of->recognises ? "by its beginning" : "has to be named, --from");
}

static void add_tables(struct mk_table *t)
{
    for (size_t i = 0; mk_table_type_at(i); i++)
        ROW(mk_table_name(i), mk_table_type_at(i)->usage.operands, mk_table_summary(i));
}

/* `named`: the name of the table precedes its title. */
static void add_columns_of(struct mk_table *t, const char *table, bool named)
{
    static const char *const type[] = {"text", "count", "real", "flag"};
    const struct mk_table_type *made = mk_table_type_find(table);
    const char *words;
    for (size_t number = 0; (words = mk_table_title_of(table, number)); number++) {
        char title[128];
        size_t n;
        snprintf(title, sizeof title, "%s%s%s", named ? table : "", named ? ": " : "", words);
        const struct mk_column *c = mk_table_columns_of(table, number, &n);
        for (size_t i = 0; i < n; i++) ROW(c[i].name, type[c[i].type], c[i].unit, title, c[i].about);
        if (mk_table_has_swept(made, number))
            ROW("PARAMETER", "real or text", "", title,
                "one column for every parameter that differs among the policies of one name, named after it");
    }
}

static int no_such_table(const char *list, const char *table, struct mk_error *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    char all[1024], clip[MK_CLIP_ROOM];
    size_t n = 0;
    for (; n < MOST && mk_table_name(n); n++) names[n] = mk_table_name(n);
    mk_join(names, n, all, sizeof all);
    if (!*table)
        return mk_fail(err, MK_EINPUT, "maxk list: %s: table: missing; expected one of %s (see maxk list --help)", list,
                       all);
    return mk_fail(err, MK_EINPUT, "maxk list: %s: expected one of %s; got '%s' (see maxk list --help)", list, all,
                   mk_clip(table, clip));
}

/* "": of all tables. */
static int add_columns(struct mk_table *t, const char *table, struct mk_error *err)
{
    if (*table && !mk_table_type_find(table)) return no_such_table("columns", table, err);
    if (*table) add_columns_of(t, table, false);
    for (size_t i = 0; !*table && mk_table_name(i); i++) add_columns_of(t, mk_table_name(i), true);
    return MK_OK;
}

static int add_options(struct mk_table *t, const char *table, struct mk_error *err)
{
    static const char *const kind[] = {"flag", "text", "texts", "count", "real", "choice", "counts", "real", "reals"};
    const struct mk_table_type *made = mk_table_type_find(table);
    struct mk_table_request r;
    if (!made) return no_such_table("options", table, err);
    int code = mk_table_request_init(&r, made, NULL, err);
    for (const struct mk_option *o = r.option; !code && o->name; o++) {
        char range[64] = "";
        const bool number = o->kind == MK_OPT_COUNT || o->kind == MK_OPT_REAL || o->kind >= MK_OPT_COUNTS;
        if (number && o->hi >= o->lo) snprintf(range, sizeof range, "%g to %g", o->lo, o->hi);
        ROW(o->name, kind[o->kind], o->choices ? o->choices : "", range, o->help);
    }
    mk_table_request_clear(&r, made);
    return code;
}

const struct mk_registry mk_registries[] = {
#define DESCRIBED(list, one, heading, about, sentence)                                                                 \
    {#list, &list##_schema, add_##list, NULL, one, heading, about, mk_entry_##list, mk_describe_##list},
#define LISTED(list, ...) {#list, &list##_schema, add_##list, NULL, NULL, NULL, NULL, NULL, NULL},
#define OF_TABLE(list, ...) {#list, &list##_schema, NULL, add_##list, NULL, NULL, NULL, NULL, NULL},
#include "analysis/answers/tables/registries.def"
    {NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL}};

static const struct mk_table_schema *const schemas[] = {
#define DESCRIBED(list, ...) &list##_schema,
#define LISTED DESCRIBED
#define OF_TABLE DESCRIBED
#include "analysis/answers/tables/registries.def"
    NULL};

static int make_list(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const int which = mk_choice_find(LISTS, call->input[0]);
    const char *table = call->n_inputs > 1 ? call->input[1] : "";
    struct mk_table *t = NULL;
    if (which < 0) return mk_option_fail_choice("list", "list", LISTS, call->input[0], err);
    const struct mk_registry *r = &mk_registries[which];
    if (*table && !r->add_of) return mk_option_fail("list", "unexpected operand", table, err);
    int code = mk_table_new(&t, r->schema, err);
    if (!code && r->add_of)
        code = r->add_of(t, table, err);
    else if (!code)
        r->add(t);
    return mk_table_made(out, t, code, err);
}

const struct mk_table_type mk_table_list = {
    .usage =
        {"list", LISTS,
         "Lists a registry; `columns` or `options` and the name of a table: the columns, or the options, of that table. "
         "`columns` alone: those of all tables.",
         1, 2},
    .summary = "the registries: policies, families, figures, tables, their columns and the like",
    .schema = schemas,
    .make = make_list};

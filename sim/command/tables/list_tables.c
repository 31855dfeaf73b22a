#include "sim/command/tables/list_tables.h"

#include <stdio.h>

#include "analysis/claims/claim.h"
#include "analysis/figures/problem_view.h"
#include "analysis/figures/result_view.h"
#include "analysis/tables/table_type.h"
#include "distributions/dist.h"
#include "distributions/objectives/objective.h"
#include "policies/optimizers/optimizer.h"
#include "sim/base/param.h"
#include "sim/command/command.h"
#include "sim/problem/process.h"

const char *mk_policy_kind_name(enum mk_policy_kind kind)
{
    static const char *const names[] = {"extreme", "CASH", "classic"};
    return names[kind];
}

const char *mk_policy_randomness(const struct mk_policy_type *p)
{
    return p->flags & MK_POLICY_RANDOMISED    ? "randomised"
           : p->flags & MK_POLICY_RANDOM_TIES ? "ties=random"
                                              : "deterministic";
}

/* ---- rows ---- */

/* Markdown for the documents, with the first cell as code; else a table. */
struct list {
    bool markdown;
    struct mk_table_style style;
    struct mk_table_printer *table;
    int code;
    struct mk_error *err;
};

static void head(struct list *l, const char *const *column, size_t n)
{
    char names[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < n && used < sizeof names; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? "," : "", column[i]);
    if (!l->markdown) {
        l->code = mk_table_begin(&l->table, stdout, l->style, names, l->err);
        if (!l->code) mk_table_hide_names(l->table); /* scripts read the first word of each line */
        return;
    }
    for (size_t i = 0; i < n; i++) printf("| %s ", column[i]);
    printf("|\n");
    for (size_t i = 0; i < n; i++) printf("|---");
    printf("|\n");
}

static void row(struct list *l, const char *const *cell, size_t n)
{
    for (size_t i = 0; !l->markdown && !l->code && i < n; i++) mk_table_text(l->table, cell[i]);
    if (!l->markdown) return;
    for (size_t i = 0; i < n; i++) {
        printf(i ? "| " : "| `");
        for (const char *c = cell[i]; *c; c++) printf(*c == '|' ? "\\%c" : "%c", *c);
        printf(i ? " " : "` ");
    }
    printf("|\n");
}

#define HEAD(...)                                                                                                      \
    head(l, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define ROW(...) row(l, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- tables ---- */

static void policies(struct list *l)
{
    HEAD("policy", "what it does", "source", "kind", "anytime", "randomised", "cost per pull");
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const struct mk_policy_type *p = mk_policy_type_at(i);
        const char *anytime = p->flags & MK_POLICY_NEEDS_HORIZON ? "needs T" : "anytime";
        const char *kind = mk_policy_kind_name(p->kind), *randomness = mk_policy_randomness(p);
        ROW(p->name, p->summary, p->reference, kind, anytime, randomness, p->cost);
    }
}

static void names_of(const struct mk_param *params, char *out, size_t room)
{
    size_t used = 0;
    *out = 0;
    for (size_t i = 0; i < mk_param_count(params) && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", params[i].name);
}

static void families(struct list *l)
{
    HEAD("family", "parameters", "what it is");
    for (size_t i = 0; i < mk_dist_type_count(); i++) {
        const struct mk_dist_type *d = mk_dist_type_at(i);
        if (d->flags & MK_DIST_WRAPPER) continue;
        char names[256];
        names_of(d->params, names, sizeof names);
        ROW(d->name, names, d->summary);
    }
}

static void curves(struct list *l)
{
    HEAD("curve", "parameters", "what it is");
    for (size_t i = 0; i < mk_process_curve_count(); i++) {
        const struct mk_process_curve *c = mk_process_curve_at(i);
        char names[256];
        names_of(c->params, names, sizeof names);
        ROW(c->name, names, c->summary);
    }
}

static void optimizers(struct list *l)
{
    HEAD("optimiser", "what it does", "parameters", "source", "cost of a proposal");
    for (size_t i = 0; i < mk_optimizer_type_count(); i++) {
        const struct mk_optimizer_type *o = mk_optimizer_type_at(i);
        char names[512];
        names_of(o->params, names, sizeof names);
        ROW(o->name, o->summary, names, o->reference, o->cost);
    }
}

static void objectives(struct list *l)
{
    HEAD("objective", "parameters", "what it is");
    for (size_t i = 0; i < mk_objective_type_count(); i++) {
        const struct mk_objective_type *o = mk_objective_type_at(i);
        char names[256];
        names_of(o->params, names, sizeof names);
        ROW(o->name, names, o->summary);
    }
}

static void keys(struct list *l)
{
    static const struct {
        const char *of, *key, *help;
    } all[] = {
#define EXPERIMENT_KEY(key, help) {"experiment", #key, help},
#include "sim/experiment/experiment_keys.def"
#define PROBLEM_KEY(key, help) {"problem", #key, help},
#define TRAJECTORY_KEY(key, help) {"problem", #key, help},
#include "sim/experiment/experiment_keys.def"
#define ARM_KEY(key, help) {"arm", #key, help},
#include "sim/experiment/experiment_keys.def"
    };
    HEAD("key", "of", "meaning");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ROW(all[i].key, all[i].of, all[i].help);
    }
}

static void commands(struct list *l)
{
    struct mk_command all[MK_MOST_COMMANDS + 1];
    const size_t n = mk_commands(all);
    HEAD("command", "group", "what it does");
    for (size_t i = 0; i < n; i++) ROW(all[i].name, all[i].group, all[i].summary);
}

static void figure(struct list *l, const char *name, const char *of, const char *shows)
{
    ROW(name, of, shows);
}

static void figures(struct list *l)
{
    HEAD("figure", "of", "what it shows");
    for (size_t i = 0; i < mk_result_figure_count(); i++)
        figure(l, mk_result_figure_at(i)->name, "result", mk_result_figure_at(i)->shows);
    for (size_t i = 0; i < mk_problem_figure_count(); i++)
        figure(l, mk_problem_figure_at(i)->name, "problem", mk_problem_figure_at(i)->shows);
#define PAPER(name, kind, experiment, figures, shows) figure(l, name, "paper", shows);
#include "analysis/figures/paper_figures.def"
#undef PAPER
}

static void claims(struct list *l)
{
    HEAD("claim", "source", "statement");
    for (size_t i = 0; i < mk_claim_count(); i++) {
        const struct mk_claim *c = mk_claim_at(i);
        ROW(c->name, c->source, c->statement);
    }
}

static void tables(struct list *l)
{
    HEAD("table", "inputs", "what it shows");
    for (size_t i = 0; mk_table_type_at(i); i++)
        ROW(mk_table_name(i), mk_table_type_at(i)->usage.operands, mk_table_summary(i));
}

static const char *type_name(enum mk_column_type type)
{
    static const char *const names[] = {"text", "count", "real", "flag"};
    return names[type];
}

static void columns_of(struct list *l, const char *table)
{
    const char *title;
    HEAD("column", "type", "unit", "of", "meaning");
    for (size_t number = 0; (title = mk_table_title_of(table, number)); number++) {
        size_t n;
        const struct mk_column *c = mk_table_columns_of(table, number, &n);
        for (size_t i = 0; i < n; i++) ROW(c[i].name, type_name(c[i].type), c[i].unit, title, c[i].about);
    }
}

int mk_list_columns(const char *table, bool markdown, struct mk_table_style style, struct mk_error *err)
{
    struct list l = {.markdown = markdown, .style = style, .err = err};
    columns_of(&l, table);
    return mk_table_finish(l.table, l.code, err);
}

int mk_list_table(const char *name, bool markdown, struct mk_table_style style, struct mk_error *err)
{
    static void (*const print[])(struct list *) = {policies, families, curves,  optimizers, objectives,
                                                   keys,     commands, figures, claims,     tables};
    struct list l = {.markdown = markdown, .style = style, .err = err};
    print[mk_choice_find(MK_LIST_TABLES, name)](&l);
    return mk_table_finish(l.table, l.code, err);
}

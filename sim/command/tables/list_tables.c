#include "sim/command/tables/list_tables.h"

#include <stdio.h>

#include "analysis/claims/claim.h"
#include "analysis/figures/problem_view.h"
#include "analysis/figures/result_view.h"
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

/* ---- rows of Markdown ---- */

static void head(const char *const *column, size_t n)
{
    for (size_t i = 0; i < n; i++) printf("| %s ", column[i]);
    printf("|\n");
    for (size_t i = 0; i < n; i++) printf("|---");
    printf("|\n");
}

/* The first cell is a name. */
static void row(const char *const *cell, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        printf(i ? "| " : "| `");
        for (const char *c = cell[i]; *c; c++) printf(*c == '|' ? "\\%c" : "%c", *c);
        printf(i ? " " : "` ");
    }
    printf("|\n");
}

#define HEAD(...) head((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
#define ROW(...) row((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- tables ---- */

static void policies(bool markdown)
{
    if (markdown) HEAD("policy", "what it does", "source", "kind", "anytime", "randomised", "cost per pull");
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const struct mk_policy_type *p = mk_policy_type_at(i);
        const char *anytime = p->flags & MK_POLICY_NEEDS_HORIZON ? "needs T" : "anytime";
        const char *kind = mk_policy_kind_name(p->kind), *randomness = mk_policy_randomness(p);
        if (markdown)
            ROW(p->name, p->summary, p->reference, kind, anytime, randomness, p->cost);
        else
            printf("%-22s %-8s %-8s %-13s %-26s %s [%s]\n", p->name, kind, anytime, randomness, p->cost, p->summary,
                   p->reference);
    }
}

static void names_of(const struct mk_param *params, char *out, size_t room)
{
    size_t used = 0;
    *out = 0;
    for (size_t i = 0; i < mk_param_count(params) && used < room; i++)
        used += (size_t)snprintf(out + used, room - used, "%s%s", i ? ", " : "", params[i].name);
}

static void families(bool markdown)
{
    if (markdown) HEAD("family", "parameters", "what it is");
    for (size_t i = 0; i < mk_dist_type_count(); i++) {
        const struct mk_dist_type *d = mk_dist_type_at(i);
        if (d->flags & MK_DIST_WRAPPER) continue;
        char names[256];
        names_of(d->params, names, sizeof names);
        if (markdown)
            ROW(d->name, names, d->summary);
        else
            printf("%-22s %-28s %s\n", d->name, names, d->summary);
    }
}

static void curves(bool markdown)
{
    if (markdown) HEAD("curve", "parameters", "what it is");
    for (size_t i = 0; i < mk_process_curve_count(); i++) {
        const struct mk_process_curve *c = mk_process_curve_at(i);
        char names[256];
        names_of(c->params, names, sizeof names);
        if (markdown)
            ROW(c->name, names, c->summary);
        else
            printf("%-22s %-28s %s\n", c->name, names, c->summary);
    }
}

static void optimizers(bool markdown)
{
    if (markdown) HEAD("optimiser", "what it does", "parameters", "source", "cost of a proposal");
    for (size_t i = 0; i < mk_optimizer_type_count(); i++) {
        const struct mk_optimizer_type *o = mk_optimizer_type_at(i);
        char names[512];
        names_of(o->params, names, sizeof names);
        if (markdown)
            ROW(o->name, o->summary, names, o->reference, o->cost);
        else
            printf("%-22s %s [%s]\n", o->name, o->summary, o->reference);
    }
}

static void objectives(bool markdown)
{
    if (markdown) HEAD("objective", "parameters", "what it is");
    for (size_t i = 0; i < mk_objective_type_count(); i++) {
        const struct mk_objective_type *o = mk_objective_type_at(i);
        char names[256];
        names_of(o->params, names, sizeof names);
        if (markdown)
            ROW(o->name, names, o->summary);
        else
            printf("%-22s %-28s %s\n", o->name, names, o->summary);
    }
}

static void keys(bool markdown)
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
    if (markdown) HEAD("key", "of", "meaning");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (markdown)
            ROW(all[i].key, all[i].of, all[i].help);
        else
            printf("%-14s %-11s %s\n", all[i].key, all[i].of, all[i].help);
    }
}

static void commands(bool markdown)
{
    static const struct {
        const char *name, *group, *summary;
    } all[] = {
#define COMMAND(name, group, summary) {#name, group, summary},
#include "sim/command/commands.def"
#undef COMMAND
    };
    if (markdown) HEAD("command", "group", "what it does");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if (markdown)
            ROW(all[i].name, all[i].group, all[i].summary);
        else
            printf("%-10s %-26s %s\n", all[i].name, all[i].group, all[i].summary);
    }
}

static void figure(bool markdown, const char *name, const char *of, const char *shows)
{
    if (markdown)
        ROW(name, of, shows);
    else
        printf("%-14s %-8s %s\n", name, of, shows);
}

static void figures(bool markdown)
{
    if (markdown) HEAD("figure", "of", "what it shows");
    for (size_t i = 0; i < mk_result_figure_count(); i++)
        figure(markdown, mk_result_figure_at(i)->name, "result", mk_result_figure_at(i)->shows);
    for (size_t i = 0; i < mk_problem_figure_count(); i++)
        figure(markdown, mk_problem_figure_at(i)->name, "problem", mk_problem_figure_at(i)->shows);
#define PAPER(name, kind, experiment, figures, shows) figure(markdown, name, "paper", shows);
#include "analysis/figures/paper_figures.def"
#undef PAPER
}

static void claims(bool markdown)
{
    if (markdown) HEAD("claim", "source", "statement");
    for (size_t i = 0; i < mk_claim_count(); i++) {
        const struct mk_claim *c = mk_claim_at(i);
        if (markdown)
            ROW(c->name, c->source, c->statement);
        else
            printf("%-22s %s [%s]\n", c->name, c->statement, c->source);
    }
}

bool mk_list_table(const char *name, bool markdown)
{
    static void (*const print[])(bool) = {policies, families, curves,  optimizers, objectives,
                                          keys,     commands, figures, claims};
    int position = mk_choice_find(MK_LIST_TABLES, name);
    if (position >= 0) print[position](markdown);
    return position >= 0;
}

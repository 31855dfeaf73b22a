/* maxk describe: one entry of a registry. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/dist.h"
#include "policies/policy.h"
#include "sim/base/error.h"
#include "sim/base/text.h"
#include "sim/problem/process.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/search/objectives/objective.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/plan/plan.h"

static void describe_params(const struct mk_param *params)
{
    if (!params || mk_param_count(params) == 0) return;
    printf("\nparameters:\n");
    for (const struct mk_param *p = params; p->name; p++) {
        char range[256], def[64], shown[96];
        mk_param_range(p, range, sizeof range);
        if (p->flags & MK_REQUIRED)
            snprintf(shown, sizeof shown, "required");
        else if (p->flags & MK_OPTIONAL)
            snprintf(shown, sizeof shown, "optional");
        else
            snprintf(shown, sizeof shown, "default %s", mk_param_format(p, p->def, def, sizeof def));
        printf("  %-16s %s; %s; %s\n", p->name, p->help, range, shown);
    }
}

static void describe_policy(size_t i)
{
    const struct mk_policy_type *p = mk_policy_type_at(i);
    printf("%s: %s\n\n  %s\n\n", p->name, p->summary, p->formula);
    printf("source:      %s\nkind:        %s, %s, %s\ncost:        %s per pull\n", p->reference,
           mk_policy_kind_name(p->kind),
           p->flags & MK_POLICY_NEEDS_HORIZON ? "needs the horizon (run once per horizon)"
           : p->needs_horizon                 ? "anytime (some parameter values: needs the horizon)"
                                              : "anytime",
           p->flags & MK_POLICY_RANDOM_TIES ? "deterministic (ties=random: randomised)" : mk_policy_randomness(p),
           p->cost);
    printf("engines:     per-pull%s%s\n", p->play_records ? ", record" : "",
           p->no_records ? " (not for all parameter values)" : "");
    if (*p->departures) printf("departures:  %s\n", p->departures);
    describe_params(p->params);
}

static void describe_family(size_t i)
{
    const struct mk_dist_type *d = mk_dist_type_at(i);
    printf("%s: %s\n\n  %s\n\nsource:      %s\natoms:       %s\nE[M(n)]:     %s\n", d->name, d->summary, d->formula,
           d->reference,
           d->flags & MK_DIST_ATOMS                                   ? "may have point masses"
           : d->params && mk_param_find(d->params, "components") >= 0 ? "those of its components"
                                                                      : "none",
           d->expected_max ? "closed form" : "adaptive quadrature");
    describe_params(d->params);
}

static void describe_curve(size_t i)
{
    const struct mk_process_curve *c = mk_process_curve_at(i);
    printf("%s: curve of a rising arm, %s\n\n  %s\n\nsource:      %s\nin:          problem: {processes: [{curve: %s, "
           "…}]}\n",
           c->name, c->summary, c->formula, c->reference, c->name);
    describe_params(c->params);
}

static void describe_optimizer(size_t i)
{
    const struct mk_optimizer_type *o = mk_optimizer_type_at(i);
    printf("%s: optimiser, %s\n\n  %s\n\nsource:      %s\ncost:        %s per proposal\nin:          problem: "
           "{searches: [{optimizer: {name: %s, …}, …}]}\n",
           o->name, o->summary, o->formula, o->reference, o->cost, o->name);
    if (*o->departures) printf("departures:  %s\n", o->departures);
    describe_params(o->params);
}

static void describe_objective(size_t i)
{
    const struct mk_objective_type *o = mk_objective_type_at(i);
    printf("%s: objective, %s\n\n  %s\n\nsource:      %s\ndraws:       %s\nin:          problem: {searches: "
           "[{objective: {name: %s, …}, …}]}\n",
           o->name, o->summary, o->formula, o->reference,
           o->distribution ? "random search has an exact distribution of rewards"
                           : "no closed form under random search",
           o->name);
    describe_params(o->params);
}

static void describe_plan(size_t i)
{
    const struct mk_plan_type *p = mk_plan_type_at(i);
    printf("%s: plan, %s\n\n  %s\n\nsource:      %s\nin:          maxk schedule %s PARAMETER=VALUE …\n", p->name,
           p->summary, p->formula, p->reference, p->name);
    describe_params(p->params);
}

struct entry {
    const char *name, *summary;
};

/* Their names and summaries. */
#define ENTRY(kind, at)                                                                                                \
    static struct entry kind(size_t i)                                                                                 \
    {                                                                                                                  \
        return (struct entry){at(i)->name, at(i)->summary};                                                            \
    }
ENTRY(policy, mk_policy_type_at)
ENTRY(family, mk_dist_type_at)
ENTRY(curve, mk_process_curve_at)
ENTRY(optimizer, mk_optimizer_type_at)
ENTRY(objective, mk_objective_type_at)
ENTRY(plan, mk_plan_type_at)

static const struct registry {
    size_t (*count)(void);
    struct entry (*at)(size_t i);
    void (*describe)(size_t i);
} registries[] = {
    {mk_policy_type_count, policy, describe_policy},          {mk_dist_type_count, family, describe_family},
    {mk_process_curve_count, curve, describe_curve},          {mk_optimizer_type_count, optimizer, describe_optimizer},
    {mk_objective_type_count, objective, describe_objective}, {mk_plan_type_count, plan, describe_plan},
};
enum { REGISTRIES = sizeof registries / sizeof *registries };

/* The place of entry i of all registries; NULL past the end. */
static const struct registry *registry_of(size_t *i)
{
    for (size_t r = 0; r < REGISTRIES; r++) {
        if (*i < registries[r].count()) return &registries[r];
        *i -= registries[r].count();
    }
    return NULL;
}

/* Everything that can be described. */
static const char *described(size_t i)
{
    const struct registry *r = registry_of(&i);
    return r ? r->at(i).name : NULL;
}

static const char *summary_at(size_t i)
{
    return registry_of(&i)->at(i).summary;
}

/* A name like it, or else the shortest summary that has the word: `normal` for the family gaussian. */
static int no_such_name(const char *name, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM];
    size_t n = 0, shortest = SIZE_MAX;
    while (described(n)) n++;
    const char **names = malloc(n * sizeof *names);
    if (!names) return mk_fail_memory(err, "names");
    for (size_t i = 0; i < n; i++) names[i] = described(i);
    const char *nearest = mk_nearest(name, names, n);
    for (size_t i = 0; !nearest && strlen(name) >= 4 && i < n; i++)
        if (strcasestr(summary_at(i), name) &&
            (shortest == SIZE_MAX || strlen(summary_at(i)) < strlen(summary_at(shortest))))
            shortest = i;
    if (!nearest && shortest != SIZE_MAX) nearest = names[shortest];
    free(names);
    return mk_fail(err, MK_EINPUT,
                   "maxk describe: %s: no such policy, reward family, curve, optimiser, objective or plan (%s)",
                   mk_clip(name, clip), mk_hint(nearest, "see maxk list --help", hint));
}

int mk_cmd_describe(int argc, char **argv, struct mk_error *err)
{
    const struct mk_usage usage = {
        "describe", "NAME",
        "Describes a policy, a reward family, a curve, an optimiser, an objective or a plan: formula, "
        "source, parameters with their defaults and ranges, known departures "
        "from the publication.",
        1, 1};
    char **name;
    size_t n, found = 0;
    int code = mk_options_parse_named(&usage, NULL, described, argc, argv, &name, &n, err);
    if (code) return code;
    for (size_t i = 0; described(i); i++) {
        if (strcmp(described(i), name[0]) != 0) continue;
        size_t at = i;
        const struct registry *r = registry_of(&at);
        if (found++) printf("\n");
        r->describe(at);
    }
    return found ? MK_OK : no_such_name(name[0], err);
}

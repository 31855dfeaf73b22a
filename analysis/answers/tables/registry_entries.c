/* The entries of the registries: their names and summaries, and what `maxk describe` says of each. */
#include <stdio.h>

#include "analysis/answers/tables/registries.h"
#include "distributions/dist.h"
#include "policies/policy.h"
#include "sim/problem/process.h"
#include "sim/search/objectives/objective.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/plan/plan.h"

#define ENTRY(list, count, at, is_unlisted)                                                                            \
    bool mk_entry_##list(size_t i, struct mk_registry_entry *e)                                                        \
    {                                                                                                                  \
        if (i >= count()) return false;                                                                                \
        *e = (struct mk_registry_entry){at(i)->name, at(i)->summary, at(i)->params, is_unlisted};                      \
        return true;                                                                                                   \
    }
ENTRY(policies, mk_policy_type_count, mk_policy_type_at, false)
ENTRY(families, mk_dist_type_count, mk_dist_type_at, (mk_dist_type_at(i)->flags & MK_DIST_WRAPPER) != 0)
ENTRY(curves, mk_process_curve_count, mk_process_curve_at, false)
ENTRY(optimizers, mk_optimizer_type_count, mk_optimizer_type_at, false)
ENTRY(objectives, mk_objective_type_count, mk_objective_type_at, false)
ENTRY(plans, mk_plan_type_count, mk_plan_type_at, false)

static void describe_params(const struct mk_param *params, FILE *to)
{
    if (!params || mk_param_count(params) == 0) return;
    fprintf(to, "\nparameters:\n");
    for (const struct mk_param *p = params; p->name; p++) {
        char range[256], def[64], shown[96];
        mk_param_range(p, range, sizeof range);
        if (p->flags & MK_REQUIRED)
            snprintf(shown, sizeof shown, "required");
        else if (p->flags & MK_OPTIONAL)
            snprintf(shown, sizeof shown, "optional");
        else
            snprintf(shown, sizeof shown, "default %s", mk_param_format(p, p->def, def, sizeof def));
        fprintf(to, "  %-16s %s; %s; %s\n", p->name, p->help, range, shown);
    }
}

void mk_describe_policies(size_t i, FILE *to)
{
    const struct mk_policy_type *p = mk_policy_type_at(i);
    fprintf(to, "%s: %s\n\n  %s\n\n", p->name, p->summary, p->formula);
    fprintf(to, "source:      %s\nkind:        %s, %s, %s\ncost:        %s per pull\n", p->reference,
            mk_policy_kind_name(p->kind),
            p->flags & MK_POLICY_NEEDS_HORIZON ? "needs the horizon (run once per horizon)"
            : p->needs_horizon                 ? "anytime (some parameter values: needs the horizon)"
                                               : "anytime",
            p->flags & MK_POLICY_RANDOM_TIES ? "deterministic (ties=random: randomised)" : mk_policy_randomness(p),
            p->cost);
    fprintf(to, "engines:     per-pull%s%s\n", p->play_records ? ", record" : "",
            p->no_records ? " (not for all parameter values)" : "");
    if (*p->departures) fprintf(to, "departures:  %s\n", p->departures);
    describe_params(p->params, to);
}

void mk_describe_families(size_t i, FILE *to)
{
    const struct mk_dist_type *d = mk_dist_type_at(i);
    fprintf(to, "%s: %s\n\n  %s\n\nsource:      %s\natoms:       %s\nE[M(n)]:     %s\n", d->name, d->summary,
            d->formula, d->reference,
            d->flags & MK_DIST_ATOMS                                   ? "may have point masses"
            : d->params && mk_param_find(d->params, "components") >= 0 ? "those of its components"
                                                                       : "none",
            d->expected_max ? "closed form" : "adaptive quadrature");
    describe_params(d->params, to);
}

void mk_describe_curves(size_t i, FILE *to)
{
    const struct mk_process_curve *c = mk_process_curve_at(i);
    fprintf(to,
            "%s: curve of a rising arm, %s\n\n  %s\n\nsource:      %s\nin:          problem: {processes: [{curve: %s, "
            "…}]}\n",
            c->name, c->summary, c->formula, c->reference, c->name);
    describe_params(c->params, to);
}

void mk_describe_optimizers(size_t i, FILE *to)
{
    const struct mk_optimizer_type *o = mk_optimizer_type_at(i);
    fprintf(to,
            "%s: optimiser, %s\n\n  %s\n\nsource:      %s\ncost:        %s per proposal\nin:          problem: "
            "{searches: [{optimizer: {name: %s, …}, …}]}\n",
            o->name, o->summary, o->formula, o->reference, o->cost, o->name);
    if (*o->departures) fprintf(to, "departures:  %s\n", o->departures);
    describe_params(o->params, to);
}

void mk_describe_objectives(size_t i, FILE *to)
{
    const struct mk_objective_type *o = mk_objective_type_at(i);
    fprintf(to,
            "%s: objective, %s\n\n  %s\n\nsource:      %s\ndraws:       %s\nin:          problem: {searches: "
            "[{objective: {name: %s, …}, …}]}\n",
            o->name, o->summary, o->formula, o->reference,
            o->distribution ? "random search has an exact distribution of rewards"
                            : "no closed form under random search",
            o->name);
    describe_params(o->params, to);
}

void mk_describe_plans(size_t i, FILE *to)
{
    const struct mk_plan_type *p = mk_plan_type_at(i);
    fprintf(to, "%s: plan, %s\n\n  %s\n\nsource:      %s\nin:          maxk schedule %s PARAMETER=VALUE …\n", p->name,
            p->summary, p->formula, p->reference, p->name);
    describe_params(p->params, to);
}

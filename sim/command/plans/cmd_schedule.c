/* maxk schedule: how a rule divides its budget. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/number.h"
#include "sim/base/table_printer.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/plan/plan.h"

enum { MOST_ASSIGNMENTS = MK_MAX_PARAMS };

static const char *name_at(size_t i)
{
    const struct mk_plan_type *p = mk_plan_type_at(i);
    return p ? p->name : NULL;
}

static int no_such_plan(const char *name, struct mk_error *err)
{
    const char *names[16];
    char clip[MK_CLIP_ROOM], all[200];
    size_t n = 0;
    for (; n < mk_plan_type_count() && n < sizeof names / sizeof *names; n++) names[n] = name_at(n);
    return mk_fail(err, MK_EINPUT, "maxk schedule: %s: no such plan, allowed: %s", mk_clip(name, clip),
                   mk_join(names, n, all, sizeof all));
}

static int no_such_parameter(const struct mk_plan_type *type, const char *text, struct mk_error *err)
{
    const char *names[MK_MAX_PARAMS];
    char clip[MK_CLIP_ROOM], all[200];
    const size_t n = mk_param_count(type->params);
    for (size_t i = 0; i < n; i++) names[i] = type->params[i].name;
    return mk_fail(err, MK_EINPUT, "maxk schedule: %s: expected PARAMETER=VALUE, allowed parameters: %s",
                   mk_clip(text, clip), mk_join(names, n, all, sizeof all));
}

/* "R=81" into par[] of R. */
static int assign(const struct mk_plan_type *type, const char *text, double *par, struct mk_error *err)
{
    const char *sign = strchr(text, '=');
    char name[32], clip[MK_CLIP_ROOM], range[256];
    const size_t length = sign ? (size_t)(sign - text) : 0;
    if (!sign || length >= sizeof name) return no_such_parameter(type, text, err);
    memcpy(name, text, length);
    name[length] = 0;
    const int at = mk_param_find(type->params, name);
    if (at < 0) return no_such_parameter(type, text, err);
    const struct mk_param *p = &type->params[at];
    double x = NAN;
    if (p->kind == MK_CHOICE)
        x = mk_choice_find(p->choices, sign + 1);
    else if (!mk_parse_real(sign + 1, strlen(sign + 1), &x))
        x = NAN;
    if (p->kind == MK_CHOICE ? x < 0 : !mk_param_allows(p, x))
        return mk_fail(err, MK_EINPUT, "maxk schedule: %s: expected %s, got '%s'", name,
                       mk_param_range(p, range, sizeof range), mk_clip(sign + 1, clip));
    par[at] = x;
    return MK_OK;
}

/* Configurations, what each is evaluated on, and the sums that show whether a budget is kept. */
static int print(const struct mk_plan *p, struct mk_table_style style, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    const bool for_people = style.form == MK_TABLE_ALIGNED;
    double sum = 0;
    int code = mk_table_begin(&t, stdout, style,
                              for_people ? "bracket,round,configurations,budget,reached,budget of the round,so far"
                                         : "bracket,round,configurations,budget",
                              err);
    for (size_t i = 0; i < p->n && !code; i++) {
        const struct mk_plan_round *r = &p->round[i];
        const double all = (double)r->configurations * r->budget;
        mk_table_count(t, r->bracket);
        mk_table_count(t, r->round);
        mk_table_count(t, r->configurations);
        mk_table_real(t, r->budget);
        if (!for_people) continue;
        mk_table_real(t, r->reached);
        mk_table_real(t, all);
        mk_table_real(t, sum += all);
    }
    return mk_table_finish(t, code, err);
}

static int schedule(char **operand, size_t n, struct mk_table_style style, struct mk_error *err)
{
    const struct mk_plan_type *type = mk_plan_type_find(operand[0]);
    struct mk_error why = {0, ""};
    struct mk_plan plan = {0};
    double par[MK_MAX_PARAMS];
    int code = MK_OK;
    if (!type) return no_such_plan(operand[0], err);
    mk_param_defaults(type->params, par);
    for (size_t i = 1; i < n && !code; i++) code = assign(type, operand[i], par, err);
    if (code) return code;
    const char *problem = type->check ? type->check(par) : NULL;
    if (problem) return mk_fail(err, MK_EINPUT, "maxk schedule: %s: %s", type->name, problem);
    code = type->make(par, &plan, &why);
    if (code)
        mk_fail(err, code, "maxk schedule: %s: %.900s", type->name, why.text);
    else
        code = print(&plan, style, err);
    mk_plan_free(&plan);
    return code;
}

int mk_cmd_schedule(int argc, char **argv, struct mk_error *err)
{
    struct mk_table_style style = MK_TABLE_PLAIN;
    const struct mk_usage usage = {
        "schedule", "NAME [PARAMETER=VALUE …]",
        "Prints how a rule divides its budget before it knows anything of the configurations: in every round of every "
        "bracket the number of configurations, the budget that each of them is given in the round, what each has been "
        "evaluated on when it ends (more than the budget where evaluations are resumed), the budget of the round and "
        "the sum so far. Of irace a bracket is a race, and the budget of a configuration is its share of the race. "
        "--csv has the columns bracket, round, configurations and budget. maxk describe NAME has the parameters, their "
        "defaults and the sources.",
        1, MOST_ASSIGNMENTS};
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse_named(&usage, options, name_at, argc, argv, &operand, &n, err);
    return code ? code : schedule(operand, n, style, err);
}

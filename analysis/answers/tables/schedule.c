/* How a rule divides its budget before it knows anything of the configurations. */
#include <math.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/search/plan/plan.h"

enum { MOST_ASSIGNMENTS = MK_MAX_PARAMS, DATA_COLUMNS = 4 };

/* Configurations, what each is evaluated on, and the sums that show whether a budget is kept. */
#define COLUMNS(X)                                                                                                     \
    X(BRACKET, "bracket", COUNT, "", "number of the bracket, as the source counts; of irace a race")                   \
    X(ROUND, "round", COUNT, "", "number of the round in its bracket, from 0")                                         \
    X(CONFIGURATIONS, "configurations", COUNT, "", "configurations in the round")                                      \
    X(BUDGET, "budget", REAL, "as R, B or T",                                                                          \
      "what each of them is given in the round; of irace its share of the race")                                       \
    X(REACHED, "reached", REAL, "as R, B or T",                                                                        \
      "what each has been evaluated on when the round ends: more than its budget where evaluations are resumed")       \
    X(OF_ROUND, "budget of the round", REAL, "as R, B or T", "configurations times budget")                            \
    X(SO_FAR, "so far", REAL, "as R, B or T", "the sum of these up to the round")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = {
    .title = "brackets and rounds",
    .column = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .n_data = DATA_COLUMNS,
};

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

static void add_rows(struct mk_table *t, const struct mk_plan *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct mk_plan_round *r = &p->round[i];
        const double all = (double)r->configurations * r->budget;
        mk_table_set_count(t, BRACKET, r->bracket);
        mk_table_set_count(t, ROUND, r->round);
        mk_table_set_count(t, CONFIGURATIONS, r->configurations);
        mk_table_set_real(t, BUDGET, r->budget);
        mk_table_set_real(t, REACHED, r->reached);
        mk_table_set_real(t, OF_ROUND, all);
        mk_table_set_real(t, SO_FAR, sum += all);
        mk_table_end_row(t);
    }
}

static int make_schedule(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct mk_plan_type *type = mk_plan_type_find(call->input[0]);
    struct mk_error why = {0, ""};
    struct mk_plan plan = {0};
    struct mk_table *t = NULL;
    double par[MK_MAX_PARAMS];
    int code = MK_OK;
    if (!type) return no_such_plan(call->input[0], err);
    mk_param_defaults(type->params, par);
    for (size_t i = 1; i < call->n_inputs && !code; i++) code = assign(type, call->input[i], par, err);
    if (code) return code;
    const char *problem = type->check ? type->check(par) : NULL;
    if (problem) return mk_fail(err, MK_EINPUT, "maxk schedule: %s: %s", type->name, problem);
    code = type->make(par, &plan, &why);
    if (code) mk_fail(err, code, "maxk schedule: %s: %.900s", type->name, why.text);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) add_rows(t, &plan);
    mk_plan_free(&plan);
    return mk_table_made(out, t, code, err);
}

const struct mk_table_type mk_table_schedule = {
    .usage =
        {"schedule", "NAME [PARAMETER=VALUE …]",
         "Prints how a rule such as Hyperband divides a budget among configurations before any of them has been "
         "evaluated: one row for every round of every bracket. `maxk describe NAME` explains the parameters and names "
         "the sources.\n\n  configurations  number of configurations in the round\n  budget  budget that each of them "
         "is given in the round\n  reached  budget that each of them has been given by the end of the round; it is "
         "larger than budget where evaluations are resumed\n  budget of the round, so far  budget of all "
         "configurations in the round, and the sum up to and with this round\n\nFor irace, a bracket is a race, and "
         "the budget of a configuration is its share of the race. --csv has the columns bracket, round, configurations "
         "and budget.",
         1, MOST_ASSIGNMENTS},
    .group = "Registries",
    .summary = "print how a rule such as Hyperband divides its budget into brackets and rounds",
    .names = name_at,
    MK_TABLE_SHOWS(&schema),
    .make = make_schedule};

/* Plans, and the rules that make those which `maxk schedule` prints. */
#include "sim/search/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/registry.h"
#include "sim/search/plan/dacopt.h"
#include "sim/search/plan/halving.h"
#include "sim/search/plan/race.h"

enum { MOST_ROUNDS = 1000000 };

void mk_plan_free(struct mk_plan *p)
{
    free(p->round);
    *p = (struct mk_plan){0};
}

static int add_round(struct mk_plan *p, struct mk_plan_round round, struct mk_error *err)
{
    if (p->n == MOST_ROUNDS) return mk_fail(err, MK_EINPUT, "a plan of more than %d rounds", MOST_ROUNDS);
    if (!MK_GROW(p->round, p->n, 1)) return mk_fail_memory(err, "a plan");
    p->round[p->n++] = round;
    return MK_OK;
}

double mk_plan_total(const struct mk_plan *p)
{
    double sum = 0;
    for (size_t i = 0; i < p->n; i++) sum += (double)p->round[i].configurations * p->round[i].budget;
    return sum;
}

/* Drops what begins after `budget` is spent: whole evaluations are dropped from the first that does not fit on. If the
 * plan had more, it spends more than budget - (the largest budget of an evaluation). */
static void cut_plan(struct mk_plan *p, double budget)
{
    double left = budget * (1 + 1e-12);
    for (size_t i = 0; i < p->n; i++) {
        struct mk_plan_round *r = &p->round[i];
        const double fit = floor(left / r->budget);
        left -= (double)r->configurations * r->budget;
        if (fit >= (double)r->configurations) continue;
        r->configurations = (uint64_t)fit;
        p->n = i + (fit > 0);
        return;
    }
}

#define WHOLE_PARAM(def)                                                                                               \
    {                                                                                                                  \
        "R", MK_REAL, 0, def, 1, 1e9, NULL, "budget of a whole evaluation (folds, iterations, …)"                    \
    }
#define ETA_PARAM                                                                                                      \
    {                                                                                                                  \
        "eta", MK_REAL, MK_OPEN_LO, 3, 1, 1000, NULL, "one in eta goes on"                                             \
    }
#define BUDGET_PARAM(text)                                                                                             \
    {                                                                                                                  \
        "B", MK_REAL, MK_OPTIONAL | MK_OPEN_LO, 0, 0, 1e9, NULL, text                                                  \
    }
#define READING_PARAM                                                                                                  \
    MK_CHOICE_ROW("reading", MK_READING_SOURCE, MK_READING_CHOICES,                                                    \
                  "the source's rule, or the one printed in Nguyen 2024")

/* ---- successive halving ---- */

/* One bracket with s eliminations. Source: every evaluation is made again, of n eta^-k configurations up to round s.
 * Printed: those that go on are evaluated only on what is new, and there are s rounds, not s + 1. */
static int add_bracket(enum mk_reading reading, uint64_t bracket, uint64_t n, unsigned s, double R, double eta,
                       struct mk_plan *out, struct mk_error *err)
{
    const bool printed = reading == MK_READING_PRINTED;
    double rest = R;
    int code = MK_OK;
    for (unsigned k = 0; k < s + !printed && !code; k++) {
        struct mk_plan_round r = {bracket, k, mk_halving_left(n, eta, k), mk_halving_budget(R, eta, s, k), 0};
        if (printed) r.budget = fmin(r.budget, rest);
        rest -= printed ? r.budget : 0;
        r.reached = printed ? R - rest : r.budget;
        code = add_round(out, r, err);
    }
    return code;
}

enum { SH_N, SH_R, SH_ETA, SH_B, SH_READING, SH_PARAMS };
static const struct mk_param halving_params[] = {
    {"n", MK_INTEGER, 0, 27, 1, 1e9, NULL, "configurations of the first round"},
    WHOLE_PARAM(27),
    ETA_PARAM,
    BUDGET_PARAM("budget of all evaluations; if absent, as many rounds as n and R allow"),
    READING_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(halving_params, SH_PARAMS);

static int plan_halving(const double *par, struct mk_plan *out, struct mk_error *err)
{
    const enum mk_reading reading = (enum mk_reading)par[SH_READING];
    const uint64_t n = (uint64_t)par[SH_N];
    const double budget = isnan(par[SH_B]) ? INFINITY : par[SH_B];
    char text[2][32];
    unsigned s = 0, max = 0;
    if (mk_halving_eliminations(reading, n, par[SH_R], par[SH_ETA], budget, &s))
        return add_bracket(reading, 0, n, s, par[SH_R], par[SH_ETA], out, err);
    mk_halving_eliminations(reading, n, par[SH_R], par[SH_ETA], INFINITY, &max);
    const double min = (double)n * par[SH_R] * (max + 1) / pow(par[SH_ETA], max);
    return mk_fail(err, MK_EINPUT, "B: expected at least n R (s + 1) eta^-s = %s with s = %u, got %s",
                   mk_format_real(min, text[0], sizeof text[0]), max, mk_format_real(budget, text[1], sizeof text[1]));
}

/* ---- hyperband ---- */

enum { HB_R, HB_ETA, HB_ROUNDING, HB_B, HB_READING, HB_PARAMS };
static const struct mk_param hyperband_params[] = {
    WHOLE_PARAM(81),
    ETA_PARAM,
    MK_CHOICE_ROW("rounding", MK_ROUNDING_CEIL, MK_ROUNDING_CHOICES,
                  "of the configurations of a bracket: up as in Algorithm 1 of Li et al. 2018, down as in its Table 1"),
    BUDGET_PARAM("budget of all evaluations: brackets are repeated, and the last is cut; if absent, once"),
    READING_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(hyperband_params, HB_PARAMS);

static const char *check_hyperband(const double *par)
{
    if (par[HB_READING] == MK_READING_PRINTED && isnan(par[HB_B]))
        return "reading=printed computes the brackets from B: expected B=BUDGET";
    return NULL;
}

/* Printed (Algorithm 6): once, without the brackets that have no round. */
static int plan_hyperband(const double *par, struct mk_plan *out, struct mk_error *err)
{
    const struct mk_hyperband_rule rule = {par[HB_R], par[HB_ETA], (enum mk_rounding)par[HB_ROUNDING],
                                           (enum mk_reading)par[HB_READING], par[HB_B]};
    const unsigned max = mk_floor_log(rule.R, rule.eta);
    const bool repeats = !isnan(rule.B) && rule.reading == MK_READING_SOURCE;
    double spent = 0;
    int code = MK_OK;
    do {
        for (unsigned i = 0; i <= max && !code; i++) {
            uint64_t n;
            unsigned s;
            if (!mk_hyperband_bracket(&rule, max - i, &n, &s)) continue;
            code = add_bracket(rule.reading, max - i, n, s, rule.R, rule.eta, out, err);
        }
        spent = mk_plan_total(out);
    } while (!code && repeats && spent < rule.B);
    if (!code && repeats) cut_plan(out, rule.B);
    return code;
}

/* ---- irace ---- */

enum { RACE_PARAMETERS, RACE_B, RACE_FIRST, RACE_EACH, RACE_ELITES, RACE_READING, RACE_PARAMS };
static const struct mk_param race_params[] = {
    {"parameters", MK_REAL, 0, 4, 1, 1000, NULL, "number of hyperparameters"},
    {"B", MK_INTEGER, 0, 1000, 1, 1e9, NULL, "budget: evaluations on one instance (fold) each"},
    {"first", MK_INTEGER, 0, 5, 1, 1000, NULL, "instances before the first test"},
    {"each", MK_INTEGER, 0, 1, 1, 1000, NULL, "instances between tests"},
    {"elites", MK_INTEGER, MK_OPTIONAL, 0, 1, 1000, NULL,
     "elites of every race; if absent, as many as end a race, floor(2 + log_2 parameters)"},
    READING_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(race_params, RACE_PARAMS);

/* As if every race spent its budget and eliminated nothing before its last test, so that race j has used
 * first + each min(5, j) instances. */
static int plan_race(const double *par, struct mk_plan *out, struct mk_error *err)
{
    const enum mk_reading reading = (enum mk_reading)par[RACE_READING];
    const unsigned races = mk_race_count(par[RACE_PARAMETERS]);
    const uint64_t elites = isnan(par[RACE_ELITES]) ? races : (uint64_t)par[RACE_ELITES];
    const bool printed = reading == MK_READING_PRINTED;
    struct mk_race_plan p = {.first = (uint64_t)par[RACE_FIRST], .each = (uint64_t)par[RACE_EACH]};
    uint64_t left = (uint64_t)par[RACE_B];
    int code = MK_OK;
    for (p.j = 1; p.j <= races && !code; p.j++) {
        p.budget = mk_race_budget(left, races, p.j);
        left -= p.budget;
        uint64_t n = mk_race_size(reading, &p);
        if (printed && p.j > 1) n = n > elites ? n - elites : 0;
        if (n <= (printed ? 0 : races))
            return mk_fail(err, MK_EINPUT, "B: race %u has %llu evaluations, too few for more than %u configurations",
                           p.j, (unsigned long long)p.budget, printed ? 0 : races);
        const double each = (double)p.budget / (double)n;
        code = add_round(out, (struct mk_plan_round){p.j, 0, n, each, each}, err);
        if (printed) continue;
        p.elites = elites;
        p.old = p.first + p.each * (p.j < 5 ? p.j : 5);
        p.add = 1;
    }
    return code;
}

/* ---- dacopt ---- */

enum { CONTEST_K, CONTEST_T, CONTEST_N0, CONTEST_ETA, CONTEST_SHARE, CONTEST_PARAMS };
static const struct mk_param contest_params[] = {
    {"K", MK_INTEGER, 0, 10, 1, 1e6, NULL, "sub-spaces (arms)"},
    {"T", MK_INTEGER, 0, 500, 1, 1e12, NULL, "evaluations in all"},
    {"n0", MK_INTEGER, 0, 10, 1, 1e6, NULL, "evaluations of each in the first round"},
    ETA_PARAM,
    MK_DACOPT_SHARE_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(contest_params, CONTEST_PARAMS);

static const char *check_contest(const double *par)
{
    return par[CONTEST_K] * par[CONTEST_N0] > par[CONTEST_T]
               ? "the first round takes K n0 evaluations: expected K n0 <= T"
               : NULL;
}

static int plan_contest(const double *par, struct mk_plan *out, struct mk_error *err)
{
    size_t k = (size_t)par[CONTEST_K];
    const double eta = par[CONTEST_ETA];
    uint64_t left = (uint64_t)par[CONTEST_T], n = k == 1 ? left : (uint64_t)par[CONTEST_N0], total = 0;
    int code = MK_OK;
    for (uint64_t round = 0; !code; round++) {
        total += n;
        if (n) code = add_round(out, (struct mk_plan_round){0, round, k, (double)n, (double)total}, err);
        if (k == 1) break;
        left -= n * k;
        const unsigned rounds = mk_dacopt_rounds(k, eta);
        k = mk_dacopt_next(k, eta);
        n = mk_dacopt_share(left, rounds, k, (enum mk_dacopt_share)par[CONTEST_SHARE]);
    }
    return code;
}

/* ---- registry ---- */

static const char hyperband_formula[] =
    "brackets s = s_max … 0, s_max = floor(log_eta R): n = ceil((s_max + 1) eta^s / (s + 1)) configurations, round i has "
    "floor(n eta^-i) of them on a budget of floor(R eta^(i - s)) each";

static const struct mk_plan_type types[] = {
    {"successive_halving", "one bracket: ever fewer configurations on ever larger budgets",
     "round k = 0 … s: floor(n eta^-k) configurations on floor(R eta^(k - s)) each; s the least with n R (s + 1) eta^-s "
     "<= B and s <= log_eta min(R, n)",
     "Jamieson & Talwalkar 2016; Li et al. 2018, Figure 10; Nguyen 2024, Algorithm 5", halving_params, NULL,
     plan_halving},
    {"hyperband", "brackets of successive halving, from many configurations to few", hyperband_formula,
     "Li et al. 2018, Algorithm 1 and Table 1; Nguyen 2024, Algorithm 6", hyperband_params, check_hyperband,
     plan_hyperband},
    {"bohb", "the brackets of hyperband, which BOHB fills with proposals of its model", hyperband_formula,
     "Falkner, Klein & Hutter 2018; HpBandSter has rounding=floor", hyperband_params, check_hyperband, plan_hyperband},
    {"irace", "iterated races: budgets B_j and numbers of configurations N_j",
     "floor(2 + log_2 parameters) races; B_j = floor(left / (races - j + 1)), N_j = floor((B_j + elites old) / "
     "max(first + each min(5, j), old + 1)) with the elites, which have `old` evaluations already",
     "irace 3.5 (López-Ibáñez et al. 2016); Nguyen 2024, Algorithm 4", race_params, NULL, plan_race},
    {"dacopt", "the contest of K sub-spaces",
     "n0 evaluations of each of K sub-spaces; then of the best ceil(k / eta) each floor(left / races / k), the last one "
     "all that is left",
     "Nguyen et al. 2022 and its program", contest_params, check_contest, plan_contest},
};

MK_REGISTRY_BY_NAME(mk_plan_type, mk_plan_type, types, &types[i])

/* Successive Halving (Jamieson & Talwalkar 2016; Li et al. 2018, Figure 10): n configurations at random on a small part
 * of the evaluation, the best 1 in eta of them on eta times as much, …; then a new bracket.
 *
 * reading: printed is Algorithm 5 of Nguyen 2024 as printed: the most rounds that the budget B of a bracket allows, not
 * the fewest; one round less; and evaluations are resumed, so that only what is new costs (sim/search/plan/halving.h).
 * With rounds: 1 it is uniform allocation: n configurations, each evaluated once, on B / n. Cost per ask O(d), at the
 * end of a round O(n log n); memory 8 bytes per configuration of a bracket. */
#include <math.h>
#include <string.h>

#include "sim/search/optimizers/parts/brackets.h"

enum { N, WHOLE, ETA, BUDGET, ROUNDS, READING, PARAMS };

static const struct mk_param params[] = {
    {"n", MK_INTEGER, 0, 27, 1, 1e7, NULL, "configurations of the first round"},
    {"R", MK_REAL, 0, 27, 1, 1e12, NULL, "budget of a whole evaluation, in units of the smallest (folds, iterations)"},
    {"eta", MK_REAL, MK_OPEN_LO, 3, 1, 1000, NULL, "one in eta goes on"},
    {"B", MK_REAL, MK_OPTIONAL | MK_OPEN_LO, 0, 0, 1e15, NULL,
     "budget of a bracket in the same units; if absent, as many rounds as n and R allow"},
    {"rounds", MK_INTEGER, MK_OPTIONAL, 0, 1, MK_HALVING_MOST_ROUNDS, NULL, "at most so many rounds"},
    {"reading", MK_CHOICE, 0, MK_READING_SOURCE, 0, 0, MK_READING_CHOICES,
     "rule of Li et al. 2018, or as printed in Nguyen 2024, Algorithm 5"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static bool eliminations(const double *par, unsigned *s)
{
    const double B = isnan(par[BUDGET]) ? INFINITY : par[BUDGET];
    bool fits = mk_halving_eliminations((enum mk_reading)par[READING], (uint64_t)par[N], par[WHOLE], par[ETA], B, s);
    if (!isnan(par[ROUNDS]) && (!fits || *s >= par[ROUNDS])) *s = (unsigned)par[ROUNDS] - 1, fits = true;
    return fits;
}

static const char *check_successive_halving(const double *par)
{
    unsigned s = 0;
    if (!eliminations(par, &s)) return "B: too small for n configurations; expected at least n R (s + 1) eta^-s";
    return par[READING] == MK_READING_PRINTED && s == 0
               ? "reading: printed has as many rounds as eliminations, and n, R and B allow none"
               : NULL;
}

static size_t state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)space;
    (void)budget;
    return mk_brackets_size((uint64_t)par[N]);
}

static int init_successive_halving(void *state, const struct mk_ask *a, struct mk_error *err)
{
    (void)err;
    mk_brackets_init(state, (enum mk_reading)a->par[READING]);
    return MK_OK;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    struct mk_brackets *b = state;
    const double R = a->par[WHOLE], eta = a->par[ETA];
    unsigned s = 0;
    (void)err;
    if (!mk_brackets_advance(b, a, R, eta)) {
        eliminations(a->par, &s);
        mk_brackets_open(b, a, (uint64_t)a->par[N], s, R, eta);
    }
    if (!mk_brackets_next(b, a, v, fidelity) && !mk_take_first(a, v)) mk_space_sample(a->space, &a->rng, v);
    return MK_OK;
}

const struct mk_optimizer_type mk_optimizer_successive_halving = {
    .name = "successive_halving",
    .summary = "successive halving of random configurations on growing parts of an evaluation",
    .formula =
        "round k = 0 … s: floor(n eta^-k) configurations, drawn independently, on floor(R eta^(k - s)) of R; the best 1 in eta go on; s "
        "the least with n R (s + 1) eta^-s <= B",
    .reference = "Jamieson & Talwalkar 2016; Li et al. 2018, Figure 10; Nguyen 2024, Algorithm 5 (reading: printed)",
    .departures = "budgets are rounded down to whole units, at least 1 (Li et al. 2018 leave them fractional); failed "
                  "configurations rank last, and are promoted when too few others are left",
    .cost = "O(d), O(n log n) at the end of a round",
    .flags = MK_OPTIMIZER_FIDELITY,
    .params = params,
    .check = check_successive_halving,
    .state_size = state_size,
    .init = init_successive_halving,
    .ask = ask,
};

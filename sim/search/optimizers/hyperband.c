/* Hyperband (Li, Jamieson, DeSalvo, Rostamizadeh & Talwalkar 2018, Algorithm 1): brackets of successive halving, from
 * many configurations on little to few on whole evaluations, and again from the start when all have been run.
 *
 * reading: printed is Algorithm 6 of Nguyen 2024 as printed, with the rounds of its Algorithm 5: brackets whose share
 * of the budget B allows no round (most of them) are left out, and the part of B that no bracket spends is left; what
 * is left is shown by maxk schedule hyperband reading=printed. Cost per ask O(d), at the end of a round O(n log n). */
#include "sim/search/optimizers/parts/brackets.h"

enum { PARAMS = MK_HYPERBAND_PARAMETERS };

static const struct mk_param params[] = {
    MK_HYPERBAND_PARAMS(MK_ROUNDING_CEIL),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    (void)err;
    if (!mk_hyperband_next(state, a, v, fidelity) && !mk_take_first(a, v)) mk_space_sample(a->space, &a->rng, v);
    return MK_OK;
}

const struct mk_optimizer_type mk_optimizer_hyperband = {
    .name = "hyperband",
    .summary = "brackets of successive halving, from many configurations on little to few on whole evaluations",
    .formula = "brackets s = s_max … 0, s_max = floor(log_eta R): ceil((s_max + 1) eta^s / (s + 1)) configurations at "
               "random, independently, round i keeps floor(n eta^-i) of them on floor(R eta^(i - s)) of R",
    .reference =
        "Li et al. 2018, Algorithm 1; rounding: floor is its Table 1; Nguyen 2024, Algorithm 6 (reading: printed)",
    .departures = "budgets of less than 1 are 1, and others whole numbers",
    .cost = "O(d), O(n log n) at the end of a round",
    .flags = MK_OPTIMIZER_FIDELITY,
    .params = params,
    .check = mk_hyperband_check,
    .state_size = mk_hyperband_state_size,
    .init = mk_hyperband_init,
    .ask = ask,
};

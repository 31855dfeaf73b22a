/* The brackets of Hyperband, which BOHB shares: s = s_max … 0, and again. */
#ifndef MAXK_POLICIES_OPTIMIZERS_PARTS_HYPERBAND_BRACKETS_H
#define MAXK_POLICIES_OPTIMIZERS_PARTS_HYPERBAND_BRACKETS_H

#include "policies/optimizers/parts/brackets.h"

#define MK_HYPERBAND_PARAMS(rounding)                                                                                  \
    {"R", MK_REAL, 0, 81, 1, 1e6, NULL, "budget of a whole evaluation, in units of the smallest (folds, iterations)"}, \
        {"eta", MK_REAL, MK_OPEN_LO, 3, 1, 1000, NULL, "one in eta goes on"},                                          \
    {                                                                                                                  \
        "rounding", MK_CHOICE, 0, rounding, 0, 0, MK_ROUNDING_CHOICES,                                                 \
            "of the configurations of a bracket: up as in Algorithm 1 of Li et al. 2018, down as in its Table 1"       \
    }
enum { MK_HYPERBAND_R, MK_HYPERBAND_ETA, MK_HYPERBAND_ROUNDING, MK_HYPERBAND_PARAMETERS };

/* Bytes for the largest bracket; par: the three parameters. */
static inline size_t mk_hyperband_bytes(const double *par)
{
    const unsigned most = mk_floor_log(par[MK_HYPERBAND_R], par[MK_HYPERBAND_ETA]);
    return mk_brackets_size(
        mk_hyperband_size(most, most, par[MK_HYPERBAND_ETA], (enum mk_rounding)par[MK_HYPERBAND_ROUNDING]));
}

/* `init` of the optimisers. */
static inline int mk_hyperband_init(void *state, const struct mk_ask *a, struct mk_error *err)
{
    (void)a;
    (void)err;
    mk_brackets_init(state, MK_READING_SOURCE);
    return MK_OK;
}

/* The next proposal, as mk_brackets_next. */
static inline bool mk_hyperband_next(struct mk_brackets *b, struct mk_ask *a, const double *par, double *v,
                                     double *fidelity)
{
    const double R = par[MK_HYPERBAND_R], eta = par[MK_HYPERBAND_ETA];
    const unsigned most = mk_floor_log(R, eta);
    if (!mk_brackets_advance(b, a, R, eta)) {
        const unsigned s = most - (unsigned)(b->bracket % (most + 1));
        mk_brackets_open(b, a, mk_hyperband_size(most, s, eta, (enum mk_rounding)par[MK_HYPERBAND_ROUNDING]), s, R,
                         eta);
    }
    return mk_brackets_next(b, a, v, fidelity);
}

#endif

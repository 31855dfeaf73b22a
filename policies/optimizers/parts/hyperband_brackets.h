/* The brackets of Hyperband, which BOHB shares: r = floor(log_eta R) … 0, and again. */
#ifndef MAXK_POLICIES_OPTIMIZERS_PARTS_HYPERBAND_BRACKETS_H
#define MAXK_POLICIES_OPTIMIZERS_PARTS_HYPERBAND_BRACKETS_H

#include "policies/optimizers/parts/brackets.h"

/* The first parameters of both. */
#define MK_HYPERBAND_PARAMS(rounding)                                                                                  \
    {"R", MK_REAL, 0, 81, 1, 1e6, NULL, "budget of a whole evaluation, in units of the smallest (folds, iterations)"}, \
        {"eta", MK_REAL, MK_OPEN_LO, 3, 1, 1000, NULL, "one in eta goes on"},                                          \
        {"rounding",                                                                                                   \
         MK_CHOICE,                                                                                                    \
         0,                                                                                                            \
         rounding,                                                                                                     \
         0,                                                                                                            \
         0,                                                                                                            \
         MK_ROUNDING_CHOICES,                                                                                          \
         "of the configurations of a bracket: up as in Algorithm 1 of Li et al. 2018, down as in its Table 1"},        \
        {"reading",                                                                                                    \
         MK_CHOICE,                                                                                                    \
         0,                                                                                                            \
         MK_READING_SOURCE,                                                                                            \
         0,                                                                                                            \
         0,                                                                                                            \
         MK_READING_CHOICES,                                                                                           \
         "rule of Li et al. 2018, or as printed in Nguyen 2024, Algorithm 6"},                                         \
    {                                                                                                                  \
        "B", MK_REAL, MK_OPTIONAL | MK_OPEN_LO, 0, 0, 1e9, NULL,                                                       \
            "of reading: printed: the budget of all brackets in the same units, from which their sizes follow"         \
    }
enum {
    MK_HYPERBAND_R,
    MK_HYPERBAND_ETA,
    MK_HYPERBAND_ROUNDING,
    MK_HYPERBAND_READING,
    MK_HYPERBAND_B,
    MK_HYPERBAND_PARAMETERS
};

/* `check`, `state_size` and `init` of the optimisers, whose state are the brackets. */
const char *mk_hyperband_check(const double *par);
size_t mk_hyperband_state_size(const double *par, const struct mk_space *space, uint64_t budget);
int mk_hyperband_init(void *state, const struct mk_ask *a, struct mk_error *err);

/* The next proposal, as mk_brackets_next. */
bool mk_hyperband_next(struct mk_brackets *b, struct mk_ask *a, double *v, double *fidelity);

#endif

/* Brackets of successive halving while they run: rounds of ever fewer configurations on ever larger budgets. The state
 * is plain data; results are read from the trials when a round is complete. Where results are still awaited, the round
 * is decided by those that are there. Failed evaluations, and those without a result, rank last; equal ones rank in the
 * order in which they were proposed. */
#ifndef MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_BRACKETS_H
#define MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_BRACKETS_H

#include "sim/search/optimizers/optimizer.h"
#include "sim/search/plan/halving.h"

struct mk_brackets {
    uint64_t bracket;     /* from 0, that is open */
    uint64_t n;           /* configurations with which it began */
    unsigned s, k;        /* its eliminations; the present round */
    uint64_t count, at;   /* configurations of the round; those that have been proposed */
    uint64_t first;       /* trial with which the round began */
    double reached;       /* share of an evaluation that those of this round have had before */
    double share;         /* that they have after it */
    bool ends_early;      /* printed form: s rounds instead of s + 1, and evaluations are resumed */
    uint64_t survivor[1]; /* [most] trials of the round before that go on */
};

/* Bytes for brackets of at most `most` configurations. */
size_t mk_brackets_size(uint64_t most);

void mk_brackets_init(struct mk_brackets *b, enum mk_reading reading);

/* Goes to the next round if the present one has been proposed. False: the bracket is over (or none was opened), and
 * mk_brackets_open begins the next. */
bool mk_brackets_advance(struct mk_brackets *b, const struct mk_ask *a, double R, double eta);
void mk_brackets_open(struct mk_brackets *b, const struct mk_ask *a, uint64_t n, unsigned s, double R, double eta);

/* The next proposal of the round: its fidelity and a->paid; true: v is a configuration that goes on; false: it is the
 * caller's to choose. */
bool mk_brackets_next(struct mk_brackets *b, struct mk_ask *a, double *v, double *fidelity);

/* ---- the brackets of Hyperband, which BOHB shares: r = floor(log_eta R) … 0, and again ---- */

/* Their first parameters. */
#define MK_HYPERBAND_PARAMS(rounding)                                                                                  \
    {"R", MK_REAL, 0, 81, 1, 1e6, NULL, "budget of a whole evaluation, in units of the smallest (folds, iterations)"}, \
        {"eta", MK_REAL, MK_OPEN_LO, 3, 1, 1000, NULL, "one in eta goes on"},                                          \
        MK_CHOICE_ROW("rounding", rounding, MK_ROUNDING_CHOICES,                                                       \
                      "of the configurations of a bracket: up as in Algorithm 1 of Li et al. 2018, down as in its "    \
                      "Table 1"),                                                                                      \
        MK_CHOICE_ROW("reading", MK_READING_SOURCE, MK_READING_CHOICES,                                                \
                      "rule of Li et al. 2018, or as printed in Nguyen 2024, Algorithm 6"),                            \
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

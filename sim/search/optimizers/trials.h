/* The configurations that an optimiser has proposed, in order: first those whose results are known, then those that are
 * still running. */
#ifndef MAXK_SIM_SEARCH_OPTIMIZERS_TRIALS_H
#define MAXK_SIM_SEARCH_OPTIMIZERS_TRIALS_H

#include <string.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"
#include "sim/search/space/space.h"
#include "sim/search/space/trial_status.h"

struct mk_trials {
    const struct mk_space *space;
    size_t n, told, room; /* proposed; of these known: trials 0 … told-1 */
    double *v, *u;        /* [n][space->n] configurations; the same in the unit cube, NaN where inactive */
    double *reward;       /* [n] maximised. Of a failed trial: the worst reward known now, imputed again with every
                             result; NaN as long as no trial has succeeded. NaN of running ones */
    double *cost;         /* [n] */
    double *fidelity;     /* [n] share of the whole evaluation, in (0, 1] */
    size_t *row;          /* [n] of spaces with rows, else SIZE_MAX */
    uint64_t *digest;     /* [n] of the configurations */
    unsigned char *status;
    double worst; /* smallest reward of successful trials, NaN without any */
};

/* No trials yet; the memory of an earlier search is kept. */
void mk_trials_start(struct mk_trials *t, const struct mk_space *space);
void mk_trials_free(struct mk_trials *t);

/* Room for n trials. */
int mk_trials_reserve(struct mk_trials *t, size_t n, struct mk_error *err);

/* The configuration at t->v + t->n * space->n becomes a running trial; there is room for it. */
void mk_trials_ask(struct mk_trials *t, double fidelity);

/* The result of the first running trial; `reward` is not used when it failed. */
void mk_trials_tell(struct mk_trials *t, double reward, double cost, enum mk_trial_status status);

/* Whether a reward is known. */
static inline bool mk_trials_known(const struct mk_trials *t)
{
    return t->worst == t->worst;
}

/* Whether the configuration has been proposed. */
bool mk_trials_has(const struct mk_trials *t, const double *v);

/* For spaces with rows: those that have not been proposed, ascending, into open[rows]; all rows when all have been.
 * Returns their number. */
size_t mk_trials_open_rows(const struct mk_trials *t, size_t *open);

/* The information available to an optimiser for a proposal. */
struct mk_ask {
    const struct mk_space *space;
    const double *par;              /* in the order of the type's params */
    uint64_t budget;                /* largest number of evaluations */
    const struct mk_trials *trials; /* known and running; trials->n is the number of this ask, from 0 */
    struct mk_key key;              /* of the search */
    struct mk_pcg64 rng;            /* of this ask; a copy, the optimiser may draw from it */
    double paid;                    /* 0 unless the ask sets it: the part of the evaluation, below its fidelity, that
                                       an earlier trial of the configuration has paid for and that is not repeated */
    bool by_instance;               /* of optimisers with MK_OPTIMIZER_INSTANCES: rewards are those on the last instance
                                       alone; otherwise means over the instances so far */
    bool named;                     /* and a race knows all results of a step at its end, runs no configuration on an
                                       instance twice, and never has to go through all instances */
    void *bench;                    /* of type->bench_size: scratch memory without persistent content */
    const double *known;   /* [space->n] what this ask is known to give, of a search that is repeated; NULL: it is
                              not. It may save the work of choosing, and leaves all else as it would be */
    const double *first;   /* [n_first][space->n] configurations to be proposed before its own */
    size_t n_first, taken; /* taken: of them, those that have been proposed */
};

/* v <- the next of the configurations to be proposed first; false: there is none, and v is unchanged. */
bool mk_take_first(struct mk_ask *a, double *v);

/* v <- what this ask is known to give; false: nothing is. */
static inline bool mk_take_known(const struct mk_ask *a, double *v)
{
    if (a->known) memcpy(v, a->known, a->space->n * sizeof *v);
    return a->known != NULL;
}

#endif

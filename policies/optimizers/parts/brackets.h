/* Brackets of successive halving while they run: rounds of ever fewer configurations on ever larger budgets. The state
 * is plain data; results are read from the trials when a round is complete. Where results are still awaited, the round
 * is decided by those that are there. Failed evaluations, and those without a result, rank last; equal ones rank in the
 * order in which they were proposed. */
#ifndef MAXK_POLICIES_OPTIMIZERS_PARTS_BRACKETS_H
#define MAXK_POLICIES_OPTIMIZERS_PARTS_BRACKETS_H

#include "policies/optimizers/optimizer.h"
#include "sim/plan/halving.h"

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

#endif

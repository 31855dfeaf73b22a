/* Statistics of an arm's scaled rewards with the arithmetic of the published Python programs.
 *
 * Those programs map every reward seen so far (y = x * slope + shift, as scikit-learn does) and call numpy.mean or
 * numpy.sum at every round. Where arms are constant or exactly tied in theory, the last bits of such sums decide, so
 * reproducing a published pull sequence requires them. This costs O(n) per arm and round and up to 32 bytes per pull,
 * which is why it is an option (numerics: rescan) and running statistics are the default. The logarithm is the C
 * library's: with AVX-512 NumPy has one of its own, whose last bits differ. */
#ifndef MAXK_POLICIES_PARTS_NUMPY_ARITHMETIC_H
#define MAXK_POLICIES_PARTS_NUMPY_ARITHMETIC_H

#include "policies/parts/history.h"
#include "policies/parts/reward_scaling.h"
#include "policies/policy.h"

enum { MK_NUMERICS_RUNNING, MK_NUMERICS_RESCAN };

#define MK_NUMERICS_PARAM                                                                                              \
    MK_CHOICE_ROW("numerics", MK_NUMERICS_RUNNING, "running|rescan",                                                   \
                  "running statistics, or those of the whole scaled history in every round as published")

struct mk_numpy {
    struct mk_history *history; /* [K], NULL: disabled */
    struct mk_arena arena;
    struct mk_affine map; /* of the current round */
};

/* Bytes after the struct; 0 when disabled. */
size_t mk_numpy_bytes(const struct mk_setup *s, int on);

/* `memory` has mk_numpy_bytes(s, on) bytes. */
void mk_numpy_init(struct mk_numpy *r, void *memory, const struct mk_setup *s, int on);

/* Does nothing when disabled. */
static inline void mk_numpy_add(struct mk_numpy *r, size_t arm, double reward)
{
    if (r->history) mk_history_add(&r->history[arm], &r->arena, reward);
}

/* Sum of y - from over the mapped rewards y, or of its squares, in the order of numpy.sum (pairwise, blocks of 128,
 * eight lanes). */
double mk_numpy_sum(const double *x, size_t n, const struct mk_affine *map, double from, int square);

/* Mean of y - from over the arm's mapped rewards, or of its squares; 0 / 0 for no reward. */
double mk_numpy_mean(const struct mk_numpy *r, size_t arm, double from, int square);

#endif

/* Sums of an arm's running best y(1), …, y(n) over any stretch of pulls, from its records alone: y is constant between
 * records.
 *
 * A sum over a stretch is assembled from blocks of 2^k records (those of a Fenwick tree, Fenwick 1994), each summed
 * from its own first value; prefix sums would leave a difference in which one very low reward before the stretch, a
 * failed configuration, wipes out all that comes later. y never falls, so all terms are non-negative: the relative
 * error of a sum over its first value is some rounding units for every stretch, and exactly 0 where y is constant.
 * Growing arrays in an arena, 32 bytes per record: O(log n) records for i.i.d. rewards, at most n. A sum costs O(log^2
 * records), a reward amortised O(1). */
#ifndef MAXK_POLICIES_PARTS_RECORD_SUMS_H
#define MAXK_POLICIES_PARTS_RECORD_SUMS_H

#include <stdint.h>

#include "policies/parts/arena.h"

enum { MK_RECORD_FIRST = 8 };

struct mk_best_record {
    uint64_t since; /* first pull with this running best, from 1 */
    double best;    /* y */
    /* Those of the block that ends with this record, set when the next record comes: see struct mk_stretch. */
    double sum, moment;
};

/* All zero = empty. */
struct mk_record_sums {
    struct mk_best_record *record; /* [records] */
    size_t records, room;
    uint64_t n;
};

/* y over consecutive pulls, numbered o = 0, 1, … here. */
struct mk_stretch {
    double first, last; /* y at its ends */
    double pulls;
    double sum, moment; /* of y - first, and of o (y - first) */
};

/* Bytes of arena for `arms` arms with `total` pulls together. */
static inline size_t mk_record_sums_bytes(size_t arms, size_t total)
{
    return sizeof(struct mk_best_record) * mk_arena_elements(arms, total, MK_RECORD_FIRST);
}

void mk_record_sums_add(struct mk_record_sums *a, struct mk_arena *arena, double reward);

/* The stretch of the pulls from+1 … to, 0 <= from < to <= n. */
struct mk_stretch mk_record_sums_over(const struct mk_record_sums *a, uint64_t from, uint64_t to);

/* Windowed estimates of stochastic rising bandits (Mussi et al. 2024) share a window of h = floor(epsilon n) pulls.
 * paper: the last h running bests. published (the MaxUCB authors' program): the first n-h-1. */
enum mk_window_form { MK_WINDOW_PAPER, MK_WINDOW_PUBLISHED };

#define MK_WINDOW_PARAM                                                                                                \
    {                                                                                                                  \
        "epsilon", MK_REAL, MK_OPEN_LO, 0.25, 0, 0.5, NULL, "share of an arm's pulls in its window"                    \
    }
#define MK_VARIANT_PARAM                                                                                               \
    MK_CHOICE_ROW("variant", MK_WINDOW_PAPER, "paper|published", "formulas of the paper, or of the MaxUCB authors")

/* No pulls: an empty stretch, whose mean, sum / pulls, is NaN. */
static inline struct mk_stretch mk_window_over(const struct mk_record_sums *a, uint64_t h, enum mk_window_form window)
{
    if (window == MK_WINDOW_PAPER) return mk_record_sums_over(a, a->n - h, a->n);
    if (a->n < h + 2) return (struct mk_stretch){0, 0, 0, 0, 0};
    return mk_record_sums_over(a, 0, a->n - h - 1);
}

#endif

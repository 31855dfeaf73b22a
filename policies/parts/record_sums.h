/* Sums of an arm's running best y(1), …, y(n) over any stretch of pulls, from its records alone: y is constant between
 * records, so prefix sums of y and of s y(s) are kept per record and completed by a product. They are taken of y -
 * y(1), which keeps differences accurate. Growing arrays in an arena, 32 bytes per record: O(log n) records for i.i.d.
 * rewards, at most n. A sum costs O(log records), O(1) at the latest pull; a reward O(1). */
#ifndef MAXK_POLICIES_PARTS_RECORD_SUMS_H
#define MAXK_POLICIES_PARTS_RECORD_SUMS_H

#include <stdint.h>

#include "policies/parts/arena.h"

enum { MK_RECORD_FIRST = 8 };

struct mk_best_record {
    uint64_t since;     /* first pull with this running best, from 1 */
    double best;        /* y - y(1) */
    double sum, moment; /* of y(s) - y(1) and s (y(s) - y(1)) over s < since */
};

/* All zero = empty. */
struct mk_record_sums {
    struct mk_best_record *record; /* [records] */
    size_t records, room;
    uint64_t n;
    double first; /* y(1) */
};

struct mk_sums {
    double sum, moment;
};

/* Bytes of arena for `arms` arms with `total` pulls together. */
size_t mk_record_sums_bytes(size_t arms, size_t total);

void mk_record_sums_add(struct mk_record_sums *a, struct mk_arena *arena, double reward);

/* The sums over s = 1 … m, m <= n. */
struct mk_sums mk_record_sums_prefix(const struct mk_record_sums *a, uint64_t m);

/* Windowed estimates of stochastic rising bandits (Mussi et al. 2024) share a window of h = floor(epsilon n) pulls.
 * paper: the mean of the last h running bests. published (the MaxUCB authors' program): the mean of the first n-h-1.
 * NaN where there is none. */
enum mk_window { MK_WINDOW_PAPER, MK_WINDOW_PUBLISHED };

#define MK_WINDOW_PARAM                                                                                                \
    {                                                                                                                  \
        "epsilon", MK_REAL, MK_OPEN_LO, 0.25, 0, 0.5, NULL, "share of an arm's pulls in its window"                    \
    }
#define MK_VARIANT_PARAM                                                                                               \
    {                                                                                                                  \
        "variant", MK_CHOICE, 0, MK_WINDOW_PAPER, 0, 0, "paper|published",                                             \
            "formulas of the paper, or of the MaxUCB authors"                                                          \
    }

double mk_window_mean(const struct mk_record_sums *a, uint64_t h, enum mk_window window);

#endif

/* All rewards of an arm, and their sums with the arithmetic of the published Python programs.
 *
 * Those programs map every reward seen so far (y = x * slope + shift, as scikit-learn does) and call numpy.sum at every
 * round. Where arms are constant or exactly tied in theory, the last bits of such sums decide, so reproducing a
 * published pull sequence needs them. This costs O(n) per arm and round, which is why it is an option
 * (numerics: rescan) and running moments are the rule. */
#ifndef MAXK_POLICIES_HISTORY_H
#define MAXK_POLICIES_HISTORY_H

#include <string.h>

#include "policies/arena.h"
#include "policies/scaling.h"

enum { MK_HISTORY_FIRST = 8 };

/* All zero = empty. */
struct mk_history {
    double *x; /* [n] in the order of the pulls */
    size_t n, room;
};

/* Bytes of arena for the histories of `arms` arms with `total` rewards together. */
static inline size_t mk_history_bytes(size_t arms, size_t total)
{
    return sizeof(double) * mk_arena_elements(arms < total ? arms : total, total, MK_HISTORY_FIRST);
}

static inline void mk_history_add(struct mk_history *h, struct mk_arena *arena, double x)
{
    if (h->n == h->room) {
        size_t room = h->room ? 2 * h->room : MK_HISTORY_FIRST;
        double *grown = mk_arena_take(arena, room * sizeof *grown);
        if (h->n) memcpy(grown, h->x, h->n * sizeof *grown);
        h->x = grown;
        h->room = room;
    }
    h->x[h->n++] = x;
}

static inline double mk_history_term(double x, const struct mk_affine *map, int square)
{
    double y = x * map->slope + map->shift;
    return square ? y * y : y;
}

/* Sum of the mapped rewards, or of their squares, in the order of numpy.sum (pairwise, blocks of 128, eight lanes). */
static inline double mk_history_sum(const double *x, size_t n, const struct mk_affine *map, int square)
{
    if (n > 128) {
        size_t half = n / 2 - n / 2 % 8;
        return mk_history_sum(x, half, map, square) + mk_history_sum(x + half, n - half, map, square);
    }
    double sum = 0;
    size_t i = 0;
    if (n >= 8) {
        double r[8];
        for (; i < 8; i++) r[i] = mk_history_term(x[i], map, square);
        for (; i < n - n % 8; i += 8)
            for (size_t j = 0; j < 8; j++) r[j] += mk_history_term(x[i + j], map, square);
        sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    for (; i < n; i++) sum += mk_history_term(x[i], map, square);
    return sum;
}

#endif

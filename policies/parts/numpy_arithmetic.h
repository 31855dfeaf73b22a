/* Statistics of an arm's scaled rewards with the arithmetic of the published Python programs.
 *
 * Those programs map every reward seen so far (y = x * slope + shift, as scikit-learn does) and call numpy.mean or
 * numpy.sum at every round. Where arms are constant or exactly tied in theory, the last bits of such sums decide, so
 * reproducing a published pull sequence requires them. This costs O(n) per arm and round and up to 32 bytes per pull,
 * which is why it is an option (numerics: rescan) and running statistics are the default. The logarithm is the C
 * library's: with AVX-512 NumPy has one of its own, whose last bits differ. */
#ifndef MAXK_POLICIES_PARTS_NUMPY_ARITHMETIC_H
#define MAXK_POLICIES_PARTS_NUMPY_ARITHMETIC_H

#include <math.h>

#include "policies/parts/history.h"
#include "policies/parts/reward_scaling.h"
#include "policies/policy.h"

enum { MK_NUMERICS_RUNNING, MK_NUMERICS_RESCAN };

#define MK_NUMERICS_PARAM                                                                                              \
    {                                                                                                                  \
        "numerics", MK_CHOICE, 0, MK_NUMERICS_RUNNING, 0, 0, "running|rescan",                                         \
            "running statistics, or those of the whole scaled history in every round as published"                     \
    }

struct mk_numpy {
    struct mk_history *history; /* [K], NULL: disabled */
    struct mk_arena arena;
    struct mk_affine map; /* of the current round */
};

/* Bytes after the struct; 0 when disabled. */
static inline size_t mk_numpy_bytes(const struct mk_setup *s, int on)
{
    return on ? s->arms * sizeof(struct mk_history) + mk_history_bytes(s->arms, (size_t)s->horizon) : 0;
}

/* `memory` has mk_numpy_bytes(s, on) bytes. */
static inline void mk_numpy_init(struct mk_numpy *r, void *memory, const struct mk_setup *s, int on)
{
    r->history = on ? memory : NULL;
    if (!on) return;
    memset(r->history, 0, s->arms * sizeof *r->history);
    r->arena.next = (char *)(r->history + s->arms);
    r->arena.end = (char *)memory + mk_numpy_bytes(s, on);
}

/* Does nothing when disabled. */
static inline void mk_numpy_add(struct mk_numpy *r, size_t arm, double reward)
{
    if (r->history) mk_history_add(&r->history[arm], &r->arena, reward);
}

static inline double mk_numpy_term(double x, const struct mk_affine *map, double from, int square)
{
    double y = mk_affine_value(map, x) - from;
    return square ? y * y : y;
}

/* Sum of y - from over the mapped rewards y, or of its squares, in the order of numpy.sum (pairwise, blocks of 128,
 * eight lanes). */
static inline double mk_numpy_sum(const double *x, size_t n, const struct mk_affine *map, double from, int square)
{
    if (n > 128) {
        size_t half = n / 2 - n / 2 % 8;
        return mk_numpy_sum(x, half, map, from, square) + mk_numpy_sum(x + half, n - half, map, from, square);
    }
    double sum = 0;
    size_t i = 0;
    if (n >= 8) {
        double r[8];
        for (; i < 8; i++) r[i] = mk_numpy_term(x[i], map, from, square);
        for (; i < n - n % 8; i += 8)
            for (size_t j = 0; j < 8; j++) r[j] += mk_numpy_term(x[i + j], map, from, square);
        sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    }
    for (; i < n; i++) sum += mk_numpy_term(x[i], map, from, square);
    return sum;
}

/* Mean of y - from over the arm's mapped rewards, or of its squares; 0 / 0 for no reward. */
static inline double mk_numpy_mean(const struct mk_numpy *r, size_t arm, double from, int square)
{
    const struct mk_history *h = &r->history[arm];
    return mk_numpy_sum(h->x, h->n, &r->map, from, square) / (double)h->n;
}

/* mean ** 2 of a NumPy scalar: the C library's pow, whose last bit differs from that of mean * mean in about one case
 * in 1200. */
static inline double mk_numpy_squared(double mean)
{
    static const volatile double two = 2; /* keeps the compiler from multiplying */
    return pow(mean, two);
}

#endif

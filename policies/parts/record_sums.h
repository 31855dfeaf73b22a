/* Sums of an arm's running best y(1), …, y(n) over any stretch of pulls, from its records alone: y is constant between
 * records, so prefix sums of y and of s y(s) are kept per record and completed by a product. They are taken of y -
 * y(1), which keeps differences accurate. Growing arrays in an arena, 32 bytes per record: O(log n) records for i.i.d.
 * rewards, at most n. A sum costs O(log records), a reward O(1). */
#ifndef MAXK_POLICIES_PARTS_RECORD_SUMS_H
#define MAXK_POLICIES_PARTS_RECORD_SUMS_H

#include <stdint.h>
#include <string.h>

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
static inline size_t mk_record_sums_bytes(size_t arms, size_t total)
{
    return sizeof(struct mk_best_record) * mk_arena_elements(arms, total, MK_RECORD_FIRST);
}

/* Of y(s) - y(1) and s (y(s) - y(1)) over s = since … m, all under record r. */
static inline struct mk_sums mk_record_upto(const struct mk_best_record *r, uint64_t m)
{
    double k = (double)(m + 1 - r->since), mid = 0.5 * ((double)r->since + (double)m);
    return (struct mk_sums){r->sum + k * r->best, r->moment + k * mid * r->best};
}

static inline void mk_record_sums_add(struct mk_record_sums *a, struct mk_arena *arena, double reward)
{
    uint64_t n = ++a->n;
    const struct mk_best_record *last = a->records ? &a->record[a->records - 1] : NULL;
    if (!last) a->first = reward;
    if (last && !(reward - a->first > last->best)) return;
    struct mk_sums before = last ? mk_record_upto(last, n - 1) : (struct mk_sums){0, 0};
    if (!a->record || a->records == a->room) {
        size_t room = a->room ? 2 * a->room : MK_RECORD_FIRST;
        struct mk_best_record *bigger = mk_arena_take(arena, room * sizeof *bigger);
        if (a->record) memcpy(bigger, a->record, a->records * sizeof *bigger);
        a->record = bigger;
        a->room = room;
    }
    a->record[a->records++] = (struct mk_best_record){n, reward - a->first, before.sum, before.moment};
}

/* The sums over s = 1 … m, m <= n. */
static inline struct mk_sums mk_record_sums_prefix(const struct mk_record_sums *a, uint64_t m)
{
    if (m == 0) return (struct mk_sums){0, 0};
    size_t lo = 0, hi = a->records;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->record[mid].since <= m)
            lo = mid;
        else
            hi = mid;
    }
    return mk_record_upto(&a->record[lo], m);
}

/* The sums over s = from+1 … to. */
static inline struct mk_sums mk_record_sums_between(const struct mk_record_sums *a, uint64_t from, uint64_t to)
{
    struct mk_sums x = mk_record_sums_prefix(a, from), y = mk_record_sums_prefix(a, to);
    return (struct mk_sums){y.sum - x.sum, y.moment - x.moment};
}

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

static inline double mk_window_mean(const struct mk_record_sums *a, uint64_t h, enum mk_window window)
{
    if (window == MK_WINDOW_PAPER) return a->first + mk_record_sums_between(a, a->n - h, a->n).sum / (double)h;
    uint64_t m = a->n - h - 1;
    return a->first + mk_record_sums_prefix(a, m).sum / (double)m;
}

#endif

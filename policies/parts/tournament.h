/* A kinetic tournament: the arm with the largest index where indices are lines (or curves) in a number s that moves,
 *
 *     v_i(s) = a_i + s b_i                       (curve 0)
 *     v_i(s) = a_i + s b_i + r sqrt(b_i)         with r = curve * sqrt(s),
 *
 * b_i >= 0, s >= 0. One pull changes the a and b of one arm and moves s a little. The answers are those of a scan
 * (policies/parts/argmax.h) over the rounded indices, bit for bit, ties included, at O(log K) amortised per pull.
 *
 * Structure. Arms form blocks of MK_TOURNAMENT_BLOCK; above the blocks is a binary tree. Every node knows the winner of
 * the arms below it and an interval of s (`from` … `to`) within which that remains true. When an arm changes, its block
 * and the nodes above are replayed; when s leaves the interval of a node, that node is replayed, and as a node's
 * interval lies within those of the nodes below, nothing else has to be considered. (Basch, Guibas & Hershberger 1999,
 * "Data structures for mobile data"; an event queue is not needed because s is queried in order.)
 *
 * Certificates. Between two lines D(s) = v_w - v_o is linear: it changes sign once, where the interval ends. Rounded
 * indices may differ from that by their rounding errors and, in the near-tie rule, by what counts as a tie. So an
 * interval ends where D is no longer larger than a bound on those: inside, rounding cannot matter. Where D is smaller
 * from the start the interval is empty, and the node is replayed for every s by comparing exactly the numbers of the
 * scan. Lines that are equal are so for every s. For curves D is quadratic in sqrt(s), with one change of sign on s >=
 * 0, since b and sqrt(b) differ in the same direction.
 *
 * Ties. Of two nodes that tie, the left one, which has the lower arms, wins; for a winner on the right the interval
 * guarantees that it is strictly ahead (by more than a near-tie). So the winner at the top is the answer for ties:
 * lowest. If the interval at the top is empty and near-ties count, the lowest arm is found by descending from the top.
 * For ties: random every interval guarantees a strict lead, and nodes count the arms whose line is the winner's: tied
 * arms are counted and the chosen one is found by descending.
 *
 * If intervals keep failing (s jumping to and fro, a great many indices that rounding ties) replaying would cost more
 * than a scan. The tournament is then suspended for a while and the arms are scanned: at worst about twice the time of
 * scanning.
 *
 * Memory: 10 bytes per arm in addition to a and b, which belong to the policy. */
#ifndef MAXK_POLICIES_PARTS_TOURNAMENT_H
#define MAXK_POLICIES_PARTS_TOURNAMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/parts/undo.h"
#include "policies/policy.h"

enum { MK_TOURNAMENT_BLOCK = 8, MK_TOURNAMENT_LEVELS = 32 };

/* With fewer arms a scan is faster, as measured by `maxk bench --only arms`. Setups may override it (mk_setup). */
enum { MK_TOURNAMENT_FROM = 128 };

struct mk_tournament_node {
    double a, b;     /* of the winner */
    double from, to; /* the winner remains for s in from … to; from > to: not known beyond the s of the last replay */
    uint32_t winner;
    uint32_t equal; /* arms with the winner's a and b, the winner included */
};

struct mk_tournament {
    bool used; /* so many arms that it pays; otherwise arms are scanned by their policy */
    size_t arms;
    const double *a, *b; /* [arms] the policy's; b NULL: all 0 */
    double curve;
    double share;                   /* v >= top - share |top| ties with the largest index; 0: equal ones tie */
    int random;                     /* ties */
    double s, r;                    /* of the last mk_tournament_best */
    struct mk_tournament_node *top; /* NULL: not built */
    size_t levels, count[MK_TOURNAMENT_LEVELS];
    struct mk_tournament_node *level[MK_TOURNAMENT_LEVELS]; /* [levels][count], blocks first */
    double debt;                                            /* work beyond the cost of scans */
    unsigned rest;                                          /* rounds to scan */
    struct mk_undo *undo;                                   /* not NULL: nodes are kept before they change */
};

/* Bytes for the nodes; 0 where a tournament is not used, which the number of arms decides. A multiple of 8. */
size_t mk_tournament_bytes(const struct mk_setup *s);

/* Differences between policies. */
struct mk_tournament_rules {
    const double *a, *b; /* [arms], borrowed; b NULL: all 0 */
    double curve;        /* see above */
    double share;        /* ties as in mk_argmax_near_of, 0: as in mk_argmax */
    int random_ties;
};

/* `memory`, aligned to 8 bytes, has mk_tournament_bytes. Nothing is built before the first mk_tournament_best, which
 * is only called where t->used is set; arms may change freely until then. */
void mk_tournament_init(struct mk_tournament *t, void *memory, const struct mk_setup *s,
                        const struct mk_tournament_rules *rules);

/* The arm with the largest index at s, finite or not. rng: one number is drawn, and only for ties: random with several
 * tied arms. */
size_t mk_tournament_best(struct mk_tournament *t, double s, struct mk_pcg64 *rng);

/* The path of an arm in a tournament that is built. */
void mk_tournament_replay(struct mk_tournament *t, size_t arm);

/* a or b of this arm has changed. */
static inline void mk_tournament_changed(struct mk_tournament *t, size_t arm)
{
    if (t->top) mk_tournament_replay(t, arm);
}

/* Those of many arms have changed: rebuild at the next query. */
static inline void mk_tournament_forget(struct mk_tournament *t)
{
    t->top = NULL;
}

/* ---- the rivals of an arm, as of the last mk_tournament_best or later changes; lines only ---- */

/* What is known of the arms other than `arm`. */
struct mk_tournament_rivals {
    double best;  /* largest index at the present s */
    double steep; /* none of those that lead before `until` has a larger b */
    double until; /* up to this s, as far as the tournament knows, none reaches `level`; may be below s */
};

struct mk_tournament_rivals mk_tournament_rivals(const struct mk_tournament *t, size_t arm, double level);

/* 1 when it is certain that every rival's index at s is below `level`; with `or_equal` those after `arm` may equal
 * it. */
int mk_tournament_below(const struct mk_tournament *t, size_t arm, double s, double level, int or_equal);

#endif

/* A kinetic tournament: the arm with the largest index where indices are lines (or curves) in a number s that moves,
 *
 *     v_i(s) = a_i + s b_i                       (curve 0)
 *     v_i(s) = a_i + s b_i + r sqrt(b_i)         with r = curve * sqrt(s),
 *
 * b_i >= 0, s >= 0. One pull changes the a and b of one arm and moves s a little. The answers are those of a scan
 * (policies/parts/argmax.h) over the rounded indices, bit for bit, ties included, at O(log K) amortised per pull.
 *
 * Structure. Arms stand in blocks of MK_TOURNAMENT_BLOCK; above the blocks is a binary tree. Every node knows the
 * winner of the arms below it and an interval of s (`from` … `to`) within which that stays so. When an arm changes, its
 * block and the nodes above are played anew; when s leaves the interval of a node, that node is played anew, and as a
 * node's interval lies within those of the nodes below, nothing else has to be looked at. (Basch, Guibas & Hershberger
 * 1999, "Data structures for mobile data"; an event queue is not needed because s is asked for in turn.)
 *
 * Certificates. Between two lines D(s) = v_w - v_o is linear: it changes sign once, where the interval ends. Rounded
 * indices may differ from that by their rounding errors and, in the near-tie rule, by what counts as a tie. So an
 * interval ends where D is no longer larger than a bound on those: inside, rounding has no say. Where D is smaller from
 * the start the interval is empty, and the node is played anew for every s by comparing the very numbers of the scan.
 * Lines that are equal are so for every s. For curves D is quadratic in sqrt(s), with one change of sign on s >= 0,
 * since b and sqrt(b) differ in the same direction.
 *
 * Ties. Of two nodes that tie, the left one, which has the lower arms, wins; for a winner on the right the interval
 * says that it is strictly ahead (by more than a near-tie). So the winner at the top is the answer for ties: lowest.
 * Where the top's interval is empty and near-ties count, the lowest arm is sought by descending from the top. For ties:
 * random every interval says strictly ahead, and nodes count the arms whose line is the winner's: tied arms are counted
 * and the chosen one is found by descending.
 *
 * Where intervals keep failing (s jumping to and fro, a great many indices that rounding ties) playing anew would cost
 * more than a scan. Then the tournament rests for a while and the arms are scanned: at worst about twice the time of
 * scanning.
 *
 * Memory: 10 bytes per arm beside a and b, which stay the policy's. */
#ifndef MAXK_POLICIES_PARTS_TOURNAMENT_H
#define MAXK_POLICIES_PARTS_TOURNAMENT_H

#include <stddef.h>
#include <stdint.h>

#include "policies/policy.h"

enum { MK_TOURNAMENT_BLOCK = 8, MK_TOURNAMENT_LEVELS = 32 };

/* With fewer arms a scan is quicker, measured by `maxk bench --only arms`. Setups may say otherwise (mk_setup). */
enum { MK_TOURNAMENT_FROM = 128 };

struct mk_tournament_node {
    double a, b;     /* of the winner */
    double from, to; /* the winner stays for s in from … to; from > to: not known beyond the s it was played at */
    uint32_t winner;
    uint32_t equal; /* arms with the winner's a and b, the winner included */
};

struct mk_tournament {
    size_t arms;
    const double *a, *b; /* [arms] the policy's; b NULL: all 0 */
    double curve;
    double share;                   /* v >= top - share |top| ties with the largest index; 0: equal ones tie */
    int random;                     /* ties */
    double s, r;                    /* of the last mk_tournament_best */
    struct mk_tournament_node *top; /* NULL: not built */
    size_t levels, count[MK_TOURNAMENT_LEVELS];
    struct mk_tournament_node *level[MK_TOURNAMENT_LEVELS]; /* [levels][count], blocks first */
    double debt;                                            /* work beyond what scans would have cost */
    unsigned rest;                                          /* rounds to scan */
};

/* 1 where a tournament is used for this setup: a function of the number of arms. */
static inline int mk_tournament_pays(const struct mk_setup *s)
{
    return s->arms >= (s->tournament_from ? s->tournament_from : MK_TOURNAMENT_FROM);
}

/* Bytes for the nodes; 0 where a tournament is not used. A multiple of 8. */
size_t mk_tournament_bytes(const struct mk_setup *s);

/* What differs between policies. */
struct mk_tournament_rules {
    const double *a, *b; /* [arms], borrowed; b NULL: all 0 */
    double curve;        /* see above */
    double share;        /* ties as in mk_argmax_near_of, 0: as in mk_argmax */
    int random_ties;
};

/* `memory`, aligned to 8 bytes, has mk_tournament_bytes. Nothing is built before the first mk_tournament_best; arms may
 * change freely until then. */
void mk_tournament_init(struct mk_tournament *t, void *memory, const struct mk_setup *s,
                        const struct mk_tournament_rules *rules);

/* The arm with the largest index at s, finite or not. rng: one number is drawn, and only for ties: random and several
 * tied arms. */
size_t mk_tournament_best(struct mk_tournament *t, double s, struct mk_pcg64 *rng);

/* a or b of this arm has changed. */
void mk_tournament_changed(struct mk_tournament *t, size_t arm);

/* Those of many arms have: build anew when next asked. */
void mk_tournament_forget(struct mk_tournament *t);

/* ---- the rivals of an arm, as of the last mk_tournament_best or later changes; lines only ---- */

/* What is known of the arms other than `arm`. */
struct mk_tournament_rivals {
    double best;  /* largest index at the present s */
    double steep; /* b of none of those that lead before `until` is larger */
    double until; /* up to this s, as long as the tournament knows, none reaches `level`; may be below s */
};

struct mk_tournament_rivals mk_tournament_rivals(const struct mk_tournament *t, size_t arm, double level);

/* 1 when it is sure that every rival's index at s is below `level`; with `or_equal` those after `arm` may equal it. */
int mk_tournament_below(const struct mk_tournament *t, size_t arm, double s, double level, int or_equal);

#endif

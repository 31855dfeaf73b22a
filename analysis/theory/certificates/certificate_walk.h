/* Two arms: bounds of E[N_i(T)] that converge to it. Statements, in the notation of certificate.h; the proofs, and what
 * is computed, are in sections "Two arms", "Scaled rewards", "The largest reward of two arms", "Two arms, rewards
 * scaled by their range" and "Computation" of the paper (analysis/theory/paper).
 *
 * With K = 2 the round is t = n_1 + n_2 + 1, so that MaxUCB is a walk on the points (n_1, n_2), from (1, 1) on: it goes
 * right (arm 1 is pulled) or up, and right only at points with
 *
 *     M_2(n_2) <= M_1(n_1) + theta(n_1, n_2),    theta(n_1, n_2) = B(t, n_1) - B(t, n_2).
 *
 * THEOREM 6 (Two arms). Let 1 = g_0 < g_1 < … and 1 = h_0 < h_1 < … be counts, x_0 < x_1 < … and y_0 < y_1 < … levels,
 * and A_k, B_k sequences that do not decrease in k and end with 1, such that
 *
 *     A_k <= P(X <= x_k) for a reward X of arm 1,    B_k >= P(Y < y_(k+1)) for a reward Y of arm 2,
 *     X <= the last x_k, Y >= y_0.
 *
 * Consider the chain with states (i, j, a, b), the initial levels a and b being independent with distribution functions
 * A and B, that moves as follows, with g = g_i, h = h_j, d the length of the chunk that is pulled: right, to (i + 1,
 * j), if y_b <= x_a + Theta, with an a that becomes the larger one of a and a level drawn with the distribution
 * function A^d, d = g_(i+1) - g; up, to (i, j + 1), otherwise, and the same for b with B^d, d = h_(j+1) - h, where
 * Theta >= theta(g, n) for all n in h … h_(j+1) - 1 with g + n < T. The chain ends when a move to the right would reach
 * g_(i+1) + h >= T, and has then the value T - h, or when one up would reach g + h_(j+1) >= T, with the value g. Then
 * E[N_1(T)] is at most the mean of the chain's value, and P(N_1(T) > m) at most P(value > m).
 *
 * From below, E[N_1(T)] = T - E[N_2(T)], with the theorem for arm 2. With K >= 3 there is no such chain (Example 2).
 *
 * Theta (Proposition 5): with e the last n of the chunk, the larger one of B(t, g) - B(t, e) at t = g + h + 1 and at t
 * = g + e + 1. This requires (B1), and that B(t, s) - B(t, m), s < m, is monotone in t, in either direction: so bonuses
 * that fall with the round have such bounds, too (max_ucb_remaining).
 *
 * Moving arms (Theorem 9): A^d and B^d are the products of the distribution functions of the pulls of the chunk.
 *
 * Rewards that are divided by the largest one of these rounds (Proposition 9): y_b < 0 or y_b <= tau(max(x_a, 0),
 * Theta) takes the place of y_b <= x_a + Theta, with
 *
 *     tau(x, theta) = x / (1 - theta) for 0 <= theta < 1,  x (1 + theta) for -1 <= theta < 0,
 *                     infinite for theta >= 1,  minus infinite for theta < -1.
 *
 * This is the policy's own rule where no first reward of an arm is negative; else the bounds need not converge.
 *
 * THEOREM 10 (Largest reward). Let V be the largest reward of all T rounds, and V' that of the walk of Theorem 6, in
 * favour of arm 1: the largest of the rewards themselves, not of their levels. Then for every x
 *
 *     P(V <= x) <= P(V' <= x) if F_1(x) >= F_2(x),    P(V <= x) >= P(V' <= x) if F_1(x) <= F_2(x).
 *
 * So the walks in favour of both arms, at the same points x, give bounds of E[V] from both sides; beyond them
 * P(V <= x) is at most each of the F_k(x), and P(V > x) at most the sum of the 1 - F_k(x)^T. Not used with Theorem 11.
 *
 * THEOREM 11 (Two arms, range). Let rewards be mapped such that the range of all of these rounds so far
 * becomes an interval of the given width, e_0 < e_1 < … edges, the last one not below any reward, and
 *
 *     tau_m(x, theta) = min(x, m) + tau(x - min(x, m), theta / width).
 *
 * The states of the chain also have the cell (e_c, e_(c+1)] of the smallest reward so far. Of the largest and smallest
 * reward of d pulls, P(level <= k, cell >= c) = max(0, A_k - P(X <= e_c))^d for arm 1, B for arm 2. The chain goes
 * right if y_b <= tau_m(x_a, Theta) with m = e_c for Theta >= 0, e_(c+1) for Theta < 0. If it would go up with Theta >=
 * 0 and d > 1, but y_b <= tau_m(x_a, Theta) for the edge m below the smallest reward of the chunk, it goes right and
 * the chunk waits: the state keeps the cell of its smallest reward, with the edge below as m (for Theta < 0: m = x_a),
 * until the chain goes up by a chunk with this smallest reward. Then the bounds of Theorem 6 hold, with
 * T (P(X <= e_0) + P(Y <= e_0)) added to the probability, and T times this to the mean. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_WALK_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "analysis/theory/certificates/certificate_race.h"

/* Whether a theorem applies: two arms, three rounds or more, rewards not scaled, or as in Proposition 9, or, of arms
 * that do not move and are known exactly, as in Theorem 11. */
bool mk_walk_applies(const struct mk_race *race);

/* Whether it does, and the bounds converge as the grids are refined: not where Proposition 9 leaves a distance. */
bool mk_walk_converges(const struct mk_race *race);

/* The points x of Theorem 10 are from low to high, finite numbers: no reward of the two arms is outside of them or,
 * where an arm has no end point, some reward is with a probability of about 1e-9. false: arms that are not known
 * exactly, that move, or whose rewards are scaled by their range. */
bool mk_walk_range(const struct mk_race *race, double *low, double *high);

/* Upper bounds of the integrals of P(V <= x) over x < low and of P(V > x) over x > high, of arms with such a range; 0
 * at finite end points. May be inf. Errors: MK_ENUM, MK_ENOMEM. */
int mk_walk_beyond(const struct mk_race *race, double low, double high, double *left, double *right,
                   struct mk_error *err);

/* Upper bounds of E[N_arm(T)] and of P(N_arm(T) > m). The grids are refined until the mean is estimated to lie within
 * half of `refinement` of the exact value, relative to the pulls of the arm with fewer of them, or until the cost
 * reaches a limit that grows with the inverse square of refinement (seconds at 0.02, a minute at 0.005), or memory 1
 * GB. out->refinement is an estimate of what halving all cells and chunks would still take off the mean,
 * relative to it. Deterministic; one thread. Errors: MK_ENOMEM. */
int mk_walk_above(struct mk_certified_side *out, const struct mk_race *race, size_t arm, double refinement,
                  struct mk_error *err);

/* ---- certificate_walk_grid.c ---- */

/* The largest number below 0: rewards above it are not negative. */
#define MK_WALK_BELOW_ZERO (-0x1p-1074)

/* The rewards of an arm in n cells: cell k is (edge[k], edge[k + 1]], edge[0] and edge[n] the ends of the support, or
 * beyond. */
struct mk_walk_levels {
    const struct mk_known_cdf *f; /* borrowed */
    enum mk_side side;            /* which end a reward counts as: the upper one from above, else the lower one */
    size_t n;
    double *edge;  /* [n + 1] ascending */
    double *rate;  /* [n] -log P(X <= edge[k + 1]), to the safe side; of moving arms 0 */
    double *error; /* [n] see mk_walk_grid */
};

/* Counts at which the walk decides: at[0] = 1 … at[n - 1] < T. */
struct mk_walk_counts {
    size_t n;
    double *at;    /* [n] ascending */
    double *error; /* [n] of the chunk from at[k] on */
    double *ended; /* [n] filled by a pass: P(the chain ends at at[k]), of arm 1 by moves up, of arm 2 to the right */
};

/* P(X <= an edge), too small and too large. */
struct mk_walk_below {
    double min, max;
};

/* Cells of the smallest reward so far: one that has all, unless rewards are scaled by their range. The side of
 * `cells` is not used, and their rates are NULL. */
struct mk_walk_smallest {
    bool used;
    struct mk_walk_levels cells;
    struct mk_walk_below *own, *rival; /* [cells.n + 1] at the edges, if used */
};

/* The grid of arm 1 (own) and arm 2 (rival) of the theorem. error: an estimate of what a cell, or a chunk, contributes
 * to the distance from the exact value. */
struct mk_walk_grid {
    struct mk_walk_levels own, rival;
    struct mk_walk_counts own_counts, rival_counts;
    struct mk_walk_smallest smallest;
    double horizon;
    double scale; /* about the pulls of the arm with fewer of them, for the estimates */
};

/* Errors: MK_ENOMEM; the grid is to be cleared then, too. */

int mk_walk_grid_start(struct mk_walk_grid *g, const struct mk_race *race, size_t arm, struct mk_error *err);

/* In the order in which their errors are measured: those of counts show on fine levels alone if T is large. */
enum mk_walk_part {
    MK_WALK_OWN_COUNTS,
    MK_WALK_RIVAL_COUNTS,
    MK_WALK_OWN_LEVELS,
    MK_WALK_RIVAL_LEVELS,
    MK_WALK_SMALLEST,
    MK_WALK_PARTS
};

/* Splits the cells or chunks of one part such that about `factor` times as many are where the errors are. */
int mk_walk_grid_refine(struct mk_walk_grid *g, enum mk_walk_part part, double factor, struct mk_error *err);

/* A copy, to which no pass has added errors. */
int mk_walk_grid_copy(struct mk_walk_grid *out, const struct mk_walk_grid *g, struct mk_error *err);

/* Joins pairs of cells, or of chunks, of one part where that is possible; *factor: by how much that divides their
 * number. */
int mk_walk_grid_coarsen(struct mk_walk_grid *g, enum mk_walk_part part, double *factor, struct mk_error *err);

/* Whether, after a pass, another point of some cell that can be divided would mean the other arm in some state. */
bool mk_walk_grid_is_open(const struct mk_walk_grid *g);
void mk_walk_grid_clear(struct mk_walk_grid *g);

/* -log P(all of the pulls after + 1 … last are at most edge[k + 1]), to the safe side. */
double mk_walk_rates(const struct mk_walk_levels *l, size_t k, double after, double last);

static inline double mk_walk_value(const struct mk_walk_levels *l, size_t k)
{
    return l->edge[l->side == MK_FROM_ABOVE ? k + 1 : k];
}

/* ---- certificate_walk_ends.c ---- */

/* A mass as it is kept: in single precision, since most of the time goes into reading and writing masses. Arithmetic is
 * in double precision. */
typedef float mk_walk_mass;

/* Levels of M_2 at a node (n_1, n_2) with one level of M_1: for first … end - 1 it is not decided which arm is pulled
 * in all rounds from there on; arm 1 is pulled next below `right`. None of the three falls with the level of M_1. */
struct mk_walk_row {
    size_t first, right, end;
    ptrdiff_t start; /* of its masses */
    bool begun;      /* false: these are 0 and not yet written */
};

/* The masses of one node: of levels a0 … a1 - 1 of M_1 and b0 … b1 - 1 of M_2, as far as they are not decided. */
struct mk_walk_node {
    size_t a0, a1, b0, b1;
    struct mk_walk_row *row; /* [levels of arm 1] */
    size_t cells, room;      /* of all rows, and for how many there is room */
    size_t roundings;        /* to mk_walk_mass, of any mass on its way here, at most */
    mk_walk_mass *mass;      /* NULL: none */
};

/* mk_walk_row(n, a)[b] is the mass of levels a and b. */
static inline mk_walk_mass *mk_walk_row(const struct mk_walk_node *n, size_t a)
{
    return n->mass + n->row[a].start;
}

/* From `low` up to the next piece there is no edge of a cell of either arm. own, rival: the cell number - 1 of the
 * piece; 0: below all of them, number of cells + 1: above. */
struct mk_walk_piece {
    double low;
    size_t own, rival;
};

/* The node at which chunks of one arm end the walk. Of every piece the masses of levels of M_1 below it and within it,
 * each with those of M_2 below and within. */
struct mk_walk_end {
    double own, rival;    /* counts of the node */
    double (*mass)[2][2]; /* [pieces]; NULL: none */
};

/* Where the walk ends. No pieces: no range (mk_walk_range). */
struct mk_walk_ends {
    size_t pieces, rows, columns;
    struct mk_walk_piece *piece;
    struct mk_walk_end *by_own, *by_rival; /* [rows] by the count of arm 2, [columns] by that of arm 1 */
    double *sum, *row;                     /* [levels of arm 2] work */
};

/* Starts the ends of a grid; *e is zero-filled, or those of another grid, which are replaced. Errors: MK_ENOMEM. */
int mk_walk_ends_start(struct mk_walk_ends *e, const struct mk_race *race, const struct mk_walk_grid *g,
                       struct mk_error *err);
void mk_walk_ends_clear(struct mk_walk_ends *e);

/* Where the walk ends from node n, at (i, j), by a chunk of arm 1 (own), or by one of arm 2. false: out of memory. */
bool mk_walk_ends_add(struct mk_walk_ends *e, const struct mk_walk_grid *g, const struct mk_walk_node *n, bool own,
                      size_t i, size_t j);

/* The same from states that were decided before: masses by the level of the arm that is pulled. */
bool mk_walk_ends_add_decided(struct mk_walk_ends *e, const struct mk_walk_grid *g, const double *mass, bool own,
                              size_t i, size_t j);

/* Masses that are not followed, all rounded upwards: those that have ended before their time, those of levels of arm 1
 * that count as higher ones, those of levels of arm 2 that count as lower ones. */
struct mk_walk_losses {
    double ended, raised, lowered;
    double rounding;  /* the relative error of all others, at most */
    double underflow; /* their absolute error, together */
    double surplus;   /* by how much they exceed 1 together, but for their errors; inf: not known */
};

/* What follows for the walk in favour of `arm`. Errors: MK_ENOMEM. */
int mk_walk_ends_read(struct mk_certified_maximum *out, const struct mk_walk_ends *e, const struct mk_walk_grid *g,
                      const struct mk_race *race, size_t arm, const struct mk_walk_losses *losses,
                      struct mk_error *err);

/* ---- certificate_walk_draws.c ---- */

/* What one chunk of pulls does to a maximum: f(k) = P(no reward of the chunk is above cell k), and the differences w,
 * all rounded upwards. */
struct mk_walk_chunk {
    double *f, *w; /* [levels] */
};

/* The chunks of one arm. With cells of the smallest reward there are, for each of them, draws that leave it in its cell
 * (no reward of the chunk is below its lower edge), and draws that bring it there (the smallest is within the cell). */
struct mk_walk_draws {
    const struct mk_walk_levels *levels;
    const struct mk_walk_below *below; /* [cells + 1]; NULL: the smallest reward is not used */
    size_t cells;
    struct mk_walk_chunk *chunk; /* [chunks][cells][2] (mk_walk_draws_of) */
    struct mk_walk_chunk times;  /* work */
    double *all;                 /* of which the chunks are parts */
    double surplus;              /* by how much all draws of all chunks increase a mass, at most; inf: not known */
    struct mk_walk_power *power; /* [levels] work */
};

/* false: out of memory; to be cleared then, too. */
bool mk_walk_draws_start(struct mk_walk_draws *d, const struct mk_walk_levels *l, size_t chunks,
                         const struct mk_walk_smallest *s, const struct mk_walk_below *below);
void mk_walk_draws_clear(struct mk_walk_draws *d);

/* Chunk k is the pulls after + 1 … last. Returns how many cells of a node take as long. */
double mk_walk_draws_fill(struct mk_walk_draws *d, size_t k, double after, double last);

/* Those of chunk k that leave the smallest reward in cell c, or bring it there; and the same times a factor, until the
 * next call. */
const struct mk_walk_chunk *mk_walk_draws_of(const struct mk_walk_draws *d, size_t k, size_t c, bool bring);
const struct mk_walk_chunk *mk_walk_draws_times(const struct mk_walk_draws *d, size_t k, size_t c, bool bring,
                                                double factor);

/* P(the smallest reward of chunk k, of so many pulls, is in cell c), too large; *least: too small. */
double mk_walk_draws_chance(const struct mk_walk_draws *d, size_t k, size_t c, double pulls, double *min);

/* ---- certificate_walk_order.c ---- */

/* Which arm is pulled, by Theta of every node: of this one, the least of all that follow with the same count of arm 2,
 * and the largest of those with the same count of arm 1. */
struct mk_walk_order {
    const struct mk_walk_grid *g;
    const struct mk_race *race;
    double *high, *low, *top; /* [own_counts.n][rival_counts.n] */
    size_t *lower;            /* [levels of arm 1] how many cells of arm 2 begin below the upper edge of the level */
    double size;              /* of the terms of Theta, at most */
    double width;             /* of the interval that rewards are mapped to; 1 */
    bool either_sign;         /* rewards are divided by the largest one, and may be negative */
};

/* A node (i, j). */
struct mk_walk_place {
    size_t i, j;
    double n1, n2, own_pulls, rival_pulls; /* of the two chunks */
    bool own_last, rival_last;             /* the chunk ends the walk */
    double high, first, late; /* theta up to which arm 2 is pulled: over its chunk, at once, and after that of arm 1 */
};

/* false: out of memory. */
bool mk_walk_order_start(struct mk_walk_order *o, const struct mk_walk_grid *g, const struct mk_race *race);
void mk_walk_order_clear(struct mk_walk_order *o);

struct mk_walk_place mk_walk_place(const struct mk_walk_order *o, size_t i, size_t j);

/* Fills first and late. */
void mk_walk_place_more(const struct mk_walk_order *o, struct mk_walk_place *at);

/* A node has a slice for every cell of the smallest reward; and, if that is used, as many in which a chunk of arm 2
 * waits, whose smallest reward is known to be in the cell (Theorem 11). */
static inline size_t mk_walk_slices(const struct mk_walk_grid *g)
{
    return g->smallest.used ? 2 * g->smallest.cells.n : 1;
}

static inline size_t mk_walk_cell_of(const struct mk_walk_grid *g, size_t slice)
{
    return slice % g->smallest.cells.n;
}

static inline bool mk_walk_waits(const struct mk_walk_grid *g, size_t slice)
{
    return slice >= g->smallest.cells.n;
}

/* The smallest reward that counts at theta in a slice: that of its cell with which arm 1 is pulled sooner (favour), or
 * later. */
double mk_walk_smallest_of(const struct mk_walk_order *o, size_t slice, double theta, bool favour);

/* The largest M_2 with which arm 1 is pulled at M_1 = x where `smallest` is the smallest reward so far, but for
 * rounding; and above it, with rounding. */
double mk_walk_tau(const struct mk_walk_order *o, double x, double theta, double smallest);
double mk_walk_tau_above(const struct mk_walk_order *o, double x, double theta, double smallest);

/* The rows first … end - 1 of a slice of node (i, j), or those up to the one whose levels below b1 are all decided for
 * arm 1; returns where they end. */
size_t mk_walk_rows(const struct mk_walk_order *o, struct mk_walk_row *row, size_t i, size_t j, size_t slice,
                    size_t first, size_t end, size_t b1);

/* ---- certificate_walk_pass.c ---- */

struct mk_walk_result {
    double mean; /* E[N_1(T)] is at most this */
    struct mk_walk_losses losses;
    double work;  /* cells of all nodes, and as many for what else is done at a node */
    double cells; /* the most masses in memory at a time */
};

/* One forward pass; fills the errors of the grid and the ends, but neither if `ends` is NULL. negligible: pulls that
 * may be lost in all. */
int mk_walk_pass(struct mk_walk_result *out, struct mk_walk_grid *g, struct mk_walk_ends *ends,
                 const struct mk_race *race, double negligible, struct mk_error *err);

#endif

/* Counts with the probabilities that arm b has fewer pulls: what the certified tails of the other arms say together. */
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificates/certified_regret_parts.h"
#include "sim/base/error.h"

enum { SHARES = 8, CAPS = 4, MOST_SUMS = 300 };
static const double caps[CAPS] = {0, 1e-6, 1e-3, 0.03}; /* P(more pulls than an arm's share), where it needs no more */
static const double same = 1e-3; /* counts that differ by less, relative, in n and in q are used once */

/* A vertex of the lower convex hull of the points (m, P(N_i(T) > m)) of an arm. */
struct vertex {
    size_t arm;
    double pulls, tail;
    double slope; /* decrease of the tail per pull since the vertex before; infinite at the first one */
};

/* Appends the vertices of an arm's hull, whose slopes decrease. */
static size_t add_hull(struct vertex *v, size_t n, const struct mk_certified_arm *arm, size_t number)
{
    const size_t first = n;
    for (size_t k = 0; k <= arm->n; k++) {
        struct vertex at = {number, (double)arm->max, 0, INFINITY};
        if (k < arm->n) {
            at.pulls = (double)arm->m[k];
            at.tail = arm->tail[k];
        }
        for (; n > first && at.pulls > v[n - 1].pulls; n--) {
            at.slope = (v[n - 1].tail - at.tail) / (at.pulls - v[n - 1].pulls);
            if (at.slope < v[n - 1].slope) break;
        }
        if (n == first || at.pulls > v[n - 1].pulls) v[n++] = at;
    }
    return n;
}

static int by_slope(const void *a, const void *b)
{
    const struct vertex *x = a, *y = b;
    if (x->slope != y->slope) return x->slope > y->slope ? -1 : 1;
    return x->arm != y->arm ? (x->arm > y->arm) - (x->arm < y->arm) : (x->pulls > y->pulls) - (x->pulls < y->pulls);
}

static int by_pulls(const void *a, const void *b)
{
    const struct vertex *x = a, *y = b;
    return x->pulls != y->pulls ? (x->pulls > y->pulls) - (x->pulls < y->pulls) : (x->arm > y->arm) - (x->arm < y->arm);
}

static double *row_of(double *values, const struct mk_regret *r, size_t level)
{
    return values + level * r->arms;
}

/* Every second one of the levels is dropped. */
static void thin(struct mk_regret *r)
{
    r->levels = (r->levels + 1) / 2;
    for (size_t l = 1; l < r->levels; l++) {
        memcpy(row_of(r->max, r, l), row_of(r->max, r, 2 * l), r->arms * sizeof *r->max);
        memcpy(row_of(r->tail, r, l), row_of(r->tail, r, 2 * l), r->arms * sizeof *r->tail);
        r->n[l] = r->n[2 * l];
        r->q[l] = r->q[2 * l];
    }
}

/* Completes the last row of `max` and `tail`. */
static void add_level(struct mk_regret *r)
{
    const double *max = row_of(r->max, r, r->levels), *tail = row_of(r->tail, r, r->levels);
    double pulls = 0, sum = 0;
    for (size_t k = 0; k < r->arms; k++) {
        pulls += max[k];
        sum += tail[k];
    }
    r->n[r->levels] = r->horizon - pulls;
    r->q[r->levels++] = fmin(1, sum * (1 + 0x1p-52 * (double)r->arms));
}

/* The vertices of the hull of all sums of the arms' points, from few pulls to many. at[arms]: where each arm is. */
static void add_sums(struct mk_regret *r, const struct vertex *v, size_t n, struct vertex *at, size_t best)
{
    double last_pulls = 0, last_tail = 1;
    size_t found = 0, stride = 1;
    for (size_t j = 0; j < n; j++) {
        double pulls = 0, tail = 0;
        at[v[j].arm] = v[j];
        if (j + 1 < n && isinf(v[j + 1].slope)) continue; /* not all arms are at their first */
        for (size_t k = 0; k < r->arms; k++) {
            pulls += k == best ? 0 : at[k].pulls;
            tail += k == best ? 0 : at[k].tail;
        }
        if (r->horizon - pulls < 1) break;
        if (tail >= 1 || (pulls <= last_pulls * (1 + same) && tail >= last_tail * (1 - same))) continue;
        last_pulls = pulls;
        last_tail = tail;
        if (found++ % stride > 0) continue;
        if (r->levels == MOST_SUMS) {
            thin(r);
            stride *= 2;
        }
        for (size_t k = 0; k < r->arms; k++) {
            row_of(r->max, r, r->levels)[k] = k == best ? 0 : at[k].pulls;
            row_of(r->tail, r, r->levels)[k] = k == best ? 0 : at[k].tail;
        }
        add_level(r);
    }
}

/* Shares of `pulls` for all arms but one: those that have no more with probability 1 - cap need no more, and the others
 * have the same. at[arms]: work. Returns whether there are arms of either kind. */
static bool add_shares(struct mk_regret *r, const struct mk_certificate *c, size_t best, double pulls, double cap,
                       struct vertex *at)
{
    size_t left = 0, less = 0, all;
    for (size_t k = 0; k < r->arms; k++) {
        const struct mk_certified_arm *arm = &c->arm[k];
        size_t j = 0;
        while (j < arm->n && arm->tail[j] > cap) j++;
        if (k != best) at[left++] = (struct vertex){k, (double)(j < arm->n ? arm->m[j] : arm->max), 0, 0};
    }
    qsort(at, left, sizeof *at, by_pulls);
    row_of(r->max, r, r->levels)[best] = row_of(r->tail, r, r->levels)[best] = 0;
    all = left;
    for (size_t k = 0; k < all; k++, left--) {
        const double share = floor(pulls / (double)left), its = fmin(share, at[k].pulls);
        less += at[k].pulls < share;
        pulls -= its;
        row_of(r->max, r, r->levels)[at[k].arm] = its;
        row_of(r->tail, r, r->levels)[at[k].arm] = mk_certified_tail(&c->arm[at[k].arm], (uint64_t)its);
    }
    return less > 0 && less < all;
}

int mk_regret_counts(struct mk_regret *r, const struct mk_certificate *c, size_t best, struct mk_error *err)
{
    const size_t max = MOST_SUMS + 2 * CAPS * SHARES;
    size_t room = 0, n = 0;
    for (size_t k = 0; k < c->arms; k++) room += c->arm[k].n + 1;
    struct vertex *v = malloc(room * sizeof *v), *at = malloc(c->arms * sizeof *at);
    r->n = malloc(max * sizeof *r->n);
    r->q = malloc(max * sizeof *r->q);
    r->max = malloc(max * c->arms * sizeof *r->max);
    r->tail = malloc(max * c->arms * sizeof *r->tail);
    const int code = v && at && r->n && r->q && r->max && r->tail ? MK_OK : mk_fail_memory(err, "the regret");
    if (!code) {
        for (size_t k = 0; k < c->arms; k++)
            if (k != best) n = add_hull(v, n, &c->arm[k], k);
        qsort(v, n, sizeof *v, by_slope);
        add_sums(r, v, n, at, best);
    }
    /* where the others' rewards say more than their numbers of pulls */
    for (int j = 1; !code && j <= SHARES; j++)
        for (int near = 0; near < 2; near++) {
            const double count = floor(near ? r->horizon * (1 - exp2(-j)) : r->horizon * exp2(-j));
            for (int k = 0; count >= 1 && k < CAPS; k++)
                if (add_shares(r, c, best, r->horizon - count, caps[k], at) || k == 0) add_level(r);
        }
    free(v);
    free(at);
    return code;
}

void mk_regret_counts_free(struct mk_regret *r)
{
    free(r->n);
    free(r->q);
    free(r->max);
    free(r->tail);
}

/* Counts with the probabilities that arm b has fewer pulls: what the certified tails of the other arms say together. */
#include <stdlib.h>

#include "analysis/theory/certified_regret_parts.h"
#include "sim/base/error.h"

enum { SHARES = 8 };
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
        struct vertex at = {number, (double)arm->most, 0, INFINITY};
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

static void add_level(struct mk_regret *r, double n, double q)
{
    r->n[r->levels] = n;
    r->q[r->levels++] = q;
}

/* The vertices of the hull of all sums of the arms' points, from few pulls to many. at[arms]: where each arm is. */
static void add_sums(struct mk_regret *r, const struct vertex *v, size_t n, struct vertex *at, size_t best)
{
    double last_pulls = 0, last_tail = 1;
    for (size_t j = 0; j < n; j++) {
        double pulls = 0, tail = 0;
        at[v[j].arm] = v[j];
        if (j + 1 < n && isinf(v[j + 1].slope)) continue; /* not all arms are at their first */
        for (size_t k = 0; k < r->arms; k++) {
            pulls += k == best ? 0 : at[k].pulls;
            tail += k == best ? 0 : at[k].tail;
        }
        tail *= 1 + 0x1p-52 * (double)r->arms;
        if (r->horizon - pulls < 1) break;
        if (tail >= 1 || (pulls <= last_pulls * (1 + same) && tail >= last_tail * (1 - same))) continue;
        for (size_t k = 0; k < r->arms; k++) r->pulls[r->levels * r->arms + k] = at[k].pulls;
        add_level(r, r->horizon - pulls, tail);
        last_pulls = pulls;
        last_tail = tail;
    }
}

int mk_regret_counts(struct mk_regret *r, const struct mk_certificate *c, size_t best, struct mk_error *err)
{
    size_t room = 2 * SHARES, n = 0;
    for (size_t k = 0; k < c->arms; k++) room += c->arm[k].n + 1;
    struct vertex *v = malloc(room * sizeof *v), *at = malloc(c->arms * sizeof *at);
    r->n = malloc(room * sizeof *r->n);
    r->q = malloc(room * sizeof *r->q);
    r->pulls = calloc(room * c->arms, sizeof *r->pulls);
    const int code = v && at && r->n && r->q && r->pulls ? MK_OK : mk_fail_memory(err, "the regret");
    if (!code) {
        for (size_t k = 0; k < c->arms; k++)
            if (k != best) n = add_hull(v, n, &c->arm[k], k);
        qsort(v, n, sizeof *v, by_slope);
        add_sums(r, v, n, at, best);
        if (n == 0) add_level(r, r->horizon, 0);
        r->sums = r->levels;
    }
    /* counts for which only the other arms' rewards speak */
    for (int j = 1; !code && j <= SHARES && c->arms > 1; j++)
        for (int near = 0; near < 2; near++) {
            const double count = floor(near ? r->horizon * (1 - exp2(-j)) : r->horizon * exp2(-j));
            if (count >= 1) add_level(r, count, 1);
        }
    free(v);
    free(at);
    return code;
}

void mk_regret_counts_free(struct mk_regret *r)
{
    free(r->n);
    free(r->q);
    free(r->pulls);
}

#include "analysis/theory/optimum.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

enum { ORDERS = 720 /* 6! */, DIMENSIONS = MK_OPTIMUM_ARMS * (MK_OPTIMUM_VALUES - 1), CHUNK = 256 };
static const double most_states = 2e8, most_bytes = 8e9;

/* A game, with what does not change during the induction. */
struct game {
    const struct mk_discrete_arms *a;
    const struct mk_count_policy *policy;
    size_t n_policies, n_orders, d;
    uint64_t horizon;
    unsigned char order[ORDERS][MK_OPTIMUM_ARMS]; /* order[h][i]: which of the arms stands at position i */
    double *choose;                               /* [k][n] binomial coefficients n over k + 1, k < d, n < T + d */
    double *power;                                /* [arm][value][count up to T] probabilities to the power of counts */
};

/* A state: counts of all values but the last, by position; and what follows from them. */
struct state {
    uint64_t t, count[DIMENSIONS], pulls[MK_OPTIMUM_ARMS];
    int top, top_of[MK_OPTIMUM_ARMS]; /* the largest value so far, of all and of a position; -1: none */
    double weight[ORDERS];            /* posterior probabilities */
};

/* ---- numbering of states ---- */

static double choose(const struct game *g, size_t k, uint64_t n)
{
    return g->choose[k * (g->horizon + g->d) + n];
}

static double layer_size(size_t d, uint64_t t)
{
    double c = 1;
    for (size_t k = 1; k < d; k++) c = c * (double)(t + k) / (double)k;
    return round(c);
}

double mk_optimum_states(const struct mk_discrete_arms *a, uint64_t horizon)
{
    return layer_size(a->arms * (a->values - 1) + 1, horizon - 1); /* the sum of the layers before the horizon */
}

/* The state of this number: partial sums of the counts, plus their positions, are a set of d - 1 numbers, in
 * colexicographic order. */
static void find_counts(const struct game *g, uint64_t t, double rank, uint64_t *count)
{
    uint64_t above = t + g->d - 1, sums[DIMENSIONS];
    sums[g->d - 1] = t + g->d - 1;
    for (size_t k = g->d - 1; k-- > 0;) {
        uint64_t y = above - 1;
        while (choose(g, k, y) > rank) y--;
        rank -= choose(g, k, y);
        sums[k] = above = y;
    }
    for (size_t k = 0; k < g->d; k++) count[k] = sums[k] - (k ? sums[k - 1] + 1 : 0);
}

/* Number of the state in the next layer that follows by one more of coordinate j, for every j. */
static void find_successors(const struct game *g, const uint64_t *count, double *to)
{
    double here[DIMENSIONS + 1], next[DIMENSIONS + 1];
    uint64_t y = 0;
    here[0] = next[0] = 0;
    for (size_t k = 0; k + 1 < g->d; k++) {
        y += count[k];
        here[k + 1] = here[k] + choose(g, k, y + k);
        next[k + 1] = next[k] + choose(g, k, y + k + 1);
    }
    for (size_t j = 0; j < g->d; j++) to[j] = here[j] + next[g->d - 1] - next[j];
}

/* ---- a state ---- */

static double power_of(const struct game *g, size_t arm, size_t value, uint64_t count)
{
    return g->power[(arm * g->a->values + value) * (g->horizon + 1) + count];
}

/* Posterior probabilities of the orders; false: the state cannot be reached. */
static bool weigh(const struct game *g, struct state *s)
{
    const size_t K = g->a->arms, S = g->a->values;
    double sum = 0;
    for (size_t h = 0; h < g->n_orders; h++) {
        double w = 1;
        for (size_t i = 0; i < K; i++)
            for (size_t v = 0; v + 1 < S; v++) w *= power_of(g, g->order[h][i], v, s->count[i * (S - 1) + v]);
        s->weight[h] = w;
        sum += w;
    }
    for (size_t h = 0; h < g->n_orders; h++) s->weight[h] /= sum;
    return sum > 0;
}

static void complete(const struct game *g, struct state *s)
{
    const size_t S = g->a->values;
    s->top = -1;
    for (size_t i = 0; i < g->a->arms; i++) {
        s->pulls[i] = 0;
        s->top_of[i] = -1;
        for (size_t v = 0; v + 1 < S; v++) {
            s->pulls[i] += s->count[i * (S - 1) + v];
            if (s->count[i * (S - 1) + v] > 0) s->top_of[i] = (int)v;
        }
        if (s->top_of[i] > s->top) s->top = s->top_of[i];
    }
}

/* Posterior mean of what m more pulls of the arm at position i add to the maximum. */
static double gain(const struct game *g, const struct state *s, size_t i, uint64_t m)
{
    const struct mk_discrete_arms *a = g->a;
    const double best = s->top >= 0 ? a->value[s->top] : a->value[0];
    double sum = 0;
    for (size_t h = 0; h < g->n_orders; h++) {
        const double *p = a->p[g->order[h][i]];
        double cdf = 0, before = 0;
        for (size_t v = 0; v < a->values; v++) {
            cdf = v + 1 < a->values ? cdf + p[v] : 1;
            const double after = pow(cdf, (double)m);
            if ((int)v > s->top) sum += s->weight[h] * (after - before) * (a->value[v] - best);
            before = after;
        }
    }
    return sum;
}

static double index_of(const struct game *g, const struct state *s, const struct mk_count_policy *policy, size_t i)
{
    switch (policy->rule) {
    case MK_COUNT_BONUS:
        return s->pulls[i] == 0 ? INFINITY
                                : g->a->value[s->top_of[i]] + policy->bonus(policy->of, s->t + 1, s->pulls[i]);
    case MK_COUNT_EVEN: return -(double)s->pulls[i];
    case MK_COUNT_BAYES_MAX: return gain(g, s, i, g->horizon - s->t);
    case MK_COUNT_BAYES_NEXT: return gain(g, s, i, 1);
    case MK_COUNT_PLAYED: return policy->choose(policy->of, g->a, s->t + 1, s->count) == i;
    }
    return NAN;
}

/* Mean of after[position] over the choices of a policy. */
static double follow(const struct game *g, const struct state *s, const struct mk_count_policy *policy,
                     const double *after, size_t stride)
{
    double highest = -INFINITY, sum = 0;
    size_t ties = 0;
    for (size_t i = 0; i < g->a->arms; i++) {
        const double index = index_of(g, s, policy, i);
        if (ties > 0 && (index < highest || (index == highest && !policy->random_ties))) continue;
        if (index > highest) sum = 0, ties = 0;
        highest = index;
        sum += after[i * stride];
        ties++;
    }
    return sum / (double)ties;
}

/* out[0]: the optimum, then those of the policies; next: of the layer after. */
static void solve_state(const struct game *g, uint64_t t, double rank, const double *next, double *out)
{
    const size_t K = g->a->arms, S = g->a->values, width = g->n_policies + 1;
    struct state s;
    double to[DIMENSIONS], room[MK_OPTIMUM_ARMS * (MK_OPTIMUM_POLICIES + 1)];
    s.t = t;
    find_counts(g, t, rank, s.count);
    memset(out, 0, width * sizeof *out);
    if (!weigh(g, &s)) return;
    complete(g, &s);
    find_successors(g, s.count, to);
    memset(room, 0, K * width * sizeof *room);
    for (size_t i = 0; i < K; i++)
        for (size_t v = 0; v < S; v++) {
            double q = 0;
            for (size_t h = 0; h < g->n_orders; h++) q += s.weight[h] * g->a->p[g->order[h][i]][v];
            if (!(q > 0)) continue;
            const double *then = v + 1 < S ? next + (size_t)to[i * (S - 1) + v] * width : NULL;
            for (size_t j = 0; j < width; j++) room[i * width + j] += q * (then ? then[j] : g->a->value[S - 1]);
        }
    out[0] = -INFINITY;
    for (size_t i = 0; i < K; i++) out[0] = fmax(out[0], room[i * width]);
    for (size_t j = 0; j < g->n_policies; j++) out[j + 1] = follow(g, &s, &g->policy[j], room + j + 1, width);
}

/* ---- the induction ---- */

static void set_last(const struct game *g, double *last, size_t n)
{
    const size_t width = g->n_policies + 1;
#pragma omp parallel for
    for (size_t r = 0; r < n; r++) {
        struct state s;
        find_counts(g, g->horizon, (double)r, s.count);
        complete(g, &s);
        for (size_t j = 0; j < width; j++) last[r * width + j] = g->a->value[s.top];
    }
}

/* *next and *here are exchanged after every layer. */
static void induce(const struct game *g, double **next, double **here)
{
    const size_t width = g->n_policies + 1;
    set_last(g, *next, (size_t)layer_size(g->d, g->horizon));
    for (uint64_t t = g->horizon; t-- > 0;) {
        const size_t n = (size_t)layer_size(g->d, t);
        double *const from = *next, *const to = *here;
#pragma omp parallel for schedule(dynamic, CHUNK)
        for (size_t r = 0; r < n; r++) solve_state(g, t, (double)r, from, to + r * width);
        *here = from;
        *next = to;
    }
}

/* Policies that know which arm is which: the best one, by induction over the maximum, and the best single arm. */
static void find_informed(const struct mk_discrete_arms *a, uint64_t horizon, struct mk_optimum *out)
{
    double value[MK_OPTIMUM_VALUES + 1], before[MK_OPTIMUM_VALUES + 1]; /* [largest value so far + 1] */
    for (size_t s = 0; s <= a->values; s++) value[s] = s ? a->value[s - 1] : -INFINITY;
    for (uint64_t t = 0; t < horizon; t++) {
        memcpy(before, value, sizeof before);
        for (size_t s = 0; s <= a->values; s++) {
            value[s] = -INFINITY;
            for (size_t i = 0; i < a->arms; i++) {
                double mean = 0;
                for (size_t v = 0; v < a->values; v++)
                    if (a->p[i][v] > 0) mean += a->p[i][v] * before[v + 1 > s ? v + 1 : s];
                value[s] = fmax(value[s], mean);
            }
        }
    }
    out->clairvoyant = value[0];
    out->best_arm = -INFINITY;
    for (size_t i = 0; i < a->arms; i++) {
        double mean = 0, cdf = 0, last = 0;
        for (size_t v = 0; v < a->values; v++) {
            cdf = v + 1 < a->values ? cdf + a->p[i][v] : 1;
            const double now = pow(cdf, (double)horizon);
            mean += (now - last) * a->value[v];
            last = now;
        }
        out->best_arm = fmax(out->best_arm, mean);
    }
}

/* ---- the game ---- */

/* All orders of the arms, by Heap's algorithm without recursion. */
static void list_orders(struct game *g)
{
    size_t c[MK_OPTIMUM_ARMS] = {0}, i = 1;
    unsigned char now[MK_OPTIMUM_ARMS];
    for (size_t k = 0; k < MK_OPTIMUM_ARMS; k++) now[k] = (unsigned char)k;
    memcpy(g->order[g->n_orders++], now, sizeof now);
    while (i < g->a->arms) {
        if (c[i] == i) {
            c[i++] = 0;
            continue;
        }
        const size_t with = i % 2 ? c[i] : 0;
        const unsigned char kept = now[with];
        now[with] = now[i];
        now[i] = kept;
        memcpy(g->order[g->n_orders++], now, sizeof now);
        c[i]++;
        i = 1;
    }
}

static void fill_tables(struct game *g)
{
    const size_t room = g->horizon + g->d;
    for (size_t n = 0; n < room; n++)
        for (size_t k = 0; k < g->d; k++)
            g->choose[k * room + n] = n == 0 ? 0 : choose(g, k, n - 1) + (k ? choose(g, k - 1, n - 1) : 1);
    for (size_t i = 0; i < g->a->arms; i++)
        for (size_t v = 0; v < g->a->values; v++)
            for (uint64_t c = 0; c <= g->horizon; c++)
                g->power[(i * g->a->values + v) * (g->horizon + 1) + c] =
                    c ? power_of(g, i, v, c - 1) * g->a->p[i][v] : 1;
}

static int check_size(const struct game *g, struct mk_error *err)
{
    const double states = mk_optimum_states(g->a, g->horizon);
    const double bytes = 2 * layer_size(g->d, g->horizon) * (double)(g->n_policies + 1) * sizeof(double);
    if (states <= most_states && bytes <= most_bytes) return MK_OK;
    return mk_fail(
        err, MK_EINPUT,
        "%zu arms with %zu values have %.3g states up to T = %llu, %.3g GB; expected at most %.0g states and %g GB",
        g->a->arms, g->a->values, states, (unsigned long long)g->horizon, bytes / 1e9, most_states, most_bytes / 1e9);
}

int mk_optimum_find(struct mk_optimum *out, double *value, const struct mk_discrete_arms *a, uint64_t horizon,
                    const struct mk_count_policy *policy, size_t n, struct mk_error *err)
{
    struct game g = {.a = a, .policy = policy, .n_policies = n, .d = a->arms * (a->values - 1), .horizon = horizon};
    int code = check_size(&g, err);
    if (code) return code;
    const size_t room = (size_t)layer_size(g.d, horizon) * (n + 1);
    double *next = malloc(room * sizeof *next), *here = malloc(room * sizeof *here);
    g.choose = malloc(g.d * (horizon + g.d) * sizeof *g.choose);
    g.power = malloc(a->arms * a->values * (horizon + 1) * sizeof *g.power);
    if (next && here && g.choose && g.power) {
        list_orders(&g);
        fill_tables(&g);
        induce(&g, &next, &here);
        out->optimum = next[0];
        memcpy(value, next + 1, n * sizeof *value);
        find_informed(a, horizon, out);
    } else {
        code = mk_fail_memory(err, "the states of the game");
    }
    free(next);
    free(here);
    free(g.choose);
    free(g.power);
    return code;
}

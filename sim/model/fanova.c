#include "sim/model/fanova.h"

#include <math.h>
#include <string.h>

#include "sim/base/order.h"
#include "sim/base/statistics.h"

/* The leaves of a tree: leaf i is the box lo[i * d + j] … hi[i * d + j] with volume[i] and value[i]. */
struct leaves {
    size_t d, n, room;
    double *lo, *hi, *volume, *value;
    double *from, *to; /* [d] the box of the node that is visited */
    double *at, *step; /* [2 room + 1] ends of intervals, and a marginal's steps there */
    struct mk_pool pool;
};

/* Room for the leaves of the largest tree: no tree has more leaves than the forest has nodes of one tree. */
static int reserve(struct leaves *l, const struct mk_forest *f, struct mk_error *err)
{
    *l = (struct leaves){.d = f->d};
    for (size_t t = 0; t < f->n_trees; t++) {
        const size_t end = t + 1 < f->n_trees ? f->root[t + 1] : f->n_nodes, nodes = end - f->root[t];
        if (nodes > l->room) l->room = nodes;
    }
    const size_t n = l->room, d = l->d;
    const struct mk_pool_array arrays[] = {
        MK_POOL_ARRAY(l->lo, n * d),     MK_POOL_ARRAY(l->hi, n * d),       MK_POOL_ARRAY(l->volume, n),
        MK_POOL_ARRAY(l->value, n),      MK_POOL_ARRAY(l->from, d),         MK_POOL_ARRAY(l->to, d),
        MK_POOL_ARRAY(l->at, 2 * n + 1), MK_POOL_ARRAY(l->step, 2 * n + 1),
    };
    return mk_pool_lay_out(&l->pool, arrays, sizeof arrays / sizeof *arrays, "the importance of hyperparameters", err);
}

static void visit(struct leaves *l, const struct mk_forest_node *root, const double *value, uint32_t at)
{
    const struct mk_forest_node *node = root + at;
    if (isinf(node->threshold)) {
        double volume = 1;
        for (size_t j = 0; j < l->d; j++) volume *= l->to[j] - l->from[j];
        memcpy(l->lo + l->n * l->d, l->from, l->d * sizeof *l->from);
        memcpy(l->hi + l->n * l->d, l->to, l->d * sizeof *l->to);
        l->volume[l->n] = volume;
        l->value[l->n++] = value[at];
        return;
    }
    const double from = l->from[node->feature], to = l->to[node->feature];
    l->to[node->feature] = node->threshold;
    visit(l, root, value, node->left);
    l->to[node->feature] = to;
    l->from[node->feature] = node->threshold;
    visit(l, root, value, node->left + 1);
    l->from[node->feature] = from;
}

static void find_leaves(struct leaves *l, const struct mk_forest *f, size_t tree)
{
    l->n = 0;
    for (size_t j = 0; j < l->d; j++) {
        l->from[j] = 0;
        l->to[j] = 1;
    }
    visit(l, f->node + f->root[tree], f->value + f->root[tree], 0);
}

/* The marginal of feature j: sum of step[0 … i] from at[i] to at[i + 1]. How many ends there are. */
static size_t marginal(struct leaves *l, size_t j)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        l->at[n++] = l->lo[i * l->d + j];
        l->at[n++] = l->hi[i * l->d + j];
    }
    const size_t kept = mk_sort_distinct(l->at, n, -INFINITY, INFINITY);
    memset(l->step, 0, kept * sizeof *l->step);
    for (size_t i = 0; i < l->n; i++) {
        const double lo = l->lo[i * l->d + j], hi = l->hi[i * l->d + j];
        if (!(hi > lo)) continue;
        const double height = l->value[i] * (l->volume[i] / (hi - lo));
        l->step[mk_count_below(l->at, kept, lo)] += height;
        l->step[mk_count_below(l->at, kept, hi)] -= height;
    }
    return kept;
}

static double variance_of_marginal(struct leaves *l, size_t j, double mean)
{
    const size_t n = marginal(l, j);
    double height = 0, sum = 0;
    for (size_t i = 0; i + 1 < n; i++) {
        height += l->step[i];
        sum += (l->at[i + 1] - l->at[i]) * (height - mean) * (height - mean);
    }
    return sum;
}

int mk_fanova(const struct mk_forest *f, double *share, double *deviation, struct mk_error *err)
{
    struct leaves l;
    size_t trees = 0;
    int code = reserve(&l, f, err);
    if (code) return code;
    for (size_t j = 0; j < f->d; j++) share[j] = deviation[j] = 0;
    for (size_t t = 0; t < f->n_trees; t++) {
        double mean = 0, variance = 0;
        find_leaves(&l, f, t);
        for (size_t i = 0; i < l.n; i++) mean += l.volume[i] * l.value[i];
        for (size_t i = 0; i < l.n; i++) variance += l.volume[i] * (l.value[i] - mean) * (l.value[i] - mean);
        if (!(variance > 0)) continue;
        trees++;
        for (size_t j = 0; j < f->d; j++) {
            const double x = variance_of_marginal(&l, j, mean) / variance, before = share[j];
            share[j] += (x - before) / (double)trees;
            deviation[j] += (x - before) * (x - share[j]);
        }
    }
    for (size_t j = 0; j < f->d; j++) {
        deviation[j] = trees > 1 ? sqrt(deviation[j] / (double)(trees - 1)) : NAN;
        if (!trees) share[j] = NAN;
    }
    mk_pool_free(&l.pool);
    return MK_OK;
}

int mk_fanova_marginal(const struct mk_forest *f, size_t feature, const double *x, size_t m, double *out,
                       struct mk_error *err)
{
    struct leaves l;
    int code = reserve(&l, f, err);
    if (code) return code;
    memset(out, 0, m * sizeof *out);
    for (size_t t = 0; t < f->n_trees; t++) {
        find_leaves(&l, f, t);
        for (size_t i = 0; i < l.n; i++) {
            const double lo = l.lo[i * l.d + feature], hi = l.hi[i * l.d + feature];
            if (!(hi > lo)) continue;
            const double height = l.value[i] * (l.volume[i] / (hi - lo)) / (double)f->n_trees;
            for (size_t k = 0; k < m; k++) /* x <= threshold goes left */
                if ((x[k] > lo || lo == 0) && x[k] <= hi) out[k] += height;
        }
    }
    mk_pool_free(&l.pool);
    return MK_OK;
}

#include "sim/search/models/fanova.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/statistics.h"

/* How a tree divides a feature: into intervals between its thresholds, or words into classes that it never separates.
 * A leaf has a range of intervals, or a set of classes. */
struct axis {
    size_t words;      /* 0: a number */
    size_t n;          /* cells */
    double *at;        /* [n - 1] thresholds, ascending */
    double *width;     /* [n] */
    size_t *of;        /* [words] class of a word */
    uint32_t from, to; /* the range of the node that is visited */
    size_t *without;   /* [n] by how many of its ancestors a class was left out */
    size_t first;      /* of its classes among those of all features */
};

/* The leaves of a tree: leaf i has value[i], volume[i] and, on axis j, the cells range[i * d + j] or the classes of
 * member[i * n_classes + first …], which cover covered[i * d + j] of it. */
struct leaves {
    size_t d, n, room, n_classes;
    struct axis *axis; /* [d] */
    struct range {
        uint32_t from, to;
    } * range, *run[2];
    unsigned char *member;
    double *covered, *volume, *value, *step;
    size_t step_room, member_room, *renamed;
    struct mk_pool pool;
};

static const struct mk_forest_node *nodes_of(const struct mk_forest *f, size_t tree, size_t *n)
{
    *n = (tree + 1 < f->n_trees ? f->root[tree + 1] : f->n_nodes) - f->root[tree];
    return f->node + f->root[tree];
}

static void leaves_free(struct leaves *l)
{
    free(l->axis);
    free(l->member);
    free(l->step);
    mk_pool_free(&l->pool);
}

/* Room for the largest tree: no tree has more leaves than the forest has nodes of one tree. */
static int reserve(struct leaves *l, const struct mk_forest *f, struct mk_error *err)
{
    static const char what[] = "the importance of hyperparameters";
    size_t all_words = 0, max = 0, nodes;
    *l = (struct leaves){.d = f->d, .axis = calloc(f->d + 1, sizeof *l->axis)};
    if (!l->axis) return mk_fail_memory(err, what);
    for (size_t t = 0; t < f->n_trees; t++) {
        nodes_of(f, t, &nodes);
        if (nodes > l->room) l->room = nodes;
    }
    for (size_t j = 0; j < f->d && f->words; j++) {
        l->axis[j].words = f->words[j];
        all_words += f->words[j];
        max = f->words[j] > max ? f->words[j] : max;
    }
    const size_t n = l->room, d = l->d, longest = n > max ? n : max;
    double *at, *width;
    size_t *of, *without;
    const struct mk_pool_array arrays[] = {
        MK_POOL_ARRAY(l->range, n * d),
        MK_POOL_ARRAY(l->covered, n * d),
        MK_POOL_ARRAY(l->volume, n),
        MK_POOL_ARRAY(l->value, n),
        MK_POOL_ARRAY(l->run[0], longest),
        MK_POOL_ARRAY(l->run[1], longest),
        MK_POOL_ARRAY(l->renamed, 2 * max),
        MK_POOL_ARRAY(at, n),
        MK_POOL_ARRAY(width, n + all_words + d),
        MK_POOL_ARRAY(of, all_words),
        MK_POOL_ARRAY(without, all_words),
    };
    const int code = mk_pool_lay_out(&l->pool, arrays, sizeof arrays / sizeof *arrays, what, err);
    for (size_t j = 0, words = 0; j < d && !code; j++) { /* at and width are laid out for every tree */
        l->axis[j].of = of + words;
        l->axis[j].without = without + words;
        words += l->axis[j].words;
    }
    if (!code && d) {
        l->axis[0].at = at;
        l->axis[0].width = width;
    }
    if (code) leaves_free(l);
    return code;
}

/* ---- cells ---- */

/* Classes of words that no split separates so far are separated by this one. */
static void refine(struct axis *a, const unsigned char *goes_left, size_t *renamed)
{
    size_t n = 0;
    for (size_t i = 0; i < 2 * a->n; i++) renamed[i] = SIZE_MAX;
    for (size_t w = 0; w < a->words; w++) {
        size_t *name = &renamed[2 * a->of[w] + goes_left[w]];
        if (*name == SIZE_MAX) *name = n++;
        a->of[w] = *name;
    }
    a->n = n;
}

static void divide_words(struct leaves *l, const struct mk_forest *f, size_t tree, size_t j)
{
    struct axis *a = &l->axis[j];
    size_t n;
    const struct mk_forest_node *node = nodes_of(f, tree, &n);
    a->n = 1;
    memset(a->of, 0, a->words * sizeof *a->of);
    for (size_t i = 0; i < n; i++)
        if (!isinf(node[i].threshold) && node[i].feature == j)
            refine(a, f->goes_left + (size_t)node[i].threshold, l->renamed);
    memset(a->width, 0, a->n * sizeof *a->width);
    for (size_t w = 0; w < a->words; w++) a->width[a->of[w]] += 1 / (double)a->words;
    memset(a->without, 0, a->n * sizeof *a->without);
}

static void divide_numbers(struct leaves *l, const struct mk_forest *f, size_t tree, size_t j)
{
    struct axis *a = &l->axis[j];
    size_t n, thresholds = 0;
    const struct mk_forest_node *node = nodes_of(f, tree, &n);
    for (size_t i = 0; i < n; i++)
        if (!isinf(node[i].threshold) && node[i].feature == j) a->at[thresholds++] = node[i].threshold;
    a->n = mk_sort_distinct(a->at, thresholds, -INFINITY, INFINITY) + 1;
    for (size_t i = 0; i < a->n; i++) a->width[i] = (i + 1 < a->n ? a->at[i] : 1) - (i ? a->at[i - 1] : 0);
    a->from = 0;
    a->to = (uint32_t)a->n;
}

/* The cells of all axes, which share their memory. */
static int divide(struct leaves *l, const struct mk_forest *f, size_t tree, struct mk_error *err)
{
    size_t classes = 0;
    for (size_t j = 0; j < l->d; j++) {
        struct axis *a = &l->axis[j];
        if (j) {
            a->at = a[-1].at + (a[-1].words ? 0 : a[-1].n - 1);
            a->width = a[-1].width + a[-1].n;
        }
        (a->words ? divide_words : divide_numbers)(l, f, tree, j);
        a->first = classes;
        classes += a->words ? a->n : 0;
    }
    l->n_classes = classes;
    if (l->room * classes > l->member_room) {
        free(l->member);
        l->member_room = l->room * classes;
        if (!(l->member = malloc(l->member_room))) return mk_fail_memory(err, "the importance of hyperparameters");
    }
    return MK_OK;
}

/* ---- leaves ---- */

static void add_leaf(struct leaves *l, double value)
{
    double volume = 1;
    unsigned char *member = l->member + l->n * l->n_classes;
    for (size_t j = 0; j < l->d; j++) {
        const struct axis *a = &l->axis[j];
        double covered = 0;
        l->range[l->n * l->d + j] = (struct range){a->from, a->to};
        for (size_t c = 0; a->words && c < a->n; c++) {
            member[a->first + c] = !a->without[c];
            if (!a->without[c]) covered += a->width[c];
        }
        if (!a->words) covered = (a->to < a->n ? a->at[a->to - 1] : 1) - (a->from ? a->at[a->from - 1] : 0);
        l->covered[l->n * l->d + j] = covered;
        volume *= covered;
    }
    l->volume[l->n] = volume;
    l->value[l->n++] = value;
}

/* Leaves out the classes on one side of a split, or takes them back. A class is represented by any of its words. */
static void leave_out(struct axis *a, const unsigned char *goes_left, bool left, bool again)
{
    size_t seen = 0;
    for (size_t w = 0; w < a->words && seen < a->n; w++) {
        if (a->of[w] != seen) continue; /* classes are numbered in the order of their first words */
        seen++;
        if (goes_left[w] != left) continue;
        a->without[a->of[w]] += again ? (size_t)-1 : 1;
    }
}

static void visit(struct leaves *l, const struct mk_forest *f, size_t root, uint32_t at)
{
    const struct mk_forest_node *node = f->node + root + at;
    if (isinf(node->threshold)) {
        add_leaf(l, f->value[root + at]);
        return;
    }
    struct axis *a = &l->axis[node->feature];
    if (a->words) {
        const unsigned char *goes_left = f->goes_left + (size_t)node->threshold;
        for (int side = 0; side < 2; side++) {
            leave_out(a, goes_left, side == 1, false);
            visit(l, f, root, node->left + (uint32_t)side);
            leave_out(a, goes_left, side == 1, true);
        }
        return;
    }
    const uint32_t from = a->from, to = a->to, middle = (uint32_t)mk_count_below(a->at, a->n - 1, node->threshold) + 1;
    a->to = middle;
    visit(l, f, root, node->left);
    a->to = to;
    a->from = middle;
    visit(l, f, root, node->left + 1);
    a->from = from;
}

static int find_leaves(struct leaves *l, const struct mk_forest *f, size_t tree, struct mk_error *err)
{
    const int code = divide(l, f, tree, err);
    l->n = 0;
    if (!code) visit(l, f, f->root[tree], 0);
    return code;
}

/* ---- marginals ---- */

/* The cells of a leaf on an axis as ranges without gaps; how many there are. */
static size_t runs_of(const struct leaves *l, size_t leaf, size_t j, struct range *run)
{
    const struct axis *a = &l->axis[j];
    const unsigned char *member = l->member + leaf * l->n_classes + a->first;
    size_t n = 0;
    if (!a->words) {
        run[0] = l->range[leaf * l->d + j];
        return 1;
    }
    for (uint32_t c = 0; c < a->n; c++) {
        if (!member[c]) continue;
        if (n && run[n - 1].to == c)
            run[n - 1].to++;
        else
            run[n++] = (struct range){c, c + 1};
    }
    return n;
}

static int take_steps(struct leaves *l, size_t n, struct mk_error *err)
{
    if (n > l->step_room) {
        free(l->step);
        l->step_room = n;
        if (!(l->step = malloc(n * sizeof *l->step))) return mk_fail_memory(err, "the importance of hyperparameters");
    }
    memset(l->step, 0, n * sizeof *l->step);
    return MK_OK;
}

/* step[n] <- the marginal of feature j on its cells. */
static int marginal(struct leaves *l, size_t j, struct mk_error *err)
{
    const size_t n = l->axis[j].n;
    const int code = take_steps(l, n + 1, err);
    for (size_t i = 0; i < l->n && !code; i++) {
        const double covered = l->covered[i * l->d + j],
                     height = covered > 0 ? l->value[i] * (l->volume[i] / covered) : 0;
        const size_t runs = runs_of(l, i, j, l->run[0]);
        for (size_t r = 0; r < runs; r++) {
            l->step[l->run[0][r].from] += height;
            l->step[l->run[0][r].to] -= height;
        }
    }
    for (size_t c = 1; c < n && !code; c++) l->step[c] += l->step[c - 1];
    return code;
}

static int variance_of_one(struct leaves *l, size_t j, double mean, double *out, struct mk_error *err)
{
    const int code = marginal(l, j, err);
    *out = 0;
    for (size_t c = 0; c < l->axis[j].n && !code; c++)
        *out += l->axis[j].width[c] * (l->step[c] - mean) * (l->step[c] - mean);
    return code;
}

/* The variance of the marginal of two features, on the grid of their cells. */
static int variance_of_two(struct leaves *l, size_t j, size_t k, double mean, double *out, struct mk_error *err)
{
    const size_t rows = l->axis[j].n, columns = l->axis[k].n, stride = columns + 1;
    const int code = take_steps(l, (rows + 1) * stride, err);
    *out = 0;
    for (size_t i = 0; i < l->n && !code; i++) {
        const double covered = l->covered[i * l->d + j] * l->covered[i * l->d + k];
        const double height = covered > 0 ? l->value[i] * (l->volume[i] / covered) : 0;
        const size_t n = runs_of(l, i, j, l->run[0]), m = runs_of(l, i, k, l->run[1]);
        for (size_t r = 0; r < n; r++)
            for (size_t s = 0; s < m; s++) {
                const struct range a = l->run[0][r], b = l->run[1][s];
                l->step[a.from * stride + b.from] += height;
                l->step[a.from * stride + b.to] -= height;
                l->step[a.to * stride + b.from] -= height;
                l->step[a.to * stride + b.to] += height;
            }
    }
    for (size_t r = 0; r < rows && !code; r++) {
        double *row = l->step + r * stride, along = 0;
        for (size_t c = 0; c < columns; c++) {
            along += row[c];
            row[c] = along + (r ? row[c - stride] : 0);
            *out += l->axis[j].width[r] * l->axis[k].width[c] * (row[c] - mean) * (row[c] - mean);
        }
    }
    return code;
}

/* ---- shares ---- */

/* Mean and sum of squares of the shares, after one more of n in all. */
static void add_share(double *share, double *deviation, double x, size_t n)
{
    const double before = *share;
    *share += (x - before) / (double)n;
    *deviation += (x - before) * (x - *share);
}

/* own[d] is scratch. */
static int add_tree(struct leaves *l, size_t *trees, double *share, double *deviation, double *pair,
                    double *pair_deviation, double *own, struct mk_error *err)
{
    const size_t d = l->d;
    double mean = 0, variance = 0, both;
    int code = MK_OK;
    for (size_t i = 0; i < l->n; i++) mean += l->volume[i] * l->value[i];
    for (size_t i = 0; i < l->n; i++) variance += l->volume[i] * (l->value[i] - mean) * (l->value[i] - mean);
    if (!(variance > 0)) return MK_OK;
    ++*trees;
    for (size_t j = 0; j < d && !code; j++) {
        code = variance_of_one(l, j, mean, &own[j], err);
        add_share(&share[j], &deviation[j], own[j] / variance, *trees);
    }
    for (size_t j = 0; j < d && pair && !code; j++)
        for (size_t k = j + 1; k < d && !code; k++) {
            both = own[j] + own[k]; /* where the tree has no split of one of them */
            if (l->axis[j].n > 1 && l->axis[k].n > 1) code = variance_of_two(l, j, k, mean, &both, err);
            add_share(&pair[j * d + k], &pair_deviation[j * d + k], (both - own[j] - own[k]) / variance, *trees);
        }
    return code;
}

static void conclude(double *share, double *deviation, size_t n, size_t trees)
{
    for (size_t i = 0; i < n; i++) {
        deviation[i] = trees > 1 ? sqrt(deviation[i] / (double)(trees - 1)) : NAN;
        if (!trees) share[i] = NAN;
    }
}

int mk_fanova(const struct mk_forest *f, double *share, double *deviation, double *pair, double *pair_deviation,
              struct mk_error *err)
{
    struct leaves l;
    const size_t d = f->d;
    size_t trees = 0;
    int code = reserve(&l, f, err);
    if (code) return code;
    double *own = calloc(d + 1, sizeof *own);
    if (!own) code = mk_fail_memory(err, "the importance of hyperparameters");
    for (size_t j = 0; j < d; j++) share[j] = deviation[j] = 0;
    for (size_t j = 0; pair && j < d * d; j++) pair[j] = pair_deviation[j] = 0;
    for (size_t t = 0; t < f->n_trees && !code; t++) {
        code = find_leaves(&l, f, t, err);
        if (!code) code = add_tree(&l, &trees, share, deviation, pair, pair_deviation, own, err);
    }
    conclude(share, deviation, d, trees);
    for (size_t j = 0; j < d && pair; j++)
        conclude(pair + j * d + j + 1, pair_deviation + j * d + j + 1, d - j - 1, trees);
    free(own);
    leaves_free(&l);
    return code;
}

int mk_fanova_marginal(const struct mk_forest *f, size_t feature, const double *x, size_t m, double *out,
                       struct mk_error *err)
{
    struct leaves l;
    int code = reserve(&l, f, err);
    if (code) return code;
    memset(out, 0, m * sizeof *out);
    for (size_t t = 0; t < f->n_trees && !code; t++) {
        const struct axis *a = &l.axis[feature];
        code = find_leaves(&l, f, t, err);
        if (!code) code = marginal(&l, feature, err);
        for (size_t i = 0; i < m && !code; i++) /* x <= threshold goes left */
            out[i] +=
                l.step[a->words ? a->of[(size_t)x[i]] : mk_count_below(a->at, a->n - 1, x[i])] / (double)f->n_trees;
    }
    leaves_free(&l);
    return code;
}

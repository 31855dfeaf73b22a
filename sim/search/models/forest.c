#include "sim/search/models/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/order.h"

enum { POINTS = 8 };

static const double one_value = 1e-7, pure = 2.3e-16;

/* The samples of a node that have one word. */
struct group {
    size_t word, count, weight;
    double sum;
};

/* Context of growing a tree; samples are 0 … n-1. */
struct grower {
    const struct mk_forest_options *o;
    const double *x, *y;
    size_t stride, d, n;
    struct mk_pcg64 *rng;
    uint32_t *sorted;    /* [d][n] samples in ascending order of each feature */
    uint32_t *list;      /* [d][n] those of the tree, node by node; random splits: one list */
    uint32_t *scratch;   /* [n] */
    uint32_t *weight;    /* [n] how often a sample is in the bootstrap sample */
    double *weighted;    /* [n] weight * y */
    double *reciprocal;  /* [n + 1] 1 / k */
    size_t *permutation; /* [d] */
    unsigned char *goes_left;
    size_t distinct;
    const size_t *words; /* [d] or NULL */
    struct group *group; /* [n] words of a node, in ascending order of their positions */
    double *mean;        /* [n] of a group */
    uint32_t *order;     /* [n] groups by their means */
    unsigned char *left; /* [max words] the best split so far is of words: those that go left */
};

struct node_task {
    size_t from, end; /* in the lists */
    size_t node;
};

struct split {
    double score, threshold;
    size_t feature;
};

void mk_forest_free(struct mk_forest *f)
{
    free(f->node);
    free(f->value);
    free(f->root);
    free(f->words);
    free(f->goes_left);
    mk_pool_free(&f->pool);
    *f = (struct mk_forest){0};
}

/* ---- memory ---- */

static int reserve_work(struct mk_forest *f, struct grower *g, struct node_task **stack, struct mk_error *err)
{
    const size_t n = g->n, d = g->d, groups = g->words ? n : 0;
    size_t max = 0;
    for (size_t j = 0; j < d && g->words; j++) max = g->words[j] > max ? g->words[j] : max;
    const struct mk_pool_array arrays[] = {
        MK_POOL_ARRAY(g->group, groups),  MK_POOL_ARRAY(g->mean, groups),    MK_POOL_ARRAY(g->order, groups),
        MK_POOL_ARRAY(g->left, max),      MK_POOL_ARRAY(g->weighted, n + 1), MK_POOL_ARRAY(g->reciprocal, n + 1),
        MK_POOL_ARRAY(g->permutation, d), MK_POOL_ARRAY(*stack, n + 1),      MK_POOL_ARRAY(g->sorted, d * n),
        MK_POOL_ARRAY(g->list, d * n),    MK_POOL_ARRAY(g->scratch, n),      MK_POOL_ARRAY(g->weight, n),
        MK_POOL_ARRAY(g->goes_left, n),
    };
    return mk_pool_lay_out(&f->pool, arrays, sizeof arrays / sizeof *arrays, "a forest", err);
}

/* Two children for a node; SIZE_MAX: out of memory. */
static size_t add_nodes(struct mk_forest *f, size_t count)
{
    if (f->n_nodes + count > f->node_room) {
        const size_t more = f->n_nodes + count - f->node_room;
        if (!MK_GROW(f->node, f->node_room, more) || !MK_GROW(f->value, f->node_room, more)) return SIZE_MAX;
        f->node_room += more;
    }
    f->n_nodes += count;
    return f->n_nodes - count;
}

/* ---- samples ---- */

static size_t lists_of(const struct grower *g)
{
    return g->o->random_splits ? 1 : g->d;
}

static void draw_samples(struct grower *g)
{
    for (size_t i = 0; i < g->n; i++) g->weight[i] = !g->o->bootstrap;
    for (size_t i = 0; g->o->bootstrap && i < g->n; i++) g->weight[mk_uniform_below(g->rng, g->n)]++;
    for (size_t i = 0; i < g->n; i++) g->weighted[i] = g->weight[i] * g->y[i];
    for (size_t j = 0; j < lists_of(g); j++) {
        const uint32_t *sorted = g->sorted + j * g->n;
        uint32_t *list = g->list + j * g->n;
        size_t m = 0;
        for (size_t i = 0; i < g->n; i++)
            if (g->weight[sorted[i]]) list[m++] = sorted[i];
        g->distinct = m;
    }
}

/* ---- splits ---- */

struct sums {
    double weight, mean, spread; /* spread: sum of weighted squares around the mean */
};

static struct sums node_sums(const struct grower *g, const struct node_task *t)
{
    struct sums s = {0, 0, 0};
    double sum = 0;
    for (size_t i = t->from; i < t->end; i++) {
        s.weight += g->weight[g->list[i]];
        sum += g->weighted[g->list[i]];
    }
    s.mean = sum / s.weight;
    for (size_t i = t->from; i < t->end; i++) {
        const double off = g->y[g->list[i]] - s.mean;
        s.spread += g->weight[g->list[i]] * off * off;
    }
    return s;
}

/* With weight wl and sum sl on the left, the sum of squares falls by (sl - wl mean)^2 W / (wl wr). False: the feature
 * does not vary. */
static bool exact_split(const struct grower *g, const struct node_task *t, const struct sums *s, size_t feature,
                        struct split *best)
{
    const uint32_t *list = g->list + feature * g->n;
    const double *x = g->x + feature * g->stride, mean = s->mean;
    const size_t first = t->from + g->o->min_leaf, last = t->end - g->o->min_leaf, all = (size_t)s->weight;
    double sum = 0, here = x[list[t->from]];
    size_t left = 0;
    if (x[list[t->end - 1]] <= here + one_value) return false;
    for (size_t i = t->from; i < last;) {
        const uint32_t sample = list[i++];
        left += g->weight[sample];
        sum += g->weighted[sample];
        const double next = x[list[i]];
        if (next > here + one_value && i >= first) {
            const double off = sum - (double)left * mean;
            const double score = off * off * (g->reciprocal[left] * g->reciprocal[all - left]);
            if (score > best->score) {
                const double middle = here / 2 + next / 2;
                *best = (struct split){score, middle < next ? middle : here, feature};
            }
        }
        here = next;
    }
    return true;
}

static bool is_words(const struct grower *g, size_t feature)
{
    return g->words && g->words[feature];
}

/* The words of a node: how many there are. */
static size_t find_groups(const struct grower *g, const struct node_task *t, size_t feature)
{
    const uint32_t *list = g->list + feature * g->n;
    const double *x = g->x + feature * g->stride;
    size_t n = 0;
    for (size_t i = t->from; i < t->end; i++) {
        const uint32_t sample = list[i];
        const size_t word = (size_t)x[sample];
        if (!n || g->group[n - 1].word != word) g->group[n++] = (struct group){word, 0, 0, 0};
        g->group[n - 1].count++;
        g->group[n - 1].weight += g->weight[sample];
        g->group[n - 1].sum += g->weighted[sample];
    }
    for (size_t i = 0; i < n; i++) g->mean[i] = g->group[i].sum / (double)g->group[i].weight;
    mk_ascending_order(g->mean, g->order, g->scratch, n);
    return n;
}

/* As exact_split, along the means of the words. */
static bool word_split(const struct grower *g, const struct node_task *t, const struct sums *s, size_t feature,
                       struct split *best)
{
    const size_t n = find_groups(g, t, feature), all = (size_t)s->weight, samples = t->end - t->from;
    size_t count = 0, left = 0, best_at = 0;
    double sum = 0;
    bool larger = false;
    for (size_t i = 0; i + 1 < n; i++) {
        const struct group *of = &g->group[g->order[i]];
        count += of->count;
        left += of->weight;
        sum += of->sum;
        if (count < g->o->min_leaf || samples - count < g->o->min_leaf) continue;
        const double off = sum - (double)left * s->mean;
        const double score = off * off * (g->reciprocal[left] * g->reciprocal[all - left]);
        if (score <= best->score) continue;
        *best = (struct split){score, 0, feature};
        best_at = i + 1;
        larger = 2 * left > all;
    }
    if (best_at) {
        memset(g->left, larger, g->words[feature]);
        for (size_t i = 0; i < n; i++) g->left[g->group[g->order[i]].word] = i < best_at;
    }
    return n > 1;
}

static bool random_split(const struct grower *g, const struct node_task *t, const struct sums *s, size_t feature,
                         struct split *best)
{
    const double *x = g->x + feature * g->stride;
    double min = INFINITY, greatest = -INFINITY, sum = 0;
    size_t left = 0, distinct = 0;
    for (size_t i = t->from; i < t->end; i++) {
        min = fmin(min, x[g->list[i]]);
        greatest = fmax(greatest, x[g->list[i]]);
    }
    if (greatest <= min + one_value) return false;
    double threshold = min + mk_uniform(g->rng) * (greatest - min);
    if (!(threshold < greatest)) threshold = min;
    for (size_t i = t->from; i < t->end; i++) {
        const uint32_t sample = g->list[i];
        if (x[sample] > threshold) continue;
        distinct++;
        left += g->weight[sample];
        sum += g->weighted[sample];
    }
    if (distinct < g->o->min_leaf || t->end - t->from - distinct < g->o->min_leaf) return true;
    const double off = sum - (double)left * s->mean;
    const double score = off * off * (g->reciprocal[left] * g->reciprocal[(size_t)s->weight - left]);
    if (score > best->score) *best = (struct split){score, threshold, feature};
    return true;
}

/* The best split of the node over o->features features in random order, and more as long as none of them varies. */
static struct split find_split(struct grower *g, const struct node_task *t, const struct sums *s)
{
    struct split best = {-1, 0, 0};
    bool varies = false;
    for (size_t i = 0; i < g->d && (i < g->o->features || !varies); i++) {
        const size_t at = i + (size_t)mk_uniform_below(g->rng, g->d - i), feature = g->permutation[at];
        g->permutation[at] = g->permutation[i];
        g->permutation[i] = feature;
        varies |= g->o->random_splits    ? random_split(g, t, s, feature, &best)
                  : is_words(g, feature) ? word_split(g, t, s, feature, &best)
                                         : exact_split(g, t, s, feature, &best);
    }
    return best;
}

/* Samples of the node that go left come first, in every list, in their order; returns where the others begin. */
static size_t partition(const struct grower *g, const struct node_task *t, const struct split *split)
{
    const double *x = g->x + split->feature * g->stride;
    const bool words = is_words(g, split->feature);
    size_t middle = t->from;
    for (size_t i = t->from; i < t->end; i++) {
        const uint32_t sample = g->list[i];
        g->goes_left[sample] = words ? g->left[(size_t)x[sample]] : x[sample] <= split->threshold;
        middle += g->goes_left[sample];
    }
    for (size_t j = 0; j < lists_of(g); j++) {
        uint32_t *list = g->list + j * g->n;
        size_t left = t->from, right = 0;
        for (size_t i = t->from; i < t->end; i++) {
            const uint32_t sample = list[i];
            const size_t goes_left = g->goes_left[sample];
            list[left] = sample; /* overwritten where it goes right */
            g->scratch[right] = sample;
            left += goes_left;
            right += 1 - goes_left;
        }
        memcpy(list + left, g->scratch, right * sizeof *list);
    }
    return middle;
}

static double leaf_value(const struct grower *g, const struct node_task *t, const struct sums *s)
{
    if (!g->o->log_leaves) return s->mean;
    double sum = 0;
    for (size_t i = t->from; i < t->end; i++) sum += g->weight[g->list[i]] * exp(g->y[g->list[i]] - s->mean);
    return s->mean + log(sum / s->weight);
}

static bool keep_set(struct mk_forest *f, const struct grower *g, struct split *split)
{
    const size_t n = g->words[split->feature];
    if (f->n_left + n > f->left_room) {
        const size_t more = f->n_left + n - f->left_room;
        if (!MK_GROW(f->goes_left, f->left_room, more)) return false;
        f->left_room += more;
    }
    memcpy(f->goes_left + f->n_left, g->left, n);
    split->threshold = (double)f->n_left;
    f->n_left += n;
    return true;
}

/* Splits the node, or makes it a leaf; pushes its children. */
static bool grow_node(struct mk_forest *f, struct grower *g, struct node_task t, struct node_task *stack, size_t *n)
{
    const struct sums s = node_sums(g, &t);
    const size_t samples = t.end - t.from;
    struct split split = {-1, 0, 0};
    if (samples >= g->o->min_split && samples >= 2 * g->o->min_leaf && s.spread > pure * s.weight)
        split = find_split(g, &t, &s);
    const size_t root = f->root[f->n_trees - 1];
    if (split.score < 0) {
        f->node[t.node] = (struct mk_forest_node){INFINITY, 0, (uint32_t)(t.node - root)};
        f->value[t.node] = leaf_value(g, &t, &s);
        return true;
    }
    if (is_words(g, split.feature) && !keep_set(f, g, &split)) return false;
    const size_t left = add_nodes(f, 2), middle = partition(g, &t, &split);
    if (left == SIZE_MAX) return false;
    f->node[t.node] = (struct mk_forest_node){split.threshold, (uint32_t)split.feature, (uint32_t)(left - root)};
    stack[(*n)++] = (struct node_task){middle, t.end, left + 1};
    stack[(*n)++] = (struct node_task){t.from, middle, left};
    return true;
}

static bool grow_tree(struct mk_forest *f, struct grower *g, struct node_task *stack)
{
    size_t n = 1;
    draw_samples(g);
    for (size_t j = 0; j < g->d; j++) g->permutation[j] = j;
    f->root[f->n_trees] = add_nodes(f, 1);
    if (f->root[f->n_trees] == SIZE_MAX) return false;
    f->n_trees++;
    stack[0] = (struct node_task){0, g->distinct, f->root[f->n_trees - 1]};
    while (n) {
        const struct node_task t = stack[--n];
        if (!grow_node(f, g, t, stack, &n)) return false;
    }
    return true;
}

int mk_forest_fit(struct mk_forest *f, const struct mk_forest_options *o, const double *x, size_t stride, size_t d,
                  const double *y, size_t n, struct mk_pcg64 *rng, struct mk_error *err)
{
    return mk_forest_fit_words(f, o, NULL, x, stride, d, y, n, rng, err);
}

int mk_forest_fit_words(struct mk_forest *f, const struct mk_forest_options *o, const size_t *words, const double *x,
                        size_t stride, size_t d, const double *y, size_t n, struct mk_pcg64 *rng, struct mk_error *err)
{
    struct grower g = {.o = o, .x = x, .y = y, .stride = stride, .d = d, .n = n, .rng = rng, .words = words};
    struct node_task *stack;
    int code = reserve_work(f, &g, &stack, err);
    if (code) return code;
    if (!MK_GROW(f->root, 0, o->trees)) return mk_fail_memory(err, "a forest");
    free(f->words);
    f->words = words ? malloc(d * sizeof *f->words) : NULL;
    if (words && !f->words) return mk_fail_memory(err, "a forest");
    if (words) memcpy(f->words, words, d * sizeof *f->words);
    f->d = d;
    f->n_trees = f->n_nodes = f->n_left = 0;
    for (size_t k = 1; k <= n; k++) g.reciprocal[k] = 1 / (double)k;
    for (size_t j = 0; j < lists_of(&g); j++) mk_ascending_order(x + j * stride, g.sorted + j * n, g.scratch, n);
    for (size_t t = 0; t < o->trees; t++)
        if (!grow_tree(f, &g, stack)) return mk_fail_memory(err, "a forest");
    return MK_OK;
}

/* ---- prediction ---- */

/* Leaves lead to themselves, so that several points walk down side by side until none of them moves. */
static inline __attribute__((always_inline)) void walk(const struct mk_forest_node *root, const double *value,
                                                       const double *x, size_t d, size_t points, double *out)
{
    uint32_t at[POINTS] = {0}, moved;
    do {
        moved = 0;
        for (size_t p = 0; p < points; p++) {
            const struct mk_forest_node *node = root + at[p];
            const uint32_t next = node->left + (x[p * d + node->feature] > node->threshold);
            moved |= next ^ at[p];
            at[p] = next;
        }
    } while (moved);
    for (size_t p = 0; p < points; p++) out[p] = value[at[p]];
}

static void predict_tree(const struct mk_forest *f, size_t tree, const double *x, size_t m, double *out)
{
    const struct mk_forest_node *root = f->node + f->root[tree];
    const double *value = f->value + f->root[tree];
    size_t i = 0;
    for (; i + POINTS <= m; i += POINTS) walk(root, value, x + i * f->d, f->d, POINTS, out + i);
    for (; i < m; i++) walk(root, value, x + i * f->d, f->d, 1, out + i);
}

void mk_forest_predict(const struct mk_forest *f, const double *x, size_t m, double *tree, double *mean,
                       double *variance)
{
    for (size_t t = 0; t < f->n_trees; t++) predict_tree(f, t, x, m, tree + t * m);
    for (size_t i = 0; i < m; i++) {
        double sum = 0, squares = 0;
        for (size_t t = 0; t < f->n_trees; t++) sum += tree[t * m + i];
        mean[i] = sum / (double)f->n_trees;
        for (size_t t = 0; t < f->n_trees; t++) squares += (tree[t * m + i] - mean[i]) * (tree[t * m + i] - mean[i]);
        variance[i] = squares / (double)f->n_trees;
    }
}

double mk_forest_mean(const struct mk_forest *f, const double *x)
{
    double sum = 0, value;
    for (size_t t = 0; t < f->n_trees; t++) {
        predict_tree(f, t, x, 1, &value);
        sum += value;
    }
    return sum / (double)f->n_trees;
}

#include "policies/parts/order_stat.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

enum { LEAF = 64, FAN = 32 };

struct mk_order_leaf {
    size_t n;
    double x[LEAF]; /* ascending */
};

/* Child i holds values in [low[i], low[i+1]]; low[0] may be above the smallest value of child 0. */
struct mk_order_inner {
    size_t n;
    double low[FAN];
    double sum[FAN];
    size_t count[FAN];
    uint32_t child[FAN];
};

/* Splits produce two halves, so every node other than a root is at least half full. */
static size_t leaf_room(size_t sets, uint64_t total)
{
    return (sets < total ? sets : (size_t)total) + (size_t)(2 * total / LEAF);
}

/* Inner nodes other than roots: a geometric series in 2 / FAN over the leaves made by splits; and a root for each set
 * that has outgrown one leaf. */
static size_t inner_room(uint64_t total)
{
    return (size_t)(2 * total / LEAF) * 2 / (FAN - 2) + (size_t)(total / LEAF) + 2;
}

size_t mk_order_stat_bytes(size_t sets, uint64_t total)
{
    return sets * sizeof(struct mk_order_set) + leaf_room(sets, total) * sizeof(struct mk_order_leaf) +
           inner_room(total) * sizeof(struct mk_order_inner);
}

void mk_order_stat_init(struct mk_order_stat *o, void *memory, size_t sets, uint64_t total)
{
    o->set = memory;
    memset(o->set, 0, sets * sizeof *o->set);
    o->leaf = (struct mk_order_leaf *)(o->set + sets);
    o->leaf_room = (uint32_t)leaf_room(sets, total);
    o->inner = (struct mk_order_inner *)(o->leaf + o->leaf_room);
    o->inner_room = (uint32_t)inner_room(total);
    o->leaves = 0;
    o->inners = 0;
}

static uint32_t new_leaf(struct mk_order_stat *o)
{
    assert(o->leaves < o->leaf_room);
    o->leaf[o->leaves].n = 0;
    return o->leaves++;
}

static uint32_t new_inner(struct mk_order_stat *o)
{
    assert(o->inners < o->inner_room);
    o->inner[o->inners].n = 0;
    return o->inners++;
}

/* The number of the n ascending values that are <= x: a binary search without branches. */
static size_t count_le(const double *a, size_t n, double x)
{
    const double *from = a;
    while (n > 1) {
        size_t half = n / 2;
        from += from[half - 1] <= x ? half : 0;
        n -= half;
    }
    return (size_t)(from - a) + (n == 1 && *from <= x);
}

static size_t count_lt(const double *a, size_t n, double x)
{
    const double *from = a;
    while (n > 1) {
        size_t half = n / 2;
        from += from[half - 1] < x ? half : 0;
        n -= half;
    }
    return (size_t)(from - a) + (n == 1 && *from < x);
}

static double sum_of(const double *a, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i];
    return sum;
}

static bool is_full(const struct mk_order_stat *o, uint32_t node, uint32_t height)
{
    return height ? o->inner[node].n == FAN : o->leaf[node].n == LEAF;
}

/* Moves the upper half of a full node to a new one. Returns it; *low, *count and *sum describe its contents. */
static uint32_t split_node(struct mk_order_stat *o, uint32_t node, uint32_t height, double *low, size_t *count,
                           double *sum)
{
    if (height == 0) {
        uint32_t right = new_leaf(o);
        struct mk_order_leaf *a = &o->leaf[node], *b = &o->leaf[right];
        a->n = LEAF / 2;
        b->n = LEAF - LEAF / 2;
        memcpy(b->x, a->x + a->n, b->n * sizeof *b->x);
        *low = b->x[0];
        *count = b->n;
        *sum = sum_of(b->x, b->n);
        return right;
    }
    uint32_t right = new_inner(o);
    struct mk_order_inner *a = &o->inner[node], *b = &o->inner[right];
    a->n = FAN / 2;
    b->n = FAN - FAN / 2;
    memcpy(b->low, a->low + a->n, b->n * sizeof *b->low);
    memcpy(b->sum, a->sum + a->n, b->n * sizeof *b->sum);
    memcpy(b->count, a->count + a->n, b->n * sizeof *b->count);
    memcpy(b->child, a->child + a->n, b->n * sizeof *b->child);
    *low = b->low[0];
    *count = 0;
    for (size_t i = 0; i < b->n; i++) *count += b->count[i];
    *sum = sum_of(b->sum, b->n);
    return right;
}

/* Splits child i of a node that is not full; child_height is the height of the child. */
static void split_child(struct mk_order_stat *o, struct mk_order_inner *p, size_t i, uint32_t child_height)
{
    double low, sum;
    size_t count;
    uint32_t right = split_node(o, p->child[i], child_height, &low, &count, &sum);
    size_t after = p->n - i - 1;
    memmove(p->low + i + 2, p->low + i + 1, after * sizeof *p->low);
    memmove(p->sum + i + 2, p->sum + i + 1, after * sizeof *p->sum);
    memmove(p->count + i + 2, p->count + i + 1, after * sizeof *p->count);
    memmove(p->child + i + 2, p->child + i + 1, after * sizeof *p->child);
    p->n++;
    p->low[i + 1] = low;
    p->sum[i + 1] = sum;
    p->count[i + 1] = count;
    p->child[i + 1] = right;
    p->count[i] -= count;
    /* Sums are recomputed instead of subtracted: no rounding error is carried from split to split. */
    p->sum[i] = child_height ? sum_of(o->inner[p->child[i]].sum, o->inner[p->child[i]].n)
                             : sum_of(o->leaf[p->child[i]].x, o->leaf[p->child[i]].n);
}

static void grow_root(struct mk_order_stat *o, struct mk_order_set *s)
{
    uint32_t root = new_inner(o);
    struct mk_order_inner *p = &o->inner[root];
    p->n = 1;
    p->child[0] = s->root;
    p->count[0] = s->n;
    p->low[0] = s->height ? o->inner[s->root].low[0] : o->leaf[s->root].x[0];
    split_child(o, p, 0, s->height);
    s->root = root;
    s->height++;
}

void mk_order_stat_insert(struct mk_order_stat *o, size_t set, double x)
{
    struct mk_order_set *s = &o->set[set];
    if (s->n == 0) s->root = new_leaf(o);
    if (is_full(o, s->root, s->height)) grow_root(o, s);
    uint32_t node = s->root;
    for (uint32_t height = s->height; height > 0; height--) {
        struct mk_order_inner *p = &o->inner[node];
        size_t i = count_le(p->low + 1, p->n - 1, x);
        if (is_full(o, p->child[i], height - 1)) {
            split_child(o, p, i, height - 1);
            if (p->low[i + 1] <= x) i++;
        }
        p->count[i]++;
        p->sum[i] += x;
        node = p->child[i];
    }
    struct mk_order_leaf *leaf = &o->leaf[node];
    size_t at = count_le(leaf->x, leaf->n, x);
    memmove(leaf->x + at + 1, leaf->x + at, (leaf->n - at) * sizeof *leaf->x);
    leaf->x[at] = x;
    leaf->n++;
    s->n++;
}

double mk_order_stat_select(const struct mk_order_stat *o, size_t set, size_t k)
{
    const struct mk_order_set *s = &o->set[set];
    assert(k < s->n);
    uint32_t node = s->root;
    for (uint32_t height = s->height; height > 0; height--) {
        const struct mk_order_inner *p = &o->inner[node];
        size_t i = 0;
        while (k >= p->count[i]) k -= p->count[i++];
        node = p->child[i];
    }
    return o->leaf[node].x[k];
}

size_t mk_order_stat_count_ge(const struct mk_order_stat *o, size_t set, double x)
{
    const struct mk_order_set *s = &o->set[set];
    if (s->n == 0) return 0;
    size_t below = 0;
    uint32_t node = s->root;
    for (uint32_t height = s->height; height > 0; height--) {
        const struct mk_order_inner *p = &o->inner[node];
        size_t i = count_lt(p->low + 1, p->n - 1, x);
        for (size_t j = 0; j < i; j++) below += p->count[j];
        node = p->child[i];
    }
    return s->n - below - count_lt(o->leaf[node].x, o->leaf[node].n, x);
}

double mk_order_stat_sum_top(const struct mk_order_stat *o, size_t set, size_t k)
{
    const struct mk_order_set *s = &o->set[set];
    assert(k <= s->n);
    if (k == 0) return 0;
    double sum = 0;
    uint32_t node = s->root;
    for (uint32_t height = s->height; height > 0; height--) {
        const struct mk_order_inner *p = &o->inner[node];
        size_t i = p->n - 1;
        for (; k > p->count[i]; i--) {
            k -= p->count[i];
            sum += p->sum[i];
        }
        node = p->child[i];
    }
    const struct mk_order_leaf *leaf = &o->leaf[node];
    return sum + sum_of(leaf->x + leaf->n - k, k);
}

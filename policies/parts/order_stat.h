/* Order statistics of growing multisets of doubles, one per arm: insert, k-th smallest, number of values >= x, and the
 * sum of the k largest, each O(log n). B+ trees whose nodes come from one pool inside the policy's state block: leaves
 * hold up to MK_ORDER_LEAF sorted values, inner nodes the smallest value, count and sum of each child.
 *
 * Where the wanted rank moves slowly (quantiles, Max-Median) policies/parts/rank_heap.h is several times faster. */
#ifndef MAXK_POLICIES_PARTS_ORDER_STAT_H
#define MAXK_POLICIES_PARTS_ORDER_STAT_H

#include <stddef.h>
#include <stdint.h>

struct mk_order_leaf;
struct mk_order_inner;

/* One multiset; all zero = empty. */
struct mk_order_set {
    size_t n;
    uint32_t root;   /* a leaf when height is 0 */
    uint32_t height; /* levels of inner nodes */
};

/* The pool and the sets. */
struct mk_order_stat {
    struct mk_order_set *set; /* [sets] */
    struct mk_order_leaf *leaf;
    struct mk_order_inner *inner;
    uint32_t leaves, inners; /* in use */
    uint32_t leaf_room, inner_room;
};

/* Bytes of memory for `sets` sets that hold at most `total` values together: about 33 bytes per value at worst and one
 * leaf (520 bytes) for every non-empty set. */
size_t mk_order_stat_bytes(size_t sets, uint64_t total);

/* Make all sets empty. `memory` has mk_order_stat_bytes(sets, total) bytes, aligned for doubles. */
void mk_order_stat_init(struct mk_order_stat *o, void *memory, size_t sets, uint64_t total);

/* x is not NaN. */
void mk_order_stat_insert(struct mk_order_stat *o, size_t set, double x);

/* The k-th smallest, 0 <= k < n. */
double mk_order_stat_select(const struct mk_order_stat *o, size_t set, size_t k);

/* Number of values >= x. */
size_t mk_order_stat_count_ge(const struct mk_order_stat *o, size_t set, double x);

/* Sum of the k largest, 0 <= k <= n. */
double mk_order_stat_sum_top(const struct mk_order_stat *o, size_t set, size_t k);

#endif

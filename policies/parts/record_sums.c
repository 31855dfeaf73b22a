#include "policies/parts/record_sums.h"

#include <string.h>

static struct mk_stretch constant(double y, double pulls)
{
    return (struct mk_stretch){y, y, pulls, 0, 0};
}

static struct mk_stretch join(const struct mk_stretch *left, const struct mk_stretch *right)
{
    const double step = right->first - left->first;
    const double offsets = right->pulls * (left->pulls + 0.5 * (right->pulls - 1));
    return (struct mk_stretch){left->first, right->last, left->pulls + right->pulls,
                               left->sum + (right->sum + right->pulls * step),
                               left->moment + (right->moment + left->pulls * right->sum + offsets * step)};
}

/* The number of records in the block that ends with the j-th one, counted from 1. */
static size_t block_records(size_t j)
{
    return j & (~j + 1);
}

/* The block that ends with the j-th record; the next record has already occurred. */
static struct mk_stretch block(const struct mk_record_sums *a, size_t j)
{
    const struct mk_best_record *first = &a->record[j - block_records(j)], *last = &a->record[j - 1];
    return (struct mk_stretch){first->best, last->best, (double)(last[1].since - first->since), last->sum,
                               last->moment};
}

/* The j-th record alone. */
static struct mk_stretch single(const struct mk_record_sums *a, size_t j)
{
    const struct mk_best_record *r = &a->record[j - 1];
    return constant(r->best, (double)(r[1].since - r->since));
}

/* The record before the last one has ended. */
static void close_block(struct mk_record_sums *a)
{
    const size_t j = a->records - 1;
    if (j == 0) return;
    struct mk_stretch all = single(a, j);
    for (size_t size = 1; size < block_records(j); size *= 2) {
        struct mk_stretch before = block(a, j - size);
        all = join(&before, &all);
    }
    a->record[j - 1].sum = all.sum;
    a->record[j - 1].moment = all.moment;
}

void mk_record_sums_add(struct mk_record_sums *a, struct mk_arena *arena, double reward)
{
    uint64_t n = ++a->n;
    if (a->records && !(reward > a->record[a->records - 1].best)) return;
    if (a->records == a->room)
        a->record = mk_arena_grow(arena, a->record, a->records, &a->room, MK_RECORD_FIRST, sizeof *a->record);
    a->record[a->records++] = (struct mk_best_record){n, reward, 0, 0};
    close_block(a);
}

/* The record (counted from 1) to which pull m belongs. */
static size_t record_of(const struct mk_record_sums *a, uint64_t m)
{
    size_t lo = 1, hi = a->records + 1;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->record[mid - 1].since <= m)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

struct mk_stretch mk_record_sums_over(const struct mk_record_sums *a, uint64_t from, uint64_t to)
{
    const size_t low = record_of(a, from + 1), high = record_of(a, to);
    const struct mk_best_record *r = &a->record[high - 1];
    if (low == high) return constant(r->best, (double)(to - from));
    struct mk_stretch all = constant(r->best, (double)(to + 1 - r->since)), before;
    for (size_t j = high - 1; j > low; j -= block_records(j) <= j - low ? block_records(j) : 1) {
        before = block_records(j) <= j - low ? block(a, j) : single(a, j);
        all = join(&before, &all);
    }
    before = constant(a->record[low - 1].best, (double)(a->record[low].since - (from + 1)));
    return join(&before, &all);
}

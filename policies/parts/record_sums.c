#include "policies/parts/record_sums.h"

#include <string.h>

size_t mk_record_sums_bytes(size_t arms, size_t total)
{
    return sizeof(struct mk_best_record) * mk_arena_elements(arms, total, MK_RECORD_FIRST);
}

/* Of y(s) - y(1) and s (y(s) - y(1)) over s = since … m, all under record r. */
static struct mk_sums up_to(const struct mk_best_record *r, uint64_t m)
{
    double k = (double)(m + 1 - r->since), mid = 0.5 * ((double)r->since + (double)m);
    return (struct mk_sums){r->sum + k * r->best, r->moment + k * mid * r->best};
}

void mk_record_sums_add(struct mk_record_sums *a, struct mk_arena *arena, double reward)
{
    uint64_t n = ++a->n;
    const struct mk_best_record *last = a->records ? &a->record[a->records - 1] : NULL;
    if (!last) a->first = reward;
    if (last && !(reward - a->first > last->best)) return;
    struct mk_sums before = last ? up_to(last, n - 1) : (struct mk_sums){0, 0};
    if (!a->record || a->records == a->room) {
        size_t room = a->room ? 2 * a->room : MK_RECORD_FIRST;
        struct mk_best_record *bigger = mk_arena_take(arena, room * sizeof *bigger);
        if (a->record) memcpy(bigger, a->record, a->records * sizeof *bigger);
        a->record = bigger;
        a->room = room;
    }
    a->record[a->records++] = (struct mk_best_record){n, reward - a->first, before.sum, before.moment};
}

struct mk_sums mk_record_sums_prefix(const struct mk_record_sums *a, uint64_t m)
{
    if (m == 0) return (struct mk_sums){0, 0};
    size_t lo = 0, hi = a->records;
    if (a->record[hi - 1].since <= m) return up_to(&a->record[hi - 1], m);
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (a->record[mid].since <= m)
            lo = mid;
        else
            hi = mid;
    }
    return up_to(&a->record[lo], m);
}

double mk_window_mean(const struct mk_record_sums *a, uint64_t h, enum mk_window window)
{
    const uint64_t m = a->n - h - 1;
    if (window == MK_WINDOW_PUBLISHED) return a->first + mk_record_sums_prefix(a, m).sum / (double)m;
    return a->first + (mk_record_sums_prefix(a, a->n).sum - mk_record_sums_prefix(a, a->n - h).sum) / (double)h;
}

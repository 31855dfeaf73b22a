#include "policies/parts/rank_heap.h"

#include <math.h>

#include "sim/base/pcg64.h"

/* After recentring, a window holds at most KEEP values below the k-th largest and REACH from it upwards, which leaves
 * room for more; a flank shorter than LEAST is refilled. */
enum { KEEP = 10, REACH = 12, LEAST = 4 };
_Static_assert(KEEP + REACH < MK_RANK_WINDOW, "a recentred window has room");

static void keep(struct mk_undo *undo, double *a, size_t n)
{
    if (__builtin_expect(undo != NULL, 0) && n) mk_undo_keep(undo, a, n * sizeof *a);
}

/* Puts x at or above position j, a hole, of the heap with top end[0], then end[-1], … */
static void heap_up(double *end, size_t j, double x, struct mk_undo *undo)
{
    while (j > 0) {
        size_t parent = (j - 1) / 2;
        double p = end[-(ptrdiff_t)parent];
        if (!(x < p)) break;
        keep(undo, end - j, 1);
        end[-(ptrdiff_t)j] = p;
        j = parent;
    }
    keep(undo, end - j, 1);
    end[-(ptrdiff_t)j] = x;
}

/* Puts x at or below position j, a hole, of a heap of n. */
static void heap_down(double *end, size_t n, size_t j, double x, struct mk_undo *undo)
{
    for (size_t child = 2 * j + 1; child < n; child = 2 * j + 1) {
        double c = end[-(ptrdiff_t)child];
        if (child + 1 < n) {
            double other = end[-(ptrdiff_t)(child + 1)];
            int second = other < c;
            child += (size_t)second;
            c = second ? other : c;
        }
        if (!(c < x)) break;
        keep(undo, end - j, 1);
        end[-(ptrdiff_t)j] = c;
        j = child;
    }
    keep(undo, end - j, 1);
    end[-(ptrdiff_t)j] = x;
}

static double *side_end(const struct mk_rank_side *s)
{
    return s->a + s->room - 1;
}

static size_t side_size(const struct mk_rank_side *s)
{
    return s->pile + s->heap;
}

/* Partitions a[lo … hi]: values above the pivot (or equal to it) come first; returns where the others begin. Without a
 * branch on values, which would be unpredictable. */
static size_t above_first(double *a, size_t lo, size_t hi, double pivot, int or_equal)
{
    size_t rest = lo;
    for (size_t i = lo; i <= hi; i++) {
        const double v = a[i];
        a[i] = a[rest];
        a[rest] = v;
        rest += or_equal ? v >= pivot : v > pivot;
    }
    return rest;
}

/* Orders a[0 … n-1] so that a[k … n-1] are its n - k smallest, 0 < k < n (quickselect, Hoare 1961). Pivots come from a
 * fixed multiplicative sequence: no order of rewards is systematically bad. */
static void smallest_last(double *a, size_t n, size_t k)
{
    size_t lo = 0, hi = n - 1;
    uint64_t x = 0x9e3779b97f4a7c15ULL;
    while (lo < hi) {
        x = x * 6364136223846793005ULL + 1442695040888963407ULL;
        const double pivot = a[lo + (size_t)((mk_u128)x * (hi - lo + 1) >> 64)];
        size_t rest = above_first(a, lo, hi, pivot, 0);
        if (rest == lo) { /* the pivot is the largest: those equal to it */
            rest = above_first(a, lo, hi, pivot, 1);
            if (k <= rest) return;
        }
        if (k < rest)
            hi = rest - 1;
        else if (k > rest)
            lo = rest;
        else
            return;
    }
}

/* The nearest 32nd of the pile becomes the heap, which is empty. (An eighth costs max_median and the quantile policies
 * 2 to 10 % more at T = 2000 and 10^5.) */
static void refill(struct mk_rank_side *s, struct mk_undo *undo)
{
    keep(undo, s->a, s->pile);
    size_t take = s->pile / 32 < MK_RANK_HEAP_FIRST ? MK_RANK_HEAP_FIRST : s->pile / 32;
    if (take >= s->pile)
        take = s->pile;
    else
        smallest_last(s->a, s->pile, s->pile - take);
    s->pile -= take;
    s->heap = take;
    keep(undo, s->a + s->room - take, take);
    memmove(s->a + s->room - take, s->a + s->pile, take * sizeof *s->a);
    double *end = side_end(s);
    s->bound = -INFINITY;
    for (size_t j = 0; j < take; j++) s->bound = fmax(s->bound, end[-(ptrdiff_t)j]);
    for (size_t j = take / 2; j-- > 0;) heap_down(end, take, j, end[-(ptrdiff_t)j], NULL);
}

/* Puts everything into the pile. */
static void flatten(struct mk_rank_side *s)
{
    if (s->room == 0) return;
    memmove(s->a + s->pile, s->a + s->room - s->heap, s->heap * sizeof *s->a);
    s->pile += s->heap;
    s->heap = 0;
}

/* Growing costs O(n) anyway: a heap that holds much of the side is cut back to the nearest 32nd. */
static void grow(struct mk_rank_side *s, struct mk_arena *arena)
{
    size_t room = s->room ? 2 * s->room : MK_RANK_HEAP_FIRST;
    double *a = mk_arena_take(arena, room * sizeof *a);
    int cut = s->heap > s->room / 3;
    if (s->room) {
        memcpy(a, s->a, s->pile * sizeof *a);
        memcpy(a + room - s->heap, s->a + s->room - s->heap, s->heap * sizeof *a);
    }
    s->a = a;
    s->room = room;
    if (!cut) return;
    flatten(s);
    refill(s, NULL); /* the array is new */
}

void mk_rank_side_push_slowly(struct mk_rank_side *s, struct mk_arena *arena, double key)
{
    if (side_size(s) == s->room) grow(s, arena);
    if (s->heap && key >= s->bound) {
        keep(arena->undo, s->a + s->pile, 1);
        s->a[s->pile++] = key;
    } else {
        if (s->heap == 0) s->bound = key; /* the side was empty */
        heap_up(side_end(s), s->heap++, key, arena->undo);
    }
}

static double pop(struct mk_rank_side *s, struct mk_undo *undo)
{
    double *end = side_end(s), top = *end;
    s->heap--;
    if (s->heap)
        heap_down(end, s->heap, 0, end[-(ptrdiff_t)s->heap], undo);
    else if (s->pile)
        refill(s, undo);
    return top;
}

/* Moves the `count` lowest of the window to the low side. */
static void drop_low(struct mk_rank_heap *h, size_t count)
{
    for (size_t i = count; i-- > 0;) mk_rank_side_push(&h->low, h->arena, -h->window[i]);
    memmove(h->window, h->window + count, (h->width - count) * sizeof *h->window);
    h->width -= count;
    h->at -= (ptrdiff_t)count;
}

static size_t min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Brings the k-th largest, which may lie up to REACH outside, well into the window, and makes room in it. */
void mk_rank_heap_recentre(struct mk_rank_heap *h)
{
    if (h->at > KEEP) drop_low(h, min((size_t)h->at - KEEP, h->width));
    while (h->width > 0 && (ptrdiff_t)h->width - h->at > REACH)
        mk_rank_side_push(&h->high, h->arena, h->window[--h->width]);
    if (h->at < LEAST) {
        size_t take = min((size_t)(KEEP - h->at), side_size(&h->low));
        memmove(h->window + take, h->window, h->width * sizeof *h->window);
        for (size_t i = take; i-- > 0;) h->window[i] = -pop(&h->low, h->arena->undo);
        h->width += take;
        h->at += (ptrdiff_t)take;
    }
    if ((ptrdiff_t)h->width - h->at < LEAST) {
        size_t want = (size_t)(KEEP - ((ptrdiff_t)h->width - h->at)), take = min(want, side_size(&h->high));
        for (size_t i = 0; i < take; i++) h->window[h->width++] = pop(&h->high, h->arena->undo);
    }
}

/* Moves the `count` smallest keys of `from` to the other side at once. */
static void move_many(struct mk_rank_side *from, struct mk_rank_side *to, struct mk_arena *arena, size_t count)
{
    keep(arena->undo, from->a, from->room);
    keep(arena->undo, to->a, to->room);
    flatten(from);
    if (count < from->pile) smallest_last(from->a, from->pile, from->pile - count);
    while (to->room < side_size(to) + count) grow(to, arena);
    flatten(to);
    from->pile -= count;
    for (size_t i = 0; i < count; i++) to->a[to->pile + i] = -from->a[from->pile + i];
    to->pile += count;
    if (from->pile) refill(from, arena->undo);
    refill(to, arena->undo);
}

/* k leaves the window by `count` > 0 values: these and everything in the window move from one side to the other. */
static void leave_window(struct mk_rank_heap *h, int up, size_t count)
{
    if (up)
        drop_low(h, h->width);
    else
        while (h->width > 0) mk_rank_side_push(&h->high, h->arena, h->window[--h->width]);
    move_many(up ? &h->high : &h->low, up ? &h->low : &h->high, h->arena, count);
    h->at = 0;
}

/* The k-th largest moves up by `left` places. */
static void move(struct mk_rank_heap *h, ptrdiff_t left)
{
    while (left != 0) {
        ptrdiff_t to = h->at + left, above = to - (ptrdiff_t)h->width;
        size_t outside = above > 0 ? (size_t)above : to < 0 ? (size_t)-to : 0;
        if (outside > REACH && outside > h->n / 8) {
            leave_window(h, above > 0, outside);
            left = 0;
        } else {
            ptrdiff_t step = above > REACH ? (ptrdiff_t)h->width + REACH - h->at : to < -REACH ? -REACH - h->at : left;
            h->at += step;
            left -= step;
        }
        if (h->at < 0 || (size_t)h->at >= h->width) mk_rank_heap_recentre(h);
    }
}

void mk_rank_heap_set(struct mk_rank_heap *h, size_t k)
{
    ptrdiff_t left = (ptrdiff_t)h->upper - (ptrdiff_t)k;
    h->upper = k;
    move(h, left);
}

static size_t side_left(const struct mk_rank_side *s)
{
    return s->heap ? s->room - side_size(s) : 0;
}

/* The number of places by which k can rise within the window before the k-th largest of the current values falls to
 * `floor`. */
static uint64_t rises_above(const struct mk_rank_heap *h, double floor)
{
    ptrdiff_t lowest = h->at;
    while (lowest > 0 && h->window[lowest - 1] > floor) lowest--;
    return (uint64_t)(h->at - lowest);
}

/* Most values only join a pile, which takes no branch on their size; the others are inserted after them one by one. The
 * order does not matter as long as the k-th largest of the values before, for the k after, is above the floor. */
static void insert_block(struct mk_rank_heap *h, const double *x, size_t count, size_t rises)
{
    const double high_bound = h->high.bound, low_bound = h->low.bound;
    double *above = h->high.a + h->high.pile, *below = h->low.a + h->low.pile, other[MK_RANK_BLOCK];
    size_t others = 0;
    for (size_t i = 0; i < count; i++) {
        const double v = x[i];
        const int high = v >= high_bound, low = (!high) & (-v >= low_bound);
        *above = v;
        above += high;
        *below = -v;
        below += low;
        other[others] = v;
        others += (size_t)(1 - high - low);
    }
    ptrdiff_t up = above - h->high.a - (ptrdiff_t)h->high.pile;
    h->high.pile += (size_t)up;
    h->low.pile = (size_t)(below - h->low.a);
    h->n += count - others;
    /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the loop above has set the first `others` */
    for (size_t i = 0; i < others; i++) mk_rank_heap_insert(h, h->arena, other[i], 0);
    h->upper += rises;
    move(h, up - (ptrdiff_t)rises);
}

uint64_t mk_rank_heap_insert_many(struct mk_rank_heap *h, struct mk_arena *arena, const double *x, uint64_t count,
                                  uint64_t per_rise, double floor)
{
    uint64_t done = 0;
    h->arena = arena;
    do {
        uint64_t same = h->upper * per_rise - h->n; /* further values before k rises */
        uint64_t max = min(min(side_left(&h->high), side_left(&h->low)), count - done);
        max = min(min(max, same + rises_above(h, floor) * per_rise), MK_RANK_BLOCK);
        if (max) {
            insert_block(h, x + done, max, max > same ? 1 + (max - 1 - same) / per_rise : 0);
            done += max;
        } else {
            mk_rank_heap_insert(h, arena, x[done++], same == 0);
        }
    } while (done < count && mk_rank_heap_kth(h) > floor);
    return done;
}

#include "sim/run/tape/record_tape.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"

/* Where the chain ends, see the head of record_tape.h. */
static const double least_tail = 1e-300;

static const struct mk_record never = {MK_RECORD_NEVER, NAN, 0};

double mk_uniform_dense(struct mk_pcg64 *g)
{
    uint64_t output = mk_pcg64_next(g), k = output >> 11;
    if (k >= UINT64_C(1) << 32) return mk_uniform_from(output);
    return ((double)k + mk_uniform_dense(g)) * 0x1p-53;
}

double mk_record_wait(struct mk_pcg64 *g, double s)
{
    return floor(log1p(-mk_uniform_dense(g)) / log1p(-s)) + 1;
}

/* Its first member. */
static struct mk_record_tape *tape_of(struct mk_records *records)
{
    return (struct mk_record_tape *)records;
}

void mk_record_tape_free(struct mk_record_tape *tape)
{
    if (!tape) return;
    for (size_t k = 0; tape->arm && k < tape->unit->problem->n_arms; k++) {
        free(tape->arm[k].high.at);
        free(tape->arm[k].low.at);
    }
    free(tape->arm);
    free(tape);
}

/* Points at the data of one arm, or at its stream. */
static void open_arm(struct mk_record_tape *tape, size_t k, struct mk_key key)
{
    const struct mk_reward_tape *unit = tape->unit;
    const struct mk_problem *p = unit->problem;
    struct mk_record_arm *a = &tape->arm[k];
    a->high.count = a->low.count = 0;
    a->floor = (struct mk_record_floor){0, 0};
    a->reward = NULL;
    a->length = UINT64_MAX;
    if (p->source->recorded) {
        const struct mk_series *series = mk_problem_series(p, unit->instance, k, unit->replication);
        uint64_t skip = tape->records.skipped < series->length ? tape->records.skipped : series->length;
        a->reward = series->reward + skip;
        a->length = series->length - skip;
    } else {
        mk_pcg64_from_key(&a->high.rng, mk_key_word(key, k));
    }
}

void mk_record_tape_seek(struct mk_record_tape *tape)
{
    struct mk_key key = mk_key_text(mk_reward_tape_key(tape->unit), "records");
    tape->records.failed = 0;
    tape->records.skipped = 0;
    for (size_t k = 0; k < tape->unit->problem->instance[tape->unit->instance].n_arms; k++) open_arm(tape, k, key);
}

/* Where rewards are drawn, records after any number of pulls are the same; from data they are read again. */
static void skip(struct mk_records *records, uint64_t n)
{
    struct mk_record_tape *tape = tape_of(records);
    const struct mk_problem *p = tape->unit->problem;
    if (n == tape->records.skipped) return;
    tape->records.skipped = n;
    if (!p->source->recorded) return;
    for (size_t k = 0; k < p->instance[tape->unit->instance].n_arms; k++) open_arm(tape, k, mk_key_start());
}

void mk_record_tape_floor(struct mk_record_tape *tape, size_t k, uint64_t n, double s)
{
    tape->arm[k].floor = (struct mk_record_floor){n, s};
}

/* Stores a record, or the end of the list for one that lies past the last pull. */
static bool push(struct mk_record_tape *tape, struct mk_record_list *list, struct mk_record record)
{
    if (list->count == list->room) {
        if (!MK_GROW(list->at, list->room, 1)) {
            tape->records.failed = 1;
            return false;
        }
        list->room++;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is room there is memory */
    list->at[list->count++] = record.n <= MK_RECORD_LAST ? record : never;
    return true;
}

/* The pull after `from` at which an event of probability p per pull happens first. */
static uint64_t event_after(struct mk_pcg64 *g, uint64_t from, double p)
{
    if (!(p > least_tail)) return MK_RECORD_NEVER;
    double wait = mk_record_wait(g, p);
    return wait <= (double)(MK_RECORD_LAST - from) ? from + (uint64_t)wait : MK_RECORD_NEVER;
}

/* The pull at which the maximum after pull r->n, with survival position r->s, rises next, and the smallest position to
 * which it can rise. */
static uint64_t rise_after(struct mk_pcg64 *g, const struct mk_record *r, struct mk_record_floor floor, double *least)
{
    uint64_t n = r->n;
    *least = 0;
    if (n < floor.n) {
        *least = floor.s;
        if (r->s == 1) return n + 1;
        n = event_after(g, n, (r->s - floor.s) / (1 - floor.s));
        if (n <= floor.n) return n;
        *least = 0;
        n = floor.n;
    }
    return r->s < 1 ? event_after(g, n, r->s) : n + 1;
}

/* The next record after `last` (NULL: the first reward). Rises too small for a double to represent are skipped. */
static struct mk_record draw_high(const struct mk_dist *d, struct mk_pcg64 *g, const struct mk_record *last,
                                  struct mk_record_floor floor)
{
    struct mk_record r = last ? *last : (struct mk_record){0, -INFINITY, 1};
    double x = r.x, lo, hi, least;
    mk_dist_support(d, &lo, &hi);
    do {
        if (r.x == hi) return never;
        r.n = rise_after(g, &r, floor, &least);
        if (r.n == MK_RECORD_NEVER) return never;
        double u = least + (r.s - least) * mk_uniform_dense(g);
        r.x = d->type->inverse(d, u, 1 - u);
        double above = mk_dist_above(d, r.x);
        r.s = d->type->above && above < mk_dist_survival(d, r.x) ? above : u;
    } while (last && !(r.x > x));
    return r;
}

static struct mk_record read_high(const struct mk_record_arm *a, const struct mk_record *last)
{
    for (uint64_t n = last ? last->n : 0; n < a->length; n++)
        if (!last || a->reward[n] > last->x) return (struct mk_record){n + 1, a->reward[n], NAN};
    return never;
}

static const struct mk_record *high(struct mk_records *records, size_t k, size_t i)
{
    struct mk_record_tape *tape = tape_of(records);
    struct mk_record_arm *a = &tape->arm[k];
    struct mk_record_list *list = &a->high;
    while (list->count <= i) {
        const struct mk_record *last = list->count ? &list->at[list->count - 1] : NULL;
        if (last && last->n == MK_RECORD_NEVER) return last;
        struct mk_record next =
            a->reward ? read_high(a, last) : draw_high(tape->unit->problem->dist[k], &list->rng, last, a->floor);
        if (!push(tape, list, next)) return &never;
    }
    return &list->at[i];
}

/* P(X < x) for a value drawn at the position v of the lower tail. */
static double below(const struct mk_dist *d, double x, double v)
{
    if (!d->type->above) return v;
    double at_least = mk_dist_survival(d, x);
    return mk_dist_above(d, x) < at_least ? 1 - at_least : v;
}

/* The first reward is a low record too. */
static struct mk_record first_low(struct mk_record_tape *tape, size_t k)
{
    const struct mk_record *high = mk_record_high(tape, k, 0);
    struct mk_record r = {high->n, high->x, NAN};
    if (high->n == MK_RECORD_NEVER || tape->arm[k].reward) return r;
    struct mk_key key = mk_key_text(mk_reward_tape_key(tape->unit), "low records");
    mk_pcg64_from_key(&tape->arm[k].low.rng, mk_key_word(key, k));
    r.s = below(tape->unit->problem->dist[k], high->x, 1 - high->s);
    return r;
}

static struct mk_record draw_low(struct mk_record_tape *tape, size_t k, struct mk_record r)
{
    const struct mk_dist *d = tape->unit->problem->dist[k];
    struct mk_pcg64 *g = &tape->arm[k].low.rng;
    size_t i = 0;
    double x = r.x;
    do {
        for (;;) { /* the wait restarts at every high record, which is not a fall */
            while (mk_record_high(tape, k, i + 1)->n <= r.n) i++;
            struct mk_record high = *mk_record_high(tape, k, i), next = *mk_record_high(tape, k, i + 1);
            double p = r.s / (1 - high.s);
            uint64_t n = event_after(g, r.n, p < 1 ? p : 1);
            if (n < next.n) {
                r.n = n;
                break;
            }
            if (next.n == MK_RECORD_NEVER) return never;
            r.n = next.n;
        }
        double v = r.s * mk_uniform_dense(g);
        r.x = d->type->inverse(d, 1 - v, v);
        r.s = below(d, r.x, v);
    } while (!(r.x < x));
    return r;
}

static struct mk_record read_low(const struct mk_record_arm *a, const struct mk_record *last)
{
    for (uint64_t n = last->n; n < a->length; n++)
        if (a->reward[n] < last->x) return (struct mk_record){n + 1, a->reward[n], NAN};
    return never;
}

static const struct mk_record *low(struct mk_records *records, size_t k, size_t i)
{
    struct mk_record_tape *tape = tape_of(records);
    struct mk_record_arm *a = &tape->arm[k];
    struct mk_record_list *list = &a->low;
    while (list->count <= i) {
        const struct mk_record *last = list->count ? &list->at[list->count - 1] : NULL;
        if (last && last->n == MK_RECORD_NEVER) return last;
        struct mk_record next = !last ? first_low(tape, k) : a->reward ? read_low(a, last) : draw_low(tape, k, *last);
        if (!push(tape, list, next)) return &never;
    }
    return &list->at[i];
}

static uint64_t length(const struct mk_records *records, size_t k)
{
    return ((const struct mk_record_tape *)records)->arm[k].length;
}

static double single_reward(struct mk_records *records, size_t k, uint64_t n)
{
    return mk_reward_tape_reward(tape_of(records)->unit, k, n);
}

int mk_record_tape_new(struct mk_record_tape **out, struct mk_reward_tape *unit, struct mk_error *err)
{
    struct mk_record_tape *tape = calloc(1, sizeof *tape);
    if (tape) {
        tape->records =
            (struct mk_records){.high = high, .low = low, .length = length, .skip = skip, .reward = single_reward};
        tape->unit = unit;
        tape->arm = calloc(unit->problem->n_arms, sizeof *tape->arm);
    }
    if (!tape || !tape->arm) {
        mk_record_tape_free(tape);
        return mk_fail_memory(err, "the record tape");
    }
    *out = tape;
    return MK_OK;
}

/* Recorded runs that are larger than the memory set aside for them. While the file is read every series collects its
 * most recent rewards in memory; when all of them together exceed the limit they go to a temporary file
 * (sim/base/scratch_file.h), one stretch per series. At the end a series of one stretch is used where it lies, and the
 * others are put together in the same file. Files whose rows are ordered by series have one stretch each. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/problem/trajectory_rows.h"

enum { RELEASE_EVERY = 1 << 23 };

static int add_part(struct mk_gathered *s, struct mk_scratch_part part, struct mk_error *err)
{
    struct mk_scratch_part *last = s->n_parts ? &s->part[s->n_parts - 1] : NULL;
    if (last && last->at + last->n == part.at) {
        last->n += part.n;
        return MK_OK;
    }
    if (!MK_GROW(s->part, s->n_parts, 1)) return mk_fail_memory(err, "recorded rewards");
    s->part[s->n_parts++] = part;
    return MK_OK;
}

static int spill_series(struct mk_rows *rows, struct mk_gathered *s, struct mk_error *err)
{
    struct mk_scratch_part part = {.n = s->held};
    uint64_t same;
    int code = mk_scratch_append(rows->rewards, s->reward, s->held, &part.at, err);
    if (!code && s->cost) code = mk_scratch_append(rows->costs, s->cost, s->held, &same, err);
    if (!code) code = add_part(s, part, err);
    free(s->reward);
    free(s->cost);
    s->reward = s->cost = NULL;
    s->held = s->room = 0;
    return code;
}

int mk_rows_to_scratch(struct mk_rows *rows, double share, struct mk_error *err)
{
    int code = MK_OK;
    if (!rows->rewards) {
        double bytes = share > 0 ? (double)rows->taken * sizeof(double) / share : NAN;
        code = mk_scratch_new(&rows->rewards, rows->has_costs ? 2 * bytes : bytes, err);
        if (!code && rows->has_costs) code = mk_scratch_new(&rows->costs, bytes, err);
    }
    for (size_t i = 0; i < rows->n && !code; i++)
        if (rows->series[i].held) code = spill_series(rows, &rows->series[i], err);
    rows->bytes = 0;
    return code;
}

/* The stretches of a series one after another. */
static double *join(const struct mk_gathered *s, const double *from, double *to)
{
    for (size_t i = 0; i < s->n_parts; i++) {
        memcpy(to, from + s->part[i].at, s->part[i].n * sizeof *to);
        mk_scratch_release(from + s->part[i].at, s->part[i].n);
        to += s->part[i].n;
    }
    return to;
}

/* reward[] or cost[] of every series, in the mapping of one file. */
static int place(struct mk_rows *rows, struct mk_scratch *spill, int costs, struct mk_error *err)
{
    double *all = NULL, *to = NULL;
    size_t scattered = 0;
    int code = mk_scratch_map(spill, &all, err);
    for (size_t i = 0; i < rows->n; i++) scattered += rows->series[i].n_parts > 1 ? rows->series[i].n : 0;
    if (!code && scattered) code = mk_scratch_alloc(spill, scattered, &to, err);
    const double *kept = to;
    for (size_t i = 0; i < rows->n && !code; i++) {
        struct mk_gathered *s = &rows->series[i];
        double *at = s->n_parts == 1 ? all + s->part[0].at : to;
        if (!s->n_parts) continue;
        if (s->n_parts > 1) {
            assert(to);
            to = join(s, all, to);
        }
        if (to - kept > RELEASE_EVERY) {
            mk_scratch_release(kept, (size_t)(to - kept));
            kept = to;
        }
        *(costs ? &s->cost : &s->reward) = at;
        s->mapped = 1;
    }
    if (to > kept) mk_scratch_release(kept, (size_t)(to - kept));
    return code;
}

int mk_rows_join(struct mk_rows *rows, struct mk_error *err)
{
    if (!rows->rewards) return MK_OK;
    int code = mk_rows_to_scratch(rows, NAN, err);
    if (!code) code = place(rows, rows->rewards, 0, err);
    return code || !rows->costs ? code : place(rows, rows->costs, 1, err);
}

void mk_gathered_clear(struct mk_gathered *s)
{
    if (!s->mapped) {
        free(s->reward);
        free(s->cost);
    }
    free(s->loose);
    free(s->part);
    *s = (struct mk_gathered){0};
}

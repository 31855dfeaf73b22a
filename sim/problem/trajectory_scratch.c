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
    int code = mk_scratch_append(rows->spill[MK_VALUE_REWARD], s->value[MK_VALUE_REWARD], s->held, &part.at, err);
    for (size_t v = MK_VALUE_REWARD + 1; v < MK_VALUES && !code; v++)
        if (rows->has[v]) code = mk_scratch_append(rows->spill[v], s->value[v], s->held, &same, err);
    if (!code) code = add_part(s, part, err);
    for (size_t v = 0; v < MK_VALUES; v++) {
        free(s->value[v]);
        s->value[v] = NULL;
    }
    s->held = s->room = 0;
    return code;
}

int mk_rows_to_scratch(struct mk_rows *rows, double share, struct mk_error *err)
{
    int code = MK_OK;
    const double bytes = share > 0 ? (double)rows->taken * sizeof(double) / share : NAN;
    double files = 0; /* the first is asked whether there is room for all */
    for (size_t v = 0; v < MK_VALUES; v++) files += rows->has[v];
    for (size_t v = 0; v < MK_VALUES && !code; v++)
        if (rows->has[v] && !rows->spill[v])
            code = mk_scratch_new(&rows->spill[v], v == MK_VALUE_REWARD ? files * bytes : bytes, err);
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

/* The values of one kind of every series, in the mapping of their file. */
static int place(struct mk_rows *rows, size_t kind, struct mk_error *err)
{
    struct mk_scratch *spill = rows->spill[kind];
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
        s->value[kind] = at;
        s->mapped = 1;
    }
    if (to > kept) mk_scratch_release(kept, (size_t)(to - kept));
    return code;
}

int mk_rows_join(struct mk_rows *rows, struct mk_error *err)
{
    if (!rows->spill[MK_VALUE_REWARD]) return MK_OK;
    int code = mk_rows_to_scratch(rows, NAN, err);
    for (size_t v = 0; v < MK_VALUES && !code; v++)
        if (rows->spill[v]) code = place(rows, v, err);
    return code;
}

void mk_gathered_clear(struct mk_gathered *s)
{
    for (size_t v = 0; v < MK_VALUES && !s->mapped; v++) free(s->value[v]);
    free(s->loose);
    free(s->part);
    *s = (struct mk_gathered){0};
}

#include "analysis/arms/moving.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/dist.h"
#include "sim/base/error.h"

static const uint64_t first_single =
    256; /* pulls of a curve that count one by one, then 32 stretches to each doubling */

static struct mk_moving_arm *arm_of(const struct mk_moving *m)
{
    return (struct mk_moving_arm *)((char *)m - offsetof(struct mk_moving_arm, moving));
}

/* ---- curves ---- */

/* -log P(clip(f(u) + noise) <= x). */
static double curve_rate(const struct mk_moving_arm *a, uint64_t u, double x, enum mk_side side)
{
    const struct mk_process *p = a->process;
    const double mean = mk_process_mean(p, u), at = x + (side == MK_FROM_ABOVE ? a->moving.step : -a->moving.step);
    if (at >= p->clip_hi) return 0;
    if (at < p->clip_lo) return INFINITY;
    if (!a->noise) return at >= mean ? 0 : INFINITY;
    return mk_cdf_rate(&(struct mk_known_cdf){.dist = a->noise}, at - mean, side);
}

/* Within a piece the curve does not fall, so that the rate does not fall with the pull. */
static double curve_rates(const struct mk_moving *m, double x, uint64_t after, uint64_t last, enum mk_side side)
{
    const struct mk_moving_arm *a = arm_of(m);
    const struct mk_process *p = a->process;
    double sum = 0;
    size_t piece = 0;
    for (uint64_t u = after + 1, end; u <= last && !isinf(sum); u = end + 1) {
        end = u < first_single ? u : u + u / 32;
        while (piece < p->n_pieces && p->piece[piece].at <= u) piece++;
        if (piece < p->n_pieces && end >= p->piece[piece].at) end = p->piece[piece].at - 1;
        if (end > last) end = last;
        sum += (double)(end - u + 1) * curve_rate(a, side == MK_FROM_ABOVE ? u : end, x, side);
    }
    return sum;
}

/* ---- drifts ---- */

static double drift_rates(const struct mk_moving *m, double x, uint64_t after, uint64_t last, enum mk_side side)
{
    const struct mk_moving_arm *a = arm_of(m);
    double sum = 0;
    for (uint64_t u = after + 1; u <= last && u < a->n; u++)
        sum += mk_cdf_rate(&(struct mk_known_cdf){.dist = a->dist[u - 1]}, x, side);
    if (last < a->n) return sum;
    const double same = (double)(last - (after < a->n ? a->n - 1 : after));
    return sum + same * mk_cdf_rate(&(struct mk_known_cdf){.dist = a->dist[a->n - 1]}, x, side);
}

/* Whether the text says all: of a plugin's family it does not. */
static bool is_built_in(const struct mk_dist *d)
{
    return mk_dist_type_find(d->type->name) == d->type && (d->n_parts == 0 || is_built_in(d->part[0]));
}

static int start_drift(struct mk_moving_arm *a, struct mk_error *err)
{
    const struct mk_process *p = a->process;
    if (p->over > MK_MOVING_LONGEST)
        return mk_fail(err, MK_EINPUT, "processes: over: expected at most %d pulls for certified bounds, got %" PRIu64,
                       MK_MOVING_LONGEST, p->over);
    a->moving.rates = drift_rates;
    a->dist = calloc(p->over + 1, sizeof *a->dist);
    if (!a->dist) return mk_fail_memory(err, "arms");
    a->moving.lasting = is_built_in(p->start);
    for (; a->n <= p->over; a->n++) {
        a->dist[a->n] = mk_process_distribution(p, a->n + 1);
        if (!a->dist[a->n]) return mk_fail_memory(err, "arms");
        a->moving.step = fmax(a->moving.step, mk_dist_resolution(a->dist[a->n]));
    }
    return MK_OK;
}

static int start_curve(struct mk_moving_arm *a, struct mk_error *err)
{
    const struct mk_process *p = a->process;
    double size = 0;
    a->moving.rates = curve_rates;
    a->moving.lasting = true;
    for (size_t i = 0; i < p->n_pieces; i++)
        size = fmax(size, fmax(fabs(p->piece[i].v[MK_PROCESS_CURVE_LOW]), fabs(p->piece[i].v[MK_PROCESS_CURVE_HIGH])));
    a->moving.step = 32 * DBL_EPSILON * size;
    return p->noise > 0 ? mk_dist_make(&a->noise, "gaussian", err, 0.0, p->noise) : MK_OK;
}

int mk_moving_arm_new(struct mk_moving_arm **out, const struct mk_process *process, struct mk_error *err)
{
    struct mk_moving_arm *a = calloc(1, sizeof *a);
    char *text = mk_process_text(process);
    *out = NULL;
    int code = a && text ? MK_OK : mk_fail_memory(err, "arms");
    if (!code) {
        a->process = process;
        a->moving.digest = (struct mk_digest)MK_DIGEST_START;
        mk_digest_add_bytes(&a->moving.digest, text, strlen(text));
        code = mk_process_support(process, &a->moving.low, &a->moving.high, err);
    }
    if (!code) code = process->n_pieces ? start_curve(a, err) : start_drift(a, err);
    free(text);
    if (code) {
        mk_moving_arm_free(a);
        return code;
    }
    *out = a;
    return MK_OK;
}

void mk_moving_arm_free(struct mk_moving_arm *a)
{
    if (!a) return;
    for (size_t k = 0; k < a->n; k++) mk_dist_free(a->dist[k]);
    free(a->dist);
    mk_dist_free(a->noise);
    free(a);
}

/* Two arms: the grids are refined until the bound is as narrow as wanted (certificate_walk.h). */
#include "analysis/theory/certificate_walk.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificate_parts.h"
#include "sim/base/error.h"

enum { MOST_PASSES = 64 };
static const double most_work = 4e5; /* cells of a pass, times the inverse square of the refinement */
static const double least_work = 2e7, last_work = 1e11;
static const double most_cells = 1e8;         /* in memory */
static const double underflow = 1e-280;       /* exceeds what all products lose that are not normal numbers */
static const double growth = 2;               /* of the part that is refined */
static const double loss_share = 0.02;        /* of the accuracy wanted that negligible masses may cost */
static const double fading = 1.2, most = 1.5; /* old ratios of actual to estimated errors are increased by, up to */

bool mk_walk_applies(const struct mk_race *race)
{
    return race->arms == 2 && race->horizon > 2 && !race->arm[0].moving && !race->arm[1].moving &&
           (race->scale == MK_RACE_UNSCALED || (race->before == 0 && mk_race_nonnegative(race)));
}

/* How far the estimates of the parts are to be trusted: what refining took off the bound, relative to what it took off
 * the estimate. */
struct trust {
    double ratio[MK_WALK_PARTS];
    int last; /* the part that was refined, MK_WALK_PARTS: none */
};

/* Returns the part that promises most; *left: the estimated distance from the exact value. */
static int next_part(struct trust *t, const struct mk_walk_result *before, const struct mk_walk_result *now,
                     double *left)
{
    int next = 0;
    double best = -1;
    *left = 0;
    for (int k = 0; k < MK_WALK_PARTS; k++) {
        const double less = k == t->last ? before->error[k] - now->error[k] : 0;
        if (less > 0)
            t->ratio[k] = fmax(0, before->mean - now->mean) / less;
        else
            t->ratio[k] = fmax(t->ratio[k], fmin(most, t->ratio[k] * fading));
        const double own = t->ratio[k] * now->error[k];
        *left += own;
        if (own <= best) continue;
        best = own;
        next = k;
    }
    return t->last = next;
}

/* ---- what the last pass says of the tail ---- */

struct end {
    double value, mass;
};

static int descending(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    return (x->value < y->value) - (x->value > y->value);
}

static int read_tail(struct mk_certified_side *out, const struct mk_walk_grid *g, struct mk_error *err)
{
    const struct mk_walk_counts *own = &g->own_counts, *rival = &g->rival_counts;
    const size_t n = own->n + rival->n;
    struct end *end = malloc(n * sizeof *end);
    out->m = malloc(n * sizeof *out->m);
    out->tail = malloc(n * sizeof *out->tail);
    if (!end || !out->m || !out->tail) {
        free(end);
        return mk_fail_memory(err, "the certificate");
    }
    for (size_t i = 0; i < own->n; i++) end[i] = (struct end){own->at[i], own->ended[i]};
    for (size_t j = 0; j < rival->n; j++) end[own->n + j] = (struct end){g->horizon - rival->at[j], rival->ended[j]};
    qsort(end, n, sizeof *end, descending);
    double above = 0;
    size_t kept = n;
    for (size_t k = 0; k < n; k++) { /* from the last m on */
        if (k == 0 || end[k].value < end[k - 1].value) {
            out->m[--kept] = (uint64_t)end[k].value;
            out->tail[kept] = k == 0 ? 0 : fmin(1, above + underflow); /* N is at most T - 1 */
        }
        above += end[k].mass;
    }
    out->n = n - kept;
    memmove(out->m, out->m + kept, out->n * sizeof *out->m);
    memmove(out->tail, out->tail + kept, out->n * sizeof *out->tail);
    free(end);
    return MK_OK;
}

/* ---- passes ---- */

int mk_walk_above(struct mk_certified_side *out, const struct mk_race *race, size_t arm, double refinement,
                  struct mk_error *err)
{
    const double horizon = (double)race->horizon,
                 limit = fmin(fmax(least_work, most_work / (refinement * refinement)), last_work);
    struct mk_walk_grid g;
    struct mk_walk_ends ends = {0};
    struct mk_walk_result now = {.mean = horizon}, before;
    struct trust trust = {{1, 1, 1, 1}, MK_WALK_PARTS};
    double left = 0, goal = refinement / 2;
    *out = (struct mk_certified_side){.maximum = MK_NO_MAXIMUM, .mean = horizon - 1, .refinement = NAN};
    int code = mk_walk_grid_start(&g, race, arm, err);
    for (int pass = 1; !code; pass++) {
        before = now;
        code = mk_walk_pass(&now, &g, &ends, race, loss_share * goal, err);
        if (code) break;
        out->mean = fmin(out->mean, now.mean);
        g.scale = fmin(out->mean, fmax(1, horizon - out->mean));
        goal = refinement / 2 * g.scale;
        const int next = next_part(&trust, &before, &now, &left);
        if (left <= goal || growth * now.work > limit || growth * now.cells > most_cells || pass == MOST_PASSES) break;
        code = mk_walk_grid_refine(&g, (enum mk_walk_part)next, growth, err);
    }
    if (!code) code = read_tail(out, &g, err);
    if (!code) code = mk_walk_ends_read(&out->maximum, &ends, &g, race, arm, &now.losses, err);
    mk_walk_ends_clear(&ends);
    mk_walk_grid_clear(&g);
    if (code) mk_certified_side_clear(out);
    return code;
}

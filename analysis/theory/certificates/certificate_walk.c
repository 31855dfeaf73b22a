/* Two arms: the grids are refined until the bound is as narrow as wanted (certificate_walk.h). */
#include "analysis/theory/certificates/certificate_walk.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_parts.h"
#include "sim/base/error.h"

enum { MOST_PASSES = 32 };
static const double most_work = 1.7e5; /* cells of a pass, times the inverse square of the refinement */
static const double least_work = 1e8, last_work = 1e11;
static const double least_part_work = 1e7; /* of a part of another race (Theorem 16), which has many walks, */
static const double rough = 1;             /* unless it is to be no finer than this */
static const double least_range_work = 3e7, more_range_work = 1.5; /* the same of Theorem 11; factor of most_work */
static const double least_growth_of_range = 4;                     /* of its first pass, at least */
static const double most_cells = 2e8;                              /* in memory */
static const double most_growth = 30;   /* of the product of all sizes, from one pass to the next */
static const double least_growth = 2;   /* worth another pass */
static const double size_of_work = 1.3; /* the power of the work with which the product of all sizes grows */
static const double small_work = 1e6;   /* all grids are refined until then: coarse ones show too little */
static const double blind_work = 2e5;   /* and until then if no coarser one is worse, but cells leave decisions open */
static const double least_factor = 2;   /* by at least this */
static const double largest_factor = 3; /* for the same reason */
static const double loss_share = 0.02;  /* of the accuracy wanted that negligible masses may cost */
static const double near = 1.2;         /* times the goal: from there it is passed, by the share 1 - past, */
static const double past = 0.8;         /* rather than approached in many passes */
static const double off_by = 0.15; /* share of the improvement predicted up to which errors are not measured anew */
static const double as_predicted = 0.7; /* share of the improvement predicted with which a prediction is trusted */

/* Theorem 11 asks for the probability of the smallest rewards there can be. */
static bool has_known_range(const struct mk_race *race)
{
    for (size_t k = 0; k < race->arms; k++)
        if (race->arm[k].moving || race->arm[k].band > 0) return false;
    return true;
}

bool mk_walk_applies(const struct mk_race *race)
{
    if (race->arms != 2 || race->horizon <= 2) return false;
    if (race->scale == MK_RACE_UNSCALED) return true;
    return race->before == 0 && (race->scale == MK_RACE_BY_LARGEST || has_known_range(race));
}

bool mk_walk_converges(const struct mk_race *race)
{
    return mk_walk_applies(race) && !mk_race_either_sign(race);
}

/* What each part of the grids adds to the mean, by passes in which one part after the other is half as fine: halving it
 * costs as much again. Less than the rounding of masses is nothing. */
static int measure(double error[MK_WALK_PARTS], const struct mk_walk_grid *g, const struct mk_race *race,
                   const struct mk_walk_result *now, double negligible, struct mk_error *err)
{
    struct mk_walk_grid coarse;
    double before = now->mean, factor;
    int code = mk_walk_grid_copy(&coarse, g, err);
    for (int k = 0; !code && k < MK_WALK_PARTS; k++) {
        struct mk_walk_result result;
        error[k] = 0;
        if (k == MK_WALK_SMALLEST && !g->smallest.used) break;
        code = mk_walk_grid_coarsen(&coarse, (enum mk_walk_part)k, &factor, err);
        if (!code) code = mk_walk_pass(&result, &coarse, NULL, race, negligible, err);
        if (code) break;
        const double more = result.mean - before;
        error[k] = factor > 1 && more > now->losses.rounding * g->scale ? more / (factor - 1) : 0;
        before = result.mean;
    }
    mk_walk_grid_clear(&coarse);
    return code;
}

/* By how much each part is refined, with errors that are inversely proportional to that: the parts whose error is above
 * a common level down to it. Returns the growth of the work; *left: what is left of the errors. */
static double factors_of(double factor[MK_WALK_PARTS], const double error[MK_WALK_PARTS], double level, double *left)
{
    double growth = 1;
    *left = 0;
    for (int k = 0; k < MK_WALK_PARTS; k++) {
        factor[k] = fmin(largest_factor, fmax(1, error[k] / level));
        growth *= factor[k];
        *left += error[k] / factor[k];
    }
    return growth;
}

/* For the least growth that reaches the goal, or the most that is allowed. */
static void choose_factors(double factor[MK_WALK_PARTS], const double error[MK_WALK_PARTS], double goal, double max,
                           double *left)
{
    double low = 0, high = 0;
    for (int k = 0; k < MK_WALK_PARTS; k++) high = fmax(high, error[k]);
    for (int step = 0; step < 60; step++) { /* a low level: much work */
        const double level = (low + high) / 2, growth = factors_of(factor, error, level, left);
        *(growth > max || *left < goal ? &low : &high) = level;
    }
    factors_of(factor, error, high, left);
}

static size_t size_of(const struct mk_walk_grid *g)
{
    return g->own.n + g->rival.n + g->own_counts.n + g->rival_counts.n + g->smallest.cells.n;
}

/* By how much the product of all sizes grows in the next pass, if the work can grow by `max` in as few passes as
 * possible. */
static double next_growth(double max)
{
    const double all = pow(max, size_of_work);
    return pow(all, 1 / ceil(log(all) / log(most_growth)));
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

static int read_tail(struct mk_certified_side *out, const struct mk_walk_grid *g, double underflow,
                     struct mk_error *err)
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
    const bool range = race->scale == MK_RACE_BY_RANGE;
    const double horizon = (double)race->horizon, wanted = most_work / (refinement * refinement),
                 least = race->others.last == 0 ? least_work
                         : refinement < rough   ? least_part_work
                                                : 0;
    double limit = fmin(range ? fmax(least_range_work, more_range_work * wanted) : fmax(least, wanted), last_work);
    struct mk_walk_grid g;
    struct mk_walk_ends ends = {0};
    struct mk_walk_result now = {.mean = horizon};
    double error[MK_WALK_PARTS], factor[MK_WALK_PARTS], left = INFINITY, goal = refinement / 2, expected = 0;
    bool finest = false, measured = false;
    *out = (struct mk_certified_side){.maximum = MK_NO_MAXIMUM, .mean = horizon - 1};
    int code = mk_walk_grid_start(&g, race, arm, err);
    for (int pass = 1; !code; pass++) {
        const double before = now.mean;
        code = mk_walk_pass(&now, &g, &ends, race, loss_share * goal, err);
        if (code) break;
        if (range && pass == 1) limit = fmax(limit, least_growth_of_range * now.work);
        out->mean = fmin(out->mean, now.mean);
        g.scale = fmin(out->mean, fmax(1, horizon - out->mean));
        goal = refinement / 2 * g.scale;
        const double max = fmin(limit / now.work, most_cells / now.cells);
        if (max < least_growth || finest || pass == MOST_PASSES) break;
        if (left <= goal && before - now.mean >= as_predicted * expected && now.work >= small_work) break;
        measured = !(measured && fabs(before - now.mean - expected) <= off_by * expected);
        if (measured) code = measure(error, &g, race, &now, loss_share * goal, err);
        for (int k = 0; !measured && k < MK_WALK_PARTS; k++) error[k] /= factor[k];
        double all = 0;
        for (int k = 0; k < MK_WALK_PARTS; k++) all += error[k];
        const bool small = all > 0 ? now.work < small_work : now.work < blind_work && mk_walk_grid_is_open(&g);
        if (code) break;
        if (all <= goal && !small) {
            left = all;
            break;
        }
        choose_factors(factor, error, all < near * goal ? past * goal : goal, next_growth(max), &left);
        expected = all - left;
        const size_t old = size_of(&g);
        for (int k = 0; !code && k < MK_WALK_PARTS; k++) {
            if (small) factor[k] = fmax(least_factor, factor[k]);
            if (factor[k] > 1) code = mk_walk_grid_refine(&g, (enum mk_walk_part)k, factor[k], err);
        }
        finest = size_of(&g) == old;
    }
    out->refinement = left / 2 / out->mean;
    if (!code) code = read_tail(out, &g, now.losses.underflow, err);
    if (!code) code = mk_walk_ends_read(&out->maximum, &ends, &g, race, arm, &now.losses, err);
    mk_walk_ends_clear(&ends);
    mk_walk_grid_clear(&g);
    if (code) mk_certified_side_clear(out);
    return code;
}

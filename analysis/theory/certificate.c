#include "analysis/theory/certificate.h"

#include <omp.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/theory/certificate_parts.h"

enum { MOST_REFINEMENTS = 4 };
static const double lower_share = 4; /* grids of the lower bound are this much coarser */

const double mk_certified_levels[MK_CERTIFIED_QUANTILES] = {0.5, 0.9, 0.99};

/* Arms in descending order of the median of their largest of T rewards; equal ones in their order. */
static void rank_arms(const struct mk_race *race, size_t *rank)
{
    for (size_t k = 0; k < race->arms; k++) {
        double own = mk_race_quantile(race, k, (double)race->horizon, 0.5);
        size_t at = k;
        while (at > 0 && mk_race_quantile(race, rank[at - 1], (double)race->horizon, 0.5) < own) {
            rank[at] = rank[at - 1];
            at--;
        }
        rank[at] = k;
    }
}

/* Takes the smaller of two tails, point by point of the finer one. */
static void keep_tail(struct mk_certified_arm *arm, struct mk_upper_tail *tail)
{
    free(arm->m);
    free(arm->tail);
    arm->n = tail->n;
    arm->m = tail->m;
    arm->tail = tail->tail;
    tail->m = NULL;
    tail->tail = NULL;
}

double mk_certified_tail(const struct mk_certified_arm *arm, uint64_t m)
{
    double tail = m < arm->most ? 1 : 0;
    for (size_t k = 0; k < arm->n && arm->m[k] <= m; k++) tail = fmin(tail, arm->tail[k]);
    return tail;
}

/* What follows from the tail. */
static void read_tail(struct mk_certified_arm *arm, uint64_t horizon)
{
    arm->lock_out = mk_certified_tail(arm, horizon / 2);
    for (size_t q = 0; q < MK_CERTIFIED_QUANTILES; q++) {
        arm->quantile[q] = arm->most;
        for (size_t k = arm->n; k-- > 0;)
            if (arm->tail[k] <= 1 - mk_certified_levels[q]) arm->quantile[q] = arm->m[k];
    }
}

static int bound_above(struct mk_certified_arm *arm, const struct mk_race *race, size_t i, const size_t *rank,
                       double refinement, struct mk_error *err)
{
    double tolerance = 2 * refinement;
    int code = MK_OK;
    arm->most = race->horizon - (uint64_t)race->arms + 1;
    arm->upper = INFINITY;
    arm->refinement = INFINITY;
    for (int k = 0; !code && k < MOST_REFINEMENTS && arm->refinement > refinement; k++) {
        struct mk_upper_tail tail;
        code = mk_upper_tail_new(&tail, race, i, rank, tolerance, err);
        if (code) return code;
        double before = arm->upper;
        arm->upper = fmin(before, tail.mean);
        if (k > 0) arm->refinement = before / arm->upper - 1;
        if (tail.mean <= before) keep_tail(arm, &tail);
        mk_upper_tail_clear(&tail);
        tolerance /= 2;
    }
    arm->upper = fmin(arm->upper, (double)arm->most);
    read_tail(arm, race->horizon);
    return code;
}

static int bound_below(struct mk_certified_arm *arm, const struct mk_race *race, size_t i, const size_t *rank,
                       double tolerance, struct mk_error *err)
{
    struct mk_lower_tail tail;
    int code = mk_lower_tail_new(&tail, race, i, rank, tolerance, err);
    if (code) return code;
    arm->lower = fmin(tail.mean, arm->upper);
    mk_lower_tail_clear(&tail);
    return MK_OK;
}

/* The pulls of all arms are T together. */
static void use_total(struct mk_certificate *c, double horizon)
{
    double lower = 0, upper = 0;
    for (size_t k = 0; k < c->arms; k++) {
        lower += c->arm[k].lower;
        upper += c->arm[k].upper;
    }
    for (size_t k = 0; k < c->arms; k++) {
        struct mk_certified_arm *arm = &c->arm[k];
        double most = horizon - (lower - arm->lower), least = horizon - (upper - arm->upper);
        const double slack = 1e-12 * horizon; /* of the sums */
        if (most + slack < arm->upper) arm->upper = most + slack;
        if (least - slack > arm->lower) arm->lower = least - slack;
    }
}

static struct mk_certificate *certificate_alloc(size_t arms)
{
    struct mk_certificate *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->arms = arms;
    c->arm = calloc(arms, sizeof *c->arm);
    if (c->arm) return c;
    free(c);
    return NULL;
}

/* Both sides of one arm. */
static int bound_arm(struct mk_certificate *c, const struct mk_race *race, size_t i, const size_t *rank,
                     enum mk_certified_sides sides, double refinement, struct mk_error *err)
{
    int code = bound_above(&c->arm[i], race, i, rank, refinement, err);
    c->arm[i].lower = 1;
    if (!code && sides == MK_CERTIFIED_BAND)
        code = bound_below(&c->arm[i], race, i, rank, lower_share * refinement, err);
    return code;
}

/* With many arms, threads share the arms: one barrier in all. With few, they share the points of each arm. */
static int bound_arms(struct mk_certificate *c, const struct mk_race *race, const size_t *rank,
                      enum mk_certified_sides sides, double refinement, struct mk_error *err)
{
    int code = MK_OK;
#pragma omp parallel for schedule(dynamic, 1) if (race->arms >= 2 * (size_t)omp_get_max_threads())
    for (size_t i = 0; i < race->arms; i++) {
        struct mk_error its;
        int its_code = bound_arm(c, race, i, rank, sides, refinement, &its);
        if (!its_code) continue;
#pragma omp critical(mk_certificate_arms)
        {
            code = its_code;
            if (err) *err = its;
        }
    }
    return code;
}

int mk_certificate_new(struct mk_certificate **out, const struct mk_race *race, enum mk_certified_sides sides,
                       double refinement, struct mk_error *err)
{
    struct mk_certificate *c = certificate_alloc(race->arms);
    size_t *rank = malloc(race->arms * sizeof *rank);
    int code = c && rank ? MK_OK : mk_fail_memory(err, "the certificate");
    *out = NULL;
    if (!code) rank_arms(race, rank);
    if (!code) code = bound_arms(c, race, rank, sides, refinement, err);
    free(rank);
    if (code) {
        mk_certificate_free(c);
        return code;
    }
    use_total(c, (double)race->horizon);
    *out = c;
    return MK_OK;
}

int mk_certificate_certain(struct mk_certificate **out, size_t arms, const uint64_t *pulls, uint64_t horizon,
                           struct mk_error *err)
{
    struct mk_certificate *c = certificate_alloc(arms);
    *out = c;
    if (!c) return mk_fail_memory(err, "the certificate");
    for (size_t k = 0; k < arms; k++) {
        c->arm[k].lower = c->arm[k].upper = (double)pulls[k];
        c->arm[k].most = pulls[k];
        read_tail(&c->arm[k], horizon);
    }
    return MK_OK;
}

void mk_certificate_add(struct mk_certificate *c, uint64_t pulls, uint64_t horizon)
{
    for (size_t k = 0; k < c->arms; k++) {
        struct mk_certified_arm *arm = &c->arm[k];
        arm->lower += (double)pulls;
        arm->upper += (double)pulls;
        arm->most += pulls;
        for (size_t l = 0; l < arm->n; l++) arm->m[l] += pulls;
        read_tail(arm, horizon);
    }
}

void mk_certificate_free(struct mk_certificate *c)
{
    if (!c) return;
    for (size_t k = 0; c->arm && k < c->arms; k++) {
        free(c->arm[k].m);
        free(c->arm[k].tail);
    }
    free(c->arm);
    free(c);
}

#include "analysis/theory/certificates/certificate.h"

#include <float.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/theory/certificates/certificate_merge.h"
#include "analysis/theory/certificates/certificate_pair.h"
#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "sim/base/error.h"

enum { MOST_INDICES = 1 << 24 };
static const double lower_share = 4;   /* grids of the lower bound are this much coarser, */
static const double lower_least = 0.1; /* but not coarser than this unless it is asked for */
static const double with_pair = 0.05;  /* the least refinement of the walks of Theorem 16 */
static const double with_walk = 0.02;  /* the refinement of Theorems 1 to 3 where Theorem 6 gives narrower bounds */

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

double mk_certified_tail(const struct mk_certified_arm *arm, uint64_t m)
{
    double tail = m < arm->max ? 1 : 0;
    for (size_t k = 0; k < arm->n && arm->m[k] <= m; k++) tail = fmin(tail, arm->tail[k]);
    return tail;
}

/* What follows from the tail. */
static void read_tail(struct mk_certified_arm *arm, uint64_t horizon)
{
    arm->lock_out = mk_certified_tail(arm, horizon / 2);
    for (size_t q = 0; q < MK_CERTIFIED_QUANTILES; q++) {
        arm->quantile[q] = arm->max;
        for (size_t k = arm->n; k-- > 0;)
            if (arm->tail[k] <= 1 - mk_certified_levels[q]) arm->quantile[q] = arm->m[k];
    }
}

/* ---- one side of one arm ---- */

static void keep_tail(struct mk_certified_side *s, struct mk_upper_tail *tail)
{
    free(s->m);
    free(s->tail);
    s->n = tail->n;
    s->m = tail->m;
    s->tail = tail->tail;
    tail->m = NULL;
    tail->tail = NULL;
}

/* Replaces bounds from above by those of another theorem where these are smaller. */
static int use_other(struct mk_certified_side *s, const struct mk_certified_side *other, struct mk_error *err)
{
    if (other->mean < s->mean) {
        s->mean = other->mean;
        s->by = other->by;
        s->refinement = other->refinement;
    }
    s->maximum = other->maximum;
    return mk_tails_join(s, other, MK_FROM_ABOVE, err);
}

/* Theorem 1 on finer and finer grids, until these change little, or `other`, the bound of another theorem, is smaller
 * by more than that. */
static int refine_tail(struct mk_certified_side *s, const struct mk_race *race, size_t i, const size_t *rank,
                       double first, double refinement, double other, struct mk_error *err)
{
    s->mean = s->refinement = INFINITY;
    s->by = MK_BY_THEOREM_1;
    for (double tolerance = 2 * first;; tolerance /= 2) {
        struct mk_upper_tail tail;
        const int code = mk_upper_tail_new(&tail, race, i, rank, tolerance, err);
        if (code) return code;
        const double before = s->mean;
        s->mean = fmin(before, tail.mean);
        if (isfinite(before)) s->refinement = before / s->mean - 1;
        if (tail.mean <= before) keep_tail(s, &tail);
        mk_upper_tail_clear(&tail);
        if (s->refinement <= refinement || tolerance < refinement / 2 || other * (1 + tolerance) < s->mean)
            return MK_OK;
    }
}

/* Two arms have Theorem 6, and with it the largest reward. */
static bool merges(const struct mk_race *race)
{
    return race->arms > 2 && mk_merge_applies(race);
}

static enum mk_certified_by walk_theorem(const struct mk_race *race)
{
    return race->scale == MK_RACE_BY_RANGE ? MK_BY_THEOREM_11 : MK_BY_THEOREM_6;
}

/* Three arms or more. */
static int bound_above_many(struct mk_certified_side *s, const struct mk_race *race, const struct mk_upper_tail *tails,
                            size_t i, const size_t *rank, double refinement, struct mk_error *err)
{
    const int code = refine_tail(s, race, i, rank, refinement, refinement, INFINITY, err);
    if (code || !tails) return code;
    return mk_pair_narrow(s, race, i, MK_FROM_ABOVE, rank, tails, fmax(with_pair, refinement), err);
}

static int bound_above(struct mk_certified_side *s, const struct mk_race *race, const struct mk_upper_tail *tails,
                       size_t i, const size_t *rank, double refinement, struct mk_error *err)
{
    const bool merge = merges(race);
    if (!merge && !mk_walk_applies(race)) return bound_above_many(s, race, tails, i, rank, refinement, err);
    struct mk_certified_side other;
    int code = merge ? mk_merge_side(&other, race, i, MK_FROM_ABOVE, refinement, err)
                     : mk_walk_above(&other, race, i, refinement, err);
    if (code) return code;
    other.by = merge ? MK_BY_THEOREM_13 : walk_theorem(race);
    if (merge && mk_known_equal(&race->arm[i], &race->arm[0])) /* the store has one side for equal arms */
        code = mk_merge_largest(&other.maximum, race, refinement, err);
    if (!code) code = refine_tail(s, race, i, rank, fmax(with_walk, refinement), refinement, other.mean, err);
    if (!code) code = use_other(s, &other, err);
    mk_certified_side_clear(&other);
    return code;
}

static int bound_above_shared(struct mk_certified_side *s, const struct mk_race *race, size_t i, const size_t *rank,
                              double refinement, struct mk_error *err)
{
    struct mk_upper_tail tail;
    int code = mk_upper_tail_shared(&tail, race, i, rank, refinement, err);
    if (code) return code;
    s->mean = tail.mean;
    s->by = MK_BY_THEOREM_1;
    s->refinement = tail.coarse / tail.mean - 1;
    keep_tail(s, &tail);
    mk_upper_tail_clear(&tail);
    return MK_OK;
}

static int bound_below(struct mk_certified_side *s, const struct mk_race *race, const struct mk_upper_tail *tails,
                       size_t i, const size_t *rank, double refinement, struct mk_error *err)
{
    struct mk_lower_tail tail;
    const bool merge = merges(race);
    const double share = merge || mk_walk_applies(race) ? fmax(with_walk, refinement) : refinement;
    struct mk_certified_side other = MK_NO_SIDE;
    int code = mk_lower_tail_new(&tail, race, i, rank, fmin(lower_share * share, fmax(share, lower_least)), err);
    if (code) return code;
    s->mean = tail.mean;
    s->by = tail.path ? MK_BY_THEOREM_17 : MK_BY_THEOREMS_2_3;
    if (tails) {
        s->n = tail.n;
        s->m = tail.m;
        s->tail = tail.tail;
        return mk_pair_narrow(s, race, i, MK_FROM_BELOW, rank, tails, fmax(with_pair, refinement), err);
    }
    mk_lower_tail_clear(&tail);
    if (!merge) return MK_OK;
    code = mk_merge_side(&other, race, i, MK_FROM_BELOW, refinement, err);
    if (!code && other.mean > s->mean) {
        s->mean = other.mean;
        s->by = MK_BY_THEOREM_13;
    }
    mk_certified_side_clear(&other);
    return code;
}

int mk_certified_tails_new(struct mk_upper_tail **out, const struct mk_race *race, struct mk_error *err)
{
    *out = NULL;
    if (race->arms <= 2 || merges(race) || !mk_pair_applies(race)) return MK_OK;
    size_t *rank = malloc(race->arms * sizeof *rank);
    if (!rank) return mk_fail_memory(err, "the certificate");
    rank_arms(race, rank);
    const int code = mk_pair_tails_new(out, race, rank, err);
    free(rank);
    return code;
}

int mk_certified_side_new(struct mk_certified_side *out, const struct mk_race *race, const struct mk_upper_tail *tails,
                          size_t arm, enum mk_side side, bool shared, double refinement, struct mk_error *err)
{
    size_t *rank = malloc(race->arms * sizeof *rank);
    *out = MK_NO_SIDE;
    if (race->falling) { /* Theorem 6 or 11 alone; the lower bounds follow from the upper ones */
        free(rank);
        out->mean = side == MK_FROM_ABOVE ? (double)race->horizon - 1 : 1;
        if (side != MK_FROM_ABOVE || !mk_walk_applies(race)) return MK_OK;
        const int code = mk_walk_above(out, race, arm, refinement, err);
        out->by = walk_theorem(race);
        return code;
    }
    if (!rank) return mk_fail_memory(err, "the certificate");
    rank_arms(race, rank);
    int code = side != MK_FROM_ABOVE ? bound_below(out, race, tails, arm, rank, refinement, err)
               : shared              ? bound_above_shared(out, race, arm, rank, refinement, err)
                                     : bound_above(out, race, tails, arm, rank, refinement, err);
    free(rank);
    if (code) mk_certified_side_clear(out);
    return code;
}

/* ---- the whole ---- */

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
        double max = horizon - (lower - arm->lower), min = horizon - (upper - arm->upper);
        const double slack = (1e-12 + DBL_EPSILON * (double)c->arms) * horizon; /* of the sums */
        if (max + slack < arm->upper) {
            arm->upper = max + slack;
            arm->upper_by = MK_BY_OTHER_ARMS;
        }
        if (min - slack > arm->lower) {
            arm->lower = min - slack;
            arm->lower_by = MK_BY_OTHER_ARMS;
        }
    }
}

/* Bounds of the mean of the largest reward of two arms, by the walks in favour of each. */
static int use_maxima(struct mk_certificate *c, const struct mk_race *race, const struct mk_certified_maximum *first,
                      const struct mk_certified_maximum *second, struct mk_error *err)
{
    double low, high, left, right;
    if (!mk_walk_range(race, &low, &high)) return MK_OK;
    const int code = mk_walk_beyond(race, low, high, &left, &right, err);
    if (code) return code;
    const double slack = 1e-15 * (fabs(low) + fabs(high));
    c->maximum_by = MK_BY_THEOREM_10;
    if (isfinite(left)) c->maximum_lower = high - (first->max + second->max) - left - slack;
    if (isfinite(right)) c->maximum_upper = high - (first->min + second->min) + right + slack;
    return MK_OK;
}

static struct mk_certificate *certificate_alloc(size_t arms)
{
    struct mk_certificate *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->arms = arms;
    c->maximum_lower = c->maximum_upper = NAN;
    c->arm = calloc(arms, sizeof *c->arm);
    if (c->arm) return c;
    free(c);
    return NULL;
}

/* The bounds of one arm on its own. */
static int use_sides(struct mk_certified_arm *arm, const struct mk_certified_side *above,
                     const struct mk_certified_side *below, const struct mk_race *race, struct mk_error *err)
{
    arm->min = 1;
    arm->max = race->horizon - (uint64_t)race->arms + 1;
    arm->upper = (double)arm->max;
    arm->refinement = NAN;
    if (above) {
        arm->m = malloc((above->n + 1) * sizeof *arm->m);
        arm->tail = malloc((above->n + 1) * sizeof *arm->tail);
        if (!arm->m || !arm->tail) return mk_fail_memory(err, "the certificate");
        arm->n = above->n;
        for (size_t k = 0; k < above->n; k++) {
            arm->m[k] = above->m[k];
            arm->tail[k] = above->tail[k];
        }
        arm->refinement = above->refinement;
        if (above->mean < arm->upper) {
            arm->upper = above->mean;
            arm->upper_by = above->by;
        }
    }
    arm->lower = below ? fmin(below->mean, arm->upper) : 1;
    if (arm->lower > 1) arm->lower_by = below->by;
    read_tail(arm, race->horizon);
    return MK_OK;
}

int mk_certificate_join(struct mk_certificate **out, const struct mk_race *race,
                        const struct mk_certified_side *const *above, const struct mk_certified_side *const *below,
                        struct mk_error *err)
{
    struct mk_certificate *c = certificate_alloc(race->arms);
    int code = c ? MK_OK : mk_fail_memory(err, "the certificate");
    for (size_t k = 0; !code && k < race->arms; k++) code = use_sides(&c->arm[k], above[k], below[k], race, err);
    *out = NULL;
    if (!code) use_total(c, (double)race->horizon);
    if (!code && race->arms == 2 && above[0] && above[1])
        code = use_maxima(c, race, &above[0]->maximum, &above[1]->maximum, err);
    if (!code && race->arms > 2 && above[0]) {
        c->maximum_lower = above[0]->maximum.min;
        c->maximum_upper = above[0]->maximum.max;
        c->maximum_by = MK_BY_THEOREM_15;
    }
    if (code)
        mk_certificate_free(c);
    else
        *out = c;
    return code;
}

int mk_certificate_certain(struct mk_certificate **out, size_t arms, const uint64_t *pulls, uint64_t horizon,
                           struct mk_error *err)
{
    struct mk_certificate *c = certificate_alloc(arms);
    *out = c;
    if (!c) return mk_fail_memory(err, "the certificate");
    for (size_t k = 0; k < arms; k++) {
        c->arm[k].lower = c->arm[k].upper = (double)pulls[k];
        c->arm[k].min = c->arm[k].max = pulls[k];
        c->arm[k].lower_by = c->arm[k].upper_by = MK_BY_PLAY;
        read_tail(&c->arm[k], horizon);
    }
    return MK_OK;
}

/* ---- arms that leave nothing to chance ---- */

struct player {
    uint64_t pulls;
    double largest;
};

struct game {
    const struct mk_race *race;
    struct player *player;    /* [arms] */
    double smallest, largest; /* of all rewards */
    double step;              /* up to which they are known */
};

/* R_t, and up to which it is known; NaN: it is not known whether it is positive. */
static double factor_of(const struct game *g, double *error)
{
    const bool range = g->race->scale == MK_RACE_BY_RANGE;
    const double width = range ? g->race->width : 1, known = (range ? 2 : 1) * g->step,
                 above = g->largest - (range ? g->smallest : 0);
    *error = g->race->scale == MK_RACE_UNSCALED ? 0 : known / width;
    if (g->race->scale == MK_RACE_UNSCALED || above < -known) return 1;
    return above > known ? above / width : NAN;
}

/* The arm that is pulled in round t; race->arms: it is not certain which. */
static size_t next_arm(const struct game *g, double t)
{
    const struct mk_round round = mk_round_of(g->race, t);
    const double ends = fabs(g->smallest) + fabs(g->largest);
    double best = -INFINITY, second = -INFINITY, max = 0, error;
    const double factor = factor_of(g, &error);
    size_t arm = g->race->arms;
    for (size_t k = 0; k < g->race->arms; k++) {
        const double bonus = mk_bonus(round, (double)g->player[k].pulls), index = g->player[k].largest + factor * bonus;
        max = fmax(max, 128 * DBL_EPSILON * (ends + factor * bonus) + 2 * (g->step + error * bonus));
        second = fmax(second, fmin(best, index));
        if (!(index > best)) continue;
        best = index;
        arm = k;
    }
    return best - second > max + MK_TINY ? arm : g->race->arms;
}

static void pull(struct game *g, size_t k)
{
    const struct mk_known_cdf *f = &g->race->arm[k];
    const double reward = f->moving->reward(f->moving, f->burnt + ++g->player[k].pulls);
    g->player[k].largest = fmax(g->player[k].largest, reward);
    g->smallest = fmin(g->smallest, reward);
    g->largest = fmax(g->largest, reward);
}

bool mk_race_is_certain(const struct mk_race *race)
{
    bool certain = race->before == 0 && race->horizon <= MOST_INDICES / race->arms;
    for (size_t k = 0; certain && k < race->arms; k++) certain = race->arm[k].moving && race->arm[k].moving->reward;
    return certain;
}

/* false: it is not certain which arms are pulled. */
static bool play(struct game *g)
{
    for (size_t k = 0; k < g->race->arms; k++) {
        g->player[k] = (struct player){0, -INFINITY};
        g->step = fmax(g->step, g->race->arm[k].moving->step);
        pull(g, k);
    }
    for (uint64_t t = g->race->arms + 1; t <= g->race->horizon; t++) {
        const size_t arm = next_arm(g, (double)t);
        if (arm == g->race->arms) return false;
        pull(g, arm);
    }
    return true;
}

int mk_certificate_play(struct mk_certificate **out, const struct mk_race *race, struct mk_error *err)
{
    struct game g = {race, NULL, INFINITY, -INFINITY, 0};
    *out = NULL;
    if (!mk_race_is_certain(race)) return MK_OK;
    g.player = malloc(race->arms * sizeof *g.player);
    uint64_t *pulls = malloc(race->arms * sizeof *pulls);
    int code = g.player && pulls ? MK_OK : mk_fail_memory(err, "the certificate");
    if (!code && play(&g)) {
        for (size_t k = 0; k < race->arms; k++) pulls[k] = g.player[k].pulls;
        code = mk_certificate_certain(out, race->arms, pulls, race->horizon, err);
    }
    if (*out) {
        for (size_t k = 0; k < race->arms; k++)
            for (uint64_t u = 1; u <= race->arm[k].burnt; u++)
                g.largest = fmax(g.largest, race->arm[k].moving->reward(race->arm[k].moving, u));
        (*out)->maximum_lower = g.largest - g.step;
        (*out)->maximum_upper = g.largest + g.step;
        (*out)->maximum_by = MK_BY_PLAY;
    }
    free(g.player);
    free(pulls);
    return code;
}

/* a + b, rounded to `side` where it is not a double. */
static double added(double a, double b, enum mk_side side)
{
    const double sum = a + b, of_b = sum - a, error = (a - (sum - of_b)) + (b - of_b);
    if (side == MK_FROM_ABOVE) return error > 0 ? nextafter(sum, INFINITY) : sum;
    return error < 0 ? nextafter(sum, -INFINITY) : sum;
}

void mk_certificate_add(struct mk_certificate *c, uint64_t pulls, uint64_t horizon)
{
    for (size_t k = 0; k < c->arms; k++) {
        struct mk_certified_arm *arm = &c->arm[k];
        arm->lower = added(arm->lower, (double)pulls, MK_FROM_BELOW);
        arm->upper = added(arm->upper, (double)pulls, MK_FROM_ABOVE);
        arm->min += pulls;
        arm->max += pulls;
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

/* Certified bounds against exact expectations: MaxUCB on small instances with finitely many rewards, over all states
 * that it can reach and all ways of breaking ties, at once and adversarially. MAXK_CERTIFICATES in the environment: the
 * number of instances (default 60), each with PAIRS of two arms over more rounds. */
#include <float.h>
#include <omp.h>
#include <string.h>

#include "analysis/theory/certificates/certificate.h"
#include "analysis/theory/certificates/certificate_merge.h"
#include "analysis/theory/certificates/certificate_pair.h"
#include "analysis/theory/certificates/certificate_path.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "analysis/theory/certificates/certified_regret.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

enum { ARMS = 4, VALUES = 3, ALL = ARMS * VALUES, ROUNDS = 12, SLOTS = 1 << 18 };
enum { MOST_BURNT = 4 }; /* rewards of a burn-in */
enum { PAIRS = 8 };      /* for each of the other instances */

/* Bonuses that mk_race_check_bonus accepts: alpha f(t) / n^exponent, and one that is no such product; the last ones
 * fall. */
enum { ROOT, STEPS, CONSTANT, LOG_LOG, MIXED, RISING, REMAINING = RISING, STEPS_DOWN, SHAPES };
enum { SHAPE, SIZE, EXPONENT, BONUS_PARAMS };

/* An arm with n values, ascending. */
struct arm {
    size_t n;
    double value[VALUES], p[VALUES];
    size_t rank[VALUES]; /* of the value among those of all arms */
    struct mk_dist *dist;
    struct mk_moving moving; /* rates: NULL: no; else some pulls have the probabilities p in reverse order: */
    bool first;              /* the first one, else every third one */
};

/* What follows from a state: over all ways of breaking ties, the largest and smallest E[N_i(T)], the largest P(N_i(T) >
 * T/2), and the largest and smallest mean of the largest reward of all T rounds. */
struct outlook {
    uint64_t key; /* 0: free */
    double most[ARMS], least[ARMS], locked[ARMS], high, low;
};

struct game {
    struct mk_race race;
    struct arm arm[ARMS];
    struct mk_known_cdf cdf[ARMS];
    double value[ALL]; /* of all arms, ascending */
    double par[BONUS_PARAMS];
    struct outlook *memory;
    uint32_t *used; /* the slots of memory that hold the states */
    size_t states;
};

struct state {
    unsigned pulls[ARMS], top[ARMS], bottom; /* ranks of the largest rewards, and of the smallest one */
    unsigned seen;                           /* of the largest reward of the burn-in */
};

/* ---- the policy ---- */

static double own_bonus(const struct mk_setup *s, uint64_t t, uint64_t n)
{
    const double u = (double)t, left = (double)(s->horizon + 1 - t), size = s->par[SIZE],
                 over = pow((double)n, s->par[EXPONENT]);
    switch ((int)s->par[SHAPE]) {
    case ROOT: return size * sqrt(u) / over;
    case STEPS: return size * floor(log2(u)) / over;
    case CONSTANT: return size * log((double)s->horizon / (double)s->arms) / over;
    case LOG_LOG: return size * log(u) * fmax(0, log(log(u))) / over;
    case MIXED: return size * log1p(u / (double)n);
    case STEPS_DOWN: return size * floor(log2(left)) / over;
    default: return size * log(left) * log(left) / over;
    }
}

/* Of one arm, before scaling. */
static double bonus_of(const struct game *g, double t, unsigned pulls)
{
    if (g->race.bonus) return own_bonus(&g->race.setup, (uint64_t)t, pulls);
    const double root = g->race.alpha * pow(log(t + (double)g->race.shift), g->race.power);
    return root * root / (double)(pulls * pulls);
}

static double factor_of(const struct game *g, const struct state *s, double largest)
{
    const double smallest = g->value[s->bottom];
    const double range = g->race.scale == MK_RACE_UNSCALED     ? 1
                         : g->race.scale == MK_RACE_BY_LARGEST ? largest
                                                               : (largest - smallest) / g->race.width;
    return range > 0 ? range : 1;
}

/* The arms whose index is the largest one up to rounding. */
static unsigned leaders(const struct game *g, const struct state *s, double t)
{
    double largest = -INFINITY, best = -INFINITY, index[ARMS], size = 0;
    unsigned out = 0;
    for (size_t k = 0; k < g->race.arms; k++) largest = fmax(largest, g->value[s->top[k]]);
    if (g->race.before > 0) largest = fmax(largest, g->value[s->seen]);
    const double factor = factor_of(g, s, largest);
    for (size_t k = 0; k < g->race.arms; k++) {
        const double own = g->value[s->top[k]], share = factor * bonus_of(g, t, s->pulls[k]);
        index[k] = own + share;
        best = fmax(best, index[k]);
        size = fmax(size, fabs(own) + share);
    }
    for (size_t k = 0; k < g->race.arms; k++)
        if (index[k] >= best - 2 * DBL_EPSILON * size) out |= 1U << k;
    return out;
}

/* ---- arms ---- */

/* P(the n-th pull gives value v) */
static double chance(const struct arm *a, uint64_t n, size_t v)
{
    return a->moving.rates && (a->first ? n == 1 : n % 3 == 0) ? a->p[a->n - 1 - v] : a->p[v];
}

static double rates(const struct mk_moving *m, enum mk_tail tail, double x, uint64_t after, uint64_t last,
                    enum mk_side side)
{
    const struct arm *a = (const struct arm *)(const void *)((const char *)m - offsetof(struct arm, moving));
    const double at = x + ((tail == MK_LOWER_TAIL) == (side == MK_FROM_ABOVE) ? m->step : -m->step);
    double sum = 0;
    for (uint64_t n = after + 1; n <= last; n++) {
        double its = 0, rest = 0;
        for (size_t v = 0; v < a->n; v++)
            *((a->value[v] <= at) == (tail == MK_LOWER_TAIL) ? &its : &rest) += chance(a, n, v);
        if (rest > 0) sum -= log(its);
    }
    return sum * (side == MK_FROM_ABOVE ? 1 - 1e-12 : 1 + 1e-12);
}

/* ---- all states ---- */

static uint64_t key_of(const struct game *g, const struct state *s)
{
    uint64_t key = 1;
    for (size_t k = 0; k < g->race.arms; k++) key = key << 12 | s->pulls[k] << 4 | s->top[k];
    return key << 8 | s->seen << 4 | (g->race.scale == MK_RACE_BY_RANGE ? s->bottom : 0);
}

/* Most games have far fewer states than there are slots. */
static void forget_states(struct game *g)
{
    while (g->states > 0) g->memory[g->used[--g->states]].key = 0;
}

static struct outlook *slot_of(const struct game *g, uint64_t key)
{
    size_t at = (size_t)(key * 0x9E3779B97F4A7C15ULL >> 46);
    while (g->memory[at].key != 0 && g->memory[at].key != key) at = (at + 1) % SLOTS;
    return &g->memory[at];
}

static struct state after(const struct game *g, struct state s, size_t k, size_t v)
{
    const unsigned rank = (unsigned)g->arm[k].rank[v];
    s.pulls[k]++;
    if (rank > s.top[k]) s.top[k] = rank;
    if (rank < s.bottom) s.bottom = rank;
    return s;
}

static struct outlook look(struct game *g, const struct state *s, unsigned t);

/* *sum += p times its. */
static void add_outlook(struct outlook *sum, double p, const struct outlook *its, size_t arms)
{
    for (size_t i = 0; i < arms; i++) {
        sum->most[i] += p * its->most[i];
        sum->least[i] += p * its->least[i];
        sum->locked[i] += p * its->locked[i];
    }
    sum->high += p * its->high;
    sum->low += p * its->low;
}

/* The outlook of pulling arm k next. */
static struct outlook pull(struct game *g, const struct state *s, unsigned t, size_t k)
{
    struct outlook sum = {0, {0}, {0}, {0}, 0, 0};
    for (size_t v = 0; v < g->arm[k].n; v++) {
        const double p = chance(&g->arm[k], g->cdf[k].burnt + s->pulls[k] + 1, v);
        const struct state next = after(g, *s, k, v);
        const struct outlook its = look(g, &next, t + 1);
        add_outlook(&sum, p, &its, g->race.arms);
    }
    return sum;
}

/* Before round t. */
static struct outlook look(struct game *g, const struct state *s, unsigned t)
{
    const size_t arms = g->race.arms;
    struct outlook best = {key_of(g, s), {0}, {0}, {0}, -INFINITY, INFINITY};
    if (t > g->race.horizon) {
        best.high = best.low = g->value[s->seen]; /* 0, the smallest of all, without a burn-in */
        for (size_t i = 0; i < arms; i++) best.high = best.low = fmax(best.high, g->value[s->top[i]]);
        for (size_t i = 0; i < arms; i++) {
            best.most[i] = best.least[i] = s->pulls[i];
            best.locked[i] = s->pulls[i] > g->race.horizon / 2;
        }
        return best;
    }
    const struct outlook *known = slot_of(g, best.key);
    if (known->key) return *known;
    const unsigned next = leaders(g, s, t);
    for (size_t i = 0; i < arms; i++) best.least[i] = INFINITY;
    for (size_t k = 0; k < arms; k++) {
        if (!(next >> k & 1)) continue;
        const struct outlook its = pull(g, s, t, k);
        for (size_t i = 0; i < arms; i++) {
            best.most[i] = fmax(best.most[i], its.most[i]);
            best.least[i] = fmin(best.least[i], its.least[i]);
            best.locked[i] = fmax(best.locked[i], its.locked[i]);
        }
        best.high = fmax(best.high, its.high);
        best.low = fmin(best.low, its.low);
    }
    REQUIRE(g->states < SLOTS / 2, "fewer states than the table has room for");
    struct outlook *slot = slot_of(g, best.key);
    *slot = best;
    g->used[g->states++] = (uint32_t)(slot - g->memory);
    return best;
}

/* From the first reward of arm k on. */
static struct outlook start(struct game *g, const struct state *s, size_t k)
{
    struct outlook sum = {0, {0}, {0}, {0}, 0, 0};
    if (k >= ARMS || k == g->race.arms) return look(g, s, (unsigned)k + 1);
    for (size_t v = 0; v < g->arm[k].n; v++) {
        const double p = chance(&g->arm[k], g->cdf[k].burnt + 1, v);
        struct state next = *s;
        next.top[k] = 0;
        next = after(g, next, k, v);
        const struct outlook its = start(g, &next, k + 1);
        add_outlook(&sum, p, &its, g->race.arms);
    }
    return sum;
}

/* From the u-th reward of the burn-in on. */
static struct outlook burn(struct game *g, const struct state *s, uint64_t u)
{
    struct outlook sum = {0, {0}, {0}, {0}, 0, 0};
    if (u > g->cdf[0].burnt * g->race.arms) return start(g, s, 0);
    const size_t k = (size_t)((u - 1) % g->race.arms);
    for (size_t v = 0; v < g->arm[k].n; v++) {
        struct state next = *s;
        const unsigned rank = (unsigned)g->arm[k].rank[v];
        if (rank > next.seen) next.seen = rank;
        if (g->race.before > 0 && rank < next.bottom) next.bottom = rank;
        const struct outlook its = burn(g, &next, u + 1);
        add_outlook(&sum, chance(&g->arm[k], (u - 1) / g->race.arms + 1, v), &its, g->race.arms);
    }
    return sum;
}

/* ---- instances ---- */

static unsigned draw(struct mk_pcg64 *rng, unsigned n)
{
    return (unsigned)(mk_uniform(rng) * n);
}

static void fail_if(int code, const struct mk_error *err)
{
    REQUIRE(code == MK_OK, "%s", err->text);
}

/* A mixture of constants, with another one where weight > 0. */
static struct mk_dist *mixture_of(const struct arm *a, double extra, double weight)
{
    struct mk_dist *part[VALUES + 1], *out = NULL;
    struct mk_error err;
    double share[VALUES + 1];
    struct mk_dist_spec spec = {.type = mk_dist_type_find("mixture"), .n_values = a->n, .n_parts = a->n};
    for (size_t v = 0; v < a->n; v++) {
        share[v] = a->p[v] * (1 - weight);
        fail_if(mk_dist_make(&part[v], "dirac", &err, a->value[v]), &err);
    }
    if (weight > 0) {
        share[spec.n_values++] = weight;
        fail_if(mk_dist_make(&part[spec.n_parts++], "dirac", &err, extra), &err);
    }
    mk_param_defaults(spec.type->params, spec.v);
    spec.values = share;
    spec.parts = part;
    fail_if(mk_dist_new(&out, &spec, NULL, &err), &err);
    return out;
}

/* The same arm written in different ways; those with a shift or a factor change its values, that as a sample its
 * probabilities. */
static void write_arm(struct arm *a, struct mk_pcg64 *rng)
{
    static const double shifts[] = {0.164, -3, 1000.1, 1e-3}, factors[] = {1, 0.3, 7};
    struct mk_error err;
    const unsigned way = draw(rng, 5);
    if (way == 4) {
        struct mk_dist_spec spec = {.type = mk_dist_type_find("empirical"), .n_values = a->n, .values = a->value};
        mk_param_defaults(spec.type->params, spec.v);
        fail_if(mk_dist_new(&a->dist, &spec, NULL, &err), &err);
        for (size_t v = 0; v < a->n; v++) a->p[v] = 1 / (double)a->n;
        return;
    }
    a->dist = mixture_of(a, 100, way == 1 ? 0.7 : 0);
    if (way == 1) fail_if(mk_dist_wrap(&a->dist, "truncated", -50, 50, NULL, &err), &err);
    if (way < 2) return;
    const double shift = way == 2 ? shifts[draw(rng, 4)] : 0, factor = factors[draw(rng, 3)];
    fail_if(mk_dist_wrap(&a->dist, "affine", shift, factor, NULL, &err), &err);
    for (size_t v = 0; v < a->n; v++) a->value[v] = shift + factor * a->value[v];
}

static void draw_arm(struct arm *a, struct mk_pcg64 *rng, bool negative)
{
    static const double rare[] = {0.02, 1e-5, 3e-9}; /* the last ones: events that certificates leave out */
    double sum = 0, value = draw(rng, 4) / 4.0 - (negative ? 0.5 : 0);
    a->n = 1 + draw(rng, VALUES);
    for (size_t v = 0; v < a->n; v++, value += (1 + draw(rng, 3)) / 4.0) {
        a->value[v] = value;
        sum += a->p[v] = draw(rng, 4) ? 1 + draw(rng, 4) : rare[draw(rng, 3)];
    }
    for (size_t v = 0; v < a->n; v++) a->p[v] /= sum;
}

/* Two arms that give a constant but for a rare reward, over many rounds: bounds are so tight here that terms show which
 * small instances do not need. */
static void draw_pair(struct game *g, struct mk_pcg64 *rng, double low)
{
    static const double rare[] = {0, 1e-2, 1e-3, 1e-4, 1e-9};
    const bool swapped = draw(rng, 2);
    g->race.arms = 2;
    g->race.horizon = 20 + draw(rng, 140);
    g->race.alpha = 2.5 + 2.5 * mk_uniform(rng);
    g->race.power = 1;
    g->race.scale = draw(rng, 4) ? MK_RACE_BY_LARGEST : MK_RACE_BY_RANGE;
    for (size_t k = 0; k < 2; k++) {
        const double usual = (k == 0) == swapped ? 1 : 1.5 + 0.4 * mk_uniform(rng), p = rare[draw(rng, 5)];
        struct arm *a = &g->arm[k];
        if (!(p > 0))
            *a = (struct arm){.n = 1, .value = {usual}, .p = {1}};
        else if (draw(rng, 2))
            *a = (struct arm){.n = 2, .value = {usual, 50}, .p = {1 - p, p}};
        else
            *a = (struct arm){.n = 2, .value = {low, usual}, .p = {p, 1 - p}};
        a->dist = mixture_of(a, 100, 0);
    }
}

static void rank_values(struct game *g)
{
    size_t n = 0;
    for (size_t k = 0; k < g->race.arms; k++)
        for (size_t v = 0; v < g->arm[k].n; v++) {
            size_t at = n;
            while (at > 0 && g->value[at - 1] > g->arm[k].value[v]) at--;
            if (at > 0 && g->value[at - 1] == g->arm[k].value[v]) continue;
            memmove(g->value + at + 1, g->value + at, (n - at) * sizeof *g->value);
            g->value[at] = g->arm[k].value[v];
            n++;
        }
    for (size_t k = 0; k < g->race.arms; k++)
        for (size_t v = 0; v < g->arm[k].n; v++)
            while (g->value[g->arm[k].rank[v]] != g->arm[k].value[v]) g->arm[k].rank[v]++;
}

static void draw_bonus(struct game *g, struct mk_pcg64 *rng)
{
    static const double size[] = {0, 0.1, 0.5, 2, 10}, exponent[] = {0.5, 1, 2, 3};
    g->par[SHAPE] = draw(rng, mk_walk_applies(&g->race) ? SHAPES : RISING);
    g->par[SIZE] = size[draw(rng, 5)];
    g->par[EXPONENT] = exponent[draw(rng, 4)];
    g->race.bonus = own_bonus;
    g->race.setup = (struct mk_setup){.arms = g->race.arms, .horizon = g->race.horizon, .par = g->par};
    g->race.falling = g->par[SHAPE] >= RISING;
    struct mk_error err = {0, ""};
    fail_if(mk_race_check_bonus(&g->race, &err), &err);
}

/* Its rewards may be seen by the scaling. */
static void draw_burn_in(struct game *g, struct mk_pcg64 *rng)
{
    const uint64_t burn_in = 1 + draw(rng, MOST_BURNT / (unsigned)g->race.arms);
    for (size_t k = 0; k < g->race.arms; k++) g->cdf[k].burnt = burn_in;
    if (g->race.scale != MK_RACE_UNSCALED && !g->race.falling && draw(rng, 2)) g->race.before = burn_in * g->race.arms;
}

static void draw_game(struct game *g, unsigned seed)
{
    static const double alpha[] = {0, 0.05, 0.2, 0.5, 1, 2, 6}, width[] = {0.98, 0.1, 4}, power[] = {1, 1, 1.37, 2, 5};
    static const int64_t shift[] = {0, 0, -1, 20};
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 20261123, seed);
    const bool negative = draw(&rng, 2);
    *g = (struct game){.memory = g->memory, .used = g->used};
    g->race = (struct mk_race){.arms = 2 + draw(&rng, ARMS - 1),
                               .arm = g->cdf,
                               .alpha = alpha[draw(&rng, 7)],
                               .power = power[draw(&rng, 5)],
                               .shift = shift[draw(&rng, 4)],
                               .scale = (enum mk_race_scale)draw(&rng, 3),
                               .width = width[draw(&rng, 3)]};
    g->race.horizon = g->race.arms + 1 + draw(&rng, ROUNDS - (unsigned)g->race.arms);
    if (g->race.arms < 4 && draw(&rng, 2)) g->race.horizon += draw(&rng, g->race.arms == 2 ? 80 : 16);
    if (seed % (PAIRS + 1))
        draw_pair(g, &rng, seed % 4 == 3 ? -0.2 : 0.2);
    else
        for (size_t k = 0; k < g->race.arms; k++) {
            draw_arm(&g->arm[k], &rng, negative);
            write_arm(&g->arm[k], &rng);
        }
    for (size_t k = 0; k < g->race.arms; k++) g->cdf[k] = (struct mk_known_cdf){.dist = g->arm[k].dist};
    if (draw(&rng, 3) == 0) draw_bonus(g, &rng);
    const bool moving = draw(&rng, 3) == 0 && !(g->race.falling && g->race.scale == MK_RACE_BY_RANGE);
    for (size_t k = 0; k < g->race.arms; k++) {
        struct arm *a = &g->arm[k];
        if (!moving || draw(&rng, 3) == 0) continue;
        a->moving = (struct mk_moving){
            .rates = rates, .low = a->value[0], .high = a->value[a->n - 1], .atoms = 1, .step = 1e-10};
        a->first = draw(&rng, 2);
        g->cdf[k] = (struct mk_known_cdf){.moving = &a->moving};
    }
    if (draw(&rng, 2)) draw_burn_in(g, &rng);
    rank_values(g);
}

/* ---- the comparison ---- */

enum { UNSCALED, SCALED, MOVING, BOTH, RANGE, SIGNED, KINDS };
static const char *const kinds[] = {
    "unscaled",          "divided by the largest", "moving",
    "moving and scaled", "scaled by the range",    "divided by the largest, of either sign"};

struct tally {
    size_t arms, informative;            /* the band excludes half of what T and K allow */
    size_t near;                         /* the upper bound is less than 10 % above the expectation */
    size_t walks[KINDS], close[KINDS];   /* two arms by Theorem 6; of those without ties, within 1e-3 of a pull */
    size_t moving[2], said[2];           /* arms that move, and those whose band excludes as much; unscaled, scaled */
    size_t moving_maxima, moving_narrow; /* all arms move; bounds within 5 % of all rewards */
    size_t maxima[2], narrow[2]; /* two arms without ties; bounds of the mean maximum within 1e-5 of the range */
};

/* Theorem 6. Arms with few rewards have exact cells, so that only long chunks of pulls are left to err. */
static void check_walk(const struct game *g, unsigned seed, const struct outlook *exact, struct tally *tally)
{
    const bool range = g->race.scale == MK_RACE_BY_RANGE, scaled = g->race.scale != MK_RACE_UNSCALED,
               moving = g->cdf[0].moving || g->cdf[1].moving;
    const bool either_sign = scaled && !range && g->value[0] < 0;
    const int kind = range ? RANGE : either_sign ? SIGNED : (scaled ? SCALED : 0) + (moving ? MOVING : 0);
    double least = 0, most = 0, low, high; /* of the integral of P(V <= x), V the largest reward */
    if (!mk_walk_applies(&g->race)) return;
    for (size_t i = 0; i < 2; i++) {
        struct mk_error err = {0, ""};
        struct mk_certified_side side;
        fail_if(mk_walk_above(&side, &g->race, i, range ? 0.5 : 1e-3, &err), &err);
        const double above = side.mean;
        least += side.maximum.min;
        most += side.maximum.max;
        double locked = 1;
        for (size_t k = 0; k < side.n && side.m[k] <= g->race.horizon / 2; k++) locked = side.tail[k];
        mk_certified_side_clear(&side);
        if (!(exact->locked[i] <= locked * (1 + 1e-12)))
            CHECK(0, "instance %u, arm %zu: P(N > T/2) = %.15g <= %.15g", seed, i, exact->locked[i], locked);
        if (!(exact->most[i] <= above * (1 + 1e-12)))
            CHECK(0, "instance %u, T = %g, alpha = %g, power %g, shift %g, arm %zu: %.15g <= %.15g", seed,
                  (double)g->race.horizon, g->race.alpha, g->race.power, (double)g->race.shift, i, exact->most[i],
                  above);
        if (exact->most[i] > exact->least[i] + 1e-9) continue;
        tally->walks[kind]++;
        tally->close[kind] += above < exact->most[i] + 1e-3 && locked < exact->locked[i] + 1e-5;
    }
    if (moving || range) return;
    REQUIRE(mk_walk_range(&g->race, &low, &high), "instance %u: rewards are bounded", seed);
    const double slack = 1e-12 * (fabs(low) + fabs(high));
    if (!(high - most <= exact->low + slack && exact->high <= high - least + slack))
        CHECK(0, "instance %u, T = %g: %.15g <= %.15g … %.15g <= %.15g, the mean of the largest reward", seed,
              (double)g->race.horizon, high - most, exact->low, exact->high, high - least);
    if (exact->high > exact->low + 1e-9 || either_sign) return; /* bounds need not converge */
    tally->maxima[scaled]++;
    tally->narrow[scaled] += most - least < 1e-5 * (high - low);
}

/* E[M(T)] */
static double mean_maximum(const struct arm *a, uint64_t horizon)
{
    double sum = 0, before = 0;
    for (size_t v = 0; v < a->n; v++) {
        double now = 1;
        for (uint64_t u = 1; u <= horizon && v + 1 < a->n; u++) {
            double below = 0;
            for (size_t w = 0; w <= v; w++) below += chance(a, u, w);
            now *= below;
        }
        sum += a->value[v] * (now - before);
        before = now;
    }
    return sum;
}

static double largest_of(const struct game *g)
{
    double largest = -INFINITY;
    for (size_t k = 0; k < g->race.arms; k++) largest = fmax(largest, g->arm[k].value[g->arm[k].n - 1]);
    return largest;
}

/* The regret and the mean of the largest reward, of any number of arms that move, or stay the same, all of them. */
static void check_regret(const struct game *g, unsigned seed, const struct outlook *exact, struct mk_certificate *c,
                         struct tally *tally)
{
    const uint64_t burn_in = g->cdf[0].burnt, horizon = g->race.horizon + burn_in * g->race.arms;
    const bool moving = g->cdf[0].moving;
    struct mk_known_cdf cdf[ARMS];
    struct mk_certified_regret r;
    struct mk_error err = {0, ""};
    double best = -INFINITY;
    for (size_t k = 0; k < g->race.arms; k++) {
        if ((g->cdf[k].moving != NULL) != moving) return;
        best = fmax(best, mean_maximum(&g->arm[k], horizon));
        cdf[k] = g->cdf[k];
        cdf[k].burnt = 0;
    }
    mk_certificate_add(c, burn_in, horizon);
    fail_if(mk_certified_regret(&r, c, cdf, horizon, &err), &err);
    const double slack = 1e-10 * fabs(best) + 1e-12;
    if (isnan(r.regret_lower)) CHECK(0, "instance %u: no bound from below", seed);
    tally->moving_maxima += moving;
    tally->moving_narrow += moving && r.maximum_upper - r.maximum_lower < 0.05 * (largest_of(g) - g->value[0]);
    if (!(best - exact->low <= r.regret + slack && r.maximum_lower <= exact->low + slack) ||
        r.regret_lower > best - exact->high + slack || exact->high > r.maximum_upper + slack)
        CHECK(0, "instance %u, %zu arms, T = %g: regret %.15g <= %.15g … %.15g <= %.15g, maximum %.15g … %.15g", seed,
              g->race.arms, (double)g->race.horizon, r.regret_lower, best - exact->high, best - exact->low, r.regret,
              r.maximum_lower, r.maximum_upper);
}

static void check_game(struct game *g, unsigned seed, struct tally *tally)
{
    const struct state none = {{0}, {0}, ALL, 0};
    struct mk_certificate *c = NULL;
    struct mk_error err = {0, ""};
    forget_states(g);
    draw_game(g, seed);
    const struct outlook exact = burn(g, &none, 1);
    fail_if(mk_certificate_new(&c, &g->race, MK_CERTIFIED_BAND, 0.2, &err), &err);
    for (size_t i = 0; i < g->race.arms; i++) {
        const struct mk_certified_arm *arm = &c->arm[i];
        const double slack = 1e-12;
        if (!(arm->lower <= exact.least[i] * (1 + slack) && exact.most[i] <= arm->upper * (1 + slack) &&
              exact.locked[i] <= arm->lock_out * (1 + slack)))
            CHECK(
                0,
                "instance %u, %zu arms, T = %g, alpha = %g, power %g, shift %g, scale %d, width %g, arm %zu: %.15g <= "
                "%.15g … %.15g <= %.15g; P(N > T/2) = %.15g <= %.15g",
                seed, g->race.arms, (double)g->race.horizon, g->race.alpha, g->race.power, (double)g->race.shift,
                (int)g->race.scale, g->race.width, i, arm->lower, exact.least[i], exact.most[i], arm->upper,
                exact.locked[i], arm->lock_out);
        tally->arms++;
        tally->near += arm->upper < 1.1 * exact.most[i];
        const bool says = arm->upper - arm->lower < 0.5 * (double)(g->race.horizon - g->race.arms);
        tally->moving[g->race.scale != MK_RACE_UNSCALED] += g->cdf[i].moving != NULL;
        tally->said[g->race.scale != MK_RACE_UNSCALED] += says && g->cdf[i].moving;
        tally->informative += says;
    }
    check_regret(g, seed, &exact, c, tally);
    mk_certificate_free(c);
    check_walk(g, seed, &exact, tally);
    for (size_t k = 0; k < g->race.arms; k++) mk_dist_free(g->arm[k].dist);
}

/* ---- bonuses that do not depend on the round ---- */

struct merge_tally {
    size_t bounds, near[2], wrong; /* near, by side: less than 0.02 pulls from the expectation */
    size_t ties;                   /* arms whose expectation depends on how ties are broken */
    size_t maxima, narrow;         /* bounds of the mean maximum, those within 0.01 of the range */
    size_t several;                /* of these of three arms or more */
};

/* An instance as above, with such a bonus in the place of its own. */
static void draw_merge(struct game *g, unsigned seed)
{
    static const double size[] = {0, 0.1, 0.25, 0.5, 2};
    draw_game(g, seed * (PAIRS + 1));
    g->race.scale = MK_RACE_UNSCALED;
    g->race.falling = false;
    g->race.before = 0;
    g->par[SHAPE] = CONSTANT;
    g->par[SIZE] = size[seed % 5];
    g->par[EXPONENT] = seed % 3 ? 2 : 1;
    g->race.bonus = own_bonus;
    g->race.setup = (struct mk_setup){.arms = g->race.arms, .horizon = g->race.horizon, .par = g->par};
    REQUIRE(mk_merge_applies(&g->race), "instance %u: Theorem 13 applies", seed);
}

/* Theorem 15, of two arms as well. */
static void check_merge_largest(const struct game *g, unsigned seed, const struct outlook *exact,
                                struct merge_tally *tally)
{
    struct mk_certified_maximum found;
    struct mk_error err = {0, ""};
    double low = 0, high = 0;
    fail_if(mk_merge_largest(&found, &g->race, 0.1, &err), &err);
    if (!mk_walk_range(&g->race, &low, &high)) {
        CHECK(isnan(found.min) && isnan(found.max), "instance %u: no bounds of moving arms", seed);
        return;
    }
    const double slack = 1e-12 * (fabs(low) + fabs(high));
    tally->maxima++;
    tally->several += g->race.arms > 2;
    tally->narrow += found.max - found.min < 0.01 * (high - low);
    if (!(found.min <= exact->low + slack && exact->high <= found.max + slack))
        CHECK(0, "instance %u, %zu arms, T = %g: mean maximum %.15g <= %.15g … %.15g <= %.15g", seed, g->race.arms,
              (double)g->race.horizon, found.min, exact->low, exact->high, found.max);
}

static void check_merge(struct game *g, unsigned seed, struct merge_tally *tally)
{
    const struct state none = {{0}, {0}, ALL, 0};
    forget_states(g);
    draw_merge(g, seed);
    const struct outlook exact = burn(g, &none, 1);
    check_merge_largest(g, seed, &exact, tally);
    for (size_t i = 0; i < g->race.arms; i++) {
        double mean[2], locked = 1;
        for (int side = 0; side < 2; side++) {
            struct mk_error err = {0, ""};
            struct mk_certified_side s;
            fail_if(mk_merge_side(&s, &g->race, i, (enum mk_side)side, 0.005, &err), &err);
            mean[side] = s.mean;
            for (size_t k = 0; side && k < s.n && s.m[k] <= g->race.horizon / 2; k++) locked = s.tail[k];
            mk_certified_side_clear(&s);
        }
        const double slack = 1e-12;
        tally->bounds++;
        tally->near[0] += mean[0] > exact.least[i] - 0.02;
        tally->near[1] += mean[1] < exact.most[i] + 0.02;
        tally->ties += exact.most[i] > exact.least[i] + 1e-9;
        if (mean[0] <= exact.least[i] * (1 + slack) && exact.most[i] <= mean[1] * (1 + slack) &&
            exact.locked[i] <= locked * (1 + slack))
            continue;
        tally->wrong++;
        CHECK(0, "instance %u, %zu arms, T = %g, arm %zu: %.15g <= %.15g … %.15g <= %.15g; P(N > T/2) = %.15g <= %.15g",
              seed, g->race.arms, (double)g->race.horizon, i, mean[0], exact.least[i], exact.most[i], mean[1],
              exact.locked[i], locked);
    }
    for (size_t k = 0; k < g->race.arms; k++) mk_dist_free(g->arm[k].dist);
}

static void check_merges(struct game *g, unsigned n)
{
    struct merge_tally tally = {0};
    for (unsigned seed = 0; seed < n; seed++) check_merge(g, seed, &tally);
    CHECK(tally.wrong == 0 && tally.ties > tally.bounds / 20,
          "%u instances whose bonus does not depend on the round, %zu of %zu arms with ties: exact means within bounds",
          n, tally.ties, tally.bounds);
    CHECK(tally.several > 0 && tally.narrow > 0.5 * (double)tally.maxima,
          "%zu mean maxima within bounds, %zu of three arms or more, %zu of the bounds within 0.01 of the range",
          tally.maxima, tally.several, tally.narrow);
    for (int side = 0; side < 2; side++)
        CHECK((double)tally.near[side] > 0.9 * (double)tally.bounds, "%zu of %zu bounds from %s are within 0.02 pulls",
              tally.near[side], tally.bounds, side ? "above" : "below");
}

/* ---- Theorems 16 and 17 on their own, of two arms as well ---- */

enum { PAIR_BELOW, PAIR_ABOVE, PATH, PARTS };

struct part_tally {
    size_t bounds[PARTS], near[PARTS], wrong; /* near: within a tenth of the expectation */
    size_t two, same;                         /* bounds by Theorem 16 of two arms, those equal to that of Theorem 6 */
};

/* An instance as above, with a bonus that may depend on the round. */
static void draw_part(struct game *g, unsigned seed)
{
    draw_game(g, seed * (PAIRS + 1));
    g->race.scale = MK_RACE_UNSCALED;
    g->race.before = 0;
    if (!g->race.falling) return;
    g->race.falling = false;
    g->race.bonus = NULL;
}

/* All arms in the order of their largest rewards. */
static void rank_arms(const struct game *g, size_t *rank)
{
    for (size_t k = 0; k < g->race.arms; k++) {
        size_t at = k;
        for (; at > 0 && g->arm[rank[at - 1]].value[g->arm[rank[at - 1]].n - 1] < g->arm[k].value[g->arm[k].n - 1];
             at--)
            rank[at] = rank[at - 1];
        rank[at] = k;
    }
}

static void check_part(const struct game *g, unsigned seed, size_t i, int part, double mean,
                       const struct outlook *exact, struct part_tally *tally)
{
    const bool above = part == PAIR_ABOVE;
    tally->bounds[part]++;
    tally->near[part] += above ? mean < 1.1 * exact->most[i] : 1.1 * mean > exact->least[i];
    if (above ? exact->most[i] <= mean * (1 + 1e-12) : mean <= exact->least[i] * (1 + 1e-12)) return;
    tally->wrong++;
    CHECK(0, "instance %u, %zu arms, T = %g, alpha = %g, power %g, shift %g, arm %zu: %s bound %.15g of %.15g … %.15g",
          seed, g->race.arms, (double)g->race.horizon, g->race.alpha, g->race.power, (double)g->race.shift, i,
          part == PATH ? "Theorem 17" : "Theorem 16", mean, exact->least[i], exact->most[i]);
}

/* The sum over m of the bounds of P(N_i(T) > m) by Theorem 17. */
static double by_paths(const struct game *g, size_t i, const size_t *rank, double *locked)
{
    struct mk_path_work *w;
    struct mk_error err = {0, ""};
    double sum = 1;
    fail_if(mk_path_work_new(&w, &g->race, &err), &err);
    for (uint64_t m = 1; m + g->race.arms <= g->race.horizon; m++) {
        const struct mk_underdog u = {&g->race, i, rank, m, 0.05, NULL};
        const double p = mk_path_probability(w, &u);
        if (m == g->race.horizon / 2) *locked = p;
        sum += p;
    }
    mk_path_work_free(w);
    return sum;
}

static void check_parts_of(struct game *g, unsigned seed, struct part_tally *tally)
{
    const struct state none = {{0}, {0}, ALL, 0};
    size_t rank[ARMS];
    forget_states(g);
    draw_part(g, seed);
    rank_arms(g, rank);
    const struct outlook exact = burn(g, &none, 1);
    for (size_t i = 0; i < g->race.arms; i++) {
        struct mk_error err = {0, ""};
        for (int side = 0; side < 2 && mk_pair_applies(&g->race); side++) {
            struct mk_upper_tail *tails;
            fail_if(mk_pair_tails_new(&tails, &g->race, rank, &err), &err);
            struct mk_certified_side s = MK_NO_SIDE;
            s.mean = side == MK_FROM_ABOVE ? (double)(g->race.horizon - g->race.arms + 1) : 1;
            fail_if(mk_pair_narrow(&s, &g->race, i, (enum mk_side)side, rank, tails, 0.01, &err), &err);
            mk_pair_tails_free(tails, g->race.arms);
            check_part(g, seed, i, side, s.mean, &exact, tally);
            double locked = 1;
            for (size_t k = 0; side && k < s.n && s.m[k] <= g->race.horizon / 2; k++) locked = s.tail[k];
            if (!(exact.locked[i] <= locked * (1 + 1e-12)))
                CHECK(0, "instance %u, arm %zu: P(N > T/2) = %.15g <= %.15g", seed, i, exact.locked[i], locked);
            if (g->race.arms == 2 && exact.most[i] < exact.least[i] + 1e-9) {
                tally->two++;
                tally->same += fabs(s.mean - exact.most[i]) < 0.01 * exact.most[i];
            }
            mk_certified_side_clear(&s);
        }
        double locked = 0;
        if (!mk_path_applies(&g->race)) continue;
        check_part(g, seed, i, PATH, by_paths(g, i, rank, &locked), &exact, tally);
        if (!(locked <= exact.locked[i] + 1e-12))
            CHECK(0, "instance %u, arm %zu: P(N > T/2) = %.15g >= %.15g", seed, i, exact.locked[i], locked);
    }
    for (size_t k = 0; k < g->race.arms; k++) mk_dist_free(g->arm[k].dist);
}

static void check_parts(struct game *g, unsigned n)
{
    static const char *const name[PARTS] = {"Theorem 16 from below", "Theorem 16 from above", "Theorem 17"};
    static const double share[PARTS] = {0.25, 0.25, 0.25};
    struct part_tally tally = {0};
    for (unsigned seed = 0; seed < n; seed++) check_parts_of(g, seed, &tally);
    CHECK(tally.wrong == 0, "%u instances: exact means within the bounds of Theorems 16 and 17", n);
    for (int part = 0; part < PARTS; part++)
        CHECK((double)tally.near[part] > share[part] * (double)tally.bounds[part],
              "%s: %zu of %zu bounds are within a tenth of the expectation", name[part], tally.near[part],
              tally.bounds[part]);
    CHECK(tally.two > 0 && tally.same > 0.8 * (double)tally.two,
          "two arms: %zu of %zu bounds by Theorem 16 are the expectation to 1 %%, as those by Theorem 6", tally.same,
          tally.two);
}

int main(void)
{
    const char *text = getenv("MAXK_CERTIFICATES");
    const unsigned n = text ? (unsigned)atoi(text) : 60;
    struct game g = {.memory = calloc(SLOTS, sizeof *g.memory), .used = malloc(SLOTS / 2 * sizeof *g.used)};
    struct tally tally = {0};
    REQUIRE(g.memory && g.used && n > 0, "memory, and instances");
    omp_set_num_threads(1);
    for (unsigned seed = 0; seed < n * (PAIRS + 1); seed++) check_game(&g, seed, &tally);
    check_merges(&g, n);
    check_parts(&g, n);
    free(g.memory);
    free(g.used);
    CHECK(!check_failed, "%u instances with %zu arms: exact means and lock-outs within their bounds", n, tally.arms);
    CHECK(tally.informative > 0.3 * (double)tally.arms, "%zu of the bands say something", tally.informative);
    CHECK(tally.near > 0.1 * (double)tally.arms, "%zu upper bounds are less than 10 %% above", tally.near);
    for (int s = 0; s < 2; s++)
        CHECK(tally.moving[s] > 0 && tally.said[s] > 0.3 * (double)tally.moving[s],
              "%s: %zu of %zu bands of moving arms say something", s ? "scaled" : "unscaled", tally.said[s],
              tally.moving[s]);
    /* most scaled ones have long chunks, moving ones no cells of atoms */
    static const double share[KINDS] = {0.9, 0.85, 0.7, 0.5, 0.7, 0.3};
    for (int s = 0; s < KINDS; s++)
        CHECK(tally.walks[s] > 0 && tally.close[s] > share[s] * (double)tally.walks[s],
              "two arms, %s: %zu of %zu bounds are exact", kinds[s], tally.close[s], tally.walks[s]);
    CHECK(tally.moving_maxima > 0 && tally.moving_narrow > 0.4 * (double)tally.moving_maxima,
          "moving: %zu of %zu mean maxima are known to 5 %% of the range", tally.moving_narrow, tally.moving_maxima);
    for (int s = 0; s < 2; s++)
        CHECK(tally.maxima[s] > 0 && tally.narrow[s] > 0.9 * (double)tally.maxima[s],
              "two arms, %s: %zu of %zu mean maxima are known to 1e-5 of the range", s ? "scaled" : "unscaled",
              tally.narrow[s], tally.maxima[s]);
    return CHECK_EXIT;
}

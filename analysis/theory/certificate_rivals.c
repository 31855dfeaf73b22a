/* The other arms' part of the upper bound: Theorem 1 for one m and x, sharpened by the clock (certificate.h, 3). */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/theory/certificate_parts.h"

static const double early_share = 0.005; /* of the bound: largest loss by sums of counts that are too small */
static const double rarely =
    0.3; /* arms that pass with a smaller probability are bounded given the sum of the others' counts */
static const double least_gain = 0.003; /* of the root of the bonus: below, the clock is not used */
static const double sum_error = 1e-10;  /* exceeds the rounding error of sums of a few hundred products */
static const double sum_cut[] = {0.03, 0.2, 0.4, 0.6, 0.8, 2}; /* where the distribution of that sum is truncated */

/* ---- work space ---- */

int mk_rival_work_new(struct mk_rival_work **out, size_t arms, struct mk_error *err)
{
    struct mk_rival_work *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w) return mk_fail_memory(err, "first passages");
    w->time = malloc(arms * sizeof *w->time);
    w->p = malloc(arms * sizeof *w->p);
    w->slow = malloc(arms * sizeof *w->slow);
    int code = w->time && w->p && w->slow ? mk_passage_new(&w->passage, err) : mk_fail_memory(err, "first passages");
    if (code) {
        mk_rival_work_free(w);
        return code;
    }
    *out = w;
    return MK_OK;
}

void mk_rival_work_free(struct mk_rival_work *w)
{
    if (!w) return;
    mk_passage_free(w->passage);
    free(w->time);
    free(w->p);
    free(w->slow);
    free(w);
}

/* ---- the barrier of Lemma 1 ---- */

struct barrier {
    const struct mk_race *race;
    double x;
    struct mk_round last;             /* T */
    double factor_high;               /* R+ */
    double factor_low, excess, slope; /* R- = factor_low + slope excess, excess = (x - from)^+ (certificate.h, 7) */
    bool capped;
    uint64_t m;
    uint64_t others; /* least number of pulls of the arms other than i and the rival */
    uint64_t least;  /* smallest possible round */
    uint64_t rising; /* h_m does not decrease from this s on; m: nothing is known */
};

/* The first s with power <= (2 + 1/s) log(2 s + 1). */
static uint64_t first_rising(double power)
{
    double s = 1;
    while (power > (2 + 1 / s) * log(2 * s + 1)) s++;
    return (uint64_t)s;
}

/* x + h_m(s) for s < m, of a round when the rival had `since` pulls or more. */
static double early_level(const struct barrier *b, uint64_t s, uint64_t since, double *size)
{
    const uint64_t t = since + b->m + 1 + b->others;
    double sum = 0;
    const double y =
        mk_bonus_lead(mk_round_of(b->race, (double)(t > b->least ? t : b->least)), (double)s, (double)b->m, &sum);
    const double share = b->slope * y;
    *size = (b->factor_low + b->slope * b->excess) * sum;
    return b->x - b->factor_low * y - b->excess * (b->capped ? fmin(1, share) : share);
}

/* x + h_m(s), with 8 units in the last place of its terms for the rounding here and in the policy's own index. */
static double level_at(const struct barrier *b, uint64_t s, uint64_t since, enum mk_side side)
{
    double level, size;
    if (s < b->m) {
        level = early_level(b, s, since, &size);
    } else {
        double sum = 0;
        const struct mk_round r = b->race->arms > 2 ? b->last : mk_round_of(b->race, (double)(s + b->m + 1));
        level = b->x + b->factor_high * mk_bonus_lead(r, (double)b->m, (double)s, &sum);
        size = b->factor_high * sum;
    }
    const double slack = 8 * DBL_EPSILON * (fabs(b->x) + size) + MK_TINY;
    return level + (side == MK_FROM_ABOVE ? slack : -slack);
}

/* Its running maximum: exactly, or over the ends of the stretches, with the earliest round of each. */
static double barrier_level(const void *of, uint64_t s, enum mk_side side)
{
    const struct barrier *b = of;
    const bool known = b->rising < b->m;
    double level = level_at(b, s, known ? s : mk_stretch_start(s), side);
    if (s >= b->m) return level;
    for (uint64_t k = 1, end; k < b->rising && k < s; k = end + 1) {
        end = known ? k : mk_stretch_end(k);
        if (end < s) level = fmax(level, level_at(b, end, k, side));
    }
    return level;
}

/* ---- first passages by time ---- */

static size_t bin_of(uint64_t s)
{
    if (s < 16) return (size_t)s;
    int octave = 63 - __builtin_clzll(s);
    return (size_t)(16 + (octave - 4) * 8) + (size_t)((s >> (octave - 3)) & 7);
}

static double bin_start(size_t bin)
{
    return bin < 16 ? (double)bin : ldexp((double)(8 + (bin - 16) % 8), (int)(bin - 16) / 8 + 1);
}

/* P(arm j passes); its first passages go to w->time[j] when `keep`. */
static double pass(struct mk_rival_work *w, const struct mk_rivals *r, size_t j, const struct barrier *b, bool keep)
{
    const struct mk_race *race = r->race;
    const struct mk_barrier g = {barrier_level, b, 1, race->horizon - b->m - (uint64_t)race->arms + 1};
    struct mk_passage *p = w->passage;
    double total = mk_passage_probability(p, &race->arm[j], &g, r->tolerance, MK_FROM_ABOVE);
    if (keep) {
        memset(w->time[j], 0, sizeof w->time[j]);
        for (size_t k = 0; k < p->n; k++) w->time[j][bin_of(p->time[k])] += p->mass[k];
    }
    return total;
}

static double median_time(const double *time, double total)
{
    double sum = 0;
    size_t bin = 0;
    while (bin + 1 < MK_TIME_BINS && (sum += time[bin]) < total / 2) bin++;
    return bin_start(bin);
}

/* ---- sums of counts ---- */

struct sum {
    const double *mass; /* [MK_SUM_BINS] of sums of first passages, in steps of `width`, rounded down */
    double width;
};

/* The sum of the first passages of the arms with w->slow == slow, up to about `range`. */
static struct sum add_times(struct mk_rival_work *w, const struct mk_rivals *r, bool slow, double range)
{
    double *sum = w->sum[0], *next = w->sum[1], *one = w->sum[2];
    const double width = fmax(1, ceil((range + 1) / MK_SUM_BINS));
    memset(sum, 0, sizeof w->sum[0]);
    sum[0] = 1;
    for (size_t j = 0; j < r->race->arms; j++) {
        if (j == r->arm || w->slow[j] != slow) continue;
        memset(one, 0, sizeof w->sum[0]);
        memset(next, 0, sizeof w->sum[0]);
        for (size_t bin = 0; bin < MK_TIME_BINS; bin++) {
            double at = bin_start(bin) / width;
            if (w->time[j][bin] > 0 && at < MK_SUM_BINS) one[(size_t)at] += w->time[j][bin];
        }
        for (size_t a = 0; a < MK_SUM_BINS; a++)
            for (size_t c = 0; one[a] > 0 && a + c < MK_SUM_BINS; c++) next[a + c] += one[a] * sum[c];
        double *swap = sum;
        sum = next;
        next = swap;
    }
    return (struct sum){sum, width};
}

static double median_sum(const struct mk_rival_work *w, const struct mk_rivals *r, bool slow)
{
    double total = 0;
    for (size_t j = 0; j < r->race->arms; j++)
        if (j != r->arm && w->slow[j] == slow) total += median_time(w->time[j], w->p[j]);
    return total;
}

/* ---- the bound ---- */

/* The product over all rivals for one barrier; from the highest arm on, as long as it matters. */
static struct mk_rivals_bound product(struct mk_rival_work *w, const struct mk_rivals *r, const struct barrier *b,
                                      bool keep)
{
    struct mk_rivals_bound out = {1, 1, 1, 0};
    bool higher = true;
    for (size_t k = 0; k < r->race->arms && out.all > r->negligible; k++) {
        size_t j = r->rank[k];
        if (j == r->arm) {
            higher = false;
            continue;
        }
        w->p[j] = pass(w, r, j, b, keep);
        out.all *= w->p[j];
        *(higher ? &out.higher : &out.rest) *= w->p[j];
    }
    return out;
}

/* Whether a round later by `counts` would change the bonus. */
static bool clock_matters(const struct mk_rivals *r, uint64_t m, double counts)
{
    const struct mk_race *race = r->race;
    const double T = (double)race->horizon, soon = fmin(T, (double)m + (double)race->arms + 3),
                 late = fmin(T, (double)m + counts + 2);
    const double first = mk_bonus(mk_round_of(race, soon), (double)m),
                 later = mk_bonus(mk_round_of(race, late), (double)m);
    const double room = (double)(race->horizon - 1 - m);
    return sqrt(later) > sqrt(first) * (1 + least_gain) || room <= 4 * counts;
}

/* First use of the clock: the round is late, except for an event of probability bound->early. */
static void wait_for_all(struct mk_rival_work *w, const struct mk_rivals *r, struct barrier *b,
                         struct mk_rivals_bound *bound)
{
    const size_t arms = r->race->arms;
    const double room = (double)(r->race->horizon - 1 - b->m), counts = median_sum(w, r, false);
    const double range = fmin(room, 4 * counts);
    struct sum s = add_times(w, r, false, range);
    double total = 0, early = 0, wait = 0;
    for (size_t k = 0; k < MK_SUM_BINS && (double)k * s.width <= room; k++) {
        total += s.mass[k];
        if (total > early_share * bound->all) continue;
        early = total;
        wait = (double)(k + 1) * s.width - 1;
    }
    if (range >= room) bound->all = fmin(bound->all, total);
    if (wait + 2 <= (double)arms) return;
    b->least = b->m + 2 + (uint64_t)wait;
    struct mk_rivals_bound late = product(w, r, b, true);
    bound->all = fmin(bound->all, late.all + early);
    bound->higher = late.higher;
    bound->early = early;
}

/* Second use: arms that rarely pass wait for the sum of the other arms' counts, of which they are independent. */
static void wait_for_slow(struct mk_rival_work *w, const struct mk_rivals *r, const struct barrier *b,
                          struct mk_rivals_bound *bound)
{
    const size_t arms = r->race->arms;
    size_t rare = 0;
    double mass = 1;
    for (size_t j = 0; j < arms; j++) {
        w->slow[j] = w->p[j] >= rarely;
        if (j == r->arm) continue;
        if (w->slow[j])
            mass *= w->p[j];
        else
            rare++;
    }
    if (rare == 0 || rare + 1 == arms) return;
    struct sum s = add_times(w, r, true, fmin((double)(r->race->horizon - 1 - b->m), 4 * median_sum(w, r, true) + 8));
    double total = bound->early, before = 0, sum = 0;
    size_t start = 0, cut = 0;
    for (size_t k = 0; k <= MK_SUM_BINS; k++) {
        const bool last = k == MK_SUM_BINS;
        if (last || sum >= sum_cut[cut] * mass) {
            double here = last ? fmax(0, mass * (1 + 1e-9) - before) : sum - before, p = 1;
            struct barrier late = *b;
            uint64_t others = (uint64_t)((double)start * s.width) + rare - 1;
            if (others > late.others) late.others = others;
            for (size_t j = 0; here > 0 && j < arms; j++)
                if (j != r->arm && !w->slow[j]) p *= pass(w, r, j, &late, false);
            total += here * p;
            before = sum;
            start = k;
            while (!last && sum >= sum_cut[cut] * mass) cut++;
        }
        if (!last) sum += s.mass[k];
    }
    bound->all = fmin(bound->all, total);
}

struct mk_rivals_bound mk_rivals_pass(struct mk_rival_work *w, const struct mk_rivals *r, uint64_t m, double x,
                                      double smallest, bool timed, double *gain)
{
    const struct mk_race *race = r->race;
    const bool scaled = race->scale != MK_RACE_UNSCALED;
    const double high = mk_factor_high_at(&r->limits, race, (double)m, x);
    struct barrier b = {.race = race,
                        .x = x,
                        .last = mk_round_of(race, (double)race->horizon),
                        .factor_high = high,
                        .factor_low = scaled ? 0 : 1,
                        .excess = scaled ? fmax(0, x - (race->scale == MK_RACE_BY_LARGEST ? 0 : smallest)) : 0,
                        .slope = scaled ? 1 / r->limits.width : 0,
                        .capped = !r->limits.nonnegative,
                        .m = m,
                        .rising = race->bonus ? m : first_rising(race->power),
                        .others = (uint64_t)race->arms - 2};
    for (size_t j = 0; j < race->arms; j++) w->slow[j] = false;
    struct mk_rivals_bound bound = product(w, r, &b, timed);
    const double alone = bound.all;
    if (gain) *gain = 1;
    if (!timed || bound.all <= r->negligible || race->arms == 2) return bound;
    if (!clock_matters(r, m, median_sum(w, r, false))) return bound;
    wait_for_all(w, r, &b, &bound);
    wait_for_slow(w, r, &b, &bound);
    bound.all *= 1 + sum_error;
    bound.early *= 1 + sum_error;
    if (gain) *gain = bound.all / alone;
    return bound;
}

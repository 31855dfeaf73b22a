/* The upper bound: the other arms' part for one m and x, by Theorem 1 and the clock (Proposition 2), and grids of m, of
 * the arm's maximum and of probabilities (Algorithm 2). */
#include <float.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/theory/certificates/certificate_parts.h"

/* ---- one arm against all others: its work space and the bound ---- */

static const double early_share = 0.005; /* of the bound: largest loss by sums of counts that are too small */
/* Arms that pass with a smaller probability are bounded given the sum of the others' counts. */
static const double rarely = 0.3;
static const double least_gain = 0.003;  /* of the root of the bonus: below, the clock is not used */
static const double times_error = 1e-10; /* exceeds the rounding error of sums of a few hundred products */
static const double sum_cut[] = {0.03, 0.2, 0.4, 0.6, 0.8, 2}; /* where the distribution of that sum is truncated */

/* First passages are kept by their time, 8 bins per octave, each counted at its lower end. */
enum { TIME_BINS = 16 + 8 * (64 - 4), SUM_BINS = 128 };

/* Work space of one thread. */
struct rival_work {
    struct mk_passage *passage;
    double (*time)[TIME_BINS]; /* [arms] masses of first passages */
    double *p;                 /* [arms] */
    bool *slow;                /* [arms] */
    double sum[3][SUM_BINS];
};

/* One arm against all others. */
struct rivals {
    const struct mk_race *race;
    size_t arm; /* i */
    const size_t
        *rank;         /* [arms] all arms in descending order of their maxima; those before `arm` are the higher ones */
    double tolerance;  /* of first passages */
    double negligible; /* probabilities below are negligible */
    struct mk_factor_limits limits; /* of the bonus */
};

/* Upper bounds of the probability, given M_i(m) = x, that the other arms let arm i be pulled an (m+1)-th time; higher
 * and rest: for Proposition 2 (a). */
struct rivals_bound {
    double all;
    double higher, rest; /* of the higher arms (except for an event of probability early) and of only the others */
    double early;
};

static void rival_work_free(struct rival_work *w)
{
    if (!w) return;
    mk_passage_free(w->passage);
    free(w->time);
    free(w->p);
    free(w->slow);
    free(w);
}

static int rival_work_new(struct rival_work **out, size_t arms, struct mk_error *err)
{
    struct rival_work *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w) return mk_fail_memory(err, "first passages");
    w->time = malloc(arms * sizeof *w->time);
    w->p = malloc(arms * sizeof *w->p);
    w->slow = malloc(arms * sizeof *w->slow);
    int code = w->time && w->p && w->slow ? mk_passage_new(&w->passage, err) : mk_fail_memory(err, "first passages");
    if (code) {
        rival_work_free(w);
        return code;
    }
    *out = w;
    return MK_OK;
}

/* ---- the barrier of Lemma 1 ---- */

struct barrier {
    const struct mk_race *race;
    double x;
    struct mk_round last;             /* T */
    double factor_high;               /* R+ */
    double factor_low, excess, slope; /* R- = factor_low + slope excess, excess = (x - q)^+ (Proposition 7) */
    bool capped; /* the factor y / w of excess is at most 1: all but nonnegative rewards divided by the largest one */
    uint64_t m;
    uint64_t others; /* least number of pulls of the arms other than i and the rival */
    uint64_t min;    /* smallest possible round */
    uint64_t rising; /* h_m does not decrease from this s on; m: nothing is known */
};

/* The first s with power <= (2 + 1/s) log(2 s + 1): Proposition 1 (b). */
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
        mk_bonus_lead(mk_round_of(b->race, (double)(t > b->min ? t : b->min)), (double)s, (double)b->m, &sum);
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
        const double lead = mk_bonus_lead(r, (double)b->m, (double)s, &sum), factor = sum > 0 ? b->factor_high : 0;
        level = b->x + factor * lead;
        size = factor * sum;
        if (isinf(size)) return side == MK_FROM_ABOVE ? INFINITY : -INFINITY; /* nothing is known of the factor */
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
    return bin < 16 ? (double)bin : (double)((uint64_t)(8 + (bin - 16) % 8) << ((bin - 16) / 8 + 1));
}

/* P(arm j passes); its first passages go to w->time[j] when `keep`. */
static double pass(struct rival_work *w, const struct rivals *r, size_t j, const struct barrier *b, bool keep)
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
    while (bin + 1 < TIME_BINS && (sum += time[bin]) < total / 2) bin++;
    return bin_start(bin);
}

/* ---- sums of counts ---- */

struct sum {
    const double *mass; /* [SUM_BINS] of sums of first passages, in steps of `width`, rounded down */
    double width;
};

/* The sum of the first passages of the arms with w->slow == slow, up to about `range`. */
static struct sum add_times(struct rival_work *w, const struct rivals *r, bool slow, double range)
{
    double *sum = w->sum[0], *next = w->sum[1], *one = w->sum[2];
    const double width = fmax(1, ceil((range + 1) / SUM_BINS));
    memset(sum, 0, sizeof w->sum[0]);
    sum[0] = 1;
    size_t sums = 1; /* the others have no mass */
    for (size_t j = 0; j < r->race->arms; j++) {
        if (j == r->arm || w->slow[j] != slow) continue;
        size_t ones = 0;
        memset(one, 0, sizeof w->sum[0]);
        memset(next, 0, sizeof w->sum[0]);
        for (size_t bin = 0; bin < TIME_BINS; bin++) {
            if (!(w->time[j][bin] > 0)) continue;
            const double at = bin_start(bin) / width;
            if (!(at < SUM_BINS)) break;
            ones = (size_t)at + 1;
            one[(size_t)at] += w->time[j][bin];
        }
        for (size_t a = 0; a < ones; a++)
            for (size_t c = 0; one[a] > 0 && c < sums && a + c < SUM_BINS; c++) next[a + c] += one[a] * sum[c];
        sums = sums + ones < SUM_BINS ? sums + ones : SUM_BINS;
        double *swap = sum;
        sum = next;
        next = swap;
    }
    return (struct sum){sum, width};
}

static double median_sum(const struct rival_work *w, const struct rivals *r, bool slow)
{
    double total = 0;
    for (size_t j = 0; j < r->race->arms; j++)
        if (j != r->arm && w->slow[j] == slow) total += median_time(w->time[j], w->p[j]);
    return total;
}

/* ---- the bound ---- */

/* The product over all rivals for one barrier; from the highest arm on, as long as it matters. */
static struct rivals_bound product(struct rival_work *w, const struct rivals *r, const struct barrier *b, bool keep)
{
    struct rivals_bound out = {1, 1, 1, 0};
    size_t before = r->race->arms; /* the previous rival; one with the same distribution passes alike */
    bool higher = true;
    for (size_t k = 0; k < r->race->arms && out.all > r->negligible; k++) {
        size_t j = r->rank[k];
        if (j == r->arm) {
            higher = false;
            continue;
        }
        if (before == r->race->arms || !mk_known_equal(&r->race->arm[before], &r->race->arm[j])) {
            w->p[j] = pass(w, r, j, b, keep);
        } else {
            w->p[j] = w->p[before];
            if (keep) memcpy(w->time[j], w->time[before], sizeof w->time[j]);
        }
        before = j;
        out.all *= w->p[j];
        *(higher ? &out.higher : &out.rest) *= w->p[j];
    }
    return out;
}

/* Whether a round later by `counts` would change the bonus. */
static bool clock_matters(const struct rivals *r, uint64_t m, double counts)
{
    const struct mk_race *race = r->race;
    const double T = (double)race->horizon, soon = fmin(T, (double)m + (double)race->arms + 3),
                 late = fmin(T, (double)m + counts + 2);
    const double first = mk_bonus(mk_round_of(race, soon), (double)m),
                 later = mk_bonus(mk_round_of(race, late), (double)m);
    const double room = (double)(race->horizon - 1 - m);
    return sqrt(later) > sqrt(first) * (1 + least_gain) || room <= 4 * counts;
}

/* First use of the clock, Proposition 2 (b) and (c): the round is late, except for an event of probability
 * bound->early. */
static void wait_for_all(struct rival_work *w, const struct rivals *r, struct barrier *b, struct rivals_bound *bound)
{
    const size_t arms = r->race->arms;
    const double room = (double)(r->race->horizon - 1 - b->m), counts = median_sum(w, r, false);
    const double range = fmin(room, 4 * counts);
    struct sum s = add_times(w, r, false, range);
    double total = 0, early = 0, wait = 0;
    for (size_t k = 0; k < SUM_BINS && (double)k * s.width <= room; k++) {
        total += s.mass[k];
        if (total > early_share * bound->all) continue;
        early = total;
        wait = (double)(k + 1) * s.width - 1;
    }
    if (range >= room) bound->all = fmin(bound->all, total);
    if (wait + 2 <= (double)arms) return;
    b->min = b->m + 2 + (uint64_t)wait;
    struct rivals_bound late = product(w, r, b, true);
    bound->all = fmin(bound->all, late.all + early);
    bound->higher = late.higher;
    bound->early = early;
}

/* Second use, Proposition 2 (d): arms that rarely pass wait for the sum of the other arms' counts, of which they are
 * independent. */
static void wait_for_slow(struct rival_work *w, const struct rivals *r, const struct barrier *b,
                          struct rivals_bound *bound)
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
    for (size_t k = 0; k <= SUM_BINS; k++) {
        const bool last = k == SUM_BINS;
        if (last || sum >= sum_cut[cut] * mass) {
            double here = last ? fmax(0, mass * (1 + 1e-9) - before) : sum - before, p = 1;
            struct barrier late = *b;
            uint64_t others = (uint64_t)((double)start * s.width) + rare - 1;
            if (others > late.others) late.others = others;
            double one = 1;
            for (size_t j = 0, last_one = arms; here > 0 && j < arms; j++) {
                if (j == r->arm || w->slow[j]) continue;
                if (last_one == arms || !mk_known_equal(&r->race->arm[last_one], &r->race->arm[j]))
                    one = pass(w, r, j, &late, false);
                last_one = j;
                p *= one;
            }
            total += here * p;
            before = sum;
            start = k;
            while (!last && sum >= sum_cut[cut] * mass) cut++;
        }
        if (!last) sum += s.mass[k];
    }
    bound->all = fmin(bound->all, total);
}

/* timed: also use that all arms share one clock, which costs five times as much and pays while m is small; *gain (may
 * be NULL) = all relative to its value without. smallest: mk_factor_smallest, of MK_RACE_BY_RANGE alone. */
static struct rivals_bound rivals_pass(struct rival_work *w, const struct rivals *r, uint64_t m, double x,
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
    struct rivals_bound bound = product(w, r, &b, timed);
    const double alone = bound.all;
    if (gain) *gain = 1;
    if (!timed || bound.all <= r->negligible || race->arms == 2) return bound;
    if (!clock_matters(r, m, median_sum(w, r, false))) return bound;
    wait_for_all(w, r, &b, &bound);
    wait_for_slow(w, r, &b, &bound);
    bound.all *= 1 + times_error;
    bound.early *= 1 + times_error;
    if (gain) *gain = bound.all / alone;
    return bound;
}

/* ---- the grids ---- */

enum { CELLS = 64, MOST_POINTS = 1200, ROUNDS = 60, BATCH = 16 };
static const double shared_fineness = 0.5; /* points of the shared grid: 1 for each step of 1 + refinement is two */
static const double negligible_share =
    1e-4;                              /* of the tolerance: largest sum of T probabilities that may be neglected */
static const double least_rest = 1e-3; /* the first u of the minimum over the arms that are not higher */
static const double sum_error = 1e-12; /* relative; exceeds the rounding error of a sum of MOST_POINTS products */
static const double no_gain = 0.995; /* of the clock, at the top cell: below it, the clock is not used for the others */

/* The arm's maximum M_i(m) in (x of the cell before, x]. */
struct cell {
    double x;
    double rate;      /* -log F_i(x), F_i from below */
    double all, rest; /* bounds at x, as in rivals_bound */
    bool whole;       /* an atom, which cannot be halved */
};

struct point {
    uint64_t m;
    size_t n;
    struct cell cell[CELLS]; /* ascending; the last x is the upper end */
    double higher, early;
    double smallest; /* of the rewards so far, at most (MK_RACE_BY_RANGE) */
    double missed;   /* P(it is not) */
    bool between;    /* it halves a block of the shared grid half as fine */
};

struct grid {
    struct rivals rivals;
    double tolerance;
    struct point **point; /* ascending in m */
    size_t n;
    double rare;  /* P(the factor is outside at any one point) */
    double *tail; /* [MOST_POINTS] */
    struct rival_work **work;
    size_t threads;
};

/* ---- one point ---- */

static double mass_below(const struct point *p, size_t c)
{
    return exp(-p->cell[c].rate * (double)p->m);
}

/* The mean rate of the first m rewards of arm i at x, from below. */
static double own_rate(const struct grid *g, const struct point *p, double x)
{
    const struct mk_known_cdf *f = &g->rivals.race->arm[g->rivals.arm];
    return f->moving ? mk_cdf_rates(f, x, 0, p->m, MK_FROM_BELOW) / (double)p->m : mk_cdf_rate(f, x, MK_FROM_BELOW);
}

/* Inserts a cut at position c; its bounds are at most those of the cut above. */
static void add_cut(const struct grid *g, struct rival_work *w, struct point *p, size_t c, double x, bool timed,
                    double *gain)
{
    struct rivals_bound b = {1, 1, 1, 0};
    if (x < INFINITY) b = rivals_pass(w, &g->rivals, p->m, x, p->smallest, timed, gain);
    memmove(p->cell + c + 1, p->cell + c, (p->n - c) * sizeof *p->cell);
    const bool top = c == p->n++;
    p->cell[c] = (struct cell){.x = x,
                               .rate = top ? 0 : own_rate(g, p, x),
                               .all = top ? b.all : fmin(b.all, p->cell[c + 1].all),
                               .rest = top ? b.rest : fmin(b.rest, p->cell[c + 1].rest)};
    p->higher = fmax(p->higher, b.higher);
    p->early = fmax(p->early, b.early);
}

static double mean_all(const struct point *p)
{
    double mean = 0;
    for (size_t c = 0; c < p->n; c++) mean += (mass_below(p, c) - (c > 0 ? mass_below(p, c - 1) : 0)) * p->cell[c].all;
    return mean;
}

/* Position at which another cut would change E[all] most, or p->n if nothing can be gained. */
static size_t worst_cell(const struct point *p, double tolerance, double negligible)
{
    double mean = 0, error = 0, worst = 0;
    size_t at = p->n;
    for (size_t c = 0; c < p->n; c++) {
        double mass = mass_below(p, c) - (c > 0 ? mass_below(p, c - 1) : 0);
        double its = mass * (p->cell[c].all - (c > 0 ? p->cell[c - 1].all : 0));
        mean += mass * p->cell[c].all;
        if (p->cell[c].whole) continue;
        error += its;
        if (its <= worst) continue;
        worst = its;
        at = c;
    }
    return error <= tolerance * mean || mean <= negligible ? p->n : at;
}

/* Where cell c is to be cut: at the middle of its probability, or just below the atom at its upper end; not below x
 * where it cannot be cut. */
static double middle_of(const struct grid *g, const struct point *p, size_t c)
{
    const struct mk_known_cdf *f = &g->rivals.race->arm[g->rivals.arm];
    const struct cell *cell = &p->cell[c];
    double below = c > 0 ? mass_below(p, c - 1) : 0, level = (below + mass_below(p, c)) / 2;
    if (c == 0) level /= 2;
    if (cell->x == INFINITY) level = 1 - (1 - below) / 8;
    const double step = mk_race_step(g->rivals.race, g->rivals.arm);
    double x = mk_race_quantile(g->rivals.race, g->rivals.arm, (double)p->m, level) + step;
    if (x >= cell->x && cell->x < INFINITY && !f->moving) {
        x = nextafter(cell->x - 2 * step, -INFINITY);
        double rate = mk_cdf_rate(f, x, MK_FROM_BELOW);
        double atom = mk_race_quantile(g->rivals.race, g->rivals.arm, 1, exp(-rate * (1 + 1e-9))) + step;
        if (atom < x && mk_cdf_rate(f, atom, MK_FROM_BELOW) <= rate) x = atom; /* nothing between the two */
    }
    bool within = x < cell->x && (c == 0 || x > p->cell[c - 1].x);
    return within && own_rate(g, p, x) > cell->rate ? x : cell->x;
}

static void fill_point(const struct grid *g, struct rival_work *w, struct point *p)
{
    static const double first_levels[] = {0.3, 0.02};
    const struct mk_race *race = g->rivals.race;
    const size_t arm = g->rivals.arm;
    double low, high, gain = 1;
    mk_known_support(&race->arm[arm], &low, &high);
    p->n = 0;
    p->higher = p->early = p->missed = 0;
    if (race->scale == MK_RACE_BY_RANGE) {
        p->smallest = mk_factor_smallest(race, arm, (double)p->m, g->rare);
        p->missed = g->rare;
    }
    add_cut(g, w, p, 0, high, true, &gain);
    bool timed = gain < no_gain || high == INFINITY;
    for (size_t k = 0; k < 2; k++) {
        double x = mk_race_quantile(race, arm, (double)p->m, first_levels[k]) + mk_race_step(race, arm);
        if (x < p->cell[0].x) add_cut(g, w, p, 0, x, timed, NULL);
    }
    while (p->n < CELLS) {
        size_t c = worst_cell(p, g->tolerance / 2, g->rivals.negligible);
        if (c == p->n) break;
        double x = middle_of(g, p, c);
        if (x < p->cell[c].x)
            add_cut(g, w, p, c, x, timed, NULL);
        else
            p->cell[c].whole = true;
    }
}

/* ---- the expectation of a minimum over the points ---- */

/* Selects a bound of a cell. */
typedef double value_of(const struct cell *c);

static double value_all(const struct cell *c)
{
    return c->all;
}

static double value_rest(const struct cell *c)
{
    return c->rest;
}

/* alive[k] = P(values of the points 0 … k all above u), from above. */
static void alive_above(const struct grid *g, struct mk_passage *p, double u, value_of *value, double *alive)
{
    const struct mk_known_cdf *f = &g->rivals.race->arm[g->rivals.arm];
    size_t first = g->n, passed = 0;
    double rate = INFINITY, level = -INFINITY;
    p->n = 0;
    p->moving = f->moving ? f : NULL;
    p->side = MK_FROM_BELOW;
    for (size_t k = 0; k < g->n && rate > 0; k++) {
        const struct point *at = g->point[k];
        size_t c = at->n;
        while (c > 0 && value(&at->cell[c - 1]) > u) c--;
        if (c > 0) {
            rate = fmin(rate, at->cell[c - 1].rate);
            level = fmax(level, at->cell[c - 1].x);
        }
        if (isinf(rate)) continue;
        if (first == g->n) first = k;
        p->time[p->n] = at->m;
        p->level[p->n] = level;
        p->rate[p->n++] = rate;
    }
    passed = p->n;
    if (passed > 0) mk_passage_solve(p, MK_FROM_ABOVE);
    double left = passed > 0 ? p->survive : 1;
    for (size_t k = g->n; k-- > 0;) {
        if (k < first)
            alive[k] = 1;
        else if (k >= first + passed)
            alive[k] = left;
        else {
            alive[k] = fmin(1, left);
            left += p->mass[k - first];
        }
    }
}

/* out[k] = E[min over the points 0 … k of their values], from above: the sum over probabilities u_0 = 0 < u_1 < … of
 * (u_(l+1) - u_l) P(minimum > u_l). */
static int expected_minimum(const struct grid *g, value_of *value, double min, double ratio, double *out,
                            struct mk_error *err)
{
    const size_t n = g->n, levels = (size_t)ceil(-log(min) / log(ratio)) + 1;
    double *alive = malloc(levels * n * sizeof *alive);
    if (!alive) return mk_fail_memory(err, "the certificate");
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)g->threads)
    for (size_t l = 0; l < levels; l++) {
        struct mk_passage *p = g->work[omp_get_thread_num()]->passage;
        double u = l == 0 ? 0 : pow(min, 1 - (double)(l - 1) / (double)(levels - 1));
        alive_above(g, p, u, value, alive + l * n);
    }
    for (size_t k = 0; k < n; k++) {
        const double top = value(&g->point[k]->cell[g->point[k]->n - 1]);
        double sum = 0, u = 0;
        for (size_t l = 0; l < levels && u < top; l++) {
            double next = l + 1 < levels ? pow(min, 1 - (double)l / (double)(levels - 1)) : 1;
            sum += (fmin(next, top) - u) * alive[l * n + k];
            u = next;
        }
        out[k] = fmin(1, sum);
    }
    free(alive);
    return MK_OK;
}

/* g->tail: the better of E[min all] and of the higher arms at m times E[min rest]. */
static int fill_tail(const struct grid *g, double ratio, struct mk_error *err)
{
    double *rest = malloc(g->n * sizeof *rest);
    if (!rest) return mk_fail_memory(err, "the certificate");
    int code = expected_minimum(g, value_all, g->rivals.negligible, ratio, g->tail, err);
    if (!code) code = expected_minimum(g, value_rest, least_rest, ratio, rest, err);
    double missed = g->rivals.limits.missed;
    for (size_t k = 0; !code && k < g->n; k++) {
        double split = g->point[k]->early + g->point[k]->higher * rest[k];
        missed += g->point[k]->missed;
        g->tail[k] = fmin(1, fmin(g->tail[k], split) + missed);
        if (k > 0) g->tail[k] = fmin(g->tail[k], g->tail[k - 1]);
    }
    free(rest);
    return code;
}

/* ---- the grid of m ---- */

/* The last m with P(N_i(T) > m) > 0. */
static uint64_t last_m(const struct grid *g)
{
    return g->rivals.race->horizon - (uint64_t)g->rivals.race->arms;
}

static uint64_t block_length(const struct grid *g, size_t k)
{
    return (k + 1 < g->n ? g->point[k + 1]->m : last_m(g) + 1) - g->point[k]->m;
}

/* Upper bound on the excess of block k: its first term is exact. */
static double block_error(const struct grid *g, size_t k)
{
    double next = k + 1 < g->n ? g->tail[k + 1] : 0;
    return (double)(block_length(g, k) - 1) * (g->tail[k] - next);
}

/* The bound of E[N_i(T)]; coarse: without the points between others. */
static double tail_sum(const struct grid *g, bool coarse)
{
    double sum = 0, tail = 1;
    for (size_t k = 0; k < g->n; k++) {
        if (!coarse || !g->point[k]->between) tail = g->tail[k];
        sum += (double)block_length(g, k) * tail;
    }
    return sum > 0 ? nextafter(1 + sum * (1 + sum_error), INFINITY) : 1;
}

static int add_point(struct grid *g, uint64_t m, struct mk_error *err)
{
    struct point *p = malloc(sizeof *p);
    if (!p) return mk_fail_memory(err, "the certificate");
    p->m = m;
    p->between = false;
    g->point[g->n++] = p;
    return MK_OK;
}

static int by_m(const void *a, const void *b)
{
    uint64_t x = (*(struct point *const *)a)->m, y = (*(struct point *const *)b)->m;
    return (x > y) - (x < y);
}

/* 1, 2, 4, …, half of T, and the last. */
static int first_points(struct grid *g, struct mk_error *err)
{
    const uint64_t last = last_m(g), half = g->rivals.race->horizon / 2;
    int code = MK_OK;
    for (uint64_t m = 1; !code && m <= last; m = m > last / 2 ? last + 1 : 2 * m) code = add_point(g, m, err);
    bool has_half = half < 1 || half > last;
    for (size_t k = 0; k < g->n; k++) has_half |= g->point[k]->m == half;
    if (!code && !has_half) code = add_point(g, half, err);
    bool has_last = false;
    for (size_t k = 0; k < g->n; k++) has_last |= g->point[k]->m == last;
    if (!code && !has_last) code = add_point(g, last, err);
    return code;
}

/* Halves the blocks with more than their share of the error. Points 0 … n-1 before are the old ones. */
static int add_points(struct grid *g, double share, struct mk_error *err)
{
    const size_t n = g->n;
    int code = MK_OK;
    uint64_t *middle = malloc(n * sizeof *middle);
    if (!middle) return mk_fail_memory(err, "the certificate");
    for (size_t k = 0; k < n; k++) {
        uint64_t a = g->point[k]->m, length = block_length(g, k);
        middle[k] = 0;
        if (length < 2 || block_error(g, k) <= share) continue;
        middle[k] = length > a ? (uint64_t)(sqrt((double)a) * sqrt((double)(a + length))) : a + length / 2;
        if (middle[k] <= a || middle[k] >= a + length) middle[k] = a + length / 2;
    }
    for (size_t k = 0; !code && k < n && g->n < MOST_POINTS; k++)
        if (middle[k] > 0) code = add_point(g, middle[k], err);
    free(middle);
    return code;
}

static void fill_points(struct grid *g, size_t from)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)g->threads)
    for (size_t k = from; k < g->n; k++) fill_point(g, g->work[omp_get_thread_num()], g->point[k]);
    qsort(g->point, g->n, sizeof *g->point, by_m);
}

/* Points in every octave of the shared grid, an even number: leaving out every other one changes the sum of a tail that
 * falls at once by less than `refinement`, but for m so small that they are rounded. */
static int shared_density(const struct grid *g, double refinement)
{
    const double octaves = log2((double)last_m(g)) + 2, max = (MOST_POINTS - BATCH) / octaves;
    return 2 * (int)fmax(1, floor(fmin(ceil(shared_fineness / log2(1 + refinement)), max / 2)));
}

/* The points of the shared grid, up to one from which on the tail is negligible. */
static int fill_shared(struct grid *g, int density, struct mk_error *err)
{
    const uint64_t last = last_m(g);
    struct point *p = NULL;
    int code = MK_OK;
    for (int k = 0; !code && (!p || p->m < last);) {
        const size_t done = g->n;
        for (; !code && (!p || p->m < last) && g->n < done + BATCH; k++) {
            const uint64_t m = (uint64_t)fmin((double)last, round(exp2((double)k / density)));
            if (!p || m > p->m) code = add_point(g, m, err);
            if (code) continue;
            const bool again = p && m == p->m;
            p = g->point[g->n - 1];
            p->between = k % 2 == 1 && (!again || p->between);
        }
        if (!code) fill_points(g, done);
        if (!code && mean_all(p) <= g->rivals.negligible) break;
    }
    if (p) p->between = false;
    return code ? code : fill_tail(g, 1 + g->tolerance, err);
}

static int refine(struct grid *g, struct mk_error *err)
{
    static const double rough = 1.2;
    int code = first_points(g, err);
    size_t done = 0;
    for (int round = 0; !code && round < ROUNDS && done < g->n; round++) {
        fill_points(g, done);
        done = g->n;
        code = fill_tail(g, rough, err);
        double error = 0, sum = tail_sum(g, false);
        for (size_t k = 0; k < g->n; k++) error += block_error(g, k);
        if (code || error <= g->tolerance * sum) break;
        code = add_points(g, g->tolerance * sum / (1.5 * (double)g->n), err);
    }
    return code ? code : fill_tail(g, 1 + g->tolerance, err);
}

/* ---- entry ---- */

static void grid_clear(struct grid *g)
{
    for (size_t k = 0; g->point && k < g->n; k++) free(g->point[k]);
    for (size_t k = 0; g->work && k < g->threads; k++) rival_work_free(g->work[k]);
    free(g->point);
    free(g->work);
    free(g->tail);
}

static int grid_start(struct grid *g, struct mk_error *err)
{
    g->threads = (size_t)omp_get_max_threads();
    g->point = malloc(MOST_POINTS * sizeof *g->point);
    g->tail = malloc(MOST_POINTS * sizeof *g->tail);
    g->work = calloc(g->threads, sizeof *g->work);
    int code = g->point && g->tail && g->work ? MK_OK : mk_fail_memory(err, "the certificate");
    for (size_t k = 0; !code && k < g->threads; k++) code = rival_work_new(&g->work[k], g->rivals.race->arms, err);
    return code;
}

static int copy_tail(struct mk_upper_tail *out, const struct grid *g, struct mk_error *err)
{
    out->n = g->n;
    out->m = malloc((g->n + 1) * sizeof *out->m);
    out->tail = malloc((g->n + 1) * sizeof *out->tail);
    if (!out->m || !out->tail) {
        mk_upper_tail_clear(out);
        return mk_fail_memory(err, "the certificate");
    }
    for (size_t k = 0; k < g->n; k++) {
        out->m[k] = g->point[k]->m;
        out->tail[k] = g->tail[k];
    }
    out->mean = tail_sum(g, false);
    out->coarse = tail_sum(g, true);
    return MK_OK;
}

/* refinement: of the shared grid; 0: a grid of its own. */
static int make_tail(struct mk_upper_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                     double tolerance, double refinement, struct mk_error *err)
{
    const double horizon = (double)race->horizon;
    const double negligible = negligible_share * tolerance / (refinement > 0 ? horizon * horizon : horizon);
    struct grid g = {.rivals = {race, arm, rank, tolerance, negligible, {0}},
                     .tolerance = tolerance,
                     .rare = negligible / MOST_POINTS};
    *out = (struct mk_upper_tail){0, NULL, NULL, 1, 1};
    if (race->horizon <= (uint64_t)race->arms) return MK_OK;
    mk_factor_limits(&g.rivals.limits, race, g.rare);
    int code = grid_start(&g, err);
    if (!code) code = refinement > 0 ? fill_shared(&g, shared_density(&g, refinement), err) : refine(&g, err);
    if (!code) code = copy_tail(out, &g, err);
    grid_clear(&g);
    return code;
}

int mk_upper_tail_new(struct mk_upper_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                      double tolerance, struct mk_error *err)
{
    return make_tail(out, race, arm, rank, tolerance, 0, err);
}

int mk_upper_tail_shared(struct mk_upper_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                         double refinement, struct mk_error *err)
{
    return make_tail(out, race, arm, rank, 2 * refinement, refinement, err);
}

void mk_upper_tail_clear(struct mk_upper_tail *t)
{
    free(t->m);
    free(t->tail);
    *t = (struct mk_upper_tail){0, NULL, NULL, 0, 0};
}

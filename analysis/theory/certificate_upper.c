/* The upper bound: Theorem 1 on grids of m, of the arm's maximum and of probabilities (certificate.h, 2 and 4). */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/theory/certificate_parts.h"

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
    double all, rest; /* bounds at x, as in mk_rivals_bound */
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
    struct mk_rivals rivals;
    double tolerance;
    struct point **point; /* ascending in m */
    size_t n;
    double rare;  /* P(the factor is outside at any one point) */
    double *tail; /* [MOST_POINTS] */
    struct mk_rival_work **work;
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
static void add_cut(const struct grid *g, struct mk_rival_work *w, struct point *p, size_t c, double x, bool timed,
                    double *gain)
{
    struct mk_rivals_bound b = {1, 1, 1, 0};
    if (x < INFINITY) b = mk_rivals_pass(w, &g->rivals, p->m, x, p->smallest, timed, gain);
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

static void fill_point(const struct grid *g, struct mk_rival_work *w, struct point *p)
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
static int expected_minimum(const struct grid *g, value_of *value, double least, double ratio, double *out,
                            struct mk_error *err)
{
    const size_t n = g->n, levels = (size_t)ceil(-log(least) / log(ratio)) + 1;
    double *alive = malloc(levels * n * sizeof *alive);
    if (!alive) return mk_fail_memory(err, "the certificate");
#pragma omp parallel for schedule(dynamic, 8) num_threads((int)g->threads)
    for (size_t l = 0; l < levels; l++) {
        struct mk_passage *p = g->work[omp_get_thread_num()]->passage;
        double u = l == 0 ? 0 : pow(least, 1 - (double)(l - 1) / (double)(levels - 1));
        alive_above(g, p, u, value, alive + l * n);
    }
    for (size_t k = 0; k < n; k++) {
        const double top = value(&g->point[k]->cell[g->point[k]->n - 1]);
        double sum = 0, u = 0;
        for (size_t l = 0; l < levels && u < top; l++) {
            double next = l + 1 < levels ? pow(least, 1 - (double)l / (double)(levels - 1)) : 1;
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
    const double octaves = log2((double)last_m(g)) + 2, most = (MOST_POINTS - BATCH) / octaves;
    return 2 * (int)fmax(1, floor(fmin(ceil(shared_fineness / log2(1 + refinement)), most / 2)));
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
    for (size_t k = 0; g->work && k < g->threads; k++) mk_rival_work_free(g->work[k]);
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
    for (size_t k = 0; !code && k < g->threads; k++) code = mk_rival_work_new(&g->work[k], g->rivals.race->arms, err);
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

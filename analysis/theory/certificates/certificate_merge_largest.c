/* The mean of the largest reward of any number of arms under a bonus without rounds: Theorem 15, certificate_merge.h.
 */
#include <float.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_merge.h"
#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "sim/base/error.h"

enum { FEWEST = 16, MOST_LEVELS = 128, MOST_POINTS = 512, MOST_ROUNDS = 4096 };
static const double most_work = 2e9;  /* additions and multiplications at a refinement of 0.02, about */
static const double narrowest = 1e-7; /* cells of z and x are not divided further */
static const double rare = 1e-9;      /* cells of z with less probability are not divided */

/* What is computed of all arms at one level z, for rewards up to x. Arrays [arms][rounds + 1], by counts. */
struct stage {
    double *mass;   /* P(sigma_j = s, M_j(s) <= x) */
    double *stay;   /* P(sigma_j > s, M_j(s) <= x) */
    double *before; /* the distribution of the sum of sigma_j over the arms before this one in the order */
    double *after;  /* over those after it */
};

struct level {
    double z;
    double *bound; /* [arms][rounds + 1] F_j at the barrier, not falling with the count */
    double missed; /* the probability that rounding decides an event at this level */
    double within; /* P(sum of sigma_j <= T), about */
};

struct point {
    double x, max, min; /* min <= P(V <= x) <= max */
};

struct largest {
    const struct mk_race *race;
    size_t arms, rounds, levels, points, room; /* room: of an array of a stage */
    size_t most_levels, most_points;
    struct level level[MOST_LEVELS];
    struct point point[MOST_POINTS];
    struct stage stage[2];
    double *work;  /* [rounds + 2] twice */
    double *top;   /* [arms] F_j(x) */
    size_t *order; /* [arms] by falling top */
    double missed; /* over all levels */
    double error;  /* of sums */
};

/* ---- barriers ---- */

/* F_j(x), rounded upwards; *min: rounded downwards. x has an error of at most `slack`. */
static double chance_at(const struct mk_known_cdf *f, double x, double slack, double *min)
{
    const double up = exp(-mk_cdf_rate(f, x + slack, MK_FROM_ABOVE)) * (1 + 4 * DBL_EPSILON),
                 down = exp(-mk_cdf_rate(f, x - slack, MK_FROM_BELOW)) * (1 - 4 * DBL_EPSILON);
    *min = fmax(0, down);
    return fmin(1, up);
}

static void fill_bounds(struct largest *g, struct level *l)
{
    const struct mk_round round = mk_round_of(g->race, (double)g->race->horizon);
    l->missed = 0;
    for (size_t j = 0; j < g->arms; j++) {
        double *bound = l->bound + j * g->room, min, missed = 0;
        bound[0] = 0;
        for (size_t s = 1; s <= g->rounds; s++) {
            const double bonus = mk_bonus(round, (double)s), slack = 16 * DBL_EPSILON * (fabs(l->z) + bonus) + MK_TINY;
            bound[s] = fmax(bound[s - 1], chance_at(&g->race->arm[j], l->z - bonus, slack, &min));
            missed += pow(bound[s], (double)s) * (1 + 1e-12) - pow(min, (double)s) * (1 - 1e-12);
        }
        l->missed += missed;
    }
}

/* ---- sums of counts ---- */

/* out[u] += sum of a[s] b[u - s], u <= rounds. */
static void convolve(double *out, const double *a, const double *b, size_t rounds)
{
    memset(out, 0, (rounds + 1) * sizeof *out);
    for (size_t s = 0; s <= rounds; s++) {
        if (!(a[s] > 0)) continue;
        for (size_t u = 0; u + s <= rounds; u++) out[u + s] += a[s] * b[u];
    }
}

/* First passages of one arm, all rewards being at most the top-th quantile: fills mass and stay. q[k]: no passage so
 * far, the largest reward is between bound[k] and bound[k + 1]. */
static void pass(const struct largest *g, const struct level *l, size_t j, struct stage *out)
{
    const double *bound = l->bound + j * g->room, top = g->top[j];
    double *q = g->work, *mass = out->mass + j * g->room, *stay = out->stay + j * g->room;
    const size_t n = g->rounds;
    memset(mass, 0, (n + 1) * sizeof *mass);
    memset(stay, 0, (n + 1) * sizeof *stay);
    memset(q, 0, (n + 1) * sizeof *q);
    stay[0] = 1;
    for (size_t s = 1; s <= n; s++) {
        double below = s == 1 ? 1 : 0, sum = 0;
        for (size_t k = s - 1; k <= n; k++) {
            const double low = fmin(bound[k], top), high = k < n ? fmin(bound[k + 1], top) : top, own = q[k];
            q[k] = own * high + below * (high - low);
            below += own;
            sum += q[k];
        }
        mass[s] = q[s - 1];
        q[s - 1] = 0;
        for (size_t k = s; k <= n; k++) stay[s] += q[k];
        if (!(sum > 0)) break;
    }
}

/* The stage of a level; NULL: above all, where every arm has one pull. */
static void fill_stage(struct largest *g, const struct level *l, struct stage *out)
{
    const size_t bytes = g->room * sizeof *out->mass;
    for (size_t j = 0; j < g->arms; j++) {
        if (l) {
            pass(g, l, j, out);
            continue;
        }
        memset(out->mass + j * g->room, 0, bytes);
        memset(out->stay + j * g->room, 0, bytes);
        out->mass[j * g->room + 1] = g->top[j];
    }
    for (size_t side = 0; side < 2; side++) {
        double *sums = side ? out->after : out->before;
        for (size_t k = 0; k < g->arms; k++) {
            const size_t j = g->order[side ? g->arms - 1 - k : k];
            if (k == 0) {
                memset(sums + j * g->room, 0, bytes);
                sums[j * g->room] = 1;
                continue;
            }
            const size_t last = g->order[side ? g->arms - k : k - 1];
            convolve(sums + j * g->room, out->mass + last * g->room, sums + last * g->room, g->rounds);
        }
    }
}

/* The stage below all levels: no arm ever passes. */
static void fill_last(struct largest *g, struct stage *out)
{
    const size_t bytes = g->room * sizeof *out->mass;
    for (size_t j = 0; j < g->arms; j++) {
        double stay = 1;
        memset(out->mass + j * g->room, 0, bytes);
        memset(out->before + j * g->room, 0, bytes);
        memset(out->after + j * g->room, 0, bytes);
        for (size_t s = 0; s <= g->rounds; s++, stay *= g->top[j]) out->stay[j * g->room + s] = stay;
    }
    out->before[g->order[0] * g->room] = 1;
    out->after[g->order[g->arms - 1] * g->room] = 1;
}

/* What the cell between two levels, `high` and `low`, contributes if the arms before arm i in the order have all pulls
 * of the cell and those after it none (`falling`), or the other way round. */
static double cell_sum(const struct largest *g, const struct stage *high, const struct stage *low, bool falling)
{
    double *total = g->work + g->room, sum = 0;
    for (size_t i = 0; i < g->arms; i++) {
        const size_t at = i * g->room;
        convolve(total, (falling ? low->before : low->after) + at, (falling ? high->after : high->before) + at,
                 g->rounds);
        for (size_t u = 0; u < g->rounds; u++)
            sum += total[u] * fmax(0, low->stay[at + g->rounds - u] - high->stay[at + g->rounds - u]);
    }
    return sum;
}

/* ---- P(V <= x) ---- */

static void order_arms(struct largest *g)
{
    for (size_t j = 0; j < g->arms; j++) {
        size_t at = j;
        for (; at > 0 && g->top[g->order[at - 1]] < g->top[j]; at--) g->order[at] = g->order[at - 1];
        g->order[at] = j;
    }
}

static void fill_point(struct largest *g, struct point *p)
{
    double unsure = 0, max = 0, min = 0, burnt_most = 1, burnt_least = 1;
    for (size_t j = 0; j < g->arms; j++) {
        double low;
        g->top[j] = chance_at(&g->race->arm[j], p->x, 0, &low);
        unsure = fmax(unsure, g->top[j] - low);
        burnt_most *= pow(g->top[j], (double)g->race->arm[j].burnt) * (1 + 1e-12);
        burnt_least *= pow(low, (double)g->race->arm[j].burnt) * (1 - 1e-12);
    }
    order_arms(g);
    struct stage *high = &g->stage[0], *low = &g->stage[1];
    fill_stage(g, NULL, high);
    for (size_t l = g->levels + 1; l-- > 0;) {
        if (l > 0)
            fill_stage(g, &g->level[l - 1], low);
        else
            fill_last(g, low);
        max += cell_sum(g, high, low, true);
        min += cell_sum(g, high, low, false);
        struct stage *const next = high;
        high = low;
        low = next;
    }
    p->max = fmin(1, fmin(1, max + g->missed + g->error) * burnt_most);
    p->min = fmax(0, (min - g->missed - g->error - (double)g->rounds * unsure * (1 + 1e-12)) * burnt_least);
}

/* ---- levels ---- */

/* Fills a level, with P(sum of sigma_j <= T). */
static int fill_level(struct largest *g, struct level *l, double z, struct mk_error *err)
{
    l->z = z;
    l->bound = malloc(g->arms * g->room * sizeof *l->bound);
    if (!l->bound) return mk_fail_memory(err, "the certificate");
    fill_bounds(g, l);
    for (size_t j = 0; j < g->arms; j++) {
        g->top[j] = 1;
        g->order[j] = j;
    }
    fill_stage(g, l, &g->stage[0]);
    const size_t last = g->order[g->arms - 1];
    convolve(g->work + g->room, g->stage[0].before + last * g->room, g->stage[0].mass + last * g->room, g->rounds);
    l->within = 0;
    for (size_t u = 0; u <= g->rounds; u++) l->within += g->work[g->room + u];
    return MK_OK;
}

/* Adds a level where there is none. */
static int add_level(struct largest *g, double z, struct mk_error *err)
{
    size_t at = g->levels;
    if (!isfinite(z) || g->levels == g->most_levels) return MK_OK;
    while (at > 0 && g->level[at - 1].z >= z) at--;
    if (at < g->levels && g->level[at].z == z) return MK_OK;
    struct level l = {0};
    const int code = fill_level(g, &l, z, err);
    if (code) {
        free(l.bound);
        return code;
    }
    memmove(g->level + at + 1, g->level + at, (g->levels - at) * sizeof *g->level);
    g->level[at] = l;
    g->levels++;
    return MK_OK;
}

/* Where the likeliest cell is divided, outside of all levels too; NaN: nowhere. */
static double next_level(const struct largest *g)
{
    const double low = g->level[0].z, high = g->level[g->levels - 1].z, step = (high - low) / 2 + narrowest;
    double max = rare, at = NAN, before = 0;
    for (size_t l = 0; l <= g->levels; l++) {
        const double within = l < g->levels ? g->level[l].within : 1, share = within - before;
        const double width = l == 0 || l == g->levels ? INFINITY : g->level[l].z - g->level[l - 1].z;
        before = within;
        if (share <= max || width < narrowest * (1 + fabs(low) + fabs(high))) continue;
        max = share;
        at = l == 0 ? low - step : l == g->levels ? high + step : g->level[l - 1].z + 0.503 * width;
    }
    return at;
}

/* A level where the index of a point mass is said by rounding is of no use. */
static double off_atoms(double z)
{
    return z + 0.37 * narrowest * (1 + fabs(z));
}

static int choose_levels(struct largest *g, struct mk_error *err)
{
    const struct mk_round round = mk_round_of(g->race, (double)g->race->horizon);
    int code = MK_OK;
    for (size_t j = 0; j < g->arms && j < FEWEST / 2 && !code; j++)
        code = add_level(g, off_atoms(mk_race_quantile(g->race, j, 2, 0.45) + mk_bonus(round, 2)), err);
    if (!code && g->levels == 0) code = add_level(g, 0, err);
    while (!code && g->levels < g->most_levels) {
        const double z = next_level(g);
        if (isnan(z)) break;
        code = add_level(g, z, err);
    }
    g->missed = 0;
    for (size_t l = 0; l < g->levels; l++) g->missed += g->level[l].missed;
    return code;
}

/* ---- points ---- */

static void add_point(struct largest *g, double x)
{
    size_t at = g->points;
    if (g->points == g->most_points || !(x > g->point[0].x) || !(x < g->point[g->points - 1].x)) return;
    while (g->point[at - 1].x > x) at--;
    if (g->point[at - 1].x == x) return;
    struct point p = {x, 1, 0};
    fill_point(g, &p);
    memmove(g->point + at + 1, g->point + at, (g->points - at) * sizeof *g->point);
    g->point[at] = p;
    g->points++;
}

/* The integrals of the bounds of P(V <= x) over all cells, and where the cell that contributes most is divided. */
static double integrate(const struct largest *g, struct mk_certified_maximum *out)
{
    double max = 0, at = NAN;
    out->min = out->max = 0;
    for (size_t k = 0; k + 1 < g->points; k++) {
        const struct point *a = &g->point[k], *b = &g->point[k + 1];
        const double width = b->x - a->x, gap = width * (b->max - a->min);
        out->min += width * a->min;
        out->max += width * b->max;
        if (gap <= max || width < narrowest * (1 + fabs(a->x) + fabs(b->x))) continue;
        max = gap;
        at = a->x + 0.503 * width;
    }
    return at;
}

/* Next to what may be point masses, on both sides: P(V <= x) is flat between them where rewards have few values. */
static int add_breaks(struct largest *g, struct mk_error *err)
{
    for (size_t j = 0; j < g->arms; j++) {
        const struct mk_dist *d = g->race->arm[j].dist;
        const size_t n = mk_dist_breaks(d, NULL);
        if (n == 0 || n > MOST_LEVELS / 4) continue;
        double *x = malloc(n * sizeof *x);
        if (!x) return mk_fail_memory(err, "the certificate");
        mk_dist_breaks(d, x);
        for (size_t k = 0; k < n; k++) {
            const double near = 4 * mk_race_step(g->race, j) + narrowest * 1e-3 * (1 + fabs(x[k]));
            add_point(g, x[k] - near);
            add_point(g, x[k] + near);
        }
        free(x);
    }
    return MK_OK;
}

static int choose_points(struct largest *g, double low, double high, struct mk_certified_maximum *out,
                         struct mk_error *err)
{
    static const double shares[] = {1e-3, 0.1, 0.5, 0.9, 0.999};
    g->point[0] = (struct point){low, 1, 0};
    g->point[1] = (struct point){high, 1, 0};
    g->points = 2;
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double x = -INFINITY;
        for (size_t j = 0; j < g->arms; j++)
            x = fmax(x, mk_race_quantile(g->race, j, (double)g->race->horizon, shares[i]));
        add_point(g, x + narrowest * fabs(x));
    }
    const int code = add_breaks(g, err);
    if (code) return code;
    for (;;) {
        const double x = integrate(g, out);
        const size_t before = g->points;
        if (isnan(x)) return MK_OK;
        add_point(g, x);
        if (g->points == before) return MK_OK;
    }
}

/* ---- the whole ---- */

static void largest_free(struct largest *g)
{
    for (size_t l = 0; l < g->levels; l++) free(g->level[l].bound);
    for (size_t s = 0; s < 2; s++) {
        free(g->stage[s].mass);
        free(g->stage[s].stay);
        free(g->stage[s].before);
        free(g->stage[s].after);
    }
    free(g->work);
    free(g->top);
    free(g->order);
    free(g);
}

static int start(struct largest *g, struct mk_error *err)
{
    const size_t n = g->arms * g->room;
    bool all = true;
    for (size_t s = 0; s < 2; s++) {
        g->stage[s].mass = calloc(n, sizeof(double));
        g->stage[s].stay = calloc(n, sizeof(double));
        g->stage[s].before = calloc(n, sizeof(double));
        g->stage[s].after = calloc(n, sizeof(double));
        all &= g->stage[s].mass && g->stage[s].stay && g->stage[s].before && g->stage[s].after;
    }
    g->work = calloc(2 * g->room, sizeof *g->work);
    g->top = calloc(g->arms, sizeof *g->top);
    g->order = calloc(g->arms, sizeof *g->order);
    return all && g->work && g->top && g->order ? MK_OK : mk_fail_memory(err, "the certificate");
}

/* How many levels and points the cost allows; false: too few. */
static bool choose_sizes(size_t *levels, size_t *points, const struct mk_race *race, double refinement)
{
    const double rounds = (double)race->horizon, each = 2.5 * (double)race->arms * rounds * rounds,
                 size = most_work * 0.02 / fmax(refinement, 2e-3) / each;
    if (race->horizon > MOST_ROUNDS || !(size >= FEWEST * FEWEST)) return false;
    *levels = (size_t)fmin(MOST_LEVELS, sqrt(size));
    *points = (size_t)fmin(MOST_POINTS, size / (double)*levels);
    return true;
}

int mk_merge_largest(struct mk_certified_maximum *out, const struct mk_race *race, double refinement,
                     struct mk_error *err)
{
    size_t levels, points;
    struct mk_certified_maximum area;
    double low, high, left, right;
    *out = MK_NO_MAXIMUM;
    if (!mk_merge_applies(race) || !choose_sizes(&levels, &points, race, refinement) ||
        !mk_walk_range(race, &low, &high))
        return MK_OK;
    int code = mk_walk_beyond(race, low, high, &left, &right, err);
    struct largest *g = code ? NULL : calloc(1, sizeof *g);
    if (!g) return code ? code : mk_fail_memory(err, "the certificate");
    *g = (struct largest){.race = race, .arms = race->arms, .rounds = race->horizon, .room = race->horizon + 2};
    g->most_levels = levels;
    g->most_points = points;
    const double n = (double)g->arms, t = (double)g->rounds;
    g->error = 32 * (double)(levels + 1) * n * (n + 1) * (t + 8) * DBL_EPSILON + 1e-280;
    code = start(g, err);
    if (!code) code = choose_levels(g, err);
    if (!code) code = choose_points(g, low, high, &area, err);
    if (!code) {
        const double slack = 1e-13 * (fabs(low) + fabs(high)); /* of the sums over points */
        if (isfinite(left)) out->min = high - area.max - left - slack;
        if (isfinite(right)) out->max = high - area.min + right + slack;
    }
    largest_free(g);
    return code;
}

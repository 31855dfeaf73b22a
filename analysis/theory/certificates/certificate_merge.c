#include "analysis/theory/certificates/certificate_merge.h"

#include <float.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_counts.h"
#include "analysis/theory/certificates/certificate_parts.h"
#include "sim/base/error.h"

enum { MOST_LEVELS = 320, MOST_FINENESS = 128, STEPS = 12 };
static const double most_work = 4e8;   /* additions and multiplications at a refinement of 0.02, about */
static const double unseen = 1e-280;   /* probabilities below this one are not certified to be smaller */
static const double level_share = 0.2; /* of the refinement: what the grid of z may contribute */

/* What is computed at one level z. */
struct level {
    double z;
    double *stays; /* [n + 1] stays[b] = P(sigma_i(z) is in block b or a later one, or inf) */
    double *reach; /* [n + 1] reach[c] = P(the sum of the rivals' sigma_j(z) is in the first c blocks) */
};

/* Counts m at which a bound of P(N_i > m) changes, and the bound from there on, up to the next one. */
struct points {
    size_t n;
    uint64_t *m;           /* [2 MK_COUNTS_BLOCKS + 2] ascending */
    size_t *stays, *reach; /* indices into those of the levels */
    double *tail;
};

struct merge {
    const struct mk_race *race;
    size_t arm;
    enum mk_side side;
    size_t *order; /* [arms - 1] the rivals, those with the smallest medians first */
    struct mk_count_blocks counts;
    uint16_t *sum; /* [n][n] the block of a sum of two counts; n: beyond T - 1 */
    struct mk_passage *passage;
    double *mass, *total, *next; /* [n] of a rival, of the rivals so far, work */
    size_t levels;
    struct level level[MOST_LEVELS];
    double gap[MOST_LEVELS + 1]; /* of the cell below each level, and above the last one: what it contributes */
    struct points points;
    double mean, work;
};

/* ---- where it applies ---- */

bool mk_merge_applies(const struct mk_race *race)
{
    if (race->scale != MK_RACE_UNSCALED || race->falling || race->horizon < 3) return false;
    const struct mk_round first = mk_round_of(race, 2), last = mk_round_of(race, (double)race->horizon);
    if (!race->bonus) return race->alpha == 0;
    bool same = true;
    for (double n = 1; same && n <= (double)race->horizon; n = (double)mk_stretch_end((uint64_t)n) + 1)
        same = mk_bonus(first, n) == mk_bonus(last, n);
    return same;
}

/* ---- first passages ---- */

/* z - w(s), rounded to `side`. */
static double barrier(const struct mk_race *race, double z, uint64_t s, enum mk_side side)
{
    const double bonus = mk_bonus(mk_round_of(race, (double)race->horizon), (double)s);
    const double slack = 16 * DBL_EPSILON * (fabs(z) + bonus) + MK_TINY;
    return z - bonus + (side == MK_FROM_ABOVE ? slack : -slack);
}

/* The probabilities of sigma_j(z) in the blocks. `early`: sigma_j is replaced by a smaller variable, at the first
 * counts of blocks, else by a larger one, at their last counts; probabilities are rounded to `side`. */
static void pass(struct merge *g, size_t j, double z, bool early, enum mk_side side)
{
    struct mk_passage *p = g->passage;
    const struct mk_count_blocks *c = &g->counts;
    const struct mk_known_cdf *f = &g->race->arm[j];
    const enum mk_side levels = early ? MK_FROM_ABOVE : MK_FROM_BELOW;
    p->n = c->n;
    p->moving = f->moving ? f : NULL;
    p->side = levels;
    for (size_t b = 0; b < c->n; b++) {
        const double at = barrier(g->race, z, c->last[b], levels);
        double rate = 0;
        p->time[b] = early ? c->first[b] : c->last[b];
        p->level[b] = b > 0 ? fmax(at, p->level[b - 1]) : at;
        if (!f->moving) rate = mk_cdf_rate(f, at, levels);
        p->rate[b] = b > 0 ? fmin(rate, p->rate[b - 1]) : rate;
    }
    mk_passage_solve(p, side);
    g->work += 3 * (double)c->n * (double)c->n;
}

static double moved(const struct merge *g, double p)
{
    const double error = ((double)g->counts.n + 8) * DBL_EPSILON;
    return g->side == MK_FROM_ABOVE ? fmin(1, p * (1 + error) + unseen) : fmax(0, p * (1 - error) - unseen);
}

static void fill_reach(struct merge *g, struct level *l)
{
    const size_t n = g->counts.n, rivals = g->race->arms - 1;
    for (size_t k = 0; k < rivals; k++) {
        const size_t j = g->order[k];
        if (k == 0 || !mk_known_equal(&g->race->arm[j], &g->race->arm[g->order[k - 1]])) {
            pass(g, j, l->z, g->side == MK_FROM_ABOVE, g->side);
            memcpy(g->mass, g->passage->mass, n * sizeof *g->mass);
        }
        if (k == 0)
            memcpy(g->total, g->mass, n * sizeof *g->mass);
        else
            g->work += 2 * mk_count_blocks_add(g->total, g->mass, g->next, &g->counts, g->sum);
    }
    double sum = 0;
    for (size_t c = 0; c <= n; c++) {
        l->reach[c] = moved(g, sum);
        if (c < n) sum += g->total[c];
    }
}

/* Larger from above where arm i passes late. */
static void fill_stays(struct merge *g, struct level *l)
{
    const size_t n = g->counts.n;
    pass(g, g->arm, l->z, g->side == MK_FROM_BELOW, g->side);
    double sum = g->passage->survive;
    for (size_t b = n + 1; b-- > 0;) {
        if (b < n) sum += g->passage->mass[b];
        l->stays[b] = moved(g, sum);
    }
}

static void fill_level(struct merge *g, struct level *l)
{
    fill_reach(g, l);
    fill_stays(g, l);
}

/* ---- the tail ---- */

/* Times of arm i are at the other end of blocks than those of its rivals. */
static void fill_points(struct merge *g)
{
    const struct mk_count_blocks *c = &g->counts;
    const uint64_t *own = g->side == MK_FROM_ABOVE ? c->last : c->first;
    const uint64_t end = g->race->horizon - (uint64_t)g->race->arms + 1; /* N_i(T) is at most this */
    struct points *p = &g->points;
    p->n = 0;
    size_t a = 0, b = c->n; /* own[a], T - value[b - 1] are next */
    for (uint64_t m = 1; m < end;) {
        p->m[p->n] = m;
        p->stays[p->n] = mk_count_blocks_up_to(own, c->n, m);
        p->reach[p->n++] = mk_count_blocks_up_to(c->value, c->n, g->race->horizon - 1 - m);
        while (a < c->n && own[a] <= m) a++;
        while (b > 0 && g->race->horizon - c->value[b - 1] <= m) b--;
        m = end;
        if (a < c->n && own[a] < m) m = own[a];
        if (b > 0 && g->race->horizon - c->value[b - 1] < m) m = g->race->horizon - c->value[b - 1];
    }
    p->m[p->n] = end;
}

/* At point k, of levels l: P(Z > z), and P(the sum is small enough); beyond the ends of the grid 1 and 0, 0 and 1. */
static double stays_at(const struct merge *g, size_t l, size_t k)
{
    return l == 0 ? 1 : l > g->levels ? 0 : g->level[l - 1].stays[g->points.stays[k]];
}

static double reach_at(const struct merge *g, size_t l, size_t k)
{
    return l == 0 ? 0 : l > g->levels ? 1 : g->level[l - 1].reach[g->points.reach[k]];
}

/* The bound of P(N_i > m) at point k. What is computed of a level bounds the same of higher ones (reach), and of lower
 * ones (stays), so that both may be made monotone. */
static double tail_at(struct merge *g, size_t k)
{
    const bool above = g->side == MK_FROM_ABOVE;
    const double error = (2 * (double)g->levels + 16) * DBL_EPSILON,
                 length = (double)(g->points.m[k + 1] - g->points.m[k]);
    double sum = 0, before = 0;
    for (size_t l = 1; l <= g->levels + 1; l++) {
        const double reach = fmax(before, reach_at(g, l, k)), low = stays_at(g, l - 1, k), high = stays_at(g, l, k);
        sum += (above ? low : high) * (reach - before);
        g->gap[l - 1] += length * fmax(0, low - high) * (reach - before);
        before = reach;
    }
    return above ? fmin(1, sum * (1 + error)) : fmax(0, sum * (1 - error));
}

static void fill_tail(struct merge *g)
{
    struct points *p = &g->points;
    memset(g->gap, 0, sizeof g->gap);
    for (size_t k = 0; k < p->n; k++) p->tail[k] = tail_at(g, k);
    if (g->side == MK_FROM_ABOVE)
        for (size_t k = 1; k < p->n; k++) p->tail[k] = fmin(p->tail[k], p->tail[k - 1]);
    else
        for (size_t k = p->n; k-- > 1;) p->tail[k - 1] = fmax(p->tail[k - 1], p->tail[k]);
    double sum = 1;
    for (size_t k = 0; k < p->n; k++) sum += (double)(p->m[k + 1] - p->m[k]) * p->tail[k];
    const double error = ((double)p->n + 8) * DBL_EPSILON;
    g->mean = g->side == MK_FROM_ABOVE ? sum * (1 + error) : sum * (1 - error);
}

/* ---- levels ---- */

static void level_free(struct level *l)
{
    free(l->stays);
    free(l->reach);
    l->stays = l->reach = NULL;
}

static int level_fill(struct merge *g, struct level *l, struct mk_error *err)
{
    level_free(l);
    l->stays = malloc((g->counts.n + 1) * sizeof *l->stays);
    l->reach = malloc((g->counts.n + 1) * sizeof *l->reach);
    if (!l->stays || !l->reach) return mk_fail_memory(err, "the certificate");
    fill_level(g, l);
    return MK_OK;
}

/* Where there is room and z is new. */
static void insert(struct merge *g, double z)
{
    size_t at = g->levels;
    if (!isfinite(z) || g->levels == MOST_LEVELS) return;
    while (at > 0 && g->level[at - 1].z > z) at--;
    if (at > 0 && g->level[at - 1].z == z) return;
    memmove(g->level + at + 1, g->level + at, (g->levels - at) * sizeof *g->level);
    g->level[at] = (struct level){z, NULL, NULL};
    g->levels++;
}

/* Quantiles of the indices of an arm. */
static void insert_indices(struct merge *g, size_t arm)
{
    const double last = (double)g->race->horizon;
    const struct mk_round round = mk_round_of(g->race, last);
    for (double n = 1; n <= last; n *= 8) {
        insert(g, mk_race_quantile(g->race, arm, n, 0.05) + mk_bonus(round, n));
        insert(g, mk_race_quantile(g->race, arm, n, 0.8) + mk_bonus(round, n));
    }
}

/* The middle of the cell below level l, or a point further out. */
static double divided(const struct merge *g, size_t l)
{
    const double low = g->level[0].z, high = g->level[g->levels - 1].z,
                 step = fmax((high - low) / 2, 1e-3 * (1 + fabs(low)));
    if (l == 0) return low - step;
    if (l == g->levels) return high + step;
    return g->level[l - 1].z + (g->level[l].z - g->level[l - 1].z) / 2;
}

/* Divides the cells that contribute most to the distance of both sides. false: they contribute little. */
static bool divide(struct merge *g, double refinement)
{
    double z[MOST_LEVELS + 1], sum = 0, max = 0;
    size_t n = 0;
    for (size_t l = 0; l <= g->levels; l++) {
        sum += g->gap[l];
        max = fmax(max, g->gap[l]);
    }
    if (!(sum > level_share * refinement * g->mean) || g->levels == MOST_LEVELS) return false;
    for (size_t l = 0; l <= g->levels; l++)
        if (g->gap[l] > max / 8 || g->gap[l] > sum / (double)g->levels) z[n++] = divided(g, l);
    const size_t before = g->levels;
    for (size_t k = 0; k < n; k++) insert(g, z[k]);
    return g->levels > before;
}

static int fill_levels(struct merge *g, double refinement, double limit, struct mk_error *err)
{
    for (int step = 0;; step++) {
        for (size_t l = 0; l < g->levels; l++) {
            const int code = g->level[l].stays ? MK_OK : level_fill(g, &g->level[l], err);
            if (code) return code;
        }
        fill_tail(g);
        if (step == STEPS || g->work > limit || !divide(g, refinement)) break;
    }
    return MK_OK;
}

/* ---- one side ---- */

static int keep(struct mk_certified_side *out, const struct merge *g, struct mk_error *err)
{
    const struct points *p = &g->points;
    free(out->m);
    free(out->tail);
    out->n = 0;
    out->mean = g->mean;
    out->m = malloc((p->n + 1) * sizeof *out->m);
    out->tail = malloc((p->n + 1) * sizeof *out->tail);
    if (!out->m || !out->tail) return mk_fail_memory(err, "the certificate");
    for (size_t k = 0; k < p->n; k++) {
        if (out->n > 0 && out->tail[out->n - 1] == p->tail[k]) continue;
        out->m[out->n] = p->m[k];
        out->tail[out->n++] = p->tail[k];
    }
    return MK_OK;
}

/* Starts again on finer counts, at the same levels. */
static int recut(struct merge *g, struct mk_error *err)
{
    free(g->sum);
    g->sum = malloc(g->counts.n * g->counts.n * sizeof *g->sum);
    if (!g->sum) return mk_fail_memory(err, "the certificate");
    for (size_t l = 0; l < g->levels; l++) level_free(&g->level[l]);
    mk_count_blocks_sums(g->sum, &g->counts, g->race->horizon - 1);
    fill_points(g);
    return MK_OK;
}

static int refine(struct mk_certified_side *out, struct merge *g, double refinement, struct mk_error *err)
{
    const bool above = g->side == MK_FROM_ABOVE;
    const double limit = most_work * 0.02 / refinement;
    double before = NAN;
    for (uint64_t fineness = 8; fineness <= MOST_FINENESS; fineness *= 2) {
        if (!mk_count_blocks_cut(&g->counts, g->race->horizon, fineness, g->side)) break;
        int code = recut(g, err);
        if (!code) code = fill_levels(g, refinement, limit, err);
        if (!code && (isnan(before) || (above ? g->mean <= before : g->mean >= before))) code = keep(out, g, err);
        if (code) return code;
        out->refinement = isnan(before) ? 1 : fabs(before / out->mean - 1);
        before = out->mean;
        const bool exact = g->counts.n == g->race->horizon;
        if (exact || out->refinement < refinement / 2 || g->work * 4 > limit) break;
    }
    return MK_OK;
}

static void order_rivals(struct merge *g)
{
    const double last = (double)g->race->horizon;
    size_t n = 0;
    for (size_t j = 0; j < g->race->arms; j++) {
        if (j == g->arm) continue;
        const double own = mk_race_quantile(g->race, j, last, 0.5);
        size_t at = n++;
        for (; at > 0 && mk_race_quantile(g->race, g->order[at - 1], last, 0.5) > own; at--)
            g->order[at] = g->order[at - 1];
        g->order[at] = j;
    }
}

static int start(struct merge *g, struct mk_error *err)
{
    const size_t rivals = g->race->arms - 1, points = 2 * MK_COUNTS_BLOCKS + 2;
    int code = mk_passage_new(&g->passage, err);
    g->order = malloc(rivals * sizeof *g->order);
    g->mass = malloc(MK_COUNTS_BLOCKS * sizeof *g->mass);
    g->total = malloc(MK_COUNTS_BLOCKS * sizeof *g->total);
    g->next = malloc(MK_COUNTS_BLOCKS * sizeof *g->next);
    g->points.m = malloc(points * sizeof *g->points.m);
    g->points.stays = malloc(points * sizeof *g->points.stays);
    g->points.reach = malloc(points * sizeof *g->points.reach);
    g->points.tail = malloc(points * sizeof *g->points.tail);
    if (code) return code;
    if (!g->order || !g->mass || !g->total || !g->next || !g->points.m || !g->points.stays || !g->points.reach ||
        !g->points.tail)
        return mk_fail_memory(err, "the certificate");
    order_rivals(g);
    insert_indices(g, g->arm);
    insert_indices(g, g->order[rivals - 1]);
    if (g->levels == 0) insert(g, 0);
    return MK_OK;
}

static void merge_free(struct merge *g)
{
    for (size_t l = 0; l < g->levels; l++) level_free(&g->level[l]);
    mk_passage_free(g->passage);
    free(g->order);
    free(g->sum);
    free(g->mass);
    free(g->total);
    free(g->next);
    free(g->points.m);
    free(g->points.stays);
    free(g->points.reach);
    free(g->points.tail);
    free(g);
}

int mk_merge_side(struct mk_certified_side *out, const struct mk_race *race, size_t arm, enum mk_side side,
                  double refinement, struct mk_error *err)
{
    struct merge *g = calloc(1, sizeof *g);
    *out = MK_NO_SIDE;
    if (!g) return mk_fail_memory(err, "the certificate");
    g->race = race;
    g->arm = arm;
    g->side = side;
    int code = start(g, err);
    if (!code) code = refine(out, g, refinement, err);
    merge_free(g);
    if (code) mk_certified_side_clear(out);
    return code;
}

/* The grids of the walk: cells of rewards and chunks of pulls, and how they are refined. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"

enum { FIRST_ATOMS = 64, FIRST_SMALLEST_ATOMS = 6, MOST_PARTS = 64, FIRST_COUNTS = 24 };
enum { FIRST_EDGES = 512 };                                   /* room for those of any T, and of atoms on both sides */
static const double first_level = -4, first_step = 0.7;       /* of log(F / (1 - F)) */
static const double last_smallest = 1.5, smallest_step = 4.5; /* the same of the smallest reward */
static const double first_growth = 1.2;                       /* of counts */
static const double first_growth_moving = 4; /* of counts at which quantiles of moving arms are taken */
static const double first_tail = 16;         /* times T: one over the probability of the last cell */
static const double left_out = 1e-6; /* over T^2: the probability of rewards below all cells of the smallest one */

/* ---- rewards ---- */

/* The side of distribution functions: a reward that counts as more than it is has a smaller one. */
static enum mk_side side_of(const struct mk_walk_levels *l)
{
    return l->side == MK_FROM_ABOVE ? MK_FROM_BELOW : MK_FROM_ABOVE;
}

double mk_walk_rates(const struct mk_walk_levels *l, size_t k, double after, double last)
{
    if (!l->f->moving) return (last - after) * l->rate[k];
    return k + 1 < l->n ? mk_cdf_rates(l->f, l->edge[k + 1], (uint64_t)after, (uint64_t)last, side_of(l)) : 0;
}

static int clear_errors(struct mk_walk_levels *l, struct mk_error *err)
{
    free(l->error);
    l->error = calloc(l->n, sizeof *l->error);
    return l->error ? MK_OK : mk_fail_memory(err, "the certificate");
}

/* The rates of all cells, which do not rise, and no errors. */
static int fill_rates(struct mk_walk_levels *l, struct mk_error *err)
{
    free(l->rate);
    l->rate = malloc(l->n * sizeof *l->rate);
    const int code = l->rate ? clear_errors(l, err) : mk_fail_memory(err, "the certificate");
    if (code) return code;
    double before = INFINITY;
    for (size_t k = 0; k < l->n; k++) {
        const double rate = k + 1 < l->n && !l->f->moving ? mk_cdf_rate(l->f, l->edge[k + 1], side_of(l)) : 0;
        before = l->rate[k] = fmin(before, rate);
    }
    return MK_OK;
}

/* The quantiles from log(F / (1 - F)) = first to last, and atoms, if these are not more than most_atoms, of an arm's
 * rewards by which cells are cut first; each atom gets a cell of its own. */
static size_t first_edges(double *x, const struct mk_known_cdf *f, double first, double last, double by, double step,
                          size_t most_atoms)
{
    const bool atoms = mk_dist_has_atoms(f->dist);
    size_t n = atoms && mk_dist_breaks(f->dist, NULL) <= most_atoms ? mk_dist_breaks(f->dist, x) : 0;
    for (double z = first; z < last; z += by) {
        const double at = f->dist->type->inverse(f->dist, 1 / (1 + exp(z)), 1 / (1 + exp(-z)));
        if (isfinite(at)) x[n++] = at;
    }
    for (size_t k = 0, old = n; atoms && k < old; k++) {
        const double at = x[k];
        x[k] = at + step;
        x[n++] = fmin(at - step, nextafter(at, -INFINITY));
    }
    return n;
}

/* The same of a moving arm: quantiles of its largest reward after some numbers of pulls, and the ends of its rewards,
 * at which a clip has atoms. */
static size_t first_moving_edges(double *x, const struct mk_known_cdf *f, double horizon, double step)
{
    static const double levels[] = {0.05, 0.3, 0.7, 0.95};
    size_t n = 0;
    for (double pulls = 1; pulls < first_growth_moving * horizon; pulls *= first_growth_moving)
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++) {
            x[n] = mk_known_quantile(f, (uint64_t)fmin(pulls, horizon), levels[k]);
            n += isfinite(x[n]);
        }
    for (double rare = 1e-3; rare > 1e-13; rare *= 1e-3) { /* of the first reward from below, of all from above */
        x[n] = mk_known_quantile(f, 1, rare);
        n += isfinite(x[n]);
        x[n] = mk_known_quantile(f, (uint64_t)horizon, 1 - rare);
        n += isfinite(x[n]);
    }
    if (isfinite(f->moving->low)) x[n++] = f->moving->low + step;
    if (isfinite(f->moving->high)) x[n++] = fmin(f->moving->high - step, nextafter(f->moving->high, -INFINITY));
    return n;
}

static int start_levels(struct mk_walk_levels *l, const struct mk_race *race, size_t arm, enum mk_side side,
                        struct mk_error *err)
{
    const struct mk_known_cdf *f = l->f = &race->arm[arm];
    const double step = mk_race_step(race, arm), horizon = (double)race->horizon;
    double bottom, top;
    l->side = side;
    mk_known_support(f, &bottom, &top);
    bottom -= step;
    top += step;
    l->edge = malloc(FIRST_EDGES * sizeof *l->edge);
    if (!l->edge) return mk_fail_memory(err, "the certificate");
    size_t n = f->moving
                   ? first_moving_edges(l->edge, f, horizon, step)
                   : first_edges(l->edge, f, first_level, log(first_tail * horizon), first_step, step, FIRST_ATOMS);
    bottom = nextafter(bottom, -INFINITY); /* may be an atom */
    if (mk_race_either_sign(race))         /* where signs change */
        l->edge[n++] = side == MK_FROM_ABOVE ? 0 : MK_WALK_BELOW_ZERO;
    l->edge[n++] = bottom;
    l->edge[n++] = top;
    l->n = mk_sort_distinct(l->edge, n, bottom, top) - 1;
    return fill_rates(l, err);
}

/* The probabilities at the edges of the cells of the smallest reward; the last edge is above all rewards. */
static struct mk_walk_below *probabilities(const struct mk_walk_levels *l, const struct mk_known_cdf *f)
{
    struct mk_walk_below *below = malloc((l->n + 1) * sizeof *below);
    if (!below) return NULL;
    for (size_t c = 0; c < l->n; c++)
        below[c] = (struct mk_walk_below){
            exp(-mk_cdf_rate(f, l->edge[c], MK_FROM_BELOW)) * (1 - 4 * DBL_EPSILON),
            fmin(1, exp(-mk_cdf_rate(f, l->edge[c], MK_FROM_ABOVE)) * (1 + 4 * DBL_EPSILON) + DBL_MIN)};
    below[l->n] = (struct mk_walk_below){1, 1};
    return below;
}

static int fill_smallest(struct mk_walk_grid *g, struct mk_error *err)
{
    struct mk_walk_smallest *s = &g->smallest;
    const int code = clear_errors(&s->cells, err);
    if (code || !s->used) return code;
    free(s->own);
    free(s->rival);
    s->own = probabilities(&s->cells, g->own.f);
    s->rival = probabilities(&s->cells, g->rival.f);
    return s->own && s->rival ? MK_OK : mk_fail_memory(err, "the certificate");
}

static int start_smallest(struct mk_walk_grid *g, const struct mk_race *race, struct mk_error *err)
{
    struct mk_walk_levels *l = &g->smallest.cells;
    const double horizon = g->horizon, rare = left_out / (horizon * horizon);
    double bottom = INFINITY, top = -INFINITY;
    size_t n = 0;
    l->f = g->own.f;
    l->edge = malloc(FIRST_EDGES * sizeof *l->edge);
    if (!l->edge) return mk_fail_memory(err, "the certificate");
    g->smallest.used = race->scale == MK_RACE_BY_RANGE;
    if (!g->smallest.used) {
        l->n = 1;
        l->edge[0] = -INFINITY;
        l->edge[1] = INFINITY;
        return fill_smallest(g, err);
    }
    for (size_t k = 0; k < race->arms; k++) {
        const struct mk_dist *d = race->arm[k].dist;
        const double step = mk_race_step(race, k);
        double low, high;
        mk_known_support(&race->arm[k], &low, &high);
        n += first_edges(l->edge + n, &race->arm[k], -log(first_tail * horizon), last_smallest, smallest_step, step,
                         FIRST_SMALLEST_ATOMS);
        bottom = fmin(bottom, isfinite(low) ? low - step : d->type->inverse(d, 1 - rare, rare));
        top = fmax(top, high + step);
    }
    bottom = nextafter(bottom, -INFINITY);
    l->edge[n++] = bottom;
    l->edge[n++] = top;
    l->n = mk_sort_distinct(l->edge, n, bottom, top) - 1;
    return fill_smallest(g, err);
}

/* How many parts a cell or chunk is cut into. */
static size_t parts_of(double error, double density)
{
    const double parts = floor(sqrt(error) * density + 0.5);
    return parts > 1 ? (size_t)fmin(parts, MOST_PARTS) : 1;
}

static size_t all_parts(const double *errors, size_t n, double density)
{
    size_t all = 0;
    for (size_t k = 0; k < n; k++) all += parts_of(errors[k], density);
    return all;
}

/* The number of parts per root of an error for which there are at most `factor` times as many parts, and about as many.
 */
static double density_of(const double *errors, size_t n, double factor)
{
    double low = 0, high = 0;
    for (size_t k = 0; k < n; k++) high = fmax(high, errors[k]);
    if (high == 0) return 0;
    high = MOST_PARTS / sqrt(high) * (double)n;
    for (int step = 0; step < 60; step++) {
        const double middle = (low + high) / 2;
        *((double)all_parts(errors, n, middle) <= factor * (double)n ? &low : &high) = middle;
    }
    return low;
}

/* Where a moving arm's cell without an end is divided: by the probability that some reward is above it, or that the
 * first is below.
 */
static double divide_end(const struct mk_known_cdf *f, double low, double high, double horizon, double p, double parts)
{
    const uint64_t pulls = isfinite(low) ? (uint64_t)horizon : 1;
    const double u = isfinite(low)    ? exp(-mk_cdf_rates(f, low, 0, pulls, MK_FROM_ABOVE) * exp2(-p))
                     : isfinite(high) ? exp(-mk_cdf_rates(f, high, 0, pulls, MK_FROM_ABOVE)) * exp2(p - parts)
                                      : p / parts;
    return mk_known_quantile(f, pulls, u);
}

/* The p-th of `parts` points of division of a cell. */
static double divide(const struct mk_walk_levels *l, size_t k, size_t p, size_t parts, double horizon)
{
    const double low = l->edge[k], high = l->edge[k + 1], share = (double)p / (double)parts;
    const struct mk_dist *d = l->f->dist;
    if (isfinite(low) && isfinite(high)) return low + (high - low) * share;
    if (l->f->moving) return divide_end(l->f, low, high, horizon, (double)p, (double)parts);
    if (isfinite(low)) return mk_dist_inverse_survival(d, mk_dist_above(d, low) * exp2(-(double)p));
    const double below = isfinite(high) ? mk_dist_cdf(d, high) * exp2((double)p - (double)parts) : share;
    return d->type->inverse(d, 1 - below, below);
}

/* Does not fill their rates. */
static int refine_levels(struct mk_walk_levels *l, double horizon, double factor, struct mk_error *err)
{
    const double density = density_of(l->error, l->n, factor);
    size_t room = 2, n = 0;
    for (size_t k = 0; k < l->n; k++) room += parts_of(l->error[k], density);
    double *edge = malloc(room * sizeof *edge);
    if (!edge) return mk_fail_memory(err, "the certificate");
    for (size_t k = 0; k < l->n; k++) {
        const size_t parts = parts_of(l->error[k], density);
        edge[n++] = l->edge[k];
        for (size_t p = 1; p < parts; p++) {
            const double x = divide(l, k, p, parts, horizon);
            if (x > edge[n - 1] && x < l->edge[k + 1]) edge[n++] = x;
        }
    }
    edge[n] = l->edge[l->n];
    free(l->edge);
    l->edge = edge;
    l->n = n;
    return MK_OK;
}

/* ---- counts ---- */

static void counts_clear(struct mk_walk_counts *c)
{
    free(c->at);
    free(c->error);
    free(c->ended);
}

static int start_counts(struct mk_walk_counts *c, double horizon, struct mk_error *err)
{
    const size_t room = (size_t)(log(horizon) / log(first_growth)) + FIRST_COUNTS + 8;
    c->at = malloc(room * sizeof *c->at);
    c->error = calloc(room, sizeof *c->error);
    c->ended = calloc(room, sizeof *c->ended);
    if (!c->at || !c->error || !c->ended) return mk_fail_memory(err, "the certificate");
    for (double n = 1; n < horizon && c->n < room; n = n < FIRST_COUNTS ? n + 1 : ceil(n * first_growth))
        c->at[c->n++] = n;
    return MK_OK;
}

/* Estimates are not trusted alone: half of the parts are for equal ratios of counts. */
static void spread_errors(struct mk_walk_counts *c, double horizon)
{
    double roots = 0, ratios = 0;
    for (size_t k = 0; k < c->n; k++) {
        const double high = k + 1 < c->n ? c->at[k + 1] : horizon;
        roots += sqrt(c->error[k]);
        if (high - c->at[k] > 1) ratios += log(high / c->at[k]);
    }
    for (size_t k = 0; k < c->n; k++) {
        const double high = k + 1 < c->n ? c->at[k + 1] : horizon,
                     root = (roots > 0 ? sqrt(c->error[k]) / roots : 0) +
                            (high - c->at[k] > 1 ? log(high / c->at[k]) / ratios : 0);
        c->error[k] = root * root;
    }
}

static int refine_counts(struct mk_walk_counts *c, double horizon, double factor, struct mk_error *err)
{
    spread_errors(c, horizon);
    const double density = density_of(c->error, c->n, factor);
    size_t room = 1;
    for (size_t k = 0; k < c->n; k++) room += parts_of(c->error[k], density);
    struct mk_walk_counts fine = {0, malloc(room * sizeof(double)), calloc(room, sizeof(double)),
                                  calloc(room, sizeof(double))};
    if (!fine.at || !fine.error || !fine.ended) {
        counts_clear(&fine);
        return mk_fail_memory(err, "the certificate");
    }
    for (size_t k = 0; k < c->n; k++) {
        const size_t parts = parts_of(c->error[k], density);
        const double low = c->at[k], high = k + 1 < c->n ? c->at[k + 1] : horizon;
        for (size_t p = 0; p < parts; p++) {
            const double count = floor(low * pow(high / low, (double)p / (double)parts) + 0.5);
            if ((fine.n == 0 || count > fine.at[fine.n - 1]) && count < high) fine.at[fine.n++] = count;
        }
    }
    counts_clear(c);
    *c = fine;
    return MK_OK;
}

/* ---- all of them ---- */

int mk_walk_grid_start(struct mk_walk_grid *g, const struct mk_race *race, size_t arm, struct mk_error *err)
{
    const double horizon = (double)race->horizon;
    *g = (struct mk_walk_grid){.horizon = horizon, .scale = sqrt(horizon)};
    int code = start_levels(&g->own, race, arm, MK_FROM_ABOVE, err);
    if (!code) code = start_levels(&g->rival, race, 1 - arm, MK_FROM_BELOW, err);
    if (!code) code = start_counts(&g->own_counts, horizon, err);
    if (!code) code = start_counts(&g->rival_counts, horizon, err);
    if (!code) code = start_smallest(g, race, err);
    return code;
}

/* Of counts NULL. */
static struct mk_walk_levels *levels_of(struct mk_walk_grid *g, enum mk_walk_part part)
{
    switch (part) {
    case MK_WALK_OWN_LEVELS: return &g->own;
    case MK_WALK_RIVAL_LEVELS: return &g->rival;
    case MK_WALK_SMALLEST: return &g->smallest.cells;
    default: return NULL;
    }
}

static struct mk_walk_counts *counts_of(struct mk_walk_grid *g, enum mk_walk_part part)
{
    return part == MK_WALK_OWN_COUNTS ? &g->own_counts : &g->rival_counts;
}

/* What follows from new edges. */
static int fill(struct mk_walk_grid *g, enum mk_walk_part part, struct mk_error *err)
{
    return part == MK_WALK_SMALLEST ? fill_smallest(g, err) : fill_rates(levels_of(g, part), err);
}

int mk_walk_grid_refine(struct mk_walk_grid *g, enum mk_walk_part part, double factor, struct mk_error *err)
{
    struct mk_walk_levels *l = levels_of(g, part);
    if (!l) return refine_counts(counts_of(g, part), g->horizon, factor, err);
    const int code = refine_levels(l, g->horizon, factor, err);
    return code ? code : fill(g, part, err);
}

/* The cell (low, high] is wider than those of atoms. */
static bool is_wide(double low, double high)
{
    return high - low > 64 * DBL_EPSILON * fmax(isfinite(low) ? fabs(low) : 0, isfinite(high) ? fabs(high) : 0);
}

static bool has_open(const struct mk_walk_levels *l)
{
    for (size_t k = 0; k < l->n; k++)
        if (l->error[k] > 0 && is_wide(l->edge[k], l->edge[k + 1])) return true;
    return false;
}

bool mk_walk_grid_is_open(const struct mk_walk_grid *g)
{
    return has_open(&g->own) || has_open(&g->rival) || has_open(&g->smallest.cells);
}

/* Without every other edge, but for those of narrow cells. */
static void coarsen_levels(struct mk_walk_levels *l)
{
    const double *e = l->edge;
    size_t kept = 0;
    bool dropped = true;
    for (size_t k = 0; k <= l->n; k++) {
        dropped = !dropped && k < l->n && is_wide(e[k - 1], e[k]) && is_wide(e[k], e[k + 1]);
        if (!dropped) l->edge[kept++] = e[k];
    }
    l->n = kept - 1;
}

/* Without every other count, but for those next to a chunk of one pull, which cannot be refined. */
static void coarsen_counts(struct mk_walk_counts *c)
{
    size_t kept = 0;
    bool dropped = true;
    for (size_t k = 0; k < c->n; k++) {
        const bool wide = k > 0 && k + 1 < c->n && c->at[k] - c->at[k - 1] > 1 && c->at[k + 1] - c->at[k] > 1;
        dropped = wide && !dropped;
        if (!dropped) c->at[kept++] = c->at[k];
    }
    c->n = kept;
}

static void *copy_of(const void *x, size_t bytes)
{
    void *copy = malloc(bytes);
    if (copy) memcpy(copy, x, bytes);
    return copy;
}

int mk_walk_grid_copy(struct mk_walk_grid *out, const struct mk_walk_grid *g, struct mk_error *err)
{
    *out = *g;
    struct mk_walk_smallest *s = &out->smallest;
    bool fine = true;
    s->own = s->rival = NULL;
    for (int k = 0; k < MK_WALK_PARTS; k++) {
        struct mk_walk_levels *l = levels_of(out, (enum mk_walk_part)k);
        struct mk_walk_counts *c = counts_of(out, (enum mk_walk_part)k);
        if (l) {
            l->edge = copy_of(l->edge, (l->n + 1) * sizeof *l->edge);
            l->rate = l->error = NULL;
            fine = fine && l->edge;
        } else {
            c->at = copy_of(c->at, c->n * sizeof *c->at);
            c->error = calloc(c->n, sizeof *c->error);
            c->ended = calloc(c->n, sizeof *c->ended);
            fine = fine && c->at && c->error && c->ended;
        }
    }
    int code = fine ? MK_OK : mk_fail_memory(err, "the certificate");
    for (int k = 0; !code && k < MK_WALK_PARTS; k++)
        if (levels_of(out, (enum mk_walk_part)k)) code = fill(out, (enum mk_walk_part)k, err);
    return code;
}

int mk_walk_grid_coarsen(struct mk_walk_grid *g, enum mk_walk_part part, double *factor, struct mk_error *err)
{
    struct mk_walk_levels *l = levels_of(g, part);
    struct mk_walk_counts *c = counts_of(g, part);
    const size_t before = l ? l->n : c->n;
    if (l)
        coarsen_levels(l);
    else
        coarsen_counts(c);
    *factor = (double)before / (double)(l ? l->n : c->n);
    return l ? fill(g, part, err) : MK_OK;
}

void mk_walk_grid_clear(struct mk_walk_grid *g)
{
    for (int k = 0; k < MK_WALK_PARTS; k++) {
        struct mk_walk_levels *l = levels_of(g, (enum mk_walk_part)k);
        if (l) {
            free(l->edge);
            free(l->rate);
            free(l->error);
        } else {
            counts_clear(counts_of(g, (enum mk_walk_part)k));
        }
    }
    free(g->smallest.own);
    free(g->smallest.rival);
}

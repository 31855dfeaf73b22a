/* The lower bound for one m: Theorems 2 and 3 for one plan, and the choice of plans. */
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/theory/certificates/certificate_parts.h"
#include "analysis/theory/certificates/certificate_path.h"

enum { MOST_CUTS = 20, FIRST_CUTS = 6, LATE_LEVELS = 8 };
static const double top_level = 0.7; /* of M_i(m): the last z */
static const double rare = 1e-6;     /* divided by K T: probability that may be missed for the factor of the bonus */
static const double most_falling = 1.38; /* power up to which log(r + v)^power / r falls with r for every v >= 1 */
static const double least_part = 0.02;   /* of the bound: smallest possible gain for another cut */

/* ---- work space ---- */

static bool plan_alloc(struct mk_lower_plan *p, size_t arms)
{
    p->window = calloc(arms, sizeof *p->window);
    p->offset = calloc(arms, sizeof *p->offset);
    return p->window && p->offset;
}

int mk_lower_work_new(struct mk_lower_work **out, size_t arms, struct mk_error *err)
{
    struct mk_lower_work *w = calloc(1, sizeof *w);
    *out = NULL;
    if (!w) return mk_fail_memory(err, "first passages");
    w->p = calloc(arms, sizeof *w->p);
    w->shape = calloc(arms, sizeof *w->shape);
    w->late = calloc(arms, sizeof *w->late);
    w->y = calloc(LATE_LEVELS * arms, sizeof *w->y);
    int code = plan_alloc(&w->plan, arms) && plan_alloc(&w->best, arms) && w->p && w->shape && w->late && w->y
                   ? mk_passage_new(&w->passage, err)
                   : mk_fail_memory(err, "first passages");
    if (code) {
        mk_lower_work_free(w);
        return code;
    }
    *out = w;
    return MK_OK;
}

void mk_lower_work_free(struct mk_lower_work *w)
{
    if (!w) return;
    mk_passage_free(w->passage);
    mk_path_work_free(w->path);
    free(w->plan.window);
    free(w->plan.offset);
    free(w->best.window);
    free(w->best.offset);
    free(w->p);
    free(w->shape);
    free(w->late);
    free(w->y);
    free(w);
}

/* Sum of the windows' ends; 0 if T - m - 1 has no room for it. */
static uint64_t plan_counts(const struct mk_lower_plan *plan, const struct mk_underdog *u)
{
    const uint64_t room = u->race->horizon - u->m - 1;
    uint64_t sum = 0;
    for (size_t k = 0; k < u->race->arms; k++) {
        if (k == u->arm) continue;
        if (plan->window[k].last > room - sum) return 0;
        sum += plan->window[k].last;
    }
    return sum;
}

/* ---- the two barriers ---- */

struct race_at {
    const struct mk_underdog *u;
    const struct mk_lower_plan *plan;
    uint64_t counts;      /* n */
    struct mk_round last; /* t(m) = m + n + 1 */
    size_t shapes;        /* of the rivals but the lead, for phi */
    const struct mk_lower_shape *shape;
};

static struct race_at race_at(const struct mk_lower_plan *plan, const struct mk_underdog *u)
{
    const uint64_t counts = plan_counts(plan, u);
    return (struct race_at){
        .u = u, .plan = plan, .counts = counts, .last = mk_round_of(u->race, (double)(u->m + counts + 1))};
}

/* Barrier of a rival: z - o_k - B(t(m), s). */
struct rival_barrier {
    const struct race_at *at;
    double z;
};

static double rival_level(const void *of, uint64_t s, enum mk_side side)
{
    const struct rival_barrier *b = of;
    const double bonus = mk_bonus(b->at->last, (double)s);
    const double slack = 8 * DBL_EPSILON * (fabs(b->z) + bonus) + MK_TINY;
    return b->z - bonus + (side == MK_FROM_ABOVE ? slack : -slack);
}

/* The round r + n + 1. */
static struct mk_round later_round(const struct race_at *at, uint64_t r)
{
    return mk_round_of(at->u->race, (double)r + (double)at->counts + 1);
}

/* phi_k(r), later = later_round(r); `since`: the count whose round arm i has its bonus of while r is within the window.
 */
static double phi_at(const struct race_at *at, const struct mk_lower_shape *of, uint64_t r, uint64_t since,
                     struct mk_round later)
{
    const struct mk_race *race = at->u->race;
    const double pulls = (double)r, last = (double)of->window.last;
    const double early = (double)since + (double)of->window.first + (double)race->arms - 1;
    const double own = mk_bonus(r >= of->window.last ? later : mk_round_of(race, early), pulls);
    return own + (mk_bonus(at->last, last) - mk_bonus(later, last)) + of->offset;
}

/* Of a count r before the end of the window: if the bonus of r pulls in round r + v may rise with r, by the earliest
 * round of each stretch of counts and the smallest value up to r. */
static double phi_within(const struct race_at *at, const struct mk_lower_shape *of, uint64_t r, struct mk_round later)
{
    const struct mk_race *race = at->u->race;
    if (!race->bonus && race->power <= most_falling) return phi_at(at, of, r, r, later);
    double min = INFINITY;
    for (uint64_t k = 1, end; k <= r; k = end + 1) {
        end = mk_stretch_end(k) < r ? mk_stretch_end(k) : r;
        min = fmin(min, phi_at(at, of, end, k, later_round(at, end)));
    }
    return min;
}

static struct mk_lower_shape shape_of(const struct race_at *at, struct mk_window window, double offset)
{
    struct mk_lower_shape shape = {window, offset, INFINITY};
    if (window.last > 1) shape.before = phi_within(at, &shape, window.last - 1, later_round(at, window.last - 1));
    return shape;
}

/* phi_k(r), modified so as not to rise. */
static double phi_of(const struct race_at *at, const struct mk_lower_shape *of, uint64_t r, struct mk_round later)
{
    return r < of->window.last ? phi_within(at, of, r, later) : fmin(of->before, phi_at(at, of, r, r, later));
}

/* Of rivals with the same window the one with the least offset has the least phi_k. */
static void set_shapes(struct race_at *at, struct mk_lower_shape *shape)
{
    const struct mk_lower_plan *plan = at->plan;
    for (size_t k = 0, s; k < at->u->race->arms; k++) {
        if (k == at->u->arm || k == plan->lead) continue;
        const struct mk_window window = plan->window[k];
        for (s = 0; s < at->shapes; s++)
            if (shape[s].window.first == window.first && shape[s].window.last == window.last) break;
        if (s == at->shapes || plan->offset[k] < shape[s].offset) shape[s] = shape_of(at, window, plan->offset[k]);
        if (s == at->shapes) at->shapes++;
    }
    at->shape = shape;
}

/* min_k phi_k(r) */
static double phi(const struct race_at *at, const struct mk_lower_shape *lead, uint64_t r)
{
    const struct mk_round later = later_round(at, r);
    double min = phi_of(at, lead, r, later);
    for (size_t s = 0; s < at->shapes; s++) min = fmin(min, phi_of(at, &at->shape[s], r, later));
    return min;
}

static struct mk_lower_shape lead_shape(const struct race_at *at, size_t window)
{
    return shape_of(at, at->plan->lead_window[window], at->plan->offset[at->plan->lead]);
}

/* Barrier of arm i: z - min_k phi_k(r). */
struct own_barrier {
    const struct race_at *at;
    struct mk_lower_shape lead;
    double z;
};

static double own_level(const void *of, uint64_t r, enum mk_side side)
{
    const struct own_barrier *b = of;
    const double bonus = phi(b->at, &b->lead, r), slack = 8 * DBL_EPSILON * (fabs(b->z) + bonus) + MK_TINY;
    return b->z - bonus + (side == MK_FROM_ABOVE ? slack : -slack);
}

/* ---- probabilities, from below ---- */

static double stuck(struct mk_lower_work *w, const struct race_at *at, size_t k, struct mk_window window, double z)
{
    const struct rival_barrier b = {at, z};
    const struct mk_barrier g = {rival_level, &b, window.first, window.last};
    return mk_passage_probability(w->passage, &at->u->race->arm[k], &g, at->u->tolerance, MK_FROM_BELOW);
}

/* P(the lead is stuck within the window at level z and was not before it at level top): Proposition 3. */
static double lead_stuck(struct mk_lower_work *w, const struct race_at *at, struct mk_window window, double z,
                         double top)
{
    const struct mk_known_cdf *f = &at->u->race->arm[at->plan->lead];
    struct mk_passage *p = w->passage;
    const double offset = at->plan->offset[at->plan->lead];
    const struct rival_barrier before = {at, top - offset}, within = {at, z - offset};
    p->n = 0;
    if (window.first > at->plan->lead_window[0].first) {
        const struct mk_barrier g = {rival_level, &before, at->plan->lead_window[0].first, window.first - 1};
        mk_passage_cut(p, f, &g, at->u->tolerance, MK_FROM_ABOVE);
    }
    const size_t first = p->n;
    const struct mk_barrier g = {rival_level, &within, window.first, window.last};
    mk_passage_cut(p, f, &g, at->u->tolerance, MK_FROM_BELOW);
    mk_passage_solve(p, MK_FROM_BELOW);
    double sum = 0;
    for (size_t b = first; b < p->n; b++) sum += p->mass[b];
    return fmin(1, sum);
}

/* P(Z > z) for one window of the lead, by its number. */
static double own_above(struct mk_lower_work *w, const struct race_at *at, size_t lead, double z)
{
    const struct own_barrier b = {at, lead_shape(at, lead), z};
    const struct mk_barrier g = {own_level, &b, 1, at->u->m};
    struct mk_passage *p = w->passage;
    p->n = 0;
    mk_passage_cut(p, &at->u->race->arm[at->u->arm], &g, at->u->tolerance, MK_FROM_ABOVE);
    mk_passage_solve(p, MK_FROM_BELOW);
    return p->survive;
}

/* ---- the expectation over Z ---- */

/* One z: P(all rivals stuck) and P(Z > z) for every window of the lead. */
struct cut {
    double z, rivals[MK_PLAN_WINDOWS], above[MK_PLAN_WINDOWS];
};

/* Whether what holds for rival j holds for k as well. */
static bool planned_alike(const struct mk_lower_plan *plan, const struct mk_underdog *u, size_t j, size_t k)
{
    return plan->window[j].first == plan->window[k].first && plan->window[j].last == plan->window[k].last &&
           plan->offset[j] == plan->offset[k] && mk_known_equal(&u->race->arm[j], &u->race->arm[k]);
}

static void fill_cut(struct mk_lower_work *w, const struct race_at *at, double top, struct cut *c)
{
    const struct mk_lower_plan *plan = at->plan;
    const size_t arms = at->u->race->arms;
    double others = 1, one = 1;
    for (size_t k = 0, before = arms; k < arms && others > 0; k++) {
        if (k == at->u->arm || k == plan->lead) continue;
        if (before == arms || !planned_alike(plan, at->u, before, k))
            one = stuck(w, at, k, plan->window[k], c->z - plan->offset[k]);
        before = k;
        others *= one;
    }
    for (size_t b = 0; b < plan->windows; b++) {
        c->rivals[b] = others > 0 ? others * lead_stuck(w, at, plan->lead_window[b], c->z, top) : 0;
        c->above[b] = own_above(w, at, b, c->z);
    }
}

/* Upper bound on what another cut before c could add to the bound. */
static double could_add(const struct cut *before, const struct cut *c, size_t windows)
{
    double sum = 0;
    for (size_t b = 0; b < windows; b++)
        sum += fmax(0, c->rivals[b] - before->rivals[b]) * fmax(0, before->above[b] - c->above[b]);
    return sum;
}

/* sum over windows and cuts of (P(rivals stuck at z_c) - P(rivals stuck at z_(c-1))) P(Z > z_c) */
static double expectation(const struct cut *cut, size_t n, size_t windows)
{
    double sum = 0;
    for (size_t b = 0; b < windows; b++) {
        double reached = 0;
        for (size_t c = 0; c < n; c++) {
            if (cut[c].rivals[b] <= reached) continue;
            sum += (cut[c].rivals[b] - reached) * cut[c].above[b];
            reached = cut[c].rivals[b];
        }
    }
    return sum;
}

double mk_plan_glance(struct mk_lower_work *w, const struct mk_underdog *u, double z)
{
    const struct mk_lower_plan *plan = &w->plan;
    struct race_at at = race_at(plan, u);
    struct cut cut = {.z = z};
    if (at.counts == 0) return 0;
    set_shapes(&at, w->shape);
    fill_cut(w, &at, z, &cut);
    return expectation(&cut, 1, plan->windows);
}

double mk_plan_evaluate(struct mk_lower_work *w, const struct mk_underdog *u)
{
    const struct mk_lower_plan *plan = &w->plan;
    struct race_at at = race_at(plan, u);
    struct cut cut[MOST_CUTS];
    size_t n = 0;
    if (at.counts == 0) return 0;
    set_shapes(&at, w->shape);
    const struct mk_lower_shape last = lead_shape(&at, plan->windows - 1);
    const double top = mk_race_quantile(u->race, u->arm, (double)u->m, top_level) + phi(&at, &last, u->m);
    const double span = top - mk_race_quantile(u->race, u->arm, (double)(u->m < 20 ? u->m : 20), 0.05) +
                        64 * DBL_EPSILON * fabs(top) + mk_race_step(u->race, u->arm); /* below an atom */
    for (; n < FIRST_CUTS; n++) {
        double back = 1 - (double)n / (FIRST_CUTS - 1);
        cut[n].z = top - span * back * back * back;
        fill_cut(w, &at, top, &cut[n]);
    }
    while (n < MOST_CUTS) {
        double sum = expectation(cut, n, plan->windows), max = 0;
        size_t c = 0;
        for (size_t k = 1; k < n; k++) {
            double could = could_add(&cut[k - 1], &cut[k], plan->windows);
            if (could <= max) continue;
            max = could;
            c = k;
        }
        if (c == 0 || max < least_part * sum) break;
        memmove(cut + c + 1, cut + c, (n - c) * sizeof *cut);
        cut[c].z = (cut[c - 1].z + cut[c + 1].z) / 2;
        fill_cut(w, &at, top, &cut[c]);
        n++;
    }
    return expectation(cut, n, plan->windows) * (1 - 1e-12);
}

/* ---- late rounds: Theorem 3 ---- */

struct late {
    const struct mk_underdog *u;
    size_t n;
    const struct mk_lower_late *rival; /* [n] */
    struct mk_round early, last;       /* T_0 + 1, T */
    double low, high, max; /* factors: at least from `early` on, at most, and where no reward exceeds max_k y_k */
    double bottom, width;
};

/* The level that M_i(r) has to exceed where arm k with count S_k <= r has the larger bonus, by `lead` in round T. */
static double late_level_above(const struct late *b, double y, double lead)
{
    const double g = lead / b->width;
    const double own =
        g < 0.999 ? b->bottom + (y - b->bottom) / (1 - g) * (1 + 1e-12) : INFINITY; /* M_i(r) >= max_k y_k */
    const double bound = fmax(y + b->max * lead, own);
    return fmin(y + b->high * lead, isnan(bound) ? INFINITY : bound);
}

/* max over k of y_k + R (B(t, S_k) - B(t, r)), with the factor R and the round t that make it largest. */
static double late_level(const void *of, uint64_t r, enum mk_side side)
{
    const struct late *b = of;
    const double pulls = (double)r;
    double max = -INFINITY, size = 0;
    for (size_t k = 0; k < b->n; k++) {
        const struct mk_lower_late *rival = &b->rival[k];
        const bool before = pulls < rival->count;
        double sum = 0;
        const double lead = mk_bonus_lead(before ? b->early : b->last, rival->count, pulls, &sum);
        max = fmax(max, before ? rival->y + b->low * lead : late_level_above(b, rival->y, lead));
        size = fmax(size, rival->size + b->high * sum);
    }
    const double slack = 16 * DBL_EPSILON * size + MK_TINY;
    return max + (side == MK_FROM_ABOVE ? slack : -slack);
}

/* The first count whose bonus in round T is at most this; `high`, if that comes first. */
static double count_with(const struct late *b, double max, double high)
{
    double low = high - 1;
    for (double step = 1; low > 0 && !(b->max * mk_bonus(b->last, low) > max); step *= 2) {
        high = low;
        low = fmax(0, low - step);
    }
    while (high - low > 1) {
        const double middle = floor((low + high) / 2);
        *(b->max * mk_bonus(b->last, middle) > max ? &low : &high) = middle;
    }
    return high;
}

double mk_lower_rare(const struct mk_race *race)
{
    return rare / ((double)race->arms * (double)race->horizon);
}

/* Fills b->rival for the levels y [arms] and the lead's count; the sum of S_k + 1. Rivals of the same count, which
 * often follow one another in the order of their maxima, are one with the largest y. */
static double set_rivals(struct late *b, struct mk_lower_late *rival, const double *y, size_t lead, double count)
{
    const struct mk_underdog *u = b->u;
    double sum = 0, before = NAN, S = count;
    for (size_t k = 0; k < u->race->arms; k++) {
        const size_t j = u->rank[k];
        if (j == u->arm) continue;
        const double behind = y[lead] - y[j] + b->max * mk_bonus(b->last, count);
        if (behind != before) /* counts do not rise where the levels fall */
            S = behind > 0 ? fmin(count, count_with(b, behind, behind > before ? S : count) + 1) : count;
        before = behind;
        sum += S + 1;
        if (b->n == 0 || rival[b->n - 1].count != S) rival[b->n++] = (struct mk_lower_late){S, y[j], 0};
        rival[b->n - 1].y = fmax(rival[b->n - 1].y, y[j]);
        rival[b->n - 1].size = fmax(rival[b->n - 1].size, fabs(y[j]));
    }
    b->rival = rival;
    return sum;
}

/* P(for all r <= m: M_i(r) is above the barrier) for the y_k and the lead's count; 0 if T has no room for the S_k.
 * *missed += the probability of the event without which the barrier is too low. */
static double late_above(struct mk_lower_work *w, const struct mk_underdog *u, const double *y, size_t lead,
                         double count, double *missed)
{
    const struct mk_race *race = u->race;
    const struct mk_factor_limits *limits = u->limits;
    struct late b = {.u = u,
                     .last = mk_round_of(race, (double)race->horizon),
                     .high = limits->high,
                     .bottom = limits->bottom,
                     .width = limits->width};
    double top = -INFINITY;
    for (size_t k = 0; k < race->arms; k++)
        if (k != u->arm) top = fmax(top, y[k]);
    b.max = race->before > 0 ? b.high : mk_factor_below(limits, top);
    if (race->before > 0) b.width = 0;
    const double early = (double)race->horizon - (double)u->m - set_rivals(&b, w->late, y, lead, count);
    if (early < (double)race->arms) return 0;
    b.early = mk_round_of(race, early + 1);
    b.low = mk_factor_low(race, early, mk_lower_rare(race), missed);
    const struct mk_barrier g = {late_level, &b, 1, u->m};
    w->passage->n = 0;
    mk_passage_cut(w->passage, &race->arm[u->arm], &g, u->tolerance, MK_FROM_ABOVE);
    mk_passage_solve(w->passage, MK_FROM_BELOW);
    return w->passage->survive;
}

/* P(M_k(T) <= y), rounded to `side`. */
static double below(const struct mk_underdog *u, size_t k, double y, enum mk_side side)
{
    return exp(-mk_cdf_rates(&u->race->arm[k], y, 0, u->race->horizon, side)) *
           (side == MK_FROM_ABOVE ? 1 + 4 * DBL_EPSILON : 1 - 4 * DBL_EPSILON);
}

/* The rival with the largest maximum. */
static size_t highest_rival(const struct mk_underdog *u)
{
    return u->rank[u->rank[0] == u->arm];
}

/* Fills w->y: the levels y_k of all rivals for each level of the highest one; mass[c] = P(the maxima of all rivals are
 * at most these, and that of the highest one is not in an earlier cell), from below. Returns their number. */
static size_t set_levels(struct mk_lower_work *w, const struct mk_underdog *u, double mass[LATE_LEVELS])
{
    static const double level[LATE_LEVELS] = {0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.997, 1};
    static const double almost = 0.999;
    const struct mk_race *race = u->race;
    const double T = (double)race->horizon;
    const size_t lead = highest_rival(u);
    double before = 0;
    for (size_t k = 0; k < race->arms; k++)
        if (k != u->arm && k != lead) w->p[k] = mk_race_quantile(race, k, T, almost) + mk_race_step(race, k);
    for (size_t c = 0; c < LATE_LEVELS; c++) {
        double *y = w->y + c * race->arms;
        y[lead] = mk_race_quantile(race, lead, T, level[c]) + mk_race_step(race, lead);
        if (y[lead] == INFINITY) return c;
        mass[c] = below(u, lead, y[lead], MK_FROM_BELOW) - before;
        before = below(u, lead, y[lead], MK_FROM_ABOVE);
        for (size_t k = 0; k < race->arms; k++) {
            if (k == u->arm || k == lead) continue;
            y[k] = fmin(y[lead], w->p[k]);
            mass[c] *= below(u, k, y[k], MK_FROM_BELOW);
        }
    }
    return LATE_LEVELS;
}

/* The bound by these levels. */
static double late_sum(struct mk_lower_work *w, const struct mk_underdog *u, const double *mass, size_t levels,
                       uint64_t count)
{
    double sum = 0, missed = u->limits->missed; /* of all cells together */
    for (size_t c = 0; c < levels; c++)
        if (mass[c] > 0)
            sum += mass[c] * late_above(w, u, w->y + c * u->race->arms, highest_rival(u), (double)count, &missed);
    return fmax(0, sum * (1 - 1e-12) - missed);
}

double mk_late_evaluate(struct mk_lower_work *w, const struct mk_underdog *u, uint64_t count)
{
    double mass[LATE_LEVELS];
    const size_t levels = set_levels(w, u, mass);
    return late_sum(w, u, mass, levels, count);
}

/* ---- for choosing plans ---- */

/* P(rival k is stuck within the window at level z, rounds up to `last`), from below; its first passages are left in
 * w->passage. */
static double plan_stuck(struct mk_lower_work *w, const struct mk_underdog *u, size_t k, struct mk_window window,
                         double z, struct mk_round last)
{
    const struct race_at at = {.u = u, .plan = &w->plan, .last = last};
    return stuck(w, &at, k, window, z);
}

double mk_plan_phi(const struct mk_lower_work *w, const struct mk_underdog *u, struct mk_window window, double offset,
                   uint64_t r)
{
    const struct race_at at = race_at(&w->plan, u);
    const struct mk_lower_shape shape = shape_of(&at, window, offset);
    return phi_of(&at, &shape, r, later_round(&at, r));
}

/* The count by which a fraction `share` of the first passages has occurred. */
static uint64_t plan_time(const struct mk_passage *p, double total, double share)
{
    double sum = 0;
    for (size_t b = 0; b < p->n; b++) {
        sum += p->mass[b];
        if (sum >= share * total) return p->time[b];
    }
    return p->n > 0 ? p->time[p->n - 1] : 1;
}

/* ---- plans for Theorem 2 ----
 *
 * Nothing here can make a bound wrong: any plan gives one, and the best of those tried is taken. */

static const double usual = 0.3;  /* level of M_i(m) for which plans are made */
static const double rarely = 0.5; /* rivals stuck with less probability are locked out */
static const double kept = 0.98; /* of a rival's probability, that must remain when its level is lowered by an offset */
static const double surely = 0.9; /* if late rounds give this much, plans are not tried */
static const double lead_share[MK_PLAN_WINDOWS] = {0.25, 0.5, 0.75, 0.93, 0.995};

static uint64_t room_of(const struct mk_underdog *u)
{
    return u->race->horizon - u->m - 1;
}

/* The largest offset that keeps most of the probability. */
static double find_offset(struct mk_lower_work *w, const struct mk_underdog *u, size_t k, double z,
                          struct mk_round last)
{
    const struct mk_window window = w->plan.window[k];
    double full = plan_stuck(w, u, k, window, z, last), low = 0, high = 1e-3 * (1 + fabs(z));
    while (plan_stuck(w, u, k, window, z - high, last) >= kept * full && high < 1e9 * (1 + fabs(z))) {
        low = high;
        high *= 4;
    }
    for (int step = 0; step < 7; step++) {
        double middle = (low + high) / 2;
        if (plan_stuck(w, u, k, window, z - middle, last) >= kept * full)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The offset that a rival needs in order not to require more of arm i than the lead does. */
static double needed_offset(const struct race_at *at, struct mk_window window)
{
    const struct mk_lower_shape lead = shape_of(at, at->plan->lead_window[at->plan->windows / 2], 0),
                                own = shape_of(at, window, 0);
    double need = 0;
    for (uint64_t r = 2; r <= at->u->m; r += r / 4 + 1) {
        const struct mk_round later = later_round(at, r);
        need = fmax(need, phi_of(at, &lead, r, later) - phi_of(at, &own, r, later));
    }
    return need;
}

/* A rival's window, from its first passages at any count. */
static struct mk_window find_window(const struct mk_lower_work *w, size_t k, uint64_t floor)
{
    const struct mk_passage *p = w->passage;
    struct mk_window window = {plan_time(p, w->p[k], 0.003), plan_time(p, w->p[k], 0.99)};
    if (w->p[k] >= rarely) {
        uint64_t max = plan_time(p, w->p[k], 0.9);
        window.last = max > floor ? max : floor;
        window.first = window.last - window.last / 4;
    }
    if (window.first < 1) window.first = 1;
    if (window.last < window.first) window.last = window.first;
    return window;
}

/* Windows of a lead that is locked out, by its first passages. */
static void set_locked(struct mk_lower_work *w, size_t lead)
{
    struct mk_lower_plan *plan = &w->plan;
    uint64_t first = plan_time(w->passage, w->p[lead], 0.003);
    plan->windows = 0;
    for (size_t b = 0; b < MK_PLAN_WINDOWS; b++) {
        uint64_t last = plan_time(w->passage, w->p[lead], lead_share[b]);
        if (last < first) continue;
        plan->lead_window[plan->windows++] = (struct mk_window){first > 0 ? first : 1, last};
        first = last + 1;
    }
    plan->window[lead] = (struct mk_window){plan->lead_window[0].first, plan->lead_window[plan->windows - 1].last};
}

/* The windows of all rivals, at level z, and the lead, the one that is stuck most rarely; fills w->p. */
static void set_windows(struct mk_lower_work *w, const struct mk_underdog *u, uint64_t floor, double z,
                        struct mk_round last)
{
    const struct mk_window any = {1, room_of(u)};
    size_t lead = highest_rival(u);
    for (size_t j = 0, before = u->race->arms; j < u->race->arms; j++) {
        size_t k = u->rank[j];
        if (k == u->arm) continue;
        if (before < u->race->arms && mk_known_equal(&u->race->arm[before], &u->race->arm[k])) {
            w->p[k] = w->p[before];
            w->plan.window[k] = w->plan.window[before];
            continue;
        }
        before = k;
        w->p[k] = plan_stuck(w, u, k, any, z, last);
        w->plan.window[k] = find_window(w, k, floor);
        if (w->p[k] < w->p[lead]) lead = k;
    }
    w->plan.lead = lead;
}

static void set_offsets(struct mk_lower_work *w, const struct mk_underdog *u, double z, struct mk_round last)
{
    struct mk_lower_plan *plan = &w->plan;
    const struct race_at at = race_at(plan, u);
    struct mk_window window = {0, 0};
    for (size_t k = 0, before = u->race->arms; k < u->race->arms; k++) {
        if (k == u->arm || k == plan->lead || w->p[k] < rarely) continue;
        const bool same = window.first == plan->window[k].first && window.last == plan->window[k].last;
        if (same && mk_known_equal(&u->race->arm[before], &u->race->arm[k])) {
            plan->offset[k] = plan->offset[before];
            continue;
        }
        before = k;
        window = plan->window[k];
        double need = needed_offset(&at, plan->window[k]);
        if (need > 0) plan->offset[k] = fmin(need, find_offset(w, u, k, z, last));
    }
}

static void clear_plan(struct mk_lower_work *w, size_t arms)
{
    for (size_t k = 0; k < arms; k++) {
        w->plan.offset[k] = 0;
        w->plan.window[k] = (struct mk_window){1, 1};
    }
}

/* The level of M_i(m) for which plans are made, below an atom there by more than the rounding of barriers. */
static double usual_level(const struct mk_underdog *u)
{
    const double x = mk_race_quantile(u->race, u->arm, (double)u->m, usual);
    return x - 64 * DBL_EPSILON * fabs(x) - mk_race_step(u->race, u->arm);
}

/* Sets w->plan: the lead and the other higher arms are locked out while arm i has its m pulls. Windows of the rivals
 * that are stuck anyway end at `floor` or later. False if there is no room. */
static bool make_plan(struct mk_lower_work *w, const struct mk_underdog *u, uint64_t floor)
{
    struct mk_lower_plan *plan = &w->plan;
    const double guess = fmin((double)room_of(u), (double)floor * (double)u->race->arms);
    const struct mk_round last = mk_round_of(u->race, (double)u->m + guess + 1);
    const double z = usual_level(u);
    clear_plan(w, u->race->arms);
    set_windows(w, u, floor, z, last);
    if (w->p[plan->lead] < rarely) {
        plan_stuck(w, u, plan->lead, (struct mk_window){1, room_of(u)}, z, last);
        set_locked(w, plan->lead);
    } else {
        plan->windows = 1;
        plan->lead_window[0] = plan->window[plan->lead];
    }
    if (plan_counts(plan, u) == 0) return false;
    set_offsets(w, u, z, last);
    return true;
}

static void keep_best(struct mk_lower_work *w, size_t arms)
{
    memcpy(w->best.window, w->plan.window, arms * sizeof *w->best.window);
    memcpy(w->best.offset, w->plan.offset, arms * sizeof *w->best.offset);
    memcpy(w->best.lead_window, w->plan.lead_window, sizeof w->best.lead_window);
    w->best.lead = w->plan.lead;
    w->best.windows = w->plan.windows;
}

/* State of the search for the best floor. */
struct search {
    double z, peak;
    uint64_t floor;
};

/* Tries one floor at one level; whether it is the best so far. */
static bool try_floor(struct mk_lower_work *w, const struct mk_underdog *u, uint64_t floor, struct search *s)
{
    double value = make_plan(w, u, floor) ? mk_plan_glance(w, u, s->z) : 0;
    if (!(value > s->peak)) return false;
    keep_best(w, u->race->arms);
    s->peak = value;
    s->floor = floor;
    return true;
}

/* Tries increasing floors as long as that may help, then the neighbours of the best one. */
static double plan_probability(struct mk_lower_work *w, const struct mk_underdog *u)
{
    struct search s = {usual_level(u), 0, 0};
    int falls = 0;
    for (uint64_t floor = 12; falls < 2 && floor <= u->race->horizon; floor *= 16) {
        falls = try_floor(w, u, floor, &s) ? 0 : falls + 1;
        if (floor > UINT64_MAX / 16) break;
    }
    if (s.peak <= 0) return 0;
    const uint64_t middle = s.floor;
    if (!try_floor(w, u, 4 * middle, &s)) try_floor(w, u, middle / 4, &s);
    struct mk_lower_plan swap = w->plan;
    w->plan = w->best;
    w->best = swap;
    return mk_plan_evaluate(w, u);
}

static double late_probability(struct mk_lower_work *w, const struct mk_underdog *u)
{
    const uint64_t room = u->race->horizon - u->m;
    double best = 0, peak = 0, mass[LATE_LEVELS];
    const size_t levels = set_levels(w, u, mass);
    int falls = 0;
    for (uint64_t count = 4; falls < 2 && count < room; count += count / 2) {
        double value = late_sum(w, u, mass, levels, count);
        best = fmax(best, value);
        falls = value > peak || peak <= 0 ? 0 : falls + 1;
        peak = fmax(peak, value);
    }
    return best;
}

double mk_lower_probability(struct mk_lower_work *w, const struct mk_underdog *u, bool *path)
{
    const double late = late_probability(w, u);
    const bool planned = u->race->scale == MK_RACE_UNSCALED && !mk_race_moves(u->race); /* Theorem 2 */
    *path = false;
    if (late > surely || !planned) return late;
    const double others = fmax(late, plan_probability(w, u)), by_path = w->path ? mk_path_probability(w->path, u) : 0;
    *path = by_path > others;
    return fmax(others, by_path);
}

/* Plans for Theorem 2 (certificate.h, 5), and the lower bound summed over m. Nothing here can make a bound wrong: any
 * plan gives one, and the best of those tried is taken. */
#include <float.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "analysis/theory/certificate_parts.h"

enum { MOST_POINTS = 400, ROUNDS = 40 };
static const double lower_tolerance = 0.05; /* of first passages */
static const double usual = 0.3;            /* level of M_i(m) for which plans are made */
static const double rarely = 0.5;           /* rivals stuck with less probability are locked out */
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
    double full = mk_plan_stuck(w, u, k, window, z, last), low = 0, high = 1e-3 * (1 + fabs(z));
    while (mk_plan_stuck(w, u, k, window, z - high, last) >= kept * full && high < 1e9 * (1 + fabs(z))) {
        low = high;
        high *= 4;
    }
    for (int step = 0; step < 7; step++) {
        double middle = (low + high) / 2;
        if (mk_plan_stuck(w, u, k, window, z - middle, last) >= kept * full)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The offset that rival k needs in order not to require more of arm i than the lead does. */
static double needed_offset(const struct mk_lower_work *w, const struct mk_underdog *u, size_t k)
{
    const struct mk_window lead = w->plan.lead_window[w->plan.windows / 2];
    double need = 0;
    for (uint64_t r = 2; r <= u->m; r += r / 4 + 1)
        need = fmax(need, mk_plan_phi(w, u, lead, 0, r) - mk_plan_phi(w, u, w->plan.window[k], 0, r));
    return need;
}

/* A rival's window, from its first passages at any count. */
static struct mk_window find_window(const struct mk_lower_work *w, size_t k, uint64_t floor)
{
    const struct mk_passage *p = w->passage;
    struct mk_window window = {mk_plan_time(p, w->p[k], 0.003), mk_plan_time(p, w->p[k], 0.99)};
    if (w->p[k] >= rarely) {
        uint64_t most = mk_plan_time(p, w->p[k], 0.9);
        window.last = most > floor ? most : floor;
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
    uint64_t first = mk_plan_time(w->passage, w->p[lead], 0.003);
    plan->windows = 0;
    for (size_t b = 0; b < MK_PLAN_WINDOWS; b++) {
        uint64_t last = mk_plan_time(w->passage, w->p[lead], lead_share[b]);
        if (last < first) continue;
        plan->lead_window[plan->windows++] = (struct mk_window){first > 0 ? first : 1, last};
        first = last + 1;
    }
    plan->window[lead] = (struct mk_window){plan->lead_window[0].first, plan->lead_window[plan->windows - 1].last};
}

/* The rival that is stuck most rarely at level z; fills w->p. */
static size_t find_lead(struct mk_lower_work *w, const struct mk_underdog *u, double z, struct mk_round last)
{
    const struct mk_window any = {1, room_of(u)};
    size_t lead = u->rank[0] == u->arm ? u->rank[1] : u->rank[0];
    for (size_t j = 0; j < u->race->arms; j++) {
        size_t k = u->rank[j];
        if (k == u->arm) continue;
        w->p[k] = mk_plan_stuck(w, u, k, any, z, last);
        if (w->p[k] < w->p[lead]) lead = k;
    }
    return lead;
}

/* The windows and offsets of all rivals but the lead, at level z. */
static void set_others(struct mk_lower_work *w, const struct mk_underdog *u, uint64_t floor, double z,
                       struct mk_round last)
{
    struct mk_lower_plan *plan = &w->plan;
    for (size_t k = 0; k < u->race->arms; k++) {
        if (k == u->arm || k == plan->lead) continue;
        w->p[k] = mk_plan_stuck(w, u, k, (struct mk_window){1, room_of(u)}, z, last);
        plan->window[k] = find_window(w, k, floor);
    }
}

static void set_offsets(struct mk_lower_work *w, const struct mk_underdog *u, double z, struct mk_round last)
{
    struct mk_lower_plan *plan = &w->plan;
    for (size_t k = 0; k < u->race->arms; k++) {
        if (k == u->arm || k == plan->lead || w->p[k] < rarely) continue;
        double need = needed_offset(w, u, k);
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
    plan->lead = find_lead(w, u, z, last);
    w->p[plan->lead] = mk_plan_stuck(w, u, plan->lead, (struct mk_window){1, room_of(u)}, z, last);
    if (w->p[plan->lead] < rarely) {
        set_locked(w, plan->lead);
    } else {
        plan->windows = 1;
        plan->lead_window[0] = plan->window[plan->lead] = find_window(w, plan->lead, floor);
    }
    set_others(w, u, floor, z, last);
    if (mk_plan_counts(plan, u) == 0) return false;
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
    double best = 0, peak = 0;
    int falls = 0;
    for (uint64_t count = 4; falls < 2 && count < room; count += count / 2) {
        double value = mk_late_evaluate(w, u, count);
        best = fmax(best, value);
        falls = value > peak || peak <= 0 ? 0 : falls + 1;
        peak = fmax(peak, value);
    }
    return best;
}

double mk_lower_probability(struct mk_lower_work *w, const struct mk_underdog *u)
{
    const double late = late_probability(w, u);
    bool moving = false; /* Theorem 2 is not used */
    for (size_t k = 0; k < u->race->arms; k++) moving |= u->race->arm[k].moving != NULL;
    return late > surely || moving || u->race->scale != MK_RACE_UNSCALED ? late : fmax(late, plan_probability(w, u));
}

/* ---- the sum over m ---- */

struct lower_grid {
    const struct mk_race *race;
    size_t arm;
    const size_t *rank;
    double tolerance;
    size_t n, threads;
    struct mk_lower_point {
        uint64_t m;
        double tail;
    } point[MOST_POINTS];
    struct mk_lower_work **work;
};

static int by_m(const void *a, const void *b)
{
    uint64_t x = ((const struct mk_lower_point *)a)->m, y = ((const struct mk_lower_point *)b)->m;
    return (x > y) - (x < y);
}

/* Fills the points from `from` on, sorts, and lifts every tail to those of larger m. */
static void fill_points(struct lower_grid *g, size_t from)
{
#pragma omp parallel for schedule(dynamic, 1) num_threads((int)g->threads)
    for (size_t k = from; k < g->n; k++) {
        const struct mk_underdog u = {g->race, g->arm, g->rank, g->point[k].m, lower_tolerance};
        g->point[k].tail = mk_lower_probability(g->work[omp_get_thread_num()], &u);
    }
    qsort(g->point, g->n, sizeof *g->point, by_m);
    for (size_t k = g->n - 1; k-- > 0;) g->point[k].tail = fmax(g->point[k].tail, g->point[k + 1].tail);
}

/* Upper bound on what the block that ends at point k lacks: (P(N > m[k-1]) - P(N > m[k])) for every m between the
 * two. */
static double block_lack(const struct lower_grid *g, size_t k)
{
    const uint64_t before = k > 0 ? g->point[k - 1].m : 0;
    const double tail = k > 0 ? g->point[k - 1].tail : 1;
    return (double)(g->point[k].m - before - 1) * (tail - g->point[k].tail);
}

static double lower_sum(const struct lower_grid *g)
{
    double sum = 0;
    for (size_t k = 0; k < g->n; k++)
        sum += (double)(g->point[k].m - (k > 0 ? g->point[k - 1].m : 0)) * g->point[k].tail;
    return sum > 0 ? nextafter(1 + sum * (1 - 1e-12), 0) : 1;
}

static void split_blocks(struct lower_grid *g, double share)
{
    const size_t n = g->n;
    for (size_t k = 0; k < n && g->n < MOST_POINTS; k++) {
        uint64_t a = k > 0 ? g->point[k - 1].m : 0, b = g->point[k].m;
        if (b - a < 2 || block_lack(g, k) <= share) continue;
        uint64_t middle = b > 2 * a + 2 ? (uint64_t)(sqrt((double)a + 1) * sqrt((double)b)) : a + (b - a) / 2;
        g->point[g->n++].m = middle > a && middle < b ? middle : a + (b - a) / 2;
    }
}

static void refine(struct lower_grid *g)
{
    const uint64_t last = g->race->horizon - (uint64_t)g->race->arms;
    size_t done = 0;
    for (uint64_t m = 2; m<last; m = m> last / 4 ? last : 4 * m) g->point[g->n++].m = m;
    g->point[g->n++].m = last;
    for (int round = 0; round < ROUNDS && done < g->n; round++) {
        fill_points(g, done);
        done = g->n;
        double lack = 0, sum = lower_sum(g);
        for (size_t k = 0; k < g->n; k++) lack += block_lack(g, k);
        if (lack <= g->tolerance * sum) break;
        split_blocks(g, g->tolerance * sum / (1.5 * (double)g->n));
    }
}

static int copy_tail(struct mk_lower_tail *out, const struct lower_grid *g, struct mk_error *err)
{
    out->n = g->n;
    out->m = malloc(g->n * sizeof *out->m);
    out->tail = malloc(g->n * sizeof *out->tail);
    if (!out->m || !out->tail) {
        mk_lower_tail_clear(out);
        return mk_fail_memory(err, "the certificate");
    }
    for (size_t k = 0; k < g->n; k++) {
        out->m[k] = g->point[k].m;
        out->tail[k] = g->point[k].tail;
    }
    out->mean = lower_sum(g);
    return MK_OK;
}

int mk_lower_tail_new(struct mk_lower_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                      double tolerance, struct mk_error *err)
{
    struct lower_grid *g = calloc(1, sizeof *g);
    *out = (struct mk_lower_tail){0, NULL, NULL, 1};
    if (!g) return mk_fail_memory(err, "the certificate");
    if (race->horizon <= (uint64_t)race->arms) {
        free(g);
        return MK_OK;
    }
    *g = (struct lower_grid){.race = race, .arm = arm, .rank = rank, .tolerance = tolerance};
    g->threads = (size_t)omp_get_max_threads();
    g->work = calloc(g->threads, sizeof *g->work);
    int code = g->work ? MK_OK : mk_fail_memory(err, "the certificate");
    for (size_t k = 0; !code && k < g->threads; k++) code = mk_lower_work_new(&g->work[k], race->arms, err);
    if (!code) refine(g);
    if (!code) code = copy_tail(out, g, err);
    for (size_t k = 0; g->work && k < g->threads; k++) mk_lower_work_free(g->work[k]);
    free(g->work);
    free(g);
    return code;
}

void mk_lower_tail_clear(struct mk_lower_tail *t)
{
    free(t->m);
    free(t->tail);
    *t = (struct mk_lower_tail){0, NULL, NULL, 0};
}

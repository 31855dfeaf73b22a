/* The proposal distributions of the rare-event estimator, and the likelihood ratio of what was drawn. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/error.h"

#include "sim/base/grow.h"
#include "sim/run/engine/rare.h"

static const double plain_share = 0.5;
static const double grid_step = 1.08;     /* between neighbouring n */
static const double least_log_term = -14; /* of P(A_n) relative to the largest */
static const double family_spacing = 9.9; /* of horizons, at least */
static const double widest_spacing = 31; /* a lock-out that ends between two horizons belongs to the later one's mean */
enum { LEAST_HORIZON = 10, MOST_DECADES = 20 };
static const double most_bound = 0.2;   /* a lock-out more likely than this is not rare */
static const double least_pulls = 0.01; /* smallest change of the expected pulls for which a family is kept */

void mk_rare_design_free(struct mk_rare_design *d)
{
    if (!d) return;
    for (size_t f = 0; d->family && f < d->n_families; f++) {
        for (size_t j = 0; j < d->family[f].n_arms; j++) free(d->family[f].arm[j].term);
        free(d->family[f].arm);
    }
    free(d->family);
    free(d);
}

/* n = 1, 2, … in growing steps. */
static uint64_t next_on_grid(uint64_t n)
{
    double next = ceil((double)n * grid_step);
    return next > (double)n ? (uint64_t)next : n + 1;
}

static double upper_end(const struct mk_dist *d)
{
    double lo, hi;
    mk_dist_support(d, &lo, &hi);
    return hi;
}

/* The terms of one arm against a leader's upper end point, those of negligible weight dropped; 0: out of memory. */
static bool add_terms(struct mk_rare_arm *a, const struct mk_dist *d, double end, double bonus, uint64_t horizon)
{
    double best = -INFINITY;
    for (uint64_t n = 1, next; n <= horizon; n = next) {
        next = next_on_grid(n);
        double width = bonus / (double)next, level = end - width * width;
        double s = mk_dist_survival(d, level), log_below = log1p(-s), log_p = (double)n * log_below;
        if (!(s < 1) || !isfinite(log_p)) continue;
        if (log_p > best) best = log_p;
        if (log_p < best + least_log_term) break;
        if (!MK_GROW(a->term, a->n_terms, 1)) return false;
        a->term[a->n_terms++] = (struct mk_rare_term){n, s, log_below, exp(log_p)};
    }
    size_t kept = 0;
    for (size_t i = 0; i < a->n_terms; i++)
        if (a->term[i].share > 0 && a->term[i].share >= exp(best + least_log_term)) a->term[kept++] = a->term[i];
    a->n_terms = kept;
    for (size_t i = 0; i < kept; i++) a->bound += a->term[i].share;
    for (size_t i = 0; i < kept; i++) a->term[i].share /= a->bound;
    return true;
}

/* The family of one horizon and leader, appended if it is rare and matters; 0: out of memory. */
static bool add_family(struct mk_rare_design *d, const struct mk_problem *p, uint64_t horizon, size_t leader,
                       double alpha, double power)
{
    struct mk_rare_family f = {horizon, leader, 0, calloc(p->n_arms, sizeof *f.arm)};
    double end = upper_end(p->dist[leader]), bound = 1;
    size_t terms = 0;
    bool good = f.arm != NULL;
    for (size_t k = 0; good && k < p->n_arms; k++) {
        if (!(upper_end(p->dist[k]) > end)) continue;
        struct mk_rare_arm *a = &f.arm[f.n_arms++];
        a->arm = k;
        good = add_terms(a, p->dist[k], end, alpha * pow(log((double)horizon), power), horizon);
        bound *= a->bound;
        terms += a->n_terms;
    }
    if (good && f.n_arms && bound > 0 && bound <= most_bound && bound * (double)horizon >= least_pulls) {
        d->family[d->n_families++] = f;
        d->n_terms += terms;
        return true;
    }
    for (size_t j = 0; j < f.n_arms; j++) free(f.arm[j].term);
    free(f.arm);
    return good;
}

/* The horizon of the families before those of `at`: one of the experiment if it is about a factor of 10 away. */
static uint64_t horizon_before(const uint64_t *horizon, size_t n_horizons, uint64_t at)
{
    for (size_t h = n_horizons; h-- > 0;) {
        if ((double)horizon[h] > (double)at / family_spacing) continue;
        if ((double)horizon[h] >= (double)at / widest_spacing) return horizon[h];
        break;
    }
    return at / 10;
}

int mk_rare_design_new(struct mk_rare_design **out, const struct mk_problem *p, const uint64_t *horizon,
                       size_t n_horizons, double alpha, double power, struct mk_error *err)
{
    struct mk_rare_design *d = calloc(1, sizeof *d);
    bool good = d && (d->family = calloc((MOST_DECADES + n_horizons) * p->n_arms, sizeof *d->family));
    for (uint64_t at = horizon[n_horizons - 1]; good && alpha > 0 && at >= LEAST_HORIZON;
         at = horizon_before(horizon, n_horizons, at))
        for (size_t k = 0; good && k < p->n_arms; k++) good = add_family(d, p, at, k, alpha, power);
    if (!good) {
        mk_rare_design_free(d);
        return mk_fail_memory(err, "the rare-event design");
    }
    d->plain = d->n_families ? plain_share : 1;
    *out = d;
    return MK_OK;
}

void mk_rare_condition(const struct mk_rare_design *d, struct mk_pcg64 *g, struct mk_record_tape *tape)
{
    if (mk_uniform(g) < d->plain) return;
    const struct mk_rare_family *f = &d->family[mk_uniform_below(g, d->n_families)];
    for (size_t j = 0; j < f->n_arms; j++) {
        const struct mk_rare_arm *a = &f->arm[j];
        double u = mk_uniform(g);
        size_t i = 0;
        while (i + 1 < a->n_terms && u >= a->term[i].share) u -= a->term[i++].share;
        mk_record_tape_floor(tape, a->arm, a->term[i].n, a->term[i].s);
    }
}

void mk_rare_exceeds(const struct mk_rare_design *d, struct mk_record_tape *tape, uint64_t *exceeds)
{
    for (size_t f = 0; f < d->n_families; f++)
        for (size_t j = 0; j < d->family[f].n_arms; j++) {
            const struct mk_rare_arm *a = &d->family[f].arm[j];
            const struct mk_record *r = mk_record_high(tape, a->arm, 0);
            for (size_t i = 0, at = 1; i < a->n_terms; i++) { /* levels increase with n: none is exceeded earlier */
                while (r->n <= a->term[i].n && r->s >= a->term[i].s) r = mk_record_high(tape, a->arm, at++);
                *exceeds++ = r->n <= a->term[i].n ? r->n : MK_RECORD_NEVER;
            }
        }
}

double mk_rare_weight(const struct mk_rare_design *d, const uint64_t *exceeds, const uint64_t *pulls)
{
    double density = d->plain, each = d->n_families ? (1 - d->plain) / (double)d->n_families : 0;
    for (size_t f = 0; f < d->n_families; f++) {
        double ratio = each;
        for (size_t j = 0; j < d->family[f].n_arms; j++) {
            const struct mk_rare_arm *a = &d->family[f].arm[j];
            double sum = 0;
            for (size_t i = 0; ratio > 0 && i < a->n_terms; i++) {
                const struct mk_rare_term *t = &a->term[i];
                uint64_t n = pulls[a->arm];
                if (exceeds[i] <= (n < t->n ? n : t->n)) continue;
                sum += t->n <= n ? 1 / a->bound : t->share * exp(-(double)n * t->log_below);
            }
            exceeds += a->n_terms;
            ratio *= sum;
        }
        density += ratio;
    }
    return 1 / density;
}

#include "analysis/compare/arms/bonus_scan.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/base/param.h"

static const double least_alpha = 0.01, largest_alpha = 10;
static const double first_power[] = {1, 1.25, 1.5, 2, 3};
enum { FIRST_POWERS = sizeof first_power / sizeof *first_power, ROUNDS = 2, AROUND = 8 };

double mk_bonus_value(const struct mk_bonus_bound *b, enum mk_bonus_measure by)
{
    return by == MK_BY_PULLS ? b->bound.pulls : b->bound.regret;
}

/* ---- bounds ---- */

static struct mk_policy_entry entry_of(const struct mk_bonus_scan *s, const struct mk_bonus_bound *at)
{
    struct mk_policy_entry own = *s->entry;
    own.par[mk_param_find(own.type->params, "alpha")] = at->alpha;
    if (!isnan(at->power)) own.par[mk_param_find(own.type->params, "power")] = at->power;
    return own;
}

static int regrets(const struct mk_bonus_scan *s, uint64_t horizon, struct mk_bonus_bound *at,
                   struct mk_certificate *const *c, size_t n, struct mk_error *err)
{
    size_t failed = n;
    int code = MK_OK;
#pragma omp parallel for schedule(dynamic, 1)
    for (size_t i = 0; i < n; i++) {
        MK_IN_C_LOCALE;
        struct mk_error its;
        const int its_code = mk_certified_regret(&at[i].bound, c[i], s->arms->arm, horizon, &its);
        at[i].refinement = 0;
        for (size_t k = 0; k < c[i]->arms; k++) at[i].refinement = fmax(at[i].refinement, c[i]->arm[k].refinement);
        if (!its_code) continue;
#pragma omp critical(mk_bonus_regret)
        if (i < failed) {
            failed = i;
            code = its_code;
            *err = its;
        }
    }
    return code;
}

/* Bounds in `horizon` rounds of n pairs whose alpha and power are set. All threads share the pairs; the result does not
 * depend on their number. */
static int bonus_bounds(const struct mk_bonus_scan *s, uint64_t horizon, struct mk_bonus_bound *at, size_t n,
                        struct mk_error *err)
{
    struct mk_policy_entry *own = calloc(n + 1, sizeof *own);
    struct mk_certify_task *task = calloc(n + 1, sizeof *task);
    struct mk_certificate **c = calloc(n + 1, sizeof(struct mk_certificate *));
    int code = own && task && c ? MK_OK : mk_fail_memory(err, "certificates");
    for (size_t i = 0; !code && i < n; i++) {
        own[i] = entry_of(s, &at[i]);
        task[i] = (struct mk_certify_task){&own[i], s->arms, horizon, MK_CERTIFIED_SHARED, s->refinement, MK_EVERY_ARM};
    }
    if (!code) code = mk_certify_ahead(s->store, task, n, s->progress, err);
    for (size_t i = 0; !code && i < n; i++) code = mk_certify_kept(&c[i], s->store, &task[i], err);
    if (!code) code = regrets(s, horizon, at, c, n, err);
    for (size_t i = 0; c && i < n; i++) mk_certificate_free(c[i]);
    free(c);
    free(task);
    free(own);
    return code;
}

/* ---- alpha ---- */

static double first_alpha(size_t k)
{
    const double ratio = pow(largest_alpha / least_alpha, 1.0 / (MK_FIRST_ALPHAS - 1));
    return least_alpha * pow(ratio, (double)k);
}

static size_t smallest(const struct mk_bonus_bound *at, size_t n, enum mk_bonus_measure by)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (mk_bonus_value(&at[k], by) < mk_bonus_value(&at[best], by)) best = k;
    return best;
}

/* The middles between the best and its neighbours. */
static int halve(const struct mk_bonus_scan *s, uint64_t horizon, struct mk_bonus_bound *at, size_t *n,
                 struct mk_error *err)
{
    const size_t best = smallest(at, *n, MK_BY_REGRET);
    struct mk_bonus_bound middle[2];
    size_t above[2], found = 0;
    if (best + 1 < *n) above[found++] = best + 1;
    if (best > 0) above[found++] = best;
    for (size_t i = 0; i < found; i++)
        middle[i] = (struct mk_bonus_bound){.alpha = sqrt(at[above[i] - 1].alpha * at[above[i]].alpha), .power = NAN};
    const int code = bonus_bounds(s, horizon, middle, found, err);
    for (size_t i = 0; !code && i < found; i++) { /* from above, so that the places hold */
        memmove(at + above[i] + 1, at + above[i], (*n - above[i]) * sizeof *at);
        at[above[i]] = middle[i];
        ++*n;
    }
    return code;
}

int mk_scan_alphas(const struct mk_bonus_scan *s, uint64_t horizon, struct mk_bonus_bound *at, size_t *n, size_t *best,
                   struct mk_error *err)
{
    *n = MK_FIRST_ALPHAS;
    for (size_t k = 0; k < *n; k++) at[k] = (struct mk_bonus_bound){.alpha = first_alpha(k), .power = NAN};
    int code = bonus_bounds(s, horizon, at, *n, err);
    for (int halving = 0; !code && halving < MK_ALPHA_HALVINGS; halving++) code = halve(s, horizon, at, n, err);
    if (!code) *best = smallest(at, *n, MK_BY_REGRET);
    return code;
}

/* ---- alpha and power ---- */

static bool at_least_as_good(const struct mk_bonus_pairs *p, size_t i, size_t j, enum mk_bonus_measure by, bool *better)
{
    *better = false;
    for (size_t h = 0; h < p->horizons; h++) {
        const double a = mk_bonus_value(&p->at[h * p->n + i], by), b = mk_bonus_value(&p->at[h * p->n + j], by);
        if (a > b) return false;
        *better |= a < b;
    }
    return true;
}

static void compare(struct mk_bonus_pairs *p, enum mk_bonus_measure by)
{
    for (size_t h = 0; h < p->horizons; h++) p->best[h] = smallest(p->at + h * p->n, p->n, by);
    p->compromise = 0;
    for (size_t i = 0; i < p->n; i++) {
        p->worst[i] = 1;
        p->efficient[i] = true;
        for (size_t h = 0; h < p->horizons; h++) {
            const struct mk_bonus_bound *at = p->at + h * p->n;
            const double value = mk_bonus_value(&at[i], by), least = mk_bonus_value(&at[p->best[h]], by);
            if (value > least) p->worst[i] = fmax(p->worst[i], value / least);
        }
        bool better;
        for (size_t j = 0; j < p->n && p->efficient[i]; j++)
            p->efficient[i] = !(at_least_as_good(p, j, i, by, &better) && better);
        if (p->worst[i] < p->worst[p->compromise]) p->compromise = i;
    }
}

static bool has_pair(const struct mk_bonus_bound *at, size_t n, double alpha, double power)
{
    for (size_t i = 0; i < n; i++)
        if (fabs(at[i].alpha / alpha - 1) < 1e-9 && fabs(at[i].power - power) < 1e-9) return true;
    return false;
}

/* Half the way from the power to the next one that a pair has, below or above; itself at the end. */
static double bonus_scan_between(const struct mk_bonus_pairs *p, double power, bool above)
{
    double next = above ? INFINITY : -INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        const double other = p->at[i].power;
        if (above && other > power) next = fmin(next, other);
        if (!above && other < power) next = fmax(next, other);
    }
    return isfinite(next) ? (power + next) / 2 : power;
}

/* Pairs around pair i that are neither among p nor among the n that have been found. */
static size_t find_around(const struct mk_bonus_pairs *p, size_t i, double ratio, struct mk_bonus_bound *to, size_t n)
{
    const struct mk_bonus_bound *centre = &p->at[i];
    const double alpha[] = {centre->alpha / ratio, centre->alpha, centre->alpha * ratio};
    const double power[] = {bonus_scan_between(p, centre->power, false), centre->power,
                            bonus_scan_between(p, centre->power, true)};
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            const double slack = 1e-9;
            if (alpha[a] < least_alpha * (1 - slack) || alpha[a] > largest_alpha * (1 + slack)) continue;
            if (has_pair(p->at, p->n, alpha[a], power[b]) || has_pair(to, n, alpha[a], power[b])) continue;
            to[n++] = (struct mk_bonus_bound){.alpha = alpha[a], .power = power[b]};
        }
    return n;
}

static int by_power(const void *a, const void *b)
{
    const struct mk_bonus_bound *x = a, *y = b;
    if (x->power != y->power) return x->power < y->power ? -1 : 1;
    return (x->alpha > y->alpha) - (x->alpha < y->alpha);
}

/* Adds n pairs; p->n must be those that were there before. */
static int add_pairs(struct mk_bonus_pairs *p, const struct mk_bonus_scan *s, const uint64_t *horizon,
                     const struct mk_bonus_bound *more, size_t n, struct mk_error *err)
{
    const size_t all = p->n + n;
    struct mk_bonus_bound *at = malloc((all * p->horizons + 1) * sizeof *at);
    int code = at && MK_GROW(p->worst, p->n, n) && MK_GROW(p->efficient, p->n, n) ? MK_OK
                                                                                  : mk_fail_memory(err, "certificates");
    for (size_t h = 0; !code && h < p->horizons; h++) {
        struct mk_bonus_bound *its = at + h * all;
        if (p->n > 0) memcpy(its, p->at + h * p->n, p->n * sizeof *its);
        memcpy(its + p->n, more, n * sizeof *its);
        code = bonus_bounds(s, horizon[h], its + p->n, n, err);
        qsort(its, all, sizeof *its, by_power);
    }
    if (code) {
        free(at);
        return code;
    }
    free(p->at);
    p->at = at;
    p->n = all;
    return MK_OK;
}

static int check_values(const struct mk_bonus_pairs *p, enum mk_bonus_measure by, struct mk_error *err)
{
    for (size_t i = 0; i < p->n * p->horizons; i++)
        if (!isfinite(mk_bonus_value(&p->at[i], by)))
            return mk_fail(
                err, MK_EINPUT,
                "the regret has no certified bound (the best arm has an infinite lower end point or mean, or a "
                "band); allowed: --by pulls");
    return MK_OK;
}

int mk_scan_bonuses(const struct mk_bonus_scan *s, const uint64_t *horizon, size_t n_horizons, enum mk_bonus_measure by,
                    struct mk_bonus_pairs *out, struct mk_error *err)
{
    const size_t room = MK_FIRST_ALPHAS * FIRST_POWERS + AROUND * (n_horizons + 1);
    struct mk_bonus_bound *more = malloc(room * sizeof *more);
    size_t n = 0;
    double ratio = first_alpha(1) / first_alpha(0);
    *out = (struct mk_bonus_pairs){.horizons = n_horizons};
    out->best = calloc(n_horizons + 1, sizeof *out->best);
    int code = more && out->best ? MK_OK : mk_fail_memory(err, "certificates");
    for (size_t b = 0; !code && b < FIRST_POWERS; b++)
        for (size_t a = 0; a < MK_FIRST_ALPHAS; a++)
            more[n++] = (struct mk_bonus_bound){.alpha = first_alpha(a), .power = first_power[b]};
    for (int round = 0; !code && round <= ROUNDS; round++) {
        code = add_pairs(out, s, horizon, more, n, err);
        if (!code) code = check_values(out, by, err);
        if (code) break;
        compare(out, by);
        ratio = sqrt(ratio);
        n = find_around(out, out->compromise, ratio, more, 0);
        for (size_t h = 0; h < n_horizons; h++) n = find_around(out, out->best[h], ratio, more, n);
    }
    free(more);
    if (code) mk_bonus_pairs_clear(out);
    return code;
}

void mk_bonus_pairs_clear(struct mk_bonus_pairs *p)
{
    free(p->at);
    free(p->best);
    free(p->worst);
    free(p->efficient);
    *p = (struct mk_bonus_pairs){0};
}

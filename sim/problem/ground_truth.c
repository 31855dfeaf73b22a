/* E[M(T)], i*(T) and Delta_i(T) (Definition 3.1 of Balef et al. 2025) per instance and horizon. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/problem/problem.h"
#include "sim/problem/trajectory.h"

enum { PARTS = 20 };

void mk_truth_free(struct mk_truth *f)
{
    if (!f) return;
    free(f->expected_max);
    free(f->gap);
    free(f->optimal_arm);
    free(f->support_low);
    free(f->support_high);
    mk_recorded_truth_free(f->recorded);
    free(f);
}

struct mk_truth *mk_truth_alloc(size_t n_instances, size_t n_horizons, size_t n_arms)
{
    struct mk_truth *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->n_instances = n_instances;
    f->n_horizons = n_horizons;
    f->n_arms = n_arms;
    size_t cells = n_instances * n_horizons;
    f->expected_max = malloc((cells * n_arms + 1) * sizeof *f->expected_max);
    f->gap = malloc((cells * n_arms + 1) * sizeof *f->gap);
    f->optimal_arm = calloc(cells + 1, sizeof *f->optimal_arm);
    f->support_low = malloc((n_arms + 1) * sizeof *f->support_low);
    f->support_high = malloc((n_arms + 1) * sizeof *f->support_high);
    if (!f->expected_max || !f->gap || !f->optimal_arm || !f->support_low || !f->support_high) {
        mk_truth_free(f);
        return NULL;
    }
    for (size_t i = 0; i < cells * n_arms; i++) f->expected_max[i] = f->gap[i] = NAN;
    for (size_t k = 0; k < n_arms; k++) f->support_low[k] = f->support_high[k] = NAN;
    return f;
}

/* E[M(T)] of an arm without recorded rewards. MK_ENUM names the arm. */
static int expected_max(const struct mk_problem *p, size_t arm, uint64_t horizon, double *value, struct mk_error *err)
{
    struct mk_error why = {0, ""};
    int code = p->source->expected_max(p, arm, horizon, value, &why);
    if (!code) return MK_OK;
    *value = NAN;
    return mk_fail(err, code, "%s%s%s", code == MK_ENUM ? p->arm_label[arm] : "", code == MK_ENUM ? ": " : "",
                   why.text);
}

/* Continues after MK_ENUM, which is returned in the end: *err is about the first one. */
static int computed(struct mk_truth *f, const struct mk_problem *p, const uint64_t *horizons, struct mk_error *err)
{
    int first = MK_OK;
    for (size_t k = 0; k < p->n_arms; k++) {
        struct mk_error why = {0, ""};
        int code = p->source->support(p, 0, k, &f->support_low[k], &f->support_high[k], err);
        if (code) return code;
        for (size_t h = 0; h < f->n_horizons; h++) {
            code = expected_max(p, k, mk_arm_reach(p, k, horizons[h]), &f->expected_max[mk_truth_at(f, 0, h, k)],
                                first ? &why : err);
            if (code && code != MK_ENUM) return first ? mk_fail(err, code, "%s", why.text) : code;
            if (!first) first = code;
        }
    }
    return first;
}

/* ---- recorded runs: the best possible rewards, and where the arms begin ---- */

struct mk_recorded_truth *mk_recorded_truth_alloc(size_t n_instances, uint64_t replications)
{
    struct mk_recorded_truth *f = calloc(1, sizeof *f);
    size_t cells = n_instances * (size_t)replications;
    if (!f) return NULL;
    f->n_instances = n_instances;
    f->replications = replications;
    f->best = malloc((cells + 1) * sizeof *f->best);
    f->least = malloc((cells + 1) * sizeof *f->least);
    f->first_median = malloc((cells + 1) * sizeof *f->first_median);
    f->shift = malloc((n_instances + 1) * sizeof *f->shift);
    if (!f->best || !f->least || !f->first_median || !f->shift) {
        mk_recorded_truth_free(f);
        return NULL;
    }
    for (size_t i = 0; i < cells; i++) f->best[i] = f->least[i] = f->first_median[i] = NAN;
    for (size_t i = 0; i < n_instances; i++) f->shift[i] = NAN;
    return f;
}

void mk_recorded_truth_free(struct mk_recorded_truth *f)
{
    if (!f) return;
    free(f->best);
    free(f->least);
    free(f->first_median);
    free(f->shift);
    free(f);
}

static double largest(const struct mk_series *s, size_t from, size_t to)
{
    double best = -INFINITY;
    for (size_t n = from; n < to && n < s->length; n++) best = s->reward[n] > best ? s->reward[n] : best;
    return best;
}

/* For one repetition; *best_arm = position of the arm with the largest reward. */
static void scan(struct mk_recorded_truth *f, const struct mk_problem *p, size_t instance, uint64_t replication,
                 size_t horizon, double *first, size_t *best_arm)
{
    size_t at = instance * (size_t)f->replications + (size_t)replication, n = p->instance[instance].n_arms;
    double best = -INFINITY, least = INFINITY;
    for (size_t k = 0; k < n; k++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, replication);
        const size_t reach = (size_t)mk_series_reach(p, s, horizon);
        double top = largest(s, 0, reach);
        if (top > best) *best_arm = k;
        best = fmax(best, top);
        for (size_t t = 0; t < reach; t++) least = s->reward[t] < least ? s->reward[t] : least;
        first[k] = s->reward[0];
    }
    for (size_t b = 0; b < p->n_baselines; b++) {
        const struct mk_series *s = mk_problem_baseline(p, instance, b, replication);
        best = fmax(best, largest(s, 0, (size_t)mk_series_reach(p, s, horizon)));
    }
    qsort(first, n, sizeof *first, mk_compare_reals);
    f->best[at] = best;
    f->least[at] = least;
    f->first_median[at] = (first[(n - 1) / 2] + first[n / 2]) / 2;
}

/* The shift of an instance (Balef et al. 2025, Figure E.6, as the authors' programs compute it): rewards are scaled to
 * [0, 1] over the instance; for every repetition the arm with the largest reward, its run cut into 20 parts of T/20
 * rewards; m_j the mean over repetitions of the maximum of part j; shift = max_j (m_j - m_1) / m_1. NaN where horizons
 * are costs. */
static double shift_of(const struct mk_recorded_truth *f, const struct mk_problem *p, size_t instance, size_t horizon,
                       const size_t *best_arm)
{
    double low = INFINITY, high = -INFINITY, mean[PARTS] = {0}, rise = 0;
    const size_t width = p->by_cost ? 0 : horizon / PARTS,
                 R = (size_t)mk_problem_replications(p, instance, f->replications);
    for (size_t r = 0; r < R; r++) {
        low = fmin(low, f->least[instance * (size_t)f->replications + r]);
        for (size_t k = 0; k < p->instance[instance].n_arms; k++)
            high = fmax(high, largest(mk_problem_series(p, instance, k, r), 0, horizon));
    }
    if (!width || !(high > low)) return width ? 0 : NAN;
    for (size_t j = 0; j < PARTS; j++)
        for (size_t r = 0; r < R; r++) {
            double top = largest(mk_problem_series(p, instance, best_arm[r], r), j * width, (j + 1) * width);
            mean[j] += (top - low) / (high - low) / (double)R;
        }
    for (size_t j = 1; j < PARTS; j++) rise = fmax(rise, (mean[j] - mean[0]) / mean[0]);
    return rise;
}

int mk_recorded_truth_new(struct mk_recorded_truth **out, const struct mk_problem *p, uint64_t horizon,
                          uint64_t replications, struct mk_error *err)
{
    struct mk_recorded_truth *f = mk_recorded_truth_alloc(p->n_instances, replications);
    double *first = malloc((p->n_arms + 1) * sizeof *first);
    size_t *best_arm = calloc((size_t)replications + 1, sizeof *best_arm);
    bool good = f && first && best_arm;
    for (size_t i = 0; good && i < p->n_instances; i++) {
        for (uint64_t r = 0; r < mk_problem_replications(p, i, replications); r++)
            scan(f, p, i, r, (size_t)horizon, first, &best_arm[r]);
        f->shift[i] = shift_of(f, p, i, (size_t)horizon, best_arm);
        mk_problem_release(p, i);
    }
    free(first);
    free(best_arm);
    if (good) {
        *out = f;
        return MK_OK;
    }
    mk_recorded_truth_free(f);
    return mk_fail_memory(err, "the exact values of the problem");
}

/* Adds the running maximum of one series at every horizon to the sums in expected_max. */
static void add_series(struct mk_truth *f, const struct mk_problem *p, const struct mk_series *s,
                       const uint64_t *horizons, size_t instance, size_t arm)
{
    double best = -INFINITY;
    size_t n = 0;
    for (size_t h = 0; h < f->n_horizons; h++) {
        /* horizons need not ascend */
        if (h && horizons[h] < horizons[h - 1]) {
            best = -INFINITY;
            n = 0;
        }
        for (const uint64_t reach = mk_series_reach(p, s, horizons[h]); n < reach; n++)
            best = s->reward[n] > best ? s->reward[n] : best;
        f->expected_max[mk_truth_at(f, instance, h, arm)] += best;
    }
}

static int recorded(struct mk_truth *f, const struct mk_problem *p, const uint64_t *horizons, uint64_t replications,
                    struct mk_error *err)
{
    uint64_t largest = 0;
    for (size_t h = 0; h < f->n_horizons; h++) largest = horizons[h] > largest ? horizons[h] : largest;
    if (replications < 1 || replications > p->replications)
        return mk_fail(err, MK_EINPUT, "%s: expected 1 to %llu replications, got %llu", p->file,
                       (unsigned long long)p->replications, (unsigned long long)replications);
    int code = mk_trajectory_check(p, largest, replications, err);
    if (code) return code;
    for (size_t k = 0; k < p->n_arms; k++) {
        f->support_low[k] = INFINITY;
        f->support_high[k] = -INFINITY;
    }
    for (size_t i = 0; i < p->n_instances; i++) {
        for (size_t a = 0; a < p->instance[i].n_arms; a++) {
            size_t k = p->instance[i].arm[a];
            for (size_t h = 0; h < f->n_horizons; h++) f->expected_max[mk_truth_at(f, i, h, k)] = 0;
            for (uint64_t r = 0; r < p->instance[i].replications; r++) {
                const struct mk_series *s = mk_problem_series(p, i, a, r);
                mk_series_widen(s, &f->support_low[k], &f->support_high[k]);
                if (r < replications) add_series(f, p, s, horizons, i, k);
            }
            const double n = (double)mk_problem_replications(p, i, replications);
            for (size_t h = 0; h < f->n_horizons; h++) f->expected_max[mk_truth_at(f, i, h, k)] /= n;
        }
        mk_problem_release(p, i);
    }
    return mk_recorded_truth_new(&f->recorded, p, largest, replications, err);
}

/* Expected maxima are accurate to about 1e-15: closer values count as equal, so that equal arms
 * (equal means at T = 1, say) keep their order instead of being separated by rounding. */
static bool clearly_above(double x, double y)
{
    return x > y && (isinf(x) || isinf(y) || x - y > 1e-14 * fabs(x));
}

/* Whether arm a has the larger E[M(T)], or both have an infinite one and a has the larger median. */
static int is_better(const struct mk_problem *p, const double *value, size_t a, size_t b, uint64_t horizon, int *better,
                     struct mk_error *err)
{
    double x, y;
    *better = clearly_above(value[a], value[b]);
    if (value[a] != INFINITY || value[b] != INFINITY) return MK_OK;
    int code = p->source->median_max(p, a, mk_arm_reach(p, a, horizon), &x, err);
    if (!code) code = p->source->median_max(p, b, mk_arm_reach(p, b, horizon), &y, err);
    if (!code) *better = x > y;
    return code;
}

/* i*(T) and the gaps of one cell; unknown if the E[M(T)] of an arm is. */
static int compare_arms(struct mk_truth *f, const struct mk_problem *p, size_t instance, size_t h, uint64_t horizon,
                        struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    const double *value = &f->expected_max[mk_truth_at(f, instance, h, 0)];
    double *gap = &f->gap[mk_truth_at(f, instance, h, 0)];
    size_t best = in->arm[0];
    f->optimal_arm[instance * f->n_horizons + h] = SIZE_MAX;
    for (size_t a = 0; a < in->n_arms; a++)
        if (isnan(value[in->arm[a]])) return MK_OK;
    for (size_t a = 1; a < in->n_arms; a++) {
        int better;
        int code = is_better(p, value, in->arm[a], best, horizon, &better, err);
        if (code) return code;
        if (better) best = in->arm[a];
    }
    f->optimal_arm[instance * f->n_horizons + h] = best;
    for (size_t a = 0; a < in->n_arms; a++) {
        size_t k = in->arm[a];
        gap[k] = clearly_above(value[best], value[k]) ? value[best] - value[k] : 0;
        if (k != best && value[k] == INFINITY) gap[k] = NAN; /* inf - inf */
    }
    return MK_OK;
}

int mk_problem_check_costs(const struct mk_problem *p, uint64_t first, uint64_t last, uint64_t replications,
                           struct mk_error *err)
{
    double once = 0;
    if (p->source->recorded) return mk_trajectory_check_costs(p, first, last, replications, err);
    for (size_t k = 0; k < p->n_arms; k++) once += p->cost[k];
    if (once <= mk_affordable(p, first)) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: expected horizons of at least %.6g, what one pull of every arm costs, got %.15g",
                   p->instance[0].name, mk_digits_above(once, 6), mk_horizon_amount(p->cost_parts, first));
}

int mk_truth_partial(struct mk_truth **out, const struct mk_problem *p, const uint64_t *horizons, size_t n_horizons,
                     uint64_t replications, struct mk_error *err)
{
    struct mk_truth *f = *out = mk_truth_alloc(p->n_instances, n_horizons, p->n_arms);
    if (!f) return mk_fail_memory(err, "the exact values of the problem");
    int missing = MK_OK; /* searches that have not been run: all unknown */
    if (p->instance->series)
        missing = recorded(f, p, horizons, replications, err);
    else if (p->source->expected_max)
        missing = computed(f, p, horizons, err);
    int code = missing == MK_ENUM ? MK_OK : missing;
    for (size_t i = 0; !code && i < p->n_instances; i++)
        for (size_t h = 0; !code && h < n_horizons; h++) code = compare_arms(f, p, i, h, horizons[h], err);
    if (!code) return missing;
    mk_truth_free(f);
    *out = NULL;
    return code;
}

int mk_truth_new(struct mk_truth **out, const struct mk_problem *p, const uint64_t *horizons, size_t n_horizons,
                 uint64_t replications, struct mk_error *err)
{
    int code = mk_truth_partial(out, p, horizons, n_horizons, replications, err);
    if (!code) return MK_OK;
    mk_truth_free(*out);
    *out = NULL;
    return code;
}

/* Scales of recorded runs: the best possible rewards, and where the arms begin.
 *
 * The shift of an instance (Balef et al. 2025, Figure E.6, as the authors' programs compute it): rewards are scaled to
 * [0, 1] over the instance; for every repetition the arm with the largest reward, its run cut into 20 parts of T/20
 * rewards; m_j the mean over repetitions of the maximum of part j; shift = max_j (m_j - m_1) / m_1. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/problem/problem.h"

enum { PARTS = 20 };

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
    const struct mk_instance *in = &p->instance[instance];
    size_t at = instance * (size_t)f->replications + (size_t)replication, n = in->n_arms;
    double best = -INFINITY, least = INFINITY;
    for (size_t k = 0; k < n; k++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, replication);
        double top = largest(s, 0, horizon);
        if (top > best) *best_arm = k;
        best = fmax(best, top);
        for (size_t t = 0; t < horizon; t++) least = s->reward[t] < least ? s->reward[t] : least;
        first[k] = s->reward[0];
    }
    for (size_t b = 0; b < p->n_baselines; b++)
        best = fmax(best, largest(&in->baseline[b * (size_t)p->replications + (size_t)replication], 0, horizon));
    qsort(first, n, sizeof *first, mk_compare_reals);
    f->best[at] = best;
    f->least[at] = least;
    f->first_median[at] = (first[(n - 1) / 2] + first[n / 2]) / 2;
}

/* Scaled mean maxima of the parts, from each repetition's best arm. */
static double shift(const struct mk_recorded_truth *f, const struct mk_problem *p, size_t instance, size_t horizon,
                    const size_t *best_arm)
{
    double low = INFINITY, high = -INFINITY, mean[PARTS] = {0}, rise = 0;
    const size_t width = horizon / PARTS, R = (size_t)mk_problem_replications(p, instance, f->replications);
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
        f->shift[i] = shift(f, p, i, (size_t)horizon, best_arm);
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

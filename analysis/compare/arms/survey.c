#include "analysis/compare/arms/survey.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/statistics.h"

/* ---- normalisation ---- */

static void map_series(struct mk_series *s, double low, double high)
{
    for (size_t i = 0; i < s->length; i++) s->reward[i] = high > low ? (s->reward[i] - low) / (high - low) : 1;
}

size_t mk_problem_normalise(struct mk_problem *p)
{
    size_t flat = 0;
    for (size_t i = 0; i < p->n_instances; i++) {
        for (uint64_t r = 0; r < p->instance[i].replications; r++) {
            struct mk_instance *in = &p->instance[i];
            double low = INFINITY, high = -INFINITY;
            for (size_t k = 0; k < in->n_arms; k++) mk_series_widen(mk_problem_series(p, i, k, r), &low, &high);
            flat += !(high > low);
            for (size_t k = 0; k < in->n_arms; k++)
                map_series(&in->series[k * (size_t)p->replications + (size_t)r], low, high);
            for (size_t k = 0; in->baseline && k < p->n_baselines; k++)
                map_series(&in->baseline[k * (size_t)p->replications + (size_t)r], low, high);
        }
        mk_problem_release(p, i);
    }
    return flat;
}

/* ---- one arm ---- */

/* Central moments relative to the mean, which avoids cancellation. */
static void describe_moments(const struct mk_problem *p, size_t instance, struct mk_survey_arm *a)
{
    double m2 = 0, m3 = 0, least = INFINITY;
    for (uint64_t r = 0; r < p->replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, a->position, r);
        for (size_t i = 0; i < mk_series_recorded(s); i++) {
            double d = s->reward[i] - a->mean;
            m2 += d * d;
            m3 += d * d * d;
            least = fmin(least, s->reward[i]);
            a->ties += s->reward[i] == a->best;
        }
    }
    m2 /= (double)a->n;
    m3 /= (double)a->n;
    if (least == a->best) m2 = 0;
    a->sd = sqrt(m2);
    a->skewness = m2 > 0 ? m3 / (m2 * a->sd) : NAN;
}

/* Mean over the repetitions of the block that starts at `from`; NaN when a repetition ends before the block. */
static double block_mean(const struct mk_problem *p, size_t instance, size_t k, size_t from)
{
    struct mk_real_moments m = {0};
    for (uint64_t r = 0; r < p->instance[instance].replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        if (mk_series_recorded(s) < from + MK_SURVEY_BLOCK) return NAN;
        for (size_t i = from; i < from + MK_SURVEY_BLOCK; i++) mk_real_moments_add(&m, s->reward[i]);
    }
    return mk_real_moments_mean(&m);
}

static void describe_drift(const struct mk_problem *p, size_t instance, struct mk_survey_arm *a)
{
    double before = block_mean(p, instance, a->position, 0), now;
    for (size_t from = MK_SURVEY_BLOCK; !isnan(now = block_mean(p, instance, a->position, from));
         from += MK_SURVEY_BLOCK) {
        a->shift = fmax(isnan(a->shift) ? 0 : a->shift, fabs(now - before));
        before = now;
    }
    if (!isnan(a->shift))
        a->shift_noise = a->sd * sqrt(2 / (MK_SURVEY_BLOCK * (double)p->instance[instance].replications));
}

/* A blocked test of trend, in which each repetition is a block, as in the Mann-Kendall test of Hirsch et al. 1982. */
static int describe_trend(const struct mk_problem *p, size_t instance, struct mk_survey_arm *a, struct mk_error *err)
{
    double sum = 0, weights = 0;
    a->trend = a->p_trend = NAN;
    for (uint64_t r = 0; r < p->replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, a->position, r);
        const size_t n = mk_series_recorded(s);
        if (n < 2) continue;
        double *scratch = malloc(3 * n * sizeof *scratch);
        if (!scratch) return mk_fail_memory(err, "the survey");
        for (size_t i = 0; i < n; i++) scratch[2 * n + i] = (double)i;
        const double rho = gsl_stats_spearman(s->reward, 1, scratch + 2 * n, 1, n, scratch);
        free(scratch);
        if (isnan(rho)) continue;
        sum += (double)(n - 1) * rho;
        weights += (double)(n - 1);
    }
    if (!(weights > 0)) return MK_OK;
    a->trend = sum / weights;
    a->p_trend = 2 * gsl_cdf_ugaussian_Q(fabs(sum) / sqrt(weights));
    return MK_OK;
}

static int describe(const struct mk_problem *p, size_t instance, size_t k, struct mk_survey_arm *out,
                    struct mk_error *err)
{
    struct mk_real_moments all = {0}, bests = {0};
    *out = (struct mk_survey_arm){
        .arm = p->instance[instance].arm[k], .position = k, .best = -INFINITY, .shift = NAN, .shift_noise = NAN};
    for (uint64_t r = 0; r < p->replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        double best = -INFINITY;
        for (size_t i = 0; i < mk_series_recorded(s); i++) {
            mk_real_moments_add(&all, s->reward[i]);
            best = fmax(best, s->reward[i]);
        }
        if (s->length) mk_real_moments_add(&bests, best);
        out->best = fmax(out->best, best);
        out->n += mk_series_recorded(s);
    }
    if (out->n == 0)
        return mk_fail(err, MK_EINPUT, "%s: arm %s has no rewards", p->instance[instance].name, p->arm_label[out->arm]);
    out->mean = mk_real_moments_mean(&all);
    out->mean_best = mk_real_moments_mean(&bests);
    describe_moments(p, instance, out);
    describe_drift(p, instance, out);
    const int code = describe_trend(p, instance, out, err);
    return code ? code : mk_stationarity_of(&out->stationarity, p, instance, k, err);
}

/* ---- all arms ---- */

static int by_rank(const void *left, const void *right)
{
    const struct mk_survey_arm *a = left, *b = right;
    if (a->mean_best != b->mean_best) return a->mean_best < b->mean_best ? 1 : -1;
    if (a->best != b->best) return a->best < b->best ? 1 : -1;
    return (a->position > b->position) - (a->position < b->position);
}

int mk_survey_new(struct mk_survey **out, const struct mk_problem *p, struct mk_error *err)
{
    if (!p->source->recorded) return mk_fail(err, MK_EINPUT, "%s: no recorded rewards to survey", p->instance[0].name);
    struct mk_survey *s = calloc(1, sizeof *s);
    if (!s) return mk_fail_memory(err, "the survey");
    s->p = p;
    for (size_t i = 0; i < p->n_instances; i++)
        if (p->instance[i].n_arms > s->n_ranks) s->n_ranks = p->instance[i].n_arms;
    s->arm = calloc(p->n_instances * s->n_ranks + 1, sizeof *s->arm);
    int code = s->arm ? MK_OK : mk_fail_memory(err, "the survey");
    for (size_t i = 0; !code && i < p->n_instances; i++) {
        struct mk_survey_arm *arm = s->arm + i * s->n_ranks;
        size_t n = p->instance[i].n_arms;
        for (size_t k = 0; !code && k < n; k++) code = describe(p, i, k, &arm[k], err);
        qsort(arm, n, sizeof *arm, by_rank);
        for (size_t k = 0; k < n; k++) arm[k].gap = arm[0].mean_best - arm[k].mean_best;
        mk_problem_release(p, i);
    }
    if (code) {
        mk_survey_free(s);
        return code;
    }
    *out = s;
    return MK_OK;
}

void mk_survey_free(struct mk_survey *s)
{
    if (!s) return;
    free(s->arm);
    free(s);
}

const struct mk_survey_arm *mk_survey_at(const struct mk_survey *s, size_t instance, size_t rank)
{
    return rank < s->p->instance[instance].n_arms ? &s->arm[instance * s->n_ranks + rank] : NULL;
}

/* ---- averages over instances ---- */

struct weighted {
    double value, weight;
};

static int ascending(const void *left, const void *right)
{
    double a = ((const struct weighted *)left)->value, b = ((const struct weighted *)right)->value;
    return (a > b) - (a < b);
}

/* The rewards of one instance's arm in a segment, each with weight 1 / their number; returns their number. */
static size_t gather(const struct mk_survey *s, size_t instance, size_t rank, int segment, struct weighted *to)
{
    const struct mk_survey_arm *a = mk_survey_at(s, instance, rank);
    size_t n = 0;
    for (uint64_t r = 0; a && r < s->p->replications; r++) {
        const struct mk_series *series = mk_problem_series(s->p, instance, a->position, r);
        const size_t length = mk_series_recorded(series);
        size_t from = segment < 0 ? 0 : (size_t)segment * length / MK_SURVEY_SEGMENTS;
        size_t end = segment < 0 ? length : ((size_t)segment + 1) * length / MK_SURVEY_SEGMENTS;
        for (size_t i = from; i < end; i++) to[n++].value = series->reward[i];
    }
    for (size_t i = 0; i < n; i++) to[i].weight = 1 / (double)n;
    return n;
}

int mk_survey_average(const struct mk_survey *s, size_t rank, int segment, struct mk_average *out, struct mk_error *err)
{
    size_t room = 0, n = 0, instances = 0;
    for (size_t i = 0; i < s->p->n_instances; i++) {
        const struct mk_survey_arm *a = mk_survey_at(s, i, rank);
        room += a ? a->n : 0;
    }
    struct weighted *all = malloc((room + 1) * sizeof *all);
    *out = (struct mk_average){0, malloc((room + 1) * sizeof *out->value), malloc((room + 1) * sizeof *out->tail)};
    if (!all || !out->value || !out->tail) {
        free(all);
        mk_average_clear(out);
        return mk_fail_memory(err, "an averaged survival function");
    }
    for (size_t i = 0; i < s->p->n_instances; i++) {
        size_t added = gather(s, i, rank, segment, all + n);
        mk_problem_release(s->p, i);
        instances += added > 0;
        n += added;
    }
    qsort(all, n, sizeof *all, ascending);
    double sum = 0, carry = 0; /* compensated, so that the smallest value has a share of 1 */
    for (size_t i = n; i-- > 0;) {
        double add = all[i].weight - carry, next = sum + add;
        carry = (next - sum) - add;
        sum = next;
        out->value[i] = all[i].value;
        out->tail[i] = fmin(1, sum / (double)instances);
    }
    /* Equal values share the tail of the first of them. */
    for (size_t i = 1; i < n; i++)
        if (out->value[i] == out->value[i - 1]) out->tail[i] = out->tail[i - 1];
    out->n = n;
    free(all);
    return MK_OK;
}

void mk_average_clear(struct mk_average *a)
{
    free(a->value);
    free(a->tail);
    *a = (struct mk_average){0, NULL, NULL};
}

/* Position of the first value >= x. */
static size_t first_at(const struct mk_average *a, double x)
{
    return mk_count_below(a->value, a->n, x);
}

double mk_average_at(const struct mk_average *a, double x)
{
    size_t at = first_at(a, x);
    return at < a->n ? a->tail[at] : 0;
}

/* Q(p) as in mk_quantile_sorted for one sample (type 7), generalised to weights: an observation with the share T at or
 * above it is the quantile p = (1 - T) / (1 - w), w the weight of the largest one; linear in between. */
static double quantile(const struct mk_average *a, double p)
{
    double top = a->tail[a->n - 1] / (double)(a->n - first_at(a, a->value[a->n - 1])), share = 1 - p * (1 - top);
    size_t lo = 0, hi = a->n; /* tail is descending; lo = how many have tail >= share */
    while (lo < hi) {
        size_t middle = lo + (hi - lo) / 2;
        if (a->tail[middle] >= share)
            lo = middle + 1;
        else
            hi = middle;
    }
    size_t at = lo ? lo - 1 : 0; /* the last of its equals */
    if (at + 1 == a->n) return a->value[at];
    double weight = (a->tail[at] - a->tail[at + 1]) / (double)(at + 1 - first_at(a, a->value[at]));
    double way = (a->tail[at + 1] + weight - share) / weight;
    return way > 0 ? a->value[at] + fmin(way, 1) * (a->value[at + 1] - a->value[at]) : a->value[at];
}

struct mk_eps_range mk_average_range(const struct mk_average *a, double upper)
{
    return (struct mk_eps_range){upper - quantile(a, 0.99), upper - quantile(a, 0.01)};
}

void mk_average_lu(const struct mk_average *a, double upper, struct mk_lu *out)
{
    mk_lu_steps(a->value, a->tail, a->n, upper, mk_average_range(a, upper), out);
}

/* ---- ranks ---- */

/* Median of the finite ones of value[0 … n-1], which it sorts. */
static double median(double *value, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (isfinite(value[i])) value[kept++] = value[i];
    mk_sort_values(value, kept);
    return mk_quantile_sorted(value, kept, 0.5);
}

int mk_survey_rank_new(const struct mk_survey *s, size_t rank, struct mk_survey_rank *out, struct mk_error *err)
{
    struct mk_average average;
    double *gap = malloc((3 * s->p->n_instances + 1) * sizeof *gap), *skewness = gap ? gap + s->p->n_instances : NULL,
           *shift = gap ? skewness + s->p->n_instances : NULL;
    if (!gap) return mk_fail_memory(err, "the summary");
    *out = (struct mk_survey_rank){0};
    for (size_t i = 0; i < s->p->n_instances; i++) {
        const struct mk_survey_arm *a = mk_survey_at(s, i, rank);
        if (!a) continue;
        gap[out->instances] = a->gap;
        skewness[out->instances] = a->skewness;
        shift[out->instances++] = a->shift;
        out->left_skewed += a->skewness < 0;
        out->near_constant += a->sd < MK_NEAR_CONSTANT;
    }
    out->gap = median(gap, out->instances);
    out->skewness = median(skewness, out->instances);
    out->shift = median(shift, out->instances);
    free(gap);
    int code = mk_survey_average(s, rank, -1, &average, err);
    if (code) return code;
    mk_average_lu(&average, average.value[average.n - 1], &out->lu);
    mk_average_clear(&average);
    return MK_OK;
}

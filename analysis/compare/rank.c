#include "analysis/compare/rank.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include <gsl/gsl_cdf.h>

#include "sim/base/error.h"
#include "sim/base/pcg64.h"
#include "sim/base/statistics.h"

const struct mk_rank_options mk_rank_defaults = {
    .loss = MK_LOSS_AUTHORS,
    .resample = MK_RESAMPLE_INSTANCES,
    .resampling = MK_RESAMPLING_INSTANCE,
    .zeros = MK_ZEROS_SPLIT,
    MK_RANK_NUMBERS,
};

/* ---- means ---- */

/* Mean of the available values; NaN when there are none. */
static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++) {
        if (isnan(x[i])) continue;
        sum += x[i];
        n_values++;
    }
    return n_values ? sum / (double)n_values : NAN;
}

/* The same for a resample. One without any value takes the mean of all. */
static double mean_at(const double *x, const uint32_t *draw, size_t n)
{
    double sum = 0;
    size_t n_values = 0;
    for (size_t i = 0; i < n; i++) {
        double value = x[draw[i]];
        if (isnan(value)) continue;
        sum += value;
        n_values++;
    }
    return n_values ? sum / (double)n_values : mean_of(x, n);
}

/* The comparison being built. */
struct comparing {
    const struct mk_scores *s;
    const struct mk_rank_options *o;
    struct mk_comparison *c;
    size_t h;
    double *loss;    /* [n_instances][policy][replication] of the instances that count */
    double *boot[2]; /* [resample][policy] average ranks, average losses */
    struct mk_error *err;
};

static double *losses_of(const struct comparing *w, size_t i, size_t p)
{
    return w->loss + (i * w->s->n_policies + p) * w->s->replications;
}

/* Mean over the instances that count of the means over their repetitions; NaN where an instance has none. */
static double mean_incumbent(const struct comparing *w, size_t p)
{
    const struct mk_scores *s = w->s;
    const struct mk_comparison *c = w->c;
    double mean = s->incumbent ? 0 : NAN;
    for (size_t i = 0; s->incumbent && i < c->n_instances; i++) {
        const size_t cell = (w->h * s->n_instances + c->instance[i]) * s->n_policies + p;
        mean += mean_of(s->incumbent + cell * s->replications, s->replications) / (double)c->n_instances;
    }
    return mean;
}

static void score(struct comparing *w, size_t *order)
{
    const struct mk_scores *s = w->s;
    struct mk_comparison *c = w->c;
    size_t P = c->n_policies, R = s->replications;
    for (size_t i = 0; i < c->n_instances; i++) {
        for (size_t p = 0; p < P; p++) {
            const double *reward = mk_scores_at(s, w->h, c->instance[i], p);
            for (size_t r = 0; r < R; r++)
                losses_of(w, i, p)[r] = mk_normalised_loss(s, w->o->loss, c->instance[i], r, reward[r]);
            c->reward[i * P + p] = mean_of(reward, R);
            c->loss[i * P + p] = mean_of(losses_of(w, i, p), R);
        }
        mk_rank_values(c->reward + i * P, P, w->o->tolerance, c->rank + i * P, order);
    }
    for (size_t p = 0; p < P; p++) {
        struct mk_standing *of = &c->standing[p];
        of->incumbent = mean_incumbent(w, p);
        for (size_t i = 0; i < c->n_instances; i++) {
            of->reward += c->reward[i * P + p] / (double)c->n_instances;
            of->loss += c->loss[i * P + p] / (double)c->n_instances;
        }
    }
}

/* ---- bootstrap ---- */

/* Scratch of one thread. */
struct resample {
    double *score, *rank; /* [policy] */
    size_t *order;        /* [policy] */
    uint32_t *draw;       /* [replication] */
};

static struct mk_key key_of(const struct comparing *w, const char *what)
{
    return mk_key_text(mk_key_word(mk_key_start(), w->o->seed), what);
}

/* Repetitions of an instance; slot: which of the drawn instances it is, if instances are drawn. */
static void draw(const struct comparing *w, size_t instance, uint64_t slot, uint64_t b, uint32_t *to)
{
    struct mk_pcg64 rng;
    struct mk_key key = key_of(w, "bootstrap of repetitions");
    if (w->o->resampling == MK_RESAMPLING_INSTANCE) {
        key = mk_key_text(key, mk_scored_name(w->s, instance));
        if (w->o->resample == MK_RESAMPLE_BOTH) key = mk_key_word(key, slot);
    }
    mk_pcg64_from_key(&rng, mk_key_word(key, b));
    const uint64_t own = mk_scored_repetitions(w->s, instance);
    for (size_t r = 0; r < own; r++) to[r] = (uint32_t)mk_uniform_below(&rng, own);
}

/* Adds ranks and losses of instance i with resampled repetitions, 1 / n of each. */
static void add_repetitions(const struct comparing *w, size_t i, uint64_t slot, uint64_t b, struct resample *scratch,
                            double *rank, double *loss)
{
    const struct mk_comparison *c = w->c;
    const size_t P = c->n_policies, R = mk_scored_repetitions(w->s, c->instance[i]);
    draw(w, c->instance[i], slot, b, scratch->draw);
    for (size_t p = 0; p < P; p++) {
        scratch->score[p] = mean_at(mk_scores_at(w->s, w->h, c->instance[i], p), scratch->draw, R);
        loss[p] += mean_at(losses_of(w, i, p), scratch->draw, R) / (double)c->n_instances;
    }
    mk_rank_values(scratch->score, P, w->o->tolerance, scratch->rank, scratch->order);
    for (size_t p = 0; p < P; p++) rank[p] += scratch->rank[p] / (double)c->n_instances;
}

static void resample(const struct comparing *w, uint64_t b, struct resample *scratch)
{
    const struct mk_comparison *c = w->c;
    const size_t P = c->n_policies, n = c->n_instances;
    double *rank = w->boot[0] + b * P, *loss = w->boot[1] + b * P;
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_word(key_of(w, "bootstrap of instances"), b));
    for (size_t p = 0; p < P; p++) rank[p] = loss[p] = 0;
    for (size_t slot = 0; slot < n; slot++) {
        const size_t i = w->o->resample == MK_RESAMPLE_REPETITIONS ? slot : (size_t)mk_uniform_below(&rng, n);
        if (w->o->resample == MK_RESAMPLE_INSTANCES)
            for (size_t p = 0; p < P; p++) {
                rank[p] += c->rank[i * P + p] / (double)n;
                loss[p] += c->loss[i * P + p] / (double)n;
            }
        else
            add_repetitions(w, i, slot, b, scratch, rank, loss);
    }
}

static int resample_all(struct comparing *w)
{
    size_t P = w->c->n_policies;
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    {
        struct resample scratch = {malloc(P * sizeof(double)), malloc(P * sizeof(double)), malloc(P * sizeof(size_t)),
                                   malloc(w->s->replications * sizeof(uint32_t))};
        failed |= !scratch.score || !scratch.rank || !scratch.order || !scratch.draw;
#pragma omp for schedule(static)
        for (uint64_t b = 0; b < w->o->resamples; b++)
            if (!failed) resample(w, b, &scratch);
        free(scratch.score);
        free(scratch.rank);
        free(scratch.order);
        free(scratch.draw);
    }
    return failed ? mk_fail_memory(w->err, "the bootstrap") : MK_OK;
}

/* By how much deviations of resamples from their mean are too small. */
static double widening(const struct comparing *w)
{
    const double n = (double)w->c->n_instances, tail = (1 - w->o->confidence) / 2;
    double all = 0;
    if (w->o->resample != MK_RESAMPLE_REPETITIONS)
        return n > 1 ? gsl_cdf_tdist_Qinv(tail, n - 1) / gsl_cdf_ugaussian_Qinv(tail) * sqrt(n / (n - 1)) : NAN;
    for (size_t i = 0; i < w->c->n_instances; i++) all += (double)mk_scored_repetitions(w->s, w->c->instance[i]);
    return all > n ? sqrt(all / (all - n)) : NAN;
}

/* The interval of value[resample * stride] about the estimate, within [least, most]. */
static struct mk_interval interval(const struct comparing *w, const double *value, double estimate, double least,
                                   double most, double *sorted)
{
    struct mk_real_moments m = {0};
    const size_t n = (size_t)w->o->resamples;
    const double tail = (1 - w->o->confidence) / 2, wider = n ? widening(w) : NAN;
    for (size_t b = 0; b < n; b++) {
        sorted[b] = value[b * w->c->n_policies];
        mk_real_moments_add(&m, sorted[b]);
    }
    if (!n || isnan(sorted[0]) || isnan(wider)) return (struct mk_interval){NAN, NAN, NAN, NAN};
    mk_sort_values(sorted, n);
    const double mean = mk_real_moments_mean(&m);
    const double low = fmin(0, wider * (mk_quantile_sorted(sorted, n, tail) - mean)),
                 high = fmax(0, wider * (mk_quantile_sorted(sorted, n, 1 - tail) - mean));
    return (struct mk_interval){mean, mk_spread_error(&m.spread) * sqrt((double)n), fmax(least, estimate + low),
                                fmin(most, estimate + high)};
}

static int bootstrap(struct comparing *w)
{
    size_t P = w->c->n_policies, n = (size_t)w->o->resamples;
    double *sorted = malloc((n + 1) * sizeof *sorted);
    w->boot[0] = malloc((2 * n * P + 1) * sizeof *w->boot[0]);
    if (!sorted || !w->boot[0]) {
        free(sorted);
        return mk_fail_memory(w->err, "the bootstrap");
    }
    w->boot[1] = w->boot[0] + n * P;
    int code = resample_all(w);
    for (size_t p = 0; p < P && !code; p++) {
        struct mk_standing *of = &w->c->standing[p];
        of->rank_boot = interval(w, w->boot[0] + p, of->rank, 1, (double)P, sorted);
        of->loss_boot = interval(w, w->boot[1] + p, of->loss, -INFINITY, INFINITY, sorted);
    }
    free(sorted);
    return code;
}

/* ---- tests ---- */

/* Scores of two policies over the instances. */
static int test_pair(struct comparing *w, size_t p, double *a, double *b)
{
    struct mk_comparison *c = w->c;
    struct mk_standing *of = &c->standing[p];
    struct mk_wilcoxon wilcoxon;
    size_t P = c->n_policies, n = c->n_instances;
    for (size_t i = 0; i < n; i++) {
        a[i] = c->reward[i * P + p];
        b[i] = c->reward[i * P + c->baseline];
    }
    of->record = mk_compare_pairs(a, b, n, w->o->tolerance, w->o->relative);
    if (n < 2) return MK_OK;
    of->p_sign = mk_sign_test(of->record);
    of->p_sign_bonferroni = mk_bonferroni(of->p_sign, P - 1);
    of->p_untied = mk_sign_test(mk_untied(of->record));
    of->p_untied_bonferroni = mk_bonferroni(of->p_untied, P - 1);
    of->p_nemenyi = mk_nemenyi_p(of->rank - c->standing[c->baseline].rank, P, n);
    for (size_t i = 0; i < n; i++) a[i] -= b[i];
    int code = mk_wilcoxon_test(a, n, w->o->zeros, w->o->tolerance, &wilcoxon, w->err);
    of->p_wilcoxon = wilcoxon.p_greater;
    return code;
}

static int test(struct comparing *w)
{
    struct mk_comparison *c = w->c;
    size_t P = c->n_policies, most = c->n_instances > P ? c->n_instances : P;
    double *a = malloc((most + 1) * sizeof *a), *b = malloc((most + 1) * sizeof *b);
    int code = a && b ? MK_OK : mk_fail_memory(w->err, "tests");
    if (code) goto out;
    mk_friedman_test(c->rank, c->n_instances, P, a, &c->friedman);
    c->distance = c->dunn = NAN;
    if (c->n_instances > 1) {
        c->distance = mk_nemenyi_distance(w->o->alpha, P, c->n_instances);
        c->dunn = mk_dunn_distance(w->o->alpha, P, c->n_instances);
    } else
        c->friedman = (struct mk_friedman){c->n_instances, P, NAN, NAN, NAN, NAN, NAN, NAN};
    for (size_t p = 0; p < P; p++) c->standing[p].rank = a[p];
    for (size_t p = 0; p < P && !code; p++)
        if (p != c->baseline) code = test_pair(w, p, a, b);
    for (size_t p = 0; p < P; p++) a[p] = c->standing[p].p_wilcoxon;
    if (!code) code = mk_holm(a, P, b, w->err);
    for (size_t p = 0; p < P && !code; p++) c->standing[p].p_wilcoxon_holm = b[p];
out:
    free(a);
    free(b);
    return code;
}

/* ---- all ---- */

static int allocate(struct comparing *w)
{
    struct mk_comparison *c = w->c;
    size_t P = c->n_policies, n = w->s->n_instances;
    c->instance = malloc((n + 1) * sizeof *c->instance);
    c->standing = calloc(P, sizeof *c->standing);
    c->reward = malloc((n * P + 1) * sizeof *c->reward);
    c->rank = malloc((n * P + 1) * sizeof *c->rank);
    c->loss = malloc((n * P + 1) * sizeof *c->loss);
    w->loss = malloc((n * P * w->s->replications + 1) * sizeof *w->loss);
    if (!c->instance || !c->standing || !c->reward || !c->rank || !c->loss || !w->loss)
        return mk_fail_memory(w->err, "the comparison");
    for (size_t p = 0; p < P; p++) {
        struct mk_standing *of = &c->standing[p];
        of->p_sign = of->p_sign_bonferroni = of->p_wilcoxon = of->p_wilcoxon_holm = of->p_nemenyi = NAN;
        of->p_untied = of->p_untied_bonferroni = NAN;
    }
    return MK_OK;
}

int mk_compare(struct mk_comparison **out, const struct mk_scores *s, size_t h, size_t baseline,
               const struct mk_rank_options *o, struct mk_error *err)
{
    struct comparing w = {.s = s, .o = o, .c = calloc(1, sizeof *w.c), .h = h, .err = err};
    size_t *order = malloc(s->n_policies * sizeof *order);
    int code = w.c && order ? MK_OK : mk_fail_memory(err, "the comparison");
    *out = NULL;
    if (code) goto out;
    w.c->horizon = mk_result_amount(s->info, s->horizon[h]);
    w.c->budget = s->budget ? s->budget[h] : NAN;
    w.c->n_policies = s->n_policies;
    w.c->baseline = baseline;
    code = allocate(&w);
    if (code) goto out;
    for (size_t i = 0; i < s->n_instances; i++)
        if (mk_scores_has(s, h, i)) {
            w.c->instance[w.c->n_instances++] = i;
            w.c->unpaired += s->unpaired ? s->unpaired[h * s->n_instances + i] : 0;
        }
    w.c->left_out = s->n_instances - w.c->n_instances;
    if (!w.c->n_instances) {
        code = s->budget
                   ? mk_fail(err, MK_EINPUT,
                             "%s: budget %g: does not pay for the shortest horizon with every policy in any repetition",
                             s->info->path, s->budget[h])
                   : mk_fail(err, MK_EINPUT, "%s: T = %llu: no instance has values for all policies", s->info->path,
                             (unsigned long long)w.c->horizon);
        goto out;
    }
    score(&w, order);
    code = test(&w);
    if (!code) code = bootstrap(&w);
out:
    free(order);
    free(w.loss);
    free(w.boot[0]);
    if (code)
        mk_comparison_free(w.c);
    else
        *out = w.c;
    return code;
}

void mk_comparison_free(struct mk_comparison *c)
{
    if (!c) return;
    free(c->instance);
    free(c->standing);
    free(c->reward);
    free(c->rank);
    free(c->loss);
    free(c);
}

void mk_comparison_order(const struct mk_comparison *c, size_t *order)
{
    for (size_t p = 0; p < c->n_policies; p++) {
        size_t at = p;
        while (at > 0 && c->standing[order[at - 1]].rank > c->standing[p].rank) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = p;
    }
}

#include "sim/problem/problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"

void mk_series_clear(struct mk_series *s)
{
    if (!s->mapped) {
        free(s->reward);
        free(s->cost);
        free(s->worth);
    }
    *s = (struct mk_series){0};
}

/* Neighbours in the file are released together. */
static void release(const struct mk_series *series, size_t n)
{
    const double *from[MK_VALUES] = {NULL}, *end[MK_VALUES] = {NULL};
    for (size_t i = 0; i < n; i++) {
        const double *at[MK_VALUES] = {
            [MK_VALUE_REWARD] = series[i].reward, [MK_VALUE_COST] = series[i].cost, [MK_VALUE_TEST] = series[i].worth};
        for (size_t v = 0; v < MK_VALUES && series[i].mapped; v++) {
            if (!at[v]) continue;
            if (at[v] != end[v]) {
                mk_scratch_release(from[v], (size_t)(end[v] - from[v]));
                from[v] = at[v];
            }
            end[v] = at[v] + series[i].length;
        }
    }
    for (size_t v = 0; v < MK_VALUES; v++) mk_scratch_release(from[v], (size_t)(end[v] - from[v]));
}

void mk_problem_release(const struct mk_problem *p, size_t instance)
{
    const struct mk_instance *in = &p->instance[instance];
    if (!p->spill[0]) return;
    release(in->series, in->n_arms * (size_t)p->replications);
    if (in->baseline) release(in->baseline, p->n_baselines * (size_t)p->replications);
}

static void free_series(struct mk_series *series, size_t n)
{
    for (size_t i = 0; series && i < n; i++) mk_series_clear(&series[i]);
    free(series);
}

void mk_problem_free(struct mk_problem *p)
{
    if (!p) return;
    for (size_t i = 0; p->instance && i < p->n_instances; i++) {
        struct mk_instance *in = &p->instance[i];
        free(in->name);
        free(in->arm);
        free(in->repetition);
        free(in->gaps);
        free_series(in->series, in->n_arms * (size_t)p->replications);
        free_series(in->baseline, p->n_baselines * (size_t)p->replications);
    }
    free(p->instance);
    for (size_t v = 0; v < MK_VALUES; v++) mk_scratch_free(p->spill[v]);
    for (size_t k = 0; p->dist && k < p->n_arms; k++) mk_dist_free(p->dist[k]);
    free(p->dist);
    for (size_t k = 0; p->process && k < p->n_arms; k++) mk_process_free(p->process[k]);
    free(p->process);
    mk_searches_free(p->searches);
    mk_free_texts(p->arm_label, p->n_arms);
    mk_free_texts(p->baseline_label, p->n_baselines);
    free(p->cost);
    mk_free_texts(p->repetition_name, p->n_repetitions);
    free(p->file);
    free(p);
}

void mk_series_widen(const struct mk_series *s, double *low, double *high)
{
    for (size_t n = 0; n < s->length; n++) {
        if (s->reward[n] < *low) *low = s->reward[n];
        if (s->reward[n] > *high) *high = s->reward[n];
    }
}

static double cost_of(const struct mk_series *s, uint64_t n)
{
    double sum = 0;
    if (!s->cost) return (double)(n < s->length ? n : s->length);
    for (uint64_t i = 0; i < n && i < s->length; i++) sum += s->cost[i];
    return sum;
}

uint64_t mk_series_reach(const struct mk_problem *p, const struct mk_series *s, uint64_t horizon)
{
    uint64_t n = 0;
    if (!p->by_cost || !s->cost) return horizon < s->length ? horizon : s->length;
    const double most = mk_affordable(p, horizon);
    struct mk_spent spent = {0, 0};
    while (n < s->length && (spent = mk_spend(spent, s->cost[n])).sum <= most) n++;
    return n;
}

uint64_t mk_arm_reach(const struct mk_problem *p, size_t arm, uint64_t horizon)
{
    return p->by_cost ? (uint64_t)fmin(mk_affordable(p, horizon) / p->cost[arm], MK_EXACT_MAX) : horizon;
}

uint64_t mk_problem_rounds(const struct mk_problem *p, uint64_t horizon)
{
    uint64_t most = 1;
    if (!p->by_cost) return horizon;
    for (size_t k = 0; !p->source->recorded && k < p->n_arms; k++) {
        const uint64_t reach = mk_arm_reach(p, k, horizon);
        most = reach > most ? reach : most;
    }
    for (size_t i = 0; p->source->recorded && i < p->n_instances; i++)
        for (uint64_t r = 0; r < p->instance[i].replications; r++) {
            uint64_t sum = 0;
            for (size_t k = 0; k < p->instance[i].n_arms; k++)
                sum += mk_series_reach(p, mk_problem_series(p, i, k, r), horizon);
            most = sum > most ? sum : most;
        }
    return most;
}

double mk_problem_spent(const struct mk_problem *p, size_t instance, uint64_t replication, const uint64_t *pulls)
{
    const struct mk_instance *in = &p->instance[instance];
    double sum = 0;
    for (size_t k = 0; k < in->n_arms; k++) {
        const bool recorded = p->source->recorded || mk_problem_in_part(p);
        sum += recorded ? cost_of(mk_problem_series(p, instance, k, replication), pulls[in->arm[k]])
                        : p->cost[in->arm[k]] * (double)pulls[in->arm[k]];
    }
    return sum;
}

double mk_problem_combined_spent(const struct mk_problem *p, size_t instance, uint64_t replication, size_t combined,
                                 uint64_t horizon)
{
    const struct mk_series *s = mk_problem_baseline(p, instance, combined, replication);
    return cost_of(s, mk_series_reach(p, s, horizon));
}

uint64_t mk_problem_repeated(const struct mk_problem *p, size_t instance, uint64_t replication, const uint64_t *pulls)
{
    const struct mk_instance *in = &p->instance[instance];
    uint64_t sum = 0;
    for (size_t k = 0; k < in->n_arms; k++) {
        const uint64_t recorded = mk_series_recorded(mk_problem_series(p, instance, k, replication));
        if (pulls[in->arm[k]] > recorded) sum += pulls[in->arm[k]] - recorded;
    }
    return sum;
}

bool mk_problem_repeats(const struct mk_problem *p)
{
    for (size_t i = 0; i < p->n_instances; i++) {
        const struct mk_instance *in = &p->instance[i];
        for (size_t j = 0; in->series && j < in->n_arms * (size_t)p->replications; j++)
            if (in->series[j].repeated) return true;
    }
    return false;
}

void mk_series_incumbent(const struct mk_series *s, uint64_t n, double *best, double *worth)
{
    for (uint64_t i = 0; i < n && i < s->length; i++)
        if (s->reward[i] > *best) {
            *best = s->reward[i];
            *worth = s->worth ? s->worth[i] : NAN;
        }
}

double mk_problem_incumbent(const struct mk_problem *p, size_t instance, uint64_t replication, const uint64_t *pulls)
{
    const struct mk_instance *in = &p->instance[instance];
    double best = -INFINITY, worth = NAN;
    for (size_t k = 0; k < in->n_arms; k++)
        mk_series_incumbent(mk_problem_series(p, instance, k, replication), pulls[in->arm[k]], &best, &worth);
    return worth;
}

double mk_problem_combined_incumbent(const struct mk_problem *p, size_t instance, uint64_t replication, size_t combined,
                                     uint64_t horizon)
{
    const struct mk_series *s = mk_problem_baseline(p, instance, combined, replication);
    double best = -INFINITY, worth = NAN;
    mk_series_incumbent(s, mk_series_reach(p, s, horizon), &best, &worth);
    return worth;
}

uint64_t mk_problem_shortest(const struct mk_problem *p)
{
    uint64_t shortest = UINT64_MAX;
    for (size_t i = 0; i < p->n_instances; i++)
        for (size_t k = 0; k < p->instance[i].n_arms; k++)
            for (uint64_t r = 0; r < p->instance[i].replications; r++) {
                const size_t length = mk_problem_series(p, i, k, r)->length;
                if (length < shortest) shortest = length;
            }
    return shortest;
}

bool mk_problem_even(const struct mk_problem *p)
{
    for (size_t i = 0; i < p->n_instances; i++)
        if (mk_problem_replications(p, i, p->replications) != p->replications) return false;
    return true;
}

char *mk_problem_gaps(const struct mk_problem *p)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to) return NULL;
    for (size_t i = 0; i < p->n_instances; i++) {
        const char *gaps = p->instance[i].gaps;
        for (const char *line = gaps, *end; line && *line; line = *end ? end + 1 : end) {
            end = strchrnul(line, '\n');
            fprintf(to, "%s: %.*s\n", p->instance[i].name, (int)(end - line), line);
        }
    }
    if (!fclose(to)) return text;
    free(text);
    return NULL;
}

void mk_problem_arm_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high)
{
    if (p->source->support(p, instance, k, low, high, NULL)) *low = *high = NAN;
}

int mk_problem_by_pulls(const struct mk_problem *p, const char *what, struct mk_error *err)
{
    return p->by_cost ? mk_fail(err, MK_EINPUT, "%s: %s defined for horizons in pulls, got horizon_unit: cost",
                                p->file ? p->file : p->instance[0].name, what)
                      : MK_OK;
}

int mk_problem_same_distribution(const struct mk_problem *p, const char *what, struct mk_error *err)
{
    if (!p->source->moving) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: %s not applicable to %s: the distribution of a reward changes from pull to pull",
                   p->instance[0].name, what, p->source->key);
}

/* ---- the rewards of searches once they have been run: the same series as recorded ones ---- */

static int make_series(struct mk_series **out, size_t n, size_t length, const struct mk_searches *s)
{
    struct mk_series *series = calloc(n, sizeof *series);
    *out = series;
    for (size_t i = 0; series && i < n; i++) {
        series[i].reward = calloc(length, sizeof *series[i].reward);
        if (s->in_part) series[i].cost = calloc(length, sizeof *series[i].cost);
        if (s->noisy) series[i].worth = calloc(length, sizeof *series[i].worth);
        if (!series[i].reward || (s->in_part && !series[i].cost) || (s->noisy && !series[i].worth)) return MK_ENOMEM;
        series[i].length = length;
    }
    return series ? MK_OK : MK_ENOMEM;
}

int mk_problem_make_room(struct mk_problem *p, uint64_t replications, struct mk_error *err)
{
    const size_t n = (size_t)replications, length = (size_t)p->searches->budget;
    int code = MK_OK;
    if (p->instance->series) return MK_OK;
    p->replications = replications;
    for (size_t i = 0; i < p->n_instances && !code; i++) {
        struct mk_instance *in = &p->instance[i];
        in->replications = replications;
        code = make_series(&in->series, in->n_arms * n, length, p->searches);
        if (!code && p->n_baselines) code = make_series(&in->baseline, p->n_baselines * n, length, p->searches);
    }
    return code ? mk_fail_memory(err, "the rewards of all searches") : MK_OK;
}

void mk_problem_put_row(struct mk_problem *p, size_t instance, uint64_t replication, const double *row)
{
    struct mk_instance *in = &p->instance[instance];
    const size_t R = (size_t)p->replications, r = (size_t)replication, length = (size_t)p->searches->budget;
    for (size_t k = 0; k < in->n_arms + p->n_baselines; k++, row += length) {
        struct mk_series *to = k < in->n_arms ? &in->series[k * R + r] : &in->baseline[(k - in->n_arms) * R + r];
        memcpy(to->reward, row, length * sizeof *row);
        if (to->cost) memcpy(to->cost, row + mk_problem_evaluations(p), length * sizeof *row);
        if (to->worth) memcpy(to->worth, row + mk_problem_noise_free_at(p), length * sizeof *row);
    }
}

int mk_problem_record(struct mk_problem *p, const char *file, struct mk_error *err)
{
    const size_t R = (size_t)p->replications;
    p->file = strdup(file);
    p->repetition_name = calloc(R, sizeof *p->repetition_name);
    bool good = p->file && p->repetition_name;
    for (size_t r = 0; good && r < R; r++) {
        good = asprintf(&p->repetition_name[r], "%zu", r) >= 0;
        p->n_repetitions += good;
    }
    for (size_t i = 0; good && i < p->n_instances; i++) {
        struct mk_instance *in = &p->instance[i];
        in->repetition = malloc(R * sizeof *in->repetition);
        good = in->repetition != NULL;
        for (size_t r = 0; good && r < R; r++) in->repetition[r] = r;
    }
    if (!good) return mk_fail_memory(err, "the rewards of all searches");
    p->source = &mk_source_trajectories;
    return MK_OK;
}

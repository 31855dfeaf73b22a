/* The rewards of searches once they have been run: the same series as recorded ones. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "sim/problem/problem.h"

static int make_series(struct mk_series **out, size_t n, size_t length, const struct mk_searches *s)
{
    struct mk_series *series = calloc(n, sizeof *series);
    *out = series;
    for (size_t i = 0; series && i < n; i++) {
        series[i].reward = calloc(length, sizeof *series[i].reward);
        if (s->in_part) series[i].cost = calloc(length, sizeof *series[i].cost);
        if (s->noisy) series[i].noise_free = calloc(length, sizeof *series[i].noise_free);
        if (!series[i].reward || (s->in_part && !series[i].cost) || (s->noisy && !series[i].noise_free))
            return MK_ENOMEM;
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
        if (to->noise_free) memcpy(to->noise_free, row + mk_problem_noise_free_at(p), length * sizeof *row);
    }
}

static char *repetition_name(uint64_t r)
{
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, r);
    return strdup(text);
}

int mk_problem_record(struct mk_problem *p, const char *file, struct mk_error *err)
{
    const size_t R = (size_t)p->replications;
    p->file = strdup(file);
    p->repetition_name = calloc(R, sizeof *p->repetition_name);
    p->n_repetitions = p->repetition_name ? R : 0;
    bool good = p->file && p->repetition_name;
    for (size_t r = 0; good && r < R; r++) good = (p->repetition_name[r] = repetition_name(r)) != NULL;
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

#include "sim/problem.h"

#include <stdlib.h>

static void free_series(struct mk_series *series, size_t n)
{
    for (size_t i = 0; series && i < n; i++) {
        free(series[i].reward);
        free(series[i].cost);
    }
    free(series);
}

static void free_labels(char **label, size_t n)
{
    for (size_t i = 0; label && i < n; i++) free(label[i]);
    free(label);
}

void mk_problem_free(struct mk_problem *p)
{
    if (!p) return;
    for (size_t i = 0; p->instance && i < p->n_instances; i++) {
        struct mk_instance *in = &p->instance[i];
        free(in->name);
        free(in->arm);
        if (p->kind != MK_TRAJECTORIES) continue;
        free_series(in->series, in->n_arms * (size_t)p->replications);
        free_series(in->baseline, p->n_baselines * (size_t)p->replications);
    }
    free(p->instance);
    for (size_t k = 0; p->dist && k < p->n_arms; k++) mk_dist_free(p->dist[k]);
    free(p->dist);
    for (size_t k = 0; p->process && k < p->n_arms; k++) mk_process_free(p->process[k]);
    free(p->process);
    free_labels(p->arm_label, p->n_arms);
    free_labels(p->baseline_label, p->n_baselines);
    free(p->cost);
    free(p->repetition);
    free(p->file);
    free(p);
}

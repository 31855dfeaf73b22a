/* The instances of a tune file: what a configuration is judged on. */
#ifndef MAXK_SIM_STUDY_INSTANCES_H
#define MAXK_SIM_STUDY_INSTANCES_H

#include "sim/base/yaml_tree.h"
#include "sim/study/tune.h"

/* Reads all keys of instances of a tune file whose seed is known: what it runs on, and in which order. */
int mk_instances_read_all(struct mk_tune *t, const struct mk_node *root, const char *directory, struct mk_node *to,
                          struct mk_error *err);
void mk_instances_clear(struct mk_instance_list *i);

/* The place in t->on of run number `run` of a configuration, from 1: the order comes again where there are more. */
static inline size_t mk_instance_of_run(const struct mk_tune *t, size_t run)
{
    return t->sequence[(run - 1) % t->on.n];
}

#endif

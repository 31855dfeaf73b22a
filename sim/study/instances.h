/* The instances of a tune file: what a configuration is judged on. */
#ifndef MAXK_SIM_STUDY_INSTANCES_H
#define MAXK_SIM_STUDY_INSTANCES_H

#include "sim/base/yaml_tree.h"
#include "sim/study/tune.h"

/* Reads the key of a tune file, a list of names or a folder with a pattern, which is looked for in the folder
 * `directory` of the file, too, and writes the names to the resolved mapping `to`. Without the key there are none.
 * MK_EINPUT, MK_ENOMEM. */
int mk_instances_read(struct mk_instance_list *out, const struct mk_node *root, const char *key, const char *directory,
                      struct mk_node *to, struct mk_error *err);
/* MK_EINPUT: an instance of `test`, at this node, is one that trials run on. */
int mk_instances_check_test(const struct mk_instance_list *test, const struct mk_instance_list *on,
                            const struct mk_node *node, struct mk_error *err);
void mk_instances_clear(struct mk_instance_list *i);

/* The order in which configurations run on n instances; malloc'ed, NULL: no memory. */
size_t *mk_instances_order(size_t n, uint64_t seed);

/* The place in t->on of run number `run` of a configuration, from 1: the order comes again where there are more. */
static inline size_t mk_instance_of_run(const struct mk_tune *t, size_t run)
{
    return t->sequence[(run - 1) % t->on.n];
}

#endif

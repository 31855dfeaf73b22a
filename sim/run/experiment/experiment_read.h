/* Shared by the files of the experiment reader, of which experiment.c has the top level. Every function reports
 * `file:line:column: key: …`. */
#ifndef MAXK_SIM_RUN_EXPERIMENT_EXPERIMENT_READ_H
#define MAXK_SIM_RUN_EXPERIMENT_EXPERIMENT_READ_H

#include <stdbool.h>

#include "distributions/dist_read.h"
#include "sim/base/param.h"
#include "sim/base/yaml_values.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/experiment/file_keys.h"

/* The reading of one experiment. */
struct mk_loader {
    struct mk_experiment *e;
    const char *directory; /* of the experiment file, with a slash at the end; "" for the working directory */
    unsigned need;         /* MK_NEED_… */
    int ends_early;        /* enum mk_ends_early of the problem */
    /* Of searches: measured configurations read so far; the instances. */
    struct mk_objective_files *files;
    size_t n_instances;
    char *const *instance_name;
    const struct mk_string_table *given_labels; /* of arms, while these are read */
    struct mk_node *resolved;                   /* mapping */
    const struct mk_node *kept;                 /* plugins that the file names and that are not loaded; NULL: none */
    bool stand_ins;                             /* there are some: unknown policies are theirs */
    struct mk_error *err;
};

/* ---- experiment_distribution.c ---- */

/* With families of plugins and columns of files; the key is that of arms. */
struct mk_dist_reader mk_distribution_reader(const struct mk_loader *l);

/* Family, parameters and wrappers; `is_arm` allows the keys label and cost as well. `to`: resolved mapping. */
int mk_read_distribution(struct mk_loader *l, const struct mk_node *node, int is_arm, struct mk_dist **out,
                         struct mk_node *to);

/* Whether the rewards of the arm at `node` lie within MK_MOST_REWARD: its support if bounded and, for experiments that
 * are run, the largest rewards that can be drawn. */
int mk_check_rewards(struct mk_loader *l, const struct mk_node *node, const struct mk_dist *d);

/* ---- experiment_arms.c ---- */

/* problem.arms into e->problem; `to` becomes the list with every parameter written out. */
int mk_read_arms(struct mk_loader *l, const struct mk_node *arms, struct mk_node *to);

/* Reads the source of one arm's rewards into e->problem, and checks all keys of the arm's mapping. */
typedef int (*mk_read_rewards)(struct mk_loader *l, const struct mk_node *node, size_t arm, struct mk_node *to);

/* The item of the list that arm number k comes from. */
const struct mk_node *mk_arm_item(struct mk_loader *l, const struct mk_node *arms, size_t k);

/* A list of arms into e->problem: rewards are read by `read`, labels and costs here. */
int mk_read_arm_list(struct mk_loader *l, const struct mk_node *arms, const struct mk_source_type *source,
                     mk_read_rewards read, struct mk_node *to);

/* ---- experiment_processes.c ---- */

/* problem.processes into e->problem. */
int mk_read_processes(struct mk_loader *l, const struct mk_node *processes, struct mk_node *to);

/* ---- experiment_prior.c ---- */

/* The key `prior` of `from`; *out is NULL without the key. Free it also after an error. */
int mk_read_prior(struct mk_loader *l, const struct mk_node *from, struct mk_prior **out,
                  struct mk_prior_settings *how);

/* Adds it to a resolved mapping, with this path; NULL: no memory. */
struct mk_node *mk_add_prior(struct mk_node *to, const struct mk_node *from, const char *file,
                             const struct mk_prior_settings *how);

/* Whether the search of an arm, with this optimiser, can begin with a prior. */
int mk_check_prior_optimizer(struct mk_loader *l, const struct mk_node *from, const struct mk_optimizer_type *optimizer,
                             const char *label);

/* The prior's arms of an instance; errors at the key. */
int mk_read_prior_arms(struct mk_loader *l, const struct mk_node *from, const struct mk_prior *p,
                       const struct mk_prior_settings *how, const char *instance, const char *const *label,
                       const struct mk_space *const *space, size_t n_arms, struct mk_prior_arm **out);

/* ---- experiment_searches.c ---- */

/* The optimiser of an item and its parameters, those in its mapping or else, for combined searches, those of the item
 * itself; `to`: the resolved item. */
int mk_read_optimizer(struct mk_loader *l, const struct mk_node *item, bool is_combined,
                      struct mk_optimizer_choice *out, struct mk_node *to);

/* The space of an item, a mapping or the path of a file with one, or FILE#NAME: *space is its node (NULL: none given),
 * in *tree, the caller's to free also after an error, if it comes from a file; `to`: the resolved item. */
int mk_read_space(struct mk_loader *l, const struct mk_node *item, struct mk_tree **tree, const struct mk_node **space,
                  struct mk_node *to);

/* problem.searches, problem.instances and problem.prior into e->problem. */
int mk_read_searches(struct mk_loader *l, const struct mk_node *problem, struct mk_node *to);

/* combined, which may be NULL, into e->problem; after the problem. */
int mk_read_combined(struct mk_loader *l, const struct mk_node *combined);

/* After the horizons: the searches' budget, and whether every optimiser fits its space. */
int mk_read_budget(struct mk_loader *l, const struct mk_node *root);

/* ---- experiment_policies.c ---- */

/* policies into e->entry, sweeps expanded. */
int mk_read_policies(struct mk_loader *l, const struct mk_node *policies);

/* The parameters of an entry as keys of a mapping; false: no memory. */
bool mk_add_policy_params(struct mk_node *mapping, const struct mk_policy_entry *entry);

/* ---- experiment_claims.c ---- */

/* claims into e->claim, after the policies; NULL: none. */
int mk_read_claims(struct mk_loader *l, const struct mk_node *claims);

#endif

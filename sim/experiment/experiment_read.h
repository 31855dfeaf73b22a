/* Between the files of the experiment reader: experiment.c (top level), experiment_values.c (numbers, texts, keys,
 * lists), experiment_arms.c, experiment_processes.c and experiment_policies.c. Every function reports
 * `file:line:column: key: …`. */
#ifndef MAXK_SIM_EXPERIMENT_EXPERIMENT_READ_H
#define MAXK_SIM_EXPERIMENT_EXPERIMENT_READ_H

#include <stdbool.h>

#include "sim/base/param.h"
#include "sim/base/yaml_tree.h"
#include "sim/experiment/experiment.h"

enum {
    MK_MOST_VALUES = 10000, /* of a range, of the horizons, of the policies after sweeps */
    MK_MOST_TEXT = 4096     /* bytes of a title, a source, a path */
};

/* The reading of one experiment. */
struct mk_loader {
    struct mk_experiment *e;
    const char *directory;    /* of the experiment file, with a slash at the end; "" for the working directory */
    unsigned need;            /* MK_NEED_… */
    int ends_early;           /* enum mk_ends_early of the problem */
    struct mk_node *resolved; /* mapping */
    struct mk_error *err;
};

/* ---- experiment_values.c ---- */

/* `name` is none of the words: the error says so, with the nearest and all of them. */
int mk_fail_word(struct mk_error *err, struct mk_where where, const char *key, const char *name, const char *what,
                 const char *const *word, size_t n);

/* The node must be a mapping with no other keys than these. */
int mk_check_keys(const struct mk_node *node, const char *what, const char *const *allowed, size_t n,
                  struct mk_error *err);

/* The node must be a list of at least one item. */
int mk_check_list(const struct mk_node *node, const char *key, const char *what, struct mk_error *err);

/* A value of parameter p (MK_REAL, MK_INTEGER, MK_CHOICE); infinities only where `infinite` is set. */
int mk_read_param(const struct mk_node *node, const struct mk_param *p, int infinite, double *out,
                  struct mk_error *err);

/* A scalar's text, not empty, at most MK_MOST_TEXT bytes; control characters become blanks, blanks at the end are left
 * out. malloc'ed. */
int mk_read_text(const struct mk_node *node, const char *key, char **out, struct mk_error *err);

struct mk_values {
    size_t n;
    double *value; /* owned */
};

/* One value, a list of values, or {from, to, step} (numbers only): from + i * step rounded to 12 digits. */
int mk_read_values(const struct mk_node *node, const struct mk_param *p, struct mk_values *out, struct mk_error *err);

/* The path of a file that exists: as given, else beside the experiment file. malloc'ed. */
int mk_find_file(const struct mk_loader *l, const struct mk_node *node, const char *key, char **out);

/* mk_node_add of a number; 0 when out of memory. */
bool mk_add_real(struct mk_node *parent, const char *key, double x);
bool mk_add_text(struct mk_node *parent, const char *key, const char *text);

/* Names of coordinates: 1 to 100 bytes of UTF-8 without control characters; `file_name`: also fit for a group's name
 * (no slash, not "." or ".."). NULL, or what is allowed. */
const char *mk_label_problem(const char *label, int file_name);

/* ---- experiment_arms.c ---- */

/* problem.arms into e->problem (synthetic); `to` becomes the list with every parameter written out. */
int mk_read_arms(struct mk_loader *l, const struct mk_node *arms, struct mk_node *to);

/* Family, parameters and wrappers; `is_arm` allows the keys label and cost as well. `to`: resolved mapping. */
int mk_read_distribution(struct mk_loader *l, const struct mk_node *node, int is_arm, struct mk_dist **out,
                         struct mk_node *to);

/* Reads where the rewards of one arm come from into e->problem, and checks all keys of the arm's mapping. */
typedef int (*mk_read_rewards)(struct mk_loader *l, const struct mk_node *node, size_t arm, struct mk_node *to);

/* A list of arms into e->problem: rewards by `read`, labels and costs by itself. */
int mk_read_arm_list(struct mk_loader *l, const struct mk_node *arms, enum mk_problem_kind kind, mk_read_rewards read,
                     struct mk_node *to);

/* ---- experiment_processes.c ---- */

/* problem.processes into e->problem (MK_PROCESSES). */
int mk_read_processes(struct mk_loader *l, const struct mk_node *processes, struct mk_node *to);

/* ---- experiment_policies.c ---- */

/* policies into e->entry, sweeps expanded. */
int mk_read_policies(struct mk_loader *l, const struct mk_node *policies);

/* The parameters of an entry added to a mapping; 0 when out of memory. */
bool mk_add_parameters(struct mk_node *mapping, const struct mk_policy_entry *entry);

/* ---- experiment_claims.c ---- */

/* claims into e->claim, after the policies; NULL: none. */
int mk_read_claims(struct mk_loader *l, const struct mk_node *claims);

/* ---- experiment_horizons.c ---- */

/* horizons into e->horizon: a list, {from, to, per_decade} or {from, to, step}. */
int mk_read_horizons(struct mk_loader *l, const struct mk_node *node);

/* NULL, or why the experiment has no rare-event estimates (sim/run/rare.h): into `text`. */
const char *mk_rare_refusal(const struct mk_experiment *e, char *text, size_t room);

#endif

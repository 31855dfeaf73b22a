/* Search spaces and configurations as YAML.
 *
 *     C: {real: [4.5e-5, 2.2e4], log: true, default: 1}
 *     degree: {integer: [2, 5], when: {kernel: polynomial}}
 *     layers: {ordinal: [64, 128, 256]}
 *     kernel: {categorical: [linear, polynomial, radial]}
 *     classifier: {choice: {svm: {…a space…}, tree: {…}}}     # hyperparameters classifier.svm.C, …
 *     seed: {constant: 1}
 *     forbid: [{kernel: linear, shrinking: true}]
 *
 *     m: {integer: [1, "n / 2"]}                              # its range depends on n
 *
 * `when` and the items of `forbid` map names to a value, a list of values (one of them), or, for numbers, comparisons:
 * "> 2", "<= 10", ">= 2 and < 10". Several names must all hold. An item of `forbid`, or `forbid` itself, may be a text:
 * relations of formulas, "x + y > 4 and kernel == rbf" (sim/search/space/formula.h). Within a choice names are looked
 * up in the space of the algorithm first and then around it. A pipeline is a space with several choices. */
#ifndef MAXK_SIM_SEARCH_SPACE_SPACE_READ_H
#define MAXK_SIM_SEARCH_SPACE_SPACE_READ_H

#include "sim/base/param.h"
#include "sim/base/yaml_tree.h"
#include "sim/search/space/space.h"

/* The keys of a hyperparameter: the forms, of which it has one, then what goes with some of them. */
enum {
    MK_FORM_REAL = 1,
    MK_FORM_INTEGER = 2,
    MK_FORM_ORDINAL = 4,
    MK_FORM_CATEGORICAL = 8,
    MK_FORM_CONSTANT = 16,
    MK_FORM_CHOICE = 32,
    MK_OF_SPACE = 64 /* a key of the space, where it is no hyperparameter */
};
struct mk_space_key {
    unsigned forms;      /* those that it goes with; 0: it is a form itself, in the order of their bits */
    struct mk_param key; /* MK_PARTS: with a reader of its own */
};
extern const struct mk_space_key mk_space_keys[]; /* ends with name NULL */

/* "real, integer"; "hyperparameter" for a form; "space" for a key of the space. */
const char *mk_space_key_forms(const struct mk_space_key *key, char *out, size_t room);

/* Reads a finished space. MK_EINPUT with the place. */
int mk_space_read(struct mk_space **out, const struct mk_node *node, struct mk_error *err);

/* The space as a mapping that reads back to an equal one (choices with empty spaces, whose hyperparameters follow with
 * conditions; not the rows); NULL: no memory. */
struct mk_node *mk_space_node(const struct mk_space *s);

/* Adds a value of a hyperparameter: a text that would be another value without quotes has them. */
bool mk_add_hyper(struct mk_node *parent, const char *key, const struct mk_hyper *h, double v);

/* Reads a configuration, the text {name: value, …}, into v[s->n]: exactly the active hyperparameters must be present.
 * MK_EINPUT with the place, in which `name` stands for the text. */
int mk_space_read_configuration(const struct mk_space *s, const char *name, const char *text, size_t length, double *v,
                                struct mk_error *err);

/* The same of a mapping, in which hyperparameters may be missing that then have their defaults; its key `besides`
 * (NULL: none) is no hyperparameter. */
int mk_space_take_configuration(const struct mk_space *s, const struct mk_node *node, const char *besides, double *v,
                                struct mk_error *err);

#endif

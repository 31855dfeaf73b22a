/* The keys of tune files (tune_keys.def) and of experiment files (experiment_keys.def): each is described once, for the
 * readers (sim/study/read_tune.c; sim/experiment/), the messages, `maxk list tunekeys` and `maxk list keys`, and the
 * man page. */
#ifndef MAXK_SIM_EXPERIMENT_FILE_KEYS_H
#define MAXK_SIM_EXPERIMENT_FILE_KEYS_H

#include "sim/base/param.h"
#include "sim/base/yaml_tree.h"

/* What the name of an experiment may be. */
#define MK_EXPERIMENT_NAME "1 to 100 of A-Z, a-z, 0-9, _ and -"

enum { MK_TUNE_MOST_WORKERS = 1024, MK_TUNE_MOST_EVALUATIONS = 1000000 };

enum mk_file_mapping {
    MK_TUNE_FILE,
    MK_TUNE_METRIC,
    MK_TUNE_MEASURE,
    MK_TUNE_BOUND,
    MK_TUNE_LIMITS,
    MK_TUNE_CRASH,
    MK_TUNE_BUDGET,
    MK_TUNE_ARM,
    MK_TUNE_MAPPINGS,
    MK_IN_EXPERIMENT = MK_TUNE_MAPPINGS,
    MK_IN_PROBLEM,
    MK_IN_DISTRIBUTION, /* in addition to the family and its parameters */
    MK_IN_ARM,          /* of every arm */
    MK_IN_REPEAT,
    MK_IN_CURVE,
    MK_IN_BREAK,
    MK_IN_DRIFT,
    MK_IN_SEARCH,
    MK_IN_OBJECTIVE,
    MK_IN_PRIOR,
    MK_IN_HORIZONS,
    MK_IN_CLAIM,
    MK_IN_PLUGIN,
    MK_DOCUMENTED_MAPPINGS,
    MK_IN_TRAJECTORIES = MK_DOCUMENTED_MAPPINGS, /* those of MK_IN_PROBLEM that recorded runs have */
    MK_FILE_MAPPINGS
};

struct mk_file_keys {
    const char *mapping;          /* "metric", as documents call it */
    const char *what;             /* in messages */
    const struct mk_param *param; /* ends as such tables do */
};
extern const struct mk_file_keys mk_file_keys[MK_FILE_MAPPINGS];

/* Appends the names of the mapping's keys to the n names that there are; returns their new number. */
size_t mk_file_key_names(enum mk_file_mapping of, const char **name, size_t n);

/* MK_EINPUT: a key of the mapping that there is not. */
int mk_check_file_keys(const struct mk_node *node, enum mk_file_mapping of, struct mk_error *err);

/* A key of the mapping, which must be one. */
const struct mk_param *mk_file_key(enum mk_file_mapping of, const char *key);

/* The value of a key of the node, which is a number or one of several words: the default if it is absent. Unless it is
 * infinite, it is also written to the mapping `to` of the resolved text (NULL: nowhere). MK_EINPUT, MK_ENOMEM. */
int mk_read_file_key(const struct mk_node *node, enum mk_file_mapping of, const char *key, double *out,
                     struct mk_node *to, struct mk_error *err);

/* The same of a key that is one of several words: the number of the word. */
int mk_read_file_word(const struct mk_node *node, enum mk_file_mapping of, const char *key, int *out,
                      struct mk_node *to, struct mk_error *err);

/* What documents say of a key: its meaning, range and default. */
enum { MK_FILE_KEY_ROOM = 1500 };
const char *mk_file_key_text(const struct mk_param *key, char out[MK_FILE_KEY_ROOM]);

#endif

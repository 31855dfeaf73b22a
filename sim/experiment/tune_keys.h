/* The keys of tune files (tune_keys.def): each is described once, for the reader (sim/tune/read_tune.c), the messages,
 * `maxk list tunekeys` and the man page. */
#ifndef MAXK_SIM_EXPERIMENT_TUNE_KEYS_H
#define MAXK_SIM_EXPERIMENT_TUNE_KEYS_H

#include "sim/base/param.h"
#include "sim/base/yaml_tree.h"

enum { MK_TUNE_MOST_WORKERS = 1024, MK_TUNE_MOST_EVALUATIONS = 1000000 };

enum mk_tune_mapping {
    MK_TUNE_FILE,
    MK_TUNE_METRIC,
    MK_TUNE_LIMITS,
    MK_TUNE_CRASH,
    MK_TUNE_BUDGET,
    MK_TUNE_ARM,
    MK_TUNE_MAPPINGS
};

struct mk_tune_keys {
    const char *mapping;          /* "metric", as documents call it */
    const char *what;             /* in messages */
    const struct mk_param *param; /* ends as such tables do */
};
extern const struct mk_tune_keys mk_tune_keys[MK_TUNE_MAPPINGS];

/* MK_EINPUT: a key of the mapping that there is not. */
int mk_tune_check_keys(const struct mk_node *node, enum mk_tune_mapping of, struct mk_error *err);

/* A key of the mapping, which must be one. */
const struct mk_param *mk_tune_key(enum mk_tune_mapping of, const char *key);

/* What documents say of a key: its meaning, range and default. */
enum { MK_TUNE_KEY_ROOM = 1500 };
const char *mk_tune_key_text(const struct mk_param *key, char out[MK_TUNE_KEY_ROOM]);

#endif

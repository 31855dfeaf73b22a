/* The keys of tune files (tune_keys.def) and of experiment files (experiment_keys.def): each is described once, for the
 * readers (sim/study/; sim/run/experiment/), the resolved text, the messages, `maxk list tunekeys` and `maxk list
 * keys`, and the man page. */
#ifndef MAXK_SIM_RUN_EXPERIMENT_FILE_KEYS_H
#define MAXK_SIM_RUN_EXPERIMENT_FILE_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/param.h"
#include "sim/base/yaml_tree.h"

/* What the name of an experiment may be. */
#define MK_EXPERIMENT_NAME "1 to 100 of A-Z, a-z, 0-9, _ and -"

enum mk_horizon_unit { MK_HORIZON_PULLS, MK_HORIZON_COST };
enum mk_keep { MK_KEEP_PULLS, MK_KEEP_SUMMARY };

enum { MK_TUNE_MOST_WORKERS = 1024, MK_TUNE_MOST_EVALUATIONS = 1000000, MK_PRUNING_MOST_STEPS = 1000000000 };

enum mk_file_mapping {
    MK_TUNE_FILE,
    MK_TUNE_METRIC,
    MK_TUNE_MEASURE,
    MK_TUNE_BOUND,
    MK_TUNE_LIMITS,
    MK_TUNE_CRASH,
    MK_TUNE_BUDGET,
    MK_TUNE_INSTANCES,
    MK_TUNE_PRUNING,
    MK_TUNE_ARM,
    MK_TUNE_MAPPINGS,
    MK_IN_EXPERIMENT = MK_TUNE_MAPPINGS,
    MK_IN_PROBLEM,
    MK_IN_FAMILY,       /* of every distribution: the family, whose parameters are keys, too */
    MK_IN_DISTRIBUTION, /* in addition to these */
    MK_IN_ARM,          /* of every arm */
    MK_IN_REPEAT,
    MK_IN_PIECE, /* of a process with a curve and of its breaks: the curve, whose parameters are keys, too */
    MK_IN_CURVE,
    MK_IN_BREAK,
    MK_IN_DRIFT,
    MK_IN_SEARCH,
    MK_IN_OBJECTIVE,
    MK_IN_OPTIMIZER,
    MK_IN_COMBINED,
    MK_IN_POLICY,
    MK_IN_PRIOR,
    MK_IN_HORIZONS,
    MK_IN_CLAIM,
    MK_IN_PLUGIN,
    MK_DOCUMENTED_MAPPINGS,
    MK_IN_TRAJECTORIES = MK_DOCUMENTED_MAPPINGS, /* those of MK_IN_PROBLEM that recorded runs have, */
    MK_IN_SEARCHES,                              /* and that searches have */
    MK_FILE_MAPPINGS
};

struct mk_file_mapping_name {
    const char *mapping; /* "metric", as documents call it */
    const char *what;    /* in messages */
};
extern const struct mk_file_mapping_name mk_file_mappings[MK_FILE_MAPPINGS];

/* The keys of a mapping by position, from 0 on; NULL: there are no more. */
const struct mk_param *mk_file_key_at(enum mk_file_mapping of, size_t i);

/* Flags of rows, in addition to those of parameters. */
enum {
    MK_UNRESOLVED = 16,   /* not in the resolved text: no result depends on it, or it stands there in another form */
    MK_NO_TRIAL = 32,     /* of tune files: no trial depends on it */
    MK_LABEL = 64,        /* a text that is a label (mk_label_problem), */
    MK_FILE_LABEL = 128,  /* or one that can name a group of a file, too */
    MK_MAY_BE_EMPTY = 256 /* a text that is empty if the key is absent */
};

/* MK_EINPUT: the node has a key that the mapping does not have. */
int mk_check_file_keys(const struct mk_node *node, enum mk_file_mapping of, struct mk_error *err);

/* The same of a mapping with parameters, which may be NULL: the keys are those of `first`, the parameters, and those of
 * `second` and `third`; MK_FILE_MAPPINGS: no keys. what: in messages. */
int mk_check_item_keys(const struct mk_node *node, const char *what, enum mk_file_mapping first,
                       const struct mk_param *params, enum mk_file_mapping second, enum mk_file_mapping third,
                       struct mk_error *err);

/* A key of the mapping, which must be one. */
const struct mk_param *mk_file_key(enum mk_file_mapping of, const char *key);

/* The node of a key, NULL if it is absent. MK_EINPUT: it is needed. */
int mk_need_file_key(const struct mk_node *node, enum mk_file_mapping of, const char *key, const struct mk_node **out,
                     struct mk_error *err);

/* MK_EINPUT: the key is missing, and what is expected. */
int mk_fail_missing(const struct mk_node *node, enum mk_file_mapping of, const char *key, struct mk_error *err);

/* The value of a key of the node, which is a number, one of several words, or a text; the type of *out says which: a
 * double, a uint64_t, an int, a bool or an enum (the number of the word), or a text, malloc'ed, which must be NULL. If
 * the key is absent, a text stays NULL and others get the default. Unless it is absent or infinite, or the row says
 * otherwise, it is also written to the mapping `to` of the resolved text (NULL: nowhere). MK_EINPUT, MK_ENOMEM. */
#define MK_READ_KEY(node, of, key, out, to, err)                                                                       \
    mk_read_file_key(node, of, key,                                                                                    \
                     _Generic(*(out), double                                                                           \
                              : MK_AS_REAL, uint64_t                                                                   \
                              : MK_AS_COUNT, bool                                                                      \
                              : MK_AS_TRUTH, int                                                                       \
                              : MK_AS_WORD, unsigned                                                                   \
                              : MK_AS_WORD, char *                                                                     \
                              : MK_AS_TEXT),                                                                           \
                     out, to, err)
enum mk_key_type { MK_AS_REAL, MK_AS_COUNT, MK_AS_TRUTH, MK_AS_WORD, MK_AS_TEXT };
int mk_read_file_key(const struct mk_node *node, enum mk_file_mapping of, const char *key, enum mk_key_type as,
                     void *out, struct mk_node *to, struct mk_error *err);

/* What documents say of a key: its meaning, range and default. */
enum { MK_FILE_KEY_ROOM = 1500 };
const char *mk_file_key_text(const struct mk_param *key, char out[MK_FILE_KEY_ROOM]);

#endif

/* The result file (HDF5): the only module family that includes hdf5.h (store_*.c). Layout: README, "Results". */
#ifndef MAXK_SIM_RUN_STORE_RESULT_H
#define MAXK_SIM_RUN_STORE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"
#include "sim/run/engine/block.h"
#include "sim/run/experiment/experiment.h"

/* ---- writing ---- */

struct mk_writer;

/* Facts about the run in which equal runs may differ: /provenance/volatile. */
struct mk_volatile {
    const char *command_line;
    int threads;
    double seconds;
};

/* Creates `path`.tmp.<pid>.<any>; `path` itself appears (fsync, rename) only in mk_writer_commit. *e and *f must
 * outlive the writer. MK_EINPUT when the place cannot be written, MK_EIO when writing fails (an earlier `path` is left
 * unchanged). HDF5 is not thread-safe: one thread at a time calls writers and results. threads >= 1 share the work
 * outside HDF5. */
int mk_writer_open(struct mk_writer **out, const char *path, const struct mk_experiment *e, const struct mk_truth *f,
                   const char *const *engine /* [entry] */, int threads, struct mk_error *err);
/* Memory for pulls and maxima, in bytes, with keep: pulls. */
double mk_writer_rows_bytes(const struct mk_experiment *e, int threads);
/* Blocks must come in order of first_unit without gaps. */
int mk_writer_block(struct mk_writer *w, const struct mk_block *b, struct mk_error *err);
/* The rare-event estimates of one entry (sim/run/engine/rare.h); before mk_writer_commit. */
struct mk_rare;
int mk_writer_rare(struct mk_writer *w, size_t entry, const struct mk_rare *r, struct mk_error *err);
/* The trials of a study as /trials, a dataset for each column, for other programs; before mk_writer_commit. */
struct mk_table;
int mk_writer_trials(struct mk_writer *w, const struct mk_table *trials, struct mk_error *err);
int mk_writer_commit(struct mk_writer *w, const struct mk_volatile *v, struct mk_error *err);
/* Closes and, unless committed, deletes the temporary file. */
void mk_writer_free(struct mk_writer *w);

/* ---- reading ---- */

struct mk_result;

/* Statistics of one (policy, instance, horizon), filled by mk_result_cell from /policies/<label>/summary. */
struct mk_cell {
    double *mean_pulls, *se_pulls; /* [arm]; se with n-1, NaN for one replication */
    double mean_max, se_max;
    double *quantile_pulls; /* [n_quantiles][arm] */
    double *quantile_max;   /* [n_quantiles] */
    double lock_out_share;  /* share of replications with N_{i*}(T) < T/2 */
    double proxy_regret;    /* PER(T) of Baudry et al. 2022, unclipped; NaN without an oracle policy in the run */
    double mean_repeated;   /* pulls past the recorded ends of their series; NaN of combined searches, and unless
                               has_repeated */
};

struct mk_result_info {
    char *path, *name, *title, *source;
    size_t n_policies, n_instances, n_horizons, n_arms;
    size_t n_left_out;          /* policies of the file that mk_result_select left out */
    uint64_t replications;      /* the most of any instance */
    uint64_t *own_replications; /* [instance] the first of them that it has; values of others are NaN, pulls 0 */
    char **policy;              /* [policy] labels, in the order of the experiment */
    char **policy_name;         /* [policy] registry names */
    char **policy_parameters;   /* [policy] YAML flow mapping */
    char **policy_engine;       /* [policy] */
    const struct mk_policy_type **policy_type; /* [policy] NULL for combined searches and what is not in the registry */
    /* [policy] in the order of policy_type's params; NaN where absent, unreadable or without a type */
    double (*policy_value)[MK_MAX_PARAMS];
    char **instance;                          /* [instance] */
    char **arm_label, **family, **parameters; /* [arm]; family and parameters are "" for trajectories */
    uint64_t *horizon;                        /* [horizon] */
    bool by_cost;                             /* horizons are costs of pulls, not their numbers; */
    double cost_parts;                        /* in these parts of a unit (mk_result_amount) */
    size_t n_quantiles;
    double *quantile;    /* levels, ascending, 0, .01, .025, .05, .1, .25, .5, .75, .9, .95, .975, .99, 1 */
    int has_pulls;       /* keep: pulls */
    bool has_costs;      /* pulls differ in cost, and the file has what they cost */
    bool has_incumbents; /* the file has values without noise (noisy searches) or test scores (recorded runs) */
    bool has_repeated;   /* of recorded runs: rewards go on past the recorded end (ends_early) */
    char *resolved;      /* the experiment, YAML */
    struct mk_truth *truth;
};

/* Provenance of recorded runs with gaps: what the rules did, "instance: …" line by line. */
#define MK_GAPS_KEY "gaps"

/* Provenance of recorded runs: the digest of their values (mk_result_digest_text), by which later readers of the
 * files find out that these have changed. */
#define MK_RECORDED_KEY "recorded_runs"
enum { MK_DIGEST_ROOM = 24 };
/* "" where the problem has no recorded runs. Errors: MK_ENOMEM. */
int mk_result_digest_text(const struct mk_problem *p, char text[MK_DIGEST_ROOM]);

/* A parameter of a policy by name; NaN when it has none. */
double mk_result_parameter(const struct mk_result_info *i, size_t policy, const char *name);

/* Position of the policy with this label; otherwise MK_EINPUT, with a message that begins with `option` unless it is
 * NULL. */
int mk_result_find_policy(const struct mk_result_info *i, const char *option, const char *label, size_t *at,
                          struct mk_error *err);

/* Which policies of a result are meant. */
struct mk_policy_selection {
    const char *const *policy, *const *without; /* labels: only these (all if there are none), not those */
    size_t n_policies, n_without;
    const char *among;   /* only policies of this registry name; NULL: of any */
    const char *command; /* whose options these are, for messages */
};

/* keep[policy]: 1 for those that are meant. MK_EINPUT, with a message that begins with "maxk COMMAND: --option", for
 * labels and names that no policy has, and when none is left. */
int mk_policy_selection_apply(const struct mk_policy_selection *s, const struct mk_result_info *i, char *keep,
                              struct mk_error *err);

/* Whether a policy of the result has all of the given flags of policies/policy.h. */
bool mk_result_policy_has(const struct mk_result_info *i, size_t policy, unsigned flag);

/* MK_EINPUT where all policies are combined searches, whose rewards are not the arms' own, for commands on how policies
 * choose arms. */
int mk_result_check_choosing(const struct mk_result_info *i, struct mk_error *err);

/* Opens and checks a result file; a corrupt or foreign file is MK_EINPUT with one line. */
int mk_result_open(struct mk_result **out, const char *path, struct mk_error *err);
void mk_result_free(struct mk_result *r);
const struct mk_result_info *mk_result_info(const struct mk_result *r);

/* From now on the result has only the policies with keep[policy] != 0, in their order. */
void mk_result_select(struct mk_result *r, const char *keep);

/* Horizon h: a number of pulls, or a cost. */
double mk_result_amount(const struct mk_result_info *i, size_t horizon);

/* What pulls of the cell are shares of: T, or where T is a cost the mean number of all pulls. */
double mk_cell_rounds(const struct mk_result_info *i, size_t horizon, const struct mk_cell *c);

int mk_result_cell(struct mk_result *r, size_t policy, size_t instance, size_t horizon, struct mk_cell **out,
                   struct mk_error *err);
void mk_cell_free(struct mk_cell *c);

/* Raw values (has_pulls): pulls[replication][arm] and max_reward[replication]; either pointer may be NULL. */
int mk_result_raw(struct mk_result *r, size_t policy, size_t instance, size_t horizon, uint64_t *pulls,
                  double *max_reward, struct mk_error *err);

/* All cells of a policy at once, which is faster. The raw values may be NULL. */
struct mk_policy_values {
    double *mean_pulls, *se_pulls; /* [instance][horizon][arm] */
    double *mean_max, *se_max;     /* [instance][horizon] */
    uint64_t *pulls;               /* [instance][horizon][replication][arm] */
    double *max_reward;            /* [instance][horizon][replication] */
};
int mk_result_policy_values(struct mk_result *r, size_t policy, const struct mk_policy_values *to,
                            struct mk_error *err);

/* What the pulls of every replication cost up to the horizon (has_costs): cost[replication]. */
int mk_result_costs(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *cost,
                    struct mk_error *err);

/* The value without noise, or the test score, of the configuration with the largest reward (has_incumbents; NaN: not
 * known): value[replication]. */
int mk_result_incumbents(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *value,
                         struct mk_error *err);

/* The rare-event estimates of a policy, to be freed with mk_rare_free; *out = NULL when the file has none. */
int mk_result_rare(struct mk_result *r, size_t policy, struct mk_rare **out, struct mk_error *err);

/* The stored experiment, read again and checked: its policies, horizons, replications, instances and arms are those of
 * the file. MK_EINPUT also when it names files that no longer exist, or recorded runs that have changed. plugins: an
 * override of the key of this name, which loads some or all of those that made the result, or NULL. */
int mk_result_experiment(struct mk_result *r, const struct mk_overrides *plugins, struct mk_experiment **out,
                         struct mk_error *err);

/* The stored experiment, read again with `need` and MK_STORED; only its recorded runs are checked. Results of earlier
 * versions have no digest of these, and MK_WHOLE makes other rewards of the trials of a study: neither is checked. */
int mk_result_parse(struct mk_result *r, const struct mk_overrides *overrides, unsigned need,
                    struct mk_experiment **out, struct mk_error *err);

/* Every provenance item as "key", "value" pairs (volatile ones prefixed "volatile/"): calls visit for each. */
int mk_result_provenance(struct mk_result *r, void (*visit)(void *context, const char *key, const char *value),
                         void *context, struct mk_error *err);

#endif

/* The experiment file (YAML), read, checked and resolved. */
#ifndef MAXK_SIM_RUN_EXPERIMENT_EXPERIMENT_H
#define MAXK_SIM_RUN_EXPERIMENT_EXPERIMENT_H

#include <stddef.h>
#include <stdint.h>

#include "policies/policy.h"
#include "sim/api/maxk/error.h"
#include "sim/problem/problem.h"
#include "sim/run/experiment/file_keys.h"
#include "sim/run/experiment/user_claim.h"

/* One policy of the run: sweeps are already expanded, labels are unique. */
struct mk_policy_entry {
    char *label;
    const struct mk_policy_type *type;
    double par[MK_MAX_PARAMS];
    struct mk_candidates *candidates; /* its parameter MK_PARTS (distributions/candidates.h); NULL: none */
};

struct mk_plugins;
struct mk_experiment {
    char *file;                  /* path as given */
    char *name, *title, *source; /* title and source may be "" */
    struct mk_problem *problem;
    size_t n_entries;
    struct mk_policy_entry *entry;
    struct mk_plugins *plugins; /* whose policies the entries may have; NULL: none */
    size_t n_horizons;
    uint64_t *horizon;     /* ascending, distinct, each >= 1 */
    double mean_cost;      /* of all recorded pulls, where horizons are costs; */
    uint64_t cost_rounds;  /* and a bound on the pulls of a run to the last horizon */
    uint64_t replications; /* of every instance */
    uint64_t seed;
    enum mk_keep keep;
    uint64_t
        rare_events; /* replications of the rare-event estimator (sim/run/engine/rare.h) for every policy; 0: none */
    size_t n_claims;
    struct mk_user_claim *claim; /* [n_claims] user-defined bounds, in the order of the file */
    char *resolved; /* YAML: defaults filled in, overrides applied, sweeps expanded; reads back to the same run */
};

enum {
    MK_NEED_PROBLEM = 1, /* `problem` must be present (always for run) */
    MK_NEED_RUN = 2,     /* `policies` and `horizons` must be present */
    MK_LOAD_PLUGINS = 4, /* all `plugins` are loaded, which runs their code: for experiments that the user runs;
                          * otherwise those of an override are, and those of the file stay as they are */
    MK_WHOLE = 16,       /* of a stored text: recorded runs are those of whole evaluations, which are what rewards are
                          * worth; a result of a study has what its trials showed, evaluations in part among them */
    MK_STORED = 8        /* the text is of a result or a part: an override may load only plugins that made it */
};

/* Reads `path` with the overrides sets[0 … n_sets-1], each "dotted.key=YAML value". `need` says which parts must be
 * present; parts that are present are always checked. Errors: MK_EINPUT with file:line:column (for an override the
 * "file" is `--set dotted.key=…`). */
int mk_experiment_read(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                       unsigned need, struct mk_error *err);

/* A problem from a CSV file alone, as if the experiment were `problem: {trajectories: path}` named after the file, with
 * the overrides. */
int mk_experiment_from_csv(struct mk_experiment **out, const char *path, const char *const *sets, size_t n_sets,
                           struct mk_error *err);

/* The text in the letters that the name of an experiment may have, others as _; malloc'ed, NULL: out of memory. */
char *mk_experiment_name_for(const char *text);

/* The same for text already in memory (the resolved experiment stored in a result file). `name` is for messages. */
int mk_experiment_parse(struct mk_experiment **out, const char *name, const char *text, size_t length, unsigned need,
                        struct mk_error *err);

/* The same with overrides, as for mk_experiment_read. */
struct mk_overrides {
    const char *const *text;
    size_t n;
};
int mk_experiment_parse_with(struct mk_experiment **out, const char *name, const char *text,
                             const struct mk_overrides *sets, unsigned needs, struct mk_error *err);

void mk_experiment_free(struct mk_experiment *e); /* NOLINT(readability-redundant-declaration): maxk.h has it, too */

/* The most pulls of a run: the last horizon, or a bound where horizons are costs. */
static inline uint64_t mk_experiment_rounds(const struct mk_experiment *e)
{
    return e->problem->by_cost ? e->cost_rounds : e->horizon[e->n_horizons - 1];
}

/* Whether a policy plans for a number of pulls, and for how many: the horizon, or the cost over the mean cost of a
 * pull. Where horizons are costs, policies with a parameter `budget` plan for these. */
bool mk_experiment_plans(const struct mk_experiment *e, const struct mk_policy_entry *entry);
uint64_t mk_experiment_planned(const struct mk_experiment *e, size_t horizon);

/* Position of the policy with this label; n_entries when there is none. */
size_t mk_experiment_find_policy(const struct mk_experiment *e, const char *label);

/* The parameters of an entry as a YAML flow mapping, e.g. `{alpha: 0.5, scale: none}`; malloc'ed. */
char *mk_policy_entry_parameters(const struct mk_policy_entry *entry);

/* A parameter of a policy by name; NaN when it has none. */
double mk_policy_entry_parameter(const struct mk_policy_entry *entry, const char *name);

#endif

/* The file of `maxk tune`: a program of the user's own, its arms with their search spaces and optimisers, the policy
 * that chooses among them, and a budget. A study that tells its results itself has the same keys, and needs no
 * program. */
#ifndef MAXK_SIM_STUDY_TUNE_H
#define MAXK_SIM_STUDY_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/string_table.h"
#include "sim/run/experiment/file_keys.h"
#include "sim/search/search.h"
#include "sim/search/space/space.h"
#include "sim/study/pruning.h"

enum {
    MK_TUNE_FAILURES = 10,  /* failures in a row from the start that end a run */
    MK_STUDY_TRIALS = 1000, /* of a study without a budget */
    MK_TUNE_MOST_METRICS = 16
};

/* Where the number comes from that a program prints or writes. REPORTED: there is no program. SECONDS: its time. */
enum mk_metric_source {
    MK_METRIC_LAST_NUMBER,
    MK_METRIC_JSON,
    MK_METRIC_REGEX,
    MK_METRIC_SMAC,
    MK_METRIC_IRACE,
    MK_METRIC_SECONDS,
    MK_METRIC_REPORTED
};

struct mk_metric {
    enum mk_metric_source source;
    char *pattern; /* path in a JSON object, regular expression; else NULL */
    char *file;    /* in the folder of the trial; NULL: standard output */
    bool maximize; /* reward = scale * metric, or - scale * metric */
    bool unnamed;  /* answers of a persistent program need not name their trial */
    double scale;  /* > 0 */
};

/* A further metric of every trial; those that a program lacks are NaN. */
struct mk_further_metric {
    char *name;
    struct mk_metric from; /* maximize and scale do not matter */
};

/* A trial is feasible where at_least <= the metric <= at_most; ±INFINITY: no bound. */
struct mk_constraint {
    size_t metric;
    double at_least, at_most;
};

/* A command line in which {name} stands for values of a trial (sim/study/command_words.h). */
struct mk_command_words {
    bool shell; /* one word, for /bin/sh -c, in which values are parameters */
    size_t n;
    char **word;
    size_t n_args; /* what {args} stands for, for every active hyperparameter */
    char **arg;
};

struct mk_tune_arm {
    char *label;
    struct mk_space *space;
    struct mk_optimizer_choice optimizer;
    char *own_optimizer;                    /* what chooses configurations in its place, outside; NULL: it does */
    const struct mk_command_words *command; /* its own or that of all; NULL: the persistent program, or none */
    struct mk_command_words own;
    bool in_part;          /* a trial of it can be run in part */
    double configurations; /* exhausted: leave; INFINITY: not counted, or meant to be evaluated several times */
};

struct mk_child_limits {
    double timeout, grace;    /* seconds until SIGTERM (0: never), from there to SIGKILL */
    double memory, cpu, file; /* bytes, seconds, bytes of a file; 0: no limit */
};

enum mk_tune_crash { MK_CRASH_WORST, MK_CRASH_VALUE, MK_CRASH_IGNORE };
enum mk_tune_defaults { MK_DEFAULTS_STATED, MK_DEFAULTS_NO, MK_DEFAULTS_YES };
enum mk_tune_exhausted { MK_EXHAUSTED_REPEAT, MK_EXHAUSTED_LEAVE };
enum mk_tune_order { MK_ORDER_ISSUE, MK_ORDER_FINISH };

/* A configuration that is tried before those that policy and optimisers choose. */
struct mk_first_trial {
    size_t arm;
    double *v; /* owned; of the arm's space */
};

/* path: the name, or where it is a file of the folder of the tune file, its path there. */
struct mk_named_instance {
    char *name, *path;
};
struct mk_instance_list {
    size_t n; /* 0: there are none */
    struct mk_named_instance *of;
};

struct mk_tune {
    char *file, *name, *instance, *title, *source; /* title and source may be "" */
    char *here; /* folder of the file, without a slash at the end; "." for the working directory */
    uint64_t repetition;
    struct mk_instance_list on, test; /* that a configuration is judged on, and that no trial runs on */
    size_t *sequence;                 /* [on.n] the order in which configurations run on them */
    double bound; /* the longest time of a run that counts; 0: the metric is no time, or has no end */
    size_t runs;  /* of a configuration of an optimiser that does not race on them */
    struct mk_command_words command; /* of all arms without one; n = 0: none */
    struct mk_command_words worker;  /* the persistent program; n = 0: none */
    size_t n_launcher;
    char **launcher; /* [n_launcher] words before every program */
    struct mk_metric metric;
    size_t n_metrics, n_named; /* the last one is not named when it is the cost alone */
    struct mk_further_metric *further;
    size_t cost; /* position in further[]; SIZE_MAX: all trials cost the same */
    size_t n_constraints;
    struct mk_constraint *constraint;
    struct mk_child_limits limits;
    struct mk_pruning pruning;
    uint64_t retries;
    uint64_t reevaluate; /* evaluations of the best configuration after the budget */
    bool success[256];   /* exit codes of programs that succeed */
    enum mk_tune_crash crash;
    double crash_value; /* MK_CRASH_VALUE: in units of the metric */
    size_t n_arms;
    struct mk_tune_arm *arm;
    struct mk_string_table labels; /* of the arms, by number */
    struct mk_prior_arm *prior;    /* [n_arms] what they begin with; NULL: nothing */
    bool prior_lacks_fidelity;     /* mk_prior_lacks_fidelity */
    char *policy;                  /* {name: …, parameters}; NULL: a combined search */
    char *own_policy;              /* what chooses arms in its place, outside; NULL: it does */
    bool needs_horizon;            /* the policy: it plays for one horizon */
    bool per_cost;                 /* the policy: it counts the costs of trials */
    struct mk_optimizer_choice combined;
    char *combined_label;
    struct mk_space *joint; /* of a combined search */
    size_t *first;          /* [n_arms] where each arm begins in it */
    size_t n_first;         /* distinct configurations to be tried first, in this order */
    struct mk_first_trial *first_trial;
    enum mk_tune_exhausted exhausted;
    double configurations; /* exhausted: leave; of all arms together */
    uint64_t evaluations;  /* of all arms together */
    bool open_budget;      /* without a number of trials: it grows */
    bool is_study;         /* a study, which needs no program; its budget grows to the trials of a journal */
    uint64_t horizon;      /* evaluations that policy and optimisers plan for; the same, unless every arm has as many */
    double seconds;        /* INFINITY: no limit */
    double budget_cost;    /* of trials together, after which none begins; INFINITY: no limit */
    uint64_t workers, lag, seed;
    enum mk_tune_order order;
    char *resolved; /* YAML: all that the results depend on, defaults filled in */
};

/* Reads and checks a file with overrides "dotted.key=YAML value". MK_EINPUT with file:line:column: key. */
int mk_tune_read(struct mk_tune **out, const char *path, const char *const *sets, size_t n_sets, struct mk_error *err);

/* The same of a text that needs no program, and no budget, which then is MK_STUDY_TRIALS; relative paths are those of
 * the working directory. `name` stands for the file in messages, and is the default name. */
int mk_tune_parse_study(struct mk_tune **out, const char *name, const char *text, struct mk_error *err);
void mk_tune_free(struct mk_tune *t);

/* The arm of this label; t->n_arms: none. */
static inline size_t mk_tune_find_arm(const struct mk_tune *t, const char *label, size_t length)
{
    const size_t k = mk_string_table_find(&t->labels, label, length);
    return k == SIZE_MAX ? t->n_arms : k;
}

/* A configuration of arm k from a text that may leave out hyperparameters, which then have their defaults; v[space->n].
 * MK_EINPUT with `name` in the place of a file. */
int mk_tune_complete_configuration(const struct mk_tune *t, size_t k, const char *name, const char *text, double *v,
                                   struct mk_error *err);

/* The optimiser of arm k: its own or that of all. */
static inline const struct mk_optimizer_choice *mk_tune_optimizer(const struct mk_tune *t, size_t k)
{
    return t->policy ? &t->arm[k].optimizer : &t->combined;
}

/* Whether the optimiser of the arm races on instances. */
static inline bool mk_tune_races(const struct mk_tune *t, size_t k)
{
    return mk_tune_optimizer(t, k)->type->flags & MK_OPTIMIZER_INSTANCES;
}

/* The runs of a whole evaluation of the arm, one trial each: on the instances of the tune file, or on those that its
 * optimiser counts; 0: a trial is an evaluation. */
static inline size_t mk_tune_instances(const struct mk_tune *t, size_t k)
{
    const struct mk_optimizer_choice *o = mk_tune_optimizer(t, k);
    if (t->on.n && !mk_tune_races(t, k)) return t->runs;
    return t->on.n || t->arm[k].in_part ? mk_optimizer_instances(o->type, o->par) : 0;
}

/* Whether trials of the arm may be evaluations in part. */
static inline bool mk_tune_in_part(const struct mk_tune *t, size_t k)
{
    if (t->on.n) return mk_tune_instances(t, k) > 1;
    return t->arm[k].in_part && (mk_tune_optimizer(t, k)->type->flags & MK_OPTIMIZER_FIDELITY);
}

/* Evaluations of the best configuration after the budget. */
static inline size_t mk_tune_evaluations_after(const struct mk_tune *t)
{
    return t->test.n + (size_t)t->reevaluate;
}

/* The reward of a value of the metric, and back. */
static inline double mk_tune_unit(const struct mk_tune *t)
{
    return t->metric.maximize ? t->metric.scale : -t->metric.scale;
}
static inline double mk_tune_reward(const struct mk_tune *t, double value)
{
    return mk_tune_unit(t) * value;
}
static inline double mk_tune_value(const struct mk_tune *t, double reward)
{
    return reward / mk_tune_unit(t);
}

#endif

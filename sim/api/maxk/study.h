/* Studies: tuning of several algorithms in a loop of your own. A policy chooses the arm (the algorithm) of each trial,
 * and the optimiser of that arm chooses its configuration (the values of its hyperparameters). You evaluate the
 * configuration.
 *
 *     mk_study_open(&s, "name: cash\nmetric: {maximize: true}\npolicy: {name: max_ucb, alpha: 0.5}\n"
 *                      "budget: {evaluations: 100}\narms:\n"
 *                      "  - {label: svc, space: {C: {real: [0.001, 1000], log: true}}}\n"
 *                      "  - {label: knn, space: {k: {integer: [1, 50]}}}\n", NULL, &err);
 *     while (mk_study_ask(s, &number, &err) == MK_OK && number != MK_NONE) {
 *         mk_study_trial(s, number, &trial, &err);
 *         mk_study_tell(s, number, value_of(trial.arm_label, trial.configuration), NAN, &err);
 *     }
 *     mk_study_free(s);
 *
 * The text has the keys of tune files (`man maxk`, "TUNE FILES"), except that it needs no program. `maxk tune` is the
 * same study with programs: it writes the same files, and with the same results it makes the same trials.
 *
 * Up to `lag` trials may be without results when the next one is asked for. With `order: issue`, the default, the
 * choice of a trial uses the results of all trials but the last `lag` before it. The trials are then the same for any
 * number of workers.
 *
 * Trials count from 0 here and from 1 in files.
 *
 * Functions that return int return MK_OK or a negative error code (error.h), and then write one line into *err, which
 * may be NULL. MK_ENOMEM is possible for all of them, and MK_EIO for those that write to the journal.
 *
 * Several threads may use different studies at the same time. mk_study_save uses HDF5, which one thread at a time may
 * do (maxk.h). A study belongs to the process that made it: a forked process neither uses nor frees it. */
#ifndef MAXK_STUDY_H
#define MAXK_STUDY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "missing.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mk_study;

/* What a study does with the results that an earlier study has left in the same place. */
enum mk_study_start {
    /* Begins a new study and destroys nothing. Where an interrupted study has left results, mk_study_open returns
     * MK_EINPUT. It keeps the file of a complete study as OUT.h5.previous, which err->text says then. */
    MK_STUDY_START_NEW,

    /* Continues with the journal, if there is one. */
    MK_STUDY_START_RESUMED,

    /* Continues even if the journal is damaged: it uses the lines before the first damaged one, and keeps the damaged
     * journal as OUT.trials/journal.damaged. */
    MK_STUDY_START_REPAIRED,

    /* Starts over and replaces earlier results. */
    MK_STUDY_START_OVER
};

/* A policy or optimisers of the caller's own, in a text with the keys `own_policy` or `own_optimizer`. Functions return
 * 0, or another number where they have failed; what called them then returns MK_EINPUT, and the study is as it was
 * before. A result that `tell` or `tell_arm` has not taken is not reported to it again until the study is resumed.
 * Those of a policy, or of optimisers, may be NULL where the text has none.
 *
 * They are called in the same order whenever the study is the same. When a study is resumed, its journal is replayed
 * through them: `known` is then what the journal has, which is used whatever is proposed. Rewards are maximised: the
 * value of the metric or, where that is minimised, its negative; NaN for a trial that has failed or violates a bound,
 * unless `crash` is a value. */
struct mk_study_own {
    void *context;
    int (*restart)(void *context);                                    /* the study begins from its first trial */
    int (*ask_arm)(void *context, size_t known, size_t *arm);         /* known: MK_NONE where there is none */
    int (*tell_arm)(void *context, size_t arm, double reward);        /* to the policy */
    int (*tell)(void *context, size_t arm, const char *configuration, /* to the optimiser of an arm, as JSON */
                double reward);
    /* A configuration of the arm, as mk_study_enqueue takes it, valid until the next call; known: JSON, or NULL. */
    int (*ask)(void *context, size_t arm, const char *known, const char **configuration);
};

/* How a study is stored. Later versions may add members at the end; those that the caller's header does not have are 0,
 * which is the default of every member. */
struct mk_study_settings {
    size_t size; /* sizeof(struct mk_study_settings) */

    /* "OUT.h5": every result is written to a journal in the folder OUT.trials, as `maxk tune --output OUT.h5` does.
     * NULL: the study is in memory only. */
    const char *result;

    enum mk_study_start start;

    /* Used as long as the study. A study whose text has no such keys does not need it. */
    const struct mk_study_own *own;
};

/* Makes a study from a text. settings may be NULL. The number of trials is the key `budget: {evaluations: N}`, by
 * default 1000; a study that is resumed has at least as many trials as its journal. `budget: {seconds: S}` and the
 * keys of programs have no effect. The caller frees *out with mk_study_free, which accepts NULL and keeps the journal.
 * MK_EINPUT: the message is study:line:column: key: what is wrong and what is allowed; or the journal is one of
 * another study. */
int mk_study_open(struct mk_study **out, const char *text, const struct mk_study_settings *settings,
                  struct mk_error *err);
void mk_study_free(struct mk_study *s);

/* Stores the number of the next trial to run in *number. Trials that were running when an earlier session ended, and
 * those that were given up, come first. MK_NONE means that there is no trial until the result of another one is
 * reported.
 * MK_EINPUT: all trials of the budget have been asked for.
 * MK_EFAIL: the first ten trials have failed. */
int mk_study_ask(struct mk_study *s, size_t *number, struct mk_error *err);

/* Gives up all running trials, or one of them, for example because their workers have died. mk_study_ask returns these
 * trials again. A trial that has a result is not affected. */
void mk_study_give_up(struct mk_study *s);
void mk_study_give_up_trial(struct mk_study *s, size_t number);

/* Reports the result of a trial that was asked for and has no result yet. value is that of the metric, at most 1e100
 * in absolute value. seconds is how long the evaluation took; NaN means the time since the trial was asked for.
 * MK_EINPUT: there is no such trial, or the value is out of range.
 * MK_EFAIL: the first ten trials have failed. */
int mk_study_tell(struct mk_study *s, size_t number, double value, double seconds, struct mk_error *err);

/* Reports a result as mk_study_tell does, with the values of the further metrics: metric[] has those of the key
 * `metrics`, in its order, and NaN for one that is missing. A trial that violates `subject_to` becomes infeasible. A
 * trial without the metric that the key `cost` names fails. */
int mk_study_tell_metrics(struct mk_study *s, size_t number, double value, const double *metric, double seconds,
                          struct mk_error *err);

/* Reports that a trial has failed. why is the reason in one line, of which the first 199 bytes are kept, or NULL.
 * seconds is as for mk_study_tell. The key `crash` says what a failed trial counts as.
 * MK_EINPUT: there is no such trial.
 * MK_EFAIL: the first ten trials have failed. */
int mk_study_fail(struct mk_study *s, size_t number, const char *why, double seconds, struct mk_error *err);

/* Reports, as mk_study_fail does, that a trial was ended because it took too long. Its status is MK_STUDY_TIMED_OUT. */
int mk_study_time_out(struct mk_study *s, size_t number, const char *why, double seconds, struct mk_error *err);

/* Reports an intermediate value of the metric while a trial is evaluated, at a step from 1 to 10^9. The trial must have
 * been asked for and have no result. Steps must increase: a report of the same or an earlier step has no effect. *stop
 * is set to 1 if the trial should end now according to the key `pruning` of the study, and otherwise to 0; it is always
 * 0 without this key. After *stop was 1, end the evaluation and report the trial by one of the functions above: it then
 * counts as pruned, with the value of its last report, whatever value is given.
 * MK_EINPUT: there is no such trial, or the step or the value is out of range. */
int mk_study_report(struct mk_study *s, size_t number, uint64_t step, double value, int *stop, struct mk_error *err);

/* Stores report i, from 0, of a trial in *step and *value and returns 1, or returns 0 if there are fewer reports. A
 * study without `pruning` keeps no reports. mk_study_step returns the step of the last report, or 0 if there is none.
 */
int mk_study_reported(const struct mk_study *s, size_t number, size_t i, uint64_t *step, double *value);
uint64_t mk_study_step(const struct mk_study *s, size_t number);

/* The number of the first trial of the same configuration at a lower fidelity that a trial continues (hyperband,
 * successive_halving, bohb), so that the evaluation can load what that trial has saved. If the trial continues none,
 * its own number. */
size_t mk_study_origin(const struct mk_study *s, size_t number);

/* 1 if mk_study_ask has returned the trial only once; 0 if it has returned it again, so that an earlier evaluation may
 * have begun. */
int mk_study_is_new(const struct mk_study *s, size_t number);

/* An earlier result, for mk_study_add. */
struct mk_study_result {
    const char *arm;           /* the label of the arm */
    const char *configuration; /* "{C: 1.5, kernel: rbf}": YAML or JSON */
    double value;              /* the value of the metric */
};

/* Adds n earlier results, before the first trial is asked for. They do not count for the budget. A study that is
 * resumed already has the earlier results of its journal: the same results are not added again, and other results are
 * an error.
 * MK_EINPUT: trials have been asked for, there is no such arm, a configuration is not in the space of its arm, or the
 * study is a combined search or has an optimiser with a schedule. The message has the number of the result, from 0. No
 * result is added then. */
int mk_study_add(struct mk_study *s, const struct mk_study_result *result, size_t n, struct mk_error *err);

/* Adds earlier results as mk_study_add does, with the values of the further metrics: metric[n][m] has for each result
 * those of the m metrics of the key `metrics`, in their order, and NaN for one that is missing, which is allowed.
 * Results that violate `subject_to` are dropped. */
int mk_study_add_metrics(struct mk_study *s, const struct mk_study_result *result, const double *metric, size_t n,
                         struct mk_error *err);

/* Enqueues a configuration, which is tried before any other is chosen. Configurations are tried in the order of these
 * calls. Each becomes the next trial of its arm: the optimiser of the arm proposes it and uses its result as its own.
 * An optimiser with a schedule tries it in place of its next new configuration. Hyperparameters that `configuration`
 * leaves out have their defaults. These trials count for the budget. The key `first` of the text does the same from the
 * start. *enqueued is set to 1, or to 0 if the configuration has been tried or enqueued before, as in a study that is
 * resumed; nothing is enqueued then. enqueued may be NULL. MK_EINPUT: there is no such arm, or the configuration is not
 * in its space. */
int mk_study_enqueue(struct mk_study *s, const char *arm, const char *configuration, int *enqueued,
                     struct mk_error *err);

/* Changes the number of trials of the study, as if it had been the budget from the start. It must be at least the
 * number of trials that have been asked for.
 * MK_EINPUT: there are too few trials, or the policy or an optimiser plans for the budget and would have chosen
 * otherwise. The study is not changed then. */
int mk_study_extend(struct mk_study *s, uint64_t trials, struct mk_error *err);

/* What became of a trial. */
enum mk_study_status {
    MK_STUDY_RUNNING,
    MK_STUDY_OK,
    MK_STUDY_FAILED,
    MK_STUDY_TIMED_OUT,
    MK_STUDY_INFEASIBLE,
    MK_STUDY_PRUNED
};

/* One trial. The texts belong to the study and are valid until the study changes. */
struct mk_study_trial {
    size_t arm;                /* the number of the arm, from 0 */
    const char *arm_label;     /* the label of the arm */
    const char *configuration; /* the active hyperparameters and their values, as a JSON object */
    uint64_t seed;             /* a seed for the evaluation, from 1 to 2^31 - 2 */
    double fidelity;           /* the share of a whole evaluation that is wanted, 0 < fidelity <= 1; for a pruned trial
                                  the share that was evaluated */
    enum mk_study_status status;
    int added;       /* 1 for an earlier result, otherwise 0 */
    double value;    /* the value of the metric; NaN if there is none */
    double seconds;  /* how long the evaluation took; NaN if it is running */
    const char *why; /* why the trial failed or is infeasible; "" if neither */
};

/* Stores what is known of a trial in *trial. number is from 0 to mk_study_trials - 1.
 * MK_EINPUT: there is no such trial. */
int mk_study_trial(struct mk_study *s, size_t number, struct mk_study_trial *trial, struct mk_error *err);

/* The name of further metric i, from 0, of a study; NULL past the last one. The value of this metric in a trial; NaN
 * if it is missing. */
const char *mk_study_metric_name(const struct mk_study *s, size_t i);
double mk_study_metric(const struct mk_study *s, size_t number, size_t i);

/* Numbers of trials. */
size_t mk_study_trials(const struct mk_study *s);  /* trials that were asked for, and earlier results that were added */
size_t mk_study_added(const struct mk_study *s);   /* earlier results that were added */
size_t mk_study_waiting(const struct mk_study *s); /* trials to be run again, which mk_study_ask returns first */
size_t mk_study_results(const struct mk_study *s); /* trials with a result, and earlier results */
uint64_t mk_study_budget(const struct mk_study *s); /* the number of trials of the study, without earlier results */

/* The number of trials that may be without results when the next one is asked for. */
uint64_t mk_study_lag(const struct mk_study *s);

/* The number of the trial with the best value among whole evaluations (fidelity 1), the first of equal ones.
 * MK_NONE if no trial has succeeded. */
size_t mk_study_best(const struct mk_study *s);

/* The value of the configuration of a trial. It is the value of the trial; for an optimiser that races configurations
 * on several instances it is, for a trial on the last of its instances, the mean over all of them. NaN if the trial
 * has not succeeded or is not a whole evaluation. */
double mk_study_whole(const struct mk_study *s, size_t number);

/* 1 if the configuration of a trial was to be tried first, because it was enqueued, given by the key `first`, or made
 * of defaults; otherwise 0. */
int mk_study_is_first(const struct mk_study *s, size_t number);

/* The number of trials with a configuration that an earlier trial of the same arm had. It grows when a small space is
 * exhausted, since the search then begins again. Arms without hyperparameters do not count. */
size_t mk_study_repeats(const struct mk_study *s);

/* The instance of a trial, from 1, if its optimiser races configurations on several instances (irace); otherwise 0. */
size_t mk_study_instance(const struct mk_study *s, size_t number);

/* Its name, of the key `instances`; NULL: there is none. */
const char *mk_study_instance_name(const struct mk_study *s, size_t number);

/* The seconds after which a trial should be ended according to the key `bound`; INFINITY if there is no such time. The
 * value of such a study is the time of the program. A value of at least `bound` counts as `bound`. The time may be
 * shorter than `bound`, if the configuration cannot survive in its race with a longer one; a trial whose value is at
 * least this shorter time has timed out. */
double mk_study_bound(const struct mk_study *s, size_t number);

/* Plans re-evaluations of the best configuration: one on each instance of the key `test_instances`, and then `times`
 * more with other seeds, which go through the instances in order if the study has instances. *n is set to the number of
 * all re-evaluations, those of an earlier call included. Evaluate each and report it by mk_study_tell_again. They do
 * not count for the budget, and no trial depends on them. mk_study_save writes them. MK_EFAIL: no trial has succeeded.
 */
int mk_study_reevaluate(struct mk_study *s, size_t times, size_t *n, struct mk_error *err);

/* One re-evaluation. The texts belong to the study and are valid until the study changes. */
struct mk_study_again {
    size_t trial;                /* the number of the best trial, which has the configuration */
    const char *instance;        /* the name of the instance; NULL if there are no instances */
    int test;                    /* 1 for one of `test_instances`, otherwise 0 */
    uint64_t seed;               /* a seed for the evaluation */
    double fidelity;             /* the share of a whole evaluation that is wanted */
    enum mk_study_status status; /* MK_STUDY_RUNNING as long as there is no result */
    double value, seconds;       /* the value and the duration; NaN if there is no result */
    const char *why;             /* why the re-evaluation failed; "" if it has not */
};

/* mk_study_again stores re-evaluation i, from 0, in *out. mk_study_tell_again reports its value, or, with the value
 * NaN, that it failed and why. MK_EINPUT: there is no such re-evaluation, or (mk_study_tell_again) it has a result
 * already. */
int mk_study_again(const struct mk_study *s, size_t i, struct mk_study_again *out, struct mk_error *err);
int mk_study_tell_again(struct mk_study *s, size_t i, double value, const char *why, double seconds,
                        struct mk_error *err);

/* Writes the results so far into OUT.h5, OUT.csv, OUT.times.csv, OUT.tune.yaml and OUT.best.yaml, as `maxk tune` does
 * at the end of the budget. path is "OUT.h5", or NULL for the result of the options; in that case the study counts as
 * complete until the next trial is asked for.
 * MK_EFAIL: no trial has succeeded.
 * MK_EINPUT, MK_EIO: the files cannot be written. */
int mk_study_save(struct mk_study *s, const char *path, struct mk_error *err);

/* Makes the table `trials` (table.h) of the results so far, including earlier results: one row for each, in their
 * order, and two rows for each if the study is a combined search. The caller frees *out with mk_table_free. */
int mk_study_table(const struct mk_study *s, struct mk_table **out, struct mk_error *err);

/* Makes a table of what n other policies would have done with the results so far, as `maxk tune --simulate` does: one
 * row for each policy, which is a text such as "{name: max_ucb, alpha: 0.1}". The caller frees *out with
 * mk_table_free.
 * MK_EINPUT: there are no results, the study is a combined search, or there is no such policy. */
int mk_study_what_if(const struct mk_study *s, struct mk_table **out, const char *const *policy, size_t n,
                     struct mk_error *err);

/* Makes the table `acquisition` (table.h) of the model from which the optimiser of an arm makes its next proposal,
 * along one hyperparameter (NULL: the only one that varies) at so many points, 2 to 100000; the others have the values
 * of the best trial (through 0) or of the proposal (1). The study is unchanged. The caller frees *out with
 * mk_table_free. MK_EINPUT: the optimiser has no such model, or none yet. */
int mk_study_acquisition(struct mk_study *s, struct mk_table **out, const char *arm, const char *hyperparameter,
                         size_t points, int through, struct mk_error *err);

/* ---- deprecated ---- */

#define MK_STUDY_NONE MK_NONE
#define MK_STUDY_REPAIR 2 /* a value of `resume` */

/* As struct mk_study_settings: `resume` or `force` is not 0, or neither. */
struct mk_study_options {
    const char *result;
    int resume;
    int force;
};

MK_DEPRECATED("mk_study_open")
int mk_study_new(struct mk_study **out, const char *text, const struct mk_study_options *options, struct mk_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* Studies: the two levels for evaluations of the caller's own. A policy chooses among arms (algorithms, each with a
 * search space), the optimiser of the arm its configuration:
 *
 *     mk_study_new(&s, "name: cash\nmetric: {maximize: true}\npolicy: {name: max_ucb, alpha: 0.5}\n"
 *                      "budget: {evaluations: 100}\narms:\n"
 *                      "  - {label: svc, space: {C: {real: [0.001, 1000], log: true}}}\n"
 *                      "  - {label: knn, space: {k: {integer: [1, 50]}}}\n", NULL, &err);
 *     while (mk_study_ask(s, &number, &err) == MK_OK && number != MK_STUDY_NONE) {
 *         mk_study_trial(s, number, &trial);
 *         mk_study_tell(s, number, value_of(trial.arm_label, trial.configuration), NAN, &err);
 *     }
 *
 * The text has the keys of tune files (`man maxk`, "TUNE FILES"), and needs no program. `maxk tune` is the same study
 * with programs: journal and results are the same files, and of the same results it asks for the same trials. Up to
 * `lag` trials may be without results when the next one is asked for; with `order: issue`, the default, a trial depends
 * on the results of those before the last `lag`, so that trials are the same for any number of workers. Trials count
 * from 0 here, from 1 in files. Different studies may be used by different threads at a time; mk_study_save as one that
 * uses HDF5 (maxk.h). A study belongs to the process that made it: one that was forked neither uses nor frees
 * it. */
#ifndef MAXK_STUDY_H
#define MAXK_STUDY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

#define MK_STUDY_NONE SIZE_MAX

struct mk_study;

#define MK_STUDY_REPAIR 2

/* All zero is a good default. */
struct mk_study_options {
    const char *result; /* "OUT.h5": results are journalled in OUT.trials, as `maxk tune --output OUT.h5` does. NULL: in
                           memory */
    int resume; /* continue what the journal has, if there is one; MK_STUDY_REPAIR: also if it is damaged, with what
                   it has before its first damaged line; as it was it is kept as OUT.trials/journal.damaged */
    int force;  /* start over, whatever is there; neither: MK_EINPUT where there are results of a study that was
                   interrupted, and a complete one is kept as OUT.h5.previous, which
                   err->text says */
};

/* A study of this text; options may be NULL. Without the key `budget` it has 1000 trials; the budget grows to the
 * trials of a journal that is resumed. `budget: {seconds: S}` and keys of programs have no effect. Freed with
 * mk_study_free, which keeps the journal. MK_EINPUT: study:line:column: key: the problem and what is allowed, or a
 * journal of another study. */
int mk_study_new(struct mk_study **out, const char *text, const struct mk_study_options *options, struct mk_error *err);
void mk_study_free(struct mk_study *s);

/* The next trial to run, one that was running when an earlier session ended or a new one; MK_STUDY_NONE: none until
 * results are reported. MK_EINPUT: all trials of the budget have been requested. MK_EFAIL: the first ten trials failed.
 */
int mk_study_ask(struct mk_study *s, size_t *number, struct mk_error *err);

/* Gives up the trials that are running, such as those of workers that are gone, or one of them: mk_study_ask returns
 * them again. No effect on a trial that has a result. */
void mk_study_give_up(struct mk_study *s);
void mk_study_give_up_trial(struct mk_study *s, size_t number);

/* The result of a trial that was asked for and has none: the value of the metric, |value| <= 1e100. seconds: how long
 * it took, NaN: since it was asked for. MK_EINPUT: no such trial, a value out of range. MK_EFAIL: as mk_study_ask. */
int mk_study_tell(struct mk_study *s, size_t number, double value, double seconds, struct mk_error *err);

/* The same with further metrics, those of the key `metrics` in its order, [n]; NaN: missing. One that violates
 * `subject_to` becomes infeasible, one without the metric that `cost` names fails. */
int mk_study_tell_metrics(struct mk_study *s, size_t number, double value, const double *metric, double seconds,
                          struct mk_error *err);

/* It failed: `why` in a line (its first 199 bytes), may be NULL. It counts as the key `crash` says. */
int mk_study_fail(struct mk_study *s, size_t number, const char *why, double seconds, struct mk_error *err);

/* Earlier results, which do not count for the budget, before the first trial is asked for. MK_EINPUT, with the number
 * of the result from 0: there are trials, no such arm, a configuration that is not in its space, a combined search or
 * an optimiser with a schedule; none is added then. A study that is resumed has the earlier results of its journal: the
 * same ones are not added again, and others are MK_EINPUT. */
struct mk_study_result {
    const char *arm;           /* label */
    const char *configuration; /* "{C: 1.5, kernel: rbf}": YAML or JSON */
    double value;              /* of the metric */
};
int mk_study_add(struct mk_study *s, const struct mk_study_result *result, size_t n, struct mk_error *err);

/* The same with further metrics, metric[n][those of the key `metrics`] in its order; NaN: missing, which is no reason
 * to drop a result. Results that violate `subject_to` are left out. */
int mk_study_add_metrics(struct mk_study *s, const struct mk_study_result *result, const double *metric, size_t n,
                         struct mk_error *err);

/* Another number of trials in all, at least as many as have been asked for: the study is then one of this budget from
 * its start. MK_EINPUT: the policy or an optimiser plans for the budget and would have chosen otherwise; the study is
 * unchanged. */
int mk_study_extend(struct mk_study *s, uint64_t trials, struct mk_error *err);

enum mk_study_status { MK_STUDY_RUNNING, MK_STUDY_OK, MK_STUDY_FAILED, MK_STUDY_TIMED_OUT, MK_STUDY_INFEASIBLE };

/* One trial; texts are borrowed until the study is changed. */
struct mk_study_trial {
    size_t arm; /* 0 … arms-1 */
    const char *arm_label;
    const char *configuration; /* JSON object of the hyperparameters that are active */
    uint64_t seed;             /* 1 … 2^31 - 2, for the evaluation */
    double fidelity;           /* how much of an evaluation is wanted, 0 < fidelity <= 1 */
    enum mk_study_status status;
    int added;       /* an earlier result */
    double value;    /* of the metric; NaN: none */
    double seconds;  /* measured; NaN: running */
    const char *why; /* reason of a failure or a violated constraint, "": none */
};

/* Trial `number`, 0 … trials-1. MK_EINPUT: there is none. MK_ENOMEM. */
int mk_study_trial(struct mk_study *s, size_t number, struct mk_study_trial *trial, struct mk_error *err);

/* The further metrics of a study, NULL past the last one, and that of a trial; NaN: missing. */
const char *mk_study_metric_name(const struct mk_study *s, size_t i);
double mk_study_metric(const struct mk_study *s, size_t number, size_t i);

size_t mk_study_trials(const struct mk_study *s);   /* asked for, and added */
size_t mk_study_added(const struct mk_study *s);    /* of these, added */
size_t mk_study_waiting(const struct mk_study *s);  /* of these, to be run again: mk_study_ask returns them first */
size_t mk_study_results(const struct mk_study *s);  /* of these, with a result */
uint64_t mk_study_budget(const struct mk_study *s); /* trials in all, without those added */
uint64_t mk_study_lag(const struct mk_study *s);

/* The trial with the best value among whole evaluations, the first of equal ones; MK_STUDY_NONE: no success yet. */
size_t mk_study_best(const struct mk_study *s);

/* What the configuration of a trial is worth: its value, or the mean over all instances of an optimiser that races on
 * them, for the last one; NaN: no success, or no whole evaluation. */
double mk_study_whole(const struct mk_study *s, size_t number);

/* How many trials have a configuration that an earlier trial of their arm has had: small spaces are exhausted, and then
 * searches begin again. Arms without hyperparameters do not count. */
size_t mk_study_repeats(const struct mk_study *s);

/* The instance that a trial is on, from 1, of such an optimiser (irace); 0: none. With the key `instances` the number
 * of the run of its configuration: the n-th runs of all configurations are on the same instance with the same seed. */
size_t mk_study_instance(const struct mk_study *s, size_t number);

/* Its name, of the key `instances`; NULL: there is none. */
const char *mk_study_instance_name(const struct mk_study *s, size_t number);

/* Writes OUT.h5, OUT.csv, OUT.times.csv, OUT.tune.yaml and OUT.best.yaml with the results so far, as `maxk tune` does
 * at the end of the budget; path NULL: the result of the options, whose study counts as complete until the next trial
 * is asked for. MK_EFAIL: no trial has succeeded. MK_EINPUT, MK_EIO: files. */
int mk_study_save(struct mk_study *s, const char *path, struct mk_error *err);

/* The trials with results so far, and those added, as the table `trials` of a study that is saved (table.h): a row each
 * in their order, of a combined search twice. Freed with mk_table_free. */
int mk_study_table(const struct mk_study *s, struct mk_table **out, struct mk_error *err);

/* What other policies ("{name: max_ucb, alpha: 0.1}") would have done with the results so far, as `maxk tune
 * --simulate`: a row each, freed with mk_table_free. MK_EINPUT: no results, a combined search, no such policy. */
int mk_study_what_if(const struct mk_study *s, struct mk_table **out, const char *const *policy, size_t n,
                     struct mk_error *err);

#ifdef __cplusplus
}
#endif
#endif

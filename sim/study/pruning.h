/* Trials that are ended early: while it runs, a trial reports pairs of a step and a value, and a rule compares them
 * with those of other trials (the key `pruning`).
 *
 * asha: asynchronous successive halving (Li, Jamieson, Rostamizadeh, Gonina, Ben-tzur, Hardt, Recht, Talwalkar, "A
 * System for Massively Parallel Hyperparameter Tuning", MLSys 2020, Algorithm 2). Rung k is at the step min_step eta^k,
 * below max_step. With its first report at or after the step of a rung a trial reaches it, and it goes on if its value
 * is among the best floor(n / eta) of the n values at the rung, its own among them, or the best one as long as n < eta.
 * Departure: in Algorithm 2 a trial that is not among the best waits, and may be promoted when later ones are worse;
 * here, as in Optuna's SuccessiveHalvingPruner, whose decisions these are, it has ended. The optimiser `asha` promotes.
 *
 * median: the median stopping rule (Golovin, Solnik, Moitra, Kochanski, Karro, Sculley, "Google Vizier", KDD 2017,
 * section 3.2.2) as Optuna's MedianPruner defines it: a trial ends if its best value so far is worse than the median of
 * the values that whole evaluations had at this very step; not before there are `startup_trials` of them, nor below the
 * step `warmup_steps`. Departure from Golovin et al.: they take the median of running means up to the step.
 *
 * No report at or beyond max_step ends a trial.
 *
 * With `order: issue` trial j is compared with the trials up to j - lag alone, all of which have ended when it begins:
 * what is decided does not depend on how many trials run at a time. With `order: finish` it is compared with all that
 * is known by then. */
#ifndef MAXK_SIM_STUDY_PRUNING_H
#define MAXK_SIM_STUDY_PRUNING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/yaml_tree.h"

enum mk_pruning_rule { MK_PRUNING_ASHA, MK_PRUNING_MEDIAN };

struct mk_pruning {
    bool on;
    enum mk_pruning_rule rule;
    uint64_t max_step, min_step, eta, startup_trials, warmup_steps;
    bool all_arms; /* trials are compared with those of all arms */
};

/* What a trial has reported; steps ascend. */
struct mk_report {
    uint64_t step; /* from 1 */
    double value;  /* of the metric */
};
struct mk_reports {
    size_t n;
    struct mk_report *report; /* [n] owned */
};

/* 0: nothing was reported. */
static inline uint64_t mk_last_step(const struct mk_reports *r)
{
    return r->n ? r->report[r->n - 1].step : 0;
}

struct mk_tune;

/* Reads the key of a tune file's mapping `root`, all else of which has been read into *t, and writes it to the resolved
 * mapping `to`. MK_EINPUT: also where trials are runs on instances, or an optimiser evaluates in part. */
int mk_pruning_read(struct mk_tune *t, const struct mk_node *root, struct mk_node *to, struct mk_error *err);

/* The values that trials are compared with. */
struct mk_pruner;
int mk_pruner_new(struct mk_pruner **out, const struct mk_pruning *how, size_t n_arms, bool maximize,
                  struct mk_error *err);
void mk_pruner_free(struct mk_pruner *p);

/* Whether a trial that has reported `so_far`, and reports `now` at a later step, ends: compared with the trials whose
 * numbers are below `limit`. */
bool mk_pruner_decide(const struct mk_pruner *p, size_t arm, const struct mk_reports *so_far, struct mk_report now,
                      size_t limit);

/* Such a report counts for others from now on; limit: as it was for the decision. */
int mk_pruner_add(struct mk_pruner *p, size_t arm, size_t trial, const struct mk_reports *so_far, struct mk_report now,
                  size_t limit, struct mk_error *err);

/* A trial has ended: a whole evaluation, with these reports. */
int mk_pruner_add_whole(struct mk_pruner *p, size_t arm, size_t trial, const struct mk_reports *so_far,
                        struct mk_error *err);

#endif

/* What other policies would have done with the trials of a finished run: they play on the rewards of every arm in their
 * order, which do not depend on the policy (with results outstanding, nearly so). A policy can be followed until it
 * selects an arm all of whose trials it has used: nothing is known of what would have come next. */
#ifndef MAXK_ANALYSIS_COMPARE_WHAT_IF_H
#define MAXK_ANALYSIS_COMPARE_WHAT_IF_H

#include "sim/base/table/table.h"

/* The rewards of a run. */
struct mk_recorded_trials {
    const char **label; /* [n_arms] borrowed from the study */
    double unit;        /* rewards are the metric times this */
    uint64_t seed;      /* of the study, for ties and draws of policies */
    size_t n_arms, n;
    size_t *length;  /* [n_arms] */
    double **reward; /* [n_arms][length] that the policy saw */
    double **whole;  /* [n_arms][length] rewards of whole evaluations that succeeded; NaN: others */
    double *best;    /* [n] largest of these among the first trials of the run; NaN: none */
};

/* None so far; labels are the caller's to set. Then every trial is added in the order of issue. */
int mk_recorded_trials_begin(struct mk_recorded_trials *r, size_t n_arms, double unit, uint64_t seed,
                             struct mk_error *err);
int mk_recorded_trials_add(struct mk_recorded_trials *r, size_t arm, double reward, double whole, struct mk_error *err);
void mk_recorded_trials_clear(struct mk_recorded_trials *r);

/* The table of what every policy would have done with these trials; its note says how many there are. */
int mk_what_if_table(struct mk_table **out, const struct mk_recorded_trials *r, const char *const *policy, size_t n,
                     struct mk_error *err);

#endif

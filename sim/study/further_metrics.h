/* The outcome of a trial: its metrics, among them its cost, and whether it satisfies the constraints. */
#ifndef MAXK_SIM_STUDY_FURTHER_METRICS_H
#define MAXK_SIM_STUDY_FURTHER_METRICS_H

#include <math.h>

#include "sim/study/tune.h"

enum { MK_WHY_ROOM = 200 };

/* What came out of the program. */
struct mk_trial_outcome {
    enum mk_trial_status status;
    double value;                        /* of the metric; NaN if it failed */
    double seconds;                      /* time measured */
    char why[MK_WHY_ROOM];               /* of a failure or a violated constraint, one line */
    size_t n_metrics;                    /* of the further metrics the first ones, all once it is journalled */
    double metric[MK_TUNE_MOST_METRICS]; /* NaN: missing */
};

/* A further metric; NaN: it is missing. */
static inline double mk_outcome_metric(const struct mk_trial_outcome *o, size_t i)
{
    return i < o->n_metrics ? o->metric[i] : NAN;
}

/* "metrics.time": its column. */
enum { MK_METRIC_COLUMN = 128 };
const char *mk_metric_column(const struct mk_further_metric *m, char out[MK_METRIC_COLUMN]);

/* A trial has ended: metrics that are times are set, and one that has succeeded fails without a cost > 0, where trials
 * have costs, or becomes infeasible. */
void mk_outcome_judge(const struct mk_tune *t, struct mk_trial_outcome *o);

/* Whether x lies beyond a bound; NaN does not. */
bool mk_constraint_excludes(const struct mk_constraint *c, double x);

/* What it has cost: NaN where trials have costs and that of this one is not known, 1 where they have none. */
double mk_outcome_cost(const struct mk_tune *t, const struct mk_trial_outcome *o);

#endif

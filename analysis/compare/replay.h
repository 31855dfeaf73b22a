/* What one may do with recorded runs, replayed on them: play a policy, pull one arm alone, or run a combined search
 * that was recorded. The value of a candidate on a repetition is the largest reward that it reaches with its budget, a
 * number of pulls or a cost. */
#ifndef MAXK_ANALYSIS_COMPARE_REPLAY_H
#define MAXK_ANALYSIS_COMPARE_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/progress.h"
#include "sim/problem/trajectory.h"
#include "sim/run/experiment/experiment.h"

enum mk_candidate_kind { MK_CANDIDATE_POLICY, MK_CANDIDATE_ARM, MK_CANDIDATE_COMBINED };

enum { MK_MOST_CANDIDATES = 1000 }; /* arms */

struct mk_candidate {
    enum mk_candidate_kind kind;
    const char *label; /* of the experiment */
    size_t at;         /* entry of the experiment; of arms the position in problem->arm_label */
};

/* Costs: every recorded pull has one, and pulls are made until the next one would exceed the budget. Policies that plan
 * for a horizon plan for the budget over the mean cost of a recorded pull. */
struct mk_replay_budget {
    double amount;
    bool costs;   /* amount: in units of the column cost; otherwise pulls, the only horizon of the experiment */
    bool extends; /* series go on after their end, by `rule`; costs only */
    enum mk_ends_early rule;
    bool tests; /* losses are those of test scores, which the file has to have */
};

struct mk_replay {
    size_t n, n_instances, replications; /* the most of any instance */
    struct mk_candidate *candidate;      /* [n] policies in the order of the experiment, arms, combined searches */
    double *loss;      /* [instance][replication][candidate] min(1, (top - value) / max(1e-5, top - base)): top is what
                          the best arm or combined search reaches with the budget, base the median of the arms' first
                          rewards; NaN where the candidate has no value */
    double *test_loss; /* the same of test scores, NULL where the file has none: value is the test score of the
                          configuration with the largest reward, top the largest test score of all pulls that an arm or
                          a combined search alone makes with the budget, base the median of those of the arms' first
                          pulls; budget.tests: loss has these */
    double *optimism;  /* largest reward minus that test score; NULL where the file has none */
    double repeated;   /* share of the policies' pulls that lie past the recorded ends and repeat earlier rewards */
    uint64_t planned;  /* pulls that policies plan for */
};

/* The experiment has recorded runs and policies; its only horizon is set here where costs are counted. Errors:
 * MK_EINPUT, such as a series that ends before the budget, with its place in the file; MK_ESTOPPED. */
int mk_replay_new(struct mk_replay **out, struct mk_experiment *e, const struct mk_replay_budget *budget,
                  struct mk_progress *progress, struct mk_error *err);
void mk_replay_free(struct mk_replay *r);

#endif

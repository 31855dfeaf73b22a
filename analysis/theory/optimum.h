/* The best that any policy can do on a small problem, exactly: rewards with few values, arms that are known up to their
 * order, each order being as likely as any other. The state of knowledge is how often every arm gave every value, so
 * that backward induction over these counts gives the largest E[M(T)] of all policies, and the E[M(T)] of every policy
 * whose choices depend on these counts alone. A game ends early with the largest value, so that its count is no part of
 * the state: there are C(t + d - 1, d - 1) states after t pulls, d = K (S - 1), K arms, S values. */
#ifndef MAXK_ANALYSIS_THEORY_OPTIMUM_H
#define MAXK_ANALYSIS_THEORY_OPTIMUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

enum { MK_OPTIMUM_ARMS = 6, MK_OPTIMUM_VALUES = 8, MK_OPTIMUM_HORIZON = 1000, MK_OPTIMUM_POLICIES = 63 };

/* Arms with rewards among the same values. */
struct mk_discrete_arms {
    size_t arms, values;                          /* K, 2 to MK_OPTIMUM_ARMS; S, 2 to MK_OPTIMUM_VALUES */
    double value[MK_OPTIMUM_VALUES];              /* [S] ascending */
    double p[MK_OPTIMUM_ARMS][MK_OPTIMUM_VALUES]; /* [K][S] probabilities, of sum 1; that of the last value may be 0 */
};

enum mk_count_rule {
    MK_COUNT_BONUS,      /* every arm once, then the largest M_i + bonus(of, t, n_i) in round t */
    MK_COUNT_EVEN,       /* an arm with the fewest pulls */
    MK_COUNT_BAYES_MAX,  /* the largest posterior mean of what the remaining rounds, all spent on it, add to the maximum
                          */
    MK_COUNT_BAYES_NEXT, /* the same of the next round: expected improvement */
    MK_COUNT_PLAYED      /* what `choose` says */
};

/* A policy whose choices depend on the counts. Ties: the arm with the lowest number, or any with equal probability. */
struct mk_count_policy {
    enum mk_count_rule rule;
    bool random_ties;
    double (*bonus)(const void *of, uint64_t t, uint64_t n);
    const void *of;
    /* The arm of round t, after count[arm * (values - 1) + value] rewards of all values but the last one. */
    size_t (*choose)(const void *of, const struct mk_discrete_arms *a, uint64_t t, const uint64_t *count);
};

/* States at all t < T together. */
double mk_optimum_states(const struct mk_discrete_arms *a, uint64_t horizon);

struct mk_optimum {
    double optimum;     /* the largest E[M(T)] of any policy that knows the arms up to their order */
    double clairvoyant; /* of any policy that knows which arm is which */
    double best_arm;    /* of one that pulls a single arm, and knows which is best */
};

/* value[n] of the policies, n <= MK_OPTIMUM_POLICIES. 1 <= horizon <= MK_OPTIMUM_HORIZON. Exact but for rounding. All
 * threads; the results do not depend on their number. Errors: MK_EINPUT where there are more than 2e8 states or two
 * layers need more than 8 GB; MK_ENOMEM. */
int mk_optimum_find(struct mk_optimum *out, double *value, const struct mk_discrete_arms *a, uint64_t horizon,
                    const struct mk_count_policy *policy, size_t n, struct mk_error *err);

#endif

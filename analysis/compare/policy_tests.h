/* Tests of the policies of comparisons, adjusted for all that are made: every two of them, with what makes their
 * difference credible; and every one against the baseline, with verdicts. */
#ifndef MAXK_ANALYSIS_COMPARE_POLICY_TESTS_H
#define MAXK_ANALYSIS_COMPARE_POLICY_TESTS_H

#include "analysis/compare/contest.h"
#include "analysis/compare/posterior.h"
#include "analysis/compare/rank.h"

struct mk_policy_pair {
    size_t better, worse; /* by their average ranks */
    double apart;         /* difference of these */
    struct mk_win_counts record;
    double won;                   /* share of instances won, ties half */
    double biserial;              /* matched-pairs rank-biserial correlation (Kerby 2014): (R+ - R-) / (R+ + R-) */
    double p, holm, nemenyi;      /* Wilcoxon, two-sided; adjusted for all pairs; Nemenyi; NaN for one instance */
    struct mk_posterior credible; /* NaN without o->region */
};

/* All pairs, the better policies first: *out, malloc'ed, of *n. */
int mk_policy_pairs_new(struct mk_policy_pair **out, size_t *n, const struct mk_comparison *c,
                        const struct mk_rank_options *o, struct mk_error *err);

struct mk_policy_verdict {
    struct mk_contest contest;
    double holm, untied_holm; /* its p-values with ties split and without ties, adjusted (Holm); NaN of the baseline */
    enum mk_contest_verdict verdict, verdict_untied; /* at level o->alpha, by either of them */
    double equivalence, equivalence_holm;            /* mk_contest_equivalence, adjusted (Holm); NaN of the baseline */
};

/* *out, malloc'ed, [n][policy] of comparison[n], which all have the same policies and baseline. */
int mk_policy_verdicts_new(struct mk_policy_verdict **out, struct mk_comparison *const *comparison, size_t n,
                           const struct mk_rank_options *o, struct mk_error *err);

#endif

/* Every two policies of a comparison: differences, tests adjusted for all pairs, and what they make credible. */
#ifndef MAXK_ANALYSIS_COMPARE_POLICY_PAIRS_H
#define MAXK_ANALYSIS_COMPARE_POLICY_PAIRS_H

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

#endif

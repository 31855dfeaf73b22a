/* Verdicts: every policy of several comparisons against their baseline, with p-values adjusted for all of them. */
#ifndef MAXK_ANALYSIS_COMPARE_POLICY_VERDICTS_H
#define MAXK_ANALYSIS_COMPARE_POLICY_VERDICTS_H

#include "analysis/compare/contest.h"
#include "analysis/compare/rank.h"

struct mk_policy_verdict {
    struct mk_contest contest;
    double holm, untied_holm; /* its p-values with ties split and without ties, adjusted (Holm); NaN of the baseline */
    enum mk_contest_verdict verdict; /* at level o->alpha */
};

/* *out, malloc'ed, [n][policy] of comparison[n], which all have the same policies and baseline. */
int mk_policy_verdicts_new(struct mk_policy_verdict **out, struct mk_comparison *const *comparison, size_t n,
                           const struct mk_rank_options *o, struct mk_error *err);

#endif

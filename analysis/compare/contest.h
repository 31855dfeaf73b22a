/* One policy against another over instances, as a verdict with its uncertainty. */
#ifndef MAXK_ANALYSIS_COMPARE_CONTEST_H
#define MAXK_ANALYSIS_COMPARE_CONTEST_H

#include "sim/search/models/significance.h"

enum mk_contest_verdict { MK_CONTEST_UNDECIDED, MK_CONTEST_BETTER, MK_CONTEST_WORSE };

/* "undecided", "better", "worse". */
const char *mk_contest_word(enum mk_contest_verdict v);

struct mk_contest {
    struct mk_win_counts record;
    double share, share_low, share_high; /* of instances won, ties split as in mk_sign_test; the interval is that of
                                            Clopper & Pearson 1934, exact like the test */
    double difference, difference_low, difference_high; /* mean of a - b over the instances, Student's interval; NaN for
                                                           one instance */
    double error;                                       /* standard error of that mean; NaN for one instance */
    double p;                                           /* two-sided sign test; NaN for one instance */
    double p_untied;                                    /* the same without ties */
};

/* a[n] and b[n] without NaN, n >= 1; ties as in mk_compare_pairs; confidence of the intervals, e.g. 0.95. */
void mk_contest_compare(struct mk_contest *out, const double *a, const double *b, size_t n, double absolute,
                        double relative, double confidence);

/* The two one-sided tests of equivalence (Schuirmann 1987), of n instances: the larger p-value of the hypotheses that
 * the expected difference is at most -region and that it is at least region; region > 0. NaN for one instance. */
double mk_contest_equivalence(const struct mk_contest *c, size_t n, double region);

/* At level alpha, with p as adjusted for what else is tested. */
enum mk_contest_verdict mk_contest_decide(const struct mk_contest *c, double adjusted_p, double alpha);

#endif

/* Choosing a policy from data: the one that did best on some instances, evaluated on others (leave one instance
 * out). */
#ifndef MAXK_ANALYSIS_COMPARE_POLICY_CHOICE_H
#define MAXK_ANALYSIS_COMPARE_POLICY_CHOICE_H

#include "analysis/compare/rank.h"

/* The criterion by which candidates are chosen and evaluated. */
enum mk_criterion { MK_BY_RANK, MK_BY_LOSS };
#define MK_CRITERION_CHOICES "rank|loss"

/* All means are over the instances of the comparison; ranks are among the candidates. */
struct mk_policy_choice {
    size_t *picked;      /* [instance] candidate chosen on all other instances */
    size_t *times;       /* [candidate] how often it was chosen */
    size_t most;         /* the candidate chosen most often, lowest position on ties */
    size_t best_overall; /* the best mean over all instances: what choosing on the test data would give */
    struct {
        double rank, loss;
    } left_out, overall, single;
    /* Those of the chosen on the instances left out; of `best_overall`; of the best candidate of every instance, known
     * in advance: what no choice can beat */
};

/* Ties go to the candidate with the lower position. Requires at least two instances. */
int mk_policy_choose(struct mk_policy_choice *out, const struct mk_comparison *c, enum mk_criterion by,
                     struct mk_error *err);
void mk_policy_choice_clear(struct mk_policy_choice *choice);

#endif

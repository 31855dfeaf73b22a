/* Which candidate to use, from what each of them does on recorded runs, and what that is worth: candidates are chosen
 * by their mean loss on all units but one and evaluated on that one. A unit is an instance; of a single instance a
 * repetition, and then nothing is said about other instances. */
#ifndef MAXK_ANALYSIS_COMPARE_ADVICE_H
#define MAXK_ANALYSIS_COMPARE_ADVICE_H

#include "analysis/compare/contest.h"
#include "analysis/compare/replay.h"

/* Losses of a candidate or of a rule over the units. Intervals are Student's; those of losses within [0, 1]. */
struct mk_advised {
    double loss, low, high;
    struct mk_win_counts record;                        /* units won against the baseline, of smaller loss */
    double difference, difference_low, difference_high; /* of losses: this one minus the baseline */
    double p;                                           /* of no difference (mk_flip_test); NaN of the baseline */
    enum mk_contest_verdict verdict; /* against the baseline; decided where p is below the level and the interval is on
                                        one side of 0 */
};

/* Rules, applied to all units but one. RECOMMENDED: the first candidate unless the test of mk_best_set rejects it, then
 * the one of the smallest mean loss; LEAST, ARM, COMBINED: the smallest mean loss of all, of the arms, of the combined
 * searches. KNOWN: the best candidate of every unit, known in advance. */
enum mk_advice_rule { MK_RULE_RECOMMENDED, MK_RULE_LEAST, MK_RULE_ARM, MK_RULE_COMBINED, MK_RULE_KNOWN, MK_RULES };

struct mk_advice {
    size_t n_units;
    bool by_repetition;
    size_t n, *candidate;               /* [n] positions in the replay of those with a value on every unit */
    size_t n_dropped, *dropped;         /* the others */
    double *loss;                       /* [unit][n] */
    size_t least;                       /* the smallest mean loss, the first of equal ones; position among the n */
    size_t recommended;                 /* by MK_RULE_RECOMMENDED on all units */
    struct mk_advised *of;              /* [n] against the first policy */
    double *p_best;                     /* [n] of "none has a smaller expected loss" (mk_best_set); NaN for one unit */
    bool *may_be_best;                  /* [n] not rejected at level 1 - confidence */
    size_t n_best;                      /* how many of them */
    size_t *times;                      /* [n] how often MK_RULE_RECOMMENDED chose it */
    bool has[MK_RULES];                 /* none for one unit, and none of a kind that has no candidates */
    struct mk_advised rule[MK_RULES];   /* against the first policy */
    struct mk_advised beside[MK_RULES]; /* the same rules against MK_RULE_RECOMMENDED as their baseline */
};

int mk_advice_new(struct mk_advice **out, const struct mk_replay *r, double confidence, uint64_t seed,
                  struct mk_error *err);
void mk_advice_free(struct mk_advice *a);

#endif

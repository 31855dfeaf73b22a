/* Which candidate to use, from what each of them does on recorded runs, and what that is worth: candidates are chosen
 * on one half of the units and evaluated on the other half, ten times at random and both ways round. A unit is an
 * instance; of a single instance a repetition, and then nothing is said about other instances.
 *
 * Losses that a choice has on the units that it was made without are not independent: the choices share units, and are
 * nearly always the same one where a single unit is left out. Student's interval of them misses the expected loss in up
 * to a third of data sets in the place of 5 %. The variance of the means of the 20 halves is corrected (Nadeau & Bengio
 * 2003, "Inference for the generalization error", Machine Learning 52); coverage by simulation
 * (tests/unit/compare/test_advice_coverage.c) is in experiments/manual/comparing.md. */
#ifndef MAXK_ANALYSIS_COMPARE_ADVICE_H
#define MAXK_ANALYSIS_COMPARE_ADVICE_H

#include "analysis/compare/contest.h"
#include "analysis/compare/replay.h"

/* Losses of a candidate or of a rule over the units. Intervals are Student's, of candidates and of KNOWN over the
 * units, of the other rules over the halves with the corrected variance; those of losses within [0, 1]. */
struct mk_advised {
    double loss, low, high;
    struct mk_win_counts record;                        /* units won against the baseline, of smaller loss */
    double difference, difference_low, difference_high; /* of losses: this one minus the baseline */
    double p; /* of no difference: of candidates and KNOWN by mk_flip_test, NaN of the baseline; of rules by the t-test
                 that belongs to the interval */
    double test_loss, optimism; /* of candidates the means over the units of what mk_replay has of test scores, NaN: of
                                   rules, or not known of every unit */
    enum mk_contest_verdict verdict; /* against the baseline; decided where p is below the level and the interval is on
                                        one side of 0, of rules with units enough */
};

/* Rules, applied to one half of the units. RECOMMENDED: the first candidate unless the test of mk_best_set rejects it,
 * then the one of the smallest mean loss; LEAST, ARM, COMBINED: the smallest mean loss of all, of the arms, of the
 * combined searches. KNOWN: the best candidate of every unit, known in advance: nothing is chosen, and all units count
 * once. */
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
    size_t *times;                      /* [n] how often MK_RULE_RECOMMENDED chooses it with one unit left out */
    bool has[MK_RULES];                 /* none for one unit, and none of a kind that has no candidates */
    struct mk_advised rule[MK_RULES];   /* against the first policy */
    struct mk_advised beside[MK_RULES]; /* the same rules against MK_RULE_RECOMMENDED as their baseline */
};

int mk_advice_new(struct mk_advice **out, const struct mk_replay *r, double confidence, uint64_t seed,
                  struct mk_error *err);
void mk_advice_free(struct mk_advice *a);

/* Whether there are enough units for any test by sign flips to reach the level; verdicts on rules ask for it, too. */
bool mk_advice_can_decide(const struct mk_advice *a, double level);

#endif

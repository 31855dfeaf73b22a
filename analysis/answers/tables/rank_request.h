/* What the tables rank, compare, best_set and sample_size, which show different sides of the same comparisons, have in
 * common: their options, and how they are made. */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_RANK_REQUEST_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_RANK_REQUEST_H

#include <math.h>

#include "analysis/answers/tables/rank_layouts.h"
#include "analysis/answers/tables/table_type.h"

/* The options of all four; each takes some of them and has the others at their defaults. */
struct mk_rank_request {
    const char *command; /* the table, for messages */
    int layout, pairs, choice, by, score, loss, resample, resampling, zeros;
    int apart;                    /* several results are compared one by one, not their instances together */
    int by_repetition;            /* every repetition counts as an instance */
    const char *baseline, *among; /* label; registry name: only policies of this type */
    const char *budgets, *folder; /* folder: of maps; NULL: none */
    struct mk_texts policies, without, arm_costs;
    struct mk_amounts horizons;
    uint64_t resamples, seed;
    double region, equivalence, effect, power, confidence, alpha, tolerance, relative;
};

#define MK_RANK_OPTION(field, ...) MK_TABLE_OPTION(struct mk_rank_request, field, __VA_ARGS__)

/* What is compared: options of all four. */
#define MK_RANK_SELECTION                                                                                              \
    MK_RANK_OPTION(policies, "policy", 0, MK_OPT_TEXTS, "POLICY", NULL, 1, 0,                                          \
                   "compare only this policy; may be repeated, for at least two"),                                     \
        MK_RANK_OPTION(without, "without", 0, MK_OPT_TEXTS, "POLICY", NULL, 1, 0,                                      \
                       "leave out a policy; may be repeated"),                                                         \
        MK_RANK_OPTION(among, "among", 0, MK_OPT_TEXT, "NAME", NULL, 1, 0,                                             \
                       "compare only the policies of this name, such as max_ucb"),                                     \
        MK_RANK_OPTION(horizons, "horizon", 0, MK_OPT_AMOUNTS, "T[,T…]", NULL, 1e-6, MK_EXACT_MAX,                     \
                       "only these horizons"),                                                                         \
        MK_RANK_OPTION(score, "score", 0, MK_OPT_CHOICE, "WHAT", MK_SCORE_CHOICES, 1, 0,                               \
                       "what is compared: the largest reward (max), the share of pulls on the best arm, or, for "      \
                       "noisy searches, the value without noise of the configuration with the largest reward "         \
                       "(incumbent) (default: max)"),                                                                  \
        MK_RANK_OPTION(                                                                                                \
            by_repetition, "unit", 0, MK_OPT_CHOICE, "WHAT", "instance|repetition", 1, 0,                              \
            "what ranks, wins and tests count: instances, or repetitions of instances. The latter is for few "         \
            "instances with many repetitions, and its tests are about these instances alone (default: instance)"),     \
        MK_RANK_OPTION(                                                                                                \
            budgets, "budget", 0, MK_OPT_TEXT, "B[,B…]", NULL, 1, 0,                                                   \
            "compare at equal cost instead of equal horizons: the largest reward that a policy reaches with pulls "    \
            "that cost at most B together, up to the longest horizon of the file. Costs are those of the arms (key "   \
            "cost), of recorded pulls (column cost) or of evaluations in part. A repetition counts only if B pays "    \
            "for the shortest horizon with every policy"),                                                             \
        MK_RANK_OPTION(arm_costs, "arm-cost", 0, MK_OPT_TEXTS, "ARM=X", NULL, 1, 0,                                    \
                       "with --budget: a pull of this arm costs X, and a pull of an arm that is not named costs 1; "   \
                       "replaces the costs of the file; may be repeated")

#define MK_RANK_BASELINE                                                                                               \
    MK_RANK_OPTION(                                                                                                    \
        baseline, "baseline", 0, MK_OPT_TEXT, "POLICY", NULL, 1, 0,                                                    \
        "label of the policy that others are tested against (default: a combined search, else random, uniform, the "   \
        "first)")
#define MK_RANK_LOSS                                                                                                   \
    MK_RANK_OPTION(loss, "loss", 0, MK_OPT_CHOICE, "KIND", MK_LOSS_CHOICES, 1, 0,                                      \
                   "how the loss is normalised; the help of "                                                          \
                   "maxk rank explains the three ways (default: authors)")
#define MK_RANK_SEED(help) MK_RANK_OPTION(seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 0, -1, help)
#define MK_RANK_CONFIDENCE                                                                                             \
    MK_RANK_OPTION(confidence, "confidence", 0, MK_OPT_REAL, "P", NULL, 0.01, 0.9999,                                  \
                   "confidence level of the intervals (default: 0.95)")
#define MK_RANK_ALPHA(help) MK_RANK_OPTION(alpha, "alpha", 0, MK_OPT_REAL, "P", NULL, 1e-6, 0.5, help)

/* When scores are tied, and what becomes of ties. */
#define MK_RANK_TIES                                                                                                   \
    MK_RANK_OPTION(tolerance, "tolerance", 0, MK_OPT_REAL, "X", NULL, 0, 1,                                            \
                   "scores whose difference is at most X are tied (default: 1e-8)"),                                   \
        MK_RANK_OPTION(                                                                                                \
            relative, "relative", 0, MK_OPT_REAL, "X", NULL, 0, 1,                                                     \
            "scores whose difference is at most X times the baseline's score are tied in wins and losses, in "         \
            "addition to --tolerance (default: 0; numpy.isclose has 1e-5)"),                                           \
        MK_RANK_OPTION(zeros, "zeros", 0, MK_OPT_CHOICE, "HOW", "split|drop", 1, 0,                                    \
                       "ties in Wilcoxon's test (default: split)")

/* mk_table_type.make and .inapplicable of all four. */
int mk_rank_make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err);
const char *mk_rank_inapplicable(struct mk_result *r);

#endif

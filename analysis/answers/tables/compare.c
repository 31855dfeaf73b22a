/* Policies tested against a baseline, or every two of them. */
#include "analysis/answers/tables/rank_request.h"

static const struct mk_rank_request defaults = {
    .command = "compare", .layout = MK_RANK_VERDICTS, MK_RANK_NUMBERS_WITHOUT_RESAMPLES};
static const struct mk_table_option options[] = {
    MK_RANK_OPTION(pairs, "pairs", 0, MK_OPT_FLAG, NULL, NULL, 1, 0, "test every two policies against each other"),
    MK_RANK_OPTION(
        region, "bayes", 0, MK_OPT_REAL, "R", NULL, 0, 1e300,
        "with --pairs: the Bayesian signed-rank test of Benavoli et al. 2017; scores no more than R apart are "
        "practically equivalent"),
    MK_RANK_OPTION(equivalence, "equivalence", 0, MK_OPT_REAL, "R", NULL, 1e-300, 1e300,
                   "also test whether the mean difference from the baseline is smaller than R"),
    MK_RANK_OPTION(apart, "apart", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                   "keep several results apart, such as kinds of data, each with its own rows and horizons; p_holm and "
                   "the verdicts are adjusted for the rows of all"),
    MK_RANK_BASELINE,
    MK_RANK_SELECTION,
    MK_RANK_CONFIDENCE,
    MK_RANK_ALPHA("significance level of the verdicts (default: 0.05)"),
    MK_RANK_TIES,
    MK_RANK_SEED("seed of --bayes (default: 42)"),
    MK_TABLE_OPTIONS_END};

static const struct mk_table_schema *const schemas[] = {&mk_rank_verdicts, &mk_rank_pairs, NULL};

const struct mk_table_type mk_table_compare = {
    .usage =
        {"compare", "RESULT.h5…",
         "Says at every horizon which policies of a result are better or worse than a baseline. With --pairs, every "
         "two policies are tested against each other. The tests are over the instances, and the scores are those of "
         "`maxk rank`. Several results with the same policies and horizons are compared over the instances of "
         "all.\n\nThe columns of a policy against the baseline are\n\n  verdict  better or worse if p_holm is below "
         "--alpha, otherwise undecided\n  share_won  share of instances that the policy wins, where a tie counts half; "
         "share_low and share_high are its exact interval\n  difference  mean difference of the scores; difference_low "
         "and difference_high are Student's interval\n  p_sign  two-sided sign test; ties are split between wins and "
         "losses\n  p_holm  p_sign, adjusted by Holm for all rows of the table, those of other horizons too\n  "
         "p_untied, p_untied_holm, verdict_untied  the same without ties, for tuned searches, many of which reach the "
         "same value\n  p_equivalence  with --equivalence R: Student's two one-sided tests of a mean difference of R or more "
         "in either direction; p_equivalence_holm is adjusted for all rows, and equivalent says yes where it is below "
         "--alpha. A policy may be better and equivalent at the same time: the difference is then real, and smaller than "
         "R\n\nWith --pairs, the policy with the better average rank is the first of the two. The columns "
         "are\n\n  ranks_apart  difference of the two average ranks\n  share_won  share of instances that the first "
         "policy wins, where a tie counts half; 0.5 is no difference\n  rank_biserial  matched-pairs rank-biserial "
         "correlation; 1 means that the first policy is better on every instance\n  p_wilcoxon  two-sided signed-rank "
         "test of Wilcoxon\n  p_holm  p_wilcoxon, adjusted by Holm for all pairs of this horizon\n  p_holm_all  "
         "p_wilcoxon, adjusted by Holm for all rows of the table, those of other horizons too\n  p_nemenyi  Nemenyi's "
         "test of the average ranks\n  p_better, p_equivalent, p_worse  with --bayes R: the probabilities that the "
         "first policy is better by more than R, that the two are equivalent, and that the first policy is worse by "
         "more than R (50000 draws from the posterior; standard error at most 0.0023)\n\nWith --apart, several results are "
         "compared one by one, and the adjustment counts the rows of all. No adjustment counts the "
         "tests in other tables. A finding that was picked from several tables is exploratory.",
         1, 1000},
    .group = "Results",
    .summary = "test policies over instances: against a baseline with verdicts, or all pairs",
    MK_TABLE_TAKES(options, defaults),
    .schema = schemas,
    .inapplicable = mk_rank_inapplicable,
    .make = mk_rank_make};

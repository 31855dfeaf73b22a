/* Policies tested against a baseline, or every two of them. */
#include "analysis/answers/tables/rank_request.h"

static const struct mk_rank_request defaults = {
    .command = "compare", .layout = MK_RANK_VERDICTS, MK_RANK_NUMBERS_WITHOUT_RESAMPLES};
static const struct mk_table_option options[] = {
    MK_RANK_OPTION(pairs, "pairs", 0, MK_OPT_FLAG, NULL, NULL, 1, 0, "tests of every two policies"),
    MK_RANK_OPTION(
        region, "bayes", 0, MK_OPT_REAL, "R", NULL, 0, 1e300,
        "with --pairs: the Bayesian signed-rank test of Benavoli et al. 2017; scores no more than R apart are "
        "practically equivalent"),
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
         "Tests the policies of a result, or of several with the same policies and horizons, over the instances, at every "
         "horizon, as scores of `maxk rank`: every policy against the baseline, or with --pairs every two policies. Holm's "
         "adjustment of p_holm and p_holm_all is for all rows of the table, those of other horizons too. Tests in other tables are "
         "not counted: a finding that was picked from several of them is exploratory.\n\nAgainst the baseline, columns "
         "are\n\n  share_won  share of instances won, ties half, with its exact interval\n  difference  mean difference of "
         "the scores with Student's interval\n  p_sign, p_holm  two-sided sign test, and adjusted by Holm\n  verdict  better or "
         "worse where that is below --alpha, otherwise undecided\n  p_untied, p_untied_holm, verdict_untied  the same without "
         "ties: for tuned searches, many of which reach the same value\n\nOf every two policies, the better average rank "
         "first,\n\n  ranks_apart  difference of their average ranks\n  share_won  share of instances won (ties half: 0.5 is no "
         "difference)\n  rank_biserial  matched-pairs rank-biserial correlation (1: better on every instance)\n  p_wilcoxon, "
         "p_holm  two-sided Wilcoxon test and its value adjusted by Holm for all pairs\n  p_nemenyi  Nemenyi's test\n  p_better, "
         "p_equivalent, p_worse  with --bayes R the probabilities that the policy is better by more than R, that the two are "
         "equivalent, and that it is worse (50000 draws from the posterior; standard error at most 0.0023)",
         1, 1000},
    .group = "Results",
    .summary = "test policies over instances: against a baseline with verdicts, or every two",
    MK_TABLE_TAKES(options, defaults),
    .schema = schemas,
    .inapplicable = mk_rank_inapplicable,
    .make = mk_rank_make};

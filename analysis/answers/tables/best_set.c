/* Which policies may be the best one, and how well choosing one from data does. */
#include "analysis/answers/tables/rank_request.h"

static const struct mk_rank_request defaults = {
    .command = "best_set", .layout = MK_RANK_BEST_SET, MK_RANK_NUMBERS_WITHOUT_RESAMPLES};
static const struct mk_table_option options[] = {
    MK_RANK_OPTION(by, "by", 0, MK_OPT_CHOICE, "WHAT", MK_CRITERION_CHOICES, 1, 0,
                   "what has to be small on an instance: the rank or the normalised loss (default: rank)"),
    MK_RANK_ALPHA("probability with which the best one may be missing (default: 0.05)"),
    MK_RANK_OPTION(choice, "choice", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                   "how well a policy does that is chosen from data"),
    MK_RANK_BASELINE,
    MK_RANK_SELECTION,
    MK_RANK_LOSS,
    MK_RANK_SEED("seed of the sign flips, of more than 13 instances (default: 42)"),
    MK_TABLE_OPTIONS_END};

static const struct mk_table_schema *const schemas[] = {&mk_rank_best_set, &mk_rank_choice, NULL};

const struct mk_table_type mk_table_best_set = {
    .usage =
        {"best_set", "RESULT.h5…",
         "Lists at every horizon which policies of a result, or of several with the same policies and horizons, may be "
         "the best one. A policy is left out where another one has smaller ranks (--by loss: losses) over the instances "
         "than it by more than chance explains: p_best is the p-value of \"no other policy is better\", by sign flips of the "
         "differences to all others at once, so that their number counts as it is. Those that may be the best (p_best at "
         "least --alpha) hold the best one with probability at least 1 - alpha over instances of this kind.\n\n--choice "
         "shows for every horizon the policy that did best on all instances but one, evaluated there (left_out), next to "
         "the policy that is best over all instances (overall), the baseline (fixed) and the best one of every instance "
         "(single)",
         1, 1000},
    .group = "Results",
    .summary = "which policies may be the best one, and how well choosing from data does",
    MK_TABLE_TAKES(options, defaults),
    .schema = schemas,
    .inapplicable = mk_rank_inapplicable,
    .make = mk_rank_make};

/* Which policies may be the best one, and how well choosing one from data does. */
#include "analysis/answers/tables/rank_request.h"

static const struct mk_rank_request defaults = {
    .command = "best_set", .layout = MK_RANK_BEST_SET, MK_RANK_NUMBERS_WITHOUT_RESAMPLES};
static const struct mk_table_option options[] = {
    MK_RANK_OPTION(by, "by", 0, MK_OPT_CHOICE, "WHAT", MK_CRITERION_CHOICES, 1, 0,
                   "what makes a policy good on an instance: a small rank, or a small normalised loss (default: rank)"),
    MK_RANK_ALPHA("probability with which the best policy may be missing from the set (default: 0.05)"),
    MK_RANK_OPTION(choice, "choice", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                   "print how well a policy does that is chosen from data"),
    MK_RANK_BASELINE,
    MK_RANK_SELECTION,
    MK_RANK_LOSS,
    MK_RANK_SEED("seed of the sign flips, of more than 13 instances (default: 42)"),
    MK_TABLE_OPTIONS_END};

static const struct mk_table_schema *const schemas[] = {&mk_rank_best_set, &mk_rank_choice, NULL};

const struct mk_table_type mk_table_best_set = {
    .usage =
        {"best_set", "RESULT.h5…",
         "Lists at every horizon which policies of a result may be the best one. These policies contain the best one "
         "with probability at least 1 - alpha, over instances of this kind. Several results with the same policies and "
         "horizons are compared over the instances of all.\n\n  rank, loss  average rank of the policy over the "
         "instances, and its normalised loss\n  p_best  p-value of the hypothesis that no other policy is better than "
         "this one\n  may_be_best  whether p_best is at least --alpha, so that the policy may be the best one\n\nA "
         "policy is rejected if another policy has smaller ranks over the instances (with --by loss: smaller losses), "
         "by more than chance explains. The test flips the signs of the differences to all other policies at once, so "
         "that p_best takes account of how many policies there are.\n\n--choice shows instead, for every horizon, how "
         "well a policy does that is chosen from data. The columns rank_… and loss_… have the average rank and the "
         "normalised loss of\n\n  left_out  the policy that did best on all instances but one, evaluated on that "
         "instance\n  overall  the policy that is best over all instances\n  fixed  the baseline\n  single  the best "
         "policy of every instance, which no choice can beat",
         1, 1000},
    .group = "Results",
    .summary = "which policies may be the best one, and how well a choice made from data does",
    MK_TABLE_TAKES(options, defaults),
    .schema = schemas,
    .inapplicable = mk_rank_inapplicable,
    .make = mk_rank_make};

/* Where the uncertainty of a comparison comes from, and how many instances and repetitions it needs. */
#include "analysis/answers/tables/rank_request.h"

static const struct mk_rank_request defaults = {
    .command = "sample_size", .layout = MK_RANK_SAMPLE_SIZE, MK_RANK_NUMBERS_WITHOUT_RESAMPLES};
static const struct mk_table_option options[] = {
    MK_RANK_OPTION(effect, "effect", 0, MK_OPT_REAL, "D", NULL, 1e-300, 1e300,
                   "the mean difference that is to be found (default: the observed one)"),
    MK_RANK_OPTION(power, "power", 0, MK_OPT_REAL, "P", NULL, 0.05, 0.9999,
                   "probability with which it is to be found (default: 0.8)"),
    MK_RANK_ALPHA("two-sided level of the test (default: 0.05)"),
    MK_RANK_BASELINE,
    MK_RANK_SELECTION,
    MK_TABLE_OPTIONS_END};

static const struct mk_table_schema *const schemas[] = {&mk_rank_sample_size, NULL};

const struct mk_table_type mk_table_sample_size = {
    .usage =
        {"sample_size", "RESULT.h5…",
         "Says where the uncertainty of a comparison with the baseline comes from, instances or their repetitions, and "
         "how many of either a paired t-test of the mean difference needs. Scores are those of `maxk rank`. Instances "
         "are taken as a sample of a kind, such as data sets.\n\n  difference, error  mean difference from the baseline "
         "and its standard error\n  sd_instances  standard deviation, over instances, of the difference that infinitely "
         "many repetitions would give; 0 where repetitions explain all that differs\n  sd_repetitions  standard "
         "deviation of the difference from one repetition to the next\n  share_instances  share of the squared error "
         "that would be left with infinitely many repetitions; near 1, only more instances help\n  need_instances  "
         "instances needed to find a difference of `effect`, with as many repetitions as now; need_instances_exact: with "
         "infinitely many\n  need_repetitions  repetitions needed on the present instances, inf where no number "
         "suffices\n\nThe observed difference is the default of --effect. It is an estimate, and the sizes that follow "
         "from it are rough: give the smallest difference that matters to you instead.",
         1, 1000},
    .group = "Results",
    .summary = "how many instances and repetitions a comparison needs, from its variance components",
    MK_TABLE_TAKES(options, defaults),
    .schema = schemas,
    .inapplicable = mk_rank_inapplicable,
    .costly = true,
    .make = mk_rank_make};

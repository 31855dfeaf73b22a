/* The trials of a study, from the files that maxk tune leaves next to its result. */
#include "analysis/answers/tables/table_type.h"
#include "sim/study/study_files.h"

static int make_trials(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_trials_read(&t, call->input[0], err);
    return mk_table_made(out, t, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    return mk_trials_there(mk_result_info(r)->path)
               ? NULL
               : "it is not a study of maxk tune, or its trials are not next to it";
}

const struct mk_table_type mk_table_trials = {
    .usage =
        {"trials", "OUT.h5",
         "Prints the trials of a study, one row each. They are read from the files that maxk tune leaves next to its "
         "result.\n\n  trial  number of the trial, from 1, in the order in which trials were issued\n  arm, iteration  "
         "label of the arm, and number of the trial in its arm, from 0\n  optimizer, configuration  the optimiser, and "
         "the configuration that it proposed\n  loss  loss of the evaluation: the metric, with the sign reversed if it "
         "is maximised. On instances it is the mean over those so far; a failed or infeasible trial has the loss that "
         "the rule for failures gives\n  status, why  ok, failed, timed out, infeasible or pruned; the reason of a failure, or "
         "the constraint that is violated\n  seconds  measured time of the program; empty for trials that were "
         "added\n\nSome studies have further columns at the end, such as value, cost, fidelity and metrics.NAME.",
         1, 1},
    .summary = "trials of a study: configurations, losses, seconds, failures",
    MK_TABLE_SHOWS(&mk_trials_schema),
    .inapplicable = inapplicable,
    .make = make_trials};

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
    .usage = {"trials", "OUT.h5", "The trials of a study, from the files that maxk tune leaves next to its result.", 1,
              1},
    .summary = "trials of a study: configurations, losses, seconds, failures",
    MK_TABLE_SHOWS(&mk_trials_schema),
    .inapplicable = inapplicable,
    .make = make_trials};

/* results.csv of the AutoML benchmark (openml/automlbenchmark): a row for each framework, task and fold. Its `result`
 * is better where it is larger (neg_logloss, neg_rmse, auc); a job that has failed has no result, and the reason in
 * `info`.
 */
#include "sim/search/records/importer.h"

static bool recognises(const struct mk_import_head *head)
{
    return mk_import_has_column(head, "framework") && mk_import_has_column(head, "task") &&
           mk_import_has_column(head, "fold") && mk_import_has_column(head, "result");
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    static const struct mk_table_preset preset = {.value = "result",
                                                  .problem = "info",
                                                  .order = "fold",
                                                  .cost = "duration",
                                                  .instance = "task",
                                                  .arm = "framework",
                                                  .parameter_prefix = "params.",
                                                  .direction = 1,
                                                  .direction_why =
                                                      "as the benchmark scores (neg_logloss, neg_rmse, auc)"};
    return mk_import_table(job, &preset, err);
}

const struct mk_importer mk_importer_amlb = {
    .name = "amlb", .about = "results of the AutoML benchmark (CSV)", .recognises = recognises, .read = read};

/* Runs of MLflow as CSV: of mlflow.search_runs(), with columns params.NAME and metrics.NAME. */
#include <string.h>

#include "sim/import/importer.h"

static bool recognises(const struct mk_import_head *head)
{
    return mk_import_has_column(head, "run_id") && mk_import_has_column(head, "status");
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    static const struct mk_table_preset preset = {.status = "status",
                                                  .order = "start_time",
                                                  .value_prefix = "metrics.",
                                                  .parameter_prefix = "params.",
                                                  .done = "FINISHED",
                                                  .open = "RUNNING|SCHEDULED"};
    return mk_import_table(job, &preset, err);
}

const struct mk_importer mk_importer_mlflow = {
    .name = "mlflow", .about = "runs of MLflow (CSV of search_runs)", .recognises = recognises, .read = read};

/* Runs of MLflow as CSV: of mlflow.search_runs(), with columns params.NAME and metrics.NAME, and what its pages
 * download, whose parameters and metrics have their bare names
 * (mlflow/server/js/src/experiment-tracking/utils/CsvUtils.ts). */
#include <string.h>

#include "sim/search/records/importer.h"

static bool of_page(const struct mk_import_head *head)
{
    return mk_import_has_column(head, "Run ID") && mk_import_has_column(head, "Status");
}

static bool recognises(const struct mk_import_head *head)
{
    return of_page(head) || (mk_import_has_column(head, "run_id") && mk_import_has_column(head, "status"));
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    static const struct mk_table_preset preset = {
        .status = "status", .order = "start_time", .value_prefix = "metrics.", .parameter_prefix = "params."};
    static const struct mk_table_preset page = {
        .status = "Status",
        .order = "Start Time",
        .cost = "Duration",
        .value_named = true,
        .ignored = "Run ID|Name|Source Type|Source Name|User|Experiment ID|Start Time|Duration"};
    if (!of_page(job->head)) return mk_import_table(job, &preset, err);
    const int code =
        mk_import_note(job->to, err,
                       "hyperparameters: all columns that are nothing else; the page of MLflow does not tell "
                       "them from metrics");
    return code ? code : mk_import_table(job, &page, err);
}

const struct mk_importer mk_importer_mlflow = {.name = "mlflow",
                                               .about = "runs of MLflow (CSV of search_runs or of its page)",
                                               .recognises = recognises,
                                               .read = read};

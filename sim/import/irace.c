/* Experiments of irace, as experiments/data/irace_to_csv.R writes them from its log file. irace minimises. */
#include "sim/import/importer.h"

static bool recognises(const struct mk_import_head *head)
{
    return mk_import_has_column(head, "irace_experiment");
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    static const struct mk_table_preset preset = {.value = "value",
                                                  .order = "irace_experiment",
                                                  .cost = "time",
                                                  .parameter_prefix = "params.",
                                                  .direction = -1,
                                                  .direction_why = "as irace does"};
    return mk_import_table(job, &preset, err);
}

const struct mk_importer mk_importer_irace = {.name = "irace",
                                              .about = "experiments of irace (CSV of experiments/data/irace_to_csv.R)",
                                              .recognises = recognises,
                                              .read = read};

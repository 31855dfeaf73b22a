/* Experiments of irace, as experiments/data/irace_to_csv.R writes them from its log file. irace minimises. */
#include <string.h>

#include "sim/base/error.h"

#include "sim/search/records/importer.h"

/* Whether it is the log file, of R's save(). */
static bool is_log(const struct mk_import_head *head)
{
    return strncmp(head->text, "RDX2", 4) == 0 || strncmp(head->text, "RDX3", 4) == 0;
}

static bool recognises(const struct mk_import_head *head)
{
    return mk_import_has_column(head, "irace_experiment") || is_log(head);
}

static int read(struct mk_import_job *job, struct mk_error *err)
{
    static const struct mk_table_preset preset = {.value = "value",
                                                  .order = "irace_experiment",
                                                  .cost = "time",
                                                  .parameter_prefix = "params.",
                                                  .direction = -1,
                                                  .direction_why = "as irace does"};
    if (is_log(job->head))
        return mk_fail(
            err, MK_EINPUT,
            "%s: data of R; expected the CSV file that `Rscript experiments/data/irace_to_csv.R` makes of a log of irace 1 to 4",
            job->path);
    return mk_import_table(job, &preset, err);
}

const struct mk_importer mk_importer_irace = {
    .name = "irace", .about = "experiments of irace", .recognises = recognises, .read = read};

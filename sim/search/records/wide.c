/* Wide tables: a row for each data set, repetition or iteration, a column for each arm, rewards or losses in the cells.
 */
#include "sim/base/error.h"
#include "sim/search/records/importer.h"

static int read(struct mk_import_job *job, struct mk_error *err)
{
    static const struct mk_table_preset preset = {
        .order = "iteration", .instance = "instance", .repetition = "repetition", .wide = true};
    if (job->options->arm)
        return mk_fail(err, MK_EINPUT, "%s: --arm: a wide table has no column that names the arm, but one for each arm",
                       job->path);
    return mk_import_table(job, &preset, err);
}

const struct mk_importer mk_importer_wide = {
    .name = "wide", .about = "a wide table, of which columns are arms and cells values (CSV)", .read = read};

/* From journals to a result file. */
#ifndef MAXK_SIM_RUN_DURABLE_FINISH_RESULT_H
#define MAXK_SIM_RUN_DURABLE_FINISH_RESULT_H

#include <stddef.h>

#include "sim/api/maxk/error.h"
#include "sim/run/engine/run.h"
#include "sim/run/store/journal.h"
#include "sim/run/store/result.h"

/* Writes the result of the run c from its complete journals, in the order of their units. With `aside` the file that
 * was at `path` is kept as `path`.previous. Returns MK_ESTOPPED when stopped (mk_run_stop);
 * `path` then is as it was. */
int mk_finish_result(const char *path, const struct mk_run_context *c, struct mk_journal *const *part, size_t n,
                     int keep_previous, const struct mk_volatile *v, struct mk_error *err);

enum mk_existing {
    MK_EXISTING_FREE, /* nothing is there */
    MK_EXISTING_SAME, /* a complete result or part of the same run */
    MK_EXISTING_OTHER /* the whole result of another run; err->text says in what they differ */
};

/* How the file at `path` relates to a run with identity `want`. MK_EINPUT, with the difference: a part of another run,
 * another shard, or a file that is not maxk's. */
int mk_existing_output(const char *path, const struct mk_identity *want, struct mk_shard shard, enum mk_existing *way,
                       struct mk_error *err);

#endif

/* From journals to a result file. */
#ifndef MAXK_SIM_ASSEMBLE_H
#define MAXK_SIM_ASSEMBLE_H

#include <stddef.h>

#include "sim/error.h"
#include "sim/journal.h"
#include "sim/result.h"
#include "sim/run.h"

/* Writes the result of the run c from its complete journals, in the order of their units. Returns MK_ESTOPPED when
 * stopped (mk_run_stop); `path` then is as it was. */
int mk_assemble(const char *path, const struct mk_run_context *c, struct mk_journal *const *part, size_t n,
                const struct mk_volatile *v, struct mk_error *err);

/* What the file at `path` is in the way of a run with identity `want`. MK_OK: nothing is there (*same = 0), or a complete
 * result or part of the same run (*same = 1). MK_EINPUT, with the difference: something else. */
int mk_assemble_check(const char *path, const struct mk_identity *want, struct mk_shard shard, int *same,
                      struct mk_error *err);

#endif

/* The tables of `maxk survey --concave`. */
#ifndef MAXK_SIM_COMMAND_CONCAVITY_TABLE_H
#define MAXK_SIM_COMMAND_CONCAVITY_TABLE_H

#include "sim/base/table_printer.h"
#include "sim/problem/problem.h"

/* One row per instance and arm; unless CSV or JSON, then the assumptions of Li et al. 2020 with their verdicts, over
 * all arms. C: pulls over which growth is averaged. */
int mk_print_concavity(const struct mk_problem *p, uint64_t C, struct mk_table_style style, struct mk_error *err);

#endif

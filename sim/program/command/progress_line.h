/* The progress line of a run on a terminal: share done, rate, time left. Nothing where standard error is something
 * else. */
#ifndef MAXK_SIM_PROGRAM_COMMAND_PROGRESS_LINE_H
#define MAXK_SIM_PROGRAM_COMMAND_PROGRESS_LINE_H

#include "sim/base/progress.h"

/* The report, whose context is a struct mk_progress_line (sim/base/progress.h), that writes the line; NULL when
 * standard error is not a terminal. */
mk_progress_report *mk_progress_line(void);

/* Removes the line. */
void mk_progress_line_clear(void);

#endif

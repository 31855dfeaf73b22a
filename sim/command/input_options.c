#include "sim/command/input_options.h"

#include <stdlib.h>

#include "sim/command/progress_line.h"

int mk_input_run_searches(struct mk_experiment *e, struct mk_error *err)
{
    int code = mk_input_run_searches_with(e, mk_progress_line(), err);
    mk_progress_line_clear();
    return code;
}

int mk_input_open(struct mk_experiment **out, const char *command, const char *path, struct mk_input_options *in,
                  unsigned need, struct mk_error *err)
{
    int code = mk_input_load(out, command, path, in, need, mk_progress_line(), err);
    mk_progress_line_clear();
    if (!code && (*out)->problem) mk_input_tell_gaps(stderr, (*out)->problem);
    return code;
}

void mk_input_tell_gaps(FILE *to, const struct mk_problem *p)
{
    char *text = mk_input_gaps(p);
    if (text) fputs(text, to);
    free(text);
}

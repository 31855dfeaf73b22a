/* A tuning run while it runs: on a terminal a table of its arms that is drawn again and again, elsewhere a line for
 * every trial. */
#ifndef MAXK_SIM_COMMAND_TUNE_TUNE_SCREEN_H
#define MAXK_SIM_COMMAND_TUNE_TUNE_SCREEN_H

#include <stdio.h>

#include "sim/tune/tune_run.h"

struct mk_tune_screen {
    FILE *to;
    bool is_terminal;
    size_t lines; /* drawn, above the cursor */
    double last;  /* when it was drawn */
};

void mk_tune_screen_begin(struct mk_tune_screen *s, FILE *to);

/* The mk_tune_seen of a screen (context). */
void mk_tune_screen_show(void *screen, const struct mk_tune_view *v, size_t number);

void mk_tune_screen_end(struct mk_tune_screen *s);

#endif

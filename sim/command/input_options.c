#include "sim/command/input_options.h"

#include <stdlib.h>

void mk_input_print_gaps(FILE *to, const struct mk_problem *p)
{
    char *text = mk_input_gaps(p);
    if (text) fputs(text, to);
    free(text);
}

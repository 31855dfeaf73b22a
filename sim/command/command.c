#include "sim/command/command.h"

#include <stdio.h>

void mk_command_fail(int code, const struct mk_error *err)
{
    fflush(stdout);
    fprintf(stderr, "%s\n", err->text[0] ? err->text : mk_code_text(code));
    fflush(stderr);
}

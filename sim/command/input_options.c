#include "sim/command/input_options.h"

#include <stdlib.h>

#include "sim/store/cells.h"

void mk_input_tell_gaps(FILE *to, const struct mk_problem *p)
{
    char *text = mk_input_gaps(p);
    if (text) fputs(text, to);
    free(text);
}

int mk_input_tell_repeated(FILE *to, const char *result, struct mk_error *err)
{
    struct mk_result *r = NULL;
    char text[MK_REPEATED_ROOM];
    double share = 0;
    int code = mk_result_open(&r, result, err);
    const struct mk_result_info *i = code ? NULL : mk_result_info(r);
    if (!code) code = mk_result_repeated_share(r, NULL, i->n_horizons - 1, &share, err);
    if (!code && share > 0) fprintf(to, "%s\n", mk_repeated_text(i->horizon[i->n_horizons - 1], share, text));
    mk_result_free(r);
    return code;
}

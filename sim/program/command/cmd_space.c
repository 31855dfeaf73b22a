/* maxk space: the search space of a file of another tool, as that of a tune file. */
#include <stdio.h>
#include <stdlib.h>

#include "sim/base/atomic_file.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/search/records/space_file.h"

static int write_text(const char *path, const char *text, struct mk_error *err)
{
    struct mk_atomic_file place;
    FILE *to = NULL;
    int code = mk_atomic_file_open(&place, &to, path, err);
    if (code) return code;
    fputs(text, to);
    return mk_atomic_file_close(&place, to, MK_OK, err);
}

int mk_cmd_space(int argc, char **argv, struct mk_error *err)
{
    const struct mk_usage usage = {
        "space", "FILE",
        "Converts the search space of another tool, with its conditions and forbidden combinations, into the key "
        "`space` of a tune file (maxk tune). What a space of maxk cannot express is reported on standard error. The "
        "kind of file is found out from its content:\n\n  parameters.txt of irace  the space, and `args` if all "
        "switches have the same form\n  "
        "scenario.txt of irace  a whole tune file: target runner, instances, test instances, budget, and the space of "
        "the parameter file, and as `first` the initial configurations\n  JSON of "
        "ConfigSpace  the space\n  PCS of SMAC and ParamILS  the space; both the old and the new form are read",
        1, 1};
    const char *output = NULL;
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &output, "OUT.yaml", NULL, 1, 0, "write to this file (default: standard output)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    struct mk_string_table notes = {0};
    char **operands, *text = NULL;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operands, &n, err);
    if (code) return code;
    code = mk_space_file_read(&text, &notes, operands[0], err);
    if (!code && output)
        code = write_text(output, text, err);
    else if (!code)
        fputs(text, stdout);
    for (size_t i = 0; i < notes.n && !code; i++) fprintf(stderr, "%s\n", notes.text[i]);
    mk_string_table_free(&notes);
    free(text);
    return code;
}

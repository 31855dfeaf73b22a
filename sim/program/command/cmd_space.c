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
        "Reads the search space in a file of another tool and writes it as the `space` of a tune file, whose hyperparameters, "
        "conditions and forbidden combinations it has. What a space of maxk cannot express is said on standard error. The "
        "content tells the kind of file:\n\n"
        "  parameters.txt of irace   with `args` where its switches are alike; a range that depends on another parameter "
        "becomes the widest one\n"
        "  scenario.txt of irace     a tune file: target runner, instances, test instances, budget, and the space of its "
        "parameter file, whose defaults are the first initial configuration\n"
        "  JSON of ConfigSpace\n"
        "  PCS of SMAC and ParamILS  both forms",
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

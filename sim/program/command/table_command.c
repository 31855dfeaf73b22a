/* The commands that print a table of analysis/answers/tables. */
#include <stdio.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/atomic_file.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/program/command/progress_line.h"

enum { OWN_OPTIONS = 12 };

/* Options of printing, then those of the command. */
static void own_options(struct mk_option *to, const struct mk_table_type *type, struct mk_table_style *style,
                        const char **file)
{
    const struct mk_option printing[] = {MK_TABLE_OPTIONS(*style)};
    size_t n = 0;
    for (size_t i = 0; i < sizeof printing / sizeof *printing; i++) to[n++] = printing[i];
    if (type->as_data) to[0] = (struct mk_option)MK_TABLE_FORMAT(*style, "csv");
    if (type->is_input)
        to[n++] = (struct mk_option){"output", 'o',       MK_OPT_TEXT,
                                     file,     "OUT.csv", NULL,
                                     0,        -1,        "write the table into this file, and print what was assumed"};
    to[n].name = NULL;
}

/* The table as a file of CSV; to people its caption and notes. */
static int write_file(const struct mk_table *t, const char *path, struct mk_error *err)
{
    struct mk_atomic_file place;
    FILE *to = NULL;
    const char *note;
    int code = mk_atomic_file_open(&place, &to, path, err);
    if (code) return code;
    code = mk_table_print(t, to, (struct mk_table_style){.form = MK_TABLE_CSV}, err);
    code = mk_atomic_file_close(&place, to, code, err);
    if (code) return code;
    printf("%s: %s\n", path, mk_table_caption(t));
    for (size_t i = 0; (note = mk_table_note(t, i)); i++) printf("%s\n", note);
    return MK_OK;
}

static int print(const struct mk_table *t, struct mk_table_style style, struct mk_error *err)
{
    const char *warning;
    for (size_t i = 0; (warning = mk_table_warning(t, i)); i++) fprintf(stderr, "%s\n", warning);
    return mk_table_print(t, stdout, style, err);
}

int mk_cmd_table(int argc, char **argv, struct mk_error *err)
{
    const struct mk_table_type *type = mk_table_type_find(argv[0]);
    struct mk_table_style style = {.form = type->as_data ? MK_TABLE_CSV : MK_TABLE_TEXT,
                                   .command = type->usage.command};
    struct mk_option own[OWN_OPTIONS];
    struct mk_table_request r;
    struct mk_table *t = NULL;
    const char *file = NULL;
    char **operand;
    size_t n;
    own_options(own, type, &style, &file);
    int code = mk_table_request_init(&r, type, own, err);
    if (!code) code = mk_options_parse_named(&type->usage, r.option, type->names, argc, argv, &operand, &n, err);
    if (!code) {
        r.stream = type->as_data ? stdout : NULL;
        r.style = style;
        code = mk_table_request_make(&t, type, &r, (const char *const *)operand, n, mk_table_prints_all(style),
                                     mk_progress_line(), err);
        mk_progress_line_clear();
        if (!code) code = file ? write_file(t, file, err) : print(t, style, err);
        if (!code) code = mk_table_failure(t, err);
    }
    mk_table_free(t);
    mk_table_request_clear(&r, type);
    return code;
}

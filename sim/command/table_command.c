#include "sim/command/table_command.h"

#include <stdio.h>
#include <string.h>

#include "sim/command/options.h"
#include "sim/command/progress_line.h"

enum { OWN_OPTIONS = 12 };

/* Options of printing, then those of the command; `form` is for --format, NULL: none. */
static void own_options(struct mk_option *to, struct mk_table_style *style, int *form, const struct mk_option *extra)
{
    const struct mk_option printing[] = {MK_TABLE_OPTIONS(*style)};
    const struct mk_option format = {
        "format", 0, MK_OPT_CHOICE, form, "NAME", MK_TABLE_FORMS, 1, 0, "format of the table (default: aligned)"};
    size_t n = 0;
    for (size_t i = 0; i < sizeof printing / sizeof *printing; i++) to[n++] = printing[i];
    if (form) to[n++] = format;
    for (; extra && extra->name; extra++) to[n++] = *extra;
    to[n].name = NULL;
}

static int print(const struct mk_table *t, struct mk_table_style style, struct mk_error *err)
{
    const char *warning;
    for (size_t i = 0; (warning = mk_table_warning(t, i)); i++) fprintf(stderr, "%s\n", warning);
    return mk_table_print(t, stdout, style, err);
}

int mk_cmd_table_with(const struct mk_table_type *type, const struct mk_table_extra *extra, int argc, char **argv,
                      struct mk_error *err)
{
    struct mk_table_style style = MK_TABLE_PLAIN;
    struct mk_option own[OWN_OPTIONS];
    struct mk_table_request r;
    struct mk_table *t = NULL;
    char **operand;
    size_t n;
    int form = 0;
    own_options(own, &style, type->documents ? &form : NULL, extra ? extra->option : NULL);
    int code = mk_table_request_init(&r, type, own, err);
    if (!code) code = mk_options_parse_named(&type->usage, r.option, type->names, argc, argv, &operand, &n, err);
    if (!code) {
        if (!style.form) style.form = form;
        const bool further = style.form == MK_TABLE_ALIGNED;
        code = mk_table_request_make(&t, type, &r, (const char *const *)operand, n, further, mk_progress_line(), err);
        mk_progress_line_clear();
        if (!code) code = print(t, style, err);
        if (!code) code = mk_table_failure(t, err);
        if (!code && extra) code = extra->then(extra->context, t, n ? operand[0] : NULL, further, err);
    }
    mk_table_free(t);
    mk_table_request_clear(&r, type);
    return code;
}

int mk_cmd_table(int argc, char **argv, struct mk_error *err)
{
    return mk_cmd_table_with(mk_table_type_find(argv[0]), NULL, argc, argv, err);
}

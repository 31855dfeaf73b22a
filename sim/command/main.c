/* maxk: a laboratory for max-K-armed bandits. main looks the command up and turns its code into an exit status. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/param.h"
#include "sim/command/command.h"
#include "sim/command/help.h"

static const struct mk_command commands[] = {
#define COMMAND(name, summary) {#name, summary, mk_cmd_##name},
#include "sim/command/commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static int fail(const struct mk_error *err, int code)
{
    mk_command_fail(code, err);
    return mk_exit_status(code);
}

/* --help[=FORM]; `form` is what stands behind --help. */
static int help(const char *form, struct mk_error *err)
{
    int position = *form == '=' ? mk_choice_find(MK_HELP_FORMS, form + 1) : MK_HELP_TEXT;
    int code = position < 0 ? mk_fail(err, MK_EINPUT, "maxk: --help%.40s: is not one of " MK_HELP_FORMS, form)
                            : mk_help_program((enum mk_help_form)position, commands, stdout, err);
    if (code == MK_OK && fflush(stdout) != 0) code = mk_fail(err, MK_EIO, "standard output: writing failed");
    return code ? fail(err, code) : 0;
}

int main(int argc, char **argv)
{
    struct mk_error err = {0, ""};
    mk_start();
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */
    if (argc < 2) {
        mk_help_program(MK_HELP_TEXT, commands, stderr, &err);
        return mk_exit_status(MK_EINPUT);
    }
    if (strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) return help("", &err);
    if (strcmp(argv[1], "--help") == 0 || strncmp(argv[1], "--help=", 7) == 0) return help(argv[1] + 6, &err);
    if (strcmp(argv[1], "--version") == 0) {
        printf("maxk %s (%s)\n", mk_version(), mk_revision());
        return 0;
    }
    for (size_t i = 0; commands[i].name; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        int code = commands[i].run(argc - 1, argv + 1, &err);
        if (code == MK_OK && fflush(stdout) != 0) code = mk_fail(&err, MK_EIO, "standard output: writing failed");
        return code < 0 ? fail(&err, code) : 0;
    }
    fprintf(stderr, "maxk: %.80s: no such command (see maxk --help)\n", argv[1]);
    return mk_exit_status(MK_EINPUT);
}

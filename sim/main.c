/* maxk: a laboratory for max-K-armed bandits. main looks the command up and turns its code into an exit status. */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/command.h"
#include "sim/revision.h"

static const struct {
    const char *name, *summary;
    int (*run)(int argc, char **argv, struct mk_error *err);
} commands[] = {
#define COMMAND(name, summary) {#name, summary, mk_cmd_##name},
#include "sim/commands.def"
#undef COMMAND
    {NULL, NULL, NULL},
};

static void print_usage(FILE *to)
{
    fprintf(to, "maxk: a laboratory for max-K-armed bandits\n\nusage: maxk COMMAND [operand]… [option]…\n\ncommands:\n");
    for (size_t i = 0; commands[i].name; i++) fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\n`maxk COMMAND --help` describes one command; `maxk --version` prints the version.\n");
}

int main(int argc, char **argv)
{
    struct mk_error err = {0, ""};
    gsl_set_error_handler_off();
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */
    if (argc < 2) {
        print_usage(stderr);
        return mk_exit_status(MK_EINPUT);
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("maxk %s\n", MK_REVISION);
        return 0;
    }
    for (size_t i = 0; commands[i].name; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        int code = commands[i].run(argc - 1, argv + 1, &err);
        if (code == MK_OK && fflush(stdout) != 0) code = mk_fail(&err, MK_EIO, "standard output: writing failed");
        if (code < 0) {
            fprintf(stderr, "%s\n", err.text[0] ? err.text : mk_code_text(code));
            return mk_exit_status(code);
        }
        return 0;
    }
    fprintf(stderr, "maxk: %.80s: no such command (see maxk --help)\n", argv[1]);
    return mk_exit_status(MK_EINPUT);
}

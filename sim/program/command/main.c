/* maxk: a laboratory for max-K-armed bandits. main looks the command up and turns its code into an exit status. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/error.h"
#include "sim/base/param.h"
#include "sim/base/table/table_printer.h"
#include "sim/base/text.h"
#include "sim/program/command/command.h"
#include "sim/program/command/help.h"
#include "sim/program/command/program_signals.h"

/* Standard streams that were closed by the caller: no file of ours may take their numbers. What is written to them
 * fails as before. */
static void keep_standard_streams(void)
{
    int fd;
    do fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0) close(fd);
}

static int fail(const struct mk_error *err, int code)
{
    mk_command_fail(code, err);
    return mk_exit_status(code);
}

/* The exit status after something was printed. */
static int ended(int code, struct mk_error *err)
{
    if (code == MK_OK) code = mk_table_flush(stdout, err);
    return code < 0 ? fail(err, code) : 0;
}

/* Runs a command; the exit status. */
static int run(const char *name, int argc, char **argv, struct mk_error *err)
{
    struct mk_command commands[MK_MOST_COMMANDS + 1];
    const char *names[MK_MOST_COMMANDS];
    const size_t n = mk_commands(commands);
    char clip[MK_CLIP_ROOM], hint[MK_CLIP_ROOM], word[32];
    snprintf(word, sizeof word, "%s", name);
    for (char *c = word; *c; c++) *c = *c == '-' ? '_' : *c; /* check-plugin */
    for (size_t i = 0; i < n; i++) {
        names[i] = commands[i].name;
        if (strcmp(word, commands[i].name) != 0) continue;
        int code = commands[i].run(argc, argv, err);
        if (code < 0 && strncmp(err->text, "--plugin: ", strlen("--plugin: ")) == 0) /* a place that names no command */
            code = mk_fail(err, code, "maxk %s: %s", commands[i].name, err->text);
        return ended(code, err);
    }
    const char *nearest = mk_nearest(name, names, n);
    return fail(err, mk_fail(err, MK_EINPUT, "maxk: %s: no such command (%s)", mk_clip(name, clip),
                             mk_hint(nearest, "see maxk --help", hint)));
}

/* --help[=FORM]: `form` is "" or begins with "=". */
static int help(const char *form, struct mk_error *err)
{
    struct mk_command commands[MK_MOST_COMMANDS + 1];
    char all[64], clip[MK_CLIP_ROOM];
    mk_commands(commands);
    int position = *form == '=' ? mk_choice_find(MK_HELP_FORMS, form + 1) : MK_HELP_TEXT;
    int code = position < 0 ? mk_fail(err, MK_EINPUT, "maxk: --help: expected one of %s; got '%s'",
                                      mk_choice_list(MK_HELP_FORMS, all, sizeof all), mk_clip(form + 1, clip))
                            : mk_help_program((enum mk_help_form)position, commands, stdout, err);
    return ended(code, err);
}

/* help [COMMAND] */
static int help_of(int argc, char **argv, struct mk_error *err)
{
    char option[] = "--help", clip[MK_CLIP_ROOM];
    if (argc < 2) return help("", err);
    if (argc > 2)
        return fail(err, mk_fail(err, MK_EINPUT, "maxk help: unexpected operand '%s'", mk_clip(argv[2], clip)));
    char *of[] = {argv[1], option, NULL};
    return run(argv[1], 2, of, err);
}

int main(int argc, char **argv)
{
    struct mk_error err = {0, ""};
    keep_standard_streams();
    mk_library_prepare();
    mk_end_on_signals();
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is reported like a full disk */
    if (argc < 2) {
        struct mk_command commands[MK_MOST_COMMANDS + 1];
        mk_commands(commands);
        mk_help_program(MK_HELP_TEXT, commands, stderr, &err);
        return mk_exit_status(MK_EINPUT);
    }
    if (strcmp(argv[1], "help") == 0) return help_of(argc - 1, argv + 1, &err);
    if (strcmp(argv[1], "-h") == 0) return help("", &err);
    if (strcmp(argv[1], "--help") == 0 || strncmp(argv[1], "--help=", 7) == 0) return help(argv[1] + 6, &err);
    if (strcmp(argv[1], "-V") == 0 || strcmp(argv[1], "--version") == 0) {
        printf("maxk %s (%s)\n", mk_version(), mk_revision());
        return ended(MK_OK, &err);
    }
    return run(argv[1], argc - 1, argv + 1, &err);
}

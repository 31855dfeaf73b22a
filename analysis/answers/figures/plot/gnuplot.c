/* Running gnuplot: posix_spawnp with an argument vector, no shell, no start-up files of the user (-d). */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/error.h"

#include "analysis/answers/figures/plot/plot.h"

/* The most informative line of gnuplot's messages: the first with a place (`"x.gp" line 3: …`), else the first with
 * letters. */
static void first_message(FILE *log, char *out, size_t room)
{
    char line[512];
    snprintf(out, room, "no message");
    rewind(log);
    for (int found = 0; fgets(line, sizeof line, log);) {
        line[strcspn(line, "\n")] = '\0';
        int placed = strstr(line, "\" line ") != NULL;
        if (placed || (!found && line[strspn(line, " \t^")])) snprintf(out, room, "%s", line);
        if (placed) return;
        found = 1;
    }
}

static int start(pid_t *child, const char *folder, const char *script, int log)
{
    char *const argv[] = {(char[]){"gnuplot"}, (char[]){"-d"}, (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return failure;
    failure = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, log, 1);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, log, 2);
    if (!failure) failure = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!failure) failure = posix_spawnp(child, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return failure;
}

int mk_gnuplot_run(const char *folder, const char *script, struct mk_error *err)
{
    char message[512];
    int status, code = MK_OK;
    pid_t child, ended;
    FILE *log = tmpfile();
    if (!log) return mk_fail(err, MK_EIO, "cannot create a temporary file: %s", strerror(errno));
    int failure = start(&child, folder, script, fileno(log));
    if (failure == ENOENT)
        code = mk_fail(err, MK_EFAIL, "gnuplot: not found on the PATH (Debian: package gnuplot-nox)");
    else if (failure)
        code = mk_fail(err, MK_EFAIL, "gnuplot: cannot be started: %s", strerror(failure));
    if (code) goto out;
    do ended = waitpid(child, &status, 0);
    while (ended < 0 && errno == EINTR);
    if (ended < 0 || !WIFEXITED(status)) {
        code = mk_fail(err, MK_EFAIL, "gnuplot: %s: ended prematurely", script);
    } else if (WEXITSTATUS(status)) {
        first_message(log, message, sizeof message);
        code = mk_fail(err, MK_EFAIL, "gnuplot: %s: %s", script, message);
    }
out:
    fclose(log);
    return code;
}

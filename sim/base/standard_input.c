#include "sim/base/standard_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool mk_is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *mk_readable_path(const char *path)
{
    return mk_is_standard_input(path) ? "/dev/stdin" : path;
}

/* Everything from standard input; 0, or -1 with errno. */
static int copy_to(FILE *to)
{
    char room[1 << 16];
    for (;;) {
        ssize_t got = read(STDIN_FILENO, room, sizeof room);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return (int)got;
        if (fwrite(room, 1, (size_t)got, to) != (size_t)got) return -1;
    }
}

int mk_standard_input_keep(const char *path, struct mk_error *err)
{
    struct stat s;
    if (!mk_is_standard_input(path) || (fstat(STDIN_FILENO, &s) == 0 && S_ISREG(s.st_mode))) return MK_OK;
    FILE *copy = tmpfile();
    bool good = copy && copy_to(copy) == 0 && fflush(copy) == 0 && dup2(fileno(copy), STDIN_FILENO) == STDIN_FILENO;
    int code = good ? MK_OK : mk_fail(err, MK_EIO, "standard input: cannot be kept: %s", strerror(errno));
    if (copy) fclose(copy);
    return code;
}

#include "sim/base/input_path.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/base/error.h"

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

/* Takes the last component off a path; what is left ends there. Returns the component, NULL: there is none. */
static const char *take_last(char *path)
{
    char *slash = strrchr(path, '/');
    if (!slash) return NULL;
    *slash = '\0';
    return slash + 1;
}

bool mk_own_file(char out[MK_PATH_ROOM])
{
    static const char mark;
    Dl_info info;
    const char *name = dladdr(&mark, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (name && strncmp(name, "/libmaxk", sizeof "/libmaxk" - 1) == 0)
        return snprintf(out, MK_PATH_ROOM, "%s", info.dli_fname) < MK_PATH_ROOM;
    ssize_t n = readlink("/proc/self/exe", out, MK_PATH_ROOM - 1);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

bool mk_installed_path(char out[MK_PATH_ROOM], const char *path)
{
    if (!mk_own_file(out) || !take_last(out)) return false;
    for (int level = 0; level < 2; level++) {
        const char *folder = take_last(out);
        if (!folder) return false;
        if (strcmp(folder, "lib") != 0 && (level || strcmp(folder, "bin") != 0)) continue;
        size_t n = strlen(out);
        return snprintf(out + n, MK_PATH_ROOM - n, "/%s", path) < (int)(MK_PATH_ROOM - n) && access(out, R_OK) == 0;
    }
    return false;
}

bool mk_installed_experiment(char out[MK_PATH_ROOM], const char *path)
{
    char below[MK_PATH_ROOM];
    if (strncmp(path, "experiments/", sizeof "experiments/" - 1) != 0 || access(path, F_OK) == 0) return false;
    return snprintf(below, sizeof below, "share/maxk/%s", path) < (int)sizeof below && mk_installed_path(out, below);
}

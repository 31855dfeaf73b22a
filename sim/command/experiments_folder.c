#include "sim/command/experiments_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The path of a file of the program's own, from the folder that has LEVELS folders less than the program; NULL: there
 * is none. */
static const char *beside(char out[MK_FOLDER_ROOM], int levels, const char *path)
{
    ssize_t n = readlink("/proc/self/exe", out, MK_FOLDER_ROOM - strlen(path) - 1);
    out[n > 0 ? n : 0] = '\0';
    for (int level = 0; level < levels; level++) {
        char *slash = strrchr(out, '/');
        if (!slash) return NULL;
        *slash = '\0';
    }
    strcat(out, path);
    return access(out, R_OK) == 0 ? out : NULL;
}

const char *mk_experiments_folder(char out[MK_FOLDER_ROOM])
{
    static const char here[] = "experiments";
    if (access(here, X_OK) == 0) return here;
    const char *installed = beside(out, 2, "/share/maxk/experiments"); /* PREFIX/bin/maxk */
    return installed ? installed : here;
}

const char *mk_manual_page(char out[MK_FOLDER_ROOM])
{
    const char *built = beside(out, 1, "/manual/index.html"); /* build/maxk */
    return built ? built : beside(out, 2, "/share/doc/maxk/manual/index.html");
}

char *mk_experiment_by_name(const char *operand)
{
    char room[MK_FOLDER_ROOM], *path = NULL;
    if (!*operand || strpbrk(operand, "/.") || access(operand, F_OK) == 0) return NULL;
    if (asprintf(&path, "%s/%s.yaml", mk_experiments_folder(room), operand) < 0) return NULL;
    if (access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
}

#include "sim/command/experiments_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *mk_experiments_folder(char out[MK_FOLDER_ROOM])
{
    static const char here[] = "experiments", installed[] = "/share/maxk/experiments";
    if (access(here, X_OK) == 0) return here;
    ssize_t n = readlink("/proc/self/exe", out, MK_FOLDER_ROOM - sizeof installed);
    out[n > 0 ? n : 0] = '\0';
    for (int level = 0; level < 2; level++) { /* PREFIX/bin/maxk */
        char *slash = strrchr(out, '/');
        if (!slash) return here;
        *slash = '\0';
    }
    strcat(out, installed);
    return access(out, X_OK) == 0 ? out : here;
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

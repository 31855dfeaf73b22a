#include "sim/program/command/experiments_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *mk_experiments_folder(char out[MK_PATH_ROOM])
{
    static const char here[] = "experiments";
    return access(here, X_OK) != 0 && mk_installed_path(out, "share/maxk/experiments") ? out : here;
}

const char *mk_manual_page(char out[MK_PATH_ROOM])
{
    char *slash = mk_own_file(out) ? strrchr(out, '/') : NULL; /* of build/maxk */
    size_t room = slash ? MK_PATH_ROOM - (size_t)(slash - out) : 0;
    if (slash && snprintf(slash, room, "/manual/index.html") < (int)room && access(out, R_OK) == 0) return out;
    return mk_installed_path(out, "share/doc/maxk/manual/index.html") ? out : NULL;
}

char *mk_find_operand(const char *operand, bool is_experiment)
{
    char installed[MK_PATH_ROOM], *path = NULL;
    bool is_name = is_experiment && *operand && !strpbrk(operand, "/.") && access(operand, F_OK) != 0;
    if (asprintf(&path, is_name ? "experiments/%s.yaml" : "%s", operand) < 0) return NULL;
    if (is_name && access(path, R_OK) == 0) return path;
    bool is_found = mk_installed_experiment(installed, path);
    if (is_found && !is_name) fprintf(stderr, "maxk: %s: not in this folder; reading %s\n", path, installed);
    free(path);
    return is_found ? strdup(installed) : NULL;
}

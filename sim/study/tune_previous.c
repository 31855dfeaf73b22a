#include "sim/study/tune_previous.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/results/study_files.h"
#include "sim/base/error.h"

enum { FILES = 6 };
static const char *const endings[FILES] = {".h5",       ".csv", ".times.csv", ".best.yaml", ".reevaluations.csv",
                                           ".tune.yaml"};

/* What can be kept: the files, and the folder at FILES; NULL: none. */
struct kept {
    char *path[FILES + 1];
};

static bool there(const char *path, const char *ending, struct stat *st)
{
    char *whole = NULL;
    if (!path || asprintf(&whole, "%s%s", path, ending) < 0) return false;
    const bool found = lstat(whole, st) == 0;
    free(whole);
    return found;
}

static bool is_free(const struct kept *k, const char *ending)
{
    struct stat st;
    for (size_t i = 0; i <= FILES; i++)
        if (there(k->path[i], ending, &st)) return false;
    return true;
}

/* Gives path i its second name; a folder its only one. */
static int move(const char *path, const char *ending, bool is_folder, struct mk_error *err)
{
    char *previous = NULL;
    if (asprintf(&previous, "%s%s", path, ending) < 0) return mk_fail_memory(err, "a file name");
    int code = MK_OK;
    if (is_folder ? rename(path, previous) : link(path, previous))
        code = mk_fail(err, MK_EINPUT, "%s: cannot be kept as %s: %s", path, previous, strerror(errno));
    free(previous);
    return code;
}

int mk_tune_keep_previous(const char *result, const char *folder, bool move_folder, char ending[MK_PREVIOUS_ROOM],
                          struct mk_error *err)
{
    struct kept k = {{NULL}};
    struct stat st;
    bool any = move_folder, keep[FILES + 1] = {false};
    int code = (k.path[FILES] = strdup(folder)) ? MK_OK : mk_fail_memory(err, "a file name");
    for (size_t i = 0; i < FILES && result && !code; i++) {
        k.path[i] = mk_trials_path(result, endings[i]);
        if (!k.path[i]) code = mk_fail_memory(err, "a file name");
        keep[i] = there(k.path[i], "", &st) && S_ISREG(st.st_mode) && st.st_nlink == 1;
        any |= keep[i];
    }
    keep[FILES] = move_folder;
    *ending = 0;
    if (any && !code) {
        snprintf(ending, MK_PREVIOUS_ROOM, ".previous");
        for (unsigned n = 2; !is_free(&k, ending); n++) snprintf(ending, MK_PREVIOUS_ROOM, ".previous.%u", n);
    }
    for (size_t i = 0; i <= FILES && !code; i++)
        if (keep[i]) code = move(k.path[i], ending, i == FILES, err);
    for (size_t i = 0; i <= FILES; i++) free(k.path[i]);
    return code;
}

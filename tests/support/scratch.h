/* Files that a test writes: in a directory of its own under /tmp, removed by scratch_remove. */
#ifndef MAXK_TESTS_SUPPORT_SCRATCH_H
#define MAXK_TESTS_SUPPORT_SCRATCH_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct scratch {
    char dir[64];
    char path[256]; /* of the last file */
};

static inline void scratch_make(struct scratch *s)
{
    snprintf(s->dir, sizeof s->dir, "/tmp/maxk-test-XXXXXX");
    if (!mkdtemp(s->dir)) {
        perror(s->dir);
        exit(1);
    }
}

/* Writes dir/name; the path is valid until the next call. */
static inline const char *scratch_write(struct scratch *s, const char *name, const char *text, size_t length)
{
    snprintf(s->path, sizeof s->path, "%s/%s", s->dir, name);
    FILE *file = fopen(s->path, "wb");
    if (!file || fwrite(text, 1, length, file) != length || fclose(file) != 0) {
        perror(s->path);
        exit(1);
    }
    return s->path;
}

static inline void scratch_remove(struct scratch *s)
{
    DIR *dir = opendir(s->dir);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        snprintf(s->path, sizeof s->path, "%s/%.150s", s->dir, entry->d_name);
        if (entry->d_name[0] != '.') unlink(s->path);
    }
    if (dir) closedir(dir);
    rmdir(s->dir);
}

#endif

/* fsync of the program that includes this: it notes what is synced, then does it. */
#ifndef MAXK_TESTS_SUPPORT_SYNCED_H
#define MAXK_TESTS_SUPPORT_SYNCED_H

#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYNCED_ROOM = 16 };
static struct {
    size_t n;
    struct stat of[SYNCED_ROOM]; /* as they were then */
} synced;

int fsync(int fd)
{
    struct stat s;
    if (fstat(fd, &s) == 0) synced.of[synced.n++ % SYNCED_ROOM] = s;
    return (int)syscall(SYS_fsync, fd);
}

/* Whether the i-th file that was synced is what is now at the path, with what it holds now. */
static inline int synced_is(size_t i, const char *path)
{
    struct stat now;
    return i < synced.n && i < SYNCED_ROOM && stat(path, &now) == 0 && now.st_ino == synced.of[i].st_ino &&
           (S_ISDIR(now.st_mode) || now.st_size == synced.of[i].st_size);
}

#endif

/* fsync, ftruncate and pwrite of the program that includes this: the first notes what is synced, and each of them fails
 * once when it is told to. */
#ifndef MAXK_TESTS_SUPPORT_SYNCED_H
#define MAXK_TESTS_SUPPORT_SYNCED_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SYNCED_ROOM = 16 };
static struct {
    size_t n;
    struct stat of[SYNCED_ROOM]; /* as they were then */
    bool fsync_fails, ftruncate_fails, pwrite_fails;
    size_t written; /* bytes, by pwrite */
} synced;

static inline bool synced_fails(bool *now)
{
    const bool fails = *now;
    *now = false;
    if (fails) errno = EIO;
    return fails;
}

int fsync(int fd)
{
    struct stat s;
    if (synced_fails(&synced.fsync_fails)) return -1;
    if (fstat(fd, &s) == 0) synced.of[synced.n++ % SYNCED_ROOM] = s;
    return (int)syscall(SYS_fsync, fd);
}

int ftruncate(int fd, off_t n)
{
    return synced_fails(&synced.ftruncate_fails) ? -1 : (int)syscall(SYS_ftruncate, fd, n);
}

/* One that fails has written half of the bytes. */
ssize_t pwrite(int fd, const void *bytes, size_t n, off_t at)
{
    const bool fails = synced_fails(&synced.pwrite_fails);
    const ssize_t done = syscall(SYS_pwrite64, fd, bytes, fails ? n / 2 : n, at);
    if (done > 0) synced.written += (size_t)done;
    errno = fails ? ENOSPC : errno;
    return fails ? -1 : done;
}

/* Whether the i-th file that was synced is what is now at the path, with what it holds now. */
static inline int synced_is(size_t i, const char *path)
{
    struct stat now;
    return i < synced.n && i < SYNCED_ROOM && stat(path, &now) == 0 && now.st_ino == synced.of[i].st_ino &&
           (S_ISDIR(now.st_mode) || now.st_size == synced.of[i].st_size);
}

#endif

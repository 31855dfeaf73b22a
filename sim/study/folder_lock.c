#include "sim/study/folder_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/error.h"

/* A guard that was just being forked when maxk was killed holds the lock until it has closed what it does not need. */
static bool lock_soon(int fd)
{
    const struct timespec pause = {0, 10000000};
    for (int tries = 0; tries < 100; tries++) {
        if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

/* Whether the locked file is still the one at the path: its last owner removes it. */
static bool is_at_path(const struct mk_folder_lock *lock)
{
    struct stat ours, there;
    return fstat(lock->fd, &ours) == 0 && lstat(lock->path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

int mk_folder_lock(struct mk_folder_lock *lock, const char *folder, struct mk_error *err)
{
    *lock = (struct mk_folder_lock){-1, NULL};
    if (asprintf(&lock->path, "%s.lock", folder) < 0) {
        lock->path = NULL;
        return mk_fail_memory(err, "a file name");
    }
    for (;;) {
        lock->fd = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (lock->fd < 0) return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", lock->path, strerror(errno));
        const bool locked = lock_soon(lock->fd);
        if (locked && is_at_path(lock)) return MK_OK;
        close(lock->fd);
        lock->fd = -1;
        if (!locked) return mk_fail(err, MK_EINPUT, "%s: in use by another process", folder);
    }
}

void mk_folder_unlock(struct mk_folder_lock *lock)
{
    if (lock->fd >= 0) {
        unlink(lock->path);
        flock(lock->fd, LOCK_UN); /* processes that were forked may have it open still */
        close(lock->fd);
    }
    free(lock->path);
    *lock = (struct mk_folder_lock){-1, NULL};
}

#include "sim/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/progress.h"

enum { PATH_ROOM = 4096, MOST_NOTED = 64 };

/* At file scope, since a signal handler has no argument for it. */
static _Atomic(const char *) noted[MOST_NOTED];

void mk_leftover_note(const char *path)
{
    for (size_t i = 0; i < MOST_NOTED; i++) {
        const char *empty = NULL;
        if (atomic_compare_exchange_strong(&noted[i], &empty, path)) return;
    }
}

void mk_leftover_forget(const char *path)
{
    for (size_t i = 0; path && i < MOST_NOTED; i++) {
        const char *same = path;
        if (atomic_compare_exchange_strong(&noted[i], &same, NULL)) return;
    }
}

void mk_leftover_remove(void)
{
    const char *path;
    for (size_t i = 0; i < MOST_NOTED; i++)
        if ((path = atomic_load(&noted[i]))) unlink(path);
    for (size_t i = MOST_NOTED; i-- > 0;) /* a folder within another one was noted later */
        if ((path = atomic_load(&noted[i]))) rmdir(path);
}

static int unwritable(const char *path, const char *why, struct mk_error *err)
{
    return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", path, why);
}

int mk_atomic_file_check(const char *path, struct mk_error *err)
{
    struct stat st;
    if (!*path) return unwritable("''", strerror(ENOENT), err);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return unwritable(path, S_ISDIR(st.st_mode) ? strerror(EISDIR) : "not a regular file", err);
    return MK_OK;
}

char *mk_follow_links(const char *path)
{
    enum { MOST_LINKS = 40 };
    char *at = strdup(path), target[PATH_ROOM];
    for (int i = 0; at && i < MOST_LINKS; i++) {
        const ssize_t n = readlink(at, target, sizeof target - 1);
        if (n < 0) break; /* not a link */
        target[n] = 0;
        const char *slash = strrchr(at, '/');
        char *next = NULL;
        if (*target == '/' || !slash)
            next = strdup(target);
        else if (asprintf(&next, "%.*s/%s", (int)(slash - at), at, target) < 0)
            next = NULL;
        free(at);
        at = next;
    }
    return at;
}

/* A new file next to `path` under a name that nobody can have prepared; -1 with errno, *temp NULL when out of memory.
 */
static int create_beside(const char *path, char **temp)
{
    for (;;) {
        uint64_t any = 0;
        if (getrandom(&any, sizeof any, 0) != (ssize_t)sizeof any) return -1;
        if (asprintf(temp, "%s.tmp.%ld.%016" PRIx64, path, (long)getpid(), any) < 0) {
            *temp = NULL;
            return -1;
        }
        const int fd = open(*temp, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
        free(*temp);
        *temp = NULL;
    }
}

int mk_atomic_file_begin(struct mk_atomic_file *r, const char *path, struct mk_error *err)
{
    int fd = -1, code = mk_atomic_file_check(path, err);
    memset(r, 0, sizeof *r);
    if (code) return code;
    r->path = mk_follow_links(path); /* a link stays, and its end is replaced */
    if (r->path) fd = create_beside(r->path, &r->temp);
    if (!r->temp) {
        code = mk_fail_memory(err, "a file name");
    } else if (fd < 0) {
        code = unwritable(path, strerror(errno), err);
        free(r->temp); /* not ours to remove */
        r->temp = NULL;
    }
    if (fd >= 0) {
        mk_leftover_note(r->temp);
        close(fd);
    }
    if (code) mk_atomic_file_drop(r);
    return code;
}

/* fsync of a file or directory by name. */
static int sync_name(const char *name, int flags)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC | flags);
    if (fd < 0) return -1;
    int failed = fsync(fd);
    int saved = errno;
    close(fd);
    errno = saved;
    return failed;
}

static int sync_directory(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *directory = !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    if (!directory) return -1;
    int failed = sync_name(directory, O_DIRECTORY);
    /* Some network file systems cannot sync a directory; the rename is done all the same. */
    if (failed && (errno == EINVAL || errno == ENOTSUP || errno == EACCES)) failed = 0;
    free(directory);
    return failed;
}

static int unfinished(const char *path, struct mk_error *err)
{
    return mk_fail(err, MK_EIO, "%s: write failed: %s", path, strerror(errno));
}

int mk_move_synced(const char *from, const char *to, struct mk_error *err)
{
    if (sync_name(from, 0) || rename(from, to) || sync_directory(to)) return unfinished(to, err);
    return MK_OK;
}

int mk_atomic_file_commit(struct mk_atomic_file *r, struct mk_error *err)
{
    if (sync_name(r->temp, 0) || rename(r->temp, r->path)) return unfinished(r->path, err);
    mk_leftover_forget(r->temp);
    free(r->temp);
    r->temp = NULL;
    return sync_directory(r->path) ? unfinished(r->path, err) : MK_OK;
}

void mk_atomic_file_drop(struct mk_atomic_file *r)
{
    if (r->temp) unlink(r->temp);
    mk_leftover_forget(r->temp);
    free(r->temp);
    free(r->path);
    r->temp = r->path = NULL;
}

int mk_atomic_file_open(struct mk_atomic_file *r, FILE **file, const char *path, struct mk_error *err)
{
    int code = mk_atomic_file_begin(r, path, err);
    *file = NULL;
    if (code) return code;
    *file = fopen(r->temp, "w");
    if (!*file) {
        code = unwritable(path, strerror(errno), err);
        mk_atomic_file_drop(r);
    }
    return code;
}

int mk_close_written(FILE *file, const char *path, struct mk_error *err)
{
    const bool failed = ferror(file);
    errno = 0;
    if (!fclose(file) && !failed) return MK_OK;
    return mk_fail(err, MK_EIO, "%s: write failed: %s", path, errno ? strerror(errno) : "output error");
}

int mk_atomic_file_close(struct mk_atomic_file *r, FILE *file, int code, struct mk_error *err)
{
    if (code == MK_EIO && ferror(file) && err) mk_fail(err, code, "%s: %s", r->path, err->text);
    const int closed = mk_close_written(file, r->path, code ? NULL : err);
    if (!code) code = closed;
    if (!code) code = mk_atomic_file_commit(r, err);
    mk_atomic_file_drop(r);
    return code;
}

int mk_append(struct mk_append_file *f, const void *record, size_t n, struct mk_error *err)
{
    for (size_t done = 0; done < n;) {
        const ssize_t more = pwrite(f->fd, (const char *)record + done, n - done, f->end + (off_t)done);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) {
            const int code = unfinished(f->path, err);
            if (ftruncate(f->fd, f->end)) return code; /* a record that is cut off is recognised when it is read */
            return code;
        }
        done += (size_t)more;
    }
    f->end += (off_t)n;
    f->dirty = true;
    return MK_OK;
}

int mk_append_cut(struct mk_append_file *f, off_t end, struct mk_error *err)
{
    f->end = end;
    return ftruncate(f->fd, end) ? unfinished(f->path, err) : MK_OK;
}

int mk_append_sync(struct mk_append_file *f, double seconds, struct mk_error *err)
{
    if (seconds > 0 && (!f->dirty || mk_seconds() - f->synced < seconds)) return MK_OK;
    f->dirty = false;
    if (fsync(f->fd)) return unfinished(f->path, err);
    f->synced = mk_seconds();
    return MK_OK;
}

static bool is_taken(int fd)
{
    return flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
}

/* Whether the file is still the one at the path. */
static bool is_at_path(int fd, const char *path)
{
    struct stat ours, there;
    return fstat(fd, &ours) == 0 && stat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

int mk_open_locked(const char *path, int flags, double patience)
{
    static const struct timespec pause = {0, 10000000};
    const double end = mk_seconds() + patience;
    for (;;) {
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | flags, 0666);
        if (fd < 0) return -1;
        bool taken;
        while ((taken = is_taken(fd)) && mk_seconds() < end) nanosleep(&pause, NULL);
        if (!taken && is_at_path(fd, path)) return fd;
        close(fd);
        if (!taken) continue;
        errno = EWOULDBLOCK;
        return -1;
    }
}

int mk_make_folder(const char *folder, struct mk_error *err)
{
    char path[PATH_ROOM];
    struct stat status;
    if (!*folder) return mk_fail(err, MK_EINPUT, "'': cannot be created: %s", strerror(ENOENT));
    if (strlen(folder) >= sizeof path) return mk_fail(err, MK_EINPUT, "%.200s…: path too long", folder);
    strcpy(path, folder);
    for (char *at = path + 1;; at++) {
        char end = *at;
        if (end && end != '/') continue;
        *at = '\0';
        if (mkdir(path, 0777) && errno != EEXIST)
            return mk_fail(err, MK_EINPUT, "%s: cannot be created: %s", path, strerror(errno));
        if (!end) break;
        *at = end;
    }
    if (stat(folder, &status) || !S_ISDIR(status.st_mode)) return mk_fail(err, MK_EINPUT, "%s: not a folder", folder);
    return MK_OK;
}

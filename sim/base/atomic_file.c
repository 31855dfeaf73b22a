#include "sim/base/atomic_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/hash.h"
#include "sim/base/progress.h"

enum { PATH_ROOM = 4096, MOST_NOTED = 64, MOST_LOCKED = 256 };

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

/* ---- temporary names ----
 *
 * PATH.tmp.<pid>.<where><random>, <where> and <random> in 8 and 16 hexadecimal digits: the files of a process that was
 * killed are recognised by its number, which is one of <where> alone. */

enum { WHERE_DIGITS = 8, NAME_DIGITS = WHERE_DIGITS + 16 };

static uint64_t add_text(uint64_t hash, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) hash = mk_hash_add(hash, (unsigned char)text[i]);
    return hash;
}

/* The machine and its name space of processes: folders may be shared with others. */
static uint32_t where_pids_count(void)
{
    char text[256] = "";
    uint64_t hash = MK_HASH_START;
    if (gethostname(text, sizeof text - 1) == 0) hash = add_text(hash, text, strlen(text));
    const ssize_t space = readlink("/proc/self/ns/pid", text, sizeof text);
    if (space > 0) hash = add_text(hash, text, (size_t)space);
    const int fd = open("/etc/machine-id", O_RDONLY | O_CLOEXEC);
    const ssize_t id = fd < 0 ? 0 : read(fd, text, sizeof text);
    if (id > 0) hash = add_text(hash, text, (size_t)id);
    if (fd >= 0) close(fd);
    return (uint32_t)(hash ^ hash >> 32);
}

/* A temporary name for `path` that nobody can have prepared; NULL with errno. */
static char *temporary_name(const char *path)
{
    uint64_t any = 0;
    char *name = NULL;
    if (getrandom(&any, sizeof any, 0) != (ssize_t)sizeof any) return NULL;
    return asprintf(&name, "%s.tmp.%ld.%08" PRIx32 "%016" PRIx64, path, (long)getpid(), where_pids_count(), any) < 0
               ? NULL
               : name;
}

/* Whether what follows PATH in a name is that of a temporary file whose process is gone. */
static bool is_abandoned(const char *ending, const char *where)
{
    char *end;
    if (strncmp(ending, ".tmp.", 5) != 0) return false;
    const long pid = strtol(ending + 5, &end, 10);
    return pid > 0 && pid <= INT_MAX && *end == '.' && strlen(end + 1) == NAME_DIGITS &&
           strncmp(end + 1, where, WHERE_DIGITS) == 0 && kill((pid_t)pid, 0) && errno == ESRCH;
}

/* The folder of a path; malloc'ed, NULL: no memory. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return !slash ? strdup(".") : slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

void mk_atomic_file_collect(const char *path)
{
    char where[WHERE_DIGITS + 1], *end = mk_follow_links(path), *folder = end ? folder_of(end) : NULL;
    const char *slash = end ? strrchr(end, '/') : NULL, *name = slash ? slash + 1 : end;
    const size_t length = name ? strlen(name) : 0;
    DIR *all = folder ? opendir(folder) : NULL;
    snprintf(where, sizeof where, "%08" PRIx32, where_pids_count());
    for (struct dirent *entry; all && (entry = readdir(all));)
        if (strncmp(entry->d_name, name, length) == 0 && is_abandoned(entry->d_name + length, where))
            unlinkat(dirfd(all), entry->d_name, 0);
    if (all) closedir(all);
    free(folder);
    free(end);
}

/* A new file under a temporary name for `path`; -1 with errno, *temp NULL when there is no name. */
static int create_beside(const char *path, char **temp)
{
    while ((*temp = temporary_name(path))) {
        const int fd = open(*temp, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST) return fd;
        free(*temp);
    }
    return -1;
}

int mk_atomic_file_begin(struct mk_atomic_file *r, const char *path, struct mk_error *err)
{
    int fd = -1, code = mk_atomic_file_check(path, err);
    memset(r, 0, sizeof *r);
    if (code) return code;
    mk_atomic_file_collect(path);
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
    char *directory = folder_of(path);
    if (!directory) return -1;
    int failed = sync_name(directory, O_DIRECTORY);
    /* Some network file systems cannot sync a directory; what was done there is done all the same. */
    if (failed && (errno == EINVAL || errno == ENOTSUP || errno == EACCES)) failed = 0;
    free(directory);
    return failed;
}

static int unfinished(const char *path, struct mk_error *err)
{
    return mk_fail(err, MK_EIO, "%s: write failed: %s", path, strerror(errno));
}

int mk_sync_place(const char *path, struct mk_error *err)
{
    return sync_directory(path) ? unfinished(path, err) : MK_OK;
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

/* ---- a second name for as long as a file is replaced ---- */

int mk_atomic_file_keep(struct mk_atomic_file *r, const char *path, struct mk_error *err)
{
    struct stat st;
    *r = (struct mk_atomic_file){mk_follow_links(path), NULL};
    if (!r->path) return mk_fail_memory(err, "a file name");
    if (stat(r->path, &st)) return MK_OK; /* nothing to keep */
    r->temp = temporary_name(r->path);
    if (!r->temp) return mk_fail_memory(err, "a file name");
    if (link(r->path, r->temp) == 0) {
        mk_leftover_note(r->temp);
        return MK_OK;
    }
    const bool can = errno != EPERM && errno != ENOTSUP && errno != ENOSYS; /* there are no second names everywhere */
    free(r->temp);
    r->temp = NULL;
    return can ? unfinished(path, err) : MK_OK;
}

void mk_atomic_file_restore(struct mk_atomic_file *r)
{
    if (r->temp) rename(r->temp, r->path);
}

/* ---- appending ---- */

/* Drops what there may be after the whole records. */
static int cut_torn(struct mk_append_file *f)
{
    if (f->torn && ftruncate(f->fd, f->end)) return -1;
    f->torn = false;
    return 0;
}

/* Writes n bytes at a place; 0: all of them. */
static int write_at(int fd, const char *bytes, size_t n, off_t at)
{
    for (size_t done = 0; done < n;) {
        const ssize_t more = pwrite(fd, bytes + done, n - done, at + (off_t)done);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return -1;
        done += (size_t)more;
    }
    return 0;
}

int mk_append(struct mk_append_file *f, const void *record, size_t n, struct mk_error *err)
{
    if (cut_torn(f)) return unfinished(f->path, err);
    if (write_at(f->fd, record, n, f->end)) {
        const int code = unfinished(f->path, err);
        f->torn = true;
        cut_torn(f); /* or before the next record */
        return code;
    }
    f->end += (off_t)n;
    f->dirty = true;
    return MK_OK;
}

int mk_append_cut(struct mk_append_file *f, off_t end, struct mk_error *err)
{
    f->dirty |= end != f->end;
    f->torn = true;
    f->end = end;
    if (f->on_disk > end) f->on_disk = end;
    return cut_torn(f) ? unfinished(f->path, err) : MK_OK;
}

/* Writes what is not known to be on the disk once more: after an fsync that failed the system may take it for written,
 * and the next fsync would succeed without it. */
static int write_again(struct mk_append_file *f)
{
    char bytes[1 << 14];
    for (off_t at = f->on_disk; at < f->end;) {
        const size_t left = (size_t)(f->end - at);
        const ssize_t n = pread(f->fd, bytes, left < sizeof bytes ? left : sizeof bytes, at);
        if (n <= 0 || write_at(f->fd, bytes, (size_t)n, at)) return -1;
        at += n;
    }
    return 0;
}

int mk_append_sync(struct mk_append_file *f, double seconds, struct mk_error *err)
{
    if (seconds > 0 && (!f->dirty || mk_seconds() - f->synced < seconds)) return MK_OK;
    if (cut_torn(f) || (f->unsure && write_again(f)) || fsync(f->fd)) {
        f->unsure = f->dirty = true;
        return unfinished(f->path, err);
    }
    f->unsure = f->dirty = false;
    f->on_disk = f->end;
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

/* Descriptors of locked files, plus 1. A lock lasts until all processes that have the open file are gone: a forked one,
 * such as a worker of a pool of processes whose parent is killed, would keep it. */
static _Atomic int locked[MOST_LOCKED];

static void change_locked(int from, int to)
{
    for (size_t i = 0; i < MOST_LOCKED; i++) {
        int expected = from;
        if (atomic_compare_exchange_strong(&locked[i], &expected, to)) return;
    }
}

static void leave_locks(void)
{
    for (size_t i = 0; i < MOST_LOCKED; i++) {
        const int fd = atomic_exchange(&locked[i], 0) - 1;
        if (fd >= 0) close(fd);
    }
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, leave_locks);
}

void mk_close_locked(int fd)
{
    change_locked(fd + 1, 0);
    close(fd);
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
        if (!taken && is_at_path(fd, path)) {
            change_locked(0, fd + 1);
            return fd;
        }
        close(fd);
        if (!taken) continue;
        errno = EWOULDBLOCK;
        return -1;
    }
}

/* synced: the names of those that are new are on the disk. */
static int make_folder(const char *folder, bool synced, struct mk_error *err)
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
        const bool is_new = mkdir(path, 0777) == 0;
        if (!is_new && errno != EEXIST)
            return mk_fail(err, MK_EINPUT, "%s: cannot be created: %s", path, strerror(errno));
        if (is_new && synced && sync_directory(path)) return unfinished(path, err);
        if (!end) break;
        *at = end;
    }
    if (stat(folder, &status) || !S_ISDIR(status.st_mode)) return mk_fail(err, MK_EINPUT, "%s: not a folder", folder);
    return MK_OK;
}

int mk_make_folder(const char *folder, struct mk_error *err)
{
    return make_folder(folder, false, err);
}

static int remove_below(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    return at->level ? remove(path) : 0;
}

int mk_empty_folder(const char *folder, struct mk_error *err)
{
    enum { OPEN_FOLDERS = 16 };
    if (!nftw(folder, remove_below, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: cannot be emptied: %s", folder, strerror(errno));
}

int mk_make_folder_synced(const char *folder, struct mk_error *err)
{
    return make_folder(folder, true, err);
}

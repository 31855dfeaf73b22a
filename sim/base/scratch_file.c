#include "sim/base/scratch_file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/text.h"

enum { BUFFER = 1 << 15, MAPPINGS = 8 };

struct mk_scratch {
    int file;
    char *folder;
    double *buffer; /* [BUFFER] appended, not written yet */
    size_t n_buffer;
    uint64_t written; /* numbers in the file; with mappings: whole pages */
    struct {
        void *at;
        size_t bytes;
    } mapping[MAPPINGS];
    size_t n_mappings;
};

static int fail(const struct mk_scratch *s, int code, const char *what, int number, struct mk_error *err)
{
    return mk_fail(err, code, "%s: temporary file for recorded rewards %s: %s (set TMPDIR to use another folder)",
                   s->folder, what, strerror(number));
}

static int check_room(const struct mk_scratch *s, double bytes, struct mk_error *err)
{
    struct statvfs v;
    char need[MK_SIZE_ROOM], available[MK_SIZE_ROOM];
    if (isnan(bytes) || statvfs(s->folder, &v) != 0) return MK_OK;
    double room = (double)v.f_bavail * (double)v.f_frsize;
    if (bytes <= room) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: recorded rewards need about %s in a temporary file, but only %s are free there; set TMPDIR to "
                   "use another folder, or select some instances (problem.instances)",
                   s->folder, mk_size_text(bytes, need), mk_size_text(room, available));
}

int mk_scratch_folder(char *folder, size_t room, const char *name, struct mk_error *err)
{
    const char *place = getenv("TMPDIR");
    if ((size_t)snprintf(folder, room, "%s/maxk-%s-XXXXXX", place && *place ? place : "/tmp", name) >= room)
        return mk_fail(err, MK_EIO, "%s: the path of this folder is too long (set TMPDIR to use another)", place);
    return mkdtemp(folder) ? MK_OK : mk_fail(err, MK_EIO, "%s: cannot be created: %s", folder, strerror(errno));
}

int mk_scratch_new(struct mk_scratch **out, double bytes, struct mk_error *err)
{
    const char *folder = getenv("TMPDIR");
    struct mk_scratch *s = calloc(1, sizeof *s);
    char *name = NULL;
    if (!s) return mk_fail_memory(err, "a temporary file");
    s->file = -1;
    s->folder = strdup(folder && *folder ? folder : "/var/tmp");
    s->buffer = malloc(BUFFER * sizeof *s->buffer);
    int code = s->folder && s->buffer && asprintf(&name, "%s/maxk-XXXXXX", s->folder) >= 0
                   ? check_room(s, bytes, err)
                   : mk_fail_memory(err, "a temporary file");
    if (!code) {
        s->file = mkostemp(name, O_CLOEXEC);
        if (s->file < 0)
            code = fail(s, MK_EINPUT, "cannot be created", errno, err);
        else
            unlink(name);
    }
    free(name);
    if (code)
        mk_scratch_free(s);
    else
        *out = s;
    return code;
}

void mk_scratch_free(struct mk_scratch *s)
{
    if (!s) return;
    for (size_t i = 0; i < s->n_mappings; i++) munmap(s->mapping[i].at, s->mapping[i].bytes);
    if (s->file >= 0) close(s->file);
    free(s->buffer);
    free(s->folder);
    free(s);
}

static int write_out(struct mk_scratch *s, const double *value, size_t n, struct mk_error *err)
{
    const char *from = (const char *)value;
    for (size_t left = n * sizeof *value; left;) {
        ssize_t done = write(s->file, from, left);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) return fail(s, MK_EIO, "cannot be written", errno, err);
        from += done;
        left -= (size_t)done;
    }
    s->written += n;
    return MK_OK;
}

static int flush(struct mk_scratch *s, struct mk_error *err)
{
    int code = write_out(s, s->buffer, s->n_buffer, err);
    s->n_buffer = 0;
    return code;
}

int mk_scratch_append(struct mk_scratch *s, const double *value, size_t n, uint64_t *at, struct mk_error *err)
{
    *at = s->written + s->n_buffer;
    if (s->n_buffer + n > BUFFER) {
        int code = flush(s, err);
        if (code || n > BUFFER) return code ? code : write_out(s, value, n, err);
    }
    memcpy(s->buffer + s->n_buffer, value, n * sizeof *value);
    s->n_buffer += n;
    return MK_OK;
}

static int map(struct mk_scratch *s, uint64_t from, size_t bytes, double **out, struct mk_error *err)
{
    if (s->n_mappings == MAPPINGS) return mk_fail(err, MK_EFAIL, "too many mappings of a temporary file");
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, s->file, (off_t)(from * sizeof(double)));
    if (at == MAP_FAILED) return fail(s, MK_EIO, "cannot be mapped", errno, err);
    s->mapping[s->n_mappings].at = at;
    s->mapping[s->n_mappings++].bytes = bytes;
    *out = at;
    return MK_OK;
}

int mk_scratch_map(struct mk_scratch *s, double **out, struct mk_error *err)
{
    int code = flush(s, err);
    *out = NULL;
    free(s->buffer);
    s->buffer = NULL;
    return code || !s->written ? code : map(s, 0, (size_t)s->written * sizeof(double), out, err);
}

int mk_scratch_alloc(struct mk_scratch *s, size_t n, double **out, struct mk_error *err)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE) / sizeof(double);
    uint64_t from = (s->written + page - 1) / page * page;
    /* Reserves room on the disk now, which avoids a signal when a page is written back. */
    int failed = posix_fallocate(s->file, (off_t)(from * sizeof(double)), (off_t)(n * sizeof(double)));
    if (failed) return fail(s, MK_EIO, "cannot be written", failed, err);
    s->written = from + n;
    return map(s, from, n * sizeof(double), out, err);
}

void mk_scratch_release(const double *from, size_t n)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    char *first = (char *)from - (uintptr_t)from % page, *end = (char *)(from + n);
    if (n) madvise(first, (size_t)(end - first), MADV_DONTNEED);
}

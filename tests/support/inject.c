/* Preloaded by test_failures.py: makes one call of the program fail, and counts what it does not free. INJECT=memory:
 * the first allocation of call site number INJECT_AT of the program itself; INJECT=storage: call number INJECT_AT, of
 * any code, that opens, creates, writes, syncs, truncates, links, renames, removes or closes a file; INJECT=thread: the
 * start of a thread. Both count from 1. At the end the file INJECT_REPORT receives the number counted and the number of
 * blocks that the program's own code has allocated and that were never freed, with the code that allocated the first of
 * them (an offset for addr2line). Programs that are started by the program are left alone.
 *
 * Compiled with -DINJECT_CALLED it knows storage alone, and what fails is said by calls of the process that it is
 * loaded into (test_failed_writes.py):
 *
 *     inject_storage(at, times, number);  from now on calls at … at + times - 1 fail, with this errno
 *     inject_pause(yes);                  calls are not counted meanwhile
 *     inject_stop();                      nothing fails any more; returns how many calls there were
 *     inject_failed();                    the function that failed first, "": none
 *     inject_place(call);                 a digest of the functions that were in call number `call`
 *
 * A write that fails has written half of its bytes. */
#include <dlfcn.h>
#include <errno.h>
#ifdef INJECT_CALLED
#include <execinfo.h>
#endif
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SITES = 4096, BLOCKS = 1 << 20, DEPTH = 64 };
static struct {
    int on, memory, storage, thread, number;
    long at, times, sites, calls;
    const char *failed;
    uintptr_t base, first, end; /* of the program's own code */
    uintptr_t site[SITES];      /* called: the places of calls */
    char lock;
    struct {
        uintptr_t block, from; /* block 0: free slot, 1: freed */
    } live[BLOCKS];
} state;

#ifndef INJECT_CALLED
static int program_range(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            state.base = info->dlpi_addr;
            state.first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            state.end = state.first + info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the first object is the program */
}

__attribute__((constructor)) static void start(void)
{
    const char *what = getenv("INJECT"), *at = getenv("INJECT_AT");
    dl_iterate_phdr(program_range, NULL);
    state.on = strcmp(program_invocation_short_name, "maxk") == 0;
    if (!state.on) return;
    state.at = at ? atol(at) : 0;
    state.times = 1;
    state.number = ENOSPC;
    state.storage = what && strcmp(what, "storage") == 0;
    state.memory = what && strcmp(what, "memory") == 0;
    state.thread = what && strcmp(what, "thread") == 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("INJECT_REPORT");
    long lost = 0;
    uintptr_t from = 0;
    int on = state.on;
    state.at = state.on = 0;
    FILE *file = on && path ? fopen(path, "w") : NULL;
    if (!file) return;
    for (size_t i = 0; i < BLOCKS; i++) {
        if (state.live[i].block <= 1) continue;
        if (!lost++) from = state.live[i].from - state.base;
    }
    fprintf(file, "%ld %ld 0x%lx\n", state.memory ? state.sites : state.calls, lost, (unsigned long)from);
    fclose(file);
}

/* ---- blocks of the program ---- */

static size_t place_of(uintptr_t block)
{
    size_t i = (block >> 4) * 2654435761u % BLOCKS;
    while (state.live[i].block && state.live[i].block != block) i = (i + 1) % BLOCKS;
    return i;
}

static void lock(void)
{
    while (__atomic_test_and_set(&state.lock, __ATOMIC_ACQUIRE)) {
    }
}

static void unlock(void)
{
    __atomic_clear(&state.lock, __ATOMIC_RELEASE);
}

static void *keep(void *block, void *from)
{
    uintptr_t a = (uintptr_t)from;
    if (!block || !state.on || a < state.first || a >= state.end) return block;
    lock();
    size_t i = place_of((uintptr_t)block);
    state.live[i].block = (uintptr_t)block;
    state.live[i].from = a;
    unlock();
    return block;
}

static void drop(void *block)
{
    if (!block || !state.on) return;
    lock();
    size_t i = place_of((uintptr_t)block);
    if (state.live[i].block) state.live[i].block = 1;
    unlock();
}

/* 1 when the allocation that returns to `from` must fail. */
static int no_memory(void *from)
{
    uintptr_t a = (uintptr_t)from;
    if (!state.memory || a < state.first || a >= state.end) return 0;
    for (long i = 0; i < state.sites; i++)
        if (state.site[i] == a) return 0;
    if (state.sites == SITES) abort();
    state.site[state.sites++] = a;
    if (state.sites != state.at) return 0;
    errno = ENOMEM;
    return 1;
}

#endif

#ifdef INJECT_CALLED
static void note_place(long call)
{
    void *from[DEPTH];
    uintptr_t digest = 0;
    if (call >= SITES) abort();
    for (int i = 0, n = backtrace(from, DEPTH); i < n; i++) digest = digest * 1099511628211u + (uintptr_t)from[i];
    state.site[call] = digest;
}
#endif

static int fails(const char *name)
{
    if (!state.storage) return 0;
#ifdef INJECT_CALLED
    if (state.at == 0) note_place(state.calls + 1);
#endif
    if (++state.calls < state.at || state.calls >= state.at + state.times) return 0;
    if (!state.failed) state.failed = name;
    errno = state.number;
    return 1;
}
#define no_storage() fails(__func__)

#ifdef INJECT_CALLED
void inject_storage(long at, int times, int number)
{
    state.at = at;
    state.times = times;
    state.number = number;
    state.calls = 0;
    state.failed = NULL;
    state.storage = 1;
}
void inject_pause(int yes)
{
    state.storage = !yes;
}
long inject_stop(void)
{
    state.storage = 0;
    return state.calls;
}
const char *inject_failed(void)
{
    return state.failed ? state.failed : "";
}
unsigned long inject_place(long call)
{
    return state.site[call];
}
#endif

#define REAL(type, name, ...)                                                                                          \
    static type (*real)(__VA_ARGS__);                                                                                  \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)
#define FROM __builtin_return_address(0)

#ifndef INJECT_CALLED
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
void *malloc(size_t n)
{
    return no_memory(FROM) ? NULL : keep(__libc_malloc(n), FROM);
}
void *calloc(size_t n, size_t size)
{
    return no_memory(FROM) ? NULL : keep(__libc_calloc(n, size), FROM);
}
void free(void *p)
{
    drop(p);
    __libc_free(p);
}
void *realloc(void *p, size_t n)
{
    if (no_memory(FROM)) return NULL;
    void *q = __libc_realloc(p, n);
    if (q) drop(p);
    return keep(q, FROM);
}
void *aligned_alloc(size_t a, size_t n)
{
    REAL(void *, aligned_alloc, size_t, size_t);
    return no_memory(FROM) ? NULL : keep(real(a, n), FROM);
}
char *strdup(const char *s)
{
    REAL(char *, strdup, const char *);
    return no_memory(FROM) ? NULL : keep(real(s), FROM);
}
char *strndup(const char *s, size_t n)
{
    REAL(char *, strndup, const char *, size_t);
    return no_memory(FROM) ? NULL : keep(real(s, n), FROM);
}
FILE *open_memstream(char **b, size_t *n)
{
    REAL(FILE *, open_memstream, char **, size_t *);
    return no_memory(FROM) ? NULL : real(b, n);
}
FILE *fmemopen(void *b, size_t n, const char *m)
{
    REAL(FILE *, fmemopen, void *, size_t, const char *);
    return no_memory(FROM) ? NULL : real(b, n, m);
}
int asprintf(char **out, const char *format, ...)
{
    va_list arguments;
    if (no_memory(FROM)) return -1;
    va_start(arguments, format);
    int n = vasprintf(out, format, arguments);
    va_end(arguments);
    if (n >= 0) keep(*out, FROM);
    return n;
}

#endif

/* A file opened for writing: it cannot be opened, or its disk is full from the start. */
FILE *fopen(const char *path, const char *mode)
{
    REAL(FILE *, fopen, const char *, const char *);
    if (*mode == 'r') return real(path, mode);
    if (no_storage()) return NULL;
    FILE *file = real(path, mode);
    if (file && no_storage()) {
        FILE *full = real("/dev/full", "w");
        if (full) dup2(fileno(full), fileno(file));
    }
    return file;
}
#define OPEN(name)                                                                                                     \
    int name(const char *path, int flags, ...)                                                                         \
    {                                                                                                                  \
        REAL(int, name, const char *, int, ...);                                                                       \
        va_list arguments;                                                                                             \
        va_start(arguments, flags);                                                                                    \
        unsigned mode = (flags & O_CREAT) ? va_arg(arguments, unsigned) : 0;                                           \
        va_end(arguments);                                                                                             \
        if ((flags & O_ACCMODE) != O_RDONLY && no_storage()) return -1;                                                \
        return real(path, flags, mode);                                                                                \
    }
OPEN(open)
OPEN(open64)
FILE *tmpfile(void)
{
    REAL(FILE *, tmpfile, void);
    return no_storage() ? NULL : real();
}
char *mkdtemp(char *t)
{
    REAL(char *, mkdtemp, char *);
    return no_storage() ? NULL : real(t);
}
int mkdir(const char *path, mode_t m)
{
    REAL(int, mkdir, const char *, mode_t);
    return no_storage() ? -1 : real(path, m);
}
/* After half of the bytes. */
static ssize_t half(ssize_t n)
{
    (void)n;
    errno = state.number;
    return -1;
}
ssize_t write(int fd, const void *b, size_t n)
{
    REAL(ssize_t, write, int, const void *, size_t);
    return !no_storage() ? real(fd, b, n) : half(real(fd, b, n / 2));
}
ssize_t pwrite(int fd, const void *b, size_t n, off_t o)
{
    REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
    return !no_storage() ? real(fd, b, n, o) : half(real(fd, b, n / 2, o));
}
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o)
{
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    return !no_storage() ? real(fd, b, n, o) : half(real(fd, b, n / 2, o));
}
int fsync(int fd)
{
    REAL(int, fsync, int);
    return no_storage() ? -1 : real(fd);
}
int ftruncate(int fd, off_t n)
{
    REAL(int, ftruncate, int, off_t);
    return no_storage() ? -1 : real(fd, n);
}
int ftruncate64(int fd, off64_t n)
{
    REAL(int, ftruncate64, int, off64_t);
    return no_storage() ? -1 : real(fd, n);
}
int rename(const char *a, const char *b)
{
    REAL(int, rename, const char *, const char *);
    return no_storage() ? -1 : real(a, b);
}
int link(const char *a, const char *b)
{
    REAL(int, link, const char *, const char *);
    return no_storage() ? -1 : real(a, b);
}
int unlink(const char *a)
{
    REAL(int, unlink, const char *);
    return no_storage() ? -1 : real(a);
}
int fflush(FILE *f)
{
    REAL(int, fflush, FILE *);
    int code = real(f);
    return no_storage() ? EOF : code;
}
int fclose(FILE *f)
{
    REAL(int, fclose, FILE *);
    int code = real(f);
    return no_storage() ? EOF : code;
}
int close(int fd)
{
    REAL(int, close, int);
    int code = real(fd);
    return no_storage() ? -1 : code;
}
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*run)(void *), void *to)
{
    REAL(int, pthread_create, pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    return state.thread && ++state.calls == state.at ? EAGAIN : real(t, a, run, to);
}

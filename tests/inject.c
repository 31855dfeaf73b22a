/* Preloaded by test_failures.sh: makes one call fail. INJECT=memory: the first allocation of call site number INJECT_AT of
 * the program itself; INJECT=storage: storage call number INJECT_AT of anybody. Both count from 1; the number counted is
 * written to the file INJECT_COUNT at the end. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SITES = 4096 };
static struct {
    int memory, storage;
    long at, sites, calls;
    uintptr_t first, end; /* of the program's own code */
    uintptr_t site[SITES];
} state;

static int program_range(struct dl_phdr_info *info, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && (info->dlpi_phdr[i].p_flags & PF_X)) {
            state.first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
            state.end = state.first + info->dlpi_phdr[i].p_memsz;
        }
    return 1; /* the first object is the program */
}

__attribute__((constructor)) static void start(void)
{
    const char *what = getenv("INJECT"), *at = getenv("INJECT_AT");
    dl_iterate_phdr(program_range, NULL);
    state.at = at ? atol(at) : 0;
    state.storage = what && strcmp(what, "storage") == 0;
    state.memory = what && strcmp(what, "memory") == 0;
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("INJECT_COUNT");
    state.at = 0;
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", state.memory ? state.sites : state.calls);
    fclose(file);
}

/* 1 when the allocation that returns to `from` is to fail. */
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

static int no_storage(void)
{
    if (!state.storage || ++state.calls != state.at) return 0;
    errno = ENOSPC;
    return 1;
}

#define REAL(type, name, ...)                                              \
    static type (*real)(__VA_ARGS__);                                      \
    if (!real) *(void **)&real = dlsym(RTLD_NEXT, #name)
#define FROM __builtin_return_address(0)

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t n) { return no_memory(FROM) ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return no_memory(FROM) ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return no_memory(FROM) ? NULL : __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { REAL(void *, aligned_alloc, size_t, size_t); return no_memory(FROM) ? NULL : real(a, n); }
char *strdup(const char *s) { REAL(char *, strdup, const char *); return no_memory(FROM) ? NULL : real(s); }
char *strndup(const char *s, size_t n) { REAL(char *, strndup, const char *, size_t); return no_memory(FROM) ? NULL : real(s, n); }
FILE *open_memstream(char **b, size_t *n) { REAL(FILE *, open_memstream, char **, size_t *); return no_memory(FROM) ? NULL : real(b, n); }
FILE *fmemopen(void *b, size_t n, const char *m) { REAL(FILE *, fmemopen, void *, size_t, const char *); return no_memory(FROM) ? NULL : real(b, n, m); }

ssize_t write(int fd, const void *b, size_t n) { REAL(ssize_t, write, int, const void *, size_t); return no_storage() ? -1 : real(fd, b, n); }
ssize_t pwrite(int fd, const void *b, size_t n, off_t o) { REAL(ssize_t, pwrite, int, const void *, size_t, off_t); return no_storage() ? -1 : real(fd, b, n, o); }
ssize_t pwrite64(int fd, const void *b, size_t n, off64_t o) { REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t); return no_storage() ? -1 : real(fd, b, n, o); }
int fsync(int fd) { REAL(int, fsync, int); return no_storage() ? -1 : real(fd); }
int ftruncate(int fd, off_t n) { REAL(int, ftruncate, int, off_t); return no_storage() ? -1 : real(fd, n); }
int ftruncate64(int fd, off64_t n) { REAL(int, ftruncate64, int, off64_t); return no_storage() ? -1 : real(fd, n); }
int rename(const char *a, const char *b) { REAL(int, rename, const char *, const char *); return no_storage() ? -1 : real(a, b); }
int unlink(const char *a) { REAL(int, unlink, const char *); return no_storage() ? -1 : real(a); }
int fclose(FILE *f) { REAL(int, fclose, FILE *); int code = real(f); return no_storage() ? EOF : code; }
int close(int fd) { REAL(int, close, int); int code = real(fd); return no_storage() ? -1 : code; }

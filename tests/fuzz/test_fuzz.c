/* The inputs that fuzz targets start from, and those on which the program once failed, through the same functions:
 * tests/fuzz/seeds and tests/fuzz/regressions. Each target runs in its own processes, so that a crash is reported. */
#include <dirent.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/support/check.h"

enum { MOST_FILES = 1000, MOST_BYTES = 1 << 20, NAME = 300, STARTED = 1 };

struct files {
    size_t n;
    char (*path)[NAME];
};

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void list(struct files *f, const char *kind, const char *target)
{
    char folder[NAME / 2];
    snprintf(folder, sizeof folder, "tests/fuzz/%s/%s", kind, target);
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && f->n < MOST_FILES;)
        if (entry->d_name[0] != '.') snprintf(f->path[f->n++], NAME, "%s/%.140s", folder, entry->d_name);
    if (dir) closedir(dir);
    qsort(f->path, f->n, sizeof *f->path, by_name);
}

static void run_file(const struct fuzz_target *target, const char *path)
{
    unsigned char *data = malloc(MOST_BYTES);
    FILE *file = fopen(path, "rb");
    if (!data || !file) _exit(STARTED);
    size_t n = fread(data, 1, MOST_BYTES, file);
    fclose(file);
    unsigned char *exact = malloc(n + !n); /* so that reading a byte too far is noticed */
    if (!exact) _exit(STARTED);
    memcpy(exact, data, n);
    target->one(exact, n);
    free(exact);
    free(data);
}

/* Files first … last - 1 in a child, which ends at the first failure. Returns how many passed. */
static size_t run_files(const struct fuzz_target *target, const struct files *f, size_t first)
{
    int pipe_end[2];
    size_t done = first;
    if (pipe(pipe_end)) return first;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        alarm(120);
        if (!freopen("/dev/null", "w", stdout)) _exit(STARTED);
        if (target->start) target->start();
        for (size_t i = first; i < f->n; i++) {
            run_file(target, f->path[i]);
            if (write(pipe_end[1], "", 1) != 1) _exit(STARTED);
        }
        exit(0); /* leaks are detected here */
    }
    close(pipe_end[1]);
    for (char byte; child > 0 && read(pipe_end[0], &byte, 1) == 1;) done++;
    close(pipe_end[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return status ? done : f->n + 1;
}

static void check_target(const struct fuzz_target *target)
{
    struct files f = {0, calloc(MOST_FILES, NAME)};
    size_t failed = 0, at = 0;
    if (!f.path) abort();
    list(&f, "seeds", target->name);
    size_t seeds = f.n;
    list(&f, "regressions", target->name);
    while (at < f.n && failed < 10) {
        at = run_files(target, &f, at);
        if (at > f.n) break;
        printf("# %s fails on %s\n", target->name, at < f.n ? f.path[at] : "something of all (a leak?)");
        failed++;
        at++;
    }
    CHECK(seeds >= 5 && failed == 0,
          "%s: %zu seeds and %zu regressions: read or refused in one line, no crash, no leak", target->name, seeds,
          f.n - seeds);
    free(f.path);
}

int main(void)
{
    for (size_t i = 0; i < FUZZ_TARGETS; i++) check_target(&fuzz_targets[i]);
    return CHECK_EXIT;
}

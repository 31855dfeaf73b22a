/* Numbers through a temporary file: what is read back, in any split into appends, and what is said where there is no
 * place, no room, no mapping. Values are a function of their place. */
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "sim/base/scratch_file.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

enum { BUFFER = 1 << 15 }; /* as in scratch_file.c: appends around its size */

static double value_at(uint64_t place)
{
    return (double)place / 3 + 1;
}

static size_t wrong(const double *at, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) count += at[i] != value_at(i);
    return count;
}

/* Appends of these sizes, one after another, until n numbers are there. */
static void check_appends(const char *what, const size_t *size, size_t n_sizes, size_t n)
{
    struct mk_error err = {0, ""};
    struct mk_scratch *s = NULL;
    double *value = malloc(n * sizeof *value), *at = NULL;
    uint64_t first = 0;
    size_t done = 0, places = 0;
    REQUIRE(value, "memory");
    for (size_t i = 0; i < n; i++) value[i] = value_at(i);
    int code = mk_scratch_new(&s, 8. * (double)n, &err);
    for (size_t i = 0; !code && done < n; i++) {
        size_t take = size[i % n_sizes] < n - done ? size[i % n_sizes] : n - done;
        code = mk_scratch_append(s, value + done, take, &first, &err);
        places += first != done;
        done += take;
    }
    if (!code) code = mk_scratch_map(s, &at, &err);
    CHECK(code == MK_OK && !places && at && !wrong(at, n), "%s: %zu numbers come back %s", what, n, err.text);
    if (at) {
        at[n / 2] = -1;
        mk_scratch_release(at, n);
        CHECK(at[n / 2] == -1 && at[0] == value_at(0), "%s: also after their pages were given back", what);
    }
    mk_scratch_free(s);
    free(value);
}

static void check_room_for_more(void)
{
    enum { N = 1000, MORE = 5000 };
    struct mk_error err = {0, ""};
    struct mk_scratch *s = NULL;
    double value[N], *at = NULL, *more = NULL, *again = NULL;
    uint64_t first = 0;
    size_t zeros = 0;
    for (size_t i = 0; i < N; i++) value[i] = value_at(i);
    int code = mk_scratch_new(&s, NAN, &err);
    if (!code) code = mk_scratch_append(s, value, N, &first, &err);
    if (!code) code = mk_scratch_map(s, &at, &err);
    if (!code) code = mk_scratch_alloc(s, MORE, &more, &err);
    for (size_t i = 0; !code && i < MORE; i++) {
        zeros += more[i] == 0;
        more[i] = -2;
    }
    if (!code) code = mk_scratch_alloc(s, 1, &again, &err);
    CHECK(code == MK_OK && zeros == MORE && *again == 0 && !wrong(at, N) && more[MORE - 1] == -2,
          "room for more is zeros, and apart from what is there %s", err.text);
    mk_scratch_free(s);
}

static void check_nothing(void)
{
    struct mk_error err = {0, ""};
    struct mk_scratch *s = NULL;
    double one = 1, *at = &one;
    int code = mk_scratch_new(&s, 0, &err);
    if (!code) code = mk_scratch_map(s, &at, &err);
    CHECK(code == MK_OK && !at, "nothing appended, nothing mapped %s", err.text);
    mk_scratch_free(s);
    mk_scratch_free(NULL);
}

/* Where standard input is closed, the file may be number 0. */
static void check_number_0(void)
{
    struct mk_error err = {0, ""};
    struct mk_scratch *s = NULL;
    fclose(stdin);
    CHECK(mk_scratch_new(&s, NAN, &err) == MK_OK, "without standard input %s", err.text);
    mk_scratch_free(s);
}

static void check_no_place(struct scratch *folder)
{
    struct mk_error err = {0, ""};
    struct mk_scratch *s = NULL;
    const char *before = getenv("TMPDIR");
    char *kept = before ? strdup(before) : NULL;
    setenv("TMPDIR", "/nonexistent/folder", 1);
    CHECK(mk_scratch_new(&s, NAN, &err) == MK_EINPUT && !s && strncmp(err.text, "/nonexistent/folder: ", 21) == 0 &&
              strstr(err.text, "TMPDIR"),
          "no such folder: %s", err.text);
    setenv("TMPDIR", folder->dir, 1);
    CHECK(mk_scratch_new(&s, 1e30, &err) == MK_EINPUT && !s &&
              strncmp(err.text, folder->dir, strlen(folder->dir)) == 0 && strstr(err.text, "TMPDIR"),
          "more than there is room for: %s", err.text + strlen(folder->dir));
    CHECK(mk_scratch_new(&s, NAN, &err) == MK_OK && rmdir(folder->dir) == 0,
          "the file has no name: its folder is empty");
    mk_scratch_free(s);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    free(kept);
}

/* SIGXFSZ is ignored, so that a write is cut short and then fails. */
static void check_no_room(void)
{
    enum { N = 4 * BUFFER };
    struct mk_error err = {0, ""};
    struct mk_scratch *s = NULL;
    struct rlimit before;
    double *value = calloc(N, sizeof *value), *at = NULL;
    uint64_t first = 0;
    REQUIRE(value && !getrlimit(RLIMIT_FSIZE, &before), "memory");
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    int made = mk_scratch_new(&s, NAN, &err);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){100000, before.rlim_max});
    int code = made ? made : mk_scratch_append(s, value, N, &first, &err);
    CHECK(!made && code == MK_EIO && strstr(err.text, "File too large"), "a file that may not grow: %s", err.text);
    mk_scratch_free(s);
    s = NULL;
    made = mk_scratch_new(&s, NAN, &err);
    code = made ? made : mk_scratch_alloc(s, N, &at, &err);
    CHECK(!made && code == MK_EIO && !at && strstr(err.text, "File too large"), "nor for more: %s", err.text);
    mk_scratch_free(s);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    free(value);
}

/* Nothing can be mapped: the address space is as large as it may be. */
static void check_no_mapping(void)
{
    enum { N = 100000 };
    struct mk_error err = {0, ""};
    struct mk_scratch *s = NULL;
    struct rlimit before;
    double *value = calloc(N, sizeof *value), *at = NULL;
    uint64_t first;
    REQUIRE(value && !getrlimit(RLIMIT_AS, &before), "memory");
    int code = mk_scratch_new(&s, NAN, &err);
    if (!code) code = mk_scratch_append(s, value, N, &first, &err);
    setrlimit(RLIMIT_AS, &(struct rlimit){1 << 20, before.rlim_max});
    if (!code) code = mk_scratch_map(s, &at, &err);
    setrlimit(RLIMIT_AS, &before);
    CHECK(code == MK_EIO && !at && strstr(err.text, "Cannot allocate memory"), "a file that cannot be mapped: %s",
          err.text);
    mk_scratch_free(s);
    free(value);
}

int main(void)
{
    static const size_t small[] = {1, 7, 0, 100}, around[] = {BUFFER - 1, 2, BUFFER, 1, BUFFER + 1, 3 * BUFFER};
    struct scratch folder;
    check_appends("one after another", (size_t[]){1}, 1, 2);
    check_appends("small appends", small, sizeof small / sizeof *small, 100000);
    check_appends("appends around the size of the buffer", around, sizeof around / sizeof *around, 10 * BUFFER + 5);
    check_room_for_more();
    check_nothing();
    scratch_make(&folder);
    check_no_place(&folder);
    check_no_room();
    check_no_mapping();
    check_number_0();
    return CHECK_EXIT;
}

/* Error codes and the one-line error text every library function reports through.
 *
 * Library functions return MK_OK (0) or a negative code and fill a caller-owned struct mk_error.
 * Only main.c and the commands print and exit. */
#ifndef MAXK_SIM_BASE_ERROR_H
#define MAXK_SIM_BASE_ERROR_H

#include <stddef.h>

/* X(name, value, exit status, text): the single source of the enum, the texts and the exit codes. */
#define MK_ERRORS(X)                                                                                                   \
    X(MK_OK, 0, 0, "no error")                                                                                         \
    X(MK_EINPUT, -1, 2, "bad usage or input")                                                                          \
    X(MK_ENOMEM, -2, 1, "out of memory")                                                                               \
    X(MK_EIO, -3, 1, "reading or writing failed")                                                                      \
    X(MK_ENUM, -4, 1, "a numerical method did not converge")                                                           \
    X(MK_ESTOPPED, -5, 1, "stopped by a signal")                                                                       \
    X(MK_EFAIL, -6, 1, "the run failed")

enum mk_code {
#define X(name, value, status, text) name = (value),
    MK_ERRORS(X)
#undef X
};

enum { MK_ERROR_TEXT = 1024 };

struct mk_error {
    int code;
    char text[MK_ERROR_TEXT]; /* one line, no newline at the end */
};

/* A place in an input: line and column count from 1; 0 means unknown and is left out. */
struct mk_where {
    const char *file;
    size_t line, column;
};

/* Store `code` and the formatted line in *err (which may be NULL); return `code`. */
int mk_fail(struct mk_error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The same with MK_EINPUT and the prefix `file:line:column: key: ` (key may be NULL). */
int mk_fail_at(struct mk_error *err, struct mk_where where, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* "out of memory" with the name of what was being allocated. Here, so that static analysis sees that it is an error. */
static inline int mk_fail_memory(struct mk_error *err, const char *what)
{
    mk_fail(err, MK_ENOMEM, "out of memory for %s", what);
    return MK_ENOMEM;
}

#ifdef __clang_analyzer__ /* it does not look into other files: what fails returns an error */
#define mk_fail(err, code, ...) ((mk_fail)(err, code, __VA_ARGS__), (code))
#define mk_fail_at(...) ((mk_fail_at)(__VA_ARGS__), MK_EINPUT)
#endif

/* Text and process exit status of a code. */
const char *mk_code_text(int code);
int mk_exit_status(int code);

#endif

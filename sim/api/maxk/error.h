/* Error codes, and the text of one line that comes with them.
 *
 * A function of the library that can fail returns one of these codes as an int: MK_OK, which is 0, or a negative
 * number. It also fills the struct mk_error that the caller passed, unless that is NULL. */
#ifndef MAXK_ERROR_H
#define MAXK_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, exit status, text). The enum, the texts and the exit status of the program maxk are made from this
 * list. */
#define MK_ERRORS(X)                                                                                                   \
    X(MK_OK, 0, 0, "no error")                                                                                         \
    X(MK_EINPUT, -1, 2, "bad usage or input")                                                                          \
    X(MK_ENOMEM, -2, 1, "out of memory")                                                                               \
    X(MK_EIO, -3, 1, "reading or writing failed")                                                                      \
    X(MK_ENUM, -4, 1, "a numerical method did not converge")                                                           \
    X(MK_ESTOPPED, -5, 1, "stopped on request")                                                                        \
    X(MK_EFAIL, -6, 1, "the run failed")

enum mk_code {
#define X(name, value, status, text) name = (value),
    MK_ERRORS(X)
#undef X
};

enum { MK_ERROR_TEXT = 1024 };

/* Before a name that another one has replaced: `instead` says what to write. It keeps working within version 1. */
#if defined(__GNUC__)
#define MK_DEPRECATED(instead) __attribute__((deprecated("use " instead)))
#else
#define MK_DEPRECATED(instead)
#endif

/* What went wrong. */
struct mk_error {
    int code;                 /* the code that the function returned */
    char text[MK_ERROR_TEXT]; /* one line without a newline at the end; "" if nothing went wrong */
};

/* The general meaning of a code, such as "out of memory"; "unknown error" for a number that is no code. */
const char *mk_code_text(int code);

#ifdef __cplusplus
}
#endif
#endif

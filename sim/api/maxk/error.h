/* Error codes, and the one-line text that comes with them. */
#ifndef MAXK_ERROR_H
#define MAXK_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/* X(name, value, exit status of the program maxk, text): the single source of the enum, the texts and the exit status.
 */
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

struct mk_error {
    int code;
    char text[MK_ERROR_TEXT]; /* one line, no newline at the end */
};

/* The general meaning of a code; "unknown error" for other numbers. */
const char *mk_code_text(int code);

#ifdef __cplusplus
}
#endif
#endif

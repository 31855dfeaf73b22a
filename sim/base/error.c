#include "sim/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <gsl/gsl_errno.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/text.h"

/* GSL's error handler would end the program when a quadrature does not converge. Set before main, so that callers need
 * not think of it; here, because whatever can fail is linked with this file. */
__attribute__((constructor)) void mk_start(void)
{
    gsl_set_error_handler_off();
}

/* In parentheses: not the macros that static analysis sees. */
int(mk_fail)(struct mk_error *err, int code, const char *format, ...)
{
    if (err) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(err->text, sizeof err->text, format, ap);
        va_end(ap);
        mk_text_one_line(err->text);
        err->code = code;
    }
    return code;
}

int(mk_fail_at)(struct mk_error *err, struct mk_where where, const char *key, const char *format, ...)
{
    if (!err) return MK_EINPUT;
    size_t n = 0, room = sizeof err->text;
    int w = snprintf(err->text, room, "%s", where.file ? where.file : "input");
    n = w < 0 ? 0 : (size_t)w < room ? (size_t)w : room - 1;
    if (where.line && n < room) {
        w = where.column ? snprintf(err->text + n, room - n, ":%zu:%zu", where.line, where.column)
                         : snprintf(err->text + n, room - n, ":%zu", where.line);
        n = w < 0 ? n : n + (size_t)w < room ? n + (size_t)w : room - 1;
    }
    w = key ? snprintf(err->text + n, room - n, ": %s: ", key) : snprintf(err->text + n, room - n, ": ");
    n = w < 0 ? n : n + (size_t)w < room ? n + (size_t)w : room - 1;
    va_list ap;
    va_start(ap, format);
    vsnprintf(err->text + n, room - n, format, ap);
    va_end(ap);
    mk_text_one_line(err->text);
    return err->code = MK_EINPUT;
}

const char *mk_code_text(int code)
{
    switch (code) {
#define X(name, value, status, text)                                                                                   \
    case value: return text;
        MK_ERRORS(X)
#undef X
    default: return "unknown error";
    }
}

int mk_exit_status(int code)
{
    switch (code) {
#define X(name, value, status, text)                                                                                   \
    case value: return status;
        MK_ERRORS(X) /* NOLINT(bugprone-branch-clone): a case per code */
#undef X
    default: return 1;
    }
}

bool mk_is_error_of_machine(int error)
{
    static const int errors[] = {EAGAIN, ENOMEM, ENFILE, EMFILE, ETXTBSY, ENOSPC, EDQUOT, EIO, ECHILD, EINTR};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (error == errors[i]) return true;
    return false;
}

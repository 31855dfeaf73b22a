#include "sim/base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/text.h"

/* GSL's error handler would end the program when a quadrature does not converge. Set before main, so that callers need
 * not think of it; here, because whatever can fail is linked with this file. */
__attribute__((constructor)) void mk_library_prepare(void)
{
    gsl_set_error_handler_off();
}

/* In parentheses: not the macros that static analysis sees. */
int(mk_fail)(struct mk_error *err, int code, const char *format, ...)
{
    char text[MK_ERROR_TEXT]; /* err->text may be among the arguments */
    if (!err) return code;
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    mk_text_one_line(text);
    strcpy(err->text, text);
    return err->code = code;
}

/* Whether the text begins with the file, which then need not be named again. */
static bool says_file(const char *text, const char *file)
{
    const size_t n = strlen(file);
    return strncmp(text, file, n) == 0 && text[n] == ':';
}

int(mk_fail_at)(struct mk_error *err, struct mk_where where, const char *key, const char *format, ...)
{
    char text[MK_ERROR_TEXT], place[48] = "";
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (!where.line && where.file && says_file(text, where.file)) return mk_fail(err, MK_EINPUT, "%s", text);
    if (where.line && where.column)
        snprintf(place, sizeof place, ":%zu:%zu", where.line, where.column);
    else if (where.line)
        snprintf(place, sizeof place, ":%zu", where.line);
    return mk_fail(err, MK_EINPUT, "%s%s: %s%s%s", where.file ? where.file : "input", place, key ? key : "",
                   key ? ": " : "", text);
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

/* How functions report errors: they return MK_OK (0) or a negative code and fill a struct mk_error of the caller
 * (sim/api/maxk/error.h, which headers include; this one is for sources that make errors). Only main.c and the commands
 * print and exit. */
#ifndef MAXK_SIM_BASE_ERROR_H
#define MAXK_SIM_BASE_ERROR_H

#include <stdbool.h>

#include "sim/api/maxk/error.h"
#include "sim/base/where.h"

/* Store `code` and the formatted line in *err (which may be NULL); return `code`. The text of *err may be among the
 * arguments. */
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

/* Gives the text of *err, which has no place, this one if the code is MK_EINPUT; returns the code. */
static inline int mk_fail_there(struct mk_error *err, struct mk_where where, const char *key, int code)
{
    return code == MK_EINPUT ? mk_fail_at(err, where, key, "%s", err->text) : code;
}

/* Whether an errno says something about the machine (no memory, processes, descriptors, space on the disk), and nothing
 * about the program or file that it was got with. */
bool mk_is_error_of_machine(int error);

/* Process exit status of a code. */
int mk_exit_status(int code);

#endif

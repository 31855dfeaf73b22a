/* Fuzz targets: each takes one input, does with it what the program does with such a file, and aborts if a property
 * that must hold for any input does not. */
#ifndef MAXK_TESTS_FUZZ_H
#define MAXK_TESTS_FUZZ_H

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/api/maxk/error.h"

struct fuzz_target {
    const char *name;
    unsigned times;      /* how many inputs are taken for one of the slowest targets */
    void (*start)(void); /* once, before the first input; may be NULL */
    void (*one)(const unsigned char *data, size_t n);
};

enum { FUZZ_TARGETS = 9 };
extern const struct fuzz_target fuzz_targets[FUZZ_TARGETS];
const struct fuzz_target *fuzz_find(const char *name); /* NULL: none */

void fuzz_experiment(const unsigned char *data, size_t n);
void fuzz_csv(const unsigned char *data, size_t n);
void fuzz_claim(const unsigned char *data, size_t n);
void fuzz_result_start(void);
void fuzz_result(const unsigned char *data, size_t n);
void fuzz_journal_start(void);
void fuzz_journal(const unsigned char *data, size_t n);
void fuzz_tune(const unsigned char *data, size_t n);
void fuzz_metric(const unsigned char *data, size_t n);
void fuzz_answer(const unsigned char *data, size_t n);
void fuzz_tune_journal_start(void);
void fuzz_tune_journal(const unsigned char *data, size_t n);

/* The path of a file in memory that holds these bytes; valid until the next call. */
const char *fuzz_file(const void *data, size_t n);

#define FUZZ_MUST(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition);                             \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* An input is either read or rejected, the latter with one printable line. Running out of memory counts as neither:
 * sizes in files must be checked before they are used. Returns 1 when it was read. */
int fuzz_outcome(int code, const struct mk_error *err);

/* The outcome of a command with these arguments, its name first, NULL at the end; at most 15. */
int fuzz_command(int (*run)(int argc, char **argv, struct mk_error *err), const char *const *argument);

/* A new folder for real files, in $MAXK_FUZZ_FOLDER or in memory; removed when this process ends. Once per process. */
const char *fuzz_folder(void);
void fuzz_write(const char *path, const void *bytes, size_t n);
unsigned char *fuzz_read(const char *path, size_t *n); /* freed by the caller */

#endif

/* The metric in what a program has printed or written. Files are read from their end or line by line, never whole. */
#ifndef MAXK_SIM_STUDY_METRIC_H
#define MAXK_SIM_STUDY_METRIC_H

#include "sim/api/maxk/error.h"
#include "sim/search/space/trial_status.h"
#include "sim/study/pruning.h"
#include "sim/study/tune.h"

enum {
    MK_METRIC_TAIL = 64 << 10,
    MK_METRIC_LINE = 1 << 20,
    MK_METRIC_MOST = 64 << 20 /* bytes searched line by line */
};

/* A regular expression (POSIX extended) compiles: MK_EINPUT, text without a place. */
int mk_metric_check(const struct mk_metric *m, struct mk_error *err);

/* The number in the file at `path`; *status as the program reports it (SMAC), MK_TRIAL_OK otherwise. MK_EINPUT, a text
 * without a place, when there is none, or one that is not finite or beyond the range of rewards. MK_EIO, MK_ENOMEM: the
 * machine failed, and nothing is known.
 *
 * last_number: the last word with a digit in it (or nan, inf) must be one number as a program in the C locale prints
 * it, after signs such as brackets, quotes, a colon or "name=" before it, and brackets, quotes, a full stop or a
 * percent sign after it: 0.93, -1e-3, loss=0.5, (12) are numbers, 0,93, 1,234, 0x1p-3, 0.5D-01, 7b and 3s are not.
 *
 * regex: the first group (all, if there is none) of the last match must be a number, and none that continues on either
 * side with digits, a sign, an exponent, or with letters that the expression does not match. */
int mk_metric_read(const struct mk_metric *m, const char *path, double *value, enum mk_trial_status *status,
                   struct mk_error *err);

/* The number in an answer of a persistent program to trial `trial`, a JSON object: at the path of a JSON metric, else
 * `value`. An answer with the key `error` is MK_EINPUT with its text; one with another number as `trial` or (unless
 * m->unnamed) with none, one that is no object of JSON, and one without a number at its place are MK_EINPUT with
 * *bad = true: the program cannot be trusted. MK_ENOMEM: nothing is known. */
int mk_metric_of_answer(const struct mk_metric *m, const char *line, size_t length, size_t trial, double *value,
                        bool *bad, struct mk_error *err);

/* Further metrics in such an answer, at the paths of JSON ones, else under their names; NaN: missing. MK_ENOMEM. */
int mk_metrics_of_answer(const struct mk_further_metric *m, size_t n, const char *line, size_t length, double *out,
                         struct mk_error *err);

/* A line that a program prints while it runs (the key `pruning`): a step, a whole number, and the value of the metric,
 * as a program in the C locale prints it, with blanks around them and nothing else. False: it is another line. *code is
 * MK_EINPUT, with a text without a place, where the step is below 1 or above MK_PRUNING_MOST_STEPS, or the value not
 * one of the metric. */
bool mk_metric_report(const char *line, size_t length, struct mk_report *out, int *code, struct mk_error *err);

/* The same of a line of a persistent program: an object with the key `step`, and with `trial` and the value as in its
 * answer. *bad: as of answers. */
bool mk_metric_report_of_answer(const struct mk_metric *m, const char *line, size_t length, size_t trial,
                                struct mk_report *out, bool *bad, int *code, struct mk_error *err);

/* The last line of a file that is not empty, clipped for a message; "" if there is none. */
const char *mk_last_line(const char *path, char *out, size_t room);

#endif

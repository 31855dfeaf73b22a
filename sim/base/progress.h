/* How far a run has got, counted by its threads and reported to whoever asked. */
#ifndef MAXK_SIM_BASE_PROGRESS_H
#define MAXK_SIM_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct mk_progress;

/* Called by the thread that runs, at most five times a second, and at the end. */
typedef void mk_progress_report(void *context, const struct mk_progress *p);

struct mk_progress {
    mk_progress_report *report; /* NULL: only counted */
    void *context;
    double start, last;     /* seconds: of the start, of the last report */
    uint64_t before, total; /* steps already done at the start; all steps */
    _Atomic uint64_t done;  /* steps done so far, those from before included */

    /* NULL, or called once, by any thread, with how long a single step is going to take, if that is more than a minute.
     */
    void (*slow)(const char *text);
    atomic_bool told;
};

/* What reports call it: the context of a report that shows it. */
struct mk_progress_line {
    const char *name;      /* of the experiment */
    double pulls_per_step; /* for the rate; 0: none is shown */
    const char *what;      /* "pulls" */
};

/* Monotonic clock in seconds. */
double mk_seconds(void);

/* report and context are left unchanged. */
void mk_progress_start(struct mk_progress *p, uint64_t before, uint64_t total);

/* Counts one step; the calling thread reports when `report` is non-zero and 0.2 s have passed. */
void mk_progress_step(struct mk_progress *p, int report);

/* The last report; returns the seconds since the start. */
double mk_progress_end(struct mk_progress *p);

/* Columns of the terminal that a stream writes to; 80 where it does not say; 0 where the stream is no terminal. */
size_t mk_terminal_width(FILE *stream);

#endif

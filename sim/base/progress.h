/* The progress line on a terminal: share done, rate, time left. Quiet when standard error is not a terminal. */
#ifndef MAXK_SIM_BASE_PROGRESS_H
#define MAXK_SIM_BASE_PROGRESS_H

#include <stdatomic.h>
#include <stdint.h>

struct mk_progress {
    const char *name;
    int shown;             /* 1 when standard error is a terminal and progress was not turned off */
    double start, last;    /* seconds */
    uint64_t total;        /* steps of work */
    double pulls_per_step; /* for the rate */
    _Atomic uint64_t done;
};

/* Monotonic clock in seconds. */
double mk_seconds(void);

void mk_progress_start(struct mk_progress *p, const char *name, uint64_t total, double pulls_per_step, int quiet);

/* Count one step; the calling thread prints when `print` is non-zero and 0.2 s have passed. */
void mk_progress_step(struct mk_progress *p, int print);

/* Clears the line; returns the seconds since the start. */
double mk_progress_end(struct mk_progress *p);

#endif

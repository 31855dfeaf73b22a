#include "sim/base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

double mk_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void mk_progress_start(struct mk_progress *p, const char *name, uint64_t total, double pulls_per_step, int quiet)
{
    p->name = name;
    p->shown = !quiet && isatty(STDERR_FILENO);
    p->start = p->last = mk_seconds();
    p->total = total;
    p->pulls_per_step = pulls_per_step;
    atomic_init(&p->done, 0);
}

void mk_progress_step(struct mk_progress *p, int print)
{
    uint64_t done = atomic_fetch_add_explicit(&p->done, 1, memory_order_relaxed) + 1;
    if (!print || !p->shown) return;
    double now = mk_seconds();
    if (now - p->last < 0.2) return;
    p->last = now;
    double passed = now - p->start, share = (double)done / (double)p->total;
    double left = passed * (1 - share) / share;
    fprintf(stderr, "\r  %s  %5.1f %%  %.1f M pulls/s  %d:%02d left \033[K", p->name, 100 * share,
            1e-6 * (double)done * p->pulls_per_step / passed, (int)(left / 60), (int)left % 60);
    fflush(stderr);
}

double mk_progress_end(struct mk_progress *p)
{
    if (p->shown) fprintf(stderr, "\r\033[K");
    return mk_seconds() - p->start;
}

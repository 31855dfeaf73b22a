#include "sim/base/progress.h"

#include <stddef.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

double mk_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void mk_progress_start(struct mk_progress *p, uint64_t before, uint64_t total)
{
    p->start = p->last = mk_seconds();
    p->before = before;
    p->total = total;
    atomic_init(&p->done, before);
}

void mk_progress_step(struct mk_progress *p, int report)
{
    atomic_fetch_add_explicit(&p->done, 1, memory_order_relaxed);
    if (!report || !p->report) return;
    double now = mk_seconds();
    if (now - p->last < 0.2) return;
    p->last = now;
    p->report(p->context, p);
}

double mk_progress_end(struct mk_progress *p)
{
    if (p->report) p->report(p->context, p);
    return mk_seconds() - p->start;
}

size_t mk_terminal_width(FILE *stream)
{
    struct winsize size;
    const int fd = fileno(stream); /* -1 of a stream in memory */
    if (fd < 0 || !isatty(fd)) return 0;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

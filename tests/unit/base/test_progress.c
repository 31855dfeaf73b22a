/* Steps are counted by any number of threads and reported by the one that runs, at most five times a second. */
#include <time.h>

#include "sim/base/progress.h"
#include "tests/support/check.h"

struct seen {
    int reports;
    uint64_t last;
};

static void look(void *context, const struct mk_progress *p)
{
    struct seen *s = context;
    s->reports++;
    s->last = p->done;
}

static void wait(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)}, NULL);
}

int main(void)
{
    enum { THREADS = 4, STEPS = 100000 };
    struct seen seen = {0, 0};
    struct mk_progress p = {.report = look, .context = &seen};
    mk_progress_start(&p, 7, 7 + THREADS * STEPS + 2);
#pragma omp parallel for num_threads(THREADS)
    for (int i = 0; i < THREADS * STEPS; i++) mk_progress_step(&p, 0);
    CHECK(p.done == 7 + THREADS * STEPS && seen.reports == 0, "every step of %d threads counts, none reports", THREADS);
    p.last = mk_seconds();
    mk_progress_step(&p, 1);
    CHECK(seen.reports == 0, "too soon to report");
    p.last -= 0.3;
    mk_progress_step(&p, 0);
    CHECK(seen.reports == 0, "a thread that does not report");
    mk_progress_step(&p, 1);
    CHECK(seen.reports == 1 && seen.last == p.done && mk_seconds() - p.last < 0.3, "after 0.3 s there is a report");
    const double start = p.start;
    wait(0.02);
    const double seconds = mk_progress_end(&p);
    CHECK(seen.reports == 2 && seen.last == 7 + THREADS * STEPS + 3, "the end is reported whenever it is");
    CHECK(p.start == start && seconds >= 0.02 && seconds <= mk_seconds() - start, "seconds since the start");

    struct mk_progress quiet = {.report = NULL};
    mk_progress_start(&quiet, 0, 1);
    quiet.last -= 1;
    mk_progress_step(&quiet, 1);
    CHECK(mk_progress_end(&quiet) >= 0 && quiet.done == 1, "without anybody who asks it counts");
    return CHECK_EXIT;
}

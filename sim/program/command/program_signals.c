#include "sim/program/command/program_signals.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/atomic_file.h"
#include "sim/run/engine/run.h"

enum { PATIENCE_S = 2, TWICE_NS = 1000000000 };

static void end_by_signal(int number)
{
    mk_leftover_remove();
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

static void handle_unless_ignored(int number, void (*handler)(int))
{
    const struct sigaction action = {.sa_handler = handler};
    struct sigaction now;
    if (!sigaction(number, NULL, &now) && now.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

void mk_end_on_signals(void)
{
    handle_unless_ignored(SIGINT, end_by_signal);
    handle_unless_ignored(SIGTERM, end_by_signal);
    handle_unless_ignored(SIGHUP, end_by_signal);
}

static _Atomic int asked; /* the signal that stopped the run */

/* A single round, model or replay may take minutes. Journals keep what is finished, as after SIGKILL, and guards end
 * their programs. */
static void on_alarm(int number)
{
    static const char said[] = "stopped on request in the middle of a step; what a journal holds is kept, continue "
                               "with --resume\n";
    (void)number;
    if (mk_run_stop_seen()) return;
    const ssize_t done = write(STDERR_FILENO, said, sizeof said - 1);
    (void)done;
    end_by_signal(atomic_load(&asked));
}

/* timeout(1), mpirun and shells may send a signal more than once for one request; when asked again a second or more
 * after the first time, the program ends at once. */
static void on_signal(int number)
{
    static _Atomic int64_t first_ns;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t now_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    int64_t before_ns = 0;
    const bool first = atomic_compare_exchange_strong(&first_ns, &before_ns, now_ns);
    if (!first && now_ns - before_ns >= TWICE_NS) {
        end_by_signal(number);
        return;
    }
    mk_run_stop();
    if (!first) return;
    atomic_store(&asked, number);
    alarm(PATIENCE_S);
}

void mk_stop_on_signals(void)
{
    const struct sigaction stop = {.sa_handler = on_signal}, late = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &late, NULL);
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
}

void mk_stop_programs_on_signals(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    mk_stop_on_signals();
    handle_unless_ignored(SIGHUP, on_signal); /* nohup */
    sigaction(SIGPIPE, &ignore, NULL);
}

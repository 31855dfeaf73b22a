#include "sim/program/command/program_signals.h"

#include <signal.h>
#include <stddef.h>

#include "sim/base/atomic_file.h"
#include "sim/run/engine/run.h"

void mk_end_by_signal(int number)
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
    handle_unless_ignored(SIGINT, mk_end_by_signal);
    handle_unless_ignored(SIGTERM, mk_end_by_signal);
    handle_unless_ignored(SIGHUP, mk_end_by_signal);
}

static void on_signal(int number)
{
    (void)number;
    mk_run_stop();
}

void mk_stop_programs_on_signals(void)
{
    const struct sigaction stop = {.sa_handler = on_signal}, ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &stop, NULL);
    sigaction(SIGTERM, &stop, NULL);
    handle_unless_ignored(SIGHUP, on_signal); /* nohup */
    sigaction(SIGPIPE, &ignore, NULL);
}

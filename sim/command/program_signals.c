#include "sim/command/program_signals.h"

#include <signal.h>
#include <stddef.h>

#include "sim/base/atomic_file.h"
#include "sim/run/run.h"

void mk_end_by_signal(int number)
{
    mk_leftover_remove();
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns */
}

void mk_end_on_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction end = {.sa_handler = mk_end_by_signal};
    struct sigaction now;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!sigaction(numbers[i], NULL, &now) && now.sa_handler != SIG_IGN) sigaction(numbers[i], &end, NULL);
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
    sigaction(SIGHUP, &stop, NULL);
    sigaction(SIGPIPE, &ignore, NULL);
}

#include "sim/command/program_signals.h"

#include <signal.h>
#include <stddef.h>

#include "sim/run/run.h"

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

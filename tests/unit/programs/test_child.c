/* A program that is stopped the moment it has been started ends, also when maxk handles the signal by which it is
 * stopped. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/study/programs/child.h"
#include "tests/support/check.h"

enum { STARTS = 50 };

static volatile sig_atomic_t handled;

static void handle(int number)
{
    (void)number;
    handled++;
}

static void test_stop_at_once(void)
{
    char *argv[] = {"sleep", "60", NULL}, *environment[] = {"PATH=/usr/bin:/bin", NULL};
    const struct mk_child_limits limits = {.grace = 60};
    const struct mk_child_start how = {argv, environment, &limits, "/dev/null", "/dev/null"};
    const struct sigaction action = {.sa_handler = handle};
    struct mk_error err;
    int ended = 0;
    sigset_t none, after;
    sigemptyset(&none);
    sigaction(SIGTERM, &action, NULL);
    sigprocmask(SIG_SETMASK, &none, NULL);
    alarm(50); /* ends this test, and the programs with it */
    for (int i = 0; i < STARTS; i++) {
        struct mk_child child;
        struct mk_child_end end;
        if (mk_child_start(&child, &how, &err)) break;
        if (i % 2) usleep((useconds_t)(i * 20));
        mk_child_stop(&child);
        mk_child_end(&child, &end);
        ended += !end.start_error && end.stopped && WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGTERM;
    }
    alarm(0);
    CHECK(ended == STARTS, "%d of %d programs were stopped", ended, STARTS);
    CHECK(handled == 0, "%d signals reached this process", (int)handled);
    sigprocmask(SIG_SETMASK, NULL, &after);
    CHECK(!sigismember(&after, SIGTERM) && !sigismember(&after, SIGCHLD) && !sigismember(&after, SIGINT),
          "its mask of signals is as before");
}

int main(void)
{
    test_stop_at_once();
    return CHECK_EXIT;
}

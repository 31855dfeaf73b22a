#include "sim/study/programs/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sim/base/error.h"
#include "sim/base/progress.h"

enum { REPORT = 3, ABOVE = 10, SWEEPS = 500 };

/* Ends a process of maxk's that is not maxk: without what a library would do at its exit. */
static _Noreturn void end_here(void)
{
    for (;;) kill(getpid(), SIGKILL);
}

static bool is_one_of(long pid, const pid_t *some, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (some[i] == pid) return true;
    return false;
}

/* Kills and reaps the children of this process but `keep`; what they leave behind becomes its children as well, which
 * takes a moment. It is a guard or the command line's own process, whose threads have no children. */
static void end_children(const pid_t *keep, size_t n_keep)
{
    const struct timespec pause = {0, 2000000};
    char path[64], list[4096];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (int i = 0; i < SWEEPS; i++) {
        pid_t reaped = 0;
        while (!n_keep && (reaped = waitpid(-1, NULL, WNOHANG)) > 0) continue;
        if (reaped < 0) return; /* no children are left */
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        const ssize_t n = fd < 0 ? 0 : read(fd, list, sizeof list - 1);
        if (fd >= 0) close(fd);
        list[n > 0 ? n : 0] = 0;
        bool others = false;
        for (char *at = list, *next = NULL; *at; at = next) {
            const long pid = strtol(at, &next, 10);
            if (next == at) break;
            if (pid <= 1 || is_one_of(pid, keep, n_keep)) continue;
            kill((pid_t)pid, SIGKILL);
            waitpid((pid_t)pid, NULL, WNOHANG);
            others = true;
        }
        if (n_keep && !others) return;
        nanosleep(&pause, NULL);
    }
}

/* ---- the program's side ---- */

static void limit(int resource, double value, rlim_t beyond)
{
    struct rlimit r;
    if (!(value > 0)) return;
    r.rlim_cur = (rlim_t)value;
    r.rlim_max = r.rlim_cur + beyond;
    setrlimit(resource, &r);
}

/* A program that is still open for writing in a process just being forked will be free in a moment. */
static void execute(const struct mk_child_start *how)
{
    const struct timespec pause = {0, 20000000};
    for (int tries = 0; tries < 50; tries++) {
        execvpe(how->argv[0], how->argv, how->environment);
        if (errno != ETXTBSY) return;
        nanosleep(&pause, NULL);
    }
}

/* Becomes the program of this guard; returns errno. */
static int become(const struct mk_child_start *how, pid_t guard)
{
    const struct rlimit no_core = {0, 0};
    sigset_t none;
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard) end_here();
    limit(RLIMIT_AS, how->limits->memory, 0);
    limit(RLIMIT_CPU, how->limits->cpu, 2); /* SIGXCPU, SIGKILL 2 s later */
    limit(RLIMIT_FSIZE, how->limits->file, 0);
    setrlimit(RLIMIT_CORE, &no_core);
    signal(SIGPIPE, SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execute(how);
    return errno;
}

/* ---- the guard ---- */

/* The guard's view: the program, the phase that its end is in, when the next one begins. */
struct guard {
    pid_t parent, program;
    double grace, due; /* due < 0: nothing will happen by itself */
    bool asked;        /* SIGTERM was sent to the program */
    struct mk_child_end end;
};

/* Ends all processes that the program has left behind: its group, and what has moved to groups of its own, which has
 * become the guard's child. */
static void sweep(const struct guard *g)
{
    kill(-g->program, SIGKILL);
    end_children(NULL, 0);
}

static void end_program(struct guard *g, bool at_once)
{
    if (g->asked || at_once) {
        kill(-g->program, SIGKILL);
        kill(g->program, SIGKILL); /* it may not be in its group yet */
        g->due = at_once ? -1 : mk_seconds() + 1;
        return;
    }
    kill(-g->program, SIGTERM);
    g->asked = true;
    g->due = mk_seconds() + g->grace;
}

/* Waits for a signal or for what is due. */
static int wait_signal(const struct guard *g, const sigset_t *set)
{
    if (g->due < 0) return sigwaitinfo(set, NULL);
    double left = g->due - mk_seconds();
    if (left < 0) left = 0;
    const struct timespec time = {(time_t)left, (long)((left - (double)(time_t)left) * 1e9)};
    return sigtimedwait(set, NULL, &time);
}

static void watch(struct guard *g, const sigset_t *set)
{
    for (;;) {
        const int signal = wait_signal(g, set);
        int status = 0;
        for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
            if (pid != g->program) continue;
            g->end.status = status;
            return;
        }
        if (signal == SIGTERM) {
            g->end.stopped = true;
            end_program(g, getppid() != g->parent);
        } else if (signal < 0 && errno == EAGAIN) {
            if (!g->end.stopped) g->end.timed_out = true;
            end_program(g, false);
        }
    }
}

/* Descriptors 0, 1, 2 of the program and 3 of the guard; nothing else of maxk, whose journal is locked, stays open.
 * False: there are no descriptors left (errno), and the report is where it was. */
static bool place(const int from[REPORT + 1])
{
    int high[REPORT + 1];
    for (int i = 0; i <= REPORT; i++)
        if ((high[i] = fcntl(from[i], F_DUPFD, ABOVE)) < 0) {
            if (errno == EINVAL) errno = EMFILE; /* the limit is below ABOVE */
            return false;
        }
    for (int i = 0; i <= REPORT; i++)
        if (dup2(high[i], i) < 0) return false;
    closefrom(REPORT + 1);
    return fcntl(REPORT, F_SETFD, FD_CLOEXEC) == 0;
}

/* The program cannot be started, for the reason in errno. */
static _Noreturn void give_up(struct guard *g, int report)
{
    g->end.start_error = errno;
    /* A copy: with its sanitizers GCC takes the address of the member for that of the member's first field, and warns.
     */
    const struct mk_child_end end = g->end;
    ssize_t done = write(report, &end, sizeof end);
    (void)done;
    end_here();
}

/* The signals that a guard waits for; they are blocked. */
static sigset_t watched(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    return set;
}

static _Noreturn void guard(const struct mk_child_start *how, const int fd[REPORT + 1], pid_t parent)
{
    struct guard g = {.parent = parent, .grace = how->limits->grace, .due = -1};
    const sigset_t set = watched();
    int failure[2], why = 0;
    signal(SIGTERM, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    setpgid(0, 0);                  /* Ctrl-C goes to maxk, which decides */
    prctl(PR_SET_NAME, "guarding"); /* `killall maxk` is for maxk */
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) end_here();
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (!place(fd)) give_up(&g, fd[REPORT]);
    if (pipe2(failure, O_CLOEXEC)) give_up(&g, REPORT);
    const double start = mk_seconds();
    const pid_t self = getpid();
    g.program = fork();
    if (g.program == 0) {
        why = become(how, self);
        ssize_t done = write(failure[1], &why, sizeof why);
        (void)done;
        end_here();
    }
    close(failure[1]);
    for (int i = 0; i < REPORT; i++) close(i); /* pipes end when the program does */
    if (g.program < 0)
        g.end.start_error = errno;
    else if (read(failure[0], &why, sizeof why) == (ssize_t)sizeof why)
        g.end.start_error = why;
    if (how->limits->timeout > 0) g.due = start + how->limits->timeout;
    if (g.program > 0) watch(&g, &set);
    g.end.seconds = mk_seconds() - start;
    if (g.program > 0) sweep(&g);
    ssize_t done = write(REPORT, &g.end, sizeof g.end); /* maxk sees what is missing */
    (void)done;
    end_here();
}

/* ---- maxk's side ---- */

static void close_all(int *fd, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (fd[i] >= 0) close(fd[i]);
}

static int open_output(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

enum { IN, OUT, ERROR, GUARD_REPORT, TO, FROM, OUR_REPORT, FDS };

/* All descriptors of both sides; false with errno. */
static bool open_all(int fd[FDS], const struct mk_child_start *how)
{
    int pair[2];
    for (int i = 0; i < FDS; i++) fd[i] = -1;
    if (pipe2(pair, O_CLOEXEC)) return false;
    fd[OUR_REPORT] = pair[0];
    fd[GUARD_REPORT] = pair[1];
    fd[ERROR] = open_output(how->error);
    if (how->out) {
        fd[IN] = open("/dev/null", O_RDONLY | O_CLOEXEC);
        fd[OUT] = open_output(how->out);
        return fd[IN] >= 0 && fd[OUT] >= 0 && fd[ERROR] >= 0;
    }
    if (fd[ERROR] < 0 || pipe2(pair, O_CLOEXEC)) return false;
    fd[IN] = pair[0];
    fd[TO] = pair[1];
    if (pipe2(pair, O_CLOEXEC)) return false;
    fd[FROM] = pair[0];
    fd[OUT] = pair[1];
    return fcntl(fd[FROM], F_SETFL, O_NONBLOCK) == 0 && fcntl(fd[TO], F_SETFL, O_NONBLOCK) == 0;
}

int mk_child_start(struct mk_child *c, const struct mk_child_start *how, struct mk_error *err)
{
    const pid_t parent = getpid();
    int fd[FDS];
    if (!open_all(fd, how)) {
        const int why = errno;
        close_all(fd, FDS);
        return mk_fail(err, MK_EFAIL, "%s: cannot be started: %s", how->argv[0], strerror(why));
    }
    const sigset_t set = watched();
    sigset_t before;
    sigprocmask(SIG_BLOCK, &set, &before); /* a new guard would lose signals to the handlers of maxk */
    const pid_t pid = fork();
    if (pid == 0) guard(how, fd, parent);
    const int why = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    close_all(fd, TO);
    if (pid < 0) {
        close_all(fd + TO, FDS - TO);
        return mk_fail(err, MK_EFAIL, "%s: cannot be started: %s", how->argv[0], strerror(why));
    }
    *c = (struct mk_child){pid, fd[OUR_REPORT], fd[TO], fd[FROM]};
    return MK_OK;
}

void mk_child_stop(const struct mk_child *c)
{
    if (c->guard <= 0) return;
    kill(c->guard, SIGTERM);
    mk_child_continue(c);
}

void mk_child_continue(const struct mk_child *c)
{
    if (c->guard > 0) kill(c->guard, SIGCONT);
}

void mk_child_end(struct mk_child *c, struct mk_child_end *end)
{
    ssize_t n;
    do n = read(c->report, end, sizeof *end);
    while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof *end) *end = (struct mk_child_end){.start_error = ECHILD};
    while (waitpid(c->guard, NULL, 0) < 0 && errno == EINTR) continue;
    close(c->report);
    if (c->to >= 0) close(c->to);
    if (c->from >= 0) close(c->from);
    *c = (struct mk_child){0, -1, -1, -1};
}

bool mk_child_adopt(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

void mk_child_end_adopted(const pid_t *guards, size_t n)
{
    end_children(guards, n);
}

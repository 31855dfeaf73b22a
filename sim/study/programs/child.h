/* Programs as children that cannot be lost: every program runs under a small process of ours, its guard, which enforces
 * the time limit and ends the whole process group, and all that the program has started, when the program ends, on
 * request, and when maxk itself dies (even of SIGKILL). A program that kills its guard dies with it; what it has
 * started survives, unless maxk has adopted it and ends it then. When maxk and the guard are killed at the same time,
 * the program dies, but no process is left that would end what it has started: the signal at the death of a parent is
 * not inherited, and control groups and PID namespaces need rights that not every user has. So a guard has a name of
 * its own: what kills all processes named maxk does not kill guards. */
#ifndef MAXK_SIM_STUDY_PROGRAMS_CHILD_H
#define MAXK_SIM_STUDY_PROGRAMS_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "sim/api/maxk/error.h"
#include "sim/study/tune.h"

/* How a program ended. */
struct mk_child_end {
    int start_error; /* errno if it could not be started, else 0; ECHILD: its guard was killed */
    int status;      /* of waitpid */
    bool timed_out;  /* its time was over */
    bool stopped;    /* mk_child_stop, or the death of maxk */
    double seconds;  /* from its start to its end */
};

struct mk_child {
    pid_t guard;  /* 0: none */
    int report;   /* becomes readable when the program has ended and all it started are gone */
    int to, from; /* standard input and output of a persistent program, else -1 */
};

struct mk_child_start {
    char *const *argv, *const *environment;
    const struct mk_child_limits *limits; /* timeout 0: none */
    const char *out, *error;              /* files of standard output (NULL: a pipe, like standard input) and error */
};

/* MK_EFAIL: no process, file or memory. That the program does not exist is known from its end. */
int mk_child_start(struct mk_child *c, const struct mk_child_start *how, struct mk_error *err);

/* Asks the guard to end the program: SIGTERM to its group, SIGKILL after the grace. */
void mk_child_stop(const struct mk_child *c);

/* Continues a guard that a program has stopped; to be called now and then. */
void mk_child_continue(const struct mk_child *c);

/* Waits for the guard; closes the descriptors. */
void mk_child_end(struct mk_child *c, struct mk_child_end *end);

/* Makes this process the parent of what a guard that is killed leaves behind. Only for a process whose children are all
 * maxk's, not for one that a library is part of. False: the system cannot. */
bool mk_child_adopt(void);

/* Ends what was adopted: all children of this process but these guards. After mk_child_adopt, and for a guard that
 * mk_child_end has found killed. */
void mk_child_end_adopted(const pid_t *guards, size_t n);

#endif

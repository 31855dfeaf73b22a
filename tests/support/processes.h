/* Experiments of processes from the text between the brackets of `processes: [ ]`. */
#ifndef MAXK_TESTS_SUPPORT_PROCESSES_H
#define MAXK_TESTS_SUPPORT_PROCESSES_H

#include <stdlib.h>
#include <string.h>

#include "sim/run/experiment/experiment.h"
#include "tests/support/check.h"

/* NULL when refused. */
static inline struct mk_experiment *parse(const char *processes, struct mk_error *err)
{
    char text[4000];
    struct mk_experiment *e = NULL;
    *err = (struct mk_error){0, ""};
    snprintf(text, sizeof text, "problem: {processes: [%s]}", processes);
    return mk_experiment_parse(&e, "f", text, strlen(text), MK_NEED_PROBLEM, err) ? NULL : e;
}

static inline struct mk_experiment *must(const char *processes)
{
    struct mk_error err;
    struct mk_experiment *e = parse(processes, &err);
    if (!e) {
        CHECK(0, "%s: %s", processes, err.text);
        exit(CHECK_EXIT);
    }
    return e;
}

#endif

/* The page of a tuning run while it runs: the results so far go to OUT.trials/page, and `maxk report`, started as a
 * program of its own, makes the page of them, so that trials are neither delayed nor measured with it. */
#ifndef MAXK_SIM_COMMAND_TUNE_TUNE_PAGE_H
#define MAXK_SIM_COMMAND_TUNE_TUNE_PAGE_H

#include <sys/types.h>

#include "sim/tune/tune_run.h"

struct mk_tune_page {
    const char *out; /* FILE.html; NULL: no page */
    const char *of;  /* OUT.h5 */
    char *folder;    /* OUT.trials/page; owned */
    char *result;    /* the result of the results so far; owned */
    double due;      /* when the next page is made */
    pid_t maker;     /* program that makes one; 0: none */
    bool failed;     /* no further pages: the reason has been printed */
};

int mk_tune_page_begin(struct mk_tune_page *p, const char *out, const char *result, struct mk_error *err);

/* Makes the page of the results so far where one is due. */
void mk_tune_page_show(struct mk_tune_page *p, const struct mk_tune_view *v);

/* Waits for a page that is being made, and removes OUT.trials/page. */
void mk_tune_page_end(struct mk_tune_page *p);

/* The page of the complete run. */
int mk_tune_page_write(const struct mk_tune_page *p, struct mk_error *err);

#endif

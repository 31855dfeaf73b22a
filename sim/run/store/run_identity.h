/* What determines the numbers of a run. Two runs with equal identities give the same bits; differences are reported
 * before one may resume, merge with or replace the other. */
#ifndef MAXK_SIM_RUN_STORE_RUN_IDENTITY_H
#define MAXK_SIM_RUN_STORE_RUN_IDENTITY_H

#include <stdbool.h>

#include "sim/api/maxk/error.h"
#include "sim/run/engine/run.h"
#include "sim/run/store/result.h"

/* Each a malloc'ed text, or all NULL. */
struct mk_identity {
    char *experiment; /* resolved YAML */
    char *engines;    /* a line `engine of LABEL: NAME` for every policy */
    char *data;       /* a line with the fingerprint of recorded rewards, "" for arms that are distributions */
    char *program;    /* a line with the revision of the program; "": unknown */
};

/* The identity of a run about to start: c with its engines chosen. */
int mk_identity_of_run(struct mk_identity *id, const struct mk_run_context *c, struct mk_error *err);

/* The identity of a result file: experiment and engines; data and program stay "", since an equal run of another
 * revision may replace it. */
int mk_identity_of_result(struct mk_identity *id, const struct mk_result_info *info, struct mk_error *err);

int mk_identity_copy(struct mk_identity *to, const struct mk_identity *from, struct mk_error *err);

void mk_identity_clear(struct mk_identity *id);

/* 1 when equal. Otherwise 0, and `text` receives the first lines in which they differ, as "old line, not new line".
 * Texts that are "" on either side are not compared. */
bool mk_identity_same(const struct mk_identity *old, const struct mk_identity *new, char *text, size_t room);

#endif

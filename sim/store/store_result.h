/* An open result file: shared by sim/store/store_read.c (opens and checks it) and store_read_values.c (reads cells). */
#ifndef MAXK_SIM_STORE_STORE_RESULT_H
#define MAXK_SIM_STORE_STORE_RESULT_H

#include "sim/store/store_util.h"

/* The datasets of one policy that have been read last: cells are read one after another, and opening takes longer than
 * reading. */
struct mk_open_cells {
    size_t policy;
    hid_t summary[MK_SUMMARY_FIELDS], raw[MK_RAW_FIELDS]; /* 0: not open */
};

struct mk_result {
    struct mk_result_info info;
    hid_t file;
    struct mk_dimensions axes;
    hid_t *policy; /* [policy] groups */
    struct mk_open_cells open;
    hsize_t bytes; /* of the file */
    char *texts;   /* attribute of /provenance: zero-terminated, one after another */
    size_t texts_size;
    const char *next; /* the next text, NULL: none left */
};

#define MK_RESULT_MISFIT "missing, or not of the type and shape of a result"

/* MK_EINPUT `FILE: name: what`; name may be NULL. */
int mk_result_damaged(const struct mk_result *r, const char *name, const char *what, struct mk_error *err);

/* Closes what is in r->open. */
void mk_result_close_cells(struct mk_result *r);

/* A group, or -1. */
hid_t mk_result_group(hid_t parent, const char *name);

#endif

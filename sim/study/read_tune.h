/* The reading of one tune file, which sim/study/read_tune.c and read_metrics.c share. */
#ifndef MAXK_SIM_STUDY_READ_TUNE_H
#define MAXK_SIM_STUDY_READ_TUNE_H

#include "sim/base/error.h"
#include "sim/experiment/experiment_read.h"
#include "sim/study/tune.h"

struct mk_tune_reading {
    struct mk_tune *t;
    const struct mk_node *root;
    struct mk_loader l; /* for what experiment files have too: policies, optimisers, spaces */
    struct mk_node *to; /* resolved */
    struct mk_error *err;
};

static inline int mk_tune_no_memory(struct mk_tune_reading *r)
{
    return mk_fail_memory(r->err, "a tune file");
}

/* metric, metrics, cost and subject_to; the worker is known. */
int mk_tune_read_metrics(struct mk_tune_reading *r);

#endif

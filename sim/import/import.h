/* What other tools have recorded, read as it is: studies of Optuna, run histories of SMAC3, results of HpBandSter,
 * exports of MLflow and irace, wide and long tables. Every evaluation becomes a pull of the arm that a hyperparameter
 * names, numbered within its own series; what had to be assumed is said. */
#ifndef MAXK_SIM_IMPORT_IMPORT_H
#define MAXK_SIM_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/string_table.h"

struct json_object;
struct mk_importer;

/* What the caller says; NULL: inferred, and then one of the notes. Names are those of hyperparameters, or of columns.
 */
struct mk_import_options {
    const struct mk_importer *from; /* kind of file */
    const char *arm;                /* what names the arm */
    const char *instance;           /* what names the instance: a column; of Optuna the study to read */
    const char *repetition;         /* column */
    const char *iteration; /* column that orders the evaluations of a series: numbers, or texts such as times */
    const char *value;     /* column of the values */
    const bool *maximize;  /* whether larger values are better */
    const char *failed;    /* what failed evaluations count as: "worst" (also NULL), "drop" or a number */
};

/* One evaluation. Before the end of reading `value` is NaN where there is none, and `order` what the file has. */
struct mk_imported {
    size_t instance, arm, repetition; /* numbers in the string tables */
    uint64_t iteration;               /* within its series, from 1 */
    double value;                     /* as the tool counts: a loss where mk_import.maximize is false */
    double cost;                      /* seconds or another cost, NaN: not recorded */
    const char *status;               /* "ok", "failed", "pruned" or "missing" */
    double order, budget;             /* budget: fidelity of the evaluation, 0: there are none */
    struct json_object *parameters;   /* the configuration, without the arm */
    bool left_out;                    /* while it is read: it does not count */
};

struct mk_import {
    struct mk_string_table instances, arms, repetitions;
    struct mk_imported *evaluation; /* [n] by instance, arm, repetition and iteration */
    size_t n;
    bool maximize, has_costs;
    struct mk_string_table notes; /* what was assumed, sentences */
};

/* Reads a file. MK_EINPUT: it is of no kind that is known, malformed, or something that has to be said is not. */
int mk_import_read(struct mk_import **out, const char *path, const struct mk_import_options *options,
                   struct mk_error *err);
void mk_import_free(struct mk_import *m);

/* The code of a reader of other files that has failed. Where the file is of a kind that can be imported, MK_EINPUT
 * becomes an error that says so. */
int mk_import_instead(int code, const char *path, struct mk_error *err);

/* The kinds of files, in the order of list.def, NULL past the end; their names, "|optuna|smac|…". */
const struct mk_importer *mk_importer_at(size_t i);
extern const char mk_import_choices[];

#endif

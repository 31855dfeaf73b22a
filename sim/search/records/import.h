/* What other tools have recorded, read as it is: studies of Optuna, run histories of SMAC3, results of HpBandSter,
 * exports of MLflow and irace, wide and long tables. Every evaluation becomes a pull of the arm that a hyperparameter
 * names, numbered within its own series; what had to be assumed is said. */
#ifndef MAXK_SIM_SEARCH_RECORDS_IMPORT_H
#define MAXK_SIM_SEARCH_RECORDS_IMPORT_H

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
    const char *arm;                /* what names the arm; "file", "study": the file, the study of Optuna */
    const char *arm_name;           /* the name of all evaluations' arm */
    const char *instance;           /* what names the instance: a column or "file"; of Optuna the study to read */
    const char *repetition;         /* column, or "file" */
    const char *iteration; /* column that orders the evaluations of a series: numbers, or texts such as times */
    const char *value;     /* column of the values */
    const char *cost;      /* column of what evaluations cost */
    const bool *maximize;  /* whether larger values are better */
    int objective;         /* number of the objective of an Optuna database, from 1; 0: it has one */
    const char *failed;    /* what failed evaluations count as: "worst" (also NULL), "drop" or a number */
};

/* One evaluation. Before the end of reading `value` is NaN where there is none, and `order` what the file has. */
struct mk_imported {
    size_t instance, arm, repetition; /* numbers in the string tables */
    size_t file;                      /* that it is from, from 0 */
    uint64_t iteration;               /* within its series, from 1 */
    double value;                     /* as the tool counts: a loss where mk_import.maximize is false */
    double cost;                      /* seconds or another cost, NaN: not recorded */
    const char *status;               /* "ok", "failed", "pruned" or "missing" */
    double order, budget;             /* budget: fidelity of the evaluation, 0: there are none */
    struct json_object *parameters;   /* the configuration, without the arm */
    char *configuration;              /* the same as JSON, at the end of reading */
    bool left_out;                    /* while it is read: it does not count */
};

struct mk_import {
    struct mk_string_table instances, arms, repetitions, files;
    struct mk_imported *evaluation; /* [n] by instance, arm, repetition and iteration */
    size_t n;
    bool maximize, has_costs, has_studies;
    struct mk_string_table notes; /* what was assumed, sentences */
};

/* Reads files, of which each has its evaluations after those of the files before it. MK_EINPUT: one is of no kind that
 * is known, malformed, or something that has to be said is not. */
int mk_import_read(struct mk_import **out, const char *const *path, size_t n_paths,
                   const struct mk_import_options *options, struct mk_error *err);
void mk_import_free(struct mk_import *m);

/* The code of a reader of other files that has failed. Where the file is of a kind that can be imported, MK_EINPUT
 * becomes an error that says so. */
int mk_import_instead(int code, const char *path, struct mk_error *err);

/* The kinds of files, in the order of list.def, NULL past the end; their names, "|optuna|smac|…". */
const struct mk_importer *mk_importer_at(size_t i);
extern const char mk_import_choices[];

#endif

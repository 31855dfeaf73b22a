/* Kinds of files that can be imported: one file and one line in list.def each. */
#ifndef MAXK_SIM_SEARCH_RECORDS_IMPORTER_H
#define MAXK_SIM_SEARCH_RECORDS_IMPORTER_H

#include <json-c/json.h>

#include "sim/search/records/import.h"

/* The beginning of a file, unpacked where it is gzip. */
struct mk_import_head {
    char *text; /* ends with a NUL */
    size_t length;
    bool is_folder; /* its text is empty */
};

/* A reading: what it fills, and what the caller says. */
struct mk_import_job {
    struct mk_import *to;
    const char *path;
    const struct mk_import_options *options;
    const struct mk_import_head *head;
    size_t file;           /* number of the file that is read */
    bool has_arms;         /* evaluations have their arms; otherwise a hyperparameter names them */
    bool by_file[2];       /* the file is the instance, the repetition */
    size_t open, beyond;   /* evaluations that have not ended, values that no reward can be */
    size_t earlier, again; /* reports before the last one of a trial, trials that there were before */
    size_t strange;        /* evaluations of configurations that are not there */
    struct mk_string_table trials;
    size_t first;           /* the first evaluation of this file */
    bool has_direction, up; /* what earlier files say */
};

struct mk_importer {
    const char *name, *about;
    bool (*recognises)(const struct mk_import_head *head); /* NULL: never, it has to be named */
    int (*read)(struct mk_import_job *job, struct mk_error *err);
};

/* Appends an evaluation, whose texts are copied and whose `parameters` are taken over, also where it fails. `arm`:
 * NULL, unless the reader sets has_arms. */
struct mk_import_row {
    const char *instance, *arm, *repetition; /* instance, repetition: NULL, there is but one */
    double value, cost, order, budget;       /* value: not finite where there is none */
    const char *status;                      /* of what has no value: "failed", "pruned", "missing"; "open": left out */
    json_object *parameters;                 /* NULL: none */
};
int mk_import_add(struct mk_import_job *job, const struct mk_import_row *e, struct mk_error *err);

/* A sentence about what was assumed; repeated ones count once. */
int mk_import_note(struct mk_import *m, struct mk_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The direction that the file has, or, where it has none, that is assumed. */
int mk_import_direction(struct mk_import_job *job, bool maximize, const char *why, struct mk_error *err);

/* What a tool calls the state of an evaluation, of which the part after the last dot counts ("StatusType.SUCCESS"): of
 * one that has ended well "missing", as long as it has no value, "failed", "pruned", and "open" for one that has not
 * ended; NULL: none of the known words. */
const char *mk_import_status(const char *word, size_t length);

/* Refuses the options that name columns; `instance`: that one, too. The word "file" is no column. */
int mk_import_no_columns(struct mk_import_job *job, bool instance, struct mk_error *err);

/* The content of a file, unpacked where it is gzip, malloc'ed and ended by a NUL. */
int mk_import_whole(const char *path, char **out, size_t *length, struct mk_error *err);

/* A whole file as JSON, to be put; repeated keys: the last one counts. */
int mk_import_json(const char *path, json_object **out, struct mk_error *err);

/* One text as JSON, that of a line (0: a whole file). */
int mk_import_json_text(const char *path, size_t line, const char *text, size_t length, json_object **out,
                        struct mk_error *err);

/* Whether a text is a number of JSON, and the value that it is; NULL: no memory. */
bool mk_import_is_number(const char *text, size_t length);
json_object *mk_import_new_number(const char *text, size_t length);

/* A value as JSON, and the same with a text as it is, without quotes; malloc'ed, NULL: no memory. */
char *mk_import_json_write(json_object *x);
char *mk_import_text_of(json_object *x);

/* What a mapping has under a name, or a list at a place; NULL: nothing, or x is not one. */
json_object *mk_import_member(json_object *x, const char *name);
json_object *mk_import_item(json_object *x, size_t i);

/* A number of JSON or NaN, infinite ones included, as Python writes them. */
double mk_import_real(json_object *x);

/* Tables: what their columns are called. */
struct mk_table_preset {
    const char *value, *status, *order, *cost, *instance, *repetition;
    const char *problem;          /* a text in this column and no value: it has failed */
    const char *arm;              /* a hyperparameter that has no prefix, and names the arm unless an option does */
    const char *value_prefix;     /* where `value` is NULL: the only column with this prefix */
    const char *parameter_prefix; /* hyperparameters are the columns with it; NULL: all that are nothing else */
    const char *ignored;          /* columns that mean nothing here, "A|B" */
    bool value_named;             /* where `value` is NULL: an option has to name it */
    bool wide;                    /* every column that is nothing else is an arm, and its cells are values */
    int direction;                /* 1: maximise, -1: minimise, 0: not known */
    const char *direction_why;
};
int mk_import_table(struct mk_import_job *job, const struct mk_table_preset *preset, struct mk_error *err);

/* Whether the first line of a file has this column. */
bool mk_import_has_column(const struct mk_import_head *head, const char *name);

/* Whether it has one with this prefix. */
bool mk_import_has_column_like(const struct mk_import_head *head, const char *prefix);

#define IMPORTER(name) extern const struct mk_importer mk_importer_##name;
#include "sim/search/records/list.def"
#undef IMPORTER

#endif

/* Kinds of tables: one file analysis/answers/tables/<name>.c with `const struct mk_table_type mk_table_<name>` and one
 * line in list.def each. The command of the same name, its help, mk_table_make of the public library, Python's
 * maxk.table and `maxk list columns` follow from the struct. */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_TABLE_TYPE_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_TABLE_TYPE_H

#include "analysis/answers/tables/table_input.h"
#include "sim/base/progress.h"
#include "sim/base/table/option.h"
#include "sim/base/table/table.h"

/* An option of a table, and the place of its value in the struct of the table's options. */
struct mk_table_option {
    struct mk_option option; /* option.to is not used */
    size_t at;
};

/* MK_TABLE_OPTION(struct gap_options, until, "until", 0, MK_OPT_COUNT, "T", NULL, 1, 9, "help") */
#define MK_TABLE_OPTION(type, field, name, letter, kind, arg, choices, lo, hi, help)                                   \
    {                                                                                                                  \
        {name, letter, kind, NULL, arg, choices, lo, hi, help}, offsetof(type, field)                                  \
    }
#define MK_TABLE_OPTIONS_END                                                                                           \
    {                                                                                                                  \
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL}, 0                                                        \
    }

/* Members of a struct mk_table_type: its options with their defaults; the schemas of the table and those that follow.
 */
#define MK_TABLE_TAKES(options, values) .option = options, .options_size = sizeof values, .defaults = &values
#define MK_TABLE_SHOWS(...)                                                                                            \
    .schema = (const struct mk_table_schema *const[])                                                                  \
    {                                                                                                                  \
        __VA_ARGS__, NULL                                                                                              \
    }

/* A request for a table. */
struct mk_table_call {
    const char *const *input; /* [n_inputs] operands: paths or names */
    size_t n_inputs;
    const void *options;         /* the struct of the type's options */
    struct mk_input_options *in; /* of types with reads_rewards */
    bool further;                /* the tables, notes and captions in addition to the table itself are wanted */
    mk_progress_report *report;  /* with a struct mk_progress_line as its context; NULL: none */
    struct mk_result *result;    /* the input, a result that is open and is not to be changed; NULL: not open yet */
    FILE *stream;                /* of long tables: rows are printed there as they come, and not kept; NULL: kept */
    struct mk_table_style style; /* of that */
    bool stored;                 /* only what the result itself holds is wanted, nothing that is computed from it */
};

struct mk_table_type {
    struct mk_usage usage;                /* name, operands and description, as of the command */
    const char *group, *summary;          /* group of commands, NULL: no command prints it; one line */
    const struct mk_table_option *option; /* ends with MK_TABLE_OPTIONS_END; NULL: none */
    size_t options_size;
    const void *defaults;                        /* [options_size] */
    const char *(*names)(size_t i);              /* inputs that are names, for completion; NULL past the end */
    bool printing_last;                          /* --csv and the like follow its options in the help */
    bool has_policies;                           /* not of results, but tables by policy end with what is swept */
    bool reads_rewards;                          /* has the options of mk_input_options too */
    const struct mk_table_schema *const *schema; /* the table and those that follow it; ends with NULL */

    /* Why the table says nothing about this result, such as "it has one instance"; NULL: it applies. No function: the
     * table is not one of results. */
    const char *(*inapplicable)(struct mk_result *r);
    const char *required; /* the option without which it is not made, as on the command line; NULL: none */
    bool costly;          /* minutes of work for some results: made only where it is asked for by its name */

    bool counts_trials; /* of results of studies: T counts trials, evaluations in part among them (MK_WHOLE) */
    bool is_input;      /* its CSV form is what commands read: the command has -o OUT.csv */
    bool as_data;       /* may be long: printed as CSV, row by row, where no form is asked for */
    bool exported;      /* holds a part of a result as it is: `maxk export` writes it */

    /* Makes the table. Where a part of it cannot be computed, it may be made with mk_table_fail. */
    int (*make)(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err);
};

const struct mk_table_type *mk_table_type_at(size_t i); /* NULL past the end */
const struct mk_table_type *mk_table_type_find(const char *name);

/* Why a table (NULL: of no type) does not apply to the result; NULL: it does. */
const char *mk_table_inapplicable(const struct mk_table_type *type, struct mk_result *r);

/* For types that apply to every result; to those of arms whose rewards have the same distribution at every pull; to
 * those of policies that choose arms. */
const char *mk_table_always(struct mk_result *r);
const char *mk_table_same_distribution(struct mk_result *r);
const char *mk_table_choosing(struct mk_result *r);

/* The source of the rewards of a result; NULL: its experiment cannot be read. The rewards themselves are not read. */
const struct mk_source_type *mk_table_source(struct mk_result *r);

/* The options of a request, before they are read: defaults, and a table of options of which `to` points there. */
struct mk_table_request {
    void *values;
    struct mk_input_options in;
    struct mk_option *option;    /* ends with name NULL */
    struct mk_result *result;    /* as in struct mk_table_call; NULL at first */
    FILE *stream;                /* as in struct mk_table_call; NULL at first */
    struct mk_table_style style; /* of that */
};

/* `own`: options of the caller, first or last as the type says; may be NULL. Cleared with mk_table_request_clear. */
int mk_table_request_init(struct mk_table_request *r, const struct mk_table_type *type, const struct mk_option *own,
                          struct mk_error *err);
void mk_table_request_clear(struct mk_table_request *r, const struct mk_table_type *type);

/* Makes the table of a request whose options are read. */
int mk_table_request_make(struct mk_table **out, const struct mk_table_type *type, struct mk_table_request *r,
                          const char *const *input, size_t n_inputs, bool further, mk_progress_report *report,
                          struct mk_error *err);

/* mk_table_make (sim/api/maxk/table.h) of a result that is open. */
int mk_table_of_result(struct mk_table **out, const char *name, struct mk_result *r, const char *const *options,
                       size_t n_options, struct mk_error *err);

/* Makes the table of a result, with its options at their defaults, and prints it. */
int mk_table_write(const struct mk_table_type *type, struct mk_result *r, FILE *to, struct mk_table_style style,
                   struct mk_error *err);

/* Reads the only input of a request as a problem; what rules for gaps did becomes warnings of the table by
 * mk_table_warn_gaps. */
int mk_table_open(struct mk_experiment **out, const struct mk_table_type *type, const struct mk_table_call *call,
                  struct mk_error *err);
void mk_table_warn_gaps(struct mk_table *t, const struct mk_problem *p);

/* Ends the making: *out is t unless code or a lack of memory is an error; then t is freed. */
int mk_table_made(struct mk_table **out, struct mk_table *t, int code, struct mk_error *err);

#define TABLE(name) extern const struct mk_table_type mk_table_##name;
#include "analysis/answers/tables/list.def"
#include "analysis/answers/tables/result_tables.def"
#undef TABLE

#endif

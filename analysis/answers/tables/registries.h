/* The registries as one table (registries.def): what lists, descriptions, help, man page and completions are made from.
 */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_REGISTRIES_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_REGISTRIES_H

#include <stdbool.h>
#include <stdio.h>

#include "sim/base/param.h"
#include "sim/base/table/table.h"

/* An entry of a registry whose entries can be described. */
struct mk_registry_entry {
    const char *name, *summary;
    const struct mk_param *params;
    bool unlisted; /* of families: those that change another one, which `describe` knows alone */
};

struct mk_registry {
    const char *list; /* name of the list; NULL ends the table */
    const struct mk_table_schema *schema;
    void (*add)(struct mk_table *t);                                            /* its rows, or */
    int (*add_of)(struct mk_table *t, const char *table, struct mk_error *err); /* those of a table ("": of all) */

    /* Of those that `maxk describe` knows; NULL of others. */
    const char *one;                                      /* what an entry is, such as "policy" */
    const char *heading, *about;                          /* the section of the man page, and its first line in roff */
    bool (*entry)(size_t i, struct mk_registry_entry *e); /* false: past the end */
    void (*describe)(size_t i, FILE *to);
};

extern const struct mk_registry mk_registries[]; /* those of OF_PROGRAM are not among them */

#define DESCRIBED(list, ...)                                                                                           \
    bool mk_entry_##list(size_t i, struct mk_registry_entry *e);                                                       \
    void mk_describe_##list(size_t i, FILE *to);
#include "analysis/answers/tables/registries.def"

#endif

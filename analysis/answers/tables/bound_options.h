/* What tables of bounds over the parameters of an experiment share: their options, as a search of a worst case. */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_BOUND_OPTIONS_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_BOUND_OPTIONS_H

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/claims/bound_search.h"

struct mk_bound_options {
    struct mk_texts vary, sets;
    int variant; /* enum mk_bound_variant; MK_BOUND_VARIANTS: Proposition 4.1 */
    const char *claim;
    uint64_t replications, seed, threads; /* threads 0: all cores */
};

/* Lines of a table of options; `field`: of the type's options. */
#define MK_BOUND_OPTIONS(type, field)                                                                                  \
    MK_TABLE_OPTION(type, field.sets, "set", 's', MK_OPT_TEXTS, "KEY=VALUE", NULL, 1, 0,                               \
                    "override a key; may be repeated"),                                                                \
        MK_TABLE_OPTION(type, field.variant, "variant", 0, MK_OPT_CHOICE, "NAME",                                      \
                        "printed|sum|endpoint|figure_e5|crossing|explicit|proposition", 1, 0,                          \
                        "the bound (default: sum)"),                                                                   \
        MK_TABLE_OPTION(type, field.claim, "claim", 0, MK_OPT_TEXT, "NAME", NULL, 1, 0,                                \
                        "take this claim of the file (key `claims`) in place of a bound")
#define MK_BOUND_THREADS(type, field)                                                                                  \
    MK_TABLE_OPTION(type, field.threads, "threads", 'j', MK_OPT_COUNT, "N", NULL, 1, 4096,                             \
                    "number of threads (default: all cores)")

/* The search that they describe, of the experiment `path`; range[vary.n], which must outlive it. */
int mk_bound_options_apply(const struct mk_bound_options *o, const char *command, const char *path,
                           struct mk_bound_search *s, struct mk_bound_search_range *range, struct mk_error *err);

/* The swept parameters of the experiment as the last columns, but alpha, which has a column, and what is varied. */
int mk_bound_add_swept(struct mk_table *t, const struct mk_bound_search *s, struct mk_error *err);

#endif

/* The layouts of the tables rank, compare, best_set and sample_size: what each shows of the same comparisons. */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_RANK_LAYOUTS_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_RANK_LAYOUTS_H

#include "analysis/compare/policy_choice.h"
#include "analysis/compare/rank.h"
#include "sim/base/table/table.h"

enum mk_rank_layout {
    MK_RANK_ROWS,
    MK_RANK_BESIDE,
    MK_RANK_TASKS,
    MK_RANK_CHOICE,
    MK_RANK_PAIRS,
    MK_RANK_VERDICTS,
    MK_RANK_LAYOUTS,                    /* as many has --layout of rank */
    MK_RANK_BEST_SET = MK_RANK_LAYOUTS, /* of the table best_set alone */
    MK_RANK_SAMPLE_SIZE                 /* of the table sample_size alone */
};
#define MK_RANK_LAYOUT_CHOICES "rows|beside|tasks|choice|pairs|verdicts"

/* What is compared. */
struct mk_rank_source {
    const struct mk_scores *scores;
    const struct mk_rank_options *options;
    struct mk_comparison *const *comparison; /* [n], one per horizon, all with the same baseline */
    size_t n;
    const char *const *result; /* [n] the paths of results that are kept apart; NULL: they are not */
    enum mk_criterion by;      /* of MK_RANK_CHOICE and MK_RANK_BEST_SET */
};

extern const struct mk_table_schema mk_rank_choice, mk_rank_pairs, mk_rank_verdicts, mk_rank_best_set,
    mk_rank_sample_size;
extern const struct mk_table_schema *const mk_rank_schemas[MK_RANK_LAYOUTS + 1]; /* of the layouts; ends with NULL */
const struct mk_table_schema *mk_rank_schema(enum mk_rank_layout layout);

/* The columns that the source decides, then all rows, of a table of the layout's schema. */
int mk_rank_fill(struct mk_table *t, enum mk_rank_layout layout, const struct mk_rank_source *s, struct mk_error *err);

#endif

/* Tables on the page of a result: those that its readers want to see, and where all others are that there are. */
#ifndef MAXK_ANALYSIS_ANSWERS_PAGE_PAGE_TABLES_H
#define MAXK_ANALYSIS_ANSWERS_PAGE_PAGE_TABLES_H

#include "analysis/answers/page/report_page.h"
#include "analysis/compare/arms/sampled_race.h"
#include "sim/run/store/result.h"

/* Shows those of the page, bounds with confidence next to certified ones if there is some sampling. *left_out <- the
 * ones that cannot be made, with the reason; to be freed, also after an error. */
int mk_page_tables_show(struct mk_page *page, struct mk_result *r, const struct mk_sampling *sampling,
                        struct mk_table **left_out, struct mk_error *err);

/* The importance of the hyperparameters of a study. */
int mk_page_importance(struct mk_page *page, struct mk_result *r, struct mk_error *err);

/* Every other table of a result: the command that prints it, or why it does not apply, which left_out (may be NULL)
 * begins. of_study: the page is that of a study, with its trials and their importance as tables. */
int mk_page_tables_further(struct mk_page *page, struct mk_result *r, bool of_study, struct mk_table *left_out,
                           struct mk_error *err);

#endif

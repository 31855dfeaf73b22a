/* The tables on the page of a result. */
#ifndef MAXK_ANALYSIS_PAGE_PAGE_TABLES_H
#define MAXK_ANALYSIS_PAGE_PAGE_TABLES_H

#include "analysis/page/report_page.h"
#include "sim/store/result.h"

/* Adds those that apply to the result, and why the others do not. `path`: its file. */
int mk_page_add_tables(struct mk_page *page, const char *path, struct mk_result *r, struct mk_error *err);

/* The importance of the hyperparameters of a study. */
int mk_page_add_importance(struct mk_page *page, const char *path, struct mk_error *err);

#endif

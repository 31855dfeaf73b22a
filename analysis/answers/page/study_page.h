/* What the page of a study (maxk tune) says of it, in the name and the sign of its metric. */
#ifndef MAXK_ANALYSIS_ANSWERS_PAGE_STUDY_PAGE_H
#define MAXK_ANALYSIS_ANSWERS_PAGE_STUDY_PAGE_H

#include "analysis/answers/page/report_page.h"
#include "sim/study/study_files.h"

/* The best configuration with its command, and how sure it is. */
int mk_page_study_best(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err);

/* How the trials were spread over the arms; what other policies would have done with them, of several arms under a
 * policy; failures with their reasons; every trial. */
int mk_page_study_trials(struct mk_page *page, const struct mk_study_files *s, struct mk_error *err);

#endif

/* Results on one HTML page: what was run, tables, figures, settings, provenance. */
#ifndef MAXK_ANALYSIS_ANSWERS_PAGE_RESULT_PAGE_H
#define MAXK_ANALYSIS_ANSWERS_PAGE_RESULT_PAGE_H

#include "analysis/compare/arms/sampled_race.h"
#include "sim/base/progress.h"
#include "sim/run/store/result.h"

struct mk_result_page {
    const char *const *path; /* [n] results, and documents (result_page.c) that end in .json or .yaml */
    size_t n;
    const char *title;                 /* NULL: that of the only result, or "Results of maxk" */
    struct mk_policy_selection chosen; /* of the figures */
    struct mk_sampling sampling;       /* of bounds with confidence */
    uint64_t reload;                   /* readers can have the page loaded again every so many seconds; 0: not */
    mk_progress_report *report;        /* with a struct mk_progress_line as its context; NULL: none */
    void (*warn)(const char *line);    /* certificates that cannot be used or kept; NULL: not reported */
};

/* Writes the file `out`, which stays as it was where this fails. *pictures: figures on the page. */
int mk_result_page_write(const struct mk_result_page *r, const char *out, size_t *pictures, struct mk_error *err);

#endif

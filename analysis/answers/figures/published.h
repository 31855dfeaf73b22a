/* Statistics of published runs, to be drawn next to one's own. A CSV file with the columns experiment, policy, horizon,
 * mean_optimal_pulls, se_optimal_pulls, proxy_empirical_regret; others are ignored. */
#ifndef MAXK_ANALYSIS_ANSWERS_FIGURES_PUBLISHED_H
#define MAXK_ANALYSIS_ANSWERS_FIGURES_PUBLISHED_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"

struct mk_published;

struct mk_published_row {
    char *experiment, *policy; /* names of the experiment and of the policy's label */
    double horizon;
    double optimal_pulls, se_optimal_pulls; /* of the optimal arm: mean and its standard error */
    double proxy_regret;                    /* PER(T) */
};

/* MK_EINPUT, with the place, for a file that does not have this form. */
int mk_published_read(struct mk_published **out, const char *path, struct mk_error *err);
void mk_published_free(struct mk_published *p);

/* The row of one cell, or NULL (also for p == NULL). */
const struct mk_published_row *mk_published_find(const struct mk_published *p, const char *experiment,
                                                 const char *policy, uint64_t horizon);

#endif

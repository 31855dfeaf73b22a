/* The table of what the model of an optimiser says, for an optimiser that is at hand. */
#ifndef MAXK_ANALYSIS_ANSWERS_TABLES_ACQUISITION_H
#define MAXK_ANALYSIS_ANSWERS_TABLES_ACQUISITION_H

#include "analysis/answers/figures/plot/plot.h"
#include "analysis/compare/model_slice.h"
#include "sim/base/table/table.h"

enum { MK_ACQUISITION_MOST_POINTS = 100000 };

struct mk_acquisition_request {
    const char *hyper; /* NULL: the only one that has several values */
    uint64_t points;
    int through;        /* enum mk_slice_through */
    const char *folder; /* of the figure; NULL: none is drawn */
    int format;         /* enum mk_plot_format */
};

/* `place`: what is before the name of an option in messages; `arm`: names the arm in the figure and its file. MK_EINPUT
 * as mk_model_slice_of, or there is no such hyperparameter. */
int mk_acquisition_table(struct mk_table **out, const char *place, const char *arm, struct mk_optimizer *o,
                         const struct mk_acquisition_request *r, struct mk_error *err);

#endif

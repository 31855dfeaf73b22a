/* Published values of L and U of known distributions, the only copy of them: Balef et al. 2025, Tables C.2 (two toy
 * survival functions) and C.3 (truncated Gaussians), and how each table was computed. */
#ifndef MAXK_ANALYSIS_THEORY_PUBLISHED_LU_H
#define MAXK_ANALYSIS_THEORY_PUBLISHED_LU_H

#include "analysis/theory/lu.h"

enum mk_published_by {
    MK_BY_GRID,    /* the ratio at eps = .1, .3, .5, .7, .9, exactly */
    MK_BY_PAPER_C3 /* mk_lu_paper_c3, mean over MK_PUBLISHED_RUNS samples of MK_PUBLISHED_SAMPLES draws */
};

enum { MK_PUBLISHED_RUNS = 1000, MK_PUBLISHED_SAMPLES = 1000 };

struct mk_published_lu {
    const char *table; /* "C.2", "C.3" */
    enum mk_published_by by;
    const char *family;
    double v[4];           /* parameters in the family's order */
    struct mk_lu_runs was; /* standard deviations NaN if not published */
};

static const double mk_published_rounding = 0.005; /* two decimals are printed */

/* Row i of both tables, in print order; NULL past the end. */
const struct mk_published_lu *mk_published_lu_at(size_t i);

/* The row of this family with these parameters, or NULL. */
const struct mk_published_lu *mk_published_lu_find(const struct mk_dist *d);

/* The computation of the row's table, repeated: by `runs` samples of `samples` draws if it is simulated. Errors:
 * MK_ENOMEM. */
int mk_published_lu_repeat(const struct mk_published_lu *row, const struct mk_dist *d, size_t samples, size_t runs,
                           struct mk_key key, struct mk_lu_runs *out, struct mk_error *err);

#endif

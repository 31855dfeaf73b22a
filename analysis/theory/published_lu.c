#include "analysis/theory/published_lu.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const struct mk_published_lu rows[] = {
    {"C.2", MK_BY_GRID, "power", {2, 1}, {1.10, NAN, 1.90, NAN}}, /* G(x) = 1 - x^2 */
    {"C.2", MK_BY_GRID, "beta", {1, 2}, {0.10, NAN, 0.90, NAN}},  /* G(x) = (1 - x)^2 */
    /* sigma is the scale of the parent normal distribution; the legend of Figure C.3 calls it sigma^2. */
    {"C.3", MK_BY_PAPER_C3, "truncated_gaussian", {.25, .5, 0, 1}, {.58, .06, 1.70, .48}},
    {"C.3", MK_BY_PAPER_C3, "truncated_gaussian", {.50, .5, 0, 1}, {.85, .07, 1.53, .34}},
    {"C.3", MK_BY_PAPER_C3, "truncated_gaussian", {.75, .5, 0, 1}, {1.01, .01, 1.64, .25}},
    {"C.3", MK_BY_PAPER_C3, "truncated_gaussian", {.25, .2, 0, 1}, {.34, .07, 1.54, .28}},
    {"C.3", MK_BY_PAPER_C3, "truncated_gaussian", {.50, .2, 0, 1}, {.44, .08, 1.36, .04}},
    {"C.3", MK_BY_PAPER_C3, "truncated_gaussian", {.75, .2, 0, 1}, {1.01, .00, 1.95, .04}},
};

const struct mk_published_lu *mk_published_lu_at(size_t i)
{
    return i < sizeof rows / sizeof *rows ? &rows[i] : NULL;
}

static bool same_law(const struct mk_published_lu *row, const struct mk_dist *d)
{
    if (strcmp(row->family, d->type->name) != 0) return false;
    for (size_t i = 0; i < mk_param_count(d->type->params); i++)
        if (row->v[i] != d->v[i]) return false;
    return true;
}

const struct mk_published_lu *mk_published_lu_find(const struct mk_dist *d)
{
    const struct mk_published_lu *row = NULL;
    for (size_t i = 0; (row = mk_published_lu_at(i)) != NULL; i++)
        if (same_law(row, d)) return row;
    return NULL;
}

static struct mk_lu_runs on_grid(const struct mk_dist *d)
{
    struct mk_lu_runs out = {INFINITY, NAN, 0, NAN};
    for (int i = 1; i <= 9; i += 2) {
        double eps = i / 10.0, ratio = mk_dist_survival(d, 1 - eps) / eps;
        out.mean_L = fmin(out.mean_L, ratio);
        out.mean_U = fmax(out.mean_U, ratio);
    }
    return out;
}

int mk_published_lu_repeat(const struct mk_published_lu *row, const struct mk_dist *d, size_t samples, size_t runs,
                           struct mk_key key, struct mk_lu_runs *out, struct mk_error *err)
{
    if (row->by == MK_BY_PAPER_C3) return mk_lu_paper_c3_runs(d, samples, runs, key, out, err);
    *out = on_grid(d);
    return MK_OK;
}

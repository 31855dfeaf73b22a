#include "distributions/dist.h"

#include <math.h>
#include <string.h>

const char mk_dist_no_memory[] = "out of memory";

double mk_dist_inverse_survival(const struct mk_dist *d, double upper)
{
    return d->type->inverse(d, upper, 1 - upper);
}

bool mk_dist_has_atoms(const struct mk_dist *d)
{
    if (d->type->flags & MK_DIST_ATOMS) return true;
    for (size_t i = 0; i < d->n_parts; i++)
        if (mk_dist_has_atoms(d->part[i])) return true;
    return false;
}

double mk_dist_between(const struct mk_dist *d, double x, double y)
{
    if (d->type->between) return d->type->between(d, x, y);
    double from = mk_dist_survival(d, x), to = mk_dist_cdf(d, y);
    if (from <= 0.5) return from - mk_dist_above(d, y); /* the tails with the least cancellation */
    if (to <= 0.5) return to - mk_dist_below(d, x);
    return 1 - mk_dist_below(d, x) - mk_dist_above(d, y);
}

bool mk_dist_equal(const struct mk_dist *a, const struct mk_dist *b)
{
    if (a == b) return true;
    bool same = a->type == b->type && a->n_values == b->n_values && a->n_parts == b->n_parts;
    for (size_t i = 0, n = mk_param_count(a->type->params); same && i < n; i++) same = a->v[i] == b->v[i];
    if (same && a->n_values > 0) same = memcmp(a->values, b->values, a->n_values * sizeof *a->values) == 0;
    for (size_t i = 0; same && i < a->n_parts; i++) same = mk_dist_equal(a->part[i], b->part[i]);
    return same;
}

double mk_dist_resolution(const struct mk_dist *d)
{
    if (d->type->resolution) return d->type->resolution(d);
    double largest = 0;
    for (size_t i = 0; i < d->n_parts; i++) largest = fmax(largest, mk_dist_resolution(d->part[i]));
    return largest;
}

void mk_dist_tails(const struct mk_dist *d, double *upper, double *lower)
{
    *upper = *lower = INFINITY;
    if (d->type->tails) d->type->tails(d, upper, lower);
}

size_t mk_dist_breaks(const struct mk_dist *d, double *x)
{
    return d->type->breaks ? d->type->breaks(d, x) : 0;
}

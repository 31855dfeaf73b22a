#include "distributions/dist.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "distributions/parts/quantiles.h"
#include "sim/base/error.h"

const char mk_dist_no_memory[] = "out of memory";

void mk_dist_free(struct mk_dist *d)
{
    if (!d) return;
    for (size_t i = 0; i < d->n_parts; i++) mk_dist_free(d->part[i]);
    free(d->part);
    free(d->values);
    free(d->table);
    mk_quantiles_free(d->quantiles);
    free(d);
}

double mk_dist_inverse_survival(const struct mk_dist *d, double upper)
{
    return d->type->inverse(d, upper, 1 - upper);
}

/* A wrapper is as slow as its part. */
static bool is_slow(const struct mk_dist *d)
{
    return d->type->flags & MK_DIST_WRAPPER ? is_slow(d->part[0]) : (d->type->flags & MK_DIST_SLOW) != 0;
}

int mk_dist_tabulate(struct mk_dist *d, struct mk_error *err)
{
    for (size_t i = 0; i < d->n_parts; i++) {
        int code = mk_dist_tabulate(d->part[i], err);
        if (code) return code;
    }
    if (d->quantiles || !(d->type->flags & MK_DIST_INVERTS) || !is_slow(d)) return MK_OK;
    d->quantiles = mk_quantiles_new(d);
    return d->quantiles ? MK_OK : mk_fail_memory(err, "the quantiles of an arm");
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

#include "analysis/claims/bound_map.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

int mk_bound_map_evaluate(struct mk_bound_map *m, struct mk_error *err)
{
    const size_t nx = m->points[0], ny = m->points[1];
    m->search.n = 2;
    m->search.range = m->range;
    m->x = malloc(nx * sizeof *m->x);
    m->y = malloc(ny * sizeof *m->y);
    m->cell = calloc(nx * ny, sizeof *m->cell);
    if (!m->x || !m->y || !m->cell) return mk_fail_memory(err, "a map");
    for (size_t i = 0; i < nx; i++) m->x[i] = mk_bound_search_place(&m->range[0], (double)i / (double)(nx - 1));
    for (size_t k = 0; k < ny; k++) m->y[k] = mk_bound_search_place(&m->range[1], (double)k / (double)(ny - 1));
    for (size_t i = 0; i < nx; i++)
        for (size_t k = 0; k < ny; k++) {
            const double point[] = {m->x[i], m->y[k]};
            int code = mk_bound_search_point(&m->search, point, &m->cell[i * ny + k], err);
            if (code) return code;
        }
    return MK_OK;
}

void mk_bound_map_clear(struct mk_bound_map *m)
{
    free(m->x);
    free(m->y);
    free(m->cell);
}

double mk_bound_map_looseness(const struct mk_bound_map *m, const struct mk_bound_search_cell *c)
{
    if (m->search.target == MK_SEARCH_THEOREM && c->bound > 0)
        return log10(fmin(c->bound, (double)c->horizon) / c->mean);
    return isfinite(c->ratio) && c->ratio > 0 ? -log10(c->ratio) : NAN;
}

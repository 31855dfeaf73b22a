/* A bound compared with the observed value on a grid over two keys of an experiment file. */
#ifndef MAXK_ANALYSIS_CLAIMS_BOUND_MAP_H
#define MAXK_ANALYSIS_CLAIMS_BOUND_MAP_H

#include "analysis/claims/bound_search.h"

enum { MK_BOUND_MAP_LEAST = 2, MK_BOUND_MAP_MOST = 200 }; /* points per key */

struct mk_bound_map {
    struct mk_bound_search search; /* of every point; range and n are set here */
    struct mk_bound_search_range range[2];
    size_t points[2];
    double *x, *y;                     /* [points[0]], [points[1]]: values of the keys */
    struct mk_bound_search_cell *cell; /* [points[0]][points[1]]: the worst of all policies, horizons and arms */
};

/* Evaluates every point, with one step of search.progress each. Freed with mk_bound_map_clear, also after an error. */
int mk_bound_map_evaluate(struct mk_bound_map *m, struct mk_error *err);
void mk_bound_map_clear(struct mk_bound_map *m);

/* log10(bound / observed), above 0 where the bound holds, the bound capped at the largest possible value. */
double mk_bound_map_looseness(const struct mk_bound_map *m, const struct mk_bound_search_cell *c);

#endif

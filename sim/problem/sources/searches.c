/* Searches: an objective and the optimiser that works on it (sim/search/search.h). */
#include "sim/problem/problem.h"

static int make_room(struct mk_problem *p, size_t n_instances, struct mk_error *err)
{
    return mk_searches_new(&p->searches, n_instances, p->n_arms, err);
}

const struct mk_source_type mk_source_searches = {.key = "searches",
                                                  .has = MK_HAS_EVALUATIONS | MK_HAS_POOLS,
                                                  .make_room = make_room,
                                                  .support = mk_source_series_support};

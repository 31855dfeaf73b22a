#include "analysis/tables/bound_options.h"

#include <omp.h>
#include <stdio.h>

int mk_bound_options_apply(const struct mk_bound_options *o, const char *command, const char *path,
                           struct mk_bound_search *s, struct mk_bound_search_range *range, struct mk_error *err)
{
    char option[32];
    int code = MK_OK;
    snprintf(option, sizeof option, "maxk %s: --vary", command);
    for (size_t i = 0; i < o->vary.n && !code; i++)
        code = mk_bound_search_range_parse(o->vary.text[i], option, &range[i], err);
    s->path = path;
    s->n_sets = o->sets.n;
    s->sets = o->sets.text;
    s->n = o->vary.n;
    s->range = range;
    s->replications = o->replications;
    s->seed = o->seed;
    s->threads = o->threads ? (int)o->threads : omp_get_max_threads();
    mk_bound_search_set_target(s, o->variant, o->claim);
    return code;
}

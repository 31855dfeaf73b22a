#include "analysis/answers/tables/bound_options.h"

#include <omp.h>
#include <stdio.h>
#include <string.h>

#include "analysis/answers/tables/result_tables.h"

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

int mk_bound_add_swept(struct mk_table *t, const struct mk_bound_search *s, struct mk_error *err)
{
    const char *own[MK_SEARCH_DIMENSIONS + 1] = {"alpha"};
    double x[MK_SEARCH_DIMENSIONS];
    struct mk_experiment *e = NULL;
    size_t n = 1;
    for (size_t i = 0; i < s->n; i++) {
        const char *key = s->range[i].key;
        if (strncmp(key, "policies.", 9) == 0) own[n++] = strrchr(key, '.') + 1;
        x[i] = s->range[i].lo;
    }
    int code = mk_bound_search_experiment(&e, s, x, err);
    if (!code) code = mk_table_add_swept_of(t, e, own, n, err);
    mk_experiment_free(e);
    return code;
}

#include "sim/run/experiment/combined_search.h"

#include <math.h>
#include <string.h>

enum { BASELINE, PARAMS };

static const struct mk_param params[] = {
    {"baseline", MK_INTEGER, 0, 0, 0, 1e6, NULL, "number of the search among those of the file"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t no_state(const struct mk_setup *s)
{
    (void)s;
    return 0;
}

const struct mk_policy_type mk_combined_search = {
    .name = "combined_search",
    .summary = "one optimiser on the joint space, as recorded in the file",
    .formula = "",
    .reference = "",
    .departures = "",
    .cost = "",
    .kind = MK_CASH,
    .flags = MK_POLICY_RECORDED | MK_POLICY_COMBINED,
    .params = params,
    .state_size = no_state,
};

const struct mk_policy_type mk_combined_search_live = {
    .name = "combined_search_live",
    .summary = "one optimiser on the joint space, at work",
    .formula = "",
    .reference = "",
    .departures = "",
    .cost = "",
    .kind = MK_CASH,
    .flags = MK_POLICY_COMBINED,
    .params = params,
    .state_size = no_state,
};

bool mk_policy_has(const char *name, unsigned flag)
{
    const struct mk_policy_type *type = strcmp(name, mk_combined_search.name) == 0        ? &mk_combined_search
                                        : strcmp(name, mk_combined_search_live.name) == 0 ? &mk_combined_search_live
                                                                                          : mk_policy_type_find(name);
    return type && (type->flags & flag) == flag;
}

double mk_combined_search_best(const struct mk_problem *p, size_t baseline, size_t instance, uint64_t replication,
                               uint64_t horizon)
{
    const struct mk_series *s = mk_problem_baseline(p, instance, baseline, replication);
    double best = NAN;
    const uint64_t reach = mk_series_reach(p, s, horizon);
    for (size_t n = 0; n < reach; n++) best = s->reward[n] <= best ? best : s->reward[n];
    return best;
}

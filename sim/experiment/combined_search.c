#include "sim/experiment/combined_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/text.h"

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

int mk_combined_search_add(struct mk_experiment *e, struct mk_error *err)
{
    const struct mk_problem *p = e->problem;
    char clip[MK_CLIP_ROOM];
    if (!MK_GROW(e->entry, e->n_entries, p->n_baselines)) return mk_fail_memory(err, "the experiment");
    for (size_t b = 0; b < p->n_baselines; b++) {
        if (mk_experiment_find_policy(e, p->baseline_label[b]) < e->n_entries)
            return mk_fail(err, MK_EINPUT, "%s: label: a policy has the label '%s' of a combined search in %s", e->file,
                           mk_clip(p->baseline_label[b], clip), p->file ? p->file : "the experiment");
        struct mk_policy_entry *entry = &e->entry[e->n_entries];
        *entry = (struct mk_policy_entry){
            strdup(p->baseline_label[b]), p->searches ? &mk_combined_search_live : &mk_combined_search, {(double)b}};
        if (!entry->label) return mk_fail_memory(err, "the experiment");
        e->n_entries++;
    }
    return MK_OK;
}

double mk_combined_search_best(const struct mk_problem *p, size_t baseline, size_t instance, uint64_t replication,
                               uint64_t horizon)
{
    const struct mk_series *s =
        &p->instance[instance].baseline[baseline * (size_t)p->replications + (size_t)replication];
    double best = NAN;
    for (size_t n = 0; n < s->length && n < horizon; n++) best = s->reward[n] <= best ? best : s->reward[n];
    return best;
}

#include "sim/run/engine/other_runs.h"

#include <stdlib.h>
#include <string.h>

#include "distributions/candidates.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

static int read_arm(struct mk_candidate_arm *c, const struct mk_problem *p, size_t instance, size_t k,
                    struct mk_error *err)
{
    const uint64_t replications = mk_problem_replications(p, instance, UINT64_MAX);
    size_t n = 0, all = 0;
    for (uint64_t r = 0; r < replications; r++) all += mk_series_recorded(mk_problem_series(p, instance, k, r));
    double *reward = malloc((all + 1) * sizeof *reward);
    if (!reward) return mk_fail_memory(err, "candidates");
    for (uint64_t r = 0; r < replications; r++) {
        const struct mk_series *s = mk_problem_series(p, instance, k, r);
        memcpy(reward + n, s->reward, mk_series_recorded(s) * sizeof *reward);
        n += mk_series_recorded(s);
    }
    const int code = mk_candidate_of_rewards(c, reward, n, err);
    free(reward);
    return code;
}

int mk_other_runs_new(struct mk_candidates **out, const struct mk_problem *p, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    const size_t arms = p->n_arms;
    if (p->n_instances < 2)
        return mk_fail(err, MK_EINPUT, "%s: recorded: needs runs of other instances, and there is one instance",
                       p->file);
    for (size_t i = 0; i < p->n_instances; i++)
        if (p->instance[i].n_arms < arms)
            return mk_fail(err, MK_EINPUT, "%s: recorded: expected all %zu arms on every instance; %s has %zu", p->file,
                           arms, mk_clip(p->instance[i].name, clip), p->instance[i].n_arms);
    int code = mk_candidates_of_runs(out, p->n_instances, arms, err);
    for (size_t i = 0; i < p->n_instances && !code; i++) {
        for (size_t k = 0; k < arms && !code; k++) code = read_arm(&(*out)->of[i * arms + k], p, i, k, err);
        mk_problem_release(p, i);
    }
    if (!code) return MK_OK;
    mk_candidates_free(*out);
    *out = NULL;
    return code;
}

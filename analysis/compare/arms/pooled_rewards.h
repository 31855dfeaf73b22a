/* Rewards of one instance pooled per arm: every recorded repetition of a trajectory problem, or independent draws of
 * the arms of a synthetic one. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_POOLED_REWARDS_H
#define MAXK_ANALYSIS_COMPARE_ARMS_POOLED_REWARDS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"
#include "sim/problem/problem.h"

struct mk_pooled_rewards {
    size_t n_arms;   /* of the instance */
    double **sorted; /* [n_arms][n[k]] ascending */
    size_t *n;       /* [n_arms], >= 1 */
    double largest;  /* over all arms of the instance */
};

/* `samples` draws per arm (synthetic only) from streams keyed by (seed, `what`, arm). Errors: MK_ENOMEM, MK_EINPUT (an
 * arm without a reward). */
int mk_pooled_rewards_new(struct mk_pooled_rewards **out, const struct mk_problem *p, size_t instance, size_t samples,
                          uint64_t seed, const char *what, struct mk_error *err);

/* The largest of every `block` consecutive rewards of a repetition (of the draws, for synthetic arms) in the place of
 * the rewards, block >= 1; an incomplete last block is dropped. MK_EINPUT too: an arm without a complete block. */
int mk_pooled_maxima_new(struct mk_pooled_rewards **out, const struct mk_problem *p, size_t instance, size_t block,
                         size_t samples, uint64_t seed, const char *what, struct mk_error *err);
void mk_pooled_rewards_free(struct mk_pooled_rewards *pool);

/* The stream of anything drawn for analysis. */
struct mk_key mk_pooled_rewards_key(uint64_t seed, const char *what, size_t arm);

#endif

/* The reward tape: r[k][n], the n-th reward of arm k in one replication, regardless of the policy that asks for it.
 *
 * It is a function of (seed, instance name, replication, arm index, n) and the arm's distribution alone. It is drawn
 * lazily in blocks and shared by every policy and every parameter value of a sweep (common random numbers). For
 * trajectories the table is read from the file. For searches the n-th reward is that of the n-th configuration which
 * the arm's optimiser asks for; they are kept until the next replication. */
#ifndef MAXK_SIM_RUN_TAPE_REWARD_TAPE_H
#define MAXK_SIM_RUN_TAPE_REWARD_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policies/play/per_pull_loop.h"
#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"
#include "sim/base/progress.h"
#include "sim/problem/problem.h"

struct mk_reward_tape_arm {
    struct mk_arm_rewards *seen; /* by policies: of mk_reward_tape.rewards */
    uint64_t room;               /* capacity of own */
    uint64_t written;            /* of own, in this replication or an earlier one: what occupies memory */
    double *own;                 /* owned buffer; NULL while reading from a trajectory */
    double *cost;                /* [filled] costs of searches in part, owned; otherwise NULL */
    double *noise_free;          /* [filled] values without noise of noisy searches, owned; otherwise NULL */
    struct mk_pcg64 rng;
};

struct mk_reward_tape {
    struct mk_rewards rewards;      /* what policies play; arm[problem->n_arms], absent arms are never asked for */
    struct mk_reward_tape_arm *arm; /* [problem->n_arms] */
    const struct mk_problem *problem;
    uint64_t first; /* rewards of an arm drawn at first */
    uint64_t seed;
    size_t instance;
    uint64_t replication;
    uint64_t written; /* over all arms */
    uint64_t most,
        look; /* see mk_reward_tape_limit; value of `written` at which arms are next considered for dropping */
    const uint64_t *pulls;
    struct mk_search_bench *bench; /* owned; searches only */
    struct mk_progress *progress;  /* counts evaluations; searches only, may be NULL */
    bool reports;                  /* this thread reports the progress */
    struct mk_error why;           /* of a search that failed; why.code is MK_OK otherwise */
};

/* One tape per thread. */
int mk_reward_tape_new(struct mk_reward_tape **out, const struct mk_problem *problem, uint64_t seed,
                       struct mk_error *err);
void mk_reward_tape_free(struct mk_reward_tape *tape);

/* Moves to a replication of an instance; nothing is drawn yet. */
void mk_reward_tape_seek(struct mk_reward_tape *tape, size_t instance, uint64_t replication);

/* Keeps about `most` rewards in memory: at that number, arms with far more rewards than pulls[k], the pulls of the
 * current policy, are dropped, and drawn again when they are asked for. One replication of T pulls needs at most
 * mk_reward_tape_need(T, arms); with most >= mk_reward_tape_most(T, arms) the limit is kept, however many policies
 * share the tape. Rewards do not depend on the limit. Without a call there is no limit. */
void mk_reward_tape_limit(struct mk_reward_tape *tape, uint64_t most, const uint64_t *pulls);

/* Upper bound on the rewards that T pulls of `arms` arms draw: blocks are drawn whole. */
double mk_reward_tape_need(double T, double arms);
/* The smallest limit for them. */
double mk_reward_tape_most(double T, double arms);

/* Searches: every evaluation is a step of this progress, those of combined searches too. */
static inline void mk_reward_tape_count(struct mk_reward_tape *tape, struct mk_progress *progress, bool reports)
{
    tape->progress = progress;
    tape->reports = reports;
}

static inline void mk_reward_tape_evaluated(struct mk_reward_tape *tape)
{
    if (tape->progress) mk_progress_step(tape->progress, tape->reports);
}

/* The n-th reward (0-based) of the arm at position k of the instance. */
static inline double mk_reward_tape_reward(struct mk_reward_tape *tape, size_t k, uint64_t n)
{
    const struct mk_arm_rewards *a = &tape->rewards.arm[k];
    return __builtin_expect(n < a->filled, 1) ? a->reward[n] : tape->rewards.extend(&tape->rewards, k, n);
}

/* Searches: the rewards of all arms in this replication, `budget` of each, and their costs, into their places in the
 * row (mk_problem_row); false: failed, or `stopped` said so. */
bool mk_reward_tape_finish(struct mk_reward_tape *tape, bool (*stopped)(void), double *row);

/* The stream of anything belonging to a replication: `what` is an arm index or a policy's name. */
struct mk_key mk_reward_tape_key(const struct mk_reward_tape *tape);
struct mk_key mk_reward_tape_key_of(const struct mk_problem *p, uint64_t seed, size_t instance, uint64_t replication);

#endif

/* The best fixed arm: I_t = i*(T) = argmax_k E[M_k(T)] (eq. 4 of Balef et al. 2025), which may change with T.
 * The only policy that knows anything about the arms in advance. Cost per pull O(1); memory O(1). */
#include "policies/play/per_pull_loop.h"
#include "policies/play/record_loop.h"
#include "policies/policy.h"

static size_t state_size(const struct mk_setup *s)
{
    (void)s;
    return sizeof(size_t);
}

static void init_oracle(void *state, const struct mk_setup *s)
{
    *(size_t *)state = s->best_arm;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    return *(size_t *)state;
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)state;
    (void)arm;
    (void)reward;
    (void)t;
}

static inline uint64_t stay(void *state, size_t arm, uint64_t t, uint64_t most)
{
    (void)state;
    (void)arm;
    (void)t;
    return most;
}

static inline uint64_t update_many(void *state, size_t arm, const double *rewards, uint64_t n, uint64_t t)
{
    (void)state;
    (void)arm;
    (void)rewards;
    (void)t;
    return n;
}

MK_POLICY_PLAY_STAYING(play, select_arm, update, stay, update_many)

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    mk_record_pull_all(play_, *(size_t *)state, last - first + 1);
}

const struct mk_policy_type mk_policy_oracle = {
    .name = "oracle",
    .summary = "the best fixed arm by E[M(T)], known in advance",
    .formula = "I_t = argmax_k E[max of T draws of arm k]",
    .reference = "Balef et al. 2025, eq. 4",
    .departures = "",
    .cost = "O(1)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_ORACLE,
    .state_size = state_size,
    .init = init_oracle,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
};

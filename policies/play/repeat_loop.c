#include "policies/play/repeat_loop.h"

void mk_play_repeats(const struct mk_policy_type *type, void *state, struct mk_play *play, struct mk_repeats *repeats,
                     uint64_t first, uint64_t last)
{
    struct mk_rewards *const source = play->rewards;
    uint32_t step = 0;
    for (uint64_t t = first; t <= last;) {
        if (mk_play_stops(play, ++step)) return;
        const uint64_t round = ++repeats->round;
        const size_t arm = type->select(state, round);
        const struct mk_arm_rewards *drawn = &source->arm[arm];
        const uint64_t n = play->pulls[arm];
        const bool again = n > 0 && repeats->left[arm] > 0;
        const uint64_t at = again ? 0 : n;
        const double reward = at < drawn->filled ? drawn->reward[at] : source->extend(source, arm, at);
        type->update(state, arm, reward, round);
        if (again) {
            repeats->left[arm]--;
            continue;
        }
        play->best = reward > play->best ? reward : play->best;
        if (play->sequence) play->sequence[t - 1] = (uint32_t)arm;
        play->pulls[arm] = n + 1;
        t++;
    }
}

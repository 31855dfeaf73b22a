#include "sim/tape/record_loop.h"

#include <math.h>

/* The end of the data is treated like a record, at the pull after the last. */
static void find_next(struct mk_record_play *play, size_t arm)
{
    struct mk_record_cursor *c = &play->at[arm];
    uint64_t length = play->tape->arm[arm].length, n = c->next_high < c->next_low ? c->next_high : c->next_low;
    if (n > length) n = length + 1;
    c->next = n < MK_RECORD_NEVER ? n + play->tape->skipped : n;
}

void mk_record_play_start(struct mk_record_play *play, size_t arms)
{
    play->best = -INFINITY;
    mk_record_tape_skip(play->tape, 0);
    for (size_t k = 0; k < arms; k++) {
        play->pulls[k] = 0;
        play->at[k] = (struct mk_record_cursor){1, 1, MK_RECORD_NEVER, 0, 0, -INFINITY};
    }
}

void mk_record_play_skip(struct mk_record_play *play, size_t arms, uint64_t n)
{
    mk_record_tape_skip(play->tape, n);
    for (size_t k = 0; k < arms; k++) play->at[k].next = n + 1;
}

double mk_record_one(struct mk_record_play *play, size_t arm)
{
    double reward = mk_reward_tape_reward(play->tape->unit, arm, play->pulls[arm]++);
    if (reward > play->best) play->best = reward;
    return reward;
}

void mk_record_play_watch_low(struct mk_record_play *play, size_t arms)
{
    for (size_t k = 0; k < arms; k++) play->at[k].next_low = 1;
}

double mk_record_meet(struct mk_record_play *play, size_t arm)
{
    struct mk_record_cursor *c = &play->at[arm];
    uint64_t n = play->pulls[arm] - play->tape->skipped;
    double reward = c->max;
    if (n > play->tape->arm[arm].length) {
        play->tape->failed = 1;
        c->next = MK_RECORD_NEVER;
        return reward;
    }
    if (n == c->next_low) {
        reward = mk_record_low(play->tape, arm, c->low)->x;
        c->next_low = mk_record_low(play->tape, arm, ++c->low)->n;
    }
    if (n == c->next_high) {
        reward = c->max = mk_record_high(play->tape, arm, c->high)->x;
        if (reward > play->best) play->best = reward;
        c->next_high = mk_record_high(play->tape, arm, ++c->high)->n;
    }
    find_next(play, arm);
    return reward;
}

void mk_record_pull_all(struct mk_record_play *play, size_t arm, uint64_t count)
{
    while (count) {
        uint64_t step = mk_record_before(play, arm);
        step = step < count ? step : count;
        mk_record_pull(play, arm, step);
        count -= step;
    }
}

void mk_record_pull_turns(struct mk_record_play *play, const size_t *arm, size_t n, size_t from, uint64_t rounds)
{
    for (size_t i = 0; i < n; i++) {
        size_t turn = (i + n - from) % n;
        mk_record_pull_all(play, arm ? arm[i] : i, rounds / n + (turn < rounds % n));
    }
}

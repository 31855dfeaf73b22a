#include "policies/play/record_loop.h"

#include <math.h>

/* The end of the data is treated like a record, at the pull after the last. */
static void find_next(struct mk_record_play *play, size_t arm)
{
    struct mk_record_cursor *c = &play->at[arm];
    uint64_t length = play->records->length(play->records, arm),
             n = c->next_high < c->next_low ? c->next_high : c->next_low;
    if (n > length) n = length + 1;
    c->next = n < MK_RECORD_NEVER ? n + play->records->skipped : n;
}

void mk_record_play_start(struct mk_record_play *play, size_t arms)
{
    play->best = -INFINITY;
    play->records->skip(play->records, 0);
    for (size_t k = 0; k < arms; k++) {
        play->pulls[k] = 0;
        play->at[k] = (struct mk_record_cursor){1, 1, MK_RECORD_NEVER, 0, 0, -INFINITY};
    }
}

void mk_record_play_skip(struct mk_record_play *play, size_t arms, uint64_t n)
{
    play->records->skip(play->records, n);
    for (size_t k = 0; k < arms; k++) play->at[k].next = n + 1;
}

double mk_record_one(struct mk_record_play *play, size_t arm)
{
    double reward = play->records->reward(play->records, arm, play->pulls[arm]++);
    if (reward > play->best) play->best = reward;
    return reward;
}

void mk_record_play_watch_low(struct mk_record_play *play, size_t arms)
{
    for (size_t k = 0; k < arms; k++) play->at[k].next_low = 1;
}

double mk_record_meet(struct mk_record_play *play, size_t arm)
{
    struct mk_records *records = play->records;
    struct mk_record_cursor *c = &play->at[arm];
    uint64_t n = play->pulls[arm] - records->skipped;
    double reward = c->max;
    if (n > records->length(records, arm)) {
        records->failed = 1;
        c->next = MK_RECORD_NEVER;
        return reward;
    }
    if (n == c->next_low) {
        reward = records->low(records, arm, c->low)->x;
        c->next_low = records->low(records, arm, ++c->low)->n;
    }
    if (n == c->next_high) {
        reward = c->max = records->high(records, arm, c->high)->x;
        if (reward > play->best) play->best = reward;
        c->next_high = records->high(records, arm, ++c->high)->n;
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

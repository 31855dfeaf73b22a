#include "policies/play/leave_loop.h"

#include <stdlib.h>
#include <string.h>

bool mk_leaving_alloc(struct mk_leaving *l, size_t arms)
{
    l->arm = malloc(arms * sizeof *l->arm);
    l->used = malloc(arms * sizeof *l->used);
    l->cost = malloc(arms * sizeof *l->cost);
    l->label_share = malloc(arms * sizeof *l->label_share);
    l->pull_cost = malloc(arms * sizeof *l->pull_cost);
    return l->arm && l->used && l->cost && l->label_share && l->pull_cost;
}

void mk_leaving_free(struct mk_leaving *l)
{
    free(l->arm);
    free(l->used);
    free(l->cost);
    free(l->label_share);
    free(l->pull_cost);
}

/* What the policy knows of the arms that are left. */
static void set_up(struct mk_leaving *l)
{
    const struct mk_setup *all = l->all;
    struct mk_setup *left = &l->left;
    for (size_t i = 0; i < left->arms; i++) {
        const size_t k = l->arm[i];
        l->used[i] = 0;
        l->cost[i] = all->cost[k];
        if (all->label_share) l->label_share[i] = all->label_share[k];
        if (all->pull_cost) l->pull_cost[i] = all->pull_cost[k];
    }
    left->cost = l->cost;
    left->label_share = all->label_share ? l->label_share : NULL;
    left->pull_cost = all->pull_cost ? l->pull_cost : NULL;
    left->best_arm = left->arms;
    if (!l->worth) return;
    left->best_arm = 0;
    for (size_t i = 1; i < left->arms; i++)
        if (l->worth[l->arm[i]] > l->worth[l->arm[left->best_arm]]) left->best_arm = i;
}

void mk_leaving_start(struct mk_leaving *l)
{
    l->left = *l->all;
    l->round = 0;
    l->spent = (struct mk_spent){0, 0};
    l->waits = false;
    for (size_t k = 0; k < l->all->arms; k++) {
        l->arm[k] = k;
        l->used[k] = 0;
    }
}

static bool make_state(struct mk_leaving *l)
{
    const size_t bytes = l->type->state_size(&l->left), room = (bytes + 127) & ~(size_t)63;
    if (bytes <= l->state_room) return true;
    void *larger = aligned_alloc(64, room);
    if (!larger) return false;
    free(l->state);
    l->state = larger;
    l->state_room = room;
    return true;
}

/* The arm at position i leaves; false: no memory. */
static bool leave(struct mk_leaving *l, size_t i, uint64_t pulls)
{
    const size_t after = --l->left.arms - i;
    l->left.horizon -= pulls;
    memmove(l->arm + i, l->arm + i + 1, after * sizeof *l->arm);
    l->round = 0;
    set_up(l);
    if (!l->left.arms) return true;
    if (!make_state(l)) return false;
    l->type->init(l->state, &l->left);
    return true;
}

/* Whether the next pull of arm k of the instance can be paid; then it is. */
static bool pay(struct mk_leaving *l, size_t k, uint64_t pulls)
{
    if (!(l->most > 0)) return true;
    const double *const *own = l->all->pull_cost;
    const struct mk_spent spent = mk_spend(l->spent, own ? own[k][pulls] : l->all->cost[k]);
    if (spent.sum > l->most) return false;
    l->spent = spent;
    return true;
}

void mk_play_leaving(struct mk_leaving *l, struct mk_play *play, uint64_t first, uint64_t last)
{
    uint32_t step = 0;
    for (uint64_t t = first; t <= last && l->left.arms;) {
        if (mk_play_stops(play, ++step)) return;
        const size_t i = l->waits ? l->next : l->type->select(l->state, l->round + 1), k = l->arm[i];
        const bool new = l->used[i] == play->pulls[k];
        if (new && play->pulls[k] == l->length[k]) {
            play->rewards->failed |= !leave(l, i, play->pulls[k]);
            l->waits = false;
            if (play->rewards->failed) return;
            continue;
        }
        l->next = i;
        l->waits = new && !pay(l, k, play->pulls[k]);
        if (l->waits) return;
        const struct mk_arm_rewards *drawn = &play->rewards->arm[k];
        const uint64_t n = l->used[i]++;
        const double reward = n < drawn->filled ? drawn->reward[n] : play->rewards->extend(play->rewards, k, n);
        if (play->rewards->failed) return;
        l->type->update(l->state, i, reward, ++l->round);
        if (!new) continue;
        if (play->sequence) play->sequence[t - 1] = (uint32_t)k;
        play->pulls[k]++;
        play->best = reward > play->best ? reward : play->best;
        t++;
    }
}

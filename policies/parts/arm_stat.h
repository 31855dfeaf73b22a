/* Counts and one statistic per arm, its mean or its running maximum, by which the simpler policies rank arms.
 * Both follow affine maps, so they are kept on raw rewards and scaled when used (policies/parts/reward_scaling.h).
 *
 * Ties. Maxima are rewards and tie when they are equal. Means of decimal rewards often tie in decimal arithmetic but
 * not in binary: two of them count as equal when they differ by a few of their rounding units (mk_near_mean); then the
 * tie rule decides, not the order of summation. State: 32 bytes per arm and this struct. O(1) per reward. */
#ifndef MAXK_POLICIES_PARTS_ARM_STAT_H
#define MAXK_POLICIES_PARTS_ARM_STAT_H

#include "policies/parts/argmax.h"
#include "policies/parts/reward_scaling.h"
#include "policies/parts/running_mean.h"
#include "policies/parts/tournament.h"
#include "policies/policy.h"

enum { MK_STATISTIC_MEAN, MK_STATISTIC_MAX };

#define MK_STATISTIC_PARAM(def)                                                                                        \
    MK_CHOICE_ROW("statistic", def, "mean|max", "statistic that ranks an arm: its mean or its largest reward")

struct mk_arm_stat {
    const struct mk_setup *setup;
    int use_max;
    uint64_t *n;                     /* [K] */
    double *value;                   /* [K] mean or maximum of the arm's rewards; -inf before the first */
    struct mk_running_mean *mean;    /* [K] the mean with its rounding; {maximum, 0} for maxima */
    struct mk_tournament tournament; /* unused unless mk_arm_stat_state_init made it */
};

static inline size_t mk_arm_stat_bytes(size_t arms)
{
    return arms * (sizeof(uint64_t) + sizeof(double) + sizeof(struct mk_running_mean));
}

/* `memory` has mk_arm_stat_bytes(arms) bytes. */
static inline void mk_arm_stat_init(struct mk_arm_stat *a, void *memory, const struct mk_setup *s, int use_max)
{
    a->setup = s;
    a->use_max = use_max;
    a->tournament.used = false;
    mk_tournament_forget(&a->tournament);
    a->n = memory;
    a->value = (double *)(a->n + s->arms);
    a->mean = (struct mk_running_mean *)(a->value + s->arms);
    for (size_t i = 0; i < s->arms; i++) {
        a->n[i] = 0;
        a->value[i] = -INFINITY;
        a->mean[i] = (struct mk_running_mean){0, 0};
    }
}

/* Relative difference up to which a statistic counts as equal to the best (mk_near). */
static inline double mk_arm_stat_share(const struct mk_arm_stat *a)
{
    return a->use_max ? 0 : mk_near_mean;
}

/* `state_size` of a policy whose state is this struct, its arrays, and what finds the best arm. */
static inline size_t mk_arm_stat_state_size(const struct mk_setup *s)
{
    return sizeof(struct mk_arm_stat) + mk_arm_stat_bytes(s->arms) + mk_tournament_bytes(s);
}

/* The start of such a policy. */
static inline void mk_arm_stat_state_init(struct mk_arm_stat *a, const struct mk_setup *s, int use_max, int random_ties)
{
    mk_arm_stat_init(a, a + 1, s, use_max);
    const struct mk_tournament_rules rules = {.a = a->value, .share = mk_arm_stat_share(a), .random_ties = random_ties};
    mk_tournament_init(&a->tournament, a->mean + s->arms, s, &rules);
}

/* A policy whose state is this struct, the statistic of scaled rewards, and one number per arm for the current
 * round. */
struct mk_scaled_stat {
    struct mk_arm_stat stat;
    struct mk_scaling scaling;
    double *round; /* [K] scratch */
};

static inline size_t mk_scaled_stat_state_size(const struct mk_setup *s)
{
    return sizeof(struct mk_scaled_stat) + mk_arm_stat_bytes(s->arms) + s->arms * sizeof(double);
}

/* `scaling`: the values of MK_SCALING_PARAMS. */
static inline void mk_scaled_stat_init(struct mk_scaled_stat *a, const struct mk_setup *s, int use_max,
                                       const double *scaling)
{
    a->round = (double *)(a + 1);
    mk_arm_stat_init(&a->stat, a->round + s->arms, s, use_max);
    mk_scaling_init(&a->scaling, scaling);
}

/* `update` of a policy whose state begins with this struct. */
static inline void mk_arm_stat_update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct mk_arm_stat *a = state;
    const double n = (double)++a->n[arm];
    struct mk_running_mean *mean = &a->mean[arm];
    if (a->use_max)
        mean->high = reward > a->value[arm] ? reward : a->value[arm];
    else
        mk_running_mean_add(mean, reward, 1 / n);
    a->value[arm] = mean->high;
    mk_tournament_changed(&a->tournament, arm);
}

/* `keep` of a policy whose state is this struct. */
static inline void mk_arm_stat_keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    (void)reward;
    struct mk_arm_stat *a = state;
    if (arm == a->setup->arms) {
        mk_undo_keep(undo, a, sizeof *a);
        a->tournament.undo = undo;
        return;
    }
    mk_undo_keep(undo, &a->n[arm], sizeof *a->n);
    mk_undo_keep(undo, &a->value[arm], sizeof *a->value);
    mk_undo_keep(undo, &a->mean[arm], sizeof *a->mean);
}

/* `update` of a policy whose state is this struct. */
static inline void mk_scaled_stat_update(void *state, size_t arm, double reward, uint64_t t)
{
    struct mk_scaled_stat *a = state;
    mk_arm_stat_update(&a->stat, arm, reward, t);
    mk_scaling_see(&a->scaling, reward);
}

/* The mapped statistic over the map's slope, less the same number for all arms. */
static inline double mk_scaled_stat_value(const struct mk_scaled_stat *a, size_t i)
{
    return mk_running_mean_above(&a->stat.mean[i], mk_scaling_origin(&a->scaling));
}

/* The arm with the largest statistic. Scaling would not change it. random_ties: as at the start. */
static inline size_t mk_arm_stat_best(struct mk_arm_stat *a, int random_ties)
{
    if (a->tournament.used) return mk_tournament_best(&a->tournament, 0, a->setup->rng);
    return mk_argmax_near_of(a->value, a->setup->arms, mk_argmax_element, mk_arm_stat_share(a), random_ties,
                             a->setup->rng);
}

#endif

/* Policies for loops of the caller's own: ask for an arm, pull it, tell the reward.
 *
 *     mk_policy_new(&p, "{name: max_ucb, alpha: 0.5}", 5, NULL, &err);
 *     while (…) {
 *         mk_policy_select(p, &arm, &err);
 *         mk_policy_update(p, arm, reward_of(arm), &err);
 *     }
 *
 * The same policies as in experiments, with the same parameters, except those that must know the best arm (oracle).
 * Rewards are maximised; arms count from 0. A policy is what its settings, its seed and its rewards so far make of it,
 * on every machine: that is how it is copied and saved, unless it is bounded (below). Different policies may be used by
 * different threads at a time; a forked process has copies of its own.
 *
 * libmaxk has these functions, and so has libmaxk-policy, which has nothing else and needs the C library alone.
 */
#ifndef MAXK_POLICY_H
#define MAXK_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mk_policy;

/* All zero is a good default. */
struct mk_policy_options {
    uint64_t horizon; /* T, the number of rounds that will be played; 0: not known, allowed for anytime policies only */
    uint64_t seed;    /* of the policy's own random numbers */
    const double *cost; /* [arms] mean cost of a pull, > 0; copied. NULL: 1 for every arm */
    /* Nonzero: rounds are not kept, so that memory, the cost of a copy and the length of a saved text do not grow with
     * their number. Saved is the state as it is in memory: it can be loaded by the same version of the library on a
     * machine of the same kind only. Some policies then need a horizon, because their state grows with the rounds. */
    int bounded;
};

/* A policy as in experiment files, "max_ucb" or "{name: max_ucb, alpha: 0.5}", for 1 to 10^6 arms; options may be NULL.
 * Freed with mk_policy_free. MK_EINPUT: no such policy or parameter, a value out of range, a sweep, no horizon where
 * one is needed. */
int mk_policy_new(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                  struct mk_error *err);
void mk_policy_free(struct mk_policy *p);

/* The index of the next arm to pull, from 0 to arms-1; further calls return the same arm until its result is reported.
 * MK_EINPUT: all `horizon` rounds are over. */
int mk_policy_select(struct mk_policy *p, size_t *arm, struct mk_error *err);

/* The reward of the arm that mk_policy_select has returned. MK_EINPUT: no arm, or another one, was selected; the reward
 * is not finite or lies beyond 1e100. Constant time, and from time to time (when the number of rounds has doubled) the
 * policy is computed again from its rewards. Memory: 16 bytes per round, and what the policy needs; if bounded, only
 * that, and nothing is computed again. */
int mk_policy_update(struct mk_policy *p, size_t arm, double reward, struct mk_error *err);

/* The pull of the arm that mk_policy_select has returned has failed and has no reward. It counts as the worst reward of
 * its arm so far, of all arms as long as its arm has none; failures before the first reward of all count as that
 * reward, and until it comes the policy plays as if they were 0. */
int mk_policy_fail(struct mk_policy *p, size_t arm, struct mk_error *err);

/* A result that was not asked for, such as one of an earlier search, or of a pull that has ended after later ones (see
 * mk_policy_select_ahead); NaN: the pull has failed. It is used once, when the policy next selects the arm, at once as
 * its reward, after the arm's earlier results; so also policies with phases only ever get rewards of the arm that they
 * have selected (as in the reduction QPM-D of Joulani, György & Szepesvári 2013). A result that has been used is a
 * round, also of the horizon. MK_EINPUT: no such arm, a reward that is infinite or lies beyond 1e100. */
int mk_policy_add(struct mk_policy *p, size_t arm, double reward, struct mk_error *err);

/* For several pulls at a time: the arm to pull next while pulls of running[n] (arms, in the order in which they began)
 * have no results, which mk_policy_add tells later, those of an arm in that order. If the policy selects one of them, a
 * copy takes the best reward of its arm so far for each (the worst of all where it has none) and plays on until it
 * selects an arm without one. mk_policy_update cannot follow. MK_EINPUT: as mk_policy_select, no such arm. */
int mk_policy_select_ahead(struct mk_policy *p, const size_t *running, size_t n, size_t *arm, struct mk_error *err);

/* What it was made with and has seen. mk_policy_text: all parameters, "{name: max_ucb, alpha: 0.5, …}". */
const char *mk_policy_text(const struct mk_policy *p);
size_t mk_policy_arms(const struct mk_policy *p);
uint64_t mk_policy_rounds(const struct mk_policy *p); /* results reported, also failures and those added */
double mk_policy_best(const struct mk_policy *p);     /* the largest reward; -infinity before the first */

/* round: 0 … rounds-1, first those that the policy has used, in its order. A failure: NaN. Of a bounded policy, which
 * keeps no rounds: SIZE_MAX and NaN. */
size_t mk_policy_arm_of(const struct mk_policy *p, uint64_t round);
double mk_policy_reward_of(const struct mk_policy *p, uint64_t round);

/* An independent copy, which continues as the original would. Its cost is that of all rounds so far; of a bounded
 * policy, that of its state. */
int mk_policy_copy(struct mk_policy **out, const struct mk_policy *p, struct mk_error *err);

/* The policy as lines of text, freed with mk_policy_free_text; and back. mk_policy_load returns MK_EINPUT with
 * name:line: for a text that is damaged, when this library selects other arms than the one that saved it, and for a
 * bounded policy of another version or kind of machine. A checksum finds damage, not forgery: a bounded policy may be
 * loaded only from a source that may be trusted like a program. */
int mk_policy_save(const struct mk_policy *p, char **text, struct mk_error *err);
void mk_policy_free_text(char *text);
int mk_policy_load(struct mk_policy **out, const char *text, struct mk_error *err);

#ifdef __cplusplus
}
#endif
#endif

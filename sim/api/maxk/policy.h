/* Policies for a loop of your own: ask the policy for an arm, pull the arm, report the reward.
 *
 *     mk_policy_new(&p, "{name: max_ucb, alpha: 0.5}", 5, NULL, &err);
 *     while (…) {
 *         mk_policy_select(p, &arm, &err);
 *         mk_policy_update(p, arm, reward_of(arm), &err);
 *     }
 *     mk_policy_free(p);
 *
 * These are the policies of experiments, with the same parameters, except for those that must know the best arm
 * (oracle). Rewards are maximised. Arms count from 0, and rounds are numbered from 0 in this header.
 *
 * The settings, the seed and the rewards so far determine a policy completely, on every machine. A saved text therefore
 * holds these and nothing else, unless the policy is bounded (struct mk_policy_options).
 *
 * Functions that return int return MK_OK, or a negative error code (error.h) after writing one line into *err, which
 * may be NULL. The errors that a function can return are listed in its comment; MK_ENOMEM is possible for all of them.
 *
 * Several threads may use different policies at the same time, but not the same policy. A forked process has copies of
 * its own.
 *
 * libmaxk has these functions. So has the smaller library libmaxk-policy, which has no others and needs only the C
 * library. */
#ifndef MAXK_POLICY_H
#define MAXK_POLICY_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "missing.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mk_policy;

/* Options of mk_policy_new. A struct of zeros is a good default. */
struct mk_policy_options {
    /* The number T of rounds that will be played, from the number of arms to 2^53. 0 means that it is not known, which
     * anytime policies allow. */
    uint64_t horizon;

    /* The seed of the policy's own random numbers. */
    uint64_t seed;

    /* The mean cost of a pull of each arm, cost[arms], each > 0 and at most 1e100, in any unit. The array is copied.
     * NULL: 1 for every arm, or what is reported of the pulls (mk_policy_update_cost). */
    const double *cost;

    /* If this is not 0, the policy does not keep its rounds: memory, the cost of a copy and the length of a saved text
     * do not grow with their number. The saved text is then the state in memory, and only the same version of the
     * library on the same kind of machine can load it. Policies whose state grows with the rounds need a horizon in
     * this case. */
    int bounded;
};

/* Makes a policy from a text of the form that experiment files have, such as "max_ucb" or "{name: max_ucb, alpha:
 * 0.5}". arms is the number of arms, from 1 to 10^6. options may be NULL. The caller frees *out with mk_policy_free,
 * which accepts NULL.
 * MK_EINPUT: there is no such policy or parameter, a value is out of range or a list (a sweep), the policy needs a
 * horizon or costs that are not given, or it must know the best arm. */
int mk_policy_new(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                  struct mk_error *err);
void mk_policy_free(struct mk_policy *p);

/* Stores the next arm to pull in *arm, from 0 to arms-1. Further calls return the same arm until its result is
 * reported.
 * MK_EINPUT: all `horizon` rounds have been played. */
int mk_policy_select(struct mk_policy *p, size_t *arm, struct mk_error *err);

/* Reports the reward of the arm that mk_policy_select has returned; this ends the round. The reward is finite, at most
 * 1e100 in absolute value, and in any unit.
 *
 * The cost of a call does not include earlier rounds, except that without a horizon mk_policy_select computes the
 * policy again from all its rewards each time the number of rounds has doubled. A policy stores 16 bytes for each round
 * in addition to its own state. A bounded policy needs its state only, and nothing is computed again.
 * MK_EINPUT: no arm or another arm was selected, or the reward is out of range. */
int mk_policy_update(struct mk_policy *p, size_t arm, double reward, struct mk_error *err);

/* The same with what the pull has cost, a number > 0 and at most 1e100 in the unit of all costs, or 0 where it is not
 * known. Policies with per_cost count it. Policies that plan with the mean costs of the arms use the option `cost`, and
 * others ignore it. MK_EINPUT as well: the cost is out of range, or the policy is bounded. */
int mk_policy_update_cost(struct mk_policy *p, size_t arm, double reward, double cost, struct mk_error *err);

/* Reports that the pull of the arm that mk_policy_select has returned has failed, so that it has no reward; this ends
 * the round. The failure counts as the smallest reward of the arm so far, or of all arms if the arm has no reward yet.
 * If no arm has one yet, the failure has the value of the first reward that is reported later, and 0 until then.
 * MK_EINPUT: no arm or another arm was selected. */
int mk_policy_fail(struct mk_policy *p, size_t arm, struct mk_error *err);

/* Reports a result that the policy did not ask for, such as one of an earlier search, or one of a pull that ended
 * after later pulls (mk_policy_select_while_running). The reward is NaN if the pull has failed.
 *
 * The result waits until the policy selects this arm by itself. It is then used as the reward of that round, without
 * another pull, and results of one arm are used in the order in which they were added. A policy thus only ever
 * receives rewards of the arm that it has selected, which policies with phases require (this is the reduction QPM-D of
 * Joulani, György & Szepesvári 2013). A result that has been used counts as a round of the horizon.
 * MK_EINPUT: there is no such arm, or the reward is infinite or beyond 1e100 in absolute value. */
int mk_policy_add(struct mk_policy *p, size_t arm, double reward, struct mk_error *err);

/* The same with what the pull has cost, as in mk_policy_update_cost. A failure whose cost is not known costs as much as
 * the dearest pull of its arm so far, or of all arms. */
int mk_policy_add_cost(struct mk_policy *p, size_t arm, double reward, double cost, struct mk_error *err);

/* Stores the next arm to pull in *arm while n other pulls are still running. running[n] are the arms of these pulls,
 * in the order in which they began. Their results are reported later by mk_policy_add, those of one arm in the order
 * in which the pulls began; mk_policy_update cannot be used for them, nor for the arm that is returned.
 *
 * The policy itself is not changed. A copy of it plays on: where it selects an arm with a running pull, the result of
 * that pull is taken to be the largest reward of the arm so far, or the smallest reward of all arms if the arm has
 * none, or 0 if there is no reward at all, and its cost to be the largest one so far, of the arm or of all. The
 * function returns the first arm that the copy selects and that has no running pull left. running may be NULL if n is
 * 0. MK_EINPUT: as mk_policy_select, or there is no such arm. */
int mk_policy_select_while_running(struct mk_policy *p, const size_t *running, size_t n, size_t *arm,
                                   struct mk_error *err);

/* The policy with all its parameters, such as "{name: max_ucb, alpha: 0.5, …}". The text belongs to the policy, until
 * mk_policy_free. */
const char *mk_policy_text(const struct mk_policy *p);

/* The number of arms. */
size_t mk_policy_arms(const struct mk_policy *p);

/* The number of results that were reported, including failures and added results. */
uint64_t mk_policy_rounds(const struct mk_policy *p);

/* The largest reward that was reported; -infinity before the first one. */
double mk_policy_best(const struct mk_policy *p);

/* The arm and the reward of a round, from 0 to mk_policy_rounds - 1; a larger number is undefined behaviour. The
 * results that the policy has used come first, in the order of their use, and then the added results that are still
 * waiting. The reward of a failure is NaN. A bounded policy keeps no rounds: the arm is MK_NONE and the reward NaN. */
size_t mk_policy_round_arm(const struct mk_policy *p, uint64_t round);
double mk_policy_round_reward(const struct mk_policy *p, uint64_t round);

/* Makes an independent copy, which continues as the original would. The caller frees *out with mk_policy_free. Copying
 * takes as long as copying the state and the rounds; a bounded policy has only the state to copy. */
int mk_policy_copy(struct mk_policy **out, const struct mk_policy *p, struct mk_error *err);

/* Writes the policy as lines of text. The caller frees *text with mk_policy_free_text, which accepts NULL. */
int mk_policy_save(const struct mk_policy *p, char **text, struct mk_error *err);
void mk_policy_free_text(char *text);

/* Makes a policy from a text that mk_policy_save has written. Loading plays all rounds again, unless the policy is
 * bounded. Call mk_policy_select before mk_policy_update: a selection is not saved, and the same arm is selected again.
 * The caller frees *out with mk_policy_free.
 * MK_EINPUT: the text is damaged, this library selects other arms than the one that saved the text, or the policy is
 * bounded and was saved by another version or on another kind of machine. The message begins with the line. A checksum
 * finds damage but not forgery. Load a bounded policy only from a source that you would trust with a program. */
int mk_policy_load(struct mk_policy **out, const char *text, struct mk_error *err);

/* ---- deprecated ---- */

MK_DEPRECATED("mk_policy_select_while_running")
int mk_policy_select_ahead(struct mk_policy *p, const size_t *running, size_t n, size_t *arm, struct mk_error *err);
MK_DEPRECATED("mk_policy_round_arm") size_t mk_policy_arm_of(const struct mk_policy *p, uint64_t round);
MK_DEPRECATED("mk_policy_round_reward") double mk_policy_reward_of(const struct mk_policy *p, uint64_t round);

#ifdef __cplusplus
}
#endif
#endif

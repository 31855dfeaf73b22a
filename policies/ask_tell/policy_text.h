/* A policy of sim/api/maxk/policy.h as lines of text:
 *
 *     maxk policy 1
 *     {name: max_ucb, alpha: 0.5}
 *     arms 3
 *     horizon 0
 *     seed 7
 *     cost 1 2 1            (only where costs were given)
 *     waiting 1             (only where results have not been used)
 *     2 failed              (as of a round, or without a value)
 *     rounds 2
 *     0 0.25                (arm and reward of every round)
 *     1 0.25 failed         (and what a failure counts as)
 *     1 0.25 cost 3         (and what the pull has cost, if that was reported and counts)
 *
 * and bounded, from `rounds` on, what the state is, where 3 (the number of arms) stands for "no arm is selected":
 *
 *     rounds 2
 *     best 0.25
 *     rewards 0.25 0.25 - - - -   (the worst and the best of every arm)
 *     selected 3
 *     state 1.0.0-64-little 120
 *     0 1f 3fe0000000000000 …   (its words, hexadecimal, 8 on a line)
 *     sum 0123456789abcdef */
#ifndef MAXK_POLICIES_ASK_TELL_POLICY_TEXT_H
#define MAXK_POLICIES_ASK_TELL_POLICY_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/policy.h"

/* A result, used or not. */
struct mk_policy_round {
    uint32_t arm;
    bool failed;
    double reward; /* what the policy takes; NaN: not known before the first reward */
    double cost;   /* of the pull, where the policy counts it; 0: not reported */
};

struct mk_policy_saved {
    const char *policy; /* to be written; mk_policy_saved_read has it in an argument */
    size_t arms;
    struct mk_policy_options options;
    uint64_t n;
    size_t n_waiting;
    struct mk_policy_round *waiting; /* [n_waiting] */
    struct mk_policy_round *round;   /* [n]; of a bounded policy NULL, and what follows counts */
    double *best, *worst;            /* [arms] NaN: none */
    size_t selected;                 /* 0 … arms */
    uint64_t *word;                  /* [words] */
    size_t words;
};

/* malloc'ed; NULL: out of memory. */
char *mk_policy_saved_write(const struct mk_policy_saved *s);

/* Checks the form, not whether there is such a policy or how long its state is. *policy, *cost and out->round are the
 * caller's to free, also after an error, and mk_policy_saved_clear frees the rest. */
int mk_policy_saved_read(struct mk_policy_saved *out, const char *text, char **policy, double **cost,
                         struct mk_error *err);
void mk_policy_saved_clear(struct mk_policy_saved *s);

#endif

/* The contest of DACOpt (Nguyen et al. 2022, IEEE Access 10, and its program): K sub-spaces are optimised side by side,
 * and after every round the best 1 in eta go on. With c_0 = K, c_{r+1} = ceil(c_r / eta), and R_k the length of k,
 * ceil(k / eta), …, 1:
 *
 *     round 0: n0 evaluations of each; then, after c_{r-1}: floor(left / R / c_r) of each of c_r, R = R_{c_{r-1}}; the
 *     last one all that is left. */
#ifndef MAXK_SIM_SEARCH_PLAN_DACOPT_H
#define MAXK_SIM_SEARCH_PLAN_DACOPT_H

#include <stddef.h>
#include <stdint.h>

enum mk_dacopt_share {
    MK_DACOPT_INCLUSIVE, /* R = R_{c_{r-1}}: the round just over counts among those that share what is left */
    MK_DACOPT_REMAINING  /* R = R_{c_r}: it does not, as in other versions of the program */
};
#define MK_DACOPT_SHARE_PARAM                                                                                          \
    MK_CHOICE_ROW("share", MK_DACOPT_INCLUSIVE, "inclusive|remaining",                                                 \
                  "whether the round just over counts among those that share the rest of the budget")

/* ceil(k / eta), less than k; 1 for k = 1. */
size_t mk_dacopt_next(size_t k, double eta);

/* R_k: the number of rounds from one with k sub-spaces on. */
unsigned mk_dacopt_rounds(size_t k, double eta);

/* Evaluations of each of the `left` sub-spaces that go on, of `budget`; rounds: R_k of the round just over. */
uint64_t mk_dacopt_share(uint64_t budget, unsigned rounds, size_t left, enum mk_dacopt_share share);

#endif

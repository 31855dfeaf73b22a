/* Which of many arms tables and figures for people show. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_ARM_CHOICE_H
#define MAXK_ANALYSIS_COMPARE_ARMS_ARM_CHOICE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/problem/problem.h"

/* With more arms, tables list some of them and figures show their distribution. */
enum { MK_MANY_ARMS = 100 };

struct mk_arm_gap {
    size_t arm;
    double gap;
};

/* The arms of an instance by their gap at a horizon, the best first, equal gaps by their index; `to` has room for all
 * arms of the problem. Returns their number. */
size_t mk_arms_by_gap(const struct mk_truth *f, size_t instance, size_t horizon, struct mk_arm_gap *to);

/* Whether a table lists the arm of this rank by gap (from 1) among n: every one of at most MK_MANY_ARMS; of more, 1 to
 * 10, 20, 50, 100, 200, 500 … and n. */
bool mk_arm_is_listed(size_t rank, size_t n);

#endif

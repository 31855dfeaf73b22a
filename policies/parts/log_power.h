/* The squared bonus c = (alpha (log u)^power)^2 of max_ucb and its variants. With power = 1, as published, the
 * probability that a better arm stays locked out falls like a power of its length, and for a small alpha so slowly that
 * the mean number of pulls of another arm grows like a power of T (Theorem 4, analysis/theory/growth.h). With
 * power > 1 it falls faster than any power, where c' > 0 (Theorem 5, analysis/theory/theorem_5.h). */
#ifndef MAXK_POLICIES_PARTS_LOG_POWER_H
#define MAXK_POLICIES_PARTS_LOG_POWER_H

#include <math.h>

#include "policies/policy.h"

#define MK_MOST_POWER 10

/* Line of a parameter table. */
#define MK_POWER_PARAM                                                                                                 \
    {                                                                                                                  \
        "power", MK_REAL, 0, 1, 1, MK_MOST_POWER, NULL,                                                                \
            "of the logarithm in the bonus; above 1: this project; 2 with alpha 0.13 was best on average over the "    \
            "problems of experiments/notes/power.md, alpha 2 with power 1 in the worst of them"                        \
    }

/* NULL, or what is wrong with the two together: c must not overflow. */
static inline const char *mk_log_power_check(double alpha, double power)
{
    return power > 1 && alpha > 1e100 ? "expected alpha at most 1e100 where power is above 1" : NULL;
}

/* log_u = log u, for a real u too. */
static inline double mk_log_power_at(double alpha, double power, double log_u)
{
    const double bonus = alpha * (power == 1 ? log_u : pow(log_u, power));
    return bonus * bonus;
}

static inline double mk_log_power(const struct mk_setup *s, double alpha, double power, uint64_t u)
{
    return mk_log_power_at(alpha, power, mk_log(s, u));
}

/* The (real) u with this c. */
static inline double mk_log_power_inverse(double c, double alpha, double power)
{
    const double root = sqrt(c) / alpha;
    return exp(power == 1 ? root : pow(root, 1 / power));
}

#endif

/* A running mean as an unevaluated sum high + low, low within a rounding unit of high (Dekker 1971): differences from
 * another number are then known to some rounding units of the spread of the values, not of the values themselves. So a
 * mean of rewards that all lie near 10^10, or within 2^-30 of 1, is as accurate as that of the same rewards mapped to
 * [0, 1]. State: 16 bytes. O(1) per value. */
#ifndef MAXK_POLICIES_PARTS_RUNNING_MEAN_H
#define MAXK_POLICIES_PARTS_RUNNING_MEAN_H

/* {0, 0} before the first value. */
struct mk_running_mean {
    double high, low;
};

/* x - mean */
static inline double mk_running_mean_below(const struct mk_running_mean *m, double x)
{
    return (x - m->high) - m->low;
}

/* mean - x */
static inline double mk_running_mean_above(const struct mk_running_mean *m, double x)
{
    return (m->high - x) + m->low;
}

/* Adds x, `share` its weight over the sum of all weights so far: 1 / n of the n-th value, 1 of the first. */
static inline void mk_running_mean_add(struct mk_running_mean *m, double x, double share)
{
    double step = m->low + mk_running_mean_below(m, x) * share;
    double sum = m->high + step, part = sum - m->high;
    m->low = (m->high - (sum - part)) + (step - part);
    m->high = sum;
}

#endif

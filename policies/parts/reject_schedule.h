/* The schedule of successive rejects (Audibert, Bubeck & Munos 2010; R-SR of Mussi et al. 2024): pulls that an arm has
 * when phase j = 1 … K-1 ends,
 *
 *     N_0 = 0,  N_j = ceil((T - K) / (logbar(K) (K + 1 - j))),  logbar(K) = 1/2 + sum_{i=2}^{K} 1/i. */
#ifndef MAXK_POLICIES_PARTS_REJECT_SCHEDULE_H
#define MAXK_POLICIES_PARTS_REJECT_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct mk_reject_schedule {
    size_t arms;
    uint64_t horizon;
    double logbar;
    uint64_t numerator, denominator; /* of logbar; 0 / 0 where they do not fit */
};

void mk_reject_schedule_init(struct mk_reject_schedule *s, size_t arms, uint64_t horizon);

/* N_j, exact if the quotient is a whole number; 0 <= j < K. Negative for T < K, which the caller must handle. */
double mk_reject_rounds(const struct mk_reject_schedule *s, size_t j);

/* ceil((1/logbar) * (T - K) / (K + 1 - j)) as the MaxUCB authors' program evaluates it, for j = 0 too: where the
 * quotient is a whole number its roundings can make it one more. */
double mk_reject_published(const struct mk_reject_schedule *s, size_t j);

#endif

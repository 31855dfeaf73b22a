/* The arithmetic of iterated racing: how many races, how much budget and how many configurations each has.
 *
 * Source: irace 3.5 (López-Ibáñez et al. 2016), elitist. Printed: Nguyen 2024, Algorithm 4. N is the number of
 * hyperparameters, budgets count evaluations on one instance (fold). */
#ifndef MAXK_SIM_SEARCH_PLAN_RACE_H
#define MAXK_SIM_SEARCH_PLAN_RACE_H

#include <stdint.h>

#include "sim/search/plan/halving.h"

/* floor(2 + log_2 N): the number of races, and the number of configurations at which a race ends. */
unsigned mk_race_count(double parameters);

/* B_j = floor(remaining / (races - j + 1)), j from 1; once the planned races are over, all that remains. */
uint64_t mk_race_budget(uint64_t remaining, unsigned races, unsigned j);

/* What race j is planned with. */
struct mk_race_plan {
    unsigned j;                /* from 1 */
    uint64_t budget;           /* B_j */
    uint64_t first, each;      /* instances before the first test, and between tests */
    uint64_t elites, old, add; /* elites, instances that they have been evaluated on, new instances for all */
};

/* N_j, elites included:
 *
 *     floor((B_j + elites old) / max(first + each min(5, j), old + add, the latter rounded up to a multiple of each)).
 *
 * Printed: floor(B_1 / (first + each)) for j = 1, then floor(B_j / (first + each min(5, j))), of which all but the
 * elites are new. */
uint64_t mk_race_size(enum mk_reading reading, const struct mk_race_plan *p);

/* The probability that elite `rank` (from 1) of n is the parent: 2 (n - rank + 1) / (n (n + 1)); printed (eq. 3.6):
 * (2 n - rank + 1) / (n (n + 1)), which adds up to more than 1. */
double mk_race_weight(enum mk_reading reading, uint64_t n, uint64_t rank);

#endif

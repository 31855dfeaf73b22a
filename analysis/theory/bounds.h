/* The bounds of Balef et al. 2025 (sim/api/maxk/bounds.h), and the sums behind the variants `sum` and `endpoint`. */
#ifndef MAXK_ANALYSIS_THEORY_BOUNDS_H
#define MAXK_ANALYSIS_THEORY_BOUNDS_H

#include <stdint.h>

#include "sim/api/maxk/bounds.h"

/* "8 hold, 2 violated, 0 vacuous, 1 inconclusive, 0 not-applicable": all of them, so that the numbers add up to all
 * cases. */
enum { MK_VERDICTS = MK_VERDICT_NOT_APPLICABLE + 1, MK_VERDICT_COUNTS_ROOM = 160 };
void mk_verdict_counts_text(char out[MK_VERDICT_COUNTS_ROOM], const uint64_t counts[MK_VERDICTS]);

/* sum_{t=first}^{last} t^-p, p >= 0, and of log^2 t: direct up to t = 31, Euler-Maclaurin from there on (absolute error
 * below 1e-15 of the sum's scale). 0 when last < first. */
double mk_power_sum(double p, uint64_t first, uint64_t last);
double mk_log2_sum(uint64_t first, uint64_t last);

/* sum_{t=first}^{last} min(1, t^-p + k log^2 t). The summand falls and then rises, so it is below 1 on one interval,
 * the ends of which are found by bisection. O(log last). */
double mk_clipped_sum(double p, double k, uint64_t first, uint64_t last);

/* min over integers l in 1 … horizon of l + mk_clipped_sum(p, c / l, l, horizon), c = alpha^2 U; *at = the l. */
double mk_bound_sum(double p, double c, uint64_t horizon, uint64_t *at);

#endif

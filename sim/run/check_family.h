/* Generic checks of a reward family: what exact truths and simulations rely on. */
#ifndef MAXK_SIM_RUN_CHECK_FAMILY_H
#define MAXK_SIM_RUN_CHECK_FAMILY_H

#include <stddef.h>

#include "distributions/dist.h"
#include "sim/api/maxk/error.h"

/* Builds an arm with the parameters of mk_usual_parameters and checks it. MK_EINPUT with one line if the family's own
 * check rejects them. */
int mk_check_family(const struct mk_dist_type *type, size_t *checks, struct mk_error *err);

/* MK_EINPUT with one line: G and F at and beyond the ends of the support; G falls, F rises, P(X >= x) + P(X < x) = 1;
 * the inverse inverts G in both tails; the density is the slope of F; breaks lie in the support; draws depend on how
 * they are split into calls, lie outside of the support, or are not distributed as F says (20,000 draws with a fixed
 * seed; a right family fails with probability 10^-6); expected_max differs from quadrature. *checks: how many passed.
 */
int mk_check_distribution(const struct mk_dist *d, size_t *checks, struct mk_error *err);

#endif

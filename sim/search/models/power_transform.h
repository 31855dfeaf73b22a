/* Power transforms of rewards towards a normal distribution, with the power of largest likelihood, as in HEBO
 * (Cowen-Rivers et al. 2022, section 4.2).
 *
 *     Box & Cox 1964, y > 0:     (y^l - 1) / l                          (l = 0: log y)
 *     Yeo & Johnson 2000:        ((1 + y)^l - 1) / l                    for y >= 0 (l = 0: log(1 + y))
 *                                -((1 - y)^(2 - l) - 1) / (2 - l)       for y < 0 (l = 2: -log(1 - y))
 * Both increase in y. The log-likelihood of l is -n/2 log variance + (l - 1) sum of sign(y) log(1 + |y|), or of log y.
 */
#ifndef MAXK_SIM_SEARCH_MODELS_POWER_TRANSFORM_H
#define MAXK_SIM_SEARCH_MODELS_POWER_TRANSFORM_H

#include <stddef.h>

enum mk_transform { MK_TRANSFORM_NONE, MK_TRANSFORM_YEO_JOHNSON, MK_TRANSFORM_BOX_COX };
#define MK_TRANSFORM_CHOICES "none|yeo_johnson|box_cox"

/* y transformed with power l. */
double mk_power_transform(enum mk_transform t, double y, double l);

/* The power in [-20, 20] of largest likelihood, to 1e-6 (1e-5 where y is far from 0); 1 (no change) where all y are
 * equal. Box-Cox of y < 0 is that of -y; where signs differ, it is Yeo-Johnson. */
double mk_power_of(enum mk_transform t, const double *y, size_t n);

/* y <- y transformed in units of their standard deviation, up to a map a + b y with b > 0, which does not depend on y
 * more than by their mean logarithm. Box-Cox: of rewards y where all are positive, of losses -y where these are, as in
 * HEBO; else Yeo-Johnson. */
void mk_power_transform_all(enum mk_transform t, double *y, size_t n);

#endif

/* The parameters that exponential and negative_exponential share: rate or mean, exactly one of them. */
#ifndef MAXK_DISTRIBUTIONS_PARTS_EXPONENTIAL_H
#define MAXK_DISTRIBUTIONS_PARTS_EXPONENTIAL_H

#include "distributions/dist.h"

enum { MK_EXPONENTIAL_MEAN }; /* position in c[] of the mean of |X| */

extern const struct mk_param mk_exponential_params[];
const char *mk_exponential_prepare(struct mk_dist *d, int *param);

#endif

/* Largest and smallest of an array, in loops that compilers vectorise. */
#ifndef MAXK_SIM_BASE_EXTREMA_H
#define MAXK_SIM_BASE_EXTREMA_H

#include <stddef.h>

/* Of n >= 1 numbers, none of them NaN. */
double mk_largest(size_t n, const double *x);
double mk_least(size_t n, const double *x);

#endif

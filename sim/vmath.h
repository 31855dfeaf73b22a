/* Elementary functions over arrays, for block sampling. Plain C that the compiler vectorises, compiled for the baseline
 * and for AVX2 and chosen at run time; without contraction to fused operations every element goes through the same
 * IEEE operations in the same order, so the bits do not depend on which version ran (tests/test_vmath.c).
 * All work in place (out may equal x). */
#ifndef MAXK_SIM_VMATH_H
#define MAXK_SIM_VMATH_H

#include <stddef.h>

#include "sim/pcg64.h"

/* out[i] = the next uniforms of the stream. */
void mk_vuniform(struct mk_pcg64 *rng, size_t n, double *out);

/* Natural logarithm of positive normal numbers; below 2 ulp. */
void mk_vlog(size_t n, const double *x, double *out);

/* out[i] = scale * x[i]^power for 2^-54 <= x[i] < 1: relative error below 1e-15 (1 + |power log x|).
 * Where x^power leaves the normal range the scalar pow is used. */
void mk_vpow(size_t n, const double *x, double power, double scale, double *out);

/* out[i] = mean + sd * Phi^-1(x[i]) for 0 < x[i] < 1 (Wichura 1988, algorithm AS 241, relative error about 1e-15). */
void mk_vnormal(size_t n, const double *x, double mean, double sd, double *out);

/* Largest and smallest of n >= 1 numbers, none of them NaN. */
double mk_vmax(size_t n, const double *x);
double mk_vmin(size_t n, const double *x);

enum mk_vector_set { MK_VECTOR_BASELINE, MK_VECTOR_AVX2 };

/* The version in use, and a way to force one (tests, bench); forcing what the processor lacks is ignored. */
enum mk_vector_set mk_vector_set(void);
void mk_vector_force(enum mk_vector_set set);

#endif

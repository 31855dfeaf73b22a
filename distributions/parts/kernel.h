/* Block kernels of the samplers: plain arithmetic in branch-free loops, which compilers vectorise.
 *
 * Every element goes through the same sequence of IEEE operations for any vector width, so the bits depend neither on
 * the processor nor on how draws are split into calls. Errors are within 1 unit in the last place for log and exp
 * (after fdlibm's e_log.c and e_exp.c, Sun Microsystems 1993). */
#ifndef MAXK_DISTRIBUTIONS_PARTS_KERNEL_H
#define MAXK_DISTRIBUTIONS_PARTS_KERNEL_H

#include <stddef.h>

#include "sim/base/pcg64.h"

enum { MK_BLOCK = 512 }; /* draws that stay in the first-level cache between two passes */

/* out[0 … n-1] = the next n uniforms of the stream. */
void mk_block_uniform(struct mk_pcg64 *rng, size_t n, double *out);

/* x[i] <- log x[i], for positive normal numbers. */
void mk_block_log(size_t n, double *x);

/* x[i] <- exp(factor * x[i]) * scale, at most scale where factor * x[i] <= 0. */
void mk_block_exp(size_t n, double *x, double factor, double scale);

/* x[i] <- shift + factor * x[i] */
void mk_block_affine(size_t n, double *x, double shift, double factor);

/* p[i] <- the z with P(Z >= z) = p[i], Z standard normal, 0 < p[i] < 1 (Wichura 1988, algorithm AS 241). */
void mk_block_normal(size_t n, double *p);

#endif

/* First passage of the running maximum of i.i.d. rewards below a rising barrier, with errors on one side only.
 *
 * M(s) is the maximum of the first s rewards, F their distribution function, g a barrier that does not fall with s.
 *
 *     p = P(there is an s in first … last with M(s) <= g(s)),      1 - p = P(M(s) > g(s) for all of them).
 *
 * Blocks. first … last is cut into blocks start_b … end_b. A barrier raised to g(end_b) over all of block b can only be
 * passed at the start of a block (M does not decrease), so considering only start_b gives p for the raised barrier: an
 * upper bound of p. Considering only M(end_b) <= g(end_b) drops all other s: a lower bound. Both are passages at n
 * times t_1 < … < t_n with levels of F that do not fall, and n, not last, is the cost.
 *
 * Recursion. With rate_k = -log F(g_k) and q_b(k) = P(not passed up to t_b, g_(k-1) < M(t_b) <= g_k) for k > b, one
 * step of d = t_(b+1) - t_b draws is, with f_k = exp(-d rate_k),
 *
 *     q_(b+1)(k) = q_b(k) f_k + (f_k - f_(k-1)) sum_{l<k} q_b(l),
 *
 * and q_b(b) = P(first passage at t_b) is taken out. The only subtraction is f_k - f_(k-1), whose rounding error is at
 * most 2^-51 f_k and is added (or taken away) as mass that would have passed no later. Every step rounds by at most
 * (n + 8) 2^-53, so that n steps leave a relative error below (n + 8)^2 2^-52, which is added to (or taken from) the
 * result: about 12 of 16 digits are left at n = 100, and 9 at n = 2000, however small p is.
 *
 * Distribution functions are assumed to have a relative error of at most 1e-12 in the smaller of F and 1 - F; rates are
 * moved by that much to the safe side, barriers by 8 units in the last place of the terms they were computed from. */
#ifndef MAXK_ANALYSIS_THEORY_FIRST_PASSAGE_H
#define MAXK_ANALYSIS_THEORY_FIRST_PASSAGE_H

#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"
#include "sim/base/error.h"

/* Direction of errors. */
enum mk_side { MK_FROM_BELOW, MK_FROM_ABOVE };

/* A distribution function known to within +-band for all x at once (0: exactly). */
struct mk_known_cdf {
    const struct mk_dist *dist; /* borrowed */
    double band;
};

/* -log P(X <= x), in [0, inf], too small (F from above) or too large (F from below). */
double mk_cdf_rate(const struct mk_known_cdf *f, double x, enum mk_side side);

/* A barrier: level(b, s) is g(s) rounded to `side`, not decreasing in s. */
struct mk_barrier {
    double (*level)(const void *of, uint64_t s, enum mk_side side);
    const void *of;
    uint64_t first, last; /* 1 <= first <= last */
};

enum { MK_PASSAGE_BLOCKS = 4096 }; /* at most */

/* Work space of one thread: the passages at n times, and their probabilities. */
struct mk_passage {
    size_t n;
    uint64_t *time;    /* [n] ascending */
    double *rate;      /* [n] -log F(level), not rising */
    double *mass;      /* [n] P(first passage at time[b]), filled by mk_passage_solve */
    double survive;    /* P(no passage), likewise */
    double *q, *f, *w; /* [n + 1] work */
};

int mk_passage_new(struct mk_passage **out, struct mk_error *err);
void mk_passage_free(struct mk_passage *p);

/* Adds the blocks of g after those that p has (p->n = 0: none), which must end before g->first and lie lower; fewer
 * than MK_PASSAGE_BLOCKS together. F and g are rounded to `side`: from above, the barrier is raised to the end of each
 * block and considered at its start; from below, it is considered at the end of each block. Blocks are so short that,
 * where it matters, the terms P(M(s) <= g(s)) change by about the factor 1 + tolerance. */
void mk_passage_cut(struct mk_passage *p, const struct mk_known_cdf *f, const struct mk_barrier *g, double tolerance,
                    enum mk_side side);

/* The recursion over p->time and p->rate, cut or set by the caller: fills mass and survive and returns the sum of the
 * masses, at most 1, all rounded to `side`. O(n^2). */
double mk_passage_solve(struct mk_passage *p, enum mk_side side);

/* Both for one barrier: p from above or from below. */
double mk_passage_probability(struct mk_passage *p, const struct mk_known_cdf *f, const struct mk_barrier *g,
                              double tolerance, enum mk_side side);

#endif

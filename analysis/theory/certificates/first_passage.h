/* First passage of the running maximum of independent rewards below a rising barrier, with errors on one side only:
 * Algorithm 1 of the paper, analysis/theory/paper; Proposition 10 proves the margins for rounding.
 *
 * M(s) is the maximum of the first s rewards, F their distribution function, g a barrier that does not fall with s.
 *
 *     p = P(there is an s in first … last with M(s) <= g(s)),      1 - p = P(M(s) > g(s) for all of them).
 *
 * first … last is cut into n blocks. From above, g is raised to its value at the end of each, and can then be passed
 * for the first time at the start of a block only; from below, only the ends are considered. The cost depends on n, not
 * on last. The result is moved by a relative (n + 8)^2 2^-52 to its side: about 12 of 16 digits are left at n = 100, 9
 * at n = 2000, however small p is.
 *
 * Of moving arms, F_u being the distribution function of the u-th pull, P(M(s) <= y) is the product of F_u(y) over u <=
 * s, and -log of it a sum of rates.
 *
 * Distribution functions are assumed to have a relative error of at most 5e-13 in the smaller of F and 1 - F; rates are
 * moved by twice that to the safe side here. Barriers are rounded by the caller, by 8 units in the last place of the
 * terms they are computed from. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_FIRST_PASSAGE_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_FIRST_PASSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"
#include "sim/api/maxk/error.h"
#include "sim/base/digest.h"

/* Direction of errors. */
enum mk_side { MK_FROM_BELOW, MK_FROM_ABOVE };

/* Rewards X_u <= x, or X_u > x. */
enum mk_tail { MK_LOWER_TAIL, MK_UPPER_TAIL };

#define MK_MOVING_TAIL 0.1

/* An arm whose rewards are not identically distributed. */
struct mk_moving {
    /* The sum of -log P(X_u <= x), or of -log P(X_u > x), over the pulls u in after + 1 … last, too small (the
     * probability from above) or too large; in [0, inf]. */
    double (*rates)(const struct mk_moving *m, enum mk_tail tail, double x, uint64_t after, uint64_t last,
                    enum mk_side side);
    /* The reward of a pull, up to `step`, of an arm that leaves nothing to chance; NULL: of any other. */
    double (*reward)(const struct mk_moving *m, uint64_t pull);
    uint64_t single;  /* up to this one each pull costs an evaluation; of later ones, some 32 to a doubling do */
    double low, high; /* no reward is outside, at any pull */
    uint64_t atoms;   /* no reward of an earlier pull has point masses; UINT64_MAX: of none */
    double step;      /* distribution functions are evaluated up to this far from x */
    /* Where P(X_u <= x), or P(X_u > x), is at most MK_MOVING_TAIL, it decreases from there on outwards by the factor
     * exp(-d / decay) or more within any distance d, for every u; NaN: not known, or an end of the rewards is finite */
    double decay;
    struct mk_digest digest;
    bool lasting; /* the digest says all about it, as long as the program is the same */
};

/* A distribution function known to within +-band for all x at once (0: exactly). moving: dist and band are unused. */
struct mk_known_cdf {
    const struct mk_dist *dist; /* borrowed */
    double band;
    const struct mk_moving *moving; /* borrowed; NULL: identically distributed */
    uint64_t burnt;                 /* pulls before those that count: pull u is the arm's pull burnt + u */
};

/* Whether both are known to have the same distribution at every pull. */
bool mk_known_equal(const struct mk_known_cdf *a, const struct mk_known_cdf *b);

/* -log P(X <= x), in [0, inf], too small (F from above) or too large (F from below); not of moving arms. */
double mk_cdf_rate(const struct mk_known_cdf *f, double x, enum mk_side side);

/* -log P(all of the pulls after + 1 … last are at most x), likewise; of any arm. */
double mk_cdf_rates(const struct mk_known_cdf *f, double x, uint64_t after, uint64_t last, enum mk_side side);

/* The same of rewards above x, without a band. */
double mk_above_rate(const struct mk_known_cdf *f, double x, enum mk_side side);
double mk_above_rates(const struct mk_known_cdf *f, double x, uint64_t after, uint64_t last, enum mk_side side);

/* No reward is outside of these: the ends of the support, where a band leaves them known. */
void mk_known_support(const struct mk_known_cdf *f, double *low, double *high);

/* Distribution functions are evaluated up to this far from x. */
double mk_known_resolution(const struct mk_known_cdf *f);

/* The x with P(M(n) <= x) = u, 0 < u <= 1. Only a hint where to look: results are computed from x. */
double mk_known_quantile(const struct mk_known_cdf *f, uint64_t n, double u);

/* The x at which the mean of -log P(X_u <= x), or of -log P(X_u > x), over the first n pulls u is `rate`; a hint as
 * well. */
double mk_known_at_rate(const struct mk_known_cdf *f, enum mk_tail tail, uint64_t n, double rate);

/* The x at which the sum of these over the first n pulls is about `rate`, but not larger up to rounding (an end point
 * apart). mk_known_at_rate looks at some of the pulls; here all count, as a few of them may decide. */
double mk_known_at_rates(const struct mk_known_cdf *f, enum mk_tail tail, uint64_t n, double rate);

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
    uint64_t *time; /* [n] ascending */
    double *rate;  /* [n] -log F(level), not rising; of moving arms the mean over the pulls so far, which is not used */
    double *level; /* [n] not falling; of moving arms alone */
    const struct mk_known_cdf *moving; /* a moving arm; NULL: identically distributed */
    enum mk_side side;                 /* of F, of a moving arm */
    double *mass;                      /* [n] P(first passage at time[b]), filled by mk_passage_solve */
    double survive;                    /* P(no passage), likewise */
    double *q, *f, *w;                 /* [n + 1] work */
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

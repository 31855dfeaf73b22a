#include "policies/parts/uniform_split.h"

#include <gsl/gsl_randist.h>

/* Binomial(n, p) for n up to 2^53. Above what gsl_ran_binomial takes, the middle order statistic of n uniforms, a beta
 * variate, determines which half of them p falls into (Knuth, The Art of Computer Programming 2, 3.4.1 F). */
static uint64_t binomial(const gsl_rng *rng, double p, uint64_t n)
{
    uint64_t successes = 0;
    while (n > INT32_MAX) {
        uint64_t below = n / 2 + 1, above = n - below + 1;
        double x = gsl_ran_beta(rng, (double)below, (double)above);
        if (x >= p) {
            n = below - 1;
            p /= x;
        } else {
            successes += below;
            n = above - 1;
            p = (p - x) / (1 - x);
        }
    }
    return successes + gsl_ran_binomial(rng, p, (unsigned)n);
}

uint64_t mk_uniform_split_next(struct mk_uniform_split *shares)
{
    gsl_rng rng = {mk_gsl_rng_pcg64, shares->rng};
    uint64_t count = shares->rest;
    if (shares->arms > 1) count = binomial(&rng, 1.0 / (double)shares->arms, shares->rest);
    shares->rest -= count;
    shares->arms--;
    return count;
}

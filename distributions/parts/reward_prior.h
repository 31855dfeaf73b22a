/* Priors over the rewards of an arm in [0, 1]: the flat, semi-flat and curved ones of Balef & Eggensperger 2025 (arXiv
 * 2508.13657; synth_paper.py of their repository CASHPlus), and one of upper tails.
 *
 * The n-th reward of their generators is A C_n: A a skew-normal number in [0, 1], C_n a ceiling that rises over 200
 * pulls, as skew-normal numbers in [0, 1] of location 1 that were sorted,
 *
 *     A: shape -U(20, 100), location l ~ U(0, 1), scale U(0, s);   C: shape -U(20, 100), scale U(q (1 - l), q),
 *
 * s, q = .1, .001 (flat), .2, .01 (semi-flat), .2, .1 (curved). Here C_n is the quantile j / 201 of the distribution of
 * the ceilings for all 25 pulls of a segment, j the middle one, instead of a sorted sample, and stays there after 200
 * pulls. Of the tail L(h) of the skew-normal distribution (distributions/skew_normal.c),
 *
 *     L(h) = e^(-h^2/2) / pi  int_a^inf e^(-h^2 x^2 / 2) / (1 + x^2) dx,   a = |shape|,
 *
 * x^2 replaces 1 + x^2, which changes P(Z <= z) by less than 2e-5.
 *
 * tail: F(x) = 1 - p ((b - x) / w)^a between e = max(0, b - w) and the end point b, uniform below e with the remaining
 * mass; b ~ U(0, 1), log a ~ U(log .3, log 5), w ~ U(.005, .6), p ~ U(.05, 1). Source: this project. */
#ifndef MAXK_DISTRIBUTIONS_PARTS_REWARD_PRIOR_H
#define MAXK_DISTRIBUTIONS_PARTS_REWARD_PRIOR_H

#include <stdint.h>

#include "sim/base/pcg64.h"

enum mk_reward_prior { MK_PRIOR_FLAT, MK_PRIOR_SEMI_FLAT, MK_PRIOR_CURVED, MK_PRIOR_TAIL };
#define MK_REWARD_PRIORS "flat|semi_flat|curved|tail"

enum { MK_REWARD_SEGMENTS = 8, MK_REWARD_SEGMENT_PULLS = 25 };

/* One draw from a prior: the distribution of every reward of an arm. */
struct mk_reward_curve {
    enum mk_reward_prior prior;
    double location, scale, shape; /* tail: b, w, a */
    double below, mass;            /* of A: P(A <= 0), P(0 < A <= 1) before truncation; tail: F(e) and p */
    double ceiling[MK_REWARD_SEGMENTS];
};

/* Draws five uniform numbers, of tail four, in the order of the formulas. */
void mk_reward_curve_draw(struct mk_reward_curve *c, enum mk_reward_prior prior, struct mk_pcg64 *rng);

/* The segment of pull n >= 1. */
static inline uint64_t mk_reward_segment(uint64_t n)
{
    const uint64_t s = (n - 1) / MK_REWARD_SEGMENT_PULLS;
    return s < MK_REWARD_SEGMENTS ? s : MK_REWARD_SEGMENTS - 1;
}

/* Of the rewards of a segment: P(X <= x), and the density. */
double mk_reward_curve_cdf(const struct mk_reward_curve *c, uint64_t segment, double x);
double mk_reward_curve_density(const struct mk_reward_curve *c, uint64_t segment, double x);

#endif

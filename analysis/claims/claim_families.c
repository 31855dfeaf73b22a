#include "analysis/claims/claim_families.h"

static const char arms[] =
    "name: families\n"
    "problem:\n"
    "  arms:\n"
    "    - {family: power, a: 4, s: 1, label: 'power 4, 1'}\n"
    "    - {family: power, a: 5, s: 1.1, label: 'power 5, 1.1'}\n"
    "    - {family: truncated_gaussian, mu: 0.75, sigma: 0.2, lo: 0, hi: 1, label: 'truncated_gaussian .75, .2'}\n"
    "    - {family: truncated_gaussian, mu: 0.25, sigma: 0.2, lo: 0, hi: 1, label: 'truncated_gaussian .25, .2'}\n"
    "    - {family: gaussian, mu: 1, sigma: 2, label: 'gaussian 1, 2'}\n"
    "    - {family: pareto, shape: 1.1, label: 'pareto 1.1'}\n"
    "    - {family: exponential, mean: 2.9, label: 'exponential 2.9'}\n"
    "    - {family: negative_exponential, mean: 0.5, label: 'negative_exponential .5'}\n"
    "    - {family: uniform, lo: 0, hi: 0.95, label: 'uniform 0, .95'}\n"
    "    - {family: beta, a: 2, b: 3, label: 'beta 2, 3'}\n"
    "    - {family: beta, a: 0.5, b: 0.5, label: 'beta .5, .5'}\n"
    "    - {family: lognormal, mu: 1, sigma: 1, label: 'lognormal 1, 1'}\n"
    "    - {family: generalized_normal, beta: 0.8, label: 'generalized_normal .8'}\n"
    "    - {family: weibull, shape: 0.7, scale: 1, label: 'weibull .7'}\n"
    "    - {family: gev, shape: -0.4, label: 'gev -.4'}\n"
    "    - {family: gev, shape: 0.3, label: 'gev .3'}\n"
    "    - {family: generalized_pareto, shape: -0.5, label: 'generalized_pareto -.5'}\n"
    "    - {family: generalized_pareto, shape: 0.25, label: 'generalized_pareto .25'}\n"
    "    - {family: bernoulli, p: 0.3, label: 'bernoulli .3'}\n"
    "    - {family: dirac, x: 0.5, label: 'dirac .5'}\n"
    "    - {family: empirical, values: [0.1, 0.4, 0.4, 0.75, 0.9], label: 'empirical, 5 values'}\n"
    "    - {family: mixture, weights: [4, 1], components: [{family: dirac, x: 0}, {family: uniform, lo: 0.5, hi: 1}], "
    "label: 'mixture of dirac and uniform'}\n"
    "    - {family: gaussian, mu: 0, sigma: 1, truncate: [-1, 2], label: 'gaussian, truncated'}\n"
    "    - {family: gaussian, mu: 0, sigma: 1, clip: [-1, 2], label: 'gaussian, clipped'}\n"
    "    - {family: beta, a: 2, b: 3, factor: 3, shift: -1, label: 'beta, scaled and shifted'}\n";

int mk_claim_families(struct mk_claim_case *c, struct mk_claim_report *r, struct mk_error *err)
{
    return mk_claim_read(c, "families", arms, r, 0, MK_NEED_PROBLEM, err);
}

/* Acquisition functions of the posterior of a Gaussian process, and ascents along their gradients. */
#ifndef MAXK_SIM_SEARCH_MODELS_GP_ASCENT_H
#define MAXK_SIM_SEARCH_MODELS_GP_ASCENT_H

#include "sim/search/models/acquisition.h"
#include "sim/search/models/gaussian_process.h"

/* A posterior and what is maximised on it; l and alpha as in mk_gp_predict. */
struct mk_gp_rule {
    const struct mk_gp *g;
    const double *theta, *x;
    size_t stride, n;
    const double *l, *alpha;
    enum mk_acquisition acquisition;
    double best, xi;
};

/* The acquisition at p[d]; gradient, unless NULL: [2][d], of which the first d are its derivatives with respect to p (0
 * for nominal inputs). */
double mk_gp_acquire(const struct mk_gp_rule *r, const double *p, double *gradient, struct mk_gp_work *w);

/* Moves inputs moving[0 … m-1] of p within [0, 1] by at most `steps` steps of BFGS up the gradient. MK_ENOMEM. */
int mk_gp_ascend(const struct mk_gp_rule *r, double *p, const size_t *moving, size_t m, int steps, double *gradient,
                 struct mk_gp_work *w, struct mk_error *err);

#endif

/* Warped inputs of a Gaussian process (Snoek, Swersky, Zemel & Adams 2014): every number u in [0, 1] enters as
 * Kumaraswamy's distribution function 1 - (1 - u^a)^b, whose a and b are fitted with the covariance. log a and log b
 * are normal a priori with mean 0 and variance 0.75 (HEBO 0.3; Cowen-Rivers et al. 2022). */
#ifndef MAXK_SIM_SEARCH_MODELS_GP_WARP_H
#define MAXK_SIM_SEARCH_MODELS_GP_WARP_H

#include "sim/search/models/gaussian_process.h"

/* The warped number and its inverse; warp: log a, log b. */
double mk_warp(double u, const double warp[2]);
double mk_unwarp(double w, const double warp[2]);

/* Maximum a posteriori of theta and of warp[d][2], both from where they are: theta by mk_gp_fit, then every log a and
 * log b by steps of 0.8, 0.4 and 0.2 up and down, which improve the posterior, then theta again. x[d][n] is not warped,
 * warped[d][n] scratch. Nominal inputs stay. MK_ENOMEM. */
int mk_gp_warp_fit(const struct mk_gp *g, double *theta, double *warp, const double *x, double *warped, const double *y,
                   size_t n, size_t steps, struct mk_gp_work *w, struct mk_error *err);

#endif

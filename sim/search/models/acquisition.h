/* Acquisition functions: the value of evaluating a point whose reward is normal given the observations.
 *
 * With z = (mean - best - xi) / sd, phi and Phi the standard normal density and distribution function:
 *     EI = sd h(z), h(z) = phi(z) + z Phi(z)     (Mockus 1975; Jones, Schonlau & Welch 1998; Nguyen 2024, eqs 3.3-3.5)
 *     logEI = log EI    (to full relative accuracy where EI itself underflows; Ament et al. 2023)
 *     PI = Phi(z)
 *     UCB = mean + xi sd
 * All are maximised. With sd = 0: EI = max(0, mean - best - xi), PI = 0, 1/2 or 1. */
#ifndef MAXK_SIM_SEARCH_MODELS_ACQUISITION_H
#define MAXK_SIM_SEARCH_MODELS_ACQUISITION_H

#include <math.h>

#include "sim/base/param.h"

enum mk_acquisition { MK_ACQUISITION_EI, MK_ACQUISITION_LOG_EI, MK_ACQUISITION_PI, MK_ACQUISITION_UCB };
#define MK_ACQUISITION_CHOICES "ei|logei|pi|ucb"

/* xi: the smallest improvement that counts; for UCB the number of standard deviations. Relative accuracy 1e-12 wherever
 * the value is a normal number; logEI 1e-14. */
double mk_acquisition_value(enum mk_acquisition a, double mean, double sd, double best, double xi);

/* The parameter xi of optimisers: where it is not given (NaN), 0, and 2 for UCB. */
#define MK_XI_PARAM(of_improvement)                                                                                    \
    {                                                                                                                  \
        "xi", MK_REAL, MK_OPTIONAL | MK_OPEN_HI, NAN, 0, INFINITY, NULL,                                               \
            "smallest improvement of EI and PI" of_improvement " (default 0); standard deviations of UCB (default 2)"  \
    }
double mk_acquisition_xi(enum mk_acquisition a, double given);

/* Its derivatives with respect to mean and sd > 0. */
void mk_acquisition_gradient(enum mk_acquisition a, double mean, double sd, double best, double xi, double *of_mean,
                             double *of_sd);

/* The same for a model of the logarithm of a cost, which is minimised: log cost is normal (mean, sd), `best` the lowest
 * log cost so far. EI and logEI are of the cost itself, E max(0, exp(best - xi) - cost) (Hutter et al. 2009; SMAC's
 * "log EI"); PI and UCB of the negative log cost. */
double mk_acquisition_log_cost(enum mk_acquisition a, double mean, double sd, double best, double xi);

/* log h(z). */
double mk_log_improvement(double z);

/* (1 - Phi(x)) / phi(x), x >= 0. */
double mk_mills_ratio(double x);

#endif

/* The arithmetic of Successive Halving and Hyperband (Li et al. 2018, "Hyperband", JMLR 18-185, Algorithm 1 and Figure
 * 10), and of the forms of it that others print. Budgets are in units of the smallest evaluation: R is the budget of a
 * whole one. */
#ifndef MAXK_SIM_SEARCH_PLAN_HALVING_H
#define MAXK_SIM_SEARCH_PLAN_HALVING_H

#include <stdint.h>

#include "sim/base/param.h"

enum mk_rounding {
    MK_ROUNDING_CEIL, /* n = ceil((s_max + 1) eta^s / (s + 1)): Algorithm 1 of the paper, SMAC3, Optuna */
    MK_ROUNDING_FLOOR /* n = floor((s_max + 1) / (s + 1)) eta^s: Table 1 of the paper, HpBandSter */
};
#define MK_ROUNDING_CHOICES "ceil|floor"

enum mk_reading {
    MK_READING_SOURCE, /* Li et al. 2018; irace: its program */
    MK_READING_PRINTED /* Nguyen 2024, Algorithms 4 to 6, as printed */
};
#define MK_READING_CHOICES "source|printed"

enum { MK_HALVING_MOST_ROUNDS = 64 };

/* The largest whole s with eta^s <= x; x >= 1, eta > 1. Powers that are whole numbers are exact. */
unsigned mk_floor_log(double x, double eta);

/* floor(n eta^-k): configurations in round k of a bracket that begins with n. */
uint64_t mk_halving_left(uint64_t n, double eta, unsigned k);

/* The eliminations of a bracket with budget B for n configurations. Source: the fewest that the budget allows,
 *
 *     min {s : n R (s + 1) eta^-s <= B, s <= log_eta min(R, n)};
 *
 * printed: the most. An infinite B allows all: the upper end of s. False: it allows none. */
bool mk_halving_eliminations(enum mk_reading reading, uint64_t n, double R, double eta, double B, unsigned *s);

/* max(1, floor(R eta^(k - s))): what each configuration of round k has been evaluated on when the round ends. */
double mk_halving_budget(double R, double eta, unsigned s, unsigned k);

/* How brackets r = floor(log_eta R) … 0 are made. */
struct mk_hyperband_rule {
    double R, eta;
    enum mk_rounding rounding; /* source */
    enum mk_reading reading;
    double B; /* printed: the budget of all brackets */
};

/* Configurations with which bracket r begins, and its eliminations. Source, with m = floor(log_eta R): as `rounding`
 * says, ceil((m + 1) / (r + 1) eta^r) or floor(floor((m + 1) / (r + 1)) eta^r), and r. Printed (Nguyen 2024, Algorithm
 * 6): ceil((B / R) eta^r / (r + 1)), and as many eliminations as a budget of B / floor(log_eta R) allows, which bracket
 * 0 does not get: it has 0. False: the budget allows no round. */
bool mk_hyperband_bracket(const struct mk_hyperband_rule *h, unsigned r, uint64_t *n, unsigned *s);

#endif

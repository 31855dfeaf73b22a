/* Points that fill the unit cube, and the initial design of optimisers that learn.
 *
 * Sobol's sequence (from 41 dimensions on Halton's) is GSL's, shifted modulo 1 by a vector that belongs to the search.
 * A Latin hypercube of n points has one point in each of the n slices of every axis. The combinational design (BO4ML:
 * Nguyen et al. 2021 and its program) goes through all combinations of the choices of a space, in an order drawn again
 * for every pass, and draws the rest at random; a space without choices has one. */
#ifndef MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_DESIGN_H
#define MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_DESIGN_H

#include "sim/search/optimizers/optimizer.h"

enum mk_design { MK_DESIGN_RANDOM, MK_DESIGN_SOBOL, MK_DESIGN_HALTON, MK_DESIGN_LHS, MK_DESIGN_COMBINATIONAL };
#define MK_DESIGN_CHOICES "random|sobol|halton|lhs" /* initial designs also have combinational */

/* Bytes of the state of a sequence in d dimensions (plain data), and its beginning. */
size_t mk_sequence_size(enum mk_design design, size_t d);
void mk_sequence_init(void *state, enum mk_design design, size_t d);

/* The next point, shifted for the search. */
void mk_sequence_next(void *state, enum mk_design design, size_t d, struct mk_key key, double *u);

/* Point i of a Latin hypercube of n points. */
void mk_latin_hypercube(uint64_t i, uint64_t n, size_t d, struct mk_key key, struct mk_pcg64 *rng, double *u);

/* A permutation of 0 … n-1 that belongs to the key: where it takes i (a Feistel network; no table). */
uint64_t mk_permute(uint64_t i, uint64_t n, struct mk_key key);

/* The configuration at u[d], or, where it is forbidden, one at random. u may be v. */
void mk_take_point(struct mk_ask *a, const double *u, double *v);

/* Combinations of the active choices of a space, from 1 up; those beyond MK_MOST_COMBINATIONS are not counted. */
enum { MK_MOST_COMBINATIONS = 10000 };
uint64_t mk_combination_count(const struct mk_space *s);

/* ---- initial designs ---- */

#define MK_INIT_PARAMS(flags, count, design, defaults)                                                                 \
    {"init", MK_INTEGER, flags, count,                                                                                 \
     0,      1e6,        NULL,  "configurations of the initial design, in addition to the defaults"},                  \
        MK_CHOICE_ROW("design", design, MK_DESIGN_CHOICES "|combinational", "method by which they are drawn"),         \
        MK_CHOICE_ROW("defaults", defaults, "no|yes",                                                                  \
                      "whether the default configuration comes first (where the first hyperparameter is a choice, "    \
                      "one for each of its words)")
enum { MK_INIT_COUNT, MK_INIT_DESIGN, MK_INIT_DEFAULTS, MK_INIT_PARAMETERS };

/* Configuration a->trials->n of the initial design into v; *served = false when the design has ended. init: the three
 * parameters; `count` stands in for init[MK_INIT_COUNT]. */
int mk_initial_design(struct mk_ask *a, const double *init, uint64_t count, double *v, bool *served,
                      struct mk_error *err);

/* Its number of configurations, the defaults included. */
size_t mk_initial_size(const struct mk_ask *a, const double *init, uint64_t count);

/* Whether the next proposal comes from a model: not from the initial design, and some result is known. MK_EINPUT. */
int mk_check_modelled(const struct mk_ask *a, const char *name, size_t initial, struct mk_error *err);

#endif

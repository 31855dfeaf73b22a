/* The sampling model of iterated racing (López-Ibáñez et al. 2016; irace 3.5): one for each elite, from which new
 * configurations are drawn near it. Positions are those of the unit cube.
 *
 *   numbers, ordinals  normal around the elite's value, truncated to [0, 1]; the standard deviation begins at half the
 *                      range and is multiplied by (1 / N)^(1/d) before every race with N new configurations
 *   words              probabilities p, equal at first; before race j of J p <- p (1 - (j - 1)/J), plus (j - 1)/J for
 * the elite's word, none above 0.2^(1/d), then normalised
 *
 * d counts the hyperparameters with more than one value. Where the elite lacks a number its nearest ancestor's value
 * stands in, or a random one; for ordinals always a random one. */
#ifndef MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_RACE_MODEL_H
#define MAXK_SIM_SEARCH_OPTIMIZERS_PARTS_RACE_MODEL_H

#include "sim/base/pcg64.h"
#include "sim/search/space/space.h"

/* Numbers that a model consists of: for every hyperparameter its centre and its standard deviation, or the
 * probabilities of its words. */
size_t mk_race_model_length(const struct mk_space *s);

/* Hyperparameters with more than one value. */
double mk_race_model_variables(const struct mk_space *s);

/* The model of the first race's elites, before any update. */
void mk_race_model_start(const struct mk_space *s, double *model);

/* Before race j (from 2) of J with `fresh` new configurations: the model of the elite v, from its own old model or its
 * parent's. */
void mk_race_model_update(const struct mk_space *s, double *model, const double *v, unsigned j, unsigned races,
                          double fresh);

/* A draw near the elite. */
void mk_race_model_sample(const struct mk_space *s, const double *model, struct mk_pcg64 *rng, double *v);

/* Soft restart: wider than it is, but not wider than at first after a race with `fresh` new configurations. */
void mk_race_model_widen(const struct mk_space *s, double *model, double fresh);

/* irace's `digits`, by default 4: real numbers get four decimals. Where an end of the range has more, which irace does
 * not accept, they keep theirs. */
void mk_race_round(const struct mk_space *s, double *v);

/* Whether two configurations differ by at most 1e-4 of the range in every number and in no word. */
bool mk_race_similar(const struct mk_space *s, const double *a, const double *b);

#endif

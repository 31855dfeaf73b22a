/* Objectives: the reward of a configuration.
 *
 * An objective is one .c file with one const struct mk_objective_type, and one line in list.def. It has inputs, numbers
 * or words, which the search space must have as hyperparameters; unless a space is given, the objective makes its own.
 * Rewards are maximised: functions that are usually minimised give reward = -f. Objectives are deterministic; noise is
 * added by mk_objective_evaluate from a separate stream, so that every optimiser meets the same noise. Immutable once
 * built, so threads may share it. */
#ifndef MAXK_SIM_SEARCH_OBJECTIVES_OBJECTIVE_H
#define MAXK_SIM_SEARCH_OBJECTIVES_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>

#include "distributions/dist.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/pcg64.h"
#include "sim/search/space/space.h"
#include "sim/search/space/trial_status.h"

struct mk_objective_type;
struct mk_measurements;

/* One objective. */
struct mk_objective {
    const struct mk_objective_type *type;
    double par[MK_MAX_PARAMS];        /* in the order of type->params */
    char *text[MK_MAX_PARAMS];        /* owned; MK_TEXT and MK_FILE parameters, NULL if not given */
    struct mk_space *space;           /* owned */
    size_t *input;                    /* [space->n] MK_OBJECTIVE_NUMBERS: position of each input in the space; owned */
    double noise;                     /* standard deviation of the noise added to every value */
    void *data;                       /* owned; freed by type->free_data */
    struct mk_objective_files *files; /* while it is built; NULL afterwards */
};

/* Shared by a set of objectives while it is built. Start with a struct of zeros. */
struct mk_objective_files {
    size_t n;
    struct mk_measurements **file; /* CSV files read so far */
};
void mk_objective_files_free(struct mk_objective_files *f);

/* The result of an evaluation. */
struct mk_evaluation {
    double value; /* also of a failed evaluation: the arm's reward for it */
    double cost;  /* > 0; 1 for a whole evaluation unless the objective defines it otherwise */
    enum mk_trial_status status;
    double fidelity; /* the part of the whole evaluation that was made */
};

enum {
    MK_OBJECTIVE_FIDELITY = 1,  /* can be evaluated in part */
    MK_OBJECTIVE_SEEDED = 2,    /* parameter `seed`: if not given, the number of the instance is used */
    MK_OBJECTIVE_MEASURED = 4,  /* text parameter `instance`: if not given, the name of the instance is used */
    MK_OBJECTIVE_NUMBERS = 8,   /* inputs are numbers: another space with the same names may be given */
    MK_OBJECTIVE_OWN_SPACE = 16 /* no other space may be given */
};

struct mk_objective_type {
    const char *name;      /* as in experiment files, [a-z0-9_]+ */
    const char *summary;   /* one line */
    const char *formula;   /* the reward, plain text */
    const char *reference; /* its source */
    unsigned flags;
    const struct mk_param *params;
    int own_noise; /* 1 + the position of the parameter that is the standard deviation of noise of its own, which
                      `evaluate` adds; 0: it adds none */

    /* Relations between parameters; NULL = nothing to check. Returns NULL, or the problem and what is allowed. */
    const char *(*check)(const double *par);

    /* Its own space, from parameters and files. */
    int (*make_space)(const struct mk_objective *o, struct mk_space **out, struct mk_error *err);

    /* Derives o->data; o->space exists and has the inputs. May be NULL. Errors without a place. */
    int (*prepare)(struct mk_objective *o, struct mk_error *err);
    void (*free_data)(void *data); /* NULL: free */

    /* *out is {NAN, fidelity, MK_TRIAL_OK, fidelity} before; fidelity in (0, 1], 1 for those without
     * MK_OBJECTIVE_FIDELITY. */
    void (*evaluate)(const struct mk_objective *o, const double *v, struct mk_evaluation *out);

    /* The largest reward without noise, NaN if unknown; NULL: never known. */
    double (*optimum)(const struct mk_objective *o);

    /* The distribution of the reward of a uniformly drawn configuration, without noise, where a closed form exists;
     * MK_EINPUT otherwise. NULL: never. */
    int (*distribution)(const struct mk_objective *o, struct mk_dist **out, struct mk_error *err);
};

/* Registry (from list.def, in its order). */
size_t mk_objective_type_count(void);
const struct mk_objective_type *mk_objective_type_at(size_t i);
const struct mk_objective_type *mk_objective_type_find(const char *name);

/* The specification of an objective; text[] is copied. */
struct mk_objective_spec {
    const struct mk_objective_type *type;
    double par[MK_MAX_PARAMS];
    const char *text[MK_MAX_PARAMS];
    double noise;
    struct mk_space *space; /* taken when mk_objective_new succeeds; NULL: the objective's own */
};

/* Checks that the space has the inputs and no other hyperparameters. MK_EINPUT: *param is the position of the parameter
 * at fault (-1: none in particular, -2: the space), err->text is the problem without a place. */
int mk_objective_new(struct mk_objective **out, const struct mk_objective_spec *spec, struct mk_objective_files *files,
                     int *param, struct mk_error *err);
void mk_objective_free(struct mk_objective *o);

/* Evaluates the configuration; `noise` is the stream of this evaluation. fidelity: the part of the whole evaluation
 * that is made; objectives without MK_OBJECTIVE_FIDELITY are always evaluated as a whole. */
void mk_objective_evaluate(const struct mk_objective *o, const double *v, double fidelity, struct mk_pcg64 *noise,
                           struct mk_evaluation *out);

/* Whether values contain noise, and the value without it of a whole evaluation. */
bool mk_objective_is_noisy(const struct mk_objective *o);
double mk_objective_noise_free(const struct mk_objective *o, const double *v);

/* Input i as a number (MK_OBJECTIVE_NUMBERS); words that are numbers count as such. */
double mk_objective_input(const struct mk_objective *o, const double *v, size_t i);

/* NaN if unknown. */
double mk_objective_optimum(const struct mk_objective *o);

#endif

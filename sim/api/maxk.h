/* libmaxk for other programs, in C or C++: experiments run in memory or into files, results, reward distributions,
 * the constants L and U, bounds. `make install` puts it where `pkg-config --static --cflags --libs maxk` finds it.
 *
 * Functions return MK_OK or a negative mk_code and then store one line in *err, which may be NULL; nothing is printed
 * and nothing ends the program. What *out receives on success is freed by the function that its comment names; free
 * functions take NULL. One thread at a time may run or read results (HDF5 is not thread-safe); everything about
 * distributions and bounds may be called from any thread. Call mk_start once, first. */
#ifndef MAXK_H
#define MAXK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "analysis/theory/bounds.h"
#include "sim/base/error.h"

/* Turns off GSL's error handler, which would end the program where a quadrature does not converge. */
void mk_start(void);

/* The revision that the library was built from. */
const char *mk_version(void);

/* ---- registries: name(i) for i = 0, 1, …; NULL behind the last ---- */

const char *mk_policy_name(size_t i);
const char *mk_policy_summary(size_t i);
const char *mk_family_name(size_t i); /* reward families, without wrappers */
const char *mk_family_summary(size_t i);

/* ---- experiments ---- */

struct mk_experiment;

/* Reads a YAML file (README, "Write an experiment"), with overrides "dotted.key=YAML value"; policies and horizons may
 * be missing where nothing is to be run. MK_EINPUT: file:line:column: key: what is wrong, what is allowed. */
int mk_experiment_load(struct mk_experiment **out, const char *path, const char *const *overrides, size_t n_overrides,
                       struct mk_error *err);

/* The same of text in memory. */
int mk_experiment_load_text(struct mk_experiment **out, const char *text, struct mk_error *err);

void mk_experiment_free(struct mk_experiment *e); /* NOLINT(readability-redundant-declaration) */

/* Distribution of arm k, borrowed from the experiment; NULL behind the last, and where rewards are recorded or move. */
struct mk_dist;
const struct mk_dist *mk_experiment_arm(const struct mk_experiment *e, size_t k);

/* ---- runs and results ---- */

/* What a run has found. Arrays in C order; N_i(T) the pulls of arm i up to horizon T. NaN: undefined (an arm that the
 * instance lacks, the standard error of one replication). All memory belongs to it. */
struct mk_outcome {
    size_t policies, instances, horizons, arms;
    uint64_t replications;            /* of every instance */
    char **policy, **instance, **arm; /* labels */
    uint64_t *horizon;                /* ascending */
    double *mean_pulls, *se_pulls;    /* [policy][instance][horizon][arm] */
    double *mean_max, *se_max;        /* [policy][instance][horizon] of the largest reward */
    double *expected_max, *gap;       /* [instance][horizon][arm] E[M_i(T)] and Delta_i(T), exact; rewards, >= 0 */
    uint64_t *pulls;                  /* [policy][instance][horizon][replication][arm]; NULL with keep: summary */
    double *max_reward;               /* [policy][instance][horizon][replication]; NULL with keep: summary */
};

/* Runs an experiment in memory. threads >= 1; the result does not depend on it. Errors: MK_EINPUT (no policies or
 * horizons, a run that cannot fit into memory), MK_ENOMEM, MK_ENUM. To be freed with mk_outcome_free. */
int mk_experiment_run(struct mk_outcome **out, const struct mk_experiment *e, int threads, struct mk_error *err);

/* Runs it as `maxk run --resume -o path` does: finished blocks are kept beside it until the complete file takes its
 * place; where they are from an earlier call, it goes on behind them. A result of another run at `path` is kept as
 * path.previous, and a line on standard error says so. */
int mk_experiment_run_file(const struct mk_experiment *e, const char *path, int threads, struct mk_error *err);

/* Reads a result file, with every replication where the file has them. */
int mk_outcome_read(struct mk_outcome **out, const char *path, struct mk_error *err);
void mk_outcome_free(struct mk_outcome *o);

/* ---- reward distributions ---- */

/* An arm as it stands in experiment files, "{family: power, a: 3, s: 1.01}"; to be freed with mk_arm_free. */
int mk_arm_new(struct mk_dist **out, const char *text, struct mk_error *err);
void mk_arm_free(struct mk_dist *d);

/* out[0 … n-1]: independent draws, the same for equal seeds. */
void mk_arm_sample(const struct mk_dist *d, uint64_t seed, size_t n, double *out);

/* G(x) = P(X >= x); the x with G(x) = p, 0 <= p <= 1; the ends a and b, which may be infinite. */
double mk_arm_survival(const struct mk_dist *d, double x);
double mk_arm_inverse_survival(const struct mk_dist *d, double p);
void mk_arm_support(const struct mk_dist *d, double *a, double *b);

/* E[M(n)], the expected maximum of n >= 1 draws; may be infinite. MK_ENUM: no expectation, or no convergence. */
int mk_arm_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err);

/* The largest L and the least U with L eps <= G(b - eps) <= U eps for all eps in (0, b - a], to 1e-8; NaN where b is
 * infinite. Units: 1 / reward. (Lemma 3.3 of Balef et al. 2025; their bounds on pulls are in analysis/theory/bounds.h.)
 */
int mk_arm_constants(const struct mk_dist *d, double *L, double *U, struct mk_error *err);

#ifdef __cplusplus
}
#endif
#endif

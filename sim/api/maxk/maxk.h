/* libmaxk for programs in C and C++: experiments in memory or into files, their results as arrays, reward
 * distributions, the constants L and U, and bounds. After `make install`, `pkg-config --cflags --libs maxk` names the
 * flags.
 *
 * Results and errors. A function that can fail returns MK_OK, or a negative code of enum mk_code (error.h) after
 * writing one line into *err. err may be NULL. The comment of a function lists the errors that need an explanation.
 * What a function stores in *out when it succeeds belongs to the caller, who frees it with the function that the
 * comment names; these functions accept NULL. The library never prints and never ends the program.
 *
 * Versions. What these headers declare stays within a major version, in source and binary form, except for bounds.h,
 * which is provisional. Names under "deprecated" have been replaced by others and will be gone from the next major
 * version.
 *
 * Threads. One thread at a time may load or run experiments, make tables, and read or write results, rewards and
 * reports, since HDF5 is not thread-safe. Functions on distributions and bounds may be called from any thread. A
 * process that was forked may continue with what it has inherited, unless another thread was inside the library at that
 * moment. In the child, OpenMP then has one thread only, in parallel regions of the program itself too, since the
 * threads of its parent do not exist there.
 *
 * Locale. Numbers in texts and files have a decimal point in every locale. A function sets the C locale for its own
 * thread while it runs (uselocale), and calls progress functions in the locale of the caller.
 *
 * Other libraries. The library brings its own exp, log, pow and GSL, so that results have the same bits on every
 * processor. They are private: the program keeps those of its C library and the GSL that it links itself. HDF5 is
 * shared with the program, and its automatic error messages are off once results are read or written (H5Eset_auto). */
#ifndef MAXK_H
#define MAXK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bounds.h"
#include "error.h"
#include "missing.h"
#include "policy.h"
#include "study.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header. The version of the library that is linked is mk_version(). */
#define MAXK_VERSION_MAJOR 1
#define MAXK_VERSION_MINOR 0
#define MAXK_VERSION_PATCH 0

const char *mk_version(void);  /* the version of the library, such as "1.0.0" */
const char *mk_revision(void); /* the revision of the source from which the library was built */

/* Prepares the library. The library calls this function itself before main; further calls have no effect. */
void mk_library_prepare(void);

/* ---- registries ---- */

/* The names and one-line summaries of all policies and reward families, for i = 0, 1, …; NULL past the last one. */
const char *mk_policy_name(size_t i);
const char *mk_policy_summary(size_t i);
const char *mk_family_name(size_t i);
const char *mk_family_summary(size_t i);

/* ---- experiments ---- */

struct mk_experiment;

/* Reads an experiment file. Its keys are described in the manual page (`man maxk`, "EXPERIMENT FILES"); policies and
 * horizons may be missing if the experiment is not run. The n_overrides texts in overrides change keys, each as
 * "dotted.key=YAML value" such as "replications=100". The caller frees *out with mk_experiment_free.
 * MK_EINPUT: the file cannot be read, or it has a mistake; the message is then file:line:column: key: what is wrong and
 * what is allowed. */
int mk_experiment_load(struct mk_experiment **out, const char *path, const char *const *overrides, size_t n_overrides,
                       struct mk_error *err);

/* Reads an experiment from the text of an experiment file; otherwise as mk_experiment_load. */
int mk_experiment_from_text(struct mk_experiment **out, const char *text, const char *const *overrides,
                            size_t n_overrides, struct mk_error *err);

/* The name of the experiment, after which result files are named. It belongs to the experiment. */
const char *mk_experiment_name(const struct mk_experiment *e);

void mk_experiment_free(struct mk_experiment *e); /* NOLINT(readability-redundant-declaration) */

struct mk_dist;

/* The distribution of arm k, from 0, of an experiment with known arms. It belongs to the experiment. Returns NULL past
 * the last arm, and if the arms are recorded runs or searches, or change over time. */
const struct mk_dist *mk_experiment_distribution(const struct mk_experiment *e, size_t k);

/* ---- runs ---- */

/* How to run an experiment. Later versions may add members at the end; those that the caller's header does not have are
 * 0, which is the default of every member. */
struct mk_run_settings {
    size_t size; /* sizeof(struct mk_run_settings) */

    /* The result file, as for `maxk run --resume -o RESULT`; NULL: the results are in memory only. */
    const char *result;

    /* For runs into a file: whether the run starts over and replaces any file that exists there, as `maxk run --force`
     * does. */
    bool start_over;

    /* The number of threads; 1 to 4096; 0 is OpenMP's default. The result does not depend on it. */
    int threads;

    /* "auto", "per-pull" or "record", as for `maxk run --engine`; NULL is "auto". */
    const char *engine;

    /* A function to call with the number of replications finished and their total (for searches: evaluations),
     * or NULL. It is called in the thread that called the run function, a few times a second at most, and at the end.
     * Replications that an earlier, interrupted run has finished are counted. If the function returns false, the run
     * stops with MK_ESTOPPED, unless it was complete. context is passed to it. */
    bool (*progress)(void *context, uint64_t done, uint64_t all);
    void *context;
};

/* The results of a run. The arrays are in C order (the last index varies fastest), and all memory belongs to
 * the struct. N_i(T) is the number of pulls of arm i up to horizon T, and rewards are in the unit of the experiment. A
 * mean, standard error, E[M_i(T)] or gap is NaN where it is not defined: for an arm that an instance lacks, and for the
 * standard error of a single replication. */
struct mk_result_arrays {
    size_t policies, instances, horizons, arms; /* how many there are of each */
    uint64_t replications;                      /* of each instance; the largest number if they differ */
    char **policy, **instance, **arm;           /* labels */
    uint64_t *horizon;                          /* ascending; see cost_parts */
    double *mean_pulls, *se_pulls; /* mean and standard error of N_i(T): [policy][instance][horizon][arm] */
    double *mean_max, *se_max;     /* mean and standard error of the largest reward: [policy][instance][horizon] */
    double *expected_max, *gap;    /* E[M_i(T)] and the gap from the best arm, >= 0, exact: [instance][horizon][arm] */
    uint64_t *pulls;    /* N_i(T) of each replication: [policy][instance][horizon][replication][arm]; NULL if the
                           experiment says `keep: summary` */
    double *max_reward; /* the largest reward of each replication: [policy][instance][horizon][replication]; NaN
                           past the replications of an instance; NULL if the experiment says `keep: summary` */
    double *incumbent;  /* the test score, or the value without noise, of the configuration with the largest reward, as
                           max_reward; NaN where it is not known; NULL where neither was recorded, and as for it */
    double cost_parts;  /* 0: horizons are pulls; otherwise they are costs, horizon[h] / cost_parts */
};

/* The position of a cell in the arrays [policy][instance][horizon]. With cell = mk_result_arrays_cell(o, p, i, h),
 *
 *     o->mean_max[cell]                              is the mean of the largest reward,
 *     o->mean_pulls[cell * o->arms + k]              is the mean number of pulls of arm k,
 *     o->max_reward[cell * o->replications + r]      is the largest reward of replication r. */
static inline size_t mk_result_arrays_cell(const struct mk_result_arrays *o, size_t policy, size_t instance,
                                           size_t horizon)
{
    return (policy * o->instances + instance) * o->horizons + horizon;
}

/* Runs an experiment and stores its results in *out, which the caller frees with mk_result_arrays_free. settings may be
 * NULL. out may be NULL if the run has a result file.
 *
 * Into a file: finished blocks of replications go to a journal next to the file, until the complete file takes its
 * place. Blocks that an earlier, interrupted call has finished are not simulated again. If there is a result of another
 * run at the path, it is renamed to RESULT.previous (any other file there is MK_EINPUT, unless start_over is set, with
 * which nothing is kept); err->text then says so although the function returns MK_OK, and err->text is empty otherwise.
 * MK_EINPUT: the experiment has no policies or horizons, a setting is out of range, or the results do not fit into
 * memory.
 * MK_EIO: the files cannot be read or written.
 * MK_ESTOPPED: progress returned false, or mk_stop was called.
 * MK_ENUM: an expected maximum could not be computed. */
int mk_run_experiment(struct mk_result_arrays **out, const struct mk_experiment *e,
                      const struct mk_run_settings *settings, struct mk_error *err);

/* Makes whatever is running now stop soon and return MK_ESTOPPED: a run, the making of a table (table.h), or the
 * resumption of a study (study.h). If nothing runs, the call has no effect on later runs. May be called from a signal
 * handler and from other threads. */
void mk_stop(void);

/* Writes recorded rewards as an HDF5 file that experiments can replay (`problem: {trajectories: PATH}`).
 * reward[instance][arm][repetition][iteration] is an array of the given sizes, all at least 1, in C order. instance
 * and arm are names, or NULL for the names 0, 1, …. NaN means that there is no reward: NaN at the end of a series makes
 * it shorter, a series of nothing but NaN is missing, and NaN between rewards is a hole. The keys `ends_early`,
 * `missing` and `holes` of the experiment say what happens then. A file that exists is replaced when the new one is
 * complete.
 * MK_EIO: the file cannot be written. */
int mk_rewards_write(const char *path, const double *reward, const size_t size[4], const char *const *instance,
                     const char *const *arm, struct mk_error *err);

/* The same with costs of pulls and test scores, which the policies of `maxk recommend` and results then have: arrays of
 * the same sizes. cost (> 0 wherever there is a reward) and test_reward (NaN: not known) may be NULL. */
struct mk_recorded_arrays {
    const double *reward, *cost, *test_reward;
};
int mk_recorded_write(const char *path, const struct mk_recorded_arrays *values, const size_t size[4],
                      const char *const *instance, const char *const *arm, struct mk_error *err);

/* Reads a result file, with every replication if the file has them. The caller frees *out with mk_result_arrays_free.
 * MK_EINPUT, MK_EIO: the file cannot be read, or it is not a result of maxk. */
int mk_result_arrays_read(struct mk_result_arrays **out, const char *path, struct mk_error *err);
void mk_result_arrays_free(struct mk_result_arrays *o);

/* Writes n >= 1 result files as one HTML page, as `maxk report` does. title is the title of the page; NULL is that of
 * the command. The figures are drawn by the program gnuplot. If the function fails, the file `out` is not changed.
 * MK_EINPUT, MK_EIO: a result cannot be read, or the page cannot be written.
 * MK_EFAIL: gnuplot is not there or has failed. */
int mk_report_write(const char *const *results, size_t n, const char *title, const char *out, struct mk_error *err);

/* ---- reward distributions ---- */

/* Makes a distribution from a text of the form that experiment files have, such as "{family: power, a: 3, s: 1.01}".
 * The caller frees *out with mk_distribution_free.
 * MK_EINPUT: there is no such family or parameter, or a value is out of range. */
int mk_distribution_new(struct mk_dist **out, const char *text, struct mk_error *err);
void mk_distribution_free(struct mk_dist *d);

/* Stores n independent draws in out[0 … n-1]. Equal seeds give equal draws. */
void mk_distribution_sample(const struct mk_dist *d, uint64_t seed, size_t n, double *out);

/* The survival function G(x) = P(X >= x); the largest x with G(x) >= p for 0 <= p <= 1 (b for p = 0, a for p = 1); and
 * the end points a and b of the rewards, which may be infinite. */
double mk_distribution_survival(const struct mk_dist *d, double x);
double mk_distribution_inverse_survival(const struct mk_dist *d, double p);
void mk_distribution_support(const struct mk_dist *d, double *a, double *b);

/* Stores the expected maximum E[M(n)] of n >= 1 draws, n real, in *value; it may be +infinity or -infinity.
 * MK_ENUM: there is no expectation, or its computation does not converge. */
int mk_distribution_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err);

/* Stores the constants of Lemma 3.3 of Balef et al. 2025: the largest L and the smallest U with L eps <= G(b - eps) <=
 * U eps for all eps in (0, b - a], with a relative error below 1e-8. Their unit is 1 / reward. Both are NaN if b is
 * infinite, and U is +infinity if b has positive probability. The bounds on pulls that use L and U are in bounds.h. */
int mk_distribution_constants(const struct mk_dist *d, double *L, double *U, struct mk_error *err);

/* ---- deprecated ---- */

#define mk_outcome mk_result_arrays
#define mk_outcome_cell mk_result_arrays_cell

/* As struct mk_run_settings; if force is not 0, the run starts over. */
struct mk_run_options {
    int threads;
    const char *engine;
    int force;
    int (*progress)(void *context, uint64_t done, uint64_t all);
    void *context;
};

MK_DEPRECATED("mk_library_prepare") void mk_start(void);
MK_DEPRECATED("mk_experiment_from_text")
int mk_experiment_load_text(struct mk_experiment **out, const char *text, struct mk_error *err);
MK_DEPRECATED("mk_experiment_from_text")
int mk_experiment_load_text_with(struct mk_experiment **out, const char *text, const char *const *overrides,
                                 size_t n_overrides, struct mk_error *err);
MK_DEPRECATED("mk_experiment_distribution")
const struct mk_dist *mk_experiment_arm(const struct mk_experiment *e, size_t k);
MK_DEPRECATED("mk_run_experiment")
int mk_experiment_run_with(struct mk_outcome **out, const struct mk_experiment *e, const struct mk_run_options *options,
                           struct mk_error *err);
MK_DEPRECATED("mk_run_experiment")
int mk_experiment_run_file_with(const struct mk_experiment *e, const char *path, const struct mk_run_options *options,
                                struct mk_error *err);
MK_DEPRECATED("mk_run_experiment")
int mk_experiment_run(struct mk_outcome **out, const struct mk_experiment *e, int threads, struct mk_error *err);
MK_DEPRECATED("mk_run_experiment")
int mk_experiment_run_file(const struct mk_experiment *e, const char *path, int threads, struct mk_error *err);
MK_DEPRECATED("mk_result_arrays_read")
int mk_outcome_read(struct mk_outcome **out, const char *path, struct mk_error *err);
MK_DEPRECATED("mk_result_arrays_free") void mk_outcome_free(struct mk_outcome *o);
MK_DEPRECATED("mk_distribution_new") int mk_arm_new(struct mk_dist **out, const char *text, struct mk_error *err);
MK_DEPRECATED("mk_distribution_free") void mk_arm_free(struct mk_dist *d);
MK_DEPRECATED("mk_distribution_sample")
void mk_arm_sample(const struct mk_dist *d, uint64_t seed, size_t n, double *out);
MK_DEPRECATED("mk_distribution_survival") double mk_arm_survival(const struct mk_dist *d, double x);
MK_DEPRECATED("mk_distribution_inverse_survival") double mk_arm_inverse_survival(const struct mk_dist *d, double p);
MK_DEPRECATED("mk_distribution_support") void mk_arm_support(const struct mk_dist *d, double *a, double *b);
MK_DEPRECATED("mk_distribution_expected_max")
int mk_arm_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err);
MK_DEPRECATED("mk_distribution_constants")
int mk_arm_constants(const struct mk_dist *d, double *L, double *U, struct mk_error *err);

#ifdef __cplusplus
}
#endif
#endif

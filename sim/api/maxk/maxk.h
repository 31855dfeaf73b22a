/* libmaxk for other programs, in C or C++: experiments run in memory or into files, results as arrays, reward
 * distributions, the constants L and U, bounds. `make install` puts it where `pkg-config --cflags --libs maxk` finds
 * it.
 *
 * Functions return MK_OK or a negative mk_code, and then store one line in *err (which may be NULL). Nothing is
 * printed, ever, and nothing ends the program. What *out receives on success is freed by the function that its comment
 * names; those functions accept NULL. One thread at a time may run experiments or read results (HDF5 is not
 * thread-safe); everything about distributions and bounds may be called from any thread. A process that was forked may
 * continue with what it has inherited, unless another thread was within the library: in the thread that forked, OpenMP
 * has one thread there, since those of its parent are not in it (also of the program's own parallel regions).
 *
 * Numbers in texts and files have a decimal point whatever locale the process has set, which stays as it is: functions
 * set the C locale for their thread and their time (uselocale), progress functions are called in the caller's.
 *
 * The library brings its own exp, log, pow and GSL, so that results have the same bits on every processor; they are
 * private to it: the program's own are those of its C library and of the GSL it links, if any. HDF5 is shared with the
 * program; its automatic error messages are off once results are read or written (H5Eset_auto). */
#ifndef MAXK_H
#define MAXK_H

#include <stddef.h>
#include <stdint.h>

#include "bounds.h"
#include "error.h"
#include "policy.h"
#include "study.h"
#include "table.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header; mk_version is that of the library linked. */
#define MAXK_VERSION_MAJOR 1
#define MAXK_VERSION_MINOR 0
#define MAXK_VERSION_PATCH 0

const char *mk_version(void);  /* "1.0.0" */
const char *mk_revision(void); /* the source revision that the library was built from */

/* Called before main by the library itself; further calls do no harm. */
void mk_start(void);

/* ---- registries: name(i) for i = 0, 1, …; NULL past the end ---- */

const char *mk_policy_name(size_t i);
const char *mk_policy_summary(size_t i);
const char *mk_family_name(size_t i); /* reward families, without wrappers */
const char *mk_family_summary(size_t i);

/* ---- experiments ---- */

struct mk_experiment;

/* Reads an experiment file (`man maxk`, "EXPERIMENT FILES"), with overrides "dotted.key=YAML value"; policies and
 * horizons may be missing if nothing is to be run. Freed with mk_experiment_free. MK_EINPUT: file:line:column: key: the
 * problem and what is allowed. */
int mk_experiment_load(struct mk_experiment **out, const char *path, const char *const *overrides, size_t n_overrides,
                       struct mk_error *err);

/* The same from text in memory, without and with overrides. */
int mk_experiment_load_text(struct mk_experiment **out, const char *text, struct mk_error *err);
int mk_experiment_load_text_with(struct mk_experiment **out, const char *text, const char *const *overrides,
                                 size_t n_overrides, struct mk_error *err);

/* Its name, as of result files; borrowed. */
const char *mk_experiment_name(const struct mk_experiment *e);

void mk_experiment_free(struct mk_experiment *e); /* NOLINT(readability-redundant-declaration) */

/* Distribution of arm k, borrowed from the experiment; NULL past the end, and for recorded or drifting rewards. */
struct mk_dist;
const struct mk_dist *mk_experiment_arm(const struct mk_experiment *e, size_t k);

/* ---- runs ---- */

/* How to run; all zero is a good default. */
struct mk_run_options {
    int threads;        /* 0: OpenMP's number of threads; the result does not depend on it */
    const char *engine; /* "auto" (also NULL), "per-pull" or "record", as `maxk run --engine` */
    int force;          /* into a file: replace any file that exists there and start over, as `maxk run --force` */

    /* Called in the thread that runs, at most a few times a second and at the end, with the replications (of searches:
     * evaluations) finished so far, including those of an earlier, interrupted run, of all; 0 stops the run. NULL: not
     * called. */
    int (*progress)(void *context, uint64_t done, uint64_t all);
    void *context;
};

/* The results of a run. Arrays in C order; N_i(T) the pulls of arm i up to horizon T. NaN: undefined (an arm that the
 * instance lacks, the standard error of a single replication). All memory belongs to it. */
struct mk_outcome {
    size_t policies, instances, horizons, arms; /* how many */
    uint64_t replications;                      /* of every instance; of recorded runs the most of any */
    char **policy, **instance, **arm;           /* labels */
    uint64_t *horizon;                          /* ascending */
    double *mean_pulls, *se_pulls;              /* [policy][instance][horizon][arm] of N_i(T) */
    double *mean_max, *se_max;                  /* [policy][instance][horizon] of the largest reward */
    double *expected_max, *gap; /* [instance][horizon][arm] E[M_i(T)] and Delta_i(T), exact; in rewards, gap >= 0 */
    uint64_t *pulls;            /* [policy][instance][horizon][replication][arm]; NULL with keep: summary */
    double *max_reward;         /* [policy][instance][horizon][replication]; NaN past the replications that an instance
                                   of recorded runs has; NULL with keep: summary */
};

/* Position of a cell in the arrays [policy][instance][horizon]: mean_max[cell], se_max[cell]; per arm
 * mean_pulls[cell * arms + k]; per replication max_reward[cell * replications + r]. */
static inline size_t mk_outcome_cell(const struct mk_outcome *o, size_t policy, size_t instance, size_t horizon)
{
    return (policy * o->instances + instance) * o->horizons + horizon;
}

/* Runs an experiment in memory; options may be NULL. Freed with mk_outcome_free. Errors: MK_EINPUT (no policies or
 * horizons, an option out of range, a run that cannot fit into memory), MK_ESTOPPED, MK_ENOMEM, MK_ENUM. */
int mk_experiment_run_with(struct mk_outcome **out, const struct mk_experiment *e, const struct mk_run_options *options,
                           struct mk_error *err);

/* The same into a file, as `maxk run --resume -o path`: finished blocks go to a journal next to it until the complete
 * file takes its place, and blocks left by an earlier call are not simulated again. A result of another run at `path`
 * is kept as path.previous; err->text then says so alongside MK_OK, and is empty otherwise. */
int mk_experiment_run_file_with(const struct mk_experiment *e, const char *path, const struct mk_run_options *options,
                                struct mk_error *err);

/* Both with a number of threads (>= 1) and every other option at its default. */
int mk_experiment_run(struct mk_outcome **out, const struct mk_experiment *e, int threads, struct mk_error *err);
int mk_experiment_run_file(const struct mk_experiment *e, const char *path, int threads, struct mk_error *err);

/* Asks the current run, the runs and certified bounds of the table that is being made (table.h), or the resumption of a
 * study (study.h) to stop soon, with MK_ESTOPPED; without one it has no effect on later ones. May be called from a
 * signal handler and from other threads. */
void mk_stop(void);

/* Recorded rewards as a file that experiments read, `problem: {trajectories: PATH}`, in HDF5: reward[instance, arm,
 * repetition, iteration] of these sizes, all at least 1, the last index varying fastest. NaN: there is none; at the end
 * of a series it is shorter, all of it: the series is missing, within it a hole, and the keys `ends_early`, `missing`
 * and `holes` of the experiment say what becomes of that. Names of instances and arms, or NULL: 0, 1, …. A file that
 * exists is replaced when the new one is complete. MK_EIO. */
int mk_rewards_write(const char *path, const double *reward, const size_t size[4], const char *const *instance,
                     const char *const *arm, struct mk_error *err);

/* Reads a result file, including every replication if the file has them. */
int mk_outcome_read(struct mk_outcome **out, const char *path, struct mk_error *err);
void mk_outcome_free(struct mk_outcome *o);

/* Writes result files as one HTML page, as `maxk report` does: n >= 1 of them, title NULL: that of the program. gnuplot
 * draws the figures. MK_EINPUT, MK_EIO: files; MK_EFAIL: gnuplot. `out` stays as it was then. */
int mk_report_write(const char *const *results, size_t n, const char *title, const char *out, struct mk_error *err);

/* ---- reward distributions ---- */

/* An arm as in experiment files, "{family: power, a: 3, s: 1.01}". Freed with mk_arm_free. */
int mk_arm_new(struct mk_dist **out, const char *text, struct mk_error *err);
void mk_arm_free(struct mk_dist *d);

/* out[0 … n-1]: independent draws, the same for equal seeds. */
void mk_arm_sample(const struct mk_dist *d, uint64_t seed, size_t n, double *out);

/* G(x) = P(X >= x); the x with G(x) = p, 0 <= p <= 1; the end points a and b, which may be infinite. */
double mk_arm_survival(const struct mk_dist *d, double x);
double mk_arm_inverse_survival(const struct mk_dist *d, double p);
void mk_arm_support(const struct mk_dist *d, double *a, double *b);

/* E[M(n)], the expected maximum of n >= 1 draws; may be infinite. MK_ENUM: no expectation, or no convergence. */
int mk_arm_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err);

/* The largest L and the smallest U with L eps <= G(b - eps) <= U eps for all eps in (0, b - a], to 1e-8; NaN where b is
 * infinite. Units: 1 / reward. (Lemma 3.3 of Balef et al. 2025; their bounds on pulls are in bounds.h.) */
int mk_arm_constants(const struct mk_dist *d, double *L, double *U, struct mk_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* Rising arms and other rewards that are not identically distributed: the distribution of an arm's n-th pull depends on
 * n, the arm's own count of pulls from 1 ("rested" arms, which change only when they are pulled).
 *
 * Curve: r_n = clip(f(n) + noise Z_n), Z_n independent standard normal, clip to [lo, hi]. f consists of pieces; the
 * first begins at pull 1, the next at its `at`, and each is a curve of the registry below in m = n - at + 1 = 1, 2, …
 * A piece that continues from the value of the previous one (low not given) breaks concavity; a piece with another low
 * is a jump, by which the best arm may change at a given pull. One piece: concave and increasing as in Heidari et al.
 * 2016, Li et al. 2020 and Metelli et al. 2022 (except logistic with middle > 1).
 *
 * Drift: an arm of a registered family whose parameters, including those of its wrappers, move from `start` to `end`,
 *
 *     v(n) = v_start + w (v_end - v_start)  (linear)   or   v_start (v_end / v_start)^w  (geometric),
 *     w = min(1, (n - 1) / over).
 *
 * Moving the parameters, rather than mixing distributions or quantile functions, keeps every pull within the family, so
 * that its sampler, tails and support remain exact; for location and scale it is the same as interpolating quantiles.
 *
 * i*(T) and the regret refer to the best fixed arm, max_k E[M_k(T)]. If rewards get worse with pulls, a policy that
 * switches arms may do better than that: its regret is then negative. */
#ifndef MAXK_SIM_PROBLEM_PROCESS_H
#define MAXK_SIM_PROBLEM_PROCESS_H

#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"
#include "sim/api/maxk/error.h"
#include "sim/base/param.h"
#include "sim/base/pcg64.h"

/* ---- the registry of curves ---- */

/* Every curve has these parameters first: its value at m = 1, and its limit as m grows. */
enum { MK_PROCESS_CURVE_LOW, MK_PROCESS_CURVE_HIGH, MK_PROCESS_CURVE_OWN };

struct mk_process_curve {
    const char *name; /* as in experiment files */
    const char *summary, *formula, *reference;
    const struct mk_param *params;
    double (*share)(const double *v, double m); /* (f(m) - low) / (high - low): 0 at m = 1, increasing, limit 1 */
};

size_t mk_process_curve_count(void);
const struct mk_process_curve *mk_process_curve_at(size_t i);
const struct mk_process_curve *mk_process_curve_find(const char *name);

/* ---- one arm ---- */

struct mk_piece {
    uint64_t at; /* first pull, >= 1, ascending; 1 for the first piece */
    const struct mk_process_curve *rise;
    double v[MK_MAX_PARAMS];
};

/* Plain data, immutable once built, so it may be shared by threads. */
struct mk_process {
    size_t n_pieces; /* 0: a drift */
    struct mk_piece *piece;
    double noise;            /* >= 0 */
    double clip_lo, clip_hi; /* ±inf where there is no clip */
    struct mk_dist *start, *end;
    uint64_t over; /* >= 1 */
    int geometric;
};

/* A curve without pieces, noise and clip. */
int mk_process_new(struct mk_process **out, struct mk_error *err);

/* Appends a piece. v[] in the order of the curve's params; low NaN: the value of the process just before (0 for the
 * first piece). MK_EINPUT: `at` does not ascend, a parameter is out of range (*param, -1 for `at`), low > high. */
int mk_process_add(struct mk_process *p, uint64_t at, const struct mk_process_curve *rise, const double *v, int *param,
                   struct mk_error *err);

/* A drift; takes both arms when it succeeds. MK_EINPUT: different families or wrappers, a family whose parameters are
 * lists, parameters given at one end only, a whole number or a choice that would have to change, a geometric path
 * through 0, or parameters that the family rejects along the way. */
int mk_process_drift(struct mk_process **out, struct mk_dist *start, struct mk_dist *end, uint64_t over, int geometric,
                     struct mk_error *err);

void mk_process_free(struct mk_process *p);

/* f(n) before noise and clip, n >= 1; curves only. */
double mk_process_mean(const struct mk_process *p, uint64_t n);

/* The distribution of pull n of a drift. Owned by the caller; NULL when out of memory. */
struct mk_dist *mk_process_distribution(const struct mk_process *p, uint64_t n);

/* The mean of the reward of pull n, noise and clip included, and its quantile, 0 < level < 1. The mean may be ±inf, and
 * is NaN where it does not exist or there is no memory, as the quantile is. */
double mk_process_reward_mean(const struct mk_process *p, uint64_t n);
double mk_process_reward_quantile(const struct mk_process *p, uint64_t n, double level);

/* out[i] = reward of pull first + i (first >= 1), i < n, from the arm's stream, which has produced the earlier pulls;
 * does not depend on how draws are split into calls. MK_ENOMEM. */
int mk_process_sample(const struct mk_process *p, struct mk_pcg64 *rng, uint64_t first, size_t n, double *out);

/* Closure of all rewards that the arm can give at any pull. */
int mk_process_support(const struct mk_process *p, double *lo, double *hi, struct mk_error *err);

/* "curve" or "drift", static text; and the arm as a YAML flow mapping; malloc'ed. */
const char *mk_process_family(const struct mk_process *p);
char *mk_process_text(const struct mk_process *p);

/* ---- M(T), the largest of the first T rewards ---- */

enum { MK_PROCESS_LONGEST = 10000000 }; /* T of arms with noise or drift: their cost is proportional to T */

/* E[M(T)]: the last value of a piece where there is no noise, otherwise from P(M(T) <= x) = prod_{n<=T} F_n(x) by
 * adaptive quadrature, about 1e-9 relative to the spread of M(T). May be ±inf. MK_ENUM, MK_ENOMEM, or MK_EINPUT for a
 * longer T than above. */
int mk_process_expected_max(const struct mk_process *p, uint64_t horizon, double *value, struct mk_error *err);

/* Median of M(T). */
int mk_process_median_max(const struct mk_process *p, uint64_t horizon, double *value, struct mk_error *err);

#endif

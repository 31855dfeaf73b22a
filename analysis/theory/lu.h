/* The constants of Lemma 3.3 (Balef et al. 2025): L and U are the largest and smallest numbers with
 *
 *     L eps <= G(b - eps) <= U eps   for all eps of a range,   G(x) = P(X >= x),  b the upper end point,
 *
 * so L = inf and U = sup of the ratio G(b - eps) / eps. Units of both: 1 / reward.
 *
 * Conventions shared by all estimators
 * - The full range is (0, b - a], its lower end representing the limit eps -> 0: the density at b when it is finite.
 *   A point mass at b makes U = +inf. At the upper end the ratio is 1 / (b - a), hence L <= 1/(b-a) <= U always.
 * - The trimmed range is [b - Q(0.99), b - Q(0.01)] (Appendix C.3), Q the quantile function.
 * - Where G jumps (at an atom x, eps0 = b - x) the ratio has the value P(X >= x) / eps0, a candidate for the supremum,
 *   and the one-sided limit P(X > x) / eps0, a candidate for the infimum.
 * - A range that is the single point 0 (a constant arm with its own b) has L = U = +inf.
 * - b may be given by the caller (`upper`), at or above the arm's own upper end point; NaN stands for the arm's own. */
#ifndef MAXK_ANALYSIS_THEORY_LU_H
#define MAXK_ANALYSIS_THEORY_LU_H

#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"
#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"

struct mk_lu {
    double L, U;         /* NaN: not applicable (infinite upper end point) */
    double eps_L, eps_U; /* where they are attained or approached; 0 = the limit eps -> 0, NaN = nowhere */
};

/* A range of eps, 0 <= lo <= hi. */
struct mk_eps_range {
    double lo, hi;
};

/* Four ends of two intervals. */
struct mk_lu_interval {
    double L_low, L_high, U_low, U_high;
};

/* `exact` and `trimmed`: the known distribution over the full range, and over the trimmed one. A dense scan of G in log
 * eps and in probability, then Brent's method (GSL) around every local extremum of the scan; point masses are evaluated
 * exactly. Relative error below 1e-8 for every family of the registry. All four numbers are NaN when the upper end
 * point is infinite. Errors: MK_ENOMEM, MK_EINPUT (upper below the arm's own end point). */
int mk_lu_exact(const struct mk_dist *d, double upper, struct mk_lu *out, struct mk_error *err);
int mk_lu_trimmed(const struct mk_dist *d, double upper, struct mk_lu *out, struct mk_error *err);

/* The same over any range within the support; not for point masses at the ends of the range. */
int mk_lu_over(const struct mk_dist *d, double upper, struct mk_eps_range range, struct mk_lu *out,
               struct mk_error *err);

/* The trimmed range of a known distribution (both ends NaN when the upper end point is infinite). */
struct mk_eps_range mk_eps_range_trimmed(const struct mk_dist *d, double upper);

/* ---- from samples; `sorted` is ascending, n >= 1, no NaN ---- */

/* Trimmed range of the sample (quantiles of type 7, mk_quantile_sorted). */
struct mk_eps_range mk_eps_range_sample(const double *sorted, size_t n, double upper);

/* `plugin`: the step function Ghat(x) = share of the values >= x, exactly, over `range` (usually the sample's trimmed
 * range). O(n). */
void mk_lu_plugin(const double *sorted, size_t n, double upper, struct mk_eps_range range, struct mk_lu *out);

/* The same for any step function with G(sorted[i]) = tail[i] (NULL: Ghat). */
void mk_lu_steps(const double *sorted, const double *tail, size_t n, double upper, struct mk_eps_range range,
                 struct mk_lu *out);

/* Simultaneous bounds from the Dvoretzky-Kiefer-Wolfowitz inequality with Massart's constant,
 * |Ghat - G| <= band = sqrt(log(2/delta) / (2n)) everywhere with probability 1 - delta = confidence:
 *   L in [inf (Ghat - band)^+ / eps, inf min(1, Ghat + band) / eps],   U the same with sup.
 * It covers the extrema of the true G over this range and with this upper end point, even if these were taken from the
 * same sample; those of the distribution's own trimmed range are not meant. O(n). */
double mk_dkw_band(size_t n, double confidence);
void mk_lu_band(const double *sorted, size_t n, double upper, struct mk_eps_range range, double confidence,
                struct mk_lu_interval *out);

/* Percentile bootstrap of the plugin estimator: `resamples` samples of n with replacement, each with its own trimmed
 * range (and its own upper end point when upper is NaN). It shows how much the estimate varies, but need not cover L
 * and U (`maxk claims lu_coverage`). O(n resamples). Errors: MK_ENOMEM. */
int mk_lu_bootstrap(const double *sorted, size_t n, double upper, double confidence, size_t resamples,
                    struct mk_pcg64 *rng, struct mk_lu_interval *out, struct mk_error *err);

/* `paper_c3`: what the published Table C.3 computes. X = 100 equally spaced points from the sample's 1 % to its 99 %
 * quantile, b = the last of them, eps runs over the *values* X, G(x) = share of the sample > x. Values eps <= 0, for
 * which the ratio is meaningless, are skipped. */
void mk_lu_paper_c3(const double *sorted, size_t n, struct mk_lu *out);

/* The same for `runs` samples of `samples` draws each: mean and standard deviation (n - 1) of L and U over the runs.
 * Run r draws from its own stream, keyed by (key, r). Errors: MK_ENOMEM. */
struct mk_lu_runs {
    double mean_L, sd_L, mean_U, sd_U;
};
int mk_lu_paper_c3_runs(const struct mk_dist *d, size_t samples, size_t runs, struct mk_key key, struct mk_lu_runs *out,
                        struct mk_error *err);

#endif

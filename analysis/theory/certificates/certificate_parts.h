/* Shared by the files of the certificate. Theorems and notation: certificate.h; proofs: the paper,
 * analysis/theory/paper. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_PARTS_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFICATE_PARTS_H

#include <math.h>
#include <stdbool.h>

#include "analysis/theory/certificates/certificate_race.h"
#include "analysis/theory/certificates/first_passage.h"

/* The bonuses of one round t >= 2. */
struct mk_round {
    const struct mk_race *race;
    double t, c; /* c_t = (alpha log(t + shift)^power)^2, unless the race has a bonus of its own */
};

static inline struct mk_round mk_round_of(const struct mk_race *race, double t)
{
    if (race->bonus) return (struct mk_round){race, t, NAN};
    const double log_t = log(fmax(1, t + (double)race->shift));
    const double root = race->alpha * (race->power > 1 ? pow(log_t, race->power) : log_t);
    return (struct mk_round){race, t, root * root};
}

/* B(t, n) */
static inline double mk_bonus(struct mk_round r, double n)
{
    return r.race->bonus ? r.race->bonus(&r.race->setup, (uint64_t)r.t, (uint64_t)n) : r.c / (n * n);
}

/* B(t, s) - B(t, m); *size += their sum, by which it is rounded. */
static inline double mk_bonus_lead(struct mk_round r, double s, double m, double *size)
{
    if (r.race->bonus) {
        const double a = mk_bonus(r, s), b = mk_bonus(r, m);
        *size += a + b;
        return a - b;
    }
    const double a = 1 / (s * s), b = 1 / (m * m);
    *size += r.c * (a + b);
    return r.c * (a - b);
}

/* Counts are divided into stretches: single ones up to 16, then 8 in every octave. The last count of that of s. */
static inline uint64_t mk_stretch_end(uint64_t s)
{
    if (s < 16) return s;
    const uint64_t width = (uint64_t)1 << (60 - __builtin_clzll(s));
    return s | (width - 1);
}

/* The first one. */
static inline uint64_t mk_stretch_start(uint64_t s)
{
    if (s < 16) return s;
    const uint64_t width = (uint64_t)1 << (60 - __builtin_clzll(s));
    return s & ~(width - 1);
}

/* The x with P(M_i(n) <= x) = u, 0 < u <= 1; a hint, as mk_known_quantile. */
static inline double mk_race_quantile(const struct mk_race *race, size_t arm, double n, double u)
{
    return mk_known_quantile(&race->arm[arm], (uint64_t)n, u);
}

/* Distribution functions are evaluated up to this far from x (mk_cdf_rate). A number that is to be above (below) an
 * atom in either direction of rounding must be further from it. */
static inline double mk_race_step(const struct mk_race *race, size_t arm)
{
    return 2 * mk_known_resolution(&race->arm[arm]);
}

/* A product of bonuses and squared counts is rounded by this much where it is not a normal number. */
#define MK_TINY 0x1p-1060

/* ---- certificate_scale.c: the factors R+ and R- of Propositions 7 and 8 ----
 *
 * Events are excluded whose probabilities, summed over all m, are about 10^-4 of a pull or less. */

/* What holds of the factor R_t in all rounds, except for an event of probability `missed`: R_t = (largest reward so far
 * - origin) / width, origin >= bottom; or 1, which is possible if least = 1 (else least = 0). Unscaled: R_t = 1, width
 * infinite. */
struct mk_factor_limits {
    double high; /* R_t is at most this */
    double bottom, width, min, missed;
    bool nonnegative; /* division by the largest of rewards that are all >= 0 */
};

/* Whether some arm moves. */
bool mk_race_moves(const struct mk_race *race);

/* Whether rewards are divided by the largest one, and never negative. */
bool mk_race_nonnegative(const struct mk_race *race);

/* Whether they are divided by the largest one, and may be negative. */
bool mk_race_either_sign(const struct mk_race *race);

/* `rare`: `missed` is at most twice this. */
void mk_factor_limits(struct mk_factor_limits *out, const struct mk_race *race, double rare);

/* R+ where no reward so far exceeds `top`. */
double mk_factor_below(const struct mk_factor_limits *l, double top);

/* R+ in the round of the (m+1)-th pull of an arm with M_i(m) <= x: the smaller one of (a) and (b) of Proposition 7. */
double mk_factor_high_at(const struct mk_factor_limits *l, const struct mk_race *race, double m, double x);

/* q of Proposition 7 (c) for R- = (x - q)^+ / width: some reward is at most this once arm i has m pulls and the others
 * one, except with probability rare. */
double mk_factor_smallest(const struct mk_race *race, size_t arm, double m, double rare);

/* R- of Proposition 8 after n rounds, except for an event whose probability is added to *missed. */
double mk_factor_low(const struct mk_race *race, double n, double rare, double *missed);

/* ---- certificate_upper.c: Theorem 1, Propositions 1 and 2, Algorithm 2 ---- */

/* P(N_i(T) > m) <= tail[k] for m >= m[k] (k = 0: m = 1), tail not rising. */
struct mk_upper_tail {
    size_t n;
    uint64_t *m;
    double *tail;
    double mean;   /* the bound of E[N_i(T)] */
    double coarse; /* on the shared grid, that by every other point alone; else the same */
};

/* tolerance: about the relative error of the grids. */
int mk_upper_tail_new(struct mk_upper_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                      double tolerance, struct mk_error *err);

/* On the grid of m that all races with the same T and K share. */
int mk_upper_tail_shared(struct mk_upper_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                         double refinement, struct mk_error *err);
void mk_upper_tail_clear(struct mk_upper_tail *t);

/* ---- certificate_lower.c: Theorems 2, 3 and 17, Proposition 3 ---- */

enum { MK_PLAN_WINDOWS = 5 };

struct mk_window {
    uint64_t first, last; /* counts at which a rival must be stuck, 1 <= first <= last */
};

/* The free choices of Theorem 2: windows [A_k, S_k] and offsets o_k >= 0 of the rivals k; any choice gives a bound. The
 * lead, the rival that is stuck most rarely, has several windows, ascending and disjoint, whose bounds add up
 * (Proposition 3). */
struct mk_lower_plan {
    struct mk_window *window; /* [arms]; for the lead it is the last of lead_window */
    double *offset;           /* [arms] */
    size_t lead, windows;
    struct mk_window lead_window[MK_PLAN_WINDOWS];
};

/* Rivals with the same window and the least of their offsets. */
struct mk_lower_shape {
    struct mk_window window;
    double offset, before; /* before: phi_k just before the end of the window */
};

/* Rivals with the same count S_k in Theorem 3: the largest y_k and |y_k|. */
struct mk_lower_late {
    double count, y, size;
};

/* Work space of one thread. */
struct mk_lower_work {
    struct mk_passage *passage;
    struct mk_lower_plan plan, best;
    double *p;                    /* [arms] */
    struct mk_lower_shape *shape; /* [arms] */
    struct mk_lower_late *late;   /* [arms] */
    double *y;                    /* levels of the rivals */
    struct mk_path_work *path;    /* of Theorem 17; NULL where it is not used */
};

int mk_lower_work_new(struct mk_lower_work **out, size_t arms, struct mk_error *err);
void mk_lower_work_free(struct mk_lower_work *w);

/* Arm i and its count m. */
struct mk_underdog {
    const struct mk_race *race;
    size_t arm;
    const size_t *rank; /* [arms] all arms in descending order of their maxima */
    uint64_t m;
    double tolerance;
    const struct mk_factor_limits *limits; /* for mk_late_evaluate */
};

/* A lower bound of P(N_i(T) > m) by w->plan; and a cruder one, from {Z > z} for a single z. */
double mk_plan_evaluate(struct mk_lower_work *w, const struct mk_underdog *u);
double mk_plan_glance(struct mk_lower_work *w, const struct mk_underdog *u, double z);

/* The lower bound of P(N_i(T) > m) by Theorem 3, count the S_k of the highest rival. */
double mk_late_evaluate(struct mk_lower_work *w, const struct mk_underdog *u, uint64_t count);

/* phi_k(r) of a rival with this window and offset in w->plan, or less, such that it does not rise with r. */
double mk_plan_phi(const struct mk_lower_work *w, const struct mk_underdog *u, struct mk_window window, double offset,
                   uint64_t r);

/* The best lower bound of P(N_i(T) > m) among the plans tried; *path: whether Theorem 17 gives it. */
double mk_lower_probability(struct mk_lower_work *w, const struct mk_underdog *u, bool *path);

/* The probability of what may be missed for one m: summed over m, it stays below 10^-4 of a pull for any number of
 * arms. */
double mk_lower_rare(const struct mk_race *race);

/* ---- certificate_lower_tail.c ---- */

/* P(N_i(T) > m) >= tail[k] for m <= m[k], tail not rising. */
struct mk_lower_tail {
    size_t n;
    uint64_t *m; /* ascending */
    double *tail;
    double mean; /* the bound of E[N_i(T)] */
    bool path;   /* most of it is by Theorem 17, else by Theorems 2 and 3 */
};

int mk_lower_tail_new(struct mk_lower_tail *out, const struct mk_race *race, size_t arm, const size_t *rank,
                      double tolerance, struct mk_error *err);
void mk_lower_tail_clear(struct mk_lower_tail *t);

#endif

/* Certified bounds on the regret over the parameters of MaxUCB's bonus (alpha (log t)^power / n)^2, on grids of pulls
 * that all of them share (MK_CERTIFIED_SHARED), and where they are smallest. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_BONUS_SCAN_H
#define MAXK_ANALYSIS_COMPARE_ARMS_BONUS_SCAN_H

#include "analysis/compare/arms/race.h"
#include "analysis/theory/certificates/certified_regret.h"

/* What is scanned. entry: a policy without refusal; its own alpha (and power) are not used. */
struct mk_bonus_scan {
    struct mk_certificate_store *store;
    const struct mk_policy_entry *entry;
    const struct mk_race_arms *arms;
    double refinement;
    struct mk_progress *progress; /* NULL: none */
};

struct mk_bonus_bound {
    double alpha, power; /* power NaN: the entry's own */
    struct mk_certified_regret bound;
    double refinement; /* the largest of the arms */
};

enum { MK_FIRST_ALPHAS = 21, MK_ALPHA_HALVINGS = 4, MK_MOST_ALPHAS = MK_FIRST_ALPHAS + 2 * MK_ALPHA_HALVINGS };

/* The power of the entry; alpha on a grid from 0.01 to 10, then twice as fine around its smallest bound, and so on.
 * at[MK_MOST_ALPHAS], ascending; *best is the place of the smallest. */
int mk_scan_alphas(const struct mk_bonus_scan *s, uint64_t horizon, struct mk_bonus_bound *at, size_t *n, size_t *best,
                   struct mk_error *err);

/* What makes a pair good. */
enum mk_bonus_measure { MK_BY_REGRET, MK_BY_PULLS };

/* Pairs of alpha and power, by power and then alpha, at several horizons. */
struct mk_bonus_pairs {
    size_t n, horizons;
    struct mk_bonus_bound *at; /* [horizons * n] those of horizon h from h * n on */
    size_t *best;              /* [horizons] the pair with the smallest bound */
    double *worst;             /* [n] the largest ratio, over the horizons, to the smallest bound there */
    bool *efficient;           /* [n] no other pair is at least as good at every horizon and better at one of them */
    size_t compromise;         /* the pair with the smallest `worst` */
};

/* All powers 1, 1.25, 1.5, 2, 3 with the first grid of alpha, then pairs around the best one of every horizon and the
 * compromise, twice. Errors: MK_EINPUT where the measure has no finite value. */
int mk_scan_bonuses(const struct mk_bonus_scan *s, const uint64_t *horizon, size_t n_horizons, enum mk_bonus_measure by,
                    struct mk_bonus_pairs *out, struct mk_error *err);
void mk_bonus_pairs_clear(struct mk_bonus_pairs *p);

double mk_bonus_value(const struct mk_bonus_bound *b, enum mk_bonus_measure by);

#endif

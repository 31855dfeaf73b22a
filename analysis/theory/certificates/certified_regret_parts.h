/* Shared by the files of the certified regret; theorem and notation: certified_regret.h. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFIED_REGRET_PARTS_H
#define MAXK_ANALYSIS_THEORY_CERTIFICATES_CERTIFIED_REGRET_PARTS_H

#include "analysis/theory/certificates/certified_regret.h"

/* Of E[M_k(T)]: relative to its size. */
#define MK_MEAN_ERROR 1e-9

/* ---- certified_regret_counts.c ---- */

/* What is known of the pulls of arm b and of all others. */
struct mk_regret {
    const struct mk_known_cdf *arm; /* b */
    const struct mk_known_cdf *all; /* [arms] */
    size_t arms;
    double horizon;
    const double *mean; /* [arms] E[M_k(T)], up to the relative error MK_MEAN_ERROR; NULL: not known, moving arms */
    /* For every level: an arm k != b has more than max[k] pulls with a probability of at most tail[k], and any of them
     * has with one of at most q; else b has n or more. Both are 0 for b itself. */
    double *n, *q;      /* [levels] */
    double *max, *tail; /* [levels][arms] */
    size_t levels;
    size_t *order;   /* [arms] in ascending order of their rates in a cell; work of Theorem 7 (a) */
    double rounding; /* exceeds the relative error of sums over the arms */
};

/* Fills the levels, which are to be freed then in any case. Errors: MK_ENOMEM. */
int mk_regret_counts(struct mk_regret *r, const struct mk_certificate *c, size_t best, struct mk_error *err);
void mk_regret_counts_free(struct mk_regret *r);

/* ---- certified_regret_products.c: Theorem 7 ---- */

/* Fills `out` but pulls and proposition_4_1 by Theorem 7, as far as it is known, from the pulls of the arm that is
 * pulled most, which say more of the largest reward, and from those of the best arm, which say more of the regret. r:
 * arms, all, horizon and mean. Errors: MK_ENOMEM, MK_ENUM. */
int mk_regret_by_products(struct mk_certified_regret *out, const struct mk_regret *r, const struct mk_certificate *c,
                          size_t best, struct mk_error *err);

#endif

/* Shared by the files of the certified regret; theorem and notation: certified_regret.h. */
#ifndef MAXK_ANALYSIS_THEORY_CERTIFIED_REGRET_PARTS_H
#define MAXK_ANALYSIS_THEORY_CERTIFIED_REGRET_PARTS_H

#include "analysis/theory/certified_regret.h"

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
    bool bounded;       /* b has an upper end point */
    double *n, *q;      /* [levels] P(N_b(T) < n) <= q; n does not rise up to number `sums` */
    double *pulls;      /* [sums][arms] P(some arm k but b has more than pulls[k]) <= q */
    size_t levels, sums;
};

/* Fills n, q, pulls and what belongs to them, which are to be freed then in any case. Errors: MK_ENOMEM. */
int mk_regret_counts(struct mk_regret *r, const struct mk_certificate *c, size_t best, struct mk_error *err);
void mk_regret_counts_free(struct mk_regret *r);

/* The number of pulls of an arm but b, out of all arms but b, that one of them has if b has fewer than n: s_l. */
static inline double mk_regret_share(const struct mk_regret *r, double n)
{
    return ceil((r->horizon - n + 1) / (double)(r->arms - 1) * (1 - 1e-12));
}

/* ---- certified_regret_products.c: Theorem 7 with products of distribution functions, of all arms ---- */

/* Fills `out` but pulls and proposition_4_1, as far as it is known, from the pulls of the arm that is pulled most,
 * which say more of the largest reward, and from those of *best, which say more of the regret: the arm with the largest
 * median of M_k(T). r: arms, all, horizon and mean. Errors: MK_ENOMEM, MK_ENUM. */
int mk_regret_by_products(struct mk_certified_regret *out, const struct mk_regret *r, const struct mk_certificate *c,
                          size_t *best, struct mk_error *err);

#endif

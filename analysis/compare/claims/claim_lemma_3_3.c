/* Lemma 3.3: L eps <= G(b - eps) <= U eps. The constants come from lu_exact.c, the ratios from a separate grid. */
#include <math.h>

#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/lu.h"

enum { POINTS = 4000 };               /* on each of two grids, linear and logarithmic in eps */
static const double slack = 1e-8;     /* the stated relative accuracy of L and U */
static const double least_eps = 1e-6; /* of b - a: below this, G itself is not accurate to the slack for every family */

/* Smallest and largest G(x) / (b - x) over the grid, in which eps = b - a is the last point. */
static void grid_ratios(const struct mk_dist *d, double a, double b, double *least, double *largest)
{
    double length = isfinite(a) ? b - a : b - mk_dist_inverse_survival(d, 1 - 1e-9);
    *least = INFINITY;
    *largest = 0;
    for (int i = 1; i <= 2 * POINTS; i++) {
        double share = i <= POINTS ? (double)i / POINTS : pow(least_eps, (double)(i - POINTS) / POINTS);
        double x = i == POINTS && isfinite(a) ? a : b - length * share;
        double eps = b - x; /* after rounding of x */
        if (!(eps > 0)) continue;
        double ratio = mk_dist_survival(d, x) / eps;
        *least = fmin(*least, ratio);
        *largest = fmax(*largest, ratio);
    }
}

static int check_arm(struct mk_claim_report *r, const char *label, const struct mk_dist *d, struct mk_error *err)
{
    struct mk_lu lu;
    double a, b, least, largest;
    struct mk_claim_row row[2] = {mk_claim_row_start(MK_AT_LEAST, "least G(b-eps)/eps (expected: L)", "%s", label),
                                  mk_claim_row_start(MK_AT_MOST, "largest G(b-eps)/eps (expected: U)", "%s", label)};
    int code = mk_lu_exact(d, NAN, &lu, err);
    if (code) return code;
    mk_dist_support(d, &a, &b);
    if (!isfinite(b) || !(a < b)) {
        row[0].note = isfinite(b) ? "a constant arm: there is no eps in (0, b - a)" : "no finite upper end point";
        mk_claim_emit(r, &row[0]);
        return MK_OK;
    }
    grid_ratios(d, a, b, &least, &largest);
    row[0].expected = lu.L;
    row[0].observed = least;
    row[1].expected = lu.U;
    row[1].observed = largest;
    if (isinf(lu.U)) row[1].note = "unbounded: a point mass or an infinite density at b";
    for (int i = 0; i < 2; i++) {
        row[i].verdict = mk_claim_judge_exact(&row[i], slack);
        mk_claim_emit(r, &row[i]);
    }
    return MK_OK;
}

static int check_lemma_3_3(struct mk_claim_report *r, size_t part, struct mk_error *err)
{
    (void)part;
    struct mk_claim_case c;
    int code = mk_claim_families(&c, r, err);
    for (size_t k = 0; !code && k < c.experiment->problem->n_arms; k++)
        code = check_arm(r, c.experiment->problem->arm_label[k], c.experiment->problem->dist[k], err);
    mk_claim_case_free(&c);
    return code;
}

const struct mk_claim mk_claim_lemma_3_3 = {
    .name = "lemma_3_3",
    .source = "Balef et al. 2025, Lemma 3.3",
    .statement = "L eps <= G(b - eps) <= U eps for all eps in (0, b - a), hence L <= 1/(b-a) <= U",
    .method = "exact: G on 8000 values of eps, eps = b - a among them, against the L and U that `maxk lu` computes; "
              "relative slack 1e-8",
    .n = 1,
    .check = check_lemma_3_3,
};

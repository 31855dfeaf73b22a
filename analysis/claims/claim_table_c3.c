/* Table C.3 of Balef et al. 2025: L and U of truncated Gaussians on [0, 1], the printed estimator and the exact
 * constants. */
#include <math.h>

#include "analysis/claims/claim_lu.h"

/* `expected` agrees when it is within `room` of `observed`. */
static void emit(struct mk_claim_report *r, const struct mk_published_lu *p, const char *quantity, const char *how,
                 double expected, double observed, double room, const char *note)
{
    struct mk_claim_row row =
        mk_claim_row_start(MK_EQUALS, quantity, "(mu, sigma) = (%g, %g), %s", p->v[0], p->v[1], how);
    row.expected = expected;
    row.observed = observed;
    row.low = observed - room;
    row.high = observed + room;
    row.verdict = mk_claim_judge(&row);
    if (row.verdict == MK_VERDICT_VIOLATED) row.note = note;
    mk_claim_emit(r, &row);
}

static int check_row(struct mk_claim_report *r, const struct mk_published_lu *p, size_t i, struct mk_error *err)
{
    struct mk_claim_lu got;
    int code = mk_claim_lu_get(r, p, i, &got, err);
    for (int U = 0; !code && U < 2; U++) {
        double was = U ? p->was.mean_U : p->was.mean_L, was_sd = U ? p->was.sd_U : p->was.sd_L;
        double mean = U ? got.repeated.mean_U : got.repeated.mean_L, sd = U ? got.repeated.sd_U : got.repeated.sd_L;
        emit(r, p, U ? "U" : "L", "as the table computes it", was, mean,
             mk_published_rounding + 4 * sd / sqrt((double)got.runs), "");
        emit(r, p, U ? "U" : "L", "sd, as the table computes it", was_sd, sd, mk_published_rounding + 0.15 * sd, "");
        emit(r, p, U ? "U" : "L", "Lemma 3.3 over the trimmed range", was, U ? got.trimmed.U : got.trimmed.L,
             mk_published_rounding, "the published estimator uses the 99 % quantile as b, and eps as x");
    }
    return code;
}

static int check(struct mk_claim_report *r, struct mk_error *err)
{
    return mk_claim_lu_each(r, "C.3", check_row, err);
}

const struct mk_claim mk_claim_table_c3 = {
    .name = "table_c3",
    .source = "Balef et al. 2025, Table C.3 and Figure C.3",
    .statement = "L and U of truncated Gaussians on [0, 1], mean +- standard deviation over 1000 runs of 1000 draws",
    .method = "1000 runs of the estimator used for the table: a published mean agrees if within 4 standard errors of "
              "ours, a standard deviation if within 15 %, both plus the rounding of the printed decimals; then the "
              "published means against the exact constants over the trimmed range, to two decimals",
    .check = check,
};

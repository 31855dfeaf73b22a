/* Table C.2 of Balef et al. 2025: L and U of two toy survival functions on the grid eps = .1, .3, .5, .7, .9. */
#include <math.h>

#include "analysis/claims/claim_lu.h"

static int check_row(struct mk_claim_report *r, const struct mk_published_lu *p, size_t i, struct mk_error *err)
{
    static const char *const survival[] = {"G(x) = 1 - x^2", "G(x) = (1 - x)^2"};
    struct mk_claim_lu got;
    int code = mk_claim_lu_get(r, p, i, &got, err);
    for (int U = 0; !code && U < 2; U++) {
        const char *name = U ? "U" : "L";
        double was = U ? p->was.mean_U : p->was.mean_L, grid = U ? got.repeated.mean_U : got.repeated.mean_L;
        struct mk_claim_row row = mk_claim_row_start(MK_EQUALS, name, "%s, the grid of the table", survival[i]);
        row.expected = was;
        row.observed = grid;
        row.verdict = mk_claim_judge_exact(&row, mk_published_rounding / was);
        mk_claim_emit(r, &row);
        row = mk_claim_row_start(U ? MK_AT_MOST : MK_AT_LEAST,
                                 U ? "U of the grid (expected: U over all eps)"
                                   : "L of the grid (expected: L over all eps)",
                                 "%s, full range", survival[i]);
        row.expected = U ? got.exact.U : got.exact.L;
        row.observed = grid;
        row.verdict = mk_claim_judge_exact(&row, 1e-9);
        mk_claim_emit(r, &row);
    }
    return code;
}

static int check(struct mk_claim_report *r, struct mk_error *err)
{
    return mk_claim_lu_each(r, "C.2", check_row, err);
}

const struct mk_claim mk_claim_table_c2 = {
    .name = "table_c2",
    .source = "Balef et al. 2025, Table C.2",
    .statement = "G(x) = 1 - x^2: L = 1.10, U = 1.90; G(x) = (1 - x)^2: L = .10, U = .90 (eps = .1, .3, .5, .7, .9)",
    .method = "exact; published to two decimals. A grid gives an upper bound on L and a lower bound on U, which over "
              "all eps are 1 and 2, 0 and 1",
    .check = check,
};

/* Table C.2 of Balef et al. 2025: L and U of two toy survival functions on the grid eps = .1, .3, .5, .7, .9. */
#include <math.h>

#include "analysis/claim_run.h"
#include "analysis/lu.h"

static const char arms[] = "name: table_c2\n"
                           "problem: {arms: [{family: power, a: 2, s: 1, label: 'G(x) = 1 - x^2'}, "
                           "{family: beta, a: 1, b: 2, label: 'G(x) = (1 - x)^2'}]}\n";
static const double published[2][2] = {{1.10, 1.90}, {0.10, 0.90}};
static const double rounding = 0.005; /* two decimals */

static void on_grid(const struct mk_dist *d, double *L, double *U)
{
    *L = INFINITY;
    *U = 0;
    for (int i = 1; i <= 9; i += 2) {
        double eps = i / 10.0, ratio = mk_dist_survival(d, 1 - eps) / eps;
        *L = fmin(*L, ratio);
        *U = fmax(*U, ratio);
    }
}

static int check_arm(struct mk_claim_report *r, const struct mk_problem *p, size_t k, struct mk_error *err)
{
    static const char *const name[] = {"L", "U"};
    struct mk_lu lu;
    double grid[2];
    int code = mk_lu_exact(p->dist[k], NAN, &lu, err);
    if (code) return code;
    on_grid(p->dist[k], &grid[0], &grid[1]);
    for (int i = 0; i < 2; i++) {
        struct mk_claim_row row = mk_claim_row_start(MK_EQUALS, name[i], "%s, the grid of the table", p->arm_label[k]);
        row.expected = published[k][i];
        row.observed = grid[i];
        row.verdict = mk_claim_judge_exact(&row, rounding / row.expected);
        mk_claim_emit(r, &row);
        row = mk_claim_row_start(i ? MK_AT_MOST : MK_AT_LEAST,
                                 i ? "U of the grid (expected: U over all eps)"
                                   : "L of the grid (expected: L over all eps)",
                                 "%s, full range", p->arm_label[k]);
        row.expected = i ? lu.U : lu.L;
        row.observed = grid[i];
        row.verdict = mk_claim_judge_exact(&row, 1e-9);
        mk_claim_emit(r, &row);
    }
    return MK_OK;
}

static int check(struct mk_claim_report *r, struct mk_error *err)
{
    struct mk_claim_case c;
    int code = mk_claim_read(&c, "table_c2", arms, r, 0, MK_NEED_PROBLEM, err);
    for (size_t k = 0; !code && k < 2; k++) code = check_arm(r, c.experiment->problem, k, err);
    mk_claim_case_free(&c);
    return code;
}

const struct mk_claim mk_claim_table_c2 = {
    .name = "table_c2",
    .source = "Balef et al. 2025, Table C.2",
    .statement = "G(x) = 1 - x^2: L = 1.10, U = 1.90; G(x) = (1 - x)^2: L = .10, U = .90 (eps = .1, .3, .5, .7, .9)",
    .method =
        "exact; published to two decimals. A grid gives an upper bound of L and a lower bound of U, which over all "
        "eps are 1 and 2, 0 and 1",
    .check = check,
};

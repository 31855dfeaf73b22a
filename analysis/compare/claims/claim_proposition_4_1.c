/* Proposition 4.1: R(T) <= max_k b_k / T times the pulls of arms other than i*, for any policy. */
#include <math.h>

#include "analysis/compare/claims/claim_run.h"

enum { OWN_REPLICATIONS = 4000 };

static const struct {
    const char *name, *arms;
} problems[] = {
    {"e4_power", mk_claim_power_arms},
    {"truncated Gaussians",
     "[{family: truncated_gaussian, mu: 0.25, sigma: 0.2, lo: 0, hi: 1}, {family: truncated_gaussian, mu: 0.5, sigma: "
     "0.2, lo: 0, hi: 1}, {family: truncated_gaussian, mu: 0.5, sigma: 0.5, lo: 0, hi: 1}]"},
    {"rewards below 0", "[{family: uniform, lo: -1, hi: 0}, {family: uniform, lo: -1, hi: 0.5}]"},
    {"exponential arms, no upper end", "[{family: exponential, mean: 1}, {family: exponential, mean: 2}]"},
};

static void check_cell(struct mk_claim_report *r, const char *name, const struct mk_claim_case *c, size_t entry,
                       size_t h)
{
    const struct mk_experiment *e = c->experiment;
    struct mk_regret_check out;
    mk_claim_check_regret(c, entry, h, &out);
    struct mk_claim_row row = mk_claim_row_start(MK_AT_MOST, "R(T)", "%s, %s, T = %llu", name, e->entry[entry].label,
                                                 (unsigned long long)e->horizon[h]);
    row.expected = out.bound;
    row.observed = out.regret;
    row.low = out.regret_low;
    row.high = out.regret_high;
    row.verdict = out.verdict;
    if (out.verdict == MK_VERDICT_NOT_APPLICABLE) row.note = "needs non-negative rewards that are bounded above";
    mk_claim_emit(r, &row);
}

static int check_proposition_4_1(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    struct mk_claim_case c;
    int code = mk_claim_read(
        &c, r, problems[i].name, OWN_REPLICATIONS, err,
        "name: proposition\nproblem: {arms: %s}\npolicies: [{name: max_ucb}, {name: ucb}, {name: uniform}, {name: "
        "greedy}, {name: oracle}]\nhorizons: [20, 200, 2000]\n",
        problems[i].arms);
    if (!code) code = mk_claim_means(&c, MK_ENGINE_AUTO, r->options.threads, err);
    for (size_t p = 0; !code && p < c.experiment->n_entries; p++)
        for (size_t h = 0; h < c.experiment->n_horizons; h++) check_cell(r, problems[i].name, &c, p, h);
    mk_claim_case_free(&c);
    return code;
}

const struct mk_claim mk_claim_proposition_4_1 = {
    .name = "proposition_4_1",
    .source = "Balef et al. 2025, Proposition 4.1 [eq. 7]",
    .statement = "R(T) <= (max_k b_k / T) sum over i != i* of N_i(T), for non-negative bounded rewards",
    .method = "five policies, 4000 replications; the verdict requires disjoint intervals of the two sides. For the "
              "oracle both sides are 0 and the verdict is inconclusive because of sampling error",
    .n = sizeof problems / sizeof *problems,
    .check = check_proposition_4_1,
};

/* Hu et al. 2019, Theorem 1 and Corollary 1: the extreme-region regret of ER-UCB on arms with rewards in [0, 1]. */
#include <math.h>
#include <stdlib.h>

#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/formulas.h"

enum { OWN_REPLICATIONS = 400, MAX_ARMS = 8, MAX_HORIZONS = 4 };

struct problem {
    const char *name, *arms, *horizons;
    double beta, theta, alpha, gamma, rho; /* rho: X >= rho is the extreme region of the regret */
};

#define WIDE_ARMS                                                                                                      \
    "[{family: uniform, lo: 0.5, hi: 1}, {family: uniform, lo: 0, hi: 0.3}, {family: uniform, lo: 0.1, hi: 0.5}]"

static const struct problem problems[] = {
    {"Hu's seven arms, gamma = 1", mk_claim_hu_arms, "[1000, 10000]", 0.85, 0.01, 4, 1, 1},
    {"Hu's seven arms, gamma = 20 (not covered by the theorem)", mk_claim_hu_arms, "[1000, 10000]", 0.85, 0.01, 4, 20,
     1},
    {"three uniform arms, theta = 1", WIDE_ARMS, "[1000, 10000, 100000]", 0, 1, 3, 1, 0.9},
    {"three uniform arms, theta = .5", WIDE_ARMS, "[1000, 10000, 100000]", 0, 0.5, 3, 1, 0.9},
};

struct er_ucb_run {
    const struct problem *p;
    struct mk_claim_case c;
    double theta_gap[MAX_ARMS]; /* Theta_i = p* - p_i */
    double gap[MAX_ARMS];       /* Gamma_i */
    int consistent;             /* p* = p_{i*}, which the theorem assumes */
    struct mk_real_moments regret[MAX_HORIZONS];
};

static int find_gaps(struct er_ucb_run *w, struct mk_error *err)
{
    const struct mk_problem *p = w->c.experiment->problem;
    double region[MAX_ARMS], tail[MAX_ARMS] = {0}, most = 0;
    size_t best = 0;
    for (size_t k = 0; k < p->n_arms; k++) {
        int code = mk_extreme_region(p->dist[k], w->p->beta, w->p->theta, &region[k], err);
        if (code) return code;
        tail[k] = mk_dist_survival(p->dist[k], w->p->rho);
        most = fmax(most, tail[k]);
        if (region[k] > region[best]) best = k;
    }
    for (size_t k = 0; k < p->n_arms; k++) {
        w->theta_gap[k] = most - tail[k];
        w->gap[k] = region[best] - region[k];
    }
    w->consistent = tail[best] == most;
    return MK_OK;
}

/* eq. 18 in every replication. */
static int add_block(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct er_ucb_run *w = to;
    const size_t arms = w->c.experiment->problem->n_arms;
    (void)err;
    for (size_t h = 0; h < w->c.experiment->n_horizons; h++)
        for (uint64_t u = 0; u < b->n_units; u++) {
            double regret = 0;
            for (size_t k = 0; k < arms; k++)
                regret += w->theta_gap[k] * (double)b->pulls[(h * b->n_units + u) * arms + k];
            mk_real_moments_add(&w->regret[h], regret);
        }
    return MK_OK;
}

static void emit(struct mk_claim_report *r, const struct er_ucb_run *w, size_t h, int as_printed)
{
    const struct mk_experiment *e = w->c.experiment;
    const double n = (double)e->horizon[h];
    double bound = 0, most = 0;
    struct mk_claim_row row = mk_claim_row_start(MK_AT_MOST, "extreme-region regret R_n", "%s, n = %g, %s", w->p->name,
                                                 n, as_printed ? "Corollary 1 as printed" : "Theorem 1");
    for (size_t k = 0; k < e->problem->n_arms; k++) {
        most = fmax(most, n * w->theta_gap[k]);
        if (w->gap[k] > 0)
            bound += w->theta_gap[k] * mk_extreme_region_pulls(w->p->alpha, w->p->theta, w->gap[k], n, as_printed);
    }
    mk_claim_set_real(&row, &w->regret[h]);
    row.expected = bound;
    row.verdict = w->consistent ? mk_bound_verdict(bound, most, row.low, row.high) : MK_VERDICT_NOT_APPLICABLE;
    if (!w->consistent) row.note = "the arm with the largest index is not the one with the largest P(X >= rho)";
    if (as_printed)
        row.note =
            "the corollary prints (1 - 1/theta)^4 where the theorem gives (1 + 1/theta)^4; at theta = 1 that is 0";
    mk_claim_emit(r, &row);
}

static int check_er_ucb(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    const struct problem *p = &problems[i];
    struct er_ucb_run w = {.p = p};
    int code = mk_claim_read(
        &w.c, r, p->name, OWN_REPLICATIONS, err,
        "name: er_ucb\nproblem: {arms: %s}\npolicies: [{name: er_ucb_s, beta: %g, theta: %g, gamma: %g, alpha: "
        "%g}]\nhorizons: %s\n",
        p->arms, p->beta, p->theta, p->gamma, p->alpha, p->horizons);
    if (!code) code = find_gaps(&w, err);
    if (!code) code = mk_claim_simulate(&w.c, MK_ENGINE_AUTO, r->options.threads, add_block, &w, err);
    for (size_t h = 0; !code && h < w.c.experiment->n_horizons; h++)
        for (int as_printed = 0; as_printed < 2; as_printed++) emit(r, &w, h, as_printed);
    mk_claim_case_free(&w.c);
    return code;
}

const struct mk_claim mk_claim_er_ucb = {
    .name = "er_ucb",
    .source = "Hu et al. 2019, Theorem 1 and Corollary 1",
    .statement =
        "R_n <= sum over Gamma_i > 0 of Theta_i (alpha ln n / psi*(Gamma_i^2 / [4 (1 + 1/theta)^2]) + (alpha + "
        "2) / (alpha - 2)), psi*(x) = 2 x^2",
    .method = "ER-UCB (alpha = 3 or 4, gamma = 1 and 20) on Hu's arms (Gaussian: not confined to [0, 1], though "
              "nearly) and on arms far enough apart for the bound to be informative, 400 replications; vacuous: the "
              "bound is at least n max Theta_i",
    .n = sizeof problems / sizeof *problems,
    .check = check_er_ucb,
};

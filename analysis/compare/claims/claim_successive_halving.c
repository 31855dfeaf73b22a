/* Karnin, Koren & Somekh 2013, Theorem 4.1: the error probability of sequential halving. */
#include <math.h>

#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/formulas.h"

enum { OWN_REPLICATIONS = 20000, MAX_ARMS = 16 };

/* Budgets leave a remainder after the last phase, so that the survivor is the arm with the most pulls. */
static const struct problem {
    const char *name, *arms, *horizons;
} problems[] = {
    {"4 arms, p = .9 .5 .4 .3",
     "[{family: bernoulli, p: 0.9}, {family: bernoulli, p: 0.5}, {family: bernoulli, p: 0.4}, "
     "{family: bernoulli, p: 0.3}]",
     "[31, 103, 503, 1007]"},
    {"2 arms, p = .6 .4", "[{family: bernoulli, p: 0.6}, {family: bernoulli, p: 0.4}]", "[51, 201, 501, 801]"},
    {"2 arms, p = .52 .5", "[{family: bernoulli, p: 0.52}, {family: bernoulli, p: 0.5}]", "[1001, 10001]"},
    {"8 arms, p = .8 and .4",
     "[{family: bernoulli, p: 0.8}, {family: bernoulli, p: 0.4}, {family: bernoulli, p: 0.4}, {family: bernoulli, p: "
     "0.4}, {family: bernoulli, p: 0.4}, {family: bernoulli, p: 0.4}, {family: bernoulli, p: 0.4}, {family: bernoulli, "
     "p: 0.4}]",
     "[71, 503, 2015]"},
};

struct halving_run {
    struct mk_claim_case c;
    double mean[MAX_ARMS];
    size_t best;
    uint64_t wrong[MAX_ARMS], n; /* [horizon] */
};

static int add_block(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct halving_run *w = to;
    const size_t arms = w->c.experiment->problem->n_arms;
    (void)err;
    for (size_t h = 0; h < w->c.experiment->n_horizons; h++)
        for (uint64_t u = 0; u < b->n_units; u++) {
            const uint64_t *pulls = b->pulls + (h * b->n_units + u) * arms;
            size_t most = 0;
            for (size_t k = 1; k < arms; k++)
                if (pulls[k] > pulls[most]) most = k;
            w->wrong[h] += most != w->best;
        }
    w->n += b->n_units;
    return MK_OK;
}

static int find_means(struct halving_run *w, struct mk_error *err)
{
    const struct mk_problem *p = w->c.experiment->problem;
    for (size_t k = 0; k < p->n_arms; k++) {
        int code = mk_dist_expected_max(p->dist[k], 1, &w->mean[k], err);
        if (code) return code;
        if (w->mean[k] > w->mean[w->best]) w->best = k;
    }
    return MK_OK;
}

static int check_successive_halving(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    const struct problem *p = &problems[i];
    struct halving_run w = {.best = 0};
    int code =
        mk_claim_read(&w.c, r, p->name, OWN_REPLICATIONS, err,
                      "name: halving\nproblem: {arms: %s}\npolicies: [{name: successive_halving}]\nhorizons: %s\n",
                      p->arms, p->horizons);
    if (!code) code = find_means(&w, err);
    if (!code) code = mk_claim_simulate(&w.c, MK_ENGINE_AUTO, r->options.threads, add_block, &w, err);
    for (size_t h = 0; !code && h < w.c.experiment->n_horizons; h++) {
        const uint64_t T = w.c.experiment->horizon[h];
        struct mk_claim_row row = mk_claim_row_start(MK_AT_MOST, "P(the survivor is not the best arm)", "%s, T = %llu",
                                                     p->name, (unsigned long long)T);
        mk_claim_set_share(&row, w.wrong[h], w.n);
        row.expected = mk_halving_error(w.mean, w.c.experiment->problem->n_arms, (double)T);
        row.verdict = mk_bound_verdict(row.expected, 1, row.low, row.high);
        mk_claim_emit(r, &row);
    }
    mk_claim_case_free(&w.c);
    return code;
}

const struct mk_claim mk_claim_successive_halving = {
    .name = "successive_halving",
    .source = "Karnin, Koren & Somekh 2013, Theorem 4.1",
    .statement = "P(wrong arm) <= 3 log2 K exp(-T / (8 H_2 log2 K)), H_2 = max over i >= 2 of i / Delta_i^2",
    .method = "successive_halving by means on arms in [0, 1], 20000 replications; vacuous: the bound is 1 or more. The "
              "policy ranks by the mean over all phases, the theorem by that of the last one",
    .n = sizeof problems / sizeof *problems,
    .check = check_successive_halving,
};

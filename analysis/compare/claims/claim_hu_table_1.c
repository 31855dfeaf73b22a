/* Hu et al. 2019, Table 1: share of 1000 pulls on the best of seven Gaussian arms, three runs each. */
#include <math.h>

#include "analysis/compare/claims/claim_run.h"

enum { OWN_REPLICATIONS = 2000, RUNS_PUBLISHED = 3 };

static const char policies[] =
    "policies:\n"
    "  - {name: er_ucb_s, beta: 0.85, label: 'ER-UCB, gamma on both terms (eq. 17)'}\n"
    "  - {name: er_ucb_s, beta: 0.85, gamma_on: mean, label: 'ER-UCB, gamma on the mean alone'}\n"
    "  - {name: ucb, alpha: 2, label: 'C-UCB, UCB1'}\n"
    "  - {name: ucb, alpha: 0.005, label: 'C-UCB, the mean times gamma = 20'}\n"
    "  - {name: epsilon_greedy, label: 'epsilon-greedy on means'}\n"
    "  - {name: epsilon_greedy, statistic: max, label: 'epsilon-greedy on maxima'}\n"
    "  - {name: softmax, label: 'softmax on means'}\n"
    "  - {name: softmax, statistic: max, label: 'softmax on maxima'}\n"
    "  - {name: random, label: random}\n"
    "horizons: [1000]\n";

static const double published[] = {.90, .90, .01, .01, .31, .31, .18, .18, .15};

static void emit(struct mk_claim_report *r, const struct mk_claim_case *c, size_t i)
{
    const struct mk_experiment *e = c->experiment;
    const double T = (double)e->horizon[0];
    const struct mk_count_moments *pulls = mk_claim_pulls(c, i, 0, 0);
    struct mk_claim_row row = mk_claim_row_start(MK_EQUALS, "share of pulls on the best arm", "%s", e->entry[i].label);
    double sd = mk_spread_error(&pulls->spread) * sqrt((double)pulls->spread.n) / T;
    /* The published value is a mean of three runs, rounded to two decimals. */
    double room = 0.005 + 3 * sd / sqrt(RUNS_PUBLISHED);
    row.observed = mk_count_moments_mean(pulls) / T;
    row.expected = published[i];
    row.low = row.observed - room;
    row.high = row.observed + room;
    row.verdict = mk_claim_judge(&row);
    mk_claim_emit(r, &row);
}

static int check_hu_table_1(struct mk_claim_report *r, size_t part, struct mk_error *err)
{
    (void)part;
    struct mk_claim_case c;
    int code = mk_claim_read(&c, r, "hu_table_1", OWN_REPLICATIONS, err, "name: hu_table_1\nproblem:\n  arms: %s\n%s",
                             mk_claim_hu_arms, policies);
    if (!code) code = mk_claim_means(&c, MK_ENGINE_AUTO, r->options.threads, err);
    for (size_t i = 0; !code && i < c.experiment->n_entries; i++) emit(r, &c, i);
    mk_claim_case_free(&c);
    return code;
}

const struct mk_claim mk_claim_hu_table_1 = {
    .name = "hu_table_1",
    .source = "Hu et al. 2019, Table 1",
    .statement = "share of pulls on the best arm: ER-UCB .90, C-UCB .01, epsilon-greedy .31, softmax .18, random .15",
    .method = "2000 replications of every reading of the published settings; holds if the published mean of three runs "
              "is within 3 standard errors (of such a mean), plus rounding, of ours",
    .n = 1,
    .check = check_hu_table_1,
};

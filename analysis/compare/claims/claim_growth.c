/* The growth of MaxUCB's pulls of suboptimal arms (growth.h) on twenty problems, T up to 10^12:
 *   growth_typical  Proposition 4: median of N_i(T) / log T -> alpha / sqrt(b_{i*} - b_i)
 *   growth_mean     Theorem 4: E[N_i(T)] grows as T^max(0, 1 - c), every better arm locked out
 * Both are limits. A value at one T can only be near or far, and nearer or farther than at an earlier T. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/growth.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/run/engine/rare.h"

enum { OWN_REPLICATIONS = 2000, RARE_FACTOR = 5, DECADES = 11, FIRST_DECADE = 2 };

static const double near_slope = 0.1;  /* of alpha / sqrt(gap of the ends), relative */
static const double near_power = 0.05; /* of the exponent of T */

/* Upper end points differ; most families; upper tails from a step (uniform) through bends to powers; two and more
 * arms. */
static const struct {
    const char *name, *arms, *alpha;
} problems[] = {
    {"power, five arms", mk_claim_power_arms, "0.5"},
    {"power, five arms", mk_claim_power_arms, "1"},
    {"power, two arms", "[{family: power, a: 2, s: 1.1}, {family: power, a: 4, s: 1}]", "0.5"},
    {"uniform .9", "[{family: uniform, lo: 0, hi: 0.9}, {family: uniform, lo: 0, hi: 1}]", "0.5"},
    {"uniform .99", "[{family: uniform, lo: 0, hi: 0.99}, {family: uniform, lo: 0, hi: 1}]", "1"},
    {"uniform .7, .8",
     "[{family: uniform, lo: 0, hi: 0.7}, {family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0, hi: 1}]", "0.5"},
    {"uniform and power 3.8", "[{family: power, a: 3.8, s: 1.012}, {family: uniform, lo: 0, hi: 1}]", "0.28"},
    {"uniform under power", "[{family: uniform, lo: 0, hi: 0.95}, {family: power, a: 4, s: 1}]", "0.5"},
    {"truncated Gaussians",
     "[{family: truncated_gaussian, mu: 0.5, sigma: 0.2, lo: 0, hi: 0.9}, {family: truncated_gaussian, mu: 0.75, "
     "sigma: 0.2, lo: 0, hi: 1}]",
     "0.5"},
    {"truncated Gaussians, flat",
     "[{family: truncated_gaussian, mu: 0.25, sigma: 0.5, lo: 0, hi: 0.9}, {family: truncated_gaussian, mu: 0.25, "
     "sigma: 0.5, lo: 0, hi: 1}]",
     "0.5"},
    {"Gaussians cut at the top",
     "[{family: gaussian, mu: 0.6, sigma: 0.3, truncate: [0, 0.9]}, {family: gaussian, mu: 0.6, sigma: 0.3, truncate: "
     "[0, 1]}]",
     "1"},
    {"beta 2, 1", "[{family: beta, a: 2, b: 1, factor: 0.9}, {family: beta, a: 2, b: 1}]", "0.5"},
    {"beta 2, .5", "[{family: beta, a: 2, b: 0.5, factor: 0.95}, {family: beta, a: 2, b: 0.5}]", "0.5"},
    {"beta 2, 2: thin at the top", "[{family: beta, a: 2, b: 2, factor: 0.8}, {family: beta, a: 2, b: 2}]", "0.5"},
    {"generalized Pareto -.5",
     "[{family: generalized_pareto, shape: -0.5, scale: 0.4}, {family: generalized_pareto, shape: -0.5, scale: 0.5}]",
     "0.5"},
    {"generalized Pareto -1.5",
     "[{family: generalized_pareto, shape: -1.5, scale: 1.3}, {family: generalized_pareto, shape: -1.5, scale: 1.5}]",
     "0.25"},
    {"GEV -1.25",
     "[{family: gev, shape: -1.25, location: 0.05, scale: 1}, {family: gev, shape: -1.25, location: 0.2, scale: 1}]",
     "0.5"},
    {"negative exponential",
     "[{family: negative_exponential, mean: 0.5, shift: 0.85}, {family: negative_exponential, mean: 0.5, shift: 1}]",
     "0.5"},
    {"exponential, cut at the top",
     "[{family: exponential, mean: 0.5, truncate: [0, 0.8]}, {family: exponential, mean: 0.5, truncate: [0, 1]}]",
     "0.5"},
    {"Weibull, cut at the top",
     "[{family: weibull, shape: 2, scale: 0.7, truncate: [0, 0.85]}, {family: weibull, shape: 2, scale: 0.7, truncate: "
     "[0, 1]}]",
     "1"},
    {"mixture of uniforms",
     "[{family: uniform, lo: 0, hi: 0.9}, {family: mixture, weights: [4, 1], components: [{family: uniform, lo: 0, hi: "
     "0.8}, {family: uniform, lo: 0.6, hi: 1}]}]",
     "1"},
};
enum { PROBLEMS = sizeof problems / sizeof *problems };

static int read_problem(struct mk_claim_case *c, struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    const uint64_t rare = RARE_FACTOR * mk_claim_replications(r, OWN_REPLICATIONS);
    int code = mk_claim_read(c, r, problems[i].name, OWN_REPLICATIONS, err,
                             "name: growth_%zu\nproblem: {arms: %s}\npolicies: [{name: max_ucb, alpha: %s}]\n"
                             "horizons: {from: 1e2, to: 1e12, per_decade: 1}\nrare_events: %llu\n",
                             i + 1, problems[i].arms, problems[i].alpha, (unsigned long long)rare);
    return code ? code : mk_claim_facts(c, err);
}

/* What theory predicts for an arm; NaN for the best one. */
static struct mk_growth_claim claim_of(const struct mk_claim_case *c, size_t arm)
{
    const struct mk_experiment *e = c->experiment;
    return mk_growth_claim(e->problem->dist, e->problem->n_arms, mk_truth_best(c->truth, 0, e->n_horizons - 1), arm,
                           mk_policy_entry_parameter(&e->entry[0], "alpha"));
}

/* ---- typical runs ---- */

struct samples {
    size_t n_arms;
    uint64_t replications, filled;
    double *pulls; /* [horizon][arm][replication] */
};

static int add_block(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct samples *s = to;
    (void)err;
    for (uint64_t u = 0; u < b->n_units; u++, s->filled++)
        for (size_t cell = 0; cell < DECADES * s->n_arms; cell++) {
            size_t h = cell / s->n_arms, k = cell % s->n_arms;
            s->pulls[cell * s->replications + s->filled] = (double)b->pulls[(h * b->n_units + u) * s->n_arms + k];
        }
    return MK_OK;
}

/* Median over log T and slope; its 95 % interval between order statistics (normal approximation of the binomial). */
static void set_median(struct mk_claim_row *row, double *pulls, uint64_t n, double unit)
{
    double half = MK_NORMAL_95 / 2 / sqrt((double)n);
    mk_sort_values(pulls, (size_t)n);
    row->observed = mk_quantile_sorted(pulls, (size_t)n, 0.5) / unit;
    row->low = mk_quantile_sorted(pulls, (size_t)n, fmax(0, 0.5 - half)) / unit;
    row->high = mk_quantile_sorted(pulls, (size_t)n, fmin(1, 0.5 + half)) / unit;
}

static void check_typical_arm(struct mk_claim_report *r, size_t problem, const struct mk_claim_case *c,
                              const struct samples *s, size_t arm)
{
    const struct mk_growth_claim claim = claim_of(c, arm);
    const uint64_t *T = c->experiment->horizon;
    struct mk_claim_row row[2];
    if (isnan(claim.slope)) return;
    for (int i = 0; i < 2; i++) { /* halfway and at the end */
        const size_t h = (i ? 12 : 6) - FIRST_DECADE;
        row[i] = mk_claim_row_start(MK_EQUALS, "median of N_i(T) / log T, over alpha / sqrt(b_best - b_i)",
                                    "%s, alpha = %s, arm %zu, T = 10^12", problems[problem].name,
                                    problems[problem].alpha, arm);
        row[i].expected = 1;
        set_median(&row[i], s->pulls + (h * s->n_arms + arm) * s->replications, s->replications,
                   claim.slope * log((double)T[h]));
    }
    mk_claim_judge_limit(&row[1], row[0].observed, near_slope);
    mk_claim_emit(r, &row[1]);
}

static int check_typical(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    struct mk_claim_case c;
    struct samples s = {0};
    int code = read_problem(&c, r, i, err);
    if (!code) {
        s.n_arms = c.experiment->problem->n_arms;
        s.replications = c.experiment->replications;
        s.pulls = malloc(DECADES * s.n_arms * s.replications * sizeof *s.pulls);
        code = s.pulls ? mk_claim_simulate(&c, MK_ENGINE_RECORD, r->options.threads, add_block, &s, err)
                       : mk_fail_memory(err, "pulls");
    }
    for (size_t arm = 0; arm < s.n_arms && !code; arm++) check_typical_arm(r, i, &c, &s, arm);
    free(s.pulls);
    mk_claim_case_free(&c);
    return code;
}

/* ---- the mean ---- */

/* d log E[N_i] / d log T between two horizons. The errors of both are treated as independent; they are not, since the
 * replications are the same, so the interval is too wide. */
static void set_power(struct mk_claim_row *row, const struct mk_rare *m, const uint64_t *T, size_t arm, size_t from,
                      size_t to)
{
    const size_t a = from * m->n_arms + arm, b = to * m->n_arms + arm;
    double over = log((double)T[to] / (double)T[from]);
    double error = hypot(m->se_pulls[a] / m->mean_pulls[a], m->se_pulls[b] / m->mean_pulls[b]) / over;
    row->observed = log(m->mean_pulls[b] / m->mean_pulls[a]) / over;
    row->low = row->observed - MK_NORMAL_95 * error;
    row->high = row->observed + MK_NORMAL_95 * error;
}

/* The growth model selected by the information criterion, with its constants. */
static void describe_fit(const struct mk_rare *m, const uint64_t *T, size_t arm, char *out, size_t room)
{
    double y[DECADES], se[DECADES];
    double aicc[MK_GROWTH_MODELS];
    struct mk_growth_fit fit[MK_GROWTH_MODELS];
    const struct mk_growth_points points = {DECADES, T, y, se, 0};
    for (size_t h = 0; h < DECADES; h++) {
        y[h] = m->mean_pulls[h * m->n_arms + arm];
        se[h] = m->se_pulls[h * m->n_arms + arm];
    }
    for (int model = 0; model < MK_GROWTH_MODELS; model++) {
        mk_growth_fit(&points, (enum mk_growth_model)model, &fit[model]);
        aicc[model] = fit[model].aicc;
    }
    const enum mk_growth_model chosen = mk_growth_least_aicc(aicc);
    const struct mk_growth_fit *best = &fit[chosen];
    int n = snprintf(out, room, "AICc selects %s, a = %.3g ± %.1g", mk_growth_model_name(chosen, 0), best->a,
                     MK_NORMAL_95 * best->a * best->se_log_a);
    if (chosen == MK_GROWTH_POWER && n > 0 && (size_t)n < room)
        snprintf(out + n, room - (size_t)n, ", c = %.3g ± %.1g", best->c, MK_NORMAL_95 * best->se_c);
}

static void check_mean_arm(struct mk_claim_report *r, size_t problem, const struct mk_claim_case *c,
                           const struct mk_rare *m, size_t arm)
{
    const struct mk_growth_claim claim = claim_of(c, arm);
    struct mk_claim_row row[2];
    char fit[96];
    if (isnan(claim.c_joint)) return;
    describe_fit(m, c->experiment->horizon, arm, fit, sizeof fit);
    for (int i = 0; i < 2; i++) {
        row[i] = mk_claim_row_start(MK_EQUALS, "d log E[N_i(T)] / d log T",
                                    "%s, alpha = %s, arm %zu, T = 10^8 … 10^12; c = %.3g, of i* alone %.3g; %s",
                                    problems[problem].name, problems[problem].alpha, arm, claim.c_joint, claim.c, fit);
        row[i].expected = fmax(0, 1 - claim.c_joint);
        set_power(&row[i], m, c->experiment->horizon, arm, (i ? 8 : 4) - FIRST_DECADE, (i ? 12 : 8) - FIRST_DECADE);
    }
    mk_claim_judge_limit(&row[1], row[0].observed, near_power);
    mk_claim_emit(r, &row[1]);
}

static int check_mean(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    struct mk_claim_case c;
    struct mk_rare *m = NULL;
    int code = read_problem(&c, r, i, err);
    if (!code) code = mk_rare_all(&m, c.experiment, c.truth, 0, r->options.threads, err);
    for (size_t arm = 0; !code && arm < m->n_arms; arm++) check_mean_arm(r, i, &c, m, arm);
    mk_rare_free(m);
    mk_claim_case_free(&c);
    return code;
}

const struct mk_claim mk_claim_growth_typical = {
    .name = "growth_typical",
    .source =
        "Certified bounds for MaxUCB, Proposition 4: arm i is pulled while its bonus exceeds the gap of the end points",
    .statement = "typical runs: N_i(T) / log T -> alpha / sqrt(b_best - b_i)",
    .method = "medians of 2000 replications at T = 10^12 on 21 problems; holds within 10 %; inconclusive if farther "
              "off but closer than at T = 10^6. `maxk rate` fits such files (--experiments writes them)",
    .n = PROBLEMS,
    .check = check_typical,
};

const struct mk_claim mk_claim_growth_mean = {
    .name = "growth_mean",
    .source = "Certified bounds for MaxUCB, Theorem 4: lock-outs of better arms determine the mean",
    .statement = "E[N_i(T)] grows as T^max(0, 1 - c), with c the sum over better arms of inf over y of -alpha log "
                 "F(b_i - y) / sqrt(y) (no other arm with end point b_i and G(b_i - y) >= const sqrt(y) near it)",
    .method = "slope from T = 10^8 to 10^12 on 21 problems, 10000 weighted replications (rare_events); holds within "
              ".05; inconclusive if farther off but closer than from 10^4 to 10^8",
    .n = PROBLEMS,
    .check = check_mean,
};

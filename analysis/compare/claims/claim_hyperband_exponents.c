/* The budgets that successive halving and uniform allocation need in Hyperband's model (Li et al. 2018, section 5.3).
 *
 * The model. Losses of configurations tend to limits nu with P(nu <= x) = x^beta, and |l_j - nu| <= j^(-1/alpha) after
 * j iterations. To find a configuration with nu <= Delta, uniform allocation, n configurations with B / n iterations
 * each, needs B ~ Delta^-(alpha + beta); successive halving needs Delta^-max(alpha, beta) up to logarithms.
 *
 * What is checked. The bound on l_j is reached by plateaus, l_j = max(nu, j^(-1/alpha)) (objective learning_curve):
 * uniform allocation with n = B^(beta / (alpha + beta)), and one bracket of successive halving with eta = 2 that begins
 * with n = R configurations on one iteration and costs B = R (s + 1), s + 1 = log2 R + 1 rounds. The mean of the nu
 * chosen, at growing budgets, has slope -1/exponent on logarithmic scales; for halving against B / (s + 1).
 *
 * That the bound is reached matters. With l_j = nu + c j^(-1/alpha) and c uniform on [-1, 1], the smallest of n losses
 * after one iteration is below -1 + x with probability ~ n x^(beta + 1), as nu and 1 + c must both be small, so the nu
 * chosen is of the order n^(-1/(beta + 1)), and uniform allocation of one iteration each needs only
 * Delta^-(beta + 1), fewer than Delta^-(alpha + beta) for alpha > 1. */
#include <math.h>

#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/compare/claims/claim_run.h"
#include "sim/search/objectives/objective.h"
#include "sim/search/optimizers/optimizer.h"

enum { OWN_REPLICATIONS = 2500, POINTS = 7, FIRST_POWER = 5, RULES = 3, MODELS = 3 };

static const double room = 0.15; /* around the exponent of the theory */

struct setting {
    double alpha, beta;
    bool halves, has_offset;
};

/* One search with a budget: n configurations, R iterations of a whole evaluation. */
struct search {
    struct mk_objective *objective;
    struct mk_optimizer *optimizer;
    double par[MK_MAX_PARAMS];
    uint64_t asks;
    double budget; /* without the rounds of a bracket */
};

static void set(const struct mk_param *params, double *par, const char *name, double x)
{
    par[mk_param_find(params, name)] = x;
}

static void free_search(struct search *s)
{
    mk_optimizer_free(s->optimizer);
    mk_objective_free(s->objective);
}

/* The search of point i: halving with n = R = 2^(5 + i); uniform allocation on 4^(5 + i) / 16 iterations. */
static int make_search(struct search *s, const struct setting *c, int i, struct mk_error *err)
{
    struct mk_objective_spec spec = {.type = mk_objective_type_find("learning_curve")};
    const struct mk_optimizer_type *type = mk_optimizer_type_find("successive_halving");
    struct mk_objective_files files = {0};
    const double power = pow(2, FIRST_POWER + i), all = power * power / 16;
    const double share = c->has_offset ? 1 : c->beta / (c->alpha + c->beta);
    const double n = c->halves ? power : c->has_offset ? power * 4 : fmax(round(pow(all, share)), 1);
    const double R = c->halves ? power : c->has_offset ? 1 : all / n;
    int param;
    *s = (struct search){.asks = (uint64_t)n, .budget = c->halves ? R : n * R};
    for (double left = n / 2; c->halves && left >= 1; left /= 2) s->asks += (uint64_t)left;
    mk_param_defaults(spec.type->params, spec.par);
    set(spec.type->params, spec.par, "alpha", c->alpha);
    set(spec.type->params, spec.par, "beta", c->beta);
    set(spec.type->params, spec.par, "R", fmax(R, 1));
    set(spec.type->params, spec.par, "shape", c->has_offset);
    mk_param_defaults(type->params, s->par);
    set(type->params, s->par, "n", n);
    set(type->params, s->par, "R", c->halves ? R : 1);
    set(type->params, s->par, "eta", 2);
    int code = mk_objective_new(&s->objective, &spec, &files, &param, err);
    if (!code) code = mk_optimizer_new(&s->optimizer, type, s->par, s->objective->space, s->asks, err);
    return code;
}

/* The limit nu of the best whole evaluation. */
static int limit_found(const struct search *s, struct mk_key key, double *nu, struct mk_error *err)
{
    struct mk_pcg64 noise = {0};
    double best = -INFINITY;
    int code = mk_optimizer_start(s->optimizer, key, err);
    for (uint64_t i = 0; i < s->asks && !code; i++) {
        const double *v;
        double fidelity;
        struct mk_evaluation e;
        code = mk_optimizer_ask(s->optimizer, &v, &fidelity, err);
        if (code) break;
        mk_objective_evaluate(s->objective, v, fidelity, &noise, &e);
        if (fidelity == 1 && e.value > best) {
            best = e.value;
            *nu = pow(v[0], 1 / s->objective->par[mk_param_find(s->objective->type->params, "beta")]);
        }
        mk_optimizer_tell(s->optimizer, e.value, e.cost, e.status);
    }
    return code;
}

static int mean_limit(const struct search *s, struct mk_key key, uint64_t n, struct mk_real_moments *m,
                      struct mk_error *err)
{
    int code = MK_OK;
    for (uint64_t i = 0; i < n && !code; i++) {
        double nu = NAN;
        code = limit_found(s, mk_key_word(key, i), &nu, err);
        mk_real_moments_add(m, nu);
    }
    return code;
}

/* Least squares of log mean on log budget: the exponent is -1/slope, with an interval from the errors of the means. */
static void set_exponent(struct mk_claim_row *row, const double *budget, const struct mk_real_moments *m)
{
    double centre = 0, spread = 0, slope = 0, variance = 0;
    for (int i = 0; i < POINTS; i++) centre += log(budget[i]) / POINTS;
    for (int i = 0; i < POINTS; i++) spread += pow(log(budget[i]) - centre, 2);
    for (int i = 0; i < POINTS; i++) {
        const double weight = (log(budget[i]) - centre) / spread, mean = mk_real_moments_mean(&m[i]);
        slope += weight * log(mean);
        variance += pow(weight * mk_spread_error(&m[i].spread) / mean, 2);
    }
    row->observed = -1 / slope;
    row->low = -1 / (slope - MK_NORMAL_95 * sqrt(variance));
    row->high = -1 / (slope + MK_NORMAL_95 * sqrt(variance));
}

static int check_setting(struct mk_claim_report *r, const struct setting *c, struct mk_error *err)
{
    const char *rule = c->halves ? "successive halving" : c->has_offset ? "one iteration each" : "uniform allocation";
    struct mk_real_moments m[POINTS] = {{.first = 0}};
    struct mk_claim_row row = mk_claim_row_start(MK_EQUALS, "exponent of 1/Delta in the budget",
                                                 "%s, %s, alpha = %g, "
                                                 "beta = %g",
                                                 rule, c->has_offset ? "offsets" : "plateaus", c->alpha, c->beta);
    const struct mk_key key =
        mk_pooled_rewards_key(r->options.seed, r->claim->name,
                              (size_t)(100 * c->alpha + 10 * c->beta) + (size_t)c->halves + 2 * (size_t)c->has_offset);
    double budget[POINTS];
    int code = MK_OK;
    for (int i = 0; i < POINTS && !code; i++) {
        struct search s;
        code = make_search(&s, c, i, err);
        if (!code)
            code =
                mean_limit(&s, mk_key_word(key, (uint64_t)i), mk_claim_replications(r, OWN_REPLICATIONS), &m[i], err);
        budget[i] = s.budget;
        free_search(&s);
    }
    if (code) return code;
    set_exponent(&row, budget, m);
    row.expected = c->halves ? fmax(c->alpha, c->beta) : c->has_offset ? c->beta + 1 : c->alpha + c->beta;
    row.verdict = mk_claim_judge_within(&row, row.expected - room, row.expected + room);
    row.note = c->has_offset && c->alpha > 1 ? "fewer than alpha + beta: the bound of the model is not reached" : "";
    mk_claim_emit(r, &row);
    return MK_OK;
}

/* Three rules, each in three models. */
static int check_hyperband_exponents(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    static const double models[MODELS][2] = {{1, 2}, {2, 2}, {2, 4}};
    const size_t rule = i / MODELS;
    const struct setting c = {models[i % MODELS][0], models[i % MODELS][1], rule == 0, rule == 2};
    return check_setting(r, &c, err);
}

const struct mk_claim mk_claim_hyperband_exponents = {
    .name = "hyperband_exponents",
    .source = "Li et al. 2018, section 5.3",
    .statement = "in the model (alpha, beta), a configuration within Delta of the best takes a budget of "
                 "Delta^-(alpha + beta) by uniform allocation and Delta^-max(alpha, beta), up to logarithms, by "
                 "successive halving",
    .method = "slopes of the mean limit found over budgets that double or quadruple, 2500 searches each, for halving "
              "without the factor s + 1; holds if the 95 % interval lies within 0.15. Offsets: where the bound of the "
              "model is not reached, one iteration of each takes Delta^-(beta + 1)",
    .n = RULES * MODELS,
    .check = check_hyperband_exponents,
};

/* How many hyperparameters matter decides whether Lemma 3.3 of Balef et al. 2025 has positive L and finite U.
 *
 * Claim. Let random search draw x uniformly from the unit cube, and let the reward be
 *
 *     r(x) = b - c s(x),   s(x) = sum over i = 1 … d of w_i |x_i - x*_i|^p,   c, w_i, p > 0,
 *
 * x*_i inside (0, 1); further coordinates do not matter. Then, as eps -> 0,
 *
 *     G(b - eps) = P(r >= b - eps) = C eps^(d/p),   C = V(d, p) c^(-d/p) prod_i w_i^(-1/p),
 *     V(d, p) = (2 Gamma(1 + 1/p))^d / Gamma(1 + d/p), the volume of {|y_1|^p + … + |y_d|^p <= 1},
 *
 * so L > 0 if and only if d <= p, and U < infinity if and only if d >= p: both only for d = p. At a smooth optimum
 * (p = 2) these are exactly two relevant hyperparameters; with more, L = 0 and Theorem 4.2, whose bound contains 1/L,
 * says nothing; with one, U is infinite.
 *
 * Proof. {r >= b - eps} = {s <= eps / c}. For small eps every x with s(x) <= eps / c has its first d coordinates inside
 * the cube, since |x_i - x*_i| <= (eps / (c w_i))^(1/p); the other coordinates are free and integrate to 1. The
 * substitution y_i = (c w_i / eps)^(1/p) (x_i - x*_i) maps the set to the unit ball of |.|^p and multiplies volumes by
 * prod_i (c w_i / eps)^(1/p), which gives G. Hence G(b - eps) / eps = C eps^(d/p - 1), which for eps -> 0 tends to 0
 * if d > p, to C if d = p, and to infinity if d < p. On any [eps_0, b - a] with eps_0 > 0 the ratio lies between
 * G(b - eps_0) / (b - a) > 0 and 1 / eps_0. L and U, its infimum and supremum, are therefore positive and finite
 * except for that limit. The same holds if b - r lies between two such functions near a unique maximum (monotony of
 * G), and, with a factor 2^-1 for every coordinate of x* on a face of the cube, for optima there. */
#include <math.h>

#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/compare/claims/claim_run.h"
#include "analysis/theory/lu.h"
#include "sim/search/objectives/objective.h"

enum { OWN_REPLICATIONS = 1000000, MOST_DIMENSIONS = 4, IRRELEVANT = 2, SHAPES = 7 };

/* The larger eps as a share of the largest within the ball; about how many of its rewards are above the smaller one;
 * room for the exponent. */
static const double largest = 0.9, inner = 0.1, room = 0.05;

struct bowl {
    int d, p;
    struct mk_objective *objective;
    struct mk_dist *dist; /* of its rewards under random search */
};

static int make_bowl(struct bowl *b, int d, int p, struct mk_error *err)
{
    struct mk_objective_spec spec = {.type = mk_objective_type_find("bowl")};
    struct mk_objective_files files = {0};
    int param;
    *b = (struct bowl){.d = d, .p = p};
    mk_param_defaults(spec.type->params, spec.par);
    spec.par[mk_param_find(spec.type->params, "dimensions")] = d;
    spec.par[mk_param_find(spec.type->params, "irrelevant")] = IRRELEVANT;
    spec.par[mk_param_find(spec.type->params, "power")] = p;
    int code = mk_objective_new(&b->objective, &spec, &files, &param, err);
    return code ? code : b->objective->type->distribution(b->objective, &b->dist, err);
}

static void free_bowl(struct bowl *b)
{
    mk_objective_free(b->objective);
    mk_dist_free(b->dist);
}

static void emit_end(struct mk_claim_report *r, const struct bowl *b, const char *quantity, double observed,
                     bool is_limit, double limit)
{
    struct mk_claim_row row =
        mk_claim_row_start(is_limit    ? MK_EQUALS
                           : limit > 0 ? MK_AT_MOST
                                       : MK_AT_LEAST,
                           quantity, "%d relevant and %d other hyperparameters, p = %d", b->d, IRRELEVANT, b->p);
    const double extreme = limit > 0 ? 1e300 : 1e-300;
    row.observed = observed;
    row.expected = is_limit ? limit : extreme;
    if (is_limit)
        row.verdict = observed == limit ? MK_VERDICT_HOLDS : MK_VERDICT_VIOLATED;
    else
        row.verdict = mk_claim_judge_exact(&row, 0);
    row.note = is_limit && limit == 0 ? "Theorem 4.2 is vacuous" : "";
    mk_claim_emit(r, &row);
}

/* L = 0 for d > p, U infinite for d < p, and positive and finite otherwise. */
static int check_ends(struct mk_claim_report *r, const struct bowl *b, struct mk_error *err)
{
    struct mk_lu lu;
    int code = mk_lu_exact(b->dist, NAN, &lu, err);
    if (code) return code;
    emit_end(r, b, "L", lu.L, b->d > b->p, 0);
    emit_end(r, b, "U", lu.U, b->d < b->p, INFINITY);
    return MK_OK;
}

/* Draws of random search itself. Of the n_1 rewards above b - eps_1, n_2 are above b - eps_2: a share with expectation
 * (eps_2 / eps_1)^(d/p). */
static void check_exponent(struct mk_claim_report *r, const struct bowl *b)
{
    const struct mk_objective *o = b->objective;
    const uint64_t n = mk_claim_replications(r, OWN_REPLICATIONS);
    const double scale = pow(o->par[mk_param_find(o->type->params, "radius")], b->p), top = mk_objective_optimum(o);
    const double ratio = pow(inner, (double)b->p / b->d), eps[2] = {largest * scale, ratio * largest * scale};
    double v[MOST_DIMENSIONS + IRRELEVANT];
    uint64_t above[2] = {0, 0};
    struct mk_pcg64 rng, noise;
    mk_pcg64_from_key(&rng, mk_pooled_rewards_key(r->options.seed, r->claim->name, (size_t)b->d * 10 + (size_t)b->p));
    noise = rng;
    for (uint64_t i = 0; i < n; i++) {
        struct mk_evaluation e;
        mk_space_sample(o->space, &rng, v);
        mk_objective_evaluate(o, v, 1, &noise, &e);
        for (int j = 0; j < 2; j++) above[j] += e.value >= top - eps[j];
    }
    struct mk_claim_row share = mk_claim_row_start(MK_EQUALS, "", "%s", "");
    struct mk_claim_row row =
        mk_claim_row_start(MK_EQUALS, "exponent of G(b - eps), random search",
                           "%d relevant and %d other hyperparameters, p = %d", b->d, IRRELEVANT, b->p);
    const double unit = log(ratio);
    mk_claim_set_share(&share, above[1], above[0]);
    row.expected = (double)b->d / b->p;
    row.observed = log(share.observed) / unit;
    row.low = log(share.high) / unit;
    row.high = log(share.low) / unit;
    row.verdict = mk_claim_judge_within(&row, row.expected - room, row.expected + room);
    mk_claim_emit(r, &row);
}

static int check_relevant_dimensions(struct mk_claim_report *r, size_t i, struct mk_error *err)
{
    static const struct {
        int d, p;
    } shapes[SHAPES] = {{1, 1}, {2, 1}, {3, 1}, {1, 2}, {2, 2}, {3, 2}, {4, 2}};
    struct bowl b;
    int code = make_bowl(&b, shapes[i].d, shapes[i].p, err);
    if (!code) code = mk_claim_write_arm(r, b.dist, err);
    if (!code) code = check_ends(r, &b, err);
    if (!code) check_exponent(r, &b);
    free_bowl(&b);
    return code;
}

const struct mk_claim mk_claim_relevant_dimensions = {
    .name = "relevant_dimensions",
    .source = "maxk, after Balef et al. 2025, Lemma 3.3",
    .statement = "for rewards b - c sum w_i |x_i - x*_i|^p with d hyperparameters that matter, random search has "
                 "G(b - eps) ~ eps^(d/p): L > 0 only for d <= p, U < infinity only for d >= p",
    .method = "exact L and U of such arms (proof in claim_relevant_dimensions.c); exponent from 10^6 draws of random "
              "search at two eps, which holds if its 95 % interval lies within 0.05 of d/p",
    .n = SHAPES,
    .check = check_relevant_dimensions,
};

/* Cross-validation on k folds: the configurations of `cash`, whose accuracy differs from fold to fold.
 *
 *     r(x) = (1/m) sum_{j <= m} (f(x) + a_j + e_{j,x}),  m = fidelity k rounded, at least 1
 *
 * f is the reward of cash with the same seed, arm and gap; a_j (standard deviation fold_sd) is how easy fold j is, the
 * same for all configurations and arms; e_{j,x} (sd) belongs to the fold and the configuration, so that repeating an
 * evaluation gives the same value. One fold is a function call, all k a function evaluation (Nguyen 2024, section 3.2);
 * a call costs 1/k. A configuration that fails does so on every fold. */
#include <math.h>

#include "distributions/parts/kernel.h"
#include "sim/search/objectives/objective.h"

enum { SEED, ARM, GAP, FOLDS, FOLD_SD, SD, PARAMS }; /* the first three as in cash */

extern const struct mk_objective_type mk_objective_cash;

static const struct mk_param params[] = {
    {"seed", MK_INTEGER, MK_OPTIONAL, NAN, 0, MK_EXACT_MAX, NULL,
     "number of the problem (default: the number of the instance)"},
    {"arm", MK_INTEGER, 0, 0, 0, 1e6, NULL, "arm of the problem; 0 has the best optimum"},
    {"gap", MK_REAL, 0, 0.3, 0, 1, NULL, "largest distance of the optima of other arms below it"},
    {"folds", MK_INTEGER, 0, 10, 1, 10000, NULL, "k"},
    {"fold_sd", MK_REAL, 0, 0.05, 0, 100, NULL, "standard deviation of what folds have in common"},
    {"sd", MK_REAL, 0, 0.02, 0, 100, NULL, "standard deviation of a configuration on a fold"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *check_kfold(const double *par)
{
    return mk_objective_cash.check(par);
}

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    return mk_objective_cash.make_space(o, out, err);
}

static int prepare(struct mk_objective *o, struct mk_error *err)
{
    return mk_objective_cash.prepare(o, err);
}

static double normal_of(struct mk_key key)
{
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, key);
    double z = mk_uniform(&rng);
    mk_block_normal(1, &z);
    return z;
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const struct mk_key key = mk_key_word(mk_key_text(mk_key_start(), "kfold"), (uint64_t)o->par[SEED]);
    const struct mk_key own = mk_key_word(mk_key_word(mk_key_text(key, "configuration"), (uint64_t)o->par[ARM]),
                                          mk_space_configuration_digest(o->space, v));
    const double most = o->par[FOLDS], folds = fmin(fmax(round(out->fidelity * most), 1), most);
    double sum = 0;
    mk_objective_cash.evaluate(o, v, out);
    out->cost = folds / most;
    for (uint64_t j = 0; j < (uint64_t)folds; j++)
        sum += o->par[FOLD_SD] * normal_of(mk_key_word(mk_key_text(key, "fold"), j)) +
               o->par[SD] * normal_of(mk_key_word(own, j));
    out->value += sum / folds;
}

const struct mk_objective_type mk_objective_kfold = {
    .name = "kfold",
    .summary = "cash under k-fold cross-validation: a part of the folds costs less and says less",
    .formula = "reward = mean over the first m = fidelity k folds of f(x) + a_j + e_jx, f as in cash, a_j ~ N(0, "
               "fold_sd^2) common to all configurations, e_jx ~ N(0, sd^2)",
    .reference = "after Nguyen 2024, section 3.2: function calls and function evaluations",
    .flags = MK_OBJECTIVE_OWN_SPACE | MK_OBJECTIVE_SEEDED | MK_OBJECTIVE_FIDELITY,
    .params = params,
    .own_noise = 1 + SD,
    .check = check_kfold,
    .make_space = make_space,
    .prepare = prepare,
    .evaluate = evaluate,
};

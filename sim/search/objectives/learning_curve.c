/* Learning curves in Hyperband's model of the infinite-armed problem (Li et al. 2018, section 5.3.1): limits nu of the
 * losses with distribution function F(nu) = nu^beta on [0, 1], approached at rate j^(-1/alpha),
 *
 *     |l_j - nu| <= gamma(j) = j^(-1/alpha) after j of R iterations;  reward = 1 - l_j, j = max(1, fidelity R).
 *
 * plateau: l_j = max(nu, gamma(j)): whatever is better than gamma(j) looks the same, so the bound is reached where it
 * does most harm, and configurations that look the same can only be distinguished by running on. offset: l_j = nu +
 * c gamma(j), c uniform on [-1, 1], the second input. nu = x1^(1/beta). */
#include <math.h>

#include "sim/search/objectives/parts/closed_form.h"

enum { ALPHA, BETA, ITERATIONS, SHAPE, PARAMS };
enum { PLATEAU, OFFSET };

static const struct mk_param params[] = {
    {"alpha", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, 0, INFINITY, NULL, "losses approach their limits at j^(-1/alpha)"},
    {"beta", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 2, 0, INFINITY, NULL, "limits have distribution function nu^beta"},
    {"R", MK_REAL, 0, 81, 1, 1e12, NULL, "iterations of a whole evaluation"},
    {"shape", MK_CHOICE, 0, PLATEAU, 0, 0, "plateau|offset", "how losses differ from their limits"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    return mk_box_space(o->par[SHAPE] == OFFSET ? 2 : 1, 0, 1, NAN, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const double limit = pow(mk_objective_input(o, v, 0), 1 / o->par[BETA]);
    const double gamma = pow(fmax(1, out->fidelity * o->par[ITERATIONS]), -1 / o->par[ALPHA]);
    const double loss =
        o->par[SHAPE] == OFFSET ? limit + (2 * mk_objective_input(o, v, 1) - 1) * gamma : fmax(limit, gamma);
    out->value = 1 - loss;
}

static double optimum(const struct mk_objective *o)
{
    const double gamma = pow(o->par[ITERATIONS], -1 / o->par[ALPHA]);
    return o->par[SHAPE] == OFFSET ? 1 + gamma : 1 - gamma;
}

const struct mk_objective_type mk_objective_learning_curve = {
    .name = "learning_curve",
    .summary = "learning curves of Hyperband's model (alpha, beta), evaluated after a part of the iterations",
    .formula = "reward = 1 - l_j after j = fidelity R iterations, |l_j - nu| <= gamma(j) = j^(-1/alpha), P(nu <= x) = "
               "x^beta; plateau: l_j = max(nu, gamma(j)); offset: l_j = nu + c gamma(j), c uniform on [-1, 1]",
    .reference = "Li et al. 2018, section 5.3.1",
    .flags = MK_OBJECTIVE_NUMBERS | MK_OBJECTIVE_FIDELITY,
    .params = params,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

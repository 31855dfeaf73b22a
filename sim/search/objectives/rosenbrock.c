/* Rosenbrock's function: reward = -sum 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2 on [-5, 10]^n. Largest at (1, …, 1): 0. */
#include "sim/search/objectives/parts/closed_form.h"

enum { DIMENSIONS, PARAMS };

static const struct mk_param params[] = {
    MK_DIMENSIONS_PARAM(2),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t dimensions(const struct mk_objective *o)
{
    return (size_t)o->par[DIMENSIONS];
}

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    return mk_box_space(dimensions(o), -5, 10, NAN, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    double sum = 0;
    for (size_t i = 0; i + 1 < dimensions(o); i++) {
        const double x = mk_objective_input(o, v, i), bend = mk_objective_input(o, v, i + 1) - x * x;
        sum += 100 * bend * bend + (1 - x) * (1 - x);
    }
    out->value = -sum;
}

static double optimum(const struct mk_objective *o)
{
    (void)o;
    return 0;
}

const struct mk_objective_type mk_objective_rosenbrock = {
    .name = "rosenbrock",
    .summary = "Rosenbrock function, a bent valley",
    .formula = "reward = -sum of 100 (x_{i+1} - x_i^2)^2 + (1 - x_i)^2, x_i in [-5, 10]; largest 0",
    .reference = "Rosenbrock 1960",
    .flags = MK_OBJECTIVE_NUMBERS,
    .params = params,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

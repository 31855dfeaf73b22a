/* Ackley's function: reward = 20 exp(-sqrt(mean x_i^2) / 5) + exp(mean cos 2 pi x_i) - 20 - e on [-32.768, 32.768]^n.
 * Largest at 0: 0. */
#include <math.h>

#include "distributions/objectives/parts/closed_form.h"

enum { DIMENSIONS, PARAMS };

static const struct mk_param params[] = {
    MK_DIMENSIONS_PARAM(1),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t dimensions(const struct mk_objective *o)
{
    return (size_t)o->par[DIMENSIONS];
}

static int make_space(const struct mk_objective *o, struct mk_objective_files *files, struct mk_space **out,
                      struct mk_error *err)
{
    (void)files;
    return mk_box_space(dimensions(o), -32.768, 32.768, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, double fidelity, struct mk_evaluation *out)
{
    const double n = (double)dimensions(o);
    double squares = 0, waves = 0;
    (void)fidelity;
    for (size_t i = 0; i < dimensions(o); i++) {
        const double x = mk_objective_input(o, v, i);
        squares += x * x;
        waves += cos(2 * M_PI * x);
    }
    out->value = 20 * exp(-0.2 * sqrt(squares / n)) + exp(waves / n) - 20 - M_E;
}

static double optimum(const struct mk_objective *o)
{
    (void)o;
    return 0;
}

const struct mk_objective_type mk_objective_ackley = {
    .name = "ackley",
    .summary = "Ackley function, many local optima",
    .formula =
        "reward = 20 exp(-sqrt(mean x_i^2) / 5) + exp(mean cos 2 pi x_i) - 20 - e, x_i in [-32.768, 32.768]; largest 0",
    .reference = "Ackley 1987",
    .flags = MK_OBJECTIVE_NUMBERS,
    .params = params,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

/* Ackley's function: reward = 20 exp(-sqrt(mean z_i^2) / 5) + exp(mean cos 2 pi z_i) - 20 - e with z = x - o on
 * [-32.768, 32.768]^n. Largest at o: 0.
 *
 * As published o = 0 (`shift: 0`), which is the default configuration of the space, its middle, and a point of every
 * grid with an odd number of values: found without a search. So the optimum is moved, as in the COCO suites (Hansen et
 * al. 2021), to o_i = 32.768 shift (2 frac(phi i) - 1), i from 1, phi = (sqrt 5 - 1) / 2, whose coordinates differ. */
#include <math.h>

#include "sim/search/objectives/parts/closed_form.h"

enum { DIMENSIONS, SHIFT, PARAMS };

static const double end = 32.768, golden = 0.61803398874989484820;

static const struct mk_param params[] = {
    MK_DIMENSIONS_PARAM(1),
    {"shift", MK_REAL, 0, 0.8, 0, 1, NULL, "how far the optimum is moved from the middle; 0: as published"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t dimensions(const struct mk_objective *o)
{
    return (size_t)o->par[DIMENSIONS];
}

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    return mk_box_space(dimensions(o), -end, end, NAN, out, err);
}

static double optimal(const struct mk_objective *o, size_t i)
{
    const double x = golden * (double)(i + 1);
    return end * o->par[SHIFT] * (2 * (x - floor(x)) - 1);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const double n = (double)dimensions(o);
    double squares = 0, waves = 0;
    for (size_t i = 0; i < dimensions(o); i++) {
        const double x = mk_objective_input(o, v, i) - optimal(o, i);
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
        "reward = 20 exp(-sqrt(mean z_i^2) / 5) + exp(mean cos 2 pi z_i) - 20 - e, z_i = x_i - 32.768 shift (2 frac(.618… "
        "i) - 1), x_i in [-32.768, 32.768]; largest 0",
    .reference = "Ackley 1987; the shift after COCO (Hansen et al. 2021)",
    .flags = MK_OBJECTIVE_NUMBERS,
    .params = params,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

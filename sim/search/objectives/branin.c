/* Branin's function: reward = -((y - 5.1 x^2 / (4 pi^2) + 5 x / pi - 6)^2 + 10 (1 - 1 / (8 pi)) cos x + 10) on
 * [-5, 10] x [0, 15]. Largest at (-pi, 12.275), (pi, 2.275) and (3 pi, 2.475): -5 / (4 pi). */
#include <math.h>

#include "sim/search/objectives/parts/closed_form.h"

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    (void)o;
    return mk_plane_space(-5, 10, 0, 15, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const double x = mk_objective_input(o, v, 0), y = mk_objective_input(o, v, 1);
    const double valley = y - 5.1 / (4 * M_PI * M_PI) * x * x + 5 / M_PI * x - 6;
    out->value = -(valley * valley + 10 * (1 - 1 / (8 * M_PI)) * cos(x) + 10);
}

static double optimum(const struct mk_objective *o)
{
    (void)o;
    return -5 / (4 * M_PI);
}

const struct mk_objective_type mk_objective_branin = {
    .name = "branin",
    .summary = "Branin function, two numbers, three optima",
    .formula = "reward = -((y - 5.1 x^2 / (4 pi^2) + 5 x / pi - 6)^2 + 10 (1 - 1 / (8 pi)) cos x + 10), x in [-5, 10], "
               "y in [0, 15]; largest -0.3979",
    .reference = "Branin 1972; Dixon & Szego 1978",
    .flags = MK_OBJECTIVE_NUMBERS,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

/* Hosaki's function: reward = -(1 - 8 x + 7 x^2 - 7/3 x^3 + x^4 / 4) y^2 exp(-y) on [0, 5] x [0, 6]. Largest at (4, 2):
 * 52/3 exp(-2). */
#include <math.h>

#include "sim/search/objectives/parts/closed_form.h"

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    (void)o;
    return mk_plane_space(0, 5, 0, 6, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const double x = mk_objective_input(o, v, 0), y = mk_objective_input(o, v, 1);
    out->value = -(1 + x * (-8 + x * (7 + x * (-7.0 / 3 + x / 4)))) * y * y * exp(-y);
}

static double optimum(const struct mk_objective *o)
{
    (void)o;
    return 52.0 / 3 * exp(-2);
}

const struct mk_objective_type mk_objective_hosaki = {
    .name = "hosaki",
    .summary = "Hosaki function, two numbers, two optima",
    .formula = "reward = -(1 - 8 x + 7 x^2 - 7/3 x^3 + x^4 / 4) y^2 exp(-y), x in [0, 5], y in [0, 6]; largest 2.3458",
    .reference = "Hosaki; toy problem of the programs of Balef et al. 2024",
    .flags = MK_OBJECTIVE_NUMBERS,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

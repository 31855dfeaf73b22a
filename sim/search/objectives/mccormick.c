/* McCormick's function (Nguyen 2024, Figure 3.1): reward = -(sin(x + y) + (x - y)^2 - 1.5 x + 2.5 y + 1) on
 * [-1.5, 4] x [-3, 3]. Largest at (1/2 - pi/3, -1/2 - pi/3): sqrt(3)/2 + pi/3. */
#include <math.h>

#include "sim/search/objectives/parts/closed_form.h"

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    (void)o;
    return mk_plane_space(-1.5, 4, -3, 3, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const double x = mk_objective_input(o, v, 0), y = mk_objective_input(o, v, 1);
    out->value = -(sin(x + y) + (x - y) * (x - y) - 1.5 * x + 2.5 * y + 1);
}

static double optimum(const struct mk_objective *o)
{
    (void)o;
    return sqrt(3) / 2 + M_PI / 3;
}

const struct mk_objective_type mk_objective_mccormick = {
    .name = "mccormick",
    .summary = "McCormick function, two numbers",
    .formula = "reward = -(sin(x + y) + (x - y)^2 - 1.5 x + 2.5 y + 1), x in [-1.5, 4], y in [-3, 3]; largest 1.9132",
    .reference = "Nguyen 2024, Figure 3.1; McCormick 1976",
    .flags = MK_OBJECTIVE_NUMBERS,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

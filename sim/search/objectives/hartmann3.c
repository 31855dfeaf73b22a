/* Hartmann's function of three numbers (parts/hartmann.h). Largest at (0.114589, 0.555649, 0.852547). */
#include "sim/search/objectives/parts/closed_form.h"
#include "sim/search/objectives/parts/hartmann.h"

enum { INPUTS = 3 };

static const double width[] = {3, 10, 30, 0.1, 10, 35, 3, 10, 30, 0.1, 10, 35};
static const double centre[] = {3689, 1170, 2673, 4699, 4387, 7470, 1091, 8732, 5547, 381, 5743, 8828};

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    (void)o;
    return mk_box_space(INPUTS, 0, 1, NAN, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    mk_hartmann(o, v, INPUTS, width, centre, out);
}

static double optimum(const struct mk_objective *o)
{
    (void)o;
    return 3.862779787332663;
}

const struct mk_objective_type mk_objective_hartmann3 = {
    .name = "hartmann3",
    .summary = "Hartmann function, three numbers, four peaks",
    .formula =
        "reward = sum over four peaks of height exp(-sum of width_i (x_i - centre_i)^2), x_i in [0, 1]; largest 3.8628",
    .reference = "Hartman 1973; Dixon & Szego 1978",
    .flags = MK_OBJECTIVE_NUMBERS,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

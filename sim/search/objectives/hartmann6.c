/* Hartmann's function of six numbers (parts/hartmann.h). Largest at (0.201690, 0.150011, 0.476874, 0.275332, 0.311652,
 * 0.657301). */
#include "sim/search/objectives/parts/closed_form.h"
#include "sim/search/objectives/parts/hartmann.h"

enum { INPUTS = 6 };

static const double width[] = {10, 3,   17,  3.5, 1.7, 8, 0.05, 10, 17,   0.1, 8,   14,
                               3,  3.5, 1.7, 10,  17,  8, 17,   8,  0.05, 10,  0.1, 14};
static const double centre[] = {1312, 1696, 5569, 124,  8283, 5886, 2329, 4135, 8307, 3736, 1004, 9991,
                                2348, 1451, 3522, 2883, 3047, 6650, 4047, 8828, 8732, 5743, 1091, 381};

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
    return 3.322368011415515;
}

const struct mk_objective_type mk_objective_hartmann6 = {
    .name = "hartmann6",
    .summary = "Hartmann function, six numbers, four peaks",
    .formula =
        "reward = sum over four peaks of height exp(-sum of width_i (x_i - centre_i)^2), x_i in [0, 1]; largest 3.3224",
    .reference = "Hartman 1973; Dixon & Szego 1978",
    .flags = MK_OBJECTIVE_NUMBERS,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
};

/* Measured configurations: only the rows of a table can be evaluated, and each gives the measured reward. Several equal
 * rows give their mean. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

#include "sim/search/objectives/parts/measured.h"

static int prepare(struct mk_objective *o, struct mk_error *err)
{
    struct mk_measured a;
    double *reward = NULL, *count = NULL;
    int code = mk_measured_read(o, &a, err);
    if (code) return code;
    const size_t n = a.n;
    code = mk_space_restrict(o->space, a.v, n, err); /* takes a.v */
    if (!code) {
        reward = calloc(n, sizeof *reward);
        count = calloc(n, sizeof *count);
        if (!reward || !count) code = mk_fail_memory(err, "a table");
    }
    for (size_t i = 0; i < n && !code; i++) {
        const size_t row = mk_space_row(o->space, o->space->row + i * o->space->n);
        reward[row] += a.reward[i];
        count[row]++;
    }
    for (size_t i = 0; i < n && !code; i++) reward[i] /= count[i];
    free(a.reward);
    free(count);
    if (code)
        free(reward);
    else
        o->data = reward;
    return code;
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const double *reward = o->data;
    out->value = reward[mk_space_row(o->space, v)];
}

static double optimum(const struct mk_objective *o)
{
    const double *reward = o->data;
    double best = -INFINITY;
    for (size_t i = 0; i < o->space->n_rows; i++) best = reward[i] > best ? reward[i] : best;
    return best;
}

/* Rows are drawn with replacement, each with the same probability. */
static int distribution(const struct mk_objective *o, struct mk_dist **out, struct mk_error *err)
{
    double *values = malloc(o->space->n_rows * sizeof *values);
    if (!values) return mk_fail_memory(err, "a table");
    for (size_t i = 0; i < o->space->n_rows; i++)
        values[i] = ((const double *)o->data)[mk_space_row(o->space, o->space->row + i * o->space->n)];
    struct mk_dist_spec spec = {.type = mk_dist_type_find("empirical"), .n_values = o->space->n_rows, .values = values};
    mk_param_defaults(spec.type->params, spec.v);
    int param, code = mk_dist_new(out, &spec, &param, err);
    free(values);
    return code;
}

const struct mk_objective_type mk_objective_table = {
    .name = "table",
    .summary = "measured configurations of a CSV file: only its rows can be evaluated",
    .formula = "reward = the reward measured for the configuration",
    .reference = "columns instance, arm, reward and one for every hyperparameter",
    .flags = MK_OBJECTIVE_MEASURED,
    .params = mk_measured_params,
    .make_space = mk_measured_space,
    .prepare = prepare,
    .evaluate = evaluate,
    .optimum = optimum,
    .distribution = distribution,
};

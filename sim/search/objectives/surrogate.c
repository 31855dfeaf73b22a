/* A surrogate: the prediction of a forest of regression trees that was fitted to measured configurations, defined on
 * the whole space. It is not a measurement, and is never called one.
 *
 * The forest has `trees` trees on bootstrap samples, exact splits, leaves of one row; its random numbers come from the
 * parameter `seed`. Inactive numbers are encoded as -1, inactive words as the number of words. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/search/models/forest.h"
#include "sim/search/objectives/parts/measured.h"

enum { TREES = MK_MEASURED_PARAMETERS, SEED, PARAMS };

static const struct mk_param params[] = {
    MK_MEASURED_PARAMS,
    {"trees", MK_INTEGER, 0, 50, 1, 10000, NULL, "trees of the forest"},
    {"seed", MK_INTEGER, 0, 1, 0, MK_EXACT_MAX, NULL, "seed of the forest"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static void free_data(void *data)
{
    mk_forest_free(data);
    free(data);
}

static int fit(struct mk_forest *f, const struct mk_objective *o, const struct mk_measured *a, struct mk_error *err)
{
    const size_t d = o->space->n;
    const struct mk_forest_options options = {(size_t)o->par[TREES], d, 2, 1, true, false, false};
    struct mk_pcg64 rng;
    double *x = malloc((a->n + 1) * d * sizeof *x);
    if (!x) return mk_fail_memory(err, "a surrogate");
    double *point = x + a->n * d;
    for (size_t i = 0; i < a->n; i++) {
        mk_tree_features(o->space, a->v + i * d, point);
        for (size_t j = 0; j < d; j++) x[j * a->n + i] = point[j];
    }
    mk_pcg64_from_key(&rng, mk_key_word(mk_key_text(mk_key_start(), "surrogate"), (uint64_t)o->par[SEED]));
    int code = mk_forest_fit(f, &options, x, a->n, d, a->reward, a->n, &rng, err);
    free(x);
    return code;
}

static int prepare(struct mk_objective *o, struct mk_error *err)
{
    struct mk_measured a;
    int code = mk_measured_read(o, &a, err);
    if (code) return code;
    o->data = calloc(1, sizeof(struct mk_forest));
    code = o->data ? fit(o->data, o, &a, err) : mk_fail_memory(err, "a surrogate");
    free(a.v);
    free(a.reward);
    return code;
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    double x[MK_SPACE_MOST];
    mk_tree_features(o->space, v, x);
    out->value = mk_forest_mean(o->data, x);
}

const struct mk_objective_type mk_objective_surrogate = {
    .name = "surrogate",
    .summary = "surrogate: predictions of a forest fitted to measured configurations",
    .formula = "reward = mean over the trees of a forest that was fitted to the rows of a table",
    .reference = "columns as for table; idea of Eggensperger et al. 2015",
    .flags = MK_OBJECTIVE_MEASURED,
    .params = params,
    .make_space = mk_measured_space,
    .prepare = prepare,
    .free_data = free_data,
    .evaluate = evaluate,
};

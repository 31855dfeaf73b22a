/* Synthetic CASH: arm k of the problem with a seed, one algorithm with its hyperparameters. Everything drawn is a
 * function of (seed, arm) only, so that problems with more arms contain those with fewer (Li et al. 2020, Table 1).
 *
 *     r = peak - sum_{i = 1, 2} slope_i |u_i - u*_i|^2 - loss(mode)
 *
 * u_i are the positions of hyperparameters x1 and x2 in the unit interval. peak is 1 for arm 0, 1 - gap U for the
 * others; slope_i uniform on [0.2, 1.2], u*_i on [0.1, 0.9]. x1 is logarithmic on [1e-4, 1e2], x2 real on [0, 1].
 * `mode` has three words, one of which loses nothing and the others up to 0.2. Up to three further hyperparameters do
 * not matter: x3, a whole number, x4, on a log scale and active only in one mode, and x5, a number active when x3 is
 * above the middle. The corner where u_1 and u_2 are both within 0.1 of one corner of the square, that farthest from
 * u*, fails: reward peak - 2. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

#include "sim/search/objectives/objective.h"

enum { SEED, ARM, GAP, PARAMS };
enum { X1, X2, MODE, X3, X4, X5 };
enum { MODES = 3, OTHERS = 3 };

static const double corner = 0.1, failure = 2;

static const struct mk_param params[] = {
    {"seed", MK_INTEGER, MK_OPTIONAL, NAN, 0, MK_EXACT_MAX, NULL,
     "number of the problem (default: the number of the instance)"},
    {"arm", MK_INTEGER, 0, 0, 0, 1e6, NULL, "arm of the problem; 0 has the best optimum"},
    {"gap", MK_REAL, 0, 0.3, 0, 1, NULL, "largest distance of the optima of other arms below it"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct data {
    double peak, slope[2], best[2], loss[MODES];
    size_t others; /* hyperparameters that do not matter */
    bool failing_low[2];
};

static struct data draw(const struct mk_objective *o)
{
    struct mk_pcg64 rng;
    struct data a;
    struct mk_key key = mk_key_word(mk_key_text(mk_key_start(), "cash"), (uint64_t)o->par[SEED]);
    mk_pcg64_from_key(&rng, mk_key_word(key, (uint64_t)o->par[ARM]));
    a.peak = 1 - o->par[GAP] * mk_uniform(&rng);
    if (o->par[ARM] == 0) a.peak = 1;
    for (int i = 0; i < 2; i++) {
        a.slope[i] = 0.2 + mk_uniform(&rng);
        a.best[i] = 0.1 + 0.8 * mk_uniform(&rng);
        a.failing_low[i] = a.best[i] > 0.5;
    }
    const size_t free_mode = (size_t)mk_uniform_below(&rng, MODES);
    for (size_t m = 0; m < MODES; m++) {
        const double loss = 0.02 + 0.18 * mk_uniform(&rng);
        a.loss[m] = m == free_mode ? 0 : loss;
    }
    a.others = (size_t)mk_uniform_below(&rng, OTHERS + 1);
    return a;
}

/* ---- the space ---- */

static int add_all(struct mk_space *s, size_t others, struct mk_error *err)
{
    static char name[][4] = {"x1", "x2", "x3", "x4", "x5"}, mode[] = "mode", words[][2] = {"a", "b", "c"};
    char *word[MODES] = {words[0], words[1], words[2]};
    const struct mk_hyper hypers[] = {
        {.name = name[0], .kind = MK_HYPER_REAL, .lo = 1e-4, .hi = 1e2, .log = true, .def = NAN},
        {.name = name[1], .kind = MK_HYPER_REAL, .lo = 0, .hi = 1, .def = NAN},
        {.name = mode, .kind = MK_HYPER_CATEGORICAL, .n_words = MODES, .word = word, .def = NAN},
        {.name = name[2], .kind = MK_HYPER_INTEGER, .lo = 1, .hi = 100, .def = NAN},
        {.name = name[3], .kind = MK_HYPER_REAL, .lo = 1e-3, .hi = 10, .log = true, .def = NAN},
        {.name = name[4], .kind = MK_HYPER_REAL, .lo = -1, .hi = 1, .def = NAN},
    };
    struct mk_clause above_middle = {.of = X3, .lo = 50, .hi = INFINITY, .lo_open = true};
    int code = MK_OK;
    for (size_t i = 0; i < X3 + others && !code; i++) {
        code = mk_space_add(s, &hypers[i], err);
        if (!code && i == X4) code = mk_space_require(s, X4, MODE, 1, err);
        if (!code && i == X5) code = mk_space_condition(s, X5, &above_middle, err);
    }
    return code;
}

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    struct mk_space *s = NULL;
    int code = mk_space_new(&s, err);
    if (!code) code = add_all(s, draw(o).others, err);
    return mk_space_done(s, code, out, err);
}

/* ---- the reward ---- */

static const char *check_cash(const double *par)
{
    return isnan(par[SEED]) ? "seed: missing; expected a whole number >= 0" : NULL;
}

static int prepare(struct mk_objective *o, struct mk_error *err)
{
    struct data *a = malloc(sizeof *a);
    if (!a) return mk_fail_memory(err, "an objective");
    *a = draw(o);
    o->data = a;
    return MK_OK;
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const struct data *a = o->data;
    bool fails = true;
    out->value = a->peak - a->loss[(size_t)v[MODE]];
    for (int i = 0; i < 2; i++) {
        const double u = mk_hyper_unit(&o->space->hyper[X1 + i], v[X1 + i]);
        out->value -= a->slope[i] * (u - a->best[i]) * (u - a->best[i]);
        fails &= a->failing_low[i] ? u < corner : u > 1 - corner;
    }
    if (!fails) return;
    out->value = a->peak - failure;
    out->status = MK_TRIAL_CRASHED;
}

static double optimum(const struct mk_objective *o)
{
    const struct data *a = o->data;
    return a->peak;
}

const struct mk_objective_type mk_objective_cash = {
    .name = "cash",
    .summary = "synthetic algorithm with 3 to 6 hyperparameters, drawn from (seed, arm)",
    .formula = "reward = peak - slope_1 (u_1 - u*_1)^2 - slope_2 (u_2 - u*_2)^2 - loss(mode); arm 0 has peak 1, others "
               "1 - gap U; one corner fails; up to 3 hyperparameters do not matter",
    .reference = "after Li et al. 2020, Table 1: nested in the number of arms",
    .flags = MK_OBJECTIVE_OWN_SPACE | MK_OBJECTIVE_SEEDED,
    .params = params,
    .check = check_cash,
    .make_space = make_space,
    .prepare = prepare,
    .evaluate = evaluate,
    .optimum = optimum,
};

/* An inverted bowl, whose reward has a closed-form distribution under random search:
 *
 *     r(x) = top - slope min(s, radius^p),   s = sum_{i <= d} w_i |x_i - c|^p,   w_i = stretch^((i - 1) / (d - 1)),
 *
 * on [0, 1]^(d + irrelevant); the last coordinates do not matter. If the ball s <= radius^p lies inside the cube, r <
 * top - slope e has probability 1 - V (e / radius^p)^(d / p) for e < radius^p, with its volume
 *
 *     V = radius^d (2 Gamma(1 + 1/p))^d / Gamma(1 + d/p) prod w_i^(-1/p),
 *
 * so that P(r > top - eps) ~ eps^(d/p): L > 0 and U < infinity only for d = p. With weight V the reward is
 * top - slope radius^p U^(p/d), U uniform, otherwise its smallest value. */
#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_sf_gamma.h>

#include "sim/base/error.h"

#include "sim/search/objectives/parts/closed_form.h"

enum { DIMENSIONS, IRRELEVANT, POWER, TOP, SLOPE, RADIUS, CENTRE, STRETCH, PARAMS };

static const struct mk_param params[] = {
    MK_DIMENSIONS_PARAM(1),
    {"irrelevant", MK_INTEGER, 0, 0, 0, MK_MOST_DIMENSIONS, NULL, "further inputs that do not matter"},
    {"power", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 2, 0, INFINITY, NULL, "p: 2 is a smooth optimum, 1 a kink"},
    {"top", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, -INFINITY, INFINITY, NULL, "largest reward"},
    {"slope", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 1, 0, INFINITY, NULL, "slope away from the optimum"},
    {"radius", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0.5, 0, INFINITY, NULL, "from here on the reward is constant"},
    {"centre", MK_REAL, 0, 0.5, 0, 1, NULL, "every coordinate of the optimum"},
    {"stretch", MK_REAL, MK_OPEN_HI, 1, 1, INFINITY, NULL, "largest weight of a coordinate; the smallest is 1"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t relevant(const struct mk_objective *o)
{
    return (size_t)o->par[DIMENSIONS];
}

static double weight(const struct mk_objective *o, size_t i)
{
    return relevant(o) == 1 ? 1 : pow(o->par[STRETCH], (double)i / (double)(relevant(o) - 1));
}

static int make_space(const struct mk_objective *o, struct mk_space **out, struct mk_error *err)
{
    const double def = o->par[CENTRE] + (o->par[CENTRE] > 0.5 ? -0.25 : 0.25); /* the optimum is not given away */
    return mk_box_space(relevant(o) + (size_t)o->par[IRRELEVANT], 0, 1, def, out, err);
}

static void evaluate(const struct mk_objective *o, const double *v, struct mk_evaluation *out)
{
    const double p = o->par[POWER];
    double sum = 0;
    for (size_t i = 0; i < relevant(o); i++)
        sum += weight(o, i) * pow(fabs(mk_objective_input(o, v, i) - o->par[CENTRE]), p);
    out->value = o->par[TOP] - o->par[SLOPE] * fmin(sum, pow(o->par[RADIUS], p));
}

static double optimum(const struct mk_objective *o)
{
    return o->par[TOP];
}

/* Every relevant input is a real number uniform on [0, 1], and the ball reaches no face of the cube. */
static int check_ball(const struct mk_objective *o, struct mk_error *err)
{
    const double room = fmin(o->par[CENTRE], 1 - o->par[CENTRE]);
    if (o->par[RADIUS] > room)
        return mk_fail(err, MK_EINPUT, "the ball of the bowl is not inside the cube: radius %g, distance %g to a face",
                       o->par[RADIUS], room);
    for (size_t i = 0; i < relevant(o); i++) {
        const struct mk_hyper *h = &o->space->hyper[o->input[i]];
        if (h->kind != MK_HYPER_REAL || h->log || h->step > 0 || h->lo != 0 || h->hi != 1)
            return mk_fail(err, MK_EINPUT, "the distribution of the bowl is known only on its own space");
    }
    return mk_space_forbids(o->space)
               ? mk_fail(err, MK_EINPUT, "the distribution of the bowl is known only on its own space")
               : MK_OK;
}

static int distribution(const struct mk_objective *o, struct mk_dist **out, struct mk_error *err)
{
    const double d = (double)relevant(o), p = o->par[POWER], edge = o->par[SLOPE] * pow(o->par[RADIUS], p);
    double log_volume = d * (log(o->par[RADIUS]) + M_LN2 + gsl_sf_lngamma(1 + 1 / p)) - gsl_sf_lngamma(1 + d / p);
    struct mk_dist *part[2] = {NULL, NULL};
    int param, code = check_ball(o, err);
    if (code) return code;
    for (size_t i = 0; i < relevant(o); i++) log_volume -= log(weight(o, i)) / p;
    const double volume = fmin(exp(log_volume), 1), weights[] = {volume, 1 - volume};
    struct mk_dist_spec spec = {
        .type = mk_dist_type_find("mixture"), .n_values = 2, .values = weights, .n_parts = 2, .parts = part};
    mk_param_defaults(spec.type->params, spec.v);
    code = mk_dist_make(&part[0], "power", err, d / p, 1.0);
    if (!code) code = mk_dist_wrap(&part[0], "affine", o->par[TOP], -edge, NULL, err);
    if (!code && !(volume < 1 - 1e-15)) {
        *out = part[0];
        return MK_OK;
    }
    if (!code) code = mk_dist_make(&part[1], "dirac", err, o->par[TOP] - edge);
    if (!code) code = mk_dist_new(out, &spec, &param, err);
    if (!code) return MK_OK;
    mk_dist_free(part[0]);
    mk_dist_free(part[1]);
    return code;
}

const struct mk_objective_type mk_objective_bowl = {
    .name = "bowl",
    .summary = "bowl with relevant and irrelevant inputs, exact distribution under random search",
    .formula =
        "reward = top - slope min(s, radius^p), s = sum over the first `dimensions` inputs of w_i |x_i - centre|^p, "
        "x_i in [0, 1]; P(r > top - eps) ~ eps^(d/p)",
    .reference = "after Balef et al. 2025, Lemma 3.3",
    .flags = MK_OBJECTIVE_NUMBERS,
    .params = params,
    .make_space = make_space,
    .evaluate = evaluate,
    .optimum = optimum,
    .distribution = distribution,
};

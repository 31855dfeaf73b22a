/* Random search (Nguyen 2024, Algorithms 1 and 2; Bergstra & Bengio 2012): configurations at random, regardless of
 * earlier results. For every choice a word is drawn uniformly, then the hyperparameters that it activates.
 *
 * `sampler` replaces independent draws by Sobol's or Halton's sequence (shifted modulo 1 by a random vector) or by a
 * Latin hypercube over the whole budget. Measured configurations (spaces with rows) are drawn with replacement. Cost
 * per ask O(d). */
#include "sim/search/optimizers/parts/design.h"

enum { SAMPLER, PARAMS };

static const struct mk_param params[] = {
    {"sampler", MK_CHOICE, 0, MK_DESIGN_RANDOM, 0, 0, MK_DESIGN_CHOICES, "independent draws or space-filling points"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static enum mk_design sampler(const double *par)
{
    return (enum mk_design)par[SAMPLER];
}

static bool is_sequence(enum mk_design design)
{
    return design == MK_DESIGN_SOBOL || design == MK_DESIGN_HALTON;
}

static bool plans(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)space;
    (void)budget;
    return sampler(par) == MK_DESIGN_LHS;
}

static size_t state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)budget;
    return is_sequence(sampler(par)) ? mk_sequence_size(sampler(par), space->n) : 0;
}

static int init_random(void *state, const struct mk_ask *a, struct mk_error *err)
{
    (void)err;
    if (is_sequence(sampler(a->par))) mk_sequence_init(state, sampler(a->par), a->space->n);
    return MK_OK;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    const enum mk_design design = sampler(a->par);
    (void)fidelity;
    (void)err;
    if (is_sequence(design))
        mk_sequence_next(state, design, a->space->n, a->key, v);
    else if (design == MK_DESIGN_LHS)
        mk_latin_hypercube(a->trials->n, a->budget, a->space->n, a->key, &a->rng, v);
    else
        return mk_space_sample(a->space, &a->rng, v), MK_OK;
    mk_take_point(a, v, v);
    return MK_OK;
}

const struct mk_optimizer_type mk_optimizer_random = {
    .name = "random",
    .summary = "random search",
    .formula =
        "every configuration uniform in the unit cube of its active hyperparameters, independently: of a discrete space the same one may be drawn again",
    .reference = "Bergstra & Bengio 2012; Nguyen 2024, Algorithms 1 and 2",
    .departures = "",
    .cost = "O(d)",
    .params = params,
    .plans = plans,
    .state_size = state_size,
    .init = init_random,
    .ask = ask,
};

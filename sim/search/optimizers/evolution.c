/* Regularised evolution (Real, Aggarwal, Huang & Le 2019, Algorithm 1): the population consists of the `population`
 * newest results. A proposal is a mutation of the best of `sample` members drawn with replacement; the oldest member
 * dies, however good it is. The first `population` configurations are random.
 *
 * A mutation changes one active hyperparameter, each with the same probability: a number or ordinal by a normal step in
 * the unit cube (standard deviation `step`), a word to any other. Of measured configurations the untried one nearest to
 * the mutation is proposed, or to the parent where the hyperparameter is inactive. Running trials are not members yet,
 * as in the paper's asynchronous workers. It keeps no state, for the population is a function of the trials. Cost per
 * ask O(sample + d + n). */
#include <math.h>
#include <string.h>

#include "sim/search/optimizers/optimizer.h"
#include "sim/search/optimizers/parts/untried.h"

enum { POPULATION, SAMPLE, STEP, PARAMS };
enum { TRIES = 100 };

static const struct mk_param params[] = {
    {"population", MK_INTEGER, 0, 10, 1, 1e6, NULL, "members, the newest results (paper: 100)"},
    {"sample", MK_INTEGER, 0, 5, 1, 1e6, NULL, "members of which the best is the parent (paper: 25)"},
    {"step", MK_REAL, MK_OPEN_LO, 0.2, 0, 1, NULL,
     "standard deviation of the mutation of a number, in widths of its range"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* The best of a sample of the population, the first drawn of equal ones. */
static size_t choose_parent(struct mk_ask *a)
{
    const struct mk_trials *t = a->trials;
    const size_t members = (size_t)fmin(a->par[POPULATION], (double)t->told);
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < (size_t)a->par[SAMPLE]; i++) {
        const size_t member = t->told - 1 - (size_t)mk_uniform_below(&a->rng, members);
        if (best == SIZE_MAX || t->reward[member] > t->reward[best]) best = member;
    }
    return best;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    (void)state;
    (void)fidelity;
    if ((double)a->trials->n < a->par[POPULATION] || !mk_trials_known(a->trials)) return mk_draw_untried(a, v, err);
    const double *parent = a->trials->v + choose_parent(a) * s->n;
    for (int i = 0; i < TRIES; i++) {
        const size_t at = (size_t)mk_uniform_below(&a->rng, s->n);
        memcpy(v, parent, s->n * sizeof *v);
        const bool mutated = mk_space_neighbour(s, &a->rng, parent, at, a->par[STEP], v);
        if (s->n_rows) return mk_take_nearest_row(a, v, err);
        if (mutated && !mk_trials_has(a->trials, v)) return MK_OK;
    }
    return mk_draw_untried(a, v, err);
}

const struct mk_optimizer_type mk_optimizer_evolution = {
    .name = "evolution",
    .summary = "regularised evolution: mutations of the best of a sample of the newest results",
    .formula = "one hyperparameter changed of the best of `sample` among the `population` newest results",
    .reference = "Real, Aggarwal, Huang & Le 2019, Algorithm 1 (aging evolution)",
    .departures =
        "the paper evaluates 20,000 architectures, with population=100 and sample=25; the defaults suit tens to "
        "hundreds of evaluations. Its mutations are of architectures; here one hyperparameter changes, numbers by a "
        "normal step (0.2, as SMAC's neighbours). No configuration is proposed twice while others are untried. TPOT instead keeps the "
        "best (DEAP's eaMuPlusLambda), evaluates whole generations, and crosses pipelines: a generation waits for its "
        "slowest trial",
    .cost = "O(sample + d + n)",
    .flags = MK_OPTIMIZER_MODEL,
    .params = params,
    .ask = ask,
};

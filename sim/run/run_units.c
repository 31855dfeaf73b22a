/* How many units, steps and pulls a run has, and how many units a block. */
#include "sim/run/run.h"

enum { BLOCK_BYTES = 16 << 20, LEAST_ROUNDS = 4 };

/* Target size of a block, which limits what an interruption can lose: about block_pulls pulls (seconds of one
 * processor), but at least LEAST_ROUNDS units per thread. One horizon takes the record engine about as long as
 * record_worth pulls take the other. */
static const double block_pulls = 1e7, record_worth = 2e4;

/* With the engines c->engine; NULL: counts plain pulls. */
static double pulls_of_unit(const struct mk_experiment *e, const enum mk_engine *engine)
{
    double pulls = 0;
    for (size_t i = 0; i < e->n_entries; i++) {
        const bool per_horizon = e->entry[i].type->flags & MK_POLICY_NEEDS_HORIZON;
        for (size_t h = per_horizon ? 0 : e->n_horizons - 1; h < e->n_horizons; h++) {
            double horizon = (double)e->horizon[h];
            pulls += engine && engine[i] == MK_ENGINE_RECORD && horizon > record_worth ? record_worth : horizon;
        }
    }
    return pulls;
}

double mk_run_pulls(const struct mk_experiment *e)
{
    return pulls_of_unit(e, NULL);
}

uint64_t mk_run_units(const struct mk_experiment *e)
{
    return e->replications * e->problem->n_instances;
}

uint64_t mk_run_steps(const struct mk_experiment *e)
{
    return mk_problem_has(e->problem, MK_HAS_EVALUATIONS) ? mk_problem_evaluations(e->problem) : 1;
}

static uint64_t overlap(uint64_t first, uint64_t end, uint64_t from, uint64_t to)
{
    const uint64_t low = first > from ? first : from, high = end < to ? end : to;
    return low < high ? high - low : 0;
}

uint64_t mk_run_played(const struct mk_experiment *e, uint64_t first, uint64_t end)
{
    uint64_t played = end - first;
    for (size_t i = 0; i < e->problem->n_instances; i++) {
        const uint64_t from = i * e->replications, own = mk_problem_replications(e->problem, i, e->replications);
        played -= overlap(first, end, from + own, from + e->replications);
    }
    return played;
}

uint64_t mk_run_block_units(const struct mk_run_context *c, uint64_t all, int threads)
{
    const struct mk_experiment *e = c->experiment;
    uint64_t per_unit = (uint64_t)e->n_entries * e->n_horizons * (e->problem->n_arms + 1) * sizeof(uint64_t) +
                        mk_problem_row(e->problem) * sizeof(double);
    uint64_t units = BLOCK_BYTES / per_unit;
    double worth = block_pulls / pulls_of_unit(e, c->engine);
    if (worth < LEAST_ROUNDS * threads) worth = LEAST_ROUNDS * threads;
    if ((double)units > worth) units = (uint64_t)worth;
    return units < 1 ? 1 : units < all ? units : all;
}

#include "sim/estimate.h"

#include "sim/memory.h"
#include "sim/text.h"

enum {
    WRITER_ROWS = 64,
    SORTED_COPIES = 3,
    WRITER_POLICY = 200000 /* what HDF5 1.10 holds of the open datasets of one policy, as measured */
};

static double state_bytes(const struct mk_run_context *c)
{
    const struct mk_experiment *e = c->experiment;
    struct mk_setup setup = {.arms = 1, .horizon = e->horizon[e->n_horizons - 1], .log = c->log, .log_len = c->log_len};
    double most = 0;
    for (size_t i = 0; i < e->problem->n_instances; i++)
        if (e->problem->instance[i].n_arms > setup.arms) setup.arms = e->problem->instance[i].n_arms;
    for (size_t i = 0; i < e->n_entries; i++) {
        setup.par = e->entry[i].par;
        double bytes = (double)e->entry[i].type->state_size(&setup);
        if (bytes > most) most = bytes;
    }
    return most;
}

struct mk_estimate mk_estimate(const struct mk_run_context *c, int threads)
{
    const struct mk_experiment *e = c->experiment;
    double cells = (double)e->n_entries * (double)e->n_horizons,
           row = cells * (double)(e->problem->n_arms + 1 + (e->rare_events > 0)) * 8;
    struct mk_estimate m = {0};
    for (size_t i = 0; i < e->n_entries; i++)
        if (c->engine[i] == MK_ENGINE_PER_PULL && e->problem->kind != MK_TRAJECTORIES)
            m.tapes = 8.0 * (double)e->horizon[e->n_horizons - 1] * threads;
    m.states = state_bytes(c) * threads;
    m.block = 2 * row * (double)mk_run_block_units(c, mk_run_units(e), threads); /* one at work, one handed over */
    m.writer = row;
    if (e->keep == MK_KEEP_PULLS) {
        double rows = e->replications < WRITER_ROWS ? (double)e->replications : WRITER_ROWS;
        m.writer = row * rows + 8.0 * (double)e->replications * (double)(e->problem->n_arms + SORTED_COPIES);
    }
    m.writer += (double)e->n_entries * WRITER_POLICY;
    return m;
}

int mk_estimate_check(const struct mk_run_context *c, int threads, struct mk_error *err)
{
    struct mk_estimate m = mk_estimate(c, threads);
    double all = m.tapes + m.states + m.block + m.writer, there = mk_memory();
    char t[6][MK_SIZE_ROOM];
    if (all <= there) return MK_OK;
    return mk_fail(
        err, MK_EINPUT,
        "%s: the run needs at least %s of memory (reward tapes %s, policies %s, blocks %s, writer %s) and there "
        "is %s: take fewer threads (-j), shorter horizons, fewer policies or keep: summary",
        c->experiment->file, mk_size_text(all, t[0]), mk_size_text(m.tapes, t[1]), mk_size_text(m.states, t[2]),
        mk_size_text(m.block, t[3]), mk_size_text(m.writer, t[4]), mk_size_text(there, t[5]));
}

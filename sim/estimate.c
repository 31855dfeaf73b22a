#include "sim/estimate.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WRITER_ROWS = 64, SORTED_COPIES = 3 };

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
    double cells = (double)e->n_entries * (double)e->n_horizons, row = cells * (double)(e->problem->n_arms + 1 + (e->rare_events > 0)) * 8;
    struct mk_estimate m = {0};
    for (size_t i = 0; i < e->n_entries; i++)
        if (c->engine[i] == MK_ENGINE_PER_PULL && e->problem->kind != MK_TRAJECTORIES)
            m.tapes = 8.0 * (double)e->horizon[e->n_horizons - 1] * threads;
    m.states = state_bytes(c) * threads;
    m.block = row * (double)mk_run_block_units(c, mk_run_units(e), threads);
    m.writer = row;
    if (e->keep == MK_KEEP_PULLS) {
        double rows = e->replications < WRITER_ROWS ? (double)e->replications : WRITER_ROWS;
        m.writer = row * rows + 8.0 * (double)e->replications * (double)(e->problem->n_arms + SORTED_COPIES);
    }
    return m;
}

static double available(void)
{
    struct rlimit limit;
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && (double)limit.rlim_cur < bytes)
        bytes = (double)limit.rlim_cur;
    return bytes;
}

static const char *size_text(double bytes, char *out, size_t room)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    size_t u = 0;
    for (; bytes >= 1000 && u + 1 < sizeof units / sizeof *units; u++) bytes /= 1000;
    snprintf(out, room, "%.3g %s", bytes, units[u]);
    return out;
}

int mk_estimate_check(const struct mk_run_context *c, int threads, struct mk_error *err)
{
    struct mk_estimate m = mk_estimate(c, threads);
    double all = m.tapes + m.states + m.block + m.writer, there = available();
    char t[6][32];
    if (all <= there) return MK_OK;
    return mk_fail(err, MK_EINPUT,
                   "%s: the run needs at least %s of memory (reward tapes %s, policies %s, blocks %s, writer %s) and there "
                   "is %s: take fewer threads (-j), shorter horizons, fewer policies or keep: summary",
                   c->experiment->file, size_text(all, t[0], sizeof t[0]), size_text(m.tapes, t[1], sizeof t[1]),
                   size_text(m.states, t[2], sizeof t[2]), size_text(m.block, t[3], sizeof t[3]),
                   size_text(m.writer, t[4], sizeof t[4]), size_text(there, t[5], sizeof t[5]));
}

#include "sim/run/durable/memory_estimate.h"

#include <math.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/base/system_memory.h"
#include "sim/base/text.h"
#include "sim/run/store/journal.h"

enum {
    LIBRARIES = 9 << 20,    /* code and tables of the libraries, touched as the run proceeds; measured */
    WRITER_POLICY = 200000, /* HDF5 1.10's memory for the open datasets of one policy, measured */
    FEW_OCTAVES = 4,        /* of largest rewards, for their histogram: if all arms are bounded, */
    OCTAVES = 32,           /* and otherwise */
    TRIAL_NUMBERS = 6,      /* of a trial, in addition to its configuration */
    SEARCH_SCRATCH = 1 << 20
};

static const double mapped = 1 << 17; /* size in bytes from which malloc maps an array separately */

double mk_memory_estimate_all(const struct mk_memory_estimate *m)
{
    return m->base + m->block + fmax(m->tapes + m->states, m->writer);
}

/* A grown array: a small one leaves its outgrown copies behind in the heap, plus a header. */
static double grown(double bytes)
{
    return bytes < mapped ? 1.5 * bytes + 32 : bytes;
}

/* Bytes of one search: its trials, and its optimiser's state and scratch memory (about as much). */
static double search_bytes(const struct mk_optimizer_choice *o, const struct mk_space *space, uint64_t budget)
{
    const double state = o->type->state_size ? (double)o->type->state_size(o->par, space, budget) : 0;
    return grown((double)budget * (2 * (double)space->n + TRIAL_NUMBERS) * sizeof(double)) + 2 * state + SEARCH_SCRATCH;
}

/* For one thread: the rewards of all arms and combined searches, and their optimisers. */
static double searches_bytes(const struct mk_searches *s)
{
    double all = (double)(s->n_arms + s->n_combined) * (double)s->budget * (1 + s->in_part + s->noisy) * sizeof(double);
    for (size_t k = 0; k < s->n_arms; k++)
        all += search_bytes(&s->optimizer[k], (*mk_searches_objective(s, 0, k))->space, s->budget);
    for (size_t c = 0; c < s->n_combined; c++) all += search_bytes(&s->combined[c], s->joint[0], s->budget);
    return all;
}

/* For one thread. */
static double tape_bytes(const struct mk_run_context *c, double arms)
{
    const struct mk_experiment *e = c->experiment;
    const double T = (double)mk_experiment_rounds(e);
    double all = arms * (double)(sizeof(struct mk_reward_tape_arm) + sizeof(struct mk_record_arm)), pulls = 0,
           records = 0;
    const struct mk_searches *searches = mk_problem_searches(e->problem);
    if (searches) return all + searches_bytes(searches);
    if (!e->problem->source->sample) return all; /* recorded rewards are not copied */
    for (size_t i = 0; i < e->n_entries; i++) {
        if (c->engine[i] == MK_ENGINE_PER_PULL)
            pulls++;
        else
            records = 1;
    }
    if (pulls > 0) {
        const double drawn = fmin(fmin(arms, T) * mk_reward_tape_need(T, 1), (double)mk_run_tape_most(e));
        all += fmin(arms, T) * grown(drawn / fmin(arms, T) * sizeof(double));
    }
    /* n pulls have about log n records, and those of all arms at most T. */
    return all + records * arms * grown((8 + 2 * log1p(T / arms)) * sizeof(struct mk_record));
}

/* For one thread: the largest state, and the worker's own numbers per arm. */
static double state_bytes(const struct mk_run_context *c, size_t arms)
{
    const struct mk_experiment *e = c->experiment;
    struct mk_setup setup = {.arms = arms, .horizon = mk_experiment_rounds(e), .log = c->log, .log_len = c->log_len};
    double most = 0;
    for (size_t i = 0; i < e->n_entries; i++) {
        setup.par = e->entry[i].par;
        setup.candidates = mk_run_candidates(c, &e->entry[i]);
        most = fmax(most, (double)e->entry[i].type->state_size(&setup));
    }
    return most + 64 * (double)arms;
}

/* Slots of a histogram of at most n different values. */
static double histogram_bytes(double n)
{
    double places = 4;
    while (places < 2 * (n + 1)) places *= 2;
    return places * sizeof(struct mk_bin);
}

/* Whole numbers to T: all different, or 2^MK_HISTOGRAM_BITS per octave. */
static double different_pulls(double T)
{
    const double exact = 2 << MK_HISTOGRAM_BITS;
    return T < exact ? T + 1 : exact + MK_HISTOGRAM_BINS * ceil(log2(T / exact));
}

static bool is_bounded(const struct mk_run_context *c)
{
    for (size_t k = 0; k < c->truth->n_arms; k++)
        if (!isfinite(c->truth->support_low[k]) || !isfinite(c->truth->support_high[k])) return false;
    return true;
}

static double writer_bytes(const struct mk_run_context *c, int threads)
{
    const struct mk_experiment *e = c->experiment;
    const double maxima = (is_bounded(c) ? FEW_OCTAVES : OCTAVES) * MK_HISTOGRAM_BINS;
    const double arms = (double)e->problem->n_arms, n = (double)e->replications, entries = (double)e->n_entries;
    double all = entries * WRITER_POLICY + (2 + MK_QUANTILES) * arms * sizeof(double);
    for (size_t h = 0; h < e->n_horizons; h++) {
        const double T = (double)(e->problem->by_cost ? mk_experiment_rounds(e) : e->horizon[h]);
        double cell = arms * sizeof(struct mk_count_moments);
        if (e->keep == MK_KEEP_SUMMARY) {
            /* d different pulls of an arm are at least d^2 / 2 pulls, of n T */
            const double values = fmin(fmin(n, different_pulls(T)), sqrt(2 * n * T / arms) + 1);
            cell +=
                arms * (sizeof(struct mk_histogram) + 16 + histogram_bytes(values)) + histogram_bytes(fmin(n, maxima));
        }
        all += entries * cell;
    }
    return e->keep == MK_KEEP_PULLS ? all + mk_writer_rows_bytes(e, threads) : all;
}

/* The share of a block's bytes left after those that are always zero are deflated away. */
static double deflated(double T, double arms)
{
    return (arms * ceil(log2(T + 1) / 8) + 8) / (8 * (arms + 1));
}

struct mk_memory_estimate mk_memory_estimate(const struct mk_run_context *c, int threads)
{
    const struct mk_experiment *e = c->experiment;
    const uint64_t all_units = mk_run_units(e), units = mk_run_block_units(c, all_units, threads);
    const double cells = (double)e->n_entries * (double)e->n_horizons, arms = (double)e->problem->n_arms,
                 searched = (double)mk_problem_row(e->problem) * 8,
                 row = cells * (arms + 1 + (e->rare_events > 0)) * 8 + searched,
                 at_work = units < (uint64_t)threads ? (double)units : (double)threads;
    const size_t of_instance = mk_run_largest_instance(e->problem);
    const double block = row * (double)units, packed = deflated((double)mk_experiment_rounds(e), arms);
    const double replayed = fmin(mk_journal_replayed(block, threads), ceil((double)all_units / (double)units));
    return (struct mk_memory_estimate){
        .base = mk_process_memory() + LIBRARIES,
        .tapes = at_work * tape_bytes(c, (double)of_instance),
        .states = at_work * state_bytes(c, of_instance),
        /* one in progress and one handed over, or those replayed; a deflated one is kept for the next */
        .block = (fmax(2, replayed * (1 + packed)) + packed) * block,
        .writer = writer_bytes(c, threads) + searched * (double)all_units,
    };
}

/* The policies that cannot use records, for a message. */
static const char *name_pullers(const struct mk_run_context *c, char *out, size_t room)
{
    const struct mk_experiment *e = c->experiment;
    size_t used = 0;
    *out = 0;
    for (size_t i = 0; i < e->n_entries && used < room; i++)
        if (c->engine[i] == MK_ENGINE_PER_PULL)
            used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "", e->entry[i].label);
    return out;
}

int mk_memory_estimate_check(const struct mk_run_context *c, int threads, struct mk_error *err)
{
    const struct mk_memory_estimate m = mk_memory_estimate(c, threads);
    const double all = mk_memory_estimate_all(&m), available = mk_system_memory();
    char t[7][MK_SIZE_ROOM];
    if (all <= available) return MK_OK;
    char advice[320] = "use fewer replications, horizons or policies, or keep: summary", names[160];
    if (m.writer <= m.tapes + m.states)
        snprintf(advice, sizeof advice, "use fewer threads (-j) or shorter horizons%s%s",
                 *name_pullers(c, names, sizeof names) ? ", or leave out the policies that need every reward: " : "",
                 names);
    return mk_fail(err, MK_EINPUT,
                   "%s: the run may need %s of memory (program and problem %s, blocks %s, reward tapes %s and policies "
                   "%s, then writer %s) and there is %s: %s",
                   c->experiment->file, mk_size_text(all, t[0]), mk_size_text(m.base, t[1]),
                   mk_size_text(m.block, t[2]), mk_size_text(m.tapes, t[3]), mk_size_text(m.states, t[4]),
                   mk_size_text(m.writer, t[5]), mk_size_text(available, t[6]), advice);
}

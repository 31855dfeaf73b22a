/* The rare-event estimator: weighted replications, in parallel, reduced in their order. */
#include "sim/rare.h"

#include <math.h>
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/run.h"
#include "sim/statistics.h"

enum { CHUNK = 4096 };

/* Numbers of replications that no run reaches. */
static const uint64_t first_replication = UINT64_C(1) << 63;

struct mk_rare *mk_rare_new(size_t n_horizons, size_t n_arms)
{
    size_t cells = n_horizons * n_arms;
    struct mk_rare *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->n_horizons = n_horizons;
    r->n_arms = n_arms;
    r->mean_pulls = calloc(2 * cells + 5 * n_horizons, sizeof(double));
    if (!r->mean_pulls) {
        free(r);
        return NULL;
    }
    r->se_pulls = r->mean_pulls + cells;
    r->lock_out_share = r->se_pulls + cells;
    r->se_lock_out = r->lock_out_share + n_horizons;
    r->lock_outs = r->se_lock_out + n_horizons;
    r->regret = r->lock_outs + n_horizons;
    r->se_regret = r->regret + n_horizons;
    return r;
}

void mk_rare_free(struct mk_rare *r)
{
    if (r) free(r->mean_pulls);
    free(r);
}

static double parameter(const struct mk_entry *entry, const char *name)
{
    int at = mk_param_find(entry->type->params, name);
    return at < 0 ? NAN : entry->par[at];
}

const char *mk_rare_refusal(const struct mk_experiment *e, char *text, size_t room)
{
    const struct mk_problem *p = e->problem;
    if (p->kind != MK_SYNTHETIC) return "needs arms that are drawn from distributions";
    for (size_t k = 0; k < p->n_arms; k++) {
        double lo, hi;
        mk_dist_support(p->dist[k], &lo, &hi);
        if (isfinite(hi) && !mk_dist_has_atoms(p->dist[k])) continue;
        snprintf(text, room, "arm %zu %s, allowed: arms with an upper end and without point masses", k,
                 isfinite(hi) ? "has point masses" : "is unbounded");
        return text;
    }
    for (size_t i = 0; i < e->n_entries; i++) {
        const struct mk_entry *entry = &e->entry[i];
        if (strcmp(entry->type->name, "max_ucb") == 0 && parameter(entry, "scale") == 0) continue;
        snprintf(text, room, "policy %s, allowed: max_ucb with scale: none", entry->label);
        return text;
    }
    if (e->n_horizons && e->horizon[e->n_horizons - 1] > MK_RECORD_LAST) return "horizons beyond 2^53";
    return NULL;
}

/* ---- the sums ----
 * E[X] = x + E[w (X - x)] for every fixed x; one that is near what most replications give takes the noise of the weights
 * away. For N_i(T) that is alpha log T / sqrt(b_{i*} - b_i), and the rest of the pulls for i*. */

struct sums {
    double *typical;                           /* [horizon][arm] */
    struct mk_real_moments *pulls;             /* [horizon][arm] */
    struct mk_real_moments *lock_out, *regret; /* [horizon] */
    double *squares;                           /* [horizon] of the weights of lock-outs */
};

static void set_typical(struct sums *s, const struct mk_experiment *e, const struct mk_facts *f, double alpha)
{
    for (size_t h = 0; h < f->n_horizons; h++) {
        double *typical = s->typical + h * f->n_arms, rest = (double)e->horizon[h];
        size_t best = f->optimal_arm[h];
        for (size_t k = 0; k < f->n_arms; k++) {
            double gap = f->support_high[best] - f->support_high[k];
            if (!(gap > 0)) continue;
            typical[k] = fmin(alpha * log((double)e->horizon[h]) / sqrt(gap), (double)e->horizon[h] / (double)f->n_arms);
            rest -= typical[k];
        }
        typical[best] = rest;
    }
}

static void add_row(struct sums *s, const struct mk_experiment *e, const struct mk_facts *f, size_t h,
                    const uint64_t *pulls, double max_reward, double weight)
{
    size_t arms = f->n_arms, best = f->optimal_arm[h];
    double locked = 2 * pulls[best] < e->horizon[h] ? weight : 0;
    for (size_t k = 0; k < arms; k++)
        mk_real_moments_add(&s->pulls[h * arms + k], weight * ((double)pulls[k] - s->typical[h * arms + k]));
    mk_real_moments_add(&s->lock_out[h], locked);
    mk_real_moments_add(&s->regret[h], weight * (f->expected_max[mk_facts_at(f, 0, h, best)] - max_reward));
    s->squares[h] += locked * locked;
}

static void finish(const struct sums *s, struct mk_rare *r)
{
    for (size_t c = 0; c < r->n_horizons * r->n_arms; c++) {
        r->mean_pulls[c] = s->typical[c] + mk_real_moments_mean(&s->pulls[c]);
        r->se_pulls[c] = mk_spread_error(&s->pulls[c].spread);
    }
    for (size_t h = 0; h < r->n_horizons; h++) {
        r->lock_out_share[h] = mk_real_moments_mean(&s->lock_out[h]);
        r->se_lock_out[h] = mk_spread_error(&s->lock_out[h].spread);
        r->regret[h] = mk_real_moments_mean(&s->regret[h]);
        r->se_regret[h] = mk_spread_error(&s->regret[h].spread);
        double sum = r->lock_out_share[h] * (double)r->replications;
        r->lock_outs[h] = s->squares[h] > 0 ? sum * sum / s->squares[h] : 0;
    }
}

/* ---- the run ---- */

struct job {
    const struct mk_run_context *context;
    const struct mk_rare_design *design;
    size_t entry;
    struct mk_worker **worker; /* [thread] */
    uint64_t *exceeds;         /* [thread][n_terms] */
    uint64_t *pulls;           /* [CHUNK][horizon][arm] */
    double *max_reward;        /* [CHUNK][horizon] */
    double *weight;            /* [CHUNK][horizon] */
};

static int play_one(const struct job *j, int thread, uint64_t replication, size_t at)
{
    const struct mk_experiment *e = j->context->experiment;
    size_t horizons = e->n_horizons, arms = e->problem->n_arms;
    struct mk_worker *w = j->worker[thread];
    struct mk_record_tape *records = mk_worker_records(w);
    uint64_t *pulls = j->pulls + at * horizons * arms, *exceeds = j->exceeds + (size_t)thread * j->design->n_terms;
    struct mk_pcg64 g;
    mk_worker_seek(w, 0, first_replication + replication);
    mk_pcg64_from_key(&g, mk_key_text(mk_tape_key(mk_worker_tape(w)), "rare events"));
    mk_rare_condition(j->design, &g, records);
    int code = mk_worker_play(w, j->entry, 0, horizons - 1, pulls, arms, j->max_reward + at * horizons, 1, NULL);
    mk_rare_exceeds(j->design, records, exceeds);
    for (size_t h = 0; h < horizons; h++)
        j->weight[at * horizons + h] = mk_rare_weight(j->design, exceeds, pulls + h * arms);
    return code ? code : records->failed ? MK_EFAIL : MK_OK;
}

static int play_chunk(const struct job *j, int threads, uint64_t first, uint64_t n, struct mk_progress *progress)
{
    _Atomic int failed = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (uint64_t at = 0; at < n; at++) {
        if (atomic_load_explicit(&failed, memory_order_relaxed) || mk_run_stopped()) continue;
        int code = play_one(j, omp_get_thread_num(), first + at, (size_t)at);
        if (code) atomic_store(&failed, code);
        if (progress) mk_progress_step(progress, omp_get_thread_num() == 0);
    }
    return mk_run_stopped() ? MK_ESTOPPED : failed;
}

static int allocate(struct job *j, struct sums *s, int threads, struct mk_error *err)
{
    const struct mk_experiment *e = j->context->experiment;
    size_t horizons = e->n_horizons, arms = e->problem->n_arms;
    j->worker = calloc((size_t)threads, sizeof *j->worker);
    j->exceeds = calloc((size_t)threads * j->design->n_terms + 1, sizeof *j->exceeds);
    j->pulls = malloc(CHUNK * horizons * arms * sizeof *j->pulls);
    j->max_reward = malloc(CHUNK * horizons * sizeof *j->max_reward);
    j->weight = malloc(CHUNK * horizons * sizeof *j->weight);
    s->typical = calloc(horizons * arms, sizeof *s->typical);
    s->pulls = calloc(horizons * arms, sizeof *s->pulls);
    s->lock_out = calloc(horizons, sizeof *s->lock_out);
    s->regret = calloc(horizons, sizeof *s->regret);
    s->squares = calloc(horizons, sizeof *s->squares);
    if (!j->worker || !j->exceeds || !j->pulls || !j->max_reward || !j->weight || !s->typical || !s->pulls || !s->lock_out ||
        !s->regret || !s->squares)
        return mk_fail_memory(err, "the rare-event estimator");
    int code = MK_OK;
    for (int i = 0; i < threads && !code; i++) code = mk_worker_new(&j->worker[i], j->context, err);
    return code;
}

static void release(struct job *j, struct sums *s, int threads)
{
    for (int i = 0; j->worker && i < threads; i++) mk_worker_free(j->worker[i]);
    free(j->worker);
    free(j->exceeds);
    free(j->pulls);
    free(j->max_reward);
    free(j->weight);
    free(s->typical);
    free(s->pulls);
    free(s->lock_out);
    free(s->regret);
    free(s->squares);
}

static int simulate(const struct job *j, struct sums *s, int threads, struct mk_progress *progress, struct mk_error *err)
{
    const struct mk_experiment *e = j->context->experiment;
    size_t horizons = e->n_horizons, arms = e->problem->n_arms;
    for (uint64_t first = 0; first < e->rare_events; first += CHUNK) {
        uint64_t n = e->rare_events - first < CHUNK ? e->rare_events - first : CHUNK;
        int code = play_chunk(j, threads, first, n, progress);
        if (code == MK_ESTOPPED) return mk_fail(err, code, "stopped by a signal; nothing was changed");
        if (code) return mk_fail(err, code, "the rare-event estimator failed: out of memory for the record tape");
        for (size_t row = 0; row < n * horizons; row++)
            add_row(s, e, j->context->facts, row % horizons, j->pulls + row * arms, j->max_reward[row], j->weight[row]);
    }
    return MK_OK;
}

int mk_rare_run(struct mk_rare **out, const struct mk_experiment *e, const struct mk_facts *f, size_t entry, int threads,
                struct mk_progress *progress, struct mk_error *err)
{
    struct mk_run_context context = {0};
    struct mk_rare_design *design = NULL;
    struct sums s = {0};
    struct job j = {.context = &context, .entry = entry};
    struct mk_rare *r = mk_rare_new(e->n_horizons, e->problem->n_arms);
    int code = r ? mk_run_context_init(&context, e, f, err) : mk_fail_memory(err, "the rare-event estimator");
    if (!code) code = mk_run_choose(&context, MK_ENGINE_RECORD, err);
    if (!code)
        code = mk_rare_design_new(&design, e->problem, e->horizon, e->n_horizons, parameter(&e->entry[entry], "alpha"),
                                  err);
    if (code) goto out;
    j.design = design;
    code = allocate(&j, &s, threads, err);
    if (code) goto out;
    set_typical(&s, e, f, parameter(&e->entry[entry], "alpha"));
    code = simulate(&j, &s, threads, progress, err);
    if (code) goto out;
    r->replications = e->rare_events;
    r->n_families = design->n_families;
    finish(&s, r);
    *out = r;
    r = NULL;
out:
    release(&j, &s, threads);
    mk_rare_design_free(design);
    mk_run_context_clear(&context);
    mk_rare_free(r);
    return code;
}

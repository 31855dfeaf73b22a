/* The rare-event estimator: weighted replications as units of a run, reduced in their order. */
#include "sim/run/engine/rare.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "sim/base/error.h"
#include "sim/base/statistics.h"

/* Replication numbers that no run reaches. */
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

void mk_rare_lock_out_interval(const struct mk_rare *r, size_t h, double *low, double *high)
{
    const double tail = 0.025, n = r->lock_outs[h], share = r->lock_out_share[h];
    *low = n > 0 ? share / n * mk_gamma_quantile(tail, n) : 0;
    *high = n > 0 ? fmin(1, share / n * mk_gamma_quantile(1 - tail, n + 1)) : NAN;
}

/* ---- the replications ---- */

struct mk_rare_plan {
    struct mk_run_context context;  /* every entry on the record engine */
    struct mk_rare_design **design; /* [entry] */
    size_t most_terms;
};

int mk_rare_plan_new(struct mk_rare_plan **out, const struct mk_experiment *e, const struct mk_truth *f,
                     struct mk_error *err)
{
    struct mk_rare_plan *p = *out = calloc(1, sizeof *p);
    if (!p) return mk_fail_memory(err, "the rare-event estimator");
    p->context.experiment = e;
    p->design = calloc(e->n_entries, sizeof *p->design);
    int code =
        p->design ? mk_run_context_init(&p->context, e, f, err) : mk_fail_memory(err, "the rare-event estimator");
    if (!code) code = mk_run_choose(&p->context, MK_ENGINE_RECORD, err);
    for (size_t i = 0; i < e->n_entries && !code; i++) {
        code = mk_rare_design_new(&p->design[i], e->problem, e->horizon, e->n_horizons,
                                  mk_policy_entry_parameter(&e->entry[i], "alpha"),
                                  mk_policy_entry_parameter(&e->entry[i], "power"), err);
        if (!code && p->design[i]->n_terms > p->most_terms) p->most_terms = p->design[i]->n_terms;
    }
    if (code) {
        mk_rare_plan_free(p);
        *out = NULL;
    }
    return code;
}

void mk_rare_plan_free(struct mk_rare_plan *p)
{
    if (!p) return;
    for (size_t i = 0; p->design && i < p->context.experiment->n_entries; i++) mk_rare_design_free(p->design[i]);
    free(p->design);
    mk_run_context_clear(&p->context);
    free(p);
}

struct job {
    const struct mk_rare_plan *plan;
    uint64_t *exceeds; /* [thread][most_terms] */
};

static int play_unit(void *with, int thread, struct mk_worker *w, const struct mk_block *b, uint64_t at)
{
    const struct job *j = with;
    const struct mk_experiment *e = j->plan->context.experiment;
    size_t horizons = e->n_horizons, arms = e->problem->n_arms, units = (size_t)b->n_units;
    uint64_t replication = b->first_unit + at - mk_run_units(e);
    uint64_t *exceeds = j->exceeds + (size_t)thread * j->plan->most_terms;
    struct mk_record_tape *records = mk_worker_records(w);
    int code = MK_OK;
    for (size_t i = 0; i < e->n_entries && !code; i++) {
        const struct mk_rare_design *d = j->plan->design[i];
        size_t cell = i * horizons * units + (size_t)at;
        struct mk_pcg64 g;
        mk_worker_seek(w, 0, first_replication + replication);
        mk_pcg64_from_key(&g, mk_key_text(mk_reward_tape_key(mk_worker_tape(w)), "rare events"));
        mk_rare_condition(d, &g, records);
        const struct mk_play_rows rows = mk_block_rows(b, e, i, at);
        code = mk_worker_play(w, i, 0, horizons - 1, &rows, NULL);
        mk_rare_exceeds(d, records, exceeds);
        for (size_t h = 0; h < horizons; h++, cell += units)
            b->weight[cell] = mk_rare_weight(d, exceeds, b->pulls + cell * arms);
        if (records->records.failed) code = MK_EFAIL;
    }
    return code;
}

uint64_t mk_rare_block_units(const struct mk_rare_plan *p, int threads)
{
    return mk_run_block_units(&p->context, p->context.experiment->rare_events, threads);
}

int mk_rare_part(const struct mk_rare_plan *p, const struct mk_run_part *part, int threads, mk_block_sink sink,
                 void *to, struct mk_progress *progress, struct mk_error *err)
{
    struct job j = {p, calloc((size_t)threads * p->most_terms + 1, sizeof *j.exceeds)};
    struct mk_run_part mine = *part;
    mine.play = play_unit;
    mine.with = &j;
    int code = j.exceeds ? mk_run_part(&p->context, &mine, threads, sink, to, progress, err)
                         : mk_fail_memory(err, "the rare-event estimator");
    free(j.exceeds);
    return code;
}

/* ---- the sums ----
 * E[X] = x + E[w (X - x)] for every fixed x; one that is near what most replications give removes the noise of the
 * weights. For N_i(T) that is alpha log T / sqrt(b_{i*} - b_i), and the rest of the pulls for i*. */

struct sums {
    double *typical;                           /* [horizon][arm] */
    struct mk_real_moments *pulls;             /* [horizon][arm] */
    struct mk_real_moments *lock_out, *regret; /* [horizon] */
    double *squares;                           /* [horizon] of the weights of lock-outs */
};

struct mk_rare_sums {
    const struct mk_rare_plan *plan;
    uint64_t replications; /* so far */
    struct sums *of;       /* [entry] */
};

static void set_typical(struct sums *s, const struct mk_experiment *e, const struct mk_truth *f, double alpha,
                        double power)
{
    for (size_t h = 0; h < f->n_horizons; h++) {
        double *typical = s->typical + h * f->n_arms, rest = (double)e->horizon[h];
        size_t best = mk_truth_best(f, 0, h);
        for (size_t k = 0; k < f->n_arms; k++) {
            double gap = f->support_high[best] - f->support_high[k];
            if (!(gap > 0)) continue;
            typical[k] = fmin(alpha * pow(log((double)e->horizon[h]), power) / sqrt(gap),
                              (double)e->horizon[h] / (double)f->n_arms);
            rest -= typical[k];
        }
        typical[best] = rest;
    }
}

static bool sums_init(struct sums *s, const struct mk_rare_plan *p, size_t entry)
{
    const struct mk_experiment *e = p->context.experiment;
    size_t horizons = e->n_horizons, arms = e->problem->n_arms;
    s->typical = calloc(horizons * arms, sizeof *s->typical);
    s->pulls = calloc(horizons * arms, sizeof *s->pulls);
    s->lock_out = calloc(horizons, sizeof *s->lock_out);
    s->regret = calloc(horizons, sizeof *s->regret);
    s->squares = calloc(horizons, sizeof *s->squares);
    if (!s->typical || !s->pulls || !s->lock_out || !s->regret || !s->squares) return false;
    set_typical(s, e, p->context.truth, mk_policy_entry_parameter(&e->entry[entry], "alpha"),
                mk_policy_entry_parameter(&e->entry[entry], "power"));
    return true;
}

int mk_rare_sums_new(struct mk_rare_sums **out, const struct mk_rare_plan *p, struct mk_error *err)
{
    size_t n = p->context.experiment->n_entries;
    struct mk_rare_sums *s = *out = calloc(1, sizeof *s);
    int all = s && (s->of = calloc(n, sizeof *s->of)) != NULL;
    if (s) s->plan = p;
    for (size_t i = 0; all && i < n; i++) all = sums_init(&s->of[i], p, i);
    if (all) return MK_OK;
    mk_rare_sums_free(s);
    *out = NULL;
    return mk_fail_memory(err, "the rare-event estimator");
}

void mk_rare_sums_free(struct mk_rare_sums *s)
{
    if (!s) return;
    for (size_t i = 0; s->of && i < s->plan->context.experiment->n_entries; i++) {
        free(s->of[i].typical);
        free(s->of[i].pulls);
        free(s->of[i].lock_out);
        free(s->of[i].regret);
        free(s->of[i].squares);
    }
    free(s->of);
    free(s);
}

static void add_rare_row(struct sums *s, const struct mk_experiment *e, const struct mk_truth *f, size_t h,
                         const uint64_t *pulls, double max_reward, double weight)
{
    size_t arms = f->n_arms, best = mk_truth_best(f, 0, h);
    double locked = 2 * pulls[best] < e->horizon[h] ? weight : 0;
    for (size_t k = 0; k < arms; k++)
        mk_real_moments_add(&s->pulls[h * arms + k], weight * ((double)pulls[k] - s->typical[h * arms + k]));
    mk_real_moments_add(&s->lock_out[h], locked);
    mk_real_moments_add(&s->regret[h], weight * (f->expected_max[mk_truth_at(f, 0, h, best)] - max_reward));
    s->squares[h] += locked * locked;
}

int mk_rare_sums_add(void *sums, const struct mk_block *b, struct mk_error *err)
{
    struct mk_rare_sums *s = sums;
    const struct mk_experiment *e = s->plan->context.experiment;
    size_t arms = e->problem->n_arms, units = (size_t)b->n_units;
    if (b->first_unit != mk_run_units(e) + s->replications || !b->weight)
        return mk_fail(err, MK_EFAIL, "a block of rare events out of order");
    for (size_t i = 0; i < e->n_entries; i++)
        for (size_t row = 0; row < e->n_horizons * units; row++) {
            size_t cell = i * e->n_horizons * units + row;
            add_rare_row(&s->of[i], e, s->plan->context.truth, row / units, b->pulls + cell * arms, b->max_reward[cell],
                         b->weight[cell]);
        }
    s->replications += units;
    return MK_OK;
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

int mk_rare_sums_get(const struct mk_rare_sums *s, size_t entry, struct mk_rare **out, struct mk_error *err)
{
    const struct mk_experiment *e = s->plan->context.experiment;
    struct mk_rare *r = *out = mk_rare_new(e->n_horizons, e->problem->n_arms);
    if (!r) return mk_fail_memory(err, "the rare-event estimator");
    r->replications = s->replications;
    r->n_families = s->plan->design[entry]->n_families;
    finish(&s->of[entry], r);
    return MK_OK;
}

int mk_rare_all(struct mk_rare **out, const struct mk_experiment *e, const struct mk_truth *f, size_t entry,
                int threads, struct mk_error *err)
{
    struct mk_rare_plan *plan = NULL;
    struct mk_rare_sums *sums = NULL;
    const uint64_t first = mk_run_units(e);
    struct mk_run_part part = {.first = first, .end = first + e->rare_events, .ranks = 1};
    *out = NULL;
    int code = mk_rare_plan_new(&plan, e, f, err);
    if (!code) code = mk_rare_sums_new(&sums, plan, err);
    if (!code) part.block_units = mk_rare_block_units(plan, threads);
    if (!code) code = mk_rare_part(plan, &part, threads, mk_rare_sums_add, sums, NULL, err);
    if (!code) code = mk_rare_sums_get(sums, entry, out, err);
    mk_rare_sums_free(sums);
    mk_rare_plan_free(plan);
    return code;
}

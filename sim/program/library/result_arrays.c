/* Runs of sim/api/maxk/maxk.h, and results as arrays. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/page/result_page.h"
#include "sim/api/maxk/maxk.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/program/library/settings.h"
#include "sim/run/durable/durable_run.h"
#include "sim/run/durable/memory_estimate.h"
#include "sim/run/engine/run.h"
#include "sim/run/experiment/combined_search.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/store/result.h"

enum { MOST_THREADS = 4096 };

void mk_result_arrays_free(struct mk_result_arrays *o)
{
    if (!o) return;
    mk_free_texts(o->policy, o->policies);
    mk_free_texts(o->instance, o->instances);
    mk_free_texts(o->arm, o->arms);
    free(o->horizon);
    free(o->mean_pulls);
    free(o->se_pulls);
    free(o->mean_max);
    free(o->se_max);
    free(o->expected_max);
    free(o->gap);
    free(o->pulls);
    free(o->max_reward);
    free(o->incumbent);
    free(o);
}

static double *copy_reals(const double *from, size_t n)
{
    double *to = malloc(n * sizeof *to);
    return to ? memcpy(to, from, n * sizeof *to) : NULL;
}

/* Labels that are `stride` bytes apart. */
struct labels {
    char *const *first;
    size_t stride;
};

/* Whether there was memory for it. */
static bool copy_labels(char **to, size_t n, struct labels from)
{
    for (size_t i = 0; i < n; i++)
        if (!(to[i] = strdup(*(char *const *)(const void *)((const char *)from.first + i * from.stride)))) return false;
    return true;
}

/* What arrays have of every replication. */
struct kept {
    bool raw, incumbents;
};

/* Whether there was memory for everything; the sizes are set. */
static bool allocate(struct mk_result_arrays *o, struct kept keep, const uint64_t *horizon, const struct mk_truth *f)
{
    const bool raw = keep.raw, incumbents = raw && keep.incumbents;
    size_t cells = o->policies * o->instances * o->horizons, truth = o->instances * o->horizons * o->arms;
    o->policy = calloc(o->policies, sizeof *o->policy);
    o->instance = calloc(o->instances, sizeof *o->instance);
    o->arm = calloc(o->arms, sizeof *o->arm);
    o->horizon = malloc(o->horizons * sizeof *o->horizon);
    o->mean_pulls = malloc(cells * o->arms * sizeof *o->mean_pulls);
    o->se_pulls = malloc(cells * o->arms * sizeof *o->se_pulls);
    o->mean_max = malloc(cells * sizeof *o->mean_max);
    o->se_max = malloc(cells * sizeof *o->se_max);
    o->expected_max = copy_reals(f->expected_max, truth);
    o->gap = copy_reals(f->gap, truth);
    if (raw) {
        o->pulls = calloc(cells * o->arms, o->replications * sizeof *o->pulls);
        o->max_reward = calloc(cells, o->replications * sizeof *o->max_reward);
    }
    if (incumbents) o->incumbent = malloc(cells * o->replications * sizeof *o->incumbent);
    for (size_t i = 0; o->incumbent && i < cells * o->replications; i++) o->incumbent[i] = NAN;
    if (o->horizon) memcpy(o->horizon, horizon, o->horizons * sizeof *o->horizon);
    return o->policy && o->instance && o->arm && o->horizon && o->mean_pulls && o->se_pulls && o->mean_max &&
           o->se_max && o->expected_max && o->gap && (!raw || (o->pulls && o->max_reward)) &&
           (!incumbents || o->incumbent);
}

/* Arrays of these sizes, before they have numbers from the run. */
static int new_arrays(struct mk_result_arrays **out, const struct mk_result_arrays *sizes, struct kept keep,
                      const uint64_t *horizon, const struct mk_truth *f, struct labels policy, struct labels instance,
                      struct labels arm, struct mk_error *err)
{
    struct mk_result_arrays *o = *out = malloc(sizeof *o);
    if (!o) return mk_fail_memory(err, "the results");
    *o = *sizes;
    const bool good = allocate(o, keep, horizon, f) && copy_labels(o->policy, o->policies, policy) &&
                      copy_labels(o->instance, o->instances, instance) && copy_labels(o->arm, o->arms, arm);
    return good ? MK_OK : mk_fail_memory(err, "the results");
}

/* ---- in memory ---- */

struct memory_run {
    const struct mk_experiment *e;
    struct mk_result_arrays *o;
    struct mk_count_moments *pulls; /* [cell][arm] */
    struct mk_real_moments *max;    /* [cell] */
};

/* Of policy p and horizon h, in the order of the arrays; pulls: of every arm. */
static double incumbent(const struct mk_experiment *e, size_t p, size_t h, uint64_t unit, const uint64_t *pulls)
{
    const struct mk_policy_entry *entry = &e->entry[p];
    const size_t instance = (size_t)(unit / e->replications);
    const uint64_t replication = unit % e->replications;
    return entry->type == &mk_combined_search_live || mk_is_combined_search(entry->type)
               ? mk_problem_combined_incumbent(e->problem, instance, replication, (size_t)entry->par[0], e->horizon[h])
               : mk_problem_incumbent(e->problem, instance, replication, pulls);
}

static int take_block(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct memory_run *m = to;
    struct mk_result_arrays *o = m->o;
    const uint64_t *pulls = b->pulls, searched = mk_problem_row(m->e->problem);
    const double *max = b->max_reward;
    (void)err;
    for (uint64_t at = 0, unit = b->first_unit; searched && at < b->n_units; at++, unit++)
        mk_problem_put_row(m->e->problem, (size_t)(unit / o->replications), unit % o->replications,
                           b->row + at * searched);
    for (size_t p = 0; p < o->policies; p++)
        for (size_t h = 0; h < o->horizons; h++)
            for (uint64_t u = b->first_unit; u < b->first_unit + b->n_units; u++, pulls += o->arms, max++) {
                const size_t instance = (size_t)(u / o->replications);
                const bool own =
                    u % o->replications < mk_problem_replications(m->e->problem, instance, o->replications);
                size_t cell = mk_result_arrays_cell(o, p, instance, h);
                size_t row = cell * (size_t)o->replications + (size_t)(u % o->replications);
                if (own) mk_real_moments_add(&m->max[cell], *max);
                for (size_t k = 0; k < o->arms && own; k++)
                    mk_count_moments_add(&m->pulls[cell * o->arms + k], pulls[k]);
                if (!o->pulls) continue;
                memcpy(o->pulls + row * o->arms, pulls, o->arms * sizeof *pulls);
                o->max_reward[row] = *max;
                if (o->incumbent && own) o->incumbent[row] = incumbent(m->e, p, h, u, pulls);
            }
    return MK_OK;
}

/* Means from moments; pulls have none for arms that the instance lacks, and for combined searches. */
static void close_moments(const struct memory_run *m)
{
    struct mk_result_arrays *o = m->o;
    size_t cells = o->policies * o->instances * o->horizons;
    for (size_t c = 0; c < cells; c++) {
        const struct mk_policy_entry *entry = &m->e->entry[c / (o->instances * o->horizons)];
        const double *known = o->expected_max + c % (o->instances * o->horizons) * o->arms;
        o->mean_max[c] = mk_real_moments_mean(&m->max[c]);
        o->se_max[c] = mk_spread_error(&m->max[c].spread);
        for (size_t k = 0, at = c * o->arms; k < o->arms; k++, at++) {
            int has = !isnan(known[k]) && !mk_is_combined_search(entry->type);
            o->mean_pulls[at] = has ? mk_count_moments_mean(&m->pulls[at]) : NAN;
            o->se_pulls[at] = has ? mk_spread_error(&m->pulls[at].spread) : NAN;
        }
    }
}

static int arrays_of(struct mk_result_arrays **out, const struct mk_experiment *e, const struct mk_truth *f,
                     struct mk_error *err)
{
    const struct mk_problem *p = e->problem;
    const struct mk_result_arrays sizes = {.policies = e->n_entries,
                                           .instances = p->n_instances,
                                           .horizons = e->n_horizons,
                                           .arms = p->n_arms,
                                           .replications = e->replications,
                                           .cost_parts = p->by_cost ? fmax(p->cost_parts, 1) : 0};
    return new_arrays(out, &sizes, (struct kept){e->keep == MK_KEEP_PULLS, mk_problem_has_incumbents(p)}, e->horizon, f,
                      (struct labels){&e->entry->label, sizeof *e->entry},
                      (struct labels){&p->instance->name, sizeof *p->instance},
                      (struct labels){p->arm_label, sizeof *p->arm_label}, err);
}

/* E[M(T)] and gaps, which of searches are known only after the run. */
static int find_truth(struct memory_run *m, struct mk_error *err)
{
    const struct mk_experiment *e = m->e;
    const size_t n = m->o->instances * m->o->horizons * m->o->arms;
    struct mk_truth *f = NULL;
    int code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (code) return code;
    memcpy(m->o->expected_max, f->expected_max, n * sizeof *f->expected_max);
    memcpy(m->o->gap, f->gap, n * sizeof *f->gap);
    mk_truth_free(f);
    return MK_OK;
}

/* A caller's settings, checked, and the progress reports that they request. */
struct how {
    int threads;
    locale_t callers; /* for progress reports */
    enum mk_engine engine;
    struct mk_run_settings settings;
    struct mk_progress progress;
};

/* Reports progress to the caller, who may stop the run. */
static void report(void *context, const struct mk_progress *p)
{
    const struct how *how = context;
    const locale_t own = uselocale(how->callers);
    const bool wanted = how->settings.progress(how->settings.context, p->done, p->total);
    uselocale(own);
    if (!wanted) mk_stop();
}

static int how_to_run(struct how *how, const struct mk_experiment *e, const struct mk_run_settings *settings,
                      locale_t callers, struct mk_error *err)
{
    *how = (struct how){.callers = callers};
    int code = settings ? mk_settings_copy(&how->settings, sizeof *settings, sizeof *settings, settings,
                                           "mk_run_settings", err)
                        : MK_OK;
    if (code) return code;
    const struct mk_run_settings *o = &how->settings;
    int engine = o->engine ? mk_choice_find(MK_ENGINE_CHOICES, o->engine) : MK_ENGINE_AUTO;
    if (!e->n_entries || !e->n_horizons)
        return mk_fail(err, MK_EINPUT, "%.200s: expected policies and horizons, which a run needs", e->file);
    if (o->threads < 0 || o->threads > MOST_THREADS)
        return mk_fail(err, MK_EINPUT, "threads: expected 0 (all) or 1 to %d, got %d", MOST_THREADS, o->threads);
    if (engine < 0)
        return mk_fail(err, MK_EINPUT, "engine: expected one of " MK_ENGINE_CHOICES ", got %.40s", o->engine);
    mk_run_stop_reset();
    how->threads = o->threads ? o->threads : omp_get_max_threads();
    how->engine = (enum mk_engine)engine;
    if (o->progress) {
        how->progress.report = report;
        how->progress.context = how;
    }
    return MK_OK;
}

void mk_stop(void)
{
    mk_run_stop();
}

static int run_in_memory(struct mk_result_arrays **out, const struct mk_experiment *e, struct how *how,
                         struct mk_error *err)
{
    struct memory_run m = {.e = e};
    struct mk_run_context context = {0};
    struct mk_truth *f = NULL;
    int code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (!code) code = mk_run_context_init(&context, e, f, err);
    if (!code) code = mk_run_choose(&context, how->engine, err);
    if (!code) code = mk_memory_estimate_check(&context, how->threads, err);
    if (!code) code = arrays_of(&m.o, e, f, err);
    if (code) goto out;
    size_t cells = m.o->policies * m.o->instances * m.o->horizons;
    m.pulls = calloc(cells * m.o->arms, sizeof *m.pulls);
    m.max = calloc(cells, sizeof *m.max);
    if (!m.pulls || !m.max) code = mk_fail_memory(err, "moments");
    const bool searches = mk_problem_searches(e->problem);
    if (!code && searches) code = mk_problem_make_room(e->problem, e->replications, err);
    mk_progress_start(&how->progress, 0, mk_run_units(e) * mk_run_steps(e));
    if (!code) code = mk_run_all(&context, how->threads, take_block, &m, &how->progress, err);
    mk_progress_end(&how->progress);
    if (!code && searches) code = find_truth(&m, err);
    if (!code) close_moments(&m);
out:
    if (code)
        mk_result_arrays_free(m.o);
    else
        *out = m.o;
    free(m.pulls);
    free(m.max);
    mk_run_context_clear(&context);
    mk_truth_free(f);
    return code;
}

static int run_into_file(const struct mk_experiment *e, const struct how *how, struct mk_error *err)
{
    struct mk_mpi alone = {.count = 1, .here = 1};
    struct mk_run_report done;
    const char *path = how->settings.result;
    const struct mk_durable_options durable = {.path = path,
                                               .resume = !how->settings.start_over,
                                               .force = how->settings.start_over,
                                               .engine = how->engine,
                                               .threads = how->threads,
                                               .progress = how->progress.report,
                                               .progress_context = how->progress.context,
                                               .command_line = "libmaxk",
                                               .ranks = &alone};
    int code = mk_durable_run(e, &durable, &done, err);
    if (code) return code;
    *err = (struct mk_error){0};
    if (done.replaced[0]) mk_fail(err, MK_OK, "%.600s: it is kept as %.300s.previous", done.replaced, path);
    return MK_OK;
}

int mk_run_experiment(struct mk_result_arrays **out, const struct mk_experiment *e,
                      const struct mk_run_settings *settings, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_error own;
    struct how how;
    if (!err) err = &own;
    int code = how_to_run(&how, e, settings, mk_previous_locale, err);
    if (code) return code;
    const char *path = how.settings.result;
    if (!path && !out) return mk_fail(err, MK_EINPUT, "result: expected a file, or a place for the results in memory");
    if (!path) return run_in_memory(out, e, &how, err);
    code = run_into_file(e, &how, err);
    return code || !out ? code : mk_result_arrays_read(out, path, err);
}

/* ---- from a file ---- */

static int read_policies(struct mk_result_arrays *o, struct mk_result *r, struct mk_error *err)
{
    const size_t cells = o->instances * o->horizons, rows = cells * (size_t)o->replications;
    int code = MK_OK;
    for (size_t p = 0; !code && p < o->policies; p++) {
        const struct mk_policy_values to = {.mean_pulls = o->mean_pulls + p * cells * o->arms,
                                            .se_pulls = o->se_pulls + p * cells * o->arms,
                                            .mean_max = o->mean_max + p * cells,
                                            .se_max = o->se_max + p * cells,
                                            .pulls = o->pulls ? o->pulls + p * rows * o->arms : NULL,
                                            .max_reward = o->pulls ? o->max_reward + p * rows : NULL};
        code = mk_result_policy_values(r, p, &to, err);
    }
    return code;
}

static int read_incumbents(struct mk_result_arrays *o, struct mk_result *r, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t p = 0; p < o->policies && o->incumbent; p++)
        for (size_t i = 0; i < o->instances; i++)
            for (size_t h = 0; h < o->horizons && !code; h++)
                code = mk_result_incumbents(
                    r, p, i, h, o->incumbent + mk_result_arrays_cell(o, p, i, h) * (size_t)o->replications, err);
    return code;
}

int mk_result_arrays_read(struct mk_result_arrays **out, const char *path, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_result *r = NULL;
    struct mk_result_arrays *o = NULL;
    int code = mk_result_open(&r, path, err);
    if (code) return code;
    const struct mk_result_info *info = mk_result_info(r);
    const struct mk_result_arrays sizes = {.policies = info->n_policies,
                                           .instances = info->n_instances,
                                           .horizons = info->n_horizons,
                                           .arms = info->n_arms,
                                           .replications = info->replications,
                                           .cost_parts = info->by_cost ? fmax(info->cost_parts, 1) : 0};
    const size_t stride = sizeof(char *);
    code = new_arrays(&o, &sizes, (struct kept){info->has_pulls, info->has_incumbents}, info->horizon, info->truth,
                      (struct labels){info->policy, stride}, (struct labels){info->instance, stride},
                      (struct labels){info->arm_label, stride}, err);
    if (!code) code = read_policies(o, r, err);
    if (!code) code = read_incumbents(o, r, err);
    if (code)
        mk_result_arrays_free(o);
    else
        *out = o;
    mk_result_free(r);
    return code;
}

int mk_report_write(const char *const *results, size_t n, const char *title, const char *out, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const struct mk_result_page page = {.path = results, .n = n, .title = title};
    size_t pictures;
    if (!n) return mk_fail(err, MK_EINPUT, "report: expected a result file");
    mk_run_stop_reset();
    return mk_result_page_write(&page, out, &pictures, err);
}

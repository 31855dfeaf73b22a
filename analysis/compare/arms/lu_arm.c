#include "analysis/compare/arms/lu_arm.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/base/error.h"

const char *mk_lu_estimator_name(enum mk_lu_estimator e)
{
    static const char *const name[] = {"exact", "trimmed", "plugin", "paper_c3"};
    return e < MK_LU_ESTIMATORS ? name[e] : "?";
}

bool mk_lu_available(const struct mk_problem *p, enum mk_lu_estimator estimator)
{
    return p->source->known || estimator == MK_LU_PLUGIN || estimator == MK_LU_PAPER_C3;
}

double mk_lu_global_end(const struct mk_problem *p, size_t instance)
{
    double largest = -INFINITY;
    if (!p->source->known) return NAN;
    for (size_t k = 0; k < p->instance[instance].n_arms; k++) {
        double low, high;
        mk_problem_arm_support(p, instance, k, &low, &high);
        if (high > largest) largest = high;
    }
    return largest;
}

static int known(const struct mk_problem *p, size_t instance, size_t k, const struct mk_lu_options *o,
                 struct mk_lu_row *out, struct mk_error *err)
{
    const struct mk_dist *d = mk_problem_dist(p, instance, k);
    double upper = o->upper == MK_UPPER_GLOBAL ? o->global_end : NAN;
    return out->estimator == MK_LU_EXACT ? mk_lu_exact(d, upper, &out->lu, err)
                                         : mk_lu_trimmed(d, upper, &out->lu, err);
}

static int plugin(const struct mk_pooled_rewards *pool, size_t k, struct mk_key key, const struct mk_lu_options *o,
                  struct mk_lu_row *out, struct mk_error *err)
{
    const double *sorted = pool->sorted[k];
    size_t n = out->n = pool->n[k];
    double upper = o->upper == MK_UPPER_GLOBAL ? pool->largest : NAN;
    struct mk_eps_range range = mk_eps_range_sample(sorted, n, upper);
    mk_lu_plugin(sorted, n, upper, range, &out->lu);
    if (o->interval == MK_INTERVAL_BAND) {
        mk_lu_band(sorted, n, upper, range, o->confidence, &out->interval);
        return MK_OK;
    }
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(key, "bootstrap"));
    return mk_lu_bootstrap(sorted, n, upper, o->confidence, o->resamples, &rng, &out->interval, err);
}

static int paper_c3(const struct mk_problem *p, size_t instance, size_t k, const struct mk_pooled_rewards *pool,
                    struct mk_key key, const struct mk_lu_options *o, struct mk_lu_row *out, struct mk_error *err)
{
    const struct mk_dist *d = mk_problem_dist(p, instance, k);
    out->upper = "q99";
    if (!d) {
        out->n = pool->n[k];
        mk_lu_paper_c3(pool->sorted[k], pool->n[k], &out->lu);
        return MK_OK;
    }
    struct mk_lu_runs runs;
    int code = mk_lu_paper_c3_runs(d, o->samples, o->runs, mk_key_text(key, "paper_c3"), &runs, err);
    out->n = o->samples;
    if (code) return code;
    out->lu.L = runs.mean_L;
    out->lu.U = runs.mean_U;
    out->interval = (struct mk_lu_interval){runs.mean_L - runs.sd_L, runs.mean_L + runs.sd_L, runs.mean_U - runs.sd_U,
                                            runs.mean_U + runs.sd_U};
    return MK_OK;
}

int mk_lu_arm(const struct mk_problem *p, size_t instance, size_t k, const struct mk_pooled_rewards *pool,
              enum mk_lu_estimator estimator, const struct mk_lu_options *o, struct mk_lu_row *out,
              struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    struct mk_key key = mk_pooled_rewards_key(o->seed, MK_LU_STREAM, in->arm[k]);
    *out = (struct mk_lu_row){.estimator = estimator,
                              .upper = o->upper == MK_UPPER_GLOBAL ? "global" : "own",
                              .lu = {NAN, NAN, NAN, NAN},
                              .interval = {NAN, NAN, NAN, NAN}};
    if (!mk_lu_available(p, estimator))
        return mk_fail(
            err, MK_EINPUT,
            "instance %s: estimator %s needs a known distribution; recorded rewards have plugin and paper_c3", in->name,
            mk_lu_estimator_name(estimator));
    switch (estimator) {
    case MK_LU_EXACT:
    case MK_LU_TRIMMED: return known(p, instance, k, o, out, err);
    case MK_LU_PLUGIN: return plugin(pool, k, key, o, out, err);
    case MK_LU_PAPER_C3: return paper_c3(p, instance, k, pool, key, o, out, err);
    case MK_LU_ESTIMATORS: break;
    }
    return MK_OK;
}

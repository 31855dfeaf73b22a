/* Names of the public headers that others have replaced. They keep working within version 1. */
#include "sim/api/maxk/maxk.h"
#include "sim/base/error.h"

void mk_start(void)
{
    mk_library_prepare();
}

int mk_experiment_load_text(struct mk_experiment **out, const char *text, struct mk_error *err)
{
    return mk_experiment_from_text(out, text, NULL, 0, err);
}

int mk_experiment_load_text_with(struct mk_experiment **out, const char *text, const char *const *overrides,
                                 size_t n_overrides, struct mk_error *err)
{
    return mk_experiment_from_text(out, text, overrides, n_overrides, err);
}

const struct mk_dist *mk_experiment_arm(const struct mk_experiment *e, size_t k)
{
    return mk_experiment_distribution(e, k);
}

/* ---- runs ---- */

/* Calls a progress function that returns int. */
static bool report_as_int(void *context, uint64_t done, uint64_t all)
{
    const struct mk_run_options *o = context;
    return o->progress(o->context, done, all) != 0;
}

static int run_with(struct mk_result_arrays **out, const struct mk_experiment *e, const char *path,
                    const struct mk_run_options *options, struct mk_error *err)
{
    struct mk_run_options own = options ? *options : (struct mk_run_options){0};
    const struct mk_run_settings settings = {.size = sizeof settings,
                                             .result = path,
                                             .start_over = own.force != 0,
                                             .threads = own.threads,
                                             .engine = own.engine,
                                             .progress = own.progress ? report_as_int : NULL,
                                             .context = &own};
    return mk_run_experiment(out, e, &settings, err);
}

static int run_threads(struct mk_result_arrays **out, const struct mk_experiment *e, const char *path, int threads,
                       struct mk_error *err)
{
    const struct mk_run_options options = {.threads = threads};
    if (threads < 1) return mk_fail(err, MK_EINPUT, "threads: expected at least 1, got %d", threads);
    return run_with(out, e, path, &options, err);
}

int mk_experiment_run_with(struct mk_result_arrays **out, const struct mk_experiment *e,
                           const struct mk_run_options *options, struct mk_error *err)
{
    return run_with(out, e, NULL, options, err);
}

int mk_experiment_run_file_with(const struct mk_experiment *e, const char *path, const struct mk_run_options *options,
                                struct mk_error *err)
{
    return run_with(NULL, e, path, options, err);
}

int mk_experiment_run(struct mk_result_arrays **out, const struct mk_experiment *e, int threads, struct mk_error *err)
{
    return run_threads(out, e, NULL, threads, err);
}

int mk_experiment_run_file(const struct mk_experiment *e, const char *path, int threads, struct mk_error *err)
{
    return run_threads(NULL, e, path, threads, err);
}

int mk_outcome_read(struct mk_result_arrays **out, const char *path, struct mk_error *err)
{
    return mk_result_arrays_read(out, path, err);
}

void mk_outcome_free(struct mk_result_arrays *o)
{
    mk_result_arrays_free(o);
}

/* ---- distributions ---- */

int mk_arm_new(struct mk_dist **out, const char *text, struct mk_error *err)
{
    return mk_distribution_new(out, text, err);
}

void mk_arm_free(struct mk_dist *d)
{
    mk_distribution_free(d);
}

void mk_arm_sample(const struct mk_dist *d, uint64_t seed, size_t n, double *out)
{
    mk_distribution_sample(d, seed, n, out);
}

double mk_arm_survival(const struct mk_dist *d, double x)
{
    return mk_distribution_survival(d, x);
}

double mk_arm_inverse_survival(const struct mk_dist *d, double p)
{
    return mk_distribution_inverse_survival(d, p);
}

void mk_arm_support(const struct mk_dist *d, double *a, double *b)
{
    mk_distribution_support(d, a, b);
}

int mk_arm_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err)
{
    return mk_distribution_expected_max(d, n, value, err);
}

int mk_arm_constants(const struct mk_dist *d, double *L, double *U, struct mk_error *err)
{
    return mk_distribution_constants(d, L, U, err);
}

/* ---- studies ---- */

int mk_study_new(struct mk_study **out, const char *text, const struct mk_study_options *options, struct mk_error *err)
{
    const struct mk_study_options own = options ? *options : (struct mk_study_options){0};
    struct mk_study_settings settings = {.size = sizeof settings, .result = own.result};
    *out = NULL;
    if (own.resume && own.force) return mk_fail(err, MK_EINPUT, "study: resume: cannot be combined with force");
    if (own.force) settings.start = MK_STUDY_START_OVER;
    if (own.resume) settings.start = own.resume == MK_STUDY_REPAIR ? MK_STUDY_START_REPAIRED : MK_STUDY_START_RESUMED;
    return mk_study_open(out, text, &settings, err);
}

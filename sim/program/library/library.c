/* The part of sim/api/maxk/maxk.h about registries, experiments and distributions. */
#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/theory/lu.h"
#include "distributions/dist.h"
#include "policies/policy.h"
#include "sim/api/maxk/maxk.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/revision.h"
#include "sim/run/experiment/experiment.h"

/* GNU OpenMP keeps the threads of a parallel region for the next one. A process that was forked does not have them and
 * would wait for them without end: in the thread that forked, regions have one thread there. */
static void stay_alone(void)
{
    omp_set_max_active_levels(0);
}

__attribute__((constructor)) static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, stay_alone);
}

const char *mk_version(void)
{
#define TEXT(number) #number
#define VERSION(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)
    return VERSION(MAXK_VERSION_MAJOR, MAXK_VERSION_MINOR, MAXK_VERSION_PATCH);
}

const char *mk_revision(void)
{
    return MK_REVISION;
}

/* ---- registries ---- */

static const struct mk_dist_type *family(size_t i)
{
    for (size_t k = 0; k < mk_dist_type_count(); k++) {
        const struct mk_dist_type *type = mk_dist_type_at(k);
        if (type->flags & MK_DIST_WRAPPER) continue;
        if (i-- == 0) return type;
    }
    return NULL;
}

const char *mk_policy_name(size_t i)
{
    return i < mk_policy_type_count() ? mk_policy_type_at(i)->name : NULL;
}

const char *mk_policy_summary(size_t i)
{
    return i < mk_policy_type_count() ? mk_policy_type_at(i)->summary : NULL;
}

const char *mk_family_name(size_t i)
{
    return family(i) ? family(i)->name : NULL;
}

const char *mk_family_summary(size_t i)
{
    return family(i) ? family(i)->summary : NULL;
}

/* ---- experiments ---- */

int mk_experiment_load(struct mk_experiment **out, const char *path, const char *const *overrides, size_t n_overrides,
                       struct mk_error *err)
{
    MK_IN_C_LOCALE;
    return mk_experiment_read(out, path, overrides, n_overrides, MK_NEED_PROBLEM | MK_LOAD_PLUGINS, err);
}

int mk_experiment_from_text(struct mk_experiment **out, const char *text, const char *const *overrides,
                            size_t n_overrides, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    const struct mk_overrides sets = {overrides, n_overrides};
    return mk_experiment_parse_with(out, "experiment", text, &sets, MK_NEED_PROBLEM | MK_LOAD_PLUGINS, err);
}

const char *mk_experiment_name(const struct mk_experiment *e)
{
    return e->name;
}

const struct mk_dist *mk_experiment_distribution(const struct mk_experiment *e, size_t k)
{
    return e->problem->dist && k < e->problem->n_arms ? e->problem->dist[k] : NULL;
}

/* ---- distributions ---- */

int mk_distribution_new(struct mk_dist **out, const char *text, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_experiment *e = NULL;
    char *whole = NULL;
    if (asprintf(&whole, "problem: {arms: [%s]}\n", text) < 0) return mk_fail_memory(err, "an arm");
    int code = mk_experiment_parse(&e, "arm", whole, strlen(whole), MK_NEED_PROBLEM, err);
    if (!code && e->problem->n_arms != 1) code = mk_fail(err, MK_EINPUT, "arm: %.80s: expected one arm", text);
    if (!code) {
        *out = e->problem->dist[0];
        e->problem->dist[0] = NULL;
    }
    mk_experiment_free(e);
    free(whole);
    return code;
}

void mk_distribution_free(struct mk_dist *d)
{
    mk_dist_free(d);
}

void mk_distribution_sample(const struct mk_dist *d, uint64_t seed, size_t n, double *out)
{
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_word(mk_key_text(mk_key_start(), "arm"), seed));
    d->type->sample(d, &rng, n, out);
}

double mk_distribution_survival(const struct mk_dist *d, double x)
{
    return mk_dist_survival(d, x);
}

double mk_distribution_inverse_survival(const struct mk_dist *d, double p)
{
    return mk_dist_inverse_survival(d, p);
}

void mk_distribution_support(const struct mk_dist *d, double *a, double *b)
{
    mk_dist_support(d, a, b);
}

int mk_distribution_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    return mk_dist_expected_max(d, n, value, err);
}

int mk_distribution_constants(const struct mk_dist *d, double *L, double *U, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_lu lu;
    int code = mk_lu_exact(d, NAN, &lu, err);
    if (code) return code;
    *L = lu.L;
    *U = lu.U;
    return MK_OK;
}

#include "analysis/compare/arms/sampled_race.h"

#include <float.h>
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/pcg64.h"
#include "sim/run/engine/run.h"

/* What replications add to: clipped values for the bounds, the plain ones for the means. */
struct tally {
    struct mk_sampled_range range;
    struct mk_real_moments clipped, plain;
};

struct sampling {
    const struct mk_sampled_race *race;
    struct mk_experiment played; /* a copy of its struct alone */
    struct tally *tally;         /* [horizon][arms + 1], the last one of the largest reward */
};

static struct tally *tally_at(const struct sampling *s, size_t h, size_t k)
{
    return &s->tally[h * (s->race->arms->n + 1) + k];
}

static void tally_add(struct tally *t, double z)
{
    mk_real_moments_add(&t->plain, z);
    mk_real_moments_add(&t->clipped, mk_sampled_clip(&t->range, z));
}

static int add_units(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct sampling *s = to;
    const struct mk_problem *p = s->race->experiment->problem;
    const size_t n = s->race->arms->n;
    (void)err;
    for (size_t h = 0; h < s->race->n_horizons; h++)
        for (uint64_t u = 0; u < b->n_units; u++) {
            const size_t at = h * b->n_units + u;
            for (size_t k = 0; k < n; k++)
                tally_add(tally_at(s, h, k), (double)b->pulls[at * p->n_arms + p->instance[0].arm[k]]);
            tally_add(tally_at(s, h, n), b->max_reward[at]);
        }
    return MK_OK;
}

/* A seed that belongs to this purpose, so that no replication of a result is used again. */
static uint64_t own_seed(uint64_t seed)
{
    struct mk_pcg64 g;
    mk_pcg64_from_key(&g, mk_key_word(mk_key_text(mk_key_start(), "bounds with confidence"), seed));
    return mk_pcg64_next(&g);
}

static void start_played(struct sampling *s)
{
    s->played = *s->race->experiment;
    s->played.n_entries = 1;
    s->played.entry = (struct mk_policy_entry *)s->race->entry;
    s->played.n_horizons = s->race->n_horizons;
    s->played.horizon = (uint64_t *)s->race->horizon;
    s->played.replications = s->race->design.samples;
    s->played.seed = own_seed(s->race->experiment->seed);
    s->played.rare_events = 0;
    s->played.n_claims = 0;
}

static int choose_ranges(struct sampling *s, struct mk_error *err)
{
    const struct mk_sampled_race *r = s->race;
    const size_t n = r->arms->n;
    int code = MK_OK;
    s->tally = calloc(r->n_horizons * (n + 1), sizeof *s->tally);
    if (!s->tally) return mk_fail_memory(err, "bounds with confidence");
    for (size_t h = 0; !code && h < r->n_horizons; h++) {
        for (size_t k = 0; k < n; k++) tally_at(s, h, k)->range = mk_sampled_pulls(&r->proved[h]->arm[k], &r->design);
        code = mk_sampled_largest(&tally_at(s, h, n)->range, r->arms->arm, n, r->horizon[h], &r->design, err);
    }
    return code;
}

static int play(struct sampling *s, struct mk_error *err)
{
    struct mk_run_context context = {0};
    struct mk_truth *truth = NULL;
    int code = mk_truth_partial(&truth, s->played.problem, s->played.horizon, s->played.n_horizons, 1, err);
    if (code == MK_ENUM && truth) code = MK_OK;
    if (!code) code = mk_run_context_init(&context, &s->played, truth, err);
    if (!code) {
        code = mk_run_choose(&context, MK_ENGINE_AUTO, err);
        if (!code) code = mk_run_all(&context, omp_get_max_threads(), add_units, s, NULL, err);
        mk_run_context_clear(&context);
    }
    mk_truth_free(truth);
    return code;
}

/* The pulls of all arms are T together; what is proved holds anyway. */
static void use_pulls(struct mk_sampled_bound *b, const struct mk_certificate *proved, double horizon)
{
    const double slack = (1e-12 + DBL_EPSILON * (double)proved->arms) * horizon;
    double lower = 0, upper = 0;
    for (size_t k = 0; k < proved->arms; k++) {
        b->lower[k] = fmax(b->lower[k], proved->arm[k].lower);
        b->upper[k] = fmin(b->upper[k], proved->arm[k].upper);
        lower += b->lower[k];
        upper += b->upper[k];
    }
    for (size_t k = 0; k < proved->arms; k++) {
        const double most = horizon - (lower - b->lower[k]) + slack, least = horizon - (upper - b->upper[k]) - slack;
        b->lower[k] = fmax(b->lower[k], least);
        b->upper[k] = fmin(b->upper[k], most);
    }
}

static int read_bounds(struct mk_sampled_bound *b, const struct sampling *s, size_t h, struct mk_error *err)
{
    const struct mk_sampled_race *r = s->race;
    const size_t n = r->arms->n;
    b->mean = malloc(n * sizeof *b->mean);
    b->lower = malloc(n * sizeof *b->lower);
    b->upper = malloc(n * sizeof *b->upper);
    if (!b->mean || !b->lower || !b->upper) return mk_fail_memory(err, "bounds with confidence");
    for (size_t k = 0; k <= n; k++) {
        const struct tally *t = tally_at(s, h, k);
        double *mean = k < n ? &b->mean[k] : &b->mean_max;
        *mean = mk_real_moments_mean(&t->plain);
        mk_sampled_bounds(k < n ? &b->lower[k] : &b->max_lower, k < n ? &b->upper[k] : &b->max_upper, &t->range,
                          &r->design, mk_real_moments_mean(&t->clipped), &t->clipped.spread);
    }
    use_pulls(b, r->proved[h], (double)r->horizon[h]);
    return MK_OK;
}

int mk_sampling_complete(struct mk_sampling *s, const char *command, struct mk_error *err)
{
    if (s->confidence > 0 && !s->samples)
        return mk_fail(err, MK_EINPUT, "maxk %s: --confidence: has an effect only with --samples", command);
    if (!(s->confidence > 0)) s->confidence = MK_USUAL_CONFIDENCE;
    return MK_OK;
}

int mk_sampled_race_new(struct mk_sampled_bound **bound, const struct mk_sampled_race *race, struct mk_error *err)
{
    struct sampling s = {.race = race};
    *bound = calloc(race->n_horizons, sizeof **bound);
    int code = *bound ? MK_OK : mk_fail_memory(err, "bounds with confidence");
    start_played(&s);
    if (!code) code = choose_ranges(&s, err);
    if (!code) code = play(&s, err);
    for (size_t h = 0; !code && h < race->n_horizons; h++) code = read_bounds(&(*bound)[h], &s, h, err);
    free(s.tally);
    if (code) {
        mk_sampled_race_free(*bound, race->n_horizons);
        *bound = NULL;
    }
    return code;
}

void mk_sampled_race_free(struct mk_sampled_bound *bound, size_t n_horizons)
{
    for (size_t h = 0; bound && h < n_horizons; h++) {
        free(bound[h].mean);
        free(bound[h].lower);
        free(bound[h].upper);
    }
    free(bound);
}

#include "analysis/compare/arms/race.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/theory/certificates/certificate_walk.h"
#include "distributions/dist.h"
#include "policies/parts/reward_scaling.h"
#include "sim/base/error.h"

/* ---- arms whose rewards depend on their own pulls: their distribution functions, as first passages need them ---- */

enum { MOVING_LONGEST = 100000 }; /* pulls over which parameters may drift; the cost is proportional to them */

struct mk_moving_arm {
    struct mk_moving moving;
    const struct mk_process *process; /* borrowed */
    struct mk_dist *noise;            /* of a curve: normal with mean 0; NULL: none */
    size_t n;                         /* of a drift: distributions until the parameters stay as they are */
    struct mk_dist **dist;            /* [n] of pulls 1 … n */
};

enum { CURVE_SINGLE = 256 }; /* pulls of a curve that count one by one, then 32 stretches to each doubling */

static struct mk_moving_arm *arm_of(const struct mk_moving *m)
{
    return (struct mk_moving_arm *)((char *)m - offsetof(struct mk_moving_arm, moving));
}

/* -log P(clip(f(u) + noise) <= x), or above x. */
static double curve_rate(const struct mk_moving_arm *a, enum mk_tail tail, uint64_t u, double x, enum mk_side side)
{
    const struct mk_process *p = a->process;
    const bool higher = (tail == MK_LOWER_TAIL) == (side == MK_FROM_ABOVE);
    const double mean = mk_process_mean(p, u), at = x + (higher ? a->moving.step : -a->moving.step);
    const double above = tail == MK_LOWER_TAIL ? INFINITY : 0, at_most = tail == MK_LOWER_TAIL ? 0 : INFINITY;
    if (at >= p->clip_hi) return at_most;
    if (at < p->clip_lo) return above;
    if (!a->noise) return at >= mean ? at_most : above;
    return mk_cdf_rate(&(struct mk_known_cdf){.dist = a->noise}, tail == MK_LOWER_TAIL ? at - mean : mean - at, side);
}

/* Within a piece the curve does not fall, so that neither does the first rate with the pull, nor rises the second. */
static double curve_rates(const struct mk_moving *m, enum mk_tail tail, double x, uint64_t after, uint64_t last,
                          enum mk_side side)
{
    const struct mk_moving_arm *a = arm_of(m);
    const struct mk_process *p = a->process;
    double sum = 0;
    size_t piece = 0;
    for (uint64_t u = after + 1, end; u <= last && !isinf(sum); u = end + 1) {
        end = u < m->single ? u : u + u / 32;
        while (piece < p->n_pieces && p->piece[piece].at <= u) piece++;
        if (piece < p->n_pieces && end >= p->piece[piece].at) end = p->piece[piece].at - 1;
        if (end > last) end = last;
        const uint64_t at = (tail == MK_LOWER_TAIL) == (side == MK_FROM_ABOVE) ? u : end;
        sum += (double)(end - u + 1) * curve_rate(a, tail, at, x, side);
    }
    return sum;
}

static double curve_reward(const struct mk_moving *m, uint64_t pull)
{
    const struct mk_process *p = arm_of(m)->process;
    return fmin(fmax(mk_process_mean(p, pull), p->clip_lo), p->clip_hi);
}

static double drift_rates(const struct mk_moving *m, enum mk_tail tail, double x, uint64_t after, uint64_t last,
                          enum mk_side side)
{
    const struct mk_moving_arm *a = arm_of(m);
    double (*const rate)(const struct mk_known_cdf *, double, enum mk_side) =
        tail == MK_LOWER_TAIL ? mk_cdf_rate : mk_above_rate;
    double sum = 0;
    for (uint64_t u = after + 1; u <= last && u < a->n; u++)
        sum += rate(&(struct mk_known_cdf){.dist = a->dist[u - 1]}, x, side);
    if (last < a->n) return sum;
    const double same = (double)(last - (after < a->n ? a->n - 1 : after));
    return sum + same * rate(&(struct mk_known_cdf){.dist = a->dist[a->n - 1]}, x, side);
}

/* Whether the text says all: of a plugin's family it does not. */
static bool is_built_in(const struct mk_dist *d)
{
    return mk_dist_type_find(d->type->name) == d->type && (d->n_parts == 0 || is_built_in(d->part[0]));
}

static int start_drift(struct mk_moving_arm *a, struct mk_error *err)
{
    const struct mk_process *p = a->process;
    if (p->over > MOVING_LONGEST)
        return mk_fail(err, MK_EINPUT, "processes: over: expected at most %d pulls for certified bounds, got %" PRIu64,
                       MOVING_LONGEST, p->over);
    a->moving.rates = drift_rates;
    a->moving.single = p->over + 1;
    a->dist = calloc(p->over + 1, sizeof *a->dist);
    if (!a->dist) return mk_fail_memory(err, "arms");
    a->moving.lasting = is_built_in(p->start);
    a->moving.atoms = UINT64_MAX;
    if (p->start->type == mk_dist_type_find("gaussian")) a->moving.decay = fmax(p->start->v[1], p->end->v[1]);
    for (; a->n <= p->over; a->n++) {
        a->dist[a->n] = mk_process_distribution(p, a->n + 1);
        if (!a->dist[a->n]) return mk_fail_memory(err, "arms");
        a->moving.step = fmax(a->moving.step, mk_dist_resolution(a->dist[a->n]));
        if (a->moving.atoms == UINT64_MAX && mk_dist_has_atoms(a->dist[a->n])) a->moving.atoms = a->n + 1;
    }
    return MK_OK;
}

static int start_curve(struct mk_moving_arm *a, struct mk_error *err)
{
    const struct mk_process *p = a->process;
    double size = 0;
    a->moving.rates = curve_rates;
    a->moving.single = CURVE_SINGLE;
    a->moving.reward = p->noise > 0 ? NULL : curve_reward;
    a->moving.lasting = true;
    a->moving.atoms = !(p->noise > 0) || isfinite(p->clip_lo) || isfinite(p->clip_hi) ? 1 : UINT64_MAX;
    for (size_t i = 0; i < p->n_pieces; i++)
        size = fmax(size, fmax(fabs(p->piece[i].v[MK_PROCESS_CURVE_LOW]), fabs(p->piece[i].v[MK_PROCESS_CURVE_HIGH])));
    a->moving.step = 32 * DBL_EPSILON * size;
    a->moving.decay = p->noise;
    return p->noise > 0 ? mk_dist_make(&a->noise, "gaussian", err, 0.0, p->noise) : MK_OK;
}

static void moving_arm_free(struct mk_moving_arm *a)
{
    if (!a) return;
    for (size_t k = 0; k < a->n; k++) mk_dist_free(a->dist[k]);
    free(a->dist);
    mk_dist_free(a->noise);
    free(a);
}

/* Errors: MK_EINPUT for a drift over more pulls than above, MK_ENOMEM. */
static int moving_arm_new(struct mk_moving_arm **out, const struct mk_process *process, struct mk_error *err)
{
    struct mk_moving_arm *a = calloc(1, sizeof *a);
    char *text = mk_process_text(process);
    *out = NULL;
    int code = a && text ? MK_OK : mk_fail_memory(err, "arms");
    if (!code) {
        a->process = process;
        a->moving.decay = NAN;
        a->moving.digest = (struct mk_digest)MK_DIGEST_START;
        mk_digest_add_bytes(&a->moving.digest, text, strlen(text));
        code = mk_process_support(process, &a->moving.low, &a->moving.high, err);
    }
    if (!code) code = process->n_pieces ? start_curve(a, err) : start_drift(a, err);
    free(text);
    if (code) {
        moving_arm_free(a);
        return code;
    }
    *out = a;
    return MK_OK;
}

/* ---- arms ---- */

static int empirical(struct mk_dist **out, const double *values, size_t n, struct mk_error *err)
{
    struct mk_dist_spec spec = {.type = mk_dist_type_find("empirical"), .n_values = n, .values = values};
    mk_param_defaults(spec.type->params, spec.v);
    return mk_dist_new(out, &spec, NULL, err);
}

/* Half the width of the band around n rewards of one of `arms` arms. */
static double band_of(size_t n, size_t arms, double confidence)
{
    return confidence > 0 ? sqrt(log(2 * (double)arms / (1 - confidence)) / (2 * (double)n)) : 0;
}

static int from_records(struct mk_race_arms *a, const struct mk_problem *p, size_t instance, double confidence,
                        struct mk_error *err)
{
    struct mk_pooled_rewards *pool = NULL;
    a->own = calloc(a->n, sizeof *a->own);
    if (!a->own) return mk_fail_memory(err, "arms");
    int code = mk_pooled_rewards_new(&pool, p, instance, 0, 0, "", err);
    for (size_t k = 0; !code && k < a->n; k++) {
        code = empirical(&a->own[k], pool->sorted[k], pool->n[k], err);
        a->arm[k] = (struct mk_known_cdf){.dist = a->own[k], .band = band_of(pool->n[k], a->n, confidence)};
    }
    mk_pooled_rewards_free(pool);
    return code;
}

static int from_processes(struct mk_race_arms *a, const struct mk_problem *p, struct mk_error *err)
{
    int code = MK_OK;
    a->moving = calloc(a->n, sizeof *a->moving);
    if (!a->moving) return mk_fail_memory(err, "arms");
    for (size_t k = 0; !code && k < a->n; k++) {
        code = moving_arm_new(&a->moving[k], p->process[k], err);
        if (!code) a->arm[k] = (struct mk_known_cdf){.moving = &a->moving[k]->moving};
    }
    return code;
}

int mk_race_arms_new(struct mk_race_arms **out, const struct mk_problem *p, size_t instance, double confidence,
                     struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    int code = MK_OK;
    *out = NULL;
    struct mk_race_arms *a = calloc(1, sizeof *a);
    if (!a) return mk_fail_memory(err, "arms");
    a->n = in->n_arms;
    a->arm = calloc(a->n, sizeof *a->arm);
    if (!a->arm)
        code = mk_fail_memory(err, "arms");
    else if (p->source->moving)
        code = from_processes(a, p, err);
    else if (!p->source->known)
        code = from_records(a, p, instance, confidence, err);
    else
        for (size_t k = 0; k < a->n; k++) a->arm[k] = (struct mk_known_cdf){.dist = mk_problem_dist(p, instance, k)};
    if (code) {
        mk_race_arms_free(a);
        return code;
    }
    *out = a;
    return MK_OK;
}

void mk_race_arms_free(struct mk_race_arms *a)
{
    if (!a) return;
    for (size_t k = 0; a->own && k < a->n; k++) mk_dist_free(a->own[k]);
    for (size_t k = 0; a->moving && k < a->n; k++) moving_arm_free(a->moving[k]);
    free(a->own);
    free(a->moving);
    free(a->arm);
    free(a);
}

/* ---- policies ---- */

/* A parameter, or what it stands for where the policy has none. */
static double parameter_or(const struct mk_policy_entry *entry, const char *name, double otherwise)
{
    double value = mk_policy_entry_parameter(entry, name);
    return isnan(value) ? otherwise : value;
}

static struct mk_setup setup_of(const struct mk_policy_entry *entry, size_t arms, uint64_t horizon)
{
    return (struct mk_setup){.arms = arms, .horizon = horizon, .par = entry->par};
}

/* Whether Theorem 6 or 11 has bounds for two such arms with any bonus. */
static bool has_walk(const struct mk_problem *p, size_t instance, double scale)
{
    if (p->instance[instance].n_arms > 2) return false;
    return scale != MK_SCALE_MINMAX || !p->source->moving;
}

const char *mk_certify_refusal(const struct mk_policy_entry *entry, const struct mk_problem *p, size_t instance)
{
    const struct mk_policy_type *type = entry->type;
    const size_t arms = p->instance[instance].n_arms;
    const struct mk_setup some = setup_of(entry, arms, 1000 + (uint64_t)arms);
    if (type && !type->select) return "the policy is of a plugin that is not loaded (--plugin FILE.so)";
    if (p->by_cost) return "horizons are costs, for which no bound is known";
    if (mk_problem_is_searched(p))
        return "bounds need independent rewards, and those of a search depend on its earlier ones";
    if (type && (mk_policy_per_cost(type, entry->par) || mk_policy_by_label(type, entry->par)))
        return "per_cost and label_prior change the bonus, for which no bound is known";
    if (type && (type->flags & MK_POLICY_RISING_BONUS)) return NULL;
    if (!type || !type->bonus || isnan(type->bonus(&some, some.horizon, 1)))
        return "the index is not a running maximum plus a bonus by round and pulls";
    if (!(type->flags & MK_POLICY_FALLING_BONUS)) return NULL;
    if (has_walk(p, instance, parameter_or(entry, "scale", MK_SCALE_NONE))) return NULL;
    return "the bonus falls with the rounds that remain, so that an arm may lose by its first reward alone (bounds are "
           "known for two arms; with scale minmax only if rewards do not depend on the pulls)";
}

/* Round-robin pulls, `horizon` rounds. */
static int certify_turns(struct mk_certificate **out, size_t arms, uint64_t horizon, struct mk_error *err)
{
    uint64_t *pulls = malloc(arms * sizeof *pulls);
    if (!pulls) return mk_fail_memory(err, "pulls");
    for (size_t k = 0; k < arms; k++) pulls[k] = horizon / arms + (k < horizon % arms);
    int code = mk_certificate_certain(out, arms, pulls, horizon, err);
    free(pulls);
    return code;
}

/* Pulls of every arm that are forgotten. */
static uint64_t burn_in_of(const struct mk_certify_task *task)
{
    return (uint64_t)parameter_or(task->entry, "burn_in", 0);
}

/* Whether all pulls are round-robin. */
static bool is_round_robin(const struct mk_certify_task *task)
{
    const uint64_t burnt = burn_in_of(task) * (uint64_t)task->arms->n;
    return task->arms->n < 2 || task->horizon <= burnt + task->arms->n;
}

/* After the burn-in. The arms are written to arm[task->arms->n]. */
static struct mk_certificate_request request_of(const struct mk_certify_task *task, struct mk_known_cdf *arm)
{
    const struct mk_policy_entry *entry = task->entry;
    const uint64_t burn_in = burn_in_of(task), burnt = burn_in * (uint64_t)task->arms->n;
    const bool restart = parameter_or(entry, "round", 0) != 0;
    const struct mk_race race = {
        .arms = task->arms->n,
        .arm = arm,
        .horizon = task->horizon - burnt,
        .alpha = mk_policy_entry_parameter(entry, "alpha"),
        .power = parameter_or(entry, "power", 1),
        .shift = (int64_t)parameter_or(entry, "round_offset", 0) + (restart ? 0 : (int64_t)burnt),
        .bonus = entry->type->bonus,
        .setup = setup_of(entry, task->arms->n, task->horizon),
        .falling = entry->type->flags & MK_POLICY_FALLING_BONUS,
        .scale = (enum mk_race_scale)parameter_or(entry, "scale", MK_SCALE_NONE),
        .width = mk_policy_entry_parameter(entry, "scale_hi") - mk_policy_entry_parameter(entry, "scale_lo"),
        .before = parameter_or(entry, "scale_from", 0) != 0 ? burnt : 0};
    for (size_t k = 0; k < race.arms; k++) {
        arm[k] = task->arms->arm[k];
        arm[k].burnt = burn_in;
    }
    return (struct mk_certificate_request){race, task->sides, task->refinement, task->without};
}

bool mk_certify_converges(const struct mk_certify_task *task)
{
    struct mk_known_cdf arm[2];
    if (task->arms->n != 2 || is_round_robin(task)) return false;
    const struct mk_certificate_request request = request_of(task, arm);
    return mk_walk_converges(&request.race);
}

/* The root of the largest bonus, that of the last round, or the first. */
static double largest_root(const struct mk_race *race)
{
    const double last = log(fmax(2, (double)race->horizon + (double)race->shift));
    if (!race->bonus) return race->alpha * pow(last, fmax(1, race->power));
    return sqrt(race->bonus(&race->setup, race->falling ? 2 : race->horizon, 1));
}

/* Above this the index of the policy, or a sum of its terms, may overflow, and nothing is known of it. */
static int check_race(const struct mk_race *race, struct mk_error *err)
{
    const double root = largest_root(race), most = DBL_MAX / 1024;
    double factor = 1;
    for (size_t k = 0; race->scale != MK_RACE_UNSCALED && k < race->arms; k++) {
        double low, high;
        mk_known_support(&race->arm[k], &low, &high);
        const double end =
            fmax(isfinite(low) ? fabs(low) : MK_MOST_REWARD, isfinite(high) ? fabs(high) : MK_MOST_REWARD);
        factor = fmax(factor, race->scale == MK_RACE_BY_RANGE ? 2 * end / race->width : end);
    }
    if (root < sqrt(most) && root * root < most / factor) return mk_race_check_bonus(race, err);
    if (race->bonus)
        return mk_fail(err, MK_EINPUT, "the bonus times the largest factor of scaled rewards, %g, overflows", factor);
    return mk_fail(
        err, MK_EINPUT,
        "alpha = %g: the bonus times the largest factor of scaled rewards, %g, overflows; allowed: alpha below "
        "%.3g",
        race->alpha, factor, race->alpha / root * sqrt(most / factor));
}

int mk_certify_kept(struct mk_certificate **out, struct mk_certificate_store *store, const struct mk_certify_task *task,
                    struct mk_error *err)
{
    if (is_round_robin(task)) return certify_turns(out, task->arms->n, task->horizon, err);
    struct mk_known_cdf *arm = malloc(task->arms->n * sizeof *arm);
    if (!arm) return mk_fail_memory(err, "the certificate");
    const struct mk_certificate_request request = request_of(task, arm);
    int code = check_race(&request.race, err);
    if (!code) code = mk_certificate_play(out, &request.race, err);
    if (!code && !*out) code = mk_certificate_store_get(store, &request, out, err);
    if (!code && burn_in_of(task) > 0) mk_certificate_add(*out, burn_in_of(task), task->horizon);
    free(arm);
    return code;
}

int mk_certify_ahead(struct mk_certificate_store *store, const struct mk_certify_task *task, size_t n,
                     struct mk_progress *progress, struct mk_error *err)
{
    struct mk_certificate_request *request = malloc((n + 1) * sizeof *request);
    size_t wanted = 0, arms = 0;
    for (size_t i = 0; i < n; i++) arms += task[i].arms->n;
    struct mk_known_cdf *arm = malloc((arms + 1) * sizeof *arm), *next = arm;
    int code = request && arm ? MK_OK : mk_fail_memory(err, "certificates");
    for (size_t i = 0; i < n && !code; i++) {
        if (is_round_robin(&task[i])) continue;
        request[wanted] = request_of(&task[i], next);
        next += task[i].arms->n;
        code = check_race(&request[wanted].race, err);
        wanted += !mk_race_is_certain(&request[wanted].race);
    }
    if (!code) code = mk_certificate_store_fill(store, request, wanted, progress, err);
    free(request);
    free(arm);
    return code;
}

int mk_certify(struct mk_certificate **out, const struct mk_policy_entry *entry, const struct mk_race_arms *arms,
               uint64_t horizon, enum mk_certified_sides sides, double refinement, struct mk_error *err)
{
    const struct mk_certify_task task = {entry, arms, horizon, sides, refinement, MK_EVERY_ARM};
    struct mk_certificate_store *store = NULL;
    *out = NULL;
    int code = mk_certificate_store_open(&store, NULL, err);
    if (!code) code = mk_certify_kept(out, store, &task, err);
    mk_certificate_store_free(store);
    return code;
}

int mk_certify_upper(double *upper, const struct mk_policy_entry *entry, const struct mk_problem *p, size_t instance,
                     uint64_t horizon, double confidence, double refinement, struct mk_error *err)
{
    const struct mk_instance *in = &p->instance[instance];
    struct mk_race_arms *arms = NULL;
    struct mk_certificate *c = NULL;
    for (size_t k = 0; k < p->n_arms; k++) upper[k] = NAN;
    if (mk_certify_refusal(entry, p, instance)) return MK_OK;
    int code = mk_race_arms_new(&arms, p, instance, confidence, err);
    if (!code) code = mk_certify(&c, entry, arms, horizon, MK_CERTIFIED_UPPER, refinement, err);
    for (size_t k = 0; !code && k < in->n_arms; k++) upper[in->arm[k]] = c->arm[k].upper;
    mk_certificate_free(c);
    mk_race_arms_free(arms);
    return code;
}

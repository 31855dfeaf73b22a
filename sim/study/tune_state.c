#include "sim/study/tune_state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/policy.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/statistics.h"
#include "sim/base/text.h"
#include "sim/study/instances.h"
#include "sim/study/study_files.h"
#include "sim/study/untried.h"

/* ---- the state ---- */

/* The runs that an optimiser has asked for and knows of. On instances of the tune file a configuration of one that does
 * not race has several runs, of which it learns together. */
struct runs {
    size_t asked, heard;
    double sum, cost; /* of the rewards and the costs of the configuration whose runs are being reported */
    enum mk_trial_status status;
};

struct mk_arm_state {
    struct runs runs;
    size_t leading; /* of a race on named instances: most runs of a configuration, */
    double lead;    /* and the largest mean reward among those with as many */
    size_t reach;   /* once refreshed: most runs of a configuration that all have succeeded */
    size_t n;
    size_t *trial;                  /* [n] its trials in the order of their issue */
    double worst;                   /* of the rewards of its successes that are reported; NaN: none */
    double whole;                   /* largest reward of its whole evaluations; NaN: none */
    double dearest;                 /* largest cost that is known; NaN: none */
    struct mk_string_table tried;   /* digests of its configurations; exhausted: leave */
    uint64_t repeats;               /* results equal to the first that the policy gets after it (struct mk_prior_arm) */
    struct mk_optimizer *optimizer; /* NULL in a combined search, and where there are results alone */
};

static int new_optimizer(struct mk_optimizer **out, const struct mk_optimizer_choice *choice,
                         const struct mk_space *space, uint64_t budget, bool named, struct mk_key key,
                         struct mk_error *err)
{
    int code = mk_optimizer_new(out, choice->type, choice->par, space, budget, err);
    if (!code) {
        (*out)->ask.by_instance = true; /* a program prints what it has measured */
        (*out)->ask.named = named;
    }
    return code ? code : mk_optimizer_start(*out, mk_key_text(key, "optimizer"), err);
}

int mk_tune_state_new(struct mk_tune_state **out, const struct mk_tune *t, uint64_t more, struct mk_error *err)
{
    struct mk_tune_state *s = *out = calloc(1, sizeof *s);
    if (!s) return mk_fail_memory(err, "trials");
    const uint64_t trials = t->evaluations + more, horizon = t->horizon + more;
    const uint64_t repeats = t->prior ? mk_prior_repeats(t->prior, t->n_arms) : 0;
    /* Other policies do not know the budget, which may grow. */
    const struct mk_policy_options options = {.horizon = t->needs_horizon ? trials + repeats : 0, .seed = t->seed};
    bool added;
    s->t = t;
    s->worst = s->dearest = NAN;
    s->best = SIZE_MAX;
    s->key = mk_key_word(mk_key_text(mk_key_start(), "tune"), t->seed);
    s->horizon = options.horizon;
    s->arm = calloc(t->n_arms + 1, sizeof *s->arm);
    s->left = malloc(t->n_arms * sizeof *s->left);
    int code = s->arm && s->left ? MK_OK : mk_fail_memory(err, "trials");
    for (size_t k = 0; s->left && k < t->n_arms; k++) s->left[s->n_left++] = k;
    if (!code && t->pruning.on) code = mk_pruner_new(&s->pruner, &t->pruning, t->n_arms, t->metric.maximize, err);
    if (!code && t->policy && trials < t->n_arms)
        code =
            mk_fail(err, MK_EINPUT, "%s: budget: evaluations: expected at least the number of arms, %zu, got %" PRIu64,
                    t->file, t->n_arms, trials);
    if (!code && t->policy) code = mk_policy_new(&s->policy, t->policy, t->n_arms, &options, err);
    if (!code && !t->policy)
        code = new_optimizer(&s->combined, &t->combined, t->joint, horizon, t->on.n > 0,
                             mk_key_text(s->key, "combined"), err);
    for (size_t k = 0; !code && k < t->n_arms; k++) {
        s->arm[k].worst = s->arm[k].whole = s->arm[k].dearest = NAN;
        s->arm[k].repeats = t->prior ? t->prior[k].repeats : 0;
        if (t->policy)
            code = new_optimizer(&s->arm[k].optimizer, &t->arm[k].optimizer, t->arm[k].space, horizon, t->on.n > 0,
                                 mk_key_word(s->key, k), err);
        if (!code && t->prior) mk_optimizer_give(s->arm[k].optimizer, t->prior[k].v, t->prior[k].n);
    }
    for (size_t i = 0; !code && i < t->n_first; i++)
        code = mk_tune_state_enqueue(s, t->first_trial[i].arm, t->first_trial[i].v, &added, err);
    if (!code) return MK_OK;
    mk_tune_state_free(s);
    *out = NULL;
    return code;
}

void mk_tune_state_free(struct mk_tune_state *s)
{
    if (!s) return;
    free(s->again);
    mk_string_table_free(&s->raced);
    mk_string_table_free(&s->first);
    free(s->first_arm);
    free(s->latest);
    for (size_t k = 0; s->arm && k < s->t->n_arms; k++) {
        mk_optimizer_free(s->arm[k].optimizer);
        free(s->arm[k].trial);
        mk_string_table_free(&s->arm[k].tried);
    }
    free(s->left);
    for (size_t i = 0; i < s->n; i++) {
        free(s->trial[i].v);
        free(s->trial[i].reports.report);
    }
    mk_pruner_free(s->pruner);
    mk_optimizer_free(s->combined);
    mk_policy_free(s->policy);
    free(s->trial);
    free(s->arm);
    free(s);
}

bool mk_tune_state_extend(struct mk_tune_state *s, uint64_t trials)
{
    const uint64_t budget = trials - s->t->evaluations + s->t->horizon;
    bool good = !s->t->needs_horizon;
    if (s->combined) return mk_optimizer_extend(s->combined, budget);
    for (size_t k = 0; k < s->t->n_arms && good; k++) good = mk_optimizer_extend(s->arm[k].optimizer, budget);
    return good;
}

bool mk_tune_state_plans(const struct mk_tune_state *s)
{
    bool plans = s->t->needs_horizon || (s->combined && mk_optimizer_plans(s->combined));
    for (size_t k = 0; k < s->t->n_arms && !s->combined && !plans; k++) plans = mk_optimizer_plans(s->arm[k].optimizer);
    return plans;
}

/* ---- the policy ---- */

/* The position of the arm among those of the policy, which are in ascending order; n_left: it has left. */
static size_t place_of(const struct mk_tune_state *s, size_t arm)
{
    size_t from = 0, to = s->n_left;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (s->left[middle] < arm)
            from = middle + 1;
        else
            to = middle;
    }
    return from < s->n_left && s->left[from] == arm ? from : s->n_left;
}

/* The policy learns of a result; ok: it has a value. */
static int tell_policy(struct mk_tune_state *s, const struct mk_trial *t, bool ok, struct mk_error *err)
{
    if (!s->policy || (!ok && s->t->crash == MK_CRASH_IGNORE)) return MK_OK;
    const double reward = ok ? t->reward : NAN, cost = t->cost > 0 ? t->cost : 0; /* NaN: not known */
    if (s->t->own_policy) return mk_own_tell_arm(s->own, t->arm, reward, err);
    const size_t place = place_of(s, t->arm);
    int code = place == s->n_left ? MK_OK : mk_policy_add_cost(s->policy, place, reward, cost, err);
    for (uint64_t *n = &s->arm[t->arm].repeats; !code && *n; --*n) code = mk_policy_add(s->policy, place, reward, err);
    return code;
}

/* The arm leaves: a new policy on the others, with their results. It plans for the trials that are left and theirs. */
static int leave(struct mk_tune_state *s, size_t place, struct mk_error *err)
{
    const size_t gone = s->left[place];
    memmove(s->left + place, s->left + place + 1, (--s->n_left - place) * sizeof *s->left);
    mk_policy_free(s->policy);
    s->policy = NULL;
    if (s->horizon) {
        s->horizon -= s->arm[gone].n < s->horizon ? s->arm[gone].n : s->horizon;
        if (s->horizon < s->n_left) s->horizon = s->n_left;
    }
    const struct mk_policy_options options = {.horizon = s->horizon, .seed = s->t->seed};
    int code = mk_policy_new(&s->policy, s->t->policy, s->n_left, &options, err);
    for (size_t i = 0; i < s->n && !code; i++) {
        const struct mk_trial *t = &s->trial[i];
        const bool ok = t->outcome.status == MK_TRIAL_OK || s->t->crash == MK_CRASH_VALUE;
        if (t->told && !t->dropped) code = tell_policy(s, t, ok, err);
    }
    return code;
}

static bool is_exhausted(const struct mk_tune_state *s, size_t arm)
{
    return s->t->exhausted == MK_EXHAUSTED_LEAVE && (double)s->arm[arm].tried.n >= s->t->arm[arm].configurations;
}

/* The arm of the next trial, while those that have not been reported are outstanding. */
static int select_arm(struct mk_tune_state *s, size_t *arm, struct mk_error *err)
{
    while (s->settled < s->n && s->trial[s->settled].told) s->settled++;
    size_t *running = malloc((s->n - s->settled + 1) * sizeof *running), place = 0;
    int code = running ? MK_OK : mk_fail_memory(err, "trials");
    for (bool left = true; left && !code;) {
        size_t n = 0;
        for (size_t i = s->settled; i < s->n; i++) {
            const size_t at = place_of(s, s->trial[i].arm);
            if (!s->trial[i].told && at < s->n_left) running[n++] = at;
        }
        code = mk_policy_select_while_running(s->policy, running, n, &place, err);
        left = !code && s->n_left > 1 && is_exhausted(s, s->left[place]);
        if (left) code = leave(s, place, err);
    }
    if (!code) *arm = s->left[place];
    free(running);
    return code;
}

/* ---- trials ---- */

/* For a program: fits a signed int of 32 bits. */
static uint64_t seed_of(struct mk_key key)
{
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, key);
    return 1 + mk_uniform_below(&rng, 2147483646);
}

/* malloc'ed; NULL: out of memory. */
static double *copy_values(const struct mk_space *space, const double *v)
{
    double *copy = malloc((space->n ? space->n : 1) * sizeof *copy);
    return copy ? memcpy(copy, v, space->n * sizeof *copy) : NULL;
}

/* Trial s->n becomes the latest one with this key; *before: the one until now, SIZE_MAX: none. False: no memory. */
static bool note_latest(struct mk_tune_state *s, const uint64_t key[3], size_t *before)
{
    int added;
    const size_t at = mk_string_table_add(&s->raced, key, 3 * sizeof *key, &added);
    if (at == SIZE_MAX || (added && !MK_GROW(s->latest, at, 1))) return false;
    *before = added ? SIZE_MAX : s->latest[at];
    s->latest[at] = s->n;
    return true;
}

/* Finds the run of the configuration on the instance before; false: no memory. */
static bool link_previous(struct mk_tune_state *s, struct mk_trial *t)
{
    const uint64_t key[] = {t->arm, t->digest, t->instance}, key_before[] = {t->arm, t->digest, t->instance - 1};
    const size_t before = mk_string_table_find(&s->raced, key_before, sizeof key_before);
    size_t same;
    if (before != SIZE_MAX) t->previous = s->latest[before];
    return note_latest(s, key, &same);
}

/* Finds the trial of the configuration that this one continues; false: no memory. */
static bool link_origin(struct mk_tune_state *s, struct mk_trial *t)
{
    const uint64_t key[] = {t->arm, t->digest, 0};
    size_t before;
    if (!note_latest(s, key, &before)) return false;
    if (before != SIZE_MAX && s->trial[before].fidelity < t->fidelity)
        t->origin = s->trial[before].origin == SIZE_MAX ? before : s->trial[before].origin;
    return true;
}

/* The seed of a trial: on instances with names that of the run, whatever the configuration. */
static uint64_t trial_seed(const struct mk_tune_state *s, const struct mk_trial *t)
{
    if (t->on) return seed_of(mk_key_word(mk_key_text(s->key, "instances"), t->instance));
    return seed_of(mk_key_word(mk_key_text(mk_key_word(s->key, t->arm), "noise"), t->nth));
}

/* The time after which a run is ended: the largest that counts, or that with which its configuration cannot survive. */
static double bound_of(const struct mk_tune_state *s, const struct mk_trial *t)
{
    static const double least = 0.01; /* seconds */
    const struct mk_optimizer *o = mk_tune_state_optimizer(s, t->arm);
    if (!(s->t->bound > 0) || !t->on || !o->type->allowance) return s->t->bound;
    const double most = mk_tune_value(s->t, o->type->allowance(o->state, &o->ask));
    return isnan(most) ? s->t->bound : fmin(s->t->bound, fmax(least, most));
}

static bool is_first(const struct mk_tune_state *s, size_t arm, uint64_t digest)
{
    const uint64_t key[] = {arm, digest};
    return s->n_first && mk_string_table_find(&s->first, key, sizeof key) != SIZE_MAX;
}

/* exhausted: leave. False: no memory. */
static bool note_tried(struct mk_tune_state *s, size_t arm, uint64_t digest)
{
    int added = 0;
    if (s->t->exhausted != MK_EXHAUSTED_LEAVE) return true;
    if (mk_string_table_add(&s->arm[arm].tried, &digest, sizeof digest, &added) == SIZE_MAX) return false;
    s->n_exhausted += added && (double)s->arm[arm].tried.n == s->t->arm[arm].configurations;
    return true;
}

/* A trial of arm k with configuration v. instance: as of struct mk_trial. */
static int append(struct mk_tune_state *s, size_t k, const double *v, double fidelity, size_t instance,
                  struct mk_error *err)
{
    struct mk_arm_state *a = &s->arm[k];
    const struct mk_space *space = s->t->arm[k].space;
    if (!MK_GROW(s->trial, s->n, 1) || !MK_GROW(a->trial, a->n, 1)) return mk_fail_memory(err, "trials");
    struct mk_trial *t = &s->trial[s->n];
    *t = (struct mk_trial){.arm = k,
                           .nth = a->n,
                           .fidelity = fidelity,
                           .instance = instance,
                           .previous = SIZE_MAX,
                           .origin = SIZE_MAX,
                           .space = space,
                           .value = NAN,
                           .reward = NAN,
                           .cost = NAN};
    t->v = copy_values(space, v);
    if (!t->v) return mk_fail_memory(err, "trials");
    if (s->t->on.n && instance) t->on = &s->t->on.of[mk_instance_of_run(s->t, instance)];
    t->digest = mk_space_configuration_digest(space, v);
    t->first = is_first(s, k, t->digest);
    const bool noted = note_tried(s, k, t->digest) &&
                       (t->instance ? link_previous(s, t) : !mk_tune_in_part(s->t, k) || link_origin(s, t));
    if (!noted) {
        free(t->v);
        return mk_fail_memory(err, "trials");
    }
    t->seed = trial_seed(s, t);
    t->bound = bound_of(s, t);
    a->trial[a->n++] = s->n++;
    s->own_arm.is_known = false;
    return MK_OK;
}

/* Whether the optimiser of the arm learns of several runs of a configuration together. */
static bool is_grouped(const struct mk_tune *t, size_t k)
{
    return t->on.n && !mk_tune_races(t, k);
}

/* The arm whose optimiser or, for a combined search, the entry after the arms whose runs these are. */
static struct runs *runs_of(const struct mk_tune_state *s, size_t arm)
{
    return &s->arm[s->combined ? s->t->n_arms : arm].runs;
}

/* The next run of the configuration that is being run, which is that of the latest trial of the arm, or of the combined
 * search. */
static const struct mk_trial *unfinished(const struct mk_tune_state *s, size_t arm)
{
    const struct mk_arm_state *a = &s->arm[arm];
    if (!is_grouped(s->t, arm) || runs_of(s, arm)->asked % s->t->runs == 0) return NULL;
    return &s->trial[s->combined ? s->n - 1 : a->trial[a->n - 1]];
}

/* The number of the run that the optimiser of arm k asks for; 0: it asks for an evaluation. */
static size_t next_instance(const struct mk_tune_state *s, size_t k, double fidelity)
{
    if (is_grouped(s->t, k)) return runs_of(s, k)->asked % s->t->runs + 1;
    return (size_t)round(fidelity * (double)mk_tune_instances(s->t, k));
}

/* ---- what is tried first ---- */

bool mk_tune_state_knows(const struct mk_tune_state *s, size_t arm, const double *v)
{
    const uint64_t digest = mk_space_configuration_digest(s->t->arm[arm].space, v);
    if (is_first(s, arm, digest)) return true;
    for (size_t i = 0; i < s->arm[arm].n; i++)
        if (s->trial[s->arm[arm].trial[i]].digest == digest) return true;
    return false;
}

/* The configuration in the space of all arms. */
static void joint_configuration(const struct mk_tune_state *s, size_t arm, const double *v, double *joint)
{
    for (size_t i = 0; i < s->t->joint->n; i++) joint[i] = NAN;
    joint[0] = (double)arm;
    memcpy(joint + s->t->first[arm], v, s->t->arm[arm].space->n * sizeof *v);
}

int mk_tune_state_enqueue(struct mk_tune_state *s, size_t arm, const double *v, bool *added, struct mk_error *err)
{
    const uint64_t digest = mk_space_configuration_digest(s->t->arm[arm].space, v), key[] = {arm, digest};
    double joint[MK_SPACE_MOST];
    *added = !mk_tune_state_knows(s, arm, v);
    if (!*added) return MK_OK;
    if (!MK_GROW(s->first_arm, s->n_first, 1) || mk_string_table_add(&s->first, key, sizeof key, NULL) == SIZE_MAX)
        return mk_fail_memory(err, "configurations to be tried first");
    if (s->combined) joint_configuration(s, arm, v, joint);
    int code = mk_optimizer_enqueue(mk_tune_state_optimizer(s, arm), s->combined ? joint : v, err);
    if (!code) s->first_arm[s->n_first++] = arm;
    return code;
}

/* A trial of the arm was asked for while configurations wait to be tried first; served: it is of the next of them. The
 * arm is free again after all runs of the configuration. A schedule takes it when it needs a new one. */
static void note_first(struct mk_tune_state *s, size_t arm, bool served)
{
    const struct mk_optimizer_type *type = mk_tune_optimizer(s->t, arm)->type;
    s->serving |= served;
    if (is_grouped(s->t, arm) ? !s->serving || runs_of(s, arm)->asked % s->t->runs != 0
                              : !s->serving && !(type->flags & MK_OPTIMIZER_FIDELITY))
        return;
    s->begun++;
    s->serving = false;
}

/* exhausted: leave. A configuration that has been tried, of an arm whose configurations are counted, is replaced. */
static void try_another(struct mk_tune_state *s, size_t arm, const double *asked)
{
    if (s->t->exhausted != MK_EXHAUSTED_LEAVE) return;
    const double all = s->t->arm[arm].configurations;
    const struct mk_key key = mk_key_word(mk_key_text(s->key, "another"), s->n);
    double v[MK_SPACE_MOST];
    if (isfinite(all) && (double)s->arm[arm].tried.n < all &&
        mk_another_untried(s->t->arm[arm].space, &s->arm[arm].tried, key, asked, v))
        mk_optimizer_replace(s->arm[arm].optimizer, v);
}

int mk_tune_state_ask(struct mk_tune_state *s, size_t *number, struct mk_error *err)
{
    return mk_tune_state_ask_again(s, 0, NULL, number, err);
}

int mk_tune_state_ask_again(struct mk_tune_state *s, size_t known_arm, const double *known, size_t *number,
                            struct mk_error *err)
{
    const double *v;
    double joint[MK_SPACE_MOST], chosen[MK_SPACE_MOST];
    double fidelity = 1;
    const bool firsts = s->begun < s->n_first;
    size_t arm = firsts && s->policy ? s->first_arm[s->begun] : 0;
    int code = !s->policy || firsts ? MK_OK
               : s->t->own_policy   ? mk_own_ask_arm(s->own, s->t, &s->own_arm, known ? known_arm : SIZE_MAX, &arm, err)
                                    : select_arm(s, &arm, err);
    struct mk_optimizer *optimizer = s->policy ? s->arm[arm].optimizer : s->combined;
    const size_t taken = optimizer->ask.taken;
    const struct mk_trial *of = code ? NULL : unfinished(s, arm);
    if (known && s->policy && known_arm != arm) known = NULL;
    if (known && !s->policy) {
        joint_configuration(s, known_arm, known, joint);
        known = joint;
    }
    const bool is_own = !code && !of && !firsts && s->policy && s->t->arm[arm].own_optimizer;
    if (is_own) code = mk_own_ask(s->own, s->t, arm, known, chosen, err);
    if (!code && !of) code = mk_optimizer_ask_again(optimizer, known, &v, &fidelity, err);
    if (code) return code;
    if (is_own) mk_optimizer_replace(optimizer, chosen);
    if (s->policy && !of) try_another(s, arm, v);
    if (of) {
        arm = of->arm;
        v = of->v;
    } else if (!s->policy) {
        arm = (size_t)v[0];
        v += s->t->first[arm];
    }
    *number = s->n;
    const size_t instance = next_instance(s, arm, fidelity);
    runs_of(s, arm)->asked++;
    if (firsts) note_first(s, arm, optimizer->ask.taken > taken);
    return append(s, arm, v, s->t->arm[arm].in_part && !s->t->on.n ? fidelity : 1, instance, err);
}

bool mk_tune_state_waits(const struct mk_tune_state *s)
{
    bool waits = false;
    for (size_t k = 0; k < s->t->n_arms && s->t->on.n && !waits; k++) {
        const struct mk_optimizer *o = mk_tune_state_optimizer(s, k);
        waits = o->type->waits && o->trials.told < o->trials.n && o->type->waits(o->state, &o->ask);
    }
    return waits;
}

struct mk_optimizer *mk_tune_state_optimizer(const struct mk_tune_state *s, size_t arm)
{
    return s->combined ? s->combined : s->arm[arm].optimizer;
}

bool mk_tune_state_is_next(const struct mk_tune_state *s, size_t number)
{
    const struct mk_trial *t = &s->trial[number];
    const struct mk_optimizer *o = mk_tune_state_optimizer(s, t->arm);
    return !o || runs_of(s, t->arm)->heard == (s->combined ? number : t->nth);
}

/* The first success gives failures their reward. */
static void settle_failures(struct mk_tune_state *s)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->trial[i].told && isnan(s->trial[i].reward)) s->trial[i].reward = s->worst;
}

static void note_success(struct mk_tune_state *s, size_t number)
{
    struct mk_trial *t = &s->trial[number];
    struct mk_arm_state *a = &s->arm[t->arm];
    const bool first = isnan(s->worst);
    if (!(t->reward >= s->worst)) s->worst = t->reward;
    if (!(t->reward >= a->worst)) a->worst = t->reward;
    if (!s->t->on.n && mk_trial_is_whole(s, t) && (s->best == SIZE_MAX || t->reward > s->trial[s->best].reward))
        s->best = number;
    if (first) settle_failures(s);
}

/* The cost of a trial that has been reported, which optimisers learn where it is known. Otherwise it counts as the
 * dearest one of its arm so far, else of all, else as the first that will be known, as in policies/ask_tell. */
static double note_cost(struct mk_tune_state *s, struct mk_trial *t)
{
    struct mk_arm_state *a = &s->arm[t->arm];
    const double cost = mk_outcome_cost(s->t, &t->outcome);
    const bool first = isnan(s->dearest) && !isnan(cost);
    s->dearest = fmax(s->dearest, cost);
    t->cost = !isnan(cost) ? cost : !isnan(a->dearest) ? a->dearest : s->dearest;
    a->dearest = fmax(a->dearest, t->cost);
    for (size_t i = 0; first && i < s->n; i++) {
        struct mk_trial *earlier = &s->trial[i];
        if (!earlier->told || !isnan(earlier->cost)) continue;
        earlier->cost = cost;
        s->arm[earlier->arm].dearest = fmax(s->arm[earlier->arm].dearest, cost);
    }
    return s->t->cost == SIZE_MAX ? t->fidelity : cost;
}

/* What the policy sees of an evaluation, as in sim/search/search.c; ok: it was measured, and is not what the key
 * `crash` says. */
static double reward_of(struct mk_arm_state *a, double own, bool is_whole, bool ok)
{
    if (is_whole && ok) a->whole = fmax(a->whole, own);
    return is_whole ? own : isnan(a->whole) ? fmin(a->worst, own) : a->whole;
}

/* The same of a race on instances with names: the mean of the configuration that has the most runs, the best of those
 * with as many, once it has those before the first test. */
static double lead_of(const struct mk_tune *t, struct mk_arm_state *a, const struct mk_trial *trial, double own)
{
    const struct mk_optimizer_choice *o = mk_tune_optimizer(t, trial->arm);
    const double first = o->par[mk_param_find(o->type->params, "first")];
    const size_t all = mk_tune_instances(t, trial->arm), least = first < (double)all ? (size_t)first : all;
    if (trial->runs == trial->instance && trial->runs >= least &&
        (trial->runs > a->leading || (trial->runs == a->leading && own > a->lead))) {
        a->leading = trial->runs;
        a->lead = own;
    }
    return a->leading ? a->lead : fmin(a->worst, own);
}

/* What the policy sees of a trial that has a value. */
static double seen_of(const struct mk_tune_state *s, const struct mk_trial *t)
{
    struct mk_arm_state *a = &s->arm[t->arm];
    const double own = mk_tune_reward(s->t, t->value);
    const bool ok = t->outcome.status == MK_TRIAL_OK;
    if (t->outcome.status == MK_TRIAL_PRUNED) return fmin(own, a->whole); /* NaN: there is no whole one */
    if (!s->t->on.n || !t->instance) return reward_of(a, own, mk_trial_ends_whole(s, t), ok);
    if (!is_grouped(s->t, t->arm)) return lead_of(s->t, a, t, own);
    return reward_of(a, own, t->instance == s->t->runs && t->runs == t->instance, ok);
}

/* The mean of `own` and of the results on the instances before that of trial t, as far as the last ones on them have
 * succeeded; *runs of them in all. */
static double value_of(const struct mk_tune_state *s, const struct mk_trial *t, double own, size_t *runs)
{
    double sum = own;
    *runs = 1;
    for (size_t i = t->previous; i != SIZE_MAX; i = s->trial[i].previous) {
        const struct mk_trial *p = &s->trial[i];
        if (!p->done || p->outcome.status != MK_TRIAL_OK) break;
        sum += p->outcome.value;
        ++*runs;
    }
    return sum / (double)*runs;
}

double mk_tune_state_whole(const struct mk_tune_state *s, size_t number)
{
    struct mk_trial t = s->trial[number];
    if (!t.done || t.outcome.status != MK_TRIAL_OK) return NAN;
    t.value = value_of(s, &t, t.outcome.value, &t.runs);
    return mk_trial_ends_whole(s, &t) ? t.value : NAN;
}

/* Reports a run to its optimiser, or adds it to those of its configuration, of which it learns with the last one. */
static int report(struct mk_tune_state *s, const struct mk_trial *t, double reward, double cost,
                  enum mk_trial_status status, struct mk_error *err)
{
    struct runs *r = runs_of(s, t->arm);
    if (!mk_tune_state_optimizer(s, t->arm)) return MK_OK;
    r->heard++;
    if (is_grouped(s->t, t->arm) && t->instance) {
        if (t->instance == 1) *r = (struct runs){r->asked, r->heard, 0, 0, MK_TRIAL_OK};
        r->sum += status == MK_TRIAL_OK ? reward : 0;
        r->cost += cost;
        if (status != MK_TRIAL_OK) r->status = status;
        if (t->instance != s->t->runs) return MK_OK;
        reward = r->sum / (double)s->t->runs;
        cost = r->cost;
        status = r->status;
    }
    mk_optimizer_tell(mk_tune_state_optimizer(s, t->arm), reward, cost, status);
    if (!s->policy || !s->t->arm[t->arm].own_optimizer) return MK_OK;
    return mk_own_tell(s->own, s->t, t->arm, t->v, status == MK_TRIAL_OK ? reward : NAN, err);
}

int mk_tune_state_tell(struct mk_tune_state *s, size_t number, struct mk_error *err)
{
    struct mk_trial *t = &s->trial[number];
    enum mk_trial_status status = t->outcome.status;
    if (!t->done || t->told || !mk_tune_state_is_next(s, number))
        return mk_fail(err, MK_EFAIL, "trial %zu: reported out of order", number + 1);
    double value = t->outcome.value;
    const double cost = note_cost(s, t);
    const bool pruned = status == MK_TRIAL_PRUNED;
    if (status == MK_TRIAL_INFEASIBLE) status = MK_TRIAL_CRASHED;
    if (pruned) status = MK_TRIAL_OK; /* with the value that it had */
    if (status != MK_TRIAL_OK && s->t->crash == MK_CRASH_VALUE) {
        value = s->t->crash_value;
        status = MK_TRIAL_OK; /* of this value, for policy and optimiser */
    }
    s->told++;
    t->told = true;
    const double arm_worst = s->arm[t->arm].worst, own = mk_tune_reward(s->t, value);
    if (status == MK_TRIAL_OK) t->value = value_of(s, t, value, &t->runs);
    t->reward = status != MK_TRIAL_OK ? (!isnan(arm_worst) ? arm_worst : s->worst) : seen_of(s, t);
    s->ran |= !mk_trial_failed(t->outcome.status);
    if (!s->ran) s->failures++;
    const int code = report(s, t, pruned ? t->reward : own, cost, status, err);
    if (status == MK_TRIAL_OK) note_success(s, number);
    const int also = tell_policy(s, t, status == MK_TRIAL_OK, err);
    return code ? code : also;
}

int mk_tune_state_drop(struct mk_tune_state *s, size_t number, struct mk_error *err)
{
    struct mk_trial *t = &s->trial[number];
    if (!mk_tune_state_is_next(s, number)) return mk_fail(err, MK_EFAIL, "trial %zu: dropped out of order", number + 1);
    t->dropped = t->told = true;
    return report(s, t, NAN, 1, MK_TRIAL_CRASHED, err);
}

/* ---- the best on instances with names ---- */

static const struct mk_optimizer *racing_of(const struct mk_tune_state *s, size_t k)
{
    const struct mk_optimizer *o = mk_tune_state_optimizer(s, k);
    return o && o->type->depth ? o : NULL;
}

/* By how many runs configurations are compared: of an arm, and of all; optimisers: those of `with`. */
static size_t find_depth(struct mk_tune_state *s, const struct mk_tune_state *with)
{
    size_t most = 0, depth = SIZE_MAX, joint = 0;
    for (size_t k = 0; k < s->t->n_arms; k++) s->arm[k].reach = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct mk_trial *t = &s->trial[i];
        size_t *reach = &s->arm[t->arm].reach;
        t->sound = t->done && t->outcome.status == MK_TRIAL_OK &&
                   (t->instance <= 1 || (t->previous != SIZE_MAX && s->trial[t->previous].sound));
        if (t->sound && t->instance > *reach) *reach = t->instance;
    }
    for (size_t k = 0; k < s->t->n_arms && !s->t->policy; k++)
        joint = joint > s->arm[k].reach ? joint : s->arm[k].reach;
    for (size_t k = 0; k < s->t->n_arms; k++) {
        const struct mk_optimizer *o = racing_of(with, k);
        if (joint) s->arm[k].reach = joint; /* one race of all arms */
        size_t *reach = &s->arm[k].reach, own = o ? o->type->depth(o->state, &o->ask) : s->t->runs;
        if (own < *reach || !o) *reach = own <= *reach ? own : 0;
        if (*reach > most) most = *reach;
    }
    for (size_t k = 0; k < s->t->n_arms; k++)
        if (2 * s->arm[k].reach >= most && s->arm[k].reach < depth && s->arm[k].reach) depth = s->arm[k].reach;
    return most ? depth : 0;
}

/* Whether no test of its race has eliminated the configuration. */
static bool survives(const struct mk_tune_state *s, const struct mk_trial *t)
{
    const struct mk_optimizer *o = racing_of(s, t->arm);
    double v[MK_SPACE_MOST];
    if (!o || !t->instance) return true;
    if (!s->combined) return o->type->survives(o->state, &o->ask, t->digest);
    joint_configuration(s, t->arm, t->v, v);
    return o->type->survives(o->state, &o->ask, mk_space_configuration_digest(o->ask.space, v));
}

/* The best of whole evaluations of configurations that survive, or of any. */
static size_t find_best(const struct mk_tune_state *s, const struct mk_tune_state *with, bool any)
{
    size_t best = SIZE_MAX;
    double most = -INFINITY;
    for (size_t i = 0; i < s->n; i++) {
        const double reward = mk_tune_reward(s->t, mk_tune_state_whole(s, i));
        if (!(reward > most) || !(any || survives(with, &s->trial[i]))) continue;
        most = reward;
        best = i;
    }
    return best;
}

/* with: whose optimisers know what has been eliminated. */
static void refresh(struct mk_tune_state *s, const struct mk_tune_state *with)
{
    if (!s->t->on.n) return;
    s->depth = find_depth(s, with);
    s->best = find_best(s, with, false);
    if (s->best == SIZE_MAX) s->best = find_best(s, with, true);
}

void mk_tune_state_refresh(struct mk_tune_state *s, size_t ended)
{
    if (!s->t->on.n || s->fresh == s->n + ended) return;
    refresh(s, s);
    s->fresh = s->n + ended;
}

/* The results of arm k without its trials. */
static struct mk_arm_state results_of(const struct mk_arm_state *a)
{
    return (struct mk_arm_state){
        .worst = a->worst, .whole = a->whole, .dearest = a->dearest, .leading = a->leading, .lead = a->lead};
}

static int copy_trial(struct mk_trial *to, const struct mk_trial *from, struct mk_error *err)
{
    const size_t n = from->reports.n;
    *to = *from;
    to->v = copy_values(from->space, from->v);
    to->reports.report = NULL;
    if (n && MK_GROW(to->reports.report, 0, n))
        memcpy(to->reports.report, from->reports.report, n * sizeof *to->reports.report);
    if (to->v && (!n || to->reports.report)) return MK_OK;
    free(to->v);
    free(to->reports.report);
    return mk_fail_memory(err, "trials");
}

int mk_tune_state_results(struct mk_tune_state **out, const struct mk_tune_state *s, struct mk_error *err)
{
    struct mk_tune_state *c = *out = malloc(sizeof *c);
    if (!c) return mk_fail_memory(err, "trials");
    *c = (struct mk_tune_state){.t = s->t,
                                .key = s->key,
                                .told = s->told,
                                .failures = s->failures,
                                .ran = s->ran,
                                .worst = s->worst,
                                .dearest = s->dearest,
                                .best = s->best};
    c->arm = calloc(s->t->n_arms + 1, sizeof *c->arm);
    int code = c->arm && MK_GROW(c->trial, 0, s->n) ? MK_OK : mk_fail_memory(err, "trials");
    for (size_t k = 0; !code && k < s->t->n_arms; k++) c->arm[k] = results_of(&s->arm[k]);
    for (; !code && c->n < s->n; c->n += !code) code = copy_trial(&c->trial[c->n], &s->trial[c->n], err);
    for (size_t i = 0; !code && i < c->n; i++)
        if (!c->trial[i].told) code = c->trial[i].done ? mk_tune_state_tell(c, i, err) : mk_tune_state_drop(c, i, err);
    if (!code) refresh(c, s);
    const size_t again = s->again_of == c->best ? s->n_again : 0; /* others are of an earlier best trial */
    if (!code && again) code = mk_tune_state_reevaluate(c, s->again_of, again, err);
    for (size_t i = 0; !code && i < again; i++) c->again[i] = s->again[i];
    if (!code) return MK_OK;
    mk_tune_state_free(c);
    *out = NULL;
    return code;
}

int mk_tune_state_can_add(const struct mk_tune_state *s, size_t k, struct mk_error *err)
{
    const struct mk_optimizer *o = s->arm[k].optimizer;
    if (!o) return mk_fail(err, MK_EINPUT, "a combined search cannot take earlier results; expected a policy");
    if (!(o->type->flags & MK_OPTIMIZER_FIDELITY)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s cannot take earlier results; expected an optimiser without a schedule",
                   o->type->name);
}

int mk_tune_state_add(struct mk_tune_state *s, size_t arm, const double *v, const struct mk_trial_outcome *outcome,
                      struct mk_error *err)
{
    int code = mk_tune_state_can_add(s, arm, err);
    if (!code && s->t->per_cost && isnan(s->dearest) && isnan(mk_outcome_cost(s->t, outcome)))
        code = mk_fail(err, MK_EINPUT, "per_cost: the first result needs its cost");
    if (!code) code = mk_optimizer_add(s->arm[arm].optimizer, v, err);
    if (!code) code = append(s, arm, v, 1, 0, err);
    if (code) return code;
    struct mk_trial *t = &s->trial[s->n - 1];
    t->added = t->done = true;
    t->outcome = *outcome;
    return mk_tune_state_tell(s, s->n - 1, err);
}

int mk_tune_state_repeats(const struct mk_tune_state *s, size_t *n, struct mk_error *err)
{
    struct mk_string_table seen = {0};
    int code = MK_OK;
    *n = 0;
    for (size_t i = 0; i < s->n && !code; i++) {
        const struct mk_trial *t = &s->trial[i];
        uint64_t key[] = {t->arm, t->digest, 0, t->instance};
        int added;
        memcpy(&key[2], &t->fidelity, sizeof t->fidelity);
        if (t->dropped || !t->space->n) continue;
        if (mk_string_table_add(&seen, key, sizeof key, &added) == SIZE_MAX) code = mk_fail_memory(err, "trials");
        *n += !added;
    }
    mk_string_table_free(&seen);
    return code;
}

/* ---- re-evaluations ---- */

int mk_tune_state_reevaluate(struct mk_tune_state *s, size_t trial, size_t n, struct mk_error *err)
{
    const size_t old = trial == s->again_of ? s->n_again : 0;
    if (n <= old) return MK_OK;
    if (!MK_GROW(s->again, old, n - old)) return mk_fail_memory(err, "re-evaluations");
    const struct mk_key key = mk_key_word(mk_key_text(s->key, "reevaluation"), trial);
    for (size_t i = old; i < n; i++) {
        const size_t tests = s->t->test.n, all = s->trial[trial].instance;
        struct mk_reevaluation *again = &s->again[i];
        *again = (struct mk_reevaluation){.seed = seed_of(mk_key_word(key, i)), .test = i < tests};
        if (!again->test && all)
            again->instance = (i - tests) % all + 1; /* a multiple of their number is a fair mean */
        if (s->t->on.n && again->instance) again->on = &s->t->on.of[mk_instance_of_run(s->t, again->instance)];
        if (again->test) again->on = &s->t->test.of[i];
    }
    s->again_of = trial;
    s->n_again = n;
    return MK_OK;
}

static struct mk_reevaluated reevaluated(const struct mk_tune_state *s, bool test)
{
    struct mk_reevaluated r = {0};
    struct mk_real_moments m = {0};
    for (size_t i = 0; i < s->n_again; i++) {
        const struct mk_reevaluation *one = &s->again[i];
        if (!one->done || one->test != test) continue;
        r.n++;
        r.failed += one->outcome.status != MK_TRIAL_OK;
        if (one->outcome.status == MK_TRIAL_OK) mk_real_moments_add(&m, one->outcome.value);
    }
    r.mean = mk_real_moments_mean(&m);
    r.se = mk_spread_error(&m.spread);
    return r;
}

struct mk_reevaluated mk_tune_state_reevaluated(const struct mk_tune_state *s)
{
    return reevaluated(s, false);
}

struct mk_reevaluated mk_tune_state_tested(const struct mk_tune_state *s)
{
    return reevaluated(s, true);
}

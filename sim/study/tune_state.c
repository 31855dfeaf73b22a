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
#include "sim/study/study_files.h"

/* ---- outcomes ---- */

const char *mk_metric_column(const struct mk_further_metric *m, char out[MK_METRIC_COLUMN])
{
    snprintf(out, MK_METRIC_COLUMN, "%s%s", mk_trials_metric_prefix, m->name);
    return out;
}

/* What it has cost: NaN where trials have costs and that of this one is not known, 1 where they have none. */
static double cost_of(const struct mk_tune *t, const struct mk_trial_outcome *o)
{
    const double cost = t->cost == SIZE_MAX ? 1 : mk_outcome_metric(o, t->cost);
    return cost > 0 ? cost : NAN;
}

/* Whether x lies beyond a bound; NaN does not. */
static bool excludes(const struct mk_constraint *c, double x)
{
    return x < c->at_least || x > c->at_most;
}

bool mk_outcome_is_infeasible(const struct mk_tune *t, const struct mk_trial_outcome *o)
{
    bool bad = false;
    for (size_t i = 0; i < t->n_constraints; i++)
        bad |= excludes(&t->constraint[i], mk_outcome_metric(o, t->constraint[i].metric));
    return bad;
}

/* Why the outcome violates a constraint; false: it does not. */
static bool violates(const struct mk_tune *t, const struct mk_constraint *c, const struct mk_trial_outcome *o,
                     char why[MK_WHY_ROOM])
{
    const double x = mk_outcome_metric(o, c->metric);
    char clip[MK_CLIP_ROOM];
    if (!isnan(x) && !excludes(c, x)) return false;
    mk_clip(t->further[c->metric].name, clip);
    if (isnan(x))
        snprintf(why, MK_WHY_ROOM, "subject_to: %s is missing", clip);
    else
        snprintf(why, MK_WHY_ROOM, "subject_to: %s is %g; expected at %s %g", clip, x,
                 x > c->at_most ? "most" : "least", x > c->at_most ? c->at_most : c->at_least);
    return true;
}

void mk_outcome_judge(const struct mk_tune *t, struct mk_trial_outcome *o)
{
    for (; o->n_metrics < t->n_metrics; o->n_metrics++) o->metric[o->n_metrics] = NAN;
    for (size_t i = 0; i < t->n_metrics; i++)
        if (t->further[i].from.source == MK_METRIC_SECONDS) o->metric[i] = o->seconds;
    if (o->status == MK_TRIAL_OK && isnan(cost_of(t, o))) {
        snprintf(o->why, sizeof o->why, "cost: expected a number > 0, got %g", mk_outcome_metric(o, t->cost));
        o->status = MK_TRIAL_CRASHED;
        o->value = NAN;
    }
    for (size_t i = 0; i < t->n_constraints && o->status == MK_TRIAL_OK; i++)
        if (violates(t, &t->constraint[i], o, o->why)) o->status = MK_TRIAL_INFEASIBLE;
}

/* ---- the state ---- */

struct mk_arm_state {
    size_t n;
    size_t *trial;                  /* [n] its trials in the order of their issue */
    double worst;                   /* of the rewards of its successes that are reported; NaN: none */
    double whole;                   /* largest reward of its whole evaluations; NaN: none */
    double dearest;                 /* largest cost that is known; NaN: none */
    uint64_t repeats;               /* results equal to the first that the policy gets after it (struct mk_prior_arm) */
    struct mk_optimizer *optimizer; /* NULL in a combined search, and where there are results alone */
};

static int new_optimizer(struct mk_optimizer **out, const struct mk_optimizer_choice *choice,
                         const struct mk_space *space, uint64_t budget, struct mk_key key, struct mk_error *err)
{
    int code = mk_optimizer_new(out, choice->type, choice->par, space, budget, err);
    if (!code) (*out)->ask.by_instance = true; /* a program prints what it has measured */
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
    s->t = t;
    s->worst = s->dearest = NAN;
    s->best = SIZE_MAX;
    s->key = mk_key_word(mk_key_text(mk_key_start(), "tune"), t->seed);
    s->arm = calloc(t->n_arms, sizeof *s->arm);
    int code = s->arm ? MK_OK : mk_fail_memory(err, "trials");
    if (!code && t->policy && trials < t->n_arms)
        code =
            mk_fail(err, MK_EINPUT, "%s: budget: evaluations: expected at least the number of arms, %zu, got %" PRIu64,
                    t->file, t->n_arms, trials);
    if (!code && t->policy) code = mk_policy_new(&s->policy, t->policy, t->n_arms, &options, err);
    if (!code && !t->policy)
        code = new_optimizer(&s->combined, &t->combined, t->joint, horizon, mk_key_text(s->key, "combined"), err);
    for (size_t k = 0; !code && k < t->n_arms; k++) {
        s->arm[k].worst = s->arm[k].whole = s->arm[k].dearest = NAN;
        s->arm[k].repeats = t->prior ? t->prior[k].repeats : 0;
        if (t->policy)
            code = new_optimizer(&s->arm[k].optimizer, &t->arm[k].optimizer, t->arm[k].space, horizon,
                                 mk_key_word(s->key, k), err);
        if (!code && t->prior) mk_optimizer_give(s->arm[k].optimizer, t->prior[k].v, t->prior[k].n);
    }
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
    free(s->latest);
    for (size_t k = 0; s->arm && k < s->t->n_arms; k++) {
        mk_optimizer_free(s->arm[k].optimizer);
        free(s->arm[k].trial);
    }
    for (size_t i = 0; i < s->n; i++) free(s->trial[i].v);
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

/* The arm of the next trial, while those that have not been reported are outstanding. */
static int select_arm(struct mk_tune_state *s, size_t *arm, struct mk_error *err)
{
    while (s->settled < s->n && s->trial[s->settled].told) s->settled++;
    size_t *running = malloc((s->n - s->settled + 1) * sizeof *running), n = 0;
    if (!running) return mk_fail_memory(err, "trials");
    for (size_t i = s->settled; i < s->n; i++)
        if (!s->trial[i].told) running[n++] = s->trial[i].arm;
    int code = mk_policy_select_ahead(s->policy, running, n, arm, err);
    free(running);
    return code;
}

/* The policy learns of a result; ok: it has a value. */
static int tell_policy(struct mk_tune_state *s, const struct mk_trial *t, bool ok, struct mk_error *err)
{
    if (!s->policy || (!ok && s->t->crash == MK_CRASH_IGNORE)) return MK_OK;
    const double reward = ok ? t->reward : NAN;
    uint64_t *repeats = &s->arm[t->arm].repeats;
    int code = mk_policy_add(s->policy, t->arm, reward, err);
    for (; !code && *repeats > 0; --*repeats) code = mk_policy_add(s->policy, t->arm, reward, err);
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

/* The instance of a trial of arm k; 0: it is on none. */
static size_t instance_of(const struct mk_tune_state *s, size_t k, double fidelity)
{
    return (size_t)round(fidelity * (double)mk_tune_instances(s->t, k));
}

/* Finds the trial before of the same configuration, for the next of which this one is it; false: no memory. */
static bool link_previous(struct mk_tune_state *s, struct mk_trial *t)
{
    const uint64_t key[] = {t->arm, t->digest};
    int added;
    const size_t at = mk_string_table_add(&s->raced, key, sizeof key, &added);
    if (at == SIZE_MAX || (added && !MK_GROW(s->latest, at, 1))) return false;
    if (!added) t->previous = s->latest[at];
    s->latest[at] = s->n;
    return true;
}

/* A trial of arm k with configuration v. */
static int append(struct mk_tune_state *s, size_t k, const double *v, double fidelity, struct mk_error *err)
{
    struct mk_arm_state *a = &s->arm[k];
    const struct mk_space *space = s->t->arm[k].space;
    if (!MK_GROW(s->trial, s->n, 1) || !MK_GROW(a->trial, a->n, 1)) return mk_fail_memory(err, "trials");
    struct mk_trial *t = &s->trial[s->n];
    *t = (struct mk_trial){.arm = k,
                           .nth = a->n,
                           .fidelity = fidelity,
                           .instance = instance_of(s, k, fidelity),
                           .previous = SIZE_MAX,
                           .space = space,
                           .value = NAN,
                           .reward = NAN,
                           .cost = NAN};
    t->v = copy_values(space, v);
    if (!t->v) return mk_fail_memory(err, "trials");
    t->digest = mk_space_configuration_digest(space, v);
    if (t->instance && !link_previous(s, t)) return mk_fail_memory(err, "trials");
    t->seed = seed_of(mk_key_word(mk_key_text(mk_key_word(s->key, k), "noise"), a->n));
    a->trial[a->n++] = s->n++;
    return MK_OK;
}

int mk_tune_state_ask(struct mk_tune_state *s, size_t *number, struct mk_error *err)
{
    const double *v;
    double fidelity;
    size_t arm = 0;
    int code = s->policy ? select_arm(s, &arm, err) : MK_OK;
    if (!code) code = mk_optimizer_ask(s->policy ? s->arm[arm].optimizer : s->combined, &v, &fidelity, err);
    if (code) return code;
    if (!s->policy) {
        arm = (size_t)v[0];
        v += s->t->first[arm];
    }
    *number = s->n;
    return append(s, arm, v, s->t->arm[arm].in_part ? fidelity : 1, err);
}

/* The optimiser of a trial; NULL where there are results alone. */
static struct mk_optimizer *optimizer_of(const struct mk_tune_state *s, const struct mk_trial *t)
{
    return s->combined ? s->combined : s->arm[t->arm].optimizer;
}

bool mk_tune_state_is_next(const struct mk_tune_state *s, size_t number)
{
    const struct mk_trial *t = &s->trial[number];
    const struct mk_optimizer *o = optimizer_of(s, t);
    return !o || o->trials.told == (s->combined ? number : t->nth);
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
    if (mk_trial_is_whole(t) && (s->best == SIZE_MAX || t->reward > s->trial[s->best].reward)) s->best = number;
    if (first) settle_failures(s);
}

/* The cost of a trial that has been reported, which optimisers learn where it is known. */
static double note_cost(struct mk_tune_state *s, struct mk_trial *t)
{
    struct mk_arm_state *a = &s->arm[t->arm];
    const double cost = cost_of(s->t, &t->outcome);
    const bool first = isnan(s->dearest) && !isnan(cost);
    a->dearest = fmax(a->dearest, cost);
    s->dearest = fmax(s->dearest, cost);
    t->cost = !isnan(cost) ? cost : !isnan(a->dearest) ? a->dearest : s->dearest;
    for (size_t i = 0; first && i < s->n; i++)
        if (s->trial[i].told && isnan(s->trial[i].cost)) s->trial[i].cost = cost;
    return s->t->cost == SIZE_MAX ? t->fidelity : cost;
}

/* What the policy sees of an evaluation, as in sim/search/search.c; ok: it was measured, and is not what the key
 * `crash` says. */
static double reward_of(struct mk_arm_state *a, double own, bool is_whole, bool ok)
{
    if (is_whole && ok) a->whole = fmax(a->whole, own);
    return is_whole ? own : isnan(a->whole) ? fmin(a->worst, own) : a->whole;
}

/* The mean of `own` and of the results on the instances before that of trial t, as far as the last ones on them have
 * succeeded; *runs of them in all. */
static double value_of(const struct mk_tune_state *s, const struct mk_trial *t, double own, size_t *runs)
{
    double sum = own;
    *runs = 1;
    for (size_t i = t->previous, next = t->instance; i != SIZE_MAX && next > 1; i = s->trial[i].previous) {
        const struct mk_trial *p = &s->trial[i];
        if (p->instance + 1 != next) continue;
        if (!p->done || p->outcome.status != MK_TRIAL_OK) break;
        sum += p->outcome.value;
        ++*runs;
        next--;
    }
    return sum / (double)*runs;
}

double mk_tune_state_whole(const struct mk_tune_state *s, size_t number)
{
    struct mk_trial t = s->trial[number];
    if (!t.done || t.outcome.status != MK_TRIAL_OK) return NAN;
    t.value = value_of(s, &t, t.outcome.value, &t.runs);
    return mk_trial_ends_whole(&t) ? t.value : NAN;
}

int mk_tune_state_tell(struct mk_tune_state *s, size_t number, struct mk_error *err)
{
    struct mk_trial *t = &s->trial[number];
    struct mk_optimizer *o = optimizer_of(s, t);
    enum mk_trial_status status = t->outcome.status;
    if (!t->done || t->told || !mk_tune_state_is_next(s, number))
        return mk_fail(err, MK_EFAIL, "trial %zu: reported out of order", number + 1);
    double value = t->outcome.value;
    const double cost = note_cost(s, t);
    if (status == MK_TRIAL_INFEASIBLE) status = MK_TRIAL_CRASHED;
    if (status != MK_TRIAL_OK && s->t->crash == MK_CRASH_VALUE) {
        value = s->t->crash_value;
        status = MK_TRIAL_OK; /* of this value, for policy and optimiser */
    }
    s->told++;
    t->told = true;
    const double arm_worst = s->arm[t->arm].worst, own = mk_tune_reward(s->t, value);
    if (status == MK_TRIAL_OK) t->value = value_of(s, t, value, &t->runs);
    t->reward = status != MK_TRIAL_OK ? (!isnan(arm_worst) ? arm_worst : s->worst)
                                      : reward_of(&s->arm[t->arm], mk_tune_reward(s->t, t->value),
                                                  mk_trial_ends_whole(t), t->outcome.status == MK_TRIAL_OK);
    s->ran |= !mk_trial_failed(t->outcome.status);
    if (!s->ran) s->failures++;
    if (o) mk_optimizer_tell(o, own, cost, status);
    if (status == MK_TRIAL_OK) note_success(s, number);
    return tell_policy(s, t, status == MK_TRIAL_OK, err);
}

int mk_tune_state_drop(struct mk_tune_state *s, size_t number, struct mk_error *err)
{
    struct mk_trial *t = &s->trial[number];
    if (!mk_tune_state_is_next(s, number)) return mk_fail(err, MK_EFAIL, "trial %zu: dropped out of order", number + 1);
    struct mk_optimizer *o = optimizer_of(s, t);
    t->dropped = t->told = true;
    if (o) mk_optimizer_tell(o, NAN, 1, MK_TRIAL_CRASHED);
    return MK_OK;
}

/* The results of arm k without its trials. */
static struct mk_arm_state results_of(const struct mk_arm_state *a)
{
    return (struct mk_arm_state){.worst = a->worst, .whole = a->whole, .dearest = a->dearest};
}

static int copy_trial(struct mk_trial *to, const struct mk_trial *from, struct mk_error *err)
{
    *to = *from;
    to->v = copy_values(from->space, from->v);
    return to->v ? MK_OK : mk_fail_memory(err, "trials");
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
    c->arm = calloc(s->t->n_arms, sizeof *c->arm);
    int code = c->arm && MK_GROW(c->trial, 0, s->n) ? MK_OK : mk_fail_memory(err, "trials");
    for (size_t k = 0; !code && k < s->t->n_arms; k++) c->arm[k] = results_of(&s->arm[k]);
    for (; !code && c->n < s->n; c->n += !code) code = copy_trial(&c->trial[c->n], &s->trial[c->n], err);
    for (size_t i = 0; !code && i < c->n; i++)
        if (!c->trial[i].told) code = c->trial[i].done ? mk_tune_state_tell(c, i, err) : mk_tune_state_drop(c, i, err);
    if (!code && s->n_again) code = mk_tune_state_reevaluate(c, s->again_of, s->n_again, err);
    for (size_t i = 0; !code && i < s->n_again; i++) c->again[i] = s->again[i];
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
    if (!code) code = mk_optimizer_add(s->arm[arm].optimizer, v, err);
    if (!code) code = append(s, arm, v, 1, err);
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
        uint64_t key[] = {t->arm, t->digest, 0};
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
    for (size_t i = old; i < n; i++) s->again[i] = (struct mk_reevaluation){.seed = seed_of(mk_key_word(key, i))};
    s->again_of = trial;
    s->n_again = n;
    return MK_OK;
}

struct mk_reevaluated mk_tune_state_reevaluated(const struct mk_tune_state *s)
{
    struct mk_reevaluated r = {0};
    struct mk_real_moments m = {0};
    for (size_t i = 0; i < s->n_again; i++) {
        const struct mk_reevaluation *one = &s->again[i];
        if (!one->done) continue;
        r.n++;
        r.failed += one->outcome.status != MK_TRIAL_OK;
        if (one->outcome.status == MK_TRIAL_OK) mk_real_moments_add(&m, one->outcome.value);
    }
    r.mean = mk_real_moments_mean(&m);
    r.se = mk_spread_error(&m.spread);
    return r;
}

/* The policies of sim/api/maxk/policy.h: one replication of a policy, driven from outside.
 *
 * The state of a policy holds pointers into itself and has a size that may depend on the number of rounds. So nothing
 * here looks into it: the rewards are kept, and a state that is copied, read or too small is made by replaying them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/policy.h"
#include "sim/api/maxk/maxk.h"
#include "sim/base/number.h"
#include "sim/experiment/experiment.h"
#include "sim/problem/problem.h"
#include "sim/study/policy_text.h"

enum { FIRST_ROUNDS = 256 };

struct mk_policy {
    struct mk_experiment *e; /* without a problem; its one entry is the policy */
    char *text;
    uint64_t seed, horizon; /* horizon 0: open */
    double *cost;           /* [arms] */
    int has_cost;           /* given by the caller */
    struct mk_pcg64 rng;
    struct mk_setup setup; /* setup.horizon: rounds that the state has room for */
    void *state;
    struct mk_policy_round *round; /* [n] */
    uint64_t n, room;
    int is_selected;
    size_t selected; /* the arm, while is_selected */
};

static const struct mk_policy_type *type_of(const struct mk_policy *p)
{
    return p->e->entry[0].type;
}

void mk_policy_free(struct mk_policy *p)
{
    if (!p) return;
    mk_experiment_free(p->e);
    free(p->text);
    free(p->cost);
    free(p->state);
    free(p->round);
    free(p);
}

/* A new state with room for `horizon` rounds, brought to where the policy is. */
static int replay(struct mk_policy *p, uint64_t horizon, struct mk_error *err)
{
    const struct mk_policy_type *type = type_of(p);
    struct mk_setup setup = p->setup;
    setup.horizon = horizon;
    void *state = aligned_alloc(64, (type->state_size(&setup) + 64) & ~(size_t)63);
    if (!state) return mk_fail_memory(err, "the state of a policy");
    free(p->state);
    p->state = state;
    p->setup = setup;
    mk_pcg64_from_key(&p->rng, mk_key_text(mk_key_word(mk_key_text(mk_key_start(), "policy"), p->seed), type->name));
    type->init(p->state, &p->setup);
    for (uint64_t i = 0; i < p->n; i++) {
        const struct mk_policy_round *r = &p->round[i];
        const size_t arm = type->select(p->state, i + 1);
        if (arm != r->arm)
            return mk_fail(
                err, MK_EINPUT,
                "policy: round %llu pulled arm %zu, where this version of the library (%d.%d.%d) selects arm %zu",
                (unsigned long long)(i + 1), r->arm, MAXK_VERSION_MAJOR, MAXK_VERSION_MINOR, MAXK_VERSION_PATCH, arm);
        type->update(p->state, arm, r->reward, i + 1);
    }
    return MK_OK;
}

/* The rounds that a state with room for `rounds` more or less is made for. */
static uint64_t room_for(const struct mk_policy *p, uint64_t rounds)
{
    uint64_t room = p->setup.arms > FIRST_ROUNDS ? p->setup.arms : FIRST_ROUNDS;
    if (p->horizon) return p->horizon;
    while (room < rounds) room *= 2;
    return room;
}

static int read_type(struct mk_policy *p, const char *text, struct mk_error *err)
{
    char *whole = NULL, *parameters = NULL;
    if (asprintf(&whole, "policies: [%s]\n", text) < 0) return mk_fail_memory(err, "a policy");
    int code = mk_experiment_parse(&p->e, "policy", whole, strlen(whole), 0, err);
    free(whole);
    if (code) return code;
    if (p->e->n_entries != 1)
        return mk_fail(err, MK_EINPUT, "policy: expected one policy, got %zu (a list of values is a sweep)",
                       p->e->n_entries);
    if (type_of(p)->flags & MK_POLICY_ORACLE)
        return mk_fail(err, MK_EINPUT, "policy: %s must know the best arm in advance; expected a policy that does not",
                       type_of(p)->name);
    parameters = mk_policy_entry_parameters(&p->e->entry[0]);
    const int has = parameters && parameters[1] != '}';
    if (!parameters ||
        asprintf(&p->text, "{name: %s%s%s", type_of(p)->name, has ? ", " : "", has ? parameters + 1 : "}") < 0)
        code = mk_fail_memory(err, "a policy");
    free(parameters);
    return code;
}

static int check_options(const struct mk_policy *p, size_t arms, const struct mk_policy_options *o,
                         struct mk_error *err)
{
    if (arms < 1 || arms > MK_MOST_ARMS)
        return mk_fail(err, MK_EINPUT, "policy: arms: expected 1 to %d, got %zu", MK_MOST_ARMS, arms);
    if (o->horizon == 0 && (type_of(p)->flags & MK_POLICY_NEEDS_HORIZON))
        return mk_fail(err, MK_EINPUT, "policy: horizon: missing; %s needs the number of rounds in advance",
                       type_of(p)->name);
    if (o->horizon && (o->horizon < arms || o->horizon > (uint64_t)MK_EXACT_MAX))
        return mk_fail(err, MK_EINPUT, "policy: horizon: expected %zu (the number of arms) to 2^53, got %llu", arms,
                       (unsigned long long)o->horizon);
    for (size_t k = 0; o->cost && k < arms; k++)
        if (!(o->cost[k] > 0 && o->cost[k] <= MK_MOST_REWARD))
            return mk_fail(err, MK_EINPUT, "policy: cost: expected a number > 0 for arm %zu, got %g", k, o->cost[k]);
    return MK_OK;
}

/* A policy with `n` rounds played; takes over round[], also after an error. */
static int create(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                  struct mk_policy_round *round, uint64_t n, struct mk_error *err)
{
    static const struct mk_policy_options usual = {0};
    const struct mk_policy_options *o = options ? options : &usual;
    struct mk_policy *p = calloc(1, sizeof *p);
    if (!p) {
        free(round);
        return mk_fail_memory(err, "a policy");
    }
    p->round = round;
    p->n = p->room = n;
    int code = read_type(p, text, err);
    if (!code) code = check_options(p, arms, o, err);
    if (!code && !(p->cost = malloc(arms * sizeof *p->cost))) code = mk_fail_memory(err, "a policy");
    if (!code) {
        for (size_t k = 0; k < arms; k++) p->cost[k] = o->cost ? o->cost[k] : 1;
        p->has_cost = o->cost != NULL;
        p->seed = o->seed;
        p->horizon = o->horizon;
        p->setup = (struct mk_setup){
            .arms = arms, .par = p->e->entry[0].par, .rng = &p->rng, .best_arm = arms, .cost = p->cost};
        code = replay(p, room_for(p, n), err);
    }
    if (code)
        mk_policy_free(p);
    else
        *out = p;
    return code;
}

int mk_policy_new(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                  struct mk_error *err)
{
    return create(out, text, arms, options, NULL, 0, err);
}

/* ---- the loop ---- */

int mk_policy_select(struct mk_policy *p, size_t *arm, struct mk_error *err)
{
    if (!p->is_selected) {
        if (p->horizon && p->n == p->horizon)
            return mk_fail(err, MK_EINPUT, "policy: all %llu rounds of its horizon are over",
                           (unsigned long long)p->horizon);
        if (p->n == p->setup.horizon) {
            int code = replay(p, room_for(p, p->n + 1), err);
            if (code) return code;
        }
        p->selected = type_of(p)->select(p->state, p->n + 1);
        p->is_selected = 1;
    }
    *arm = p->selected;
    return MK_OK;
}

int mk_policy_update(struct mk_policy *p, size_t arm, double reward, struct mk_error *err)
{
    if (!p->is_selected) return mk_fail(err, MK_EINPUT, "policy: update without a selected arm; select comes first");
    if (arm != p->selected)
        return mk_fail(err, MK_EINPUT, "policy: arm: expected %zu, the selected arm, got %zu", p->selected, arm);
    if (!(fabs(reward) <= MK_MOST_REWARD))
        return mk_fail(err, MK_EINPUT, "policy: reward: expected a number from " MK_REWARD_RANGE ", got %g", reward);
    if (p->n == p->room) {
        const uint64_t room = p->room ? 2 * p->room : FIRST_ROUNDS;
        struct mk_policy_round *grown = realloc(p->round, room * sizeof *grown);
        if (!grown) return mk_fail_memory(err, "the rounds of a policy");
        p->round = grown;
        p->room = room;
    }
    p->round[p->n] = (struct mk_policy_round){arm, reward};
    p->n++;
    p->is_selected = 0;
    type_of(p)->update(p->state, arm, reward, p->n);
    return MK_OK;
}

const char *mk_policy_text(const struct mk_policy *p)
{
    return p->text;
}

size_t mk_policy_arms(const struct mk_policy *p)
{
    return p->setup.arms;
}

uint64_t mk_policy_rounds(const struct mk_policy *p)
{
    return p->n;
}

size_t mk_policy_arm_of(const struct mk_policy *p, uint64_t round)
{
    return p->round[round].arm;
}

double mk_policy_reward_of(const struct mk_policy *p, uint64_t round)
{
    return p->round[round].reward;
}

/* ---- copies ---- */

static struct mk_policy_options options_of(const struct mk_policy *p)
{
    return (struct mk_policy_options){p->horizon, p->seed, p->has_cost ? p->cost : NULL};
}

int mk_policy_copy(struct mk_policy **out, const struct mk_policy *p, struct mk_error *err)
{
    const struct mk_policy_options o = options_of(p);
    struct mk_policy_round *round = malloc((p->n + 1) * sizeof *round);
    size_t arm;
    if (!round) return mk_fail_memory(err, "the rounds of a policy");
    if (p->n) memcpy(round, p->round, p->n * sizeof *round);
    int code = create(out, p->text, p->setup.arms, &o, round, p->n, err);
    return code || !p->is_selected ? code : mk_policy_select(*out, &arm, err);
}

int mk_policy_save(const struct mk_policy *p, char **text, struct mk_error *err)
{
    const struct mk_policy_options o = options_of(p);
    const struct mk_policy_saved saved = {p->text, p->setup.arms, o, p->n, p->round};
    *text = mk_policy_saved_write(&saved);
    return *text ? MK_OK : mk_fail_memory(err, "the text of a policy");
}

void mk_policy_free_text(char *text)
{
    free(text);
}

int mk_policy_load(struct mk_policy **out, const char *text, struct mk_error *err)
{
    struct mk_policy_saved saved;
    char *policy = NULL;
    double *cost = NULL;
    int code = mk_policy_saved_read(&saved, text, &policy, &cost, err);
    if (!code) code = create(out, policy, saved.arms, &saved.options, saved.round, saved.n, err);
    free(policy);
    free(cost);
    return code;
}

/* The policies of sim/api/maxk/policy.h: one replication of a policy, driven from outside.
 *
 * Usually the rewards are kept, and a state that is copied, read or too small is made by replaying them. Bounded, they
 * are not, and the words of the state are copied instead (sim/policy/policy_state.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/number.h"
#include "sim/policy/policy_read.h"
#include "sim/policy/policy_state.h"
#include "sim/policy/policy_text.h"
#include "sim/problem/problem.h"

enum { FIRST_ROUNDS = 256 };

struct mk_policy {
    char *text;
    uint64_t horizon; /* 0: open */
    int bounded;
    int has_cost; /* given by the caller */
    struct mk_policy_state *state;
    struct mk_policy_round *round; /* [n], bounded: NULL */
    uint64_t n, room;
    double best;
    int is_selected;
    size_t selected; /* the arm, while is_selected */
};

void mk_policy_free(struct mk_policy *p)
{
    if (!p) return;
    mk_policy_state_free(p->state);
    free(p->text);
    free(p->round);
    free(p);
}

/* A new state like this one with room for `horizon` rounds, brought to where the policy is. */
static int replay(struct mk_policy *p, struct mk_policy_state *like, uint64_t horizon, struct mk_error *err)
{
    const struct mk_policy_type *type = like->type;
    struct mk_policy_state *state;
    like->setup.horizon = horizon;
    int code = mk_policy_state_new(&state, like, err);
    if (code) return code;
    mk_policy_state_free(p->state);
    p->state = state;
    for (uint64_t i = 0; i < p->n; i++) {
        const struct mk_policy_round *r = &p->round[i];
        const size_t arm = type->select(state->word, i + 1);
        if (arm != r->arm)
            return mk_fail(
                err, MK_EINPUT,
                "policy: round %llu pulled arm %zu, where this version of the library (%d.%d.%d) selects arm %zu",
                (unsigned long long)(i + 1), r->arm, MAXK_VERSION_MAJOR, MAXK_VERSION_MINOR, MAXK_VERSION_PATCH, arm);
        type->update(state->word, arm, r->reward, i + 1);
    }
    return MK_OK;
}

/* The rounds that a state with room for `rounds` more or less is made for. */
static uint64_t room_for(const struct mk_policy *p, size_t arms, uint64_t rounds)
{
    uint64_t room = arms > FIRST_ROUNDS ? arms : FIRST_ROUNDS;
    if (p->horizon) return p->horizon;
    if (p->bounded) return (uint64_t)MK_EXACT_MAX;
    while (room < rounds) room *= 2;
    return room;
}

static int check_options(const struct mk_policy_state *s, const struct mk_policy_options *o, struct mk_error *err)
{
    const size_t arms = s->setup.arms;
    if (s->type->flags & MK_POLICY_ORACLE)
        return mk_fail(err, MK_EINPUT, "policy: %s must know the best arm in advance; expected a policy that does not",
                       s->type->name);
    if (arms < 1 || arms > MK_MOST_ARMS)
        return mk_fail(err, MK_EINPUT, "policy: arms: expected 1 to %d, got %zu", MK_MOST_ARMS, arms);
    if (o->horizon == 0 && (s->type->flags & MK_POLICY_NEEDS_HORIZON))
        return mk_fail(err, MK_EINPUT, "policy: horizon: missing; %s needs the number of rounds in advance",
                       s->type->name);
    if (o->horizon && (o->horizon < arms || o->horizon > (uint64_t)MK_EXACT_MAX))
        return mk_fail(err, MK_EINPUT, "policy: horizon: expected %zu (the number of arms) to 2^53, got %llu", arms,
                       (unsigned long long)o->horizon);
    for (size_t k = 0; o->cost && k < arms; k++)
        if (!(o->cost[k] > 0 && o->cost[k] <= MK_MOST_REWARD))
            return mk_fail(err, MK_EINPUT, "policy: cost: expected a number > 0 for arm %zu, got %g", k, o->cost[k]);
    if (o->bounded && !o->horizon && !mk_policy_state_is_bounded(s))
        return mk_fail(err, MK_EINPUT,
                       "policy: horizon: missing; the state of %s grows with the rounds, and is bounded by the horizon",
                       s->type->name);
    return MK_OK;
}

/* A policy with `n` rounds played; takes over round[], also after an error. */
static int create(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                  struct mk_policy_round *round, uint64_t n, struct mk_error *err)
{
    static const struct mk_policy_options usual = {0};
    const struct mk_policy_options *o = options ? options : &usual;
    struct mk_policy *p = calloc(1, sizeof *p);
    struct mk_policy_state like = {.seed = o->seed, .setup = {.arms = arms}};
    if (!p) {
        free(round);
        return mk_fail_memory(err, "a policy");
    }
    *p = (struct mk_policy){
        .round = round, .n = n, .room = n, .best = -INFINITY, .horizon = o->horizon, .bounded = o->bounded != 0};
    for (uint64_t i = 0; i < n; i++) p->best = fmax(p->best, round[i].reward);
    int code = mk_policy_read(text, &like.type, like.par, &p->text, err);
    if (!code) code = check_options(&like, o, err);
    if (!code) {
        double *cost = o->cost ? malloc(arms * sizeof *cost) : NULL;
        p->has_cost = o->cost != NULL;
        if (cost) memcpy(cost, o->cost, arms * sizeof *cost);
        like.cost = cost;
        code = p->has_cost && !cost ? mk_fail_memory(err, "a policy") : replay(p, &like, room_for(p, arms, n), err);
        free(cost);
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
        if (p->n == p->state->setup.horizon) {
            int code = replay(p, p->state, room_for(p, p->state->setup.arms, p->n + 1), err);
            if (code) return code;
        }
        p->selected = p->state->type->select(p->state->word, p->n + 1);
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
    if (p->n == p->room && !p->bounded) {
        const uint64_t room = p->room ? 2 * p->room : FIRST_ROUNDS;
        struct mk_policy_round *grown = realloc(p->round, room * sizeof *grown);
        if (!grown) return mk_fail_memory(err, "the rounds of a policy");
        p->round = grown;
        p->room = room;
    }
    if (!p->bounded) p->round[p->n] = (struct mk_policy_round){arm, reward};
    p->n++;
    p->is_selected = 0;
    if (reward > p->best) p->best = reward;
    p->state->type->update(p->state->word, arm, reward, p->n);
    return MK_OK;
}

const char *mk_policy_text(const struct mk_policy *p)
{
    return p->text;
}

size_t mk_policy_arms(const struct mk_policy *p)
{
    return p->state->setup.arms;
}

uint64_t mk_policy_rounds(const struct mk_policy *p)
{
    return p->n;
}

double mk_policy_best(const struct mk_policy *p)
{
    return p->best;
}

size_t mk_policy_arm_of(const struct mk_policy *p, uint64_t round)
{
    return p->bounded ? SIZE_MAX : p->round[round].arm;
}

double mk_policy_reward_of(const struct mk_policy *p, uint64_t round)
{
    return p->bounded ? NAN : p->round[round].reward;
}

/* ---- copies ---- */

static struct mk_policy_options options_of(const struct mk_policy *p)
{
    return (struct mk_policy_options){p->horizon, p->state->seed, p->has_cost ? p->state->cost : NULL, p->bounded};
}

/* Brings a new bounded policy to where another one was. */
static int restore(struct mk_policy *p, const struct mk_policy_saved *from, struct mk_error *err)
{
    p->n = from->n;
    p->best = from->n ? from->best : -INFINITY;
    p->selected = from->selected;
    p->is_selected = from->selected < from->arms;
    return mk_policy_state_give(p->state, from->word, err);
}

/* What mk_policy_saved_write writes; saved->word, of a bounded policy, is the caller's to free. */
static int describe(const struct mk_policy *p, struct mk_policy_saved *saved, struct mk_error *err)
{
    *saved = (struct mk_policy_saved){p->text, mk_policy_arms(p), options_of(p), p->n, p->round, 0, 0, NULL, 0};
    if (!p->bounded) return MK_OK;
    saved->best = p->n ? p->best : 0;
    saved->selected = p->is_selected ? p->selected : saved->arms;
    saved->words = mk_policy_state_length(p->state);
    saved->word = malloc(saved->words * sizeof *saved->word);
    if (!saved->word) return mk_fail_memory(err, "a policy");
    mk_policy_state_take(p->state, saved->word);
    return MK_OK;
}

int mk_policy_copy(struct mk_policy **out, const struct mk_policy *p, struct mk_error *err)
{
    struct mk_policy_saved saved;
    struct mk_policy_round *round = NULL;
    struct mk_policy *copy = NULL;
    size_t arm;
    int code = describe(p, &saved, err);
    if (!code && !p->bounded && !(round = malloc((p->n + 1) * sizeof *round)))
        code = mk_fail_memory(err, "the rounds of a policy");
    if (!code && round && p->n) memcpy(round, p->round, p->n * sizeof *round);
    if (!code) code = create(&copy, p->text, saved.arms, &saved.options, round, round ? p->n : 0, err);
    if (!code && p->bounded) code = restore(copy, &saved, err);
    if (!code && p->is_selected) code = mk_policy_select(copy, &arm, err);
    free(saved.word);
    if (code)
        mk_policy_free(copy);
    else
        *out = copy;
    return code;
}

int mk_policy_save(const struct mk_policy *p, char **text, struct mk_error *err)
{
    struct mk_policy_saved saved;
    *text = NULL;
    int code = describe(p, &saved, err);
    if (!code && !(*text = mk_policy_saved_write(&saved))) code = mk_fail_memory(err, "the text of a policy");
    free(saved.word);
    return code;
}

void mk_policy_free_text(char *text)
{
    free(text);
}

int mk_policy_load(struct mk_policy **out, const char *text, struct mk_error *err)
{
    struct mk_policy_saved saved;
    struct mk_policy *p = NULL;
    char *policy = NULL;
    double *cost = NULL;
    int code = mk_policy_saved_read(&saved, text, &policy, &cost, err);
    if (!code) code = create(&p, policy, saved.arms, &saved.options, saved.round, saved.round ? saved.n : 0, err);
    if (!code && saved.options.bounded) {
        const size_t words = mk_policy_state_length(p->state);
        code = saved.words == words
                   ? restore(p, &saved, err)
                   : mk_fail(err, MK_EINPUT, "policy: state: expected %zu words, got %zu", words, saved.words);
    }
    free(saved.word);
    free(policy);
    free(cost);
    if (code)
        mk_policy_free(p);
    else
        *out = p;
    return code;
}

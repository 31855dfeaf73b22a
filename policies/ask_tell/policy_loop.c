/* The policies of sim/api/maxk/policy.h: one replication of a policy, driven from outside. Results that its state has
 * not used wait here.
 *
 * Usually the rewards are kept, and a state that is read or too small is made by replaying them. Bounded, they are not,
 * and the words of the state are saved instead (policies/ask_tell/policy_state.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/candidates.h"
#include "policies/ask_tell/policy_read.h"
#include "policies/ask_tell/policy_state.h"
#include "policies/ask_tell/policy_text.h"
#include "sim/api/maxk/maxk.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/number.h"
#include "sim/problem/problem.h"

enum { FIRST_ROUNDS = 256 };

/* ---- the results that wait ----
 *
 * Results that the policy has got and not used: earlier ones, those of pulls that end in another order than
 * they began, and failures. Each is used once, as the reward of its arm when the policy selects the arm, the results of
 * an arm in the order in which they came.
 *
 * A failure counts as the worst reward of its arm so far, of all arms as long as its arm has none. Before the first
 * reward it has no value: the policy plays on with 0 in its place, and starts over when that reward comes. */

struct waiting {
    struct mk_policy_round of;
    size_t next; /* of its arm; SIZE_MAX: none */
    bool gone;   /* it has been used */
};

struct results {
    size_t arms;
    double *best, *worst; /* [arms] of the rewards that were reported; NaN: none */
    double worst_of_all;  /* NaN: no reward yet */
    double best_of_all;   /* -INFINITY */
    double *dearest;      /* [arms] largest cost that was reported, or that one counts as without; 0: none */
    double dearest_of_all;
    double first_cost; /* that was reported; 0: none */
    size_t n, gone;
    struct waiting *item; /* [n], of which `gone` are gone */
    size_t *first, *last; /* [arms] SIZE_MAX: none */
};

/* Freed with results_clear. */
static int results_init(struct results *r, size_t arms, struct mk_error *err)
{
    *r = (struct results){.arms = arms, .worst_of_all = NAN, .best_of_all = -INFINITY};
    r->best = malloc(arms * sizeof *r->best);
    r->worst = malloc(arms * sizeof *r->worst);
    r->dearest = calloc(arms, sizeof *r->dearest);
    r->first = malloc(arms * sizeof *r->first);
    r->last = malloc(arms * sizeof *r->last);
    if (!r->best || !r->worst || !r->dearest || !r->first || !r->last)
        return mk_fail_memory(err, "the results of a policy");
    for (size_t k = 0; k < arms; k++) {
        r->best[k] = r->worst[k] = NAN;
        r->first[k] = r->last[k] = SIZE_MAX;
    }
    return MK_OK;
}

static int results_copy(struct results *to, const struct results *from, struct mk_error *err)
{
    const size_t arms = from->arms;
    int code = results_init(to, arms, err);
    if (!code && !MK_GROW(to->item, 0, from->n)) code = mk_fail_memory(err, "the results of a policy");
    if (code) return code;
    memcpy(to->best, from->best, arms * sizeof *to->best);
    memcpy(to->worst, from->worst, arms * sizeof *to->worst);
    memcpy(to->dearest, from->dearest, arms * sizeof *to->dearest);
    memcpy(to->first, from->first, arms * sizeof *to->first);
    memcpy(to->last, from->last, arms * sizeof *to->last);
    if (from->n) memcpy(to->item, from->item, from->n * sizeof *to->item);
    to->worst_of_all = from->worst_of_all;
    to->best_of_all = from->best_of_all;
    to->dearest_of_all = from->dearest_of_all;
    to->first_cost = from->first_cost;
    to->n = from->n;
    to->gone = from->gone;
    return MK_OK;
}

static void results_clear(struct results *r)
{
    free(r->best);
    free(r->worst);
    free(r->dearest);
    free(r->item);
    free(r->first);
    free(r->last);
}

/* Whether no reward has been reported. */
static bool results_is_empty(const struct results *r)
{
    return isnan(r->worst_of_all);
}

/* Notes a reward, or a result that failed, of which only the cost is to be noted. Comparisons with NaN are false. */
static void results_note(struct results *r, const struct mk_policy_round *of)
{
    r->dearest[of->arm] = fmax(r->dearest[of->arm], of->cost);
    r->dearest_of_all = fmax(r->dearest_of_all, of->cost);
    if (r->first_cost == 0) r->first_cost = of->cost;
    if (of->failed) return;
    if (!(of->reward <= r->best[of->arm])) r->best[of->arm] = of->reward;
    if (!(of->reward >= r->worst[of->arm])) r->worst[of->arm] = of->reward;
    if (!(of->reward >= r->worst_of_all)) r->worst_of_all = of->reward;
    if (of->reward > r->best_of_all) r->best_of_all = of->reward;
}

/* What a failure of arm k counts as. NaN: before the first reward. */
static double results_failure(const struct results *r, size_t k)
{
    return isnan(r->worst[k]) ? r->worst_of_all : r->worst[k];
}

/* What may be taken for a result of arm k that is outstanding: its best reward, else the worst of all, else 0. */
static double results_stand_in(const struct results *r, size_t k)
{
    return !isnan(r->best[k]) ? r->best[k] : !isnan(r->worst_of_all) ? r->worst_of_all : 0;
}

/* What a pull of arm k may be taken to cost whose cost is not known: the largest cost of the arm, or of all. 0: none.
 */
static double results_cost(const struct results *r, size_t k)
{
    return r->dearest[k] > 0 ? r->dearest[k] : r->dearest_of_all;
}

/* What appending a result of arm k, or taking its first one, changes of the list of the arm. */
static void keep_list(struct results *r, size_t k, struct mk_undo *undo)
{
    mk_undo_keep(undo, &r->first[k], sizeof *r->first);
    mk_undo_keep(undo, &r->last[k], sizeof *r->last);
    if (r->first[k] == SIZE_MAX) return;
    mk_undo_keep(undo, &r->item[r->first[k]], sizeof *r->item);
    mk_undo_keep(undo, &r->item[r->last[k]], sizeof *r->item);
}

enum { LIST_BYTES = 4 * sizeof(struct mk_undo_kept) + 2 * sizeof(size_t) + 2 * sizeof(struct waiting) };

static void append(struct results *r, size_t at)
{
    const size_t k = r->item[at].of.arm, before = r->last[k];
    r->item[at].next = SIZE_MAX;
    *(before == SIZE_MAX ? &r->first[k] : &r->item[before].next) = at;
    r->last[k] = at;
}

static void relink(struct results *r)
{
    for (size_t k = 0; k < r->arms; k++) r->first[k] = r->last[k] = SIZE_MAX;
    for (size_t i = 0; i < r->n; i++)
        if (!r->item[i].gone) append(r, i);
}

/* Drops those that have been used. */
static void compact(struct results *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (!r->item[i].gone) r->item[n++] = r->item[i];
    r->n = n;
    r->gone = 0;
    relink(r);
}

/* Room for n more. */
static int results_reserve(struct results *r, size_t n, struct mk_error *err)
{
    if (r->gone > r->arms && 2 * r->gone > r->n) compact(r);
    return MK_GROW(r->item, r->n, n) ? MK_OK : mk_fail_memory(err, "the results of a policy");
}

static void results_append(struct results *r, struct mk_policy_round of)
{
    r->item[r->n] = (struct waiting){.of = of};
    append(r, r->n++);
}

static int results_push(struct results *r, struct mk_policy_round of, struct mk_error *err)
{
    const int code = results_reserve(r, 1, err);
    if (!code) results_append(r, of);
    return code;
}

/* Whether a result of arm k can be taken. */
static bool results_has(const struct results *r, size_t k)
{
    return r->first[k] != SIZE_MAX;
}

/* Takes the first result of arm k; a failure without a value as one of 0, which stays. Returns false: there is none. */
static bool results_take(struct results *r, size_t k, struct mk_policy_round *of)
{
    if (!results_has(r, k)) return false;
    struct waiting *w = &r->item[r->first[k]];
    *of = w->of;
    r->first[k] = w->next;
    if (w->next == SIZE_MAX) r->last[k] = SIZE_MAX;
    w->gone = !isnan(of->reward);
    r->gone += w->gone;
    if (!w->gone) of->reward = 0;
    return true;
}

/* All results can be taken again, failures without a value as this one, with its cost where they have none. NaN: they
 * have none yet. */
static void results_restart(struct results *r, double failure, double cost)
{
    for (size_t i = 0; i < r->n; i++)
        if (isnan(r->item[i].of.reward)) {
            r->item[i].of.reward = failure;
            if (!(r->item[i].of.cost > 0)) r->item[i].of.cost = cost;
            results_note(r, &r->item[i].of); /* as it is when it is read from a text */
        }
    relink(r);
}

/* Those that have not been used, in the order in which they came: how many, all of them, and one of them. */
static size_t results_n(const struct results *r)
{
    return r->n - r->gone;
}

static void results_list(const struct results *r, struct mk_policy_round *out)
{
    for (size_t i = 0; i < r->n; i++)
        if (!r->item[i].gone) *out++ = r->item[i].of;
}

static struct mk_policy_round results_at(const struct results *r, size_t i)
{
    size_t at = r->gone ? 0 : i;
    for (size_t left = r->gone ? i : 0; left || r->item[at].gone; at++) left -= !r->item[at].gone;
    return r->item[at].of;
}

/* ---- a policy and its state ---- */

struct mk_policy {
    char *text;
    struct mk_candidates *candidates;
    uint64_t horizon; /* 0: open */
    int bounded;
    int has_cost;  /* given by the caller, of the arms */
    bool counts;   /* costs of pulls (per_cost) */
    bool forgets;  /* rounds are not kept: bounded, or looking ahead */
    bool is_ahead; /* looks ahead: what changes is kept in `undo` */
    struct mk_undo undo;
    struct mk_policy_state *state;
    struct mk_policy_round *round; /* [n] that the state has used; forgets: NULL */
    uint64_t n;
    uint64_t tentative; /* failures without a value that the state has taken as 0, while n is 0 */
    struct results results;
    bool has_turn;
    size_t turn; /* the arm that the state has selected, while has_turn */
    bool is_selected;
    size_t selected; /* the arm that the caller pulls, while is_selected */
};

void mk_policy_free(struct mk_policy *p)
{
    if (!p) return;
    mk_policy_state_free(p->state);
    results_clear(&p->results);
    mk_candidates_free(p->candidates);
    free(p->text);
    free(p->round);
    free(p->undo.byte);
    free(p);
}

static size_t arms_of(const struct mk_policy *p)
{
    return p->results.arms;
}

/* Rounds of the state. */
static uint64_t used(const struct mk_policy *p)
{
    return p->n + p->tentative;
}

/* Gives the policy another state, without rounds that are tentative. */
static void set_state(struct mk_policy *p, struct mk_policy_state *state, double failure, double cost)
{
    mk_policy_state_free(p->state);
    p->state = state;
    p->has_turn = false;
    p->tentative = 0;
    results_restart(&p->results, failure, cost);
}

/* The state gets what it has selected; a pull whose cost was not reported costs what the arm does. */
static void update(struct mk_policy *p, const struct mk_policy_round *r, uint64_t round)
{
    struct mk_policy_state *s = p->state;
    if (p->counts) s->paid[r->arm] = r->cost > 0 ? r->cost : s->cost[r->arm];
    s->type->update(s->word, r->arm, r->reward, round);
}

/* A new state like this one with room for `horizon` rounds, brought to where the policy is. */
static int replay(struct mk_policy *p, struct mk_policy_state *like, uint64_t horizon, struct mk_error *err)
{
    const struct mk_policy_type *type = like->type;
    struct mk_policy_state *state;
    like->setup.horizon = horizon;
    int code = mk_policy_state_new(&state, like, err);
    if (code) return code;
    set_state(p, state, NAN, 0);
    for (uint64_t i = 0; i < p->n; i++) {
        const struct mk_policy_round *r = &p->round[i];
        const size_t arm = type->select(state->word, i + 1);
        if (arm != r->arm)
            return mk_fail(
                err, MK_EINPUT,
                "policy: round %llu pulled arm %u, where this version of the library (%d.%d.%d) selects arm %zu",
                (unsigned long long)(i + 1), (unsigned)r->arm, MAXK_VERSION_MAJOR, MAXK_VERSION_MINOR,
                MAXK_VERSION_PATCH, arm);
        update(p, r, i + 1);
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
    const char *refusal;
    if (s->type->flags & MK_POLICY_ORACLE)
        return mk_fail(err, MK_EINPUT, "policy: %s must know the best arm in advance; expected a policy that does not",
                       s->type->name);
    if (arms < 1 || arms > MK_MOST_ARMS)
        return mk_fail(err, MK_EINPUT, "policy: arms: expected 1 to %d, got %zu", MK_MOST_ARMS, arms);
    if (o->horizon == 0 && mk_policy_needs_horizon(s->type, s->par))
        return mk_fail(err, MK_EINPUT, "policy: horizon: missing; %s needs the number of rounds in advance",
                       s->type->name);
    if (o->horizon && (o->horizon < arms || o->horizon > (uint64_t)MK_EXACT_MAX))
        return mk_fail(err, MK_EINPUT, "policy: horizon: expected %zu (the number of arms) to 2^53, got %llu", arms,
                       (unsigned long long)o->horizon);
    if (s->type->refuses && (refusal = s->type->refuses(&s->setup)))
        return mk_fail(err, MK_EINPUT, "policy: %s", refusal);
    for (size_t k = 0; o->cost && k < arms; k++)
        if (!(o->cost[k] > 0 && o->cost[k] <= MK_MOST_REWARD))
            return mk_fail(err, MK_EINPUT, "policy: cost: expected a number > 0 for arm %zu, got %g", k, o->cost[k]);
    if (mk_policy_needs_others(s->type, s->par))
        return mk_fail(err, MK_EINPUT, "policy: %s: needs recorded runs of other instances; expected its default",
                       mk_policy_needs_others(s->type, s->par));
    if (!o->cost && o->bounded && mk_policy_per_cost(s->type, s->par))
        return mk_fail(err, MK_EINPUT, "policy: per_cost: needs the costs of the arms where the policy is bounded");
    if (o->bounded && !o->horizon && !mk_policy_state_is_bounded(s))
        return mk_fail(err, MK_EINPUT,
                       "policy: horizon: missing; the state of %s grows with the rounds, and is bounded by the horizon",
                       s->type->name);
    return MK_OK;
}

/* A new policy without rounds; *like <- what its state is made from, whose costs are the caller's to free. */
static int begin(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                 struct mk_policy_state *like, struct mk_error *err)
{
    static const struct mk_policy_options usual = {0};
    const struct mk_policy_options *o = options ? options : &usual;
    struct mk_policy *p = *out = calloc(1, sizeof *p);
    if (!p) return mk_fail_memory(err, "a policy");
    *like = (struct mk_policy_state){.seed = o->seed, .setup = {.arms = arms}};
    p->horizon = o->horizon;
    p->bounded = o->bounded != 0;
    p->forgets = p->bounded;
    p->has_cost = o->cost != NULL;
    int code = mk_policy_read(text, &like->type, like->par, &p->candidates, &p->text, err);
    like->setup.candidates = p->candidates;
    like->setup.par = like->par;
    p->counts = !code && mk_policy_per_cost(like->type, like->par);
    if (!code) code = check_options(like, o, err);
    if (!code) code = results_init(&p->results, arms, err);
    if (code || !o->cost) return code;
    like->cost = malloc(arms * sizeof *like->cost);
    if (!like->cost) return mk_fail_memory(err, "a policy");
    memcpy(like->cost, o->cost, arms * sizeof *like->cost);
    return MK_OK;
}

/* A policy with `n` rounds played; takes over round[] (MK_GROW), also after an error. */
static int create(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                  struct mk_policy_round *round, uint64_t n, struct mk_error *err)
{
    struct mk_policy_state like = {0};
    struct mk_policy *p = NULL;
    int code = begin(&p, text, arms, options, &like, err);
    if (code) {
        free(round);
    } else {
        p->round = round;
        p->n = n;
        for (uint64_t i = 0; i < n; i++) results_note(&p->results, &round[i]);
        code = replay(p, &like, room_for(p, arms, n), err);
    }
    free(like.cost);
    if (code)
        mk_policy_free(p);
    else
        *out = p;
    return code;
}

int mk_policy_new(struct mk_policy **out, const char *text, size_t arms, const struct mk_policy_options *options,
                  struct mk_error *err)
{
    MK_IN_C_LOCALE;
    return create(out, text, arms, options, NULL, 0, err);
}

/* ---- the loop ---- */

static int reserve_round(struct mk_policy *p, struct mk_error *err)
{
    return p->forgets || MK_GROW(p->round, p->n, 1) ? MK_OK : mk_fail_memory(err, "the rounds of a policy");
}

/* The state uses a result of the arm that it has selected; there is room for it. */
static void use(struct mk_policy *p, const struct mk_policy_round *r)
{
    if (results_is_empty(&p->results)) {
        p->tentative++;
    } else {
        if (!p->forgets) p->round[p->n] = *r;
        p->n++;
    }
    p->has_turn = false;
    update(p, r, used(p));
}

static int take_turn(struct mk_policy *p, struct mk_error *err)
{
    if (p->horizon && used(p) == p->horizon)
        return mk_fail(err, MK_EINPUT, "policy: all %llu rounds of its horizon are over",
                       (unsigned long long)p->horizon);
    if (used(p) == p->state->setup.horizon) {
        int code = replay(p, p->state, room_for(p, arms_of(p), used(p) + 1), err);
        if (code) return code;
    }
    p->turn = p->state->type->select(p->state->word, used(p) + 1);
    p->has_turn = true;
    return MK_OK;
}

/* Looking ahead: what the next result of the selected arm changes. */
static int keep_round(struct mk_policy *p, struct mk_error *err)
{
    const double reward = p->results.item[p->results.first[p->turn]].of.reward;
    const int code = mk_policy_state_keep(p->state, p->turn, isnan(reward) ? 0 : reward, &p->undo, LIST_BYTES, err);
    if (!code) keep_list(&p->results, p->turn, &p->undo);
    return code;
}

/* Plays on with the results that wait, until the state has selected an arm without one. */
static int advance(struct mk_policy *p, struct mk_error *err)
{
    for (;;) {
        struct mk_policy_round r;
        int code = p->has_turn ? MK_OK : take_turn(p, err);
        if (!code) code = reserve_round(p, err);
        if (!code && p->is_ahead && results_has(&p->results, p->turn)) code = keep_round(p, err);
        if (code || !results_take(&p->results, p->turn, &r)) return code;
        use(p, &r);
    }
}

/* The first reward gives the failures before it their value, with which they are played again; those without a cost
 * have the first one that was reported. */
static int settle_failures(struct mk_policy *p, const struct mk_policy_round *first, struct mk_error *err)
{
    struct mk_policy_state *state;
    if (!results_is_empty(&p->results) || !results_n(&p->results)) return MK_OK;
    int code = mk_policy_state_new(&state, p->state, err);
    const double cost = p->results.first_cost > 0 ? p->results.first_cost : first->cost;
    if (!code) set_state(p, state, first->reward, p->has_cost ? 0 : cost);
    return code;
}

/* What a pull counts as whose cost is not known. 0: as what its arm costs, or nothing counts costs. */
static double missing_cost(const struct mk_policy *p, size_t k)
{
    return p->counts && !p->has_cost ? results_cost(&p->results, k) : 0;
}

/* A cost that no index counts is forgotten. A failure may have none. */
static int check_cost(const struct mk_policy *p, struct mk_policy_round *r, struct mk_error *err)
{
    if (r->cost != 0 && !(r->cost > 0 && r->cost <= MK_MOST_REWARD))
        return mk_fail(err, MK_EINPUT, "policy: cost: expected a number > 0, got %g", r->cost);
    if (!p->counts) r->cost = 0;
    if (r->cost > 0 && p->bounded)
        return mk_fail(err, MK_EINPUT, "policy: cost: a bounded policy counts the costs of arms, not of pulls");
    if (r->cost == 0 && r->failed) r->cost = missing_cost(p, r->arm);
    if (p->counts && !p->has_cost && r->cost == 0 && !r->failed)
        return mk_fail(err, MK_EINPUT, "policy: per_cost: needs the costs of the arms, or of every pull");
    return MK_OK;
}

/* A result, at_once: of the arm that the caller has pulled. */
static int take_result(struct mk_policy *p, struct mk_policy_round r, bool at_once, struct mk_error *err)
{
    int code = check_cost(p, &r, err);
    if (!code && !r.failed) code = settle_failures(p, &r, err);
    if (!code) code = reserve_round(p, err);
    if (code) return code;
    if (r.failed) r.reward = results_failure(&p->results, r.arm);
    const bool is_next = p->has_turn && p->turn == r.arm && !results_has(&p->results, r.arm);
    const bool direct = at_once && is_next && !isnan(r.reward);
    if (!direct) code = results_push(&p->results, r, err);
    if (code) return code;
    results_note(&p->results, &r);
    if (direct) use(p, &r);
    return MK_OK;
}

int mk_policy_select(struct mk_policy *p, size_t *arm, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    int code = advance(p, err);
    if (code) return code;
    p->is_selected = true;
    *arm = p->selected = p->turn;
    return MK_OK;
}

static int check_selected(const struct mk_policy *p, const char *what, size_t arm, struct mk_error *err)
{
    if (!p->is_selected) return mk_fail(err, MK_EINPUT, "policy: %s without a selected arm; select comes first", what);
    if (arm == p->selected) return MK_OK;
    return mk_fail(err, MK_EINPUT, "policy: arm: expected %zu, the selected arm, got %zu", p->selected, arm);
}

static int check_reward(double reward, struct mk_error *err)
{
    if (fabs(reward) <= MK_MOST_REWARD) return MK_OK;
    return mk_fail(err, MK_EINPUT, "policy: reward: expected a number from " MK_REWARD_RANGE ", got %g", reward);
}

int mk_policy_update(struct mk_policy *p, size_t arm, double reward, struct mk_error *err)
{
    return mk_policy_update_cost(p, arm, reward, 0, err);
}

int mk_policy_update_cost(struct mk_policy *p, size_t arm, double reward, double cost, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    int code = check_selected(p, "update", arm, err);
    if (!code) code = check_reward(reward, err);
    if (!code) code = take_result(p, (struct mk_policy_round){(uint32_t)arm, false, reward, cost}, true, err);
    if (!code) p->is_selected = false;
    return code;
}

int mk_policy_fail(struct mk_policy *p, size_t arm, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    int code = check_selected(p, "fail", arm, err);
    if (!code) code = take_result(p, (struct mk_policy_round){(uint32_t)arm, true, NAN, 0}, true, err);
    if (!code) p->is_selected = false;
    return code;
}

static int check_arm(const struct mk_policy *p, size_t arm, struct mk_error *err)
{
    if (arm < arms_of(p)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "policy: arm: expected 0 to %zu, got %zu", arms_of(p) - 1, arm);
}

int mk_policy_add(struct mk_policy *p, size_t arm, double reward, struct mk_error *err)
{
    return mk_policy_add_cost(p, arm, reward, 0, err);
}

int mk_policy_add_cost(struct mk_policy *p, size_t arm, double reward, double cost, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    int code = check_arm(p, arm, err);
    if (!code && !isnan(reward)) code = check_reward(reward, err);
    return code ? code
                : take_result(p, (struct mk_policy_round){(uint32_t)arm, isnan(reward), reward, cost}, false, err);
}

/* ---- looking ahead ---- */

static int copy_of(struct mk_policy **out, const struct mk_policy *p, struct mk_error *err)
{
    struct mk_policy *c = *out = malloc(sizeof *c);
    if (!c) return mk_fail_memory(err, "a policy");
    *c = *p;
    c->undo = (struct mk_undo){0};
    c->state = NULL;
    c->round = NULL;
    c->results = (struct results){0};
    c->candidates = mk_candidates_share(p->candidates);
    c->text = strdup(p->text);
    int code = c->text ? MK_OK : mk_fail_memory(err, "a policy");
    if (!code) code = results_copy(&c->results, &p->results, err);
    if (!code) code = mk_policy_state_copy(&c->state, p->state, err);
    if (!code && !c->forgets && p->n) {
        if (MK_GROW(c->round, 0, p->n))
            memcpy(c->round, p->round, p->n * sizeof *c->round);
        else
            code = mk_fail_memory(err, "the rounds of a policy");
    }
    if (!code) return MK_OK;
    mk_policy_free(c);
    *out = NULL;
    return code;
}

/* Takes what is expected of the arms `running` for results that wait, and selects. */
static int play_ahead(struct mk_policy *p, const size_t *running, size_t n, struct mk_error *err)
{
    struct results *r = &p->results;
    int code = mk_policy_state_keep(p->state, arms_of(p), 0, &p->undo, n * LIST_BYTES, err);
    if (code) return code;
    for (size_t i = 0; i < n; i++) {
        const uint32_t k = (uint32_t)running[i];
        keep_list(r, k, &p->undo);
        results_append(r, (struct mk_policy_round){k, false, results_stand_in(r, k), missing_cost(p, k)});
    }
    return advance(p, err);
}

/* The arm that the policy would select next if the arms `running` had what is expected of them. It plays on by itself,
 * and all that this changes is taken back, so that the cost does not depend on the number of arms where the policy says
 * what its rounds change (`keep`). Before the first reward what is expected is 0, which is also what failures count as
 * then, so that these need not be played again. */
static int look_ahead(struct mk_policy *p, const size_t *running, size_t n, size_t *arm, struct mk_error *err)
{
    const uint64_t most = used(p) + results_n(&p->results) + n + 1;
    int code = MK_OK;
    if (most > p->state->setup.horizon && !p->horizon) { /* without rounds it cannot be replayed on the way */
        code = replay(p, p->state, room_for(p, arms_of(p), most), err);
        if (!code) code = advance(p, err);
    }
    if (!code) code = results_reserve(&p->results, n, err);
    if (code) return code;
    const struct mk_policy before = *p;
    p->is_ahead = p->forgets = true;
    code = play_ahead(p, running, n, err);
    if (!code) *arm = p->turn;
    mk_undo_all(&p->undo);
    p->is_ahead = false;
    p->forgets = before.forgets;
    p->n = before.n;
    p->tentative = before.tentative;
    p->has_turn = before.has_turn;
    p->turn = before.turn;
    p->results.n = before.results.n;
    p->results.gone = before.results.gone;
    return code;
}

int mk_policy_select_while_running(struct mk_policy *p, const size_t *running, size_t n, size_t *arm,
                                   struct mk_error *err)
{
    MK_IN_C_LOCALE;
    bool runs = false;
    int code = advance(p, err);
    for (size_t i = 0; i < n && !code; i++) {
        code = check_arm(p, running[i], err);
        runs |= running[i] == p->turn;
    }
    if (code) return code;
    *arm = p->turn;
    return runs ? look_ahead(p, running, n, arm, err) : MK_OK;
}

/* ---- what there is ---- */

const char *mk_policy_text(const struct mk_policy *p)
{
    return p->text;
}

size_t mk_policy_arms(const struct mk_policy *p)
{
    return arms_of(p);
}

uint64_t mk_policy_rounds(const struct mk_policy *p)
{
    return p->n + results_n(&p->results);
}

double mk_policy_best(const struct mk_policy *p)
{
    return p->results.best_of_all;
}

static struct mk_policy_round round_of(const struct mk_policy *p, uint64_t i)
{
    return i < p->n ? p->round[i] : results_at(&p->results, (size_t)(i - p->n));
}

size_t mk_policy_round_arm(const struct mk_policy *p, uint64_t round)
{
    return p->bounded ? SIZE_MAX : round_of(p, round).arm;
}

double mk_policy_round_reward(const struct mk_policy *p, uint64_t round)
{
    if (p->bounded) return NAN;
    const struct mk_policy_round r = round_of(p, round);
    return r.failed ? NAN : r.reward;
}

/* ---- copies ---- */

static struct mk_policy_options options_of(const struct mk_policy *p)
{
    return (struct mk_policy_options){p->horizon, p->state->seed, p->has_cost ? p->state->cost : NULL, p->bounded};
}

int mk_policy_copy(struct mk_policy **out, const struct mk_policy *p, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_policy *copy;
    int code = copy_of(&copy, p, err);
    if (!code) *out = copy;
    return code;
}

/* The words of a bounded policy's state: of a new one where rounds are tentative. */
static int take_words(const struct mk_policy *p, struct mk_policy_saved *saved, struct mk_error *err)
{
    struct mk_policy_state *fresh = NULL;
    int code = p->tentative ? mk_policy_state_new(&fresh, p->state, err) : MK_OK;
    const struct mk_policy_state *s = fresh ? fresh : p->state;
    saved->selected = p->has_turn && !fresh ? p->turn : saved->arms;
    saved->words = mk_policy_state_length(s);
    saved->word = code ? NULL : malloc(saved->words * sizeof *saved->word);
    if (saved->word)
        mk_policy_state_store(s, saved->word);
    else if (!code)
        code = mk_fail_memory(err, "a policy");
    mk_policy_state_free(fresh);
    return code;
}

int mk_policy_save(const struct mk_policy *p, char **text, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_policy_saved saved = {.policy = p->text,
                                    .arms = arms_of(p),
                                    .options = options_of(p),
                                    .n = p->n,
                                    .round = p->round,
                                    .best = p->results.best,
                                    .worst = p->results.worst,
                                    .n_waiting = results_n(&p->results)};
    *text = NULL;
    int code = MK_OK;
    saved.waiting = malloc((saved.n_waiting + 1) * sizeof *saved.waiting);
    if (!saved.waiting) code = mk_fail_memory(err, "a policy");
    if (!code) results_list(&p->results, saved.waiting);
    if (!code && p->bounded) code = take_words(p, &saved, err);
    if (!code && !(*text = mk_policy_saved_write(&saved))) code = mk_fail_memory(err, "the text of a policy");
    free(saved.waiting);
    free(saved.word);
    return code;
}

void mk_policy_free_text(char *text)
{
    free(text);
}

/* Brings a new bounded policy to where another one was. */
static int restore_state(struct mk_policy *p, const struct mk_policy_saved *from, struct mk_error *err)
{
    const size_t words = mk_policy_state_length(p->state);
    if (from->words != words)
        return mk_fail(err, MK_EINPUT, "policy: state: expected %zu words, got %zu", words, from->words);
    for (size_t k = 0; k < from->arms; k++) {
        const struct mk_policy_round worst = {(uint32_t)k, isnan(from->worst[k]), from->worst[k], 0};
        const struct mk_policy_round best = {(uint32_t)k, isnan(from->best[k]), from->best[k], 0};
        results_note(&p->results, &worst);
        results_note(&p->results, &best);
    }
    p->n = from->n;
    p->turn = from->selected;
    p->has_turn = from->selected < from->arms;
    return mk_policy_state_restore(p->state, from->word, err);
}

/* The results that were waiting. */
static int restore_results(struct mk_policy *p, const struct mk_policy_saved *from, struct mk_error *err)
{
    int code = MK_OK;
    for (size_t i = 0; i < from->n_waiting; i++) results_note(&p->results, &from->waiting[i]);
    for (size_t i = 0; i < from->n_waiting && !code; i++) {
        if (isnan(from->waiting[i].reward) != results_is_empty(&p->results))
            return mk_fail(err, MK_EINPUT,
                           "policy: waiting: expected failures with a value where there are rewards, and without one "
                           "where there are none");
        code = results_push(&p->results, from->waiting[i], err);
    }
    return code;
}

int mk_policy_load(struct mk_policy **out, const char *text, struct mk_error *err)
{
    MK_IN_C_LOCALE;
    struct mk_policy_saved saved;
    struct mk_policy *p = NULL;
    char *policy = NULL;
    double *cost = NULL;
    int code = mk_policy_saved_read(&saved, text, &policy, &cost, err);
    if (code)
        free(saved.round);
    else
        code = create(&p, policy, saved.arms, &saved.options, saved.round, saved.round ? saved.n : 0, err);
    if (!code && saved.options.bounded) code = restore_state(p, &saved, err);
    if (!code) code = restore_results(p, &saved, err);
    mk_policy_saved_clear(&saved);
    free(policy);
    free(cost);
    if (code)
        mk_policy_free(p);
    else
        *out = p;
    return code;
}

/* ---- deprecated ---- */

int mk_policy_select_ahead(struct mk_policy *p, const size_t *running, size_t n, size_t *arm, struct mk_error *err)
{
    return mk_policy_select_while_running(p, running, n, arm, err);
}

size_t mk_policy_arm_of(const struct mk_policy *p, uint64_t round)
{
    return mk_policy_round_arm(p, round);
}

double mk_policy_reward_of(const struct mk_policy *p, uint64_t round)
{
    return mk_policy_round_reward(p, round);
}

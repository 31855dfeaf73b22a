/* Threshold Ascent (Streeter & Smith 2006, "A simple distribution-free approach to the max k-armed bandit problem"):
 *
 *     I_t = argmax_i h(S_i / n_i, n_i),   h(mu, n) = mu + (a + sqrt(2 n mu a + a^2)) / n,   a = log(2 K T / delta),
 *
 * S_i = number of rewards of arm i that are at least as large as the s-th largest of all rewards so far (all n_i while
 * there are no more than s rewards); h = infinity for an arm never pulled.
 *
 * The s largest rewards are kept in a heap with their arms. Rewards equal to the smallest of them but outside the heap
 * are counted per arm; all these counts are dropped when the threshold rises (it never falls).
 * Cost per pull O(log K + log s); memory 16 min(s, T) + 40 K bytes.
 * per_cost: root, this project's: policies/parts/pull_costs.h, for n in h(mu, n), at O(K) per pull. The round is not in
 * h. */
#include <stdbool.h>
#include <string.h>

#include "policies/parts/argmax.h"
#include "policies/parts/pull_costs.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"

enum { S_LARGEST, DELTA, REFRESH, TIES, PER_COST, PARAMS };

struct entry {
    double reward;
    size_t arm;
};

struct state {
    const struct mk_setup *setup;
    struct entry *heap; /* [room] the s largest, smallest on top */
    size_t room, n;
    double a;
    double *index;   /* [K] */
    uint64_t *pulls; /* [K] n_i */
    uint64_t *above; /* [K] S_i */
    uint64_t *tied;  /* [K] rewards outside the heap that equal its top */
    uint64_t *used;  /* [K] S_i as used by the index: `above`, or a copy of it from the last move of the threshold */
    uint64_t n_tied, seen;
    struct mk_pull_costs costs;
    struct mk_tournament tournament;
};

static const struct mk_param params[] = {
    {"s", MK_INTEGER, 0, 20, 1, 1e12, NULL, "number of largest rewards that count"},
    {"delta", MK_REAL, MK_OPEN_LO, 0.1, 0, 1, NULL, "confidence, a = log(2 K T / delta)"},
    {"refresh", MK_CHOICE, 0, 0, 0, 0, "always|moved", "when S is recounted: at once, or when the threshold moves"},
    MK_TIES_PARAM,
    MK_PER_COST_PARAM("none|root"),
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t heap_room(const struct mk_setup *s)
{
    return s->par[S_LARGEST] < (double)s->horizon ? (size_t)s->par[S_LARGEST] : (size_t)s->horizon;
}

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct state) + mk_tournament_bytes(s) + heap_room(s) * sizeof(struct entry) +
           s->arms * (sizeof(double) + 4 * sizeof(uint64_t)) +
           mk_pull_costs_bytes(s, (enum mk_per_cost)s->par[PER_COST]);
}

static void init_threshold_ascent(void *state, const struct mk_setup *s)
{
    struct state *q = state;
    q->setup = s;
    q->room = heap_room(s);
    q->heap = (struct entry *)((char *)(q + 1) + mk_tournament_bytes(s));
    q->index = (double *)(q->heap + q->room);
    q->pulls = (uint64_t *)(q->index + s->arms);
    q->above = q->pulls + s->arms;
    q->tied = q->above + s->arms;
    memset(q->pulls, 0, 4 * s->arms * sizeof *q->pulls);
    mk_pull_costs_init(&q->costs, q->tied + 2 * s->arms, s, (enum mk_per_cost)s->par[PER_COST]);
    q->used = s->par[REFRESH] != 0 ? q->tied + s->arms : q->above;
    for (size_t i = 0; i < s->arms; i++) q->index[i] = INFINITY;
    q->n = 0;
    q->n_tied = 0;
    q->seen = 0;
    q->a = log(2.0 * (double)s->arms * (double)s->horizon / s->par[DELTA]);
    const struct mk_tournament_rules rules = {.a = q->index, .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&q->tournament, q + 1, s, &rules);
}

static inline void set_index(struct state *q, size_t arm);

static inline size_t select_arm(void *state, uint64_t t)
{
    struct state *q = state;
    (void)t;
    if (mk_pull_costs_count(&q->costs)) { /* what a pull counts depends on the costs of all */
        for (size_t i = 0; i < q->setup->arms; i++)
            if (q->pulls[i]) set_index(q, i);
        mk_tournament_forget(&q->tournament);
    }
    if (q->tournament.used) return mk_tournament_best(&q->tournament, 0, q->setup->rng);
    return mk_argmax(q->index, q->setup->arms, q->setup->par[TIES] != 0, q->setup->rng);
}

static inline void set_index(struct state *q, size_t arm)
{
    double n = mk_pull_costs_pulls(&q->costs, arm, q->pulls[arm]), above = (double)q->used[arm], a = q->a;
    if (mk_pull_costs_count(&q->costs)) above *= n / (double)q->pulls[arm];
    q->index[arm] = (above + a + sqrt(2.0 * above * a + a * a)) / n;
    mk_tournament_changed(&q->tournament, arm);
}

static void push(struct state *q, struct entry e)
{
    size_t j = q->n++;
    for (; j > 0 && q->heap[(j - 1) / 2].reward > e.reward; j = (j - 1) / 2) q->heap[j] = q->heap[(j - 1) / 2];
    q->heap[j] = e;
}

static void replace_top(struct state *q, struct entry e)
{
    size_t j = 0;
    for (size_t child = 1; child < q->n; child = 2 * j + 1) {
        if (child + 1 < q->n && q->heap[child + 1].reward < q->heap[child].reward) child++;
        if (q->heap[child].reward >= e.reward) break;
        q->heap[j] = q->heap[child];
        j = child;
    }
    q->heap[j] = e;
}

/* The threshold has risen past `out`: it and the rewards equal to it no longer count. */
static void drop(struct state *q, struct entry out)
{
    q->above[out.arm]--;
    set_index(q, out.arm);
    if (q->n_tied == 0) return;
    mk_tournament_forget(&q->tournament);
    for (size_t i = 0; i < q->setup->arms; i++) {
        if (q->tied[i] == 0) continue;
        q->above[i] -= q->tied[i];
        q->tied[i] = 0;
        set_index(q, i);
    }
    q->n_tied = 0;
}

static void tie(struct state *q, size_t arm)
{
    q->tied[arm]++;
    q->n_tied++;
}

/* Counts a reward; returns whether the threshold rose. */
static inline bool add(struct state *q, struct entry e)
{
    q->seen++;
    if (q->n < q->room) {
        q->above[e.arm]++;
        push(q, e);
        return false;
    }
    struct entry top = q->heap[0];
    if (e.reward < top.reward) return false;
    q->above[e.arm]++;
    if (e.reward == top.reward) {
        tie(q, e.arm);
        return false;
    }
    replace_top(q, e);
    if (q->heap[0].reward == top.reward) {
        tie(q, top.arm);
        return false;
    }
    drop(q, top);
    return true;
}

/* refresh: moved. The published program recounts S only when the threshold differs from that of the previous round; up
 * to s rewards S_i is n_i, and the first threshold counts as a move. */
static void refresh(struct state *q, size_t arm, int moved)
{
    const size_t arms = q->setup->arms;
    if (q->seen <= q->room) {
        q->used[arm] = q->pulls[arm];
    } else if (moved || q->seen == q->room + 1) {
        memcpy(q->used, q->above, arms * sizeof *q->used);
        mk_tournament_forget(&q->tournament);
        for (size_t i = 0; i < arms; i++)
            if (q->pulls[i]) set_index(q, i);
    }
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct state *q = state;
    (void)t;
    q->pulls[arm]++;
    mk_pull_costs_pay(&q->costs, arm, q->pulls[arm]);
    int moved = add(q, (struct entry){reward, arm});
    if (q->used != q->above) refresh(q, arm, moved);
    set_index(q, arm);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_threshold_ascent = {
    .name = "threshold_ascent",
    .summary = "Threshold Ascent: optimism on the share of an arm's rewards among the s largest of all",
    .formula =
        "argmax_i h(S_i/n_i, n_i), h(mu, n) = mu + (a + sqrt(2 n mu a + a^2))/n, a = log(2KT/delta), S_i = rewards of "
        "i that are at least the s-th largest of all (n_i until there are s); arms never pulled first",
    .reference = "Streeter & Smith 2006",
    .departures = "Appendix E.4 runs of Balef et al. 2025: s=100, refresh=moved, ties=random",
    .cost = "O(log K + log s)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_threshold_ascent,
    .select = select_arm,
    .update = update,
    .play = play,
};

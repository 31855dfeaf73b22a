/* Max-Median (Bhatt, Li & Samorodnitsky 2022, "Extreme bandits using robust statistics"): each arm once, then
 *
 *     with probability epsilon_t an arm uniformly at random, else argmax_i of the ceil(n_i / m)-th largest reward of i,
 *
 * m = min_j n_j and epsilon_t = min(1, epsilon / t).
 *
 * The required rank of an arm increases by one every m pulls and decreases when m increases, each step being paid for
 * by an earlier pull: one rank_heap per arm. The leader stays until its value falls to a rival's or the next
 * exploration is due. Cost per pull O(log K + log n) amortised; memory at most 64 bytes per round (a typical run
 * touches a third of them) and 550 per arm. */
#include "policies/parts/argmax.h"
#include "policies/parts/rank_heap.h"
#include "policies/parts/tournament.h"
#include "policies/play/per_pull_loop.h"

enum { EPSILON, ROUND_OFFSET, TIES, PARAMS };

struct state {
    const struct mk_setup *setup;
    struct mk_arena arena;
    struct mk_rank_heap *heap; /* [K] */
    double *value;             /* [K] ceil(n_i / m)-th largest reward */
    uint64_t m;                /* smallest number of pulls, 0 until every arm has been pulled */
    size_t at_least;           /* arms with n_i = m */
    size_t last;               /* arm of the previous round; K at the start */
    double rival;              /* largest value of the other arms, set by stay */
    struct mk_tournament tournament;
    double survival, until; /* product of 1 - epsilon_t since the last exploration; below `until` the next one is due */
};

static const struct mk_param params[] = {
    {"epsilon", MK_REAL, MK_OPEN_HI, 1, 0, INFINITY, NULL, "exploration: epsilon_t = min(1, epsilon / t)"},
    {"round_offset", MK_INTEGER, 0, 0, -1, 1000000, NULL, "added to the round t in epsilon_t"},
    MK_TIES_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct state) + mk_tournament_bytes(s) + s->arms * (sizeof(struct mk_rank_heap) + sizeof(double)) +
           mk_rank_heap_bytes(s->arms, s->horizon);
}

/* The wait for the next exploration, by inversion of its survival function: one random number per exploration. */
static void wait(struct state *q)
{
    q->survival = 1;
    q->until = mk_uniform(q->setup->rng);
}

static void init_max_median(void *state, const struct mk_setup *s)
{
    struct state *q = state;
    q->setup = s;
    q->heap = (struct mk_rank_heap *)((char *)(q + 1) + mk_tournament_bytes(s));
    memset(q->heap, 0, s->arms * sizeof *q->heap);
    q->value = (double *)(q->heap + s->arms);
    char *memory = (char *)(q->value + s->arms);
    q->arena = (struct mk_arena){memory, memory + mk_rank_heap_bytes(s->arms, s->horizon), NULL};
    q->m = 0;
    q->at_least = 0;
    q->last = s->arms;
    const struct mk_tournament_rules rules = {.a = q->value, .random_ties = s->par[TIES] != 0};
    mk_tournament_init(&q->tournament, q + 1, s, &rules);
    wait(q);
}

/* 1 - epsilon_t */
static inline double greedy_share(const struct mk_setup *s, uint64_t t)
{
    return 1 - s->par[EPSILON] / ((double)t + s->par[ROUND_OFFSET]);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct state *q = state;
    const struct mk_setup *s = q->setup;
    if (t <= s->arms) return (size_t)(t - 1);
    q->survival *= greedy_share(s, t);
    if (__builtin_expect(q->survival < q->until, 0)) {
        wait(q);
        return (size_t)mk_uniform_below(s->rng, s->arms);
    }
    if (q->tournament.used) return mk_tournament_best(&q->tournament, 0, s->rng);
    return mk_argmax(q->value, s->arms, s->par[TIES] != 0, s->rng);
}

static void set_rank(struct state *q, size_t arm)
{
    struct mk_rank_heap *h = &q->heap[arm];
    mk_rank_heap_set(h, (h->n + q->m - 1) / q->m);
    q->value[arm] = mk_rank_heap_kth(h);
}

/* Every arm has more than m pulls (or all have been pulled for the first time). */
static void raise_least(struct state *q)
{
    const size_t arms = q->setup->arms;
    q->m = q->heap[0].n;
    for (size_t i = 1; i < arms; i++) q->m = q->heap[i].n < q->m ? q->heap[i].n : q->m;
    q->at_least = 0;
    mk_tournament_forget(&q->tournament);
    for (size_t i = 0; i < arms; i++) {
        q->at_least += q->heap[i].n == q->m;
        set_rank(q, i);
    }
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct state *q = state;
    struct mk_rank_heap *h = &q->heap[arm];
    /* Until every arm has been pulled m is 0, and the one reward of an arm has rank 1. */
    mk_rank_heap_insert(h, &q->arena, reward, h->n >= h->upper * q->m);
    q->value[arm] = mk_rank_heap_kth(h);
    mk_tournament_changed(&q->tournament, arm);
    if (q->m ? h->n == q->m + 1 && --q->at_least == 0 : t >= q->setup->arms) raise_least(q);
}

/* The ranks of all arms move with m, which nothing but a pull of the last arm with m pulls raises. */
static void keep(void *state, size_t arm, double reward, struct mk_undo *undo)
{
    struct state *q = state;
    const size_t arms = q->setup->arms;
    (void)reward;
    if (arm == arms) {
        mk_undo_keep(undo, q, sizeof *q);
        q->tournament.undo = q->arena.undo = undo;
        return;
    }
    const bool all = q->m == 0 || (q->at_least == 1 && q->heap[arm].n == q->m);
    const size_t first = all ? 0 : arm, count = all ? arms : 1;
    mk_undo_keep(undo, &q->heap[first], count * sizeof *q->heap);
    mk_undo_keep(undo, &q->value[first], count * sizeof *q->value);
}

/* Only an arm with more than m pulls, whose further pulls leave m unchanged, and with a value above all others, so that
 * there are no ties. */
static inline uint64_t stay(void *state, size_t arm, uint64_t t, uint64_t most)
{
    struct state *q = state;
    size_t before = q->last;
    (void)t;
    q->last = arm;
    if (arm != before || most < 2 || q->m == 0 || q->heap[arm].n <= q->m) return 1;
    q->rival = -INFINITY;
    if (q->tournament.used) {
        const struct mk_tournament_rivals rivals = mk_tournament_rivals(&q->tournament, arm, INFINITY);
        q->rival = rivals.until > 0 ? rivals.best : INFINITY;
    } else {
        for (size_t i = 0; i < q->setup->arms; i++)
            if (i != arm && !(q->value[i] <= q->rival)) q->rival = q->value[i];
    }
    return q->value[arm] > q->rival ? most : 1;
}

static inline uint64_t update_many(void *state, size_t arm, const double *rewards, uint64_t n, uint64_t t)
{
    struct state *q = state;
    double survival[MK_RANK_BLOCK]; /* as of round t + i */
    uint64_t rounds = 1;
    survival[0] = q->survival;
    for (; rounds < n && rounds < MK_RANK_BLOCK; rounds++) {
        survival[rounds] = survival[rounds - 1] * greedy_share(q->setup, t + rounds);
        if (survival[rounds] < q->until) break;
    }
    rounds = mk_rank_heap_insert_many(&q->heap[arm], &q->arena, rewards, rounds, q->m, q->rival);
    q->survival = survival[rounds - 1];
    q->value[arm] = mk_rank_heap_kth(&q->heap[arm]);
    mk_tournament_changed(&q->tournament, arm);
    return rounds;
}

MK_POLICY_PLAY_STAYING(play, select_arm, update, stay, update_many)

const struct mk_policy_type mk_policy_max_median = {
    .name = "max_median",
    .summary = "Max-Median: compare order statistics at the rank of the least pulled arm's maximum",
    .formula = "with probability min(1, epsilon/t) a random arm, else argmax_i (ceil(n_i/m)-th largest reward of i), "
               "m = min_j n_j; each arm once first",
    .reference = "Bhatt, Li & Samorodnitsky 2022",
    .departures = "Appendix E.4 runs of Balef et al. 2025: round_offset=-1, ties=random",
    .cost = "O(log K + log n)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_RANDOMISED,
    .params = params,
    .state_size = state_size,
    .init = init_max_median,
    .select = select_arm,
    .update = update,
    .play = play,
    .keep = keep,
};

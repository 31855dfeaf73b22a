/* QoMax-ETC (Baudry, Russac & Kaufmann 2022, "Efficient algorithms for extreme bandits"): explore every arm b n times
 * in round-robin order, then commit to
 *
 *     argmax_i QoMax_i,   QoMax_i = q-quantile of the maxima of the b batches of n successive rewards of arm i.
 *
 * Round robin throughout if the exploration does not fit, b n K > T. With the sizes of the published toy experiments
 * (Balef et al. 2025, Appendix E.4: size: log, q = 0.9) this is the case in all 24 cells
 * (four problems, T = 50 … 2000). Cost per pull O(1), and once O(K b log b); memory 8 b K bytes when b n K <= T, else
 * none. */
#include "policies/parts/argmax.h"
#include "policies/parts/quantile.h"
#include "policies/play/per_pull_loop.h"
#include "policies/play/record_loop.h"

enum { Q, BATCHES, BATCH_SIZE, SIZE, TIES, PARAMS };

struct sizes {
    uint64_t b, n;
    int explores; /* b n K <= T */
};

struct state {
    const struct mk_setup *setup;
    struct sizes sizes;
    size_t committed; /* K before the choice */
    double *max;      /* [K][b] batch maxima */
};

static const struct mk_param params[] = {
    {"q", MK_REAL, 0, 0.5, 0, 1, NULL, "quantile of the batch maxima"},
    {"batches", MK_INTEGER, 0, 4, 1, 1e9, NULL, "b, batches per arm (size: fixed)"},
    {"batch_size", MK_INTEGER, 0, 3, 1, 1e9, NULL, "n, rewards per batch (size: fixed)"},
    {"size", MK_CHOICE, 0, 0, 0, 0, "fixed|log", "log: b = floor(log^2 T) + 1, n = floor(log T) + 1"},
    MK_TIES_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static struct sizes sizes_of(const struct mk_setup *s)
{
    struct sizes z = {(uint64_t)s->par[BATCHES], (uint64_t)s->par[BATCH_SIZE], 0};
    if (s->par[SIZE] != 0) {
        double log_t = log((double)s->horizon);
        z.b = (uint64_t)(log_t * log_t) + 1;
        z.n = (uint64_t)log_t + 1;
    }
    z.explores = (double)z.b * (double)z.n * (double)s->arms <= (double)s->horizon;
    return z;
}

static size_t state_size(const struct mk_setup *s)
{
    struct sizes z = sizes_of(s);
    return sizeof(struct state) + (z.explores ? s->arms * z.b * sizeof(double) : 0);
}

static void init_qomax_etc(void *state, const struct mk_setup *s)
{
    struct state *q = state;
    q->setup = s;
    q->sizes = sizes_of(s);
    q->committed = s->arms;
    q->max = (double *)(q + 1);
    if (!q->sizes.explores) return;
    for (uint64_t i = 0; i < s->arms * q->sizes.b; i++) q->max[i] = -INFINITY;
}

static size_t choose(struct state *q)
{
    const struct mk_setup *s = q->setup;
    uint64_t b = q->sizes.b;
    for (size_t i = 0; i < s->arms; i++) q->max[i] = mk_quantile_sorting(q->max + i * b, b, s->par[Q]);
    return mk_argmax(q->max, s->arms, s->par[TIES] != 0, s->rng);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    struct state *q = state;
    const struct mk_setup *s = q->setup;
    if (q->committed < s->arms) return q->committed;
    if (!q->sizes.explores || t <= q->sizes.b * q->sizes.n * s->arms) return (size_t)((t - 1) % s->arms);
    return q->committed = choose(q);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct state *q = state;
    if (!q->sizes.explores || q->committed < q->setup->arms) return;
    uint64_t pull = (t - 1) / q->setup->arms;
    double *max = &q->max[arm * q->sizes.b + pull / q->sizes.n];
    if (reward > *max) *max = reward;
}

MK_POLICY_PLAY(play, select_arm, update)

/* The batches of the exploration are drawn reward by reward; after the commitment, records suffice. */
static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct state *q = state;
    const size_t arms = q->setup->arms;
    const uint64_t each = q->sizes.b * q->sizes.n;
    if (!q->sizes.explores) {
        mk_record_pull_turns(play_, NULL, arms, (size_t)((first - 1) % arms), last - first + 1);
        return;
    }
    if (first == 1) mk_record_play_skip(play_, arms, each);
    uint64_t t = first;
    for (; t <= last && t <= each * arms; t++) {
        size_t arm = (size_t)((t - 1) % arms);
        update(q, arm, mk_record_one(play_, arm), t);
    }
    if (t <= last) mk_record_pull_all(play_, select_arm(q, t), last - t + 1);
}

const struct mk_policy_type mk_policy_qomax_etc = {
    .name = "qomax_etc",
    .summary =
        "QoMax-ETC: explore in batches, then commit to the best quantile of batch maxima; round robin if T is short",
    .formula = "b n pulls of every arm, then argmax_i q-quantile of arm i's b maxima of n; round robin if b n K > T",
    .reference = "Baudry, Russac & Kaufmann 2022",
    .departures =
        "Appendix E.4 runs of Balef et al. 2025: q=0.9, size=log, ties=random; b n K > T, so that the policy is "
        "round robin, in 24 of 24 cells of those runs",
    .cost = "O(1)",
    .kind = MK_EXTREME,
    .flags = MK_POLICY_NEEDS_HORIZON | MK_POLICY_RANDOM_TIES,
    .params = params,
    .state_size = state_size,
    .init = init_qomax_etc,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
};

/* Successive (sequential) halving (Karnin, Koren & Somekh 2013, Algorithm 3):
 *
 *     ceil(log_eta K) phases; in each, floor(T / (|S| ceil(log_eta K))) pulls (at least one) of every arm of S, in
 *     round-robin order; then keep the best ceil(|S| / eta) by the mean of all rewards so far. The rest of T goes to
 *     the survivors, in round-robin order.
 *
 * statistic: max keeps the arms with the largest rewards. Ties in the ranking go to the lower index;
 * policies/parts/arm_stat.h defines which means count as equal.
 * variant: published follows the MaxUCB authors' program: floor(T / (|S| log_2 K)) rounds r with the real-valued
 * logarithm; the arm of round t is survivor (t-1) mod |S|; when t mod r = 0 and |S| > 1, *all* K arms are ranked and
 * survivors outside the best ceil(|S| / eta) are dropped, possibly all of them: then arm 0 is played to the end. Its
 * means are those of policies/parts/numpy_arithmetic.h, because they decide ties.
 * Cost per pull O(1), O(K log K) at the end of a phase (published: plus O(t)); memory 72 bytes per arm (published: plus
 * at most 32 bytes per pull). */
#include <string.h>

#include "policies/parts/arm_stat.h"
#include "policies/parts/numpy_arithmetic.h"
#include "policies/play/per_pull_loop.h"
#include "policies/play/record_loop.h"
#include "sim/base/order.h"

enum { ETA, STATISTIC, VARIANT, PARAMS };
enum { PAPER, PUBLISHED };

static const struct mk_param params[] = {
    {"eta", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 2, 1, INFINITY, NULL, "one in eta arms survives a phase"},
    MK_STATISTIC_PARAM(MK_STATISTIC_MEAN),
    {"variant", MK_CHOICE, 0, PAPER, 0, 0, "paper|published", "the schedule of Algorithm 3, or of the MaxUCB authors"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct halving {
    struct mk_arm_stat stat;
    int published;
    size_t survivors;
    uint64_t length;           /* pulls of this phase (published: of a phase that starts at t = 0) */
    uint64_t played;           /* pulls in this phase (published: in all) */
    size_t *survivor;          /* [K] ascending */
    size_t *kept;              /* [K] room for the next survivors */
    double *merit;             /* [K] value by which arms are ranked */
    double *key;               /* [K] scratch for the ranking, like the next two */
    uint32_t *order, *scratch; /* [K] */
    struct mk_scaling scaling; /* for rescan */
    struct mk_numpy rescan;
};

static bool rescans(const struct mk_setup *s)
{
    return s->par[VARIANT] == PUBLISHED && s->par[STATISTIC] == MK_STATISTIC_MEAN;
}

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct halving) + s->arms * (2 * sizeof(size_t) + 2 * sizeof(double) + 2 * sizeof(uint32_t)) +
           mk_arm_stat_bytes(s->arms) + mk_numpy_bytes(s, rescans(s));
}

static uint64_t phase_length(const struct halving *h)
{
    const struct mk_setup *s = h->stat.setup;
    const double arms = (double)s->arms, size = (double)h->survivors;
    if (h->survivors == 1) return UINT64_MAX;
    /* log2 is exact for powers of two, unlike a quotient of natural logarithms */
    double phases = h->published ? log2(arms) : ceil(log2(arms) / log2(s->par[ETA]) - 1e-12);
    double rounds = floor((double)s->horizon / (phases * size));
    if (rounds < 1) rounds = 1;
    return (uint64_t)rounds * (h->published ? 1 : h->survivors);
}

static void init_successive_halving(void *state, const struct mk_setup *s)
{
    struct halving *h = state;
    h->survivor = (size_t *)(h + 1);
    h->kept = h->survivor + s->arms;
    h->merit = (double *)(h->kept + s->arms);
    h->key = h->merit + s->arms;
    h->order = (uint32_t *)(h->key + s->arms);
    h->scratch = h->order + s->arms;
    mk_arm_stat_init(&h->stat, h->scratch + s->arms, s, s->par[STATISTIC] == MK_STATISTIC_MAX);
    mk_numpy_init(&h->rescan, (char *)h->stat.n + mk_arm_stat_bytes(s->arms), s, rescans(s));
    mk_scaling_init(&h->scaling, (const double[]){MK_SCALE_MINMAX, 0, 1});
    h->published = s->par[VARIANT] == PUBLISHED;
    h->survivors = s->arms;
    for (size_t i = 0; i < s->arms; i++) h->survivor[i] = i;
    h->length = phase_length(h);
    h->played = 0;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    const struct halving *h = state;
    return h->survivors ? h->survivor[h->played % h->survivors] : 0;
}

/* order[0 … n-1] <- positions in arm[0 … n-1] (NULL: arms 0 … n-1) by falling value of the arm, equal ones as they
 * stand. */
static void order_arms(struct halving *h, const size_t *arm, size_t n, const double *value)
{
    for (size_t a = 0; a < n; a++) h->key[a] = -value[arm ? arm[a] : a];
    mk_ascending_order(h->key, h->order, h->scratch, n);
}

/* Equal statistics get equal merits: first those that count as equal to the largest, then those equal to the largest of
 * the rest, … */
static void set_merits(struct halving *h)
{
    const double *value = h->stat.value;
    double top = INFINITY, least = INFINITY;
    order_arms(h, h->survivor, h->survivors, value);
    for (size_t r = 0; r < h->survivors; r++) {
        const size_t i = h->survivor[h->order[r]];
        if (r == 0 || !(value[i] >= least)) {
            top = value[i];
            least = mk_near(top, mk_arm_stat_share(&h->stat));
        }
        h->merit[i] = top;
    }
}

/* The published program ranks all arms, with its own means. */
static void set_published_merits(struct halving *h)
{
    if (h->rescan.history) h->rescan.map = mk_scaling_affine(&h->scaling);
    for (size_t i = 0; i < h->stat.setup->arms; i++)
        h->merit[i] = h->rescan.history && h->stat.n[i] ? mk_numpy_mean(&h->rescan, i, 0, 0) : h->stat.value[i];
}

static void end_phase(struct halving *h)
{
    const struct mk_setup *s = h->stat.setup;
    size_t keep = (size_t)ceil((double)h->survivors / s->par[ETA]), kept = 0;
    if (h->published)
        set_published_merits(h);
    else
        set_merits(h);
    const size_t ranked = h->published ? s->arms : h->survivors;
    order_arms(h, h->published ? NULL : h->survivor, ranked, h->merit);
    for (size_t r = 0; r < ranked; r++) h->key[h->order[r]] = r < keep;
    for (size_t a = 0; a < h->survivors; a++)
        if (h->key[h->published ? h->survivor[a] : a] != 0) h->kept[kept++] = h->survivor[a];
    size_t *old = h->survivor;
    h->survivor = h->kept;
    h->kept = old;
    h->survivors = kept;
    h->length = kept ? phase_length(h) : UINT64_MAX;
    if (!h->published) h->played = 0;
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct halving *h = state;
    mk_arm_stat_update(&h->stat, arm, reward, t);
    if (h->rescan.history) {
        mk_numpy_add(&h->rescan, arm, reward);
        mk_scaling_see(&h->scaling, reward);
    }
    if (++h->played % h->length == 0) end_phase(h);
}

MK_POLICY_PLAY(play, select_arm, update)

static const char *no_records(const double *par)
{
    return par[STATISTIC] == MK_STATISTIC_MAX ? NULL : "statistic: mean needs every reward";
}

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    struct halving *h = state;
    for (uint64_t t = first, rounds; t <= last; t += rounds) {
        uint64_t left = h->length - h->played % h->length;
        rounds = left < last - t + 1 ? left : last - t + 1;
        if (h->survivors)
            mk_record_pull_turns(play_, h->survivor, h->survivors, (size_t)(h->played % h->survivors), rounds);
        else
            mk_record_pull_all(play_, 0, rounds);
        for (size_t i = 0; i < h->stat.setup->arms; i++) h->stat.value[i] = play_->at[i].max;
        h->played += rounds;
        if (h->played % h->length == 0) end_phase(h);
    }
}

const struct mk_policy_type mk_policy_successive_halving = {
    .name = "successive_halving",
    .summary = "phases of equal budget, the better half (1 in eta) survives",
    .formula = "floor(T / (|S| ceil(log_eta K))) pulls per arm and phase, then keep the best ceil(|S|/eta) by mean",
    .reference = "Karnin, Koren & Somekh 2013, Algorithm 3; eta from Balef et al. 2025, Table D.5",
    .departures = "means are over all phases, not the last one; AutoML runs of Balef 2025: variant=published",
    .cost = "O(1), O(K log K) per phase",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = params,
    .state_size = state_size,
    .init = init_successive_halving,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
    .no_records = no_records,
};

/* R-SR, successive rejects for stochastic rising bandits (Mussi et al. 2024, Algorithm 2):
 *
 *     N_0 = 0, N_j = ceil((T - K) / (logbar(K) (K + 1 - j))), logbar(K) = 1/2 + sum_{i=2}^{K} 1/i;
 *     phase j = 1 … K-1: N_j - N_{j-1} pulls of every remaining arm, in round-robin order, then reject the arm with the
 *     smallest mean of its last h = floor(epsilon n) (at least one) rewards; the last arm is played to T.
 *
 * In CASH the reward of a pull is the running best. Means follow affine maps, so scaling would change nothing and there
 * is no option for it. Of tied arms the one with the lowest index is rejected; means that differ by less than 1e-13 of
 * the span of all remaining arms' windows are ties (means of decimal rewards are equal only up to rounding). Phase 1
 * has at least one pull of each arm, even when T <= K.
 * N_j is computed without rounding, since (T - K) / (logbar (K + 1 - j)) can be a whole number.
 * variant: published follows the MaxUCB authors' program: N_0 by the formula too, all N_j with that program's
 * roundings, N_j - N_{j-1} + 1 pulls (at least one), arms in descending order, and the mean of the *first* n-h-1
 * running bests, scaled to [0, 1] and summed as in policies/parts/numpy_arithmetic.h because that decides ties; 0 when
 * there is none. Cost per pull O(1), O(K log^2 n) at the end of a phase (published: O(t)); memory at most 128 bytes per
 * pull (typical rewards touch almost none of it) and 304 per arm. */
#include "policies/parts/numpy_arithmetic.h"
#include "policies/parts/record_sums.h"
#include "policies/parts/reject_schedule.h"
#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"

enum { EPSILON, VARIANT, PARAMS };

static const struct mk_param params[] = {
    MK_WINDOW_PARAM,
    MK_VARIANT_PARAM,
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const double near_share = 1e-13;

struct r_sr {
    const struct mk_setup *setup;
    struct mk_arena arena;
    struct mk_record_sums *arm; /* [K] */
    struct mk_numpy rescan;     /* published: running bests instead of `arm` */
    struct mk_scaling scaling;
    size_t *left; /* [K] remaining arms, ascending */
    size_t n_left;
    struct mk_reject_schedule schedule;
    size_t phase;
    uint64_t pulls; /* left in this phase */
};

static bool published(const struct mk_setup *s)
{
    return s->par[VARIANT] == MK_WINDOW_PUBLISHED;
}

static size_t state_size(const struct mk_setup *s)
{
    return sizeof(struct r_sr) + s->arms * (sizeof(struct mk_record_sums) + sizeof(size_t)) +
           (published(s) ? mk_numpy_bytes(s, 1) : mk_record_sums_bytes(s->arms, (size_t)s->horizon));
}

static double schedule(const struct r_sr *r, size_t j)
{
    return published(r->setup) ? mk_reject_published(&r->schedule, j) : mk_reject_rounds(&r->schedule, j);
}

static uint64_t phase_pulls(const struct r_sr *r)
{
    double rounds = schedule(r, r->phase) - schedule(r, r->phase - 1);
    if (published(r->setup)) rounds = rounds + 1 > 1 ? rounds + 1 : 1;
    if (rounds < 1) rounds = r->phase == 1;
    return (uint64_t)rounds * r->n_left;
}

static void init_r_sr(void *state, const struct mk_setup *s)
{
    struct r_sr *r = state;
    r->setup = s;
    r->arm = (struct mk_record_sums *)(r + 1);
    memset(r->arm, 0, s->arms * sizeof *r->arm);
    r->left = (size_t *)(r->arm + s->arms);
    r->arena = (struct mk_arena){(char *)(r->left + s->arms), (char *)state + state_size(s), NULL};
    mk_numpy_init(&r->rescan, r->left + s->arms, s, published(s));
    mk_scaling_init(&r->scaling, (const double[]){MK_SCALE_MINMAX, 0, 1});
    r->n_left = s->arms;
    for (size_t i = 0; i < s->arms; i++) r->left[i] = i;
    mk_reject_schedule_init(&r->schedule, s->arms, s->horizon);
    r->phase = 1;
    r->pulls = phase_pulls(r);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    const struct r_sr *r = state;
    if (r->n_left == 1) return r->left[0];
    if (published(r->setup)) return r->left[(r->pulls - 1) % r->n_left];
    return r->left[(r->n_left - r->pulls % r->n_left) % r->n_left];
}

static struct mk_stretch window_of(const struct r_sr *r, size_t i)
{
    const struct mk_record_sums *a = &r->arm[i];
    uint64_t h = (uint64_t)(r->setup->par[EPSILON] * (double)a->n);
    return mk_window_over(a, h ? h : 1, MK_WINDOW_PAPER);
}

/* Windowed mean of a remaining arm, relative to `low`. */
static double mean_above(const struct r_sr *r, size_t a, double low)
{
    const struct mk_stretch w = window_of(r, r->left[a]);
    return (w.first - low) + w.sum / w.pulls;
}

/* Position in left[] of the first arm with the smallest windowed mean. */
static size_t find_worst(const struct r_sr *r)
{
    double low = INFINITY, high = -INFINITY, least = INFINITY;
    for (size_t a = 0; a < r->n_left; a++) {
        const struct mk_stretch w = window_of(r, r->left[a]);
        low = fmin(low, w.first);
        high = fmax(high, w.last);
    }
    for (size_t a = 0; a < r->n_left; a++) least = fmin(least, mean_above(r, a, low));
    size_t worst = 0;
    while (mean_above(r, worst, low) > least + near_share * (high - low)) worst++;
    return worst;
}

static double published_mean(const struct r_sr *r, size_t i)
{
    const struct mk_history *y = &r->rescan.history[i];
    size_t h = (size_t)(r->setup->par[EPSILON] * (double)y->n), n = y->n > h + 1 ? y->n - h - 1 : 0;
    return h == 0 || n == 0 ? 0 : mk_numpy_sum(y->x, n, &r->rescan.map, 0, 0) / (double)n;
}

static size_t published_worst(struct r_sr *r)
{
    size_t worst = 0;
    r->rescan.map = mk_scaling_affine(&r->scaling);
    double least = published_mean(r, r->left[0]);
    for (size_t a = 1; a < r->n_left; a++) {
        double mean = published_mean(r, r->left[a]);
        if (!(mean < least)) continue;
        least = mean;
        worst = a;
    }
    return worst;
}

static void reject(struct r_sr *r)
{
    const size_t worst = published(r->setup) ? published_worst(r) : find_worst(r);
    r->n_left--;
    memmove(r->left + worst, r->left + worst + 1, (r->n_left - worst) * sizeof *r->left);
    r->phase++;
    r->pulls = phase_pulls(r);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct r_sr *r = state;
    if (published(r->setup)) {
        const struct mk_history *y = &r->rescan.history[arm];
        mk_numpy_add(&r->rescan, arm, y->n && y->x[y->n - 1] > reward ? y->x[y->n - 1] : reward);
        mk_scaling_see(&r->scaling, reward);
    } else {
        mk_record_sums_add(&r->arm[arm], &r->arena, reward);
    }
    if (r->n_left == 1) return;
    r->pulls--;
    while (r->pulls == 0 && r->n_left > 1) reject(r);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_r_sr = {
    .name = "r_sr",
    .summary = "successive rejects for rising bandits on the windowed running best",
    .formula = "N_j = ceil((T-K)/(logbar (K+1-j))) pulls of each remaining arm, then reject the smallest windowed mean",
    .reference = "Mussi et al. 2024, R-SR; epsilon from Balef et al. 2025, Table D.5",
    .departures = "the reward of a pull is the running best; AutoML runs of Balef 2025: variant=published",
    .cost = "O(1), O(K log^2 n) per phase",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = params,
    .state_size = state_size,
    .init = init_r_sr,
    .select = select_arm,
    .update = update,
    .play = play,
};

/* Cost-aware Rising Bandits (Li et al. 2020, eq. 16): the budget is time B instead of pulls,
 *
 *     u_i = min(1, y_i(n) + w_i B' / c_i),
 *
 * c_i the mean cost of a pull of arm i, B' = B minus the costs of all pulls so far, 0 once it is spent. Costs per arm
 * (from the experiment) are known in advance. Costs recorded per pull are learnt: c_i is the mean over the pulls of arm
 * i so far; future costs are not used. Everything else is Algorithm 1, see policies/parts/rising_elimination.h and
 * policies/rising_bandit.c.
 *
 * With `budget` = B pulls are made as long as time is left, and the run ends when none is left or after T pulls; the
 * last pull may take longer than the remaining time. Pull counts then add up to less than T; the largest reward is that
 * of the pulls made, and regret still compares it with T pulls of the best arm. Without `budget` the run has T pulls
 * and B only enters the bounds: T times the mean of the c_i (of the arms pulled so far if costs are learnt, updated at
 * every pull); with unit costs that is rising_bandit.
 * Cost per pull O(1) amortised, O(K) if costs are learnt; memory 8 (C + 1) + 48 bytes per arm. */
#include "policies/parts/rising_elimination.h"
#include "policies/play/per_pull_loop.h"

enum { BUDGET = MK_RISING_NEXT, PARAMS };

static const struct mk_param params[] = {
    MK_RISING_PARAMS,
    {"budget", MK_REAL, MK_OPTIONAL | MK_OPEN_LO, 0, 0, INFINITY, NULL,
     "time budget B: no pulls once it is spent; if absent, T pulls, with B = T times the mean cost"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct rising_cost {
    double *cost; /* [K] c_i; 0 before the first pull if costs are learnt */
    double left;  /* B' */
    double spent; /* costs of all pulls so far */
    int open;     /* B is not known in advance */
    struct mk_rising rising;
};

static size_t state_size(const struct mk_setup *s)
{
    return offsetof(struct rising_cost, rising) + mk_rising_bytes(s) + s->arms * sizeof(double);
}

static void init_rising_bandit_cost(void *state, const struct mk_setup *s)
{
    struct rising_cost *b = state;
    mk_rising_init(&b->rising, s, 0);
    b->cost = (double *)((char *)&b->rising + mk_rising_bytes(s));
    b->spent = 0;
    b->left = s->par[BUDGET];
    b->open = isnan(b->left) && s->pull_cost;
    double sum = 0;
    for (size_t i = 0; i < s->arms; i++) sum += b->cost[i] = s->pull_cost ? 0 : s->cost[i];
    if (isnan(b->left)) b->left = (double)s->horizon * sum / (double)s->arms;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    const struct rising_cost *b = state;
    return mk_rising_select(&b->rising);
}

static double left_of(const void *context, size_t arm)
{
    const struct rising_cost *b = context;
    return b->left / b->cost[arm];
}

/* T times the mean of the costs learnt so far. */
static double open_budget(const struct rising_cost *b)
{
    const struct mk_setup *s = b->rising.setup;
    double sum = 0;
    size_t seen = 0;
    for (size_t i = 0; i < s->arms; i++) {
        sum += b->cost[i];
        seen += b->cost[i] > 0;
    }
    return (double)s->horizon * sum / (double)seen;
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct rising_cost *b = state;
    const struct mk_setup *s = b->rising.setup;
    double paid = b->cost[arm];
    if (s->pull_cost) {
        uint64_t n = b->rising.growth.n[arm]; /* pulls before this one */
        paid = s->pull_cost[arm][n];
        b->cost[arm] += (paid - b->cost[arm]) / (double)(n + 1);
    }
    b->spent += paid;
    double left = b->open ? open_budget(b) - b->spent : b->left - paid;
    b->left = left > 0 ? left : 0;
    mk_rising_update(&b->rising, arm, reward, left_of, b);
}

static void play(void *state, struct mk_play *play_, uint64_t first, uint64_t last)
{
    const struct rising_cost *b = state;
    const int ends = !isnan(b->rising.setup->par[BUDGET]);
    for (uint64_t t = first; t <= last && (!ends || b->left > 0); t++)
        mk_play_rounds(state, play_, t, t, select_arm, update, NULL, NULL);
}

const struct mk_policy_type mk_policy_rising_bandit_cost = {
    .name = "rising_bandit_cost",
    .summary = "Rising Bandits with a time budget and costs per arm",
    .formula = "drop j when some y_i >= min(1, y_j + w_j B'/c_j), w = (y(n) - y(n-C)) / C, B' the remaining time; with "
               "budget=B pulling stops once B is spent, so that pulls add up to less than T, while regret compares "
               "with T pulls of the best arm",
    .reference = "Li et al. 2020, eq. 16",
    .departures = "rewards are mapped to [0.01, 0.99] by the range seen so far; scale=none restores the paper",
    .cost = "O(1), O(K) where costs are learnt",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = params,
    .state_size = state_size,
    .init = init_rising_bandit_cost,
    .select = select_arm,
    .update = update,
    .play = play,
};

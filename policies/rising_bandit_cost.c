/* Cost-aware Rising Bandits (Li et al. 2020, eq. 16): the budget is time B instead of pulls,
 *
 *     u_i = min(1, y_i(n) + w_i B' / c_i),
 *
 * c_i the mean cost of a pull of arm i (from the experiment), B' = B minus the costs of all pulls so far, 0 once it is
 * spent. Everything else is Algorithm 1, see policies/rising.h and policies/rising_bandit.c. Rounds are counted by the
 * engine: it stops at T pulls, not when the budget is spent.
 * Without `budget`, B = T times the mean of the c_i; with unit costs that is rising_bandit.
 * Cost per pull O(K) amortised; memory 8 (C + 1) + 40 bytes per arm. */
#include "policies/rising.h"
#include "sim/play.h"

enum { BUDGET = MK_RISING_PARAMS_END };

static const struct mk_param params[] = {
    MK_RISING_PARAMS,
    {"budget", MK_REAL, MK_OPTIONAL | MK_OPEN_LO, 0, 0, INFINITY, NULL, "time B; T times the mean cost when absent"},
    {NULL, MK_REAL, 0, 0, 0, 0, NULL, NULL},
};

struct rising_cost {
    const double *cost; /* [K] */
    double left;        /* B' */
    struct mk_rising rising;
};

static const char *check(const double *par)
{
    return mk_rising_check(par);
}

static size_t state_size(const struct mk_setup *s)
{
    return offsetof(struct rising_cost, rising) + mk_rising_bytes(s);
}

static void init(void *state, const struct mk_setup *s)
{
    struct rising_cost *b = state;
    b->cost = s->cost;
    b->left = s->par[BUDGET];
    if (isnan(b->left)) {
        double sum = 0;
        for (size_t i = 0; i < s->arms; i++) sum += s->cost[i];
        b->left = (double)s->horizon * sum / (double)s->arms;
    }
    mk_rising_init(&b->rising, s, 0);
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

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)t;
    struct rising_cost *b = state;
    b->left = b->left > b->cost[arm] ? b->left - b->cost[arm] : 0;
    mk_rising_update(&b->rising, arm, reward, left_of, b);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_rising_bandit_cost = {
    .name = "rising_bandit_cost",
    .summary = "Rising Bandits with a time budget and costs per arm",
    .formula = "drop j when some y_i >= min(1, y_j + w_j B'/c_j), w = (y(n) - y(n-C)) / C, B' the time left",
    .reference = "Li et al. 2020, eq. 16",
    .departures = "rewards are mapped to [0.01, 0.99] by the range seen so far; scale=none restores the paper",
    .cost = "O(K)",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = params,
    .check = check,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
    .play = play,
};

/* Rising Bandits (Li et al. 2020, Algorithm 1 with the growth rate of eq. 10):
 *
 *     u_i = min(1, y_i(n) + w_i (T - t)),  l_i = y_i(n),  w_i = (y_i(n) - y_i(n-C)) / C,  y_i the running best;
 *     passes over the candidates, one pull each; after a pass candidate j is dropped if some l_i >= u_j.
 *
 * See policies/parts/rising_elimination.h. C = 1 is eq. 9. It presupposes rewards in [0, 1] (the 1 in u, parameter
 * cap), hence scale minmax to [.01, .99] by default as in the published AutoML runs; scale: none for rewards that are
 * in [0, 1] already. variant: published reproduces those runs; the paper does not define w while n <= C, where u = cap
 * here. Cost per pull O(1) amortised; memory 8 (C + 1) + 40 bytes per arm. */
#include "policies/parts/rising_elimination.h"
#include "policies/play/per_pull_loop.h"

enum { VARIANT = MK_RISING_NEXT, PARAMS };
enum { PAPER, PUBLISHED };

static const struct mk_param params[] = {
    MK_RISING_PARAMS,
    {"variant", MK_CHOICE, 0, PAPER, 0, 0, "paper|published",
     "details of Algorithm 1, or of the MaxUCB authors' program"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

struct rising_bandit {
    uint64_t left; /* T - t */
    struct mk_rising rising;
};

static size_t state_size(const struct mk_setup *s)
{
    return offsetof(struct rising_bandit, rising) + mk_rising_bytes(s);
}

static void init_rising_bandit(void *state, const struct mk_setup *s)
{
    struct rising_bandit *b = state;
    mk_rising_init(&b->rising, s, s->par[VARIANT] == PUBLISHED);
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    const struct rising_bandit *b = state;
    return mk_rising_select(&b->rising);
}

static double left_of(const void *context, size_t arm)
{
    (void)arm;
    return (double)*(const uint64_t *)context;
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    struct rising_bandit *b = state;
    b->left = b->rising.setup->horizon - t;
    mk_rising_update(&b->rising, arm, reward, left_of, &b->left);
}

MK_POLICY_PLAY(play, select_arm, update)

const struct mk_policy_type mk_policy_rising_bandit = {
    .name = "rising_bandit",
    .summary = "elimination by extrapolating each arm's running best to T",
    .formula = "drop j when some y_i >= min(1, y_j + w_j (T - t)), w = (y(n) - y(n-C)) / C, y the running best",
    .reference = "Li et al. 2020, Algorithm 1 and eq. 10",
    .departures = "AutoML runs of Balef 2025: variant=published; original growth rate: C=1; rewards already in [0, 1]: "
                  "scale=none",
    .cost = "O(1)",
    .kind = MK_CASH,
    .flags = MK_POLICY_NEEDS_HORIZON,
    .params = params,
    .state_size = state_size,
    .init = init_rising_bandit,
    .select = select_arm,
    .update = update,
    .play = play,
};

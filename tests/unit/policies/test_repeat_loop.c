/* A policy that gets first rewards again plays as on arms that have these rewards that often, and no pull is made for
 * them; without any it plays as ever. */
#include <string.h>

#include "policies/play/repeat_loop.h"
#include "tests/support/check.h"

enum { ARMS = 3, PULLS = 60, MORE = 9, ROUNDS = PULLS + ARMS * MORE };

static double no_more(struct mk_rewards *rewards, size_t arm, uint64_t n)
{
    (void)arm;
    (void)n;
    rewards->failed = 1;
    return NAN;
}

static double reward_of(size_t arm, uint64_t n)
{
    return 0.1 * (double)arm + 0.01 * (double)((n * 7 + arm * 3) % 11);
}

static void begin(struct mk_setup *setup, void *state, const struct mk_policy_type *type, struct mk_pcg64 *rng)
{
    mk_pcg64_from_key(rng, mk_key_text(mk_key_start(), "repeats"));
    setup->rng = rng;
    memset(state, 0, type->state_size(setup));
    type->init(state, setup);
}

static void test(const char *name, const uint64_t again[ARMS])
{
    const struct mk_policy_type *type = mk_policy_type_find(name);
    double par[MK_MAX_PARAMS], plain[ARMS][ROUNDS], stretched[ARMS][ROUNDS], cost[ARMS] = {1, 1, 1}, log_of[1] = {0};
    uint64_t pulls[ARMS] = {0}, rounds[ARMS] = {0}, left[ARMS], sum = again[0] + again[1] + again[2];
    uint32_t sequence[PULLS], of_rounds[ROUNDS];
    struct mk_arm_rewards arm[ARMS], far[ARMS];
    struct mk_pcg64 rng;
    mk_param_defaults(type->params, par);
    for (size_t k = 0; k < ARMS; k++) {
        for (uint64_t n = 0; n < ROUNDS; n++) plain[k][n] = reward_of(k, n);
        for (uint64_t n = 0; n < ROUNDS; n++) stretched[k][n] = reward_of(k, n <= again[k] ? 0 : n - again[k]);
        arm[k] = (struct mk_arm_rewards){plain[k], ROUNDS};
        far[k] = (struct mk_arm_rewards){stretched[k], ROUNDS};
        left[k] = again[k];
    }
    struct mk_setup setup = {ARMS, PULLS + sum, par, log_of, 1, NULL, ARMS, cost, NULL, NULL, NULL, 0, 0};
    void *state = aligned_alloc(64, (type->state_size(&setup) + 127) & ~(size_t)63);
    struct mk_rewards source = {arm, no_more, 0}, other = {far, no_more, 0};
    struct mk_play play = {.rewards = &source, .pulls = pulls, .best = -INFINITY, .sequence = sequence};
    struct mk_play alone = {.rewards = &other, .pulls = rounds, .best = -INFINITY, .sequence = of_rounds};
    struct mk_repeats repeats = {left, 0};
    begin(&setup, state, type, &rng);
    mk_play_repeats(type, state, &play, &repeats, 1, 25);
    mk_play_repeats(type, state, &play, &repeats, 26, PULLS);
    begin(&setup, state, type, &rng);
    type->play(state, &alone, 1, PULLS + sum);
    size_t wrong = 0, n = 0;
    uint64_t seen[ARMS] = {0};
    for (size_t t = 0; t < PULLS + sum && n < PULLS; t++) {
        const uint32_t k = of_rounds[t];
        const uint64_t at = seen[k]++;
        if (at == 0 || at > again[k]) wrong += sequence[n++] != k;
    }
    CHECK(!wrong && n == PULLS && pulls[0] + pulls[1] + pulls[2] == PULLS && !source.failed,
          "%s, %llu %llu %llu again: the same arms", name, (unsigned long long)again[0], (unsigned long long)again[1],
          (unsigned long long)again[2]);
    double best = -INFINITY;
    for (size_t k = 0; k < ARMS; k++)
        for (uint64_t i = 0; i < pulls[k]; i++) best = fmax(best, plain[k][i]);
    CHECK(play.best == best, "%s: the best reward of the pulls", name);
    free(state);
}

int main(void)
{
    static const char *const policies[] = {"max_ucb",          "uniform",       "random",  "qomax_sda", "max_median",
                                           "threshold_ascent", "rising_bandit", "softmax", "exp3",      "extreme_etc",
                                           "er_ucb_s",         "quantile_ucb",  "r_sr",    "greedy"};
    static const uint64_t again[][ARMS] = {{0, 0, 0}, {0, 4, 9}, {7, 0, 1}};
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        for (size_t j = 0; j < 3; j++) test(policies[i], again[j]);
    return CHECK_EXIT;
}

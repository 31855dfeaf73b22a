/* Uniformly random arm in every round, independent of everything seen. Cost per pull O(1); memory O(1).
 * From records only the counts of a stretch are drawn, multinomial: the numbers are not those of the per-pull loop and
 * depend on the horizons that are read, the law does not. */
#include <gsl/gsl_randist.h>

#include "sim/play.h"
#include "sim/record_play.h"

static size_t state_size(const struct mk_setup *s)
{
    (void)s;
    return sizeof(const struct mk_setup *);
}

static void init(void *state, const struct mk_setup *s)
{
    *(const struct mk_setup **)state = s;
}

static inline size_t select_arm(void *state, uint64_t t)
{
    (void)t;
    const struct mk_setup *s = *(const struct mk_setup **)state;
    return (size_t)mk_uniform_below(s->rng, s->arms);
}

static inline void update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)state;
    (void)arm;
    (void)reward;
    (void)t;
}

MK_POLICY_PLAY(play, select_arm, update)

/* Binomial(n, p) for n up to 2^53. Above what gsl_ran_binomial takes, the middle order statistic of n uniforms, a beta
 * variate, tells which half of them p falls into (Knuth, The Art of Computer Programming 2, 3.4.1 F). */
static uint64_t binomial(const gsl_rng *rng, double p, uint64_t n)
{
    uint64_t successes = 0;
    while (n > INT32_MAX) {
        uint64_t below = n / 2 + 1, above = n - below + 1;
        double x = gsl_ran_beta(rng, (double)below, (double)above);
        if (x >= p) {
            n = below - 1;
            p /= x;
        } else {
            successes += below;
            n = above - 1;
            p = (p - x) / (1 - x);
        }
    }
    return successes + gsl_ran_binomial(rng, p, (unsigned)n);
}

static void play_records(void *state, struct mk_record_play *play_, uint64_t first, uint64_t last)
{
    const struct mk_setup *s = *(const struct mk_setup **)state;
    gsl_rng rng = {mk_gsl_rng_pcg64, s->rng};
    uint64_t rest = last - first + 1;
    for (size_t k = 0; k < s->arms; k++) {
        uint64_t count = k + 1 < s->arms ? binomial(&rng, 1.0 / (double)(s->arms - k), rest) : rest;
        mk_record_pull_all(play_, k, count);
        rest -= count;
    }
}

const struct mk_policy_type mk_policy_random = {
    .name = "random",
    .summary = "an arm uniformly at random in every round",
    .formula = "I_t uniform on 1 … K",
    .reference = "baseline",
    .departures = "",
    .cost = "O(1)",
    .kind = MK_CLASSIC,
    .flags = MK_POLICY_RANDOMISED,
    .state_size = state_size,
    .init = init,
    .select = select_arm,
    .update = update,
    .play = play,
    .play_records = play_records,
};

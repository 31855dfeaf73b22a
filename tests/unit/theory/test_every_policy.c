/* The lower bound that holds for every policy, against policies on coins whose pulls are computed exactly. */
#include "analysis/theory/every_policy.h"

#include <math.h>
#include <stdbool.h>

#include "sim/base/pcg64.h"
#include "tests/support/check.h"

/* Python, bisection on the equation in doubles. */
static void test_known_values(void)
{
    CHECK_CLOSE(mk_every_policy_pulls(0.1, 0.01, 1000), 42.35511806192886, 1e-8, "d = .1, q = .01");
    CHECK_CLOSE(mk_every_policy_pulls(0.5, 0.001, 50), 10.088345762851878, 1e-8, "d = .5, q = .001");
    CHECK_CLOSE(mk_every_policy_pulls(1e-6, 0.5, 1000000), 196971.79003044486, 1e-8, "d = 1e-6, q = .5");
    CHECK_CLOSE(mk_every_policy_pulls(0, 0.3, 9), 7, 1e-6, "without a divergence: Markov's inequality");
    CHECK(mk_every_policy_pulls(0, 0.3, 9) <= 7, "rounded down");
}

static void test_extremes(void)
{
    CHECK(mk_every_policy_pulls(0.1, 0, 9) == 10, "no lock-outs: more than m pulls always");
    CHECK(mk_every_policy_pulls(0.1, 1, 9) == 0, "always locked out: nothing is known");
    CHECK(mk_every_policy_pulls(0.1, NAN, 9) == 0 && mk_every_policy_pulls(NAN, 0.1, 9) == 0,
          "no numbers: nothing is known");
    CHECK(mk_every_policy_pulls(INFINITY, 0.1, 9) == 0 && mk_every_policy_pulls(INFINITY, 0, 9) == 0,
          "an alternative that excludes the arm: nothing is known");
}

/* ---- coins ---- */

enum { ROUNDS = 7, HISTORIES = 1 << (2 * ROUNDS + 1) };

/* A policy on two coins: its probability of arm 0 after every history, a number in base 4 that begins with a 1. */
struct game {
    double first[HISTORIES];
    double p0, other, p1; /* P(reward 1) of arm 0, of it in the alternative, and of arm 1 */
    unsigned rarely;
    double mean, lock_out; /* E[N_0(T)]; probability of at most `rarely` pulls of arm 0 in the alternative */
};

static void play(struct game *g, unsigned round, size_t history, unsigned pulls, double here, double there)
{
    if (round == ROUNDS) {
        g->mean += here * pulls;
        if (pulls <= g->rarely) g->lock_out += there;
        return;
    }
    for (unsigned arm = 0; arm < 2; arm++) {
        const double chosen = arm == 0 ? g->first[history] : 1 - g->first[history];
        const double win = arm == 0 ? g->p0 : g->p1, win_there = arm == 0 ? g->other : g->p1;
        if (!(chosen > 0)) continue;
        for (unsigned x = 0; x < 2; x++)
            play(g, round + 1, 4 * history + 2 * arm + x, pulls + (arm == 0), here * chosen * (x ? win : 1 - win),
                 there * chosen * (x ? win_there : 1 - win_there));
    }
}

/* Policies at random: deterministic, or with coins of their own. */
static void draw_policy(struct game *g, struct mk_pcg64 *rng, bool deterministic)
{
    for (size_t i = 0; i < HISTORIES; i++) {
        const double u = mk_uniform(rng);
        g->first[i] = deterministic ? u < 0.4 : u;
    }
}

static double divergence(double p, double q)
{
    return p * log(p / q) + (1 - p) * log((1 - p) / (1 - q));
}

static void test_random_policies(void)
{
    static struct game g;
    struct mk_pcg64 rng;
    double closest = INFINITY;
    mk_pcg64_seed(&rng, 7, 1);
    for (unsigned n = 0; n < 300; n++) {
        g.p0 = 0.05 + 0.9 * mk_uniform(&rng);
        g.p1 = mk_uniform(&rng);
        g.other = fmin(0.99, fmax(0.01, g.p0 + 0.4 * (mk_uniform(&rng) - 0.5)));
        g.rarely = (unsigned)(mk_uniform(&rng) * ROUNDS);
        g.mean = g.lock_out = 0;
        draw_policy(&g, &rng, n % 2);
        play(&g, 0, 1, 0, 1, 1);
        const double bound =
            mk_every_policy_pulls(divergence(g.p0, g.other), fmin(1, g.lock_out * (1 + 1e-12)), g.rarely);
        CHECK(g.mean >= bound, "policy %u: %.17g pulls, the bound is %.17g", n, g.mean, bound);
        if (bound > 0) closest = fmin(closest, g.mean / bound);
    }
    CHECK(closest < 1.3, "some policy comes within 30 %% of the bound: %g", closest);
}

int main(void)
{
    test_known_values();
    test_extremes();
    test_random_policies();
    return CHECK_EXIT;
}

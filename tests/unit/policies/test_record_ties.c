/* Arms that share the largest maximum, from records (policies/parts/max_index_records.c), and arms with close maxima
 * (policies/parts/max_index_levels.c): long stretches of play in which the arm changes all the time, against the same
 * engine run one round at a time, which leaves every round to select. Ties to the lowest arm: the same counts at every
 * horizon. Ties at random: the same counts while indices are apart, the same distribution beyond. Fixed seeds;
 * false-alarm rates are for an independent one. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "policies/policy.h"
#include "tests/support/check.h"
#include "tests/support/toy_arms.h"

enum { HORIZONS = 8, MOST_ARMS = 50 };

struct bench {
    struct mk_pcg64 policy_rng;
    double cost[MOST_ARMS], log_1; /* log[0] */
    uint64_t pulls[MOST_ARMS];
    struct mk_record_cursor at[MOST_ARMS];
    uint64_t count[HORIZONS][MOST_ARMS];
};

/* Processor time after which a policy that looks for it ends its play. */
static double deadline = INFINITY;

static double seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static bool is_late(void)
{
    return seconds() > deadline;
}

/* Counts at every horizon, in stretches of at most `step` rounds. */
static void play(struct bench *b, struct toy *w, const struct mk_policy_type *type, const double *par,
                 const uint64_t *T, size_t n_T, uint64_t step, uint64_t seed)
{
    size_t arms = w->instance.n_arms;
    struct mk_setup s = {.arms = arms,
                         .horizon = T[n_T - 1],
                         .par = par,
                         .log = &b->log_1,
                         .log_len = 1,
                         .rng = &b->policy_rng,
                         .best_arm = arms,
                         .cost = b->cost};
    struct mk_record_play p = {.records = &w->records->records, .pulls = b->pulls, .at = b->at, .stopped = is_late};
    void *state = aligned_alloc(64, (type->state_size(&s) + 127) & ~(size_t)63);
    if (!state) exit(1);
    mk_pcg64_seed(s.rng, seed, 8);
    mk_record_play_start(&p, arms);
    type->init(state, &s);
    for (uint64_t t = 1, h = 0; h < n_T; h++) {
        while (t <= T[h]) {
            uint64_t last = T[h] - t < step ? T[h] : t + step - 1;
            type->play_records(state, &p, t, last);
            t = last + 1;
        }
        memcpy(b->count[h], b->pulls, arms * sizeof *b->pulls);
    }
    free(state);
}

static void set(const struct mk_policy_type *type, double *par, const char *name, double value)
{
    int at = mk_param_find(type->params, name);
    if (at >= 0) par[at] = value;
}

static void coins(struct toy *w, size_t arms, double top, double low)
{
    for (size_t k = 0; k < arms; k++) toy_steps_arm(w, k, 2, 0, top, low);
}

/* Arms with and without the point mass; from top = 10^7 on, indices are equal to the last bit for many counts. */
static void random_problem(struct toy *w, size_t arms, struct mk_pcg64 *g)
{
    double top = pow(10, -2 + (double)mk_uniform_below(g, 16));
    for (size_t k = 0; k < arms; k++) {
        double u = mk_uniform(g);
        if (mk_uniform_below(g, 4))
            toy_steps_arm(w, k, 2, 0, top, pow(u, 0.1));
        else
            toy_clip_arm(w, k, 0.1 + u, 0, top);
        if (w->dist[k].type == &toy_clip_type) w->dist[k].c[1] = 1.2 * top;
        if (mk_uniform_below(g, 6) == 0) toy_curve_arm(w, k, 0, (1 - pow(10, -1 - 4 * u)) * top, 0.3);
    }
}

/* Arms whose largest rewards differ by a factor of 1 + 10^-14 … 2. */
static void close_problem(struct toy *w, size_t arms, struct mk_pcg64 *g)
{
    const double top = pow(10, -2 + (double)mk_uniform_below(g, 10)), apart = pow(10, -14 * mk_uniform(g));
    for (size_t k = 0; k < arms; k++) toy_steps_arm(w, k, 2, 0, top * (1 + apart * mk_uniform(g)), mk_uniform(g));
}

typedef void (*problem_fn)(struct toy *w, size_t arms, struct mk_pcg64 *g);

static void same_counts(struct bench *b, const char *policy, double power, uint64_t last, int problems, problem_fn make)
{
    static const double tied_alphas[] = {0, 1e-6, 0.1, 0.5, 1, 5}, close_alphas[] = {0.1, 0.5, 5, 100, 1e4, 1e6};
    const double *alphas = make == close_problem ? close_alphas : tied_alphas;
    const struct mk_policy_type *type = mk_policy_type_find(policy);
    struct mk_pcg64 g;
    int first_bad = -1;
    uint64_t step_counts[HORIZONS][MOST_ARMS], T[HORIZONS];
    mk_pcg64_seed(&g, 31, 32);
    for (int trial = 0; trial < problems; trial++) {
        struct toy w = {.name = ""};
        size_t arms = 2 + mk_uniform_below(&g, mk_uniform_below(&g, 3) ? 4 : MOST_ARMS - 1);
        double par[MK_MAX_PARAMS];
        mk_param_defaults(type->params, par);
        set(type, par, "alpha", alphas[mk_uniform_below(&g, 6)]);
        set(type, par, "scale", (double)mk_uniform_below(&g, 3));
        if (power > 1) set(type, par, "power", power);
        for (size_t h = 0; h < HORIZONS; h++)
            T[h] = (uint64_t)((double)last * pow(0.5, (double)(HORIZONS - 1 - h))) - mk_uniform_below(&g, 50);
        make(&w, arms, &g);
        if (!toy_open(&w, arms, (uint64_t)trial)) exit(1);
        toy_seek(&w, 0);
        play(b, &w, type, par, T, HORIZONS, 1, 0);
        memcpy(step_counts, b->count, sizeof step_counts);
        play(b, &w, type, par, T, HORIZONS, last, 0);
        for (size_t h = 0; h < HORIZONS; h++)
            if (first_bad < 0 && memcmp(step_counts[h], b->count[h], arms * sizeof **step_counts) != 0)
                first_bad = trial;
        toy_close(&w);
    }
    CHECK(first_bad < 0,
          "%s, power %g: counts at 8 horizons to %g as round by round, %d problems with %s (first other: %d)", policy,
          power, (double)last, problems, make == close_problem ? "close maxima" : "ties", first_bad);
}

/* Ties at random while v_t(n) > v_t(n+1): the stream is advanced by the numbers that the rounds take. */
static void same_stream(struct bench *b)
{
    const struct mk_policy_type *type = mk_policy_type_find("max_ucb");
    const uint64_t T[3] = {1000, 30001, 100003};
    uint64_t step_counts[HORIZONS][MOST_ARMS];
    struct toy w = {.name = ""};
    double par[MK_MAX_PARAMS];
    mk_param_defaults(type->params, par);
    set(type, par, "ties", 1);
    coins(&w, 7, 1, 0.5);
    if (!toy_open(&w, 7, 5)) exit(1);
    int same = 1;
    for (uint64_t r = 0; r < 20; r++) {
        toy_seek(&w, r);
        play(b, &w, type, par, T, 3, 1, r);
        memcpy(step_counts, b->count, sizeof step_counts);
        struct mk_pcg64 after = b->policy_rng;
        play(b, &w, type, par, T, 3, T[2], r);
        for (size_t h = 0; h < 3; h++) same &= memcmp(step_counts[h], b->count[h], 7 * sizeof **step_counts) == 0;
        same &= after.state == b->policy_rng.state;
    }
    CHECK(same, "ties at random, indices apart: the same counts, and as many numbers drawn");
    toy_close(&w);
}

/* Counts of four tied arms at two horizons, their extremes included. */
static void same_law(struct bench *b, const char *policy, double top, double alpha, const char *what, size_t n)
{
    enum { ARMS = 4, KEPT = ARMS + 2 };
    const struct mk_policy_type *type = mk_policy_type_find(policy);
    const uint64_t T[2] = {25000, 60000};
    struct toy w = {.name = ""};
    double par[MK_MAX_PARAMS], *x = malloc(2 * 2 * KEPT * n * sizeof *x), worst = 0;
    mk_param_defaults(type->params, par);
    set(type, par, "ties", 1);
    set(type, par, "alpha", alpha);
    coins(&w, ARMS, top, 0.3);
    if (!x || !toy_open(&w, ARMS, 6)) exit(1);
    size_t other = 0;
    for (size_t jump = 0; jump < 2; jump++)
        for (size_t r = 0; r < n; r++) {
            toy_seek(&w, 2 * r + jump);
            play(b, &w, type, par, T, 2, jump ? T[1] : 1, 2 * r + jump);
            for (size_t h = 0; h < 2; h++) {
                double *to = x + (jump * 2 + h) * KEPT * n + r, least = INFINITY, most = 0;
                for (size_t k = 0; k < ARMS; k++) {
                    double v = (double)b->count[h][k];
                    to[k * n] = v;
                    least = fmin(least, v);
                    most = fmax(most, v);
                }
                to[ARMS * n] = least;
                to[(ARMS + 1) * n] = most;
                other += most - least > 1;
            }
        }
    for (size_t i = 0; i < 2 * KEPT; i++) worst = fmax(worst, toy_ks(x + i * n, x + (2 * KEPT + i) * n, n));
    CHECK(worst < 2.23 && other > n,
          "%s: counts, least and largest one at T = 25,000 and 60,000 as round by round, %zu replications (KS %.2f, "
          "false alarms 1.2e-3)",
          what, n, worst);
    toy_close(&w);
    free(x);
}

/* Every horizon from 10^2 to 10^12 and 2^53 (2^52 where rewards are 0), both tie rules; the largest rewards of the
 * three arms differ by `apart`. Round by round this takes hours. */
static void far(struct bench *b, const char *policy, double top, double random, double alpha, double apart)
{
    const struct mk_policy_type *type = mk_policy_type_find(policy);
    const uint64_t T[HORIZONS] = {100,        10000,         1000000,       100000000,
                                  1000000001, 1000000000000, 1000000000001, UINT64_C(1) << (top > 0 ? 53 : 52)};
    struct toy w = {.name = ""};
    double par[MK_MAX_PARAMS], start = seconds();
    mk_param_defaults(type->params, par);
    set(type, par, "ties", random);
    set(type, par, "alpha", alpha);
    for (size_t k = 0; k < 3; k++) toy_steps_arm(&w, k, 2, 0, top + apart * (double)(k % 2), top > 0 ? 0.7 : 1);
    if (!toy_open(&w, 3, 7)) exit(1);
    int whole = 1;
    deadline = start + 10;
    for (uint64_t r = 0; r < 10; r++) {
        toy_seek(&w, r);
        play(b, &w, type, par, T, HORIZONS, T[HORIZONS - 1], r);
        for (size_t h = 0; h < HORIZONS; h++) whole &= b->count[h][0] + b->count[h][1] + b->count[h][2] == T[h];
    }
    double took = seconds() - start;
    deadline = INFINITY;
    CHECK(whole && took < 10,
          "%s, alpha %g, three coins of %g, %g apart, ties %s: counts add up at T = 10^2 … 10^12 and %g", policy, alpha,
          top, apart, random != 0 ? "at random" : "to the lowest", (double)T[HORIZONS - 1]);
    printf("# %.4f s a replication\n", took / 10);
    toy_close(&w);
}

int main(int argc, char **argv)
{
    int more = argc > 1 ? atoi(argv[1]) : 1; /* times as many problems and replications */
    struct bench *b = calloc(1, sizeof *b);
    if (!b) return 1;
    for (size_t k = 0; k < MOST_ARMS; k++) b->cost[k] = 1;
    same_counts(b, "max_ucb", 1, 20000, 600 * more, random_problem);
    same_counts(b, "max_ucb", 1.5, 20000, 200 * more, random_problem);
    same_counts(b, "max_ucb", 5, 20000, 200 * more, random_problem);
    same_counts(b, "max_ucb_burn_in", 2, 20000, 50 * more, random_problem);
    same_counts(b, "max_ucb_remaining", 2, 20000, 50 * more, random_problem);
    same_counts(b, "max_ucb_horizon", 2, 20000, 50 * more, random_problem);
    same_counts(b, "max_ucb", 1, 1000000, 6 * more, random_problem);
    same_counts(b, "max_ucb_burn_in", 1, 20000, 100 * more, random_problem);
    same_counts(b, "max_ucb_remaining", 1, 20000, 100 * more, random_problem);
    same_counts(b, "max_ucb_horizon", 1, 20000, 100 * more, random_problem);
    same_counts(b, "greedy", 1, 20000, 100 * more, random_problem);
    for (int power = 1; power <= 2; power++)
        for (int i = 0; i < 4; i++) {
            static const char *const policies[] = {"max_ucb", "max_ucb_burn_in", "max_ucb_remaining",
                                                   "max_ucb_horizon"};
            same_counts(b, policies[i], power, 20000, 100 * more, close_problem);
        }
    same_counts(b, "max_ucb", 1, 1000000, 4 * more, close_problem);
    same_counts(b, "max_ucb_remaining", 1, 1000000, 4 * more, close_problem);
    same_stream(b);
    same_law(b, "max_ucb", 1e8, 0.5, "max_ucb, ties at random within levels", 400 * (size_t)more);
    same_law(b, "max_ucb", 1e14, 0.5, "max_ucb, bonus rounded away", 200 * (size_t)more);
    same_law(b, "max_ucb_remaining", 1e8, 0.5, "max_ucb_remaining, ties at random", 200 * (size_t)more);
    same_law(b, "max_ucb_horizon", 1e8, 0.5, "max_ucb_horizon, ties at random", 200 * (size_t)more);
    same_law(b, "greedy", 1, 0, "greedy, ties at random", 200 * (size_t)more);
    for (int random = 0; random < 2; random++) {
        far(b, "max_ucb", 1, random, 0.5, 0);
        far(b, "max_ucb", 1e6, random, 0.5, 0);
        far(b, "max_ucb", 0, random, 0.5, 0);
        far(b, "max_ucb_remaining", 0, random, 0.5, 0);
        far(b, "max_ucb_remaining", 1, random, 0.5, 0);
        far(b, "max_ucb_horizon", 1, random, 0.5, 0);
        far(b, "max_ucb_horizon", 1e6, random, 0.5, 0);
        if (!random) far(b, "max_ucb", 1, random, 1e6, 1e-9);
        if (!random) far(b, "max_ucb_burn_in", 1, random, 1e6, 1e-9);
        far(b, "max_ucb_remaining", 1, random, 1e3, 1e-9);
        far(b, "max_ucb_horizon", 1, random, 1e6, 1e-9);
    }
    free(b);
    return CHECK_EXIT;
}

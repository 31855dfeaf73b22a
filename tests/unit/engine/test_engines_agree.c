/* Playing in stretches (MK_POLICY_PLAY_STAYING) and choosing by a tournament of many arms (mk_setup.tournament_from)
 * give the sequence of single rounds that look at all arms, and leave the policy's stream where they do, for every
 * policy in the registry. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policies/play/per_pull_loop.h"
#include "policies/policy.h"
#include "sim/run/tape/reward_tape.h"
#include "tests/support/check.h"

enum { K_MAX = 60, T_MAX = 3000, PROBLEMS = 240 };

/* Rewards with ties and, for some problems, negative values; kind chooses the coarseness. */
static void draw(struct mk_pcg64 *g, int kind, size_t k, double *reward, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double u = mk_uniform(g);
        switch (kind % 5) {
        case 0: reward[i] = pow(u, 1.0 / (double)(k + 2)); break;
        case 1: reward[i] = floor(8 * u) / 8; break;
        case 2: reward[i] = -u - 0.1 * (double)k; break;
        case 3: reward[i] = pow(u, -0.7); break;
        default: reward[i] = u * (1 + 1e-9 * (double)k); break;
        }
    }
}

struct table {
    struct mk_problem problem;
    struct mk_instance instance;
    struct mk_series series[K_MAX];
    size_t arm[K_MAX];
    char name[8];
};

static void run(const struct mk_policy_type *type, struct mk_reward_tape *tape, const struct mk_setup *s, void *state,
                /* NOLINTNEXTLINE(readability-non-const-parameter): written through `play` */
                uint64_t T, int single, uint32_t *sequence, uint64_t *pulls, double *best)
{
    struct mk_play play = {.rewards = &tape->rewards, .pulls = pulls, .best = -INFINITY, .sequence = sequence};
    memset(pulls, 0, s->arms * sizeof *pulls);
    mk_pcg64_seed(s->rng, 9, 9);
    mk_reward_tape_seek(tape, 0, 0);
    type->init(state, s);
    if (single)
        mk_play_rounds(state, &play, 1, T, type->select, type->update, NULL, NULL);
    else
        type->play(state, &play, 1, T);
    *best = play.best;
}

/* Every choice of the policy; some exploration. */
static void draw_parameters(struct mk_pcg64 *g, const struct mk_param *params, int trial, double *par)
{
    mk_param_defaults(params, par);
    for (int i = 0; params && params[i].name; i++)
        if (params[i].kind == MK_CHOICE) {
            int n = 1;
            for (const char *c = params[i].choices; *c; c++) n += *c == '|';
            par[i] = (double)mk_uniform_below(g, (uint64_t)n);
        } else if (strcmp(params[i].name, "alpha") == 0) {
            par[i] = trial % 4 == 0 ? 0 : 2 * mk_uniform(g);
        } else if (strcmp(params[i].name, "power") == 0) {
            par[i] = trial % 5 < 2 ? 1 + 3 * mk_uniform(g) : 1;
        } else if (strcmp(params[i].name, "b") == 0 && trial % 2) {
            par[i] = 1000; /* of Pareto tails: the shortest exploration */
        }
}

static void make_table(struct table *w, struct mk_pcg64 *g, int trial, size_t arms, uint64_t T)
{
    static double rewards[K_MAX][T_MAX];
    w->problem = (struct mk_problem){.source = &mk_source_trajectories,
                                     .n_instances = 1,
                                     .instance = &w->instance,
                                     .n_arms = arms,
                                     .replications = 1};
    w->instance = (struct mk_instance){.name = w->name, .n_arms = arms, .arm = w->arm, .series = w->series};
    for (size_t k = 0; k < arms; k++) {
        w->arm[k] = k;
        draw(g, trial, k, rewards[k], T);
        w->series[k] = (struct mk_series){.reward = rewards[k], .length = T};
    }
}

/* Whether the policy plays the same in stretches, or by a tournament, as in single rounds. */
static bool agrees(const struct mk_policy_type *type, const struct table *w, const struct mk_setup *s, int trial)
{
    static uint32_t one[T_MAX], many[T_MAX];
    const uint64_t T = s->horizon;
    const size_t pulled = s->arms * sizeof(uint64_t);
    struct mk_setup other = *s;
    struct mk_reward_tape *tape = NULL;
    uint64_t pulls[2][K_MAX];
    double best[2];
    other.tournament_from = trial % 3 ? 1 : SIZE_MAX;
    void *state = aligned_alloc(64, (type->state_size(&other) + 127) & ~(size_t)63);
    bool same = state && mk_reward_tape_new(&tape, &w->problem, 1, NULL) == MK_OK;
    if (same) {
        run(type, tape, s, state, T, 1, one, pulls[0], &best[0]);
        const struct mk_pcg64 after = *s->rng;
        run(type, tape, &other, state, T, trial % 4 == 3, many, pulls[1], &best[1]);
        same = memcmp(&after, s->rng, sizeof after) == 0 && memcmp(one, many, T * sizeof *one) == 0 &&
               memcmp(pulls[0], pulls[1], pulled) == 0 && best[0] == best[1] && !tape->rewards.failed;
    }
    mk_reward_tape_free(tape);
    free(state);
    return same;
}

int main(void)
{
    static double log_table[T_MAX + 1], cost[K_MAX];
    static struct table w = {.name = "x"};
    struct mk_pcg64 g, policy_rng;
    mk_pcg64_seed(&g, 1, 2);
    for (int t = 1; t <= T_MAX; t++) log_table[t] = log(t);
    for (int k = 0; k < K_MAX; k++) cost[k] = 1;
    for (size_t p = 0; p < mk_policy_type_count(); p++) {
        const struct mk_policy_type *type = mk_policy_type_at(p);
        int same = 1, problems = 0;
        for (int trial = 0; trial < PROBLEMS; trial++) {
            size_t K = 1 + mk_uniform_below(&g, trial % 3 == 2 ? K_MAX : 12);
            uint64_t T = K + mk_uniform_below(&g, trial % 6 ? 300 : T_MAX - K_MAX);
            double par[MK_MAX_PARAMS];
            draw_parameters(&g, type->params, trial, par);
            make_table(&w, &g, trial, K, T);
            if (mk_policy_problem(type, par)) continue;
            struct mk_setup s = {.arms = K, .horizon = T, .par = par, .log = log_table, .log_len = T_MAX + 1};
            s.rng = &policy_rng;
            s.cost = cost;
            s.tournament_from = SIZE_MAX;
            same &= agrees(type, &w, &s, trial);
            problems++;
        }
        CHECK(same && problems > PROBLEMS / 3,
              "%s: stretches and tournaments equal single rounds on %d random problems", type->name, problems);
    }
    return CHECK_EXIT;
}

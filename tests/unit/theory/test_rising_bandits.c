/* What Li et al. 2020 promise of Rising Bandits on rising arms, and its form with costs, including costs recorded per
 * pull. */
#include <gsl/gsl_errno.h>
#include <string.h>

#include "sim/problem/process.h"
#include "sim/run/tape/reward_tape.h"
#include "tests/support/drive_policy.h"
#include "tests/support/processes.h"
#include "tests/support/scratch.h"

/* ---- Rising Bandits ---- */

/* Plays on deterministic curves; returns the largest reward, last[] = the first round of the last
 * stretch on one arm. */
static double play_curves(const struct mk_problem *p, const char *policy, const char *settings, uint64_t T, size_t *arm,
                          uint64_t *since)
{
    struct drive d;
    uint64_t pulls[16] = {0};
    double best = -INFINITY;
    if (drive_open(&d, policy, settings, p->n_arms, T)) return NAN;
    drive_start(&d, 7);
    *arm = p->n_arms;
    for (uint64_t t = 1; t <= T; t++) {
        size_t k = drive_select(&d, t);
        double reward = mk_process_mean(p->process[k], ++pulls[k]);
        d.type->update(d.state, k, reward, t);
        best = fmax(best, reward);
        if (k != *arm) *since = t;
        *arm = k;
    }
    drive_close(&d);
    return best;
}

/* Li et al. 2020 on concave arms: Algorithm 1 ends on one arm, the best one where limits are apart and T is long, and
 * its largest reward is not below that of round robin (Corollary 1), for C = 1 and C = 7. */
static void check_rising_bandit(void)
{
    enum { SETS = 60, ARMS = 5, T = 4000 };
    int wrong_arm = 0, late = 0, worse = 0;
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 8, 8);
    for (int set = 0; set < SETS; set++) {
        char text[1000] = "";
        static const char *const curve[] = {"power", "exponential", "logistic"};
        for (int k = 0; k < ARMS; k++) {
            size_t used = strlen(text), kind = mk_uniform_below(&rng, 3);
            double high = 0.5 + 0.1 * ((k + set) % ARMS), low = 0.5 * mk_uniform(&rng);
            double rate = kind ? 0.01 + 0.1 * mk_uniform(&rng) : 0.7 + mk_uniform(&rng);
            snprintf(text + used, sizeof text - used, "%s{curve: %s, low: %.3f, high: %.3f, rate: %.3f}", k ? ", " : "",
                     curve[kind], low, high, rate);
        }
        struct mk_experiment *e = must(text);
        size_t best = (size_t)((2 * ARMS - 1 - set % ARMS) % ARMS), arm; /* (k + set) % ARMS = ARMS - 1 */
        uint64_t since;
        double uniform = play_curves(e->problem, "uniform", "", T, &arm, &since);
        for (int C = 1; C <= 7; C += 6) {
            char settings[32];
            snprintf(settings, sizeof settings, "C=%d scale=none", C);
            double reached = play_curves(e->problem, "rising_bandit", settings, T, &arm, &since);
            wrong_arm += arm != best;
            late += since > 3 * T / 4;
            worse += reached < uniform;
        }
        mk_experiment_free(e);
    }
    CHECK(!wrong_arm && !late, "on %d sets of concave arms Rising Bandits ends on the best arm alone (%d, %d late)",
          SETS, wrong_arm, late);
    CHECK(!worse, "and reaches no less than round robin (%d)", worse);
}

/* A case that must break the elimination: a switch after the arm is settled (the guarantee needs concavity). */
static void check_broken(void)
{
    struct mk_experiment *e =
        must("{curve: exponential, low: 0.3, high: 0.7, rate: 0.05}, {curve: exponential, low: 0.2, "
             "high: 0.5, rate: 0.5, breaks: [{at: 200, curve: exponential, low: 0.9, high: 0.95, rate: 1}]}");
    size_t arm;
    uint64_t since;
    play_curves(e->problem, "rising_bandit", "C=1 scale=none", 2000, &arm, &since);
    CHECK(arm == 0 && since < 200, "an arm whose concavity is broken late is dropped");
    mk_experiment_free(e);
}

/* ---- recorded costs ---- */

static const char header[] = "instance,arm,repetition,iteration,reward,cost\n";

static struct mk_experiment *read_csv(struct scratch *s, const char *rows, struct mk_error *err)
{
    char text[1000];
    struct mk_experiment *e = NULL;
    snprintf(text, sizeof text, "%s%s", header, rows);
    *err = (struct mk_error){0, ""};
    return mk_experiment_from_csv(&e, scratch_write(s, "c.csv", text, strlen(text)), NULL, 0, err) ? NULL : e;
}

static void check_csv(struct scratch *s)
{
    struct mk_error err;
    struct mk_experiment *e =
        read_csv(s, "x,a,0,0,.1,2\nx,a,0,2,.3,8\nx,a,0,1,.2,4\nx,b,0,0,.1,1\nx,b,0,1,.1,1\nx,b,0,2,.1,1e-3\n", &err);
    CHECK(e != NULL, "a file with costs %s", err.text);
    if (e) {
        const struct mk_series *a = mk_problem_series(e->problem, 0, 0, 0), *b = mk_problem_series(e->problem, 0, 1, 0);
        CHECK(a->cost[0] == 2 && a->cost[1] == 4 && a->cost[2] == 8 && b->cost[2] == 1e-3 && a->reward[2] == 0.3,
              "costs belong to their rows, in any order of these");
        mk_experiment_free(e);
    }
    static const struct {
        const char *row, *line;
    } bad[] = {{"x,a,0,0,.1,0\n", "c.csv:2:12: cost: "},
               {"x,a,0,0,.1,-1\n", "got -1"},
               {"x,a,0,0,.1,nan\n", "got nan"},
               {"x,a,0,0,.1,\n", "got an empty cell"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        e = read_csv(s, bad[i].row, &err);
        CHECK(!e && strstr(err.text, bad[i].line), "refused: %s", err.text);
        mk_experiment_free(e);
    }
    const char *plain = "instance,arm,repetition,iteration,reward\nx,a,0,0,.1\n";
    int code = mk_experiment_from_csv(&e, scratch_write(s, "p.csv", plain, strlen(plain)), NULL, 0, &err);
    CHECK(!code && !mk_problem_series(e->problem, 0, 0, 0)->cost, "a file without costs");
    if (!code) mk_experiment_free(e);
}

enum { COSTS = 3, ROUNDS = 90 };

/* Plays the cost-aware policy on three concave arms with these costs of pulls (NULL: costs per arm). */
static void play_costs(const char *settings, const double *const *pull_cost, const double *cost, size_t *sequence,
                       uint64_t *pulls)
{
    static const double high[COSTS] = {0.6, 0.9, 0.8}, rate[COSTS] = {0.2, 0.05, 0.1};
    struct drive d;
    memset(pulls, 0, COSTS * sizeof *pulls);
    REQUIRE(!drive_open(&d, "rising_bandit_cost", settings, COSTS, ROUNDS), "the policy with %s", settings);
    memcpy(d.cost, cost, COSTS * sizeof *cost);
    d.setup.pull_cost = pull_cost;
    drive_start(&d, 7);
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        size_t k = sequence[t - 1] = drive_select(&d, t);
        d.type->update(d.state, k, high[k] * (1 - exp(-rate[k] * (double)pulls[k]++)), t);
    }
    drive_close(&d);
}

static void check_learnt_costs(void)
{
    static const double known[COSTS] = {1, 3, 2}, unit[COSTS] = {1, 1, 1};
    double table[COSTS][ROUNDS];
    const double *rows[COSTS] = {table[0], table[1], table[2]};
    size_t by_arm[ROUNDS], by_pull[ROUNDS], again[ROUNDS];
    uint64_t pulls[COSTS];
    for (size_t i = 0; i < COSTS * ROUNDS; i++) table[i / ROUNDS][i % ROUNDS] = known[i / ROUNDS];
    static const char *const settings[] = {"C=1 scale=none budget=120", "C=3 scale=none"};
    for (int i = 0; i < 2; i++) {
        play_costs(settings[i], NULL, known, by_arm, pulls);
        play_costs(settings[i], rows, unit, by_pull, pulls);
        CHECK(memcmp(by_arm, by_pull, sizeof by_arm) == 0, "constant costs, learnt or known: the same arms (%s)",
              settings[i]);
    }
    for (size_t i = 0; i < COSTS * ROUNDS; i++) table[i / ROUNDS][i % ROUNDS] = 1 + (double)(i * i % 7);
    play_costs(settings[0], rows, unit, by_pull, pulls);
    for (size_t k = 0; k < COSTS; k++)
        for (uint64_t n = pulls[k]; n < ROUNDS; n++) table[k][n] = NAN;
    play_costs(settings[0], rows, unit, again, pulls);
    CHECK(memcmp(by_pull, again, sizeof again) == 0, "costs of pulls not made are not looked at");
    for (size_t i = 0; i < COSTS * ROUNDS; i++) table[i / ROUNDS][i % ROUNDS] = 40;
    play_costs(settings[0], rows, unit, again, pulls);
    CHECK(memcmp(by_pull, again, sizeof again) != 0, "costs of pulls made do matter");
}

int main(void)
{
    struct scratch s;
    gsl_set_error_handler_off();
    scratch_make(&s);
    check_rising_bandit();
    check_broken();
    check_csv(&s);
    check_learnt_costs();
    scratch_remove(&s);
    return CHECK_EXIT;
}

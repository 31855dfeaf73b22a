/* What is kept of a run that is asked to stop: every block that was complete by then; and what comes after. */
#include <stdlib.h>
#include <string.h>

#include "policies/play/repeat_loop.h"
#include "sim/run/engine/run.h"
#include "tests/support/check.h"

enum { UNITS = 30, BLOCK = 10 };

struct stopping {
    uint64_t at; /* unit after which the run is asked to stop */
    uint64_t kept;
};

static int play(void *with, int thread, struct mk_worker *w, const struct mk_block *b, uint64_t at)
{
    const struct stopping *s = with;
    (void)thread;
    mk_worker_seek(w, 0, b->first_unit + at);
    const struct mk_play_rows rows = {b->pulls + at * 5, 5, b->max_reward + at, 1};
    int code = mk_worker_play(w, 0, 0, 0, &rows, NULL);
    b->weight[at] = 1;
    if (b->first_unit + at == s->at) mk_run_stop();
    return code;
}

static int keep(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct stopping *s = to;
    (void)err;
    for (uint64_t i = 0; i < b->n_units; i++) {
        uint64_t pulls = 0;
        for (size_t k = 0; k < 5; k++) pulls += b->pulls[i * 5 + k];
        s->kept += pulls == 50;
    }
    return MK_OK;
}

/* Units handed over; negative: not stopped as it should be. */
static int kept_of(uint64_t at)
{
    static const char text[] =
        "name: stop\n"
        "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1.01}, "
        "{family: power, a: 5, s: 1.01}, {family: power, a: 5, s: 1.1}, {family: power, a: 4, s: 1}]}\n"
        "policies: [{name: max_ucb}]\nhorizons: [50]\nreplications: 30\n";
    struct stopping s = {at, 0};
    struct mk_error err;
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_run_context c = {0};
    int code = mk_experiment_parse(&e, "stop", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, &err);
    if (!code) code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, 1, &err);
    if (!code) code = mk_run_context_init(&c, e, f, &err);
    if (!code) code = mk_run_choose(&c, MK_ENGINE_PER_PULL, &err);
    const struct mk_run_part part = {.end = UNITS, .block_units = BLOCK, .ranks = 1, .play = play, .with = &s};
    if (!code) code = mk_run_part(&c, &part, 1, keep, &s, NULL, &err);
    const int stopped = code == MK_ESTOPPED, whole = code == MK_OK;
    mk_run_context_clear(&c);
    mk_truth_free(f);
    mk_experiment_free(e);
    return stopped || (whole && at >= UNITS) ? (int)s.kept : -1;
}

static void check(uint64_t at, int want, const char *what)
{
    int kept = kept_of(at);
    CHECK(kept == want && mk_run_stopped() == (at < UNITS), "%s: %d units are kept, wanted %d", what, kept, want);
}

/* ---- within a replication, whatever a round costs ---- */

enum { LONG = 100000, STOP_AT = 1000, WITHIN = 100 };

struct slow {
    uint64_t rounds;
};

static size_t slow_select(void *state, uint64_t t)
{
    struct slow *s = state;
    if (++s->rounds == STOP_AT) mk_run_stop();
    return (size_t)(t % 5);
}

static void slow_update(void *state, size_t arm, double reward, uint64_t t)
{
    (void)state;
    (void)arm;
    (void)reward;
    (void)t;
}

static size_t slow_size(const struct mk_setup *s)
{
    (void)s;
    return sizeof(struct slow);
}

static void slow_init(void *state, const struct mk_setup *s)
{
    (void)s;
    *(struct slow *)state = (struct slow){0};
}

MK_POLICY_PLAY(slow_play, slow_select, slow_update)

static double draw(struct mk_rewards *rewards, size_t arm, uint64_t n)
{
    (void)rewards;
    return (double)(arm + n);
}

/* Rounds that a loop plays, of LONG, when it is asked to stop in round STOP_AT. */
static void check_loop(bool repeats, const char *what)
{
    const struct mk_policy_type type = {.name = "slow",
                                        .state_size = slow_size,
                                        .init = slow_init,
                                        .select = slow_select,
                                        .update = slow_update,
                                        .play = slow_play};
    struct mk_arm_rewards arm[5] = {{0}};
    struct mk_rewards rewards = {.arm = arm, .extend = draw};
    uint64_t pulls[5] = {0}, left[5] = {0};
    struct mk_repeats of = {.left = left};
    struct slow s = {0};
    struct mk_play play = {.rewards = &rewards, .pulls = pulls, .stopped = mk_run_stopped};
    mk_run_stop_reset();
    if (repeats)
        mk_play_repeats(&type, &s, &play, &of, 1, LONG);
    else
        type.play(&s, &play, 1, LONG);
    CHECK(play.cut && s.rounds >= STOP_AT && s.rounds < STOP_AT + WITHIN,
          "%s: stopped after %llu rounds, asked to in round %d", what, (unsigned long long)s.rounds, STOP_AT);
    mk_run_stop_reset();
}

int main(void)
{
    static const struct {
        uint64_t at;
        int want;
        const char *what;
    } cases[] = {{3, 0, "a stop within the first block"},
                 {9, 10, "a stop in the last unit of the first block"},
                 {15, 10, "a stop within the second block"},
                 {19, 20, "a stop in the last unit of the second block"},
                 {29, 30, "a stop in the last unit of all"}};
    check(UNITS, 30, "no stop");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check(cases[i].at, cases[i].want, cases[i].what);
        CHECK(kept_of(0) == 0, "a run that starts after that is stopped at once");
        mk_run_stop_reset();
        check(UNITS, 30, "after mk_run_stop_reset no stop");
    }
    check_loop(false, "a loop of a policy");
    check_loop(true, "a loop with repeated rewards");
    return CHECK_EXIT;
}

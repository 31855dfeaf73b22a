/* Invariants of every registered policy, for every value of its choices: arms in range on awkward rewards and sizes,
 * the same run from the same stream regardless of the previous contents of the memory, and for anytime policies the
 * same run for any horizon. The sanitized build sees every read and write outside the state. */
#include <gsl/gsl_errno.h>
#include <unistd.h>

#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

enum kind { UNIT, TIED, CONSTANT, ZERO, NEGATIVE, HUGE_VALUES, TINY, RISING, FALLING, KINDS };

static const char *const kind_name[] = {"unit", "tied", "constant", "zero",   "negative",
                                        "huge", "tiny", "rising",   "falling"};

static double reward_of(enum kind kind, uint64_t t, struct mk_pcg64 *rng)
{
    double u = mk_uniform(rng);
    switch (kind) {
    case UNIT: return u;
    case TIED: return floor(4 * u) / 4;
    case CONSTANT: return 0.1;
    case ZERO: return 0;
    case NEGATIVE: return -1 / u;
    case HUGE_VALUES: return (u - 0.5) * 1e300;
    case TINY: return u * 1e-300;
    case RISING: return (double)t;
    case FALLING: return 1 / (double)t;
    case KINDS: break;
    }
    return 0;
}

/* Plays `rounds` rounds; sequence[t-1] is the arm of round t.
 * Returns the first round with an arm out of range, or 0. */
static uint64_t play(struct drive *d, enum kind kind, uint64_t seed, uint64_t rounds, uint32_t *sequence)
{
    struct mk_pcg64 rewards;
    mk_pcg64_seed(&rewards, 9, (mk_u128)kind);
    drive_start(d, seed);
    for (uint64_t t = 1; t <= rounds; t++) {
        size_t arm = drive_select(d, t);
        if (arm >= d->setup.arms) return t;
        sequence[t - 1] = (uint32_t)arm;
        d->type->update(d->state, arm, reward_of(kind, t, &rewards), t);
    }
    return 0;
}

/* One setting of one policy at one size, on rewards of one kind. Returns NULL or what is wrong. */
static const char *run(const char *policy, const char *settings, size_t arms, uint64_t horizon, enum kind kind)
{
    struct drive d, longer;
    const char *wrong = NULL;
    uint32_t *first = malloc(2 * horizon * sizeof *first), *second = first ? first + horizon : NULL;
    if (!first || drive_open(&d, policy, settings, arms, horizon)) {
        free(first);
        return "does not open";
    }
    if (play(&d, kind, 11, horizon, first)) {
        wrong = "arm out of range";
    } else {
        memset(d.state, 0x5a, d.type->state_size(&d.setup));
        if (play(&d, kind, 11, horizon, second) || memcmp(first, second, horizon * sizeof *first) != 0)
            wrong = "a second replication from the same stream differs";
    }
    if (!wrong && !mk_policy_needs_horizon(d.type, d.par)) {
        if (drive_open(&longer, policy, settings, arms, 3 * horizon + 5)) {
            wrong = "does not open with a larger horizon";
        } else {
            if (play(&longer, kind, 11, horizon, second) || memcmp(first, second, horizon * sizeof *first) != 0)
                wrong = "anytime, but the first rounds depend on the horizon";
            drive_close(&longer);
        }
    }
    drive_close(&d);
    free(first);
    return wrong;
}

static const struct {
    size_t arms;
    uint64_t horizon;
} sizes[] = {{1, 1}, {1, 40}, {2, 1}, {2, 90}, {5, 3}, {5, 260}, {33, 70}};

enum { SIZES = sizeof sizes / sizeof *sizes };

static void test_setting(const char *policy, const char *settings)
{
    int bad = 0, runs = 0;
    for (size_t i = 0; i < SIZES; i++) {
        for (enum kind kind = 0; kind < KINDS; kind++) {
            const char *wrong = run(policy, settings, sizes[i].arms, sizes[i].horizon, kind);
            runs++;
            bad += wrong != NULL;
            if (wrong)
                printf("# %s {%s}, %zu arms, T = %d, %s rewards: %s\n", policy, settings, sizes[i].arms,
                       (int)sizes[i].horizon, kind_name[kind], wrong);
        }
    }
    CHECK(bad == 0, "%s {%s}: arms in range, replications repeat (%d of %d runs)", policy, settings, runs - bad, runs);
}

/* Whether two replications on the same rewards, with tied ones among them, differ when only the
 * policy's stream does. */
static int stream_matters(const char *policy, const char *settings)
{
    enum { ARMS = 5, ROUNDS = 4000 };
    struct drive d;
    uint32_t first[ROUNDS], second[ROUNDS];
    if (drive_open(&d, policy, settings, ARMS, ROUNDS)) return -1;
    int differ = 0;
    for (enum kind kind = UNIT; kind <= CONSTANT && !differ; kind++) {
        int bad = play(&d, kind, 11, ROUNDS, first) || play(&d, kind, 14, ROUNDS, second);
        differ = bad ? -1 : memcmp(first, second, sizeof first) != 0;
    }
    drive_close(&d);
    return differ;
}

static void test_randomness(const struct mk_policy_type *type)
{
    int expect = (type->flags & MK_POLICY_RANDOMISED) != 0, ties = (type->flags & MK_POLICY_RANDOM_TIES) != 0;
    int good = stream_matters(type->name, "") == expect;
    if (ties) good &= !expect && stream_matters(type->name, "ties=random") == 1;
    CHECK(good, "%s: listed as %s, and is", type->name,
          expect ? "randomised"
          : ties ? "randomised by ties only"
                 : "deterministic");
}

/* Required parameters get the smallest allowed value that is at least 1. */
static void required(const struct mk_policy_type *type, char *text, size_t room)
{
    *text = 0;
    for (const struct mk_param *p = type->params; p && p->name; p++) {
        size_t used = strlen(text);
        if (p->flags & MK_REQUIRED) snprintf(text + used, room - used, "%s=%.17g ", p->name, fmax(1, p->lo));
    }
}

static void test_policy(const struct mk_policy_type *type)
{
    char settings[400], all[256], word[64];
    required(type, all, sizeof all);
    test_setting(type->name, all);
    for (const struct mk_param *p = type->params; p && p->name; p++) {
        if (p->kind != MK_CHOICE) continue;
        for (int i = 0; mk_choice_find(p->choices, mk_choice_word(p->choices, i, word, sizeof word)) == i; i++) {
            if (i == (int)p->def) continue;
            snprintf(settings, sizeof settings, "%s%s=%s", all, p->name, word);
            test_setting(type->name, settings);
        }
    }
    const char *wrong = run(type->name, all, 1000, 1500, UNIT);
    if (!wrong) wrong = run(type->name, all, 1000, 1300, TIED);
    if (!wrong) wrong = run(type->name, all, 1000, 30, UNIT);
    CHECK(wrong == NULL, "%s: 1000 arms%s%s", type->name, wrong ? ": " : "", wrong ? wrong : "");
}

/* Ends of parameter ranges and branches that the defaults do not reach at these sizes. */
static const struct {
    const char *policy, *settings;
} further[] = {
    {"max_ucb_burn_in", "burn_in=0"},
    {"max_ucb", "power=1.5"},
    {"max_ucb", "power=3 alpha=0.1 scale=minmax ties=random"},
    {"max_ucb", "power=10 alpha=0.001"},
    {"max_ucb_burn_in", "power=1.5 round=restart"},
    {"max_ucb_remaining", "power=1.5"},
    {"qomax_etc", "batches=1 batch_size=1 q=1"},
    {"qomax_etc", "batches=40 batch_size=1 q=0"},
    {"qomax_sda", "gamma=10 q=0"},
    {"qomax_sda", "gamma=0.01 q=1"},
    {"qomax_sda", "gamma=1.5 f_floor=3 window=stored_key qomax=queried order=shuffled"},
    {"max_median", "epsilon=0"},
    {"max_median", "epsilon=1e9 round_offset=-1"},
    {"threshold_ascent", "s=1 delta=1"},
    {"threshold_ascent", "s=1e12 refresh=moved"},
    {"threshold_ascent", "s=30 delta=1e-300 refresh=moved ties=random"},
    {"max_search_gaussian", "c=0"},
    {"max_search_gaussian", "c=3 round_offset=-1 nan=maximum numerics=rescan scale=minmax"},
    {"max_search_subgaussian", "c=0"},
    {"max_search_subgaussian", "c=100 nan=maximum numerics=rescan scale=minmax"},
    {"quantile_ucb", "tau=0 numerics=rescan"},
    {"er_ucb_s", "gamma=0 numerics=rescan scale=minmax"},
    {"ucb", "alpha=0 numerics=rescan ties=random"},
    {"ucb", "numerics=rescan scale=minmax"},
    {"successive_halving", "variant=published eta=3"},
    {"dacopt", "compare=friedman n0=2"},
    {"dacopt", "compare=rank eta=1.2 digits=0"},
    {"dacopt", "compare=median n0=1000000"},
    {"dacopt", "compare=mean share=remaining"},
    {"extreme_hunter", "b=1000"},
    {"extreme_hunter", "b=1000 steps=7 D=0 E=0 delta=1 ties=random"},
    {"extreme_hunter", "b=1000 D=10 E=10"},
    {"extreme_etc", "b=1000"},
};

/* Just past the ends of ranges that no formula gives. */
static void test_limits(void)
{
    static const char *const outside[][2] = {{"qomax_sda", "gamma=10.000001"},
                                             {"qomax_sda", "gamma=0"},
                                             {"qomax_etc", "q=1.000001"},
                                             {"max_ucb", "alpha=-1"}};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        struct drive d;
        const bool opened = drive_open(&d, outside[i][0], outside[i][1], 3, 100) == 0;
        CHECK(!opened, "%s: no %s", outside[i][0], outside[i][1]);
        if (opened) drive_close(&d);
    }
}

/* Every flag is a bit of its own. */
static void test_flags(void)
{
    static const unsigned flag[] = {MK_POLICY_NEEDS_HORIZON, MK_POLICY_RANDOMISED,  MK_POLICY_ORACLE,
                                    MK_POLICY_RANDOM_TIES,   MK_POLICY_THEOREM_4_2, MK_POLICY_BURN_IN,
                                    MK_POLICY_BASELINE,      MK_POLICY_RECORDED,    MK_POLICY_RISING_BONUS,
                                    MK_POLICY_FALLING_BONUS, MK_POLICY_COMBINED};
    unsigned all = 0;
    bool apart = true;
    for (size_t i = 0; i < sizeof flag / sizeof *flag; i++) {
        apart &= flag[i] && !(flag[i] & (flag[i] - 1)) && !(all & flag[i]);
        all |= flag[i];
    }
    CHECK(apart, "flags of policies are bits of their own");
}

/* false: what is missing, the other tests would call. */
static bool test_registry_entry(size_t i)
{
    const struct mk_policy_type *type = mk_policy_type_at(i);
    char file[128];
    double defaults[MK_MAX_PARAMS];
    const struct {
        const char *field;
        bool there;
    } needed[] = {{".summary", type->summary && *type->summary},
                  {".formula", type->formula && *type->formula},
                  {".reference", type->reference && *type->reference},
                  {".departures", type->departures},
                  {".cost", type->cost && *type->cost},
                  {".state_size", type->state_size},
                  {".init", type->init},
                  {".select", type->select},
                  {".update", type->update},
                  {".play (MK_POLICY_PLAY in policies/policy.h)", type->play}};
    bool complete = true;
    for (size_t f = 0; f < sizeof needed / sizeof *needed; f++) {
        CHECK(needed[f].there, "%s: %s is there", type->name, needed[f].field);
        complete &= needed[f].there;
    }
    int good = mk_policy_type_find(type->name) == type;
    good &= type->name[strspn(type->name, "abcdefghijklmnopqrstuvwxyz0123456789_")] == 0;
    good &= mk_param_count(type->params) <= MK_MAX_PARAMS;
    mk_param_defaults(type->params, defaults);
    for (size_t p = 0; p < mk_param_count(type->params); p++) {
        const struct mk_param *param = &type->params[p];
        good &= *param->help && mk_param_find(type->params, param->name) == (int)p;
        if (param->flags & (MK_REQUIRED | MK_OPTIONAL)) continue;
        char word[64];
        if (param->kind == MK_CHOICE)
            good &= mk_choice_find(param->choices, mk_choice_word(param->choices, (int)param->def, word, 64)) >= 0;
        else
            good &= mk_param_allows(param, defaults[p]);
    }
    CHECK(good, "%s: found by its name, defaults allowed", type->name);
    snprintf(file, sizeof file, "policies/%s.c", type->name);
    CHECK(access(file, R_OK) == 0, "%s is there", file);
    return complete;
}

int main(void)
{
    gsl_set_error_handler_off(); /* as the program does */
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        if (!test_registry_entry(i)) continue;
        test_randomness(mk_policy_type_at(i));
        test_policy(mk_policy_type_at(i));
    }
    for (size_t i = 0; i < sizeof further / sizeof *further; i++) test_setting(further[i].policy, further[i].settings);
    test_limits();
    test_flags();
    CHECK(mk_policy_type_at(mk_policy_type_count()) == NULL && mk_policy_type_find("no_such_policy") == NULL,
          "the registry ends");
    return CHECK_EXIT;
}

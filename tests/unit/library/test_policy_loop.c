/* Policies driven by a loop of the caller's: every policy of the registry against the same policy with the whole
 * horizon known, copies, saved texts, wrong use. */
#include <inttypes.h>
#include <string.h>

#include "sim/api/maxk/maxk.h"
#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

enum { ARMS = 3, ROUNDS = 1500, TEXT = 160 }; /* more than a state is first made for */

/* Rewards in [0, 1) that differ between arms and rise slowly; arm 2 has the largest ones. */
static double reward_of(size_t arm, uint64_t t)
{
    const double x = fmod(0.754877666 * (double)t + 0.3 * (double)arm, 1);
    return (0.7 + 0.1 * (double)arm) * pow(x, 1 + (double)arm);
}

static int step(struct mk_policy *p, size_t *arm, struct mk_error *err)
{
    int code = mk_policy_select(p, arm, err);
    return code ? code : mk_policy_update(p, *arm, reward_of(*arm, mk_policy_rounds(p)), err);
}

/* Both continue alike for n rounds. */
static int alike(struct mk_policy *a, struct mk_policy *b, int n)
{
    for (int i = 0; i < n; i++) {
        size_t x = 0, y = 1;
        if (step(a, &x, NULL) || step(b, &y, NULL) || x != y) return 0;
    }
    return 1;
}

/* "" when the loop of the library chooses what the policy chooses whose state has room for all rounds at once. */
static const char *compare(struct mk_policy *p, const struct drive *whole)
{
    for (uint64_t t = 1; t <= ROUNDS; t++) {
        size_t arm = 0, again = 1, wanted = whole->type->select(whole->state, t);
        if (mk_policy_select(p, &arm, NULL) || mk_policy_select(p, &again, NULL) || arm != again)
            return "selects twice";
        if (arm != wanted) return "selects another arm";
        whole->type->update(whole->state, arm, reward_of(arm, t - 1), t);
        if (mk_policy_update(p, arm, reward_of(arm, t - 1), NULL)) return "does not take a reward";
    }
    return "";
}

static int is_random(const struct mk_policy_type *type)
{
    return (type->flags & MK_POLICY_RANDOMISED) != 0;
}

/* A copy and a saved policy continue as the original, whether or not an arm has been selected. */
static void check_copies(const char *name, struct mk_policy *p)
{
    struct mk_policy *copy = NULL, *selected = NULL, *loaded = NULL;
    struct mk_error err = {0, ""};
    char *text = NULL;
    size_t arm = 0, same = 1;
    int good = mk_policy_copy(&copy, p, &err) == MK_OK && mk_policy_select(p, &arm, &err) == MK_OK &&
               mk_policy_copy(&selected, p, &err) == MK_OK && mk_policy_update(selected, arm, 0.5, &err) == MK_OK &&
               mk_policy_save(p, &text, &err) == MK_OK && mk_policy_load(&loaded, text, &err) == MK_OK &&
               mk_policy_select(loaded, &same, &err) == MK_OK && same == arm;
    CHECK(good && mk_policy_rounds(selected) == mk_policy_rounds(p) + 1, "%s is copied, saved and loaded %s", name,
          err.text);
    CHECK(good && alike(copy, loaded, 100) && mk_policy_rounds(p) + 100 == mk_policy_rounds(copy),
          "%s: copy and saved policy continue alike", name);
    mk_policy_free(copy);
    copy = NULL;
    CHECK(good && mk_policy_copy(&copy, loaded, &err) == MK_OK &&
              mk_policy_round_arm(copy, 0) == mk_policy_round_arm(p, 0) &&
              mk_policy_round_reward(copy, 1) == mk_policy_round_reward(p, 1),
          "%s: with the same rounds", name);
    mk_policy_free_text(text);
    mk_policy_free(copy);
    mk_policy_free(selected);
    mk_policy_free(loaded);
}

/* A bounded policy chooses what one does that keeps its rounds, and so do its copy and what was saved and loaded, in
 * the middle of a round too; all of them are at addresses of their own. */
static void check_bounded(const struct mk_policy_type *type)
{
    struct mk_policy_options o = {.horizon = 2 * ROUNDS + 600, .seed = 5, .bounded = 1};
    struct mk_policy *plain = NULL, *p = NULL, *copy = NULL, *loaded = NULL, *later = NULL;
    struct mk_error err = {0, ""};
    char *text = NULL, *more = NULL;
    size_t arm = 0, same = 1;
    char own[TEXT];
    drive_text(type, own, sizeof own);
    o.horizon = mk_policy_new(&p, own, ARMS, &(struct mk_policy_options){.bounded = 1}, &err) ? o.horizon : 0;
    CHECK(!o.horizon || strstr(err.text, "policy: horizon: missing; "), "%s, bounded: %s", type->name,
          o.horizon ? err.text : "for any number of rounds");
    mk_policy_free(p);
    p = NULL;
    int code = mk_policy_new(&p, own, ARMS, &o, &err);
    o.bounded = 0;
    if (!code) code = mk_policy_new(&plain, own, ARMS, &o, &err);
    REQUIRE(!code, "%s %s", type->name, err.text);
    CHECK(mk_policy_best(p) == -INFINITY && alike(p, plain, ROUNDS), "%s: bounded chooses alike", type->name);
    int good = mk_policy_select(p, &arm, &err) == MK_OK && mk_policy_copy(&copy, p, &err) == MK_OK &&
               mk_policy_save(p, &text, &err) == MK_OK && mk_policy_load(&loaded, text, &err) == MK_OK &&
               mk_policy_select(loaded, &same, &err) == MK_OK && same == arm;
    CHECK(good && mk_policy_rounds(loaded) == ROUNDS && mk_policy_best(loaded) == mk_policy_best(plain) &&
              mk_policy_best(copy) == mk_policy_best(plain) && mk_policy_best(plain) > 0.5,
          "%s: bounded, it is copied, saved and loaded %s", type->name, err.text);
    CHECK(good && mk_policy_round_arm(p, 0) == SIZE_MAX && isnan(mk_policy_round_reward(p, 0)),
          "%s: it keeps no rounds", type->name);
    CHECK(good && alike(p, plain, 300) && mk_policy_copy(&later, plain, &err) == MK_OK, "%s: it goes on", type->name);
    mk_policy_free(plain); /* the others do without */
    mk_policy_free(p);
    good = good && mk_policy_copy(&p, loaded, &err) == MK_OK && alike(copy, loaded, 300);
    for (int i = 0; i < 300; i++) good = good && step(p, &arm, &err) == MK_OK;
    good = good && alike(p, later, 500) && mk_policy_save(loaded, &more, &err) == MK_OK;
    CHECK(good && strlen(more) < 2 * strlen(text) + 200, "%s: so do copies, and their texts stay short %s", type->name,
          err.text);
    mk_policy_free_text(text);
    mk_policy_free_text(more);
    mk_policy_free(p);
    mk_policy_free(copy);
    mk_policy_free(loaded);
    mk_policy_free(later);
}

static void check_every_policy(void)
{
    for (size_t i = 0; i < mk_policy_type_count(); i++) {
        const struct mk_policy_type *type = mk_policy_type_at(i);
        const int ends = (type->flags & MK_POLICY_NEEDS_HORIZON) != 0;
        const struct mk_policy_options o = {.horizon = ends ? ROUNDS + 200 : 0, .seed = 5};
        struct mk_policy *p = NULL;
        struct mk_error err = {0, ""};
        struct drive whole;
        char own[TEXT];
        const bool plain = strchr(drive_text(type, own, sizeof own), ',') == NULL;
        int code = mk_policy_new(&p, own, ARMS, &o, &err);
        if (type->flags & MK_POLICY_ORACLE) {
            CHECK(code == MK_EINPUT && strstr(err.text, "best arm"), "%s is refused: %s", type->name, err.text);
            continue;
        }
        CHECK(code == MK_OK, "%s %s", type->name, err.text);
        if (code || drive_open(&whole, type->name, "", ARMS, ROUNDS + 200)) continue;
        drive_start(&whole, 11);
        if (is_random(type) || !plain) { /* another stream, no candidates: only the own replay can be compared */
            size_t arm;
            for (int t = 0; t < ROUNDS; t++) code |= step(p, &arm, &err);
            CHECK(code == MK_OK, "%s plays %d rounds %s", type->name, ROUNDS, err.text);
        } else {
            const char *wrong = compare(p, &whole);
            CHECK(!*wrong, "%s, %d rounds: %s", type->name, ROUNDS, *wrong ? wrong : "the arms of a whole horizon");
        }
        drive_close(&whole);
        check_copies(type->name, p);
        check_bounded(type);
        mk_policy_free(p);
    }
}

/* Parameters of the text arrive: the bonus to a power, in all three policies that have one. */
static void check_power(void)
{
    static const char *const name[] = {"max_ucb", "max_ucb_burn_in", "max_ucb_remaining"};
    for (size_t i = 0; i < 3; i++) {
        const struct mk_policy_options o = {.horizon = ROUNDS + 200, .seed = 5};
        struct mk_policy *p = NULL, *plain = NULL;
        struct mk_error err = {0, ""};
        struct drive whole;
        char text[80];
        snprintf(text, sizeof text, "{name: %s, alpha: 0.05, power: 2}", name[i]);
        int code = mk_policy_new(&p, text, ARMS, &o, &err);
        snprintf(text, sizeof text, "{name: %s, alpha: 0.05}", name[i]);
        if (!code) code = mk_policy_new(&plain, text, ARMS, &o, &err);
        REQUIRE(!code && !drive_open(&whole, name[i], "alpha=0.05 power=2", ARMS, ROUNDS + 200), "%s %s", text,
                err.text);
        drive_start(&whole, 11);
        const char *wrong = compare(p, &whole);
        CHECK(!*wrong, "%s, power 2: %s", name[i], *wrong ? wrong : "the arms of a whole horizon");
        mk_policy_free(p);
        REQUIRE(mk_policy_new(&p, mk_policy_text(plain), ARMS, &o, &err) == MK_OK, "%s", err.text);
        drive_start(&whole, 11);
        CHECK(*compare(p, &whole), "%s: power 1 chooses other arms", name[i]);
        drive_close(&whole);
        mk_policy_free(p);
        mk_policy_free(plain);
    }
}

/* Seeds: equal ones give equal random numbers, others do not. */
static void check_seeds(void)
{
    struct mk_policy *p[3] = {NULL, NULL, NULL};
    const uint64_t seed[3] = {1, 1, 2};
    for (int i = 0; i < 3; i++) {
        const struct mk_policy_options o = {.seed = seed[i]};
        REQUIRE(mk_policy_new(&p[i], "random", 10, &o, NULL) == MK_OK, "the policy `random`");
    }
    CHECK(alike(p[0], p[1], 50), "equal seeds choose equally");
    CHECK(!alike(p[0], p[2], 50), "different seeds do not (of 10 arms, 50 times: 10^-50)");
    for (int i = 0; i < 3; i++) mk_policy_free(p[i]);
}

static void refused(const char *text, size_t arms, const struct mk_policy_options *o, const char *part)
{
    struct mk_policy *p = NULL;
    struct mk_error err = {0, ""};
    CHECK(mk_policy_new(&p, text, arms, o, &err) == MK_EINPUT && !p && strstr(err.text, part), "%s, %zu arms: %s", text,
          arms, err.text);
}

static void check_wrong_use(void)
{
    const double costs[] = {1, 0};
    refused("max_ubc", 3, NULL, "max_ucb");
    refused("{name: max_ucb, alhpa: 1}", 3, NULL, "alpha");
    refused("{name: max_ucb, alpha: -1}", 3, NULL, "alpha");
    refused("{name: max_ucb, alpha: [1, 2]}", 3, NULL, "sweep");
    refused("max_ucb", 0, NULL, "arms: ");
    refused("", 3, NULL, "policy:1:1: name: expected a name, got nothing");
    refused("max_ucb, ucb", 3, NULL, "unknown policy 'max_ucb, ucb'");
    refused("{alpha: 1}", 3, NULL, "policy:1:1: name: missing; allowed: max_ucb");
    refused("{name: max_ucb, alpha: 1", 3, NULL, "policy:1:25: expected a comma or a closing brace, got the end");
    refused("{name: max_ucb alpha: 1}", 3, NULL, "policy:1:8: name: unknown policy 'max_ucb alpha: 1'");
    refused("{name: max_ucb,\n alpha}", 3, NULL, "policy:2:7: expected a colon after the name of a parameter");
    refused("{name: max_ucb, alpha: '1'}", 3, NULL, "policy:1:24: alpha: expected a number");
    refused("{name: max_ucb, alpha: \"1}", 3, NULL, "alpha: expected a closing quote, got '1}'");
    refused("{name: max_ucb, alpha: 1, alpha: 2}", 3, NULL, "policy:1:27: alpha: given twice");
    refused("{name: max_ucb} {name: ucb}", 3, NULL, "policy:1:17: expected one policy and the end");
    refused("{name: max_ucb, alpha: {from: 1, to: 2, step: 1}}", 3, NULL, "a list of values is a sweep");
    refused("{name: quantile_ucb, tau: 2}", 3, NULL, "tau: ");
    refused("successive_halving", 3, NULL, "horizon: missing");
    refused("max_ucb", 3, &(struct mk_policy_options){.horizon = 2}, "horizon: ");
    refused("max_ucb", 2, &(struct mk_policy_options){.cost = costs}, "cost: ");
    struct mk_policy *p = NULL;
    struct mk_error err = {0, ""};
    size_t arm = 0;
    REQUIRE(mk_policy_new(&p, "{name: max_ucb, alpha: 0.1}", 2, &(struct mk_policy_options){.horizon = 2}, &err) ==
                MK_OK,
            "a policy");
    CHECK(strstr(mk_policy_text(p), "{name: max_ucb, alpha: 0.1, scale: none") == mk_policy_text(p), "its text: %s",
          mk_policy_text(p));
    CHECK(mk_policy_update(p, 0, 1, &err) == MK_EINPUT && strstr(err.text, "select"), "no arm selected: %s", err.text);
    CHECK(mk_policy_select(p, &arm, &err) == MK_OK && mk_policy_update(p, 1 - arm, 1, &err) == MK_EINPUT,
          "another arm: %s", err.text);
    CHECK(mk_policy_update(p, arm, NAN, &err) == MK_EINPUT && mk_policy_update(p, arm, 1e101, &err) == MK_EINPUT &&
              mk_policy_rounds(p) == 0,
          "not a reward: %s", err.text);
    CHECK(mk_policy_update(p, arm, 1, &err) == MK_OK && step(p, &arm, &err) == MK_OK && mk_policy_arms(p) == 2,
          "two rounds");
    CHECK(mk_policy_select(p, &arm, &err) == MK_EINPUT && strstr(err.text, "over"), "a third: %s", err.text);
    mk_policy_free(p);
    mk_policy_free(NULL);
}

/* Other ways to write the same. */
static void check_forms(void)
{
    static const char *const form[] = {"{name: max_ucb, alpha: 0.25}", " { name : max_ucb,\n\talpha: 0.25 , }\n",
                                       "{\"name\": \"max_ucb\", 'alpha': 0.25, label: mine}"};
    for (size_t i = 0; i < 3; i++) {
        struct mk_policy *p = NULL;
        struct mk_error err = {0, ""};
        CHECK(mk_policy_new(&p, form[i], 2, NULL, &err) == MK_OK && strstr(mk_policy_text(p), "alpha: 0.25,"), "%s %s",
              form[i], err.text);
        mk_policy_free(p);
    }
}

static void damaged(const char *text, const char *part)
{
    struct mk_policy *p = NULL;
    struct mk_error err = {0, ""};
    CHECK(mk_policy_load(&p, text, &err) == MK_EINPUT && !p && strstr(err.text, part), "damaged: %s", err.text);
}

/* A bounded policy is refused wherever its text is cut, and when a character of its state is another one. */
static void check_damaged_state(void)
{
    struct mk_policy *p = NULL;
    char *text = NULL;
    size_t arm;
    int good = mk_policy_new(&p, "max_ucb", 2, &(struct mk_policy_options){.bounded = 1}, NULL) == MK_OK;
    for (int i = 0; i < 20; i++) good = good && step(p, &arm, NULL) == MK_OK;
    REQUIRE(good && mk_policy_save(p, &text, NULL) == MK_OK, "a bounded policy is saved");
    mk_policy_free(p);
    const size_t length = strlen(text), from = (size_t)(strstr(text, "best ") - text);
    for (size_t n = 0; n < length; n++) {
        const char was = text[n];
        p = NULL;
        text[n] = 0;
        good = good && mk_policy_load(&p, text, NULL) == MK_EINPUT && !p;
        text[n] = was == '1' ? '2' : '1';
        if (n >= from) good = good && mk_policy_load(&p, text, NULL) == MK_EINPUT && !p;
        text[n] = was;
        if (!good) printf("# at %zu of %zu: %.40s\n", n, length, text + n);
        if (!good) break;
    }
    CHECK(good, "a bounded policy is refused wherever its text is cut or changed");
    mk_policy_free_text(text);
}

static void check_damage(void)
{
#define HEAD "maxk policy 1\n{name: max_ucb, alpha: 0.5}\n"
    struct mk_policy *p = NULL;
    char *text = NULL;
    const char *whole = HEAD "arms 2\nhorizon 0\nseed 3\ncost 1 2.5\nrounds 2\n0 -1.25\n1 0.5\n";
    CHECK(mk_policy_load(&p, whole, NULL) == MK_OK && mk_policy_rounds(p) == 2 && mk_policy_round_reward(p, 0) == -1.25,
          "a policy from a text");
    CHECK(p && mk_policy_save(p, &text, NULL) == MK_OK &&
              strstr(text, "arms 2\nhorizon 0\nseed 3\ncost 1 2.5\nrounds 2\n0 "
                           "-1.25\n1 0.5\n"),
          "and back");
    mk_policy_free(p);
    mk_policy_free_text(text);
    char *cut = strdup(whole);
    int good = cut != NULL;
    for (size_t n = strlen(whole); good && n-- > 0;) {
        p = NULL;
        cut[n] = 0;
        good = mk_policy_load(&p, cut, NULL) == MK_EINPUT && !p;
    }
    CHECK(good, "it is refused wherever it is cut");
    free(cut);
    check_damaged_state();
    damaged("maxk policy 2\n", "policy:1: ");
    damaged("maxk policy 1\nnothing\narms 2\nhorizon 0\nseed 3\nrounds 0\n", "nothing");
    damaged(HEAD "arms 0\nhorizon 0\nseed 3\nrounds 0\n", "policy:3: arms: ");
    damaged(HEAD "arms 2\nhorizon 0\nseed 99999999999999999999\nrounds 0\n", "policy:5: seed: ");
    damaged(HEAD "arms 2\nhorizon 0\nseed 3\nrounds 18446744073709551615\n0 1\n", "policy:6: rounds: ");
    damaged(HEAD "arms 2\nhorizon 0\nseed 3\nrounds 1\n2 1\n", "policy:7: arm: ");
    damaged(HEAD "arms 2\nhorizon 0\nseed 3\nrounds 1\n0 nan\n", "policy:7: reward: ");
    damaged(HEAD "arms 2\nhorizon 0\nseed 3\nrounds 1\n0 1\n1 1\n", "policy:8: rounds: ");
    damaged(HEAD "arms 2\nhorizon 0\nseed 3\nrounds 1\n1 1\n", "selects arm 0");
    damaged(HEAD "arms 2\nhorizon 0\nseed 3\nrounds 1\nbest 1\nrewards 0 1 - -\nselected 3\n", "policy:9: selected: ");
    damaged(HEAD "arms 2\nhorizon 0\nseed 3\nrounds 1\nbest 1\nrewards 0 1 - -\nselected 2\nstate 0.9.0-64-little 1\n",
            "policy:10: state: expected ");
}

int main(void)
{
    check_every_policy();
    check_power();
    check_seeds();
    check_wrong_use();
    check_forms();
    check_damage();
    return CHECK_EXIT;
}

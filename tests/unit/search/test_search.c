/* Searches at work: an arm's rewards depend on its own search alone, streams on what they belong to; combined searches
 * meet the noise of the arm that they evaluate; searches that were not asked for cost nothing. */
#include <string.h>

#include "sim/search/search.h"
#include "tests/support/check.h"

enum { ARMS = 3, INSTANCES = 2, BUDGET = 40 };

static int add_arm(struct mk_searches *s, size_t instance, size_t arm, const char *optimizer, struct mk_error *err)
{
    struct mk_objective_spec spec = {.type = mk_objective_type_find("cash"), .noise = 0.1};
    struct mk_objective_files files = {0};
    int param;
    mk_param_defaults(spec.type->params, spec.par);
    spec.par[mk_param_find(spec.type->params, "seed")] = (double)instance;
    spec.par[mk_param_find(spec.type->params, "arm")] = (double)arm;
    s->optimizer[arm].type = mk_optimizer_type_find(optimizer);
    mk_param_defaults(s->optimizer[arm].type->params, s->optimizer[arm].par);
    return mk_objective_new(mk_searches_objective(s, instance, arm), &spec, &files, &param, err);
}

static struct mk_searches *make(const char *optimizer, const char *const *combined, size_t n_combined)
{
    static const char *const label[ARMS] = {"a", "b", "c"};
    struct mk_error err = {0, ""};
    struct mk_searches *s = NULL;
    size_t blame;
    int code = mk_searches_new(&s, INSTANCES, ARMS, &err);
    for (size_t i = 0; i < INSTANCES && !code; i++)
        for (size_t k = 0; k < ARMS && !code; k++) code = add_arm(s, i, k, optimizer, &err);
    s->combined = calloc(n_combined + 1, sizeof *s->combined);
    s->n_combined = n_combined;
    for (size_t c = 0; c < n_combined; c++) {
        s->combined[c].type = mk_optimizer_type_find(combined[c]);
        mk_param_defaults(s->combined[c].type->params, s->combined[c].par);
    }
    if (!code) code = mk_searches_join(s, label, &err);
    if (!code) code = mk_searches_set_budget(s, BUDGET, &blame, &err);
    CHECK(!code, "searches: %s", err.text);
    return s;
}

static struct mk_key key_of(uint64_t replication)
{
    return mk_key_word(mk_key_text(mk_key_start(), "test"), replication);
}

/* The first n rewards of an arm after it was sought; the other arms are pulled before, `others` times each. */
static void rewards(struct mk_search_bench *b, size_t instance, uint64_t replication, size_t arm, int others,
                    double *out)
{
    struct mk_error err = {0, ""};
    struct mk_pull pull;
    mk_search_bench_seek(b, instance, key_of(replication));
    for (int i = 0; i < others; i++)
        for (size_t k = 0; k < ARMS; k++)
            if (k != arm) mk_search_pull(b, k, &pull, &err);
    for (int n = 0; n < BUDGET; n++) {
        const int code = mk_search_pull(b, arm, &pull, &err);
        out[n] = code ? NAN : pull.reward;
        if (code || pull.arm != arm) out[n] = NAN;
    }
}

static void test_arms(const char *optimizer)
{
    struct mk_error err = {0, ""};
    struct mk_searches *s = make(optimizer, NULL, 0);
    struct mk_search_bench *b = NULL;
    double alone[BUDGET], among[BUDGET], again[BUDGET], other[BUDGET];
    CHECK(!mk_search_bench_new(&b, s, &err), "a bench");
    rewards(b, 0, 1, 2, 0, alone);
    rewards(b, 0, 1, 2, 7, among);
    rewards(b, 1, 1, 2, 0, other);
    rewards(b, 0, 1, 2, 0, again);
    CHECK(memcmp(alone, among, sizeof alone) == 0, "%s: an arm's rewards do not depend on the other arms", optimizer);
    CHECK(memcmp(alone, again, sizeof alone) == 0, "%s: nor on what was there before", optimizer);
    CHECK(memcmp(alone, other, sizeof alone) != 0, "%s: instances differ", optimizer);
    rewards(b, 0, 2, 2, 0, other);
    CHECK(memcmp(alone, other, sizeof alone) != 0, "%s: replications differ", optimizer);
    struct mk_pull pull;
    CHECK(mk_search_pull(b, 2, &pull, &err) == MK_EFAIL, "%s: no more than the budget", optimizer);
    mk_search_bench_free(b);
    mk_searches_free(s);
}

/* One arm: its search and the combined one have the same space but for the choice of the arm. Both meet the same noise,
 * the n-th of the arm. */
static void test_noise(void)
{
    static const char *const combined[] = {"random"};
    struct mk_error err = {0, ""};
    struct mk_searches *s = make("random", combined, 1);
    struct mk_search_bench *b = NULL;
    struct mk_pull arm, joint;
    size_t seen[ARMS] = {0}, wrong = 0, pulls = 0;
    double noise[ARMS][BUDGET];
    CHECK(!mk_search_bench_new(&b, s, &err), "a bench");
    mk_search_bench_seek(b, 0, key_of(0));
    for (size_t k = 0; k < ARMS; k++)
        for (int n = 0; n < BUDGET; n++) {
            struct mk_evaluation e;
            struct mk_objective plain = **mk_searches_objective(s, 0, k);
            plain.noise = 0;
            struct mk_pcg64 unused = {0};
            mk_search_pull(b, k, &arm, &err);
            mk_objective_evaluate(&plain, arm.v, 1, &unused, &e);
            noise[k][n] = arm.reward - e.value;
        }
    for (int n = 0; n < BUDGET; n++) {
        struct mk_evaluation e;
        struct mk_pcg64 unused = {0};
        mk_search_pull(b, ARMS + 0, &joint, &err);
        struct mk_objective plain = **mk_searches_objective(s, 0, joint.arm);
        plain.noise = 0;
        mk_objective_evaluate(&plain, joint.v + s->first[joint.arm], 1, &unused, &e);
        wrong += fabs(joint.reward - e.value - noise[joint.arm][seen[joint.arm]++]) > 1e-12;
        pulls++;
    }
    CHECK(wrong == 0 && pulls == BUDGET, "combined search meets the noise of the arm: %zu differ", wrong);
    /* uniform over three arms: 40 draws miss one of them with probability 3 (2/3)^40 < 1e-6 */
    CHECK(seen[0] && seen[1] && seen[2], "all arms are drawn: %zu, %zu, %zu", seen[0], seen[1], seen[2]);
    mk_search_bench_free(b);
    mk_searches_free(s);
}

/* The rewards of a combined search from now on. */
static void combined_rewards(struct mk_search_bench *b, size_t combined, double *out)
{
    struct mk_error err = {0, ""};
    struct mk_pull pull;
    for (int n = 0; n < BUDGET; n++) out[n] = mk_search_pull(b, ARMS + combined, &pull, &err) ? NAN : pull.reward;
}

/* Restarted, a combined search does the same again; those of one optimiser share their random numbers, and none of
 * them changes an arm. */
static void test_combined(void)
{
    static const char *const combined[] = {"tpe", "tpe", "random"};
    struct mk_error err = {0, ""};
    struct mk_searches *s = make("tpe", combined, 3);
    struct mk_search_bench *b = NULL;
    double first[BUDGET], again[BUDGET], twin[BUDGET], arm[BUDGET], among[BUDGET];
    struct mk_pull pull;
    CHECK(!mk_search_bench_new(&b, s, &err), "a bench");
    rewards(b, 0, 3, 1, 0, arm);
    mk_search_bench_seek(b, 0, key_of(3));
    combined_rewards(b, 0, first);
    combined_rewards(b, 1, twin);
    for (int n = 0; n < BUDGET; n++) among[n] = mk_search_pull(b, 1, &pull, &err) ? NAN : pull.reward;
    mk_search_restart_combined(b, 0);
    combined_rewards(b, 0, again);
    CHECK(memcmp(first, again, sizeof first) == 0, "a combined search is restarted: the same rewards");
    CHECK(memcmp(first, twin, sizeof first) == 0, "equal combined searches do the same");
    CHECK(memcmp(arm, among, sizeof arm) == 0, "an arm does not depend on combined searches");
    CHECK(mk_search_pull(b, ARMS + 1, &pull, &err) == MK_EFAIL, "no more than the budget");
    combined_rewards(b, 2, twin);
    CHECK(memcmp(first, twin, sizeof first) != 0, "another optimiser does something else");
    mk_search_bench_free(b);
    mk_searches_free(s);
}

/* gp takes 2000 evaluations at most. */
static void test_budget(void)
{
    static const char *const combined[] = {"random", "gp"};
    struct mk_error err = {0, ""};
    size_t blame = 99;
    struct mk_searches *s = make("random", combined, 2);
    CHECK(mk_searches_set_budget(s, 2001, &blame, &err) == MK_EINPUT && blame == ARMS + 1 &&
              strstr(err.text, "at most 2000 evaluations"),
          "the combined search to blame: %zu, %s", blame, err.text);
    CHECK(mk_searches_set_budget(s, 2000, &blame, &err) == MK_OK && s->budget == 2000, "the largest budget");
    mk_searches_free(s);
    s = make("gp", NULL, 0);
    CHECK(mk_searches_set_budget(s, 2001, &blame, &err) == MK_EINPUT && blame == 0, "the arm to blame: %zu", blame);
    mk_searches_free(s);
}

/* Where each arm begins in the joint space: after the choice of the arm, one after another. */
static void test_joint(void)
{
    static const char *const combined[] = {"random"};
    struct mk_searches *s = make("random", combined, 1);
    for (size_t i = 0; i < INSTANCES; i++) {
        size_t next = 1;
        for (size_t k = 0; k < ARMS; k++) {
            CHECK(s->first[i * ARMS + k] == next, "instance %zu: arm %zu begins at %zu", i, k, s->first[i * ARMS + k]);
            next += (*mk_searches_objective(s, i, k))->space->n;
        }
        CHECK(s->joint[i]->n == next && s->joint[i]->hyper[0].choice && s->joint[i]->hyper[0].n_words == ARMS,
              "instance %zu: the joint space has %zu hyperparameters", i, s->joint[i]->n);
    }
    mk_searches_free(s);
}

int main(void)
{
    test_arms("random");
    test_arms("tpe");
    test_noise();
    test_combined();
    test_budget();
    test_joint();
    return CHECK_EXIT;
}

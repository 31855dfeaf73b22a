/* bayes_max allocates nothing during a replication, for candidates with densities, point masses, both, and of recorded
 * rewards. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/candidates.h"
#include "policies/policy.h"
#include "sim/base/yaml_tree.h"
#include "tests/support/check.h"

enum { ARMS = 2, HORIZON = 12, PARAMETERS = 6 };

#ifndef __SANITIZE_ADDRESS__
/* Every call of malloc of this program and its libraries is counted; calloc has its own name in the C library. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t n, size_t bytes);
static volatile size_t calls;

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): those of the C library are reserved */
void *malloc(size_t bytes)
{
    calls++;
    return __libc_malloc(bytes);
}

/* NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
void *calloc(size_t n, size_t bytes)
{
    calls++;
    return __libc_calloc(n, bytes);
}

/* The rounds of a replication, whose rewards are drawn from the candidates' range. */
static size_t calls_of(const struct mk_candidates *c, const double *par)
{
    const struct mk_policy_type *type = mk_policy_type_find("bayes_max");
    const struct mk_setup setup = {.arms = ARMS, .horizon = HORIZON, .par = par, .candidates = c};
    void *state = aligned_alloc(64, (type->state_size(&setup) + 127) & ~(size_t)63);
    REQUIRE(state, "memory");
    const size_t before = calls;
    type->init(state, &setup);
    for (uint64_t t = 1; t <= HORIZON; t++) type->update(state, type->select(state, t), .07 * (double)(t * 5 % 13), t);
    const size_t during = calls - before;
    free(state);
    return during;
}

static void check_given(const char *list, const double *par)
{
    struct mk_error err;
    struct mk_tree *tree;
    struct mk_candidates *c;
    REQUIRE(mk_tree_parse(&tree, "list", list, strlen(list), &err) == MK_OK, "%s", list);
    REQUIRE(mk_candidates_read(&c, tree->root, NULL, &err) == MK_OK, "%s: %s", list, err.text);
    CHECK(calls_of(c, par) == 0, "none with %s", list);
    mk_candidates_free(c);
    mk_tree_free(tree);
}

int main(void)
{
    const double given[PARAMETERS] = {NAN, 0, 0, 0, 50, .05}, runs[PARAMETERS] = {NAN, 0, 1, 0, 5, .05};
    double reward[] = {.1, .4, .2, .4, .9};
    struct mk_error err;
    struct mk_candidates *c;
    const size_t before = calls;
    void *volatile block = malloc(8);
    free(block);
    CHECK(calls > before, "calls are counted");
    check_given("[{family: beta, a: 2, b: 3}, {family: gaussian, mu: 0.3, sigma: 0.2, clip: [0, 1]}]", given);
    check_given("[{family: bernoulli, p: 0.3}, {family: empirical, values: [0.1, 0.5, 0.9]}]", given);
    check_given(
        "[{family: mixture, weights: [1, 3], components: [{family: dirac, x: 0.5}, {family: uniform, lo: 0, hi: 1}]}, "
        "{family: beta, a: 1, b: 2, truncate: [0.1, 0.8]}]",
        given);
    REQUIRE(mk_candidates_of_runs(&c, 3, ARMS, &err) == MK_OK, "three recorded instances");
    for (size_t i = 0; i < c->n; i++) {
        reward[i % 5] += .05;
        REQUIRE(mk_candidate_of_rewards(&c->of[i], reward, 5, &err) == MK_OK, "candidate %zu", i);
    }
    CHECK(calls_of(c, runs) == 0, "none with recorded rewards");
    mk_candidates_free(c);
    return CHECK_EXIT;
}
#else
int main(void)
{
    SKIP("calls of malloc are counted in the ordinary build only");
    return CHECK_EXIT;
}
#endif

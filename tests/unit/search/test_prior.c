/* What recorded runs of other instances say: portfolios by hand and by trying all, repeats by hand, nothing of the
 * instance itself; both forms of files. */
#include <string.h>

#include "sim/search/optimizers/optimizer.h"
#include "sim/search/prior.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static struct mk_space *make_space(void)
{
    struct mk_space *s = NULL;
    struct mk_error err;
    size_t blame;
    REQUIRE(!mk_space_new(&s, &err) && !mk_space_add_real(s, "x", 0, 1, &err) && !mk_space_finish(s, &blame, &err),
            "a space");
    return s;
}

static struct mk_prior *read_prior(const char *text)
{
    struct scratch dir;
    struct mk_prior *p = NULL;
    struct mk_error err = {0, ""};
    scratch_make(&dir);
    const int code = mk_prior_read(&p, scratch_write(&dir, "runs.csv", text, strlen(text)), &err);
    scratch_remove(&dir);
    REQUIRE(!code, "recorded runs: %s", err.text);
    return p;
}

/* Three instances, on all of which arm b has 0 and 1, so that the losses of a are 1 - reward: of x = 0, .5, 1 they are
 * (.1 .9 .8), (.5 .2 .4) and (.9 .8 .1). The sums are 1.8, 1.1, 1.8; with the second, those of the smaller are .7 and
 * .8; with all three .4. On instance t x = 1 has loss 0 and the others 1: with it x = 1 would come first
 * (2.8, 2.1, 1.8). */
static const char by_hand[] = "instance,arm,reward,x\n"
                              "i,a,.9,0\ni,a,.5,.5\ni,a,.1,1\ni,b,0,0\ni,b,1,1\n"
                              "j,a,.1,0\nj,a,.8,.5\nj,a,.2,1\nj,b,0,0\nj,b,1,1\n"
                              "k,a,.2,0\nk,a,.6,.5\nk,a,.9,1\nk,b,0,0\nk,b,1,1\n"
                              "t,a,0,0\nt,a,0,.5\nt,a,1,1\nt,b,0,0\nt,b,1,1\n";

/* The same as maxk tune writes it, with a trial that failed and one of a combined search. */
static const char as_tune[] =
    "instance,arm_index,loss,arm,configuration,status\n"
    "i,0,-.9,a,{x: 0},ok\ni,0,-.5,a,{x: 0.5},ok\ni,0,-.1,a,{x: 1},ok\ni,0,-99,a,{x: 0.25},crashed\n"
    "i,1,0,b,{x: 0},ok\ni,1,-1,b,{x: 1},ok\n"
    "j,0,-.1,a,{x: 0},ok\nj,0,-.8,a,{x: 0.5},ok\nj,0,-.2,a,{x: 1},ok\nj,1,0,b,{x: 0},ok\n"
    "j,1,-1,b,{x: 1},ok\nj,-1,-99,a,{x: 0.75},ok\n"
    "k,0,-.2,a,{x: 0},ok\nk,0,-.6,a,{x: 0.5},ok\nk,0,-.9,a,{x: 1},ok\nk,1,0,b,{x: 0},ok\n"
    "k,1,-1,b,{x: 1},ok\n";

static const char *const labels[] = {"a", "b"};

static void check_portfolio(const char *what, struct mk_prior *p, const char *instance, size_t most, size_t n,
                            const double *want)
{
    struct mk_space *s = make_space();
    const struct mk_space *const space[] = {s, s};
    const struct mk_prior_settings how = {most, 10};
    struct mk_prior_arm *arm = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(!mk_prior_arms(p, &how, instance, labels, space, 2, &arm, &err), "%s: %s", what, err.text);
    CHECK(arm[0].n == n, "%s: %zu configurations", what, arm[0].n);
    for (size_t i = 0; i < n && i < arm[0].n; i++)
        CHECK(arm[0].v[i] == want[i], "%s: configuration %zu is %g", what, i, arm[0].v[i]);
    mk_prior_arms_free(arm, 2);
    mk_space_free(s);
}

static void test_portfolio(void)
{
    static const double want[] = {0.5, 0, 1}, with_t[] = {1, 0.5, 0};
    struct mk_prior *p = read_prior(by_hand);
    struct mk_error err;
    check_portfolio("by hand", p, "t", 9, 3, want);
    check_portfolio("at most two", p, "t", 2, 2, want);
    check_portfolio("with t", p, "another", 9, 3, with_t);
    CHECK(mk_prior_leave_out(p, "nowhere", &err) == MK_EINPUT, "an instance that is not there: %s", err.text);
    CHECK(!mk_prior_leave_out(p, "t", &err), "t is left out");
    check_portfolio("t left out", p, "another", 9, 3, want);
    mk_prior_free(p);
    p = read_prior(as_tune);
    check_portfolio("as maxk tune writes it", p, "t", 9, 3, want);
    mk_prior_free(p);
}

/* Where no configuration was recorded twice: a's best are x = .9 on i (loss .2) and x = .8 on j (.1). On j .8 is
 * nearest to .9, on i .9 to .8, so either has .2 and .1 there: the first of equal ones is taken, and the other adds
 * nothing. */
static void test_nearest(void)
{
    static const double want[] = {0.9};
    struct mk_prior *p = read_prior("instance,arm,reward,x\ni,a,0.8,0.9\ni,a,0.3,0\ni,b,0,0\ni,b,1,1\n"
                                    "j,a,0.2,0.1\nj,a,0.9,0.8\nj,b,0,0\nj,b,1,1\n");
    check_portfolio("nearest", p, "t", 9, 1, want);
    mk_prior_free(p);
}

/* A table of 5 configurations on 7 instances, drawn once: of every size, the greedy set against trying all of its
 * successors, and no better pair than the greedy one by more than 1/e of what can be gained (Nemhauser, Wolsey & Fisher
 * 1978). */
enum { CONFIGURATIONS = 5, INSTANCES = 7 };

static double sum_of(double loss[CONFIGURATIONS][INSTANCES], const size_t *set, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < INSTANCES; j++) {
        double best = 1;
        for (size_t i = 0; i < n; i++) best = fmin(best, loss[set[i]][j]);
        sum += best;
    }
    return sum;
}

static void test_all(uint64_t seed)
{
    char text[4000] = "instance,arm,reward,x\n";
    double loss[CONFIGURATIONS][INSTANCES], most = INSTANCES;
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_word(mk_key_start(), seed));
    for (size_t j = 0; j < INSTANCES; j++) {
        size_t n = strlen(text);
        n += (size_t)snprintf(text + n, sizeof text - n, "i%zu,b,0,0\ni%zu,b,1,0\n", j, j);
        for (size_t c = 0; c < CONFIGURATIONS; c++) {
            loss[c][j] = (double)mk_uniform_below(&rng, 1000) / 1000;
            if (c == j % CONFIGURATIONS) loss[c][j] = 0; /* each is a candidate */
            n += (size_t)snprintf(text + n, sizeof text - n, "i%zu,a,%.17g,%g\n", j, 1 - loss[c][j], 0.25 * (double)c);
        }
    }
    struct mk_prior *p = read_prior(text);
    struct mk_space *s = make_space();
    const struct mk_space *const space[] = {s, s};
    const struct mk_prior_settings how = {CONFIGURATIONS, 10};
    struct mk_prior_arm *arm = NULL;
    struct mk_error err;
    size_t set[CONFIGURATIONS], wrong = 0;
    REQUIRE(!mk_prior_arms(p, &how, "t", labels, space, 2, &arm, &err), "a prior");
    for (size_t i = 0; i < arm[0].n; i++) {
        set[i] = (size_t)(4 * arm[0].v[i]);
        const double now = sum_of(loss, set, i + 1);
        for (size_t c = 0; c < CONFIGURATIONS; c++) {
            size_t other[CONFIGURATIONS];
            memcpy(other, set, sizeof other);
            other[i] = c;
            wrong += sum_of(loss, other, i + 1) < now - 1e-9;
        }
    }
    CHECK(arm[0].n == CONFIGURATIONS && !wrong, "seed %llu: each of %zu is the best addition", (unsigned long long)seed,
          arm[0].n);
    for (size_t c = 0; c < CONFIGURATIONS; c++)
        for (size_t d = 0; d < CONFIGURATIONS; d++) most = fmin(most, sum_of(loss, (size_t[]){c, d}, 2));
    CHECK(INSTANCES - sum_of(loss, set, 2) >= (1 - exp(-1)) * (INSTANCES - most),
          "the first two against the best pair");
    mk_prior_arms_free(arm, 2);
    mk_space_free(s);
    mk_prior_free(p);
}

/* Best rewards of the arms a, b, c: on i 1, .5, 0; on j 1, 1, 0; on k (without c) 0, 1. Shares behind: a 0 0 1, b .5 0
 * 0, c 1 1; means 1/3, 1/6, 1. Less the smallest: 1/6, 0, 5/6; of weight 12: 2, 0, 10. With k left out: 0, .25, 1 and
 * 0, 3, 12. d was never recorded. */
static void test_repeats(void)
{
    static const char *const four[] = {"a", "b", "c", "d"};
    static const uint64_t want[2][4] = {{2, 0, 10, 0}, {0, 3, 12, 0}};
    static const char text[] =
        "instance,arm,reward,x\ni,a,1,0\ni,a,-3,.5\ni,b,.5,0\ni,c,0,0\nj,a,1,0\nj,b,1,0\nj,c,0,0\n"
        "k,a,0,0\nk,b,1,0\n";
    struct mk_prior *p = read_prior(text);
    struct mk_space *s = make_space();
    const struct mk_space *const space[] = {s, s, s, s};
    const struct mk_prior_settings how = {0, 12};
    struct mk_error err;
    for (size_t i = 0; i < 2; i++) {
        struct mk_prior_arm *arm = NULL;
        REQUIRE(!mk_prior_arms(p, &how, i ? "k" : "t", four, space, 4, &arm, &err), "a prior");
        for (size_t k = 0; k < 4; k++)
            CHECK(arm[k].repeats == want[i][k] && !arm[k].n, "arm %s, %s: %llu repeats", four[k],
                  i ? "without k" : "all", (unsigned long long)arm[k].repeats);
        mk_prior_arms_free(arm, 4);
    }
    struct mk_prior_arm *none = NULL;
    CHECK(mk_prior_arms(p, &how, "t", four + 3, space, 1, &none, &err) == MK_EINPUT && !none, "no arm has rows: %s",
          err.text);
    mk_space_free(s);
    mk_prior_free(p);
}

/* A search begins with what it is given, each time, then with its own; also an initial design goes on after them. */
static void test_given(const char *name)
{
    static const double given[] = {0.25, 0.75};
    struct mk_space *s = make_space();
    struct mk_optimizer *o = NULL, *plain = NULL;
    struct mk_error err;
    double par[MK_MAX_PARAMS], fidelity;
    const double *v, *w;
    const struct mk_optimizer_type *type = mk_optimizer_type_find(name);
    mk_param_defaults(type->params, par);
    REQUIRE(!mk_optimizer_new(&o, type, par, s, 9, &err) && !mk_optimizer_new(&plain, type, par, s, 9, &err), "%s",
            name);
    mk_optimizer_give(o, given, 2);
    for (int round = 0; round < 2; round++) {
        const struct mk_key key = mk_key_word(mk_key_start(), (uint64_t)round);
        size_t wrong = 0;
        REQUIRE(!mk_optimizer_start(o, key, &err) && !mk_optimizer_start(plain, key, &err), "%s begins", name);
        for (size_t i = 0; i < 9; i++) {
            REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s proposes", name);
            wrong += i < 2 ? *v != given[i] : *v == given[0] || *v == given[1];
            if (i < 2)
                mk_optimizer_add(plain, v, &err);
            else
                wrong += mk_optimizer_ask(plain, &w, &fidelity, &err) || *w != *v;
            mk_optimizer_tell(o, *v, 1, MK_TRIAL_OK);
            mk_optimizer_tell(plain, *v, 1, MK_TRIAL_OK);
        }
        CHECK(!wrong, "%s, round %d: two given, then as after earlier results", name, round);
    }
    mk_optimizer_free(o);
    mk_optimizer_free(plain);
    mk_space_free(s);
}

int main(void)
{
    test_portfolio();
    test_nearest();
    for (uint64_t seed = 0; seed < 20; seed++) test_all(seed);
    test_repeats();
    test_given("random");
    test_given("tpe");
    test_given("rf");
    test_given("cma_es");
    return CHECK_EXIT;
}

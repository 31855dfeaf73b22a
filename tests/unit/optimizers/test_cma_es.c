/* CMA-ES as an optimiser: the order of the rewards alone matters, it restarts, results that arrive late count, and it
 * converges on numbers, whole numbers and words together. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/base/param.h"
#include "sim/search/models/cma.h"
#include "sim/search/optimizers/optimizer.h"
#include "tests/support/best_trial.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { MOST = 3000 };

static struct mk_optimizer *make(const struct mk_space *s, uint64_t budget, const char *name, double value)
{
    static double par[MK_MAX_PARAMS];
    const struct mk_optimizer_type *type = mk_optimizer_type_find("cma_es");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    mk_param_defaults(type->params, par);
    if (name) par[mk_param_find(type->params, name)] = value;
    REQUIRE(!mk_optimizer_new(&o, type, par, s, budget, &err), "%s", err.text);
    return o;
}

static double square(const double *v)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) sum -= (i + 1) * (v[i] - 0.1 * (i + 2)) * (v[i] - 0.1 * (i + 2));
    return sum;
}

static double logarithm(const double *v)
{
    return -log(1e-300 - square(v));
}

static double flat(const double *v)
{
    (void)v;
    return 1;
}

static double valley(const double *v)
{
    return -fabs(v[0] - 0.5);
}

/* Words of v[2]; the whole number 37 of v[1]. */
static double mixed(const double *v)
{
    return -(v[0] - 0.7) * (v[0] - 0.7) - 1e-4 * (v[1] - 37) * (v[1] - 37) - 0.1 * (v[2] != 3);
}

static double play(struct mk_optimizer *o, double (*reward)(const double *), uint64_t seed, size_t n, size_t lag,
                   uint64_t *digest)
{
    const size_t d = o->ask.space->n;
    struct mk_error err = {0, ""};
    const double *v;
    double fidelity;
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    for (size_t i = 0; i < n; i++) {
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
        digest[i] = mk_space_configuration_digest(o->ask.space, v);
        if (i >= lag) mk_optimizer_tell(o, reward(o->trials.v + o->trials.told * d), 1, MK_TRIAL_OK);
    }
    return o->trials.reward[best_trial(&o->trials)];
}

/* 501 words, which are 501 coordinates. */
static void test_size(void)
{
    static char text[8000] = "k: {categorical: [w0";
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    for (int i = 1; i <= 500; i++) sprintf(text + strlen(text), ", w%d", i);
    strcat(text, "]}\n");
    struct mk_space *s = space_must(text);
    const struct mk_optimizer_type *type = mk_optimizer_type_find("cma_es");
    double par[MK_MAX_PARAMS];
    mk_param_defaults(type->params, par);
    CHECK(mk_optimizer_new(&o, type, par, s, 10, &err) == MK_EINPUT && strstr(err.text, "at most 500") &&
              strstr(err.text, "501"),
          "%s", err.text);
    mk_space_free(s);
}

enum { LAMBDA = 4 }; /* of one dimension */
static const double narrow = 1e-3;

/* How far the first proposal of the second generation is from that of the distribution itself
 * (sim/search/models/cma.h), where the points of the first one are added or its own. They are ordered as they come.
 * *far: how many of these are further from the mean than sqrt(n) + 2n / (n + 2) standard deviations. */
static double error_after_generation(struct mk_optimizer *o, bool added, uint64_t seed, size_t *far)
{
    static const double first[LAMBDA] = {0.503, 0.5025, 0.504, 0.498}, centre = 0.5;
    const bool foreign[LAMBDA] = {added, added, added, added};
    double point[LAMBDA], fidelity;
    const double *x[LAMBDA], *v;
    struct mk_pool pool = {0};
    struct mk_error err = {0, ""};
    struct mk_pcg64 rng;
    struct mk_cma *c = malloc(mk_cma_bytes(1));
    REQUIRE(c && !mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    for (int i = 0; i < LAMBDA; i++) {
        const int code = added ? mk_optimizer_add(o, &first[i], &err) : mk_optimizer_ask(o, &v, &fidelity, &err);
        REQUIRE(!code, "%s", err.text);
        point[i] = o->trials.v[i];
        x[i] = &point[i];
        *far += fabs(point[i] - centre) > (1 + 2.0 / 3) * narrow;
        mk_optimizer_tell(o, -i, 1, MK_TRIAL_OK);
    }
    mk_cma_start(c, 1, LAMBDA, &centre, narrow);
    REQUIRE(!mk_cma_update(c, x, foreign, &pool, &err), "%s", err.text);
    mk_pcg64_from_key(&rng, mk_key_word(o->ask.key, LAMBDA));
    double want;
    mk_cma_sample(c, &rng, &want);
    REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
    mk_pool_free(&pool);
    free(c);
    return fabs(v[0] - want);
}

/* Points that were not drawn from the present distribution count with bounded length, its own ones with their whole. */
static void test_foreign(void)
{
    struct mk_space *line = space_must("x: {real: [0, 1]}\n");
    struct mk_optimizer *o = make(line, 2 * LAMBDA, "sigma", narrow);
    for (int added = 0; added < 2; added++) {
        size_t far = 0;
        double worst = 0;
        for (uint64_t seed = 0; seed < 20; seed++) worst = fmax(worst, error_after_generation(o, added, seed, &far));
        CHECK(far > 0 && worst < 1e-12, "%s points, %zu of 80 of them far away: proposals after them are off by %g",
              added ? "added" : "own", far, worst);
    }
    mk_optimizer_free(o);
    mk_space_free(line);
}

int main(void)
{
    static uint64_t one[MOST], two[MOST];
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\nz: {real: [0, 1]}\n");
    gsl_set_error_handler_off();
    test_size();
    test_foreign();
    struct mk_optimizer *o = make(s, MOST, NULL, 0);
    const double best = play(o, square, 1, 600, 0, one);
    CHECK(best > -1e-10, "600 evaluations in 3 dimensions: within %.1e of the best", -best);
    play(o, logarithm, 1, 600, 0, two);
    /* Beyond 400, rounding makes rewards equal that differ under the other one. */
    CHECK(memcmp(one, two, 400 * sizeof *one) == 0, "the order of the rewards alone matters");
    CHECK(play(o, square, 2, 1200, 5, one) > -1e-10, "results that arrive five late count");
    play(o, flat, 3, MOST, 0, one);
    mk_optimizer_free(o);

    /* 3 dimensions, lambda = 7: 10 + ceil(90 / 7) = 23 generations equal to the first, then a restart with twice the
     * population. Its first generation of 7 is the same with `growth: 1`, which then learns from it. */
    o = make(s, MOST, "growth", 1);
    play(o, flat, 3, MOST, 0, two);
    size_t same = 0;
    while (same < MOST && one[same] == two[same]) same++;
    CHECK(same == (1 + 23 + 1) * 7,
          "equal rewards: a restart after 24 generations; growth matters from proposal %zu on", same);
    mk_optimizer_free(o);

    /* From the centre, which is the best, without restarts none of the late proposals is far away. */
    struct mk_space *line = space_must("x: {real: [0, 1]}\n");
    o = make(line, MOST, NULL, 0);
    play(o, valley, 1, MOST, 0, one);
    size_t far = 0;
    for (size_t i = 1000; i < MOST; i++) far += fabs(o->trials.v[i] - 0.5) > 0.1;
    CHECK(far > 100, "after convergence it restarts: %zu of the last 2000 proposals are far away", far);
    mk_optimizer_free(o);
    mk_space_free(line);

    /* y has no influence: a search ends when the axes differ by a factor of 10^7, not when x cannot be distinguished
     * from .5. */
    struct mk_space *plane = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    o = make(plane, MOST, NULL, 0);
    play(o, valley, 1, MOST, 0, one);
    double closest = 1;
    for (size_t i = 0; i < MOST; i++) closest = fmin(closest, fabs(o->trials.v[2 * i] - 0.5));
    CHECK(closest > 1e-15, "an axis without influence: x is never nearer to the best than %g", closest);
    mk_optimizer_free(o);
    mk_space_free(plane);

    struct mk_space *m = space_must("x: {real: [0, 1]}\nn: {integer: [1, 100]}\nk: {categorical: [a, b, c, d]}\n");
    int found = 0;
    o = make(m, MOST, NULL, 0);
    for (uint64_t seed = 0; seed < 20; seed++) found += play(o, mixed, seed, 500, 0, one) > -1e-6;
    CHECK(found >= 16, "the best word and whole number, and the best real one to 1e-3, in %d of 20 searches of 500",
          found);
    mk_optimizer_free(o);
    mk_space_free(m);
    mk_space_free(s);
    return CHECK_EXIT;
}

/* Optimisers that learn repeat no configuration as long as others are untried, in spaces with fewer configurations than
 * evaluations too; and rf finds the optimum of a small space sooner than by random draws. */
#include <gsl/gsl_errno.h>

#include "sim/search/optimizers/optimizer.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { MOST = 130 };

/* Largest, 0, at the third level of every hyperparameter, or the last where there are fewer. */
static double reward(const struct mk_space *s, const double *v)
{
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        if (!isnan(v[i]) && isfinite(s->hyper[i].levels))
            sum -= pow(mk_hyper_level(&s->hyper[i], v[i]) - fmin(2, s->hyper[i].levels - 1), 2);
    return sum;
}

static void set(const struct mk_param *params, double *par, const char *name, double value)
{
    const int at = mk_param_find(params, name);
    if (at >= 0) par[at] = value;
}

/* The proposals' digests; a third of the trials fail. Returns those that are not allowed. */
static size_t play(const char *name, const struct mk_space *s, size_t asks, double repeat, uint64_t *digest)
{
    const struct mk_optimizer_type *type = mk_optimizer_type_find(name);
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    double par[MK_MAX_PARAMS], fidelity;
    size_t wrong = 0;
    mk_param_defaults(type->params, par);
    set(type->params, par, "challengers", 200);
    set(type->params, par, "candidates", name[0] == 'g' ? 200 : 24);
    set(type->params, par, "repeat", repeat);
    REQUIRE(!mk_optimizer_new(&o, type, par, s, asks, &err), "%s: %s", name, err.text);
    REQUIRE(!mk_optimizer_start(o, mk_key_text(mk_key_start(), "untried"), &err), "%s", err.text);
    for (size_t i = 0; i < asks; i++) {
        const double *v;
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s: %s", name, err.text);
        digest[i] = mk_space_configuration_digest(s, v);
        wrong += !mk_space_allows(s, v);
        mk_optimizer_tell(o, reward(s, v), 1, i % 3 == 2 ? MK_TRIAL_CRASHED : MK_TRIAL_OK);
    }
    mk_optimizer_free(o);
    return wrong;
}

static size_t count_distinct(const uint64_t *digest, size_t n)
{
    size_t distinct = 0;
    for (size_t i = 0; i < n; i++) {
        size_t j = 0;
        while (digest[j] != digest[i]) j++;
        distinct += j == i;
    }
    return distinct;
}

static void check_spaces(const char *name)
{
    static const struct {
        const char *text;
        size_t configurations; /* MOST: more than asks */
    } cases[] = {
        {"n: {integer: [1, 3]}\nb: {categorical: ['no', 'yes']}\n", 6},
        {"i: {integer: [0, 9]}\nj: {integer: [0, 9]}\n", 100},
        {"i: {integer: [1, 4], log: true}\nk: {categorical: [a, b, c]}\nm: {ordinal: [1, 2, 4], when: {k: [b, c]}}\n"
         "c: {constant: 7}\nforbid: [{k: b, m: 4}, {k: c, i: 2}]\n",
         4 + 4 * 2 + 3 * 3},
        {"k: {categorical: [a, b]}\nx: {real: [0, 1], when: {k: b}}\ny: {real: [0, 1], step: 0.5, when: {k: a}}\n",
         MOST},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_space *s = space_must(cases[i].text);
        const size_t all = cases[i].configurations, asks = all < MOST ? all + 8 : 50;
        uint64_t digest[MOST];
        const size_t wrong = play(name, s, asks, 0, digest), first = asks < all ? asks : all;
        CHECK(!wrong && count_distinct(digest, first) == first, "%s: %zu of %zu proposals in space %zu are distinct",
              name, count_distinct(digest, first), first, i);
        mk_space_free(s);
    }
}

/* When all have been proposed, again and again, forbidden ones are not either. */
static void check_exhausted(const char *name)
{
    struct mk_space *s = space_must("x: {integer: [1, 4]}\ny: {categorical: [u, v, w], when: {x: [2, 3]}}\n"
                                    "z: {integer: [0, x]}\nforbid: [{y: v, z: 1}, {x: 4, z: [0, 2]}]\n");
    uint64_t digest[MOST];
    const size_t wrong = play(name, s, MOST, 0, digest), distinct = count_distinct(digest, MOST);
    CHECK(!wrong && distinct == 2 + 3 * 3 - 1 + 3 * 4 - 1 + 3,
          "%s: %zu of %d proposals are forbidden, %zu are distinct", name, wrong, (int)MOST, distinct);
    mk_space_free(s);
}

/* Measured configurations: also those of the initial design. */
static void check_rows(const char *name)
{
    enum { ROWS = 30 };
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    struct mk_error err = {0, ""};
    struct mk_pcg64 rng;
    uint64_t digest[MOST];
    double *row = malloc(2 * ROWS * sizeof *row);
    mk_pcg64_seed(&rng, 1, 1);
    for (int i = 0; row && i < 2 * ROWS; i++) row[i] = mk_uniform(&rng);
    REQUIRE(row && !mk_space_restrict(s, row, ROWS, &err), "rows: %s", err.text);
    const size_t wrong = play(name, s, ROWS + 5, 0, digest);
    CHECK(!wrong && count_distinct(digest, ROWS) == ROWS, "%s: %zu of %d rows", name, count_distinct(digest, ROWS),
          (int)ROWS);
    mk_space_free(s);
}

/* One of 100 configurations; when the best 100 challengers, copies of few configurations, had all been proposed, rf
 * took one at random and needed 18.2 here. */
static void check_rf(void)
{
    enum { SEARCHES = 30, ASKS = 50 };
    const struct mk_optimizer_type *type = mk_optimizer_type_find("rf");
    struct mk_space *s = space_must("i: {integer: [0, 9]}\nj: {integer: [0, 9]}\n");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    double par[MK_MAX_PARAMS], fidelity, sum = 0;
    mk_param_defaults(type->params, par);
    set(type->params, par, "init", 10);
    set(type->params, par, "interleave", 0);
    set(type->params, par, "defaults", 0);
    REQUIRE(!mk_optimizer_new(&o, type, par, s, ASKS, &err), "rf: %s", err.text);
    for (uint64_t seed = 0; seed < SEARCHES; seed++) {
        size_t n = 0;
        REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
        for (bool found = false; !found && n < ASKS; n++) {
            const double *v;
            REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "rf: %s", err.text);
            const double x = v[0] - (double)(seed * 7 % 10), y = v[1] - (double)(seed * 3 % 10);
            found = x == 0 && y == 0;
            mk_optimizer_tell(o, -x * x - y * y, 1, MK_TRIAL_OK);
        }
        sum += (double)n;
    }
    CHECK(sum / SEARCHES < 15.5,
          "rf: %.1f evaluations to the optimum of 100 configurations, in the mean of %d searches", sum / SEARCHES,
          (int)SEARCHES);
    mk_optimizer_free(o);
    mk_space_free(s);
}

static void check_repeat(void)
{
    struct mk_space *s = space_must("i: {integer: [0, 9]}\nj: {integer: [0, 9]}\n");
    uint64_t digest[MOST];
    play("tpe", s, 60, 1, digest);
    CHECK(count_distinct(digest, 60) < 55, "tpe repeat: yes, as Optuna: %zu of 60 are distinct",
          count_distinct(digest, 60));
    mk_space_free(s);
}

int main(void)
{
    static const char *const names[] = {"tpe", "gp", "rf"};
    gsl_set_error_handler_off();
    for (int i = 0; i < 3; i++) check_spaces(names[i]), check_exhausted(names[i]), check_rows(names[i]);
    check_rf();
    check_repeat();
    return CHECK_EXIT;
}

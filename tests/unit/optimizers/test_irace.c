/* irace: a race goes on with the best of the race before, by ranks over the folds that all of them have. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/param.h"
#include "sim/search/optimizers/optimizer.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { BUDGET = 300, FOLDS = 10, MOST = 200, SURVIVORS = 3 }; /* survivors: floor(2 + log_2 d), d = 2 */

struct configuration {
    double v[2], mean, fold[FOLDS];
    size_t folds;
};

/* Position of v among c[0 … *n-1], where it is added if it is new. */
static size_t find(struct configuration *c, size_t *n, const double *v)
{
    for (size_t i = 0; i < *n; i++)
        if (memcmp(c[i].v, v, sizeof c[i].v) == 0) return i;
    REQUIRE(*n < MOST, "room for %d configurations", MOST);
    c[*n] = (struct configuration){.v = {v[0], v[1]}};
    return (*n)++;
}

/* Of those with as many folds as c[at], how many have a smaller sum of ranks (1: the largest reward of a fold). */
static size_t better_than(const struct configuration *c, size_t n, size_t at)
{
    double sum[MOST] = {0};
    size_t better = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            for (size_t f = 0; c[i].folds == c[at].folds && c[k].folds == c[at].folds && f < c[at].folds; f++)
                sum[i] += c[k].fold[f] > c[i].fold[f];
    for (size_t i = 0; i < n; i++) better += c[i].folds == c[at].folds && sum[i] < sum[at];
    return better;
}

/* Plays a search of noise, in which few are eliminated; of the configurations of the first race that are evaluated
 * again later, `among` counts those that were among the best SURVIVORS, `again` all. */
static void play(const struct mk_space *s, uint64_t seed, size_t *among, size_t *again)
{
    static struct configuration c[MOST];
    const struct mk_optimizer_type *type = mk_optimizer_type_find("irace");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    struct mk_pcg64 noise;
    double par[MK_MAX_PARAMS], fidelity, before = 0;
    size_t n = 0, first_race = 0;
    bool seen[MOST] = {false};
    const double *v;
    mk_param_defaults(type->params, par);
    REQUIRE(!mk_optimizer_new(&o, type, par, s, BUDGET, &err), "%s", err.text);
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    mk_pcg64_from_key(&noise, mk_key_word(mk_key_text(mk_key_start(), "noise"), seed));
    for (int t = 0; t < BUDGET; t++) {
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
        if (fidelity < before && !first_race) first_race = n;
        before = fidelity;
        const size_t at = find(c, &n, v);
        if (first_race && at < first_race && !seen[at]) {
            *again += seen[at] = true;
            *among += better_than(c, first_race, at) < SURVIVORS;
        }
        if (first_race && at < first_race) { /* what it was after the first race counts */
            mk_optimizer_tell(o, c[at].mean, 0.1, MK_TRIAL_OK);
            continue;
        }
        const double y = mk_uniform(&noise);
        c[at].fold[c[at].folds] = y;
        c[at].mean = (c[at].mean * (double)c[at].folds + y) / (double)(c[at].folds + 1);
        c[at].folds++;
        mk_optimizer_tell(o, c[at].mean, 0.1, MK_TRIAL_OK);
    }
    mk_optimizer_free(o);
}

/* Plays with the rewards of single folds or with means over them; the same configurations follow. */
static void play_both(const struct mk_space *s, uint64_t seed)
{
    static struct configuration c[MOST];
    const struct mk_optimizer_type *type = mk_optimizer_type_find("irace");
    struct mk_optimizer *o[2] = {NULL, NULL};
    struct mk_error err = {0, ""};
    struct mk_pcg64 noise;
    double par[MK_MAX_PARAMS], fidelity[2];
    size_t n = 0, same = 0;
    const double *v[2];
    mk_param_defaults(type->params, par);
    mk_pcg64_from_key(&noise, mk_key_word(mk_key_text(mk_key_start(), "noise"), seed));
    for (int i = 0; i < 2; i++) {
        REQUIRE(!mk_optimizer_new(&o[i], type, par, s, BUDGET, &err), "%s", err.text);
        o[i]->ask.by_instance = i;
        REQUIRE(!mk_optimizer_start(o[i], mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    }
    for (int t = 0; t < BUDGET; t++) {
        for (int i = 0; i < 2; i++) REQUIRE(!mk_optimizer_ask(o[i], &v[i], &fidelity[i], &err), "%s", err.text);
        same += memcmp(v[0], v[1], 2 * sizeof **v) == 0 && fidelity[0] == fidelity[1];
        struct configuration *of = &c[find(c, &n, v[0])];
        const double y = v[0][0] + 0.1 * mk_uniform(&noise), folds = (double)of->folds++;
        of->mean = (of->mean * folds + y) / (folds + 1);
        mk_optimizer_tell(o[0], of->mean, 0.1, MK_TRIAL_OK);
        mk_optimizer_tell(o[1], y, 0.1, MK_TRIAL_OK);
    }
    CHECK(same == BUDGET, "rewards by instance: %zu of %d configurations as with means", same, BUDGET);
    mk_optimizer_free(o[0]);
    mk_optimizer_free(o[1]);
}

int main(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\n");
    size_t among = 0, again = 0;
    for (uint64_t seed = 0; seed < 100; seed++) play(s, seed, &among, &again);
    /* Those that the last test eliminates have as many folds, and count here. */
    CHECK(again > 50 && among >= 0.98 * (double)again,
          "%zu configurations of the first race are evaluated again, %zu of its best %d", again, among, SURVIVORS);
    for (uint64_t seed = 0; seed < 5; seed++) play_both(s, seed);
    mk_space_free(s);
    return CHECK_EXIT;
}

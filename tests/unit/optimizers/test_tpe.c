/* TPE: which trials count as good. */
#include <stdlib.h>

#include "sim/base/param.h"
#include "sim/search/optimizers/optimizer.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { TRIALS = 60, SEEDS = 10 };

/* The proposal after TRIALS random configurations, of which trial rank[i] has the i-th best reward. */
static double proposal(const struct mk_space *s, int gamma, uint64_t seed, const size_t rank[TRIALS])
{
    const struct mk_optimizer_type *type = mk_optimizer_type_find("tpe");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    double par[MK_MAX_PARAMS], reward[TRIALS], fidelity;
    const double *v = NULL;
    for (size_t i = 0; i < TRIALS; i++) reward[rank[i]] = -(double)i;
    mk_param_defaults(type->params, par);
    par[mk_param_find(type->params, "gamma")] = gamma;
    par[mk_param_find(type->params, "init")] = TRIALS;
    REQUIRE(!mk_optimizer_new(&o, type, par, s, TRIALS + 1, &err), "%s", err.text);
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    for (size_t i = 0; i <= TRIALS; i++) {
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
        if (i < TRIALS) mk_optimizer_tell(o, reward[i], 1, MK_TRIAL_OK);
    }
    const double x = v[0];
    mk_optimizer_free(o);
    return x;
}

/* Whether a proposal changes when the trials of ranks i and i + 1 (from 1) exchange their rewards. */
static bool matters(const struct mk_space *s, int gamma, size_t i)
{
    size_t rank[TRIALS];
    for (size_t k = 0; k < TRIALS; k++) rank[k] = (7 * k) % TRIALS; /* 7 and 60 have no common divisor */
    bool changes = false;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const double before = proposal(s, gamma, seed, rank);
        const size_t moved = rank[i - 1];
        rank[i - 1] = rank[i];
        rank[i] = moved;
        changes |= proposal(s, gamma, seed, rank) != before;
    }
    return changes;
}

int main(void)
{
    /* of 60: min(ceil(60 / 10), 25), min(ceil(sqrt(60) / 4), 25), ceil(60 / 4) */
    static const struct {
        const char *name;
        size_t good;
    } gamma[] = {{"linear", 6}, {"sqrt", 2}, {"share", 15}};
    struct mk_space *s = space_must("x: {real: [0, 1]}\n");
    for (int g = 0; g < 3; g++) {
        size_t first = 0, boundaries = 0;
        for (size_t i = 1; i < 30; i++)
            if (matters(s, g, i)) {
                first = i;
                boundaries++;
            }
        CHECK(boundaries == 1 && first == gamma[g].good, "gamma: %s: only the set of the best %zu matters, got %zu",
              gamma[g].name, gamma[g].good, first);
    }
    mk_space_free(s);
    return CHECK_EXIT;
}

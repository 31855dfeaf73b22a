/* Regularised evolution: who may be a parent (the newest results alone, the best of a sample of them), and that a child
 * differs from its parent in one hyperparameter. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/param.h"
#include "sim/search/optimizers/optimizer.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { ADDED = 12, POPULATION = 5, SEEDS = 3000 };

/* The optimiser with results 0 … ADDED-1 of configurations (i / 20, i / 20, word 0), which `reward` orders. */
static struct mk_optimizer *make(const struct mk_space *s, double sample)
{
    static double par[MK_MAX_PARAMS];
    const struct mk_optimizer_type *type = mk_optimizer_type_find("evolution");
    struct mk_optimizer *o = NULL;
    struct mk_error err = {0, ""};
    mk_param_defaults(type->params, par);
    par[mk_param_find(type->params, "population")] = POPULATION;
    par[mk_param_find(type->params, "sample")] = sample;
    REQUIRE(!mk_optimizer_new(&o, type, par, s, ADDED + 1, &err), "%s", err.text);
    return o;
}

/* The parent of one proposal by the values that it shares with it; wrong when not exactly one differs. */
static size_t parent_of(struct mk_optimizer *o, uint64_t seed, const double *reward, size_t *wrong)
{
    struct mk_error err = {0, ""};
    double fidelity;
    const double *v;
    REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
    for (int i = 0; i < ADDED; i++) {
        REQUIRE(!mk_optimizer_add(o, (const double[]){i / 20.0, i / 20.0, 0}, &err), "%s", err.text);
        mk_optimizer_tell(o, reward[i], 1, MK_TRIAL_OK);
    }
    REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
    for (size_t i = 0; i < ADDED; i++) {
        const int differ = (v[0] != (double)i / 20.0) + (v[1] != (double)i / 20.0) + (v[2] != 0);
        if (differ == 1) return i;
    }
    ++*wrong;
    return 0;
}

/* In how many of 100 searches the proposal after n configurations, of which the first `told` have results, is a
 * mutation of one of those with results; *of_others: of one without. */
static int count_mutations(struct mk_optimizer *o, size_t n, size_t told, int *of_others)
{
    struct mk_error err = {0, ""};
    double fidelity;
    const double *v;
    int found = 0;
    *of_others = 0;
    for (uint64_t seed = 0; seed < 100; seed++) {
        REQUIRE(!mk_optimizer_start(o, mk_key_word(mk_key_start(), seed), &err), "%s", err.text);
        for (size_t i = 0; i < n; i++)
            REQUIRE(!mk_optimizer_add(o, (const double[]){(double)i / 20, (double)i / 20, 0}, &err), "%s", err.text);
        for (size_t i = 0; i < told; i++) mk_optimizer_tell(o, 1, 1, MK_TRIAL_OK);
        REQUIRE(!mk_optimizer_ask(o, &v, &fidelity, &err), "%s", err.text);
        for (size_t i = 0; i < n; i++) {
            const bool is_mutation = (v[0] != (double)i / 20) + (v[1] != (double)i / 20) + (v[2] != 0) == 1;
            found += is_mutation && i < told;
            *of_others += is_mutation && i >= told;
        }
    }
    return found;
}

/* The first `population` configurations are random, and so are those before the first result. */
static void check_beginning(const struct mk_space *s)
{
    static const struct {
        size_t n, told;
        int mutations;
    } cases[] = {{POPULATION - 1, POPULATION - 1, 0},
                 {POPULATION, POPULATION, 100},
                 {POPULATION, 1, 100},
                 {POPULATION, 0, 0},
                 {POPULATION - 1, 0, 0},
                 {POPULATION + 2, 0, 0}};
    struct mk_optimizer *o = make(s, 2);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        int of_others, found = count_mutations(o, cases[k].n, cases[k].told, &of_others);
        CHECK(
            found == cases[k].mutations && of_others == 0,
            "after %zu configurations and %zu results, %d of 100 proposals are mutations, expected %d; %d of running ones",
            cases[k].n, cases[k].told, found, cases[k].mutations, of_others);
    }
    mk_optimizer_free(o);
}

int main(void)
{
    /* The best ones have died; of the five that live the ranks are 2, 4, 1, 5, 3. */
    static const double reward[ADDED] = {90, 91, 92, 93, 94, 95, 96, 4, 2, 5, 1, 3};
    static const size_t rank[ADDED] = {[7] = 2, [8] = 4, [9] = 1, [10] = 5, [11] = 3};
    struct mk_space *s = space_must("x: {real: [0, 1]}\ny: {real: [0, 1]}\nk: {categorical: [a, b]}\n");
    for (int sample = 1; sample <= 3; sample++) {
        struct mk_optimizer *o = make(s, sample);
        size_t wrong = 0, dead = 0, times[POPULATION + 1] = {0};
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            const size_t parent = parent_of(o, seed, reward, &wrong);
            dead += parent < ADDED - POPULATION;
            times[rank[parent]]++;
        }
        CHECK(!wrong && !dead, "sample %d: one hyperparameter differs, and the %d newest are parents", sample,
              POPULATION);
        /* The best of n draws with replacement from 5 has rank r with probability ((6 - r)^n - (5 - r)^n) / 5^n;
         * further than 5 standard deviations off is one of the 15 with probability 9e-6. */
        for (int r = 1; r <= POPULATION; r++) {
            const double p = (pow(6 - r, sample) - pow(5 - r, sample)) / pow(5, sample);
            CHECK(fabs((double)times[r] - SEEDS * p) < 5 * sqrt(SEEDS * p * (1 - p)),
                  "the parent has rank %d in %zu of %d, expected %.0f", r, times[r], SEEDS, SEEDS * p);
        }
        mk_optimizer_free(o);
    }
    check_beginning(s);
    mk_space_free(s);
    return CHECK_EXIT;
}

/* The sampling model of iterated racing. Expected: irace:::initialiseModel, updateModel (race 2 of 3, 10 new
 * configurations) and restartConfigurations of irace 3.5 in R 4.2, for x in [0, 1], k in {a, b, c} and n in 1 … 9. */
#include "sim/search/optimizers/parts/race_model.h"
#include "tests/support/check.h"
#include "tests/support/spaces.h"

enum { MODEL = 2 + 3 + 2 };

static void check_update(const struct mk_space *s)
{
    double model[MODEL];
    const double v[] = {0.3, 1, 3};
    CHECK(mk_race_model_length(s) == MODEL && mk_race_model_variables(s) == 3, "the numbers of a model");
    mk_race_model_start(s, model);
    mk_race_model_update(s, model, v, 2, 3, 10);
    CHECK_CLOSE(model[1], 0.23207944168063896, 1e-14, "standard deviation of x");
    CHECK_CLOSE(9 * model[6], 1.8566355334451117, 1e-14, "of n, in whole numbers");
    CHECK_CLOSE(model[2], 0.22222222222222224, 1e-14, "probability of a word");
    CHECK_CLOSE(model[3], 0.55555555555555558, 1e-14, "of the elite's word");
    CHECK(model[0] == 0.3 && fabs(model[5] - 2.5 / 9) < 1e-15, "centres");
    const double deviation = model[1];
    mk_race_model_widen(s, model, 10);
    CHECK_CLOSE(model[2], 0.23958333333333331, 1e-14, "soft restart: probability of a word");
    CHECK_CLOSE(model[3], 0.52083333333333326, 1e-14, "of the elite's word");
    CHECK_CLOSE(model[1], deviation, 1e-14, "not wider than after a first race");
    mk_race_model_update(s, model, v, 3, 3, 10);
    mk_race_model_widen(s, model, 10);
    CHECK_CLOSE(model[1], deviation, 1e-14, "but wider than after two");
}

/* Draws follow the model: five standard errors. */
static void check_draws(const struct mk_space *s)
{
    enum { N = 20000 };
    double model[MODEL], v[3], words[3] = {0, 0, 0}, sum = 0, squares = 0;
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 9, 9);
    mk_race_model_start(s, model);
    mk_race_model_update(s, model, (double[]){0.5, 1, 3}, 2, 3, 10);
    model[1] = 0.05; /* so that the truncation does not matter */
    for (int i = 0; i < N; i++) {
        mk_race_model_sample(s, model, &rng, v);
        words[(size_t)v[1]]++;
        sum += v[0] - 0.5;
        squares += (v[0] - 0.5) * (v[0] - 0.5);
    }
    for (int w = 0; w < 3; w++)
        CHECK(fabs(words[w] / N - model[2 + w]) < 5 * 0.5 / sqrt(N), "share of word %d: %.4f", w, words[w] / N);
    CHECK(fabs(sum / N) < 5 * 0.05 / sqrt(N) && fabs(sqrt(squares / N) / 0.05 - 1) < 5 / sqrt(2.0 * N),
          "a normal distribution around the elite");
    CHECK(mk_race_similar(s, (double[]){0.5, 1, 3}, (double[]){0.50009, 1, 3}) &&
              !mk_race_similar(s, (double[]){0.5, 1, 3}, (double[]){0.5002, 1, 3}) &&
              !mk_race_similar(s, (double[]){0.5, 1, 3}, (double[]){0.5, 2, 3}) &&
              !mk_race_similar(s, (double[]){0.5, 1, 3}, (double[]){0.5, 1, NAN}),
          "alike to 1e-4");
}

/* irace draws an ordinal that the elite lacks at random (sampleModel, `sample(possibleValues, 1)`), a number near its
 * ancestor's value. And numbers have its four digits (numeric_value_round) where their ranges have. */
static void check_as_irace(void)
{
    struct mk_space *s = space_must("k: {categorical: [a, b]}\no: {ordinal: [1, 2, 3, 4, 5, 6, 7, 8], when: {k: a}}\n"
                                    "x: {real: [0, 1], when: {k: a}}\n"
                                    "y: {real: [0.00001, 1], log: true}\n");
    const double with[] = {0, 0, 0.1, 0.5}, without[] = {1, NAN, NAN, 0.5};
    double *model = malloc(mk_race_model_length(s) * sizeof *model), v[4];
    struct mk_pcg64 rng;
    int active = 0, low_ordinal = 0, low_number = 0, off = 0, exact = 0;
    REQUIRE(model, "memory");
    mk_pcg64_seed(&rng, 1, 1);
    mk_race_model_start(s, model);
    mk_race_model_update(s, model, with, 2, 9, 1000);
    mk_race_model_update(s, model, without, 3, 9, 1000);
    for (int i = 0; i < 4000; i++) {
        mk_race_model_sample(s, model, &rng, v);
        if (v[0] == 0) {
            active++;
            low_ordinal += v[1] < 4;
            low_number += v[2] < 0.5;
        }
        mk_race_round(s, v);
        off += v[0] == 0 && fabs(v[2] * 1e4 - rint(v[2] * 1e4)) > 1e-9;
        exact += fabs(v[3] * 1e4 - rint(v[3] * 1e4)) > 1e-9;
    }
    /* 5 standard deviations of a half */
    CHECK(active > 400 && fabs((double)low_ordinal / active - 0.5) < 2.5 / sqrt(active) && low_number == active,
          "of %d draws the ordinal is low in %d, the number in %d", active, low_ordinal, low_number);
    CHECK(off == 0 && exact > 3900, "four decimals: %d numbers have more, and %d whose range has", off, exact);
    free(model);
    mk_space_free(s);
}

int main(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\nk: {categorical: [a, b, c]}\nn: {integer: [1, 9]}\n");
    check_update(s);
    check_draws(s);
    mk_space_free(s);
    check_as_irace();
    return CHECK_EXIT;
}

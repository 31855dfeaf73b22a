/* The sampling model of iterated racing. Expected: irace:::initialiseModel, updateModel (race 2 of 3, 10 new
 * configurations) and restartConfigurations of irace 3.5 in R 4.2, for x in [0, 1], k in {a, b, c} and n in 1 … 9. */
#include "policies/optimizers/parts/race_model.h"
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

int main(void)
{
    struct mk_space *s = space_must("x: {real: [0, 1]}\nk: {categorical: [a, b, c]}\nn: {integer: [1, 9]}\n");
    check_update(s);
    check_draws(s);
    mk_space_free(s);
    return CHECK_EXIT;
}

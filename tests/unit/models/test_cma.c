/* CMA-ES against cmaes 0.9.1 (tests/reference/cma_cmaes.py): mean, step size and variances after every generation fed
 * with the same points, and the evaluations that it needs to reach 1e-10. */
#include <stdlib.h>
#include <string.h>

#include "sim/base/order.h"
#include "sim/search/models/cma.h"
#include "tests/support/check.h"
#include "tests/unit/models/cma_answers.h"

enum { MOST = 10, LAMBDA = 16, SEARCHES = 400, LIMIT = 100000 };

static const bool none[LAMBDA];

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static double cost(const char *name, const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const double scale = strcmp(name, "ellipsoid") == 0 ? pow(10, 6 * (double)i / (double)(n - 1)) : 1;
        if (strcmp(name, "rosenbrock") != 0)
            sum += scale * (x[i] - 1) * (x[i] - 1);
        else if (i + 1 < n)
            sum += 100 * (x[i + 1] - x[i] * x[i]) * (x[i + 1] - x[i] * x[i]) + (1 - x[i]) * (1 - x[i]);
    }
    return sum;
}

static struct mk_cma *start(size_t n)
{
    double mean[MOST];
    struct mk_cma *c = malloc(mk_cma_bytes(n));
    REQUIRE(c && mk_cma_population(n) <= LAMBDA, "room for a generation");
    for (size_t i = 0; i < n; i++) mean[i] = 0.5;
    mk_cma_start(c, n, mk_cma_population(n), mean, 0.3);
    return c;
}

/* One generation of points x[lambda][n] with these costs. */
static void tell(struct mk_cma *c, double x[][MOST], const double *y, const bool *foreign, struct mk_pool *pool)
{
    const double *sorted[LAMBDA];
    uint32_t order[LAMBDA], scratch[LAMBDA];
    struct mk_error err = {0, ""};
    mk_ascending_order(y, order, scratch, c->lambda);
    for (size_t i = 0; i < c->lambda; i++) sorted[i] = x[order[i]];
    REQUIRE(!mk_cma_update(c, sorted, foreign, pool, &err), "%s", err.text);
}

static void check_generations(struct mk_pool *pool)
{
    struct mk_cma *c = start(DIMENSIONS);
    uint64_t state = 1;
    double x[LAMBDA][MOST], y[LAMBDA], worst[3] = {0};
    for (size_t g = 0; g < GENERATIONS; g++) {
        for (size_t i = 0; i < c->lambda; i++) {
            for (size_t j = 0; j < DIMENSIONS; j++)
                x[i][j] = mk_cma_mean(c)[j] + c->sigma * 3 * (uniform(&state) - 0.5);
            y[i] = cost("ellipsoid", x[i], DIMENSIONS);
        }
        tell(c, x, y, none, pool);
        worst[0] = fmax(worst[0], fabs(c->sigma / generations[g][0] - 1));
        for (size_t j = 0; j < DIMENSIONS; j++) {
            const double variance = mk_cma_covariance(c)[j * (DIMENSIONS + 1)];
            worst[1] = fmax(worst[1], fabs(mk_cma_mean(c)[j] - generations[g][1 + j]));
            worst[2] = fmax(worst[2], fabs(variance / generations[g][1 + DIMENSIONS + j] - 1));
        }
    }
    CHECK(c->generation == GENERATIONS && worst[0] < 1e-9 && worst[1] < 1e-9 && worst[2] < 1e-9,
          "%d generations as cmaes: sigma, mean, variances differ by %.1e, %.1e, %.1e", (int)GENERATIONS, worst[0],
          worst[1], worst[2]);
    free(c);
}

static double evaluations_of(const char *name, size_t n, uint64_t seed, struct mk_pool *pool)
{
    struct mk_cma *c = start(n);
    struct mk_pcg64 rng;
    double x[LAMBDA][MOST], y[LAMBDA];
    int used = 0;
    mk_pcg64_seed(&rng, seed, 1);
    while (used < LIMIT) {
        for (size_t i = 0; i < c->lambda; i++) {
            mk_cma_sample(c, &rng, x[i]);
            y[i] = cost(name, x[i], n);
            used++;
            if (y[i] > 1e-10) continue;
            free(c);
            return used;
        }
        tell(c, x, y, none, pool);
    }
    free(c);
    return LIMIT;
}

/* Further than 4 standard errors apart: probability 6e-5 each. */
static void check_evaluations(struct mk_pool *pool)
{
    for (size_t f = 0; f < sizeof evaluations / sizeof *evaluations; f++) {
        double sum = 0, squares = 0;
        for (uint64_t seed = 0; seed < SEARCHES; seed++) {
            const double n = evaluations_of(evaluations[f].name, (size_t)evaluations[f].dimensions, seed, pool);
            sum += n;
            squares += n * n;
        }
        const double mean = sum / SEARCHES, error = sqrt((squares / SEARCHES - mean * mean) / SEARCHES);
        CHECK(fabs(mean - evaluations[f].mean) < 4 * hypot(error, evaluations[f].error),
              "%s, %d dimensions: 1e-10 after %.0f +- %.0f evaluations, cmaes %.0f +- %.0f", evaluations[f].name,
              evaluations[f].dimensions, mean, error, evaluations[f].mean, evaluations[f].error);
    }
}

/* In 4 dimensions with C = I: a foreign point counts as if it were sqrt(4) + 8 / 6 sigmas away, one that was drawn as
 * it is. */
static void check_foreign(struct mk_pool *pool)
{
    static const double y[LAMBDA] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const bool all[LAMBDA] = {true, true, true, true, true, true, true, true};
    const double most = 2 + 8.0 / 6;
    double x[LAMBDA][MOST], mean[3];
    for (int i = 0; i < 3; i++) { /* far, far but foreign, at the bound */
        struct mk_cma *c = start(DIMENSIONS);
        for (size_t k = 0; k < c->lambda; k++)
            for (size_t j = 0; j < DIMENSIONS; j++) x[k][j] = 0.5 + (j == 0 ? 0.3 * (i == 2 ? most : 10) : 0);
        tell(c, x, y, i == 1 ? all : none, pool);
        mean[i] = mk_cma_mean(c)[0];
        free(c);
    }
    CHECK_CLOSE(mean[0], 0.5 + 0.3 * 10, 1e-12, "a point that was drawn counts as it is");
    CHECK_CLOSE(mean[1], 0.5 + 0.3 * most, 1e-12, "a foreign one with bounded length");
    CHECK_CLOSE(mean[2], mean[1], 1e-12, "as one at the bound");
}

static void check_narrow(void)
{
    struct mk_cma *c = start(2);
    CHECK(mk_cma_is_narrow(c, 0.31) && !mk_cma_is_narrow(c, 0.29), "standard deviations of .3");
    c->data[4 * 2] = 1e-4; /* of the first axis: .3 * .01 */
    CHECK(mk_cma_is_narrow(c, 0.31) && !mk_cma_is_narrow(c, 0.29), "of .003 and .3: the larger one counts");
    c->data[4 * 2 + 3] = 1e-4;
    CHECK(mk_cma_is_narrow(c, 0.0031) && !mk_cma_is_narrow(c, 0.0029), "of .003");
    free(c);
}

int main(void)
{
    struct mk_pool pool = {0};
    check_generations(&pool);
    check_evaluations(&pool);
    check_foreign(&pool);
    check_narrow();
    mk_pool_free(&pool);
    return CHECK_EXIT;
}

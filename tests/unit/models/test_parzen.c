/* Parzen estimators against Optuna's on 200 random histories (tests/reference/parzen_optuna.py), by hand, and their
 * draws against their densities. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/search/models/parzen.h"
#include "tests/support/check.h"
#include "tests/unit/models/parzen_answers.h"

enum { HISTORIES = sizeof answers / sizeof *answers, MOST = 100, AXES = 4 };

/* ---- the histories of the reference ---- */

static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static size_t below(uint64_t *state, size_t n)
{
    return (size_t)(uniform(state) * (double)n);
}

struct kind {
    size_t kind, levels; /* 0 real, 1 whole, 2 word, 3 whole on a log scale */
};

/* The place in the unit interval; words by their number. */
static double place(struct kind k, double u)
{
    const double levels = (double)k.levels, cell = floor(u * levels);
    if (k.kind == 0) return u;
    if (k.kind == 1) return (cell + 0.5) / levels;
    if (k.kind == 2) return cell;
    return (log(cell + 1) - log(0.5)) / (log(levels + 0.5) - log(0.5));
}

static struct mk_parzen_axis axis_of(struct kind k)
{
    return (struct mk_parzen_axis){k.kind == 2 ? k.levels : 0, k.kind == 1 ? 1 / (double)k.levels : 0};
}

struct history {
    size_t n, d, n_below;
    struct mk_parzen_axis axis[AXES];
    double u[MOST][AXES], loss[MOST], x[AXES];
    double part[2][MOST][AXES];
};

static void make_history(struct history *h, uint64_t seed)
{
    struct kind kind[AXES];
    size_t at[2] = {0, 0};
    h->n = 10 + below(&seed, 90);
    h->d = 1 + below(&seed, 4);
    for (size_t j = 0; j < h->d; j++) {
        kind[j].kind = below(&seed, 4);
        kind[j].levels = 2 + below(&seed, 11);
        h->axis[j] = axis_of(kind[j]);
    }
    for (size_t i = 0; i < h->n; i++)
        for (size_t j = 0; j < h->d; j++) h->u[i][j] = place(kind[j], uniform(&seed));
    for (size_t i = 0; i < h->n; i++) h->loss[i] = uniform(&seed);
    for (size_t j = 0; j < h->d; j++) h->x[j] = place(kind[j], uniform(&seed));
    h->n_below = (size_t)ceil(0.1 * (double)h->n);
    for (size_t i = 0; i < h->n; i++) {
        size_t rank = 0;
        for (size_t j = 0; j < h->n; j++) rank += h->loss[j] < h->loss[i];
        const size_t part = rank >= h->n_below;
        memcpy(h->part[part][at[part]++], h->u[i], sizeof h->u[i]);
    }
}

/* log l - log g from axis `first` to before `end`. */
static double log_ratio(struct mk_parzen *p, const struct history *h, size_t first, size_t end,
                        enum mk_bandwidth bandwidth, bool normalise)
{
    double density[2];
    struct mk_error err;
    for (size_t part = 0; part < 2; part++) {
        if (mk_parzen_build(p, h->axis + first, end - first, &h->part[part][0][first], AXES,
                            part ? h->n - h->n_below : h->n_below, bandwidth, normalise, &err))
            return NAN;
        density[part] = mk_parzen_log_density(p, h->x + first);
    }
    return density[0] - density[1];
}

static void check_against_optuna(void)
{
    static struct history h;
    struct mk_parzen p = {0};
    double worst[4] = {0};
    for (size_t i = 0; i < HISTORIES; i++) {
        make_history(&h, i + 1);
        for (size_t normalise = 0; normalise < 2; normalise++) {
            double one_by_one = 0;
            for (size_t j = 0; j < h.d; j++) one_by_one += log_ratio(&p, &h, j, j + 1, MK_BANDWIDTH_GAP, normalise);
            double at_once = log_ratio(&p, &h, 0, h.d, MK_BANDWIDTH_SCOTT, normalise);
            worst[2 * normalise] = fmax(worst[2 * normalise], fabs(one_by_one - answers[i][2 * normalise]));
            worst[2 * normalise + 1] = fmax(worst[2 * normalise + 1], fabs(at_once - answers[i][2 * normalise + 1]));
        }
    }
    for (size_t i = 0; i < 4; i++)
        CHECK(worst[i] < 1e-10, "log l - log g on %d histories: %s, kernels %s: within %.1e", (int)HISTORIES,
              i % 2 ? "all axes at once" : "axes one by one", i / 2 ? "normalised" : "as in Optuna 3.1", worst[i]);
    mk_parzen_free(&p);
}

/* ---- by hand ---- */

/* x = .1 .15 .4 .41 .9: the study's values of Optuna 3.1 at .12 and .5, and with normalised kernels by
 * scipy.stats.truncnorm 1.10. */
static void check_example(void)
{
    static const double u[] = {0.1, 0.15, 0.4, 0.41, 0.9}, at[] = {0.12, 0.5};
    static const double want[2][2][2] = {
        {{-0.90949805, -0.91958929}, {-1.06500835, -1.24022295}},
        {{0.32707978175294034, 0.1308513837829284}, {0.3543464510184247, -0.02872416501777728}}};
    static const double sigma[] = {1 / 7.0, 0.25, 0.25, 1 / 7.0, 0.4, 1};
    const struct mk_parzen_axis axis = {0, 0};
    struct mk_parzen p = {0};
    struct mk_error err;
    int code = 0;
    for (size_t normalise = 0; normalise < 2; normalise++)
        for (size_t scott = 0; scott < 2; scott++) {
            code |=
                mk_parzen_build(&p, &axis, 1, u, 1, 5, scott ? MK_BANDWIDTH_SCOTT : MK_BANDWIDTH_GAP, normalise, &err);
            for (size_t i = 0; i < 2 && !code; i++)
                CHECK(fabs(mk_parzen_log_density(&p, &at[i]) - want[normalise][scott][i]) < (normalise ? 1e-12 : 5e-9),
                      "five observations, %s, at %g", scott ? "scott" : "gap", at[i]);
            for (size_t i = 0; i < 6 && !code && !scott; i++)
                CHECK_CLOSE(p.sigma[i], sigma[i], 1e-15, "bandwidth %zu", i);
        }
    mk_parzen_free(&p); /* one kernel in memory that had no other terms before */
    code |= mk_parzen_build(&p, &axis, 1, u, 1, 0, MK_BANDWIDTH_GAP, true, &err);
    /* log of phi(0) / (2 Phi(1/2) - 1) */
    CHECK_CLOSE(mk_parzen_log_density(&p, (double[]){0.5}), log(0.39894228040143268 / 0.38292492254802624), 1e-12,
                "the prior alone");
    mk_parzen_free(&p);
}

/* ---- draws ---- */

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

enum { DRAWS = 20000, GRID = 4000, OBSERVATIONS = 40, CELLS = 8 };

static double real(double v)
{
    return v;
}
static double one_of_five(double v)
{
    return floor(5 * v);
}
static double middle_of_eighth(double v)
{
    return (floor(8 * v) + 0.5) / 8;
}

/* A density of observations that are products of two random numbers as `of` maps them, and draws from it. It refers to
 * the axis, and to the observations u. */
static void draw(struct mk_parzen *p, double *u, double *x, const struct mk_parzen_axis *axis, double (*of)(double v),
                 mk_u128 seed)
{
    struct mk_error err;
    struct mk_pcg64 rng;
    mk_pcg64_seed(&rng, 1, seed);
    for (size_t i = 0; i < OBSERVATIONS; i++) u[i] = of(mk_uniform(&rng) * mk_uniform(&rng));
    REQUIRE(!mk_parzen_build(p, axis, 1, u, 1, OBSERVATIONS, MK_BANDWIDTH_GAP, true, &err), "a density: %s", err.text);
    for (size_t i = 0; i < DRAWS; i++) mk_parzen_sample(p, &rng, &x[i]);
}

/* Against the integral of the density by Kolmogorov-Smirnov: sqrt n D above 2.3 has probability 5e-5. */
static void check_real_draws(void)
{
    static const struct mk_parzen_axis axis = {0, 0};
    static double x[DRAWS];
    struct mk_parzen p = {0};
    double u[OBSERVATIONS], cdf = 0, d = 0;
    size_t at = 0;
    draw(&p, u, x, &axis, real, 2);
    qsort(x, DRAWS, sizeof *x, compare);
    for (size_t g = 0; g < GRID; g++) {
        const double middle = ((double)g + 0.5) / GRID;
        cdf += exp(mk_parzen_log_density(&p, &middle)) / GRID;
        while (at < DRAWS && x[at] < ((double)g + 1) / GRID) at++;
        d = fmax(d, fabs((double)at / DRAWS - cdf));
    }
    CHECK(fabs(cdf - 1) < 1e-5 && d * sqrt(DRAWS) < 2.3, "draws follow the density: sqrt n D = %.2f", d * sqrt(DRAWS));
    mk_parzen_free(&p);
}

/* n values (c + offset) / per; the chi-square against their densities is at most `most`. */
static void check_discrete_draws(const char *what, struct mk_parzen_axis axis, double (*of)(double v), size_t n,
                                 double offset, double per, double most)
{
    static double x[DRAWS];
    double u[OBSERVATIONS], count[CELLS] = {0}, chi = 0, total = 0;
    struct mk_parzen p = {0};
    draw(&p, u, x, &axis, of, 3);
    for (size_t i = 0; i < DRAWS; i++) count[(size_t)(x[i] * per)]++;
    for (size_t c = 0; c < n; c++) {
        const double at = ((double)c + offset) / per, expected = DRAWS * exp(mk_parzen_log_density(&p, &at));
        chi += (count[c] - expected) * (count[c] - expected) / expected;
        total += expected;
    }
    CHECK(fabs(total / DRAWS - 1) < 1e-12 && chi < most, "draws of %s: chi-square %.1f", what, chi);
    mk_parzen_free(&p);
}

/* Of words and cells with 4 and 7 degrees of freedom; above 27.9 and 34 with probability 1.3e-5 and 1.7e-5. */
static void check_draws(void)
{
    check_real_draws();
    check_discrete_draws("words", (struct mk_parzen_axis){5, 0}, one_of_five, 5, 0, 1, 27.9);
    check_discrete_draws("cells", (struct mk_parzen_axis){0, 0.125}, middle_of_eighth, CELLS, 0.5, CELLS, 34);
}

/* A draw takes one random number for the kernel and one for every axis, and writes as many values. */
static void check_random_numbers(void)
{
    static const struct mk_parzen_axis axis[2] = {{0, 0}, {0, 0}};
    static const double u[] = {0.1, 0.7, 0.4, 0.2, 0.9, 0.5};
    double x[3] = {7, 7, 7};
    struct mk_parzen p = {0};
    struct mk_error err;
    struct mk_pcg64 rng, other;
    mk_pcg64_seed(&rng, 3, 4);
    other = rng;
    REQUIRE(!mk_parzen_build(&p, axis, 2, u, 2, 3, MK_BANDWIDTH_GAP, true, &err), "a density: %s", err.text);
    mk_parzen_sample(&p, &rng, x);
    for (int i = 0; i < 3; i++) mk_uniform(&other);
    CHECK(mk_uniform(&rng) == mk_uniform(&other) && x[0] < 1 && x[1] < 1 && x[2] == 7, "random numbers of a draw");
    mk_parzen_free(&p);
}

int main(void)
{
    check_random_numbers();
    check_against_optuna();
    check_example();
    check_draws();
    return CHECK_EXIT;
}

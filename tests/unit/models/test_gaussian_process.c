/* Gaussian processes. Expected values: scikit-learn 1.2.1, GaussianProcessRegressor(optimizer=None) with kernel
 * ConstantKernel(1.7) * Matern([w ^ -1/2], nu=2.5) (or RBF) + WhiteKernel(.020001); posterior with the noise as
 * `alpha`; its gradients with respect to log length scales, times -1/2. The nominal input is represented there by
 * indicators / sqrt 2. */
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>

#include "sim/base/pcg64.h"
#include "sim/search/models/cholesky.h"
#include "sim/search/models/gp_ascent.h"
#include "tests/support/check.h"

enum { N = 12, D = 4 };

static const bool nominal[D] = {false, false, false, true};
static const size_t weight_of[D] = {0, 1, 2, 3};

struct data {
    double x[D * N], y[N];
};

static struct data make_data(void)
{
    struct data a;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 3; j++) a.x[j * N + i] = (7 * i + 3 * j * j + i * j) % 11 / 11.0;
        a.x[3 * N + i] = i * i % 3;
        a.y[i] = (5 * i * i + 2) % 13 / 13.0 - 0.5;
    }
    return a;
}

struct expected {
    const char *name;
    enum mk_gp_shape shape;
    size_t d;
    double likelihood, gradient[6], mean[3], variance[3];
};

static const struct expected cases[] = {
    {"Matern",
     MK_GP_MATERN,
     3,
     -12.305486125953115,
     {-0.1521001654172105, -0.68958559268859942, -0.86960569837195734, -3.5122378804513232, 3.0820608119928949},
     {-0.32101603270981194, 0.46737411401375795, -0.019466642216688257},
     {0.079081219142298056, 0.18075618841079977, 0.34083755325356585}},
    {"squared exponential",
     MK_GP_SQUARED_EXPONENTIAL,
     3,
     -12.431250214498782,
     {1.1720695793705276, -0.40095994112712319, -1.0561904869456047, -2.2497019103991107, 4.2562915789782982},
     {-0.20787043595071664, 0.6286836261388089, -0.07734607444928443},
     {0.029067860014607042, 0.066595056602069436, 0.16358021162682279}},
    {"Matern with a nominal input",
     MK_GP_MATERN,
     4,
     -10.856458897151645,
     {-0.35298524462278091, -0.58707156263546889, -0.69142924303142106, -2 * 0.10151463529890721, -4.2642372367838419,
      -0.071946045130388284},
     {0.080362702755038151, 0.41589988312479187, -0.073746257821337063},
     {0.88716498503027397, 0.19882081009905495, 1.3667701558596002}},
};

static const double points[3][D] = {{0.5, 0.25, 0.75, 0}, {0.1, 0.9, 0.3, 1}, {2 / 11.0, 1, 0, 2}};

static void set_theta(const struct mk_gp *g, double *theta)
{
    static const double weight[4] = {2, 0.5, 7, 1.5};
    for (size_t i = 0; i < g->n_weights; i++) theta[i] = log(weight[i]);
    theta[g->n_weights] = log(1.7);
    theta[g->n_weights + 1] = log(0.02);
}

static void check_case(const struct expected *e)
{
    struct data a = make_data();
    struct mk_gp g = {e->shape, e->d, nominal, weight_of, e->d};
    struct mk_gp_work w = {0};
    struct mk_error err;
    double theta[6], gradient[6], l[N * (N + 1) / 2], alpha[N];
    set_theta(&g, theta);
    REQUIRE(!mk_gp_reserve(&w, N, &err), "room: %s", err.text);
    CHECK_CLOSE(mk_gp_log_likelihood(&g, theta, a.x, N, a.y, N, gradient, &w), e->likelihood, 1e-12,
                "%s: log likelihood", e->name);
    for (size_t i = 0; i < mk_gp_parameters(&g); i++)
        CHECK_CLOSE(gradient[i], e->gradient[i], 1e-9, "%s: its derivative %zu", e->name, i);
    mk_gp_covariance(&g, theta, a.x, N, 0, N, l);
    mk_cholesky_extend(l, 0, N);
    memcpy(alpha, a.y, sizeof alpha);
    mk_cholesky_forward(l, N, alpha);
    mk_cholesky_backward(l, N, alpha);
    for (size_t i = 0; i < 3; i++) {
        double mean, variance, slope[2 * D], p[D], shifted[2][2];
        memcpy(p, points[i], sizeof p);
        mk_gp_predict(&g, theta, a.x, N, N, l, alpha, p, &mean, &variance, slope, &w);
        CHECK_CLOSE(mean, e->mean[i], 1e-9, "%s: posterior mean %zu", e->name, i);
        CHECK_CLOSE(variance, e->variance[i], 1e-9, "%s: posterior variance %zu", e->name, i);
        for (size_t j = 0; j < 3; j++) {
            const double step = 1e-5;
            for (int side = 0; side < 2; side++) {
                p[j] = points[i][j] + (side ? step : -step);
                mk_gp_predict(&g, theta, a.x, N, N, l, alpha, p, &shifted[side][0], &shifted[side][1], NULL, &w);
            }
            p[j] = points[i][j];
            CHECK(fabs((shifted[1][0] - shifted[0][0]) / (2 * step) - slope[j]) < 1e-7 &&
                      fabs((shifted[1][1] - shifted[0][1]) / (2 * step) - slope[e->d + j]) < 1e-7,
                  "%s: derivatives at point %zu against differences", e->name, i);
        }
    }
    mk_gp_work_free(&w);
}

/* The gradient of likelihood and prior against differences, with two inputs that share a weight. */
static void check_differences(void)
{
    static const size_t shared[D] = {0, 0, 1, 2};
    struct data a = make_data();
    struct mk_gp g = {MK_GP_MATERN, D, nominal, shared, 3};
    struct mk_gp_work w = {0};
    struct mk_error err;
    double theta[5] = {0.3, -0.4, 0.2, 0.5, -3}, gradient[5], prior[5] = {0};
    REQUIRE(!mk_gp_reserve(&w, N, &err), "room: %s", err.text);
    mk_gp_log_likelihood(&g, theta, a.x, N, a.y, N, gradient, &w);
    mk_gp_log_prior(&g, theta, prior);
    for (size_t i = 0; i < 5; i++) {
        double at = theta[i], likelihood[2], density[2];
        for (int side = 0; side < 2; side++) {
            theta[i] = at + (side ? 1e-5 : -1e-5);
            likelihood[side] = mk_gp_log_likelihood(&g, theta, a.x, N, a.y, N, NULL, &w);
            density[side] = mk_gp_log_prior(&g, theta, NULL);
        }
        theta[i] = at;
        CHECK(fabs((likelihood[1] - likelihood[0]) / 2e-5 - gradient[i]) < 1e-6 &&
                  fabs((density[1] - density[0]) / 2e-5 - prior[i]) < 1e-6,
              "derivative %zu of likelihood and prior against differences", i);
    }
    mk_gp_work_free(&w);
}

/* Gradients of the acquisition functions against differences; ascents from 50 points never lower the acquisition,
 * nearly always raise it, leave other inputs alone, and end where the gradient in the moving inputs is small. */
static void check_ascents(struct mk_gp_rule *r, const char *name, struct mk_gp_work *w)
{
    static const size_t moving[2] = {0, 2};
    struct mk_error err;
    struct mk_pcg64 rng;
    double gradient[2 * D], steepest[2] = {0}, off = 0;
    int lower = 0, higher = 0, left = 0;
    mk_pcg64_seed(&rng, 1, 1);
    for (int k = 0; k < 50; k++) {
        double p[D] = {0, 0, 0, (double)(k % 3)}, from[D];
        for (int j = 0; j < 3; j++) p[j] = 0.05 + 0.9 * mk_uniform(&rng);
        memcpy(from, p, sizeof p);
        const double before = mk_gp_acquire(r, p, gradient, w);
        for (int j = 0; j < D; j++) {
            double side[2];
            for (int up = 0; up < 2; up++) {
                if (j < 3) p[j] = from[j] + (up ? 1e-5 : -1e-5);
                side[up] = mk_gp_acquire(r, p, NULL, w);
            }
            p[j] = from[j];
            off = fmax(off, fabs((side[1] - side[0]) / 2e-5 - gradient[j]) / (1 + fabs(gradient[j])));
        }
        for (int j = 0; j < 2; j++) steepest[0] += fabs(gradient[moving[j]]);
        REQUIRE(!mk_gp_ascend(r, p, moving, 2, 100, gradient, w, &err), "ascent: %s", err.text);
        const double after = mk_gp_acquire(r, p, gradient, w);
        for (int j = 0; j < 2; j++)
            steepest[1] += fabs(gradient[moving[j]]) * (p[moving[j]] * (1 - p[moving[j]]) > 1e-6);
        lower += after < before - 1e-12;
        higher += after > before;
        left += p[1] != from[1] || p[3] != from[3];
    }
    CHECK(off < 1e-5, "%s: gradients against differences, largest error %g", name, off);
    CHECK(lower == 0 && higher >= 48 && left == 0, "%s: of 50 ascents %d rise, %d fall, %d move other inputs", name,
          higher, lower, left);
    CHECK(steepest[1] < 0.01 * steepest[0], "%s: gradients of %g before the ascents, of %g after", name, steepest[0],
          steepest[1]);
}

static void check_acquisitions(void)
{
    static const char *const names[] = {"ei", "logei", "pi", "ucb"};
    struct data a = make_data();
    struct mk_gp g = {MK_GP_MATERN, D, nominal, weight_of, D};
    struct mk_gp_work w = {0};
    struct mk_error err;
    double theta[6], l[N * (N + 1) / 2], best = -INFINITY;
    set_theta(&g, theta);
    REQUIRE(!mk_gp_reserve(&w, N, &err), "room: %s", err.text);
    mk_gp_covariance(&g, theta, a.x, N, 0, N, l);
    mk_cholesky_extend(l, 0, N);
    for (int i = 0; i < N; i++) best = fmax(best, a.y[i]);
    mk_cholesky_forward(l, N, a.y);
    mk_cholesky_backward(l, N, a.y);
    for (int k = 0; k < 4; k++) {
        const enum mk_acquisition kind = (enum mk_acquisition)mk_choice_find(MK_ACQUISITION_CHOICES, names[k]);
        struct mk_gp_rule r = {&g, theta, a.x, N, N, l, a.y, kind, best, mk_acquisition_xi(kind, NAN)};
        check_ascents(&r, names[k], &w);
    }
    mk_gp_work_free(&w);
}

/* A function of only the first input, without noise: its weight grows, the other one and the noise shrink. */
static void check_fit(void)
{
    enum { POINTS = 60 };
    static const size_t own[2] = {0, 1};
    static const bool none[2] = {false, false};
    struct mk_gp g = {MK_GP_MATERN, 2, none, own, 2};
    struct mk_gp_work w = {0};
    struct mk_error err;
    struct mk_pcg64 rng;
    double x[2 * POINTS], y[POINTS], theta[4], before, gradient[4], steepest = 0;
    mk_pcg64_seed(&rng, 1, 1);
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = mk_uniform(&rng);
        x[POINTS + i] = mk_uniform(&rng);
        y[i] = sin(9 * x[i]);
    }
    mk_gp_default(&g, theta);
    int code = mk_gp_reserve(&w, POINTS, &err);
    before = mk_gp_log_likelihood(&g, theta, x, POINTS, y, POINTS, NULL, &w) + mk_gp_log_prior(&g, theta, NULL);
    if (!code) code = mk_gp_fit(&g, theta, x, POINTS, y, POINTS, 100, &w, &err);
    double after = mk_gp_log_likelihood(&g, theta, x, POINTS, y, POINTS, gradient, &w);
    after += mk_gp_log_prior(&g, theta, gradient);
    for (size_t i = 0; i < 4; i++) steepest = fmax(steepest, fabs(gradient[i]));
    CHECK(!code && after > before + 50 && steepest < 0.05, "posterior from %g up to %g, its gradient %g", before, after,
          steepest);
    CHECK(exp(theta[0]) > 5 && exp(theta[1]) < 0.2 && exp(theta[3]) < 1e-3, "weights %g and %g, noise %g",
          exp(theta[0]), exp(theta[1]), exp(theta[3]));
    mk_gp_work_free(&w);
}

int main(void)
{
    gsl_set_error_handler_off();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(&cases[i]);
    check_differences();
    check_acquisitions();
    check_fit();
    return CHECK_EXIT;
}

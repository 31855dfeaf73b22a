/* Hu et al. 2019, Table 1: share of 1000 pulls on the best arm (index 0) of seven Gaussian arms, theta = .01, gamma =
 * 20, beta = .85, epsilon = .1, temperature .1; the paper averages three runs. 300 runs here, fixed seed.
 *
 * `want` are shares recomputed independently of this program (design notes of the project, three significant digits),
 * each with the reading of the policy that produced it. A check allows 4.5 of our standard errors
 * (false alarm 7e-6 each) plus a margin for the rounding and the error of the recomputed number. */
#include <gsl/gsl_cdf.h>

#include "tests/support/check.h"
#include "tests/support/drive_policy.h"

enum { ARMS = 7, T = 1000, RUNS = 300 };

static const double mu[ARMS] = {.84, .84, .85, .85, .88, .88, .89};
static const double sigma[ARMS] = {.07, .01, .04, .02, .01, .02, .01};

struct row {
    const char *policy, *options, *published;
    double want, margin;
};

static const struct row rows[] = {
    {"er_ucb_s", "beta=0.85", ".90 +- .01", .892, .01},
    {"er_ucb_s", "beta=0.85 gamma_on=mean", ".90 +- .01", .127, .005},
    {"ucb", "alpha=0.005", ".01 +- .01", .010, .003},
    {"ucb", "alpha=2", ".01 +- .01", .124, .003},
    {"ucb", "alpha=0.5", ".01 +- .01", .106, .003},
    {"epsilon_greedy", "", ".31 +- .42", .017, .003},
    {"epsilon_greedy", "statistic=max", ".31 +- .42", .47, .06},
    {"softmax", "", ".18 +- .01", .112, .004},
    {"softmax", "statistic=max", ".18 +- .01", .31, .02},
    {"random", "", ".15 +- .01", .143, .001},
};

/* The tape of a run: the same for every policy. */
static void fill(double *reward, uint64_t run)
{
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_word(mk_key_text(mk_key_start(), "hu2019"), run));
    for (size_t k = 0; k < ARMS; k++)
        for (size_t n = 0; n < T; n++) reward[k * T + n] = mu[k] + sigma[k] * gsl_cdf_ugaussian_Pinv(mk_uniform(&rng));
}

static double share(struct drive *d, const double *reward, uint64_t run)
{
    size_t n[ARMS] = {0};
    drive_start(d, run);
    for (uint64_t t = 1; t <= T; t++) {
        size_t arm = drive_select(d, t);
        d->type->update(d->state, arm, reward[arm * T + n[arm]++], t);
    }
    return (double)n[0] / T;
}

static void check_row(const struct row *r, const double *tapes)
{
    struct drive d;
    double sum = 0, square = 0;
    int open = drive_open(&d, r->policy, r->options, ARMS, T) == 0;
    for (uint64_t run = 0; open && run < RUNS; run++) {
        double x = share(&d, tapes + run * ARMS * T, run);
        sum += x;
        square += x * x;
    }
    double mean = sum / RUNS, sd = sqrt(square / RUNS - mean * mean), se = sd / sqrt(RUNS);
    CHECK(open && fabs(mean - r->want) < r->margin + 4.5 * se, "%s {%s}: %.4f +- %.4f (recomputed %.3f, published %s)",
          r->policy, r->options, mean, sd, r->want, r->published);
    if (open) drive_close(&d);
}

int main(void)
{
    double *tapes = malloc(sizeof *tapes * RUNS * ARMS * T);
    CHECK(tapes != NULL, "room for the tapes of %d runs", RUNS);
    for (uint64_t run = 0; tapes && run < RUNS; run++) fill(tapes + run * ARMS * T, run);
    for (size_t i = 0; tapes && i < sizeof rows / sizeof *rows; i++) check_row(&rows[i], tapes);
    free(tapes);
    return CHECK_EXIT;
}

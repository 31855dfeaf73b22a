/* Intervals of average ranks: they contain the average rank, and cover what they are said to, by simulation of data
 * sets whose expected ranks are known. The score of policy p on instance i is the mean of R repetitions N(a_ip,
 * NOISE^2) with a_ip ~ N(mean_p, 1), so that its expected rank is 1 plus the sum over the other policies q of P(q beats
 * p), a normal probability: over all instances the difference of two scores has the variance 2 (1 + NOISE^2 / R), on
 * given ones 2 NOISE^2 / R.
 *
 * Seeds are fixed. Coverage has to lie within 4 standard errors of the nominal range stated for it: with other seeds a
 * check of a coverage at the very end of its range would fail falsely with probability 3e-5. */
#include <gsl/gsl_cdf.h>

#include "analysis/compare/rank.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

enum { P = 4, MOST_INSTANCES = 40, MOST_REPETITIONS = 20, SETS = 400 };
static const double mean_of_policy[P] = {0, 0.2, 0.5, 1}, NOISE = 1.5;

/* Data sets of one size. */
struct cell {
    size_t n;
    uint64_t R;
    double reward[MOST_INSTANCES * P * MOST_REPETITIONS], reached[MOST_INSTANCES * MOST_REPETITIONS];
    double level[MOST_INSTANCES][P];
};

static double normal(struct mk_pcg64 *rng)
{
    return gsl_cdf_ugaussian_Pinv(mk_uniform(rng));
}

static void draw(struct cell *c, uint64_t set)
{
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_word(mk_key_word(mk_key_text(mk_key_start(), "coverage"), c->n * 1000 + c->R), set));
    for (size_t i = 0; i < c->n; i++)
        for (size_t p = 0; p < P; p++) {
            c->level[i][p] = mean_of_policy[p] + normal(&rng);
            for (size_t r = 0; r < c->R; r++) c->reward[(i * P + p) * c->R + r] = c->level[i][p] + NOISE * normal(&rng);
        }
}

static double expected_rank(const double *level, size_t p, double variance)
{
    double rank = 1;
    for (size_t q = 0; q < P; q++)
        if (q != p) rank += gsl_cdf_ugaussian_P((level[q] - level[p]) / sqrt(2 * variance));
    return rank;
}

/* Shares of policies covered, over the data sets, with the standard error. */
struct coverage {
    double share, error;
    size_t outside; /* average ranks outside their own interval */
};

static struct coverage simulate(struct cell *c, enum mk_resample what, uint64_t resamples)
{
    static char *instance[MOST_INSTANCES];
    static char name[MOST_INSTANCES][24];
    uint64_t own[MOST_INSTANCES], horizon = 1;
    size_t policy[P] = {0, 1, 2, 3}, first = 0;
    struct mk_truth truth = {0};
    const struct mk_rank_options o = {.resample = what,
                                      .resamples = resamples,
                                      .seed = 1,
                                      .confidence = 0.95,
                                      .alpha = 0.05,
                                      .region = NAN,
                                      .tolerance = 1e-8};
    double sum = 0, squares = 0;
    struct coverage out = {0};
    for (size_t i = 0; i < c->n; i++) {
        snprintf(name[i], sizeof name[i], "i%zu", i);
        instance[i] = name[i];
        own[i] = c->R;
    }
    struct mk_result_info info = {.n_policies = P,
                                  .n_instances = c->n,
                                  .n_horizons = 1,
                                  .replications = c->R,
                                  .own_replications = own,
                                  .instance = instance,
                                  .horizon = &horizon,
                                  .truth = &truth};
    struct mk_scored_instance scored[MOST_INSTANCES];
    for (size_t i = 0; i < c->n; i++) scored[i] = (struct mk_scored_instance){&info, i};
    const struct mk_scores s = {.info = &info,
                                .instance = scored,
                                .n_policies = P,
                                .n_instances = c->n,
                                .n_horizons = 1,
                                .replications = c->R,
                                .policy = policy,
                                .horizon = &first,
                                .reward = c->reward,
                                .reached = c->reached};
    for (uint64_t set = 0; set < SETS; set++) {
        struct mk_comparison *got;
        struct mk_error err;
        double covered = 0;
        draw(c, set);
        REQUIRE(mk_compare(&got, &s, 0, 0, &o, &err) == MK_OK, "%s", err.text);
        for (size_t p = 0; p < P; p++) {
            const struct mk_standing *of = &got->standing[p];
            double want = 0;
            if (what == MK_RESAMPLE_REPETITIONS)
                for (size_t i = 0; i < c->n; i++)
                    want += expected_rank(c->level[i], p, NOISE * NOISE / (double)c->R) / (double)c->n;
            else
                want = expected_rank(mean_of_policy, p, 1 + NOISE * NOISE / (double)c->R);
            covered += of->rank_boot.low <= want && want <= of->rank_boot.high;
            out.outside += !(of->rank_boot.low <= of->rank && of->rank <= of->rank_boot.high);
        }
        mk_comparison_free(got);
        sum += covered / P;
        squares += covered / P * covered / P;
    }
    out.share = sum / SETS;
    out.error = sqrt((squares / SETS - out.share * out.share) / SETS);
    return out;
}

int main(void)
{
    static const struct {
        size_t n, R;
        enum mk_resample what;
        uint64_t resamples;
        double low, high; /* nominal range of the coverage */
    } cases[] = {
        {5, 10, MK_RESAMPLE_INSTANCES, 400, 0.91, 0.96},   {10, 10, MK_RESAMPLE_INSTANCES, 400, 0.93, 0.96},
        {20, 2, MK_RESAMPLE_INSTANCES, 400, 0.94, 0.96},   {40, 5, MK_RESAMPLE_INSTANCES, 400, 0.94, 0.96},
        {10, 10, MK_RESAMPLE_BOTH, 200, 0.94, 0.99},       {20, 2, MK_RESAMPLE_BOTH, 200, 0.95, 0.99},
        {10, 20, MK_RESAMPLE_REPETITIONS, 200, 0.9, 0.96}, {20, 5, MK_RESAMPLE_REPETITIONS, 200, 0.89, 0.96},
    };
    static const char *const name[] = {"instances", "repetitions", "both"};
    static struct cell c;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        c.n = cases[i].n;
        c.R = cases[i].R;
        const struct coverage got = simulate(&c, cases[i].what, cases[i].resamples);
        CHECK(got.share > cases[i].low - 4 * got.error && got.share < cases[i].high + 4 * got.error,
              "%s, %zu instances of %zu repetitions: coverage %.3f (standard error %.3f)", name[cases[i].what],
              cases[i].n, cases[i].R, got.share, got.error);
        CHECK(got.outside == 0, "every average rank is within its interval (%zu are not)", got.outside);
    }
    return CHECK_EXIT;
}

/* Growth fits of results whose pulls follow known rates: 3 T^0.4 and 20 log T, spread over the replications. */
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "analysis/compare/growth_fit.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

enum { REPLICATIONS = 40, HORIZONS = 7, ARMS = 2, POLICIES = 3, SAMPLES = 100 };

static const char text[] =
    "name: growth\nproblem:\n  arms: [{family: uniform, lo: 0, hi: 0.9}, {family: uniform, lo: 0, hi: 1}]\n"
    "policies: [{name: max_ucb, alpha: 0.5}, uniform, {name: max_ucb, scale: minmax, label: scaled}]\n"
    "horizons: {from: 1e2, to: 1e8, per_decade: 1}\nreplications: 40\nkeep: %s\n";

static struct scratch scratch;

/* Factors of mean and median 1, up to 5 % away from it. */
static double spread(uint64_t r)
{
    return 1 + 0.05 * ((double)r - (REPLICATIONS - 1) / 2.0) / ((REPLICATIONS - 1) / 2.0);
}

/* Pulls of the suboptimal arm 0. */
static double pulls_of(size_t policy, double T, uint64_t r)
{
    return round((policy == 1 ? 20 * log(T) : 3 * pow(T, 0.4)) * spread(r));
}

static int write_result(const char *path, const char *keep, struct mk_error *err)
{
    static const char *const engine[] = {"record", "record", "record"};
    static uint64_t pulls[POLICIES * HORIZONS * REPLICATIONS * ARMS];
    static double max_reward[POLICIES * HORIZONS * REPLICATIONS];
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_writer *w = NULL;
    char full[600];
    const struct mk_volatile v = {"", 1, 1};
    int n = snprintf(full, sizeof full, text, keep);
    int code = mk_experiment_parse(&e, "growth", full, (size_t)n, MK_NEED_PROBLEM | MK_NEED_RUN, err);
    if (!code) code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, err);
    for (size_t c = 0; !code && c < POLICIES * HORIZONS; c++)
        for (uint64_t r = 0; r < REPLICATIONS; r++) {
            double T = (double)e->horizon[c % HORIZONS], few = pulls_of(c / HORIZONS, T, r);
            pulls[(c * REPLICATIONS + r) * ARMS] = (uint64_t)few;
            pulls[(c * REPLICATIONS + r) * ARMS + 1] = (uint64_t)(T - few);
            max_reward[c * REPLICATIONS + r] = 1 - 2 / T * spread(r);
        }
    const struct mk_block b = {.n_units = REPLICATIONS, .pulls = pulls, .max_reward = max_reward};
    if (!code) code = mk_writer_open(&w, path, e, f, engine, 1, err);
    if (!code) code = mk_writer_block(w, &b, err);
    if (!code) code = mk_writer_commit(w, &v, err);
    mk_writer_free(w);
    mk_truth_free(f);
    mk_experiment_free(e);
    return code;
}

static void check_model(const struct mk_growth_data *g, enum mk_growth_statistic s, enum mk_growth_model model,
                        double a, double c)
{
    struct mk_error err = {0, ""};
    struct mk_growth_estimates e;
    int code = mk_growth_estimate(g, s, 0, 2, 0, &e, &err);
    const struct mk_growth_estimate *best = &e.of[e.best];
    CHECK(!code && e.best == model && best->fit.used == HORIZONS, "%s is chosen, from all horizons",
          mk_growth_model_name(model, 0));
    CHECK(fabs(best->fit.a / a - 1) < 0.02 && best->a_low < best->fit.a && best->a_high > best->fit.a &&
              best->a_low < a * 1.02 && best->a_high > a * 0.98,
          "a = %g [%g, %g], in truth %g", best->fit.a, best->a_low, best->a_high, a);
    if (isnan(c))
        CHECK(isnan(best->fit.c) && isnan(best->c_low), "no exponent");
    else
        CHECK(fabs(best->fit.c - c) < 0.003 && best->c_low <= best->fit.c && best->c_high >= best->fit.c,
              "c = %g [%g, %g], in truth %g", best->fit.c, best->c_low, best->c_high, c);
    double margin = mk_growth_margin(&e, e.best), nearest = -INFINITY;
    for (int m = 0; m < MK_GROWTH_MODELS; m++)
        if (m != (int)model) nearest = fmax(nearest, mk_growth_margin(&e, (enum mk_growth_model)m));
    CHECK(margin > 2 && nearest == -margin, "by %g in AICc, and the next one is beaten by as much", margin);
}

static void check_points(const struct mk_growth_data *g)
{
    static const struct {
        size_t column;
        uint64_t from, to;
        size_t used;
    } cases[] = {{0, 2, 0, 7},          {0, 10000, 0, 5}, {0, 10000, 100000000, 5},
                 {0, 101, 99999999, 0}, {1, 2, 0, 0},     {2, 2, 0, 7}};
    struct mk_error err = {0, ""};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_growth_estimates e;
        int code = mk_growth_estimate(g, MK_GROWTH_MEAN, cases[i].column, cases[i].from, cases[i].to, &e, &err);
        const struct mk_growth_fit *fit = &e.of[e.best].fit;
        /* fewer than MK_GROWTH_LEAST_POINTS: counted, not fitted; five are left from 101 to 99999999 */
        const size_t want = i == 3 ? 5 : cases[i].used;
        CHECK(!code && fit->used == want && isnan(fit->a) == (want < MK_GROWTH_LEAST_POINTS),
              "column %zu from %d to %d: %zu points", cases[i].column, (int)cases[i].from, (int)cases[i].to, fit->used);
    }
}

/* The regret: E[M(T)] less the mean of the maxima, and its resamples. */
static void check_regret(const struct mk_growth_data *g)
{
    const struct mk_truth *f = g->info->truth;
    size_t wrong = 0;
    for (size_t h = 0; h < HORIZONS; h++) {
        const double best = f->expected_max[mk_truth_at(f, 0, h, 1)], T = (double)g->info->horizon[h];
        double mean = mk_growth_values(g, MK_GROWTH_MEAN, ARMS)[h], least = INFINITY, most = -INFINITY;
        wrong += !(fabs(mean - (best - (1 - 2 / T))) < 1e-12);
        for (size_t b = 0; b < SAMPLES; b++) {
            double x = g->sample[MK_GROWTH_MEAN][(h * SAMPLES + b) * g->columns + ARMS];
            least = fmin(least, x);
            most = fmax(most, x);
        }
        wrong += !(least < mean && most > mean && most - least < 0.2 / T);
        wrong += !(mk_growth_errors(g, MK_GROWTH_MEAN, ARMS)[h] > 0) ||
                 (h && !(mk_growth_errors(g, MK_GROWTH_MEDIAN, 0)[h] > 0));
    }
    CHECK(wrong == 0, "regrets and their resamples lie about E[M(T)] - mean");
}

static void check_claims(struct mk_result *r)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    const struct mk_result_info *i = mk_result_info(r);
    int code = mk_result_experiment(r, NULL, &e, &err);
    CHECK(!code, "the stored experiment %s", err.text);
    if (code) return;
    const struct mk_problem *p = e->problem;
    const struct mk_growth_claim claim = mk_growth_claim_of(i, p, 0, 0);
    CHECK_CLOSE(claim.slope, 0.5 / sqrt(0.1), 1e-14, "alpha / sqrt(gap of the ends)");
    CHECK(claim.c > 0 && claim.c_joint == claim.c, "one better arm: c alone is c joint");
    CHECK(isnan(mk_growth_claim_of(i, p, 0, ARMS).slope), "nothing of the regret");
    CHECK(isnan(mk_growth_claim_of(i, p, 0, 1).slope), "nothing of the best arm");
    CHECK(isnan(mk_growth_claim_of(i, p, 1, 0).slope) && isnan(mk_growth_claim_of(i, p, 2, 0).slope),
          "nothing of another policy, or with scaled rewards");
    mk_experiment_free(e);
}

static void check_bootstrap(struct mk_result *r, const struct mk_growth_data *g)
{
    struct mk_error err = {0, ""};
    struct mk_growth_data *again = NULL, *none = NULL;
    const size_t bytes = HORIZONS * SAMPLES * g->columns * sizeof(double);
    omp_set_num_threads(1);
    int code = mk_growth_data_new(&again, r, 0, 0, 1, SAMPLES, &err);
    CHECK(!code && memcmp(again->sample[MK_GROWTH_MEDIAN], g->sample[MK_GROWTH_MEDIAN], bytes) == 0 &&
              memcmp(again->sample[MK_GROWTH_MEAN], g->sample[MK_GROWTH_MEAN], bytes) == 0,
          "the same resamples with one thread %s", err.text);
    mk_growth_data_free(again);
    code = mk_growth_data_new(&again, r, 0, 0, 2, SAMPLES, &err);
    CHECK(!code && memcmp(again->sample[MK_GROWTH_MEAN], g->sample[MK_GROWTH_MEAN], bytes) != 0,
          "others with another seed");
    mk_growth_data_free(again);
    code = mk_growth_data_new(&none, r, 0, 0, 1, 1, &err);
    CHECK(!code && none->samples == 0 && !none->sample[0] && !mk_growth_is_resampled(none, MK_GROWTH_MEAN) &&
              mk_growth_is_resampled(g, MK_GROWTH_MEAN) && !mk_growth_is_resampled(g, MK_GROWTH_RARE_MEAN),
          "one resample is not enough");
    if (!code) check_model(none, MK_GROWTH_MEAN, MK_GROWTH_POWER, 3, 0.4);
    mk_growth_data_free(none);
}

static void check_summary(void)
{
    struct mk_error err = {0, ""};
    struct mk_result *r = NULL;
    struct mk_growth_data *g = NULL;
    char path[128];
    snprintf(path, sizeof path, "%s/summary.h5", scratch.dir);
    int code = write_result(path, "summary", &err);
    if (!code) code = mk_result_open(&r, path, &err);
    if (!code) code = mk_growth_data_new(&g, r, 1, 0, 1, SAMPLES, &err);
    CHECK(!code && !mk_growth_can_resample(g->info, SAMPLES) && g->samples == 0,
          "without single replications there is no bootstrap %s", err.text);
    if (!code) check_model(g, MK_GROWTH_MEAN, MK_GROWTH_LOG, 20, NAN);
    mk_growth_data_free(g);
    mk_result_free(r);
}

int main(void)
{
    struct mk_error err = {0, ""};
    struct mk_result *r = NULL;
    struct mk_growth_data *g[2] = {NULL, NULL};
    char path[128];
    scratch_make(&scratch);
    snprintf(path, sizeof path, "%s/growth.h5", scratch.dir);
    int code = write_result(path, "pulls", &err);
    if (!code) code = mk_result_open(&r, path, &err);
    for (size_t p = 0; p < 2 && !code; p++) code = mk_growth_data_new(&g[p], r, p, 0, 1, SAMPLES, &err);
    CHECK(!code && g[0]->samples == SAMPLES && !g[0]->value[MK_GROWTH_RARE_MEAN], "a result without rare events %s",
          err.text);
    for (int s = 0; !code && s < MK_GROWTH_RARE_MEAN; s++) {
        check_model(g[0], (enum mk_growth_statistic)s, MK_GROWTH_POWER, 3, 0.4);
        check_model(g[1], (enum mk_growth_statistic)s, MK_GROWTH_LOG, 20, NAN);
    }
    if (!code) {
        check_points(g[0]);
        check_regret(g[0]);
        check_bootstrap(r, g[0]);
        check_claims(r);
    }
    check_summary();
    for (size_t p = 0; p < 2; p++) mk_growth_data_free(g[p]);
    mk_result_free(r);
    scratch_remove(&scratch);
    return CHECK_EXIT;
}

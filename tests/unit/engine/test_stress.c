/* Numbers at the ends of their range, each with what must come out: counts and horizons to 2^53, survival probabilities
 * to 1e-300, rewards and parameters down to the smallest double, spreads of 1e-300, alpha of 0 and 10^6, arms that are
 * all the same point. Nothing here is random but for fixed seeds; no check has a false-alarm rate. */
#include <stdlib.h>
#include <string.h>

#include "distributions/dist.h"
#include "sim/base/statistics.h"
#include "sim/run/engine/run.h"
#include "sim/run/tape/record_tape.h"
#include "tests/support/check.h"

static const uint64_t most = UINT64_C(1) << 53;

/* ---- distributions ---- */

/* E[M(2^53)], computed with mpmath 1.3 at 40 digits: the exponential's harmonic number, for the others
 * c + integral over x > c of 1 - F^n minus integral over x < c of F^n. */
static const struct {
    const char *family;
    double v[2], value, to_end; /* to_end: upper end point minus value, if there is one */
} known[] = {
    {"exponential", {1, NAN}, 37.314016234578634714, NAN},
    {"gaussian", {0, 1}, 8.2772186090787669159, NAN},
    {"weibull", {0.3, 1}, 174421.13810084636619, NAN},
    {"beta", {2, 3}, 0.99999729629955148443, 2.7037004485155747834e-6},
};

static void expected_maxima(void)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct mk_dist *d = NULL;
        struct mk_error err = {0};
        double value = NAN, before = NAN;
        int code = mk_dist_make(&d, known[i].family, &err, known[i].v[0], known[i].v[1]);
        if (!code) code = mk_dist_expected_max(d, (double)most, &value, &err);
        if (!code) code = mk_dist_expected_max(d, (double)most / 2, &before, &err);
        CHECK(!code && before < value, "%s: E[M(2^53)] is found and above E[M(2^52)]", known[i].family);
        CHECK_CLOSE(value, known[i].value, 1e-11, "%s: E[M(2^53)]", known[i].family);
        if (!isnan(known[i].to_end))
            CHECK_CLOSE(1 - value, known[i].to_end, 1e-8, "%s: how far E[M(2^53)] is from the end", known[i].family);
        mk_dist_free(d);
    }
}

/* Survival probabilities near 1e-300: mpmath 1.3 for the Gaussian, closed forms for the others. */
static void far_tails(void)
{
    static const struct {
        const char *family;
        double v[2], x, upper;
    } at[] = {
        {"gaussian", {0, 1}, 37.047096299361199237, 1e-300},
        {"exponential", {1, NAN}, 690.77552789821370521, 1e-300},
        {"pareto", {1, 1}, 1e300, 1e-300},
        {"weibull", {0.5, 1}, 690.77552789821370521 * 690.77552789821370521, 1e-300},
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        struct mk_dist *d = NULL;
        struct mk_error err = {0};
        if (mk_dist_make(&d, at[i].family, &err, at[i].v[0], at[i].v[1])) {
            CHECK(0, "%s: %s", at[i].family, err.text);
            continue;
        }
        /* d log G / d log x is at most x^2 + 1 = 1374 here: that many units in the last place */
        CHECK_CLOSE(mk_dist_survival(d, at[i].x), at[i].upper, 1e-12, "%s: survival probability 1e-300", at[i].family);
        /* exp(691 / shape) for the Pareto distribution: 691 units */
        CHECK_CLOSE(mk_dist_inverse_survival(d, at[i].upper), at[i].x, 1e-13, "%s: the reward it belongs to",
                    at[i].family);
        mk_dist_free(d);
    }
}

/* Spreads negligible compared with the mean, and distributions on subnormal numbers. */
static void tiny_scales(void)
{
    static const double sigma[] = {1e-300, 1e-310, 5e-324};
    struct mk_error err = {0};
    int wrong = 0;
    for (size_t i = 0; i < sizeof sigma / sizeof *sigma; i++) {
        struct mk_dist *d = NULL;
        struct mk_pcg64 g;
        double x[100], value = NAN;
        int code = mk_dist_make(&d, "gaussian", &err, 1.0, sigma[i]);
        if (!code) code = mk_dist_expected_max(d, (double)most, &value, &err);
        wrong += code != MK_OK || value != 1;
        if (code) continue;
        mk_pcg64_seed(&g, 1, 1);
        d->type->sample(d, &g, 100, x);
        for (int j = 0; j < 100; j++) wrong += x[j] != 1;
        wrong += mk_dist_survival(d, 1.0 + 1e-15) != 0 || mk_dist_survival(d, 1.0 - 1e-15) != 1;
        mk_dist_free(d);
    }
    CHECK(!wrong, "gaussian: sigma of 1e-300, 1e-310 and 5e-324 around 1 is the point 1");
    struct mk_dist *u = NULL;
    struct mk_pcg64 g;
    double x[1000], value = NAN;
    int code = mk_dist_make(&u, "uniform", &err, 0.0, 1e-310);
    if (!code) code = mk_dist_expected_max(u, 9, &value, &err);
    CHECK(!code, "uniform on subnormal numbers");
    CHECK_CLOSE(value, 0.9e-310, 1e-12, "its E[M(9)] is 9/10 of the end");
    mk_pcg64_seed(&g, 1, 1);
    if (u) u->type->sample(u, &g, 1000, x);
    wrong = 0;
    for (int j = 0; u && j < 1000; j++) wrong += !(x[j] > 0 && x[j] <= 1e-310);
    CHECK(u && !wrong, "its draws lie within the support");
    mk_dist_free(u);
}

/* ---- records ---- */

/* The wait for a record of survival probability 1e-300 ends beyond every horizon, that for probability 1 at once. */
static void record_waits(void)
{
    struct mk_pcg64 g;
    int early = 0, late = 0;
    mk_pcg64_seed(&g, 3, 3);
    for (int i = 0; i < 1000; i++) {
        early += mk_record_wait(&g, 1e-300) <= (double)most;
        late += mk_record_wait(&g, 1) != 1;
    }
    CHECK(!early && !late, "waits for records of probability 1e-300 and 1");
}

/* ---- moments ---- */

static void moments_of_counts(void)
{
    struct mk_count_moments m = {0};
    for (uint64_t i = 0; i < 1000; i++) mk_count_moments_add(&m, most - i % 4);
    /* mean 2^53 - 1.5; variance of {0, 1, 2, 3} in equal shares 1.25, so the error is sqrt(1.25 / 999) */
    CHECK(mk_count_moments_mean(&m) == 9007199254740990.0 || mk_count_moments_mean(&m) == 9007199254740991.0,
          "mean of counts at 2^53");
    CHECK_CLOSE(mk_spread_error(&m.spread), sqrt(1.25 / 999), 1e-12, "error of counts at 2^53");
    CHECK(m.min == most - 3 && m.max == most, "least and largest count");

    struct mk_real_moments r = {0};
    for (int i = 0; i < 1000; i++) mk_real_moments_add(&r, i % 2 ? 1e-310 : 3e-310);
    CHECK_CLOSE(mk_real_moments_mean(&r), 2e-310, 1e-10, "mean of subnormal rewards");
    CHECK(r.min == 1e-310 && r.max == 3e-310, "least and largest subnormal reward");
    struct mk_real_moments w = {0};
    for (int i = 0; i < 1000; i++) mk_real_moments_add(&w, i % 2 ? 1e150 : -1e150);
    CHECK(fabs(mk_real_moments_mean(&w)) <= 1e134, "mean of rewards of size 1e150 that cancel");
    CHECK_CLOSE(mk_spread_error(&w.spread), 1e150 / sqrt(999), 1e-12, "their error");
}

/* ---- runs ---- */

struct seen {
    size_t horizons, arms, entries;
    uint64_t horizon, least, largest, rows;
    int wrong; /* rows whose pulls do not add up */
    double best;
};

static int see(void *to, const struct mk_block *b, struct mk_error *err)
{
    struct seen *s = to;
    (void)err;
    for (size_t row = 0; row < s->entries * s->horizons * b->n_units; row++, s->rows++) {
        uint64_t sum = 0;
        for (size_t k = 0; k < s->arms; k++) {
            uint64_t n = b->pulls[row * s->arms + k];
            sum += n;
            if (n < s->least) s->least = n;
            if (n > s->largest) s->largest = n;
        }
        s->wrong += sum != s->horizon;
        if (!(b->max_reward[row] <= s->best)) s->best = b->max_reward[row];
    }
    return MK_OK;
}

static struct seen run(const char *text, enum mk_engine engine)
{
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_run_context c = {0};
    struct mk_error err = {0};
    struct seen s = {.least = UINT64_MAX, .best = -INFINITY};
    int code = mk_experiment_parse(&e, "stress", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, &err);
    if (!code) code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, &err);
    if (!code) code = mk_run_context_init(&c, e, f, &err);
    if (!code) code = mk_run_choose(&c, engine, &err);
    if (!code) {
        s.horizons = e->n_horizons;
        s.horizon = e->horizon[0];
        s.arms = e->problem->n_arms;
        s.entries = e->n_entries;
        code = mk_run_all(&c, 2, see, &s, NULL, &err);
    }
    if (code) printf("# %s\n", err.text);
    s.wrong += code != MK_OK;
    mk_run_context_clear(&c);
    mk_truth_free(f);
    mk_experiment_free(e);
    return s;
}

#define EVERY_RECORD_POLICY                                                                                            \
    "policies: [{name: max_ucb, alpha: [0, 0.5, 1e6]}, {name: uniform}, {name: greedy}, {name: oracle}, "              \
    "{name: max_ucb_burn_in}]\n"

static void far_horizons(void)
{
    struct seen s =
        run("name: far\nproblem: {arms: [{family: power, a: 3, s: 1.01}, {family: gaussian, mu: 0, sigma: 1}, "
            "{family: pareto, shape: 1.5}]}\n" EVERY_RECORD_POLICY "horizons: [9007199254740992]\nreplications: 20\n",
            MK_ENGINE_RECORD);
    CHECK(!s.wrong && s.rows == 140, "T = 2^53: the pulls of every replication add up to 2^53 exactly");
    CHECK(s.largest == most, "T = 2^53: the oracle has all of them");
    CHECK(isfinite(s.best) && s.best > 1e6, "T = 2^53: the largest reward is a number");
    s = run("name: far\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 2}, "
            "{family: dirac, x: 1}]}\npolicies: [{name: uniform}]\nhorizons: [9007199254740992]\nreplications: 3\n",
            MK_ENGINE_RECORD);
    CHECK(!s.wrong && s.least == most / 3 && s.largest == most / 3 + 1,
          "T = 2^53: round robin on three arms, 2^53 = 3 n + 2");
}

/* Ties everywhere: MaxUCB with any alpha > 0 pulls in round-robin order, greedy keeps one arm. */
static void all_the_same(void)
{
    static const struct {
        const char *arm, *policy;
        uint64_t least, largest;
        double best;
    } at[] = {
        {"{family: dirac, x: 5e-324}", "{name: max_ucb}", 33, 34, 5e-324},
        {"{family: dirac, x: -5e-324}", "{name: max_ucb, alpha: 1e6}", 33, 34, -5e-324},
        {"{family: dirac, x: 1e100}", "{name: max_ucb, alpha: 1e6}", 1, 98, 1e100},
        {"{family: dirac, x: 0}", "{name: max_ucb, alpha: 0}", 1, 98, 0},
        {"{family: dirac, x: 0}", "{name: greedy}", 1, 98, 0},
        {"{family: dirac, x: 0}", "{name: ucb}", 33, 34, 0},
        {"{family: dirac, x: 0}", "{name: uniform}", 33, 34, 0},
        {"{family: gaussian, mu: 3, sigma: 1e-300}", "{name: max_ucb}", 33, 34, 3},
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "name: same\nproblem: {arms: [%s, %s, %s]}\npolicies: [%s]\nhorizons: [100]\nreplications: 5\n",
                 at[i].arm, at[i].arm, at[i].arm, at[i].policy);
        struct seen s = run(text, MK_ENGINE_PER_PULL);
        CHECK(!s.wrong && s.least == at[i].least && s.largest == at[i].largest && s.best == at[i].best,
              "three arms %s, %s: %llu to %llu pulls", at[i].arm, at[i].policy, (unsigned long long)s.least,
              (unsigned long long)s.largest);
    }
}

/* Every policy on ties, on subnormal, tiny, huge and unbounded rewards: as many pulls as rounds, and the largest reward
 * is one that the arms can give. */
static void every_policy(void)
{
    static const struct {
        const char *what, *arms;
        double lo, hi;
    } at[] = {
        {"ties", "{family: dirac, x: 0.5}, {family: dirac, x: 0.5}, {family: dirac, x: 0.5}", 0.5, 0.5},
        {"subnormal rewards", "{family: uniform, lo: 0, hi: 1e-310}, {family: dirac, x: 5e-324}", 5e-324, 1e-310},
        {"a spread of 1e-300", "{family: gaussian, mu: 0.5, sigma: 1e-300}, {family: gaussian, mu: 0, sigma: 1e-300}",
         0.5, 0.5},
        {"rewards of size 1e100", "{family: uniform, lo: -1e100, hi: 1e100}, {family: dirac, x: 0}", 0, 1e100},
        {"an infinite mean", "{family: pareto, shape: 0.2}, {family: gaussian, mu: 0, sigma: 1}", 1, 1e100},
        {"support to -inf and +inf", "{family: gaussian, mu: 0, sigma: 1}, {family: negative_exponential, rate: 1}", -1,
         10},
    };
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        int wrong = 0;
        for (size_t p = 0; p < mk_policy_type_count(); p++) {
            char text[600];
            const char *name = mk_policy_type_at(p)->name;
            snprintf(text, sizeof text,
                     "name: every\nproblem: {arms: [%s]}\npolicies: [{name: %s}]\nhorizons: [200]\n"
                     "replications: 2\n",
                     at[i].arms, name);
            struct seen s = run(text, MK_ENGINE_PER_PULL);
            if (!s.wrong && s.best >= at[i].lo && s.best <= at[i].hi) continue;
            wrong++;
            printf("# %s: %s: best %g\n", at[i].what, name, s.best);
        }
        CHECK(!wrong, "every policy: %s", at[i].what);
    }
}

int main(void)
{
    expected_maxima();
    far_tails();
    tiny_scales();
    record_waits();
    moments_of_counts();
    far_horizons();
    all_the_same();
    every_policy();
    return CHECK_EXIT;
}

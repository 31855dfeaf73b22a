/* The rare-event estimator: records under a condition, weights of mean 1, agreement with brute force, threads. Seeds
 * are fixed; false-alarm rates are for an independent seed. */
#include "sim/run/engine/rare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/statistics.h"
#include "tests/support/check.h"

static const char power_arms[] =
    "name: t\nproblem: {arms: [{family: power, a: 3, s: 1.01}, {family: power, a: 4, s: 1.01}, "
    "{family: power, a: 5, s: 1.01}, {family: power, a: 5, s: 1.1}, "
    "{family: power, a: 4, s: 1}]}\n";
static const char uniform_arms[] =
    "name: t\nproblem: {arms: [{family: uniform, lo: 0, hi: 0.8}, {family: uniform, lo: 0, hi: 1}]}\n";

/* The experiment of `arms` and the rest of the text; NULL with the line of error in *err. */
static struct mk_experiment *parse(const char *arms, const char *rest, struct mk_error *err)
{
    char text[4096];
    struct mk_experiment *e = NULL;
    int n = snprintf(text, sizeof text, "%s%s", arms, rest);
    err->text[0] = '\0';
    mk_experiment_parse(&e, "t", text, (size_t)n, MK_NEED_PROBLEM | MK_NEED_RUN, err);
    return e;
}

/* Largest distance of the empirical from the uniform distribution function, times sqrt(n). */
static double distance(double *u, size_t n)
{
    static uint64_t key[1 << 15], scratch[1 << 15];
    double most = 0;
    for (size_t i = 0; i < n; i++) key[i] = mk_ordered_bits(u[i]);
    mk_sort_bits(key, scratch, n);
    for (size_t i = 0; i < n; i++) {
        double x = mk_ordered_value(key[i]), lo = (double)i / (double)n, hi = (double)(i + 1) / (double)n;
        most = fmax(most, fmax(x - lo, hi - x));
    }
    return most * sqrt((double)n);
}

static double position(struct mk_record_tape *records, size_t arm, uint64_t n)
{
    double s = 1;
    for (size_t i = 0; mk_record_high(records, arm, i)->n <= n; i++) s = mk_record_high(records, arm, i)->s;
    return s;
}

/* Given that the first n positions are above s, the least of them, v, has ((1 - v) / (1 - s))^n uniform; of the first
 * 3n, P(least > v) = ((1 - max(v, s)) / (1 - s))^n (1 - v)^2n.
 * Kolmogorov-Smirnov: 2.5 has a false-alarm rate of 7e-6. */
static void test_floor(void)
{
    enum { N = 20000, FIRST = 6 };
    static double first[N], later[N];
    const double s = 0.2;
    struct mk_error err;
    struct mk_experiment *e = parse(power_arms, "policies: [max_ucb]\nhorizons: [10]\n", &err);
    struct mk_reward_tape *tape = NULL;
    struct mk_record_tape *records = NULL;
    int above = 1;
    if (!e || mk_reward_tape_new(&tape, e->problem, 1, &err) || mk_record_tape_new(&records, tape, &err)) {
        CHECK(0, "tapes: %s", err.text);
        return;
    }
    for (size_t r = 0; r < N; r++) {
        mk_reward_tape_seek(tape, 0, r);
        mk_record_tape_seek(records);
        mk_record_tape_floor(records, 4, FIRST, s);
        double v = position(records, 4, FIRST), w = position(records, 4, 3 * FIRST);
        above &= v >= s;
        first[r] = pow((1 - v) / (1 - s), FIRST);
        later[r] = pow((1 - fmax(w, s)) / (1 - s), FIRST) * pow(1 - w, 2 * FIRST);
    }
    CHECK(above, "no record above the level among the first pulls");
    CHECK(distance(first, N) < 2.5, "distribution of the first pulls: distance %.2f", distance(first, N));
    CHECK(distance(later, N) < 2.5, "distribution of the pulls after them: distance %.2f", distance(later, N));
    mk_record_tape_free(records);
    mk_reward_tape_free(tape);
    mk_experiment_free(e);
}

/* The first of at most n pulls with a position below s, by the records one after the other; *at_end counts those at the
 * n-th pull itself. */
static bool are_exceeded(const struct mk_rare_design *d, struct mk_record_tape *records, const uint64_t *exceeds,
                         size_t *at_end)
{
    bool good = true;
    for (size_t f = 0; f < d->n_families; f++)
        for (size_t j = 0; j < d->family[f].n_arms; j++)
            for (size_t i = 0; i < d->family[f].arm[j].n_terms; i++, exceeds++) {
                const struct mk_rare_term *t = &d->family[f].arm[j].term[i];
                const struct mk_record *r;
                size_t k = 0;
                while ((r = mk_record_high(records, d->family[f].arm[j].arm, k))->n <= t->n && r->s >= t->s) k++;
                good &= *exceeds == (r->n > t->n ? MK_RECORD_NEVER : r->n);
                *at_end += r->n == t->n;
            }
    return good;
}

/* E[w] = 1 wherever play stops; |z| < 4.5, three cases, false alarm 2e-5. */
static void test_weights(void)
{
    enum { N = 20000, ARMS = 5, CASES = 3 };
    static const uint64_t pulls[CASES][ARMS] = {
        {9999999990, 3, 3, 3, 1}, {1000, 40, 30, 12, 60}, {80, 60, 50, 20, 9999999790}};
    static const uint64_t horizon[] = {100, 10000, 1000000, 10000000000};
    struct mk_error err;
    struct mk_experiment *e = parse(power_arms, "policies: [max_ucb]\nhorizons: [10]\n", &err);
    struct mk_reward_tape *tape = NULL;
    struct mk_record_tape *records = NULL;
    struct mk_rare_design *design = NULL;
    struct mk_real_moments w[CASES];
    int bounded = 1;
    bool exceeded = true;
    size_t at_end = 0;
    memset(w, 0, sizeof w);
    if (!e || mk_reward_tape_new(&tape, e->problem, 1, &err) || mk_record_tape_new(&records, tape, &err) ||
        mk_rare_design_new(&design, e->problem, horizon, 4, 0.5, 1, &err)) {
        CHECK(0, "design: %s", err.text);
        return;
    }
    CHECK(design->n_families >= 3, "%zu families", design->n_families);
    for (size_t f = 0; f < design->n_families; f++)
        for (size_t j = 0; j < design->family[f].n_arms; j++) {
            double sum = 0;
            for (size_t i = 0; i < design->family[f].arm[j].n_terms; i++) sum += design->family[f].arm[j].term[i].share;
            bounded &= fabs(sum - 1) < 1e-12;
        }
    CHECK(bounded, "shares of every arm of a family sum to 1");
    uint64_t *exceeds = calloc(design->n_terms + 1, sizeof *exceeds);
    for (size_t r = 0; exceeds && r < N; r++) {
        struct mk_pcg64 g;
        mk_reward_tape_seek(tape, 0, r);
        mk_record_tape_seek(records);
        mk_pcg64_from_key(&g, mk_key_word(mk_key_start(), r));
        mk_rare_condition(design, &g, records);
        mk_rare_exceeds(design, records, exceeds);
        exceeded &= are_exceeded(design, records, exceeds, &at_end);
        for (size_t c = 0; c < CASES; c++) {
            double weight = mk_rare_weight(design, exceeds, pulls[c]);
            bounded &= weight > 0 && weight <= 1 / design->plain;
            mk_real_moments_add(&w[c], weight);
        }
    }
    CHECK(bounded, "weights in (0, 1 / plain]");
    CHECK(exceeded && at_end > 100, "levels are exceeded at the records that do, %zu times at the last pull", at_end);
    for (size_t c = 0; c < CASES; c++) {
        double z = (mk_real_moments_mean(&w[c]) - 1) / mk_spread_error(&w[c].spread);
        CHECK(fabs(z) < 4.5, "mean weight %.4f, z = %.2f", mk_real_moments_mean(&w[c]), z);
    }
    free(exceeds);
    mk_rare_design_free(design);
    mk_record_tape_free(records);
    mk_reward_tape_free(tape);
    mk_experiment_free(e);
}

static struct mk_rare *run_arms(const char *arms, const char *rest, int threads, struct mk_error *err)
{
    struct mk_experiment *e = parse(arms, rest, err);
    struct mk_truth *truth = NULL;
    struct mk_rare *rare = NULL;
    if (e && !mk_truth_new(&truth, e->problem, e->horizon, e->n_horizons, e->replications, err))
        mk_rare_all(&rare, e, truth, 0, threads, err);
    mk_truth_free(truth);
    mk_experiment_free(e);
    return rare;
}

static struct mk_rare *run(const char *rest, int threads, struct mk_error *err)
{
    return run_arms(power_arms, rest, threads, err);
}

/* One far horizon alone: the lock-outs that ended long before it are drawn too. Arm 0 has mean 91747 ± 917 by 150,000
 * weighted replications at every power of ten from 10^4 (seed 1). |z| < 4, false alarm 6e-5. */
static void test_far_horizon(void)
{
    struct mk_error err;
    struct mk_rare *r =
        run("policies: [{name: max_ucb, alpha: 0.5}]\nhorizons: [1e12]\nrare_events: 4000\nseed: 42\n", 2, &err);
    if (!r) {
        CHECK(0, "run: %s", err.text);
        return;
    }
    double z = (r->mean_pulls[0] - 91747) / hypot(r->se_pulls[0], 917);
    CHECK(fabs(z) < 4 && r->se_pulls[0] < 0.15 * r->mean_pulls[0],
          "T = 10^12 alone: mean of arm 0 is %.0f ± %.0f, z = %.2f", r->mean_pulls[0], r->se_pulls[0], z);
    mk_rare_free(r);
}

/* Brute force, 2,000,000 replications by the record engine at T = 10^4: arm 0 has mean 131.27 ± .60, and the share of
 * runs in which the best arm gets under half of the pulls is .00907 ± 6.7e-5 (binomial). At T = 10^12, 2·10^5
 * replications: arms 2 and 3 have means 62.21 ± .19 and 22.935 ± .001. |z| < 4 each, false alarm 3e-4. */
static void test_brute_force(void)
{
    struct mk_error err;
    struct mk_rare *r = run("policies: [{name: max_ucb, alpha: 0.5}]\nhorizons: [1e4, 1e8, 1e12]\n"
                            "rare_events: 8000\nseed: 42\n",
                            2, &err);
    if (!r) {
        CHECK(0, "run: %s", err.text);
        return;
    }
    const size_t last = 2, arms = r->n_arms;
    double z = (r->mean_pulls[0] - 131.27) / hypot(r->se_pulls[0], 0.60);
    CHECK(fabs(z) < 4, "T = 10^4: mean of arm 0 is %.2f ± %.2f, z = %.2f", r->mean_pulls[0], r->se_pulls[0], z);
    z = (r->lock_out_share[0] - 0.00907) / hypot(r->se_lock_out[0], 6.7e-5);
    CHECK(fabs(z) < 4, "T = 10^4: lock-out share %.5f ± %.5f, z = %.2f", r->lock_out_share[0], r->se_lock_out[0], z);
    z = (r->mean_pulls[last * arms + 2] - 62.21) / hypot(r->se_pulls[last * arms + 2], 0.19);
    CHECK(fabs(z) < 4, "T = 10^12: mean of arm 2 is %.2f, z = %.2f", r->mean_pulls[last * arms + 2], z);
    z = (r->mean_pulls[last * arms + 3] - 22.935) / hypot(r->se_pulls[last * arms + 3], 0.001);
    CHECK(fabs(z) < 4, "T = 10^12: mean of arm 3 is %.4f, z = %.2f", r->mean_pulls[last * arms + 3], z);
    double sum = 0;
    for (size_t k = 0; k < arms; k++) sum += r->mean_pulls[last * arms + k];
    CHECK_CLOSE(sum, 1e12, 1e-12, "means sum to T");
    CHECK(r->se_pulls[last * arms] < 0.1 * r->mean_pulls[last * arms], "T = 10^12: mean of arm 0 is %.0f ± %.0f",
          r->mean_pulls[last * arms], r->se_pulls[last * arms]);
    mk_rare_free(r);
}

/* The bonus to the power 1.5, brute force: 2,000,000 replications have mean 588.28 ± 1.41 pulls of arm 0 at T = 10^4,
 * and of 200,000 others .06797 ± 5.6e-4 are locked out. |z| < 4 each, false alarm 1.3e-4. */
static void test_power(void)
{
    struct mk_error err;
    struct mk_rare *r = run("policies: [{name: max_ucb, alpha: 0.1, power: 1.5}]\nhorizons: [1e4]\n"
                            "rare_events: 8000\nseed: 42\n",
                            2, &err);
    if (!r) {
        CHECK(0, "run: %s", err.text);
        return;
    }
    double z = (r->mean_pulls[0] - 588.28) / hypot(r->se_pulls[0], 1.41);
    CHECK(fabs(z) < 4 && r->se_pulls[0] < 0.1 * r->mean_pulls[0], "power 1.5: mean of arm 0 is %.1f ± %.1f, z = %.2f",
          r->mean_pulls[0], r->se_pulls[0], z);
    z = (r->lock_out_share[0] - 0.067965) / hypot(r->se_lock_out[0], 5.6e-4);
    CHECK(fabs(z) < 4, "power 1.5: lock-out share %.5f ± %.5f, z = %.2f", r->lock_out_share[0], r->se_lock_out[0], z);
    mk_rare_free(r);
}

static void test_threads(void)
{
    static const char rest[] = "policies: [max_ucb]\nhorizons: [100, 1e6]\nrare_events: 6000\n";
    struct mk_error err;
    struct mk_rare *one = run(rest, 1, &err), *three = run(rest, 3, &err);
    CHECK(one && three && memcmp(one->mean_pulls, three->mean_pulls, (4 * 5 + 5 * 2) * sizeof(double)) == 0,
          "the same bits for 1 and 3 threads");
    mk_rare_free(one);
    mk_rare_free(three);
    one = run("policies: [{name: max_ucb, alpha: 0}]\nhorizons: [100]\nrare_events: 100\n", 1, &err);
    CHECK(one && one->n_families == 0 && isfinite(one->mean_pulls[0]), "alpha = 0: the plain distribution alone");
    mk_rare_free(one);
    one = run("policies: [max_ucb]\nhorizons: [5]\nrare_events: 100\n", 1, &err); /* every arm once */
    CHECK(one && one->lock_out_share[0] == 1, "T = 5: every run counts as locked out");
    mk_rare_free(one);
    one = run_arms("name: t\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}]}\n",
                   "policies: [max_ucb]\nhorizons: [10]\nrare_events: 100\n", 1, &err);
    CHECK(one && one->lock_out_share[0] == 0 && one->lock_outs[0] == 0, "one arm: no lock-outs, and a count of 0 %s",
          one ? "" : err.text);
    mk_rare_free(one);
}

static void check_refused(const char *arms, const char *policies, const char *says)
{
    char rest[512];
    struct mk_error err;
    snprintf(rest, sizeof rest, "policies: [%s]\nhorizons: [100, 1000]\nrare_events: 10\n", policies);
    struct mk_experiment *e = parse(arms, rest, &err);
    CHECK(!e && strstr(err.text, "rare_events") && strstr(err.text, says), "refused: %s", err.text);
    mk_experiment_free(e);
}

static void test_refusals(void)
{
    check_refused(power_arms, "max_ucb, uniform", "policy uniform");
    check_refused(power_arms, "{name: max_ucb, scale: minmax}", "scale: none");
    check_refused("problem: {arms: [{family: pareto, shape: 2, scale: 1}]}\n", "max_ucb", "arm 0 has no");
    check_refused("problem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: bernoulli, p: 0.5}]}\n", "max_ucb",
                  "arm 1 has point masses");
}

/* Garwood's limits of a Poisson mean: 0.0253 and 5.572 for one event, 4.795 and 18.39 for ten (any table), to scale. */
static void test_interval(void)
{
    struct mk_rare *r = mk_rare_new(4, 1);
    double low[4], high[4];
    if (!r) exit(1);
    const double share[] = {0.02, 0.001, 0, 0.9}, count[] = {10, 1, 0, 10};
    for (size_t h = 0; h < 4; h++) {
        r->lock_out_share[h] = share[h];
        r->lock_outs[h] = count[h];
        mk_rare_lock_out_interval(r, h, &low[h], &high[h]);
    }
    CHECK(fabs(low[0] - 0.02 * 0.4795) < 2e-6 && fabs(high[0] - 0.02 * 1.839) < 2e-6, "ten lock-outs: [%g, %g]", low[0],
          high[0]);
    CHECK(fabs(low[1] - 2.53e-5) < 5e-8 && fabs(high[1] - 5.572e-3) < 5e-7, "one: [%g, %g]", low[1], high[1]);
    CHECK(low[2] == 0 && isnan(high[2]), "none: no upper limit");
    CHECK(high[3] == 1, "never above 1");
    mk_rare_free(r);
}

/* How often the interval covers, at few replications and some ten effective lock-outs: the share is .05919 ± .00024 by
 * 10^6 runs of the per-pull engine. Nominally at least .95; 200 seeds have a standard error of .015, so that an
 * interval that covers .95 fails with probability 3e-6. */
static void test_coverage(void)
{
    enum { SEEDS = 200 };
    size_t covers = 0;
    for (int seed = 1; seed <= SEEDS; seed++) {
        char rest[160];
        struct mk_error err;
        double low = NAN, high = NAN;
        snprintf(rest, sizeof rest,
                 "policies: [{name: max_ucb, alpha: 0.5}]\nhorizons: [1000]\nrare_events: 200\nseed: %d\n", seed);
        struct mk_rare *r = run_arms(uniform_arms, rest, 1, &err);
        if (r) mk_rare_lock_out_interval(r, 0, &low, &high);
        covers += low <= 0.05919 && 0.05919 <= high;
        mk_rare_free(r);
    }
    CHECK(covers >= 0.88 * SEEDS, "the 95 %% interval of the lock-out share covers it in %zu of %d runs", covers,
          SEEDS);
}

int main(void)
{
    test_interval();
    test_coverage();
    test_floor();
    test_weights();
    test_far_horizon();
    test_brute_force();
    test_power();
    test_threads();
    test_refusals();
    return CHECK_EXIT;
}

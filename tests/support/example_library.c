/* Everything that sim/api/maxk/maxk.h offers, used from outside: tests/long/test_install.sh compiles this against an
 * installed libmaxk, as C and as C++. Each line printed is a check. usage: example_library FOLDER */
#include <math.h>
#include <maxk.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int bad;

static void check(int good, const char *what, const char *why)
{
    printf("%s libmaxk: %s%s%s\n", good ? "ok" : "not ok", what, good ? "" : ": ", good ? "" : why);
    bad |= !good;
}

static const char text[] = "name: outside\n"
                           "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 0.9}]}\n"
                           "policies: [{name: max_ucb, alpha: [0.1, 0.5]}, {name: oracle}]\n"
                           "horizons: [20, 200]\nreplications: 30\n";

static bool same(const double *a, const double *b, size_t n)
{
    return memcmp(a, b, n * sizeof *a) == 0;
}

static void registries(void)
{
    size_t policies = 0, families = 0;
    int found = 0;
    while (mk_policy_name(policies)) found |= strcmp(mk_policy_name(policies++), "max_ucb") == 0;
    while (mk_family_name(families)) found |= 2 * (strcmp(mk_family_name(families++), "pareto") == 0);
    check(found == 3 && policies > 20 && families > 10, "policies and families are listed", "a name is missing");
    check(strlen(mk_policy_summary(0)) > 0 && strlen(mk_family_summary(0)) > 0 && !mk_policy_summary(policies) &&
              !mk_family_summary(families) && strlen(mk_version()) > 0,
          "summaries and a version", "empty");
}

/* Power arms: X = V^(1/a) / s^a, V uniform, so P(X <= x) = (s^a x)^a up to the end 1 / s^a. Of a uniform arm on [0, b]
 * both constants are 1 / b, and the expected maximum of n draws is b n / (n + 1). */
static void distributions(void)
{
    const double s3 = 1.01 * 1.01 * 1.01;
    struct mk_error err;
    struct mk_dist *power = NULL, *flat = NULL, *none = NULL;
    double draws[1000], again[1000], a = 0, b = 0, L = 0, U = 0, mean = 0, expected = 0;
    int code = mk_distribution_new(&power, "{family: power, a: 3, s: 1.01}", &err);
    check(code == MK_OK && mk_distribution_new(&flat, "{family: uniform, lo: 0, hi: 0.8}", &err) == MK_OK,
          "arms from text", err.text);
    if (!power || !flat) return;
    check(fabs(mk_distribution_survival(power, 0.5) - (1 - pow(s3 * 0.5, 3))) < 1e-12, "a survival function",
          "wrong value");
    check(fabs(mk_distribution_inverse_survival(power, 0.25) - cbrt(0.75) / s3) < 1e-12, "its inverse", "wrong value");
    mk_distribution_support(power, &a, &b);
    check(a == 0 && fabs(b - 1 / s3) < 1e-12, "a support", "wrong ends");
    mk_distribution_sample(flat, 7, 1000, draws);
    mk_distribution_sample(flat, 7, 1000, again);
    for (int i = 0; i < 1000; i++) mean += draws[i] / 1000;
    /* The standard error of the mean is 0.8 / sqrt(12 * 1000) = 0.0073; beyond 6 of them by chance: 2e-9. */
    check(same(draws, again, 1000) && fabs(mean - 0.4) < 0.044, "draws, the same for the same seed", "wrong draws");
    check(mk_distribution_expected_max(flat, 9, &expected, &err) == MK_OK && fabs(expected - 0.72) < 1e-12, "E[M(n)]",
          err.text);
    check(mk_distribution_constants(flat, &L, &U, &err) == MK_OK && fabs(L - 1.25) < 1e-7 && fabs(U - 1.25) < 1e-7,
          "L and U", err.text);
    check(mk_distribution_new(&none, "{family: nothing}", &err) == MK_EINPUT && strstr(err.text, "nothing") && !none,
          "an arm of no family is refused", "accepted");
    check(mk_distribution_new(&none, "{family: uniform, lo: 0, hi: 1}, {family: uniform, lo: 0, hi: 1}", NULL) ==
              MK_EINPUT,
          "two arms in place of one are refused", "accepted");
    mk_distribution_free(power);
    mk_distribution_free(flat);
}

/* The first term of the printed bound T^(1-p) / (1-p) and the second, 2 alpha sqrt(U T) log T, by hand. */
static void bounds(void)
{
    const double p = 2 * 1.5 * 0.5 * sqrt(0.04), T = 1000;
    struct mk_bound_input in;
    memset(&in, 0, sizeof in);
    in.alpha = 0.5;
    in.L = 1.5;
    in.U = 2;
    in.gap = 0.04;
    in.horizon = 1000;
    struct mk_bound bound = mk_bound_evaluate(MK_BOUND_PRINTED, &in);
    double by_hand = pow(T, 1 - p) / (1 - p) + 2 * 0.5 * sqrt(2 * T) * log(T);
    check(bound.regime == MK_REGIME_P_BELOW_1 && fabs(bound.value / by_hand - 1) < 1e-12, "the bound of Theorem 4.2",
          "wrong value");
}

/* C++11 has no designated initialisers. */
static int run(struct mk_result_arrays **out, const struct mk_experiment *e, const char *path, int threads,
               struct mk_error *err)
{
    struct mk_run_settings settings;
    memset(&settings, 0, sizeof settings);
    settings.size = sizeof settings;
    settings.result = path;
    settings.threads = threads;
    return mk_run_experiment(out, e, &settings, err);
}

/* In memory, with another number of threads, and through a file: the same bits. */
static void runs(const char *folder)
{
    struct mk_error err;
    struct mk_experiment *e = NULL;
    struct mk_result_arrays *one = NULL, *two = NULL, *file = NULL;
    char path[600];
    snprintf(path, sizeof path, "%s/outside.h5", folder);
    int code = mk_experiment_from_text(&e, text, NULL, 0, &err);
    if (!code) code = run(&one, e, NULL, 1, &err);
    if (!code) code = run(&two, e, NULL, 3, &err);
    if (!code) code = run(NULL, e, path, 2, &err);
    if (!code) code = run(NULL, e, path, 1, &err);
    if (!code) code = mk_result_arrays_read(&file, path, &err);
    check(code == MK_OK, "an experiment runs in memory and into a file, twice", err.text);
    if (code) return;
    size_t cells = one->policies * one->instances * one->horizons, rows = cells * (size_t)one->replications;
    check(one->policies == 3 && one->instances == 1 && one->horizons == 2 && one->arms == 2 &&
              one->replications == 30 && one->horizon[1] == 200 && strcmp(one->policy[2], "oracle") == 0 &&
              strcmp(one->instance[0], "outside") == 0,
          "sizes and labels", "wrong");
    check(memcmp(one->pulls, two->pulls, rows * 2 * sizeof *one->pulls) == 0 &&
              same(one->max_reward, two->max_reward, rows),
          "the same for 1 and 3 threads", "different");
    check(memcmp(one->pulls, file->pulls, rows * 2 * sizeof *one->pulls) == 0 &&
              same(one->max_reward, file->max_reward, rows) && same(one->mean_pulls, file->mean_pulls, cells * 2) &&
              same(one->se_pulls, file->se_pulls, cells * 2) && same(one->mean_max, file->mean_max, cells) &&
              same(one->se_max, file->se_max, cells) && same(one->gap, file->gap, 4) &&
              same(one->expected_max, file->expected_max, 4) && strcmp(one->policy[0], file->policy[0]) == 0 &&
              strcmp(one->arm[1], file->arm[1]) == 0,
          "the file holds what the run in memory gives", "different");
    const double *last = one->mean_pulls + mk_result_arrays_cell(one, 2, 0, 1) * one->arms;
    check(one->pulls[0] + one->pulls[1] == 20 && last[0] + last[1] == 200, "pulls sum to the horizon", "they do not");
    check(mk_experiment_distribution(e, 1) && !mk_experiment_distribution(e, 2) &&
              mk_distribution_survival(mk_experiment_distribution(e, 1), 0.45) == 0.5,
          "the arms of the experiment", "wrong");
    mk_result_arrays_free(one);
    mk_result_arrays_free(two);
    mk_result_arrays_free(file);
    mk_experiment_free(e);
}

static void more_runs(const char *folder)
{
    struct mk_error err;
    struct mk_experiment *e = NULL, *bare = NULL, *none = NULL;
    struct mk_result_arrays *kept = NULL, *read = NULL, *no = NULL;
    const char *overrides[] = {"keep=summary", "seed=2"};
    char path[600];
    snprintf(path, sizeof path, "%s/outside.yaml", folder);
    FILE *to = fopen(path, "w");
    if (!to || fputs(text, to) < 0 || fclose(to) != 0) exit(1);
    int code = mk_experiment_load(&e, path, overrides, 2, &err);
    snprintf(path, sizeof path, "%s/summary.h5", folder);
    if (!code) code = run(&kept, e, NULL, 2, &err);
    if (!code) code = run(NULL, e, path, 2, &err);
    if (!code) code = mk_result_arrays_read(&read, path, &err);
    check(code == MK_OK && !kept->pulls && !read->pulls && same(kept->mean_pulls, read->mean_pulls, 12) &&
              same(kept->se_max, read->se_max, 6),
          "keep: summary, from a file with overrides", err.text);
    mk_result_arrays_free(kept);
    mk_result_arrays_free(read);
    code = mk_experiment_from_text(&bare, "problem: {arms: [{family: dirac, x: 1}]}\n", NULL, 0, &err);
    check(code == MK_OK && run(&no, bare, NULL, 1, &err) == MK_EINPUT && strstr(err.text, "policies"),
          "an experiment without policies is not run", err.text);
    check(run(&no, e, NULL, -1, &err) == MK_EINPUT && run(NULL, e, path, -1, &err) == MK_EINPUT,
          "fewer than no threads are refused", "accepted");
    check(mk_experiment_from_text(&none, "problem: {arms: 3}\n", NULL, 0, &err) == MK_EINPUT &&
              strstr(err.text, ":1:") && !none,
          "bad input is refused with its place", err.text);
    check(mk_result_arrays_read(&no, "/nothing/here.h5", &err) == MK_EINPUT && !no, "a result that is not there",
          err.text);
    mk_experiment_free(bare);
    mk_experiment_free(e);
    mk_experiment_free(none);
    mk_result_arrays_free(no);
}

int main(int argc, char **argv)
{
    if (argc != 2) return 2;
    registries();
    distributions();
    bounds();
    runs(argv[1]);
    more_runs(argv[1]);
    return bad;
}

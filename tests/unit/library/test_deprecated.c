/* The names that others have replaced do what these do. */
#include <string.h>
#include <unistd.h>

#include "sim/api/maxk/maxk.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static const char text[] = "name: old\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: beta, a: 1, b: 2}]}\n"
                           "policies: [{name: max_ucb}]\nhorizons: [10, 50]\nreplications: 20\n";
static const char study[] = "name: s\nmetric: {maximize: true}\npolicy: uniform\nbudget: {evaluations: 20}\narms:\n"
                            "  - {label: a, space: {x: {real: [0, 1]}}}\n  - {label: b, space: {x: {real: [0, 1]}}}\n";

static int stop_at_once(void *context, uint64_t done, uint64_t all)
{
    *(uint64_t *)context = all;
    return done > all;
}

static bool same(const struct mk_outcome *a, const struct mk_result_arrays *b)
{
    const size_t pulls = b->horizons * b->replications * b->arms * sizeof *b->pulls;
    return a && memcmp(a->pulls, b->pulls, pulls) == 0 && mk_outcome_cell(a, 0, 0, 1) == 1;
}

static void check_runs(struct scratch *s)
{
    const char *seed[] = {"seed=2"};
    char path[400];
    uint64_t seen = 0;
    struct mk_experiment *e = NULL, *other = NULL;
    struct mk_outcome *o[4] = {NULL};
    struct mk_result_arrays *wanted = NULL;
    struct mk_error err = {0, ""};
    struct mk_run_options options = {.threads = 1, .engine = "per-pull"};
    snprintf(path, sizeof path, "%s/old.h5", s->dir);
    REQUIRE(mk_experiment_load_text(&e, text, &err) == MK_OK && mk_run_experiment(&wanted, e, NULL, &err) == MK_OK,
            "an experiment %s", err.text);
    CHECK(mk_experiment_run(&o[0], e, 2, &err) == MK_OK && same(o[0], wanted), "a run %s", err.text);
    CHECK(mk_experiment_run(&o[3], e, 0, &err) == MK_EINPUT && strncmp(err.text, "threads: ", 9) == 0, "no threads");
    CHECK(mk_experiment_run_with(&o[1], e, &options, &err) == MK_OK && same(o[1], wanted), "with options %s", err.text);
    CHECK(mk_experiment_run_file(e, path, 1, &err) == MK_OK && mk_outcome_read(&o[2], path, &err) == MK_OK &&
              same(o[2], wanted),
          "into a file %s", err.text);
    CHECK(mk_experiment_load_text_with(&other, text, seed, 1, &err) == MK_OK, "overrides %s", err.text);
    options = (struct mk_run_options){.force = 1};
    CHECK(mk_experiment_run_file_with(other, path, &options, &err) == MK_OK && !err.text[0], "force %s", err.text);
    options = (struct mk_run_options){.progress = stop_at_once, .context = &seen};
    CHECK(mk_experiment_run_with(&o[3], e, &options, &err) == MK_OK && seen == 20, "progress is reported %s", err.text);
    CHECK(mk_experiment_arm(e, 1) == mk_experiment_distribution(e, 1) && mk_experiment_arm(e, 1), "an arm");
    for (int i = 0; i < 4; i++) mk_outcome_free(o[i]);
    mk_result_arrays_free(wanted);
    mk_experiment_free(e);
    mk_experiment_free(other);
}

static void check_arms(void)
{
    struct mk_dist *d = NULL;
    double a, b, draw[2][3], value = 0, L, U;
    REQUIRE(mk_arm_new(&d, "{family: uniform, lo: 0, hi: 0.8}", NULL) == MK_OK, "an arm");
    mk_arm_support(d, &a, &b);
    mk_arm_sample(d, 1, 3, draw[0]);
    mk_distribution_sample(d, 1, 3, draw[1]);
    CHECK(a == 0 && b == 0.8 && memcmp(draw[0], draw[1], sizeof draw[0]) == 0, "its ends and draws");
    CHECK(mk_arm_survival(d, 0.4) == 0.5 && mk_arm_inverse_survival(d, 0.5) == 0.4, "its survival function");
    CHECK(mk_arm_expected_max(d, 9, &value, NULL) == MK_OK && fabs(value - 0.72) < 1e-12, "its expected maximum");
    CHECK(mk_arm_constants(d, &L, &U, NULL) == MK_OK && fabs(L - 1.25) < 1e-7 && fabs(U - 1.25) < 1e-7, "L and U");
    mk_arm_free(d);
}

static void check_policy(void)
{
    struct mk_policy *p = NULL;
    size_t arm = 0, running[] = {0};
    REQUIRE(mk_policy_new(&p, "uniform", 2, NULL, NULL) == MK_OK, "a policy");
    CHECK(mk_policy_select_ahead(p, running, 1, &arm, NULL) == MK_OK && arm == 1, "the arm after one that is running");
    CHECK(mk_policy_select(p, &arm, NULL) == MK_OK && mk_policy_update(p, arm, 0.5, NULL) == MK_OK &&
              mk_policy_arm_of(p, 0) == 0 && mk_policy_reward_of(p, 0) == 0.5,
          "a round");
    mk_policy_free(p);
}

static void check_studies(struct scratch *s)
{
    char path[400];
    size_t number = 0;
    struct mk_study *of = NULL;
    struct mk_error err = {0, ""};
    snprintf(path, sizeof path, "%s/s.h5", s->dir);
    struct mk_study_options options = {.result = path};
    CHECK(mk_study_new(&of, study, &options, &err) == MK_OK && mk_study_ask(of, &number, NULL) == MK_OK &&
              number != MK_STUDY_NONE,
          "a study %s", err.text);
    CHECK(mk_study_tell(of, number, 1, 1, &err) == MK_OK, "a result %s", err.text);
    mk_study_free(of);
    CHECK(mk_study_new(&of, study, &options, &err) == MK_EINPUT && !of, "it is not overwritten: %s", err.text);
    options.resume = 1;
    CHECK(mk_study_new(&of, study, &options, &err) == MK_OK && mk_study_trials(of) == 1, "resumed %s", err.text);
    mk_study_free(of);
    options.force = 1;
    CHECK(mk_study_new(&of, study, &options, &err) == MK_EINPUT && !of, "not both: %s", err.text);
    options.resume = 0;
    CHECK(mk_study_new(&of, study, &options, &err) == MK_OK && mk_study_trials(of) == 0, "started over %s", err.text);
    mk_study_free(of);
}

static void check_tables(struct scratch *s)
{
    const char *input[] = {scratch_write(s, "old.yaml", text, strlen(text))}, *options[] = {"estimator=exact"};
    struct mk_table *t = NULL;
    struct mk_error err = {0, ""};
    REQUIRE(mk_table_make(&t, "lu", input, 1, options, 1, &err) == MK_OK, "a table %s", err.text);
    CHECK(mk_table_next(t) && mk_table_next(t) == mk_table_further(t), "the further table");
    mk_table_free(t);
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    mk_start();
    check_tables(&s);
    check_runs(&s);
    check_arms();
    check_policy();
    check_studies(&s);
    scratch_remove(&s);
    return CHECK_EXIT;
}

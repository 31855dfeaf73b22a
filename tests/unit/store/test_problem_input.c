/* Experiments, recorded rewards and results open alike; what else there is is refused. */
#include <unistd.h>

#include "sim/base/input_path.h"
#include "sim/run/store/problem_input.h"
#include "sim/run/store/result.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static const char text[] = "name: input\nproblem:\n  arms: [{family: uniform, lo: 0, hi: 1}, {family: dirac, x: 0.5}]\n"
                           "policies: [uniform]\nhorizons: [10]\nreplications: 2\n";

static struct scratch scratch;

static void check_names(void)
{
    char path[128];
    CHECK(mk_input_is_csv("a.csv") && mk_input_is_csv("b/a.csv.gz") && !mk_input_is_csv("a.csv.bz2") &&
              !mk_input_is_csv("csv"),
          "CSV files by their names");
    CHECK(mk_input_is_yaml("a.yaml") && mk_input_is_yaml("a.yml") && !mk_input_is_yaml("a.yaml.h5"),
          "experiment files by their names");
    CHECK(mk_input_is_result("no/such.h5") && !mk_input_is_result("no/such.yaml"), "results by their names");
    snprintf(path, sizeof path, "%s",
             scratch_write(&scratch, "anything", "\x89HDF\r\n\x1a\n and more", strlen("\x89HDF\r\n\x1a\n and more")));
    CHECK(mk_input_is_result(path), "and by their first bytes");
    CHECK(!mk_input_is_result(scratch_write(&scratch, "short", "\x89HD", 3)), "of which there must be eight");
}

/* Writes a result of the experiment, without running it. */
static int write_result(const char *path, struct mk_error *err)
{
    static const char *const engine[] = {"per-pull"};
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_writer *w = NULL;
    uint64_t pulls[] = {5, 5, 6, 4};
    double max_reward[] = {0.9, 0.8};
    const struct mk_block b = {.n_units = 2, .pulls = pulls, .max_reward = max_reward};
    const struct mk_volatile v = {"", 1, 1};
    int code = mk_experiment_parse(&e, "input", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, err);
    if (!code) code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (!code) code = mk_writer_open(&w, path, e, f, engine, 1, err);
    if (!code) code = mk_writer_block(w, &b, err);
    if (!code) code = mk_writer_commit(w, &v, err);
    mk_writer_free(w);
    mk_truth_free(f);
    mk_experiment_free(e);
    return code;
}

static void opens(const char *path, const struct mk_source_type *source, const char *what)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    int code = mk_problem_input_open(&e, path, NULL, 0, MK_NEED_PROBLEM, &err);
    CHECK(!code && e->problem->source == source && e->problem->n_arms == 2, "%s is opened %s", what, err.text);
    mk_experiment_free(e);
}

static void refuses(const char *path, const char *what)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    int code = mk_problem_input_open(&e, path, NULL, 0, MK_NEED_PROBLEM, &err);
    CHECK(code == MK_EINPUT && !e && strncmp(err.text, path, strlen(path)) == 0, "%s is refused: %s", what, err.text);
    mk_experiment_free(e);
}

static void check_files(void)
{
    static const char csv[] = "instance,arm,repetition,iteration,reward\nx,a,0,0,1\nx,b,0,0,2\n";
    struct mk_error err = {0, ""};
    char path[128], other[128];
    opens(scratch_write(&scratch, "e.yaml", text, strlen(text)), &mk_source_arms, "an experiment file");
    opens(scratch_write(&scratch, "r.csv", csv, strlen(csv)), &mk_source_trajectories, "a CSV file");
    snprintf(path, sizeof path, "%s/r.h5", scratch.dir);
    snprintf(other, sizeof other, "%s/result", scratch.dir);
    int code = write_result(path, &err);
    CHECK(!code, "a result is written %s", err.text);
    opens(path, &mk_source_arms, "a result");
    if (rename(path, other) == 0) opens(other, &mk_source_arms, "a result by another name");
    refuses(path, "a result that is not there");
    refuses(scratch_write(&scratch, "bad.h5", "text", 4), "a .h5 file that is not HDF5");
    refuses(scratch_write(&scratch, "bad.csv", "a,b\n", 4), "a CSV file with other columns");
    refuses(scratch_write(&scratch, "none.yaml", "name: x\n", 8), "an experiment without a problem");
}

/* An override of `plugins` loads what it names, and it alone does. */
static void check_plugins(void)
{
    static const char plugin[] = "plugins: [none.so]\n";
    const char *sets[] = {"plugins=[none.so]", "replications=3"};
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    char with[sizeof text + sizeof plugin], path[128];
    snprintf(path, sizeof path, "%s", scratch_write(&scratch, "without.yaml", text, strlen(text)));
    CHECK(mk_problem_input_open(&e, path, sets, 2, MK_NEED_PROBLEM, &err) == MK_EINPUT && strstr(err.text, "none.so"),
          "a plugin that is not there: %s", err.text);
    mk_experiment_free(e);
    snprintf(with, sizeof with, "%s%s", plugin, text);
    snprintf(path, sizeof path, "%s", scratch_write(&scratch, "with.yaml", with, strlen(with)));
    CHECK(mk_problem_input_open(&e, path, sets + 1, 1, MK_NEED_PROBLEM, &err) == MK_OK,
          "the plugin of a file is left alone %s", err.text);
    mk_experiment_free(e);
}

static void selects(const struct mk_result_info *i, struct mk_policy_selection s, const char *want, const char *what)
{
    struct mk_error err = {0, ""};
    char keep[3];
    s.command = "x";
    int code = mk_policy_selection_apply(&s, i, keep, &err);
    bool same = (code == MK_OK) == (want[0] != 'm');
    for (size_t p = 0; p < 3 && !code; p++) same &= (want[p] == '1') == (keep[p] != 0);
    CHECK(same && (!code || strncmp(err.text, want, strlen(want)) == 0), "%s %s", what, err.text);
}

static void check_selection(void)
{
    char *label[] = {"wide", "ucb 1", "ucb 2"}, *name[] = {"max_ucb", "ucb", "ucb"};
    const struct mk_result_info i = {.path = "r.h5", .n_policies = 3, .policy = label, .policy_name = name};
    const char *const wide[] = {"wide"}, *const others[] = {"ucb 1", "ucb 2"}, *const none[] = {"exp3"};
    selects(&i, (struct mk_policy_selection){0}, "111", "all");
    selects(&i, (struct mk_policy_selection){.policy = wide, .n_policies = 1}, "100", "the first alone");
    selects(&i, (struct mk_policy_selection){.without = others, .n_without = 2}, "100", "all but the others");
    selects(&i, (struct mk_policy_selection){.among = "ucb"}, "011", "of one name");
    selects(&i, (struct mk_policy_selection){.among = "ucb", .without = others, .n_without = 1}, "001",
            "but one of these");
    selects(&i, (struct mk_policy_selection){.among = "ucb", .without = others, .n_without = 2},
            "maxk x: r.h5: no policy is left", "none left:");
    selects(&i, (struct mk_policy_selection){.policy = none, .n_policies = 1},
            "maxk x: --policy: r.h5: no policy 'exp3'", "an unknown label:");
    selects(&i, (struct mk_policy_selection){.among = "exp3"}, "maxk x: --among: r.h5: no policy named 'exp3'",
            "an unknown name:");
}

int main(void)
{
    scratch_make(&scratch);
    check_names();
    check_plugins();
    check_selection();
    check_files();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}

/* Runs are the same when their experiments, engines, data and program are; else the first differences are reported. */
#include <stdlib.h>

#include "sim/run/store/run_identity.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

static struct scratch scratch;

static int identify(struct mk_identity *id, const char *text, enum mk_engine engine, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    struct mk_truth *f = NULL;
    struct mk_run_context c = {0};
    *id = (struct mk_identity){0};
    int code = mk_experiment_parse(&e, "identity", text, strlen(text), MK_NEED_PROBLEM | MK_NEED_RUN, err);
    if (!code) code = mk_truth_new(&f, e->problem, e->horizon, e->n_horizons, e->replications, err);
    if (!code) code = mk_run_context_init(&c, e, f, err);
    if (!code) code = mk_run_choose(&c, engine, err);
    if (!code) code = mk_identity_of_run(id, &c, err);
    mk_run_context_clear(&c);
    mk_truth_free(f);
    mk_experiment_free(e);
    return code;
}

static const char *experiment(const char *alpha, int seed, char *out, size_t room)
{
    snprintf(out, room,
             "name: i\nproblem: {arms: [{family: uniform, lo: 0, hi: 1}, {family: dirac, x: 0.5}]}\n"
             "policies: [{name: max_ucb, alpha: %s}]\nhorizons: [100]\nreplications: 3\nseed: %d\n",
             alpha, seed);
    return out;
}

static void compare(const struct mk_identity *a, const char *text, enum mk_engine engine, const char *differs)
{
    struct mk_error err = {0, ""};
    struct mk_identity b;
    char lines[400] = "";
    int code = identify(&b, text, engine, &err);
    bool same = !code && mk_identity_same(a, &b, lines, sizeof lines);
    CHECK(!code && same == !differs && (!differs || strstr(lines, differs)), "%s: '%s' %s",
          differs ? "another run" : "the same run", lines, err.text);
    mk_identity_clear(&b);
}

static void check_texts(void)
{
    struct mk_error err = {0, ""};
    struct mk_identity a, copy = {0};
    char text[400], lines[400];
    int code = identify(&a, experiment("0.5", 1, text, sizeof text), MK_ENGINE_PER_PULL, &err);
    CHECK(!code && a.experiment && a.engines && a.data && !a.data[0] && a.program, "the identity of a run %s",
          err.text);
    if (code) return;
    compare(&a, experiment("0.50", 1, text, sizeof text), MK_ENGINE_PER_PULL, NULL);
    compare(&a, experiment("0.6", 1, text, sizeof text), MK_ENGINE_PER_PULL, "0.6");
    compare(&a, experiment("0.5", 2, text, sizeof text), MK_ENGINE_PER_PULL, "seed: 1, not seed: 2");
    compare(&a, experiment("0.5", 1, text, sizeof text), MK_ENGINE_RECORD, "record");
    code = mk_identity_copy(&copy, &a, &err);
    CHECK(!code && copy.engines != a.engines && mk_identity_same(&a, &copy, lines, sizeof lines), "a copy is the same");
    free(copy.program);
    copy.program = strdup("program: another\n");
    if (copy.program && a.program[0])
        CHECK(!mk_identity_same(&a, &copy, lines, sizeof lines) && strstr(lines, "another"), "another program: %s",
              lines);
    if (copy.program) copy.program[0] = 0;
    CHECK(mk_identity_same(&a, &copy, lines, sizeof lines), "an unknown program is not compared");
    mk_identity_clear(&copy);
    mk_identity_clear(&a);
    CHECK(!a.experiment && !a.engines, "cleared");
}

/* Of recorded rewards every bit counts, wherever the file is. */
static void check_data(void)
{
    static const char *const rewards[] = {"0.1", "0.10", "0.1000000000000001"};
    struct mk_error err = {0, ""};
    struct mk_identity id[3];
    int code = MK_OK;
    for (size_t i = 0; i < 3; i++) {
        char csv[200], text[400];
        snprintf(csv, sizeof csv, "instance,arm,repetition,iteration,reward\nx,a,0,0,%s\nx,b,0,0,0.2\n", rewards[i]);
        const char *path = scratch_write(&scratch, "data.csv", csv, strlen(csv));
        snprintf(text, sizeof text,
                 "name: i\nproblem: {trajectories: %s, ends_early: hold}\npolicies: [uniform]\nhorizons: [2]\n", path);
        int read = identify(&id[i], text, MK_ENGINE_PER_PULL, &err);
        if (!code) code = read;
    }
    CHECK(!code && id[0].data[0], "recorded rewards have a fingerprint: %s", code ? err.text : id[0].data);
    if (!code)
        CHECK(strcmp(id[0].data, id[1].data) == 0 && strcmp(id[0].data, id[2].data) != 0,
              "it is that of the numbers, to the last bit");
    for (size_t i = 0; i < 3; i++) mk_identity_clear(&id[i]);
}

/* Of measured configurations the rewards count, wherever the file is. */
static void check_objectives(void)
{
    static const char *const rewards[] = {"0.7", "0.70", "0.71"};
    struct mk_error err = {0, ""};
    struct mk_identity id[3];
    int code = MK_OK;
    for (size_t i = 0; i < 3; i++) {
        char csv[2000] = "instance,arm,c,reward\n", text[700];
        size_t length = strlen(csv);
        for (int c = 0; c < 100; c++)
            length +=
                (size_t)snprintf(csv + length, sizeof csv - length, "x,a,%d,%s\n", c, c == 50 ? rewards[i] : ".5");
        const char *path = scratch_write(&scratch, "table.csv", csv, length);
        snprintf(text, sizeof text,
                 "name: i\nproblem: {instances: [x], searches: [{objective: {name: table, file: %s, arm: a}, "
                 "optimizer: random}]}\npolicies: [uniform]\nhorizons: [2]\nreplications: 1\n",
                 path);
        int read = identify(&id[i], text, MK_ENGINE_PER_PULL, &err);
        if (!code) code = read;
    }
    CHECK(!code && id[0].data[0], "measured configurations have a fingerprint: %s", code ? err.text : id[0].data);
    if (!code)
        CHECK(strcmp(id[0].data, id[1].data) == 0 && strcmp(id[0].data, id[2].data) != 0,
              "it is that of their rewards");
    for (size_t i = 0; i < 3; i++) mk_identity_clear(&id[i]);
}

int main(void)
{
    scratch_make(&scratch);
    check_texts();
    check_data();
    check_objectives();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}

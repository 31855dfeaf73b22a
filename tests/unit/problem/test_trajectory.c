/* Recorded trajectories: both forms of file, what is refused, rewards through a temporary file, speed, the data of the
 * repository. Places are counted by hand; the facts of the data files were computed with pandas. */
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sim/api/maxk/maxk.h"
#include "sim/base/csv.h"
#include "sim/problem/trajectory_rows.h"
#include "tests/support/check.h"
#include "tests/support/message.h"
#include "tests/support/scratch.h"

#define HEAD "instance,arm,repetition,iteration,reward\n"
#define LOSS "instance,arm_index,repetition,iteration,loss,classifier\n"

static const struct mk_trajectory_options everything = {.order = MK_ARMS_SORTED};

static const char *put(struct scratch *s, const char *text)
{
    return scratch_write(s, "t.csv", text, strlen(text));
}

static struct mk_problem *read_all(const char *path, const struct mk_trajectory_options *o, struct mk_error *err)
{
    struct mk_problem *p = NULL;
    size_t unknown;
    return mk_trajectory_read(&p, path, o, &unknown, err) ? NULL : p;
}

static void check_small(struct scratch *s)
{
    struct mk_error err = {0, ""};
    const char *path = put(s, "reward,extra,instance,arm,repetition,iteration\n"
                              "0.5,x,B,svc,7,1\n0.4,x,B,svc,7,0\n"
                              "1,x,A,svc,3,0\n2,x,A,svc,3,1\n3,x,A,rf,3,0\n"
                              "4,x,A,rf,7,0\n5,x,A,svc,7,0\n6,x,A,svc,7,1\n7,x,A,rf,7,1\n"
                              "0.1,x,B,svc,3,0\n0.2,x,B,svc,3,1\n0.3,x,B,svc,3,2\n8,x,A,rf,3,1\n");
    struct mk_problem *p = read_all(path, &everything, &err);
    CHECK(p != NULL, "rows in any order, columns in any order %s", err.text);
    REQUIRE(p, "a problem");
    CHECK(p->source == &mk_source_trajectories && p->n_instances == 2 && p->n_arms == 2 && p->replications == 2,
          "its shape");
    CHECK(strcmp(p->instance[0].name, "A") == 0 && strcmp(p->arm_label[0], "rf") == 0 &&
              strcmp(p->arm_label[1], "svc") == 0,
          "sorted names");
    CHECK(p->instance[1].n_arms == 1 && p->instance[1].arm[0] == 1, "an instance that lacks an arm");
    CHECK(strcmp(p->repetition_name[0], "3") == 0 && strcmp(p->repetition_name[1], "7") == 0 &&
              p->instance[1].repetition[1] == 1,
          "sorted repetitions");
    const struct mk_series *a = mk_problem_series(p, 0, 1, 0), *b = mk_problem_series(p, 1, 0, 0),
                           *c = mk_problem_series(p, 1, 0, 1), *d = mk_problem_series(p, 0, 0, 0);
    CHECK(a->length == 2 && a->reward[0] == 1 && a->reward[1] == 2, "A svc 3");
    CHECK(b->length == 3 && b->reward[2] == 0.3 && b->line == 13, "B svc 3, its last line");
    CHECK(c->length == 2 && c->reward[0] == 0.4 && c->reward[1] == 0.5, "B svc 7, out of order");
    CHECK(d->reward[0] == 3 && d->reward[1] == 8, "A rf 3, interleaved");
    CHECK(p->cost[0] == 1 && p->n_baselines == 0 && strcmp(p->file, path) == 0, "costs, baselines, file");
    CHECK(mk_trajectory_check(p, 2, 2, &err) == MK_OK, "all series reach 2");
    char want[400];
    snprintf(want, sizeof want, "%s:14: ~instance A, arm rf, repetition 3", path);
    CHECK(mk_trajectory_check(p, 3, 2, &err) == MK_EINPUT && message_says(err.text, want), "not 3: %s", err.text);
    mk_problem_free(p);

    static const char *const names[] = {"B", "A"};
    struct mk_trajectory_options o = {.instance = names, .n_instances = 2, .order = MK_ARMS_FILE};
    p = read_all(path, &o, &err);
    CHECK(p && strcmp(p->instance[0].name, "B") == 0 && strcmp(p->arm_label[0], "svc") == 0, "chosen and file order");
    mk_problem_free(p);
    o = (struct mk_trajectory_options){.instance = names, .n_instances = 1};
    p = read_all(path, &o, &err);
    CHECK(p && p->n_instances == 1 && p->n_arms == 1, "one instance: only its arms");
    mk_problem_free(p);
    static const char *const none[] = {"A", "C"};
    o = (struct mk_trajectory_options){.instance = none, .n_instances = 2};
    size_t unknown = 0;
    snprintf(want, sizeof want, "%s: ~'C'", path);
    CHECK(mk_trajectory_read(&p, path, &o, &unknown, &err) == MK_EINPUT && unknown == 1 && message_says(err.text, want),
          "an unknown instance: %s", err.text);
}

static void check_losses(struct scratch *s)
{
    struct mk_error err = {0, ""};
    const char *path = put(s, "instance,arm_index,repetition,iteration,loss,classifier,optimizer\n"
                              "d,1,0,1,0.5,svc,o\nd,1,0,2,0,svc,o\nd,0,0,1,0.25,rf,o\nd,-1,0,1,0.125,,smac\n"
                              "d,-2,0,1,0.0625,all,\nd,0,0,2,1,rf,o\n");
    struct mk_problem *p = read_all(path, &everything, &err);
    CHECK(p && p->n_arms == 2 && strcmp(p->arm_label[0], "rf") == 0, "losses with classifiers %s", err.text);
    if (p) {
        const struct mk_series *rf = mk_problem_series(p, 0, 0, 0), *svc = mk_problem_series(p, 0, 1, 0);
        CHECK(rf->reward[0] == -0.25 && rf->reward[1] == -1 && rf->length == 2, "reward = -loss, iterations from 1");
        CHECK(svc->reward[1] == 0 && !signbit(svc->reward[1]), "a loss of 0 is a reward of 0, not -0");
        CHECK(p->n_baselines == 2 && strcmp(p->baseline_label[0], "smac (-1)") == 0 &&
                  strcmp(p->baseline_label[1], "all (-2)") == 0,
              "baselines and their names");
        CHECK(p->instance[0].baseline[0].reward[0] == -0.125 && p->instance[0].baseline[1].length == 1,
              "their rewards");
    }
    mk_problem_free(p);
    path = put(s, LOSS "a,0,0,0,1,rf\na,1,0,0,2,rf\na,2,0,0,3,svc\nb,7,0,0,4,svc\nb,0,0,0,5,rf\n");
    p = read_all(path, &everything, &err);
    CHECK(p && p->n_arms == 3 && strcmp(p->arm_label[0], "rf (0)") == 0 && strcmp(p->arm_label[1], "rf (1)") == 0 &&
              strcmp(p->arm_label[2], "svc") == 0 && p->instance[0].n_arms == 3 && p->instance[1].n_arms == 2,
          "a classifier with two arm_index is two arms, one whose arm_index differs between instances is one %s",
          err.text);
    CHECK(p && mk_problem_series(p, 0, 1, 0)->reward[0] == -2 && mk_problem_series(p, 1, 0, 0)->reward[0] == -5 &&
              mk_problem_series(p, 1, 1, 0)->reward[0] == -4,
          "with their rewards");
    mk_problem_free(p);
    path = put(s, "instance,arm_index,repetition,iteration,loss\nd,10,0,0,1\nd,9,0,0,1\nd,-1,0,0,2\n");
    p = read_all(path, &everything, &err);
    CHECK(p && strcmp(p->arm_label[0], "9") == 0 && strcmp(p->arm_label[1], "10") == 0 &&
              strcmp(p->baseline_label[0], "baseline (-1)") == 0,
          "without names: indices, in the order of numbers");
    mk_problem_free(p);
}

/* What a file is read as, for files that say the same in different words. */
static void check_same(struct scratch *s, const char *text, const struct mk_trajectory_options *o, const char *what)
{
    struct mk_error err = {0, ""};
    struct mk_problem *p = read_all(put(s, text), o, &err);
    const bool good = p && p->n_instances == 1 && p->n_arms == 2 && p->replications == 2 &&
                      strcmp(p->arm_label[1], "svm") == 0 && mk_problem_series(p, 0, 0, 0)->reward[0] == 0.25 &&
                      mk_problem_series(p, 0, 1, 1)->reward[0] == 0.75;
    CHECK(good, "%s %s", what, err.text);
    mk_problem_free(p);
}

static void check_words(struct scratch *s)
{
    const struct mk_trajectory_options named = {.column = {[MK_COLUMN_INSTANCE] = "dataset",
                                                           [MK_COLUMN_ARM] = "classifier",
                                                           [MK_COLUMN_REPETITION] = "seed",
                                                           [MK_COLUMN_REWARD] = "Accuracy"}};
    check_same(s, HEAD "a,knn,0,0,.25\na,knn,1,0,.5\na,svm,0,0,.5\na,svm,1,0,.75\n", &everything, "commas");
    check_same(s,
               "Instance;ARM;repetition;Iteration;reward\na;knn;0;0;0,25\na;knn;1;0;0.5\na;svm;0;0;,5\na;svm;1;0;,75\n",
               &everything, "semicolons, decimal commas, names in any case");
    check_same(s,
               "instance\tarm\trepetition\titeration\treward\na\tknn\t0\t0\t.25\na\tknn\t1\t0\t.5\na\tsvm\t0\t0\t.5\n"
               "a\tsvm\t1\t0\t.75\n",
               &everything, "tabs");
    check_same(s,
               "instance, arm, repetition, iteration, reward\na, knn, 0, 0, .25\na, knn, 1, 0, .5\na, svm, 0, 0, .5\n"
               "a, svm , 1, 0, .75\n",
               &everything, "blanks around cells");
    check_same(
        s, "instance,arm,repetition,iteration,loss\na,knn,s1,0,-.25\na,knn,s2,0,.5\na,svm,s1,0,.5\na,svm,s2,0,-.75\n",
        &everything, "losses of named arms, texts as repetitions");
    check_same(s,
               "dataset,classifier,seed,iteration,accuracy\na,knn,0,0,.25\na,knn,1,0,.5\na,svm,0,0,.5\na,svm,1,0,.75\n",
               &named, "columns of other names");
    check_same(s,
               "arm,reward,dataset,classifier,seed,iteration,accuracy\nx,9,a,knn,0,0,.25\nx,9,a,knn,1,0,.5\n"
               "x,9,a,svm,0,0,.5\nx,9,a,svm,1,0,.75\n",
               &named, "which come before the usual ones");
}

static struct mk_problem *read_rule(struct scratch *s, const char *text, enum mk_missing missing, enum mk_holes holes,
                                    struct mk_error *err)
{
    const struct mk_trajectory_options o = {.missing = missing, .holes = holes};
    *err = (struct mk_error){0, ""};
    return read_all(put(s, text), &o, err);
}

static bool notes(const struct mk_problem *p, const char *want)
{
    char *text = p ? mk_problem_gaps(p) : NULL;
    const bool same = text && strcmp(text, want) == 0;
    if (!same) printf("got %s\n", text ? text : "nothing");
    free(text);
    return same;
}

/* a has repetitions 0, 1, 2, of which arm y lacks 1; b has 1 alone. */
#define UNEVEN HEAD "a,x,0,0,1\na,x,1,0,2\na,x,2,0,3\na,y,0,0,4\na,y,2,0,5\nb,x,1,0,6\nb,y,1,0,7\n"

static void check_uneven(struct scratch *s)
{
    struct mk_error err;
    struct mk_problem *p = read_rule(s, UNEVEN, MK_MISSING_OWN, MK_HOLES_ERROR, &err);
    CHECK(p && p->replications == 2 && p->instance[0].replications == 2 && p->instance[1].replications == 1 &&
              !mk_problem_even(p) && mk_problem_replications(p, 1, 2) == 1 && mk_problem_replications(p, 0, 1) == 1,
          "every instance keeps its own %s", err.text);
    CHECK(p && mk_problem_series(p, 0, 0, 1)->reward[0] == 3 && mk_problem_series(p, 0, 1, 1)->reward[0] == 5 &&
              p->instance[0].repetition[1] == 2 && mk_problem_series(p, 1, 1, 0)->reward[0] == 7 &&
              mk_problem_series(p, 1, 1, 1)->length == 0 && mk_problem_shortest(p) == 1,
          "and their rewards");
    CHECK(notes(p, "a: 1 of 3 repetitions dropped (1): not every arm of the instance has them\n"), "what was dropped");
    struct mk_truth *f = NULL;
    const uint64_t one = 1;
    CHECK(p && mk_truth_new(&f, p, &one, 1, 2, &err) == MK_OK && f->expected_max[0] == 2 && f->expected_max[2] == 6 &&
              f->recorded->best[1] == 5 && f->recorded->best[2] == 7 && isnan(f->recorded->best[3]),
          "means over the instance's own repetitions");
    mk_truth_free(f);
    CHECK(p && mk_trajectory_extend(p, 3, MK_ENDS_HOLD, &err) == MK_OK && mk_problem_series(p, 1, 1, 0)->length == 3 &&
              mk_problem_series(p, 1, 1, 1)->length == 0,
          "what is not there is not extended");
    mk_problem_free(p);

    p = read_rule(s, UNEVEN, MK_MISSING_DROP_ARM, MK_HOLES_ERROR, &err);
    CHECK(p && p->instance[0].n_arms == 1 && p->instance[0].replications == 3 && p->instance[1].n_arms == 2 &&
              notes(p, "a: arm y dropped: it has 2 of 3 repetitions\n"),
          "an arm dropped from its instance");
    mk_problem_free(p);
    p = read_rule(s, HEAD "a,x,0,0,1\na,x,2,0,3\na,y,0,0,4\na,y,1,0,5\na,y,2,0,6\n", MK_MISSING_DROP_ARM,
                  MK_HOLES_ERROR, &err);
    CHECK(p && p->instance[0].n_arms == 1 && p->instance[0].arm[0] == 1 &&
              mk_problem_series(p, 0, 0, 0)->reward[0] == 4 && mk_problem_series(p, 0, 0, 1)->reward[0] == 5 &&
              mk_problem_series(p, 0, 0, 2)->reward[0] == 6,
          "the first arm dropped: the others keep their rewards");
    mk_problem_free(p);
    p = read_rule(s, UNEVEN, MK_MISSING_DROP_REPETITION, MK_HOLES_ERROR, &err);
    CHECK(!p && strstr(err.text, "no repetition is complete"), "none that all have: %s", err.text);
    p = read_rule(s, HEAD "a,x,0,0,1\na,x,1,0,2\nb,x,1,0,6\n", MK_MISSING_DROP_REPETITION, MK_HOLES_ERROR, &err);
    CHECK(p && p->replications == 1 && mk_problem_even(p) && mk_problem_series(p, 0, 0, 0)->reward[0] == 2 &&
              notes(p, "a: 1 of 2 repetitions dropped (0): not every arm of every instance has them\n"),
          "a repetition dropped everywhere");
    mk_problem_free(p);
    p = read_rule(s, HEAD "a,x,0,0,1\na,y,1,0,2\n", MK_MISSING_OWN, MK_HOLES_ERROR, &err);
    CHECK(!p && strstr(err.text, "instance a has no repetition with all of its arms"), "none left: %s", err.text);
}

/* Twenty parts of two rewards, 1 and 2 + part, then 2: measured from 1 the largest of a part rise from 1 to 20, by 19
 * of the first, or to 2 in the second part alone, by 1. One arm, so that nothing else sets the scale. */
static void check_shift(struct scratch *s, int rises_until, double want)
{
    char text[2048] = HEAD;
    size_t at = strlen(text);
    for (int j = 0; j < 20; j++)
        at += (size_t)snprintf(text + at, sizeof text - at, "a,x,0,%d,1\na,x,0,%d,%d\n", 2 * j, 2 * j + 1,
                               2 + (j <= rises_until ? j : 0));
    struct mk_error err;
    struct mk_problem *p = read_rule(s, text, MK_MISSING_OWN, MK_HOLES_ERROR, &err);
    struct mk_truth *f = NULL;
    const uint64_t horizon = 40;
    CHECK(p && mk_truth_new(&f, p, &horizon, 1, 1, &err) == MK_OK && fabs(f->recorded->shift[0] - want) < 1e-12,
          "shift of one arm %s", err.text);
    mk_truth_free(f);
    mk_problem_free(p);
}

static void check_extend_first(struct scratch *s)
{
    struct mk_error err;
    struct mk_problem *p = read_rule(s, HEAD "a,x,0,0,1\na,y,0,0,2\na,y,0,1,3\n", MK_MISSING_OWN, MK_HOLES_ERROR, &err);
    CHECK(p && mk_trajectory_extend(p, 2, MK_ENDS_HOLD, &err) == MK_OK && mk_problem_series(p, 0, 0, 0)->length == 2 &&
              mk_problem_series(p, 0, 0, 0)->reward[1] == 1 && mk_problem_series(p, 0, 1, 0)->reward[1] == 3,
          "only the first arm is short: extended %s", err.text);
    mk_problem_free(p);
}

static void check_holes(struct scratch *s)
{
    static const char holed[] = HEAD "a,x,0,0,1\na,x,0,1,2\na,x,0,4,3\na,x,0,5,4\n";
    struct mk_error err;
    struct mk_problem *p = read_rule(s, holed, MK_MISSING_OWN, MK_HOLES_REPEAT, &err);
    const double *r = p ? mk_problem_series(p, 0, 0, 0)->reward : NULL;
    CHECK(r && mk_problem_series(p, 0, 0, 0)->length == 6 && r[1] == 2 && r[2] == 2 && r[3] == 2 && r[4] == 3 &&
              r[5] == 4 && notes(p, "a: 2 missing iterations filled with the reward before them\n"),
          "holes filled %s", err.text);
    mk_problem_free(p);
    p = read_rule(s, holed, MK_MISSING_OWN, MK_HOLES_CLOSE, &err);
    r = p ? mk_problem_series(p, 0, 0, 0)->reward : NULL;
    CHECK(r && mk_problem_series(p, 0, 0, 0)->length == 4 && r[2] == 3 &&
              notes(p, "a: 2 missing iterations closed: later rewards moved up\n"),
          "holes closed %s", err.text);
    mk_problem_free(p);
    static const char late[] = HEAD "a,x,0,0,1\na,x,1,3,2\n", vast[] = HEAD "a,x,0,0,1\na,x,0,1000000000000,2\n";
    p = read_rule(s, late, MK_MISSING_OWN, MK_HOLES_REPEAT, &err);
    CHECK(!p && strstr(err.text, "lacks iteration 0"), "nothing to repeat: %s", err.text);
    p = read_rule(s, late, MK_MISSING_OWN, MK_HOLES_CLOSE, &err);
    CHECK(p && notes(p, "a: 3 missing iterations closed: later rewards moved up\n"), "a late start closed %s",
          err.text);
    mk_problem_free(p);
    p = read_rule(s, vast, MK_MISSING_OWN, MK_HOLES_REPEAT, &err);
    CHECK(!p && strstr(err.text, "lacks most iterations"), "a hole larger than the series: %s", err.text);
}

static void refuse(struct scratch *s, const char *text, const char *want)
{
    struct mk_error err = {0, ""};
    char full[800];
    const char *path = put(s, text);
    struct mk_trajectory_options strict = everything;
    strict.missing = MK_MISSING_ERROR;
    struct mk_problem *p = read_all(path, &strict, &err);
    snprintf(full, sizeof full, "%s%s", path, want);
    int same = !p && err.code == MK_EINPUT && message_says(err.text, full);
    CHECK(same, "refused: %s%s%s", want, same ? "" : " GOT ", same ? "" : err.text);
    mk_problem_free(p);
}

static void check_refusals(struct scratch *s)
{
    static const char *const cases[][2] = {
        {HEAD, ": ~no rewards"},
        {"instance,arm,repetition,iteration,score\n",
         ":1: ~no column for reward; the file has instance, arm, repetition, "
         "iteration, score (separator: comma)"},
        {"instance,arm,arm,repetition,iteration,reward\n", ":1: arm: ~duplicate"},
        {HEAD "a,b,0,0,x\n", ":2:9: reward: ~got x"},
        {HEAD "a,b,0,0,1\na,é,0,0,inf\n", ":3:9: reward: ~got inf"},
        {HEAD "a,b,0,0,\na,b,0,1, NA \n", ": ~no rewards"},
        {HEAD "a,b,0,0.5,1\n", ":2:7: iteration: ~got 0.5"},
        {HEAD "a,b,-1,0,1\n", ":2:5: repetition: ~got -1"},
        {HEAD "a,b,1e300,0,1\n", ":2:5: repetition: ~got 1e300"},
        {HEAD ",b,0,0,1\n", ":2:1: instance: ~got an empty cell"},
        {HEAD "a,\x01,0,0,1\n", ":2:3: arm: ~got "},
        {HEAD "a,b,0,0\n", ":2: ~got 4"},
        {HEAD "a,b,0,0,1\na,b,0,2,1\na,b,0,3,1\n", ":3: iteration: ~iteration 1"},
        {HEAD "a,b,0,0,1\na,b,0,1,1\na,b,0,2,1\na,b,0,1,1\na,b,0,3,1\n", ":5: iteration: ~iteration 1"},
        {HEAD "a,b,0,2,1\na,b,0,3,1\n", ":2: iteration: ~iteration 0"},
        {HEAD "a,b,0,0,1\na,b,1,1,1\na,b,1,2,1\n", ":3: iteration: ~iteration 0"},
        {HEAD "a,b,0,0,1\na,c,0,0,1\na,b,1,0,1\nz,b,0,0,1\nz,b,1,0,1\n", ":3: repetition: ~repetition 1"},
        {HEAD "a,b\xe9,0,0,1\n", ":2:3: arm: ~got b?"},
        {LOSS "a,0,0,0,1,rf\na,0,1,0,1,svc\n", ":3:11: classifier: ~got svc"},
        {LOSS "a,0,0,0,1,rf\na,1,0,0,1,rf\na,2,0,0,1,rf (1)\n", ": ~'rf (1)'"},
        {LOSS "a,0,0,0,1,\n", ":2:11: classifier: ~got an empty cell"},
        {LOSS "a,0.5,0,0,1,rf\n", ":2:3: arm_index: ~got 0.5"},
        {LOSS "a,-1,0,0,1,x\n", ": ~no arms"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) refuse(s, cases[i][0], cases[i][1]);
}

/* Any order of the rows gives the same problem. */
static void check_shuffled(struct scratch *s)
{
    enum { ARMS = 4, REPS = 3, LENGTH = 50, ROWS = ARMS * REPS * LENGTH };
    char *text = malloc(ROWS * 40 + 100);
    int order[ROWS], wrong = 0;
    unsigned state = 12345;
    REQUIRE(text, "memory");
    for (int i = 0; i < ROWS; i++) order[i] = i;
    for (int i = ROWS - 1; i > 0; i--) {
        state = state * 1103515245u + 12345u;
        int j = (int)((state >> 8) % (unsigned)(i + 1)), t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    size_t n = (size_t)sprintf(text, HEAD);
    for (int i = 0; i < ROWS; i++)
        n += (size_t)sprintf(text + n, "x,a%d,%d,%d,%d\n", order[i] % ARMS, order[i] / ARMS % REPS,
                             order[i] / ARMS / REPS, order[i]);
    struct mk_error err = {0, ""};
    struct mk_problem *p = read_all(scratch_write(s, "t.csv", text, n), &everything, &err);
    for (int i = 0; p && i < ROWS; i++)
        wrong += mk_problem_series(p, 0, (size_t)(i % ARMS), (uint64_t)(i / ARMS % REPS))->reward[i / ARMS / REPS] != i;
    CHECK(p && !wrong, "600 rows in random order %s", err.text);
    mk_problem_free(p);
    free(text);
}

/* Rewards that do not fit into `memory` come back the same from the temporary file. Value = a function of the series
 * and the iteration; order 0: series after series; 1: all series alternate. */
static double value_at(int series, int at)
{
    return series + at / 1024.;
}

/* costs: with costs and test scores. */
static size_t write_rows(char *text, int order, int series, int length, int costs)
{
    size_t n = (size_t)sprintf(text, "instance,arm,repetition,iteration,reward%s\n", costs ? ",cost,test_reward" : "");
    for (int i = 0; i < series * length; i++) {
        int at = order == 0 ? i : i % series * length + i / series;
        int s = at / length, k = at % length;
        n += (size_t)sprintf(text + n, "x%d,a%d,%d,%d,%.10f", s / 6, s / 2 % 3, s % 2, k, value_at(s, k));
        n += (size_t)(costs ? sprintf(text + n, ",%d,%d\n", 1 + k % 7, s - k) : sprintf(text + n, "\n"));
    }
    return n;
}

static int wrong_values(const struct mk_problem *p, int series, int length, int costs)
{
    int wrong = 0;
    for (int s = 0; s < series; s++) {
        const struct mk_series *of = mk_problem_series(p, (size_t)(s / 6), (size_t)(s / 2 % 3), (uint64_t)(s % 2));
        wrong += of->length != (size_t)length || !of->reward || !of->cost != !costs || !of->worth != !costs;
        for (int k = 0; !wrong && k < length; k++)
            wrong += of->reward[k] != value_at(s, k) || (costs && (of->cost[k] != 1 + k % 7 || of->worth[k] != s - k));
    }
    return wrong;
}

static void check_spill(struct scratch *s)
{
    enum { SERIES = 36, LENGTH = 600 };
    struct mk_error err = {0, ""};
    char *text = malloc(SERIES * LENGTH * 48 + 100);
    REQUIRE(text, "memory");
    for (int i = 0; i < 8; i++) {
        int order = i % 2, costs = i / 2 % 2;
        size_t n = write_rows(text, order, SERIES, LENGTH, costs);
        struct mk_trajectory_options o = {.memory = i < 4 ? 20000 : 1 << 20};
        struct mk_problem *p = read_all(scratch_write(s, "t.csv", text, n), &o, &err);
        CHECK(p && (p->spill[0] != NULL) == (i < 4) && !wrong_values(p, SERIES, LENGTH, costs), "%s, %s%s %s",
              i < 4 ? "through a temporary file" : "in memory", order ? "series alternate" : "series after series",
              costs ? ", with costs and test scores" : "", err.text);
        if (p) mk_problem_release(p, 0);
        CHECK(p && !wrong_values(p, SERIES, LENGTH, costs), "and after their pages were given back");
        for (int rule = MK_ENDS_HOLD; p && rule <= MK_ENDS_RESTART; rule++) {
            size_t before = rule == MK_ENDS_HOLD ? LENGTH : LENGTH + 5, after = before + 5;
            int code = mk_trajectory_extend(p, after, (enum mk_ends_early)rule, &err);
            const struct mk_series *of = mk_problem_series(p, 1, 2, 1);
            CHECK(!code && of->length == after && of->repeated == after - LENGTH &&
                      of->reward[after - 1] == value_at(11, rule == MK_ENDS_HOLD ? LENGTH - 1 : 4) &&
                      (!costs || (of->cost[after - 1] == 1 + (rule == MK_ENDS_HOLD ? LENGTH - 1 : 4) % 7 &&
                                  of->worth[after - 1] == 11 - (rule == MK_ENDS_HOLD ? LENGTH - 1 : 4))),
                  "%s %s", rule == MK_ENDS_HOLD ? "their last reward repeats" : "they begin again", err.text);
        }
        mk_problem_free(p);
    }
    free(text);
}

static void check_spill_refusal(struct scratch *s)
{
    struct mk_error err = {0, ""};
    char *text = malloc(100000);
    const char *before = getenv("TMPDIR");
    char *kept = before ? strdup(before) : NULL;
    struct mk_trajectory_options o = {.memory = 1};
    REQUIRE(text, "memory");
    size_t n = write_rows(text, 0, 2, 1000, 0);
    setenv("TMPDIR", "/nonexistent/folder", 1);
    struct mk_problem *p = read_all(scratch_write(s, "t.csv", text, n), &o, &err);
    CHECK(!p && err.code == MK_EINPUT && message_says(err.text, "/nonexistent/folder: ~No such file or directory"),
          "no place for a temporary file: %s", err.text);
    if (kept)
        setenv("TMPDIR", kept, 1);
    else
        unsetenv("TMPDIR");
    mk_problem_free(p);
    free(kept);
    free(text);
}

/* Writing the temporary file fails at every length: in the buffer's blocks, and where series that alternate are put
 * together, which takes room for them once more. SIGXFSZ is ignored, so that a write is cut short and then fails. */
static void check_spill_full(struct scratch *s)
{
    enum { SERIES = 4, LENGTH = 20000, BYTES = SERIES * LENGTH * 8, PAGES = 1 << 16, STEPS = 12 };
    struct mk_trajectory_options o = {.memory = 20000};
    struct rlimit before;
    char *text = malloc(SERIES * LENGTH * 48 + 100);
    int refused = 0, whole = 0;
    if (!text || getrlimit(RLIMIT_FSIZE, &before)) abort();
    const char *path = scratch_write(s, "t.csv", text, write_rows(text, 1, SERIES, LENGTH, 0));
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int i = 0; i <= STEPS; i++) {
        struct mk_error err = {0, ""};
        struct rlimit limit = {(rlim_t)(2 * BYTES + PAGES) * (rlim_t)i / STEPS, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        struct mk_problem *p = read_all(path, &o, &err);
        setrlimit(RLIMIT_FSIZE, &before);
        whole += p && !wrong_values(p, SERIES, LENGTH, 0);
        refused += !p && err.code == MK_EIO && strstr(err.text, "cannot be written: File too large");
        mk_problem_free(p);
    }
    signal(SIGXFSZ, handler);
    CHECK(refused >= STEPS / 2 && whole >= 1 && refused + whole == STEPS + 1,
          "a temporary file that may not grow: refused in one line at %d lengths, whole at %d", refused, whole);
    free(text);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check_speed(struct scratch *s)
{
    enum { ROWS = 1000000, LENGTH = 1000 };
    char *text = malloc((size_t)ROWS * 48);
    struct mk_error err = {0, ""};
    REQUIRE(text, "memory");
    for (int interleaved = 0; interleaved < 2; interleaved++) {
        size_t n = (size_t)sprintf(text, HEAD);
        for (int i = 0; i < ROWS; i++) {
            int series = interleaved ? i % (ROWS / LENGTH) : i / LENGTH,
                at = interleaved ? i / (ROWS / LENGTH) : i % LENGTH;
            n += (size_t)sprintf(text + n, "instance%d,arm_%d,%d,%d,0.%06d\n", series / 50, series / 10 % 5,
                                 series % 10, at, (int)((unsigned)i * 7919u % 1000000u));
        }
        const char *path = scratch_write(s, "t.csv", text, n);
        double start = now();
        struct mk_problem *p = read_all(path, &everything, &err);
        double seconds = now() - start;
        CHECK(p && p->n_instances == 20 && mk_problem_series(p, 0, 0, 0)->length == LENGTH,
              "10^6 rows, %s: %.2f s, %.1f million rows a second",
              interleaved ? "all series interleaved" : "one series after another", seconds, 1e-6 * ROWS / seconds);
        mk_problem_free(p);
    }
    free(text);
}

/* Shapes from the data's own README, sums with pandas: df.groupby(...).reward.sum(). */
static void check_recorded(void)
{
    static const struct {
        const char *path;
        size_t instances, arms;
        uint64_t repetitions;
        double rows;
    } data[] = {
        {"experiments/data/pmlb_fixture.csv", 4, 6, 2, 2400},
        {"experiments/data/pmlb_rs_main.csv.gz", 96, 6, 5, 576000},
        {"experiments/data/pmlb_pools_main.csv.gz", 0, 6, 1, 109454},
        {"experiments/data/openml100_main.csv.gz", 0, 5, 1, 8811},
        {"experiments/data/nb201_main.csv.gz", 0, 5, 10, 100000},
        {"experiments/data/yahpo_rbv2_evo_main.csv.gz", 0, 6, 5, 180000},
    };
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        struct mk_error err = {0, ""};
        struct mk_problem *p = read_all(data[i].path, &everything, &err);
        double rows = 0;
        for (size_t n = 0; p && n < p->n_instances; n++)
            for (size_t k = 0; k < p->instance[n].n_arms * p->replications; k++)
                rows += (double)p->instance[n].series[k].length;
        CHECK(p && p->n_arms == data[i].arms && p->replications == data[i].repetitions && rows == data[i].rows &&
                  (!data[i].instances || p->n_instances == data[i].instances),
              "%s: %zu instances, %zu arms, %.0f rows %s", data[i].path, p ? p->n_instances : 0, p ? p->n_arms : 0,
              rows, err.text);
        mk_problem_free(p);
    }
}

/* ---- arrays ---- */

enum { I = 3, K = 2, R = 2, N = 5 };

static const char *const array_instance[I] = {"b", "a", "c"}, *const array_arm[K] = {"x", "w"};

/* Series end early, one has a hole, and one is missing. */
static double array_reward(int i, int k, int r, int t)
{
    const bool end = t >= 3 + (i + k) % 3, hole = t == 2 && i == 1 && k == 0, none = i == 2 && k == 0;
    return end || hole || none ? NAN : 100 * i + 10 * k + r + 0.1 * t;
}

/* All rewards as an array, and those that are there as rows. */
static void fill_array(double reward[I * K * R * N], char *text, size_t room)
{
    for (int n = 0; n < I * K * R * N; n++) {
        const int t = n % N, r = n / N % R, k = n / (N * R) % K, i = n / (N * R * K);
        const size_t at = strlen(text);
        reward[n] = array_reward(i, k, r, t);
        if (!isnan(reward[n]))
            snprintf(text + at, room - at, "%s,%s,%d,%d,%.17g\n", array_instance[i], array_arm[k], r, t, reward[n]);
    }
}

static bool same_series(const struct mk_series *x, const struct mk_series *y)
{
    return x->length == y->length && memcmp(x->reward, y->reward, x->length * sizeof *x->reward) == 0;
}

/* An instance has n_arms arms with equal series in both problems. */
static void check_same_instance(struct mk_problem *p, struct mk_problem *q, size_t i, size_t n_arms)
{
    const struct mk_instance *x = &p->instance[i], *y = &q->instance[i];
    size_t same = 0;
    CHECK(strcmp(x->name, y->name) == 0 && x->arm[0] == y->arm[0], "instance %s: the same name and first arm", x->name);
    REQUIRE(x->n_arms == n_arms && y->n_arms == n_arms, "%zu arms", n_arms);
    for (size_t k = 0; k < n_arms; k++)
        for (uint64_t r = 0; r < R; r++)
            same += same_series(mk_problem_series(p, i, k, r), mk_problem_series(q, i, k, r));
    CHECK(same == n_arms * R, "and the same rewards in %zu series", same);
}

/* The same rewards as an array and as rows: the same problem, by every rule that both need. */
static void check_array_and_rows(struct scratch *s, const char *array, const char *text)
{
    const struct mk_trajectory_options o = {.order = MK_ARMS_FILE, .holes = MK_HOLES_REPEAT};
    struct mk_error err = {0, ""};
    struct mk_problem *p = read_all(array, &o, &err), *q = read_all(put(s, text), &o, &err);
    REQUIRE(p && q, "an array and its rows are read %s", err.text);
    CHECK(p->n_instances == I && p->n_arms == K && p->replications == R, "their shape");
    CHECK(strcmp(p->file, array) == 0 && strcmp(p->arm_label[0], "x") == 0, "the file and the first arm");
    check_same_instance(p, q, 0, 2);
    check_same_instance(p, q, 1, 2);
    check_same_instance(p, q, 2, 1);
    REQUIRE(p->instance[0].gaps && q->instance[0].gaps, "the hole is noted");
    CHECK(strcmp(p->instance[0].gaps, q->instance[0].gaps) == 0, "alike: %s", p->instance[0].gaps);
    mk_problem_free(p);
    mk_problem_free(q);
}

/* Through a temporary file. */
static void check_array_selection(const char *array)
{
    const char *selected[] = {"c", "b"};
    const struct mk_trajectory_options o = {
        .order = MK_ARMS_FILE, .holes = MK_HOLES_REPEAT, .instance = selected, .n_instances = 2, .memory = 1};
    struct mk_error err = {0, ""};
    struct mk_problem *p = read_all(array, &o, &err);
    REQUIRE(p && p->n_instances == 2, "two instances are selected %s", err.text);
    CHECK(strcmp(p->instance[0].name, "c") == 0, "in the order of the selection");
    CHECK(mk_problem_series(p, 1, 0, 1)->reward[2] == 1.2, "with their rewards");
    mk_problem_free(p);
}

static void check_array_without_names(const char *array)
{
    const struct mk_trajectory_options o = {.order = MK_ARMS_FILE, .holes = MK_HOLES_REPEAT};
    struct mk_error err = {0, ""};
    struct mk_problem *p = read_all(array, &o, &err);
    REQUIRE(p, "an array without names is read %s", err.text);
    CHECK(strcmp(p->instance[2].name, "2") == 0 && strcmp(p->arm_label[1], "1") == 0, "its names are numbers");
    mk_problem_free(p);
}

static void check_array(struct scratch *s)
{
    const size_t size[4] = {I, K, R, N};
    double reward[I * K * R * N];
    char text[4096] = HEAD, array[300];
    struct mk_error err = {0, ""};
    fill_array(reward, text, sizeof text);
    snprintf(array, sizeof array, "%s/t.h5", s->dir);
    REQUIRE(mk_rewards_write(array, reward, size, array_instance, array_arm, &err) == MK_OK, "%s", err.text);
    check_array_and_rows(s, array, text);
    check_array_selection(array);
    REQUIRE(mk_rewards_write(array, reward, size, NULL, NULL, &err) == MK_OK, "%s", err.text);
    check_array_without_names(array);
}

static void refused_array(const char *path, const double *reward, const size_t *size, const char *const *instance,
                          const char *part)
{
    struct mk_error err = {0, ""};
    REQUIRE(mk_rewards_write(path, reward, size, instance, NULL, &err) == MK_OK, "%s", err.text);
    struct mk_problem *p = read_all(path, &everything, &err);
    CHECK(!p && err.code == MK_EINPUT && strstr(err.text, part), "an array is refused: %s", err.text);
    mk_problem_free(p);
}

static void check_array_refusals(struct scratch *s)
{
    static const char *const twice[] = {"a", "a"}, *const empty[] = {"a", ""};
    const double good[] = {1, 2, 3, 4}, hole[] = {1, NAN, 3, 4}, infinite[] = {1, 2, 3, INFINITY},
                 none[] = {1, 2, NAN, NAN};
    const size_t size[] = {2, 1, 1, 2}, one[] = {1, 1, 1, 4};
    char path[300];
    snprintf(path, sizeof path, "%s/bad.h5", s->dir);
    refused_array(path, hole, one, NULL, "bad.h5: iteration: instance 0, arm 0, repetition 0 lacks iteration 1;");
    refused_array(path, infinite, size, NULL, "bad.h5: reward[1, 0, 0, 1]: expected a number from ");
    refused_array(path, none, size, NULL, "bad.h5: reward[1]: every reward is NaN; expected at least one number");
    refused_array(path, good, size, twice, "bad.h5: instance: expected distinct names");
    refused_array(path, good, size, empty, "bad.h5: instance: expected names of 1 to 100 bytes");
    struct mk_error err = {0, ""};
    CHECK(mk_rewards_write("/nowhere/at/all.h5", good, size, NULL, NULL, &err) == MK_EIO &&
              strstr(err.text, "/nowhere"),
          "a folder that is not there: %s", err.text);
    FILE *f = fopen(path, "r+b");
    REQUIRE(f && fseek(f, 100, SEEK_SET) == 0 && fputs("damaged", f) >= 0 && fclose(f) == 0, "damage");
    if (truncate(path, 200)) perror(path);
    CHECK(!read_all(path, &everything, &err) && err.code == MK_EINPUT && strstr(err.text, "bad.h5: "),
          "a damaged file: %s", err.text);
    const char *result = "experiments/data/example.csv";
    CHECK(!mk_trajectory_is_array(result) && !mk_trajectory_is_array("/nowhere/at/all.h5") &&
              mk_trajectory_is_array(path),
          "formats are distinguished by their first bytes");
}

/* Evaluations in part are left out, in any order of rows and beyond the memory; their costs are those of the next whole
 * one. An arm with parts alone is not there. */
static void check_parts(struct scratch *s)
{
    static const char head[] = "instance,arm,repetition,iteration,loss,cost,fidelity,loss_seen\n",
                      none[] = "i,b,0,0,7,1,0.5,7\n";
    static const char *const row[] = {"i,a,0,0,-9,1,0.5,4\n",  "i,a,0,1,4,2,1,4\n",  "i,a,0,2,-8,4,0.25,4\n",
                                      "i,a,0,3,-7,8,0.75,4\n", "i,a,0,4,3,16,1,3\n", "i,a,0,5,-6,32,0.5,3\n"};
    static const size_t order[][6] = {{0, 1, 2, 3, 4, 5}, {5, 3, 1, 4, 2, 0}};
    struct mk_error err = {0, ""};
    for (size_t i = 0; i < 4; i++) {
        struct mk_trajectory_options o = {.memory = i < 2 ? 1 : 0,
                                          .column[MK_COLUMN_LOSS] = i == 3 ? "loss_seen" : NULL};
        char text[1000];
        size_t n = (size_t)snprintf(text, sizeof text, "%s%s", head, i < 3 ? none : "");
        for (size_t k = 0; k < 6; k++) n += (size_t)snprintf(text + n, sizeof text - n, "%s", row[order[i % 2][k]]);
        struct mk_problem *p = read_all(put(s, text), &o, &err);
        REQUIRE(p, "evaluations in part: %s", err.text);
        const struct mk_series *a = mk_problem_series(p, 0, 0, 0);
        if (i < 3)
            CHECK(p->instance[0].n_arms == 1 && a->length == 2 && a->reward[0] == -4 && a->reward[1] == -3 &&
                      a->cost[0] == 3 && a->cost[1] == 28 && strstr(p->instance[0].gaps, "5 evaluations in part"),
                  "whole evaluations alone, with the costs of their parts: %s", p->instance[0].gaps);
        else
            CHECK(a->length == 6 && a->reward[0] == -4 && a->reward[5] == -3 && a->cost[5] == 32 &&
                      !p->instance[0].gaps,
                  "what policies saw of all");
        mk_problem_free(p);
    }
    char text[200];
    snprintf(text, sizeof text, "%s%s", head, none);
    CHECK(!read_all(put(s, text), &everything, &err) && strstr(err.text, "fidelity: expected whole evaluations"),
          "none: %s", err.text);
    snprintf(text, sizeof text, "%si,b,0,0,7,1,0,7\n", head);
    CHECK(!read_all(put(s, text), &everything, &err) &&
              message_says(err.text, "~:2:13: fidelity: expected a number > 0"),
          "a fidelity of 0: %s", err.text);
}

int main(void)
{
    struct scratch s;
    scratch_make(&s);
    check_small(&s);
    check_losses(&s);
    check_words(&s);
    check_uneven(&s);
    check_shift(&s, 19, 19);
    check_shift(&s, 1, 1);
    check_extend_first(&s);
    check_holes(&s);
    check_parts(&s);
    check_refusals(&s);
    check_shuffled(&s);
    check_spill(&s);
    check_spill_refusal(&s);
    check_spill_full(&s);
    check_speed(&s);
    check_recorded();
    check_array(&s);
    check_array_refusals(&s);
    scratch_remove(&s);
    return CHECK_EXIT;
}

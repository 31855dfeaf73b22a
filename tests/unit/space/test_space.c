/* Search spaces: values and the unit cube, conditions, forbidden combinations, joint spaces, texts, refusals. Expected
 * numbers are worked out by hand from the definitions in sim/search/space/space.h. */
#include <stdlib.h>
#include <string.h>

#include "tests/support/message.h"
#include "tests/support/spaces.h"

static const char svm[] = "C: {real: [0.01, 100], log: true, default: 1}\n"
                          "degree: {integer: [2, 5], when: {kernel: poly}}\n"
                          "gamma: {real: [0.1, 10], log: true, default: 1, when: {kernel: [poly, rbf]}}\n"
                          "kernel: {categorical: [linear, poly, rbf]}\n"
                          "coef0: {real: [0, 1], step: 0.25, when: {degree: '> 2 and <= 4'}}\n";

/* ---- one hyperparameter ---- */

static void check_units(void)
{
    struct mk_space *s = space_must("a: {real: [-1, 3]}\nb: {real: [0.01, 100], log: true}\nc: {integer: [1, 4]}\n"
                                    "d: {integer: [1, 8], log: true}\ne: {real: [0, 1], step: 0.3}\n"
                                    "f: {ordinal: [s, m, l]}\ng: {constant: 7}\nh: {integer: [0, 10], step: 5}\n");
    static const double u[] = {0, 0.25, 0.5, 0.999999999, 1};
    static const double want[8][5] = {{-1, 0, 1, 2.999999996, 3},
                                      {0.01, 0.1, 1, 99.9999990789660, 100},
                                      {1, 2, 3, 4, 4},
                                      /* exp(ln .5 + u ln 17): .5, 1.0153, 2.0616, 8.4999…, 8.5 rounded */
                                      {1, 1, 2, 8, 8},
                                      {0, 0.3, 0.6, 0.9, 0.9},
                                      {0, 0, 1, 2, 2},
                                      {0, 0, 0, 0, 0},
                                      {0, 0, 5, 10, 10}};
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < 5; j++) {
            double v = mk_hyper_value(&s->hyper[i], u[j]);
            CHECK(fabs(v - want[i][j]) < 1e-12 * 100, "%s at %g: %.17g, want %.17g", s->hyper[i].name, u[j], v,
                  want[i][j]);
        }
    CHECK(s->hyper[4].hi == 0.9 && s->hyper[4].levels == 4, "the range ends at its last step");
    CHECK(mk_hyper_unit(&s->hyper[2], 1) == 0.125 && mk_hyper_unit(&s->hyper[5], 2) == 2.5 / 3, "middles of cells");
    CHECK_CLOSE(mk_hyper_unit(&s->hyper[3], 2), log(4) / log(17), 1e-15, "2 of 1 … 8 on a log scale");
    CHECK(mk_hyper_unit(&s->hyper[0], 3) == 1 && mk_hyper_unit(&s->hyper[6], 0) == 0.5, "ends and constants");
    CHECK(s->hyper[0].def == 1 && fabs(s->hyper[1].def - 1) < 1e-15 && s->hyper[2].def == 3 && s->hyper[5].def == 0,
          "defaults: the middle of the unit interval, the first word");
    for (size_t i = 0; i < s->n; i++) {
        int wrong = 0;
        for (int j = 0; j < 1000; j++) {
            double v = mk_hyper_value(&s->hyper[i], (j + 0.5) / 1000), again;
            again = mk_hyper_value(&s->hyper[i], mk_hyper_unit(&s->hyper[i], v));
            wrong += fabs(again - v) > 1e-12 * fmax(1, fabs(v));
        }
        CHECK(!wrong, "%s: value, unit, value", s->hyper[i].name);
    }
    mk_space_free(s);
}

static void check_parse(void)
{
    struct mk_space *s = space_must("a: {real: [0, 1]}\nb: {integer: [0, 9]}\nc: {ordinal: [16, 32]}\n"
                                    "d: {categorical: ['None', 0.5, sqrt]}\ne: {real: [0, 1], step: 0.1}\n");
    static const struct {
        size_t i;
        const char *text;
        double v; /* NaN: refused */
    } cases[] = {{0, "0.25", 0.25}, {0, "1e-3", 1e-3}, {0, "1.0001", NAN}, {0, "x", NAN},       {0, "", NAN},
                 {1, "3", 3},       {1, "3.0", 3},     {1, "3.5", NAN},    {1, "10", NAN},      {2, "32", 1},
                 {2, "32.0", 1},    {2, "33", NAN},    {3, "None", 0},     {3, ".5", 1},        {3, "none", NAN},
                 {4, "0.3", 0.3},   {4, "0.35", NAN},  {4, "0.3001", NAN}, {4, "0.300001", NAN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double v = NAN;
        bool good = mk_hyper_parse(&s->hyper[cases[i].i], cases[i].text, strlen(cases[i].text), &v);
        CHECK(good == !isnan(cases[i].v) && (!good || v == cases[i].v), "%s = %s", s->hyper[cases[i].i].name,
              cases[i].text);
    }
    mk_space_free(s);
}

/* ---- conditions ---- */

static void check_conditions(void)
{
    struct mk_space *s = space_must(svm);
    struct mk_pcg64 rng;
    double v[5], u[5], back[5];
    size_t kernels[3] = {0}, wrong = 0;
    mk_pcg64_seed(&rng, 1, 2);
    CHECK(s->n == 5 && s->order[0] == 0 && s->order[1] == 3, "what conditions name comes first");
    for (int i = 0; i < 6000; i++) {
        mk_space_sample(s, &rng, v);
        kernels[(size_t)v[3]]++;
        wrong += isnan(v[0]) || isnan(v[3]) || isnan(v[1]) != (v[3] != 1) || isnan(v[2]) != (v[3] == 0) ||
                 isnan(v[4]) != !(v[3] == 1 && v[1] > 2 && v[1] <= 4);
        mk_space_to_unit(s, v, u);
        for (size_t j = 0; j < s->n; j++) u[j] = isnan(u[j]) ? 0.3 : u[j];
        mk_space_from_unit(s, u, back);
        for (size_t j = 0; j < s->n; j++)
            if (isnan(v[j]) ? !isnan(back[j]) : fabs(back[j] - v[j]) > 1e-12 * fabs(v[j])) wrong++;
    }
    CHECK(!wrong, "active and inactive values, to the unit cube and back");
    /* Chi-square with 2 degrees of freedom above 27.6 has probability 1e-6. */
    double chi = 0;
    for (int k = 0; k < 3; k++) chi += ((double)kernels[k] - 2000) * ((double)kernels[k] - 2000) / 2000;
    CHECK(chi < 27.6, "words are uniform: chi-square %.2f", chi);
    mk_space_default(s, v);
    char *text = mk_space_configuration_text(s, v);
    CHECK(strcmp(text, "{C: 1, kernel: linear}") == 0, "default configuration: %s", text);
    free(text);
    v[3] = 1;
    mk_space_complete(s, v);
    text = mk_space_configuration_text(s, v);
    CHECK(strcmp(text, "{C: 1, degree: 4, gamma: 1, kernel: poly, coef0: 0.5}") == 0, "settled: %s", text);
    free(text);
    mk_space_free(s);
}

/* A kernel that changes switches others on (with defaults) and off; numbers move by normal steps. */
static void check_neighbours(void)
{
    struct mk_space *s = space_must(svm);
    struct mk_pcg64 rng;
    double v[5], out[5], moved = 0;
    size_t wrong = 0, poly = 0;
    mk_pcg64_seed(&rng, 3, 4);
    mk_space_default(s, v);
    enum { N = 20000 };
    for (int i = 0; i < N; i++) {
        wrong += !mk_space_neighbour(s, &rng, v, 3, 0.2, out) || out[3] == 0 || out[0] != v[0] || out[2] != 1;
        poly += out[3] == 1;
        wrong += !mk_space_neighbour(s, &rng, v, 0, 0.05, out) || out[0] == v[0] || out[3] != 0;
        double step = mk_hyper_unit(&s->hyper[0], out[0]) - 0.5;
        moved += step * step;
    }
    CHECK(!wrong, "one value changes, what it switches on has its default");
    CHECK(fabs((double)poly - N / 2.0) < 5 * sqrt(N / 4.0), "other words are equally likely: %zu of %d", poly, (int)N);
    /* The mean of squared steps has relative standard error sqrt(2 / N) = .01. */
    CHECK(fabs(moved / N / 0.0025 - 1) < 0.05, "steps have standard deviation .05: %g", sqrt(moved / N));
    CHECK(!mk_space_neighbour(s, &rng, v, 1, 0.2, out), "an inactive value has no neighbours");
    mk_space_free(s);
}

/* Ranges of one number. */
static void check_single(void)
{
    struct mk_space *s =
        space_must("a: {real: [0.25, 0.25], step: 0.5}\nb: {integer: [3, 3], log: true, default: 3}\n");
    for (size_t i = 0; i < s->n; i++)
        CHECK(s->hyper[i].kind == MK_HYPER_CONSTANT && s->hyper[i].levels == 1 && s->hyper[i].n_words == 1 &&
                  !s->hyper[i].is_text[0] && strcmp(s->hyper[i].word[0], i ? "3" : "0.25") == 0,
              "%s is a constant", s->hyper[i].name);
    mk_space_free(s);
}

static void check_forbidden(void)
{
    struct mk_space *s = space_must(
        "a: {categorical: [x, y]}\nb: {integer: [1, 3], default: 1}\nc: {categorical: [p, q], when: {a: y}}\n"
        "forbid:\n- {a: x, b: [2, 3]}\n- {c: q, b: '>= 2'}\n");
    struct mk_pcg64 rng;
    double v[3];
    size_t count[2][4][3] = {{{0}}};
    mk_pcg64_seed(&rng, 5, 6);
    for (int i = 0; i < 24000; i++) {
        mk_space_sample(s, &rng, v);
        count[(size_t)v[0]][(size_t)v[1]][isnan(v[2]) ? 2 : (size_t)v[2]]++;
    }
    /* (x, b) has probability 1/6 and (y, b, c) 1/12 each before combinations are forbidden; x1 and y1p, y1q, y2p, y3p
     * remain: 1/3 and 1/6 each. */
    CHECK(fabs((double)count[0][1][2] - 8000) < 5 * sqrt(24000 * 2.0 / 9) &&
              fabs((double)count[1][1][0] - 4000) < 5 * sqrt(24000 * 5.0 / 36) &&
              count[0][2][2] + count[0][3][2] + count[1][2][1] + count[1][3][1] == 0,
          "what is forbidden is not drawn, the rest in proportion: %zu, %zu", count[0][1][2], count[1][1][0]);
    mk_space_free(s);
}

/* ---- pipelines, joint spaces ---- */

/* Nguyen 2024, Algorithm 2: every operator's algorithm uniform, then its hyperparameters. */
static void check_pipeline(void)
{
    struct mk_space *s =
        space_must("scaler:\n  choice:\n    none: {}\n    minmax:\n    quantile: {n: {integer: [10, 100]}}\n"
                   "classifier:\n  choice:\n"
                   "    svm: {C: {real: [0.1, 10]}, kernel: {categorical: [a, b]}, "
                   "g: {real: [0, 1], when: {kernel: b, scaler: quantile}}}\n"
                   "    tree: {depth: {integer: [1, 9]}, forbid: [{depth: 9}]}\n");
    struct mk_pcg64 rng;
    double v[7];
    size_t count[3][2] = {{0}}, wrong = 0;
    CHECK(s->n == 7 && strcmp(s->hyper[1].name, "scaler.quantile.n") == 0 &&
              strcmp(s->hyper[5].name, "classifier.svm.g") == 0 && s->hyper[0].choice && s->hyper[2].choice,
          "names of a pipeline");
    mk_pcg64_seed(&rng, 7, 8);
    for (int i = 0; i < 6000; i++) {
        mk_space_sample(s, &rng, v);
        count[(size_t)v[0]][(size_t)v[2]]++;
        wrong += isnan(v[1]) != (v[0] != 2) || isnan(v[3]) != (v[2] != 0) || isnan(v[6]) != (v[2] != 1) || v[6] == 9 ||
                 isnan(v[5]) != !(v[2] == 0 && v[4] == 1 && v[0] == 2);
    }
    CHECK(!wrong, "hyperparameters of the chosen algorithms and no others");
    /* Trees are drawn with 8 of 9 depths: shares 9/17 and 8/17 of svm and tree. */
    size_t trees = count[0][1] + count[1][1] + count[2][1], none = count[0][0] + count[0][1];
    CHECK(fabs((double)trees - 6000 * 8 / 17.0) < 5 * sqrt(6000 * 0.25) && fabs((double)none - 2000) < 5 * 36.6,
          "algorithms are uniform among what is allowed: %zu, %zu", trees, none);
    mk_space_free(s);
}

static void check_joint(void)
{
    struct mk_space *arm[2] = {space_must(svm), space_must("depth: {integer: [1, 9]}\nforbid: [{depth: 3}]\n")},
                    *joint = NULL;
    const char *label[2] = {"svm", "a tree"};
    struct mk_error err = {0, ""};
    struct mk_pcg64 rng;
    size_t first[2], of[2] = {0}, wrong = 0;
    double v[7];
    int code = mk_space_join(&joint, (const struct mk_space *const *)arm, label, 2, first, &err);
    CHECK(!code && joint->n == 7 && first[0] == 1 && first[1] == 6 &&
              strcmp(joint->hyper[6].name, "arm.a tree.depth") == 0,
          "the joint space %s", err.text);
    mk_pcg64_seed(&rng, 9, 10);
    for (int i = 0; !code && i < 4000; i++) {
        mk_space_sample(joint, &rng, v);
        const size_t k = (size_t)v[0];
        of[k]++;
        for (size_t j = 0; j < arm[1 - k]->n; j++)
            if (!isnan(v[first[1 - k] + j])) wrong++;
        wrong += !mk_space_allows(arm[k], v + first[k]);
        for (size_t j = 0; j < arm[k]->n; j++)
            wrong += mk_space_active(arm[k], v + first[k], j) != !isnan(v[first[k] + j]);
    }
    CHECK(!wrong && fabs((double)of[0] - 2000) < 5 * sqrt(1000),
          "its configurations are those of the arms, each arm "
          "with the same probability though one forbids: %zu",
          of[0]);
    mk_space_free(joint);
    joint = NULL;
    double *row = malloc(2 * sizeof *row);
    row[0] = 1;
    row[1] = 2;
    mk_space_free(arm[1]);
    arm[1] = space_must("depth: {integer: [1, 9]}\n");
    code = mk_space_restrict(arm[1], row, 2, &err);
    CHECK(!code && mk_space_join(&joint, (const struct mk_space *const *)arm, label, 2, first, &err) == MK_EINPUT,
          "measured and free arms have no joint space: %s", err.text);
    mk_space_free(arm[0]);
    mk_space_free(arm[1]);
}

static void check_rows(void)
{
    struct mk_space *arm[2] = {space_must("x: {integer: [1, 9]}\ny: {real: [0, 1], when: {x: '> 3'}}\n"),
                               space_must("z: {real: [0, 1]}\n")};
    struct mk_space *joint = NULL;
    const char *label[2] = {"p", "q"};
    static const double rows[2][6] = {{1, NAN, 5, 0.5, 9, 0.25}, {0.5, 0.75}};
    struct mk_error err = {0, ""};
    size_t first[2], n[2] = {3, 2}, seen[5] = {0}, wrong = 0;
    struct mk_pcg64 rng;
    double v[4];
    for (int k = 0; k < 2; k++) {
        double *row = malloc(n[k] * arm[k]->n * sizeof *row);
        memcpy(row, rows[k], n[k] * arm[k]->n * sizeof *row);
        mk_space_restrict(arm[k], row, n[k], &err);
    }
    CHECK(mk_space_row(arm[0], rows[0] + 2) == 1 && mk_space_row(arm[0], (double[]){5, 0.25}) == SIZE_MAX,
          "a configuration that was measured, one that was not");
    int code = mk_space_join(&joint, (const struct mk_space *const *)arm, label, 2, first, &err);
    CHECK(!code && joint->n_rows == 5, "joint space of measured configurations %s", err.text);
    mk_pcg64_seed(&rng, 11, 12);
    for (int i = 0; !code && i < 5000; i++) {
        mk_space_sample(joint, &rng, v);
        size_t row = mk_space_row(joint, v);
        if (row < 5) seen[row]++;
        wrong += row >= 5 || !mk_space_allows(joint, v);
    }
    for (size_t i = 0; i < 5; i++) {
        const double share = i < 3 ? 1 / 6.0 : 1 / 4.0;
        wrong += fabs((double)seen[i] - 5000 * share) > 5 * sqrt(5000 * share * (1 - share));
    }
    CHECK(!wrong, "arms are drawn uniformly, then their rows");
    mk_space_free(joint);
    mk_space_free(arm[0]);
    mk_space_free(arm[1]);
}

/* ---- texts ---- */

static void check_text(void)
{
    static const char *const text[] = {
        svm,
        "scaler: {choice: {none: {}, quantile: {n: {integer: [10, 100], step: 5, default: 20}}}}\n"
        "classifier: {choice: {svm: {k: {choice: {rbf: {g: {real: [1e-3, 1], log: true}}, '': {}}}}, t: {}}}\n",
        "a: {categorical: ['', ' x', 'it: {is}', 'é']}\nb: {constant: '1'}\n"
        "c: {real: [0, 1], when: {a: '', b: 1}}\nforbid: [{a: ' x', c: '< 0.5'}]\n"};
    for (size_t i = 0; i < 3; i++) {
        struct mk_space *s = i == 1 ? NULL : space_must(text[i]);
        if (i == 1) { /* an empty algorithm name is refused: without it */
            struct mk_error err = {0, ""};
            s = space_parse(text[1], &err);
            CHECK(!s && strstr(err.text, "1 to 100 bytes"), "%s", err.text);
            s = space_must(
                "scaler: {choice: {none: {}, quantile: {n: {integer: [10, 100], step: 5, default: 20}}}}\n"
                "classifier: {choice: {svm: {k: {choice: {rbf: {g: {real: [1e-3, 1], log: true}}, l: {}}}}, t: {}}}\n");
        }
        struct mk_node *node = mk_space_node(s);
        char *first = mk_node_emit(node);
        struct mk_space *again = space_must(first);
        struct mk_node *node_again = mk_space_node(again);
        char *second = mk_node_emit(node_again);
        CHECK(strcmp(first, second) == 0, "the resolved text of space %zu reads back", i);
        if (strcmp(first, second) != 0) printf("# %s# %s", first, second);
        struct mk_pcg64 a, b;
        double v[8], w[8];
        size_t wrong = 0;
        mk_pcg64_seed(&a, 1, i);
        mk_pcg64_seed(&b, 1, i);
        for (int j = 0; j < 200; j++) {
            mk_space_sample(s, &a, v);
            mk_space_sample(again, &b, w);
            wrong += mk_space_configuration_digest(s, v) != mk_space_configuration_digest(again, w);
            char *t = mk_space_configuration_text(s, v);
            struct mk_error err = {0, ""};
            int code = mk_space_read_configuration(again, "t", t, strlen(t), w, &err);
            wrong += code || mk_space_configuration_digest(s, v) != mk_space_configuration_digest(s, w);
            if (code) printf("# %s: %s\n", t, err.text);
            free(t);
        }
        CHECK(!wrong, "and draws the same; configurations read back from their text");
        free(first);
        free(second);
        mk_node_free(node);
        mk_node_free(node_again);
        mk_space_free(again);
        mk_space_free(s);
    }
}

static void check_digest(void)
{
    struct mk_space *s = space_must(svm);
    double v[5], w[5];
    mk_space_default(s, v);
    /* From this program: it must never change, since resumed runs and recordings depend on it. */
    CHECK(mk_space_configuration_digest(s, v) == UINT64_C(11167423447950744363),
          "digest of the default configuration: %llu", (unsigned long long)mk_space_configuration_digest(s, v));
    memcpy(w, v, sizeof v);
    w[0] = nextafter(w[0], 2);
    CHECK(mk_space_configuration_digest(s, v) != mk_space_configuration_digest(s, w), "another last bit");
    mk_space_free(s);
}

/* ---- the published spaces ---- */

static void check_published(void)
{
    static const struct {
        const char *file;
        size_t n, count[7];
    } tables[] = {/* YAHPO: free parameters of lower-level study Table D.2 */
                  {"experiments/spaces/balef2025_d2.yaml", 6, {2, 4, 5, 5, 7, 13}},
                  {"experiments/spaces/balef2025_d3.yaml", 7, {7, 6, 6, 5, 5, 3, 3}},
                  {"experiments/spaces/balef2025_d4.yaml", 4, {6, 2, 4, 3}}};
    for (size_t t = 0; t < 3; t++) {
        struct mk_tree *tree = NULL;
        struct mk_error err = {0, ""};
        int code = mk_tree_read(&tree, tables[t].file, &err);
        size_t right = 0;
        for (size_t i = 0; !code && i < tree->root->n; i++) {
            struct mk_space *s = NULL;
            code = mk_space_read(&s, tree->root->child[i], &err);
            if (!code) right += i < tables[t].n && s->n == tables[t].count[i];
            mk_space_free(s);
        }
        CHECK(!code && right == tables[t].n, "%s: %zu models with as many hyperparameters as printed %s",
              tables[t].file, tables[t].n, err.text);
        mk_tree_free(tree);
    }
}

/* ---- refusals ---- */

static void check_refusals(void)
{
    static const struct {
        const char *text, *line;
    } cases[] = {
        {"5\n", "f:1:1: space: expected a mapping of at least one hyperparameter, got 5"},
        {"{}\n", "f:1:1: space: expected a mapping of at least one hyperparameter, got an empty mapping"},
        {"x: 5\n", "f:1:4: x: expected a mapping such as {real: [0, 1]}, got 5"},
        {"x: {reel: [0, 1]}\n",
         "f:1:4: x: expected exactly one of real, integer, ordinal, categorical, constant, choice"},
        {"x: {real: [0, 1], integer: [1, 2]}\n", "f:1:4: x: expected exactly one of"},
        {"x: {real: [0, 1], logs: true}\n", "f:1:19: logs: ~'log'"},
        {"x: {real: [1, 0]}\n", "f:1:11: x: ~low < high"},
        {"x: {real: [0, 1], log: true}\n", "f:1:11: x: ~got 0 to 1"},
        {"x: {real: [1, .inf]}\n", "f:1:15: real: ~got .inf"},
        {"x: {real: [-1e308, 1e308]}\n", "f:1:11: x: ~finite range"},
        {"x: {real: 3}\n", "f:1:11: real: expected [low, high], got 3"},
        {"x: {integer: [1, 2.5]}\n", "f:1:18: integer: ~got 2.5"},
        {"x: {integer: [1, 9], step: 2, log: true}\n", "f:1:14: x: a logarithmic scale cannot have a step"},
        {"x: {integer: [1, 9], step: 9}\n", "f:1:14: x: the step 9 is wider than the range from 1 to 9"},
        {"x: {real: [0, 1], log: maybe}\n", "f:1:24: log: ~got maybe"},
        {"x: {real: [0, 1], default: 2}\n", "f:1:11: x: ~got 2"},
        {"x: {real: [0, 1], step: 0.25, default: 0.3}\n", "f:1:11: x: ~steps of 0.25"},
        {"x: {categorical: []}\n", "f:1:18: categorical: expected a list of at least one value, got an empty list"},
        {"x: {categorical: [a, b, a]}\n", "f:1:18: x: ~'a'"},
        {"x: {categorical: [a, [b]]}\n", "f:1:22: categorical: expected a value, got a list"},
        {"x: {categorical: [a, b], default: c}\n", "f:1:35: default: ~got c"},
        {"x: {constant: 1, default: 1}\n", "f:1:18: default: ~'default'"},
        {"x: {real: [0, 1], when: {y: 1}}\n", "f:1:26: y: ~'y'"},
        {"kernel: {categorical: [a, b]}\nx: {real: [0, 1], when: {kernal: a}}\n", "f:2:26: kernal: ~'kernel'"},
        {"x: {real: [0, 1], when: {y: '> 0'}}\ny: {real: [0, 1], when: {x: '> 0'}}\n", "f:1:25: when: ~circular"},
        {"x: {real: [0, 1], when: {x: 1}}\n", "f:1:25: when: ~circular"},
        {"k: {categorical: [a, b]}\nx: {real: [0, 1], when: {k: c}}\n", "f:2:29: k: ~got c"},
        {"k: {categorical: [a, b]}\nx: {real: [0, 1], when: {k: []}}\n", "f:2:29: k: expected at least one value"},
        {"k: {integer: [1, 3]}\nx: {real: [0, 1], when: {k: '>> 1'}}\n", "f:2:29: k: ~got \">> 1\""},
        {"x: {real: [0, 1], when: 3}\n", "f:1:25: when: expected a mapping of hyperparameters and values, got 3"},
        {"x: {integer: [1, 2]}\nforbid: [{x: 3}]\n", "f:2:14: x: ~got 3"},
        {"x: {integer: [1, 2]}\nforbid: {x: 1}\n", "f:2:9: forbid: "},
        {"x: {categorical: [a, b]}\nforbid: [{x: a}]\n",
         "f:2:9: forbid: the default configuration is forbidden; expected `default` of a hyperparameter that allows it"},
        {"x: {real: [0, 1], default: 0}\nforbid: [{x: '> 0.000001'}]\n",
         "f:2:9: forbid: none of 1000 random configurations is allowed"},
        {"x: {choice: [a, b]}\n", "f:1:13: choice: expected a mapping of algorithms and their spaces, got a list"},
        {"x: {choice: {a: 3}}\n", "f:1:17: a: expected a mapping of hyperparameters, got 3"},
        {"x: {choice: {a: {y: {real: [0, 1], when: {x: a}}}}}\n", "f:1:42: when: ~two conditions"},
        {"x.a.y: {real: [0, 1]}\nx: {choice: {a: {y: {real: [0, 1]}}}}\n", "f:2:28: x.a.y: ~'x.a.y'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_error err = {0, ""};
        struct mk_space *s = space_parse(cases[i].text, &err);
        CHECK(!s && err.code == MK_EINPUT && message_says(err.text, cases[i].line), "%s", s ? cases[i].text : err.text);
        mk_space_free(s);
    }
}

/* A space of this many words; NULL if it is refused. */
static struct mk_space *space_of_words(char *text, int words, struct mk_error *err)
{
    size_t used = (size_t)sprintf(text, "x: {categorical: [");
    for (int i = 0; i < words; i++) used += (size_t)sprintf(text + used, "w%d, ", i);
    sprintf(text + used - 2, "]}\n");
    return space_parse(text, err);
}

/* One line for 10^4 hyperparameters and for more than 10^4 words. */
static void check_limits(void)
{
    enum { MANY = 100000 };
    char *text = malloc(MANY * 32);
    struct mk_error err = {0, ""};
    size_t used = 0;
    for (int i = 0; i < 10000; i++) used += (size_t)sprintf(text + used, "x%d: {real: [0, 1]}\n", i);
    struct mk_space *s = space_parse(text, &err);
    CHECK(!s && err.code == MK_EINPUT && strstr(err.text, "1000"), "10^4 hyperparameters: %s", err.text);
    s = space_of_words(text, MK_SPACE_MOST_WORDS + 1, &err);
    CHECK(!s && err.code == MK_EINPUT && strstr(err.text, "at most 10000 values"), "one word too many: %s", err.text);
    s = space_of_words(text, MK_SPACE_MOST_WORDS, &err);
    CHECK(s, "the most words");
    mk_space_free(s);
    used = 0;
    for (int i = 0; i < MK_SPACE_MOST; i++) /* a chain, the last first */
        used += (size_t)sprintf(
            text + used,
            i < MK_SPACE_MOST - 1 ? "x%d: {integer: [0, 1], when: {x%d: 1}}\n" : "x%d: {integer: [0, 1]}\n", i, i + 1);
    s = space_parse(text, &err);
    CHECK(s && s->order[0] == MK_SPACE_MOST - 1, "a chain of 1000 conditions");
    mk_space_free(s);
    free(text);
}

/* Configurations of small spaces, counted by hand; mk_space_step goes through them, each once. */
static void check_counts(void)
{
    static const struct {
        const char *text;
        double n, visited; /* visited: with those that are not allowed */
    } cases[] = {
        {"a: {integer: [1, 3]}\nb: {categorical: [x, y]}\n", 6, 6},
        {"a: {constant: 1}\n", 1, 1},
        {"b: {ordinal: [1, 2, 4], when: {a: [2, 3]}}\na: {integer: [1, 3]}\n", 1 + 2 * 3, 7},
        {"k: {categorical: [p, q, r]}\nn: {integer: [1, 4], when: {k: [p, q]}}\n"
         "m: {categorical: [u, v], when: {n: [2, 3]}}\nz: {real: [0, 1], step: 0.5}\n",
         (2 * (2 + 2 * 2) + 1) * 3, 39},
        {"a: {integer: [1, 6]}\nb: {integer: [1, 6]}\nc: {categorical: [x, y], when: {a: [1, 2]}}\n"
         "forbid: [{a: 3, b: 4}, {c: y, b: [1, 2]}]\n",
         2 * (6 * 2 - 2) + 4 * 6 - 1, 2 * 12 + 24},
        {"a: {integer: [1, 5]}\nb: {integer: [1, a]}\n", 15, 25},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_space *s = space_must(cases[i].text);
        double v[8];
        uint64_t digest[64];
        size_t n = 0, repeated = 0, allowed = 0;
        mk_space_default(s, v);
        do {
            digest[n] = mk_space_configuration_digest(s, v);
            for (size_t j = 0; j < n; j++) repeated += digest[j] == digest[n];
            allowed += mk_space_allows(s, v);
            n++;
            mk_space_step(s, v);
        } while (n < 64 && mk_space_configuration_digest(s, v) != digest[0]);
        CHECK(mk_space_count(s) == cases[i].n && (double)allowed == cases[i].n && (double)n == cases[i].visited &&
                  !repeated,
              "space %zu: %g configurations, %zu of %zu steps are allowed, %zu repeated", i, mk_space_count(s), allowed,
              n, repeated);
        mk_space_free(s);
    }
    static const struct {
        const char *text;
        double n;
    } large[] = {{"a: {integer: [1, 1000000]}\nb: {integer: [1, 1000000]}\n", 1e12},
                 {"a: {integer: [1, 200]}\nb: {integer: [1, 500]}\nforbid: [{a: 2, b: 1}]\n", 99999},
                 {"a: {integer: [1, 200]}\nb: {integer: [1, 501]}\nforbid: [{a: 2, b: 1}]\n", INFINITY},
                 {"a: {integer: [1, 2]}\nb: {real: [0, 1], when: {a: 2}}\n", INFINITY}};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        struct mk_space *s = space_must(large[i].text);
        CHECK(mk_space_count(s) == large[i].n, "large space %zu: %.15g configurations", i, mk_space_count(s));
        mk_space_free(s);
    }
}

int main(void)
{
    check_units();
    check_parse();
    check_conditions();
    check_neighbours();
    check_single();
    check_forbidden();
    check_pipeline();
    check_joint();
    check_rows();
    check_text();
    check_digest();
    check_published();
    check_refusals();
    check_limits();
    check_counts();
    return CHECK_EXIT;
}

/* The experiment file: good ones against texts written by hand, the place and text of every error, round trip of the
 * resolved text. */
#include <string.h>

#include "sim/run/experiment/experiment.h"
#include "sim/run/experiment/file_keys.h"
#include "tests/support/check.h"
#include "tests/support/message.h"
#include "tests/support/scratch.h"

#define RUN (MK_NEED_PROBLEM | MK_NEED_RUN)

static struct scratch scratch;

static struct mk_experiment *parse(const char *text, unsigned need, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    *err = (struct mk_error){0, ""};
    return mk_experiment_parse(&e, "f", text, strlen(text), need, err) ? NULL : e;
}

/* 1 when the resolved text reads back to the same run and resolves to itself. */
static int survives(const struct mk_experiment *e)
{
    struct mk_error err;
    struct mk_experiment *again = parse(e->resolved, 0, &err);
    if (!again) {
        printf("# %s\n", err.text);
        return 0;
    }
    int same = strcmp(again->resolved, e->resolved) == 0 && again->seed == e->seed && again->keep == e->keep &&
               again->replications == e->replications && again->n_entries == e->n_entries &&
               again->n_horizons == e->n_horizons && strcmp(again->name, e->name) == 0 &&
               strcmp(again->title, e->title) == 0 && strcmp(again->source, e->source) == 0;
    for (size_t i = 0; same && i < e->n_horizons; i++) same = e->horizon[i] == again->horizon[i];
    for (size_t i = 0; same && i < e->n_entries; i++) {
        const struct mk_policy_entry *a = &e->entry[i], *b = &again->entry[i];
        same = strcmp(a->label, b->label) == 0 && a->type == b->type;
        for (size_t j = 0; same && j < MK_MAX_PARAMS; j++)
            same = a->par[j] == b->par[j] || (isnan(a->par[j]) && isnan(b->par[j]));
    }
    const struct mk_problem *p = e->problem, *q = again->problem;
    same = same && p->n_arms == q->n_arms && p->n_instances == q->n_instances && p->replications == q->replications;
    for (size_t i = 0; same && p->dist && i < p->n_arms; i++) {
        char *a = mk_dist_text(p->dist[i]), *b = mk_dist_text(q->dist[i]);
        same = a && b && strcmp(a, b) == 0 && strcmp(p->arm_label[i], q->arm_label[i]) == 0 && p->cost[i] == q->cost[i];
        free(a);
        free(b);
    }
    mk_experiment_free(again);
    return same;
}

#define ARMS "problem: {arms: [{family: power, a: 3, s: 1.01}, {family: uniform, lo: 0, hi: 1}]}\n"
#define REST "policies: [max_ucb]\nhorizons: [50, 100]\n"

static void check_golden_entries(const struct mk_experiment *e)
{
    static const char *const labels[] = {"max_ucb ties=lowest alpha=0",
                                         "max_ucb ties=lowest alpha=0.1",
                                         "max_ucb ties=lowest alpha=0.2",
                                         "max_ucb ties=lowest alpha=0.3",
                                         "max_ucb ties=random alpha=0",
                                         "max_ucb ties=random alpha=0.1",
                                         "max_ucb ties=random alpha=0.2",
                                         "max_ucb ties=random alpha=0.3",
                                         "a=1 none",
                                         "a=0.25 none",
                                         "uniform"};
    int wrong = e->n_entries != 11;
    for (size_t i = 0; !wrong && i < 11; i++) wrong += strcmp(e->entry[i].label, labels[i]) != 0;
    CHECK(!wrong, "sweeps in the order of the keys, the last fastest, and their labels");
    CHECK(e->entry[3].par[0] == 0.3 && e->entry[8].par[5] == -1 && e->entry[4].par[4] == 1, "values of sweeps");
    char *parameters = mk_policy_entry_parameters(&e->entry[7]);
    CHECK(parameters && strcmp(parameters, "{alpha: 0.3, scale: none, scale_lo: 0.01, scale_hi: 0.99, ties: random, "
                                           "round_offset: 0, power: 1, per_cost: none, label_prior: 0}") == 0,
          "parameters of an entry: %s", parameters);
    free(parameters);
    parameters = mk_policy_entry_parameters(&e->entry[10]);
    CHECK(parameters && strcmp(parameters, "{}") == 0, "no parameters: {}");
    free(parameters);
}

static void check_golden_problem(const struct mk_problem *p)
{
    double lo, hi;
    mk_dist_support(p->dist[1], &lo, &hi);
    CHECK(lo == -5 && hi == 20, "truncate, then clip, then factor: support %g to %g", lo, hi);
    mk_dist_support(p->dist[2], &lo, &hi);
    CHECK(lo == 0 && hi == 2, "an empirical arm, shifted");
    CHECK(p->source == &mk_source_arms && strcmp(p->instance[0].name, "X-1_y") == 0 && p->instance[0].n_arms == 4 &&
              p->cost[0] == 2.5 && p->cost[1] == 1,
          "the problem");
}

static void check_golden(void)
{
    const char *text =
        "name: X-1_y\n"
        "title: 'A: title'\n"
        "source: >\n  folded\n  text\n"
        "problem:\n"
        "  arms:\n"
        "    - {family: power, a: 3, s: 1.01, label: first, cost: 2.5}\n"
        "    - {family: gaussian, mu: -1e0, sigma: 2, truncate: [-3, inf], clip: [-2.5, 1e1], factor: 2}\n"
        "    - {family: empirical, values: [3, 1, 2], shift: -1}\n"
        "    - {family: mixture, weights: [1, 3], components: [{family: dirac, x: 0, factor: 2, shift: 1},"
        " {family: exponential, mean: 2}]}\n"
        "policies:\n"
        "  - {name: max_ucb, ties: [lowest, random], alpha: {from: 0, to: 0.3, step: 0.1}}\n"
        "  - {name: max_ucb, alpha: [1, 2.5e-1], round_offset: -1, label: 'a={alpha} {scale}'}\n"
        "  - uniform\n"
        "horizons: [2000, 1e2, 50, 100]\n"
        "replications: 2e3\n"
        "seed: 9007199254740992\n"
        "keep: summary\n"
        "claims: [{name: half, of: pulls, at_most: T / 2}]\n";
    const char *want =
        "name: X-1_y\ntitle: 'A: title'\nsource: folded text\nproblem:\n  arms:\n"
        "  - {family: power, a: 3, s: 1.01, label: first, cost: 2.5}\n"
        "  - {family: gaussian, mu: -1, sigma: 2, truncate: [-3, inf], clip: [-2.5, 10], shift: 0, factor: 2, label: "
        "arm 1,"
        " cost: 1}\n"
        "  - {family: empirical, values: [3, 1, 2], shift: -1, factor: 1, label: arm 2, cost: 1}\n"
        "  - {family: mixture, weights: [1, 3], components: [{family: dirac, x: 0, shift: 1, factor: 2}, {family:"
        " exponential, mean: 2}], label: arm 3, cost: 1}\n"
        "policies:\n";
    const char *end = "- {name: uniform, label: uniform}\nhorizons: [50, 100, 2000]\nreplications: 2000\n"
                      "seed: 9007199254740992\nkeep: summary\nclaims:\n- {name: half, of: pulls, at_most: T / 2}\n";
    struct mk_error err;
    struct mk_experiment *e = parse(text, RUN, &err);
    CHECK(e != NULL, "a full file reads %s", err.text);
    if (!e) return;
    CHECK(strncmp(e->resolved, want, strlen(want)) == 0, "resolved problem");
    CHECK(strcmp(e->resolved + strlen(e->resolved) - strlen(end), end) == 0, "resolved run");
    if (strncmp(e->resolved, want, strlen(want)) != 0) fprintf(stderr, "%s", e->resolved);
    check_golden_entries(e);
    CHECK(e->n_horizons == 3 && e->horizon[0] == 50 && e->horizon[2] == 2000, "horizons ascend");
    CHECK(e->replications == 2000 && e->seed == 9007199254740992u && e->keep == MK_KEEP_SUMMARY, "counts");
    check_golden_problem(e->problem);
    CHECK(survives(e), "it survives the round trip");
    mk_experiment_free(e);
}

static void check_defaults(void)
{
    struct mk_error err;
    struct mk_experiment *e = parse(ARMS REST, RUN, &err);
    CHECK(e && strcmp(e->name, "f") == 0 && e->replications == 1000 && e->seed == 1 && e->keep == MK_KEEP_PULLS &&
              !*e->title && !*e->source,
          "defaults %s", err.text);
    if (e) CHECK(survives(e), "they survive the round trip");
    mk_experiment_free(e);
    e = parse("problem: {arms: [{family: uniform, lo: 0, hi: 1}]}\n", MK_NEED_PROBLEM, &err);
    CHECK(e && e->n_entries == 0 && e->n_horizons == 0 && survives(e), "a problem alone %s", err.text);
    mk_experiment_free(e);
    e = parse("problem: {arms: [{family: dirac, x: 1, label: arm 1}, {family: dirac, x: 2}, {family: dirac, x: 3}]}\n",
              MK_NEED_PROBLEM, &err);
    CHECK(e && strcmp(e->problem->arm_label[0], "arm 1") == 0 &&
              strcmp(e->problem->arm_label[1], "arm 1 (unlabelled)") == 0 &&
              strcmp(e->problem->arm_label[2], "arm 2") == 0 && survives(e),
          "a label that is that of another arm's number %s", err.text);
    mk_experiment_free(e);
    e = parse("horizons: 100\n", 0, &err);
    CHECK(e && !e->problem && e->n_horizons == 1 && e->horizon[0] == 100, "nothing is needed, one horizon %s",
          err.text);
    mk_experiment_free(e);
    e = NULL;
    CHECK(mk_experiment_parse(&e, "/a.b/My Run.v2.yaml", ARMS, strlen(ARMS), 0, &err) == MK_OK &&
              strcmp(e->name, "My_Run_v2") == 0,
          "the name comes from the file");
    mk_experiment_free(e);
}

/* What `maxk list keys` says of a key of the top level is what the reader does: the default and the range. */
static void check_documented(void)
{
    struct mk_error err;
    struct mk_experiment *e = parse(ARMS REST "rare_events: 0\n", 0, &err);
    int checked = 0;
    const struct mk_param *key;
    for (size_t i = 0; e && (key = mk_file_key_at(MK_IN_EXPERIMENT, i)); i++) {
        char text[256], value[64], range[256], doc[MK_FILE_KEY_ROOM];
        if (!mk_param_is_number(key)) continue;
        snprintf(text, sizeof text, "%s: -1\n", key->name);
        CHECK(!parse(text, 0, &err) && strstr(err.text, mk_param_range(key, range, sizeof range)), "range of %s: %s",
              key->name, err.text);
        CHECK(strstr(mk_file_key_text(key, doc), range), "%s: %s", key->name, doc);
        checked++;
        if (!mk_param_allows(key, key->def) || strcmp(key->name, "rare_events") == 0 ||
            strcmp(key->name, "horizon_unit") == 0)
            continue; /* not in the text unless they are given */
        mk_param_format(key, key->def, value, sizeof value);
        snprintf(text, sizeof text, "\n%s: %s\n", key->name, value);
        CHECK(strstr(e->resolved, text), "default of %s: %s in\n%s", key->name, value, e->resolved);
        snprintf(text, sizeof text, "(default: %s)", value);
        CHECK(strstr(doc, text), "%s: %s", key->name, doc);
    }
    CHECK(checked == 6, "%d keys with a range", checked);
    mk_experiment_free(e);
}

static void check_horizons(void)
{
    static const struct {
        const char *text;
        size_t n;
        uint64_t first, second, last;
    } cases[] = {
        {"horizons: {from: 1e2, to: 1e12, per_decade: 2}", 21, 100, 316, 1000000000000u},
        {"horizons: {from: 100, to: 2000, per_decade: 2}", 3, 100, 316, 1000},
        {"horizons: {from: 1, to: 10, per_decade: 10}", 8, 1, 2, 10},
        {"horizons: {from: 1, to: 9007199254740992, per_decade: 1}", 16, 1, 10, 1000000000000000u},
        {"horizons: {from: 50, to: 210, step: 50}", 4, 50, 100, 200},
        {"horizons: {from: 1e13, to: 10000000000003, step: 1}", 4, 10000000000000u, 10000000000001u, 10000000000003u},
        {"horizons: {from: 7, to: 7, step: 1}", 1, 7, 0, 7},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_error err;
        struct mk_experiment *e = parse(cases[i].text, 0, &err);
        CHECK(e && e->n_horizons == cases[i].n && e->horizon[0] == cases[i].first &&
                  (cases[i].n < 2 || e->horizon[1] == cases[i].second) && e->horizon[cases[i].n - 1] == cases[i].last,
              "%s %s", cases[i].text, err.text);
        mk_experiment_free(e);
    }
}

static void refuse(const char *text, const char *want)
{
    struct mk_error err;
    struct mk_experiment *e = parse(text, RUN, &err);
    int same = !e && err.code == MK_EINPUT && message_says(err.text, want);
    CHECK(same, "refused: %s%s%s", same ? err.text : want, same ? "" : " GOT ", same ? "" : err.text);
    mk_experiment_free(e);
}

#define ARM(x) "problem:\n  arms:\n    - " x "\n" REST
#define POLICY(x) ARMS "policies:\n  - " x "\nhorizons: [50]\n"

/* Every text is compared as far as written here: lists of families and policies grow. */
static const char *const refusals[][2] = {
    {"", "f:1:1: ~got nothing"},
    {"- a\n", "f:1:1: ~got a list"},
    {REST, "f:1:1: problem: ~missing"},
    {ARMS "horizons: [5]\n", "f:1:1: policies: ~missing"},
    {ARMS "policies: [uniform]\n", "f:1:1: horizons: ~missing"},
    {ARMS REST "horizon: 5\n", "f:4:1: horizon: ~'horizons'"},
    {"name: A b\n" ARMS REST, "f:1:7: name: ~got A b"},
    {"name: [a]\n" ARMS REST, "f:1:7: name: ~got a list"},
    {"name:\n" ARMS REST, "f:1:6: name: ~got nothing"},
    {"title: {}\n" ARMS REST, "f:1:8: title: ~got a mapping"},
    {ARMS REST "seed: -1\n", "f:4:7: seed: ~got -1"},
    {ARMS REST "seed: 9007199254740994\n", "f:4:7: seed: ~got 9007199254740994"},
    {ARMS REST "replications: 0\n", "f:4:15: replications: ~got 0"},
    {ARMS REST "replications: 1.5\n", "f:4:15: replications: ~got 1.5"},
    {ARMS REST "replications: \"5\"\n", "f:4:15: replications: ~got \"5\""},
    {ARMS REST "replications: nan\n", "f:4:15: replications: ~got nan"},
    {ARMS REST "replications: [5]\n", "f:4:15: replications: ~got a list"},
    {ARMS REST "keep: all\n", "f:4:7: keep: ~got all"},
    /* problem */
    {"problem: 5\n" REST, "f:1:10: problem: ~got 5"},
    {"problem: {}\n" REST, "f:1:10: problem: ~arms, trajectories"},
    {"problem: {processs: []}\n" REST, "f:1:11: processs: ~'processes'"},
    {"problem: {arms: [], arm_order: file}\n" REST, "f:1:21: arm_order: ~'arm_order'"},
    {"problem: {arms: [], trajectories: x}\n" REST, "f:1:21: trajectories: ~arms"},
    {"problem: {arms: []}\n" REST, "f:1:17: arms: ~got an empty list"},
    {"problem: {arms: 5}\n" REST, "f:1:17: arms: ~got 5"},
    /* arms */
    {ARM("power"), "f:3:7: arms: ~got power"},
    {ARM("{a: 3, s: 1}"), "f:3:7: family: ~missing"},
    {ARM("{family: powr, a: 3}"), "f:3:16: family: ~'power'"},
    {ARM("{family: affine, shift: 3}"), "f:3:16: family: ~'affine'"},
    {ARM("{family: [power]}"), "f:3:16: family: ~expected a name, got a list"},
    {ARM("{family: power, a: 3}"), "f:3:7: s: ~missing"},
    {ARM("{family: power, a: 3, S: 1}"), "f:3:29: S: ~'S'"},
    {ARM("{family: power, a: x, s: 1}"), "f:3:26: a: ~got x"},
    {ARM("{family: power, a: -3, s: 1}"), "f:3:26: a: ~got -3"},
    {ARM("{family: power, a: , s: 1}"), "f:3:26: a: ~got nothing"},
    {ARM("{family: gaussian, mu: 0, sigma: -1}"), "f:3:40: sigma: ~got -1"},
    {ARM("{family: gaussian, mu: nan, sigma: 1}"), "f:3:30: mu: ~got nan"},
    {ARM("{family: gaussian, mu: inf, sigma: 1}"), "f:3:30: mu: ~got inf"},
    {ARM("{family: gaussian, mu: 0x10, sigma: 1}"), "f:3:30: mu: ~got 0x10"},
    {ARM("{family: uniform, lo: 1, hi: 0}"), "f:3:36: hi: ~> lo"},
    {ARM("{family: exponential, mean: 1, rate: 1}"), "f:3:35: mean: ~rate"},
    {ARM("{family: exponential}"), "f:3:7: exponential: ~rate or mean"},
    {ARM("{family: dirac, x: 1, cost: 0}"), "f:3:35: cost: ~got 0"},
    {ARM("{family: dirac, x: 1, label: ''}"), "f:3:36: label: ~got an empty text"},
    {ARM("{family: dirac, x: 1, truncate: 5}"), "f:3:39: truncate: ~got 5"},
    {ARM("{family: dirac, x: 1, clip: [5]}"), "f:3:35: clip: ~got a list"},
    {ARM("{family: gaussian, mu: 0, sigma: 1, clip: [2, 1]}"), "f:3:53: clip: ~>= lo"},
    {ARM("{family: gaussian, mu: 0, sigma: 1, clip: [2, x]}"), "f:3:53: clip: ~got x"},
    {ARM("{family: gaussian, mu: 0, sigma: 1, factor: 0}"), "f:3:51: factor: ~other than 0"},
    {ARM("{family: gaussian, mu: 0, sigma: 1, shift: inf}"), "f:3:50: shift: ~got inf"},
    {ARM("{family: empirical, values: []}"), "f:3:35: values: ~got an empty list"},
    {ARM("{family: empirical, values: [1, inf]}"), "f:3:39: values: ~got inf"},
    {ARM("{family: empirical, values: 5}"), "f:3:35: values: ~got 5"},
    {ARM("{family: empirical, file: none.csv, column: x}"), "f:3:33: file: ~No such file or directory"},
    {ARM("{family: mixture, weights: [1], components: [{family: dirac, x: 1, label: a}]}"), "f:3:74: label: ~'label'"},
    {ARM("{family: mixture, weights: [1, 2], components: [{family: dirac, x: 1}]}"), "f:3:34: weights: ~one weight"},
    {ARM("{family: mixture, weights: [1], components: [{family: dirac, y: 1}]}"), "f:3:68: y: ~'y'"},
    {ARM("{family: mixture, weights: [1], components: []}"), "f:3:51: components: ~got an empty list"},
    {ARM("{family: mixture, weights: [1]}"), "f:3:7: components: ~missing"},
    {ARM("{family: dirac, x: 1, label: b}\n    - {family: dirac, x: 1, label: b}"), "f:4:36: label: ~'b'"},
    /* policies */
    {ARMS "policies: []\nhorizons: [50]\n", "f:2:11: policies: ~got an empty list"},
    {ARMS "policies: max_ucb\nhorizons: [50]\n", "f:2:11: policies: ~got max_ucb"},
    {POLICY("max_ubc"), "f:3:5: name: ~'max_ucb'"},
    {POLICY(""), "f:3:4: name: ~expected a name, got nothing"},
    {POLICY("[a]"), "f:3:5: policies: ~got a list"},
    {POLICY("{alpha: 1}"), "f:3:5: name: ~missing"},
    {POLICY("{name: max_ucb, alhpa: 1}"), "f:3:21: alhpa: ~'alpha'"},
    {POLICY("{name: max_ucb, alpha: -1}"), "f:3:28: alpha: ~got -1"},
    {POLICY("{name: max_ucb, alpha: inf}"), "f:3:28: alpha: ~got inf"},
    {POLICY("{name: max_ucb, alpha: [0, x]}"), "f:3:32: alpha: ~got x"},
    {POLICY("{name: max_ucb, alpha: []}"), "f:3:28: alpha: ~got an empty list"},
    {POLICY("{name: max_ucb, round_offset: 0.5}"), "f:3:35: round_offset: ~got 0.5"},
    {POLICY("{name: max_ucb, scale: big}"), "f:3:28: scale: ~got big"},
    {POLICY("{name: max_ucb, scale: {from: 0}}"), "f:3:28: scale: ~got a mapping"},
    {POLICY("{name: max_ucb, alpha: {from: 0, to: 1}}"), "f:3:28: alpha: ~missing step"},
    {POLICY("{name: max_ucb, alpha: {from: 0, to: 1, stp: 1}}"), "f:3:45: stp: ~'step'"},
    {POLICY("{name: max_ucb, alpha: {from: 0, to: 1, step: 0}}"), "f:3:51: step: ~got 0"},
    {POLICY("{name: max_ucb, alpha: {from: 1, to: 0, step: 1}}"), "f:3:28: alpha: ~below"},
    {POLICY("{name: max_ucb, alpha: {from: -1, to: 1, step: 1}}"), "f:3:28: alpha: ~contains -1"},
    {POLICY("{name: max_ucb, alpha: {from: 0, to: 1, step: 1e-9}}"), "f:3:28: alpha: ~more than 10000"},
    {POLICY("{name: max_ucb, alpha: {from: 1, to: 200, step: 1}, scale_lo: {from: -100, to: -1, step: 1}}"),
     "f:3:5: policies: ~more than 10000"},
    {POLICY("{name: max_ucb, scale_lo: 1}"), "f:3:5: max_ucb: ~scale_hi"},
    {POLICY("{name: max_ucb}\n  - {name: max_ucb, alpha: 1}"), "f:4:5: label: ~max_ucb"},
    {POLICY("{name: max_ucb, alpha: [1, 2], label: x}"), "f:3:43: label: ~x"},
    {POLICY("{name: max_ucb, alpha: [1, 1]}"), "f:3:5: label: ~max_ucb"},
    {POLICY("{name: max_ucb, label: 'x={beta}'}"), "f:3:28: label: ~braces"},
    {POLICY("{name: max_ucb, label: 'x={alpha'}"), "f:3:28: label: ~braces"},
    {POLICY("{name: max_ucb, label: 'x}'}"), "f:3:28: label: ~braces"},
    {POLICY("{name: uniform, label: 'x={alpha}'}"), "f:3:28: label: ~braces"},
    {POLICY("{name: max_ucb, label: a/b}"), "f:3:28: label: ~got 'a/b'"},
    {POLICY("{name: max_ucb, label: ..}"), "f:3:28: label: ~got '..'"},
    {POLICY("{name: max_ucb, label: ''}"), "f:3:28: label: ~got an empty text"},
    {POLICY("{name: max_ucb, label: [x]}"), "f:3:28: label: ~got a list"},
    {POLICY("{name: max_ucb, label: "
            "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789x}"),
     "f:3:28: label: ~got '012345678901234567890123456789012345678901234567890123456789…"},
    /* horizons */
    {ARMS "policies: [uniform]\nhorizons: [0]\n", "f:3:12: horizons: ~got 0"},
    {ARMS "policies: [uniform]\nhorizons: []\n", "f:3:11: horizons: ~got an empty list"},
    {ARMS "policies: [uniform]\nhorizons: [1, 5]\n", "f:3:11: horizons: ~>= 2"},
    {ARMS "policies: [uniform]\nhorizons: {from: 5, to: 1, per_decade: 1}\n", "f:3:11: horizons: ~below"},
    {ARMS "policies: [uniform]\nhorizons: {from: 5, per_decade: 1}\n", "f:3:11: horizons: ~missing to"},
    {ARMS "policies: [uniform]\nhorizons: {from: 5, to: 9, step: 1, per_decade: 1}\n", "f:3:28: step: ~'step'"},
    {ARMS "policies: [uniform]\nhorizons: {from: 5, to: 9, step: 0.5}\n", "f:3:11: horizons: ~contains 5.5"},
    {ARMS "policies: [uniform]\nhorizons: {from: 5, to: 9}\n", "f:3:11: horizons: ~missing step"},
    {ARMS "policies: [uniform]\nhorizons: [1e17]\n", "f:3:12: horizons: ~got 1e17"},
};

static void check_refusals(void)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) refuse(refusals[i][0], refusals[i][1]);
}

static void refuse_read(const char *path, const char *const *sets, size_t n, const char *want)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    char full[600];
    const char *at = strchr(want, '@'); /* the directory */
    snprintf(full, sizeof full, "%.*s%s%s", at ? (int)(at - want) : 0, want, at ? scratch.dir : "", at ? at + 1 : want);
    int code = mk_experiment_read(&e, path, sets, n, RUN, &err);
    int same = code == MK_EINPUT && message_says(err.text, full);
    CHECK(same, "refused: %s%s%s", same ? err.text : full, same ? "" : " GOT ", same ? "" : err.text);
    mk_experiment_free(e);
}

static void check_overrides(void)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    char path[300];
    snprintf(path, sizeof path, "%s", scratch_write(&scratch, "base.yaml", ARMS REST, strlen(ARMS REST)));
    static const char *const good[] = {"replications=20",      "policies.0={name: max_ucb}",
                                       "policies.0.alpha=0.3", "horizons=[70, 60]",
                                       "title=x = y",          "problem.arms.1.hi=2"};
    int code = mk_experiment_read(&e, path, good, 6, RUN, &err);
    CHECK(code == MK_OK && e->replications == 20 && e->entry[0].par[0] == 0.3 && e->horizon[0] == 60 &&
              strcmp(e->title, "x = y") == 0 && strcmp(e->name, "base") == 0 && survives(e),
          "overrides %s", err.text);
    mk_experiment_free(e);
    static const char *const bad[] = {"replications=-1",
                                      "policies.0={name: max_ucb, alpha: -1}",
                                      "seeds=5",
                                      "horizons=[3, x]",
                                      "policies.5=uniform",
                                      "policies.0.alpha=0.3"};
    static const char *const want[] = {"--set replications=…: replications: ~got -1",
                                       "--set policies.0=…: alpha: ~got -1",
                                       "--set seeds=…: seeds: ~'seed'",
                                       "--set horizons=…: horizons: ~got x",
                                       "--set policies.5=…: 5: ~no such item",
                                       "--set policies.0.alpha=…: alpha: ~before it"};
    for (size_t i = 0; i < 6; i++) refuse_read(path, &bad[i], 1, want[i]);
    refuse_read("/nonexistent.yaml", NULL, 0, "/nonexistent.yaml: cannot be read: No such file or directory");
}

static void write_text(const char *name, const char *text)
{
    scratch_write(&scratch, name, text, strlen(text));
}

static void check_files(void)
{
    struct mk_experiment *e = NULL;
    struct mk_error err = {0, ""};
    char path[300], csv[300];
    double lo, hi;
    write_text("data.csv", "instance,arm,repetition,iteration,reward\n"
                           "i2,b,0,0,1\ni2,b,0,1,3\ni2,a,0,0,0\ni2,a,0,1,0.5\ni1,a,0,0,0.25\ni1,a,0,1,7\n"
                           "i2,b,1,0,1\ni2,b,1,1,3\ni2,a,1,0,0\ni2,a,1,1,0.5\ni1,a,1,0,0.25\n");
    snprintf(csv, sizeof csv, "%s/data.csv", scratch.dir);
    snprintf(path, sizeof path, "%s/e.yaml", scratch.dir);
    write_text("e.yaml", "problem: {arms: [{family: empirical, file: data.csv, column: reward}]}\n" REST);
    int code = mk_experiment_read(&e, path, NULL, 0, RUN, &err);
    CHECK(code == MK_OK, "an empirical arm from a file next to the experiment %s", err.text);
    if (!code) {
        mk_dist_support(e->problem->dist[0], &lo, &hi);
        CHECK(lo == 0 && hi == 7 && e->problem->dist[0]->n_values == 11 && survives(e), "its values, round trip");
    }
    mk_experiment_free(e);
    static const char *const no_column = "problem.arms.0.column=z", *const both = "problem.arms.0.values=[1]",
                             *const no_key = "problem.arms.0={family: empirical, file: data.csv}";
    refuse_read(path, &no_column, 1, "@/data.csv:1: z: ~no such column");
    refuse_read(path, &both, 1, "--set problem.arms.0.values=…: values: ~file");
    refuse_read(path, &no_key, 1, "--set problem.arms.0=…: column: ~missing");

    write_text("e.yaml", "problem: {trajectories: data.csv}\npolicies: [uniform]\nhorizons: [2]\nreplications: 1\n");
    code = mk_experiment_read(&e, path, NULL, 0, RUN, &err);
    CHECK(code == MK_OK && e->replications == 1 && e->problem->replications == 2 && e->problem->n_instances == 2 &&
              survives(e),
          "trajectories, one of two repetitions %s", err.text);
    if (!code) mk_experiment_free(e);
    static const char *const select[] = {"problem.instances=[i2]", "problem.arm_order=file", "replications=2"};
    code = mk_experiment_read(&e, path, select, 3, RUN, &err);
    CHECK(code == MK_OK && e->problem->n_instances == 1 && strcmp(e->problem->arm_label[0], "b") == 0 && survives(e),
          "a chosen instance, arms in the file's order %s", err.text);
    if (!code) mk_experiment_free(e);
    static const char *const more = "replications=3", *const two = "replications=2", *const long_run = "horizons=[3]",
                             *const unknown = "problem.instances=[i1, i3]", *const twice = "problem.instances=[i1, i1]",
                             *const listed = "problem.instances=[[i1]]", *const order = "problem.arm_order=random",
                             *const none = "problem.trajectories=none.csv", *const short_run = "horizons=[1]";
    refuse_read(path, &more, 1, "--set replications=…: replications: ~got 3");
    refuse_read(path, &two, 1, "@/data.csv:12: ~got 1");
    refuse_read(path, &long_run, 1, "@/data.csv:7: ~got 2");
    refuse_read(path, &short_run, 1, "--set horizons=…: horizons: ~>= 2");
    refuse_read(path, &unknown, 1, "--set problem.instances=…: instances: ~'i3'");
    refuse_read(path, &twice, 1, "--set problem.instances=…: instances: ~i1");
    refuse_read(path, &listed, 1, "--set problem.instances=…: instances: ~got a list");
    refuse_read(path, &order, 1, "--set problem.arm_order=…: arm_order: ~got random");
    refuse_read(path, &none, 1, "--set problem.trajectories=…: trajectories: ~No such file or directory");

    code = mk_experiment_from_csv(&e, csv, NULL, 0, &err);
    CHECK(code == MK_OK && strcmp(e->name, "data") == 0 && e->replications == 2 && e->n_entries == 0 && survives(e),
          "a problem from a CSV file alone %s", err.text);
    if (!code) mk_experiment_free(e);
    code = mk_experiment_from_csv(&e, "/nonexistent.csv", NULL, 0, &err);
    CHECK(code == MK_EINPUT && strstr(err.text, "/nonexistent.csv: cannot be read: No such file"), "none: %s",
          err.text);
}

/* Every experiment of the repository reads and survives the round trip; files of maxk tune have tests of their own.
 * Portfolios of 150 data sets would take a minute and leave nothing in the text but their size: they are left out. */
static void check_published(void)
{
    static const char *const none = "problem.prior.portfolio=0";
    DIR *dir = opendir("experiments");
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, ".yaml") != 0 || strncmp(entry->d_name, "tune_", 5) == 0 ||
            strncmp(entry->d_name, "sklearn_costs_", 14) == 0)
            continue;
        const size_t warm = strncmp(entry->d_name, "warm_starts_", 12) == 0;
        char path[300];
        struct mk_experiment *e = NULL;
        struct mk_error err = {0, ""};
        snprintf(path, sizeof path, "experiments/%.200s", entry->d_name);
        int code = mk_experiment_read(&e, path, &none, warm, MK_NEED_PROBLEM, &err); /* some are problems only */
        CHECK(code == MK_OK && survives(e), "%s reads and survives the round trip %s", path, err.text);
        if (!code) mk_experiment_free(e);
    }
    if (dir) closedir(dir);
}

int main(void)
{
    scratch_make(&scratch);
    check_golden();
    check_defaults();
    check_documented();
    check_horizons();
    check_refusals();
    check_overrides();
    check_files();
    check_published();
    scratch_remove(&scratch);
    return CHECK_EXIT;
}

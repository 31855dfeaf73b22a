/* The keys of experiment files and of tune files (sim/run/experiment/file_keys.h): every key is read, stands in the
 * resolved text unless its row says otherwise, and is documented. A key without an example fails. */
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/error.h"
#include "sim/base/yaml_tree.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/experiment/file_keys.h"
#include "sim/study/tune.h"
#include "tests/support/check.h"
#include "tests/support/scratch.h"

enum { ROOM = 512 };

static const char prior_csv[] =
    "instance,arm,reward,configuration\n"
    "a,A,0.5,\"{x1: 0.1}\"\na,A,0.7,\"{x1: 0.2}\"\na,B,0.1,\"{x1: 0.3}\"\na,B,0.2,\"{x1: 0.4}\"\n"
    "b,A,0.4,\"{x1: 0.5}\"\nb,A,0.3,\"{x1: 0.6}\"\nb,B,0.6,\"{x1: 0.7}\"\nb,B,0.5,\"{x1: 0.8}\"\n";

/* Files with every key, numbers and words being no defaults and written as they are resolved. */
static const char arms[] =
    "name: N\ntitle: a title\nsource: a source\n"
    "problem: {arms: [{family: uniform, lo: 0, hi: 1, truncate: [0.1, 0.9], clip: [0.2, 0.8], shift: 2, factor: 3,"
    " label: A, cost: 4}, {repeat: 2, seed: 5, family: uniform, lo: 0, hi: {uniform: [1, 2]}, label: \"B{i}\"}]}\n"
    "policies: [{name: max_ucb, alpha: 0.5, label: P}]\n"
    "horizons: {from: 10, to: 1000, per_decade: 1}\nreplications: 6\nseed: 7\nkeep: summary\n"
    "claims: [{name: C, of: regret, at_most: 1 + T, policy: P}, {name: D, of: pulls, at_least: \"0\"}]\n"
    "plugins: [{file: P.so, digest: 0123456789abcdef}]\n";
static const char rare_events[] =
    "problem: {arms: [{family: uniform, lo: 0, hi: 1}]}\npolicies: [{name: max_ucb, label: P}]\n"
    "horizons: [10]\nrare_events: 8\n";
static const char recorded[] =
    "problem: {trajectories: experiments/data/example.csv, columns: {reward: reward, cost: reward}, instances: [adult],"
    " arm_order: file, baselines: none, ends_early: leave, missing: error, holes: close}\nhorizon_unit: cost\nhorizons: [10]\n";
static const char processes[] =
    "problem: {processes: [{curve: power, low: 0, high: 1, rate: 0.5, noise: 0.1, clip: [0, 2],"
    " breaks: [{at: 9, curve: power, low: 1, high: 2, rate: 0.5}]},"
    " {start: {family: uniform, lo: 1, hi: 2}, end: {family: uniform, lo: 2, hi: 3}, over: 10, path: geometric}]}\n";
static const char searches[] =
    "problem: {searches: [{objective: {name: branin, noise: 0.5}, space: {x: {real: [-5, 10]}, y: {real: [0, 15]}},"
    " optimizer: {name: random}}], instances: [i, j]}\n"
    "combined: [{optimizer: {name: random}, label: J}]\npolicies: [max_ucb]\nhorizons: [10]\n";
static const char prior[] = "problem: {searches: [{objective: {name: bowl, dimensions: 1}, optimizer: tpe, label: A},"
                            " {objective: {name: bowl, dimensions: 1}, optimizer: tpe, label: B}],"
                            " prior: {file: prior.csv, without: [b], portfolio: 2, weight: 3}}\n";
#define METRICS                                                                                                        \
    "metrics: {a: {json: x, file: f}, b: {regex: y}, c: {last_number: true}, d: {smac: true}, e: {irace: true}}\n"
static const char command[] =
    "name: N\ntitle: a title\nsource: a source\ninstance: I\nrepetition: 1\ncommand: [true, \"{args}\"]\n"
    "args: [\"{name}\", \"{value}\"]\nlauncher: [env]\n"
    "metric: {json: a.b, file: f, maximize: true, scale: 2}\n" METRICS "cost: {seconds: true}\n"
    "subject_to: {a: {at_most: 3, at_least: 1}}\n"
    "timeout: 4\ngrace: 5\nlimits: {memory: 2000000, cpu: 6, file_size: 7}\nretries: 8\ncrash: ignore\n"
    "arms: [{label: A, space: {x1: {real: [0, 1]}}, optimizer: random, own_optimizer: O}, {label: B, space: {x1: {real: [0, 1]}},"
    " command: [false, \"{x1}\"], args: [\"{name}\"]}]\n"
    "optimizer: random\npolicy: {name: max_ucb, alpha: 0.5}\nown_policy: P\n"
    "prior: {file: prior.csv, without: [b], portfolio: 2, weight: 3}\nbudget: {evaluations: 100, seconds: 9, cost: 50}\n"
    "first: [{arm: A, x1: 0.5}]\ndefaults: no\n"
    "workers: 2\nlag: 9\norder: finish\nseed: 3\nsuccess_codes: [0, 10]\nreevaluate: 4\nexhausted: repeat\n";
#define BUDGET "budget: {evaluations: 100}\n"
static const char worker[] = "worker: [cat]\nanswers: unnamed\nmetric: {regex: x, maximize: false}\ncrash: {value: 5}\n"
                             "arms: [{label: A, space: {x: {real: [0, 1]}}}]\ncombined: {optimizer: random}\n" BUDGET;
static const char shell[] = "shell: echo {x}\nmetric: {last_number: true, maximize: true}\npolicy: max_ucb\n"
                            "arms: [{label: A, space: {x: {real: [0, 1]}}, shell: \"echo {x} {x}\"}]\n" BUDGET;
#define PRUNED(rule)                                                                                                            \
    "command: [true]\nmetric: {last_number: true, maximize: true}\npolicy: max_ucb\npruning: {max_step: 9, compare: all, " rule \
    "}\narms: [{label: A, space: {x: {real: [0, 1]}}}]\n" BUDGET
static const char asha[] = PRUNED("rule: asha, eta: 4, min_step: 2");
static const char median[] = PRUNED("rule: median, startup_trials: 6, warmup_steps: 2");
static const char smac[] = "command: [true]\nmetric: {smac: true}\npolicy: max_ucb\n"
                           "arms: [{label: A, space: {x: {real: [0, 1]}}}]\n" BUDGET;
static const char irace[] = "command: [true]\nmetric: {irace: true}\npolicy: max_ucb\n"
                            "arms: [{label: A, space: {x: {real: [0, 1]}}}]\n" BUDGET;

static const char on_instances[] =
    "command: [echo, \"{instance}\"]\nmetric: {irace: true}\npolicy: max_ucb\ninstances: {folder: policies, pattern: "
    "\"*.def\"}\ntest_instances: [a, b]\ninstances_per_trial: 2\nbound: 5\n"
    "arms: [{label: A, space: {x: {real: [0, 1]}}}]\n" BUDGET;

static const struct example {
    enum mk_file_mapping of;
    const char *text, *path, *resolved; /* where the mapping is in the file and, unless NULL, in the resolved text */
} examples[] = {
    {MK_TUNE_FILE, command, "", NULL},
    {MK_TUNE_FILE, worker, "", NULL},
    {MK_TUNE_FILE, shell, "", NULL},
    {MK_TUNE_METRIC, command, "metric", NULL},
    {MK_TUNE_METRIC, worker, "metric", NULL},
    {MK_TUNE_METRIC, shell, "metric", NULL},
    {MK_TUNE_METRIC, smac, "metric", NULL},
    {MK_TUNE_METRIC, irace, "metric", NULL},
    {MK_TUNE_MEASURE, command, "metrics.a", NULL},
    {MK_TUNE_MEASURE, command, "metrics.b", NULL},
    {MK_TUNE_MEASURE, command, "metrics.c", NULL},
    {MK_TUNE_MEASURE, command, "metrics.d", NULL},
    {MK_TUNE_MEASURE, command, "metrics.e", NULL},
    {MK_TUNE_MEASURE, command, "cost", NULL},
    {MK_TUNE_BOUND, command, "subject_to.a", NULL},
    {MK_TUNE_LIMITS, command, "limits", NULL},
    {MK_TUNE_FILE, on_instances, "", NULL},
    {MK_TUNE_INSTANCES, on_instances, "instances", NULL},
    {MK_TUNE_FILE, asha, "", NULL},
    {MK_TUNE_PRUNING, asha, "pruning", NULL},
    {MK_TUNE_PRUNING, median, "pruning", NULL},
    {MK_TUNE_CRASH, worker, "crash", NULL},
    {MK_TUNE_BUDGET, command, "budget", ""},
    {MK_TUNE_ARM, command, "arms.0", NULL},
    {MK_TUNE_ARM, command, "arms.1", NULL},
    {MK_TUNE_ARM, shell, "arms.0", NULL},
    {MK_IN_EXPERIMENT, arms, "", NULL},
    {MK_IN_EXPERIMENT, rare_events, "", NULL},
    {MK_IN_EXPERIMENT, searches, "", NULL},
    {MK_IN_EXPERIMENT, recorded, "", NULL},
    {MK_IN_PROBLEM, arms, "problem", NULL},
    {MK_IN_PROBLEM, processes, "problem", NULL},
    {MK_IN_PROBLEM, recorded, "problem", NULL},
    {MK_IN_PROBLEM, searches, "problem", NULL},
    {MK_IN_PROBLEM, prior, "problem", NULL},
    {MK_IN_TRAJECTORIES, recorded, "problem", NULL},
    {MK_IN_SEARCHES, searches, "problem", NULL},
    {MK_IN_SEARCHES, prior, "problem", NULL},
    {MK_IN_FAMILY, arms, "problem.arms.0", NULL},
    {MK_IN_DISTRIBUTION, arms, "problem.arms.0", NULL},
    {MK_IN_ARM, arms, "problem.arms.0", NULL},
    {MK_IN_REPEAT, arms, "problem.arms.1", NULL},
    {MK_IN_PIECE, processes, "problem.processes.0", NULL},
    {MK_IN_PIECE, processes, "problem.processes.0.breaks.0", NULL},
    {MK_IN_CURVE, processes, "problem.processes.0", NULL},
    {MK_IN_BREAK, processes, "problem.processes.0.breaks.0", NULL},
    {MK_IN_DRIFT, processes, "problem.processes.1", NULL},
    {MK_IN_SEARCH, searches, "problem.searches.0", NULL},
    {MK_IN_OBJECTIVE, searches, "problem.searches.0.objective", NULL},
    {MK_IN_OPTIMIZER, searches, "problem.searches.0.optimizer", NULL},
    {MK_IN_COMBINED, searches, "combined.0", NULL},
    {MK_IN_POLICY, rare_events, "policies.0", NULL},
    {MK_IN_PRIOR, prior, "problem.prior", NULL},
    {MK_IN_PRIOR, command, "prior", NULL},
    {MK_IN_HORIZONS, arms, "horizons", NULL},
    {MK_IN_CLAIM, arms, "claims.0", NULL},
    {MK_IN_CLAIM, arms, "claims.1", NULL},
    {MK_IN_PLUGIN, arms, "plugins.0", NULL},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static struct scratch scratch;

/* The resolved text of an example with or without an override, malloc'ed; NULL: it was rejected. */
static char *resolve(const struct example *x, const char *set, struct mk_error *err)
{
    const char *path = scratch_write(&scratch, "file.yaml", x->text, strlen(x->text));
    struct mk_experiment *e = NULL;
    struct mk_tune *t = NULL;
    const bool is_tune = strstr(x->text, "metric:") != NULL;
    int code = is_tune ? mk_tune_read(&t, path, &set, set != NULL, err)
                       : mk_experiment_read(&e, path, &set, set != NULL, 0, err);
    char *text = code ? NULL : strdup(is_tune ? t->resolved : e->resolved);
    mk_tune_free(t);
    mk_experiment_free(e);
    return text;
}

static struct mk_tree *parse(const char *text)
{
    struct mk_tree *tree = NULL;
    struct mk_error err;
    REQUIRE(mk_tree_parse(&tree, "text", text, strlen(text), &err) == MK_OK, "%s", err.text);
    return tree;
}

/* What a dotted path leads to; NULL: nothing. */
static const struct mk_node *follow(const struct mk_node *node, const char *path)
{
    while (node && *path) {
        char word[ROOM];
        char *end;
        const size_t n = strcspn(path, "."), at = strtoul(path, &end, 10);
        snprintf(word, sizeof word, "%.*s", (int)n, path);
        if (node->kind == MK_NODE_LIST)
            node = end != path && at < node->n ? node->child[at] : NULL;
        else
            node = mk_node_get(node, word);
        path += n + (path[n] == '.');
    }
    return node;
}

/* Whether a key with an impossible value is rejected, and not as unknown. */
static void check_read(const struct example *x, const struct mk_param *key)
{
    char set[ROOM], unknown[ROOM];
    struct mk_error err;
    snprintf(set, sizeof set, "%s%s%s={no such: [[1]]}", x->path, *x->path ? "." : "", key->name);
    snprintf(unknown, sizeof unknown, "unknown key '%s'", key->name);
    char *text = resolve(x, set, &err);
    CHECK(!text && !strstr(err.text, unknown), "%s is read: %s", set, text ? "not rejected" : err.text);
    free(text);
}

/* Whether a number, a word or a text stands in the resolved text as it was given, another value at all. */
static void check_resolved(const struct example *x, const struct mk_param *key, const struct mk_node *given,
                           const struct mk_node *resolved)
{
    const struct mk_node *found = follow(follow(resolved, x->resolved ? x->resolved : x->path), key->name);
    const bool as_given = given->kind == MK_NODE_SCALAR && (mk_param_is_number(key) || key->kind == MK_TEXT);
    if (key->flags & MK_UNRESOLVED)
        CHECK(!found || found->kind != given->kind, "%s.%s: not in the resolved text, unless as another key", x->path,
              key->name);
    else
        CHECK(found && (!as_given || found->kind != MK_NODE_SCALAR || strcmp(found->text, given->text) == 0),
              "%s.%s: resolved as %s", x->path, key->name,
              found && found->text ? found->text
              : found              ? "given"
                                   : "nothing");
}

static void check_example(const struct example *x, bool *seen)
{
    struct mk_error err;
    const struct mk_param *key;
    char *text = resolve(x, NULL, &err);
    REQUIRE(text, "the example of %s: %s", mk_file_mappings[x->of].what, err.text);
    struct mk_tree *source = parse(x->text), *resolved = parse(text);
    const struct mk_node *mapping = follow(source->root, x->path);
    REQUIRE(mapping, "%s", x->path);
    for (size_t i = 0; (key = mk_file_key_at(x->of, i)); i++) {
        const struct mk_node *given = mk_node_get(mapping, key->name);
        if (!given) continue;
        seen[i] = true;
        check_read(x, key);
        check_resolved(x, key, given, resolved->root);
    }
    mk_tree_free(source);
    mk_tree_free(resolved);
    free(text);
}

static void check_mapping(enum mk_file_mapping of)
{
    enum { MOST = 64 };
    bool seen[MOST] = {false};
    const struct mk_param *key;
    for (size_t i = 0; i < EXAMPLES; i++)
        if (examples[i].of == of) check_example(&examples[i], seen);
    for (size_t i = 0; (key = mk_file_key_at(of, i)); i++)
        CHECK(seen[i], "%s: %s has an example", mk_file_mappings[of].what, key->name);
}

/* Every key is a row of `maxk list keys` or `maxk list tunekeys`, from which documents are written. */
static void check_documented(void)
{
    static const char *const lists[] = {"tunekeys", "keys"};
    const struct mk_param *key;
    struct mk_error err;
    for (size_t i = 0; i < 2; i++) {
        struct mk_table *t = NULL;
        size_t row = 0;
        REQUIRE(mk_table_make(&t, "list", &lists[i], 1, NULL, 0, &err) == MK_OK, "%s", err.text);
        const size_t end = i ? MK_DOCUMENTED_MAPPINGS : MK_TUNE_MAPPINGS;
        for (size_t of = i ? MK_IN_EXPERIMENT : 0; of < end; of++)
            for (size_t k = 0; (key = mk_file_key_at(of, k)); k++, row++)
                CHECK(row < mk_table_rows(t) && strcmp(mk_table_texts(t, 0)[row], key->name) == 0 &&
                          strstr(mk_table_texts(t, 2)[row], key->help),
                      "%s: %s is documented", mk_file_mappings[of].what, key->name);
        mk_table_free(t);
    }
    for (size_t of = MK_DOCUMENTED_MAPPINGS; of < MK_FILE_MAPPINGS; of++)
        for (size_t k = 0; (key = mk_file_key_at(of, k)); k++)
            CHECK(mk_file_key(MK_IN_PROBLEM, key->name) == key, "%s: %s is documented", mk_file_mappings[of].what,
                  key->name);
}

int main(void)
{
    scratch_make(&scratch);
    scratch_write(&scratch, "prior.csv", prior_csv, strlen(prior_csv));
    for (size_t of = 0; of < MK_FILE_MAPPINGS; of++) check_mapping(of);
    scratch_remove(&scratch);
    check_documented();
    return CHECK_EXIT;
}

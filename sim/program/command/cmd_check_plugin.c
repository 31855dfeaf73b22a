/* maxk check_plugin: the generic checks of policies and families, on those of a shared object. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/tables/table_input.h"
#include "sim/base/error.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/run/engine/check_plugin.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/experiment/plugins.h"

static void print_passed(const char *name, const char *what, size_t checks)
{
    printf("%s: %s; %zu checks passed\n", name, what, checks);
}

static int check_policies(const struct mk_plugins *plugins, struct mk_error *err)
{
    const struct mk_policy_type *type;
    int code = MK_OK;
    for (size_t k = 0; !code && (type = mk_plugins_at(plugins, k)); k++) {
        size_t plays = 0;
        code = mk_check_policy(type, &plays, err);
        if (!code) print_passed(type->name, type->summary, plays);
    }
    return code;
}

static int check_families(const struct mk_plugins *plugins, struct mk_error *err)
{
    const struct mk_dist_type *type;
    int code = MK_OK;
    for (size_t k = 0; !code && (type = mk_plugins_family_at(plugins, k)); k++) {
        size_t checks = 0;
        code = mk_check_family(type, &checks, err);
        if (!code) print_passed(type->name, type->summary, checks);
    }
    return code;
}

/* The arms that were named in place of default parameters. */
static int check_arms(const char *file, const struct mk_texts *arms, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    char *text = NULL;
    size_t length;
    FILE *to = open_memstream(&text, &length);
    if (!to) return mk_fail_memory(err, "arms");
    fputs("problem: {arms: [", to);
    for (size_t i = 0; i < arms->n; i++) fprintf(to, "%s%s", i ? ", " : "", arms->text[i]);
    fputs("]}\n", to);
    const struct mk_texts plugin = {1, &file};
    struct mk_texts sets = {0, NULL};
    char *loaded = NULL;
    int code = fclose(to) ? mk_fail_memory(err, "arms") : mk_plugins_add(&plugin, &sets, &loaded, err);
    const struct mk_overrides overrides = {sets.text, sets.n};
    if (!code) code = mk_experiment_parse_with(&e, "--arm", text, &overrides, MK_NEED_PROBLEM | MK_LOAD_PLUGINS, err);
    for (size_t k = 0; !code && k < e->problem->n_arms; k++) {
        size_t checks = 0;
        code = mk_check_distribution(e->problem->dist[k], &checks, err);
        if (!code) print_passed(e->problem->arm_label[k], e->problem->dist[k]->type->summary, checks);
    }
    mk_experiment_free(e);
    free(text);
    free(loaded);
    free(sets.text);
    return code;
}

int mk_cmd_check_plugin(int argc, char **argv, struct mk_error *err)
{
    const struct mk_usage usage = {
        "check_plugin", "FILE.so",
        "Checks that the policies or reward families in a shared object of your own keep the promises on which a "
        "simulation relies. Loading the object runs its code. `maxk run --plugin FILE.so` uses them in an experiment, "
        "and experiments/plugin has an example of each.\n\nFor a policy these are\n\n  arms  it chooses arms from 0 to "
        "K - 1, and the same ones when it is run again\n  memory  it writes nothing outside of its state, and uses no "
        "memory that init has not set\n  anytime  if it claims to be anytime, its first rounds do not depend on the "
        "horizon\n\nand for a reward family\n\n  tails  P(X >= x) never rises with x, and P(X >= x) + P(X < x) = 1\n  "
        "inverse  it inverts both tails to 1e-12\n  density  it is the slope of the distribution function\n  draws  "
        "they are distributed as the family says, regardless of how many are drawn at a time\n  maxima  expected "
        "maxima equal their integral",
        1, 1};
    struct mk_plugins *plugins = NULL;
    struct mk_texts arms = {0, NULL};
    const struct mk_option options[] = {
        {"arm", 0, MK_OPT_TEXTS, &arms, "ARM", NULL, 1, 0,
         "check this arm, such as '{family: NAME, a: 2}', in place of the families with their default parameters; may "
         "be repeated"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operands;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operands, &n, err);
    if (code) return code;
    code = mk_plugins_load(&plugins, operands[0], (struct mk_where){operands[0], 0, 0}, err);
    if (!code) code = check_policies(plugins, err);
    if (!code) code = arms.n ? check_arms(operands[0], &arms, err) : check_families(plugins, err);
    mk_plugins_free(plugins);
    free(arms.text);
    return code;
}

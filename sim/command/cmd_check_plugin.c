/* maxk check-plugin: the generic checks of policies, on those of a shared object. */
#include <stdio.h>

#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/experiment/plugins.h"
#include "sim/run/check_policy.h"

static int check_all(const struct mk_plugins *plugins, struct mk_error *err)
{
    const struct mk_policy_type *type;
    int code = MK_OK;
    for (size_t k = 0; !code && (type = mk_plugins_at(plugins, k)); k++) {
        size_t plays = 0;
        code = mk_check_policy(type, &plays, err);
        if (!code) printf("%s: %s; %zu checks passed\n", type->name, type->summary, plays);
    }
    return code;
}

int mk_cmd_check_plugin(int argc, char **argv, struct mk_error *err)
{
    const struct mk_usage usage = {
        "check_plugin", "FILE.so",
        "Loads a shared object with policies of your own, which runs its code, and checks what a simulation relies on: arms "
        "in range, the same arms in a second run, nothing written outside of the state, no use of memory that init has not "
        "set, and for anytime policies first rounds that do not depend on the horizon. experiments/plugin has a worked "
        "example; `maxk run --plugin FILE.so` runs it.",
        1, 1};
    struct mk_plugins *plugins = NULL;
    char **operands;
    size_t n;
    int code = mk_options_parse(&usage, NULL, argc, argv, &operands, &n, err);
    if (code) return code;
    code = mk_plugins_load(&plugins, operands[0], (struct mk_where){operands[0], 0, 0}, err);
    if (!code) code = check_all(plugins, err);
    mk_plugins_free(plugins);
    return code;
}

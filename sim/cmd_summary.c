#include <stdio.h>

#include "sim/command.h"
#include "sim/options.h"
#include "sim/summary.h"

int mk_cmd_summary(int argc, char **argv, struct mk_error *err)
{
    struct mk_selection selection = {NULL, NULL, 0};
    struct mk_result *r = NULL;
    int csv = 0;
    char **operands;
    size_t n_operands;
    const struct mk_usage usage = {
        "summary", "RESULT.h5",
        "Prints what a result holds: per policy, instance and horizon the pulls of the best arm (mean ± standard "
        "error,\n"
        "share of the horizon), the largest reward, the regret max_k E[M_k(T)] - mean, and the proxy regret PER(T)\n"
        "(for runs with an oracle). --csv prints one row for every arm, all digits, empty where undefined.\n"
        "Results of runs with rare_events end with those estimates: weighted means, relative errors, lock-out shares.",
        1, 1};
    const struct mk_option options[] = {
        {"csv", 0, MK_OPT_FLAG, &csv, NULL, NULL, 1, 0, "print CSV, one row per policy, instance, horizon and arm"},
        {"policy", 0, MK_OPT_TEXT, &selection.policy, "LABEL", NULL, 1, 0, "only this policy"},
        {"instance", 0, MK_OPT_TEXT, &selection.instance, "NAME", NULL, 1, 0, "only this instance"},
        {"horizon", 0, MK_OPT_COUNT, &selection.horizon, "T", NULL, 1, 0, "only this horizon"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL},
    };
    int code = mk_options_parse(&usage, options, argc, argv, &operands, &n_operands, err);
    if (code) return code;
    code = mk_result_open(&r, operands[0], err);
    if (!code) code = (csv ? mk_summary_csv : mk_summary_print)(r, &selection, stdout, err);
    if (!code && !csv) code = mk_summary_rare(r, &selection, stdout, err);
    mk_result_free(r);
    return code;
}

/* maxk report: results on one page. */
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/page/result_page.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/program/command/progress_line.h"

static void warn(const char *line)
{
    fprintf(stderr, "%s\n", line);
}

int mk_cmd_report(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "report", "RESULT.h5|DOCUMENT.json…",
        "Writes results on one HTML page that needs nothing else: what was run, tables (ranks, verdicts, certified bounds, "
        "summary, arms, L and U; of recorded runs what describes them), mostly at the largest horizon, every figure with its caption (inline SVG), every other table that there is of the "
        "result with the command that prints it or the reason why it does not apply, the experiment and the provenance. `maxk "
        "figures` draws the same figures as files. A document of your own (JSON or YAML) stands on the page in its place "
        "among the results: {parts: [{heading: TEXT}, {text: TEXT}, {code: TEXT}, {pictures: [FILE.svg, …]}, {table: "
        "[[HEAD, …], [CELL, …], …], folded: WORDS}]}; `folded` hides pictures or a table until it is opened.",
        1, SIZE_MAX};
    struct mk_texts policies = {0, NULL}, without = {0, NULL};
    struct mk_result_page r = {.report = mk_progress_line(), .warn = warn};
    const char *out = "report.html";
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &out, "FILE.html", NULL, 1, 0, "file to write (default: report.html)"},
        {"title", 0, MK_OPT_TEXT, &r.title, "TEXT", NULL, 1, 0,
         "title of the page (default: that of the only result, or Results of maxk)"},
        {"policy", 0, MK_OPT_TEXTS, &policies, "POLICY", NULL, 1, 0, "figures: only this policy and others named so"},
        {"without", 0, MK_OPT_TEXTS, &without, "POLICY", NULL, 1, 0, "figures: leave out a policy; may be repeated"},
        {"among", 0, MK_OPT_TEXT, &r.chosen.among, "NAME", NULL, 1, 0, "figures: only the policies of this name"},
        {"reload", 0, MK_OPT_COUNT, &r.reload, "SECONDS", NULL, 1, 86400,
         "let readers load the page again every so many seconds: for results that are rewritten (default: 0, no)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n, pictures;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) {
        r.path = (const char *const *)operand;
        r.n = n;
        r.chosen =
            (struct mk_policy_selection){policies.text, without.text, policies.n, without.n, r.chosen.among, "report"};
        code = mk_result_page_write(&r, out, &pictures, err);
        mk_progress_line_clear();
    }
    if (!code) printf("%s: %zu figures\n", out, pictures);
    free(policies.text);
    free(without.text);
    return code;
}

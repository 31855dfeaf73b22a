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
        "Writes results on one HTML page, which needs no other file. The page contains\n\n  settings  what was run, "
        "the experiment file and the provenance\n  tables  ranks, verdicts, certified bounds, summary, arms, and L and "
        "U, mostly at the largest horizon; for recorded runs also a description of the rewards\n  figures  every "
        "figure that the result allows, with its caption; `maxk figures` draws the same figures as files\n  other "
        "tables  every other table of the result with the command that prints it, or the reason why it does not "
        "apply\n\nDocuments of your own (JSON or YAML) can stand among the results. They appear in the order of the "
        "command line and have the form {parts: [{heading: TEXT}, {text: TEXT}, {code: TEXT}, {pictures: [FILE.svg, "
        "…]}, {table: [[HEAD, …], [CELL, …], …], folded: WORDS}]}. Pictures and tables with `folded` are hidden until "
        "the reader opens them; WORDS are what the reader clicks on.",
        1, SIZE_MAX};
    struct mk_texts policies = {0, NULL}, without = {0, NULL};
    struct mk_result_page r = {.report = mk_progress_line(), .warn = warn};
    const char *out = "report.html";
    const struct mk_option options[] = {
        {"output", 'o', MK_OPT_TEXT, &out, "FILE.html", NULL, 1, 0, "file to write (default: report.html)"},
        {"title", 0, MK_OPT_TEXT, &r.title, "TEXT", NULL, 1, 0,
         "title of the page (default: that of the only result, or Results of maxk)"},
        {"policy", 0, MK_OPT_TEXTS, &policies, "POLICY", NULL, 1, 0, "figures: show only this policy; may be repeated"},
        {"without", 0, MK_OPT_TEXTS, &without, "POLICY", NULL, 1, 0, "figures: leave out a policy; may be repeated"},
        {"among", 0, MK_OPT_TEXT, &r.chosen.among, "NAME", NULL, 1, 0,
         "figures: show only policies of this name, such "
         "as max_ucb"},
        {"samples", 0, MK_OPT_COUNT, &r.sampling.samples, "R", NULL, 2, 1e9,
         "next to certified bounds, show bounds with confidence from this many replications of each policy (maxk "
         "certify --samples)"},
        {"confidence", 0, MK_OPT_REAL, &r.sampling.confidence, "LEVEL", NULL, 0.01, 0.999999,
         "of all bounds of --samples together (default: 0.999)"},
        {"reload", 0, MK_OPT_COUNT, &r.reload, "SECONDS", NULL, 1, 86400,
         "make browsers load the page again every so many seconds, for results that are still being written (default: "
         "0, never)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n, pictures;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) code = mk_sampling_complete(&r.sampling, "report", err);
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

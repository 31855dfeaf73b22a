/* maxk bench: rates, each also as a ratio to a plain scalar loop timed in the same run. */
#include <math.h>
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/atomic_file.h"
#include "sim/base/param.h"
#include "sim/base/progress.h"
#include "sim/program/bench/bench.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"
#include "sim/program/command/progress_line.h"

enum { NAMES_ROOM = 256 };

static const struct {
    const char *name, *title;
    int (*run)(struct mk_bench *b, struct mk_error *err);
} sections[] = {
    {"w1", "W1: MaxUCB on five power arms, one core", mk_bench_w1},
    {"w2", "W2: UCB1 on ten normal arms, one core", mk_bench_w2},
    {"sweep", "A sweep on one reward tape, one core", mk_bench_sweep},
    {"sampling", "Drawing rewards, one core", mk_bench_sampling},
    {"policies", "Every policy with its defaults, power arms, T = 2000, one core", mk_bench_policies},
    {"arms", "Many arms: max_ucb, power arms from a prior, one core", mk_bench_arms},
    {"record", "Record engine, one core", mk_bench_record},
    {"alpha", "Alpha sweep on the record engine, all cores", mk_bench_alpha},
    {"threads", "Threads", mk_bench_threads},
    {"lower", "The lower level: a proposal and its result, 10 hyperparameters, 1000 trials, one core", mk_bench_lower},
    {"shards", "Shards, 10 policies, two horizons: one process each, then the merge", mk_bench_shards},
    {"analysis", "Analysis", mk_bench_analysis},
    {"memory", "Memory", mk_bench_memory},
};

enum { SECTIONS = sizeof sections / sizeof *sections };

static const char *section_names(char *out)
{
    size_t n = 0;
    for (size_t i = 0; i < SECTIONS; i++)
        n += (size_t)snprintf(out + n, NAMES_ROOM - n, "%s%s", i ? "|" : "", sections[i].name);
    return out;
}

static int check_names(const struct mk_texts *only, const char *names, struct mk_error *err)
{
    for (size_t i = 0; i < only->n; i++)
        if (mk_choice_find(names, only->text[i]) < 0)
            return mk_option_fail_choice("bench", "--only", names, only->text[i], err);
    return MK_OK;
}

static bool wanted(const struct mk_texts *only, const char *name)
{
    for (size_t i = 0; i < only->n; i++)
        if (strcmp(only->text[i], name) == 0) return true;
    return only->n == 0;
}

static int begin(struct mk_bench *b, const struct mk_table_schema *schema, struct mk_table_style style,
                 struct mk_error *err)
{
    int code = mk_table_new(&b->table, schema, err);
    if (!code) code = mk_table_check_shown(b->table, style, err);
    return code ? code : mk_table_stream(b->table, stdout, style, err);
}

/* Prints what is left, unless measuring has failed with this code. */
static int end(struct mk_bench *b, int code, struct mk_table_style style, struct mk_error *err)
{
    if (!code) code = mk_table_check(b->table, err);
    if (!code) code = mk_table_print(b->table, stdout, style, err);
    mk_table_free(b->table);
    return code;
}

/* One table, in which people see a group for every section. */
static int report(struct mk_bench *b, const struct mk_texts *only, struct mk_table_style style, struct mk_error *err)
{
    struct mk_progress_line line = {"benchmark", 0, ""};
    struct mk_progress progress = {.report = mk_progress_line(), .context = &line};
    int code = begin(b, &mk_bench_schema, style, err);
    if (!code)
        mk_table_set_caption(
            b->table,
            "Medians of %zu; one core: processor time. ratio: to the plain scalar loop, timed alternately with it in "
            "this run.\nelsewhere: measured on another machine, whose plain loop reached 41 M pulls/s on W1 (W2: a "
            "numba loop, 20.8 M);\nfactor: this program relative to that figure, scaled by the plain loops of both "
            "machines.\n",
            b->rounds);
    mk_progress_start(&progress, 0, only->n ? only->n : SECTIONS);
    for (size_t i = 0; i < SECTIONS && !code; i++) {
        if (!wanted(only, sections[i].name)) continue;
        b->section = sections[i].name;
        mk_table_begin_group(b->table, "%s", sections[i].title);
        code = sections[i].run(b, err);
        mk_progress_step(&progress, 1);
    }
    if (progress.report) mk_progress_line_clear();
    return end(b, code, style, err);
}

static int scaling(struct mk_bench *b, const char *folder, struct mk_table_style style, struct mk_error *err)
{
    int code = mk_make_folder(folder, err);
    if (!code) code = begin(b, &mk_scaling_schema, style, err);
    if (!code) code = mk_bench_scaling(b, folder, err);
    return end(b, code, style, err);
}

int mk_cmd_bench(int argc, char **argv, struct mk_error *err)
{
    struct mk_bench b = {.least = NAN, .threads = omp_get_max_threads()};
    struct mk_texts only = {0, NULL};
    const char *folder = "results/figures";
    struct mk_table_style style = {.command = "bench"};
    int scale = 0;
    char names[NAMES_ROOM];
    const struct mk_option options[] = {
        {"quick", 0, MK_OPT_FLAG, &b.quick, NULL, NULL, 0, -1,
         "take a few seconds: fewer and shorter measurements, smaller runs"},
        {"only", 0, MK_OPT_TEXTS, &only, "NAME", section_names(names), 0, -1, "run only this section; may be repeated"},
        {"scaling", 0, MK_OPT_FLAG, &scale, NULL, NULL, 0, -1,
         "measure only nanoseconds per pull of every policy for T = 10^2 … 10^6 and for K = 10 … 10^6 arms, and draw "
         "figures"},
        {"out", 'o', MK_OPT_TEXT, &folder, "DIR", NULL, 0, -1,
         "with --scaling: folder for the figures (default: results/figures)"},
        {"seconds", 0, MK_OPT_REAL, &b.least, "S", NULL, 0.001, 60,
         "smallest duration of one measurement, in seconds (default: 0.25)"},
        MK_TABLE_OPTIONS(style),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, -1, NULL},
    };
    const struct mk_usage usage = {
        "bench", NULL,
        "Measures how fast this program is on this machine: pulls per second (a pull is select, draw and update), "
        "whole runs, analyses, and memory. The column ratio compares a rate on one core with a plain scalar loop, "
        "which is timed alternately with it in the same run. The column factor compares it with a rate that another "
        "program reached on another machine, after the speed of the two machines has been taken into account by their "
        "plain loops.",
        0, 0};
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) code = check_names(&only, names, err);
    if (isnan(b.least)) b.least = b.quick ? 0.02 : scale ? 0.05 : 0.25;
    b.rounds = b.quick || scale ? 3 : MK_BENCH_ROUNDS;
    if (!code) code = scale ? scaling(&b, folder, style, err) : report(&b, &only, style, err);
    free(only.text);
    return code;
}

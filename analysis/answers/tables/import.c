/* What other tools have recorded, as recorded runs. */
#include <math.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/text.h"
#include "sim/search/records/import.h"

struct import_options {
    int from, direction; /* -1: not given */
    uint64_t objective;  /* 0: not given */
    const char *arm, *instance, *repetition, *iteration, *value, *failed, *cost, *arm_name;
};

#define COLUMNS(X)                                                                                                     \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem: a study, a data set")                                  \
    X(ARM, "arm", TEXT, "", "the algorithm that was evaluated")                                                        \
    X(REPETITION, "repetition", TEXT, "", "repetition of the searches")                                                \
    X(ITERATION, "iteration", COUNT, "", "number of the evaluation within its instance, arm and repetition, from 1")   \
    X(LOSS, "loss", REAL, "", "what the tool minimises; `reward` where it maximises")                                  \
    X(COST, "cost", REAL, "seconds", "cost of the evaluation; only where all have one")                                \
    X(STATUS, "status", TEXT, "", "ok, failed, pruned or missing: the loss of the last three is what --failed says")   \
    X(CONFIGURATION, "configuration", TEXT, "", "the other hyperparameters and their values, as JSON")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("imported evaluations", columns, NULL);

static void add_rows(struct mk_table *t, const struct mk_import *m)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct mk_imported *e = &m->evaluation[i];
        mk_table_set_text(t, INSTANCE, m->instances.text[e->instance]);
        mk_table_set_text(t, ARM, m->arms.text[e->arm]);
        mk_table_set_text(t, REPETITION, m->repetitions.text[e->repetition]);
        mk_table_set_count(t, ITERATION, e->iteration);
        mk_table_set_real(t, LOSS, e->value);
        mk_table_set_real(t, COST, e->cost);
        mk_table_set_text(t, STATUS, e->status);
        mk_table_set_text(t, CONFIGURATION, e->configuration);
        mk_table_end_row(t);
    }
}

static void describe(struct mk_table *t, const struct mk_import *m)
{
    char text[4][MK_COUNTED_ROOM];
    mk_table_set_caption(
        t, "%s, %s, %s, %s; %s are better", mk_counted(m->n, "evaluation", NULL, text[0]),
        mk_counted(m->arms.n, "arm", NULL, text[1]), mk_counted(m->instances.n, "instance", NULL, text[2]),
        mk_counted(m->repetitions.n, "repetition", NULL, text[3]), m->maximize ? "larger rewards" : "smaller losses");
}

static int make_import(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct import_options *o = call->options;
    const struct mk_import_options options = {.from = o->from < 0 ? NULL : mk_importer_at((size_t)o->from),
                                              .arm = o->arm,
                                              .instance = o->instance,
                                              .repetition = o->repetition,
                                              .iteration = o->iteration,
                                              .value = o->value,
                                              .maximize = o->direction < 0 ? NULL : &(bool){o->direction == 0},
                                              .cost = o->cost,
                                              .arm_name = o->arm_name,
                                              .objective = (int)o->objective,
                                              .failed = o->failed};
    struct mk_import *m = NULL;
    struct mk_table *t = NULL;
    int code = mk_import_read(&m, call->input, call->n_inputs, &options, err);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) {
        if (m->maximize) mk_table_rename(t, LOSS, "reward");
        if (!m->has_costs) mk_table_drop_column(t, COST);
        add_rows(t, m);
        describe(t, m);
        for (size_t i = 0; i < m->notes.n; i++) mk_table_add_note(t, "%s", m->notes.text[i]);
    }
    mk_import_free(m);
    return mk_table_made(out, t, code, err);
}

static const struct import_options defaults = {.from = -1, .direction = -1};
#define OPTION(field, ...) MK_TABLE_OPTION(struct import_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(from, "from", 0, MK_OPT_CHOICE, "KIND", mk_import_choices + 1, 0, -1,
           "kind of file; wide and table have to be named (default: found out from the beginning of the file)"),
    OPTION(arm, "arm", 0, MK_OPT_TEXT, "COLUMN", NULL, 0, -1,
           "the hyperparameter or column that names the arm; file: each file is an arm; study: each study of an Optuna "
           "file is an arm (default: the only hyperparameter that is a word in every evaluation)"),
    OPTION(instance, "instance", 0, MK_OPT_TEXT, "COLUMN", NULL, 0, -1,
           "the column that names the instance; file: each file is an instance. For an Optuna file: the name of the "
           "only study to read"),
    OPTION(repetition, "repetition", 0, MK_OPT_TEXT, "COLUMN", NULL, 0, -1,
           "the column of the repetition; file: each file is a repetition"),
    OPTION(iteration, "iteration", 0, MK_OPT_TEXT, "COLUMN", NULL, 0, -1,
           "the column by which the evaluations of a series are ordered; numbers, or texts such as times"),
    OPTION(value, "value", 0, MK_OPT_TEXT, "COLUMN", NULL, 0, -1, "the column or metric that holds the values"),
    OPTION(
        direction, "direction", 0, MK_OPT_CHOICE, "WORD", "maximize|minimize", 0, -1,
        "whether larger or smaller values are better (default: what the file says, else the convention of the tool)"),
    OPTION(failed, "failed", 0, MK_OPT_TEXT, "RULE", NULL, 0, -1,
           "what an evaluation counts as if it failed, was pruned or has no finite value: worst (the worst value of "
           "its instance), drop (it is left out), or a number (default: worst)"),
    OPTION(cost, "cost", 0, MK_OPT_TEXT, "COLUMN", NULL, 0, -1, "the column that holds the cost of an evaluation"),
    OPTION(arm_name, "arm-name", 0, MK_OPT_TEXT, "NAME", NULL, 0, -1, "all evaluations are of one arm, with this name"),
    OPTION(objective, "objective", 0, MK_OPT_COUNT, "N", NULL, 1, 100,
           "of an Optuna database with several objectives: the number of the one that counts, from 1; its direction is "
           "carried over"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_import = {
    .usage =
        {"import", "FILE…",
         "Converts the records of another tool into recorded runs. Each evaluation becomes a pull of an arm, and the "
         "arm is named by one of the hyperparameters, such as the algorithm. -o OUT.csv writes the file, which "
         "`problem: {trajectories: OUT.csv}` and every command for CSV files read; notes say what had to be assumed. "
         "These files are understood:\n\n  optuna  studies of Optuna: the SQLite file, in which every study is an "
         "instance, or the CSV file of trials_dataframe()\n  smac  runhistory.json of SMAC3, versions 1 and 2\n  "
         "hpbandster  results.json of HpBandSter, with configs.json next to it\n  irace  experiments of irace, as "
         "experiments/data/irace_to_csv.R writes them from its log file\n  mlflow  the CSV file of "
         "mlflow.search_runs(), or the one that the page of an experiment downloads (--value METRIC)\n  amlb  results.csv of the AutoML benchmark: frameworks on tasks\n  "
         "ray  the folder of an experiment of Ray Tune or of a trial, or its result.json or progress.csv with params.json next to it (--value METRIC --direction WORD); the last report of a trial counts\n  wide  a CSV "
         "file with a row for each data set, repetition or iteration, a column for each arm, and values in the "
         "cells\n  table  a CSV file with a row for each evaluation\n\nIf no hyperparameter names the arm, three "
         "options say what an arm is: --arm file (each file is one), --arm study (each study of Optuna is one) and "
         "--arm-name NAME (all evaluations are of one arm).\n\n  budgets  if evaluations have budgets, only those with "
         "the largest budget count\n  failures  --failed decides what a failed or pruned evaluation counts as, and one "
         "whose value is missing or infinite\n  unfinished  evaluations that have not ended are left out, and a note "
         "says how many\n  several files  are joined. A series that occurs in several of them continues from file to "
         "file\n  separators  CSV files may have commas, semicolons (then decimal commas are read too) or tabs",
         1, 1000},
    .group = "Arms and recorded rewards",
    .summary =
        "read records of Optuna, SMAC3, irace, HpBandSter, MLflow, Ray Tune and the AutoML benchmark, and wide tables",
    MK_TABLE_TAKES(options, defaults),
    MK_TABLE_SHOWS(&schema),
    .is_input = true,
    .make = make_import};

/* maxk export: what is in a result, as CSV or JSON files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/param.h"
#include "sim/program/command/command.h"
#include "sim/program/command/options.h"

/* A table, or without one the experiment. */
static int export_file(struct mk_result *r, const char *directory, enum mk_table_form form,
                       const struct mk_table_type *type, struct mk_error *err)
{
    char word[8];
    struct mk_atomic_file place;
    FILE *to = NULL;
    char *path = NULL;
    const char *ending = type ? mk_choice_word(MK_TABLE_FORMS, (int)form, word, sizeof word) : "yaml";
    if (asprintf(&path, "%s/%s.%s", directory, type ? type->usage.command : "experiment", ending) < 0)
        return mk_fail_memory(err, "a file name");
    int code = mk_atomic_file_open(&place, &to, path, err);
    if (!code) {
        if (type)
            code = mk_table_write(type, r, to, (struct mk_table_style){.form = (int)form}, err);
        else
            fputs(mk_result_info(r)->resolved, to);
        code = mk_atomic_file_close(&place, to, code, err);
    }
    free(path);
    return code;
}

/* The tables that hold the result, or with `more` those that are computed from it; one of these that fails is left out
 * with the reason. */
static int export_tables(struct mk_result *r, const char *directory, enum mk_table_form form, bool more,
                         struct mk_error *err)
{
    const struct mk_table_type *type;
    int code = MK_OK;
    for (size_t i = 0; !code && (type = mk_table_type_at(i)); i++) {
        if (type->exported == more || mk_table_inapplicable(type, r)) continue;
        if (type->required || type->costly) {
            fprintf(stderr, "%s: left out: it %s%s\n", type->usage.command,
                    type->required ? "needs " : "may take minutes", type->required ? type->required : "");
            continue;
        }
        code = export_file(r, directory, form, type, err);
        if (more && code && code != MK_EIO && code != MK_ENOMEM && code != MK_ESTOPPED) {
            fprintf(stderr, "%s: left out: %s\n", type->usage.command, err->text);
            code = MK_OK;
        }
    }
    return code;
}

static int export_files(struct mk_result *r, const char *directory, enum mk_table_form form, bool more,
                        struct mk_error *err)
{
    int code = mk_make_folder(directory, err);
    if (!code) code = export_tables(r, directory, form, false, err);
    if (!code) code = export_file(r, directory, form, NULL, err);
    return code || !more ? code : export_tables(r, directory, form, true, err);
}

int mk_cmd_export(int argc, char **argv, struct mk_error *err)
{
    struct mk_result *r = NULL;
    const char *csv = NULL, *json = NULL;
    int more = 0;
    char **operands;
    size_t n_operands;
    const struct mk_usage usage = {
        "export", "FILE.h5",
        "Writes everything that a result file contains into a folder, as CSV or JSON files:\n\n  summary, cells, "
        "quantile_pulls, quantile_max  statistics of the replications\n  problem, policies, horizons, provenance  what "
        "was run\n  pulls, max_reward, cost, incumbent  every replication, one row for each number; only those that "
        "the result has (keep: pulls)\n  rare  estimates of rare_events; only if the result has them\n  "
        "experiment.yaml  the experiment, for maxk run\n\n`maxk list columns TABLE` says what the columns of a file "
        "mean. Replications and arms count from 0. An undefined value is an empty cell in CSV and null in JSON.",
        1, 1};
    const struct mk_option options[] = {
        {"csv", 0, MK_OPT_TEXT, &csv, "DIR", NULL, 1, 0, "folder for CSV files, created if it does not exist"},
        {"json", 0, MK_OPT_TEXT, &json, "DIR", NULL, 1, 0, "folder for JSON files: lists with an object per row"},
        {"tables", 0, MK_OPT_FLAG, &more, NULL, NULL, 1, 0,
         "also write every other table that applies to the result (maxk list tables), with default options; tables "
         "that need an option or may take minutes are left out"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL},
    };
    int code = mk_options_parse(&usage, options, argc, argv, &operands, &n_operands, err);
    if (code) return code;
    if (!csv && !json)
        return mk_fail(err, MK_EINPUT,
                       "maxk export: --csv or --json: missing; expected a folder (see maxk export --help)");
    code = mk_result_open(&r, operands[0], err);
    if (code) return code;
    if (csv) code = export_files(r, csv, MK_TABLE_CSV, more, err);
    if (!code && json) code = export_files(r, json, MK_TABLE_JSON, more, err);
    mk_result_free(r);
    return code;
}

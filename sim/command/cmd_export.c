#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/base/atomic_file.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/tables/summary_table.h"
#include "sim/run/rare.h"

static const struct mk_selection all = {NULL, NULL, 0};

static void add_place(struct mk_table_printer *t, const struct mk_result_info *i, struct mk_cell_index at)
{
    mk_table_text(t, i->policy[at.policy]);
    mk_table_text(t, i->instance[at.instance]);
    mk_table_count(t, i->horizon[at.horizon]);
}

/* ---- the files: each adds rows to a table whose columns are listed in `files` below ---- */

static int problem_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    const struct mk_truth *f = i->truth;
    (void)err;
    for (size_t n = 0; n < i->n_instances; n++)
        for (size_t h = 0; h < i->n_horizons; h++)
            for (size_t k = 0; k < i->n_arms; k++) {
                size_t cell = mk_truth_at(f, n, h, k);
                if (isnan(f->expected_max[cell])) continue; /* the instance lacks the arm */
                mk_table_text(t, i->instance[n]);
                mk_table_count(t, i->horizon[h]);
                mk_table_count(t, k);
                mk_table_text(t, i->arm_label[k]);
                mk_table_text(t, i->family[k]);
                mk_table_text(t, i->parameters[k]);
                mk_table_real(t, f->support_low[k]);
                mk_table_real(t, f->support_high[k]);
                mk_table_real(t, f->expected_max[cell]);
                mk_table_real(t, f->gap[cell]);
                mk_table_count(t, k == mk_truth_best(f, n, h));
            }
    return MK_OK;
}

static int policy_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t p = 0; p < i->n_policies; p++) {
        mk_table_text(t, i->policy[p]);
        mk_table_text(t, i->policy_name[p]);
        mk_table_text(t, i->policy_parameters[p]);
        mk_table_text(t, i->policy_engine[p]);
    }
    return MK_OK;
}

static int horizon_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t h = 0; h < i->n_horizons; h++) mk_table_count(t, i->horizon[h]);
    return MK_OK;
}

static int cell_row(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                    struct mk_error *err)
{
    struct mk_table_printer *t = context;
    (void)err;
    add_place(t, i, at);
    mk_table_count(t, i->own_replications[at.instance]);
    mk_table_real(t, c->mean_max);
    mk_table_real(t, c->se_max);
    mk_table_real(t, mk_cell_regret(i, at, c));
    mk_table_real(t, c->lock_out_share);
    mk_table_real(t, c->proxy_regret);
    return MK_OK;
}

static int cell_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return mk_result_each_cell(r, &all, cell_row, t, err);
}

static int quantile_pulls_row(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                              const struct mk_cell *c, struct mk_error *err)
{
    struct mk_table_printer *t = context;
    (void)err;
    for (size_t q = 0; q < i->n_quantiles; q++)
        for (size_t k = 0; k < i->n_arms; k++) {
            if (!mk_cell_has_arm(i, c, k)) continue;
            add_place(t, i, at);
            mk_table_real(t, i->quantile[q]);
            mk_table_count(t, k);
            mk_table_real(t, c->quantile_pulls[q * i->n_arms + k]);
        }
    return MK_OK;
}

static int quantile_pulls_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return mk_result_each_cell(r, &all, quantile_pulls_row, t, err);
}

static int quantile_max_row(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                            const struct mk_cell *c, struct mk_error *err)
{
    struct mk_table_printer *t = context;
    (void)err;
    for (size_t q = 0; q < i->n_quantiles; q++) {
        add_place(t, i, at);
        mk_table_real(t, i->quantile[q]);
        mk_table_real(t, c->quantile_max[q]);
    }
    return MK_OK;
}

static int quantile_max_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return mk_result_each_cell(r, &all, quantile_max_row, t, err);
}

/* Context of the visits of single replications. */
struct raw {
    struct mk_result *r;
    struct mk_table_printer *t;
    uint64_t *pulls;
    double *real;
};

static int pulls_row(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                     struct mk_error *err)
{
    struct raw *raw = context;
    int code = mk_result_raw(raw->r, at.policy, at.instance, at.horizon, raw->pulls, NULL, err);
    for (uint64_t n = 0; !code && n < i->own_replications[at.instance]; n++)
        for (size_t k = 0; k < i->n_arms; k++) {
            if (!mk_cell_has_arm(i, c, k)) continue;
            add_place(raw->t, i, at);
            mk_table_count(raw->t, n);
            mk_table_count(raw->t, k);
            mk_table_count(raw->t, raw->pulls[n * i->n_arms + k]);
        }
    return code;
}

static void real_rows(const struct raw *raw, const struct mk_result_info *i, struct mk_cell_index at)
{
    for (uint64_t n = 0; n < i->own_replications[at.instance]; n++) {
        add_place(raw->t, i, at);
        mk_table_count(raw->t, n);
        mk_table_real(raw->t, raw->real[n]);
    }
}

static int max_reward_row(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                          const struct mk_cell *c, struct mk_error *err)
{
    struct raw *raw = context;
    int code = mk_result_raw(raw->r, at.policy, at.instance, at.horizon, NULL, raw->real, err);
    (void)c;
    if (!code) real_rows(raw, i, at);
    return code;
}

static int cost_row(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                    struct mk_error *err)
{
    struct raw *raw = context;
    int code = mk_result_costs(raw->r, at.policy, at.instance, at.horizon, raw->real, err);
    (void)c;
    if (!code) real_rows(raw, i, at);
    return code;
}

static int incumbent_row(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                         const struct mk_cell *c, struct mk_error *err)
{
    struct raw *raw = context;
    int code = mk_result_incumbents(raw->r, at.policy, at.instance, at.horizon, raw->real, err);
    (void)c;
    if (!code) real_rows(raw, i, at);
    return code;
}

static int raw_rows(struct mk_result *r, struct mk_table_printer *t, mk_cell_visit *visit, size_t width,
                    struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct raw raw = {r, t, NULL, NULL};
    raw.pulls = calloc((size_t)i->replications, width * sizeof *raw.pulls);
    raw.real = calloc((size_t)i->replications, sizeof *raw.real);
    int code =
        raw.pulls && raw.real ? mk_result_each_cell(r, &all, visit, &raw, err) : mk_fail_memory(err, "replications");
    free(raw.pulls);
    free(raw.real);
    return code;
}

static int pulls_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return raw_rows(r, t, pulls_row, mk_result_info(r)->n_arms, err);
}

static int max_reward_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return raw_rows(r, t, max_reward_row, 1, err);
}

static int cost_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return raw_rows(r, t, cost_row, 1, err);
}

static int incumbent_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return raw_rows(r, t, incumbent_row, 1, err);
}

/* Estimates of every policy that has them. */
static int rare_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    int code = MK_OK;
    for (size_t p = 0; !code && p < i->n_policies; p++) {
        struct mk_rare *rare = NULL;
        code = mk_result_rare(r, p, &rare, err);
        for (size_t at = 0; !code && rare && at < i->n_horizons * i->n_arms; at++) {
            size_t h = at / i->n_arms;
            double low, high;
            mk_rare_lock_out_interval(rare, h, &low, &high);
            add_place(t, i, (struct mk_cell_index){p, 0, h});
            mk_table_count(t, rare->replications);
            mk_table_count(t, at % i->n_arms);
            const double real[] = {
                rare->mean_pulls[at], rare->se_pulls[at], rare->lock_out_share[h], rare->se_lock_out[h], low, high,
                rare->lock_outs[h],   rare->regret[h],    rare->se_regret[h]};
            for (size_t c = 0; c < sizeof real / sizeof *real; c++) mk_table_real(t, real[c]);
        }
        mk_rare_free(rare);
    }
    return code;
}

static void add_item(void *context, const char *key, const char *value)
{
    if (strcmp(key, "experiment") == 0) return; /* experiment.yaml */
    mk_table_text(context, key);
    mk_table_text(context, value);
}

static int provenance_rows(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err)
{
    return mk_result_provenance(r, add_item, t, err);
}

static bool has_pulls(struct mk_result *r)
{
    return mk_result_info(r)->has_pulls;
}

static bool has_costs(struct mk_result *r)
{
    return mk_result_info(r)->has_costs;
}

static bool has_incumbents(struct mk_result *r)
{
    return mk_result_info(r)->has_incumbents;
}

static bool has_rare(struct mk_result *r)
{
    struct mk_rare *rare = NULL;
    bool found = false;
    for (size_t p = 0; !found && p < mk_result_info(r)->n_policies; p++) {
        if (mk_result_rare(r, p, &rare, NULL)) return true; /* damaged: writing the file will report it */
        found = rare != NULL;
        mk_rare_free(rare);
    }
    return found;
}

static const struct {
    const char *name, *columns;
    int (*rows)(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err);
    bool (*needed)(struct mk_result *r); /* NULL: always */
} files[] = {
    {"problem", "instance,horizon,arm,arm_label,family,parameters,support_low,support_high,expected_max,gap,optimal",
     problem_rows, NULL},
    {"policies", "policy,name,parameters,engine", policy_rows, NULL},
    {"horizons", "horizon", horizon_rows, NULL},
    {"cells", "policy,instance,horizon,replications,mean_max,se_max,regret,lock_out_share,proxy_regret", cell_rows,
     NULL},
    {"quantile_pulls", "policy,instance,horizon,quantile,arm,pulls", quantile_pulls_rows, NULL},
    {"quantile_max", "policy,instance,horizon,quantile,max_reward", quantile_max_rows, NULL},
    {"rare",
     "policy,instance,horizon,replications,arm,mean_pulls,se_pulls,lock_out_share,se_lock_out_share,lock_out_low,"
     "lock_out_high,effective_lock_outs,regret,se_regret",
     rare_rows, has_rare},
    {"provenance", "key,value", provenance_rows, NULL},
    {"pulls", "policy,instance,horizon,replication,arm,pulls", pulls_rows, has_pulls},
    {"max_reward", "policy,instance,horizon,replication,max_reward", max_reward_rows, has_pulls},
    {"cost", "policy,instance,horizon,replication,cost", cost_rows, has_costs},
    {"incumbent", "policy,instance,horizon,replication,incumbent", incumbent_rows, has_incumbents},
};

/* ---- writing them ---- */

static int fill_table(struct mk_result *r, FILE *to, enum mk_table_form form, const char *columns,
                      int (*rows)(struct mk_result *r, struct mk_table_printer *t, struct mk_error *err),
                      struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_table_begin(&t, to, (struct mk_table_style){form, NULL}, columns, err);
    if (!code) code = rows(r, t, err);
    return mk_table_finish(t, code, err);
}

/* files[which], or for the two after them the summary and the experiment. */
static int export_file(struct mk_result *r, const char *directory, enum mk_table_form form, size_t which,
                       struct mk_error *err)
{
    enum { TABLES = sizeof files / sizeof *files };
    const char *name = which < TABLES ? files[which].name : which == TABLES ? "summary" : "experiment";
    const char *suffix = which > TABLES ? "yaml" : form == MK_TABLE_JSON ? "json" : "csv";
    struct mk_atomic_file place;
    FILE *to = NULL;
    char *path = NULL;
    if (asprintf(&path, "%s/%s.%s", directory, name, suffix) < 0) return mk_fail_memory(err, "a file name");
    int code = mk_atomic_file_open(&place, &to, path, err);
    if (code) goto out;
    if (which < TABLES)
        code = fill_table(r, to, form, files[which].columns, files[which].rows, err);
    else if (which == TABLES)
        code = mk_summary_csv(r, &all, NULL, (struct mk_table_style){form, NULL}, to, err);
    else
        fputs(mk_result_info(r)->resolved, to);
    code = mk_atomic_file_close(&place, to, code, err);
out:
    free(path);
    return code;
}

static int export_files(struct mk_result *r, const char *directory, enum mk_table_form form, struct mk_error *err)
{
    const size_t n_files = sizeof files / sizeof *files + 2;
    int code = MK_OK;
    if (mkdir(directory, 0777) && errno != EEXIST)
        code = mk_fail(err, MK_EINPUT, "%s: cannot be created: %s", directory, strerror(errno));
    for (size_t f = 0; !code && f < n_files; f++)
        if (f + 2 >= n_files || !files[f].needed || files[f].needed(r)) code = export_file(r, directory, form, f, err);
    return code;
}

int mk_cmd_export(int argc, char **argv, struct mk_error *err)
{
    struct mk_result *r = NULL;
    const char *csv = NULL, *json = NULL;
    char **operands;
    size_t n_operands;
    const struct mk_usage usage = {
        "export", "FILE.h5",
        "Writes everything in a result file as CSV or JSON files into a folder: summary, cells, quantile_pulls, quantile_max, "
        "problem, policies, horizons and provenance; rare (the estimates of rare_events), pulls and max_reward in long "
        "form where the result has them; and experiment.yaml. Replications and arms count from 0; undefined values are "
        "empty, in JSON null.",
        1, 1};
    const struct mk_option options[] = {
        {"csv", 0, MK_OPT_TEXT, &csv, "DIR", NULL, 1, 0, "folder for CSV files, created if it does not exist"},
        {"json", 0, MK_OPT_TEXT, &json, "DIR", NULL, 1, 0, "folder for JSON files: lists with an object per row"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL},
    };
    int code = mk_options_parse(&usage, options, argc, argv, &operands, &n_operands, err);
    if (code) return code;
    if (!csv && !json)
        return mk_fail(err, MK_EINPUT,
                       "maxk export: --csv or --json: missing; expected a folder (see maxk export --help)");
    code = mk_result_open(&r, operands[0], err);
    if (code) return code;
    if (csv) code = export_files(r, csv, MK_TABLE_CSV, err);
    if (!code && json) code = export_files(r, json, MK_TABLE_JSON, err);
    mk_result_free(r);
    return code;
}

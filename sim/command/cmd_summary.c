/* maxk summary: the contents of a result, and the claims of its experiment. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arms/race.h"
#include "analysis/results/bound_cells.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/command/kept_certificates.h"
#include "sim/command/options.h"
#include "sim/command/tables/summary_table.h"

/* The claims of the experiment, evaluated cell by cell. */
struct claims {
    struct mk_bound_cells cells;
    struct mk_experiment *e;
    char *names;                     /* columns of --csv, two per claim */
    struct mk_cell_index at;         /* the cell that `cell` is about */
    int filled;                      /* `at` is set */
    struct mk_user_claim_cell *cell; /* [claim][arm]; claim NULL: it does not apply there */
    struct mk_table_printer *table;  /* of the text form */
};

static int write_names(struct claims *c, struct mk_error *err)
{
    size_t length = 0;
    FILE *to = open_memstream(&c->names, &length);
    if (!to) return mk_fail_memory(err, "claims");
    for (size_t i = 0; i < c->e->n_claims; i++)
        for (int column = 0; column < 2; column++) {
            fputs(column ? ",verdict: " : ",claim: ", to);
            for (const char *at = c->e->claim[i].name; *at; at++) fputc(*at == ',' ? ';' : *at, to);
        }
    return fclose(to) ? mk_fail_memory(err, "claims") : MK_OK;
}

/* The claims of all policies. */
static int certify(struct mk_bound_cells *cells, struct mk_error *err)
{
    struct mk_kept_certificates_progress progress;
    bool *every = malloc(2 * cells->info->n_policies * sizeof *every);
    if (!every) return mk_fail_memory(err, "claims");
    for (size_t p = 0; p < 2 * cells->info->n_policies; p++) every[p] = p >= cells->info->n_policies;
    int code = mk_bound_cells_certify(cells, MK_BOUND_VARIANTS, every, every + cells->info->n_policies,
                                      mk_kept_certificates_progress(&progress), err);
    mk_progress_line_clear();
    free(every);
    return code;
}

/* Nothing is opened when the experiment has no claims, or they cannot be evaluated: c->e is NULL then. */
static int open_claims(struct claims *c, struct mk_result *r, struct mk_error *err)
{
    struct mk_error why = {0, ""};
    c->cells = (struct mk_bound_cells){
        .result = r, .info = mk_result_info(r), .options = mk_bound_lu_options(), .refinement = MK_TABLE_REFINEMENT};
    if (!strstr(c->cells.info->resolved, "claims:")) return MK_OK;
    if (mk_result_experiment(r, NULL, &c->e, &why) || mk_problem_same_distribution(c->e->problem, "claims are", &why)) {
        fprintf(stderr, "maxk summary: claims are left out: %s\n", why.text);
        mk_experiment_free(c->e);
        c->e = NULL;
        return MK_OK;
    }
    if (c->e->n_claims == 0) {
        mk_experiment_free(c->e);
        c->e = NULL;
        return MK_OK;
    }
    int code = mk_input_run_searches(c->e, err);
    if (code) return code;
    c->cells.e = c->e;
    c->cells.estimator = mk_bound_lu_estimator(c->e->problem);
    code = mk_bound_cells_fill(&c->cells, err);
    if (!code) code = mk_kept_certificates_open(&c->cells.certificates, c->cells.info->path, err);
    if (!code) code = certify(&c->cells, err);
    if (!code) code = write_names(c, err);
    if (code) return code;
    c->cell = calloc(c->e->n_claims * c->e->problem->n_arms, sizeof *c->cell);
    return c->cell ? MK_OK : mk_fail_memory(err, "claims");
}

static void close_claims(struct claims *c)
{
    mk_kept_certificates_close(c->cells.certificates);
    mk_bound_cells_clear(&c->cells);
    free(c->names);
    free(c->cell);
    mk_experiment_free(c->e);
}

/* ---- --csv: two columns per claim ---- */

static void keep_cell(void *context, struct mk_cell_index at, const struct mk_user_claim_cell *cell)
{
    struct claims *c = context;
    const size_t claim = (size_t)(cell->claim - c->e->claim), arms = c->e->problem->n_arms;
    (void)at;
    for (size_t k = 0; k < arms; k++) /* a claim of the regret is about all arms */
        if (k == cell->arm || cell->claim->of == MK_USER_CLAIM_REGRET) c->cell[claim * arms + k] = *cell;
}

static int add_columns(void *context, struct mk_table_printer *t, struct mk_cell_index at, size_t arm,
                       struct mk_error *err)
{
    struct claims *c = context;
    const size_t arms = c->e->problem->n_arms;
    if (!c->filled || memcmp(&at, &c->at, sizeof at) != 0) {
        memset(c->cell, 0, c->e->n_claims * arms * sizeof *c->cell);
        int code = mk_bound_user_claims(&c->cells, at, keep_cell, c, err);
        if (code) return code;
        c->at = at;
        c->filled = 1;
    }
    for (size_t i = 0; i < c->e->n_claims; i++) {
        const struct mk_user_claim_cell *cell = &c->cell[i * arms + arm];
        mk_table_real(t, cell->claim ? cell->bound : NAN);
        mk_table_text(t, cell->claim ? mk_verdict_name(cell->verdict) : "");
    }
    return MK_OK;
}

/* ---- text: a table of its own ---- */

static void print_cell(void *context, struct mk_cell_index at, const struct mk_user_claim_cell *cell)
{
    struct claims *c = context;
    struct mk_table_printer *t = c->table;
    mk_table_text(t, cell->claim->name);
    mk_table_text(t, c->cells.info->policy[at.policy]);
    mk_table_text(t, c->cells.info->instance[at.instance]);
    mk_table_count(t, c->cells.info->horizon[at.horizon]);
    if (cell->claim->of == MK_USER_CLAIM_PULLS)
        mk_table_format(t, "N of arm %zu", cell->arm);
    else
        mk_table_text(t, "R(T)");
    mk_table_real(t, cell->observed);
    mk_table_text(t, cell->claim->at_least ? ">=" : "<=");
    mk_table_real(t, cell->bound);
    mk_table_text(t, mk_verdict_name(cell->verdict));
}

static int visit_cell(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                      const struct mk_cell *cell, struct mk_error *err)
{
    struct claims *c = context;
    (void)i;
    (void)cell;
    return mk_bound_user_claims(&c->cells, at, print_cell, c, err);
}

static int print_claims(struct claims *c, const struct mk_selection *selection, struct mk_error *err)
{
    printf("\nClaims of the experiment\n");
    int code = mk_table_begin(&c->table, stdout, MK_TABLE_PLAIN,
                              "claim,policy,instance,horizon,of,observed,,bound,verdict", err);
    if (!code) code = mk_result_each_cell(c->cells.result, selection, visit_cell, c, err);
    return mk_table_finish(c->table, code, err);
}

static int print_all(struct mk_result *r, const struct mk_selection *selection, struct mk_table_style style,
                     struct mk_error *err)
{
    struct claims c = {.e = NULL};
    int code = mk_selection_check(selection, mk_result_info(r), err);
    if (!code) code = open_claims(&c, r, err);
    const struct mk_summary_columns further = {c.names ? c.names : "", add_columns, &c};
    if (!code && style.form) code = mk_summary_csv(r, selection, c.e ? &further : NULL, style, stdout, err);
    if (!code && !style.form) code = mk_summary_print(r, selection, style, stdout, err);
    if (!code && !style.form && c.e) code = print_claims(&c, selection, err);
    if (!code && !style.form) code = mk_summary_rare(r, selection, stdout, err);
    close_claims(&c);
    return code;
}

int mk_cmd_summary(int argc, char **argv, struct mk_error *err)
{
    struct mk_selection selection = {NULL, NULL, 0};
    struct mk_result *r = NULL;
    struct mk_table_style style = MK_TABLE_PLAIN;
    char **operands;
    size_t n_operands;
    const struct mk_usage usage = {
        "summary", "RESULT.h5",
        "Prints what a result contains: per policy, instance and horizon the pulls of the best arm (mean ± standard "
        "error, share of the horizon), the largest reward, the regret max_k E[M_k(T)] - mean, and the proxy regret "
        "PER(T) (for runs with an oracle). --csv prints one row for every arm, with all digits, empty where "
        "undefined.\n\nClaims of the experiment file (key `claims`) follow as a table, with --csv as two further "
        "columns each: the bound and the verdict. Results of runs with rare_events end with those estimates: weighted "
        "means, relative errors, lock-out shares.",
        1, 1};
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(style),
        {"policy", 0, MK_OPT_TEXT, &selection.policy, "LABEL", NULL, 1, 0, "only this policy"},
        {"instance", 0, MK_OPT_TEXT, &selection.instance, "NAME", NULL, 1, 0, "only this instance"},
        {"horizon", 0, MK_OPT_COUNT, &selection.horizon, "T", NULL, 1, 0, "only this horizon"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 0, 0, NULL},
    };
    int code = mk_options_parse(&usage, options, argc, argv, &operands, &n_operands, err);
    if (code) return code;
    code = mk_result_open(&r, operands[0], err);
    if (!code) code = print_all(r, &selection, style, err);
    mk_result_free(r);
    return code;
}

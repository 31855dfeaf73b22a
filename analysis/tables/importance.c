/* Which hyperparameters of a study matter. */
#include "analysis/results/importance.h"
#include "analysis/tables/table_type.h"

#define COLUMNS(X)                                                                                                     \
    X(ARM, "arm", TEXT, "", "label of the arm")                                                                        \
    X(HYPER, "hyperparameter", TEXT, "", "hyperparameter of the arm")                                                  \
    X(IMPORTANCE, "importance", REAL, "",                                                                              \
      "share of the variance of the metric over the search space that this hyperparameter explains alone")             \
    X(SD, "sd", REAL, "", "standard deviation of this share over the trees of the forest")                             \
    X(TRIALS, "trials", COUNT, "", "whole evaluations of the arm that succeeded")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{ARM, "", NULL},  {HYPER, "", NULL},  {IMPORTANCE, "", "%.3f"},
                                            {SD, "", "%.3f"}, {TRIALS, "", NULL}, MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("importance of hyperparameters", columns, view);

static int add_arm(struct mk_table *t, const struct mk_study_files *s, size_t k, struct mk_error *err)
{
    struct mk_importance m;
    int code = mk_importance_of(&m, s, k, err);
    for (size_t j = 0; j < m.n && !code; j++) {
        mk_table_set_text(t, ARM, s->arm[k]);
        mk_table_set_text(t, HYPER, s->space[k]->hyper[m.hyper[j]].name);
        mk_table_set_real(t, IMPORTANCE, m.share[j]);
        mk_table_set_real(t, SD, m.deviation[j]);
        mk_table_set_count(t, TRIALS, m.trials);
        mk_table_end_row(t);
    }
    if (!code && s->space[k] && s->space[k]->n && m.trials < MK_IMPORTANCE_TRIALS)
        mk_table_add_note(t, "%s: %zu of its whole evaluations succeeded; expected at least %d", s->arm[k], m.trials,
                          MK_IMPORTANCE_TRIALS);
    mk_importance_clear(&m);
    return code;
}

static int make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    struct mk_study_files s;
    struct mk_table *t = NULL;
    int code = mk_study_files_read(&s, call->input[0], err);
    if (code) return code;
    code = mk_table_new(&t, &schema, err);
    for (size_t k = 0; k < s.n_arms && !code; k++) code = add_arm(t, &s, k, err);
    if (!code && s.lacks_fidelity) mk_table_add_note(t, "%s", mk_study_lacks_fidelity);
    if (!code)
        mk_table_add_note(
            t, "%s",
            "Functional analysis of variance (Hutter et al. 2014) of a forest of 64 trees per arm, on the "
            "whole evaluations that succeeded; what is missing to 1 within an arm is due to interactions.");
    mk_study_files_clear(&s);
    return mk_table_made(out, t, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    return mk_study_files_there(mk_result_info(r)->path) ? NULL
                                                         : "it is not a study of maxk tune with its OUT.tune.yaml";
}

const struct mk_table_type mk_table_importance = {
    .usage =
        {"importance", "OUT.h5",
         "Which hyperparameters of a study (maxk tune) matter: a forest is fitted to the trials of every arm, and the "
         "variance of its predictions over the search space is divided among the hyperparameters (functional "
         "analysis of variance; Hutter, Hoos & Leyton-Brown 2014).",
         1, 1},
    .group = "Results",
    .summary = "importance of the hyperparameters of a study",
    MK_TABLE_SHOWS(&schema),
    .inapplicable = inapplicable,
    .make = make};

/* Which hyperparameters of a study matter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/importance.h"
#include "sim/base/error.h"

#define COLUMNS(X)                                                                                                     \
    X(ARM, "arm", TEXT, "", "label of the arm")                                                                        \
    X(HYPER, "hyperparameter", TEXT, "", "hyperparameter of the arm; of pairs both, with a colon between them")        \
    X(IMPORTANCE, "importance", REAL, "",                                                                              \
      "share of the variance of the metric over the search space that this hyperparameter explains alone, or that "    \
      "the interaction of a pair explains beyond both alone")                                                          \
    X(SD, "sd", REAL, "", "standard deviation of this share over the trees of the forest")                             \
    X(TRIALS, "trials", COUNT, "", "whole evaluations of the arm that succeeded")                                      \
    X(KIND, "kind", TEXT, "", "alone, pair, or rest: interactions of three and more, what all shares lack of 1")       \
    X(FIRST, "first", TEXT, "", "of a pair: the one that comes first in the space")                                    \
    X(SECOND, "second", TEXT, "", "of a pair: the other one")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{ARM, "", NULL},  {HYPER, "", NULL},  {IMPORTANCE, "", "%.3f"},
                                            {SD, "", "%.3f"}, {TRIALS, "", NULL}, {KIND, "", NULL},
                                            MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("importance of hyperparameters", columns, view);

enum { MOST_PAIRS = 10 };

static void add_importance_row(struct mk_table *t, const char *arm, const char *name, const char *kind, double share,
                               double deviation, size_t trials)
{
    mk_table_set_text(t, ARM, arm);
    mk_table_set_text(t, HYPER, name);
    mk_table_set_real(t, IMPORTANCE, share);
    mk_table_set_real(t, SD, deviation);
    mk_table_set_count(t, TRIALS, trials);
    mk_table_set_text(t, KIND, kind);
}

static void end_row(struct mk_table *t, const char *first, const char *second)
{
    mk_table_set_text(t, FIRST, first);
    mk_table_set_text(t, SECOND, second);
    mk_table_end_row(t);
}

/* The pairs of the largest shares, and the rest. */
static int add_pairs(struct mk_table *t, const struct mk_importance *m, const struct mk_space *space, const char *arm,
                     struct mk_error *err)
{
    double hidden = 0;
    for (size_t i = 0; i < m->n_pairs; i++) {
        const struct mk_importance_pair *p = &m->pair[i];
        const char *first = space->hyper[p->first].name, *second = space->hyper[p->second].name;
        char *name = NULL;
        if (i >= MOST_PAIRS) {
            hidden += p->share;
            continue;
        }
        if (asprintf(&name, "%s:%s", first, second) < 0) return mk_fail_memory(err, "a table");
        add_importance_row(t, arm, name, "pair", p->share, p->deviation, m->trials);
        end_row(t, first, second);
        free(name);
    }
    if (m->n_pairs) {
        add_importance_row(t, arm, "", "rest", m->rest, NAN, m->trials);
        end_row(t, "", "");
    }
    if (m->n_pairs > MOST_PAIRS)
        mk_table_add_note(t, "%s: %zu further pairs have %.3f together", arm, m->n_pairs - MOST_PAIRS, hidden);
    if (m->n > 1 && !m->n_pairs)
        mk_table_add_note(t, "%s: interactions are computed for up to %d trials", arm, MK_IMPORTANCE_PAIR_TRIALS);
    return MK_OK;
}

static int add_arm(struct mk_table *t, const struct mk_study_files *s, size_t k, struct mk_error *err)
{
    struct mk_importance m;
    int code = mk_importance_of(&m, s, k, err);
    for (size_t j = 0; j < m.n && !code; j++) {
        const char *name = s->space[k]->hyper[m.hyper[j]].name;
        add_importance_row(t, s->arm[k], name, "alone", m.share[j], m.deviation[j], m.trials);
        end_row(t, "", "");
    }
    if (!code) code = add_pairs(t, &m, s->space[k], s->arm[k], err);
    if (!code && s->space[k] && s->space[k]->n && m.trials < MK_IMPORTANCE_TRIALS)
        mk_table_add_note(t, "%s: %zu of its whole evaluations succeeded; expected at least %d", s->arm[k], m.trials,
                          MK_IMPORTANCE_TRIALS);
    mk_importance_clear(&m);
    return code;
}

static int make_importance(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
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
            "whole evaluations that succeeded; rest: what is due to interactions of three and more.");
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
         "Prints which hyperparameters of a study (maxk tune) matter: the share of the variance of the metric over the "
         "search space that each hyperparameter explains.\n\n  importance  share of the variance that the "
         "hyperparameter explains alone; of a pair the share that their interaction explains beyond both alone\n  sd  "
         "standard deviation of this share over the trees of the forest\n  trials  whole evaluations of the arm that "
         "succeeded\n  kind  alone, pair, or rest: interactions of three and more, which is what all shares lack of "
         "1\n\nA forest is fitted to the trials of every arm, and the variance of its predictions over the search "
         "space is divided among the hyperparameters and their interactions (functional analysis of variance; Hutter, "
         "Hoos & Leyton-Brown 2014). Categories have no order, and a split divides them into two sets. The ten pairs "
         "with the largest shares are listed.",
         1, 1},
    .group = "Results",
    .summary = "importance of the hyperparameters of a study",
    MK_TABLE_SHOWS(&schema),
    .inapplicable = inapplicable,
    .make = make_importance};

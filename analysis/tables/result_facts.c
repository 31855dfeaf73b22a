/* What a result is about: arms, policies, horizons, provenance. */
#include <math.h>
#include <string.h>

#include "analysis/tables/result_tables.h"

/* ---- arms ---- */

#define PROBLEM(X)                                                                                                     \
    X(P_INSTANCE, "instance", TEXT, "", "instance of the problem")                                                     \
    X(P_HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                               \
    X(P_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                            \
    X(P_LABEL, "arm_label", TEXT, "", "label of the arm")                                                              \
    X(P_FAMILY, "family", TEXT, "", "family of its rewards; empty for recorded ones")                                  \
    X(P_PARAMETERS, "parameters", TEXT, "", "parameters of the family, YAML")                                          \
    X(P_LOW, "support_low", REAL, "rewards", "lower end point of its rewards")                                         \
    X(P_HIGH, "support_high", REAL, "rewards", "upper end point of its rewards")                                       \
    X(P_MAX, "expected_max", REAL, "rewards", "E[M(T)], the expected largest of T rewards")                            \
    X(P_GAP, "gap", REAL, "rewards", "suboptimality gap E[M*(T)] - E[M(T)]")                                           \
    X(P_OPTIMAL, "optimal", FLAG, "", "whether the arm is the best one at this horizon")

enum { PROBLEM(MK_COLUMN_ENUMERATOR) };
static const struct mk_column problem_columns[] = {PROBLEM(MK_COLUMN_DESCRIPTOR)};

static void add_arm(struct mk_table *t, const struct mk_result_info *i, size_t instance, size_t h, size_t k)
{
    const struct mk_truth *f = i->truth;
    const size_t cell = mk_truth_at(f, instance, h, k);
    if (isnan(f->expected_max[cell])) return; /* the instance lacks the arm */
    mk_table_set_text(t, P_INSTANCE, i->instance[instance]);
    mk_table_set_count(t, P_HORIZON, i->horizon[h]);
    mk_table_set_count(t, P_ARM, k);
    mk_table_set_text(t, P_LABEL, i->arm_label[k]);
    mk_table_set_text(t, P_FAMILY, i->family[k]);
    mk_table_set_text(t, P_PARAMETERS, i->parameters[k]);
    mk_table_set_real(t, P_LOW, f->support_low[k]);
    mk_table_set_real(t, P_HIGH, f->support_high[k]);
    mk_table_set_real(t, P_MAX, f->expected_max[cell]);
    mk_table_set_real(t, P_GAP, f->gap[cell]);
    mk_table_set_flag(t, P_OPTIMAL, k == mk_truth_best(f, instance, h));
    mk_table_end_row(t);
}

static int problem_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t n = 0; n < i->n_instances; n++)
        for (size_t h = 0; h < i->n_horizons; h++)
            for (size_t k = 0; k < i->n_arms; k++) add_arm(t, i, n, h, k);
    return MK_OK;
}

MK_RESULT_TABLE(problem, "arms of a result, with what is known of them",
                "Family, parameters, end points, expected maximum and gap of every arm, per instance and horizon.",
                mk_table_always);

/* ---- policies ---- */

#define POLICIES(X)                                                                                                    \
    X(R_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(R_NAME, "name", TEXT, "", "its name, as in `maxk list policies`")                                                \
    X(R_PARAMETERS, "parameters", TEXT, "", "its parameters, YAML")                                                    \
    X(R_ENGINE, "engine", TEXT, "", "the engine that simulated it: per-pull or record")

enum { POLICIES(MK_COLUMN_ENUMERATOR) };
static const struct mk_column policies_columns[] = {POLICIES(MK_COLUMN_DESCRIPTOR)};

static int policies_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t p = 0; p < i->n_policies; p++) {
        mk_table_set_text(t, R_POLICY, i->policy[p]);
        mk_table_set_text(t, R_NAME, i->policy_name[p]);
        mk_table_set_text(t, R_PARAMETERS, i->policy_parameters[p]);
        mk_table_set_text(t, R_ENGINE, i->policy_engine[p]);
        mk_table_end_row(t);
    }
    return MK_OK;
}

static const struct mk_table_view policies_view[] = {
    {R_POLICY, "", NULL}, {R_NAME, "", NULL}, {R_ENGINE, "", NULL}, {R_PARAMETERS, "", NULL}, MK_TABLE_VIEW_END};

MK_RESULT_TABLE_SEEN(policies, "policies of a result", "Name, parameters and engine of every policy.", mk_table_always,
                     policies_view);

/* ---- horizons ---- */

static const struct mk_column horizons_columns[] = {{"horizon", MK_COLUMN_COUNT, "pulls", "horizon T, ascending"}};

static int horizons_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    (void)err;
    for (size_t h = 0; h < i->n_horizons; h++) {
        mk_table_set_count(t, 0, i->horizon[h]);
        mk_table_end_row(t);
    }
    return MK_OK;
}

MK_RESULT_TABLE(horizons, "horizons of a result", "The horizons, ascending.", mk_table_always);

/* ---- provenance ---- */

#define PROVENANCE(X)                                                                                                  \
    X(KEY, "key", TEXT, "", "what is stated; volatile/… may differ between equal runs")                                \
    X(VALUE, "value", TEXT, "", "as it was when the run was made")

enum { PROVENANCE(MK_COLUMN_ENUMERATOR) };
static const struct mk_column provenance_columns[] = {PROVENANCE(MK_COLUMN_DESCRIPTOR)};

static void add_item(void *context, const char *key, const char *value)
{
    if (strcmp(key, "experiment") == 0) return; /* a file of its own */
    mk_table_set_text(context, KEY, key);
    mk_table_set_text(context, VALUE, value);
    mk_table_end_row(context);
}

static int provenance_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return mk_result_provenance(r, add_item, t, err);
}

MK_RESULT_TABLE(provenance, "where a result comes from",
                "Program, revision, libraries, machine, command and digests of the inputs of a run.", mk_table_always);

/* Every replication of a result, in long form. */
#include <stdlib.h>

#include "sim/base/error.h"

#include "analysis/tables/result_tables.h"

static const struct mk_selection all = {NULL, NULL, 0};

#define PULLS(X)                                                                                                       \
    MK_PLACE_COLUMNS(X)                                                                                                \
    X(REPLICATION, "replication", COUNT, "", "number of the replication, from 0")                                      \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(VALUE, "pulls", COUNT, "pulls", "pulls of the arm up to the horizon")

enum { PULLS(MK_COLUMN_ENUMERATOR) };
static const struct mk_column pulls_columns[] = {PULLS(MK_COLUMN_DESCRIPTOR)};

/* One number per replication, after the place. */
#define OF_REPLICATION(X)                                                                                              \
    MK_PLACE_COLUMNS(X) X(REPLICATION, "replication", COUNT, "", "number of the replication, from 0")
enum { REAL = REPLICATION + 1 };
static const struct mk_column max_reward_columns[] = {
    OF_REPLICATION(MK_COLUMN_DESCRIPTOR){"max_reward", MK_COLUMN_REAL, "rewards", "largest reward up to the horizon"}};
static const struct mk_column cost_columns[] = {
    OF_REPLICATION(MK_COLUMN_DESCRIPTOR){"cost", MK_COLUMN_REAL, "costs", "what the pulls up to the horizon cost"}};
static const struct mk_column incumbent_columns[] = {OF_REPLICATION(MK_COLUMN_DESCRIPTOR){
    "incumbent", MK_COLUMN_REAL, "rewards", "value without noise of the configuration with the largest reward"}};

/* Context of the visits of cells. */
struct raw {
    struct mk_result *r;
    struct mk_table *t;
    uint64_t *pulls;
    double *real;
};

static int add_pulls(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                     struct mk_error *err)
{
    const struct raw *raw = context;
    int code = mk_result_raw(raw->r, at.policy, at.instance, at.horizon, raw->pulls, NULL, err);
    for (uint64_t n = 0; !code && n < i->own_replications[at.instance]; n++)
        for (size_t k = 0; k < i->n_arms; k++) {
            if (!mk_cell_has_arm(i, c, k)) continue;
            mk_table_set_place(raw->t, i, at);
            mk_table_set_count(raw->t, REPLICATION, n);
            mk_table_set_count(raw->t, ARM, k);
            mk_table_set_count(raw->t, VALUE, raw->pulls[n * i->n_arms + k]);
            mk_table_end_row(raw->t);
        }
    return code;
}

static void add_reals(const struct raw *raw, const struct mk_result_info *i, struct mk_cell_index at)
{
    for (uint64_t n = 0; n < i->own_replications[at.instance]; n++) {
        mk_table_set_place(raw->t, i, at);
        mk_table_set_count(raw->t, REPLICATION, n);
        mk_table_set_real(raw->t, REAL, raw->real[n]);
        mk_table_end_row(raw->t);
    }
}

static int add_max(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                   struct mk_error *err)
{
    const struct raw *raw = context;
    int code = mk_result_raw(raw->r, at.policy, at.instance, at.horizon, NULL, raw->real, err);
    (void)c;
    if (!code) add_reals(raw, i, at);
    return code;
}

static int add_cost(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                    struct mk_error *err)
{
    const struct raw *raw = context;
    int code = mk_result_costs(raw->r, at.policy, at.instance, at.horizon, raw->real, err);
    (void)c;
    if (!code) add_reals(raw, i, at);
    return code;
}

static int add_incumbent(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                         const struct mk_cell *c, struct mk_error *err)
{
    const struct raw *raw = context;
    int code = mk_result_incumbents(raw->r, at.policy, at.instance, at.horizon, raw->real, err);
    (void)c;
    if (!code) add_reals(raw, i, at);
    return code;
}

static int raw_rows(struct mk_table *t, struct mk_result *r, mk_cell_visit *visit, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    struct raw raw = {r, t, NULL, NULL};
    raw.pulls = calloc((size_t)i->replications, (i->n_arms + 1) * sizeof *raw.pulls);
    raw.real = calloc((size_t)i->replications, sizeof *raw.real);
    int code =
        raw.pulls && raw.real ? mk_result_each_cell(r, &all, visit, &raw, err) : mk_fail_memory(err, "replications");
    free(raw.pulls);
    free(raw.real);
    return code;
}

static int pulls_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(t, r, add_pulls, err);
}

static int max_reward_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(t, r, add_max, err);
}

static int cost_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(t, r, add_cost, err);
}

static int incumbent_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(t, r, add_incumbent, err);
}

static const char *no_replications(struct mk_result *r)
{
    return mk_result_info(r)->has_pulls ? NULL : "it has no single replications (keep: summary)";
}

static const char *no_costs(struct mk_result *r)
{
    return mk_result_info(r)->has_costs ? NULL : "all pulls cost the same, or it has no single replications";
}

static const char *no_incumbents(struct mk_result *r)
{
    return mk_result_info(r)->has_incumbents ? NULL : "it has no values without noise";
}

MK_RESULT_TABLE(pulls, "pulls of every replication", "Pulls of every arm in every replication (keep: pulls).",
                no_replications);
MK_RESULT_TABLE(max_reward, "largest reward of every replication", "Largest reward of every replication (keep: pulls).",
                no_replications);
MK_RESULT_TABLE(cost, "cost of every replication", "What the pulls of every replication cost.", no_costs);
MK_RESULT_TABLE(incumbent, "value without noise of every replication",
                "Of noisy searches the value without noise of the configuration with the largest reward.",
                no_incumbents);

/* Every replication of a result, in long form. */
#include <stdlib.h>

#include "sim/base/error.h"

#include "analysis/answers/tables/result_tables.h"

static const struct mk_selection all = {NULL, NULL, 0};

/* A table in the making, with room for the replications of a cell. */
struct raw {
    struct mk_result *r;
    struct mk_table *t;
    int (*read)(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *to, struct mk_error *err);
    uint64_t *pulls; /* [replication][arm] */
    double *number;  /* [replication] */
};

static int raw_rows(struct raw *raw, mk_cell_visit *visit, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(raw->r);
    raw->pulls = calloc((size_t)i->replications, (i->n_arms + 1) * sizeof *raw->pulls);
    raw->number = calloc((size_t)i->replications, sizeof *raw->number);
    int code = raw->pulls && raw->number ? mk_result_each_cell(raw->r, &all, visit, raw, err)
                                         : mk_fail_memory(err, "replications");
    free(raw->pulls);
    free(raw->number);
    return code;
}

static const char *no_replications(struct mk_result *r)
{
    return mk_result_info(r)->has_pulls ? NULL : "it has no single replications (keep: summary)";
}

/* ---- pulls ---- */

#define PULLS(X)                                                                                                       \
    X(REPLICATION, "replication", COUNT, "", "number of the replication, from 0")                                      \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(VALUE, "pulls", COUNT, "pulls", "pulls of the arm up to the horizon")
MK_PLACED_COLUMNS(pulls_columns, PULLS);

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

static int pulls_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(&(struct raw){.r = r, .t = t}, add_pulls, err);
}

MK_RESULT_TABLE(pulls, "pulls of every replication", "Pulls of every arm in every replication (keep: pulls).",
                no_replications);

/* ---- one number per replication ---- */

enum { NUMBER = REPLICATION + 1 };
#define NUMBER_COLUMNS(name, unit, about)                                                                              \
    {                                                                                                                  \
        MK_PLACE_COLUMNS(MK_COLUMN_DESCRIPTOR){"replication", MK_COLUMN_COUNT, "",                                     \
                                               "number of the replication, from 0"},                                   \
            {name, MK_COLUMN_REAL, unit, about},                                                                       \
    }
static const struct mk_column max_reward_columns[] =
    NUMBER_COLUMNS("max_reward", "rewards", "largest reward up to the horizon");
static const struct mk_column cost_columns[] = NUMBER_COLUMNS("cost", "costs", "what the pulls up to the horizon cost");
static const struct mk_column incumbent_columns[] = NUMBER_COLUMNS(
    "incumbent", "rewards", "value without noise, or test score, of the configuration with the largest reward");

static int add_numbers(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                       struct mk_error *err)
{
    const struct raw *raw = context;
    int code = raw->read(raw->r, at.policy, at.instance, at.horizon, raw->number, err);
    (void)c;
    for (uint64_t n = 0; !code && n < i->own_replications[at.instance]; n++) {
        mk_table_set_place(raw->t, i, at);
        mk_table_set_count(raw->t, REPLICATION, n);
        mk_table_set_real(raw->t, NUMBER, raw->number[n]);
        mk_table_end_row(raw->t);
    }
    return code;
}

static int read_max(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *to,
                    struct mk_error *err)
{
    return mk_result_raw(r, policy, instance, horizon, NULL, to, err);
}

static int max_reward_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(&(struct raw){.r = r, .t = t, .read = read_max}, add_numbers, err);
}

static int cost_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(&(struct raw){.r = r, .t = t, .read = mk_result_costs}, add_numbers, err);
}

static int incumbent_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return raw_rows(&(struct raw){.r = r, .t = t, .read = mk_result_incumbents}, add_numbers, err);
}

static const char *no_costs(struct mk_result *r)
{
    return mk_result_info(r)->has_costs ? NULL : "all pulls cost the same, or it has no single replications";
}

static const char *no_incumbents(struct mk_result *r)
{
    return mk_result_info(r)->has_incumbents ? NULL : "it has no values without noise and no test scores";
}

MK_RESULT_TABLE(max_reward, "largest reward of every replication", "Largest reward of every replication (keep: pulls).",
                no_replications);
MK_RESULT_TABLE(cost, "cost of every replication", "What the pulls of every replication cost.", no_costs);
MK_RESULT_TABLE(
    incumbent, "value without noise, or test score, of every replication",
    "Of the configuration with the largest reward the value without noise (noisy searches) or the test score "
    "(column test_reward of recorded runs).",
    no_incumbents);

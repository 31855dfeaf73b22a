/* The statistics of a result: cells, their quantiles, estimates of rare events. */
#include "analysis/answers/tables/result_tables.h"
#include "sim/run/engine/rare.h"

static const struct mk_selection all = {NULL, NULL, 0};

/* ---- cells ---- */

#define CELLS(X)                                                                                                       \
    X(C_REPLICATIONS, "replications", COUNT, "", "replications of the instance")                                       \
    X(C_MAX, "mean_max", REAL, "rewards", "mean of the largest reward")                                                \
    X(C_SE, "se_max", REAL, "rewards", "its standard error over the replications")                                     \
    X(C_REGRET, "regret", REAL, "rewards", "E[M*(T)] minus the mean of the largest reward")                            \
    X(C_LOCK_OUT, "lock_out_share", REAL, "", "share of replications with fewer than T / 2 pulls of the best arm")     \
    X(C_PROXY, "proxy_regret", REAL, "", "proxy empirical regret of Baudry et al. 2022, with an oracle in the run")
MK_PLACED_COLUMNS(cells_columns, CELLS);

static int add_cell(void *context, const struct mk_result_info *i, struct mk_cell_index at, const struct mk_cell *c,
                    struct mk_error *err)
{
    struct mk_table *t = context;
    (void)err;
    mk_table_set_place(t, i, at);
    mk_table_set_count(t, C_REPLICATIONS, i->own_replications[at.instance]);
    mk_table_set_real(t, C_MAX, c->mean_max);
    mk_table_set_real(t, C_SE, c->se_max);
    mk_table_set_real(t, C_REGRET, mk_cell_regret(i, at, c));
    mk_table_set_real(t, C_LOCK_OUT, c->lock_out_share);
    mk_table_set_real(t, C_PROXY, c->proxy_regret);
    mk_table_end_row(t);
    return MK_OK;
}

static int cells_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return mk_result_each_cell(r, &all, add_cell, t, err);
}

MK_RESULT_TABLE(cells, "largest rewards and regret of every cell of a result",
                "Largest reward, regret and lock-outs per policy, instance and horizon.", mk_table_always);

/* ---- quantiles ---- */

#define QUANTILE_PULLS(X)                                                                                              \
    X(Q_LEVEL, "quantile", REAL, "", "level of the quantile over the replications")                                    \
    X(Q_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                            \
    X(Q_PULLS, "pulls", REAL, "pulls", "quantile of the pulls of the arm")
MK_PLACED_COLUMNS(quantile_pulls_columns, QUANTILE_PULLS);

static int add_quantile_pulls(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                              const struct mk_cell *c, struct mk_error *err)
{
    struct mk_table *t = context;
    (void)err;
    for (size_t q = 0; q < i->n_quantiles; q++)
        for (size_t k = 0; k < i->n_arms; k++) {
            if (!mk_cell_has_arm(i, c, k)) continue;
            mk_table_set_place(t, i, at);
            mk_table_set_real(t, Q_LEVEL, i->quantile[q]);
            mk_table_set_count(t, Q_ARM, k);
            mk_table_set_real(t, Q_PULLS, c->quantile_pulls[q * i->n_arms + k]);
            mk_table_end_row(t);
        }
    return MK_OK;
}

static int quantile_pulls_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return mk_result_each_cell(r, &all, add_quantile_pulls, t, err);
}

MK_RESULT_TABLE(quantile_pulls, "quantiles of the pulls of every arm",
                "Quantiles over the replications of the pulls of every arm, per policy, instance and horizon.",
                mk_table_always);

#define QUANTILE_MAX(X)                                                                                                \
    X(M_LEVEL, "quantile", REAL, "", "level of the quantile over the replications")                                    \
    X(M_MAX, "max_reward", REAL, "rewards", "quantile of the largest reward")
MK_PLACED_COLUMNS(quantile_max_columns, QUANTILE_MAX);

static int add_quantile_max(void *context, const struct mk_result_info *i, struct mk_cell_index at,
                            const struct mk_cell *c, struct mk_error *err)
{
    struct mk_table *t = context;
    (void)err;
    for (size_t q = 0; q < i->n_quantiles; q++) {
        mk_table_set_place(t, i, at);
        mk_table_set_real(t, M_LEVEL, i->quantile[q]);
        mk_table_set_real(t, M_MAX, c->quantile_max[q]);
        mk_table_end_row(t);
    }
    return MK_OK;
}

static int quantile_max_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    return mk_result_each_cell(r, &all, add_quantile_max, t, err);
}

MK_RESULT_TABLE(quantile_max, "quantiles of the largest reward",
                "Quantiles over the replications of the largest reward, per policy, instance and horizon.",
                mk_table_always);

/* ---- rare events ---- */

#define RARE(X)                                                                                                        \
    X(E_REPLICATIONS, "replications", COUNT, "", "replications of the estimate (key rare_events)")                     \
    X(E_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                            \
    X(E_PULLS, "mean_pulls", REAL, "pulls", "estimated mean of the pulls of the arm")                                  \
    X(E_SE_PULLS, "se_pulls", REAL, "pulls", "its standard error")                                                     \
    X(E_LOCK_OUT, "lock_out_share", REAL, "", "estimated probability of a lock-out")                                   \
    X(E_SE_LOCK_OUT, "se_lock_out_share", REAL, "", "its standard error")                                              \
    X(E_LOW, "lock_out_low", REAL, "", "lower end of the 95 % interval of that probability")                           \
    X(E_HIGH, "lock_out_high", REAL, "", "upper end of the interval")                                                  \
    X(E_LOCK_OUTS, "effective_lock_outs", REAL, "", "effective number of lock-outs that the estimate rests on")        \
    X(E_REGRET, "regret", REAL, "rewards", "estimated regret")                                                         \
    X(E_SE_REGRET, "se_regret", REAL, "rewards", "its standard error")
MK_PLACED_COLUMNS(rare_columns, RARE);

static void add_rare(struct mk_table *t, const struct mk_result_info *i, const struct mk_rare *rare, size_t policy,
                     size_t h, size_t k)
{
    const size_t at = h * i->n_arms + k;
    double low, high;
    mk_rare_lock_out_interval(rare, h, &low, &high);
    mk_table_set_place(t, i, (struct mk_cell_index){policy, 0, h});
    mk_table_set_count(t, E_REPLICATIONS, rare->replications);
    mk_table_set_count(t, E_ARM, k);
    mk_table_set_real(t, E_PULLS, rare->mean_pulls[at]);
    mk_table_set_real(t, E_SE_PULLS, rare->se_pulls[at]);
    mk_table_set_real(t, E_LOCK_OUT, rare->lock_out_share[h]);
    mk_table_set_real(t, E_SE_LOCK_OUT, rare->se_lock_out[h]);
    mk_table_set_real(t, E_LOW, low);
    mk_table_set_real(t, E_HIGH, high);
    mk_table_set_real(t, E_LOCK_OUTS, rare->lock_outs[h]);
    mk_table_set_real(t, E_REGRET, rare->regret[h]);
    mk_table_set_real(t, E_SE_REGRET, rare->se_regret[h]);
    mk_table_end_row(t);
}

static int rare_rows(struct mk_table *t, struct mk_result *r, struct mk_error *err)
{
    const struct mk_result_info *i = mk_result_info(r);
    int code = MK_OK;
    for (size_t p = 0; !code && p < i->n_policies; p++) {
        struct mk_rare *rare = NULL;
        code = mk_result_rare(r, p, &rare, err);
        for (size_t h = 0; !code && rare && h < i->n_horizons; h++)
            for (size_t k = 0; k < i->n_arms; k++) add_rare(t, i, rare, p, h, k);
        mk_rare_free(rare);
    }
    return code;
}

static const char *no_rare(struct mk_result *r)
{
    struct mk_rare *rare = NULL;
    bool found = false;
    for (size_t p = 0; !found && p < mk_result_info(r)->n_policies; p++) {
        if (mk_result_rare(r, p, &rare, NULL)) return NULL; /* damaged: making the table will report it */
        found = rare != NULL;
        mk_rare_free(rare);
    }
    return found ? NULL : "it has no estimates of rare events (key rare_events)";
}

MK_RESULT_TABLE(rare, "estimates of rare events",
                "Estimates of pulls, lock-outs and regret by importance splitting (key rare_events).", no_rare);

/* The reader of result files, after opening: cells, single replications, rare-event estimates, a choice of policies. */
#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/run/rare.h"
#include "sim/store/cells.h"
#include "sim/store/store_result.h"

static void close_all(hid_t *dataset, size_t n)
{
    for (size_t f = 0; f < n; f++) {
        if (dataset[f] > 0) mk_h5_close(&dataset[f]);
        dataset[f] = 0;
    }
}

void mk_result_close_cells(struct mk_result *r)
{
    close_all(r->open.summary, MK_SUMMARY_FIELDS);
    close_all(r->open.raw, MK_RAW_FIELDS);
}

/* Reads the part of one (policy, instance, horizon) of a field of the summary, or else of the raw values. */
static int read_part(struct mk_result *r, size_t policy, bool summary, size_t field, const struct mk_dataset_part *part,
                     void *to, struct mk_error *err)
{
    const struct mk_field *f = summary ? &mk_summary_fields[field] : &mk_raw_fields[field];
    hid_t *dataset = summary ? &r->open.summary[field] : &r->open.raw[field];
    if (r->open.policy != policy) mk_result_close_cells(r);
    r->open.policy = policy;
    if (*dataset <= 0) {
        hid_t group = summary ? mk_result_group(r->policy[policy], "summary") : -1;
        *dataset = mk_h5_open(summary ? group : r->policy[policy], f, &r->axes);
        mk_h5_close(&group);
    }
    if (*dataset > 0 && !mk_h5_read(*dataset, f, &r->axes, part, to)) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s: %s: %s: cannot be read", r->info.path, r->info.policy[policy], f->name);
}

static int check_cell(const struct mk_result *r, size_t policy, size_t instance, size_t horizon, struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    if (policy < i->n_policies && instance < i->n_instances && horizon < i->n_horizons) return MK_OK;
    return mk_result_damaged(r, NULL, "no such policy, instance or horizon", err);
}

/* Means of pulls lie between 0 and T and are undefined only for arms that the instance lacks. */
static bool cell_holds(const struct mk_result *r, size_t instance, size_t horizon, const struct mk_cell *c)
{
    const struct mk_truth *f = r->info.truth;
    const double most = (double)r->info.horizon[horizon] * (1 + 1e-12);
    for (size_t k = 0; k < f->n_arms; k++) {
        int lacks = isnan(f->expected_max[mk_truth_at(f, instance, horizon, k)]);
        if (lacks ? !isnan(c->mean_pulls[k]) : !(c->mean_pulls[k] >= 0 && c->mean_pulls[k] <= most)) return false;
        if (c->se_pulls[k] < 0) return false;
    }
    return !(c->se_max < 0) && !(c->lock_out_share < 0 || c->lock_out_share > 1);
}

static int damaged_summary(const struct mk_result *r, size_t policy, struct mk_error *err)
{
    return mk_result_damaged(r, r->info.policy[policy], "values that no summary can have", err);
}

static int damaged_pulls(const struct mk_result *r, size_t policy, struct mk_error *err)
{
    return mk_result_damaged(r, r->info.policy[policy], "more pulls than the horizon", err);
}

int mk_result_cell(struct mk_result *r, size_t policy, size_t instance, size_t horizon, struct mk_cell **out,
                   struct mk_error *err)
{
    struct mk_cell *c = NULL;
    struct mk_dataset_part part = {(int64_t)instance, (int64_t)horizon, 0, 0};
    int code = check_cell(r, policy, instance, horizon, err);
    *out = NULL;
    if (code) return code;
    c = mk_cell_new(r->info.n_arms, r->info.n_quantiles);
    if (!c) return mk_fail_memory(err, r->info.path);
    void *const to[MK_SUMMARY_FIELDS] = {c->mean_pulls,      c->se_pulls,       &c->mean_max,
                                         &c->se_max,         c->quantile_pulls, c->quantile_max,
                                         &c->lock_out_share, &c->proxy_regret,  &c->mean_repeated};
    const size_t n = r->info.has_repeated ? MK_SUMMARY_FIELDS : MK_FIELD_MEAN_REPEATED;
    c->mean_repeated = NAN;
    for (size_t f = 0; !code && f < n; f++) code = read_part(r, policy, true, f, &part, to[f], err);
    if (!code && !cell_holds(r, instance, horizon, c)) code = damaged_summary(r, policy, err);
    if (code)
        mk_cell_free(c);
    else
        *out = c;
    return code;
}

/* The pulls of every replication sum to T at most. */
static bool pulls_hold(const struct mk_result_info *i, uint64_t most, const uint64_t *pulls)
{
    for (uint64_t n = 0; n < i->replications; n++) {
        uint64_t left = most;
        for (size_t k = 0; k < i->n_arms; left -= pulls[n * i->n_arms + k++])
            if (pulls[n * i->n_arms + k] > left) return false;
    }
    return true;
}

int mk_result_raw(struct mk_result *r, size_t policy, size_t instance, size_t horizon, uint64_t *pulls,
                  double *max_reward, struct mk_error *err)
{
    void *const to[MK_RAW_FIELDS] = {pulls, max_reward, NULL};
    struct mk_dataset_part part = {(int64_t)instance, (int64_t)horizon, 0, r->info.replications};
    int code = check_cell(r, policy, instance, horizon, err);
    if (!code && !r->info.has_pulls)
        code = mk_result_damaged(r, NULL, "contains no pulls of single replications (the experiment has keep: summary)",
                                 err);
    for (size_t f = 0; !code && f < MK_RAW_FIELDS; f++)
        if (to[f]) code = read_part(r, policy, false, f, &part, to[f], err);
    if (!code && pulls && !pulls_hold(&r->info, r->info.horizon[horizon], pulls)) code = damaged_pulls(r, policy, err);
    return code;
}

/* Checks one cell of all of them. */
static int check_values(const struct mk_result *r, struct mk_cell_index at, const struct mk_policy_values *v,
                        struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    const size_t cell = at.instance * i->n_horizons + at.horizon;
    const struct mk_cell c = {.mean_pulls = v->mean_pulls + cell * i->n_arms,
                              .se_pulls = v->se_pulls + cell * i->n_arms,
                              .mean_max = v->mean_max[cell],
                              .se_max = v->se_max[cell]};
    if (!cell_holds(r, at.instance, at.horizon, &c)) return damaged_summary(r, at.policy, err);
    if (v->pulls && !pulls_hold(i, i->horizon[at.horizon], v->pulls + cell * i->replications * i->n_arms))
        return damaged_pulls(r, at.policy, err);
    return MK_OK;
}

int mk_result_policy_values(struct mk_result *r, size_t policy, const struct mk_policy_values *to, struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    const struct mk_dataset_part all = {MK_EVERYWHERE, MK_EVERYWHERE, 0, i->replications};
    void *const summary[] = {to->mean_pulls, to->se_pulls, to->mean_max, to->se_max}, *const raw[] = {to->pulls,
                                                                                                      to->max_reward};
    int code = check_cell(r, policy, 0, 0, err);
    for (size_t f = 0; !code && f <= MK_FIELD_SE_MAX; f++) code = read_part(r, policy, true, f, &all, summary[f], err);
    for (size_t f = 0; !code && f <= MK_FIELD_MAX_REWARD; f++)
        if (raw[f]) code = read_part(r, policy, false, f, &all, raw[f], err);
    for (size_t at = 0; !code && at < i->n_instances * i->n_horizons; at++)
        code = check_values(r, (struct mk_cell_index){policy, at / i->n_horizons, at % i->n_horizons}, to, err);
    return code;
}

/* One number of every replication; has: whether the file has them, `missing` what it lacks otherwise. */
static int read_reals(struct mk_result *r, struct mk_cell_index at, size_t field, bool has, const char *missing,
                      double *to, struct mk_error *err)
{
    const struct mk_dataset_part part = {(int64_t)at.instance, (int64_t)at.horizon, 0, r->info.replications};
    int code = check_cell(r, at.policy, at.instance, at.horizon, err);
    if (!code && !has) code = mk_result_damaged(r, NULL, missing, err);
    return code ? code : read_part(r, at.policy, false, field, &part, to, err);
}

int mk_result_costs(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *cost,
                    struct mk_error *err)
{
    return read_reals(r, (struct mk_cell_index){policy, instance, horizon}, MK_FIELD_COST, r->info.has_costs,
                      "contains no costs of pulls", cost, err);
}

int mk_result_incumbents(struct mk_result *r, size_t policy, size_t instance, size_t horizon, double *value,
                         struct mk_error *err)
{
    return read_reals(r, (struct mk_cell_index){policy, instance, horizon}, MK_FIELD_INCUMBENT, r->info.has_incumbents,
                      "contains no values without noise", value, err);
}

int mk_result_rare(struct mk_result *r, size_t policy, struct mk_rare **out, struct mk_error *err)
{
    const struct mk_result_info *i = &r->info;
    int code = check_cell(r, policy, 0, 0, err);
    *out = NULL;
    if (code || i->n_instances != 1 || H5Lexists(r->policy[policy], MK_RARE_GROUP, H5P_DEFAULT) <= 0) return code;
    struct mk_rare *rare = mk_rare_new(i->n_horizons, i->n_arms);
    if (!rare) return mk_fail_memory(err, i->path);
    if (mk_rare_load(r->policy[policy], &r->axes, rare)) {
        mk_rare_free(rare);
        return mk_fail(err, MK_EINPUT, "%s: %s: %s: %s", i->path, i->policy[policy], MK_RARE_GROUP, MK_RESULT_MISFIT);
    }
    *out = rare;
    return MK_OK;
}

void mk_result_select(struct mk_result *r, const char *keep)
{
    struct mk_result_info *i = &r->info;
    size_t to = 0;
    mk_result_close_cells(r);
    for (size_t p = 0; p < i->n_policies; p++) {
        if (!keep[p]) {
            mk_h5_close(&r->policy[p]);
            i->n_left_out++;
            mk_result_policy_drop(i, p);
            continue;
        }
        r->policy[to] = r->policy[p];
        mk_result_policy_move(i, to++, p);
    }
    i->n_policies = to;
}

/* The rare-event estimates of a policy in a result file: /policies/<label>/rare. */
#include <stdlib.h>

#include "sim/run/engine/rare.h"
#include "sim/run/store/store_util.h"

enum { FIELDS = 7 };

static const struct mk_field fields[FIELDS] = {
    {"mean_pulls", "iha", MK_KIND_REAL, "pulls", "weighted mean of N_k(T), unbiased"},
    {"se_pulls", "iha", MK_KIND_REAL, "pulls", "standard error of mean_pulls"},
    {"lock_out_share", "ih", MK_KIND_REAL, "1", "probability that the optimal arm gets fewer than T/2 pulls"},
    {"se_lock_out_share", "ih", MK_KIND_REAL, "1",
     "standard error of lock_out_share, correlated with it: for intervals see effective_lock_outs"},
    {"effective_lock_outs", "ih", MK_KIND_REAL, "1",
     "effective sample size of lock_out_share: (sum w)^2 / sum w^2 over the weights w of locked-out replications; the "
     "interval is that of a Poisson count of this size"},
    {"regret", "ih", MK_KIND_REAL, "reward", "weighted mean of max_k E[M_k(T)] - largest reward up to T"},
    {"se_regret", "ih", MK_KIND_REAL, "reward", "standard error of regret"},
};

static void places(const struct mk_rare *r, double *to[FIELDS])
{
    double *const all[FIELDS] = {r->mean_pulls, r->se_pulls, r->lock_out_share, r->se_lock_out,
                                 r->lock_outs,  r->regret,   r->se_regret};
    for (size_t i = 0; i < FIELDS; i++) to[i] = all[i];
}

int mk_rare_store(hid_t policy, const struct mk_dimensions *axes, const struct mk_rare *r)
{
    double *from[FIELDS];
    hid_t group = mk_h5_group(policy, MK_RARE_GROUP);
    int status = group < 0 || mk_h5_link(group, axes, "iha") ||
                         mk_h5_put_index(group, "replications", (int64_t)r->replications) ||
                         mk_h5_put_index(group, "families", (int64_t)r->n_families)
                     ? -1
                     : 0;
    places(r, from);
    for (size_t i = 0; !status && i < FIELDS; i++) status = mk_h5_put(group, &fields[i], axes, from[i]);
    mk_h5_close(&group);
    return status;
}

int mk_rare_load(hid_t policy, const struct mk_dimensions *axes, struct mk_rare *r)
{
    double *to[FIELDS];
    int64_t replications = 0, families = -1;
    hid_t group = H5Gopen2(policy, MK_RARE_GROUP, H5P_DEFAULT);
    int status = group < 0 || !mk_h5_get_index(group, "replications", &replications) || replications < 1 ||
                         !mk_h5_get_index(group, "families", &families) || families < 0
                     ? -1
                     : 0;
    r->replications = (uint64_t)replications;
    r->n_families = (size_t)families;
    places(r, to);
    for (size_t i = 0; !status && i < FIELDS; i++) {
        hid_t dataset = mk_h5_open(group, &fields[i], axes);
        status = dataset < 0 ? -1 : mk_h5_read(dataset, &fields[i], axes, NULL, to[i]);
        mk_h5_close(&dataset);
    }
    mk_h5_close(&group);
    return status;
}

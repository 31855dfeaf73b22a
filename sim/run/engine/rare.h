/* Rare events of max_ucb without scaling: the mean of N_i(T) at large T depends on replications, of probability 10^-5
 * and less, in which the better arms are locked out while arm i leads (theory: analysis/theory/growth.h).
 *
 * Importance sampling on record tapes. Arm j, better than the leader i (b_j > b_i), has got n pulls by T and stays
 * behind only if  max_j < b_i - (alpha log T / n)^2  (with power: alpha (log T)^power here and below).  So its lock-out
 * up to T lies in the union over n of A_n = { its first n rewards are below b_i - (alpha log T / n')^2 },   P(A_n) =
 * F_j(…)^n, n' being the next n of a geometric grid. A family (horizon T, leader i) draws for every better arm an n
 * with probability proportional to P(A_n) and then the arm's records given A_n (mk_record_tape_floor): importance
 * sampling of a union (Adler, Blanchet & Liu 2012, "Efficient Monte Carlo for high excursions of Gaussian random
 * fields"; Owen, Maximov & Chertkov 2019, "Importance sampling the union of rare events", Electronic Journal of
 * Statistics 13). A replication follows the original distribution with probability `plain`, else one of the families
 * with equal shares.
 *
 * Weight of a replication at horizon T: 1 / (plain + sum over families share * prod_j sum_n q_n l_n), with q_n the
 * probability of n and l_n the likelihood ratio of the rewards that were received by T, m of arm j:
 *     l_n = 1{ the first min(m, n) are below the level } / F_j(level)^min(m, n).
 * N_j(T) is a stopping time of the rewards, so that weighted means are unbiased for any design, and weights are at
 * most 1 / plain, so that variances are finite. */
#ifndef MAXK_SIM_RUN_ENGINE_RARE_H
#define MAXK_SIM_RUN_ENGINE_RARE_H

#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/progress.h"
#include "sim/run/engine/run.h"
#include "sim/run/experiment/experiment.h"
#include "sim/run/tape/record_tape.h"

/* ---- the design ---- */

/* One n of an arm: its first n rewards have survival positions of at least s. */
struct mk_rare_term {
    uint64_t n;
    double s, log_below; /* log(1 - s) */
    double share;        /* probability of this n within the family */
};

struct mk_rare_arm {
    size_t arm, n_terms;
    struct mk_rare_term *term; /* [n_terms], n ascending, owned */
    double bound;              /* sum of P(A_n), >= the probability of the arm's lock-out */
};

struct mk_rare_family {
    uint64_t horizon;
    size_t leader, n_arms;
    struct mk_rare_arm *arm; /* [n_arms] the better arms, owned */
};

struct mk_rare_design {
    double plain;
    size_t n_families, n_terms; /* terms of all families */
    struct mk_rare_family *family;
};

/* For max_ucb with this alpha and power on a synthetic problem. Families are made for horizons about a factor of 10
 * apart, down from the last one, whether the experiment has them or not (much of a mean at T is due to lock-outs that
 * end before T), where the lock-out is rare and yet may matter to a mean; without families only the original
 * distribution is left. */
int mk_rare_design_new(struct mk_rare_design **out, const struct mk_problem *p, const uint64_t *horizon,
                       size_t n_horizons, double alpha, double power, struct mk_error *err);
void mk_rare_design_free(struct mk_rare_design *d);

/* Draws the condition of a replication with `g`, and puts it on the tape, which has just been moved to it. */
void mk_rare_condition(const struct mk_rare_design *d, struct mk_pcg64 *g, struct mk_record_tape *tape);

/* exceeds[n_terms]: for every term the first pull whose reward is above its level (MK_RECORD_NEVER: beyond its n). Call
 * after playing. */
void mk_rare_exceeds(const struct mk_rare_design *d, struct mk_record_tape *tape, uint64_t *exceeds);

/* The weight at a horizon where arm k had pulls[k]. */
double mk_rare_weight(const struct mk_rare_design *d, const uint64_t *exceeds, const uint64_t *pulls);

/* ---- the estimates ---- */

struct mk_rare {
    uint64_t replications;
    size_t n_horizons, n_arms, n_families;
    double *mean_pulls, *se_pulls;        /* [horizon][arm] */
    double *lock_out_share, *se_lock_out; /* [horizon] share of runs with N_{i*}(T) < T/2 */
    double *lock_outs;                    /* [horizon] effective sample size of that share: (sum w)^2 / sum w^2 */
    double *regret, *se_regret;           /* [horizon] mean of max_k E[M_k(T)] - largest reward */
};

/* 95 % interval of lock_out_share[h]: the limits of a Poisson mean (Garwood 1936) at the effective number of lock-outs,
 * as for weighted counts (Dobson et al. 1991; Fay & Feuer 1997). The share and its standard error are correlated, since
 * a few large weights carry both, so that share ± 1.96 errors misses from below: with 50 to 1000 replications and 8 to
 * 170 effective lock-outs it covers .887 to .955, this .953 to .993 (16 problems of two to five uniform or power arms,
 * alpha = .02 … 1, T = 10^3 … 10^5, 400 seeds each). Fay and Feuer's limits with the largest weight cover .963 to .993,
 * those of a bootstrap-t of the logarithm .910 to .960. Share 0: [0, NaN]. */
void mk_rare_lock_out_interval(const struct mk_rare *r, size_t h, double *low, double *high);

struct mk_rare *mk_rare_new(size_t n_horizons, size_t n_arms); /* NULL: no memory */
void mk_rare_free(struct mk_rare *r);

/* ---- the run ----
 *
 * Weighted replications are units of the run after the others: of e->rare_events, unit mk_run_units(e) + r is
 * replication r of every entry, independent of the replications of the run. Their blocks go to journals like all others
 * and are reduced in the order of units, so that any number of threads, ranks and shards gives the same bits. */

/* The designs of all entries; borrows e and f. */
struct mk_rare_plan;
int mk_rare_plan_new(struct mk_rare_plan **out, const struct mk_experiment *e, const struct mk_truth *f,
                     struct mk_error *err);
void mk_rare_plan_free(struct mk_rare_plan *p);

/* As mk_run_block_units and mk_run_part. */
uint64_t mk_rare_block_units(const struct mk_rare_plan *p, int threads);
int mk_rare_part(const struct mk_rare_plan *p, const struct mk_run_part *part, int threads, mk_block_sink sink,
                 void *to, struct mk_progress *progress, struct mk_error *err);

/* The estimates of all entries: add every block in order (a mk_block_sink), then get. Borrows the plan. */
struct mk_rare_sums;
int mk_rare_sums_new(struct mk_rare_sums **out, const struct mk_rare_plan *p, struct mk_error *err);
void mk_rare_sums_free(struct mk_rare_sums *s);
int mk_rare_sums_add(void *sums, const struct mk_block *b, struct mk_error *err);
int mk_rare_sums_get(const struct mk_rare_sums *s, size_t entry, struct mk_rare **out, struct mk_error *err);

/* All of this in memory: the estimates of one entry. */
int mk_rare_all(struct mk_rare **out, const struct mk_experiment *e, const struct mk_truth *f, size_t entry,
                int threads, struct mk_error *err);

#endif

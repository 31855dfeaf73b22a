/* Shared by the checks of claims: experiments written as text, run in memory, and summarised. */
#ifndef MAXK_ANALYSIS_CLAIMS_CLAIM_RUN_H
#define MAXK_ANALYSIS_CLAIMS_CLAIM_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/claims/claim.h"
#include "analysis/results/reward_unit.h"
#include "sim/base/statistics.h"
#include "sim/experiment/experiment.h"
#include "sim/problem/problem.h"
#include "sim/run/run.h"

/* An experiment and its facts. */
struct mk_claim_case {
    struct mk_experiment *experiment;
    struct mk_truth *truth; /* NULL until mk_claim_facts or mk_claim_simulate */
};

/* Reads YAML text (as an experiment file; `what` is for messages); rows emitted from now on belong to this experiment,
 * which is written to the report's folder if it has one. own_replications > 0: the text has neither replications nor
 * seed; they are the report's, and these unless the options say otherwise. r == NULL: parse only. */
int mk_claim_read(struct mk_claim_case *c, const char *what, const char *text, struct mk_claim_report *r,
                  uint64_t own_replications, unsigned need, struct mk_error *err);

/* Writes text as the claim's next experiment, a file in the report's folder, for the rows emitted from now on; without
 * a folder nothing happens. And one known arm, for `maxk lu`. Errors: MK_EINPUT, MK_EIO, MK_ENOMEM. */
int mk_claim_write(struct mk_claim_report *r, const char *text, struct mk_error *err);
int mk_claim_write_arm(struct mk_claim_report *r, const struct mk_dist *d, struct mk_error *err);

int mk_claim_facts(struct mk_claim_case *c, struct mk_error *err);
void mk_claim_case_free(struct mk_claim_case *c);

/* Runs it (engine auto); `sink` receives the blocks in order. */
int mk_claim_simulate(struct mk_claim_case *c, enum mk_engine engine, int threads, mk_block_sink sink, void *to,
                      struct mk_error *err);

/* Means over the replications of a case with one instance. */
struct mk_claim_means {
    size_t n_horizons, n_arms;
    struct mk_count_moments *pulls; /* [entry][horizon][arm] */
    struct mk_real_moments *best;   /* [entry][horizon] */
};

int mk_claim_means_run(struct mk_claim_means *m, struct mk_claim_case *c, enum mk_engine engine, int threads,
                       struct mk_error *err);
void mk_claim_means_free(struct mk_claim_means *m);

static inline const struct mk_count_moments *mk_claim_pulls(const struct mk_claim_means *m, size_t entry,
                                                            size_t horizon, size_t arm)
{
    return &m->pulls[(entry * m->n_horizons + horizon) * m->n_arms + arm];
}

static inline const struct mk_real_moments *mk_claim_best(const struct mk_claim_means *m, size_t entry, size_t horizon)
{
    return &m->best[entry * m->n_horizons + horizon];
}

/* How theory measures the rewards of a policy, in a case with known arms. */
struct mk_reward_unit mk_claim_reward_unit(const struct mk_claim_case *c, size_t entry);

/* Both sides of Proposition 4.1 in one cell of a case with known arms, from the origin of the policy's unit. */
void mk_claim_check_regret(const struct mk_claim_means *m, const struct mk_claim_case *c, size_t entry, size_t horizon,
                           struct mk_regret_check *out);

/* observed, low and high of a row from a mean: the 95 % interval of the mean. */
void mk_claim_set_real(struct mk_claim_row *row, const struct mk_real_moments *m);

/* The same for a share, `hits` of n: the score interval (Wilson 1927). */
void mk_claim_set_share(struct mk_claim_row *row, uint64_t hits, uint64_t n);

/* The power arms of Appendix E.4 (4) of Balef et al. 2025 as a YAML list. */
extern const char mk_claim_power_arms[];

#endif

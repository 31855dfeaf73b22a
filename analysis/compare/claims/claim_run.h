/* Shared by the checks of claims: experiments written as text, run in memory, and summarised. */
#ifndef MAXK_ANALYSIS_COMPARE_CLAIMS_CLAIM_RUN_H
#define MAXK_ANALYSIS_COMPARE_CLAIMS_CLAIM_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/compare/claims/claim.h"
#include "analysis/compare/reward_unit.h"
#include "sim/base/statistics.h"
#include "sim/problem/problem.h"
#include "sim/run/engine/run.h"
#include "sim/run/experiment/experiment.h"

/* An experiment, its facts, and means over the replications of its only instance. */
struct mk_claim_case {
    struct mk_experiment *experiment;
    struct mk_truth *truth;         /* NULL until mk_claim_facts or mk_claim_simulate */
    struct mk_count_moments *pulls; /* [entry][horizon][arm]; NULL until mk_claim_means */
    struct mk_real_moments *best;   /* [entry][horizon], the same */
};

/* Reads YAML text (as an experiment file; `what` is for messages), printed by `format`; rows emitted from now on belong
 * to this experiment, which is written to the report's folder if it has one. own_replications > 0: it will be run, and
 * the text has neither replications nor seed; they are the report's, and these unless the options say otherwise.
 * r == NULL: parse only. Freed with mk_claim_case_free, also after an error. */
int mk_claim_read(struct mk_claim_case *c, struct mk_claim_report *r, const char *what, uint64_t own_replications,
                  struct mk_error *err, const char *format, ...) __attribute__((format(printf, 6, 7)));

/* Writes text as the claim's next experiment, a file in the report's folder, for the rows emitted from now on; without
 * a folder nothing happens. And one known arm, for `maxk lu`. Errors: MK_EINPUT, MK_EIO, MK_ENOMEM. */
int mk_claim_write(struct mk_claim_report *r, const char *text, struct mk_error *err);
int mk_claim_write_arm(struct mk_claim_report *r, const struct mk_dist *d, struct mk_error *err);

int mk_claim_facts(struct mk_claim_case *c, struct mk_error *err);
void mk_claim_case_free(struct mk_claim_case *c);

/* Runs it (engine auto); `sink` receives the blocks in order. */
int mk_claim_simulate(struct mk_claim_case *c, enum mk_engine engine, int threads, mk_block_sink sink, void *to,
                      struct mk_error *err);

/* Runs it for the means. */
int mk_claim_means(struct mk_claim_case *c, enum mk_engine engine, int threads, struct mk_error *err);

static inline const struct mk_count_moments *mk_claim_pulls(const struct mk_claim_case *c, size_t entry, size_t horizon,
                                                            size_t arm)
{
    return &c->pulls[(entry * c->experiment->n_horizons + horizon) * c->experiment->problem->n_arms + arm];
}

static inline const struct mk_real_moments *mk_claim_best(const struct mk_claim_case *c, size_t entry, size_t horizon)
{
    return &c->best[entry * c->experiment->n_horizons + horizon];
}

/* The pulls of an arm next to a bound, with the 95 % interval of their mean. */
struct mk_claim_cell {
    double closeness; /* 1: the bound is attained; more: it is exceeded */
    double bound, mean, low, high, alpha, horizon;
    size_t arm;
};

/* Of many cells the one in which the bound is closest, and the verdicts on all. */
struct mk_claim_worst {
    uint64_t cells, verdicts[MK_VERDICTS];
    struct mk_claim_cell at;
};

void mk_claim_weigh(struct mk_claim_worst *w, const struct mk_claim_cell *cell, enum mk_verdict verdict);

/* Sets expected, observed, low and high of a row. */
void mk_claim_set_cell(struct mk_claim_row *row, const struct mk_claim_cell *cell);

/* How theory measures the rewards of a policy, in a case with known arms. */
struct mk_reward_unit mk_claim_reward_unit(const struct mk_claim_case *c, size_t entry);

/* Both sides of Proposition 4.1 in one cell of a case with known arms, from the origin of the policy's unit. */
void mk_claim_check_regret(const struct mk_claim_case *c, size_t entry, size_t horizon, struct mk_regret_check *out);

/* observed, low and high of a row from a mean: the 95 % interval of the mean. */
void mk_claim_set_real(struct mk_claim_row *row, const struct mk_real_moments *m);

/* The same for a share, `hits` of n: the score interval (Wilson 1927). */
void mk_claim_set_share(struct mk_claim_row *row, uint64_t hits, uint64_t n);

/* YAML lists: the power arms of Appendix E.4 (4) of Balef et al. 2025; the arms of Table 1 of Hu et al. 2019. */
extern const char mk_claim_power_arms[], mk_claim_hu_arms[];

/* An experiment with nothing but arms, one or more of every reward family: for claims about any distribution. */
int mk_claim_families(struct mk_claim_case *c, struct mk_claim_report *r, struct mk_error *err);

#endif

/* Bounds with confidence on the pulls of a policy and on its largest reward: replications of its own, which are none of
 * those of a result, and Theorem 14 (analysis/theory/sampled.h) with what is proved of rare runs. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_SAMPLED_RACE_H
#define MAXK_ANALYSIS_COMPARE_ARMS_SAMPLED_RACE_H

#include "analysis/compare/arms/race.h"
#include "analysis/theory/sampled.h"

/* That of bounds with confidence where none is given. */
#define MK_USUAL_CONFIDENCE 0.999

/* What a user of bounds requests. samples: of each policy, 0: none. confidence: that of all bounds together. */
struct mk_sampling {
    uint64_t samples;
    double confidence; /* 0: not given */
};

/* Fills in the usual confidence. MK_EINPUT: one is given without samples; `command` is for the message. */
int mk_sampling_complete(struct mk_sampling *s, const char *command, struct mk_error *err);

/* What is played. experiment: of arms or processes, which have one instance. */
struct mk_sampled_race {
    const struct mk_experiment *experiment;
    const struct mk_policy_entry *entry; /* without refusal */
    const struct mk_race_arms *arms;
    const uint64_t *horizon; /* [n_horizons] ascending */
    size_t n_horizons;
    struct mk_certificate *const *proved; /* [n_horizons] */
    struct mk_sampled_design design;
};

/* At one horizon; lower … upper lie within what is proved. NaN: not known. */
struct mk_sampled_bound {
    double *mean, *lower, *upper;          /* [arms] of the pulls */
    double mean_max, max_lower, max_upper; /* of the largest reward */
};

/* bound[n_horizons]. The same bits for any number of threads: seeds follow from that of the experiment. Freed with
 * mk_sampled_race_free. Errors: MK_ENOMEM, MK_ENUM (a quadrature failed), MK_ESTOPPED, MK_EFAIL. */
int mk_sampled_race_new(struct mk_sampled_bound **bound, const struct mk_sampled_race *race, struct mk_error *err);
void mk_sampled_race_free(struct mk_sampled_bound *bound, size_t n_horizons);

#endif

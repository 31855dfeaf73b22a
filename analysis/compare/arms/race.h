/* The certified bounds of analysis/theory/certificates/certificate.h for a policy of an experiment and the arms of an
 * instance. */
#ifndef MAXK_ANALYSIS_COMPARE_ARMS_RACE_H
#define MAXK_ANALYSIS_COMPARE_ARMS_RACE_H

#include "analysis/theory/certificates/certificate_store.h"
#include "sim/problem/problem.h"
#include "sim/run/experiment/experiment.h"

/* The distribution functions of an instance's arms. Known families are used as they are. Recorded arms stand for
 * independent draws of their pooled rewards: with confidence = 0 the empirical distribution itself; else every
 * distribution function that lies within the Dvoretzky-Kiefer-Wolfowitz-Massart bands of all arms at once, which hold
 * together with that confidence, 0 < confidence < 1. */
struct mk_race_arms {
    size_t n;
    struct mk_known_cdf *arm;      /* [n] in the order of the instance's arms */
    struct mk_dist **own;          /* [n] empirical distributions; NULL for known families */
    struct mk_moving_arm **moving; /* [n] of processes; NULL for others */
};

/* Errors: MK_EINPUT for processes that drift over too many pulls; MK_ENOMEM. */
int mk_race_arms_new(struct mk_race_arms **out, const struct mk_problem *p, size_t instance, double confidence,
                     struct mk_error *err);
void mk_race_arms_free(struct mk_race_arms *a);

/* Why there are no certified bounds for a policy on the arms of an instance, or NULL where there are. */
const char *mk_certify_refusal(const struct mk_policy_entry *entry, const struct mk_problem *p, size_t instance);

/* Which bounds. entry: without refusal. without: as in mk_certificate_request, by the order of `arms`. */
struct mk_certify_task {
    const struct mk_policy_entry *entry;
    const struct mk_race_arms *arms;
    uint64_t horizon;
    enum mk_certified_sides sides;
    double refinement;
    int64_t without;
};

/* Whether the band gets as narrow as one likes with the refinement (certificate_walk.h), as long as the cost allows. */
bool mk_certify_converges(const struct mk_certify_task *task);

/* Bounds on the pulls of every arm (in the order of `arms`) in `horizon` rounds, from a store that computes what it
 * does not have. */
int mk_certify_kept(struct mk_certificate **out, struct mk_certificate_store *store, const struct mk_certify_task *task,
                    struct mk_error *err);

/* Makes the store compute what n such calls will ask for, all threads at once; as mk_certificate_store_fill. */
int mk_certify_ahead(struct mk_certificate_store *store, const struct mk_certify_task *task, size_t n,
                     struct mk_progress *progress, struct mk_error *err);

/* The same for a single one, without a store. */
int mk_certify(struct mk_certificate **out, const struct mk_policy_entry *entry, const struct mk_race_arms *arms,
               uint64_t horizon, enum mk_certified_sides sides, double refinement, struct mk_error *err);

/* Refinement of the bounds that stand next to others in tables and figures: about a fifth of a second for four arms. */
#define MK_TABLE_REFINEMENT 0.2

/* The upper bounds alone, upper[p->n_arms] by the problem's arms: NaN for a policy with a refusal, and for arms that
 * the instance does not have. confidence: as in mk_race_arms_new. */
int mk_certify_upper(double *upper, const struct mk_policy_entry *entry, const struct mk_problem *p, size_t instance,
                     uint64_t horizon, double confidence, double refinement, struct mk_error *err);

#endif

/* Comparison of the policies of a result, or of several with the same policies, over their instances: average ranks
 * with bootstrap intervals, normalised losses, wins, ties and losses against a baseline, and the tests of
 * sim/search/models/significance.h (Balef et al. 2025, Appendix D.1).
 *
 * The score of a policy on an instance is the mean over repetitions of its largest reward up to T. Repetitions without
 * a value (a combined search that was not run there) are excluded from that mean, as in the authors' programs, and at
 * equal cost from the means of all policies (mk_scores_spend); an instance on which some compared policy has no value
 * at all is excluded for all of them. */
#ifndef MAXK_ANALYSIS_COMPARE_RANK_H
#define MAXK_ANALYSIS_COMPARE_RANK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/run/store/result.h"
#include "sim/search/models/significance.h"

/* Normalised loss of one instance and repetition: (top - best so far) / max(1e-5, top - base).
 *
 *   MK_LOSS_AUTHORS   top: best possible, the largest recorded reward up to the largest horizon;
 *                     base: median of the arms' first rewards
 *   MK_LOSS_REACHED   top: the best that any of the compared policies reached, as in the authors' programs;
 *                     base: the same
 *   MK_LOSS_MINMAX    top: best possible; base: smallest recorded reward of the arms */
enum mk_loss { MK_LOSS_AUTHORS, MK_LOSS_REACHED, MK_LOSS_MINMAX };
#define MK_LOSS_CHOICES "authors|reached|minmax"

/* What is compared: the largest reward, the share of pulls on the best arm at the horizon, or what the
 * configuration with the largest reward is worth: its value without noise (noisy searches) or test score (recorded
 * runs). */
enum mk_score { MK_SCORE_MAX, MK_SCORE_BEST_SHARE, MK_SCORE_INCUMBENT };
#define MK_SCORE_CHOICES "max|best_share|incumbent"

/* What is drawn with replacement, the same for every policy; with it, what an interval covers: the average rank that
 * as many repetitions would have in the mean,
 *
 *   MK_RESAMPLE_INSTANCES    on all instances of the kind that these are a sample of. Repetitions are not drawn again:
 *                            how much they vary shows in how much instances differ
 *   MK_RESAMPLE_REPETITIONS  on these very instances, as in Balef et al. 2025: nothing is said about others
 *   MK_RESAMPLE_BOTH         the same as the first, by instances and then repetitions of each: repetitions count twice,
 *                            so that the interval is wider than it has to be
 *
 * Coverage by simulation (tests/unit/compare/test_rank_coverage.c) is in experiments/manual/comparing.md. */
enum mk_resample { MK_RESAMPLE_INSTANCES, MK_RESAMPLE_REPETITIONS, MK_RESAMPLE_BOTH };
#define MK_RESAMPLE_CHOICES "instances|repetitions|both"

/* How repetitions are drawn. */
enum mk_resampling {
    MK_RESAMPLING_INSTANCE, /* separately for every instance, as the text of Appendix D.1 says */
    MK_RESAMPLING_SHARED    /* the same for all instances, as the authors' programs do */
};
#define MK_RESAMPLING_CHOICES "instance|shared"

struct mk_rank_options {
    enum mk_loss loss;
    enum mk_resample resample;
    enum mk_resampling resampling;
    enum mk_zeros zeros; /* of Wilcoxon's test */
    uint64_t resamples, seed;
    double confidence;          /* of the intervals, e.g. 0.95 */
    double alpha;               /* level of the critical distances */
    double region;              /* scores this close are practically equivalent; NaN: no posterior probabilities */
    double equivalence;         /* verdicts: mean differences this small are equivalent; NaN: no tests of that */
    double effect, power;       /* sample sizes: the difference to be found (NaN: the observed one), with what chance */
    double tolerance, relative; /* scores closer than tolerance are tied; relative: for wins, ties and losses only */
};
extern const struct mk_rank_options mk_rank_defaults;

/* Those of the numbers, for other structs with fields of these names. */
#define MK_RANK_NUMBERS .resamples = 1000, MK_RANK_NUMBERS_WITHOUT_RESAMPLES
#define MK_RANK_NUMBERS_WITHOUT_RESAMPLES                                                                              \
    .seed = 42, .confidence = 0.95, .alpha = 0.05, .region = NAN, .equivalence = NAN, .effect = NAN, .power = 0.8,     \
    .tolerance = 1e-8, .relative = 0

/* An instance of a result. */
struct mk_scored_instance {
    const struct mk_result_info *info;
    size_t at; /* its position there */
};

/* Rewards of the compared policies; NaN: missing. */
struct mk_scores {
    const struct mk_result_info *info;   /* of the first result */
    struct mk_scored_instance *instance; /* [n_instances], of mk_scores_split [n_instances / split] */
    size_t n_policies, n_instances, n_horizons, replications;
    size_t *policy;  /* [n_policies] positions in info->policy */
    size_t *horizon; /* [n_horizons] positions in info->horizon */
    double *budget;  /* [n_horizons] costs in place of the horizons (mk_scores_spend), or NULL */
    double *spent; /* [policy] the most that it spends by the longest horizon of the file (mk_scores_spend), or NULL */
    size_t *unpaired;  /* [horizon][instance] repetitions left out by mk_scores_spend, or NULL */
    double *reward;    /* [horizon][instance][policy][replication] */
    double *incumbent; /* as reward: values without noise (mk_scores_add_incumbents), or NULL */
    double *reached;   /* [instance][replication] largest of all policies at the largest horizon of the file */
    enum mk_score score;
    size_t split; /* repetitions of an instance of the file, each of which counts as an instance; 0: they do not */
};

/* keep[policy of the file] = 1 for the policies to compare, NULL: all; horizon[0 … n_horizons-1] positions. The result
 * must outlive *out. MK_EINPUT: fewer than two policies, or a file without single replications. */
int mk_scores_read(struct mk_scores **out, struct mk_result *r, const char *keep, const size_t *horizon,
                   size_t n_horizons, struct mk_error *err);

/* MK_EINPUT unless both have the same policies with the same parameters, in the same order. */
int mk_scores_check_policies(const struct mk_scores *s, const struct mk_scores *more, struct mk_error *err);

/* Adds the instances of another result; both results must outlive *s. Not after mk_scores_split. MK_EINPUT: it has
 * other policies (label, name, parameters), other horizons, or an instance of the same name. */
int mk_scores_join(struct mk_scores *s, const struct mk_scores *more, struct mk_error *err);

/* The instance, repetitions of which may count as instances; and how many repetitions it has. */
static inline const struct mk_scored_instance *mk_scored_instance(const struct mk_scores *s, size_t instance)
{
    return &s->instance[s->split ? instance / s->split : instance];
}
static inline const char *mk_scored_name(const struct mk_scores *s, size_t instance)
{
    const struct mk_scored_instance *of = mk_scored_instance(s, instance);
    return of->info->instance[of->at];
}
static inline size_t mk_scored_repetitions(const struct mk_scores *s, size_t instance)
{
    const struct mk_scored_instance *of = mk_scored_instance(s, instance);
    return s->split ? 1 : (size_t)of->info->own_replications[of->at];
}

/* Replaces the rewards by shares of pulls on the best arm; NaN where it is not known, and of recorded combined
 * searches. Losses are then NaN. */
int mk_scores_take_shares(struct mk_scores *s, struct mk_result *r, struct mk_error *err);

/* Replaces the rewards of a result that has them (has_incumbents) by values without noise, before mk_scores_spend,
 * which then takes these too. Losses are then NaN. */
int mk_scores_take_incumbents(struct mk_scores *s, struct mk_result *r, struct mk_error *err);

/* Adds the means of the values without noise, over instances and repetitions, of a result that has them. */
int mk_scores_add_incumbents(struct mk_scores *s, struct mk_result *r, struct mk_error *err);

void mk_scores_free(struct mk_scores *s);

/* From now on every repetition of an instance counts as an instance of its own, with one repetition: repetition r of
 * instance i as number i * split + r. Policies are compared on the same repetitions, so that pairs are kept. Not after
 * mk_scores_spend. */
int mk_scores_split(struct mk_scores *s, struct mk_error *err);

/* Replaces the rewards of every horizon number h of the scores by those at the longest horizon of the file at which the
 * policy had spent at most budget[h]. A repetition in which some policy cannot afford the first horizon is left out for
 * all policies (NaN), so that all are compared on the same repetitions. So the horizons of the file are the steps in
 * which budgets are spent. Costs are those of the result if it has them; else those of *p, the problem of the run: of
 * recorded pulls (1 if the file has none), or of its arms; or, unless it is NULL, arm_cost[arm of the file] for every
 * pull. p may be NULL where it is not used. MK_EINPUT: *p is another problem; combined searches with costs per arm. */
int mk_scores_spend(struct mk_scores *s, struct mk_result *r, const double *budget, const struct mk_problem *p,
                    const double *arm_cost, struct mk_error *err);

/* Where costs come from that the result itself does not have: `arm_cost` as of mk_scores_spend, before the costs of
 * the result; else the problem of the run. */
struct mk_costs_of {
    const struct mk_problem *p;
    const double *arm_cost; /* [arm of the file], or NULL */
};

/* MK_EINPUT as of mk_scores_spend. */
int mk_scores_check_costs(const struct mk_scores *s, const struct mk_costs_of *of, struct mk_error *err);

/* What the pulls of a policy of the file (pulls[replication][arm], of mk_result_raw) had cost at horizon h of the file:
 * cost[replication]. */
int mk_result_spent(double *cost, struct mk_result *r, const struct mk_costs_of *of, const uint64_t *pulls,
                    size_t policy, size_t instance, size_t h, struct mk_error *err);

/* Removes the budgets at which no instance can be compared and stores them in dropped[n_horizons]; returns their
 * number. None where that holds for all. */
size_t mk_scores_drop_unreached(struct mk_scores *s, double *dropped);

/* Whether every compared policy has a score there. */
bool mk_scores_has(const struct mk_scores *s, size_t horizon, size_t instance);

static inline const double *mk_scores_at(const struct mk_scores *s, size_t horizon, size_t instance, size_t policy)
{
    return s->reward + ((horizon * s->n_instances + instance) * s->n_policies + policy) * s->replications;
}

/* (top - reward) / max(1e-5, top - base). */
double mk_scaled_loss(double top, double base, double reward);

/* The normalised loss of a reward; NaN when the file has no scales (results of synthetic problems). */
double mk_normalised_loss(const struct mk_scores *s, enum mk_loss kind, size_t instance, size_t replication,
                          double reward);

/* Mean and standard deviation of the resamples, and the interval: the estimate plus the quantiles of the resamples
 * about their mean. Ranks of resampled repetitions are biased towards the middle, because resampling adds noise to the
 * scores and ranks are not linear in them; the interval is not, and contains the estimate. Where instances are drawn,
 * it is widened by t / z sqrt(n / (n - 1)), Student's quantile for n instances over the normal one and the bootstrap's
 * factor in the variance (Hesterberg 2015, "What teachers should know about the bootstrap", section 5.3); where
 * repetitions alone are drawn, by sqrt(R / (R - 1)). NaN without resamples, of instances if there is one, and of
 * repetitions if there is one of each instance. */
struct mk_interval {
    double mean, sd, low, high;
};

/* One policy of a comparison. Tests are one-sided: is it better than the baseline? NaN on the baseline's own line. */
struct mk_standing {
    double reward, rank, loss; /* means over instances; loss NaN without scales */
    double incumbent;          /* likewise of the values without noise; NaN without them */
    struct mk_interval rank_boot, loss_boot;
    struct mk_win_counts record; /* against the baseline */
    double p_sign, p_sign_bonferroni, p_wilcoxon, p_wilcoxon_holm, p_nemenyi;
    double p_untied, p_untied_bonferroni; /* sign test without the ties, which p_sign splits */
};

struct mk_comparison {
    double horizon; /* T: pulls or a cost */
    double budget;  /* in place of the horizon; NaN: not used */
    size_t n_policies, n_instances, left_out, baseline;
    size_t unpaired;              /* repetitions left out of the instances that count; 0 without budgets */
    size_t *instance;             /* [n_instances] those that count, positions in the file */
    struct mk_standing *standing; /* [n_policies] */
    double *reward, *rank, *loss; /* [n_instances][n_policies] */
    struct mk_friedman friedman;
    double distance, dunn; /* critical distances: all pairs, and against the baseline alone; of one instance NaN, as all
                              p-values are */
};

/* Compares at horizon number h of the scores; baseline: position among the compared policies. */
int mk_compare(struct mk_comparison **out, const struct mk_scores *s, size_t h, size_t baseline,
               const struct mk_rank_options *o, struct mk_error *err);
void mk_comparison_free(struct mk_comparison *c);

/* The policies from the best average rank to the worst; order[n_policies]. */
void mk_comparison_order(const struct mk_comparison *c, size_t *order);

/* The default baseline: the first combined search, else a policy `random`, else `uniform`, else the first one. Position
 * among the compared policies. */
size_t mk_default_baseline(const struct mk_scores *s);

/* The position among the compared policies of the one with this label; of the default one where it is NULL. MK_EINPUT,
 * with a message that begins with "maxk COMMAND: --baseline": none has it, or it is left out. */
int mk_scores_find_baseline(size_t *at, const struct mk_scores *s, const char *command, const char *label,
                            struct mk_error *err);

#endif

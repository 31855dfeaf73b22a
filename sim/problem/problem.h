/* A problem: arms and the source of their rewards.
 *
 * Synthetic: one instance, every arm a distribution. Processes: one instance, where the distribution of an arm's n-th
 * reward depends on n (sim/problem/process.h). Trajectories: recorded rewards r[instance][arm][repetition][iteration];
 * an instance may lack some arms. Searches: every arm is an objective with an optimiser at work on it
 * (sim/search/search.h); once all have been run, their rewards are there as recorded ones are
 * (mk_problem_make_room, mk_problem_put_row). Policies always see the arms that the instance has, numbered 0 … K-1 in
 * the order of `arm_label` (sorted names for trajectories). */
#ifndef MAXK_SIM_PROBLEM_PROBLEM_H
#define MAXK_SIM_PROBLEM_PROBLEM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "distributions/dist.h"
#include "sim/api/maxk/error.h"
#include "sim/base/scratch_file.h"
#include "sim/problem/process.h"
#include "sim/problem/source.h"
#include "sim/search/search.h"

/* Far beyond what fits or makes sense: larger numbers are mistakes in the input. */
enum { MK_MOST_ARMS = 1000000, MK_MOST_INSTANCES = 1000000 };

/* One recorded sequence. */
struct mk_series {
    double *reward; /* [length] */
    size_t length;
    size_t repeated; /* of length: rewards past the recorded end, by ends_early; pulls see them, they are no
                        observations */
    size_t line;     /* line of its last row, for messages */
    double *cost;    /* [length] cost of each pull, > 0; NULL: the file has no costs, searches only whole
                        evaluations */
    double *worth;   /* [length] what the configuration that a reward is of is worth: of noisy searches its value
                        without noise, of recorded runs its test score (NaN: none); NULL where neither is known */
    int mapped;      /* these arrays lie in the problem's temporary files */
};

/* The kinds of values that may be recorded of a pull, in the order of the arrays above. */
enum { MK_VALUE_REWARD, MK_VALUE_COST, MK_VALUE_TEST, MK_VALUES };

/* One instance. Without recorded rewards series is NULL; without trajectories arm[] is 0 … K-1. */
struct mk_instance {
    char *name;
    size_t n_arms;
    size_t *arm;                /* [n_arms] indices into problem arm_label, ascending */
    struct mk_series *series;   /* [n_arms * problem replications], arm-major */
    struct mk_series *baseline; /* [n_baselines * problem replications], baseline-major; length 0 where the file has no
                                   values; NULL without baselines, or before searches have been run */
    uint64_t replications;      /* trajectories: its recorded repetitions, the first of problem replications */
    size_t *repetition;         /* trajectories: [replications] positions in repetition_name, ascending */
    char *gaps;                 /* trajectories: what rules for gaps dropped or filled in, lines; NULL: nothing */
};

struct mk_problem {
    const struct mk_source_type *source; /* of all arms */
    size_t n_instances;
    struct mk_instance *instance;
    size_t n_arms;                /* arms over all instances */
    char **arm_label;             /* [n_arms] */
    struct mk_dist **dist;        /* [n_arms], known distributions only */
    struct mk_process **process;  /* [n_arms], moving arms only */
    struct mk_searches *searches; /* searches, even if all have been run since; see mk_problem_searches */
    double *cost;                 /* [n_arms], mean cost of a pull; 1 by default, and where series have costs */
    uint64_t replications;        /* recorded repetitions, the most of any instance; UINT64_MAX otherwise */
    char *file;                   /* trajectories: path as opened */
    bool losses;                  /* trajectories: the file has losses, of which rewards are the negatives */
    bool by_cost;                 /* horizons are costs, up to which pulls are made (horizon_unit); */
    double cost_parts;            /* they count these parts of a unit: 10 are tenths; 0 and 1: whole units */
    bool leaves;                  /* trajectories: arms whose recorded rewards have been pulled are no longer chosen */
    bool of_searches;             /* trajectories: arms are known by arm_index, as maxk tune and record write them */
    size_t n_repetitions;         /* trajectories: repetitions of the file */
    char **repetition_name;       /* [n_repetitions] numbers ascending, then texts */
    bool tests;                   /* trajectories: there are test scores */
    struct mk_scratch *spill[MK_VALUES]; /* trajectories: temporary files, or NULL */
    size_t n_baselines;                  /* combined searches, never arms: of trajectories arm_index < 0 */
    char **baseline_label; /* [n_baselines] of trajectories "smac (-1)": optimizer or classifier, and arm_index */
};

/* The distribution of the arm at position k of the instance; NULL: not known. */
static inline const struct mk_dist *mk_problem_dist(const struct mk_problem *p, size_t instance, size_t k)
{
    return p->dist ? p->dist[p->instance[instance].arm[k]] : NULL;
}

/* The searches whose rewards must still be found; NULL: there are none, or their rewards have been recorded since. */
static inline struct mk_searches *mk_problem_searches(const struct mk_problem *p)
{
    return p->source->evaluated ? p->searches : NULL;
}

/* Whether configurations are evaluated in part, at costs of their own, and whether their rewards are noisy. */
static inline bool mk_problem_in_part(const struct mk_problem *p)
{
    return mk_problem_searches(p) && p->searches->in_part;
}

static inline bool mk_problem_noisy(const struct mk_problem *p)
{
    return mk_problem_searches(p) && p->searches->noisy;
}

/* Whether it is known what the configuration with the largest reward is worth (mk_problem_incumbent). */
static inline bool mk_problem_has_incumbents(const struct mk_problem *p)
{
    return mk_problem_noisy(p) || p->tests;
}

/* Whether the rewards are those of searches, which depend on each other, even if all have been evaluated since. */
static inline bool mk_problem_is_searched(const struct mk_problem *p)
{
    return p->searches != NULL;
}

/* Frees the problem and everything it owns. */
void mk_problem_free(struct mk_problem *p);

/* Frees what a series owns and leaves it empty. */
void mk_series_clear(struct mk_series *s);

/* Rewards that were recorded, the first of the series. */
static inline size_t mk_series_recorded(const struct mk_series *s)
{
    return s->length - s->repeated;
}

/* What a horizon is: a number of pulls, or with by_cost a cost, which may be a decimal fraction. */
static inline double mk_horizon_amount(double parts, uint64_t horizon)
{
    return parts > 1 ? (double)horizon / parts : (double)horizon;
}

/* How many pulls of the series a horizon has, if all are its: T, or with by_cost as many as cost T at most. No more
 * than there are. The same of an arm without a series, of the problem. */
uint64_t mk_series_reach(const struct mk_problem *p, const struct mk_series *s, uint64_t horizon);
uint64_t mk_arm_reach(const struct mk_problem *p, size_t arm, uint64_t horizon);

/* What by_cost counts as at most T: rounding in sums of costs is forgiven. */
static inline double mk_affordable(const struct mk_problem *p, uint64_t horizon)
{
    return mk_horizon_amount(p->cost_parts, horizon) * (1 + 1e-12);
}

/* For how many pulls a policy plans whose budget is a cost, by the mean cost of a pull. The sum of many costs is
 * rounded: 300 pulls that cost 0.1 are to be those of a budget of 30. */
static inline double mk_pulls_for(double budget, double mean_cost)
{
    return floor(budget / mean_cost * (1 + 1e-9));
}

/* The most pulls that a run up to a horizon can have, of any instance and repetition: T, or a bound with by_cost. */
uint64_t mk_problem_rounds(const struct mk_problem *p, uint64_t horizon);

/* Pulls past the recorded ends of their series (pulls[arm of the problem]), which ends_early has answered. */
uint64_t mk_problem_repeated(const struct mk_problem *p, size_t instance, uint64_t replication, const uint64_t *pulls);

/* Whether any series goes on past its recorded end. */
bool mk_problem_repeats(const struct mk_problem *p);

/* The rewards of the instance are not needed for now: those in temporary files leave the memory of the process until
 * they are touched again. */
void mk_problem_release(const struct mk_problem *p, size_t instance);

/* The recorded sequence of arm position k (0 … instance->n_arms-1). */
static inline const struct mk_series *mk_problem_series(const struct mk_problem *p, size_t instance, size_t k,
                                                        uint64_t replication)
{
    const struct mk_instance *in = &p->instance[instance];
    return &in->series[k * (size_t)p->replications + (size_t)replication];
}

/* That of a combined search; length 0 where the file has no values. */
static inline const struct mk_series *mk_problem_baseline(const struct mk_problem *p, size_t instance, size_t baseline,
                                                          uint64_t replication)
{
    return &p->instance[instance].baseline[baseline * (size_t)p->replications + (size_t)replication];
}

/* How many of the first `replications` an instance has. */
static inline uint64_t mk_problem_replications(const struct mk_problem *p, size_t instance, uint64_t replications)
{
    const uint64_t own = p->source->recorded ? p->instance[instance].replications : UINT64_MAX;
    return own < replications ? own : replications;
}

/* Whether all instances have as many. */
bool mk_problem_even(const struct mk_problem *p);

/* What rules for gaps dropped or filled in, "instance: …" line by line; malloc'ed, "" when nothing; NULL: no memory. */
char *mk_problem_gaps(const struct mk_problem *p);

/* Widens [low, high] to hold all rewards of the series. */
void mk_series_widen(const struct mk_series *s, double *low, double *high);

/* Smallest and largest reward that the arm at position k of the instance can give: the support (of processes over all
 * pulls; NaN when out of memory), or, for trajectories, the range of all its recorded rewards. */
void mk_problem_arm_support(const struct mk_problem *p, size_t instance, size_t k, double *low, double *high);

/* MK_EINPUT with one line for processes, whose rewards are not identically distributed, so that they can be neither
 * pooled nor given L and U; `what` as in "L and U are". */
int mk_problem_same_distribution(const struct mk_problem *p, const char *what, struct mk_error *err);

/* With by_cost: the first horizon pays for a pull of every arm, and no recorded arm ends before the last one is spent,
 * unless arms leave. Otherwise MK_EINPUT. */
int mk_problem_check_costs(const struct mk_problem *p, uint64_t first, uint64_t last, uint64_t replications,
                           struct mk_error *err);

/* MK_EINPUT with one line where horizons are costs; `what` as in "bounds are". */
int mk_problem_by_pulls(const struct mk_problem *p, const char *what, struct mk_error *err);

/* Evaluations of all searches of one (instance, replication), `budget` of each; 0 for other kinds. */
static inline uint64_t mk_problem_evaluations(const struct mk_problem *p)
{
    return mk_problem_searches(p) ? (p->n_arms + p->n_baselines) * p->searches->budget : 0;
}

/* What they gave, a row: the rewards of every arm, then of every combined search; then in the same order their costs
 * where evaluations are made in part, and the values without noise where rewards are noisy. 0 for other kinds. */
static inline uint64_t mk_problem_row(const struct mk_problem *p)
{
    return mk_problem_evaluations(p) * (1u + mk_problem_in_part(p) + mk_problem_noisy(p));
}

/* Where the values without noise begin in a row. */
static inline uint64_t mk_problem_noise_free_at(const struct mk_problem *p)
{
    return mk_problem_evaluations(p) * (1u + p->searches->in_part);
}

/* Searches: room for this many rows of every instance, unless it is there; then one of them. */
int mk_problem_make_room(struct mk_problem *p, uint64_t replications, struct mk_error *err);
void mk_problem_put_row(struct mk_problem *p, size_t instance, uint64_t replication, const double *row);

/* Searches whose rows are all there become trajectories, as if they had been read from `file`. */
int mk_problem_record(struct mk_problem *p, const char *file, struct mk_error *err);

/* Cost of the first pulls[arm] pulls of every arm in one replication; arms over all instances. Searches that evaluate
 * in part must have been run. */
double mk_problem_spent(const struct mk_problem *p, size_t instance, uint64_t replication, const uint64_t *pulls);

/* The same of a combined search up to a horizon; of searches with costs per pull, and of recorded runs. */
double mk_problem_combined_spent(const struct mk_problem *p, size_t instance, uint64_t replication, size_t combined,
                                 uint64_t horizon);

/* What the configuration with the largest reward is worth, of equal ones the first of the first arm, among the first
 * pulls[arm] pulls of every arm; and of a combined search up to a horizon. Of mk_problem_has_incumbents;
 * searches must have been run. */
double mk_problem_incumbent(const struct mk_problem *p, size_t instance, uint64_t replication, const uint64_t *pulls);
double mk_problem_combined_incumbent(const struct mk_problem *p, size_t instance, uint64_t replication, size_t combined,
                                     uint64_t horizon);

/* The same of the first n pulls of a series: continues from the largest reward so far, *best, whose configuration is
 * worth *worth (NaN: not known). */
void mk_series_incumbent(const struct mk_series *s, uint64_t n, double *best, double *worth);

/* Length of the shortest recorded sequence of any arm; UINT64_MAX where nothing was recorded. */
uint64_t mk_problem_shortest(const struct mk_problem *p);

/* Facts that results and analysis need, per (instance, horizon, arm over all instances): see mk_truth_new. */
struct mk_truth {
    size_t n_instances, n_horizons, n_arms;
    double *expected_max; /* [instance][horizon][arm] E[M(T)]; NaN for arms that the instance lacks */
    double *gap;          /* [instance][horizon][arm] Delta_i(T) = E[M_{i*}(T)] - E[M_i(T)] >= 0; NaN: inf - inf */
    size_t *optimal_arm;  /* [instance][horizon] i*(T), lowest index on ties; position in arm_label */
    double *support_low,
        *support_high; /* [arm]; for trajectories the smallest and largest recorded reward of the arm */
    struct mk_recorded_truth *recorded; /* trajectories; NULL otherwise and in files without them */
};

/* What normalised losses of recorded runs need, over the first T rewards, T the largest horizon. */
struct mk_recorded_truth {
    size_t n_instances;
    uint64_t replications;
    double *best;         /* [instance][replication] largest reward of any arm or combined search; NaN past the
                             instance's own replications, here and below */
    double *least;        /* [instance][replication] smallest reward of any arm */
    double *first_median; /* [instance][replication] median of the arms' first rewards */
    double *shift;        /* [instance] how much the best arm improves over its run; see sim/problem/ground_truth.c */
};

/* All fields allocated and NaN, i*(T) 0; NULL: out of memory. */
struct mk_truth *mk_truth_alloc(size_t n_instances, size_t n_horizons, size_t n_arms);
struct mk_recorded_truth *mk_recorded_truth_alloc(size_t n_instances, uint64_t replications);
void mk_recorded_truth_free(struct mk_recorded_truth *f);

/* The truth of the first `replications` repetitions; every series must reach `horizon`. */
int mk_recorded_truth_new(struct mk_recorded_truth **out, const struct mk_problem *p, uint64_t horizon,
                          uint64_t replications, struct mk_error *err);

/* Exact E[M(T)] for synthetic arms and processes (Definition 3.1 of Balef et al. 2025). For trajectories, and for
 * searches whose rows are there (otherwise nothing is known of them: all NaN), the average
 * over the first `replications` repetitions of the maximum of the first T recorded rewards. Where several arms have an
 * infinite E[M(T)], i* is the one of them with the largest median of M(T); the gaps of the others are undefined, NaN.
 * MK_ENUM: E[M(T)] of some arm cannot be computed. */
int mk_truth_new(struct mk_truth **out, const struct mk_problem *p, const uint64_t *horizons, size_t n_horizons,
                 uint64_t replications, struct mk_error *err);
/* The same, but MK_ENUM leaves the rest in *out: the E[M(T)] that cannot be computed are NaN, and at their horizons the
 * gaps of all arms are NaN and i* is SIZE_MAX. *err is about the first of them. */
int mk_truth_partial(struct mk_truth **out, const struct mk_problem *p, const uint64_t *horizons, size_t n_horizons,
                     uint64_t replications, struct mk_error *err);
void mk_truth_free(struct mk_truth *f);

static inline size_t mk_truth_at(const struct mk_truth *f, size_t instance, size_t horizon, size_t arm)
{
    return (instance * f->n_horizons + horizon) * f->n_arms + arm;
}

/* i*(T) of an instance. */
static inline size_t mk_truth_best(const struct mk_truth *f, size_t instance, size_t horizon)
{
    return f->optimal_arm[instance * f->n_horizons + horizon];
}

#endif

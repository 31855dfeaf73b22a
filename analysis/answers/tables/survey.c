/* Recorded rewards as Section 3 and Appendices C.1, C.3, E.3 of Balef et al. 2025 describe them; the concavity of
 * best-so-far curves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/arms/concavity.h"
#include "analysis/compare/arms/survey.h"
#include "sim/base/error.h"
#include "sim/base/statistics.h"
#include "sim/search/models/significance.h"

struct survey_options {
    uint64_t concave;
    int raw;
};

/* ---- arms ---- */

#define COLUMNS(X)                                                                                                     \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(RANK, "rank", COUNT, "", "rank of the arm by mean_best, from 1")                                                 \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(ARM_LABEL, "arm_label", TEXT, "", "label of the arm")                                                            \
    X(N, "n", COUNT, "rewards", "recorded rewards over all repetitions")                                               \
    X(BEST, "best", REAL, "rewards", "largest reward")                                                                 \
    X(MEAN_BEST, "mean_best", REAL, "rewards", "mean over the repetitions of the largest reward")                      \
    X(GAP, "gap", REAL, "rewards", "suboptimality gap to the best arm")                                                \
    X(MEAN, "mean", REAL, "rewards", "mean reward")                                                                    \
    X(SD, "sd", REAL, "rewards", "standard deviation of the rewards (divisor n)")                                      \
    X(SKEWNESS, "skewness", REAL, "", "third standardised moment; missing for a constant arm")                         \
    X(SHIFT, "shift", REAL, "rewards",                                                                                 \
      "largest change of the mean over all repetitions between adjacent blocks of 10 pulls")                           \
    X(SHIFT_NOISE, "shift_noise", REAL, "rewards", "standard error of one such change without drift")                  \
    X(TIES, "ties", COUNT, "rewards", "rewards that equal the largest")                                                \
    X(TREND, "trend", REAL, "", "rank correlation (Spearman) of rewards with their pull, mean over the repetitions")   \
    X(P_TREND, "p_trend", REAL, "", "two-sided test that there is no trend")                                           \
    X(CHANGE, "change", COUNT, "pulls", "pull after which the rewards change most; missing for a constant arm")        \
    X(P_CHANGE, "p_change", REAL, "", "test that they do not change after any pull (rank CUSUM, Pettitt)")             \
    X(P_HALVES, "p_halves", REAL, "", "test that first and last half have one distribution (Kolmogorov, Smirnov)")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("recorded rewards of the arms", columns, NULL);

static void add_arms(struct mk_table *t, const struct mk_survey *s)
{
    for (size_t i = 0; i < s->p->n_instances; i++)
        for (size_t r = 0; r < s->p->instance[i].n_arms; r++) {
            const struct mk_survey_arm *a = mk_survey_at(s, i, r);
            mk_table_set_text(t, INSTANCE, s->p->instance[i].name);
            mk_table_set_count(t, RANK, r + 1);
            mk_table_set_count(t, ARM, a->arm);
            mk_table_set_text(t, ARM_LABEL, s->p->arm_label[a->arm]);
            mk_table_set_count(t, N, a->n);
            mk_table_set_real(t, BEST, a->best);
            mk_table_set_real(t, MEAN_BEST, a->mean_best);
            mk_table_set_real(t, GAP, a->gap);
            mk_table_set_real(t, MEAN, a->mean);
            mk_table_set_real(t, SD, a->sd);
            mk_table_set_real(t, SKEWNESS, a->skewness);
            mk_table_set_real(t, SHIFT, a->shift);
            mk_table_set_real(t, SHIFT_NOISE, a->shift_noise);
            mk_table_set_count(t, TIES, a->ties);
            mk_table_set_real(t, TREND, a->trend);
            mk_table_set_real(t, P_TREND, a->p_trend);
            if (a->stationarity.change)
                mk_table_set_count(t, CHANGE, a->stationarity.change);
            else
                mk_table_set_missing(t, CHANGE);
            mk_table_set_real(t, P_CHANGE, a->stationarity.p_change);
            mk_table_set_real(t, P_HALVES, a->stationarity.p_halves);
            mk_table_end_row(t);
        }
}

/* ---- by rank ---- */

#define RANK_COLUMNS(X)                                                                                                \
    X(BY_RANK, "rank", COUNT, "", "rank of the arm in its instance, from 1")                                           \
    X(INSTANCES, "instances", COUNT, "", "instances with an arm of this rank")                                         \
    X(MEDIAN_GAP, "median gap", REAL, "rewards", "median gap over the instances")                                      \
    X(MEDIAN_SKEWNESS, "median skewness", REAL, "", "median skewness over the instances")                              \
    X(MEDIAN_SHIFT, "median shift", REAL, "rewards", "median shift over the instances")                                \
    X(LEFT_SKEWED, "left-skewed", COUNT, "", "instances with negative skewness")                                       \
    X(NEAR_CONSTANT, "near-constant", COUNT, "", "instances with sd < 0.001")                                          \
    X(AVERAGE_L, "L", REAL, "1 / reward", "L of the averaged survival function")                                       \
    X(AVERAGE_U, "U", REAL, "1 / reward", "U of the averaged survival function")
MK_TABLE_COLUMNS(rank_columns, RANK_COLUMNS);
static const struct mk_table_schema rank_schema = MK_TABLE_SCHEMA("recorded rewards by rank", rank_columns, NULL);

static void add_rank(struct mk_table *t, size_t rank, const struct mk_survey_rank *r)
{
    mk_table_set_count(t, BY_RANK, rank + 1);
    mk_table_set_count(t, INSTANCES, r->instances);
    mk_table_set_real(t, MEDIAN_GAP, r->gap);
    mk_table_set_real(t, MEDIAN_SKEWNESS, r->skewness);
    mk_table_set_real(t, MEDIAN_SHIFT, r->shift);
    mk_table_set_count(t, LEFT_SKEWED, r->left_skewed);
    mk_table_set_count(t, NEAR_CONSTANT, r->near_constant);
    mk_table_set_real(t, AVERAGE_L, r->lu.L);
    mk_table_set_real(t, AVERAGE_U, r->lu.U);
    mk_table_end_row(t);
}

static double p_of(const struct mk_survey_arm *a, int test)
{
    return test == 0 ? a->p_trend : test == 1 ? a->stationarity.p_change : a->stationarity.p_halves;
}

/* How many arms are not stationary by each test. */
static int note_stationarity(struct mk_table *t, const struct mk_survey *s, struct mk_error *err)
{
    size_t n = 0, tested = 0, rejected[3] = {0};
    double *p = malloc((s->p->n_instances * s->n_ranks + 1) * sizeof *p);
    int code = p ? MK_OK : mk_fail_memory(err, "the survey");
    for (int test = 0; !code && test < 3; test++) {
        n = tested = 0;
        for (size_t i = 0; i < s->p->n_instances; i++)
            for (size_t r = 0; r < s->p->instance[i].n_arms; r++) p[n++] = p_of(mk_survey_at(s, i, r), test);
        code = mk_holm(p, n, p, err);
        for (size_t i = 0; !code && i < n; i++) {
            if (!isnan(p[i])) tested++;
            if (p[i] < 0.05) rejected[test]++;
        }
    }
    free(p);
    if (!code && tested)
        mk_table_extend_note(
            t,
            "\nOf %zu arms that vary, %zu have a trend, %zu a change, and %zu halves that differ (5 %%, "
            "each test adjusted by Holm for all arms).",
            tested, rejected[0], rejected[1], rejected[2]);
    return code;
}

static int append_ranks(struct mk_table *to, const struct mk_survey *s, size_t flat, struct mk_error *err)
{
    struct mk_table *t = NULL;
    size_t left_skewed = 0, all = 0;
    int code = mk_table_new(&t, &rank_schema, err);
    if (code) return code;
    mk_table_append(to, t);
    mk_table_set_caption(t,
                         "By rank (1 = largest mean over the repetitions of the largest reward); L and U of the "
                         "survival function averaged over\nthe instances, over its trimmed range, with b its largest "
                         "value:");
    for (size_t rank = 0; !code && rank < s->n_ranks; rank++) {
        struct mk_survey_rank r;
        code = mk_survey_rank_new(s, rank, &r, err);
        if (code) break;
        add_rank(t, rank, &r);
        left_skewed += r.left_skewed;
        all += r.instances;
    }
    mk_table_add_note(t, "%zu of %zu arms are left-skewed.", left_skewed, all);
    if (flat) mk_table_extend_note(t, "\n%zu repetitions have the same reward everywhere; it became 1.", flat);
    return code ? code : note_stationarity(t, s, err);
}

/* ---- concavity ---- */

enum { CONCAVE, SMOOTH, LOOSE, BOUND, DEPARTURE, MEASURES };

#define CONCAVE_COLUMNS(X)                                                                                             \
    X(C_INSTANCE, "instance", TEXT, "", "instance of the problem")                                                     \
    X(C_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                            \
    X(C_LABEL, "arm_label", TEXT, "", "label of the arm")                                                              \
    X(C_CURVES, "curves", COUNT, "", "best-so-far curves, one per repetition")                                         \
    X(C_CONCAVE, "concave", REAL, "", "share of the curves whose growth never increases")                              \
    X(C_SMOOTHED, "concave_smoothed", REAL, "", "the same of the growth rate over C pulls (eq. 10 of Li et al. 2020)") \
    X(C_EQ_15, "eq_15", REAL, "", "share of the rounds at which loose concavity (eq. 15) holds")                       \
    X(C_BOUND, "bound_holds", REAL, "", "share of the rounds at which the upper bound of y(T) is one")                 \
    X(C_DEPARTURE, "departure", REAL, "",                                                                              \
      "of the mean curve from the least concave curve above it, relative to its rise")
MK_TABLE_COLUMNS(concave_columns, CONCAVE_COLUMNS);
static const struct mk_table_schema concave_schema =
    MK_TABLE_SCHEMA("concavity of best-so-far curves (--concave)", concave_columns, NULL);

#define ASSUMPTION_COLUMNS(X)                                                                                          \
    X(ASSUMPTION, "assumption", TEXT, "", "what is assumed, and its measure")                                          \
    X(A_ARMS, "arms", COUNT, "", "arms, the sample")                                                                   \
    X(A_MEAN, "mean", REAL, "", "mean of the measure over the arms")                                                   \
    X(A_LOW, "low", REAL, "", "lower end of the 95 % interval of Student")                                             \
    X(A_HIGH, "high", REAL, "", "upper end of the interval")                                                           \
    X(A_VERDICT, "verdict", TEXT, "", "holds, violated or inconclusive")
MK_TABLE_COLUMNS(assumption_columns, ASSUMPTION_COLUMNS);
static const struct mk_table_view assumption_view[] = {
    {ASSUMPTION, "assumption", NULL}, {A_ARMS, "arms", NULL},       {A_MEAN, "mean", "%.4f"}, {A_LOW, "low", "%.4f"},
    {A_HIGH, "high", "%.4f"},         {A_VERDICT, "verdict", NULL}, MK_TABLE_VIEW_END};
static const struct mk_table_schema assumption_schema =
    MK_TABLE_SCHEMA("assumptions of concavity (--concave)", assumption_columns, assumption_view);

/* A mean curve this close to a concave one, relative to its rise, counts as concave. */
static const double close_enough = 0.05;

static void add_concavity(struct mk_table *t, const struct mk_problem *p, size_t instance, size_t k,
                          const struct mk_concavity *c, struct mk_real_moments *over_arms)
{
    const double value[MEASURES] = {c->concave, c->smooth, c->loose, 1 - c->bound_fails, c->departure};
    const size_t arm = p->instance[instance].arm[k];
    mk_table_set_text(t, C_INSTANCE, p->instance[instance].name);
    mk_table_set_count(t, C_ARM, arm);
    mk_table_set_text(t, C_LABEL, p->arm_label[arm]);
    mk_table_set_count(t, C_CURVES, c->curves);
    for (size_t m = 0; m < MEASURES; m++) {
        mk_table_set_real(t, C_CONCAVE + m, value[m]);
        mk_real_moments_add(&over_arms[m], value[m]);
    }
    mk_table_end_row(t);
}

/* An assumption that is to hold without exception: whether the smallest share is 1. */
static const char *strict(const struct mk_real_moments *m)
{
    return m->min >= 1 ? "holds" : "violated";
}

static const char *bounded(double low, double high, double most)
{
    return high <= most ? "holds" : low > most ? "violated" : "inconclusive";
}

static int append_assumptions(struct mk_table *to, const struct mk_real_moments *over_arms, uint64_t C,
                              struct mk_error *err)
{
    static const char *const text[MEASURES] = {
        "every curve is concave (Assumption 1): share of curves",
        "the growth rate of eq. 10 never grows: share of curves",
        "loose concavity, eq. 15: share of rounds",
        "the upper bound of y(T) holds: share of rounds",
        "mean curves are concave up to 5 % of their rise: departure",
    };
    struct mk_table *t = NULL;
    int code = mk_table_new(&t, &assumption_schema, err);
    if (code) return code;
    mk_table_append(to, t);
    mk_table_set_caption(t,
                         "Over all arms, C = %llu: mean and 95 %% interval of Student, arms as the sample. The first "
                         "four are assumed to hold without\nexception.",
                         (unsigned long long)C);
    for (size_t m = 0; m < MEASURES; m++) {
        const struct mk_real_moments *of = &over_arms[m];
        const double mean = mk_real_moments_mean(of), half = mk_spread_student(&of->spread, 0.95);
        mk_table_set_text(t, ASSUMPTION, text[m]);
        mk_table_set_count(t, A_ARMS, of->spread.n);
        mk_table_set_real(t, A_MEAN, mean);
        mk_table_set_real(t, A_LOW, mean - half);
        mk_table_set_real(t, A_HIGH, mean + half);
        mk_table_set_text(t, A_VERDICT, m == DEPARTURE ? bounded(mean - half, mean + half, close_enough) : strict(of));
        mk_table_end_row(t);
    }
    return MK_OK;
}

static int make_concavity(struct mk_table **out, const struct mk_problem *p, uint64_t C, struct mk_error *err)
{
    struct mk_real_moments over_arms[MEASURES];
    memset(over_arms, 0, sizeof over_arms);
    int code = mk_table_new(out, &concave_schema, err);
    for (size_t i = 0; i < p->n_instances && !code; i++)
        for (size_t k = 0; k < p->instance[i].n_arms && !code; k++) {
            struct mk_concavity c;
            code = mk_concavity_of(&c, p, i, k, C, err);
            if (!code) add_concavity(*out, p, i, k, &c, over_arms);
        }
    return code ? code : append_assumptions(*out, over_arms, C, err);
}

/* ---- */

static int make_survey(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct survey_options *o = call->options;
    struct mk_experiment *e = NULL;
    struct mk_survey *s = NULL;
    struct mk_table *t = NULL;
    size_t flat = 0;
    int code = mk_table_open(&e, &mk_table_survey, call, err);
    if (!code && !o->raw) flat = mk_problem_normalise(e->problem);
    if (!code) code = mk_survey_new(&s, e->problem, err);
    if (!code && o->concave) code = make_concavity(&t, e->problem, o->concave, err);
    if (!code && !o->concave) code = mk_table_new(&t, &schema, err);
    if (!code && !o->concave) add_arms(t, s);
    if (!code && !o->concave && call->further) code = append_ranks(t, s, flat, err);
    if (!code) mk_table_warn_gaps(t, e->problem);
    mk_survey_free(s);
    mk_experiment_free(e);
    return mk_table_made(out, t, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    const struct mk_source_type *source = mk_table_source(r);
    return source && (source->recorded || source->evaluated) ? NULL : "it is about recorded rewards";
}

static const struct survey_options defaults = {0};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct survey_options, concave, "concave", 0, MK_OPT_COUNT, "C", NULL, 1, 1e9,
                    "print the concavity of best-so-far curves, with growth rates over C pulls"),
    MK_TABLE_OPTION(struct survey_options, raw, "raw", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                    "do not normalise the rewards"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_survey = {
    .usage =
        {"survey", "FILE.csv[.gz]|FILE.yaml|RESULT.h5|-",
         "Describes recorded rewards, one row for every instance and arm. The best arm of an instance comes first: the "
         "one whose largest reward, averaged over the repetitions, is the largest. A second table, which only the text "
         "format has, summarises the arms by their rank. Rewards are first mapped to [0, 1], per instance and "
         "repetition, unless --raw is given. `maxk figures` draws the same quantities.\n\n  gap  how far mean_best is "
         "below that of the best arm\n  skewness  third standardised moment of the rewards\n  shift  largest change of "
         "the mean reward between adjacent blocks of 10 pulls; the mean is over all repetitions\n  shift_noise  "
         "standard error of such a change if the arm does not drift\n  ties  number of rewards that equal the "
         "largest\n  trend  rank correlation (Spearman) of the rewards with the number of their pull, averaged over the "
         "repetitions\n  p_trend  test that the trend is 0; a small value says that the rewards are not "
         "stationary\n  change  pull after which the rewards change most: the largest sum of their ranks, each within its "
         "repetition\n  p_change  test that they change after no pull, which finds a step or a trend at an unknown time "
         "(Pettitt 1979, with repetitions as blocks)\n  p_halves  test that the first and the last half of the pulls have "
         "the same distribution, which finds changes of the spread as well (Kolmogorov, Smirnov)\n  near-constant  number of instances in which the standard deviation is below 0.001\n\n--concave C "
         "asks another question: are best-so-far curves y(t), t = 1 … T, concave, as Rising Bandits assume (Li et al. "
         "2020)? The growth rate at t is (y(t) - y(t - C)) / C.\n\n  concave  share of the curves, one per repetition, "
         "whose growth y(t) - y(t - 1) never increases\n  concave_smoothed  share of the curves whose growth rate "
         "never increases (eq. 10)\n  eq_15  share of the rounds at which loose concavity (eq. 15) holds for the "
         "smallest concave curve above y\n  bound_holds  share of the rounds at which y(t) plus T - t times the growth "
         "rate is at least y(T)\n  departure  largest distance of the mean curve from the smallest concave curve above "
         "it, divided by its rise y(T) - y(1)",
         1, 1},
    .group = "Arms and recorded rewards",
    .summary = "describe recorded rewards: ranks, gaps, skewness, drift",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    MK_TABLE_SHOWS(&schema, &rank_schema, &concave_schema, &assumption_schema),
    .inapplicable = inapplicable,
    .make = make_survey};

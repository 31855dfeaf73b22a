/* Tails of the arms: fits of extreme-value distributions to the largest rewards, with end points, intervals and tests.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/arms/pooled_rewards.h"
#include "analysis/theory/tail_fit.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/statistics.h"
#include "sim/search/models/significance.h"

struct tails_options {
    uint64_t exceedances, block, samples, draws, seed;
    double confidence;
};

enum { MIN_DEFAULT = 20, MAX_DEFAULT = 1000, MAX_FITTED = 100000 };

#define COLUMNS(X)                                                                                                     \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(REWARDS, "n", COUNT, "rewards", "rewards of the arm; with --block the maxima of its blocks")                     \
    X(FITTED, "fitted", COUNT, "rewards", "how many of the largest of them are fitted")                                \
    X(TIES, "ties", COUNT, "rewards", "of these, how many equal the largest")                                          \
    X(LOCATION, "location", REAL, "rewards", "the threshold; with --block the location of the fit")                    \
    X(SCALE, "scale", REAL, "rewards", "scale of the fit")                                                             \
    X(SHAPE, "shape", REAL, "", "shape of the fit: below 0 with an upper end point, above 0 with a heavy tail")        \
    X(SHAPE_LOW, "shape_low", REAL, "", "lower end of its interval")                                                   \
    X(SHAPE_HIGH, "shape_high", REAL, "", "upper end of its interval")                                                 \
    X(END, "end", REAL, "rewards", "upper end point of the fit, at least the largest reward")                          \
    X(END_LOW, "end_low", REAL, "rewards", "lower end of its interval")                                                \
    X(END_HIGH, "end_high", REAL, "rewards", "upper end of its interval")                                              \
    X(P_EXPONENTIAL, "p_exponential", REAL, "", "two-sided test of the shape 0, an exponential tail")                  \
    X(P_HOLM, "p_holm", REAL, "", "p_exponential, adjusted by Holm for all rows of the table")                         \
    X(P_FIT, "p_fit", REAL, "",                                                                                        \
      "goodness of fit: a small value says that the fitted distribution is not the right one")                         \
    X(TAIL, "tail", TEXT, "", "bounded (shape_high < 0), heavy (shape_low > 0) or undecided")                          \
    X(ARM_LABEL, "arm_label", TEXT, "", "label of the arm")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{INSTANCE, "instance", NULL},
                                            {ARM_LABEL, "arm_label", NULL},
                                            {FITTED, "fitted", NULL},
                                            {SHAPE, "shape", "%.3f"},
                                            {SHAPE_LOW, "shape_low", "%.3f"},
                                            {SHAPE_HIGH, "shape_high", "%.3f"},
                                            {END, "end", "%.5g"},
                                            {END_LOW, "end_low", "%.5g"},
                                            {END_HIGH, "end_high", "%.5g"},
                                            {P_HOLM, "p_holm", "%.4f"},
                                            {P_FIT, "p_fit", "%.4f"},
                                            {TAIL, "tail", NULL},
                                            MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("tails of the arms", columns, view);

/* One arm: its fit, where there is one (`fitted` > 0). */
struct arm_tail {
    size_t fitted, ties;
    struct mk_tail_fit fit;
};

/* How many of n sorted rewards exceed the threshold. */
static size_t exceedances(const struct tails_options *o, size_t n)
{
    size_t k = o->exceedances ? (size_t)o->exceedances : n / 10;
    if (!o->exceedances) k = k < MIN_DEFAULT ? MIN_DEFAULT : k > MAX_DEFAULT ? MAX_DEFAULT : k;
    return k < n ? k : n - 1;
}

/* The largest `fitted` of n ascending rewards; fewer where rewards are equal to the threshold. 0: too few, or more than
 * half of them equal the largest, which is then an atom and no end of a continuous distribution. */
static int fit_arm(struct arm_tail *out, const struct tails_options *o, const double *sorted, size_t n,
                   struct mk_key key, struct mk_error *err)
{
    size_t k = o->block ? n : exceedances(o, n);
    const double threshold = o->block ? 0 : sorted[n - 1 - k], largest = sorted[n - 1];
    while (!o->block && k > 0 && sorted[n - k] == threshold) k--;
    for (out->ties = 0; out->ties < n && sorted[n - 1 - out->ties] == largest;) out->ties++;
    out->fitted = k >= MK_TAIL_MIN_VALUES && 2 * out->ties <= k ? k : 0;
    if (!out->fitted) return MK_OK;
    return mk_tail_fit(&out->fit, o->block ? MK_TAIL_EXTREME_VALUE : MK_TAIL_PARETO, sorted + n - k, k, threshold,
                       o->confidence, (size_t)o->draws, key, err);
}

static const char *tail_word(const struct mk_tail_fit *f)
{
    return f->shape_high < 0 ? "bounded" : f->shape_low > 0 ? "heavy" : "undecided";
}

static void add_tail_row(struct mk_table *t, const struct mk_problem *p, const struct mk_instance *in, size_t k,
                         size_t n, const struct arm_tail *a, double holm)
{
    const struct mk_tail_fit *f = &a->fit;
    mk_table_set_text(t, INSTANCE, in->name);
    mk_table_set_count(t, ARM, in->arm[k]);
    mk_table_set_text(t, ARM_LABEL, p->arm_label[in->arm[k]]);
    mk_table_set_count(t, REWARDS, n);
    mk_table_set_count(t, FITTED, a->fitted);
    mk_table_set_count(t, TIES, a->ties);
    const double of[] = {f->location, f->scale,    f->shape,         f->shape_low, f->shape_high, f->end,
                         f->end_low,  f->end_high, f->p_exponential, holm,         f->p_fit};
    for (size_t c = 0; c < sizeof of / sizeof *of; c++) mk_table_set_real(t, LOCATION + c, a->fitted ? of[c] : NAN);
    mk_table_set_text(t, TAIL, a->fitted ? tail_word(f) : "");
    mk_table_end_row(t);
}

/* ---- all arms ---- */

struct work {
    const struct mk_problem *p;
    const struct tails_options *o;
    struct arm_tail *arm; /* by instance and position */
    size_t *n;            /* rewards or maxima of each */
    double *holm;
};

/* Fits the arms of an instance, whose first is number `first` of all. The numbers do not depend on the threads. */
static int fit_instance(struct work *w, size_t instance, size_t first, struct mk_error *err)
{
    const struct tails_options *o = w->o;
    const struct mk_instance *in = &w->p->instance[instance];
    struct mk_pooled_rewards *pool = NULL;
    int code = mk_pooled_maxima_new(&pool, w->p, instance, o->block ? (size_t)o->block : 1, (size_t)o->samples, o->seed,
                                    "tails", err);
    if (code) return code;
    for (size_t k = 0; !code && o->block && k < in->n_arms; k++)
        if (pool->n[k] > MAX_FITTED)
            code = mk_fail(err, MK_EINPUT, "tails: --block: %zu blocks of arm %s; at most %d are fitted", pool->n[k],
                           w->p->arm_label[in->arm[k]], MAX_FITTED);
#pragma omp parallel for schedule(dynamic, 1) if (!code)
    for (size_t k = 0; k < (code ? 0 : in->n_arms); k++) {
        MK_IN_C_LOCALE;
        struct mk_error its;
        struct arm_tail *a = &w->arm[first + k];
        const struct mk_key key = mk_key_text(mk_pooled_rewards_key(o->seed, "fits of tails", in->arm[k]), in->name);
        w->n[first + k] = pool->n[k];
        const int its_code = fit_arm(a, o, pool->sorted[k], pool->n[k], key, &its);
        w->holm[first + k] = !its_code && a->fitted ? a->fit.p_exponential : NAN;
        if (!its_code) continue;
#pragma omp critical(mk_tails)
        {
            code = its_code;
            *err = its;
        }
    }
    mk_pooled_rewards_free(pool);
    return code;
}

static int fit_arms(struct work *w, mk_progress_report *report, struct mk_error *err)
{
    struct mk_progress progress = {.report = report, .context = &(struct mk_progress_line){"tails", 0, NULL}};
    int code = MK_OK;
    mk_progress_start(&progress, 0, w->p->n_instances);
    for (size_t i = 0, first = 0; !code && i < w->p->n_instances; first += w->p->instance[i++].n_arms) {
        code = fit_instance(w, i, first, err);
        mk_progress_step(&progress, 1);
    }
    return code;
}

static void add_tail_rows(struct mk_table *t, const struct work *w)
{
    size_t at = 0;
    for (size_t i = 0; i < w->p->n_instances; i++)
        for (size_t k = 0; k < w->p->instance[i].n_arms; k++, at++)
            add_tail_row(t, w->p, &w->p->instance[i], k, w->n[at], &w->arm[at], w->holm[at]);
}

/* ---- arms by their tail ---- */

#define WORD_COLUMNS(X)                                                                                                \
    X(BY_TAIL, "tail", TEXT, "", "bounded, heavy, undecided, or no fit")                                               \
    X(ARMS, "arms", COUNT, "", "arms with this tail")                                                                  \
    X(LOW_SHAPE, "shape_10", REAL, "", "shape: 10 % quantile over these arms")                                         \
    X(MEDIAN_SHAPE, "shape_50", REAL, "", "shape: median")                                                             \
    X(HIGH_SHAPE, "shape_90", REAL, "", "shape: 90 % quantile")                                                        \
    X(SURE, "p_holm < 0.05", COUNT, "", "arms whose tail is not exponential, adjusted for all arms")                   \
    X(POOR, "p_fit < 0.05", COUNT, "", "arms whose fit is rejected; one in twenty would be if all fits were right")
MK_TABLE_COLUMNS(word_columns, WORD_COLUMNS);
static const struct mk_table_schema word_schema = MK_TABLE_SCHEMA("arms by their tail", word_columns, NULL);

static const char *const tail_words[] = {"bounded", "undecided", "heavy", "no fit"};
enum { TAIL_WORDS = sizeof tail_words / sizeof *tail_words };

/* Arms of one word; shape[] has room for all arms. */
static void add_word(struct mk_table *t, const struct work *w, size_t arms, const char *word, double *shape)
{
    size_t n = 0, fitted = 0, sure = 0, poor = 0;
    for (size_t i = 0; i < arms; i++) {
        const struct arm_tail *a = &w->arm[i];
        if (strcmp(a->fitted ? tail_word(&a->fit) : "no fit", word) != 0) continue;
        n++;
        if (!a->fitted) continue;
        shape[fitted++] = a->fit.shape;
        sure += w->holm[i] < 0.05;
        poor += a->fit.p_fit < 0.05;
    }
    if (!n) return;
    mk_sort_values(shape, fitted);
    mk_table_set_text(t, BY_TAIL, word);
    mk_table_set_count(t, ARMS, n);
    for (size_t c = 0; c < 3; c++)
        mk_table_set_real(t, LOW_SHAPE + c, mk_quantile_sorted(shape, fitted, 0.1 + 0.4 * (double)c));
    mk_table_set_count(t, SURE, fitted ? sure : MK_COUNT_MISSING);
    mk_table_set_count(t, POOR, fitted ? poor : MK_COUNT_MISSING);
    mk_table_end_row(t);
}

static int append_words(struct mk_table *to, const struct work *w, size_t arms, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_table_new(&t, &word_schema, err);
    if (code) return code;
    mk_table_append(to, t);
    mk_table_set_caption(t, "Arms by their tail:");
    double *shape = malloc((arms + 1) * sizeof *shape);
    if (!shape) return mk_fail_memory(err, "tails");
    for (size_t word = 0; word < TAIL_WORDS; word++) add_word(t, w, arms, tail_words[word], shape);
    free(shape);
    size_t fits = 0;
    for (size_t i = 0; i < arms; i++) fits += w->arm[i].fitted > 0;
    const uint64_t enough = 40 * (uint64_t)fits;
    if (w->o->draws + 1 < enough)
        mk_table_add_note(t, "p_holm of %zu fits can be below 0.05 with --draws %llu or more only.", fits,
                          (unsigned long long)enough);
    return code;
}

static int make_tail_rows(struct mk_table *t, const struct mk_table_call *call, const struct mk_problem *p,
                          struct mk_error *err)
{
    size_t arms = 0;
    for (size_t i = 0; i < p->n_instances; i++) arms += p->instance[i].n_arms;
    struct work w = {p, call->options, calloc(arms, sizeof *w.arm), calloc(arms, sizeof *w.n),
                     calloc(arms, sizeof *w.holm)};
    int code = w.arm && w.n && w.holm ? MK_OK : mk_fail_memory(err, "tails");
    if (!code) code = fit_arms(&w, call->report, err);
    if (!code) code = mk_holm(w.holm, arms, w.holm, err);
    if (!code) add_tail_rows(t, &w);
    if (!code && call->further) code = append_words(t, &w, arms, err);
    free(w.arm);
    free(w.n);
    free(w.holm);
    return code;
}

static int make_tails(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct tails_options *o = call->options;
    struct mk_experiment *e = NULL;
    struct mk_table *t = NULL;
    int code = mk_table_open(&e, &mk_table_tails, call, err);
    if (!code) code = mk_problem_same_distribution(e->problem, "tails are", err);
    if (!code && o->block && o->exceedances)
        code = mk_fail(err, MK_EINPUT, "tails: --exceedances: only without --block, which fits all maxima");
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) mk_table_warn_gaps(t, e->problem);
    if (!code) code = make_tail_rows(t, call, e->problem, err);
    mk_experiment_free(e);
    return mk_table_made(out, t, code, err);
}

static const struct tails_options defaults = {.samples = 10000, .draws = 1000, .seed = 42, .confidence = 0.95};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct tails_options, exceedances, "exceedances", 'k', MK_OPT_COUNT, "N", NULL, MK_TAIL_MIN_VALUES,
                    MAX_FITTED, "fit the N largest rewards of an arm (default: a tenth, but 20 to 1000)"),
    MK_TABLE_OPTION(struct tails_options, block, "block", 0, MK_OPT_COUNT, "N", NULL, 2, 1e8,
                    "fit the largest rewards of blocks of N consecutive pulls instead"),
    MK_TABLE_OPTION(struct tails_options, confidence, "confidence", 0, MK_OPT_REAL, "LEVEL", NULL, 0.5, 0.999,
                    "confidence level of each interval (default: 0.95)"),
    MK_TABLE_OPTION(struct tails_options, draws, "draws", 0, MK_OPT_COUNT, "N", NULL, 99, 1e6,
                    "samples drawn for intervals and tests (default: 1000)"),
    MK_TABLE_OPTION(struct tails_options, samples, "samples", 'n', MK_OPT_COUNT, "N", NULL, 100, 1e8,
                    "draws per synthetic arm (default: 10000)"),
    MK_TABLE_OPTION(struct tails_options, seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 1, 0,
                    "seed of the draws (default: 42)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_tails = {
    .usage =
        {"tails", "FILE.csv[.gz]|FILE.yaml|RESULT.h5|-",
         "Fits the upper tail of every arm and says whether it is bounded or heavy. MaxUCB assumes rewards with an upper "
         "end point; several of its rivals assume heavy tails. The largest rewards of an arm are fitted by the "
         "generalised Pareto distribution above a threshold. With --block N, the largest rewards of blocks of N pulls "
         "are fitted by the generalised extreme-value distribution.\n\n  shape  below 0, there is an upper end point b "
         "and P(X >= b - e) falls as e^(-1/shape); 0 is an exponential tail; above 0, the tail is heavy, as Pareto's "
         "with exponent 1/shape\n  shape_low, shape_high  interval of the shape\n  end  upper end point, with its interval; inf "
         "where there is none\n  p_holm  test of the shape 0, adjusted for all arms\n  p_fit  goodness of fit; small "
         "for rewards that are rounded, such as accuracies on small data sets\n  tail  bounded or heavy where the "
         "interval of the shape excludes 0, otherwise undecided\n\nThe estimates are those of L-moments (Hosking & "
         "Wallis 1987). Intervals and p-values are computed from samples that are drawn (--draws). Their levels hold for "
         "any number of rewards, if these are independent draws from the fitted distribution. An end point is an "
         "extrapolation: of a distribution that is like the fitted one only far out, such as a normal distribution, the "
         "end point is found too low.",
         1, 1},
    .group = "Arms and recorded rewards",
    .summary = "tails of the arms: extreme-value fits, end points, bounded against heavy",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    MK_TABLE_SHOWS(&schema, &word_schema),
    .inapplicable = mk_table_same_distribution,
    .costly = true,
    .make = make_tails};

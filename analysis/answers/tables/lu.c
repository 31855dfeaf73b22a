/* The constants L and U of Lemma 3.3, per instance, arm and estimator; summarised by rank; against published values. */
#include <math.h>
#include <stdio.h>

#include "analysis/answers/tables/table_type.h"
#include "analysis/compare/arms/lu_ranks.h"
#include "analysis/theory/published_lu.h"
#include "sim/base/error.h"

enum { ALL = MK_LU_ESTIMATORS }; /* position of "all" among the choices */

struct lu_options {
    int estimator, upper, published, normalise, interval;
    double confidence;
    uint64_t samples, runs, resamples, seed;
};

/* ---- the table ---- */

#define COLUMNS(X)                                                                                                     \
    X(INSTANCE, "instance", TEXT, "", "instance of the problem")                                                       \
    X(ARM, "arm", COUNT, "", "number of the arm, from 0")                                                              \
    X(ESTIMATOR, "estimator", TEXT, "", "exact, trimmed, plugin or paper_c3 (maxk lu --help)")                         \
    X(UPPER, "upper", TEXT, "", "how the upper end point b was chosen")                                                \
    X(N, "n", COUNT, "rewards", "rewards of the sample")                                                               \
    X(LOWER_CONSTANT, "L", REAL, "1 / reward", "largest L with L eps <= G(b - eps) over the range of eps")             \
    X(L_LOW, "L_low", REAL, "1 / reward", "lower end of the interval around L")                                        \
    X(L_HIGH, "L_high", REAL, "1 / reward", "upper end of the interval around L")                                      \
    X(UPPER_CONSTANT, "U", REAL, "1 / reward", "smallest U with G(b - eps) <= U eps; inf where rewards are tied at b") \
    X(U_LOW, "U_low", REAL, "1 / reward", "lower end of the interval around U")                                        \
    X(U_HIGH, "U_high", REAL, "1 / reward", "upper end of the interval around U")                                      \
    X(EPS_L, "eps_L", REAL, "rewards", "the eps at which L is attained")                                               \
    X(EPS_U, "eps_U", REAL, "rewards", "the eps at which U is attained")                                               \
    X(LABEL, "label", TEXT, "", "label of the arm")                                                                    \
    X(NOTE, "note", TEXT, "", "what is unusual about the arm: constant, near-constant, ties at the top")
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_view view[] = {{INSTANCE, "instance", NULL}, {ARM, "arm", NULL},
                                            {LABEL, "label", NULL},       {ESTIMATOR, "estimator", NULL},
                                            {UPPER, "upper", NULL},       {N, "n", NULL},
                                            {LOWER_CONSTANT, "L", NULL},  {L_LOW, "L_low", NULL},
                                            {L_HIGH, "L_high", NULL},     {UPPER_CONSTANT, "U", NULL},
                                            {U_LOW, "U_low", NULL},       {U_HIGH, "U_high", NULL},
                                            {EPS_L, "eps_L", NULL},       {EPS_U, "eps_U", NULL},
                                            {NOTE, "note", NULL},         MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("L and U of the arms", columns, view);

/* Remarks on what is unusual about L and U of this arm; `a` is NULL for known arms. */
static void set_note(struct mk_table *t, const struct mk_survey_arm *a, const struct mk_lu_row *r)
{
    const char *kind = !a ? "" : a->ties == a->n ? "constant" : a->sd < MK_NEAR_CONSTANT ? "near-constant" : "";
    char text[96];
    if (a && a->ties > 1 && a->ties < a->n)
        snprintf(text, sizeof text, "%s%s%zu ties at the top", kind, kind[0] ? ", " : "", a->ties);
    else
        snprintf(text, sizeof text, "%s",
                 !isnan(r->lu.L)                  ? kind
                 : r->estimator == MK_LU_PAPER_C3 ? "no positive rewards"
                                                  : "no finite upper end");
    mk_table_set_text(t, NOTE, text);
}

static void add_lu_row(struct mk_table *t, const struct mk_problem *p, const struct mk_instance *in, size_t k,
                       const struct mk_survey_arm *a, const struct mk_lu_row *r)
{
    mk_table_set_text(t, INSTANCE, in->name);
    mk_table_set_count(t, ARM, in->arm[k]);
    mk_table_set_text(t, LABEL, p->arm_label[in->arm[k]]);
    mk_table_set_text(t, ESTIMATOR, mk_lu_estimator_name(r->estimator));
    mk_table_set_text(t, UPPER, r->upper);
    mk_table_set_count(t, N, r->n ? r->n : MK_COUNT_MISSING);
    mk_table_set_real(t, LOWER_CONSTANT, r->lu.L);
    mk_table_set_real(t, L_LOW, r->interval.L_low);
    mk_table_set_real(t, L_HIGH, r->interval.L_high);
    mk_table_set_real(t, UPPER_CONSTANT, r->lu.U);
    mk_table_set_real(t, U_LOW, r->interval.U_low);
    mk_table_set_real(t, U_HIGH, r->interval.U_high);
    mk_table_set_real(t, EPS_L, r->lu.eps_L);
    mk_table_set_real(t, EPS_U, r->lu.eps_U);
    set_note(t, a, r);
    mk_table_end_row(t);
}

struct making {
    struct mk_table *table;
    const struct mk_problem *p;
    const struct mk_table_call *call;
    const struct lu_options *o;
    struct mk_lu_options lu;
    struct mk_lu_ranks *ranks;
    struct mk_progress progress;
};

static bool wanted(const struct making *w, int estimator)
{
    if (w->o->estimator == ALL) return mk_lu_available(w->p, (enum mk_lu_estimator)estimator);
    return w->o->estimator == estimator;
}

static int add_instance(struct making *w, size_t instance, struct mk_error *err)
{
    const struct mk_instance *in = &w->p->instance[instance];
    struct mk_lu_options o = w->lu;
    struct mk_pooled_rewards *pool = NULL;
    int code = MK_OK;
    o.global_end = mk_lu_global_end(w->p, instance);
    if (wanted(w, MK_LU_PLUGIN) || (!w->p->source->known && wanted(w, MK_LU_PAPER_C3)))
        code = mk_pooled_rewards_new(&pool, w->p, instance, o.samples, o.seed, MK_LU_STREAM, err);
    for (size_t k = 0; !code && k < in->n_arms; k++) {
        const struct mk_survey_arm *a = mk_lu_ranks_survey(w->ranks, instance, k);
        for (int e = 0; !code && e < MK_LU_ESTIMATORS; e++) {
            struct mk_lu_row row;
            if (!wanted(w, e)) continue;
            code = mk_lu_arm(w->p, instance, k, pool, (enum mk_lu_estimator)e, &o, &row, err);
            if (code) break;
            add_lu_row(w->table, w->p, in, k, a, &row);
            mk_lu_ranks_add(w->ranks, instance, k, &row);
        }
        mk_progress_step(&w->progress, 1);
    }
    mk_pooled_rewards_free(pool);
    return code;
}

/* ---- by rank ---- */

#define RANK_COLUMNS(X)                                                                                                \
    X(RANK, "rank", COUNT, "", "rank of the arm in its instance, from 1")                                              \
    X(RANK_ESTIMATOR, "estimator", TEXT, "", "estimator of L and U")                                                   \
    X(INSTANCES, "instances", COUNT, "", "instances with an arm of this rank that has L and U")                        \
    X(MEDIAN_L, "median L", REAL, "1 / reward", "median of L over the instances")                                      \
    X(LEAST_L, "least L", REAL, "1 / reward", "smallest L")                                                            \
    X(LARGEST_L, "largest L", REAL, "1 / reward", "largest L")                                                         \
    X(MEDIAN_U, "median U", REAL, "1 / reward", "median of U over the instances")                                      \
    X(LEAST_U, "least U", REAL, "1 / reward", "smallest U")                                                            \
    X(LARGEST_U, "largest U", REAL, "1 / reward", "largest U")                                                         \
    X(UNLIMITED, "U = inf", COUNT, "", "instances in which U is infinite")                                             \
    X(CONSTANT, "constant", COUNT, "", "instances in which the recorded arm never changes")
MK_TABLE_COLUMNS(rank_columns, RANK_COLUMNS);
static const struct mk_table_schema rank_schema = MK_TABLE_SCHEMA("L and U by rank", rank_columns, NULL);

static int append_ranks(struct making *w, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_table_new(&t, &rank_schema, err);
    if (code) return code;
    mk_table_append(w->table, t);
    mk_table_set_caption(t, "Arms ranked by their %s, over the instances:",
                         w->p->source->recorded ? "largest rewards (mean over the repetitions)" : "upper ends");
    for (size_t rank = 0; rank < w->p->n_arms; rank++)
        for (size_t e = 0; e < MK_LU_ESTIMATORS; e++) {
            const struct mk_lu_rank r = mk_lu_ranks_get(w->ranks, (enum mk_lu_estimator)e, rank);
            if (r.n == 0) continue;
            mk_table_set_count(t, RANK, rank + 1);
            mk_table_set_text(t, RANK_ESTIMATOR, mk_lu_estimator_name((enum mk_lu_estimator)e));
            mk_table_set_count(t, INSTANCES, r.n);
            mk_table_set_real(t, MEDIAN_L, r.L.median);
            mk_table_set_real(t, LEAST_L, r.L.least);
            mk_table_set_real(t, LARGEST_L, r.L.largest);
            mk_table_set_real(t, MEDIAN_U, r.U.median);
            mk_table_set_real(t, LEAST_U, r.U.least);
            mk_table_set_real(t, LARGEST_U, r.U.largest);
            mk_table_set_count(t, UNLIMITED, r.unlimited);
            mk_table_set_count(t, CONSTANT, r.constant);
            mk_table_end_row(t);
        }
    return MK_OK;
}

/* ---- published values ---- */

#define PUBLISHED_COLUMNS(X)                                                                                           \
    X(PUBLISHED_ARM, "arm", COUNT, "", "number of the arm, from 0")                                                    \
    X(PUBLISHED_LABEL, "label", TEXT, "", "label of the arm")                                                          \
    X(TABLE, "table", TEXT, "", "table of Balef et al. 2025")                                                          \
    X(NAME, "constant", TEXT, "", "L or U")                                                                            \
    X(PUBLISHED, "published", REAL, "1 / reward", "the published mean")                                                \
    X(PUBLISHED_SD, "published_sd", REAL, "1 / reward", "the published standard deviation")                            \
    X(REPEATED, "repeated", REAL, "1 / reward", "mean of the same computation, repeated")                              \
    X(REPEATED_SD, "repeated_sd", REAL, "1 / reward", "its standard deviation")                                        \
    X(TRIMMED, "trimmed", REAL, "1 / reward", "the constant over the trimmed range of eps")                            \
    X(EXACT, "exact", REAL, "1 / reward", "the constant itself")                                                       \
    X(DIFFERENCE, "published-exact", REAL, "1 / reward", "published minus exact")                                      \
    X(QUOTIENT, "published/exact", REAL, "", "published divided by exact")
MK_TABLE_COLUMNS(published_columns, PUBLISHED_COLUMNS);
static const struct mk_table_schema published_schema =
    MK_TABLE_SCHEMA("published L and U (--published)", published_columns, NULL);

static bool any_published(const struct mk_problem *p)
{
    for (size_t k = 0; p->source->known && k < p->n_arms; k++)
        if (mk_published_lu_find(p->dist[k])) return true;
    return false;
}

static int add_published(const struct making *w, struct mk_table *t, size_t k, struct mk_error *err)
{
    const struct mk_published_lu *p = mk_published_lu_find(w->p->dist[k]);
    const struct mk_lu_options *o = &w->lu;
    struct mk_lu_runs repeated;
    struct mk_lu exact, trimmed;
    if (!p) return MK_OK;
    struct mk_key key = mk_key_text(mk_pooled_rewards_key(o->seed, MK_LU_STREAM, k), "paper_c3");
    int code = mk_published_lu_repeat(p, w->p->dist[k], o->samples, o->runs, key, &repeated, err);
    if (!code) code = mk_lu_exact(w->p->dist[k], NAN, &exact, err);
    if (!code) code = mk_lu_trimmed(w->p->dist[k], NAN, &trimmed, err);
    for (int U = 0; !code && U < 2; U++) {
        const double published = U ? p->was.mean_U : p->was.mean_L, constant = U ? exact.U : exact.L;
        mk_table_set_count(t, PUBLISHED_ARM, k);
        mk_table_set_text(t, PUBLISHED_LABEL, w->p->arm_label[k]);
        mk_table_set_text(t, TABLE, p->table);
        mk_table_set_text(t, NAME, U ? "U" : "L");
        mk_table_set_real(t, PUBLISHED, published);
        mk_table_set_real(t, PUBLISHED_SD, U ? p->was.sd_U : p->was.sd_L);
        mk_table_set_real(t, REPEATED, U ? repeated.mean_U : repeated.mean_L);
        mk_table_set_real(t, REPEATED_SD, U ? repeated.sd_U : repeated.sd_L);
        mk_table_set_real(t, TRIMMED, U ? trimmed.U : trimmed.L);
        mk_table_set_real(t, EXACT, constant);
        mk_table_set_real(t, DIFFERENCE, published - constant);
        mk_table_set_real(t, QUOTIENT, constant > 0 ? published / constant : NAN);
        mk_table_end_row(t);
    }
    return code;
}

/* The published numbers, the computation of their table repeated, and the constants that they estimate. */
static int make_published(struct mk_table **out, const struct making *w, struct mk_error *err)
{
    int code = mk_table_new(out, &published_schema, err);
    if (code) return code;
    mk_table_set_caption(
        *out, "Published values (Balef et al. 2025), the same computation repeated, and the constants themselves:");
    for (size_t k = 0; k < w->p->n_arms && !code; k++) code = add_published(w, *out, k, err);
    return code;
}

/* ---- */

static int make_arms(struct making *w, struct mk_error *err)
{
    struct mk_progress_line line = {"lu", 0, NULL};
    struct mk_table *published = NULL;
    size_t arms = 0;
    int code = mk_lu_ranks_new(&w->ranks, w->p, err);
    if (!code) code = mk_table_new(&w->table, &schema, err);
    for (size_t i = 0; i < w->p->n_instances; i++) arms += w->p->instance[i].n_arms;
    w->progress = (struct mk_progress){.report = w->call->report, .context = &line};
    mk_progress_start(&w->progress, 0, arms);
    for (size_t i = 0; !code && i < w->p->n_instances; i++) code = add_instance(w, i, err);
    if (!code && w->call->further) code = append_ranks(w, err);
    if (!code && w->call->further && w->o->estimator == ALL && any_published(w->p)) {
        code = make_published(&published, w, err);
        mk_table_append(w->table, published);
    }
    mk_lu_ranks_free(w->ranks);
    return code;
}

static int make_lu(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct lu_options *o = call->options;
    struct making w = {.call = call,
                       .o = o,
                       .lu = {.confidence = o->confidence,
                              .upper = (enum mk_lu_upper)o->upper,
                              .interval = (enum mk_lu_interval_kind)o->interval,
                              .samples = (size_t)o->samples,
                              .runs = (size_t)o->runs,
                              .resamples = (size_t)o->resamples,
                              .seed = o->seed}};
    struct mk_experiment *e = NULL;
    int code = mk_table_open(&e, &mk_table_lu, call, err);
    if (!code) code = mk_problem_same_distribution(e->problem, "L and U are", err);
    if (!code) w.p = e->problem;
    if (!code && o->published && !any_published(w.p))
        code =
            mk_fail(err, MK_EINPUT, "maxk lu: --published: %s: no arm has published values of L and U", call->input[0]);
    if (!code && o->normalise) mk_problem_normalise(e->problem);
    if (!code) code = o->published ? make_published(&w.table, &w, err) : make_arms(&w, err);
    if (!code) mk_table_warn_gaps(w.table, w.p);
    mk_experiment_free(e);
    return mk_table_made(out, w.table, code, err);
}

static const struct lu_options defaults = {
    .estimator = ALL, .confidence = 0.95, .samples = 1000, .runs = 1000, .resamples = 1000, .seed = 42};
#define OPTION(field, ...) MK_TABLE_OPTION(struct lu_options, field, #field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(estimator, 0, MK_OPT_CHOICE, "NAME", MK_LU_CHOICES "|all", 1, 0, "estimator (default: all)"),
    OPTION(upper, 0, MK_OPT_CHOICE, "END", "own|global", 1, 0,
           "upper end point b: that of the arm, or the largest one of the arms of the instance; for recorded rewards, "
           "the largest value (default: own)"),
    OPTION(
        published, 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
        "compare with published tables: the published numbers, the same computation repeated, and the exact constants, "
        "for arms that the tables have"),
    OPTION(
        normalise, 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
        "first map recorded rewards linearly to [0, 1], per instance and repetition; b is then 1 with --upper global"),
    OPTION(confidence, 0, MK_OPT_REAL, "LEVEL", NULL, 0.01, 0.999999,
           "confidence level of the intervals (default: 0.95)"),
    OPTION(interval, 0, MK_OPT_CHOICE, "KIND", "band|bootstrap", 1, 0,
           "interval of plugin: from the simultaneous Dvoretzky-Kiefer-Wolfowitz-Massart band, or from the percentile "
           "bootstrap (default: band)"),
    OPTION(samples, 'n', MK_OPT_COUNT, "N", NULL, 1, 1e8,
           "size of the samples that are drawn from known distributions "
           "(default: 1000)"),
    OPTION(runs, 0, MK_OPT_COUNT, "N", NULL, 1, 1e7, "number of samples for paper_c3 (default: 1000)"),
    OPTION(resamples, 0, MK_OPT_COUNT, "N", NULL, 1, 1e6, "bootstrap resamples (default: 1000)"),
    OPTION(seed, 0, MK_OPT_COUNT, "N", NULL, 1, 0, "seed of the draws (default: 42)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_lu = {
    .usage = {"lu", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
              "Prints the constants L and U of Lemma 3.3 of Balef et al. 2025 for each arm: the largest L and the "
              "smallest U with L eps <= G(b - eps) <= U eps, where G(x) = P(X >= x) and b is the upper end point of "
              "the arm. The estimators are\n\n  exact  from the known distribution, over the full range of eps\n  "
              "trimmed  from the known distribution, for b - eps between the quantiles 0.01 and 0.99\n  plugin  from "
              "the rewards of a sample, over the same trimmed range\n  paper_c3  the computation behind the published "
              "Table C.3, repeated over many samples: mean, and mean -+ standard deviation as the interval; b is the "
              "99 % quantile of the sample\n\nRecorded rewards have only plugin and paper_c3, and the rewards of all "
              "repetitions are pooled. For known distributions these two estimators draw samples (-n).\n\nAn empty "
              "cell means that the upper end point is infinite, so that there is no L or U. inf means that U is "
              "unbounded, as it is when rewards are tied at b.\n\nBy default, the interval of plugin is a confidence "
              "band: with the given confidence it covers L and U of the true G over the trimmed range, for the b that "
              "was used. The bootstrap interval only shows how much plugin varies from sample to sample.",
              1, 1},
    .group = "Arms and recorded rewards",
    .summary = "the constants L and U of Lemma 3.3 (Balef et al. 2025)",
    MK_TABLE_TAKES(options, defaults),
    .reads_rewards = true,
    MK_TABLE_SHOWS(&schema, &rank_schema, &published_schema),
    .inapplicable = mk_table_same_distribution,
    .make = make_lu};

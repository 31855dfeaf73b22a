/* maxk lu: the constants L and U of Lemma 3.3, per instance, arm and estimator. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/arms/lu_ranks.h"
#include "analysis/theory/published_lu.h"
#include "sim/base/table_printer.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/command/progress_line.h"
#include "sim/store/problem_input.h"

#define COLUMNS "estimator,upper,n,L,L_low,L_high,U,U_low,U_high,eps_L,eps_U"

enum { ALL = MK_LU_ESTIMATORS }; /* position of "all" among the choices */

struct lu_report {
    const struct mk_problem *p;
    const struct mk_lu_options *o;
    struct mk_table_style style;
    int estimator, normalise;
    struct mk_table_printer *table;
    struct mk_lu_ranks *ranks; /* for the summary; NULL for CSV */
    struct mk_progress progress;
};

/* Remarks on what is unusual about L and U of this arm; `a` is NULL for known arms. */
static void print_note(struct mk_table_printer *t, const struct mk_survey_arm *a, const struct mk_lu_row *r)
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
    mk_table_text(t, text);
}

static void print_row(const struct lu_report *w, const struct mk_instance *in, size_t k, const struct mk_survey_arm *a,
                      const struct mk_lu_row *r)
{
    struct mk_table_printer *t = w->table;
    mk_table_text(t, in->name);
    mk_table_count(t, in->arm[k]);
    if (!w->style.form) mk_table_text(t, w->p->arm_label[in->arm[k]]);
    mk_table_text(t, mk_lu_estimator_name(r->estimator));
    mk_table_text(t, r->upper);
    if (r->n)
        mk_table_count(t, r->n);
    else
        mk_table_real(t, NAN);
    const double value[] = {r->lu.L,           r->interval.L_low,  r->interval.L_high, r->lu.U,
                            r->interval.U_low, r->interval.U_high, r->lu.eps_L,        r->lu.eps_U};
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
    if (!w->style.form) print_note(t, a, r);
}

static bool wanted(const struct lu_report *w, int estimator)
{
    if (w->estimator == ALL) return mk_lu_available(w->p, (enum mk_lu_estimator)estimator);
    return w->estimator == estimator;
}

static int print_instance(struct lu_report *w, size_t instance, struct mk_error *err)
{
    const struct mk_instance *in = &w->p->instance[instance];
    struct mk_lu_options o = *w->o;
    struct mk_pooled_rewards *pool = NULL;
    int code = MK_OK;
    if (w->p->kind == MK_SYNTHETIC) o.global_end = mk_lu_global_end(w->p, instance);
    if (wanted(w, MK_LU_PLUGIN) || (w->p->kind != MK_SYNTHETIC && wanted(w, MK_LU_PAPER_C3)))
        code = mk_pooled_rewards_new(&pool, w->p, instance, w->o->samples, w->o->seed, MK_LU_STREAM, err);
    for (size_t k = 0; !code && k < in->n_arms; k++) {
        const struct mk_survey_arm *a = w->ranks ? mk_lu_ranks_survey(w->ranks, instance, k) : NULL;
        for (int e = 0; !code && e < MK_LU_ESTIMATORS; e++) {
            struct mk_lu_row row;
            if (!wanted(w, e)) continue;
            code = mk_lu_arm(w->p, instance, k, pool, (enum mk_lu_estimator)e, &o, &row, err);
            if (code) break;
            print_row(w, in, k, a, &row);
            if (w->ranks) mk_lu_ranks_add(w->ranks, instance, k, &row);
        }
        mk_progress_step(&w->progress, 1);
    }
    mk_pooled_rewards_free(pool);
    return code;
}

static int print_ranks(struct lu_report *w, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    printf("\nArms ranked by their %s, over the instances:\n",
           w->p->kind == MK_TRAJECTORIES ? "largest rewards (mean over the repetitions)" : "upper ends");
    int code = mk_table_begin(
        &t, stdout, MK_TABLE_PLAIN,
        "rank,estimator,instances,median L,least L,largest L,median U,least U,largest U,U = inf,constant", err);
    if (code) return code;
    for (size_t rank = 0; rank < w->p->n_arms; rank++)
        for (size_t e = 0; e < MK_LU_ESTIMATORS; e++) {
            const struct mk_lu_rank r = mk_lu_ranks_get(w->ranks, (enum mk_lu_estimator)e, rank);
            if (r.n == 0) continue;
            mk_table_count(t, rank + 1);
            mk_table_text(t, mk_lu_estimator_name((enum mk_lu_estimator)e));
            mk_table_count(t, r.n);
            const double value[] = {r.L.median, r.L.least, r.L.largest, r.U.median, r.U.least, r.U.largest};
            for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
            mk_table_count(t, r.unlimited);
            mk_table_count(t, r.constant);
        }
    return mk_table_finish(t, MK_OK, err);
}

static bool any_published(const struct mk_problem *p)
{
    for (size_t k = 0; p->kind == MK_SYNTHETIC && k < p->n_arms; k++)
        if (mk_published_lu_find(p->dist[k])) return true;
    return false;
}

static int print_published_arm(const struct lu_report *w, struct mk_table_printer *t, size_t k, struct mk_error *err)
{
    const struct mk_published_lu *p = mk_published_lu_find(w->p->dist[k]);
    const struct mk_lu_options *o = w->o;
    struct mk_lu_runs repeated;
    struct mk_lu exact, trimmed;
    if (!p) return MK_OK;
    struct mk_key key = mk_key_text(mk_pooled_rewards_key(o->seed, MK_LU_STREAM, k), "paper_c3");
    int code = mk_published_lu_repeat(p, w->p->dist[k], o->samples, o->runs, key, &repeated, err);
    if (!code) code = mk_lu_exact(w->p->dist[k], NAN, &exact, err);
    if (!code) code = mk_lu_trimmed(w->p->dist[k], NAN, &trimmed, err);
    for (int U = 0; !code && U < 2; U++) {
        const double value[] = {
            U ? p->was.mean_U : p->was.mean_L, U ? p->was.sd_U : p->was.sd_L, U ? repeated.mean_U : repeated.mean_L,
            U ? repeated.sd_U : repeated.sd_L, U ? trimmed.U : trimmed.L,     U ? exact.U : exact.L};
        mk_table_count(t, k);
        mk_table_text(t, w->p->arm_label[k]);
        mk_table_text(t, p->table);
        mk_table_text(t, U ? "U" : "L");
        for (size_t i = 0; i < sizeof value / sizeof *value; i++) mk_table_real(t, value[i]);
        mk_table_real(t, value[0] - value[5]);
        mk_table_real(t, value[5] > 0 ? value[0] / value[5] : NAN);
    }
    return code;
}

/* The published numbers, the computation of their table repeated, and the constants that they estimate. */
static int print_published(const struct lu_report *w, int first, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    if (!w->style.form)
        printf("%sPublished values (Balef et al. 2025), the same computation repeated, and the constants themselves:\n",
               first ? "" : "\n");
    int code = mk_table_begin(&t, stdout, w->style,
                              "arm,label,table,constant,published,published_sd,repeated,repeated_sd,trimmed,exact,"
                              "published-exact,published/exact",
                              err);
    if (code) return code;
    for (size_t k = 0; k < w->p->n_arms && !code; k++) code = print_published_arm(w, t, k, err);
    return mk_table_finish(t, code, err);
}

static int print_tables(struct lu_report *w, struct mk_error *err)
{
    int code = w->style.form ? MK_OK : mk_lu_ranks_new(&w->ranks, w->p, err);
    if (!code)
        code = w->style.form ? mk_table_begin(&w->table, stdout, w->style, "instance,arm," COLUMNS, err)
                             : mk_table_begin(&w->table, stdout, w->style, "instance,arm,label," COLUMNS ",note", err);
    struct mk_progress_line line = {"lu", 0, NULL};
    size_t arms = 0;
    for (size_t i = 0; i < w->p->n_instances; i++) arms += w->p->instance[i].n_arms;
    w->progress = (struct mk_progress){.report = w->style.form ? NULL : mk_progress_line(), .context = &line};
    mk_progress_start(&w->progress, 0, arms);
    for (size_t i = 0; !code && i < w->p->n_instances; i++) code = print_instance(w, i, err);
    if (w->progress.last > w->progress.start) mk_progress_line_clear(); /* a line was shown */
    code = mk_table_finish(w->table, code, err);
    if (!code && !w->style.form) code = print_ranks(w, err);
    mk_lu_ranks_free(w->ranks);
    return code;
}

static int print_all(const char *path, struct lu_report *w, struct mk_input_options *in, int published,
                     struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    int code = mk_input_open(&e, "lu", path, in, MK_NEED_PROBLEM, err);
    if (code) return code;
    w->p = e->problem;
    code = mk_problem_same_distribution(w->p, "L and U are", err);
    bool any = any_published(w->p);
    if (!code && published && !any)
        code = mk_fail(err, MK_EINPUT, "maxk lu: --published: %s: no arm has published values of L and U", path);
    if (!code && w->normalise && w->p->kind == MK_TRAJECTORIES) mk_problem_normalise(e->problem);
    if (!code && !published) code = print_tables(w, err);
    if (!code && (published || (any && !w->style.form && w->estimator == ALL)))
        code = print_published(w, published, err);
    mk_experiment_free(e);
    return code;
}

int mk_cmd_lu(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "lu", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
        "Prints the constants L and U of Lemma 3.3 of Balef et al. 2025, L eps <= G(b - eps) <= U eps, for every arm. "
        "The estimators are\n\n  exact  the known family over the full range of eps\n  trimmed  the known family over "
        "b - Q(.99) to b - Q(.01)\n  plugin  the empirical G over the trimmed range of the sample\n  paper_c3  what "
        "the published Table C.3 computes: mean and mean -+ sd over the runs, b the 99 % quantile of the "
        "sample\n\nRecorded rewards are pooled over their repetitions and have plugin and paper_c3 only; for synthetic "
        "arms these two draw samples. An empty cell means not applicable (an infinite upper end point), inf means "
        "unbounded (rewards tied at b). The band around plugin covers, with the given confidence, the extrema of the "
        "true G over the range of eps and with the b in use; the bootstrap only shows how much plugin varies.",
        1, 1};
    struct mk_lu_options o = {.confidence = 0.95};
    struct mk_input_options in = MK_INPUT_DEFAULTS;
    struct lu_report w = {.o = &o, .estimator = ALL};
    int upper = 0, interval = 0, published = 0;
    uint64_t samples = 1000, runs = 1000, resamples = 1000, seed = 42;
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(w.style),
        {"estimator", 0, MK_OPT_CHOICE, &w.estimator, "NAME", MK_LU_CHOICES "|all", 1, 0, "estimator (default: all)"},
        {"upper", 0, MK_OPT_CHOICE, &upper, "END", "own|global", 1, 0,
         "upper end point b: the arm's own or its largest value, or the largest over the arms of the instance "
         "(default: own)"},
        {"published", 0, MK_OPT_FLAG, &published, NULL, NULL, 1, 0,
         "only the arms of published tables: the published numbers, the same computation repeated, and the constants"},
        {"normalise", 0, MK_OPT_FLAG, &w.normalise, NULL, NULL, 1, 0,
         "first map recorded rewards linearly to [0, 1] per instance and repetition; with --upper global b is then 1"},
        {"confidence", 0, MK_OPT_REAL, &o.confidence, "LEVEL", NULL, 0.01, 0.999999,
         "confidence level of the intervals (default: 0.95)"},
        {"interval", 0, MK_OPT_CHOICE, &interval, "KIND", "band|bootstrap", 1, 0,
         "interval around plugin: the simultaneous Dvoretzky-Kiefer-Wolfowitz-Massart band or the percentile bootstrap "
         "(default: band)"},
        {"samples", 'n', MK_OPT_COUNT, &samples, "N", NULL, 1, 1e8, "draws per synthetic arm and run (default: 1000)"},
        {"runs", 0, MK_OPT_COUNT, &runs, "N", NULL, 1, 1e7, "runs of paper_c3 (default: 1000)"},
        {"resamples", 0, MK_OPT_COUNT, &resamples, "N", NULL, 1, 1e6, "bootstrap resamples (default: 1000)"},
        {"seed", 0, MK_OPT_COUNT, &seed, "N", NULL, 1, 0, "seed of the draws (default: 42)"},
        MK_INPUT_OPTIONS(in),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (code) return code;
    o.upper = (enum mk_lu_upper)upper;
    o.interval = (enum mk_lu_interval_kind)interval;
    o.samples = samples;
    o.runs = runs;
    o.resamples = resamples;
    o.seed = seed;
    return print_all(operand[0], &w, &in, published, err);
}

/* The parameters at which a bound is closest to failing, or fails most. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/tables/bound_options.h"
#include "analysis/answers/tables/table_type.h"
#include "sim/base/atomic_file.h"
#include "sim/base/error.h"
#include "sim/base/text.h"

struct search_options {
    struct mk_bound_options bound;
    uint64_t evaluations, confirm;
    int loosest;
    const char *out;
};

#define COLUMNS(X)                                                                                                     \
    X(STAGE, "stage", TEXT, "",                                                                                        \
      "searched: the largest of all evaluations; confirmed: the same point on independent random numbers")             \
    X(POLICY, "policy", TEXT, "", "label of the policy of the worst cell")                                             \
    X(HORIZON, "horizon", COUNT, "pulls", "its horizon T")                                                             \
    X(ARM, "arm", COUNT, "", "its arm, from 0; none where the claim is about the regret")                              \
    X(ALPHA, "alpha", REAL, "", "alpha of the policy")                                                                 \
    X(GAP, "gap", REAL, "unit", "gap of the arm")                                                                      \
    X(P, "p", REAL, "", "p = 2 L alpha sqrt(gap) of Theorem 4.2")                                                      \
    X(BOUND, "bound", REAL, "as observed", "the bound")                                                                \
    X(OBSERVED, "mean_pulls", REAL, "pulls or rewards",                                                                \
      "what was simulated: mean pulls of the arm; of claims about it the regret, and then the column is named so")     \
    X(CI_LOW, "ci_low", REAL, "as observed", "lower end of the 95 % interval of what was simulated")                   \
    X(CI_HIGH, "ci_high", REAL, "as observed", "upper end of the interval")                                            \
    X(RATIO, "observed/bound", REAL, "",                                                                               \
      "what is largest; of lower bounds and with --loosest it is bound/observed, and the column is named so")          \
    X(VERDICT, "verdict", TEXT, "", "holds, violated, vacuous, inconclusive or not-applicable")                        \
    X(UNIT, "unit", REAL, "rewards", "what gap and p are measured in, of policies that scale rewards")
MK_TABLE_COLUMNS(columns, COLUMNS);
/* Without the values of the keys, which the caption has. */
static const struct mk_table_view view[] = {COLUMNS(MK_COLUMN_SEEN) MK_TABLE_VIEW_END};
static const struct mk_table_schema schema = {
    .title = "the worst case of a bound",
    .column = columns,
    .n_columns = sizeof columns / sizeof *columns,
    .view = view,
    .empty_counts = true,
};

static const char *ratio_name(const struct mk_bound_search_result *r)
{
    return r->inverted ? "bound/observed" : "observed/bound";
}

static int write_experiment(const char *path, const struct mk_bound_search *s, const struct mk_bound_search_result *r,
                            struct mk_error *err)
{
    FILE *to = fopen(path, "w");
    if (!to) return mk_fail(err, MK_EINPUT, "%s: cannot be written: %s", path, strerror(errno));
    fprintf(to,
            "# Worst case of '%s' found by maxk search from %s: T = %llu, %s = %.6g.\n# maxk run FILE -o OUT.h5 "
            "--engine %s && maxk bounds OUT.h5 --variant %s\n%s",
            mk_bound_search_target_name(s), s->path, (unsigned long long)r->confirmed.horizon, ratio_name(r),
            r->confirmed.ratio, r->engine == MK_ENGINE_RECORD ? "record" : "auto",
            s->target == MK_SEARCH_CLAIM ? "claims" : mk_bound_search_target_name(s), r->resolved);
    return mk_close_written(to, path, err);
}

static void describe(struct mk_table *t, const struct mk_bound_search *s, const struct mk_bound_search_result *r,
                     const char *out)
{
    const bool form = s->target == MK_SEARCH_THEOREM && s->variant < MK_BOUND_CROSSING;
    char evaluations[MK_COUNTED_ROOM];
    mk_table_set_caption(t, "%s%s%s: the largest %s after %s", form ? "Theorem 4.2 (" : "",
                         s->target == MK_SEARCH_PROPOSITION ? "Proposition 4.1" : mk_bound_search_target_name(s),
                         form ? ")" : "", ratio_name(r), mk_counted(r->evaluations, "evaluation", NULL, evaluations));
    if (r->refused) mk_table_extend_caption(t, ", %llu of them rejected", (unsigned long long)r->refused);
    mk_table_extend_caption(t, "\n");
    for (size_t i = 0; i < s->n; i++)
        mk_table_extend_caption(t, "\n  %s = %.10g  (%g to %g)", s->range[i].key, r->x[i], s->range[i].lo,
                                s->range[i].hi);
    mk_table_extend_caption(t, "\n");
    mk_table_add_note(t,
                      "confirmed: %llu replications with independent random numbers; the searched value is biased "
                      "upwards.\nTo reproduce: %s",
                      (unsigned long long)s->confirm, out);
}

static void add_search_row(struct mk_table *t, const char *stage, const struct mk_bound_search_cell *c, const double *x,
                           size_t n)
{
    mk_table_set_text(t, STAGE, stage);
    mk_table_set_text(t, POLICY, c->policy);
    mk_table_set_count(t, HORIZON, c->horizon);
    mk_table_set_count(t, ARM, c->arm == MK_SEARCH_NO_ARM ? MK_COUNT_MISSING : c->arm);
    mk_table_set_real(t, ALPHA, c->alpha);
    mk_table_set_real(t, GAP, c->gap);
    mk_table_set_real(t, P, c->p);
    mk_table_set_real(t, BOUND, c->bound);
    mk_table_set_real(t, OBSERVED, c->mean);
    mk_table_set_real(t, CI_LOW, c->low);
    mk_table_set_real(t, CI_HIGH, c->high);
    mk_table_set_real(t, RATIO, c->ratio);
    mk_table_set_text(t, VERDICT, mk_verdict_name(c->verdict));
    mk_table_set_real(t, UNIT, c->unit);
    for (size_t i = 0; i < n; i++) mk_table_set_real(t, UNIT + 1 + i, x[i]);
    mk_table_end_row(t);
}

static int fill(struct mk_table *t, const struct mk_bound_search *s, const struct mk_bound_search_result *r,
                const char *out, struct mk_error *err)
{
    if (r->confirmed.arm == MK_SEARCH_NO_ARM) mk_table_rename(t, OBSERVED, "regret");
    mk_table_rename(t, RATIO, ratio_name(r));
    for (size_t i = 0; i < s->n; i++)
        mk_table_add_column(t, s->range[i].key, MK_COLUMN_REAL, "", "value of this key at the point");
    int code = mk_bound_add_swept(t, s, err);
    if (code) return code;
    add_search_row(t, "searched", &r->searched, r->x, s->n);
    add_search_row(t, "confirmed", &r->confirmed, r->x, s->n);
    describe(t, s, r, out);
    return MK_OK;
}

static int make_search(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct search_options *o = call->options;
    struct mk_bound_search s = {.evaluations = o->evaluations, .confirm = o->confirm, .loosest = o->loosest != 0};
    struct mk_bound_search_range range[MK_SEARCH_DIMENSIONS];
    struct mk_bound_search_result r = {0};
    struct mk_progress progress = {.report = call->report, .context = &(struct mk_progress_line){"search", 0, NULL}};
    struct mk_table *t = NULL;
    if (o->bound.vary.n < 1 || o->bound.vary.n > MK_SEARCH_DIMENSIONS)
        return mk_fail(err, MK_EINPUT, "maxk search: --vary: expected 1 to %d ranges, got %zu", MK_SEARCH_DIMENSIONS,
                       o->bound.vary.n);
    int code = mk_bound_options_apply(&o->bound, "search", call->input[0], &s, range, err);
    if (code) return code;
    mk_progress_start(&progress, 0, s.evaluations);
    s.progress = &progress;
    code = mk_bound_search_run(&s, &r, err);
    if (!code) code = write_experiment(o->out, &s, &r, err);
    if (!code) code = mk_table_new(&t, &schema, err);
    if (!code) code = fill(t, &s, &r, o->out, err);
    free(r.resolved);
    return mk_table_made(out, t, code, err);
}

static const struct search_options defaults = {.bound = {.variant = MK_BOUND_SUM, .replications = 500, .seed = 42},
                                               .evaluations = 150,
                                               .confirm = 10000,
                                               .out = "worst_case.yaml"};
static const struct mk_table_option options[] = {
    MK_TABLE_OPTION(struct search_options, bound.vary, "vary", 'v', MK_OPT_TEXTS, "KEY=LO:HI", NULL, 1, 0,
                    "a key of the file and its range; may be repeated"),
    MK_BOUND_OPTIONS(struct search_options, bound),
    MK_TABLE_OPTION(struct search_options, loosest, "loosest", 0, MK_OPT_FLAG, NULL, NULL, 1, 0,
                    "maximise bound / observed: look for where the bound is loosest"),
    MK_TABLE_OPTION(struct search_options, evaluations, "evaluations", 0, MK_OPT_COUNT, "N", NULL, 1, 1e7,
                    "points to evaluate (default: 150)"),
    MK_TABLE_OPTION(struct search_options, bound.replications, "replications", 0, MK_OPT_COUNT, "N", NULL, 2, 1e9,
                    "replications at each point (default: 500)"),
    MK_TABLE_OPTION(struct search_options, confirm, "confirm", 0, MK_OPT_COUNT, "N", NULL, 2, 1e9,
                    "replications at the worst point (default: 10000)"),
    MK_TABLE_OPTION(struct search_options, bound.seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 1, 0,
                    "seed of the search; the next one confirms (default: 42)"),
    MK_TABLE_OPTION(struct search_options, out, "output", 'o', MK_OPT_TEXT, "FILE.yaml", NULL, 1, 0,
                    "experiment file to write (default: worst_case.yaml)"),
    MK_BOUND_THREADS(struct search_options, bound),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_search = {
    .usage =
        {"search", "EXPERIMENT.yaml",
         "Looks for the worst case of a bound: within ranges that you give for keys of the experiment, the values at "
         "which the observed mean comes closest to the bound or exceeds it most. What is maximised is observed / bound "
         "(for a lower bound, bound / observed), over all policies, horizons and suboptimal arms of the file. With "
         "--loosest the bound that is largest relative to what is observed is looked for instead.\n\nKeys are dotted "
         "paths, with positions in lists counted from 0:\n\n  -v policies.0.alpha=0.1:2 -v problem.arms.1.a=2:8\n\n"
         "--variant chooses the bound; `maxk bounds --help` describes all of them:\n\n  printed, sum, endpoint, "
         "figure_e5  readings of Theorem 4.2 of Balef et al. 2025; only for max_ucb\n  explicit  a proved closed form; "
         "only for max_ucb\n  crossing  a proved bound that is computed; for max_ucb and max_ucb_burn_in\n  "
         "proposition  Proposition 4.1 of Balef et al. 2025; for every policy\n\nWith --claim, a claim of the "
         "experiment (key `claims`) takes the place of the bound.\n\nThe search is a quasi-random scan, followed by "
         "Nelder-Mead simplex searches from its best points. All points use the same random numbers, and the record "
         "engine where the policies allow it. Since the largest of many noisy values is too large, the worst point is "
         "simulated again with independent random numbers (stage confirmed). It is also written as an experiment file. "
         "The column unit is what gap and p are measured in, as in `maxk bounds`.",
         1, 1},
    .group = "Theory against simulation",
    .summary = "find the parameters at which a bound comes closest to failing",
    MK_TABLE_TAKES(options, defaults),
    .printing_last = true,
    .has_policies = true,
    MK_TABLE_SHOWS(&schema),
    .make = make_search};

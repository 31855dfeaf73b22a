/* maxk rank: policies compared over the instances of a result. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/figures/result_rank.h"
#include "sim/base/number.h"
#include "sim/base/table_printer.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/progress_line.h"
#include "sim/command/tables/rank_table.h"
#include "sim/store/cells.h"
#include "sim/store/problem_input.h"

enum layout { ROWS, BESIDE, TASKS, CHOICE, PAIRS, VERDICTS };

struct request {
    const char *path, *baseline;
    const char *among; /* registry name: only policies of this type */
    struct mk_texts policies, without;
    enum mk_criterion by;
    struct mk_counts horizons;
    const char *budgets;
    int by_repetition;  /* every repetition counts as an instance */
    const char *folder; /* of maps; NULL: none */
    struct mk_texts arm_costs;
    enum mk_score score;
    enum layout layout;
    struct mk_table_style style;
    struct mk_rank_options options;
};

/* Positions of the requested horizons, or all. */
static int select_horizons(const struct request *q, const struct mk_result_info *info, size_t *at, size_t *n,
                           struct mk_error *err)
{
    *n = 0;
    for (size_t h = 0; h < info->n_horizons; h++) {
        int wanted = q->horizons.n == 0;
        for (size_t i = 0; i < q->horizons.n; i++) wanted |= q->horizons.value[i] == info->horizon[h];
        if (wanted) at[(*n)++] = h;
    }
    for (size_t i = 0; i < q->horizons.n; i++) {
        size_t h = 0;
        while (h < info->n_horizons && info->horizon[h] != q->horizons.value[i]) h++;
        if (h == info->n_horizons)
            return mk_fail(err, MK_EINPUT, "maxk rank: --horizon: %s has no horizon %llu (maxk info lists them)",
                           info->path, (unsigned long long)q->horizons.value[i]);
    }
    return MK_OK;
}

/* ---- budgets ---- */

/* "50,100.5" to numbers above 0. */
static int read_budgets(const char *text, double **out, size_t *n, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    *n = 0;
    *out = malloc((strlen(text) + 1) * sizeof **out);
    if (!*out) return mk_fail_memory(err, "budgets");
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (!mk_parse_real(at, length, &(*out)[*n]) || !((*out)[*n] > 0))
            return mk_fail(err, MK_EINPUT, "maxk rank: --budget: expected numbers > 0 separated by commas, got '%s'",
                           mk_clip(text, clip));
        ++*n;
        at += length;
        if (!*at) return MK_OK;
    }
}

/* "ARM=COST" of every --arm-cost into cost[arm]. */
static int read_arm_costs(const struct request *q, const struct mk_result_info *info, double *cost,
                          struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    for (size_t k = 0; k < info->n_arms; k++) cost[k] = 1;
    for (size_t i = 0; i < q->arm_costs.n; i++) {
        const char *text = q->arm_costs.text[i], *sign = strrchr(text, '=');
        size_t k = 0, length = sign ? (size_t)(sign - text) : 0;
        while (sign && k < info->n_arms &&
               (strlen(info->arm_label[k]) != length || memcmp(info->arm_label[k], text, length) != 0))
            k++;
        if (!sign || !mk_parse_real(sign + 1, strlen(sign + 1), &cost[k < info->n_arms ? k : 0]))
            return mk_fail(err, MK_EINPUT, "maxk rank: --arm-cost: expected ARM=NUMBER, got '%s'", mk_clip(text, clip));
        if (k == info->n_arms)
            return mk_fail(err, MK_EINPUT, "maxk rank: --arm-cost: %s has no arm of this name: '%s'", info->path,
                           mk_clip(text, clip));
        if (!(cost[k] > 0))
            return mk_fail(err, MK_EINPUT, "maxk rank: --arm-cost: expected a number > 0, got '%s'",
                           mk_clip(text, clip));
    }
    return MK_OK;
}

/* n times the last horizon: room for as many budgets. */
static int last_horizon(size_t **at, size_t n, const struct mk_result_info *info, struct mk_error *err)
{
    size_t *grown = realloc(*at, n * sizeof *grown);
    if (!grown) return mk_fail_memory(err, "budgets");
    *at = grown;
    for (size_t i = 0; i < n; i++) grown[i] = info->n_horizons - 1;
    return MK_OK;
}

static int spend(const struct request *q, struct mk_scores *s, struct mk_result *r, const double *budget,
                 struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    double *cost = malloc((s->info->n_arms + 1) * sizeof *cost);
    int code = cost ? read_arm_costs(q, s->info, cost, err) : mk_fail_memory(err, "costs");
    const bool own = q->arm_costs.n > 0;
    if (!code && !own && !s->info->has_costs) code = mk_problem_input_read(&e, q->path, NULL, 0, MK_NEED_PROBLEM, err);
    if (!code) code = mk_scores_spend(s, r, budget, e ? e->problem : NULL, own ? cost : NULL, err);
    double *dropped = malloc((s->n_horizons + 1) * sizeof *dropped);
    if (!code && !dropped) code = mk_fail_memory(err, "costs");
    const size_t lost = code ? 0 : mk_scores_drop_unreached(s, dropped);
    for (size_t i = 0; i < lost; i++)
        fprintf(stderr,
                "%s: budget %g is left out: there is no repetition in which all policies reach the shortest "
                "horizon\n",
                q->path, dropped[i]);
    mk_experiment_free(e);
    free(dropped);
    free(cost);
    return code;
}

static int find_baseline(const struct request *q, const struct mk_scores *s, size_t *at, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    size_t p;
    *at = mk_default_baseline(s);
    if (!q->baseline) return MK_OK;
    int code = mk_result_find_policy(s->info, "maxk rank: --baseline", q->baseline, &p, err);
    for (*at = 0; !code && *at < s->n_policies; ++*at)
        if (s->policy[*at] == p) return MK_OK;
    return code ? code : mk_fail(err, MK_EINPUT, "maxk rank: --baseline: '%s' is left out", mk_clip(q->baseline, clip));
}

static void tell(void *context, const char *path)
{
    (void)context;
    fprintf(stderr, "%s\n", path);
}

static int print(const struct request *q, struct mk_scores *s, size_t baseline, struct mk_error *err)
{
    static int (*const layout[])(const struct mk_rank_print *, struct mk_error *) = {
        mk_rank_print_rows,   mk_rank_print_beside, mk_rank_print_tasks,
        mk_rank_print_choice, mk_rank_print_pairs,  mk_rank_print_verdicts};
    struct mk_comparison **c = calloc(s->n_horizons + 1, sizeof *c);
    int code = c ? MK_OK : mk_fail_memory(err, "comparisons");
    struct mk_progress_line line = {"rank", 0, NULL};
    struct mk_progress progress = {.report = mk_progress_line(), .context = &line};
    mk_progress_start(&progress, 0, s->n_horizons);
    for (size_t h = 0; h < s->n_horizons && !code; h++) {
        code = mk_compare(&c[h], s, h, baseline, &q->options, err);
        mk_progress_step(&progress, 1);
    }
    if (progress.last > progress.start) mk_progress_line_clear(); /* a line was shown */
    if (!code) {
        const struct mk_rank_print p = {s, &q->options, c, s->n_horizons, q->style, q->by, stdout};
        code = layout[q->layout](&p, err);
    }
    if (!code && q->folder) code = mk_scores_draw_sweeps(s, c, q->folder, tell, err);
    for (size_t h = 0; c && h < s->n_horizons; h++) mk_comparison_free(c[h]);
    free(c);
    return code;
}

static int rank(const struct request *q, struct mk_error *err)
{
    struct mk_result *r = NULL;
    struct mk_scores *s = NULL;
    size_t *at = NULL, n = 0, baseline = 0;
    char *keep = NULL;
    double *budget = NULL;
    int code = mk_result_open(&r, q->path, err);
    if (code) return code;
    const struct mk_result_info *info = mk_result_info(r);
    at = malloc(info->n_horizons * sizeof *at);
    keep = malloc(info->n_policies);
    code = at && keep ? MK_OK : mk_fail_memory(err, "comparisons");
    const struct mk_policy_selection chosen = {q->policies.text, q->without.text, q->policies.n, q->without.n,
                                               q->among};
    if (!code) code = mk_policy_selection_apply(&chosen, info, "rank", keep, err);
    if (!code && q->budgets)
        code = read_budgets(q->budgets, &budget, &n, err);
    else if (!code)
        code = select_horizons(q, info, at, &n, err);
    if (!code && q->budgets) code = last_horizon(&at, n, info, err);
    if (!code) code = mk_scores_read(&s, r, keep, at, n, err);
    if (!code && q->score == MK_SCORE_BEST_SHARE) code = mk_scores_take_shares(s, r, err);
    if (!code && q->score == MK_SCORE_INCUMBENT) code = mk_scores_take_incumbents(s, r, err);
    if (!code && q->by_repetition) code = mk_scores_split(s, err);
    if (!code && q->budgets) code = spend(q, s, r, budget, err);
    if (!code) code = find_baseline(q, s, &baseline, err);
    if (!code) code = print(q, s, baseline, err);
    mk_scores_free(s);
    free(at);
    free(keep);
    free(budget);
    mk_result_free(r);
    return code;
}

static const struct mk_usage usage = {
    "rank", "RESULT.h5",
    "Compares the policies of a result over its instances, at every horizon. The score of a policy on an instance is "
    "its mean largest reward over the repetitions; rank 1 is the best, and tied policies share the mean of their "
    "ranks. Columns are\n\n  rank  the average rank over the instances\n  bootstrap  its mean and interval when instances "
    "are resampled with replacement: the interval is for instances of the same kind, new data sets; that of --resample "
    "repetitions is for these instances alone; both: instances, and repetitions of each, wider than it has to be\n  loss  (top - best so far) / max(1e-5, top - base) per instance "
    "and repetition, averaged; --loss authors: top is the largest recorded reward, base the median of the arms' first "
    "rewards; reached: top is the best that any of the compared policies reached; minmax: base is the smallest "
    "recorded reward\n  w/t/l  instances won, tied and lost against the baseline\n  p sign  one-sided sign test, ties "
    "split; corrected: times the number of comparisons; p untied: without ties; which of the two is used should be "
    "decided before the results are seen\n  p Wilcoxon  one-sided signed-rank test; Holm: adjusted for "
    "all policies\n\n--layout shows\n\n  rows  one row for every policy and horizon\n  beside  the policies side by "
    "side (p-values below the level in bold, underlined if still below it when corrected; * and ** where there is no "
    "formatting)\n  tasks  every instance\n  choice  for every instance the policy that did best on all others, "
    "evaluated there (left_out), next to the policy that is best over all instances (overall), the baseline (fixed) "
    "and the best one of every instance (single)\n  pairs  every two policies, the better average rank first: "
    "difference "
    "of their average ranks, instances won, tied and lost, share won (ties half: 0.5 is no difference), matched-pairs "
    "rank-biserial correlation (1: better on every instance), two-sided Wilcoxon test and its value adjusted by Holm "
    "for all pairs, Nemenyi; with --bayes R the probabilities that the policy is better by more than R, that the two are "
    "equivalent, and that it is worse (50000 draws from the posterior; standard error at most 0.0023)\n  verdicts  every policy against the baseline: share of instances won with its exact "
    "interval, mean difference of the scores with Student's interval, two-sided sign test adjusted by Holm for all rows; "
    "better or worse where that is below the level, otherwise undecided; p_untied: the same test without ties",
    1, 1};

/* Options that would do nothing. */
static int check_together(const struct request *q, int by, struct mk_error *err)
{
    if (q->budgets && q->horizons.n)
        return mk_fail(err, MK_EINPUT, "maxk rank: --budget: cannot be combined with --horizon");
    if (q->arm_costs.n && !q->budgets)
        return mk_fail(err, MK_EINPUT, "maxk rank: --arm-cost: has an effect only with --budget");
    if (q->budgets && q->score == MK_SCORE_BEST_SHARE)
        return mk_fail(err, MK_EINPUT, "maxk rank: --budget: cannot be combined with --score best_share");
    if (q->by_repetition && (q->budgets || q->folder))
        return mk_fail(err, MK_EINPUT, "maxk rank: --unit repetition: cannot be combined with --%s",
                       q->budgets ? "budget" : "out");
    if (by && q->layout != CHOICE)
        return mk_fail(err, MK_EINPUT, "maxk rank: --by: has an effect only with --layout choice");
    if (q->options.resampling && q->options.resample == MK_RESAMPLE_INSTANCES)
        return mk_fail(err, MK_EINPUT,
                       "maxk rank: --resampling: has an effect only with --resample repetitions or --resample both");
    if (!isnan(q->options.region) && q->layout != PAIRS)
        return mk_fail(err, MK_EINPUT, "maxk rank: --bayes: has an effect only with --pairs");
    return MK_OK;
}

int mk_cmd_rank(int argc, char **argv, struct mk_error *err)
{
    struct request q = {.options = mk_rank_defaults};
    int pairs = 0, layout = 0, form = 0, loss = 0, resample = 0, resampling = 0, zeros = 0, by = 0, score = 0;
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(q.style),
        {"format", 0, MK_OPT_CHOICE, &form, "NAME", MK_TABLE_FORMS, 1, 0, "format of the table (default: aligned)"},
        {"layout", 0, MK_OPT_CHOICE, &layout, "NAME", "rows|beside|tasks|choice|pairs|verdicts", 1, 0,
         "what the table shows (default: rows)"},
        {"pairs", 0, MK_OPT_FLAG, &pairs, NULL, NULL, 1, 0, "the same as --layout pairs: tests of every pair"},
        {"bayes", 0, MK_OPT_REAL, &q.options.region, "R", NULL, 0, 1e300,
         "with --pairs: the Bayesian signed-rank test of Benavoli et al. 2017; scores no more than R apart are "
         "practically equivalent"},
        {"baseline", 0, MK_OPT_TEXT, &q.baseline, "POLICY", NULL, 1, 0,
         "label of the policy that others are tested against (default: a combined search, else random, uniform, the "
         "first)"},
        {"policy", 0, MK_OPT_TEXTS, &q.policies, "POLICY", NULL, 1, 0, "compare only this policy and others named so"},
        {"without", 0, MK_OPT_TEXTS, &q.without, "POLICY", NULL, 1, 0, "leave out a policy; may be repeated"},
        {"among", 0, MK_OPT_TEXT, &q.among, "NAME", NULL, 1, 0,
         "compare only the policies of this name, such as max_ucb"},
        {"by", 0, MK_OPT_CHOICE, &by, "WHAT", MK_CRITERION_CHOICES, 1, 0,
         "with --layout choice: choose by rank or by loss (default: rank)"},
        {"horizon", 0, MK_OPT_COUNTS, &q.horizons, "T[,T…]", NULL, 1, 0, "only these horizons"},
        {"score", 0, MK_OPT_CHOICE, &score, "WHAT", MK_SCORE_CHOICES, 1, 0,
         "what is compared: the largest reward, the share of pulls on the best arm, or of noisy searches the value without "
         "noise of the configuration with the largest reward (default: max)"},
        {"unit", 0, MK_OPT_CHOICE, &q.by_repetition, "WHAT", "instance|repetition", 1, 0,
         "what counts as one in ranks, wins and tests: an instance, or every repetition of every instance, for a few "
         "instances of many repetitions; tests are then of these instances alone (default: instance)"},
        {"budget", 0, MK_OPT_TEXT, &q.budgets, "B[,B…]", NULL, 1, 0,
         "in place of horizons: what a policy has reached, at the longest horizon of the file, at a cost of at most B: of "
         "arms (cost), of recorded pulls (column cost), of evaluations in part; "
         "only repetitions in which every policy affords the shortest horizon count"},
        {"arm-cost", 0, MK_OPT_TEXTS, &q.arm_costs, "ARM=X", NULL, 1, 0,
         "with --budget: every pull of this arm costs X, other arms 1, in place of those costs; may be "
         "repeated"},
        {"out", 'o', MK_OPT_TEXT, &q.folder, "DIR", NULL, 1, 0,
         "also draw maps of rank and loss of every sweep (its values against horizons or budgets) into this folder"},
        {"loss", 0, MK_OPT_CHOICE, &loss, "KIND", MK_LOSS_CHOICES, 1, 0, "normalised loss (default: authors)"},
        {"resamples", 0, MK_OPT_COUNT, &q.options.resamples, "N", NULL, 0, 1e7, "bootstrap resamples (default: 1000)"},
        {"resample", 0, MK_OPT_CHOICE, &resample, "WHAT", MK_RESAMPLE_CHOICES, 1, 0,
         "what intervals are for: new instances, these instances with new repetitions, or both levels resampled (default: "
         "instances)"},
        {"resampling", 0, MK_OPT_CHOICE, &resampling, "HOW", MK_RESAMPLING_CHOICES, 1, 0,
         "draw repetitions for every instance, or the same for all (default: instance)"},
        {"seed", 0, MK_OPT_COUNT, &q.options.seed, "N", NULL, 0, -1,
         "seed of the resamples and of --bayes (default: 42)"},
        {"confidence", 0, MK_OPT_REAL, &q.options.confidence, "P", NULL, 0.01, 0.9999,
         "confidence level of the intervals (default: 0.95)"},
        {"alpha", 0, MK_OPT_REAL, &q.options.alpha, "P", NULL, 1e-6, 0.5,
         "significance level of the tests (default: 0.05)"},
        {"tolerance", 0, MK_OPT_REAL, &q.options.tolerance, "X", NULL, 0, 1,
         "scores this close are tied (default: 1e-8)"},
        {"relative", 0, MK_OPT_REAL, &q.options.relative, "X", NULL, 0, 1,
         "tolerance of wins and losses relative to the baseline's score (default: 0; NumPy's isclose: 1e-5)"},
        {"zeros", 0, MK_OPT_CHOICE, &zeros, "HOW", "split|drop", 1, 0, "ties in Wilcoxon's test (default: split)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) {
        q.path = operand[0];
        q.layout = pairs ? PAIRS : (enum layout)layout;
        if (!q.style.form) q.style.form = form;
        q.by = (enum mk_criterion)by;
        q.score = (enum mk_score)score;
        q.options.loss = (enum mk_loss)loss;
        q.options.resample = (enum mk_resample)resample;
        q.options.resampling = (enum mk_resampling)resampling;
        q.options.zeros = (enum mk_zeros)zeros;
        if (q.by_repetition) q.options.resamples = 0; /* of repetitions */
        code = check_together(&q, by, err);
        if (!code) code = rank(&q, err);
    }
    free(q.policies.text);
    free(q.without.text);
    free(q.arm_costs.text);
    free(q.horizons.value);
    return code;
}

/* Policies compared over the instances of a result: average ranks, wins and losses, tests. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/result_rank.h"
#include "analysis/answers/tables/rank_layouts.h"
#include "analysis/answers/tables/result_tables.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/run/store/cells.h"

struct rank_options {
    int layout, pairs, by, score, loss, resample, resampling, zeros;
    int by_repetition;            /* every repetition counts as an instance */
    const char *baseline, *among; /* label; registry name: only policies of this type */
    const char *budgets, *folder; /* folder: of maps; NULL: none */
    struct mk_texts policies, without, arm_costs;
    struct mk_counts horizons;
    uint64_t resamples, seed;
    double region, confidence, alpha, tolerance, relative;
};

/* A table in the making. */
struct making {
    const struct mk_table_call *call;
    const struct rank_options *o;
    enum mk_rank_layout layout;
    struct mk_rank_options how;
    struct mk_result **result; /* [n_results] */
    size_t n_results;
    struct mk_scores *scores;
    struct mk_table *table;
};

/* Options that would do nothing. */
static int check_together(const struct rank_options *o, enum mk_rank_layout layout, size_t n_results,
                          struct mk_error *err)
{
    if (o->folder && n_results > 1)
        return mk_fail(err, MK_EINPUT, "maxk rank: --out: expected one result; maps of a sweep are those of one");
    if (o->budgets && o->horizons.n)
        return mk_fail(err, MK_EINPUT, "maxk rank: --budget: cannot be combined with --horizon");
    if (o->arm_costs.n && !o->budgets)
        return mk_fail(err, MK_EINPUT, "maxk rank: --arm-cost: has an effect only with --budget");
    if (o->budgets && o->score == MK_SCORE_BEST_SHARE)
        return mk_fail(err, MK_EINPUT, "maxk rank: --budget: cannot be combined with --score best_share");
    if (o->by_repetition && (o->budgets || o->folder))
        return mk_fail(err, MK_EINPUT, "maxk rank: --unit repetition: cannot be combined with --%s",
                       o->budgets ? "budget" : "out");
    if (o->by && layout != MK_RANK_CHOICE)
        return mk_fail(err, MK_EINPUT, "maxk rank: --by: has an effect only with --layout choice");
    if (o->resampling && o->resample == MK_RESAMPLE_INSTANCES)
        return mk_fail(err, MK_EINPUT,
                       "maxk rank: --resampling: has an effect only with --resample repetitions or --resample both");
    if (!isnan(o->region) && layout != MK_RANK_PAIRS)
        return mk_fail(err, MK_EINPUT, "maxk rank: --bayes: has an effect only with --pairs");
    return MK_OK;
}

/* ---- horizons and budgets ---- */

/* Positions of the requested horizons, or all. */
static int select_horizons(const struct rank_options *o, const struct mk_result_info *info, size_t *at, size_t *n,
                           struct mk_error *err)
{
    *n = 0;
    for (size_t h = 0; h < info->n_horizons; h++) {
        int wanted = o->horizons.n == 0;
        for (size_t i = 0; i < o->horizons.n; i++) wanted |= o->horizons.value[i] == info->horizon[h];
        if (wanted) at[(*n)++] = h;
    }
    for (size_t i = 0; i < o->horizons.n; i++) {
        size_t h = 0;
        while (h < info->n_horizons && info->horizon[h] != o->horizons.value[i]) h++;
        if (h == info->n_horizons)
            return mk_fail(err, MK_EINPUT, "maxk rank: --horizon: %s has no horizon %llu (maxk info lists them)",
                           info->path, (unsigned long long)o->horizons.value[i]);
    }
    return MK_OK;
}

/* Rewards that repeat earlier ones make policies look alike: horizons where most pulls do are not compared. */
static int leave_out_repeated(struct making *w, struct mk_result *r, const char *keep, size_t *at, size_t *n,
                              struct mk_error *err)
{
    const struct mk_result_info *info = mk_result_info(r);
    char text[MK_REPEATED_ROOM];
    size_t left = 0;
    for (size_t i = 0; i < *n; i++) {
        double share;
        int code = mk_result_repeated_share(r, keep, at[i], &share, err);
        if (code) return code;
        mk_repeated_text(info->horizon[at[i]], share, text);
        if (share > 0.5 && (w->o->horizons.n || *n == 1))
            return mk_fail(err, MK_EINPUT,
                           "maxk rank: %s: %s, so that policies would look alike; compare at shorter horizons",
                           info->path, text);
        if (share > 0.5)
            mk_table_add_warning(w->table, "%s: left out: %s", info->path, text);
        else
            at[left++] = at[i];
        if (share > 0 && share <= 0.5) mk_table_add_note(w->table, "%s.", text);
    }
    *n = left;
    if (left) return MK_OK;
    return mk_fail(
        err, MK_EINPUT,
        "maxk rank: %s: most pulls repeat earlier rewards at every horizon (ends_early); run it with shorter horizons",
        info->path);
}

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
static int read_arm_costs(const struct rank_options *o, const struct mk_result_info *info, double *cost,
                          struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    for (size_t k = 0; k < info->n_arms; k++) cost[k] = 1;
    for (size_t i = 0; i < o->arm_costs.n; i++) {
        const char *text = o->arm_costs.text[i], *sign = strrchr(text, '=');
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

static int spend(struct making *w, struct mk_scores *s, struct mk_result *r, const double *budget, struct mk_error *err)
{
    const bool own = w->o->arm_costs.n > 0;
    struct mk_experiment *e = NULL;
    double *cost = malloc((s->info->n_arms + 1) * sizeof *cost);
    int code = cost ? read_arm_costs(w->o, s->info, cost, err) : mk_fail_memory(err, "costs");
    if (!code && !own && !s->info->has_costs) code = mk_result_experiment(r, NULL, &e, err);
    if (!code) code = mk_scores_spend(s, r, budget, e ? e->problem : NULL, own ? cost : NULL, err);
    mk_experiment_free(e);
    free(cost);
    return code;
}

/* Budgets that cannot be compared become warnings. */
static int drop_unreached(struct making *w, struct mk_error *err)
{
    struct mk_scores *s = w->scores;
    double *dropped = malloc((s->n_horizons + 1) * sizeof *dropped);
    if (!dropped) return mk_fail_memory(err, "costs");
    const size_t lost = mk_scores_drop_unreached(s, dropped);
    for (size_t i = 0; i < lost; i++)
        mk_table_add_warning(
            w->table,
            "%s: budget %g is left out: there is no repetition in which all policies reach the shortest horizon",
            s->info->path, dropped[i]);
    free(dropped);
    return MK_OK;
}

/* ---- making ---- */

/* The scores of one result. */
static int read_result(struct making *w, struct mk_result *r, struct mk_scores **scores, struct mk_error *err)
{
    const struct rank_options *o = w->o;
    const struct mk_result_info *info = mk_result_info(r);
    const struct mk_policy_selection chosen = {o->policies.text, o->without.text, o->policies.n,
                                               o->without.n,     o->among,        "rank"};
    size_t *at = malloc(info->n_horizons * sizeof *at), n = 0;
    char *keep = malloc(info->n_policies);
    double *budget = NULL;
    int code = at && keep ? MK_OK : mk_fail_memory(err, "comparisons");
    if (!code) code = mk_policy_selection_apply(&chosen, info, keep, err);
    if (!code && o->budgets)
        code = read_budgets(o->budgets, &budget, &n, err);
    else if (!code)
        code = select_horizons(o, info, at, &n, err);
    if (!code && !o->budgets) code = leave_out_repeated(w, r, keep, at, &n, err);
    if (!code && o->budgets) code = last_horizon(&at, n, info, err);
    if (!code) code = mk_scores_read(scores, r, keep, at, n, err);
    if (!code && o->score == MK_SCORE_BEST_SHARE) code = mk_scores_take_shares(*scores, r, err);
    if (!code && o->score == MK_SCORE_INCUMBENT) code = mk_scores_take_incumbents(*scores, r, err);
    if (!code && o->budgets) code = spend(w, *scores, r, budget, err);
    if (!code && o->score == MK_SCORE_MAX && !o->budgets && w->n_results == 1 && info->has_incumbents)
        code = mk_scores_add_incumbents(*scores, r, err);
    free(at);
    free(keep);
    free(budget);
    return code;
}

/* The scores that are compared, of the instances of all results. */
static int read_scores(struct making *w, struct mk_error *err)
{
    int code = read_result(w, w->result[0], &w->scores, err);
    for (size_t i = 1; i < w->n_results && !code; i++) {
        struct mk_scores *more = NULL;
        code = read_result(w, w->result[i], &more, err);
        if (!code) code = mk_scores_join(w->scores, more, err);
        mk_scores_free(more);
    }
    if (!code && w->o->by_repetition) code = mk_scores_split(w->scores, err);
    return code || !w->o->budgets ? code : drop_unreached(w, err);
}

static int open_results(struct making *w, struct mk_error *err)
{
    const struct mk_table_call *call = w->call;
    int code = MK_OK;
    w->result = calloc(call->n_inputs + 1, sizeof(struct mk_result *));
    if (!w->result) return mk_fail_memory(err, "results");
    if (call->result) w->result[w->n_results++] = call->result;
    while (!call->result && w->n_results < call->n_inputs && !code) {
        code = mk_result_open(&w->result[w->n_results], call->input[w->n_results], err);
        if (!code) w->n_results++;
    }
    return code;
}

static int find_baseline(const struct making *w, size_t *at, struct mk_error *err)
{
    const struct mk_scores *s = w->scores;
    const char *wanted = w->o->baseline;
    char clip[MK_CLIP_ROOM];
    size_t p;
    *at = mk_default_baseline(s);
    if (!wanted) return MK_OK;
    int code = mk_result_find_policy(s->info, "maxk rank: --baseline", wanted, &p, err);
    for (*at = 0; !code && *at < s->n_policies; ++*at)
        if (s->policy[*at] == p) return MK_OK;
    return code ? code : mk_fail(err, MK_EINPUT, "maxk rank: --baseline: '%s' is left out", mk_clip(wanted, clip));
}

static void name_drawn(void *context, const char *path)
{
    mk_table_add_warning(context, "%s", path);
}

/* Maps of the sweeps; without them the table is still shown. */
static void draw(struct making *w, struct mk_comparison **c)
{
    struct mk_error why = {0, ""};
    if (mk_scores_draw_sweeps(w->scores, c, w->result[0], w->o->folder, name_drawn, w->table, &why))
        mk_table_fail(w->table, &why);
}

static int compare(struct making *w, size_t baseline, struct mk_error *err)
{
    struct mk_scores *s = w->scores;
    struct mk_comparison **c = calloc(s->n_horizons + 1, sizeof *c);
    int code = c ? MK_OK : mk_fail_memory(err, "comparisons");
    struct mk_progress progress = {.report = w->call->report, .context = &(struct mk_progress_line){"rank", 0, NULL}};
    mk_progress_start(&progress, 0, s->n_horizons);
    for (size_t h = 0; h < s->n_horizons && !code; h++) {
        code = mk_compare(&c[h], s, h, baseline, &w->how, err);
        mk_progress_step(&progress, 1);
    }
    const struct mk_rank_source source = {s, &w->how, c, s->n_horizons, (enum mk_criterion)w->o->by};
    if (!code) code = mk_rank_fill(w->table, w->layout, &source, err);
    if (!code && w->o->folder) draw(w, c);
    for (size_t h = 0; c && h < s->n_horizons; h++) mk_comparison_free(c[h]);
    free(c);
    return code;
}

static int make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct rank_options *o = call->options;
    struct making w = {.call = call,
                       .o = o,
                       .layout = o->pairs ? MK_RANK_PAIRS : (enum mk_rank_layout)o->layout,
                       .how = {.loss = (enum mk_loss)o->loss,
                               .resample = (enum mk_resample)o->resample,
                               .resampling = (enum mk_resampling)o->resampling,
                               .zeros = (enum mk_zeros)o->zeros,
                               .resamples = o->by_repetition ? 0 : o->resamples, /* of repetitions */
                               .seed = o->seed,
                               .confidence = o->confidence,
                               .alpha = o->alpha,
                               .region = o->region,
                               .tolerance = o->tolerance,
                               .relative = o->relative}};
    size_t baseline = 0;
    int code = check_together(o, w.layout, call->n_inputs, err);
    if (!code) code = open_results(&w, err);
    if (!code) code = mk_table_new(&w.table, mk_rank_schemas[w.layout], err);
    if (!code) code = mk_table_add_swept(w.table, mk_result_info(w.result[0]), NULL, err);
    if (!code) code = read_scores(&w, err);
    if (!code) code = find_baseline(&w, &baseline, err);
    if (!code) code = compare(&w, baseline, err);
    mk_scores_free(w.scores);
    for (size_t i = 0; i < w.n_results && !call->result; i++) mk_result_free(w.result[i]);
    free(w.result);
    return mk_table_made(out, w.table, code, err);
}

static const char *inapplicable(struct mk_result *r)
{
    const struct mk_result_info *i = mk_result_info(r);
    return i->n_policies < 2    ? "it has one policy"
           : !i->has_pulls      ? "it keeps no single replications"
           : i->n_instances < 2 ? "it has one instance"
                                : NULL;
}

static const struct rank_options defaults = {MK_RANK_NUMBERS};
#define OPTION(field, ...) MK_TABLE_OPTION(struct rank_options, field, __VA_ARGS__)
static const struct mk_table_option options[] = {
    OPTION(layout, "layout", 0, MK_OPT_CHOICE, "NAME", MK_RANK_LAYOUT_CHOICES, 1, 0,
           "what the table shows (default: rows)"),
    OPTION(pairs, "pairs", 0, MK_OPT_FLAG, NULL, NULL, 1, 0, "the same as --layout pairs: tests of every pair"),
    OPTION(region, "bayes", 0, MK_OPT_REAL, "R", NULL, 0, 1e300,
           "with --pairs: the Bayesian signed-rank test of Benavoli et al. 2017; scores no more than R apart are "
           "practically equivalent"),
    OPTION(baseline, "baseline", 0, MK_OPT_TEXT, "POLICY", NULL, 1, 0,
           "label of the policy that others are tested against (default: a combined search, else random, uniform, the "
           "first)"),
    OPTION(policies, "policy", 0, MK_OPT_TEXTS, "POLICY", NULL, 1, 0, "compare only this policy and others named so"),
    OPTION(without, "without", 0, MK_OPT_TEXTS, "POLICY", NULL, 1, 0, "leave out a policy; may be repeated"),
    OPTION(among, "among", 0, MK_OPT_TEXT, "NAME", NULL, 1, 0,
           "compare only the policies of this name, such as max_ucb"),
    OPTION(by, "by", 0, MK_OPT_CHOICE, "WHAT", MK_CRITERION_CHOICES, 1, 0,
           "with --layout choice: choose by rank or by loss (default: rank)"),
    OPTION(horizons, "horizon", 0, MK_OPT_COUNTS, "T[,T…]", NULL, 1, 0, "only these horizons"),
    OPTION(
        score, "score", 0, MK_OPT_CHOICE, "WHAT", MK_SCORE_CHOICES, 1, 0,
        "what is compared: the largest reward, the share of pulls on the best arm, or of noisy searches the value without "
        "noise of the configuration with the largest reward (default: max)"),
    OPTION(by_repetition, "unit", 0, MK_OPT_CHOICE, "WHAT", "instance|repetition", 1, 0,
           "what counts as one in ranks, wins and tests: an instance, or every repetition of every instance, for a few "
           "instances of many repetitions; tests are then of these instances alone (default: instance)"),
    OPTION(
        budgets, "budget", 0, MK_OPT_TEXT, "B[,B…]", NULL, 1, 0,
        "in place of horizons: what a policy has reached, at the longest horizon of the file, at a cost of at most B: of "
        "arms (cost), of recorded pulls (column cost), of evaluations in part; "
        "only repetitions in which every policy affords the shortest horizon count"),
    OPTION(arm_costs, "arm-cost", 0, MK_OPT_TEXTS, "ARM=X", NULL, 1, 0,
           "with --budget: every pull of this arm costs X, other arms 1, in place of those costs; may be "
           "repeated"),
    OPTION(folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 1, 0,
           "also draw maps of rank and loss of every sweep (its values against horizons or budgets) into this folder"),
    OPTION(loss, "loss", 0, MK_OPT_CHOICE, "KIND", MK_LOSS_CHOICES, 1, 0, "normalised loss (default: authors)"),
    OPTION(resamples, "resamples", 0, MK_OPT_COUNT, "N", NULL, 0, 1e7, "bootstrap resamples (default: 1000)"),
    OPTION(
        resample, "resample", 0, MK_OPT_CHOICE, "WHAT", MK_RESAMPLE_CHOICES, 1, 0,
        "what intervals are for: new instances, these instances with new repetitions, or both levels resampled (default: "
        "instances)"),
    OPTION(resampling, "resampling", 0, MK_OPT_CHOICE, "HOW", MK_RESAMPLING_CHOICES, 1, 0,
           "draw repetitions for every instance, or the same for all (default: instance)"),
    OPTION(seed, "seed", 0, MK_OPT_COUNT, "N", NULL, 0, -1, "seed of the resamples and of --bayes (default: 42)"),
    OPTION(confidence, "confidence", 0, MK_OPT_REAL, "P", NULL, 0.01, 0.9999,
           "confidence level of the intervals (default: 0.95)"),
    OPTION(alpha, "alpha", 0, MK_OPT_REAL, "P", NULL, 1e-6, 0.5, "significance level of the tests (default: 0.05)"),
    OPTION(tolerance, "tolerance", 0, MK_OPT_REAL, "X", NULL, 0, 1, "scores this close are tied (default: 1e-8)"),
    OPTION(relative, "relative", 0, MK_OPT_REAL, "X", NULL, 0, 1,
           "tolerance of wins and losses relative to the baseline's score (default: 0; NumPy's isclose: 1e-5)"),
    OPTION(zeros, "zeros", 0, MK_OPT_CHOICE, "HOW", "split|drop", 1, 0, "ties in Wilcoxon's test (default: split)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_rank = {
    .usage =
        {"rank", "RESULT.h5…",
         "Compares the policies of a result over its instances, at every horizon; of several results with the same "
         "policies and horizons, over the instances of all, such as one problem of known arms each. The score of a policy on an instance is "
         "its mean largest reward over the repetitions; rank 1 is the best, and tied policies share the mean of their "
         "ranks. Columns are\n\n  rank  the average rank over the instances\n  rank_boot  its mean when instances are "
         "resampled with replacement; rank_low, rank_high: its interval, for instances of the same kind, new data sets; that of --resample "
         "repetitions is for these instances alone; both: instances, and repetitions of each, wider than it has to be\n  loss  (top - best so far) / max(1e-5, top - base) per instance "
         "and repetition, averaged; --loss authors: top is the largest recorded reward, base the median of the arms' first "
         "rewards; reached: top is the best that any of the compared policies reached; minmax: base is the smallest "
         "recorded reward\n  wins, ties, losses  instances won, tied and lost against the baseline\n  p_sign  one-sided sign test, ties "
         "split; p_sign_bonferroni: times the number of comparisons; p_untied: without ties. Splitting asks whether the policy wins more of all "
         "instances, as published tables do; it has almost no power where most instances are tied. Without ties the question is "
         "whether it wins more of those that differ: for tuned searches, many of which reach the same value. Which of the two counts "
         "should be decided before the results are seen\n  p_wilcoxon  one-sided signed-rank test; p_wilcoxon_holm: adjusted for "
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
         "better or worse where that is below the level, otherwise undecided; p_untied, p_untied_holm, verdict_untied: the same without ties. Rows are those of all horizons, "
         "so that Holm's adjustment is for the whole table; p_holm_all of pairs is, too. Tests in other tables are not counted: "
         "a finding that was picked from several of them is exploratory",
         1, 1000},
    .group = "Results",
    .summary = "compare policies over instances: average ranks, wins and losses, tests",
    MK_TABLE_TAKES(options, defaults),
    .schema = mk_rank_schemas,
    .inapplicable = inapplicable,
    .make = make};

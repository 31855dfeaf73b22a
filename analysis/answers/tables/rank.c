/* Policies compared over the instances of a result: average ranks, wins and losses, tests. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/answers/figures/result_rank.h"
#include "analysis/answers/tables/rank_request.h"
#include "analysis/answers/tables/result_tables.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"
#include "sim/run/store/cells.h"

/* A table in the making. */
struct making {
    const struct mk_table_call *call;
    const struct mk_rank_request *o;
    enum mk_rank_layout layout;
    struct mk_rank_options how;
    struct mk_result **result; /* [n_results] */
    size_t n_results;
    struct mk_scores **scores; /* [n_scores] of all results together, or of each where they are kept apart */
    size_t n_scores;
    struct mk_table *table;
};

/* Options that would do nothing. */
static int check_together(const struct mk_rank_request *o, enum mk_rank_layout layout, size_t n_results,
                          struct mk_error *err)
{
    if (o->folder && n_results > 1)
        return mk_fail(err, MK_EINPUT, "maxk %s: --out: expected one result; maps of a sweep are those of one",
                       o->command);
    if (o->budgets && o->horizons.n)
        return mk_fail(err, MK_EINPUT, "maxk %s: --budget: cannot be combined with --horizon", o->command);
    if (o->arm_costs.n && !o->budgets)
        return mk_fail(err, MK_EINPUT, "maxk %s: --arm-cost: has an effect only with --budget", o->command);
    if (o->budgets && o->score == MK_SCORE_BEST_SHARE)
        return mk_fail(err, MK_EINPUT, "maxk %s: --budget: cannot be combined with --score best_share", o->command);
    if (o->by_repetition && (o->budgets || o->folder))
        return mk_fail(err, MK_EINPUT, "maxk %s: --unit repetition: cannot be combined with --%s", o->command,
                       o->budgets ? "budget" : "out");
    if (o->by && layout != MK_RANK_CHOICE && layout != MK_RANK_BEST_SET)
        return mk_fail(err, MK_EINPUT, "maxk %s: --by: has an effect only with --layout choice", o->command);
    if (o->resampling && o->resample == MK_RESAMPLE_INSTANCES)
        return mk_fail(err, MK_EINPUT,
                       "maxk %s: --resampling: has an effect only with --resample repetitions or --resample both",
                       o->command);
    if (!isnan(o->equivalence) && layout != MK_RANK_VERDICTS)
        return mk_fail(err, MK_EINPUT, "maxk %s: --equivalence: cannot be combined with --pairs, which has --bayes",
                       o->command);
    if (o->apart && layout != MK_RANK_VERDICTS)
        return mk_fail(err, MK_EINPUT, "maxk %s: --apart: cannot be combined with --pairs", o->command);
    if (!isnan(o->region) && layout != MK_RANK_PAIRS)
        return mk_fail(err, MK_EINPUT, "maxk %s: --bayes: has an effect only with --pairs", o->command);
    return MK_OK;
}

/* ---- horizons and budgets ---- */

/* Positions of the requested horizons, or all. */
static int select_horizons(const struct mk_rank_request *o, const struct mk_result_info *info, size_t *at, size_t *n,
                           struct mk_error *err)
{
    *n = 0;
    for (size_t h = 0; h < info->n_horizons; h++) {
        int wanted = o->horizons.n == 0;
        for (size_t i = 0; i < o->horizons.n; i++) wanted |= o->horizons.value[i] == mk_result_amount(info, h);
        if (wanted) at[(*n)++] = h;
    }
    for (size_t i = 0; i < o->horizons.n; i++) {
        size_t h = 0;
        while (h < info->n_horizons && mk_result_amount(info, h) != o->horizons.value[i]) h++;
        if (h == info->n_horizons)
            return mk_fail(err, MK_EINPUT, "maxk %s: --horizon: %s has no horizon %.15g (maxk info lists them)",
                           o->command, info->path, o->horizons.value[i]);
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
                           "maxk %s: %s: %s, so that policies would look alike; compare at shorter horizons",
                           w->o->command, info->path, text);
        if (share > 0.5)
            mk_table_add_warning(w->table, "%s: left out: %s", info->path, text);
        else
            at[left++] = at[i];
        if (share > 0 && share <= 0.5) mk_table_add_note(w->table, "%s.", text);
    }
    if (info->by_cost && w->o->apart && w->n_results > 1)
        mk_table_add_note(w->table, "%s: %s", info->path, mk_cost_horizons_text);
    else if (info->by_cost && !w->n_scores)
        mk_table_add_note(w->table, "%s", mk_cost_horizons_text);
    *n = left;
    if (left) return MK_OK;
    return mk_fail(
        err, MK_EINPUT,
        "maxk %s: %s: most pulls repeat earlier rewards at every horizon (ends_early); run it with shorter horizons",
        w->o->command, info->path);
}

/* "50,100.5" to numbers above 0. */
static int read_budgets(const struct mk_rank_request *o, double **out, size_t *n, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    const char *text = o->budgets;
    *n = 0;
    *out = malloc((strlen(text) + 1) * sizeof **out);
    if (!*out) return mk_fail_memory(err, "budgets");
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        if (!mk_parse_real(at, length, &(*out)[*n]) || !((*out)[*n] > 0))
            return mk_fail(err, MK_EINPUT, "maxk %s: --budget: expected numbers > 0 separated by commas, got '%s'",
                           o->command, mk_clip(text, clip));
        ++*n;
        at += length;
        if (!*at) return MK_OK;
    }
}

/* "ARM=COST" of every --arm-cost into cost[arm]. */
static int read_arm_costs(const struct mk_rank_request *o, const struct mk_result_info *info, double *cost,
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
            return mk_fail(err, MK_EINPUT, "maxk %s: --arm-cost: expected ARM=NUMBER, got '%s'", o->command,
                           mk_clip(text, clip));
        if (k == info->n_arms)
            return mk_fail(err, MK_EINPUT,
                           "maxk %s: --arm-cost: %s has no arm with the label in '%s' (maxk info lists them)",
                           o->command, info->path, mk_clip(text, clip));
        if (!(cost[k] > 0))
            return mk_fail(err, MK_EINPUT, "maxk %s: --arm-cost: expected a number > 0, got '%s'", o->command,
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

/* Policies that cannot spend a budget, since the result has no longer horizon, are compared below it. Where horizons
 * are costs, nothing but the next pull is missing up to the longest one. */
static void warn_unspent(struct making *w, const struct mk_scores *s)
{
    char budget[32], spent[32];
    const double paid = s->info->by_cost ? mk_result_amount(s->info, s->info->n_horizons - 1) : 0;
    for (size_t b = 0; b < s->n_horizons; b++)
        for (size_t p = 0; p < s->n_policies; p++)
            if (fmax(s->spent[p], paid) < s->budget[b] * (1 - 1e-9))
                mk_table_add_warning(
                    w->table,
                    "%s: budget %s: %s spends at most %s up to the longest horizon, and counts with what it has there",
                    s->info->path, mk_format_real(s->budget[b], budget, sizeof budget), s->info->policy[s->policy[p]],
                    mk_format_real(mk_round_digits(s->spent[p], 6), spent, sizeof spent));
}

static int spend(struct making *w, struct mk_scores *s, struct mk_result *r, const double *budget, struct mk_error *err)
{
    const bool own = w->o->arm_costs.n > 0;
    struct mk_experiment *e = NULL;
    double *cost = malloc((s->info->n_arms + 1) * sizeof *cost);
    int code = cost ? read_arm_costs(w->o, s->info, cost, err) : mk_fail_memory(err, "costs");
    if (!code && !own && !s->info->has_costs) code = mk_result_experiment(r, NULL, &e, err);
    if (!code) code = mk_scores_spend(s, r, budget, e ? e->problem : NULL, own ? cost : NULL, err);
    if (!code) warn_unspent(w, s);
    mk_experiment_free(e);
    free(cost);
    return code;
}

/* Budgets that cannot be compared become warnings. */
static int drop_unreached(struct making *w, struct mk_scores *s, struct mk_error *err)
{
    double *dropped = malloc((s->n_horizons + 1) * sizeof *dropped);
    if (!dropped) return mk_fail_memory(err, "costs");
    const size_t lost = mk_scores_drop_unreached(s, dropped);
    for (size_t i = 0; i < lost; i++)
        mk_table_add_warning(
            w->table,
            "%s: budget %g is left out: it does not pay for the shortest horizon with every policy in any repetition",
            s->info->path, dropped[i]);
    free(dropped);
    return MK_OK;
}

/* ---- making ---- */

/* How many runs have no value of their configuration (as mk_scores.reward), so that means leave them out. */
static void note_unknown(struct making *w, const struct mk_scores *s, const double *value)
{
    const size_t cells = s->n_horizons * s->n_instances * s->n_policies;
    uint64_t all = 0, unknown = 0, most = 0, of = 0;
    size_t worst = 0;
    for (size_t cell = 0; cell < cells; cell++) {
        const uint64_t own = s->info->own_replications[cell / s->n_policies % s->n_instances];
        uint64_t missing = 0;
        for (uint64_t r = 0; r < own; r++) missing += isnan(value[cell * s->replications + r]) != 0;
        all += own;
        unknown += missing;
        if (missing <= most) continue;
        most = missing;
        of = own;
        worst = cell;
    }
    if (!unknown) return;
    mk_table_add_note(
        w->table,
        "%s: of %" PRIu64 " runs to a horizon, %" PRIu64 " end with a configuration whose test score, or "
        "value without noise, is not known; means are over the others. Most are of %s on %s at T = %.15g: "
        "%" PRIu64 " of %" PRIu64 " repetitions.",
        s->info->path, all, unknown, s->info->policy[s->policy[worst % s->n_policies]],
        s->info->instance[worst / s->n_policies % s->n_instances],
        mk_result_amount(s->info, s->horizon[worst / s->n_policies / s->n_instances]), most, of);
}

/* The scores of one result. */
static int read_result(struct making *w, struct mk_result *r, struct mk_scores **scores, struct mk_error *err)
{
    const struct mk_rank_request *o = w->o;
    const struct mk_result_info *info = mk_result_info(r);
    const struct mk_policy_selection chosen = {o->policies.text, o->without.text, o->policies.n,
                                               o->without.n,     o->among,        o->command};
    size_t *at = malloc(info->n_horizons * sizeof *at), n = 0;
    char *keep = malloc(info->n_policies);
    double *budget = NULL;
    int code = at && keep ? MK_OK : mk_fail_memory(err, "comparisons");
    if (!code) code = mk_policy_selection_apply(&chosen, info, keep, err);
    if (!code && o->budgets)
        code = read_budgets(o, &budget, &n, err);
    else if (!code)
        code = select_horizons(o, info, at, &n, err);
    if (!code && !o->budgets) code = leave_out_repeated(w, r, keep, at, &n, err);
    if (!code && o->budgets) code = last_horizon(&at, n, info, err);
    if (!code) code = mk_scores_read(scores, r, keep, at, n, err);
    if (!code && o->score == MK_SCORE_BEST_SHARE) code = mk_scores_take_shares(*scores, r, err);
    if (!code && o->score == MK_SCORE_INCUMBENT && !info->has_incumbents)
        code = mk_fail(
            err, MK_EINPUT,
            "maxk %s: --score incumbent: %s has neither values without noise, which results of noisy searches have, "
            "nor test scores (column test_reward of recorded runs)",
            o->command, info->path);
    if (!code && o->score == MK_SCORE_INCUMBENT) code = mk_scores_take_incumbents(*scores, r, err);
    if (!code && o->score == MK_SCORE_INCUMBENT) note_unknown(w, *scores, (*scores)->reward);
    if (!code && o->budgets) code = spend(w, *scores, r, budget, err);
    if (!code && o->score == MK_SCORE_MAX && !o->budgets && w->n_results == 1 && info->has_incumbents)
        code = mk_scores_add_incumbents(*scores, r, err);
    if (!code && (*scores)->incumbent) note_unknown(w, *scores, (*scores)->incumbent);
    free(at);
    free(keep);
    free(budget);
    return code;
}

/* Adds the scores of one result to those of earlier ones, or to their list where they are kept apart. */
static int add_result(struct making *w, struct mk_result *r, struct mk_error *err)
{
    struct mk_scores *more = NULL;
    int code = read_result(w, r, &more, err);
    if (!code && w->n_scores && w->o->apart) code = mk_scores_check_policies(w->scores[0], more, err);
    if (!code && w->n_scores && !w->o->apart) code = mk_scores_join(w->scores[0], more, err);
    if (!code && (!w->n_scores || w->o->apart))
        w->scores[w->n_scores++] = more;
    else
        mk_scores_free(more);
    return code;
}

/* The scores that are compared, of the instances of all results. */
static int read_scores(struct making *w, struct mk_error *err)
{
    w->scores = calloc(w->n_results + 1, sizeof(struct mk_scores *));
    int code = w->scores ? MK_OK : mk_fail_memory(err, "scores");
    for (size_t i = 0; i < w->n_results && !code; i++) code = add_result(w, w->result[i], err);
    for (size_t i = 0; i < w->n_scores && !code && w->o->by_repetition; i++) code = mk_scores_split(w->scores[i], err);
    for (size_t i = 0; i < w->n_scores && !code && w->o->budgets; i++) code = drop_unreached(w, w->scores[i], err);
    return code;
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

static void name_drawn(void *context, const char *path)
{
    mk_table_add_warning(context, "%s", path);
}

/* Maps of the sweeps; without them the table is still shown. */
static void draw(struct making *w, struct mk_comparison **c)
{
    struct mk_error why = {0, ""};
    if (mk_scores_draw_sweeps(w->scores[0], c, w->result[0], w->o->folder, name_drawn, w->table, &why))
        mk_table_fail(w->table, &why);
}

/* All comparisons of all scores: c[…] and the path of the result of each. */
static int compare_each(struct making *w, size_t baseline, struct mk_comparison **c, const char **path,
                        struct mk_error *err)
{
    int code = MK_OK;
    struct mk_progress progress = {.report = w->call->report,
                                   .context = &(struct mk_progress_line){w->o->command, 0, NULL}};
    size_t n = 0;
    for (size_t i = 0; i < w->n_scores; i++) n += w->scores[i]->n_horizons;
    mk_progress_start(&progress, 0, n);
    n = 0;
    for (size_t i = 0; i < w->n_scores; i++)
        for (size_t h = 0; h < w->scores[i]->n_horizons && !code; h++) {
            path[n] = w->scores[i]->info->path;
            code = mk_compare(&c[n++], w->scores[i], h, baseline, &w->how, err);
            mk_progress_step(&progress, 1);
        }
    return code;
}

/* The column of the horizons, which results that are kept apart may have in different units. */
static void take_horizons(struct making *w)
{
    bool pulls = false, costs = false, parts = false;
    for (size_t i = 0; i < w->n_scores; i++) {
        const struct mk_result_info *info = w->scores[i]->info;
        pulls |= !info->by_cost;
        costs |= info->by_cost;
        parts |= info->cost_parts > 1;
    }
    mk_table_take_horizons(w->table, costs, parts ? 10 : 1);
    if (pulls && costs)
        mk_table_retype(w->table, mk_table_find(w->table, "horizon"), parts ? MK_COLUMN_REAL : MK_COLUMN_COUNT,
                        "pulls or cost");
}

static int compare(struct making *w, size_t baseline, struct mk_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n_scores; i++) n += w->scores[i]->n_horizons;
    struct mk_comparison **c = calloc(n + 1, sizeof *c);
    const char **path = calloc(n + 1, sizeof *path);
    int code = c && path ? compare_each(w, baseline, c, path, err) : mk_fail_memory(err, "comparisons");
    const struct mk_rank_source source = {
        w->scores[0], &w->how, c, n, w->o->apart ? path : NULL, (enum mk_criterion)w->o->by};
    take_horizons(w);
    if (!code) code = mk_rank_fill(w->table, w->layout, &source, err);
    if (!code && w->o->folder) draw(w, c);
    for (size_t h = 0; c && h < n; h++) mk_comparison_free(c[h]);
    free(path);
    free(c);
    return code;
}

int mk_rank_make(struct mk_table **out, const struct mk_table_call *call, struct mk_error *err)
{
    const struct mk_rank_request *o = call->options;
    struct making w = {.call = call,
                       .o = o,
                       .layout = o->pairs    ? MK_RANK_PAIRS
                                 : o->choice ? MK_RANK_CHOICE
                                             : (enum mk_rank_layout)o->layout,
                       .how = {.loss = (enum mk_loss)o->loss,
                               .resample = (enum mk_resample)o->resample,
                               .resampling = (enum mk_resampling)o->resampling,
                               .zeros = (enum mk_zeros)o->zeros,
                               .resamples = o->by_repetition ? 0 : o->resamples, /* of repetitions */
                               .seed = o->seed,
                               .confidence = o->confidence,
                               .alpha = o->alpha,
                               .region = o->region,
                               .equivalence = o->equivalence,
                               .effect = o->effect,
                               .power = o->power,
                               .tolerance = o->tolerance,
                               .relative = o->relative}};
    size_t baseline = 0;
    int code = check_together(o, w.layout, call->n_inputs, err);
    if (!code) code = open_results(&w, err);
    if (!code) code = mk_table_new(&w.table, mk_rank_schema(w.layout), err);
    if (!code) code = mk_table_add_swept(w.table, mk_result_info(w.result[0]), NULL, err);
    if (!code) code = read_scores(&w, err);
    if (!code) code = mk_scores_find_baseline(&baseline, w.scores[0], o->command, o->baseline, err);
    if (!code) code = compare(&w, baseline, err);
    for (size_t i = 0; i < w.n_scores; i++) mk_scores_free(w.scores[i]);
    free(w.scores);
    for (size_t i = 0; i < w.n_results && !call->result; i++) mk_result_free(w.result[i]);
    free(w.result);
    return mk_table_made(out, w.table, code, err);
}

const char *mk_rank_inapplicable(struct mk_result *r)
{
    const struct mk_result_info *i = mk_result_info(r);
    return i->n_policies < 2    ? "it has one policy"
           : !i->has_pulls      ? "it keeps no single replications"
           : i->n_instances < 2 ? "it has one instance"
                                : NULL;
}

static const struct mk_rank_request defaults = {.command = "rank", MK_RANK_NUMBERS};
static const struct mk_table_option options[] = {
    MK_RANK_OPTION(layout, "layout", 0, MK_OPT_CHOICE, "NAME", MK_RANK_LAYOUT_CHOICES, 1, 0,
                   "what the table shows (default: rows)"),
    MK_RANK_BASELINE, MK_RANK_SELECTION,
    MK_RANK_OPTION(
        folder, "out", 'o', MK_OPT_TEXT, "DIR", NULL, 1, 0,
        "also draw maps of rank and loss into this folder, one for each swept parameter: its values against horizons "
        "or budgets"),
    MK_RANK_LOSS,
    MK_RANK_OPTION(resamples, "resamples", 0, MK_OPT_COUNT, "N", NULL, 0, 1e7, "bootstrap resamples (default: 1000)"),
    MK_RANK_OPTION(
        resample, "resample", 0, MK_OPT_CHOICE, "WHAT", MK_RESAMPLE_CHOICES, 1, 0,
        "what the bootstrap resamples, and hence what the intervals are for: instances (new instances of the same "
        "kind), repetitions (these instances, run again), or both (default: instances)"),
    MK_RANK_OPTION(resampling, "resampling", 0, MK_OPT_CHOICE, "HOW", MK_RESAMPLING_CHOICES, 1, 0,
                   "whether repetitions are drawn for each instance separately, or the same ones for all instances "
                   "(default: instance)"),
    MK_RANK_SEED("seed of the resamples and of --bayes (default: 42)"), MK_RANK_CONFIDENCE,
    MK_RANK_ALPHA("significance level of the tests (default: 0.05)"), MK_RANK_TIES,
    /* Of the layouts that are tables of their own. */
    MK_RANK_OPTION(pairs, "pairs", 0, MK_OPT_FLAG, NULL, NULL, 1, 0, "the same as --layout pairs"),
    MK_RANK_OPTION(region, "bayes", 0, MK_OPT_REAL, "R", NULL, 0, 1e300, "with --pairs: as in maxk compare"),
    MK_RANK_OPTION(by, "by", 0, MK_OPT_CHOICE, "WHAT", MK_CRITERION_CHOICES, 1, 0,
                   "with --layout choice: as in maxk best_set (default: rank)"),
    MK_TABLE_OPTIONS_END};

const struct mk_table_type mk_table_rank = {
    .usage =
        {"rank", "RESULT.h5…",
         "Ranks the policies of a result at every horizon, over its instances, such as data sets, and tests each "
         "policy against a baseline. Several results with the same policies and horizons are compared over the "
         "instances of all, such as one problem of known arms each. The score of a policy on an instance is its "
         "largest reward, averaged over the repetitions. Rank 1 is the best, and tied policies share the mean of their "
         "ranks.\n\n  rank  average rank over the instances\n  rank_boot  mean of the average rank when instances are "
         "resampled with replacement\n  rank_low, rank_high  interval of the average rank, for new instances of the "
         "same kind, such as new data sets. With --resample repetitions the interval is for these instances alone. "
         "With --resample both, the instances and the repetitions of each are resampled; the interval is then wider "
         "than it has to be\n  loss  normalised loss (top - best so far) / max(1e-5, top - base), averaged over "
         "instances and repetitions\n  wins, ties, losses  instances on which the policy is better than the baseline, "
         "tied with it, and worse\n  p_sign  one-sided sign test against the baseline; ties are split between wins and "
         "losses\n  p_sign_bonferroni  p_sign times the number of comparisons\n  p_untied  one-sided sign test without "
         "ties; p_untied_bonferroni is p_untied times the number of comparisons\n  p_wilcoxon  one-sided signed-rank "
         "test of Wilcoxon against the baseline\n  p_wilcoxon_holm  p_wilcoxon, adjusted by Holm for all "
         "policies\n\np_sign asks whether the policy wins more of all instances, as published tables do. This test has "
         "almost no power where most instances are tied. p_untied asks whether the policy wins more of the instances "
         "on which the policy and the baseline differ. It is meant for tuned searches, many of which reach the same "
         "value. Decide which of the two counts before you see the results.\n\n--loss says what top and base are on "
         "each instance and repetition:\n\n  authors  top is the largest recorded reward up to the largest horizon, "
         "and base is the median of the arms' first rewards\n  reached  top is the best that any of the compared "
         "policies reached, and base is the same as with authors\n  minmax  top is the same as with authors, and base "
         "is the smallest recorded reward\n\n--layout says what the table shows:\n\n  rows  one row for every policy "
         "and horizon\n  beside  the policies side by side; p-values below the level are bold, and underlined if they "
         "are still below it when corrected. Where there is no formatting, * stands for bold and ** for both\n  tasks  "
         "one row for every policy, instance and horizon\n  verdicts, pairs  the tables of maxk compare and maxk "
         "compare --pairs, whose help describes them\n  choice  the table of maxk best_set --choice",
         1, 1000},
    .group = "Results",
    .summary = "compare policies over instances: average ranks, wins and losses, tests",
    MK_TABLE_TAKES(options, defaults),
    .schema = mk_rank_schemas,
    .inapplicable = mk_rank_inapplicable,
    .make = mk_rank_make};

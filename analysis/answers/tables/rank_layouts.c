#include "analysis/answers/tables/rank_layouts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/best_set.h"
#include "analysis/compare/components.h"
#include "analysis/compare/policy_tests.h"
#include "sim/base/error.h"
#include "sim/base/number.h"
#include "sim/base/text.h"

/* Every layout begins with these, of which a table has one; pairs at budgets have both. */
enum { HORIZON, BUDGET };
#define PLACE(X, layout)                                                                                               \
    X(layout##HORIZON, "horizon", COUNT, "pulls", "horizon T")                                                         \
    X(layout##BUDGET, "budget", REAL, "cost", "what a policy may spend (--budget), in place of a horizon")

static const char *label(const struct mk_rank_source *s, size_t policy)
{
    return s->scores->info->policy[s->scores->policy[policy]];
}

static void choose_place(struct mk_table *t, const struct mk_rank_source *s)
{
    mk_table_drop_column(t, s->scores->budget ? HORIZON : BUDGET);
}

/* The rows of every horizon or budget. */
static int add_each(struct mk_table *t, const struct mk_rank_source *s,
                    int (*add)(struct mk_table *t, const struct mk_rank_source *s, const struct mk_comparison *c,
                               struct mk_error *err),
                    struct mk_error *err)
{
    int code = MK_OK;
    choose_place(t, s);
    for (size_t h = 0; h < s->n && !code; h++) code = add(t, s, s->comparison[h], err);
    return code;
}

static void set_place(struct mk_table *t, const struct mk_comparison *c)
{
    mk_table_set_number(t, HORIZON, c->horizon);
    mk_table_set_real(t, BUDGET, c->budget);
}

/* The mean of the scores, "mean_max", is called after what is compared. */
static void name_mean(struct mk_table *t, const struct mk_rank_source *s, size_t column)
{
    static const char *const name[] = {"mean_max", "mean_share", "mean_incumbent"};
    mk_table_rename(t, column, name[s->scores->score]);
}

/* ---- rows ---- */

#define ROWS(X)                                                                                                        \
    PLACE(X, R_)                                                                                                       \
    X(R_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(R_INSTANCES, "instances", COUNT, "instances", "instances that count; with --unit repetition repetitions")        \
    X(R_LEFT_OUT, "left_out", COUNT, "instances", "instances left out, on which some policy has no value")             \
    X(R_UNPAIRED, "repetitions_left_out", COUNT, "repetitions",                                                        \
      "repetitions of the others left out, in which some policy cannot afford the shortest horizon")                   \
    X(R_RANK, "rank", REAL, "", "average rank over the instances; 1 is the best, tied policies share the mean")        \
    X(R_RANK_BOOT, "rank_boot", REAL, "", "mean of the average rank over the resamples (--resample)")                  \
    X(R_RANK_SD, "rank_sd", REAL, "", "its standard deviation over the resamples")                                     \
    X(R_RANK_LOW, "rank_low", REAL, "", "lower end of the bootstrap interval of the average rank")                     \
    X(R_RANK_HIGH, "rank_high", REAL, "", "upper end of the interval")                                                 \
    X(R_LOSS, "loss", REAL, "", "normalised loss (--loss), mean over instances and repetitions")                       \
    X(R_LOSS_BOOT, "loss_boot", REAL, "", "mean of the loss over the resamples")                                       \
    X(R_LOSS_LOW, "loss_low", REAL, "", "lower end of the bootstrap interval of the loss")                             \
    X(R_LOSS_HIGH, "loss_high", REAL, "", "upper end of the interval")                                                 \
    X(R_MEAN, "mean_max", REAL, "rewards",                                                                             \
      "mean score over the instances; mean_share and mean_incumbent with --score best_share and incumbent")            \
    X(R_BASELINE, "baseline", TEXT, "", "label of the policy that the others are tested against")                      \
    X(R_WINS, "wins", COUNT, "instances", "instances won against the baseline")                                        \
    X(R_TIES, "ties", COUNT, "instances", "instances tied with it (--tolerance, --relative)")                          \
    X(R_LOSSES, "losses", COUNT, "instances", "instances lost against it")                                             \
    X(R_P_SIGN, "p_sign", REAL, "", "one-sided sign test against the baseline, ties split")                            \
    X(R_P_SIGN_BONFERRONI, "p_sign_bonferroni", REAL, "", "p_sign times the number of policies compared with it")      \
    X(R_P_WILCOXON, "p_wilcoxon", REAL, "", "one-sided signed-rank test of Wilcoxon against the baseline")             \
    X(R_P_WILCOXON_HOLM, "p_wilcoxon_holm", REAL, "", "p_wilcoxon adjusted by Holm for all policies")                  \
    X(R_P_NEMENYI, "p_nemenyi", REAL, "", "Nemenyi's test of the average ranks of policy and baseline")                \
    X(R_CHI2, "friedman_chi2", REAL, "", "Friedman's statistic of all policies")                                       \
    X(R_P, "friedman_p", REAL, "", "its p-value")                                                                      \
    X(R_CHI2_TIES, "friedman_chi2_ties", REAL, "", "Friedman's statistic corrected for ties")                          \
    X(R_P_TIES, "friedman_p_ties", REAL, "", "its p-value")                                                            \
    X(R_F, "iman_davenport_f", REAL, "", "F statistic of Iman and Davenport")                                          \
    X(R_P_F, "iman_davenport_p", REAL, "", "its p-value")                                                              \
    X(R_DISTANCE, "critical_distance", REAL, "",                                                                       \
      "average ranks that are this far apart differ at level --alpha (Nemenyi)")                                       \
    X(R_DUNN, "dunn_distance", REAL, "", "the same of differences from the baseline alone (Bonferroni-Dunn)")          \
    X(R_P_UNTIED, "p_untied", REAL, "", "one-sided sign test against the baseline without the ties")                   \
    X(R_P_UNTIED_BONFERRONI, "p_untied_bonferroni", REAL, "",                                                          \
      "p_untied times the number of policies compared with the baseline")                                              \
    X(R_INCUMBENT, "mean_incumbent", REAL, "rewards",                                                                  \
      "mean value without noise, or test score, of the configurations with the largest rewards")
MK_TABLE_COLUMNS(row_columns, ROWS);
static const struct mk_table_view row_view[] = {{R_POLICY, "", NULL},
                                                {R_RANK, "", "%.3f"},
                                                {R_RANK_BOOT, "", "%.3f"},
                                                {R_RANK_LOW, "", "%.3f"},
                                                {R_RANK_HIGH, "", "%.3f"},
                                                {R_LOSS, "", "%.4f"},
                                                {R_MEAN, "", NULL},
                                                {R_INCUMBENT, "", NULL},
                                                {R_WINS, "", NULL},
                                                {R_TIES, "", NULL},
                                                {R_LOSSES, "", NULL},
                                                {R_P_SIGN, "", MK_TABLE_P},
                                                {R_P_SIGN_BONFERRONI, "", MK_TABLE_P},
                                                {R_P_WILCOXON, "", MK_TABLE_P},
                                                {R_P_WILCOXON_HOLM, "", MK_TABLE_P},
                                                {R_P_UNTIED, "", MK_TABLE_P},
                                                {R_P_UNTIED_BONFERRONI, "", MK_TABLE_P},
                                                MK_TABLE_VIEW_END};
static const struct mk_table_schema row_schema = MK_TABLE_SCHEMA("policies compared", row_columns, row_view);

static void set_record(struct mk_table *t, const struct mk_standing *s, bool is_baseline)
{
    mk_table_set_count(t, R_WINS, is_baseline ? MK_COUNT_MISSING : s->record.wins);
    mk_table_set_count(t, R_TIES, is_baseline ? MK_COUNT_MISSING : s->record.ties);
    mk_table_set_count(t, R_LOSSES, is_baseline ? MK_COUNT_MISSING : s->record.losses);
    if (is_baseline) mk_table_set_seen(t, R_WINS, false, false, "baseline");
}

static void add_rank_row(struct mk_table *t, const struct mk_rank_source *source, size_t h, size_t at)
{
    const struct mk_comparison *c = source->comparison[h];
    const struct mk_scores *scores = source->scores;
    const struct mk_standing *s = &c->standing[at];
    const struct mk_friedman *f = &c->friedman;
    set_place(t, c);
    mk_table_set_text(t, R_POLICY, label(source, at));
    mk_table_set_count(t, R_INSTANCES, c->n_instances);
    mk_table_set_count(t, R_LEFT_OUT, c->left_out);
    mk_table_set_count(t, R_UNPAIRED, c->unpaired);
    mk_table_set_real(t, R_RANK, s->rank);
    mk_table_set_real(t, R_RANK_BOOT, s->rank_boot.mean);
    mk_table_set_real(t, R_RANK_SD, s->rank_boot.sd);
    mk_table_set_real(t, R_RANK_LOW, s->rank_boot.low);
    mk_table_set_real(t, R_RANK_HIGH, s->rank_boot.high);
    mk_table_set_real(t, R_LOSS, s->loss);
    mk_table_set_real(t, R_LOSS_BOOT, s->loss_boot.mean);
    mk_table_set_real(t, R_LOSS_LOW, s->loss_boot.low);
    mk_table_set_real(t, R_LOSS_HIGH, s->loss_boot.high);
    mk_table_set_real(t, R_MEAN, s->reward);
    mk_table_set_text(t, R_BASELINE, label(source, c->baseline));
    set_record(t, s, at == c->baseline);
    mk_table_set_real(t, R_P_SIGN, s->p_sign);
    mk_table_set_real(t, R_P_SIGN_BONFERRONI, s->p_sign_bonferroni);
    mk_table_set_real(t, R_P_WILCOXON, s->p_wilcoxon);
    mk_table_set_real(t, R_P_WILCOXON_HOLM, s->p_wilcoxon_holm);
    mk_table_set_real(t, R_P_NEMENYI, s->p_nemenyi);
    mk_table_set_real(t, R_CHI2, f->chi2);
    mk_table_set_real(t, R_P, f->p);
    mk_table_set_real(t, R_CHI2_TIES, f->chi2_ties);
    mk_table_set_real(t, R_P_TIES, f->p_ties);
    mk_table_set_real(t, R_F, f->f);
    mk_table_set_real(t, R_P_F, f->p_f);
    mk_table_set_real(t, R_DISTANCE, c->distance);
    mk_table_set_real(t, R_DUNN, c->dunn);
    mk_table_set_real(t, R_P_UNTIED, s->p_untied);
    mk_table_set_real(t, R_P_UNTIED_BONFERRONI, s->p_untied_bonferroni);
    if (scores->incumbent) mk_table_set_real(t, R_INCUMBENT, s->incumbent);
    mk_table_end_row(t);
}

static void begin_place(struct mk_table *t, const struct mk_comparison *c)
{
    if (isnan(c->budget))
        mk_table_begin_group(t, "T = %.15g", c->horizon);
    else
        mk_table_begin_group(t, "Budget %g", c->budget);
}

/* Begins a group: what is compared, and the tests of all policies together. */
static void describe(struct mk_table *t, const struct mk_rank_source *s, const struct mk_comparison *c)
{
    const struct mk_friedman *f = &c->friedman;
    char policies[MK_COUNTED_ROOM], instances[MK_COUNTED_ROOM], counted[MK_COUNTED_ROOM];
    begin_place(t, c);
    mk_table_extend_caption(t, ": %s, %s%s", mk_counted(c->n_policies, "policy", "policies", policies),
                            mk_counted(c->n_instances, s->scores->split ? "repetition" : "instance", NULL, instances),
                            c->left_out ? ", others left out for missing values" : "");
    if (c->unpaired)
        mk_table_extend_caption(t, ", %s left out that not every policy can afford",
                                mk_counted(c->unpaired, "repetition", NULL, counted));
    if (c->n_instances == 1) {
        mk_table_extend_caption(t,
                                ". Tests and intervals over instances need more than one; --resample repetitions has "
                                "intervals of this instance alone.");
        return;
    }
    mk_table_extend_caption(
        t,
        ". Friedman chi2 = %.4g, p = %.2g (corrected for ties %.4g, %.2g); Iman-Davenport F = %.4g, p = %.2g.\n"
        "Average ranks differ at level %g if they are at least %.3f apart (Nemenyi), from the baseline's if at "
        "least %.3f apart (Bonferroni-Dunn).",
        f->chi2, f->p, f->chi2_ties, f->p_ties, f->f, f->p_f, s->options->alpha, c->distance, c->dunn);
    if (s->scores->score == MK_SCORE_MAX && s->scores->info->has_incumbents)
        mk_table_extend_caption(
            t,
            "\nLargest rewards are optimistic; --score incumbent compares the values without noise, or test scores, of "
            "their configurations%s.",
            s->scores->incumbent ? ", of which mean_incumbent is the mean" : "");
    if (s->scores->split)
        mk_table_extend_caption(
            t, "\nEvery repetition counts as an instance: tests are of these %s, and say nothing about others.",
            mk_counted(s->scores->n_instances / s->scores->split, "instance", NULL, instances));
}

/* Rows are in the order of the file; people see every horizon for itself, from the best average rank to the worst. */
static int add_horizon(struct mk_table *t, const struct mk_rank_source *s, size_t h, struct mk_error *err)
{
    const struct mk_comparison *c = s->comparison[h];
    const size_t first = mk_table_rows(t);
    size_t *order = malloc(c->n_policies * sizeof *order);
    if (!order) return mk_fail_memory(err, "a table");
    for (size_t at = 0; at < c->n_policies; at++) add_rank_row(t, s, h, at);
    mk_comparison_order(c, order);
    describe(t, s, c);
    for (size_t i = 0; i < c->n_policies; i++) mk_table_list_row(t, first + order[i]);
    free(order);
    return MK_OK;
}

static int fill_rows(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    int code = MK_OK;
    choose_place(t, s);
    name_mean(t, s, R_MEAN);
    if (!s->scores->incumbent) mk_table_drop_column(t, R_INCUMBENT);
    for (size_t h = 0; h < s->n && !code; h++) code = add_horizon(t, s, h, err);
    return code;
}

/* ---- side by side: the layout of Balef et al. 2025, Tables 1 and D.6 ---- */

#define BESIDE(X)                                                                                                      \
    PLACE(X, B_)                                                                                                       \
    X(B_MEASURE, "measure", TEXT, "",                                                                                  \
      "p-value (sign test against the baseline, ties split), w/t/l (wins, ties, losses), loss or p untied; one "       \
      "further column for every policy but the baseline")
MK_TABLE_COLUMNS(beside_columns, BESIDE);
static const struct mk_table_schema beside_schema = {.title = "policies side by side (--layout beside)",
                                                     .column = beside_columns,
                                                     .n_columns = sizeof beside_columns / sizeof *beside_columns,
                                                     .mixed = true};

enum { P_VALUE, RECORD, LOSS, P_UNTIED, MEASURES };

static void set_number(struct mk_table *t, size_t column, double value, bool bold, bool underlined, int digits)
{
    char text[32];
    mk_table_set_text(t, column, isnan(value) ? NULL : mk_format_real(value, text, sizeof text));
    if (!isnan(value)) mk_table_set_seen(t, column, bold, underlined, "%.*f", digits, value);
}

/* p-values below alpha are bold, and underlined too if they stay below it when corrected. */
static void set_beside(struct mk_table *t, size_t column, const struct mk_standing *s, int measure, double alpha)
{
    char text[96];
    switch (measure) {
    case P_VALUE: set_number(t, column, s->p_sign, s->p_sign < alpha, s->p_sign_bonferroni < alpha, 5); break;
    case P_UNTIED: set_number(t, column, s->p_untied, s->p_untied < alpha, s->p_untied_bonferroni < alpha, 5); break;
    case LOSS: set_number(t, column, s->loss, false, false, 4); break;
    case RECORD:
        snprintf(text, sizeof text, "%zu/%zu/%zu", s->record.wins, s->record.ties, s->record.losses);
        mk_table_set_text(t, column, text);
        break;
    }
}

/* A column for every policy but the baseline; column[n_policies]. Commas separate the names. */
static int add_policies(struct mk_table *t, const struct mk_rank_source *s, size_t *column, struct mk_error *err)
{
    for (size_t at = 0; at < s->scores->n_policies; at++) {
        if (at == s->comparison[0]->baseline) continue;
        char *name = strdup(label(s, at));
        if (!name) return mk_fail_memory(err, "a table");
        for (char *c = name; *c; c++)
            if (*c == ',') *c = ';';
        column[at] = mk_table_add_column(t, name, MK_COLUMN_TEXT, "", "the measure of this policy");
        free(name);
    }
    return MK_OK;
}

static int fill_beside(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    static const char *const name[MEASURES] = {"p-value", "w/t/l", "loss", "p untied"};
    size_t *column = calloc(s->scores->n_policies, sizeof *column);
    choose_place(t, s);
    int code = column ? add_policies(t, s, column, err) : mk_fail_memory(err, "a table");
    for (size_t h = 0; h < s->n && !code; h++)
        for (int m = 0; m < MEASURES; m++) {
            const struct mk_comparison *c = s->comparison[h];
            if (m == LOSS && isnan(c->standing[0].loss)) continue;
            set_place(t, c);
            mk_table_set_text(t, B_MEASURE, name[m]);
            for (size_t at = 0; at < c->n_policies; at++)
                if (at != c->baseline) set_beside(t, column[at], &c->standing[at], m, s->options->alpha);
            mk_table_end_row(t);
        }
    free(column);
    return code;
}

/* ---- instances ---- */

#define TASKS(X)                                                                                                       \
    PLACE(X, T_)                                                                                                       \
    X(T_INSTANCE, "instance", TEXT, "", "instance of the problem; with --unit repetition followed by its number")      \
    X(T_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(T_MEAN, "mean_max", REAL, "rewards",                                                                             \
      "score: mean over the repetitions; mean_share and mean_incumbent with --score best_share and incumbent")         \
    X(T_RANK, "rank", REAL, "", "rank of the score among the policies on this instance")                               \
    X(T_LOSS, "loss", REAL, "", "normalised loss (--loss), mean over the repetitions")
MK_TABLE_COLUMNS(task_columns, TASKS);
static const struct mk_table_schema task_schema =
    MK_TABLE_SCHEMA("policies on every instance (--layout tasks)", task_columns, NULL);

/* The name of an instance; of a repetition that counts as one, with its number. */
static void set_instance(struct mk_table *t, const struct mk_scores *s, size_t at)
{
    char text[400];
    const char *name = mk_scored_name(s, at);
    snprintf(text, sizeof text, "%s (%zu)", name, s->split ? at % s->split : 0);
    mk_table_set_text(t, T_INSTANCE, s->split ? text : name);
}

static int fill_tasks(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    (void)err;
    choose_place(t, s);
    name_mean(t, s, T_MEAN);
    for (size_t h = 0; h < s->n; h++) {
        const struct mk_comparison *c = s->comparison[h];
        for (size_t cell = 0; cell < c->n_instances * c->n_policies; cell++) {
            set_place(t, c);
            set_instance(t, s->scores, c->instance[cell / c->n_policies]);
            mk_table_set_text(t, T_POLICY, label(s, cell % c->n_policies));
            mk_table_set_real(t, T_MEAN, c->reward[cell]);
            mk_table_set_real(t, T_RANK, c->rank[cell]);
            mk_table_set_real(t, T_LOSS, c->loss[cell]);
            mk_table_end_row(t);
        }
    }
    return MK_OK;
}

/* ---- choosing from data ---- */

#define CHOICE(X)                                                                                                      \
    PLACE(X, C_)                                                                                                       \
    X(C_INSTANCES, "instances", COUNT, "instances", "instances that count")                                            \
    X(C_CHOSEN, "chosen", TEXT, "", "policy that was chosen most often on all instances but one")                      \
    X(C_TIMES, "times", COUNT, "instances", "how often it was chosen")                                                 \
    X(C_OVERALL, "best_overall", TEXT, "", "policy that is best over all instances")                                   \
    X(C_FIXED, "fixed", TEXT, "", "the baseline: the choice to beat")                                                  \
    X(C_RANK_LEFT_OUT, "rank_left_out", REAL, "", "average rank of what was chosen, on the instance left out")         \
    X(C_RANK_OVERALL, "rank_overall", REAL, "", "average rank of best_overall")                                        \
    X(C_RANK_FIXED, "rank_fixed", REAL, "", "average rank of the baseline")                                            \
    X(C_RANK_SINGLE, "rank_single", REAL, "", "average rank of the best policy of every instance")                     \
    X(C_LOSS_LEFT_OUT, "loss_left_out", REAL, "", "normalised loss of what was chosen, on the instance left out")      \
    X(C_LOSS_OVERALL, "loss_overall", REAL, "", "normalised loss of best_overall")                                     \
    X(C_LOSS_FIXED, "loss_fixed", REAL, "", "normalised loss of the baseline")                                         \
    X(C_LOSS_SINGLE, "loss_single", REAL, "", "normalised loss of the best policy of every instance")
MK_TABLE_COLUMNS(choice_columns, CHOICE);
const struct mk_table_schema mk_rank_choice =
    MK_TABLE_SCHEMA("a policy chosen from data (best_set --choice)", choice_columns, NULL);

static int add_choice(struct mk_table *t, const struct mk_rank_source *s, const struct mk_comparison *c,
                      struct mk_error *err)
{
    const struct mk_standing *fixed = &c->standing[c->baseline];
    struct mk_policy_choice choice;
    int code = mk_policy_choose(&choice, c, s->by, err);
    if (code) return code;
    set_place(t, c);
    mk_table_set_count(t, C_INSTANCES, c->n_instances);
    mk_table_set_text(t, C_CHOSEN, label(s, choice.most));
    mk_table_set_count(t, C_TIMES, choice.times[choice.most]);
    mk_table_set_text(t, C_OVERALL, label(s, choice.best_overall));
    mk_table_set_text(t, C_FIXED, label(s, c->baseline));
    mk_table_set_real(t, C_RANK_LEFT_OUT, choice.left_out.rank);
    mk_table_set_real(t, C_RANK_OVERALL, choice.overall.rank);
    mk_table_set_real(t, C_RANK_FIXED, fixed->rank);
    mk_table_set_real(t, C_RANK_SINGLE, choice.single.rank);
    mk_table_set_real(t, C_LOSS_LEFT_OUT, choice.left_out.loss);
    mk_table_set_real(t, C_LOSS_OVERALL, choice.overall.loss);
    mk_table_set_real(t, C_LOSS_FIXED, fixed->loss);
    mk_table_set_real(t, C_LOSS_SINGLE, choice.single.loss);
    mk_table_end_row(t);
    mk_policy_choice_clear(&choice);
    return MK_OK;
}

static int fill_choice(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    return add_each(t, s, add_choice, err);
}

/* ---- every two policies ---- */

#define PAIRS(X)                                                                                                       \
    PLACE(X, P_)                                                                                                       \
    X(P_POLICY, "policy", TEXT, "", "policy with the better average rank")                                             \
    X(P_AGAINST, "against", TEXT, "", "the other policy")                                                              \
    X(P_INSTANCES, "instances", COUNT, "instances", "instances that count")                                            \
    X(P_APART, "ranks_apart", REAL, "", "difference of their average ranks")                                           \
    X(P_WINS, "wins", COUNT, "instances", "instances won by the first policy")                                         \
    X(P_TIES, "ties", COUNT, "instances", "instances tied")                                                            \
    X(P_LOSSES, "losses", COUNT, "instances", "instances lost")                                                        \
    X(P_WON, "share_won", REAL, "", "share of instances won, ties half: 0.5 is no difference")                         \
    X(P_BISERIAL, "rank_biserial", REAL, "", "matched-pairs rank-biserial correlation; 1: better on every instance")   \
    X(P_WILCOXON, "p_wilcoxon", REAL, "", "two-sided signed-rank test of Wilcoxon")                                    \
    X(P_HOLM, "p_holm", REAL, "", "p_wilcoxon adjusted by Holm for all pairs")                                         \
    X(P_NEMENYI, "p_nemenyi", REAL, "", "Nemenyi's test of their average ranks")                                       \
    X(P_BETTER, "p_better", REAL, "", "with --bayes: probability that the first is better by more than R")             \
    X(P_EQUIVALENT, "p_equivalent", REAL, "", "with --bayes: that both are equivalent, no more than R apart")          \
    X(P_WORSE, "p_worse", REAL, "", "with --bayes: that the first is worse by more than R")                            \
    X(P_HOLM_ALL, "p_holm_all", REAL, "", "p_wilcoxon adjusted by Holm for all rows, those of other horizons too")
MK_TABLE_COLUMNS(pair_columns, PAIRS);
const struct mk_table_schema mk_rank_pairs =
    MK_TABLE_SCHEMA("every two policies (compare --pairs)", pair_columns, NULL);

static void add_pair(struct mk_table *t, const struct mk_rank_source *s, const struct mk_comparison *c,
                     const struct mk_policy_pair *of, double all)
{
    set_place(t, c);
    mk_table_set_text(t, P_POLICY, label(s, of->better));
    mk_table_set_text(t, P_AGAINST, label(s, of->worse));
    mk_table_set_count(t, P_INSTANCES, c->n_instances);
    mk_table_set_real(t, P_APART, of->apart);
    mk_table_set_count(t, P_WINS, of->record.wins);
    mk_table_set_count(t, P_TIES, of->record.ties);
    mk_table_set_count(t, P_LOSSES, of->record.losses);
    mk_table_set_real(t, P_WON, of->won);
    mk_table_set_real(t, P_BISERIAL, of->biserial);
    mk_table_set_real(t, P_WILCOXON, of->p);
    mk_table_set_real(t, P_HOLM, of->holm);
    mk_table_set_real(t, P_NEMENYI, of->nemenyi);
    mk_table_set_real(t, P_BETTER, of->credible.better);
    mk_table_set_real(t, P_EQUIVALENT, of->credible.equivalent);
    mk_table_set_real(t, P_WORSE, of->credible.worse);
    mk_table_set_real(t, P_HOLM_ALL, all);
    mk_table_end_row(t);
}

static int fill_pairs(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    int code = MK_OK;
    if (!s->scores->budget) mk_table_drop_column(t, BUDGET);
    for (size_t column = P_BETTER; isnan(s->options->region) && column <= P_WORSE; column++)
        mk_table_drop_column(t, column);
    const size_t of_one = s->scores->n_policies * (s->scores->n_policies - 1) / 2;
    struct mk_policy_pair **pair = calloc(s->n + 1, sizeof *pair);
    double *all = malloc((s->n * of_one + 1) * sizeof *all);
    if (!pair || !all) code = mk_fail_memory(err, "tests");
    for (size_t h = 0, n = 0; h < s->n && !code; h++) {
        code = mk_policy_pairs_new(&pair[h], &n, s->comparison[h], s->options, err);
        for (size_t i = 0; i < n && !code; i++) all[h * of_one + i] = pair[h][i].p;
    }
    if (!code) code = mk_holm(all, s->n * of_one, all, err);
    for (size_t at = 0; at < s->n * of_one && !code; at++)
        add_pair(t, s, s->comparison[at / of_one], &pair[at / of_one][at % of_one], all[at]);
    for (size_t h = 0; pair && h < s->n; h++) free(pair[h]);
    free(pair);
    free(all);
    return code;
}

/* ---- verdicts ---- */

#define VERDICT(X)                                                                                                     \
    X(V_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(V_AGAINST, "against", TEXT, "", "label of the baseline")                                                         \
    X(V_INSTANCES, "instances", COUNT, "instances", "instances that count")                                            \
    X(V_WINS, "wins", COUNT, "instances", "instances won against the baseline")                                        \
    X(V_TIES, "ties", COUNT, "instances", "instances tied")                                                            \
    X(V_LOSSES, "losses", COUNT, "instances", "instances lost")                                                        \
    X(V_SHARE, "share_won", REAL, "", "share of instances won, ties split as in the sign test")                        \
    X(V_SHARE_LOW, "share_low", REAL, "", "lower end of its exact interval (Clopper and Pearson)")                     \
    X(V_SHARE_HIGH, "share_high", REAL, "", "upper end of the interval")                                               \
    X(V_DIFFERENCE, "difference", REAL, "rewards", "mean difference of the scores")                                    \
    X(V_LOW, "difference_low", REAL, "rewards", "lower end of Student's interval")                                     \
    X(V_HIGH, "difference_high", REAL, "rewards", "upper end of the interval")                                         \
    X(V_P_SIGN, "p_sign", REAL, "", "two-sided sign test, ties split")                                                 \
    X(V_P_HOLM, "p_holm", REAL, "", "p_sign adjusted by Holm for all rows")                                            \
    X(V_VERDICT, "verdict", TEXT, "", "better or worse where p_holm is below --alpha, otherwise undecided")            \
    X(V_P_UNTIED, "p_untied", REAL, "", "two-sided sign test without the ties")                                        \
    X(V_P_UNTIED_HOLM, "p_untied_holm", REAL, "", "p_untied adjusted by Holm for all rows")                            \
    X(V_TIED, "share_tied", REAL, "", "share of instances tied")                                                       \
    X(V_VERDICT_UNTIED, "verdict_untied", TEXT, "",                                                                    \
      "as verdict, by p_untied_holm: for instances most of which are tied")                                            \
    X(V_P_EQUIVALENCE, "p_equivalence", REAL, "", "with --equivalence R: two one-sided tests of |difference| < R")     \
    X(V_P_EQUIVALENCE_HOLM, "p_equivalence_holm", REAL, "", "p_equivalence adjusted by Holm for all rows")             \
    X(V_EQUIVALENT, "equivalent", TEXT, "", "yes where p_equivalence_holm is below --alpha, otherwise undecided")      \
    X(V_RESULT, "result", TEXT, "", "with --apart: path of the result")
#define VERDICTS(X) PLACE(X, V_) VERDICT(X)
MK_TABLE_COLUMNS(verdict_columns, VERDICTS);
/* Reals with three digits, but for the place. */
#define FORMAT_TEXT NULL
#define FORMAT_COUNT NULL
#define FORMAT_REAL "%.3g"
#define SEEN(id, name, type, unit, about) {id, "", FORMAT_##type},
static const struct mk_table_view verdict_view[] = {PLACE(MK_COLUMN_SEEN, V_) VERDICT(SEEN) MK_TABLE_VIEW_END};
const struct mk_table_schema mk_rank_verdicts =
    MK_TABLE_SCHEMA("verdicts on policies (compare)", verdict_columns, verdict_view);

static void add_verdict(struct mk_table *t, const struct mk_rank_source *s, const struct mk_comparison *c,
                        size_t policy, const struct mk_policy_verdict *v, const char *result)
{
    const struct mk_contest *of = &v->contest;
    set_place(t, c);
    if (result) mk_table_set_text(t, V_RESULT, result);
    mk_table_set_text(t, V_POLICY, label(s, policy));
    mk_table_set_text(t, V_AGAINST, label(s, c->baseline));
    mk_table_set_count(t, V_INSTANCES, c->n_instances);
    mk_table_set_count(t, V_WINS, of->record.wins);
    mk_table_set_count(t, V_TIES, of->record.ties);
    mk_table_set_count(t, V_LOSSES, of->record.losses);
    mk_table_set_real(t, V_SHARE, of->share);
    mk_table_set_real(t, V_SHARE_LOW, of->share_low);
    mk_table_set_real(t, V_SHARE_HIGH, of->share_high);
    mk_table_set_real(t, V_DIFFERENCE, of->difference);
    mk_table_set_real(t, V_LOW, of->difference_low);
    mk_table_set_real(t, V_HIGH, of->difference_high);
    mk_table_set_real(t, V_P_SIGN, of->p);
    mk_table_set_real(t, V_P_HOLM, v->holm);
    mk_table_set_text(t, V_VERDICT, mk_contest_word(v->verdict));
    mk_table_set_real(t, V_P_UNTIED, of->p_untied);
    mk_table_set_real(t, V_P_UNTIED_HOLM, v->untied_holm);
    mk_table_set_real(t, V_TIED, (double)of->record.ties / (double)c->n_instances);
    mk_table_set_text(t, V_VERDICT_UNTIED, mk_contest_word(v->verdict_untied));
    mk_table_set_real(t, V_P_EQUIVALENCE, v->equivalence);
    mk_table_set_real(t, V_P_EQUIVALENCE_HOLM, v->equivalence_holm);
    mk_table_set_text(t, V_EQUIVALENT, v->equivalence_holm < s->options->alpha ? "yes" : "undecided");
    mk_table_end_row(t);
}

static int fill_verdicts(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    const size_t P = s->scores->n_policies;
    struct mk_policy_verdict *v = NULL;
    choose_place(t, s);
    for (size_t column = V_P_EQUIVALENCE; isnan(s->options->equivalence) && column <= V_EQUIVALENT; column++)
        mk_table_drop_column(t, column);
    if (!s->result) mk_table_drop_column(t, V_RESULT);
    int code = mk_policy_verdicts_new(&v, s->comparison, s->n, s->options, err);
    for (size_t at = 0; !code && at < s->n * P; at++)
        if (at % P != s->comparison[at / P]->baseline)
            add_verdict(t, s, s->comparison[at / P], at % P, &v[at], s->result ? s->result[at / P] : NULL);
    free(v);
    return code;
}

/* ---- which may be the best ---- */

#define BEST(X)                                                                                                        \
    PLACE(X, S_)                                                                                                       \
    X(S_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(S_INSTANCES, "instances", COUNT, "instances", "instances that count")                                            \
    X(S_RANK, "rank", REAL, "", "average rank over the instances")                                                     \
    X(S_LOSS, "loss", REAL, "", "normalised loss (--loss), mean over instances and repetitions")                       \
    X(S_P_BEST, "p_best", REAL, "", "p-value of: no other policy has smaller ranks (--by loss: losses) than this one") \
    X(S_MAY_BE, "may_be_best", FLAG, "", "whether p_best is at least --alpha: the policy may be the best one")
MK_TABLE_COLUMNS(best_columns, BEST);
static const struct mk_table_view best_view[] = {{S_POLICY, "", NULL},       {S_RANK, "", "%.3f"}, {S_LOSS, "", "%.4f"},
                                                 {S_P_BEST, "", MK_TABLE_P}, {S_MAY_BE, "", NULL}, MK_TABLE_VIEW_END};
const struct mk_table_schema mk_rank_best_set =
    MK_TABLE_SCHEMA("policies that may be the best (best_set)", best_columns, best_view);

static size_t add_best(struct mk_table *t, const struct mk_rank_source *s, const struct mk_comparison *c,
                       const double *p)
{
    size_t may_be = 0;
    for (size_t at = 0; at < c->n_policies; at++) {
        const bool best = !(p[at] < s->options->alpha);
        set_place(t, c);
        mk_table_set_text(t, S_POLICY, label(s, at));
        mk_table_set_count(t, S_INSTANCES, c->n_instances);
        mk_table_set_real(t, S_RANK, c->standing[at].rank);
        mk_table_set_real(t, S_LOSS, c->standing[at].loss);
        mk_table_set_real(t, S_P_BEST, p[at]);
        mk_table_set_flag(t, S_MAY_BE, best);
        mk_table_end_row(t);
        may_be += best;
    }
    return may_be;
}

/* As add_horizon: people see the best average rank first. */
static int add_best_set(struct mk_table *t, const struct mk_rank_source *s, const struct mk_comparison *c,
                        struct mk_error *err)
{
    const double *const value = s->by == MK_BY_LOSS ? c->loss : c->rank;
    const size_t first = mk_table_rows(t);
    char policies[MK_COUNTED_ROOM], instances[MK_COUNTED_ROOM];
    if (s->by == MK_BY_LOSS && isnan(value[0]))
        return mk_fail(err, MK_EINPUT, "maxk best_set: --by loss: %s has no losses of these scores; use --by rank",
                       s->scores->info->path);
    double *p = malloc(c->n_policies * sizeof *p);
    size_t *order = malloc(c->n_policies * sizeof *order);
    int code = p && order ? MK_OK : mk_fail_memory(err, "a table");
    if (!code) code = mk_best_set(value, c->n_instances, c->n_policies, s->options->seed, p, err);
    if (!code) {
        const size_t may_be = add_best(t, s, c, p);
        mk_comparison_order(c, order);
        begin_place(t, c);
        mk_table_extend_caption(
            t, ": %zu of %s may be the best, by %s on %s; the best one is missing with probability at most %g.", may_be,
            mk_counted(c->n_policies, "policy", "policies", policies), s->by == MK_BY_LOSS ? "loss" : "rank",
            mk_counted(c->n_instances, s->scores->split ? "repetition" : "instance", NULL, instances),
            s->options->alpha);
        for (size_t i = 0; i < c->n_policies; i++) mk_table_list_row(t, first + order[i]);
    }
    free(order);
    free(p);
    return code;
}

static int fill_best_set(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    return add_each(t, s, add_best_set, err);
}

/* ---- sample sizes ---- */

#define SIZES(X)                                                                                                       \
    PLACE(X, Z_)                                                                                                       \
    X(Z_POLICY, "policy", TEXT, "", "label of the policy")                                                             \
    X(Z_AGAINST, "against", TEXT, "", "label of the baseline")                                                         \
    X(Z_INSTANCES, "instances", COUNT, "", "instances on which both have a value")                                     \
    X(Z_REPETITIONS, "repetitions", REAL, "", "repetitions per instance, harmonic mean")                               \
    X(Z_DIFFERENCE, "difference", REAL, "rewards", "mean difference from the baseline")                                \
    X(Z_ERROR, "error", REAL, "rewards", "its standard error")                                                         \
    X(Z_BETWEEN, "sd_instances", REAL, "rewards", "standard deviation of the expected difference over the instances")  \
    X(Z_WITHIN, "sd_repetitions", REAL, "rewards",                                                                     \
      "standard deviation of the difference over repetitions of an instance")                                          \
    X(Z_SHARE, "share_instances", REAL, "", "share of the squared error that more repetitions would not remove")       \
    X(Z_EFFECT, "effect", REAL, "rewards", "the difference that is to be found")                                       \
    X(Z_NEED, "need_instances", REAL, "", "instances needed to find it, with as many repetitions as now")              \
    X(Z_NEED_MANY, "need_instances_exact", REAL, "", "instances needed with any number of repetitions")                \
    X(Z_NEED_REPETITIONS, "need_repetitions", REAL, "",                                                                \
      "repetitions needed on the present instances; inf: none suffice")
MK_TABLE_COLUMNS(size_columns, SIZES);
const struct mk_table_schema mk_rank_sample_size =
    MK_TABLE_SCHEMA("variance components and sample sizes", size_columns, NULL);

static void add_size(struct mk_table *t, const struct mk_rank_source *s, size_t h, size_t policy)
{
    const struct mk_rank_options *o = s->options;
    const struct mk_comparison *c = s->comparison[h];
    struct mk_components of;
    mk_components_of(&of, s->scores, h, policy, c->baseline);
    const double effect = isnan(o->effect) ? fabs(of.difference) : o->effect;
    const double squared = of.between * of.between + of.within * of.within / of.repetitions;
    set_place(t, c);
    mk_table_set_text(t, Z_POLICY, label(s, policy));
    mk_table_set_text(t, Z_AGAINST, label(s, c->baseline));
    mk_table_set_count(t, Z_INSTANCES, of.instances);
    mk_table_set_real(t, Z_REPETITIONS, of.repetitions);
    mk_table_set_real(t, Z_DIFFERENCE, of.difference);
    mk_table_set_real(t, Z_ERROR, of.error);
    mk_table_set_real(t, Z_BETWEEN, of.between);
    mk_table_set_real(t, Z_WITHIN, of.within);
    mk_table_set_real(t, Z_SHARE, squared > 0 ? of.between * of.between / squared : NAN);
    mk_table_set_real(t, Z_EFFECT, effect);
    mk_table_set_real(t, Z_NEED, mk_components_instances(&of, effect, o->alpha, o->power, of.repetitions));
    mk_table_set_real(t, Z_NEED_MANY, mk_components_instances(&of, effect, o->alpha, o->power, INFINITY));
    mk_table_set_real(t, Z_NEED_REPETITIONS, mk_components_repetitions(&of, effect, o->alpha, o->power));
    mk_table_end_row(t);
}

static int fill_sizes(struct mk_table *t, const struct mk_rank_source *s, struct mk_error *err)
{
    (void)err;
    choose_place(t, s);
    for (size_t h = 0; h < s->n; h++)
        for (size_t p = 0; p < s->scores->n_policies; p++)
            if (p != s->comparison[h]->baseline) add_size(t, s, h, p);
    return MK_OK;
}

/* ---- */

const struct mk_table_schema *const mk_rank_schemas[MK_RANK_LAYOUTS + 1] = {
    &row_schema, &beside_schema, &task_schema, &mk_rank_choice, &mk_rank_pairs, &mk_rank_verdicts, NULL};

const struct mk_table_schema *mk_rank_schema(enum mk_rank_layout layout)
{
    return layout == MK_RANK_BEST_SET      ? &mk_rank_best_set
           : layout == MK_RANK_SAMPLE_SIZE ? &mk_rank_sample_size
                                           : mk_rank_schemas[layout];
}

int mk_rank_fill(struct mk_table *t, enum mk_rank_layout layout, const struct mk_rank_source *s, struct mk_error *err)
{
    static int (*const fill[])(struct mk_table *, const struct mk_rank_source *, struct mk_error *) = {
        fill_rows, fill_beside, fill_tasks, fill_choice, fill_pairs, fill_verdicts, fill_best_set, fill_sizes};
    return fill[layout](t, s, err);
}

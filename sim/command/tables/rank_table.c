#include "sim/command/tables/rank_table.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/posterior.h"
#include "sim/base/text.h"

const char *mk_rank_label(const struct mk_rank_print *p, size_t policy)
{
    return p->scores->info->policy[p->scores->policy[policy]];
}

void mk_rank_add_place(struct mk_table_printer *t, const struct mk_comparison *c)
{
    if (isnan(c->budget))
        mk_table_count(t, c->horizon);
    else
        mk_table_real(t, c->budget);
}

/* Begins a table with these columns after the first ones; the mean of the scores, "mean_max" or "mean max", is called
 * after what is compared. */
static int begin(struct mk_table_printer **t, const struct mk_rank_print *p, struct mk_table_style style,
                 const char *first, const char *columns, struct mk_error *err)
{
    static const char *const name[] = {[MK_SCORE_BEST_SHARE] = "share", [MK_SCORE_INCUMBENT] = "incumbent"};
    const char *compared = name[p->scores->score], *mean = compared ? strstr(columns, "mean") : NULL;
    const size_t before = mean ? (size_t)(mean - columns) + strlen("mean_") : 0;
    char *header = NULL;
    if (asprintf(&header, "%s%.*s%s%s", first, (int)before, columns, mean ? compared : "",
                 columns + before + (mean ? strlen("max") : 0)) < 0)
        return mk_fail_memory(err, "a table");
    int code = mk_table_begin(t, p->to, style, header, err);
    free(header);
    return code;
}

int mk_rank_begin(struct mk_table_printer **t, const struct mk_rank_print *p, struct mk_table_style style,
                  const char *columns, struct mk_error *err)
{
    return begin(t, p, style, p->scores->budget ? "budget," : "horizon,", columns, err);
}

/* ---- rows ---- */

static void add_csv_row(struct mk_table_printer *t, const struct mk_rank_print *p, const struct mk_comparison *c,
                        size_t at)
{
    const struct mk_standing *s = &c->standing[at];
    bool is_baseline = at == c->baseline;
    mk_rank_add_place(t, c);
    mk_table_text(t, mk_rank_label(p, at));
    mk_table_count(t, c->n_instances);
    mk_table_count(t, c->left_out);
    mk_table_count(t, c->unpaired);
    const double first[] = {s->rank, s->rank_boot.mean, s->rank_boot.sd,  s->rank_boot.low,  s->rank_boot.high,
                            s->loss, s->loss_boot.mean, s->loss_boot.low, s->loss_boot.high, s->reward};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) mk_table_real(t, first[i]);
    mk_table_text(t, mk_rank_label(p, c->baseline));
    const size_t counts[] = {s->record.wins, s->record.ties, s->record.losses};
    for (size_t i = 0; i < 3; i++) mk_table_real(t, is_baseline ? NAN : (double)counts[i]);
    const double last[] = {s->p_sign,
                           s->p_sign_bonferroni,
                           s->p_wilcoxon,
                           s->p_wilcoxon_holm,
                           s->p_nemenyi,
                           c->friedman.chi2,
                           c->friedman.p,
                           c->friedman.chi2_ties,
                           c->friedman.p_ties,
                           c->friedman.f,
                           c->friedman.p_f,
                           c->distance,
                           c->dunn,
                           s->p_untied,
                           s->p_untied_bonferroni};
    for (size_t i = 0; i < sizeof last / sizeof *last; i++) mk_table_real(t, last[i]);
}

static int print_csv(const struct mk_rank_print *p, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_rank_begin(
        &t, p, p->style,
        "policy,instances,left_out,repetitions_left_out,rank,rank_boot,rank_sd,rank_low,rank_high,loss,loss_boot,loss_low,loss_high,"
        "mean_max,baseline,wins,ties,losses,p_sign,p_sign_bonferroni,p_wilcoxon,p_wilcoxon_holm,p_nemenyi,"
        "friedman_chi2,friedman_p,friedman_chi2_ties,friedman_p_ties,iman_davenport_f,iman_davenport_p,"
        "critical_distance,dunn_distance,p_untied,p_untied_bonferroni",
        err);
    for (size_t h = 0; h < p->n && !code; h++)
        for (size_t at = 0; at < p->comparison[h]->n_policies; at++) add_csv_row(t, p, p->comparison[h], at);
    return mk_table_finish(t, code, err);
}

static void add_p(struct mk_table_printer *t, double p)
{
    if (isnan(p))
        mk_table_real(t, p);
    else
        mk_table_format(t, p < 1e-4 ? "%.1e" : "%.4f", p);
}

static void add_interval(struct mk_table_printer *t, const struct mk_interval *i)
{
    if (isnan(i->mean))
        mk_table_real(t, NAN);
    else
        mk_table_format(t, "%.3f to %.3f", i->low, i->high);
}

static void add_row(struct mk_table_printer *t, const struct mk_rank_print *p, const struct mk_comparison *c, size_t at)
{
    const struct mk_standing *s = &c->standing[at];
    mk_table_text(t, mk_rank_label(p, at));
    mk_table_format(t, "%.3f", s->rank);
    mk_table_real(t, isnan(s->rank_boot.mean) ? NAN : round(1000 * s->rank_boot.mean) / 1000);
    add_interval(t, &s->rank_boot);
    if (isnan(s->loss))
        mk_table_real(t, NAN);
    else
        mk_table_format(t, "%.4f", s->loss);
    mk_table_real(t, s->reward);
    if (at == c->baseline)
        mk_table_format(t, "%s", "baseline");
    else
        mk_table_format(t, "%zu/%zu/%zu", s->record.wins, s->record.ties, s->record.losses);
    const double tests[] = {s->p_sign,          s->p_sign_bonferroni, s->p_wilcoxon,
                            s->p_wilcoxon_holm, s->p_untied,          s->p_untied_bonferroni};
    for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) add_p(t, tests[i]);
}

static void print_tests(const struct mk_rank_print *p, const struct mk_comparison *c)
{
    const struct mk_friedman *f = &c->friedman;
    const char *comment = p->style.form == MK_TABLE_LATEX ? "% " : "";
    char place[64], policies[MK_COUNTED_ROOM], instances[MK_COUNTED_ROOM], counted[MK_COUNTED_ROOM];
    char unpaired[MK_COUNTED_ROOM + 80] = "";
    if (c->unpaired)
        snprintf(unpaired, sizeof unpaired, ", %s left out that not every policy can afford",
                 mk_counted(c->unpaired, "repetition", NULL, counted));
    if (isnan(c->budget))
        snprintf(place, sizeof place, "T = %llu", (unsigned long long)c->horizon);
    else
        snprintf(place, sizeof place, "Budget %g", c->budget);
    fprintf(p->to, "%s%s: %s, %s%s%s. ", comment, place, mk_counted(c->n_policies, "policy", "policies", policies),
            mk_counted(c->n_instances, p->scores->split ? "repetition" : "instance", NULL, instances),
            c->left_out ? ", others left out for missing values" : "", unpaired);
    if (c->n_instances == 1) {
        fputs("Tests and intervals over instances need more than one; --resample repetitions has intervals of this "
              "instance alone.\n",
              p->to);
        return;
    }
    fprintf(p->to,
            "Friedman chi2 = %.4g, p = %.2g (corrected for ties %.4g, %.2g); Iman-Davenport F = %.4g, p = %.2g.\n"
            "%sAverage ranks differ at level %g if they are at least %.3f apart (Nemenyi), from the baseline's if at "
            "least %.3f apart (Bonferroni-Dunn).\n",
            f->chi2, f->p, f->chi2_ties, f->p_ties, f->f, f->p_f, comment, p->options->alpha, c->distance, c->dunn);
    if (p->scores->score == MK_SCORE_MAX && p->scores->info->has_incumbents)
        fprintf(p->to,
                "%sLargest rewards are also the largest noise; --score incumbent compares the values without noise of "
                "their configurations.\n",
                comment);
    if (p->scores->split)
        fprintf(p->to,
                "%sEvery repetition counts as an instance: tests are of these %s, and say nothing about others.\n",
                comment, mk_counted(p->scores->n_instances / p->scores->split, "instance", NULL, instances));
}

static int print_horizon(const struct mk_rank_print *p, const struct mk_comparison *c, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    size_t *order = malloc(c->n_policies * sizeof *order);
    int code = order ? MK_OK : mk_fail_memory(err, "a table");
    if (!code)
        code = begin(
            &t, p, p->style, "",
            "policy,rank,bootstrap,its interval,loss,mean max,w/t/l,p sign,corrected,p Wilcoxon,Holm,p untied,corrected",
            err);
    if (!code) {
        mk_comparison_order(c, order);
        for (size_t i = 0; i < c->n_policies; i++) add_row(t, p, c, order[i]);
    }
    code = mk_table_finish(t, code, err);
    free(order);
    return code;
}

int mk_rank_print_rows(const struct mk_rank_print *p, struct mk_error *err)
{
    int code = MK_OK;
    if (p->style.form == MK_TABLE_CSV || p->style.form == MK_TABLE_JSON) return print_csv(p, err);
    for (size_t h = 0; h < p->n && !code; h++) {
        if (h) fputc('\n', p->to);
        if (p->style.form == MK_TABLE_ALIGNED) print_tests(p, p->comparison[h]);
        fputs(p->style.form == MK_TABLE_ALIGNED ? "\n" : "", p->to);
        code = print_horizon(p, p->comparison[h], err);
        if (p->style.form == MK_TABLE_MARKDOWN) fputc('\n', p->to);
        if (p->style.form != MK_TABLE_ALIGNED && !code) print_tests(p, p->comparison[h]);
    }
    return code;
}

/* ---- side by side ---- */

/* "horizon,measure,<labels>": commas of labels become semicolons, since commas separate the names. malloc'ed. */
static char *header_of(const struct mk_rank_print *p)
{
    char *text = NULL;
    size_t room = 0;
    FILE *to = open_memstream(&text, &room);
    if (!to) return NULL;
    fputs(p->scores->budget ? "budget,measure" : "horizon,measure", to);
    for (size_t at = 0; at < p->scores->n_policies; at++) {
        if (at == p->comparison[0]->baseline) continue;
        fputc(',', to);
        for (const char *c = mk_rank_label(p, at); *c; c++) fputc(*c == ',' ? ';' : *c, to);
    }
    if (fclose(to)) {
        free(text);
        return NULL;
    }
    return text;
}

enum { P_VALUE, RECORD, LOSS, P_UNTIED, MEASURES };

static void add_marked_p(struct mk_table_printer *t, const struct mk_rank_print *p, double value, double corrected)
{
    mk_table_mark(t, value < p->options->alpha, corrected < p->options->alpha);
    if (p->style.form == MK_TABLE_CSV || p->style.form == MK_TABLE_JSON || isnan(value))
        mk_table_real(t, value);
    else
        mk_table_format(t, "%.5f", value);
}

static void add_beside(struct mk_table_printer *t, const struct mk_rank_print *p, const struct mk_standing *s,
                       int measure)
{
    switch (measure) {
    case P_VALUE: add_marked_p(t, p, s->p_sign, s->p_sign_bonferroni); break;
    case P_UNTIED: add_marked_p(t, p, s->p_untied, s->p_untied_bonferroni); break;
    case RECORD: mk_table_format(t, "%zu/%zu/%zu", s->record.wins, s->record.ties, s->record.losses); break;
    case LOSS:
        if (p->style.form == MK_TABLE_CSV || p->style.form == MK_TABLE_JSON)
            mk_table_real(t, s->loss);
        else
            mk_table_format(t, "%.4f", s->loss);
        break;
    }
}

int mk_rank_print_beside(const struct mk_rank_print *p, struct mk_error *err)
{
    static const char *const name[MEASURES] = {"p-value", "w/t/l", "loss", "p untied"};
    struct mk_table_printer *t = NULL;
    char *header = header_of(p);
    int code = header ? mk_table_begin(&t, p->to, p->style, header, err) : mk_fail_memory(err, "a table");
    for (size_t h = 0; h < p->n && !code; h++)
        for (int m = 0; m < MEASURES; m++) {
            const struct mk_comparison *c = p->comparison[h];
            if (m == LOSS && isnan(c->standing[0].loss)) continue;
            mk_rank_add_place(t, c);
            mk_table_text(t, name[m]);
            for (size_t at = 0; at < c->n_policies; at++)
                if (at != c->baseline) add_beside(t, p, &c->standing[at], m);
        }
    code = mk_table_finish(t, code, err);
    free(header);
    return code;
}

/* ---- instances ---- */

/* The name of an instance; of a repetition that counts as one, with its number. */
static void add_instance(struct mk_table_printer *t, const struct mk_scores *s, size_t at)
{
    char text[400];
    const char *name = s->info->instance[s->split ? at / s->split : at];
    snprintf(text, sizeof text, "%s (%zu)", name, s->split ? at % s->split : 0);
    mk_table_text(t, s->split ? text : name);
}

int mk_rank_print_tasks(const struct mk_rank_print *p, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_rank_begin(&t, p, p->style, "instance,policy,mean_max,rank,loss", err);
    for (size_t h = 0; h < p->n && !code; h++) {
        const struct mk_comparison *c = p->comparison[h];
        for (size_t i = 0; i < c->n_instances; i++)
            for (size_t at = 0; at < c->n_policies; at++) {
                size_t cell = i * c->n_policies + at;
                mk_rank_add_place(t, c);
                add_instance(t, p->scores, c->instance[i]);
                mk_table_text(t, mk_rank_label(p, at));
                mk_table_real(t, c->reward[cell]);
                mk_table_real(t, c->rank[cell]);
                mk_table_real(t, c->loss[cell]);
            }
    }
    return mk_table_finish(t, code, err);
}

/* ---- choosing from data ---- */

static void add_choice(struct mk_table_printer *t, const struct mk_rank_print *p, const struct mk_comparison *c,
                       const struct mk_policy_choice *choice)
{
    const struct mk_standing *fixed = &c->standing[c->baseline];
    mk_rank_add_place(t, c);
    mk_table_count(t, c->n_instances);
    mk_table_text(t, mk_rank_label(p, choice->most));
    mk_table_count(t, choice->times[choice->most]);
    mk_table_text(t, mk_rank_label(p, choice->best_overall));
    mk_table_text(t, mk_rank_label(p, c->baseline));
    const double figure[] = {choice->left_out.rank, choice->overall.rank, fixed->rank, choice->single.rank,
                             choice->left_out.loss, choice->overall.loss, fixed->loss, choice->single.loss};
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++) mk_table_real(t, figure[i]);
}

int mk_rank_print_choice(const struct mk_rank_print *p, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    int code = mk_rank_begin(&t, p, p->style,
                             "instances,chosen,times,best_overall,fixed,rank_left_out,rank_overall,rank_fixed,"
                             "rank_single,loss_left_out,loss_overall,loss_fixed,loss_single",
                             err);
    for (size_t h = 0; h < p->n && !code; h++) {
        struct mk_policy_choice choice;
        code = mk_policy_choose(&choice, p->comparison[h], p->by, err);
        if (code) break;
        add_choice(t, p, p->comparison[h], &choice);
        mk_policy_choice_clear(&choice);
    }
    return mk_table_finish(t, code, err);
}

/* ---- every two policies ---- */

struct pair {
    size_t better, worse; /* by their average ranks */
    struct mk_win_counts record;
    double won;      /* share of instances won, ties half */
    double biserial; /* matched-pairs rank-biserial correlation (Kerby 2014): (R+ - R-) / (R+ + R-) */
    double p;        /* Wilcoxon, two-sided */
};

/* difference[n_instances] receives those of the scores. */
static int test_two(const struct mk_rank_print *p, const struct mk_comparison *c, struct pair *of, double *difference,
                    struct mk_error *err)
{
    const struct mk_rank_options *o = p->options;
    const size_t P = c->n_policies, n = c->n_instances;
    struct mk_wilcoxon w;
    for (size_t i = 0; i < n; i++) {
        const double a = c->reward[i * P + of->better], b = c->reward[i * P + of->worse];
        const struct mk_win_counts one = mk_compare_pairs(&a, &b, 1, o->tolerance, o->relative);
        of->record.wins += one.wins;
        of->record.ties += one.ties;
        of->record.losses += one.losses;
        difference[i] = a - b;
    }
    int code = mk_wilcoxon_test(difference, n, o->zeros, o->tolerance, &w, err);
    if (code) return code;
    of->won = ((double)of->record.wins + 0.5 * (double)of->record.ties) / (double)n;
    of->biserial = w.plus + w.minus > 0 ? (w.plus - w.minus) / (w.plus + w.minus) : 0;
    of->p = n > 1 ? w.p_two_sided : NAN;
    return MK_OK;
}

/* credible: NULL without posterior probabilities. */
static void add_pair(struct mk_table_printer *t, const struct mk_rank_print *p, const struct mk_comparison *c,
                     const struct pair *of, double holm, const struct mk_posterior *credible)
{
    const struct mk_result_info *info = p->scores->info;
    const double apart = c->standing[of->worse].rank - c->standing[of->better].rank;
    mk_table_count(t, c->horizon);
    if (p->scores->budget) mk_table_real(t, c->budget);
    mk_table_text(t, info->policy[p->scores->policy[of->better]]);
    mk_table_text(t, info->policy[p->scores->policy[of->worse]]);
    mk_table_count(t, c->n_instances);
    mk_table_real(t, apart);
    mk_table_count(t, of->record.wins);
    mk_table_count(t, of->record.ties);
    mk_table_count(t, of->record.losses);
    mk_table_real(t, of->won);
    mk_table_real(t, of->biserial);
    mk_table_real(t, of->p);
    mk_table_real(t, holm);
    mk_table_real(t, c->n_instances > 1 ? mk_nemenyi_p(apart, c->n_policies, c->n_instances) : NAN);
    if (!credible) return;
    mk_table_real(t, credible->better);
    mk_table_real(t, credible->equivalent);
    mk_table_real(t, credible->worse);
}

static int add_pairs(struct mk_table_printer *t, const struct mk_rank_print *p, const struct mk_comparison *c,
                     struct mk_error *err)
{
    const struct mk_rank_options *o = p->options;
    const size_t P = c->n_policies, n = P * (P - 1) / 2, N = c->n_instances;
    const bool bayes = !isnan(o->region);
    size_t *order = malloc((P + 1) * sizeof *order), at = 0;
    struct pair *pair = calloc(n + 1, sizeof *pair);
    struct mk_posterior *credible = calloc(n + 1, sizeof *credible);
    double *difference = malloc((n * N + 1) * sizeof *difference), *holm = malloc((n + 1) * sizeof *holm);
    int code = order && pair && credible && difference && holm ? MK_OK : mk_fail_memory(err, "tests");
    if (!code) mk_comparison_order(c, order);
    for (size_t i = 0; i < P && !code; i++)
        for (size_t j = i + 1; j < P && !code; j++) {
            pair[at].better = order[i];
            pair[at].worse = order[j];
            code = test_two(p, c, &pair[at], difference + at * N, err);
            holm[at] = pair[at].p;
            at++;
        }
    if (!code) code = mk_holm(holm, n, holm, err);
    if (!code && bayes)
        code = mk_signed_rank_posteriors(difference, n, N, fmax(o->region, o->tolerance), o->seed, credible, err);
    for (size_t i = 0; i < n && !code; i++) add_pair(t, p, c, &pair[i], holm[i], bayes ? &credible[i] : NULL);
    free(order);
    free(pair);
    free(credible);
    free(difference);
    free(holm);
    return code;
}

int mk_rank_print_pairs(const struct mk_rank_print *p, struct mk_error *err)
{
    struct mk_table_printer *t = NULL;
    char columns[256];
    snprintf(columns, sizeof columns,
             "horizon,%spolicy,against,instances,ranks_apart,wins,ties,losses,share_won,rank_biserial,p_wilcoxon,"
             "p_holm,p_nemenyi%s",
             p->scores->budget ? "budget," : "", isnan(p->options->region) ? "" : ",p_better,p_equivalent,p_worse");
    int code = mk_table_begin(&t, p->to, p->style, columns, err);
    for (size_t h = 0; h < p->n && !code; h++) code = add_pairs(t, p, p->comparison[h], err);
    return mk_table_finish(t, code, err);
}

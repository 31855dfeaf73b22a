/* maxk rank --pairs: tests of every two policies, with effect sizes. */
#include <math.h>
#include <stdlib.h>

#include "sim/command/rank_table.h"

struct pair {
    size_t better, worse; /* by their average ranks */
    struct mk_win_counts record;
    double won;      /* share of instances won, ties half */
    double biserial; /* matched-pairs rank-biserial correlation (Kerby 2014): (R+ - R-) / (R+ + R-) */
    double p;        /* Wilcoxon, two-sided */
};

/* difference[n_instances]: scratch. */
static int test_pair(const struct mk_rank_print *p, const struct mk_comparison *c, struct pair *of, double *difference,
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
    of->p = w.p_two_sided;
    return MK_OK;
}

static void add_row(struct mk_table *t, const struct mk_rank_print *p, const struct mk_comparison *c,
                    const struct pair *of, double holm)
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
    mk_table_real(t, mk_nemenyi_p(apart, c->n_policies, c->n_instances));
}

static int add_horizon(struct mk_table *t, const struct mk_rank_print *p, const struct mk_comparison *c,
                       struct mk_error *err)
{
    const size_t P = c->n_policies, n = P * (P - 1) / 2;
    size_t *order = malloc((P + 1) * sizeof *order), at = 0;
    struct pair *pair = calloc(n + 1, sizeof *pair);
    double *difference = malloc((c->n_instances + 1) * sizeof *difference), *holm = malloc((n + 1) * sizeof *holm);
    int code = order && pair && difference && holm ? MK_OK : mk_fail_memory(err, "tests");
    if (!code) mk_comparison_order(c, order);
    for (size_t i = 0; i < P && !code; i++)
        for (size_t j = i + 1; j < P && !code; j++) {
            pair[at].better = order[i];
            pair[at].worse = order[j];
            code = test_pair(p, c, &pair[at], difference, err);
            holm[at] = pair[at].p;
            at++;
        }
    if (!code) code = mk_holm(holm, n, holm, err);
    for (size_t i = 0; i < n && !code; i++) add_row(t, p, c, &pair[i], holm[i]);
    free(order);
    free(pair);
    free(difference);
    free(holm);
    return code;
}

int mk_rank_print_pairs(const struct mk_rank_print *p, struct mk_error *err)
{
    struct mk_table *t = NULL;
    int code = mk_table_begin(&t, p->to, p->form,
                              p->scores->budget
                                  ? "horizon,budget,policy,against,instances,ranks_apart,wins,ties,losses,share_won,"
                                    "rank_biserial,p_wilcoxon,p_holm,p_nemenyi"
                                  : "horizon,policy,against,instances,ranks_apart,wins,ties,losses,share_won,"
                                    "rank_biserial,p_wilcoxon,p_holm,p_nemenyi",
                              err);
    for (size_t h = 0; h < p->n && !code; h++) code = add_horizon(t, p, p->comparison[h], err);
    return mk_table_finish(t, code, err);
}

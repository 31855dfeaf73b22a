#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "analysis/compare/contest.h"
#include "sim/command/tables/rank_table.h"

/* The scores of one policy and of the baseline; a[], b[]: scratch. */
static void hold(const struct mk_rank_print *p, const struct mk_comparison *c, size_t policy, double *a, double *b,
                 struct mk_contest *out)
{
    const struct mk_rank_options *o = p->options;
    for (size_t i = 0; i < c->n_instances; i++) {
        a[i] = c->reward[i * c->n_policies + policy];
        b[i] = c->reward[i * c->n_policies + c->baseline];
    }
    mk_contest_hold(out, a, b, c->n_instances, o->tolerance, o->relative, o->confidence);
}

/* contest[horizon][policy], and their p with ties split and without ties (untied), adjusted for all of them; the
 * baseline's own p is NaN. */
static int hold_all(const struct mk_rank_print *p, struct mk_contest *contest, double *holm, double *untied,
                    struct mk_error *err)
{
    const size_t P = p->scores->n_policies, n = p->scores->n_instances;
    double *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b);
    int code = a && b ? MK_OK : mk_fail_memory(err, "verdicts");
    for (size_t h = 0; h < p->n && !code; h++)
        for (size_t at = 0; at < P; at++) {
            struct mk_contest *c = &contest[h * P + at];
            hold(p, p->comparison[h], at, a, b, c);
            const bool own = at == p->comparison[h]->baseline;
            holm[h * P + at] = own ? NAN : c->p;
            untied[h * P + at] = own ? NAN : c->p_untied;
        }
    free(a);
    free(b);
    if (!code) code = mk_holm(holm, p->n * P, holm, err);
    return code ? code : mk_holm(untied, p->n * P, untied, err);
}

static void add_number(struct mk_table_printer *t, const struct mk_rank_print *p, double number)
{
    if (p->style.form == MK_TABLE_CSV || p->style.form == MK_TABLE_JSON || isnan(number))
        mk_table_real(t, number);
    else
        mk_table_format(t, "%.3g", number);
}

static void add_verdict(struct mk_table_printer *t, const struct mk_rank_print *p, size_t h, size_t at,
                        const struct mk_contest *of, double holm, double untied)
{
    const struct mk_comparison *c = p->comparison[h];
    mk_rank_add_place(t, c);
    mk_table_text(t, mk_rank_label(p, at));
    mk_table_text(t, mk_rank_label(p, c->baseline));
    mk_table_count(t, c->n_instances);
    mk_table_count(t, of->record.wins);
    mk_table_count(t, of->record.ties);
    mk_table_count(t, of->record.losses);
    const double number[] = {of->share,          of->share_low,       of->share_high, of->difference,
                             of->difference_low, of->difference_high, of->p,          holm};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) add_number(t, p, number[i]);
    mk_table_text(t, mk_contest_word(mk_contest_decide(of, holm, p->options->alpha)));
    add_number(t, p, of->p_untied);
    add_number(t, p, untied);
}

int mk_rank_print_verdicts(const struct mk_rank_print *p, struct mk_error *err)
{
    const size_t P = p->scores->n_policies;
    struct mk_table_printer *t = NULL;
    struct mk_contest *contest = malloc((p->n * P + 1) * sizeof *contest);
    double *holm = malloc((2 * p->n * P + 1) * sizeof *holm), *untied = holm + p->n * P;
    int code = contest && holm ? hold_all(p, contest, holm, untied, err) : mk_fail_memory(err, "verdicts");
    if (!code)
        code = mk_rank_begin(&t, p, p->style,
                             "policy,against,instances,wins,ties,losses,share_won,share_low,share_high,difference,"
                             "difference_low,difference_high,p_sign,p_holm,verdict,p_untied,p_untied_holm",
                             err);
    for (size_t h = 0; h < p->n && !code; h++)
        for (size_t at = 0; at < P; at++)
            if (at != p->comparison[h]->baseline)
                add_verdict(t, p, h, at, &contest[h * P + at], holm[h * P + at], untied[h * P + at]);
    code = mk_table_finish(t, code, err);
    free(contest);
    free(holm);
    return code;
}

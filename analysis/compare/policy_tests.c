#include "analysis/compare/policy_tests.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

/* ---- every two policies ---- */

/* difference[n_instances] receives those of the scores. */
static int test_two(const struct mk_comparison *c, const struct mk_rank_options *o, struct mk_policy_pair *of,
                    double *difference, struct mk_error *err)
{
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
    of->apart = c->standing[of->worse].rank - c->standing[of->better].rank;
    of->won = ((double)of->record.wins + 0.5 * (double)of->record.ties) / (double)n;
    of->biserial = w.plus + w.minus > 0 ? (w.plus - w.minus) / (w.plus + w.minus) : 0;
    of->p = n > 1 ? w.p_two_sided : NAN;
    of->nemenyi = n > 1 ? mk_nemenyi_p(of->apart, P, n) : NAN;
    return MK_OK;
}

int mk_policy_pairs_new(struct mk_policy_pair **out, size_t *n_pairs, const struct mk_comparison *c,
                        const struct mk_rank_options *o, struct mk_error *err)
{
    const size_t P = c->n_policies, n = P * (P - 1) / 2, N = c->n_instances;
    size_t *order = malloc((P + 1) * sizeof *order), at = 0;
    struct mk_policy_pair *pair = calloc(n + 1, sizeof *pair);
    struct mk_posterior *credible = malloc((n + 1) * sizeof *credible);
    double *difference = malloc((n * N + 1) * sizeof *difference), *holm = malloc((n + 1) * sizeof *holm);
    int code = order && pair && credible && difference && holm ? MK_OK : mk_fail_memory(err, "tests");
    if (!code) mk_comparison_order(c, order);
    for (size_t i = 0; i < P && !code; i++)
        for (size_t j = i + 1; j < P && !code; j++) {
            pair[at].better = order[i];
            pair[at].worse = order[j];
            credible[at] = (struct mk_posterior){NAN, NAN, NAN};
            code = test_two(c, o, &pair[at], difference + at * N, err);
            holm[at] = pair[at].p;
            at++;
        }
    if (!code) code = mk_holm(holm, n, holm, err);
    if (!code && !isnan(o->region))
        code = mk_signed_rank_posteriors(difference, n, N, fmax(o->region, o->tolerance), o->seed, credible, err);
    for (size_t i = 0; i < n && !code; i++) {
        pair[i].holm = holm[i];
        pair[i].credible = credible[i];
    }
    free(order);
    free(credible);
    free(difference);
    free(holm);
    *n_pairs = n;
    *out = code ? NULL : pair;
    if (code) free(pair);
    return code;
}

/* ---- every policy against the baseline ---- */

/* The scores of one policy and of the baseline; a[], b[]: scratch. */
static void contest_of(const struct mk_comparison *c, size_t policy, const struct mk_rank_options *o, double *a,
                       double *b, struct mk_contest *out)
{
    for (size_t i = 0; i < c->n_instances; i++) {
        a[i] = c->reward[i * c->n_policies + policy];
        b[i] = c->reward[i * c->n_policies + c->baseline];
    }
    mk_contest_compare(out, a, b, c->n_instances, o->tolerance, o->relative, o->confidence);
}

int mk_policy_verdicts_new(struct mk_policy_verdict **out, struct mk_comparison *const *comparison, size_t n,
                           const struct mk_rank_options *o, struct mk_error *err)
{
    const size_t P = n ? comparison[0]->n_policies : 0, all = n * P;
    size_t most = 0;
    for (size_t h = 0; h < n; h++) most = comparison[h]->n_instances > most ? comparison[h]->n_instances : most;
    struct mk_policy_verdict *v = malloc((all + 1) * sizeof *v);
    double *scratch = calloc(2 * most + 3 * all + 1, sizeof *scratch);
    int code = v && scratch ? MK_OK : mk_fail_memory(err, "verdicts");
    double *a = scratch, *b = a + most, *holm = b + most, *untied = holm + all, *alike = untied + all;
    for (size_t at = 0; !code && at < all; at++) {
        const struct mk_comparison *c = comparison[at / P];
        contest_of(c, at % P, o, a, b, &v[at].contest);
        const bool own = at % P == c->baseline;
        holm[at] = own ? NAN : v[at].contest.p;
        untied[at] = own ? NAN : v[at].contest.p_untied;
        alike[at] = own ? NAN : mk_contest_equivalence(&v[at].contest, c->n_instances, o->equivalence);
        v[at].equivalence = alike[at];
    }
    if (!code) code = mk_holm(holm, all, holm, err);
    if (!code) code = mk_holm(untied, all, untied, err);
    if (!code) code = mk_holm(alike, all, alike, err);
    for (size_t at = 0; !code && at < all; at++) {
        v[at].holm = holm[at];
        v[at].untied_holm = untied[at];
        v[at].equivalence_holm = alike[at];
        v[at].verdict = mk_contest_decide(&v[at].contest, holm[at], o->alpha);
        v[at].verdict_untied = mk_contest_decide(&v[at].contest, untied[at], o->alpha);
    }
    free(scratch);
    *out = code ? NULL : v;
    if (code) free(v);
    return code;
}

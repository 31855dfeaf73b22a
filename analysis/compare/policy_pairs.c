#include "analysis/compare/policy_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

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

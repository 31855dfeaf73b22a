#include "analysis/compare/policy_verdicts.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

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
    double *scratch = calloc(2 * most + 2 * all + 1, sizeof *scratch);
    int code = v && scratch ? MK_OK : mk_fail_memory(err, "verdicts");
    double *a = scratch, *b = a + most, *holm = b + most, *untied = holm + all;
    for (size_t at = 0; !code && at < all; at++) {
        const struct mk_comparison *c = comparison[at / P];
        contest_of(c, at % P, o, a, b, &v[at].contest);
        const bool own = at % P == c->baseline;
        holm[at] = own ? NAN : v[at].contest.p;
        untied[at] = own ? NAN : v[at].contest.p_untied;
    }
    if (!code) code = mk_holm(holm, all, holm, err);
    if (!code) code = mk_holm(untied, all, untied, err);
    for (size_t at = 0; !code && at < all; at++) {
        v[at].holm = holm[at];
        v[at].untied_holm = untied[at];
        v[at].verdict = mk_contest_decide(&v[at].contest, holm[at], o->alpha);
    }
    free(scratch);
    *out = code ? NULL : v;
    if (code) free(v);
    return code;
}

#include "analysis/compare/contest.h"

#include <math.h>

#include <gsl/gsl_cdf.h>

#include "sim/base/statistics.h"

const char *mk_contest_word(enum mk_contest_verdict v)
{
    static const char *const word[] = {"undecided", "better", "worse"};
    return word[v];
}

/* The probabilities p at which as many wins, or as few, have probability (1 - confidence) / 2. */
static void set_share(struct mk_contest *c, double confidence)
{
    const uint64_t half = c->record.ties / 2; /* an odd one counts for nobody */
    const double wins = (double)(c->record.wins + half), losses = (double)(c->record.losses + half),
                 tail = (1 - confidence) / 2;
    c->share = wins + losses > 0 ? wins / (wins + losses) : 0.5;
    mk_share_exact_interval(wins, losses, tail, &c->share_low, &c->share_high);
}

void mk_contest_compare(struct mk_contest *out, const double *a, const double *b, size_t n, double absolute,
                        double relative, double confidence)
{
    struct mk_real_moments m = {0};
    for (size_t i = 0; i < n; i++) mk_real_moments_add(&m, a[i] - b[i]);
    out->record = mk_compare_pairs(a, b, n, absolute, relative);
    out->p = n > 1 ? mk_sign_test_two_sided(out->record) : NAN;
    out->p_untied = n > 1 ? mk_sign_test_two_sided(mk_untied(out->record)) : NAN;
    set_share(out, confidence);
    out->difference = mk_real_moments_mean(&m);
    out->error = mk_spread_error(&m.spread);
    const double half = mk_spread_student(&m.spread, confidence);
    out->difference_low = out->difference - half;
    out->difference_high = out->difference + half;
}

double mk_contest_equivalence(const struct mk_contest *c, size_t n, double region)
{
    if (n < 2) return NAN;
    const double room = region - fabs(c->difference);
    return c->error > 0 ? gsl_cdf_tdist_Q(room / c->error, (double)(n - 1)) : room > 0 ? 0 : 1;
}

enum mk_contest_verdict mk_contest_decide(const struct mk_contest *c, double adjusted_p, double alpha)
{
    if (!(adjusted_p < alpha)) return MK_CONTEST_UNDECIDED;
    return c->share > 0.5 ? MK_CONTEST_BETTER : MK_CONTEST_WORSE;
}

/* One policy against another: intervals and tests as SciPy 1.10 has them. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "analysis/compare/contest.h"
#include "tests/support/check.h"

enum { INSTANCES = 45 };

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(b), 1e-3);
}

/* a is ahead on `wins` instances, by 1, and equal on `ties`. */
static struct mk_contest hold(size_t wins, size_t ties, size_t n, double confidence)
{
    double a[INSTANCES], b[INSTANCES];
    struct mk_contest c;
    for (size_t i = 0; i < n; i++) {
        b[i] = (double)i;
        a[i] = i < wins ? b[i] + 1 : i < wins + ties ? b[i] : b[i] - 1;
    }
    mk_contest_compare(&c, a, b, n, 1e-8, 0, confidence);
    return c;
}

/* scipy.stats.binomtest(wins, 30).pvalue and .proportion_ci(confidence, 'exact') */
static void check_share(void)
{
    struct mk_contest c = hold(22, 0, 30, 0.95);
    CHECK(near(c.share, 22 / 30.0) && near(c.p, 0.016124801710247997), "22 of 30: p = %.15g", c.p);
    CHECK(near(c.share_low, 0.5411063486052258) && near(c.share_high, 0.8772051901276348), "its interval: %.15g %.15g",
          c.share_low, c.share_high);
    c = hold(3, 0, 30, 0.9);
    CHECK(near(c.p, 8.430331945419312e-06), "3 of 30: p = %.15g", c.p);
    CHECK(near(c.share_low, 0.027815549739701424) && near(c.share_high, 0.23859785729325106),
          "its interval of 90 %%: %.15g %.15g", c.share_low, c.share_high);
    c = hold(30, 0, 30, 0.95);
    CHECK(c.share == 1 && c.share_high == 1 && near(c.share_low, pow(0.025, 1 / 30.0)), "all won: from %.15g",
          c.share_low);
    c = hold(0, 30, 30, 0.95);
    CHECK(c.share == 0.5 && c.p == 1 && c.difference == 0 && c.difference_high == 0, "all tied");
    /* An odd tie is dropped, as in the sign test. */
    c = hold(0, 1, 1, 0.95);
    CHECK(c.share == 0.5 && c.share_low == 0 && c.share_high == 1, "one instance, tied: nothing is known");
    CHECK(isnan(c.p) && isnan(c.p_untied), "one instance has no test");
    /* 1 won, 23 tied, 21 lost: 12 of 45 less one tie, and 1 of 22. */
    c = hold(1, 23, 45, 0.95);
    CHECK(near(c.p, 0.003657766827927844) && near(c.p_untied, 1.0967254638671875e-05),
          "ties split and left out: p = %.15g, %.15g", c.p, c.p_untied);
    const struct mk_contest even = hold(21, 3, 30, 0.95), same = hold(22, 0, 29, 0.95);
    CHECK(even.p == same.p && even.share_low == same.share_low, "ties are split, an odd one dropped");
}

/* scipy.stats.t.interval(.95, 5, d.mean(), scipy.stats.sem(d)) */
static void check_difference(void)
{
    const double a[] = {.3, -.1, .25, .4, .05, .5}, b[6] = {0};
    struct mk_contest c;
    mk_contest_compare(&c, a, b, 6, 1e-8, 0, 0.95);
    CHECK(near(c.difference, 0.2333333333333333), "mean difference %.15g", c.difference);
    CHECK(fabs(c.difference_low + 0.0005440984589183406) < 1e-9 && near(c.difference_high, 0.46721076512558496),
          "its interval: %.15g %.15g", c.difference_low, c.difference_high);
    CHECK(near(c.p, 0.21875) && c.record.wins == 5 && c.record.losses == 1, "5 of 6: p = %.15g", c.p);
    mk_contest_compare(&c, a, b, 1, 1e-8, 0, 0.95);
    CHECK(isnan(c.difference_low) && isnan(c.difference_high), "one instance has no interval of the difference");
}

static void check_verdicts(void)
{
    const struct mk_contest won = hold(22, 0, 30, 0.95), lost = hold(8, 0, 30, 0.95);
    CHECK(mk_contest_decide(&won, won.p, 0.05) == MK_CONTEST_BETTER, "better");
    CHECK(mk_contest_decide(&lost, lost.p, 0.05) == MK_CONTEST_WORSE, "worse");
    CHECK(mk_contest_decide(&won, 4 * won.p, 0.05) == MK_CONTEST_UNDECIDED, "adjusted: undecided");
    CHECK(mk_contest_decide(&won, NAN, 0.05) == MK_CONTEST_UNDECIDED, "without a p-value: undecided");
    CHECK(strcmp(mk_contest_word(MK_CONTEST_BETTER), "better") == 0 &&
              strcmp(mk_contest_word(MK_CONTEST_UNDECIDED), "undecided") == 0,
          "words");
}

int main(void)
{
    check_share();
    check_difference();
    check_verdicts();
    return CHECK_EXIT;
}

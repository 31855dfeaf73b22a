/* Ranks and tests against Demšar's worked example, published tables and SciPy. */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "sim/search/models/significance.h"
#include "tests/support/check.h"

enum { SETS = 14, METHODS = 4 };

/* Demšar 2006, Table 6: AUC of C4.5 without and with parameters m, cf, both; the same numbers in several independent
 * transcriptions (Java, Python and R programs that use the example). Printed ranks of the voting data part the two
 * values printed as .975: the last one is a little lower. With that, SciPy 1.10 gives averages of 3.142857
 * 2 2.892857 1.964286 and statistics of 9.2786 and 3.6863; with 2.5 for both of them his 2.893 and 1.964 would be 2.929
 * and 1.929. */
static const double auc[SETS][METHODS] = {
    {.763, .768, .771, .798},   {.599, .591, .590, .569},
    {.954, .971, .968, .967},   {.628, .661, .654, .657},
    {.882, .888, .886, .898},   {.936, .931, .916, .931},
    {.661, .668, .609, .685},   {.583, .583, .563, .625},
    {.775, .838, .866, .875},   {1, 1, 1, 1},
    {.940, .962, .965, .962},   {.619, .666, .614, .669},
    {.972, .981, .975, .97499}, {.957, .978, .946, .970},
};

static bool near(double a, double b, double relative)
{
    return fabs(a - b) <= relative * fmax(fabs(b), 1e-300);
}

static void check_ranks(void)
{
    const double value[] = {3, 7, 7, 1, 5, 7 - 5e-9};
    double rank[6];
    size_t order[6];
    mk_rank_values(value, 6, 0, rank, order);
    const double strict[] = {5, 1.5, 1.5, 6, 4, 3};
    CHECK(memcmp(rank, strict, sizeof rank) == 0, "ties share the mean rank, near ones do not");
    mk_rank_values(value, 6, 1e-8, rank, order);
    const double near_ties[] = {5, 2, 2, 6, 4, 2};
    CHECK(memcmp(rank, near_ties, sizeof rank) == 0 && order[0] == 1 && order[1] == 2 && order[5] == 3,
          "within the tolerance they do");
    const double infinite[] = {-INFINITY, INFINITY, INFINITY};
    mk_rank_values(infinite, 3, 1e-8, rank, order);
    CHECK(rank[0] == 3 && rank[1] == 1.5 && rank[2] == 1.5, "infinite values");
}

static void check_demsar(void)
{
    double rank[SETS * METHODS], mean[METHODS];
    size_t order[METHODS];
    struct mk_friedman f;
    for (size_t i = 0; i < SETS; i++) mk_rank_values(auc[i], METHODS, 0, rank + i * METHODS, order);
    mk_friedman_test(rank, SETS, METHODS, mean, &f);
    const double printed[] = {3.143, 2.000, 2.893, 1.964};
    int same = 1;
    for (size_t j = 0; j < METHODS; j++) same &= fabs(mean[j] - printed[j]) < 5e-4;
    CHECK(same, "Demšar's average ranks 3.143 2.000 2.893 1.964");
    CHECK(fabs(f.chi2 - 9.28) < .005 && fabs(f.f - 3.69) < .005, "his Friedman statistic 9.28 and F = 3.69: %g %g",
          f.chi2, f.f);
    CHECK(fabs(mk_nemenyi_distance(.05, METHODS, SETS) - 1.25) < .005 &&
              fabs(mk_nemenyi_distance(.1, METHODS, SETS) - 1.12) < .005,
          "his critical distances 1.25 at .05 and 1.12 at .10");
    CHECK(fabs(mk_dunn_distance(.05, METHODS, SETS) - 1.16) < .01,
          "Bonferroni-Dunn: 2.394 sqrt(4 * 5 / (6 * 14)) = 1.16");
    double difference[SETS];
    for (size_t i = 0; i < SETS; i++) difference[i] = round(1000 * (auc[i][1] - auc[i][0]));
    struct mk_wilcoxon w;
    struct mk_error err;
    int code = mk_wilcoxon_test(difference, SETS, MK_ZEROS_SPLIT, 0, &w, &err);
    CHECK(!code && w.plus == 93 && w.minus == 12 && w.n == 14, "his signed ranks of C4.5+m: 93 and 12");
}

/* scipy.stats.friedmanchisquare of Table 6 above, SciPy 1.10. */
static void check_friedman(void)
{
    double rank[SETS * METHODS], mean[METHODS];
    size_t order[METHODS];
    struct mk_friedman f, g;
    for (size_t i = 0; i < SETS; i++) mk_rank_values(auc[i], METHODS, 0, rank + i * METHODS, order);
    mk_friedman_test(rank, SETS, METHODS, mean, &f);
    CHECK(near(f.chi2_ties, 10.228346456692925, 1e-13) && near(f.p_ties, 0.016721580328441323, 1e-12),
          "corrected for ties: SciPy's %.15g %.15g", f.chi2_ties, f.p_ties);
    mk_friedman_from_means(mean, SETS, METHODS, &g);
    CHECK(g.chi2 == f.chi2 && g.p_f == f.p_f && isnan(g.chi2_ties), "from the average ranks alone");
    for (size_t i = 0; i < SETS * METHODS; i++) rank[i] = 2.5;
    mk_friedman_test(rank, SETS, METHODS, mean, &f);
    CHECK(f.chi2 == 0 && f.p == 1 && f.chi2_ties == 0 && f.p_ties == 1 && f.f == 0 && f.p_f == 1,
          "all tied: nothing found");
    for (size_t i = 0; i < SETS * METHODS; i++) rank[i] = (double)(i % METHODS) + 1;
    mk_friedman_test(rank, SETS, METHODS, mean, &f);
    CHECK(f.chi2 == SETS * (METHODS - 1) && f.f == INFINITY && f.p_f == 0, "all alike: the largest value");
}

static void check_range(void)
{
    /* Demšar 2006, Table 5a: q_alpha for k = 2 … 10. */
    static const double q05[] = {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164};
    static const double q10[] = {1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920};
    double worst = 0;
    for (size_t k = 2; k <= 10; k++) {
        worst = fmax(worst, fabs(mk_studentized_range_quantile(.95, k) / sqrt(2) - q05[k - 2]));
        worst = fmax(worst, fabs(mk_studentized_range_quantile(.90, k) / sqrt(2) - q10[k - 2]));
    }
    CHECK(worst < 1.01e-3, "Demšar's Table 5a for k = 2 … 10, to its last digit: %.1e", worst);
    /* k = 2: the range is |Z1 - Z2|, P = erf(q / 2). */
    worst = 0;
    for (double q = .1; q < 8; q += .3) worst = fmax(worst, fabs(mk_studentized_range(q, 2) - erf(q / 2)));
    CHECK(worst < 1e-14, "two: erf(q / 2), %.1e", worst);
    /* mpmath: quad of k phi(z) (ncdf(z) - ncdf(z - q))^(k-1) at 30 digits. */
    static const struct {
        double q;
        size_t k;
        double p;
    } known[] = {{2.5, 3, 0.819491062793306394},   {4.1, 10, 0.894340668298623945},
                 {0.7, 5, 0.0121425307441704732},  {5.5, 60, 0.904544841042092804},
                 {6.5, 300, 0.906213352297053686}, {3.3, 300, 2.16360416637247314e-13}};
    worst = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        worst = fmax(worst, fabs(mk_studentized_range(known[i].q, known[i].k) - known[i].p));
    CHECK(worst < 1e-13, "mpmath's values up to k = 300, %.1e", worst);
    double q = mk_studentized_range_quantile(.95, 7);
    CHECK(near(mk_studentized_range(q, 7), .95, 1e-13), "the quantile inverts it");
    CHECK(near(mk_nemenyi_p(mk_nemenyi_distance(.05, 7, 96), 7, 96), .05, 1e-11), "p = .05 at the critical distance");
    CHECK(mk_studentized_range(0, 5) == 0 && mk_nemenyi_p(0, 5, 10) == 1, "no difference");
}

/* Balef et al. 2025, Tables 1 and D.6: w/t/l and the p-value as printed. */
static void check_sign(void)
{
    static const struct {
        struct mk_win_counts r;
        double p;
    } printed[] = {
        {{126, 3, 71}, .00006}, {{64, 0, 39}, .00880}, {{54, 1, 48}, .31038}, {{24, 0, 6}, .00072},
        {{23, 0, 7}, .00261},   {{11, 0, 19}, .95063}, {{52, 0, 51}, .50000}, {{68, 0, 35}, .00074},
        {{9, 0, 21}, .99194},   {{53, 1, 49}, .3833},
    };
    size_t same = 0, n = sizeof printed / sizeof *printed;
    for (size_t i = 0; i < n; i++)
        same += fabs(mk_sign_test(printed[i].r) - printed[i].p) < 5.1e-6 + 5e-5 * (i == n - 1);
    CHECK(same == n, "ten published p-values of sign tests: %zu of %zu", same, n);
    CHECK(mk_sign_test((struct mk_win_counts){0, 0, 0}) == 1 && mk_sign_test((struct mk_win_counts){0, 1, 4}) == 1,
          "no wins: 1");
    CHECK(near(mk_sign_test((struct mk_win_counts){10, 0, 0}), 0x1p-10, 1e-13), "ten wins: 2^-10");
    const double a[] = {1, 2, 3, NAN, 5, 6}, b[] = {1 + 5e-9, 1, 4, 1, NAN, 6.00005};
    struct mk_win_counts r = mk_compare_pairs(a, b, 6, 1e-8, 0), loose = mk_compare_pairs(a, b, 6, 1e-8, 1e-5);
    CHECK(r.wins == 1 && r.ties == 1 && r.losses == 2 && loose.ties == 2 && loose.losses == 1,
          "wins, ties, losses, tolerances");
}

static void check_wilcoxon(void)
{
    /* scipy.stats.wilcoxon, SciPy 1.10 (exact where there are no ties and zeros, else mode="approx"). */
    static const double plain[] = {1.5, -.3, 2.2, .9, -1.1, 3, .4, -.2, 1.8, 2.6};
    static const double tied[] = {1, -1, 2, 2, -3, 4, 0, 0, 5, 1, 1, -2};
    struct mk_wilcoxon w;
    struct mk_error err;
    int code = mk_wilcoxon_test(plain, 10, MK_ZEROS_SPLIT, 0, &w, &err);
    CHECK(!code && w.exact && near(w.p_greater, 0.0244140625, 1e-13) && near(w.p_two_sided, 0.048828125, 1e-13),
          "exact: %.15g %.15g", w.p_greater, w.p_two_sided);
    code = mk_wilcoxon_test(tied, 12, MK_ZEROS_SPLIT, 0, &w, &err);
    CHECK(!code && !w.exact && near(w.p_greater, 0.11829665818578039, 1e-13) &&
              near(w.p_two_sided, 0.23659331637156078, 1e-13),
          "zeros split: %.15g %.15g", w.p_greater, w.p_two_sided);
    code = mk_wilcoxon_test(tied, 12, MK_ZEROS_DROP, 0, &w, &err);
    CHECK(!code && w.n == 10 && near(w.p_greater, 0.12891017415042444, 1e-13) &&
              near(w.p_two_sided, 0.2578203483008489, 1e-13),
          "zeros dropped: %.15g %.15g", w.p_greater, w.p_two_sided);
    const double none[] = {0, 0, NAN};
    code = mk_wilcoxon_test(none, 3, MK_ZEROS_DROP, 0, &w, &err);
    CHECK(!code && w.n == 0 && w.p_greater == 1 && w.p_two_sided == 1, "nothing left: 1");
    code = mk_wilcoxon_test(none, 3, MK_ZEROS_SPLIT, 0, &w, &err);
    CHECK(!code && w.n == 2 && w.p_greater == .5 && w.p_two_sided == 1, "zeros alone: even");
    /* Differences of decimals: .3 - .1, .5 - .3 and .9 - .7 are three different doubles near .2. */
    const double rounded[] = {.3 - .1, .3 - .5, .9 - .7, .6 - .2, .8 - .4, .4 - 1, 1e-12, .9 - .1};
    const double whole[] = {2, -2, 2, 4, 4, -6, 0, 8};
    for (int zeros = MK_ZEROS_SPLIT; zeros <= MK_ZEROS_DROP; zeros++) {
        struct mk_wilcoxon exactly;
        code = mk_wilcoxon_test(whole, 8, (enum mk_zeros)zeros, 0, &exactly, &err);
        if (!code) code = mk_wilcoxon_test(rounded, 8, (enum mk_zeros)zeros, 1e-9, &w, &err);
        CHECK(!code && w.n == exactly.n && w.plus == exactly.plus && w.minus == exactly.minus && !w.exact &&
                  w.p_greater == exactly.p_greater && w.p_two_sided == exactly.p_two_sided,
              "within the tolerance differences are zero or tied (%s): p = %g",
              zeros == MK_ZEROS_DROP ? "drop" : "split", w.p_greater);
    }
}

static void check_holm(void)
{
    /* By hand: 4 * .01, 3 * .013, 2 * .04, 1 * .7, made ascending. */
    const double p[] = {.04, .01, NAN, .7, .013};
    double adjusted[5];
    struct mk_error err;
    int code = mk_holm(p, 5, adjusted, &err);
    CHECK(!code && near(adjusted[1], .04, 1e-15) && near(adjusted[4], .04, 1e-15) && near(adjusted[0], .08, 1e-15) &&
              adjusted[3] == .7 && isnan(adjusted[2]),
          "Holm");
    CHECK(near(mk_bonferroni(.01, 7), .07, 1e-15) && mk_bonferroni(.3, 7) == 1 && isnan(mk_bonferroni(NAN, 2)),
          "Bonferroni");
}

int main(void)
{
    check_ranks();
    check_demsar();
    check_friedman();
    check_range();
    check_sign();
    check_wilcoxon();
    check_holm();
    return CHECK_EXIT;
}

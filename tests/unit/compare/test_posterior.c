/* Posterior probabilities of the signed-rank test where they are known, to five standard errors of their draws
 * (fixed seed; false-alarm rate below 1e-6 a check). */
#include <math.h>

#include "analysis/compare/posterior.h"
#include "tests/support/check.h"

/* One difference d: the weight of the pseudo-observation is w ~ Beta(1/2, 1), P(w < x) = sqrt x. */
static void check_one_difference(void)
{
    static const struct {
        double d, better, equivalent, worse;
    } cases[] = {
        /* d > 2r: better = 1 - w^2, largest for w^2 < 1/2 */
        {3, 0.8408964152537145, 0.1591035847462855, 0},
        {-3, 0, 0.1591035847462855, 0.8408964152537145},
        /* r < d < 2r: better = (1 - w)^2, largest for w < 1 - 1 / sqrt 2 */
        {1.5, 0.5411961001461969, 0.4588038998538031, 0},
        {0.5, 0, 1, 0},
        {-1, 0, 1, 0}, /* the ends belong to the region */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mk_posterior p;
        REQUIRE(mk_signed_rank_posteriors(&cases[i].d, 1, 1, 1, 42, &p, NULL) == MK_OK, "d = %g", cases[i].d);
        const double far = 5 * sqrt(0.25 / MK_POSTERIOR_DRAWS);
        CHECK(fabs(p.better - cases[i].better) < far && fabs(p.equivalent - cases[i].equivalent) < far &&
                  fabs(p.worse - cases[i].worse) < far,
              "d = %g: %g, %g, %g", cases[i].d, p.better, p.equivalent, p.worse);
        CHECK_CLOSE(p.better + p.equivalent + p.worse, 1, 1e-12, "their sum");
        if (cases[i].equivalent == 1) CHECK(p.equivalent == 1, "certainly equivalent");
    }
}

/* Exchanging the policies exchanges the probabilities (draw by draw, since the same weights belong to the same
 * instances), and a pair is the same alone and among others. */
static void check_symmetry(void)
{
    enum { N = 9 };
    const double z[N] = {0.4, -0.1, 0.3, 0.02, -0.03, 0.6, 0.1, -0.2, 0.05};
    double both[2 * N];
    struct mk_posterior one, two[2];
    for (int i = 0; i < N; i++) {
        both[i] = z[i];
        both[N + i] = -z[i];
    }
    REQUIRE(mk_signed_rank_posteriors(z, 1, N, 0.07, 7, &one, NULL) == MK_OK, "one");
    REQUIRE(mk_signed_rank_posteriors(both, 2, N, 0.07, 7, two, NULL) == MK_OK, "two");
    CHECK(one.better == two[0].better && one.worse == two[0].worse, "alone and among others");
    CHECK(fabs(two[0].better - two[1].worse) < 1e-12 && fabs(two[0].worse - two[1].better) < 1e-12, "exchanged");
    CHECK(one.better > 0.05 && one.better < 0.95, "not trivially");
}

int main(void)
{
    check_one_difference();
    check_symmetry();
    return CHECK_EXIT;
}

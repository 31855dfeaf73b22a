/* Warps: known values, the inverse, and a fit to data of a warped sine. */
#include "sim/search/models/gp_warp.h"
#include "tests/support/check.h"

enum { N = 40 };

static void check_values(void)
{
    const double two_three[2] = {log(2), log(3)}, identity[2] = {0, 0};
    double worst = 0;
    CHECK_CLOSE(mk_warp(0.5, two_three), 0.578125, 1e-14, "1 - (1 - 1/4)^3");
    CHECK(mk_warp(0, two_three) == 0 && mk_warp(1, two_three) == 1 && mk_unwarp(0, two_three) == 0 &&
              mk_unwarp(1, two_three) == 1,
          "the ends stay");
    CHECK_CLOSE(mk_warp(0.3, identity), 0.3, 1e-14, "a = b = 1 changes nothing");
    for (double u = 0.01; u < 1; u += 0.01) worst = fmax(worst, fabs(mk_unwarp(mk_warp(u, two_three), two_three) - u));
    CHECK(worst < 1e-12, "the inverse: %.1e", worst);
}

/* y = sin(9 (1 - (1 - u^.3)^1)) at N points, and an input that y does not depend on. */
static void check_fit(void)
{
    const double truth[2] = {log(0.3), 0};
    const size_t weight_of[] = {0, 1};
    const bool nominal[] = {false, false};
    const struct mk_gp g = {MK_GP_MATERN, 2, nominal, weight_of, 2};
    struct mk_gp_work w = {0};
    struct mk_error err = {0, ""};
    double x[2 * N], warped[2 * N], y[N], plain[4], theta[4], warp[4] = {0, 0, 0, 0}, worst = 0;
    for (size_t i = 0; i < N; i++) {
        x[i] = ((double)i + 0.5) / N;
        x[N + i] = ((double)(17 * i % N) + 0.5) / N;
        y[i] = sin(9 * mk_warp(x[i], truth));
    }
    mk_gp_default(&g, plain);
    mk_gp_default(&g, theta);
    REQUIRE(!mk_gp_fit(&g, plain, x, N, y, N, 50, &w, &err), "%s", err.text);
    REQUIRE(!mk_gp_warp_fit(&g, theta, warp, x, warped, y, N, 50, &w, &err), "%s", err.text);
    const double before = mk_gp_log_likelihood(&g, plain, x, N, y, N, NULL, &w);
    const double after = mk_gp_log_likelihood(&g, theta, warped, N, y, N, NULL, &w);
    for (size_t i = 0; i < N; i++) worst = fmax(worst, fabs(warped[i] - mk_warp(x[i], warp)));
    CHECK(after > before + 5, "log-likelihood %.1f with the warp, %.1f without", after, before);
    CHECK(warp[0] < -0.5 && worst == 0, "small numbers are spread: a = %.2f, and the inputs are warped by it",
          exp(warp[0]));
    mk_gp_work_free(&w);
}

int main(void)
{
    check_values();
    check_fit();
    return CHECK_EXIT;
}

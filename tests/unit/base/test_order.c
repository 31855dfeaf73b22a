/* The order of numbers against an insertion sort that keeps equal ones in place: sorted by merging up to 149, by digits
 * from 150 on. Places in sorted numbers against counting. */
#include "sim/base/order.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

enum { MOST = 400 };

static void insertion_sort(const double *x, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i;
        for (; at && x[order[at - 1]] > x[i]; at--) order[at] = order[at - 1];
        order[at] = (uint32_t)i;
    }
}

static size_t count_differences(const double *x, size_t n)
{
    uint32_t order[MOST], want[MOST], scratch[MOST];
    size_t wrong = 0;
    mk_ascending_order(x, order, scratch, n);
    insertion_sort(x, want, n);
    for (size_t i = 0; i < n; i++) wrong += order[i] != want[i];
    return wrong;
}

/* Numbers in halves, each of them and those in between and outside. */
static void test_counts(void)
{
    static const double sorted[] = {-INFINITY, -1.5, -1, -1, -0.0, 0, 0, 0.5, 2, 2, 2, INFINITY};
    enum { N = sizeof sorted / sizeof *sorted };
    for (size_t n = 0; n <= N; n++)
        for (double x = -2; x <= 2.5; x += 0.25) {
            size_t below = 0, at_most = 0;
            for (size_t i = 0; i < n; i++) {
                below += sorted[i] < x;
                at_most += sorted[i] <= x;
            }
            CHECK(mk_count_below(sorted, n, x) == below, "%zu numbers below %g", n, x);
            CHECK(mk_count_at_most(sorted, n, x) == at_most, "%zu numbers up to %g", n, x);
        }
}

int main(void)
{
    static const size_t sizes[] = {0, 1, 2, 3, 17, 149, 150, 151, 256, MOST};
    static const double special[] = {-INFINITY, INFINITY, -0.0, 0.0, 5e-324, -5e-324, 1e308, -1e308, 1, -1};
    struct mk_pcg64 rng;
    double x[MOST];
    test_counts();
    mk_pcg64_seed(&rng, 1, 1);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        const size_t n = sizes[k];
        size_t wrong = 0;
        for (size_t i = 0; i < n; i++) x[i] = 20 * mk_uniform(&rng) - 10;
        wrong += count_differences(x, n);
        for (size_t i = 0; i < n; i++) x[i] = floor(x[i]); /* many equal ones, -0 and 0 among them */
        for (size_t i = 0; i < n; i++) x[i] = x[i] == 0 && i % 2 ? -0.0 : x[i];
        wrong += count_differences(x, n);
        for (size_t i = 0; i < n; i++) x[i] = special[mk_uniform_below(&rng, sizeof special / sizeof *special)];
        wrong += count_differences(x, n);
        for (size_t i = 0; i < n; i++) x[i] = 0.25; /* no digit differs */
        wrong += count_differences(x, n);
        for (size_t i = 0; i < n; i++) x[i] = (double)(n - i);
        wrong += count_differences(x, n);
        CHECK(!wrong, "%zu numbers in order, equal ones in place", n);
    }
    return CHECK_EXIT;
}

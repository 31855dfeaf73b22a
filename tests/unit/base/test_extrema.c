/* Largest and smallest of an array. */
#include <stdlib.h>

#include "sim/base/order.h"
#include "sim/base/pcg64.h"
#include "tests/support/check.h"

int main(void)
{
    enum { N = 200 };
    double u[N];
    struct mk_pcg64 g;
    mk_pcg64_seed(&g, 5, 8);
    for (int i = 0; i < N; i++) u[i] = mk_uniform(&g) - 0.5;
    int same = 1;
    for (size_t start = 0; start < 8; start++)
        for (size_t n = 1; start + n <= N; n++) {
            double largest = u[start], smallest = u[start];
            for (size_t i = start + 1; i < start + n; i++) {
                largest = fmax(largest, u[i]);
                smallest = fmin(smallest, u[i]);
            }
            same &= mk_largest(n, u + start) == largest && mk_least(n, u + start) == smallest;
        }
    CHECK(same, "largest and smallest of 1 … 200 numbers, from any start");
    return CHECK_EXIT;
}

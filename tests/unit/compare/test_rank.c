/* The order of compared policies by hand. */
#include "analysis/compare/rank.h"

#include "tests/support/check.h"

int main(void)
{
    enum { N = 5 };
    static const double rank[N] = {3.5, 1.5, 4, 1.5, 2};
    static const size_t want[N] = {1, 3, 4, 0, 2}; /* equal ones as in the file */
    struct mk_standing standing[N];
    const struct mk_comparison c = {.n_policies = N, .standing = standing};
    size_t order[N], right = 0;
    for (size_t p = 0; p < N; p++) standing[p] = (struct mk_standing){.rank = rank[p]};
    mk_comparison_order(&c, order);
    for (size_t p = 0; p < N; p++) right += order[p] == want[p];
    CHECK(right == N, "%zu of %d policies in their places", right, N);
    return CHECK_EXIT;
}

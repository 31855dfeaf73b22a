#include "analysis/compare/arms/arm_choice.h"

#include <math.h>
#include <stdlib.h>

static int by_gap(const void *a, const void *b)
{
    const struct mk_arm_gap *x = a, *y = b;
    if (x->gap != y->gap) return (x->gap > y->gap) - (x->gap < y->gap);
    return (x->arm > y->arm) - (x->arm < y->arm);
}

size_t mk_arms_by_gap(const struct mk_truth *f, size_t instance, size_t horizon, struct mk_arm_gap *to)
{
    size_t n = 0;
    for (size_t k = 0; k < f->n_arms; k++) {
        double gap = f->gap[mk_truth_at(f, instance, horizon, k)];
        if (!isnan(gap)) to[n++] = (struct mk_arm_gap){k, gap};
    }
    qsort(to, n, sizeof *to, by_gap);
    return n;
}

bool mk_arm_is_listed(size_t rank, size_t n)
{
    if (n <= MK_MANY_ARMS || rank <= 10 || rank == n) return true;
    while (rank % 10 == 0) rank /= 10;
    return rank == 1 || rank == 2 || rank == 5;
}

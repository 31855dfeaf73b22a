#include "sim/search/plan/dacopt.h"

#include <math.h>

size_t mk_dacopt_next(size_t k, double eta)
{
    const size_t next = (size_t)ceil((double)k / eta * (1 - 1e-12));
    return k == 1 ? 1 : next < k ? next : k - 1;
}

unsigned mk_dacopt_rounds(size_t k, double eta)
{
    unsigned rounds = 1;
    for (; k > 1; rounds++) k = mk_dacopt_next(k, eta);
    return rounds;
}

uint64_t mk_dacopt_share(uint64_t budget, unsigned rounds, size_t left, enum mk_dacopt_share share)
{
    if (left == 1) return budget;
    const double races = rounds - (share == MK_DACOPT_REMAINING);
    return (uint64_t)floor((double)budget / races / (double)left * (1 + 1e-12));
}

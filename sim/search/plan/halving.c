#include "sim/search/plan/halving.h"

#include <math.h>

/* Quotients that are whole numbers but for rounding. */
static double floor_near(double x)
{
    return floor(x * (1 + 1e-12));
}

static double ceil_near(double x)
{
    return ceil(x * (1 - 1e-12));
}

unsigned mk_floor_log(double x, double eta)
{
    unsigned s = 0;
    for (double power = eta; s < MK_HALVING_MOST_ROUNDS && power <= x * (1 + 1e-12); power *= eta) s++;
    return s;
}

uint64_t mk_halving_left(uint64_t n, double eta, unsigned k)
{
    return (uint64_t)floor_near((double)n / pow(eta, k));
}

bool mk_halving_eliminations(enum mk_reading reading, uint64_t n, double R, double eta, double B, unsigned *s)
{
    const unsigned max = mk_floor_log(fmin(R, (double)n), eta);
    const bool printed = reading == MK_READING_PRINTED || isinf(B);
    for (unsigned i = 0; i <= max; i++) {
        *s = printed ? max - i : i;
        if ((double)n * R * (*s + 1) / pow(eta, *s) <= B * (1 + 1e-12)) return true;
    }
    return false;
}

double mk_halving_budget(double R, double eta, unsigned s, unsigned k)
{
    return fmax(floor_near(R / pow(eta, (double)s - (double)k)), 1);
}

/* Configurations with which bracket s of Hyperband begins. */
static uint64_t hyperband_size(unsigned s_max, unsigned s, double eta, enum mk_rounding rounding)
{
    const double share = (double)(s_max + 1) / (double)(s + 1), power = pow(eta, s);
    return (uint64_t)(rounding == MK_ROUNDING_FLOOR ? floor_near(floor_near(share) * power) : ceil_near(share * power));
}

bool mk_hyperband_bracket(const struct mk_hyperband_rule *h, unsigned r, uint64_t *n, unsigned *s)
{
    const unsigned max = mk_floor_log(h->R, h->eta);
    *s = r;
    *n = hyperband_size(max, r, h->eta, h->rounding);
    if (h->reading == MK_READING_SOURCE) return true;
    *n = (uint64_t)ceil_near(h->B / h->R * pow(h->eta, r) / (r + 1));
    const double share = r ? h->B / max : 0;
    return mk_halving_eliminations(MK_READING_PRINTED, *n, h->R, h->eta, share, s) && *s > 0;
}

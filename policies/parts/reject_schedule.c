#include "policies/parts/reject_schedule.h"

#include <math.h>
#include <stdbool.h>

/* products of two 64-bit numbers */
__extension__ typedef unsigned __int128 wide;

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* logbar as a reduced fraction while numerator and denominator stay below 2^56. From about K = 41 on they do not, and
 * need not: the quotient is a whole number only if the denominator divides N_j (K + 1 - j), which is far smaller. */
static void set_fraction(struct mk_reject_schedule *s)
{
    const wide max = (wide)1 << 56;
    uint64_t p = 1, q = 2;
    for (uint64_t i = 2; i <= s->arms; i++) {
        uint64_t d = common_divisor(q, i);
        wide top = (wide)p * (i / d) + q / d, bottom = (wide)q * (i / d);
        s->numerator = s->denominator = 0;
        if (top >= max || bottom >= max) return;
        d = common_divisor((uint64_t)top, (uint64_t)bottom);
        p = (uint64_t)top / d;
        q = (uint64_t)bottom / d;
    }
    s->numerator = p;
    s->denominator = q;
}

void mk_reject_schedule_init(struct mk_reject_schedule *s, size_t arms, uint64_t horizon)
{
    double sum = 0;
    for (size_t i = 2; i <= arms; i++) sum += 1 / (double)i;
    *s = (struct mk_reject_schedule){arms, horizon, 0.5 + sum, 0, 0};
    set_fraction(s);
}

/* rounds * logbar * (K + 1 - j) >= T - K */
static bool suffices(const struct mk_reject_schedule *s, uint64_t rounds, size_t j)
{
    return (wide)rounds * (s->arms + 1 - j) * s->numerator >= (wide)(s->horizon - s->arms) * s->denominator;
}

double mk_reject_rounds(const struct mk_reject_schedule *s, size_t j)
{
    const double rounded = ((double)s->horizon - (double)s->arms) / (s->logbar * (double)(s->arms + 1 - j));
    if (j == 0) return 0;
    if (!s->denominator || s->horizon <= s->arms) return ceil(rounded);
    uint64_t rounds = (uint64_t)rounded; /* within 1 of the quotient */
    if (rounds > 0) rounds--;
    while (!suffices(s, rounds, j)) rounds++;
    return (double)rounds;
}

double mk_reject_published(const struct mk_reject_schedule *s, size_t j)
{
    return ceil(1 / s->logbar * ((double)s->horizon - (double)s->arms) / (double)(s->arms + 1 - j));
}

#include "distributions/parts/kernel.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_cdf.h>

#include "sim/base/clones.h"

/* The recurrence takes the latency of one 128-bit multiplication per draw. Draws CHAINS apart obey the same kind of
 * recurrence, state <- state M^CHAINS + inc (1 + M + … + M^(CHAINS-1)), so that this many chains run side by side and
 * give exactly the same numbers. */
enum { CHAINS = 4 };

void mk_block_uniform(struct mk_pcg64 *rng, size_t n, double *out)
{
    struct mk_pcg64 g = *rng, chain[CHAINS];
    mk_u128 multiplier = 1, increment = 0;
    const size_t two_rounds = (size_t)2 * CHAINS;
    size_t i = 0;
    for (int c = 0; c < CHAINS; c++) {
        increment += g.inc * multiplier;
        multiplier *= MK_PCG64_MULTIPLIER;
    }
    if (n >= two_rounds) {
        for (int c = 0; c < CHAINS; c++) {
            mk_pcg64_next(&g);
            chain[c] = g;
        }
        for (;; i += CHAINS) {
            for (int c = 0; c < CHAINS; c++) out[i + (size_t)c] = mk_uniform_from(mk_pcg64_output(&chain[c]));
            if (n - i < two_rounds) break;
            for (int c = 0; c < CHAINS; c++) chain[c].state = chain[c].state * multiplier + increment;
        }
        g.state = chain[CHAINS - 1].state;
        i += CHAINS;
    }
    for (; i < n; i++) out[i] = mk_uniform(&g);
    *rng = g;
}

/* Floating-point exception flags are not used here; preserving them would keep loops with comparisons scalar. No result
 * changes. */
#if defined __GNUC__ && !defined __clang__
#pragma GCC optimize("no-trapping-math")
#endif

/* As mk_bits_of and mk_real_of, which are compiled without this option and would not be inlined. */
static inline uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double to_double(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x = 2^k m with m in [sqrt 1/2, sqrt 2); log m by s = f/(2+f), f = m - 1, and a minimax polynomial in s^2. */
static inline double log_of(double x)
{
    const uint64_t one = 0x3ff0000000000000u, root_half = 0x3fe6a09e00000000u;
    uint64_t bits = to_bits(x);
    uint64_t k = (bits - root_half + one) >> 52; /* biased by 1023, never negative */
    double dk = to_double(k | 0x4330000000000000u) - (0x1p52 + 1023);
    double f = to_double(bits - (k << 52) + one) - 1;
    double s = f / (2 + f), z = s * s, w = z * z;
    double even = w * (0x1.999999997fa04p-2 + w * (0x1.c71c51d8e78afp-3 + w * 0x1.39a09d078c69fp-3));
    double odd =
        z * (0x1.5555555555593p-1 + w * (0x1.2492494229359p-2 + w * (0x1.7466496cb03dep-3 + w * 0x1.2f112df3e5244p-3)));
    double half = 0.5 * f * f;
    return dk * 0x1.62e42feep-1 - ((half - (s * (half + (odd + even)) + dk * 0x1.a39ef35793c76p-33)) - f);
}

/* x = k log 2 + r; adding and subtracting 1.5 * 2^52 rounds to whole numbers and leaves k in the low bits. */
static inline double exp_of(double x)
{
    const double magic = 0x1.8p52;
    x = x < -746 ? -746 : x > 710 ? 710 : x;
    double k = (x * 0x1.71547652b82fep0 + magic) - magic;
    double hi = x - k * 0x1.62e42feep-1, lo = k * 0x1.a39ef35793c76p-33;
    double r = hi - lo, t = r * r;
    double c = r - t * (0x1.555555555553ep-3 +
                        t * (-0x1.6c16c16bebd93p-9 +
                             t * (0x1.1566aaf25de2cp-14 + t * (-0x1.bbd41c5d26bf1p-20 + t * 0x1.6376972bea4d0p-25))));
    double y = 1 - ((lo - r * c / (2 - c)) - hi);
    /* 2^k in two factors, so that results below 2^-1022 and overflow are correct. */
    double first = (0.5 * k + magic) - magic, second = k - first;
    return y * to_double((to_bits(first + magic) + 1023) << 52) * to_double((to_bits(second + magic) + 1023) << 52);
}

MK_CLONES void mk_block_log(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = log_of(x[i]);
}

MK_CLONES void mk_block_exp(size_t n, double *x, double factor, double scale)
{
    for (size_t i = 0; i < n; i++) x[i] = exp_of(factor * x[i]) * scale;
}

MK_CLONES void mk_block_affine(size_t n, double *x, double shift, double factor)
{
    for (size_t i = 0; i < n; i++) x[i] = shift + factor * x[i];
}

/* By Horner's rule; a[7] belongs to the highest power. */
static inline __attribute__((always_inline)) double polynomial(const double a[8], double x)
{
    double sum = a[7];
    for (int k = 6; k >= 0; k--) sum = sum * x + a[k];
    return sum;
}

/* AS 241 near the centre: |q| <= 0.425. */
static inline double normal_centre(double q)
{
    static const double num[] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                 1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                 3.3430575583588128105e4, 2.5090809287301226727e3};
    static const double den[] = {1.0,
                                 4.2313330701600911252e1,
                                 6.8718700749205790830e2,
                                 5.3941960214247511077e3,
                                 2.1213794301586595867e4,
                                 3.9307895800092710610e4,
                                 2.8729085735721942674e4,
                                 5.2264952788528545610e3};
    const double r = 0.180625 - q * q;
    return q * polynomial(num, r) / polynomial(den, r);
}

/* AS 241 in the tails: r = sqrt(-log tail) <= 5. */
static inline double normal_tail(double r)
{
    static const double num[] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                 3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                 2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double den[] = {1.0,
                                 2.05319162663775882187e0,
                                 1.67638483018380384940e0,
                                 6.89767334985100004550e-1,
                                 1.48103976427480074590e-1,
                                 1.51986665636164571966e-2,
                                 5.47593808499534494600e-4,
                                 1.05075007164441684324e-9};
    return polynomial(num, r - 1.6) / polynomial(den, r - 1.6);
}

MK_CLONES static void centre_pass(size_t n, double *p)
{
    for (size_t i = 0; i < n; i++) p[i] = normal_centre(0.5 - p[i]);
}

MK_CLONES static void tail_pass(size_t n, double *p)
{
    for (size_t i = 0; i < n; i++) p[i] = -log_of(p[i]);
    for (size_t i = 0; i < n; i++) p[i] = sqrt(p[i]);
    for (size_t i = 0; i < n; i++) p[i] = normal_tail(p[i]);
}

/* The 15 % of draws in the tails are set aside, computed together and put back. */
static void normal_block(size_t n, double *p)
{
    double tail[MK_BLOCK], upper[MK_BLOCK];
    unsigned at[MK_BLOCK];
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        at[m] = (unsigned)i;
        upper[m] = p[i];
        m += fabs(p[i] - 0.5) > 0.425;
    }
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): the loop above has set the first m */
    for (size_t j = 0; j < m; j++) tail[j] = upper[j] < 0.5 ? upper[j] : 1 - upper[j];
    centre_pass(n, p);
    const double far = 0x1.e8a37a45fc32ep-37; /* exp(-25) */
    tail_pass(m, tail);
    for (size_t j = 0; j < m; j++) {
        double min = upper[j] < 0.5 ? upper[j] : 1 - upper[j];
        double z = min < far ? gsl_cdf_ugaussian_Qinv(min) : tail[j];
        p[at[j]] = upper[j] < 0.5 ? z : -z;
    }
}

void mk_block_normal(size_t n, double *p)
{
    for (size_t i = 0; i < n; i += MK_BLOCK) normal_block(n - i < MK_BLOCK ? n - i : MK_BLOCK, p + i);
}

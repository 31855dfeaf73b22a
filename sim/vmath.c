#include "sim/vmath.h"

#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { BLOCK = 256 };

static inline __attribute__((always_inline)) double from_bits(uint64_t b)
{
    double x;
    memcpy(&x, &b, sizeof x);
    return x;
}

static inline __attribute__((always_inline)) uint64_t to_bits(double x)
{
    uint64_t b;
    memcpy(&b, &x, sizeof b);
    return b;
}

#define LN2_HI 0x1.62e42fefa0000p-1 /* ln 2 to 33 bits: k * LN2_HI is exact for |k| < 2^20 */
#define LN2_LO 0x1.cf79abc9e3b39p-40

/* x = 2^k m with m in [sqrt(1/2), sqrt(2)); log x = k ln 2 + 2 atanh(s), s = (m - 1) / (m + 1), |s| <= 0.1716.
 * (atanh(s)/s - 1)/s^2 as a polynomial in z = s^2 through its Chebyshev points, error below 5e-18 in log x / 2s. */
static inline __attribute__((always_inline)) double log_of(double x)
{
    uint64_t bits = to_bits(x) - 0x3fe6a09e667f3bcdULL; /* exponent relative to sqrt(1/2) */
    /* Arithmetic shift by 52 through an offset; integer to double through the 2^52 trick: both exist as vector
     * instructions on every target. */
    uint64_t shifted = (bits + (2048ULL << 52)) >> 52;
    double k = from_bits(shifted | 0x4330000000000000ULL) - (4503599627370496.0 + 2048.0);
    double m = from_bits(to_bits(x) - ((shifted - 2048ULL) << 52));
    double f = m - 1.0, s = f / (2.0 + f), z = s * s;
    double p = 0x1.2b5900de53b32p-4;
    p = p * z + 0x1.39fe51a7c18f9p-4;
    p = p * z + 0x1.7462b51cb66b1p-4;
    p = p * z + 0x1.c71c62e3f11e6p-4;
    p = p * z + 0x1.2492492df281ap-3;
    p = p * z + 0x1.99999999952d7p-3;
    p = p * z + 0x1.5555555555558p-2;
    /* 2 s = f - s f exactly in real numbers; f carries the leading part without rounding. */
    double tail = 2.0 * s * z * p - s * f;
    return k * LN2_HI + (f + (tail + k * LN2_LO));
}

/* exp for |x| <= 700: x = k ln 2 + r, |r| <= 0.3466; (e^r - 1 - r)/r^2 as a polynomial through its Chebyshev points,
 * error below 1.3e-17 in e^r. */
static inline __attribute__((always_inline)) double exp_of(double x)
{
    const double magic = 0x1.8p52;
    double shifted = x * 0x1.71547652b82fep0 + magic;
    double k = shifted - magic;
    double r = (x - k * LN2_HI) - k * LN2_LO;
    double p = 0x1.af38a9b0ec855p-26;
    p = p * r + 0x1.289185613a3d6p-22;
    p = p * r + 0x1.71de0dae63bb3p-19;
    p = p * r + 0x1.a019b90d2ae7ap-16;
    p = p * r + 0x1.a01a01a7c41d5p-13;
    p = p * r + 0x1.6c16c1788bd90p-10;
    p = p * r + 0x1.11111111109b3p-7;
    p = p * r + 0x1.5555555553d63p-5;
    p = p * r + 0x1.5555555555556p-3;
    p = p * r + 0x1.0000000000001p-1;
    p = p * r * r + r;
    return (1.0 + p) * from_bits((to_bits(shifted) + 1023) << 52);
}

/* Central region of AS 241, |q| <= 0.425, q = p - 1/2. */
static inline __attribute__((always_inline)) double normal_centre(double q)
{
    double r = 0.180625 - q * q;
    double num = 2.5090809287301226727e3, den = 5.2264952788528545610e3;
    num = num * r + 3.3430575583588128105e4;
    num = num * r + 6.7265770927008700853e4;
    num = num * r + 4.5921953931549871457e4;
    num = num * r + 1.3731693765509461125e4;
    num = num * r + 1.9715909503065514427e3;
    num = num * r + 1.3314166789178437745e2;
    num = num * r + 3.3871328727963666080e0;
    den = den * r + 2.8729085735721942674e4;
    den = den * r + 3.9307895800092710610e4;
    den = den * r + 2.1213794301586595867e4;
    den = den * r + 5.3941960214247511077e3;
    den = den * r + 6.8718700749205790830e2;
    den = den * r + 4.2313330701600911252e1;
    den = den * r + 1.0;
    return q * num / den;
}

/* Tails of AS 241: r = sqrt(-log(min(p, 1 - p))); the middle region serves r <= 5, the far one above. */
static double normal_tail(double q, double r)
{
    double num, den;
    if (r <= 5.0) {
        r -= 1.6;
        num = 7.74545014278341407640e-4;
        num = num * r + 2.27238449892691845833e-2;
        num = num * r + 2.41780725177450611770e-1;
        num = num * r + 1.27045825245236838258e0;
        num = num * r + 3.64784832476320460504e0;
        num = num * r + 5.76949722146069140550e0;
        num = num * r + 4.63033784615654529590e0;
        num = num * r + 1.42343711074968357734e0;
        den = 1.05075007164441684324e-9;
        den = den * r + 5.47593808499534494600e-4;
        den = den * r + 1.51986665636164571966e-2;
        den = den * r + 1.48103976427480074590e-1;
        den = den * r + 6.89767334985100004550e-1;
        den = den * r + 1.67638483018380384940e0;
        den = den * r + 2.05319162663775882187e0;
        den = den * r + 1.0;
    } else {
        r -= 5.0;
        num = 2.01033439929228813265e-7;
        num = num * r + 2.71155556874348757815e-5;
        num = num * r + 1.24266094738807843860e-3;
        num = num * r + 2.65321895265761230930e-2;
        num = num * r + 2.96560571828504891230e-1;
        num = num * r + 1.78482653991729133580e0;
        num = num * r + 5.46378491116411436990e0;
        num = num * r + 6.65790464350110377720e0;
        den = 2.04426310338993978564e-15;
        den = den * r + 1.42151175831644588870e-7;
        den = den * r + 1.84631831751005468180e-5;
        den = den * r + 7.86869131145613259100e-4;
        den = den * r + 1.48753612908506148525e-2;
        den = den * r + 1.36929880922735805310e-1;
        den = den * r + 5.99832206555887937690e-1;
        den = den * r + 1.0;
    }
    double x = num / den;
    return q < 0 ? -x : x;
}

#define KERNELS(suffix, attribute)                                                                              \
    attribute static void log_##suffix(size_t n, const double *x, double *out)                                  \
    {                                                                                                           \
        for (size_t i = 0; i < n; i++) out[i] = log_of(x[i]);                                                   \
    }                                                                                                           \
    attribute static void pow_##suffix(size_t n, const double *x, double power, double scale, double *out)      \
    {                                                                                                           \
        for (size_t i = 0; i < n; i++) out[i] = scale * exp_of(power * log_of(x[i]));                           \
    }                                                                                                           \
    attribute static void normal_##suffix(size_t n, const double *x, double *out)                               \
    {                                                                                                           \
        for (size_t i = 0; i < n; i++) out[i] = normal_centre(x[i] - 0.5);                                      \
    }

KERNELS(baseline, )
#ifdef __x86_64__
KERNELS(avx2, __attribute__((target("avx2"))))
#endif

/* -1 until the processor has been asked. */
static _Atomic int chosen = -1;

enum mk_vector_set mk_vector_set(void)
{
    int set = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (set >= 0) return (enum mk_vector_set)set;
    mk_vector_force(MK_VECTOR_AVX2);
    return (enum mk_vector_set)atomic_load(&chosen);
}

void mk_vector_force(enum mk_vector_set set)
{
#ifdef __x86_64__
    if (set == MK_VECTOR_AVX2 && !__builtin_cpu_supports("avx2")) set = MK_VECTOR_BASELINE;
#else
    set = MK_VECTOR_BASELINE;
#endif
    atomic_store(&chosen, set);
}

#ifdef __x86_64__
#define CALL(kernel, ...)                                                              \
    do {                                                                               \
        if (mk_vector_set() == MK_VECTOR_AVX2) kernel##_avx2(__VA_ARGS__);             \
        else kernel##_baseline(__VA_ARGS__);                                           \
    } while (0)
#else
#define CALL(kernel, ...) kernel##_baseline(__VA_ARGS__)
#endif

void mk_vuniform(struct mk_pcg64 *rng, size_t n, double *out)
{
    struct mk_pcg64 g = *rng;
    for (size_t i = 0; i < n; i++) out[i] = mk_uniform(&g);
    *rng = g;
}

void mk_vlog(size_t n, const double *x, double *out)
{
    CALL(log, n, x, out);
}

void mk_vpow(size_t n, const double *x, double power, double scale, double *out)
{
    /* |power log x| <= 700 for every x in [2^-54, 1). */
    if (fabs(power) * 37.5 > 700) {
        for (size_t i = 0; i < n; i++) out[i] = scale * pow(x[i], power);
        return;
    }
    CALL(pow, n, x, power, scale, out);
}

enum { LANES = 8 };

#define EXTREME(name, beats)                                                        \
    double name(size_t n, const double *x)                                          \
    {                                                                               \
        double lane[LANES], found = x[0];                                           \
        size_t i = 0;                                                               \
        if (n >= 2 * LANES) {                                                       \
            for (; i < LANES; i++) lane[i] = x[i];                                  \
            for (; i + LANES <= n; i += LANES)                                      \
                for (size_t j = 0; j < LANES; j++)                                  \
                    lane[j] = x[i + j] beats lane[j] ? x[i + j] : lane[j];          \
            for (size_t j = 0; j < LANES; j++)                                      \
                found = lane[j] beats found ? lane[j] : found;                      \
        }                                                                           \
        for (; i < n; i++) found = x[i] beats found ? x[i] : found;                 \
        return found;                                                               \
    }
EXTREME(mk_vmax, >)
EXTREME(mk_vmin, <)

void mk_vnormal(size_t n, const double *x, double mean, double sd, double *out)
{
    double tail[BLOCK], root[BLOCK];
    uint16_t where[BLOCK];
    for (size_t at = 0; at < n; at += BLOCK) {
        size_t m = n - at < BLOCK ? n - at : BLOCK, tails = 0;
        const double *p = x + at;
        double *o = out + at;
        for (size_t i = 0; i < m; i++) { /* 15 % of uniform p: gathered, so that their logarithms are vectorised too */
            double q = p[i] - 0.5;
            tail[tails] = q;
            root[tails] = q < 0 ? p[i] : 1.0 - p[i];
            where[tails] = (uint16_t)i;
            tails += fabs(q) > 0.425;
        }
        CALL(normal, m, p, o);
        mk_vlog(tails, root, root);
        for (size_t j = 0; j < tails; j++) o[where[j]] = normal_tail(tail[j], sqrt(-root[j]));
        for (size_t i = 0; i < m; i++) o[i] = mean + sd * o[i];
    }
}

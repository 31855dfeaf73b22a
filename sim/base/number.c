/* Up to 19 significant digits and a power of ten within 10^±22 are exact in one multiplication or division of doubles
 * (W. D. Clinger 1990, "How to read floating point numbers accurately"); the rest goes to strtod. */
#include "sim/base/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_POWER = 22, LONGEST = 1000 };

static const double power_of_ten[EXACT_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool by_strtod(const char *text, size_t length, double *out)
{
    char copy[LONGEST + 1];
    if (length > LONGEST) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    double x = strtod(copy, NULL);
    if (isinf(x)) return false;
    *out = x;
    return true;
}

/* Digits from *at on: adds them to *mantissa, counts them. */
static int take_digits(const char **at, const char *end, uint64_t *mantissa, int *significant)
{
    int n = 0;
    for (; *at < end && (unsigned char)(**at - '0') < 10; (*at)++, n++) {
        if (*significant || **at != '0') (*significant)++;
        if (*significant <= 19) *mantissa = *mantissa * 10 + (uint64_t)(**at - '0');
    }
    return n;
}

/* Adds the exponent "e-7" to *exponent; false: it has no digits. */
static inline bool take_exponent(const char **at, const char *end, int *exponent)
{
    int down = 0, power = 0;
    ++*at;
    if (*at < end && (**at == '-' || **at == '+')) down = *(*at)++ == '-';
    if (*at == end) return false;
    for (; *at < end && (unsigned char)(**at - '0') < 10; ++*at)
        if (power < 100000) power = power * 10 + (**at - '0');
    *exponent += down ? -power : power;
    return true;
}

bool mk_parse_real(const char *text, size_t length, double *out)
{
    const char *at = text, *end = text + length;
    uint64_t mantissa = 0;
    int significant = 0, exponent = 0, negative = 0;
    if (length > LONGEST) return false;
    if (at < end && (*at == '-' || *at == '+')) negative = *at++ == '-';
    int digits = take_digits(&at, end, &mantissa, &significant);
    if (at < end && *at == '.') {
        at++;
        exponent = -take_digits(&at, end, &mantissa, &significant);
        digits -= exponent;
    }
    if (!digits) return false;
    if (at < end && (*at == 'e' || *at == 'E') && !take_exponent(&at, end, &exponent)) return false;
    if (at != end) return false;
    if (significant > 19 || mantissa > (uint64_t)MK_EXACT_MAX || exponent > EXACT_POWER || exponent < -EXACT_POWER)
        return by_strtod(text, length, out);
    double x = (double)mantissa;
    x = exponent < 0 ? x / power_of_ten[-exponent] : x * power_of_ten[exponent];
    *out = negative ? -x : x;
    return true;
}

bool mk_is_exact(const char *text, size_t length, double x)
{
    char copy[LONGEST + 1];
    if (length > LONGEST) return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    return strtold(copy, NULL) == (long double)x; /* 64 bits of mantissa are enough to see beyond 2^53 */
}

double mk_round_digits(double x, int digits)
{
    char text[40];
    snprintf(text, sizeof text, "%.*e", digits - 1, x);
    return strtod(text, NULL);
}

static double last_digit(double x, int digits)
{
    return pow(10, floor(log10(x)) + 1 - digits);
}

double mk_digits_above(double x, int digits)
{
    return mk_round_digits(ceil(x / last_digit(x, digits) * (1 - 1e-12)) * last_digit(x, digits), digits);
}

double mk_digits_below(double x, int digits)
{
    return mk_round_digits(floor(x / last_digit(x, digits) * (1 + 1e-12)) * last_digit(x, digits), digits);
}

static bool are_whole(const double *x, size_t n, double parts)
{
    for (size_t i = 0; i < n; i++) {
        const double whole = round(x[i] * parts);
        if (!(whole >= 1 && whole <= MK_EXACT_MAX && whole / parts == x[i])) return false;
    }
    return true;
}

double mk_decimal_parts(const double *x, size_t n)
{
    double parts = 1;
    while (parts <= 1e6 && !are_whole(x, n, parts)) parts *= 10;
    return parts <= 1e6 ? parts : 0;
}

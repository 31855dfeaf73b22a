/* Decimal numbers as written in experiment files and CSV cells, in any locale; doubles as their bits. */
#ifndef MAXK_SIM_BASE_NUMBER_H
#define MAXK_SIM_BASE_NUMBER_H

#include <locale.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* 2^53: a double holds every whole number from -MK_EXACT_MAX to MK_EXACT_MAX, and not 2^53 + 1. Cast it to uint64_t
 * before comparing whole numbers with it: a comparison of doubles takes 2^53 + 1 for 2^53. */
#define MK_EXACT_MAX 0x1p53

/* [+-] digits [. digits] [e [+-] digits], correctly rounded, finite: anything else (hexadecimal, inf, nan, blanks,
 * beyond the range of a double) gives 0 and leaves *out alone. Nearest double for numbers below its range. */
bool mk_parse_real(const char *text, size_t length, double *out);

/* 1 when such a text means the whole number x itself and not a neighbour: 2^53 + 1 is not a double. */
bool mk_is_exact(const char *text, size_t length, double x);

/* x with this number of significant digits, 1 … 17: the double nearest to that decimal. 17: x itself. */
double mk_round_digits(double x, int digits);

/* The smallest such number that is at least x > 0, and the largest that is at most x, but for rounding. */
double mk_digits_above(double x, int digits);
double mk_digits_below(double x, int digits);

/* The smallest power of ten, up to 10^6, that makes all x > 0 whole numbers up to 2^53: 12.5 counts 125 tenths. 0:
 * none. x[i] is then the double nearest to that whole number over the power. */
double mk_decimal_parts(const double *x, size_t n);

/* ---- numbers have a decimal point, and letters are those of ASCII, whatever locale the process has set ----
 *
 * Also in the libraries that are called. The program maxk has the C locale; in the library every function that reads or
 * prints text sets it for the thread that calls, and a parallel region whose threads may print numbers for each. */

static inline locale_t mk_c_locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); /* that of "C" takes no memory */
}

static inline void mk_locale_restore(const locale_t *previous)
{
    uselocale(*previous);
}

/* A declaration: from here to the end of the block, however it is left, this thread has the C locale. */
#define MK_IN_C_LOCALE                                                                                                 \
    const locale_t mk_previous_locale __attribute__((cleanup(mk_locale_restore), unused)) = mk_c_locale_enter()

/* The bits of a double, and the double of these bits. */
static inline uint64_t mk_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline double mk_real_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif

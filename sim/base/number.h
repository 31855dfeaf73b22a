/* Decimal numbers as they stand in experiment files and CSV cells. */
#ifndef MAXK_SIM_BASE_NUMBER_H
#define MAXK_SIM_BASE_NUMBER_H

#include <stddef.h>

/* [+-] digits [. digits] [e [+-] digits], correctly rounded, finite: anything else (hexadecimal, inf, nan, blanks,
 * beyond the range of a double) gives 0 and leaves *out alone. Nearest double for numbers below its range. */
int mk_parse_real(const char *text, size_t length, double *out);

/* 1 when such a text means the whole number x itself and not one next to it: 2^53 + 1 is no double. */
int mk_is_exact(const char *text, size_t length, double x);

#endif

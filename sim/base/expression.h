/* Arithmetic in text: numbers, named quantities, + - * / ^, parentheses, and the functions log, log2, log10, exp, sqrt,
 * abs, floor, ceil, min, max, pow.
 *
 * `^` binds tighter than a sign and to the right (-2^2 = -4, 2^-1 = 0.5, 2^3^2 = 512). Values are doubles with IEEE
 * results: log of a negative number is NaN, 1/0 is inf. An expression is compiled once to a postfix program with a
 * stack of known depth, and evaluated without allocation. */
#ifndef MAXK_SIM_BASE_EXPRESSION_H
#define MAXK_SIM_BASE_EXPRESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/api/maxk/error.h"

enum { MK_EXPRESSION_BYTES = 2000, MK_EXPRESSION_DEPTH = 64 /* nesting, and the stack */ };

struct mk_expression;

/* Compiles `text` over the quantities name[0 … n-1]. Errors: MK_ENOMEM; MK_EINPUT, err->text saying what is wrong at
 * which character (from 1), without a place in a file. */
int mk_expression_new(struct mk_expression **out, const char *text, const char *const *name, size_t n,
                      struct mk_error *err);
void mk_expression_free(struct mk_expression *e);

/* Whether name[i] occurs. */
bool mk_expression_uses(const struct mk_expression *e, size_t i);

/* value[i] is that of name[i]. */
double mk_expression_value(const struct mk_expression *e, const double *value);

/* Numbers between which the value lies, to rounding, when name[i] is from lo[i] to hi[i], a finite range: the smallest
 * ones where no name occurs twice. Infinite where there is no bound, or the value may be NaN. */
void mk_expression_range(const struct mk_expression *e, const double *lo, const double *hi, double *from, double *to);

#endif

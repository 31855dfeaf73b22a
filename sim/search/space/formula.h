/* Formulas of hyperparameters, in the language of sim/base/expression.h, and comparisons of two: ranges that depend on
 * other hyperparameters, and combinations that are forbidden by a relation.
 *
 * A name is a letter or _ followed by letters, digits, _ and dots, or any text between backquotes, as in R. What a name
 * stands for is the number of a hyperparameter, or the word of one whose words all are numbers. */
#ifndef MAXK_SIM_SEARCH_SPACE_FORMULA_H
#define MAXK_SIM_SEARCH_SPACE_FORMULA_H

#include <stdio.h>

#include "sim/search/space/space.h"

struct mk_formula {
    char *text; /* of the expression, in which q0, q1, … stand for the hyperparameters */
    size_t n, *of;
    double **number; /* [n] the numbers of words; NULL: of a number */
    struct mk_expression *e;
};

enum mk_hyper_relation_kind { MK_IS_BELOW, MK_IS_AT_MOST, MK_IS_ABOVE, MK_IS_AT_LEAST, MK_IS_EQUAL, MK_IS_UNEQUAL };
struct mk_hyper_relation {
    enum mk_hyper_relation_kind kind;
    struct mk_formula left, right;
};

/* Finds a hyperparameter by the name that a formula has; SIZE_MAX: there is none. */
struct mk_formula_names {
    size_t (*find)(const void *of, const char *name);
    const void *of;
};

/* Whether a name begins somewhere in the text; letters of numbers (1e9, .inf) begin none. */
bool mk_formula_has_name(const char *text, size_t length);

/* Reads text[0 … length-1]. MK_EINPUT with a text without a place. There is nothing to clear after an error. */
int mk_formula_read(struct mk_formula *f, const struct mk_space *s, const char *text, size_t length,
                    const struct mk_formula_names *names, struct mk_error *err);
void mk_formula_clear(struct mk_formula *f);

/* A copy of one of space s, whose hyperparameters are `by` positions later. */
int mk_formula_copy(struct mk_formula *to, const struct mk_formula *from, size_t by, const struct mk_space *s,
                    struct mk_error *err);

/* The value; NaN where a hyperparameter is inactive. */
double mk_formula_value(const struct mk_formula *f, const double *v);

/* Numbers between which it lies on the whole space. */
void mk_formula_range(const struct mk_formula *f, const struct mk_space *s, double *lo, double *hi);

/* Writes it with the names of the space. */
void mk_formula_put(FILE *to, const struct mk_formula *f, const struct mk_space *s);

/* A name as it stands in a formula. */
void mk_formula_put_name(FILE *to, const char *name);

/* A word as it stands in a comparison, in quotes. */
void mk_formula_put_word(FILE *to, const char *word);

/* Whether a relation holds; not where a value is NaN. */
bool mk_hyper_relation_holds(const struct mk_hyper_relation *r, const double *v);
void mk_hyper_relation_clear(struct mk_hyper_relation *r);
int mk_hyper_relation_copy(struct mk_hyper_relation *to, const struct mk_hyper_relation *from, size_t by,
                           const struct mk_space *s, struct mk_error *err);

/* "<", "<=", …. */
extern const char *const mk_hyper_relation_sign[];

/* Reads a combination: comparisons joined by "and" or "&&". Those of one hyperparameter with a word (kernel == rbf)
 * become clauses. */
int mk_forbidden_read(struct mk_forbidden *f, const struct mk_space *s, const char *text,
                      const struct mk_formula_names *names, struct mk_error *err);

/* The same written; malloc'ed, NULL: no memory. */
char *mk_forbidden_text(const struct mk_forbidden *f, const struct mk_space *s);
void mk_forbidden_clear(struct mk_forbidden *f);

#endif

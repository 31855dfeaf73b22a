/* Search spaces: hyperparameters, the conditions under which they are active, and combinations that are forbidden.
 *
 * A configuration is an array of doubles, one for each hyperparameter in the order of the space: a number, or the
 * position of a word in its list; NaN where the hyperparameter is inactive. Optimisers work in the unit cube: u in
 * [0, 1] for every hyperparameter, linear or logarithmic in the number; whole numbers, steps and words are cells of
 * equal width (whole numbers on a log scale: cells from v - 1/2 to v + 1/2 on that scale). NaN is inactive there too.
 *
 * A hyperparameter is active when all hyperparameters that its conditions name are active and all its conditions hold.
 * A configuration is forbidden when all clauses and relations of a forbidden combination hold. An end of a range may
 * depend on other hyperparameters: the range is then the widest one, to which positions in the unit cube refer for all
 * configurations, and those with a value beyond the end that they give are forbidden as well. Where a relation or an
 * end names an inactive hyperparameter it forbids nothing.
 *
 * A space is built by mk_space_new, mk_space_add …, mk_space_finish, or read from YAML (sim/search/space/space_read.h),
 * and is immutable from then on, so that threads may share it. */
#ifndef MAXK_SIM_SEARCH_SPACE_SPACE_H
#define MAXK_SIM_SEARCH_SPACE_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sim/api/maxk/error.h"
#include "sim/base/pcg64.h"

enum {
    MK_SPACE_MOST = 1000,        /* hyperparameters */
    MK_SPACE_MOST_WORDS = 10000, /* words of one of them */
    MK_SPACE_TRIES = 10000,      /* draws before mk_space_sample gives the default configuration */
    MK_SPACE_MOST_COUNTED = 100000
};

enum mk_hyper_kind { MK_HYPER_REAL, MK_HYPER_INTEGER, MK_HYPER_ORDINAL, MK_HYPER_CATEGORICAL, MK_HYPER_CONSTANT };

struct mk_formula; /* sim/search/space/formula.h */
struct mk_hyper_relation;

/* The value of hyperparameter `of` is one of value[0 … n_values-1]; without values: lies between lo and hi. */
struct mk_clause {
    size_t of;
    size_t n_values;
    double *value; /* owned */
    double lo, hi; /* ±infinity: no end */
    bool lo_open, hi_open;
};

struct mk_hyper {
    char *name;
    enum mk_hyper_kind kind;
    bool log;      /* numbers: uniform in the logarithm */
    bool choice;   /* categorical whose words stand for spaces of their own: the choice of an algorithm */
    double lo, hi; /* numbers: range, ends included; words: 0 and n_words - 1 */
    double step;   /* numbers: distance of neighbouring values from lo on; 0: any real number */
    double def;    /* the default value; NaN until mk_space_add: the middle of the range, the first word */
    bool stated;   /* derived: it was not NaN */
    size_t n_words;
    char **word;   /* [n_words] ordinal, categorical, constant (1) */
    bool *is_text; /* [n_words] in quotes: a text, even if it reads as a number, true, false or null; NULL: none is */
    size_t n_when;
    struct mk_clause *when; /* [n_when] all must hold */
    /* derived */
    double levels; /* number of values; INFINITY: a continuum */
    double scale;  /* reals with a step: 10^decimals of lo and step; 0: they have more than a double holds */
    double a, b;   /* the unit interval stands for [a, b] on the scale of the hyperparameter (log or not) */
    struct mk_formula *bound[2]; /* owned; the ends of its range that depend on others, NULL: it is lo, hi */
};

struct mk_forbidden {
    size_t n;
    struct mk_clause *clause; /* [n] forbidden when all hold, and */
    size_t n_relations;
    struct mk_hyper_relation *relation; /* [n_relations] these */
};

struct mk_row_key {
    uint64_t digest; /* of the configuration */
    size_t row;
};

struct mk_space {
    size_t n;
    struct mk_hyper *hyper; /* [n] */
    size_t *order;          /* [n] those that conditions name before those that have them */
    size_t n_forbidden;
    struct mk_forbidden *forbidden;
    size_t n_bounded, *bounded; /* hyperparameters with ends that depend on others */
    size_t n_rows;
    double *row;                /* [n_rows][n] the only possible configurations; n_rows = 0: no such restriction */
    struct mk_row_key *row_key; /* [n_rows] ascending */
    size_t n_arms, *arm_row; /* joint spaces with rows: [n_arms + 1] those of arm k are arm_row[k] … arm_row[k+1]-1 */
};

/* ---- building: sim/search/space/space_build.c ---- */

int mk_space_new(struct mk_space **out, struct mk_error *err);
void mk_space_free(struct mk_space *s);

/* Appends a copy of name, kind, log, choice, lo, hi, step, def and words. MK_EINPUT (err->text without a place): a name
 * that is empty, too long or taken, an empty range, the logarithm of a number <= 0, a step beyond the range, words that
 * are missing or repeated, a default outside, too many hyperparameters. `hi` comes down to the last step. */
int mk_space_add(struct mk_space *s, const struct mk_hyper *h, struct mk_error *err);

/* Shorthand of objectives: a real number in [lo, hi]. */
int mk_space_add_real(struct mk_space *s, const char *name, double lo, double hi, struct mk_error *err);

/* Adds a condition to hyperparameter i; takes clause->value, which is NULL then, also when it fails. MK_EINPUT: there
 * is one on the same hyperparameter. */
int mk_space_condition(struct mk_space *s, size_t i, struct mk_clause *clause, struct mk_error *err);

/* Adds the condition that hyperparameter `of` has this value. */
int mk_space_require(struct mk_space *s, size_t i, size_t of, double value, struct mk_error *err);

/* Forbids a combination of n >= 1 clauses; takes them (an array from malloc), also when it fails. */
int mk_space_forbid(struct mk_space *s, size_t n, struct mk_clause *clause, struct mk_error *err);

/* The same with relations; takes the content of *f. */
int mk_space_forbid_all(struct mk_space *s, struct mk_forbidden *f, struct mk_error *err);

/* Low (0) or high (1) end of the range of number i depends on others; takes the content of *f. mk_space_set_range is to
 * follow. */
int mk_space_bound(struct mk_space *s, size_t i, int end, struct mk_formula *f, struct mk_error *err);

/* Gives number i, which mk_space_add has taken with another range, its range and default (NaN: as of mk_space_add; it
 * is then found anew when the space is finished). MK_EINPUT as mk_space_add. */
int mk_space_set_range(struct mk_space *s, size_t i, double lo, double hi, double def, struct mk_error *err);

/* Checks the whole. MK_EINPUT with *blame, the hyperparameter at fault (SIZE_MAX: the forbidden combinations), for
 * circular conditions, a forbidden default configuration, and spaces that allow fewer than 1 in 1000 configurations. */
int mk_space_finish(struct mk_space *s, size_t *blame, struct mk_error *err);

/* Finishes a space that was built with this code, without blame. If either failed the space is freed, otherwise it is
 * *out. */
int mk_space_done(struct mk_space *s, int code, struct mk_space **out, struct mk_error *err);

/* Restricts the space to these configurations, row[n][s->n], n >= 1, each active and inactive where it should be; takes
 * `row`, also when it fails. The finished space must not have forbidden combinations. */
int mk_space_restrict(struct mk_space *s, double *row, size_t n, struct mk_error *err);

/* The row that is this configuration (the first of equal ones), or SIZE_MAX. */
size_t mk_space_row(const struct mk_space *s, const double *v);

/* The joint space of n arms: a choice `arm` of their labels, and the hyperparameters of arm[k] from position first[k]
 * on, named "arm.LABEL.NAME". When all arms are restricted to rows, so is the joint space, in the order of the arms;
 * MK_EINPUT when only some of them are. */
int mk_space_join(struct mk_space **out, const struct mk_space *const *arm, const char *const *label, size_t n,
                  size_t *first, struct mk_error *err);

void mk_clauses_free(struct mk_clause *clause, size_t n);

/* ---- one hyperparameter ---- */

/* The value that u in [0, 1] stands for. */
double mk_hyper_value(const struct mk_hyper *h, double u);

/* The position of a value in the unit interval: the middle of its cell if it has one. NaN gives NaN. */
double mk_hyper_unit(const struct mk_hyper *h, double v);

/* Position of the value among the levels, for those that have finitely many, and the value at a position: lo + level *
 * step, rounded to the decimals of lo and step. */
double mk_hyper_level(const struct mk_hyper *h, double v);
double mk_hyper_at_level(const struct mk_hyper *h, double level);

static inline bool mk_hyper_is_word(const struct mk_hyper *h)
{
    return h->n_words > 0;
}

/* Whether neighbouring positions are alike: numbers and ordinals. */
static inline bool mk_hyper_is_ordered(const struct mk_hyper *h)
{
    return h->kind <= MK_HYPER_ORDINAL;
}

/* The value that a text stands for; false if there is none. */
bool mk_hyper_parse(const struct mk_hyper *h, const char *text, size_t length, double *v);

/* The text of a value; points into the space or into `room`. */
enum { MK_HYPER_TEXT = 32 };
const char *mk_hyper_text(const struct mk_hyper *h, double v, char room[MK_HYPER_TEXT]);

/* "a number from 0 to 1", "one of linear, rbf": for messages. */
const char *mk_hyper_range(const struct mk_hyper *h, char *out, size_t room);

/* ---- configurations: sim/search/space/configuration.c ---- */

/* Position of a hyperparameter by name, or SIZE_MAX. */
size_t mk_space_find(const struct mk_space *s, const char *name);

/* Whether hyperparameter i is active, given the values of those before it in s->order. */
bool mk_space_active(const struct mk_space *s, const double *v, size_t i);

/* Whether hyperparameters i and j have the same conditions, so that one is active where the other is. */
bool mk_space_active_together(const struct mk_space *s, size_t i, size_t j);

/* Inactive values become NaN; active ones that are NaN become their defaults. */
void mk_space_complete(const struct mk_space *s, double *v);

/* Whether there are configurations that mk_space_allows does not allow; without rows. */
static inline bool mk_space_forbids(const struct mk_space *s)
{
    return s->n_forbidden || s->n_bounded;
}

/* Whether no forbidden combination holds, no value is beyond an end that depends on others, and the configuration is
 * one of the rows if there are rows. */
bool mk_space_allows(const struct mk_space *s, const double *v);

void mk_space_default(const struct mk_space *s, double *v);

/* Uniform in the unit cube given that the configuration is allowed, or a row drawn uniformly. Where the first
 * hyperparameter is a choice that no forbidden combination names, each of its words has the same probability, and in a
 * joint space every arm, however many of its configurations are allowed (Nguyen 2024, Algorithm 2). */
void mk_space_sample(const struct mk_space *s, struct mk_pcg64 *rng, double *v);

/* u[n] with all entries in [0, 1] → the configuration (for restricted spaces: a row by u[0], in the order of the rows,
 * with probabilities as in mk_space_sample). u may be v. */
void mk_space_from_unit(const struct mk_space *s, const double *u, double *v);

/* The configuration in the unit cube, NaN where inactive. */
void mk_space_to_unit(const struct mk_space *s, const double *v, double *u);

/* out = v with another value of the active hyperparameter i, drawn at random: for an ordered one a normal step in the
 * unit cube with standard deviation sd, for others any other word. What becomes active gets its default. False when the
 * hyperparameter has only one value or the result is not allowed. */
bool mk_space_neighbour(const struct mk_space *s, struct mk_pcg64 *rng, const double *v, size_t i, double sd,
                        double *out);

/* out = v with value x of the active hyperparameter i, settled. False: not allowed. */
bool mk_space_with(const struct mk_space *s, const double *v, size_t i, double x, double *out);

/* How far two points of the unit cube are apart: the sum of squares, 2 for another word; hyperparameters that either
 * lacks do not count. Where it exceeds `most`, a number above `most`. */
double mk_space_distance(const struct mk_space *s, const double *u, const double *w, double most);

/* The configuration as the inputs of regression trees, x[s->n]: numbers by their position in the unit interval, -1 if
 * inactive; words by their position from 0, the number of words if inactive (SMAC3). */
void mk_tree_features(const struct mk_space *s, const double *v, double *x);

/* Equal configurations have equal digests. */
uint64_t mk_space_configuration_digest(const struct mk_space *s, const double *v);

/* {C: 1, kernel: rbf}: active hyperparameters in the order of the space. malloc'ed, NULL: no memory. */
char *mk_space_configuration_text(const struct mk_space *s, const double *v);

/* The same with real hyperparameters (those without a step) of so many significant digits, within their bounds. */
char *mk_space_configuration_rounded(const struct mk_space *s, const double *v, int digits);

/* The configuration as a JSON object of its active hyperparameters. */
void mk_put_json_configuration(FILE *to, const struct mk_space *space, const double *v);

/* ---- all configurations: sim/search/space/levels.c ---- */

/* v <- the next configuration, allowed or not, in an order that goes through all of them; after the last one the first,
 * and false. The levels of all hyperparameters must be finitely many. */
bool mk_space_step(const struct mk_space *s, double *v);

/* The number of configurations that are allowed; INFINITY: a continuum, or, where there are conditions, forbidden
 * combinations or ends that depend on others, more than MK_SPACE_MOST_COUNTED would have to be looked at. */
double mk_space_count(const struct mk_space *s);

#endif

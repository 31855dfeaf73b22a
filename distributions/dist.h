/* Reward families: what every distribution provides, and how to build and evaluate one.
 *
 * Notation: F(x) = P(X <= x), G(x) = P(X >= x) the survival function, b the upper end point,
 * M(n) the maximum of n i.i.d. draws. A family is one .c file with one const struct mk_dist_type,
 * and one line in list.def; registry, `maxk list`, `maxk describe` and the experiment reader need nothing else. */
#ifndef MAXK_DISTRIBUTIONS_DIST_H
#define MAXK_DISTRIBUTIONS_DIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/api/maxk/error.h"
#include "sim/base/param.h"
#include "sim/base/pcg64.h"

struct mk_dist_type;
struct mk_quantiles;

enum { MK_DIST_CONSTANTS = 8 };

/* One distribution. Plain data, immutable after mk_dist_new, so it may be shared by threads. */
struct mk_dist {
    const struct mk_dist_type *type;
    double v[MK_MAX_PARAMS];        /* parameters in the order of type->params (prepare may fill in optional ones) */
    double c[MK_DIST_CONSTANTS];    /* constants derived by prepare */
    size_t n_values;                /* MK_LIST parameter: weights of a mixture, sample of an empirical arm */
    double *values;                 /* owned */
    void *table;                    /* owned (freed with free): further data derived by prepare */
    struct mk_quantiles *quantiles; /* owned; NULL until mk_dist_tabulate, and if the inverse is fast */
    size_t n_parts;                 /* MK_PARTS: components of a mixture; 1 for wrappers */
    struct mk_dist **part;          /* owned */
};

enum {
    MK_DIST_WRAPPER = 1, /* not a family of its own: applied by keys (shift, factor, truncate, clip) on an arm */
    MK_DIST_ATOMS = 2,   /* has point masses of its own: P(X > x) and P(X >= x) may differ */
    MK_DIST_SLOW = 4,    /* the inverse takes around a microsecond or more (a wrapper is as slow as its part) */
    MK_DIST_INVERTS = 8  /* draws come from mk_sample_by_inverse; mk_dist_tabulate makes those of slow inverses fast */
};

struct mk_dist_type {
    const char *name;      /* as in experiment files, [a-z0-9_]+ */
    const char *summary;   /* one line */
    const char *formula;   /* survival function and parameterisation, plain text */
    const char *reference; /* source of the parameterisation */
    unsigned flags;
    const struct mk_param *params;

    /* Checks the parameters against each other, derives constants (and fills in alternative parameterisations). Returns
     * NULL, or the problem and what is allowed (static text; *param = position of the parameter to blame). */
    const char *(*prepare)(struct mk_dist *d, int *param);

    /* out[0 … n-1] = the next n draws of the stream. Must not depend on how draws are split into calls. */
    void (*sample)(const struct mk_dist *d, struct mk_pcg64 *rng, size_t n, double *out);

    /* Tail probabilities, each to full relative accuracy in its own tail. */
    double (*survival)(const struct mk_dist *d, double x); /* G(x) = P(X >= x), 1 at and below the lower end point */
    double (*above)(const struct mk_dist *d, double x);    /* P(X > x); NULL where it equals survival */
    double (*cdf)(const struct mk_dist *d, double x);      /* F(x) = P(X <= x) */
    double (*below)(const struct mk_dist *d, double x);    /* P(X < x); NULL where it equals cdf */

    /* P(x <= X <= y), x <= y, to full relative accuracy where it consists of point masses. NULL = the difference of
     * tail probabilities, which is exact enough for a family that is unimodal or has few atoms. */
    double (*between)(const struct mk_dist *d, double x, double y);

    /* The x with P(X >= x) = upper (for atoms sup{x : G(x) >= upper}), given both tail probabilities,
     * upper + lower = 1, each to full relative accuracy: use the smaller one. upper = 0 gives b, lower = 0 gives a. */
    double (*inverse)(const struct mk_dist *d, double upper, double lower);

    double (*density)(const struct mk_dist *d, double x); /* of the continuous part; +inf at a pole, 0 outside */
    void (*support)(const struct mk_dist *d, double *lo, double *hi);

    /* Tail exponents: P(X > x) and P(X < -x) behave as x^-upper and x^-lower; INFINITY for every lighter tail and for
     * finite ends. They decide when E[M(n)] is infinite. NULL = both INFINITY. */
    void (*tails)(const struct mk_dist *d, double *upper, double *lower);

    /* The points inside (or at) the support where G jumps or is not smooth, in any order, repeats allowed: returns
     * their number and stores them in x unless x is NULL. NULL = none but the ends of the support. */
    size_t (*breaks)(const struct mk_dist *d, double *x);

    /* Absolute error of x by the time tail probabilities are computed from it, or the rounding of G near the upper end
     * point expressed as a distance: wrappers. NULL = that of the parts. */
    double (*resolution)(const struct mk_dist *d);

    /* E[M(n)], n >= 1 real, where a closed form exists (may return ±inf). NULL, or a NaN returned = quadrature. */
    double (*expected_max)(const struct mk_dist *d, double n);
};

/* Registry (from list.def, in its order). */
size_t mk_dist_type_count(void);
const struct mk_dist_type *mk_dist_type_at(size_t i);
const struct mk_dist_type *mk_dist_type_find(const char *name);

/* The specification of a distribution. values are copied, parts are taken over: on success mk_dist_new owns the members
 * of `parts`; on failure they stay with the caller. v[] as left by mk_param_defaults, then overwritten. */
struct mk_dist_spec {
    const struct mk_dist_type *type;
    double v[MK_MAX_PARAMS];
    size_t n_values;
    const double *values;
    size_t n_parts;
    struct mk_dist **parts;
};

/* Checks every parameter against its descriptor and runs prepare. On MK_EINPUT *param is the position of the parameter
 * to blame (-1: none in particular) and err->text describes the problem without a place. */
int mk_dist_new(struct mk_dist **out, const struct mk_dist_spec *spec, int *param, struct mk_error *err);
void mk_dist_free(struct mk_dist *d);

/* Shorthand for tests and internal use: mk_dist_make(&d, "power", err, 3.0, 1.01): required and optional
 * parameters in descriptor order, exactly mk_param_count of them (NAN = not given). */
int mk_dist_make(struct mk_dist **out, const char *family, struct mk_error *err, ...);

/* Wrap *d in a MK_DIST_WRAPPER, "truncated" (lo, hi), "clipped" (lo, hi) or "affine" (shift, factor), applied in this
 * order and each at most once. On success *d is the wrapped distribution and owns the old one; on failure *d is
 * unchanged, and *param is as in mk_dist_new (param may be NULL). */
int mk_dist_wrap(struct mk_dist **d, const char *wrapper, double first, double second, int *param,
                 struct mk_error *err);

/* Prepares d and its parts for many draws: those drawn by a slow inverse are drawn by a table of it from now on
 * (distributions/parts/quantiles.h). Takes a few milliseconds for each such part; to be called before d is shared.
 * Errors: MK_ENOMEM. */
int mk_dist_tabulate(struct mk_dist *d, struct mk_error *err);

/* Text of the distribution as a YAML flow mapping, e.g. `{family: power, a: 3, s: 1.01}`; malloc'ed, NULL when out of
 * memory. Wrappers are keys of the arm, applied in the order truncate, clip, factor, shift: it reads back as the same
 * arm. */
char *mk_dist_text(const struct mk_dist *d);

static inline void mk_dist_support(const struct mk_dist *d, double *lo, double *hi)
{
    d->type->support(d, lo, hi);
}

static inline double mk_dist_survival(const struct mk_dist *d, double x)
{
    return d->type->survival(d, x);
}

static inline double mk_dist_above(const struct mk_dist *d, double x)
{
    return d->type->above ? d->type->above(d, x) : d->type->survival(d, x);
}

static inline double mk_dist_cdf(const struct mk_dist *d, double x)
{
    return d->type->cdf(d, x);
}

static inline double mk_dist_below(const struct mk_dist *d, double x)
{
    return d->type->below ? d->type->below(d, x) : d->type->cdf(d, x);
}

/* P(x <= X <= y), x <= y (see the hook). */
double mk_dist_between(const struct mk_dist *d, double x, double y);

/* Tail exponents and break points, with the defaults filled in (see the hooks of mk_dist_type). */
void mk_dist_tails(const struct mk_dist *d, double *upper, double *lower);
size_t mk_dist_breaks(const struct mk_dist *d, double *x);

/* Whether both are the same family with the same parameters, values and parts, and so the same distribution. */
bool mk_dist_equal(const struct mk_dist *a, const struct mk_dist *b);

/* Distances from an end point are known to this accuracy, 0 if x is used unchanged (see the hook). */
double mk_dist_resolution(const struct mk_dist *d);

/* inverse survival: the x with G(x) = upper, 0 <= upper <= 1 (accurate for small upper). */
double mk_dist_inverse_survival(const struct mk_dist *d, double upper);

/* 1 when P(X > x) and P(X >= x) can differ somewhere. */
bool mk_dist_has_atoms(const struct mk_dist *d);

/* E[M(n)] = integral over v in (0,1) of Qbar(-expm1(log(v)/n)), Qbar the inverse survival function; n >= 1, to 10^12
 * and beyond. Closed form where the family has one, otherwise adaptive quadrature to 1e-12 relative.
 * May be +inf (tail too heavy) or -inf. Returns MK_ENUM when quadrature fails. */
int mk_dist_expected_max(const struct mk_dist *d, double n, double *value, struct mk_error *err);

/* The quadrature itself, closed form or not (tests compare the two). MK_ENUM also when both tails are too heavy, so
 * that the expectation does not exist. */
int mk_dist_expected_max_quadrature(const struct mk_dist *d, double n, double *value, struct mk_error *err);

/* E[(M(n) - x)^+], or E[(x - M(n))^+] if not above, n >= 1, by this quadrature, and somewhat more, so that it is not
 * too small: by 1e-6 (relative) and the estimated error, at most 1e-6 times the value plus 1e-9 |x|. May be +inf (tail
 * too heavy). MK_ENUM when quadrature fails. */
int mk_dist_expected_excess(const struct mk_dist *d, double n, double x, bool above, double *value,
                            struct mk_error *err);

/* The same with its `count` break points as mk_dist_breaks_down gives them; allocates nothing. */
int mk_dist_expected_excess_at(const struct mk_dist *d, const double *breaks, size_t count, double n, double x,
                               bool above, double *value, struct mk_error *err);

/* mk_dist_breaks, descending. */
size_t mk_dist_breaks_down(const struct mk_dist *d, double *x);

#endif

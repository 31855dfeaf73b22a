/* Parameter sets for every family and wrapper, extremes included, shared by the tests of the distributions. */
#ifndef MAXK_TESTS_SUPPORT_DIST_CASES_H
#define MAXK_TESTS_SUPPORT_DIST_CASES_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributions/dist.h"

struct dist_case {
    const char *family; /* mixture, empirical: v[0] chooses one of those below */
    double v[4];
    const char *wrapper; /* NULL: none */
    double first, second;
};

static const struct dist_case dist_cases[] = {
    {"power", {3, 1.01}, NULL, 0, 0},
    {"power", {5, 1.1}, NULL, 0, 0},
    {"power", {0.1, 2}, NULL, 0, 0},
    {"power", {400, 0.99}, NULL, 0, 0},
    {"truncated_gaussian", {0.5, 0.2, 0, 1}, NULL, 0, 0},
    {"truncated_gaussian", {0.25, 0.5, 0, 1}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, -INFINITY, INFINITY}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, 0, INFINITY}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, 30, INFINITY}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, 30, 30.5}, NULL, 0, 0},
    {"truncated_gaussian", {2, 3, -INFINITY, -118}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, 1000, 1001}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, 1, 1.0001}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, -1e-6, 1e-6}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, -0.5, 40}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, -12, 0.25}, NULL, 0, 0},
    {"truncated_gaussian", {0, 1, 5, 9}, NULL, 0, 0},
    {"gaussian", {0, 1}, NULL, 0, 0},
    {"gaussian", {1, 3.35}, NULL, 0, 0},
    {"pareto", {2.1, 1}, NULL, 0, 0},
    {"pareto", {1.1, 1}, NULL, 0, 0},
    {"pareto", {0.7, 3}, NULL, 0, 0},
    {"pareto", {200, 1}, NULL, 0, 0},
    {"exponential", {NAN, 2.9}, NULL, 0, 0},
    {"exponential", {2.9, NAN}, NULL, 0, 0},
    {"negative_exponential", {NAN, 0.5}, NULL, 0, 0},
    {"negative_exponential", {3, NAN}, NULL, 0, 0},
    {"uniform", {0, 1}, NULL, 0, 0},
    {"uniform", {-3, 1e6}, NULL, 0, 0},
    {"beta", {2, 3}, NULL, 0, 0},
    {"beta", {0.5, 0.5}, NULL, 0, 0},
    {"beta", {0.05, 4}, NULL, 0, 0},
    {"beta", {30, 0.2}, NULL, 0, 0},
    {"beta", {1, 2.5}, NULL, 0, 0},
    {"beta", {3, 1}, NULL, 0, 0},
    {"beta", {300, 200}, NULL, 0, 0},
    {"skew_normal", {0, 0, 1}, NULL, 0, 0},
    {"skew_normal", {3, 1, 2}, NULL, 0, 0},
    {"skew_normal", {-20, 0.6, 0.2}, NULL, 0, 0},
    {"skew_normal", {1e6, 0, 1}, NULL, 0, 0},
    {"lognormal", {1, 4}, NULL, 0, 0},
    {"lognormal", {3.5, 0.5}, NULL, 0, 0},
    {"generalized_normal", {0.2, 0, 1}, NULL, 0, 0},
    {"generalized_normal", {1, 0, 1}, NULL, 0, 0},
    {"generalized_normal", {1.6, -2, 0.5}, NULL, 0, 0},
    {"generalized_normal", {2, 1, 3}, NULL, 0, 0},
    {"generalized_normal", {30, 0, 1}, NULL, 0, 0},
    {"weibull", {0.3, 1}, NULL, 0, 0},
    {"weibull", {1.5, 2}, NULL, 0, 0},
    {"weibull", {12, 2}, NULL, 0, 0},
    {"gev", {0, 0, 1}, NULL, 0, 0},
    {"gev", {0.3, 1, 2}, NULL, 0, 0},
    {"gev", {-0.4, 1, 2}, NULL, 0, 0},
    {"gev", {1e-9, 0, 1}, NULL, 0, 0},
    {"gev", {1.5, 0, 1}, NULL, 0, 0},
    {"gev", {-1.5, 0, 1}, NULL, 0, 0},
    {"generalized_pareto", {0, 0, 1}, NULL, 0, 0},
    {"generalized_pareto", {0.25, 1, 2}, NULL, 0, 0},
    {"generalized_pareto", {-0.5, 1, 2}, NULL, 0, 0},
    {"generalized_pareto", {-1e-9, 0, 1}, NULL, 0, 0},
    {"generalized_pareto", {1, 0, 1}, NULL, 0, 0},
    {"generalized_pareto", {-2, 0, 1}, NULL, 0, 0},
    {"generalized_pareto", {-1, 0, 1}, NULL, 0, 0},
    {"bernoulli", {0.3}, NULL, 0, 0},
    {"bernoulli", {1e-9}, NULL, 0, 0},
    {"bernoulli", {0}, NULL, 0, 0},
    {"bernoulli", {1}, NULL, 0, 0},
    {"dirac", {-2.5}, NULL, 0, 0},
    {"empirical", {0}, NULL, 0, 0},
    {"empirical", {1}, NULL, 0, 0},
    {"empirical", {2}, NULL, 0, 0},
    {"mixture", {0}, NULL, 0, 0},
    {"mixture", {1}, NULL, 0, 0},
    {"mixture", {2}, NULL, 0, 0},
    {"mixture", {3}, NULL, 0, 0},
    {"mixture", {4}, NULL, 0, 0},
    {"gaussian", {0, 1}, "truncated", 30, INFINITY},
    {"gaussian", {0, 1}, "truncated", -INFINITY, -20},
    {"pareto", {0.7, 1}, "truncated", 10, 1000},
    {"skew_normal", {-60, 0.1, 0.2}, "truncated", 0, 1},
    {"skew_normal", {-100, 1, 0.005}, "truncated", 0, 1},
    {"empirical", {0}, "truncated", 1, 3},
    {"mixture", {1}, "truncated", -0.5, 0.5},
    {"gaussian", {0, 1}, "clipped", -1, 2},
    {"pareto", {0.7, 1}, "clipped", -INFINITY, 100},
    {"bernoulli", {0.3}, "clipped", 0.25, 0.75},
    {"exponential", {NAN, 1}, "affine", 5, -2},
    {"pareto", {1.1, 1}, "affine", -3, 0.5},
    {"empirical", {0}, "affine", 1, -3},
    {"mixture", {1}, "affine", 0, -1},
    {"gaussian", {0, 1}, "affine", 100, 1e-3},
};

enum { N_DIST_CASES = sizeof dist_cases / sizeof *dist_cases };

static inline struct mk_dist *dist_simple(const char *family, double a, double b, double c, double d)
{
    struct mk_dist_spec spec = {.type = mk_dist_type_find(family), .v = {a, b, c, d}};
    struct mk_error err = {0};
    struct mk_dist *out = NULL;
    int param;
    if (!spec.type || mk_dist_new(&out, &spec, &param, &err)) {
        printf("not ok making %s: %s\n", family, err.text);
        exit(1);
    }
    return out;
}

static inline struct mk_dist *dist_lists(const char *family, size_t n, const double *values, size_t parts,
                                         struct mk_dist **part)
{
    struct mk_dist_spec spec = {
        .type = mk_dist_type_find(family), .n_values = n, .values = values, .n_parts = parts, .parts = part};
    struct mk_error err = {0};
    struct mk_dist *out = NULL;
    int param;
    if (mk_dist_new(&out, &spec, &param, &err)) {
        printf("not ok making %s: %s\n", family, err.text);
        exit(1);
    }
    return out;
}

static inline struct mk_dist *dist_mixture(int which)
{
    struct mk_dist *part[3];
    switch (which) {
    case 0: /* Baudry et al. 2022, experiment 2 */
        part[0] = dist_simple("dirac", 0, NAN, NAN, NAN);
        part[1] = dist_simple("pareto", 1.1, 1, NAN, NAN);
        return dist_lists("mixture", 2, (double[]){4, 1}, 2, part);
    case 1:
        part[0] = dist_simple("gaussian", -2, 0.5, NAN, NAN);
        part[1] = dist_simple("gaussian", 3, 1, NAN, NAN);
        return dist_lists("mixture", 2, (double[]){1, 1e-6}, 2, part);
    case 2: /* disjoint supports, atoms, a pole */
        part[0] = dist_simple("uniform", 0, 1, NAN, NAN);
        part[1] = dist_simple("bernoulli", 0.5, NAN, NAN, NAN);
        part[2] = dist_simple("weibull", 0.5, 1, NAN, NAN);
        return dist_lists("mixture", 3, (double[]){0.2, 0.3, 0.5}, 3, part);
    case 3: /* atoms only */
        part[0] = dist_lists("empirical", 3, (double[]){1, 2, 3}, 0, NULL);
        part[1] = dist_simple("bernoulli", 0.1, NAN, NAN, NAN);
        return dist_lists("mixture", 2, (double[]){1, 2}, 2, part);
    default: /* of equal components: the component itself */
        part[0] = dist_simple("exponential", NAN, 2, NAN, NAN);
        part[1] = dist_simple("exponential", 0.5, NAN, NAN, NAN);
        return dist_lists("mixture", 2, (double[]){1, 3}, 2, part);
    }
}

static inline struct mk_dist *dist_empirical(int which)
{
    static double many[1000];
    if (which == 0) return dist_lists("empirical", 7, (double[]){3, 1, 4, 1, 5, -2.5, 2}, 0, NULL);
    if (which == 1) return dist_lists("empirical", 1, (double[]){0.25}, 0, NULL);
    for (int i = 0; i < 1000; i++) many[i] = fmod(i * 0.61803398874989, 1);
    return dist_lists("empirical", 1000, many, 0, NULL);
}

static inline struct mk_dist *dist_case_make(size_t i)
{
    const struct dist_case *c = &dist_cases[i];
    struct mk_dist *d;
    if (strcmp(c->family, "mixture") == 0)
        d = dist_mixture((int)c->v[0]);
    else if (strcmp(c->family, "empirical") == 0)
        d = dist_empirical((int)c->v[0]);
    else
        d = dist_simple(c->family, c->v[0], c->v[1], c->v[2], c->v[3]);
    struct mk_error err;
    if (c->wrapper && mk_dist_wrap(&d, c->wrapper, c->first, c->second, NULL, &err)) {
        printf("not ok wrapping %s: %s\n", c->family, err.text);
        exit(1);
    }
    return d;
}

/* A short name for messages. */
static inline const char *dist_case_name(const struct mk_dist *d, char *out, size_t room)
{
    char *text = mk_dist_text(d);
    snprintf(out, room, "%.*s", 120, text ? text : "?");
    free(text);
    return out;
}

#endif

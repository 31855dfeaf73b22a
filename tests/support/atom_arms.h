/* Random mixtures with point masses below their top, as text of an experiment file, and where the masses are: worked
 * out independently of the text from its numbers, in the order in which a wrapper says that they are applied. */
#ifndef MAXK_TESTS_SUPPORT_ATOM_ARMS_H
#define MAXK_TESTS_SUPPORT_ATOM_ARMS_H

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/pcg64.h"

enum { ATOM_ARM_ROOM = 2000, ATOM_ARM_MOST = 16 };

struct atom_arm {
    char text[ATOM_ARM_ROOM];
    size_t used, n;
    double atom[ATOM_ARM_MOST]; /* [n], some perhaps without mass */
};

static inline double atom_arm_number(struct mk_pcg64 *g, double lo, double hi)
{
    char text[32];
    snprintf(text, sizeof text, "%.3f", lo + (hi - lo) * mk_uniform(g)); /* decimals, as people write them */
    return strtod(text, NULL);
}

static inline void atom_arm_print(struct atom_arm *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void atom_arm_print(struct atom_arm *a, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    a->used += (size_t)vsnprintf(a->text + a->used, sizeof a->text - a->used, format, arguments);
    va_end(arguments);
}

static inline void atom_arm_add(struct atom_arm *a, double x, double factor, double shift)
{
    if (a->n < ATOM_ARM_MOST) a->atom[a->n++] = shift + factor * x;
}

/* One component: its masses, wrapped. */
static inline void atom_arm_component(struct atom_arm *a, struct mk_pcg64 *g)
{
    double factor = atom_arm_number(g, 0.05, 1.5) * (mk_uniform_below(g, 3) ? 1 : -1);
    double shift = atom_arm_number(g, -1, 1), lo, hi;
    switch (mk_uniform_below(g, 6)) {
    case 0:
        lo = atom_arm_number(g, -1, 1);
        atom_arm_print(a, "{family: dirac, x: %.17g", lo);
        atom_arm_add(a, lo, factor, shift);
        break;
    case 1:
        atom_arm_print(a, "{family: bernoulli, p: %.3g", pow(10, -4 * mk_uniform(g)));
        atom_arm_add(a, 0, factor, shift);
        atom_arm_add(a, 1, factor, shift);
        break;
    case 2:
    case 3:
        lo = atom_arm_number(g, 0, 0.5);
        hi = lo + atom_arm_number(g, 0, 0.5);
        if (mk_uniform_below(g, 2))
            atom_arm_print(a, "{family: uniform, lo: 0, hi: 1, clip: [%.17g, %.17g]", lo, hi);
        else
            atom_arm_print(a, "{family: truncated_gaussian, mu: %.17g, sigma: 0.5, lo: 0, hi: 1, clip: [%.17g, %.17g]",
                           atom_arm_number(g, 0, 1.5), lo, hi);
        atom_arm_add(a, lo, factor, shift);
        atom_arm_add(a, hi, factor, shift);
        break;
    case 4:
        lo = atom_arm_number(g, -1, 1);
        hi = atom_arm_number(g, -1, 1);
        atom_arm_print(a, "{family: empirical, values: [%.17g, %.17g, %.17g]", lo, hi, lo);
        atom_arm_add(a, lo, factor, shift);
        atom_arm_add(a, hi, factor, shift);
        break;
    default: atom_arm_print(a, "{family: uniform, lo: -1, hi: 1"); break;
    }
    atom_arm_print(a, ", factor: %.17g, shift: %.17g}", factor, shift);
}

/* Wrappers around the whole: masses outside truncate vanish, those that a clip moves end at its bounds. */
static inline void atom_arm_wrap(struct atom_arm *a, struct mk_pcg64 *g)
{
    if (mk_uniform_below(g, 4) == 0)
        atom_arm_print(a, ", truncate: [%.17g, %.17g]", atom_arm_number(g, -3, -0.5), atom_arm_number(g, 0.5, 3));
    if (mk_uniform_below(g, 4) == 0) {
        double lo = atom_arm_number(g, -1, 0), hi = atom_arm_number(g, 0, 1);
        atom_arm_print(a, ", clip: [%.17g, %.17g]", lo, hi);
        for (size_t i = 0; i < a->n; i++) a->atom[i] = fmin(fmax(a->atom[i], lo), hi);
        if (a->n + 2 <= ATOM_ARM_MOST) {
            a->atom[a->n++] = lo;
            a->atom[a->n++] = hi;
        }
    }
    if (mk_uniform_below(g, 2) == 0) {
        double factor = atom_arm_number(g, 0.1, 3) * (mk_uniform_below(g, 3) ? 1 : -1),
               shift = atom_arm_number(g, -2, 2);
        atom_arm_print(a, ", factor: %.17g, shift: %.17g", factor, shift);
        for (size_t i = 0; i < a->n; i++) a->atom[i] = shift + factor * a->atom[i];
    }
}

static inline void atom_arm_draw(struct atom_arm *a, struct mk_pcg64 *g)
{
    const uint64_t parts = 2 + mk_uniform_below(g, 4);
    *a = (struct atom_arm){.n = 0};
    atom_arm_print(a, "{family: mixture, weights: [");
    for (uint64_t k = 0; k < parts; k++) atom_arm_print(a, "%s%.3g", k ? ", " : "", pow(10, -4 * mk_uniform(g)));
    atom_arm_print(a, "], components: [");
    for (uint64_t k = 0; k < parts; k++) {
        if (k) atom_arm_print(a, ", ");
        atom_arm_component(a, g);
    }
    atom_arm_print(a, "]");
    atom_arm_wrap(a, g);
    atom_arm_print(a, "}");
}

#endif

#include "sim/search/optimizers/parts/design.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_qrng.h>

#include "sim/base/error.h"

enum { SOBOL_DIMENSIONS = 40, ROUNDS = 6 };

/* ---- sequences ---- */

static const gsl_qrng_type *sequence_type(enum mk_design design, size_t d)
{
    return design == MK_DESIGN_SOBOL && d <= SOBOL_DIMENSIONS ? gsl_qrng_sobol : gsl_qrng_halton;
}

size_t mk_sequence_size(enum mk_design design, size_t d)
{
    return sequence_type(design, d)->state_size((unsigned)d);
}

void mk_sequence_init(void *state, enum mk_design design, size_t d)
{
    sequence_type(design, d)->init_state(state, (unsigned)d);
}

void mk_sequence_next(void *state, enum mk_design design, size_t d, struct mk_key key, double *u)
{
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(key, "shift"));
    sequence_type(design, d)->get(state, (unsigned)d, u);
    for (size_t j = 0; j < d; j++) {
        u[j] += mk_uniform(&rng);
        if (u[j] >= 1) u[j] -= 1;
    }
}

/* ---- Latin hypercubes ---- */

/* Six rounds on the 2 * half bits that n - 1 needs, repeated until the result is below n. */
uint64_t mk_permute(uint64_t i, uint64_t n, struct mk_key key)
{
    unsigned half = 1;
    while (half < 32 && (UINT64_C(1) << 2 * half) < n) half++;
    const uint64_t mask = (UINT64_C(1) << half) - 1;
    do {
        uint64_t left = i >> half, right = i & mask;
        for (uint64_t round = 0; round < ROUNDS; round++) {
            const uint64_t next = left ^ (mk_key_word(key, right << 3 | round).lane[0] & mask);
            left = right;
            right = next;
        }
        i = left << half | right;
    } while (i >= n);
    return i;
}

void mk_latin_hypercube(uint64_t i, uint64_t n, size_t d, struct mk_key key, struct mk_pcg64 *rng, double *u)
{
    const struct mk_key slices = mk_key_text(key, "slices");
    for (size_t j = 0; j < d; j++)
        u[j] = ((double)mk_permute(i, n, mk_key_word(slices, j)) + mk_uniform(rng)) / (double)n;
}

void mk_take_point(struct mk_ask *a, const double *u, double *v)
{
    mk_space_from_unit(a->space, u, v);
    if (!mk_space_allows(a->space, v)) mk_space_sample(a->space, &a->rng, v);
}

/* ---- combinations of choices ---- */

/* Goes through the combinations from place k of the order on, their words in v, others NaN; ends with combination
 * *left, or counts them down from it. */
static bool walk(const struct mk_space *s, size_t k, double *v, uint64_t *left)
{
    while (k < s->n && !(s->hyper[s->order[k]].choice && mk_space_active(s, v, s->order[k]))) k++;
    if (k == s->n) return (*left)-- == 0;
    const size_t at = s->order[k];
    for (size_t w = 0; w < s->hyper[at].n_words; w++) {
        v[at] = (double)w;
        if (walk(s, k + 1, v, left)) return true;
    }
    v[at] = NAN;
    return false;
}

uint64_t mk_combination_count(const struct mk_space *s)
{
    uint64_t left = MK_MOST_COMBINATIONS - 1;
    double *v = malloc(s->n * sizeof *v);
    for (size_t i = 0; v && i < s->n; i++) v[i] = NAN;
    const bool more = !v || walk(s, 0, v, &left);
    free(v);
    return more ? MK_MOST_COMBINATIONS : MK_MOST_COMBINATIONS - 1 - left;
}

/* Configuration i of the design. */
static int take_combination(struct mk_ask *a, uint64_t i, double *v, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    const uint64_t n = mk_combination_count(s);
    double *word = malloc(s->n * sizeof *word);
    uint64_t left = mk_permute(i % n, n, mk_key_word(mk_key_text(a->key, "combinations"), i / n));
    if (!word) return mk_fail_memory(err, "an initial design");
    for (size_t j = 0; j < s->n; j++) word[j] = NAN;
    walk(s, 0, word, &left);
    bool allowed = false;
    for (int try = 0; try < MK_SPACE_TRIES && !allowed && !s->n_rows; try++) {
        for (size_t j = 0; j < s->n; j++) v[j] = NAN;
        for (size_t k = 0; k < s->n; k++) {
            const size_t at = s->order[k];
            if (!mk_space_active(s, v, at)) continue;
            v[at] = isnan(word[at]) ? mk_hyper_value(&s->hyper[at], mk_uniform(&a->rng)) : word[at];
        }
        allowed = mk_space_allows(s, v);
    }
    if (!allowed) mk_space_sample(s, &a->rng, v);
    free(word);
    return MK_OK;
}

/* ---- initial designs ---- */

/* Measured configurations have no default. */
static size_t count_defaults(const struct mk_space *s, const double *init)
{
    if (init[MK_INIT_DEFAULTS] == 0 || s->n_rows) return 0;
    return s->hyper[0].choice ? s->hyper[0].n_words : 1;
}

size_t mk_initial_size(const struct mk_ask *a, const double *init, uint64_t count)
{
    return count_defaults(a->space, init) + (size_t)count;
}

/* The default configuration, with word i of the choice that comes first. */
static void take_default(const struct mk_space *s, size_t i, double *v)
{
    mk_space_default(s, v);
    if (s->hyper[0].choice) v[0] = (double)i;
    mk_space_complete(s, v);
}

static int take_sequence(struct mk_ask *a, enum mk_design design, uint64_t i, double *v, struct mk_error *err)
{
    const size_t d = a->space->n;
    double *u = malloc(d * sizeof *u);
    void *state = malloc(mk_sequence_size(design, d));
    int code = u && state ? MK_OK : mk_fail_memory(err, "an initial design");
    if (!code) {
        mk_sequence_init(state, design, d);
        for (uint64_t k = 0; k <= i; k++) mk_sequence_next(state, design, d, a->key, u);
        mk_take_point(a, u, v);
    }
    free(u);
    free(state);
    return code;
}

int mk_initial_design(struct mk_ask *a, const double *init, uint64_t count, double *v, bool *served,
                      struct mk_error *err)
{
    const size_t defaults = count_defaults(a->space, init);
    const enum mk_design design = (enum mk_design)init[MK_INIT_DESIGN];
    uint64_t i = a->trials->n;
    *served = i < defaults + count;
    if (!*served) return MK_OK;
    if (i < defaults) {
        take_default(a->space, i, v);
        return MK_OK;
    }
    i -= defaults;
    if (design == MK_DESIGN_SOBOL || design == MK_DESIGN_HALTON) return take_sequence(a, design, i, v, err);
    if (design == MK_DESIGN_COMBINATIONAL) return take_combination(a, i, v, err);
    if (design == MK_DESIGN_LHS) {
        mk_latin_hypercube(i, count, a->space->n, a->key, &a->rng, v);
        mk_take_point(a, v, v);
        return MK_OK;
    }
    mk_space_sample(a->space, &a->rng, v);
    return MK_OK;
}

int mk_check_modelled(const struct mk_ask *a, const char *name, size_t initial, struct mk_error *err)
{
    if (a->trials->n < initial)
        return mk_fail(
            err, MK_EINPUT,
            "%s: it has no model yet, its next configuration is one of its initial design; expected at least "
            "%zu evaluations, got %zu",
            name, initial, a->trials->n);
    return mk_trials_known(a->trials)
               ? MK_OK
               : mk_fail(err, MK_EINPUT, "%s: it has no model, for no trial has succeeded", name);
}

#include "analysis/compare/best_set.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/error.h"
#include "sim/base/pcg64.h"

enum { MOST_EXACT = 13, DRAWN = 10000 };

/* Differences this small are none; flips whose statistics agree with the observed one but for rounding count as
 * reaching it. */
static const double tolerance = 1e-8, rounding = 1e-7;

struct flipping {
    const double *loss; /* [n][k] */
    size_t n, k, tests; /* a test of every candidate, of one, or of one with every unit left out */
    size_t only;        /* that one; k: none */
    bool leaves_out;
    uint64_t flips, seed;
    double *scale;    /* [test][k] */
    double *observed; /* [test] */
};

/* sign[n] of flip b, the first of which is the observation: bits of b itself, or drawn. sum[k]: of the losses. */
static void sums(const struct flipping *w, uint64_t b, double *sign, double *sum)
{
    struct mk_pcg64 rng;
    uint64_t bits = b;
    if (w->n > MOST_EXACT) mk_pcg64_from_key(&rng, mk_key_word(mk_key_word(mk_key_start(), w->seed), b));
    for (size_t c = 0; c < w->k; c++) sum[c] = 0;
    for (size_t i = 0; i < w->n; i++, bits >>= 1) {
        if (w->n > MOST_EXACT && i % 64 == 0) bits = b ? mk_pcg64_next(&rng) : 0;
        sign[i] = bits & 1 ? -1 : 1;
        for (size_t c = 0; c < w->k; c++) sum[c] += sign[i] * w->loss[i * w->k + c];
    }
}

/* 1 / sqrt(sum d^2) of two candidates over all units but one (`without` = n: over all); 0 where they are equal. */
static double scale_of(const struct flipping *w, size_t c, size_t j, size_t without)
{
    double squares = 0, most = 0;
    for (size_t i = 0; i < w->n; i++) {
        const double d = i == without ? 0 : w->loss[i * w->k + c] - w->loss[i * w->k + j];
        squares += d * d;
        most = fmax(most, fabs(d));
    }
    return most > tolerance ? 1 / sqrt(squares) : 0;
}

static size_t candidate_of(const struct flipping *w, size_t test)
{
    return w->only < w->k ? w->only : test;
}

/* The statistic of a test: of candidate `at` of all, or candidate w->only, with unit `at` left out if any is. */
static double statistic(const struct flipping *w, const double *sign, const double *sum, size_t at)
{
    const size_t c = candidate_of(w, at);
    double most = -INFINITY;
    for (size_t j = 0; j < w->k; j++) {
        if (j == c) continue;
        const double *loss = w->loss + at * w->k;
        const double own = w->leaves_out ? sign[at] * (loss[c] - loss[j]) : 0;
        most = fmax(most, (sum[c] - sum[j] - own) * w->scale[at * w->k + j]);
    }
    return most;
}

/* Counts are whole, so that their sums do not depend on the number of threads. */
static bool count(const struct flipping *w, uint64_t *reached)
{
    bool failed = false;
#pragma omp parallel reduction(|| : failed)
    {
        double *sign = malloc((w->n + w->k) * sizeof *sign), *sum = sign + w->n;
        failed = !sign;
#pragma omp for schedule(static)
        for (uint64_t b = 0; b < w->flips; b++) {
            if (failed) continue;
            sums(w, b, sign, sum);
            for (size_t at = 0; at < w->tests; at++) {
                if (statistic(w, sign, sum, at) < w->observed[at] - rounding) continue;
#pragma omp atomic
                reached[at]++;
            }
        }
        free(sign);
    }
    return !failed;
}

static int test(struct flipping *w, double *p, struct mk_error *err)
{
    const size_t least = w->leaves_out ? 3 : 2; /* units, of which one may be left out */
    w->flips = w->n > MOST_EXACT ? DRAWN : (uint64_t)1 << w->n;
    uint64_t *reached = calloc(w->tests + 1, sizeof *reached);
    double *sign = malloc((w->n + w->k + 1) * sizeof *sign), *sum = sign + w->n;
    w->scale = malloc((w->tests * w->k + 1) * sizeof *w->scale);
    w->observed = malloc((w->tests + 1) * sizeof *w->observed);
    bool good = reached && sign && w->scale && w->observed;
    if (good) sums(w, 0, sign, sum);
    for (size_t at = 0; good && at < w->tests; at++) {
        for (size_t j = 0; j < w->k; j++)
            w->scale[at * w->k + j] = scale_of(w, candidate_of(w, at), j, w->leaves_out ? at : w->n);
        w->observed[at] = statistic(w, sign, sum, at);
    }
    good = good && count(w, reached);
    for (size_t at = 0; good && at < w->tests; at++)
        p[at] = w->n < least ? NAN : (double)reached[at] / (double)w->flips;
    free(reached);
    free(sign);
    free(w->scale);
    free(w->observed);
    return good ? MK_OK : mk_fail_memory(err, "tests");
}

int mk_best_set(const double *loss, size_t n, size_t k, uint64_t seed, double *p, struct mk_error *err)
{
    struct flipping w = {.loss = loss, .n = n, .k = k, .tests = k, .only = k, .seed = seed};
    return test(&w, p, err);
}

int mk_best_of(const double *loss, size_t n, size_t k, size_t c, uint64_t seed, double *p, struct mk_error *err)
{
    struct flipping w = {.loss = loss, .n = n, .k = k, .tests = 1, .only = c, .seed = seed};
    return test(&w, p, err);
}

int mk_best_left_out(const double *loss, size_t n, size_t k, size_t c, uint64_t seed, double *p, struct mk_error *err)
{
    struct flipping w = {.loss = loss, .n = n, .k = k, .tests = n, .only = c, .leaves_out = true, .seed = seed};
    return test(&w, p, err);
}

int mk_flip_test(const double *a, const double *b, size_t n, uint64_t seed, double *p, struct mk_error *err)
{
    double one_sided[2] = {NAN, NAN}, *both = malloc((2 * n + 1) * sizeof *both);
    int code = both ? MK_OK : mk_fail_memory(err, "tests");
    for (size_t i = 0; i < n && !code; i++) {
        both[2 * i] = a[i];
        both[2 * i + 1] = b[i];
    }
    if (!code) code = mk_best_set(both, n, 2, seed, one_sided, err);
    *p = n < 2 ? NAN : fmin(1, 2 * fmin(one_sided[0], one_sided[1]));
    free(both);
    return code;
}

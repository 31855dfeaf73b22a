#include "sim/search/optimizers/parts/race_model.h"

#include <math.h>
#include <string.h>

#include "sim/search/models/parzen.h"

enum { CENTRE, DEVIATION, OF_NUMBER }; /* of a hyperparameter with an order */
enum { TRIES = 100 };                  /* at a configuration that is not forbidden, as irace */

static const double similar = 1e-4, most_base = 0.2, unit = 1e4;

static size_t length_of(const struct mk_hyper *h)
{
    return mk_hyper_is_ordered(h) ? OF_NUMBER : h->n_words;
}

size_t mk_race_model_length(const struct mk_space *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += length_of(&s->hyper[i]);
    return n;
}

double mk_race_model_variables(const struct mk_space *s)
{
    double n = 0;
    for (size_t i = 0; i < s->n; i++) n += s->hyper[i].levels != 1;
    return fmax(n, 1);
}

/* Half the range; ordinals: of n cells n - 1 steps. */
static double first_deviation(const struct mk_hyper *h)
{
    return isfinite(h->levels) && !h->log ? 0.5 * (h->levels - 1) / h->levels : 0.5;
}

void mk_race_model_start(const struct mk_space *s, double *model)
{
    for (size_t i = 0; i < s->n; i++, model += length_of(&s->hyper[i - 1])) {
        const struct mk_hyper *h = &s->hyper[i];
        if (mk_hyper_is_ordered(h)) {
            model[CENTRE] = NAN;
            model[DEVIATION] = first_deviation(h);
        } else
            for (size_t w = 0; w < h->n_words; w++) model[w] = 1 / (double)h->n_words;
    }
}

static void normalise(double *p, size_t n)
{
    double sum = 0;
    for (size_t w = 0; w < n; w++) sum += p[w];
    for (size_t w = 0; w < n; w++) p[w] /= sum;
}

void mk_race_model_update(const struct mk_space *s, double *model, const double *v, unsigned j, unsigned races,
                          double fresh)
{
    const double d = mk_race_model_variables(s), share = (j - 1) / (double)races, most = pow(most_base, 1 / d);
    for (size_t i = 0; i < s->n; i++, model += length_of(&s->hyper[i - 1])) {
        const struct mk_hyper *h = &s->hyper[i];
        if (mk_hyper_is_ordered(h)) {
            if (!isnan(v[i]) || h->kind == MK_HYPER_ORDINAL) model[CENTRE] = mk_hyper_unit(h, v[i]);
            model[DEVIATION] *= pow(1 / fresh, 1 / d);
            continue;
        }
        if (isnan(v[i])) continue;
        for (size_t w = 0; w < h->n_words; w++) model[w] *= 1 - share;
        model[(size_t)v[i]] += share;
        normalise(model, h->n_words);
        for (size_t w = 0; w < h->n_words; w++) model[w] = fmin(model[w], most);
        normalise(model, h->n_words);
    }
}

static double draw_word(const double *p, size_t n, double u)
{
    size_t w = 0;
    for (double sum = p[0]; w + 1 < n && !(u < sum); sum += p[++w]) {
    }
    return (double)w;
}

/* Values of what is active, given what is active above it. */
static void draw(const struct mk_space *s, const double *model, struct mk_pcg64 *rng, double *v)
{
    for (size_t i = 0; i < s->n; i++) v[i] = NAN;
    for (size_t k = 0; k < s->n; k++) {
        const size_t i = s->order[k];
        const struct mk_hyper *h = &s->hyper[i];
        const double *m = model;
        if (!mk_space_active(s, v, i)) continue;
        for (size_t j = 0; j < i; j++) m += length_of(&s->hyper[j]);
        const double u = mk_uniform(rng);
        if (!mk_hyper_is_ordered(h))
            v[i] = draw_word(m, h->n_words, u);
        else
            v[i] = mk_hyper_value(h, isnan(m[CENTRE]) ? u : mk_truncated_normal(m[CENTRE], m[DEVIATION], u));
    }
}

void mk_race_model_sample(const struct mk_space *s, const double *model, struct mk_pcg64 *rng, double *v)
{
    for (int i = 0; i < TRIES; i++) {
        draw(s, model, rng, v);
        if (mk_space_allows(s, v)) return;
    }
    mk_space_sample(s, rng, v);
}

void mk_race_model_widen(const struct mk_space *s, double *model, double fresh)
{
    const double d = mk_race_model_variables(s);
    for (size_t i = 0; i < s->n; i++, model += length_of(&s->hyper[i - 1])) {
        const struct mk_hyper *h = &s->hyper[i];
        if (mk_hyper_is_ordered(h)) {
            model[DEVIATION] = fmin(model[DEVIATION] * pow(fresh, 2 / d), first_deviation(h) * pow(1 / fresh, 1 / d));
            continue;
        }
        double most = 0;
        for (size_t w = 0; w < h->n_words; w++) most = fmax(most, model[w]);
        for (size_t w = 0; w < h->n_words; w++) model[w] = 0.9 * model[w] + 0.1 * most;
        normalise(model, h->n_words);
    }
}

bool mk_race_similar(const struct mk_space *s, const double *a, const double *b)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_hyper *h = &s->hyper[i];
        if (isnan(a[i]) || isnan(b[i])) {
            if (isnan(a[i]) != isnan(b[i])) return false;
        } else if (mk_hyper_is_word(h) ? a[i] != b[i] : fabs(mk_hyper_unit(h, a[i]) - mk_hyper_unit(h, b[i])) > similar)
            return false;
    }
    return true;
}

static double to_digits(double x)
{
    return rint(x * unit) / unit;
}

void mk_race_round(const struct mk_space *s, double *v)
{
    for (size_t k = 0; k < s->n; k++) {
        const size_t i = s->order[k];
        const struct mk_hyper *h = &s->hyper[i];
        const bool rounds =
            h->kind == MK_HYPER_REAL && !(h->step > 0) && to_digits(h->lo) == h->lo && to_digits(h->hi) == h->hi;
        if (rounds && !isnan(v[i])) v[i] = to_digits(v[i]);
    }
    mk_space_complete(s, v);
}

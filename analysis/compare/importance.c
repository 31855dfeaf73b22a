#include "analysis/compare/importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/pcg64.h"
#include "sim/search/models/fanova.h"
#include "sim/search/space/space_read.h"

enum { TREES = 64 };

void mk_importance_clear(struct mk_importance *m)
{
    mk_forest_free(&m->forest);
    free(m->hyper);
    free(m->share);
    free(m->deviation);
    free(m->feature);
    free(m->x);
    free(m->y);
    free(m->pair);
    *m = (struct mk_importance){0};
}

static int read_unit(const struct mk_space *space, const char *text, double *u, struct mk_error *err)
{
    int code = mk_space_read_configuration(space, "configuration", text, strlen(text), u, err);
    if (!code) mk_space_to_unit(space, u, u);
    return code;
}

static int read_trials(struct mk_importance *m, const struct mk_study_files *s, size_t k, struct mk_error *err)
{
    const struct mk_space *space = s->space[k];
    int code = MK_OK;
    m->x = calloc(s->n * space->n + 1, sizeof *m->x);
    m->y = calloc(s->n + 1, sizeof *m->y);
    if (!m->x || !m->y) return mk_fail_memory(err, "the importance of hyperparameters");
    for (size_t i = 0; i < s->n && !code; i++) {
        const struct mk_study_row *t = &s->trial[i];
        if (t->arm != k || !t->whole) continue;
        const char *text = mk_table_texts(s->trials, MK_TRIALS_CONFIGURATION)[t->row];
        code = read_unit(space, text, m->x + m->trials * space->n, err);
        m->y[m->trials++] = t->value;
    }
    return code;
}

/* Hyperparameters of one value are no features. */
static int choose(struct mk_importance *m, const struct mk_space *space, struct mk_error *err)
{
    m->hyper = calloc(space->n + 1, sizeof *m->hyper);
    m->feature = calloc(space->n + 1, sizeof *m->feature);
    m->share = calloc(space->n + 1, sizeof *m->share);
    m->deviation = calloc(space->n + 1, sizeof *m->deviation);
    if (!m->hyper || !m->feature || !m->share || !m->deviation)
        return mk_fail_memory(err, "the importance of hyperparameters");
    for (size_t i = 0; i < space->n && m->trials >= MK_IMPORTANCE_TRIALS; i++)
        if (space->hyper[i].levels > 1) m->hyper[m->n++] = i;
    for (size_t j = 0; j < m->n; j++) m->feature[j] = j;
    return MK_OK;
}

/* Columns of the features, m->n of them, and how many words each has. */
static int make_features(const struct mk_importance *m, const struct mk_space *space, double *column, size_t *words,
                         struct mk_error *err)
{
    double *usual = calloc(space->n, sizeof *usual);
    if (!usual) return mk_fail_memory(err, "the importance of hyperparameters");
    for (size_t i = 0; i < space->n; i++) usual[i] = space->hyper[i].def;
    mk_space_to_unit(space, usual, usual);
    for (size_t j = 0; j < m->n; j++) {
        const struct mk_hyper *h = &space->hyper[m->hyper[j]];
        words[j] = mk_importance_is_words(h) ? h->n_words : 0;
        for (size_t i = 0; i < m->trials; i++) {
            const double own = m->x[i * space->n + m->hyper[j]], u = isnan(own) ? usual[m->hyper[j]] : own;
            column[j * m->trials + i] = words[j] ? mk_hyper_value(h, u) : u;
        }
    }
    free(usual);
    return MK_OK;
}

static int by_share(const void *left, const void *right)
{
    const struct mk_importance_pair *a = left, *b = right;
    if (a->share != b->share) return a->share < b->share ? 1 : -1;
    if (a->first != b->first) return a->first < b->first ? -1 : 1;
    return (a->second > b->second) - (a->second < b->second);
}

/* The shares of the forest: alone, of pairs, and what is left. */
static int take_shares(struct mk_importance *m, struct mk_error *err)
{
    const size_t n = m->n;
    const bool pairs = m->trials <= MK_IMPORTANCE_PAIR_TRIALS;
    double *pair = pairs ? calloc(2 * n * n, sizeof *pair) : NULL, *deviation = pairs ? pair + n * n : NULL;
    m->pair = calloc(n * (n - 1) / 2 + 1, sizeof *m->pair);
    int code = (pair || !pairs) && m->pair ? MK_OK : mk_fail_memory(err, "the importance of hyperparameters");
    if (!code) code = mk_fanova(&m->forest, m->share, m->deviation, pair, deviation, err);
    m->rest = pairs ? 1 : NAN;
    for (size_t j = 0; j < n && !code; j++) {
        m->rest -= m->share[j];
        for (size_t k = j + 1; k < n && pairs; k++) {
            m->pair[m->n_pairs++] =
                (struct mk_importance_pair){m->hyper[j], m->hyper[k], pair[j * n + k], deviation[j * n + k]};
            m->rest -= pair[j * n + k];
        }
    }
    if (m->n_pairs && !isnan(m->rest)) qsort(m->pair, m->n_pairs, sizeof *m->pair, by_share);
    free(pair);
    return code;
}

static int fit(struct mk_importance *m, const struct mk_study_files *s, size_t k, struct mk_error *err)
{
    const struct mk_forest_options o = {TREES, m->n, 2, 1, true, false, false};
    double *column = calloc(m->n * m->trials, sizeof *column);
    size_t *words = calloc(m->n, sizeof *words);
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_text(mk_key_text(mk_key_start(), "importance"), s->arm[k]));
    int code = column && words ? make_features(m, s->space[k], column, words, err)
                               : mk_fail_memory(err, "the importance of hyperparameters");
    if (!code) code = mk_forest_fit_words(&m->forest, &o, words, column, m->trials, m->n, m->y, m->trials, &rng, err);
    if (!code) code = take_shares(m, err);
    free(column);
    free(words);
    return code;
}

/* The most important first; equal ones in the order of the space. */
static void sort(struct mk_importance *m)
{
    for (size_t i = 1; i < m->n; i++)
        for (size_t j = i; j > 0 && m->share[j] > m->share[j - 1]; j--) {
            const double share = m->share[j], deviation = m->deviation[j];
            const size_t hyper = m->hyper[j], feature = m->feature[j];
            m->share[j] = m->share[j - 1];
            m->deviation[j] = m->deviation[j - 1];
            m->hyper[j] = m->hyper[j - 1];
            m->feature[j] = m->feature[j - 1];
            m->share[j - 1] = share;
            m->deviation[j - 1] = deviation;
            m->hyper[j - 1] = hyper;
            m->feature[j - 1] = feature;
        }
}

int mk_importance_of(struct mk_importance *m, const struct mk_study_files *s, size_t k, struct mk_error *err)
{
    *m = (struct mk_importance){0};
    if (!s->space[k]) return MK_OK;
    int code = read_trials(m, s, k, err);
    if (!code) code = choose(m, s->space[k], err);
    if (!code && m->n) code = fit(m, s, k, err);
    if (!code) sort(m);
    return code;
}

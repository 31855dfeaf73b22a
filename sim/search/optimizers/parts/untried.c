#include "sim/search/optimizers/parts/untried.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

/* Among as many allowed configurations as there are trials and one more, one is untried; at least 1 in 1000 is allowed.
 */
static const double tries_per_trial = 1e4;

/* Hyperparameters from place k of the order on get their first values; those with a continuum are drawn. */
static void restart(struct mk_ask *a, size_t k, double *v)
{
    for (; k < a->space->n; k++) {
        const size_t at = a->space->order[k];
        const struct mk_hyper *h = &a->space->hyper[at];
        v[at] = !mk_space_active(a->space, v, at) ? NAN
                : isfinite(h->levels)             ? h->lo
                                                  : mk_hyper_value(h, mk_uniform(&a->rng));
    }
}

/* To the next configuration; false: it is the first again. */
static bool advance(struct mk_ask *a, double *v)
{
    const struct mk_space *s = a->space;
    for (size_t k = s->n; k-- > 0;) {
        const size_t at = s->order[k];
        const struct mk_hyper *h = &s->hyper[at];
        const double level = isnan(v[at]) || !isfinite(h->levels) ? INFINITY : mk_hyper_level(h, v[at]) + 1;
        if (!(level < h->levels)) continue;
        v[at] = mk_hyper_at_level(h, level);
        restart(a, k + 1, v);
        return true;
    }
    restart(a, 0, v);
    return false;
}

static int draw_row(struct mk_ask *a, double *v, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    size_t *open = malloc(s->n_rows * sizeof *open);
    if (!open) return mk_fail_memory(err, "untried configurations");
    const size_t row = open[mk_uniform_below(&a->rng, mk_trials_open_rows(a->trials, open))];
    memcpy(v, s->row + row * s->n, s->n * sizeof *v);
    free(open);
    return MK_OK;
}

int mk_draw_untried(struct mk_ask *a, double *v, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    const double most = tries_per_trial * ((double)a->trials->n + 1);
    int rounds = 0;
    if (s->n_rows) return draw_row(a, v, err);
    for (int i = 0; i < MK_UNTRIED_DRAWS; i++) {
        mk_space_sample(s, &a->rng, v);
        if (!mk_trials_has(a->trials, v)) return MK_OK;
    }
    for (double tries = 0; tries < most && rounds < 2; tries++) {
        rounds += !advance(a, v);
        if (mk_space_allows(s, v) && !mk_trials_has(a->trials, v)) return MK_OK;
    }
    mk_space_sample(s, &a->rng, v);
    return MK_OK;
}

int mk_keep_untried(struct mk_ask *a, double *v, struct mk_error *err)
{
    return mk_trials_has(a->trials, v) ? mk_draw_untried(a, v, err) : MK_OK;
}

int mk_take_nearest_row(struct mk_ask *a, double *v, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    size_t *open = malloc(s->n_rows * sizeof *open);
    double *u = malloc(2 * s->n * sizeof *u), *w = u + s->n;
    int code = open && u ? MK_OK : mk_fail_memory(err, "untried configurations");
    double nearest = INFINITY;
    size_t best = 0;
    const size_t n = code ? 0 : mk_trials_open_rows(a->trials, open);
    if (!code) mk_space_to_unit(s, v, u);
    for (size_t i = 0; i < n; i++) {
        mk_space_to_unit(s, s->row + open[i] * s->n, w);
        const double distance = mk_space_distance(s, u, w, nearest);
        if (distance >= nearest) continue;
        nearest = distance;
        best = open[i];
    }
    if (!code) memcpy(v, s->row + best * s->n, s->n * sizeof *v);
    free(open);
    free(u);
    return code;
}

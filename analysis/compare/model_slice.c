#include "analysis/compare/model_slice.h"

#include <math.h>
#include <stdlib.h>

#include "sim/base/error.h"

void mk_model_slice_clear(struct mk_model_slice *s)
{
    free(s->through);
    free(s->v);
    free(s->view.at);
    free(s->view.target);
    free(s->view.length);
}

static int reserve(struct mk_model_slice *s, size_t points, struct mk_error *err)
{
    const size_t d = s->space->n, all = points + s->trials->n + 1;
    s->through = malloc(d * sizeof *s->through);
    s->v = malloc(all * d * sizeof *s->v);
    s->view.at = malloc(all * sizeof *s->view.at);
    s->view.target = malloc((s->trials->n + 1) * sizeof *s->view.target);
    s->view.length = malloc(d * sizeof *s->view.length);
    const bool good = s->through && s->v && s->view.at && s->view.target && s->view.length;
    return good ? MK_OK : mk_fail_memory(err, "a model");
}

/* The successful trial with the largest reward, the first of equal ones. There is one where there is a model. */
static const double *best_configuration(const struct mk_trials *t)
{
    size_t best = t->told;
    for (size_t i = 0; i < t->told; i++)
        if (t->status[i] == MK_TRIAL_OK && (best == t->told || t->reward[i] > t->reward[best])) best = i;
    return best < t->told ? t->v + best * t->space->n : NULL;
}

/* Value i of n along the hyperparameter. */
static double value_at(const struct mk_hyper *h, size_t i, size_t n)
{
    if (mk_hyper_is_word(h)) return (double)i;
    if (h->levels <= (double)n) return mk_hyper_at_level(h, (double)i);
    return mk_hyper_value(h, (double)i / (double)(n - 1));
}

static void place_points(struct mk_model_slice *s, size_t points)
{
    const struct mk_hyper *h = &s->space->hyper[s->hyper];
    const size_t d = s->space->n;
    s->n = 0;
    for (size_t i = 0; i < points; i++) {
        const double x = value_at(h, i, points);
        if (s->n && x == s->v[(s->n - 1) * d + s->hyper]) continue; /* points between two whole numbers */
        s->n += mk_space_with(s->space, s->through, s->hyper, x, s->v + s->n * d);
    }
}

int mk_model_slice_of(struct mk_model_slice *s, struct mk_optimizer *o, size_t hyper, size_t points,
                      enum mk_slice_through through, struct mk_error *err)
{
    const struct mk_space *space = o->ask.space;
    const struct mk_hyper *h = &space->hyper[hyper];
    const size_t d = space->n, n = h->levels < (double)points ? (size_t)h->levels : points;
    *s = (struct mk_model_slice){.space = space, .trials = &o->trials, .hyper = hyper};
    int code = reserve(s, n, err);
    if (!code) code = mk_optimizer_view(o, s->through, &s->view, err); /* the proposal alone */
    if (code) return code;
    double *proposal = s->v + n * d;
    memcpy(proposal, s->through, d * sizeof *proposal);
    if (through == MK_SLICE_BEST) memcpy(s->through, best_configuration(s->trials), d * sizeof *s->through);
    if (isnan(s->through[hyper]))
        return mk_fail(err, MK_EINPUT, "%s: inactive in the configuration that the curve would go through", h->name);
    place_points(s, n);
    memmove(s->v + (s->n + s->trials->n) * d, proposal, d * sizeof *proposal);
    memcpy(s->v + s->n * d, s->trials->v, s->trials->n * d * sizeof *s->v);
    s->view.v = s->v;
    s->view.n = s->n + s->trials->n + 1;
    return mk_optimizer_view(o, s->v + (s->view.n - 1) * d, &s->view, err);
}

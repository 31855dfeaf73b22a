#include "sim/search/models/gp_ascent.h"

#include <gsl/gsl_multimin.h>

#include "sim/base/error.h"

/* How near the edges an ascent starts: on them the gradient in t is 0. */
static const double margin = 1e-3;

double mk_gp_acquire(const struct mk_gp_rule *r, const double *p, double *gradient, struct mk_gp_work *w)
{
    double mean, variance, of_mean, of_sd;
    mk_gp_predict(r->g, r->theta, r->x, r->stride, r->n, r->l, r->alpha, p, &mean, &variance, gradient, w);
    if (gradient) {
        const double sd = sqrt(fmax(variance, 1e-300));
        mk_acquisition_gradient(r->acquisition, mean, sd, r->best, r->xi, &of_mean, &of_sd);
        for (size_t i = 0; i < r->g->d; i++)
            gradient[i] = of_mean * gradient[i] + of_sd * gradient[r->g->d + i] / (2 * sd);
    }
    return mk_acquisition_value(r->acquisition, mean, sqrt(variance), r->best, r->xi);
}

struct ascent {
    const struct mk_gp_rule *rule;
    const size_t *moving;
    double *p, *gradient;
    struct mk_gp_work *work;
};

/* Minus the acquisition where the moving inputs of p are (1 + sin t) / 2. */
static void descend(const gsl_vector *t, void *with, double *value, gsl_vector *gradient)
{
    const struct ascent *a = with;
    for (size_t i = 0; i < t->size; i++) a->p[a->moving[i]] = 0.5 + 0.5 * sin(gsl_vector_get(t, i));
    *value = -mk_gp_acquire(a->rule, a->p, gradient ? a->gradient : NULL, a->work);
    if (!isfinite(*value)) *value = 1e300;
    for (size_t i = 0; gradient && i < t->size; i++) {
        const double slope = -a->gradient[a->moving[i]] * 0.5 * cos(gsl_vector_get(t, i));
        gsl_vector_set(gradient, i, isfinite(slope) ? slope : 0);
    }
}

static double descend_value(const gsl_vector *t, void *with)
{
    double value;
    descend(t, with, &value, NULL);
    return value;
}

static void descend_gradient(const gsl_vector *t, void *with, gsl_vector *gradient)
{
    double value;
    descend(t, with, &value, gradient);
}

int mk_gp_ascend(const struct mk_gp_rule *r, double *p, const size_t *moving, size_t m, int steps, double *gradient,
                 struct mk_gp_work *w, struct mk_error *err)
{
    struct ascent ascent = {r, moving, p, gradient, w};
    gsl_multimin_function_fdf function = {descend_value, descend_gradient, descend, m, &ascent};
    if (!m) return MK_OK;
    gsl_multimin_fdfminimizer *bfgs = gsl_multimin_fdfminimizer_alloc(gsl_multimin_fdfminimizer_vector_bfgs2, m);
    gsl_vector *t = bfgs ? gsl_vector_alloc(m) : NULL;
    if (!t) {
        if (bfgs) gsl_multimin_fdfminimizer_free(bfgs);
        return mk_fail_memory(err, "an ascent");
    }
    for (size_t i = 0; i < m; i++) gsl_vector_set(t, i, asin(2 * fmin(fmax(p[moving[i]], margin), 1 - margin) - 1));
    gsl_multimin_fdfminimizer_set(bfgs, &function, t, 0.05, 0.1);
    for (int i = 0; i < steps && !gsl_multimin_fdfminimizer_iterate(bfgs); i++) {
    }
    for (size_t i = 0; i < m; i++) p[moving[i]] = 0.5 + 0.5 * sin(gsl_vector_get(bfgs->x, i));
    gsl_multimin_fdfminimizer_free(bfgs);
    gsl_vector_free(t);
    return MK_OK;
}

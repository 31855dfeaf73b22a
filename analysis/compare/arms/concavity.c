#include "analysis/compare/arms/concavity.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "sim/base/error.h"

/* Rounding of differences of rewards. */
static const double slack = 1e-12;

struct curve {
    size_t n, C;
    double *y, *r;   /* [n] */
    size_t *corner;  /* [n] of r */
    double *average; /* [n] mean of y over the repetitions */
};

static void best_so_far(struct curve *c, const double *reward)
{
    double best = -INFINITY;
    for (size_t t = 0; t < c->n; t++) {
        best = reward[t] > best ? reward[t] : best;
        c->y[t] = best;
    }
}

/* The upper hull of the points (t, y[t]), into c->r. */
static void least_majorant(struct curve *c, const double *y)
{
    size_t n = 0;
    for (size_t t = 0; t < c->n; t++) {
        while (n > 1) {
            const size_t a = c->corner[n - 2], b = c->corner[n - 1];
            if ((y[b] - y[a]) * (double)(t - a) > (y[t] - y[a]) * (double)(b - a)) break;
            n--;
        }
        c->corner[n++] = t;
    }
    for (size_t i = 0; i < n; i++) c->r[c->corner[i]] = y[c->corner[i]];
    for (size_t i = 1; i < n; i++) {
        const size_t a = c->corner[i - 1], b = c->corner[i];
        for (size_t t = a + 1; t < b; t++) c->r[t] = y[a] + (y[b] - y[a]) * (double)(t - a) / (double)(b - a);
    }
}

/* Whether y(t) - y(t - lag) never grows. */
static bool growth_falls(const struct curve *c, size_t lag)
{
    for (size_t t = lag + 1; t < c->n; t++)
        if (c->y[t] - c->y[t - lag] > c->y[t - 1] - c->y[t - 1 - lag] + slack) return false;
    return true;
}

/* Position t is the round t + 1. */
static double share_loose(const struct curve *c)
{
    size_t holds = 0;
    for (size_t t = c->C; t < c->n; t++) {
        const double left = (double)(c->n - 1 - t), now = c->r[t] - c->y[t], before = c->r[t - c->C] - c->y[t - c->C];
        holds += now * (left + (double)c->C) <= before * left + slack;
    }
    return (double)holds / (double)(c->n - c->C);
}

static double share_failing(const struct curve *c)
{
    size_t fails = 0;
    for (size_t t = c->C; t + 1 < c->n; t++) {
        const double rate = (c->y[t] - c->y[t - c->C]) / (double)c->C;
        fails += c->y[t] + (double)(c->n - 1 - t) * rate < c->y[c->n - 1] - slack;
    }
    return (double)fails / (double)(c->n - c->C - 1);
}

static double departure(struct curve *c)
{
    const double *y = c->average, rise = y[c->n - 1] - y[0];
    double most = 0;
    least_majorant(c, y);
    for (size_t t = 0; t < c->n; t++) most = fmax(most, c->r[t] - y[t]);
    return rise > slack ? most / rise : 0;
}

static void measure(struct mk_concavity *out, struct curve *c, const struct mk_problem *p, size_t instance, size_t k)
{
    const uint64_t R = out->curves;
    for (size_t t = 0; t < c->n; t++) c->average[t] = 0;
    for (uint64_t r = 0; r < R; r++) {
        best_so_far(c, mk_problem_series(p, instance, k, r)->reward);
        least_majorant(c, c->y);
        out->concave += (double)growth_falls(c, 1) / (double)R;
        out->smooth += (double)growth_falls(c, c->C) / (double)R;
        out->loose += share_loose(c) / (double)R;
        out->bound_fails += share_failing(c) / (double)R;
        for (size_t t = 0; t < c->n; t++) c->average[t] += c->y[t] / (double)R;
    }
    out->departure = departure(c);
}

int mk_concavity_of(struct mk_concavity *out, const struct mk_problem *p, size_t instance, size_t k, uint64_t C,
                    struct mk_error *err)
{
    *out = (struct mk_concavity){.curves = mk_problem_replications(p, instance, UINT64_MAX)};
    uint64_t n = UINT64_MAX;
    for (uint64_t r = 0; r < out->curves; r++) {
        const uint64_t length = mk_series_recorded(mk_problem_series(p, instance, k, r));
        n = length < n ? length : n;
    }
    if (!out->curves || n <= C + 1)
        return mk_fail(err, MK_EINPUT, "%s: instance %s: expected more than %llu rewards of every arm, got %llu",
                       p->file, p->instance[instance].name, (unsigned long long)C + 1,
                       (unsigned long long)(out->curves ? n : 0));
    struct curve c = {.n = (size_t)n, .C = (size_t)C};
    c.y = malloc(3 * c.n * sizeof *c.y);
    c.r = c.y ? c.y + c.n : NULL;
    c.average = c.y ? c.r + c.n : NULL;
    c.corner = malloc(c.n * sizeof *c.corner);
    int code = c.y && c.corner ? MK_OK : mk_fail_memory(err, "curves");
    if (!code) measure(out, &c, p, instance, k);
    free(c.y);
    free(c.corner);
    return code;
}

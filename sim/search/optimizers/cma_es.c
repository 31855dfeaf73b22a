/* CMA-ES (Hansen, arXiv:1604.00772v2; sim/search/models/cma.h) with restarts of growing population (IPOP: Auger &
 * Hansen 2005).
 *
 * It works in a unit cube of coordinates: one for each number and ordinal, its position (whole numbers and steps are
 * cells, as for all optimisers), and one for each word of a categorical, of which the largest decides. Coordinates of
 * what is inactive are drawn like the others and have no effect. A point that lies outside the cube, is forbidden, or
 * has been proposed is drawn again, up to 100 times; then it is clipped to the cube, and if that is not enough a random
 * configuration takes its place. Of measured configurations the untried one that is nearest to that of the
 * point is proposed.
 *
 * A generation is complete when lambda more results are known, in the order of proposals. Results of points that were
 * not drawn from the present distribution (added, random, or still running when it changed) count with a length that is
 * bounded (Hansen, arXiv:1110.4181). It starts again where the covariance matrix has condition 1e14, all standard
 * deviations are below 1e-12 sigma, one exceeds 1e4 sigma, or the best reward has stayed the same for
 * 10 + ceil(30 d / lambda) generations. Cost per ask O(d^2), at the end of a generation O(d^3); memory O(d^2) and 8 d
 * bytes per evaluation. */
#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/search/models/cma.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/optimizers/parts/untried.h"

enum { POPULATION, SIGMA, START, GROWTH, PARAMS };
enum { START_CENTRE, START_RANDOM };
enum { MOST_COORDINATES = 500, DRAWS = 100 };

static const double most_condition = 1e14, narrowest = 1e-12, widest = 1e4;

static const struct mk_param params[] = {
    {"population", MK_INTEGER, MK_OPTIONAL, NAN, 4, 1e6, NULL, "lambda (default 4 + floor(3 log d))"},
    {"sigma", MK_REAL, MK_OPEN_LO, 0.3, 0, 10, NULL, "standard deviation at first, in widths of the ranges"},
    {"start", MK_CHOICE, 0, START_CENTRE, 0, 0, "centre|random", "mean at first; at restarts it is random"},
    {"growth", MK_REAL, 0, 2, 1, 10, NULL, "factor of lambda at a restart; 2: IPOP"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* Plain data. */
struct state {
    uint64_t used;         /* trials that the distribution has learned from or passed over */
    uint64_t drawn;        /* trials whose points are there */
    uint64_t distribution; /* counts changes of the distribution, from 1 */
    uint64_t restarts;
    uint64_t same; /* generations since the best reward of a generation last changed */
    double best;   /* largest reward of the last generation */
    double data[]; /* struct mk_cma, then for every trial the distribution that it was drawn from and its point */
};

/* Scratch memory of a thread. */
struct bench {
    struct mk_pool pool, order; /* of the update; of the ranks */
};

static void bench_free(void *bench)
{
    struct bench *b = bench;
    mk_pool_free(&b->pool);
    mk_pool_free(&b->order);
}

/* ---- coordinates ---- */

static size_t width_of(const struct mk_hyper *h)
{
    return h->levels == 1 ? 0 : mk_hyper_is_ordered(h) ? 1 : h->n_words;
}

static size_t count_coordinates(const struct mk_space *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += width_of(&s->hyper[i]);
    return n;
}

/* The configuration at point x; inactive coordinates have no effect. */
static void configuration_at(const struct mk_space *s, const double *x, double *v)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_hyper *h = &s->hyper[i];
        size_t most = 0;
        v[i] = h->def;
        if (width_of(h) == 1) v[i] = mk_hyper_value(h, *x);
        if (width_of(h) > 1) {
            for (size_t w = 1; w < h->n_words; w++) most = x[w] > x[most] ? w : most;
            v[i] = (double)most;
        }
        x += width_of(h);
    }
    mk_space_complete(s, v);
}

/* x <- the coordinates of a configuration; those of what is inactive stay. */
static void move_to(const struct mk_space *s, const double *v, double *x)
{
    for (size_t i = 0; i < s->n; i++) {
        const struct mk_hyper *h = &s->hyper[i];
        for (size_t w = 0; w < width_of(h); w++, x++) {
            if (isnan(v[i])) continue;
            *x = mk_hyper_is_ordered(h) ? mk_hyper_unit(h, v[i]) : (double)(v[i] == (double)w);
        }
    }
}

/* ---- state ---- */

static struct mk_cma *cma_of(struct state *s)
{
    return (struct mk_cma *)(void *)s->data;
}

/* [0] the distribution, 0: none; [1 … n] the point. */
static double *point_of(struct state *s, size_t trial)
{
    const size_t n = cma_of(s)->n;
    return s->data + mk_cma_bytes(n) / sizeof(double) + trial * (n + 1);
}

/* By the largest generation. */
static bool plans(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)par;
    (void)space;
    (void)budget;
    return true;
}

static size_t state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    const size_t n = count_coordinates(space);
    (void)par;
    return sizeof(struct state) + mk_cma_bytes(n) + (size_t)budget * (n + 1) * sizeof(double);
}

/* A new distribution; what is running is passed over. The point of trial n serves as its mean. */
static void restart(struct state *s, const struct mk_ask *a)
{
    const size_t n = count_coordinates(a->space);
    if (!n) return; /* every hyperparameter has one value: there is no distribution */
    const double first = isnan(a->par[POPULATION]) ? (double)mk_cma_population(n) : a->par[POPULATION];
    const double lambda = fmin(ceil(first * pow(a->par[GROWTH], (double)s->restarts)), (double)a->budget + 4);
    struct mk_pcg64 rng;
    mk_pcg64_from_key(&rng, mk_key_word(mk_key_text(a->key, "start"), s->restarts));
    cma_of(s)->n = n;
    double *mean = point_of(s, a->trials->n) + 1;
    for (size_t i = 0; i < n; i++) mean[i] = s->restarts || (int)a->par[START] == START_RANDOM ? mk_uniform(&rng) : 0.5;
    mk_cma_start(cma_of(s), n, (size_t)lambda, mean, a->par[SIGMA]);
    s->used = a->trials->n;
    s->distribution++;
    s->same = 0;
    s->best = NAN;
}

static int init_cma_es(void *state, const struct mk_ask *a, struct mk_error *err)
{
    struct state *s = state;
    (void)err;
    s->drawn = s->distribution = s->restarts = 0;
    restart(s, a);
    return MK_OK;
}

/* Trials that were not proposed: their coordinates, and those of the mean for what is inactive. */
static void take_added(struct state *s, const struct mk_ask *a)
{
    for (; s->drawn < a->trials->n; s->drawn++) {
        double *x = point_of(s, s->drawn);
        x[0] = 0;
        memcpy(x + 1, mk_cma_mean(cma_of(s)), cma_of(s)->n * sizeof *x);
        move_to(a->space, a->trials->v + s->drawn * a->space->n, x + 1);
    }
}

/* ---- generations ---- */

static bool has_ended(struct state *s, const struct mk_ask *a)
{
    const struct mk_cma *c = cma_of(s);
    const double sigma = a->par[SIGMA], *cov = mk_cma_covariance(c);
    double most = 0;
    for (size_t i = 0; i < c->n; i++) most = fmax(most, c->sigma * sqrt(cov[i * c->n + i]));
    return !(c->condition <= most_condition) || !(most <= widest * sigma) ||
           (double)s->same >= 10 + ceil(30 * (double)c->n / (double)c->lambda) ||
           mk_cma_is_narrow(c, narrowest * sigma);
}

static int take_generation(struct bench *b, struct state *s, const struct mk_ask *a, struct mk_error *err)
{
    const size_t lambda = cma_of(s)->lambda;
    double *key;
    uint32_t *order;
    const double **x;
    bool *foreign;
    const struct mk_pool_array array[] = {
        MK_POOL_ARRAY(key, lambda),
        MK_POOL_ARRAY(order, 2 * lambda),
        MK_POOL_ARRAY(x, lambda),
        MK_POOL_ARRAY(foreign, lambda),
    };
    const int code = mk_pool_lay_out(&b->order, array, sizeof array / sizeof *array, "cma_es", err);
    if (code) return code;
    for (size_t i = 0; i < lambda; i++) key[i] = -a->trials->reward[s->used + i];
    mk_ascending_order(key, order, order + lambda, lambda);
    for (size_t i = 0; i < lambda; i++) {
        const double *point = point_of(s, s->used + order[i]);
        x[i] = point + 1;
        foreign[i] = point[0] != (double)s->distribution;
    }
    s->same = -key[order[0]] == s->best ? s->same + 1 : 0;
    s->best = -key[order[0]];
    s->used += lambda;
    s->distribution++;
    return mk_cma_update(cma_of(s), x, foreign, &b->pool, err);
}

/* ---- proposals ---- */

static bool is_inside(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(x[i] >= 0 && x[i] <= 1)) return false;
    return true;
}

static void clip(double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) x[i] = fmin(fmax(x[i], 0), 1);
}

/* A point and its configuration; *foreign: it is not one of the distribution. */
static int draw(struct state *s, struct mk_ask *a, double *x, bool *foreign, double *v, struct mk_error *err)
{
    const size_t n = cma_of(s)->n;
    *foreign = false;
    for (int i = 0; i < DRAWS; i++) {
        mk_cma_sample(cma_of(s), &a->rng, x);
        if (!is_inside(x, n)) continue;
        if (a->space->n_rows) break;
        configuration_at(a->space, x, v);
        if (mk_space_allows(a->space, v) && !mk_trials_has(a->trials, v)) return MK_OK;
    }
    clip(x, n);
    configuration_at(a->space, x, v);
    if (!a->space->n_rows && mk_space_allows(a->space, v) && !mk_trials_has(a->trials, v)) return MK_OK;
    *foreign = true;
    const int code = a->space->n_rows ? mk_take_nearest_row(a, v, err) : mk_draw_untried(a, v, err);
    if (!code) move_to(a->space, v, x);
    return code;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    struct state *s = state;
    bool foreign;
    int code = MK_OK;
    (void)fidelity;
    if (!count_coordinates(a->space)) return mk_draw_untried(a, v, err);
    take_added(s, a);
    while (!code && a->trials->told >= s->used + cma_of(s)->lambda) {
        if (!mk_trials_known(a->trials)) { /* nothing to learn from yet */
            s->used += cma_of(s)->lambda;
            continue;
        }
        code = take_generation(a->bench, s, a, err);
        if (code || !has_ended(s, a)) continue;
        s->restarts++;
        restart(s, a);
    }
    double *x = point_of(s, s->drawn);
    if (!code) code = draw(s, a, x + 1, &foreign, v, err);
    if (code) return code;
    x[0] = foreign ? 0 : (double)s->distribution;
    s->drawn++;
    return MK_OK;
}

static int fits(const double *par, const struct mk_space *space, uint64_t budget, struct mk_error *err)
{
    const size_t n = count_coordinates(space);
    (void)par;
    (void)budget;
    if (n <= MOST_COORDINATES) return MK_OK;
    return mk_fail(err, MK_EINPUT, "cma_es: expected at most %d numbers and words of categoricals, got %zu",
                   MOST_COORDINATES, n);
}

const struct mk_optimizer_type mk_optimizer_cma_es = {
    .name = "cma_es",
    .summary = "evolution strategy with covariance matrix adaptation, with restarts",
    .formula = "points of a normal distribution, whose mean, step size and covariance follow the best of every "
               "generation of lambda points",
    .reference =
        "Hansen 2016, arXiv:1604.00772; restarts: Auger & Hansen 2005; bounds: cmaes 0.9 (Nomura & Shibata 2024)",
    .departures =
        "a point outside the bounds is drawn again up to 100 times, then clipped, as in cmaes; so is one that is "
        "forbidden or was proposed before, and what cannot be drawn is random. Integers are rounded without a margin; a "
        "categorical has one coordinate per word, the largest decides (Optuna leaves categoricals to another sampler). "
        "The test for flat rewards asks for equality, so that the order of the rewards alone matters; results of points "
        "from an earlier distribution count with bounded length (Hansen 2011, arXiv:1110.4181)",
    .cost = "O(d^2), O(d^3) at the end of a generation",
    .flags = MK_OPTIMIZER_MODEL,
    .params = params,
    .fits = fits,
    .plans = plans,
    .state_size = state_size,
    .init = init_cma_es,
    .ask = ask,
    .bench_size = sizeof(struct bench),
    .bench_free = bench_free,
};

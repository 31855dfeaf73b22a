/* Gaussian-process search: Matérn 5/2 or squared-exponential covariance with a length scale for every hyperparameter,
 * maximum a posteriori under Optuna's priors, standardised rewards, and an acquisition function maximised over random
 * configurations, neighbours of the best trials, and ascents from the best of these.
 *
 * Numbers enter by their position in the unit interval, words by whether they differ. An inactive number is placed in
 * the middle, and its activity enters with the same weight. Parameters are fitted again when the trials have grown by a
 * tenth, on `fit_points` trials at most (the better half of them the best ones, the others at random); between fits the
 * Cholesky factor is extended row by row. Running trials count with their predicted mean: the mean stays, the variance
 * shrinks. Candidates are evaluated in the order of an upper bound of their acquisition, the variance given the nearest
 * trial alone, until no bound exceeds the best value, or a limit of work. Cost per ask O(n^2) and O(n
 * (candidates + d)), when fitting O(fit_points^3). At most 2000 evaluations. */
#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/search/models/cholesky.h"
#include "sim/search/models/gp_ascent.h"
#include "sim/search/models/gp_warp.h"
#include "sim/search/models/power_transform.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/optimizers/parts/design.h"
#include "sim/search/optimizers/parts/untried.h"

enum {
    INIT,
    KERNEL = INIT + MK_INIT_PARAMETERS,
    ACQUISITION,
    XI,
    CANDIDATES,
    ASCENTS,
    FIT_POINTS,
    TRANSFORM,
    PER_COST,
    WARP,
    PARAMS
};
enum {
    MOST_TRIALS = 2000,
    FIT_STEPS = 50,
    ASCENT_STEPS = 12,
    NEIGHBOURS = 200,
    STARTS = 5,
    EIGHT = 8,
    NOISE_STEPS = 8
};

/* Multiply-adds spent on variances; neighbours' standard deviation. */
static const double most_work = 4e7, neighbour_sd = 0.1, growth = 1.1;

static const struct mk_param params[] = {
    MK_INIT_PARAMS(0, 10, MK_DESIGN_RANDOM, 0),
    {"kernel", MK_CHOICE, 0, MK_GP_MATERN, 0, 0, MK_GP_SHAPE_CHOICES, "Matern 5/2 or squared exponential"},
    {"acquisition", MK_CHOICE, 0, MK_ACQUISITION_LOG_EI, 0, 0, MK_ACQUISITION_CHOICES, "acquisition function"},
    MK_XI_PARAM(" in standard deviations of the rewards"),
    {"candidates", MK_INTEGER, 0, 1000, 8, 1000000, NULL, "random configurations"},
    {"ascents", MK_INTEGER, 0, 2, 0, 100, NULL, "ascents from the best candidates along the gradient"},
    {"fit_points", MK_INTEGER, 0, 200, 10, MOST_TRIALS, NULL, "trials to which parameters are fitted"},
    {"transform", MK_CHOICE, 0, MK_TRANSFORM_NONE, 0, 0, MK_TRANSFORM_CHOICES,
     "power transform, fitted before every proposal (box_cox: of rewards, or of losses, where all are positive; else "
     "yeo_johnson)"},
    {"per_cost", MK_CHOICE, 0, 0, 0, 0, "no|yes", "divides EI by the predicted cost of the evaluation"},
    {"warp", MK_CHOICE, 0, 0, 0, 0, "no|yes", "numbers enter by Kumaraswamy's distribution function, which is fitted"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

static const char *check_gp(const double *par)
{
    const int rule = (int)par[ACQUISITION];
    if (par[PER_COST] == 0 || rule == MK_ACQUISITION_EI || rule == MK_ACQUISITION_LOG_EI) return NULL;
    return "per_cost: yes needs acquisition: ei or logei";
}

/* Plain data: theta[parameters], the warp of every feature (with `warp`), then the rows of the Cholesky factor. */
struct state {
    uint64_t fitted; /* trials when theta was fitted, 0: never */
    uint64_t rows;   /* of the factor that are there */
    double theta[];
};

/* Scratch memory of a thread; the pointers are into the pool. */
struct bench {
    struct mk_gp gp;
    struct mk_gp_work work;
    struct mk_pool pool;
    bool *nominal;           /* [features] */
    size_t *weight_of;       /* [features] */
    size_t *of;              /* [features] the hyperparameter */
    bool *activity;          /* [features] whether it is active, instead of its position */
    double *x;               /* [features][n] trials */
    double *warp;            /* [features][2], NULL: none */
    double *y, *alpha;       /* [n] */
    double *cost_alpha;      /* [n] the same of log costs in units of cost_sd, without their mean */
    double cost_sd;          /* 0: costs do not count */
    double best;             /* largest y */
    size_t n;                /* candidates */
    double *v;               /* [n][d] */
    double *p;               /* [n + EIGHT][features] */
    double *score;           /* [n] first the bound */
    double *log_cost;        /* [n] predicted, without the mean */
    double *mean, *variance; /* [EIGHT] */
    uint32_t *order;         /* [2 most] */
    double *key;             /* [most] */
    double *fit_x, *fit_y;   /* [features][fit_points], [fit_points] */
    double *warped_x;        /* [features][fit_points] with `warp` */
    double *slope;           /* [2 features] */
    double *point;           /* [features] */
    double *current;         /* [d] */
    size_t *moving;          /* [features] those that an ascent moves */
    size_t *open;            /* [rows] */
};

static void bench_free(void *bench)
{
    struct bench *b = bench;
    mk_gp_work_free(&b->work);
    mk_pool_free(&b->pool);
}

/* ---- features ---- */

static bool has_activity(const struct mk_hyper *h)
{
    return mk_hyper_is_ordered(h) && h->n_when;
}

static size_t count_weights(const struct mk_space *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += s->hyper[i].levels > 1;
    return n;
}

static size_t count_features(const struct mk_space *s)
{
    size_t n = count_weights(s);
    for (size_t i = 0; i < s->n; i++) n += s->hyper[i].levels > 1 && has_activity(&s->hyper[i]);
    return n;
}

static void name_features(struct bench *b, const struct mk_ask *a)
{
    size_t f = 0, weight = 0;
    for (size_t i = 0; i < a->space->n; i++) {
        const struct mk_hyper *h = &a->space->hyper[i];
        if (h->levels == 1) continue;
        for (int activity = 0; activity <= has_activity(h); activity++, f++) {
            b->of[f] = i;
            b->activity[f] = activity;
            b->nominal[f] = !mk_hyper_is_ordered(h);
            b->weight_of[f] = weight;
        }
        weight++;
    }
    b->gp = (struct mk_gp){(enum mk_gp_shape)a->par[KERNEL], f, b->nominal, b->weight_of, weight};
}

static double feature(const struct bench *b, const struct mk_space *s, const double *v, size_t f)
{
    const struct mk_hyper *h = &s->hyper[b->of[f]];
    const double value = v[b->of[f]];
    if (b->activity[f]) return !isnan(value);
    if (b->nominal[f]) return isnan(value) ? (double)h->n_words : value;
    const double u = isnan(value) ? 0.5 : mk_hyper_unit(h, value);
    return b->warp ? mk_warp(u, b->warp + 2 * f) : u;
}

/* ---- memory ---- */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static int reserve(struct bench *b, const struct mk_ask *a, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    const size_t n = a->trials->n, d = s->n, features = count_features(s), rows = s->n_rows;
    const size_t fit = (size_t)a->par[FIT_POINTS], most = rows ? rows : (size_t)a->par[CANDIDATES] + NEIGHBOURS;
    const size_t list = larger(most, n);
    const struct mk_pool_array array[] = {
        MK_POOL_ARRAY(b->nominal, features),
        MK_POOL_ARRAY(b->activity, features),
        MK_POOL_ARRAY(b->weight_of, features),
        MK_POOL_ARRAY(b->of, features),
        MK_POOL_ARRAY(b->x, features * n),
        MK_POOL_ARRAY(b->y, n),
        MK_POOL_ARRAY(b->alpha, n),
        MK_POOL_ARRAY(b->cost_alpha, n),
        MK_POOL_ARRAY(b->v, most * d),
        MK_POOL_ARRAY(b->p, (most + EIGHT) * features),
        MK_POOL_ARRAY(b->score, most),
        MK_POOL_ARRAY(b->log_cost, most),
        MK_POOL_ARRAY(b->mean, EIGHT),
        MK_POOL_ARRAY(b->variance, EIGHT),
        MK_POOL_ARRAY(b->order, 2 * list),
        MK_POOL_ARRAY(b->key, list),
        MK_POOL_ARRAY(b->fit_x, features * fit),
        MK_POOL_ARRAY(b->warped_x, features * fit),
        MK_POOL_ARRAY(b->fit_y, fit),
        MK_POOL_ARRAY(b->slope, 2 * features),
        MK_POOL_ARRAY(b->point, features),
        MK_POOL_ARRAY(b->current, d),
        MK_POOL_ARRAY(b->moving, features),
        MK_POOL_ARRAY(b->open, rows),
    };
    const int code = mk_pool_lay_out(&b->pool, array, sizeof array / sizeof *array, "gp", err);
    if (code) return code;
    name_features(b, a);
    return MK_OK;
}

/* ---- the model ---- */

static double *factor_of(const struct bench *b, struct state *state)
{
    return state->theta + mk_gp_parameters(&b->gp) + (b->warp ? 2 * b->gp.d : 0);
}

static void place_trials(struct bench *b, const struct mk_ask *a)
{
    const struct mk_trials *t = a->trials;
    for (size_t i = 0; i < t->n; i++)
        for (size_t f = 0; f < b->gp.d; f++) b->x[f * t->n + i] = feature(b, a->space, t->v + i * a->space->n, f);
}

/* Subtracts the mean and divides by the standard deviation, unless that is 0; returns it. */
static double standardise(double *x, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    const double mean = sum / (double)n;
    for (size_t i = 0; i < n; i++) {
        x[i] -= mean;
        squares += x[i] * x[i];
    }
    const double sd = sqrt(squares / (double)n);
    for (size_t i = 0; sd > 0 && i < n; i++) x[i] /= sd;
    return sd;
}

/* Features of all trials with the state's warp, standardised rewards of those known. */
static void take_trials(struct bench *b, struct state *state, const struct mk_ask *a)
{
    const struct mk_trials *t = a->trials;
    b->warp = a->par[WARP] > 0 ? state->theta + mk_gp_parameters(&b->gp) : NULL;
    if (b->warp && !state->fitted) memset(b->warp, 0, 2 * b->gp.d * sizeof *b->warp);
    place_trials(b, a);
    memcpy(b->y, t->reward, t->told * sizeof *b->y);
    mk_power_transform_all((enum mk_transform)a->par[TRANSFORM], b->y, t->told);
    standardise(b->y, t->told);
    b->best = -INFINITY;
    for (size_t i = 0; i < t->told; i++) b->best = fmax(b->best, b->y[i]);
}

/* Log costs of the trials known, standardised; those that are not positive count as the smallest positive one. */
static void take_costs(struct bench *b, const struct mk_ask *a)
{
    const struct mk_trials *t = a->trials;
    double least = INFINITY;
    b->cost_sd = 0;
    memset(b->cost_alpha, 0, t->n * sizeof *b->cost_alpha);
    for (size_t i = 0; i < t->told; i++) least = t->cost[i] > 0 && t->cost[i] < least ? t->cost[i] : least;
    if (a->par[PER_COST] == 0 || isinf(least)) return;
    for (size_t i = 0; i < t->told; i++) b->cost_alpha[i] = log(fmax(t->cost[i], least));
    b->cost_sd = standardise(b->cost_alpha, t->told);
}

/* Positions of the trials to which parameters are fitted, in b->order; returns their number. */
static size_t choose_fit_points(struct bench *b, struct mk_ask *a)
{
    const size_t told = a->trials->told, most = (size_t)a->par[FIT_POINTS];
    for (size_t i = 0; i < told; i++) b->key[i] = -b->y[i];
    mk_ascending_order(b->key, b->order, b->order + told, told);
    if (told <= most) return told;
    for (size_t i = most / 2; i < most; i++) {
        const size_t other = i + (size_t)mk_uniform_below(&a->rng, told - i);
        const uint32_t swapped = b->order[i];
        b->order[i] = b->order[other];
        b->order[other] = swapped;
    }
    return most;
}

static int fit(struct bench *b, struct state *state, struct mk_ask *a, struct mk_error *err)
{
    const size_t told = a->trials->told, n = a->trials->n;
    if (state->fitted && (double)told < growth * (double)state->fitted) return MK_OK;
    if (!state->fitted) mk_gp_default(&b->gp, state->theta);
    double *warp = b->warp;
    b->warp = NULL;
    if (warp) place_trials(b, a);
    const size_t m = choose_fit_points(b, a);
    for (size_t i = 0; i < m; i++) {
        b->fit_y[i] = b->y[b->order[i]];
        for (size_t f = 0; f < b->gp.d; f++) b->fit_x[f * m + i] = b->x[f * n + b->order[i]];
    }
    state->fitted = told;
    state->rows = 0;
    if (!warp) return mk_gp_fit(&b->gp, state->theta, b->fit_x, m, b->fit_y, m, FIT_STEPS, &b->work, err);
    const int code =
        mk_gp_warp_fit(&b->gp, state->theta, warp, b->fit_x, b->warped_x, b->fit_y, m, FIT_STEPS, &b->work, err);
    b->warp = warp;
    place_trials(b, a);
    return code;
}

/* The factor of all trials, with more noise where it takes that; alpha is 0 for running trials. */
static int factorise(const struct bench *b, struct state *state, const struct mk_ask *a, struct mk_error *err)
{
    const size_t n = a->trials->n;
    double *l = factor_of(b, state);
    for (int i = 0; state->rows < n; i++) {
        if (i == NOISE_STEPS) return mk_fail(err, MK_ENUM, "gp: the covariance matrix is singular");
        mk_gp_covariance(&b->gp, state->theta, b->x, n, state->rows, n, l);
        state->rows = mk_cholesky_extend(l, state->rows, n) == n ? n : 0;
        if (state->rows < n)
            state->theta[b->gp.n_weights + 1] = fmax(state->theta[b->gp.n_weights + 1], log(1e-6)) + log(10);
    }
    return MK_OK;
}

/* The weights of the results, and of their costs. */
static void solve(struct bench *b, struct state *state, const struct mk_ask *a)
{
    const size_t n = a->trials->n, told = a->trials->told;
    const double *l = factor_of(b, state);
    memcpy(b->alpha, b->y, told * sizeof *b->y);
    mk_cholesky_forward(l, told, b->alpha);
    mk_cholesky_backward(l, told, b->alpha);
    for (size_t i = told; i < n; i++) b->alpha[i] = 0;
    if (!(b->cost_sd > 0)) return;
    mk_cholesky_forward(l, told, b->cost_alpha);
    mk_cholesky_backward(l, told, b->cost_alpha);
}

static double xi_of(const struct mk_ask *a)
{
    return mk_acquisition_xi((enum mk_acquisition)a->par[ACQUISITION], a->par[XI]);
}

static double acquire(const struct bench *b, const struct mk_ask *a, double mean, double variance)
{
    return mk_acquisition_value((enum mk_acquisition)a->par[ACQUISITION], mean, sqrt(variance), b->best, xi_of(a));
}

/* The acquisition, EI divided by the predicted cost. */
static double charge(const struct mk_ask *a, double value, double log_cost)
{
    return a->par[ACQUISITION] == MK_ACQUISITION_EI ? value * exp(-log_cost) : value - log_cost;
}

/* ---- candidates ---- */

static void add_candidates(struct bench *b, struct mk_ask *a)
{
    const struct mk_space *s = a->space;
    const struct mk_trials *t = a->trials;
    b->n = 0;
    if (s->n_rows) {
        b->n = mk_trials_open_rows(t, b->open);
        for (size_t i = 0; i < b->n; i++) memcpy(b->v + i * s->n, s->row + b->open[i] * s->n, s->n * sizeof *b->v);
    } else {
        while (b->n < (size_t)a->par[CANDIDATES]) mk_space_sample(s, &a->rng, b->v + b->n++ * s->n);
        for (size_t i = 0; i < t->told; i++) b->key[i] = -b->y[i];
        mk_ascending_order(b->key, b->order, b->order + t->told, t->told);
        for (size_t i = 0; i < NEIGHBOURS; i++) {
            const double *from = t->v + b->order[i % (t->told < STARTS ? t->told : STARTS)] * s->n;
            const size_t at = (size_t)mk_uniform_below(&a->rng, s->n);
            b->n += mk_space_neighbour(s, &a->rng, from, at, neighbour_sd, b->v + b->n * s->n);
        }
    }
    for (size_t c = 0; c < b->n; c++)
        for (size_t f = 0; f < b->gp.d; f++) b->p[c * b->gp.d + f] = feature(b, s, b->v + c * s->n, f);
}

/* Upper bounds of the acquisition: conditioning on a single trial leaves at least as much variance. */
static void bound_candidates(struct bench *b, const struct state *state, const struct mk_ask *a)
{
    const size_t n = a->trials->n;
    const double scale = exp(state->theta[b->gp.n_weights]), noise = exp(state->theta[b->gp.n_weights + 1]) + 1e-6;
    for (size_t c = 0; c < b->n; c++) {
        double *k = b->work.r2, nearest = 0;
        mk_gp_cross(&b->gp, state->theta, b->x, n, n, b->p + c * b->gp.d, k, NULL);
        for (size_t i = 0; i < n; i++) nearest = k[i] > nearest ? k[i] : nearest;
        const double mean = mk_inner_product(k, b->alpha, n), left = scale - nearest * nearest / (scale + noise);
        b->log_cost[c] = b->cost_sd > 0 ? b->cost_sd * mk_inner_product(k, b->cost_alpha, n) : 0;
        b->score[c] = charge(a, acquire(b, a, mean, left > 0 ? left : 0), b->log_cost[c]);
    }
}

/* Replaces bounds by values, the largest bounds first, until none can matter; bounds that stay become -infinity. */
static void evaluate_candidates(struct bench *b, struct state *state, const struct mk_ask *a)
{
    const size_t n = a->trials->n, d = b->gp.d;
    const double budget = most_work / (0.5 * (double)n * (double)n);
    double best = -INFINITY, *group = b->p + b->n * d;
    size_t c = 0;
    for (size_t i = 0; i < b->n; i++) b->key[i] = -b->score[i];
    mk_ascending_order(b->key, b->order, b->order + b->n, b->n);
    for (; c < b->n && (c < EIGHT || ((double)c < budget && b->score[b->order[c]] > best)); c += EIGHT) {
        const size_t count = b->n - c < EIGHT ? b->n - c : EIGHT;
        for (size_t i = 0; i < EIGHT; i++)
            memcpy(group + i * d, b->p + b->order[c + (i < count ? i : 0)] * d, d * sizeof *group);
        mk_gp_predict_eight(&b->gp, state->theta, b->x, n, n, factor_of(b, state), b->alpha, group, b->mean,
                            b->variance, &b->work);
        for (size_t i = 0; i < count; i++) {
            double *score = &b->score[b->order[c + i]];
            *score = charge(a, acquire(b, a, b->mean[i], b->variance[i]), b->log_cost[b->order[c + i]]);
            best = fmax(best, *score);
        }
    }
    for (; c < b->n; c++) b->score[b->order[c]] = -INFINITY;
}

/* ---- ascents ---- */

/* What ascents maximise. */
static struct mk_gp_rule rule_of(const struct bench *b, struct state *state, const struct mk_ask *a)
{
    const size_t n = a->trials->n;
    return (struct mk_gp_rule){
        &b->gp,  state->theta, b->x, n, n, factor_of(b, state), b->alpha, (enum mk_acquisition)a->par[ACQUISITION],
        b->best, xi_of(a)};
}

/* Numbers that are active in b->current and not a matter of a few levels. */
static size_t choose_moving(struct bench *b, const struct mk_space *s)
{
    size_t n = 0;
    for (size_t f = 0; f < b->gp.d; f++) {
        const struct mk_hyper *h = &s->hyper[b->of[f]];
        if (!b->nominal[f] && !b->activity[f] && !mk_hyper_is_word(h) && !isnan(b->current[b->of[f]]))
            b->moving[n++] = f;
    }
    return n;
}

/* From b->current up the gradient, to the nearest configuration in b->current; its acquisition, -infinity when it is
 * not allowed. */
static int climb(struct bench *b, struct state *state, const struct mk_ask *a, double *score, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    const struct mk_gp_rule rule = rule_of(b, state, a);
    const size_t m = choose_moving(b, s);
    for (size_t f = 0; f < b->gp.d; f++) b->point[f] = feature(b, s, b->current, f);
    const int code = mk_gp_ascend(&rule, b->point, b->moving, m, ASCENT_STEPS, b->slope, &b->work, err);
    if (code) return code;
    for (size_t i = 0; i < m; i++) {
        const size_t at = b->of[b->moving[i]];
        const double w = b->point[b->moving[i]];
        b->current[at] = mk_hyper_value(&s->hyper[at], b->warp ? mk_unwarp(w, b->warp + 2 * b->moving[i]) : w);
    }
    if (m) mk_space_complete(s, b->current);
    for (size_t f = 0; f < b->gp.d; f++) b->point[f] = feature(b, s, b->current, f);
    *score = mk_space_allows(s, b->current) ? mk_gp_acquire(&rule, b->point, NULL, &b->work) : -INFINITY;
    if (!(b->cost_sd > 0)) return MK_OK;
    mk_gp_cross(&b->gp, state->theta, b->x, rule.n, rule.n, b->point, b->work.r2, NULL);
    *score = charge(a, *score, b->cost_sd * mk_inner_product(b->work.r2, b->cost_alpha, rule.n));
    return MK_OK;
}

/* The best candidate that has not been proposed, or the end of an ascent that is better. */
static int choose(struct bench *b, struct state *state, struct mk_ask *a, double *v, struct mk_error *err)
{
    const size_t d = a->space->n, ascents = a->space->n_rows ? 0 : (size_t)a->par[ASCENTS];
    double most = -INFINITY, score = 0;
    int code = MK_OK;
    bool found = false;
    for (size_t i = 0; i < b->n; i++) b->key[i] = -b->score[i];
    mk_ascending_order(b->key, b->order, b->order + b->n, b->n);
    for (size_t i = 0; i < b->n && !found; i++) {
        memcpy(v, b->v + b->order[i] * d, d * sizeof *v);
        found = a->space->n_rows || !mk_trials_has(a->trials, v);
        most = b->score[b->order[i]];
    }
    for (size_t i = 0; i < ascents && i < b->n && !code; i++) {
        memcpy(b->current, b->v + b->order[i] * d, d * sizeof *v);
        code = climb(b, state, a, &score, err);
        if (code || (found && !(score > most)) || !mk_space_allows(a->space, b->current) ||
            mk_trials_has(a->trials, b->current))
            continue;
        memcpy(v, b->current, d * sizeof *v);
        most = score;
        found = true;
    }
    return found || code ? code : mk_draw_untried(a, v, err);
}

/* ---- the optimiser ---- */

static int fits(const double *par, const struct mk_space *space, uint64_t budget, struct mk_error *err)
{
    (void)par;
    (void)space;
    if (budget <= MOST_TRIALS) return MK_OK;
    return mk_fail(err, MK_EINPUT, "gp: expected at most %d evaluations, got %llu", MOST_TRIALS,
                   (unsigned long long)budget);
}

static size_t state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    const size_t warp = par[WARP] > 0 ? 2 * count_features(space) : 0;
    return sizeof(struct state) + (count_weights(space) + 2 + warp + mk_packed_size((size_t)budget)) * sizeof(double);
}

static int init_gp(void *state, const struct mk_ask *a, struct mk_error *err)
{
    struct state *s = state;
    (void)a;
    (void)err;
    s->fitted = s->rows = 0;
    return MK_OK;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    struct bench *b = a->bench;
    struct state *s = state;
    bool served;
    (void)fidelity;
    int code = mk_initial_design(a, a->par + INIT, (uint64_t)a->par[INIT], v, &served, err);
    if (!code && served) return mk_keep_untried(a, v, err);
    if (code) return code;
    if (!mk_trials_known(a->trials) || !count_weights(a->space))
        return mk_draw_untried(a, v, err); /* nothing to model */
    code = reserve(b, a, err);
    if (code) return code;
    take_trials(b, s, a);
    take_costs(b, a);
    code = fit(b, s, a, err);
    if (!code) code = mk_gp_reserve(&b->work, a->trials->n, err);
    if (!code) code = factorise(b, s, a, err);
    if (code || mk_take_known(a, v)) return code;
    solve(b, s, a);
    add_candidates(b, a);
    bound_candidates(b, s, a);
    evaluate_candidates(b, s, a);
    return choose(b, s, a, v, err);
}

/* ---- the model as others see it ---- */

static void view_points(struct bench *b, struct state *state, const struct mk_ask *a, struct mk_model_view *m)
{
    const size_t n = a->trials->n, d = b->gp.d;
    double *group = b->p;
    for (size_t first = 0; first < m->n; first += EIGHT) {
        const size_t count = m->n - first < EIGHT ? m->n - first : EIGHT;
        for (size_t i = 0; i < EIGHT; i++)
            for (size_t f = 0; f < d; f++)
                group[i * d + f] = feature(b, a->space, m->v + (first + (i < count ? i : 0)) * a->space->n, f);
        mk_gp_predict_eight(&b->gp, state->theta, b->x, n, n, factor_of(b, state), b->alpha, group, b->mean,
                            b->variance, &b->work);
        for (size_t i = 0; i < count; i++) {
            double value = acquire(b, a, b->mean[i], b->variance[i]);
            if (b->cost_sd > 0) {
                mk_gp_cross(&b->gp, state->theta, b->x, n, n, group + i * d, b->work.r2, NULL);
                value = charge(a, value, b->cost_sd * mk_inner_product(b->work.r2, b->cost_alpha, n));
            }
            m->at[first + i] = (struct mk_prediction){b->mean[i], sqrt(b->variance[i]), NAN, NAN, value};
        }
    }
}

/* The model is there again as the ask had it: its parameters are of this number of trials, and its factor is complete.
 */
static int view(void *state, struct mk_ask *a, struct mk_model_view *m, struct mk_error *err)
{
    struct bench *b = a->bench;
    struct state *s = state;
    const size_t n = a->trials->n, told = a->trials->told;
    int code = mk_check_modelled(a, "gp", mk_initial_size(a, a->par + INIT, (uint64_t)a->par[INIT]), err);
    if (!code && !count_weights(a->space)) code = mk_fail(err, MK_EINPUT, "gp: its space has one configuration only");
    if (!code) code = reserve(b, a, err);
    if (code) return code;
    take_trials(b, s, a);
    take_costs(b, a);
    code = mk_gp_reserve(&b->work, n, err);
    if (!code) code = factorise(b, s, a, err);
    if (code) return code;
    solve(b, s, a);
    view_points(b, s, a, m);
    for (size_t i = 0; i < n; i++) m->target[i] = i < told ? b->y[i] : NAN;
    m->number[0] = (struct mk_model_number){"largest_target", b->best};
    m->number[1] = (struct mk_model_number){"variance", exp(s->theta[b->gp.n_weights])};
    m->number[2] = (struct mk_model_number){"noise_variance", mk_gp_noise(&b->gp, s->theta)};
    m->n_numbers = 3;
    for (size_t f = 0; f < b->gp.d; f++) m->length[b->of[f]] = exp(-0.5 * s->theta[b->weight_of[f]]);
    return MK_OK;
}

const struct mk_optimizer_type mk_optimizer_gp = {
    .name = "gp",
    .summary = "Gaussian process and expected improvement",
    .formula =
        "the configuration with the largest acquisition (default log EI) under the posterior of a Gaussian process",
    .reference =
        "Jones, Schonlau & Welch 1998; Optuna 4 GPSampler (kernel, priors); Nguyen 2024, Algorithm 3 (kernel: se); "
        "Cowen-Rivers et al. 2022, HEBO (transform, warp); Snoek, "
        "Larochelle & Adams 2012 (per_cost)",
    .departures =
        "Nguyen's equation 3.1 lacks the minus sign and the noise: the posterior is Rasmussen & Williams 2006, eqs "
        "2.25, 2.26; its Algorithm 3 replaces the history where it must add to it. Optuna fits before every proposal and to "
        "all trials: here when the trials have grown by a tenth, to `fit_points` of them; candidates (Optuna: 2048 by Sobol, "
        "10 local searches) are evaluated until no upper bound of their acquisition exceeds the best, or after 4 10^7 "
        "multiply-adds; failed trials count with the worst reward known; running ones with their predicted mean; no "
        "configuration is proposed twice while others are untried; costs have the covariance of the rewards, not one of "
        "their own, and ascents follow EI alone; warps are fitted by steps of one at a time (HEBO: by gradient)",
    .cost = "O(n^2 + n candidates), fitting O(fit_points^3)",
    .flags = MK_OPTIMIZER_MODEL,
    .params = params,
    .check = check_gp,
    .fits = fits,
    .state_size = state_size,
    .init = init_gp,
    .ask = ask,
    .view = view,
    .bench_size = sizeof(struct bench),
    .bench_free = bench_free,
};

/* Sequential model-based search with a forest (Hutter, Hoos & Leyton-Brown 2011), by the rules of SMAC3's facade for
 * hyperparameter optimisation, as Balef et al. 2024 and 2025 ran it (version 2.1, a new forest for every proposal).
 *
 * A forest is grown on the costs (minus rewards) of all trials; with `log_cost: yes` on their logarithms, after they
 * were scaled so that the best of them stays positive: y = log((c - low) / (max - low)), low = 2 min - (5 %
 * percentile). Of `challengers` random configurations and the ends of `local_searches` searches in the one-exchange
 * neighbourhood, which start from the best of them and as many from the best trials by predicted cost, the one with the
 * best acquisition that has not been proposed yet is proposed; with probability `interleave` a random configuration.
 * The reference of EI is the lowest predicted cost of a trial. Inactive numbers are encoded as -1, inactive words as
 * the number of words.
 *
 * Running trials count with the mean cost; SMAC omits them. Of measured configurations (spaces with rows) all that are
 * open are challengers, and there is no local search.
 * Cost per ask O(d n log n trees + challengers trees log n). */
#include <math.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/base/statistics.h"
#include "sim/search/models/acquisition.h"
#include "sim/search/models/forest.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/optimizers/parts/design.h"
#include "sim/search/optimizers/parts/untried.h"

enum {
    INIT,
    MOST_INIT = INIT + MK_INIT_PARAMETERS,
    TREES,
    FEATURES,
    MIN_SPLIT,
    MIN_LEAF,
    SPLITTER,
    LOG_COST,
    ACQUISITION,
    XI,
    CHALLENGERS,
    LOCAL_SEARCHES,
    INTERLEAVE,
    RETRAIN,
    VARIANCE,
    PARAMS
};

/* SMAC: neighbours of a number and their standard deviation in the unit interval, neighbourhoods without a better
 * neighbour until a local search ends, smallest variance, 5 % percentile. */
enum { NEIGHBOURS = 4, PLATEAUS = 10, MOST_STEPS = 200, SEEN = 512 };
static const double neighbour_sd = 0.2, least_variance = 1e-10, percentile = 0.05, per_hyperparameter = 10,
                    share_of_budget = 0.25;

static const struct mk_param params[] = {
    MK_INIT_PARAMS(MK_OPTIONAL, 0, MK_DESIGN_SOBOL, 1),
    {"most_init", MK_INTEGER, 0, 10, 0, 1000000, NULL,
     "largest initial design where `init` is absent (SMAC3: no limit, 1000000)"},
    {"trees", MK_INTEGER, 0, 10, 1, 1000, NULL, "trees of the forest"},
    {"features", MK_REAL, MK_OPEN_LO, 1, 0, 1, NULL, "share of the hyperparameters considered for a split"},
    {"min_split", MK_INTEGER, 0, 2, 2, 1000, NULL, "smallest number of trials of a node that is split"},
    {"min_leaf", MK_INTEGER, 0, 1, 1, 1000, NULL, "smallest number of trials of a leaf"},
    {"splitter", MK_CHOICE, 0, 0, 0, 0, "exact|random", "splits tried: the middle of every gap, or one at random"},
    {"log_cost", MK_CHOICE, 0, 1, 0, 0, "no|yes", "whether the forest models the logarithm of the scaled cost"},
    {"acquisition", MK_CHOICE, 0, MK_ACQUISITION_LOG_EI, 0, 0, MK_ACQUISITION_CHOICES, "acquisition function"},
    MK_XI_PARAM(""),
    {"challengers", MK_INTEGER, 0, 10000, 1, 10000000, NULL, "random configurations"},
    {"local_searches", MK_INTEGER, 0, 10, 0, 1000, NULL,
     "local searches from the best challengers, and as many from the best trials"},
    {"interleave", MK_REAL, 0, 0.2, 0, 1, NULL, "probability of a random configuration"},
    {"retrain", MK_INTEGER, 0, 1, 1, 1000, NULL,
     "proposals from one forest: its best challengers, one after another (SMAC3: 8; Nguyen 2024, Algorithm 3: e_EI)"},
    {"variance", MK_CHOICE, 0, 0, 0, 0, "trees|sample",
     "squares over the trees divided by their number, or by one less (Nguyen 2024, eq. 3.2)"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* A list of configurations with the forest's predictions. */
struct list {
    size_t n;
    double *v, *x;           /* [n][d] configurations, features */
    double *mean, *variance; /* [n] */
    double *score;           /* [n] acquisition */
    double *tree;            /* [trees][n] scratch */
};

struct seen {
    double mean, variance, score;
};

/* Scratch memory of a thread; the pointers are into the pool. */
struct bench {
    struct mk_forest forest;
    struct mk_pool pool;
    double *y;                                   /* [n] target of the forest */
    double *columns;                             /* [d][n] */
    double lowest;                               /* predicted cost of a trial */
    struct list trials, challengers, neighbours; /* all trials; challengers, then ends of local searches */
    uint32_t *order;                             /* [2 * most] */
    double *key;                                 /* [most] */
    size_t *open;                                /* [rows] */
    double *current;                             /* [d] of a local search */
    const struct mk_trials *all;                 /* also those that the forest does not know yet */
    struct seen seen[SEEN];                      /* of this forest */
};

static void bench_free(void *bench)
{
    struct bench *b = bench;
    mk_forest_free(&b->forest);
    mk_pool_free(&b->pool);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Largest number of neighbours of a configuration. */
static size_t most_neighbours(const struct mk_space *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->n; i++) n += mk_hyper_is_ordered(&s->hyper[i]) ? NEIGHBOURS : s->hyper[i].n_words - 1;
    return n;
}

static int reserve(struct bench *b, const struct mk_ask *a, struct mk_error *err)
{
    const size_t n = a->trials->n, d = a->space->n, trees = (size_t)a->par[TREES], rows = a->space->n_rows;
    const size_t random = rows ? rows : (size_t)a->par[CHALLENGERS];
    const size_t list = random + 2 * (size_t)a->par[LOCAL_SEARCHES], near = most_neighbours(a->space);
    const size_t most = larger(larger(n, list), larger(near, d));
#define LIST(l, n)                                                                                                     \
    MK_POOL_ARRAY((l).v, (n)*d), MK_POOL_ARRAY((l).x, (n)*d), MK_POOL_ARRAY((l).mean, n),                              \
        MK_POOL_ARRAY((l).variance, n), MK_POOL_ARRAY((l).score, n), MK_POOL_ARRAY((l).tree, (n)*trees)
    const struct mk_pool_array array[] = {
        LIST(b->trials, n),          LIST(b->challengers, list),       LIST(b->neighbours, near),
        MK_POOL_ARRAY(b->y, n),      MK_POOL_ARRAY(b->columns, n * d), MK_POOL_ARRAY(b->order, 2 * most),
        MK_POOL_ARRAY(b->key, most), MK_POOL_ARRAY(b->open, rows),     MK_POOL_ARRAY(b->current, d),
    };
#undef LIST
    return mk_pool_lay_out(&b->pool, array, sizeof array / sizeof *array, "rf", err);
}

/* ---- the model ---- */

/* y of all trials: their cost, or log((cost - low) / (max - low)); running ones: the mean of the others. */
static void set_targets(struct bench *b, const struct mk_ask *a)
{
    const struct mk_trials *t = a->trials;
    double sum = 0, low, high;
    for (size_t i = 0; i < t->told; i++) b->key[i] = b->y[i] = -t->reward[i];
    mk_ascending_order(b->key, b->order, b->order + t->told, t->told);
    for (size_t i = 0; i < t->told; i++) b->key[i] = b->y[b->order[i]];
    high = b->key[t->told - 1];
    low = 2 * b->key[0] - mk_quantile_sorted(b->key, t->told, percentile) - least_variance;
    for (size_t i = 0; i < t->told; i++) {
        if (a->par[LOG_COST] != 0) b->y[i] = high > low ? log((b->y[i] - low) / (high - low)) : 0;
        sum += b->y[i];
    }
    for (size_t i = t->told; i < t->n; i++) b->y[i] = sum / (double)t->told;
}

static void predict(struct bench *b, const struct mk_ask *a, struct list *l)
{
    for (size_t i = 0; i < l->n; i++) mk_tree_features(a->space, l->v + i * a->space->n, l->x + i * a->space->n);
    mk_forest_predict(&b->forest, l->x, l->n, l->tree, l->mean, l->variance);
    const double trees = a->par[TREES];
    for (size_t i = 0; a->par[VARIANCE] != 0 && i < l->n; i++) l->variance[i] *= trees / (trees - 1);
}

static double acquire(const struct bench *b, const struct mk_ask *a, double mean, double variance)
{
    const enum mk_acquisition acquisition = (enum mk_acquisition)a->par[ACQUISITION];
    const double sd = sqrt(fmax(variance, least_variance)), xi = mk_acquisition_xi(acquisition, a->par[XI]);
    return a->par[LOG_COST] != 0 ? mk_acquisition_log_cost(acquisition, mean, sd, b->lowest, xi)
                                 : mk_acquisition_value(acquisition, -mean, sd, -b->lowest, xi);
}

/* Forests are constant on boxes: most neighbours have values that were already computed. */
static void score(struct bench *b, const struct mk_ask *a, struct list *l)
{
    predict(b, a, l);
    for (size_t i = 0; i < l->n; i++) {
        uint64_t bits;
        memcpy(&bits, &l->mean[i], sizeof bits);
        struct seen *seen = &b->seen[(bits ^ bits >> 24 ^ bits >> 43) % SEEN];
        if (seen->mean != l->mean[i] || seen->variance != l->variance[i])
            *seen = (struct seen){l->mean[i], l->variance[i], acquire(b, a, l->mean[i], l->variance[i])};
        l->score[i] = seen->score;
    }
}

static int grow_forest(struct bench *b, struct mk_ask *a, struct mk_error *err)
{
    const struct mk_trials *t = a->trials;
    const size_t d = a->space->n;
    const struct mk_forest_options o = {(size_t)a->par[TREES],
                                        larger(1, (size_t)(a->par[FEATURES] * (double)d)),
                                        (size_t)a->par[MIN_SPLIT],
                                        (size_t)a->par[MIN_LEAF],
                                        true,
                                        a->par[SPLITTER] != 0,
                                        a->par[LOG_COST] != 0};
    set_targets(b, a);
    b->trials.n = t->n;
    memcpy(b->trials.v, t->v, t->n * d * sizeof *t->v);
    for (size_t i = 0; i < t->n; i++) {
        mk_tree_features(a->space, t->v + i * d, b->trials.x);
        for (size_t j = 0; j < d; j++) b->columns[j * t->n + i] = b->trials.x[j];
    }
    int code = mk_forest_fit(&b->forest, &o, b->columns, t->n, d, b->y, t->n, &a->rng, err);
    if (code) return code;
    predict(b, a, &b->trials);
    b->lowest = INFINITY;
    for (size_t i = 0; i < t->told; i++) b->lowest = fmin(b->lowest, b->trials.mean[i]);
    for (size_t i = 0; i < SEEN; i++) b->seen[i].mean = NAN;
    return MK_OK;
}

/* ---- challengers ---- */

static void draw_challengers(struct bench *b, struct mk_ask *a)
{
    const struct mk_space *s = a->space;
    struct list *l = &b->challengers;
    l->n = 0;
    if (s->n_rows) {
        l->n = mk_trials_open_rows(b->all, b->open);
        for (size_t i = 0; i < l->n; i++) memcpy(l->v + i * s->n, s->row + b->open[i] * s->n, s->n * sizeof *l->v);
    } else {
        while (l->n < (size_t)a->par[CHALLENGERS]) mk_space_sample(s, &a->rng, l->v + l->n++ * s->n);
    }
    score(b, a, l);
}

/* All neighbours of the current configuration, in random order of the hyperparameters. */
static void list_neighbours(struct bench *b, struct mk_ask *a)
{
    const struct mk_space *s = a->space;
    struct list *l = &b->neighbours;
    l->n = 0;
    for (size_t i = 0; i < s->n; i++) b->order[i] = (uint32_t)i;
    for (size_t i = 0; i < s->n; i++) {
        const size_t other = i + (size_t)mk_uniform_below(&a->rng, s->n - i), at = b->order[other];
        const struct mk_hyper *h = &s->hyper[at];
        b->order[other] = b->order[i];
        if (isnan(b->current[at])) continue;
        const size_t count = mk_hyper_is_ordered(h) ? NEIGHBOURS : h->n_words;
        for (size_t k = 0; k < count; k++) {
            double *v = l->v + l->n * s->n;
            if (mk_hyper_is_ordered(h)) {
                l->n += mk_space_neighbour(s, &a->rng, b->current, at, neighbour_sd, v);
            } else if ((double)k != b->current[at]) {
                l->n += mk_space_with(s, b->current, at, (double)k, v);
            }
        }
    }
}

/* From b->current repeatedly to the first better neighbour; on plateaus to the first equal one. Returns the score. */
static double local_search(struct bench *b, struct mk_ask *a, double here)
{
    const size_t d = a->space->n;
    struct list *l = &b->neighbours;
    int plateaus = 0;
    for (int step = 0; step < MOST_STEPS && plateaus < PLATEAUS; step++) {
        list_neighbours(b, a);
        score(b, a, l);
        size_t better = 0, equal = l->n;
        for (; better < l->n && !(l->score[better] > here); better++)
            if (equal == l->n && l->score[better] == here) equal = better;
        const size_t next = better < l->n ? better : equal;
        plateaus += better == l->n;
        if (next == l->n) continue;
        memcpy(b->current, l->v + next * d, d * sizeof *l->v);
        here = l->score[next];
    }
    return here;
}

/* Local searches from the best `count` of the first n entries of a list, by key (lowest first); their ends are appended
 * to the challengers. */
static void search_from(struct bench *b, struct mk_ask *a, const struct list *from, size_t n, size_t count)
{
    struct list *l = &b->challengers;
    const size_t d = a->space->n;
    for (size_t k = 0; k < count && k < n; k++) {
        size_t start = 0;
        for (size_t i = 1; i < n; i++)
            if (b->key[i] < b->key[start]) start = i;
        b->key[start] = INFINITY;
        memcpy(b->current, from->v + start * d, d * sizeof *l->v);
        l->score[l->n] = local_search(b, a, from->score[start]);
        memcpy(l->v + l->n++ * d, b->current, d * sizeof *l->v);
    }
}

static void search_locally(struct bench *b, struct mk_ask *a)
{
    const size_t count = (size_t)a->par[LOCAL_SEARCHES], random = b->challengers.n;
    if (a->space->n_rows || !count) return;
    score(b, a, &b->trials);
    memcpy(b->key, b->trials.mean, b->trials.n * sizeof *b->key);
    search_from(b, a, &b->trials, b->trials.n, count);
    for (size_t i = 0; i < random; i++) b->key[i] = -b->challengers.score[i];
    search_from(b, a, &b->challengers, random, count);
}

/* The best challenger that has not been proposed; the first of equal ones. False: all have been. */
static bool choose(struct bench *b, const struct mk_ask *a, double *v)
{
    const struct list *l = &b->challengers;
    const size_t d = a->space->n;
    for (size_t c = 0; c < l->n; c++) b->key[c] = -l->score[c];
    mk_ascending_order(b->key, b->order, b->order + l->n, l->n);
    for (size_t c = 0; c < l->n; c++) {
        memcpy(v, l->v + b->order[c] * d, d * sizeof *v);
        if (a->space->n_rows || !mk_trials_has(b->all, v)) return true;
    }
    return false;
}

/* ---- the optimiser ---- */

/* The initial design for a budget without end. */
static double most_init(const double *par, const struct mk_space *space)
{
    return fmin(per_hyperparameter * (double)space->n, par[MOST_INIT]);
}

static double initial(const double *par, const struct mk_space *space, uint64_t budget)
{
    return isnan(par[INIT]) ? floor(fmin(most_init(par, space), share_of_budget * (double)budget)) : par[INIT];
}

static uint64_t init_count(const struct mk_ask *a)
{
    return (uint64_t)initial(a->par, a->space, a->budget);
}

static bool plans(const double *par, const struct mk_space *space, uint64_t budget)
{
    return isnan(par[INIT]) && share_of_budget * (double)budget < most_init(par, space);
}

static int fits(const double *par, const struct mk_space *space, uint64_t budget, struct mk_error *err)
{
    (void)space;
    (void)budget;
    return par[VARIANCE] != 0 && par[TREES] < 2 ? mk_fail(err, MK_EINPUT, "rf: variance: sample needs trees >= 2")
                                                : MK_OK;
}

/* The situation in which the forest is grown: that of this ask, or, with `retrain`, of an earlier one. */
static struct mk_ask model_ask(const struct mk_ask *a, struct mk_trials *trials)
{
    const size_t retrain = (size_t)a->par[RETRAIN], first = mk_initial_size(a, a->par + INIT, init_count(a));
    const size_t n = a->trials->n - (a->trials->n - first) % retrain;
    struct mk_ask model = *a;
    *trials = *a->trials;
    trials->n = n;
    trials->told = trials->told < n ? trials->told : n;
    model.trials = trials;
    mk_pcg64_from_key(&model.rng, mk_key_word(a->key, n));
    mk_uniform(&model.rng); /* it decided on the interleaving */
    return model;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    struct bench *b = a->bench;
    struct mk_trials trials;
    bool served;
    (void)state;
    (void)fidelity;
    int code = mk_initial_design(a, a->par + INIT, init_count(a), v, &served, err);
    if (!code && served) return mk_keep_untried(a, v, err);
    if (!code) code = reserve(b, a, err);
    if (code) return code;
    b->all = a->trials;
    struct mk_ask model = model_ask(a, &trials);
    if (!trials.told || !mk_trials_known(a->trials) || mk_uniform(&a->rng) < a->par[INTERLEAVE])
        return mk_draw_untried(a, v, err);
    code = grow_forest(b, &model, err);
    if (code) return code;
    draw_challengers(b, &model);
    search_locally(b, &model);
    return choose(b, a, v) ? MK_OK : mk_draw_untried(a, v, err);
}

/* ---- the model as others see it ---- */

static int view(void *state, struct mk_ask *a, struct mk_model_view *m, struct mk_error *err)
{
    struct bench *b = a->bench;
    struct mk_trials trials;
    const size_t d = a->space->n, room = a->space->n_rows ? a->space->n_rows : (size_t)a->par[CHALLENGERS];
    (void)state;
    int code = mk_check_modelled(a, "rf", mk_initial_size(a, a->par + INIT, init_count(a)), err);
    if (!code) code = reserve(b, a, err);
    if (code) return code;
    struct mk_ask model = model_ask(a, &trials);
    if (!trials.told) return mk_fail(err, MK_EINPUT, "rf: it has no model, for no result is known");
    m->drawn = mk_uniform(&a->rng) < a->par[INTERLEAVE];
    code = grow_forest(b, &model, err);
    struct list *l = &b->challengers;
    for (size_t first = 0; first < m->n && !code; first += l->n) {
        l->n = m->n - first < room ? m->n - first : room;
        memcpy(l->v, m->v + first * d, l->n * d * sizeof *l->v);
        score(b, &model, l);
        for (size_t i = 0; i < l->n; i++)
            m->at[first + i] =
                (struct mk_prediction){-l->mean[i], sqrt(fmax(l->variance[i], least_variance)), NAN, NAN, l->score[i]};
    }
    for (size_t i = 0; i < a->trials->n && !code; i++) m->target[i] = i < trials.told ? -b->y[i] : NAN;
    m->number[0] = (struct mk_model_number){"largest_mean", -b->lowest};
    m->n_numbers = 1;
    return code;
}

const struct mk_optimizer_type mk_optimizer_rf = {
    .name = "rf",
    .summary = "forest of regression trees and expected improvement, SMAC-like",
    .formula =
        "the challenger with the largest expected improvement under mean and variance over the trees; unless given, "
        "init is 10 per hyperparameter, at most a quarter of the budget and most_init",
    .reference = "Hutter, Hoos & Leyton-Brown 2011; SMAC3 2.1, facade for hyperparameter optimisation",
    .departures =
        "an initial design of at most 10 configurations (most_init: 1000000); exact splits in the middle of a gap; expected improvement by its logarithm, so that it never ties at 0 "
        "(acquisition: ei does); words without an order are split as numbers, by their position in the list (as SMAC3 does); "
        "in local searches 4 neighbours of a number, at most 200 steps; 10000 challengers (SMAC3: 5000), with a new forest "
        "for every proposal (SMAC3: for every 8, retrain: 8); running trials count with the mean cost (SMAC3 omits them), "
        "failed ones with the worst known; when all challengers have been proposed, a configuration at random that has not",
    .cost = "O(d n log n trees + challengers trees log n)",
    .flags = MK_OPTIMIZER_MODEL,
    .params = params,
    .fits = fits,
    .plans = plans,
    .initial = initial,
    .ask = ask,
    .view = view,
    .bench_size = sizeof(struct bench),
    .bench_free = bench_free,
};

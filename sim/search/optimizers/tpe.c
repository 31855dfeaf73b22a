/* TPE, the tree-structured Parzen estimator (Bergstra et al. 2011), by the rules of Optuna.
 *
 * The best gamma(n) of n trials give the density l, the others and those still running give g; of `candidates` draws
 * from l the one with the largest log l - log g is proposed. Hyperparameters that are active under the same
 * conditions are drawn together, or, with `multivariate: no`, one by one; always after those named by their conditions.
 * Densities: sim/search/models/parzen.h.
 *
 * gamma(n): linear min(ceil(n / 10), 25) (Optuna); sqrt min(ceil(sqrt(n) / 4), 25) (Hyperopt); share ceil(n / 4)
 * (Nguyen 2024, footnote 5, which attributes it to Hyperopt). Optuna 3.1 is `normalise: no`, and with multivariate also
 * `bandwidth: scott`. Of measured configurations (spaces with rows) `candidates` of those not proposed yet are drawn
 * with probabilities proportional to l. Cost per ask O(d n (candidates + log n)). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/order.h"
#include "sim/search/models/parzen.h"
#include "sim/search/optimizers/optimizer.h"
#include "sim/search/optimizers/parts/design.h"
#include "sim/search/optimizers/parts/untried.h"

enum { INIT, CANDIDATES = INIT + MK_INIT_PARAMETERS, GAMMA, MULTIVARIATE, BANDWIDTH, NORMALISE, REPEAT, PARAMS };
enum { GAMMA_LINEAR, GAMMA_SQRT, GAMMA_SHARE };
enum { ATTEMPTS = 20 }; /* at a configuration that is neither forbidden nor, without `repeat`, tried */

static const double gamma_most = 25;

static const struct mk_param params[] = {
    MK_INIT_PARAMS(0, 10, MK_DESIGN_RANDOM, 0),
    {"candidates", MK_INTEGER, 0, 24, 1, 100000, NULL, "draws from which the best is chosen"},
    {"gamma", MK_CHOICE, 0, GAMMA_LINEAR, 0, 0, "linear|sqrt|share", "number of trials that count as good"},
    {"multivariate", MK_CHOICE, 0, 1, 0, 0, "no|yes", "whether hyperparameters are modelled together (Optuna: no)"},
    {"bandwidth", MK_CHOICE, 0, MK_BANDWIDTH_GAP, 0, 0, MK_BANDWIDTH_CHOICES, "rule of the bandwidths"},
    {"normalise", MK_CHOICE, 0, 1, 0, 0, "no|yes",
     "whether kernels are divided by their bandwidth (Optuna 3.0 to 3.4: no)"},
    {"repeat", MK_CHOICE, 0, 0, 0, 0, "no|yes",
     "whether a configuration may be proposed again while others are untried (Optuna: yes)"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* Scratch memory of a thread; the pointers are into the pool. */
struct bench {
    struct mk_parzen density[2]; /* l, g */
    struct mk_pool pool;
    bool *is_good;               /* [n] */
    double *loss;                /* [n] */
    uint32_t *order;             /* [2 n] */
    double *data[2];             /* [n][members] observations of the group */
    size_t count[2];             /* of them */
    size_t members;              /* hyperparameters of the group */
    size_t *member;              /* [d] */
    bool *placed;                /* [d] already in a group */
    double *x, *best;            /* [d] positions of a candidate */
    double *good, *score;        /* [rows] log l, log l - log g */
    size_t *open;                /* [rows] */
    struct mk_parzen_axis *axis; /* [d] */
};

static void bench_free(void *bench)
{
    struct bench *b = bench;
    for (int i = 0; i < 2; i++) mk_parzen_free(&b->density[i]);
    mk_pool_free(&b->pool);
}

static int reserve(struct bench *b, const struct mk_ask *a, struct mk_error *err)
{
    const size_t n = a->trials->n, d = a->space->n, rows = a->space->n_rows;
    const struct mk_pool_array array[] = {
        MK_POOL_ARRAY(b->is_good, n),     MK_POOL_ARRAY(b->loss, n),        MK_POOL_ARRAY(b->order, 2 * n),
        MK_POOL_ARRAY(b->data[0], n * d), MK_POOL_ARRAY(b->data[1], n * d), MK_POOL_ARRAY(b->member, d),
        MK_POOL_ARRAY(b->placed, d),      MK_POOL_ARRAY(b->x, d),           MK_POOL_ARRAY(b->best, d),
        MK_POOL_ARRAY(b->good, rows),     MK_POOL_ARRAY(b->score, rows),    MK_POOL_ARRAY(b->open, rows),
        MK_POOL_ARRAY(b->axis, d),
    };
    return mk_pool_lay_out(&b->pool, array, sizeof array / sizeof *array, "tpe", err);
}

/* ---- good trials and others ---- */

static size_t gamma_of(const double *par, size_t n)
{
    const double x = (double)n;
    if (par[GAMMA] == GAMMA_SHARE) return (size_t)ceil(0.25 * x);
    return (size_t)fmin(ceil(par[GAMMA] == GAMMA_SQRT ? 0.25 * sqrt(x) : 0.1 * x), gamma_most);
}

static void split_trials(struct bench *b, const struct mk_ask *a)
{
    const struct mk_trials *t = a->trials;
    for (size_t i = 0; i < t->told; i++) b->loss[i] = t->status[i] == MK_TRIAL_OK ? -t->reward[i] : INFINITY;
    mk_ascending_order(b->loss, b->order, b->order + t->told, t->told);
    memset(b->is_good, 0, t->n * sizeof *b->is_good);
    for (size_t i = 0; i < gamma_of(a->par, t->told); i++) b->is_good[b->order[i]] = true;
}

/* ---- groups of hyperparameters ---- */

static bool same_clause(const struct mk_clause *a, const struct mk_clause *b)
{
    if (a->of != b->of || a->n_values != b->n_values) return false;
    for (size_t i = 0; i < a->n_values; i++)
        if (a->value[i] != b->value[i]) return false;
    return a->n_values || (a->lo == b->lo && a->hi == b->hi && a->lo_open == b->lo_open && a->hi_open == b->hi_open);
}

static bool same_conditions(const struct mk_hyper *a, const struct mk_hyper *b)
{
    if (a->n_when != b->n_when) return false;
    for (size_t i = 0; i < a->n_when; i++)
        if (!same_clause(&a->when[i], &b->when[i])) return false;
    return true;
}

static struct mk_parzen_axis axis_of(const struct mk_hyper *h)
{
    if (mk_hyper_is_word(h) && !mk_hyper_is_ordered(h)) return (struct mk_parzen_axis){h->n_words, 0};
    return (struct mk_parzen_axis){0, isfinite(h->levels) && !h->log ? 1 / h->levels : 0};
}

/* The group that begins with hyperparameter `first`: itself, and in the multivariate case those with the same
 * conditions. */
static void make_group(struct bench *b, const struct mk_ask *a, size_t first)
{
    const struct mk_space *s = a->space;
    b->members = 0;
    for (size_t i = 0; i < s->n; i++) {
        const bool with = a->par[MULTIVARIATE] != 0 && !s->n_rows && same_conditions(&s->hyper[i], &s->hyper[first]);
        if ((i != first && !with) || b->placed[i]) continue;
        b->placed[i] = true;
        if (s->hyper[i].levels == 1) continue;
        b->axis[b->members] = axis_of(&s->hyper[i]);
        b->member[b->members++] = i;
    }
}

/* Position of a value on its axis. */
static double place(const struct mk_hyper *h, double v)
{
    return mk_hyper_is_ordered(h) ? mk_hyper_unit(h, v) : v;
}

/* l and g of the group from the trials in which it is active. */
static int build_densities(struct bench *b, const struct mk_ask *a, struct mk_error *err)
{
    const struct mk_trials *t = a->trials;
    const size_t d = a->space->n;
    int code = MK_OK;
    b->count[0] = b->count[1] = 0;
    for (size_t i = 0; i < t->n; i++) {
        const int part = !b->is_good[i];
        const double *v = t->v + i * d, *u = t->u + i * d;
        if (isnan(v[b->member[0]])) continue;
        double *to = b->data[part] + b->count[part]++ * b->members;
        for (size_t j = 0; j < b->members; j++) {
            const size_t at = b->member[j];
            to[j] = mk_hyper_is_ordered(&a->space->hyper[at]) ? u[at] : v[at];
        }
    }
    for (int part = 0; part < 2 && !code; part++)
        code = mk_parzen_build(&b->density[part], b->axis, b->members, b->data[part], b->members, b->count[part],
                               (enum mk_bandwidth)a->par[BANDWIDTH], a->par[NORMALISE] != 0, err);
    return code;
}

/* Values of the group in v: the best of the candidates. Whole numbers on a log scale are at their rounded positions. */
static void choose_values(struct bench *b, struct mk_ask *a, double *v)
{
    double most = -INFINITY;
    for (size_t c = 0; c < (size_t)a->par[CANDIDATES]; c++) {
        mk_parzen_sample(&b->density[0], &a->rng, b->x);
        for (size_t j = 0; j < b->members; j++) {
            const struct mk_hyper *h = &a->space->hyper[b->member[j]];
            if (h->log && isfinite(h->levels)) b->x[j] = mk_hyper_unit(h, mk_hyper_value(h, b->x[j]));
        }
        const double score = mk_parzen_log_density(&b->density[0], b->x) - mk_parzen_log_density(&b->density[1], b->x);
        if (c && !(score > most)) continue;
        most = score;
        memcpy(b->best, b->x, b->members * sizeof *b->x);
    }
    for (size_t j = 0; j < b->members; j++) {
        const struct mk_hyper *h = &a->space->hyper[b->member[j]];
        v[b->member[j]] = mk_hyper_is_ordered(h) ? mk_hyper_value(h, b->best[j]) : b->best[j];
    }
}

/* Group by group; inactive hyperparameters stay NaN. */
static int choose_configuration(struct bench *b, struct mk_ask *a, double *v, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    int code = MK_OK;
    memset(b->placed, 0, s->n * sizeof *b->placed);
    for (size_t i = 0; i < s->n; i++) v[i] = NAN;
    for (size_t k = 0; k < s->n && !code; k++) {
        const size_t first = s->order[k];
        /* What has one value only belongs to no group, but others may be conditional on it. */
        if (s->hyper[first].levels == 1 && mk_space_active(s, v, first)) v[first] = s->hyper[first].def;
        if (b->placed[first]) continue;
        make_group(b, a, first);
        if (!b->members || !mk_space_active(s, v, first)) continue;
        code = build_densities(b, a, err);
        if (!code) choose_values(b, a, v);
    }
    mk_space_complete(s, v);
    return code;
}

/* ---- measured configurations ---- */

/* good[i] = log l and score[i] = log l - log g of n configurations, group by group. */
static int score_all(struct bench *b, const struct mk_ask *a, const double *v, size_t n, double *good, double *score,
                     struct mk_error *err)
{
    const struct mk_space *s = a->space;
    int code = MK_OK;
    memset(b->placed, 0, s->n * sizeof *b->placed);
    for (size_t r = 0; r < n; r++) good[r] = score[r] = 0;
    for (size_t i = 0; i < s->n && !code; i++) {
        make_group(b, a, i);
        if (!b->members) continue;
        code = build_densities(b, a, err);
        for (size_t r = 0; r < n && !code; r++) {
            const double *at = v + r * s->n;
            if (isnan(at[b->member[0]])) continue;
            for (size_t j = 0; j < b->members; j++) b->x[j] = place(&s->hyper[b->member[j]], at[b->member[j]]);
            const double l = mk_parzen_log_density(&b->density[0], b->x);
            good[r] += l;
            score[r] += l - mk_parzen_log_density(&b->density[1], b->x);
        }
    }
    return code;
}

/* The best of the candidates, drawn with probabilities proportional to l from the open rows. */
static void choose_row(struct bench *b, struct mk_ask *a, double *v)
{
    const size_t n = mk_trials_open_rows(a->trials, b->open);
    double most = -INFINITY, sum = 0, top = -INFINITY;
    size_t best = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, b->good[b->open[i]]);
    for (size_t i = 0; i < n; i++) {
        sum += exp(b->good[b->open[i]] - most);
        b->good[i] = sum; /* cumulated; open[i] >= i */
    }
    for (size_t c = 0; c < (size_t)a->par[CANDIDATES]; c++) {
        const double u = mk_uniform(&a->rng) * sum;
        const size_t at = b->open[mk_count_at_most(b->good, n - 1, u)];
        if (c && !(b->score[at] > top)) continue;
        top = b->score[at];
        best = at;
    }
    memcpy(v, a->space->row + best * a->space->n, a->space->n * sizeof *v);
}

/* ---- the optimiser ---- */

/* A draw at random, or the proposal of the densities. */
static int propose(struct mk_ask *a, double *v, struct mk_error *err)
{
    struct bench *b = a->bench;
    const bool repeats = a->par[REPEAT] != 0;
    if (!mk_trials_known(a->trials)) return mk_space_sample(a->space, &a->rng, v), MK_OK;
    int code = reserve(b, a, err);
    if (code) return code;
    split_trials(b, a);
    if (a->space->n_rows) {
        code = score_all(b, a, a->space->row, a->space->n_rows, b->good, b->score, err);
        if (!code) choose_row(b, a, v);
        return code;
    }
    for (int i = 0; i < ATTEMPTS; i++) {
        code = choose_configuration(b, a, v, err);
        if (code || (mk_space_allows(a->space, v) && (repeats || !mk_trials_has(a->trials, v)))) return code;
    }
    mk_space_sample(a->space, &a->rng, v);
    return MK_OK;
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    bool served;
    (void)state;
    (void)fidelity;
    int code = mk_initial_design(a, a->par + INIT, (uint64_t)a->par[INIT], v, &served, err);
    if (!code && !served) code = propose(a, v, err);
    return code || a->par[REPEAT] != 0 ? code : mk_keep_untried(a, v, err);
}

/* ---- the model as others see it ---- */

static int view(void *state, struct mk_ask *a, struct mk_model_view *m, struct mk_error *err)
{
    struct bench *b = a->bench;
    double *good = malloc(2 * (m->n + 1) * sizeof *good), *score = good + m->n;
    (void)state;
    int code = good ? mk_check_modelled(a, "tpe", mk_initial_size(a, a->par + INIT, (uint64_t)a->par[INIT]), err)
                    : mk_fail_memory(err, "densities");
    if (!code) code = reserve(b, a, err);
    if (!code) {
        split_trials(b, a);
        code = score_all(b, a, m->v, m->n, good, score, err);
    }
    for (size_t i = 0; i < m->n && !code; i++)
        m->at[i] = (struct mk_prediction){NAN, NAN, exp(good[i]), exp(good[i] - score[i]), score[i]};
    for (size_t i = 0; i < a->trials->n && !code; i++) m->target[i] = b->is_good[i];
    free(good);
    return code;
}

const struct mk_optimizer_type mk_optimizer_tpe = {
    .name = "tpe",
    .summary = "tree-structured Parzen estimator",
    .formula =
        "of `candidates` draws x from l the one with the largest l(x) / g(x); l: density of the best gamma(n) of n "
        "trials, g: of the others",
    .reference = "Bergstra et al. 2011; Optuna 3.5 TPESampler",
    .departures =
        "densities are normalised, unlike those of Optuna 3.0 to 3.4 (normalise: no); no configuration is proposed twice "
        "while others are untried (repeat: yes); multivariate, which is not Optuna's default (multivariate: no): groups are the hyperparameters with the same conditions, "
        "sampled given those that the conditions name (Optuna: one group, conditional ones apart, or group=True); running "
        "trials count in g (Optuna: constant_liar=True); failed ones rank last and stay in g (Optuna omits them); of measured "
        "configurations open rows are drawn in proportion to l, one hyperparameter at a time",
    .cost = "O(d n (candidates + log n))",
    .flags = MK_OPTIMIZER_MODEL,
    .params = params,
    .ask = ask,
    .view = view,
    .bench_size = sizeof(struct bench),
    .bench_free = bench_free,
};

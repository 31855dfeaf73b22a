/* BOHB (Falkner, Klein & Hutter 2018), by the rules of HpBandSter: the brackets of Hyperband, whose configurations come
 * from a model of the results on the largest budget that has enough of them.
 *
 * With n results on a budget, d hyperparameters and m = d + 1, the best max(m, floor(good n)) give the kernel density l
 * and the next max(m, floor((1 - good) n)) give g (sim/search/models/kernel_density.h); each needs more than d of them.
 * With probability `random` a configuration is drawn at random; otherwise it is, of `candidates` draws, the one with
 * the smallest max(g, 1e-32) / max(l, 1e-32). A draw takes one of the good results and moves every number by a normal
 * truncated to [0, 1], with `factor` times the bandwidth, and keeps every word with probability 1 - bandwidth, or draws
 * it at random. Hyperparameters that are inactive in a result take the value of another result of its part that has
 * them, or a random one. Failed evaluations rank last. Cost per ask O(n d candidates), memory 8 bytes per configuration
 * of a bracket. */
#include <math.h>
#include <string.h>

#include "sim/base/order.h"
#include "sim/base/pool.h"
#include "sim/search/models/kernel_density.h"
#include "sim/search/models/parzen.h"
#include "sim/search/optimizers/parts/brackets.h"

enum { GOOD = MK_HYPERBAND_PARAMETERS, CANDIDATES, RANDOM, FACTOR, BANDWIDTH, PARAMS };

static const double least_density = 1e-32;

static const struct mk_param params[] = {
    MK_HYPERBAND_PARAMS(MK_ROUNDING_FLOOR),
    {"good", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 0.15, 0, 1, NULL, "share of the results that count as good"},
    {"candidates", MK_INTEGER, 0, 64, 1, 100000, NULL, "draws from which the best is chosen"},
    {"random", MK_REAL, 0, 1.0 / 3, 0, 1, NULL, "share of configurations drawn at random"},
    {"factor", MK_REAL, MK_OPEN_LO | MK_OPEN_HI, 3, 0, INFINITY, NULL,
     "by which draws are spread beyond the bandwidth"},
    {"bandwidth", MK_REAL, MK_OPEN_LO, 1e-3, 0, 1, NULL, "smallest bandwidth"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* Scratch memory of a thread; the pointers are into the pool. */
struct bench {
    struct mk_pool pool;
    struct mk_kernel_density density[2]; /* l, g */
    double *data[2];                     /* [n][d] */
    double *raw;                         /* [n][d] the same before what is missing was filled in */
    bool *is_word;                       /* [d] */
    size_t *trial;                       /* [n] results on the budget */
    double *loss;                        /* [n] */
    uint32_t *order;                     /* [2 n] */
    double *x, *best;                    /* [d] */
    size_t *open;                        /* [rows] */
};

static void bench_free(void *bench)
{
    mk_pool_free(&((struct bench *)bench)->pool);
}

static int reserve(struct bench *b, const struct mk_ask *a, struct mk_error *err)
{
    const size_t n = a->trials->told, d = a->space->n;
    struct mk_kernel_density *l = &b->density[0], *g = &b->density[1];
    const struct mk_pool_array array[] = {
        MK_POOL_ARRAY(b->is_word, d),     MK_POOL_ARRAY(b->data[0], n * d),
        MK_POOL_ARRAY(b->data[1], n * d), MK_POOL_ARRAY(b->raw, n * d),
        MK_POOL_ARRAY(l->h, d),           MK_POOL_ARRAY(l->words, d),
        MK_POOL_ARRAY(g->h, d),           MK_POOL_ARRAY(g->words, d),
        MK_POOL_ARRAY(b->trial, n),       MK_POOL_ARRAY(b->loss, n),
        MK_POOL_ARRAY(b->order, 2 * n),   MK_POOL_ARRAY(b->x, d),
        MK_POOL_ARRAY(b->best, d),        MK_POOL_ARRAY(b->open, a->space->n_rows),
    };
    int code = mk_pool_lay_out(&b->pool, array, sizeof array / sizeof *array, "bohb", err);
    for (int i = 0; i < 2; i++) {
        b->density[i].d = d;
        b->density[i].x = b->data[i];
        b->density[i].is_word = b->is_word;
    }
    return code;
}

/* ---- the model ---- */

/* Results on the largest budget that has 2 (d + 1) of them, into trial[] and loss[]; 0: there is none. */
static size_t gather(struct bench *b, const struct mk_ask *a)
{
    const struct mk_trials *t = a->trials;
    const size_t least = 2 * (a->space->n + 1);
    double budget = INFINITY;
    for (;;) {
        double next = 0;
        size_t n = 0;
        for (size_t i = 0; i < t->told; i++)
            if (t->fidelity[i] < budget) next = fmax(next, t->fidelity[i]);
        if (!(next > 0)) return 0;
        for (size_t i = 0; i < t->told; i++) {
            if (t->fidelity[i] != next) continue;
            b->loss[n] = t->status[i] == MK_TRIAL_OK ? -t->reward[i] : INFINITY;
            b->trial[n++] = i;
        }
        if (n >= least) return n;
        budget = next;
    }
}

/* Inactive entries of row i: one of the rows that has the entry, drawn at random, lends it, and with it all that it has
 * of what is missing. */
static void complete(struct bench *b, struct mk_ask *a, int part, size_t n, size_t i)
{
    const size_t d = a->space->n;
    const double *from = b->raw;
    double *x = b->data[part] + i * d;
    for (size_t j = 0; j < d; j++) {
        if (!isnan(x[j])) continue;
        size_t have = 0;
        for (size_t k = 0; k < n; k++) have += isnan(from[k * d + j]) ? 0 : 1;
        if (have) {
            uint64_t pick = mk_uniform_below(&a->rng, have);
            size_t k = 0;
            while (isnan(from[k * d + j]) || pick-- > 0) k++;
            for (size_t c = j; c < d; c++)
                if (isnan(x[c])) x[c] = from[k * d + c];
        } else {
            const struct mk_hyper *h = &a->space->hyper[j];
            x[j] = b->is_word[j] ? (double)mk_uniform_below(&a->rng, h->n_words) : mk_uniform(&a->rng);
        }
    }
}

/* The results order[first … first+n-1] as data of a density. */
static void fit(struct bench *b, struct mk_ask *a, int part, size_t first, size_t n)
{
    const size_t d = a->space->n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < d; j++) {
            const size_t at = b->trial[b->order[first + i]] * d + j;
            b->raw[i * d + j] = b->is_word[j] ? a->trials->v[at] : a->trials->u[at];
        }
    memcpy(b->data[part], b->raw, n * d * sizeof *b->raw);
    for (size_t i = 0; i < n; i++) complete(b, a, part, n, i);
    b->density[part].n = n;
    mk_kernel_density_fit(&b->density[part], a->par[BANDWIDTH]);
}

/* False: too few results. */
static bool build(struct bench *b, struct mk_ask *a)
{
    const size_t d = a->space->n, n = gather(b, a);
    if (!n) return false;
    const double share = a->par[GOOD], count = (double)n;
    const size_t good = (size_t)fmax((double)d + 1, floor(share * count * (1 + 1e-12)));
    const size_t bad = (size_t)fmax((double)d + 1, floor((1 - share) * count * (1 + 1e-12)));
    if (good + d >= n) return false;
    for (size_t j = 0; j < d; j++) b->is_word[j] = !mk_hyper_is_ordered(&a->space->hyper[j]);
    mk_ascending_order(b->loss, b->order, b->order + n, n);
    fit(b, a, 0, 0, good);
    fit(b, a, 1, good, bad < n - good ? bad : n - good);
    return true;
}

/* ---- draws ---- */

static void draw(struct bench *b, struct mk_ask *a, double *x)
{
    const struct mk_kernel_density *l = &b->density[0];
    const double *from = l->x + mk_uniform_below(&a->rng, l->n) * l->d;
    for (size_t j = 0; j < l->d; j++) {
        const struct mk_hyper *h = &a->space->hyper[j];
        if (!b->is_word[j])
            x[j] = mk_truncated_normal(from[j], a->par[FACTOR] * l->h[j], mk_uniform(&a->rng));
        else
            x[j] = mk_uniform(&a->rng) < 1 - l->h[j] ? from[j] : (double)mk_uniform_below(&a->rng, h->n_words);
    }
}

/* The draw with the smallest g / l, as a configuration. Where only one word was seen, an infinite g ends the search:
 * nothing bad is known of such a draw. */
static void choose(struct bench *b, struct mk_ask *a, double *v)
{
    const struct mk_space *s = a->space;
    double least = INFINITY;
    for (size_t c = 0; c < (size_t)a->par[CANDIDATES]; c++) {
        draw(b, a, b->x);
        const double l = mk_kernel_density(&b->density[0], b->x), g = mk_kernel_density(&b->density[1], b->x);
        const double ratio = fmax(g, least_density) / fmax(l, least_density);
        const bool ends = !isfinite(ratio) && isfinite(l);
        if (c && !ends && !(ratio < least)) continue;
        least = ratio;
        memcpy(b->best, b->x, s->n * sizeof *b->x);
        if (ends) break;
    }
    for (size_t j = 0; j < s->n; j++) v[j] = b->is_word[j] ? b->best[j] : mk_hyper_value(&s->hyper[j], b->best[j]);
    mk_space_complete(s, v);
    if (!mk_space_allows(s, v)) mk_space_sample(s, &a->rng, v);
}

/* Chooses the open row of measured configurations whose g / l is smallest among `candidates` open rows drawn at random.
 * Where the good results share one word, l is infinite for all others: these are the worst; an infinite g is as above.
 */
static void choose_row(struct bench *b, struct mk_ask *a, double *v)
{
    const struct mk_space *s = a->space;
    const size_t n = mk_trials_open_rows(a->trials, b->open);
    double least = INFINITY;
    for (size_t c = 0; c < (size_t)a->par[CANDIDATES]; c++) {
        const double *row = s->row + b->open[mk_uniform_below(&a->rng, n)] * s->n;
        mk_space_to_unit(s, row, b->x);
        for (size_t j = 0; j < s->n; j++) b->x[j] = b->is_word[j] ? row[j] : b->x[j];
        for (size_t j = 0; j < s->n; j++)
            if (isnan(b->x[j])) b->x[j] = b->density[0].x[j];
        const double l = mk_kernel_density(&b->density[0], b->x), g = mk_kernel_density(&b->density[1], b->x);
        const double ratio = isinf(l) ? INFINITY : isinf(g) ? 0 : fmax(g, least_density) / fmax(l, least_density);
        if (c && !(ratio < least)) continue;
        least = ratio;
        memcpy(v, row, s->n * sizeof *v);
    }
}

/* ---- the optimiser ---- */

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    struct bench *b = a->bench;
    if (mk_hyperband_next(state, a, v, fidelity) || mk_take_first(a, v) || mk_take_known(a, v)) return MK_OK;
    mk_space_sample(a->space, &a->rng, v);
    if (a->trials->told < 2 * (a->space->n + 1) || mk_uniform(&a->rng) < a->par[RANDOM]) return MK_OK;
    const int code = reserve(b, a, err);
    if (code || !build(b, a)) return code;
    if (a->space->n_rows)
        choose_row(b, a, v);
    else
        choose(b, a, v);
    return MK_OK;
}

const struct mk_optimizer_type mk_optimizer_bohb = {
    .name = "bohb",
    .summary = "Hyperband whose configurations come from kernel densities of good and bad results",
    .formula = "the brackets of hyperband; of `candidates` draws near good results the one with the smallest g / l, "
               "densities of the best 15 % and of the other results on the largest budget that has 2 (d + 1); a share "
               "`random` at random; of a discrete space the same configuration may be drawn again, as in HpBandSter",
    .reference = "Falkner, Klein & Hutter 2018; HpBandSter 0.7",
    .departures =
        "ordinals are numbers (HpBandSter refuses them); of measured configurations the draws are rows at random; budgets are "
        "rounded down to whole units; failed configurations rank last, and are promoted when too few others are left",
    .cost = "O(n d candidates)",
    .flags = MK_OPTIMIZER_FIDELITY,
    .params = params,
    .check = mk_hyperband_check,
    .state_size = mk_hyperband_state_size,
    .init = mk_hyperband_init,
    .ask = ask,
    .bench_size = sizeof(struct bench),
    .bench_free = bench_free,
};

/* Grid search (Nguyen 2024, section 3.1.1): all combinations of a set of values of every hyperparameter.
 *
 * Numbers take `levels` values at equal distances in the unit interval, or all their values when they have no more than
 * that; with `ends: yes` from end to end, otherwise the middles of equal cells. Categorical hyperparameters take all
 * words. Inactive hyperparameters are omitted, so no configuration occurs twice; forbidden ones are skipped. The last
 * hyperparameter varies fastest. After the last combination the grid starts over. `order: shuffled` visits it in a
 * random order, which needs a table of its configurations: at most 2^22 values. Cost per ask O(d). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"

#include "sim/search/optimizers/parts/design.h"

enum { LEVELS, ENDS, ORDER, PARAMS };
enum { LEXICOGRAPHIC, SHUFFLED };

static const double most_tries = 1e6;
static const uint64_t most_values = 1 << 22;

static const struct mk_param params[] = {
    {"levels", MK_INTEGER, 0, 5, 1, 10000, NULL, "values of every number"},
    {"ends", MK_CHOICE, 0, 1, 0, 0, "no|yes", "whether both ends of a range are among them"},
    {"order", MK_CHOICE, 0, LEXICOGRAPHIC, 0, 0, "lexicographic|shuffled", "order of the grid"},
    MK_PARAMS_END,
};
MK_PARAMS_ARE(params, PARAMS);

/* ---- values of one hyperparameter ---- */

static uint32_t count_levels(const struct mk_hyper *h, const double *par)
{
    if (mk_hyper_is_word(h)) return (uint32_t)h->n_words;
    return (uint32_t)fmin(h->levels, par[LEVELS]);
}

static double place(const double *par, uint32_t i, uint32_t levels)
{
    if (levels == 1) return 0.5;
    return par[ENDS] != 0 ? (double)i / (levels - 1) : (i + 0.5) / levels;
}

/* Rounding on a log scale puts several levels on one whole number: they move up. */
static double whole_log_value(const struct mk_hyper *h, const double *par, uint32_t i, uint32_t levels)
{
    double v = h->lo - 1;
    for (uint32_t k = 0; k <= i; k++) v = fmax(v + 1, mk_hyper_value(h, place(par, k, levels)));
    return fmin(v, h->hi - (levels - 1 - i));
}

static double level_value(const struct mk_hyper *h, const double *par, uint32_t i)
{
    const uint32_t levels = count_levels(h, par);
    if (levels == h->levels) return mk_hyper_at_level(h, i);
    if (h->kind == MK_HYPER_INTEGER && h->log) return whole_log_value(h, par, i, levels);
    return mk_hyper_value(h, place(par, i, levels));
}

/* ---- the odometer: level[k] is that of hyperparameter space->order[k], 0 of inactive ones ---- */

static void take_values(const struct mk_space *s, const double *par, const uint32_t *level, double *v)
{
    for (size_t k = 0; k < s->n; k++) {
        const size_t at = s->order[k];
        v[at] = mk_space_active(s, v, at) ? level_value(&s->hyper[at], par, level[k]) : NAN;
    }
}

/* On to the next combination, v being the values of this one; false: it was the last, and the first is next. */
static bool next_combination(const struct mk_space *s, const double *par, const double *v, uint32_t *level)
{
    for (size_t k = s->n; k-- > 0;) {
        const size_t at = s->order[k];
        if (!isnan(v[at]) && level[k] + 1 < count_levels(&s->hyper[at], par)) {
            level[k]++;
            return true;
        }
        level[k] = 0;
    }
    return false;
}

struct odometer {
    uint32_t started;
    uint32_t level[]; /* of the current combination */
};

enum step { STEPPED, BEGAN_AGAIN, NOTHING_ALLOWED };

/* To the next combination that is allowed (the first one at the start), into v. */
static enum step advance(const struct mk_space *s, const double *par, struct odometer *o, double *v)
{
    int turns = 0;
    for (double tries = 0; tries < most_tries && turns < 2; tries++) {
        if (o->started) {
            take_values(s, par, o->level, v);
            turns += !next_combination(s, par, v, o->level);
        }
        o->started = 1;
        take_values(s, par, o->level, v);
        if (mk_space_allows(s, v)) return turns ? BEGAN_AGAIN : STEPPED;
    }
    return NOTHING_ALLOWED;
}

static size_t odometer_size(const struct mk_space *s)
{
    return sizeof(struct odometer) + s->n * sizeof(uint32_t);
}

/* ---- shuffled: a table of all combinations ---- */

struct table {
    uint64_t n, d;
    uint32_t level[]; /* [n][d] */
};

/* Writes the combinations into the table, unless NULL; returns their number, or most + 1 when there are more. 0: none
 * is allowed, or no memory. */
static uint64_t list_combinations(const struct mk_space *s, const double *par, uint64_t most, struct table *to)
{
    struct odometer *o = calloc(1, odometer_size(s));
    double *v = malloc(s->n * sizeof *v);
    uint64_t n = 0;
    while (o && v && n <= most && advance(s, par, o, v) == STEPPED) {
        if (to) memcpy(to->level + n * s->n, o->level, s->n * sizeof *o->level);
        n++;
    }
    free(o);
    free(v);
    return n;
}

static uint64_t most_combinations(const struct mk_space *s)
{
    return most_values / s->n;
}

static bool is_shuffled(const double *par, const struct mk_space *s)
{
    return par[ORDER] == SHUFFLED && !s->n_rows;
}

static int fits(const double *par, const struct mk_space *space, uint64_t budget, struct mk_error *err)
{
    const uint64_t most = most_combinations(space);
    (void)budget;
    if (space->n_rows) return MK_OK;
    const uint64_t n = list_combinations(space, par, is_shuffled(par, space) ? most : 0, NULL);
    if (!n) return mk_fail(err, MK_EINPUT, "the grid has no allowed configuration");
    if (!is_shuffled(par, space) || n <= most) return MK_OK;
    return mk_fail(err, MK_EINPUT, "order: shuffled takes grids of at most %llu configurations of this space",
                   (unsigned long long)most);
}

static size_t state_size(const double *par, const struct mk_space *space, uint64_t budget)
{
    (void)budget;
    if (!is_shuffled(par, space)) return odometer_size(space);
    const uint64_t n = list_combinations(space, par, most_combinations(space), NULL);
    return sizeof(struct table) + n * space->n * sizeof(uint32_t);
}

static int init_grid(void *state, const struct mk_ask *a, struct mk_error *err)
{
    struct table *table = state;
    struct odometer *o = state;
    if (!is_shuffled(a->par, a->space)) {
        memset(o, 0, odometer_size(a->space));
        return MK_OK;
    }
    table->d = a->space->n;
    table->n = list_combinations(a->space, a->par, most_combinations(a->space), table);
    return table->n ? MK_OK : mk_fail_memory(err, "a grid");
}

static int ask(void *state, struct mk_ask *a, double *v, double *fidelity, struct mk_error *err)
{
    const struct mk_space *s = a->space;
    const uint64_t i = a->trials->n;
    (void)fidelity;
    if (s->n_rows) {
        const uint64_t row = a->par[ORDER] == SHUFFLED ? mk_permute(i % s->n_rows, s->n_rows, a->key) : i % s->n_rows;
        memcpy(v, s->row + row * s->n, s->n * sizeof *v);
    } else if (is_shuffled(a->par, s)) {
        const struct table *table = state;
        take_values(s, a->par, table->level + mk_permute(i % table->n, table->n, a->key) * table->d, v);
    } else if (advance(s, a->par, state, v) == NOTHING_ALLOWED) {
        return mk_fail(err, MK_EFAIL, "grid: no further configuration is allowed");
    }
    return MK_OK;
}

const struct mk_optimizer_type mk_optimizer_grid = {
    .name = "grid",
    .summary = "grid search",
    .formula =
        "all combinations of `levels` values of every hyperparameter, one after another, and then again from the first",
    .reference = "Nguyen 2024, section 3.1.1",
    .departures = "",
    .cost = "O(d)",
    .params = params,
    .fits = fits,
    .state_size = state_size,
    .init = init_grid,
    .ask = ask,
};

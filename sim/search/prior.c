#include "sim/search/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/string_table.h"
#include "sim/base/text.h"
#include "sim/search/recorded_runs.h"
#include "sim/search/space/space_read.h"

struct row {
    size_t instance, arm; /* in the tables */
    double loss;          /* in [0, 1] */
    struct mk_where where;
};

struct mk_prior {
    char *path;
    size_t n;
    struct row *row; /* [n] */
    uint32_t *cell;  /* [n][columns] numbers in `cells` */
    size_t columns;  /* 1 with a column configuration */
    char **column;   /* [columns] names; NULL with a column configuration */
    double *best;    /* [instances.n][arms.n] smallest loss, NaN: no rows */
    bool *left_out;  /* [instances.n] */
    bool lacks_fidelity;
    struct mk_string_table instances, arms, cells;
};

void mk_prior_free(struct mk_prior *p)
{
    if (!p) return;
    mk_free_texts(p->column, p->columns);
    free(p->path);
    free(p->row);
    free(p->cell);
    free(p->best);
    free(p->left_out);
    mk_string_table_free(&p->instances);
    mk_string_table_free(&p->arms);
    mk_string_table_free(&p->cells);
    free(p);
}

int mk_prior_leave_out(struct mk_prior *p, const char *instance, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    const size_t at = mk_string_table_find(&p->instances, instance, strlen(instance));
    if (at == SIZE_MAX)
        return mk_fail(err, MK_EINPUT, "%s: expected an instance of the file, got %s", p->path,
                       mk_clip(instance, clip));
    p->left_out[at] = true;
    return MK_OK;
}

bool mk_prior_lacks_fidelity(const struct mk_prior *p)
{
    return p->lacks_fidelity;
}

const char *mk_prior_path(const struct mk_prior *p)
{
    return p->path;
}

/* ---- reading ---- */

static int no_memory(struct mk_error *err)
{
    return mk_fail_memory(err, "recorded runs");
}

static bool name_columns(struct mk_prior *p, const struct mk_recorded_runs *r)
{
    const bool listed = r->column[MK_RUNS_CONFIGURATION] < 0;
    p->columns = listed ? r->csv->n_columns : 1;
    if (!listed) return true;
    p->column = calloc(p->columns, sizeof *p->column);
    for (size_t i = 0; p->column && i < p->columns; i++)
        if (!(p->column[i] = strdup(r->csv->column[i]))) return false;
    return p->column;
}

static size_t number_of(struct mk_string_table *table, const struct mk_csv_cell *cell)
{
    return mk_string_table_add(table, cell->text, cell->length, NULL);
}

static bool add_prior_row(struct mk_prior *p, const struct mk_recorded_runs *r, double reward)
{
    const int text = r->column[MK_RUNS_CONFIGURATION];
    if (!MK_GROW(p->row, p->n, 1) || !MK_GROW(p->cell, p->n * p->columns, p->columns)) return false;
    struct row *row = &p->row[p->n];
    *row = (struct row){number_of(&p->instances, mk_recorded_cell(r, MK_RUNS_INSTANCE)),
                        number_of(&p->arms, mk_recorded_cell(r, MK_RUNS_ARM)), -reward,
                        mk_csv_where(r->csv, text < 0 ? 0 : (size_t)text)};
    row->where.file = p->path; /* which outlives the reader */
    bool good = row->instance != SIZE_MAX && row->arm != SIZE_MAX;
    for (size_t c = 0; c < p->columns && good; c++) {
        const size_t at = number_of(&p->cells, &r->csv->cell[text < 0 ? c : (size_t)text]);
        good = at < UINT32_MAX;
        p->cell[p->n * p->columns + c] = (uint32_t)at;
    }
    p->n++;
    return good;
}

/* Scales the losses of each instance, and finds the smallest of its arms. */
static bool scale(struct mk_prior *p)
{
    const size_t cells = p->instances.n * p->arms.n;
    double *low = malloc(2 * p->instances.n * sizeof *low + 1), *high = low ? low + p->instances.n : NULL;
    p->best = malloc(cells * sizeof *p->best + 1);
    p->left_out = calloc(p->instances.n + 1, sizeof *p->left_out);
    if (!low || !p->best || !p->left_out) {
        free(low);
        return false;
    }
    for (size_t i = 0; i < cells; i++) p->best[i] = NAN;
    for (size_t j = 0; j < 2 * p->instances.n; j++) low[j] = NAN;
    for (size_t i = 0; i < p->n; i++) {
        low[p->row[i].instance] = fmin(low[p->row[i].instance], p->row[i].loss);
        high[p->row[i].instance] = fmax(high[p->row[i].instance], p->row[i].loss);
    }
    for (size_t i = 0; i < p->n; i++) {
        struct row *r = &p->row[i];
        double *best = &p->best[r->instance * p->arms.n + r->arm];
        const double range = high[r->instance] - low[r->instance];
        r->loss = range > 0 ? (r->loss - low[r->instance]) / range : 0;
        *best = fmin(*best, r->loss);
    }
    free(low);
    return true;
}

int mk_prior_read(struct mk_prior **out, const char *path, struct mk_error *err)
{
    struct mk_prior *p = *out = calloc(1, sizeof *p);
    struct mk_recorded_runs r = {0};
    double reward;
    int code = p && (p->path = strdup(path)) ? mk_recorded_open(&r, path, true, err) : no_memory(err);
    if (!code && !name_columns(p, &r)) code = no_memory(err);
    while (!code && !(code = mk_recorded_next(&r, &reward, err)))
        if (!add_prior_row(p, &r, reward)) code = no_memory(err);
    mk_recorded_close(&r);
    if (p) p->lacks_fidelity = r.lacks_fidelity;
    if (code == MK_CSV_END) code = scale(p) ? MK_OK : no_memory(err);
    if (!code) return MK_OK;
    mk_prior_free(p);
    *out = NULL;
    return code;
}

/* ---- configurations ---- */

/* A row with a column for every hyperparameter; column_of[s->n], p->columns where there is none. */
static int read_cells(const struct mk_prior *p, const uint32_t *cell, const size_t *column_of, const struct mk_space *s,
                      double *v, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM], name[MK_CLIP_ROOM], range[256];
    for (size_t i = 0; i < s->n; i++) {
        const size_t at = s->order[i];
        const struct mk_hyper *h = &s->hyper[at];
        const uint32_t number = column_of[at] < p->columns ? cell[column_of[at]] : 0;
        const char *text = column_of[at] < p->columns ? p->cells.text[number] : "";
        v[at] = NAN;
        if (*text && !mk_hyper_parse(h, text, p->cells.length[number], &v[at]))
            return mk_fail(err, MK_EINPUT, "%s: expected %s, got %s", mk_clip(h->name, name),
                           mk_hyper_range(h, range, sizeof range), mk_clip(text, clip));
        if (mk_space_active(s, v, at) != (*text != 0))
            return mk_fail(err, MK_EINPUT, "%s: %s", mk_clip(h->name, name),
                           *text ? "is not active in this configuration" : "missing");
    }
    return s->n_rows || mk_space_allows(s, v) ? MK_OK : mk_fail(err, MK_EINPUT, "this configuration is forbidden");
}

static bool is_out(const struct mk_prior *p, size_t instance, size_t without)
{
    return instance == without || p->left_out[instance];
}

struct run {
    double loss;
    size_t instance;
    uint64_t digest; /* of the configuration */
};

/* The recorded rows of an arm that its space has. */
struct runs {
    size_t n;
    double *v, *u; /* [n][space->n] configurations; the same in the unit cube */
    struct run *run;
};

static void free_runs(struct runs *r)
{
    free(r->v);
    free(r->u);
    free(r->run);
}

static void find_columns(const struct mk_prior *p, const struct mk_space *s, size_t *column_of)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t at = 0;
        while (p->column && at < p->columns && strcmp(p->column[at], s->hyper[i].name) != 0) at++;
        column_of[i] = at;
    }
}

static int read_runs(struct runs *r, const struct mk_prior *p, size_t without, size_t arm, const struct mk_space *s,
                     struct mk_error *err)
{
    const size_t d = s->n;
    const struct row *bad = NULL;
    struct mk_error why, first = {0};
    size_t *column_of = malloc((d + 1) * sizeof *column_of);
    r->v = malloc((p->n * d + 1) * sizeof *r->v);
    r->u = malloc((p->n * d + 1) * sizeof *r->u);
    r->run = malloc((p->n + 1) * sizeof *r->run);
    int code = column_of && r->v && r->u && r->run ? MK_OK : no_memory(err);
    if (!code) find_columns(p, s, column_of);
    for (size_t i = 0; i < p->n && !code; i++) {
        const uint32_t *cell = p->cell + i * p->columns;
        double *v = r->v + r->n * d;
        if (p->row[i].arm != arm || is_out(p, p->row[i].instance, without)) continue;
        code = p->column ? read_cells(p, cell, column_of, s, v, &why)
                         : mk_space_read_configuration(s, "configuration", p->cells.text[*cell], p->cells.length[*cell],
                                                       v, &why);
        if (code == MK_EINPUT && !bad) {
            bad = &p->row[i];
            first = why;
        }
        if (code) {
            code = code == MK_EINPUT ? MK_OK : mk_fail(err, code, "%s", why.text);
            continue;
        }
        mk_space_to_unit(s, v, r->u + r->n * d);
        r->run[r->n++] = (struct run){p->row[i].loss, p->row[i].instance, mk_space_configuration_digest(s, v)};
    }
    free(column_of);
    if (!code && bad && !r->n)
        code = mk_fail_at(err, bad->where, "configuration", "none of arm %s is in the space of the arm, in this one %s",
                          p->arms.text[arm], first.text);
    return code;
}

/* ---- portfolios ---- */

/* The losses of run `at` on all instances, NaN where the arm has none. `nearest` and `count` are scratch. */
static void find_losses(const struct runs *r, const struct mk_space *s, size_t at, size_t n_instances, double *loss,
                        double *nearest, double *count)
{
    for (size_t j = 0; j < n_instances; j++) {
        nearest[j] = INFINITY;
        loss[j] = count[j] = 0;
    }
    for (size_t i = 0; i < r->n; i++) {
        const struct run *run = &r->run[i];
        const size_t j = run->instance;
        double apart = -1; /* of the configuration itself: no other is as near */
        if (run->digest != r->run[at].digest && nearest[j] < 0) continue;
        if (run->digest != r->run[at].digest)
            apart = mk_space_distance(s, r->u + at * s->n, r->u + i * s->n, nearest[j]);
        if (apart > nearest[j]) continue;
        loss[j] = apart < nearest[j] ? run->loss : loss[j] + run->loss;
        count[j] = apart < nearest[j] ? 1 : count[j] + 1;
        nearest[j] = apart;
    }
    for (size_t j = 0; j < n_instances; j++) loss[j] = count[j] > 0 ? loss[j] / count[j] : NAN;
}

/* The best of each instance, each configuration once; `best` has room for one of each. Returns their number. */
static size_t find_candidates(const struct runs *r, size_t n_instances, size_t *candidate, size_t *best)
{
    size_t n = 0;
    for (size_t j = 0; j < n_instances; j++) best[j] = SIZE_MAX;
    for (size_t i = 0; i < r->n; i++) {
        size_t *at = &best[r->run[i].instance];
        if (*at == SIZE_MAX || r->run[i].loss < r->run[*at].loss) *at = i;
    }
    for (size_t j = 0; j < n_instances; j++) {
        size_t c = 0;
        while (best[j] != SIZE_MAX && c < n && r->run[candidate[c]].digest != r->run[best[j]].digest) c++;
        if (best[j] != SIZE_MAX && c == n) candidate[n++] = best[j];
    }
    return n;
}

/* Sum over the instances of the smaller of reached[j] and loss[j]; no loss is below 1 where there is none yet. */
static double sum_with(const double *reached, const double *loss, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += fmin(reached[j], loss[j]);
    return sum;
}

static void choose(const struct runs *r, size_t d, const size_t *candidate, size_t n, const double *loss,
                   size_t instances, size_t most, double *reached, struct mk_prior_arm *out)
{
    double now = (double)instances;
    for (size_t j = 0; j < instances; j++) reached[j] = 1;
    while (out->n < most) {
        size_t best = n;
        for (size_t c = 0; c < n; c++) {
            const double sum = sum_with(reached, loss + c * instances, instances);
            if (sum >= now) continue;
            now = sum;
            best = c;
        }
        if (best == n) return;
        for (size_t j = 0; j < instances; j++) reached[j] = fmin(reached[j], loss[best * instances + j]);
        memcpy(out->v + out->n++ * d, r->v + candidate[best] * d, d * sizeof *out->v);
    }
}

static int make_portfolio(const struct mk_prior *p, size_t most, size_t without, size_t arm, const struct mk_space *s,
                          struct mk_prior_arm *out, struct mk_error *err)
{
    const size_t instances = p->instances.n;
    struct runs r = {0};
    int code = read_runs(&r, p, without, arm, s, err);
    if (code || !r.n) {
        free_runs(&r);
        return code;
    }
    size_t *candidate = malloc(2 * instances * sizeof *candidate);
    const size_t n = candidate ? find_candidates(&r, instances, candidate, candidate + instances) : 0;
    double *loss = malloc((n + 2) * instances * sizeof *loss), *scratch = loss ? loss + n * instances : NULL;
    out->v = malloc((most * s->n + 1) * sizeof *out->v);
    if (!candidate || !loss || !out->v) code = no_memory(err);
    for (size_t c = 0; c < n && !code; c++)
        find_losses(&r, s, candidate[c], instances, loss + c * instances, scratch, scratch + instances);
    if (!code) choose(&r, s->n, candidate, n, loss, instances, most, scratch, out);
    free(candidate);
    free(loss);
    free_runs(&r);
    return code;
}

/* ---- the arms ---- */

/* The mean share of the arms' range by which each was behind the best, over the instances with several of them; NaN: in
 * none. arm[k]: its number in the file. */
static void find_shares(const struct mk_prior *p, size_t without, const size_t *arm, size_t n_arms, double *share)
{
    double sum, low, high;
    for (size_t k = 0; k < n_arms; k++) {
        size_t n = 0;
        sum = 0;
        for (size_t j = 0; j < p->instances.n; j++) {
            const double *best = p->best + j * p->arms.n;
            low = high = NAN;
            for (size_t i = 0; i < n_arms; i++) {
                low = arm[i] < p->arms.n ? fmin(low, best[arm[i]]) : low;
                high = arm[i] < p->arms.n ? fmax(high, best[arm[i]]) : high;
            }
            if (is_out(p, j, without) || arm[k] >= p->arms.n || isnan(best[arm[k]])) continue;
            sum += high > low ? (best[arm[k]] - low) / (high - low) : 0;
            n++;
        }
        share[k] = n ? sum / (double)n : NAN;
    }
}

void mk_prior_arms_free(struct mk_prior_arm *arm, size_t n)
{
    for (size_t k = 0; arm && k < n; k++) free(arm[k].v);
    free(arm);
}

uint64_t mk_prior_repeats(const struct mk_prior_arm *arm, size_t n)
{
    uint64_t sum = 0;
    for (size_t k = 0; k < n; k++) sum += arm[k].repeats;
    return sum;
}

int mk_prior_arms(const struct mk_prior *p, const struct mk_prior_settings *how, const char *instance,
                  const char *const *label, const struct mk_space *const *space, size_t n_arms,
                  struct mk_prior_arm **out, struct mk_error *err)
{
    char clip[MK_CLIP_ROOM];
    const size_t without = mk_string_table_find(&p->instances, instance, strlen(instance));
    struct mk_prior_arm *made = *out = calloc(n_arms, sizeof *made);
    size_t *arm = malloc(n_arms * sizeof *arm);
    double *share = malloc(n_arms * sizeof *share), least = NAN;
    int code = made && arm && share ? MK_OK : no_memory(err);
    for (size_t k = 0; k < n_arms && !code; k++) arm[k] = mk_string_table_find(&p->arms, label[k], strlen(label[k]));
    if (!code) find_shares(p, without, arm, n_arms, share);
    for (size_t k = 0; k < n_arms && !code; k++) least = fmin(least, share[k]);
    if (!code && isnan(least))
        code = mk_fail(err, MK_EINPUT, "%s: expected results of the arms on instances other than %s, got none", p->path,
                       mk_clip(instance, clip));
    for (size_t k = 0; k < n_arms && !code; k++) {
        if (isnan(share[k])) continue;
        made[k].repeats = (uint64_t)floor(how->weight * (share[k] - least) + 0.5);
        if (how->portfolio) code = make_portfolio(p, how->portfolio, without, arm[k], space[k], &made[k], err);
    }
    free(arm);
    free(share);
    if (!code) return MK_OK;
    mk_prior_arms_free(made, n_arms);
    *out = NULL;
    return code;
}

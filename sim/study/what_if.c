#include "sim/study/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/policy.h"
#include "sim/base/csv.h"
#include "sim/base/text.h"

void mk_recorded_trials_clear(struct mk_recorded_trials *r)
{
    for (size_t k = 0; r->reward && k < r->n_arms; k++) free(r->reward[k]);
    free(r->reward);
    free(r->length);
    free(r->best);
    *r = (struct mk_recorded_trials){0};
}

/* A larger array; false: out of memory. */
static bool grow(double **array, size_t n)
{
    if (n & (n - 1)) return true; /* room for the next power of two is there */
    double *grown = realloc(*array, (n ? 2 * n : 1) * sizeof *grown);
    if (grown) *array = grown;
    return grown != NULL;
}

static int find_column(const struct mk_csv *csv, const char *name, size_t *at, struct mk_error *err)
{
    char columns[400];
    const int found = mk_csv_find(csv, name);
    *at = (size_t)found;
    if (found >= 0) return MK_OK;
    return mk_fail(err, MK_EINPUT, "%s:1: %s: expected a column of this name, as in the trials of maxk tune; got %s",
                   csv->path, name, mk_csv_columns_text(csv, columns, sizeof columns));
}

static int add_reward(struct mk_recorded_trials *r, size_t k, double x, struct mk_error *err)
{
    if (!grow(&r->reward[k], r->length[k]) || !grow(&r->best, r->n)) return mk_fail_memory(err, "trials");
    r->reward[k][r->length[k]++] = x;
    r->best[r->n] = r->n ? fmax(r->best[r->n - 1], x) : x;
    r->n++;
    return MK_OK;
}

static int take_row(struct mk_recorded_trials *r, const struct mk_tune *t, const struct mk_csv *csv, size_t arm,
                    size_t index, size_t loss, struct mk_error *err)
{
    const struct mk_csv_cell *label = &csv->cell[arm];
    char clip[MK_CLIP_ROOM];
    double number, x;
    int code = mk_csv_number(csv, loss, &x, err);
    if (!code) code = mk_csv_number(csv, index, &number, err);
    if (code) return code;
    if (number < 0)
        return mk_fail_at(err, mk_csv_where(csv, index), "arm_index",
                          "expected trials that a policy has chosen, got a combined search");
    const size_t k = mk_tune_find_arm(t, label->text, label->length);
    if (k == t->n_arms)
        return mk_fail_at(err, mk_csv_where(csv, arm), "arm", "expected the label of an arm, got '%s'",
                          mk_clip_bytes(label->text, label->length, clip));
    return add_reward(r, k, -x, err);
}

static int begin(struct mk_recorded_trials *r, const struct mk_tune *t, struct mk_error *err)
{
    *r = (struct mk_recorded_trials){.n_arms = t->n_arms};
    r->length = calloc(t->n_arms, sizeof *r->length);
    r->reward = calloc(t->n_arms, sizeof *r->reward);
    return r->length && r->reward ? MK_OK : mk_fail_memory(err, "trials");
}

int mk_recorded_trials_of(struct mk_recorded_trials *r, const struct mk_tune *t, const struct mk_tune_state *results,
                          struct mk_error *err)
{
    int code = begin(r, t, err);
    if (!code && !t->policy)
        code = mk_fail(err, MK_EINPUT, "%s: expected trials that a policy has chosen, got a combined search", t->file);
    for (size_t i = 0; i < mk_tune_state_n(results) && !code; i++) {
        const struct mk_trial *trial = mk_tune_state_trial(results, i);
        if (!trial->dropped) code = add_reward(r, trial->arm, trial->reward, err);
    }
    if (!code && !r->n) code = mk_fail(err, MK_EINPUT, "%s: no trials", t->file);
    if (code) mk_recorded_trials_clear(r);
    return code;
}

int mk_recorded_trials_read(struct mk_recorded_trials *r, const struct mk_tune *t, const char *path,
                            struct mk_error *err)
{
    struct mk_csv *csv = NULL;
    size_t arm = 0, index = 0, loss = 0;
    int code = begin(r, t, err);
    if (!code) code = mk_csv_open(&csv, path, err);
    if (!code) code = find_column(csv, "arm", &arm, err);
    if (!code) code = find_column(csv, "arm_index", &index, err);
    if (!code) code = find_column(csv, "loss", &loss, err);
    while (!code && !(code = mk_csv_next(csv, err))) code = take_row(r, t, csv, arm, index, loss, err);
    mk_csv_close(csv);
    if (code == MK_CSV_END) code = r->n ? MK_OK : mk_fail(err, MK_EINPUT, "%s: no trials", path);
    if (code) mk_recorded_trials_clear(r);
    return code;
}

int mk_what_if(const struct mk_recorded_trials *r, const char *text, uint64_t seed, struct mk_what_if *out,
               struct mk_error *err)
{
    const struct mk_policy_options options = {.horizon = r->n, .seed = seed};
    struct mk_policy *p = NULL;
    int code = mk_policy_new(&p, text, r->n_arms, &options, err);
    out->trials = out->best_at = 0;
    out->stopped_by = SIZE_MAX;
    out->best = -INFINITY;
    memset(out->pulls, 0, r->n_arms * sizeof *out->pulls);
    while (!code && out->trials < r->n) {
        size_t k;
        code = mk_policy_select(p, &k, err);
        if (!code && out->pulls[k] == r->length[k]) {
            out->stopped_by = k;
            break;
        }
        const double x = code ? NAN : r->reward[k][out->pulls[k]];
        if (!code) code = mk_policy_update(p, k, x, err);
        if (code) break;
        out->pulls[k]++;
        out->trials++;
        if (!(x > out->best)) continue;
        out->best = x;
        out->best_at = out->trials;
    }
    mk_policy_free(p);
    return code;
}

/* ---- the table ---- */

#define COLUMNS(X)                                                                                                     \
    X(POLICY, "policy", TEXT, "", "the policy, as requested")                                                          \
    X(TRIALS, "trials", COUNT, "", "trials for which it can be followed")                                              \
    X(BEST, "best", REAL, "of the metric", "the best value that it would have reached")                                \
    X(BEST_AT, "best_at", COUNT, "", "number of the trial that gave it, from 1")                                       \
    X(RUN_BEST, "run_best", REAL, "of the metric", "the best value of the run itself after as many trials")            \
    X(USED_UP, "used_up", TEXT, "", "the arm whose trials were used up; empty: none")                                  \
    X(PULLS, "pulls", TEXT, "", "trials of every arm")

enum { COLUMNS(MK_COLUMN_ENUMERATOR) };
static const struct mk_column columns[] = {COLUMNS(MK_COLUMN_DESCRIPTOR)};
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("what other policies would have done", columns, NULL);

/* "one 12, two 3". */
static void pulls_text(const struct mk_tune *t, const uint64_t *pulls, char *out, size_t room)
{
    char clip[MK_CLIP_ROOM];
    size_t n = 0;
    for (size_t k = 0; k < t->n_arms && n < room; k++) {
        const int w = snprintf(out + n, room - n, "%s%s %llu", k ? ", " : "", mk_clip(t->arm[k].label, clip),
                               (unsigned long long)pulls[k]);
        n += w > 0 ? (size_t)w : 0;
    }
}

static void add_row(struct mk_table *table, const struct mk_tune *t, const struct mk_recorded_trials *r,
                    const char *policy, const struct mk_what_if *w)
{
    char pulls[4000];
    mk_table_set_text(table, POLICY, policy);
    mk_table_set_count(table, TRIALS, w->trials);
    mk_table_set_real(table, BEST, w->trials ? mk_tune_value(t, w->best) : NAN);
    mk_table_set_count(table, BEST_AT, w->best_at);
    mk_table_set_real(table, RUN_BEST, w->trials ? mk_tune_value(t, r->best[w->trials - 1]) : NAN);
    mk_table_set_text(table, USED_UP, w->stopped_by == SIZE_MAX ? "" : t->arm[w->stopped_by].label);
    pulls_text(t, w->pulls, pulls, sizeof pulls);
    mk_table_set_text(table, PULLS, pulls);
    mk_table_end_row(table);
}

/* best: of all trials. */
static void add_note(struct mk_table *table, size_t trials, double best)
{
    char text[MK_COUNTED_ROOM];
    mk_table_add_note(table,
                      "%s: a policy is followed until it has used up the trials of the arm it selects; no policy can "
                      "exceed %.6g here",
                      mk_counted(trials, "trial was evaluated", "trials were evaluated", text), best);
}

int mk_what_if_table(struct mk_table **out, const struct mk_tune *t, const struct mk_recorded_trials *r,
                     const char *const *policy, size_t n, struct mk_error *err)
{
    struct mk_table *table = NULL;
    struct mk_what_if w = {.pulls = calloc(t->n_arms, sizeof *w.pulls)};
    int code = w.pulls ? mk_table_new(&table, &schema, err) : mk_fail_memory(err, "trials");
    for (size_t i = 0; i < n && !code; i++) {
        code = mk_what_if(r, policy[i], t->seed, &w, err);
        if (!code) add_row(table, t, r, policy[i], &w);
    }
    if (!code) add_note(table, r->n, mk_tune_value(t, r->best[r->n - 1]));
    if (!code) code = mk_table_check(table, err);
    free(w.pulls);
    *out = code ? NULL : table;
    if (code) mk_table_free(table);
    return code;
}

#include "analysis/compare/what_if.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/api/maxk/policy.h"
#include "sim/base/error.h"
#include "sim/base/grow.h"
#include "sim/base/text.h"

void mk_recorded_trials_clear(struct mk_recorded_trials *r)
{
    for (size_t k = 0; r->reward && k < r->n_arms; k++) free(r->reward[k]);
    for (size_t k = 0; r->whole && k < r->n_arms; k++) free(r->whole[k]);
    free(r->reward);
    free(r->whole);
    free(r->length);
    free(r->label);
    free(r->best);
    *r = (struct mk_recorded_trials){0};
}

int mk_recorded_trials_begin(struct mk_recorded_trials *r, size_t n_arms, double unit, uint64_t seed,
                             struct mk_error *err)
{
    *r = (struct mk_recorded_trials){.unit = unit, .seed = seed, .n_arms = n_arms};
    r->label = calloc(n_arms + 1, sizeof *r->label);
    r->length = calloc(r->n_arms + 1, sizeof *r->length);
    r->reward = calloc(r->n_arms + 1, sizeof *r->reward);
    r->whole = calloc(r->n_arms + 1, sizeof *r->whole);
    return r->label && r->length && r->reward && r->whole ? MK_OK : mk_fail_memory(err, "trials");
}

int mk_recorded_trials_add(struct mk_recorded_trials *r, size_t arm, double reward, double whole, struct mk_error *err)
{
    if (!MK_GROW(r->reward[arm], r->length[arm], 1) || !MK_GROW(r->whole[arm], r->length[arm], 1) ||
        !MK_GROW(r->best, r->n, 1))
        return mk_fail_memory(err, "trials");
    r->whole[arm][r->length[arm]] = whole;
    r->reward[arm][r->length[arm]++] = reward;
    r->best[r->n] = r->n ? fmax(r->best[r->n - 1], whole) : whole;
    r->n++;
    return MK_OK;
}

struct followed {
    uint64_t trials;   /* for which the policy could be followed */
    size_t stopped_by; /* the arm whose trials it had used up; SIZE_MAX: none, it played them all */
    double best;       /* largest reward of whole evaluations; -INFINITY: none */
    uint64_t best_at;  /* the trial, from 1, that gave it */
    uint64_t *pulls;   /* [n_arms], the caller's */
};

/* Plays a policy ("{name: max_ucb, alpha: 0.1}"); errors are those of mk_policy_new. */
static int follow(const struct mk_recorded_trials *r, const char *policy, struct followed *out, struct mk_error *err)
{
    const struct mk_policy_options options = {.horizon = r->n, .seed = r->seed};
    struct mk_policy *p = NULL;
    int code = mk_policy_new(&p, policy, r->n_arms, &options, err);
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
        const double x = code ? NAN : r->reward[k][out->pulls[k]], whole = code ? NAN : r->whole[k][out->pulls[k]];
        if (!code) code = mk_policy_update(p, k, x, err);
        if (code) break;
        out->pulls[k]++;
        out->trials++;
        if (!(whole > out->best)) continue;
        out->best = whole;
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
MK_TABLE_COLUMNS(columns, COLUMNS);
static const struct mk_table_schema schema = MK_TABLE_SCHEMA("what other policies would have done", columns, NULL);

/* "one 12, two 3". */
static void pulls_text(const struct mk_recorded_trials *r, const uint64_t *pulls, char *out, size_t room)
{
    char clip[MK_CLIP_ROOM];
    size_t n = 0;
    for (size_t k = 0; k < r->n_arms && n < room; k++) {
        const int w = snprintf(out + n, room - n, "%s%s %llu", k ? ", " : "", mk_clip(r->label[k], clip),
                               (unsigned long long)pulls[k]);
        n += w > 0 ? (size_t)w : 0;
    }
}

static void add_what_if_row(struct mk_table *table, const struct mk_recorded_trials *r, const char *policy,
                            const struct followed *w)
{
    char pulls[4000];
    mk_table_set_text(table, POLICY, policy);
    mk_table_set_count(table, TRIALS, w->trials);
    mk_table_set_real(table, BEST, w->best_at ? w->best / r->unit : NAN);
    if (w->best_at)
        mk_table_set_count(table, BEST_AT, w->best_at);
    else
        mk_table_set_missing(table, BEST_AT);
    mk_table_set_real(table, RUN_BEST, w->trials ? r->best[w->trials - 1] / r->unit : NAN);
    mk_table_set_text(table, USED_UP, w->stopped_by == SIZE_MAX ? "" : r->label[w->stopped_by]);
    pulls_text(r, w->pulls, pulls, sizeof pulls);
    mk_table_set_text(table, PULLS, pulls);
    mk_table_end_row(table);
}

/* best: of all trials. */
static void add_note(struct mk_table *table, size_t trials, double best, bool maximizes)
{
    char text[MK_COUNTED_ROOM];
    if (isnan(best)) {
        mk_table_add_note(table, "%s; none of them is a whole evaluation that succeeded",
                          mk_counted(trials, "trial was evaluated", "trials were evaluated", text));
        return;
    }
    mk_table_add_note(table,
                      "%s: a policy is followed until it has used up the trials of the arm it selects; no policy can "
                      "%s %.6g here",
                      mk_counted(trials, "trial was evaluated", "trials were evaluated", text),
                      maximizes ? "exceed" : "get below", best);
}

int mk_what_if_table(struct mk_table **out, const struct mk_recorded_trials *r, const char *const *policy, size_t n,
                     struct mk_error *err)
{
    struct mk_table *table = NULL;
    struct followed w = {.pulls = calloc(r->n_arms + 1, sizeof *w.pulls)};
    int code = w.pulls ? mk_table_new(&table, &schema, err) : mk_fail_memory(err, "trials");
    for (size_t i = 0; i < n && !code; i++) {
        code = follow(r, policy[i], &w, err);
        if (!code) add_what_if_row(table, r, policy[i], &w);
    }
    if (!code) add_note(table, r->n, r->best[r->n - 1] / r->unit, r->unit > 0);
    if (!code) code = mk_table_check(table, err);
    free(w.pulls);
    *out = code ? NULL : table;
    if (code) mk_table_free(table);
    return code;
}

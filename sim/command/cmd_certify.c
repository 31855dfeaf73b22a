/* maxk certify: bounds on MaxUCB's pulls that hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arms/pooled_rewards.h"
#include "analysis/arms/race.h"
#include "sim/base/number.h"
#include "sim/base/table.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/options.h"
#include "sim/command/progress_line.h"
#include "sim/store/problem_input.h"

#define COLUMNS "policy,instance,horizon,arm,alpha,lower,upper,refinement,q50,q90,q99,lock_out"

struct work {
    const struct mk_experiment *e;
    const char *policy; /* requested label, or NULL */
    struct mk_counts horizons;
    double refinement, confidence;
    int csv;
    struct mk_table *table;
    struct mk_progress progress;
};

static bool is_shown(const struct work *w, const struct mk_policy_entry *entry)
{
    return (!w->policy || strcmp(entry->label, w->policy) == 0) && !mk_certify_refusal(entry->type);
}

static int fail_uncertified(const char *path, struct mk_error *err)
{
    enum { MOST = 16 };
    const char *name[MOST];
    char names[128];
    size_t n = 0;
    for (size_t i = 0; i < mk_policy_type_count() && n < MOST; i++)
        if (!mk_certify_refusal(mk_policy_type_at(i))) name[n++] = mk_policy_type_at(i)->name;
    return mk_fail(err, MK_EINPUT, "%s: no policy with certified bounds; allowed: %s", path,
                   mk_join(name, n, names, sizeof names));
}

/* Errors where nothing is to be shown. */
static int check_policies(const struct work *w, const char *path, struct mk_error *err)
{
    const struct mk_policy_entry *asked = NULL;
    char clip[MK_CLIP_ROOM];
    for (size_t p = 0; p < w->e->n_entries; p++) {
        if (is_shown(w, &w->e->entry[p])) return MK_OK;
        if (w->policy && strcmp(w->e->entry[p].label, w->policy) == 0) asked = &w->e->entry[p];
    }
    if (asked)
        return mk_fail(err, MK_EINPUT, "maxk certify: --policy: %s has no certified bounds: %s", w->policy,
                       mk_certify_refusal(asked->type));
    if (w->policy)
        return mk_fail(err, MK_EINPUT, "maxk certify: --policy: %s: no policy '%s'", path, mk_clip(w->policy, clip));
    return fail_uncertified(path, err);
}

static void print_arm(struct work *w, const struct mk_policy_entry *entry, const struct mk_instance *in, size_t k,
                      uint64_t horizon, const struct mk_certified_arm *arm)
{
    struct mk_table *t = w->table;
    mk_table_text(t, entry->label);
    mk_table_text(t, in->name);
    mk_table_count(t, horizon);
    mk_table_count(t, in->arm[k]);
    mk_table_real(t, mk_policy_entry_parameter(entry, "alpha"));
    mk_table_real(t, arm->lower);
    mk_table_real(t, arm->upper);
    mk_table_real(t, arm->refinement);
    for (size_t q = 0; q < MK_CERTIFIED_QUANTILES; q++) mk_table_count(t, arm->quantile[q]);
    mk_table_real(t, arm->lock_out);
}

static int certify_instance(struct work *w, const struct mk_policy_entry *entry, size_t instance, struct mk_error *err)
{
    const struct mk_problem *p = w->e->problem;
    const uint64_t *horizon = w->horizons.n ? w->horizons.value : w->e->horizon;
    const size_t n = w->horizons.n ? w->horizons.n : w->e->n_horizons;
    struct mk_race_arms *arms = NULL;
    int code = mk_race_arms_new(&arms, p, instance, w->confidence, err);
    for (size_t h = 0; !code && h < n; h++) {
        struct mk_certificate *c = NULL;
        code = mk_certify(&c, entry, arms, horizon[h], MK_CERTIFIED_BAND, w->refinement, err);
        for (size_t k = 0; !code && k < c->arms; k++)
            print_arm(w, entry, &p->instance[instance], k, horizon[h], &c->arm[k]);
        mk_certificate_free(c);
        mk_progress_step(&w->progress, 1);
    }
    mk_race_arms_free(arms);
    return code;
}

static int print_all(struct work *w, struct mk_error *err)
{
    size_t shown = 0, horizons = w->horizons.n ? w->horizons.n : w->e->n_horizons;
    for (size_t p = 0; p < w->e->n_entries; p++) shown += is_shown(w, &w->e->entry[p]);
    struct mk_progress_line line = {"certify", 0};
    w->progress.report = mk_progress_line();
    w->progress.context = &line;
    int code = mk_table_begin(&w->table, stdout, w->csv ? MK_TABLE_CSV : MK_TABLE_ALIGNED, COLUMNS, err);
    mk_progress_start(&w->progress, 0, shown * w->e->problem->n_instances * horizons);
    for (size_t p = 0; !code && p < w->e->n_entries; p++)
        for (size_t i = 0; !code && is_shown(w, &w->e->entry[p]) && i < w->e->problem->n_instances; i++)
            code = certify_instance(w, &w->e->entry[p], i, err);
    mk_progress_end(&w->progress);
    mk_progress_line_clear();
    return mk_table_finish(w->table, code, err);
}

static int certify(const char *path, struct work *w, struct mk_error *err)
{
    struct mk_experiment *e = NULL;
    int code = mk_problem_input_open(&e, path, NULL, 0, MK_NEED_PROBLEM, err);
    if (code) return code;
    w->e = e;
    if (w->horizons.n == 0 && e->n_horizons == 0)
        code = mk_fail(err, MK_EINPUT, "maxk certify: --horizons: missing, and %s has none", path);
    if (!code) code = check_policies(w, path, err);
    if (!code && w->confidence > 0 && e->problem->kind != MK_TRAJECTORIES)
        code = mk_fail(err, MK_EINPUT,
                       "maxk certify: --confidence: for recorded rewards only, the arms of %s are known", path);
    if (!code) code = print_all(w, err);
    mk_experiment_free(e);
    return code;
}

int mk_cmd_certify(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "certify", "FILE.yaml|RESULT.h5",
        "Prints bounds on the pulls of MaxUCB that are proved for every alpha, horizon and family of rewards: "
        "lower <= E[N_i(T)] <= upper. They are computed from the distributions of the arms (nothing is simulated) by "
        "the probability that every other arm's running maximum stays below a rising barrier; the proofs are in "
        "analysis/theory/certificate.h. The grids err to the safe side only; refinement is what their last refinement "
        "has taken off upper, relative to it. q50, q90 and q99 are upper bounds on quantiles of N_i(T), lock_out is "
        "an upper bound on P(N_i(T) > T/2).\n\n"
        "Applies to max_ucb and max_ucb_burn_in with any parameters; scale global_max and minmax by the extremes of "
        "the scale, which is loose at small horizons. Recorded arms stand for independent draws of their pooled "
        "rewards; with --confidence for every distribution within their Dvoretzky-Kiefer-Wolfowitz-Massart bands.",
        1, 1};
    struct work w = {.refinement = 0.02};
    const struct mk_option options[] = {
        {"csv", 0, MK_OPT_FLAG, &w.csv, NULL, NULL, 1, 0, "print CSV"},
        {"policy", 0, MK_OPT_TEXT, &w.policy, "LABEL", NULL, 1, 0, "this policy only"},
        {"horizons", 0, MK_OPT_COUNTS, &w.horizons, "T,T,…", NULL, 1, MK_EXACT_MAX,
         "horizons (default: those of the file)"},
        {"refinement", 0, MK_OPT_REAL, &w.refinement, "SHARE", NULL, 1e-4, 1,
         "refine until the last refinement changes upper by this share at most (default: 0.02)"},
        {"confidence", 0, MK_OPT_REAL, &w.confidence, "LEVEL", NULL, 0.01, 0.999999,
         "recorded rewards: bounds that hold for their true distributions with this confidence (default: for the "
         "empirical ones)"},
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (!code) code = certify(operand[0], &w, err);
    free(w.horizons.value);
    return code;
}

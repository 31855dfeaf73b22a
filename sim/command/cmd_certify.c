/* maxk certify: bounds on MaxUCB's pulls that hold. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/arms/pooled_rewards.h"
#include "analysis/arms/race.h"
#include "analysis/theory/certified_regret.h"
#include "sim/base/number.h"
#include "sim/base/param.h"
#include "sim/base/table_printer.h"
#include "sim/base/text.h"
#include "sim/command/command.h"
#include "sim/command/input_options.h"
#include "sim/command/kept_certificates.h"
#include "sim/command/progress_line.h"
#include "sim/store/problem_input.h"

#define ALPHA_COLUMNS "policy,instance,horizon,alpha,regret,proposition_4_1,best,refinement"
#define COLUMNS "policy,instance,horizon,arm,alpha,lower,upper,refinement,q50,q90,q99,lock_out"

struct work {
    const struct mk_experiment *e;
    const char *policy; /* requested label, or NULL */
    struct mk_counts horizons;
    double refinement, confidence;
    struct mk_table_style style;
    struct mk_input_options in;
    int best_alpha;
    struct mk_table_printer *table;
    struct mk_progress progress;
    struct mk_certificate_store *store;
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
    struct mk_table_printer *t = w->table;
    mk_table_text(t, entry->label);
    mk_table_text(t, in->name);
    mk_table_count(t, horizon);
    mk_table_count(t, in->arm[k]);
    mk_table_real(t, mk_policy_entry_parameter(entry, "alpha"));
    mk_table_bound(t, arm->lower, MK_ROUND_DOWN);
    mk_table_bound(t, arm->upper, MK_ROUND_UP);
    mk_table_real(t, arm->refinement);
    for (size_t q = 0; q < MK_CERTIFIED_QUANTILES; q++) mk_table_count(t, arm->quantile[q]);
    mk_table_bound(t, arm->lock_out, MK_ROUND_UP);
}

/* ---- the alpha whose certified regret is least ---- */

enum { FIRST_ALPHAS = 21, HALVINGS = 4, MOST_ALPHAS = FIRST_ALPHAS + 2 * HALVINGS };
static const double least_alpha = 0.01, largest_alpha = 10;

struct at_alpha {
    double alpha;
    struct mk_certified_regret bound;
    double refinement; /* the largest of the arms */
};

static int regret_at(const struct work *w, const struct mk_policy_entry *entry, const struct mk_race_arms *arms,
                     uint64_t horizon, double alpha, struct at_alpha *out, struct mk_error *err)
{
    struct mk_policy_entry own = *entry;
    struct mk_certificate *c = NULL;
    own.par[mk_param_find(entry->type->params, "alpha")] = out->alpha = alpha;
    const struct mk_certify_task task = {&own, arms, horizon, MK_CERTIFIED_SHARED, w->refinement, MK_EVERY_ARM};
    int code = mk_certify_kept(&c, w->store, &task, err);
    if (!code) code = mk_certified_regret(&out->bound, c, arms->arm, horizon, err);
    out->refinement = 0;
    for (size_t k = 0; !code && k < c->arms; k++) out->refinement = fmax(out->refinement, c->arm[k].refinement);
    mk_certificate_free(c);
    return code;
}

static size_t least_regret(const struct at_alpha *at, size_t n)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (at[k].bound.regret < at[best].bound.regret) best = k;
    return best;
}

/* A grid from 0.01 to 10, then twice as fine around its least value, and so on. at[MOST_ALPHAS], ascending. */
static int scan_alphas(const struct work *w, const struct mk_policy_entry *entry, const struct mk_race_arms *arms,
                       uint64_t horizon, struct at_alpha *at, size_t *n, struct mk_error *err)
{
    const double ratio = pow(largest_alpha / least_alpha, 1.0 / (FIRST_ALPHAS - 1));
    struct mk_policy_entry own[FIRST_ALPHAS];
    struct mk_certify_task task[FIRST_ALPHAS];
    for (size_t k = 0; k < FIRST_ALPHAS; k++) {
        own[k] = *entry;
        own[k].par[mk_param_find(entry->type->params, "alpha")] = at[k].alpha = least_alpha * pow(ratio, (double)k);
        task[k] = (struct mk_certify_task){&own[k], arms, horizon, MK_CERTIFIED_SHARED, w->refinement, MK_EVERY_ARM};
    }
    int code = mk_certify_ahead(w->store, task, FIRST_ALPHAS, NULL, err);
    for (*n = 0; !code && *n < FIRST_ALPHAS; ++*n)
        code = regret_at(w, entry, arms, horizon, at[*n].alpha, &at[*n], err);
    for (int halving = 0; !code && halving < HALVINGS; halving++) {
        size_t best = least_regret(at, *n);
        for (size_t above = best + 1; !code && above + 1 > best && above <= *n; above--) {
            if (above == 0 || above == *n) continue; /* beyond the ends */
            struct at_alpha middle;
            code = regret_at(w, entry, arms, horizon, sqrt(at[above - 1].alpha * at[above].alpha), &middle, err);
            memmove(at + above + 1, at + above, (*n - above) * sizeof *at);
            at[above] = middle;
            ++*n;
        }
    }
    return code;
}

static int print_alphas(struct work *w, const struct mk_policy_entry *entry, const struct mk_instance *in,
                        const struct mk_race_arms *arms, uint64_t horizon, struct mk_error *err)
{
    struct at_alpha at[MOST_ALPHAS];
    size_t n;
    int code = scan_alphas(w, entry, arms, horizon, at, &n, err);
    for (size_t k = 0; !code && k < n; k++) {
        mk_table_text(w->table, entry->label);
        mk_table_text(w->table, in->name);
        mk_table_count(w->table, horizon);
        mk_table_real(w->table, at[k].alpha);
        mk_table_bound(w->table, at[k].bound.regret, MK_ROUND_UP);
        mk_table_bound(w->table, at[k].bound.proposition_4_1, MK_ROUND_UP);
        mk_table_count(w->table, k == least_regret(at, n));
        mk_table_real(w->table, at[k].refinement);
    }
    return code;
}

/* ---- all places ---- */

static int certify_ahead(const struct work *w, const struct mk_policy_entry *entry, const struct mk_race_arms *arms,
                         const uint64_t *horizon, size_t n, struct mk_error *err)
{
    struct mk_certify_task *task = malloc((n + 1) * sizeof *task);
    if (!task) return mk_fail_memory(err, "certificates");
    for (size_t h = 0; h < n; h++)
        task[h] = (struct mk_certify_task){entry, arms, horizon[h], MK_CERTIFIED_BAND, w->refinement, MK_EVERY_ARM};
    int code = mk_certify_ahead(w->store, task, n, NULL, err);
    free(task);
    return code;
}

static int certify_instance(struct work *w, const struct mk_policy_entry *entry, size_t instance, struct mk_error *err)
{
    const struct mk_problem *p = w->e->problem;
    const uint64_t *horizon = w->horizons.n ? w->horizons.value : w->e->horizon;
    const size_t n = w->horizons.n ? w->horizons.n : w->e->n_horizons;
    struct mk_race_arms *arms = NULL;
    int code = mk_race_arms_new(&arms, p, instance, w->confidence, err);
    if (!code && !w->best_alpha) code = certify_ahead(w, entry, arms, horizon, n, err);
    for (size_t h = 0; !code && h < n; h++) {
        struct mk_certificate *c = NULL;
        if (w->best_alpha) {
            code = print_alphas(w, entry, &p->instance[instance], arms, horizon[h], err);
            mk_progress_step(&w->progress, 1);
            continue;
        }
        const struct mk_certify_task task = {entry, arms, horizon[h], MK_CERTIFIED_BAND, w->refinement, MK_EVERY_ARM};
        code = mk_certify_kept(&c, w->store, &task, err);
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
    struct mk_progress_line line = {"certify", 0, "pulls"};
    w->progress.report = mk_progress_line();
    w->progress.context = &line;
    int code = mk_table_begin(&w->table, stdout, w->style, w->best_alpha ? ALPHA_COLUMNS : COLUMNS, err);
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
    int code = mk_input_open(&e, "certify", path, &w->in, MK_NEED_PROBLEM, err);
    if (code) return code;
    w->e = e;
    if (w->horizons.n == 0 && e->n_horizons == 0)
        code = mk_fail(err, MK_EINPUT, "maxk certify: --horizons: missing, and %s has none", path);
    if (!code) code = check_policies(w, path, err);
    if (!code && w->confidence > 0 && !mk_problem_has(e->problem, MK_HAS_SERIES))
        code = mk_fail(err, MK_EINPUT,
                       "maxk certify: --confidence: for recorded rewards only, the arms of %s are known", path);
    if (!code) code = mk_kept_certificates_open(&w->store, mk_input_is_result(path) ? path : NULL, err);
    if (!code) code = print_all(w, err);
    mk_kept_certificates_close(w->store);
    mk_experiment_free(e);
    return code;
}

int mk_cmd_certify(int argc, char **argv, struct mk_error *err)
{
    static const struct mk_usage usage = {
        "certify", "FILE.yaml|FILE.csv[.gz]|RESULT.h5|-",
        "Prints bounds on the pulls of MaxUCB that are proved for every alpha, horizon and family of rewards: "
        "lower <= E[N_i(T)] <= upper. They are computed from the distributions of the arms (nothing is simulated) by "
        "the probability that every other arm's running maximum stays below a rising barrier; the proofs are in "
        "analysis/theory/certificate.h (installed in share/maxk). The grids err to the safe side only: the "
        "bounds hold at any refinement. refinement is what the last refinement of the grids has taken off upper, "
        "relative to it. It is not the error of the bound: it bounds neither the distance from E[N_i(T)] nor that "
        "from what infinitely fine grids would give, and it is 0 where two grids agree. q50, q90 and q99 "
        "are upper bounds on quantiles of N_i(T), lock_out is an upper bound on P(N_i(T) > T/2).\n\n"
        "Applies to max_ucb and max_ucb_burn_in with any parameters; scale global_max and minmax by the extremes of "
        "the scale, which is loose at small horizons. Recorded arms stand for independent draws of their pooled "
        "rewards; with --confidence for every distribution within their Dvoretzky-Kiefer-Wolfowitz-Massart bands."
        "\n\nWith --best-alpha: instead, for every such policy, upper bounds on its regret over alpha from 0.01 to 10, "
        "from the certified pulls of all arms (analysis/theory/certified_regret.h), and best = 1 at the least of them; "
        "beside it, what Proposition 4.1 of Balef et al. 2025 makes of the same pulls. The proofs allow any alpha, but "
        "the least bound need not be at the alpha with the least regret. All alpha share one grid of pulls, so that their "
        "bounds can be compared: what differs by less than 2 % may still be due to other grids. refinement is what every "
        "other point of that grid has taken off the pulls of an arm, the largest of all arms.",
        1, 1};
    struct work w = {.refinement = NAN, .in = MK_INPUT_DEFAULTS};
    const struct mk_option options[] = {
        MK_TABLE_OPTIONS(w.style),
        {"best-alpha", 0, MK_OPT_FLAG, &w.best_alpha, NULL, NULL, 1, 0,
         "print certified bounds on the regret over alpha, and where they are least"},
        {"policy", 0, MK_OPT_TEXT, &w.policy, "LABEL", NULL, 1, 0, "this policy only"},
        {"horizons", 0, MK_OPT_COUNTS, &w.horizons, "T,T,…", NULL, 1, MK_EXACT_MAX,
         "horizons (default: those of the file)"},
        {"refinement", 0, MK_OPT_REAL, &w.refinement, "SHARE", NULL, 1e-4, 1,
         "refine until the last refinement changes upper by this share at most (default: 0.02; with "
         "--best-alpha 0.2)"},
        {"confidence", 0, MK_OPT_REAL, &w.confidence, "LEVEL", NULL, 0.01, 0.999999,
         "recorded rewards: bounds that hold for their true distributions with this confidence (default: for the "
         "empirical ones)"},
        MK_INPUT_OPTIONS(w.in),
        {NULL, 0, MK_OPT_FLAG, NULL, NULL, NULL, 1, 0, NULL},
    };
    char **operand;
    size_t n;
    int code = mk_options_parse(&usage, options, argc, argv, &operand, &n, err);
    if (isnan(w.refinement)) w.refinement = w.best_alpha ? MK_TABLE_REFINEMENT : 0.02;
    if (!code) code = certify(operand[0], &w, err);
    free(w.horizons.value);
    return code;
}
